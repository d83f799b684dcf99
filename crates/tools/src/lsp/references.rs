//! `vscode.lsp.references`: every place that means the symbol at a position, in pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_IN_ALL, documents, errors, index,
    pages::{self, Cursor},
    servers::{Inside, Text},
    shapes::{Listing, Location, Position, count},
};
use crate::{Context, Tool, ToolError};

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
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        let Position { line, character } = input.position;
        let include_declaration = input.include_declaration == Some(true);
        let fields = [
            document.uri.as_str(),
            &line.to_string(),
            &character.to_string(),
            &include_declaration.to_string(),
        ];
        let request_key = pages::request_key(Self::NAME, &fields);
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let session = documents::session(context, &document.workspace)?;
        let gateway = context.host.gateway();
        let epoch = gateway.observe(&session)?;
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
                let text = Text::read(context, &document)?;
                text.check(input.position)?;
                let place = text.place(&document, input.position);
                let too_many = || errors::too_many("references", MOST_IN_ALL);
                let served = gateway.servers.ask(context, &document, |pool, limit| {
                    pool.references(&place, include_declaration, limit)
                })?;
                let (locations, provider) = served.or_index(
                    |value| match value.len() > 4 * MOST_IN_ALL {
                        true => Err(too_many()),
                        false => Ok(Inside::new(context.roots()).locations(value)),
                    },
                    || documents::located(&document, &session),
                    |indexed| {
                        let offset = indexed.offset(input.position)?;
                        index::references(context, indexed, offset, include_declaration)
                    },
                )?;
                match locations.len() > MOST_IN_ALL {
                    true => Err(too_many()),
                    false => Ok((locations, provider.into())),
                }
            },
        )?;
        let next = page.next_note();
        let summary = format!(
            "Returned {}{next}. {}",
            count(page.items.len(), "reference"),
            page.origin.provider
        );
        Ok(Output {
            items: page.items,
            next_cursor: page.next_cursor,
            summary,
            base: documents::base(context),
        })
    }

    /// A line per file with its places.
    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &output.base);
        for group in output.items.chunk_by(|one, other| one.uri == other.uri) {
            let places: Vec<String> = group
                .iter()
                .map(|location| location.range.start.to_string())
                .collect();
            let path = listing.path(&group[0].uri);
            listing.line(format_args!("{path}:{}", places.join(" ")));
        }
        listing.field("nextCursor", &output.next_cursor);
        Some(listing.finish())
    }
}
