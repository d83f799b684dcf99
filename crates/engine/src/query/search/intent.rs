//! What kind of question a text is.

/// How a question is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    Symbol,
    Path,
    Error,
    NaturalLanguage,
}

impl Intent {
    pub fn as_str(self) -> &'static str {
        match self {
            Intent::Symbol => "symbol",
            Intent::Path => "path",
            Intent::Error => "error",
            Intent::NaturalLanguage => "natural_language",
        }
    }
}

const ERROR_MARKS: &[&str] = &[
    "error:",
    "panic:",
    "fatal",
    "exception",
    "traceback",
    "at line",
    "thread '",
];
const KIND_WORDS: &[&str] = &[
    "fn",
    "func",
    "function",
    "struct",
    "class",
    "enum",
    "trait",
    "interface",
    "type",
    "const",
    "method",
    "def",
];
const EXTENSIONS: &[&str] = &[
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "pyi", "go", "java", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "kt", "swift", "scala", "lua", "zig", "md", "toml", "yaml", "yml",
    "json", "sql", "proto", "html", "css", "vue", "svelte", "sh",
];

/// The intent of a question, and how sure that is.
pub fn intent(text: &str) -> (Intent, f64) {
    let text = text.trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = text.to_lowercase();
    // One word is a name even if it holds `Exception`.
    if words.len() > 1 && ERROR_MARKS.iter().any(|mark| lower.contains(mark)) {
        return (Intent::Error, 0.9);
    }
    if words.len() <= 2 && (text.contains('/') || text.contains('\\')) && !text.contains("://") {
        return (Intent::Path, 0.95);
    }
    if words.len() == 1 && extension(text).is_some() {
        return (Intent::Path, 0.85);
    }
    let wrapped = |mark: char| text.len() > 2 && text.starts_with(mark) && text.ends_with(mark);
    if wrapped('"') && words.len() > 1 || wrapped('`') && words.len() > 1 {
        return (Intent::Error, 0.9);
    }
    match words.as_slice() {
        [word] => one_word(word.trim_matches(['"', '`', '\''])),
        [first, _] if kind_word(first).is_some() => (Intent::Symbol, 0.76),
        _ => (Intent::NaturalLanguage, 0.72),
    }
}

fn one_word(word: &str) -> (Intent, f64) {
    let inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    if word.contains("::") || word.contains('.') || word.contains('#') {
        (Intent::Symbol, 0.9)
    } else if inner_capital {
        (Intent::Symbol, 0.88)
    } else if word.contains('_') {
        (Intent::Symbol, 0.85)
    } else if word.chars().count() > 2 && word.chars().all(|c| c.is_alphanumeric() || c == '$') {
        (Intent::Symbol, 0.6)
    } else {
        (Intent::NaturalLanguage, 0.55)
    }
}

/// A word that says what kind of symbol is looked for.
pub fn kind_word(word: &str) -> Option<&'static str> {
    KIND_WORDS
        .iter()
        .copied()
        .find(|kind| kind.eq_ignore_ascii_case(word))
}

/// The extension of a file name, where it is one that source files have.
pub fn extension(word: &str) -> Option<&str> {
    let (stem, extension) = word.rsplit_once('.')?;
    let known = EXTENSIONS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(extension));
    (known && !stem.is_empty()).then_some(extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        use Intent::*;
        let cases = [
            ("validate_token", Symbol),
            ("ValidateToken", Symbol),
            ("auth::jwt::validate", Symbol),
            ("Cart.total", Symbol),
            ("parser", Symbol),
            ("NullPointerException", Symbol),
            ("fn main", Symbol),
            ("class Cart", Symbol),
            ("src/auth/jwt.rs", Path),
            ("auth\\jwt.cs", Path),
            ("jwt.rs", Path),
            ("Cart.java", Path),
            ("bind/JsonTreeR", Path),
            ("error: cannot find value", Error),
            ("thread 'main' panicked at src/main.rs", Error),
            ("\"connection refused by peer\"", Error),
            ("Unhandled exception in worker", Error),
            ("where is rate limiting implemented", NaturalLanguage),
            ("how does authentication work", NaturalLanguage),
            ("save parents", NaturalLanguage),
            ("close window python gui", NaturalLanguage),
            (
                "read/write lock is not released when the client hangs up",
                NaturalLanguage,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(intent(text).0, expected, "{text}");
        }
    }
}
