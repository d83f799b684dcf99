//! Every place that means a symbol, its own definition excluded.

use std::sync::Arc;

use facts::{Role, Span, SymbolIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{answers::answered, calls::enclosing_callable, contents::over_contents};
use crate::{
    Complete, ContentNumber, FileId, FileView, Found, Outcome, Resolver, Rule, SymbolId, is_below,
    resolve::dialect::ModuleWords,
};

/// A place that means the symbol asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub file: FileId,
    pub span: Span,
    /// From 1.
    pub line: u32,
    pub role: Role,
    pub enclosing: Option<SymbolIndex>,
    /// The innermost callable around it.
    pub caller: Option<SymbolIndex>,
    pub outcome: Outcome,
    pub rule: Rule,
    /// The place names the type; the symbol asked for is its constructor, or the other way round.
    pub through_type: bool,
}

/// The places that have a symbol's name: those that mean it, and what became of the others, so that
/// an empty list can be told from a blind one.
#[derive(Debug, Default)]
pub struct Named {
    /// In order of path and place; ambiguous ones are among them, marked.
    pub mentions: Vec<Mention>,
    /// Places of the same family of languages for which nothing was found, each with its receiver
    /// as written: they may mean it.
    pub unsettled: Vec<(Mention, Option<String>)>,
    /// Calls of members of the same family of languages of which none was chosen, because nothing
    /// tells what their receivers are.
    pub open_calls: Vec<Mention>,
    pub account: Account,
}

/// Counts of places in code that have the name, without the symbol's own definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Files whose code has the name.
    pub files: usize,
    /// Places that mean another symbol, a local or a library.
    pub others: usize,
    /// Of the others in the same family of languages: those that are named through something else
    /// (`x.name`), imports of the name, and what is not static. If one of them is told wrong, the
    /// place may mean the symbol.
    pub others_through: usize,
    /// Places for which several symbols come into question, this one among them or not.
    pub ambiguous: usize,
    /// Places for which nothing was found.
    pub unresolved: usize,
}

/// The mentions of a symbol in order of path and place; ambiguous ones are among them, marked.
pub fn references(resolver: &Resolver, symbol: SymbolId) -> Complete<Vec<Mention>> {
    let answer = answered(
        resolver,
        |answers| &answers.named,
        (Box::from([symbol]), false),
        || named(resolver, &[symbol], false),
    );
    resolver.budget.finish(answer.mentions.clone())
}

/// The references of overloads, which share a file and a name, with what became of every other place
/// that has the name.
pub fn accounted_references(resolver: &Resolver, overloads: &[SymbolId]) -> Complete<Arc<Named>> {
    resolver.budget.finish(answered(
        resolver,
        |answers| &answers.named,
        (overloads.into(), true),
        || named(resolver, overloads, true),
    ))
}

/// Open calls of one name that are kept; a name with more of them tells nothing.
const MAX_OPEN_CALLS: usize = 16;

/// Calls of a method's name whose receivers nothing tells, in order of path and place; none where
/// there are too many to look at.
pub(super) fn open_calls(resolver: &Resolver, symbol: SymbolId) -> Vec<Mention> {
    let answer = answered(
        resolver,
        |answers| &answers.named,
        (Box::from([symbol]), false),
        || named(resolver, &[symbol], false),
    );
    match answer.open_calls.len() {
        MAX_OPEN_CALLS.. => Vec::new(),
        _ => answer.open_calls.clone(),
    }
}

fn named(resolver: &Resolver, overloads: &[SymbolId], accounted: bool) -> Named {
    let mut all = Named::default();
    let Some(symbol) = overloads.first() else {
        return all;
    };
    let mut group: Vec<SymbolId> = overloads
        .iter()
        .flat_map(|symbol| same_symbol(resolver, *symbol))
        .collect();
    group.sort_unstable();
    group.dedup();
    let Some(own_view) = resolver.view(symbol.file) else {
        return all;
    };
    let own_name = own_view.name_of(symbol.index).to_owned();
    let mut names: Vec<String> = vec![own_name.clone()];
    let is_constructor = own_view.symbol(symbol.index).kind == facts::SymbolKind::Constructor;
    if is_constructor {
        names.extend(["this", "super", "base", "self", "new"].map(str::to_owned));
        names.extend(
            Some(own_view.semantics.construction.by_member)
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
        );
        if let Some(parent) = own_view.symbol(symbol.index).parent {
            names.push(own_view.name_of(parent).to_owned());
        }
    }
    let names = names.into_iter().map(Lead::Name);
    let mut leads: Vec<Lead> = names.collect();
    if is_whole(resolver, &own_view, &group) {
        leads.push(Lead::Module(symbol.file));
    }
    let mut seen: FxHashSet<Lead> = leads.iter().cloned().collect();
    let mut mentions: FxHashMap<(FileId, u32), Mention> = FxHashMap::default();
    while let Some(lead) = leads.pop() {
        let found = match &lead {
            Lead::Module(file) => imports_of(resolver, *file, &group),
            Lead::Name(name) => {
                let search = Search {
                    name,
                    group: &group,
                    family: own_view.semantics.family,
                    accounted: accounted && *name == own_name,
                };
                let read = resolver.snapshot().corpus().mentioning(name);
                let contents = resolver.budget.read(read);
                over_contents(resolver, &contents, |resolver, content, into| {
                    search.in_content(resolver, content, into)
                })
            }
        };
        for found in found {
            for mention in found.named.mentions {
                mentions.insert((mention.file, mention.span.start), mention);
            }
            let room = MAX_OPEN_CALLS.saturating_sub(all.open_calls.len());
            let open_calls = found.named.open_calls.into_iter();
            all.open_calls.extend(open_calls.take(room));
            all.unsettled.extend(found.named.unsettled);
            all.account.add(&found.named.account);
            // Another name for the same thing is searched for as well.
            let others = found.leads.into_iter();
            leads.extend(others.filter(|lead| seen.insert(lead.clone())));
        }
    }
    all.mentions = mentions.into_values().collect();
    all.mentions.retain(|mention| {
        !group.iter().any(|symbol| {
            symbol.file == mention.file
                && resolver
                    .view(symbol.file)
                    .is_some_and(|view| view.symbol(symbol.index).name_span == mention.span)
        })
    });
    all.mentions
        .sort_by_key(|mention| (mention.file, mention.span.start));
    all.unsettled
        .sort_by_key(|(mention, _)| (mention.file, mention.span.start));
    all
}

impl Account {
    fn add(&mut self, other: &Account) {
        self.files += other.files;
        self.others += other.others;
        self.others_through += other.others_through;
        self.ambiguous += other.ambiguous;
        self.unresolved += other.unresolved;
    }
}

/// What leads to places that mean a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Lead {
    /// A name that it has.
    Name(String),
    /// A file that gives it to those who import the file without naming it.
    Module(FileId),
}

impl Lead {
    /// What another name for the symbol, under which a file hands it on, leads to.
    fn exported(view: &FileView, exported: &str) -> Option<Lead> {
        match exported {
            "*" => None,
            _ if WHOLE.contains(&exported) => Some(Lead::Module(view.id)),
            _ => Some(Lead::Name(exported.to_owned())),
        }
    }
}

/// The names of what a file gives to imports that do not name it.
const WHOLE: [&str; 2] = ["default", "="];

/// Whether imports of a file get one of some symbols without naming it.
fn is_whole(resolver: &Resolver, view: &FileView, group: &[SymbolId]) -> bool {
    let exports = view.facts.exports.iter();
    let mut exported = exports.map(|export| view.facts.name(export.exported));
    let is_marked = |symbol: &SymbolId| {
        let modifiers = (symbol.file == view.id).then(|| view.symbol(symbol.index).modifiers);
        modifiers.is_some_and(|own| own.contains(facts::Modifiers::DEFAULT_EXPORT))
    };
    group.iter().any(is_marked)
        || exported
            .any(|name| WHOLE.contains(&name) && is_meant(group, &resolver.exported(view, name)))
}

/// How imports from below a directory name the directory.
const ABOVE: [&str; 9] = [
    ".",
    "./",
    "..",
    "../",
    "./..",
    "../..",
    "../../",
    "../../..",
    "../../../",
];

/// Imports of a file that get one of some symbols, whatever they call it.
fn imports_of(resolver: &Resolver, file: FileId, group: &[SymbolId]) -> Vec<FoundMentions> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let ModuleWords { words, directories } = (view.dialect.module_words)(resolver, file);
    let snapshot = resolver.snapshot();
    let corpus = snapshot.corpus();
    let mut found = Vec::new();
    let mut look = |word: &str, contents: Vec<ContentNumber>| {
        found.extend(over_contents(
            resolver,
            &contents,
            |resolver, content, into| {
                for &file in snapshot.files_of(content) {
                    if let Some(view) = resolver.passing_view(file)
                        && resolver.budget.spend()
                    {
                        unnamed_in(resolver, &view, word, group, into);
                    }
                }
            },
        ));
    };
    for word in &words {
        look(word, resolver.budget.read(corpus.mentioning(word)));
    }
    for directory in directories {
        let is_below = |content: ContentNumber| {
            let mut files = snapshot.files_of(content).iter();
            files.any(|file| is_below(resolver.path(*file).as_str(), &directory))
        };
        for word in ABOVE {
            let contents = corpus.mentioning_among(word, &is_below);
            look(word, resolver.budget.read(contents));
        }
    }
    found
}

/// Imports of modules whose paths end in a word, and what the file hands on of them.
fn unnamed_in(
    resolver: &Resolver,
    view: &FileView,
    word: &str,
    group: &[SymbolId],
    into: &mut FoundMentions,
) {
    let is_named = |module: facts::NameId| {
        let module = view.facts.name(module);
        module == word || facts::module_word(module) == word
    };
    let mut is_found = false;
    for (i, import) in view.facts.imports.iter().enumerate() {
        if !is_named(import.module) || !is_meant(group, &resolver.import_targets(view, i as u32)) {
            continue;
        }
        is_found = true;
        into.named.mentions.push(imported(view, import.name_span));
        let local = import.local.map(|local| view.facts.name(local));
        into.leads
            .extend(local.map(|local| Lead::Name(local.to_owned())));
    }
    for export in view.facts.exports.iter().filter(|_| is_found) {
        let exported = view.facts.name(export.exported);
        let is_handed_on = export.module.is_none_or(is_named);
        if is_handed_on && is_meant(group, &resolver.exported(view, exported)) {
            into.leads.extend(Lead::exported(view, exported));
        }
    }
}

fn is_meant(group: &[SymbolId], found: &[Found]) -> bool {
    found
        .iter()
        .any(|found| matches!(found, Found::Symbol(target) if group.contains(target)))
}

/// One name, looked for in many files.
struct Search<'a> {
    name: &'a str,
    group: &'a [SymbolId],
    family: facts::Family,
    /// What does not mean the symbol is counted, too.
    accounted: bool,
}

#[derive(Default)]
struct FoundMentions {
    named: Named,
    leads: Vec<Lead>,
}

impl Search<'_> {
    fn in_content(&self, resolver: &Resolver, content: ContentNumber, into: &mut FoundMentions) {
        for &file in resolver.snapshot().files_of(content) {
            if !resolver.budget.spend() {
                return;
            }
            let Some(view) = resolver
                .passing_view(file)
                .filter(|view| self.accounted || view.semantics.family == self.family)
            else {
                continue;
            };
            let Some(id) = view.facts.names.find(self.name) else {
                continue;
            };
            self.references_in(resolver, &view, id, into);
            self.assignments_in(resolver, &view, id, into);
            if view.semantics.family == self.family {
                self.imports_in(resolver, &view, id, into);
                self.exports_in(resolver, &view, id, into);
            }
        }
    }

    fn references_in(
        &self,
        resolver: &Resolver,
        view: &FileView,
        name: facts::NameId,
        into: &mut FoundMentions,
    ) {
        let places = view.facts.references_of(name);
        let Named {
            mentions,
            unsettled,
            open_calls,
            account,
        } = &mut into.named;
        account.files += usize::from(self.accounted && !places.is_empty());
        for reference in places {
            if !resolver.budget.spend() {
                return;
            }
            let resolution = resolver.resolve(view, reference);
            let is_settled = !matches!(resolution.outcome, Outcome::External | Outcome::Unresolved);
            let direct = is_settled
                && resolution
                    .symbols()
                    .any(|target| self.group.contains(&target));
            let through = is_settled
                && resolution
                    .named_type
                    .is_some_and(|named| self.group.contains(&named));
            let mention = || Mention {
                file: view.id,
                span: reference.span,
                line: view.facts.lines.line_number(reference.span.start),
                role: reference.role,
                enclosing: reference.enclosing,
                caller: reference
                    .enclosing
                    .and_then(|enclosing| enclosing_callable(view, enclosing)),
                outcome: resolution.outcome,
                rule: resolution.rule,
                through_type: through && !direct,
            };
            if direct || through {
                mentions.push(mention());
            }
            if reference.role == Role::Call
                && reference.receiver.is_some()
                && matches!(resolution.outcome, Outcome::Unresolved | Outcome::Ambiguous)
                && view.semantics.family == self.family
            {
                open_calls.push(mention());
            }
            if !self.accounted {
                continue;
            }
            match resolution.outcome {
                Outcome::Ambiguous => account.ambiguous += 1,
                Outcome::Unresolved => {
                    account.unresolved += 1;
                    if view.semantics.family == self.family {
                        let hint = reference
                            .receiver
                            .map(|receiver| crate::text::recipe(&view.facts, receiver));
                        unsettled.push((mention(), hint));
                    }
                }
                _ if direct || through => {}
                outcome => {
                    account.others += 1;
                    let is_through = reference.receiver.is_some() || outcome != Outcome::Static;
                    let is_family = view.semantics.family == self.family;
                    account.others_through += usize::from(is_family && is_through);
                }
            }
        }
    }

    /// Assignments that make a symbol of their own of what the type of the object declares.
    fn assignments_in(
        &self,
        resolver: &Resolver,
        view: &FileView,
        name: facts::NameId,
        into: &mut FoundMentions,
    ) {
        for index in view.symbols_named(name) {
            let declared = resolver.assigned_member(view.symbol_id(index));
            if !declared.is_some_and(|declared| self.group.contains(&declared)) {
                continue;
            }
            let symbol = view.symbol(index);
            into.named.mentions.push(Mention {
                file: view.id,
                span: symbol.name_span,
                line: view.facts.lines.line_number(symbol.name_span.start),
                role: Role::Write,
                enclosing: symbol.parent,
                caller: symbol
                    .parent
                    .and_then(|parent| enclosing_callable(view, parent)),
                outcome: Outcome::Static,
                rule: Rule::Member,
                through_type: false,
            });
        }
    }

    fn imports_in(
        &self,
        resolver: &Resolver,
        view: &FileView,
        name: facts::NameId,
        into: &mut FoundMentions,
    ) {
        for (i, import) in view.facts.imports.iter().enumerate() {
            if import.item != Some(name) && import.local != Some(name) {
                continue;
            }
            if !is_meant(self.group, &resolver.import_targets(view, i as u32)) {
                into.named.account.others_through += usize::from(self.accounted);
                continue;
            }
            into.named.mentions.push(imported(view, import.name_span));
            let local = import.local.map(|local| view.facts.name(local));
            into.leads
                .extend(local.map(|local| Lead::Name(local.to_owned())));
        }
    }

    fn exports_in(
        &self,
        resolver: &Resolver,
        view: &FileView,
        name: facts::NameId,
        into: &mut FoundMentions,
    ) {
        for export in view
            .facts
            .exports
            .iter()
            .filter(|export| export.local == Some(name))
        {
            let exported = view.facts.name(export.exported);
            if !is_meant(self.group, &resolver.exported(view, exported)) {
                continue;
            }
            // What the name itself refers to counts before the export.
            let mut of_file = into
                .named
                .mentions
                .iter()
                .rev()
                .take_while(|mention| mention.file == view.id);
            // The members of `module.exports = { … }` are named in the object, not at the target.
            let is_whole = |other: &facts::Export| {
                other.name_span == export.name_span && view.facts.name(other.exported) == "="
            };
            let is_of_object = exported != "=" && view.facts.exports.iter().any(is_whole);
            let is_listed = of_file.any(|mention| mention.span.start == export.name_span.start);
            if !is_of_object && !is_listed {
                into.named.mentions.push(imported(view, export.name_span));
            }
            into.leads.extend(Lead::exported(view, exported));
        }
    }
}

fn imported(view: &FileView, span: Span) -> Mention {
    Mention {
        file: view.id,
        span,
        line: view.facts.lines.line_number(span.start),
        role: Role::Import,
        enclosing: None,
        caller: None,
        outcome: Outcome::Static,
        rule: Rule::Import,
        through_type: false,
    }
}

/// The symbol and the other declarations of the same thing: prototypes and definitions, partial
/// parts, accessors.
pub fn same_symbol(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut group = vec![symbol];
    for other in resolver.declarations_of(symbol) {
        if !group.contains(&other) {
            group.push(other);
        }
    }
    group
}
