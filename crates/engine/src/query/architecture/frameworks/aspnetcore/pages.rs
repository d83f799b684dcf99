//! Razor Pages by their path below a directory, `Pages/Basket/Index.cshtml` is `/Basket`, and
//! components by their directive, `@page "/cart"`.

use facts::{Span, SymbolKind};

use super::super::*;
use crate::{
    FileId, SymbolId,
    query::architecture::{ArchitectureFact, Certainty, Scan, joined, scan::symbol_in},
};

const DIRECTIVE: &str = "@page";
const BYTE_ORDER_MARK: char = '\u{feff}';

pub fn read(scan: &Scan<'_>) {
    // Components are addresses of the server only where it maps them.
    let has_components = !scan.calls("MapRazorComponents").is_empty();
    for (file, entry) in scan.resolver.snapshot().files() {
        let path = entry.path.as_str();
        if let Some(stem) = path.strip_suffix(".cshtml") {
            read_page(scan, file, path, stem);
        } else if has_components && path.ends_with(".razor") {
            read_component(scan, file, path);
        }
    }
}

fn read_page(scan: &Scan<'_>, file: FileId, path: &str, stem: &str) -> Option<()> {
    let (before, below) = split_directory(stem, "Pages")?;
    let text = scan.text(file)?;
    let mut lines = text.trim_start_matches(BYTE_ORDER_MARK).lines();
    let template = lines.find_map(|line| line.trim().strip_prefix(DIRECTIVE))?;
    let template = template.trim().trim_matches('"');
    let area =
        split_directory(before, "Areas").map(|(_, area)| area.split('/').next().unwrap_or(area));
    let plain = below
        .strip_suffix("/Index")
        .or((below == "Index").then_some(""))
        .unwrap_or(below);
    let base = area.map_or_else(|| format!("/{plain}"), |area| joined(area, plain));
    let route = if template.starts_with('/') || template.starts_with("~/") {
        template.trim_start_matches('~').to_owned()
    } else {
        joined(&base, template)
    };
    let model = class_behind(scan, path);
    let (file, span) = model.map_or((file, Span::new(0, 1)), |(model, span)| (model.file, span));
    let fact = ArchitectureFact::route(Any.as_str(), route, file, span);
    let symbol = model.map(|(model, _)| model);
    scan.add(fact.of(symbol).certain(Certainty::Pattern));
    Some(())
}

/// `@page "/cart"` at the top of a component; a component may have several.
fn read_component(scan: &Scan<'_>, file: FileId, path: &str) {
    let Some(text) = scan.text(file) else {
        return;
    };
    let class = class_behind(scan, path).map(|(class, _)| class);
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len() as u32;
        let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
        let Some(route) = line.strip_prefix(DIRECTIVE) else {
            continue;
        };
        let route = route.trim().trim_matches('"');
        if route.starts_with('/') {
            for method in [Get, Post] {
                let span = Span::new(start, start + 1);
                let fact = ArchitectureFact::route(method.as_str(), route, file, span);
                scan.add(fact.of(class));
            }
        }
    }
}

/// The class in the file of code beside a page, and where its name is.
fn class_behind(scan: &Scan<'_>, path: &str) -> Option<(SymbolId, Span)> {
    let code = scan.resolver.snapshot().find(&format!("{path}.cs"))?;
    let view = scan.resolver.view(code)?;
    let (index, symbol) = view
        .facts
        .symbols_with_index()
        .find(|(_, symbol)| symbol.kind == SymbolKind::Class)?;
    Some((symbol_in(&view, index), symbol.name_span))
}

/// What is before and after a directory of this name: `src/Web/Pages/Index` is `src/Web` and
/// `Index`.
fn split_directory<'p>(path: &'p str, directory: &str) -> Option<(&'p str, &'p str)> {
    let inner = format!("/{directory}/");
    match path.find(&inner) {
        Some(at) => Some((&path[..at], &path[at + inner.len()..])),
        None => path.strip_prefix(&inner[1..]).map(|below| ("", below)),
    }
}
