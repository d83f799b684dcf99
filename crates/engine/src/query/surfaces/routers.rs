//! Routes that hang on objects: `router.get("/x", handler)`, `@bp.route("/x")`, `app.MapGroup("/x").MapGet(...)`.
//!
//! A route is rarely whole in one place. The object it hangs on is followed to where it was made, to what it is mounted on and with which prefix,
//! and, where it is a parameter, to the calls that hand it in.

use std::{cell::RefCell, collections::BTreeMap};

use facts::{BindingId, BindingKind, Family, ImportKind, Recipe, RecipeId, Role, ScopeId, ScopeKind, Span};

use super::{
    SurfaceFact, SurfaceKind, joined,
    places::{CallSite, Known, Places, Spot},
    rules::{Framework, Rule},
};
use crate::{FileId, Found, Module, SymbolId, query};

pub fn read(places: &Places<'_>, framework: &Framework) {
    if ["route", "decorator", "route-object"].iter().all(|verb| framework.of(verb).next().is_none()) {
        return;
    }
    let routers = Routers { places, framework, groups: RefCell::default(), mounts: RefCell::default() };
    routers.read_mounts();
    routers.read_calls();
    routers.read_objects();
    routers.read_decorators();
}

/// An object that routes hang on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Router {
    Symbol(SymbolId),
    Binding(FileId, BindingId),
    /// A parameter of a function.
    Parameter(SymbolId, u16),
    /// A parameter of a function expression.
    LambdaParameter(FileId, ScopeId),
    /// What a file exports by default.
    Export(FileId),
    /// Made by a call that adds a prefix.
    Group(FileId, RecipeId),
    Made(FileId, RecipeId),
}

struct Mount {
    parent: Option<Router>,
    prefix: String,
    is_whole: bool,
}

struct Routers<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
    groups: RefCell<BTreeMap<(FileId, RecipeId), (Option<Router>, String)>>,
    mounts: RefCell<BTreeMap<Router, Vec<Mount>>>,
}

/// Mounts on mounts on mounts.
const MAX_DEPTH: u32 = 10;

impl Routers<'_> {
    fn family(&self) -> Family {
        self.framework.family
    }

    fn read_mounts(&self) {
        for (rule, site) in self.places.sites(self.framework, "mount") {
            let Some(receiver) = site.reference.receiver else { continue };
            let parent = self.router(site.spot(), receiver, 0);
            let view = &site.view;
            let named = rule.option("prefix").and_then(|spec| self.places.argument(view, &site.arguments, spec));
            let field = rule
                .option("prefix-field")
                .and_then(|spec| spec.split_once(':'))
                .and_then(|(place, name)| self.places.field(view, self.places.argument(view, &site.arguments, place)?, name));
            let prefixes = named.or(field).map(|recipe| self.places.strings(site.spot(), recipe)).filter(|known| !known.is_empty());
            let objects: Vec<RecipeId> = match rule.option("object") {
                Some(spec) => self.places.argument(view, &site.arguments, spec).into_iter().collect(),
                None => site.arguments.clone(),
            };
            for object in objects {
                let child = match view.facts.recipe(object) {
                    Recipe::Lambda(scope, _) => Some(Router::LambdaParameter(view.id, scope)),
                    Recipe::Str(_) => None,
                    _ => self.router(site.spot(), object, 0),
                };
                let Some(child) = child else { continue };
                for known in prefixes.clone().unwrap_or_else(|| vec![Known { text: String::new(), is_whole: true }]) {
                    let mount = Mount { parent: parent.clone(), prefix: known.text, is_whole: known.is_whole };
                    self.mounts.borrow_mut().entry(child.clone()).or_default().push(mount);
                }
            }
        }
        for (rule, site) in self.places.sites(self.framework, "group-callback") {
            let (Some(receiver), Some(spec)) = (site.reference.receiver, rule.option("function")) else { continue };
            let Some(function) = self.places.argument(&site.view, &site.arguments, spec) else { continue };
            let Recipe::Lambda(scope, _) = site.view.facts.recipe(function) else { continue };
            let prefix = rule
                .option("prefix")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
                .and_then(|recipe| self.places.string(site.spot(), recipe));
            let mount = Mount {
                parent: self.router(site.spot(), receiver, 0),
                prefix: prefix.map(|known| known.text).unwrap_or_default(),
                is_whole: true,
            };
            self.mounts.borrow_mut().entry(Router::LambdaParameter(site.view.id, scope)).or_default().push(mount);
        }
    }

    fn read_calls(&self) {
        for (rule, site) in self.places.sites(self.framework, "route") {
            let Some(receiver) = site.reference.receiver else { continue };
            let Some(path) = rule.option("path").and_then(|spec| self.places.argument(&site.view, &site.arguments, spec)) else { continue };
            let is_any = rule.words.contains(&"any");
            let has_handler = site.arguments.len() >= 2;
            // `router.route("/x").get(list).post(add)`: the path stands before.
            if let Some(routed) = self.routed(&site, receiver) {
                let (inner, path) = routed;
                self.add_routes(rule, &site, inner, vec![path], site.arguments.last().copied());
                continue;
            }
            if !is_any && (!has_handler || !self.is_router(&site, receiver)) {
                continue;
            }
            let paths = self.places.strings(site.spot(), path);
            if paths.is_empty() {
                if is_any || matches!(site.view.facts.recipe(path), Recipe::Literal(_) | Recipe::Operation(..)) {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            }
            // What looks like a key, not like a path, is read from a map.
            if !is_any
                && paths.iter().all(|path| path.is_whole && !path.text.is_empty() && !path.text.starts_with(['/', '*', ':', '^']))
                && !self.framework.of("named").any(|rule| rule.option("bare").is_some())
                && !path_like(&paths[0].text, rule)
            {
                continue;
            }
            let handler = rule
                .option("handler")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
                .or_else(|| site.arguments.last().copied());
            self.add_routes(rule, &site, receiver, paths, handler);
        }
    }

    /// `{ method: "GET", url: "/x", handler }`.
    fn read_objects(&self) {
        for (rule, site) in self.places.sites(self.framework, "route-object") {
            let (Some(receiver), Some(&object)) = (site.reference.receiver, site.arguments.first()) else { continue };
            let field = |key: &str| rule.option(key).and_then(|names| self.places.field(&site.view, object, names));
            let (Some(path), Some(method)) = (field("path"), field("method")) else { continue };
            let methods = self.places.strings(site.spot(), method);
            let paths = self.places.strings(site.spot(), path);
            if paths.is_empty() || methods.is_empty() {
                self.places.not_understood(site.file(), site.reference.span);
                continue;
            }
            let symbol = field("handler").and_then(|handler| self.places.handler(&site, handler)).or_else(|| site.enclosing());
            for method in &methods {
                self.add(
                    &method.text.to_uppercase(),
                    &paths,
                    self.prefixes_of(site.spot(), receiver),
                    symbol,
                    site.file(),
                    site.reference.span,
                );
            }
        }
    }

    fn read_decorators(&self) {
        for rule in self.framework.of("decorator") {
            for (view, annotation, receiver, arguments) in self.places.annotated(self.family(), rule.name()) {
                let Some(receiver) = receiver else { continue };
                let spot = Spot { view: &view, scope: view.facts.symbol(annotation.symbol).declared_in, at: annotation.span.start };
                let Some(path) = rule.option("path").and_then(|spec| self.places.argument(&view, &arguments, spec)) else { continue };
                let paths = self.places.strings(spot, path);
                if paths.is_empty() {
                    self.places.not_understood(view.id, annotation.span);
                    continue;
                }
                let listed = rule
                    .option("methods")
                    .and_then(|spec| self.places.argument(&view, &arguments, spec))
                    .map(|recipe| self.places.strings(spot, recipe));
                let fixed = rule.words.get(1).or(rule.option("default").as_ref()).copied().unwrap_or("ANY");
                let methods = listed
                    .filter(|listed| !listed.is_empty())
                    .map_or_else(|| vec![fixed.to_owned()], |listed| listed.into_iter().map(|known| known.text.to_uppercase()).collect());
                let prefixes = self.prefixes_of(spot, receiver);
                let symbol = SymbolId { file: view.id, index: annotation.symbol };
                for method in methods {
                    self.add(&method, &paths, prefixes.clone(), Some(symbol), view.id, view.facts.symbol(annotation.symbol).name_span);
                }
            }
        }
    }

    fn add_routes(&self, rule: &Rule, site: &CallSite, receiver: RecipeId, paths: Vec<Known>, handler: Option<RecipeId>) {
        let symbol = handler.and_then(|handler| self.places.handler(site, handler)).or_else(|| site.enclosing());
        let prefixes = self.prefixes_of(site.spot(), receiver);
        let listed = rule
            .option("listed")
            .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
            .map(|recipe| self.places.strings(site.spot(), recipe))
            .unwrap_or_default();
        let fixed = rule.words.get(1).filter(|word| **word != "any").copied().or(rule.option("default")).unwrap_or("ANY");
        for path in paths {
            // Go's own router writes the method before the path.
            let (method, text) = match (fixed, path.text.split_once(' ')) {
                ("pattern", Some((method, rest))) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                    (method.to_owned(), rest.trim().to_owned())
                }
                ("pattern", _) => (self.chained_method(site).unwrap_or_else(|| "ANY".to_owned()), path.text.clone()),
                (fixed, _) => (fixed.to_owned(), path.text.clone()),
            };
            let methods = if listed.is_empty() { vec![method] } else { listed.iter().map(|known| known.text.to_uppercase()).collect() };
            let known = [Known { text, is_whole: path.is_whole }];
            for method in methods {
                self.add(&method, &known, prefixes.clone(), symbol, site.file(), site.reference.span);
            }
        }
    }

    /// `r.HandleFunc("/x", h).Methods("GET")`.
    fn chained_method(&self, site: &CallSite) -> Option<String> {
        let call = site.reference.call?;
        let methods = site.view.facts.names.find("Methods")?;
        let after = site.view.facts.references_of(methods).iter().find(|reference| reference.receiver == Some(call))?;
        let Recipe::Call(_, list) = site.view.facts.recipe(after.call?) else { return None };
        self.places.strings(site.spot(), *site.view.facts.list(list).first()?).into_iter().next().map(|known| known.text.to_uppercase())
    }

    fn add(&self, method: &str, paths: &[Known], prefixes: Vec<(String, bool)>, symbol: Option<SymbolId>, file: FileId, span: Span) {
        for path in paths {
            for (prefix, is_whole) in &prefixes {
                self.places.add(SurfaceFact {
                    kind: SurfaceKind::Route,
                    framework: "",
                    value: joined(prefix, &path.text),
                    detail: method.to_owned(),
                    schema: None,
                    symbol,
                    other: None,
                    file,
                    span,
                    certainty: self.places.certainty(path.is_whole && *is_whole, true),
                });
            }
        }
    }

    /// The object and path of `router.route("/x")`, through further calls on it.
    fn routed(&self, site: &CallSite, receiver: RecipeId) -> Option<(RecipeId, Known)> {
        let words: Vec<&str> = self.framework.words("routed").collect();
        let mut recipe = receiver;
        for _ in 0..MAX_DEPTH {
            let Recipe::Call(callee, list) = site.view.facts.recipe(recipe) else { return None };
            let Recipe::Member(inner, name) = site.view.facts.recipe(callee) else { return None };
            if words.contains(&site.view.facts.name(name)) {
                let path = self.places.string(site.spot(), *site.view.facts.list(list).first()?)?;
                return Some((inner, path));
            }
            recipe = inner;
        }
        None
    }

    /// Whether routes can hang on an expression: it was made as a router, is typed as one, or is called as routers usually are.
    fn is_router(&self, site: &CallSite, receiver: RecipeId) -> bool {
        let usual: Vec<&str> = self.framework.words("named").collect();
        if self
            .places
            .last_name(&site.view, receiver)
            .is_some_and(|name| usual.contains(&name) || usual.iter().any(|usual| name.to_lowercase().ends_with(usual)))
        {
            return true;
        }
        match self.router(site.spot(), receiver, 0) {
            Some(Router::Group(..)) => true,
            Some(router) => self.mounts.borrow().contains_key(&router) || self.is_made_or_typed(&router),
            None => false,
        }
    }

    fn is_made_or_typed(&self, router: &Router) -> bool {
        let types: Vec<&str> = self.framework.words("type").collect();
        let typed = |view: &crate::FileView, ty: facts::TypeId| type_name(view, ty).is_some_and(|name| types.contains(&name));
        match router {
            Router::Symbol(symbol) => self.places.resolver.symbol(*symbol).is_some_and(|(view, declared)| {
                typed(&view, declared.ty) || view.facts.values(&declared).iter().any(|value| self.maker(&view, value.recipe).is_some())
            }),
            Router::Binding(file, binding) => self.places.resolver.view(*file).is_some_and(|view| {
                let binding = &view.facts.bindings[binding.0 as usize];
                typed(&view, binding.ty) || self.maker(&view, binding.value).is_some()
            }),
            Router::Parameter(symbol, i) => self.places.resolver.symbol(*symbol).is_some_and(|(view, declared)| {
                view.facts.parameters(&declared).get(usize::from(*i)).is_some_and(|parameter| typed(&view, parameter.ty))
            }),
            Router::Made(..) => true,
            _ => false,
        }
    }

    /// The rule of the call that makes a router, through the calls chained on it.
    fn maker(&self, view: &crate::FileView, recipe: RecipeId) -> Option<(&Rule, RecipeId)> {
        let mut recipe = recipe;
        for _ in 0..64 {
            match view.facts.recipe(recipe) {
                Recipe::Await(inner) | Recipe::Try(inner) => recipe = inner,
                Recipe::New(ty, _) => {
                    let name = type_name(view, ty)?;
                    return self.framework.of("maker").find(|rule| rule.name() == name).map(|rule| (rule, recipe));
                }
                Recipe::Call(callee, _) => {
                    let name = self.places.last_name(view, callee)?;
                    if let Some(rule) = self.framework.of("maker").find(|rule| rule.name() == name) {
                        return Some((rule, recipe));
                    }
                    let chains = self.framework.words("chain").any(|chain| chain == name);
                    let Recipe::Member(inner, _) = view.facts.recipe(callee) else { return None };
                    if !chains {
                        return None;
                    }
                    recipe = inner;
                }
                _ => return None,
            }
        }
        None
    }

    fn router(&self, spot: Spot<'_>, recipe: RecipeId, depth: u32) -> Option<Router> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &spot.view.facts;
        match facts.recipe(recipe) {
            Recipe::Await(inner) | Recipe::Try(inner) | Recipe::Deref(inner) | Recipe::Reference(inner) => {
                self.router(spot, inner, depth + 1)
            }
            Recipe::Call(callee, list) => {
                let name = self.places.last_name(spot.view, callee);
                if let Recipe::Member(inner, _) = facts.recipe(callee)
                    && let Some(rule) = self.framework.of("group").find(|rule| Some(rule.name()) == name)
                {
                    let prefix = rule
                        .option("prefix")
                        .and_then(|spec| self.places.argument(spot.view, facts.list(list), spec))
                        .and_then(|prefix| self.places.string(spot, prefix));
                    let parent = self.router(spot, inner, depth + 1);
                    self.groups.borrow_mut().insert((spot.view.id, recipe), (parent, prefix.map(|known| known.text).unwrap_or_default()));
                    return Some(Router::Group(spot.view.id, recipe));
                }
                if self.framework.words("wrapper").any(|wrapper| Some(wrapper) == name) {
                    return self.router(spot, *facts.list(list).first()?, depth + 1);
                }
                if let Some(holder) = self.holder(spot, recipe) {
                    return Some(holder);
                }
                if let Some((_, made)) = self.maker(spot.view, recipe) {
                    return Some(Router::Made(spot.view.id, made));
                }
                match facts.recipe(callee) {
                    // Conventions chained after a group or a route: `.RequireAuthorization()`.
                    Recipe::Member(inner, _) => self.router(spot, inner, depth + 1),
                    _ => self.found(self.places.meaning(spot, recipe)?, depth + 1),
                }
            }
            Recipe::New(..) => self.holder(spot, recipe).or(Some(Router::Made(spot.view.id, recipe))),
            Recipe::Name(name) => match self.places.meaning(spot, recipe) {
                Some(found) => self.found(found, depth + 1),
                None => self.imported(spot.view, name, depth + 1),
            },
            Recipe::Member(..) | Recipe::Scoped(..) | Recipe::Symbol(_) => self.found(self.places.meaning(spot, recipe)?, depth + 1),
            _ => None,
        }
    }

    /// A default import of an expression, which has no name of its own.
    fn imported(&self, view: &crate::FileView, name: facts::NameId, depth: u32) -> Option<Router> {
        let import = view
            .facts
            .imports
            .iter()
            .find(|import| import.local == Some(name) && matches!(import.kind, ImportKind::Default | ImportKind::Module))?;
        self.exported(self.places.relative_file(view, view.facts.name(import.module))?, depth)
    }

    /// The variable or export whose value is this expression or a chain of calls on it.
    fn holder(&self, spot: Spot<'_>, recipe: RecipeId) -> Option<Router> {
        let facts = &spot.view.facts;
        let holds = |value: RecipeId| {
            let mut inner = value;
            for _ in 0..64 {
                if inner == recipe {
                    return true;
                }
                match facts.recipe(inner) {
                    Recipe::Call(callee, _) => match facts.recipe(callee) {
                        Recipe::Member(object, _) => inner = object,
                        _ => return false,
                    },
                    Recipe::Await(object) | Recipe::Try(object) => inner = object,
                    _ => return false,
                }
            }
            false
        };
        if facts.exports.iter().any(|export| export.value.is_known() && holds(export.value)) {
            return Some(Router::Export(spot.view.id));
        }
        for (index, symbol) in facts.symbols_with_index() {
            if facts.values(symbol).iter().any(|value| holds(value.recipe)) {
                return Some(Router::Symbol(SymbolId { file: spot.view.id, index }));
            }
        }
        let binding = facts.bindings.iter().position(|binding| binding.value.is_known() && holds(binding.value))?;
        Some(Router::Binding(spot.view.id, BindingId(binding as u32)))
    }

    fn found(&self, found: Found, depth: u32) -> Option<Router> {
        if depth > MAX_DEPTH {
            return None;
        }
        match found {
            Found::Symbol(symbol) => {
                let (view, declared) = self.places.resolver.symbol(symbol)?;
                // Another name for the same object.
                for value in view.facts.values(&declared).iter().filter(|_| declared.kind.is_value()) {
                    let spot = Spot { view: &view, scope: value.scope, at: value.at };
                    if let Some(router) = self.alias(spot, value.recipe, depth) {
                        return Some(router);
                    }
                }
                Some(Router::Symbol(symbol))
            }
            Found::Binding(file, id) => {
                let view = self.places.resolver.view(file)?;
                let binding = &view.facts.bindings[id.0 as usize];
                if binding.kind == BindingKind::Parameter {
                    let scope = view.facts.scope(binding.scope);
                    return match (scope.kind, scope.owner) {
                        (ScopeKind::Lambda, None) => Some(Router::LambdaParameter(file, binding.scope)),
                        (_, Some(owner)) => Some(Router::Parameter(SymbolId { file, index: owner }, binding.parameter.unwrap_or(0))),
                        _ => None,
                    };
                }
                let spot = Spot { view: &view, scope: binding.scope, at: binding.from.saturating_sub(1) };
                if binding.value.is_known()
                    && let Some(router) = self.alias(spot, binding.value, depth)
                {
                    return Some(router);
                }
                Some(Router::Binding(file, id))
            }
            Found::Module(Module::File(file)) => self.exported(file, depth),
            _ => None,
        }
    }

    /// What a value stands for where it only names, wraps, groups or requires.
    fn alias(&self, spot: Spot<'_>, value: RecipeId, depth: u32) -> Option<Router> {
        match spot.view.facts.recipe(value) {
            Recipe::Name(_) | Recipe::Member(..) => self.router(spot, value, depth + 1),
            Recipe::Await(inner) => self.alias(spot, inner, depth),
            Recipe::Call(callee, _) => {
                let name = self.places.last_name(spot.view, callee)?;
                let groups = self.framework.of("group").any(|rule| rule.name() == name);
                let wraps = self.framework.words("wrapper").any(|wrapper| wrapper == name);
                if groups || wraps {
                    return self.router(spot, value, depth + 1);
                }
                if self.maker(spot.view, value).is_some() {
                    return None;
                }
                let Recipe::Call(_, list) = spot.view.facts.recipe(value) else { return None };
                let required = (name == "require").then(|| self.places.string(spot, *spot.view.facts.list(list).first()?)).flatten();
                if let Some(file) = required.and_then(|required| self.places.relative_file(spot.view, &required.text)) {
                    return self.exported(file, depth + 1);
                }
                match self.places.resolver.eval(spot.view, spot.scope, spot.at, value) {
                    crate::Ty::Module(Module::File(file)) => self.exported(file, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a file exports as a whole.
    fn exported(&self, file: FileId, depth: u32) -> Option<Router> {
        let view = self.places.resolver.view(file)?;
        let export = view.facts.exports.iter().find(|export| matches!(view.facts.name(export.exported), "default" | "="))?;
        let spot = Spot { view: &view, scope: ScopeId::FILE, at: view.facts.lines.text_len() };
        if let Some(local) = export.local {
            let found = self.places.resolver.name_at(&view, ScopeId::FILE, spot.at, view.facts.name(local))?;
            return self.found(found.targets.into_iter().next()?, depth + 1);
        }
        if export.value.is_known()
            && let Some(router) = self.router(spot, export.value, depth + 1)
        {
            return Some(router);
        }
        Some(Router::Export(file))
    }

    fn prefixes_of(&self, spot: Spot<'_>, receiver: RecipeId) -> Vec<(String, bool)> {
        let root = vec![(String::new(), true)];
        match self.router(spot, receiver, 0) {
            Some(router) => self.prefixes(&router, 0),
            None => root,
        }
    }

    /// Every prefix under which a router can be reached, and whether all of it is known.
    fn prefixes(&self, router: &Router, depth: u32) -> Vec<(String, bool)> {
        let root = || vec![(String::new(), true)];
        if depth > MAX_DEPTH {
            return root();
        }
        let mounted = self.mounted(router, depth);
        match router {
            Router::Group(file, recipe) => {
                let group = self.groups.borrow().get(&(*file, *recipe)).cloned();
                let Some((parent, prefix)) = group else { return root() };
                let above = parent.map_or_else(root, |parent| self.prefixes(&parent, depth + 1));
                above.into_iter().map(|(above, whole)| (add(&above, &prefix), whole)).collect()
            }
            Router::Parameter(function, i) => {
                let mut all = mounted;
                // A plugin is mounted as a function, and gets the router as its first parameter.
                if *i == 0 {
                    all.extend(self.mounted(&Router::Symbol(*function), depth));
                }
                all.extend(self.handed_in(*function, *i, depth));
                if all.is_empty() { root() } else { all }
            }
            router => {
                let own = self.own_prefix(router);
                let above = if mounted.is_empty() { root() } else { mounted };
                above.into_iter().map(|(above, whole)| (add(&above, &own), whole)).collect()
            }
        }
    }

    fn mounted(&self, router: &Router, depth: u32) -> Vec<(String, bool)> {
        let mounts: Vec<(Option<Router>, String, bool)> = match self.mounts.borrow().get(router) {
            Some(mounts) => mounts.iter().map(|mount| (mount.parent.clone(), mount.prefix.clone(), mount.is_whole)).collect(),
            None => return Vec::new(),
        };
        let mut all = Vec::new();
        for (parent, prefix, is_whole) in mounts {
            let above = match parent {
                Some(parent) if parent != *router => self.prefixes(&parent, depth + 1),
                _ => vec![(String::new(), true)],
            };
            all.extend(above.into_iter().map(|(above, whole)| (add(&above, &prefix), whole && is_whole)));
        }
        all.sort();
        all.dedup();
        all
    }

    /// What calls of a function hand in for one of its parameters.
    fn handed_in(&self, function: SymbolId, i: u16, depth: u32) -> Vec<(String, bool)> {
        let mut all = Vec::new();
        for mention in query::references(self.places.resolver, function).value {
            let Some(view) = self.places.resolver.view(mention.file).filter(|_| mention.role == Role::Call) else { continue };
            let Some(reference) =
                view.facts.references.iter().find(|reference| reference.span == mention.span && reference.role == Role::Call)
            else {
                continue;
            };
            let Some(Recipe::Call(_, list)) = reference.call.map(|call| view.facts.recipe(call)) else { continue };
            let spot = Spot { view: &view, scope: reference.scope, at: reference.span.start };
            let is_extension =
                self.places.resolver.symbol(function).is_some_and(|(_, declared)| declared.modifiers.contains(facts::Modifiers::EXTENSION));
            let handed = match (is_extension, reference.receiver) {
                (true, Some(receiver)) if i == 0 => Some(receiver),
                (true, Some(_)) => view.facts.list(list).get(usize::from(i) - 1).copied(),
                _ => view.facts.list(list).get(usize::from(i)).copied(),
            };
            if let Some(router) = handed.and_then(|handed| self.router(spot, handed, 0))
                && router != Router::Parameter(function, i)
            {
                all.extend(self.prefixes(&router, depth + 1));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// The prefix that a router was made with.
    fn own_prefix(&self, router: &Router) -> String {
        let made = |view: &crate::FileView, scope: ScopeId, at: u32, recipe: RecipeId| {
            let (rule, call) = self.maker(view, recipe)?;
            let list = match view.facts.recipe(call) {
                Recipe::Call(_, list) | Recipe::New(_, list) => view.facts.list(list),
                _ => return None,
            };
            let prefix = self.places.argument(view, list, rule.option("prefix")?)?;
            self.places.string(Spot { view, scope, at }, prefix).map(|known| known.text)
        };
        let found = match router {
            Router::Symbol(symbol) => self.places.resolver.symbol(*symbol).and_then(|(view, declared)| {
                view.facts.values(&declared).iter().find_map(|value| made(&view, value.scope, value.at, value.recipe))
            }),
            Router::Binding(file, binding) => self.places.resolver.view(*file).and_then(|view| {
                let binding = view.facts.bindings[binding.0 as usize].clone();
                made(&view, binding.scope, binding.from.saturating_sub(1), binding.value)
            }),
            Router::Made(file, recipe) => self.places.resolver.view(*file).and_then(|view| made(&view, ScopeId::FILE, u32::MAX, *recipe)),
            _ => None,
        };
        found.unwrap_or_default()
    }
}

fn add(above: &str, below: &str) -> String {
    if above.is_empty() && below.is_empty() { String::new() } else { joined(above, below) }
}

fn path_like(text: &str, rule: &Rule) -> bool {
    rule.option("listed").is_some() || text.contains('/')
}

pub fn type_name(view: &crate::FileView, mut ty: facts::TypeId) -> Option<&str> {
    for _ in 0..8 {
        match view.facts.type_recipe(ty) {
            facts::TypeRecipe::Name(name) | facts::TypeRecipe::Scoped(_, name) => return Some(view.facts.name(name)),
            facts::TypeRecipe::Apply(inner, _)
            | facts::TypeRecipe::Pointer(inner)
            | facts::TypeRecipe::Reference(inner)
            | facts::TypeRecipe::Optional(inner) => ty = inner,
            _ => return None,
        }
    }
    None
}
