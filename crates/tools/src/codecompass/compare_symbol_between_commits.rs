//! `compare_symbol_between_commits`: what became of a symbol.

use answers::{
    At, Session, SymbolInfo,
    compare::{CompareError, Comparison, SymbolChange, compare},
    symbol::signature,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessInput, MetadataWith},
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
        let open = |name| {
            let at = At::Commit(name);
            envelope::open_at(context, &input.workspace, at, FreshnessInput::Balanced)
        };
        let (base, base_metadata) = open(&input.base_ref)?;
        let (head, mut metadata) = open(&input.head_ref)?;
        let path = input.path.as_deref();
        let found = compare(&base, &head, name, path);
        let found = found.map_err(|error| match error {
            CompareError::Lookup { error, in_base } => {
                let side = if in_base { &base } else { &head };
                let refs = format!("{}..{}", input.base_ref, input.head_ref);
                symbols::not_found(side, &refs, name, path, error)
            }
            CompareError::Unreadable => errors::ref_not_indexed(
                &metadata.r#ref,
                "or the ref it is compared with has texts that are no longer here",
            ),
        })?;
        let diff_summary = summary(&found);
        let named = NamedSymbols::others(&head, &found.others);
        let base_version = found.base.map(|info| Version::of(&base, info));
        let head_version = found.head.map(|info| Version::of(&head, info));
        let shown = head_version
            .as_ref()
            .or(base_version.as_ref())
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))?;
        metadata.warnings.extend(base_metadata.warnings);
        metadata.cut(head.budget.cut())?;
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
            signature: signature(session, info.anchor),
            path: info.path,
            name: info.name,
            line_start: info.lines.0,
            line_end: info.lines.1,
            kind: kinds::names_of(info.kind).codecompass,
            language: Some(session.language(info.anchor.file())),
        }
    }
}

fn summary(found: &Comparison) -> Value {
    let status = found.change.as_str();
    let SymbolChange::Modified {
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
        "matched_by": matched_by.as_str(),
    })
}
