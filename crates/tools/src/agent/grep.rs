//! `grep`: ripgrep's arguments and output, at any ref, with the symbols around lines.

use std::{ffi::OsString, io::Write};

use answers::{
    across::Sought,
    grep_text::{self, Exit, GrepPlace},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{opened, text::one_line};
use crate::{Context, PlainText, Tool, ToolError, across, tokens};

pub struct Grep;

/// ripgrep, at any `ref` without checkout: its arguments, its output. `--symbols` names the symbol around each line.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    args: Vec<String>,
    r#ref: Option<String>,
    workspace: Option<String>,
}

/// What is shown unless the arguments say otherwise: a path once, numbers, no endless lines.
const DEFAULTS: &[&str] = &[
    "--heading",
    "--line-number",
    "--max-columns=300",
    "--max-columns-preview",
];
const MAX_TOKENS: usize = 6_000;
/// More bytes than this have too many tokens whatever they are.
const MAX_BYTES: usize = 64 * 1024;

impl Tool for Grep {
    const NAME: &'static str = "grep";
    type Input = Input;
    type Output = PlainText;

    fn run(context: &Context, input: Input) -> Result<PlainText, ToolError> {
        let mut arguments: Vec<OsString> = DEFAULTS.iter().map(OsString::from).collect();
        let given = input.args.iter().map(OsString::from);
        let (given, own) = grep_text::own_arguments(given.collect());
        arguments.extend(given);
        let named = input.workspace.or(own.workspace);
        let reference = input.r#ref.or(own.reference);
        let named = named.as_deref();
        match across::several(context, named) {
            Some(names) => {
                let pieces = grep_text::required_pieces(&arguments);
                let sought = Sought::Pieces(&pieces);
                opened::texts_of_several(context, names, sought, |name, n_opened| {
                    let max_tokens = MAX_TOKENS / n_opened;
                    search(
                        context,
                        Some(name),
                        reference.as_deref(),
                        &arguments,
                        max_tokens,
                    )
                })
            }
            None => search(context, named, reference.as_deref(), &arguments, MAX_TOKENS),
        }
    }
}

/// Searches one repository.
fn search(
    context: &Context,
    named: Option<&str>,
    reference: Option<&str>,
    arguments: &[OsString],
    max_tokens: usize,
) -> Result<PlainText, ToolError> {
    let workspace = context
        .workspace(named)
        .map_err(|reason| ToolError::invalid_input(reason.to_string()))?;
    let place = GrepPlace {
        workspace,
        directory: "".into(),
        reference: reference.map(str::trim).filter(|name| !name.is_empty()),
        is_confined: true,
        is_terminal: false,
        name: "grep",
    };
    let (mut out, mut errors) = (Limited::default(), Limited::default());
    let workspaces = context.host.workspaces();
    let exit = grep_text::grep(workspaces, &place, arguments, &mut out, &mut errors)
        .map_err(opened::refused)?;
    context.check()?;
    let messages = String::from_utf8_lossy(&errors.bytes);
    if exit == Exit::Error && out.bytes.is_empty() {
        return Err(ToolError::invalid_input(one_line(&messages)));
    }
    let mut text = out.into_text(max_tokens);
    if text.is_empty() {
        text = "no match\n".to_owned();
    }
    for message in messages.lines().take(5) {
        text += &format!("{message}\n");
    }
    Ok(PlainText(text))
}

/// Takes so many bytes and then no more, which ends the search.
#[derive(Default)]
struct Limited {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.is_full {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        let room = MAX_BYTES - self.bytes.len();
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.is_full = bytes.len() > room;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Limited {
    /// Whole lines up to the limit, and a line that says so.
    fn into_text(self, max_tokens: usize) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let mut shown = String::new();
        let mut left = max_tokens;
        let mut is_cut = self.is_full;
        for line in text.split_inclusive('\n') {
            let cost = tokens::count(line);
            let is_whole = line.ends_with('\n') || !self.is_full;
            if cost > left || !is_whole {
                is_cut = true;
                break;
            }
            left -= cost;
            shown += line;
        }
        if is_cut {
            shown += "left out: the rest; narrow by a path, -g or -m, or list files with -l\n";
        }
        shown
    }
}
