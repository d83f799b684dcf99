//! A look at the working tree: every file that belongs to the repository, with its metadata. Reads
//! no file but ignore files.

use std::{collections::VecDeque, io, path::Path, sync::Arc};

use facts::SkipReason;
use store::Stat;

use crate::{
    parallel::in_parallel,
    platform::{PathEntry, Root},
    repository::Tracked,
    rules::{Level, Verdict, is_never, is_rule_file},
};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskFile {
    File(Stat),
    Skipped(SkipReason),
}

/// A working tree, as a walk sees it.
pub struct DiskTree<'a> {
    pub root: &'a Root,
    pub tracked: &'a Tracked,
    /// Where `info/exclude` is.
    pub common_git_directory: Option<&'a Path>,
}

#[derive(Default)]
pub struct Walked {
    /// In no order.
    pub files: Vec<(String, DiskFile)>,
    /// Every directory that was listed, the root as the empty path.
    pub directories: Vec<String>,
}

/// A directory that is to be listed.
#[derive(Clone)]
struct ListedDirectory {
    path: String,
    level: Rules,
    depth: usize,
}

/// The rules with which a directory is listed.
#[derive(Clone)]
enum Rules {
    /// Where the walk begins.
    Own(Arc<Level>),
    /// Its own are entered once it is known whether it has any.
    OfParent(Arc<Level>),
}

/// Deeper directories are not real ones.
const MAX_DEPTH: usize = 1000;

impl DiskTree<'_> {
    /// Lists everything.
    pub fn walk(&self) -> io::Result<Walked> {
        let mut walked = Walked::default();
        let root = Level::root(self.root, self.common_git_directory);
        self.list(String::new(), root, &mut walked)?;
        Ok(walked)
    }

    /// Lists a directory and what is below it; nothing if the rules leave it out or it is gone.
    pub fn walk_below(&self, directory: &str, walked: &mut Walked) {
        if directory.is_empty() {
            let root = Level::root(self.root, self.common_git_directory);
            let _ = self.list(String::new(), root, walked);
        } else if let Some(level) = self.level_of(directory) {
            let _ = self.list(directory.to_owned(), level, walked);
        }
    }

    /// What is at one path now; `None` if nothing that is indexed or reported.
    pub fn look(&self, path: &str) -> Option<Look> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if is_never(name) {
            return None;
        }
        let entry = self.root.stat(path).ok()?;
        let level = self.level_of(directory)?;
        match entry {
            PathEntry::Directory => Some(Look::Directory),
            entry => self.file(path, &level, entry).map(Look::File),
        }
    }

    /// The rules that hold in a directory; `None` if it is left out or not a plain directory of
    /// this repository.
    fn level_of(&self, directory: &str) -> Option<Arc<Level>> {
        let mut level = Level::root(self.root, self.common_git_directory);
        if directory.is_empty() {
            return Some(level);
        }
        let mut end = 0;
        loop {
            end = directory[end..]
                .find('/')
                .map_or(directory.len(), |i| end + i);
            let at = &directory[..end];
            if is_never(at.rsplit('/').next().unwrap_or(at)) || self.is_nested_repository(at) {
                return None;
            }
            level = self.enter(at, &level, true)?;
            if end == directory.len() {
                return Some(level);
            }
            end += 1;
        }
    }

    /// The rules inside a directory, unless it is left out.
    fn enter(&self, directory: &str, level: &Arc<Level>, has_rules: bool) -> Option<Arc<Level>> {
        let ignored = match level.verdict(directory, true) {
            Verdict::Excluded => return None,
            Verdict::Ignored if !self.tracked.directories.contains(directory) => return None,
            Verdict::Ignored => true,
            Verdict::Included => false,
        };
        Some(level.below(self.root, directory, ignored, has_rules))
    }

    /// Lists a directory and what is below it; many directories on all processors.
    fn list(&self, directory: String, level: Arc<Level>, walked: &mut Walked) -> io::Result<()> {
        /// Directories that are shared out.
        const MANY: usize = 64;
        let first = ListedDirectory {
            path: directory,
            level: Rules::Own(level),
            depth: 0,
        };
        // In the order of depth, so that what is shared out is as near to the root as can be.
        let mut open = VecDeque::new();
        self.list_one(first, walked, &mut |below| open.push_back(below))?;
        while open.len() < MANY
            && let Some(next) = open.pop_front()
        {
            self.list_one(next, walked, &mut |below| open.push_back(below))?;
        }
        let below = in_parallel(open.make_contiguous(), |directory| {
            let mut walked = Walked::default();
            let mut open = vec![directory.clone()];
            while let Some(next) = open.pop() {
                self.list_one(next, &mut walked, &mut |below| open.push(below))?;
            }
            Ok::<Walked, io::Error>(walked)
        });
        for below in below {
            let below = below?;
            walked.files.extend(below.files);
            walked.directories.extend(below.directories);
        }
        Ok(())
    }

    /// Lists one directory and hands out those in it.
    fn list_one(
        &self,
        ListedDirectory {
            path: directory,
            level,
            depth,
        }: ListedDirectory,
        walked: &mut Walked,
        each_below: &mut dyn FnMut(ListedDirectory),
    ) -> io::Result<()> {
        let is_first = matches!(level, Rules::Own(_));
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let mut listing = match self.root.list(&directory) {
            Ok(listing) => listing,
            Err(error) if is_first => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) => {
                walked
                    .files
                    .push((directory, DiskFile::Skipped(SkipReason::Unreadable)));
                return Ok(());
            }
        };
        let mut entries = Vec::new();
        let mut has_rules = false;
        let mut is_repository = false;
        while let Some(entry) = listing.next() {
            let Ok((name, entry)) = entry else { break };
            let name = match name {
                Ok(name) => name,
                Err(shown) => {
                    walked.files.push((
                        format!("{prefix}{shown}"),
                        DiskFile::Skipped(SkipReason::Name),
                    ));
                    continue;
                }
            };
            is_repository |= name == ".git";
            has_rules |= is_rule_file(&name);
            if let Ok(entry) = entry {
                entries.push((name, entry));
            } else {
                walked.files.push((
                    format!("{prefix}{name}"),
                    DiskFile::Skipped(SkipReason::Unreadable),
                ));
            }
        }
        if is_repository && !is_first && !directory.is_empty() {
            walked
                .files
                .push((directory, DiskFile::Skipped(SkipReason::Submodule)));
            return Ok(());
        }
        let level = match level {
            Rules::Own(level) => level,
            Rules::OfParent(parent) => match self.enter(&directory, &parent, has_rules) {
                Some(level) => level,
                None => return Ok(()),
            },
        };
        for (name, entry) in entries {
            if is_never(&name) {
                continue;
            }
            let path = format!("{prefix}{name}");
            match entry {
                PathEntry::Directory if self.tracked.submodules.contains(path.as_str()) => {
                    walked
                        .files
                        .push((path, DiskFile::Skipped(SkipReason::Submodule)));
                }
                PathEntry::Directory if depth >= MAX_DEPTH => walked
                    .files
                    .push((path, DiskFile::Skipped(SkipReason::Name))),
                PathEntry::Directory => {
                    if self.may_enter(&path, &level) {
                        each_below(ListedDirectory {
                            path,
                            level: Rules::OfParent(level.clone()),
                            depth: depth + 1,
                        });
                    }
                }
                entry => {
                    if let Some(found) = self.file(&path, &level, entry) {
                        walked.files.push((path, found));
                    }
                }
            }
        }
        walked.directories.push(directory);
        Ok(())
    }

    fn may_enter(&self, directory: &str, level: &Level) -> bool {
        match level.verdict(directory, true) {
            Verdict::Included => true,
            Verdict::Ignored => self.tracked.directories.contains(directory),
            Verdict::Excluded => false,
        }
    }

    fn file(&self, path: &str, level: &Level, entry: PathEntry) -> Option<DiskFile> {
        // Most files are tracked, and for those git's rules need not be asked.
        let counts = if self.tracked.files.contains(path) {
            !level.excludes(path)
        } else {
            level.verdict(path, false) == Verdict::Included
        };
        counts.then_some(match entry {
            PathEntry::File(stat) => DiskFile::File(stat),
            PathEntry::SymbolicLink => DiskFile::Skipped(SkipReason::SymbolicLink),
            PathEntry::Special | PathEntry::Directory => DiskFile::Skipped(SkipReason::SpecialFile),
        })
    }

    fn is_nested_repository(&self, directory: &str) -> bool {
        self.tracked.submodules.contains(directory)
            || self.root.stat(&format!("{directory}/.git")).is_ok()
    }
}

/// What one look at a path found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    File(DiskFile),
    Directory,
}
