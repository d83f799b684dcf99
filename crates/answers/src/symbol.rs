//! What every front end shows of a symbol: its names, its handles, where it is.

use engine::{FileId, SymbolId};
use facts::{SymbolKind, Visibility};

use crate::{Session, SymbolHandle, excerpts, handle::Identity, names};

/// What a question is about, and what an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Anchor {
    Symbol(SymbolId),
    /// The code of a file outside of every function.
    File(FileId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolInfo {
    pub anchor: Anchor,
    /// Unique in the snapshot.
    pub symbol_id: SymbolHandle,
    /// Equal for equal symbols of every file and snapshot.
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

impl Anchor {
    pub fn file(self) -> FileId {
        match self {
            Anchor::Symbol(symbol) => symbol.file,
            Anchor::File(file) => file,
        }
    }

    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            Anchor::Symbol(symbol) => Some(symbol),
            Anchor::File(_) => None,
        }
    }
}

impl From<SymbolId> for Anchor {
    fn from(symbol: SymbolId) -> Anchor {
        Anchor::Symbol(symbol)
    }
}

impl From<FileId> for Anchor {
    fn from(file: FileId) -> Anchor {
        Anchor::File(file)
    }
}

impl SymbolInfo {
    /// Absent only where facts can no longer be read.
    pub fn of(session: &Session, anchor: impl Into<Anchor>) -> Option<SymbolInfo> {
        let anchor = anchor.into();
        let facts = session.facts(anchor.file())?;
        let snapshot = session.snapshot();
        let path = session.path(anchor.file());
        let Some(symbol) = anchor.symbol() else {
            let handle = SymbolHandle::File(path.to_owned());
            return Some(SymbolInfo {
                anchor,
                symbol_id: handle.clone(),
                stable_id: handle,
                name: snapshot.file(anchor.file()).path.file_name().to_owned(),
                qualified_name: names::module_name(snapshot, anchor.file(), &facts),
                kind: SymbolKind::Module,
                visibility: Visibility::Default,
                path: path.to_owned(),
                lines: (1, facts.lines.n_lines().max(1)),
                name_position: (1, 1),
            });
        };
        let declared = facts.symbols.get(symbol.index.0 as usize)?;
        let identity = Identity::of(snapshot, &facts, symbol.index);
        Some(SymbolInfo {
            anchor,
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

/// The line of a symbol's own name, from 1; decorators and attributes are above it.
pub fn name_line(session: &Session, symbol: SymbolId) -> u32 {
    session.facts(symbol.file).map_or(0, |facts| {
        let declared = facts.symbol(symbol.index);
        excerpts::position(&facts, declared.name_span.start).0
    })
}

/// The signature on one line; absent where there is none or its text cannot be read.
pub fn signature(session: &Session, anchor: impl Into<Anchor>) -> Option<String> {
    let symbol = anchor.into().symbol()?;
    let facts = session.facts(symbol.file)?;
    let declared = facts.symbols.get(symbol.index.0 as usize)?;
    let text = session.text(symbol.file)?;
    let signature = excerpts::signature(&facts, declared, &text);
    (!signature.is_empty()).then_some(signature)
}
