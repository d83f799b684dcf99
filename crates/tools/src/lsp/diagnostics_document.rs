//! `vscode.lsp.diagnostics.document`: what is wrong with one document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MOST_ITEMS, documents, index,
    shapes::{Diagnostic, Listing, count},
};
use crate::{Context, Surface, Tool, ToolError};

pub struct DocumentDiagnostics;

/// Errors and warnings of a document.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// `file:` URI
    #[schemars(length(min = 1))]
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    uri: String,
    diagnostics: Vec<Diagnostic>,
    summary: String,
}

impl Tool for DocumentDiagnostics {
    const NAME: &'static str = "vscode.lsp.diagnostics.document";
    const SURFACE: Surface = Surface::Lsp;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let document = documents::find(context, &input.uri)?;
        let indexed = documents::indexed_alone(context, &document)?;
        let mut diagnostics = index::document_diagnostics(&indexed, &document.uri)?;
        let capped = if diagnostics.len() > MOST_ITEMS { " (Capped.)" } else { "" };
        diagnostics.truncate(MOST_ITEMS);
        let summary = format!("Returned {}.{capped} {}", count(diagnostics.len(), "diagnostic"), documents::provided_by_index(&indexed.moment));
        Ok(Output { uri: document.uri, diagnostics, summary })
    }

    fn text(output: &Output) -> Option<String> {
        let mut listing = Listing::new(&output.summary, &None);
        for diagnostic in &output.diagnostics {
            listing.line(line(diagnostic));
        }
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
    let code = diagnostic.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let source = diagnostic.source.as_deref().map(|source| format!(" ({source})")).unwrap_or_default();
    format!("{}{severity}{code}{source}: {}", diagnostic.range.start, diagnostic.message.replace('\n', " "))
}
