//! What a change breaks, most certain first.

use facts::{Span, SymbolIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    ChangeSet, Misfit, cycles, duplicates, halves, imports, members, references, satisfaction,
    written,
};
use crate::{FileId, Outcome, Rule, SymbolId};

/// How a place breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakKind {
    /// It names something that is gone.
    Removed,
    /// It uses a former name.
    Renamed,
    /// It uses a former place.
    Moved,
    /// It may no longer see what it names.
    Hidden,
    /// It has lost the import, or the name that another file handed on.
    Import,
    /// A call does not fit the parameters.
    Arguments(Misfit),
    /// Code that the change writes names something that is not there.
    Undefined,
    /// A type lacks a member that it must have.
    Unimplemented,
    /// A member says that it overrides, and there is nothing to override.
    Override,
    /// A name is defined twice in one place.
    Duplicate,
    /// An import closes a cycle: what it leads through, the place's own module first and last.
    Cycle(Vec<String>),
}

impl BreakKind {
    pub fn as_str(&self) -> &'static str {
        match self {
            BreakKind::Removed => "removed",
            BreakKind::Renamed => "renamed",
            BreakKind::Moved => "moved",
            BreakKind::Hidden => "hidden",
            BreakKind::Import => "import",
            BreakKind::Arguments(_) => "arguments",
            BreakKind::Undefined => "undefined",
            BreakKind::Unimplemented => "unimplemented",
            BreakKind::Override => "override",
            BreakKind::Duplicate => "duplicate",
            BreakKind::Cycle(_) => "cycle",
        }
    }

    fn rank(&self) -> u8 {
        match self {
            BreakKind::Removed => 0,
            BreakKind::Renamed => 1,
            BreakKind::Moved => 2,
            BreakKind::Import => 3,
            BreakKind::Hidden => 4,
            BreakKind::Arguments(_) => 5,
            BreakKind::Undefined => 6,
            BreakKind::Unimplemented => 7,
            BreakKind::Override => 8,
            BreakKind::Duplicate => 9,
            BreakKind::Cycle(_) => 10,
        }
    }
}

/// Whether a finding can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingConfidence {
    /// Both ends are static and the language reports the mistake.
    Certain,
    Likely,
}

impl FindingConfidence {
    pub(super) fn of(sure: bool) -> FindingConfidence {
        match sure {
            true => FindingConfidence::Certain,
            false => FindingConfidence::Likely,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            FindingConfidence::Certain => "certain",
            FindingConfidence::Likely => "likely",
        }
    }
}

/// A place of the head that the change breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    pub kind: BreakKind,
    pub confidence: FindingConfidence,
    /// In the head, as is all but `before`.
    pub file: FileId,
    pub span: Span,
    pub enclosing: Option<SymbolIndex>,
    /// What the place names.
    pub name: String,
    /// What it meant, in the base.
    pub before: Option<SymbolId>,
    /// What that became.
    pub after: Option<SymbolId>,
    /// How the place was bound to what it meant.
    pub outcome: Outcome,
    pub rule: Rule,
    /// Other places of the file that break for the same reason.
    pub n_uses: usize,
    /// The place is an import statement.
    pub is_import: bool,
    /// The first name of the expression that the place belongs to; for an import the name it binds.
    pub(super) root: String,
}

/// What a change breaks.
#[derive(Debug, Default)]
pub struct Breaks {
    /// Certain before likely, then by kind, then in order of path and place.
    pub found: Vec<Break>,
    /// How often unchanged files use a symbol of the base whose name, place, parameters or visibility
    /// the change touches.
    pub uses: FxHashMap<SymbolId, usize>,
}

pub fn breaks(change: &ChangeSet) -> Breaks {
    let touched = references::TouchedNames::new(change);
    let mut found = Vec::new();
    let check = references::FileCheck {
        change,
        touched: &touched,
        uses: Default::default(),
    };
    for file in &change.files {
        imports::changed(change, file, &mut found);
        check.changed(file, &mut found);
    }
    members::broken(change, &mut found);
    satisfaction::broken(change, &mut found);
    duplicates::broken(change, &mut found);
    halves::broken(change, &mut found);
    cycles::broken(change, &mut found);
    let names = touched.names();
    for name in &names {
        for file in files_mentioning(change, name) {
            check.unchanged(file, name, &mut found);
            imports::unchanged(change, file, name, &mut found);
        }
    }
    for gone in imports::gone_modules(change, &touched) {
        for file in files_importing(change, &gone) {
            imports::unchanged(change, file, &gone.name, &mut found);
        }
    }
    written::broken(change, &mut found);
    for of in &mut found {
        if let Some(view) = change.head.view(of.file)
            && (view.dialect.may_be_left_out)(&view, of.enclosing, of.span.start)
        {
            of.confidence = FindingConfidence::Likely;
        }
    }
    let mut found = without_consequences(change, found);
    found.sort_by(|a, b| {
        let key = |of: &Break| (of.confidence, of.kind.rank(), of.file, of.span.start);
        key(a).cmp(&key(b))
    });
    Breaks {
        found,
        uses: check.uses.into_inner(),
    }
}

/// The unchanged files of the base in which a name occurs.
fn files_mentioning(change: &ChangeSet, name: &str) -> Vec<FileId> {
    let snapshot = change.base.snapshot();
    let contents = change.base.budget.read(snapshot.corpus().mentioning(name));
    let mut files: Vec<FileId> = contents
        .into_iter()
        .flat_map(|content| snapshot.files_of(content).iter().copied())
        .filter(|file| change.unchanged(*file).is_some())
        .collect();
    files.sort_unstable();
    files
}

/// Files below which looking into each costs less than to tell which of them can mean a module.
const FEW_FILES: usize = 40;

/// The unchanged files of the base that may import a module by a name. Where the name is the module's
/// own, they are near it or name its directory as well.
fn files_importing(change: &ChangeSet, gone: &imports::GoneModule) -> Vec<FileId> {
    let mut files = files_mentioning(change, &gone.name);
    let Some(directory) = gone.directory.as_ref().filter(|_| files.len() > FEW_FILES) else {
        return files;
    };
    let around = directory
        .rsplit_once('/')
        .map_or(directory.as_str(), |of| of.0);
    let names = imports::spellings(&facts::RepoPath::new(directory));
    let naming: FxHashSet<FileId> = names
        .iter()
        .flat_map(|name| files_mentioning(change, name))
        .collect();
    files.retain(|file| {
        let path = change.base.path(*file).directory();
        let below = path.strip_prefix(around);
        let is_near = below.is_some_and(|below| below.is_empty() || below.starts_with('/'));
        is_near || naming.contains(file)
    });
    files
}

/// Leaves out places that break because an import of their file does, and counts them there; and
/// imports of what another file hands on in vain, which is reported there.
fn without_consequences(change: &ChangeSet, mut found: Vec<Break>) -> Vec<Break> {
    let in_vain = |of: &&Break| of.is_import && imports::is_handed_on(change, of);
    let in_vain: FxHashSet<(FileId, String)> = found
        .iter()
        .filter(in_vain)
        .map(|of| (of.file, of.root.clone()))
        .collect();
    found.retain(|of| !in_vain.contains(&(of.file, of.root.clone())));
    let mut seen = FxHashSet::default();
    found.sort_by_key(|of| (!of.is_import, of.confidence, of.kind.rank()));
    found.retain(|of| seen.insert((of.file, of.span.start)));
    let mut imports: FxHashMap<(FileId, String), usize> = FxHashMap::default();
    for (i, of) in found.iter().enumerate().filter(|(_, of)| of.is_import) {
        imports.entry((of.file, of.root.clone())).or_insert(i);
    }
    let mut n_uses = vec![0; found.len()];
    let mut kept = vec![true; found.len()];
    for (i, of) in found.iter().enumerate() {
        let cause = imports.get(&(of.file, of.root.clone()));
        if let Some(&cause) = cause.filter(|cause| **cause != i) {
            n_uses[cause] += 1;
            kept[i] = false;
        }
    }
    let mut i = 0;
    for (of, n) in found.iter_mut().zip(n_uses) {
        of.n_uses += n;
    }
    found.retain(|_| {
        i += 1;
        kept[i - 1]
    });
    found
}
