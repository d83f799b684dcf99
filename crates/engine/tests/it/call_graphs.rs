//! Scores call graphs of small programs in the format of PyCG and SWARM-CG: a directory
//! `<category>/<program>/` with sources and `callgraph.json`, which lists for each function, or
//! module for its top-level code, what it calls.
//!
//! The programs are not part of this repository. `CALL_GRAPHS=DIRECTORY cargo test -p engine --test
//! it call_graphs -- --ignored --nocapture` prints precision and recall by category, and every
//! difference. Functions without a name count as part of the function around them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use engine::{Analysis, Budget, FileId, Project, Resolver, SymbolId, query};
use facts::{SymbolIndex, SymbolKind};
use serde_json::Value;

type Edges = BTreeSet<(String, String)>;

#[test]
#[ignore = "needs programs with their call graphs in CALL_GRAPHS"]
fn call_graphs_of_small_programs() {
    let root = PathBuf::from(std::env::var("CALL_GRAPHS").expect("CALL_GRAPHS names a directory"));
    let mut rows: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for category in directories(&root) {
        for program in directories(&category) {
            let Ok(text) = fs::read_to_string(program.join("callgraph.json")) else {
                continue;
            };
            let truth: Value = serde_json::from_str(&text).expect("callgraph.json is JSON");
            let (found, modules) = found_edges(&program, &truth);
            let wanted = wanted_edges(&truth, &modules);
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            let title = format!("{}/{}", name(&category), name(&program));
            for edge in wanted.difference(&found) {
                println!("{title}: missed {} -> {}", edge.0, edge.1);
            }
            for edge in found.difference(&wanted) {
                println!("{title}: extra {} -> {}", edge.0, edge.1);
            }
            let counts = [
                found.intersection(&wanted).count(),
                found.len(),
                wanted.len(),
            ];
            for row in [name(&category), "all".to_owned()] {
                let row = rows.entry(row).or_default();
                row.iter_mut()
                    .zip(counts)
                    .for_each(|(sum, count)| *sum += count);
            }
        }
    }
    for (category, [right, found, wanted]) in &rows {
        let share = |of: usize| *right as f64 / of.max(1) as f64;
        let (precision, recall) = (share(*found), share(*wanted));
        println!("{category:<18}{precision:.3} {recall:.3}  ({right} of {found}, {wanted})");
    }
    assert!(
        rows.contains_key("all"),
        "no programs in {}",
        root.display()
    );
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// The sources of a program, with paths below it.
fn sources(root: &Path, directory: &Path, into: &mut Vec<(String, String)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(root, &path, into);
        } else if matches!(
            path.extension().and_then(|extension| extension.to_str()),
            Some("py" | "js" | "mjs" | "cjs")
        ) && let (Ok(below), Ok(text)) =
            (path.strip_prefix(root), fs::read_to_string(&path))
        {
            into.push((below.to_string_lossy().into_owned(), text));
        }
    }
}

fn module_of(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<&str> = stem.split('/').collect();
    if parts.len() > 1 && matches!(parts.last(), Some(&"__init__" | &"index")) {
        parts.pop();
    }
    parts.join(".")
}

fn is_nameless(name: &str) -> bool {
    name.contains('<')
}

/// The named function or module around a name.
fn named(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').filter(|part| !part.contains('<')).collect();
    parts.join(".")
}

fn wanted_edges(truth: &Value, modules: &BTreeSet<String>) -> Edges {
    let mut edges = Edges::new();
    for (caller, callees) in truth.as_object().into_iter().flatten() {
        let callees = callees.as_array().into_iter().flatten();
        for callee in callees.filter_map(Value::as_str) {
            let is_own = modules
                .iter()
                .any(|module| callee == module || callee.starts_with(&format!("{module}.")));
            if is_own && !is_nameless(callee) {
                edges.insert((named(caller), callee.to_owned()));
            }
        }
    }
    edges
}

fn found_edges(program: &Path, truth: &Value) -> (Edges, BTreeSet<String>) {
    let mut files = Vec::new();
    sources(program, program, &mut files);
    let modules = files.iter().map(|(path, _)| module_of(path)).collect();
    let snapshot = fixture::snapshot(files, Project::default());
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let mut graph = Graph {
        resolver: &resolver,
        truth,
        edges: Edges::new(),
    };
    for (file, _) in snapshot.files() {
        let n_symbols = resolver
            .view(file)
            .map_or(0, |view| view.facts.symbols.len());
        for index in 0..n_symbols as u32 {
            let symbol = SymbolId::new(file, SymbolIndex(index));
            graph.add(symbol);
            if std::env::var_os("IMPLICIT").is_some() {
                graph.add_implicit(symbol);
            }
        }
    }
    (graph.edges, modules)
}

struct Graph<'a> {
    resolver: &'a Resolver<'a>,
    truth: &'a Value,
    edges: Edges,
}

impl Graph<'_> {
    fn add(&mut self, symbol: SymbolId) {
        let (callers, outside) = query::callers(self.resolver, symbol).value;
        for call in callers {
            self.add_edge(self.caller(call.symbol), symbol);
        }
        for call in outside {
            self.add_edge(self.module(call.site.file), symbol);
        }
        if self.resolver.kind(symbol).is_some_and(SymbolKind::is_type) {
            return;
        }
        for call in query::callees(self.resolver, symbol).value.0 {
            self.add_edge(self.caller(symbol), call.symbol);
        }
    }

    /// What the language calls by itself.
    fn add_implicit(&mut self, symbol: SymbolId) {
        for call in query::implicit_callers(self.resolver, symbol).value {
            let caller = match call.symbol {
                Some(caller) => self.caller(caller),
                None => self.module(call.site.file),
            };
            self.add_edge(caller, symbol);
        }
        for call in query::implicit_callees(self.resolver, symbol).value {
            if let Some(called) = call.symbol {
                self.add_edge(self.caller(symbol), called);
            }
        }
    }

    fn module(&self, file: FileId) -> String {
        module_of(self.resolver.snapshot().file(file).path.as_str())
    }

    /// The function that a call belongs to; code of a class body or a variable is the module's.
    fn caller(&self, symbol: SymbolId) -> String {
        let mut around = Some(symbol);
        while let Some(found) = around {
            let Some((_, declared)) = self.resolver.symbol(found) else {
                break;
            };
            if declared.kind.is_callable() {
                return named(&self.name(found));
            }
            around = declared.parent.map(|parent| found.beside(parent));
        }
        self.module(symbol.file)
    }

    fn add_edge(&mut self, caller: String, callee: SymbolId) {
        let mut callee = callee;
        if self.resolver.kind(callee).is_some_and(SymbolKind::is_type) {
            // A class without a constructor of its own has that of its first base that has one.
            let bases = self.resolver.all_supertypes(callee);
            let all = std::iter::once(callee).chain(bases);
            let constructor = all
                .flat_map(|class| self.resolver.constructors(class))
                .next();
            match constructor {
                Some(constructor) => callee = constructor,
                None => return,
            }
        }
        if !self
            .resolver
            .kind(callee)
            .is_some_and(SymbolKind::is_callable)
        {
            return;
        }
        let name = self.name(callee);
        if !is_nameless(&name) {
            self.edges.insert((caller, name));
        }
    }

    /// `module.Class.method`; a function expression that the truth does not name is `<arrow>`.
    fn name(&self, symbol: SymbolId) -> String {
        let Some((view, declared)) = self.resolver.symbol(symbol) else {
            return String::new();
        };
        let chain = view.facts.container_chain(symbol.index).into_iter();
        let names: Vec<&str> = chain.map(|index| view.name_of(index)).collect();
        let name = format!("{}.{}", self.module(symbol.file), names.join("."));
        let corpus = self.resolver.snapshot().corpus();
        let content = self.resolver.snapshot().file(symbol.file).content;
        let text = corpus.text(content).unwrap_or_default();
        let is_arrow = declared.signature.text(&text).contains("=>");
        if is_arrow && self.truth.get(&name).is_none() {
            return format!(
                "{}.<arrow>",
                name.rsplit_once('.').map_or("", |(around, _)| around)
            );
        }
        name
    }
}
