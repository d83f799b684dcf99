//! Every place that means a symbol, its own definition excluded.

use std::sync::Arc;

use facts::{Recipe, Role, Span, SymbolIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    answers::answered,
    dispatch::reference_at,
    leads::{Followed, MentionLead, imports_of, is_whole},
    named_places::{NamedPlace, NamedPlaces, PlaceKind, PlacesIn, places_in, places_named},
};
use crate::{Complete, FileId, Outcome, Resolver, Rule, SymbolId};

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

/// The places that bear a symbol's name: those that mean it, and what became of the others, so that
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

/// Counts of places in code that bear the name, without the symbol's own definition.
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
    let group = group_of(resolver, overloads);
    let Some(own_view) = resolver.view(symbol.file) else {
        return all;
    };
    let own_name = own_view.name_of(symbol.index).to_owned();
    let mut names: Vec<String> = vec![own_name.clone()];
    let is_constructor = own_view.symbol(symbol.index).kind == facts::SymbolKind::Constructor;
    if is_constructor {
        let construction = &own_view.semantics.construction;
        let words = construction.delegates.iter();
        names.extend(
            words
                .chain(&["new", construction.by_member])
                .map(|word| (*word).to_owned()),
        );
        names.retain(|name| !name.is_empty());
        if let Some(parent) = own_view.symbol(symbol.index).parent {
            names.push(own_view.name_of(parent).to_owned());
        }
    }
    let names = names.into_iter().map(MentionLead::Name);
    let mut leads: Vec<MentionLead> = names.collect();
    if is_whole(resolver, &own_view, &group) {
        leads.push(MentionLead::Module(symbol.file));
    }
    let mut seen: FxHashSet<MentionLead> = leads.iter().cloned().collect();
    let mut mentions: FxHashMap<(FileId, u32), Mention> = FxHashMap::default();
    let family = own_view.semantics.family;
    while let Some(lead) = leads.pop() {
        let found = match &lead {
            MentionLead::Module(file) => imports_of(resolver, *file, &group),
            MentionLead::Name(name) => {
                let mut wanted = PlacesOfSymbol {
                    resolver,
                    name,
                    group: &group,
                    accounted: accounted && *name == own_name,
                    into: &mut all,
                    found: Followed::default(),
                };
                let places = places_named(resolver, name, PlacesIn::Family(family));
                wanted.add(&places, true);
                if wanted.accounted {
                    let others = places_named(resolver, name, PlacesIn::OtherFamilies(family));
                    wanted.add(&others, false);
                }
                wanted.found
            }
        };
        for mention in found.mentions {
            mentions.insert((mention.file, mention.span.start), mention);
        }
        // Another name for the same thing is searched for as well.
        let others = found.leads.into_iter();
        leads.extend(others.filter(|lead| seen.insert(lead.clone())));
    }
    all.mentions = mentions.into_values().collect();
    all.mentions
        .retain(|mention| !is_declaration(resolver, &group, mention));
    all.mentions
        .sort_by_key(|mention| (mention.file, mention.span.start));
    all.unsettled
        .sort_by_key(|(mention, _)| (mention.file, mention.span.start));
    all
}

/// The declarations of some overloads, in order.
fn group_of(resolver: &Resolver, overloads: &[SymbolId]) -> Vec<SymbolId> {
    let all = overloads.iter();
    let mut group: Vec<SymbolId> = all
        .flat_map(|symbol| same_symbol(resolver, *symbol))
        .collect();
    group.sort_unstable();
    group.dedup();
    group
}

/// Whether a place is where one of the declarations of a symbol has its name.
fn is_declaration(resolver: &Resolver, group: &[SymbolId], place: &Mention) -> bool {
    group.iter().any(|symbol| {
        symbol.file == place.file
            && resolver
                .view(symbol.file)
                .is_some_and(|view| view.symbol(symbol.index).name_span == place.span)
    })
}

/// Contents that are looked into for one place.
const MOST_FOR_ONE: usize = 16;

/// Whether one of the places that mean some overloads is of a kind, as far as it is soon found: by
/// their own name, in their own file and a few others. If not, nothing is said.
pub fn is_soon_found(
    resolver: &Resolver,
    overloads: &[SymbolId],
    is_wanted: &dyn Fn(&Mention) -> bool,
) -> bool {
    let Some(symbol) = overloads.first() else {
        return false;
    };
    let Some(view) = resolver.view(symbol.file) else {
        return false;
    };
    let (name, family) = (view.name_of(symbol.index), view.semantics.family);
    let snapshot = resolver.snapshot();
    let own = snapshot.file(symbol.file).content;
    let mut contents = resolver.budget.read(snapshot.corpus().mentioning(name));
    contents.sort_by_key(|content| *content != own);
    let group = group_of(resolver, overloads);
    let mut named = Named::default();
    contents.into_iter().take(MOST_FOR_ONE).any(|content| {
        let places = places_in(resolver, content, name, PlacesIn::Family(family));
        let mut wanted = PlacesOfSymbol {
            resolver,
            name,
            group: &group,
            accounted: false,
            into: &mut named,
            found: Followed::default(),
        };
        wanted.add(&places, true);
        let mut mentions = wanted.found.mentions.iter();
        mentions.any(|place| is_wanted(place) && !is_declaration(resolver, &group, place))
    })
}

/// The places of one name, taken for what they are to a symbol.
struct PlacesOfSymbol<'a> {
    resolver: &'a Resolver<'a>,
    name: &'a str,
    /// The declarations of the symbol.
    group: &'a [SymbolId],
    /// What does not mean the symbol is counted, too.
    accounted: bool,
    into: &'a mut Named,
    found: Followed,
}

impl PlacesOfSymbol<'_> {
    /// `is_family` says whether the places are in files of the symbol's family of languages.
    fn add(&mut self, named: &NamedPlaces, is_family: bool) {
        if self.accounted {
            let account = &mut self.into.account;
            account.files += named.n_files;
            account.others += named.n_elsewhere;
            account.others_through += match is_family {
                true => named.n_elsewhere_through,
                false => 0,
            };
        }
        for place in &named.places {
            let is_meant = place.targets.iter().any(|of| self.group.contains(of));
            match &place.kind {
                PlaceKind::Reference { has_receiver } => {
                    self.add_reference(place, is_meant, *has_receiver, is_family);
                }
                PlaceKind::Assignment if is_meant => {
                    self.found.mentions.push(place.mention.clone());
                }
                PlaceKind::Assignment => {}
                PlaceKind::Import { alias } if is_meant => {
                    self.found.mentions.push(place.mention.clone());
                    let alias = alias
                        .as_deref()
                        .map(|alias| MentionLead::Name(alias.to_owned()));
                    self.found.leads.extend(alias);
                }
                PlaceKind::Import { .. } => {
                    self.into.account.others_through += usize::from(self.accounted);
                }
                PlaceKind::Export {
                    alias,
                    is_of_object,
                } if is_meant => {
                    if !is_of_object && !self.is_listed(&place.mention) {
                        self.found.mentions.push(place.mention.clone());
                    }
                    let lead = alias.as_deref();
                    let lead =
                        lead.and_then(|alias| MentionLead::exported(place.mention.file, alias));
                    self.found.leads.extend(lead);
                }
                PlaceKind::Export { .. } => {}
            }
        }
    }

    fn add_reference(
        &mut self,
        place: &NamedPlace,
        direct: bool,
        has_receiver: bool,
        is_family: bool,
    ) {
        let outcome = place.mention.outcome;
        let through = place
            .named_type
            .is_some_and(|named| self.group.contains(&named));
        let mention = Mention {
            through_type: through && !direct,
            ..place.mention.clone()
        };
        if place.mention.role == Role::Call
            && has_receiver
            && is_family
            && matches!(outcome, Outcome::Unresolved | Outcome::Ambiguous)
            && self.into.open_calls.len() < MAX_OPEN_CALLS
        {
            self.into.open_calls.push(mention.clone());
        }
        if self.accounted && !is_key_of_element(self.resolver, self.name, &mention) {
            let account = &mut self.into.account;
            match outcome {
                Outcome::Ambiguous => account.ambiguous += 1,
                Outcome::Unresolved => account.unresolved += 1,
                _ if direct || through => {}
                outcome => {
                    account.others += 1;
                    let is_through = has_receiver || outcome != Outcome::Static;
                    account.others_through += usize::from(is_family && is_through);
                }
            }
            if outcome == Outcome::Unresolved && is_family {
                let hint = receiver_text(self.resolver, self.name, &mention);
                self.into.unsettled.push((mention.clone(), hint));
            }
        }
        if direct || through {
            self.found.mentions.push(mention);
        }
    }

    /// Whether a place of the file is already among the mentions: what the name itself refers to
    /// counts before the export.
    fn is_listed(&self, place: &Mention) -> bool {
        let mentions = self.found.mentions.iter().rev();
        let mut of_file = mentions.take_while(|mention| mention.file == place.file);
        of_file.any(|mention| mention.span.start == place.span.start)
    }
}

/// Whether a place is a key of a literal in an array that is given to something unknown: a mere word.
fn is_key_of_element(resolver: &Resolver, name: &str, place: &Mention) -> bool {
    /// Literals in literals are shallow.
    const MAX_DEPTH: u32 = 8;
    if place.outcome != Outcome::Unresolved || place.role != Role::Write {
        return false;
    }
    let receiver = || {
        let view = resolver.view(place.file)?;
        let receiver = reference_at(&view, name, place.span.start)?.receiver?;
        Some((view, receiver))
    };
    let Some((view, receiver)) = receiver() else {
        return false;
    };
    let mut recipe = view.facts.recipe(receiver);
    let mut is_element = false;
    for _ in 0..MAX_DEPTH {
        recipe = match recipe {
            Recipe::Parameter(..) => return is_element,
            Recipe::Member(inner, _) => view.facts.recipe(inner),
            Recipe::Element(inner) => {
                is_element = true;
                view.facts.recipe(inner)
            }
            _ => return false,
        };
    }
    false
}

/// The receiver of a reference as it is written.
fn receiver_text(resolver: &Resolver, name: &str, place: &Mention) -> Option<String> {
    let view = resolver.view(place.file)?;
    let receiver = reference_at(&view, name, place.span.start)?.receiver?;
    Some(crate::text::recipe(&view.facts, receiver))
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
