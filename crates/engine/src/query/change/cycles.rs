//! Imports that a change adds and that close a cycle, where a language forbids that or suffers from
//! it.

use std::sync::Arc;

use facts::{Import, ScopeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Break, BreakKind, ChangeSet, FindingConfidence, imports::written};
use crate::{
    FileId, FileView, Found, Module, Outcome, Resolver, Rule, query::search::is_test_or_docs,
    resolve::dialect::ImportCycles,
};

/// Files whose imports are followed for one change.
const MOST_FOLLOWED: usize = 2_000;

/// What imports and is imported: a file, or all files of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ImportNode {
    File(FileId),
    Package(Arc<str>),
}

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    let (head, base) = (ImportGraph::new(change.head), ImportGraph::new(change.base));
    let mut reported = FxHashSet::default();
    for file in &change.files {
        let Some(after) = file.after.and_then(|file| change.head.view(file)) else {
            continue;
        };
        if after.dialect.import_cycles == ImportCycles::Harmless || !head.counts(&after) {
            continue;
        }
        let before = file.before.and_then(|file| change.base.view(file));
        let known: FxHashSet<_> = before
            .iter()
            .flat_map(|view| {
                view.facts
                    .imports
                    .iter()
                    .map(|import| written(view, import))
            })
            .collect();
        let from = head.node_of(&after);
        for (i, import) in after.facts.imports.iter().enumerate() {
            if import.scope != ScopeId::FILE || known.contains(&written(&after, import)) {
                continue;
            }
            let Some(to) = head.target(&after, i as u32) else {
                continue;
            };
            if to == from || !reported.insert((from.clone(), to.clone())) {
                continue;
            }
            let Some(way) = head.way(&to, &from) else {
                continue;
            };
            if base.had(change, &from, &to) {
                continue;
            }
            into.push(closing(&after, import, head.names(&from, &way)));
        }
    }
}

fn closing(view: &FileView, import: &Import, through: Vec<String>) -> Break {
    let name = view.facts.name(import.module);
    let local = import.local.unwrap_or(import.module);
    Break {
        kind: BreakKind::Cycle(through),
        confidence: FindingConfidence::of(view.dialect.import_cycles == ImportCycles::Forbidden),
        file: view.id,
        span: import.name_span,
        enclosing: None,
        name: name.to_owned(),
        before: None,
        after: None,
        outcome: Outcome::Static,
        rule: Rule::Import,
        n_uses: 0,
        is_import: false,
        root: view.facts.name(local).to_owned(),
    }
}

/// The imports of one side, read as they are asked for.
struct ImportGraph<'a> {
    resolver: &'a Resolver<'a>,
    n_followed: std::cell::Cell<usize>,
}

impl<'a> ImportGraph<'a> {
    fn new(resolver: &'a Resolver<'a>) -> ImportGraph<'a> {
        ImportGraph {
            resolver,
            n_followed: std::cell::Cell::new(0),
        }
    }

    /// Tests may import what imports them: nothing else sees what they declare.
    fn counts(&self, view: &FileView) -> bool {
        !is_test_or_docs(self.resolver.path(view.id).as_str())
    }

    fn node_of(&self, view: &FileView) -> ImportNode {
        match view.dialect.import_cycles {
            ImportCycles::Forbidden => {
                ImportNode::Package(self.resolver.path(view.id).directory().into())
            }
            _ => ImportNode::File(view.id),
        }
    }

    /// What an import of a file leads to, if that is in the repository.
    fn target(&self, view: &FileView, index: u32) -> Option<ImportNode> {
        let found = self.resolver.import_targets(view, index);
        let module = found.iter().find_map(|found| match found {
            Found::Module(module) => Some(module.clone()),
            _ => None,
        });
        let import = &view.facts.imports[index as usize];
        let module =
            module.or_else(|| (view.dialect.module_of_import)(self.resolver, view, import))?;
        match module {
            Module::Package(directory) => Some(ImportNode::Package(directory)),
            Module::File(file) => Some(ImportNode::File(file)),
            _ => None,
        }
    }

    /// The nodes that a node imports at once.
    fn imported(&self, node: &ImportNode) -> Vec<ImportNode> {
        let files: Vec<FileId> = match node {
            ImportNode::File(file) => vec![*file],
            ImportNode::Package(directory) => {
                let below = self.resolver.snapshot().below(directory);
                let own = below.filter(|(_, entry)| entry.path.directory() == &**directory);
                own.map(|(file, _)| file).collect()
            }
        };
        let mut found = Vec::new();
        for view in files
            .into_iter()
            .filter_map(|file| self.resolver.view(file))
        {
            self.n_followed.set(self.n_followed.get() + 1);
            if !self.counts(&view) {
                continue;
            }
            for (i, import) in view.facts.imports.iter().enumerate() {
                if import.scope == ScopeId::FILE {
                    found.extend(self.target(&view, i as u32));
                }
            }
        }
        found
    }

    /// The nodes on the shortest way from one to another, both included.
    fn way(&self, from: &ImportNode, to: &ImportNode) -> Option<Vec<ImportNode>> {
        let mut came_from: FxHashMap<ImportNode, ImportNode> = FxHashMap::default();
        let mut level = vec![from.clone()];
        while !level.is_empty() {
            let mut next = Vec::new();
            for node in level {
                if self.n_followed.get() > MOST_FOLLOWED || !self.resolver.budget.spend() {
                    return None;
                }
                for other in self.imported(&node) {
                    if other == *from || came_from.contains_key(&other) {
                        continue;
                    }
                    came_from.insert(other.clone(), node.clone());
                    if other == *to {
                        let mut way = vec![other];
                        while let Some(before) = way.last().and_then(|node| came_from.get(node)) {
                            way.push(before.clone());
                        }
                        way.reverse();
                        return Some(way);
                    }
                    next.push(other);
                }
            }
            level = next;
        }
        None
    }

    /// Whether a node led to another already, in this graph of the base.
    fn had(&self, change: &ChangeSet, from: &ImportNode, to: &ImportNode) -> bool {
        let before = |node: &ImportNode| match node {
            ImportNode::Package(directory) => Some(ImportNode::Package(directory.clone())),
            ImportNode::File(file) => {
                let path = change.head.path(*file).as_str();
                let file = self.resolver.snapshot().find(path)?;
                Some(ImportNode::File(file))
            }
        };
        before(from)
            .zip(before(to))
            .is_some_and(|(from, to)| self.way(&from, &to).is_some())
    }

    /// The cycle as people read it: the first node again at its end.
    fn names(&self, first: &ImportNode, way: &[ImportNode]) -> Vec<String> {
        let name = |node: &ImportNode| match node {
            ImportNode::Package(directory) if directory.is_empty() => ".".to_owned(),
            ImportNode::Package(directory) => directory.to_string(),
            ImportNode::File(file) => self.resolver.path(*file).to_string(),
        };
        std::iter::once(first).chain(way).map(name).collect()
    }
}
