//! `vscode.lsp.definition`: where the symbol at a position is defined.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, index,
    servers::{Inside, Text},
    shapes::{Location, Position, TextListing, cap, count},
};
use crate::{Context, Tool, ToolError};

pub struct LspDefinition;

/// Where the symbol at a position is defined.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `file:` URI
    #[schemars(length(min = 1))]
    uri: String,
    /// 0-based, UTF-16
    position: Position,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    locations: Vec<Location>,
    summary: String,
    #[serde(skip)]
    base: Option<String>,
}

impl Tool for LspDefinition {
    const NAME: &'static str = "vscode.lsp.definition";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        documents::keep_servers_in_step(context, &document.workspace)?;
        let text = Text::read(context, &document)?;
        let servers = &context.host.gateway().servers;
        text.check(input.position)?;
        let served = servers.ask(context, &document, |pool, limit| {
            pool.definition(&text.place(&document, input.position), limit)
        })?;
        let (mut locations, provider) = served.or_index(
            |value| Ok(Inside::new(context.roots()).locations(value)),
            || documents::indexed(context, &document),
            |indexed| index::definition(context, indexed, indexed.offset(input.position)?),
        )?;
        let capped = cap(context, &mut locations);
        let summary = format!(
            "Found {}.{capped} {provider}",
            count(locations.len(), "definition")
        );
        Ok(Output {
            locations,
            summary,
            base: documents::base(context),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &output.base);
        for location in &output.locations {
            listing.place(&location.uri, location.range.start, "");
        }
        Some(listing.finish())
    }
}
