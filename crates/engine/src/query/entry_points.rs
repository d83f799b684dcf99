//! What is called although no code names it, by the conventions of a language or a library.

use facts::{ImportKind, SymbolIndex};

use crate::{FileView, Found, Module, Resolver, SymbolId};

/// Whether the language or its standard library calls a member by its name.
pub(super) fn is_called_by_name(view: &FileView, index: SymbolIndex) -> bool {
    let points = &view.semantics.entry_points;
    let name = view.name_of(index);
    let has_affix = !points.affix.is_empty()
        && name.len() > 2 * points.affix.len()
        && name.starts_with(points.affix)
        && name.ends_with(points.affix);
    has_affix || points.members.contains(&name)
}

/// Whether a type has a supertype out of a library, which may call its members.
pub(super) fn may_override_library(resolver: &Resolver, holder: SymbolId) -> bool {
    let plain = resolver
        .view(holder.file)
        .map_or(&[][..], |view| view.semantics.entry_points.plain_bases);
    std::iter::once(holder)
        .chain(resolver.all_supertypes(holder))
        .any(|ty| {
            resolver.supertypes(ty).iter().any(|above| {
                let path = above.ty.library_path();
                path.is_some_and(|path| {
                    let last = path.rsplit(['.', ':', '\\']).next().unwrap_or(&path);
                    !plain.contains(&last)
                })
            })
        })
}

/// Whether a type may be one of a library to which the repository adds members: its file includes
/// something of a library that has the name around it, as `net/http` has that of `Net::HTTP`.
pub(super) fn may_reopen_library(resolver: &Resolver, holder: SymbolId) -> bool {
    let Some(view) = resolver.view(holder.file) else {
        return false;
    };
    let chain = view.facts.container_chain(holder.index);
    let Some(outermost) = chain.first().map(|index| view.name_of(*index)) else {
        return false;
    };
    let mut imports = (0..).zip(&view.facts.imports);
    imports.any(|(i, import)| {
        let first = view.facts.name(import.module).split('/').next();
        import.kind == ImportKind::Include
            && first.is_some_and(|first| first.eq_ignore_ascii_case(outermost))
            && resolver.import_targets(&view, i).iter().all(|target| {
                matches!(
                    target,
                    Found::External(_) | Found::Module(Module::External(_))
                )
            })
    })
}

/// Whether the call that defines a symbol also runs it before each test: `let!(:cart) { … }`.
pub(super) fn is_run_by_definition(view: &FileView, index: SymbolIndex) -> bool {
    let words = view.semantics.entry_points.tests.eager_definitions;
    let start = view.symbol(index).span.start;
    !words.is_empty()
        && view.facts.references.iter().any(|reference| {
            reference.span.start == start && words.contains(&view.facts.name(reference.name))
        })
}
