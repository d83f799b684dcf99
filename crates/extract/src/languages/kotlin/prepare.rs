//! What Kotlin allows and the grammar does not, respelt at equal length before the parse. Names are
//! read from the text as it was.

/// The text as the grammar can read it, if it differs.
pub(super) fn prepare(text: &str) -> Option<String> {
    let mut respelt = Respelt { text, bytes: None };
    soft_words(&mut respelt);
    headers(&mut respelt);
    annotations(&mut respelt);
    unfinished_annotations(&mut respelt);
    dollar_strings(&mut respelt);
    closing_braces(&mut respelt);
    respelt
        .bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
}

struct Respelt<'text> {
    text: &'text str,
    bytes: Option<Vec<u8>>,
}

impl Respelt<'_> {
    /// Only ever an ASCII byte for an ASCII byte.
    fn set(&mut self, offset: usize, byte: u8) {
        let bytes = self
            .bytes
            .get_or_insert_with(|| self.text.as_bytes().to_vec());
        if bytes[offset].is_ascii() {
            bytes[offset] = byte;
        }
    }
}

/// `open(x)`, `get(x)`, `set = 1`, `var set`, `in1.f()`: words that the grammar takes for keywords
/// where they are names.
fn soft_words(respelt: &mut Respelt<'_>) {
    const MODIFIERS: &[&str] = &[
        "open", "external", "sealed", "final", "infix", "inline", "inner", "expect", "actual",
    ];
    let text = respelt.text;
    for open in memchr::memchr_iter(b'(', text.as_bytes()) {
        let before = &text.as_bytes()[..open];
        let len = before
            .iter()
            .rev()
            .take(10)
            .take_while(|byte| is_word(**byte))
            .count();
        let (word, start) = (&text[open - len..open], open - len);
        if MODIFIERS.contains(&word) {
            respelt.set(start, word.as_bytes()[0].to_ascii_uppercase());
        }
    }
    for (words, with) in [
        ("var set", b'S'),
        ("var get", b'G'),
        ("val set", b'S'),
        ("val get", b'G'),
        ("val open", b'O'),
        ("var open", b'O'),
    ] {
        for found in memchr::memmem::find_iter(text.as_bytes(), words) {
            if text
                .as_bytes()
                .get(found + words.len())
                .is_none_or(|byte| !is_word(*byte))
            {
                respelt.set(found + "var ".len(), with);
            }
        }
    }
    // After an annotation, `annotation class Foo` is read as an infix call; another modifier of
    // classes is not.
    for found in memchr::memmem::find_iter(text.as_bytes(), b"annotation class ") {
        b"sealed    "
            .iter()
            .enumerate()
            .for_each(|(i, &byte)| respelt.set(found + i, byte));
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start();
        let start = offset + line.len() - words.len();
        offset += line.len();
        let next = words.as_bytes().get(3).copied().unwrap_or(b'\n');
        let is_name = match words.get(..3) {
            Some("get") => !is_word(next) && !is_getter(&words[3..]),
            Some("set") => !is_word(next) && !is_setter(&words[3..]),
            Some("ope") => words
                .strip_prefix("open")
                .is_some_and(|rest| rest.trim_start().starts_with(['=', '.', '?', '[', '!'])),
            Some(word) => {
                word.starts_with("in")
                    && (word.as_bytes()[2].is_ascii_digit() || word.ends_with('_'))
            }
            None => false,
        };
        if is_name {
            respelt.set(start, b'X');
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `get`, `get() = …`, `get() { … }`, `get(): T`.
fn is_getter(rest: &str) -> bool {
    rest.trim().is_empty()
        || rest
            .strip_prefix("()")
            .is_some_and(|rest| !rest.starts_with(['.', '?', '[', '!']))
}

/// `set`, `set(value) = …`, `set(value) { … }`.
fn is_setter(rest: &str) -> bool {
    if rest.trim().is_empty() {
        return true;
    }
    let Some((parameter, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    else {
        return false;
    };
    let simple = parameter
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | ' ' | '?' | '<' | '>' | '.' | '@'));
    simple
        && !parameter.is_empty()
        && (after.trim_start().starts_with(['{', '=', ':']) || after.trim().is_empty())
}

/// A line that ends with `class Foo` may go on with `internal constructor(…)` on the next, which a
/// line break ends for the grammar; or it is the whole class, which the grammar does not see where
/// an annotation follows.
fn headers(respelt: &mut Respelt<'_>) {
    let text = respelt.text;
    // Where the line of a header ends, if since then there were blank lines, comments, annotations
    // and modifiers only.
    let mut header_end: Option<usize> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let words = line.trim();
        if words.is_empty()
            || words.starts_with("//")
            || words.starts_with("/*")
            || words.starts_with('*')
        {
            continue;
        }
        let rest = after_modifiers(words);
        if let Some(end) = header_end
            && !rest.is_empty()
        {
            if rest
                .strip_prefix("constructor")
                .is_some_and(|rest| rest.trim_start().starts_with('('))
            {
                for (i, _) in text[end..start]
                    .bytes()
                    .enumerate()
                    .filter(|(_, byte)| matches!(byte, b'\n' | b'\r'))
                {
                    respelt.set(end + i, b' ');
                }
            } else if !rest.starts_with([':', '{', '(', ',', '<']) && !rest.starts_with("where ") {
                respelt.set(end, b';');
            }
            header_end = None;
        }
        if is_open_header(words) && line.ends_with('\n') {
            header_end = Some(offset - 1);
        }
    }
}

/// `@Retention(RUNTIME) @Target(CLASS) internal class A`: of several annotations before a modifier
/// the grammar makes an expression, but not of `@[Retention(RUNTIME) Target(CLASS)]`.
fn annotations(respelt: &mut Respelt<'_>) {
    const ROOM: [&str; 5] = [" ", "\t", "\n\n", "\r\n", "/\n"];
    let text = respelt.text;
    let mut read = 0;
    for (start, _) in text.match_indices('@') {
        if start < read {
            continue;
        }
        let mut starts = Vec::new();
        let mut end = start;
        loop {
            let at = text.len() - text[end..].trim_start().len();
            let Some(rest) = text[at..].strip_prefix('@').and_then(after_annotation) else {
                break;
            };
            starts.push(at);
            end = text.len() - rest.len();
        }
        read = end;
        let is_modified = text[end..].starts_with(char::is_whitespace)
            && text[end..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_lowercase());
        let before = &text[..start];
        if starts.len() > 1 && is_modified && ROOM.iter().any(|room| before.ends_with(room)) {
            starts.iter().for_each(|at| respelt.set(*at, b' '));
            respelt.set(start - 1, b'@');
            respelt.set(start, b'[');
            respelt.set(end, b']');
        }
    }
}

/// An annotation that the end of the text cuts off: the grammar's scanner looks for white space behind
/// it, or for the end of the line where there are arguments, and never stops.
fn unfinished_annotations(respelt: &mut Respelt<'_>) {
    let text = respelt.text;
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    for (at, _) in text[line..].match_indices('@') {
        let rest = &text[line + at..];
        let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
        if word.len() == rest.len() || word.contains('(') {
            respelt.set(line + at, b' ');
        }
    }
}

/// What follows the name and the arguments of an annotation without a target.
fn after_annotation(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
        .unwrap_or(text.len());
    if text[end..].starts_with(':') {
        return None;
    }
    let rest = &text[end..];
    if end == 0 || !rest.starts_with('(') {
        return (end > 0).then_some(rest);
    }
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    let close = rest.bytes().position(|byte| {
        match byte {
            b'"' if !is_escaped => is_text = !is_text,
            b'(' if !is_text => depth += 1,
            b')' if !is_text => depth -= 1,
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
        depth == 0
    })?;
    Some(&rest[close + 1..])
}

/// A class header that ends without a body or parameters; `>` ends one whose type parameters fill
/// lines of their own.
fn is_open_header(line: &str) -> bool {
    let named = line.starts_with("class ") || line.contains(" class ") || line == ">";
    named
        && !line.contains("//")
        && line.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'))
}

/// What is left of a line without the annotations and modifiers it starts with.
fn after_modifiers(mut line: &str) -> &str {
    const WORDS: &[&str] = &[
        "public",
        "private",
        "protected",
        "internal",
        "actual",
        "expect",
    ];
    loop {
        line = line.trim_start();
        if let Some(annotation) = line.strip_prefix('@') {
            let end = annotation
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':')))
                .unwrap_or(annotation.len());
            line = &annotation[end..];
            if line.starts_with('(') {
                let Some(end) = line.find(')') else {
                    return line;
                };
                line = &line[end + 1..];
            }
            continue;
        }
        let Some(rest) = WORDS
            .iter()
            .find_map(|word| line.strip_prefix(word))
            .filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        else {
            return line;
        };
        line = rest;
    }
}

/// `$$"…$x…"`: two dollars before the quotes make single ones inside plain text.
fn dollar_strings(respelt: &mut Respelt<'_>) {
    let text = respelt.text;
    let bytes = text.as_bytes();
    let mut read = 0;
    for found in memchr::memmem::find_iter(bytes, b"$$\"") {
        if found < read {
            continue;
        }
        let n_dollars = 2 + bytes[..found]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'$')
            .count();
        let quotes = if text[found + 2..].starts_with("\"\"\"") {
            "\"\"\""
        } else {
            "\""
        };
        let inside = found + 2 + quotes.len();
        let Some(len) = text[inside..].find(quotes) else {
            break;
        };
        (found + 2 - n_dollars..found + 2).for_each(|i| respelt.set(i, b' '));
        let mut dollars = 0;
        for (i, &byte) in bytes.iter().enumerate().skip(inside).take(len + 1) {
            if byte == b'$' {
                dollars += 1;
                continue;
            }
            if dollars > 0 {
                // All of them where they mean nothing, all but one where they mean a template.
                let kept = usize::from(dollars >= n_dollars);
                (i - dollars..i - kept).for_each(|i| respelt.set(i, b' '));
            }
            dollars = 0;
        }
        read = inside + len;
    }
}

/// `class A { fun f() = 1 }`: the grammar wants the last member of a body to end its line, so the
/// space before the brace becomes a line break.
fn closing_braces(respelt: &mut Respelt<'_>) {
    let text = respelt.text;
    // Where the line starts that was looked at last, and where a comment ends its code.
    let (mut line_end, mut code_end) = (0, 0);
    for found in memchr::memmem::find_iter(text.as_bytes(), b" }") {
        if found >= line_end {
            let line_start =
                memchr::memrchr(b'\n', &text.as_bytes()[..found]).map_or(0, |end| end + 1);
            line_end = memchr::memchr(b'\n', &text.as_bytes()[found..])
                .map_or(text.len(), |end| found + end);
            let line = &text.as_bytes()[line_start..line_end];
            code_end =
                memchr::memmem::find(line, b"//").map_or(line_end, |comment| line_start + comment);
            // A brace that already is at the start of its line needs none.
            if line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'}')
                && memchr::memchr_iter(b'}', line).count() == 1
            {
                continue;
            }
        }
        if found < code_end {
            respelt.set(found, b'\n');
        }
    }
}
