//! What the engine reads: the store answers as memory does, and says when it cannot.

use std::{collections::BTreeSet, sync::Arc};

use engine::{Analysis, Budget, Corpus, Cut, Project, Snapshot, query};
use facts::{ContentNumber, SymbolSketch};

use crate::common::Fixture;

const FILES: [(&str, &str); 4] = [
    (
        "shop/cart.py",
        "from shop import tax as duty\n\nclass Cart(Base):\n    rate: Rate = 3\n    @cached\n    def total(self, item):\n        return duty.of(item).amount\n",
    ),
    ("shop/tax.py", "def of(item): ...\n"),
    (
        "web/cart.ts",
        "export { total as sum } from './total';\nexport class Cart<T> { run(other: Cart<T>) { return other.run(this); } }\n",
    ),
    (
        "web/total.ts",
        "export function total(cart: { items: number[] }) { return cart.items.map(x => x); }\n",
    ),
];

/// Paths of the files that hold these contents, in order.
fn paths(snapshot: &Snapshot, contents: Vec<ContentNumber>) -> Vec<String> {
    let files = contents
        .into_iter()
        .flat_map(|content| snapshot.files_of(content));
    let mut paths: Vec<String> = files
        .map(|file| snapshot.file(*file).path.to_string())
        .collect();
    paths.sort();
    paths
}

fn sketches(snapshot: &Snapshot, name: &str) -> Vec<(String, Vec<SymbolSketch>)> {
    let mut all = Vec::new();
    for (content, sketches) in snapshot.corpus().sketches(&[name]).unwrap().remove(0) {
        // A store may hold contents of other snapshots.
        let paths = paths(snapshot, vec![content]);
        all.extend(paths.into_iter().map(|path| (path, sketches.clone())));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn the_store_answers_as_memory_does() {
    let fixture = Fixture::git();
    for (path, text) in FILES {
        fixture.write(path, text);
    }
    let workspace = fixture.indexed();
    let view = workspace.live();
    let unsaved: Vec<_> = FILES
        .iter()
        .map(|(path, text)| (facts::RepoPath::new(path), Some(format!("{text}\n\n"))))
        .collect();
    let unsaved = workspace.with_virtual_files(&view, &unsaved).unwrap();
    let owned = |text: &str| FILES.map(|(path, own)| (path.to_owned(), format!("{own}{text}")));
    for (stored, memory) in [
        (
            &view.snapshot,
            ::fixture::snapshot(owned(""), Project::default()),
        ),
        (
            &unsaved.snapshot,
            ::fixture::snapshot(owned("\n\n"), Project::default()),
        ),
    ] {
        let (ours, theirs): (&dyn Corpus, &dyn Corpus) = (stored.corpus(), memory.corpus());
        let mut names: BTreeSet<String> = BTreeSet::from(["nowhere".to_owned()]);
        for (_, file) in memory.files() {
            let facts = theirs.facts(file.content).unwrap();
            names.extend(facts.names.iter().map(|(_, name)| name.to_owned()));
        }
        assert!(names.len() > 20);
        for name in &names {
            assert_eq!(
                paths(stored, ours.defining(name).unwrap()),
                paths(&memory, theirs.defining(name).unwrap()),
                "defining {name}"
            );
            assert_eq!(
                paths(stored, ours.mentioning(name).unwrap()),
                paths(&memory, theirs.mentioning(name).unwrap()),
                "mentioning {name}"
            );
            assert_eq!(sketches(stored, name), sketches(&memory, name), "{name}");
        }
    }
}

#[test]
fn an_answer_without_the_table_of_names_is_not_whole() {
    let fixture = Fixture::git();
    for (path, text) in FILES {
        fixture.write(path, text);
    }
    let workspace = fixture.indexed();
    let snapshot = workspace.live().snapshot.clone();
    let symbol = query::symbols_named(&snapshot, "of").unwrap()[0];
    let references = |snapshot: &Arc<Snapshot>| {
        let (analysis, budget) = (Analysis::new(snapshot.clone()), Budget::unlimited());
        let found = query::references(&analysis.resolver(&budget), symbol);
        (found.value.len(), found.cut)
    };
    assert_eq!(references(&snapshot), (1, None));
    let path = workspace.index_directory().unwrap().join("index.db");
    let database = rusqlite::Connection::open(path).unwrap();
    for table in ["mention", "recent_mention"] {
        database
            .execute_batch(&format!("ALTER TABLE {table} RENAME TO lost_{table}"))
            .unwrap();
    }
    assert_eq!(references(&snapshot), (0, Some(Cut::Unreadable)));
    for table in ["mention", "recent_mention"] {
        database
            .execute_batch(&format!("ALTER TABLE lost_{table} RENAME TO {table}"))
            .unwrap();
    }
    assert_eq!(references(&snapshot), (1, None));
}
