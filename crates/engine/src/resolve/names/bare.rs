//! What a bare name means once it is looked up, and what it may mean where nothing in reach has it.

use crate::resolve::{
    FileView, Found, Outcome, Place, Resolution, Resolver, Rule, Sketch, SymbolId, lookup,
    modules::Module, overloads, owner, prefer, reference, scopes, scopes::Space, written,
};
use facts::{BareNames, Merging, RecipeId, SymbolKind};

/// What a bare name means at a place.
pub fn resolve_bare(
    resolver: &Resolver,
    place: Place,
    name: &str,
    space: Space,
    call: Option<RecipeId>,
) -> Resolution {
    let Place { view, scope, .. } = place;
    let (mut found, mut rule) = scopes::lookup(resolver, place, name, space);
    // `T = TypeVar("T")`: the name means a type parameter, but what it is is the
    // variable.
    if view.semantics.declarations.variables_as_type_parameters
        && matches!(found.as_slice(), [Found::TypeParameter(..)])
    {
        let variable = scopes::lookup(resolver, Place::end_of_file(view), name, Space::Value);
        if !variable.0.is_empty() {
            (found, rule) = variable;
        }
    }
    if found.is_empty() {
        let unknown = unknown_bare(resolver, view, name, space);
        let inherited = || {
            let around = view
                .enclosing_type(scope)
                .filter(|_| view.semantics.bare_names == BareNames::Members);
            around.is_some_and(|index| lookup::has_library_base(resolver, view.symbol_id(index)))
        };
        // A library that the type around extends may have it.
        if unknown.outcome == Outcome::Unresolved && space == Space::Callable && inherited() {
            return Resolution::external(Rule::Library, name);
        }
        return unknown;
    }
    resolver.because(|| format!("`{name}` by {}", rule.as_str()));
    let found = if space == Space::Type && call.is_none() {
        (view.dialect.without_tags)(resolver, view, name, found)
    } else {
        found
    };
    let found = if space == Space::Type || written::are_by_arity(resolver, view, &found) {
        written::of_arity(resolver, found, n_type_arguments(view, call))
    } else {
        without_merged_namespaces(resolver, view, found)
    };
    let external = found.iter().all(|found| {
        matches!(
            found,
            Found::External(_) | Found::Module(Module::External(_))
        )
    });
    if external {
        return Resolution::new(Outcome::External, rule, found);
    }
    let is_tagged = space == Space::Type && call.is_some();
    let found = if view.semantics.prototypes {
        definitions(resolver, tags(resolver, found, is_tagged))
    } else {
        found
    };
    let symbols: Vec<SymbolId> = found.iter().filter_map(Found::symbol).collect();
    let symbols = if space == Space::Callable {
        overloads::or_inherited(resolver, place, symbols, call)
    } else {
        symbols
    };
    if symbols.len() < 2 {
        let only = symbols
            .first()
            .map_or(found, |symbol| vec![Found::Symbol(*symbol)]);
        return Resolution::new(Outcome::Static, rule, only);
    }
    let role = if space == Space::Callable {
        facts::Role::Call
    } else {
        facts::Role::Read
    };
    let symbols = if space == Space::Type {
        symbols
    } else {
        reference::prefer_callable_for_calls(resolver, symbols, role)
    };
    let chosen = if space == Space::Callable {
        overloads::choose(resolver, symbols, place, call, None)
    } else {
        one_declaration(resolver, symbols)
    };
    let is_one = chosen.len() == 1
        || same_thing(resolver, &chosen) && !are_overloads(resolver, view, &chosen);
    let outcome = if is_one {
        Outcome::Static
    } else {
        Outcome::Ambiguous
    };
    Resolution::of_symbols(outcome, rule, chosen)
}

/// A class and a namespace of one name in a file are one thing, known by the class.
fn without_merged_namespaces(
    resolver: &Resolver,
    view: &FileView,
    found: Vec<Found>,
) -> Vec<Found> {
    let kind = |found: &Found| found.symbol().and_then(|symbol| resolver.kind(symbol));
    let is_class = |found: &Found| kind(found) == Some(SymbolKind::Class);
    let is_part = |found: &Found| {
        is_class(found)
            || matches!(
                kind(found),
                Some(SymbolKind::Namespace | SymbolKind::Module)
            )
    };
    match view.semantics.declarations.merging {
        Merging::File if found.iter().all(is_part) => prefer(found, is_class),
        _ => found,
    }
}

/// `struct cart` means no `typedef` of that name.
fn tags(resolver: &Resolver, found: Vec<Found>, is_tagged: bool) -> Vec<Found> {
    let is_alias = |found: &Found| {
        found.symbol().and_then(|symbol| resolver.kind(symbol)) == Some(SymbolKind::TypeAlias)
    };
    match is_tagged {
        true => prefer(found, |found| !is_alias(found)),
        false => found,
    }
}

/// Forward declarations of types become the types they announce; a struct and its `typedef` of
/// one name are one thing.
pub fn definitions(resolver: &Resolver, found: Vec<Found>) -> Vec<Found> {
    let mut defined: Vec<Found> = Vec::new();
    for found in found {
        let found = match found {
            Found::Symbol(symbol) => Found::Symbol(owner::defined_type(resolver, symbol)),
            found => found,
        };
        if !defined.contains(&found) {
            defined.push(found);
        }
    }
    let kind = |found: &Found| resolver.kind(found.symbol()?);
    let has_alias = defined
        .iter()
        .any(|found| kind(found) == Some(SymbolKind::TypeAlias));
    let only_types = defined
        .iter()
        .all(|found| kind(found).is_some_and(SymbolKind::is_type));
    if defined.len() > 1 && has_alias && only_types {
        defined.retain(|found| kind(found) == Some(SymbolKind::TypeAlias));
        defined.truncate(1);
    }
    defined
}

/// How many type arguments are written at a type's name.
pub fn n_type_arguments(view: &FileView, call: Option<RecipeId>) -> usize {
    let written = match call.map(|call| view.facts.recipe(call)) {
        Some(facts::Recipe::New(ty, _) | facts::Recipe::Type(ty)) => ty,
        Some(facts::Recipe::TypeArguments(_, arguments)) => return arguments.len as usize,
        _ => return 0,
    };
    match view.facts.type_recipe(written) {
        facts::TypeRecipe::Apply(_, arguments) => arguments.len as usize,
        _ => 0,
    }
}

/// Nothing in reach has the name.
pub fn unknown_bare(resolver: &Resolver, view: &FileView, name: &str, space: Space) -> Resolution {
    if view.semantics.builtins.contains(&name) {
        return Resolution::external(Rule::Builtin, name);
    }
    // Macros are known by name alone.
    if space == Space::Callable {
        let is_standard = is_standard_macro(view, name);
        let macros: Vec<SymbolId> = resolver
            .symbols_named(name)
            .iter()
            .copied()
            .filter(|symbol| {
                resolver.kind(*symbol) == Some(SymbolKind::Macro)
                    && resolver
                        .view(symbol.file)
                        .is_some_and(|other| other.semantics.family == view.semantics.family)
                    && (view.dialect.macro_reaches)(resolver, view, *symbol, is_standard)
            })
            .collect();
        if !macros.is_empty() {
            let nearest = nearest(resolver, view, macros);
            return Resolution::of_symbols(Outcome::Static, Rule::UniqueName, nearest);
        }
    }
    if is_standard_macro(view, name) {
        return Resolution::external(Rule::Builtin, name);
    }
    // Languages that share one space of names can mean any symbol of the program.

    if view.semantics.declarations.global_names {
        let candidates = global_candidates(resolver, view, name, space);
        match candidates.as_slice() {
            [] => {}
            [_] => {
                return Resolution::of_symbols(Outcome::Heuristic, Rule::UniqueName, candidates);
            }
            _ if same_thing(resolver, &candidates) => {
                return Resolution::new(
                    Outcome::Heuristic,
                    Rule::UniqueName,
                    one_declaration(resolver, candidates)
                        .into_iter()
                        .map(Found::Symbol)
                        .collect(),
                );
            }
            _ => {
                return Resolution::of_symbols(Outcome::Ambiguous, Rule::ManyNames, candidates);
            }
        }
    }
    if (view.dialect.may_be_of_library)(resolver, view) {
        return Resolution::external(Rule::Library, name);
    }
    Resolution::unresolved()
}

/// Of several candidates those of the own file, else of the directories that share most with
/// the own.
pub fn nearest(resolver: &Resolver, view: &FileView, candidates: Vec<SymbolId>) -> Vec<SymbolId> {
    let own = resolver.path(view.id).clone();
    let shared = |symbol: &SymbolId| {
        let other = resolver.path(symbol.file);
        if symbol.file == view.id {
            return usize::MAX;
        }
        own.as_str()
            .split('/')
            .zip(other.as_str().split('/'))
            .take_while(|(a, b)| a == b)
            .count()
    };
    let most = candidates.iter().map(shared).max().unwrap_or(0);
    candidates
        .into_iter()
        .filter(|symbol| shared(symbol) == most)
        .collect()
}

pub fn global_candidates(
    resolver: &Resolver,
    view: &FileView,
    name: &str,
    space: Space,
) -> Vec<SymbolId> {
    let fits = |sketch: &&Sketch| {
        let top = sketch
            .parent
            .is_none_or(|parent| matches!(parent, SymbolKind::Namespace | SymbolKind::Module));
        let kind = space != Space::Type || sketch.kind.is_type() || sketch.kind.is_container();
        sketch.family == view.semantics.family
            && top
            && kind
            && !sketch.has_owner
            && view.semantics.is_nameable(sketch.modifiers)
    };
    resolver
        .sketches(name)
        .iter()
        .filter(fits)
        .map(|sketch| sketch.id)
        .collect()
}

/// Macros of the standard library are listed with their mark: `println!`.
pub fn is_standard_macro(view: &FileView, name: &str) -> bool {
    view.semantics
        .builtins
        .iter()
        .any(|builtin| builtin.strip_suffix('!') == Some(name))
}

/// Of several symbols of one thing (partial parts, prototype and definition, branches of `#if`)
/// the one to show.
pub fn one_declaration(resolver: &Resolver, symbols: Vec<SymbolId>) -> Vec<SymbolId> {
    if symbols.len() < 2 {
        return symbols;
    }
    if let Some(first) = first_signature(resolver, &symbols) {
        return vec![first];
    }
    // A variable of a class is declared inside of it, and defined outside.
    let is_variable = |symbol: &SymbolId| resolver.kind(*symbol).is_some_and(SymbolKind::is_value);
    let is_outside = |symbol: &SymbolId| {
        resolver
            .symbol(*symbol)
            .is_some_and(|(view, found)| view.semantics.prototypes && found.owner.is_known())
    };
    let symbols = match symbols.iter().all(is_variable) {
        true => prefer(symbols, is_outside),
        false => symbols,
    };
    prefer(symbols, |symbol| {
        let declared = resolver.symbol(*symbol);
        declared.is_some_and(|(_, found)| !found.modifiers.contains(facts::Modifiers::PROTOTYPE))
    })
}

/// Overload signatures and their implementation are one function, known by its first signature.
pub fn first_signature(resolver: &Resolver, symbols: &[SymbolId]) -> Option<SymbolId> {
    let first = *symbols.iter().min()?;
    let (view, declared) = resolver.symbol(first)?;
    let signatures = !view.semantics.overloads
        && !view.semantics.prototypes
        && declared.modifiers.contains(facts::Modifiers::PROTOTYPE);
    let together = |symbol: &SymbolId| {
        symbol.file == first.file && view.symbol(symbol.index).parent == declared.parent
    };
    (signatures && symbols.iter().all(together)).then_some(first)
}

/// Whether several callables are overloads, none of which is chosen, rather than declarations of one.
fn are_overloads(resolver: &Resolver, view: &FileView, symbols: &[SymbolId]) -> bool {
    if overloads::announces(view) {
        return view.semantics.overloads && overloads::take_differently(resolver, symbols);
    }
    let is_whole = |symbol: &SymbolId| {
        resolver.symbol(*symbol).is_some_and(|(_, found)| {
            found.kind.is_callable() && !found.modifiers.contains(facts::Modifiers::PARTIAL)
        })
    };
    view.semantics.overloads && !view.semantics.prototypes && symbols.iter().all(is_whole)
}

/// Whether several symbols are one thing declared more than once.
pub fn same_thing(resolver: &Resolver, symbols: &[SymbolId]) -> bool {
    let key = |symbol: &SymbolId| {
        let (view, found) = resolver.symbol(*symbol)?;
        let parent = found.parent.map(|parent| view.name_of(parent).to_owned());
        Some((
            found.kind,
            view.name_of(symbol.index).to_owned(),
            parent,
            view.namespace_of(symbol.index),
        ))
    };
    symbols
        .windows(2)
        .all(|pair| key(&pair[0]) == key(&pair[1]))
}
