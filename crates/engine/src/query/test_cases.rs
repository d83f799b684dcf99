//! What is a test, and what runs for which tests. Languages say it as data
//! ([`facts::TestRules`]); symbols that a test framework marks are known from extraction.

use facts::{
    Facts, Modifiers, Recipe, RecipeId, ScopeId, ScopeKind, Symbol, SymbolIndex, SymbolKind,
    TypeRecipe,
};

use super::search::is_test_or_docs;
use crate::{FileId, FileView, Resolver, SymbolId};

/// A piece of code that runs as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeUnit {
    Symbol(SymbolId),
    /// A test that is written as an argument: `it("adds", () => …)`. The scope is the function's.
    Block(FileId, ScopeId),
    /// The code of a file outside of every symbol.
    File(FileId),
}

impl CodeUnit {
    pub fn file(self) -> FileId {
        match self {
            CodeUnit::Symbol(symbol) => symbol.file,
            CodeUnit::Block(file, _) | CodeUnit::File(file) => file,
        }
    }

    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            CodeUnit::Symbol(symbol) => Some(symbol),
            CodeUnit::Block(..) | CodeUnit::File(_) => None,
        }
    }
}

/// Whether a runner starts a symbol as a test. What only prepares tests is none.
pub fn is_test_case(resolver: &Resolver, symbol: SymbolId) -> bool {
    let view = resolver.view(symbol.file);
    view.is_some_and(|view| is_test(resolver, &view, symbol.index))
}

pub(super) fn is_test(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    let symbol = view.symbol(index);
    let rules = &view.semantics.entry_points.tests;
    let name = view.name_of(index);
    if symbol.modifiers.contains(Modifiers::TEST) {
        let mut others = rules.not_tests.iter();
        return symbol.kind.is_callable() && !others.any(|start| name.starts_with(start));
    }
    if symbol.modifiers.contains(Modifiers::LOCAL)
        || !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method)
        || !rules.functions.iter().any(|start| name.starts_with(start))
        || !is_test_or_docs(resolver.path(view.id).as_str())
        || is_annotated(&view.facts, index, rules.fixture_annotations)
    {
        return false;
    }
    rules.bases.is_empty()
        || symbol
            .parent
            .is_some_and(|class| extends(&view.facts, class, rules.bases))
}

/// Whether a type says that it extends a type whose name ends like one of these.
fn extends(facts: &Facts, class: SymbolIndex, endings: &[&str]) -> bool {
    let supertypes = facts.supertypes.iter();
    supertypes
        .filter(|supertype| supertype.symbol == class)
        .any(|supertype| {
            let name = match facts.type_recipe(supertype.ty) {
                TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => facts.name(name),
                _ => return false,
            };
            endings.iter().any(|ending| name.ends_with(ending))
        })
}

/// Whether a symbol runs for every test of its type or file: by its name, by an annotation, or
/// because its type is made for each test.
pub(super) fn is_set_up(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    let rules = &view.semantics.entry_points.tests;
    let symbol = view.symbol(index);
    let name = view.name_of(index);
    let by_name = symbol.kind.is_callable() && rules.set_up.contains(&name);
    let by_type = rules.makes_type
        && (symbol.kind == SymbolKind::Constructor || symbol.kind == SymbolKind::Field);
    if !by_name && !by_type && !is_annotated(&view.facts, index, rules.set_up_annotations) {
        return false;
    }
    match symbol.parent {
        Some(container) => {
            view.symbol(container).kind.is_type()
                && !tests_of_type(resolver, SymbolId::new(view.id, container)).is_empty()
        }
        None => is_test_or_docs(resolver.path(view.id).as_str()),
    }
}

/// Whether one of these annotations, by its last word, marks a symbol.
pub(super) fn is_annotated(facts: &Facts, index: SymbolIndex, words: &[&str]) -> bool {
    !words.is_empty() && annotations(facts, index).any(|(word, _)| words.contains(&word))
}

/// Tests of the same type whose annotations name a function as the source of their arguments. An
/// annotation without a name means the function that has the name of the test.
pub(super) fn provided_tests(
    resolver: &Resolver,
    view: &FileView,
    index: SymbolIndex,
) -> Vec<SymbolIndex> {
    let words = view.semantics.entry_points.tests.provider_annotations;
    if words.is_empty() || !is_test_or_docs(resolver.path(view.id).as_str()) {
        return Vec::new();
    }
    let name = view.name_of(index);
    let is_given = |other: &SymbolIndex| {
        let mut given = annotations(&view.facts, *other).filter(|(word, _)| words.contains(word));
        *other != index
            && given.any(|(_, recipe)| {
                let texts = texts_in(&view.facts, recipe);
                texts.contains(&name) || texts.is_empty() && view.name_of(*other) == name
            })
    };
    let beside = view.children(view.symbol(index).parent);
    beside.filter(is_given).collect()
}

/// The annotations of a symbol: the last word of each, and its recipe.
pub(super) fn annotations(
    facts: &Facts,
    index: SymbolIndex,
) -> impl Iterator<Item = (&str, RecipeId)> {
    let annotations = facts.annotations.iter();
    annotations
        .filter(move |annotation| annotation.symbol == index)
        .map(|annotation| (last_word(facts, annotation.recipe), annotation.recipe))
}

/// The last word of what an expression names or calls; empty where there is none.
fn last_word(facts: &Facts, mut recipe: RecipeId) -> &str {
    loop {
        match facts.recipe(recipe) {
            Recipe::Call(callee, _) | Recipe::TypeArguments(callee, _) => recipe = callee,
            Recipe::Name(name) | Recipe::Member(_, name) | Recipe::Scoped(_, name) => {
                return facts.name(name);
            }
            Recipe::New(ty, _) | Recipe::Type(ty) => {
                return match facts.type_recipe(ty) {
                    TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => facts.name(name),
                    _ => "",
                };
            }
            _ => return "",
        }
    }
}

/// The tests of a file, in order of place.
pub fn tests_of_file(resolver: &Resolver, file: FileId) -> Vec<CodeUnit> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let indexes = (0..view.facts.symbols.len() as u32).map(SymbolIndex);
    let mut found: Vec<CodeUnit> = indexes
        .filter(|index| is_test(resolver, &view, *index))
        .map(|index| CodeUnit::Symbol(view.symbol_id(index)))
        .collect();
    found.extend(blocks(resolver, &view).map(|scope| CodeUnit::Block(file, scope)));
    found
}

/// The tests that run for a type: its own, those written in types inside of it, those that it
/// inherits and those of types that extend it; in order of path and place.
pub(super) fn tests_of_type(resolver: &Resolver, class: SymbolId) -> Vec<SymbolId> {
    /// More than a hierarchy of test types has.
    const MAX_TYPES: usize = 200;
    let mut types = vec![class];
    types.extend(resolver.all_supertypes(class));
    let mut below = 0;
    let mut derived = vec![class];
    while let Some(of) = derived.get(below).copied() {
        below += 1;
        for ty in resolver.derived(of).iter() {
            if !derived.contains(ty) && derived.len() < MAX_TYPES {
                derived.push(*ty);
            }
        }
    }
    types.extend(derived.into_iter().skip(1));
    let mut found = Vec::new();
    for ty in types.into_iter().take(MAX_TYPES) {
        if let Some(view) = resolver.view(ty.file) {
            found.extend(tests_inside(resolver, &view, ty.index));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The tests that are written inside of a symbol, at any depth.
pub(super) fn tests_inside(
    resolver: &Resolver,
    view: &FileView,
    container: SymbolIndex,
) -> Vec<SymbolId> {
    let span = view.symbol(container).span;
    let inside = view.facts.symbols_with_index().filter(|(index, symbol)| {
        *index != container && span.start <= symbol.span.start && symbol.span.end <= span.end
    });
    inside
        .filter(|(index, _)| is_test(resolver, view, *index))
        .map(|(index, _)| view.symbol_id(index))
        .collect()
}

/// The functions of a file that are handed over as tests.
fn blocks<'view>(
    resolver: &Resolver,
    view: &'view FileView,
) -> impl Iterator<Item = ScopeId> + 'view {
    let words = view.semantics.entry_points.tests.blocks;
    let is_searched = !words.is_empty() && is_test_or_docs(resolver.path(view.id).as_str());
    let scopes = (0..view.facts.scopes.len() as u32).map(ScopeId);
    scopes.filter(move |scope| {
        is_searched && callee_of(&view.facts, *scope).is_some_and(|word| words.contains(&word))
    })
}

/// The word that names what a function expression is handed to: `it` of `it.only("adds", () => …)`.
fn callee_of(facts: &Facts, scope: ScopeId) -> Option<&str> {
    let found = facts.scope(scope);
    if found.kind != ScopeKind::Lambda && found.kind != ScopeKind::Function {
        return None;
    }
    let Recipe::Call(mut callee, _) = facts.recipe(found.context?.call) else {
        return None;
    };
    loop {
        callee = match facts.recipe(callee) {
            Recipe::Name(name) => return Some(facts.name(name)),
            Recipe::Member(of, _) | Recipe::Call(of, _) => of,
            _ => return None,
        };
    }
}

/// What a test that is written as an argument is called, with the groups around it, outermost
/// first. Titles that are made at run time are left out.
pub fn titles(view: &FileView, scope: ScopeId) -> Vec<String> {
    let facts = &view.facts;
    let rules = &view.semantics.entry_points.tests;
    let mut titles: Vec<String> = view
        .outwards(scope)
        .filter(|scope| {
            callee_of(facts, *scope)
                .is_some_and(|word| rules.blocks.contains(&word) || rules.groups.contains(&word))
        })
        .filter_map(|scope| {
            let Recipe::Call(_, arguments) = facts.recipe(facts.scope(scope).context?.call) else {
                return None;
            };
            match facts.recipe(*facts.list(arguments).first()?) {
                Recipe::Str(text) => Some(facts.name(text).to_owned()),
                _ => None,
            }
        })
        .collect();
    titles.reverse();
    titles
}

/// The units that run the code at a scope, where no callable symbol is around it: the test that is
/// written there, the tests of the group, or all of the file.
pub(super) fn around_scope(resolver: &Resolver, view: &FileView, scope: ScopeId) -> Vec<CodeUnit> {
    let rules = &view.semantics.entry_points.tests;
    if rules.blocks.is_empty() || !is_test_or_docs(resolver.path(view.id).as_str()) {
        return vec![CodeUnit::File(view.id)];
    }
    for scope in view.outwards(scope) {
        let Some(word) = callee_of(&view.facts, scope) else {
            continue;
        };
        if rules.blocks.contains(&word) {
            return vec![CodeUnit::Block(view.id, scope)];
        }
        if rules.groups.contains(&word) {
            let span = view.facts.scope(scope).span;
            let inside = blocks(resolver, view).filter(|test| {
                let test = view.facts.scope(*test).span;
                span.start <= test.start && test.end <= span.end
            });
            return inside.map(|test| CodeUnit::Block(view.id, test)).collect();
        }
    }
    vec![CodeUnit::File(view.id)]
}

/// The string literals among the arguments of an annotation or a call, those in lists included.
pub(super) fn texts_in(facts: &Facts, recipe: RecipeId) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut open = vec![recipe];
    while let Some(recipe) = open.pop() {
        match facts.recipe(recipe) {
            Recipe::Str(text) => texts.push(facts.name(text)),
            Recipe::Call(_, list)
            | Recipe::New(_, list)
            | Recipe::List(list)
            | Recipe::Tuple(list)
            | Recipe::Object(list) => open.extend(facts.list(list)),
            Recipe::Field(_, value) => open.push(value),
            _ => {}
        }
    }
    texts
}

/// Whether a symbol is declared inside of a function, and so runs with it.
pub(super) fn is_local(symbol: &Symbol) -> bool {
    symbol.modifiers.contains(Modifiers::LOCAL)
}
