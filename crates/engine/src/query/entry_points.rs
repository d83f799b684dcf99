//! What is called although no code names it, by the conventions of a language or a library.

use facts::SymbolIndex;

use crate::{FileView, Resolver, SymbolId};

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
