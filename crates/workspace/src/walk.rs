//! A look at the working tree: every file that belongs to the repository, with its metadata. Reads
//! no file but ignore files.

use std::{io, path::Path, sync::Arc};

use facts::SkipReason;
use store::Stat;

use crate::{
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

    fn list(&self, directory: String, level: Arc<Level>, walked: &mut Walked) -> io::Result<()> {
        let mut stack = vec![(directory, level, 0)];
        let mut first = true;
        while let Some((directory, parent_or_own, depth)) = stack.pop() {
            let prefix = if directory.is_empty() {
                String::new()
            } else {
                format!("{directory}/")
            };
            let mut listing = match self.root.list(&directory) {
                Ok(listing) => listing,
                Err(error) if first => return Err(error),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => {
                    walked
                        .files
                        .push((directory, DiskFile::Skipped(SkipReason::Unreadable)));
                    continue;
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
            if is_repository && !first && !directory.is_empty() {
                walked
                    .files
                    .push((directory, DiskFile::Skipped(SkipReason::Submodule)));
                continue;
            }
            // The first level is that of the directory itself; the others are those of the parent,
            // entered once their rules are known.
            let level = if first {
                parent_or_own
            } else if let Some(level) = self.enter(&directory, &parent_or_own, has_rules) {
                level
            } else {
                continue;
            };
            first = false;
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
                            stack.push((path, level.clone(), depth + 1));
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
        }
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
