//! Contents that edits leave behind, and when a process that stays removes them.

use std::time::{Duration, Instant};

use store::Unnamed;

use crate::{Result, base::WorkspaceBase};

/// What is known about the contents of an index that nothing names any more.
#[derive(Default)]
pub(crate) struct Litter {
    /// The number of the last content when they were looked for.
    looked: u32,
    /// Those that were found then. They go after a while: until then an answer that another process
    /// is working on may need them.
    found: Option<(Instant, Unnamed)>,
}

/// New contents that are worth a look.
const NEW: u32 = 1000;
/// Fewer than these, or than a quarter of those that have a name, may stay.
const FEW: usize = 1000;
/// Longer than any answer takes.
const GRACE: Duration = Duration::from_secs(120);

impl Litter {
    /// Whether [`Litter::reduce`] would do something. Cheap.
    pub fn is_due(&self, base: &WorkspaceBase) -> bool {
        match &self.found {
            Some((since, _)) => since.elapsed() >= GRACE,
            None => base
                .store
                .last_content()
                .is_ok_and(|last| last.0.saturating_sub(self.looked) >= NEW),
        }
    }

    /// Looks for contents without a name, or removes those that were found a while ago.
    pub fn reduce(&mut self, base: &WorkspaceBase) {
        let done = match self.found.take() {
            Some((since, unnamed)) if since.elapsed() >= GRACE => base.collect(&unnamed).map(drop),
            Some(waiting) => {
                self.found = Some(waiting);
                Ok(())
            }
            None => self.look(base),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "contents without a name stay in the index");
        }
    }

    fn look(&mut self, base: &WorkspaceBase) -> Result<()> {
        self.looked = base.store.last_content()?.0;
        let unnamed = base.store.unnamed()?;
        if unnamed.contents.len() >= FEW.max(unnamed.n_named / 4) {
            self.found = Some((Instant::now(), unnamed));
        }
        Ok(())
    }
}

/// Whether most contents of an index with this many files have probably lost their name. Cheap.
pub(crate) fn is_likely(base: &WorkspaceBase, n_files: u64) -> bool {
    let last = base.store.last_content();
    last.is_ok_and(|last| u64::from(last.0) > 2 * n_files + FEW as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Options, Workspace};

    #[test]
    fn contents_that_lost_their_name_go_after_a_while() {
        const LOST: usize = 1200;
        let (directory, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = |i: usize| directory.path().join(format!("file_{i}.py"));
        for i in 0..LOST + 10 {
            std::fs::write(path(i), format!("def of_{i}(): ...\n")).unwrap();
        }
        let options = |watch| Options {
            home: Some(home.path().to_path_buf()),
            watch,
            ..Options::default()
        };
        let open = |watch| Workspace::open(directory.path(), options(watch)).unwrap();
        let index = |workspace: &Workspace| {
            let done = workspace.index_live(false, &AtomicBool::new(false), |_| ());
            done.unwrap()
        };
        let n_contents = |workspace: &Workspace| workspace.store().contents().unwrap().len();
        let workspace = open(true);
        index(&workspace);
        let mut litter = Litter::default();
        assert!(litter.is_due(&workspace.base));
        litter.reduce(&workspace.base);
        // Everything has a name: the next look is after many more contents.
        assert!(!litter.is_due(&workspace.base));

        (0..LOST).for_each(|i| std::fs::remove_file(path(i)).unwrap());
        index(&workspace);
        litter.looked = 0;
        litter.reduce(&workspace.base);
        assert!(!litter.is_due(&workspace.base));
        litter.reduce(&workspace.base);
        assert_eq!(n_contents(&workspace), LOST + 10);

        // A file that comes back names its content again.
        std::fs::write(path(0), "def of_0(): ...\n").unwrap();
        index(&workspace);
        let (since, _) = litter.found.as_mut().unwrap();
        *since -= GRACE;
        assert!(litter.is_due(&workspace.base));
        litter.reduce(&workspace.base);
        assert_eq!(n_contents(&workspace), 11);
        let defining = |name: &str| workspace.store().defining(name).unwrap().len();
        assert_eq!((defining("of_0"), defining("of_1")), (1, 0));

        // A process that does not stay does all of it at the end of an index run.
        std::fs::remove_file(path(0)).unwrap();
        index(&workspace);
        drop(workspace);
        let workspace = open(false);
        index(&workspace);
        assert_eq!(n_contents(&workspace), 10);
    }
}
