//! Parameters of functions, and of types that are functions.

use crate::{prelude::*, rules::*};

use super::{declarations, documented, patterns};
#[cfg(feature = "typescript")]
pub(super) const CHILDREN: &[ChildRule] = &[
    label("name"),
    value("value"),
    of_kind("decorator", Context::Value),
];

/// In a signature without a body parameters are mere words; elsewhere they are bound in the
/// function's scope.
pub(super) fn enter(walk: &mut Walk<'_>, frame: &mut Frame) {
    let are_bound = walk.ancestors().nth(1).is_some_and(are_bound_in);
    frame.context = if are_bound {
        Context::Bind(BindingKind::Parameter)
    } else {
        Context::Label
    };
}

/// Whether a function has a scope for its parameters.
pub(super) fn are_bound_in(function: &Frame) -> bool {
    function.scope.is_some()
        && !matches!(function.kind, "function_type" | "constructor_type")
        && !declarations::is_signature(function)
}

/// A list of parameters: the function around gets them; as part of a type they are a tuple of their
/// types.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent();
    let symbol = function.and_then(|function| declarations::symbol_of(walk, function));
    let is_bound = matches!(frame.context, Context::Bind(_));
    let mut types = Vec::new();
    let mut index: u16 = 0;
    for child in walk.children(frame).to_vec() {
        if child.kind == "ERROR" {
            continue;
        }
        add(walk, symbol, child, (index, is_bound));
        index = index.saturating_add(1);
        types.push(child.outcome.ty);
    }
    Some(Outcome::ty(walk.type_from(TypeRecipe::Tuple, &types)))
}

/// `x => …`.
pub(super) fn only(walk: &mut Walk<'_>, scope: ScopeId, parameter: Child) {
    let symbol = walk.scope_of(scope).owner;
    add(walk, symbol, parameter, (0, true));
}

/// Adds a parameter by its place; the flag says whether the function has a scope for it.
fn add(
    walk: &mut Walk<'_>,
    symbol: Option<SymbolIndex>,
    child: Child,
    (index, is_bound): (u16, bool),
) {
    let Outcome {
        pattern,
        recipe: default,
        ty,
        list,
        ..
    } = child.outcome;
    let mut flags = ParameterFlags::default();
    let has_default = list.len > 0 || child.kind == "assignment_pattern";
    let is_optional = child.kind == "optional_parameter" || has_default;
    flags.insert_if(ParameterFlags::OPTIONAL, is_optional);
    let text = walk.source(child.span);
    flags.insert_if(ParameterFlags::VARIADIC, text.starts_with("..."));
    let is_this = text.starts_with("this") && word_len(text) == "this".len();
    flags.insert_if(ParameterFlags::RECEIVER, is_this);
    if is_this && ty.is_known() && is_bound {
        let (this, from) = (walk.name("this"), walk.scope_start());
        let span = Span::sized(child.span.start, "this".len());
        let binding = walk.new_binding(BindingKind::Parameter, this, span);
        (binding.ty, binding.from) = (ty, from);
    }
    let ty = match symbol {
        Some(symbol) if !ty.is_known() => {
            let name = written_name(walk, child, flags);
            match walk.word(name).as_str() {
                "" => ty,
                name => documented::parameter(walk, symbol, name),
            }
        }
        _ => ty,
    };
    let name = bind(walk, child, pattern, default, ty, index);
    if let Some(symbol) = symbol {
        let name = name.unwrap_or_else(|| written_name(walk, child, flags));
        let ty = match ty {
            TypeId::UNKNOWN => expected_type(walk, index),
            _ => ty,
        };
        walk.parameter(symbol, name, ty, flags);
    }
}

/// What the declared type of a function says of its parameter.
fn expected_type(walk: &mut Walk<'_>, index: u16) -> TypeId {
    let context = walk.scope_of(walk.scope()).context.as_ref();
    let call = context.map_or(RecipeId::UNKNOWN, |context| context.call);
    if !matches!(walk.recipe_of(call), Recipe::Cast(_)) {
        return TypeId::UNKNOWN;
    }
    let call = walk.plain_call(call);
    let parameter = walk.recipe(Recipe::Parameter(call, index));
    walk.ty(TypeRecipe::Of(parameter))
}

/// Binds what a parameter's pattern binds; gives its name if it is just one.
fn bind(
    walk: &mut Walk<'_>,
    child: Child,
    pattern: Option<PatternId>,
    default: RecipeId,
    ty: TypeId,
    index: u16,
) -> Option<NameId> {
    let mut pattern = pattern?;
    let from = walk.scope_start();
    if let Pattern::Rest(inner) = walk.pattern_of(pattern) {
        pattern = *inner;
    }
    if let Pattern::Name(binding) = walk.pattern_of(pattern) {
        let binding = *binding;
        let binding = walk.binding_mut(binding);
        (binding.ty, binding.value, binding.parameter, binding.from) =
            (ty, default, Some(index), from);
        return Some(binding.name);
    }
    // A pattern takes apart a parameter without a name, which `#0` represents.
    let whole = walk.name(format!("#{index}"));
    let binding = walk.new_binding(BindingKind::Parameter, whole, Span::empty(child.span.start));
    (binding.ty, binding.value, binding.parameter, binding.from) = (ty, default, Some(index), from);
    let value = walk.recipe(Recipe::Name(whole));
    let outcome = Outcome::pattern(pattern);
    // What it is taken apart into comes after the whole.
    patterns::bind(walk, Child { outcome, ..child }, value, ty, from + 1);
    Some(walk.name(""))
}

/// The name of a parameter in a signature.
fn written_name(walk: &mut Walk<'_>, child: Child, flags: ParameterFlags) -> NameId {
    let text = walk.source(child.span).trim_start_matches('.');
    let is_this = flags.contains(ParameterFlags::RECEIVER);
    walk.name(if is_this {
        "this"
    } else {
        &text[..word_len(text)]
    })
}

/// The length of the word that a text starts with, with the dollar signs in it.
fn word_len(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    end.unwrap_or(text.len())
}

/// `name?: Type = default`, perhaps with modifiers that make it a field.
#[cfg(feature = "typescript")]
pub(super) fn typed_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, default) = (walk.outcome(frame, "type").ty, walk.child(frame, "value"));
    let Some(pattern) = walk.child(frame, "pattern") else {
        return Some(Outcome::ty(ty));
    };
    let is_property = frame.visibility != Visibility::Default
        || frame.modifiers.contains(Modifiers::FINAL)
        || frame.modifiers.contains(Modifiers::OVERRIDE);
    if is_property && pattern.kind == "identifier" {
        super::members::parameter_property(walk, frame, pattern);
    }
    let recipe = default.outcome().recipe;
    // A list of one says that there is a default, known or not.
    let list = ListRange {
        start: 0,
        len: u32::from(default.is_some()),
    };
    let outcome = pattern.outcome.with_ty(ty).with_recipe(recipe);
    Some(outcome.with_list(list))
}
