//! `vscode.lsp.workspaceSymbols`: symbols by name, in all workspaces, in pages.

use language_servers::{Document, Limit, Pool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    MOST_IN_ALL, documents, errors, index,
    pages::{PageInput, PagedOutput, PagedQuestion},
    servers::{Covered, Inside},
    shapes::{self, TextListing, WorkspaceSymbol, within},
};
use crate::{Context, Tool, ToolError};

pub struct WorkspaceSymbols;

/// Symbols of the workspace whose name holds the query.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    #[schemars(length(min = 1, max = 512))]
    query: String,
    #[serde(flatten)]
    page: PageInput,
}

impl Tool for WorkspaceSymbols {
    const NAME: &'static str = "vscode.lsp.workspaceSymbols";
    type Input = Input;
    type Output = PagedOutput<WorkspaceSymbol>;

    fn run(context: &Context, input: Input) -> Result<PagedOutput<WorkspaceSymbol>, ToolError> {
        let query = input.query.trim();
        if query.is_empty() {
            return Err(ToolError::invalid_input(
                "`query` must hold more than blanks",
            ));
        }
        let gateway = context.host.gateway();
        let sessions = documents::sessions(context)?;
        let epoch = gateway.observe_all(&sessions)?;
        let question = PagedQuestion {
            tool: Self::NAME,
            fields: &[query],
            item: "workspace symbol",
        };
        question.answer(context, &input.page, epoch, || {
            let (mut symbols, mut covered) = (Vec::new(), Covered::default());
            for session in &sessions {
                let ask = |pool: &Pool, anchor: Document<'_>, limit: &Limit| {
                    pool.workspace_symbols(anchor, query, limit)
                };
                let servers = &gateway.servers;
                servers.ask_all(context, session, &mut covered, ask, |_, found| {
                    symbols.extend(Inside::new(context.roots()).symbols(found));
                    Ok(())
                })?;
                if covered.needs_index() {
                    let mut known = index::workspace_symbols(context, session, query)?;
                    known.retain(|symbol| !covered.covers(&symbol.location.uri));
                    covered.add(&mut symbols, known);
                }
            }
            shapes::sort_workspace_symbols(&mut symbols);
            match symbols.len() > MOST_IN_ALL {
                true => Err(errors::too_many("symbols", MOST_IN_ALL)),
                false => Ok((symbols, covered.label(&sessions).into())),
            }
        })
    }

    fn text(output: &PagedOutput<WorkspaceSymbol>) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &output.base);
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
