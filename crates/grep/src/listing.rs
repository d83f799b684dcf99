//! Files that are listed and read by someone else: those of a commit, of an overlay or of an
//! editor. They are searched as a clean checkout of them would be, without a checkout: hidden
//! files, globs, types and the ignore rules among the files apply as they do on disk.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    ffi::OsStr,
    io,
    ops::ControlFlow,
    path::{Component, Path, PathBuf},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
    overrides::Override,
    types::Types,
};

use crate::{
    Error,
    selection::Selection,
    tree::{FileContent, FoundFile, PathKind, SearchTree, VisitItem, WalkItem},
};

/// Regular files, by their path from the root of a repository. Symbolic links are not among them:
/// a search does not follow links unless asked to, and here there is nothing to follow.
pub trait ListedFiles: Sync {
    /// All paths, sorted as [`Path`] compares them: component by component.
    fn paths(&self) -> &[PathBuf];

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>>;

    /// The rules of `.git/info/exclude` that apply to a checkout.
    fn excludes(&self) -> Option<&str> {
        None
    }
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    paths: Vec<PathBuf>,
    contents: BTreeMap<PathBuf, Vec<u8>>,
}

impl<P: Into<PathBuf>, B: Into<Vec<u8>>> FromIterator<(P, B)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> MemoryFiles {
        let contents: BTreeMap<PathBuf, Vec<u8>> = files
            .into_iter()
            .map(|(path, bytes)| (path.into(), bytes.into()))
            .collect();
        MemoryFiles {
            paths: contents.keys().cloned().collect(),
            contents,
        }
    }
}

impl ListedFiles for MemoryFiles {
    fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        match self.contents.get(path) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => Err(missing()),
        }
    }
}

/// A tree of listed files, searched from one of its directories.
#[derive(Debug)]
pub struct ListedTree<F> {
    files: F,
    directory: PathBuf,
}

impl<F: ListedFiles> ListedTree<F> {
    /// Searches run in the root of the files.
    pub fn new(files: F) -> ListedTree<F> {
        ListedTree {
            files,
            directory: PathBuf::new(),
        }
    }

    /// Searches run in `directory`, a path from the root of the files.
    pub fn in_directory(files: F, directory: impl Into<PathBuf>) -> ListedTree<F> {
        ListedTree {
            files,
            directory: directory.into(),
        }
    }

    /// The path from the root that an argument means; nothing when it leads out of the tree.
    fn resolve(&self, given: &Path) -> Option<PathBuf> {
        let mut path = self.directory.clone();
        for component in given.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => path.push(name),
                Component::ParentDir => {
                    if !path.pop() {
                        return None;
                    }
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(path)
    }

    /// The files below a directory; all files for the root.
    fn below(&self, directory: &Path) -> &[PathBuf] {
        let paths = self.files.paths();
        let start = paths.partition_point(|path| path.as_path() < directory);
        let n_below = paths[start..].partition_point(|path| path.starts_with(directory));
        &paths[start..start + n_below]
    }

    /// The candidates below a directory, and all ignore files. The rules are not asked about any other
    /// file: that takes longer than most searches.
    fn narrowed(&self, directory: &Path, candidates: &HashSet<PathBuf>) -> Vec<PathBuf> {
        let is_below = |path: &&PathBuf| path.starts_with(directory);
        let mut files: Vec<PathBuf> = candidates.iter().filter(is_below).cloned().collect();
        let is_rules = |path: &&PathBuf| {
            path.as_os_str().as_encoded_bytes().ends_with(b"ignore")
                && path
                    .file_name()
                    .is_some_and(|name| IGNORE_FILES.iter().any(|file| name == *file))
        };
        files.extend(self.below(directory).iter().filter(is_rules).cloned());
        files.sort();
        files.dedup();
        files
    }

    fn kind_of(&self, path: &Path) -> PathKind {
        match self.below(path) {
            [] if path.as_os_str().is_empty() => PathKind::Directory,
            [] => PathKind::Other,
            [first, ..] if first == path => PathKind::File,
            _ => PathKind::Directory,
        }
    }
}

impl<F: ListedFiles> SearchTree for ListedTree<F> {
    fn kind(&self, path: &Path) -> PathKind {
        self.resolve(path)
            .map_or(PathKind::Other, |path| self.kind_of(&path))
    }

    fn walk(
        &self,
        selection: &Selection,
        candidates: Option<&HashSet<PathBuf>>,
        visit: &mut VisitItem<'_>,
    ) -> Result<(), Error> {
        let filters = Filters::new(selection, &self.files, &self.directory)?;
        for given in selection.roots() {
            let shown = if selection.paths.is_empty() {
                Path::new("")
            } else {
                &given
            };
            let root = self.resolve(&given);
            let kind = root
                .as_deref()
                .map_or(PathKind::Other, |root| self.kind_of(root));
            let flow = match (root, kind) {
                (Some(path), PathKind::File) => visit(WalkItem::File(FoundFile {
                    shown: shown.to_path_buf(),
                    path,
                    is_named: true,
                })),
                (Some(path), PathKind::Directory) => {
                    let files = match candidates {
                        None => Cow::Borrowed(self.below(&path)),
                        Some(candidates) => Cow::Owned(self.narrowed(&path, candidates)),
                    };
                    let mut walk = ListingWalk {
                        filters: &filters,
                        shown,
                        root: &path,
                        visit,
                    };
                    walk.start(&files)
                }
                _ => visit(WalkItem::Failure(format!(
                    "{}: {}",
                    given.display(),
                    missing()
                ))),
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn open(&self, file: &FoundFile) -> io::Result<FileContent<'_>> {
        self.files.read(&file.path).map(FileContent::Bytes)
    }

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        match self.resolve(path) {
            Some(path) => self.files.read(&path),
            None => Err(missing()),
        }
    }
}

/// The root of a tree, as the matchers see it. They compare paths as text, and treat an empty
/// root or one without a slash in ways of their own.
const ROOT: &str = "/tree";

/// Files with rules for what is beside and below them, the strongest first.
const IGNORE_FILES: [&str; 3] = [".rgignore", ".ignore", ".gitignore"];

/// Files that lie deeper are not found: no file system has such paths, so that only a repository
/// made to exhaust the stack has such files.
const MAX_DEPTH: usize = 2048;

/// The filters of a selection that hold for a whole tree.
struct Filters<'a> {
    selection: &'a Selection,
    files: &'a dyn ListedFiles,
    overrides: Override,
    types: Types,
    excludes: Gitignore,
    global: Gitignore,
    /// The rules of `--ignore-file`, the last first.
    explicit: Vec<Gitignore>,
}

impl<'a> Filters<'a> {
    fn new(
        selection: &'a Selection,
        files: &'a dyn ListedFiles,
        directory: &Path,
    ) -> Result<Filters<'a>, Error> {
        let has_git = !selection.no_ignore_vcs;
        let ignores_case = selection.ignore_rules_ignore_case;
        let excludes = match files.excludes() {
            Some(rules) if has_git && !selection.no_ignore_exclude => {
                compiled(Path::new(""), rules.as_bytes(), ignores_case).0
            }
            _ => Gitignore::empty(),
        };
        let global = match has_git && !selection.no_ignore_global {
            true => GitignoreBuilder::new(ROOT).build_global().0,
            false => Gitignore::empty(),
        };
        let mut explicit = Vec::new();
        if !selection.no_ignore_files {
            for path in selection.ignore_files.iter().rev() {
                if let Ok(rules) = files.read(&directory.join(path)) {
                    explicit.push(compiled(directory, &rules, false).0);
                }
            }
        }
        let overrides = selection.overrides(&Path::new(ROOT).join(directory))?;
        let types = selection.types()?;
        Ok(Filters {
            selection,
            files,
            overrides,
            types,
            excludes,
            global,
            explicit,
        })
    }

    /// Whether a path below a search root is left out, as `ignore` decides it on disk. `rules` are
    /// those of the directories above the path, the nearest last.
    fn leaves_out(&self, path: &Path, is_directory: bool, rules: &[DirectoryRules]) -> bool {
        let is_hidden = || {
            let name = path.file_name().unwrap_or_default();
            !self.selection.hidden && name.as_encoded_bytes().starts_with(b".")
        };
        let path = Path::new(ROOT).join(path);
        match self.overrides.matched(&path, is_directory) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
        let of_kind = |matcher: fn(&DirectoryRules) -> &Gitignore| {
            let nearest_first = rules.iter().rev().map(matcher);
            nearest_first
                .map(|rules| outcome(rules.matched(&path, is_directory)))
                .find(|outcome| *outcome != RuleMatch::None)
                .unwrap_or(RuleMatch::None)
        };
        let by_rules = of_kind(|rules| &rules.rgignore)
            .or(|| of_kind(|rules| &rules.ignore))
            .or(|| of_kind(|rules| &rules.gitignore))
            .or(|| outcome(self.excludes.matched(&path, is_directory)))
            .or(|| outcome(self.global.matched(&path, is_directory)))
            .or(|| {
                let explicit = self.explicit.iter();
                explicit
                    .map(|rules| outcome(rules.matched(&path, is_directory)))
                    .find(|outcome| *outcome != RuleMatch::None)
                    .unwrap_or(RuleMatch::None)
            });
        if by_rules == RuleMatch::Ignore {
            return true;
        }
        match self.types.matched(&path, is_directory) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => by_rules == RuleMatch::None && is_hidden(),
        }
    }
}

/// What rules say about a path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum RuleMatch {
    None,
    Ignore,
    Keep,
}

impl RuleMatch {
    fn or(self, other: impl FnOnce() -> RuleMatch) -> RuleMatch {
        if self == RuleMatch::None {
            other()
        } else {
            self
        }
    }
}

fn outcome<T>(matched: Match<T>) -> RuleMatch {
    match matched {
        Match::None => RuleMatch::None,
        Match::Ignore(_) => RuleMatch::Ignore,
        Match::Whitelist(_) => RuleMatch::Keep,
    }
}

/// The ignore files of one directory.
struct DirectoryRules {
    rgignore: Gitignore,
    ignore: Gitignore,
    gitignore: Gitignore,
}

impl DirectoryRules {
    /// Reads the ignore files among `files`, all of which are below `directory`.
    fn read(
        filters: &Filters<'_>,
        directory: &Path,
        files: &[PathBuf],
    ) -> (DirectoryRules, Option<ignore::Error>) {
        let mut problem = None;
        let mut read = |name: &str, off: bool| {
            let path = directory.join(name);
            if off || files.binary_search(&path).is_err() {
                return Gitignore::empty();
            }
            let Ok(rules) = filters.files.read(&path) else {
                return Gitignore::empty();
            };
            let (matcher, error) = compiled(
                directory,
                &rules,
                filters.selection.ignore_rules_ignore_case,
            );
            problem = problem.take().or(error);
            matcher
        };
        let selection = filters.selection;
        let rules = DirectoryRules {
            rgignore: read(IGNORE_FILES[0], selection.no_ignore_dot),
            ignore: read(IGNORE_FILES[1], selection.no_ignore_dot),
            gitignore: read(IGNORE_FILES[2], selection.no_ignore_vcs),
        };
        (rules, problem)
    }
}

/// Rules that apply below `directory`. Lines that are no rules are left out.
fn compiled(
    directory: &Path,
    rules: &[u8],
    ignores_case: bool,
) -> (Gitignore, Option<ignore::Error>) {
    let mut builder = GitignoreBuilder::new(Path::new(ROOT).join(directory));
    let mut problem = builder.case_insensitive(ignores_case).err();
    // A byte order mark is no part of the first rule.
    let rules = rules.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rules);
    for line in rules.split(|&byte| byte == b'\n') {
        // What is not UTF-8 ends the file of rules: `ignore` reads it no further.
        let Ok(line) = std::str::from_utf8(line) else {
            break;
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        problem = problem.or(builder.add_line(None, line).err());
    }
    match builder.build() {
        Ok(matcher) => (matcher, problem),
        Err(error) => (Gitignore::empty(), Some(error)),
    }
}

/// A walk below one search root.
struct ListingWalk<'a, 'v> {
    filters: &'a Filters<'a>,
    /// The search root as it was given, and from the root of the tree.
    shown: &'a Path,
    root: &'a Path,
    visit: &'a mut VisitItem<'v>,
}

impl ListingWalk<'_, '_> {
    /// Visits the files below the search root.
    fn start(&mut self, files: &[PathBuf]) -> ControlFlow<()> {
        let filters = self.filters;
        let mut rules = Vec::new();
        if !filters.selection.no_ignore_parent {
            let above: Vec<_> = self.root.ancestors().skip(1).collect();
            for directory in above.into_iter().rev() {
                rules.push(DirectoryRules::read(filters, directory, filters.files.paths()).0);
            }
        }
        let max_depth = filters
            .selection
            .max_depth
            .unwrap_or(MAX_DEPTH)
            .min(MAX_DEPTH);
        // The directories on the way to the current file, each with its files yet to come.
        let mut open: Vec<(PathBuf, &[PathBuf])> = Vec::new();
        if max_depth > 0 {
            rules.push(self.rules(self.root, files)?);
            open.push((self.root.to_path_buf(), files));
        }
        while let Some((directory, files)) = open.last_mut() {
            let Some(first) = files.first() else {
                open.pop();
                rules.pop();
                continue;
            };
            let mut below = first.strip_prefix(&directory).unwrap_or(first).components();
            let name = below.next().map_or(OsStr::new(""), |name| name.as_os_str());
            if below.next().is_none() {
                *files = &files[1..];
                self.file(first, &rules)?;
                continue;
            }
            let inner = directory.join(name);
            let n_below = files.partition_point(|path| path.starts_with(&inner));
            let (inner_files, rest) = files.split_at(n_below);
            *files = rest;
            if open.len() < max_depth && !filters.leaves_out(&inner, true, &rules) {
                rules.push(self.rules(&inner, inner_files)?);
                open.push((inner, inner_files));
            }
        }
        ControlFlow::Continue(())
    }

    /// The rules of a directory. Reports those that cannot be used.
    fn rules(&mut self, directory: &Path, files: &[PathBuf]) -> ControlFlow<(), DirectoryRules> {
        let (rules, problem) = DirectoryRules::read(self.filters, directory, files);
        if let Some(problem) = problem {
            (self.visit)(WalkItem::BrokenRules(problem.to_string()))?;
        }
        ControlFlow::Continue(rules)
    }

    fn file(&mut self, path: &Path, rules: &[DirectoryRules]) -> ControlFlow<()> {
        if self.filters.leaves_out(path, false, rules) {
            return ControlFlow::Continue(());
        }
        if let Some(most) = self.filters.selection.max_filesize {
            let n_bytes = self
                .filters
                .files
                .read(path)
                .map_or(0, |bytes| bytes.len() as u64);
            if n_bytes > most {
                return ControlFlow::Continue(());
            }
        }
        let below = path.strip_prefix(self.root).unwrap_or(path);
        (self.visit)(WalkItem::File(FoundFile {
            shown: self.shown.join(below),
            path: path.to_path_buf(),
            is_named: false,
        }))
    }
}

fn missing() -> io::Error {
    // The text of the operating system, as a missing file on disk has it.
    io::Error::from_raw_os_error(2)
}
