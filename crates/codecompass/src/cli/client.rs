//! `codecompass client`: tells MCP clients about this server.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::client::{AGENT_INSTRUCTIONS, Client, ConfigChange, ConfigScope, Launch, SURFACE};

/// Add this server to an MCP client's configuration, or take it out
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: ClientAction,
}

#[derive(Subcommand)]
enum ClientAction {
    /// Write the entry into the client's file
    Add {
        #[command(flatten)]
        place: ClientPlace,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Take the entry out of the client's file
    Remove {
        #[command(flatten)]
        place: ClientPlace,
    },
    /// Show the configuration without writing anything
    Print {
        client: Client,
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Show a block for an agent's instructions: which tool for which question
    Instructions,
}

#[derive(Args)]
struct ClientPlace {
    client: Client,
    /// For all of the user's projects instead of the one in the current directory
    #[arg(long)]
    user: bool,
    /// Another file than the client's usual one
    #[arg(long, value_name = "PATH", conflicts_with = "user")]
    file: Option<PathBuf>,
}

#[derive(Args)]
struct ServerOptions {
    /// Serve this directory; where the client works if none is named
    #[arg(long, value_name = "DIR")]
    workspace: Vec<PathBuf>,
    /// Which tools to list; `agent` unless named
    #[arg(long, value_name = "SURFACE")]
    surface: Option<String>,
}

impl ClientPlace {
    fn path(&self) -> anyhow::Result<PathBuf> {
        match &self.file {
            Some(file) => Ok(file.clone()),
            None => self.client.file(self.scope(), &std::env::current_dir()?),
        }
    }

    fn scope(&self) -> ConfigScope {
        if self.user {
            ConfigScope::User
        } else {
            ConfigScope::Project
        }
    }
}

impl ServerOptions {
    fn launch(&self, client: Client, scope: ConfigScope) -> anyhow::Result<Launch> {
        let mut arguments = vec!["serve-mcp".to_owned()];
        for workspace in &self.workspace {
            let real = dunce::canonicalize(workspace)
                .with_context(|| format!("no directory {}", workspace.display()))?;
            arguments.extend([
                "--workspace".to_owned(),
                real.to_str().context("the path is not Unicode")?.to_owned(),
            ]);
        }
        if let Some(variable) = client
            .workspace_variable()
            .filter(|_| self.workspace.is_empty() && scope == ConfigScope::Project)
        {
            arguments.extend(["--workspace".to_owned(), variable.to_owned()]);
        }
        let surface = self.surface.as_deref().unwrap_or(SURFACE);
        let known = tools::CONTRACTS
            .iter()
            .map(|surface| surface.name())
            .chain(["all"]);
        anyhow::ensure!(
            known.clone().any(|known| known == surface),
            "surfaces are {}",
            known.collect::<Vec<_>>().join(", ")
        );
        arguments.extend(["--surface".to_owned(), surface.to_owned()]);
        Ok(Launch {
            command: command()?,
            arguments,
        })
    }
}

/// The plain name where that starts this very program, because project files travel; its path
/// otherwise.
fn command() -> anyhow::Result<String> {
    let this = dunce::canonicalize(std::env::current_exe()?)?;
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let name = format!("codecompass{}", std::env::consts::EXE_SUFFIX);
    let first = on_path
        .map(|directory| directory.join(&name))
        .find(|candidate| candidate.is_file());
    if first
        .and_then(|found| dunce::canonicalize(found).ok())
        .as_ref()
        == Some(&this)
    {
        return Ok("codecompass".to_owned());
    }
    Ok(this
        .to_str()
        .context("the path of this program is not Unicode")?
        .to_owned())
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.action {
        ClientAction::Add { place, server } => {
            let file = place.path()?;
            let change = place
                .client
                .add(&file, &server.launch(place.client, place.scope())?)?;
            report(change, "added to", "is already in", &file);
        }
        ClientAction::Remove { place } => {
            let file = place.path()?;
            let change = place.client.remove(&file)?;
            report(change, "removed from", "is not in", &file);
        }
        ClientAction::Print { client, server } => {
            print_text!(
                "{}",
                client.configuration(&server.launch(client, ConfigScope::Project)?)
            );
        }
        ClientAction::Instructions => print_text!("{AGENT_INSTRUCTIONS}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn report(change: ConfigChange, made: &str, unchanged: &str, file: &std::path::Path) {
    let what = match change {
        ConfigChange::Made => made,
        ConfigChange::None => unchanged,
    };
    print_line!("codecompass {what} {}", file.display());
}
