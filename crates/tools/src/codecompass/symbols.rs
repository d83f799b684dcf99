//! A symbol as this contract shows it, and the one that a request names.

use answers::{
    Anchor, Session, SymbolInfo, excerpts,
    lookup::{self, Lookup, LookupError, Wanted},
    symbol::signature,
    symbol_report::local_name,
};
use engine::SymbolId;
use facts::{LanguageId, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, Metadata},
    errors,
};
use crate::{Context, ToolError, handle::HandleText, kinds};

/// Everything that may be shown of a symbol; each tool shows its part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolShape {
    pub symbol_id: HandleText,
    pub symbol_stable_id: HandleText,
    pub name: String,
    pub kind: &'static str,
    pub qualified_name: String,
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
}

impl SymbolShape {
    /// All that may be shown.
    pub fn whole(session: &Session, info: SymbolInfo, signature: Option<String>) -> SymbolShape {
        SymbolShape {
            signature,
            language: Some(session.language(info.anchor.file())),
            visibility: visibility(info.visibility),
            ..SymbolShape::node(info)
        }
    }

    /// What a pack of many has room for: only what the contract's document names.
    pub fn packed(session: &Session, info: SymbolInfo, signature: Option<String>) -> SymbolShape {
        SymbolShape {
            signature,
            language: Some(session.language(info.anchor.file())),
            name_line: None,
            ..SymbolShape::node(info)
        }
    }

    /// As nodes of a call graph are shown: where it is, and its handles.
    pub fn node(info: SymbolInfo) -> SymbolShape {
        SymbolShape {
            symbol_id: info.symbol_id.into(),
            symbol_stable_id: info.stable_id.into(),
            name: info.name,
            kind: kinds::names_of(info.kind).codecompass,
            qualified_name: info.qualified_name,
            path: info.path,
            line_start: info.lines.0,
            line_end: info.lines.1,
            name_line: Some(info.name_position.0),
            signature: None,
            language: None,
            visibility: None,
        }
    }

    /// A node of a symbol that was found, whose facts must be there.
    pub fn found(session: &Session, anchor: Anchor) -> Result<SymbolShape, ToolError> {
        SymbolInfo::of(session, anchor)
            .map(SymbolShape::node)
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))
    }
}

/// A symbol in a list of many: one handle, and where its name is.
#[derive(Serialize, JsonSchema)]
pub struct CompactSymbol {
    pub symbol_id: String,
    /// With the types around it: `Cart.total`
    pub name: String,
    pub name_line: u32,
}

impl CompactSymbol {
    /// Absent only where facts can no longer be read.
    pub fn of(session: &Session, symbol: SymbolId) -> Option<CompactSymbol> {
        let info = SymbolInfo::of(session, symbol)?;
        Some(CompactSymbol {
            symbol_id: info.symbol_id.to_string(),
            name: local_name(session, symbol),
            name_line: info.name_position.0,
        })
    }
}

/// Nothing where nothing is written and the language has no rule.
pub fn visibility(visibility: Visibility) -> Option<&'static str> {
    (visibility != Visibility::Default).then(|| visibility.as_str())
}

/// Symbols of the name that was asked for, besides the one that the answer shows first.
#[derive(Default, Serialize, JsonSchema)]
pub struct NamedSymbols {
    /// Overloads, which are answered together
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_symbols: Option<CandidateList>,
    /// In other containers of the file: each can be asked for by its handle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_symbols: Option<CandidateList>,
}

#[derive(Serialize, JsonSchema)]
pub struct CandidateList {
    pub count: usize,
    pub first: Vec<Candidate>,
}

#[derive(Serialize, JsonSchema)]
pub struct Candidate {
    symbol_id: HandleText,
    kind: &'static str,
    qualified_name: String,
    path: String,
    line_start: u32,
    /// Overloads differ in nothing else
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl NamedSymbols {
    /// Symbols of the same name that the answer is not about.
    pub fn others(session: &Session, others: &[SymbolId]) -> NamedSymbols {
        let others = (!others.is_empty()).then(|| CandidateList::of(session, others));
        NamedSymbols {
            joined_symbols: None,
            other_symbols: others,
        }
    }
}

impl CandidateList {
    pub fn of(session: &Session, symbols: &[SymbolId]) -> CandidateList {
        let first = symbols.iter().take(10);
        CandidateList {
            count: symbols.len(),
            first: first
                .filter_map(|symbol| Candidate::of(session, *symbol))
                .collect(),
        }
    }
}

impl Candidate {
    fn of(session: &Session, symbol: SymbolId) -> Option<Candidate> {
        let info = SymbolInfo::of(session, symbol)?;
        Some(Candidate {
            symbol_id: info.symbol_id.into(),
            kind: kinds::names_of(info.kind).codecompass,
            qualified_name: info.qualified_name,
            path: info.path,
            line_start: info.lines.0,
            signature: signature(session, symbol)
                .map(|signature| excerpts::shorten(&signature, 120)),
        })
    }
}

// Which symbol a question is about, and where. No doc comment: it would become a description in the
// schema of every question that flattens this.
#[derive(Deserialize, JsonSchema)]
pub struct NamedSymbol {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    r#ref: Option<String>,
}

impl NamedSymbol {
    pub fn open(&self, context: &Context) -> Result<(Session, Metadata), ToolError> {
        envelope::open(context, &self.workspace, &self.r#ref)
    }

    /// The one that the name means, and others of its file that have the name.
    pub fn one(
        &self,
        session: &Session,
        metadata: &Metadata,
    ) -> Result<(Anchor, NamedSymbols), ToolError> {
        let found = self
            .find(session, metadata, Wanted::Anything)?
            .first_alone();
        let named = NamedSymbols::others(session, &found.others);
        Ok((found.first(), named))
    }

    /// The one that the name means with its overloads, which are answered together.
    pub fn joined(
        &self,
        session: &Session,
        metadata: &Metadata,
        wanted: Wanted,
    ) -> Result<(Lookup, NamedSymbols), ToolError> {
        let found = self.find(session, metadata, wanted)?;
        let joined = (found.overloads.len() > 1).then(|| found.symbols());
        let named = NamedSymbols {
            joined_symbols: joined.map(|symbols| CandidateList::of(session, &symbols)),
            ..NamedSymbols::others(session, &found.others)
        };
        Ok((found, named))
    }

    fn find(
        &self,
        session: &Session,
        metadata: &Metadata,
        wanted: Wanted,
    ) -> Result<Lookup, ToolError> {
        let (name, path) = (&self.symbol_name, self.path.as_deref());
        if name.trim().is_empty() {
            return Err(ToolError::invalid_input("`symbol_name` must not be empty"));
        }
        lookup::lookup(session, name, path, wanted).map_err(|error| {
            let is_missing = matches!(
                error,
                LookupError::Missing { .. } | LookupError::UnknownPath
            );
            let refused = not_found(session, &metadata.r#ref, name, path, error);
            match is_missing {
                true => errors::unless_indexing(refused, metadata),
                false => refused,
            }
        })
    }
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
        LookupError::Unreadable => errors::unreadable(session.unreadable()),
        LookupError::Ambiguous { candidates } => {
            errors::ambiguous_symbol(name, &CandidateList::of(session, &candidates))
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
