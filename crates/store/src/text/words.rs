//! The words of code and prose: whole identifiers and their parts, in lower case.
//!
//! `parseHTTPRequest2` gives `parsehttprequest2`, `parse`, `http`, `request`, `2`; `auth::jwt` and
//! `os.path` give their segments.

/// Longer words are keys, hashes and data: their beginning is enough.
pub const MAX_WORD: usize = 80;

/// What a byte is to a word.
const NOTHING: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const GAP: u8 = 8;
const WIDE: u8 = 16;

/// The table of [`NOTHING`] to [`WIDE`] by byte.
const BYTES: [u8; 256] = {
    let mut bytes = [NOTHING; 256];
    let mut i = 0;
    while i < 256 {
        bytes[i] = match i as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => GAP,
            0x80.. => WIDE,
            _ => NOTHING,
        };
        i += 1;
    }
    bytes
};

/// Calls `each` with every word of `text`. An identifier of several parts comes whole first, then
/// part by part.
pub fn words(text: &str, mut each: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut buffer = String::new();
    let mut parts = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        i += small_letters(&bytes[i..]);
        let mut seen = if i > start { LOWER } else { NOTHING };
        let mut class = if i < bytes.len() {
            BYTES[bytes[i] as usize]
        } else {
            NOTHING
        };
        while class != NOTHING && class != WIDE {
            seen |= class;
            i += 1;
            class = if i < bytes.len() {
                BYTES[bytes[i] as usize]
            } else {
                NOTHING
            };
        }
        if class == WIDE {
            // Rare in code: character by character.
            while i < bytes.len() {
                match word_character(text, i) {
                    Some(width) => i += width,
                    None => break,
                }
            }
        }
        if i == start {
            i += 1;
            // Code is indented.
            while bytes.get(i..i + 8) == Some(b"        ") {
                i += 8;
            }
        } else if class == NOTHING && (seen == LOWER || seen == DIGIT) && i - start <= MAX_WORD {
            // Half of all words: one part, as it is.
            each(&text[start..i]);
        } else {
            identifier(&text[start..i], &mut buffer, &mut parts, &mut each);
        }
    }
}

/// How many small ASCII letters `bytes` begin with, counted eight at a time.
#[inline]
fn small_letters(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let mut n = 0;
    while let Some(eight) = bytes.get(n..n + 8) {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        // A sum reaches a byte's high bit where the byte is at least `a`, or beyond `z`; none
        // reaches the next byte.
        let low = eight & !HIGH;
        let from_a = low + (0x80 - u64::from(b'a')) * ONES;
        let beyond_z = low + (0x7f - u64::from(b'z')) * ONES;
        let others = !(from_a & !beyond_z & !eight) & HIGH;
        if others != 0 {
            return n + (others.trailing_zeros() / 8) as usize;
        }
        n += 8;
    }
    n + bytes[n..]
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase())
        .count()
}

/// The width of the character at `i` if it belongs to a word.
#[inline]
fn word_character(text: &str, i: usize) -> Option<usize> {
    let byte = text.as_bytes()[i];
    if byte < 0x80 {
        return (BYTES[byte as usize] != NOTHING).then_some(1);
    }
    if !text.is_char_boundary(i) {
        return None;
    }
    text[i..]
        .chars()
        .next()
        .filter(|c| is_alphanumeric(*c))
        .map(char::len_utf8)
}

/// As [`char::is_alphanumeric`], which is slow beyond ASCII.
fn is_alphanumeric(c: char) -> bool {
    match c {
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{24f}' => true,
        '\u{3a3}'..='\u{3e1}' | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' => true,
        '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{64a}'
        | '\u{904}'..='\u{939}'
        | '\u{e01}'..='\u{e30}' => true,
        '\u{1e00}'..='\u{1eff}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => true,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        _ => c.is_alphanumeric(),
    }
}

fn identifier(
    word: &str,
    buffer: &mut String,
    parts: &mut Vec<(usize, usize)>,
    each: &mut impl FnMut(&str),
) {
    parts.clear();
    if word.is_ascii() {
        split_ascii(word.as_bytes(), parts);
    } else {
        split_unicode(word, parts);
    }
    if parts.len() != 1 {
        if parts.is_empty() {
            return;
        }
        lower(word, buffer);
        each(buffer);
    }
    for &(start, end) in &*parts {
        lower(&word[start..end], buffer);
        each(buffer);
    }
}

fn lower(word: &str, buffer: &mut String) {
    buffer.clear();
    let mut end = word.len().min(MAX_WORD);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    let word = &word[..end];
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else if word.contains('Σ') {
        // How a sigma is written depends on what follows.
        buffer.push_str(&word.to_lowercase());
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Gap,
}

fn split_ascii(word: &[u8], parts: &mut Vec<(usize, usize)>) {
    let class = |i: usize| match BYTES[word[i] as usize] {
        UPPER => Class::Upper,
        DIGIT => Class::Digit,
        GAP => Class::Gap,
        _ => Class::Lower,
    };
    let mut i = 0;
    while i < word.len() {
        if class(i) == Class::Gap {
            i += 1;
            continue;
        }
        let start = i;
        let first = class(i);
        i += 1;
        while i < word.len()
            && continues(
                first,
                class(i - 1),
                class(i),
                (i + 1 < word.len()).then(|| class(i + 1)),
            )
        {
            i += 1;
        }
        parts.push((start, i));
    }
}

fn split_unicode(word: &str, parts: &mut Vec<(usize, usize)>) {
    let characters: Vec<(usize, Class)> =
        word.char_indices().map(|(i, c)| (i, class_of(c))).collect();
    let mut i = 0;
    while i < characters.len() {
        if characters[i].1 == Class::Gap {
            i += 1;
            continue;
        }
        let start = i;
        i += 1;
        while i < characters.len()
            && continues(
                characters[start].1,
                characters[i - 1].1,
                characters[i].1,
                characters.get(i + 1).map(|next| next.1),
            )
        {
            i += 1;
        }
        parts.push((
            characters[start].0,
            characters.get(i).map_or(word.len(), |next| next.0),
        ));
    }
}

fn class_of(c: char) -> Class {
    match c {
        '_' => Class::Gap,
        // The most frequent, without a search in tables.
        'a'..='z'
        | '\u{df}'..='\u{f6}'
        | '\u{f8}'..='\u{ff}'
        | '\u{3b1}'..='\u{3ce}'
        | '\u{430}'..='\u{45f}' => Class::Lower,
        '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{64a}'
        | '\u{904}'..='\u{939}'
        | '\u{e01}'..='\u{e30}' => Class::Lower,
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => Class::Lower,
        '\u{400}'..='\u{42f}' => Class::Upper,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// Whether a character still belongs to the part that began with `first`.
fn continues(first: Class, previous: Class, this: Class, next: Option<Class>) -> bool {
    match (previous, this) {
        (_, Class::Gap) => false,
        (Class::Digit, Class::Digit) => true,
        (Class::Digit, _) | (_, Class::Digit) => false,
        (Class::Lower, Class::Upper) => false,
        // The last capital before a small letter begins the next part: `HTTPServer`. Plurals of
        // acronyms do not matter.
        (Class::Upper, Class::Upper) => next != Some(Class::Lower),
        (Class::Upper, Class::Lower) => first == Class::Upper,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_whole_and_in_parts() {
        let of = |text: &str| {
            let mut found = Vec::new();
            words(text, |word| found.push(word.to_owned()));
            found.join(" ")
        };
        assert_eq!(
            of("parseHTTPRequest2"),
            "parsehttprequest2 parse http request 2"
        );
        assert_eq!(of("snake_case_name"), "snake_case_name snake case name");
        assert_eq!(of("auth::jwt.validate"), "auth jwt validate");
        assert_eq!(of("__init__ _x"), "init x");
        assert_eq!(of("HTTP_OK != 200"), "http_ok http ok 200");
        assert_eq!(of("größeÄndern naïve"), "größeändern größe ändern naïve");
        assert_eq!(
            of("ΟΔΟΣ xéy éx, ПриветМир — Ångström"),
            "οδος xéy éx приветмир привет мир ångström"
        );
        assert_eq!(of("\u{feff}日本語 x\0y — ___"), "日本語 x y");
        assert_eq!(of(&"a".repeat(10_000)).len(), MAX_WORD);
        // Around every multiple of eight letters, whatever ends the word.
        for n in 1..40 {
            let word = "z".repeat(n);
            for end in ["", " ", "`", "{", ".", "\t", "\0", "\u{7f}"] {
                assert_eq!(of(&format!("{word}{end}")), word);
                assert_eq!(of(&format!("{}{word}{end}a", " ".repeat(n)))[..n], word);
            }
            assert_eq!(of(&format!("{word}é")), format!("{word}é"));
            assert_eq!(
                of(&format!("{word}7{word}A")),
                format!("{word}7{word}a {word} 7 {word} a")
            );
        }
    }

    #[test]
    fn shortcuts_agree_with_the_tables() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            let letter = if c.is_uppercase() {
                Class::Upper
            } else {
                Class::Lower
            };
            let class = if c.is_numeric() { Class::Digit } else { letter };
            assert!(c == '_' || class_of(c) == class, "{c:?}");
        }
    }
}
