//! A symbol as this contract shows it, and the one that a request names.

use answers::{
    Session, SymbolInfo, excerpts,
    lookup::{self, Lookup, LookupError, Wanted},
    symbol::signature,
};
use engine::{SymbolId, query::search};
use facts::{LanguageId, Visibility};
use schemars::JsonSchema;
use serde::Serialize;

use super::{envelope::Opened, errors};
use crate::{ToolError, kinds};

/// Everything that may be shown of a symbol; each tool shows its part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolShape {
    pub symbol_id: String,
    pub symbol_stable_id: String,
    pub name: String,
    pub kind: &'static str,
    pub qualified_name: String,
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
}

impl SymbolShape {
    /// Absent only where facts can no longer be read.
    pub fn of(session: &Session, symbol: SymbolId) -> Option<SymbolShape> {
        let info = SymbolInfo::of(session, symbol)?;
        let visibility = visibility(info.visibility);
        Some(SymbolShape {
            signature: signature(session, symbol),
            language: Some(session.language(symbol.file)),
            visibility,
            ..SymbolShape::node(info)
        })
    }

    /// As nodes of a call graph are shown: where it is, and its handles.
    pub fn node(info: SymbolInfo) -> SymbolShape {
        SymbolShape {
            symbol_id: info.symbol_id.to_string(),
            symbol_stable_id: info.stable_id.to_string(),
            name: info.name,
            kind: kinds::names_of(info.kind).codecompass,
            qualified_name: info.qualified_name,
            path: info.path,
            line_start: info.lines.0,
            line_end: info.lines.1,
            signature: None,
            language: None,
            visibility: None,
        }
    }

    /// A node of a symbol that was found, whose facts must be there.
    pub fn found(session: &Session, symbol: SymbolId) -> Result<SymbolShape, ToolError> {
        SymbolInfo::of(session, symbol)
            .map(SymbolShape::node)
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))
    }
}

/// Nothing where nothing is written and the language has no rule.
pub fn visibility(visibility: Visibility) -> Option<&'static str> {
    (visibility != Visibility::Default).then(|| visibility.word())
}

/// Symbols of the name that was asked for, besides the one that the answer shows first.
#[derive(Default, Serialize, JsonSchema)]
pub struct NamedSymbols {
    /// Overloads, which are answered together
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_symbols: Option<Candidates>,
    /// In other containers of the file: each can be asked for by its handle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_symbols: Option<Candidates>,
}

#[derive(Serialize, JsonSchema)]
pub struct Candidates {
    pub count: usize,
    pub first: Vec<Candidate>,
}

#[derive(Serialize, JsonSchema)]
pub struct Candidate {
    pub symbol_id: String,
    pub kind: &'static str,
    pub qualified_name: String,
    pub path: String,
    pub line_start: u32,
    /// Overloads differ in nothing else
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl NamedSymbols {
    /// Symbols of the same name that the answer is not about.
    pub fn others(session: &Session, others: &[SymbolId]) -> NamedSymbols {
        NamedSymbols {
            joined_symbols: None,
            other_symbols: Candidates::some(session, others),
        }
    }
}

impl Candidates {
    pub fn of(session: &Session, symbols: &[SymbolId]) -> Candidates {
        let first = symbols.iter().take(10);
        Candidates {
            count: symbols.len(),
            first: first
                .filter_map(|symbol| Candidate::of(session, *symbol))
                .collect(),
        }
    }

    fn some(session: &Session, symbols: &[SymbolId]) -> Option<Candidates> {
        (!symbols.is_empty()).then(|| Candidates::of(session, symbols))
    }
}

impl Candidate {
    fn of(session: &Session, symbol: SymbolId) -> Option<Candidate> {
        let info = SymbolInfo::of(session, symbol)?;
        Some(Candidate {
            symbol_id: info.symbol_id.to_string(),
            kind: kinds::names_of(info.kind).codecompass,
            qualified_name: info.qualified_name,
            path: info.path,
            line_start: info.lines.0,
            signature: signature(session, symbol)
                .map(|signature| excerpts::shorten(&signature, 120)),
        })
    }
}

/// The one symbol that a request names, and others of its file that bear the name.
pub fn one(
    opened: &Opened,
    name: &str,
    path: Option<&str>,
) -> Result<(SymbolId, NamedSymbols), ToolError> {
    let mut found = find(opened, name, path, Wanted::Anything)?;
    let first = found.first();
    found.others.splice(0..0, found.overloads.drain(1..));
    Ok((first, NamedSymbols::others(&opened.session, &found.others)))
}

/// The symbol that a request names with its overloads, which are answered together.
pub fn joined(
    opened: &Opened,
    name: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<(Vec<SymbolId>, NamedSymbols), ToolError> {
    let Lookup { overloads, others } = find(opened, name, path, wanted)?;
    let joined = match overloads.as_slice() {
        [_] => None,
        several => Some(Candidates::of(&opened.session, several)),
    };
    let named = NamedSymbols {
        joined_symbols: joined,
        other_symbols: Candidates::some(&opened.session, &others),
    };
    Ok((overloads, named))
}

fn find(
    opened: &Opened,
    name: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<Lookup, ToolError> {
    let session = &opened.session;
    if name.trim().is_empty() {
        return Err(ToolError::invalid_input("`symbol_name` must not be empty"));
    }
    lookup::lookup(session, name, path, wanted).map_err(|reason| match reason {
        LookupError::Missing { nearest } => errors::unless_indexing(
            errors::symbol_not_found(name, &opened.metadata.r#ref, &nearest),
            &opened.metadata,
        ),
        LookupError::UnknownPath => errors::unless_indexing(
            file_not_found(session, path.unwrap_or_default()),
            &opened.metadata,
        ),
        LookupError::Unreadable => unreadable_names(),
        LookupError::Ambiguous { candidates } => {
            errors::ambiguous_symbol(name, &Candidates::of(session, &candidates))
        }
    })
}

pub fn unreadable_names() -> ToolError {
    ToolError::internal("the table of names cannot be read; run `codecompass index --force`")
}

/// A path that is not in the snapshot: escaping ones are refused, skipped ones explained, others
/// get the nearest.
pub fn file_not_found(session: &Session, path: &str) -> ToolError {
    let plain = match session.workspace.repo_path(&path.replace('\\', "/")) {
        Ok(plain) => plain,
        Err(error) => return errors::failed(error),
    };
    if let Some(skipped) = session
        .view
        .skipped
        .iter()
        .find(|file| file.path.as_str() == plain.as_str())
    {
        return errors::file_not_found(path, &[], Some(skipped.reason.as_str()));
    }
    let mut nearest: Vec<String> = Vec::new();
    for (file, _) in session
        .lexicon()
        .files_like(search::stem(plain.file_name()), 0.5, 10)
    {
        nearest.push(session.path(file).to_owned());
    }
    nearest.truncate(5);
    errors::file_not_found(path, &nearest, None)
}

/// The languages that a filter's word means: a name, an extension, or a common spelling.
pub fn languages(word: Option<&str>) -> Result<Vec<LanguageId>, ToolError> {
    let Some(word) = word else {
        return Ok(Vec::new());
    };
    let plain = word.trim().to_ascii_lowercase();
    let plain = match plain.as_str() {
        "c++" | "cplusplus" => "cpp",
        "c#" | "cs" => "csharp",
        "golang" => "go",
        "node" | "nodejs" => "javascript",
        "shell" | "sh" => "bash",
        other => other,
    };
    let family = |name: &str| match plain {
        "typescript" => name.starts_with("typescript") || name == "tsx",
        "javascript" => name.starts_with("javascript") || name == "jsx",
        plain => name == plain,
    };
    let mut found: Vec<LanguageId> = extract::LANGUAGES
        .iter()
        .filter(|language| family(language.name))
        .map(|language| language.id)
        .collect();
    if found.is_empty() {
        found.extend(
            extract::LANGUAGES
                .iter()
                .filter(|language| language.extensions.contains(&plain))
                .map(|language| language.id),
        );
    }
    if found.is_empty() {
        let known: Vec<&str> = extract::LANGUAGES
            .iter()
            .map(|language| language.name)
            .collect();
        return Err(ToolError::invalid_input(format!(
            "unknown language `{}`; known: {}",
            excerpts::shorten(word, 40),
            known.join(", ")
        )));
    }
    Ok(found)
}
