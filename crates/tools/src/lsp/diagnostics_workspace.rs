//! `vscode.lsp.diagnostics.workspace`: what is wrong in all workspaces, in pages of files.

use answers::Session;
use language_servers::{Document, Limit, Pool};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_FILES, diagnostics_document, documents, errors, index,
    pages::{self, Cursor, ListOrigin},
    servers::{Covered, Inside},
    shapes::{FileDiagnostics, TextListing, count},
};
use crate::{Context, LSP, Tool, ToolError, path_of_uri};

pub struct WorkspaceDiagnostics;

/// Errors and warnings of the workspace, by file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// Files; default 100, at most 200
    #[schemars(range(min = 1))]
    page_size: Option<u64>,
    /// `nextCursor` of the page before
    cursor: Option<String>,
    /// `token` of an earlier answer: only what is new since then
    since: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    items: Vec<FileDiagnostics>,
    next_cursor: Option<String>,
    summary: String,
    /// For `since`
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(skip)]
    base: Option<String>,
}

impl Tool for WorkspaceDiagnostics {
    const NAME: &'static str = "vscode.lsp.diagnostics.workspace";
    const OWN_FIELDS: &'static [&'static str] = &["since", "token"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let request_key = pages::request_key(
            Self::NAME,
            &input.since.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let cursor = Cursor::read(input.cursor.as_deref(), &request_key)?;
        let gateway = context.host.gateway();
        let sessions = documents::sessions(context)?;
        let epoch = gateway.observe_all(&sessions)?;
        // The parser's diagnostics change with the texts, a server's when it publishes others.
        let state = || {
            let published = epoch.text + gateway.published_epoch();
            gateway.state(context.roots(), [epoch.files, published])
        };
        let page = gateway.pages.page(
            &request_key,
            state,
            cursor.as_ref(),
            pages::page_size(context, input.page_size),
            || {
                let (mut files, mut covered) = (Vec::new(), Covered::default());
                for session in &sessions {
                    files.extend(found(context, session, &mut covered)?);
                }
                let files = canonical(files)?;
                let token = (!context.strict).then(|| gateway.baselines.keep(&files));
                let origin = ListOrigin {
                    provider: covered.label(&sessions),
                    token,
                };
                match &input.since {
                    Some(since) => Ok((gateway.baselines.only_new(since, files)?, origin)),
                    None => Ok((files, origin)),
                }
            },
        )?;
        let ListOrigin { provider, token } = page.origin;
        let mut items = page.items;
        let at_most = context.limits(LSP).items;
        let is_capped = items.iter_mut().fold(false, |capped, file| {
            let more = file.diagnostics.len() > at_most;
            file.diagnostics.truncate(at_most);
            capped || more
        });
        let notes = match (page.next_cursor.is_some(), is_capped) {
            (false, false) => "",
            (true, false) => " (next page available)",
            (false, true) => " (Capped)",
            (true, true) => " (next page available; Capped)",
        };
        let new = if input.since.is_some() { "new " } else { "" };
        let summary = format!(
            "Returned {new}diagnostics for {}{notes}. {}",
            count(items.len(), "file"),
            provider
        );
        Ok(Output {
            items,
            next_cursor: page.next_cursor,
            summary,
            token,
            base: documents::base(context),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &output.base);
        for file in &output.items {
            let path = listing.path(&file.uri);
            for diagnostic in &file.diagnostics {
                listing.line(format_args!(
                    "{path}:{}",
                    diagnostics_document::line(diagnostic)
                ));
            }
        }
        listing.field("nextCursor", &output.next_cursor);
        listing.field("token", &output.token);
        Some(listing.finish())
    }
}

/// What servers report, and what the parser does about files that no server looked at.
fn found(
    context: &Context,
    session: &Session,
    covered: &mut Covered,
) -> Result<Vec<FileDiagnostics>, ToolError> {
    let mut files = Vec::new();
    let mut partial = Vec::new();
    let question = |pool: &Pool, anchor: Document<'_>, limit: &Limit| {
        pool.workspace_diagnostics(anchor, limit)
    };
    context.host.gateway().servers.ask_all(
        context,
        session,
        covered,
        question,
        |project, found| {
            if !found.settled {
                return Err("has not finished".to_owned());
            }
            files.extend(Inside::new(context.roots()).files(found.files));
            if !found.whole_project {
                partial.push(project.root.clone());
            }
            Ok(())
        },
    )?;
    if !partial.is_empty() {
        covered.note("some servers report open documents only");
    }
    if covered.needs_index() {
        let reported: FxHashSet<String> = files.iter().map(|file| file.uri.clone()).collect();
        let is_partial = |uri: &str| {
            path_of_uri(uri).is_ok_and(|path| partial.iter().any(|root| path.starts_with(root)))
        };
        let mut parsed = index::workspace_diagnostics(context, session)?;
        parsed.retain(|file| {
            !reported.contains(&file.uri) && (!covered.covers(&file.uri) || is_partial(&file.uri))
        });
        covered.add(&mut files, parsed);
    }
    Ok(files)
}

/// In order of URI, one entry per file.
fn canonical(mut files: Vec<FileDiagnostics>) -> Result<Vec<FileDiagnostics>, ToolError> {
    files.sort_by(|a, b| a.uri.cmp(&b.uri));
    // Workspaces inside each other share files.
    files.dedup_by(|a, b| a.uri == b.uri);
    if files.len() > MOST_FILES {
        return Err(errors::too_many("files with diagnostics", MOST_FILES));
    }
    // One diagnostic more than is shown tells that some were left out.
    for file in &mut files {
        file.diagnostics.truncate(LSP.limits().items + 1);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn more_files_than_the_cap_are_refused() {
        let files = |n: usize| {
            (0..n)
                .map(|i| FileDiagnostics {
                    uri: format!("file:///{i:06}"),
                    diagnostics: Vec::new(),
                })
                .collect()
        };
        assert_eq!(canonical(files(MOST_FILES)).unwrap().len(), MOST_FILES);
        assert_eq!(
            canonical(files(MOST_FILES + 1)).unwrap_err().code,
            Code::Own("MCP_LSP_GATEWAY/CAP_EXCEEDED")
        );
    }
}
