//! What commands about code share: the directory they mean, its synced index, a session on it, and
//! for `--json` the tools of the server's own registry.

use std::{
    cell::RefCell,
    fmt,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use answers::{
    Anchor, At, LookupError, Session, SymbolInfo, Waits,
    change::{AnswerTime, Opening},
    lookup::{self, Lookup, Wanted},
    search,
    session::FreshnessPolicy,
};
use anyhow::{Context as _, bail};
use clap::Args;
use engine::{Budget, Cut, FileId, SymbolId, query::search::Factors};
use facts::LanguageId;
use serde::Serialize;
use serde_json::{Map, Value};
use tools::{Answer, CODECOMPASS, Code, Context, Host, Registry, ServerFacts, contract, kinds};
use workspace::{FreshnessStatus, Meaning, Origin, Workspace};

use super::{
    ERROR, NOTHING, Settings, Told, found,
    paint::{self, Paint, count},
    progress,
};
use crate::{
    config::Config,
    host::{self, Directories, HostOptions},
};

/// Which directory a command is about.
#[derive(Args, Clone, Default)]
pub struct DirectoryArg {
    /// The repository, or a directory in it; the current one if absent
    #[arg(long, visible_alias = "workspace", value_name = "DIR")]
    path: Option<PathBuf>,
}

/// Which directory, at which commit or in its working tree.
#[derive(Args, Clone, Default)]
pub struct AtRef {
    #[command(flatten)]
    pub place: DirectoryArg,
    /// A branch, tag or commit; the working tree if absent
    #[arg(long = "ref", value_name = "REF")]
    pub reference: Option<String>,
}

/// One symbol by name, of which directory, at which commit.
#[derive(Args)]
pub struct NamedArg {
    /// `total`, `Cart.total`, or an id that another answer shows
    pub symbol: String,
    #[command(flatten)]
    pub at: AtRef,
    /// The file that defines it, where several define the name
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<String>,
}

impl NamedArg {
    /// A call of a tool about it.
    pub fn call<'a>(&self, cli: &'a CliSession, tool: &'static str) -> ContractCall<'a> {
        let path = self.file.as_deref().map(|file| cli.repository_path(file));
        let call = cli.call(tool).with("symbol_name", self.symbol.as_str());
        call.with("path", path)
    }

    /// The symbol that the name most likely means, with its overloads. What else it may mean is
    /// noted, and where it means nothing, why is printed.
    pub fn lookup(
        &self,
        cli: &CliSession,
        session: &Session,
        wanted: Wanted,
    ) -> anyhow::Result<Lookup> {
        let path = self.file.as_deref().map(|file| cli.repository_path(file));
        let found = cli.most_likely(session, &self.symbol, path.as_deref(), wanted);
        cli.check(session)?;
        let meant = found.map_err(|reason| cli.refuse(session, &self.symbol, reason))?;
        if let Anchor::Symbol(first) = meant.first() {
            note_inherited(session, &self.symbol, first);
        }
        Ok(meant)
    }
}

/// A call of the tool that answers for `--json`, by the contract of the server.
pub struct ContractCall<'a> {
    cli: &'a CliSession,
    tool: &'static str,
    arguments: Map<String, Value>,
}

impl ContractCall<'_> {
    /// Adds an argument; none is left out.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Where the tool refuses, its error is printed.
    pub fn ask(self) -> anyhow::Result<Answer> {
        let registry = Registry::of(&[CODECOMPASS]);
        let entry = registry.find(self.tool);
        let entry = entry.with_context(|| format!("no tool `{}`", self.tool))?;
        let arguments = Value::Object(self.arguments);
        let context = &self.cli.context;
        let answered = tools::invoke(entry, context, arguments);
        if context.cold.was_refused() {
            return Err(NeedsIndex.into());
        }
        if context.cold.was_used() {
            note_cold();
        }
        answered.map_err(|error| {
            if let contract::Wire::Failure { text } = CODECOMPASS.fail(&error, false) {
                eprintln!("{text}");
            }
            Told(match error.code {
                Code::Own("symbol_not_found") => NOTHING,
                _ => ExitCode::from(ERROR),
            })
            .into()
        })
    }

    pub fn print(self) -> anyhow::Result<ExitCode> {
        let answer = self.ask()?;
        print_answer(&answer)?;
        Ok(found(!answer.is_empty))
    }
}

/// An open workspace with the tools that answer about it.
pub struct CliSession {
    pub workspace: Arc<Workspace>,
    pub config: Config,
    context: Context,
    reference: Option<String>,
    /// The first session, where the tree is not indexed.
    cold: RefCell<Option<Session>>,
    /// What else the name of the command may mean, in other files.
    others: RefCell<Vec<SymbolId>>,
}

/// Whether a command may answer about a large tree before that is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstIndex {
    /// The command is run again with [`FirstIndex::Now`] if it turns out to need an index.
    Later,
    Now,
}

/// The command needs an index after all. Nothing is printed yet.
#[derive(Debug)]
pub struct NeedsIndex;

impl std::error::Error for NeedsIndex {}

impl fmt::Display for NeedsIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this needs an index: run `codecompass index`")
    }
}

/// Runs a command about names, which need no index.
pub fn without_index(
    run: impl Fn(FirstIndex) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    match run(FirstIndex::Later) {
        Err(error) if error.is::<NeedsIndex>() => run(FirstIndex::Now),
        done => done,
    }
}

impl DirectoryArg {
    /// The directory, which need not be indexed.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        match &self.path {
            Some(path) => Ok(path.clone()),
            None => match host::enclosing_project() {
                Some(path) => Ok(path),
                None => {
                    bail!("this is no project directory; go to one, or name one with --path DIR")
                }
            },
        }
    }

    pub fn config(&self, settings: &Settings) -> anyhow::Result<Config> {
        settings.config(self.path.as_deref())
    }

    pub fn workspace(&self, settings: &Settings) -> anyhow::Result<Arc<Workspace>> {
        let options = self.config(settings)?.workspace_options();
        Ok(Workspace::open(&self.directory()?, options)?)
    }
}

impl CliSession {
    /// Opens the workspace without looking at files.
    pub fn new(at: &AtRef, settings: &Settings) -> anyhow::Result<CliSession> {
        let directory = at.place.directory()?;
        let config = at.place.config(settings)?;
        let options = HostOptions {
            workspaces: vec![directory],
            config: config.clone(),
            ..HostOptions::default()
        };
        let host = Arc::new(Directories::new(options)?);
        let workspace = host.workspaces().find(None)?;
        let server = ServerFacts {
            version: env!("CARGO_PKG_VERSION"),
            started: Instant::now(),
            transport: "cli",
        };
        let context = Context::quiet(host, Arc::new(server));
        Ok(CliSession {
            workspace,
            config,
            context,
            reference: at.reference.clone(),
            cold: RefCell::default(),
            others: RefCell::default(),
        })
    }

    /// Opens, and indexes what is not indexed or has changed. A large tree that was never indexed
    /// stays so, where that is allowed.
    pub fn open_with(
        at: &AtRef,
        settings: &Settings,
        first_index: FirstIndex,
    ) -> anyhow::Result<CliSession> {
        let cli = CliSession::new(at, settings)?;
        if first_index == FirstIndex::Later {
            *cli.cold.borrow_mut() = cli.open_cold()?;
            if cli.cold.borrow().is_some() {
                return Ok(cli);
            }
        }
        cli.open_indexed()
    }

    /// Opens, and indexes what is not indexed or has changed.
    pub fn open_synced(at: &AtRef, settings: &Settings) -> anyhow::Result<CliSession> {
        CliSession::new(at, settings)?.open_indexed()
    }

    fn open_cold(&self) -> anyhow::Result<Option<Session>> {
        let workspaces = self.context.host.workspaces();
        let at = At::Ref(self.reference.as_deref());
        let (budget, cold) = (self.context.budget(), &self.context.cold);
        Ok(workspaces.open_cold(&self.workspace, at, budget, cold)?)
    }

    fn open_indexed(self) -> anyhow::Result<CliSession> {
        let cli = self;
        let workspace = &cli.workspace;
        let name = cli.reference.as_deref();
        let meaning = match workspace.meaning(name) {
            Err(_) if name.is_none() => Meaning::Live,
            meaning => meaning.map_err(|error| {
                anyhow::anyhow!("{error}; `git branch -a` and `git tag` list what there is")
            })?,
        };
        let is_known = match meaning {
            Meaning::Live => workspace.is_indexed() || workspace.is_bare(),
            Meaning::Commit(id) => workspace.indexed_commit(id)?.is_some(),
        };
        if !is_known {
            let started = Instant::now();
            let report = progress::take_in(workspace, name, false)?;
            let files = if report.files == 1 { "file" } else { "files" };
            eprintln!(
                "indexed {} {files} in {:.1} s",
                count(report.files),
                started.elapsed().as_secs_f64()
            );
        } else if meaning == Meaning::Live {
            cli.sync()?;
        }
        Ok(cli)
    }

    /// A person waits for the truth, and sees why; a server answers and says how fresh that is.
    fn sync(&self) -> anyhow::Result<()> {
        let n_outdated = self.workspace.outdated_files() as u64;
        let takes_what_there_is = self.config.freshness_policy() == "best_effort";
        match (n_outdated, takes_what_there_is) {
            (0, true) => {}
            (0, false) => drop(self.workspace.fresh_live(Waits::UNTIL_INDEXED.sync)?),
            (_, true) => {
                eprintln!(
                    "note: {}; `codecompass sync` reads them again",
                    outdated(n_outdated)
                );
            }
            (_, false) => {
                eprintln!("{}; they are read again", outdated(n_outdated));
                progress::take_in(&self.workspace, None, false)?;
            }
        }
        Ok(())
    }

    pub fn call(&self, tool: &'static str) -> ContractCall<'_> {
        let call = ContractCall {
            cli: self,
            tool,
            arguments: Map::new(),
        };
        match &self.reference {
            Some(name) => call.with("ref", name.as_str()),
            None => call,
        }
    }

    /// Opens what the command is about.
    pub fn session(&self) -> anyhow::Result<Session> {
        if let Some(session) = self.cold.take() {
            return Ok(session);
        }
        self.open(At::Ref(self.reference.as_deref()))
    }

    /// Before anything is printed: an answer for which the tree must be indexed is not given.
    pub fn check(&self, session: &Session) -> anyhow::Result<()> {
        match session.needs_index() {
            true => Err(NeedsIndex.into()),
            false => Ok(()),
        }
    }

    /// A person waits until all changed files are indexed, unless configured otherwise.
    fn patience(&self) -> (FreshnessPolicy, Waits) {
        let is_hasty = self.config.freshness_policy() == "best_effort";
        let mut waits = Waits::UNTIL_INDEXED;
        if is_hasty {
            waits.sync = Duration::ZERO;
        }
        let policy = if is_hasty {
            FreshnessPolicy::BestEffort
        } else {
            FreshnessPolicy::Balanced
        };
        (policy, waits)
    }

    /// Opens both sides of a change, each of which may work for so long.
    pub fn opening(&self, seconds: Option<u64>) -> Opening<'_> {
        let (policy, waits) = self.patience();
        let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let budget = move || match until {
            Some(until) => Budget::new(u64::MAX, Some(until), Arc::default()),
            None => self.context.budget(),
        };
        Opening {
            workspaces: self.context.host.workspaces(),
            workspace: self.workspace.clone(),
            policy,
            waits,
            budget: Box::new(budget),
            patience: AnswerTime::Unlimited,
        }
    }

    pub fn open(&self, at: At<'_>) -> anyhow::Result<Session> {
        let (policy, waits) = self.patience();
        let workspaces = self.context.host.workspaces();
        Ok(workspaces.open(
            self.workspace.clone(),
            at,
            policy,
            &waits,
            self.context.budget(),
        )?)
    }

    /// The symbol that a name most likely means, with its overloads. What else it may mean is kept for
    /// [`CliSession::note_others`].
    pub fn most_likely(
        &self,
        session: &Session,
        name: &str,
        defined_in: Option<&str>,
        wanted: Wanted,
    ) -> Result<Lookup, LookupError> {
        let (meant, others) = match lookup::lookup(session, name, defined_in, wanted) {
            Err(LookupError::Ambiguous { .. }) => {
                let best = lookup::best(session, name, wanted)?;
                (Lookup::from(&best), best.others)
            }
            found => (found?, Vec::new()),
        };
        self.others.replace(others);
        Ok(meant)
    }

    /// Tells why a name means no symbol.
    pub fn refuse(&self, session: &Session, name: &str, reason: LookupError) -> anyhow::Error {
        if let LookupError::Missing { .. } = &reason
            && let Some(why) = lookup::missing_place(session, name)
        {
            eprintln!("{}", paint::plain(&why));
            return Told(NOTHING).into();
        }
        let name = paint::plain(name);
        Told(match reason {
            LookupError::Missing { nearest } => {
                let nearest = match nearest.as_slice() {
                    [] => String::new(),
                    nearest => format!("; nearest: {}", nearest.join(", ")),
                };
                let not_read = lookup::not_read(session);
                eprintln!("no symbol `{name}`{nearest}{}", paint::plain(&not_read));
                NOTHING
            }
            LookupError::UnknownPath => {
                eprintln!("error: the file of --in is not in the index");
                ExitCode::from(ERROR)
            }
            LookupError::Unreadable => {
                eprintln!("error: {}", session.unreadable());
                ExitCode::from(ERROR)
            }
            // Where one of them can be chosen, it is answered for instead.
            LookupError::Ambiguous { .. } => {
                eprintln!(
                    "error: several symbols are named `{name}`; --in FILE or a qualified name decides"
                );
                ExitCode::from(ERROR)
            }
        })
        .into()
    }

    /// Tells which symbol an answer is about, where others have its name.
    pub fn note_others(&self, session: &Session, meant: &Lookup) {
        const MAX_SHOWN: usize = 10;
        let line = |anchor: Anchor| {
            SymbolInfo::of(session, anchor).map(|info| self.line(Paint::stdout(), &info))
        };
        let others = self.others.borrow();
        if others.is_empty() {
            return;
        }
        eprintln!("note: this is {}", line(meant.first()).unwrap_or_default());
        for other in others.iter().take(MAX_SHOWN) {
            eprintln!("  also {}", line((*other).into()).unwrap_or_default());
        }
        match others.len().checked_sub(MAX_SHOWN) {
            Some(n @ 1..) => eprintln!("  and {n} more; --in FILE or a qualified name decides"),
            _ => eprintln!("  --in FILE or a qualified name decides"),
        }
    }

    /// The file of a path below the root.
    pub fn file(&self, session: &Session, path: &str) -> anyhow::Result<FileId> {
        session
            .find_file(path)
            .ok_or_else(|| lookup::missing_file(session, path).into())
    }

    /// The path below the root that a path as seen from here means; as given where nothing is
    /// there.
    pub fn repository_path(&self, file: &str) -> String {
        let real = dunce::canonicalize(Path::new(file)).ok();
        let below = real
            .as_deref()
            .and_then(|real| real.strip_prefix(self.workspace.root()).ok());
        below.map_or_else(
            || file.to_owned(),
            |below| workspace::with_slashes(&below.to_string_lossy()).into_owned(),
        )
    }

    /// A file of the repository as seen from here.
    pub fn seen(&self, path: &str) -> String {
        paint::seen_from_here(self.workspace.root(), path)
    }

    /// A symbol with its place, kind and name.
    pub fn line(&self, paint: Paint, info: &SymbolInfo) -> String {
        self.row(paint, &SymbolRow::of(info))
    }

    pub fn row(&self, paint: Paint, row: &SymbolRow) -> String {
        format!(
            "{}: {} {}",
            paint.place(&self.seen(&row.path), row.line, row.column),
            paint.kind(row.kind),
            paint.name(&row.qualified_name)
        )
    }
}

/// What is wrong with files whose facts are of a former version.
pub fn outdated(n_files: u64) -> String {
    let were = if n_files == 1 {
        "file was"
    } else {
        "files were"
    };
    format!(
        "{} {were} indexed by a former version of codecompass",
        count(n_files)
    )
}

/// The word for a symbol's kind.
pub fn kind(info: &SymbolInfo) -> &'static str {
    kinds::names_of(info.kind).codecompass
}

/// What commands show of a symbol, for people and programs.
#[derive(Serialize)]
pub struct SymbolRow {
    path: String,
    line: u32,
    column: u32,
    kind: &'static str,
    name: String,
    qualified_name: String,
    /// Empty for what has no handle.
    symbol_id: String,
}

impl SymbolRow {
    /// Something that is no symbol, of one name.
    pub fn other(
        path: String,
        position: (u32, u32),
        kind: &'static str,
        name: String,
    ) -> SymbolRow {
        SymbolRow {
            path,
            line: position.0,
            column: position.1,
            kind,
            qualified_name: name.clone(),
            name,
            symbol_id: String::new(),
        }
    }

    /// The name and the place, for drawings.
    pub fn caption(&self) -> (String, String) {
        let place = format!("{}:{}", self.path, self.line);
        (self.qualified_name.clone(), place)
    }

    pub fn of(info: &SymbolInfo) -> SymbolRow {
        SymbolRow {
            path: info.path.clone(),
            line: info.name_position.0,
            column: info.name_position.1,
            kind: kind(info),
            name: info.name.clone(),
            qualified_name: info.qualified_name.clone(),
            symbol_id: info.symbol_id.to_string(),
        }
    }
}

/// The languages that `--lang` means; none where it is absent.
pub fn languages(word: Option<&str>) -> anyhow::Result<Vec<LanguageId>> {
    let found = word.map(search::languages_named).unwrap_or_default();
    match word {
        Some(word) if found.is_empty() => {
            let known = extract::LANGUAGES.iter().map(|language| language.name);
            let known = known.collect::<Vec<_>>().join(", ");
            bail!("unknown language `{}`; known: {known}", paint::plain(word))
        }
        _ => Ok(found),
    }
}

/// What a score is made of, for `--explain`.
pub fn print_factors(output: &mut impl Write, factors: &Factors) -> anyhow::Result<()> {
    for (name, value) in [
        ("exact_match_boost", factors.exact_match),
        ("name_likeness", factors.name_likeness),
        ("qualified_name_boost", factors.qualified_name),
        ("path_affinity", factors.path_affinity),
        ("definition_boost", factors.definition),
        ("kind_match", factors.kind_match),
        ("bm25_score", factors.bm25),
        ("file_score", factors.file_score),
        ("phrase_boost", factors.phrase),
        ("name_cover", factors.name_cover),
        ("penalty", factors.penalty),
        ("final_score", factors.score()),
    ] {
        if value != 0.0 {
            writeln!(output, "    {name} {value:?}")?;
        }
    }
    Ok(())
}

/// An answer for programs: pretty for a person who looks at it, one line for a pipe.
pub fn print_json(answer: &impl Serialize) -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    if output.is_terminal() {
        serde_json::to_writer_pretty(&mut output, answer)?;
    } else {
        serde_json::to_writer(&mut output, answer)?;
    }
    writeln!(output)?;
    Ok(())
}

/// What a tool answered, as it wrote it.
pub fn print_answer(answer: &Answer) -> anyhow::Result<()> {
    match (&answer.json, &answer.text) {
        (Some(json), _) if !std::io::stdout().is_terminal() => print_json(json),
        (None, Some(text)) => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
        _ => print_json(&answer.value()),
    }
}

/// Tells what an answer about a name is not: of one symbol alone, fresh, or complete.
pub fn note(session: &Session, meant: &Lookup, cut: Option<Cut>) {
    if let n @ 2.. = meant.overloads.len() {
        eprintln!(
            "note: {n} overloads are answered together; --json shows their ids, which ask for one"
        );
    }
    if let n @ 1.. = meant.others.len()
        && let Some(first) = SymbolInfo::of(session, meant.first())
    {
        eprintln!(
            "note: this is {}; {n} more of that name in the file, whose ids --json shows",
            paint::plain(&first.qualified_name)
        );
    }
    note_gaps(session, cut);
}

/// Tells which type declares a member that is named through one that inherits it.
pub fn note_inherited(session: &Session, name: &str, member: SymbolId) {
    if let Some(from) = lookup::inherited_from(session, name, member) {
        let (name, from) = (paint::plain(name), paint::plain(&from));
        eprintln!("note: {name} is inherited from {from}");
    }
}

/// Tells that an answer is complete without an index, and how the next ones come sooner.
pub fn note_cold() {
    eprintln!("note: answered without an index; `codecompass index` makes later answers quick");
}

/// Tells where an answer is not fresh, or not complete.
pub fn note_gaps(session: &Session, cut: Option<Cut>) {
    if session.view.cold().is_some() {
        note_cold();
    }
    let status = match session.freshness.status {
        FreshnessStatus::Stale => Some("stale"),
        FreshnessStatus::Syncing => Some("syncing"),
        _ => None,
    };
    if let Some(status) = status {
        eprintln!("note: this answer is {status}: `codecompass sync` takes the rest in");
    }
    if cut == Some(Cut::Unreadable) {
        eprintln!("note: {}", session.unreadable());
    }
    if cut == Some(Cut::Values) {
        eprintln!(
            "note: calls through function values were followed in part; there may be more of them"
        );
    }
    if let Origin::Memory { .. } = session.workspace.origin() {
        eprintln!(
            "note: the index directory cannot be written; the index is kept in memory and ends with this process"
        );
    }
}
