//! `vscode.lsp.diagnostics.document`: what is wrong with one document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    documents, index,
    servers::{self, Served, Text},
    shapes::{Diagnostic, FileDiagnostics, TextListing, cap, count},
};
use crate::{Context, Tool, ToolError};

pub struct DocumentDiagnostics;

/// Errors and warnings of a document.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `file:` URI
    #[schemars(length(min = 1))]
    uri: String,
    /// `token` of an earlier answer: only what is new since then
    since: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    uri: String,
    diagnostics: Vec<Diagnostic>,
    summary: String,
    /// For `since`
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Tool for DocumentDiagnostics {
    const NAME: &'static str = "vscode.lsp.diagnostics.document";
    const OWN_FIELDS: &'static [&'static str] = &["since", "token"];
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        documents::keep_servers_in_step(context, &document.workspace)?;
        let text = Text::read(context, &document)?;
        let gateway = context.host.gateway();
        let served = gateway.servers.ask(context, &document, |pool, limit| {
            pool.document_diagnostics(text.document(&document), &[], limit)
        })?;
        let served = match served {
            Served::Server { value, server } if !value.settled => {
                gateway.servers.unsettled(&server)?
            }
            served => served,
        };
        let (mut diagnostics, provider) = served.or_index(
            |value| Ok(servers::diagnostics(&document.uri, value.items)),
            || documents::indexed_alone(context, &document),
            |indexed| index::diagnostics(&indexed.session, indexed.file, &document.uri),
        )?;
        let mut token = None;
        if !context.strict {
            let file = [FileDiagnostics {
                uri: document.uri.clone(),
                diagnostics,
            }];
            token = Some(gateway.baselines.keep(&file));
            let shown = match &input.since {
                Some(since) => gateway.baselines.only_new(since, file.into())?,
                None => file.into(),
            };
            diagnostics = shown
                .into_iter()
                .flat_map(|file| file.diagnostics)
                .collect();
        }
        let capped = cap(context, &mut diagnostics);
        let what = match input.since {
            Some(_) => "new diagnostic",
            None => "diagnostic",
        };
        let summary = format!(
            "Returned {}.{capped} {provider}",
            count(diagnostics.len(), what)
        );
        Ok(Output {
            uri: document.uri,
            diagnostics,
            summary,
            token,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = TextListing::new(&output.summary, &None);
        for diagnostic in &output.diagnostics {
            listing.line(line(diagnostic));
        }
        listing.field("token", &output.token);
        Some(listing.finish())
    }
}

/// `5:2 error syntax (codecompass): message`.
pub fn line(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Some(1) => " error",
        Some(2) => " warning",
        Some(3) => " information",
        Some(4) => " hint",
        _ => "",
    };
    let code = diagnostic
        .code
        .as_deref()
        .map(|code| format!(" {code}"))
        .unwrap_or_default();
    let source = diagnostic
        .source
        .as_deref()
        .map(|source| format!(" ({source})"))
        .unwrap_or_default();
    format!(
        "{}{severity}{code}{source}: {}",
        diagnostic.range.start,
        diagnostic.message.replace('\n', " ")
    )
}
