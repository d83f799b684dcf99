//! Next.js: routes are files. `pages/api/users/[id].ts` is `/api/users/[id]`, `app/orders/route.ts`
//! answers the methods that it exports.

use facts::{Modifiers, Span, SymbolIndex};

use super::*;
use crate::{
    FileId, FileView,
    query::architecture::{ArchitectureFact, Scan, is_aside, joined, scan::symbol_in},
};

pub const NEXTJS: Framework = Framework {
    name: "nextjs",
    modules: &["next", "next-auth"],
    packages: &["next"],
    read: &[read_pages, read_app],
    ..SCRIPT
};

const ENDINGS: [&str; 6] = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".mts"];
const METHODS: &[HttpMethod] = &[Get, Post, Put, Patch, Delete, Head, Options];
/// Files below `pages` that are no pages.
const NO_PAGES: &[&str] = &["_app", "_document", "_error", "_middleware"];

fn read_pages(scan: &Scan<'_>) {
    for (file, below) in files_below(scan, "pages") {
        let (directory, name) = split(&below);
        let Some(view) = scan.resolver.view(file) else {
            continue;
        };
        if NO_PAGES.contains(&name) {
            continue;
        }
        let route = joined(&directory, if name == "index" { "" } else { name });
        let is_api = route == "/api" || route.starts_with("/api/");
        let method = if is_api { Any } else { Get };
        add(scan, &view, method, route, default_export(&view));
    }
}

fn read_app(scan: &Scan<'_>) {
    for (file, below) in files_below(scan, "app") {
        let (directory, name) = split(&below);
        let Some(view) = scan.resolver.view(file) else {
            continue;
        };
        let route = joined(&directory, "");
        match name {
            "page" => add(scan, &view, Get, route, default_export(&view)),
            "route" => {
                for method in METHODS {
                    if let Some(symbol) = exported(&view, method.as_str()) {
                        add(scan, &view, *method, route.clone(), Some(symbol));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The files below a package's directory of routes, by their path below it without the ending.
fn files_below(scan: &Scan<'_>, directory: &str) -> Vec<(FileId, String)> {
    let snapshot = scan.resolver.snapshot();
    let mut found = Vec::new();
    for (file, entry) in snapshot.files() {
        let path = entry.path.as_str();
        let Some(stem) = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)) else {
            continue;
        };
        if is_aside(snapshot, file) || stem.ends_with(".d") {
            continue;
        }
        let parts: Vec<&str> = stem.split('/').collect();
        let below = parts.iter().enumerate().find_map(|(i, part)| {
            let is_in_source = i > 0 && parts[i - 1] == "src";
            let mut manifest = parts[..if is_in_source { i - 1 } else { i }].to_vec();
            manifest.push("package.json");
            let is_root = *part == directory && snapshot.find(&manifest.join("/")).is_some();
            is_root.then(|| parts[i + 1..].join("/"))
        });
        found.extend(below.map(|below| (file, below)));
    }
    found
}

/// The directory and the name of a file; groups and slots are not part of the address.
fn split(below: &str) -> (String, &str) {
    let (directory, name) = below.rsplit_once('/').unwrap_or(("", below));
    let kept = directory.split('/').filter(|part| {
        !(part.is_empty() || part.starts_with('@') || part.starts_with('(') && part.ends_with(')'))
    });
    (kept.collect::<Vec<_>>().join("/"), name)
}

fn exported(view: &FileView, name: &str) -> Option<SymbolIndex> {
    let mut symbols = view.facts.symbols_with_index();
    symbols
        .find(|(index, symbol)| {
            symbol.parent.is_none()
                && view.name_of(*index) == name
                && symbol.modifiers.contains(Modifiers::EXPORTED)
        })
        .map(|(index, _)| index)
}

fn default_export(view: &FileView) -> Option<SymbolIndex> {
    let mut exports = view.facts.exports.iter();
    let export = exports.find(|export| view.facts.name(export.exported) == "default")?;
    view.symbols_named(export.local?).next()
}

fn add(
    scan: &Scan<'_>,
    view: &FileView,
    method: HttpMethod,
    route: String,
    symbol: Option<SymbolIndex>,
) {
    let span = symbol.map_or(Span::new(0, 1), |index| view.symbol(index).name_span);
    let fact = ArchitectureFact::route(method.as_str(), route, view.id, span);
    scan.add(fact.of(symbol.map(|index| symbol_in(view, index))));
}
