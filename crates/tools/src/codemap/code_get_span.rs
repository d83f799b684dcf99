//! `code.get_span`: lines of a file as the snapshot has them, numbered.

use engine::FileId;
use facts::LineIndex;
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
pub struct Span {
    pub file_path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub total_file_lines: u32,
    /// Each line after its number: `   42 | public void Submit()`.
    pub content: String,
    /// Something asked for is not shown.
    pub truncated: bool,
}

/// Lines asked for, and how many of them may be shown.
pub struct Lines {
    pub first: i64,
    pub last: i64,
    pub context: i64,
    pub max_lines: usize,
    pub max_chars: usize,
}

impl Tool for CodeGetSpan {
    const NAME: &'static str = "code.get_span";
    type Input = Input;
    type Output = Envelope<Span>;

    fn run(context: &Context, input: Input) -> Result<Envelope<Span>, ToolError> {
        let (first, last) = (input.start_line, input.end_line);
        if first < 1 || last < 1 {
            return Err(errors::invalid("lines are counted from 1"));
        }
        if last < first {
            return Err(errors::invalid(format!(
                "`end_line` {last} stands before `start_line` {first}"
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
        let asked = Lines {
            first,
            last,
            context: lines_of_context,
            max_lines,
            max_chars,
        };
        let (span, confidence) = read(&request, file, &asked)?;
        let answer = said(&span);
        let next = if span.truncated && span.end_line < span.total_file_lines {
            let goes_on = json!({ "file_path": span.file_path, "start_line": span.end_line + 1, "end_line": (span.end_line + 120).min(span.total_file_lines) });
            vec![request.next("code.get_span", "The lines after these.", goes_on)]
        } else {
            Vec::new()
        };
        request.finish(answer, span, Vec::new(), next, confidence)
    }
}

pub fn said(span: &Span) -> String {
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

/// The lines, cut at the end of the file, after `max_lines`, and where they would hold more than
/// `max_chars`.
pub fn read(
    request: &Request<'_>,
    file: FileId,
    asked: &Lines,
) -> Result<(Span, Confidence), ToolError> {
    let text = request.text(file).ok_or_else(|| {
        errors::not_found(format!(
            "the text of `{}` is gone from git's objects",
            request.path(file)
        ))
    })?;
    let index = request
        .facts(file)
        .map_or_else(|| LineIndex::new(&text), |facts| facts.lines.clone());
    let total = if text.is_empty() { 0 } else { index.n_lines() };
    if asked.first > i64::from(total.max(1)) {
        let message = format!(
            "`{}` has {total} lines: nothing stands at line {}",
            request.path(file),
            asked.first
        );
        return Err(errors::invalid(message).with_data(json!({ "total_file_lines": total })));
    }
    request.shows(file);
    request.rests_on(file);
    let first = (asked.first - asked.context).max(1) as u32;
    let wanted_last = asked
        .last
        .saturating_add(asked.context)
        .min(i64::from(total)) as u32;
    let last = wanted_last.min(
        first
            .saturating_add(asked.max_lines as u32)
            .saturating_sub(1),
    );
    let mut content = String::new();
    let mut shown = first.saturating_sub(1);
    let mut is_cut = last < wanted_last || asked.last > i64::from(total);
    for number in first..=last {
        let line = index
            .line_span(number - 1)
            .unwrap_or_default()
            .text(&text)
            .trim_end_matches('\r');
        let numbered = format!("{number:>5} | {line}\n");
        let room = asked.max_chars.saturating_sub(content.chars().count());
        if numbered.chars().count() > room {
            is_cut = true;
            // One line that is too long by itself shows its beginning.
            if content.is_empty() {
                content.extend(numbered.chars().take(room));
                shown = number;
            }
            break;
        }
        content.push_str(&numbered);
        shown = number;
    }
    let span = Span {
        file_path: request.path(file).to_owned(),
        start_line: first,
        end_line: shown,
        total_file_lines: total,
        content,
        truncated: is_cut,
    };
    Ok((span, Confidence::High))
}
