//! The code that a change edits, as questions about what runs it take it, and what the edited code
//! no longer uses.

use facts::{NameId, Reference, Role, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ChangeSet, ChangedFile, EditKind, imports, own_text::outside_text};
use crate::{
    FileId, FileView, RepoPath, SymbolId,
    query::{self, CodeUnit},
    resolve::dialect::dynamic_calls,
};

/// What differs, as the head has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedUnits {
    /// Code that is new or differs, code that used what is gone or has another name, and code that
    /// uses what another import gives it; in order.
    pub units: Vec<CodeUnit>,
    /// Files that differ outside of every symbol, that are no code, or that are gone; in order.
    pub paths: Vec<RepoPath>,
}

impl ChangedUnits {
    pub fn of(change: &ChangeSet) -> ChangedUnits {
        let mut changed = ChangedUnits::default();
        for edit in &change.edits {
            changed.units.extend(edit.after.map(CodeUnit::Symbol));
            let has_old_users = matches!(
                edit.kind,
                EditKind::Removed | EditKind::Renamed | EditKind::Moved
            );
            if let Some(before) = edit.before.filter(|_| has_old_users) {
                changed.units.extend(former_users(change, before));
            }
        }
        for file in &change.files {
            changed.add_file(change, file);
        }
        changed.units.sort_unstable();
        changed.units.dedup();
        changed.paths.sort_unstable();
        changed.paths.dedup();
        changed
    }

    fn add_file(&mut self, change: &ChangeSet, file: &ChangedFile) {
        let before = file.before.and_then(|file| change.base.view(file));
        let after = file.after.and_then(|file| change.head.view(file));
        let path = match (file.after, file.before) {
            (Some(after), _) => change.head.path(after).clone(),
            (None, Some(before)) => change.base.path(before).clone(),
            (None, None) => return,
        };
        let Some(after) = after else {
            return self.paths.push(path);
        };
        let old = before
            .as_ref()
            .map(|view| outside_text(change.base, view))
            .unwrap_or_default();
        if old != outside_text(change.head, &after) {
            self.paths.push(path);
        }
        if let Some(before) = &before {
            self.units.extend(users_of_changed_imports(before, &after));
        }
    }
}

/// The code of the head that is what used a symbol in the base.
pub fn former_users(change: &ChangeSet, before: SymbolId) -> Vec<CodeUnit> {
    let mentions = query::references(change.base, before).value;
    let mut units = Vec::new();
    // An import runs nothing of it; what uses the imported name is among the mentions.
    for mention in mentions.iter().filter(|of| of.role != Role::Import) {
        let Some(view) = change.base.view(mention.file) else {
            continue;
        };
        for unit in query::code_around(change.base, &view, mention) {
            units.extend(unit_after(change, unit));
        }
    }
    units.sort_unstable();
    units.dedup();
    units
}

/// What a unit of the base is in the head; a block of a file that changed is its file.
fn unit_after(change: &ChangeSet, unit: CodeUnit) -> Option<CodeUnit> {
    match unit {
        CodeUnit::Symbol(symbol) => change.after(symbol).map(CodeUnit::Symbol),
        CodeUnit::Block(file, _) | CodeUnit::File(file) => {
            let same = change.unchanged(file);
            let after = same.or_else(|| change.changed_before.get(&file).copied().flatten())?;
            Some(match unit {
                CodeUnit::Block(_, scope) if same.is_some() => CodeUnit::Block(after, scope),
                _ => CodeUnit::File(after),
            })
        }
    }
}

/// What uses a name that other imports bind than before.
fn users_of_changed_imports(before: &FileView, after: &FileView) -> Vec<CodeUnit> {
    let known: FxHashSet<_> = before
        .facts
        .imports
        .iter()
        .map(|import| imports::written(before, import))
        .collect();
    let changed = after.facts.imports.iter();
    let changed = changed.filter(|import| !known.contains(&imports::written(after, import)));
    let names: FxHashSet<NameId> = changed.filter_map(|import| import.local).collect();
    let users = names
        .into_iter()
        .flat_map(|name| after.facts.references_of(name))
        .filter_map(|reference| Some(CodeUnit::Symbol(after.symbol_id(reference.enclosing?))));
    users.collect()
}

/// References of one name in one file of the base that are looked at for what they meant.
const MOST_PLACES: usize = 20;

/// The symbols of the head that the changed files name less often than they did, in order of path
/// and place.
pub fn lost_uses(change: &ChangeSet) -> Vec<SymbolId> {
    let mut found = FxHashSet::default();
    for file in &change.files {
        let Some(before) = file.before.and_then(|file| change.base.view(file)) else {
            continue;
        };
        let after = file.after.and_then(|file| change.head.view(file));
        for places in fewer_places(&before, after.as_deref()) {
            for place in places.iter().take(MOST_PLACES) {
                if !change.head.budget.spend() {
                    break;
                }
                let meant = change.base.resolve(&before, place);
                found.extend(meant.symbols().filter_map(|symbol| change.after(symbol)));
            }
        }
    }
    let mut found: Vec<SymbolId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The references of each name that a file has fewer of than before.
fn fewer_places<'v>(before: &'v FileView, after: Option<&FileView>) -> Vec<&'v [Reference]> {
    let mut counts: FxHashMap<NameId, usize> = FxHashMap::default();
    for reference in &before.facts.references {
        *counts.entry(reference.name).or_default() += 1;
    }
    let n_after = |name: NameId| {
        let after = after?;
        let name = after.facts.names.find(before.facts.name(name))?;
        Some(after.facts.references_of(name).len())
    };
    let mut fewer: Vec<NameId> = counts
        .into_iter()
        .filter(|(name, n)| n_after(*name).unwrap_or(0) < *n)
        .map(|(name, _)| name)
        .collect();
    fewer.sort_unstable();
    let places = fewer.into_iter();
    places
        .map(|name| before.facts.references_of(name))
        .collect()
}

/// Calls in changed code of the head that name what they reach at run time: `getattr(x, name)`. In
/// order of path and place.
pub fn dynamic_places(change: &ChangeSet) -> Vec<(FileId, Span)> {
    let edited = change.edits.iter().filter_map(|edit| edit.after);
    let mut files: FxHashMap<FileId, Vec<SymbolId>> = FxHashMap::default();
    for symbol in edited {
        files.entry(symbol.file).or_default().push(symbol);
    }
    let mut found = Vec::new();
    for (file, symbols) in files {
        let Some(view) = change.head.view(file) else {
            continue;
        };
        let within = |span: Span| {
            symbols.iter().any(|symbol| {
                let around = view.symbol(symbol.index).span;
                around.start <= span.start && span.end <= around.end
            })
        };
        let names = dynamic_calls(view.semantics.family).iter();
        for name in names.filter_map(|name| view.facts.names.find(name)) {
            let calls = view.facts.references_of(name).iter();
            let calls = calls.filter(|reference| reference.role == Role::Call);
            found.extend(
                calls
                    .map(|call| call.span)
                    .filter(|span| within(*span))
                    .map(|span| (file, span)),
            );
        }
    }
    found.sort_unstable_by_key(|(file, span)| (*file, span.start));
    found
}
