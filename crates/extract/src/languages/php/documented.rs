//! Types that only the documentation tells: `@param`, `@return` and `@var`, where the code declares
//! none.

use facts::{Span, TypeId, TypeRecipe};

use super::names;
use crate::{
    doc_types::{split_at, split_type},
    walk::Walk,
};

/// The type of the first `@tag`, or of the one for a variable (`$x`, with its sign).
pub(super) fn tagged_type(
    walk: &mut Walk<'_>,
    doc: Option<Span>,
    tag: &str,
    variable: Option<&str>,
) -> TypeId {
    let Some(doc) = doc else {
        return TypeId::UNKNOWN;
    };
    let text = walk.source(doc);
    if !text.starts_with("/**") {
        return TypeId::UNKNOWN;
    }
    for line in text.lines() {
        let line = line.trim_start_matches([' ', '\t', '*', '/']);
        let Some(rest) = line
            .strip_prefix('@')
            .and_then(|line| line.strip_prefix(tag))
            .filter(|rest| rest.starts_with([' ', '\t']))
        else {
            continue;
        };
        let (written, after) = split_type(rest.trim_start());
        let named = after.trim_start().trim_start_matches(['&', '.']);
        let matches = variable.is_none_or(|variable| {
            named
                .strip_prefix(variable)
                .is_some_and(|rest| !rest.starts_with(is_word))
        });
        if matches && !written.starts_with('$') {
            return read_type(walk, written, 0);
        }
        if matches && written == "$this" {
            return walk.ty(TypeRecipe::SelfType);
        }
    }
    TypeId::UNKNOWN
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
        let types: Vec<TypeId> = parts
            .iter()
            .map(|part| read_type(walk, part, depth + 1))
            .collect();
        return names::union(walk, &types);
    }
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('?') {
        let inner = read_type(walk, inner, depth + 1);
        return if inner.is_known() {
            walk.ty(TypeRecipe::Optional(inner))
        } else {
            inner
        };
    }
    if let Some(item) = text.strip_suffix("[]") {
        let item = read_type(walk, item, depth + 1);
        return walk.ty(TypeRecipe::Array(item));
    }
    if let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    {
        return read_type(walk, inner, depth + 1);
    }
    let head_len = text
        .find(|c: char| !is_word(c) && c != '\\' && c != '-' && c != '$')
        .unwrap_or(text.len());
    let (head, rest) = text.split_at(head_len);
    let head = read_name(walk, head);
    match rest
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    {
        Some(arguments) if head.is_known() => {
            let types: Vec<TypeId> = split_at(arguments, ',')
                .into_iter()
                .map(|argument| read_type(walk, argument, depth + 1))
                .collect();
            let types = walk.type_list(&types);
            walk.ty(TypeRecipe::Apply(head, types))
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
        let root = walk.name("\\");
        ty = walk.ty(TypeRecipe::Name(root));
    }
    for part in path.split('\\') {
        let name = walk.name(part.to_owned());
        ty = walk.ty(if ty.is_known() {
            TypeRecipe::Scoped(ty, name)
        } else {
            TypeRecipe::Name(name)
        });
    }
    ty
}
