//! `compare_symbol_between_commits`: what became of a symbol.

use answers::{
    Session, SymbolInfo,
    compare::{Change, CompareError, Comparison, compare},
    symbol::signature,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, MetadataWith, Opened},
    errors,
    symbols::{self, NamedSymbols},
};
use crate::{Context, Tool, ToolError, kinds};

pub struct CompareSymbolBetweenCommits;

/// How a symbol changed between two commits or branches. `live` is the working tree.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbol_name: String,
    workspace: Option<String>,
    /// Decides between files
    path: Option<String>,
    base_ref: String,
    head_ref: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    symbol: String,
    path: String,
    symbol_stable_id: String,
    base_ref: String,
    head_ref: String,
    base_version: Option<Version>,
    head_version: Option<Version>,
    #[schemars(with = "crate::schema::AnyObject")]
    diff_summary: Value,
    metadata: MetadataWith<NamedSymbols>,
}

#[derive(Serialize, JsonSchema)]
pub struct Version {
    symbol_id: String,
    symbol_stable_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    path: String,
    name: String,
    line_start: u32,
    line_end: u32,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
}

impl Tool for CompareSymbolBetweenCommits {
    const NAME: &'static str = "compare_symbol_between_commits";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let name = input.symbol_name.trim();
        if name.is_empty() {
            return Err(ToolError::invalid_input("`symbol_name` must not be empty"));
        }
        let base = envelope::open_commit(context, input.workspace.as_deref(), &input.base_ref)?;
        let head = envelope::open_commit(context, input.workspace.as_deref(), &input.head_ref)?;
        let path = input.path.as_deref();
        let found = compare(&base.session, &head.session, name, path);
        let found = found.map_err(|error| match error {
            CompareError::Lookup { error, in_base } => {
                let side = if in_base { &base } else { &head };
                let refs = format!("{}..{}", input.base_ref, input.head_ref);
                symbols::not_found(&side.session, &refs, name, path, error)
            }
            CompareError::Unreadable => errors::ref_not_indexed(
                &head.metadata.r#ref,
                "or the ref it is compared with has texts that are no longer here",
            ),
        })?;
        let diff_summary = summary(&found);
        let named = NamedSymbols::others(&head.session, &found.others);
        let version = |opened: &Opened, info| Version::of(&opened.session, info);
        let base_version = found.base.map(|info| version(&base, info));
        let head_version = found.head.map(|info| version(&head, info));
        let shown = head_version
            .as_ref()
            .or(base_version.as_ref())
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))?;
        let mut metadata = head.metadata;
        metadata.warnings.extend(base.metadata.warnings);
        metadata.cut(head.session.budget.cut())?;
        Ok(Output {
            symbol: shown.name.clone(),
            path: shown.path.clone(),
            symbol_stable_id: shown.symbol_stable_id.clone(),
            base_ref: input.base_ref,
            head_ref: input.head_ref,
            base_version,
            head_version,
            diff_summary,
            metadata: metadata.with(named),
        })
    }
}

impl Version {
    fn of(session: &Session, info: SymbolInfo) -> Version {
        Version {
            symbol_id: info.symbol_id.to_string(),
            symbol_stable_id: info.stable_id.to_string(),
            signature: signature(session, info.symbol),
            path: info.path,
            name: info.name,
            line_start: info.lines.0,
            line_end: info.lines.1,
            kind: kinds::names_of(info.kind).codecompass,
            language: Some(session.language(info.symbol.file)),
        }
    }
}

fn summary(found: &Comparison) -> Value {
    let status = found.change.as_str();
    let Change::Modified {
        difference,
        matched_by,
    } = found.change
    else {
        return json!({ "status": status });
    };
    let lines = |info: &Option<SymbolInfo>| info.as_ref().map(|info| info.lines);
    json!({
        "status": status,
        "signature_changed": difference.signature_changed,
        "body_changed": difference.body_changed,
        "lines_added": difference.lines_added,
        "lines_removed": difference.lines_removed,
        "line_range_shifted": lines(&found.base) != lines(&found.head),
        "matched_by": matched_by.word(),
    })
}
