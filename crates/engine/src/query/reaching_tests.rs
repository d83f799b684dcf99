//! Which tests run some code: backwards from the code along everything that leads to it, until a
//! test is met.
//!
//! Calls are followed through dispatch. Besides, what a test runner does by convention counts:
//! set-up functions, fixtures, functions that give arguments, routes that a test requests. The walk
//! takes the cheapest way first, so that the path of each test is its shortest and surest one.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
};

use facts::{BindingKind, Facts, Modifiers, Recipe, Role, ScopeKind, SymbolIndex, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    change::spellings,
    dispatch,
    requests::{is_request_of, requests},
    search::is_test_or_docs,
    test_cases::{
        CodeUnit, annotations, around_scope, is_annotated, is_local, is_set_up, is_test,
        provided_tests, tests_inside, tests_of_file, tests_of_type, texts_in,
    },
};
use crate::{
    Complete, Cut, FileId, FileView, Outcome, RepoPath, Resolver, SymbolId, Ty,
    query::{self, Mention},
};

/// How a unit runs or uses the next one of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReachKind {
    Call,
    /// The language calls it: a loop, an operator, a conversion.
    Implicit,
    /// It reads, writes, passes on or extends it.
    Use,
    /// It has it as an annotation.
    Annotation,
    /// It is written around it.
    Encloses,
    /// The next one runs for every test of a type, group or file.
    SetUp,
    /// A parameter asks for it by name.
    Fixture,
    /// It gives the arguments of a test.
    Provider,
    /// The language or a library calls it on objects of its type.
    Convention,
    /// A request for its route.
    Route,
    /// It imports the file.
    Import,
}

impl ReachKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ReachKind::Call => "calls",
            ReachKind::Implicit => "calls implicitly",
            ReachKind::Use => "uses",
            ReachKind::Annotation => "is annotated with",
            ReachKind::Encloses => "encloses",
            ReachKind::SetUp => "is set up by",
            ReachKind::Fixture => "asks for fixture",
            ReachKind::Provider => "takes arguments from",
            ReachKind::Convention => "may run by convention",
            ReachKind::Route => "requests the route of",
            ReachKind::Import => "imports",
        }
    }

    /// What a step of this kind adds to the length of a path, in tenths of a call.
    fn cost(self, outcome: Outcome) -> u32 {
        let by_kind = match self {
            ReachKind::Encloses => 2,
            ReachKind::SetUp | ReachKind::Fixture | ReachKind::Provider => 6,
            ReachKind::Call | ReachKind::Implicit => 10,
            ReachKind::Use | ReachKind::Annotation => 12,
            ReachKind::Convention => 15,
            ReachKind::Route => 15,
            ReachKind::Import => 50,
        };
        let by_outcome = match outcome {
            Outcome::Static => 0,
            Outcome::Dispatch => 3,
            Outcome::Heuristic => 6,
            Outcome::Ambiguous => 30,
            Outcome::External | Outcome::Unresolved => 50,
        };
        by_kind + by_outcome
    }
}

/// One step of a path: `unit` reaches the unit of the next step, and that of the last step is the
/// code that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestStep {
    pub unit: CodeUnit,
    pub how: ReachKind,
    pub outcome: Outcome,
}

/// A test that runs some code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachingTest {
    pub test: CodeUnit,
    /// From the test on; empty where the test itself was asked about.
    pub path: Vec<TestStep>,
    /// Which of the units asked about it reaches.
    pub target: CodeUnit,
    /// The least sure step.
    pub outcome: Outcome,
    /// The length of the path in tenths of a call. Less sure steps count more, and so do places under
    /// conditions.
    pub cost: u32,
}

/// Units that one question looks at.
const MAX_UNITS: usize = 20_000;

/// A route and the symbol that answers it.
pub type RouteHandlers = Vec<(SymbolId, String)>;

/// The tests that run one of some units, the surest and nearest first. `routes` is asked for only
/// where nothing calls a symbol, which is how handlers look.
pub fn reaching_tests(
    resolver: &Resolver,
    targets: &[CodeUnit],
    routes: &dyn Fn() -> RouteHandlers,
) -> Complete<Vec<ReachingTest>> {
    let mut walk = TestWalk::new(resolver, routes);
    for target in targets {
        for unit in with_parts(resolver, *target) {
            walk.reach(unit, 0, None);
        }
    }
    walk.run();
    let mut tests: Vec<ReachingTest> = walk.tests.iter().map(|test| walk.path_of(*test)).collect();
    let mut makers = Makers::new(resolver, routes);
    tests.retain(|found| makers.may_run(found));
    tests.sort_by_key(|found| (class(found.outcome), found.cost, found.test));
    let cut = walk.is_limited.then_some(Cut::Limit);
    let mut found = resolver.budget.finish(tests);
    found.cut = found.cut.or(cut);
    found
}

/// Which tests make objects of a type: a method of objects runs in no other.
struct Makers<'a> {
    resolver: &'a Resolver<'a>,
    routes: &'a dyn Fn() -> RouteHandlers,
    /// By type; nothing where no place was found that makes one.
    known: FxHashMap<SymbolId, Option<FxHashSet<CodeUnit>>>,
}

impl<'a> Makers<'a> {
    fn new(resolver: &'a Resolver<'a>, routes: &'a dyn Fn() -> RouteHandlers) -> Makers<'a> {
        Makers {
            resolver,
            routes,
            known: FxHashMap::default(),
        }
    }

    /// Whether the test also makes what the method asked about is called on.
    fn may_run(&mut self, found: &ReachingTest) -> bool {
        if found.path.is_empty() {
            return true;
        }
        let Some(holder) = found
            .target
            .symbol()
            .and_then(|symbol| self.holder_of(symbol))
        else {
            return true;
        };
        if !self.known.contains_key(&holder) {
            let tests = self.tests_that_make(holder);
            self.known.insert(holder, tests);
        }
        let tests = self.known.get(&holder).and_then(Option::as_ref);
        tests.is_none_or(|tests| tests.contains(&found.test))
    }

    /// The type whose objects a method is called on.
    fn holder_of(&self, symbol: SymbolId) -> Option<SymbolId> {
        let (_, declared) = self.resolver.symbol(symbol)?;
        let is_of_type = [
            Modifiers::STATIC,
            Modifiers::CLASS_METHOD,
            Modifiers::EXTENSION,
        ];
        let is_method = matches!(declared.kind, SymbolKind::Method | SymbolKind::Property)
            && !is_of_type
                .iter()
                .any(|modifier| declared.modifiers.contains(*modifier));
        match self.resolver.self_type(symbol) {
            Ty::Instance(holder, _) if is_method && holder != symbol => Some(holder),
            _ => None,
        }
    }

    fn tests_that_make(&self, holder: SymbolId) -> Option<FxHashSet<CodeUnit>> {
        let is_class = matches!(
            self.resolver.kind(holder),
            Some(
                SymbolKind::Class | SymbolKind::Struct | SymbolKind::Record | SymbolKind::TypeAlias
            )
        );
        if !is_class {
            return None;
        }
        let mut walk = TestWalk::new(self.resolver, self.routes);
        // What only a type's own methods do makes none where there was none before.
        walk.without = Some(holder);
        for constructor in query::called_as(self.resolver, holder) {
            walk.reach(CodeUnit::Symbol(constructor), 0, None);
        }
        walk.run();
        (!walk.is_limited && !walk.tests.is_empty()).then(|| walk.tests.into_iter().collect())
    }
}

/// Sure, likely, possible: what ranks before length.
fn class(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Static | Outcome::Dispatch => 0,
        Outcome::Heuristic => 1,
        Outcome::Ambiguous | Outcome::External | Outcome::Unresolved => 2,
    }
}

/// A unit with what is inside of it: the members of a type, the other declarations of a function.
fn with_parts(resolver: &Resolver, unit: CodeUnit) -> Vec<CodeUnit> {
    let CodeUnit::Symbol(symbol) = unit else {
        return vec![unit];
    };
    let mut all = query::same_symbol(resolver, symbol);
    let is_container =
        |symbol: &SymbolId| resolver.kind(*symbol).is_some_and(SymbolKind::is_container);
    let mut i = 0;
    while let Some(of) = all.get(i).copied() {
        i += 1;
        if is_container(&of) {
            let members = query::children(resolver, of);
            for member in members {
                if !all.contains(&member) {
                    all.push(member);
                }
            }
        }
    }
    all.into_iter().map(CodeUnit::Symbol).collect()
}

/// A unit that runs or uses another.
struct UsedBy {
    unit: CodeUnit,
    how: ReachKind,
    outcome: Outcome,
    /// How many conditions the place is under: not every run of the unit gets there.
    n_branches: u32,
}

impl UsedBy {
    fn sure(unit: CodeUnit, how: ReachKind) -> UsedBy {
        UsedBy {
            unit,
            how,
            outcome: Outcome::Static,
            n_branches: 0,
        }
    }

    fn likely(unit: CodeUnit, how: ReachKind) -> UsedBy {
        UsedBy {
            outcome: Outcome::Heuristic,
            ..UsedBy::sure(unit, how)
        }
    }

    /// In tenths of a call.
    fn cost(&self) -> u32 {
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

/// How the cheapest way on from a unit goes.
#[derive(Clone, Copy)]
struct Way {
    cost: u32,
    /// The next unit, nothing for what was asked about.
    towards: Option<(CodeUnit, ReachKind, Outcome)>,
}

struct TestWalk<'a> {
    resolver: &'a Resolver<'a>,
    routes: &'a dyn Fn() -> RouteHandlers,
    handlers: Option<FxHashMap<SymbolId, Vec<String>>>,
    requests: Option<Vec<(CodeUnit, String, u32)>>,
    reached: FxHashMap<CodeUnit, Way>,
    /// Cheapest first, then in the order met.
    open: BinaryHeap<Reverse<(u32, usize, CodeUnit)>>,
    n_queued: usize,
    tests: Vec<CodeUnit>,
    is_limited: bool,
    /// The methods of this type are not followed.
    without: Option<SymbolId>,
}

impl<'a> TestWalk<'a> {
    fn new(resolver: &'a Resolver<'a>, routes: &'a dyn Fn() -> RouteHandlers) -> TestWalk<'a> {
        TestWalk {
            resolver,
            routes,
            handlers: None,
            requests: None,
            reached: FxHashMap::default(),
            open: BinaryHeap::new(),
            n_queued: 0,
            tests: Vec::new(),
            is_limited: false,
            without: None,
        }
    }

    fn reach(
        &mut self,
        unit: CodeUnit,
        cost: u32,
        towards: Option<(CodeUnit, ReachKind, Outcome)>,
    ) {
        let known = self.reached.get(&unit);
        if known.is_some_and(|known| known.cost <= cost) {
            return;
        }
        if known.is_none() && self.reached.len() >= MAX_UNITS {
            self.is_limited = true;
            return;
        }
        self.reached.insert(unit, Way { cost, towards });
        self.n_queued += 1;
        self.open.push(Reverse((cost, self.n_queued, unit)));
    }

    fn run(&mut self) {
        let mut done: FxHashSet<CodeUnit> = FxHashSet::default();
        while let Some(Reverse((cost, _, unit))) = self.open.pop() {
            if !done.insert(unit) {
                continue;
            }
            if !self.resolver.budget.spend() {
                return;
            }
            if self.is_test(unit) {
                self.tests.push(unit);
                continue;
            }
            let is_target = self
                .reached
                .get(&unit)
                .is_some_and(|way| way.towards.is_none());
            for user in self.users(unit, is_target) {
                let way = Some((unit, user.how, user.outcome));
                self.reach(user.unit, cost + user.cost(), way);
            }
        }
    }

    fn is_test(&self, unit: CodeUnit) -> bool {
        match unit {
            CodeUnit::Symbol(symbol) => query::is_test_case(self.resolver, symbol),
            CodeUnit::Block(..) => true,
            CodeUnit::File(_) => false,
        }
    }

    fn path_of(&self, test: CodeUnit) -> ReachingTest {
        let mut path = Vec::new();
        let mut outcome = Outcome::Static;
        let mut unit = test;
        while let Some((next, how, sure)) = self.reached.get(&unit).and_then(|way| way.towards) {
            path.push(TestStep {
                unit,
                how,
                outcome: sure,
            });
            outcome = outcome.max(sure);
            unit = next;
        }
        ReachingTest {
            test,
            path,
            target: unit,
            outcome,
            cost: self.reached.get(&test).map_or(0, |way| way.cost),
        }
    }

    /// The units that run or use a unit directly.
    fn users(&mut self, unit: CodeUnit, is_target: bool) -> Vec<UsedBy> {
        match unit {
            CodeUnit::Symbol(symbol) => self.users_of_symbol(symbol, is_target),
            CodeUnit::File(file) => self.users_of_file(file),
            CodeUnit::Block(..) => Vec::new(),
        }
    }

    fn users_of_symbol(&mut self, symbol: SymbolId, is_target: bool) -> Vec<UsedBy> {
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
        if users.is_empty() {
            users.extend(self.requests_of(symbol));
        }
        users
    }

    /// The units around a place where the language runs something by itself.
    fn implicit_user(&self, call: query::ImplicitCall) -> Vec<UsedBy> {
        let Some(view) = self.resolver.view(call.site.file) else {
            return Vec::new();
        };
        let at = call.site.span.start;
        let mut units = match call.symbol {
            Some(caller) => vec![CodeUnit::Symbol(caller)],
            None => around_scope(self.resolver, &view, view.facts.scope_at(at)),
        };
        if let Some(without) = self.without {
            units.retain(|unit| !self.is_method_of(*unit, without));
        }
        let n_branches = n_branches(&view, at);
        let units = units.into_iter();
        units
            .map(|unit| UsedBy {
                unit,
                how: ReachKind::Implicit,
                outcome: call.outcome,
                n_branches,
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
        let mut units = code_around(self.resolver, &view, mention);
        if let Some(without) = self.without {
            units.retain(|unit| !self.is_method_of(*unit, without));
        }
        let n_branches = n_branches(&view, mention.span.start);
        users.extend(units.into_iter().map(|unit| UsedBy {
            unit,
            how,
            outcome: mention.outcome,
            n_branches,
        }));
    }

    /// Whether a unit is a method that needs an object of a type to run.
    fn is_method_of(&self, unit: CodeUnit, ty: SymbolId) -> bool {
        let holder = unit.symbol().map(|symbol| {
            let is_method = self.resolver.kind(symbol) == Some(SymbolKind::Method);
            (is_method, self.resolver.self_type(symbol))
        });
        matches!(holder, Some((true, Ty::Instance(holder, _))) if holder == ty)
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

    /// The tests that request a route of a handler.
    fn requests_of(&mut self, symbol: SymbolId) -> Vec<UsedBy> {
        let routes = self.routes;
        let handlers = self.handlers.get_or_insert_with(|| {
            let mut handlers: FxHashMap<SymbolId, Vec<String>> = FxHashMap::default();
            for (symbol, path) in routes() {
                handlers.entry(symbol).or_default().push(path);
            }
            handlers
        });
        let Some(paths) = handlers.get(&symbol) else {
            return Vec::new();
        };
        let requests = self.requests.get_or_insert_with(|| requests(self.resolver));
        let mut found: BTreeMap<CodeUnit, ()> = BTreeMap::new();
        for (unit, text, _) in requests.iter() {
            if paths.iter().any(|path| is_request_of(text, path)) {
                found.insert(*unit, ());
            }
        }
        found
            .into_keys()
            .map(|unit| UsedBy::likely(unit, ReachKind::Route))
            .collect()
    }

    /// The tests of the file, or of the files that import it.
    fn users_of_file(&self, file: FileId) -> Vec<UsedBy> {
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
