//! Whether the arguments of a call fit the parameters of what it calls, by number and by name.

use facts::{ArgumentCheck, Parameter, ParameterFlags, Recipe, Reference, Symbol};

use crate::FileView;

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

/// The arguments of a call, as far as they matter.
pub(super) struct PassedArguments<'a> {
    n_positional: usize,
    names: Vec<&'a str>,
    /// It is written with a type or module before its name, so that a receiver may be the first
    /// argument.
    may_pass_receiver: bool,
}

/// What a call gives; nothing where that cannot be told: no call, spread arguments, one call whose
/// several results become the arguments.
pub(super) fn given<'a>(view: &'a FileView, reference: &Reference) -> Option<PassedArguments<'a>> {
    let facts = &view.facts;
    let (Recipe::Call(_, list) | Recipe::New(_, list)) = facts.recipe(reference.call?) else {
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
    let receiver = reference.receiver.map(|receiver| facts.recipe(receiver));
    Some(PassedArguments {
        n_positional: arguments.len() - names.len(),
        names,
        may_pass_receiver: matches!(
            receiver,
            Some(
                Recipe::Name(_)
                    | Recipe::Scoped(..)
                    | Recipe::Member(..)
                    | Recipe::SelfType
                    | Recipe::Type(_)
                    | Recipe::TypeArguments(..)
            )
        ),
    })
}

/// Why arguments do not fit a callable, as its language sees it.
pub(super) fn misfit(
    view: &FileView,
    callable: &Symbol,
    given: &PassedArguments,
) -> Option<Misfit> {
    let check = view.semantics.checks.arguments;
    let all = view.facts.parameters(callable);
    let has = |parameter: &Parameter, flag| parameter.flags.contains(flag);
    let takes_receiver = all
        .iter()
        .any(|parameter| has(parameter, ParameterFlags::RECEIVER));
    let parameters = view.parameters(callable);
    let misfit = misfit_of(view, &parameters, given.n_positional, &given.names, check);
    if misfit.is_some() && takes_receiver && given.may_pass_receiver && given.n_positional > 0 {
        return misfit_of(
            view,
            &parameters,
            given.n_positional - 1,
            &given.names,
            check,
        );
    }
    misfit
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
    let needed: Vec<&Parameter> = by_position
        .iter()
        .enumerate()
        .filter(|(i, parameter)| {
            *i >= n_positional && is_needed(parameter) && !names.contains(&name_of(parameter))
        })
        .map(|(_, parameter)| *parameter)
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
