//! Type variables as declared before Python had brackets for them: `T = TypeVar("T",
//! bound="Cart")`.
//!
//! A class names its own in `Generic[T]` or in the arguments of its bases; what else a function
//! writes in its annotations is its own.

use crate::prelude::*;
use rustc_hash::FxHashMap;

use super::handlers::as_type;

struct Variable {
    name_span: Span,
    bounds: TypeListRange,
}

pub(super) fn finish(walk: &mut Walk<'_>) {
    let variables = declared(walk);
    let owned = of_classes(walk, &variables);
    if !variables.is_empty() {
        of_functions(walk, &variables, &owned);
    }
}

/// The type variables that the top of the module declares.
fn declared(walk: &mut Walk<'_>) -> FxHashMap<NameId, Variable> {
    let values = walk.builder.values.iter();
    let assigned: Vec<_> = values
        .map(|(symbol, value)| (*symbol, value.recipe))
        .collect();
    let mut variables = FxHashMap::default();
    for (symbol, recipe) in assigned {
        let Recipe::Call(callee, arguments) = walk.recipe_of(recipe) else {
            continue;
        };
        let (Recipe::Name(callee) | Recipe::Member(_, callee)) = walk.recipe_of(callee) else {
            continue;
        };
        if walk.symbol(symbol).parent.is_some() || walk.word(callee) != "TypeVar" {
            continue;
        }
        let arguments = walk.list_of(arguments).to_vec();
        let bound = arguments
            .into_iter()
            .find_map(|argument| match walk.recipe_of(argument) {
                Recipe::Field(name, value) if walk.word(name) == "bound" => Some(value),
                _ => None,
            });
        let bound = bound.map_or(TypeId::UNKNOWN, |bound| as_type(walk, bound));
        let bounds = shared::bounds(walk, bound);
        let (name, name_span) = (walk.symbol(symbol).name, walk.symbol(symbol).name_span);
        variables.insert(name, Variable { name_span, bounds });
    }
    variables
}

/// Gives each generic class its type parameters; which names those are.
fn of_classes(
    walk: &mut Walk<'_>,
    variables: &FxHashMap<NameId, Variable>,
) -> FxHashMap<SymbolIndex, Vec<NameId>> {
    let mut owned: FxHashMap<SymbolIndex, (Vec<NameId>, bool)> = FxHashMap::default();
    let supertypes = walk.facts().supertypes.iter();
    let headers: Vec<_> = supertypes
        .map(|supertype| (supertype.symbol, walk.type_of(supertype.ty)))
        .collect();
    for (class, header) in headers {
        let TypeRecipe::Apply(head, arguments) = header else {
            continue;
        };
        let head = match walk.type_of(head) {
            TypeRecipe::Name(head) | TypeRecipe::Scoped(_, head) => walk.word(head),
            _ => continue,
        };
        // These two say which they are and in which order; other bases only use them.
        let says_all = matches!(head.as_str(), "Generic" | "Protocol");
        let mut names = Vec::new();
        for &argument in &walk.type_list_of(arguments).to_vec() {
            collect(walk, argument, &mut names);
        }
        if !says_all {
            names.retain(|name| variables.contains_key(name));
        }
        let (known, complete) = owned.entry(class).or_default();
        if says_all {
            (*known, *complete) = (names, true);
        } else if !*complete {
            names.retain(|name| !known.contains(name));
            known.extend(names);
        }
    }
    let owned = owned.into_iter();
    let mut classes: Vec<_> = owned.map(|(class, (names, _))| (class, names)).collect();
    classes.sort_by_key(|(class, _)| *class);
    classes.retain(|(class, names)| !names.is_empty() && !has_own(walk, *class));
    for (class, names) in &classes {
        for &name in names {
            add(walk, variables, *class, name);
        }
    }
    classes.into_iter().collect()
}

/// Gives each function the type variables of its annotations that no class around it has.
fn of_functions(
    walk: &mut Walk<'_>,
    variables: &FxHashMap<NameId, Variable>,
    owned: &FxHashMap<SymbolIndex, Vec<NameId>>,
) {
    let mut written: FxHashMap<SymbolIndex, Vec<TypeId>> = FxHashMap::default();
    for (function, parameter) in &walk.builder.parameters {
        written.entry(*function).or_default().push(parameter.ty);
    }
    for (index, symbol) in walk.facts().symbols_with_index() {
        use SymbolKind::{Function, Method, Property};
        if matches!(symbol.kind, Function | Method | Property) && symbol.ty.is_known() {
            written.entry(index).or_default().push(symbol.ty);
        }
    }
    let mut functions: Vec<(SymbolIndex, Vec<TypeId>)> = written.into_iter().collect();
    functions.sort_by_key(|(function, _)| *function);
    for (function, types) in functions {
        let mut names = Vec::new();
        for ty in types {
            collect(walk, ty, &mut names);
        }
        names.retain(|name| variables.contains_key(name));
        let mut around = Some(function);
        while let Some(symbol) = around {
            names.retain(|name| !owned.get(&symbol).is_some_and(|own| own.contains(name)));
            around = walk.symbol(symbol).parent;
        }
        if !has_own(walk, function) {
            for name in names {
                add(walk, variables, function, name);
            }
        }
    }
}

fn has_own(walk: &Walk<'_>, symbol: SymbolIndex) -> bool {
    let mut all = walk.builder.type_parameters.iter();
    all.any(|(of, _)| *of == symbol)
}

fn add(
    walk: &mut Walk<'_>,
    variables: &FxHashMap<NameId, Variable>,
    symbol: SymbolIndex,
    name: NameId,
) {
    let (name_span, bounds) = match variables.get(&name) {
        Some(variable) => (variable.name_span, variable.bounds),
        None => (walk.symbol(symbol).name_span, TypeListRange::default()),
    };
    walk.type_parameter(symbol, name, name_span, bounds);
}

/// The names in a type, each once, in order.
fn collect(walk: &Walk<'_>, ty: TypeId, names: &mut Vec<NameId>) {
    let all = |types: TypeListRange, names: &mut Vec<NameId>| {
        for &ty in walk.type_list_of(types) {
            collect(walk, ty, names);
        }
    };
    match walk.type_of(ty) {
        TypeRecipe::Name(name) if !names.contains(&name) => names.push(name),
        TypeRecipe::Apply(head, arguments) => {
            collect(walk, head, names);
            all(arguments, names);
        }
        TypeRecipe::Array(inner) | TypeRecipe::Optional(inner) => collect(walk, inner, names),
        TypeRecipe::Function(types) | TypeRecipe::Union(types) | TypeRecipe::Tuple(types) => {
            all(types, names)
        }
        _ => {}
    }
}
