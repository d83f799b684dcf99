//! `refs.find`: every use of a symbol, classified; what overrides and implements it; and uses of
//! its name that nothing settles.

use answers::{
    Session, excerpts,
    handle::DocumentationIds,
    occurrences::Occurrences,
    references::{ReferenceKind, ReferenceSite, References},
};
use engine::{Resolver, SymbolId, query};
use facts::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    budgets,
    cursor::{Page, PageInfo},
    envelope::{Confidence, Envelope, summary},
    errors, occurrences,
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct RefsFind;

/// Every reference to a symbol, classified by kind, resolved or not.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    symbol_id: String,
    /// Call, Read, Write, Instantiate, Override or Implementation.
    kind: Option<String>,
    /// resolved or unresolved; both when absent.
    resolution_state: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundReferences {
    target_symbol: String,
    /// By path and line.
    references: Vec<ReferenceShape>,
    #[serde(flatten)]
    page: PageInfo,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferenceShape {
    kind: RefKind,
    /// The symbol around it; the file where there is none.
    from_symbol: String,
    file_path: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
    resolution_state: ResolutionState,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_container_hint: Option<String>,
    confidence: Confidence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefKind {
    Call,
    Read,
    Write,
    Instantiate,
    Override,
    Implementation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionState {
    Resolved,
    Unresolved,
}

/// A reference before it is shown.
struct Use {
    site: ReferenceSite,
    kind: RefKind,
    state: ResolutionState,
}

impl Tool for RefsFind {
    const NAME: &'static str = "refs.find";
    type Input = Input;
    type Output = Envelope<FoundReferences>;

    fn run(context: &Context, input: Input) -> Result<Envelope<FoundReferences>, ToolError> {
        let wanted_kind = input.kind.as_deref().map(kind_named).transpose()?;
        let wanted_state = input
            .resolution_state
            .as_deref()
            .map(state_named)
            .transpose()?;
        let request = Request::open(context, &input.at)?;
        let limit = request.allow(budgets::REFERENCES, input.limit);
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let symbol = symbols::one(&request, &ids, &resolver, &input.symbol_id)?;
        let target = ids.of(symbol);
        let page = Page::of(
            &request,
            (&target, wanted_kind, wanted_state),
            input.cursor.as_deref(),
            limit,
        )?;
        let (uses, account) = uses(&request, &resolver, symbol, (wanted_kind, wanted_state));
        let total_count = uses.len();
        let is_resolved = |found: &&Use| found.state == ResolutionState::Resolved;
        let n_resolved = uses.iter().filter(is_resolved).count();
        let confidence = uses
            .iter()
            .filter(is_resolved)
            .map(|found| Confidence::from(found.site.outcome))
            .min()
            .unwrap_or(Confidence::High);
        let references: Vec<ReferenceShape> = page
            .cut(uses)
            .into_iter()
            .filter_map(|found| show(&request, &ids, found, symbol))
            .collect();
        let is_filtered = wanted_kind.is_some() || wanted_state.is_some();
        let qualified = symbols::qualified_name(&request, symbol);
        let what = match total_count == 0 && is_filtered {
            true => format!("references to `{qualified}` of this kind"),
            false => format!("references to `{qualified}`"),
        };
        let mut answer = summary(
            total_count,
            &what,
            references.len(),
            page.is_cut(total_count),
        );
        let elsewhere =
            (total_count == 0).then(|| Occurrences::of(&request, &request.name(symbol), account));
        answer.extend(elsewhere.as_ref().map(occurrences::sentence));
        if n_resolved < total_count {
            answer += &format!(
                " {} of them only have its name: nothing settles what they mean.",
                total_count - n_resolved
            );
        }
        answer += request.cut()?;
        let mut evidence = request.evidence(symbol, &target);
        evidence.extend(request.occurrence_evidence(elsewhere.as_ref()));
        let mut from: Vec<&str> = references
            .iter()
            .map(|reference| reference.from_symbol.as_str())
            .filter(|id| !id.starts_with('!'))
            .collect();
        from.dedup();
        let next = from.iter().take(3);
        let next = next
            .map(|id| request.card("A place that uses it.", id))
            .collect();
        let data = FoundReferences {
            target_symbol: target,
            references,
            page: page.info(&request, total_count),
        };
        request.finish(answer, data, evidence, next, confidence)
    }
}

/// Every use of a symbol of the wanted kind and state, in order of place, and what became of the
/// other places that have its name.
fn uses(
    session: &Session,
    resolver: &Resolver<'_>,
    symbol: SymbolId,
    (wanted_kind, wanted_state): (Option<RefKind>, Option<ResolutionState>),
) -> (Vec<Use>, query::Account) {
    let mut found = References::of(session, resolver, &[symbol]);
    if wanted_state != Some(ResolutionState::Unresolved)
        && wanted_kind.is_none_or(|kind| kind >= RefKind::Override)
    {
        found.add_overriding(resolver);
    }
    let of_state = |sites: Vec<ReferenceSite>, state| {
        sites.into_iter().map(move |site| Use {
            kind: kind_of(site.kind),
            site,
            state,
        })
    };
    let mut uses: Vec<Use> = of_state(found.sites, ResolutionState::Resolved)
        .chain(of_state(found.uncertain, ResolutionState::Unresolved))
        .filter(|found| {
            wanted_kind.is_none_or(|kind| found.kind == kind)
                && wanted_state.is_none_or(|state| found.state == state)
        })
        .collect();
    let key = |found: &Use| (found.site.file, found.site.span.start, found.kind);
    uses.sort_by_key(key);
    uses.dedup_by_key(|found| key(found));
    (uses, found.account)
}

fn show(
    request: &Request<'_>,
    ids: &DocumentationIds<'_>,
    found: Use,
    symbol: SymbolId,
) -> Option<ReferenceShape> {
    let site = found.site;
    request.shows(site.file);
    let facts = request.facts(site.file)?;
    let (line_start, line_end) = excerpts::lines(&facts, site.span);
    let is_unresolved = found.state == ResolutionState::Unresolved;
    let receiver = || {
        let mut references = facts.references.iter();
        let reference = references.find(|reference| reference.span == site.span)?;
        let receiver = reference.receiver?;
        Some(engine::text::recipe(&facts, receiver))
    };
    let text = request.text(site.file);
    Some(ReferenceShape {
        kind: found.kind,
        from_symbol: symbols::id_or_file(request, ids, site.enclosing, site.file),
        file_path: request.path(site.file).to_owned(),
        line_start,
        line_end,
        excerpt: text.map(|text| excerpts::line(&facts, &text, site.span.start)),
        resolution_state: found.state,
        to_name: is_unresolved.then(|| request.name(symbol)),
        to_container_hint: is_unresolved
            .then(|| site.receiver.or_else(receiver))
            .flatten(),
        confidence: site.outcome.into(),
    })
}

/// Uses as types, in annotations and imports read the name.
fn kind_of(kind: ReferenceKind) -> RefKind {
    match kind {
        ReferenceKind::Use(Role::Call) => RefKind::Call,
        ReferenceKind::Use(Role::Instantiate) => RefKind::Instantiate,
        ReferenceKind::Use(Role::Write) => RefKind::Write,
        ReferenceKind::Use(Role::Inherit) | ReferenceKind::Implementation => {
            RefKind::Implementation
        }
        ReferenceKind::Use(Role::Read | Role::TypeUse | Role::Import | Role::Annotation) => {
            RefKind::Read
        }
        ReferenceKind::Override => RefKind::Override,
    }
}

fn kind_named(word: &str) -> Result<RefKind, ToolError> {
    const KINDS: [(&str, RefKind); 6] = [
        ("call", RefKind::Call),
        ("read", RefKind::Read),
        ("write", RefKind::Write),
        ("instantiate", RefKind::Instantiate),
        ("override", RefKind::Override),
        ("implementation", RefKind::Implementation),
    ];
    let found = KINDS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(word.trim()));
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        errors::invalid(format!("unknown kind `{word}`; known are Call, Read, Write, Instantiate, Override, Implementation"))
    })
}

fn state_named(word: &str) -> Result<ResolutionState, ToolError> {
    match word.trim().to_ascii_lowercase().as_str() {
        "resolved" => Ok(ResolutionState::Resolved),
        "unresolved" => Ok(ResolutionState::Unresolved),
        _ => Err(errors::invalid(format!(
            "unknown resolution_state `{word}`; known are resolved and unresolved"
        ))),
    }
}
