//! What has to do with a symbol by where it is: its file, its module, its package, its imports.

use facts::Modifiers;
use rustc_hash::FxHashSet;

use crate::{Complete, FileId, Found, Resolver, SymbolId};

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelatedWithin {
    File,
    /// The files of the same directory.
    Module,
    /// The files of the nearest manifest, or of the first directory below the root.
    Package,
}

/// In the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    SameFile,
    SameModule,
    SamePackage,
    Imported,
}

impl Relation {
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::SameFile => "same_file",
            Relation::SameModule => "same_module",
            Relation::SamePackage => "same_package",
            Relation::Imported => "imported",
        }
    }
}

/// The first `limit` symbols related to one, or to a file, by relation, path and place, and how many
/// there are. What the anchor's file imports counts from module scope on.
pub fn related(
    resolver: &Resolver,
    anchor_file: FileId,
    anchor: Option<SymbolId>,
    scope: RelatedWithin,
    limit: usize,
) -> Complete<(Vec<(SymbolId, Relation)>, usize)> {
    let snapshot = resolver.snapshot();
    let own = &snapshot.file(anchor_file).path;
    let language = snapshot.file(anchor_file).language;
    let mut files: Vec<(FileId, Relation)> = vec![(anchor_file, Relation::SameFile)];
    if scope >= RelatedWithin::Module {
        let siblings = snapshot.below(own.directory()).filter(|(id, file)| {
            *id != anchor_file
                && file.path.directory() == own.directory()
                && file.language == language
        });
        files.extend(siblings.map(|(id, _)| (id, Relation::SameModule)));
    }
    if scope >= RelatedWithin::Package {
        let package = package_directory(resolver, anchor_file);
        let others = snapshot.below(&package).filter(|(_, file)| {
            file.path.directory() != own.directory() && file.language == language
        });
        files.extend(others.map(|(id, _)| (id, Relation::SamePackage)));
    }
    let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
    let mut found = Vec::new();
    let mut total = 0;
    let mut take = |symbol: SymbolId, relation: Relation, found: &mut Vec<(SymbolId, Relation)>| {
        if Some(symbol) != anchor && seen.insert(symbol) {
            total += 1;
            if found.len() < limit {
                found.push((symbol, relation));
            }
        }
    };
    for (file, relation) in files {
        if !resolver.budget.spend() {
            break;
        }
        let Some(facts) = snapshot.corpus().facts(snapshot.file(file).content) else {
            continue;
        };
        for (index, symbol) in facts.symbols_with_index() {
            if !symbol.modifiers.contains(Modifiers::LOCAL) {
                take(SymbolId { file, index }, relation, &mut found);
            }
        }
    }
    if scope >= RelatedWithin::Module
        && let Some(view) = resolver.view(anchor_file)
    {
        let mut imported: Vec<SymbolId> = Vec::new();
        for i in 0..view.facts.imports.len() as u32 {
            imported.extend(
                resolver
                    .import_targets(&view, i)
                    .iter()
                    .filter_map(|found| {
                        if let Found::Symbol(symbol) = found {
                            Some(*symbol)
                        } else {
                            None
                        }
                    }),
            );
        }
        imported.sort_unstable();
        for symbol in imported {
            take(symbol, Relation::Imported, &mut found);
        }
    }
    resolver.budget.finish((found, total))
}

fn package_directory(resolver: &Resolver, file: FileId) -> String {
    let snapshot = resolver.snapshot();
    let path = snapshot.file(file).path.as_str();
    match snapshot.project().units_around(path).next() {
        Some(unit) => unit.directory.clone(),
        None => path
            .split_once('/')
            .map_or(String::new(), |(first, _)| first.to_owned()),
    }
}
