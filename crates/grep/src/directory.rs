//! The working directory, walked as ripgrep walks it: by the `ignore` crate, sorted by file name.

use std::{
    borrow::Cow,
    collections::HashSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, WalkBuilder, overrides::Override, types::Types};

use crate::{
    Error,
    platform::openable,
    selection::Selection,
    tree::{FileContent, FoundFile, PathKind, SearchTree, VisitItem, WalkItem},
};

/// Files on disk, seen from a directory. The current directory of the process does not matter.
#[derive(Debug)]
pub struct WorkingDirectory {
    directory: PathBuf,
    root: PathBuf,
    is_confined: bool,
    skips_stdout: bool,
}

impl WorkingDirectory {
    /// Searches run in `directory`: paths are relative to it, and may lead out of it.
    pub fn new(directory: impl AsRef<Path>) -> io::Result<WorkingDirectory> {
        let directory = dunce::canonicalize(directory.as_ref())?;
        let root = directory.clone();
        Ok(WorkingDirectory {
            directory,
            root,
            is_confined: false,
            skips_stdout: false,
        })
    }

    /// Searches run in `directory` and read nothing outside of `root`, whatever the arguments are.
    pub fn confined(
        root: impl AsRef<Path>,
        directory: impl AsRef<Path>,
    ) -> io::Result<WorkingDirectory> {
        let root = dunce::canonicalize(root.as_ref())?;
        let directory = dunce::canonicalize(root.join(directory))?;
        if !directory.starts_with(&root) {
            return Err(outside());
        }
        Ok(WorkingDirectory {
            directory,
            root,
            is_confined: true,
            skips_stdout: false,
        })
    }

    /// Does not search the file that standard output of this process is redirected to.
    pub fn skip_stdout(mut self) -> WorkingDirectory {
        self.skips_stdout = true;
        self
    }

    /// Whether a path of an argument may be read.
    fn allows(&self, path: &Path) -> bool {
        if !self.is_confined {
            return true;
        }
        match dunce::canonicalize(self.directory.join(path)) {
            Ok(path) => path.starts_with(&self.root),
            // Does not exist, unless it cannot be reached: let the walk say so.
            Err(_) => !path.has_root() && !path.iter().any(|part| part == ".."),
        }
    }

    /// The path of an argument, without `.` in it: filters compare paths as text.
    fn on_disk(&self, given: &Path) -> PathBuf {
        self.directory.join(given).components().collect()
    }

    /// A walk below `root`, and the problems with files of `--ignore-file`.
    fn walk_builder(
        &self,
        selection: &Selection,
        root: &Path,
        (overrides, types): (Override, Types),
    ) -> (WalkBuilder, Vec<ignore::Error>) {
        let mut builder = WalkBuilder::new(root);
        builder.current_dir(&self.directory); // Files of rules that are added next apply there.
        let ignore_files = match selection.no_ignore_files {
            true => &[][..],
            false => &selection.ignore_files,
        };
        let problems = ignore_files
            .iter()
            .filter_map(|path| builder.add_ignore(self.directory.join(path)))
            .collect();
        builder
            .max_depth(selection.max_depth)
            .follow_links(selection.follow_links)
            .max_filesize(selection.max_filesize)
            .same_file_system(selection.one_file_system)
            .skip_stdout(self.skips_stdout && !selection.only_lists)
            .overrides(overrides)
            .types(types)
            .hidden(!selection.hidden)
            .parents(!selection.no_ignore_parent)
            .ignore(!selection.no_ignore_dot)
            .git_global(!selection.no_ignore_vcs && !selection.no_ignore_global)
            .git_ignore(!selection.no_ignore_vcs)
            .git_exclude(!selection.no_ignore_vcs && !selection.no_ignore_exclude)
            .require_git(!selection.no_require_git)
            .ignore_case_insensitive(selection.ignore_rules_ignore_case)
            .sort_by_file_name(|a, b| a.cmp(b));
        if !selection.no_ignore_dot {
            builder.add_custom_ignore_filename(".rgignore");
        }
        (builder, problems)
    }

    /// What an entry of the walk below `root` means for a search.
    fn found(
        &self,
        entry: Result<DirEntry, ignore::Error>,
        root: &WalkRoot<'_>,
    ) -> [Option<WalkItem>; 2] {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return [Some(WalkItem::Failure(root.message(&error))), None],
        };
        let rules = entry
            .error()
            .map(|error| WalkItem::BrokenRules(root.message(error)));
        let is_named = entry.depth() == 0 && !is_directory(&entry);
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let file = (is_named || is_file).then(|| {
            let path = entry.path();
            WalkItem::File(FoundFile {
                shown: root.shown(path),
                path: path.strip_prefix(&self.root).unwrap_or(path).to_path_buf(),
                is_named,
            })
        });
        [rules, file]
    }
}

/// Where a walk starts: the path on disk, and the path that an argument gave.
struct WalkRoot<'a> {
    on_disk: PathBuf,
    given: &'a Path,
}

impl WalkRoot<'_> {
    fn shown(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.on_disk) {
            Ok(below) if below.as_os_str().is_empty() => self.given.to_path_buf(),
            Ok(below) => self.given.join(below),
            Err(_) => path.to_path_buf(),
        }
    }

    /// The text of an error, with paths as the arguments gave them.
    fn message(&self, error: &ignore::Error) -> String {
        let on_disk = self.on_disk.to_string_lossy();
        error
            .to_string()
            .replace(&*on_disk, &self.given.to_string_lossy())
    }
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
        || (entry.path_is_symlink() && entry.path().is_dir())
}

impl SearchTree for WorkingDirectory {
    fn kind(&self, path: &Path) -> PathKind {
        match fs::metadata(self.directory.join(path)) {
            Ok(metadata) if metadata.is_dir() => PathKind::Directory,
            Ok(metadata) if metadata.is_file() => PathKind::File,
            _ => PathKind::Other,
        }
    }

    fn walk(
        &self,
        selection: &Selection,
        _candidates: Option<&HashSet<PathBuf>>,
        visit: &mut VisitItem<'_>,
    ) -> Result<(), Error> {
        if self.is_confined && selection.follow_links {
            return Err(Error::Usage(
                "-L/--follow is not available here: links may lead out of the workspace".to_owned(),
            ));
        }
        let roots = selection.roots();
        if let Some(path) = roots
            .iter()
            .chain(&selection.ignore_files)
            .find(|p| !self.allows(p))
        {
            return Err(Error::Usage(format!("{}: {}", path.display(), outside())));
        }
        let filters = (selection.overrides(&self.directory)?, selection.types()?);
        for (i, root) in roots.iter().enumerate() {
            let given = if selection.paths.is_empty() {
                Path::new("")
            } else {
                root
            };
            let root = WalkRoot {
                on_disk: self.on_disk(root),
                given,
            };
            let (builder, problems) = self.walk_builder(selection, &root.on_disk, filters.clone());
            let problems = problems
                .iter()
                .map(|error| WalkItem::BrokenRules(error.to_string()));
            let walked = builder
                .build()
                .flat_map(|entry| self.found(entry, &root))
                .flatten();
            // Files of `--ignore-file` are the same for every root.
            for found in problems.filter(|_| i == 0).chain(walked) {
                if visit(found).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn open(&self, file: &FoundFile) -> io::Result<FileContent<'_>> {
        File::open(openable(self.root.join(&file.path))).map(FileContent::File)
    }

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        if !self.allows(path) {
            return Err(outside());
        }
        fs::read(openable(self.directory.join(path))).map(Cow::Owned)
    }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "outside of the workspace")
}
