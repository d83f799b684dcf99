//! Import statements that imported something of the repository and import nothing of it now.

use facts::{Import, ImportKind, NameId, ScopeKind};

use super::{
    Break, BreakKind, ChangeSet, ChangedFile, EditKind, FindingConfidence,
    references::{TouchedNames, handed_on},
};
use crate::{FileId, FileView, Found, Module, Outcome, RepoPath, Resolver, Rule};

/// Whether a name means something of the repository itself.
pub(super) fn is_of_repository(found: &Found) -> bool {
    match found {
        Found::Symbol(_) => true,
        Found::Module(module) => !matches!(module, Module::External(_) | Module::Namespace(_)),
        _ => false,
    }
}

/// Whether something of the repository is there: a package is, if it has files.
fn is_there(resolver: &Resolver, found: &Found) -> bool {
    match found {
        Found::Module(Module::Package(directory) | Module::Directory(directory)) => {
            resolver.snapshot().below(directory).next().is_some()
        }
        found => is_of_repository(found),
    }
}

/// What an import statement names, the whole path of a module included.
fn targets(resolver: &Resolver, view: &FileView, index: u32) -> Vec<Found> {
    let import = &view.facts.imports[index as usize];
    let whole = (import.kind == ImportKind::Module)
        .then(|| (view.dialect.module_of_import)(resolver, view, import))
        .flatten();
    match whole {
        Some(module) => vec![Found::Module(module)],
        None => resolver.import_targets(view, index).to_vec(),
    }
}

/// The broken imports of a file that is the same on both sides, of those that name this.
pub(super) fn unchanged(change: &ChangeSet, file: FileId, name: &str, into: &mut Vec<Break>) {
    let Some(head_file) = change.unchanged(file) else {
        return;
    };
    let (Some(base), Some(head)) = (change.base.view(file), change.head.view(head_file)) else {
        return;
    };
    let Some(id) = base.facts.names.find(name) else {
        return;
    };
    for (i, import) in base.facts.imports.iter().enumerate() {
        if !change.head.budget.spend() {
            return;
        }
        if import.item == Some(id) || import.local == Some(id) || import.module == id {
            into.extend(judge(change, (&base, i as u32), (&head, i as u32)));
        }
    }
}

/// The broken imports of a file that the change edits: those that it had before.
pub(super) fn changed(change: &ChangeSet, file: &ChangedFile, into: &mut Vec<Break>) {
    let (Some(before), Some(after)) = (file.before, file.after) else {
        return;
    };
    let (Some(base), Some(head)) = (change.base.view(before), change.head.view(after)) else {
        return;
    };
    for (i, import) in head.facts.imports.iter().enumerate() {
        if !change.head.budget.spend() {
            return;
        }
        let is_it = |former: &Import| written(&base, former) == written(&head, import);
        if let Some(former) = base.facts.imports.iter().position(is_it) {
            into.extend(judge(change, (&base, former as u32), (&head, i as u32)));
        }
    }
}

/// What an import statement says.
pub(super) fn written<'v>(
    view: &'v FileView,
    import: &Import,
) -> (ImportKind, &'v str, u8, [Option<&'v str>; 2]) {
    let name = |name: Option<facts::NameId>| name.map(|name| view.facts.name(name));
    let module = view.facts.name(import.module);
    let names = [name(import.item), name(import.local)];
    (import.kind, module, import.level, names)
}

fn judge(
    change: &ChangeSet,
    (base, former): (&FileView, u32),
    (head, index): (&FileView, u32),
) -> Option<Break> {
    let before = targets(change.base, base, former);
    let target = before.iter().find(|found| is_there(change.base, found))?;
    let now = targets(change.head, head, index);
    if now.iter().any(|found| is_there(change.head, found)) {
        return None;
    }
    let symbol = target.symbol();
    let kind = match symbol
        .and_then(|symbol| change.edit(symbol))
        .map(|edit| edit.kind)
    {
        Some(EditKind::Removed) => BreakKind::Removed,
        Some(EditKind::Renamed) => BreakKind::Renamed,
        Some(EditKind::Moved) => BreakKind::Moved,
        _ => BreakKind::Import,
    };
    let import = &head.facts.imports[index as usize];
    let name = import.item.or(import.local).unwrap_or(import.module);
    let local = import.local.or(import.item).unwrap_or(import.module);
    // One alternative of several may be missing: `try: import fast` `except ImportError: …`.
    let is_one_of_several = head.facts.scope(import.scope).kind == ScopeKind::Branch;
    let sure = head.semantics.checks.names
        && before.len() == 1
        && !is_one_of_several
        && !may_give_unseen(change.head, head, import);
    Some(Break {
        kind,
        confidence: FindingConfidence::of(sure),
        file: head.id,
        span: import.name_span,
        enclosing: None,
        name: head.facts.name(name).to_owned(),
        before: symbol,
        after: symbol.and_then(|symbol| change.after(symbol)),
        outcome: Outcome::Static,
        rule: Rule::Import,
        root: head.facts.name(local).to_owned(),
        is_import: true,
        n_uses: 0,
    })
}

/// Whether a name of a file may be one of those that another file hands on without naming them, out of
/// a library or a module that is not understood.
pub(super) fn may_come_from_unseen(resolver: &Resolver, view: &FileView, name: NameId) -> bool {
    let mut imports = view.facts.imports.iter();
    imports.any(|import| import.local == Some(name) && may_give_unseen(resolver, view, import))
}

fn may_give_unseen(resolver: &Resolver, view: &FileView, import: &Import) -> bool {
    match (view.dialect.module_of_import)(resolver, view, import) {
        Some(Module::File(file)) => has_unseen_names(resolver, file),
        _ => false,
    }
}

/// Whether a file takes over all that a library or a module that is not understood has, itself or by
/// way of others.
pub(super) fn has_unseen_names(resolver: &Resolver, file: FileId) -> bool {
    let (mut seen, mut next) = (vec![file], vec![file]);
    while let Some(file) = next.pop() {
        let Some(view) = resolver.view(file) else {
            return true;
        };
        let imports = view.facts.imports.iter();
        for import in imports.filter(|import| takes_all(import)) {
            match (view.dialect.module_of_import)(resolver, &view, import) {
                Some(Module::File(file)) if seen.contains(&file) => {}
                Some(Module::File(_)) if seen.len() == MOST_HANDING_ON => return true,
                Some(Module::File(file)) => {
                    seen.push(file);
                    next.push(file);
                }
                None | Some(Module::External(_)) => return true,
                Some(_) => {}
            }
        }
    }
    false
}

fn takes_all(import: &Import) -> bool {
    let is_unnamed = import.local.is_none() && import.item.is_none();
    import.kind == ImportKind::Glob || import.reexported && is_unnamed
}

/// Files that hand on all that others give, one after another, which are looked into for one import.
const MOST_HANDING_ON: usize = 100;

/// Whether the file that a broken import names hands the item on: its own statement is the mistake, and
/// compilers complain about that alone.
pub(super) fn is_handed_on(change: &ChangeSet, found: &Break) -> bool {
    let Some(view) = change.head.view(found.file) else {
        return false;
    };
    let mut imports = view.facts.imports.iter();
    let Some(import) = imports.find(|import| import.name_span == found.span) else {
        return false;
    };
    let module = (view.dialect.module_of_import)(change.head, &view, import);
    let file = match module {
        Some(Module::File(file)) if file != found.file => file,
        _ => return false,
    };
    let Some(item) = import.item.map(|item| view.facts.name(item)) else {
        return false;
    };
    let other = change.head.view(file);
    other.is_some_and(|other| handed_on(&other).any(|(name, _)| name == item))
}

/// The ways in which import statements may name a module that is a file: every end of its path,
/// with every separator, and relative to files near it.
pub(crate) fn spellings(path: &RepoPath) -> Vec<String> {
    /// Parts of a path that are joined.
    const MOST_PARTS: usize = 8;
    let text = path.as_str();
    let stem = text.rsplit_once('.').map_or(text, |(stem, _)| stem);
    // Modules that are compiled are imported as what comes of them: `./cart.js` for `cart.ts`.
    let ending = path.file_name().rsplit_once('.').map_or("", |of| of.1);
    let compiled = ending
        .strip_suffix("ts")
        .map(|before| format!("{stem}.{before}js"));
    let compiled = compiled.or_else(|| (ending == "tsx").then(|| format!("{stem}.js")));
    let whole = [Some(text), Some(stem), compiled.as_deref()];
    let mut spelled = Vec::new();
    for text in whole.into_iter().flatten() {
        let mut parts: Vec<&str> = text.split('/').collect();
        if matches!(parts.last(), Some(&("__init__" | "index" | "mod" | "lib"))) {
            parts.pop();
        }
        for start in parts.len().saturating_sub(MOST_PARTS)..parts.len() {
            let end = &parts[start..];
            for separator in ["/", ".", "::"] {
                spelled.push(end.join(separator));
            }
            let below = end.join("/");
            spelled.push(format!("./{below}"));
            for up in 1..4 {
                spelled.push(format!("{}{below}", "../".repeat(up)));
            }
        }
    }
    spelled.sort_unstable();
    spelled.dedup();
    spelled
}

/// A name by which imports may name a module that is gone.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GoneModule {
    pub name: String,
    /// The module's directory, where the name is the module's own: many modules have it.
    pub directory: Option<String>,
}

/// The names by which imports may name modules that are gone, without those looked at already.
pub(super) fn gone_modules(change: &ChangeSet, touched: &TouchedNames) -> Vec<GoneModule> {
    let gone = change.files.iter().filter_map(|file| {
        let before = change.base.path(file.before?);
        let is_there = file
            .after
            .is_some_and(|after| change.head.path(after) == before);
        (!is_there).then_some(before)
    });
    let named = |path: &RepoPath| {
        let directory = path.directory().to_owned();
        let spelled = spellings(path).into_iter();
        let named = spelled.map(move |name| {
            let is_own = !name.contains(['/', '.', ':']) && !directory.is_empty();
            let directory = is_own.then(|| directory.clone());
            GoneModule { name, directory }
        });
        named.collect::<Vec<_>>()
    };
    let mut names: Vec<GoneModule> = gone.flat_map(named).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|gone| !touched.has(&gone.name));
    names
}
