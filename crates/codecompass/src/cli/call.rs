//! `codecompass call`: one tool, from the same registry that the server lists.

use std::{
    io::{IsTerminal, Read, Write},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};
use tools::{CONTRACTS, Context, Progress, Registry, ServerFacts, contract::Wire};

use super::{ERROR, Settings, serve_mcp::WorkspaceOptions, session};

/// Call a tool and print its answer
#[derive(Args)]
pub struct Arguments {
    /// As the server lists it, or as its contract spells it
    #[arg(required_unless_present = "list")]
    tool: Option<String>,
    /// The arguments as JSON; `-` reads them from stdin
    #[arg(long, value_name = "ARGS", default_value = "{}")]
    json: String,
    /// Show the tools instead
    #[arg(long)]
    list: bool,
    #[arg(long)]
    strict_contract: bool,
    #[command(flatten)]
    workspaces: WorkspaceOptions,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let registry = Registry::of(&CONTRACTS);
    if arguments.list {
        let mut output = std::io::stdout().lock();
        for entry in registry.entries() {
            let first = entry.description.lines().next().unwrap_or_default();
            writeln!(
                output,
                "{}\t{first}",
                entry.listed_name(arguments.strict_contract)
            )?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let name = arguments.tool.unwrap_or_default();
    let Some(entry) = registry.find(&name) else {
        match registry.nearest(&name) {
            Some(nearest) => bail!("no tool `{name}`; did you mean `{nearest}`?"),
            None => bail!("no tool `{name}`; `codecompass call --list` shows all"),
        }
    };
    let call: Value = match arguments.json.as_str() {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            serde_json::from_str(&text)
        }
        text => serde_json::from_str(text),
    }
    .context("the arguments are not JSON")?;

    let host = Arc::new(arguments.workspaces.host(settings)?);
    let server = ServerFacts {
        version: env!("CARGO_PKG_VERSION"),
        started: Instant::now(),
        transport: "cli",
    };
    let mut context = Context::quiet(host, Arc::new(server));
    context.strict = arguments.strict_contract;
    if std::io::stderr().is_terminal() {
        context.progress =
            Progress::to(|update| eprintln!("{}", update.message.unwrap_or_default()));
    }
    let error = match tools::invoke(entry, &context, call) {
        Ok(answer) => {
            session::print_answer(&answer)?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => error,
    };
    match entry.contract.fail(&error, context.strict) {
        Wire::Failure { text } => eprintln!("{text}"),
        Wire::ProtocolError {
            code,
            message,
            data,
        } => {
            let error = json!({ "code": code, "message": message, "data": data });
            eprintln!("{error}");
        }
    }
    Ok(ExitCode::from(ERROR))
}
