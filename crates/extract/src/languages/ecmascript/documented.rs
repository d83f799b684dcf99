//! Types that only the documentation tells: `@param {T} name`, `@returns {T}`, `@type {T}`, where
//! the code declares none.

use crate::{
    doc_types::{inside, names, split_at, split_type, tags},
    prelude::*,
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
    const CLASSES: [&str; 3] = ["class_declaration", "abstract_class_declaration", "class"];
    let is_member = walk.parent_kind(symbol).is_some_and(SymbolKind::is_type);
    let class = walk.ancestors().find(|outer| CLASSES.contains(&outer.kind));
    let name = class.and_then(|class| walk.child(class, "name"));
    let name = name.map(|name| walk.name_at(name.span));
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

fn tagged(walk: &mut Walk<'_>, doc: Option<Span>, words: &[&str], name: Option<&str>) -> TypeId {
    for (_, rest) in tags(walk, doc).filter(|(tag, _)| words.contains(tag)) {
        let (written, after) = split_type(rest);
        let Some(written) = inside(written, '{', '}') else {
            continue;
        };
        // `[name]` and `[name=default]` may be left out.
        let named = after.trim_start().trim_start_matches('[');
        if name.is_none_or(|name| names(named, name, is_word)) {
            return read(walk, written, 0);
        }
    }
    TypeId::UNKNOWN
}

/// Documented types are short; what nests more deeply is left out.
const MAX_DEPTH: u32 = 8;

fn read(walk: &mut Walk<'_>, text: &str, depth: u32) -> TypeId {
    let text = text.trim().trim_end_matches('=');
    let text = text
        .trim_start_matches(['!', '?'])
        .trim_start_matches("...");
    if depth > MAX_DEPTH || text.contains("=>") || text.starts_with("function") {
        return TypeId::UNKNOWN;
    }
    let parts = split_at(text, '|');
    if parts.len() > 1 {
        let mut types = Vec::new();
        for part in parts {
            if !matches!(part.trim(), "null" | "undefined" | "void") {
                types.push(read(walk, part, depth + 1));
            }
        }
        return match types.as_slice() {
            [only] => *only,
            _ => walk.type_from(TypeRecipe::Union, &types),
        };
    }
    if let Some(item) = text.strip_suffix("[]") {
        let item = read(walk, item, depth + 1);
        return walk.ty(TypeRecipe::Array(item));
    }
    if let Some(inner) = inside(text, '(', ')') {
        return read(walk, inner, depth + 1);
    }
    // `import("./cart").Cart` is found by its last name, as the import beside it would be.
    let text = match text.strip_prefix("import(") {
        Some(rest) => rest.split_once(").").map_or("", |(_, name)| name),
        None => text,
    };
    let (head, arguments) = match text.split_once('<') {
        Some((head, rest)) => (head.trim_end_matches('.'), rest.strip_suffix('>')),
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
        ty = walk.type_in(ty, name);
    }
    match arguments {
        Some(arguments) if ty.is_known() => {
            let arguments = split_at(arguments, ',').into_iter();
            let types = arguments.map(|argument| read(walk, argument, depth + 1));
            let types: Vec<TypeId> = types.collect();
            walk.applied_type(ty, &types)
        }
        _ => ty,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
