//! `code.get_span`: lines of a file as the snapshot has them, numbered.

use answers::span::{LineRange, NoLines, numbered_lines};
use engine::FileId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    budgets,
    envelope::{Confidence, Envelope},
    errors,
    request::{self, Request, Target},
};
use crate::{Context, Tool, ToolError};

pub struct CodeGetSpan;

/// Lines of a file, numbered.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    file_path: String,
    /// From 1.
    start_line: i64,
    /// Included.
    end_line: i64,
    context_lines: Option<i64>,
    max_lines: Option<i64>,
    max_chars: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NumberedSpan {
    pub file_path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub total_file_lines: u32,
    /// Each line after its number: `   42 | public void Submit()`.
    pub content: String,
    /// Something asked for is not shown.
    pub truncated: bool,
}

impl Tool for CodeGetSpan {
    const NAME: &'static str = "code.get_span";
    type Input = Input;
    type Output = Envelope<NumberedSpan>;

    fn run(context: &Context, input: Input) -> Result<Envelope<NumberedSpan>, ToolError> {
        let (first, last) = (input.start_line, input.end_line);
        if first < 1 || last < 1 {
            return Err(errors::invalid("lines are counted from 1"));
        }
        if last < first {
            return Err(errors::invalid(format!(
                "`end_line` {last} is before `start_line` {first}"
            )));
        }
        let lines_of_context = input.context_lines.unwrap_or(0);
        if lines_of_context < 0 {
            return Err(errors::invalid("`context_lines` must not be negative"));
        }
        let request = Request::open(context, &input.at)?;
        let path = request::repo_path(&request.workspace, &input.file_path)?;
        let file = find_file(&request, path.as_str())?;
        let max_lines = request.allow(budgets::LINES, input.max_lines);
        let max_chars = request.allow(budgets::CHARS, input.max_chars);
        let asked = LineRange {
            first,
            last,
            context: lines_of_context,
            max_lines,
            max_chars,
        };
        let span = read(&request, file, &asked)?;
        let answer = said(&span);
        let next = if span.truncated && span.end_line < span.total_file_lines {
            let goes_on = json!({ "file_path": span.file_path, "start_line": span.end_line + 1, "end_line": (span.end_line + 120).min(span.total_file_lines) });
            vec![request.next("code.get_span", "The lines after these.", goes_on)]
        } else {
            Vec::new()
        };
        request.finish(answer, span, Vec::new(), next, Confidence::High)
    }
}

pub fn said(span: &NumberedSpan) -> String {
    let cut = if span.truncated { ", cut short" } else { "" };
    format!(
        "{} lines {}-{} of {}{cut}.",
        span.file_path, span.start_line, span.end_line, span.total_file_lines
    )
}

fn find_file(request: &Request<'_>, path: &str) -> Result<FileId, ToolError> {
    if let Some(file) = request.snapshot().find(path) {
        return Ok(file);
    }
    // Paths are compared without case where only one differs by it.
    let mut alike = request
        .snapshot()
        .files()
        .filter(|(_, file)| file.path.as_str().eq_ignore_ascii_case(path));
    match (alike.next(), alike.next()) {
        (Some((id, _)), None) => Ok(id),
        _ => {
            let name = path.rsplit('/').next().unwrap_or(path);
            let candidates: Vec<&str> = request
                .snapshot()
                .files()
                .filter(|(_, file)| file.path.file_name().eq_ignore_ascii_case(name))
                .map(|(_, file)| file.path.as_str())
                .take(5)
                .collect();
            let skipped = request
                .view
                .skipped
                .iter()
                .find(|skipped| skipped.path.as_str() == path);
            let why = skipped.map_or(
                "is not in this snapshot",
                |_| "is there but not indexed (binary, too large or excluded)",
            );
            let hint = if candidates.is_empty() {
                String::new()
            } else {
                format!("; there is {}", candidates.join(", "))
            };
            Err(errors::not_found(format!("`{path}` {why}{hint}"))
                .with_data(json!({ "file_path": path, "candidates": candidates })))
        }
    }
}

/// The lines of a file, as both tools show them.
pub fn read(
    request: &Request<'_>,
    file: FileId,
    asked: &LineRange,
) -> Result<NumberedSpan, ToolError> {
    let path = request.path(file);
    let found = numbered_lines(request, file, asked).map_err(|reason| match reason {
        NoLines::Unreadable => {
            errors::not_found(format!("the text of `{path}` is gone from git's objects"))
        }
        NoLines::Beyond { n_lines } => {
            let first = asked.first;
            let message = format!("`{path}` has {n_lines} lines: there is no line {first}");
            errors::invalid(message).with_data(json!({ "total_file_lines": n_lines }))
        }
    })?;
    request.shows(file);
    request.rests_on(file);
    Ok(NumberedSpan {
        file_path: path.to_owned(),
        start_line: found.lines.0,
        end_line: found.lines.1,
        total_file_lines: found.n_lines,
        content: found.content,
        truncated: found.is_cut,
    })
}
