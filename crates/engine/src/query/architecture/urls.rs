//! Tables of addresses that include one another: `path("orders/", include("orders.urls"))`, and
//! what routers of view sets add to them.
//!
//! A table is a list under a name in a file. An entry stands in the lists that hold its call; what
//! stands in none of them (`urlpatterns += [...]`) belongs to the file's own table.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Recipe, RecipeId, ScopeId};

use super::{
    ArchitectureFact, ArchitectureKind, joined,
    places::{CallSite, Known, Places, Spot},
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, Found, SymbolId};

pub fn read(places: &Places<'_>, framework: &Framework) {
    if framework.of("url").next().is_none() {
        return;
    }
    let urls = Urls {
        places,
        framework,
        main: framework
            .of("url")
            .flat_map(|rule| rule.list("table"))
            .next()
            .unwrap_or("urlpatterns"),
    };
    urls.read();
}

struct Urls<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
    /// The name of a file's own table.
    main: &'static str,
}

type Table = (FileId, String);

/// A path with what it leads to.
struct Entry<'s> {
    site: &'s CallSite,
    path: Known,
    symbol: Option<SymbolId>,
    method: &'static str,
}

impl Urls<'_> {
    fn read(&self) {
        let sites = self.places.sites(self.framework, "url");
        let mut mounts: BTreeMap<Table, Vec<(Table, String)>> = BTreeMap::new();
        let mut entries: Vec<(Table, Entry<'_>)> = Vec::new();
        let mut lists: BTreeMap<FileId, Vec<(String, RecipeId)>> = BTreeMap::new();
        for (rule, site) in &sites {
            // `include([path(...), ...])`: a list without a name.
            let target = rule
                .option("target")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec));
            let inner = target.and_then(|target| match site.view.facts.recipe(target) {
                Recipe::Call(_, list) => site.view.facts.list(list).first().copied(),
                _ => None,
            });
            let inner = inner.map(|inner| match site.view.facts.recipe(inner) {
                Recipe::Tuple(items) => site
                    .view
                    .facts
                    .list(items)
                    .first()
                    .copied()
                    .unwrap_or(inner),
                _ => inner,
            });
            if let Some(inner) =
                inner.filter(|inner| matches!(site.view.facts.recipe(*inner), Recipe::List(_)))
            {
                lists
                    .entry(site.file())
                    .or_insert_with(|| tables_of(&site.view))
                    .push((inline_name(inner), inner));
            }
        }
        for (rule, site) in &sites {
            let lists = lists
                .entry(site.file())
                .or_insert_with(|| tables_of(&site.view));
            // Only in files that hold a table of addresses.
            if !lists.iter().any(|(name, _)| name == self.main)
                && site.view.facts.names.find(self.main).is_none()
                && lists.is_empty()
            {
                continue;
            }
            let argument = |key: &str| {
                rule.option(key)
                    .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
            };
            let Some(target) = argument("target") else {
                continue;
            };
            let known = rule
                .option("path")
                .map(|spec| self.places.texts(site, spec))
                .unwrap_or_default();
            let Some(path) = known.into_iter().next() else {
                // An empty beginning that is worked out when the program starts is the usual case.
                if self.included(rule, site, target).is_some() {
                    self.places.not_understood(site.file(), site.reference.span);
                    for own in self.homes(lists, site) {
                        self.include(&mut mounts, own, rule, site, target, String::new());
                    }
                } else {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            };
            for own in self.homes(lists, site) {
                if self.included(rule, site, target).is_some() {
                    self.include(&mut mounts, own, rule, site, target, path.text.clone());
                } else {
                    let symbol = self.handler(site, target);
                    let method = rule.option("method").unwrap_or("ANY");
                    entries.push((
                        own,
                        Entry {
                            site,
                            path: path.clone(),
                            symbol,
                            method,
                        },
                    ));
                }
            }
        }
        self.join_lists(&lists, &mut mounts);
        for (table, entry) in &entries {
            for prefix in self.prefixes(&mounts, table, 0) {
                self.add(
                    &joined(&prefix, &plain(&entry.path.text)),
                    entry.method,
                    entry.symbol,
                    entry.site,
                    self.places.certainty(entry.path.is_whole, true),
                );
            }
        }
        self.read_view_sets(&mounts);
    }

    fn add(
        &self,
        path: &str,
        method: &str,
        symbol: Option<SymbolId>,
        site: &CallSite,
        certainty: super::Certainty,
    ) {
        self.places.add(ArchitectureFact {
            kind: ArchitectureKind::Route,
            framework: "",
            value: path.to_owned(),
            detail: method.to_owned(),
            schema: None,
            symbol,
            other: None,
            file: site.file(),
            span: site.reference.span,
            certainty,
        });
    }

    /// The tables that an entry stands in.
    fn homes(&self, lists: &[(String, RecipeId)], site: &CallSite) -> Vec<Table> {
        let Some(call) = site.reference.call else {
            return Vec::new();
        };
        let mut homes: BTreeSet<String> = BTreeSet::new();
        let closed: Vec<&str> = self
            .framework
            .of("url")
            .flat_map(|rule| [Some(rule.name()), rule.option("include")])
            .flatten()
            .collect();
        for (name, list) in lists {
            if mentions(self.places, &site.view, *list, call, &closed, 0) {
                homes.insert(name.clone());
            }
        }
        if homes.is_empty() {
            homes.insert(self.main.to_owned());
        }
        homes.into_iter().map(|name| (site.file(), name)).collect()
    }

    fn include(
        &self,
        mounts: &mut BTreeMap<Table, Vec<(Table, String)>>,
        own: Table,
        rule: &Rule,
        site: &CallSite,
        target: RecipeId,
        prefix: String,
    ) {
        match self.included(rule, site, target).flatten() {
            Some(below) if below != own => mounts.entry(below).or_default().push((own, prefix)),
            Some(_) => {}
            None => {
                // Routers of view sets are read on their own.
                self.places.not_understood(site.file(), site.reference.span);
            }
        }
    }

    /// The table that is included; `Some(None)` where an inclusion cannot be followed.
    fn included(&self, rule: &Rule, site: &CallSite, target: RecipeId) -> Option<Option<Table>> {
        let view = &site.view;
        let first = match view.facts.recipe(target) {
            Recipe::Call(callee, list)
                if self.places.last_name(view, callee) == rule.option("include") =>
            {
                *view.facts.list(list).first()?
            }
            _ => return None,
        };
        let first = match view.facts.recipe(first) {
            Recipe::Tuple(items) => *view.facts.list(items).first()?,
            _ => first,
        };
        if let Recipe::List(_) = view.facts.recipe(first) {
            return Some(Some((view.id, inline_name(first))));
        }
        if let Recipe::Member(router, name) = view.facts.recipe(first)
            && view.facts.name(name) == "urls"
        {
            // `include(router.urls)`: the routes of that router; `include(shop.urls)` is a module.
            if let Some(name) = self.router_name(site.spot(), router) {
                return Some(Some(name));
            }
        }
        if let Some(module) = self.places.string(site.spot(), first) {
            return Some(
                self.module_file(&module.text)
                    .map(|file| (file, self.main.to_owned())),
            );
        }
        match self.places.meaning(site.spot(), first) {
            Some(Found::Module(crate::Module::File(file))) => {
                Some(Some((file, self.main.to_owned())))
            }
            Some(Found::Symbol(symbol)) => {
                Some(Some((symbol.file, self.places.resolver.name(symbol))))
            }
            Some(Found::Binding(file, id)) => {
                let view = self.places.resolver.view(file)?;
                let name = view
                    .facts
                    .name(view.facts.bindings[id.0 as usize].name)
                    .to_owned();
                Some(Some((file, name)))
            }
            _ => Some(None),
        }
    }

    fn module_file(&self, module: &str) -> Option<FileId> {
        let snapshot = self.places.resolver.snapshot();
        let path = module.replace('.', "/");
        let ends = [format!("{path}.py"), format!("{path}/__init__.py")];
        ends.iter().find_map(|end| {
            let mut files = snapshot.files().filter(|(_, file)| {
                file.path.as_str() == end || file.path.as_str().ends_with(&format!("/{end}"))
            });
            files.next().map(|(id, _)| id)
        })
    }

    /// The table that a variable holding a router stands for.
    fn router_name(&self, spot: Spot<'_>, router: RecipeId) -> Option<Table> {
        let makers: Vec<&str> = self.framework.words("url-router").collect();
        let is_made = |view: &FileView, recipe: RecipeId| match view.facts.recipe(recipe) {
            Recipe::Call(callee, _) => self
                .places
                .last_name(view, callee)
                .is_some_and(|name| makers.contains(&name) || name.ends_with("Router")),
            Recipe::New(ty, _) => super::routers::type_name(view, ty)
                .is_some_and(|name| makers.contains(&name) || name.ends_with("Router")),
            _ => false,
        };
        match self.places.meaning(spot, router)? {
            Found::Symbol(symbol) => {
                let (view, declared) = self.places.resolver.symbol(symbol)?;
                let made = view
                    .facts
                    .values(&declared)
                    .iter()
                    .any(|value| is_made(&view, value.recipe));
                made.then(|| (symbol.file, view.name_of(symbol.index).to_owned()))
            }
            Found::Binding(file, id) => {
                let view = self.places.resolver.view(file)?;
                let binding = &view.facts.bindings[id.0 as usize];
                is_made(&view, binding.value)
                    .then(|| (file, view.facts.name(binding.name).to_owned()))
            }
            _ => None,
        }
    }

    /// `urlpatterns = admin_urls + [...]` and `urlpatterns += router.urls`: a list inside another
    /// list.
    fn join_lists(
        &self,
        lists: &BTreeMap<FileId, Vec<(String, RecipeId)>>,
        mounts: &mut BTreeMap<Table, Vec<(Table, String)>>,
    ) {
        for (file, tables) in lists {
            let Some(view) = self.places.resolver.view(*file) else {
                continue;
            };
            for (name, recipe) in tables {
                for part in summands(&view, *recipe, 0) {
                    let spot = Spot {
                        view: &view,
                        scope: ScopeId::FILE,
                        at: view.facts.lines.text_len(),
                    };
                    let inner = match view.facts.recipe(part) {
                        Recipe::Name(inner) => Some((*file, view.facts.name(inner).to_owned())),
                        Recipe::Member(router, urls) if view.facts.name(urls) == "urls" => {
                            self.router_name(spot, router)
                        }
                        _ => None,
                    };
                    if let Some(inner) = inner.filter(|inner| *inner != (*file, name.clone())) {
                        mounts
                            .entry(inner)
                            .or_default()
                            .push(((*file, name.clone()), String::new()));
                    }
                }
            }
        }
        // `urlpatterns += router.urls` has no value of its own.
        for view in self.places.mentioning(self.framework.family, "urls") {
            let Some(urls) = view.facts.names.find("urls") else {
                continue;
            };
            for reference in view.facts.references_of(urls) {
                let Some(receiver) = reference.receiver else {
                    continue;
                };
                let spot = Spot {
                    view: &view,
                    scope: reference.scope,
                    at: reference.span.start,
                };
                let Some(table) = self.router_name(spot, receiver) else {
                    continue;
                };
                if !mounts.contains_key(&table) {
                    mounts
                        .entry(table)
                        .or_default()
                        .push(((view.id, self.main.to_owned()), String::new()));
                }
            }
        }
    }

    /// `router.register("orders", OrderViewSet)` stands for a list and a detail address, and one
    /// for each extra action.
    fn read_view_sets(&self, mounts: &BTreeMap<Table, Vec<(Table, String)>>) {
        for (rule, site) in self.places.sites(self.framework, "url-register") {
            let argument = |key: &str| {
                rule.option(key)
                    .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
            };
            let (Some(receiver), Some(target)) = (site.reference.receiver, argument("target"))
            else {
                continue;
            };
            let Some(table) = self.router_name(site.spot(), receiver) else {
                continue;
            };
            let Some(path) = rule
                .option("path")
                .and_then(|spec| self.places.texts(&site, spec).into_iter().next())
            else {
                self.places.not_understood(site.file(), site.reference.span);
                continue;
            };
            let class = self.handler(&site, target);
            let offers = class.map(|class| self.offers(class)).unwrap_or_default();
            let slash = if self.has_no_slash(&table) { "" } else { "/" };
            let own = plain(&path.text);
            let own = own.trim_end_matches('/');
            for prefix in self.prefixes(mounts, &table, 0) {
                let base = joined(&prefix, own);
                let certainty = self.places.certainty(path.is_whole, true);
                if offers.list {
                    self.add(&format!("{base}{slash}"), "ANY", class, &site, certainty);
                }
                if offers.detail {
                    self.add(
                        &format!("{base}/<{}>{slash}", offers.parameter),
                        "ANY",
                        class,
                        &site,
                        certainty,
                    );
                }
                for (name, is_detail, symbol) in &offers.actions {
                    let middle = if *is_detail {
                        format!("/<{}>", offers.parameter)
                    } else {
                        String::new()
                    };
                    self.add(
                        &format!("{base}{middle}/{name}{slash}"),
                        "ANY",
                        Some(*symbol),
                        &site,
                        certainty,
                    );
                }
            }
        }
    }

    fn has_no_slash(&self, (file, name): &Table) -> bool {
        let Some(text) = self.places.text(*file) else {
            return false;
        };
        text.lines().any(|line| {
            line.trim_start().starts_with(name.as_str())
                && line.replace(' ', "").contains("trailing_slash=False")
        })
    }

    /// What a view set answers, by its bases and its own methods.
    fn offers(&self, class: SymbolId) -> Offers {
        let mut offers = Offers {
            parameter: "pk".to_owned(),
            ..Offers::default()
        };
        let mut next = vec![class];
        for _ in 0..16 {
            let Some(current) = next.pop() else { break };
            let Some(view) = self.places.resolver.view(current.file) else {
                continue;
            };
            for index in view.children(Some(current.index)) {
                match view.name_of(index) {
                    "list" | "create" => offers.list = true,
                    "retrieve" | "update" | "partial_update" | "destroy" => offers.detail = true,
                    "lookup_field" | "lookup_url_kwarg" => {
                        let values = view.facts.values(view.symbol(index)).to_vec();
                        let known = values.iter().find_map(|value| {
                            self.places.string(
                                Spot {
                                    view: &view,
                                    scope: value.scope,
                                    at: value.at,
                                },
                                value.recipe,
                            )
                        });
                        offers.parameter = known.map_or(offers.parameter, |known| known.text);
                    }
                    name => {
                        for arguments in
                            ["action", "detail_route", "list_route"]
                                .iter()
                                .flat_map(|word| {
                                    self.places
                                        .annotations_of(&view, index, word)
                                        .into_iter()
                                        .map(move |arguments| (*word, arguments))
                                })
                        {
                            let (word, arguments) = arguments;
                            let spot = Spot {
                                view: &view,
                                scope: ScopeId::FILE,
                                at: view.symbol(index).span.start,
                            };
                            let path = self
                                .places
                                .argument(&view, &arguments, "url_path")
                                .and_then(|path| self.places.string(spot, path));
                            let text = self.places.text(view.id).unwrap_or_default();
                            let header = text
                                .get(
                                    view.symbol(index).span.start as usize
                                        ..view.symbol(index).name_span.start as usize,
                                )
                                .unwrap_or("");
                            let is_detail = word == "detail_route"
                                || header.replace(' ', "").contains("detail=True");
                            let path = path.map_or(name.to_owned(), |known| known.text);
                            offers.actions.push((
                                path,
                                is_detail,
                                SymbolId {
                                    file: view.id,
                                    index,
                                },
                            ));
                        }
                    }
                }
            }
            for supertype in view
                .facts
                .supertypes
                .iter()
                .filter(|supertype| supertype.symbol == current.index)
            {
                match super::routers::type_name(&view, supertype.ty).unwrap_or("") {
                    "ModelViewSet" => (offers.list, offers.detail) = (true, true),
                    "ReadOnlyModelViewSet" => (offers.list, offers.detail) = (true, true),
                    "ListModelMixin" | "CreateModelMixin" => offers.list = true,
                    "RetrieveModelMixin" | "UpdateModelMixin" | "DestroyModelMixin" => {
                        offers.detail = true
                    }
                    _ => {}
                }
            }
            for supertype in self.places.resolver.supertypes(current).iter() {
                if let crate::Ty::Instance(of, _) | crate::Ty::Type(of, _) = &supertype.ty {
                    next.push(*of);
                }
            }
        }
        offers
    }

    /// The function, or the class of `View.as_view()`.
    fn handler(&self, site: &CallSite, target: RecipeId) -> Option<SymbolId> {
        let mut recipe = target;
        for _ in 0..8 {
            recipe = match site.view.facts.recipe(recipe) {
                Recipe::Call(callee, list) => match site.view.facts.recipe(callee) {
                    Recipe::Member(class, name) if site.view.facts.name(name) == "as_view" => class,
                    // A wrapped view: `login_required(Profile.as_view())`.
                    _ => *site.view.facts.list(list).first()?,
                },
                _ => break,
            };
        }
        match self.places.meaning(site.spot(), recipe)? {
            Found::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn prefixes(
        &self,
        mounts: &BTreeMap<Table, Vec<(Table, String)>>,
        table: &Table,
        depth: u32,
    ) -> Vec<String> {
        let Some(above) = mounts.get(table).filter(|_| depth < 10) else {
            return vec![String::new()];
        };
        let mut all = Vec::new();
        for (parent, prefix) in above {
            all.extend(
                self.prefixes(mounts, parent, depth + 1)
                    .into_iter()
                    .map(|above| joined(&above, &plain(prefix))),
            );
        }
        all.sort();
        all.dedup();
        all
    }
}

#[derive(Default)]
struct Offers {
    list: bool,
    detail: bool,
    parameter: String,
    /// Path, whether it belongs to one object, and its method.
    actions: Vec<(String, bool, SymbolId)>,
}

/// Lists under a name at the top of a file.
fn tables_of(view: &FileView) -> Vec<(String, RecipeId)> {
    let mut tables = Vec::new();
    for (index, symbol) in view
        .facts
        .symbols_with_index()
        .filter(|(_, symbol)| symbol.parent.is_none() && symbol.kind.is_value())
    {
        for value in view.facts.values(symbol) {
            tables.push((view.name_of(index).to_owned(), value.recipe));
        }
    }
    tables
}

fn inline_name(list: RecipeId) -> String {
    format!("#{}", list.0)
}

/// Whether a call is an item of a list, or of what is added to it; what stands inside a `closed`
/// call belongs to that.
fn mentions(
    places: &Places<'_>,
    view: &FileView,
    recipe: RecipeId,
    call: RecipeId,
    closed: &[&str],
    depth: u32,
) -> bool {
    if recipe == call {
        return depth > 0;
    }
    if depth > 6 {
        return false;
    }
    let inner = |recipe: RecipeId| mentions(places, view, recipe, call, closed, depth + 1);
    match view.facts.recipe(recipe) {
        Recipe::List(list) | Recipe::Tuple(list) => {
            view.facts.list(list).iter().any(|item| inner(*item))
        }
        Recipe::Operation(a, b) | Recipe::Either(a, b) => inner(a) || inner(b),
        Recipe::Spread(item) => inner(item),
        Recipe::Call(callee, list)
            if places
                .last_name(view, callee)
                .is_none_or(|name| !closed.contains(&name)) =>
        {
            view.facts.list(list).iter().any(|item| inner(*item))
        }
        _ => false,
    }
}

/// `a` and `b` of `a + b`.
fn summands(view: &FileView, recipe: RecipeId, depth: u32) -> Vec<RecipeId> {
    match view.facts.recipe(recipe) {
        Recipe::Operation(a, b) if depth < 16 => {
            [summands(view, a, depth + 1), summands(view, b, depth + 1)].concat()
        }
        Recipe::List(list) if depth < 16 => {
            let spread =
                view.facts
                    .list(list)
                    .iter()
                    .filter_map(|item| match view.facts.recipe(*item) {
                        Recipe::Spread(inner) => Some(inner),
                        _ => None,
                    });
            spread.collect()
        }
        Recipe::Call(_, list) => view.facts.list(list).first().copied().into_iter().collect(),
        Recipe::Name(_) | Recipe::Member(..) => vec![recipe],
        _ => Vec::new(),
    }
}

/// Without the anchor of a regular expression.
fn plain(path: &str) -> String {
    path.trim_start_matches('^').to_owned()
}
