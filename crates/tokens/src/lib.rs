//! How many tokens a text costs a model, by the tokenizer of current models (`o200k_base`).
//!
//! The vocabulary is a table in the binary: nothing is loaded, and only the pages that are looked
//! at take memory.

mod ascii;
mod table;

use std::{cmp::Reverse, collections::BinaryHeap, ops::Range, sync::LazyLock};

use regex::Regex;

/// All tokens by rank.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bytes"));
static TOKENS: Runs = Runs {
    sizes: include_bytes!(concat!(env!("OUT_DIR"), "/tokens-sizes")),
    starts: include_bytes!(concat!(env!("OUT_DIR"), "/tokens-starts")),
};
static BUCKETS: Runs = Runs {
    sizes: include_bytes!(concat!(env!("OUT_DIR"), "/buckets-sizes")),
    starts: include_bytes!(concat!(env!("OUT_DIR"), "/buckets-starts")),
};
/// The ranks of all tokens, bucket by bucket: all low bytes, then the middle ones, then the high
/// ones.
static RANKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ranks"));

pub fn count(text: &str) -> usize {
    pieces(text)
        .map(|piece| {
            if rank(piece.as_bytes()).is_some() {
                1
            } else {
                n_merged(piece.as_bytes())
            }
        })
        .sum()
}

/// The pieces of a text that tokens never reach across.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    // As the tokenizer has it, without `\s+(?!\S)`, which stands before the last part there.
    const PATTERN: &str = concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|\p{N}{1,3}",
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"|\s*[\r\n]+",
        r"|\s+",
    );
    static PIECE: LazyLock<Regex> = LazyLock::new(|| Regex::new(PATTERN).expect("a constant"));
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        if let Some(end) = ascii::piece(rest.as_bytes()) {
            at += end;
            return Some(&rest[..end]);
        }
        let found = PIECE.find_at(text, at)?;
        let (mut piece, rest) = (found.as_str(), &text[found.end()..]);
        // Of spaces before a word, the last one belongs to the word.
        let is_blank = !piece.ends_with(['\r', '\n']) && piece.chars().all(char::is_whitespace);
        if is_blank && !rest.is_empty() {
            let last = piece.chars().next_back().map_or(0, char::len_utf8);
            if last < piece.len() {
                piece = &piece[..piece.len() - last];
            }
        }
        at = found.start() + piece.len();
        Some(piece)
    })
}

/// The tokens that remain of a piece when neighbours are joined, those of the lowest rank first, as
/// long as any two make a token.
fn n_merged(piece: &[u8]) -> usize {
    const JOINED: usize = usize::MAX;
    let n = piece.len();
    // Parts by where they start: where the next one starts, and the one before.
    let mut next: Vec<usize> = (1..=n).collect();
    let mut before: Vec<Option<usize>> = (0..n).map(|start| start.checked_sub(1)).collect();
    let mut pairs = BinaryHeap::new();
    let offer = |pairs: &mut BinaryHeap<_>, next: &[usize], start: usize| {
        let middle = next[start];
        if middle < n
            && let Some(rank) = rank(&piece[start..next[middle]])
        {
            pairs.push(Reverse((rank, start, next[middle])));
        }
    };
    (0..n).for_each(|start| offer(&mut pairs, &next, start));
    let mut n_parts = n;
    while let Some(Reverse((_, start, end))) = pairs.pop() {
        let middle = next[start];
        // One of the two was joined with another meanwhile.
        if middle >= n || next[middle] != end {
            continue;
        }
        (next[start], next[middle]) = (end, JOINED);
        if end < n {
            before[end] = Some(start);
        }
        n_parts -= 1;
        offer(&mut pairs, &next, start);
        if let Some(previous) = before[start] {
            offer(&mut pairs, &next, previous);
        }
    }
    n_parts
}

/// The place of a token in the vocabulary; nothing for what is none.
fn rank(token: &[u8]) -> Option<usize> {
    let n_ranks = RANKS.len() / 3;
    let rank_at = |i: usize| {
        let byte = |plane: usize| usize::from(RANKS[plane * n_ranks + i]);
        byte(0) | byte(1) << 8 | byte(2) << 16
    };
    let mut ranks = BUCKETS.range(table::bucket(token)).map(rank_at);
    ranks.find(|rank| {
        usize::from(TOKENS.sizes[*rank]) == token.len() && &BYTES[TOKENS.range(*rank)] == token
    })
}

/// Things that stand one behind the other.
struct Runs {
    sizes: &'static [u8],
    /// Where every [`table::STEP`]th of them starts, as a `u32`.
    starts: &'static [u8],
}

impl Runs {
    fn range(&self, i: usize) -> Range<usize> {
        let group = i / table::STEP;
        let bytes = &self.starts[4 * group..4 * group + 4];
        let first = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
        let before = &self.sizes[group * table::STEP..i];
        let start = first + before.iter().map(|size| usize::from(*size)).sum::<usize>();
        start..start + usize::from(self.sizes[i])
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let oracle = tiktoken_rs::o200k_base_singleton();
        assert_eq!(count(text), oracle.encode_ordinary(text).len(), "{text:?}");
    }

    #[test]
    fn tokens_are_counted() {
        assert_eq!(count("hello world"), 2);
        assert_eq!(count(""), 0);
    }

    #[test]
    fn spaces_marks_and_letters_of_all_kinds() {
        for text in [
            "a  b",
            "a \n b",
            "  ",
            " ",
            "\t\tx",
            "a\r\n\r\n  b  ",
            "it's IT'S we'll",
            "x // y\n/\n",
            "1234567",
            "ÄÖü ß",
            "日本語のテキスト",
            "🦀🦀",
            "\u{a0}\u{a0}x",
            "\u{3000}x",
            "e\u{301}e\u{301}",
            "HTTPServerError",
            "\0\0",
            "<|endoftext|>",
            "ǅungla",
            "don\u{2019}t 'tis it'\u{17f} IT'LL we'Re x'lx",
            "a é",
            "1２3",
            "(é !é /\u{a0}\n/x",
            "  \u{a0}x \u{3000}",
            "\u{b}\u{c}\u{1f}x \t(\t x",
            "\n  x  \n\n \ty",
        ] {
            check(text);
        }
    }

    #[test]
    fn sources_cost_what_the_library_says() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for name in ["lib.rs", "table.rs", "../Cargo.toml"] {
            check(&fs::read_to_string(directory.join(name)).unwrap());
        }
    }

    #[test]
    fn a_word_without_end_takes_bounded_time() {
        check(&"a".repeat(20_000));
        check(&"abcdefghij".repeat(2_000));
    }

    proptest! {
        #[test]
        fn any_text_costs_what_the_library_says(text in "(\\PC|[ \t\r\n]|[a-zA-Z_']|[0-9]|\\{|\\}){0,60}") {
            check(&text);
        }
    }
}
