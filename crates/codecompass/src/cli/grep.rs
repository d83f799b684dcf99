//! `codecompass grep`: ripgrep's arguments and output, also at a commit or an overlay.
//!
//! Every flag behind `grep` is ripgrep's, so that the command line of this program is not asked:
//! `main` hands all of it over.

use std::{
    ffi::OsString,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use answers::grep_text::{self, GrepPlace, OwnArguments};
use anyhow::Context as _;
use clap::Args;
use tools::Host;

use super::Settings;
use crate::host::{self, Directories, HostOptions};

/// Search text with ripgrep's arguments, at any commit
#[derive(Args)]
pub struct Arguments {
    /// ripgrep's, and `--ref REF`, `--path DIR`, `--symbols`
    #[arg(
        value_name = "ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<OsString>,
}

const NAME: &str = "codecompass grep";

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (arguments, own) = grep_text::own_arguments(arguments.arguments);
    let is_terminal = std::io::stdout().is_terminal();
    let (mut out, mut errors) = (std::io::stdout(), std::io::stderr());
    let needs_index = own.reference.is_some() || arguments.iter().any(|flag| flag == "--symbols");
    let exit = if needs_index {
        let searched = Searched::of(&own, settings)?;
        let workspaces = searched.host.workspaces();
        let workspace = workspaces.find(None)?;
        let directory = searched.below(workspace.root());
        let place = GrepPlace {
            workspace,
            directory,
            reference: own.reference.as_deref(),
            is_confined: false,
            is_terminal,
            name: NAME,
        };
        grep_text::grep(workspaces, &place, &arguments, &mut out, &mut errors)?
    } else {
        let directory = own.workspace.as_deref().unwrap_or(".");
        grep_text::grep_disk(
            Path::new(directory),
            NAME,
            is_terminal,
            &arguments,
            (&mut out, &mut errors),
        )
        .with_context(|| format!("no directory {directory}"))?
    };
    let asks_for_help = |first: &OsString| first == "--help" || first == "-h";
    if arguments.first().is_some_and(asks_for_help) {
        print_line!("\n{OWN_FLAGS}");
    }
    Ok(ExitCode::from(exit.status()))
}

/// What `--help` says beside ripgrep's flags.
const OWN_FLAGS: &str = "Not ripgrep's:
      --ref REF                          Search a branch, tag or commit, without a checkout
      --path DIR                         Search another directory";

/// The repository, and where in it the search runs.
struct Searched {
    host: Directories,
    directory: PathBuf,
}

impl Searched {
    fn of(own: &OwnArguments, settings: &Settings) -> anyhow::Result<Searched> {
        let directory = match &own.workspace {
            Some(directory) => PathBuf::from(directory),
            None => std::env::current_dir()?,
        };
        let root = match &own.workspace {
            Some(_) => directory.clone(),
            None => host::enclosing_project()
                .context("this is no project directory; name one with --workspace DIR")?,
        };
        let config = settings.config(Some(&root))?;
        let options = HostOptions {
            workspaces: vec![root],
            config,
            ..HostOptions::default()
        };
        let host = Directories::new(options)?;
        Ok(Searched { host, directory })
    }

    fn below(&self, root: &Path) -> PathBuf {
        let real = dunce::canonicalize(&self.directory).ok();
        let below = real
            .as_deref()
            .and_then(|real| real.strip_prefix(root).ok());
        below.map(Path::to_path_buf).unwrap_or_default()
    }
}
