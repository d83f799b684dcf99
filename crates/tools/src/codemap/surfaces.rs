//! `surfaces.list_endpoints`, `surfaces.list_config_keys` and `surfaces.list_db_tables`: what the
//! program offers and what it needs.

use std::collections::BTreeMap;

use answers::{Session as Moment, handle::DocumentationIds};
use engine::query::architecture::{
    Architecture, ArchitectureFact, ArchitectureKind, Subject, TableSource,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    budgets,
    cursor::Page,
    envelope::{Confidence, Envelope, Evidence, summary},
    session::{At, Session},
};
use crate::{CODEMAP, Context, ContractRef, Tool, ToolError};

pub struct ListEndpoints;
pub struct ListConfigKeys;
pub struct ListDbTables;

impl Session<'_> {
    pub fn architecture(&self) -> &Architecture {
        self.moment.architecture()
    }

    fn facts_of(&self, kind: ArchitectureKind) -> impl Iterator<Item = &ArchitectureFact> {
        self.architecture()
            .facts
            .iter()
            .filter(move |fact| fact.kind() == kind)
    }

    /// What was looked for and what could not be read, so that silence is not taken for absence.
    fn coverage(&self) -> String {
        let seen: Vec<&str> = self
            .architecture()
            .coverage
            .iter()
            .filter(|(_, coverage)| coverage.facts > 0 || !coverage.not_understood.is_empty())
            .map(|(name, _)| *name)
            .collect();
        let unread: usize = self
            .architecture()
            .coverage
            .values()
            .map(|coverage| coverage.not_understood.len())
            .sum();
        let frameworks = if seen.is_empty() {
            " No supported framework was seen.".to_owned()
        } else {
            format!(" Frameworks seen: {}.", seen.join(", "))
        };
        let foreign: Vec<&str> = self
            .architecture()
            .unsupported
            .iter()
            .map(|(name, _)| *name)
            .collect();
        let frameworks = match foreign.is_empty() {
            true => frameworks,
            false => format!(
                "{frameworks} Used here but not read: {}.",
                foreign.join(", ")
            ),
        };
        let unread = if unread > 0 {
            format!(" {unread} places could not be read statically.")
        } else {
            String::new()
        };
        format!("{frameworks}{unread}")
    }

    fn not_understood(&self) -> Vec<Evidence> {
        let places = self
            .architecture()
            .coverage
            .values()
            .flat_map(|coverage| &coverage.not_understood);
        places
            .take(5)
            .filter_map(|(file, span)| self.line_evidence(*file, span.start, None))
            .collect()
    }
}

/// What was seen of one framework.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameworkCoverage {
    pub framework: String,
    /// False: it is used here, and nothing of it is read.
    pub supported: bool,
    /// Constructs that were read, by kind.
    pub extracted: BTreeMap<&'static str, usize>,
    /// Constructs that a rule matched and could not read: paths and keys made at run time.
    pub not_understood: usize,
    /// The first of them; for a framework that is not supported, the files that use it.
    pub places: Vec<CoveragePlace>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CoveragePlace {
    pub file_path: String,
    pub line: u32,
}

/// Places that an entry of the ledger names.
const PLACES: usize = 10;

/// The coverage ledger: every framework that is used here, by name.
pub fn ledger(moment: &Moment) -> Vec<FrameworkCoverage> {
    let architecture = moment.architecture();
    let place = |file: engine::FileId, offset: u32| CoveragePlace {
        file_path: moment.path(file).to_owned(),
        line: moment
            .facts(file)
            .map_or(1, |facts| facts.lines.line_number(offset)),
    };
    let mut rows: Vec<FrameworkCoverage> = architecture
        .coverage
        .iter()
        .filter(|(_, coverage)| {
            coverage.facts > 0 || coverage.is_seen || !coverage.not_understood.is_empty()
        })
        .map(|(name, coverage)| {
            let mut extracted = BTreeMap::new();
            for fact in architecture
                .facts
                .iter()
                .filter(|fact| fact.framework == *name)
            {
                *extracted.entry(kind_name(fact.kind())).or_insert(0) += 1;
            }
            FrameworkCoverage {
                framework: (*name).to_owned(),
                supported: true,
                extracted,
                not_understood: coverage.not_understood.len(),
                places: coverage
                    .not_understood
                    .iter()
                    .take(PLACES)
                    .map(|(file, span)| place(*file, span.start))
                    .collect(),
            }
        })
        .collect();
    rows.extend(architecture.unsupported.iter().map(|(name, files)| {
        FrameworkCoverage {
            framework: (*name).to_owned(),
            supported: false,
            extracted: BTreeMap::new(),
            not_understood: files.len(),
            places: files
                .iter()
                .take(PLACES)
                .map(|file| place(*file, 0))
                .collect(),
        }
    }));
    rows.sort_by(|a, b| a.framework.cmp(&b.framework));
    rows
}

pub fn kind_name(kind: ArchitectureKind) -> &'static str {
    match kind {
        ArchitectureKind::Route => "route",
        ArchitectureKind::Key => "config",
        ArchitectureKind::Table => "db_table",
        ArchitectureKind::Service => "di_registration",
        ArchitectureKind::Middleware => "middleware",
        ArchitectureKind::RetryPolicy => "retry_policy",
    }
}

/// What a fact says beside its name.
pub fn detail(subject: &Subject) -> String {
    match subject {
        Subject::Route { method } => method.clone(),
        Subject::Key { usage } => (*usage).to_owned(),
        Subject::Table {
            source: TableSource::Annotation(name),
        } => format!("@{name}"),
        Subject::Table {
            source: TableSource::Other(source),
        } => (*source).to_owned(),
        Subject::Service {
            implementation,
            lifetime,
        } => format!("{implementation}|{lifetime}"),
        Subject::Middleware { position } => format!("pos:{position}"),
        Subject::RetryPolicy { library } => (*library).to_owned(),
    }
}

/// HTTP endpoints of the program, prefixes joined.
#[derive(Deserialize, JsonSchema)]
pub struct EndpointsInput {
    #[serde(flatten)]
    at: At,
    /// Prefix.
    path_filter: Option<String>,
    http_method: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Endpoints {
    pub endpoints: Vec<Endpoint>,
    pub total_count: usize,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Endpoint {
    /// `ANY` where the framework takes every method.
    pub http_method: String,
    pub route_path: String,
    pub handler_symbol: String,
    pub file_path: String,
    pub line: u32,
    pub confidence: Confidence,
    pub framework: String,
}

impl Tool for ListEndpoints {
    const NAME: &'static str = "surfaces.list_endpoints";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = EndpointsInput;
    type Output = Envelope<Endpoints>;

    fn run(context: &Context, input: EndpointsInput) -> Result<Envelope<Endpoints>, ToolError> {
        let session = Session::open(context, &input.at)?;
        let limit = session.allow(budgets::RESULTS, input.limit);
        let resolver = session.analysis.resolver(&session.budget);
        let ids = DocumentationIds::new(&session.moment, &resolver);
        let method = input
            .http_method
            .as_deref()
            .map(str::trim)
            .filter(|method| !method.is_empty());
        let mut found: Vec<&ArchitectureFact> = session
            .facts_of(ArchitectureKind::Route)
            .filter(|fact| {
                begins(&fact.name, input.path_filter.as_deref())
                    && method
                        .is_none_or(|method| detail(&fact.subject).eq_ignore_ascii_case(method))
            })
            .collect();
        // Two frameworks may read one registration: the surer one counts.
        found.sort_by(|a, b| {
            (
                &a.name,
                &a.subject,
                a.file,
                a.span.start,
                std::cmp::Reverse(a.certainty),
            )
                .cmp(&(
                    &b.name,
                    &b.subject,
                    b.file,
                    b.span.start,
                    std::cmp::Reverse(b.certainty),
                ))
        });
        found.dedup_by(|a, b| {
            a.name == b.name && a.subject == b.subject && a.file == b.file && a.span == b.span
        });
        let total_count = found.len();
        let page = Page::of(
            &session,
            ("endpoints", &input.path_filter, method),
            input.cursor.as_deref(),
            limit,
        )?;
        let endpoints: Vec<Endpoint> = page
            .cut(found)
            .into_iter()
            .map(|fact| {
                session.shows(fact.file);
                Endpoint {
                    http_method: detail(&fact.subject),
                    route_path: fact.name.clone(),
                    handler_symbol: fact.symbol.map_or_else(
                        || format!("!:{}", session.moment.path(fact.file)),
                        |symbol| ids.of(symbol),
                    ),
                    file_path: session.moment.path(fact.file).to_owned(),
                    line: line(&session, fact),
                    confidence: fact.certainty.into(),
                    framework: fact.framework.to_owned(),
                }
            })
            .collect();
        let answer = summary(
            total_count,
            "endpoints",
            endpoints.len(),
            page.is_cut(total_count),
        ) + &session.coverage();
        let confidence = endpoints
            .iter()
            .map(|endpoint| endpoint.confidence)
            .min()
            .unwrap_or(Confidence::Medium);
        let data = Endpoints {
            endpoints,
            total_count,
            truncated: page.is_cut(total_count),
            next_cursor: page.next(&session, total_count),
        };
        let evidence = session.not_understood();
        session.finish(answer, data, evidence, Vec::new(), confidence)
    }
}

/// Configuration keys and environment variables that the program reads.
#[derive(Deserialize, JsonSchema)]
pub struct KeysInput {
    #[serde(flatten)]
    at: At,
    /// Prefix.
    key_filter: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Keys {
    pub keys: Vec<Key>,
    pub total_count: usize,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Key {
    pub key: String,
    pub used_by_symbol: String,
    pub file_path: String,
    pub line: u32,
    pub usage_pattern: String,
    pub confidence: Confidence,
}

impl Tool for ListConfigKeys {
    const NAME: &'static str = "surfaces.list_config_keys";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = KeysInput;
    type Output = Envelope<Keys>;

    fn run(context: &Context, input: KeysInput) -> Result<Envelope<Keys>, ToolError> {
        let session = Session::open(context, &input.at)?;
        let limit = session.allow(budgets::RESULTS, input.limit);
        let resolver = session.analysis.resolver(&session.budget);
        let ids = DocumentationIds::new(&session.moment, &resolver);
        let found: Vec<&ArchitectureFact> = session
            .facts_of(ArchitectureKind::Key)
            .filter(|fact| begins(&fact.name, input.key_filter.as_deref()))
            .collect();
        let total_count = found.len();
        let page = Page::of(
            &session,
            ("keys", &input.key_filter),
            input.cursor.as_deref(),
            limit,
        )?;
        let keys: Vec<Key> = page
            .cut(found)
            .into_iter()
            .map(|fact| {
                session.shows(fact.file);
                Key {
                    key: fact.name.clone(),
                    used_by_symbol: fact.symbol.map_or_else(
                        || format!("!:{}", session.moment.path(fact.file)),
                        |symbol| ids.of(symbol),
                    ),
                    file_path: session.moment.path(fact.file).to_owned(),
                    line: line(&session, fact),
                    usage_pattern: detail(&fact.subject),
                    confidence: fact.certainty.into(),
                }
            })
            .collect();
        let answer = summary(
            total_count,
            "uses of configuration keys",
            keys.len(),
            page.is_cut(total_count),
        ) + &session.coverage();
        let confidence = keys
            .iter()
            .map(|key| key.confidence)
            .min()
            .unwrap_or(Confidence::Medium);
        let data = Keys {
            keys,
            total_count,
            truncated: page.is_cut(total_count),
            next_cursor: page.next(&session, total_count),
        };
        let evidence = session.not_understood();
        session.finish(answer, data, evidence, Vec::new(), confidence)
    }
}

/// Database tables that the program's models name.
#[derive(Deserialize, JsonSchema)]
pub struct TablesInput {
    #[serde(flatten)]
    at: At,
    /// Prefix.
    table_filter: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Tables {
    pub tables: Vec<Table>,
    pub total_count: usize,
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Table {
    pub table_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The property that is the set of its rows; its class where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_symbol: Option<String>,
    pub referenced_by: Vec<String>,
    pub confidence: Confidence,
}

impl Tool for ListDbTables {
    const NAME: &'static str = "surfaces.list_db_tables";
    const CONTRACT: ContractRef = CODEMAP;
    type Input = TablesInput;
    type Output = Envelope<Tables>;

    fn run(context: &Context, input: TablesInput) -> Result<Envelope<Tables>, ToolError> {
        let session = Session::open(context, &input.at)?;
        let limit = session.allow(budgets::RESULTS, input.limit);
        let resolver = session.analysis.resolver(&session.budget);
        let ids = DocumentationIds::new(&session.moment, &resolver);
        // Tables of one name are one, whatever its case.
        let mut named: BTreeMap<(String, Option<String>), Vec<&ArchitectureFact>> = BTreeMap::new();
        for fact in session
            .facts_of(ArchitectureKind::Table)
            .filter(|fact| begins(&fact.name, input.table_filter.as_deref()))
        {
            named
                .entry((fact.name.to_lowercase(), fact.schema.clone()))
                .or_default()
                .push(fact);
        }
        let total_count = named.len();
        let page = Page::of(
            &session,
            ("tables", &input.table_filter),
            input.cursor.as_deref(),
            limit,
        )?;
        let tables: Vec<Table> = page
            .cut(named.into_values().collect())
            .into_iter()
            .map(|facts| {
                facts.iter().for_each(|fact| session.shows(fact.file));
                let mut referenced_by: Vec<String> = facts
                    .iter()
                    .filter_map(|fact| fact.symbol)
                    .map(|symbol| ids.of(symbol))
                    .collect();
                referenced_by.dedup();
                Table {
                    table_name: facts[0].name.clone(),
                    schema: facts[0].schema.clone(),
                    entity_symbol: referenced_by.first().cloned(),
                    referenced_by,
                    confidence: facts
                        .iter()
                        .map(|fact| Confidence::from(fact.certainty))
                        .min()
                        .unwrap_or(Confidence::Medium),
                }
            })
            .collect();
        let answer = summary(
            total_count,
            "tables",
            tables.len(),
            page.is_cut(total_count),
        ) + &session.coverage();
        let confidence = tables
            .iter()
            .map(|table| table.confidence)
            .min()
            .unwrap_or(Confidence::Medium);
        let data = Tables {
            tables,
            total_count,
            truncated: page.is_cut(total_count),
            next_cursor: page.next(&session, total_count),
        };
        let evidence = session.not_understood();
        session.finish(answer, data, evidence, Vec::new(), confidence)
    }
}

fn line(session: &Session<'_>, fact: &ArchitectureFact) -> u32 {
    session
        .moment
        .facts(fact.file)
        .map_or(1, |facts| facts.lines.line_number(fact.span.start))
}

/// A prefix, in any case; a leading `/` may be left out.
fn begins(value: &str, filter: Option<&str>) -> bool {
    let Some(filter) = filter.map(str::trim).filter(|filter| !filter.is_empty()) else {
        return true;
    };
    let (value, filter) = (value.to_lowercase(), filter.to_lowercase());
    value.starts_with(&filter)
        || value
            .trim_start_matches('/')
            .starts_with(filter.trim_start_matches('/'))
}
