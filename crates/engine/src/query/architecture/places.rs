//! What rules look at: calls and annotations by name, arguments by position or name, strings as far
//! as they can be told.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    sync::Arc,
};

use facts::{
    Annotation, BindingId, BindingKind, Family, LiteralKind, Recipe, RecipeId, Reference, Role,
    ScopeId, Span, SymbolIndex,
};

use super::{
    Architecture, ArchitectureFact, Certainty, Coverage, is_aside,
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, Found, Resolver, SymbolId, Ty};

pub struct Places<'a> {
    pub resolver: &'a Resolver<'a>,
    found: RefCell<Architecture>,
    framework: Cell<&'static str>,
    /// What example files of the environment say: `.env.example`.
    environment: OnceCell<BTreeMap<String, String>>,
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
        Spot {
            view: &self.view,
            scope: self.reference.scope,
            at: self.reference.span.start,
        }
    }

    pub fn file(&self) -> FileId {
        self.view.id
    }

    pub fn enclosing(&self) -> Option<SymbolId> {
        self.reference.enclosing.map(|index| SymbolId {
            file: self.view.id,
            index,
        })
    }
}

const MAX_DEPTH: u32 = 8;

impl<'a> Places<'a> {
    pub fn new(resolver: &'a Resolver<'a>) -> Places<'a> {
        Places {
            resolver,
            found: RefCell::default(),
            framework: Cell::new(""),
            environment: OnceCell::new(),
        }
    }

    pub fn begin(&self, framework: &Framework) {
        self.framework.set(framework.name);
        self.found
            .borrow_mut()
            .coverage
            .entry(framework.name)
            .or_default()
            .is_seen = !framework.modules.is_empty();
    }

    /// Frameworks that someone imports and that no rule reads.
    pub fn unsupported(&self) -> Vec<(&'static str, Vec<FileId>)> {
        let snapshot = self.resolver.snapshot();
        let mut found: BTreeMap<&'static str, Vec<FileId>> = BTreeMap::new();
        for (id, _) in snapshot.files() {
            if is_aside(snapshot, id) {
                continue;
            }
            let Some(view) = self.resolver.view(id) else {
                continue;
            };
            for known in super::rules::unsupported()
                .iter()
                .filter(|known| known.family == view.semantics.family)
            {
                if view
                    .facts
                    .imports
                    .iter()
                    .any(|import| is_of(view.facts.name(import.module), &known.modules))
                {
                    found.entry(known.name).or_default().push(id);
                }
            }
        }
        found.into_iter().collect()
    }

    pub fn finish(self) -> Architecture {
        self.found.into_inner()
    }

    pub fn add(&self, mut fact: ArchitectureFact) {
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
        if self.is_in_manifest(framework) {
            return true;
        }
        let imports = |view: &FileView| {
            view.facts
                .imports
                .iter()
                .any(|import| is_of(view.facts.name(import.module), &framework.modules))
        };
        self.views(framework.family).any(|view| imports(&view))
    }

    /// Whether a manifest names one of the framework's packages: what is imported for all files is
    /// imported in none.
    fn is_in_manifest(&self, framework: &Framework) -> bool {
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
        let packages: Vec<&str> = framework.words("package").collect();
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

    /// Files of a family, without tests.
    pub fn views(&self, family: Family) -> impl Iterator<Item = Arc<FileView>> + '_ {
        let snapshot = self.resolver.snapshot();
        let ids: Vec<FileId> = snapshot
            .files()
            .filter(|(_, file)| {
                snapshot
                    .corpus()
                    .semantics(file.language)
                    .is_some_and(|semantics| semantics.family == family)
            })
            .map(|(id, _)| id)
            .collect();
        ids.into_iter()
            .filter(move |id| !is_aside(snapshot, *id))
            .filter_map(|id| self.resolver.view(id))
    }

    /// Files in which a name stands.
    pub fn mentioning(&self, family: Family, name: &str) -> Vec<Arc<FileView>> {
        let snapshot = self.resolver.snapshot();
        let mut ids: Vec<FileId> = snapshot
            .corpus()
            .mentioning(name)
            .into_iter()
            .flat_map(|content| snapshot.files_of(content).to_vec())
            .collect();
        ids.sort_unstable();
        let views = ids
            .into_iter()
            .filter(|id| !is_aside(snapshot, *id))
            .filter_map(|id| self.resolver.view(id));
        views
            .filter(|view| view.semantics.family == family)
            .collect()
    }

    pub fn calls(&self, family: Family, name: &str) -> Vec<CallSite> {
        let mut sites = Vec::new();
        for view in self.mentioning(family, name) {
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

    /// Symbols with an annotation of this name: the annotation, its receiver where it is a member,
    /// and its arguments.
    pub fn annotated(
        &self,
        family: Family,
        name: &str,
    ) -> Vec<(Arc<FileView>, Annotation, Option<RecipeId>, Vec<RecipeId>)> {
        let mut found = Vec::new();
        for view in self.mentioning(family, name) {
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

    /// An argument by its place or its name: `0|pattern` is the first, or the one called `pattern`.
    pub fn argument(
        &self,
        view: &FileView,
        arguments: &[RecipeId],
        spec: &str,
    ) -> Option<RecipeId> {
        let positional: Vec<RecipeId> = arguments
            .iter()
            .copied()
            .filter(|argument| !matches!(view.facts.recipe(*argument), Recipe::Field(..)))
            .collect();
        for part in spec.split('|') {
            let found = match part.parse::<usize>() {
                Ok(i) => positional.get(i).copied(),
                Err(_) => {
                    arguments
                        .iter()
                        .find_map(|argument| match view.facts.recipe(*argument) {
                            Recipe::Field(name, value) if view.facts.name(name) == part => {
                                Some(value)
                            }
                            _ => None,
                        })
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A field of an object literal.
    pub fn field(&self, view: &FileView, object: RecipeId, names: &str) -> Option<RecipeId> {
        let Recipe::Object(list) = view.facts.recipe(object) else {
            return None;
        };
        names
            .split('|')
            .find_map(|wanted| self.argument(view, view.facts.list(list), wanted))
    }

    /// The strings that an argument may be: one, or those of a list.
    pub fn strings(&self, spot: Spot<'_>, recipe: RecipeId) -> Vec<Known> {
        match spot.view.facts.recipe(recipe) {
            Recipe::List(list) | Recipe::Tuple(list) => spot
                .view
                .facts
                .list(list)
                .iter()
                .filter_map(|item| self.string(spot, *item))
                .collect(),
            Recipe::New(_, list) => spot
                .view
                .facts
                .list(list)
                .iter()
                .flat_map(|item| self.strings(spot, *item))
                .collect(),
            _ => self.string(spot, recipe).into_iter().collect(),
        }
    }

    pub fn string(&self, spot: Spot<'_>, recipe: RecipeId) -> Option<Known> {
        self.string_at(spot, recipe, 0)
    }

    /// The strings that an argument of a call may be; a template is read from the text, its holes
    /// filled where they are known.
    pub fn texts(&self, site: &CallSite, spec: &str) -> Vec<Known> {
        let Some(recipe) = self.argument(&site.view, &site.arguments, spec) else {
            return Vec::new();
        };
        let found = self.strings(site.spot(), recipe);
        if !found.is_empty()
            || site.view.facts.recipe(recipe) != Recipe::Literal(LiteralKind::Template)
        {
            return found;
        }
        let place = site
            .arguments
            .iter()
            .position(|argument| *argument == recipe);
        let span = place.and_then(|i| self.argument_spans(site).get(i).copied());
        let known = span.and_then(|span| self.template(site, span));
        // Nothing but holes is not understood.
        known
            .filter(|known| known.is_whole || !known.text.trim_matches('/').is_empty())
            .into_iter()
            .collect()
    }

    /// Where the arguments of a call stand.
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

    /// `` `${base}/users` ``, `f"{base}/users"`, `$"{Base}/users"`.
    fn template(&self, site: &CallSite, span: Span) -> Option<Known> {
        let text = self.text(site.view.id)?;
        let written = text.get(span.start as usize..span.end as usize)?;
        let open = written.find(['"', '\'', '`'])?;
        let quote = written[open..].chars().next()?;
        let inner = written[open..].trim_matches(quote);
        let offset = span.start + (written[open..].find(inner)? + open) as u32;
        let mut known = Known {
            text: String::new(),
            is_whole: true,
        };
        let mut rest = 0;
        while let Some(hole) = inner[rest..].find('{').map(|at| at + rest) {
            let literal = inner[rest..hole].trim_end_matches(['$', '#']);
            known.text.push_str(literal);
            // A doubled brace is a brace: `$"/items/{{id}}"`.
            if inner[hole..].starts_with("{{") {
                let close = inner[hole..]
                    .find("}}")
                    .map_or(inner.len(), |at| at + hole + 2);
                known
                    .text
                    .push_str(&inner[hole + 1..close.saturating_sub(1)]);
                rest = close;
                continue;
            }
            let close = inner[hole..].find('}').map(|at| at + hole)?;
            match self.hole(site, &inner[hole + 1..close], offset + close as u32) {
                Some(filled) => {
                    known.text.push_str(&filled.text);
                    known.is_whole &= filled.is_whole;
                }
                None => known.is_whole = false,
            }
            rest = close + 1;
        }
        known.text.push_str(&inner[rest..]);
        Some(known)
    }

    /// The text of a name inside a template that ends at a place.
    fn hole(&self, site: &CallSite, expression: &str, end: u32) -> Option<Known> {
        let name = expression.trim().rsplit(['.', ':']).next()?;
        let id = site.view.facts.names.find(name)?;
        let reference = site
            .view
            .facts
            .references_of(id)
            .iter()
            .find(|reference| reference.span.end == end)?;
        match self
            .resolver
            .resolve(&site.view, reference)
            .targets
            .into_iter()
            .next()
        {
            Some(Found::Symbol(symbol)) => self.symbol_string(symbol, 0),
            Some(Found::Binding(file, binding)) => self.binding_string(file, binding, 0),
            _ => self.environment(name),
        }
    }

    /// What an example of the environment sets a variable to. The one who runs the program may set
    /// another.
    fn environment(&self, name: &str) -> Option<Known> {
        let examples = self.environment.get_or_init(|| {
            let snapshot = self.resolver.snapshot();
            let mut found = BTreeMap::new();
            for (_, file) in snapshot.files() {
                let base = file.path.as_str().rsplit('/').next().unwrap_or("");
                if !(base.starts_with(".env") || base.starts_with("env.") || base.ends_with(".env"))
                {
                    continue;
                }
                let Some(text) = snapshot.corpus().text(file.content) else {
                    continue;
                };
                for (key, value) in text
                    .lines()
                    .filter_map(|line| line.trim().trim_start_matches("export ").split_once('='))
                {
                    found
                        .entry(key.trim().to_owned())
                        .or_insert_with(|| value.trim().trim_matches(['"', '\'']).to_owned());
                }
            }
            found
        });
        examples.get(name).map(|value| Known {
            text: value.clone(),
            is_whole: false,
        })
    }

    /// `options.prefix` where `options` is handed to a plugin: what objects of the program set that
    /// field to, if they agree.
    fn handed_field(
        &self,
        spot: Spot<'_>,
        receiver: RecipeId,
        name: &str,
        depth: u32,
    ) -> Option<Known> {
        if spot.view.semantics.family != Family::JavaScript || depth > 2 {
            return None;
        }
        let Found::Binding(file, id) = self.meaning(spot, receiver)? else {
            return None;
        };
        let view = self.resolver.view(file)?;
        if view.facts.bindings[id.0 as usize].kind != BindingKind::Parameter {
            return None;
        }
        let mut found: Vec<String> = Vec::new();
        for view in self.views(Family::JavaScript) {
            let Some(wanted) = view.facts.names.find(name) else {
                continue;
            };
            for recipe in &view.facts.recipes {
                let Recipe::Field(field, value) = *recipe else {
                    continue;
                };
                let spot = Spot {
                    view: &view,
                    scope: ScopeId::FILE,
                    at: view.facts.lines.text_len(),
                };
                if field == wanted
                    && let Some(known) = self.string_at(spot, value, depth + 4)
                {
                    found.push(known.text);
                }
            }
        }
        found.sort();
        found.dedup();
        match found.as_slice() {
            [only] => Some(Known {
                text: format!("{}/", only.trim_end_matches('/')),
                is_whole: false,
            }),
            _ => None,
        }
    }

    fn string_at(&self, spot: Spot<'_>, recipe: RecipeId, depth: u32) -> Option<Known> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &spot.view.facts;
        match facts.recipe(recipe) {
            Recipe::Str(text) => Some(Known {
                text: facts.name(text).to_owned(),
                is_whole: true,
            }),
            Recipe::Operation(a, b) => {
                let (a, b) = (
                    self.string_at(spot, a, depth + 1),
                    self.string_at(spot, b, depth + 1),
                );
                match (a, b) {
                    (Some(a), Some(b)) => Some(Known {
                        text: format!("{}{}", a.text, b.text),
                        is_whole: a.is_whole && b.is_whole,
                    }),
                    (Some(known), None) | (None, Some(known)) => Some(Known {
                        is_whole: false,
                        ..known
                    }),
                    (None, None) => None,
                }
            }
            Recipe::Either(a, b) => self
                .string_at(spot, a, depth + 1)
                .or_else(|| self.string_at(spot, b, depth + 1)),
            Recipe::Await(inner) | Recipe::Try(inner) | Recipe::Reference(inner) => {
                self.string_at(spot, inner, depth + 1)
            }
            Recipe::Name(_) | Recipe::Member(..) | Recipe::Scoped(..) => {
                let found = match self.meaning(spot, recipe) {
                    Some(Found::Symbol(symbol)) => self.symbol_string(symbol, depth),
                    Some(Found::Binding(file, binding)) => {
                        self.binding_string(file, binding, depth)
                    }
                    _ => None,
                };
                found.or_else(|| {
                    let Recipe::Member(receiver, name) = facts.recipe(recipe) else {
                        return None;
                    };
                    let name = facts.name(name);
                    match is_variable(name) {
                        true => self.environment(name),
                        false => self.handed_field(spot, receiver, name, depth),
                    }
                })
            }
            _ => None,
        }
    }

    fn symbol_string(&self, symbol: SymbolId, depth: u32) -> Option<Known> {
        // A function that gives a text is not that text.
        let (view, declared) = self
            .resolver
            .symbol(symbol)
            .filter(|(_, declared)| !declared.kind.is_callable())?;
        let values = view.facts.values(&declared).to_vec();
        values.iter().find_map(|value| {
            self.string_at(
                Spot {
                    view: &view,
                    scope: value.scope,
                    at: value.at,
                },
                value.recipe,
                depth + 1,
            )
        })
    }

    fn binding_string(&self, file: FileId, binding: BindingId, depth: u32) -> Option<Known> {
        let view = self.resolver.view(file)?;
        let binding = &view.facts.bindings[binding.0 as usize];
        if !binding.value.is_known() {
            return None;
        }
        self.string_at(
            Spot {
                view: &view,
                scope: binding.scope,
                at: binding.from.saturating_sub(1),
            },
            binding.value,
            depth + 1,
        )
    }

    /// What a name or a member stands for.
    pub fn meaning(&self, spot: Spot<'_>, recipe: RecipeId) -> Option<Found> {
        let facts = &spot.view.facts;
        match facts.recipe(recipe) {
            Recipe::Name(name) => self
                .resolver
                .name_at(spot.view, spot.scope, spot.at, facts.name(name))?
                .targets
                .into_iter()
                .next(),
            Recipe::Member(receiver, name) | Recipe::Scoped(receiver, name) => {
                let named = facts
                    .references_of(name)
                    .iter()
                    .filter(|reference| reference.receiver == Some(receiver));
                let nearest =
                    named.min_by_key(|reference| reference.span.start.abs_diff(spot.at))?;
                self.resolver
                    .resolve(spot.view, nearest)
                    .targets
                    .into_iter()
                    .next()
            }
            Recipe::Symbol(index) => Some(Found::Symbol(SymbolId {
                file: spot.view.id,
                index,
            })),
            _ => match self.resolver.eval(spot.view, spot.scope, spot.at, recipe) {
                Ty::Function(symbol, _) => Some(Found::Symbol(symbol)),
                Ty::Module(module) => Some(Found::Module(module)),
                _ => None,
            },
        }
    }

    /// The file that a relative specifier means: `./users` is `users.ts`, `users/index.js`, ….
    pub fn relative_file(&self, view: &FileView, specifier: &str) -> Option<FileId> {
        const ENDINGS: [&str; 13] = [
            "",
            ".ts",
            ".tsx",
            ".js",
            ".jsx",
            ".mjs",
            ".cjs",
            ".mts",
            ".cts",
            "/index.ts",
            "/index.js",
            "/index.tsx",
            "/index.mjs",
        ];
        if !specifier.starts_with('.') {
            return None;
        }
        let snapshot = self.resolver.snapshot();
        let mut parts: Vec<&str> = snapshot
            .file(view.id)
            .path
            .directory()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
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
        let found = ENDINGS
            .iter()
            .find_map(|ending| snapshot.find(&format!("{path}{ending}")));
        // TypeScript writes the name that its output will have.
        found.or_else(|| snapshot.find(&format!("{}.ts", path.strip_suffix(".js")?)))
    }

    /// The handler that an argument names: a function, or the symbol around a function expression.
    pub fn handler(&self, site: &CallSite, recipe: RecipeId) -> Option<SymbolId> {
        match site.view.facts.recipe(recipe) {
            Recipe::Lambda(..) => site.enclosing(),
            Recipe::Call(callee, list) => {
                // A wrapped handler: `asyncHandler(list)`, `controller.list.bind(controller)`.
                let inner = site
                    .view
                    .facts
                    .list(list)
                    .first()
                    .and_then(|inner| self.handler(site, *inner));
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

    pub fn certainty(&self, is_whole: bool, declared: bool) -> Certainty {
        match (is_whole, declared) {
            (false, _) => Certainty::Partial,
            (true, false) => Certainty::Pattern,
            (true, true) => Certainty::Declared,
        }
    }

    /// The files that some call of a rule stands in, each once.
    pub fn sites<'r>(
        &self,
        framework: &'r Framework,
        verb: &'static str,
    ) -> Vec<(&'r Rule, CallSite)> {
        let mut all = Vec::new();
        for rule in framework.of(verb) {
            for name in &rule.words[..1.min(rule.words.len())] {
                all.extend(
                    self.calls(framework.family, name)
                        .into_iter()
                        .map(|site| (rule, site)),
                );
            }
        }
        all
    }
}

/// The manifest of tests, or of someone else.
fn is_aside_manifest(snapshot: &crate::Snapshot, file: FileId) -> bool {
    // The endings of some manifests are those of documents.
    let directory = snapshot.file(file).path.directory().to_owned();
    crate::query::search::is_foreign(&format!("{directory}/x.rs"))
        || directory
            .split('/')
            .any(|part| matches!(part, "test" | "tests" | "fixtures"))
}

/// Written as environment variables are.
fn is_variable(name: &str) -> bool {
    name.len() > 2
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Where the arguments in the parentheses after a place stand.
pub fn argument_spans(text: &str, from: u32) -> Vec<Span> {
    let mut spans = Vec::new();
    let bytes = text.as_bytes();
    let Some(open) = bytes
        .get(from as usize..)
        .and_then(|rest| rest.iter().position(|byte| *byte == b'('))
    else {
        return spans;
    };
    // Between a name and its arguments stand at most type arguments.
    if open > 256 {
        return spans;
    }
    let (mut depth, mut start, mut quote) = (0_i32, from as usize + open + 1, None);
    let mut i = from as usize + open;
    while i < bytes.len() {
        let byte = bytes[i];
        match quote {
            Some(_) if byte == b'\\' => i += 1,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'`' => quote = Some(byte),
                // A lifetime or a character of Rust is no open quote.
                b'\'' if bytes[i + 1..].iter().take(200).any(|next| *next == b'\'') => {
                    quote = Some(byte)
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        push_span(text, start, i, &mut spans);
                        return spans;
                    }
                }
                b',' if depth == 1 => {
                    push_span(text, start, i, &mut spans);
                    start = i + 1;
                }
                _ => {}
            },
        }
        i += 1;
    }
    spans
}

fn push_span(text: &str, start: usize, end: usize, spans: &mut Vec<Span>) {
    let Some(written) = text.get(start..end) else {
        return;
    };
    let begin = start + written.len() - written.trim_start().len();
    if !written.trim().is_empty() {
        spans.push(Span::new(
            begin as u32,
            (start + written.trim_end().len()) as u32,
        ));
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
    wanted.iter().any(|wanted| {
        module == *wanted
            || module
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.starts_with(['.', '/', ':']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stand_between_commas() {
        let text = r#"use("/a, b", f(x, [1, 2]), { c: ")" })"#;
        let written: Vec<&str> = argument_spans(text, 3)
            .iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect();
        assert_eq!(written, [r#""/a, b""#, "f(x, [1, 2])", r#"{ c: ")" }"#]);
        assert!(argument_spans("use", 3).is_empty());
    }
}
