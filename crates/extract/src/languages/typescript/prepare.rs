//! What the grammar cannot read is rewritten at equal length before the parse.

/// Ends a member before a line that starts with `<`, and takes the `type` out of `export type *
/// from`.
///
/// TypeScript reads a generic call signature on a line of its own as a new member; the grammar
/// reads on with the type before it.
pub(in super::super) fn prepare(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut prepared: Option<Vec<u8>> = None;
    for at in memchr::memchr_iter(b'<', bytes) {
        if !starts_line(bytes, at) || !is_call_signature(bytes, at) {
            continue;
        }
        if let Some(end) = end_of_member(bytes, at) {
            prepared.get_or_insert_with(|| bytes.to_vec())[end] = b';';
        }
    }
    for at in memchr::memmem::find_iter(bytes, b"export type *") {
        prepared.get_or_insert_with(|| bytes.to_vec())[at + 7..at + 11].fill(b' ');
    }
    String::from_utf8(prepared?).ok()
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    for &byte in bytes[..at].iter().rev() {
        match byte {
            b'\n' => return true,
            b' ' | b'\t' => {}
            _ => return false,
        }
    }
    false
}

/// Whether `<…>(` follows. Longer lists of type parameters are not looked through.
fn is_call_signature(bytes: &[u8], at: usize) -> bool {
    const MAX_LEN: usize = 4_000;
    let mut depth = 0;
    let mut previous = b'<';
    let end = bytes.len().min(at + MAX_LEN);
    if bytes.get(at + 1).is_none_or(|&next| {
        !(next.is_ascii_alphabetic() || matches!(next, b'_' | b'$' | b'\n' | b'\r'))
    }) {
        return false;
    }
    for i in at..end {
        match bytes[i] {
            b'<' => depth += 1,
            b'>' if previous != b'=' => {
                depth -= 1;
                if depth == 0 {
                    return bytes[i + 1..end]
                        .iter()
                        .find(|byte| !byte.is_ascii_whitespace())
                        == Some(&b'(');
                }
            }
            // An element, or a statement.
            b'/' | b';' if previous == b'<' || bytes[i] == b';' && depth == 1 => return false,
            _ => {}
        }
        previous = bytes[i];
    }
    false
}

/// The byte after the code before a line, where that code can be the end of a member: a line break
/// or a blank.
fn end_of_member(bytes: &[u8], at: usize) -> Option<usize> {
    const MAX_LINES: usize = 40;
    let mut line_end = memchr::memrchr(b'\n', &bytes[..at])?;
    for _ in 0..MAX_LINES {
        let line_start = memchr::memrchr(b'\n', &bytes[..line_end]).map_or(0, |i| i + 1);
        let line = &bytes[line_start..line_end];
        let trimmed = line.trim_ascii_start();
        let is_comment =
            trimmed.starts_with(b"//") || trimmed.starts_with(b"/*") || trimmed.starts_with(b"*");
        if !trimmed.is_empty() && !is_comment {
            let code = memchr::memmem::find(line, b" //")
                .map_or(line, |comment| &line[..comment])
                .trim_ascii_end();
            let (&last, before) = code.split_last()?;
            let ends = last.is_ascii_alphanumeric()
                || matches!(last, b'_' | b'$' | b']' | b')' | b'}' | b'\'' | b'"' | b'`')
                || last == b'>' && before.last() != Some(&b'=');
            return ends.then_some(line_start + code.len());
        }
        line_end = line_start.checked_sub(1)?;
    }
    None
}
