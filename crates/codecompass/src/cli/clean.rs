//! `codecompass clean`: removes what can be made again.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use workspace::RepositoryRegistry;

use super::{NOTHING, Settings, paint::bytes, session::DirectoryArg};
use crate::paths;

/// Remove the index of a repository, or everything
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// All indexes, the list of repositories, trust and tokens; your configuration file stays
    #[arg(long)]
    all: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = arguments.place.config(settings)?.workspace_options();
    let registry = RepositoryRegistry::new(&options);
    let removed = if arguments.all {
        let data = options.home.unwrap_or_else(store::home);
        let config = paths::config()?;
        let ours = [
            data.join("repositories"),
            registry.file().to_path_buf(),
            config.join("trust.toml"),
            config.join("http-tokens"),
        ];
        let mut removed = Vec::new();
        for path in ours {
            removed.extend(remove(&path)?);
        }
        removed
    } else {
        let workspace = arguments.place.workspace(settings)?;
        let others = workspace.store().other_processes();
        if others > 0 {
            bail!(
                "{others} other processes use this index; end them first (a server that an editor or agent started)"
            );
        }
        let directory = workspace.index_directory().map(Path::to_path_buf);
        let root = workspace.root().to_path_buf();
        drop(workspace);
        registry.remove(&root)?;
        match directory {
            Some(directory) => remove(&directory)?.into_iter().collect(),
            None => Vec::new(),
        }
    };
    for (path, size) in &removed {
        print_line!("removed {} ({})", path.display(), bytes(*size));
    }
    if removed.is_empty() {
        print_line!("there was nothing to remove");
        return Ok(NOTHING);
    }
    Ok(ExitCode::SUCCESS)
}

/// What was there, and how large it was.
fn remove(path: &Path) -> anyhow::Result<Option<(PathBuf, u64)>> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot remove {}", path.display()));
        }
    };
    let size = size_of(path);
    let removed = if metadata.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.with_context(|| format!("cannot remove {}", path.display()))?;
    Ok(Some((path.to_path_buf(), size)))
}

fn size_of(path: &Path) -> u64 {
    let mut size = 0;
    let mut rest = vec![path.to_path_buf()];
    while let Some(path) = rest.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if metadata.is_dir() {
            rest.extend(
                fs::read_dir(&path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path()),
            );
        } else {
            size += metadata.len();
        }
    }
    size
}
