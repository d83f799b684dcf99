//! Function types, and what functions handed to a call take.

use facts::{Modifiers, Recipe, RecipeId, ScopeId, SymbolKind, TypeId, TypeRecipe};

use crate::resolve::{
    FileView, Found, Guard, Place, Resolver, SymbolId, Ty,
    call::{BoundTypes, CallArguments, CallOf, LambdaParameter},
    eval, extensions, generics, library, lookup, overloads, scopes,
    scopes::Space,
    shapes::ShapeType,
    ty::Types,
    values, written,
};

/// Parameters and, last, the result of a function type: a signature, a delegate, an interface with
/// one method, a library's function types.
pub fn signature(resolver: &Resolver, view: &FileView, ty: &Ty) -> Option<Types> {
    match ty {
        Ty::Signature(types) => Some(types.clone()),
        Ty::Optional(inner) | Ty::Array(inner) => signature(resolver, view, inner),
        Ty::Union(parts) => parts
            .iter()
            .find_map(|part| signature(resolver, view, part)),
        // `F: Fn(Cart)`
        Ty::Parameter(of, i) => {
            let bounds = lookup::bounds(resolver, *of, *i);
            let mut bounds = bounds
                .iter()
                .filter(|bound| !matches!(bound, Ty::Parameter(..)));
            bounds.find_map(|bound| signature(resolver, view, bound))
        }
        Ty::Instance(symbol, _) => {
            let method = only_method(resolver, *symbol)?;
            let (view, declared) = resolver.symbol(method)?;
            let place = Place::inside(&view, &declared);
            let parameters = view.facts.parameters(&declared).iter();
            let types = parameters
                .map(|parameter| written::written_type(resolver, place, parameter.ty))
                .chain([values::symbol_type(resolver, method)]);
            let types = types.map(|of| generics::substitute_type_args_of(resolver, &of, ty));
            Some(types.collect())
        }
        Ty::Library(name, types) => {
            let shapes = view.shapes();
            if shapes.is_wrapper(name) {
                return signature(resolver, view, types.first()?);
            }
            match shapes.function_type(name) {
                Some(true) => (!types.is_empty()).then(|| types.clone()),
                Some(false) => Some(types.iter().cloned().chain([Ty::Unknown]).collect()),
                // `std::function<void(Cell&)>`
                None if matches!(**types, [Ty::Signature(_)]) => {
                    signature(resolver, view, types.first()?)
                }
                None => {
                    let functional = view.semantics.protocols.functional.iter();
                    let (shape, binding) = ["()"]
                        .iter()
                        .chain(functional)
                        .find_map(|member| library::member_of(view, ty, member))?;
                    let result = shape.result.as_ref().unwrap_or(&ShapeType::Any);
                    let types = shape.parameters.iter().chain([result]);
                    Some(types.map(|ty| binding.apply(ty)).collect())
                }
            }
        }
        _ => None,
    }
}

/// The type of a parameter of a function type.
fn parameter_of(types: &[Ty], i: u16) -> Ty {
    let parameters = types
        .split_last()
        .map_or(&[][..], |(_, parameters)| parameters);
    parameters.get(i as usize).cloned().unwrap_or(Ty::Unknown)
}

/// The method that a function given for an interface or delegate becomes.
fn only_method(resolver: &Resolver, symbol: SymbolId) -> Option<SymbolId> {
    let (view, declared) = resolver.symbol(symbol)?;
    match declared.kind {
        SymbolKind::Delegate => Some(symbol),
        SymbolKind::Interface | SymbolKind::TypeAlias => {
            // An interface that can be called says how: `interface Check { (cart: Cart): void }`.
            let mut signatures = view.children(Some(symbol.index)).filter(|&child| {
                view.symbol(child).kind == SymbolKind::Operator && view.name_of(child) == "()"
            });
            if let (Some(only), None) = (signatures.next(), signatures.next()) {
                return Some(symbol.beside(only));
            }
            let methods: Vec<_> = view
                .children(Some(symbol.index))
                .filter(|&child| {
                    view.symbol(child).kind == SymbolKind::Method
                        && !view.symbol(child).modifiers.contains(Modifiers::STATIC)
                })
                .collect();
            let open: Vec<_> = methods
                .iter()
                .copied()
                .filter(|&child| view.symbol(child).modifiers.contains(Modifiers::ABSTRACT))
                .collect();
            let index = match (methods.as_slice(), open.as_slice()) {
                ([only], _) | (_, [only]) => *only,
                _ => return None,
            };
            Some(symbol.beside(index))
        }
        _ => None,
    }
}

/// The type of a function expression's parameter, from the call it is handed to.
pub fn lambda_parameter_type(
    resolver: &Resolver,
    view: &FileView,
    lambda: ScopeId,
    context: facts::LambdaContext,
    parameter: u16,
) -> Ty {
    let inner = view.facts.scope(lambda);
    let place = Place::new(view, inner.parent, inner.span.start);
    let expected = |parameter| expected_lambda_parameter(resolver, place, context, parameter);
    let guard = Guard::Context(view.id, context.call.0);
    let ty = resolver.memo.guard(&guard, || {
        let ty = expected(parameter);
        if !has_lambda_receivers(view) {
            return ty;
        }
        // The receiver of a function type comes before its parameters.
        let has_receiver = match parameter {
            0 => lambda_receiver(&ty).is_some(),
            _ => lambda_receiver(&expected(0)).is_some(),
        };
        if has_receiver {
            expected(parameter + 1)
        } else {
            ty
        }
    });
    ty.unwrap_or(Ty::Unknown)
}

fn has_lambda_receivers(view: &FileView) -> bool {
    view.shapes().find(LAMBDA_RECEIVER).is_some()
}

/// What `this` is in a lambda that is handed to a call: `cart.apply { … }`, `build { … }`.
pub fn lambda_receiver_at(resolver: &Resolver, view: &FileView, lambda: ScopeId) -> Option<Ty> {
    let inner = view.facts.scope(lambda);
    let context = inner.context.filter(|_| has_lambda_receivers(view))?;
    let guard = Guard::Context(view.id, context.call.0);
    let place = Place::new(view, inner.parent, inner.span.start);
    let first = resolver.memo.guard(&guard, || {
        expected_lambda_parameter(resolver, place, context, 0)
    })?;
    lambda_receiver(&first).cloned()
}

fn expected_lambda_parameter(
    resolver: &Resolver,
    place: Place,
    context: facts::LambdaContext,
    parameter: u16,
) -> Ty {
    let view = place.view;
    let Some((callee, arguments)) = callee_and_arguments(resolver, place, context.call) else {
        // The text says what the function becomes.
        let expected = eval::expression(resolver, place, context.call);
        let types = signature(resolver, view, &expected);
        return types.map_or(Ty::Unknown, |types| parameter_of(&types, parameter));
    };
    let wanted = LambdaParameter {
        argument: context.argument,
        parameter,
    };
    let of_one = |callee: Ty| match &callee {
        Ty::LibraryMember(receiver, name) => {
            let (shape, binding) = library::member_of(view, receiver, name)?;
            Some(library::shape_parameter(
                resolver, shape, binding, arguments, wanted,
            ))
        }
        Ty::External(external) => {
            let shape = view.shapes().function(&external.to_string())?;
            let binding = BoundTypes::default();
            Some(library::shape_parameter(
                resolver, shape, binding, arguments, wanted,
            ))
        }
        Ty::Signature(types) => {
            let types = signature(resolver, view, types.get(context.argument as usize)?)?;
            Some(parameter_of(&types, parameter))
        }
        callee => {
            let callables = callables(resolver, callee, arguments);
            let mut types = callables.iter().map(|(callee, receiver)| {
                let call = CallOf::new(*callee, receiver.as_ref(), arguments);
                declared_lambda_parameter(resolver, call, wanted)
            });
            types.find_map(|ty| ty.filter(Ty::is_known))
        }
    };
    let mut types = callee.alternatives().into_iter().filter_map(of_one);
    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
}

/// What a call or instantiation calls, and with what.
fn callee_and_arguments<'a>(
    resolver: &Resolver,
    place: Place<'a>,
    call: RecipeId,
) -> Option<(Ty, CallArguments<'a>)> {
    let arguments = CallArguments::of(place, Some(call))?;
    let callee = match place.view.facts.recipe(call) {
        Recipe::New(ty, _) => match maker(resolver, place, ty) {
            Some(maker) => maker.into_callee(),
            None => written::written_type(resolver, place, ty).reified(),
        },
        Recipe::Call(callee, _) => eval::callee_value(resolver, place, callee),
        _ => return None,
    };
    Some((callee, arguments))
}

/// What makes an object where `new` is given no class by its name.
pub enum Maker {
    /// The value of a local variable: `const Cart = cartClass(); new Cart()`.
    Local(Ty),
    /// A signature in the type of a variable: `var Cart: { new (items: Item[]): Cart }`.
    Signature(Ty),
}

impl Maker {
    pub fn into_callee(self) -> Ty {
        match self {
            Maker::Local(callee) | Maker::Signature(callee) => callee,
        }
    }
}

pub fn maker(resolver: &Resolver, place: Place, ty: TypeId) -> Option<Maker> {
    let view = place.view;
    if !view.semantics.declarations.constructor_functions {
        return None;
    }
    let head = match view.facts.type_recipe(ty) {
        TypeRecipe::Apply(head, _) => view.facts.type_recipe(head),
        head => head,
    };
    let TypeRecipe::Name(name) = head else {
        return None;
    };
    let name = view.facts.name(name);
    let (found, _) = scopes::lookup(resolver, place, name, Space::Value);
    let is_local = matches!(found.as_slice(), [Found::Binding(..)]);
    let is_class = |found: &Found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind.is_some_and(|kind| !kind.is_value())
    };
    if found.is_empty() || found.iter().any(is_class) {
        return None;
    }
    let value = eval::name_value(resolver, place, name, Space::Value);
    let signature = match &value {
        Ty::Instance(..) => lookup::members(resolver, &value, CONSTRUCT_SIGNATURE)
            .first()
            .map(|hit| values::hit_value(resolver, hit)),
        _ => None,
    };
    match (signature, is_local) {
        (Some(signature), false) => Some(Maker::Signature(signature)),
        (Some(signature), true) => Some(Maker::Local(signature)),
        (None, true) if matches!(value, Ty::Type(..) | Ty::LibraryType(..)) => {
            Some(Maker::Local(value))
        }
        (None, true) => Some(Maker::Local(Ty::Unknown)),
        (None, false) => None,
    }
}

/// The member that says what `new` gives.
const CONSTRUCT_SIGNATURE: &str = "new";

/// The callables that calling a value may run, with their receivers, as far as they take so many
/// arguments.
fn callables(
    resolver: &Resolver,
    callee: &Ty,
    arguments: CallArguments,
) -> Vec<(SymbolId, Option<Ty>)> {
    let (view, n_arguments) = (arguments.place.view, arguments.len());
    let mut found: Vec<(SymbolId, Option<Ty>)> = match callee {
        Ty::Function(symbol, None) | Ty::Applied(symbol, None, _) => {
            return vec![(*symbol, None)];
        }
        Ty::Function(symbol, Some(receiver)) | Ty::Applied(symbol, Some(receiver), _) => {
            let name = resolver.name(*symbol);
            let hits =
                extensions::members_and_extensions(resolver, view, receiver, &name, n_arguments);
            hits.into_iter()
                .map(|hit| (hit.symbol, Some((**receiver).clone())))
                .collect()
        }
        // An object that can be called: the signatures of its interface.
        Ty::Instance(..) => lookup::members(resolver, callee, "()")
            .into_iter()
            .map(|hit| (hit.symbol, Some(hit.receiver)))
            .collect(),
        Ty::Type(symbol, _) => lookup::constructors(resolver, *symbol)
            .into_iter()
            .map(|constructor| (constructor, Some(callee.instantiated())))
            .collect(),
        _ => Vec::new(),
    };
    found.retain(|(symbol, _)| overloads::takes(resolver, *symbol, n_arguments));
    found
}

/// The type of what a call takes as its argument at a place.
pub fn expected_argument(resolver: &Resolver, place: Place, call: RecipeId, argument: u16) -> Ty {
    let Some((callee, arguments)) = callee_and_arguments(resolver, place, call) else {
        return Ty::Unknown;
    };
    let given = arguments.recipes.get(argument as usize);
    let keyword = given.and_then(|&given| arguments.keyword(given));
    let declared_by = |symbol: SymbolId, receiver: Option<&Ty>| {
        let (view, declared) = resolver.symbol(symbol)?;
        let parameters = view.parameters(&declared);
        let parameter = match keyword {
            Some(keyword) => *parameters
                .iter()
                .find(|parameter| view.facts.name(parameter.name) == keyword)?,
            None => *parameters.get(argument as usize)?,
        };
        let place = Place::inside(&view, &declared);
        let ty = written::written_type(resolver, place, parameter.ty);
        Some(match receiver {
            Some(receiver) => generics::substitute_type_args_of(resolver, &ty, receiver),
            None => ty,
        })
    };
    let of_one = |callee: Ty| {
        // `carts.push({ total: 1 })`.
        if let Ty::LibraryMember(receiver, name) = &callee {
            let (shape, binding) = library::member_of(place.view, receiver, name)?;
            return Some(binding.apply(shape.parameters.get(argument as usize)?));
        }
        let mut callables = callables(resolver, &callee, arguments);
        if callables.len() > 1 {
            let symbols = callables.iter().map(|(symbol, _)| *symbol).collect();
            let receiver = callables[0].1.as_ref();
            let chosen = overloads::choose(resolver, symbols, place, Some(call), receiver);
            callables.retain(|(symbol, _)| chosen.contains(symbol));
        }
        let mut types = callables.iter().map(|(symbol, receiver)| {
            let takes = overloads::takes(resolver, *symbol, arguments.len());
            let ty = takes.then(|| declared_by(*symbol, receiver.as_ref()));
            ty.flatten().unwrap_or(Ty::Unknown)
        });
        types.find(Ty::is_known).or_else(|| {
            let types = signature(resolver, place.view, &callee)?;
            Some(parameter_of(&types, argument))
        })
    };
    let mut types = callee.alternatives().into_iter().filter_map(of_one);
    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
}

/// The type of a lambda's parameter as the called function declares it.
fn declared_lambda_parameter(
    resolver: &Resolver,
    call: CallOf,
    wanted: LambdaParameter,
) -> Option<Ty> {
    let arguments = call.arguments;
    let (view, declared) = resolver.symbol(call.callee)?;
    let parameters = view.parameters(&declared);
    let given = arguments.recipes.get(wanted.argument as usize);
    let parameter = match given.and_then(|&given| arguments.keyword(given)) {
        Some(keyword) => parameters
            .iter()
            .find(|parameter| view.facts.name(parameter.name) == keyword)?,
        None => parameters
            .get(wanted.argument as usize)
            .or_else(|| parameters.last())?,
    };
    let place = Place::inside(&view, &declared);
    let mut ty = written::written_type(resolver, place, parameter.ty);
    if let Some(receiver) = call.receiver {
        ty = generics::substitute_type_args_of(resolver, &ty, receiver);
    }
    let types = signature(resolver, arguments.place.view, &ty)?;
    let found = parameter_of(&types, wanted.parameter);
    if !found.has_parameters() {
        return Some(found);
    }
    // Type parameters of the function itself, from its other arguments.
    let mut others = arguments.recipes.to_vec();
    if let Some(given) = others.get_mut(wanted.argument as usize) {
        *given = RecipeId::UNKNOWN;
    }
    let expected = call
        .arguments
        .call
        .map(|whole| declared_type_of(resolver, arguments.place.view, whole));
    let call = CallOf {
        arguments: CallArguments::new(arguments.place, &others),
        expected: expected.as_ref().filter(|expected| expected.is_known()),
        ..call
    };
    let inferred = generics::infer_type_args(resolver, call);
    let ty = generics::settled(resolver, found.with_arguments(call.callee, &inferred));
    (!matches!(ty, Ty::Parameter(..))).then_some(ty)
}

/// The type that the text declares for what a value is given to: a variable, a field, the result of
/// a function.
pub fn declared_type_of(resolver: &Resolver, view: &FileView, value: RecipeId) -> Ty {
    let facts = &view.facts;
    let mut bindings = facts.bindings.iter();
    let is_given = |binding: &&facts::Binding| binding.value == value && binding.ty.is_known();
    if let Some(binding) = bindings.find(is_given) {
        return written::written_type(resolver, Place::of_binding(view, binding), binding.ty);
    }
    let Some(at) = facts.values.iter().position(|given| given.recipe == value) else {
        return Ty::Unknown;
    };
    let holds = |symbol: &&facts::Symbol| {
        let start = symbol.values.start as usize;
        (start..start + symbol.values.len as usize).contains(&at) && symbol.ty.is_known()
    };
    match facts.symbols.iter().find(holds) {
        Some(symbol) => written::header_type(resolver, view, symbol, symbol.ty),
        None => Ty::Unknown,
    }
}

/// The library type that marks the receiver in a function type, before its
/// parameters: Kotlin's `T.() -> R`.
const LAMBDA_RECEIVER: &str = "this";

fn lambda_receiver(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Library(name, types) if &**name == LAMBDA_RECEIVER => types.first(),
        _ => None,
    }
}
