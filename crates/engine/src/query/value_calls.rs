//! Calls through function values, in both directions.

use facts::{MemberVisibility, Modifiers, Recipe, Reference, Role, SymbolKind};

use super::{calls::enclosing_callable, references};
use crate::{
    FileView, Found, Outcome, Resolution, Resolver, Rule, SymbolId,
    query::Mention,
    resolve::flow::{self, Called, FlowSet, FlowSite, SiteIndex},
};

/// What a call may run through the value that is called.
pub(super) struct ValueTargets {
    pub symbols: Vec<SymbolId>,
    /// There are more than these: none is chosen.
    pub too_many: bool,
}

/// The symbols that a call may run through values, in the order in which they are found.
pub(super) fn targets(resolver: &Resolver, view: &FileView, site: SiteIndex) -> ValueTargets {
    let mut values = flow::targets(resolver, view, site);
    values.extend(flow::applied_to_library(resolver, view, site));
    of_values(resolver, &values)
}

fn of_values(resolver: &Resolver, values: &FlowSet) -> ValueTargets {
    let mut symbols: Vec<SymbolId> = Vec::new();
    for value in &values.all {
        for symbol in flow::runs(resolver, value) {
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
    }
    ValueTargets {
        symbols,
        too_many: values.too_many,
    }
}

/// Whether what a call names leaves open what it runs: a variable, a parameter, a field, a member of
/// something unknown, a function that decorators replace.
pub(super) fn is_open(
    resolver: &Resolver,
    view: &FileView,
    reference: &Reference,
    resolution: &Resolution,
) -> bool {
    if !view.dialect.flows.follows_values {
        return false;
    }
    let may_be_replaced = |symbol: SymbolId| {
        let Some((other, declared)) = resolver.symbol(symbol) else {
            return false;
        };
        if !declared.kind.is_callable() {
            return !declared.kind.is_type();
        }
        let annotations = &other.facts.annotations;
        declared.kind != SymbolKind::Constructor
            && other.dialect.flows.decorators_replace
            && annotations
                .binary_search_by_key(&symbol.index, |annotation| annotation.symbol)
                .is_ok()
    };
    match resolution.outcome {
        Outcome::Unresolved | Outcome::Ambiguous => true,
        Outcome::External => flow::is_open_library_call(view, reference),
        _ => resolution.targets.iter().all(|found| match found {
            Found::Symbol(symbol) => may_be_replaced(*symbol),
            _ => true,
        }),
    }
}

/// The calls that may run a symbol through values, as places; in order of path and place.
pub(super) fn callers(resolver: &Resolver, symbol: SymbolId) -> Vec<Mention> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Vec::new();
    };
    if !view.dialect.flows.follows_values {
        return Vec::new();
    }
    let called = match declared.kind {
        SymbolKind::Constructor => declared
            .parent
            .map(|class| symbol.beside(class))
            .filter(|class| !flow::is_called_by_class(resolver, *class)),
        kind if kind.is_type() => Some(symbol).filter(|_| {
            flow::is_called_by_class(resolver, symbol) || resolver.constructors(symbol).is_empty()
        }),
        kind if kind.is_callable() => Some(symbol),
        _ => None,
    };
    let mut sites: Vec<FlowSite> = Vec::new();
    if let Some(called) = called {
        let callers = flow::value_callers(resolver, Called::Symbol(called));
        sites.extend(callers.iter().map(|caller| caller.site));
    }
    // Where types are declared, they tell the receivers.
    let is_untyped = view.semantics.members == MemberVisibility::Open;
    let is_method =
        declared.kind == SymbolKind::Method && !declared.modifiers.contains(Modifiers::STATIC);
    if is_untyped && is_method {
        sites.extend(open_calls(resolver, symbol));
    }
    let mut mentions: Vec<Mention> = sites
        .into_iter()
        .filter_map(|site| mention(resolver, site, symbol))
        .collect();
    mentions.sort_by_key(|mention| (mention.file, mention.span.start, mention.span.end));
    mentions.dedup_by_key(|mention| (mention.file, mention.span));
    mentions
}

/// Calls of a method's name on objects that only values tell.
fn open_calls(resolver: &Resolver, method: SymbolId) -> Vec<FlowSite> {
    let mut sites = Vec::new();
    for mention in references::open_calls(resolver, method) {
        let Some(view) = resolver.view(mention.file) else {
            continue;
        };
        let Some(index) = view.flow_index().call_at(mention.span.start) else {
            continue;
        };
        let found = of_values(resolver, &flow::targets(resolver, &view, index));
        if !found.too_many && found.symbols.contains(&method) {
            sites.push(FlowSite::new(mention.file, index));
        }
    }
    sites
}

fn mention(resolver: &Resolver, site: FlowSite, called: SymbolId) -> Option<Mention> {
    let view = resolver.view(site.file)?;
    let (span, enclosing) = (site.index.span(&view), site.index.enclosing(&view));
    // What is called has another name than the symbol, and means it all the same.
    let is_meant = match site.index {
        SiteIndex::Reference(i) => {
            let resolution = resolver.resolve(&view, &view.facts.references[i as usize]);
            resolution.outcome == Outcome::Static
                && resolution.symbols().any(|symbol| symbol == called)
        }
        _ => false,
    };
    let outcome = match is_meant {
        true => Outcome::Static,
        false => Outcome::Dispatch,
    };
    Some(Mention {
        file: site.file,
        span,
        line: view.facts.lines.line_number(span.start),
        role: Role::Call,
        enclosing,
        caller: enclosing.and_then(|enclosing| enclosing_callable(&view, enclosing)),
        outcome,
        rule: Rule::Value,
        through_type: false,
    })
}

/// The calls of a file that values may tell, besides its references: calls of nameless values, and
/// decorators.
pub(super) fn nameless_sites(view: &FileView) -> Vec<SiteIndex> {
    let flows = view.dialect.flows;
    if !flows.follows_values {
        return Vec::new();
    }
    let calls = (0..view.facts.value_calls.len() as u32).map(SiteIndex::Value);
    let n_decorators = match flows.decorators_replace {
        true => view.facts.annotations.len() as u32,
        false => 0,
    };
    calls
        .chain((0..n_decorators).map(SiteIndex::Decoration))
        .collect()
}

/// The receiver of a call as it was written, or the whole callee of a nameless call.
pub(super) fn callee_text(view: &FileView, site: SiteIndex) -> String {
    match site {
        SiteIndex::Value(i) => match view.facts.recipe(view.facts.value_calls[i as usize].recipe) {
            Recipe::Call(callee, _) => crate::text::recipe(&view.facts, callee),
            _ => String::new(),
        },
        SiteIndex::Decoration(i) => {
            crate::text::recipe(&view.facts, view.facts.annotations[i as usize].recipe)
        }
        SiteIndex::Reference(i) => {
            let reference: &Reference = &view.facts.references[i as usize];
            view.facts.name(reference.name).to_owned()
        }
    }
}
