//! `vscode.lsp.diagnostics.workspace`: what is wrong in all workspaces, in pages of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_FILES, MOST_ITEMS, diagnostics_document, documents, epochs::{self, Epoch}, errors, index,
    pages::{self, Cursor},
    shapes::{FileDiagnostics, Listing, count},
};
use crate::{Context, Surface, Tool, ToolError};

pub struct WorkspaceDiagnostics;

/// Errors and warnings of the workspace, by file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// Files; default 100, at most 200
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// `nextCursor` of the page before
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    items: Vec<FileDiagnostics>,
    next_cursor: Option<String>,
    summary: String,
    #[serde(skip)]
    base: Option<String>,
}

/// A file as it is kept between pages: one diagnostic more than is shown tells that some were left out.
type Kept = FileDiagnostics;

impl Tool for WorkspaceDiagnostics {
    const NAME: &'static str = "vscode.lsp.diagnostics.workspace";
    const SURFACE: Surface = Surface::Lsp;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let request_key = pages::request_key(Self::NAME, &[]);
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let gateway = context.host.gateway();
        let moments = documents::moments(context)?;
        let epoch = moments.iter().map(|moment| gateway.epochs.observe(moment, |_| ())).fold(Epoch::default(), |sum, epoch| sum + epoch);
        // The parser's diagnostics change with the texts, and with nothing else.
        let state = epochs::tuple(context.roots(), &[gateway.epochs.roots(), epoch.files, epoch.text]);
        let snapshot_key = pages::snapshot_key(&request_key, &state);
        let page = gateway.pages.page(&request_key, &snapshot_key, cursor.as_ref(), pages::page_size(input.page_size), || {
            let mut files = Vec::new();
            for moment in &moments {
                files.extend(index::workspace_diagnostics(context, moment)?);
            }
            canonical(files)
        })?;
        let mut items = page.items;
        let is_capped = items.iter_mut().fold(false, |capped, file| {
            let more = file.diagnostics.len() > MOST_ITEMS;
            file.diagnostics.truncate(MOST_ITEMS);
            capped || more
        });
        let notes = match (page.next_cursor.is_some(), is_capped) {
            (false, false) => "",
            (true, false) => " (next page available)",
            (false, true) => " (Capped)",
            (true, true) => " (next page available; Capped)",
        };
        let summary = format!("Returned diagnostics for {}{notes}. {}", count(items.len(), "file"), documents::provided_by_indexes(&moments));
        Ok(Output { items, next_cursor: page.next_cursor, summary, base: documents::base(context) })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &output.base);
        for file in &output.items {
            let path = listing.path(&file.uri);
            for diagnostic in &file.diagnostics {
                listing.line(format_args!("{path}:{}", diagnostics_document::line(diagnostic)));
            }
        }
        if let Some(cursor) = &output.next_cursor {
            listing.line(format_args!("nextCursor: {cursor}"));
        }
        Some(listing.finish())
    }
}

/// In order of URI, one entry per file.
fn canonical(mut files: Vec<FileDiagnostics>) -> Result<Vec<Kept>, ToolError> {
    files.sort_by(|a, b| a.uri.cmp(&b.uri));
    // Workspaces inside each other share files.
    files.dedup_by(|a, b| a.uri == b.uri);
    if files.len() > MOST_FILES {
        return Err(errors::too_many("files with diagnostics", MOST_FILES));
    }
    for file in &mut files {
        file.diagnostics.truncate(MOST_ITEMS + 1);
    }
    Ok(files)
}
