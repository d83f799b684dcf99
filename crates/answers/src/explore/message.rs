//! Whether a question is a message that code writes, perhaps with values put into it.

use std::collections::BTreeSet;

use engine::query::search::is_test_or_docs;

use super::{distinct_words, says_something};

/// A text as it may be printed: an error, a line of a log.
#[derive(Debug)]
pub(super) struct QuotedMessage {
    /// What it says, each word once.
    words: Vec<String>,
}

impl QuotedMessage {
    pub fn of(text: &str) -> QuotedMessage {
        QuotedMessage {
            words: distinct_words(without_class(text), says_something),
        }
    }

    /// Whether a line of code is where it is written: it has most of the words, and mostly in their
    /// order. Values were put into some messages, so that a few words are missing in the line. A text
    /// that also says "fixed" or "crash" is a report, whose other words may be together in a comment.
    pub fn is_written_in(&self, line: &str) -> bool {
        const MIN_WORDS: usize = 3;
        const MAX_PLACES: usize = 64;
        // A word may also be a part of a name: `string_fmt("not a string")`.
        let mut places: Vec<usize> = Vec::new();
        workspace::words(line, |word| {
            let said = self.words.iter().position(|said| said == word);
            places.extend(said.filter(|_| places.len() < MAX_PLACES));
        });
        let n_held = places.iter().collect::<BTreeSet<_>>().len();
        n_held >= MIN_WORDS
            && 4 * n_held >= 3 * self.words.len()
            && 5 * longest_ascent(&places) >= 4 * n_held
    }

    /// Whether that is between the quotes of a line.
    pub fn is_literal_in(&self, line: &str) -> bool {
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
        let quoted = line.split_once(is_quote).map(|(_, rest)| rest);
        let literal = quoted.and_then(|rest| rest.rsplit_once(is_quote));
        literal.is_some_and(|(literal, _)| self.is_written_in(literal))
    }
}

/// A message without the class of the error before it: `ValueError: `, `com.shop.CartException: `.
pub(super) fn without_class(text: &str) -> &str {
    let is_class = |word: &str| {
        let is_plain = word
            .chars()
            .all(|c| c.is_alphanumeric() || "._:$\\".contains(c));
        let is_said = ["Error", "error", "Exception", "panic", "fatal"];
        is_plain && (word.contains('.') || is_said.iter().any(|end| word.ends_with(end)))
    };
    match text.split_once(": ") {
        Some((class, message)) if is_class(class) => message,
        _ => text,
    }
}

/// The length of the longest part, with gaps, in which each number is greater than the one before.
fn longest_ascent(numbers: &[usize]) -> usize {
    let mut longest: Vec<usize> = Vec::with_capacity(numbers.len());
    for (i, number) in numbers.iter().enumerate() {
        let before = (0..i).filter(|j| numbers[*j] < *number);
        longest.push(1 + before.map(|j| longest[j]).max().unwrap_or(0));
    }
    longest.into_iter().max().unwrap_or(0)
}

/// Whether what is written in a file is read rather than printed: tests and documents, and changes of
/// a database that were made long ago.
pub(super) fn is_quoted_in(path: &str) -> bool {
    let mut directories = path.split('/');
    let is_migration = |part: &str| part.ends_with("migrations") || part == "migrate";
    is_test_or_docs(path) || directories.any(is_migration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_words_and_their_order() {
        for (message, line, expected) in [
            (
                "Expected BEGIN_OBJECT but was STRING at path $",
                "throw JsonDataException(\"Expected BEGIN_OBJECT but was ${peek()} at path $path\")",
                true,
            ),
            (
                "CartError: The item 'foo' has already been added!",
                "\"The item '%s' has already been added!\",",
                true,
            ),
            (
                "override minimum level by source context",
                "Override(string source, LogEventLevel minimumLevel)",
                false,
            ),
            (
                "Cannot index number with string \"x\"",
                "return jv_string_fmt(\"Cannot index %s with string \\\"%s\\\"\", kind)",
                true,
            ),
            (
                "fetch the title of a submitted url",
                "fetchURLTitle(button)",
                false,
            ),
            (
                "the tax is bad",
                "raise ValueError(\"the tax is bad\")",
                false,
            ),
        ] {
            assert_eq!(
                QuotedMessage::of(message).is_written_in(line),
                expected,
                "{message}"
            );
        }
    }

    #[test]
    fn a_literal_is_between_quotes() {
        let message = QuotedMessage::of("the cart is empty, pay nothing");
        assert!(message.is_literal_in("raise ValueError('the cart is empty, pay nothing')"));
        assert!(!message.is_literal_in("# the cart is empty, pay nothing"));
        assert!(!message.is_literal_in("cart.is_empty() and pay(\"nothing\")"));
    }

    #[test]
    fn a_class_before_a_message_is_left_out() {
        for (text, message) in [
            ("ValueError: bad tax", "bad tax"),
            ("com.shop.CartProblem: bad tax", "bad tax"),
            ("error: bad tax", "bad tax"),
            ("cart: bad tax", "cart: bad tax"),
            ("the cart said: bad tax", "the cart said: bad tax"),
        ] {
            assert_eq!(without_class(text), message);
        }
    }
}
