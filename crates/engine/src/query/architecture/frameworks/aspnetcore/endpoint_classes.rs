//! FastEndpoints: classes that declare their route in a method, `Post("api/items")` inside
//! `Configure`.

use facts::Recipe;

use super::super::*;
use crate::query::architecture::{
    ArchitectureFact, Certainty, Scan, controllers::lineage, joined, scan::symbol_in,
};

const BASES: &[&str] = &["Endpoint", "EndpointWithoutRequest", "EndpointWithMapping"];
const HANDLERS: &[&str] = &["ExecuteAsync", "HandleAsync"];
const ROUTES: &[(&str, HttpMethod)] = &[
    ("Get", Get),
    ("Post", Post),
    ("Put", Put),
    ("Delete", Delete),
    ("Patch", Patch),
];

pub fn read(scan: &Scan<'_>) {
    for (call, method) in ROUTES {
        for site in scan.calls(call) {
            let (view, span) = (&site.view, site.reference.span);
            let is_own = site
                .reference
                .receiver
                .is_none_or(|receiver| view.facts.recipe(receiver) == Recipe::SelfValue);
            let enclosing = site.reference.enclosing.filter(|_| is_own);
            let Some(class) = enclosing.and_then(|index| view.symbol(index).parent) else {
                continue;
            };
            let bases = lineage(scan, symbol_in(view, class));
            if !bases.iter().any(|base| BASES.contains(&base.as_str())) {
                continue;
            }
            let handler = view
                .children(Some(class))
                .find(|index| HANDLERS.contains(&view.name_of(*index)))
                .unwrap_or(class);
            let arguments = site.arguments.iter();
            let paths: Vec<_> = arguments
                .flat_map(|argument| scan.strings(site.place(), *argument))
                .collect();
            if paths.is_empty() {
                scan.not_understood(site.file(), span);
            }
            for path in paths {
                let (method, route) = (method.as_str(), joined("", &path.text));
                let at = view.symbol(handler).name_span;
                let fact = ArchitectureFact::route(method, route, view.id, at)
                    .of(Some(symbol_in(view, handler)))
                    .certain(Certainty::of_text(path.is_whole));
                scan.add(fact);
            }
        }
    }
}
