//! `surfaces.list_endpoints`, `surfaces.list_config_keys` and `surfaces.list_db_tables`: what the
//! program offers and what it needs.

use std::{cmp::Reverse, collections::BTreeMap};

use answers::{Session, handle::DocumentationIds};
use engine::{
    FileId,
    query::architecture::{ArchitectureFact, ArchitectureKind, Subject, TableSource},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    budgets,
    cursor::{Page, PageInfo},
    envelope::{Confidence, Envelope, summary},
    request::{Request, Target},
    symbols,
};
use crate::{Context, Tool, ToolError};

pub struct ListEndpoints;
pub struct ListConfigKeys;
pub struct ListDbTables;

/// What was seen of one framework.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameworkCoverage {
    pub framework: &'static str,
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
pub fn ledger(session: &Session) -> Vec<FrameworkCoverage> {
    let architecture = session.architecture();
    let place = |file: FileId, offset: u32| CoveragePlace {
        file_path: session.path(file).to_owned(),
        line: line(session, file, offset),
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
                framework: name,
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
            framework: name,
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
    rows.sort_by(|a, b| a.framework.cmp(b.framework));
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
    at: Target,
    /// Prefix.
    path_filter: Option<String>,
    http_method: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Endpoints {
    endpoints: Vec<Endpoint>,
    #[serde(flatten)]
    page: PageInfo,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Endpoint {
    /// `ANY` where the framework takes every method.
    http_method: String,
    route_path: String,
    handler_symbol: String,
    file_path: String,
    line: u32,
    confidence: Confidence,
    framework: &'static str,
}

impl Tool for ListEndpoints {
    const NAME: &'static str = "surfaces.list_endpoints";
    type Input = EndpointsInput;
    type Output = Envelope<Endpoints>;

    fn run(context: &Context, input: EndpointsInput) -> Result<Envelope<Endpoints>, ToolError> {
        let method = input.http_method.as_deref().map(str::trim);
        let question = FactQuestion {
            target: &input.at,
            kind: ArchitectureKind::Route,
            what: "endpoints",
            filter: input.path_filter.as_deref(),
            method: method.filter(|method| !method.is_empty()),
            limit: input.limit,
            cursor: input.cursor.as_deref(),
        };
        let show =
            |request: &Request<'_>, ids: &DocumentationIds<'_>, facts: &[&ArchitectureFact]| {
                let fact = facts[0];
                Endpoint {
                    http_method: detail(&fact.subject),
                    route_path: fact.name.clone(),
                    handler_symbol: symbols::id_or_file(request, ids, fact.symbol, fact.file),
                    file_path: request.path(fact.file).to_owned(),
                    line: line(request, fact.file, fact.span.start),
                    confidence: fact.certainty.into(),
                    framework: fact.framework,
                }
            };
        question.answer(context, distinct_routes, show, |endpoints, page| {
            Endpoints { endpoints, page }
        })
    }
}

/// Two frameworks may read one registration: the surer one counts.
fn distinct_routes(mut routes: Vec<&ArchitectureFact>) -> Vec<Vec<&ArchitectureFact>> {
    routes.sort_by(|a, b| {
        let key = |fact: &ArchitectureFact| (fact.file, fact.span.start, Reverse(fact.certainty));
        (&a.name, &a.subject, key(a)).cmp(&(&b.name, &b.subject, key(b)))
    });
    routes.dedup_by(|a, b| {
        a.name == b.name && a.subject == b.subject && a.file == b.file && a.span == b.span
    });
    one_by_one(routes)
}

/// Configuration keys and environment variables that the program reads.
#[derive(Deserialize, JsonSchema)]
pub struct KeysInput {
    #[serde(flatten)]
    at: Target,
    /// Prefix.
    key_filter: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Keys {
    keys: Vec<ConfigKey>,
    #[serde(flatten)]
    page: PageInfo,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigKey {
    key: String,
    used_by_symbol: String,
    file_path: String,
    line: u32,
    usage_pattern: String,
    confidence: Confidence,
}

impl Tool for ListConfigKeys {
    const NAME: &'static str = "surfaces.list_config_keys";
    type Input = KeysInput;
    type Output = Envelope<Keys>;

    fn run(context: &Context, input: KeysInput) -> Result<Envelope<Keys>, ToolError> {
        let question = FactQuestion {
            target: &input.at,
            kind: ArchitectureKind::Key,
            what: "uses of configuration keys",
            filter: input.key_filter.as_deref(),
            method: None,
            limit: input.limit,
            cursor: input.cursor.as_deref(),
        };
        let show =
            |request: &Request<'_>, ids: &DocumentationIds<'_>, facts: &[&ArchitectureFact]| {
                let fact = facts[0];
                ConfigKey {
                    key: fact.name.clone(),
                    used_by_symbol: symbols::id_or_file(request, ids, fact.symbol, fact.file),
                    file_path: request.path(fact.file).to_owned(),
                    line: line(request, fact.file, fact.span.start),
                    usage_pattern: detail(&fact.subject),
                    confidence: fact.certainty.into(),
                }
            };
        question.answer(context, one_by_one, show, |keys, page| Keys { keys, page })
    }
}

/// Database tables that the program's models name.
#[derive(Deserialize, JsonSchema)]
pub struct TablesInput {
    #[serde(flatten)]
    at: Target,
    /// Prefix.
    table_filter: Option<String>,
    limit: Option<i64>,
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DbTables {
    tables: Vec<DbTable>,
    #[serde(flatten)]
    page: PageInfo,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DbTable {
    table_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    /// The property that is the set of its rows; its class where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_symbol: Option<String>,
    referenced_by: Vec<String>,
    confidence: Confidence,
}

impl Tool for ListDbTables {
    const NAME: &'static str = "surfaces.list_db_tables";
    type Input = TablesInput;
    type Output = Envelope<DbTables>;

    fn run(context: &Context, input: TablesInput) -> Result<Envelope<DbTables>, ToolError> {
        let question = FactQuestion {
            target: &input.at,
            kind: ArchitectureKind::Table,
            what: "tables",
            filter: input.table_filter.as_deref(),
            method: None,
            limit: input.limit,
            cursor: input.cursor.as_deref(),
        };
        let show = |_: &Request<'_>, ids: &DocumentationIds<'_>, facts: &[&ArchitectureFact]| {
            let symbols = facts.iter().filter_map(|fact| fact.symbol);
            let mut referenced_by: Vec<String> = symbols.map(|symbol| ids.of(symbol)).collect();
            referenced_by.dedup();
            DbTable {
                table_name: facts[0].name.clone(),
                schema: facts[0].schema.clone(),
                entity_symbol: referenced_by.first().cloned(),
                referenced_by,
                confidence: confidence(facts.iter().copied()),
            }
        };
        question.answer(context, by_table, show, |tables, page| DbTables {
            tables,
            page,
        })
    }
}

/// DbTables of one name are one, whatever its case.
fn by_table(facts: Vec<&ArchitectureFact>) -> Vec<Vec<&ArchitectureFact>> {
    let mut named: BTreeMap<(String, &Option<String>), Vec<&ArchitectureFact>> = BTreeMap::new();
    for fact in facts {
        let key = (fact.name.to_lowercase(), &fact.schema);
        named.entry(key).or_default().push(fact);
    }
    named.into_values().collect()
}

fn one_by_one(facts: Vec<&ArchitectureFact>) -> Vec<Vec<&ArchitectureFact>> {
    facts.into_iter().map(|fact| vec![fact]).collect()
}

/// Which facts of one kind are asked for.
struct FactQuestion<'a> {
    target: &'a Target,
    kind: ArchitectureKind,
    /// As the answer calls them.
    what: &'static str,
    filter: Option<&'a str>,
    method: Option<&'a str>,
    limit: Option<i64>,
    cursor: Option<&'a str>,
}

impl FactQuestion<'_> {
    /// A page of groups of facts; each group is shown as one item.
    fn answer<Item, Data: Serialize>(
        &self,
        context: &Context,
        group: fn(Vec<&ArchitectureFact>) -> Vec<Vec<&ArchitectureFact>>,
        show: impl Fn(&Request<'_>, &DocumentationIds<'_>, &[&ArchitectureFact]) -> Item,
        data: fn(Vec<Item>, PageInfo) -> Data,
    ) -> Result<Envelope<Data>, ToolError> {
        let request = Request::open(context, self.target)?;
        let limit = request.allow(budgets::RESULTS, self.limit);
        let page = Page::of(
            &request,
            (self.what, self.filter, self.method),
            self.cursor,
            limit,
        )?;
        let resolver = request.resolver();
        let ids = DocumentationIds::new(&request, &resolver);
        let facts = request.architecture().facts.iter();
        let groups = group(facts.filter(|fact| self.wants(fact)).collect());
        let total = groups.len();
        let groups = page.cut(groups);
        let shown = || groups.iter().flatten().copied();
        shown().for_each(|fact| request.shows(fact.file));
        let confidence = confidence(shown());
        let items = groups.iter().map(|facts| show(&request, &ids, facts));
        let data = data(items.collect(), page.info(&request, total));
        let answer =
            summary(total, self.what, groups.len(), page.is_cut(total)) + &coverage(&request);
        let evidence = request.line_evidence(&not_understood(&request));
        request.finish(answer, data, evidence, Vec::new(), confidence)
    }

    fn wants(&self, fact: &ArchitectureFact) -> bool {
        let is_of = |method: &str| detail(&fact.subject).eq_ignore_ascii_case(method);
        fact.kind() == self.kind && begins(&fact.name, self.filter) && self.method.is_none_or(is_of)
    }
}

/// That of the least sure fact.
fn confidence<'a>(facts: impl Iterator<Item = &'a ArchitectureFact>) -> Confidence {
    facts
        .map(|fact| Confidence::from(fact.certainty))
        .min()
        .unwrap_or(Confidence::Medium)
}

/// What was looked for and what could not be read, so that silence is not taken for absence.
fn coverage(session: &Session) -> String {
    let architecture = session.architecture();
    let seen: Vec<&str> = architecture
        .coverage
        .iter()
        .filter(|(_, coverage)| coverage.facts > 0 || !coverage.not_understood.is_empty())
        .map(|(name, _)| *name)
        .collect();
    let mut told = match seen.is_empty() {
        true => " No supported framework was seen.".to_owned(),
        false => format!(" Frameworks seen: {}.", seen.join(", ")),
    };
    let unsupported = architecture.unsupported.iter();
    let unsupported: Vec<&str> = unsupported.map(|(name, _)| *name).collect();
    if !unsupported.is_empty() {
        told += &format!(" Used here but not read: {}.", unsupported.join(", "));
    }
    let coverage = architecture.coverage.values();
    let n_unread: usize = coverage.map(|coverage| coverage.not_understood.len()).sum();
    if n_unread > 0 {
        told += &format!(" {n_unread} places could not be read statically.");
    }
    told
}

/// The first places that could not be read statically.
fn not_understood(session: &Session) -> Vec<(FileId, u32)> {
    let coverage = session.architecture().coverage.values();
    let places = coverage.flat_map(|coverage| &coverage.not_understood);
    places
        .take(5)
        .map(|(file, span)| (*file, span.start))
        .collect()
}

fn line(session: &Session, file: FileId, offset: u32) -> u32 {
    session
        .facts(file)
        .map_or(1, |facts| facts.lines.line_number(offset))
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
