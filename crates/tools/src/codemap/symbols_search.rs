//! `symbols.search`: symbols by words of name, signature and documentation, or all of some kinds.

use std::time::Instant;

use answers::{card, documentation, excerpts, handle::DocumentationIds, rankings::Ranked, survey};
use engine::{FileId, SymbolId, query, query::search::SearchSources};
use facts::{Facts, SymbolIndex, SymbolKind, SymbolSketch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    budgets,
    cursor::{Page, PageInfo},
    envelope::{Confidence, Envelope},
    errors,
    request::{Request, Target, milliseconds},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct SymbolsSearch;

/// Finds symbols by words of name, signature or documentation. `Order*` is a prefix, a space means
/// AND, `OR` alternatives. Without `query`, lists all of `kinds`.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    #[serde(flatten)]
    at: Target,
    query: Option<String>,
    /// Class, Method, Property ...; required without `query`.
    kinds: Option<Vec<String>>,
    /// Prefix.
    namespace: Option<String>,
    /// Prefix.
    file_path: Option<String>,
    project_name: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundSymbols {
    hits: Vec<SymbolHitShape>,
    #[serde(flatten)]
    page: PageInfo,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolHitShape {
    symbol_id: String,
    fully_qualified_name: String,
    kind: &'static str,
    signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation_snippet: Option<String>,
    file_path: String,
    line: u32,
    /// Lower is better.
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stable_id: Option<String>,
    project_name: String,
}

/// Characters of documentation that a hit shows.
const SNIPPET: usize = 200;

impl Tool for SymbolsSearch {
    const NAME: &'static str = "symbols.search";
    type Input = Input;
    type Output = Envelope<FoundSymbols>;

    fn run(context: &Context, input: Input) -> Result<Envelope<FoundSymbols>, ToolError> {
        let asked = input
            .query
            .as_deref()
            .map(str::trim)
            .filter(|query| !query.is_empty() && *query != "*");
        let kinds = input.kinds.as_deref().filter(|kinds| !kinds.is_empty());
        if asked.is_none() && kinds.is_none() {
            return Err(errors::invalid(
                "pass `query`, or `kinds` to list all symbols of some kinds: {\"kinds\": [\"Class\", \"Interface\"]}",
            ));
        }
        let pattern = query::Pattern::parse(asked.unwrap_or(""));
        if asked.is_some() && pattern.is_empty() {
            return Err(errors::invalid("`query` holds no word to look for"));
        }
        let wanted_kinds = kinds.map(symbols::kinds_named).transpose()?;
        let request = Request::open(context, &input.at)?;
        let limit = request.allow(budgets::RESULTS, input.limit);
        let filter = Filter::new(&request, &input, wanted_kinds)?;
        let question = (
            asked,
            kinds,
            &input.namespace,
            &input.file_path,
            &input.project_name,
        );
        let ranking = Instant::now();
        let hits = request.rankings().of(
            &json!((question, limit)).to_string(),
            &request.budget,
            || match asked {
                Some(_) => search(&request, &pattern, &filter, limit),
                None => browse(&request, &filter),
            },
        );
        let mut timing = request.timing.get();
        timing.ranking_ms = milliseconds(ranking.elapsed());
        request.timing.set(timing);
        let page = Page::of(&request, question, input.cursor.as_deref(), limit)?;
        let total_count = hits.len();
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let shown: Vec<SymbolHitShape> = page
            .cut(hits.to_vec())
            .into_iter()
            .filter_map(|hit| show(&request, &ids, hit))
            .collect();
        let what = asked.map_or_else(
            || "of these kinds".to_owned(),
            |query| format!("for `{query}`"),
        );
        let answer = match (total_count, page.is_cut(total_count)) {
            (0, _) => format!("No symbol {what}{}.", hint(&request, &pattern, &filter)),
            (_, true) => format!("{total_count} symbols {what}; {} shown.", shown.len()),
            (1, _) => format!("1 symbol {what}."),
            _ => format!("{total_count} symbols {what}."),
        };
        let next = shown.iter().take(3).map(|hit| {
            let why = format!("What is `{}`?", hit.fully_qualified_name);
            request.card(why, &hit.symbol_id)
        });
        let next = next.collect();
        let data = FoundSymbols {
            page: page.info(&request, total_count),
            hits: shown,
        };
        request.finish(answer, data, Vec::new(), next, Confidence::High)
    }
}

/// Which symbols count at all; asked before anything is cut off.
struct Filter<'a> {
    request: &'a Request<'a>,
    kinds: Option<Vec<SymbolKind>>,
    namespace: Option<String>,
    file_path: Option<String>,
    project: Option<&'a str>,
}

impl<'a> Filter<'a> {
    fn new(
        request: &'a Request<'a>,
        input: &'a Input,
        kinds: Option<Vec<SymbolKind>>,
    ) -> Result<Filter<'a>, ToolError> {
        let given = |text: &'a Option<String>| {
            text.as_deref()
                .map(str::trim)
                .filter(|text| !text.is_empty())
        };
        let file_path = given(&input.file_path).map(|path| {
            path.replace('\\', "/")
                .trim_start_matches("./")
                .to_lowercase()
        });
        let root = request.workspace.root().to_string_lossy().to_lowercase();
        let file_path = file_path.map(|path| {
            path.strip_prefix(&root).map_or(path.clone(), |below| {
                below.trim_start_matches('/').to_owned()
            })
        });
        Ok(Filter {
            request,
            kinds,
            namespace: given(&input.namespace).map(str::to_lowercase),
            file_path,
            project: given(&input.project_name),
        })
    }

    fn wants_file(&self, file: FileId) -> bool {
        let path = self.request.path(file);
        self.file_path.as_deref().is_none_or(|prefix| {
            path.get(..prefix.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
                || path.to_lowercase().starts_with(prefix)
        }) && self
            .project
            .is_none_or(|name| survey::project_of(self.request, file).eq_ignore_ascii_case(name))
    }

    /// Every symbol asked about has a name.
    fn wants(&self, file: FileId, symbol: &SymbolSketch) -> bool {
        let of_kind = match &self.kinds {
            Some(kinds) => kinds.contains(&symbol.kind),
            // Blocks of members, namespaces and headings are rarely what is meant, and can be asked
            // for by kind.
            None => !matches!(
                symbol.kind,
                SymbolKind::Impl
                    | SymbolKind::Namespace
                    | SymbolKind::Heading
                    | SymbolKind::Key
                    | SymbolKind::Element
            ),
        };
        of_kind && self.wants_file(file) && self.is_in_namespace(file, symbol.index)
    }

    fn is_in_namespace(&self, file: FileId, index: SymbolIndex) -> bool {
        let Some(wanted) = &self.namespace else {
            return true;
        };
        let Some(facts) = self.request.facts(file) else {
            return false;
        };
        let namespace =
            card::namespace(self.request, &facts, SymbolId { file, index }).to_lowercase();
        namespace.starts_with(wanted.trim_end_matches('*').trim_end_matches('.'))
    }
}

fn search(
    request: &Request<'_>,
    pattern: &query::Pattern,
    filter: &Filter<'_>,
    enough: usize,
) -> Vec<Ranked> {
    let text = request.text_index();
    let sources = SearchSources {
        snapshot: request.snapshot(),
        lexicon: request.lexicon(),
        paths: request.path_words(),
        text: &text,
        budget: &request.budget,
    };
    let wants = |file: FileId, symbol: &SymbolSketch| filter.wants(file, symbol);
    let prose = |file: FileId, facts: &Facts, index: SymbolIndex| {
        let Some(text) = request.text(file) else {
            return String::new();
        };
        let symbol = facts.symbol(index);
        format!(
            "{} {}",
            symbol.signature.text(&text),
            symbol.doc.map_or("", |doc| doc.text(&text))
        )
    };
    let found = query::symbols(
        &sources,
        &query::SymbolQuestion {
            pattern,
            wants: &wants,
            prose: &prose,
            enough,
        },
    );
    found
        .value
        .into_iter()
        .map(|hit| Ranked {
            symbol: hit.symbol,
            score: hit.score,
        })
        .collect()
}

/// All symbols that the filter lets through, in order of path and place.
fn browse(request: &Request<'_>, filter: &Filter<'_>) -> Vec<Ranked> {
    let mut found = Vec::new();
    for (file, entry) in request.snapshot().files() {
        if !filter.wants_file(file) || !request.budget.spend() {
            continue;
        }
        let Some(facts) = request.snapshot().corpus().facts(entry.content) else {
            continue;
        };
        let named = facts
            .symbols_with_index()
            .filter(|(_, symbol)| !facts.name(symbol.name).is_empty());
        let symbols =
            named.filter(|(index, _)| filter.wants(file, &SymbolSketch::of(&facts, *index)));
        found.extend(symbols.map(|(index, _)| Ranked {
            symbol: SymbolId { file, index },
            score: 0.0,
        }));
    }
    found
}

fn show(
    request: &Request<'_>,
    ids: &DocumentationIds<'_>,
    ranked: Ranked,
) -> Option<SymbolHitShape> {
    let symbol = ranked.symbol;
    request.shows(symbol.file);
    let facts = request.facts(symbol.file)?;
    let text = request.text(symbol.file);
    let documentation =
        text.and_then(|text| excerpts::documentation(facts.symbol(symbol.index), &text));
    Some(SymbolHitShape {
        symbol_id: ids.of(symbol),
        fully_qualified_name: symbols::qualified_name(request, symbol),
        kind: symbols::kind(request, symbol),
        signature: symbols::signature(request, symbol),
        documentation_snippet: documentation
            .and_then(|text| documentation::summary(&text))
            .map(|text| excerpts::shorten(&text, SNIPPET)),
        file_path: request.path(symbol.file).to_owned(),
        line: symbols::line(request, symbol),
        score: -(ranked.score * 100.0).round() / 100.0,
        stable_id: ids.stable(symbol),
        project_name: survey::project_of(request, symbol.file).to_owned(),
    })
}

/// What might have been meant, for an answer without hits.
fn hint(request: &Request<'_>, pattern: &query::Pattern, filter: &Filter<'_>) -> String {
    let Some(term) = pattern.alternatives.first().and_then(|terms| terms.first()) else {
        return String::new();
    };
    let near: Vec<String> = answers::lookup::nearest(request, &term.text, 3);
    let filtered = filter.kinds.is_some()
        || filter.namespace.is_some()
        || filter.file_path.is_some()
        || filter.project.is_some();
    let mut hint = String::new();
    if !near.is_empty() {
        hint.push_str(&format!("; there is `{}`", near.join("`, `")));
    }
    if filtered {
        hint.push_str("; the filters may leave out what was meant");
    } else if near.is_empty() && !term.is_prefix {
        hint.push_str(&format!("; `{}*` looks for names that begin so", term.text));
    }
    hint
}
