//! Places that stack traces and messages name by file and line, and what a text says beside them.

use std::collections::BTreeSet;

use engine::FileId;

use crate::{Session, SymbolHandle, lookup};

/// The places that a stack trace or a message names by file and line, innermost first.
pub fn frames(session: &Session, text: &str) -> Vec<(FileId, u32)> {
    const MAX_FRAMES: usize = 12;
    let mut found: Vec<(FileId, u32)> = Vec::new();
    for (path, line) in text.lines().flat_map(places) {
        found.extend(file_of_frame(session, &path).map(|file| (file, line)));
    }
    // Such a trace names the outermost call first.
    if text.contains("most recent call last") {
        found.reverse();
    }
    let mut seen = BTreeSet::new();
    found.retain(|place| seen.insert(*place));
    found.truncate(MAX_FRAMES);
    found
}

/// What a trace says beside its frames, which are indented or places themselves: the message.
pub(super) fn without_frames(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        let is_heading = line.contains("most recent call last");
        !is_heading && !line.starts_with([' ', '\t'])
    });
    let said = lines.map(|line| {
        let words = line.split_whitespace();
        let words = words.filter(|word| places(word).is_empty());
        words.collect::<Vec<_>>().join(" ")
    });
    said.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The paths and lines that a line of a trace names.
fn places(line: &str) -> Vec<(String, u32)> {
    let quoted = line.split_once("File \"").and_then(|(_, rest)| {
        let (path, rest) = rest.split_once("\", line ")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let number: u32 = digits.parse().ok().filter(|number| *number > 0)?;
        Some((path.to_owned(), number))
    });
    if let Some(place) = quoted {
        return vec![place];
    }
    // `in C:\src\Cart.cs:line 12`.
    let line = line.replace(":line ", ":");
    let words = line.split(|c: char| c.is_whitespace() || "()[]<>\"'`,".contains(c));
    let place = |word: &str| {
        let word = word.trim_matches(['.', ':', ';']);
        // `cart.rb:12:in`, before the name of the method.
        let word = word.strip_suffix(":in").unwrap_or(word);
        match SymbolHandle::parse(word) {
            SymbolHandle::Line { path, line, .. } => Some((path, line)),
            _ => None,
        }
    };
    words.filter_map(place).collect()
}

/// The file of a path from another machine: the one that shares most of its end.
fn file_of_frame(session: &Session, path: &str) -> Option<FileId> {
    let path = path.replace('\\', "/");
    let mut rest = path.trim_start_matches("./");
    loop {
        if let [file] = lookup::find_files(session, rest).as_slice() {
            return Some(*file);
        }
        rest = rest.split_once('/')?.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_writes_its_frames_otherwise() {
        for (line, path, number) in [
            (
                "  File \"/srv/shop/cart.py\", line 5, in total",
                "/srv/shop/cart.py",
                5,
            ),
            (
                "   at Shop.Cart.Total() in C:\\src\\Cart.cs:line 104",
                "C:\\src\\Cart.cs",
                104,
            ),
            (
                "    at total (/srv/lib/cart.js:23:11)",
                "/srv/lib/cart.js",
                23,
            ),
            (
                "app/models/cart.rb:138:in `total'",
                "app/models/cart.rb",
                138,
            ),
            (
                "app/models/cart.rb:138:in 'Cart#total'",
                "app/models/cart.rb",
                138,
            ),
            ("\tat shop.Cart.total(Cart.java:12)", "Cart.java", 12),
            ("\t/srv/cart/cart.go:12 +0x1d", "/srv/cart/cart.go", 12),
            (
                "thread 'main' panicked at src/cart.rs:3:5:",
                "src/cart.rs",
                3,
            ),
        ] {
            assert_eq!(places(line), [(path.to_owned(), number)], "{line}");
        }
    }

    #[test]
    fn what_is_said_beside_frames_is_the_message() {
        for (text, said) in [
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nValueError: bad tax",
                "ValueError: bad tax",
            ),
            (
                "CartError: bad tax\n    at total (/srv/cart.js:23:11)\n    at next",
                "CartError: bad tax",
            ),
            ("src/cart.rs:3:5: error: no such tax", "error: no such tax"),
        ] {
            assert_eq!(without_frames(text), said);
        }
    }
}
