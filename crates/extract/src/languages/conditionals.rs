//! `#if` in places where no grammar expects it: between arguments, after `else`, around half a
//! function header.
//!
//! Grammars know conditional directives around whole declarations, statements and expressions.
//! Elsewhere the lines of the directives are blanked before the parse, so that the text of every
//! branch is parsed one after another; the walk still sees the true text.

use crate::prelude::*;

/// A directive's line, line break excluded.
#[derive(Clone, Copy)]
struct ConditionalLine {
    start: usize,
    end: usize,
}

/// What the text of a branch looks like from outside.
struct BranchShape {
    is_empty: bool,
    balanced: bool,
    /// How many brackets more are opened than closed.
    depth: i32,
    /// It starts as the body of a function that it does not have: `;`, `=>`.
    lacks_block: bool,
    first: u8,
    last: u8,
    /// A comma outside of all brackets.
    has_comma: bool,
    /// Goes on with a statement that started before: `else`.
    continues: bool,
}

/// Deeper conditionals, and longer branches, are left to the grammar.
const MAX_DEPTH: usize = 64;
const MAX_BRANCH: usize = 64 * 1024;

/// What to do with branches that hold one expression each.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // A build with one language makes one of them.
pub(crate) enum Expressions {
    /// The grammar knows them.
    Understood,
    /// They become one expression, joined by an operator.
    Joined,
}

/// Blanks, in place, the directives that the grammar would stumble over. Says whether anything
/// changed.
pub(crate) fn soften(text: &mut [u8], expressions: Expressions) -> bool {
    if memchr::memmem::find(text, b"#").is_none() {
        return false;
    }
    let mut open: Vec<Vec<ConditionalLine>> = Vec::new();
    let mut changed = false;
    let mut start = 0;
    while start < text.len() {
        let first_end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |i| start + i);
        let found = directive(&text[start..first_end]);
        let end = if found.is_some() {
            continued_end(text, start)
        } else {
            first_end
        };
        let line = ConditionalLine { start, end };
        match found {
            Some(b"if" | b"ifdef" | b"ifndef") => open.push(vec![line]),
            Some(b"elif" | b"else" | b"elifdef" | b"elifndef") => {
                if let Some(group) = open.last_mut() {
                    group.push(line);
                }
            }
            Some(b"endif") => {
                if let Some(mut group) = open.pop() {
                    group.push(line);
                    let reading = if open.len() < MAX_DEPTH {
                        reading(text, &group)
                    } else {
                        Reading::Statements
                    };
                    let understood = reading == Reading::Statements
                        || (reading == Reading::Expressions
                            && expressions == Expressions::Understood);
                    if !understood {
                        blank(text, &group, reading);
                        changed = true;
                    }
                }
            }
            _ => {}
        }
        start = end + 1;
    }
    changed
}

/// The words after conditional directives (and `#pragma`, for which `found` is told so), which may
/// have been blanked and so not been walked.
pub(crate) fn condition_words(text: &str, mut found: impl FnMut(Span, bool)) {
    for hash in memchr::memchr_iter(b'#', text.as_bytes()) {
        if !starts_line(text.as_bytes(), hash) {
            continue;
        }
        let end = continued_end(text.as_bytes(), hash);
        let Some(word) = directive(&text.as_bytes()[hash..end]) else {
            continue;
        };
        if !matches!(
            word,
            b"if" | b"elif" | b"ifdef" | b"ifndef" | b"elifdef" | b"elifndef" | b"pragma"
        ) {
            continue;
        }
        let mut offset = hash
            + 1
            + text[hash + 1..end]
                .find(|c: char| !c.is_whitespace())
                .unwrap_or(0)
            + word.len();
        for part in text[offset..end].split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
            let name = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                found(
                    Span::new(offset as u32, (offset + name.len()) as u32),
                    word == b"pragma",
                );
            }
            offset += part.len();
        }
    }
}

/// Only spaces are before this place on its line.
pub(crate) fn starts_line(text: &[u8], offset: usize) -> bool {
    text[..offset]
        .iter()
        .rev()
        .find(|&&byte| byte == b'\n' || !byte.is_ascii_whitespace())
        .is_none_or(|&byte| byte == b'\n')
}

/// The word after the `#` that starts a line.
fn directive(line: &[u8]) -> Option<&[u8]> {
    let word = line
        .trim_ascii_start()
        .strip_prefix(b"#")?
        .trim_ascii_start();
    let len = word
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(word.len());
    Some(&word[..len])
}

/// The end of a directive, with the lines that a backslash adds to it.
pub(crate) fn continued_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        end += memchr::memchr(b'\n', &text[end..]).unwrap_or(text.len() - end);
        let line_start = memchr::memrchr(b'\n', &text[start..end]).map_or(start, |i| start + i + 1);
        if end == text.len() || !text[line_start..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        end += 1;
    }
}

/// How the branches of a group can be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Whole declarations or statements.
    Statements,
    /// One expression per branch.
    Expressions,
    /// Pieces of something.
    Pieces,
    /// Of several branches one makes sense with what is around: bodies of one function, headers that
    /// open the same block.
    Alternatives,
}

fn reading(text: &[u8], group: &[ConditionalLine]) -> Reading {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return Reading::Statements;
    };
    let before = last_code(&text[..first.start]);
    let next = text[last.end..]
        .iter()
        .copied()
        .find(|byte| !byte.is_ascii_whitespace());
    let mut statements = matches!(
        before,
        None | Some(b'{' | b'}' | b';' | b':' | b'>' | b'"' | b')')
    ) && next != Some(b',');
    let mut expressions = next != Some(b'{')
        && matches!(
            before,
            Some(b'=' | b'(' | b',' | b'&' | b'|' | b'+' | b'?' | b'{')
        );
    let mut shapes = Vec::new();
    for branch in branches(group) {
        let branch = &text[branch];
        if branch.len() > MAX_BRANCH {
            continue;
        }
        let shape = shape(branch);
        if shape.is_empty {
            expressions = false;
            continue;
        }
        statements &= shape.balanced
            && !shape.continues
            && matches!(shape.last, b'}' | b';' | b':' | b'\n')
            && !matches!(
                shape.first,
                b',' | b')' | b'+' | b'&' | b'|' | b'=' | b'.' | b'?'
            );
        expressions &= shape.balanced
            && !shape.has_comma
            && !matches!(shape.last, b'}' | b';' | b',')
            && shape.first != b',';
        shapes.push(shape);
    }
    if are_alternatives(&shapes, before) {
        return Reading::Alternatives;
    }
    match (statements, expressions) {
        (true, _) => Reading::Statements,
        (false, true) => Reading::Expressions,
        (false, false) => Reading::Pieces,
    }
}

/// The text between the directives of a group.
fn branches(group: &[ConditionalLine]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let pairs = group.windows(2);
    pairs.map(|pair| (pair[0].end + 1).min(pair[1].start)..pair[1].start)
}

/// Whether only one of the branches can be read with what is around.
fn are_alternatives(shapes: &[BranchShape], before: Option<u8>) -> bool {
    let [first, rest @ ..] = shapes else {
        return false;
    };
    let open_alike = first.depth > 0 && rest.iter().all(|shape| shape.depth == first.depth);
    let is_body =
        |shape: &BranchShape| shape.balanced && (shape.lacks_block || shape.first == b'{');
    let are_bodies = before == Some(b')')
        && shapes.iter().all(is_body)
        && shapes.iter().any(|shape| shape.lacks_block);
    !rest.is_empty() && (open_alike || are_bodies)
}

/// The last byte of code before a place: spaces, line comments and directives left out.
fn last_code(before: &[u8]) -> Option<u8> {
    let mut end = before.len();
    // A long run of comments or directives does not matter.
    for _ in 0..64 {
        let rest = before[..end].trim_ascii_end();
        if rest.is_empty() {
            return None;
        }
        let start = memchr::memrchr(b'\n', rest).map_or(0, |i| i + 1);
        let line = &rest[start..];
        let code = without_line_comment(line).trim_ascii();
        match code.last() {
            Some(_) if code.starts_with(b"#") || code.starts_with(b"*") => {}
            Some(b'/') if code.ends_with(b"*/") => {
                match memchr::memmem::rfind(&rest[..rest.len() - 2], b"/*") {
                    Some(comment) => {
                        end = comment;
                        continue;
                    }
                    None => return Some(b'/'),
                }
            }
            Some(b']') if code.starts_with(b"[") => {}
            Some(&byte) => return Some(byte),
            None => {}
        }
        end = start;
    }
    Some(b';')
}

fn without_line_comment(line: &[u8]) -> &[u8] {
    let mut from = 0;
    while let Some(i) = memchr::memmem::find(&line[from..], b"//") {
        let at = from + i;
        // Not in `"http://"`.
        if at == 0 || matches!(line[at - 1], b' ' | b'\t' | b';' | b'{' | b'}' | b',') {
            return &line[..at];
        }
        from = at + 2;
    }
    line
}

fn shape(branch: &[u8]) -> BranchShape {
    let mut shape = BranchShape {
        is_empty: true,
        balanced: true,
        depth: 0,
        lacks_block: false,
        first: 0,
        last: 0,
        has_comma: false,
        continues: false,
    };
    let mut depth = 0i32;
    let mut i = 0;
    let mut at_line_start = true;
    while i < branch.len() {
        let byte = branch[i];
        if byte == b'\n' {
            at_line_start = true;
            i += 1;
            continue;
        }
        if byte.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let rest = &branch[i..];
        if at_line_start && byte == b'#' {
            // Another directive: whole by itself.
            let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            i += len;
            if shape.is_empty {
                (shape.is_empty, shape.first) = (false, b'#');
            }
            shape.last = b'\n';
            continue;
        }
        at_line_start = false;
        if rest.starts_with(b"//") {
            i += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            i += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        if shape.is_empty {
            (shape.is_empty, shape.first) = (false, byte);
            shape.lacks_block = byte == b';' || rest.starts_with(b"=>");
            shape.continues =
                rest.starts_with(b"else") && !rest.get(4).is_some_and(u8::is_ascii_alphanumeric);
        }
        shape.last = byte;
        match byte {
            b'"' | b'\'' => {
                i += literal_len(rest);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                shape.balanced &= depth >= 0;
            }
            b',' if depth == 0 => shape.has_comma = true,
            _ => {}
        }
        i += 1;
    }
    shape.balanced &= depth == 0;
    shape.depth = depth;
    shape
}

/// Up to the closing quote, or to the end of the line where there is none.
fn literal_len(rest: &[u8]) -> usize {
    let quote = rest[0];
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            b'\\' => i += 1,
            b'\n' => return i,
            byte if byte == quote => return i + 1,
            _ => {}
        }
        i += 1;
    }
    rest.len()
}

/// Headers of alternative functions before one body become declarations of their own by a semicolon
/// between them.
fn blank(text: &mut [u8], group: &[ConditionalLine], reading: Reading) {
    let Some(last) = group.last() else { return };
    if reading == Reading::Alternatives {
        let kept = branches(group).max_by_key(std::iter::ExactSizeIterator::len);
        for branch in branches(group).filter(|branch| Some(branch) != kept.as_ref()) {
            blank_all(&mut text[branch]);
        }
    }
    let opens_body = text[last.end..]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace())
        == Some(&b'{');
    for (i, line) in group.iter().enumerate() {
        let between = i > 0 && i + 1 < group.len();
        let content = &mut text[line.start..line.end];
        // A comment that goes on in the next lines stays.
        let comment = memchr::memmem::rfind(content, b"/*")
            .filter(|&at| memchr::memmem::find(&content[at..], b"*/").is_none());
        let len = comment.unwrap_or(content.len());
        blank_all(&mut content[..len]);
        if between && len > 0 && (opens_body || reading == Reading::Expressions) {
            content[0] = if opens_body { b';' } else { b'+' };
        }
    }
}

/// Leaves line breaks only.
fn blank_all(text: &mut [u8]) {
    for byte in text {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expressions, soften};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut bytes = text.as_bytes().to_vec();
        soften(&mut bytes, Expressions::Understood);
        let lines: Vec<String> = String::from_utf8(bytes)
            .unwrap_or_default()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn whole_statements_and_expressions_are_left_alone() {
        for text in [
            "f();\n#if A\ng();\n#else\nh();\n#endif\ni();",
            "x =\n#if A\n1\n#else\n2\n#endif\n;",
            "{\n#ifdef A\nint f() { }\n#endif\n}",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn pieces_of_lists_and_headers_are_joined() {
        check("f(a,\n#if A\nb,\n#endif\nc);", "f(a,\n\nb,\n\nc);");
        check(
            "#if A\nint f(int a)\n#else\nint f(void)\n#endif\n{\n}",
            "\nint f(int a)\n;\nint f(void)\n\n{\n}",
        );
        check(
            "if (a) {\n#if A\n} else {\n#endif\n}",
            "if (a) {\n\n} else {\n\n}",
        );
    }

    #[test]
    fn of_alternatives_the_longest_is_read() {
        check(
            "void f()\n#if A\n{ g(); }\n#else\n;\n#endif\nvoid h();",
            "void f()\n\n{ g(); }\n\n\n\nvoid h();",
        );
        check(
            "int f()\n#if A\n=> 1;\n#else\n{ return two; }\n#endif\nvoid g();",
            "int f()\n\n\n\n{ return two; }\n\nvoid g();",
        );
        check(
            "#if A\nvoid f() {\n#else\nvoid f(int a) {\n#endif\ng();\n}",
            "\n\n\nvoid f(int a) {\n\ng();\n}",
        );
    }
}
