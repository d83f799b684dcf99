//! `compare_symbol_between_commits`: what became of a symbol.

use answers::{
    handle::Identity,
    lookup::{self, LookupError, Wanted},
};
use engine::{Snapshot, SymbolId, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, MetadataWith, Opened},
    errors,
    symbols::{self, Candidates, NamedSymbols, SymbolShape},
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError};

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
    const CONTRACT: ContractRef = CODECOMPASS;
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
        if let Some(path) = path
            && base.session.find_file(path).is_none()
            && head.session.find_file(path).is_none()
        {
            return Err(symbols::file_not_found(&head.session, path));
        }
        let (olds, news) = (find(&base, name, path)?, find(&head, name, path)?);
        let (mut before, mut after) = pair(&base, &olds, &head, &news);
        let budget = context.budget();
        let mut matched_by = query::MatchedBy::Name;
        let snapshots: (&Snapshot, &Snapshot) = (base.session.snapshot(), head.session.snapshot());
        match (before, after) {
            (Some(old), Some(new)) => {
                if snapshots.0.file(old.file).path != snapshots.1.file(new.file).path {
                    matched_by = query::MatchedBy::Move;
                }
            }
            (None, Some(new)) => {
                if let Some((found, how)) =
                    query::counterpart(snapshots.1, new, snapshots.0, &budget)
                {
                    (before, matched_by) = (Some(found), how);
                }
            }
            (Some(old), None) => {
                if let Some((found, how)) =
                    query::counterpart(snapshots.0, old, snapshots.1, &budget)
                {
                    (after, matched_by) = (Some(found), how);
                }
            }
            (None, None) => {
                let nearest = lookup::nearest(&head.session, name, 5);
                return Err(errors::symbol_not_found(
                    name,
                    &format!("{}..{}", input.base_ref, input.head_ref),
                    &nearest,
                ));
            }
        }
        let base_version = before.and_then(|symbol| version(&base, symbol));
        let head_version = after.and_then(|symbol| version(&head, symbol));
        let diff_summary = match (before, after) {
            (None, _) => json!({ "status": "added" }),
            (_, None) => json!({ "status": "deleted" }),
            (Some(old), Some(new)) => summary(&base, old, &head, new, matched_by)?,
        };
        let shown = head_version
            .as_ref()
            .or(base_version.as_ref())
            .ok_or_else(|| ToolError::internal("facts of a found symbol are gone"))?;
        let mut metadata = head.metadata;
        let others: Vec<SymbolId> = news
            .iter()
            .copied()
            .filter(|symbol| Some(*symbol) != after)
            .collect();
        let named = NamedSymbols::others(&head.session, &others);
        metadata.warnings.extend(base.metadata.warnings);
        metadata.cut(budget.cut())?;
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

/// The symbols of the name on one side, overloads first; a path that exists only on the other side
/// leaves them out.
fn find(opened: &Opened, name: &str, path: Option<&str>) -> Result<Vec<SymbolId>, ToolError> {
    match lookup::lookup(&opened.session, name, path, Wanted::Anything) {
        Ok(meant) => Ok(meant.overloads.into_iter().chain(meant.others).collect()),
        Err(LookupError::Missing { .. } | LookupError::UnknownPath) => Ok(Vec::new()),
        Err(LookupError::Unreadable) => Err(symbols::unreadable_names()),
        Err(LookupError::Ambiguous { candidates }) => Err(errors::ambiguous_symbol(
            name,
            &Candidates::of(&opened.session, &candidates),
        )),
    }
}

/// The first symbol of the head, and of the base the one with the same stable id: overloads are not
/// mixed up when their order changes.
fn pair(
    base: &Opened,
    olds: &[SymbolId],
    head: &Opened,
    news: &[SymbolId],
) -> (Option<SymbolId>, Option<SymbolId>) {
    let id = |opened: &Opened, symbol: SymbolId| {
        let facts = opened.session.facts(symbol.file)?;
        let identity = Identity::of(opened.session.snapshot(), &facts, symbol.index);
        Some(identity.stable_id())
    };
    let same = news
        .first()
        .and_then(|new| olds.iter().find(|old| id(base, **old) == id(head, *new)));
    (same.or(olds.first()).copied(), news.first().copied())
}

fn version(opened: &Opened, symbol: SymbolId) -> Option<Version> {
    let shape = SymbolShape::of(&opened.session, symbol)?;
    Some(Version {
        symbol_id: shape.symbol_id,
        symbol_stable_id: shape.symbol_stable_id,
        signature: shape.signature,
        path: shape.path,
        name: shape.name,
        line_start: shape.line_start,
        line_end: shape.line_end,
        kind: shape.kind,
        language: shape.language,
    })
}

fn summary(
    base: &Opened,
    old: SymbolId,
    head: &Opened,
    new: SymbolId,
    matched_by: query::MatchedBy,
) -> Result<Value, ToolError> {
    let difference = query::difference(base.session.snapshot(), old, head.session.snapshot(), new)
        .ok_or_else(|| {
            errors::ref_not_indexed(
                &head.metadata.r#ref,
                "or the ref it is compared with has texts that are no longer here",
            )
        })?;
    if difference == query::Difference::default() && matched_by == query::MatchedBy::Name {
        return Ok(json!({ "status": "unchanged" }));
    }
    let lines = |opened: &Opened, symbol: SymbolId| {
        SymbolShape::of(&opened.session, symbol).map(|shape| (shape.line_start, shape.line_end))
    };
    Ok(json!({
        "status": "modified",
        "signature_changed": difference.signature_changed,
        "body_changed": difference.body_changed,
        "lines_added": difference.lines_added,
        "lines_removed": difference.lines_removed,
        "line_range_shifted": lines(base, old) != lines(head, new),
        "matched_by": matched_by.word(),
    }))
}
