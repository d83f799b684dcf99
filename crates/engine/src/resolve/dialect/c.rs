//! C and C++: what includes bring into sight.

use std::collections::{BTreeSet, HashMap};

use crate::FileId;
use crate::resolve::{FileView, Found, Resolver, Sketch, SymbolId, modules};
use facts::{Family, ImportKind, Modifiers, ModuleSystem, SymbolKind};

/// The file an include means: beside the file, below an include directory, else the file whose
/// path ends so.
pub(crate) fn included_file(
    resolver: &Resolver<'_>,
    view: &FileView,
    written: &str,
) -> Option<FileId> {
    let written = written.trim_matches(['"', '<', '>', ' ']);
    let own = resolver
        .snapshot()
        .file(view.id)
        .path
        .directory()
        .to_owned();
    if let Some(path) = modules::relative(&own, written)
        && let Some(file) = resolver.snapshot().find(&path)
    {
        return Some(file);
    }
    let directories = &resolver.snapshot().project().includes.directories;
    for directory in directories
        .iter()
        .map(String::as_str)
        .chain(["", "include", "src"])
    {
        if let Some(file) =
            modules::relative(directory, written).and_then(|path| resolver.snapshot().find(&path))
        {
            return Some(file);
        }
    }
    let name = written.rsplit('/').next().unwrap_or(written);
    let files = include_index(resolver).get(name)?;
    let ends = |file: &&FileId| {
        let path = resolver.snapshot().file(**file).path.as_str();
        path.strip_suffix(written.trim_start_matches("../"))
            .is_some_and(|rest| rest.ends_with('/'))
    };
    let mut matching = files.iter().filter(ends);
    let first = *matching.next()?;
    matching.next().is_none().then_some(first)
}

pub(crate) fn include_index<'a>(resolver: &Resolver<'a>) -> &'a HashMap<String, Vec<FileId>> {
    resolver.analysis.tables.include_index.get_or_init(|| {
        let mut index: HashMap<String, Vec<FileId>> = HashMap::new();
        for (id, file) in resolver.snapshot().files() {
            index
                .entry(file.path.file_name().to_owned())
                .or_default()
                .push(id);
        }
        index
    })
}

/// Names in sight without an import that binds them: what included files declare, at any depth.
pub(crate) fn implicitly_visible(
    resolver: &Resolver<'_>,
    view: &FileView,
    name: &str,
) -> Vec<Found> {
    if view.semantics.modules != ModuleSystem::Includes {
        return Vec::new();
    }
    let is_in_sight = |sketch: &&Sketch| {
        let top = sketch
            .parent
            .is_none_or(|parent| parent == SymbolKind::Namespace || is_enumerator(sketch));
        let private = sketch.modifiers.contains(Modifiers::STATIC)
            && sketch.id.file != view.id
            && !resolver
                .snapshot()
                .file(sketch.id.file)
                .path
                .as_str()
                .contains(".h");
        sketch.family == view.semantics.family
            && top
            && !sketch.has_owner
            && !private
            && !is_test_case(sketch.family, sketch.modifiers)
    };
    let candidates: Vec<SymbolId> = resolver
        .sketches(name)
        .iter()
        .filter(is_in_sight)
        .map(|sketch| sketch.id)
        .collect();
    let own = candidates.iter().any(|symbol| symbol.file == view.id);
    let reached = own || {
        let reach = include_closure(resolver, view);
        candidates.iter().any(|symbol| reach.contains(&symbol.file))
    };
    if reached {
        candidates.into_iter().map(Found::Symbol).collect()
    } else {
        Vec::new()
    }
}

pub(crate) fn include_closure(resolver: &Resolver<'_>, view: &FileView) -> BTreeSet<FileId> {
    /// Deeper include trees are cut; they come from vendored libraries.
    const MAX_FILES: usize = 2_000;
    let mut seen = BTreeSet::from([view.id]);
    let mut open = vec![view.id];
    while let Some(file) = open.pop() {
        let Some(view) = resolver.view(file) else {
            continue;
        };
        for import in view
            .facts
            .imports
            .iter()
            .filter(|import| import.kind == ImportKind::Include)
        {
            if let Some(included) = included_file(resolver, &view, view.facts.name(import.module))
                && seen.len() < MAX_FILES
                && seen.insert(included)
            {
                open.push(included);
            }
        }
    }
    seen
}

/// A member of an enum that is written in C or C++, where those of plain enums are names of what
/// surrounds the enum.
pub(crate) fn is_enumerator(sketch: &Sketch) -> bool {
    sketch.family == Family::C
        && sketch.kind == SymbolKind::EnumMember
        && sketch.parent == Some(SymbolKind::Enum)
}

/// `TEST(Cart, adds) { .. }`: the macro makes another name of it, so that no code can mean it.
pub(crate) fn is_test_case(family: Family, modifiers: Modifiers) -> bool {
    family == Family::C && modifiers.contains(Modifiers::TEST)
}
