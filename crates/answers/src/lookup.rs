//! The symbol that a request names: by its name, its qualified name, or any handle.

use engine::{
    Cut, FileId, SymbolId,
    query::{self, search::fold},
};
use facts::{Modifiers, ParameterFlags, SkipReason, SymbolIndex, SymbolKind};

use crate::{
    Anchor, Session, SymbolHandle, excerpts, handle::DocumentationIds, names, search, symbol_report,
};

/// Why a name does not mean one symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum LookupError {
    /// Nothing has that name; these are the nearest that exist.
    Missing { nearest: Vec<String> },
    /// Several files define it.
    Ambiguous { candidates: Vec<SymbolId> },
    /// The path that was to decide is not in the snapshot.
    UnknownPath,
    /// Nothing was found, and a table of names could not be read.
    Unreadable,
}

/// All symbols that a text may mean, in order of path and place. A handle of a file means none.
pub fn all(session: &Session, text: &str) -> Vec<SymbolId> {
    let text = text.trim();
    match SymbolHandle::parse(text) {
        handle if handle.is_exact() => by_handle(session, &handle),
        SymbolHandle::Member { path, name } => match find_files(session, &path).as_slice() {
            [] => named(session, text),
            files => {
                let mut found = all(session, &name);
                found.retain(|symbol| files.contains(&symbol.file));
                found
            }
        },
        SymbolHandle::Line { path, line, .. } => find_files(session, &path)
            .into_iter()
            .filter_map(|file| at_line(session, file, line))
            .collect(),
        SymbolHandle::Name {
            name,
            arity: Some(arity),
        } => {
            let whole = named(session, text);
            if !whole.is_empty() {
                return whole;
            }
            let mut found = named_as_written(session, &name);
            found.retain(|symbol| takes(session, *symbol, arity));
            found
        }
        _ => taking(session, named_as_written(session, text), text),
    }
}

/// The symbols of a name that may have type arguments or the marks of a receiver, or that may be
/// inherited.
fn named_as_written(session: &Session, text: &str) -> Vec<SymbolId> {
    let found = declared_as_written(session, text);
    match found.is_empty() {
        true => inherited(session, text),
        false => found,
    }
}

fn declared_as_written(session: &Session, text: &str) -> Vec<SymbolId> {
    let found = named(session, &without_receiver_marks(text));
    let plain = without_type_arguments(text);
    match found.is_empty() && plain != text {
        true => named(session, &plain),
        false => found,
    }
}

/// The members that a text names through a type that inherits them: `Pet.getName`, where a type above
/// `Pet` declares it.
fn inherited(session: &Session, text: &str) -> Vec<SymbolId> {
    /// Types of one name that are looked at.
    const MAX_HEIRS: usize = 10;
    let text = without_receiver_marks(&without_type_arguments(text));
    let (qualifiers, member) = segments(&text);
    let is_separator = |c: char| ":.#/\\".contains(c);
    let name = text.split('(').next().unwrap_or(&text);
    let heir = name.strip_suffix(member).filter(|_| !qualifiers.is_empty());
    let Some(heir) = heir.map(|heir| heir.trim_end_matches(is_separator)) else {
        return Vec::new();
    };
    let resolver = session.resolver();
    let mut heirs = named(session, heir);
    heirs.retain(|heir| resolver.kind(*heir).is_some_and(SymbolKind::is_type));
    let members = heirs.into_iter().take(MAX_HEIRS);
    let members = members.flat_map(|heir| resolver.inherited_members(heir, member));
    let mut found: Vec<SymbolId> = members.collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The type that declares a member, where a text names it through a type that inherits it.
pub fn inherited_from(session: &Session, text: &str, member: SymbolId) -> Option<String> {
    let SymbolHandle::Name { name, .. } = SymbolHandle::parse(text.trim()) else {
        return None;
    };
    // Most texts name what their last part declares.
    let is_declared = || is_within(session, member, &segments(&name).0, false);
    if segments(&name).0.is_empty() || is_declared() || !inherited(session, &name).contains(&member)
    {
        return None;
    }
    let holder = *query::ancestors(&session.resolver(), member).first()?;
    Some(symbol_report::local_name(session, holder))
}

/// A name as it is declared: `Map<K, V>.get`, `Map::<K, V>::get`, `<Map<K, V> as Index>::get` and
/// `Map[K, V].get` are `Map.get` and `Map::get`. So is the case of a test: `test_get[empty]`.
fn without_type_arguments(text: &str) -> String {
    let name = text.split('(').next().unwrap_or(text);
    // What a compiler calls a method of a trait.
    if let Some((qualified, rest)) = name.strip_prefix('<').and_then(|n| n.rsplit_once(">::"))
        && let Some((ty, _)) = qualified.split_once(" as ")
    {
        return without_type_arguments(&format!("{ty}::{rest}"));
    }
    let mut plain = String::new();
    let mut depth = 0_u32;
    for c in name.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return text.to_owned(),
            },
            // After the arguments of a turbofish.
            ':' if depth == 0 && plain.ends_with("::") => {}
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    match depth {
        0 => plain,
        _ => text.to_owned(),
    }
}

/// `(*Server).Run` is `Server.Run`.
fn without_receiver_marks(text: &str) -> String {
    match text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((receiver, member)) => {
            let receiver = receiver.trim_start_matches(['*', '&']);
            format!(
                "{}{member}",
                receiver.rsplit(' ').next().unwrap_or(receiver)
            )
        }
        None => text.to_owned(),
    }
}

/// Of overloads, those that take what a text lists in parentheses, by type or by name:
/// `total(int, String)`. All where it lists nothing, or what none of them takes.
fn taking(session: &Session, found: Vec<SymbolId>, text: &str) -> Vec<SymbolId> {
    let listed = text
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
        .filter(|(name, inside)| !name.is_empty() && !inside.trim().is_empty());
    let Some((_, inside)) = listed else {
        return found;
    };
    let plain = |text: &str| -> String {
        let text = text.split(['<', '[']).next().unwrap_or(text);
        let last = text.split_whitespace().last().unwrap_or(text);
        let last = last.rsplit(['.', ':']).next().unwrap_or(last);
        last.trim_matches(['&', '*', '.', '?']).to_lowercase()
    };
    let wanted: Vec<String> = list_items(inside).map(plain).collect();
    let takes = |symbol: &SymbolId| {
        session.facts(symbol.file).is_some_and(|facts| {
            let declared = facts.symbol(symbol.index);
            let parameters = facts.parameters(declared).iter();
            let parameters: Vec<_> = parameters
                .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
                .collect();
            declared.kind.is_callable()
                && parameters.len() == wanted.len()
                && parameters.iter().zip(&wanted).all(|(parameter, wanted)| {
                    let ty = names::type_name(&facts, parameter.ty).map(str::to_lowercase);
                    let written = parameter
                        .ty
                        .is_known()
                        .then(|| plain(&extract::render::type_text(&facts, parameter.ty)));
                    ty.as_deref() == Some(wanted.as_str())
                        || written.as_deref() == Some(wanted.as_str())
                        || facts.name(parameter.name).eq_ignore_ascii_case(wanted)
                })
        })
    };
    if found.iter().any(takes) {
        found.into_iter().filter(takes).collect()
    } else {
        found
    }
}

/// The items of a list that commas separate, those inside of brackets kept together.
fn list_items(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |c| {
        match c {
            '<' | '[' | '(' | '{' => depth += 1,
            '>' | ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
    .map(str::trim)
    .filter(|item| !item.is_empty())
}

/// The symbols of a name: exact ones, and only where there are none, those that differ in case and
/// separators.
fn named(session: &Session, text: &str) -> Vec<SymbolId> {
    let exact = exactly_named(session, text);
    if !exact.is_empty() {
        return exact;
    }
    let (_, last) = segments(text);
    let mut found: Vec<SymbolId> = Vec::new();
    let lexicon = session.lexicon_about(last);
    for name in lexicon
        .folded(last)
        .chain(lexicon.folded(text))
        .collect::<std::collections::BTreeSet<_>>()
    {
        found.extend(session.symbols_named(name));
    }
    let qualified = found
        .iter()
        .copied()
        .filter(|symbol| is_qualified(session, *symbol, text, true))
        .collect::<Vec<_>>();
    let mut found = if segments(text).0.is_empty() {
        found
    } else {
        qualified
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// The symbols that an exact handle names.
fn by_handle(session: &Session, handle: &SymbolHandle) -> Vec<SymbolId> {
    let text = handle.to_string();
    if let Some(known) = session.cache.handles.lock().get(&text) {
        return known.to_vec();
    }
    let resolver = session.resolver();
    let found = match handle {
        SymbolHandle::Documentation(id) => DocumentationIds::new(session, &resolver).find_id(id),
        handle => handle.find_hashed(session),
    };
    if resolver.is_uncut() {
        session
            .cache
            .handles
            .lock()
            .keep(text, found.as_slice().into(), 1 + found.len());
    }
    found
}

/// The file of a path, or those whose path ends with it.
pub(crate) fn find_files(session: &Session, path: &str) -> Vec<FileId> {
    if let Some(file) = session.find_file(path) {
        return vec![file];
    }
    let ending = format!("/{}", path.trim_start_matches("./"));
    session
        .snapshot()
        .files()
        .filter(|(_, file)| file.path.as_str().ends_with(&ending))
        .map(|(id, _)| id)
        .collect()
}

/// The symbol whose name is on a line, else the innermost one around it.
pub(crate) fn at_line(session: &Session, file: FileId, line: u32) -> Option<SymbolId> {
    let facts = session.facts(file)?;
    let span = facts.lines.line_span(line - 1)?;
    let declared_here = facts
        .symbols_with_index()
        .find(|(_, symbol)| span.contains(symbol.name_span.start));
    let around = || {
        facts
            .symbols_with_index()
            .filter(|(_, symbol)| {
                let (first, last) = excerpts::lines(&facts, symbol.span);
                (first..=last).contains(&line)
            })
            .min_by_key(|(_, symbol)| symbol.span.end - symbol.span.start)
    };
    let (index, _) = declared_here.or_else(around)?;
    Some(SymbolId { file, index })
}

/// Whether a callable takes so many arguments, its receiver not counted.
fn takes(session: &Session, symbol: SymbolId, arity: u32) -> bool {
    session.facts(symbol.file).is_some_and(|facts| {
        let parameters = facts.parameters(facts.symbol(symbol.index)).iter();
        let taken =
            parameters.filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER));
        facts.symbol(symbol.index).kind.is_callable() && taken.count() == arity as usize
    })
}

/// What a text means in the one file that defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// The first symbol of that name and its overloads: the name means all of them. A handle of a
    /// file means that alone.
    pub overloads: Vec<Anchor>,
    /// Symbols of the same name in other containers of the file.
    pub others: Vec<SymbolId>,
}

/// What a question is about, where one name is borne by symbols of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Anything,
    /// What can be called comes before what holds a value.
    Called,
}

impl Lookup {
    pub fn first(&self) -> Anchor {
        self.overloads[0]
    }

    /// For questions about one symbol: its overloads are among the others.
    pub fn first_alone(mut self) -> Lookup {
        let rest = self.overloads.drain(1..).filter_map(Anchor::symbol);
        self.others.splice(0..0, rest);
        self
    }

    /// The symbols that the name means; none where it means a file.
    pub fn symbols(&self) -> Vec<SymbolId> {
        self.overloads
            .iter()
            .copied()
            .filter_map(Anchor::symbol)
            .collect()
    }
}

/// The file that a text means, where it is the handle of one.
pub fn file_named(session: &Session, text: &str) -> Option<FileId> {
    match SymbolHandle::parse(text) {
        SymbolHandle::File(path) => session.find_file(&path),
        // As CodeMap writes it, for want of a letter of its own.
        SymbolHandle::Documentation(id) if id.kind == '!' => session.find_file(&id.path),
        _ => None,
    }
}

/// The symbol that a text means, with its overloads; `path` decides between files.
pub fn lookup(
    session: &Session,
    text: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<Lookup, LookupError> {
    let file = match path {
        None => None,
        Some(path) => Some(session.find_file(path).ok_or(LookupError::UnknownPath)?),
    };
    if let Some(file) = file_named(session, text) {
        return Ok(Lookup {
            overloads: vec![file.into()],
            others: Vec::new(),
        });
    }
    let mut found = all(session, text);
    if let Some(file) = file {
        found.retain(|symbol| symbol.file == file);
    }
    let mut found = drop_redundant(session, found);
    if wanted == Wanted::Called {
        prefer(session, &mut found, &|symbol| {
            symbol.kind.is_callable() || symbol.kind.is_type()
        });
    }
    let Some(first) = found.first().copied() else {
        let nearest = nearest(session, text, 5);
        if session.budget.cut() == Some(Cut::Unreadable) {
            return Err(LookupError::Unreadable);
        }
        return Err(LookupError::Missing { nearest });
    };
    if found.iter().any(|symbol| symbol.file != first.file) {
        return Err(LookupError::Ambiguous { candidates: found });
    }
    let Some(facts) = session.facts(first.file) else {
        return Ok(Lookup {
            overloads: vec![first.into()],
            others: Vec::new(),
        });
    };
    // A member of the class that the file is about comes before one of a class inside of a function
    // of it.
    found.sort_by_key(|symbol| (names::chain(&facts, symbol.index).len(), *symbol));
    let first = found[0];
    let (overloads, others): (Vec<SymbolId>, _) = found
        .into_iter()
        .partition(|symbol| are_overloads(&facts, first.index, symbol.index));
    Ok(Lookup {
        overloads: overloads.into_iter().map(Anchor::from).collect(),
        others,
    })
}

/// What a text most likely means, wherever that is.
#[derive(Clone, Debug, PartialEq)]
pub struct BestLookup {
    /// The best symbol first; at least one.
    pub overloads: Vec<SymbolId>,
    /// Best first.
    pub others: Vec<SymbolId>,
}

impl BestLookup {
    pub fn first(&self) -> SymbolId {
        self.overloads[0]
    }
}

impl From<&BestLookup> for Lookup {
    /// Without what else the text may mean.
    fn from(best: &BestLookup) -> Lookup {
        Lookup {
            overloads: best.overloads.iter().copied().map(Anchor::from).collect(),
            others: Vec::new(),
        }
    }
}

/// The symbol that a text most likely means, with its overloads; the others are whatever else it may
/// mean, best first. Only a name that nothing has is an error.
pub fn best(session: &Session, text: &str, wanted: Wanted) -> Result<BestLookup, LookupError> {
    let mut found: Vec<SymbolId> = search::locate(session, text, &[], None)
        .into_iter()
        .map(|(symbol, _)| symbol)
        .collect();
    let Some(first) = found.first().copied() else {
        let nearest = nearest(session, text, 5);
        if session.budget.cut() == Some(Cut::Unreadable) {
            return Err(LookupError::Unreadable);
        }
        return Err(LookupError::Missing { nearest });
    };
    // Of a name that thousands have, the best are enough to choose from.
    const MAX_COMPARED: usize = 50;
    let rest = found.split_off(found.len().min(MAX_COMPARED));
    let mut found = drop_redundant(session, found);
    if wanted == Wanted::Called {
        prefer(session, &mut found, &|symbol| {
            symbol.kind.is_callable() || symbol.kind.is_type()
        });
    }
    let first = found.first().copied().unwrap_or(first);
    let is_overload = |other: &SymbolId| {
        let facts = || session.facts(first.file);
        *other == first
            || other.file == first.file
                && facts().is_some_and(|facts| are_overloads(&facts, first.index, other.index))
    };
    let (mut overloads, mut others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_overload);
    overloads.sort_by_key(|symbol| (*symbol != first, *symbol));
    others.extend(rest);
    Ok(BestLookup { overloads, others })
}

/// Whether two symbols of one name and file mean the same thing for who asks by that name: they are
/// callable, and of the same container. A function and a method beside it are not.
fn are_overloads(facts: &facts::Facts, one: SymbolIndex, other: SymbolIndex) -> bool {
    let is_callable = |index| facts.symbol(index).kind.is_callable();
    let parent = |index| facts.symbol(index).parent;
    one == other
        || is_callable(one)
            && is_callable(other)
            && parent(one) == parent(other)
            && names::chain(facts, one) == names::chain(facts, other)
}

/// Leaves out what only repeats another: blocks of members and constructors beside their type,
/// prototypes beside their definition, locals beside what is visible from elsewhere.
pub fn drop_redundant(session: &Session, mut found: Vec<SymbolId>) -> Vec<SymbolId> {
    let mut prefer = |wanted: &dyn Fn(&facts::Symbol) -> bool| prefer(session, &mut found, wanted);
    prefer(&|symbol| {
        !matches!(
            symbol.kind,
            SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element
        )
    });
    prefer(&|symbol| symbol.kind != SymbolKind::Impl);
    prefer(&|symbol| symbol.kind != SymbolKind::Namespace);
    prefer(&|symbol| symbol.kind != SymbolKind::Constructor);
    prefer(&|symbol| !symbol.modifiers.contains(Modifiers::PROTOTYPE));
    prefer(&|symbol| !symbol.modifiers.contains(Modifiers::LOCAL));
    found
}

/// Keeps those that are wanted, if there are any.
fn prefer(session: &Session, found: &mut Vec<SymbolId>, wanted: &dyn Fn(&facts::Symbol) -> bool) {
    let keeps = |symbol: &SymbolId| {
        session
            .facts(symbol.file)
            .is_some_and(|facts| wanted(facts.symbol(symbol.index)))
    };
    if found.iter().any(keeps) {
        found.retain(keeps);
    }
}

/// Why a path means no file of the snapshot.
#[derive(Debug, thiserror::Error)]
pub enum MissingFile {
    #[error("`{path}` is not indexed: {reason}")]
    Skipped { path: String, reason: &'static str },
    #[error("no file `{path}`{}", listed(.nearest))]
    Unknown { path: String, nearest: Vec<String> },
    /// It leads out of the repository.
    #[error(transparent)]
    Invalid(#[from] workspace::Error),
}

fn listed(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        nearest => format!("; nearest: {}", nearest.join(", ")),
    }
}

/// Why a path that is not in the snapshot is not.
pub fn missing_file(session: &Session, path: &str) -> MissingFile {
    let repo_path = match session.workspace.repo_path(&path.replace('\\', "/")) {
        Ok(repo_path) => repo_path,
        Err(error) => return MissingFile::Invalid(error),
    };
    let path = excerpts::shorten(path, 200);
    let mut skipped = session.view.skipped.iter();
    if let Some(file) = skipped.find(|file| file.path.as_str() == repo_path.as_str()) {
        let reason = file.reason.as_str();
        return MissingFile::Skipped { path, reason };
    }
    let stem = query::search::stem(repo_path.file_name());
    let nearest = session.lexicon().files_like(stem, 0.5, 5);
    let nearest = nearest
        .into_iter()
        .map(|(file, _)| session.path(file).to_owned())
        .collect();
    MissingFile::Unknown { path, nearest }
}

/// Why a text that is written like a place names nothing: there is no such file, or no such line.
/// Nothing for other texts.
pub fn missing_place(session: &Session, text: &str) -> Option<String> {
    let (path, line) = match SymbolHandle::parse(text.trim()) {
        SymbolHandle::Line { path, line, .. } => (path, Some(line)),
        SymbolHandle::Name { name, arity: None } => (name, None),
        _ => return None,
    };
    let is_path =
        line.is_some() || path.starts_with(['.', '/']) || query::search::extension(&path).is_some();
    if !is_path || path.contains(char::is_whitespace) {
        return None;
    }
    let Some(file) = find_files(session, &path).first().copied() else {
        let missing = missing_file(session, &path);
        // `Point.h` may be either.
        return Some(match line {
            Some(_) => missing.to_string(),
            None => format!("no symbol of that name, and {missing}"),
        });
    };
    let n_lines = session.facts(file)?.lines.n_lines();
    let line = line.filter(|line| *line > n_lines)?;
    let plural = if n_lines == 1 { "" } else { "s" };
    let path = session.path(file);
    Some(format!(
        "no line {line}: `{path}` has {n_lines} line{plural}"
    ))
}

/// Files of code that were left out for their size, in words: they may hold a name that nothing else
/// has. Empty where there are none.
pub fn not_read(session: &Session) -> String {
    const MAX_SHOWN: usize = 3;
    let is_code = |path: &str| {
        let language = extract::language_of(path, b"");
        language.is_some_and(|language| {
            let corpus = session.snapshot().corpus();
            corpus.semantics(language.id).is_some()
        })
    };
    let skipped = session.view.skipped.iter();
    let large = skipped.filter(|file| file.reason == SkipReason::TooLarge);
    let large: Vec<&str> = large
        .map(|file| file.path.as_str())
        .filter(|path| is_code(path))
        .collect();
    let more = match large.len().checked_sub(MAX_SHOWN) {
        Some(n @ 1..) => format!(" and {n} more"),
        _ => String::new(),
    };
    match large.as_slice() {
        [] => String::new(),
        large => {
            let shown = large[..large.len().min(MAX_SHOWN)].join(", ");
            format!("; not read, for their size: {shown}{more}")
        }
    }
}

/// Names that exist and are most like one that does not.
pub fn nearest(session: &Session, text: &str, limit: usize) -> Vec<String> {
    let (_, last) = segments(text.trim());
    let lexicon = session.lexicon_about(last);
    let mut found: Vec<String> = lexicon
        .like(last, 0.4, limit)
        .into_iter()
        .map(|like| like.name.to_owned())
        .collect();
    for name in lexicon.beginning(last, limit) {
        if found.len() < limit && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

pub(crate) fn exactly_named(session: &Session, text: &str) -> Vec<SymbolId> {
    let whole = session.symbols_named(text);
    if !whole.is_empty() {
        return whole;
    }
    let (qualifiers, last) = segments(text);
    if qualifiers.is_empty() {
        return if last == text {
            Vec::new()
        } else {
            session.symbols_named(last)
        };
    }
    let mut found = session.symbols_named(last);
    found.retain(|symbol| is_qualified(session, *symbol, text, false));
    // The whole name of one may be part of the way to another: `Rack::Request`,
    // `Rack::Auth::Request`.
    let is_whole = |symbol: &SymbolId| {
        let name = |facts: &facts::Facts| {
            names::qualified_name(session.snapshot(), symbol.file, facts, symbol.index)
        };
        session
            .facts(symbol.file)
            .is_some_and(|facts| name(&facts) == text)
    };
    // In each language by itself: `A::b` may be the whole name in one and a part of it in another.
    let family = |symbol: &SymbolId| {
        let snapshot = session.snapshot();
        let language = snapshot.file(symbol.file).language;
        let semantics = snapshot.corpus().semantics(language);
        semantics.map(|semantics| semantics.family)
    };
    let whole: Vec<_> = match found.len() {
        0 | 1 => Vec::new(),
        _ => found
            .iter()
            .filter(|symbol| is_whole(symbol))
            .map(family)
            .collect(),
    };
    found.retain(|symbol| !whole.contains(&family(symbol)) || is_whole(symbol));
    found
}

/// `auth::jwt::validate` is the qualifiers `auth`, `jwt` and the name `validate`.
fn segments(text: &str) -> (Vec<&str>, &str) {
    let text = text.split_once('(').map_or(text, |(name, _)| name);
    let mut parts: Vec<&str> = text
        .split([':', '.', '#', '/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let last = parts.pop().unwrap_or(text);
    (parts, last)
}

/// Whether qualifiers are around a symbol, in their order: containers, module, file, directories or
/// package.
pub fn is_within(
    session: &Session,
    symbol: SymbolId,
    qualifiers: &[&str],
    is_folded: bool,
) -> bool {
    if qualifiers.is_empty() {
        return true;
    }
    let Some(facts) = session.facts(symbol.file) else {
        return false;
    };
    let path = &session.snapshot().file(symbol.file).path;
    let mut around: Vec<String> = path.directory().split('/').map(str::to_owned).collect();
    around.push(query::search::stem(path.file_name()).to_owned());
    around.extend(names::module_path(session.snapshot(), symbol.file, &facts));
    let mut chain = names::chain(&facts, symbol.index);
    chain.pop();
    around.extend(chain);
    is_around(&around, qualifiers, is_folded) || {
        let package = package_parts(session, symbol);
        !package.is_empty() && is_around(&[package, around].concat(), qualifiers, is_folded)
    }
}

fn is_qualified(session: &Session, symbol: SymbolId, text: &str, is_folded: bool) -> bool {
    is_within(session, symbol, &segments(text).0, is_folded)
}

/// The parts of the name of the package that a symbol is in, also as code spells them: `my-shop` is
/// `my_shop` in Rust.
fn package_parts(session: &Session, symbol: SymbolId) -> Vec<String> {
    let package = names::package_of(session.snapshot(), symbol.file);
    let Some((name, _)) = package else {
        return Vec::new();
    };
    let (mut parts, last) = segments(name);
    parts.push(last);
    let spelled = parts.iter().filter(|part| part.contains('-'));
    let spelled: Vec<String> = spelled.map(|part| part.replace('-', "_")).collect();
    let parts = parts.into_iter().map(str::to_owned);
    parts.chain(spelled).collect()
}

/// Whether all qualifiers are among the names around a symbol, in their order.
fn is_around(around: &[String], qualifiers: &[&str], is_folded: bool) -> bool {
    let same = |a: &str, b: &str| {
        if is_folded {
            fold(a) == fold(b)
        } else {
            a == b
        }
    };
    let mut rest = around.iter();
    // `crate`, `self` and the like say where the search begins.
    let mut telling = qualifiers
        .iter()
        .filter(|part| !matches!(**part, "crate" | "self" | "super" | "global"));
    telling.all(|qualifier| rest.any(|name| same(name, qualifier)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolInfo, testing};

    const OVERLOADS: &str = "
//- shop/Cart.java
package shop;
class Cart {
    int total() { return 0; }
    int total(int tax) { return 0; }
    int total(String code, java.util.List<Item> items) { return 0; }
}
//- shop/Test.java
package shop;
class Test { int total() { return 1; } }
//- run/run.go
package run
type Server struct{}
func (s *Server) Run() {}
";

    #[test]
    fn symbols_are_named_as_people_write_them() {
        let session = testing::session(OVERLOADS);
        for (text, lines) in [
            ("Cart.total", vec![3, 4, 5]),
            ("Cart.total()", vec![3, 4, 5]),
            ("Cart.total/1", vec![4]),
            ("Cart#total/0", vec![3]),
            ("Cart.total(int)", vec![4]),
            ("Cart.total(String, List<Item>)", vec![5]),
            ("Cart.total(code, items)", vec![5]),
            ("Cart.total(Nobody)", vec![3, 4, 5]),
            ("Cart.java:4", vec![4]),
            ("./shop/Cart.java:5", vec![5]),
            ("shop/Cart.java#total/1", vec![4]),
            ("(*Server).Run", vec![3]),
            ("(s *Server).Run", vec![3]),
            ("shop/Cart.java::Cart::total/1", vec![4]),
            ("Cart.java::total", vec![3, 4, 5]),
            ("Cart<Item>.total", vec![3, 4, 5]),
            ("Cart<Item, List<Item>>.total<T>(int)", vec![4]),
            ("Cart<Item>.total<T>/2", vec![5]),
            ("Cart::<Item>::total", vec![3, 4, 5]),
            ("<Cart<Item> as Sum>::total", vec![3, 4, 5]),
            ("Cart.total[no items]", vec![3, 4, 5]),
        ] {
            let found = all(&session, text);
            let line = |symbol: &SymbolId| crate::symbol::name_line(&session, *symbol);
            assert_eq!(found.iter().map(line).collect::<Vec<_>>(), lines, "{text}");
        }
    }

    #[test]
    fn a_whole_name_in_one_language_does_not_hide_another_language() {
        let session = testing::session(
            "
//- a.rb
class Item
  def touch; end
end
module Shop
  class Item
    def touch; end
  end
end
//- a.rs
pub struct Item;
impl Item { pub fn touch(&self) {} }
",
        );
        let found = all(&session, "Item::touch");
        let path = |symbol: &SymbolId| session.path(symbol.file).to_owned();
        assert_eq!(found.iter().map(path).collect::<Vec<_>>(), ["a.rb", "a.rs"]);
        let found = lookup(&session, "Item::touch", Some("a.rs"), Wanted::Anything);
        assert_eq!(found.map(|found| found.overloads.len()), Ok(1));
    }

    #[test]
    fn a_member_is_named_through_a_type_that_inherits_it() {
        let session = testing::session(
            "
//- Base.java
class Base { String getName() { return null; } }
//- Pet.java
class Pet extends Base { void eat() {} }
class Dog extends Pet { }
//- shop.py
class Store:
    def save(self): ...
class UserStore(Store): ...
",
        );
        for (text, from) in [
            ("Pet.getName", Some("Base")),
            ("Dog.getName()", Some("Base")),
            ("Dog.getName/0", Some("Base")),
            ("Dog#eat", Some("Pet")),
            ("UserStore.save", Some("Store")),
            ("Base.getName", None),
            ("Pet.eat", None),
        ] {
            let [found] = all(&session, text)[..] else {
                panic!("{text}: {:?}", all(&session, text));
            };
            let told = inherited_from(&session, text, found);
            assert_eq!(told.as_deref(), from, "{text}");
        }
        for text in ["Pet.nothing", "Base.eat", "Nobody.getName"] {
            assert!(all(&session, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn packages_are_around_what_they_hold() {
        let session = testing::session(
            r#"
//- Cargo.toml
[package]
name = "my-shop"
//- src/lib.rs
mod cart;
//- src/cart.rs
pub struct Cart;
//- web/package.json
{ "name": "@acme/web" }
//- web/src/basket.ts
export class Basket {}
//- go/go.mod
module example.com/stock/v2
//- go/shelf.go
package stock
type Shelf struct{}
//- go/shelf_test.go
package stock_test
type Probe struct{}
//- go/cmd/count/main.go
package main
type Counter struct{}
"#,
        );
        for (text, path, name) in [
            ("my_shop::Cart", "src/cart.rs", "cart::Cart"),
            ("my_shop::cart::Cart", "src/cart.rs", "cart::Cart"),
            ("@acme/web.Basket", "web/src/basket.ts", "basket.Basket"),
            ("stock.Shelf", "go/shelf.go", "stock.Shelf"),
            ("example.com/stock/v2.Shelf", "go/shelf.go", "stock.Shelf"),
            ("stock.Probe", "go/shelf_test.go", "stock.Probe"),
            ("count.Counter", "go/cmd/count/main.go", "count.Counter"),
        ] {
            let found = all(&session, text);
            let info = found
                .iter()
                .filter_map(|symbol| SymbolInfo::of(&session, *symbol));
            let shown: Vec<_> = info.map(|info| (info.path, info.qualified_name)).collect();
            assert_eq!(shown, [(path.to_owned(), name.to_owned())], "{text}");
        }
        assert!(all(&session, "my_shop::Shelf").is_empty());
    }

    #[test]
    fn the_best_of_several_is_answered_for_with_the_others_beside() {
        let session = testing::session(OVERLOADS);
        let found = best(&session, "total", Wanted::Anything).unwrap();
        let name = |symbol: &SymbolId| crate::symbol_report::local_name(&session, *symbol);
        let names = |symbols: &[SymbolId]| symbols.iter().map(name).collect::<Vec<_>>();
        assert_eq!(names(&found.overloads), ["Cart.total"; 3]);
        assert_eq!(names(&found.others), ["Test.total"]);
        // Neither is an overload of the other.
        let session = testing::session(
            "\n//- cart.go\npackage shop\nfunc Total() int { return 0 }\ntype Cart struct{}\nfunc (c *Cart) Total() int { return 1 }\n",
        );
        let found = best(&session, "Total", Wanted::Anything).unwrap();
        assert_eq!((found.overloads.len(), found.others.len()), (1, 1));
        let found = lookup(&session, "Total", None, Wanted::Anything).unwrap();
        assert_eq!((found.overloads.len(), found.others.len()), (1, 1));
    }

    #[test]
    fn a_name_that_nothing_has_is_answered_with_the_nearest() {
        let session = testing::session(OVERLOADS);
        assert!(matches!(
            best(&session, "totl", Wanted::Anything),
            Err(LookupError::Missing { nearest }) if nearest == ["total"]
        ));
    }

    #[test]
    fn a_name_that_cannot_be_looked_up_is_not_missing() {
        let home = tempfile::tempdir().unwrap();
        let options = workspace::Options {
            home: Some(home.path().to_path_buf()),
            ..workspace::Options::default()
        };
        let session = testing::session_with("//- a.py\ndef total(): ...\n", options);
        let index = session.workspace.index_directory().unwrap();
        let database = rusqlite::Connection::open(index.join("index.db")).unwrap();
        let lookup = || lookup(&session, "total", None, Wanted::Anything);
        let rename = |from: &str, to: &str| {
            for table in ["definition", "recent_definition"] {
                let rename = format!("ALTER TABLE {from}{table} RENAME TO {to}{table}");
                database.execute_batch(&rename).unwrap();
            }
        };
        rename("", "lost_");
        assert_eq!(lookup().err(), Some(LookupError::Unreadable));
        rename("lost_", "");
        assert_eq!(lookup().map(|found| found.overloads.len()), Ok(1));
    }
}
