//! `symbol`: what is asked about symbols by name, or a summary of them.

use std::{collections::BTreeSet, fmt::Write as _};

use answers::{
    LookupError, Session, Wanted,
    across::{Sought, own_name},
    dead_code::{self, DeadScope},
    excerpts, history,
    lookup::{self, BestLookup},
    outline::{Outline, OutlineEntry, OutlineSymbol},
    references::References,
    source::{self, SourceRange},
    symbol,
    symbol_report::{self, FileUsages, ImplicitPlaces, Relative, Usages, User, local_name},
    tests_to_run,
};
use engine::{
    FileId, RepoPath, SymbolId,
    query::{CodeUnit, Related, search::is_test_or_docs},
};
use schemars::JsonSchema;
use serde::Deserialize;
use workspace::Source;

use super::{
    opened, test_list,
    text::{self, Page, counted, numbers},
};
use crate::{Context, PlainText, Tool, ToolError, across};

pub struct AboutSymbol;

/// Tells about symbols by name: `Cart.total`, `total/1`, `Cart.java:342`. Lists are complete, by file, each caller with the line of its name and its call sites. Without `show`, a summary. `source` takes `path:10-40`, `outline` a path.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    symbols: Vec<String>,
    #[serde(default)]
    show: Vec<Section>,
    /// Continue after this file
    after: Option<String>,
    r#ref: Option<String>,
    workspace: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Definition,
    Signature,
    Callers,
    Callees,
    References,
    Implementations,
    Overrides,
    Supertypes,
    Subtypes,
    Tests,
    Dead,
    History,
    Outline,
    Source,
}

/// Tokens of one answer. What does not fit is left out by whole files, and counted.
const MAX_TOKENS: usize = 6_000;
/// Names of one call.
const MAX_NAMES: usize = 20;
/// Other symbols of the same name that are shown, one line each.
const MAX_OTHERS: usize = 5;
/// Commands that run tests.
const MAX_COMMANDS: usize = 5;
/// What a summary shows of each list.
const MAX_FIRST: usize = 3;
/// What the mark of a guess means, in the line above a list.
const GUESSES: &str = "; ? by the name alone, not sure";
/// Places or names in the line of implicit calls.
const MAX_IMPLICIT: usize = 6;

impl Tool for AboutSymbol {
    const NAME: &'static str = "symbol";
    type Input = Input;
    type Output = PlainText;

    fn run(context: &Context, input: Input) -> Result<PlainText, ToolError> {
        let names: Vec<&str> = input
            .symbols
            .iter()
            .map(|name| name.trim())
            .filter(|name| !name.is_empty())
            .collect();
        if names.is_empty() {
            return Err(ToolError::invalid_input(
                "`symbols` is empty; send names such as \"Cart.total\", or \"path:line\"",
            ));
        }
        match across::several(context, input.workspace.as_deref()) {
            Some(several) => {
                let own: Vec<&str> = names.iter().map(|name| own_name(name)).collect();
                let sought = Sought::Names(&own);
                opened::texts_of_several(context, several, sought, |name, n_opened| {
                    input.tell(context, &names, Some(name), MAX_TOKENS / n_opened)
                })
            }
            None => input.tell(context, &names, input.workspace.as_deref(), MAX_TOKENS),
        }
    }
}

impl Input {
    /// Tells about the symbols of one repository.
    fn tell(
        &self,
        context: &Context,
        names: &[&str],
        workspace: Option<&str>,
        max_tokens: usize,
    ) -> Result<PlainText, ToolError> {
        let session = opened::open(context, workspace, self.r#ref.as_deref())?;
        let is_live = matches!(session.view.source, Source::Live { .. });
        let base = (is_live && self.show.contains(&Section::Tests))
            .then(|| opened::open(context, workspace, Some("HEAD")).ok());
        let mut report = SymbolPage {
            base: base.flatten(),
            session: &session,
            page: Page::new(max_tokens),
            after: self.after.as_deref(),
        };
        let mut missing = Vec::new();
        for name in names.iter().take(MAX_NAMES) {
            context.check()?;
            if let Err(reason) = report.about(name, &self.show) {
                missing.push(reason);
            }
        }
        let is_nothing_found = missing.len() == names.len().min(MAX_NAMES);
        if let Some(n @ 1..) = names.len().checked_sub(MAX_NAMES) {
            let n = counted(n, "name");
            missing.push(format!("{n} left out: send at most {MAX_NAMES} at once"));
        }
        if is_nothing_found {
            return Err(ToolError::own("not_found", missing.join("; ")));
        }
        for reason in missing {
            report.page.add(&format!("{reason}\n"));
        }
        let notes = opened::notes(&session, session.budget.cut());
        Ok(PlainText(report.page.text + &notes))
    }
}

/// An answer that is being written.
struct SymbolPage<'a> {
    /// The commit that is checked out, where tests of the working tree are asked for.
    base: Option<Session>,
    session: &'a Session,
    page: Page,
    /// The file after which lists go on.
    after: Option<&'a str>,
}

impl SymbolPage<'_> {
    /// Writes what is asked about one name, or says why nothing is known.
    fn about(&mut self, name: &str, show: &[Section]) -> Result<(), String> {
        let range = SourceRange::parse(name);
        let files = range.files(self.session);
        let is_path = range.lines.is_some() || name.contains(['/', '.']) && !files.is_empty();
        if is_path && let [file, ..] = files.as_slice() {
            self.about_file(*file, &range, show);
            return Ok(());
        }
        if range.lines.is_some() {
            let missing = lookup::missing_file(self.session, &range.path);
            return Err(missing.to_string());
        }
        let wanted = if show.contains(&Section::Callers) || show.contains(&Section::Callees) {
            Wanted::Called
        } else {
            Wanted::Anything
        };
        let meant = lookup::best(self.session, name, wanted)
            .map_err(|reason| self.refusal(name, reason))?;
        self.heading(&meant, show);
        if let Some(from) = lookup::inherited_from(self.session, name, meant.first()) {
            let name = excerpts::shorten(name, 100);
            self.page.add(&format!("{name} is inherited from {from}\n"));
        }
        if show.is_empty() {
            self.summary(&meant);
        }
        for section in show {
            self.section(*section, &meant);
        }
        Ok(())
    }

    fn refusal(&self, name: &str, reason: LookupError) -> String {
        if let LookupError::Missing { .. } = &reason
            && let Some(why) = lookup::missing_place(self.session, name)
        {
            return why;
        }
        let name = excerpts::shorten(name, 100);
        match reason {
            LookupError::Missing { nearest } => {
                let nearest = match nearest.as_slice() {
                    [] => "search with `find`".to_owned(),
                    nearest => format!("nearest: {}", nearest.join(", ")),
                };
                let not_read = lookup::not_read(self.session);
                format!("no symbol `{name}`; {nearest}{not_read}")
            }
            LookupError::Unreadable => self.session.unreadable().to_owned(),
            LookupError::Ambiguous { .. } | LookupError::UnknownPath => {
                format!("no symbol `{name}` in that file")
            }
        }
    }

    /// What is answered about, its overloads, and what else has the name.
    fn heading(&mut self, meant: &BestLookup, show: &[Section]) {
        let session = self.session;
        let shows_body = show.contains(&Section::Definition) || show.contains(&Section::Source);
        let line = |symbol: SymbolId| {
            let (_, last) = lines_of(session, symbol);
            let first = symbol::name_line(session, symbol);
            let signature = text::qualified_signature(session, symbol);
            format!("{} {signature}\n", range(first, last))
        };
        let path = session.path(meant.first().file);
        match meant.overloads.as_slice() {
            // The body has the signature.
            [_] if shows_body && show.len() == 1 => {}
            [symbol] => self.page.add(&format!("{path}:{}", line(*symbol))),
            overloads => {
                let second = symbol::name_line(session, overloads[1]);
                let n = overloads.len();
                self.page.add(&format!("{path}\n"));
                for symbol in overloads {
                    self.page.add(&format!("  {}", line(*symbol)));
                }
                self.page.add(&format!(
                    "{n} overloads together; one alone: {path}:{second}\n"
                ));
            }
        }
        for other in meant.others.iter().take(MAX_OTHERS) {
            let line = format!("also {}\n", text::place(session, *other));
            self.page.add(&line);
        }
        if let Some(n @ 1..) = meant.others.len().checked_sub(MAX_OTHERS) {
            self.page.add(&format!(
                "also {n} more of that name: add a container or a path\n"
            ));
        }
    }

    fn section(&mut self, section: Section, meant: &BestLookup) {
        let (session, first) = (self.session, meant.first());
        match section {
            Section::Definition | Section::Source => {
                for symbol in &meant.overloads {
                    let lines = lines_of(session, *symbol);
                    self.source(symbol.file, Some(lines));
                }
            }
            Section::Signature => {
                if let Some(doc) = documentation(session, first) {
                    self.page.add(&format!("{doc}\n"));
                }
            }
            Section::Callers => {
                let usages = symbol_report::callers(session, &meant.overloads);
                self.usages("callers", "caller", &usages, false);
                if usages.files.is_empty() {
                    self.absence(meant);
                }
            }
            Section::References => {
                let usages = symbol_report::references(session, &meant.overloads);
                self.usages("references", "reference", &usages, true);
                if usages.files.is_empty() {
                    self.absence(meant);
                }
            }
            Section::Callees => self.callees(meant),
            Section::Implementations => {
                let found = symbol_report::implementations(session, &meant.overloads);
                self.symbols("implementations", &found);
            }
            Section::Overrides => {
                let found = symbol_report::overrides(session, &meant.overloads);
                for above in &found.above {
                    self.page
                        .add(&format!("overrides {}\n", text::place(session, *above)));
                }
                self.symbols("overridden by", &found.below);
            }
            Section::Supertypes => {
                let family = symbol_report::type_family(session, first);
                self.relatives("supertypes", &family.supertypes);
            }
            Section::Subtypes => {
                let family = symbol_report::type_family(session, first);
                self.relatives("subtypes", &family.subtypes);
            }
            Section::Tests => {
                // Tests may use names that the working tree has changed.
                let units = match &self.base {
                    Some(base) => tests_to_run::with_former_users(base, session, &meant.overloads),
                    None => meant
                        .overloads
                        .iter()
                        .copied()
                        .map(CodeUnit::Symbol)
                        .collect(),
                };
                self.tests(&units, &[]);
            }
            Section::Dead => {
                let mut symbols = meant.overloads.clone();
                symbols.extend(engine::query::children(&session.resolver(), first));
                self.dead(DeadScope::Symbols(&symbols));
            }
            Section::History => self.history(first),
            Section::Outline => match kind_is_type(session, first) {
                true => self.members(first),
                false => self.outline(first.file),
            },
        }
    }

    /// Lists users by file. Files that do not fit are counted.
    fn usages(&mut self, title: &str, one: &str, usages: &Usages, kinds: bool) {
        let session = self.session;
        let n_files = usages.files.len();
        let n = if kinds {
            usages.n_places()
        } else {
            usages.n_users()
        };
        if n == 0 {
            self.page.add(&format!("{title}: none\n"));
        } else {
            let dispatch = match usages.has_dispatch() {
                true => "; ~ through a base type, interface or value",
                false => "",
            };
            let guesses = if usages.has_guesses() { GUESSES } else { "" };
            let files = counted(n_files, "file");
            self.page
                .add(&format!("{title}: {n} in {files}{dispatch}{guesses}\n"));
        }
        let pieces = usages.files.iter().map(|found| {
            let mut piece = format!("{}\n", session.path(found.file));
            for user in &found.users {
                piece += &user_line(session, user, kinds);
            }
            let n = if kinds {
                found.users.iter().map(|user| user.places.len()).sum()
            } else {
                found.users.len()
            };
            (found.file, piece, n)
        });
        let pieces: Vec<_> = pieces.collect();
        self.by_file(pieces, one);
        let places = self.implicit_places(&usages.implicit);
        self.implicit(&usages.implicit, places);
        self.uncertain(&usages.uncertain);
    }

    /// Writes one piece per file as long as they fit, from where an earlier answer ended.
    fn by_file(&mut self, pieces: Vec<(FileId, String, usize)>, one: &str) {
        let after = self.after.and_then(|path| self.session.find_file(path));
        let skipped = pieces.iter().position(|(file, ..)| Some(*file) == after);
        let mut pieces = pieces
            .into_iter()
            .skip(skipped.map_or(0, |at| at + 1))
            .peekable();
        let mut last = None;
        while let Some((file, piece, _)) = pieces.peek() {
            // At least one, so that asking on always leads further.
            if last.is_none() {
                self.page.add(&cut_to(piece, self.page.left().max(1_000)));
            } else if !self.page.add_if_fits(piece) {
                break;
            }
            last = Some(*file);
            pieces.next();
        }
        let rest: Vec<(FileId, String, usize)> = pieces.collect();
        if let (Some(last), false) = (last, rest.is_empty()) {
            let n = counted(rest.iter().map(|(.., n)| n).sum(), one);
            let files = counted(rest.len(), "file");
            let after = self.session.path(last);
            let line = format!("left out: {n} in {files}; send \"after\": \"{after}\"\n");
            self.page.add(&line);
        }
    }

    /// Calls that the language makes by itself, in one line: `+2 implicit: for, with; cart.py:12,30`.
    fn implicit(&mut self, implicit: &ImplicitPlaces, shown: Vec<String>) {
        let n = implicit.places.len();
        if n > 0 {
            let words: Vec<&str> = implicit.words.iter().copied().collect();
            let (words, shown) = (words.join(", "), shown.join(", "));
            self.page.add(&format!("+{n} implicit: {words}; {shown}\n"));
        }
    }

    /// The first places of implicit calls, by file.
    fn implicit_places(&self, implicit: &ImplicitPlaces) -> Vec<String> {
        let mut files: Vec<(FileId, Vec<u32>)> = Vec::new();
        for (file, line) in implicit.places.iter().take(MAX_IMPLICIT) {
            match files.last_mut() {
                Some((last, lines)) if last == file => lines.push(*line),
                _ => files.push((*file, vec![*line])),
            }
        }
        let place = |(file, mut lines): (FileId, Vec<u32>)| {
            lines.dedup();
            format!("{}:{}", self.session.path(file), numbers(lines))
        };
        let rest = (implicit.places.len() > MAX_IMPLICIT).then(|| "…".to_owned());
        files.into_iter().map(place).chain(rest).collect()
    }

    /// Places that may mean the symbol, a line per file.
    fn uncertain(&mut self, files: &[FileUsages]) {
        const MAX_FILES: usize = 10;
        if files.is_empty() {
            return;
        }
        self.page.add("maybe, receiver or overload unknown:\n");
        for found in files.iter().take(MAX_FILES) {
            let places = found.users.iter().flat_map(|user| &user.places);
            let mut lines: Vec<u32> = places.map(|(line, _)| *line).collect();
            lines.sort_unstable();
            let path = self.session.path(found.file);
            self.page.add(&format!("{path} {}\n", numbers(lines)));
        }
        if let Some(n @ 1..) = files.len().checked_sub(MAX_FILES) {
            self.page.add(&format!("and {}\n", counted(n, "more file")));
        }
    }

    /// What became of other places with the name, where none means the symbol.
    fn absence(&mut self, meant: &BestLookup) {
        let resolver = self.session.resolver();
        let found = References::of(self.session, &resolver, &meant.overloads);
        let counts = found.occurrences(self.session).in_words();
        if !counts.is_empty() {
            let line = format!("other places with the name: {}\n", counts.join(", "));
            self.page.add(&line);
        }
    }

    fn callees(&mut self, meant: &BestLookup) {
        let session = self.session;
        let called = symbol_report::callees(session, &meant.overloads);
        let has_guesses = called.symbols.iter().any(|call| call.is_guessed);
        let guesses = if has_guesses { GUESSES } else { "" };
        self.page
            .add(&format!("callees: {}{guesses}\n", called.symbols.len()));
        let mut files: Vec<(FileId, String, usize)> = Vec::new();
        for call in &called.symbols {
            let mark = mark(call.is_dispatched, call.is_guessed);
            let line = format!(
                "  {} {}  at {}{mark}\n",
                symbol::name_line(session, call.symbol),
                local_name(session, call.symbol),
                numbers(call.lines.iter().copied())
            );
            let file = call.symbol.file;
            match files.iter_mut().find(|(known, ..)| *known == file) {
                Some((_, piece, n)) => {
                    *piece += &line;
                    *n += 1;
                }
                None => files.push((file, format!("{}\n{line}", session.path(file)), 1)),
            }
        }
        self.by_file(files, "callee");
        let names = called.implicit.symbols.iter().take(MAX_IMPLICIT);
        let mut names: Vec<String> = names.map(|symbol| local_name(session, *symbol)).collect();
        names.extend((called.implicit.symbols.len() > MAX_IMPLICIT).then(|| "…".to_owned()));
        self.implicit(&called.implicit, names);
        for (title, names) in [
            ("libraries", &called.libraries),
            ("unresolved", &called.unresolved),
        ] {
            if !names.is_empty() {
                let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                let more = names.len().saturating_sub(20);
                let more = if more > 0 {
                    format!(", {more} more")
                } else {
                    String::new()
                };
                self.page
                    .add(&format!("{title}: {}{more}\n", shown.join(", ")));
            }
        }
        if called.n_ambiguous > 0 {
            let n = counted(called.n_ambiguous, "call");
            self.page.add(&format!(
                "{n} of which several symbols come into question\n"
            ));
        }
    }

    /// Lists symbols by file.
    fn symbols(&mut self, title: &str, symbols: &[SymbolId]) {
        let session = self.session;
        if symbols.is_empty() {
            self.page.add(&format!("{title}: none\n"));
            return;
        }
        let mut files: Vec<(FileId, String, usize)> = Vec::new();
        for symbol in symbols {
            let line = format!(
                "  {} {}\n",
                symbol::name_line(session, *symbol),
                local_name(session, *symbol)
            );
            match files.last_mut() {
                Some((file, piece, n)) if *file == symbol.file => {
                    *piece += &line;
                    *n += 1;
                }
                _ => {
                    let path = session.path(symbol.file);
                    files.push((symbol.file, format!("{path}\n{line}"), 1));
                }
            }
        }
        files.sort_by_key(|(file, ..)| (is_test_or_docs(session.path(*file)), *file));
        let n_files = counted(files.len(), "file");
        self.page
            .add(&format!("{title}: {} in {n_files}\n", symbols.len()));
        self.by_file(files, "symbol");
    }

    fn relatives(&mut self, title: &str, relatives: &[Relative]) {
        if relatives.is_empty() {
            self.page.add(&format!("{title}: none\n"));
            return;
        }
        self.page.add(&format!("{title}: {}\n", relatives.len()));
        for (i, relative) in relatives.iter().enumerate() {
            let indent = "  ".repeat(relative.steps);
            let name = match &relative.related {
                Related::Symbol(symbol) => text::place(self.session, *symbol),
                Related::Library(path) => format!("{path} (library)"),
            };
            if !self.page.add_if_fits(&format!("{indent}{name}\n")) {
                let n = relatives.len() - i;
                self.page
                    .add(&format!("left out: {n}; ask about one of them\n"));
                break;
            }
        }
    }

    /// Tests by file, each with the path by which it gets there, and the commands that run them.
    fn tests(&mut self, symbols: &[CodeUnit], paths: &[RepoPath]) {
        let session = self.session;
        let found = tests_to_run::tests_to_run(session, symbols, paths);
        for always in &found.always {
            let (path, why) = (always.path.as_str(), always.why.as_str());
            let line = format!("{path} is a {why}: every test below it depends on it\n");
            self.page.add(&line);
        }
        if found.tests.is_empty() && found.always.is_empty() {
            let title = match found.cut {
                None => "tests: none reach it",
                Some(_) => "tests: none found in the time allowed",
            };
            self.page.add(&format!("{title}\n"));
            return;
        }
        let more = if found.cut.is_none() { "" } else { " or more" };
        let n = found.tests.len();
        self.page.add(&format!("tests: {n}{more}, nearest first\n"));
        let commands = &found.commands.short;
        for command in commands.iter().take(MAX_COMMANDS) {
            let line = crate::change::typed(command);
            self.page.add(&format!("run: {line}\n"));
        }
        if let Some(n @ 1..) = commands.len().checked_sub(MAX_COMMANDS) {
            let n = counted(n, "more command");
            self.page
                .add(&format!("and {n}: ask about one of the symbols\n"));
        }
        self.by_file(test_list::pieces(session, &found.tests), "test");
    }

    /// What nothing uses, by file. What is alive is not listed.
    fn dead(&mut self, scope: DeadScope<'_>) {
        let session = self.session;
        let found = dead_code::dead_code(session, scope);
        let (n_proven, n_open) = (found.proven.len(), found.open.len());
        if n_proven + n_open == 0 {
            let title = match found.cut {
                None => "dead: no, it is used or may be used from outside",
                Some(_) => "dead: not known in the time allowed",
            };
            self.page.add(&format!("{title}\n"));
            return;
        }
        self.page
            .add(&format!("dead: {n_proven} proven, {n_open} open\n"));
        let proven = found
            .proven
            .iter()
            .map(|symbol| (*symbol, "proven".to_owned()));
        let open = found.open.iter();
        let open = open.map(|open| (open.symbol, format!("open: {}", open.why.text(session))));
        let mut listed: Vec<(SymbolId, String)> = proven.chain(open).collect();
        listed.sort_by_key(|(symbol, _)| *symbol);
        let mut files: Vec<(FileId, String, usize)> = Vec::new();
        for (symbol, verdict) in listed {
            let line = format!(
                "  {} {}  {verdict}\n",
                symbol::name_line(session, symbol),
                local_name(session, symbol)
            );
            match files.last_mut() {
                Some((file, piece, n)) if *file == symbol.file => {
                    *piece += &line;
                    *n += 1;
                }
                _ => {
                    let path = session.path(symbol.file);
                    files.push((symbol.file, format!("{path}\n{line}"), 1));
                }
            }
        }
        self.by_file(files, "symbol");
    }

    fn history(&mut self, symbol: SymbolId) {
        const MAX_CHANGES: usize = 15;
        let found = history::history(self.session, symbol, MAX_CHANGES);
        let n = counted(found.changes.len(), "change");
        let more = match found.is_complete {
            true => String::new(),
            false => {
                let (first, last) = lines_of(self.session, symbol);
                let path = self.session.path(symbol.file);
                format!(", older ones not looked at; `git log -L {first},{last}:{path}` has them")
            }
        };
        self.page.add(&format!("history: {n}{more}\n"));
        for change in &found.changes {
            let added = if change.is_first { " (added)" } else { "" };
            let line = match change.commit {
                Some(commit) => {
                    let commit = commit.to_string();
                    let (date, subject) =
                        (text::date(change.seconds), text::one_line(&change.subject));
                    format!(
                        "  {} {date} {}{added}\n",
                        &commit[..10.min(commit.len())],
                        excerpts::shorten(&subject, 100)
                    )
                }
                None => format!("  not committed{added}\n"),
            };
            self.page.add(&line);
        }
    }

    /// One line per list: how many, and the first few.
    fn summary(&mut self, meant: &BestLookup) {
        let (session, first) = (self.session, meant.first());
        if let Some(doc) = documentation(session, first) {
            let line = excerpts::shorten(doc.lines().next().unwrap_or_default(), 160);
            self.page.add(&format!("{line}\n"));
        }
        if kind_is_type(session, first) {
            self.member_names(first);
            let family = symbol_report::type_family(session, first);
            self.first_of("supertypes", &related_names(session, &family.supertypes));
            self.first_of("subtypes", &related_names(session, &family.subtypes));
        } else {
            let found = symbol_report::overrides(session, &meant.overloads);
            let names = |symbols: &[SymbolId]| -> Vec<String> {
                symbols
                    .iter()
                    .map(|symbol| text::place(session, *symbol))
                    .collect()
            };
            self.first_of("overrides", &names(&found.above));
            self.first_of("overridden by", &names(&found.below));
        }
        let usages = symbol_report::callers(session, &meant.overloads);
        let users = usages.files.iter().flat_map(|found| {
            found.users.iter().map(|user| {
                let place = match user.symbol {
                    Some(symbol) => text::place(session, symbol),
                    None => format!("{}:{}", session.path(found.file), user.places[0].0),
                };
                place + mark(false, user.is_guessed)
            })
        });
        let users: Vec<String> = users.collect();
        self.first_of("callers", &users);
        if users.is_empty() {
            let usages = symbol_report::references(session, &meant.overloads);
            let files = usages.files.iter().map(|found| {
                let places = found.users.iter().flat_map(|user| &user.places);
                let lines = numbers(places.map(|(line, _)| *line).take(MAX_FIRST));
                format!("{}:{lines}", session.path(found.file))
            });
            self.first_of("referenced in files", &files.collect::<Vec<_>>());
        }
        let called = symbol_report::callees(session, &meant.overloads);
        let callees = called.symbols.iter();
        let callees: Vec<String> = callees
            .map(|call| text::place(session, call.symbol) + mark(false, call.is_guessed))
            .collect();
        self.first_of("callees", &callees);
    }

    fn first_of(&mut self, title: &str, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let shown = names[..names.len().min(MAX_FIRST)].join(", ");
        let more = names.len().saturating_sub(MAX_FIRST);
        let more = if more > 0 {
            format!(", +{more}")
        } else {
            String::new()
        };
        self.page
            .add(&format!("{title} {}: {shown}{more}\n", names.len()));
    }

    fn about_file(&mut self, file: FileId, range: &SourceRange, show: &[Section]) {
        let asks_source = show.contains(&Section::Source) || show.contains(&Section::Definition);
        if range.lines.is_some() || asks_source {
            self.source(file, range.lines);
        }
        let asks_tests = show.contains(&Section::Tests);
        if asks_tests {
            let path = self.session.snapshot().file(file).path.clone();
            self.page.add(&format!("{path}\n"));
            self.tests(&tests_to_run::units_of_file(self.session, file), &[path]);
        }
        let asks_dead = show.contains(&Section::Dead);
        if asks_dead {
            self.dead(DeadScope::Below(self.session.path(file)));
        }
        let asks_other = asks_source || asks_tests || asks_dead;
        if show.contains(&Section::Outline) || range.lines.is_none() && !asks_other {
            self.outline(file);
        }
    }

    /// Numbered lines, as many as fit.
    fn source(&mut self, file: FileId, lines: Option<(u32, u32)>) {
        let path = self.session.path(file);
        let Some(read) = source::read(self.session, file, lines) else {
            self.page.add(&format!("{path} can no longer be read\n"));
            return;
        };
        if read.text.is_empty() {
            self.page.add(&format!(
                "{path} has {}\n",
                counted(read.n_lines as usize, "line")
            ));
            return;
        }
        let n_lines = read.text.lines().count() as u32;
        let last = read.first + n_lines - 1;
        self.page
            .add(&format!("{path}:{}\n", range(read.first, last)));
        for (number, line) in (read.first..).zip(read.text.lines()) {
            let line = format!("{number} {}\n", excerpts::shorten(line, 500));
            if !self.page.add_if_fits(&line) {
                self.page.add(&format!(
                    "left out: lines {number}-{last}; send {path}:{number}-{last}\n"
                ));
                return;
            }
        }
    }

    fn outline(&mut self, file: FileId) {
        let path = self.session.path(file);
        let Some(outline) = Outline::of(self.session, file, true) else {
            self.page.add(&format!("{path} can no longer be read\n"));
            return;
        };
        let n_lines = self
            .session
            .facts(file)
            .map_or(0, |facts| facts.lines.n_lines());
        self.page
            .add(&format!("{path} {}\n", counted(n_lines as usize, "line")));
        let symbols = outline.entries.iter().filter_map(|entry| match entry {
            OutlineEntry::Symbol(symbol) => Some(symbol),
            OutlineEntry::Import(_) => None,
        });
        let symbols: Vec<&OutlineSymbol> = symbols.chain(&outline.declarations).collect();
        self.outline_symbols(&symbols, 1, path);
    }

    /// Writes symbols and what is inside of them. False where the room ended.
    fn outline_symbols(&mut self, symbols: &[&OutlineSymbol], depth: usize, path: &str) -> bool {
        for (i, found) in symbols.iter().enumerate() {
            let signature = found
                .signature
                .clone()
                .unwrap_or_else(|| format!("{} {}", found.info.kind.as_str(), found.info.name));
            let line = format!(
                "{}{} {}\n",
                "  ".repeat(depth),
                range(found.info.name_position.0, found.lines.1),
                excerpts::shorten(&signature, 110)
            );
            if !self.page.add_if_fits(&line) {
                let from = found.lines.0;
                let n = symbols.len() - i;
                self.page.add(&format!(
                    "left out: {n} or more from line {from}; send a type of it, or {path}:{from}-{}\n",
                    from + 400
                ));
                return false;
            }
            let children: Vec<&OutlineSymbol> =
                found.children.iter().chain(&found.declarations).collect();
            if !self.outline_symbols(&children, depth + 1, path) {
                return false;
            }
        }
        true
    }

    /// The part of an outline that is inside of a type.
    fn members(&mut self, of: SymbolId) {
        let path = self.session.path(of.file);
        let Some(outline) = Outline::of(self.session, of.file, true) else {
            return;
        };
        let entries = outline.entries.iter().filter_map(|entry| match entry {
            OutlineEntry::Symbol(symbol) => Some(symbol),
            OutlineEntry::Import(_) => None,
        });
        let Some(found) = find_symbol(entries, of) else {
            return;
        };
        let children: Vec<&OutlineSymbol> =
            found.children.iter().chain(&found.declarations).collect();
        self.outline_symbols(&children, 1, path);
    }

    fn member_names(&mut self, of: SymbolId) {
        let resolver = self.session.resolver();
        let mut members = engine::query::children(&resolver, of);
        members.retain(|member| !self.session.name(*member).is_empty());
        // What a type does says more about it than what it holds.
        members.sort_by_key(|member| {
            let kind = resolver.kind(*member);
            !kind.is_some_and(|kind| kind.is_callable() || kind.is_type())
        });
        let mut names: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for member in &members {
            let name = self.session.name(*member);
            let line = symbol::name_line(self.session, *member);
            if seen.insert(name.clone()) {
                names.push(format!("{line} {name}"));
            }
        }
        const MAX_MEMBERS: usize = 12;
        if !names.is_empty() {
            let shown = names[..names.len().min(MAX_MEMBERS)].join(", ");
            let more = names.len().saturating_sub(MAX_MEMBERS);
            let more = if more > 0 {
                format!(", +{more}")
            } else {
                String::new()
            };
            self.page
                .add(&format!("members {}: {shown}{more}\n", names.len()));
        }
    }
}

fn find_symbol<'o>(
    mut symbols: impl Iterator<Item = &'o OutlineSymbol>,
    wanted: SymbolId,
) -> Option<&'o OutlineSymbol> {
    symbols.find_map(|found| {
        if found.info.anchor.symbol() == Some(wanted) {
            Some(found)
        } else {
            find_symbol(
                &mut found.children.iter() as &mut dyn Iterator<Item = _>,
                wanted,
            )
        }
    })
}

fn related_names(session: &Session, relatives: &[Relative]) -> Vec<String> {
    let name = |relative: &Relative| match &relative.related {
        Related::Symbol(symbol) => text::place(session, *symbol),
        Related::Library(path) => path.clone(),
    };
    relatives.iter().map(name).collect()
}

/// `  128 Cart.total  131,140`, with kinds `  128 Cart.total  131,140 call  150 write`.
fn user_line(session: &Session, user: &User, kinds: bool) -> String {
    let mut out = match user.symbol {
        Some(symbol) => format!(
            "  {} {} ",
            symbol::name_line(session, symbol),
            local_name(session, symbol)
        ),
        None => "  top level ".to_owned(),
    };
    if kinds {
        let mut by_kind: Vec<(&str, Vec<u32>)> = Vec::new();
        for (line, kind) in &user.places {
            match by_kind
                .iter_mut()
                .find(|(known, _)| *known == kind.as_str())
            {
                Some((_, lines)) => lines.push(*line),
                None => by_kind.push((kind.as_str(), vec![*line])),
            }
        }
        for (kind, lines) in by_kind {
            // Writing to a string does not fail.
            let _ = write!(out, " {} {kind}", numbers(lines));
        }
    } else {
        let mut lines: Vec<u32> = user.places.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        out += " ";
        out += &numbers(lines);
    }
    out + mark(user.is_dispatched, user.is_guessed) + "\n"
}

/// What is behind a line that is no sure call or use.
fn mark(is_dispatched: bool, is_guessed: bool) -> &'static str {
    match (is_dispatched, is_guessed) {
        (true, _) => " ~",
        (false, true) => " ?",
        (false, false) => "",
    }
}

/// A piece of whole lines with at most so many tokens, and how many lines it lacks.
fn cut_to(piece: &str, budget: usize) -> String {
    if crate::tokens::count(piece) <= budget {
        return piece.to_owned();
    }
    let lines: Vec<&str> = piece.lines().collect();
    let mut page = Page::new(budget);
    let n_shown = lines
        .iter()
        .take_while(|line| page.add_if_fits(&format!("{line}\n")))
        .count();
    page.text + &format!("  left out: {} more of this file\n", lines.len() - n_shown)
}

fn lines_of(session: &Session, symbol: SymbolId) -> (u32, u32) {
    session.facts(symbol.file).map_or((1, 1), |facts| {
        excerpts::lines(&facts, facts.symbol(symbol.index).span)
    })
}

fn range(first: u32, last: u32) -> String {
    if first >= last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

fn documentation(session: &Session, symbol: SymbolId) -> Option<String> {
    let facts = session.facts(symbol.file)?;
    let text = session.text(symbol.file)?;
    excerpts::documentation(facts.symbol(symbol.index), &text)
}

fn kind_is_type(session: &Session, symbol: SymbolId) -> bool {
    session
        .facts(symbol.file)
        .is_some_and(|facts| facts.symbol(symbol.index).kind.is_type())
}
