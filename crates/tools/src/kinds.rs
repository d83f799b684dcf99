//! What a symbol is, in the words of each contract: one table, shown in `docs/contracts/kinds.md`.

use facts::SymbolKind;

/// One row: an engine kind and what the contracts call it.
pub struct KindNames {
    pub kind: SymbolKind,
    pub codecompass: &'static str,
    pub codemap: &'static str,
    /// LSP's number.
    pub lsp: u8,
}

const fn row(
    kind: SymbolKind,
    codecompass: &'static str,
    codemap: &'static str,
    lsp: u8,
) -> KindNames {
    KindNames {
        kind,
        codecompass,
        codemap,
        lsp,
    }
}

/// In the order of [`SymbolKind::ALL`].
pub const KINDS: &[KindNames] = &[
    row(SymbolKind::Module, "module", "module", 2),
    row(SymbolKind::Namespace, "module", "namespace", 3),
    row(SymbolKind::Class, "class", "class", 5),
    row(SymbolKind::Struct, "struct", "struct", 23),
    row(SymbolKind::Interface, "interface", "interface", 11),
    row(SymbolKind::Trait, "trait", "interface", 11),
    row(SymbolKind::Enum, "enum", "enum", 10),
    row(SymbolKind::EnumMember, "enum_member", "constant", 22),
    row(SymbolKind::Union, "union", "struct", 23),
    row(SymbolKind::Record, "record", "record", 5),
    row(SymbolKind::Object, "object", "class", 5),
    row(SymbolKind::TypeAlias, "type_alias", "type_alias", 5),
    row(SymbolKind::Delegate, "delegate", "delegate", 12),
    row(SymbolKind::Impl, "impl", "extension", 5),
    row(SymbolKind::Function, "fn", "function", 12),
    row(SymbolKind::Method, "fn", "method", 6),
    row(SymbolKind::Constructor, "fn", "constructor", 9),
    row(SymbolKind::Property, "property", "property", 7),
    row(SymbolKind::Field, "field", "field", 8),
    row(SymbolKind::Constant, "const", "constant", 14),
    row(SymbolKind::Variable, "variable", "field", 13),
    row(SymbolKind::Event, "event", "event", 24),
    row(SymbolKind::Indexer, "property", "indexer", 7),
    row(SymbolKind::Operator, "fn", "operator", 25),
    row(SymbolKind::Macro, "macro", "macro", 12),
    row(SymbolKind::Heading, "heading", "heading", 15),
    row(SymbolKind::Key, "key", "key", 20),
    row(SymbolKind::Element, "element", "element", 19),
];

pub fn names_of(kind: SymbolKind) -> &'static KindNames {
    &KINDS[kind as usize]
}

/// The engine kinds that a filter's word means, whichever contract or language it comes from; empty
/// for a word that means none.
pub fn meant_by(word: &str) -> Vec<SymbolKind> {
    use SymbolKind::*;
    let plain = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let callable = || vec![Function, Method, Constructor, Operator];
    match plain.as_str() {
        "fn" | "func" | "fun" | "function" | "def" | "sub" | "procedure" | "callable" => callable(),
        "method" => vec![Method, Constructor, Operator],
        "ctor" | "init" => vec![Constructor],
        "type" => SymbolKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.is_type())
            .collect(),
        "typedef" | "alias" | "typealias" => vec![TypeAlias],
        "protocol" => vec![Interface, Trait],
        "const" | "static" => vec![Constant],
        // CodeMap has one word for both.
        "constant" => vec![Constant, EnumMember],
        "var" | "let" | "variable" | "global" => vec![Variable],
        "member" | "attribute" => vec![Property, Field],
        "variant" | "enumerator" | "enummember" | "enum_variant" => vec![EnumMember],
        "mod" | "package" | "namespace" | "module" => vec![Module, Namespace],
        "extension" => vec![Impl],
        "value" => SymbolKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.is_value())
            .collect(),
        _ => {
            let named = |row: &&KindNames| {
                [row.codecompass, row.codemap, row.kind.as_str()].contains(&plain.as_str())
            };
            KINDS.iter().filter(named).map(|row| row.kind).collect()
        }
    }
}

/// Every word that [`meant_by`] knows of this contract, for messages.
pub fn codecompass_words() -> Vec<&'static str> {
    let mut words: Vec<_> = KINDS.iter().map(|row| row.codecompass).collect();
    words.dedup();
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_total_and_in_order() {
        let kinds: Vec<_> = KINDS.iter().map(|row| row.kind).collect();
        assert_eq!(kinds, SymbolKind::ALL);
        for row in KINDS {
            assert_eq!(names_of(row.kind).kind, row.kind);
            for word in [row.codecompass, row.codemap, row.kind.as_str()] {
                assert!(
                    meant_by(word).contains(&row.kind),
                    "{word} must find {:?}",
                    row.kind
                );
            }
            assert!((1..=26).contains(&row.lsp));
        }
    }

    #[test]
    fn synonyms_are_understood() {
        for word in ["function", "fn", "def", "func"] {
            assert!(meant_by(word).contains(&SymbolKind::Method), "{word}");
        }
        assert!(!meant_by("method").contains(&SymbolKind::Function));
        assert!(meant_by("nonsense").is_empty());
    }

    #[test]
    fn the_page_shows_the_table() {
        let mut page = String::from(
            "# Kinds\n\nWhat a symbol is, in the words of the three contracts. `crates/tools/src/kinds.rs` holds the table; its tests keep it\n\
             total and this page equal to it. Filters take every word of every column and the usual synonyms (`function`, `def`, `method`, `var`).\n\n\
             | engine | CodeCompass | CodeMap | LSP |\n|---|---|---|---|\n",
        );
        for row in KINDS {
            page.push_str(&format!(
                "| {} | `{}` | `{}` | {} |\n",
                row.kind.as_str(),
                row.codecompass,
                row.codemap,
                row.lsp
            ));
        }
        page.push_str(
            "\nAn import is shown in outlines as `use`. In CodeCompass methods and constructors are `fn`, as its document writes them.\n",
        );
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/contracts/kinds.md");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(file, &page).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(file).unwrap_or_default(),
            page,
            "run with UPDATE_EXPECT=1"
        );
    }
}
