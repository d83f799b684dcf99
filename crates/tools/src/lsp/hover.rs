//! `vscode.lsp.hover`: what is known about the symbol at a position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, index,
    servers::{self, Text},
    shapes::{Fragment, Position, Range},
};
use crate::{Context, LSP, Tool, ToolError};

pub struct Hover;

/// Signature and documentation of the symbol at a position.
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
    contents: Vec<Fragment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    summary: String,
}

const MOST_FRAGMENTS: usize = 8;
/// In code points.
const LONGEST_FRAGMENT: usize = 8_192;
/// What else a response holds: the summary, the range, the envelope.
const AROUND: usize = 4 * 1024;

impl Tool for Hover {
    const NAME: &'static str = "vscode.lsp.hover";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        documents::keep_servers_in_step(context, &document.workspace)?;
        let text = Text::read(context, &document)?;
        text.check(input.position)?;
        let servers = &context.host.gateway().servers;
        let served = servers.ask(context, &document, |pool, limit| {
            pool.hover(&text.place(&document, input.position), limit)
        })?;
        let ((contents, range), provider) = served.or_index(
            |value| Ok(servers::hover(value)),
            || documents::indexed(context, &document),
            |indexed| index::hover(context, indexed, indexed.offset(input.position)?),
        )?;
        Ok(answer(context, contents, range, &provider))
    }

    fn text(output: &Output) -> Option<String> {
        let values = output
            .contents
            .iter()
            .map(|fragment| fragment.value.as_str());
        Some(
            std::iter::once(output.summary.as_str())
                .chain(values)
                .collect::<Vec<_>>()
                .join("\n\n"),
        )
    }
}

fn answer(
    context: &Context,
    mut contents: Vec<Fragment>,
    range: Option<Range>,
    provider: &str,
) -> Output {
    contents.retain(|fragment| !fragment.value.is_empty());
    contents.sort_unstable();
    contents.dedup();
    // The text shows the same once more.
    let copies = if context.strict { 1 } else { 2 };
    let is_cut = fit(
        &mut contents,
        (context.limits(LSP).response_bytes - AROUND) / copies,
    );
    let found = if contents.is_empty() {
        "No hover available."
    } else {
        "Hover available."
    };
    let cut = if is_cut { " (Truncated.)" } else { "" };
    Output {
        range: range.filter(|_| !contents.is_empty()),
        contents,
        summary: format!("{found}{cut} {provider}"),
    }
}

/// First the number of fragments, then the length of each, then the last one until all fit. Whether
/// anything was cut.
fn fit(contents: &mut Vec<Fragment>, bytes: usize) -> bool {
    let mut is_cut = contents.len() > MOST_FRAGMENTS;
    contents.truncate(MOST_FRAGMENTS);
    for fragment in contents.iter_mut() {
        if let Some((end, _)) = fragment.value.char_indices().nth(LONGEST_FRAGMENT) {
            fragment.value.truncate(end);
            is_cut = true;
        }
    }
    while written(contents) > bytes {
        is_cut = true;
        let around = written(&contents[..contents.len() - 1]);
        let Some(last) = contents.last_mut() else {
            break;
        };
        let room = bytes.saturating_sub(around + 64);
        last.value.truncate(longest_start(&last.value, room));
        if last.value.is_empty() {
            contents.pop();
        }
    }
    is_cut
}

fn written(contents: &[Fragment]) -> usize {
    serde_json::to_vec(contents).map_or(0, |json| json.len())
}

/// The length of the longest start of a text that needs no more than so many bytes as JSON.
fn longest_start(text: &str, bytes: usize) -> usize {
    let mut room = bytes;
    for (at, character) in text.char_indices() {
        let needed = match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            character if character < ' ' => 6,
            character => character.len_utf8(),
        };
        match room.checked_sub(needed) {
            Some(left) => room = left,
            None => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{super::shapes::FragmentKind, *};

    fn fragments(n: usize, value: &str) -> Vec<Fragment> {
        vec![
            Fragment {
                kind: FragmentKind::Markdown,
                value: value.to_owned()
            };
            n
        ]
    }

    #[test]
    fn fragments_are_cut_in_number_then_in_length_then_to_fit() {
        let mut contents = fragments(9, "a");
        assert!(fit(&mut contents, 10_000));
        assert_eq!(contents.len(), 8);
        assert!(!fit(&mut contents, 10_000));

        let mut contents = fragments(1, &"ä".repeat(9_000));
        assert!(fit(&mut contents, 100_000));
        assert_eq!(contents[0].value.chars().count(), 8_192);

        let mut contents = fragments(8, &"\n".repeat(100));
        assert!(fit(&mut contents, 1_000));
        assert!(written(&contents) <= 1_000);
        assert!(contents.len() < 8);
        let mut contents = fragments(1, &"ä".repeat(1_000));
        assert!(fit(&mut contents, 501));
        assert!(
            contents[0].value.len() > 400,
            "the text is cut, not dropped: {}",
            contents[0].value.len()
        );
        assert!(
            fit(&mut fragments(1, "abc"), 3),
            "even what fits nowhere comes to an end"
        );
    }
}
