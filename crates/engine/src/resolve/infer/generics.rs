//! Type arguments: inferred from what is given, and put in where a receiver tells them.

use std::sync::Arc;

use facts::{Modifiers, Parameter, ParameterFlags};

use crate::resolve::{
    FileView, Guard, Place, Resolver, SymbolId, Ty, call::CallOf, calls, eval, lambdas, lookup,
    order, overloads, owner, ty::Types, values, written,
};

/// Replaces type parameters by the type arguments of the receiver and of what it extends.
pub fn substitute_type_args_of(resolver: &Resolver, ty: &Ty, receiver: &Ty) -> Ty {
    let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else {
        return ty.clone();
    };
    if !ty.has_parameters() {
        return ty.clone();
    }
    let views = order::linearized(resolver, *holder, receiver);
    let argument = |of: SymbolId, i: u16| {
        views.iter().find_map(|view| match view {
            Ty::Instance(holder, arguments) | Ty::Type(holder, arguments)
                if *holder == of && !arguments.is_empty() =>
            {
                Some(arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
            }
            _ => None,
        })
    };
    settled(resolver, ty.substitute(&argument))
}

/// With members of types that have become known in place of what names them: `T["item"]`.
pub fn settled(resolver: &Resolver, ty: Ty) -> Ty {
    if !ty.has_projections() {
        return ty;
    }
    ty.settle(&|inner, name| {
        inner.map_alternatives(|inner| {
            let holder = inner.holder().and_then(|holder| resolver.view(holder.file));
            holder.map_or(Ty::Unknown, |view| {
                values::member_value(resolver, &view, inner, name)
            })
        })
    })
}

/// The type arguments of a generic type or callable, with defaults for those that are not given.
pub fn with_defaults(resolver: &Resolver, symbol: SymbolId, given: &[Ty]) -> Option<Types> {
    let (view, declared) = resolver
        .symbol(symbol)
        .filter(|(_, declared)| declared.type_parameters.len > 0)?;
    let parameters = view.facts.type_parameters(&declared);
    let is_open = |i: usize| given.get(i).is_none_or(|ty| !ty.is_known());
    let mut open = parameters.iter().enumerate();
    if !open.any(|(i, parameter)| parameter.default.is_known() && is_open(i)) {
        return None;
    }
    let place = Place::inside(&view, &declared);
    let mut types: Vec<Ty> = Vec::new();
    for (i, parameter) in parameters.iter().enumerate() {
        let ty = match given.get(i) {
            Some(ty) if ty.is_known() => ty.clone(),
            _ => {
                let guard = Guard::Default(symbol, i as u16);
                let default = resolver.memo.guard(&guard, || {
                    written::written_type(resolver, place, parameter.default)
                });
                let default = default.unwrap_or(Ty::Unknown);
                settled(resolver, default.with_arguments(symbol, &types))
            }
        };
        types.push(ty);
    }
    Some(types.into())
}

/// Replaces type parameters by the receiver's arguments also where the block or receiver of a method
/// names them anew: `impl<T> Stack<T>`, `func (s *Stack[T])`.
pub fn substitute_receiver_args(
    resolver: &Resolver,
    symbol: SymbolId,
    ty: &Ty,
    receiver: &Ty,
) -> Ty {
    let ty = substitute_type_args_of(resolver, ty, receiver);
    if !ty.has_parameters() {
        return ty;
    }
    let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else {
        return ty;
    };
    let Ty::Instance(declaring, own) = owner::self_type(resolver, symbol) else {
        return ty;
    };
    for view in order::linearized(resolver, *holder, receiver) {
        if let Ty::Instance(of, arguments) | Ty::Type(of, arguments) = &view
            && *of == declaring
        {
            return ty.substitute(&|of, i| {
                let place = own.iter().position(|own| *own == Ty::Parameter(of, i))?;
                arguments.get(place).cloned()
            });
        }
    }
    ty
}

/// The type arguments of a generic callable or type, from what its parameters and its receiver are
/// given.
pub fn infer_type_args(resolver: &Resolver, call: CallOf) -> Types {
    let CallOf {
        callee: symbol,
        receiver,
        arguments,
        expected,
        ..
    } = call;
    let Some((_, declared)) = resolver
        .symbol(symbol)
        .filter(|(_, declared)| declared.type_parameters.len > 0)
    else {
        return Arc::from([]);
    };
    let callable = if declared.kind.is_callable() {
        Some(symbol)
    } else {
        lookup::constructors(resolver, symbol)
            .into_iter()
            .find(|constructor| overloads::takes(resolver, *constructor, arguments.len()))
    };
    let mut inferred = vec![Ty::Unknown; declared.type_parameters.len as usize];
    let Some((other, callable)) = callable.and_then(|callable| resolver.symbol(callable)) else {
        return inferred.into();
    };
    let place = Place::inside(&other, &callable);
    let mut infer = |wanted: &Ty, given: &Ty| {
        unify(resolver, wanted, given, &mut |of, i, ty| {
            if of == symbol && i < inferred.len() && !inferred[i].is_known() {
                inferred[i] = ty.clone();
            }
        });
    };
    if let Some(receiver) = receiver {
        if let Some(first) = receiver_parameter(&other, &callable) {
            infer(&written::written_type(resolver, place, first.ty), receiver);
        }
        if callable.owner.is_known() && callable.modifiers.contains(Modifiers::EXTENSION) {
            infer(
                &written::written_type(resolver, place, callable.owner),
                receiver,
            );
        }
    }
    let parameters = other.parameters(&callable);
    for (parameter, &argument) in parameters.into_iter().zip(arguments.recipes) {
        let mut wanted = written::written_type(resolver, place, parameter.ty);
        if let Some(receiver) = receiver {
            wanted = substitute_type_args_of(resolver, &wanted, receiver);
        }
        if !wanted.has_parameters() {
            continue;
        }
        let given = eval::expression(resolver, arguments.place, argument);
        let result = || {
            let types = lambdas::signature(resolver, arguments.place.view, &wanted)?;
            types
                .last()
                .filter(|result| result.has_parameters())
                .cloned()
        };
        match &given {
            // What a function given returns tells what the function type says it returns.
            Ty::Lambda(file, lambda, recipe) => {
                if let Some(result) = result() {
                    infer(
                        &result,
                        &calls::lambda_result(resolver, *file, *lambda, *recipe),
                    );
                }
            }
            Ty::Function(function, _) => {
                if let Some(result) = result() {
                    infer(&result, &values::symbol_type(resolver, *function));
                }
            }
            given => infer(&wanted, given),
        }
    }
    if let Some(expected) = expected {
        infer(&values::symbol_type(resolver, symbol), expected);
    }
    with_defaults(resolver, symbol, &inferred).unwrap_or_else(|| inferred.into())
}

/// The receiver, where it is written as a parameter.
fn receiver_parameter<'a>(view: &'a FileView, callable: &facts::Symbol) -> Option<&'a Parameter> {
    let mut parameters = view.facts.parameters(callable).iter();
    parameters.find(|parameter| parameter.flags.contains(ParameterFlags::RECEIVER))
}

/// Replaces the type parameters that the receiver of a callable tells.
pub fn substitute_by_receiver(
    resolver: &Resolver,
    symbol: SymbolId,
    wanted: &Ty,
    receiver: &Ty,
) -> Ty {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return wanted.clone();
    };
    let wanted = substitute_type_args_of(resolver, wanted, receiver);
    let Some(first) = receiver_parameter(&view, &declared) else {
        return wanted;
    };
    let own = written::header_type(resolver, &view, &declared, first.ty);
    let mut known: Vec<(usize, Ty)> = Vec::new();
    unify(resolver, &own, receiver, &mut |of, i, ty| {
        if of == symbol {
            known.push((i, ty.clone()));
        }
    });
    wanted.substitute(&|of, i| {
        let mut known = known.iter().filter(|_| of == symbol);
        known
            .find(|(known, _)| *known == i as usize)
            .map(|(_, ty)| ty.clone())
    })
}

/// Finds the types that the type parameters in `wanted` are bound to, given a value of type `given`.
fn unify(
    resolver: &Resolver,
    wanted: &Ty,
    given: &Ty,
    found: &mut dyn FnMut(SymbolId, usize, &Ty),
) {
    match (wanted, given) {
        (Ty::Parameter(symbol, i), given) if given.is_known() => found(*symbol, *i as usize, given),
        (Ty::Instance(a, wanted), Ty::Instance(b, given_arguments)) => {
            // Seen as the type that is wanted.
            let seen = if a == b {
                Some(given_arguments.clone())
            } else {
                order::linearized(resolver, *b, given)
                    .into_iter()
                    .find_map(|ty| {
                        if let Ty::Instance(of, arguments) = ty {
                            (of == *a).then_some(arguments)
                        } else {
                            None
                        }
                    })
            };
            if let Some(given) = seen {
                unify_all(resolver, wanted, &given, found);
            }
        }
        (Ty::Library(a, wanted), Ty::Library(b, given))
            if a == b || wanted.len() == given.len() =>
        {
            unify_all(resolver, wanted, given, found);
        }
        (Ty::Library(_, wanted), Ty::LibraryType(..) | Ty::Type(..)) if wanted.len() == 1 => {
            unify(resolver, &wanted[0], &given.instantiated(), found)
        }
        (Ty::Library(_, wanted), Ty::Array(item)) if wanted.len() == 1 => {
            unify(resolver, &wanted[0], item, found)
        }
        (Ty::Array(wanted), Ty::Array(given)) | (Ty::Optional(wanted), Ty::Optional(given)) => {
            unify(resolver, wanted, given, found)
        }
        (Ty::Optional(wanted) | Ty::Array(wanted), given) => unify(resolver, wanted, given, found),
        (wanted, Ty::Optional(given)) => unify(resolver, wanted, given, found),
        (Ty::Tuple(wanted), Ty::Tuple(given)) => unify_all(resolver, wanted, given, found),
        (Ty::Union(parts), given) => unify_union(resolver, parts, given, found),
        _ => {}
    }
}

/// Of several types of which one is wanted, those that are made like a given one tell more than a type
/// parameter that stands for anything: `T | T[]`.
fn unify_union(
    resolver: &Resolver,
    parts: &[Ty],
    given: &Ty,
    found: &mut dyn FnMut(SymbolId, usize, &Ty),
) {
    let made_alike = |wanted: &Ty, given: &Ty| match (wanted, given) {
        (Ty::Array(_), Ty::Array(_)) => true,
        (Ty::Instance(wanted, _), Ty::Instance(given, _)) => wanted == given,
        (Ty::Library(wanted, _), Ty::Library(given, _)) => wanted == given,
        _ => false,
    };
    let given = given.alternatives();
    let mut is_told = false;
    for given in &given {
        for wanted in parts.iter().filter(|wanted| made_alike(wanted, given)) {
            unify(resolver, wanted, given, found);
            is_told = true;
        }
    }
    if !is_told {
        for wanted in parts
            .iter()
            .filter(|part| matches!(part, Ty::Parameter(..)))
        {
            unify(resolver, wanted, &Ty::union(given.iter().cloned()), found);
        }
    }
}

fn unify_all(
    resolver: &Resolver,
    wanted: &[Ty],
    given: &[Ty],
    found: &mut dyn FnMut(SymbolId, usize, &Ty),
) {
    for (wanted, given) in wanted.iter().zip(given) {
        unify(resolver, wanted, given, found);
    }
}
