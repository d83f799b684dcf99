//! What the grammar does not know, rewritten at equal length into what it does.

use crate::languages::conditionals;

/// `extension` blocks of C# 14 are read as structs with a primary constructor:
/// `extension<T>(List<T> items) { .. }`.
pub(super) const EXTENSION: &str = "extension";
const STAND_IN: &str = "struct  _";

pub(super) fn prepare(text: &str) -> Option<String> {
    let mut prepared: Option<String> = None;
    if memchr::memmem::find(text.as_bytes(), b"#if").is_some() {
        let mut bytes = text.as_bytes().to_vec();
        if conditionals::soften(&mut bytes, conditionals::Expressions::Understood) {
            prepared = String::from_utf8(bytes).ok();
        }
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), EXTENSION.as_bytes()) {
        if starts_extension_block(text.as_bytes(), at) {
            prepared
                .get_or_insert_with(|| text.to_owned())
                .replace_range(at..at + EXTENSION.len(), STAND_IN);
        }
    }
    prepared
}

/// The word is where a member may start and is followed by type parameters or a receiver, whose
/// list ends before a block.
fn starts_extension_block(text: &[u8], at: usize) -> bool {
    let before = text[..at]
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace());
    let line_start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |i| i + 1);
    let alone = text[line_start..at]
        .iter()
        .all(|byte| byte.is_ascii_whitespace());
    if !(alone || matches!(before, Some(b'{' | b'}' | b';')))
        || matches!(before, Some(b'=' | b'(' | b',' | b'.'))
    {
        return false;
    }
    // Receivers are short.
    let after = &text[at + EXTENSION.len()..text.len().min(at + 400)];
    let Some(start) = after.iter().position(|byte| !byte.is_ascii_whitespace()) else {
        return false;
    };
    if !matches!(after[start], b'(' | b'<') {
        return false;
    }
    let Some(open) = memchr::memchr(b'(', after) else {
        return false;
    };
    let mut depth = 0;
    for (i, byte) in after.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = after[i + 1..].trim_ascii_start();
            return rest.starts_with(b"{")
                || rest.starts_with(b"where ")
                || rest.starts_with(b"//");
        }
    }
    false
}
