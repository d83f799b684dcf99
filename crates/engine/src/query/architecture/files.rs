//! Routes that are files: `pages/api/users/[id].ts` is `/api/users/[id]`, `app/orders/route.ts`
//! answers what it exports.

use facts::{Modifiers, Span};

use super::{
    ArchitectureFact, ArchitectureKind, Certainty,
    places::Places,
    rules::{Framework, Rule},
};
use crate::{FileId, SymbolId};

const ENDINGS: [&str; 6] = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".mts"];

pub fn read(places: &Places<'_>, framework: &Framework) {
    let snapshot = places.resolver.snapshot();
    for rule in framework.of("file-route") {
        for (file, entry) in snapshot.files() {
            let path = entry.path.as_str();
            let Some(stem) = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)) else {
                continue;
            };
            if super::is_aside(snapshot, file) || stem.ends_with(".d") {
                continue;
            }
            if let Some(below) = below_root(places, stem, rule.name()) {
                read_file(places, rule, file, &below);
            }
        }
    }
}

/// The part of a path below the directory of routes of a package.
fn below_root(places: &Places<'_>, stem: &str, directory: &str) -> Option<String> {
    let snapshot = places.resolver.snapshot();
    let parts: Vec<&str> = stem.split('/').collect();
    parts
        .iter()
        .enumerate()
        .filter(|(_, part)| **part == directory)
        .find_map(|(i, _)| {
            let package = if i > 0 && parts[i - 1] == "src" {
                &parts[..i - 1]
            } else {
                &parts[..i]
            };
            let manifest = package
                .iter()
                .copied()
                .chain(["package.json"])
                .collect::<Vec<_>>()
                .join("/");
            snapshot.find(&manifest).map(|_| parts[i + 1..].join("/"))
        })
}

fn read_file(places: &Places<'_>, rule: &Rule, file: FileId, below: &str) {
    let (directory, name) = below.rsplit_once('/').unwrap_or(("", below));
    // Groups and slots are not part of the address.
    let kept = directory.split('/').filter(|part| {
        !(part.is_empty() || part.starts_with('@') || part.starts_with('(') && part.ends_with(')'))
    });
    let directory = kept.collect::<Vec<_>>().join("/");
    let Some(view) = places.resolver.view(file) else {
        return;
    };
    let exported = |name: &str| {
        let mut symbols = view
            .facts
            .symbols_with_index()
            .filter(|(_, symbol)| symbol.parent.is_none());
        symbols
            .find(|(index, symbol)| {
                view.name_of(*index) == name && symbol.modifiers.contains(Modifiers::EXPORTED)
            })
            .map(|(index, _)| index)
    };
    let default = || {
        let export = view
            .facts
            .exports
            .iter()
            .find(|export| view.facts.name(export.exported) == "default")?;
        let local = export.local?;
        view.symbols_named(local).next()
    };
    let add = |method: &str, route: String, symbol: Option<facts::SymbolIndex>| {
        let span = symbol.map_or(Span::new(0, 1), |index| view.symbol(index).name_span);
        places.add(ArchitectureFact {
            kind: ArchitectureKind::Route,
            framework: "",
            value: route,
            detail: method.to_owned(),
            schema: None,
            symbol: symbol.map(|index| SymbolId { file, index }),
            other: None,
            file,
            span,
            certainty: Certainty::Declared,
        });
    };
    match rule.option("handler") {
        Some(handler) => {
            if Some(name) == rule.option("page") {
                add("GET", super::joined(&directory, ""), default());
            } else if name == handler {
                for method in rule.list("methods") {
                    if let Some(symbol) = exported(method) {
                        add(method, super::joined(&directory, ""), Some(symbol));
                    }
                }
            }
        }
        None => {
            if rule.list("except").contains(&name) {
                return;
            }
            let last = if Some(name) == rule.option("index") {
                ""
            } else {
                name
            };
            let route = super::joined(&directory, last);
            let api = rule.option("api").unwrap_or("");
            let is_api = route == format!("/{api}") || route.starts_with(&format!("/{api}/"));
            add(if is_api { "ANY" } else { "GET" }, route, default());
        }
    }
}
