//! `vscode.lsp.documentSymbols`: the symbols of one document, as one flat list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, index,
    servers::{self, Text},
    shapes::{DocumentSymbol, TextListing, cap, count, within},
};
use crate::{Context, Tool, ToolError};

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
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        documents::keep_servers_in_step(context, &document.workspace)?;
        let text = Text::read(context, &document)?;
        let servers = &context.host.gateway().servers;
        let served = servers.ask(context, &document, |pool, limit| {
            pool.document_symbols(text.document(&document), limit)
        })?;
        let (mut symbols, provider) = served.or_index(
            |value| servers::flatten(&document.uri, value),
            || documents::indexed_alone(context, &document),
            |indexed| index::document_symbols(indexed, &document.uri),
        )?;
        let capped = cap(context, &mut symbols);
        let summary = format!(
            "Returned {}.{capped} {provider}",
            count(symbols.len(), "document symbol")
        );
        Ok(Output { symbols, summary })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &None);
        for symbol in &output.symbols {
            let within = within(&symbol.container_name);
            listing.line(format_args!(
                "{}-{} {} (kind {}){within}",
                symbol.selection_range.start, symbol.range.end, symbol.name, symbol.kind
            ));
        }
        Some(listing.finish())
    }
}
