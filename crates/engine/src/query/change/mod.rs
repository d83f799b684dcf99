//! What a change does to a program: two snapshots, base and head, and what differs.
//!
//! [`ChangeSet::new`] finds the changed files and symbols. [`breaks`] asks the resolver of each
//! side what the places mean that may mean something else now. Work follows the change: names that
//! it does not touch are not looked at.

mod arguments;
mod breaks;
mod cycles;
mod duplicates;
mod files;
mod halves;
mod imports;
mod lines;
mod members;
mod merge;
mod own_text;
mod reach;
mod references;
mod satisfaction;
mod sight;
mod symbols;
mod units;
mod written;

use facts::{SymbolKind, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};

pub use arguments::Misfit;
pub use breaks::{Break, BreakKind, Breaks, FindingConfidence, breaks};
pub use files::{ChangedFile, changed_files};
pub(crate) use imports::spellings;
pub use merge::merge_texts;
pub use reach::{Reach, ReachedSymbol, reach};
pub use symbols::{EditKind, SymbolEdit};
pub use units::{ChangedUnits, dynamic_places, former_users, lost_uses};

use crate::{FileId, FileView, Resolver, SymbolId};

/// Two snapshots with the files and symbols in which they differ.
pub struct ChangeSet<'a> {
    pub base: &'a Resolver<'a>,
    pub head: &'a Resolver<'a>,
    /// In order of path; a renamed file is one entry.
    pub files: Vec<ChangedFile>,
    /// By kind of edit, then in order of path and place.
    pub edits: Vec<SymbolEdit>,
    /// From symbols of changed files in the base to those of the head.
    after: FxHashMap<SymbolId, SymbolId>,
    before: FxHashMap<SymbolId, SymbolId>,
    edit_of: FxHashMap<SymbolId, usize>,
    changed_before: FxHashMap<FileId, Option<FileId>>,
    changed_after: FxHashSet<FileId>,
}

impl<'a> ChangeSet<'a> {
    pub fn new(base: &'a Resolver<'a>, head: &'a Resolver<'a>) -> ChangeSet<'a> {
        let files = changed_files(base.snapshot(), head.snapshot(), head.budget);
        let paired = symbols::changed_symbols(base, head, &files);
        let before = files
            .iter()
            .filter_map(|file| Some((file.before?, file.after)));
        let changed_before = before.collect();
        let changed_after = files.iter().filter_map(|file| file.after).collect();
        let edit_of = paired.edits.iter().enumerate();
        let edit_of = edit_of.filter_map(|(i, edit)| Some((edit.before?, i)));
        ChangeSet {
            base,
            head,
            edit_of: edit_of.collect(),
            edits: paired.edits,
            before: paired.after.iter().map(|(old, new)| (*new, *old)).collect(),
            after: paired.after,
            files,
            changed_before,
            changed_after,
        }
    }

    /// The same change for a question that is asked with budgets of its own.
    pub fn asked_by<'b>(&self, base: &'b Resolver<'b>, head: &'b Resolver<'b>) -> ChangeSet<'b> {
        ChangeSet {
            base,
            head,
            files: self.files.clone(),
            edits: self.edits.clone(),
            after: self.after.clone(),
            before: self.before.clone(),
            edit_of: self.edit_of.clone(),
            changed_before: self.changed_before.clone(),
            changed_after: self.changed_after.clone(),
        }
    }

    /// What became of a symbol of the base, if it is still there under any name.
    pub fn after(&self, symbol: SymbolId) -> Option<SymbolId> {
        if self.changed_before.contains_key(&symbol.file) {
            return self.after.get(&symbol).copied();
        }
        let file = self.unchanged(symbol.file)?;
        Some(SymbolId::new(file, symbol.index))
    }

    /// What a symbol of the head was in the base.
    pub fn before(&self, symbol: SymbolId) -> Option<SymbolId> {
        if self.is_changed(symbol.file) {
            return self.before.get(&symbol).copied();
        }
        let path = self.head.path(symbol.file).as_str();
        let file = self.base.snapshot().find(path)?;
        Some(SymbolId::new(file, symbol.index))
    }

    /// How a symbol of the base was edited, if it was.
    pub fn edit(&self, symbol: SymbolId) -> Option<&SymbolEdit> {
        self.edit_of.get(&symbol).map(|i| &self.edits[*i])
    }

    /// A file of the base in the head, where it did not change.
    fn unchanged(&self, file: FileId) -> Option<FileId> {
        if self.changed_before.contains_key(&file) {
            return None;
        }
        self.head.snapshot().find(self.base.path(file).as_str())
    }

    /// Whether a file of the head is new or differs from the base.
    fn is_changed(&self, file: FileId) -> bool {
        self.changed_after.contains(&file)
    }
}

/// Whether code elsewhere may depend on a symbol: it and what is around it say nothing else.
pub fn is_public(view: &FileView, index: facts::SymbolIndex) -> bool {
    let unmarked = view.semantics.checks.unmarked;
    let is_open = |index: facts::SymbolIndex| {
        let symbol = view.symbol(index);
        let name = view.name_of(index);
        match symbol.visibility {
            Visibility::Public => true,
            Visibility::Default => {
                unmarked == facts::Unmarked::Public && !is_private_by_name(name)
                    || matches!(
                        symbol.kind,
                        SymbolKind::EnumMember | SymbolKind::Impl | SymbolKind::Namespace
                    )
            }
            Visibility::Protected => true,
            Visibility::Internal | Visibility::Private => false,
        }
    };
    let chain = view.facts.container_chain(index);
    chain.into_iter().all(is_open)
}

/// `_total` is private by convention; `__init__` is not.
fn is_private_by_name(name: &str) -> bool {
    name.starts_with('#')
        || name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"))
}
