//! Of several callables of one name, the one that a call means.

use std::{cmp::Reverse, collections::BTreeSet};

use facts::{Modifiers, ParameterFlags, Recipe, RecipeId, SymbolKind};

use crate::resolve::{
    FileView, Place, Resolver, SymbolId, Ty, bare,
    call::{CallArguments, CallOf},
    constness, eval, extensions, fit, generics, lookup,
    lookup::MemberHit,
    order, owner, prefer, written,
};

/// Of several callables of one name those that a call can mean: by number of arguments, then by
/// their types. The type arguments of a receiver tell those of the parameters.
pub fn choose(
    resolver: &Resolver,
    candidates: Vec<SymbolId>,
    place: Place,
    call: Option<RecipeId>,
    receiver: Option<&Ty>,
) -> Vec<SymbolId> {
    let view = place.view;
    if candidates.len() < 2 {
        return candidates;
    }
    let candidates = match announces(view) {
        true => without_announced(resolver, candidates),
        false => bare::one_declaration(resolver, candidates),
    };
    if candidates.len() < 2 || !are_overloads(resolver, &candidates) {
        return candidates;
    }
    let Some(arguments) = CallArguments::of(place, call) else {
        return candidates;
    };
    let recipe = |id: RecipeId| view.facts.recipe(id);
    let has_spread = arguments
        .recipes
        .iter()
        .any(|&argument| matches!(recipe(argument), Recipe::Spread(_)));
    let takes = |candidate: &SymbolId| {
        if receiver.is_some_and(is_value) {
            takes_after_receiver(resolver, *candidate, arguments.len())
        } else {
            takes(resolver, *candidate, arguments.len())
        }
    };
    let n_types = arguments.n_types();
    let is_generic = |candidate: &SymbolId| takes_types(resolver, *candidate, n_types);
    let candidates = prefer(candidates, is_generic);
    // Where none are inferred beside written ones, their number tells overloads apart.
    let is_as_generic = |candidate: &SymbolId| n_type_parameters(resolver, *candidate) == n_types;
    let candidates = match n_types > 0 && !view.semantics.prototypes {
        true => prefer(candidates, is_as_generic),
        false => candidates,
    };
    let mut by_count = candidates.clone();
    if !has_spread && candidates.iter().any(takes) {
        by_count.retain(takes);
    }
    if by_count.len() < 2 {
        return by_count;
    }
    let given = eval::expressions(resolver, place, arguments.recipes);
    let mut scored: Vec<(u32, SymbolId)> = Vec::new();
    for &callee in &by_count {
        let call = CallOf::new(callee, receiver, arguments);
        scored.extend(score(resolver, call, &given).map(|score| (score, callee)));
    }
    if scored.is_empty() {
        return bare::one_declaration(resolver, by_count);
    }
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
    scored.retain(|(score, _)| *score == best);
    // Of two that fit as well, the one is meant that is as generic as the call says.
    let says_types = call.is_some_and(|call| {
        matches!(recipe(call), Recipe::Call(callee, _) if matches!(recipe(callee), Recipe::TypeArguments(..)))
    });
    let as_generic = |(_, candidate): &(u32, SymbolId)| {
        resolver
            .symbol(*candidate)
            .is_some_and(|(_, declared)| (declared.type_parameters.len > 0) == says_types)
    };
    if scored.len() > 1 && scored.iter().any(as_generic) {
        scored.retain(as_generic);
    }
    let chosen = scored.into_iter().map(|(_, candidate)| candidate).collect();
    let chosen = bare::one_declaration(resolver, chosen);
    match receiver {
        None => constness::as_around(resolver, place, chosen),
        Some(_) => match call {
            Some(call) => constness::as_receiver(resolver, place, chosen, call),
            None => chosen,
        },
    }
}

/// Without the prototypes of what is defined among them. One whose definition is elsewhere is an
/// overload like any other.
fn without_announced(resolver: &Resolver, candidates: Vec<SymbolId>) -> Vec<SymbolId> {
    /// Overloads of more than so many are compared by nothing but their number of parameters.
    const MANY: usize = 24;
    let by_type = candidates.len() <= MANY;
    let parameters = |candidate: &SymbolId| {
        let (view, declared) = resolver.symbol(*candidate)?;
        let types = match by_type {
            true => parameter_types(resolver, &view, &declared),
            false => vec![Ty::Unknown; declared.parameters.len as usize],
        };
        Some((declared.modifiers.contains(Modifiers::PROTOTYPE), types))
    };
    let all: Vec<_> = candidates.iter().map(parameters).collect();
    let is_announced = |of: &Option<(bool, Vec<Ty>)>| {
        let Some((true, types)) = of else {
            return false;
        };
        let mut defined = all
            .iter()
            .flatten()
            .filter(|(is_prototype, _)| !is_prototype);
        defined.any(|(_, others)| others == types)
    };
    let kept = candidates
        .iter()
        .zip(&all)
        .filter(|(_, of)| !is_announced(of));
    kept.map(|(candidate, _)| *candidate).collect()
}

/// Whether callables are told apart by what they take: overloads of a language that has them, or
/// one method of a trait in several blocks, `impl From<Cart> for Price` and `impl From<Count> for
/// Price`.
pub fn are_overloads(resolver: &Resolver, candidates: &[SymbolId]) -> bool {
    let Some(view) = candidates
        .first()
        .and_then(|first| resolver.view(first.file))
    else {
        return false;
    };
    if view.semantics.overloads {
        return true;
    }
    // Blocks for different platforms declare the same.
    let block = |candidate: &SymbolId| {
        let (view, declared) = resolver.symbol(*candidate)?;
        let block = declared.parent?;
        (view.symbol(block).kind == SymbolKind::Impl).then_some((candidate.file, block))
    };
    let blocks: Option<BTreeSet<_>> = candidates.iter().map(block).collect();
    blocks.is_some_and(|blocks| blocks.len() == candidates.len())
        && take_differently(resolver, candidates)
}

/// Whether a prototype announces one overload, and not the implementation of them all.
pub fn announces(view: &FileView) -> bool {
    view.semantics.prototypes && view.semantics.construction.converts
}

/// Whether several callables do not all take the same types.
pub fn take_differently(resolver: &Resolver, candidates: &[SymbolId]) -> bool {
    /// More are no declarations of one thing.
    const MANY: usize = 64;
    let takes = |candidate: &SymbolId| {
        let (view, declared) = resolver.symbol(*candidate)?;
        let is_callable = declared.kind.is_callable();
        is_callable.then(|| parameter_types(resolver, &view, &declared))
    };
    if candidates.len() > MANY {
        return true;
    }
    let all: Option<Vec<_>> = candidates.iter().map(takes).collect();
    all.is_some_and(|all| all.windows(2).any(|pair| pair[0] != pair[1]))
}

/// The types that a callable takes. Type parameters are the same in all declarations, whatever
/// template they belong to.
fn parameter_types(resolver: &Resolver, view: &FileView, declared: &facts::Symbol) -> Vec<Ty> {
    let parameters = view.facts.parameters(declared).iter();
    let open = |_: SymbolId, i: u16| Some(Ty::external(i.to_string()));
    parameters
        .map(|parameter| written::header_type(resolver, view, declared, parameter.ty))
        .map(|ty| ty.substitute(&open))
        .collect()
}

/// Whether a callable can be called with so many type arguments.
fn takes_types(resolver: &Resolver, symbol: SymbolId, n_types: usize) -> bool {
    n_types == 0
        || resolver.symbol(symbol).is_none_or(|(_, declared)| {
            !declared.kind.is_callable() || declared.type_parameters.len as usize >= n_types
        })
}

fn n_type_parameters(resolver: &Resolver, symbol: SymbolId) -> usize {
    let declared = resolver.symbol(symbol);
    declared.map_or(0, |(_, declared)| declared.type_parameters.len as usize)
}

/// Whether a callable can be called with so many arguments.
pub fn takes(resolver: &Resolver, symbol: SymbolId, n_arguments: usize) -> bool {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return true;
    };
    // Called as a plain function, an extension is given its receiver first.
    let as_function = extensions::has_receiver_parameter(&view, &declared) && n_arguments > 0;
    takes_as_member(&view, &declared, n_arguments)
        || as_function && takes_as_member(&view, &declared, n_arguments - 1)
}

/// Whether a receiver is a value, and not a type or module whose functions are called.
fn is_value(receiver: &Ty) -> bool {
    matches!(
        receiver,
        Ty::Instance(..) | Ty::Library(..) | Ty::External(_) | Ty::Array(_) | Ty::Parameter(..)
    )
}

/// Whether a callable can be called with so many arguments on a value.
fn takes_after_receiver(resolver: &Resolver, symbol: SymbolId, n_arguments: usize) -> bool {
    resolver
        .symbol(symbol)
        .is_none_or(|(view, declared)| takes_as_member(&view, &declared, n_arguments))
}

/// Whether a callable can be called with so many arguments and the receiver in front of the
/// call.
pub fn takes_as_member(view: &FileView, declared: &facts::Symbol, n_arguments: usize) -> bool {
    let parameters = view.parameters(declared);
    let required = parameters
        .iter()
        .filter(|parameter| !is_optional(parameter.flags))
        .count();
    let variadic = parameters
        .iter()
        .any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC));
    n_arguments >= required && (variadic || n_arguments <= parameters.len())
}

/// How well the arguments fit; nothing if one of them cannot.
fn score(resolver: &Resolver, call: CallOf, given: &[Ty]) -> Option<u32> {
    let CallOf {
        callee: symbol,
        receiver,
        arguments,
        ..
    } = call;
    let (other, declared) = resolver.symbol(symbol)?;
    let as_function = !matches!(
        receiver,
        Some(Ty::Instance(..) | Ty::Library(..) | Ty::External(_) | Ty::Array(_))
    ) && extensions::has_receiver_parameter(&other, &declared);
    let parameters: Vec<_> = other
        .facts
        .parameters(&declared)
        .iter()
        .filter(|parameter| as_function || !parameter.flags.contains(ParameterFlags::RECEIVER))
        .collect();
    if given.len() > parameters.len()
        && !parameters
            .iter()
            .any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC))
    {
        return None;
    }
    let mut score = match receiver {
        Some(receiver) => extensions::extension_fit(resolver, &other, &declared, receiver)?,
        None => 0,
    };
    for (i, (ty, &argument)) in given.iter().zip(arguments.recipes).enumerate() {
        let named = arguments.keyword(argument).and_then(|keyword| {
            parameters
                .iter()
                .find(|parameter| other.facts.name(parameter.name) == keyword)
        });
        let Some(parameter) = named
            .or_else(|| parameters.get(i))
            .or_else(|| parameters.last())
        else {
            return Some(score);
        };
        let mut wanted = written::header_type(resolver, &other, &declared, parameter.ty);
        if let Some(receiver) = receiver
            && wanted.has_parameters()
        {
            wanted = generics::substitute_by_receiver(resolver, symbol, &wanted, receiver);
        }
        if parameter.flags.contains(ParameterFlags::VARIADIC)
            && let Ty::Array(item) = &wanted
            && !matches!(ty, Ty::Array(_))
        {
            wanted = (**item).clone();
        }
        let fit = match ty {
            Ty::Lambda(file, lambda, recipe) => {
                fit::lambda_fits(resolver, *file, *lambda, *recipe, &wanted)
            }
            ty if other.semantics.declarations.arrays_decay => {
                fit::fits(resolver, decayed(ty), decayed(&wanted))
            }
            ty => fit::fits(resolver, ty, &wanted),
        };
        if fit == 0 {
            return None;
        }
        // An exact count is a better fit than a variadic one.
        score += fit * 4 - u32::from(parameter.flags.contains(ParameterFlags::VARIADIC));
    }
    // What may be left out makes no call of C++ less fitting.
    let is_exact = parameters.len() == given.len() && !announces(&other);
    Some(score + u32::from(is_exact))
}

/// An array is given as a pointer to its first item.
fn decayed(ty: &Ty) -> &Ty {
    match ty {
        Ty::Array(item) => item,
        ty => ty,
    }
}

/// Members that can be called with these arguments: the type's own, else extensions.
pub fn callable_members(
    resolver: &Resolver,
    ty: &Ty,
    name: &str,
    arguments: CallArguments,
) -> Vec<MemberHit> {
    let CallArguments { place, recipes, .. } = arguments;
    let view = place.view;
    let mut hits = extensions::members_in_sight(resolver, view, ty, name, Some(arguments.len()));
    let takes = |hit: &MemberHit| {
        resolver
            .kind(hit.symbol)
            .is_some_and(|kind| !kind.is_callable())
            || takes(resolver, hit.symbol, arguments.len())
                && takes_types(resolver, hit.symbol, arguments.n_types())
    };
    let is_extension = |hit: &MemberHit| {
        resolver
            .symbol(hit.symbol)
            .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::EXTENSION))
    };
    if hits.is_empty() || hits.iter().all(is_extension) {
        return hits;
    }
    let given = std::cell::OnceCell::new();
    let fits = |hit: &MemberHit| {
        let given = given.get_or_init(|| eval::expressions(resolver, place, recipes));
        let call = CallOf::new(hit.symbol, Some(ty), arguments);
        takes(hit) && score(resolver, call, given).is_some()
    };
    if view.semantics.overloads && !hits.iter().any(fits) {
        // An overload may be in a supertype.
        let inherited: Vec<MemberHit> = inherited_overloads(resolver, ty, name)
            .into_iter()
            .filter(fits)
            .collect();
        if !inherited.is_empty() {
            hits = inherited;
        }
    }
    let extensions = ty.alternatives().into_iter().flat_map(|ty| {
        extensions::extensions_in_sight(resolver, view, &ty, name, Some(arguments.len()))
    });
    let mut extensions: Vec<MemberHit> = extensions.collect();
    extensions.retain(|extension| !hits.contains(extension));
    if extensions.is_empty() {
        return hits;
    }
    if !hits.iter().any(takes) {
        return extensions;
    }
    if hits.iter().any(fits) || !extensions.iter().any(fits) {
        hits
    } else {
        extensions
    }
}

/// What a bare call can mean: members of the type around it, or where none of them takes the
/// arguments, one that it inherits.
pub fn or_inherited(
    resolver: &Resolver,
    place: Place,
    candidates: Vec<SymbolId>,
    call: Option<RecipeId>,
) -> Vec<SymbolId> {
    let view = place.view;
    let Some(first) = candidates
        .first()
        .copied()
        .filter(|_| view.semantics.overloads)
    else {
        return candidates;
    };
    let Some(arguments) = CallArguments::of(place, call) else {
        return candidates;
    };
    let is_member = resolver.symbol(first).is_some_and(|(view, declared)| {
        declared.kind.is_callable()
            && declared
                .parent
                .is_some_and(|parent| view.symbol(parent).kind.is_type())
    });
    if !is_member {
        return candidates;
    }
    let ty = owner::self_type(resolver, first);
    let mut inherited: Vec<SymbolId> = inherited_overloads(resolver, &ty, &resolver.name(first))
        .into_iter()
        .map(|hit| hit.symbol)
        .collect();
    if inherited.is_empty() {
        return candidates;
    }
    let given = eval::expressions(resolver, place, arguments.recipes);
    let fits = |symbol: &SymbolId| {
        let call = CallOf::new(*symbol, Some(&ty), arguments);
        takes(resolver, *symbol, arguments.len()) && score(resolver, call, &given).is_some()
    };
    if candidates.iter().any(fits) {
        return candidates;
    }
    inherited.retain(fits);
    if inherited.is_empty() {
        candidates
    } else {
        inherited
    }
}

/// The members of a name in the supertypes behind the first that has one.
pub fn inherited_overloads(resolver: &Resolver, ty: &Ty, name: &str) -> Vec<MemberHit> {
    let mut hits = Vec::new();
    for ty in ty.alternatives() {
        let (Ty::Instance(symbol, _) | Ty::Type(symbol, _)) = &ty else {
            continue;
        };
        let levels = order::linearized(resolver, *symbol, &ty)
            .into_iter()
            .filter_map(|level| {
                let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = &level else {
                    return None;
                };
                let own = lookup::own_members(resolver, *holder, name);
                (!own.is_empty()).then(|| (level.clone(), own))
            });
        for (level, own) in levels.skip(1) {
            hits.extend(own.iter().map(|symbol| MemberHit {
                symbol: *symbol,
                receiver: level.clone(),
            }));
        }
    }
    hits
}

/// Of a function's overload signatures the one that fits the arguments.
pub fn signature_for(resolver: &Resolver, symbol: SymbolId, arguments: CallArguments) -> SymbolId {
    let CallArguments { place, recipes, .. } = arguments;
    let Some((other, declared)) = resolver.symbol(symbol) else {
        return symbol;
    };
    let is_static = declared.modifiers.contains(Modifiers::STATIC);
    let is_positional = |&&argument: &&RecipeId| {
        let recipe = place.view.facts.recipe(argument);
        !matches!(recipe, Recipe::Field(..) | Recipe::Spread(_))
    };
    let n_positional = recipes.iter().filter(is_positional).count();
    let is_given = |name: &str| {
        recipes
            .iter()
            .any(|&argument| arguments.keyword(argument) == Some(name))
    };
    let fits = |found: &facts::Symbol| {
        let parameters = other.parameters(found);
        let is_missing = |(i, parameter): (usize, &&facts::Parameter)| {
            i >= n_positional
                && !is_optional(parameter.flags)
                && !is_given(other.facts.name(parameter.name))
        };
        let n_with = |flag| {
            let with = |parameter: &&&facts::Parameter| parameter.flags.contains(flag);
            parameters.iter().filter(with).count()
        };
        let takes = parameters.len() - n_with(ParameterFlags::KEYWORD_ONLY);
        !parameters.iter().enumerate().any(is_missing)
            && (n_with(ParameterFlags::VARIADIC) > 0 || n_positional <= takes)
    };
    let fitting: Vec<SymbolId> = other
        .symbols_named(declared.name)
        .filter(|&index| {
            let found = other.symbol(index);
            found.parent == declared.parent
                && found.declared_in == declared.declared_in
                && found.modifiers.contains(Modifiers::PROTOTYPE)
                && found.modifiers.contains(Modifiers::STATIC) == is_static
                && fits(found)
        })
        .map(|index| symbol.beside(index))
        .collect();
    if let [] | [_] = fitting.as_slice() {
        return fitting.first().copied().unwrap_or(symbol);
    }
    let given = eval::expressions(resolver, place, recipes);
    let scored = fitting.iter().filter_map(|&callee| {
        let call = CallOf::new(callee, None, arguments);
        Some((score(resolver, call, &given)?, Reverse(callee)))
    });
    match scored.max() {
        Some((_, Reverse(best))) => best,
        None => fitting.first().copied().unwrap_or(symbol),
    }
}

pub fn is_optional(flags: ParameterFlags) -> bool {
    [
        ParameterFlags::OPTIONAL,
        ParameterFlags::VARIADIC,
        ParameterFlags::KEYWORD_VARIADIC,
        ParameterFlags::BLOCK,
    ]
    .iter()
    .any(|&flag| flags.contains(flag))
}
