//! The index as provider: what the engine knows, in the gateway's shapes. Nothing here waits for
//! anything but the engine.

use std::collections::{BTreeSet, hash_map::Entry};

use answers::{
    Session,
    definition::{certain_at, name_of, span_at, symbol_of},
    excerpts, locals, lookup, names,
};
use engine::{Cut, FileId, Found, Outcome, SymbolId, query};
use facts::{Facts, Modifiers, ModuleSystem, Problem, ProblemKind, Span, SymbolIndex, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    MOST_IN_ALL,
    columns::Utf16Columns,
    documents::Indexed,
    errors,
    shapes::{
        self, Diagnostic, DocumentSymbol, FileDiagnostics, Fragment, FragmentKind, Location, Range,
        WorkspaceSymbol,
    },
};
use crate::{Context, ToolError, file_uri, kinds};

/// The source of diagnostics that the parser gives.
const SOURCE: &str = "codecompass";

/// Where the thing at an offset is defined: certain and probable definitions, none where the odds
/// are even or a library holds it.
pub fn definition(
    context: &Context,
    indexed: &Indexed,
    offset: u32,
) -> Result<Vec<Location>, ToolError> {
    let resolver = indexed.session.resolver();
    let mut locations = Locations::new(context, &indexed.session);
    for found in certain_at(&resolver, indexed.file, offset).0 {
        locations.add_definition(&found)?;
    }
    locations.finish()
}

/// Every place that means what is at an offset.
pub fn references(
    context: &Context,
    indexed: &Indexed,
    offset: u32,
    include_declaration: bool,
) -> Result<Vec<Location>, ToolError> {
    let resolver = indexed.session.resolver();
    let mut locations = Locations::new(context, &indexed.session);
    let targets = match certain_at(&resolver, indexed.file, offset) {
        // A place that constructs names the type: its references are the type's.
        (_, Some(named_type)) => vec![Found::Symbol(named_type)],
        (targets, None) => targets,
    };
    for target in &targets {
        if let Found::Binding(file, binding) = target {
            for span in locals::spans(&resolver, *file, *binding, include_declaration) {
                locations.add(*file, span)?;
            }
        }
        let Some(symbol) = symbol_of(target) else {
            continue;
        };
        for mention in query::references(&resolver, symbol).value {
            if mention.outcome != Outcome::Ambiguous {
                locations.add(mention.file, mention.span)?;
            }
            if locations.found.len() > 4 * MOST_IN_ALL {
                return Err(errors::too_many("references", MOST_IN_ALL));
            }
        }
        if include_declaration {
            for declared in query::same_symbol(&resolver, symbol) {
                locations.add_definition(&Found::Symbol(declared))?;
            }
        }
    }
    locations.finish()
}

/// Signatures and documentation of what is at an offset, and the range of the name there.
pub fn hover(
    context: &Context,
    indexed: &Indexed,
    offset: u32,
) -> Result<(Vec<Fragment>, Option<Range>), ToolError> {
    let session = &indexed.session;
    let resolver = session.resolver();
    let mut fragments = Vec::new();
    for found in certain_at(&resolver, indexed.file, offset).0 {
        fragments.extend(match (symbol_of(&found), &found) {
            (Some(symbol), _) => described(context, session, symbol),
            (None, Found::Binding(..) | Found::TypeParameter(..)) => line_of(session, &found),
            _ => None,
        });
    }
    whole(session)?;
    let range = span_at(session, indexed.file, offset)
        .map(|span| Utf16Columns::of(session, indexed.file).map(|columns| columns.range(span)));
    Ok((fragments, range.transpose()?))
}

/// The symbols of a file, those that are only locals of a body left out.
pub fn document_symbols(indexed: &Indexed, uri: &str) -> Result<Vec<DocumentSymbol>, ToolError> {
    let columns = Utf16Columns::of(&indexed.session, indexed.file)?;
    let facts = columns.facts();
    if facts.symbols.len() > MOST_IN_ALL {
        return Err(errors::too_many("symbols in the document", MOST_IN_ALL));
    }
    let mut symbols = Vec::new();
    for (index, symbol) in facts
        .symbols_with_index()
        .filter(|(_, symbol)| !is_local_value(symbol))
    {
        // The selection lies inside the range, whatever the source looks like.
        let around = Span::new(
            symbol.span.start.min(symbol.name_span.start),
            symbol.span.end.max(symbol.name_span.end),
        );
        let name = facts.name(symbol.name).to_owned();
        let kind = u32::from(kinds::names_of(symbol.kind).lsp);
        symbols.push(DocumentSymbol::new(
            uri,
            name,
            kind,
            columns.range(around),
            columns.range(symbol.name_span),
            container(facts, index),
        ));
    }
    shapes::sort_document_symbols(&mut symbols);
    Ok(symbols)
}

/// Symbols of a workspace whose name holds the query, case and separators aside. `Cart.total` asks
/// for `total` inside `Cart`.
pub fn workspace_symbols(
    context: &Context,
    session: &Session,
    query: &str,
) -> Result<Vec<WorkspaceSymbol>, ToolError> {
    let mut locations = Locations::new(context, session);
    let mut symbols = Vec::new();
    let parts: Vec<&str> = query
        .split([':', '.', '#', '/', '\\', ' '])
        .filter(|part| !part.is_empty())
        .collect();
    let Some((last, within)) = parts.split_last() else {
        return Ok(symbols);
    };
    for name in named_like(session, last) {
        context.check()?;
        for symbol in session.symbols_named(name) {
            let Some(facts) = session.facts(symbol.file) else {
                continue;
            };
            let known = facts.symbol(symbol.index);
            let is_code = !matches!(
                known.kind,
                SymbolKind::Impl | SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element
            );
            if !is_code
                || known.modifiers.contains(Modifiers::LOCAL)
                || !lookup::is_within(session, symbol, within, true)
            {
                continue;
            }
            let Some(location) = locations.of(symbol.file, known.name_span)? else {
                continue;
            };
            let kind = u32::from(kinds::names_of(known.kind).lsp);
            symbols.push(WorkspaceSymbol::new(
                location,
                name.to_owned(),
                kind,
                container(&facts, symbol.index),
            ));
            if symbols.len() > MOST_IN_ALL {
                return Err(errors::too_many("symbols", MOST_IN_ALL));
            }
        }
    }
    Ok(symbols)
}

/// What the parser could not read, by file, in order of URI.
pub fn workspace_diagnostics(
    context: &Context,
    session: &Session,
) -> Result<Vec<FileDiagnostics>, ToolError> {
    // The table knows which contents have problems; their facts need not be opened to find none.
    let rows = session.workspace.content_sizes(&session.view);
    let sound: FxHashSet<u32> = rows
        .iter()
        .filter(|row| !row.is_broken)
        .map(|row| row.number.0)
        .collect();
    let mut files = Vec::new();
    for (file, entry) in session
        .snapshot()
        .files()
        .filter(|(_, entry)| !sound.contains(&entry.content.0))
    {
        context.check()?;
        let real = session.workspace.root().join(entry.path.as_str());
        if !context.roots().contains(&real) {
            continue;
        }
        let uri = file_uri(&real);
        let diagnostics = diagnostics(session, file, &uri)?;
        if !diagnostics.is_empty() {
            files.push(FileDiagnostics { uri, diagnostics });
        }
    }
    Ok(files)
}

/// An answer that the deadline cut short is none.
fn whole(session: &Session) -> Result<(), ToolError> {
    match session.budget.cut() {
        // Calls through function values are more than a language server tells.
        None | Some(Cut::Values) => Ok(()),
        Some(Cut::Cancelled) => Err(ToolError::cancelled()),
        Some(Cut::Deadline | Cut::Work | Cut::Limit) => Err(ToolError::timed_out()),
        Some(Cut::Unreadable) => Err(ToolError::internal(session.unreadable())),
    }
}

/// A symbol's signature as code, then its documentation.
fn described(context: &Context, session: &Session, symbol: SymbolId) -> Option<Fragment> {
    let (facts, text) = (session.facts(symbol.file)?, session.text(symbol.file)?);
    // What lies outside the roots is not shown.
    if !context
        .roots()
        .contains(&session.workspace.root().join(session.path(symbol.file)))
    {
        return None;
    }
    let known = facts.symbol(symbol.index);
    let language = session.language(symbol.file);
    let signature = excerpts::signature(&facts, known, &text);
    let mut value = format!(
        "```{language}\n{signature}\n```\n{}",
        names::qualified_name(session.snapshot(), symbol.file, &facts, symbol.index)
    );
    if let Some(documentation) = excerpts::documentation(known, &text) {
        value.push_str("\n\n");
        value.push_str(&documentation);
    }
    Some(Fragment {
        kind: FragmentKind::Markdown,
        value,
    })
}

/// The line of a local name as code.
fn line_of(session: &Session, found: &Found) -> Option<Fragment> {
    let (file, span) = name_of(session, found)?;
    let (facts, text) = (session.facts(file)?, session.text(file)?);
    let line = excerpts::line(&facts, &text, span.start);
    Some(Fragment {
        kind: FragmentKind::Markdown,
        value: format!("```{}\n{line}\n```", session.language(file)),
    })
}

/// Names that hold a part, case and separators aside, in order. Groups of three letters find them;
/// fewer letters begin them.
fn named_like<'a>(session: &'a Session, part: &str) -> BTreeSet<&'a str> {
    let lexicon = session.lexicon();
    let mut found: BTreeSet<&str> = lexicon.containing(part, usize::MAX).into_iter().collect();
    found.extend(lexicon.beginning(part, usize::MAX));
    found
}

fn is_local_value(symbol: &facts::Symbol) -> bool {
    symbol.modifiers.contains(Modifiers::LOCAL)
        && !symbol.kind.is_callable()
        && !symbol.kind.is_type()
}

/// The name of the symbol around one, or of the type it belongs to from elsewhere.
fn container(facts: &Facts, index: SymbolIndex) -> Option<String> {
    let symbol = facts.symbol(index);
    let parent = symbol
        .parent
        .map(|parent| facts.name(facts.symbol(parent).name));
    let owner = (symbol.kind != SymbolKind::Impl)
        .then(|| names::type_name(facts, symbol.owner))
        .flatten();
    parent
        .or(owner)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

/// What the parser could not read of a file.
pub fn diagnostics(
    session: &Session,
    file: FileId,
    uri: &str,
) -> Result<Vec<Diagnostic>, ToolError> {
    let columns = Utf16Columns::of(session, file)?;
    let semantics = session
        .snapshot()
        .corpus()
        .semantics(session.snapshot().file(file).language);
    // A parser that does not run the preprocessor cannot know what a macro makes of the text.
    let is_sure = semantics.is_none_or(|semantics| semantics.modules != ModuleSystem::Includes);
    let diagnostic = |problem: &Problem| {
        let (severity, code, message) = match problem.kind {
            ProblemKind::Syntax => (
                if is_sure { 1 } else { 2 },
                "syntax",
                "This text cannot be read as part of the program.",
            ),
            ProblemKind::Missing => (
                if is_sure { 1 } else { 2 },
                "missing",
                "Something is missing here.",
            ),
            ProblemKind::TooDeep => (
                2,
                "too-deep",
                "The file is nested too deeply to be read in full.",
            ),
            ProblemKind::Deadline => (2, "deadline", "The file took too long to be read in full."),
            ProblemKind::Encoding => (2, "encoding", "The file holds bytes that are no UTF-8."),
        };
        Diagnostic::new(
            uri,
            columns.range(problem.span),
            Some(severity),
            Some(code.to_owned()),
            Some(SOURCE.to_owned()),
            message.to_owned(),
        )
    };
    let mut diagnostics: Vec<Diagnostic> =
        columns.facts().problems.iter().map(diagnostic).collect();
    shapes::sort_diagnostics(&mut diagnostics);
    Ok(diagnostics)
}

/// Spans of the engine as locations; those outside the roots are left out.
struct Locations<'a> {
    context: &'a Context,
    session: &'a Session,
    files: FxHashMap<FileId, Option<(String, Utf16Columns)>>,
    found: Vec<Location>,
}

impl<'a> Locations<'a> {
    fn new(context: &'a Context, session: &'a Session) -> Locations<'a> {
        Locations {
            context,
            session,
            files: FxHashMap::default(),
            found: Vec::new(),
        }
    }

    fn of(&mut self, file: FileId, span: Span) -> Result<Option<Location>, ToolError> {
        let known = match self.files.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let real = self.session.workspace.root().join(self.session.path(file));
                let known = match self.context.roots().contains(&real) {
                    true => Some((file_uri(&real), Utf16Columns::of(self.session, file)?)),
                    false => None,
                };
                unknown.insert(known)
            }
        };
        Ok(known.as_ref().map(|(uri, columns)| Location {
            uri: uri.clone(),
            range: columns.range(span),
        }))
    }

    fn add(&mut self, file: FileId, span: Span) -> Result<(), ToolError> {
        let location = self.of(file, span)?;
        self.found.extend(location);
        Ok(())
    }

    fn add_definition(&mut self, found: &Found) -> Result<(), ToolError> {
        match name_of(self.session, found) {
            Some((file, span)) => self.add(file, span),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Vec<Location>, ToolError> {
        whole(self.session)?;
        shapes::sort_locations(&mut self.found);
        Ok(self.found)
    }
}
