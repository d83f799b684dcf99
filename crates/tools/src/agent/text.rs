//! The forms that answers are made of: places, symbols, lists of lines, and what they may cost.

use answers::{
    Session,
    excerpts::shorten,
    symbol::{self, signature},
    symbol_report::local_name,
};
use engine::SymbolId;

use crate::tokens;

/// Characters of a signature, and of a line of source, in lists.
pub const SIGNATURE: usize = 90;
const LINE: usize = 100;

/// A text without its line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of source as lists show it.
pub fn source_line(text: &str) -> String {
    shorten(&one_line(text), LINE)
}

/// A symbol's signature with its qualified name in the place of its name: `def Cart.total(self)`.
/// Kind and name where it has no signature.
pub fn qualified_signature(session: &Session, symbol: SymbolId) -> String {
    let qualified = local_name(session, symbol);
    shorten(&signature_as(session, symbol, &qualified), SIGNATURE)
}

/// The same below the line of its path, which may have named the type around it already, and without
/// who may use it.
pub fn signature_below_path(session: &Session, symbol: SymbolId, room: usize) -> String {
    let file_name = session.path(symbol.file).rsplit('/').next();
    let stem = file_name.and_then(|name| name.split('.').next());
    let qualified = local_name(session, symbol);
    let outermost = stem.and_then(|stem| qualified.strip_prefix(stem));
    let inner = outermost.and_then(|rest| rest.strip_prefix("::").or(rest.strip_prefix('.')));
    let written = signature_as(session, symbol, inner.unwrap_or(&qualified));
    shorten(without_visibility(&written), room)
}

/// A signature without the words at its start that say who may use it.
fn without_visibility(signature: &str) -> &str {
    const WORDS: [&str; 6] = [
        "public",
        "private",
        "protected",
        "internal",
        "export",
        "pub",
    ];
    let mut rest = signature;
    while let Some((first, after)) = rest.split_once(' ') {
        let word = first.split('(').next().unwrap_or(first);
        if !WORDS.contains(&word) || word != first && !first.ends_with(')') {
            break;
        }
        rest = after;
    }
    rest
}

/// The signature with another form of the name in the place of the name.
fn signature_as(session: &Session, symbol: SymbolId, qualified: &str) -> String {
    let name = session.name(symbol);
    let Some(written) = signature(session, symbol) else {
        return format!("{} {qualified}", kind(session, symbol));
    };
    let container = qualified
        .strip_suffix(&name)
        .unwrap_or_default()
        .trim_end_matches(['.', ':', '\\']);
    let last_container = container
        .rsplit(['.', ':', '\\'])
        .next()
        .unwrap_or_default();
    match word_position(&written, &name) {
        _ if container.is_empty() => written,
        // A receiver or a qualifier is written already.
        Some(at) if word_position(&written[..at], last_container).is_some() => written,
        Some(at) => format!(
            "{}{qualified}{}",
            &written[..at],
            &written[at + name.len()..]
        ),
        None => format!("{qualified}: {written}"),
    }
}

/// Where a text first has a word, whole.
fn word_position(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if word.is_empty() {
        return None;
    }
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        !text[..*at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

pub fn kind(session: &Session, symbol: SymbolId) -> &'static str {
    session
        .facts(symbol.file)
        .map_or("symbol", |facts| facts.symbol(symbol.index).kind.as_str())
}

/// `shop/cart.py:12 Cart.total`.
pub fn place(session: &Session, symbol: SymbolId) -> String {
    format!(
        "{}:{} {}",
        session.path(symbol.file),
        symbol::name_line(session, symbol),
        local_name(session, symbol)
    )
}

/// Seconds since 1970 as `2026-01-31`.
pub fn date(seconds: i64) -> String {
    let mut text = crate::times::iso(seconds.saturating_mul(1_000));
    text.truncate(10);
    text
}

/// Lines in their order as people list them: `3,4,9`; `3-5` for three and more that follow one
/// another.
pub fn numbers(lines: impl IntoIterator<Item = u32>) -> String {
    let lines: Vec<u32> = lines.into_iter().collect();
    let runs = lines.chunk_by(|line, next| line.checked_add(1) == Some(*next));
    let mut listed: Vec<String> = Vec::new();
    for run in runs {
        match run {
            [first, _, .., last] => listed.push(format!("{first}-{last}")),
            few => listed.extend(few.iter().map(u32::to_string)),
        }
    }
    listed.join(",")
}

pub fn counted(n: usize, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {one}{plural}")
}

/// An answer that is being written, and what is left of its budget.
pub struct Page {
    pub text: String,
    left: usize,
}

impl Page {
    pub fn new(budget: usize) -> Page {
        Page {
            text: String::new(),
            left: budget,
        }
    }

    /// Adds a piece that ends with a line break, whatever it costs.
    pub fn add(&mut self, piece: &str) {
        self.add_counted(piece, tokens::count(piece));
    }

    fn add_counted(&mut self, piece: &str, n_tokens: usize) {
        self.left = self.left.saturating_sub(n_tokens);
        self.text += piece;
    }

    /// Adds a piece if there is room for it.
    pub fn add_if_fits(&mut self, piece: &str) -> bool {
        let n_tokens = tokens::count(piece);
        let fits = n_tokens <= self.left;
        if fits {
            self.add_counted(piece, n_tokens);
        }
        fits
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// Keeps so much for what comes later.
    pub fn reserve(&mut self, n_tokens: usize) {
        self.left = self.left.saturating_sub(n_tokens);
    }

    pub fn release(&mut self, n_tokens: usize) {
        self.left += n_tokens;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_use_a_symbol_is_left_out() {
        for (signature, expected) in [
            ("public static void run()", "static void run()"),
            ("pub(crate) fn run()", "fn run()"),
            ("export default function run()", "default function run()"),
            ("protected internal int total", "int total"),
            ("pub(a, b) x", "pub(a, b) x"),
            ("public", "public"),
            ("publication run()", "publication run()"),
        ] {
            assert_eq!(without_visibility(signature), expected);
        }
    }

    #[test]
    fn lines_that_follow_one_another_are_a_range() {
        for (lines, expected) in [
            (&[][..], ""),
            (&[7], "7"),
            (&[7, 8], "7,8"),
            (&[7, 8, 9], "7-9"),
            (&[1, 3, 4, 5, 6, 8, 9, 12], "1,3-6,8,9,12"),
            (&[u32::MAX - 1, u32::MAX], "4294967294,4294967295"),
        ] {
            assert_eq!(numbers(lines.iter().copied()), expected);
        }
    }
}
