//! Sinatra: routes with blocks in applications and at the top level, namespaces, and where Rack maps
//! applications.

use std::collections::BTreeSet;

use facts::{Recipe, ScopeKind};

use super::*;
use crate::{
    FileView, Place, SymbolId, Ty,
    query::architecture::{
        ArchitectureFact, Certainty, Scan, joined,
        scan::{CallSite, symbol_in},
        strings::KnownText,
        tables::type_text,
    },
};

pub const SINATRA: Framework = Framework {
    modules: &["sinatra"],
    packages: &["sinatra"],
    read: &[read_routes],
    ..Framework::new("sinatra", Family::Ruby)
};

const ROUTES: &[(&str, HttpMethod)] = &[
    ("get", Get),
    ("post", Post),
    ("put", Put),
    ("patch", Patch),
    ("delete", Delete),
    ("head", Head),
    ("options", Options),
];

const BASES: &[&str] = &["Sinatra.Base", "Sinatra.Application"];

/// The module that lets routes be written at the top level. `sinatra/base` does not.
const CLASSIC: &str = "sinatra";

/// The block of `sinatra/namespace`, and that of Rack.
const NAMESPACE: &str = "namespace";
const MAP: &str = "map";

/// Blocks that run where they are written.
const TRANSPARENT: &[&str] = &["each", "configure"];

/// Blocks in blocks.
const MAX_LEVELS: usize = 64;

/// `get "/carts/:id" do … end`. A call without a block is one of a client or a test.
fn read_routes(scan: &Scan<'_>) {
    let is_classic = scan.views().any(|view| imports(&view, CLASSIC));
    let (applications, mounts) = (applications(scan), mounts(scan));
    let is_application = |class| {
        // The class may be declared in several files, and only one says what it is.
        let declarations = scan.resolver.declarations_of(class);
        declarations.iter().any(|part| applications.contains(part))
    };
    for ((_, method), site) in scan.sites(ROUTES, |(call, _)| *call) {
        let has_block = match site.arguments.as_slice() {
            [.., last] => matches!(site.view.facts.recipe(*last), Recipe::Lambda(..)),
            [] => false,
        };
        let is_route = site.enclosing().map_or(is_classic, is_application);
        if has_block && is_route && site.reference.receiver.is_none() {
            read_route(scan, *method, &site, &mounts);
        }
    }
}

fn read_route(scan: &Scan<'_>, method: HttpMethod, site: &CallSite, mounts: &[(SymbolId, String)]) {
    let Some(namespace) = prefix(scan, site, NAMESPACE) else {
        return;
    };
    let mut paths = scan.texts(site, FIRST);
    if site.arguments.len() == 1 {
        // The namespace itself.
        paths.push(KnownText::whole(""));
    }
    if paths.is_empty() {
        let filled = scan.filled_templates(site).into_iter();
        paths.extend(filled.map(KnownText::whole));
    }
    if paths.is_empty() {
        scan.not_understood(site.file(), site.reference.span);
    }
    let application = site.enclosing();
    let declarations = application.map(|class| scan.resolver.declarations_of(class));
    let declarations = declarations.unwrap_or_default();
    let mounted = mounts.iter().filter(|(of, _)| declarations.contains(of));
    let mut prefixes: Vec<&str> = mounted.map(|(_, prefix)| prefix.as_str()).collect();
    if prefixes.is_empty() {
        prefixes.push("");
    }
    for path in &paths {
        for prefix in &prefixes {
            let whole = joined(&joined(prefix, &namespace), &path.text);
            let span = site.reference.span;
            let fact = ArchitectureFact::route(method.as_str(), whole, site.file(), span);
            let certainty = Certainty::of_text(path.is_whole);
            scan.add(fact.of(application).certain(certainty));
        }
    }
}

fn imports(view: &FileView, module: &str) -> bool {
    let mut imports = view.facts.imports.iter();
    imports.any(|import| view.facts.name(import.module) == module)
}

/// Classes that say that they are applications, and those that derive from them.
fn applications(scan: &Scan<'_>) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for view in scan.mentioning("Sinatra") {
        let mut supertypes: Vec<_> = view.facts.supertypes.iter().collect();
        supertypes.retain(|supertype| {
            let base = type_text(&view, supertype.ty);
            BASES.contains(&base.trim_start_matches('.'))
        });
        let classes = supertypes
            .iter()
            .map(|supertype| symbol_in(&view, supertype.symbol));
        found.extend(classes);
    }
    scan.derived(found)
}

/// `map "/admin" do run Admin end`: applications, and where they are.
fn mounts(scan: &Scan<'_>) -> Vec<(SymbolId, String)> {
    let sites = scan.calls("run").into_iter();
    let mounted = sites.filter_map(|site| {
        let prefix = prefix(scan, &site, MAP).filter(|prefix| !prefix.is_empty())?;
        // The class, or an object of it.
        match scan.eval(site.place(), *site.arguments.first()?) {
            Ty::Type(of, _) | Ty::Instance(of, _) => Some((of, prefix)),
            _ => None,
        }
    });
    mounted.collect()
}

/// What the blocks around a call put before its path. Nothing where one of them is a block of
/// something else.
fn prefix(scan: &Scan<'_>, site: &CallSite, block: &str) -> Option<String> {
    let (view, mut scope) = (&site.view, site.place().scope);
    let mut prefix = String::new();
    for _ in 0..MAX_LEVELS {
        let here = view.facts.scope(scope);
        if here.kind == ScopeKind::Lambda {
            let Recipe::Call(callee, list) = view.facts.recipe(here.context?.call) else {
                return None;
            };
            let call = scan.last_name(view, callee)?;
            if call == block {
                let place = Place::new(view, here.parent, here.span.start);
                let segment = scan.string(place, *view.facts.list(list).first()?)?;
                prefix = joined(&segment.text, &prefix);
            } else if !TRANSPARENT.contains(&call) {
                return None;
            }
        }
        if here.parent == scope {
            break;
        }
        scope = here.parent;
    }
    Some(prefix)
}
