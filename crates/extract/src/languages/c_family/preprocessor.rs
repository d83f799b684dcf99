//! Includes, macros and the words of conditions.

use super::object_macros::{ObjectMacros, opened_namespace, without_comments};
use crate::{languages::conditionals, prelude::*};

/// `#include "a.h"`, `#include <a.h>`: the path as written, its quotes removed.
pub(crate) fn include(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.child(frame, "path")?;
    let quoted = matches!(path.kind, "string_literal" | "system_lib_string");
    let name_span = if quoted {
        Span::new(
            path.span.start + 1,
            path.span.end.saturating_sub(1).max(path.span.start + 1),
        )
    } else {
        path.span
    };
    let module = walk.name_at(name_span);
    walk.new_import(ImportKind::Include, module, frame.span, name_span)
        .reexported = true;
    if !quoted {
        walk.reference(path.span, Role::Read, None);
    }
    None
}

pub(crate) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.parent_symbol();
    let from = walk
        .parent()
        .map_or(frame.span.start, |parent| parent.span.start);
    let patterns = walk.patterns(frame);
    for (i, pattern) in patterns.into_iter().enumerate() {
        let Pattern::Name(binding) = *walk.pattern_of(pattern) else {
            continue;
        };
        let binding = walk.binding_mut(binding);
        binding.parameter = Some(i.min(u16::MAX as usize) as u16);
        binding.from = from;
        let name = binding.name;
        if let Some(symbol) = symbol {
            walk.parameter(symbol, name, TypeId::UNKNOWN, ParameterFlags::default());
        }
    }
    if walk.source(frame.span).contains("...")
        && let Some(symbol) = symbol
    {
        let name = walk.name("");
        walk.parameter(symbol, name, TypeId::UNKNOWN, ParameterFlags::VARIADIC);
    }
    None
}

pub(crate) fn define(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (frame.symbol?, walk.child(frame, "name")?);
    shared::name_symbol(walk, symbol, name.span);
    let header = walk
        .child(frame, "parameters")
        .map_or(name.span.end, |parameters| parameters.span.end);
    let value = walk.child(frame, "value");
    let end = value.map_or(header, |value| {
        if walk.source(value.span).contains('\n') || value.span.len() > 120 {
            header
        } else {
            value.span.end
        }
    });
    let trimmed = walk.source(frame.span).trim_end().len() as u32;
    let symbol_mut = walk.symbol_mut(symbol);
    // Wherever it is written, between the fields of a struct, too.
    (symbol_mut.parent, symbol_mut.declared_in) = (None, ScopeId::FILE);
    symbol_mut.signature = Span::new(frame.span.start, end);
    symbol_mut.span.end = frame.span.start + trimmed;
    if let Some(value) = value {
        let path = opened_namespace(without_comments(walk.source(value.span).as_bytes()).trim());
        match path.filter(|_| walk.child(frame, "parameters").is_none()) {
            Some(path) => {
                namespaces_of_macro(walk, value.span, &path);
                // What other files open with it.
                walk.symbol_mut(symbol).ty = walk.type_named(path);
            }
            None => body(walk, value.span),
        }
    }
    None
}

/// `#define BEGIN namespace a { namespace b {`: the namespaces are declared where the macro is.
fn namespaces_of_macro(walk: &mut Walk<'_>, body: Span, path: &str) {
    const KEYWORD: &str = "namespace";
    let text = walk.source(body);
    let (mut from, mut outer) = (0, None);
    for word in path.split("::").filter(|word| !word.is_empty()) {
        let keyword = text[from..]
            .find(KEYWORD)
            .map(|at| from + at + KEYWORD.len());
        let start = keyword.unwrap_or(from);
        let Some(at) = text[start..].find(word) else {
            return;
        };
        from = start + at;
        let span = Span::sized(body.start + from as u32, word.len());
        let namespace = walk.new_symbol(SymbolKind::Namespace, span);
        let symbol = shared::name_symbol(walk, namespace, span);
        symbol.signature = span;
        symbol.parent = outer;
        outer = Some(namespace);
        from += word.len();
    }
}

/// A longer body is data.
const MAX_BODY: u32 = 64 * 1024;

/// The names in a macro's body. What is after `.`, `->` or `::` is a member of something
/// unknown.
fn body(walk: &mut Walk<'_>, span: Span) {
    if span.len() > MAX_BODY {
        return;
    }
    let bytes = walk.source(span).as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut i = 0;
    // What the last token was.
    let mut after_member = false;
    while i < bytes.len() {
        let byte = bytes[i];
        match byte {
            b'"' | b'\'' => {
                let start = i;
                i += 1;
                while i < bytes.len() && bytes[i] != byte && bytes[i] != b'\n' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                i = (i + 1).min(bytes.len());
                if byte == b'"' {
                    walk.string_trivia(Span::new(span.start + start as u32, span.start + i as u32));
                }
                after_member = false;
            }
            b'/' if bytes[i..].starts_with(b"//") => break,
            b'/' if bytes[i..].starts_with(b"/*") => {
                i += memchr::memmem::find(&bytes[i..], b"*/").map_or(bytes.len() - i, |end| end + 2)
            }
            _ if byte.is_ascii_digit() => {
                while i < bytes.len() && (is_word(bytes[i]) || bytes[i] == b'.') {
                    i += 1;
                }
                after_member = false;
            }
            _ if is_word(byte) => {
                let start = i;
                while i < bytes.len() && is_word(bytes[i]) {
                    i += 1;
                }
                let place = Span::new(span.start + start as u32, span.start + i as u32);
                if !is_keyword(&bytes[start..i]) {
                    let called =
                        bytes[i..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'(');
                    let role = if called { Role::Call } else { Role::Read };
                    walk.reference(place, role, after_member.then_some(RecipeId::UNKNOWN));
                }
                after_member = false;
            }
            b'.' => {
                after_member = !bytes[i..].starts_with(b"...");
                i += if after_member { 1 } else { 3 };
            }
            b'-' if bytes[i..].starts_with(b"->") => {
                after_member = true;
                i += 2;
            }
            b':' if bytes[i..].starts_with(b"::") => {
                after_member = i > 0 && is_word(bytes[i - 1]);
                i += 2;
            }
            _ => {
                after_member &= byte.is_ascii_whitespace() || byte == b'\\';
                i += 1;
            }
        }
    }
}

/// Words of C and C++ that are never names.
fn is_keyword(word: &[u8]) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

#[rustfmt::skip]
const KEYWORDS: &[&[u8]] = &[
    b"NULL", b"_Bool", b"_Generic", b"_Static_assert", b"__VA_ARGS__", b"__VA_OPT__", b"__asm__",
    b"__attribute__", b"__declspec", b"__extension__", b"__inline", b"__inline__", b"__typeof__",
    b"__volatile__", b"alignas", b"alignof", b"and", b"asm", b"auto", b"bool", b"break", b"case",
    b"catch", b"char", b"class", b"const", b"const_cast", b"constexpr", b"continue", b"decltype",
    b"default", b"defined", b"delete", b"do", b"double", b"dynamic_cast", b"else", b"enum",
    b"explicit", b"extern", b"false", b"final", b"float", b"for", b"friend", b"goto", b"if",
    b"inline", b"int", b"int16_t", b"int32_t", b"int64_t", b"int8_t", b"long", b"namespace", b"new",
    b"noexcept", b"not", b"nullptr", b"operator", b"or", b"override", b"private", b"protected",
    b"public", b"register", b"reinterpret_cast", b"restrict", b"return", b"short", b"signed",
    b"size_t", b"sizeof", b"static", b"static_assert", b"static_cast", b"struct", b"switch",
    b"template", b"this", b"throw", b"true", b"try", b"typedef", b"typeid", b"typename", b"typeof",
    b"uint16_t", b"uint32_t", b"uint64_t", b"uint8_t", b"union", b"unsigned", b"using", b"virtual",
    b"void", b"volatile", b"while",
];

/// Conditions name macros, also where their directives were blanked. Template parameters of nothing
/// are dropped.
pub(crate) fn finish_file(walk: &mut Walk<'_>) {
    let mut words = Vec::new();
    conditionals::condition_words(walk.text, |word, is_pragma| words.push((word, is_pragma)));
    walk.resume_in(ScopeId::FILE, None);
    for (word, is_pragma) in words {
        let is_operator = matches!(
            walk.source(word),
            "defined" | "__has_include" | "__has_feature" | "__has_attribute" | "__has_builtin"
        );
        if is_pragma || is_operator {
            walk.label(word);
        } else {
            walk.reference(word, Role::Read, None);
        }
    }
    if let Some(prepared) = walk.prepared {
        name_namespaces(walk);
        blanked_words(walk, prepared);
    }
    let n_symbols = walk.facts().symbols.len() as u32;
    walk.builder
        .type_parameters
        .retain(|(symbol, _)| *symbol < SymbolIndex(n_symbols));
    drop_keywords(walk);
}

/// Names the namespaces that macros open: by the macro's definition if it is in the file. If not, the
/// namespace is of the type that the macro's name is, and stays without a name.
fn name_namespaces(walk: &mut Walk<'_>) {
    let text = walk.text;
    let opened_by_macro = |symbol: &Symbol| {
        let header = &text[symbol.signature.start as usize..];
        let is_end = |c: char| !c.is_alphanumeric() && c != '_';
        let word = header.split(is_end).next().unwrap_or_default();
        let is_nameless = symbol.modifiers.contains(Modifiers::ANONYMOUS);
        (is_nameless && !matches!(word, "namespace" | "inline" | "export")).then_some(word)
    };
    let symbols = walk.facts().symbols_with_index();
    let opened: Vec<(SymbolIndex, &str)> = symbols
        .filter(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
        .filter_map(|(index, symbol)| Some((index, opened_by_macro(symbol)?)))
        .collect();
    if opened.is_empty() {
        return;
    }
    let macros = ObjectMacros::of(text.as_bytes());
    for (index, word) in opened {
        let start = walk.symbol(index).signature.start;
        // The place is the macro's use, which is a reference.
        let after = Span::empty(start + word.len() as u32);
        match macros.opened(word.as_bytes()) {
            Some(path) => {
                let symbol = shared::name_symbol_as(walk, index, path.to_owned(), after);
                symbol.modifiers.0 &= !Modifiers::ANONYMOUS.0;
            }
            None => {
                let ty = walk.type_named(word);
                let symbol = walk.symbol_mut(index);
                (symbol.ty, symbol.name_span) = (ty, after);
            }
        }
    }
}

/// Macros that were blanked before the parse are used all the same, and so are the names in their
/// arguments.
fn blanked_words(walk: &mut Walk<'_>, prepared: &str) {
    let (text, prepared) = (walk.text.as_bytes(), prepared.as_bytes());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut words = Vec::new();
    let mut i = 0;
    let mut in_attribute = false;
    let mut line_start = 0;
    while let Some(len) = text[i..]
        .iter()
        .zip(&prepared[i..])
        .position(|(before, after)| before != after)
    {
        line_start = memchr::memrchr(b'\n', &text[i..i + len]).map_or(line_start, |at| i + at + 1);
        i += len;
        if text[line_start..i + 1]
            .iter()
            .find(|byte| !byte.is_ascii_whitespace())
            == Some(&b'#')
        {
            // A directive; its words are known.
            i += memchr::memchr(b'\n', &text[i..]).unwrap_or(text.len() - i);
            continue;
        }
        match text[i] {
            b'"' => i += 1 + memchr::memchr2(b'"', b'\n', &text[i + 1..]).map_or(0, |len| len + 1),
            byte if is_word(byte) && (i == 0 || !is_word(text[i - 1])) => {
                let start = i;
                while i < text.len() && is_word(text[i]) {
                    i += 1;
                }
                let word = &text[start..i];
                if word.starts_with(b"__attribute") {
                    in_attribute = true;
                } else if !byte.is_ascii_digit() && !is_keyword(word) {
                    let called =
                        text[i..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'(');
                    words.push((
                        Span::new(start as u32, i as u32),
                        if in_attribute { None } else { Some(called) },
                    ));
                }
            }
            b';' => i += 1,
            byte => {
                // The end of a blanked run ends an attribute.
                in_attribute &= !(byte == b')'
                    && prepared.get(i + 1) == text.get(i + 1)
                    && text.get(i + 1) != Some(&b')'));
                i += 1;
            }
        }
        if i >= text.len() {
            break;
        }
    }
    let known: rustc_hash::FxHashSet<u32> = words.iter().map(|(span, _)| span.start).collect();
    let defined: rustc_hash::FxHashSet<u32> = walk
        .facts()
        .symbols
        .iter()
        .map(|symbol| symbol.name_span.start)
        .filter(|start| known.contains(start))
        .collect();
    let mut around = Around::default();
    for (span, called) in words {
        let Some(called) = called else {
            walk.label(span);
            continue;
        };
        if defined.contains(&span.start) {
            continue;
        }
        let (scope, symbol) = around.at(walk.facts(), span.start);
        walk.resume_in(scope, symbol);
        walk.reference(span, if called { Role::Call } else { Role::Read }, None);
    }
}

/// The innermost scope and symbol at places that rise.
#[derive(Default)]
struct Around {
    next_scope: usize,
    scopes: Vec<ScopeId>,
}

impl Around {
    fn at(&mut self, facts: &facts::Facts, offset: u32) -> (ScopeId, Option<SymbolIndex>) {
        // Scopes are in the order in which they were opened.
        while let Some(scope) = facts
            .scopes
            .get(self.next_scope)
            .filter(|scope| scope.span.start <= offset)
        {
            while self
                .scopes
                .last()
                .is_some_and(|&open| facts.scope(open).span.end <= scope.span.start)
            {
                self.scopes.pop();
            }
            self.scopes.push(ScopeId(self.next_scope as u32));
            self.next_scope += 1;
        }
        while self
            .scopes
            .last()
            .is_some_and(|&open| facts.scope(open).span.end <= offset)
        {
            self.scopes.pop();
        }
        let scope = self.scopes.last().copied().unwrap_or(ScopeId::FILE);
        let mut owner = scope;
        while facts.scope(owner).owner.is_none() && owner != ScopeId::FILE {
            owner = facts.scope(owner).parent;
        }
        (scope, facts.scope(owner).owner)
    }
}

/// Where the parser recovers from an error it may take a keyword for a name.
fn drop_keywords(walk: &mut Walk<'_>) {
    if walk.facts().problems.is_empty() {
        return;
    }
    let text = walk.text;
    walk.facts_mut()
        .references
        .retain(|reference| !is_keyword(reference.span.text(text).as_bytes()));
}
