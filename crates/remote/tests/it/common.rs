//! Small repositories, and machines that share a bucket.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
};

use remote::{Patience, Published, Remote, RemoteOptions};
use tempfile::TempDir;
use workspace::{Options, PublishedIndexes, SnapshotView, Workspace};

pub const REPOSITORY: &str = "example.org/shop";

/// A git repository with some files, and one commit.
pub struct Shop {
    pub directory: TempDir,
    home: TempDir,
}

impl Shop {
    pub fn new(files: &[(&str, &str)]) -> Shop {
        let shop = Shop {
            directory: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        shop.git(&["init", "-q", "-b", "main"]);
        shop.commit(files);
        shop
    }

    /// With enough in it to be asked about.
    pub fn usual() -> Shop {
        Shop::new(&[
            (
                "shop/cart.py",
                "class Cart:\n    def total(self):\n        return 1\n",
            ),
            ("shop/__init__.py", ""),
            (
                "app.py",
                "from shop.cart import Cart\n\n\ndef main():\n    cart = Cart()\n    return cart.total()\n",
            ),
            ("notes.md", "# Notes\n\nThe cart adds up the prices.\n"),
            ("latin.py", "name = 'x'\n"),
            ("blob.bin", "a\0b"),
        ])
    }

    /// The same repository on another machine.
    pub fn clone(&self) -> Shop {
        let other = Shop {
            directory: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        other.git(&["clone", "-q", self.directory.path().to_str().unwrap(), "."]);
        other
    }

    pub fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "files"]);
    }

    pub fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
            .args(arguments)
            .current_dir(self.directory.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    pub fn open(&self) -> Arc<Workspace> {
        self.open_with(None)
    }

    /// A workspace that looks for published commits.
    pub fn open_with(&self, remote: Option<Arc<Remote>>) -> Arc<Workspace> {
        let options = Options {
            home: Some(self.home.path().to_path_buf()),
            published: remote.map(|remote| remote as Arc<dyn PublishedIndexes>),
            ..Options::default()
        };
        Workspace::open(self.directory.path(), options).unwrap()
    }

    /// The indexed commit that is checked out.
    pub fn indexed(&self) -> (Arc<Workspace>, Arc<SnapshotView>) {
        let workspace = self.open();
        let commit = workspace.commit("HEAD").unwrap();
        let view = workspace.index_commit(commit, false, &AtomicBool::new(false), |_| ());
        let view = view.unwrap().0;
        (workspace, view)
    }

    pub fn publish(&self, remote: &Remote, reference: &str) -> remote::Result<Published> {
        let (workspace, view) = self.indexed();
        remote.publish(&workspace, &view, REPOSITORY, reference)
    }
}

/// A directory that is a bucket.
pub struct BucketDirectory(pub TempDir);

impl BucketDirectory {
    pub fn new() -> BucketDirectory {
        BucketDirectory(tempfile::tempdir().unwrap())
    }

    pub fn options(&self) -> RemoteOptions {
        RemoteOptions {
            url: format!("file://{}", self.0.path().display()),
            cache_size: 1 << 30,
            ..RemoteOptions::default()
        }
    }

    /// A machine without a cache.
    pub fn remote(&self) -> Remote {
        Remote::open(&self.options(), Patience::PUBLISHING).unwrap()
    }

    /// A machine that takes every repository for the one of the tests.
    pub fn shared(&self) -> Arc<Remote> {
        let options = RemoteOptions {
            repository: Some(REPOSITORY.to_owned()),
            ..self.options()
        };
        Arc::new(Remote::open(&options, Patience::ASKING).unwrap())
    }

    /// All objects, of a kind: `packs`, `trees`, `refs`.
    pub fn objects(&self, kind: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.0.path(), &mut found);
        found.retain(|path| path.to_string_lossy().contains(&format!("/{kind}/")));
        found.sort();
        found
    }
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => walk(&path, found),
            false => found.push(path),
        }
    }
}
