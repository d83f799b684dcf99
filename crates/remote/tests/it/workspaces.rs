//! Workspaces that have a remote store: they answer before they have indexed anything, and index
//! without extracting what others have.

use std::{fs, sync::atomic::AtomicBool};

use engine::{Analysis, Budget, Cut};
use facts::RepoPath;

use crate::common::{BucketDirectory, Shop};

/// Enough files that asking for them takes less time than extracting them.
fn many() -> Shop {
    let files: Vec<(String, String)> = (0..40)
        .map(|i| (format!("f{i}.py"), format!("def f{i}(): return shared()\n")))
        .collect();
    let mut files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    files.push(("shared.py", "def shared(): ...\n"));
    Shop::new(&files)
}

#[test]
fn a_commit_is_answered_before_anything_is_indexed() {
    let (shop, bucket) = (many(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    let clone = shop.clone();
    let workspace = clone.open_with(Some(bucket.shared()));
    let head = workspace.commit("HEAD").unwrap();
    let view = workspace.indexed_commit(head).unwrap().unwrap();
    assert!(view.published().is_some());
    assert_eq!((view.commit(), view.snapshot.n_files()), (Some(head), 41));
    let corpus = view.snapshot.corpus();
    assert_eq!(corpus.mentioning("shared").unwrap().len(), 41);
    let defining = corpus.defining("shared").unwrap();
    let file = view.snapshot.file(view.snapshot.files_of(defining[0])[0]);
    assert_eq!(file.path.as_str(), "shared.py");
    assert_eq!(&*corpus.text(file.content).unwrap(), "def shared(): ...\n");
    assert_eq!(corpus.facts(file.content).unwrap().symbols.len(), 1);
    assert!(
        workspace.store().is_empty().unwrap(),
        "nothing is written here"
    );
    // Unsaved files lie over it as over any commit.
    let unsaved = [(
        RepoPath::new("f0.py"),
        Some("def fresh(): ...\n".to_owned()),
    )];
    let edited = workspace.with_virtual_files(&view, &unsaved).unwrap();
    let corpus = edited.snapshot.corpus();
    assert_eq!(corpus.defining("fresh").unwrap().len(), 1);
    let words = workspace
        .text()
        .matches(&edited, &["fresh", "shared"])
        .unwrap();
    assert_eq!(words.words[0].len(), 1);
    let segments = workspace
        .text()
        .segments(&edited, &["fresh", "shared"])
        .unwrap();
    let listed = facts::TextMatches::of(&segments);
    assert_eq!(listed.words[0].len(), 1);
    // What the unsaved file replaced is not searched.
    assert_eq!(listed.words[1].len() + 1, words.words[1].len());
    // Another commit is indexed as ever.
    clone.commit(&[("f1.py", "def other(): ...\n")]);
    let next = workspace.commit("HEAD").unwrap();
    assert!(workspace.indexed_commit(next).unwrap().is_none());
}

#[test]
fn indexing_takes_facts_from_the_store() {
    let (shop, bucket) = (many(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    let never = AtomicBool::new(false);
    let clone = shop.clone();
    clone.commit(&[("new.py", "def new(): ...\n")]);
    let workspace = clone.open_with(Some(bucket.shared()));
    let report = workspace.index_live(false, &never, |_| ()).unwrap();
    assert_eq!(
        (report.files, report.extracted, report.pulled),
        (42, 42, 41)
    );
    let mentioning = workspace
        .live()
        .snapshot
        .corpus()
        .mentioning("shared")
        .unwrap();
    assert_eq!(mentioning.len(), 41);
    let forced = workspace.index_live(true, &never, |_| ()).unwrap();
    assert_eq!(forced.pulled, 0, "what is asked for anew is made anew");
    // A store that lost its packs: the same index, made here.
    for path in bucket.objects("packs") {
        std::fs::remove_file(path).unwrap();
    }
    let other = shop.clone();
    let workspace = other.open_with(Some(bucket.shared()));
    let report = workspace.index_live(false, &never, |_| ()).unwrap();
    assert_eq!((report.files, report.pulled), (41, 0));
}

#[test]
fn an_answer_that_lacks_facts_says_so_until_they_are_readable_again() {
    let (shop, bucket) = (many(), BucketDirectory::new());
    shop.publish(&bucket.remote(), "main").unwrap();
    let clone = shop.clone();
    let workspace = clone.open_with(Some(bucket.shared()));
    let head = workspace.commit("HEAD").unwrap();
    let view = workspace.indexed_commit(head).unwrap().unwrap();
    // Nothing of it can be had from this clone either.
    fs::remove_dir_all(clone.directory.path().join(".git/objects")).unwrap();
    let corpus = view.snapshot.corpus();
    assert_eq!(corpus.defining("f1").unwrap().len(), 1);
    let packs = bucket.objects("packs");
    let aside = |path: &std::path::Path| path.with_extension("aside");
    for pack in &packs {
        fs::rename(pack, aside(pack)).unwrap();
    }
    let file = view.snapshot.find("f7.py").unwrap();
    let analysis = Analysis::new(view.snapshot.clone());
    let read = || {
        let mut budget = Budget::unlimited();
        budget.watch(corpus);
        let is_there = analysis.resolver(&budget).view(file).is_some();
        (is_there, budget.cut())
    };
    assert_eq!(read(), (false, Some(Cut::Unreadable)));
    assert_eq!(read(), (false, Some(Cut::Unreadable)));
    for pack in &packs {
        fs::rename(aside(pack), pack).unwrap();
    }
    assert_eq!(read(), (true, None));
}
