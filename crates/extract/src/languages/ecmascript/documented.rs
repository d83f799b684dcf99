//! Types that only the documentation tells: `@param {T} name`, `@returns {T}`, `@type {T}`, where
//! the code declares none.

use facts::{Span, SymbolIndex, TypeId, TypeRecipe};

use crate::{
    doc_types::{split_at, split_type},
    walk::Walk,
};

/// The documented type of a parameter.
pub(super) fn parameter(walk: &mut Walk<'_>, symbol: SymbolIndex, name: &str) -> TypeId {
    let doc = walk.symbol(symbol).doc;
    tagged(walk, doc, &["param", "arg", "argument"], Some(name))
}

/// The documented result of a function. Where that is the class around it, it is taken for the
/// object itself.
pub(super) fn result(walk: &mut Walk<'_>, symbol: SymbolIndex) -> TypeId {
    let doc = walk.symbol(symbol).doc;
    let ty = tagged(walk, doc, &["returns", "return"], None);
    let is_member = walk
        .symbol(symbol)
        .parent
        .is_some_and(|parent| walk.symbol(parent).kind.is_type());
    let class = walk
        .ancestors()
        .find(|outer| {
            matches!(
                outer.kind,
                "class_declaration" | "abstract_class_declaration" | "class"
            )
        })
        .cloned();
    let name = class
        .and_then(|class| walk.child(&class, "name"))
        .map(|name| walk.name_at(name.span));
    match walk.type_of(ty) {
        TypeRecipe::Name(written) if is_member && name == Some(written) => {
            walk.ty(TypeRecipe::SelfType)
        }
        _ => ty,
    }
}

/// The documented type of a variable or field.
pub(super) fn value(walk: &mut Walk<'_>, symbol: SymbolIndex) -> TypeId {
    let doc = walk.symbol(symbol).doc;
    tagged(walk, doc, &["type"], None)
}

fn tagged(walk: &mut Walk<'_>, doc: Option<Span>, tags: &[&str], name: Option<&str>) -> TypeId {
    let Some(doc) = doc else {
        return TypeId::UNKNOWN;
    };
    let text = walk.source(doc);
    if !text.starts_with("/**") {
        return TypeId::UNKNOWN;
    }
    for line in text.lines() {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let Some((tag, rest)) = line
            .strip_prefix('@')
            .and_then(|line| line.split_once([' ', '\t']))
        else {
            continue;
        };
        if !tags.contains(&tag) {
            continue;
        }
        let (written, after) = split_type(rest.trim_start());
        let Some(written) = written
            .strip_prefix('{')
            .and_then(|written| written.strip_suffix('}'))
        else {
            continue;
        };
        // `[name]` and `[name=default]` may be left out.
        let named = after.trim_start().trim_start_matches('[');
        if name.is_none_or(|name| {
            named
                .strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(is_word))
        }) {
            return read(walk, written, 0);
        }
    }
    TypeId::UNKNOWN
}

/// Documented types are short; what nests more deeply is left out.
const MAX_DEPTH: u32 = 8;

fn read(walk: &mut Walk<'_>, text: &str, depth: u32) -> TypeId {
    let text = text
        .trim()
        .trim_end_matches('=')
        .trim_start_matches(['!', '?'])
        .trim_start_matches("...");
    if depth > MAX_DEPTH || text.contains("=>") || text.starts_with("function") {
        return TypeId::UNKNOWN;
    }
    let parts = split_at(text, '|');
    if parts.len() > 1 {
        let types = parts
            .iter()
            .map(|part| part.trim())
            .filter(|part| !matches!(*part, "null" | "undefined" | "void"));
        let types: Vec<TypeId> = types
            .collect::<Vec<_>>()
            .into_iter()
            .map(|part| read(walk, part, depth + 1))
            .collect();
        return match types.as_slice() {
            [only] => *only,
            _ => {
                let types = walk.type_list(&types);
                walk.ty(TypeRecipe::Union(types))
            }
        };
    }
    if let Some(item) = text.strip_suffix("[]") {
        let item = read(walk, item, depth + 1);
        return walk.ty(TypeRecipe::Array(item));
    }
    if let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    {
        return read(walk, inner, depth + 1);
    }
    // `import("./cart").Cart` is found by its last name, as the import beside it would be.
    let text = match text.strip_prefix("import(") {
        Some(rest) => rest.split_once(").").map_or("", |(_, name)| name),
        None => text,
    };
    let (head, arguments) = match text.find('<') {
        Some(at) => (
            text[..at].trim_end_matches('.'),
            text[at + 1..].strip_suffix('>'),
        ),
        None => (text, None),
    };
    let mut ty = TypeId::UNKNOWN;
    for part in head.split('.') {
        if part.is_empty()
            || !part.chars().all(is_word)
            || part.starts_with(|c: char| c.is_ascii_digit())
            || matches!(part, "any" | "unknown")
        {
            return TypeId::UNKNOWN;
        }
        let name = walk.name(part.to_owned());
        ty = walk.ty(if ty.is_known() {
            TypeRecipe::Scoped(ty, name)
        } else {
            TypeRecipe::Name(name)
        });
    }
    match arguments {
        Some(arguments) if ty.is_known() => {
            let types: Vec<TypeId> = split_at(arguments, ',')
                .into_iter()
                .map(|argument| read(walk, argument, depth + 1))
                .collect();
            let types = walk.type_list(&types);
            walk.ty(TypeRecipe::Apply(ty, types))
        }
        _ => ty,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
