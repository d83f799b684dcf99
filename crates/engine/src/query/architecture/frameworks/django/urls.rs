//! Tables of addresses that include one another: `path("orders/", include("orders.urls"))`.
//!
//! A table is a list under a name in a file. An entry belongs to the lists that hold its call; what
//! is in none of them (`urlpatterns += [...]`) belongs to the file's own table.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Recipe, RecipeId};

use super::{super::*, view_sets};
use crate::{
    FileId, FileView, Found, Module, Place, SymbolId,
    query::architecture::{
        ArchitectureFact, Certainty, Scan, joined,
        scan::{CallSite, type_name},
        strings::KnownText,
    },
};

/// Calls that make an entry, with the path.
const ENTRIES: &[(&str, Slots)] = &[
    ("path", &[At(0), Named("route")]),
    ("re_path", &[At(0), Named("route")]),
    ("url", &[At(0), Named("regex")]),
];
const VIEW: Slots = &[At(1), Named("view")];
const INCLUDE: &str = "include";
/// Calls whose arguments are not entries of the list around them.
const CLOSED: &[&str] = &["path", "re_path", "url", INCLUDE];
/// The name of a file's own table.
const MAIN: &str = "urlpatterns";

pub fn read(scan: &Scan<'_>) {
    Urls { scan }.read();
}

pub struct Urls<'a> {
    pub scan: &'a Scan<'a>,
}

/// A list of entries: its file, and its name there.
pub type UrlTable = (FileId, String);
/// The tables that include a table, with the prefix of each.
pub type Mounts = BTreeMap<UrlTable, Vec<(UrlTable, String)>>;
/// Lists by name, of each file.
type Lists = BTreeMap<FileId, Vec<(String, RecipeId)>>;

/// A path with what it leads to.
struct UrlEntry<'s> {
    site: &'s CallSite,
    path: KnownText,
    symbol: Option<SymbolId>,
}

impl Urls<'_> {
    fn read(&self) {
        let sites: Vec<(Slots, CallSite)> = ENTRIES
            .iter()
            .flat_map(|(call, path)| self.scan.calls(call).into_iter().map(|site| (*path, site)))
            .collect();
        let mut mounts = Mounts::new();
        let mut entries: Vec<(UrlTable, UrlEntry<'_>)> = Vec::new();
        let mut lists = self.unnamed_lists(&sites);
        for (path, site) in &sites {
            let lists = lists
                .entry(site.file())
                .or_insert_with(|| tables_of(&site.view));
            // Only in files that hold a table of addresses.
            if !lists.iter().any(|(name, _)| name == MAIN)
                && site.view.facts.names.find(MAIN).is_none()
                && lists.is_empty()
            {
                continue;
            }
            let Some(target) = self.scan.site_argument(site, VIEW) else {
                continue;
            };
            let path = self.scan.texts(site, path).into_iter().next();
            if path.is_none() {
                self.scan.not_understood(site.file(), site.reference.span);
            }
            let homes = self.homes(lists, site);
            match (self.included(site, target), path) {
                (Some(below), path) => {
                    // An empty beginning that is made when the program starts is the usual case.
                    let prefix = path.map(|known| known.text).unwrap_or_default();
                    for own in homes {
                        match &below {
                            Some(below) if *below != own => {
                                let above = mounts.entry(below.clone()).or_default();
                                above.push((own, prefix.clone()));
                            }
                            Some(_) => {}
                            None => self.scan.not_understood(site.file(), site.reference.span),
                        }
                    }
                }
                (None, Some(path)) => {
                    for own in homes {
                        let entry = UrlEntry {
                            site,
                            path: path.clone(),
                            symbol: self.handler(site, target),
                        };
                        entries.push((own, entry));
                    }
                }
                (None, None) => {}
            }
        }
        self.join_lists(&lists, &mut mounts);
        for (table, entry) in &entries {
            let certainty = Certainty::of_text(entry.path.is_whole);
            for prefix in self.prefixes(&mounts, table, 0) {
                let path = joined(&prefix, without_anchor(&entry.path.text));
                self.add(&path, entry.symbol, entry.site, certainty);
            }
        }
        view_sets::read(self, &mounts);
    }

    pub fn add(&self, path: &str, symbol: Option<SymbolId>, site: &CallSite, certainty: Certainty) {
        let fact = ArchitectureFact::route("ANY", path, site.file(), site.reference.span);
        self.scan.add(fact.of(symbol).certain(certainty));
    }

    /// `include([path(...), ...])`: a list without a name.
    fn unnamed_lists(&self, sites: &[(Slots, CallSite)]) -> Lists {
        let mut lists = Lists::new();
        for (_, site) in sites {
            let facts = &site.view.facts;
            let target = self.scan.site_argument(site, VIEW);
            let inner = target.and_then(|target| match facts.recipe(target) {
                Recipe::Call(_, list) => facts.list(list).first().copied(),
                _ => None,
            });
            let Some(inner) = inner.map(|inner| first_of_tuple(&site.view, inner)) else {
                continue;
            };
            if matches!(facts.recipe(inner), Recipe::List(_)) {
                lists
                    .entry(site.file())
                    .or_insert_with(|| tables_of(&site.view))
                    .push((inline_name(inner), inner));
            }
        }
        lists
    }

    /// The tables that an entry is in.
    fn homes(&self, lists: &[(String, RecipeId)], site: &CallSite) -> Vec<UrlTable> {
        let Some(call) = site.reference.call else {
            return Vec::new();
        };
        let mut homes: BTreeSet<String> = BTreeSet::new();
        for (name, list) in lists {
            if self.mentions(&site.view, *list, call, 0) {
                homes.insert(name.clone());
            }
        }
        if homes.is_empty() {
            homes.insert(MAIN.to_owned());
        }
        homes.into_iter().map(|name| (site.file(), name)).collect()
    }

    /// Whether a call is an item of a list, or of what is added to it.
    fn mentions(&self, view: &FileView, recipe: RecipeId, call: RecipeId, depth: u32) -> bool {
        if recipe == call {
            return depth > 0;
        }
        if depth > 6 {
            return false;
        }
        let inner = |recipe: RecipeId| self.mentions(view, recipe, call, depth + 1);
        let is_open = |callee: RecipeId| {
            let name = self.scan.last_name(view, callee);
            name.is_none_or(|name| !CLOSED.contains(&name))
        };
        match view.facts.recipe(recipe) {
            Recipe::List(list) | Recipe::Tuple(list) => {
                view.facts.list(list).iter().any(|item| inner(*item))
            }
            Recipe::Operation(a, b) | Recipe::Either(a, b) => inner(a) || inner(b),
            Recipe::Spread(item) => inner(item),
            Recipe::Call(callee, list) if is_open(callee) => {
                view.facts.list(list).iter().any(|item| inner(*item))
            }
            _ => false,
        }
    }

    /// The table that is included; `Some(None)` where an inclusion cannot be followed.
    fn included(&self, site: &CallSite, target: RecipeId) -> Option<Option<UrlTable>> {
        let view = &site.view;
        let first = match view.facts.recipe(target) {
            Recipe::Call(callee, list) if self.scan.last_name(view, callee) == Some(INCLUDE) => {
                *view.facts.list(list).first()?
            }
            _ => return None,
        };
        let first = first_of_tuple(view, first);
        if let Recipe::List(_) = view.facts.recipe(first) {
            return Some(Some((view.id, inline_name(first))));
        }
        if let Recipe::Member(router, name) = view.facts.recipe(first)
            && view.facts.name(name) == "urls"
        {
            // `include(router.urls)`: the routes of that router; `include(shop.urls)` is a module.
            if let Some(name) = self.router_table(site.place(), router) {
                return Some(Some(name));
            }
        }
        if let Some(module) = self.scan.string(site.place(), first) {
            let file = self.module_file(&module.text);
            return Some(file.map(|file| (file, MAIN.to_owned())));
        }
        match self.scan.meaning(site.place(), first) {
            Some(Found::Module(Module::File(file))) => Some(Some((file, MAIN.to_owned()))),
            Some(Found::Symbol(symbol)) => {
                Some(Some((symbol.file, self.scan.resolver.name(symbol))))
            }
            Some(Found::Binding(file, id)) => {
                let view = self.scan.resolver.view(file)?;
                let name = view.facts.bindings[id.0 as usize].name;
                Some(Some((file, view.facts.name(name).to_owned())))
            }
            _ => Some(None),
        }
    }

    fn module_file(&self, module: &str) -> Option<FileId> {
        let snapshot = self.scan.resolver.snapshot();
        let path = module.replace('.', "/");
        let ends = [format!("{path}.py"), format!("{path}/__init__.py")];
        ends.iter().find_map(|end| {
            let mut files = snapshot.files();
            let file = files.find(|(_, file)| {
                file.path.as_str() == end || file.path.as_str().ends_with(&format!("/{end}"))
            });
            file.map(|(id, _)| id)
        })
    }

    /// The table that a variable holding a router of view sets means.
    pub fn router_table(&self, place: Place<'_>, router: RecipeId) -> Option<UrlTable> {
        let is_made = |view: &FileView, recipe: RecipeId| {
            let name = match view.facts.recipe(recipe) {
                Recipe::Call(callee, _) => self.scan.last_name(view, callee),
                Recipe::New(ty, _) => type_name(view, ty),
                _ => None,
            };
            name.is_some_and(|name| name.ends_with("Router"))
        };
        match self.scan.meaning(place, router)? {
            Found::Symbol(symbol) => {
                let (view, declared) = self.scan.resolver.symbol(symbol)?;
                let mut values = view.facts.values(&declared).iter();
                let is_router = values.any(|value| is_made(&view, value.recipe));
                is_router.then(|| (symbol.file, view.name_of(symbol.index).to_owned()))
            }
            Found::Binding(file, id) => {
                let view = self.scan.resolver.view(file)?;
                let binding = &view.facts.bindings[id.0 as usize];
                is_made(&view, binding.value)
                    .then(|| (file, view.facts.name(binding.name).to_owned()))
            }
            _ => None,
        }
    }

    /// `urlpatterns = admin_urls + [...]` and `urlpatterns += router.urls`: a list inside another
    /// list.
    fn join_lists(&self, lists: &Lists, mounts: &mut Mounts) {
        for (file, tables) in lists {
            let Some(view) = self.scan.resolver.view(*file) else {
                continue;
            };
            for (name, recipe) in tables {
                for part in summands(&view, *recipe, 0) {
                    let inner = match view.facts.recipe(part) {
                        Recipe::Name(inner) => Some((*file, view.facts.name(inner).to_owned())),
                        Recipe::Member(router, urls) if view.facts.name(urls) == "urls" => {
                            self.router_table(Place::end_of_file(&view), router)
                        }
                        _ => None,
                    };
                    let own = (*file, name.clone());
                    if let Some(inner) = inner.filter(|inner| *inner != own) {
                        let above = mounts.entry(inner).or_default();
                        above.push((own, String::new()));
                    }
                }
            }
        }
        // `urlpatterns += router.urls` has no value of its own.
        for view in self.scan.mentioning("urls") {
            let Some(urls) = view.facts.names.find("urls") else {
                continue;
            };
            for reference in view.facts.references_of(urls) {
                let place = Place::of(&view, reference);
                let receiver = reference.receiver;
                if let Some(table) = receiver.and_then(|own| self.router_table(place, own)) {
                    let main = (view.id, MAIN.to_owned());
                    mounts
                        .entry(table)
                        .or_insert_with(|| vec![(main, String::new())]);
                }
            }
        }
    }

    /// The function, or the class of `View.as_view()`.
    pub fn handler(&self, site: &CallSite, target: RecipeId) -> Option<SymbolId> {
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
        self.scan.meant_symbol(site.place(), recipe)
    }

    pub fn prefixes(&self, mounts: &Mounts, table: &UrlTable, depth: u32) -> Vec<String> {
        let Some(above) = mounts.get(table).filter(|_| depth < 10) else {
            return vec![String::new()];
        };
        let mut all = Vec::new();
        for (parent, prefix) in above {
            let parents = self.prefixes(mounts, parent, depth + 1).into_iter();
            all.extend(parents.map(|above| joined(&above, without_anchor(prefix))));
        }
        all.sort();
        all.dedup();
        all
    }
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

/// `patterns` of `include((patterns, "shop"))`.
fn first_of_tuple(view: &FileView, recipe: RecipeId) -> RecipeId {
    match view.facts.recipe(recipe) {
        Recipe::Tuple(items) => view.facts.list(items).first().copied().unwrap_or(recipe),
        _ => recipe,
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
pub fn without_anchor(path: &str) -> &str {
    path.trim_start_matches('^')
}
