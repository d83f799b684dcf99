//! What every front end shows of a symbol: its names, its handles, where it is.

use engine::SymbolId;
use facts::{SymbolKind, Visibility};

use crate::{Session, SymbolHandle, excerpts, handle::Identity, names};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolInfo {
    pub symbol: SymbolId,
    /// Unique in the snapshot.
    pub symbol_id: SymbolHandle,
    /// The same in every file and snapshot.
    pub stable_id: SymbolHandle,
    pub name: String,
    pub qualified_name: String,
    pub kind: SymbolKind,
    pub visibility: Visibility,
    pub path: String,
    /// The first and last line, from 1; decorators and attributes belong to them.
    pub lines: (u32, u32),
    /// Where the name itself is: line and column, from 1.
    pub name_position: (u32, u32),
}

impl SymbolInfo {
    /// Absent only where facts can no longer be read.
    pub fn of(session: &Session, symbol: SymbolId) -> Option<SymbolInfo> {
        let facts = session.facts(symbol.file)?;
        let declared = facts.symbols.get(symbol.index.0 as usize)?;
        let snapshot = session.snapshot();
        let path = session.path(symbol.file);
        let identity = Identity::of(snapshot, &facts, symbol.index);
        Some(SymbolInfo {
            symbol,
            symbol_id: identity.symbol_id(path),
            stable_id: identity.stable_id(),
            name: facts.name(declared.name).to_owned(),
            qualified_name: names::qualified_name(snapshot, symbol.file, &facts, symbol.index),
            kind: declared.kind,
            visibility: declared.visibility,
            path: path.to_owned(),
            lines: excerpts::lines(&facts, declared.span),
            name_position: excerpts::position(&facts, declared.name_span.start),
        })
    }
}

/// The signature on one line; absent where the symbol has none or its text cannot be read.
pub fn signature(session: &Session, symbol: SymbolId) -> Option<String> {
    let facts = session.facts(symbol.file)?;
    let declared = facts.symbols.get(symbol.index.0 as usize)?;
    let text = session.text(symbol.file)?;
    let signature = excerpts::signature(&facts, declared, &text);
    (!signature.is_empty()).then_some(signature)
}
