//! Macros. Calls whose arguments read as expressions are parsed as calls of functions; the
//! arguments of others are token trees, which are parsed and walked after the rest; definitions are
//! read token by token.

use crate::prelude::*;

use super::{
    expansion,
    lexer::{Token, TokenKind, is_keyword, tokens},
};

/// Macros that take a list of expressions, some after a format string; never written where only
/// items are allowed.
#[rustfmt::skip]
const LIKE_FUNCTIONS: &[&str] = &[
    "anyhow", "assert", "assert_eq", "assert_ne", "bail", "concat", "dbg", "debug", "debug_assert",
    "debug_assert_eq", "debug_assert_ne", "ensure", "env", "eprint", "eprintln", "error", "eyre",
    "format", "format_args", "include_bytes", "include_str", "info", "log", "option_env", "panic",
    "print", "println", "todo", "trace", "try", "unimplemented", "unreachable", "vec", "warn",
    "write", "writeln",
];

/// Macros that take patterns or rules of their own.
const UNLIKE_FUNCTIONS: &[&str] = &[
    "assert_matches",
    "cfg",
    "debug_assert_matches",
    "matches",
    "quote",
    "select",
    "stringify",
];

/// Words that no expression has, outside of the blocks in it.
#[rustfmt::skip]
const FOREIGN_WORDS: &[&str] = &[
    "_", "const", "dyn", "enum", "fn", "impl", "in", "let", "mod", "pub", "ref", "static", "struct",
    "trait", "type", "use", "where",
];

/// An open bracket of the text.
struct Bracket {
    open: u32,
    byte: u8,
    /// Inside a macro definition.
    in_definition: bool,
    /// Statements may be here, not only items: also at the top of a file, as the grammar has it.
    in_body: bool,
    /// The macro call that it opens: where its `!` is.
    bang: Option<u32>,
    /// Nothing is known of the macro: its arguments must look like expressions.
    is_unknown: bool,
    /// The arguments read as expressions so far.
    is_sound: bool,
    semicolon: Option<u32>,
    /// Of the argument that is being read: how many tokens it has, and whether it starts as a
    /// closure.
    n_tokens: u32,
    is_closure: bool,
    previous: PreviousToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    Start,
    Operand,
    Word,
    Mark(u8),
}

/// Turns `println!("{}", a.b())` into the call `println ("{}", a.b())` and `vec![a; n]` into `vec
/// (a, n)`, at equal length.
pub(super) fn prepare(text: &str) -> Option<String> {
    memchr::memchr(b'!', text.as_bytes())?;
    let mut prepared: Option<Vec<u8>> = None;
    let bytes = text.as_bytes();
    let mut brackets: Vec<Bracket> = Vec::new();
    // The word just read, and the `!` after it.
    let (mut word, mut bang): (Option<Span>, Option<u32>) = (None, None);
    let mut defines_macro = false;
    // Whether the next `{` opens the body of a function or a list of items, if a word has told.
    let mut opens_body: Option<bool> = None;
    let mut after_string = false;
    for Token { kind, span } in tokens(text, Span::new(0, text.len() as u32)) {
        let byte = bytes[span.start as usize];
        if kind == TokenKind::Comment {
            continue;
        }
        if let Some(bracket) = brackets
            .last_mut()
            .filter(|bracket| bracket.bang.is_some() && kind != TokenKind::Close)
        {
            note(bracket, kind, byte, text, span);
        }
        match kind {
            TokenKind::Open => {
                let outer = brackets.last();
                let in_definition = defines_macro || outer.is_some_and(|outer| outer.in_definition);
                let mut in_body = outer.is_none_or(|outer| outer.in_body);
                if byte == b'{' {
                    in_body = opens_body.take().unwrap_or(in_body);
                }
                let name = word
                    .filter(|_| bang.is_some())
                    .map_or("", |word| word.text(text));
                let is_known_call = is_like_function(name, byte);
                let is_unknown = !is_known_call && in_body && may_be_like_function(name, byte);
                brackets.push(Bracket {
                    open: span.start,
                    byte,
                    in_definition,
                    in_body,
                    bang: bang.filter(|_| (is_known_call || is_unknown) && !in_definition),
                    is_unknown,
                    is_sound: true,
                    semicolon: None,
                    n_tokens: 0,
                    is_closure: false,
                    previous: PreviousToken::Start,
                });
                defines_macro = false;
            }
            TokenKind::Close => {
                opens_body = opens_body.filter(|_| byte != b'}');
                let Some(mut bracket) = brackets.pop() else {
                    continue;
                };
                end_argument(&mut bracket);
                if let Some(bang) = bracket.bang.filter(|_| bracket.is_sound) {
                    let prepared = prepared.get_or_insert_with(|| bytes.to_vec());
                    prepared[bang as usize] = b' ';
                    if bracket.byte == b'[' {
                        prepared[bracket.open as usize] = b'(';
                        prepared[span.start as usize] = b')';
                        if let Some(semicolon) = bracket.semicolon {
                            prepared[semicolon as usize] = b',';
                        }
                    }
                }
                // Rules of its own, deep inside the arguments of a macro.
                if let Some(outer) = brackets.last_mut() {
                    outer.is_sound &=
                        bracket.is_sound || bracket.bang.is_some() || bracket.byte == b'{';
                    outer.previous = PreviousToken::Operand;
                }
            }
            TokenKind::Mark if byte == b';' => opens_body = None,
            TokenKind::Mark if byte == b':' && after_string => {
                // `json!([{ "a": 1 }])`: no expression, at any depth.
                const MAX_DEPTH: usize = 64;
                if let Some(call) = brackets
                    .iter_mut()
                    .rev()
                    .take(MAX_DEPTH)
                    .find(|bracket| bracket.is_unknown)
                {
                    call.is_sound = false;
                }
            }
            TokenKind::Mark
                if matches!(byte, b'$' | b'@')
                    || byte == b'>' && bytes[span.start as usize - 1] == b'=' =>
            {
                if let Some(bracket) = brackets.last_mut() {
                    bracket.is_sound &= byte == b'>' && bracket.byte == b'{';
                }
            }
            TokenKind::Word if opens_body.is_none() => {
                opens_body = match span.text(text) {
                    "fn" => Some(true),
                    "impl" | "mod" | "trait" | "struct" | "enum" => Some(false),
                    _ => None,
                };
            }
            _ => {}
        }
        after_string = kind == TokenKind::String;
        match kind {
            TokenKind::Mark if byte == b'!' && word.is_some_and(|word| word.end == span.start) => {
                bang = Some(span.start)
            }
            TokenKind::Word => {
                // `macro_rules! name {`
                defines_macro |=
                    bang.is_some() && word.is_some_and(|word| word.text(text) == "macro_rules");
                (word, bang) = (Some(span), None);
            }
            _ => (word, bang) = (None, None),
        }
    }
    prepared.and_then(|prepared| String::from_utf8(prepared).ok())
}

/// Whether the arguments of a macro of the libraries are expressions.
fn is_like_function(name: &str, bracket: u8) -> bool {
    let fits = match bracket {
        b'[' => name == "vec",
        _ => bracket == b'(',
    };
    fits && LIKE_FUNCTIONS.binary_search(&name).is_ok()
}

/// Whether the arguments of a macro that nobody knows are expressions as far as its name tells.
fn may_be_like_function(name: &str, bracket: u8) -> bool {
    bracket == b'(' && !name.is_empty() && !is_keyword(name) && !UNLIKE_FUNCTIONS.contains(&name)
}

/// Notes a token among the arguments of a macro call, which may show that they are no expressions.
fn note(bracket: &mut Bracket, kind: TokenKind, byte: u8, text: &str, span: Span) {
    let is_start = bracket.n_tokens == 0;
    let after_operand = bracket.previous == PreviousToken::Operand;
    bracket.n_tokens += 1;
    if kind == TokenKind::Mark {
        return note_mark(
            bracket,
            byte,
            text.as_bytes(),
            span.start as usize,
            is_start,
        );
    }
    let word = if kind == TokenKind::Word {
        span.text(text)
    } else {
        ""
    };
    bracket.is_closure |= is_start && matches!(word, "move" | "async");
    if bracket.is_unknown {
        let foreign = match kind {
            TokenKind::Open => byte == b'{' && is_start,
            TokenKind::Lifetime => true,
            _ => after_operand && !matches!(word, "as" | "else") || FOREIGN_WORDS.contains(&word),
        };
        bracket.is_sound &= !foreign;
    }
    let is_operand =
        !is_keyword(word) || matches!(word, "self" | "Self" | "true" | "false" | "crate" | "super");
    bracket.previous = if is_operand {
        PreviousToken::Operand
    } else {
        PreviousToken::Word
    };
}

fn note_mark(bracket: &mut Bracket, byte: u8, bytes: &[u8], at: usize, is_start: bool) {
    let (before, after) = (bytes[at - 1], bytes.get(at + 1).copied().unwrap_or(0));
    let lone_colon = byte == b':' && before != b':' && after != b':';
    let foreign = match byte {
        // `%x` and `?x` of tracing.
        b'%' | b'?' => is_start || bracket.previous == PreviousToken::Mark(b'='),
        b';' => bracket.byte != b'[' || bracket.semicolon.is_some(),
        // `target: "x"`
        b':' if lone_colon => bracket.n_tokens == 2 || bracket.is_unknown && !bracket.is_closure,
        b'#' | b'~' | b'\\' => bracket.is_unknown,
        b'<' => bracket.is_unknown && is_start,
        b'>' => bracket.is_unknown && before == b'-' && !bracket.is_closure,
        _ => false,
    };
    bracket.is_sound &= !foreign;
    bracket.is_closure |= is_start && byte == b'|';
    match byte {
        b',' => end_argument(bracket),
        b';' => bracket.semicolon = Some(at as u32),
        _ => bracket.previous = PreviousToken::Mark(byte),
    }
}

/// A type as an argument ends in a mark: `Vec<u8>`.
fn end_argument(bracket: &mut Bracket) {
    if let PreviousToken::Mark(mark) = bracket.previous {
        bracket.is_sound &= !bracket.is_unknown || matches!(mark, b'?' | b'.' | b',');
    }
    // The parameters of a closure hold commas too.
    (bracket.n_tokens, bracket.previous) = (0, PreviousToken::Start);
}

/// Where the `!` of a call is that the first parse took for a function's.
pub(super) fn bang_before(walk: &Walk<'_>, callee: Span, arguments: Span) -> bool {
    walk.source(Span::new(callee.end, arguments.start))
        .trim_start()
        .starts_with('!')
}

/// The call of the macro that `callee` names. Its recipe's callee is named with the `!`, so that it
/// is not taken for a function.
pub(super) fn call(
    walk: &mut Walk<'_>,
    callee: Outcome,
    name: Span,
    arguments: ListRange,
) -> Outcome {
    let mut word = walk.source(name).to_owned();
    word.push('!');
    let word = walk.name(word);
    let recipe = match walk.recipe_of(callee.recipe) {
        Recipe::Scoped(path, _) => walk.recipe(Recipe::Scoped(path, word)),
        _ => walk.recipe(Recipe::Name(word)),
    };
    shared::call_of(walk, callee.with_recipe(recipe), arguments)
}

/// The names inside format strings among the arguments of a macro: `{name:>width$}`. Arguments of
/// these names hide them.
pub(super) fn format_strings(walk: &mut Walk<'_>, arguments: Span, list: ListRange) {
    // A format string comes first, or after a writer, a level, a condition or two sides.
    const MAX_PLACE: usize = 3;
    let named: Vec<NameId> = walk
        .list_of(list)
        .iter()
        .filter_map(|&argument| match walk.recipe_of(argument) {
            Recipe::Field(name, _) => Some(name),
            _ => None,
        })
        .collect();
    let (mut depth, mut place, mut first) = (0, 0, true);
    for token in tokens(walk.text, arguments) {
        match token.kind {
            TokenKind::Comment => continue,
            TokenKind::Open => (depth, first) = (depth + 1, depth == 0),
            TokenKind::Close => depth -= 1,
            TokenKind::Mark if depth == 1 && walk.source(token.span) == "," => {
                (place, first) = (place + 1, true)
            }
            TokenKind::String if depth == 1 && first => {
                return format_string(walk, token.span, &named);
            }
            _ => first = false,
        }
        if place > MAX_PLACE {
            return;
        }
    }
}

fn format_string(walk: &mut Walk<'_>, literal: Span, named: &[NameId]) {
    let text = walk.source(literal).as_bytes();
    let mut position = 0;
    while let Some(open) = memchr::memchr(b'{', &text[position..]) {
        let start = position + open + 1;
        if text.get(start) == Some(&b'{') {
            position = start + 1;
            continue;
        }
        let Some(len) = memchr::memchr(b'}', &text[start..]) else {
            return;
        };
        let (hole, mut i) = (&text[start..start + len], 0);
        position = start + len;
        while i < hole.len() {
            let len = hole[i..]
                .iter()
                .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_')
                .count();
            // `name`, `name:…` at its start; `width$` later on.
            let ends = hole.get(i + len).copied();
            let names = if i == 0 {
                matches!(ends, None | Some(b':'))
            } else {
                ends == Some(b'$')
            };
            if len > 0 && names && !hole[i].is_ascii_digit() {
                let at = literal.start + (start + i) as u32;
                let span = Span::sized(at, len);
                let name = walk.name_at(span);
                if !named.contains(&name) && !is_keyword(walk.source(span)) {
                    walk.reference_named(name, span, Role::Read, None);
                }
            }
            i += len.max(1);
        }
    }
}

/// `name!(…)` whose arguments the first parse left as tokens.
pub(super) fn invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "macro")?;
    let last = name
        .outcome
        .reference
        .map_or(name.span, |reference| walk.reference_mut(reference).span);
    let outcome = call(walk, name.outcome, last, ListRange::default());
    let Some(tree) = walk
        .child_of_kind(frame, "token_tree")
        .filter(|tree| tree.span.len() > 2)
    else {
        return Some(outcome);
    };
    let inner = Span::new(tree.span.start + 1, tree.span.end - 1);
    if matches!(
        walk.source(last),
        "matches" | "assert_matches" | "debug_assert_matches"
    ) {
        pattern_test(walk, frame.span, inner);
    } else if let Some((scope, rest)) = expansion::variable(walk, frame.span, last, inner) {
        for part in rest {
            read_expression(walk, part, scope);
        }
    } else if walk.source(tree.span).starts_with('{') && starts_with_item(walk.source(inner)) {
        // Items belong where the macro is.
        walk.read_later(inner, walk.scope());
    } else {
        let made = expansion::functions(walk, last, inner);
        match made.iter().map(|name| name.end).max() {
            // What names a function is no reference; the rest says what it does.
            Some(end) => {
                let rest = Span::new(end, inner.end);
                let start = walk
                    .source(rest)
                    .find(|c: char| c != ',' && !c.is_whitespace());
                if let Some(start) = start {
                    let rest = Span::new(rest.start + start as u32, rest.end);
                    walk.read_later_between("(", rest, ");", walk.scope());
                }
            }
            // Reads as a tuple, an array or a block.
            None => read_expression(walk, tree.span, walk.scope()),
        }
    }
    Some(outcome)
}

/// Reads a part as a statement; a missing `;` would cost more than the rest.
fn read_expression(walk: &mut Walk<'_>, span: Span, scope: ScopeId) {
    let suffix = if (span.end as usize) < walk.text.len() {
        ";"
    } else {
        ""
    };
    walk.read_later_between("", span, suffix, scope);
}

fn starts_with_item(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "#", "//", "async", "const", "enum", "extern", "fn", "impl", "macro_rules", "mod", "pub",
        "static", "struct", "trait", "type", "union", "unsafe", "use",
    ];
    let text = text.trim_start();
    WORDS.iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| {
            *word == "#" || *word == "//" || rest.starts_with([' ', '\n', '(', '!'])
        })
    })
}

/// `matches!(value, pattern if guard)`: the pattern is read as that of a `let`, in a scope of its
/// own.
fn pattern_test(walk: &mut Walk<'_>, whole: Span, inner: Span) {
    let (mut depth, mut comma, mut guard) = (0, None, None);
    let mut end = inner.end;
    for token in tokens(walk.text, inner) {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::Mark if depth == 0 && walk.source(token.span) == "," => {
                if comma.is_some() {
                    // A trailing comma or a message.
                    end = token.span.start;
                    break;
                }
                comma = Some(token.span);
            }
            TokenKind::Word if depth == 0 && comma.is_some() && walk.source(token.span) == "if" => {
                guard = Some(token.span)
            }
            _ => {}
        }
    }
    let scope = walk.scope();
    let Some(comma) = comma else {
        return read_expression(walk, inner, scope);
    };
    read_expression(walk, Span::new(inner.start, comma.start), scope);
    let own = walk.new_scope(ScopeKind::Block, whole, None);
    let pattern_end = guard.map_or(end, |guard| guard.start);
    walk.read_later_between("let ", Span::new(comma.end, pattern_end), ";", own);
    if let Some(guard) = guard {
        read_expression(walk, Span::new(guard.end, end), own);
    }
    if end < inner.end {
        read_expression(walk, Span::new((end + 1).min(inner.end), inner.end), scope);
    }
}

/// One rule of `macro_rules!`: words of the pattern are labels, names in the expansion are
/// references whose receivers are unknown, except in paths that start with `$crate`.
pub(super) fn rule(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (mut depth, mut in_expansion) = (0, false);
    let mut previous = "";
    let mut open: Option<(Span, Option<RecipeId>)> = None;
    // What a path from `$crate` on names so far.
    let mut path: Option<RecipeId> = None;
    for token in tokens(walk.text, frame.span) {
        let text = walk.source(token.span);
        match token.kind {
            TokenKind::Comment => {
                walk.facts_mut().trivia.push(Trivia {
                    kind: TriviaKind::Comment,
                    span: token.span,
                });
                continue;
            }
            TokenKind::String => walk.string_trivia(token.span),
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::Mark if depth == 0 && text == ">" => in_expansion = true,
            _ => {}
        }
        if let Some((word, receiver)) = open.take() {
            let role = if matches!(text, "(" | "!") {
                Role::Call
            } else {
                Role::Read
            };
            walk.reference(word, role, receiver);
        }
        let before = if previous == ":" { path } else { None };
        if text != ":" {
            path = None;
        }
        if text == "crate" && previous == "$" {
            let name = walk.name("$crate");
            path = Some(walk.recipe(Recipe::Name(name)));
        } else if token.kind == TokenKind::Word && !is_keyword(text) && previous != "$" {
            if in_expansion {
                let is_of_other = matches!(previous, "." | ":");
                open = Some((
                    token.span,
                    before.or(is_of_other.then_some(RecipeId::UNKNOWN)),
                ));
                if let Some(before) = before {
                    let name = walk.name_at(token.span);
                    path = Some(walk.recipe(Recipe::Scoped(before, name)));
                }
            } else {
                walk.label(token.span);
            }
        }
        previous = text;
    }
    None
}
