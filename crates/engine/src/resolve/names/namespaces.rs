//! Namespaces that files declare: their members, and who sees them without an import.

use std::collections::BTreeSet;

use facts::{Import, ImportKind, Modifiers, SymbolKind};

use crate::resolve::{FileView, Found, Resolver, Sketch, imports, modules, modules::Module};

/// The namespace that an import names.
pub fn of_import(view: &FileView, import: &Import) -> Module {
    Module::Namespace(imports::normalized(view.facts.name(import.module)).into())
}

/// Whether what a namespace declares can be meant in a file without its path: it is around the
/// file's code, or imported. `name` may also be imported by itself.
pub fn sees(view: &FileView, namespace: &str, name: &str) -> bool {
    let mut imports = view.facts.imports.iter();
    namespace.is_empty()
        || view
            .namespaces()
            .iter()
            .any(|own| is_within(own, namespace))
        || imports.any(|import| brings(view, import, namespace, name))
}

/// Whether an import brings the names of a namespace, or this name of it, into its file.
pub fn brings(view: &FileView, import: &Import, namespace: &str, name: &str) -> bool {
    let path = || imports::normalized(view.facts.name(import.module));
    match import.kind {
        // Written inside a namespace, a path may start there: `using Internal;` in `Shop.Carts`
        // means `Shop.Internal`.
        ImportKind::Glob => namespace
            .strip_suffix(path().as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        // Types of the namespace, whose members they are.
        ImportKind::Static => is_within(&path(), namespace),
        ImportKind::Item => {
            let item = import.item.map(|item| view.facts.name(item));
            item == Some(name) && is_within(&path(), namespace)
        }
        _ => false,
    }
}

fn is_within(path: &str, namespace: &str) -> bool {
    path.strip_prefix(namespace)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What a namespace declares under a name, else namespaces that end with its path.
pub fn namespace_member(
    resolver: &Resolver,
    namespace: &str,
    name: &str,
    view: &FileView,
) -> Vec<Found> {
    let (mut exact, mut nested) = (Vec::new(), Vec::new());
    let may_be_meant = |sketch: &&Sketch| {
        let extends = sketch.modifiers.contains(Modifiers::EXTENSION)
            && matches!(sketch.kind, SymbolKind::Method | SymbolKind::Function);
        sketch.family == view.semantics.family
            && (!sketch.has_owner || extends)
            && sketch.kind != SymbolKind::Impl
            && sketch.parent.is_none_or(|parent| {
                parent == SymbolKind::Namespace || sketch.is_outside_enum(view.semantics)
            })
            && view.semantics.is_nameable(sketch.modifiers)
    };
    for sketch in resolver.sketches(name).iter().filter(may_be_meant) {
        let symbol = &sketch.id;
        let Some((other, found)) = resolver.symbol(*symbol) else {
            continue;
        };
        let holder = other.holder_of(symbol.index);
        if found.kind == SymbolKind::EnumMember
            && holder.is_some_and(|holder| other.symbol(holder).kind != SymbolKind::Namespace)
        {
            continue;
        }
        let own = match holder {
            Some(holder) => imports::normalized(&other.namespace_of(holder)),
            None => String::new(),
        };
        if own == namespace {
            exact.push(Found::Symbol(*symbol));
        } else if !namespace.is_empty()
            && own.ends_with(namespace)
            && own[..own.len() - namespace.len()].ends_with('.')
        {
            nested.push(Found::Symbol(*symbol));
        }
    }
    if exact.is_empty() { nested } else { exact }
}

/// Names that other files of the namespaces of a file declare.
pub fn siblings(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let symbols = view.facts.symbols_with_index();
    let namespaces: BTreeSet<String> = symbols
        .filter(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
        .map(|(index, _)| view.namespace_of(index))
        .chain([String::new()])
        .collect();
    for namespace in namespaces.into_iter().rev() {
        let module = Module::Namespace(namespace.into());
        let found = modules::module_member(resolver, &module, name, view);
        if !found.is_empty() {
            return found.to_vec();
        }
    }
    Vec::new()
}
