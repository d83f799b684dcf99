//! Symbols that a search pattern or a prompt names, for a client that did not ask for them.
//!
//! Only names that exist exactly count, and only those written as code is: a hint that is wrong costs
//! more than none. Nothing here reads more than the table of names and the files of the answers.

use engine::SymbolId;
use facts::SymbolKind;

use crate::{Session, lookup, search};

/// Symbols shown for one name.
const MAX_OF_NAME: usize = 3;
/// Words of a text that are looked up.
const MAX_WORDS: usize = 40;
/// A name that more symbols have says too little about which is meant.
const MAX_NAMESAKES: usize = 200;

/// The symbols that a pattern for grep is most likely after, best first.
pub fn of_pattern(session: &Session, pattern: &str) -> Vec<SymbolId> {
    let mut found = Vec::new();
    for name in names_in_pattern(pattern) {
        found.extend(symbols_of(session, &name, true));
    }
    found
}

/// The symbols that a prompt names as code is written, in order of their mention.
pub fn of_prompt(session: &Session, prompt: &str) -> Vec<SymbolId> {
    let words = prompt
        .split(|c: char| c.is_whitespace() || ",;\"'[]{}<>=".contains(c))
        .filter(|word| is_written_as_code(word));
    let mut found: Vec<SymbolId> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for word in words.take(MAX_WORDS) {
        let name = plain_name(word);
        if name.len() < 3 || seen.contains(&name) {
            continue;
        }
        for symbol in symbols_of(session, &name, false) {
            if !found.contains(&symbol) {
                found.push(symbol);
            }
        }
        seen.push(name);
    }
    found
}

/// The best symbols of a name. A plain word that only names values is no name worth a hint.
fn symbols_of(session: &Session, name: &str, is_pattern: bool) -> Vec<SymbolId> {
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let n_namesakes = session.symbols_named(last).len();
    if n_namesakes == 0 || n_namesakes > MAX_NAMESAKES {
        return Vec::new();
    }
    let is_qualified = last != name;
    let mut found: Vec<SymbolId> = if is_qualified {
        lookup::exactly_named(session, name)
    } else {
        let ranked = search::locate(session, name, &[], None).into_iter();
        ranked.map(|(symbol, _)| symbol).collect()
    };
    if found.is_empty() && is_pattern && is_qualified {
        found = session.symbols_named(last);
    }
    found.truncate(20);
    let mut found = lookup::drop_redundant(session, found);
    let is_plain = last.chars().all(|c| c.is_ascii_lowercase());
    found.retain(|symbol| {
        session.facts(symbol.file).is_some_and(|facts| {
            let kind = facts.symbol(symbol.index).kind;
            let is_told = !matches!(
                kind,
                SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element
            );
            is_told && (!is_plain || kind.is_callable() || kind.is_type())
        })
    });
    found.truncate(MAX_OF_NAME);
    found
}

/// The names that a regular expression looks for: alternatives without anchors, keywords and
/// escapes. None where it looks for anything else.
fn names_in_pattern(pattern: &str) -> Vec<String> {
    const KEYWORDS: &[&str] = &[
        "def",
        "class",
        "func",
        "function",
        "fn",
        "type",
        "struct",
        "interface",
        "trait",
        "enum",
        "const",
        "let",
        "var",
        "impl",
        "new",
        "import",
    ];
    /// Comments are searched for these, also where a function is named so.
    const MARKERS: &[&str] = &["TODO", "FIXME", "XXX", "HACK", "NOTE"];
    let mut names: Vec<String> = Vec::new();
    for alternative in pattern.split('|').take(5) {
        // The beginning of a message, an element of markup, or a tag of documentation.
        if alternative.contains(": ") || is_element(alternative) || is_tag(alternative) {
            return Vec::new();
        }
        let mut text = alternative
            .replace("\\b", " ")
            .replace("\\s+", " ")
            .replace("\\s*", " ");
        for (written, plain) in [
            ("\\(", " "),
            ("\\.", "."),
            ("\\)", " "),
            ("\\w+", " "),
            ("\\", " "),
        ] {
            text = text.replace(written, plain);
        }
        let words = text
            .split(|c: char| !(c.is_alphanumeric() || "_$.:#".contains(c)))
            .map(|word| word.trim_matches(['.', ':', '#', '$']))
            .filter(|word| !word.is_empty() && !KEYWORDS.contains(word));
        let words: Vec<&str> = words.collect();
        match words.as_slice() {
            [name]
                if name.len() >= 3
                    && name.chars().any(char::is_alphabetic)
                    && !MARKERS.contains(name) =>
            {
                names.push((*name).to_owned());
            }
            // More than a name: a phrase, or a real expression.
            _ => return Vec::new(),
        }
    }
    names
}

/// `</div>` and `<div`, but not `<Button`, which is a component, that is, a symbol.
fn is_element(pattern: &str) -> bool {
    let opened = pattern
        .split('<')
        .nth(1)
        .and_then(|rest| rest.chars().next());
    opened.is_some_and(|first| first == '/' || first.is_ascii_lowercase())
}

/// `@param`, which comments are searched for, also where a function is named so.
fn is_tag(pattern: &str) -> bool {
    const TAGS: &[&str] = &[
        "author",
        "brief",
        "deprecated",
        "example",
        "inheritdoc",
        "link",
        "param",
        "return",
        "returns",
        "see",
        "since",
        "throws",
        "type",
        "typedef",
        "version",
    ];
    let written = pattern.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '@');
    let name = |rest: &str| {
        rest.trim_end_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    written
        .strip_prefix('@')
        .is_some_and(|rest| TAGS.contains(&name(rest).as_str()))
}

/// `Cart.total()` in a sentence is `Cart.total`.
fn plain_name(word: &str) -> String {
    let word = word.split('(').next().unwrap_or(word);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    word.trim_matches(|c: char| !is_part(c)).to_owned()
}

fn is_written_as_code(word: &str) -> bool {
    let name = plain_name(word);
    let inner_capital =
        name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_marked = word.starts_with('`') || word.contains("()");
    let has_scheme = word.contains("://");
    !has_scheme
        && name
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
        && (is_marked || inner_capital || name.contains('_') || name.contains("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{symbol_report::local_name, testing::session};

    const SHOP: &str = "
//- shop.py
class Cart:
    name = 1
    def total(self): ...
    def line_total(self): ...
def checkout(cart): ...
def TODO(): ...

def param(): ...
";

    #[test]
    fn patterns_that_name_symbols_are_told_from_others() {
        let session = session(SHOP);
        for (pattern, expected) in [
            ("checkout", vec!["checkout"]),
            (r"def checkout\(", vec!["checkout"]),
            (r"\bCart\b", vec!["Cart"]),
            (r"class Cart", vec!["Cart"]),
            ("line_total|checkout", vec!["Cart.line_total", "checkout"]),
            (r"Cart\.total", vec!["Cart.total"]),
            (r"cart\.total\(", vec!["Cart.total"]),
            ("name", vec![]),
            ("no_such_symbol", vec![]),
            ("cannot find the cart", vec![]),
            ("TODO", vec![]),
            ("checkout: ", vec![]),
            ("</checkout>", vec![]),
            ("<checkout", vec![]),
            ("<Cart", vec!["Cart"]),
            ("@param", vec![]),
            ("@checkout", vec!["checkout"]),
            ("^import", vec![]),
            ("[a-z]+", vec![]),
            ("", vec![]),
        ] {
            let found = of_pattern(&session, pattern);
            let names: Vec<String> = found
                .iter()
                .map(|symbol| local_name(&session, *symbol))
                .collect();
            assert_eq!(names, expected, "{pattern}");
        }
    }

    #[test]
    fn prompts_name_symbols_as_code_is_written() {
        let session = session(SHOP);
        for (prompt, expected) in [
            ("please make line_total faster", vec!["Cart.line_total"]),
            (
                "why does `checkout` call Cart.total()?",
                vec!["checkout", "Cart.total"],
            ),
            ("the total of a cart is wrong at checkout", vec![]),
            ("see https://example.com/line_total", vec![]),
        ] {
            let found = of_prompt(&session, prompt);
            let names: Vec<String> = found
                .iter()
                .map(|symbol| local_name(&session, *symbol))
                .collect();
            assert_eq!(names, expected, "{prompt}");
        }
    }
}
