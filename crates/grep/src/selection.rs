//! Which files a search reads: the paths it was given and the filters on what lies below them.

use std::path::{Path, PathBuf};

use ignore::{
    overrides::{Override, OverrideBuilder},
    types::{Types, TypesBuilder},
};

use crate::Error;

/// The paths and filters of a search, as arguments gave them.
#[derive(Debug, Default)]
pub struct Selection {
    /// Files and directories to search, as they were written; the current directory when empty.
    pub paths: Vec<PathBuf>,
    pub globs: Vec<String>,
    pub case_insensitive_globs: Vec<String>,
    pub globs_ignore_case: bool,
    pub type_changes: Vec<TypeChange>,
    pub hidden: bool,
    pub follow_links: bool,
    pub one_file_system: bool,
    pub max_depth: Option<usize>,
    pub max_filesize: Option<u64>,
    pub ignore_files: Vec<PathBuf>,
    pub ignore_rules_ignore_case: bool,
    pub no_ignore_dot: bool,
    pub no_ignore_exclude: bool,
    pub no_ignore_files: bool,
    pub no_ignore_global: bool,
    pub no_ignore_parent: bool,
    pub no_ignore_vcs: bool,
    pub no_require_git: bool,
    /// `--files`: the content of files does not matter, so that also the file that the output goes
    /// to is one of them.
    pub only_lists: bool,
    /// How often `-u` was given.
    pub unrestricted: usize,
}

/// A change to the file types or to which of them are searched, in the order of the arguments.
#[derive(Debug)]
pub enum TypeChange {
    Clear(String),
    Add(String),
    Select(String),
    Negate(String),
}

impl Selection {
    /// `--no-ignore` and its opposite.
    pub(crate) fn ignores_nothing(&mut self, on: bool) {
        self.no_ignore_dot = on;
        self.no_ignore_exclude = on;
        self.no_ignore_global = on;
        self.no_ignore_parent = on;
        self.no_ignore_vcs = on;
    }

    /// The directories and files where the search starts. Without a path this is `./`, which is
    /// then left out of the paths that are printed.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() {
            vec![PathBuf::from("./")]
        } else {
            self.paths.clone()
        }
    }

    /// Reports globs and types that cannot be used.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.types()?;
        self.overrides(Path::new("/"))?;
        Ok(())
    }

    /// The matcher of `-t`, `-T` and their relatives.
    pub fn types(&self) -> Result<Types, Error> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        for change in &self.type_changes {
            match change {
                TypeChange::Clear(name) => builder.clear(name),
                TypeChange::Add(definition) => {
                    builder.add_def(definition)?;
                    &mut builder
                }
                TypeChange::Select(name) => builder.select(name),
                TypeChange::Negate(name) => builder.negate(name),
            };
        }
        Ok(builder.build()?)
    }

    /// The matcher of `-g` and `--iglob`, for a search that runs in `directory`.
    pub fn overrides(&self, directory: &Path) -> Result<Override, Error> {
        if self.globs.is_empty() && self.case_insensitive_globs.is_empty() {
            return Ok(Override::empty());
        }
        let mut builder = OverrideBuilder::new(directory);
        builder.case_insensitive(self.globs_ignore_case)?;
        for glob in &self.globs {
            builder.add(glob)?;
        }
        // Applies to the globs that are added from here on.
        builder.case_insensitive(true)?;
        for glob in &self.case_insensitive_globs {
            builder.add(glob)?;
        }
        Ok(builder.build()?)
    }
}
