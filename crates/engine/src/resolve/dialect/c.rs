//! C and C++: what includes bring into sight.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use facts::{Import, ImportKind, Modifiers, SymbolIndex, SymbolKind};

use super::{Dialect, LibraryFlows, USUAL};
use crate::{
    FileId,
    resolve::{FileView, Found, Resolver, Sketch, SymbolId, imports, modules, modules::Module},
};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import,
    implicitly_visible,
    may_be_of_library,
    reaches: |resolver, view, file| include_closure(resolver, view).contains(&file),
    sees_member,
    macro_reaches,
    without_tags,
    flows: &LibraryFlows::PLAIN,
    ..USUAL
};

/// Whether a macro is in a file that is included, or nothing but macros has its name.
fn macro_reaches(resolver: &Resolver, view: &FileView, symbol: SymbolId, _: bool) -> bool {
    let is_function = |sketch: &Sketch| {
        sketch.family == view.semantics.family
            && sketch.kind == SymbolKind::Function
            && !sketch.is_static_function()
    };
    !resolver
        .sketches(&resolver.name(symbol))
        .iter()
        .any(is_function)
        || include_closure(resolver, view).contains(&symbol.file)
}

/// What is `static`, or in a namespace without a name, belongs to its file and to those that include
/// it.
fn sees_member(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> bool {
    let Some((other, declared)) = resolver.symbol(symbol).filter(|_| symbol.file != view.id) else {
        return true;
    };
    let chain = other.facts.container_chain(symbol.index);
    let in_type = chain
        .iter()
        .rev()
        .skip(1)
        .any(|index| other.symbol(*index).kind.is_type());
    let is_unnamed = |index: &SymbolIndex| {
        let around = other.symbol(*index);
        around.kind == SymbolKind::Namespace && around.modifiers.contains(Modifiers::ANONYMOUS)
    };
    let is_own = chain.iter().any(is_unnamed)
        || !in_type && !declared.owner.is_known() && declared.modifiers.contains(Modifiers::STATIC);
    !is_own || include_closure(resolver, view).contains(&symbol.file)
}

fn module_of_import(resolver: &Resolver, view: &FileView, import: &Import) -> Option<Module> {
    let path = view.facts.name(import.module);
    match import.kind {
        ImportKind::Include => included_file(resolver, view, path).map(Module::File),
        _ => Some(Module::Namespace(imports::normalized(path).into())),
    }
}

/// What no file of the repository has comes from a header that is not in it.
fn may_be_of_library(resolver: &Resolver, view: &FileView) -> bool {
    view.facts.imports.iter().any(|import| {
        import.kind == ImportKind::Include
            && included_file(resolver, view, view.facts.name(import.module)).is_none()
    })
}

/// The file an include means: beside the file, below an include directory, else the file whose
/// path ends so.
fn included_file(resolver: &Resolver, view: &FileView, written: &str) -> Option<FileId> {
    let written = written.trim_matches(['"', '<', '>', ' ']);
    let own = resolver.path(view.id).directory();
    if let Some(path) = modules::relative(own, written)
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
        let path = resolver.path(**file).as_str();
        path.strip_suffix(written.trim_start_matches("../"))
            .is_some_and(|rest| rest.ends_with('/'))
    };
    let mut matching = files.iter().filter(ends);
    let first = *matching.next()?;
    matching.next().is_none().then_some(first)
}

fn include_index<'a>(resolver: &Resolver<'a>) -> &'a HashMap<String, Vec<FileId>> {
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
fn implicitly_visible(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let is_in_sight = |sketch: &&Sketch| {
        let top = sketch.parent.is_none_or(|parent| {
            parent == SymbolKind::Namespace || sketch.is_outside_enum(view.semantics)
        });
        let private = sketch.modifiers.contains(Modifiers::STATIC)
            && sketch.id.file != view.id
            && !resolver.path(sketch.id.file).as_str().contains(".h");
        sketch.family == view.semantics.family
            && top
            && !sketch.has_owner
            && !private
            && view.semantics.is_nameable(sketch.modifiers)
    };
    let named = resolver.sketches(name);
    let mut candidates: Vec<&Sketch> = named.iter().filter(is_in_sight).collect();
    let is_own = |sketch: &&Sketch| sketch.id.file == view.id;
    let is_other_macro = |sketch: &&Sketch| sketch.kind == SymbolKind::Macro && !is_own(sketch);
    if !candidates.iter().any(is_own) || candidates.iter().any(is_other_macro) {
        let reach = include_closure(resolver, view);
        if !candidates
            .iter()
            .any(|sketch| reach.contains(&sketch.id.file))
        {
            return Vec::new();
        }
        // A macro counts only where its header is included, and hides what is not.
        let is_reached = |sketch: &&Sketch| reach.contains(&sketch.id.file);
        candidates.retain(|sketch| !is_other_macro(sketch) || is_reached(sketch));
        if candidates.iter().any(is_other_macro) {
            candidates.retain(is_reached);
        }
    }
    let candidates = candidates.into_iter();
    candidates.map(|sketch| Found::Symbol(sketch.id)).collect()
}

/// The file and all that it includes, at any depth.
fn include_closure(resolver: &Resolver, view: &FileView) -> Arc<BTreeSet<FileId>> {
    let known = resolver
        .analysis
        .tables
        .include_closures
        .lock()
        .get(&view.id);
    if let Some(known) = known {
        return known;
    }
    let closure = Arc::new(included_files(resolver, view));
    let weight = 1 + closure.len();
    let mut table = resolver.analysis.tables.include_closures.lock();
    table.keep(view.id, closure.clone(), weight);
    closure
}

fn included_files(resolver: &Resolver, view: &FileView) -> BTreeSet<FileId> {
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

/// In C a type without `struct` before it is a `typedef`, though a struct of that name may be
/// nearer.
fn without_tags(resolver: &Resolver, view: &FileView, name: &str, found: Vec<Found>) -> Vec<Found> {
    let is_kind = |found: &Found, wanted: fn(SymbolKind) -> bool| match found {
        Found::Symbol(symbol) => resolver.kind(*symbol).is_some_and(wanted),
        _ => false,
    };
    let is_plain_c = !view.semantics.overloads;
    let only_tags = |found: &Found| {
        is_kind(found, |kind| {
            matches!(
                kind,
                SymbolKind::Struct | SymbolKind::Union | SymbolKind::Enum
            )
        })
    };
    if !is_plain_c || !found.iter().all(only_tags) {
        return found;
    }
    let mut aliases = implicitly_visible(resolver, view, name);
    aliases.retain(|found| is_kind(found, |kind| kind == SymbolKind::TypeAlias));
    if aliases.is_empty() { found } else { aliases }
}
