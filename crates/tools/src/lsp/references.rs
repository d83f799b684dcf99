//! `vscode.lsp.references`: every place that means the symbol at a position, in pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, epochs, index,
    pages::{self, Cursor},
    shapes::{Listing, Location, Position, count},
};
use crate::{Context, Surface, Tool, ToolError};

pub struct References;

/// Every place that refers to the symbol at a position.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// `file:` URI
    #[schemars(length(min = 1))]
    uri: String,
    /// 0-based, UTF-16
    position: Position,
    /// Default false
    include_declaration: Option<bool>,
    /// Default 100, at most 200
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// `nextCursor` of the page before
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    items: Vec<Location>,
    next_cursor: Option<String>,
    summary: String,
    #[serde(skip)]
    base: Option<String>,
}

impl Tool for References {
    const NAME: &'static str = "vscode.lsp.references";
    const SURFACE: Surface = Surface::Lsp;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        let Position { line, character } = input.position;
        let include_declaration = input.include_declaration == Some(true);
        let fields = [document.uri.as_str(), &line.to_string(), &character.to_string(), &include_declaration.to_string()];
        let request_key = pages::request_key(Self::NAME, &fields);
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let indexed = documents::indexed(context, &document)?;
        let gateway = context.host.gateway();
        let epoch = gateway.epochs.observe(&indexed.moment, |_| ());
        let state = epochs::tuple(context.roots(), &[gateway.epochs.roots(), epoch.text, epoch.files]);
        let snapshot_key = pages::snapshot_key(&request_key, &state);
        let offset = indexed.offset(input.position)?;
        let page = gateway.pages.page(&request_key, &snapshot_key, cursor.as_ref(), pages::page_size(input.page_size), || {
            index::references(context, &indexed, offset, include_declaration)
        })?;
        let next = if page.next_cursor.is_some() { " (next page available)" } else { "" };
        let summary = format!("Returned {}{next}. {}", count(page.items.len(), "reference"), documents::provided_by_index(&indexed.moment));
        Ok(Output { items: page.items, next_cursor: page.next_cursor, summary, base: documents::base(context) })
    }

    /// A line per file with its places.
    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &output.base);
        for group in output.items.chunk_by(|one, other| one.uri == other.uri) {
            let places: Vec<String> = group.iter().map(|location| location.range.start.to_string()).collect();
            let path = listing.path(&group[0].uri);
            listing.line(format_args!("{path}:{}", places.join(" ")));
        }
        if let Some(cursor) = &output.next_cursor {
            listing.line(format_args!("nextCursor: {cursor}"));
        }
        Some(listing.finish())
    }
}
