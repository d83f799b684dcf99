//! Types written in documentation, as text: what languages whose comments declare types share.

/// The type at the start of a text ends at a space outside of brackets.
pub(crate) fn split_type(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if c.is_whitespace() && depth <= 0 => return text.split_at(i),
            _ => {}
        }
    }
    (text, "")
}

/// Splits at a separator outside of brackets.
pub(crate) fn split_at(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
