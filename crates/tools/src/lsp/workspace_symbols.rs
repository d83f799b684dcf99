//! `vscode.lsp.workspaceSymbols`: symbols by name, in all workspaces, in pages.

use language_servers::{Document, Limit, Pool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_IN_ALL, documents, errors, index,
    pages::{self, Cursor},
    servers::{Covered, Inside},
    shapes::{self, Listing, WorkspaceSymbol, count, within},
};
use crate::{Context, Tool, ToolError};

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
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let query = input.query.trim();
        if query.is_empty() {
            return Err(ToolError::invalid_input(
                "`query` must hold more than blanks",
            ));
        }
        let request_key = pages::request_key(Self::NAME, &[query]);
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let gateway = context.host.gateway();
        let sessions = documents::sessions(context)?;
        let epoch = gateway.observe_all(&sessions)?;
        let state = || {
            let text = epoch.text + gateway.provider_epoch();
            gateway.state(context.roots(), [text, epoch.files])
        };
        let page = gateway.pages.page(
            &request_key,
            state,
            cursor.as_ref(),
            pages::page_size(context, input.page_size),
            || {
                let (mut symbols, mut covered) = (Vec::new(), Covered::default());
                for session in &sessions {
                    let question = |pool: &Pool, anchor: Document<'_>, limit: &Limit| {
                        pool.workspace_symbols(anchor, query, limit)
                    };
                    gateway.servers.ask_all(
                        context,
                        session,
                        &mut covered,
                        question,
                        |_, found| {
                            symbols.extend(Inside::new(context.roots()).symbols(found));
                            Ok(())
                        },
                    )?;
                    if covered.needs_index() {
                        let mut known = index::workspace_symbols(context, session, query)?;
                        known.retain(|symbol| !covered.covers(&symbol.location.uri));
                        covered.add(&mut symbols, known);
                    }
                }
                shapes::sort_workspace_symbols(&mut symbols);
                if symbols.len() > MOST_IN_ALL {
                    return Err(errors::too_many("symbols", MOST_IN_ALL));
                }
                Ok((symbols, covered.label(&sessions).into()))
            },
        )?;
        let next = page.next_note();
        let summary = format!(
            "Returned {}{next}. {}",
            count(page.items.len(), "workspace symbol"),
            page.origin.provider
        );
        Ok(Output {
            items: page.items,
            next_cursor: page.next_cursor,
            summary,
            base: documents::base(context),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &output.base);
        for symbol in &output.items {
            let within = within(&symbol.container_name);
            listing.place(
                &symbol.location.uri,
                symbol.location.range.start,
                format_args!(" {} (kind {}){within}", symbol.name, symbol.kind),
            );
        }
        listing.field("nextCursor", &output.next_cursor);
        Some(listing.finish())
    }
}
