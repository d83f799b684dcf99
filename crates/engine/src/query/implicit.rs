//! Calls that the language makes by itself: who runs a member without naming it, and what a callable
//! runs so. Loops, blocks that hold a value, operators, indexes, conversions, types that are raised,
//! properties. They are edges of a kind of their own, beside [`super::callers`] and
//! [`super::callees`].

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use facts::{
    BindingId, BindingKind, Ending, ImplicitKind, ImplicitUse, Modifiers, Protocols, Role, ScopeId,
    Span, SymbolIndex,
};
use rustc_hash::FxHashSet;

use super::{
    answers::answered,
    calls::{Site, enclosing_callable},
    contents::over_contents,
};
use crate::{
    Complete, ContentNumber, FileId, FileView, Outcome, Resolver, SymbolId, Ty, query,
    resolve::implicit::{self, ImplicitTarget},
};

/// One place where the language calls something by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImplicitCall {
    /// The caller, or what is called. Nothing for code outside of any callable.
    pub symbol: Option<SymbolId>,
    pub kind: ImplicitKind,
    pub outcome: Outcome,
    pub site: Site,
}

/// Names of types, and of what gives values of them, that one question looks for.
const MAX_NAMES: usize = 64;

/// Contents that one question looks at.
const MAX_CONTENTS: usize = 600;

/// Contents in which one question looks for what gives values of a type.
const MAX_GIVING: usize = 150;

/// More implementations of one member than anybody reads.
const MAX_IMPLEMENTATIONS: usize = 100;

/// What a callable runs without naming it, in order of place.
pub fn implicit_callees(resolver: &Resolver, symbol: SymbolId) -> Complete<Vec<ImplicitCall>> {
    let find = || {
        find_callees(resolver, symbol.file, |view, enclosing| {
            enclosing.is_some_and(|enclosing| {
                enclosing == symbol.index
                    || enclosing_callable(view, enclosing) == Some(symbol.index)
            })
        })
    };
    let key = (symbol, false);
    let answer = answered(resolver, |answers| &answers.implicit, key, find);
    resolver.budget.finish((*answer).clone())
}

/// What the code of a file outside of every callable runs without naming it.
pub fn implicit_callees_of_file(resolver: &Resolver, file: FileId) -> Complete<Vec<ImplicitCall>> {
    let found = find_callees(resolver, file, |view, enclosing| {
        enclosing.is_none_or(|enclosing| enclosing_callable(view, enclosing).is_none())
    });
    resolver.budget.finish(found)
}

/// Who runs a symbol without naming it, in order of path and place. Who reads a property is among
/// [`super::callers`]: a read names it.
pub fn implicit_callers(resolver: &Resolver, symbol: SymbolId) -> Complete<Vec<ImplicitCall>> {
    let find = || find_callers(resolver, symbol);
    let key = (symbol, true);
    let answer = answered(resolver, |answers| &answers.implicit, key, find);
    resolver.budget.finish((*answer).clone())
}

/// What a file runs without naming it, where `belongs` says so of the innermost symbol around.
fn find_callees(
    resolver: &Resolver,
    file: FileId,
    belongs: impl Fn(&FileView, Option<SymbolIndex>) -> bool,
) -> Vec<ImplicitCall> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |symbol: SymbolId, kind: ImplicitKind, outcome: Outcome, span: Span| {
        let call = ImplicitCall {
            symbol: Some(symbol),
            kind,
            outcome,
            site: site(&view, span),
        };
        if !found.contains(&call) {
            found.push(call);
        }
    };
    uses_of(resolver, &view, &belongs, &|_, _| true, &mut |used| {
        add(used.target.symbol, used.kind, Outcome::Static, used.span);
        for other in behind(resolver, used.target) {
            add(other, used.kind, Outcome::Dispatch, used.span);
        }
    });
    for reference in &view.facts.references {
        let is_access = matches!(reference.role, Role::Read | Role::Write);
        if !is_access || !belongs(&view, reference.enclosing) {
            continue;
        }
        if !resolver.budget.spend() {
            break;
        }
        for property in implicit::of_access(resolver, &view, reference) {
            let is_own = Some(property.index) == reference.enclosing && property.file == file;
            if !is_own {
                add(
                    property,
                    ImplicitKind::Access,
                    Outcome::Static,
                    reference.span,
                );
            }
        }
    }
    found.sort_by_key(|call| (call.site.span.start, call.site.span.end));
    found
}

/// What may run instead of a member, behind a value of its receiver's type.
fn behind(resolver: &Resolver, target: ImplicitTarget) -> Vec<SymbolId> {
    let Some(receiver) = target.receiver else {
        return Vec::new();
    };
    let overriding = query::overriding(resolver, target.symbol).value.into_iter();
    overriding
        .map(|(symbol, _)| symbol)
        .filter(|symbol| is_member_below(resolver, *symbol, receiver))
        .take(MAX_IMPLEMENTATIONS)
        .collect()
}

fn is_member_below(resolver: &Resolver, member: SymbolId, receiver: SymbolId) -> bool {
    matches!(
        resolver.self_type(member),
        Ty::Instance(holder, _) if resolver.is_a(holder, receiver)
    )
}

/// A place that calls something, as far as types tell.
struct FoundUse {
    kind: ImplicitKind,
    target: ImplicitTarget,
    span: Span,
    enclosing: Option<SymbolIndex>,
}

/// Visits what the code of a file calls without naming it, properties excepted.
fn uses_of(
    resolver: &Resolver,
    view: &FileView,
    belongs: &dyn Fn(&FileView, Option<SymbolIndex>) -> bool,
    is_wanted: &dyn Fn(ImplicitKind, &str) -> bool,
    visit: &mut dyn FnMut(FoundUse),
) {
    let facts = &view.facts;
    let wanted = |used: &&ImplicitUse| {
        is_wanted(used.kind, facts.name(used.word)) && belongs(view, used.enclosing)
    };
    for used in facts.implicit.iter().filter(wanted) {
        if !resolver.budget.spend() {
            return;
        }
        for target in implicit::of_use(resolver, view, used) {
            visit(FoundUse {
                kind: used.kind,
                target,
                span: used.span,
                enclosing: used.enclosing,
            });
        }
    }
    let protocols = &view.semantics.protocols;
    for reference in implicit::library_calls(view) {
        let name = facts.name(reference.name);
        let kind = match protocols.conversion(name).is_empty() {
            true => ImplicitKind::Iterate,
            false => ImplicitKind::Convert,
        };
        if !is_wanted(kind, name) || !belongs(view, reference.enclosing) {
            continue;
        }
        if !resolver.budget.spend() {
            return;
        }
        for (kind, target) in implicit::of_library_call(resolver, view, reference) {
            visit(FoundUse {
                kind,
                target,
                span: reference.span,
                enclosing: reference.enclosing,
            });
        }
    }
    if protocols.ending != Ending::Silent && is_wanted(ImplicitKind::Drop, "") {
        endings_of(resolver, view, belongs, visit);
    }
    if !protocols.raises_types || !is_wanted(ImplicitKind::Raise, "") {
        return;
    }
    for thrown in &facts.thrown {
        let at = thrown.span.start;
        let enclosing = owner_of(view, facts.scope_at(at));
        if !belongs(view, enclosing) {
            continue;
        }
        for symbol in implicit::of_thrown(resolver, view, thrown.recipe, at) {
            visit(FoundUse {
                kind: ImplicitKind::Raise,
                target: ImplicitTarget {
                    symbol,
                    receiver: None,
                },
                span: thrown.span,
                enclosing,
            });
        }
    }
}

/// Visits what ends the local variables of a file.
fn endings_of(
    resolver: &Resolver,
    view: &FileView,
    belongs: &dyn Fn(&FileView, Option<SymbolIndex>) -> bool,
    visit: &mut dyn FnMut(FoundUse),
) {
    for (i, binding) in view.facts.bindings.iter().enumerate() {
        if binding.kind != BindingKind::Local {
            continue;
        }
        let enclosing = owner_of(view, binding.scope);
        if !belongs(view, enclosing) {
            continue;
        }
        if !resolver.budget.spend() {
            return;
        }
        for target in implicit::of_ending(resolver, view, BindingId(i as u32)) {
            visit(FoundUse {
                kind: ImplicitKind::Drop,
                target,
                span: binding.name_span,
                enclosing,
            });
        }
    }
}

/// The innermost symbol around a scope.
fn owner_of(view: &FileView, scope: ScopeId) -> Option<SymbolIndex> {
    let mut scopes = view.outwards(scope);
    scopes.find_map(|scope| view.facts.scope(scope).owner)
}

fn site(view: &FileView, span: Span) -> Site {
    Site {
        file: view.id,
        span,
        line: view.facts.lines.line_number(span.start),
    }
}

fn find_callers(resolver: &Resolver, symbol: SymbolId) -> Vec<ImplicitCall> {
    let Some(search) = ImplicitSearch::of(resolver, symbol) else {
        return Vec::new();
    };
    let contents = search.contents(resolver);
    let mut found: Vec<ImplicitCall> = Vec::new();
    for calls in over_contents(resolver, &contents, |resolver, content, into| {
        search.in_content(resolver, content, into)
    }) {
        found.extend(calls);
    }
    found.sort_by_key(|call| (call.site.file, call.site.span.start, call.site.span.end));
    found.dedup();
    found
}

/// A member, and where it may be called without being named.
struct ImplicitSearch {
    name: String,
    family: facts::Family,
    /// The declarations of the member.
    group: Vec<SymbolId>,
    /// Members that it overrides: a call of them may run it.
    overridden: Vec<SymbolId>,
    holder: SymbolId,
    /// The member's type and those that have the member from it, and the types of what it overrides.
    types: BTreeSet<SymbolId>,
    is_raised: bool,
}

impl ImplicitSearch {
    /// Nothing where the language calls no such member.
    fn of(resolver: &Resolver, symbol: SymbolId) -> Option<ImplicitSearch> {
        let (view, declared) = resolver.symbol(symbol)?;
        let protocols = &view.semantics.protocols;
        let name = view.name_of(symbol.index).to_owned();
        let is_type = declared.kind.is_type();
        let is_constructor = view.semantics.construction.constructors.contains(&&*name);
        let is_raised = protocols.raises_types && (is_type || is_constructor);
        if !is_raised && (is_type || !protocols.calls_members_named(&name)) {
            return None;
        }
        let holder = match resolver.self_type(symbol) {
            _ if is_type => symbol,
            Ty::Instance(holder, _) if holder != symbol => holder,
            _ if protocols.free_operators => implicit::operand_of(resolver, symbol)?,
            _ => return None,
        };
        let overridden = match is_raised {
            true => Vec::new(),
            false => query::overridden(resolver, symbol),
        };
        let mut types = BTreeSet::from([holder]);
        for base in &overridden {
            if let Ty::Instance(of, _) = resolver.self_type(*base) {
                types.insert(of);
            }
        }
        let mut open: VecDeque<SymbolId> = types.iter().copied().collect();
        while let Some(of) = open.pop_front() {
            for &derived in resolver.derived(of).iter() {
                if types.len() < MAX_NAMES && types.insert(derived) {
                    open.push_back(derived);
                }
            }
        }
        Some(ImplicitSearch {
            name,
            family: view.semantics.family,
            group: query::same_symbol(resolver, symbol),
            overridden,
            holder,
            types,
            is_raised,
        })
    }

    /// The contents that may have a value of one of the types: those that mention a type, or
    /// something whose type is made of one. At most [`MAX_CONTENTS`], and then the answer says so.
    fn contents(&self, resolver: &Resolver) -> Vec<ContentNumber> {
        let mut types = self.types.clone();
        loop {
            let (contents, givers) = self.contents_with(resolver, &types);
            let n_types = types.len();
            types.extend(givers.into_iter().take(MAX_NAMES.saturating_sub(n_types)));
            if types.len() == n_types {
                return contents.into_iter().collect();
            }
        }
    }

    /// The contents that may have a value of some types, and the types whose values give one of those
    /// where the language calls a member: what gives an iterator is not named where it is called.
    fn contents_with(
        &self,
        resolver: &Resolver,
        types: &BTreeSet<SymbolId>,
    ) -> (BTreeSet<ContentNumber>, BTreeSet<SymbolId>) {
        let mut names: VecDeque<String> = types.iter().map(|ty| resolver.name(*ty)).collect();
        let mut seen: FxHashSet<String> = names.iter().cloned().collect();
        let mut contents: BTreeSet<ContentNumber> = BTreeSet::new();
        let mut givers = BTreeSet::new();
        while let Some(name) = names.pop_front() {
            let read = resolver.snapshot().corpus().mentioning(&name);
            for content in resolver.budget.read(read) {
                if contents.contains(&content) || !self.is_family(resolver, content) {
                    continue;
                }
                if contents.len() >= MAX_CONTENTS {
                    resolver.budget.skip_values();
                    return (contents, givers);
                }
                contents.insert(content);
                if contents.len() > MAX_GIVING {
                    resolver.budget.skip_values();
                    continue;
                }
                let (given, holders) = giving(resolver, content, types);
                givers.extend(holders);
                for given in given {
                    if seen.len() >= MAX_NAMES {
                        resolver.budget.skip_values();
                        break;
                    }
                    if seen.insert(given.clone()) {
                        names.push_back(given);
                    }
                }
            }
        }
        (contents, givers)
    }

    fn is_family(&self, resolver: &Resolver, content: ContentNumber) -> bool {
        let file = resolver.snapshot().files_of(content).first();
        file.and_then(|file| family_of(resolver, *file)) == Some(self.family)
    }

    fn in_content(
        &self,
        resolver: &Resolver,
        content: ContentNumber,
        into: &mut Vec<ImplicitCall>,
    ) {
        for &file in resolver.snapshot().files_of(content) {
            if family_of(resolver, file) != Some(self.family) {
                continue;
            }
            let member = (!self.is_raised).then_some(self.name.as_str());
            for used in uses_that_may_call(resolver, file, member).iter() {
                let outcome = self.outcome(resolver, used.target);
                into.extend(outcome.map(|outcome| ImplicitCall {
                    symbol: used.caller,
                    kind: used.kind,
                    outcome,
                    site: used.site,
                }));
            }
        }
    }

    /// How surely a call of a member runs the one that was asked about.
    fn outcome(&self, resolver: &Resolver, target: ImplicitTarget) -> Option<Outcome> {
        if self.group.contains(&target.symbol) {
            return Some(Outcome::Static);
        }
        let receiver = target.receiver?;
        let is_behind =
            self.overridden.contains(&target.symbol) && resolver.is_a(self.holder, receiver);
        is_behind.then_some(Outcome::Dispatch)
    }
}

/// The family of a file's language, if its names can be looked up.
fn family_of(resolver: &Resolver, file: FileId) -> Option<facts::Family> {
    let snapshot = resolver.snapshot();
    let semantics = snapshot.corpus().semantics(snapshot.file(file).language);
    semantics.map(|semantics| semantics.family)
}

/// A place where the language may call a member of some name, and the member that it calls there.
#[derive(Debug)]
pub(crate) struct KnownUse {
    kind: ImplicitKind,
    target: ImplicitTarget,
    site: Site,
    caller: Option<SymbolId>,
}

/// The places of a file where the language may call a member of a name, or without one, raises
/// something. All members of the name are looked for among them.
fn uses_that_may_call(
    resolver: &Resolver,
    file: FileId,
    member: Option<&str>,
) -> Arc<Vec<KnownUse>> {
    let find = || {
        let mut found = Vec::new();
        let Some(view) = resolver.passing_view(file) else {
            return found;
        };
        let protocols = &view.semantics.protocols;
        let is_wanted = |kind: ImplicitKind, word: &str| match member {
            None => kind == ImplicitKind::Raise,
            Some(name) => may_call(protocols, kind, word, name),
        };
        uses_of(resolver, &view, &|_, _| true, &is_wanted, &mut |used| {
            let caller = used.enclosing;
            let caller = caller.and_then(|enclosing| enclosing_callable(&view, enclosing));
            found.push(KnownUse {
                kind: used.kind,
                target: used.target,
                site: site(&view, used.span),
                caller: caller.map(|caller| view.symbol_id(caller)),
            });
        });
        found
    };
    let key = (file, Box::from(member.unwrap_or_default()));
    answered(resolver, |answers| &answers.uses, key, find)
}

/// A function or value whose type is made of types of the repository.
#[derive(Debug)]
pub(crate) struct Giver {
    name: Box<str>,
    ty: Ty,
    /// Its type, where the language calls it by itself.
    holder: Option<SymbolId>,
}

/// The functions and values of a file whose types are made of types of the repository.
fn givers_of(resolver: &Resolver, file: FileId) -> Arc<Vec<Giver>> {
    let find = || {
        let mut found = Vec::new();
        let Some(view) = resolver.view(file) else {
            return found;
        };
        for (index, symbol) in view.facts.symbols_with_index() {
            let is_typed = symbol.ty.is_known() || symbol.values.len > 0;
            let gives = symbol.kind.is_callable() || symbol.kind.is_value();
            if !is_typed || !gives || symbol.modifiers.contains(Modifiers::LOCAL) {
                continue;
            }
            if !resolver.budget.spend() {
                break;
            }
            let id = view.symbol_id(index);
            let ty = implicit::type_of(resolver, id);
            if !implicit::holds(&ty, &|_| true) {
                continue;
            }
            let name = view.name_of(index);
            let is_implicit = view.semantics.protocols.calls_members_named(name);
            let holder = match resolver.self_type(id) {
                Ty::Instance(holder, _) if is_implicit && holder != id => Some(holder),
                _ => None,
            };
            found.push(Giver {
                name: Box::from(name),
                ty,
                holder,
            });
        }
        found
    };
    answered(resolver, |answers| &answers.givers, file, find)
}

/// Names of functions and values of a content whose types are made of one of some types, and the
/// types of those that the language calls by itself.
fn giving(
    resolver: &Resolver,
    content: ContentNumber,
    types: &BTreeSet<SymbolId>,
) -> (Vec<String>, Vec<SymbolId>) {
    let (mut names, mut holders) = (Vec::new(), Vec::new());
    let Some(&file) = resolver.snapshot().files_of(content).first() else {
        return (names, holders);
    };
    let is_one = |symbol: SymbolId| types.contains(&symbol);
    for giver in givers_of(resolver, file).iter() {
        if implicit::holds(&giver.ty, &is_one) {
            names.push(giver.name.to_string());
            holders.extend(giver.holder);
        }
    }
    (names, holders)
}

/// Whether a use of a kind may call a member of a name.
fn may_call(protocols: &Protocols, kind: ImplicitKind, word: &str, name: &str) -> bool {
    match kind {
        ImplicitKind::Iterate if word == Protocols::ASYNC => {
            protocols.iterate_async.contains(&name) || protocols.step_async.contains(&name)
        }
        ImplicitKind::Iterate => {
            protocols.iterate.contains(&name)
                || protocols.iterate_with.contains(&name)
                || protocols.step.contains(&name)
                || protocols.advance.contains(&name)
                || protocols.iterates_by_index && protocols.index.contains(&name)
        }
        ImplicitKind::Enter if word == Protocols::ASYNC => protocols.enter_async.contains(&name),
        ImplicitKind::Enter => protocols.enter.contains(&name),
        ImplicitKind::Operator => protocols.operator(word).is_some_and(|operator| {
            operator.members.contains(&name) || operator.reflected.contains(&name)
        }),
        ImplicitKind::Unary => protocols
            .operator(word)
            .is_some_and(|operator| operator.alone.contains(&name)),
        ImplicitKind::Index => protocols.index.contains(&name),
        ImplicitKind::Store => protocols.store.contains(&name),
        ImplicitKind::Delete => protocols.delete.contains(&name),
        ImplicitKind::Convert => protocols.conversion(word).contains(&name),
        ImplicitKind::Await => protocols.wait.contains(&name),
        ImplicitKind::Drop => match protocols.ending {
            Ending::Silent => false,
            Ending::Held(member) => member == name,
            Ending::Destructor => name.starts_with('~'),
        },
        ImplicitKind::Raise | ImplicitKind::Access => false,
    }
}
