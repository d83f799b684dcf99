//! Routes that hang on objects: `router.get("/x", handler)`, `@bp.route("/x")`,
//! `app.MapGroup("/x").MapGet(...)`.
//!
//! A route is rarely whole in one place. The object it hangs on is followed to where it was made,
//! to what it is mounted on and with which prefix, and, where it is a parameter, to the calls that
//! hand it in.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use facts::{
    BindingId, BindingKind, Family, ImportKind, Recipe, RecipeId, Role, ScopeId, ScopeKind, Span,
};

use super::{
    ArchitectureFact, ArchitectureKind, joined,
    places::{CallSite, Known, Places, Spot},
    rules::{Framework, Rule},
};
use crate::{FileId, Found, Module, SymbolId, query};

pub fn read(places: &Places<'_>, framework: &Framework) {
    if ["route", "decorator", "route-object"]
        .iter()
        .all(|verb| framework.of(verb).next().is_none())
    {
        return;
    }
    let routers = Routers {
        places,
        framework,
        groups: RefCell::default(),
        mounts: RefCell::default(),
        inline: RefCell::default(),
        unprefixed: RefCell::default(),
    };
    routers.find_inline();
    routers.read_mounts();
    routers.read_directories();
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
    /// Written where it is mounted: the file, and where the argument begins.
    Inline(FileId, u32),
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
    /// Arguments that are routers themselves: equal expressions share one recipe, so that only
    /// their place tells them apart.
    inline: RefCell<BTreeMap<FileId, Vec<Span>>>,
    /// Plugins that ask not to be given a prefix of their own.
    unprefixed: RefCell<BTreeSet<Router>>,
}

const METHODS: &[&str] = &[
    "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE",
];

/// Mounts on mounts on mounts.
const MAX_DEPTH: u32 = 10;

impl Routers<'_> {
    fn family(&self) -> Family {
        self.framework.family
    }

    /// Functions of this framework make routers that others mount.
    fn returns_routers(&self) -> bool {
        self.framework.of("returned").next().is_some()
    }

    /// Where routers are written as arguments of what mounts them.
    fn find_inline(&self) {
        for (_, site) in self.places.sites(self.framework, "mount") {
            for (recipe, span) in site.arguments.iter().zip(self.places.argument_spans(&site)) {
                if self.maker(&site.view, *recipe).is_some() {
                    self.inline
                        .borrow_mut()
                        .entry(site.view.id)
                        .or_default()
                        .push(span);
                }
            }
        }
    }

    /// The innermost argument around a place that is a router.
    fn inline_at(&self, file: FileId, at: u32) -> Option<Router> {
        let inline = self.inline.borrow();
        let around = inline
            .get(&file)?
            .iter()
            .filter(|span| span.contains(at))
            .min_by_key(|span| span.len())?;
        Some(Router::Inline(file, around.start))
    }

    fn read_mounts(&self) {
        for (rule, site) in self.places.sites(self.framework, "mount") {
            let Some(receiver) = site.reference.receiver else {
                continue;
            };
            let parent = self.router(site.spot(), receiver, 0);
            let view = &site.view;
            let named = rule
                .option("prefix")
                .map(|spec| self.places.texts(&site, spec))
                .filter(|known| !known.is_empty());
            let field = || {
                let (place, name) = rule.option("prefix-field")?.split_once(':')?;
                let field = self.places.field(
                    view,
                    self.places.argument(view, &site.arguments, place)?,
                    name,
                )?;
                Some(self.places.strings(site.spot(), field)).filter(|known| !known.is_empty())
            };
            let prefixes = named.or_else(field);
            if let Some(pairs) = self.each_of_list(&site) {
                for (prefix, child) in pairs {
                    self.mount(child, parent.clone(), Some(&[prefix]));
                }
                continue;
            }
            let spans = self.places.argument_spans(&site);
            let objects: Vec<RecipeId> = match rule.option("object") {
                Some(spec) => self
                    .places
                    .argument(view, &site.arguments, spec)
                    .into_iter()
                    .collect(),
                None => site
                    .arguments
                    .iter()
                    .flat_map(|argument| self.listed(view, *argument))
                    .collect(),
            };
            for object in objects {
                let written = site
                    .arguments
                    .iter()
                    .position(|argument| *argument == object)
                    .and_then(|i| spans.get(i));
                let inline = written.and_then(|span| {
                    let is_inline = self
                        .inline
                        .borrow()
                        .get(&view.id)
                        .is_some_and(|all| all.contains(span));
                    is_inline.then_some(Router::Inline(view.id, span.start))
                });
                let child = inline.or_else(|| match view.facts.recipe(object) {
                    Recipe::Lambda(scope, _) => Some(Router::LambdaParameter(view.id, scope)),
                    Recipe::Str(_) => None,
                    _ => self.router(site.spot(), object, 0),
                });
                let Some(child) = child else { continue };
                self.mount(child, parent.clone(), prefixes.as_deref());
            }
        }
        for (rule, site) in self.places.sites(self.framework, "group-callback") {
            let (Some(receiver), Some(spec)) = (site.reference.receiver, rule.option("function"))
            else {
                continue;
            };
            let Some(function) = self.places.argument(&site.view, &site.arguments, spec) else {
                continue;
            };
            let Recipe::Lambda(scope, _) = site.view.facts.recipe(function) else {
                continue;
            };
            let prefix = rule
                .option("prefix")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
                .and_then(|recipe| self.places.string(site.spot(), recipe));
            let mount = Mount {
                parent: self.router(site.spot(), receiver, 0),
                prefix: prefix.map(|known| known.text).unwrap_or_default(),
                is_whole: true,
            };
            self.mounts
                .borrow_mut()
                .entry(Router::LambdaParameter(site.view.id, scope))
                .or_default()
                .push(mount);
        }
    }

    /// `routes.forEach((route) => router.use(route.path, route.router))`: a list of objects, each
    /// mounted as they say.
    fn each_of_list(&self, site: &CallSite) -> Option<Vec<(Known, Router)>> {
        let facts = &site.view.facts;
        let (Recipe::Member(item, path), Recipe::Member(other, target)) = (
            facts.recipe(*site.arguments.first()?),
            facts.recipe(*site.arguments.get(1)?),
        ) else {
            return None;
        };
        if item != other {
            return None;
        }
        let Found::Binding(file, id) = self.places.meaning(site.spot(), item)? else {
            return None;
        };
        let context = facts
            .scope(facts.bindings[id.0 as usize].scope)
            .context
            .filter(|_| file == site.view.id)?;
        let Recipe::Call(callee, _) = facts.recipe(context.call) else {
            return None;
        };
        let Recipe::Member(list, _) = facts.recipe(callee) else {
            return None;
        };
        let items = self.items_of(site, list)?;
        let mut pairs = Vec::new();
        for object in items {
            let field =
                |name: facts::NameId| self.places.field(&site.view, object, facts.name(name));
            let (Some(path), Some(target)) = (field(path), field(target)) else {
                continue;
            };
            if let (Some(prefix), Some(child)) = (
                self.places.string(site.spot(), path),
                self.router(site.spot(), target, 0),
            ) {
                pairs.push((prefix, child));
            }
        }
        (!pairs.is_empty()).then_some(pairs)
    }

    fn items_of(&self, site: &CallSite, recipe: RecipeId) -> Option<Vec<RecipeId>> {
        let facts = &site.view.facts;
        match facts.recipe(recipe) {
            Recipe::List(list) => Some(facts.list(list).to_vec()),
            Recipe::Name(_) => {
                let value = match self.places.meaning(site.spot(), recipe)? {
                    Found::Binding(file, id) if file == site.view.id => {
                        facts.bindings[id.0 as usize].value
                    }
                    Found::Symbol(symbol) if symbol.file == site.view.id => {
                        facts.values(facts.symbol(symbol.index)).first()?.recipe
                    }
                    _ => return None,
                };
                match facts.recipe(value) {
                    Recipe::List(list) => Some(facts.list(list).to_vec()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn mount(&self, child: Router, parent: Option<Router>, prefixes: Option<&[Known]>) {
        let nothing = [Known {
            text: String::new(),
            is_whole: true,
        }];
        let is_prefixed = !self.unprefixed.borrow().contains(&child);
        for known in prefixes.filter(|_| is_prefixed).unwrap_or(&nothing) {
            let mount = Mount {
                parent: parent.clone(),
                prefix: known.text.clone(),
                is_whole: known.is_whole,
            };
            self.mounts
                .borrow_mut()
                .entry(child.clone())
                .or_default()
                .push(mount);
        }
    }

    /// The members of a list, or the thing itself.
    fn listed(&self, view: &crate::FileView, recipe: RecipeId) -> Vec<RecipeId> {
        match view.facts.recipe(recipe) {
            Recipe::List(list) => view.facts.list(list).to_vec(),
            _ => vec![recipe],
        }
    }

    /// Directories whose files are all mounted: `register(autoload, { dir: join(__dirname,
    /// "routes"), options: { prefix: "/api" } })`.
    fn read_directories(&self) {
        let snapshot = self.places.resolver.snapshot();
        for rule in self.framework.of("mount-directory") {
            for site in self.places.calls(self.family(), rule.name()) {
                let view = &site.view;
                let Some(object) = site.arguments.get(1).copied() else {
                    continue;
                };
                let Some(dir) = rule
                    .option("dir")
                    .and_then(|name| self.places.field(view, object, name))
                else {
                    continue;
                };
                let Some(directory) = self.directory(view, site.spot(), dir) else {
                    continue;
                };
                let parent = site
                    .reference
                    .receiver
                    .and_then(|receiver| self.router(site.spot(), receiver, 0));
                let options = self.places.field(view, object, "options");
                let prefix = options.and_then(|options| self.places.field(view, options, "prefix"));
                let prefix = prefix
                    .and_then(|prefix| self.places.string(site.spot(), prefix))
                    .map(|known| known.text)
                    .unwrap_or_default();
                let by_name = self
                    .places
                    .field(view, object, rule.option("by-name").unwrap_or(""))
                    .is_none();
                let inside = format!("{directory}/");
                let files = snapshot
                    .files()
                    .filter(|(_, file)| file.path.as_str().starts_with(&inside))
                    .map(|(id, _)| id);
                for file in files.collect::<Vec<_>>() {
                    let Some(child) = self.exported(file, 0) else {
                        continue;
                    };
                    let below = snapshot
                        .file(file)
                        .path
                        .directory()
                        .strip_prefix(directory.as_str())
                        .unwrap_or("")
                        .to_owned();
                    let text = if by_name {
                        add(&prefix, &below)
                    } else {
                        prefix.clone()
                    };
                    self.mount(
                        child,
                        parent.clone(),
                        Some(&[Known {
                            text,
                            is_whole: true,
                        }]),
                    );
                }
            }
        }
    }

    /// The directory that `join(__dirname, "routes")` means.
    fn directory(
        &self,
        view: &crate::FileView,
        spot: Spot<'_>,
        recipe: RecipeId,
    ) -> Option<String> {
        let parts: Vec<String> = match view.facts.recipe(recipe) {
            Recipe::Call(_, list) => view
                .facts
                .list(list)
                .iter()
                .filter_map(|part| self.places.string(spot, *part))
                .map(|known| known.text)
                .collect(),
            _ => vec![self.places.string(spot, recipe)?.text],
        };
        let own = self
            .places
            .resolver
            .snapshot()
            .file(view.id)
            .path
            .directory()
            .to_owned();
        let mut path: Vec<&str> = own.split('/').filter(|part| !part.is_empty()).collect();
        for part in parts.iter().flat_map(|part| part.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    path.pop()?;
                }
                part => path.push(part),
            }
        }
        Some(path.join("/"))
    }

    fn read_calls(&self) {
        for (rule, site) in self.places.sites(self.framework, "route") {
            let Some(receiver) = site.reference.receiver else {
                continue;
            };
            if rule.option("methods-of").is_some() {
                self.read_method_routers(rule, &site, receiver);
                continue;
            }
            let Some(spec) = rule.option("path") else {
                continue;
            };
            let Some(path) = self.places.argument(&site.view, &site.arguments, spec) else {
                continue;
            };
            let is_any = rule.words.contains(&"any");
            let has_handler = site.arguments.len() >= 2;
            // `router.route("/x").get(list).post(add)`: the path stands before.
            if let Some(routed) = self.routed(&site, receiver) {
                let (inner, path) = routed;
                self.add_routes(
                    rule,
                    &site,
                    inner,
                    vec![path],
                    site.arguments.last().copied(),
                );
                continue;
            }
            if !is_any && (!has_handler || !self.is_router(&site, receiver)) {
                continue;
            }
            // `r.Handle("GET", "/x", h)`: the method stands first.
            let first = self
                .given_method(&site, "0")
                .filter(|method| METHODS.contains(&method.as_str()));
            if let Some(method) =
                first.filter(|_| rule.words.get(1) == Some(&"pattern") && site.arguments.len() >= 3)
            {
                let paths = self.places.texts(&site, "1");
                let symbol = site
                    .arguments
                    .last()
                    .and_then(|handler| self.places.handler(&site, *handler))
                    .or_else(|| site.enclosing());
                self.add(
                    &method,
                    &paths,
                    self.prefixes_of(site.spot(), receiver),
                    symbol,
                    site.file(),
                    site.reference.span,
                );
                continue;
            }
            let paths = self.places.texts(&site, spec);
            if paths.is_empty() && is_any && self.read_endpoint_group(rule, &site, path) {
                continue;
            }
            if paths.is_empty() {
                if is_any
                    || matches!(
                        site.view.facts.recipe(path),
                        Recipe::Literal(_) | Recipe::Operation(..)
                    )
                {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            }
            // What looks like a key, not like a path, is read from a map.
            if !is_any
                && paths.iter().all(|path| {
                    path.is_whole
                        && !path.text.is_empty()
                        && !path.text.starts_with(['/', '*', ':', '^'])
                })
                && !path_like(&paths[0].text, rule)
                && !self.is_surely_router(&site, receiver)
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

    /// `group.MapPut(Update, "{id}")` inside a class that stands for a group: the handler first,
    /// and a prefix made of the class's name.
    fn read_endpoint_group(&self, rule: &Rule, site: &CallSite, handler: RecipeId) -> bool {
        let Some(group) = self.framework.of("endpoint-group").next() else {
            return false;
        };
        let Some(symbol) = self
            .places
            .handler(site, handler)
            .filter(|_| !matches!(site.view.facts.recipe(handler), Recipe::Lambda(..)))
        else {
            return false;
        };
        let class = site
            .reference
            .enclosing
            .and_then(|index| site.view.symbol(index).parent);
        let Some(class) = class.filter(|class| {
            let above = site
                .view
                .facts
                .supertypes
                .iter()
                .filter(|supertype| supertype.symbol == *class);
            above
                .filter_map(|supertype| type_name(&site.view, supertype.ty))
                .any(|name| group.words.contains(&name))
        }) else {
            return false;
        };
        let own = self
            .places
            .argument(&site.view, &site.arguments, "1|pattern")
            .and_then(|path| self.places.string(site.spot(), path));
        let own = own.map(|known| known.text).unwrap_or_default();
        let named = group.option("named").and_then(|property| {
            let index = site
                .view
                .children(Some(class))
                .find(|index| site.view.name_of(*index) == property)?;
            let values = site.view.facts.values(site.view.symbol(index)).to_vec();
            let spot = |value: &facts::SymbolValue| Spot {
                view: &site.view,
                scope: value.scope,
                at: value.at,
            };
            values
                .iter()
                .find_map(|value| self.places.string(spot(value), value.recipe))
                .map(|known| known.text)
        });
        let name = named.unwrap_or_else(|| site.view.name_of(class).to_owned());
        let path = joined(&joined(&self.endpoint_group_prefix(group), &name), &own);
        let method = rule.words.get(1).unwrap_or(&"ANY");
        self.add(
            method,
            &[Known {
                text: path,
                is_whole: true,
            }],
            vec![(String::new(), true)],
            Some(symbol),
            site.file(),
            site.reference.span,
        );
        true
    }

    /// What stands before the name in the program's own `MapGroup($"/api/{name}")`.
    fn endpoint_group_prefix(&self, group: &Rule) -> String {
        let groups = self
            .framework
            .of("group")
            .flat_map(|rule| self.places.calls(self.family(), rule.name()));
        let written = groups.into_iter().find_map(|site| {
            self.places
                .texts(&site, "0")
                .into_iter()
                .find(|known| !known.is_whole)
        });
        written.map_or_else(
            || group.option("prefix").unwrap_or("").to_owned(),
            |known| known.text,
        )
    }

    /// `route("/x", get(list).post(add))`, `resource("/x").route(web::get().to(list))`: the methods
    /// are calls of their own.
    fn read_method_routers(&self, rule: &Rule, site: &CallSite, receiver: RecipeId) {
        let spec = rule.option("methods-of").unwrap_or("1");
        // The same call with one argument less adds methods to a path that stands before.
        let (paths, methods) = match self.places.argument(&site.view, &site.arguments, spec) {
            Some(methods) => (
                rule.option("path")
                    .map(|spec| self.places.texts(site, spec))
                    .unwrap_or_default(),
                Some(methods),
            ),
            None => (
                vec![Known {
                    text: String::new(),
                    is_whole: true,
                }],
                site.arguments.first().copied(),
            ),
        };
        let Some(methods) = methods.filter(|_| self.is_surely_router(site, receiver)) else {
            return;
        };
        let found = self.method_handlers(&site.view, methods);
        if found.is_empty() {
            return;
        }
        if paths.is_empty() {
            self.places.not_understood(site.file(), site.reference.span);
        }
        let prefixes = self.prefixes_of(site.spot(), receiver);
        for (method, handler) in found {
            let symbol = handler
                .and_then(|handler| self.places.handler(site, handler))
                .or_else(|| site.enclosing());
            self.add(
                &method,
                &paths,
                prefixes.clone(),
                symbol,
                site.file(),
                site.reference.span,
            );
        }
    }

    /// `get(list).post(add)` is GET by `list` and POST by `add`; in `web::get().to(list)` the
    /// handler stands behind.
    fn method_handlers(
        &self,
        view: &crate::FileView,
        recipe: RecipeId,
    ) -> Vec<(String, Option<RecipeId>)> {
        let mut found: Vec<(String, Option<RecipeId>)> = Vec::new();
        let mut behind = None;
        let mut next = recipe;
        for _ in 0..32 {
            let Recipe::Call(callee, list) = view.facts.recipe(next) else {
                break;
            };
            let Some(name) = self.places.last_name(view, callee) else {
                break;
            };
            let first = view.facts.list(list).first().copied();
            if self
                .framework
                .words("method-handler")
                .any(|word| word == name)
            {
                behind = first;
            } else if let Some(rule) = self
                .framework
                .of("method-router")
                .find(|rule| rule.name() == name)
            {
                found.push((
                    rule.words.get(1).unwrap_or(&"ANY").to_string(),
                    first.or(behind),
                ));
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
        for (rule, site) in self.places.sites(self.framework, "route-object") {
            let (Some(receiver), Some(&object)) = (site.reference.receiver, site.arguments.first())
            else {
                continue;
            };
            let field = |key: &str| {
                rule.option(key)
                    .and_then(|names| self.places.field(&site.view, object, names))
            };
            let (Some(path), Some(method)) = (field("path"), field("method")) else {
                continue;
            };
            let methods = self.places.strings(site.spot(), method);
            let paths = self.places.strings(site.spot(), path);
            if paths.is_empty() || methods.is_empty() {
                self.places.not_understood(site.file(), site.reference.span);
                continue;
            }
            let symbol = field("handler")
                .and_then(|handler| self.places.handler(&site, handler))
                .or_else(|| site.enclosing());
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
            for (view, annotation, receiver, arguments) in
                self.places.annotated(self.family(), rule.name())
            {
                let is_bare = rule.words.contains(&"bare");
                if receiver.is_none() && !is_bare {
                    continue;
                }
                let spot = Spot {
                    view: &view,
                    scope: view.facts.symbol(annotation.symbol).declared_in,
                    at: annotation.span.start,
                };
                let Some(path) = rule
                    .option("path")
                    .and_then(|spec| self.places.argument(&view, &arguments, spec))
                else {
                    continue;
                };
                let paths = self.places.strings(spot, path);
                if paths.is_empty() {
                    self.places.not_understood(view.id, annotation.span);
                    continue;
                }
                let listed = rule
                    .option("methods")
                    .and_then(|spec| self.places.argument(&view, &arguments, spec))
                    .map(|recipe| self.places.strings(spot, recipe));
                let fixed = rule
                    .words
                    .get(1)
                    .filter(|word| **word != "bare")
                    .copied()
                    .or(rule.option("default"))
                    .unwrap_or("ANY");
                let methods = listed.filter(|listed| !listed.is_empty()).map_or_else(
                    || vec![fixed.to_owned()],
                    |listed| {
                        listed
                            .into_iter()
                            .map(|known| known.text.to_uppercase())
                            .collect()
                    },
                );
                let symbol = SymbolId {
                    file: view.id,
                    index: annotation.symbol,
                };
                // Without an object to hang on, the function itself is mounted.
                let prefixes = match receiver.filter(|_| !is_bare) {
                    Some(receiver) => self.prefixes_of(spot, receiver),
                    None => self.prefixes(&Router::Symbol(symbol), 0),
                };
                for method in methods {
                    self.add(
                        &method,
                        &paths,
                        prefixes.clone(),
                        Some(symbol),
                        view.id,
                        view.facts.symbol(annotation.symbol).name_span,
                    );
                }
            }
        }
    }

    fn add_routes(
        &self,
        rule: &Rule,
        site: &CallSite,
        receiver: RecipeId,
        paths: Vec<Known>,
        handler: Option<RecipeId>,
    ) {
        let symbol = handler
            .and_then(|handler| self.places.handler(site, handler))
            .or_else(|| site.enclosing());
        let prefixes = self.prefixes_of(site.spot(), receiver);
        if prefixes.is_empty() {
            self.places.not_understood(site.file(), site.reference.span);
        }
        let listed = rule
            .option("listed")
            .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
            .map(|recipe| self.places.strings(site.spot(), recipe))
            .unwrap_or_default();
        let fixed = rule
            .words
            .get(1)
            .filter(|word| **word != "any")
            .copied()
            .or(rule.option("default"))
            .unwrap_or("ANY");
        let given = rule
            .option("method")
            .and_then(|spec| self.given_method(site, spec));
        for path in paths {
            // Go's own router writes the method before the path.
            let (method, text) = match (fixed, path.text.split_once(' ')) {
                ("pattern", Some((method, rest)))
                    if method.bytes().all(|byte| byte.is_ascii_uppercase()) =>
                {
                    (method.to_owned(), rest.trim().to_owned())
                }
                ("pattern", _) => (
                    self.chained_method(site)
                        .unwrap_or_else(|| "ANY".to_owned()),
                    path.text.clone(),
                ),
                (fixed, _) => (fixed.to_owned(), path.text.clone()),
            };
            let methods = match (&given, listed.is_empty()) {
                (Some(given), _) => vec![given.clone()],
                (None, true) => method.split(',').map(str::to_owned).collect(),
                (None, false) => listed
                    .iter()
                    .map(|known| known.text.to_uppercase())
                    .collect(),
            };
            let text = rule
                .option("suffix")
                .map_or(text.clone(), |suffix| joined(&text, suffix));
            let known = [Known {
                text,
                is_whole: path.is_whole,
            }];
            for method in methods {
                self.add(
                    &method,
                    &known,
                    prefixes.clone(),
                    symbol,
                    site.file(),
                    site.reference.span,
                );
            }
        }
    }

    /// `"GET"` or `http.MethodGet` among the arguments.
    fn given_method(&self, site: &CallSite, spec: &str) -> Option<String> {
        let recipe = self.places.argument(&site.view, &site.arguments, spec)?;
        let text = match self.places.string(site.spot(), recipe) {
            Some(known) => known.text,
            None => self
                .places
                .last_name(&site.view, recipe)?
                .strip_prefix("Method")?
                .to_owned(),
        };
        Some(text.to_uppercase())
    }

    /// `r.HandleFunc("/x", h).Methods("GET")`.
    fn chained_method(&self, site: &CallSite) -> Option<String> {
        let call = site.reference.call?;
        let methods = site.view.facts.names.find("Methods")?;
        let after = site
            .view
            .facts
            .references_of(methods)
            .iter()
            .find(|reference| reference.receiver == Some(call))?;
        let Recipe::Call(_, list) = site.view.facts.recipe(after.call?) else {
            return None;
        };
        self.places
            .strings(site.spot(), *site.view.facts.list(list).first()?)
            .into_iter()
            .next()
            .map(|known| known.text.to_uppercase())
    }

    fn add(
        &self,
        method: &str,
        paths: &[Known],
        prefixes: Vec<(String, bool)>,
        symbol: Option<SymbolId>,
        file: FileId,
        span: Span,
    ) {
        for path in paths {
            for (prefix, is_whole) in &prefixes {
                self.places.add(ArchitectureFact {
                    kind: ArchitectureKind::Route,
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
            let Recipe::Call(callee, list) = site.view.facts.recipe(recipe) else {
                return None;
            };
            let Recipe::Member(inner, name) = site.view.facts.recipe(callee) else {
                return None;
            };
            if words.contains(&site.view.facts.name(name)) {
                let path = self
                    .places
                    .string(site.spot(), *site.view.facts.list(list).first()?)?;
                return Some((inner, path));
            }
            recipe = inner;
        }
        None
    }

    /// Whether routes can hang on an expression: it was made as a router, is typed as one, or is
    /// called as routers usually are.
    fn is_router(&self, site: &CallSite, receiver: RecipeId) -> bool {
        let usual: Vec<&str> = self.framework.words("named").collect();
        if self
            .places
            .last_name(&site.view, receiver)
            // One letter is the end of many names.
            .is_some_and(|name| {
                usual.contains(&name)
                    || usual
                        .iter()
                        .any(|usual| usual.len() > 2 && name.to_lowercase().ends_with(usual))
            })
        {
            return true;
        }
        self.is_surely_router(site, receiver)
    }

    /// It was made, grouped, mounted or typed as a router; its name alone is not enough.
    fn is_surely_router(&self, site: &CallSite, receiver: RecipeId) -> bool {
        match self.router(site.spot(), receiver, 0) {
            Some(Router::Group(..) | Router::Inline(..)) => true,
            Some(router) => {
                self.maker(&site.view, receiver).is_some()
                    || self.mounts.borrow().contains_key(&router)
                    || self.is_made_or_typed(&router)
            }
            None => false,
        }
    }

    fn is_made_or_typed(&self, router: &Router) -> bool {
        let types: Vec<&str> = self.framework.words("type").collect();
        let typed = |view: &crate::FileView, ty: facts::TypeId| {
            type_name(view, ty).is_some_and(|name| types.contains(&name))
        };
        match router {
            Router::Symbol(symbol) => {
                self.places
                    .resolver
                    .symbol(*symbol)
                    .is_some_and(|(view, declared)| {
                        typed(&view, declared.ty)
                            || view
                                .facts
                                .values(&declared)
                                .iter()
                                .any(|value| self.maker(&view, value.recipe).is_some())
                    })
            }
            Router::Binding(file, binding) => {
                self.places.resolver.view(*file).is_some_and(|view| {
                    let binding = &view.facts.bindings[binding.0 as usize];
                    typed(&view, binding.ty) || self.maker(&view, binding.value).is_some()
                })
            }
            Router::Parameter(symbol, i) => {
                self.places
                    .resolver
                    .symbol(*symbol)
                    .is_some_and(|(view, declared)| {
                        view.facts
                            .parameters(&declared)
                            .get(usize::from(*i))
                            .is_some_and(|parameter| typed(&view, parameter.ty))
                    })
            }
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
                    return self
                        .framework
                        .of("maker")
                        .find(|rule| rule.name() == name)
                        .map(|rule| (rule, recipe));
                }
                Recipe::Call(callee, _) => {
                    let name = self.places.last_name(view, callee)?;
                    let is_on = |rule: &&Rule| {
                        let (wanted, receiver) = (rule.list("on"), receiver_of(view, callee));
                        wanted.is_empty()
                            || receiver
                                .and_then(|receiver| self.places.last_name(view, receiver))
                                .is_some_and(|on| wanted.contains(&on))
                    };
                    if let Some(rule) = self
                        .framework
                        .of("maker")
                        .filter(|rule| rule.name() == name)
                        .find(is_on)
                    {
                        return Some((rule, recipe));
                    }
                    let chains = self.framework.words("chain").any(|chain| chain == name);
                    let Recipe::Member(inner, _) = view.facts.recipe(callee) else {
                        return None;
                    };
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
            Recipe::Await(inner)
            | Recipe::Try(inner)
            | Recipe::Deref(inner)
            | Recipe::Reference(inner) => self.router(spot, inner, depth + 1),
            Recipe::Call(callee, list) => {
                let name = self.places.last_name(spot.view, callee);
                if let Recipe::Member(inner, _) = facts.recipe(callee)
                    && let Some(rule) = self
                        .framework
                        .of("group")
                        .find(|rule| Some(rule.name()) == name)
                {
                    let prefix = rule
                        .option("prefix")
                        .and_then(|spec| self.places.argument(spot.view, facts.list(list), spec))
                        .and_then(|prefix| self.places.string(spot, prefix));
                    let parent = self.router(spot, inner, depth + 1);
                    self.groups.borrow_mut().insert(
                        (spot.view.id, recipe),
                        (parent, prefix.map(|known| known.text).unwrap_or_default()),
                    );
                    return Some(Router::Group(spot.view.id, recipe));
                }
                if self
                    .framework
                    .words("wrapper")
                    .any(|wrapper| Some(wrapper) == name)
                {
                    let inner = self.router(spot, *facts.list(list).first()?, depth + 1)?;
                    self.unprefixed.borrow_mut().insert(inner.clone());
                    return Some(inner);
                }
                let made = self.maker(spot.view, recipe);
                if made.is_some()
                    && let Some(inline) = self.inline_at(spot.view.id, spot.at)
                {
                    return Some(inline);
                }
                if let Some(holder) = self.holder(spot, recipe) {
                    return Some(holder);
                }
                if let Some((_, made)) = made {
                    let around = self
                        .returns_routers()
                        .then(|| function_around(spot.view, spot.scope))
                        .flatten();
                    return Some(around.map_or(Router::Made(spot.view.id, made), Router::Symbol));
                }
                // A function that makes one.
                if self.returns_routers()
                    && let Some(Found::Symbol(function)) = self.places.meaning(spot, callee)
                    && self
                        .places
                        .resolver
                        .symbol(function)
                        .is_some_and(|(_, declared)| declared.kind.is_callable())
                    && !self.is_typed_self(spot, callee)
                {
                    return Some(Router::Symbol(function));
                }
                match facts.recipe(callee) {
                    // Conventions chained after a group or a route: `.RequireAuthorization()`.
                    Recipe::Member(inner, _) => self.router(spot, inner, depth + 1),
                    _ => self.found(self.places.meaning(spot, recipe)?, depth + 1),
                }
            }
            Recipe::New(..) => self
                .holder(spot, recipe)
                .or(Some(Router::Made(spot.view.id, recipe))),
            Recipe::Name(name) => match self.places.meaning(spot, recipe) {
                Some(found) => self.found(found, depth + 1),
                None => self.imported(spot.view, name, depth + 1),
            },
            Recipe::Member(..) | Recipe::Scoped(..) | Recipe::Symbol(_) => {
                self.found(self.places.meaning(spot, recipe)?, depth + 1)
            }
            _ => None,
        }
    }

    /// A default import of an expression, which has no name of its own.
    fn imported(&self, view: &crate::FileView, name: facts::NameId, depth: u32) -> Option<Router> {
        let import = view.facts.imports.iter().find(|import| {
            import.local == Some(name)
                && matches!(import.kind, ImportKind::Default | ImportKind::Module)
        })?;
        self.exported(
            self.places
                .relative_file(view, view.facts.name(import.module))?,
            depth,
        )
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
        // Equal expressions share one recipe: what this place is a part of comes first.
        let mut holders: Vec<(bool, Router)> = Vec::new();
        if facts
            .exports
            .iter()
            .any(|export| export.value.is_known() && holds(export.value))
        {
            holders.push((false, Router::Export(spot.view.id)));
        }
        for (index, symbol) in facts
            .symbols_with_index()
            .filter(|(_, symbol)| symbol.kind.is_value())
        {
            if facts.values(symbol).iter().any(|value| holds(value.recipe)) {
                let is_around = symbol.span.contains(spot.at)
                    || symbol.name_span.end <= spot.at
                        && is_one_statement(spot, symbol.name_span.end);
                holders.push((
                    is_around,
                    Router::Symbol(SymbolId {
                        file: spot.view.id,
                        index,
                    }),
                ));
            }
        }
        for (i, binding) in facts
            .bindings
            .iter()
            .enumerate()
            .filter(|(_, binding)| binding.value.is_known() && holds(binding.value))
        {
            let is_around = binding.name_span.start <= spot.at && spot.at < binding.from;
            holders.push((
                is_around,
                Router::Binding(spot.view.id, BindingId(i as u32)),
            ));
        }
        let around = holders.iter().position(|(is_around, _)| *is_around);
        let is_made = self.maker(spot.view, recipe).is_some();
        match around {
            Some(i) => Some(holders.swap_remove(i).1),
            // An expression of its own: exported, or what its function gives.
            None if is_made && self.returns_routers() => holders
                .into_iter()
                .map(|(_, router)| router)
                .find(|router| {
                    matches!(router, Router::Export(_))
                        && function_around(spot.view, spot.scope).is_none()
                }),
            None => holders.into_iter().next().map(|(_, router)| router),
        }
    }

    /// A method on the router itself, which gives the router back.
    fn is_typed_self(&self, spot: Spot<'_>, callee: RecipeId) -> bool {
        let Some(receiver) = receiver_of(spot.view, callee) else {
            return false;
        };
        self.router(spot, receiver, MAX_DEPTH - 1)
            .is_some_and(|router| self.is_made_or_typed(&router))
    }

    fn found(&self, found: Found, depth: u32) -> Option<Router> {
        if depth > MAX_DEPTH {
            return None;
        }
        match found {
            Found::Symbol(symbol) => {
                let (view, declared) = self.places.resolver.symbol(symbol)?;
                // Another name for the same object.
                for value in view
                    .facts
                    .values(&declared)
                    .iter()
                    .filter(|_| declared.kind.is_value())
                {
                    let spot = Spot {
                        view: &view,
                        scope: value.scope,
                        at: value.at,
                    };
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
                        (ScopeKind::Lambda, None) => {
                            Some(Router::LambdaParameter(file, binding.scope))
                        }
                        (_, Some(owner)) => Some(Router::Parameter(
                            SymbolId { file, index: owner },
                            binding.parameter.unwrap_or(0),
                        )),
                        _ => None,
                    };
                }
                let spot = Spot {
                    view: &view,
                    scope: binding.scope,
                    at: binding.from.saturating_sub(1),
                };
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
                if let Some(group) = self.group_in(spot.view, value) {
                    return self.router(spot, group, depth + 1);
                }
                let wraps = self
                    .framework
                    .words("wrapper")
                    .any(|wrapper| wrapper == name);
                if wraps {
                    return self.router(spot, value, depth + 1);
                }
                if self.maker(spot.view, value).is_some() {
                    return None;
                }
                let Recipe::Call(_, list) = spot.view.facts.recipe(value) else {
                    return None;
                };
                let required = (name == "require")
                    .then(|| {
                        self.places
                            .string(spot, *spot.view.facts.list(list).first()?)
                    })
                    .flatten();
                if let Some(file) = required
                    .and_then(|required| self.places.relative_file(spot.view, &required.text))
                {
                    return self.exported(file, depth + 1);
                }
                match self
                    .places
                    .resolver
                    .eval(spot.view, spot.scope, spot.at, value)
                {
                    crate::Ty::Module(Module::File(file)) => self.exported(file, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The call of a chain that makes a group: `app.MapGroup("x")` of
    /// `app.MapGroup("x").RequireAuthorization()`.
    fn group_in(&self, view: &crate::FileView, mut recipe: RecipeId) -> Option<RecipeId> {
        for _ in 0..MAX_DEPTH {
            let Recipe::Call(callee, _) = view.facts.recipe(recipe) else {
                return None;
            };
            let name = self.places.last_name(view, callee);
            if self
                .framework
                .of("group")
                .any(|rule| Some(rule.name()) == name)
            {
                return Some(recipe);
            }
            let Recipe::Member(inner, _) = view.facts.recipe(callee) else {
                return None;
            };
            recipe = inner;
        }
        None
    }

    /// What a file exports as a whole.
    fn exported(&self, file: FileId, depth: u32) -> Option<Router> {
        let view = self.places.resolver.view(file)?;
        let export = view
            .facts
            .exports
            .iter()
            .find(|export| matches!(view.facts.name(export.exported), "default" | "="))?;
        let spot = Spot {
            view: &view,
            scope: ScopeId::FILE,
            at: view.facts.lines.text_len(),
        };
        if let Some(local) = export.local {
            let found = self.places.resolver.name_at(
                &view,
                ScopeId::FILE,
                spot.at,
                view.facts.name(local),
            )?;
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
                let Some((parent, prefix)) = group else {
                    return root();
                };
                let above = parent.map_or_else(root, |parent| self.prefixes(&parent, depth + 1));
                above
                    .into_iter()
                    .map(|(above, whole)| (add(&above, &prefix), whole))
                    .collect()
            }
            Router::Parameter(function, i) => {
                let mut all = mounted;
                // A plugin is mounted as a function, and gets the router as its first parameter.
                if *i == 0 {
                    all.extend(self.mounted(&Router::Symbol(*function), depth));
                }
                all.extend(self.handed_in(*function, *i, depth));
                if all.is_empty() && !self.is_never_called(*function) {
                    root()
                } else {
                    all
                }
            }
            router => {
                let own = self.own_prefix(router);
                let mounted = if mounted.is_empty() {
                    self.of_function(router, depth)
                } else {
                    mounted
                };
                let above = if mounted.is_empty() { root() } else { mounted };
                above
                    .into_iter()
                    .map(|(above, whole)| (add(&above, &own), whole))
                    .collect()
            }
        }
    }

    fn mounted(&self, router: &Router, depth: u32) -> Vec<(String, bool)> {
        let mounts: Vec<(Option<Router>, String, bool)> = match self.mounts.borrow().get(router) {
            Some(mounts) => mounts
                .iter()
                .map(|mount| (mount.parent.clone(), mount.prefix.clone(), mount.is_whole))
                .collect(),
            None => return Vec::new(),
        };
        let mut all = Vec::new();
        for (parent, prefix, is_whole) in mounts {
            let above = match parent {
                Some(parent) if parent != *router => self.prefixes(&parent, depth + 1),
                _ => vec![(String::new(), true)],
            };
            all.extend(
                above
                    .into_iter()
                    .map(|(above, whole)| (add(&above, &prefix), whole && is_whole)),
            );
        }
        all.sort();
        all.dedup();
        all
    }

    /// Where the function that makes a router is mounted.
    fn of_function(&self, router: &Router, depth: u32) -> Vec<(String, bool)> {
        if !self.returns_routers() {
            return Vec::new();
        }
        let Router::Binding(file, binding) = router else {
            return Vec::new();
        };
        let Some(view) = self.places.resolver.view(*file) else {
            return Vec::new();
        };
        let scope = view.facts.bindings[binding.0 as usize].scope;
        function_around(&view, scope)
            .map(|function| self.mounted(&Router::Symbol(function), depth))
            .unwrap_or_default()
    }

    /// Whether a function that only its name can call is named nowhere in a program: what it would
    /// map is not mapped. In a repository without a program of its own, it is there for others to
    /// call.
    fn is_never_called(&self, function: SymbolId) -> bool {
        let Some((view, declared)) = self.places.resolver.symbol(function) else {
            return false;
        };
        let is_program = || {
            self.framework
                .words("program")
                .any(|maker| !self.places.calls(self.family(), maker).is_empty())
        };
        declared.modifiers.contains(facts::Modifiers::EXTENSION) && is_program() && {
            let name = view.name_of(function.index);
            let mentions = |view: &crate::FileView| {
                view.facts
                    .names
                    .find(name)
                    .is_some_and(|name| !view.facts.references_of(name).is_empty())
            };
            !self
                .places
                .mentioning(self.family(), name)
                .iter()
                .any(|view| mentions(view))
        }
    }

    /// What calls of a function hand in for one of its parameters.
    fn handed_in(&self, function: SymbolId, i: u16, depth: u32) -> Vec<(String, bool)> {
        let mut all = Vec::new();
        for mention in query::references(self.places.resolver, function).value {
            if super::is_aside(self.places.resolver.snapshot(), mention.file) {
                continue;
            }
            let Some(view) = self
                .places
                .resolver
                .view(mention.file)
                .filter(|_| mention.role == Role::Call)
            else {
                continue;
            };
            let Some(reference) =
                view.facts.references.iter().find(|reference| {
                    reference.span == mention.span && reference.role == Role::Call
                })
            else {
                continue;
            };
            let Some(Recipe::Call(_, list)) = reference.call.map(|call| view.facts.recipe(call))
            else {
                continue;
            };
            let spot = Spot {
                view: &view,
                scope: reference.scope,
                at: reference.span.start,
            };
            let is_extension =
                self.places
                    .resolver
                    .symbol(function)
                    .is_some_and(|(_, declared)| {
                        declared.modifiers.contains(facts::Modifiers::EXTENSION)
                    });
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
            self.places
                .string(Spot { view, scope, at }, prefix)
                .map(|known| known.text)
        };
        let found = match router {
            Router::Symbol(symbol) => {
                self.places
                    .resolver
                    .symbol(*symbol)
                    .and_then(|(view, declared)| {
                        view.facts
                            .values(&declared)
                            .iter()
                            .find_map(|value| made(&view, value.scope, value.at, value.recipe))
                    })
            }
            Router::Binding(file, binding) => self.places.resolver.view(*file).and_then(|view| {
                let binding = view.facts.bindings[binding.0 as usize].clone();
                made(
                    &view,
                    binding.scope,
                    binding.from.saturating_sub(1),
                    binding.value,
                )
            }),
            Router::Made(file, recipe) => self
                .places
                .resolver
                .view(*file)
                .and_then(|view| made(&view, ScopeId::FILE, u32::MAX, *recipe)),
            Router::Inline(file, start) => self.places.resolver.view(*file).and_then(|view| {
                let mut sites = self
                    .framework
                    .of("maker")
                    .filter_map(|rule| view.facts.names.find(rule.name()));
                // The call that makes it is the first of the argument.
                let first = sites
                    .by_ref()
                    .flat_map(|name| {
                        view.facts
                            .references_of(name)
                            .iter()
                            .filter(|reference| reference.call.is_some())
                    })
                    .filter(|reference| {
                        reference.span.start >= *start
                            && self.inline_at(*file, reference.span.start) == Some(router.clone())
                    })
                    .min_by_key(|reference| reference.span.start)?;
                made(&view, first.scope, first.span.start, first.call?)
            }),
            _ => None,
        };
        found.unwrap_or_default()
    }
}

/// The function whose body a scope is part of.
fn function_around(view: &crate::FileView, scope: ScopeId) -> Option<SymbolId> {
    let mut scope = scope;
    loop {
        let here = view.facts.scope(scope);
        if let Some(owner) = here.owner.filter(|owner| {
            here.kind == ScopeKind::Function && view.facts.symbol(*owner).kind.is_callable()
        }) {
            return Some(SymbolId {
                file: view.id,
                index: owner,
            });
        }
        if here.parent == scope {
            return None;
        }
        scope = here.parent;
    }
}

fn receiver_of(view: &crate::FileView, callee: RecipeId) -> Option<RecipeId> {
    match view.facts.recipe(callee) {
        Recipe::Member(receiver, _) | Recipe::Scoped(receiver, _) => Some(receiver),
        Recipe::TypeArguments(inner, _) => receiver_of(view, inner),
        _ => None,
    }
}

/// Whether no other binding of the file begins between two places.
fn is_one_statement(spot: Spot<'_>, start: u32) -> bool {
    let facts = &spot.view.facts;
    let between = |at: u32| at > start && at <= spot.at;
    !facts
        .symbols_with_index()
        .any(|(_, symbol)| between(symbol.name_span.start))
        && !facts
            .exports
            .iter()
            .any(|export| between(export.name_span.start))
}

fn add(above: &str, below: &str) -> String {
    if above.is_empty() && below.is_empty() {
        String::new()
    } else {
        joined(above, below)
    }
}

fn path_like(text: &str, rule: &Rule) -> bool {
    rule.option("listed").is_some() || text.contains('/')
}

pub fn type_name(view: &crate::FileView, mut ty: facts::TypeId) -> Option<&str> {
    for _ in 0..8 {
        match view.facts.type_recipe(ty) {
            facts::TypeRecipe::Name(name) | facts::TypeRecipe::Scoped(_, name) => {
                return Some(view.facts.name(name));
            }
            facts::TypeRecipe::Apply(inner, _)
            | facts::TypeRecipe::Pointer(inner)
            | facts::TypeRecipe::Reference(inner)
            | facts::TypeRecipe::Optional(inner) => ty = inner,
            _ => return None,
        }
    }
    None
}
