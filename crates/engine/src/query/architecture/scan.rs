//! One pass over a snapshot for one framework: its files, calls and annotations by name, the
//! arguments found there, and the facts read from them.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use facts::{
    Annotation, BindingKind, Recipe, RecipeId, Reference, Role, Span, SymbolIndex, TypeId,
    TypeRecipe,
};

use super::{
    Architecture, ArchitectureFact, Subject,
    frameworks::UNSUPPORTED,
    is_aside,
    rules::{Framework, Slot},
    strings::argument_spans,
};
use crate::{FileId, FileView, Found, Place, Resolver, SymbolId, Ty};

pub struct Scan<'a> {
    pub resolver: &'a Resolver<'a>,
    pub framework: &'static Framework,
    pub findings: &'a Findings,
    /// Only these files are looked into, where they are given.
    only: Option<&'a BTreeSet<FileId>>,
}

/// What the passes for all frameworks have found.
#[derive(Default)]
pub struct Findings {
    architecture: RefCell<Architecture>,
    /// What example files of the environment say: `.env.example`.
    pub environment: OnceCell<BTreeMap<String, String>>,
}

impl Findings {
    pub fn into_architecture(self) -> Architecture {
        self.architecture.into_inner()
    }
}

/// A call and the file it is in.
pub struct CallSite {
    pub view: Arc<FileView>,
    pub reference: Reference,
    pub arguments: Vec<RecipeId>,
}

impl CallSite {
    pub fn place(&self) -> Place<'_> {
        Place::of(&self.view, &self.reference)
    }

    pub fn file(&self) -> FileId {
        self.view.id
    }

    pub fn enclosing(&self) -> Option<SymbolId> {
        self.reference
            .enclosing
            .map(|index| symbol_in(&self.view, index))
    }

    /// What is called, with type arguments.
    pub fn callee(&self) -> Option<RecipeId> {
        match self.view.facts.recipe(self.reference.call?) {
            Recipe::Call(callee, _) => Some(callee),
            _ => None,
        }
    }

    /// `T` of `Configure<T>(...)`.
    pub fn first_type_argument(&self) -> Option<TypeId> {
        match self.view.facts.recipe(self.callee()?) {
            Recipe::TypeArguments(_, types) => self.view.facts.type_list(types).first().copied(),
            _ => None,
        }
    }
}

impl<'a> Scan<'a> {
    pub fn new(
        resolver: &'a Resolver<'a>,
        framework: &'static Framework,
        findings: &'a Findings,
        only: Option<&'a BTreeSet<FileId>>,
    ) -> Scan<'a> {
        Scan {
            resolver,
            framework,
            findings,
            only,
        }
    }

    pub fn begin(&self) {
        let mut found = self.findings.architecture.borrow_mut();
        let coverage = found.coverage.entry(self.framework.name).or_default();
        coverage.is_seen = !self.framework.modules.is_empty();
    }

    pub fn add(&self, mut fact: ArchitectureFact) {
        fact.framework = self.framework.name;
        let mut found = self.findings.architecture.borrow_mut();
        found.coverage.entry(fact.framework).or_default().facts += 1;
        found.facts.push(fact);
    }

    /// Whether a table of this name was found by this framework.
    pub fn has_table(&self, name: &str) -> bool {
        let found = self.findings.architecture.borrow();
        let mut tables = found.facts.iter().filter(|fact| {
            fact.framework == self.framework.name && matches!(fact.subject, Subject::Table { .. })
        });
        tables.any(|fact| fact.name == name)
    }

    pub fn not_understood(&self, file: FileId, span: Span) {
        let mut found = self.findings.architecture.borrow_mut();
        let coverage = found.coverage.entry(self.framework.name).or_default();
        if !coverage.not_understood.contains(&(file, span)) {
            coverage.not_understood.push((file, span));
        }
    }

    /// Whether a manifest or some file's imports name the framework.
    pub fn is_used(&self) -> bool {
        let modules = self.framework.modules;
        modules.is_empty()
            || self.views().any(|view| imports_any(&view, modules))
            || (self.only.is_none() || self.views().next().is_some()) && self.is_in_manifest()
    }

    /// Whether a manifest names one of the framework's packages: what is imported for all files is
    /// imported in none.
    fn is_in_manifest(&self) -> bool {
        const NAMES: &[&str] = &[
            "package.json",
            "composer.json",
            "Gemfile",
            "pyproject.toml",
            "Pipfile",
            "setup.py",
            "go.mod",
            "Cargo.toml",
            "pom.xml",
            "build.gradle",
            "build.gradle.kts",
        ];
        let packages = self.framework.packages;
        if packages.is_empty() {
            return false;
        }
        let snapshot = self.resolver.snapshot();
        snapshot.files().any(|(id, file)| {
            let base = file.path.as_str().rsplit('/').next().unwrap_or("");
            let is_manifest = NAMES.contains(&base)
                || [".csproj", ".fsproj", ".props"]
                    .iter()
                    .any(|ending| base.ends_with(ending))
                || base.starts_with("requirements") && base.ends_with(".txt");
            if !is_manifest || is_aside_manifest(snapshot, id) {
                return false;
            }
            let Some(text) = snapshot.corpus().text(file.content) else {
                return false;
            };
            packages
                .iter()
                .any(|package| match base.ends_with(".json") {
                    true => text.contains(&format!("\"{package}\"")),
                    false => text.contains(package),
                })
        })
    }

    /// Files of the framework's languages, without tests.
    pub fn views(&self) -> impl Iterator<Item = Arc<FileView>> + '_ {
        let (snapshot, family) = (self.resolver.snapshot(), self.framework.family);
        let ids: Vec<FileId> = match self.only {
            Some(only) => only.iter().copied().collect(),
            None => snapshot.files().map(|(id, _)| id).collect(),
        };
        let is_of_family = move |id: &FileId| {
            let language = snapshot.file(*id).language;
            let semantics = snapshot.corpus().semantics(language);
            semantics.is_some_and(|semantics| semantics.family == family)
        };
        ids.into_iter()
            .filter(is_of_family)
            .filter(move |id| !is_aside(snapshot, *id))
            .take_while(|_| self.resolver.budget.spend())
            .filter_map(|id| self.resolver.view(id))
    }

    /// Those of them that mention a name.
    pub fn mentioning(&self, name: &str) -> Vec<Arc<FileView>> {
        if self.only.is_some() {
            let mentions = |view: &Arc<FileView>| view.facts.names.find(name).is_some();
            return self.views().filter(mentions).collect();
        }
        let snapshot = self.resolver.snapshot();
        let contents = self
            .resolver
            .budget
            .read(snapshot.corpus().mentioning(name));
        let mut ids: Vec<FileId> = contents
            .into_iter()
            .flat_map(|content| snapshot.files_of(content).to_vec())
            .collect();
        ids.sort_unstable();
        let views = ids
            .into_iter()
            .filter(|id| !is_aside(snapshot, *id))
            .take_while(|_| self.resolver.budget.spend())
            .filter_map(|id| self.resolver.view(id));
        views
            .filter(|view| view.semantics.family == self.framework.family)
            .collect()
    }

    pub fn calls(&self, name: &str) -> Vec<CallSite> {
        let mut sites = Vec::new();
        for view in self.mentioning(name) {
            let Some(id) = view.facts.names.find(name) else {
                continue;
            };
            for reference in view.facts.references_of(id) {
                let Some(call) = reference.call.filter(|_| {
                    matches!(
                        reference.role,
                        Role::Call | Role::Instantiate | Role::Annotation
                    )
                }) else {
                    continue;
                };
                let arguments = match view.facts.recipe(call) {
                    Recipe::Call(_, list) | Recipe::New(_, list) => view.facts.list(list).to_vec(),
                    _ => continue,
                };
                sites.push(CallSite {
                    view: view.clone(),
                    reference: reference.clone(),
                    arguments,
                });
            }
        }
        sites
    }

    /// The calls of each rule, by the name the rule looks for.
    pub fn sites<'r, R>(
        &self,
        rules: &'r [R],
        name: fn(&R) -> &'static str,
    ) -> Vec<(&'r R, CallSite)> {
        let of_rule = |rule: &'r R| {
            let sites = self.calls(name(rule));
            sites.into_iter().map(move |site| (rule, site))
        };
        rules.iter().flat_map(of_rule).collect()
    }

    /// Symbols with an annotation of this name: the annotation, its receiver where it is a member,
    /// and its arguments.
    pub fn annotated(
        &self,
        name: &str,
    ) -> Vec<(Arc<FileView>, Annotation, Option<RecipeId>, Vec<RecipeId>)> {
        let mut found = Vec::new();
        for view in self.mentioning(name) {
            for annotation in &view.facts.annotations {
                let (callee, arguments) = callee_of(&view, annotation.recipe);
                match view.facts.recipe(callee) {
                    Recipe::Name(own) if view.facts.name(own) == name => {
                        found.push((view.clone(), annotation.clone(), None, arguments))
                    }
                    Recipe::Member(receiver, own) | Recipe::Scoped(receiver, own)
                        if view.facts.name(own) == name =>
                    {
                        found.push((view.clone(), annotation.clone(), Some(receiver), arguments))
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The annotations of one symbol by name.
    pub fn annotations_of(
        &self,
        view: &FileView,
        symbol: SymbolIndex,
        name: &str,
    ) -> Vec<Vec<RecipeId>> {
        let own = view
            .facts
            .annotations
            .iter()
            .filter(|annotation| annotation.symbol == symbol);
        own.filter_map(|annotation| {
            let (callee, arguments) = callee_of(view, annotation.recipe);
            let found = match view.facts.recipe(callee) {
                Recipe::Name(own) | Recipe::Member(_, own) | Recipe::Scoped(_, own) => {
                    view.facts.name(own)
                }
                _ => return None,
            };
            (found == name || found.strip_suffix("Attribute") == Some(name)).then_some(arguments)
        })
        .collect()
    }

    /// The annotations of one symbol by name, as the calls that they are.
    pub fn annotation_sites(
        &self,
        view: &Arc<FileView>,
        symbol: SymbolIndex,
        name: &str,
    ) -> Vec<CallSite> {
        let facts = &view.facts;
        let mut sites = Vec::new();
        for annotation in facts.annotations.iter().filter(|own| own.symbol == symbol) {
            let (callee, arguments) = callee_of(view, annotation.recipe);
            let (Recipe::Name(own) | Recipe::Member(_, own) | Recipe::Scoped(_, own)) =
                facts.recipe(callee)
            else {
                continue;
            };
            let found = facts.name(own);
            if found != name && found.strip_suffix("Attribute") != Some(name) {
                continue;
            }
            let mut references = facts.references_of(own).iter();
            let reference =
                references.find(|reference| annotation.span.contains(reference.span.start));
            if let Some(reference) = reference {
                sites.push(CallSite {
                    view: view.clone(),
                    reference: reference.clone(),
                    arguments,
                });
            }
        }
        sites
    }

    /// The expression that a name stands for, and the file it is in.
    pub fn value_behind(
        &self,
        place: Place<'_>,
        recipe: RecipeId,
    ) -> Option<(Arc<FileView>, RecipeId)> {
        if !matches!(
            place.view.facts.recipe(recipe),
            Recipe::Name(_) | Recipe::Member(..)
        ) {
            return None;
        }
        let (view, value) = match self.meaning(place, recipe)? {
            Found::Symbol(symbol) => {
                let (view, declared) = self.resolver.symbol(symbol)?;
                let value = view.facts.values(&declared).first()?.recipe;
                (view, value)
            }
            Found::Binding(file, id) => {
                let view = self.resolver.view(file)?;
                let value = view.facts.bindings[id.0 as usize].value;
                (view, value)
            }
            _ => return None,
        };
        let is_value = value.is_known() && !matches!(view.facts.recipe(value), Recipe::Element(_));
        is_value.then_some((view, value))
    }

    /// The members of a list, or of the list that a name stands for, and the file they are in.
    pub fn items(
        &self,
        place: Place<'_>,
        recipe: RecipeId,
    ) -> Option<(Arc<FileView>, Vec<RecipeId>)> {
        let view = self.resolver.view(place.view.id)?;
        let (view, list) = match view.facts.recipe(recipe) {
            Recipe::List(list) => (view, list),
            _ => {
                let (view, value) = self.value_behind(place, recipe)?;
                match view.facts.recipe(value) {
                    Recipe::List(list) => (view, list),
                    _ => return None,
                }
            }
        };
        let items = view.facts.list(list).to_vec();
        Some((view, items))
    }

    /// The members of the list that the variable of a loop goes through: `%w[a b].each { |name| }`,
    /// `for (const route of routes)`.
    pub fn looped_items(
        &self,
        place: Place<'_>,
        recipe: RecipeId,
    ) -> Option<(Arc<FileView>, Vec<RecipeId>)> {
        /// Calls that hand each member of a list to a function.
        const EACH: &[&str] = &["each", "forEach", "map"];
        if !matches!(place.view.facts.recipe(recipe), Recipe::Name(_)) {
            return None;
        }
        let Found::Binding(file, id) = self.meaning(place, recipe)? else {
            return None;
        };
        let view = self.resolver.view(file)?;
        let facts = &view.facts;
        let binding = &facts.bindings[id.0 as usize];
        let list = match (binding.kind, facts.recipe(binding.value)) {
            (BindingKind::Parameter, _) => {
                let call = facts.scope(binding.scope).context?.call;
                let Recipe::Call(callee, _) = facts.recipe(call) else {
                    return None;
                };
                let Recipe::Member(list, name) = facts.recipe(callee) else {
                    return None;
                };
                EACH.contains(&facts.name(name)).then_some(list)?
            }
            (_, Recipe::Element(list)) => list,
            _ => return None,
        };
        self.items(Place::of_binding(&view, binding), list)
    }

    pub fn has_annotation(&self, view: &FileView, symbol: SymbolIndex, name: &str) -> bool {
        !self.annotations_of(view, symbol, name).is_empty()
    }

    /// The argument that the first fitting slot finds.
    pub fn argument(
        &self,
        view: &FileView,
        arguments: &[RecipeId],
        slots: &[Slot<'_>],
    ) -> Option<RecipeId> {
        let is_named =
            |argument: &RecipeId| matches!(view.facts.recipe(*argument), Recipe::Field(..));
        slots.iter().find_map(|slot| match slot {
            Slot::At(i) => arguments
                .iter()
                .copied()
                .filter(|argument| !is_named(argument))
                .nth(*i),
            Slot::Named(wanted) => {
                arguments
                    .iter()
                    .find_map(|argument| match view.facts.recipe(*argument) {
                        Recipe::Field(name, value) if view.facts.name(name) == *wanted => {
                            Some(value)
                        }
                        _ => None,
                    })
            }
        })
    }

    pub fn site_argument(&self, site: &CallSite, slots: &[Slot<'_>]) -> Option<RecipeId> {
        self.argument(&site.view, &site.arguments, slots)
    }

    /// A field of an object literal.
    pub fn field(&self, view: &FileView, object: RecipeId, name: &str) -> Option<RecipeId> {
        match view.facts.recipe(object) {
            Recipe::Object(list) => {
                self.argument(view, view.facts.list(list), &[Slot::Named(name)])
            }
            _ => None,
        }
    }

    /// The spans of a call's arguments.
    pub fn argument_spans(&self, site: &CallSite) -> Vec<Span> {
        let Some(text) = self.text(site.view.id) else {
            return Vec::new();
        };
        argument_spans(&text, site.reference.span.end)
    }

    pub fn text(&self, file: FileId) -> Option<Arc<str>> {
        let snapshot = self.resolver.snapshot();
        snapshot.corpus().text(snapshot.file(file).content)
    }

    /// What a name or a member means.
    pub fn meaning(&self, place: Place, recipe: RecipeId) -> Option<Found> {
        let facts = &place.view.facts;
        match facts.recipe(recipe) {
            Recipe::Name(name) => self
                .resolver
                .name_at(place, facts.name(name))?
                .targets
                .into_iter()
                .next(),
            Recipe::Member(receiver, name) | Recipe::Scoped(receiver, name) => {
                let named = facts
                    .references_of(name)
                    .iter()
                    .filter(|reference| reference.receiver == Some(receiver));
                let nearest =
                    named.min_by_key(|reference| reference.span.start.abs_diff(place.at))?;
                self.resolver
                    .resolve(place.view, nearest)
                    .targets
                    .into_iter()
                    .next()
            }
            Recipe::Symbol(index) => Some(Found::Symbol(symbol_in(place.view, index))),
            _ => match self.eval(place, recipe) {
                Ty::Function(symbol, _) => Some(Found::Symbol(symbol)),
                Ty::Module(module) => Some(Found::Module(module)),
                _ => None,
            },
        }
    }

    /// The handler that an argument names: a function, or the symbol around a function expression.
    pub fn handler(&self, site: &CallSite, recipe: RecipeId) -> Option<SymbolId> {
        match site.view.facts.recipe(recipe) {
            Recipe::Lambda(..) => site.enclosing(),
            Recipe::Call(callee, list) => {
                // A wrapped handler: `asyncHandler(list)`, `controller.list.bind(controller)`.
                let inner = site.view.facts.list(list).first();
                inner
                    .and_then(|inner| self.handler(site, *inner))
                    .or_else(|| self.meant_symbol(site.place(), callee))
            }
            _ => self.meant_symbol(site.place(), recipe),
        }
    }

    pub fn meant_symbol(&self, place: Place, recipe: RecipeId) -> Option<SymbolId> {
        match self.meaning(place, recipe)? {
            Found::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The last name of an expression: `Configuration` of `builder.Configuration`.
    pub fn last_name<'f>(&self, view: &'f FileView, recipe: RecipeId) -> Option<&'f str> {
        match view.facts.recipe(recipe) {
            Recipe::Name(name) | Recipe::Member(_, name) | Recipe::Scoped(_, name) => {
                Some(view.facts.name(name))
            }
            Recipe::Try(inner)
            | Recipe::Await(inner)
            | Recipe::Deref(inner)
            | Recipe::Reference(inner) => self.last_name(view, inner),
            Recipe::Call(callee, _) => self.last_name(view, callee),
            Recipe::TypeArguments(callee, _) => self.last_name(view, callee),
            _ => None,
        }
    }

    /// Whether an expression is written as one of these dotted names, or ends in one.
    pub fn is_written(&self, view: &FileView, recipe: RecipeId, names: &[&str]) -> bool {
        let text = crate::text::recipe(&view.facts, recipe);
        names.iter().any(|name| {
            text == *name
                || text
                    .strip_suffix(name)
                    .is_some_and(|before| before.ends_with(['.', ':']))
        })
    }

    pub fn eval(&self, place: Place, recipe: RecipeId) -> Ty {
        self.resolver.eval(place, recipe)
    }

    /// The symbol of this repository that a written type means at a place.
    pub fn type_symbol(&self, view: &FileView, ty: TypeId, near: Span) -> Option<SymbolId> {
        let name = view.facts.names.find(type_name(view, ty)?)?;
        let uses = view.facts.references_of(name).iter();
        let reference = uses.min_by_key(|reference| reference.span.start.abs_diff(near.start))?;
        self.resolver.resolve(view, reference).symbols().next()
    }

    /// Classes, and those of this repository that derive from them.
    pub fn derived(&self, mut classes: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let mut next: Vec<SymbolId> = classes.iter().copied().collect();
        while let Some(class) = next.pop() {
            let name = self.resolver.name(class);
            for view in self.mentioning(&name) {
                for supertype in &view.facts.supertypes {
                    let derived = symbol_in(&view, supertype.symbol);
                    if type_name(&view, supertype.ty) == Some(name.as_str())
                        && !classes.contains(&derived)
                        && self.bases(derived).contains(&class)
                    {
                        classes.insert(derived);
                        next.push(derived);
                    }
                }
            }
        }
        classes
    }

    /// The classes of this repository right above a class.
    pub fn bases(&self, class: SymbolId) -> Vec<SymbolId> {
        let supertypes = self.resolver.supertypes(class);
        supertypes
            .iter()
            .filter_map(|supertype| match &supertype.ty {
                Ty::Instance(of, _) | Ty::Type(of, _) => Some(*of),
                _ => None,
            })
            .collect()
    }
}

/// Frameworks that someone imports and that no rule reads.
pub fn unsupported(resolver: &Resolver) -> Vec<(&'static str, Vec<FileId>)> {
    let snapshot = resolver.snapshot();
    let mut found: BTreeMap<&'static str, Vec<FileId>> = BTreeMap::new();
    for (id, _) in snapshot.files().filter(|(id, _)| !is_aside(snapshot, *id)) {
        let Some(view) = resolver.view(id) else {
            continue;
        };
        for known in UNSUPPORTED
            .iter()
            .filter(|known| known.family == view.semantics.family)
        {
            if imports_any(&view, known.modules) {
                found.entry(known.name).or_default().push(id);
            }
        }
    }
    found.into_iter().collect()
}

pub fn symbol_in(view: &FileView, index: SymbolIndex) -> SymbolId {
    view.symbol_id(index)
}

/// The manifest of tests, or of someone else.
fn is_aside_manifest(snapshot: &crate::Snapshot, file: FileId) -> bool {
    // The endings of some manifests are those of documents.
    let directory = snapshot.file(file).path.directory().to_owned();
    crate::query::search::is_vendored_or_generated(&format!("{directory}/x.rs"))
        || directory
            .split('/')
            .any(|part| matches!(part, "test" | "tests" | "fixtures"))
}

/// What is called and with which arguments; an annotation without arguments is its own callee.
pub fn callee_of(view: &FileView, recipe: RecipeId) -> (RecipeId, Vec<RecipeId>) {
    match view.facts.recipe(recipe) {
        Recipe::Call(callee, list) => (callee, view.facts.list(list).to_vec()),
        _ => (recipe, Vec::new()),
    }
}

fn imports_any(view: &FileView, modules: &[&str]) -> bool {
    let is_of = |module: &str, wanted: &str| {
        module
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
    };
    view.facts.imports.iter().any(|import| {
        let module = view.facts.name(import.module);
        modules.iter().any(|wanted| is_of(module, wanted))
    })
}

/// The name of a type as it is written, without its path and its arguments.
pub fn type_name(view: &FileView, mut ty: TypeId) -> Option<&str> {
    for _ in 0..8 {
        match view.facts.type_recipe(ty) {
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => {
                return Some(view.facts.name(name));
            }
            TypeRecipe::Apply(inner, _)
            | TypeRecipe::Pointer(inner)
            | TypeRecipe::Reference(inner)
            | TypeRecipe::Optional(inner) => ty = inner,
            _ => return None,
        }
    }
    None
}

/// `T` of `HEAD<T>`, also where it may be absent.
pub fn applied(view: &FileView, ty: TypeId, head: &str) -> Option<TypeId> {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Apply(own, list) if type_name(view, own) == Some(head) => {
            view.facts.type_list(list).first().copied()
        }
        TypeRecipe::Optional(inner) => applied(view, inner, head),
        _ => None,
    }
}
