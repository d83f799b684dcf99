//! Object directories that a repository borrows (`objects/info/alternates`), read as git reads them:
//! one that is missing, or that leads back to one already known, is passed over with a warning.
//!
//! gix refuses the whole repository for either. It is shown a directory of links instead, whose own
//! list of alternates is sound.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::platform;

/// Links to the object directories of a repository, its own first. Removed when dropped.
pub struct LinkedObjects {
    root: PathBuf,
}

impl LinkedObjects {
    /// `own` is the repository's object directory.
    pub fn create(own: &Path) -> io::Result<LinkedObjects> {
        let linked = LinkedObjects { root: new_root()? };
        let directories = directories(own);
        for (i, directory) in directories.iter().enumerate() {
            let place = linked.place(i);
            fs::create_dir_all(place.join("info"))?;
            // Whether they exist yet or not: git makes them when it needs them.
            let fan_out = (0..=255).map(|byte| format!("{byte:02x}"));
            for name in fan_out.chain(["pack".to_owned()]) {
                platform::link_directory(&directory.join(&name), &place.join(&name))?;
            }
        }
        let others = (1..directories.len()).map(|i| linked.place(i));
        let list: String = others
            .map(|place| format!("{}\n", place.display()))
            .collect();
        fs::write(linked.directory().join("info").join("alternates"), list)?;
        Ok(linked)
    }

    /// What takes the place of the repository's object directory.
    pub fn directory(&self) -> PathBuf {
        self.place(0)
    }

    fn place(&self, i: usize) -> PathBuf {
        self.root.join(i.to_string())
    }
}

impl Drop for LinkedObjects {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn new_root() -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let name = format!(
            "codecompass-objects-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let root = std::env::temp_dir().join(name);
        // A directory of that name may be another user's.
        match platform::create_private_directory(&root) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|()| root),
        }
    }
}

/// The object directories that exist, `own` first, each once.
fn directories(own: &Path) -> Vec<PathBuf> {
    /// git's own limit.
    const DEEPEST: usize = 5;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut open = vec![(own.to_path_buf(), 0)];
    while let Some((directory, depth)) = open.pop() {
        let shown = directory.display();
        let Some(real) = dunce::canonicalize(&directory)
            .ok()
            .filter(|real| real.is_dir())
        else {
            tracing::warn!(directory = %shown, "an alternate object directory is missing; it is passed over");
            continue;
        };
        if found.contains(&real) {
            tracing::warn!(directory = %shown, "alternate object directories lead back to one another");
            continue;
        }
        let list = fs::read(real.join("info").join("alternates")).unwrap_or_default();
        found.push(real.clone());
        if depth == DEEPEST && !list.is_empty() {
            tracing::warn!(directory = %shown, "alternate object directories are nested too deeply");
            continue;
        }
        match gix::odb::alternate::parse(&list) {
            Ok(borrowed) => {
                let borrowed = borrowed.into_iter().rev();
                open.extend(borrowed.map(|path| (real.join(path), depth + 1)));
            }
            Err(error) => {
                tracing::warn!(directory = %shown, %error, "a list of alternates cannot be read");
            }
        }
    }
    found
}
