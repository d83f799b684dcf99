//! The pieces of ASCII text. Nearly all code is ASCII, and reading its bytes takes a fraction of what
//! the tokenizer's pattern takes (`pieces` in `lib.rs`).

/// The length of the first piece of a text; nothing where the text is empty or a character beyond
/// ASCII may belong to the piece.
pub fn piece(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let end = match first {
        _ if !first.is_ascii() => return None,
        // Three digits at most, and it does not matter what follows these.
        b'0'..=b'9' => match run(text, 0, |byte| byte.is_ascii_digit()) {
            3.. => return Some(3),
            end => end,
        },
        // A word, or a word with what is before it.
        b'a'..=b'z' | b'A'..=b'Z' => word(text, 0)?,
        b'\r' | b'\n' => return blank(text),
        _ if text.get(1).is_some_and(u8::is_ascii_alphabetic) => word(text, 1)?,
        b' ' if text.get(1).is_some_and(|next| is_sign(*next)) => signs(text, 1)?,
        _ if is_blank(first) => return blank(text),
        _ => signs(text, 0)?,
    };
    is_ascii_at(text, end).then_some(end)
}

/// Where a word ends: large letters, small ones, and a contraction such as `'ll`.
fn word(text: &[u8], start: usize) -> Option<usize> {
    let large = run(text, start, |byte| byte.is_ascii_uppercase());
    let end = run(text, large, |byte| byte.is_ascii_lowercase());
    if text.get(end) != Some(&b'\'') {
        return Some(end);
    }
    // `ſ` is an `s` there.
    if !is_ascii_at(text, end + 1) {
        return None;
    }
    let letter = |at: usize| text.get(end + at).map_or(0, u8::to_ascii_lowercase);
    Some(match (letter(1), letter(2)) {
        (b's' | b't' | b'm' | b'd', _) => end + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => end + 3,
        _ => end,
    })
}

/// Where signs end: the line breaks and slashes behind them are theirs.
fn signs(text: &[u8], start: usize) -> Option<usize> {
    let end = run(text, start, is_sign);
    if !is_ascii_at(text, end) {
        return None;
    }
    Some(run(text, end, |byte| matches!(byte, b'\r' | b'\n' | b'/')))
}

/// Blanks up to the last line break among them; where there is none, without the last blank, which
/// belongs to what follows.
fn blank(text: &[u8]) -> Option<usize> {
    let end = run(text, 0, is_blank);
    if !is_ascii_at(text, end) {
        return None;
    }
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    match text[..end].iter().rposition(is_break) {
        Some(last) => Some(last + 1),
        None if end < text.len() && end > 1 => Some(end - 1),
        None => Some(end),
    }
}

/// The end of the bytes of one kind.
fn run(text: &[u8], start: usize, is_part: impl Fn(u8) -> bool) -> usize {
    let others = text[start..].iter().position(|byte| !is_part(*byte));
    others.map_or(text.len(), |n| start + n)
}

fn is_ascii_at(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(u8::is_ascii)
}

/// White space as Unicode has it, so with the vertical tab.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii() && !is_blank(byte) && !byte.is_ascii_alphanumeric()
}
