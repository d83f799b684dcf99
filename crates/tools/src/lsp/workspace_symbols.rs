//! `vscode.lsp.workspaceSymbols`: symbols by name, in all workspaces, in pages.

use language_servers::{Document, Limit, Pool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_IN_ALL, documents, epochs, errors, index,
    pages::{self, Cursor},
    servers::{Covered, Inside},
    shapes::{self, Listing, WorkspaceSymbol, count},
};
use crate::{Context, ContractRef, LSP, Tool, ToolError};

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
    const CONTRACT: ContractRef = LSP;
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
            epochs::tuple(
                context.roots(),
                &[
                    gateway.epochs.roots(),
                    epoch.text + gateway.provider_epoch(),
                    epoch.files,
                ],
            )
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
                shapes::settle_workspace_symbols(&mut symbols);
                if symbols.len() > MOST_IN_ALL {
                    return Err(errors::too_many("symbols", MOST_IN_ALL));
                }
                Ok((symbols, covered.label(&sessions).into()))
            },
        )?;
        let next = if page.next_cursor.is_some() {
            " (next page available)"
        } else {
            ""
        };
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
            let within = symbol
                .container_name
                .as_deref()
                .map(|name| format!(" in {name}"))
                .unwrap_or_default();
            listing.place(
                &symbol.location.uri,
                symbol.location.range.start,
                format_args!(" {} (kind {}){within}", symbol.name, symbol.kind),
            );
        }
        if let Some(cursor) = &output.next_cursor {
            listing.line(format_args!("nextCursor: {cursor}"));
        }
        Some(listing.finish())
    }
}
