//! What people see: colour on a terminal that wants it, plain text anywhere else, and nothing that
//! a terminal would obey.

use std::{fmt::Display, io::IsTerminal, path::Path};

/// Colours, or none.
#[derive(Clone, Copy)]
pub struct Paint(bool);

impl Paint {
    /// For stdout.
    pub fn stdout() -> Paint {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let able = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Paint(wanted && able && std::io::stdout().is_terminal())
    }

    /// `path:line:col`, as editors and terminals take it.
    pub fn place(self, path: &str, line: impl Display, column: impl Display) -> String {
        format!(
            "{}:{}:{}",
            self.dye("35", path),
            self.dye("32", &line.to_string()),
            self.dye("32", &column.to_string())
        )
    }

    pub fn kind(self, text: &str) -> String {
        self.dye("2", text)
    }

    pub fn name(self, text: &str) -> String {
        self.dye("1", text)
    }

    pub fn good(self, text: &str) -> String {
        self.dye("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.dye("31", text)
    }

    fn dye(self, colour: &str, text: &str) -> String {
        let text = plain(text);
        if self.0 {
            format!("\x1b[{colour}m{text}\x1b[0m")
        } else {
            text
        }
    }
}

/// Text of a repository on one line: control characters could move the cursor or change the
/// terminal.
pub fn plain(text: &str) -> String {
    let safe = |c: char| match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(safe).collect()
}

/// A file of a repository as seen from the current directory; absolute if that is elsewhere.
pub fn seen_from_here(root: &Path, path: &str) -> String {
    let here = std::env::current_dir()
        .and_then(dunce::canonicalize)
        .unwrap_or_default();
    let Ok(below) = here.strip_prefix(root) else {
        return root.join(path).to_string_lossy().into_owned();
    };
    let mut up: Vec<_> = below
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let mut parts: Vec<&str> = path.split('/').collect();
    while let (Some(first), Some(around)) = (parts.first(), up.first()) {
        if parts.len() == 1 || first != around {
            break;
        }
        parts.remove(0);
        up.remove(0);
    }
    format!("{}{}", "../".repeat(up.len()), parts.join("/"))
}

/// `1,234,567`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `12.3 MB`
pub fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.1} GB", number as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(Paint(false).name("a\x1b[2Jb\tc"), "a\u{fffd}[2Jb c");
        assert_eq!(Paint(true).name("x"), "\x1b[1mx\x1b[0m");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            (count(7), count(1234), count(1234567)),
            ("7".to_owned(), "1,234".to_owned(), "1,234,567".to_owned())
        );
    }
}
