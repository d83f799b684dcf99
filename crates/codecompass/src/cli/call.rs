//! `codecompass call`: one tool, from the same registry that the server lists.

use std::{
    io::{IsTerminal, Read, Write},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};
use tools::{Context, Entry, Host, Progress, Registry, ServerFacts, contract::Wire};

use super::{
    ERROR, Settings,
    serve_mcp::{SurfaceChoice, WorkspaceOptions},
    session,
};

/// The argument of CodeMap's tools that names a repository.
const REPOSITORY: &str = "repo_path";

/// Call a tool and print its answer
#[derive(Args)]
pub struct Arguments {
    /// As the server lists it, or as its contract spells it
    #[arg(required_unless_present_any = ["list", "help"])]
    tool: Option<String>,
    /// The arguments as JSON; `-` reads them from stdin
    #[arg(value_name = "ARGS", conflicts_with = "json")]
    arguments: Option<String>,
    /// The same as ARGS: the arguments, and not how the answer is printed
    #[arg(long, value_name = "ARGS")]
    json: Option<String>,
    /// Of which set the tool is, where several have one of the name
    #[arg(long, value_enum, default_value_t = SurfaceChoice::All)]
    surface: SurfaceChoice,
    /// Show the tools instead, one line each; the arguments of one that is named
    #[arg(long)]
    list: bool,
    /// Show the arguments of the tool, or this text
    #[arg(short, long)]
    help: bool,
    /// The contracts' exact names, errors and contents
    #[arg(long)]
    strict_contract: bool,
    #[command(flatten)]
    workspaces: WorkspaceOptions,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let registry = Registry::of(arguments.surface.contracts());
    let strict = arguments.strict_contract;
    match &arguments.tool {
        None if arguments.list => {
            let mut output = std::io::stdout().lock();
            let entries = registry.entries().iter();
            for entry in entries.filter(|entry| entry.is_listed(strict)) {
                let first = entry.description.lines().next().unwrap_or_default();
                let sentence = first
                    .split_once(". ")
                    .map_or(first, |(sentence, _)| sentence);
                writeln!(output, "{}\t{sentence}", entry.listed_name(strict))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        None if arguments.help => {
            let mut command = super::command();
            if let Some(call) = command.find_subcommand_mut("call") {
                let name = "codecompass call".to_owned();
                call.clone().bin_name(name).print_long_help()?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let name = arguments.tool.unwrap_or_default();
    let Some(entry) = registry.find(&name) else {
        match registry.nearest(&name) {
            Some(nearest) => bail!("no tool `{name}`; did you mean `{nearest}`?"),
            None => bail!("no tool `{name}`; `codecompass call --list` shows all"),
        }
    };
    if arguments.help || arguments.list {
        let text = described(entry, strict);
        std::io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let written = arguments.arguments.or(arguments.json);
    let mut call: Value = match written.as_deref().unwrap_or("{}") {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            serde_json::from_str(&text)
        }
        text => serde_json::from_str(text),
    }
    .with_context(|| {
        format!("the arguments are not JSON; `codecompass call {name} --help` lists them")
    })?;

    let host = Arc::new(arguments.workspaces.host(settings)?);
    if !strict {
        add_repository(entry, host.workspaces().registered(), &mut call);
    }
    let server = ServerFacts {
        version: env!("CARGO_PKG_VERSION"),
        started: Instant::now(),
        transport: "cli",
    };
    let mut context = Context::quiet(host, Arc::new(server));
    context.strict = strict;
    context.is_patient = true;
    if std::io::stderr().is_terminal() {
        context.progress =
            Progress::to(|update| eprintln!("{}", update.message.unwrap_or_default()));
    }
    let error = match tools::invoke(entry, &context, call) {
        Ok(answer) => {
            session::print_answer(&answer)?;
            if context.cold.was_used() && !context.cold.was_refused() {
                session::note_cold();
            }
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => error,
    };
    match entry.contract.fail(&error, context.strict) {
        Wire::Failure { text } => eprintln!("{}", text.trim_end()),
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

/// Names the repository for tools that require it in every call: in a shell, it is the one around.
fn add_repository(entry: &Entry, workspaces: &[PathBuf], call: &mut Value) {
    let schema = entry.listed_input_schema(false);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|name| name == REPOSITORY));
    if let (true, Value::Object(fields), [workspace]) = (is_required, call, workspaces)
        && !fields.contains_key(REPOSITORY)
    {
        fields.insert(REPOSITORY.to_owned(), json!(workspace));
    }
}

/// A tool with its arguments, one line each.
fn described(entry: &Entry, strict: bool) -> String {
    let mut text = format!("{}: {}\n", entry.listed_name(strict), entry.description);
    let schema = entry.listed_input_schema(strict);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        // See `add_repository`.
        let may_be_absent = name == REPOSITORY && !strict;
        let is_required = required.contains(&name.as_str()) && !may_be_absent;
        text += &format!("  {name} {}\n", about(field, is_required));
        let inner = field["items"]["properties"].as_object();
        for (name, field) in inner.into_iter().flatten() {
            text += &format!("    {name} {}\n", about(field, false));
        }
    }
    text
}

/// The type of an argument and what it is for: `(integer, required)  Tokens`.
fn about(field: &Value, is_required: bool) -> String {
    let must = if is_required { ", required" } else { "" };
    let note = field["description"].as_str().map_or(String::new(), |note| {
        format!("  {}", note.replace('\n', " "))
    });
    format!("({}{must}){note}", type_words(field))
}

/// `string`, `list of string`, `one of a, b`.
fn type_words(field: &Value) -> String {
    let options = field["enum"].as_array();
    if let Some(options) = options {
        let options = options.iter().filter_map(Value::as_str);
        return format!("one of {}", options.collect::<Vec<_>>().join(", "));
    }
    match field["type"].as_str() {
        Some("array") => format!("list of {}", type_words(&field["items"])),
        Some(word) => word.to_owned(),
        None => "any".to_owned(),
    }
}
