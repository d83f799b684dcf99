//! `vscode.lsp.workspaceSymbols`: symbols by name, in all workspaces, in pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_IN_ALL, documents, epochs::{self, Epoch}, errors, index,
    pages::{self, Cursor},
    shapes::{self, Listing, WorkspaceSymbol, count},
};
use crate::{Context, Surface, Tool, ToolError};

pub struct WorkspaceSymbols;

/// Symbols of the workspace whose name holds the query.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    #[schemars(length(min = 1, max = 512))]
    query: String,
    /// Default 100, at most 200
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// `nextCursor` of the page before
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    items: Vec<WorkspaceSymbol>,
    next_cursor: Option<String>,
    summary: String,
    #[serde(skip)]
    base: Option<String>,
}

impl Tool for WorkspaceSymbols {
    const NAME: &'static str = "vscode.lsp.workspaceSymbols";
    const SURFACE: Surface = Surface::Lsp;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let query = input.query.trim();
        if query.is_empty() {
            return Err(ToolError::invalid_input("`query` must hold more than blanks"));
        }
        let request_key = pages::request_key(Self::NAME, &[query]);
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let gateway = context.host.gateway();
        let moments = documents::moments(context)?;
        let epoch = moments.iter().map(|moment| gateway.epochs.observe(moment, |_| ())).fold(Epoch::default(), |sum, epoch| sum + epoch);
        let state = epochs::tuple(context.roots(), &[gateway.epochs.roots(), epoch.text, epoch.files]);
        let snapshot_key = pages::snapshot_key(&request_key, &state);
        let page = gateway.pages.page(&request_key, &snapshot_key, cursor.as_ref(), pages::page_size(input.page_size), || {
            let mut symbols = Vec::new();
            for moment in &moments {
                symbols.extend(index::workspace_symbols(context, moment, query)?);
            }
            shapes::settle_workspace_symbols(&mut symbols);
            if symbols.len() > MOST_IN_ALL {
                return Err(errors::too_many("symbols", MOST_IN_ALL));
            }
            Ok(symbols)
        })?;
        let next = if page.next_cursor.is_some() { " (next page available)" } else { "" };
        let summary = format!("Returned {}{next}. {}", count(page.items.len(), "workspace symbol"), documents::provided_by_indexes(&moments));
        Ok(Output { items: page.items, next_cursor: page.next_cursor, summary, base: documents::base(context) })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &output.base);
        for symbol in &output.items {
            let within = symbol.container_name.as_deref().map(|name| format!(" in {name}")).unwrap_or_default();
            listing.place(&symbol.location.uri, symbol.location.range.start, format_args!(" {} (kind {}){within}", symbol.name, symbol.kind));
        }
        if let Some(cursor) = &output.next_cursor {
            listing.line(format_args!("nextCursor: {cursor}"));
        }
        Some(listing.finish())
    }
}
