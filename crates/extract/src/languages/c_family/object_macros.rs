//! Macros without parameters that stand for a piece of a declaration: those that open or close
//! namespaces (`FMT_BEGIN_NAMESPACE`), and those that stand for nothing that matters
//! (`#define API_FN inline`).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::languages::conditionals;

/// The macros without parameters that a file defines, by what they stand for. A macro with several
/// definitions counts for each of them.
#[derive(Default)]
pub(super) struct ObjectMacros<'text> {
    /// The path of the namespace that each opens, `a::b`.
    opening: FxHashMap<&'text [u8], String>,
    closing: FxHashSet<&'text [u8]>,
    nothing: FxHashSet<&'text [u8]>,
}

/// What a word that may be a macro does to the namespaces around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamespaceEdge {
    Opens,
    Closes,
}

impl<'text> ObjectMacros<'text> {
    pub(super) fn of(text: &'text [u8]) -> ObjectMacros<'text> {
        let mut macros = ObjectMacros::default();
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&text[from..], b"define") {
            let start = from + at;
            from = start + b"define".len();
            let hash = text[..start]
                .iter()
                .rposition(|byte| !matches!(byte, b' ' | b'\t'))
                .filter(|&hash| text[hash] == b'#' && conditionals::starts_line(text, hash));
            if hash.is_none() {
                continue;
            }
            let end = conditionals::continued_end(text, start);
            macros.add(&text[from..end]);
            from = end;
        }
        macros
    }

    /// `NAME body`; parameters follow the name without a space.
    fn add(&mut self, definition: &'text [u8]) {
        /// A longer body is code.
        const MAX_BODY: usize = 400;
        let definition = definition.trim_ascii_start();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let len = definition
            .iter()
            .position(|byte| !is_word(byte))
            .unwrap_or(definition.len());
        let (name, body) = definition.split_at(len);
        if name.is_empty() || body.first() == Some(&b'(') || body.len() > MAX_BODY {
            return;
        }
        let body = without_comments(body);
        let body = body.trim();
        if is_nothing(body) {
            self.nothing.insert(name);
        } else if body
            .bytes()
            .all(|byte| byte == b'}' || byte.is_ascii_whitespace())
        {
            self.closing.insert(name);
        } else if let Some(path) = opened_namespace(body) {
            let known = self.opening.entry(name).or_default();
            if known.is_empty() {
                *known = path;
            }
        }
    }

    /// The path of the namespaces that a macro opens; those without a name and those that are
    /// inline are left out.
    pub(super) fn opened(&self, word: &[u8]) -> Option<&str> {
        self.opening.get(word).map(String::as_str)
    }

    /// Whether a macro can be left out without a loss: it is empty, a specifier or an attribute.
    pub(super) fn is_nothing(&self, word: &[u8]) -> bool {
        self.nothing.contains(word)
    }

    /// What a word does to the namespaces around it. Where the file does not define it, its name
    /// tells: `SHOP_NAMESPACE_BEGIN`, `SHOP_NS_END`.
    pub(super) fn edge(&self, word: &[u8]) -> Option<NamespaceEdge> {
        if self.opening.contains_key(word) {
            return Some(NamespaceEdge::Opens);
        }
        if self.closing.contains(word) {
            return Some(NamespaceEdge::Closes);
        }
        if self.nothing.contains(word) {
            return None;
        }
        edge_by_name(word)
    }
}

fn edge_by_name(word: &[u8]) -> Option<NamespaceEdge> {
    let mut parts = word.split(|byte| *byte == b'_');
    let has = |wanted: &[&[u8]]| parts.clone().any(|part| wanted.contains(&part));
    if !has(&[b"NAMESPACE", b"NS"]) {
        return None;
    }
    parts.find_map(|part| match part {
        b"BEGIN" | b"OPEN" | b"ENTER" | b"START" => Some(NamespaceEdge::Opens),
        b"END" | b"CLOSE" | b"EXIT" | b"LEAVE" => Some(NamespaceEdge::Closes),
        _ => None,
    })
}

/// Nothing, or words that say nothing about what is declared.
fn is_nothing(body: &str) -> bool {
    body.split_whitespace().all(|word| {
        matches!(
            word,
            "inline" | "constexpr" | "__inline" | "__inline__" | "noexcept"
        ) || word.starts_with("__attribute") && word.ends_with(')')
            || word.starts_with("__declspec(") && word.ends_with(')')
            || word.starts_with("[[") && word.ends_with("]]")
    })
}

/// `namespace a { inline namespace b {` is `a`.
pub(super) fn opened_namespace(body: &str) -> Option<String> {
    let mut path = String::new();
    for header in body.strip_suffix('{')?.split('{') {
        let header = header.trim();
        let (header, is_inline) = match header.strip_prefix("inline") {
            Some(header) => (header.trim_start(), true),
            None => (header, false),
        };
        let name = header.strip_prefix("namespace")?;
        if name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let name = name.split_whitespace().next().unwrap_or_default();
        let is_path = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if !is_inline && is_path && !name.is_empty() {
            if !path.is_empty() {
                path.push_str("::");
            }
            path.push_str(name);
        }
    }
    Some(path)
}

/// The body of a macro on one line.
pub(super) fn without_comments(body: &[u8]) -> String {
    let mut plain = String::with_capacity(body.len());
    let text = String::from_utf8_lossy(body)
        .replace("\\\r\n", " ")
        .replace("\\\n", " ");
    let mut rest = text.as_str();
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        plain.push_str(before);
        if comment.starts_with("//") {
            return plain;
        }
        rest = match comment.strip_prefix("/*").map(|inside| inside.find("*/")) {
            Some(Some(end)) => &comment[end + 4..],
            Some(None) => return plain,
            None => {
                plain.push('/');
                &comment[1..]
            }
        };
        plain.push(' ');
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::{NamespaceEdge, ObjectMacros};

    #[test]
    fn bodies_tell_what_macros_stand_for() {
        let text = "#define A_BEGIN namespace a { \\\n  inline namespace v2 {  // a\n\
            #define A_END } /* v2 */ \\\n }\n\
            #if X\n#  define FN inline\n#else\n#  define FN\n#endif\n\
            #define ATTRIBUTE __attribute__((pure))\n\
            #define SIZE 3\n#define CALL(a) namespace a {\n#define BEGIN_NAMESPACE 1 {";
        let macros = ObjectMacros::of(text.as_bytes());
        assert_eq!(macros.opened(b"A_BEGIN"), Some("a"));
        assert_eq!(macros.edge(b"A_END"), Some(NamespaceEdge::Closes));
        assert!(macros.is_nothing(b"FN") && macros.is_nothing(b"ATTRIBUTE"));
        assert!(!macros.is_nothing(b"SIZE") && macros.edge(b"SIZE").is_none());
        assert!(macros.edge(b"CALL").is_none());
    }

    #[test]
    fn names_tell_where_the_definition_is_elsewhere() {
        let macros = ObjectMacros::default();
        for (word, edge) in [
            ("SHOP_BEGIN_NAMESPACE", Some(NamespaceEdge::Opens)),
            ("SHOP_NS_END", Some(NamespaceEdge::Closes)),
            ("NAMESPACE_CLOSE", Some(NamespaceEdge::Closes)),
            ("SHOP_BEGIN_DECLS", None),
            ("SHOP_NAMESPACE", None),
            ("ENDNS_TIME", None),
        ] {
            assert_eq!(macros.edge(word.as_bytes()), edge, "{word}");
        }
    }
}
