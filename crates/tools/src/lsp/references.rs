//! `vscode.lsp.references`: every place that means the symbol at a position, in pages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    MOST_IN_ALL, documents, errors, index,
    pages::{PageInput, PagedOutput, PagedQuestion},
    servers::{Inside, Text},
    shapes::{Location, Position, TextListing},
};
use crate::{Context, Tool, ToolError};

pub struct LspReferences;

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
    #[serde(flatten)]
    page: PageInput,
}

impl Tool for LspReferences {
    const NAME: &'static str = "vscode.lsp.references";
    type Input = Input;
    type Output = PagedOutput<Location>;

    fn run(context: &Context, input: Input) -> Result<PagedOutput<Location>, ToolError> {
        let document = documents::find(context, &input.uri)?;
        let Position { line, character } = input.position;
        let include_declaration = input.include_declaration == Some(true);
        let fields = [
            document.uri.as_str(),
            &line.to_string(),
            &character.to_string(),
            &include_declaration.to_string(),
        ];
        let session = documents::session(context, &document.workspace)?;
        let gateway = context.host.gateway();
        let epoch = gateway.observe(&session)?;
        let question = PagedQuestion {
            tool: Self::NAME,
            fields: &fields,
            item: "reference",
        };
        question.answer(context, &input.page, epoch, || {
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
        })
    }

    /// A line per file with its places.
    fn text(output: &PagedOutput<Location>) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &output.base);
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
