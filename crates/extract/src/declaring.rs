//! Which words of a text may name what it defines, told by what is written around them. A parse tells
//! it exactly and takes far longer. The answer errs on one side: what is defined is never
//! missed, and a use may pass for a definition.

/// How a language writes the names that it defines.
pub struct DeclarationSyntax {
    /// Words right before a name that is defined: `class`.
    pub introducing: &'static [&'static str],
    /// Words before a path, which is defined as a whole: `namespace`.
    pub paths: &'static [&'static str],
    /// Words before a name that is defined where `=` follows: `using`.
    pub aliases: &'static [&'static str],
    /// Reserved words that are no type: a name after one of them is used, not defined.
    pub not_types: &'static [&'static str],
    /// Bytes that may be right before a name that is defined, beside letters, digits and `,`.
    pub before: &'static [u8],
    /// Bytes that may be right after a name that is defined, beside `(`.
    pub after: &'static [u8],
    /// Whether a type comes before the name: `Cart cart`.
    pub types_before_names: bool,
    /// Whether a type comes after the name, which then may be the first word of a line: `cart Cart`.
    pub names_before_types: bool,
    /// Whether the members of an `enum` may have arguments.
    pub enum_arguments: bool,
    /// Words that name what they define themselves: `constructor`.
    pub own_names: &'static [&'static str],
    /// Whether a name between this part of its line and the rest of the text may be a definition,
    /// where nothing else says so.
    pub otherwise: fn(&[u8], &[u8]) -> bool,
}

/// A text with the declarations of its language.
pub struct DeclaringText<'a> {
    language: &'a DeclarationSyntax,
    text: &'a [u8],
    has_enum: bool,
}

/// What is before a word.
enum Before<'a> {
    Byte(u8),
    Word(&'a [u8]),
    /// The start of the text, or the end of a comment.
    Unknown,
}

impl<'a> DeclaringText<'a> {
    pub fn new(language: &'a DeclarationSyntax, text: &'a [u8]) -> DeclaringText<'a> {
        DeclaringText {
            has_enum: !language.names_before_types && has_word(text, "enum"),
            language,
            text,
        }
    }

    /// Whether a word of the text may be the whole name of something that it defines. A word is of
    /// letters, digits, `_` and all that is not ASCII.
    pub fn may_define(&self, start: usize, end: usize) -> bool {
        let (language, text) = (self.language, self.text);
        let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
        let prefix = &text[line..start];
        let indented = prefix.trim_ascii_start();
        if is_comment(indented) && !self.ends_comment(line) {
            return false;
        }
        // Names in backticks may begin with anything.
        if memchr::memchr(b'`', prefix).is_some() {
            return true;
        }
        if text[start].is_ascii_digit() {
            return false;
        }
        let after = &text[end..];
        let spaces = after
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        let after = &after[spaces.count()..];
        let trimmed = prefix.trim_ascii_end();
        let before = match trimmed.last() {
            // `String... names`
            Some(b'.') if trimmed.ends_with(b"...") => Before::Unknown,
            Some(b'.' | b'\\') if prefix.ends_with(b".") || prefix.ends_with(b"\\") => {
                return (language.otherwise)(prefix, after);
            }
            Some(_) => before(prefix),
            None if language.names_before_types => return self.may_follow(after, true),
            None => self.before_line(line),
        };
        match before {
            _ if is_any(&text[start..end], language.own_names) => true,
            Before::Word(word) if is_any(word, language.introducing) => true,
            Before::Word(word) if is_any(word, language.paths) => {
                !matches!(after, [b'.' | b'\\', ..])
            }
            Before::Word(word) if is_any(word, language.aliases) => after.starts_with(b"="),
            Before::Word(word) if is_any(word, language.not_types) => false,
            Before::Word(_) | Before::Unknown => {
                (language.types_before_names || self.has_enum) && self.may_follow(after, true)
            }
            Before::Byte(b')') => {
                (language.before.contains(&b')') || self.has_enum) && self.may_follow(after, true)
            }
            Before::Byte(b'{') if !language.before.contains(&b'{') => {
                self.has_enum
                    && self.may_follow(after, language.enum_arguments)
                    && !after.starts_with(b"<")
            }
            Before::Byte(b',') => {
                self.may_follow(after, self.has_enum && language.enum_arguments)
                    && !after.starts_with(b")")
                    && !after.starts_with(b"<")
                    || (language.otherwise)(prefix, after)
            }
            Before::Byte(byte) if language.before.contains(&byte) => self.may_follow(after, true),
            Before::Byte(_) => (language.otherwise)(prefix, after),
        }
    }

    /// Whether what follows may follow a name that is defined.
    fn may_follow(&self, after: &[u8], may_have_arguments: bool) -> bool {
        match after {
            [] | [b'\n', ..] => true,
            [b'/', b'/' | b'*', ..] | [b'#', ..] => true,
            [b'=', b'=', ..] => false,
            [b'(', ..] => may_have_arguments,
            // `value, err := f()` declares variables of a function, which are no symbols.
            [b',', ..] if self.language.names_before_types && is_short_declaration(after) => false,
            [byte, ..] if is_word(*byte) => self.language.names_before_types,
            [byte, ..] => self.language.after.contains(byte),
        }
    }

    /// What ends the last line before one that has something.
    fn before_line(&self, line: usize) -> Before<'a> {
        let above = self.text[..line].trim_ascii_end();
        let start = memchr::memrchr(b'\n', above).map_or(0, |at| at + 1);
        let above = &above[start..];
        let has_comment = memchr::memchr_iter(b'/', above).any(|at| {
            at > 0 && above[at - 1] == b'*' || matches!(above.get(at + 1), Some(b'/' | b'*'))
        });
        let indented = above.trim_ascii_start();
        if has_comment || indented.starts_with(b"#") || indented.starts_with(b"*") {
            return Before::Unknown;
        }
        before(above)
    }

    fn ends_comment(&self, line: usize) -> bool {
        let line = &self.text[line..];
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let ends = |mark: &[u8]| memchr::memmem::find(&line[..end], mark).is_some();
        ends(b"*/") || ends(b"?>")
    }
}

/// What ends a part of a line.
fn before(prefix: &[u8]) -> Before<'_> {
    let prefix = prefix.trim_ascii_end();
    match prefix {
        [] | [.., b'*', b'/'] => Before::Unknown,
        // An arrow, not the end of type arguments.
        [.., b'=' | b'-', b'>'] => Before::Byte(b'='),
        [.., byte] if is_word(*byte) => {
            let start = prefix.iter().rposition(|byte| !is_word(*byte));
            Before::Word(&prefix[start.map_or(0, |at| at + 1)..])
        }
        [.., byte] => Before::Byte(*byte),
    }
}

/// Whether the rest of a list of names on one line ends with `:=`.
fn is_short_declaration(rest: &[u8]) -> bool {
    let is_in_list = |byte: &&u8| is_word(**byte) || matches!(byte, b',' | b' ' | b'\t');
    let n_bytes = rest.iter().take_while(is_in_list).count();
    rest[n_bytes..].starts_with(b":=")
}

fn is_comment(indented: &[u8]) -> bool {
    match indented {
        [b'/', b'/', ..] => true,
        // `*Base` is a member in Go.
        [b'*', next, ..] => !is_word(*next),
        _ => false,
    }
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|other| other.as_bytes() == word)
}

/// Whether a word is written in a text.
pub fn has_word(text: &[u8], word: &str) -> bool {
    let is_whole = |at: usize| {
        let is_end = |byte: Option<&u8>| !byte.is_some_and(|byte| is_word(*byte));
        is_end(at.checked_sub(1).and_then(|at| text.get(at))) && is_end(text.get(at + word.len()))
    };
    memchr::memmem::find_iter(text, word.as_bytes()).any(is_whole)
}

#[cfg(all(test, feature = "full-depth"))]
mod tests {
    use super::*;
    use crate::{Extractor, LANGUAGES, Language, Limits, language_named};

    fn words(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + text[at..].iter().position(|byte| is_word(*byte))?;
            let length = text[start..].iter().position(|byte| !is_word(*byte));
            at = length.map_or(text.len(), |length| start + length);
            Some((start, at))
        })
    }

    fn definable<'a>(language: &Language, text: &'a str) -> Vec<&'a str> {
        let syntax = language.declaration_syntax.unwrap();
        let declaring = DeclaringText::new(syntax, text.as_bytes());
        let words = words(text.as_bytes());
        let definable = words.filter(|(start, end)| declaring.may_define(*start, *end));
        definable.map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn every_definition_of_every_case_is_told() {
        let (mut extractor, limits) = (Extractor::new(), Limits::default());
        let mut n_definitions = 0;
        let mut missed = Vec::new();
        let languages = LANGUAGES.iter();
        for language in languages.filter(|language| language.declaration_syntax.is_some()) {
            let name = language.name;
            let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/languages");
            let cases = std::fs::read_to_string(format!("{directory}/{name}/cases.md")).unwrap();
            for block in cases.split("\n```").skip(1).step_by(2) {
                let Some((language_name, text)) = block.split_once('\n') else {
                    continue;
                };
                if language_name.trim() != name {
                    continue;
                }
                let facts = extractor.extract(language, text, &limits);
                let definable = definable(language, text);
                for symbol in &facts.symbols {
                    n_definitions += 1;
                    let defined = facts.name(symbol.name);
                    let is_one_word = words(defined.as_bytes()).eq([(0, defined.len())]);
                    if is_one_word && defined != "Companion" && !definable.contains(&defined) {
                        missed.push(format!("{name}: {defined} in\n{text}"));
                    }
                }
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n\n"));
        assert!(n_definitions > 400, "{n_definitions}");
    }

    #[test]
    fn uses_are_told_from_definitions() {
        for (language, text, expected) in [
            (
                "java",
                "class Cart extends Base {\n  Order order = new Order(items.size(), List.of());\n}",
                &["Cart", "order"][..],
            ),
            (
                "csharp",
                "using System;\nusing Shop.Orders;\nusing Orders = Shop.Orders;\nnamespace Shop.Carts;\nclass Cart : Base {\n  void IList<Item>.Clear() => items.Clear();\n}",
                &["Orders", "Cart", "IList", "Clear"],
            ),
            (
                "kotlin",
                "fun List<Item>.total(): Int = sumOf(Item::price)\nval carts = listOf(Cart())",
                &["List", "total", "carts"],
            ),
            (
                "php",
                "<?php\nfunction total(Cart $cart) { return $cart->items->count(); }\nclass Cart {}",
                &["total", "cart", "Cart"],
            ),
            (
                "go",
                "type cart struct {\n\t*base.Base\n\tsync.Mutex\n\t*Shop\n\ta, b int\n}\n\nfunc (c *cart) Fail(t *T) {\n\tt.Errorf(\"no\")\n\tfmt.Println(c.a)\n\tvalue, ok, err := c.a()\n}\nvar (\n\tleft, right = 1, 2\n)",
                &[
                    "type", "cart", "Base", "Mutex", "Shop", "a", "b", "func", "Fail", "var",
                    "left", "right",
                ],
            ),
        ] {
            let found = definable(language_named(language).unwrap(), text);
            assert_eq!(found, expected, "{language}");
        }
    }
}
