//! What rules look at: calls and annotations by name, arguments by position or name, strings as far as they can be told.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use facts::{Annotation, BindingId, Family, Recipe, RecipeId, Reference, Role, ScopeId, Span, SymbolIndex};

use super::{
    Certainty, Coverage, SurfaceFact, Surfaces, is_aside,
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, Found, Resolver, SymbolId, Ty};

pub struct Places<'a> {
    pub resolver: &'a Resolver<'a>,
    found: RefCell<Surfaces>,
    framework: Cell<&'static str>,
}

/// A call with the file it stands in.
pub struct CallSite {
    pub view: Arc<FileView>,
    pub reference: Reference,
    pub arguments: Vec<RecipeId>,
}

/// Where a recipe is read.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    pub view: &'a FileView,
    pub scope: ScopeId,
    pub at: u32,
}

/// A text, and whether all of it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub text: String,
    pub is_whole: bool,
}

impl CallSite {
    pub fn spot(&self) -> Spot<'_> {
        Spot { view: &self.view, scope: self.reference.scope, at: self.reference.span.start }
    }

    pub fn file(&self) -> FileId {
        self.view.id
    }

    pub fn enclosing(&self) -> Option<SymbolId> {
        self.reference.enclosing.map(|index| SymbolId { file: self.view.id, index })
    }
}

const MAX_DEPTH: u32 = 8;

impl<'a> Places<'a> {
    pub fn new(resolver: &'a Resolver<'a>) -> Places<'a> {
        Places { resolver, found: RefCell::default(), framework: Cell::new("") }
    }

    pub fn begin(&self, framework: &Framework) {
        self.framework.set(framework.name);
        self.found.borrow_mut().coverage.entry(framework.name).or_default();
    }

    pub fn finish(self) -> Surfaces {
        self.found.into_inner()
    }

    pub fn add(&self, mut fact: SurfaceFact) {
        fact.framework = self.framework.get();
        let mut found = self.found.borrow_mut();
        found.coverage.entry(fact.framework).or_default().facts += 1;
        found.facts.push(fact);
    }

    pub fn not_understood(&self, file: FileId, span: Span) {
        let mut found = self.found.borrow_mut();
        let coverage: &mut Coverage = found.coverage.entry(self.framework.get()).or_default();
        if !coverage.not_understood.contains(&(file, span)) {
            coverage.not_understood.push((file, span));
        }
    }

    /// Whether some file imports one of the framework's modules.
    pub fn is_used(&self, framework: &Framework) -> bool {
        if framework.modules.is_empty() {
            return true;
        }
        let imports = |view: &FileView| view.facts.imports.iter().any(|import| is_of(view.facts.name(import.module), &framework.modules));
        self.views(framework.family).any(|view| imports(&view))
    }

    /// Files of a family, without tests.
    pub fn views(&self, family: Family) -> impl Iterator<Item = Arc<FileView>> + '_ {
        let snapshot = self.resolver.snapshot();
        let ids: Vec<FileId> = snapshot
            .files()
            .filter(|(_, file)| snapshot.corpus().semantics(file.language).is_some_and(|semantics| semantics.family == family))
            .map(|(id, _)| id)
            .collect();
        ids.into_iter().filter(move |id| !is_aside(snapshot, *id)).filter_map(|id| self.resolver.view(id))
    }

    /// Files in which a name stands.
    pub fn mentioning(&self, family: Family, name: &str) -> Vec<Arc<FileView>> {
        let snapshot = self.resolver.snapshot();
        let mut ids: Vec<FileId> =
            snapshot.corpus().mentioning(name).into_iter().flat_map(|content| snapshot.files_of(content).to_vec()).collect();
        ids.sort_unstable();
        let views = ids.into_iter().filter(|id| !is_aside(snapshot, *id)).filter_map(|id| self.resolver.view(id));
        views.filter(|view| view.semantics.family == family).collect()
    }

    pub fn calls(&self, family: Family, name: &str) -> Vec<CallSite> {
        let mut sites = Vec::new();
        for view in self.mentioning(family, name) {
            let Some(id) = view.facts.names.find(name) else { continue };
            for reference in view.facts.references_of(id) {
                let Some(call) = reference.call.filter(|_| matches!(reference.role, Role::Call | Role::Instantiate | Role::Annotation))
                else {
                    continue;
                };
                let arguments = match view.facts.recipe(call) {
                    Recipe::Call(_, list) | Recipe::New(_, list) => view.facts.list(list).to_vec(),
                    _ => continue,
                };
                sites.push(CallSite { view: view.clone(), reference: reference.clone(), arguments });
            }
        }
        sites
    }

    /// Symbols with an annotation of this name: the annotation, its receiver where it is a member, and its arguments.
    pub fn annotated(&self, family: Family, name: &str) -> Vec<(Arc<FileView>, Annotation, Option<RecipeId>, Vec<RecipeId>)> {
        let mut found = Vec::new();
        for view in self.mentioning(family, name) {
            for annotation in &view.facts.annotations {
                let (callee, arguments) = callee_of(&view, annotation.recipe);
                match view.facts.recipe(callee) {
                    Recipe::Name(own) if view.facts.name(own) == name => found.push((view.clone(), annotation.clone(), None, arguments)),
                    Recipe::Member(receiver, own) | Recipe::Scoped(receiver, own) if view.facts.name(own) == name => {
                        found.push((view.clone(), annotation.clone(), Some(receiver), arguments))
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The annotations of one symbol by name.
    pub fn annotations_of(&self, view: &FileView, symbol: SymbolIndex, name: &str) -> Vec<Vec<RecipeId>> {
        let own = view.facts.annotations.iter().filter(|annotation| annotation.symbol == symbol);
        own.filter_map(|annotation| {
            let (callee, arguments) = callee_of(view, annotation.recipe);
            let found = match view.facts.recipe(callee) {
                Recipe::Name(own) | Recipe::Member(_, own) | Recipe::Scoped(_, own) => view.facts.name(own),
                _ => return None,
            };
            (found == name || found.strip_suffix("Attribute") == Some(name)).then_some(arguments)
        })
        .collect()
    }

    /// An argument by its place or its name: `0|pattern` is the first, or the one called `pattern`.
    pub fn argument(&self, view: &FileView, arguments: &[RecipeId], spec: &str) -> Option<RecipeId> {
        let positional: Vec<RecipeId> =
            arguments.iter().copied().filter(|argument| !matches!(view.facts.recipe(*argument), Recipe::Field(..))).collect();
        for part in spec.split('|') {
            let found = match part.parse::<usize>() {
                Ok(i) => positional.get(i).copied(),
                Err(_) => arguments.iter().find_map(|argument| match view.facts.recipe(*argument) {
                    Recipe::Field(name, value) if view.facts.name(name) == part => Some(value),
                    _ => None,
                }),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A field of an object literal.
    pub fn field(&self, view: &FileView, object: RecipeId, names: &str) -> Option<RecipeId> {
        let Recipe::Object(list) = view.facts.recipe(object) else { return None };
        names.split('|').find_map(|wanted| self.argument(view, view.facts.list(list), wanted))
    }

    /// The strings that an argument may be: one, or those of a list.
    pub fn strings(&self, spot: Spot<'_>, recipe: RecipeId) -> Vec<Known> {
        match spot.view.facts.recipe(recipe) {
            Recipe::List(list) | Recipe::Tuple(list) => {
                spot.view.facts.list(list).iter().filter_map(|item| self.string(spot, *item)).collect()
            }
            Recipe::New(_, list) => spot.view.facts.list(list).iter().flat_map(|item| self.strings(spot, *item)).collect(),
            _ => self.string(spot, recipe).into_iter().collect(),
        }
    }

    pub fn string(&self, spot: Spot<'_>, recipe: RecipeId) -> Option<Known> {
        self.string_at(spot, recipe, 0)
    }

    fn string_at(&self, spot: Spot<'_>, recipe: RecipeId, depth: u32) -> Option<Known> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &spot.view.facts;
        match facts.recipe(recipe) {
            Recipe::Str(text) => Some(Known { text: facts.name(text).to_owned(), is_whole: true }),
            Recipe::Operation(a, b) => {
                let (a, b) = (self.string_at(spot, a, depth + 1), self.string_at(spot, b, depth + 1));
                match (a, b) {
                    (Some(a), Some(b)) => Some(Known { text: format!("{}{}", a.text, b.text), is_whole: a.is_whole && b.is_whole }),
                    (Some(known), None) | (None, Some(known)) => Some(Known { is_whole: false, ..known }),
                    (None, None) => None,
                }
            }
            Recipe::Either(a, b) => self.string_at(spot, a, depth + 1).or_else(|| self.string_at(spot, b, depth + 1)),
            Recipe::Await(inner) | Recipe::Try(inner) | Recipe::Reference(inner) => self.string_at(spot, inner, depth + 1),
            Recipe::Name(_) | Recipe::Member(..) | Recipe::Scoped(..) => match self.meaning(spot, recipe)? {
                Found::Symbol(symbol) => self.symbol_string(symbol, depth),
                Found::Binding(file, binding) => self.binding_string(file, binding, depth),
                _ => None,
            },
            _ => None,
        }
    }

    fn symbol_string(&self, symbol: SymbolId, depth: u32) -> Option<Known> {
        let (view, declared) = self.resolver.symbol(symbol)?;
        let values = view.facts.values(&declared).to_vec();
        values.iter().find_map(|value| self.string_at(Spot { view: &view, scope: value.scope, at: value.at }, value.recipe, depth + 1))
    }

    fn binding_string(&self, file: FileId, binding: BindingId, depth: u32) -> Option<Known> {
        let view = self.resolver.view(file)?;
        let binding = &view.facts.bindings[binding.0 as usize];
        if !binding.value.is_known() {
            return None;
        }
        self.string_at(Spot { view: &view, scope: binding.scope, at: binding.from.saturating_sub(1) }, binding.value, depth + 1)
    }

    /// What a name or a member stands for.
    pub fn meaning(&self, spot: Spot<'_>, recipe: RecipeId) -> Option<Found> {
        let facts = &spot.view.facts;
        match facts.recipe(recipe) {
            Recipe::Name(name) => self.resolver.name_at(spot.view, spot.scope, spot.at, facts.name(name))?.targets.into_iter().next(),
            Recipe::Member(receiver, name) | Recipe::Scoped(receiver, name) => {
                let named = facts.references_of(name).iter().filter(|reference| reference.receiver == Some(receiver));
                let nearest = named.min_by_key(|reference| reference.span.start.abs_diff(spot.at))?;
                self.resolver.resolve(spot.view, nearest).targets.into_iter().next()
            }
            Recipe::Symbol(index) => Some(Found::Symbol(SymbolId { file: spot.view.id, index })),
            _ => match self.resolver.eval(spot.view, spot.scope, spot.at, recipe) {
                Ty::Function(symbol, _) => Some(Found::Symbol(symbol)),
                Ty::Module(module) => Some(Found::Module(module)),
                _ => None,
            },
        }
    }

    /// The file that a relative specifier means: `./users` is `users.ts`, `users/index.js`, ….
    pub fn relative_file(&self, view: &FileView, specifier: &str) -> Option<FileId> {
        const ENDINGS: [&str; 13] =
            ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", "/index.ts", "/index.js", "/index.tsx", "/index.mjs"];
        if !specifier.starts_with('.') {
            return None;
        }
        let snapshot = self.resolver.snapshot();
        let mut parts: Vec<&str> = snapshot.file(view.id).path.directory().split('/').filter(|part| !part.is_empty()).collect();
        for part in specifier.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let found = ENDINGS.iter().find_map(|ending| snapshot.find(&format!("{path}{ending}")));
        // TypeScript writes the name that its output will have.
        found.or_else(|| snapshot.find(&format!("{}.ts", path.strip_suffix(".js")?)))
    }

    /// The handler that an argument names: a function, or the symbol around a function expression.
    pub fn handler(&self, site: &CallSite, recipe: RecipeId) -> Option<SymbolId> {
        match site.view.facts.recipe(recipe) {
            Recipe::Lambda(..) => site.enclosing(),
            Recipe::Call(callee, list) => {
                // A wrapped handler: `asyncHandler(list)`, `controller.list.bind(controller)`.
                let inner = site.view.facts.list(list).first().and_then(|inner| self.handler(site, *inner));
                inner.or_else(|| match self.meaning(site.spot(), callee)? {
                    Found::Symbol(symbol) => Some(symbol),
                    _ => None,
                })
            }
            _ => match self.meaning(site.spot(), recipe)? {
                Found::Symbol(symbol) => Some(symbol),
                _ => None,
            },
        }
    }

    /// The last name of an expression: `Configuration` of `builder.Configuration`.
    pub fn last_name<'f>(&self, view: &'f FileView, recipe: RecipeId) -> Option<&'f str> {
        match view.facts.recipe(recipe) {
            Recipe::Name(name) | Recipe::Member(_, name) | Recipe::Scoped(_, name) => Some(view.facts.name(name)),
            Recipe::Try(inner) | Recipe::Await(inner) | Recipe::Deref(inner) | Recipe::Reference(inner) => self.last_name(view, inner),
            Recipe::Call(callee, _) => self.last_name(view, callee),
            Recipe::TypeArguments(callee, _) => self.last_name(view, callee),
            _ => None,
        }
    }

    /// Whether an expression is written as one of these dotted names, or ends in one.
    pub fn is_written(&self, view: &FileView, recipe: RecipeId, names: &[&str]) -> bool {
        let text = crate::text::recipe(&view.facts, recipe);
        names.iter().any(|name| text == *name || text.strip_suffix(name).is_some_and(|before| before.ends_with(['.', ':'])))
    }

    pub fn certainty(&self, is_whole: bool, declared: bool) -> Certainty {
        match (is_whole, declared) {
            (false, _) => Certainty::Partial,
            (true, false) => Certainty::Pattern,
            (true, true) => Certainty::Declared,
        }
    }

    /// The files that some call of a rule stands in, each once.
    pub fn sites<'r>(&self, framework: &'r Framework, verb: &'static str) -> Vec<(&'r Rule, CallSite)> {
        let mut all = Vec::new();
        for rule in framework.of(verb) {
            for name in &rule.words[..1.min(rule.words.len())] {
                all.extend(self.calls(framework.family, name).into_iter().map(|site| (rule, site)));
            }
        }
        all
    }
}

/// What is called and with which arguments; an annotation without arguments is its own callee.
pub fn callee_of(view: &FileView, recipe: RecipeId) -> (RecipeId, Vec<RecipeId>) {
    match view.facts.recipe(recipe) {
        Recipe::Call(callee, list) => (callee, view.facts.list(list).to_vec()),
        _ => (recipe, Vec::new()),
    }
}

fn is_of(module: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| module == *wanted || module.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['.', '/', ':'])))
}
