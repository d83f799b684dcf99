//! What calls give.

use facts::{Modifiers, Recipe, RecipeId, ScopeId, SymbolKind};

use crate::resolve::{
    FileView, Found, Place, Resolver, SymbolId, Ty,
    call::{BoundTypes, CallArguments, CallOf},
    eval, generics, library, lookup,
    modules::Module,
    overloads, owner, reference, scopes,
    scopes::Space,
    ty::Step,
    values,
};

/// Call signatures of one interface that are compared with what is given.
const FEW_SIGNATURES: usize = 4;

/// What calling a value gives.
pub fn call_value(resolver: &Resolver, callee: &Ty, arguments: CallArguments) -> Ty {
    let view = arguments.place.view;
    let function = |callee, receiver, arguments| {
        let call = CallOf::new(callee, receiver, arguments);
        function_result(resolver, call)
    };
    match callee {
        Ty::Type(symbol, types) if types.is_empty() => {
            let call = CallOf::new(*symbol, None, arguments);
            Ty::Instance(*symbol, generics::infer_type_args(resolver, call))
        }
        Ty::Type(symbol, types) => Ty::Instance(*symbol, types.clone()),
        Ty::Function(symbol, receiver) => function(*symbol, receiver.as_deref(), arguments),
        Ty::LibraryType(name, types) => {
            let shape = view.shapes().function(name);
            shape
                .map(|shape| {
                    library::shape_result(resolver, shape, BoundTypes::default(), arguments)
                })
                .filter(Ty::is_known)
                .unwrap_or_else(|| Ty::Library(name.clone(), types.clone()))
        }
        Ty::Applied(symbol, receiver, types) => {
            let call = CallOf {
                types,
                ..CallOf::new(*symbol, receiver.as_deref(), arguments)
            };
            function_result(resolver, call)
        }
        Ty::LibraryMember(receiver, name) => {
            library::call_member(resolver, receiver, name, arguments)
        }
        Ty::LibraryApplied(receiver, name, types) => {
            library::call_applied(view, receiver, name, types)
        }
        Ty::External(external) => match view.shapes().function(&external.to_string()) {
            Some(shape) => library::shape_result(resolver, shape, BoundTypes::default(), arguments),
            None => callee.after(Step::Call),
        },
        Ty::Lambda(file, lambda, recipe) => lambda_result(resolver, *file, *lambda, *recipe),
        Ty::Signature(_) => result_of(callee.clone()),
        // `F: Fn(A) -> B`.
        Ty::Parameter(of, i) => {
            let mut bounds = lookup::bounds(resolver, *of, *i).into_iter();
            let called = bounds.find(|bound| matches!(bound, Ty::Signature(_)));
            called.map_or(Ty::Unknown, result_of)
        }
        Ty::Instance(symbol, _) if resolver.kind(*symbol) == Some(SymbolKind::Delegate) => {
            // `type Handler func(*Request) Answer`.
            result_of(values::symbol_type(resolver, *symbol))
        }
        Ty::Instance(..) => {
            let signatures = lookup::members(resolver, callee, "()");
            let fitting = signatures
                .iter()
                .find(|hit| overloads::takes(resolver, hit.symbol, arguments.len()));
            if let Some(hit) = fitting.or(signatures.first()) {
                return match values::hit_type(resolver, hit) {
                    // What is given tells its own type parameters, where few signatures are to be
                    // compared.
                    ty if ty.has_parameters() && signatures.len() <= FEW_SIGNATURES => {
                        function(hit.symbol, Some(callee), arguments)
                    }
                    ty => ty,
                };
            }
            match lookup::protocol_member(resolver, callee, view.semantics.protocols.call) {
                Some(hit) => function(hit.symbol, Some(callee), arguments),
                None => Ty::Unknown,
            }
        }
        Ty::Library(name, _) => match library::member_of(view, callee, "()") {
            // `std::function<Cart(int)>`.
            Some((shape, binding)) => {
                result_of(library::shape_result(resolver, shape, binding, arguments))
            }
            None => Ty::external(name.clone()).after(Step::Call),
        },
        Ty::Optional(_) | Ty::Union(_) => {
            callee.map_alternatives(|part| call_value(resolver, part, arguments))
        }
        Ty::Module(Module::External(path)) => Ty::external(path.clone()).after(Step::Call),
        _ => Ty::Unknown,
    }
}

/// What a function type gives; another type is the result already.
fn result_of(ty: Ty) -> Ty {
    match ty {
        Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
        result => result,
    }
}

/// What a function expression returns.
pub fn lambda_result(
    resolver: &Resolver,
    file: crate::FileId,
    scope: ScopeId,
    recipe: RecipeId,
) -> Ty {
    let Some(view) = resolver.view(file) else {
        return Ty::Unknown;
    };
    let Recipe::Lambda(_, returns) = view.facts.recipe(recipe) else {
        return Ty::Unknown;
    };
    let end = view.facts.scope(scope).span.end;
    let place = Place::new(&view, scope, end);
    let returned = view.facts.list(returns).iter();
    Ty::union(returned.map(|&value| eval::expression(resolver, place, value)))
}

/// What a call of a symbol gives.
pub fn function_result(resolver: &Resolver, call: CallOf) -> Ty {
    let receiver = call.receiver;
    let symbol = called_overload(resolver, call);
    let Some((other, declared)) = resolver.symbol(symbol) else {
        return Ty::Unknown;
    };
    let result = match declared.kind {
        // The signature by which an interface makes objects says which.
        SymbolKind::Constructor if !declared.ty.is_known() => owner::self_type(resolver, symbol),
        _ => values::symbol_type(resolver, symbol),
    };
    let result = match receiver {
        Some(receiver) => {
            // `Self` in a result is the receiver, not the type that declares the method.
            let own = owner::self_type(resolver, symbol);
            if result == own && returns_self(&other, &declared) {
                if result.is_known() && !matches!(receiver, Ty::Type(..)) {
                    receiver.clone()
                } else {
                    receiver.instantiated()
                }
            } else {
                generics::substitute_receiver_args(resolver, symbol, &result, receiver)
            }
        }
        None => result,
    };
    if !result.has_parameters() || declared.type_parameters.len == 0 {
        return result;
    }
    let call = CallOf {
        callee: symbol,
        ..call
    };
    let inferred = if call.types.is_empty() {
        generics::infer_type_args(resolver, call)
    } else {
        call.types.into()
    };
    let result = generics::settled(resolver, result.with_arguments(symbol, &inferred));
    // `def make(cls: type[T]) -> T` gives an object of the class that it is called on.
    let gives_own = declared.modifiers.contains(Modifiers::CLASS_METHOD)
        && receiver.is_some_and(|receiver| *receiver == result);
    if gives_own && matches!(result, Ty::Type(..)) {
        result.instantiated()
    } else {
        result
    }
}

/// Of several overloads the one that a call means.
fn called_overload(resolver: &Resolver, call: CallOf) -> SymbolId {
    let CallOf {
        callee,
        receiver,
        arguments,
        ..
    } = call;
    let overloaded = arguments.place.view.semantics.overloads;
    let mut chosen = Vec::new();
    if let Some(receiver) = receiver {
        let name = resolver.name(callee);
        let hits = overloads::callable_members(resolver, receiver, &name, arguments);
        let hits = hits.into_iter().map(|hit| hit.symbol).collect();
        let hits = reference::prefer_callable_for_calls(resolver, hits, facts::Role::Call);
        if arguments.call.is_some() {
            chosen = overloads::choose(
                resolver,
                hits,
                arguments.place,
                arguments.call,
                Some(receiver),
            );
        }
    } else if overloaded {
        let name = resolver.name(callee);
        let (found, _) = scopes::lookup(resolver, arguments.place, &name, Space::Callable);
        let hits: Vec<SymbolId> = found.iter().filter_map(Found::symbol).collect();
        if hits.contains(&callee) {
            let (place, call) = (arguments.place, arguments.call);
            let hits = overloads::or_inherited(resolver, place, hits, call);
            chosen = overloads::choose(resolver, hits, place, call, None);
        }
    }
    let callee = chosen.first().copied().unwrap_or(callee);
    // Where one body serves all signatures, it is the signatures that tell the result.
    let is_body = || {
        resolver.symbol(callee).is_some_and(|(view, declared)| {
            view.semantics.declarations.merging == facts::Merging::File
                && !declared.modifiers.contains(Modifiers::PROTOTYPE)
        })
    };
    if overloaded && !is_body() {
        callee
    } else {
        overloads::signature_for(resolver, callee, arguments)
    }
}

fn returns_self(view: &FileView, declared: &facts::Symbol) -> bool {
    let written = match view.facts.type_recipe(declared.ty) {
        facts::TypeRecipe::SelfType => true,
        facts::TypeRecipe::Name(name) | facts::TypeRecipe::Scoped(_, name) => {
            view.semantics.self_types.contains(&view.facts.name(name))
        }
        _ => false,
    };
    let values = view.facts.values(declared);
    let returned =
        !declared.ty.is_known()
            && !values.is_empty()
            && values
                .iter()
                .all(|value| match view.facts.recipe(value.recipe) {
                    Recipe::SelfValue => true,
                    Recipe::Name(name) => view.facts.bindings_of(name).iter().any(|binding| {
                        matches!(view.facts.recipe(binding.value), Recipe::SelfValue)
                    }),
                    _ => makes_own(view, value.recipe),
                });
    written || returned
}

/// `new` in a method of the class itself, perhaps as one of two ways: an object of the class
/// that the method is called on.
fn makes_own(view: &FileView, recipe: RecipeId) -> bool {
    match view.facts.recipe(recipe) {
        Recipe::Either(a, b) => makes_own(view, a) || makes_own(view, b),
        Recipe::Call(callee, _) => match view.facts.recipe(callee) {
            Recipe::Member(of, name) => {
                view.facts.recipe(of) == Recipe::SelfType
                    && lookup::constructs(view, view.facts.name(name))
            }
            _ => false,
        },
        _ => false,
    }
}
