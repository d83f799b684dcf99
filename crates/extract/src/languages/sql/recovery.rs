//! Statements in dialects that the grammar does not read: names in brackets, `GO`, procedures,
//! packages.

use crate::prelude::*;
use rustc_hash::FxHashSet;

/// `[dbo].[Name]` is read as `"dbo"."Name"`, and a line `GO` as the end of a statement.
pub fn prepare(text: &str) -> Option<String> {
    let mut bytes: Option<Vec<u8>> = None;
    let source = text.as_bytes();
    for open in memchr::memchr_iter(b'[', source) {
        // An array has a value before its bracket and a number or nothing inside.
        let names = open == 0
            || matches!(
                source[open - 1],
                b' ' | b'\t' | b'\n' | b'.' | b'(' | b',' | b'='
            );
        let starts = source
            .get(open + 1)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        if !names || !starts {
            continue;
        }
        const MAX_NAME: usize = 130;
        let inside = source[open + 1..]
            .iter()
            .take(MAX_NAME)
            .position(|&byte| matches!(byte, b']' | b'\n' | b'[' | b'\'' | b'"' | b','));
        if let Some(close) = inside
            .map(|len| open + 1 + len)
            .filter(|&close| source[close] == b']')
        {
            let bytes = bytes.get_or_insert_with(|| source.to_vec());
            (bytes[open], bytes[close]) = (b'"', b'"');
        }
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end().eq_ignore_ascii_case("go") {
            let end: &[u8] = if text[..offset].trim_end().ends_with(';') {
                b"  "
            } else {
                b"; "
            };
            bytes.get_or_insert_with(|| source.to_vec())[offset..offset + 2].copy_from_slice(end);
        }
        offset += line.len();
    }
    bytes.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The last part of a dotted name, without quotes of any dialect.
pub fn last_part(path: &str) -> &str {
    let is_quote = |c: char| matches!(c, '"' | '`' | '\'' | '[' | ']');
    let quoted = path.trim_end().ends_with(is_quote);
    let last = match quoted {
        // A quoted name may have dots of its own.
        true => path
            .trim_end_matches(is_quote)
            .rfind(is_quote)
            .map_or(path, |open| &path[open..]),
        false => path.rfind('.').map_or(path, |dot| &path[dot + 1..]),
    };
    last.trim_matches(is_quote).trim()
}

/// Statements that start a line with `CREATE` and that the parser did not see, or took for a part
/// of the one before.
pub fn finish(walk: &mut Walk<'_>) {
    if walk.facts().problems.is_empty() {
        return;
    }
    let text = walk.text;
    let named: FxHashSet<u32> = walk
        .facts()
        .symbols
        .iter()
        .map(|symbol| symbol.name_span.start)
        .collect();
    let comments: Vec<Span> = walk
        .facts()
        .trivia
        .iter()
        .map(|trivia| trivia.span)
        .collect();
    let functions = walk
        .facts()
        .symbols
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Function && symbol.parent.is_none());
    let functions: Vec<Span> = functions.map(|symbol| symbol.span).collect();
    let n_parsed = walk.facts().symbols.len();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset + (line.len() - line.trim_start().len());
        offset += line.len();
        let is_statement = text
            .get(start..start + 7)
            .is_some_and(|word| word.eq_ignore_ascii_case("create "));
        // What a function does is its own.
        if !is_statement || stands_in(&comments, start) || stands_in(&functions, start) {
            continue;
        }
        let Some((kind, name)) = head(text, start).filter(|(_, name)| !named.contains(&name.start))
        else {
            continue;
        };
        let symbol = walk.new_symbol(
            kind,
            Span::new(start as u32, end(text, start, offset, kind) as u32),
        );
        shared::name_symbol(walk, symbol, name);
        let line_end = start + text[start..offset].trim_end().len();
        let symbol = walk.symbol_mut(symbol);
        (symbol.signature, symbol.parent) = (Span::new(start as u32, line_end as u32), None);
    }
    part(walk, n_parsed);
}

/// Whether one of these places, which are in order and apart, contains an offset.
fn stands_in(places: &[Span], offset: usize) -> bool {
    let before = places.partition_point(|span| span.start <= offset as u32);
    before > 0 && places[before - 1].contains(offset as u32)
}

/// A statement ends where the next that was found begins, and columns belong to the statement that
/// they are in.
fn part(walk: &mut Walk<'_>, n_parsed: usize) {
    let text = walk.text;
    let (parsed, found) = walk.facts_mut().symbols.split_at_mut(n_parsed);
    for symbol in parsed {
        let next = found.partition_point(|statement| statement.span.start <= symbol.span.start);
        if symbol.parent.is_none()
            && let Some(next) = found
                .get(next)
                .map(|statement| statement.span.start)
                .filter(|&next| next < symbol.span.end)
        {
            symbol.span.end = symbol.span.start
                + Span::new(symbol.span.start, next)
                    .text(text)
                    .trim_end()
                    .len() as u32;
            symbol.signature.end = symbol.signature.end.min(symbol.span.end);
        } else if symbol.parent.is_some()
            && next > 0
            && found[next - 1].span.contains(symbol.span.start)
        {
            symbol.parent = Some(SymbolIndex((n_parsed + next - 1) as u32));
        }
    }
}

/// What `CREATE OR REPLACE PROCEDURE IF NOT EXISTS a.b` makes, and under which name.
fn head(text: &str, start: usize) -> Option<(SymbolKind, Span)> {
    const MAX_HEAD: usize = 400;
    let statement = &text[start..];
    let statement = statement.get(..MAX_HEAD).unwrap_or(statement);
    let mut kind = None;
    let mut words = statement.split_whitespace().skip(1).take(12);
    let path = loop {
        let word = words.next()?;
        let lower = word.to_ascii_lowercase();
        match (kind, lower.as_str()) {
            (
                None,
                "table" | "view" | "index" | "trigger" | "sequence" | "event" | "synonym"
                | "domain",
            ) => kind = Some(SymbolKind::Element),
            (None, "function" | "procedure" | "proc") => kind = Some(SymbolKind::Function),
            (None, "package" | "schema" | "database") => kind = Some(SymbolKind::Namespace),
            (None, "type") => kind = Some(SymbolKind::TypeAlias),
            (Some(_), "if" | "not" | "exists" | "concurrently" | "body") => {}
            // Words that may be before the kind; others create what has no place in an outline.
            (
                None,
                "or" | "replace" | "alter" | "temp" | "temporary" | "global" | "local" | "unlogged"
                | "unique" | "clustered" | "nonclustered",
            )
            | (
                None,
                "materialized" | "recursive" | "force" | "editionable" | "noneditionable"
                | "external" | "constraint" | "virtual" | "columnstore",
            ) => {}
            (None, _)
                if lower.starts_with("definer=")
                    || lower.starts_with("algorithm=")
                    || lower == "sql"
                    || lower == "security"
                    || lower == "invoker" => {}
            (None, _) => return None,
            (Some(_), "on") => return None,
            (Some(_), _) => break word,
        }
    };
    let path = path.split('(').next()?.trim_end_matches([';', ',']);
    let name = last_part(path);
    let at = name.as_ptr() as usize - text.as_ptr() as usize;
    Some((kind?, Span::new(at as u32, (at + name.len()) as u32))).filter(|_| !name.is_empty())
}

/// Where the statement ends: at a line that ends its body, at the next statement, at a `;` where
/// there is no body.
fn end(text: &str, start: usize, line_end: usize, kind: SymbolKind) -> usize {
    const MAX_LINES: usize = 1_000;
    let has_body = matches!(
        kind,
        SymbolKind::Function | SymbolKind::Namespace | SymbolKind::Element
    );
    let first = text[start..line_end].trim_end();
    if first.ends_with(';') && (!has_body || !first.ends_with("BEGIN;")) {
        return start + first.len();
    }
    let mut end = start + first.len();
    let mut offset = line_end;
    for line in text[line_end..].split_inclusive('\n').take(MAX_LINES) {
        let trimmed = line.trim_end();
        let lower = trimmed.get(..7).unwrap_or(trimmed).to_ascii_lowercase();
        if lower == "create " || lower == "go" || lower == "/" || lower.starts_with("delimit") {
            break;
        }
        if !trimmed.is_empty() {
            end = offset + trimmed.len();
        }
        offset += line.len();
        let closes_body = lower.starts_with("end") && !trimmed.starts_with(' ')
            || lower.starts_with("$$")
            || lower == ");";
        if closes_body
            || kind != SymbolKind::Function
                && kind != SymbolKind::Namespace
                && trimmed.ends_with(';')
        {
            break;
        }
    }
    end
}
