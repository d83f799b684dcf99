//! A symbol as this contract shows it, and the one that a request names.

use answers::{
    Session, SymbolInfo, excerpts,
    lookup::{self, Lookup, LookupError, Wanted},
    symbol::signature,
};
use engine::SymbolId;
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
    let found = find(opened, name, path, Wanted::Anything)?.first_alone();
    let others = NamedSymbols::others(&opened.session, &found.others);
    Ok((found.first(), others))
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
    lookup::lookup(session, name, path, wanted).map_err(|error| {
        let is_missing = matches!(
            error,
            LookupError::Missing { .. } | LookupError::UnknownPath
        );
        let refused = not_found(session, &opened.metadata.r#ref, name, path, error);
        if is_missing {
            errors::unless_indexing(refused, &opened.metadata)
        } else {
            refused
        }
    })
}

/// Why a name means no symbol of what a ref means.
pub fn not_found(
    session: &Session,
    reference: &str,
    name: &str,
    path: Option<&str>,
    error: LookupError,
) -> ToolError {
    match error {
        LookupError::Missing { nearest } => errors::symbol_not_found(name, reference, &nearest),
        LookupError::UnknownPath => file_not_found(session, path.unwrap_or_default()),
        LookupError::Unreadable => ToolError::internal(
            "the table of names cannot be read; run `codecompass index --force`",
        ),
        LookupError::Ambiguous { candidates } => {
            errors::ambiguous_symbol(name, &Candidates::of(session, &candidates))
        }
    }
}

/// A path that is not in the snapshot.
pub fn file_not_found(session: &Session, path: &str) -> ToolError {
    errors::file_not_found(lookup::missing_file(session, path))
}

/// The languages that a filter's word means; none where there is no filter.
pub fn languages(word: Option<&str>) -> Result<Vec<LanguageId>, ToolError> {
    let Some(word) = word else {
        return Ok(Vec::new());
    };
    match answers::search::languages_named(word) {
        found if found.is_empty() => {
            let known = extract::LANGUAGES.iter().map(|language| language.name);
            Err(ToolError::invalid_input(format!(
                "unknown language `{}`; known: {}",
                excerpts::shorten(word, 40),
                known.collect::<Vec<_>>().join(", ")
            )))
        }
        found => Ok(found),
    }
}
