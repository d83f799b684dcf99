//! Whether a place may still see a symbol that fewer places may see than before.

use facts::{Symbol, SymbolIndex, SymbolKind, Unmarked, Visibility};

use crate::{FileView, RepoPath, Resolver, SymbolId};

/// Whether a symbol of the head is out of sight for code in a file, as far as its language and the
/// paths tell.
pub(super) fn is_out_of_sight(head: &Resolver, symbol: SymbolId, place: &FileView) -> bool {
    if symbol.file == place.id {
        return false;
    }
    let Some((view, declared)) = head.symbol(symbol) else {
        return false;
    };
    // What is asked of others is as visible as what asks for it.
    let is_asked_for = declared.parent.is_some_and(|parent| {
        matches!(
            view.symbol(parent).kind,
            SymbolKind::Interface | SymbolKind::Trait
        )
    });
    if is_asked_for || declared.kind == SymbolKind::EnumMember {
        return false;
    }
    match (declared.visibility, view.semantics.checks.unmarked) {
        (Visibility::Private, _) => !shares_type(&view, &declared, place),
        (Visibility::Protected, unmarked) => {
            let shares_package =
                unmarked == Unmarked::Package && view.namespaces() == place.namespaces();
            !shares_package && !has_type_below(head, symbol, place)
        }
        (Visibility::Default, Unmarked::Module) => {
            !is_below_module(head.path(view.id), head.path(place.id))
        }
        (Visibility::Default, Unmarked::Package) => view.namespaces() != place.namespaces(),
        _ => false,
    }
}

/// Whether a file declares a part of the type whose member the symbol is.
fn shares_type(view: &FileView, declared: &Symbol, place: &FileView) -> bool {
    let Some(parent) = declared.parent else {
        return false;
    };
    let id = place.facts.names.find(view.name_of(parent));
    id.is_some_and(|name| place.symbols_named(name).next().is_some())
}

/// Whether a file declares a type that extends the one whose member a symbol is.
fn has_type_below(head: &Resolver, symbol: SymbolId, place: &FileView) -> bool {
    let Some(holder) = head.self_type(symbol).holder() else {
        return true;
    };
    let symbols = (0..).map(SymbolIndex).zip(&place.facts.symbols);
    let mut types = symbols.filter(|(_, declared)| declared.kind.is_type());
    types.any(|(index, _)| {
        let ty = place.symbol_id(index);
        ty == holder || head.all_supertypes(ty).contains(&holder)
    })
}

/// Whether a file is a module inside of the module that another file is: `a/mod.rs` and `a.rs` are
/// around all files of `a/`, the root of a package around all beside and below it.
fn is_below_module(module: &RepoPath, place: &RepoPath) -> bool {
    let stem = module.file_name().split('.').next().unwrap_or_default();
    let directory = module.directory();
    let around = match stem {
        "mod" | "lib" | "main" => directory.to_owned(),
        stem if directory.is_empty() => stem.to_owned(),
        stem => format!("{directory}/{stem}"),
    };
    crate::is_below(place.as_str(), &around)
}
