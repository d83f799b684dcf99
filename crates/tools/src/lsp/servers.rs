//! Language servers as provider: asked where the user trusts the workspace and a server is ready,
//! and only then. Else the index answers, and the summary says who did. What a server answers is
//! brought into the contract's form here.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use answers::Session;
use facts::LineIndex;
use language_servers::{
    self as servers, Answer, Error, Limit, Place, Pool, PoolSettings, Readiness, ServerReport,
    ServerSpec, State, Trusted,
};
use rustc_hash::FxHashMap;

use super::{
    MOST_IN_ALL, columns,
    documents::{self, Document, Indexed},
    errors,
    shapes::{
        self, Diagnostic, DocumentSymbol, FileDiagnostics, Fragment, FragmentKind, Location,
        Position, Range, WorkspaceSymbol,
    },
};
use crate::{Context, Roots, ToolError, file_uri, path_of_uri};
use workspace::Workspace;

/// Who may answer: `--lsp-provider`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProviderChoice {
    /// A language server that is ready, else the index.
    #[default]
    Auto,
    /// Language servers only.
    Lsp,
    /// The index only; no language server starts.
    Index,
}

/// The pool, started with the first question that may need it.
#[derive(Default)]
pub struct Servers {
    choice: ProviderChoice,
    settings: PoolSettings,
    pool: OnceLock<Started>,
}

struct Started {
    pool: Pool,
    /// A generation that no other pool begins with: what servers do is counted from zero in every
    /// process.
    generation: u64,
}

/// Room for what the servers of one pool may do: become ready, publish.
const EPOCHS_PER_GENERATION: u64 = 1 << 32;

/// Who answers a question.
pub enum Served<T> {
    Server {
        value: T,
        server: Arc<str>,
    },
    /// The index has to; why no server did, where one might have.
    Index {
        why: Option<String>,
    },
}

impl<T> Served<T> {
    /// The answer and what a summary adds about who gave it: the server's, or that of the index
    /// about the document that `indexed` finds.
    pub fn or_index<R>(
        self,
        from_server: impl FnOnce(T) -> Result<R, ToolError>,
        indexed: impl FnOnce() -> Result<Indexed, ToolError>,
        from_index: impl FnOnce(&Indexed) -> Result<R, ToolError>,
    ) -> Result<(R, String), ToolError> {
        match self {
            Served::Server { value, server } => {
                Ok((from_server(value)?, format!("Provider: {server}.")))
            }
            Served::Index { why } => {
                let indexed = indexed()?;
                let provider = documents::provided_by_index(&indexed.session, why);
                Ok((from_index(&indexed)?, provider))
            }
        }
    }
}

/// Why no server answers.
struct NoServer {
    /// For a user who wants servers only.
    reason: String,
    /// What a summary says, where a server might have answered.
    note: Option<String>,
}

impl NoServer {
    /// What is expected: nothing is said about it.
    fn silent(reason: impl Into<String>) -> NoServer {
        NoServer {
            reason: reason.into(),
            note: None,
        }
    }

    fn noted(reason: impl Into<String>) -> NoServer {
        let reason = reason.into();
        NoServer {
            note: Some(reason.clone()),
            reason,
        }
    }
}

/// A document's text, as it is on disk now.
pub struct Text(String);

/// One project that one server serves.
pub struct Project {
    /// Any of its documents.
    pub anchor: Document,
    /// The extensions that its server claims.
    pub extensions: Vec<String>,
    pub root: PathBuf,
}

const UNTRUSTED: &str =
    "the workspace is not trusted: `codecompass trust` lets language servers start";
/// The longest a question waits for its server where the call itself may take longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is left for the index when a server did not answer in time.
const RESERVE: Duration = Duration::from_millis(500);
/// The longest document handed to a server.
const LONGEST_TEXT: u64 = 8 << 20;

impl Servers {
    pub fn new(choice: ProviderChoice, settings: PoolSettings) -> Servers {
        Servers {
            choice,
            settings,
            pool: OnceLock::new(),
        }
    }

    /// The pool, if any question has needed it.
    pub fn pool(&self) -> Option<&Pool> {
        self.pool.get().map(|started| &started.pool)
    }

    /// One of the pool's epochs, apart from those of every earlier pool; 0 while there is none.
    pub fn epoch(&self, of: impl Fn(&Pool) -> u64) -> u64 {
        self.pool.get().map_or(0, |started| {
            started
                .generation
                .wrapping_mul(EPOCHS_PER_GENERATION)
                .wrapping_add(of(&started.pool))
        })
    }

    fn started(&self, workspace: &Workspace) -> Result<&Pool, ToolError> {
        if self.pool.get().is_none() {
            let generation = workspace
                .store()
                .next_generation()
                .map_err(|error| ToolError::internal(error.to_string()))?;
            self.pool.get_or_init(|| Started {
                pool: Pool::new(Vec::new(), self.settings.clone()),
                generation,
            });
        }
        self.pool()
            .ok_or_else(|| ToolError::internal("no pool of language servers"))
    }

    /// What this machine has of the servers that we know.
    pub fn reports(&self) -> Vec<ServerReport> {
        servers::detect(&self.settings.catalogue, &self.settings.search_path)
    }

    /// Whether servers may be asked about a workspace.
    pub fn may_serve(&self, context: &Context, root: &Path) -> bool {
        self.choice != ProviderChoice::Index && context.host.is_trusted(root)
    }

    /// Asks the server of a document.
    pub fn ask<T>(
        &self,
        context: &Context,
        document: &Document,
        question: impl FnOnce(&Pool, &Limit) -> Result<Answer<T>, Error>,
    ) -> Result<Served<T>, ToolError> {
        match self.ask_server(context, document, question)? {
            Ok((value, server)) => Ok(Served::Server { value, server }),
            Err(none) if self.choice == ProviderChoice::Lsp => {
                Err(errors::provider_unavailable(none.reason))
            }
            Err(none) => Ok(Served::Index { why: none.note }),
        }
    }

    fn ask_server<T>(
        &self,
        context: &Context,
        document: &Document,
        question: impl FnOnce(&Pool, &Limit) -> Result<Answer<T>, Error>,
    ) -> Result<Result<(T, Arc<str>), NoServer>, ToolError> {
        if self.choice == ProviderChoice::Index {
            return Ok(Err(NoServer::silent("only the index is asked")));
        }
        let root = document.workspace.root();
        if !context.host.is_trusted(root) {
            if let Some(pool) = self.pool() {
                pool.keep_trusted(|root| context.host.is_trusted(root));
            }
            return Ok(Err(NoServer::silent(UNTRUSTED)));
        }
        let trusted = Trusted::by_decision_of_the_user(root)
            .map_err(|error| ToolError::internal(error.to_string()))?;
        let pool = self.started(&document.workspace)?;
        pool.trust(trusted);
        let must_wait = self.choice == ProviderChoice::Lsp;
        let why = match pool.prepare(&document.real) {
            Ok(State::Ready) => None,
            Ok(State::Silent | State::Idle | State::Starting | State::Loading) if must_wait => None,
            Ok(State::Silent) => Some("the language server does not answer"),
            Ok(State::Idle | State::Starting | State::Loading) => {
                Some("a language server is starting")
            }
            Ok(State::Paused { .. } | State::GivenUp) => Some("the language server crashed"),
            Ok(State::Stopped) => Some("the language server was stopped"),
            Err(error) => return self.failed(error).map(Err),
        };
        if let Some(why) = why {
            return Ok(Err(NoServer::noted(why)));
        }
        let reserve = if must_wait {
            Duration::from_millis(100)
        } else {
            RESERVE
        };
        let deadline = context
            .deadline_before(reserve)
            .min(Instant::now() + PATIENCE);
        let limit = Limit {
            deadline,
            cancelled: context.cancel.flag(),
        };
        match question(pool, &limit) {
            Ok(Answer {
                value,
                readiness: Readiness::Ready,
                server,
            }) => Ok(Ok((value, server))),
            Ok(Answer { server, .. }) => {
                Ok(Err(NoServer::noted(format!("{server} is still loading"))))
            }
            Err(error) => self.failed(error).map(Err),
        }
    }

    /// What becomes of an unfinished answer: it is none.
    pub fn unsettled<T>(&self, server: &str) -> Result<Served<T>, ToolError> {
        match self.choice {
            ProviderChoice::Lsp => Err(ToolError::timed_out()),
            _ => Ok(Served::Index {
                why: Some(format!("{server} has not finished")),
            }),
        }
    }

    fn failed(&self, error: Error) -> Result<NoServer, ToolError> {
        let note = match &error {
            Error::Cancelled => return Err(ToolError::cancelled()),
            Error::TimedOut { .. } if self.choice == ProviderChoice::Lsp => {
                return Err(ToolError::timed_out());
            }
            // Not every language has a server, and not every server every answer: that is no
            // failure.
            Error::NoServer { .. } | Error::Untrusted | Error::Unsupported { .. } => None,
            Error::Starting { server } => Some(format!("{server} is starting")),
            Error::TimedOut { server, .. } => Some(format!("{server} did not answer in time")),
            Error::Unavailable { server, .. }
            | Error::Refused { server, .. }
            | Error::Malformed { server, .. }
            | Error::Gone { server, .. } => {
                tracing::warn!(%error, "the language server failed");
                Some(format!("{server} failed"))
            }
        };
        Ok(NoServer {
            reason: error.to_string(),
            note,
        })
    }

    /// The projects of a workspace, by the servers that its files may need, in order of root.
    pub fn projects(&self, context: &Context, session: &Session) -> Vec<Project> {
        let mut projects: BTreeMap<(PathBuf, Vec<&str>), Project> = BTreeMap::new();
        let mut roots: FxHashMap<(PathBuf, &str), PathBuf> = FxHashMap::default();
        for (_, file) in session.snapshot().files() {
            let real = session.workspace.root().join(file.path.as_str());
            let Some(extension) = real.extension().and_then(|extension| extension.to_str()) else {
                continue;
            };
            let specs: Vec<&ServerSpec> = self
                .settings
                .catalogue
                .servers
                .iter()
                .filter(|spec| spec.extensions.contains_key(extension))
                .collect();
            let Some(spec) = specs.first() else { continue };
            if !context.roots().contains(&real) {
                continue;
            }
            let directory = real.parent().unwrap_or(&real).to_path_buf();
            let root = roots.entry((directory, &spec.name)).or_insert_with(|| {
                servers::project_root(&real, session.workspace.root(), &spec.root_markers)
            });
            let key = (
                root.clone(),
                specs.iter().map(|spec| spec.name.as_str()).collect(),
            );
            projects.entry(key).or_insert_with(|| Project {
                anchor: Document {
                    uri: file_uri(&real),
                    real: real.clone(),
                    workspace: session.workspace.clone(),
                },
                extensions: spec.extensions.keys().cloned().collect(),
                root: root.clone(),
            });
        }
        projects.into_values().collect()
    }
}

/// Which files of a workspace servers have answered for, and who they were.
#[derive(Default)]
pub struct Covered {
    projects: Vec<(PathBuf, Vec<String>)>,
    names: BTreeSet<String>,
    notes: BTreeSet<String>,
    /// The index has to answer for the rest.
    needs_index: bool,
    /// It has: for a project without a server that answered, or with something of its own.
    index_answered: bool,
}

impl Servers {
    /// Asks the server of every project of a workspace; `take` gets each answer, and may say why it
    /// does not count.
    pub fn ask_all<T>(
        &self,
        context: &Context,
        session: &Session,
        covered: &mut Covered,
        question: impl Fn(&Pool, servers::Document<'_>, &Limit) -> Result<Answer<T>, Error>,
        mut take: impl FnMut(&Project, T) -> Result<(), String>,
    ) -> Result<(), ToolError> {
        if !self.may_serve(context, session.workspace.root()) {
            (covered.needs_index, covered.index_answered) = (true, true);
            return match self.choice {
                ProviderChoice::Lsp => Err(errors::provider_unavailable(UNTRUSTED)),
                _ => Ok(()),
            };
        }
        for project in self.projects(context, session) {
            context.check()?;
            let text = Text::read(context, &project.anchor)?;
            let asked = self.ask_server(context, &project.anchor, |pool, limit| {
                question(pool, text.document(&project.anchor), limit)
            });
            // A language without a server does not keep the others from their answers.
            let why = match asked? {
                Ok((value, server)) => match take(&project, value) {
                    Ok(()) => {
                        covered.names.insert(server.to_string());
                        covered.projects.push((project.root, project.extensions));
                        continue;
                    }
                    Err(why) => Some(format!("{server} {why}")),
                },
                Err(none) if self.choice == ProviderChoice::Lsp => Some(none.reason),
                Err(none) => none.note,
            };
            covered.notes.extend(why);
            covered.index_answered |= self.choice != ProviderChoice::Lsp;
        }
        covered.needs_index |= self.choice != ProviderChoice::Lsp;
        if !covered.needs_index && covered.names.is_empty() {
            let why = covered
                .notes
                .first()
                .map_or("no language server serves this workspace", String::as_str);
            return Err(errors::provider_unavailable(why));
        }
        Ok(())
    }
}

impl Covered {
    /// Whether the index has to answer for what no server answered for.
    pub fn needs_index(&self) -> bool {
        self.needs_index
    }

    /// Takes from the index what it has on files that no server answered for.
    pub fn add<T>(&mut self, to: &mut Vec<T>, from_index: impl IntoIterator<Item = T>) {
        let n_before = to.len();
        to.extend(from_index);
        self.index_answered |= to.len() > n_before;
    }

    pub fn note(&mut self, note: &str) {
        self.notes.insert(note.to_owned());
    }

    pub fn covers(&self, uri: &str) -> bool {
        let Ok(path) = path_of_uri(uri) else {
            return false;
        };
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default();
        self.projects.iter().any(|(root, extensions)| {
            path.starts_with(root) && extensions.iter().any(|known| known == extension)
        })
    }

    /// What a summary adds about who answered.
    pub fn label(&self, sessions: &[Rc<Session>]) -> String {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut notes: Vec<&str> = self.notes.iter().map(String::as_str).collect();
        if self.index_answered || (self.needs_index && names.is_empty()) {
            names.push("index");
            if sessions.iter().any(|session| !session.freshness.is_fresh()) {
                notes.push("files changed since");
            }
        }
        let notes = if notes.is_empty() {
            String::new()
        } else {
            format!(" ({})", notes.join("; "))
        };
        format!("Provider: {}{notes}.", names.join(", "))
    }
}

impl Text {
    pub fn read(context: &Context, document: &Document) -> Result<Text, ToolError> {
        let (file, _) = context.roots().open(&document.real)?;
        let mut bytes = Vec::new();
        file.take(LONGEST_TEXT + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| errors::not_found("the document cannot be read"))?;
        if bytes.len() as u64 > LONGEST_TEXT {
            return Err(errors::provider_unavailable("the document is too large"));
        }
        Ok(Text(String::from_utf8(bytes).unwrap_or_else(|error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })))
    }

    /// That the document has a position.
    pub fn check(&self, position: Position) -> Result<(), ToolError> {
        let offset = columns::offset(&LineIndex::new(&self.0), &self.0, position);
        offset
            .map(|_| ())
            .ok_or_else(|| documents::no_position(position))
    }

    pub fn document<'a>(&'a self, document: &'a Document) -> servers::Document<'a> {
        servers::Document {
            path: &document.real,
            text: &self.0,
        }
    }

    pub fn place<'a>(&'a self, document: &'a Document, position: Position) -> Place<'a> {
        let position = servers::LspPosition {
            line: position.line,
            character: position.character,
        };
        Place {
            document: self.document(document),
            unsaved: &[],
            position,
        }
    }
}

/// The files that servers name, as real paths inside the roots.
pub struct Inside<'a> {
    roots: &'a Roots,
    known: FxHashMap<String, Option<String>>,
}

impl<'a> Inside<'a> {
    pub fn new(roots: &'a Roots) -> Inside<'a> {
        Inside {
            roots,
            known: FxHashMap::default(),
        }
    }

    /// The one spelling of a URI; `None` for what lies outside, or is no file.
    fn uri(&mut self, uri: &str) -> Option<String> {
        if let Some(known) = self.known.get(uri) {
            return known.clone();
        }
        let inside = path_of_uri(uri)
            .ok()
            .and_then(|path| self.roots.check(&path).ok())
            .map(|real| file_uri(&real));
        self.known.insert(uri.to_owned(), inside.clone());
        inside
    }

    pub fn location(&mut self, location: servers::LspLocation) -> Option<Location> {
        Some(Location {
            uri: self.uri(&location.uri)?,
            range: range(location.range),
        })
    }

    pub fn locations(&mut self, locations: Vec<servers::LspLocation>) -> Vec<Location> {
        let mut inside: Vec<Location> = locations
            .into_iter()
            .filter_map(|location| self.location(location))
            .collect();
        shapes::sort_locations(&mut inside);
        inside
    }

    pub fn symbols(&mut self, symbols: Vec<servers::LspWorkspaceSymbol>) -> Vec<WorkspaceSymbol> {
        let symbol = |symbol: servers::LspWorkspaceSymbol| {
            Some(WorkspaceSymbol::new(
                self.location(symbol.location)?,
                symbol.name,
                symbol.kind,
                symbol.container_name,
            ))
        };
        symbols.into_iter().filter_map(symbol).collect()
    }

    pub fn files(
        &mut self,
        files: Vec<(String, Vec<servers::LspDiagnostic>)>,
    ) -> Vec<FileDiagnostics> {
        let mut inside: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for (uri, items) in files {
            let Some(uri) = self.uri(&uri) else { continue };
            inside
                .entry(uri.clone())
                .or_default()
                .extend(diagnostics(&uri, items));
        }
        let mut files: Vec<FileDiagnostics> = inside
            .into_iter()
            .map(|(uri, diagnostics)| FileDiagnostics { uri, diagnostics })
            .collect();
        files
            .iter_mut()
            .for_each(|file| shapes::sort_diagnostics(&mut file.diagnostics));
        files.retain(|file| !file.diagnostics.is_empty());
        files
    }
}

pub fn diagnostics(uri: &str, items: Vec<servers::LspDiagnostic>) -> Vec<Diagnostic> {
    let diagnostic = |item: servers::LspDiagnostic| {
        Diagnostic::new(
            uri,
            range(item.range),
            item.severity,
            item.code,
            item.source,
            item.message,
        )
    };
    let mut diagnostics: Vec<Diagnostic> = items.into_iter().map(diagnostic).collect();
    shapes::sort_diagnostics(&mut diagnostics);
    diagnostics
}

pub fn hover(hover: Option<servers::LspHover>) -> (Vec<Fragment>, Option<Range>) {
    let Some(hover) = hover else {
        return (Vec::new(), None);
    };
    let fragment = |markup: servers::Markup| Fragment {
        kind: match markup.kind {
            servers::MarkupKind::Markdown => FragmentKind::Markdown,
            servers::MarkupKind::Plaintext => FragmentKind::Plaintext,
        },
        value: markup.value,
    };
    (
        hover.contents.into_iter().map(fragment).collect(),
        hover.range.map(range),
    )
}

/// Depth first, children in order of their ranges, each with its parent's name.
pub fn flatten(
    uri: &str,
    symbols: Vec<servers::LspDocumentSymbol>,
) -> Result<Vec<DocumentSymbol>, ToolError> {
    let mut flat = Vec::new();
    let mut rest: Vec<(servers::LspDocumentSymbol, Option<String>)> = Vec::new();
    let push = |rest: &mut Vec<_>,
                mut symbols: Vec<servers::LspDocumentSymbol>,
                parent: Option<String>| {
        symbols.sort_by_key(|symbol| symbol.range);
        rest.extend(
            symbols
                .into_iter()
                .rev()
                .map(|symbol| (symbol, parent.clone())),
        );
    };
    push(&mut rest, symbols, None);
    while let Some((symbol, parent)) = rest.pop() {
        if flat.len() == MOST_IN_ALL {
            return Err(errors::too_many("symbols in the document", MOST_IN_ALL));
        }
        push(&mut rest, symbol.children, Some(symbol.name.clone()));
        flat.push(DocumentSymbol::new(
            uri,
            symbol.name,
            symbol.kind,
            range(symbol.range),
            range(symbol.selection_range),
            parent.or(symbol.container_name),
        ));
    }
    shapes::sort_document_symbols(&mut flat);
    Ok(flat)
}

fn range(range: servers::LspRange) -> Range {
    let position = |position: servers::LspPosition| Position {
        line: position.line,
        character: position.character,
    };
    Range {
        start: position(range.start),
        end: position(range.end),
    }
}
