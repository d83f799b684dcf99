//! The symbol that a request names: by its name, its qualified name, or any handle.

use engine::{
    FileId, SymbolId,
    query::{self, search::fold},
};
use facts::{Modifiers, SymbolKind};

use crate::{Moment, handles, names};

/// Why a name does not mean one symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum NotOne {
    /// Nothing has that name; these are the nearest that exist.
    Missing { nearest: Vec<String> },
    /// Several files define it.
    Ambiguous { candidates: Vec<SymbolId> },
    /// The path that was to decide is not in the snapshot.
    UnknownPath,
}

/// All symbols that a text may mean, in order of path and place: exact names first, and only where
/// there are none, names that differ in case and separators.
pub fn all(moment: &Moment, text: &str) -> Vec<SymbolId> {
    let text = text.trim();
    if handles::is_handle(text) {
        return by_handle(moment, text);
    }
    let exact = named(moment, text);
    if !exact.is_empty() {
        return exact;
    }
    let (_, last) = segments(text);
    let mut found: Vec<SymbolId> = Vec::new();
    for name in moment
        .lexicon()
        .folded(last)
        .chain(moment.lexicon().folded(text))
        .collect::<std::collections::BTreeSet<_>>()
    {
        found.extend(query::symbols_named(moment.snapshot(), name));
    }
    let qualified = found
        .iter()
        .copied()
        .filter(|symbol| is_qualified(moment, *symbol, text, true))
        .collect::<Vec<_>>();
    let mut found = if segments(text).0.is_empty() {
        found
    } else {
        qualified
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// The symbols that a handle names.
pub fn by_handle(moment: &Moment, handle: &str) -> Vec<SymbolId> {
    if let Some(known) = moment.known.handles.lock().get(handle) {
        return known.to_vec();
    }
    let found = handles::find(moment.snapshot(), moment.lexicon(), handle);
    moment
        .known
        .handles
        .lock()
        .keep(handle.to_owned(), found.as_slice().into(), 1 + found.len());
    found
}

/// What a text means in the one file that defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct Meant {
    /// The first symbol of that name, and its overloads: who writes the name means all of them.
    pub symbols: Vec<SymbolId>,
    /// Symbols of the same name in other containers of the file.
    pub others: Vec<SymbolId>,
}

/// What a question is about, where one name is borne by symbols of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Anything,
    /// What can be called comes before what holds a value.
    Called,
}

impl Meant {
    pub fn first(&self) -> SymbolId {
        self.symbols[0]
    }
}

/// The one symbol that a text means; `path` decides between files.
pub fn one(moment: &Moment, text: &str, path: Option<&str>) -> Result<SymbolId, NotOne> {
    meant(moment, text, path, Wanted::Anything).map(|meant| meant.first())
}

/// The symbol that a text means, with its overloads; `path` decides between files.
pub fn meant(
    moment: &Moment,
    text: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<Meant, NotOne> {
    let file = match path {
        None => None,
        Some(path) => Some(find_file(moment, path).ok_or(NotOne::UnknownPath)?),
    };
    let mut found = all(moment, text);
    if let Some(file) = file {
        found.retain(|symbol| symbol.file == file);
    }
    let mut found = main_ones(moment, found);
    if wanted == Wanted::Called {
        prefer(moment, &mut found, &|symbol| {
            symbol.kind.is_callable() || symbol.kind.is_type()
        });
    }
    let Some(first) = found.first().copied() else {
        return Err(NotOne::Missing {
            nearest: nearest(moment, text, 5),
        });
    };
    if found.iter().any(|symbol| symbol.file != first.file) {
        return Err(NotOne::Ambiguous { candidates: found });
    }
    let Some(facts) = moment.facts(first.file) else {
        return Ok(Meant {
            symbols: vec![first],
            others: Vec::new(),
        });
    };
    // A member of the class that the file is about comes before one of a class inside of a function
    // of it.
    found.sort_by_key(|symbol| (names::chain(&facts, symbol.index).len(), *symbol));
    let first = found[0];
    let declared = facts.symbol(first.index);
    let (symbols, others) = found.into_iter().partition(|symbol| {
        let other = facts.symbol(symbol.index);
        *symbol == first
            || declared.kind.is_callable()
                && other.kind.is_callable()
                && other.parent == declared.parent
    });
    Ok(Meant { symbols, others })
}

/// The file that a user's path means: below the root, or absolute inside it.
pub fn find_file(moment: &Moment, path: &str) -> Option<FileId> {
    let path = moment.workspace.repo_path(&path.replace('\\', "/")).ok()?;
    moment.snapshot().find(path.as_str())
}

/// Leaves out what only repeats another: blocks of members and constructors beside their type,
/// prototypes beside their definition, locals beside what is visible from elsewhere.
pub fn main_ones(moment: &Moment, mut found: Vec<SymbolId>) -> Vec<SymbolId> {
    let mut prefer = |wanted: &dyn Fn(&facts::Symbol) -> bool| prefer(moment, &mut found, wanted);
    prefer(&|symbol| {
        !matches!(
            symbol.kind,
            SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element
        )
    });
    prefer(&|symbol| symbol.kind != SymbolKind::Impl);
    prefer(&|symbol| symbol.kind != SymbolKind::Namespace);
    prefer(&|symbol| symbol.kind != SymbolKind::Constructor);
    prefer(&|symbol| !symbol.modifiers.contains(Modifiers::PROTOTYPE));
    prefer(&|symbol| !symbol.modifiers.contains(Modifiers::LOCAL));
    found
}

/// Keeps those that are wanted, if there are any.
fn prefer(moment: &Moment, found: &mut Vec<SymbolId>, wanted: &dyn Fn(&facts::Symbol) -> bool) {
    let keeps = |symbol: &SymbolId| {
        moment
            .facts(symbol.file)
            .is_some_and(|facts| wanted(facts.symbol(symbol.index)))
    };
    if found.iter().any(keeps) {
        found.retain(keeps);
    }
}

/// Names that exist and are most like one that does not.
pub fn nearest(moment: &Moment, text: &str, limit: usize) -> Vec<String> {
    let (_, last) = segments(text.trim());
    let lexicon = moment.lexicon();
    let mut found: Vec<String> = lexicon
        .like(last, 0.4, limit)
        .into_iter()
        .map(|like| like.name.to_owned())
        .collect();
    for name in lexicon.beginning(last, limit) {
        if found.len() < limit && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

fn named(moment: &Moment, text: &str) -> Vec<SymbolId> {
    let whole = query::symbols_named(moment.snapshot(), text);
    if !whole.is_empty() {
        return whole;
    }
    let (qualifiers, last) = segments(text);
    if qualifiers.is_empty() {
        return if last == text {
            Vec::new()
        } else {
            query::symbols_named(moment.snapshot(), last)
        };
    }
    let mut found = query::symbols_named(moment.snapshot(), last);
    found.retain(|symbol| is_qualified(moment, *symbol, text, false));
    // The whole name of one may be part of the way to another: `Rack::Request`,
    // `Rack::Auth::Request`.
    let is_whole = |symbol: &SymbolId| {
        let name = |facts: &facts::Facts| {
            names::qualified_name(moment.snapshot(), symbol.file, facts, symbol.index)
        };
        moment
            .facts(symbol.file)
            .is_some_and(|facts| name(&facts) == text)
    };
    if found.len() > 1 && found.iter().any(is_whole) {
        found.retain(is_whole);
    }
    found
}

/// `auth::jwt::validate` is the qualifiers `auth`, `jwt` and the name `validate`.
fn segments(text: &str) -> (Vec<&str>, &str) {
    let text = text.split_once('(').map_or(text, |(name, _)| name);
    let mut parts: Vec<&str> = text
        .split([':', '.', '#', '/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let last = parts.pop().unwrap_or(text);
    (parts, last)
}

/// Whether the qualifiers of a text stand around a symbol, in their order: containers, module, file
/// or directories.
fn is_qualified(moment: &Moment, symbol: SymbolId, text: &str, is_folded: bool) -> bool {
    let Some(facts) = moment.facts(symbol.file) else {
        return false;
    };
    let (qualifiers, _) = segments(text);
    let path = &moment.snapshot().file(symbol.file).path;
    let mut around: Vec<String> = path.directory().split('/').map(str::to_owned).collect();
    around.push(query::search::stem(path.file_name()).to_owned());
    around.extend(names::module_path(moment.snapshot(), symbol.file));
    let mut chain = names::chain(&facts, symbol.index);
    chain.pop();
    around.extend(chain);
    let same = |a: &str, b: &str| {
        if is_folded {
            fold(a) == fold(b)
        } else {
            a == b
        }
    };
    let mut rest = around.iter();
    // `crate`, `self` and the like say where the search begins.
    let telling = qualifiers
        .into_iter()
        .filter(|part| !matches!(*part, "crate" | "self" | "super" | "global"));
    telling
        .into_iter()
        .all(|qualifier| rest.any(|name| same(name, qualifier)))
}
