//! `vscode.lsp.documentSymbols`: the symbols of one document, as one flat list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, index,
    servers::{self, Served, Text},
    shapes::{DocumentSymbol, Listing, count},
};
use crate::{Context, ContractRef, LSP, Tool, ToolError};

pub struct DocumentSymbols;

/// The symbols of a document, flat, in order of place.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `file:` URI
    #[schemars(length(min = 1))]
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    symbols: Vec<DocumentSymbol>,
    summary: String,
}

impl Tool for DocumentSymbols {
    const NAME: &'static str = "vscode.lsp.documentSymbols";
    const CONTRACT: ContractRef = LSP;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        documents::keep_servers_in_step(context, &document.workspace)?;
        let text = Text::read(context, &document)?;
        let servers = &context.host.gateway().servers;
        let (mut symbols, provider) = match servers.ask(context, &document, |pool, limit| {
            pool.document_symbols(text.document(&document), limit)
        })? {
            Served::Server { value, server } => (
                servers::flatten(&document.uri, value)?,
                format!("Provider: {server}."),
            ),
            Served::Index { why } => {
                let indexed = documents::indexed_alone(context, &document)?;
                (
                    index::document_symbols(&indexed, &document.uri)?,
                    documents::provided_by_index(&indexed.session, why),
                )
            }
        };
        let at_most = context.limits(LSP).items;
        let capped = if symbols.len() > at_most {
            " (Capped.)"
        } else {
            ""
        };
        symbols.truncate(at_most);
        let summary = format!(
            "Returned {}.{capped} {provider}",
            count(symbols.len(), "document symbol")
        );
        Ok(Output { symbols, summary })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &None);
        for symbol in &output.symbols {
            let within = symbol
                .container_name
                .as_deref()
                .map(|name| format!(" in {name}"))
                .unwrap_or_default();
            listing.line(format_args!(
                "{}-{} {} (kind {}){within}",
                symbol.selection_range.start, symbol.range.end, symbol.name, symbol.kind
            ));
        }
        Some(listing.finish())
    }
}
