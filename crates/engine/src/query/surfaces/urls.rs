//! Tables of addresses that include one another by module: `path("orders/", include("orders.urls"))`.

use std::collections::BTreeMap;

use facts::{Recipe, RecipeId};

use super::{
    SurfaceFact, SurfaceKind, joined,
    places::{CallSite, Places},
    rules::{Framework, Rule},
};
use crate::{FileId, Found, SymbolId};

pub fn read(places: &Places<'_>, framework: &Framework) {
    let sites = places.sites(framework, "url");
    let mut mounts: BTreeMap<FileId, Vec<(FileId, String)>> = BTreeMap::new();
    let mut entries: Vec<(&CallSite, &Rule, String, bool, RecipeId)> = Vec::new();
    for (rule, site) in &sites {
        let argument = |key: &str| rule.option(key).and_then(|spec| places.argument(&site.view, &site.arguments, spec));
        let (Some(path), Some(target)) = (argument("path"), argument("target")) else { continue };
        // Only in files that hold a table of addresses.
        if !rule.list("table").iter().any(|name| site.view.facts.names.find(name).is_some()) {
            continue;
        }
        let Some(known) = places.string(site.spot(), path) else {
            places.not_understood(site.file(), site.reference.span);
            continue;
        };
        match included(places, rule, site, target) {
            Some(Some(file)) => mounts.entry(file).or_default().push((site.file(), known.text)),
            Some(None) => places.not_understood(site.file(), site.reference.span),
            None => entries.push((site, *rule, known.text, known.is_whole, target)),
        }
    }
    for (site, rule, path, is_whole, target) in entries {
        let symbol = handler(places, site, target);
        for prefix in prefixes(&mounts, site.file(), 0) {
            places.add(SurfaceFact {
                kind: SurfaceKind::Route,
                framework: "",
                value: joined(&prefix, path.trim_start_matches('^')),
                detail: rule.option("method").unwrap_or("ANY").to_owned(),
                schema: None,
                symbol,
                other: None,
                file: site.file(),
                span: site.reference.span,
                certainty: places.certainty(is_whole, true),
            });
        }
    }
}

/// The file whose table is included; `Some(None)` where an inclusion cannot be followed.
fn included(places: &Places<'_>, rule: &Rule, site: &CallSite, target: RecipeId) -> Option<Option<FileId>> {
    let Recipe::Call(callee, list) = site.view.facts.recipe(target) else { return None };
    if places.last_name(&site.view, callee) != rule.option("include") {
        return None;
    }
    let first = *site.view.facts.list(list).first()?;
    let first = match site.view.facts.recipe(first) {
        Recipe::Tuple(items) => *site.view.facts.list(items).first()?,
        _ => first,
    };
    if let Some(module) = places.string(site.spot(), first) {
        let path = format!("{}.py", module.text.replace('.', "/"));
        let snapshot = places.resolver.snapshot();
        let mut found =
            snapshot.files().filter(|(_, file)| file.path.as_str() == path || file.path.as_str().ends_with(&format!("/{path}")));
        return Some(found.next().map(|(id, _)| id));
    }
    match places.meaning(site.spot(), first) {
        Some(Found::Module(crate::Module::File(file))) => Some(Some(file)),
        Some(Found::Symbol(symbol)) => Some(Some(symbol.file)),
        _ => Some(None),
    }
}

/// The function, or the class of `View.as_view()`.
fn handler(places: &Places<'_>, site: &CallSite, target: RecipeId) -> Option<SymbolId> {
    let recipe = match site.view.facts.recipe(target) {
        Recipe::Call(callee, _) => match site.view.facts.recipe(callee) {
            Recipe::Member(class, _) => class,
            _ => callee,
        },
        _ => target,
    };
    match places.meaning(site.spot(), recipe)? {
        Found::Symbol(symbol) => Some(symbol),
        _ => None,
    }
}

fn prefixes(mounts: &BTreeMap<FileId, Vec<(FileId, String)>>, file: FileId, depth: u32) -> Vec<String> {
    let Some(above) = mounts.get(&file).filter(|_| depth < 10) else { return vec![String::new()] };
    let mut all = Vec::new();
    for (parent, prefix) in above.iter().filter(|(parent, _)| *parent != file) {
        all.extend(prefixes(mounts, *parent, depth + 1).into_iter().map(|above| joined(&above, prefix.trim_start_matches('^'))));
    }
    if all.is_empty() { vec![String::new()] } else { all }
}
