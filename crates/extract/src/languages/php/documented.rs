//! Types that only the documentation tells: `@param`, `@return` and `@var`, where the code declares
//! none.

use crate::{
    doc_types::{inside, names, split_at, split_type, tags},
    prelude::*,
};

use super::names::union;

/// The type of the first `@tag`, or of the one for a variable (`$x`, with its sign).
pub(super) fn tagged_type(
    walk: &mut Walk<'_>,
    doc: Option<Span>,
    tag: &str,
    variable: Option<&str>,
) -> TypeId {
    for (_, rest) in tags(walk, doc).filter(|(found, _)| *found == tag) {
        let (written, after) = split_type(rest);
        let named = after.trim_start().trim_start_matches(['&', '.']);
        let matches = variable.is_none_or(|variable| names(named, variable, is_word));
        if matches && !written.starts_with('$') {
            return read_type(walk, written, 0);
        }
        if matches && written == "$this" {
            return walk.ty(TypeRecipe::SelfType);
        }
    }
    TypeId::UNKNOWN
}

/// The type that a comment right before a statement gives a variable: `/** @var Cart $cart */`, or the
/// only one that the statement binds: `/** @var Cart */`.
pub(super) fn type_before(walk: &mut Walk<'_>, statement: u32, variable: &str) -> TypeId {
    /// A comment that only tells a type is short.
    const MAX_COMMENT: usize = 400;
    let before = walk.source(Span::new(0, statement)).trim_end();
    if !before.ends_with("*/") {
        return TypeId::UNKNOWN;
    }
    let window = before
        .char_indices()
        .rev()
        .take(MAX_COMMENT)
        .last()
        .map_or(0, |(at, _)| at);
    let Some(start) = before[window..].rfind("/**") else {
        return TypeId::UNKNOWN;
    };
    let doc = Span::new((window + start) as u32, before.len() as u32);
    let names_variable = walk.source(doc).contains('$');
    tagged_type(
        walk,
        Some(doc),
        "var",
        Some(variable).filter(|_| names_variable),
    )
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Documented types are short; what nests more deeply is left out.
const MAX_DEPTH: u32 = 8;

fn read_type(walk: &mut Walk<'_>, text: &str, depth: u32) -> TypeId {
    if depth > MAX_DEPTH {
        return TypeId::UNKNOWN;
    }
    let parts = split_at(text, '|');
    if parts.len() > 1 {
        let parts = parts.iter();
        let types: Vec<TypeId> = parts.map(|part| read_type(walk, part, depth + 1)).collect();
        return union(walk, &types);
    }
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('?') {
        let inner = read_type(walk, inner, depth + 1);
        return walk.wrapped_type(inner, TypeRecipe::Optional);
    }
    if let Some(item) = text.strip_suffix("[]") {
        let item = read_type(walk, item, depth + 1);
        return walk.ty(TypeRecipe::Array(item));
    }
    if let Some(inner) = inside(text, '(', ')') {
        return read_type(walk, inner, depth + 1);
    }
    let head_len = text.find(|c: char| !is_word(c) && c != '\\' && c != '-' && c != '$');
    let (head_word, rest) = text.split_at(head_len.unwrap_or(text.len()));
    let head = read_name(walk, head_word);
    match inside(rest, '<', '>') {
        Some(arguments) if head.is_known() => {
            let arguments = split_at(arguments, ',').into_iter();
            let types = arguments.map(|argument| read_type(walk, argument, depth + 1));
            let types: Vec<TypeId> = types.collect();
            match (head_word, types.as_slice()) {
                // The only argument is the type of the elements.
                ("array" | "iterable" | "list" | "non-empty-array" | "non-empty-list", &[item]) => {
                    walk.ty(TypeRecipe::Array(item))
                }
                ("non-empty-array", _) => {
                    let array = walk.type_named("array");
                    walk.applied_type(array, &types)
                }
                _ => walk.applied_type(head, &types),
            }
        }
        _ => head,
    }
}

fn read_name(walk: &mut Walk<'_>, text: &str) -> TypeId {
    match text {
        "self" | "static" | "$this" => return walk.ty(TypeRecipe::SelfType),
        "" | "mixed" => return TypeId::UNKNOWN,
        _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '$') => {
            return TypeId::UNKNOWN;
        }
        _ => {}
    }
    let mut ty = TypeId::UNKNOWN;
    let path = text.strip_prefix('\\').unwrap_or(text);
    if path.len() < text.len() && !path.contains('\\') {
        ty = walk.type_named("\\");
    }
    for part in path.split('\\') {
        let name = walk.name(part.to_owned());
        ty = walk.type_in(ty, name);
    }
    ty
}
