//! Several workspaces in one process.

use crate::common::{Fixture, fresh, paths};
use workspace::{Error, Workspaces};

#[test]
fn opened_by_any_path_inside_and_remembered() {
    let fixture = Fixture::git();
    fixture.write("src/a.py", "a = 1\n");
    let other = Fixture::plain();
    let workspaces = Workspaces::new(fixture.options(), None);
    let first = workspaces.open(fixture.directory.path()).unwrap();
    let again = workspaces.open(&fixture.path("src")).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &again));
    assert_eq!(paths(&fresh(&first)), ["src/a.py"]);
    workspaces.register(&fixture.path("src")).unwrap();
    workspaces.register(other.directory.path()).unwrap();
    let later = Workspaces::new(fixture.options(), None);
    assert_eq!(later.registered().len(), 2);
    assert_eq!(later.prewarm(5).len(), 2);
    later.forget(&later.registered()[0].root).unwrap();
    assert_eq!(workspaces.registered().len(), 1);
    assert!(!fixture.path(".codecompass").exists());
}

#[test]
fn nothing_outside_the_allowed_roots_is_opened() {
    let fixture = Fixture::git();
    fixture.write("inside/a.py", "a = 1\n");
    let other = Fixture::plain();
    std::os::unix::fs::symlink(other.directory.path(), fixture.path("link")).unwrap();
    let roots = [fixture.directory.path().to_path_buf()];
    let workspaces = Workspaces::new(fixture.options(), Some(&roots));
    workspaces.open(&fixture.path("inside")).unwrap();
    for path in [
        other.directory.path().to_path_buf(),
        fixture.path("link"),
        fixture.path("inside/../.."),
    ] {
        assert!(
            matches!(workspaces.open(&path), Err(Error::OutsideRoots { .. })),
            "{path:?}"
        );
    }
    assert!(matches!(
        workspaces.open(&fixture.path("nowhere")),
        Err(Error::NotADirectory { .. })
    ));
    // The repository around an allowed directory is not allowed by it.
    let narrow = Workspaces::new(fixture.options(), Some(&[fixture.path("inside")]));
    assert!(matches!(
        narrow.open(&fixture.path("inside")),
        Err(Error::OutsideRoots { .. })
    ));
}
