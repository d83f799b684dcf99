//! What became of a symbol between two snapshots.

use engine::{
    FileId, SymbolId,
    query::{self, Difference, MatchedBy},
};

use crate::{
    Session, SymbolHandle, SymbolInfo,
    handle::Identity,
    lookup::{self, LookupError, Wanted},
};

#[derive(Clone, Debug)]
pub struct Comparison {
    pub base: Option<SymbolInfo>,
    pub head: Option<SymbolInfo>,
    pub change: SymbolChange,
    /// Symbols of the same name in the head that the comparison is not about.
    pub others: Vec<SymbolId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolChange {
    Added,
    Deleted,
    Unchanged,
    Modified {
        difference: Difference,
        matched_by: MatchedBy,
    },
}

/// Why two snapshots cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareError {
    /// The name does not mean one symbol, in one of them or in either.
    Lookup { error: LookupError, in_base: bool },
    /// The text of a file can no longer be read.
    Unreadable,
}

impl SymbolChange {
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolChange::Added => "added",
            SymbolChange::Deleted => "deleted",
            SymbolChange::Unchanged => "unchanged",
            SymbolChange::Modified { .. } => "modified",
        }
    }
}

/// Compares what a name means in both; `path` decides between files. A symbol that only one of them
/// has by this name is looked for in the other by what it is and does.
pub fn compare(
    base: &Session,
    head: &Session,
    name: &str,
    path: Option<&str>,
) -> Result<Comparison, CompareError> {
    if let Some(path) = path
        && base.find_file(path).is_none()
        && head.find_file(path).is_none()
    {
        return Err(CompareError::Lookup {
            error: LookupError::UnknownPath,
            in_base: false,
        });
    }
    let files = [base, head].map(|side| lookup::file_named(side, name));
    if files != [None; 2] {
        return compare_files(base, head, files);
    }
    let olds = find(base, name, path, true)?;
    let news = find(head, name, path, false)?;
    // Overloads are not mixed up when their order changes.
    let same = news.first().and_then(|new| {
        let id = stable_id(head, *new);
        olds.iter().find(|old| stable_id(base, **old) == id)
    });
    let (old, new) = (same.or(olds.first()).copied(), news.first().copied());
    let counterpart = |from: &Session, symbol: SymbolId, to: &Session| match query::counterpart(
        from.snapshot(),
        symbol,
        to.snapshot(),
        &head.budget,
    ) {
        Some((found, how)) => (Some(found), how),
        None => (None, MatchedBy::Name),
    };
    let (old, new, matched_by) = match (old, new) {
        (Some(old), Some(new)) if base.path(old.file) != head.path(new.file) => {
            (Some(old), Some(new), MatchedBy::Move)
        }
        (Some(old), Some(new)) => (Some(old), Some(new), MatchedBy::Name),
        (None, Some(new)) => {
            let (old, how) = counterpart(head, new, base);
            (old, Some(new), how)
        }
        (Some(old), None) => {
            let (new, how) = counterpart(base, old, head);
            (Some(old), new, how)
        }
        (None, None) => {
            let nearest = lookup::nearest(head, name, 5);
            return Err(CompareError::Lookup {
                error: LookupError::Missing { nearest },
                in_base: false,
            });
        }
    };
    let change = match (old, new) {
        (None, _) => SymbolChange::Added,
        (_, None) => SymbolChange::Deleted,
        (Some(old), Some(new)) => {
            let difference = query::difference(base.snapshot(), old, head.snapshot(), new)
                .ok_or(CompareError::Unreadable)?;
            if difference == Difference::default() && matched_by == MatchedBy::Name {
                SymbolChange::Unchanged
            } else {
                SymbolChange::Modified {
                    difference,
                    matched_by,
                }
            }
        }
    };
    Ok(Comparison {
        base: old.and_then(|symbol| SymbolInfo::of(base, symbol)),
        head: new.and_then(|symbol| SymbolInfo::of(head, symbol)),
        change,
        others: news
            .into_iter()
            .filter(|other| Some(*other) != new)
            .collect(),
    })
}

/// The symbols of the name on one side, overloads first; a path that exists only on the other side
/// leaves them out.
fn find(
    session: &Session,
    name: &str,
    path: Option<&str>,
    in_base: bool,
) -> Result<Vec<SymbolId>, CompareError> {
    match lookup::lookup(session, name, path, Wanted::Anything) {
        Ok(meant) => Ok(meant.symbols().into_iter().chain(meant.others).collect()),
        Err(LookupError::Missing { .. } | LookupError::UnknownPath) => Ok(Vec::new()),
        Err(error) => Err(CompareError::Lookup { error, in_base }),
    }
}

/// Compares the whole texts of a file.
fn compare_files(
    base: &Session,
    head: &Session,
    [old, new]: [Option<FileId>; 2],
) -> Result<Comparison, CompareError> {
    let change = match (old, new) {
        (Some(old), Some(new)) => {
            let texts = base.text(old).zip(head.text(new));
            let (old, new) = texts.ok_or(CompareError::Unreadable)?;
            match query::changed_lines(&old, &new) {
                difference if !difference.body_changed => SymbolChange::Unchanged,
                difference => SymbolChange::Modified {
                    difference,
                    matched_by: MatchedBy::Name,
                },
            }
        }
        (None, _) => SymbolChange::Added,
        (Some(_), None) => SymbolChange::Deleted,
    };
    Ok(Comparison {
        base: old.and_then(|file| SymbolInfo::of(base, file)),
        head: new.and_then(|file| SymbolInfo::of(head, file)),
        change,
        others: Vec::new(),
    })
}

fn stable_id(session: &Session, symbol: SymbolId) -> Option<SymbolHandle> {
    let facts = session.facts(symbol.file)?;
    Some(Identity::of(session.snapshot(), &facts, symbol.index).stable_id())
}
