//! Overlays and unsaved files over snapshots.

use crate::common::{Fixture, LONG, fresh, index, paths, render};
use engine::RepoPath;
use workspace::{Error, Source};

#[test]
fn an_overlay_takes_in_edits_and_loses_what_was_undone() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def a(): ...\n");
    fixture.write("b.py", "def b(): ...\n");
    fixture.commit("first");
    let workspace = fixture.indexed();
    let base = workspace.commit("HEAD").unwrap();
    workspace.overlays().create("agent-1", base).unwrap();
    workspace.overlays().create("agent-2", base).unwrap();
    fixture.write("a.py", "def changed(): ...\n");
    fixture.remove("b.py");
    fixture.write("c.py", "def c(): ...\n");
    let refresh = workspace.overlays().refresh("agent-1", None).unwrap();
    assert_eq!(refresh.changed, ["a.py", "b.py", "c.py"]);
    assert_eq!(refresh.overlay.revision, 1);
    assert_eq!(
        render(&workspace.overlays().view("agent-1").unwrap()),
        "a.py \"def changed(): ...\\n\"\nc.py \"def c(): ...\\n\""
    );
    // The other overlay and the commit are as they were.
    assert_eq!(
        paths(&workspace.overlays().view("agent-2").unwrap()),
        ["a.py", "b.py"]
    );
    assert_eq!(
        paths(&workspace.at_ref(Some(&base.to_string()), LONG).unwrap().0),
        ["a.py", "b.py"]
    );
    // Only the paths asked for.
    let refresh = workspace
        .overlays()
        .refresh("agent-2", Some(&[RepoPath::new("c.py")]))
        .unwrap();
    assert_eq!(refresh.changed, ["c.py"]);
    assert_eq!(
        paths(&workspace.overlays().view("agent-2").unwrap()),
        ["a.py", "b.py", "c.py"]
    );
    // Undone.
    fixture.run(&["checkout", "-q", "a.py", "b.py"]);
    let refresh = workspace.overlays().refresh("agent-1", None).unwrap();
    assert_eq!(refresh.changed, ["a.py", "b.py"]);
    assert_eq!(refresh.overlay.files.len(), 1);
    // Nothing changed: the revision stays.
    assert_eq!(
        workspace
            .overlays()
            .refresh("agent-1", None)
            .unwrap()
            .overlay
            .revision,
        refresh.overlay.revision
    );
    // It survives the process.
    drop(workspace);
    let again = fixture.open();
    assert_eq!(
        paths(&again.overlays().view("agent-1").unwrap()),
        ["a.py", "b.py", "c.py"]
    );
    assert_eq!(again.overlays().list().unwrap().len(), 2);
    again.overlays().delete("agent-1").unwrap();
    assert!(matches!(
        again.overlays().view("agent-1"),
        Err(Error::UnknownOverlay { .. })
    ));
    for id in ["", "../x", "a/b", "a b", ".x"] {
        assert!(
            matches!(
                again.overlays().create(id, base),
                Err(Error::InvalidOverlayId { .. })
            ),
            "{id}"
        );
    }
}

#[test]
fn the_text_of_an_overlay_outlives_the_file() {
    let fixture = Fixture::git();
    fixture.write("a.py", "one = 1\n");
    fixture.commit("first");
    let workspace = fixture.indexed();
    workspace
        .overlays()
        .create("w", workspace.commit("HEAD").unwrap())
        .unwrap();
    fixture.write("a.py", "unsaved_elsewhere = 2\n");
    workspace.overlays().refresh("w", None).unwrap();
    fixture.write("a.py", "three = 3\n");
    index(&workspace);
    workspace.collect().unwrap();
    let again = fixture.open();
    assert_eq!(
        render(&again.overlays().view("w").unwrap()),
        "a.py \"unsaved_elsewhere = 2\\n\""
    );
}

#[test]
fn virtual_texts_of_the_same_files_share_their_paths_and_project() {
    let fixture = Fixture::git();
    for i in 0..8 {
        fixture.write(&format!("f{i}.py"), "def a(): ...\n");
    }
    fixture.write("go.mod", "module example.com/a\n");
    let workspace = fixture.indexed();
    let live = fresh(&workspace);
    // More text than one thread is given, in the order of the files.
    let text = |i: usize| format!("def f{i}(): ...\n{}", "x = 1\n".repeat(3_000));
    let files: Vec<_> = (0..8)
        .map(|i| (RepoPath::new(&format!("f{i}.py")), Some(text(i))))
        .collect();
    let view = workspace.with_virtual_files(&live, &files).unwrap();
    assert!(view.snapshot.has_paths_of(&live.snapshot));
    for i in 0..8 {
        let file = view.snapshot.find(&format!("f{i}.py")).unwrap();
        let content = view.snapshot.file(file).content;
        let facts = view.snapshot.corpus().facts(content).unwrap();
        assert_eq!(facts.name(facts.symbols[0].name), format!("f{i}"));
        assert_eq!(*view.snapshot.corpus().text(content).unwrap(), *text(i));
    }
    // A manifest is read anew, although its unsaved content has the same number both times.
    let module = |text: &str| {
        let files = [(RepoPath::new("go.mod"), Some(text.to_owned()))];
        let view = workspace.with_virtual_files(&live, &files).unwrap();
        format!("{:?}", view.snapshot.project())
    };
    assert!(module("module example.com/b\n").contains("example.com/b"));
    assert!(module("module example.com/c\n").contains("example.com/c"));
}

#[test]
fn virtual_files_are_seen_by_every_question_and_kept_nowhere() {
    let fixture = Fixture::git();
    fixture.write("a.py", "def a(): ...\n");
    fixture.write("b.py", "def b(): ...\n");
    let workspace = fixture.indexed();
    let live = fresh(&workspace);
    let files = [
        (
            RepoPath::new("a.py"),
            Some("def unsaved(): b()\n".to_owned()),
        ),
        (RepoPath::new("b.py"), None),
        (RepoPath::new("new.py"), Some("def b(): ...\n".to_owned())),
    ];
    let view = workspace.with_virtual_files(&live, &files).unwrap();
    assert_eq!(
        render(&view),
        "a.py \"def unsaved(): b()\\n\"\nnew.py \"def b(): ...\\n\""
    );
    assert!(matches!(view.source, Source::Virtual { .. }));
    let corpus = view.snapshot.corpus();
    let holds = |contents: Vec<engine::ContentNumber>| {
        contents
            .into_iter()
            .filter(|content| view.contents().contains(*content))
            .count()
    };
    assert_eq!(holds(corpus.defining("unsaved").unwrap()), 1);
    assert_eq!(holds(corpus.defining("a").unwrap()), 0);
    assert_eq!(holds(corpus.mentioning("b").unwrap()), 2);
    assert_eq!(paths(&fresh(&workspace)), ["a.py", "b.py"]);
    assert!(
        live.snapshot
            .corpus()
            .defining("unsaved")
            .unwrap()
            .is_empty()
    );
}
