//! `codecompass lsp`: the language servers that this user's serving processes keep.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{
    found,
    paint::{Paint, bytes, plain},
    session,
};
use crate::language_server_control::{
    self, ControlReply, ControlRequest, ServerAction, ServerEntry,
};

/// Show, restart or stop the language servers of running codecompass processes
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Which,
}

#[derive(Subcommand)]
enum Which {
    /// Show them
    Status(Chosen),
    /// Start them again, also those that crashed or were stopped
    Restart(Chosen),
    /// Stop them until they are restarted; the index answers meanwhile
    Stop(Chosen),
}

#[derive(Args)]
struct Chosen {
    /// Only servers of this name: `gopls`
    server: Option<String>,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (action, chosen) = match arguments.action {
        Which::Status(chosen) => (ServerAction::Status, chosen),
        Which::Restart(chosen) => (ServerAction::Restart, chosen),
        Which::Stop(chosen) => (ServerAction::Stop, chosen),
    };
    let replies = language_server_control::ask(&ControlRequest {
        action,
        server: chosen.server.clone(),
    })?;
    let n_servers: usize = replies.iter().map(|reply| reply.servers.len()).sum();
    if chosen.json {
        session::print_json(&replies)?;
    } else {
        show(&replies, action, chosen.server.as_deref(), n_servers);
    }
    Ok(found(n_servers > 0))
}

fn show(replies: &[ControlReply], action: ServerAction, server: Option<&str>, n_servers: usize) {
    if n_servers == 0 {
        match (replies, server) {
            ([], _) => print_line!(
                "no codecompass process serves now; `codecompass serve-mcp` is started by your client"
            ),
            (_, Some(name)) => print_line!("no language server of the name {name} runs"),
            (_, None) => print_line!(
                "no language server runs; they start with the first question about a trusted workspace"
            ),
        }
        return;
    }
    let n_changed: usize = replies.iter().map(|reply| reply.n_changed).sum();
    match action {
        ServerAction::Status => {}
        ServerAction::Restart => print_line!("restarted: {n_changed}"),
        ServerAction::Stop => print_line!("stopped: {n_changed}"),
    }
    let paint = Paint::stdout();
    for reply in replies.iter().filter(|reply| !reply.servers.is_empty()) {
        print_line!("codecompass process {}", reply.process);
        for kept in &reply.servers {
            print_line!("  {}", line(&paint, kept));
        }
    }
}

fn line(paint: &Paint, kept: &ServerEntry) -> String {
    let state = if kept.state == "ready" {
        paint.good(&kept.state)
    } else {
        kept.state.clone()
    };
    let mut line = format!(
        "{} ({}) {state}, {}",
        kept.server,
        kept.language,
        plain(&kept.root.display().to_string())
    );
    if let Some(process) = kept.process {
        line.push_str(&format!(", process {process}"));
    }
    if let Some(resident) = kept.resident_bytes {
        line.push_str(&format!(", {}", bytes(resident)));
    }
    line.push_str(&format!(", open documents: {}", kept.open_documents));
    if kept.crashes > 0 {
        let last = kept.last_crash.as_deref().map(plain).unwrap_or_default();
        line.push_str(&format!(
            ", crashes in ten minutes: {}, last: {last}",
            kept.crashes
        ));
    }
    if !kept.tested {
        line.push_str(", untested");
    }
    line
}
