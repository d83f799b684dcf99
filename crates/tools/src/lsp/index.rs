//! The index as provider: what the engine knows, in the gateway's shapes. Nothing here waits for
//! anything but the engine.

use std::collections::BTreeSet;

use answers::{Session, excerpts, names};
use engine::{Budget, Cut, FileId, FileView, Found, Module, Outcome, Resolver, SymbolId, query};
use facts::{
    BindingId, BindingKind, Facts, Modifiers, ModuleSystem, NameId, Problem, ProblemKind, Span,
    SymbolIndex, SymbolKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    MOST_IN_ALL,
    columns::Columns,
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
    let budget = context.budget();
    let resolver = indexed.session.analysis.resolver(&budget);
    let mut places = Places::new(context, &indexed.session);
    let mut locations = Vec::new();
    for found in meant(&resolver, indexed.file, offset).targets {
        locations.extend(places.found(&found)?);
    }
    whole(&budget)?;
    shapes::settle_locations(&mut locations);
    Ok(locations)
}

/// Every place that means what stands at an offset.
pub fn references(
    context: &Context,
    indexed: &Indexed,
    offset: u32,
    include_declaration: bool,
) -> Result<Vec<Location>, ToolError> {
    let budget = context.budget();
    let resolver = indexed.session.analysis.resolver(&budget);
    let meant = meant(&resolver, indexed.file, offset);
    let mut places = Places::new(context, &indexed.session);
    let mut locations = Vec::new();
    // A place that constructs names the type: its references are the type's.
    let targets = match meant.named_type {
        Some(named) => vec![Found::Symbol(named)],
        None => meant.targets,
    };
    for target in &targets {
        let symbol = match target {
            Found::Symbol(symbol) | Found::Module(Module::Type(symbol)) => *symbol,
            Found::Module(Module::Tree(file, Some(index))) => SymbolId {
                file: *file,
                index: *index,
            },
            Found::Binding(file, binding) => {
                for span in local_places(&resolver, *file, *binding, include_declaration) {
                    locations.extend(places.location(*file, span)?);
                }
                continue;
            }
            _ => continue,
        };
        for mention in query::references(&resolver, symbol).value {
            if mention.outcome != Outcome::Ambiguous {
                locations.extend(places.location(mention.file, mention.span)?);
            }
            if locations.len() > 4 * MOST_IN_ALL {
                return Err(errors::too_many("references", MOST_IN_ALL));
            }
        }
        if include_declaration {
            for declared in query::same_symbol(&resolver, symbol) {
                locations.extend(places.found(&Found::Symbol(declared))?);
            }
        }
    }
    whole(&budget)?;
    shapes::settle_locations(&mut locations);
    if locations.len() > MOST_IN_ALL {
        return Err(errors::too_many("references", MOST_IN_ALL));
    }
    Ok(locations)
}

/// Signatures and documentation of what stands at an offset, and the range of the name there.
pub fn hover(
    context: &Context,
    indexed: &Indexed,
    offset: u32,
) -> Result<(Vec<Fragment>, Option<Range>), ToolError> {
    let budget = context.budget();
    let resolver = indexed.session.analysis.resolver(&budget);
    let session = &indexed.session;
    let mut fragments = Vec::new();
    for found in meant(&resolver, indexed.file, offset).targets {
        let symbol = match found {
            Found::Symbol(symbol) | Found::Module(Module::Type(symbol)) => symbol,
            Found::Module(Module::Tree(file, Some(index))) => SymbolId { file, index },
            Found::Binding(file, binding) => {
                fragments.extend(line_of(session, file, |facts| {
                    facts
                        .bindings
                        .get(binding.0 as usize)
                        .map(|binding| binding.name_span)
                }));
                continue;
            }
            Found::TypeParameter(symbol, i) => {
                let parameter = |facts: &Facts| {
                    facts
                        .type_parameters(facts.symbol(symbol.index))
                        .get(i as usize)
                        .map(|parameter| parameter.name_span)
                };
                fragments.extend(line_of(session, symbol.file, parameter));
                continue;
            }
            _ => continue,
        };
        fragments.extend(described(context, session, symbol));
    }
    whole(&budget)?;
    let range = name_at(session, indexed.file, offset)
        .map(|span| Columns::of(session, indexed.file).map(|columns| columns.range(span)));
    Ok((fragments, range.transpose()?))
}

/// The symbols of a file, those that are only locals of a body left out.
pub fn document_symbols(indexed: &Indexed, uri: &str) -> Result<Vec<DocumentSymbol>, ToolError> {
    let columns = Columns::of(&indexed.session, indexed.file)?;
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
    shapes::settle_document_symbols(&mut symbols);
    Ok(symbols)
}

/// Symbols of a workspace whose name holds the query, case and separators aside. `Cart.total` asks
/// for `total` inside `Cart`.
pub fn workspace_symbols(
    context: &Context,
    session: &Session,
    query: &str,
) -> Result<Vec<WorkspaceSymbol>, ToolError> {
    let mut places = Places::new(context, session);
    let mut symbols = Vec::new();
    let parts: Vec<&str> = query
        .split([':', '.', '#', '/', '\\', ' '])
        .filter(|part| !part.is_empty())
        .collect();
    let Some((last, within)) = parts.split_last() else {
        return Ok(symbols);
    };
    let within: Vec<String> = within
        .iter()
        .map(|part| query::search::fold(part))
        .collect();
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
                || !stands_within(session, symbol, &facts, &within)
            {
                continue;
            }
            let Some(location) = places.location(symbol.file, known.name_span)? else {
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

/// What the parser could not read of a file.
pub fn document_diagnostics(indexed: &Indexed, uri: &str) -> Result<Vec<Diagnostic>, ToolError> {
    diagnostics_of(&indexed.session, indexed.file, uri)
}

/// What the parser could not read, by file, in order of URI.
pub fn workspace_diagnostics(
    context: &Context,
    session: &Session,
) -> Result<Vec<FileDiagnostics>, ToolError> {
    // The table knows which contents have problems; their facts need not be opened to find none.
    let rows = session
        .workspace
        .store()
        .contents()
        .map_err(|error| ToolError::internal(error.to_string()))?;
    let sound: FxHashSet<u32> = rows
        .iter()
        .filter(|row| row.problem.is_none())
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
        let diagnostics = diagnostics_of(session, file, &uri)?;
        if !diagnostics.is_empty() {
            files.push(FileDiagnostics { uri, diagnostics });
        }
    }
    Ok(files)
}

struct Lookup {
    targets: Vec<Found>,
    named_type: Option<SymbolId>,
}

/// What stands at an offset means, where the engine would say so.
fn meant(resolver: &Resolver<'_>, file: FileId, offset: u32) -> Lookup {
    match query::definition_at(resolver, file, offset) {
        Some(found)
            if matches!(
                found.resolution.outcome,
                Outcome::Static | Outcome::Heuristic
            ) =>
        {
            Lookup {
                targets: found.resolution.targets,
                named_type: found.resolution.named_type,
            }
        }
        _ => Lookup {
            targets: Vec::new(),
            named_type: None,
        },
    }
}

/// An answer that the deadline cut short is none.
fn whole(budget: &Budget) -> Result<(), ToolError> {
    match budget.cut() {
        None => Ok(()),
        Some(Cut::Cancelled) => Err(ToolError::cancelled()),
        Some(Cut::Deadline | Cut::Work | Cut::Limit) => Err(ToolError::timed_out()),
        Some(Cut::Unreadable) => Err(ToolError::internal("a part of the index cannot be read")),
    }
}

/// The places of one local variable in its file: references, later assignments and, where wanted,
/// its first binding.
///
/// Bindings belong together where one place may mean either, and where an assignment means what was
/// bound before.
fn local_places(
    resolver: &Resolver<'_>,
    file: FileId,
    binding: BindingId,
    include_declaration: bool,
) -> BTreeSet<Span> {
    let Some(view) = resolver.view(file) else {
        return BTreeSet::new();
    };
    let Some(name) = view
        .facts
        .bindings
        .get(binding.0 as usize)
        .map(|binding| binding.name)
    else {
        return BTreeSet::new();
    };
    let own = |targets: &[Found]| -> Vec<BindingId> {
        let own = targets.iter().filter_map(|found| match found {
            Found::Binding(of, id) if *of == file => Some(*id),
            _ => None,
        });
        own.collect()
    };
    let mut groups: Vec<(Option<Span>, Vec<BindingId>)> = Vec::new();
    for reference in view
        .facts
        .references_of(name)
        .iter()
        .filter(|reference| reference.receiver.is_none())
    {
        groups.push((
            Some(reference.span),
            own(&resolver.resolve(&view, reference).targets),
        ));
    }
    for id in bindings_of(&view.facts, name) {
        let bound = &view.facts.bindings[id.0 as usize];
        if matches!(
            bound.kind,
            BindingKind::Assignment
                | BindingKind::Narrowing
                | BindingKind::Outer
                | BindingKind::Enclosing
        ) {
            let before = resolver.name_at(
                engine::Place::new(&view, bound.scope, bound.name_span.start),
                view.facts.name(name),
            );
            let mut together = before
                .map(|resolution| own(&resolution.targets))
                .unwrap_or_default();
            together.push(id);
            groups.push((None, together));
        }
    }
    places_of_group(&view, binding, &groups, include_declaration)
}

fn places_of_group(
    view: &FileView,
    start: BindingId,
    groups: &[(Option<Span>, Vec<BindingId>)],
    include_declaration: bool,
) -> BTreeSet<Span> {
    let mut same: BTreeSet<BindingId> = BTreeSet::from([start]);
    loop {
        let n_known = same.len();
        for (_, group) in groups
            .iter()
            .filter(|(_, group)| group.iter().any(|id| same.contains(id)))
            .cloned()
            .collect::<Vec<_>>()
        {
            same.extend(group);
        }
        if same.len() == n_known {
            break;
        }
    }
    let meaning = groups
        .iter()
        .filter(|(_, group)| group.iter().any(|id| same.contains(id)));
    let mut spans: BTreeSet<Span> = meaning.filter_map(|(span, _)| *span).collect();
    let bound = || {
        same.iter()
            .map(|id| &view.facts.bindings[id.0 as usize])
            .filter(|binding| binding.kind != BindingKind::Narrowing)
    };
    spans.extend(bound().map(|binding| binding.name_span));
    if let Some(declared) = bound().map(|binding| binding.name_span).min()
        && !include_declaration
    {
        spans.remove(&declared);
    }
    spans
}

fn bindings_of(facts: &Facts, name: NameId) -> impl Iterator<Item = BindingId> {
    let start = facts
        .bindings
        .partition_point(|binding| binding.name < name);
    let end = facts
        .bindings
        .partition_point(|binding| binding.name <= name);
    (start..end).map(|i| BindingId(i as u32))
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
fn line_of(
    session: &Session,
    file: FileId,
    span: impl Fn(&Facts) -> Option<Span>,
) -> Option<Fragment> {
    let (facts, text) = (session.facts(file)?, session.text(file)?);
    let line = excerpts::line(&facts, &text, span(&facts)?.start);
    Some(Fragment {
        kind: FragmentKind::Markdown,
        value: format!("```{}\n{line}\n```", session.language(file)),
    })
}

/// The name that covers an offset; one that begins there is preferred to one that ends there.
fn name_at(session: &Session, file: FileId, offset: u32) -> Option<Span> {
    let facts = session.facts(file)?;
    let spans = facts.symbols.iter().map(|symbol| symbol.name_span);
    let spans = spans.chain(facts.references.iter().map(|reference| reference.span));
    let spans = spans.chain(
        facts
            .imports
            .iter()
            .flat_map(|import| [Some(import.name_span), import.alias_span])
            .flatten(),
    );
    let spans = spans.chain(facts.bindings.iter().map(|binding| binding.name_span));
    let covering =
        spans.filter(|span| span.start <= offset && offset <= span.end && !span.is_empty());
    covering.min_by_key(|span| (offset >= span.end, span.len()))
}

/// Names that hold a part, case and separators aside, in order. Groups of three letters find them;
/// fewer letters begin them.
fn named_like<'a>(session: &'a Session, part: &str) -> BTreeSet<&'a str> {
    let lexicon = session.lexicon();
    let mut found: BTreeSet<&str> = lexicon.containing(part, usize::MAX).into_iter().collect();
    found.extend(lexicon.beginning(part, usize::MAX));
    found
}

/// Whether containers, module or file of a symbol have the given names, outermost first.
fn stands_within(session: &Session, symbol: SymbolId, facts: &Facts, within: &[String]) -> bool {
    if within.is_empty() {
        return true;
    }
    let mut around = names::module_path(session.snapshot(), symbol.file);
    around.push(
        query::search::stem(session.snapshot().file(symbol.file).path.file_name()).to_owned(),
    );
    let mut chain = names::chain(facts, symbol.index);
    chain.pop();
    around.extend(chain);
    let mut rest = around.iter().map(|name| query::search::fold(name));
    within.iter().all(|wanted| rest.any(|name| name == *wanted))
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

fn diagnostics_of(
    session: &Session,
    file: FileId,
    uri: &str,
) -> Result<Vec<Diagnostic>, ToolError> {
    let columns = Columns::of(session, file)?;
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
    shapes::settle_diagnostics(&mut diagnostics);
    Ok(diagnostics)
}

/// Places of the engine as locations; those outside the roots are left out.
struct Places<'a> {
    context: &'a Context,
    session: &'a Session,
    known: FxHashMap<FileId, Option<(String, Columns)>>,
}

impl<'a> Places<'a> {
    fn new(context: &'a Context, session: &'a Session) -> Places<'a> {
        Places {
            context,
            session,
            known: FxHashMap::default(),
        }
    }

    fn location(&mut self, file: FileId, span: Span) -> Result<Option<Location>, ToolError> {
        if !self.known.contains_key(&file) {
            let real = self.session.workspace.root().join(self.session.path(file));
            let inside = self.context.roots().contains(&real);
            let known = if inside {
                Some((file_uri(&real), Columns::of(self.session, file)?))
            } else {
                None
            };
            self.known.insert(file, known);
        }
        let known = self.known.get(&file).and_then(Option::as_ref);
        Ok(known.map(|(uri, columns)| Location {
            uri: uri.clone(),
            range: columns.range(span),
        }))
    }

    /// Where a definition's name stands; a module's is the start of its file.
    fn found(&mut self, found: &Found) -> Result<Option<Location>, ToolError> {
        let place = |file: FileId, span: &dyn Fn(&Facts) -> Option<Span>| {
            self.session
                .facts(file)
                .and_then(|facts| span(&facts))
                .map(|span| (file, span))
        };
        let symbol = |symbol: SymbolId| {
            place(symbol.file, &|facts| {
                Some(facts.symbol(symbol.index).name_span)
            })
        };
        let place = match found {
            Found::Symbol(id) | Found::Module(Module::Type(id)) => symbol(*id),
            Found::Module(Module::Tree(file, Some(index))) => symbol(SymbolId {
                file: *file,
                index: *index,
            }),
            Found::Binding(file, id) => place(*file, &|facts| {
                facts
                    .bindings
                    .get(id.0 as usize)
                    .map(|binding| binding.name_span)
            }),
            Found::TypeParameter(id, i) => place(id.file, &|facts| {
                facts
                    .type_parameters(facts.symbol(id.index))
                    .get(*i as usize)
                    .map(|parameter| parameter.name_span)
            }),
            Found::Module(Module::File(file) | Module::Tree(file, None)) => {
                Some((*file, Span::default()))
            }
            Found::Module(
                Module::Directory(_)
                | Module::Package(_)
                | Module::Namespace(_)
                | Module::External(_),
            )
            | Found::External(_) => None,
        };
        match place {
            Some((file, span)) => self.location(file, span),
            None => Ok(None),
        }
    }
}
