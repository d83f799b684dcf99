//! Whether the arguments of a call fit the parameters of what it calls, by number and by name.

use facts::{
    ArgumentCheck, Modifiers, Parameter, ParameterFlags, Recipe, Reference, SymbolIndex, SymbolKind,
};

use crate::{FileView, Place, Resolver, SymbolId, Ty};

/// Why a call does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    TooMany {
        given: usize,
        at_most: usize,
    },
    TooFew {
        given: usize,
        at_least: usize,
    },
    /// No parameter has this name.
    UnknownName(String),
    /// A parameter that must be given is not.
    Missing(String),
    /// A member of values is used through the type.
    NeedsValue,
}

impl Misfit {
    /// Of several callables that a call does not fit, how near one is: by the number of arguments.
    pub(super) fn nearness(&self) -> (u8, usize) {
        match self {
            Misfit::TooMany { at_most, .. } => (1, *at_most),
            Misfit::TooFew { at_least, .. } => (1, usize::MAX - at_least),
            _ => (0, 0),
        }
    }
}

/// The arguments of a call, as far as they matter, and what is in front of its name.
pub(super) struct PassedArguments<'a> {
    n_positional: usize,
    names: Vec<&'a str>,
    receiver: WrittenReceiver,
}

/// What a call names its callee on.
enum WrittenReceiver {
    /// Nothing.
    None,
    /// The supertype's view of the object: `super().total()`.
    Super,
    /// A type or module, as the separator says: `Cart::total(cart)`.
    Path,
    Value(Ty),
}

/// How a call hands over the value whose member it calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReceiverPlace {
    /// In front of the name: `cart.total(1)`.
    InFront,
    /// As the first argument: `Cart.total(cart, 1)`.
    FirstArgument,
    /// It cannot be told which.
    Open,
}

/// What a call gives; nothing where that cannot be told: no call, spread arguments, one call whose
/// several results become the arguments.
pub(super) fn given<'a>(
    resolver: &Resolver,
    view: &'a FileView,
    reference: &Reference,
) -> Option<PassedArguments<'a>> {
    let facts = &view.facts;
    if view.semantics.checks.arguments == ArgumentCheck::Never {
        return None;
    }
    let call = facts.recipe(reference.call?);
    let (Recipe::Call(_, list) | Recipe::New(_, list)) = call else {
        return None;
    };
    let arguments = facts.list(list);
    let recipes = || arguments.iter().map(|&argument| facts.recipe(argument));
    if recipes().any(|recipe| matches!(recipe, Recipe::Spread(_) | Recipe::Entry(..))) {
        return None;
    }
    if arguments.len() == 1 && recipes().any(|recipe| matches!(recipe, Recipe::Call(..))) {
        // `f(g())` passes on all that `g` returns, where a function returns several values.
        return None;
    }
    let name = |recipe| match recipe {
        Recipe::Field(name, _) => Some(facts.name(name)),
        _ => None,
    };
    let names: Vec<&str> = recipes().filter_map(name).collect();
    let is_path = || match call {
        Recipe::Call(callee, _) => match facts.recipe(callee) {
            Recipe::TypeArguments(callee, _) => {
                matches!(facts.recipe(callee), Recipe::Scoped(..))
            }
            callee => matches!(callee, Recipe::Scoped(..)),
        },
        _ => false,
    };
    let receiver = match reference.receiver {
        None => WrittenReceiver::None,
        Some(receiver) if facts.recipe(receiver) == Recipe::Super => WrittenReceiver::Super,
        Some(_) if is_path() => WrittenReceiver::Path,
        Some(receiver) => {
            WrittenReceiver::Value(resolver.eval(Place::of(view, reference), receiver))
        }
    };
    Some(PassedArguments {
        n_positional: arguments.len() - names.len(),
        names,
        receiver,
    })
}

/// Why arguments fit neither a callable nor an overload of it.
pub(super) fn misfit(
    resolver: &Resolver,
    symbol: SymbolId,
    given: &PassedArguments,
) -> Option<Misfit> {
    let (view, declared) = resolver.symbol(symbol)?;
    if declared.kind.is_type() {
        return constructor_misfit(resolver, symbol, given);
    }
    if !declared.kind.is_callable() || declared.kind == SymbolKind::Macro {
        return None;
    }
    let misfit = own_misfit(resolver, symbol, given)?;
    let is_overload = |index: &SymbolIndex| {
        let other = view.symbol(*index);
        *index != symbol.index && other.parent == declared.parent && other.kind.is_callable()
    };
    let mut overloads: Vec<SymbolId> = view
        .symbols_named(declared.name)
        .filter(is_overload)
        .map(|index| symbol.beside(index))
        .collect();
    overloads.extend(resolver.declarations_of(symbol));
    if let Some(holder) = resolver.self_type(symbol).holder() {
        let mut types = resolver.all_supertypes(holder);
        types.push(holder);
        for ty in types {
            overloads.extend(resolver.own_members(ty, view.name_of(symbol.index)).iter());
        }
    }
    let fits = |other: &SymbolId| {
        *other != symbol
            && resolver.symbol(*other).is_some()
            && own_misfit(resolver, *other, given).is_none()
    };
    (!overloads.iter().any(fits)).then_some(misfit)
}

/// Why arguments fit none of the constructors that a class has, itself or from above.
fn constructor_misfit(
    resolver: &Resolver,
    class: SymbolId,
    given: &PassedArguments,
) -> Option<Misfit> {
    let mut types = vec![class];
    types.extend(resolver.all_supertypes(class));
    let own = |ty: &SymbolId| Some(resolver.constructors(*ty)).filter(|found| !found.is_empty());
    let Some(constructors) = types.iter().find_map(own) else {
        return misfit_of_nothing(resolver, class, given);
    };
    // Several ways to make a value: they may pass arguments on to one another.
    let [constructor] = constructors.as_slice() else {
        return None;
    };
    let is_unusual = resolver.has_library_base(class) || is_annotated(resolver, class);
    if is_unusual {
        return None;
    }
    misfit_behind(resolver, *constructor, given, 0)
}

/// Why arguments do not fit the constructor that a class without one has.
fn misfit_of_nothing(
    resolver: &Resolver,
    class: SymbolId,
    given: &PassedArguments,
) -> Option<Misfit> {
    let (view, declared) = resolver.symbol(class)?;
    let is_plain = view.semantics.checks.classes_take_nothing
        && declared.kind == SymbolKind::Class
        && !declared.modifiers.contains(Modifiers::ANONYMOUS)
        && !resolver.has_library_base(class)
        && !is_annotated(resolver, class);
    let given = given.n_positional + given.names.len();
    (is_plain && given > 0).then_some(Misfit::TooMany { given, at_most: 0 })
}

fn is_annotated(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.view(symbol.file).is_some_and(|view| {
        let mut annotations = view.facts.annotations.iter();
        annotations.any(|annotation| annotation.symbol == symbol.index)
    })
}

/// Whether an annotation may give a callable other parameters than it says.
pub(super) fn is_wrapped(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return true;
    };
    let is_compiled = view.semantics.checks.implementations;
    let plain = ["staticmethod", "classmethod", "abstractmethod", "property"];
    let is_plain = |annotation: &facts::Annotation| {
        let text = crate::text::recipe(&view.facts, annotation.recipe);
        plain.contains(&text.rsplit('.').next().unwrap_or_default())
    };
    let index = symbol.index;
    let own = |annotation: &&facts::Annotation| {
        annotation.symbol == index || Some(annotation.symbol) == declared.parent
    };
    !is_compiled
        && view
            .facts
            .annotations
            .iter()
            .filter(own)
            .any(|of| !is_plain(of))
}

/// Why arguments do not fit a callable, as its language sees it.
fn own_misfit(resolver: &Resolver, symbol: SymbolId, given: &PassedArguments) -> Option<Misfit> {
    let after = |n_receivers| misfit_behind(resolver, symbol, given, n_receivers);
    match receiver_place(resolver, symbol, given) {
        ReceiverPlace::InFront => after(0),
        ReceiverPlace::FirstArgument => after(1),
        ReceiverPlace::Open => after(0).filter(|_| after(1).is_some()),
    }
}

/// Where a call of a callable gives the value that the callable is a member of.
fn receiver_place(resolver: &Resolver, symbol: SymbolId, given: &PassedArguments) -> ReceiverPlace {
    use ReceiverPlace::{FirstArgument, InFront, Open};
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Open;
    };
    let checks = &view.semantics.checks;
    let mut parameters = view.facts.parameters(&declared).iter();
    let is_written = parameters.any(|of| of.flags.contains(ParameterFlags::RECEIVER));
    let is_method = checks.methods_through_types && declared.owner.is_known();
    if !is_written && !is_method || declared.modifiers.contains(Modifiers::CLASS_METHOD) {
        return InFront;
    }
    if checks.given_receiver.contains(&view.name_of(symbol.index)) {
        return FirstArgument;
    }
    let is_extension = declared.modifiers.contains(Modifiers::EXTENSION);
    let of_value = |ty: &Ty| match ty {
        Ty::Type(..) if is_extension => FirstArgument,
        Ty::Unknown | Ty::Module(_) | Ty::External(_) | Ty::LibraryType(..) => Open,
        // A member of what the type itself is a value of: a method of its metaclass.
        Ty::Type(of, _) => {
            let holder = resolver.self_type(symbol).holder();
            let is_above = |holder| holder == *of || resolver.all_supertypes(*of).contains(&holder);
            match holder.is_none_or(is_above) {
                true => FirstArgument,
                false => InFront,
            }
        }
        _ => InFront,
    };
    match &given.receiver {
        WrittenReceiver::None if is_extension => FirstArgument,
        WrittenReceiver::None => Open,
        WrittenReceiver::Super => InFront,
        WrittenReceiver::Path => FirstArgument,
        WrittenReceiver::Value(ty) => {
            let mut places = ty.alternatives().iter().map(of_value).collect::<Vec<_>>();
            places.dedup();
            match places.as_slice() {
                [only] => *only,
                _ => Open,
            }
        }
    }
}

/// Why arguments do not fit behind so many of them that are a receiver. Numbers count what is
/// written.
fn misfit_behind(
    resolver: &Resolver,
    symbol: SymbolId,
    given: &PassedArguments,
    n_receivers: usize,
) -> Option<Misfit> {
    let (view, declared) = resolver.symbol(symbol)?;
    let check = view.semantics.checks.arguments;
    let parameters = view.parameters(&declared);
    let Some(n_positional) = given.n_positional.checked_sub(n_receivers) else {
        let n_needed = misfit_of(&view, &parameters, 0, &[], check);
        let at_least = match n_needed {
            Some(Misfit::TooFew { at_least, .. }) => at_least,
            _ => 0,
        };
        let is_checked = check != ArgumentCheck::Never && given.names.is_empty();
        return is_checked.then_some(Misfit::TooFew {
            given: 0,
            at_least: at_least + n_receivers,
        });
    };
    let misfit = misfit_of(&view, &parameters, n_positional, &given.names, check)?;
    Some(match misfit {
        Misfit::TooMany { given, at_most } => Misfit::TooMany {
            given: given + n_receivers,
            at_most: at_most + n_receivers,
        },
        Misfit::TooFew { given, at_least } => Misfit::TooFew {
            given: given + n_receivers,
            at_least: at_least + n_receivers,
        },
        misfit => misfit,
    })
}

fn misfit_of(
    view: &FileView,
    parameters: &[&Parameter],
    n_positional: usize,
    names: &[&str],
    check: ArgumentCheck,
) -> Option<Misfit> {
    if check == ArgumentCheck::Never {
        return None;
    }
    let has = |parameter: &&&Parameter, flag| parameter.flags.contains(flag);
    let any = |flag| parameters.iter().any(|parameter| has(&parameter, flag));
    let name_of = |parameter: &Parameter| view.facts.name(parameter.name);
    let takes_names = any(ParameterFlags::KEYWORD_VARIADIC);
    let by_position: Vec<&Parameter> = parameters
        .iter()
        .filter(|parameter| {
            !has(parameter, ParameterFlags::KEYWORD_ONLY)
                && !has(parameter, ParameterFlags::KEYWORD_VARIADIC)
                && !has(parameter, ParameterFlags::VARIADIC)
        })
        .copied()
        .collect();
    if check == ArgumentCheck::Exact {
        let unknown = names.iter().find(|name| {
            !parameters
                .iter()
                .any(|parameter| name_of(parameter) == **name)
        });
        if let Some(name) = unknown.filter(|_| !takes_names) {
            return Some(Misfit::UnknownName((*name).to_owned()));
        }
        if n_positional > by_position.len() && !any(ParameterFlags::VARIADIC) {
            return Some(Misfit::TooMany {
                given: n_positional,
                at_most: by_position.len(),
            });
        }
    }
    let is_needed = |parameter: &Parameter| {
        ![
            ParameterFlags::OPTIONAL,
            ParameterFlags::VARIADIC,
            ParameterFlags::KEYWORD_VARIADIC,
            ParameterFlags::BLOCK,
        ]
        .iter()
        .any(|flag| parameter.flags.contains(*flag))
    };
    // What is given by name takes no place: `total(1, tax: 2, 3)`.
    let unnamed = by_position
        .iter()
        .filter(|parameter| !names.contains(&name_of(parameter)));
    let needed: Vec<&Parameter> = unnamed
        .skip(n_positional)
        .filter(|parameter| is_needed(parameter))
        .copied()
        .collect();
    let by_name_only = parameters.iter().copied().find(|parameter| {
        has(&parameter, ParameterFlags::KEYWORD_ONLY)
            && is_needed(parameter)
            && !names.contains(&name_of(parameter))
    });
    if let Some(parameter) = by_name_only {
        return Some(Misfit::Missing(name_of(parameter).to_owned()));
    }
    let first = needed.first()?;
    Some(if names.is_empty() {
        Misfit::TooFew {
            given: n_positional,
            at_least: by_position
                .iter()
                .filter(|parameter| is_needed(parameter))
                .count(),
        }
    } else {
        Misfit::Missing(name_of(first).to_owned())
    })
}
