//! What a language is to extraction, and which one a file is written in.

use facts::{LanguageId, Modifiers, ScopeId, Semantics, SymbolIndex, Visibility};

use crate::{declaring::DeclarationSyntax, languages, rules::Rule};

/// Everything that differs between languages, as data. One constant per language.
pub struct Language {
    /// The word people use: `python`.
    pub name: &'static str,
    /// Written to disk; never reused.
    pub id: LanguageId,
    pub extensions: &'static [&'static str],
    /// Whole file names, for files without a telling extension.
    pub file_names: &'static [&'static str],
    /// Interpreters in a `#!` line.
    pub interpreters: &'static [&'static str],
    /// Changes with every change of the facts this extractor gives; part of their identity.
    pub version: u32,
    pub grammar: fn() -> tree_sitter::Language,
    /// How many node kinds the grammar has; a test holds it, because two linked grammars can
    /// silently become one.
    pub n_node_kinds: usize,
    /// Several lists are read as one; the first that names a node kind wins.
    pub rules: &'static [&'static [Rule]],
    /// Keywords that say something about the symbol they are in.
    pub modifiers: &'static [(&'static str, Modifiers)],
    pub visibilities: &'static [(&'static str, Visibility)],
    /// Rewrites the text at equal length before the parse, or leaves it alone.
    pub prepare: Option<fn(&str) -> Option<String>>,
    /// The parts of the file that are to be parsed, as byte ranges; absent means all of it.
    pub parts: Option<fn(&str) -> Vec<std::ops::Range<usize>>>,
    /// Parts of the text that the grammar leaves unread and that are parsed and walked after the
    /// rest: macro arguments.
    pub embedded: Option<fn(&crate::walk::Walk<'_>) -> Vec<Embedded>>,
    /// Runs after the walk, for what only the whole file tells.
    pub finish: Option<fn(&mut crate::walk::Walk<'_>)>,
    /// Words that start a definition on a line, for files that cannot be parsed.
    pub line_definitions: &'static [(&'static str, facts::SymbolKind)],
    /// How names that are defined are told without a parse; absent where nobody asks for that.
    pub declaration_syntax: Option<&'static DeclarationSyntax>,
    /// How the engine looks names up; absent for languages known by their outline only.
    pub semantics: Option<&'static Semantics>,
}

/// Text inside a file that is parsed by itself and walked as if it were in a scope of the file.
pub struct Embedded {
    pub ranges: Vec<std::ops::Range<usize>>,
    pub scope: ScopeId,
    pub symbol: Option<SymbolIndex>,
}

impl Language {
    /// To be completed with `..Language::EMPTY`.
    pub const EMPTY: Language = Language {
        name: "",
        id: LanguageId(0),
        extensions: &[],
        file_names: &[],
        interpreters: &[],
        version: 1,
        grammar: || unreachable!("a language without a grammar is not parsed"),
        n_node_kinds: 0,
        rules: &[],
        modifiers: &[],
        visibilities: &[],
        prepare: None,
        parts: None,
        embedded: None,
        finish: None,
        line_definitions: &[],
        declaration_syntax: None,
        semantics: None,
    };

    pub fn has_grammar(&self) -> bool {
        self.n_node_kinds > 0
    }
}

/// Any text that no language claims: searchable, without symbols.
pub static PLAIN_TEXT: Language = Language {
    name: "text",
    id: LanguageId(0),
    ..Language::EMPTY
};

/// Every language of this build.
pub static LANGUAGES: &[&Language] = languages::ALL;

pub fn language(id: LanguageId) -> Option<&'static Language> {
    if id == PLAIN_TEXT.id {
        return Some(&PLAIN_TEXT);
    }
    LANGUAGES.iter().find(|language| language.id == id).copied()
}

pub fn language_named(name: &str) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .chain([&&PLAIN_TEXT])
        .find(|language| language.name.eq_ignore_ascii_case(name))
        .copied()
}

/// The language of a file by its name, else by its `#!` line.
///
/// `head` is the start of the file. A `.h` file is C++ when its text says so.
pub fn language_of(path: &str, head: &[u8]) -> Option<&'static Language> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if let Some(language) = LANGUAGES
        .iter()
        .find(|language| language.file_names.contains(&file_name))
    {
        return Some(language);
    }
    if let Some((_, extension)) = file_name.rsplit_once('.') {
        let extension = extension.to_ascii_lowercase();
        if extension == "h" && languages::is_cpp_header(head) {
            return language_named("cpp");
        }
        if let Some(language) = LANGUAGES
            .iter()
            .find(|language| language.extensions.contains(&extension.as_str()))
        {
            return Some(language);
        }
        return None;
    }
    let first_line = head
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let first_line = std::str::from_utf8(first_line).ok()?;
    let mut words = first_line.split_ascii_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let program = if program == "env" {
        words.find(|word| !word.starts_with('-') && !word.contains('='))?
    } else {
        program
    };
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES
        .iter()
        .find(|language| language.interpreters.contains(&program))
        .copied()
}
