//! Git, in-process: where the repository is, what its names mean, its trees and its objects.
//!
//! Nothing here runs a program, honours a configured filter or hook, or writes.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use facts::ContentId;
use gix::{
    bstr::ByteSlice,
    objs::{Kind, tree::EntryKind},
};

use crate::{Error, Result, alternates::LinkedObjects};

/// A git repository and, unless it is bare, the working tree it was found from.
pub struct Repository {
    shared: gix::ThreadSafeRepository,
    hash: gix::hash::Kind,
    work_tree: Option<PathBuf>,
    /// In place of the object directory, where gix cannot follow its alternates.
    linked_objects: Option<Arc<LinkedObjects>>,
}

/// One file, link or submodule of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// `Err` with what can be shown of a path that is no Unicode text.
    pub path: std::result::Result<String, String>,
    pub id: ContentId,
    pub kind: TreeEntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEntryKind {
    File,
    Link,
    Submodule,
}

/// What the repository's `HEAD` is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Absent before the first commit.
    pub commit: Option<ContentId>,
    /// The checked-out branch, as people write it; absent when detached.
    pub branch: Option<String>,
}

impl Repository {
    /// The repository that `directory` belongs to; `None` if it belongs to none.
    ///
    /// Its working tree is the directory that holds its `.git`, whatever is configured: a directory
    /// must not have others shown in its place. For the same reason a `.git` that leads elsewhere counts
    /// only if that knows of it, as it does for linked working trees and submodules.
    pub fn discover(directory: &Path) -> Result<Option<Repository>> {
        let found = match gix::discover::upwards(directory) {
            Ok((path, _)) => path,
            Err(_) => return Ok(None),
        };
        let (git_directory, work_tree) = found.into_repository_and_work_tree_directories();
        let failed = |source| Error::Repository {
            path: git_directory.clone(),
            source: Box::new(source),
        };
        // Reduced trust would hide the configuration of a repository that another user owns; we
        // take nothing from it that runs.
        let options = gix::open::Options::default()
            .open_path_as_is(true)
            .strict_config(false);
        let opened = options.clone().open(git_directory.clone());
        let (shared, linked_objects) = match opened {
            Ok(shared) => (shared, None),
            Err(error) => {
                let (shared, linked) =
                    open_with_alternates(options, &git_directory).ok_or_else(|| failed(error))?;
                (shared, Some(Arc::new(linked)))
            }
        };
        let hash = shared.to_thread_local().object_hash();
        let inside = dunce::canonicalize(&git_directory)
            .ok()
            .filter(|real| work_tree.is_none() && real.ends_with(".git"));
        let work_tree = work_tree.or_else(|| Some(inside?.parent()?.to_path_buf()));
        let is_bare = shared.to_thread_local().is_bare();
        let work_tree = work_tree
            .filter(|_| !is_bare)
            .and_then(|directory| dunce::canonicalize(directory).ok());
        let repository = Repository {
            shared,
            hash,
            work_tree,
            linked_objects,
        };
        if let Some(work_tree) = &repository.work_tree
            && !repository.belongs_to(work_tree)
        {
            tracing::warn!(directory = %work_tree.display(), "`.git` leads to a repository that is not of this directory; it is not read");
            return Ok(None);
        }
        // A dotfiles repository rooted at $HOME does not own the directories below it.
        let is_home = |root: &Path| {
            std::env::home_dir()
                .and_then(|home| dunce::canonicalize(home).ok())
                .is_some_and(|home| home.starts_with(root))
        };
        if repository
            .work_tree
            .as_deref()
            .is_some_and(|root| root != directory && is_home(root))
        {
            return Ok(None);
        }
        Ok(Some(repository))
    }

    /// Whether the git directory is inside the working tree, or knows of it.
    fn belongs_to(&self, work_tree: &Path) -> bool {
        let git_directory = self.git_directory();
        if git_directory.starts_with(work_tree) {
            return true;
        }
        let is_real = |path: PathBuf, wanted: &Path| {
            dunce::canonicalize(path).is_ok_and(|real| real == wanted)
        };
        let linked = std::fs::read_to_string(git_directory.join("gitdir")).is_ok_and(|back| {
            is_real(git_directory.join(back.trim_end()), &work_tree.join(".git"))
        });
        let configured = self
            .shared
            .to_thread_local()
            .config_snapshot()
            .string("core.worktree")
            .and_then(|path| path.to_path().ok().map(Path::to_path_buf));
        linked || configured.is_some_and(|path| is_real(git_directory.join(path), work_tree))
    }

    /// With an object store of its own. A run that looks up every content of a tree maps whole pack
    /// indexes, whose pages go when that store is dropped.
    pub fn with_own_objects(&self) -> Option<Repository> {
        let mut shared = self.shared.clone();
        shared.objects = Arc::new(object_store(&shared, shared.objects_dir().to_path_buf())?);
        Some(Repository {
            shared,
            hash: self.hash,
            work_tree: self.work_tree.clone(),
            linked_objects: self.linked_objects.clone(),
        })
    }

    /// For one thread.
    pub fn local(&self) -> LocalRepository {
        let mut repository = self.shared.to_thread_local();
        repository.object_cache_size_if_unset(4 << 20);
        LocalRepository { repository }
    }

    /// The root of the working tree; absent when bare.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// What all working trees of the repository share.
    pub fn common_directory(&self) -> PathBuf {
        let repository = self.shared.to_thread_local();
        let path = repository.common_dir();
        dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
    }

    /// The git directory of this working tree: where its `HEAD` and `index` are.
    pub fn git_directory(&self) -> PathBuf {
        let repository = self.shared.to_thread_local();
        let path = repository.git_dir();
        dunce::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
    }

    pub fn hasher(&self) -> Hasher {
        Hasher(self.hash)
    }
}

/// Opens a repository whose alternates gix refuses to follow. `None` if that was not the reason.
fn open_with_alternates(
    options: gix::open::Options,
    git_directory: &Path,
) -> Option<(gix::ThreadSafeRepository, LinkedObjects)> {
    // With a given number of slots, the alternates are not read while opening.
    let options = options.object_store_slots(gix::odb::store::init::Slots::Given(32));
    let mut shared = options.open(git_directory).ok()?;
    let linked = LinkedObjects::create(shared.objects_dir())
        .inspect_err(|error| tracing::warn!(%error, "alternates cannot be linked"))
        .ok()?;
    shared.objects = Arc::new(object_store(&shared, linked.directory())?);
    Some((shared, linked))
}

/// An object store as the repository's, in this directory.
fn object_store(
    repository: &gix::ThreadSafeRepository,
    directory: PathBuf,
) -> Option<gix::odb::Store> {
    let objects = &repository.objects;
    let options = gix::odb::store::init::Options {
        use_multi_pack_index: objects.use_multi_pack_index(),
        ..Default::default()
    };
    let mut replacements = objects.replacements();
    gix::odb::Store::at_opts(directory, objects.object_hash(), &mut replacements, options).ok()
}

/// Names bytes as git would.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(gix::hash::Kind);

impl Hasher {
    /// For directories without git.
    pub const SHA1: Hasher = Hasher(gix::hash::Kind::Sha1);

    /// `None` for bytes that were made to collide.
    pub fn id(self, bytes: &[u8]) -> Option<ContentId> {
        let id = gix::objs::compute_hash(self.0, Kind::Blob, bytes).ok()?;
        ContentId::from_bytes(id.as_bytes())
    }
}

/// A commit that changed a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    pub commit: ContentId,
    /// Since 1970.
    pub seconds: i64,
    /// The first line of its message.
    pub subject: String,
    /// What the file held afterwards; nothing where it was removed.
    pub content: Option<ContentId>,
}

pub struct LocalRepository {
    repository: gix::Repository,
}

impl LocalRepository {
    pub fn head(&self) -> Head {
        let Ok(mut head) = self.repository.head() else {
            return Head::default();
        };
        let branch = head
            .referent_name()
            .map(|name| name.shorten().to_str_lossy().into_owned());
        let commit = head
            .try_peel_to_id()
            .ok()
            .flatten()
            .and_then(|id| ContentId::from_bytes(id.as_bytes()));
        Head { commit, branch }
    }

    /// Where the repository was cloned from: the address of `origin`, else of the first remote
    /// there is. As configured, perhaps with a password.
    pub fn remote_url(&self) -> Option<String> {
        let configuration = self.repository.config_snapshot();
        let url = |name: &str| {
            configuration
                .string(format!("remote.{name}.url").as_str())
                .map(|url| url.to_str_lossy().into_owned())
        };
        url("origin").or_else(|| {
            let sections = configuration.plumbing().sections_by_name("remote")?;
            let mut names: Vec<String> = sections
                .filter_map(|section| {
                    Some(
                        section
                            .header()
                            .subsection_name()?
                            .to_str_lossy()
                            .into_owned(),
                    )
                })
                .collect();
            names.sort();
            names.iter().find_map(|name| url(name))
        })
    }

    /// The commit that a branch, tag, abbreviated or full id, or an expression like `HEAD~2` means.
    pub fn commit(&self, name: &str) -> Result<ContentId> {
        let unknown = || Error::UnknownRef {
            name: name.to_owned(),
        };
        // `@{upstream}` and dates would make the answer depend on configuration and time.
        if name.is_empty() || name.starts_with('-') || name.contains(['\0', '\n', ' ']) {
            return Err(unknown());
        }
        let id = match self.repository.rev_parse_single(name.as_bytes().as_bstr()) {
            Ok(id) => id,
            Err(error)
                if format!("{error:?}")
                    .to_ascii_lowercase()
                    .contains("ambiguous") =>
            {
                return Err(Error::AmbiguousRef {
                    name: name.to_owned(),
                });
            }
            Err(_) => return Err(unknown()),
        };
        let object = id.object().map_err(|_| unknown())?;
        let commit = object.peel_to_kind(Kind::Commit).map_err(|_| unknown())?;
        ContentId::from_bytes(commit.id.as_bytes()).ok_or_else(unknown)
    }

    /// All files below a commit's tree, in git's order.
    pub fn tree(&self, commit: &ContentId) -> Result<Vec<TreeEntry>> {
        let unknown = || Error::UnknownRef {
            name: commit.to_string(),
        };
        let object = self
            .repository
            .find_commit(object_id(commit))
            .map_err(|_| unknown())?;
        let tree = object.tree().map_err(|_| unknown())?;
        let entries = tree.traverse().breadthfirst.files()?;
        let entries = entries.into_iter().filter_map(|entry| {
            let kind = match entry.mode.kind() {
                EntryKind::Blob | EntryKind::BlobExecutable => TreeEntryKind::File,
                EntryKind::Link => TreeEntryKind::Link,
                EntryKind::Commit => TreeEntryKind::Submodule,
                EntryKind::Tree => return None,
            };
            let path = match entry.filepath.to_str() {
                // A tree may name anything; what could not be checked out safely is shown, never
                // opened.
                Ok(path) if is_plain(path) => Ok(path.to_owned()),
                _ => Err(entry.filepath.to_str_lossy().into_owned()),
            };
            Some(TreeEntry {
                path,
                id: ContentId::from_bytes(entry.oid.as_bytes())?,
                kind,
            })
        });
        Ok(entries.collect())
    }

    /// The last commit that two commits have in common; `None` where their histories share nothing,
    /// or a shallow clone does not hold it.
    pub fn merge_base(&self, one: &ContentId, other: &ContentId) -> Option<ContentId> {
        let found = self.repository.merge_base(object_id(one), object_id(other));
        ContentId::from_bytes(found.ok()??.as_bytes())
    }

    /// The files of git's index, in order of path, and the paths that a merge left unresolved.
    pub fn index_entries(&self) -> (Vec<TreeEntry>, Vec<String>) {
        let (mut entries, mut unmerged) = (Vec::new(), Vec::new());
        let Ok(Some(index)) = self.repository.try_index() else {
            return (entries, unmerged);
        };
        for entry in index.entries() {
            let path = entry.path(&index);
            if entry.stage() != gix::index::entry::Stage::Unconflicted {
                unmerged.push(path.to_str_lossy().into_owned());
                continue;
            }
            let kind = match entry.mode {
                gix::index::entry::Mode::COMMIT => TreeEntryKind::Submodule,
                gix::index::entry::Mode::SYMLINK => TreeEntryKind::Link,
                _ => TreeEntryKind::File,
            };
            let path = match path.to_str() {
                Ok(path) if is_plain(path) => Ok(path.to_owned()),
                _ => Err(path.to_str_lossy().into_owned()),
            };
            if let Some(id) = ContentId::from_bytes(entry.id.as_bytes()) {
                entries.push(TreeEntry { path, id, kind });
            }
        }
        unmerged.dedup();
        (entries, unmerged)
    }

    /// The commits of repositories inside the repository that the index names, by path.
    pub fn index_submodules(&self) -> Vec<(String, ContentId)> {
        let Ok(Some(index)) = self.repository.try_index() else {
            return Vec::new();
        };
        let entries = index.entries().iter();
        // The other entries are many, and their paths are not needed.
        let links = entries.filter(|entry| entry.mode == gix::index::entry::Mode::COMMIT);
        let links = links.filter_map(|entry| {
            let path = entry.path(&index).to_str().ok()?;
            let id = ContentId::from_bytes(entry.id.as_bytes())?;
            is_plain(path).then(|| (path.to_owned(), id))
        });
        links.collect()
    }

    /// The local branches with their commits, in order of name.
    pub fn branches(&self) -> Vec<(String, ContentId)> {
        let Ok(references) = self.repository.references() else {
            return Vec::new();
        };
        let Ok(branches) = references.local_branches() else {
            return Vec::new();
        };
        let branch = |reference: gix::Reference<'_>| {
            let name = reference.name().shorten().to_str_lossy().into_owned();
            let id = reference.into_fully_peeled_id().ok()?;
            Some((name, ContentId::from_bytes(id.as_bytes())?))
        };
        let branches = branches.flatten();
        let mut found: Vec<_> = branches.filter_map(branch).collect();
        found.sort();
        found
    }

    /// The roots of the other working trees of the repository that are there, in order.
    pub fn other_worktrees(&self) -> Vec<std::path::PathBuf> {
        let own = self
            .repository
            .workdir()
            .and_then(|own| dunce::canonicalize(own).ok());
        let linked = self.repository.worktrees().unwrap_or_default();
        let mut roots: Vec<std::path::PathBuf> = linked
            .into_iter()
            .filter_map(|proxy| proxy.base().ok())
            .chain(
                self.repository
                    .main_repo()
                    .ok()
                    .and_then(|main| main.workdir().map(Path::to_path_buf)),
            )
            .filter_map(|root| dunce::canonicalize(root).ok())
            .filter(|root| Some(root) != own.as_ref())
            .collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// The commits along first parents that changed a file, newest first, as far as `until` allows,
    /// and whether those are all.
    pub fn versions(
        &self,
        from: &ContentId,
        path: &str,
        at_most: usize,
        until: Instant,
    ) -> (Vec<FileVersion>, bool) {
        let mut versions: Vec<FileVersion> = Vec::new();
        let walk = self.repository.rev_walk([object_id(from)]);
        let Ok(walk) = walk.first_parent_only().all() else {
            return (versions, false);
        };
        // The commit before the one that is looked at, and what the file held in it.
        let mut newer: Option<(gix::ObjectId, Option<ContentId>)> = None;
        for info in walk {
            let Ok(info) = info else {
                return (versions, false);
            };
            let content = self.content_at(info.id, path);
            if let Some((commit, changed_to)) = newer
                && changed_to != content
            {
                versions.extend(self.version(commit, changed_to));
            }
            newer = Some((info.id, content));
            if versions.len() >= at_most || Instant::now() >= until {
                return (versions, false);
            }
        }
        if let Some((first, Some(content))) = newer {
            versions.extend(self.version(first, Some(content)));
        }
        (versions, true)
    }

    fn content_at(&self, commit: gix::ObjectId, path: &str) -> Option<ContentId> {
        let tree = self.repository.find_commit(commit).ok()?.tree().ok()?;
        let entry = tree.lookup_entry_by_path(path).ok()??;
        ContentId::from_bytes(entry.object_id().as_bytes())
    }

    fn version(&self, id: gix::ObjectId, content: Option<ContentId>) -> Option<FileVersion> {
        let commit = self.repository.find_commit(id).ok()?;
        let subject = commit
            .message_raw_sloppy()
            .lines()
            .next()
            .unwrap_or_default();
        Some(FileVersion {
            commit: ContentId::from_bytes(id.as_bytes())?,
            seconds: commit.time().ok()?.seconds,
            subject: subject.to_str_lossy().into_owned(),
            content,
        })
    }

    /// The bytes of a blob; `None` if it is not in this clone.
    pub fn blob(&self, id: &ContentId) -> Option<Vec<u8>> {
        let object = self.repository.try_find_object(object_id(id)).ok()??;
        (object.kind == Kind::Blob).then(|| object.detach().data)
    }

    /// The size of a blob without its bytes.
    pub fn blob_size(&self, id: &ContentId) -> Option<u64> {
        Some(self.repository.try_find_header(object_id(id)).ok()??.size())
    }

    pub fn has(&self, id: &ContentId) -> bool {
        self.repository.has_object(object_id(id))
    }

    /// The paths that git's index tracks in this working tree, and its submodules.
    pub fn tracked(&self) -> Tracked {
        let mut tracked = Tracked::default();
        let Ok(Some(index)) = self.repository.try_index() else {
            return tracked;
        };
        for entry in index.entries() {
            let Ok(path) = entry.path(&index).to_str() else {
                continue;
            };
            if entry.mode == gix::index::entry::Mode::COMMIT {
                tracked.submodules.insert(path.into());
                continue;
            }
            let mut directory = path;
            while let Some((parent, _)) = directory.rsplit_once('/') {
                if !tracked.directories.insert(parent.into()) {
                    break;
                }
                directory = parent;
            }
            tracked.files.insert(path.into());
        }
        tracked
    }
}

/// What git's index names.
#[derive(Debug, Default)]
pub struct Tracked {
    pub files: rustc_hash::FxHashSet<Box<str>>,
    /// Directories that hold a tracked file at some depth.
    pub directories: rustc_hash::FxHashSet<Box<str>>,
    pub submodules: rustc_hash::FxHashSet<Box<str>>,
}

/// Whether a path names a file below the root by plain names only.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

fn object_id(id: &ContentId) -> gix::ObjectId {
    gix::ObjectId::from_bytes_or_panic(id.as_bytes())
}
