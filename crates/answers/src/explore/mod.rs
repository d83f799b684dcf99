//! The places that a question is about, and how they are connected: one answer made of search,
//! stack frames, names and paths.
//!
//! A question may be prose, an error message, a stack trace, a route, names or paths, one or many.
//! Frames of a trace come first, innermost first; then what is named, or what search finds.

mod frames;
mod message;
mod routes;

use std::{borrow::Cow, collections::BTreeSet};

use engine::{
    Budget, Cut, FileId, SymbolId,
    query::{
        self,
        search::{
            Intent, SearchHit, SearchResult, Spread, is_asking_word, is_question, is_report_word,
            is_stop_word,
        },
    },
};

use facts::SymbolKind;

pub use frames::frames;

use self::message::QuotedMessage;
use crate::{Session, SymbolHandle, excerpts, lookup, search, symbol::signature, symbol_report};

#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Best first.
    pub places: Vec<FoundPlace>,
    /// Between places that are shown.
    pub links: Vec<SymbolLink>,
    /// What was looked for.
    pub words: Vec<String>,
    /// Words that none of the places holds.
    pub unmatched: Vec<String>,
    /// Whether the places may well not be what was asked for.
    pub is_thin: bool,
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FoundPlace {
    pub file: FileId,
    /// Nothing for a file as a whole.
    pub symbol: Option<SymbolId>,
    /// From the line of the name to the last line; all lines of a file.
    pub lines: (u32, u32),
    /// The lines that hold most of what was asked for, in their order, without the blanks around
    /// them.
    pub matching: Vec<(u32, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolLink {
    pub from: SymbolId,
    pub kind: LinkKind,
    pub to: SymbolId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    Calls,
    Overrides,
    Extends,
}

impl LinkKind {
    pub fn as_str(self) -> &'static str {
        match self {
            LinkKind::Calls => "calls",
            LinkKind::Overrides => "overrides",
            LinkKind::Extends => "extends",
        }
    }
}

/// Symbols that several names of one question are answered with.
const MAX_NAMES: usize = 40;
/// Symbols that one name is answered with.
const MAX_BEARERS: usize = 5;
/// Where in the list symbols are that the question names in passing.
const AFTER_HITS: usize = 3;

/// Explores with at most so many places.
pub fn explore(session: &Session, question: &str, max_places: usize) -> Exploration {
    let text = search::shorten(question);
    let traced = frames(session, text);
    let said = said_beside(text, &traced);
    let leads = leads(session, text, &said, traced, max_places);
    let words = telling_words(&said);
    let messages = match leads.are_names || is_question(&said) {
        true => Vec::new(),
        false => messages(&said, leads.n_frames > 0),
    };
    let read = leads
        .leads
        .iter()
        .filter_map(|lead| lead.candidate(session, &words, &messages, leads.are_names));
    let mut candidates: Vec<ReadPlace> = read.collect();
    let best = &candidates[..candidates.len().min(FIRST)];
    let most_covered = best.iter().map(|candidate| candidate.covered.len()).max();
    let best_line = best
        .iter()
        .map(|candidate| candidate.best_line(&words))
        .max();
    // Only tests and documents may quote what is formed of parts. Among lower places, words that
    // come together in code are mostly no message.
    let is_message = candidates.iter().enumerate().any(|(i, candidate)| {
        let has_message = candidate.has_message.is_some() && i < FIRST;
        (has_message || candidate.has_literal) && !candidate.only_quotes
    });
    if is_message {
        keep_message(&mut candidates);
    }
    let mut exploration = Exploration::default();
    let mut seen_lines: BTreeSet<(FileId, u32)> = BTreeSet::new();
    for (i, candidate) in candidates.into_iter().enumerate() {
        // Lower places show a line only if it matches as well as those of the best.
        let (n_lines, enough) = match i {
            _ if is_message => (1, 0),
            0..FIRST => (2, 0),
            _ => (1, best_line.unwrap_or(0)),
        };
        let opener = candidate.opener(session).filter(|_| is_message);
        let mut place = candidate.place(&words, n_lines, enough, &mut seen_lines);
        place.matching.splice(0..0, opener);
        exploration.places.push(place);
    }
    exploration.unmatched = unmatched(session, &exploration.places, &words);
    // What shares no word with the question is a guess.
    let n_wanted = words.len().clamp(1, 6);
    let is_covered = 2 * most_covered.unwrap_or(0) >= n_wanted;
    exploration.is_thin = exploration.places.is_empty() || !leads.are_sure && !is_covered;
    exploration.words = words;
    exploration.links = links(session, &exploration.places);
    exploration.cut = session.budget.cut();
    exploration
}

/// What a text says beside the frames of its trace; all of it where it has none, or nothing else.
fn said_beside<'a>(text: &'a str, traced: &[(FileId, u32)]) -> Cow<'a, str> {
    if traced.is_empty() {
        return text.into();
    }
    let said = frames::without_frames(text);
    let said = message::without_class(&said);
    match telling_words(said).is_empty() {
        true => text.into(),
        false => said.to_owned().into(),
    }
}

/// What may be a message: the text, or each line beside the frames of a trace.
fn messages(said: &str, is_trace: bool) -> Vec<QuotedMessage> {
    const MAX_LINES: usize = 8;
    match is_trace {
        true => said
            .lines()
            .take(MAX_LINES)
            .map(QuotedMessage::of)
            .collect(),
        false => vec![QuotedMessage::of(said)],
    }
}

/// Places that tell whether the question was understood.
const FIRST: usize = 3;

/// Where a question leads, best first.
#[derive(Default)]
struct Leads {
    leads: Vec<Lead>,
    /// How many of them are frames of a trace.
    n_frames: usize,
    /// The question is nothing but names or paths.
    are_names: bool,
    /// They are what the question says, letter for letter.
    are_sure: bool,
}

/// `said` is what the text says beside the frames `traced`.
fn leads(
    session: &Session,
    text: &str,
    said: &str,
    traced: Vec<(FileId, u32)>,
    max_places: usize,
) -> Leads {
    /// Hits that are shown beside the handler of a route.
    const BESIDE_ROUTE: usize = 2;
    let mut found = Leads::default();
    let places = &mut found.leads;
    for (file, line) in traced {
        add(places, Lead::at_line(session, file, line));
    }
    found.n_frames = places.len();
    let handlers = routes::handlers(session, text);
    for handler in handlers.iter().take(MAX_NAMES) {
        add(places, Lead::of_symbol(*handler));
    }
    found.are_sure = !places.is_empty();
    let items = names_of(text);
    if items.is_empty() || !handlers.is_empty() {
        let (hits, _) = search::search(session, said, &[], max_places.max(10), Spread::Files);
        let searched = hits.value;
        let mut hits = worth_showing(&searched);
        if !handlers.is_empty() {
            hits.truncate(BESIDE_ROUTE);
        }
        let mut hits = hits.iter();
        for hit in hits.by_ref().take(AFTER_HITS) {
            add(places, Lead::of_hit(hit));
        }
        for symbol in named_in_passing(session, text) {
            add(places, Lead::of_symbol(symbol));
        }
        for hit in hits {
            add(places, Lead::of_hit(hit));
        }
        found.are_names = matches!(searched.intent, Intent::Symbol | Intent::Path);
        let is_named =
            |hit: &SearchHit| hit.factors.exact_match > 0.0 || hit.factors.path_affinity > 0.0;
        found.are_sure |= found.are_names && searched.hits.first().is_some_and(is_named);
    } else {
        let mut n_missing = 0;
        let each = (max_places / items.len()).clamp(1, MAX_BEARERS);
        for item in items.iter().take(MAX_NAMES) {
            let (bearers, is_named) = located(session, item, each);
            n_missing += usize::from(!is_named);
            for bearer in bearers {
                add(places, bearer);
            }
        }
        found.are_names = true;
        found.are_sure |= n_missing == 0;
    }
    places.truncate(max_places);
    found
}

/// Of a message, the frames of its trace and the places where it is written, without the types around
/// them; code before tests that expect it.
fn keep_message(candidates: &mut Vec<ReadPlace>) {
    const MAX_WRITERS: usize = 3;
    let (frames, mut writers): (Vec<_>, Vec<_>) = std::mem::take(candidates)
        .into_iter()
        .partition(|place| place.is_frame);
    writers.retain(|candidate| candidate.has_message.is_some());
    let spans: Vec<(FileId, (u32, u32))> = writers
        .iter()
        .map(|candidate| (candidate.file, candidate.lines))
        .collect();
    writers.retain(|candidate| {
        let (first, last) = candidate.lines;
        !spans.iter().any(|(file, inner)| {
            *file == candidate.file
                && first <= inner.0
                && inner.1 <= last
                && *inner != (first, last)
        })
    });
    writers.sort_by_key(|candidate| candidate.only_quotes);
    writers.truncate(MAX_WRITERS);
    candidates.extend(frames.into_iter().chain(writers));
}

/// The hits that are worth their tokens: of a name its bearers, else those that are not far behind
/// the best.
fn worth_showing(found: &SearchResult) -> Vec<SearchHit> {
    let mut hits = found.hits.clone();
    let Some(best) = hits.first().cloned() else {
        return hits;
    };
    let is_name = matches!(found.intent, Intent::Symbol | Intent::Path);
    if is_name && best.factors.exact_match > 0.0 {
        hits.retain(|hit| hit.factors.exact_match > 0.0);
        hits.truncate(MAX_BEARERS);
        return hits;
    }
    if is_name {
        hits = near_in_path(hits);
        hits.truncate(MAX_BEARERS);
    }
    // A message that the code has word for word leaves little doubt.
    let share = match found.intent {
        Intent::Error if best.factors.phrase > 0.0 => 0.6,
        _ => 0.3,
    };
    hits.retain(|hit| hit.factors.total() >= share * best.factors.total());
    hits
}

/// Where a path is asked for, the hits that are like it or in the file that is most like it.
fn near_in_path(mut hits: Vec<SearchHit>) -> Vec<SearchHit> {
    if let Some(best) = hits.first().cloned() {
        let near = 0.8 * best.factors.path_affinity;
        hits.retain(|hit| hit.file == best.file || hit.factors.path_affinity >= near);
    }
    hits
}

/// A place that may be shown.
#[derive(Clone, Debug, PartialEq)]
struct Lead {
    file: FileId,
    symbol: Option<SymbolId>,
    /// A line that is shown whatever it holds.
    line: Option<u32>,
}

impl Lead {
    fn at_line(session: &Session, file: FileId, line: u32) -> Lead {
        Lead {
            file,
            symbol: lookup::at_line(session, file, line),
            line: Some(line),
        }
    }

    fn of_hit(hit: &SearchHit) -> Lead {
        let file = hit.file;
        Lead {
            file,
            symbol: hit.symbol.map(|index| SymbolId { file, index }),
            line: None,
        }
    }

    fn of_symbol(symbol: SymbolId) -> Lead {
        Lead {
            file: symbol.file,
            symbol: Some(symbol),
            line: None,
        }
    }

    /// What can be shown of it. Absent only where the file can no longer be read.
    fn candidate(
        &self,
        session: &Session,
        words: &[String],
        messages: &[QuotedMessage],
        is_name: bool,
    ) -> Option<ReadPlace> {
        let (facts, text) = (session.facts(self.file)?, session.text(self.file)?);
        let mut is_callable = false;
        let (whole, lines) = match self.symbol {
            Some(symbol) => {
                let declared = facts.symbol(symbol.index);
                is_callable = declared.kind.is_callable();
                let whole = excerpts::lines(&facts, declared.span);
                let name = excerpts::position(&facts, declared.name_span.start).0;
                (whole, (name, whole.1))
            }
            None => ((1, facts.lines.n_lines()), (1, facts.lines.n_lines())),
        };
        let body = excerpts::body(&facts, &text, whole.0, whole.1);
        let in_path = HeldWords::of(session.path(self.file), words);
        let mut covered = in_path;
        let mut has_message = None;
        let mut has_literal = false;
        let mut matching: Vec<MatchingLine> = Vec::new();
        for (line, written) in (whole.0..).zip(body.lines().take(MAX_LINES)) {
            let held = HeldWords::of(written, words);
            let is_written = |message: &QuotedMessage| message.is_written_in(written);
            if held.len() > 1 && messages.iter().any(is_written) {
                has_message = has_message.or(Some(line));
                has_literal |= messages
                    .iter()
                    .any(|message| message.is_literal_in(written));
            }
            covered = covered.and(held);
            let is_asked_for = Some(line) == self.line;
            // The signature is shown anyway.
            let is_signature = self.symbol.is_some() && line == lines.0;
            if is_asked_for || !held.is_empty() && !is_signature {
                matching.push(MatchingLine {
                    line,
                    text: written.trim().to_owned(),
                    held,
                    is_asked_for,
                });
            }
        }
        let (name, heading) = match self.symbol {
            Some(symbol) => {
                let signature = signature(session, symbol).unwrap_or_default();
                let heading = format!("{} {signature}", symbol_report::local_name(session, symbol));
                (session.name(symbol), heading)
            }
            None => (session.path(self.file).to_owned(), String::new()),
        };
        let in_name = HeldWords::of(&name, words).len();
        if in_name == words.len() || is_name && in_name > 0 {
            // The name is the whole answer.
            matching.retain(|line| line.is_asked_for);
        }
        Some(ReadPlace {
            file: self.file,
            symbol: self.symbol,
            is_callable,
            lines,
            matching,
            in_heading: in_path.and(HeldWords::of(&heading, words)),
            covered,
            has_message,
            has_literal,
            only_quotes: self.only_quotes(session),
            is_frame: self.line.is_some(),
        })
    }

    /// Whether what it says is not printed by the program.
    fn only_quotes(&self, session: &Session) -> bool {
        let is_test = |symbol| symbol_report::is_test(session, symbol);
        message::is_quoted_in(session.path(self.file)) || self.symbol.is_some_and(is_test)
    }
}

/// A place with everything that could be shown of it.
struct ReadPlace {
    file: FileId,
    symbol: Option<SymbolId>,
    is_callable: bool,
    lines: (u32, u32),
    /// Lines with words of the question, in their order.
    matching: Vec<MatchingLine>,
    /// Words of the question that its path and its signature hold.
    in_heading: HeldWords,
    /// Words of the question that it or its path holds.
    covered: HeldWords,
    /// The line that writes the message which the question is.
    has_message: Option<u32>,
    /// It writes it between quotes.
    has_literal: bool,
    /// A test or a document, which expects or tells what others write.
    only_quotes: bool,
    /// A frame of a trace.
    is_frame: bool,
}

struct MatchingLine {
    line: u32,
    text: String,
    held: HeldWords,
    /// It is shown whatever it holds.
    is_asked_for: bool,
}

impl ReadPlace {
    fn best_line(&self, words: &[String]) -> usize {
        let weights = self.matching.iter().map(|line| line.held.weight(words));
        weights.max().unwrap_or(0)
    }

    /// Of a message outside of every function, the line that its entry begins with, which may name it:
    /// the last one before it with less indentation.
    fn opener(&self, session: &Session) -> Option<(u32, String)> {
        let line = self.has_message.filter(|_| !self.is_callable)?;
        let text = session.text(self.file)?;
        let indentation = |line: &str| line.len() - line.trim_start().len();
        let lines: Vec<&str> = text.lines().take(line as usize).collect();
        let (last, before) = lines.split_last()?;
        let is_outer = |line: &&str| {
            line.contains(char::is_alphanumeric) && indentation(line) < indentation(last)
        };
        let at = before.iter().rposition(is_outer)?;
        let number = at as u32 + 1;
        let is_heading = self.symbol.is_some() && number == self.lines.0;
        (!is_heading).then(|| (number, before[at].trim().to_owned()))
    }

    /// Shows at most `n_lines` lines, and none that is shown already. Each tells words that neither
    /// the place's heading nor a line before it tells, and these weigh `enough`.
    fn place(
        mut self,
        words: &[String],
        n_lines: usize,
        enough: usize,
        seen_lines: &mut BTreeSet<(FileId, u32)>,
    ) -> FoundPlace {
        if self.matching.iter().any(|line| line.is_asked_for) {
            self.matching.retain(|line| line.is_asked_for);
        }
        // A line with far fewer words than the best only costs.
        let enough = enough.max(self.best_line(words).div_ceil(2));
        let mut told = self.in_heading;
        let mut shown: Vec<(u32, String)> = Vec::new();
        while shown.len() < n_lines {
            let new_weight = |line: &MatchingLine| match line.is_asked_for {
                true => usize::MAX,
                false => line.held.without(told).weight(words),
            };
            let is_new = |line: &&MatchingLine| {
                !line.text.is_empty() && !seen_lines.contains(&(self.file, line.line))
            };
            let best = self.matching.iter().filter(is_new);
            let best = best.max_by_key(|line| (new_weight(line), std::cmp::Reverse(line.line)));
            let Some(best) = best.filter(|line| new_weight(line) >= enough.max(1)) else {
                break;
            };
            told = told.and(best.held);
            seen_lines.insert((self.file, best.line));
            shown.push((best.line, best.text.clone()));
        }
        // The type around it is shown without its lines.
        if self.is_callable {
            let lines = self.matching.iter().map(|line| (self.file, line.line));
            seen_lines.extend(lines);
        }
        shown.sort_unstable();
        FoundPlace {
            file: self.file,
            symbol: self.symbol,
            lines: self.lines,
            matching: shown,
        }
    }
}

/// Which of a question's words something holds: a bit for each of the first 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HeldWords(u64);

impl HeldWords {
    fn of(text: &str, words: &[String]) -> HeldWords {
        let mut bits = 0;
        workspace::words(text, |word| {
            let position = words.iter().take(64).position(|wanted| wanted == word);
            bits |= position.map_or(0, |i| 1 << i);
        });
        HeldWords(bits)
    }

    fn and(self, other: HeldWords) -> HeldWords {
        HeldWords(self.0 | other.0)
    }

    fn without(self, other: HeldWords) -> HeldWords {
        HeldWords(self.0 & !other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Long words are rarer, and tell more.
    fn weight(self, words: &[String]) -> usize {
        let held = (0..words.len().min(64)).filter(|i| self.0 >> i & 1 == 1);
        held.map(|i| 4 + words[i].len()).sum()
    }
}

/// Lines of one place that are looked at.
const MAX_LINES: usize = 5_000;

fn add(places: &mut Vec<Lead>, candidate: Lead) {
    let is_same = |known: &Lead| known.file == candidate.file && known.symbol == candidate.symbol;
    if !places.iter().any(is_same) {
        places.push(candidate);
    }
}

/// The words of a question that tell something about code, in lower case, each once.
pub fn telling_words(text: &str) -> Vec<String> {
    let words = distinct_words(text, |word| says_something(word) && !is_report_word(word));
    // `what happens when a cart is empty` asks about empty carts.
    let asked = words.iter().filter(|word| !is_asking_word(word));
    let asked: Vec<String> = asked.cloned().collect();
    match is_question(text) && !asked.is_empty() {
        true => asked,
        false => words,
    }
}

fn says_something(word: &str) -> bool {
    word.len() > 2 && !is_stop_word(word)
}

/// The first words of a text that are wanted, in lower case, each once.
fn distinct_words(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    const MAX_WORDS: usize = 40;
    let mut words: Vec<String> = Vec::new();
    workspace::words(text, |word| {
        let is_new = !words.iter().any(|known| known == word);
        if is_new && words.len() < MAX_WORDS && is_wanted(word) {
            words.push(word.to_owned());
        }
    });
    words
}

fn unmatched(session: &Session, places: &[FoundPlace], words: &[String]) -> Vec<String> {
    let mut found = HeldWords::default();
    for place in places {
        let name = place.symbol.map_or_else(String::new, |symbol| {
            symbol_report::local_name(session, symbol)
        });
        let lines = place.matching.iter().map(|(_, text)| text.as_str());
        for text in lines.chain([session.path(place.file), &name]) {
            found = found.and(HeldWords::of(text, words));
        }
    }
    let is_missing = |(i, _): &(usize, &String)| found.0 >> i & 1 == 0;
    let missing = words.iter().enumerate().filter(is_missing);
    missing.map(|(_, word)| word.clone()).collect()
}

/// The names of a question that is nothing but a list of names and paths; none where it is prose.
fn names_of(text: &str) -> Vec<&str> {
    let items: Vec<&str> = text
        .split(['\n', ',', ';'])
        .flat_map(|item| {
            // `a b` may be prose of two words; `Cart.total show_cart` are names.
            let words: Vec<&str> = item.split_whitespace().collect();
            let are_names = words.len() > 1 && words.iter().all(|word| is_code_like(word));
            if are_names { words } else { vec![item.trim()] }
        })
        .map(|item| item.trim_matches(['`', '"', '\'']))
        .filter(|item| !item.is_empty())
        .collect();
    let are_names = items.len() > 1 && items.iter().all(|item| !item.contains(' '))
        || matches!(items.as_slice(), [item] if is_code_like(item));
    if are_names { items } else { Vec::new() }
}

/// Whether a word is written as names of code are, and words of prose are not.
fn is_code_like(word: &str) -> bool {
    let plain = word.trim_matches(['`', '"', '\'', ',', ';']);
    let name = plain.split(['(', '/']).next().unwrap_or(plain);
    let inner_capital =
        name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    !plain.contains(' ')
        && plain.chars().any(char::is_alphanumeric)
        && (inner_capital
            || plain.ends_with("()")
            || plain.contains("::")
            || plain.contains('_')
            || plain.contains('#')
            || plain.contains('/')
            || plain.trim_end_matches('.').contains('.'))
}

/// The best symbols or the file of one name, and whether that is what the name says.
fn located(session: &Session, name: &str, limit: usize) -> (Vec<Lead>, bool) {
    if let SymbolHandle::Line { path, line, .. } = SymbolHandle::parse(name) {
        let files = lookup::find_files(session, &path);
        if !files.is_empty() {
            let places = files
                .into_iter()
                .map(|file| Lead::at_line(session, file, line));
            return (places.take(limit).collect(), true);
        }
    }
    let symbols = search::locate(session, name, &[], None);
    let symbols = symbols.into_iter().take(limit).map(|(symbol, _)| symbol);
    let symbols = lookup::drop_redundant(session, symbols.collect());
    let is_named = !symbols.is_empty();
    let is_exact = |symbol: &SymbolId| name.contains(&session.name(*symbol));
    let are_exact = symbols.iter().any(is_exact);
    let mut found: Vec<Lead> = symbols.into_iter().map(Lead::of_symbol).collect();
    if are_exact {
        return (found, true);
    }
    // What is spelled otherwise may not be what is meant: names that are like it follow.
    let (searched, _) = search::search(session, name, &[], limit.max(10), Spread::Files);
    let hits = near_in_path(searched.value.hits);
    let is_path = hits
        .first()
        .is_some_and(|hit| hit.factors.path_affinity > 0.0);
    for hit in &hits {
        add(&mut found, Lead::of_hit(hit));
    }
    found.truncate(limit);
    (found, is_named || is_path)
}

/// Symbols that prose names as code is written, and that are few.
fn named_in_passing(session: &Session, text: &str) -> Vec<SymbolId> {
    const MAX_WORDS: usize = 20;
    const MAX_SYMBOLS: usize = 3;
    let mut found: Vec<SymbolId> = Vec::new();
    let words = text
        .split(|c: char| c.is_whitespace() || ",;\"'`[]{}<>=".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|word| is_code_like(word) && !word.contains('/'));
    let words: BTreeSet<&str> = words.collect();
    for word in words.into_iter().take(MAX_WORDS) {
        let exact = lookup::exactly_named(session, word);
        let exact = lookup::drop_redundant(session, exact);
        if exact.len() <= MAX_SYMBOLS {
            let tells = |symbol: &SymbolId| {
                !symbol_report::is_test(session, *symbol) && !is_data(session, *symbol)
            };
            found.extend(exact.into_iter().filter(tells));
        }
    }
    found
}

/// A field says little about what is done with it.
fn is_data(session: &Session, symbol: SymbolId) -> bool {
    let facts = session.facts(symbol.file);
    let kind = facts.map(|facts| facts.symbol(symbol.index).kind);
    kind.is_some_and(|kind| matches!(kind, SymbolKind::Field | SymbolKind::EnumMember))
}

/// The symbol whose name is on a line, else the innermost one around it.
pub fn symbol_at(session: &Session, file: FileId, line: u32) -> Option<SymbolId> {
    lookup::at_line(session, file, line)
}

/// How places are connected.
fn links(session: &Session, places: &[FoundPlace]) -> Vec<SymbolLink> {
    /// Connections are told in passing: what takes more than this is left out.
    const WORK: u64 = 5_000;
    const MAX_LINKED: usize = 10;
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(
        session.budget.is_cancelled(),
    ));
    let budget = Budget::new(WORK, session.budget.deadline(), flag);
    let resolver = session.analysis.resolver(&budget);
    let shown: Vec<SymbolId> = places.iter().filter_map(|place| place.symbol).collect();
    let mut found: BTreeSet<SymbolLink> = BTreeSet::new();
    for &from in shown.iter().take(MAX_LINKED) {
        let Some(kind) = resolver.kind(from) else {
            continue;
        };
        let mut link = |kind: LinkKind, to: SymbolId| {
            if to != from && shown.contains(&to) {
                found.insert(SymbolLink { from, kind, to });
            }
        };
        if kind.is_callable() {
            for call in query::direct_callees(&resolver, from).value.0 {
                link(LinkKind::Calls, call.symbol);
            }
            for above in query::overridden(&resolver, from) {
                link(LinkKind::Overrides, above);
            }
        } else if kind.is_type() {
            let above = query::hierarchy(&resolver, from).value;
            for related in above.bases.into_iter().chain(above.interfaces) {
                if let query::Related::Symbol(to) = related {
                    link(LinkKind::Extends, to);
                }
            }
        }
    }
    let place = |symbol: &SymbolId| shown.iter().position(|known| known == symbol);
    let mut links: Vec<SymbolLink> = found.into_iter().collect();
    links.sort_by_key(|link| (place(&link.from), link.kind, place(&link.to)));
    links
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::session;

    const SHOP: &str = r#"
//- shop/cart.py
class Cart:
    def total(self, tax):
        """The sum of all items, with tax."""
        if tax < 0:
            raise ValueError("the tax must not be negative")
        return self.subtotal() + tax
    def subtotal(self):
        return 0
//- shop/app.py
from shop.cart import Cart
def checkout(cart: Cart):
    return cart.total(3)
class Unrelated:
    def other(self): ...
"#;

    #[test]
    fn prose_finds_places_with_their_matching_lines_and_links() {
        check(
            "which function raises that the tax must not be negative",
            expect![[r#"
                shop/cart.py:2-6 Cart.total
                    5 raise ValueError("the tax must not be negative")
            "#]],
        );
    }

    #[test]
    fn a_message_is_answered_with_the_places_that_write_it() {
        // The message has a value where the code has a placeholder.
        let files = SHOP.replace(
            "\"the tax must not be negative\"",
            "f\"the tax {tax} must not be negative here\"",
        );
        let session = session(&files);
        let found = explore(&session, "the tax 12 must not be negative here", 10);
        let [place] = &found.places[..] else {
            panic!("{found:?}");
        };
        assert_eq!(place.lines, (2, 6));
        assert_eq!(place.matching.len(), 1);
        assert_eq!(place.matching[0].0, 5);
        // Prose that shares some words with it is answered with more.
        let found = explore(&session, "negative tax of a cart subtotal", 10);
        assert!(found.places.len() > 2, "{found:?}");
    }

    #[test]
    fn a_report_whose_words_stand_in_a_comment_is_no_message() {
        let session = session(&SHOP.replace("The sum of all items", "The negative tax subtotal"));
        let found = explore(&session, "negative tax subtotal", 10);
        assert_eq!(found.places.len(), 1, "{found:?}");
        let found = explore(&session, "Fixed crash of the negative tax subtotal", 10);
        assert!(found.places.len() > 1, "{found:?}");
    }

    #[test]
    fn a_question_is_no_message() {
        let session = session(
            "
//- CHANGELOG.md
# Changes
- Tabs are now expanded to spaces.
//- cart.py
def expand_tabs(text):
    return text.replace(TAB, SPACES)
",
        );
        for question in [
            "how are tabs expanded to spaces",
            // What only documents say is printed by nobody.
            "tabs are expanded to spaces",
        ] {
            let found = explore(&session, question, 10).places;
            let symbols = found.iter().filter_map(|place| place.symbol);
            let names: Vec<String> = symbols.map(|symbol| session.name(symbol)).collect();
            assert!(
                names.contains(&"expand_tabs".to_owned()),
                "{question}: {names:?}"
            );
        }
    }

    #[test]
    fn code_that_forms_a_message_comes_before_a_test_that_expects_it() {
        let session = session(
            "
//- reader.py
class Reader:
    def begin(self):
        raise DataError(f\"Expected BEGIN_OBJECT but was {self.peek()} at path {self.path}\")
//- tests/test_reader.py
def test_begin():
    assert message() == \"Expected BEGIN_OBJECT but was STRING at path $\"
",
        );
        let question = "Expected BEGIN_OBJECT but was STRING at path $";
        let found = explore(&session, question, 10).places;
        let places: Vec<(&str, u32)> = found
            .iter()
            .map(|place| (session.path(place.file), place.lines.0))
            .collect();
        assert_eq!(places, [("reader.py", 2), ("tests/test_reader.py", 1)]);
    }

    #[test]
    fn a_message_of_a_table_is_shown_with_its_name_behind_the_frames() {
        let session = session(
            "
//- errors.js
const codes = {
  CART_FULL: createError(
    'CART_FULL',
    \"The item '%s' has already been added!\"
  )
}
//- lib/cart.js
function add (item) {
  if (this.full) {
    throw new CART_FULL(item)
  }
}
function other () { return 'the item was added' }
",
        );
        let question = "CartError: The item 'foo' has already been added!
    at add (/app/node_modules/shop/lib/cart.js:3:11)
    at Object.<anonymous> (/app/server.js:5:9)";
        let found = explore(&session, question, 10).places;
        let shown: Vec<(&str, Vec<u32>)> = found
            .iter()
            .map(|place| {
                let lines = place.matching.iter().map(|(line, _)| *line);
                (session.path(place.file), lines.collect())
            })
            .collect();
        assert_eq!(shown, [("lib/cart.js", vec![3]), ("errors.js", vec![2, 4])]);
    }

    #[test]
    fn a_route_leads_to_its_handler() {
        let session = session(
            "
//- requirements.txt
flask
//- app.py
from flask import Flask
app = Flask(__name__)
@app.post(\"/carts/<int:cart_id>/items\")
def add_item(cart_id):
    return check(cart_id)
def check(carts): return carts
",
        );
        let found = explore(
            &session,
            "which function handles POST /carts/{id}/items",
            10,
        );
        let first = found.places[0].symbol.map(|symbol| session.name(symbol));
        assert_eq!(first.as_deref(), Some("add_item"));
        assert!(!found.is_thin);
    }

    #[test]
    fn a_line_is_shown_for_words_that_are_not_told_yet() {
        let session = session(
            "\n//- shop.py\ndef merge_orders(a):\n    merge = a\n    # Orders of one customer\n    x = customer\n    return merge\n",
        );
        let found = explore(&session, "how to merge the orders of a customer", 10);
        let lines: Vec<u32> = found.places[0].matching.iter().map(|line| line.0).collect();
        assert_eq!(lines, [3], "{found:?}");
    }

    #[test]
    fn what_is_spelled_otherwise_is_followed_by_names_that_are_like_it() {
        let session = session(
            "\n//- a.ts\ninterface Instance { slotsProxy: number }\nfunction getSlotsProxy() {}\n",
        );
        let names = |question: &str| -> Vec<String> {
            let found = explore(&session, question, 10).places;
            let symbols = found.iter().filter_map(|place| place.symbol);
            symbols.map(|symbol| session.name(symbol)).collect()
        };
        assert_eq!(names("slotsProxy"), ["slotsProxy"]);
        assert_eq!(names("SlotsProxy")[..2], ["slotsProxy", "getSlotsProxy"]);
    }

    #[test]
    fn names_are_answered_one_by_one() {
        check(
            "Cart.total, checkout, subtotal()",
            expect![[r#"
                shop/cart.py:2-6 Cart.total
                shop/app.py:2-3 checkout
                shop/cart.py:7-8 Cart.subtotal
                Cart.total calls Cart.subtotal
                checkout calls Cart.total
            "#]],
        );
    }

    #[test]
    fn frames_of_a_trace_come_innermost_first() {
        check(
            "Traceback (most recent call last):\n  File \"/srv/x/shop/app.py\", line 3, in checkout\n    return cart.total(3)\n  File \"/srv/x/shop/cart.py\", line 5, in total\n    raise ValueError\nValueError: bad",
            expect![[r#"
                shop/cart.py:2-6 Cart.total
                    5 raise ValueError("the tax must not be negative")
                shop/app.py:2-3 checkout
                    3 return cart.total(3)
                checkout calls Cart.total
            "#]],
        );
        check(
            "panic at (app.py:3)",
            expect![[r#"
                shop/app.py:2-3 checkout
                    3 return cart.total(3)
            "#]],
        );
    }

    #[test]
    fn a_word_that_any_place_shows_is_found() {
        let session = session("\n//- a.py\nx = 1\n");
        let file = session.find_file("a.py").unwrap();
        let place = |text: &str| FoundPlace {
            file,
            symbol: None,
            lines: (1, 1),
            matching: vec![(1, text.to_owned())],
        };
        let mut places = vec![place("flush"); 7];
        places.push(place("for l in loggers_:"));
        let words = ["flush", "loggers", "periodically"].map(str::to_owned);
        assert_eq!(unmatched(&session, &places, &words), ["periodically"]);
    }

    #[test]
    fn words_that_ask_are_not_looked_for() {
        let words = |text: &str| telling_words(text).join(" ");
        assert_eq!(words("what happens when a cart is empty?"), "cart empty");
        assert_eq!(words("how does it happen"), "happen");
        assert_eq!(words("it happens in carts"), "happens carts");
    }

    #[test]
    fn what_is_not_there_is_thin() {
        let session = session(SHOP);
        let found = explore(&session, "how are kubernetes pods scheduled on nodes", 10);
        assert!(found.is_thin, "{found:?}");
        assert!(found.unmatched.contains(&"kubernetes".to_owned()));
        assert!(explore(&session, "NoSuchThing", 10).is_thin);
        assert!(explore(&session, "5", 10).is_thin);
        assert!(!explore(&session, "Cart.total", 10).is_thin);
        assert!(!explore(&session, "shop/cart.py", 10).is_thin);
    }

    #[track_caller]
    fn check(question: &str, expected: Expect) {
        let session = session(SHOP);
        let found = explore(&session, question, 4);
        let name = |symbol: SymbolId| symbol_report::local_name(&session, symbol);
        let mut out = String::new();
        for place in &found.places {
            let path = session.path(place.file);
            let (first, last) = place.lines;
            let shown = place.symbol.map_or_else(String::new, name);
            out += &format!("{path}:{first}-{last} {shown}\n");
            for (line, text) in &place.matching {
                out += &format!("    {line} {text}\n");
            }
        }
        for link in &found.links {
            out += &format!(
                "{} {} {}\n",
                name(link.from),
                link.kind.as_str(),
                name(link.to)
            );
        }
        expected.assert_eq(&out);
        assert!(!found.is_thin);
    }
}
