//! Routes that are registered on objects: `router.get("/x", handler)`, `@bp.route("/x")`,
//! `app.MapGroup("/x").MapGet(...)`.
//!
//! A route is rarely whole in one place. The object it is registered on is followed to where it was
//! made (`identity.rs`), to what it is mounted on (`mounts.rs`), and from there to every prefix
//! under which it can be reached (`prefixes.rs`).

mod identity;
mod mounts;
mod prefixes;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use facts::{BindingId, Recipe, RecipeId, ScopeId, ScopeKind, Span};

use super::{
    ArchitectureFact, Certainty, joined,
    rules::{GroupClass, HttpMethod, RouteCall, RouteMethods, RouterRules, Slot, Slots},
    scan::{CallSite, Scan, symbol_in, type_name},
    strings::KnownText,
    tables::child_named,
};
use crate::{FileId, FileView, Place, SymbolId};
use mounts::Mounted;

pub fn read(scan: &Scan<'_>) {
    let rules = &scan.framework.routers;
    if rules.routes.is_empty() && rules.decorators.is_empty() && rules.objects.is_empty() {
        return;
    }
    let routers = Routers {
        scan,
        rules,
        groups: RefCell::default(),
        mounts: RefCell::default(),
        inline: RefCell::default(),
        unprefixed: RefCell::default(),
    };
    routers.find_inline();
    routers.read_mounts();
    routers.read_group_callbacks();
    routers.read_directories();
    for (rule, site) in scan.sites(rules.routes, |rule| rule.call) {
        if let Some(receiver) = site.reference.receiver {
            routers.read_call(rule, &site, receiver);
        }
    }
    routers.read_objects();
    routers.read_decorators();
}

/// An object that routes are registered on.
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
    /// Written where it is mounted: the file, and where the argument begins.
    Inline(FileId, u32),
}

/// A prefix, and whether all of it is known.
type Prefix = (String, bool);

struct Routers<'a> {
    scan: &'a Scan<'a>,
    rules: &'static RouterRules,
    groups: RefCell<BTreeMap<(FileId, RecipeId), (Option<Router>, String)>>,
    mounts: RefCell<BTreeMap<Router, Vec<Mounted>>>,
    /// Arguments that are routers themselves: equal expressions share one recipe, so that only
    /// their place tells them apart.
    inline: RefCell<BTreeMap<FileId, Vec<Span>>>,
    /// Plugins that ask not to be given a prefix of their own.
    unprefixed: RefCell<BTreeSet<Router>>,
}

/// Where a route is registered, and what it leads to.
#[derive(Clone, Copy)]
struct RouteAt {
    symbol: Option<SymbolId>,
    file: FileId,
    span: Span,
}

const METHODS: &[&str] = &[
    "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE",
];

/// Mounts on mounts on mounts.
const MAX_DEPTH: u32 = 10;

impl Routers<'_> {
    fn read_call(&self, rule: &RouteCall, site: &CallSite, receiver: RecipeId) {
        if let RouteMethods::Calls(methods) = rule.methods {
            return self.read_method_calls(rule, methods, site, receiver);
        }
        let Some(path) = self.scan.site_argument(site, rule.path) else {
            return;
        };
        // `router.route("/x").get(list).post(add)`: the path is written before.
        if let Some((inner, path)) = self.path_before(site, receiver) {
            let handler = site.arguments.last().copied();
            return self.add_routes(rule, site, inner, vec![path], handler);
        }
        if !rule.is_distinctive && (site.arguments.len() < 2 || !self.is_router(site, receiver)) {
            return;
        }
        // `r.Handle("GET", "/x", h)`: the method is the first argument.
        if matches!(rule.methods, RouteMethods::InPath) && site.arguments.len() >= 3 {
            let first = self.given_method(site, &[Slot::At(0)]);
            if let Some(method) = first.filter(|method| METHODS.contains(&method.as_str())) {
                let paths = self.scan.texts(site, &[Slot::At(1)]);
                let at = self.route_at(site, site.arguments.last().copied());
                let prefixes = self.prefixes_of(site.place(), receiver);
                return self.add(&method, &paths, &prefixes, at);
            }
        }
        let paths = self.scan.texts(site, rule.path);
        if paths.is_empty() {
            let is_made = matches!(
                site.view.facts.recipe(path),
                Recipe::Literal(_) | Recipe::Operation(..)
            );
            let is_read = rule.is_distinctive && self.read_group_class(rule, site, path);
            if !is_read && (rule.is_distinctive || is_made) {
                self.scan.not_understood(site.file(), site.reference.span);
            }
            return;
        }
        // What looks like a key, not like a path, is read from a map.
        let is_key = |path: &KnownText| {
            path.is_whole && !path.text.is_empty() && !path.text.starts_with(['/', '*', ':', '^'])
        };
        let is_listed = matches!(rule.methods, RouteMethods::Listed(..));
        if !rule.is_distinctive
            && paths.iter().all(is_key)
            && !is_listed
            && !paths[0].text.contains('/')
            && !self.is_surely_router(site, receiver)
        {
            return;
        }
        let handler = self.scan.site_argument(site, rule.handler);
        let handler = handler.or_else(|| site.arguments.last().copied());
        self.add_routes(rule, site, receiver, paths, handler);
    }

    /// Where a call registers a route, and its handler; the function around where none is named.
    fn route_at(&self, site: &CallSite, handler: Option<RecipeId>) -> RouteAt {
        let symbol = handler.and_then(|handler| self.scan.handler(site, handler));
        RouteAt {
            symbol: symbol.or_else(|| site.enclosing()),
            file: site.file(),
            span: site.reference.span,
        }
    }

    /// `group.MapPut(Update, "{id}")` inside a class that is a group: the handler first, and a
    /// prefix made of the class's name.
    fn read_group_class(&self, rule: &RouteCall, site: &CallSite, handler: RecipeId) -> bool {
        let Some(group) = &self.rules.group_class else {
            return false;
        };
        let view = &site.view;
        let is_lambda = matches!(view.facts.recipe(handler), Recipe::Lambda(..));
        let symbol = self.scan.handler(site, handler).filter(|_| !is_lambda);
        let class = site
            .reference
            .enclosing
            .and_then(|index| view.symbol(index).parent)
            .filter(|class| {
                let supertypes = view.facts.supertypes.iter();
                supertypes
                    .filter(|supertype| supertype.symbol == *class)
                    .filter_map(|supertype| type_name(view, supertype.ty))
                    .any(|name| group.bases.contains(&name))
            });
        let (Some(symbol), Some(class)) = (symbol, class) else {
            return false;
        };
        let own = self
            .scan
            .site_argument(site, group.path)
            .and_then(|path| self.scan.string(site.place(), path));
        let own = own.map(|known| known.text).unwrap_or_default();
        let named = child_named(view, class, group.named)
            .and_then(|property| self.scan.value_string(view, property));
        let name = named.map_or_else(|| view.name_of(class).to_owned(), |known| known.text);
        let path = joined(&joined(&self.group_class_prefix(group), &name), &own);
        let at = RouteAt {
            symbol: Some(symbol),
            file: site.file(),
            span: site.reference.span,
        };
        let method = match rule.methods {
            RouteMethods::Fixed([method, ..]) => *method,
            _ => HttpMethod::Any,
        };
        let root = [(String::new(), true)];
        self.add(method.as_str(), &[KnownText::whole(path)], &root, at);
        true
    }

    /// What is written before the name in the program's own `MapGroup($"/api/{name}")`.
    fn group_class_prefix(&self, group: &GroupClass) -> String {
        let mut groups = self.rules.groups.iter();
        let mut calls = groups.by_ref().flat_map(|rule| self.scan.calls(rule.call));
        let written = calls.find_map(|site| {
            let mut texts = self.scan.texts(&site, &[Slot::At(0)]).into_iter();
            texts.find(|known| !known.is_whole)
        });
        written.map_or_else(|| group.prefix.to_owned(), |known| known.text)
    }

    /// `route("/x", get(list).post(add))`, `resource("/x").route(web::get().to(list))`: the methods
    /// are calls of their own.
    fn read_method_calls(
        &self,
        rule: &RouteCall,
        slots: Slots,
        site: &CallSite,
        receiver: RecipeId,
    ) {
        // The same call with one argument less adds methods to a path that is written before.
        let (paths, methods) = match self.scan.site_argument(site, slots) {
            Some(methods) => (self.scan.texts(site, rule.path), Some(methods)),
            None => (vec![KnownText::whole("")], site.arguments.first().copied()),
        };
        let Some(methods) = methods.filter(|_| self.is_surely_router(site, receiver)) else {
            return;
        };
        let found = self.method_handlers(&site.view, methods);
        if found.is_empty() {
            return;
        }
        if paths.is_empty() {
            self.scan.not_understood(site.file(), site.reference.span);
        }
        let prefixes = self.prefixes_of(site.place(), receiver);
        for (method, handler) in found {
            self.add(
                method.as_str(),
                &paths,
                &prefixes,
                self.route_at(site, handler),
            );
        }
    }

    /// `get(list).post(add)` is GET by `list` and POST by `add`; in `web::get().to(list)` the
    /// handler is written behind.
    fn method_handlers(
        &self,
        view: &FileView,
        recipe: RecipeId,
    ) -> Vec<(HttpMethod, Option<RecipeId>)> {
        let mut found: Vec<(HttpMethod, Option<RecipeId>)> = Vec::new();
        let mut behind = None;
        let mut next = recipe;
        for _ in 0..32 {
            let Recipe::Call(callee, list) = view.facts.recipe(next) else {
                break;
            };
            let Some(name) = self.scan.last_name(view, callee) else {
                break;
            };
            let first = view.facts.list(list).first().copied();
            let mut methods = self.rules.method_calls.iter();
            if self.rules.handler_calls.contains(&name) {
                behind = first;
            } else if let Some((_, method)) = methods.find(|(call, _)| *call == name) {
                found.push((*method, first.or(behind)));
            }
            match view.facts.recipe(callee) {
                Recipe::Member(inner, _) => next = inner,
                _ => break,
            }
        }
        found.reverse();
        found
    }

    /// `{ method: "GET", url: "/x", handler }`.
    fn read_objects(&self) {
        for (rule, site) in self.scan.sites(self.rules.objects, |rule| rule.call) {
            let (Some(receiver), Some(&argument)) =
                (site.reference.receiver, site.arguments.first())
            else {
                continue;
            };
            for (view, object) in self.route_objects(&site, argument) {
                let field = |names: &[&str]| {
                    let mut names = names.iter();
                    names.find_map(|name| self.scan.field(&view, object, name))
                };
                let (Some(path), Some(method)) = (field(rule.path), field(rule.method)) else {
                    continue;
                };
                let is_here = view.id == site.view.id;
                let place = if is_here {
                    site.place()
                } else {
                    Place::end_of_file(&view)
                };
                let methods = self.scan.strings(place, method);
                let paths = self.scan.strings(place, path);
                if paths.is_empty() || methods.is_empty() {
                    self.scan.not_understood(site.file(), site.reference.span);
                    continue;
                }
                let handler = field(rule.handler);
                let mut at = self.route_at(&site, handler.filter(|_| is_here));
                if !is_here && let Some(handler) = handler {
                    at.symbol = self.scan.meant_symbol(place, handler).or(at.symbol);
                }
                let prefixes = self.prefixes_of(site.place(), receiver);
                for method in &methods {
                    self.add(&method.text.to_uppercase(), &paths, &prefixes, at);
                }
            }
        }
    }

    /// The object literal that an argument is, or those of the list that a loop goes through:
    /// `routes.forEach((route) => app.route(route))`.
    fn route_objects(&self, site: &CallSite, argument: RecipeId) -> Vec<(Arc<FileView>, RecipeId)> {
        let is_object = |view: &FileView, recipe: RecipeId| {
            matches!(view.facts.recipe(recipe), Recipe::Object(_))
        };
        if is_object(&site.view, argument) {
            return vec![(site.view.clone(), argument)];
        }
        let Some(value) = self.scan.value_behind(site.place(), argument) else {
            let listed = self.scan.looped_items(site.place(), argument);
            let (view, items) = match listed {
                Some(listed) => listed,
                None => return Vec::new(),
            };
            let place = Place::end_of_file(&view);
            let objects = items.into_iter().filter_map(|item| {
                if is_object(&view, item) {
                    return Some((view.clone(), item));
                }
                self.scan.value_behind(place, item)
            });
            return objects
                .filter(|(view, item)| is_object(view, *item))
                .collect();
        };
        let (view, recipe) = value;
        let found = is_object(&view, recipe).then_some((view, recipe));
        found.into_iter().collect()
    }

    fn read_decorators(&self) {
        for rule in self.rules.decorators {
            for (view, annotation, receiver, arguments) in self.scan.annotated(rule.name) {
                if receiver.is_none() && !rule.is_bare {
                    continue;
                }
                let declared = view.facts.symbol(annotation.symbol);
                let place = Place::new(&view, declared.declared_in, annotation.span.start);
                let Some(path) = self.scan.argument(&view, &arguments, rule.path) else {
                    continue;
                };
                let paths = self.scan.strings(place, path);
                if paths.is_empty() {
                    self.scan.not_understood(view.id, annotation.span);
                    continue;
                }
                let methods = self.methods(rule.methods, place, &arguments);
                let symbol = symbol_in(&view, annotation.symbol);
                // Without an object to be called on, the function itself is mounted.
                let prefixes = match receiver.filter(|_| !rule.is_bare) {
                    Some(receiver) => self.prefixes_of(place, receiver),
                    None => self.prefixes(&Router::Symbol(symbol), 0),
                };
                let at = RouteAt {
                    symbol: Some(symbol),
                    file: view.id,
                    span: declared.name_span,
                };
                for method in methods {
                    self.add(&method, &paths, &prefixes, at);
                }
            }
        }
    }

    /// The methods that a rule and the arguments say, without those in a path.
    fn methods(&self, methods: RouteMethods, place: Place, arguments: &[RecipeId]) -> Vec<String> {
        let any = [HttpMethod::Any];
        let fixed = match methods {
            RouteMethods::Fixed(methods) => methods,
            RouteMethods::Listed(slots, default) => {
                let listed = self
                    .scan
                    .argument(place.view, arguments, slots)
                    .map(|recipe| self.scan.strings(place, recipe))
                    .unwrap_or_default();
                let listed = listed.into_iter().map(|known| known.text.to_uppercase());
                let listed: Vec<String> = listed.collect();
                return if listed.is_empty() {
                    vec![default.as_str().to_owned()]
                } else {
                    listed
                };
            }
            RouteMethods::InPath | RouteMethods::Calls(_) => &any,
        };
        let fixed = fixed.iter().map(|method| method.as_str().to_owned());
        fixed.collect()
    }

    fn add_routes(
        &self,
        rule: &RouteCall,
        site: &CallSite,
        receiver: RecipeId,
        paths: Vec<KnownText>,
        handler: Option<RecipeId>,
    ) {
        let at = self.route_at(site, handler);
        let prefixes = self.prefixes_of(site.place(), receiver);
        if prefixes.is_empty() {
            self.scan.not_understood(site.file(), site.reference.span);
        }
        let given = self.given_method(site, rule.method);
        for path in paths {
            let (in_path, text) = match rule.methods {
                RouteMethods::InPath => self.method_in_path(site, &path.text),
                _ => (None, path.text.as_str()),
            };
            let methods = match given.clone().or(in_path) {
                Some(method) => vec![method],
                None => self.methods(rule.methods, site.place(), &site.arguments),
            };
            let text = match rule.suffix {
                Some(suffix) => joined(text, suffix),
                None => text.to_owned(),
            };
            let known = [KnownText {
                text,
                is_whole: path.is_whole,
            }];
            for method in methods {
                self.add(&method, &known, &prefixes, at);
            }
        }
    }

    /// `GET` of `"GET /x"`, or of a call behind the route.
    fn method_in_path<'p>(&self, site: &CallSite, path: &'p str) -> (Option<String>, &'p str) {
        match path.split_once(' ') {
            Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                (Some(method.to_owned()), rest.trim())
            }
            _ => (self.method_after(site), path),
        }
    }

    /// `"GET"` or `http.MethodGet` among the arguments.
    fn given_method(&self, site: &CallSite, slots: Slots) -> Option<String> {
        let recipe = self.scan.site_argument(site, slots)?;
        let text = match self.scan.string(site.place(), recipe) {
            Some(known) => known.text,
            None => self
                .scan
                .last_name(&site.view, recipe)?
                .strip_prefix(self.rules.method_constants?)?
                .to_owned(),
        };
        Some(text.to_uppercase())
    }

    /// `r.HandleFunc("/x", h).Methods("GET")`.
    fn method_after(&self, site: &CallSite) -> Option<String> {
        let facts = &site.view.facts;
        let call = site.reference.call?;
        let methods = facts.names.find(self.rules.methods_after?)?;
        let mut references = facts.references_of(methods).iter();
        let after = references.find(|reference| reference.receiver == Some(call))?;
        let Recipe::Call(_, list) = facts.recipe(after.call?) else {
            return None;
        };
        let known = self.scan.strings(site.place(), *facts.list(list).first()?);
        known.first().map(|known| known.text.to_uppercase())
    }

    fn add(&self, method: &str, paths: &[KnownText], prefixes: &[Prefix], at: RouteAt) {
        for path in paths {
            for (prefix, is_whole) in prefixes {
                let route = joined(prefix, &path.text);
                let fact = ArchitectureFact::route(method, route, at.file, at.span);
                let certainty = Certainty::of_text(path.is_whole && *is_whole);
                self.scan.add(fact.of(at.symbol).certain(certainty));
            }
        }
    }

    /// The object and path of `router.route("/x")`, through further calls on it.
    fn path_before(&self, site: &CallSite, receiver: RecipeId) -> Option<(RecipeId, KnownText)> {
        let facts = &site.view.facts;
        let mut recipe = receiver;
        for _ in 0..MAX_DEPTH {
            let Recipe::Call(callee, list) = facts.recipe(recipe) else {
                return None;
            };
            let Recipe::Member(inner, name) = facts.recipe(callee) else {
                return None;
            };
            if self.rules.path_calls.contains(&facts.name(name)) {
                let path = self.scan.string(site.place(), *facts.list(list).first()?)?;
                return Some((inner, path));
            }
            recipe = inner;
        }
        None
    }
}

/// The function whose body a scope is part of.
fn function_around(view: &FileView, scope: ScopeId) -> Option<SymbolId> {
    let mut scope = scope;
    loop {
        let here = view.facts.scope(scope);
        if let Some(owner) = here.owner.filter(|owner| {
            here.kind == ScopeKind::Function && view.facts.symbol(*owner).kind.is_callable()
        }) {
            return Some(symbol_in(view, owner));
        }
        if here.parent == scope {
            return None;
        }
        scope = here.parent;
    }
}

/// Two pieces of a prefix; nothing and nothing is nothing.
fn add_prefix(above: &str, below: &str) -> String {
    if above.is_empty() && below.is_empty() {
        String::new()
    } else {
        joined(above, below)
    }
}
