//! Parameters of functions, and of types that are functions.

use facts::{
    BindingKind, NameId, ParameterFlags, Recipe, RecipeId, ScopeId, Span, SymbolIndex, TypeId,
    TypeRecipe,
};

use super::{documented, patterns};
#[cfg(feature = "typescript")]
use crate::rules::{ChildRule, label, of_kind, value};
use crate::{
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

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
    function.scope.is_some() && !matches!(function.kind, "function_type" | "constructor_type")
}

/// A list of parameters: the function around gets them; as part of a type they are a tuple of their
/// types.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent().map(|parent| (parent.symbol, parent.scope));
    let symbol =
        function.and_then(|(symbol, scope)| symbol.or_else(|| walk.scope_of(scope?).owner));
    let mut types = Vec::new();
    let mut index: u16 = 0;
    for child in walk.children(frame).to_vec() {
        if child.kind == "ERROR" {
            continue;
        }
        add(walk, symbol, child, index);
        index = index.saturating_add(1);
        types.push(child.outcome.ty);
    }
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Tuple(types))
}

/// `x => …`.
pub(super) fn only(walk: &mut Walk<'_>, scope: ScopeId, parameter: Child) {
    let symbol = walk.scope_of(scope).owner;
    add(walk, symbol, parameter, 0);
}

fn add(walk: &mut Walk<'_>, symbol: Option<SymbolIndex>, child: Child, index: u16) {
    let Outcome {
        pattern,
        recipe: default,
        ty,
        list,
        ..
    } = child.outcome;
    let mut flags = ParameterFlags::default();
    let has_default = list.len > 0 || child.kind == "assignment_pattern";
    if child.kind == "optional_parameter" || has_default {
        flags.insert(ParameterFlags::OPTIONAL);
    }
    let text = walk.source(child.span);
    let is_rest = text.starts_with("...");
    if is_rest {
        flags.insert(ParameterFlags::VARIADIC);
    }
    if text.starts_with("this")
        && !text[4..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
    {
        flags.insert(ParameterFlags::RECEIVER);
    }
    let ty = match symbol {
        Some(symbol) if !ty.is_known() => {
            let name = written_name(walk, child, flags);
            let name = walk.word(name);
            if name.is_empty() {
                ty
            } else {
                documented::parameter(walk, symbol, &name)
            }
        }
        _ => ty,
    };
    let name = bind(walk, child, pattern, default, ty, index);
    if let Some(symbol) = symbol {
        let name = match name {
            Some(name) => name,
            None => written_name(walk, child, flags),
        };
        let ty = if ty.is_known() {
            ty
        } else {
            expected_type(walk, index)
        };
        walk.parameter(symbol, name, ty, flags);
    }
}

/// What the declared type of a function says of its parameter.
fn expected_type(walk: &mut Walk<'_>, index: u16) -> TypeId {
    let Some(context) = walk.scope_of(walk.scope()).context else {
        return TypeId::UNKNOWN;
    };
    if !matches!(walk.recipe_of(context.call), Recipe::Cast(_)) {
        return TypeId::UNKNOWN;
    }
    let call = walk.recipe(Recipe::Call(context.call, facts::ListRange::default()));
    let parameter = walk.recipe(Recipe::Parameter(call, index));
    walk.ty(TypeRecipe::Of(parameter))
}

/// Binds what a parameter's pattern binds; gives its name if it is just one.
fn bind(
    walk: &mut Walk<'_>,
    child: Child,
    pattern: Option<crate::walk::PatternId>,
    default: RecipeId,
    ty: TypeId,
    index: u16,
) -> Option<NameId> {
    let mut pattern = pattern?;
    let from = walk.scope_of(walk.scope()).span.start;
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
    let binding = walk.new_binding(
        BindingKind::Parameter,
        whole,
        Span::new(child.span.start, child.span.start),
    );
    (binding.ty, binding.value, binding.parameter, binding.from) = (ty, default, Some(index), from);
    let value = walk.recipe(Recipe::Name(whole));
    let outcome = Outcome {
        pattern: Some(pattern),
        ..Outcome::NONE
    };
    // What it is taken apart into comes after the whole.
    patterns::bind(walk, Child { outcome, ..child }, value, ty, from + 1);
    Some(walk.name(""))
}

/// The name of a parameter in a signature.
fn written_name(walk: &mut Walk<'_>, child: Child, flags: ParameterFlags) -> NameId {
    let text = walk.source(child.span).trim_start_matches('.');
    let len = text
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .unwrap_or(text.len());
    let word = if flags.contains(ParameterFlags::RECEIVER) {
        "this"
    } else {
        &text[..len]
    };
    walk.name(word)
}

/// `name?: Type = default`, perhaps with modifiers that make it a field.
#[cfg(feature = "typescript")]
pub(super) fn typed_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, default) = (walk.outcome(frame, "type").ty, walk.child(frame, "value"));
    let Some(pattern) = walk.child(frame, "pattern") else {
        return Some(Outcome::ty(ty));
    };
    let is_property = frame.visibility != facts::Visibility::Default
        || frame.modifiers.contains(facts::Modifiers::FINAL)
        || frame.modifiers.contains(facts::Modifiers::OVERRIDE);
    if is_property && pattern.kind == "identifier" {
        super::members::parameter_property(walk, frame, pattern);
    }
    let recipe = default.map_or(RecipeId::UNKNOWN, |default| default.outcome.recipe);
    // A list of one says that there is a default, known or not.
    let list = facts::ListRange {
        start: 0,
        len: u32::from(default.is_some()),
    };
    Some(Outcome {
        ty,
        recipe,
        list,
        ..pattern.outcome
    })
}
