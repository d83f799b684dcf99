//! Which units run or use a unit directly: one step of the walk back from some code to the tests.
//!
//! Besides calls, what a test runner does by convention counts: set-up functions, fixtures, functions
//! that give arguments. A step does not depend on where the walk began.

use std::collections::BTreeSet;

use facts::{BindingKind, Facts, Recipe, Role, ScopeKind, SymbolIndex, SymbolKind};

use super::{
    change::spellings,
    dispatch,
    reaching_tests::ReachKind,
    search::is_test_or_docs,
    test_cases::{
        CodeUnit, annotations, around_scope, is_annotated, is_local, is_set_up, is_test,
        provided_tests, tests_inside, tests_of_file, tests_of_type, texts_in,
    },
};
use crate::{
    FileId, FileView, Outcome, RepoPath, Resolver, SymbolId, Ty,
    query::{self, Mention},
};

/// A unit that runs or uses another.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsedBy {
    pub unit: CodeUnit,
    pub how: ReachKind,
    pub outcome: Outcome,
    /// How many conditions the place is under: not every run of the unit gets there.
    n_branches: u32,
    /// A place in the unit uses it; else a convention says so.
    pub is_written: bool,
}

impl UsedBy {
    pub fn sure(unit: CodeUnit, how: ReachKind) -> UsedBy {
        UsedBy {
            unit,
            how,
            outcome: Outcome::Static,
            n_branches: 0,
            is_written: false,
        }
    }

    pub fn likely(unit: CodeUnit, how: ReachKind) -> UsedBy {
        UsedBy {
            outcome: Outcome::Heuristic,
            ..UsedBy::sure(unit, how)
        }
    }

    /// In tenths of a call.
    pub fn cost(&self) -> u32 {
        const PER_BRANCH: u32 = 7;
        self.how.cost(self.outcome) + PER_BRANCH * self.n_branches
    }
}

/// The conditions, alternatives and handlers around a place within its function.
fn n_branches(view: &FileView, at: u32) -> u32 {
    let mut n = 0;
    for scope in view.outwards(view.facts.scope_at(at)) {
        let scope = view.facts.scope(scope);
        match scope.kind {
            ScopeKind::Branch => n += 1,
            ScopeKind::Function | ScopeKind::Type | ScopeKind::File => break,
            _ => {}
        }
    }
    n
}

/// The units that run or use a unit directly. `is_target` says that the unit is what was asked about:
/// a type that is only named there matters as well.
pub(super) fn users(resolver: &Resolver, unit: CodeUnit, is_target: bool) -> Vec<UsedBy> {
    let search = UserSearch { resolver };
    match unit {
        CodeUnit::Symbol(symbol) => search.of_symbol(symbol, is_target),
        CodeUnit::File(file) => search.of_file(file),
        CodeUnit::Block(..) => Vec::new(),
    }
}

struct UserSearch<'a> {
    resolver: &'a Resolver<'a>,
}

impl UserSearch<'_> {
    fn of_symbol(&self, symbol: SymbolId, is_target: bool) -> Vec<UsedBy> {
        let resolver = self.resolver;
        let Some(view) = resolver.view(symbol.file) else {
            return Vec::new();
        };
        let declared = view.symbol(symbol.index);
        let mut users: Vec<UsedBy> = Vec::new();
        if declared.kind.is_container() && is_test_or_docs(resolver.path(view.id).as_str()) {
            // Code directly in a group of tests prepares them.
            let tests = tests_inside(resolver, &view, symbol.index).into_iter();
            users.extend(tests.map(|test| UsedBy::sure(CodeUnit::Symbol(test), ReachKind::SetUp)));
        }
        for mention in &query::references(resolver, symbol).value {
            self.add_mention(&mut users, mention, declared.kind, is_target);
        }
        for mention in dispatch::indirect_calls(resolver, symbol).iter() {
            let mention = Mention {
                outcome: Outcome::Dispatch,
                ..mention.clone()
            };
            self.add_mention(&mut users, &mention, declared.kind, is_target);
        }
        for call in query::implicit_callers(resolver, symbol).value {
            users.extend(self.implicit_user(call));
        }
        if let Some(holder) = self.made_by_call(&view, symbol) {
            // Whoever makes an object runs its constructor.
            for mention in &query::references(resolver, holder).value {
                if matches!(mention.role, Role::Call | Role::Instantiate) {
                    self.add_mention(&mut users, mention, declared.kind, is_target);
                }
            }
        }
        if is_local(declared) {
            let around = around_symbol(resolver, &view, symbol.index);
            users.extend(
                around
                    .into_iter()
                    .map(|unit| UsedBy::sure(unit, ReachKind::Encloses)),
            );
        }
        if is_set_up(resolver, &view, symbol.index) {
            let tests = match declared.parent {
                Some(class) => tests_of_type(resolver, symbol.beside(class))
                    .into_iter()
                    .map(CodeUnit::Symbol)
                    .collect(),
                None => tests_of_file(resolver, symbol.file),
            };
            users.extend(
                tests
                    .into_iter()
                    .map(|test| UsedBy::sure(test, ReachKind::SetUp)),
            );
        }
        self.add_fixture_users(&mut users, &view, symbol.index);
        self.add_provided_tests(&mut users, &view, symbol.index);
        users.extend(self.by_convention(&view, symbol));
        users
    }

    /// The units around a place where the language runs something by itself.
    fn implicit_user(&self, call: query::ImplicitCall) -> Vec<UsedBy> {
        let Some(view) = self.resolver.view(call.site.file) else {
            return Vec::new();
        };
        let at = call.site.span.start;
        let units = match call.symbol {
            Some(caller) => vec![CodeUnit::Symbol(caller)],
            None => around_scope(self.resolver, &view, view.facts.scope_at(at)),
        };
        let n_branches = n_branches(&view, at);
        let units = units.into_iter();
        units
            .map(|unit| UsedBy {
                unit,
                how: ReachKind::Implicit,
                outcome: call.outcome,
                n_branches,
                is_written: true,
            })
            .collect()
    }

    fn add_mention(
        &self,
        users: &mut Vec<UsedBy>,
        mention: &Mention,
        of: SymbolKind,
        is_target: bool,
    ) {
        let how = match mention.role {
            Role::Import => return,
            // A type that is only named runs nothing of it; its change may still matter.
            Role::TypeUse if !is_target => return,
            Role::Call | Role::Instantiate => ReachKind::Call,
            Role::Annotation => ReachKind::Annotation,
            Role::Read | Role::Write if of == SymbolKind::Property => ReachKind::Call,
            Role::Read | Role::Write | Role::TypeUse | Role::Inherit => ReachKind::Use,
        };
        let Some(view) = self.resolver.view(mention.file) else {
            return;
        };
        let units = code_around(self.resolver, &view, mention);
        let n_branches = n_branches(&view, mention.span.start);
        users.extend(units.into_iter().map(|unit| UsedBy {
            unit,
            how,
            outcome: mention.outcome,
            n_branches,
            is_written: true,
        }));
    }

    /// Tests and fixtures that ask for a fixture by the name of a parameter, or in a text.
    fn add_fixture_users(&self, users: &mut Vec<UsedBy>, view: &FileView, index: SymbolIndex) {
        let rules = &view.semantics.entry_points.tests;
        let facts = &view.facts;
        let fixture = annotations(facts, index)
            .find(|(word, _)| rules.fixture_annotations.contains(word))
            .map(|(_, recipe)| recipe);
        let Some(fixture) = fixture else {
            return;
        };
        let options = FixtureOptions::of(view, fixture);
        let name = options.name.unwrap_or_else(|| view.name_of(index));
        for file in self.fixture_files(view.id) {
            let Some(other) = self.resolver.view(file) else {
                continue;
            };
            if options.is_automatic {
                let tests = tests_of_file(self.resolver, file).into_iter();
                users.extend(tests.map(|test| UsedBy::sure(test, ReachKind::Fixture)));
                continue;
            }
            let Some(id) = other.facts.names.find(name) else {
                continue;
            };
            let asking = |owner: SymbolIndex| {
                is_test(self.resolver, &other, owner)
                    || is_annotated(&other.facts, owner, rules.fixture_annotations)
                    || is_set_up(self.resolver, &other, owner)
            };
            let parameters = other.facts.bindings_of(id).iter();
            let owners = parameters
                .filter(|binding| binding.kind == BindingKind::Parameter)
                .filter_map(|binding| other.facts.scope(binding.scope).owner)
                .filter(|owner| asking(*owner) && (file, *owner) != (view.id, index));
            users.extend(owners.map(|owner| {
                let unit = CodeUnit::Symbol(other.symbol_id(owner));
                UsedBy::sure(unit, ReachKind::Fixture)
            }));
            users.extend(
                self.asking_by_text(&other, name)
                    .into_iter()
                    .map(|unit| UsedBy::sure(unit, ReachKind::Fixture)),
            );
        }
    }

    /// Units of a file with an annotation or a call that has a name as a text: `usefixtures("db")`,
    /// `getfixturevalue("db")`.
    fn asking_by_text(&self, view: &FileView, name: &str) -> Vec<CodeUnit> {
        let facts = &view.facts;
        let mut units = Vec::new();
        for annotation in &facts.annotations {
            if texts_in(facts, annotation.recipe).contains(&name) {
                units.push(CodeUnit::Symbol(view.symbol_id(annotation.symbol)));
            }
        }
        for reference in &facts.references {
            let is_request = matches!(reference.role, Role::Call)
                && facts.name(reference.name).contains("fixture")
                && reference
                    .call
                    .is_some_and(|call| texts_in(facts, call).contains(&name));
            if is_request {
                units.extend(around_reference(self.resolver, view, reference));
            }
        }
        units
    }

    /// The files in which a fixture of a file can be asked for.
    fn fixture_files(&self, file: FileId) -> Vec<FileId> {
        let snapshot = self.resolver.snapshot();
        let path: &RepoPath = &snapshot.file(file).path;
        let stem = query::search::stem(path.file_name());
        let is_test_file = is_test_or_docs(path.as_str()) && stem != "conftest";
        let directory = match stem {
            "conftest" => path.directory(),
            _ if is_test_file => return vec![file],
            // A plug-in.
            _ => "",
        };
        let below = snapshot.below(directory);
        below
            .filter(|(_, other)| is_test_or_docs(other.path.as_str()))
            .map(|(id, _)| id)
            .collect()
    }

    /// Tests whose annotations name a function of their type as the source of their arguments.
    fn add_provided_tests(&self, users: &mut Vec<UsedBy>, view: &FileView, index: SymbolIndex) {
        for test in provided_tests(self.resolver, view, index) {
            let unit = CodeUnit::Symbol(view.symbol_id(test));
            users.push(UsedBy::sure(unit, ReachKind::Provider));
        }
    }

    /// The type whose calls run a constructor that is written as a method, as `__init__` is.
    fn made_by_call(&self, view: &FileView, symbol: SymbolId) -> Option<SymbolId> {
        let constructors = view.semantics.construction.constructors;
        let is_method = view.symbol(symbol.index).kind == SymbolKind::Method;
        if !is_method || !constructors.contains(&view.name_of(symbol.index)) {
            return None;
        }
        match self.resolver.self_type(symbol) {
            Ty::Instance(holder, _) => Some(holder),
            _ => None,
        }
    }

    /// What the language or a library runs on objects of a type: whoever makes one may run it.
    fn by_convention(&self, view: &FileView, symbol: SymbolId) -> Option<UsedBy> {
        let Ty::Instance(holder, _) = self.resolver.self_type(symbol) else {
            return None;
        };
        let declared = view.symbol(symbol.index);
        let is_member = declared.kind.is_callable() || declared.kind == SymbolKind::Property;
        if !is_member || holder == symbol {
            return None;
        }
        let by_name = super::entry_points::is_called_by_name(view, symbol.index);
        let by_library = || super::entry_points::may_override_library(self.resolver, holder);
        let user = UsedBy::likely(CodeUnit::Symbol(holder), ReachKind::Convention);
        (by_name || by_library()).then_some(user)
    }

    /// The tests of the file, or of the files that import it.
    fn of_file(&self, file: FileId) -> Vec<UsedBy> {
        let snapshot = self.resolver.snapshot();
        if is_test_or_docs(snapshot.file(file).path.as_str()) {
            let tests = tests_of_file(self.resolver, file).into_iter();
            return tests
                .map(|test| UsedBy::sure(test, ReachKind::SetUp))
                .collect();
        }
        let mut users = Vec::new();
        for other in self.test_files_naming(file) {
            if !self.resolver.budget.spend() {
                break;
            }
            let Some(view) = self.resolver.view(other) else {
                continue;
            };
            if imports_file(self.resolver, &view, file) {
                users.push(UsedBy::likely(CodeUnit::File(other), ReachKind::Import));
            }
        }
        users
    }

    /// The test files that may import a file, in order: they name it, or something that it declares.
    fn test_files_naming(&self, file: FileId) -> BTreeSet<FileId> {
        let snapshot = self.resolver.snapshot();
        let mut names = spellings(&snapshot.file(file).path);
        if let Some(view) = self.resolver.view(file) {
            let declared = view.children(None);
            names.extend(declared.map(|index| view.name_of(index).to_owned()));
        }
        let is_test = |id: &FileId| is_test_or_docs(self.resolver.path(*id).as_str());
        let mut files = BTreeSet::new();
        for name in names {
            let read = snapshot.corpus().mentioning(&name);
            for content in self.resolver.budget.read(read) {
                files.extend(snapshot.files_of(content).iter().copied().filter(is_test));
            }
        }
        files
    }
}

/// What a fixture's annotation says about it.
struct FixtureOptions<'view> {
    /// Another name than its function's.
    name: Option<&'view str>,
    /// It runs for every test that could ask for it.
    is_automatic: bool,
}

impl<'view> FixtureOptions<'view> {
    fn of(view: &'view FileView, annotation: facts::RecipeId) -> FixtureOptions<'view> {
        let facts: &'view Facts = &view.facts;
        let mut options = FixtureOptions {
            name: None,
            is_automatic: false,
        };
        let Recipe::Call(_, arguments) = facts.recipe(annotation) else {
            return options;
        };
        for argument in facts.list(arguments) {
            let Recipe::Field(key, value) = facts.recipe(*argument) else {
                continue;
            };
            match (facts.name(key), facts.recipe(value)) {
                ("name", Recipe::Str(name)) => options.name = Some(facts.name(name)),
                ("autouse", _) => options.is_automatic = view.is_true(value),
                _ => {}
            }
        }
        options
    }
}

fn imports_file(resolver: &Resolver, view: &FileView, file: FileId) -> bool {
    (0..view.facts.imports.len() as u32).any(|i| {
        resolver
            .import_targets(view, i)
            .iter()
            .any(|found| match found {
                crate::Found::Symbol(symbol) => symbol.file == file,
                crate::Found::Module(crate::Module::File(of) | crate::Module::Tree(of, None)) => {
                    *of == file
                }
                _ => false,
            })
    })
}

/// The units that run what a mention names, or hold it.
pub(crate) fn code_around(
    resolver: &Resolver,
    view: &FileView,
    mention: &Mention,
) -> Vec<CodeUnit> {
    if let Some(caller) = mention.caller {
        return vec![CodeUnit::Symbol(view.symbol_id(caller))];
    }
    around(resolver, view, mention.enclosing, mention.span.start)
}

pub(super) fn around_reference(
    resolver: &Resolver,
    view: &FileView,
    reference: &facts::Reference,
) -> Vec<CodeUnit> {
    let caller = reference
        .enclosing
        .and_then(|enclosing| query::enclosing_callable(view, enclosing));
    match caller {
        Some(caller) => vec![CodeUnit::Symbol(view.symbol_id(caller))],
        None => around(resolver, view, reference.enclosing, reference.span.start),
    }
}

/// The units around a place that is in no callable symbol.
fn around(
    resolver: &Resolver,
    view: &FileView,
    enclosing: Option<SymbolIndex>,
    at: u32,
) -> Vec<CodeUnit> {
    let holder = enclosing.filter(|index| {
        let kind = view.symbol(*index).kind;
        !matches!(kind, SymbolKind::Namespace)
            && (kind != SymbolKind::Module || is_test_or_docs(resolver.path(view.id).as_str()))
    });
    match holder {
        Some(index) => vec![CodeUnit::Symbol(view.symbol_id(index))],
        None => around_scope(resolver, view, view.facts.scope_at(at)),
    }
}

/// The units around a symbol that is declared inside of a function.
fn around_symbol(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> Vec<CodeUnit> {
    let symbol = view.symbol(index);
    let outer = symbol
        .parent
        .and_then(|parent| query::enclosing_callable(view, parent));
    match outer {
        Some(outer) => vec![CodeUnit::Symbol(view.symbol_id(outer))],
        None if symbol.parent.is_some() => Vec::new(),
        None => around_scope(resolver, view, symbol.declared_in),
    }
}
