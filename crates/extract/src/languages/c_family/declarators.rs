//! Declarators: `*a[3]`, `(*f)(int)`. Going up, each wraps what the name is of, around a hole (an
//! unknown type) that the declaration's own type fills at the end.

use crate::prelude::*;

use super::{declarations, names};

/// What a function declarator turned out to be, in its frame's note.
pub(crate) const TYPE_ONLY: u32 = 0;
pub(crate) const DEFINITION: u32 = 1;
pub(crate) const PROTOTYPE: u32 = 2;
/// `Foo x(a, b);` in a body: what looks like parameters are arguments.
pub(crate) const VARIABLE: u32 = 3;
/// `TEST(Suite, name) { .. }`.
pub(crate) const TEST: u32 = 4;
/// `DISALLOW_COPY(Foo);` among members.
pub(crate) const MACRO_CALL: u32 = 5;

/// Puts a type into the hole of a declarator's.
pub(crate) fn fill(walk: &mut Walk<'_>, mut ty: TypeId, with: TypeId) -> TypeId {
    let mut spine = Vec::new();
    loop {
        let recipe = walk.type_of(ty);
        let next = match recipe {
            TypeRecipe::Pointer(inner)
            | TypeRecipe::Reference(inner)
            | TypeRecipe::Array(inner) => inner,
            TypeRecipe::Function(types) => {
                walk.type_list_of(types).last().copied().unwrap_or_default()
            }
            _ => break,
        };
        spine.push(recipe);
        ty = next;
    }
    // What is already known stays: a trailing return type, the type of a conversion.
    let mut filled = if ty.is_known() { ty } else { with };
    for recipe in spine.into_iter().rev() {
        filled = match recipe {
            TypeRecipe::Pointer(_) => walk.ty(TypeRecipe::Pointer(filled)),
            TypeRecipe::Reference(_) => walk.ty(TypeRecipe::Reference(filled)),
            TypeRecipe::Array(_) => walk.ty(TypeRecipe::Array(filled)),
            TypeRecipe::Function(types) => {
                let mut types = walk.type_list_of(types).to_vec();
                types.pop();
                types.push(filled);
                walk.type_from(TypeRecipe::Function, &types)
            }
            _ => filled,
        };
    }
    filled
}

/// The type that a declaration makes `const` and its declarator goes on from: a reference inside of a
/// pointer or reference says that, because there is no other. Only members can tell the difference.
pub(crate) fn constant(
    walk: &mut Walk<'_>,
    declaration: &Frame,
    base: TypeId,
    declarator: TypeId,
) -> TypeId {
    let semantics = walk.language.semantics;
    let is_told_apart = semantics.is_some_and(|semantics| semantics.overloads);
    let has_members = |walk: &Walk<'_>| match (walk.type_of(base), semantics) {
        (TypeRecipe::Name(name), Some(semantics)) => {
            !semantics.builtins.contains(&walk.builder.word(name))
        }
        _ => true,
    };
    let is_const = declaration.modifiers.contains(Modifiers::CONST) && is_told_apart;
    if !is_const || !base.is_known() || !declarator.is_known() || !has_members(walk) {
        return base;
    }
    walk.ty(TypeRecipe::Reference(base))
}

/// The declarator inside a declarator: by its field, or the child that is one.
fn inner(walk: &Walk<'_>, frame: &Frame) -> Outcome {
    const AROUND: [&str; 5] = [
        "type_qualifier",
        "attribute_specifier",
        "attribute_declaration",
        "ms_call_modifier",
        "ms_based_modifier",
    ];
    let is_declarator = |child: &Child| child.field.is_empty() && !AROUND.contains(&child.kind);
    let found = walk.child(frame, "declarator");
    found.or_else(|| walk.find(frame, is_declarator)).outcome()
}

/// Wraps what a declarator is of, around the hole.
pub(crate) fn wrap(walk: &mut Walk<'_>, inner: Outcome, wrap: fn(TypeId) -> TypeRecipe) -> Outcome {
    let wrapper = walk.ty(wrap(TypeId::UNKNOWN));
    let ty = fill(walk, inner.ty, wrapper);
    inner.with_ty(ty)
}

pub(crate) fn pointer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = inner(walk, frame);
    Some(wrap(walk, inner, TypeRecipe::Pointer))
}

pub(crate) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.outcome(frame, "declarator");
    Some(wrap(walk, inner, TypeRecipe::Array))
}

pub(crate) fn wrapped(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(inner(walk, frame))
}

/// The declaration that a declarator is in, and the wrappers between, innermost first.
fn declaration_around(walk: &Walk<'_>, skip: usize) -> Option<(Frame, Vec<&'static str>)> {
    const MAX_HOPS: usize = 32;
    let mut wrappers = Vec::new();
    for frame in walk.ancestors().skip(skip).take(MAX_HOPS) {
        match frame.kind {
            "pointer_declarator"
            | "reference_declarator"
            | "parenthesized_declarator"
            | "attributed_declarator"
            | "function_declarator"
            | "array_declarator"
            | "init_declarator" => wrappers.push(frame.kind),
            _ => return Some((frame.clone(), wrappers)),
        }
    }
    None
}

/// `(*f)(..)`, `(Foo::*f)(..)`: declares a pointer, not a function.
fn is_pointer(text: &str) -> bool {
    let inside = text
        .strip_prefix('(')
        .and_then(|rest| rest.split(')').next());
    inside.is_some_and(|inside| inside.contains(['*', '&', '^']))
}

pub(crate) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let name = text.split('(').next().unwrap_or("").trim();
    frame.note = match declaration_around(walk, 1) {
        Some((around, wrappers)) if !is_pointer(text) => match around.kind {
            "function_definition" if is_test(walk, &around, name) => TEST,
            "function_definition" => DEFINITION,
            "declaration" | "field_declaration" | "friend_declaration" => {
                // A block outside of any function is the body that a macro opens: `TEST_CASE("x") {`.
                let in_body =
                    matches!(
                        walk.enclosing_scope_kind(),
                        ScopeKind::Function | ScopeKind::Lambda
                    ) || matches!(walk.scope_kind(), ScopeKind::Block | ScopeKind::Branch);
                let in_type = walk.scope_kind() == ScopeKind::Type;
                if in_body && looks_like_arguments(text) {
                    VARIABLE
                } else if in_type && is_macro_name(name) && around.span.start == frame.span.start {
                    MACRO_CALL
                } else {
                    let symbol = walk.define(frame, SymbolKind::Function, around.span);
                    walk.symbol_mut(symbol).signature = around.span;
                    if wrappers.contains(&"function_declarator") {
                        // The function type around its name has a scope that holds nothing else.
                        let outer = walk.scope_of(walk.scope()).parent;
                        let in_body = in_body && walk.scope_of(outer).kind != ScopeKind::File;
                        let symbol = walk.symbol_mut(symbol);
                        symbol.declared_in = outer;
                        symbol.modifiers = if in_body {
                            symbol.modifiers
                        } else {
                            Modifiers::default()
                        };
                    }
                    if walk.ancestor_is(wrappers.len() + 2, &["friend_declaration"]) {
                        declarations::move_out_of_class(walk, symbol);
                    }
                    PROTOTYPE
                }
            }
            _ => TYPE_ONLY,
        },
        _ => TYPE_ONLY,
    };
    if matches!(frame.note, PROTOTYPE | TYPE_ONLY | VARIABLE | MACRO_CALL) {
        let owner = frame.symbol;
        frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, owner));
    }
}

/// The parameters of a lambda belong to it; others only say a type.
pub(crate) fn enter_abstract_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.note = TYPE_ONLY;
    if !walk.ancestor_is(1, &["lambda_expression"]) {
        frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, None));
    }
}

/// Whether a definition is a macro that represents a function named after its arguments: one of
/// the known test frameworks, or one in capitals that says so, where a type would be.
pub(crate) fn is_test(walk: &Walk<'_>, definition: &Frame, name: &str) -> bool {
    let says_so = is_macro_name(name) && name.contains("TEST");
    TEST_MACROS.contains(&name) || says_so && walk.child(definition, "type").is_none()
}

/// Whether the function that a macro represents is a member of the fixture among its arguments.
pub(crate) fn has_fixture(name: &str) -> bool {
    FIXTURE_MACROS.contains(&name) || name.contains("FIXTURE")
}

#[rustfmt::skip]
const FIXTURE_MACROS: &[&str] = &[
    "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "BENCHMARK_F", "BOOST_FIXTURE_TEST_CASE",
];

#[rustfmt::skip]
const TEST_MACROS: &[&str] = &[
    "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "FRIEND_TEST", "TEST_CASE",
    "TEST_CASE_METHOD", "SCENARIO", "BOOST_AUTO_TEST_CASE", "BOOST_FIXTURE_TEST_CASE",
    "BOOST_DATA_TEST_CASE", "FUZZ_TARGET", "BENCHMARK_F", "BENCHMARK_DEFINE_F", "TEST_METHOD",
    "SUBCASE",
];

pub(crate) fn is_macro_name(name: &str) -> bool {
    name.len() > 2
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a list in parentheses holds values: none of its parts has the look of a parameter.
fn looks_like_arguments(text: &str) -> bool {
    const TYPES: [&str; 10] = [
        "void", "int", "char", "bool", "double", "float", "long", "short", "unsigned", "size_t",
    ];
    let (name, list) = text.split_once('(').unwrap_or(("", ""));
    let list = list.rsplit_once(')').map_or(list, |(list, _)| list).trim();
    if list.is_empty() || name.trim().is_empty() {
        return false;
    }
    list.split(',').map(str::trim).all(|part| {
        !TYPES.contains(&part) && !part.contains(char::is_whitespace) && !part.ends_with(['*', '&'])
    })
}

/// A word among the arguments of a test macro: the name of the test, its fixture, or nothing.
pub(crate) fn test_argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declarator = walk
        .ancestors()
        .nth(2)
        .filter(|declarator| declarator.kind == "function_declarator" && declarator.note == TEST)?
        .span;
    let list = walk
        .ancestors()
        .nth(1)
        .filter(|list| list.kind == "parameter_list")?
        .span;
    let is_first = walk.skip_space(list.start + 1, list.end) == frame.span.start;
    let text = walk.source(declarator);
    let names_fixture = text.contains("FIXTURE") && !text.starts_with("BOOST");
    let has_fixture = names_fixture || text.contains("_F(") || text.contains("_P(");
    if is_first && (has_fixture || text.starts_with("TYPED")) {
        return None;
    }
    walk.label(frame.span);
    Some(Outcome::NONE)
}

pub(crate) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declarator = inner(walk, frame);
    let parameters = walk.child(frame, "parameters");
    let mut types = match parameters.map(|parameters| walk.type_of(parameters.outcome.ty)) {
        Some(TypeRecipe::Tuple(types)) => walk.type_list_of(types).to_vec(),
        _ => Vec::new(),
    };
    let trailing = walk.outcome_of_kind(frame, "trailing_return_type").ty;
    match frame.note {
        VARIABLE | MACRO_CALL => {
            let arguments = parameters.map_or(frame.span, |parameters| parameters.span);
            return Some(arguments_instead(walk, frame, declarator, arguments));
        }
        PROTOTYPE => prototype(walk, frame, declarator, trailing),
        DEFINITION | TEST => {
            if let Some(symbol) = walk.current_symbol() {
                let modifiers = postfix_modifiers(walk, frame);
                walk.mark(symbol, modifiers);
            }
        }
        _ => {}
    }
    types.push(trailing);
    let own = walk.type_from(TypeRecipe::Function, &types);
    let ty = fill(walk, declarator.ty, own);
    Some(declarator.with_ty(ty))
}

/// `override`, `final`.
fn postfix_modifiers(walk: &Walk<'_>, frame: &Frame) -> Modifiers {
    let mut modifiers = Modifiers::default();
    for child in walk.filter(frame, |child| child.kind == "virtual_specifier") {
        let is_final = walk.source(child.span) == "final";
        modifiers.insert_if(Modifiers::FINAL, is_final);
        modifiers.insert_if(Modifiers::OVERRIDE, !is_final);
    }
    modifiers
}

/// What was read as parameter types are values.
fn arguments_instead(
    walk: &mut Walk<'_>,
    frame: &Frame,
    declarator: Outcome,
    arguments: Span,
) -> Outcome {
    let mut values = Vec::new();
    for reference in walk.references_since_mut(arguments.start) {
        if reference.role == Role::TypeUse {
            reference.role = Role::Read;
        }
        if reference.receiver.is_none() {
            values.push(reference.name);
        }
    }
    let names = values.into_iter().rev();
    let values: Vec<_> = names.map(|name| walk.recipe(Recipe::Name(name))).collect();
    let list = walk.list(&values);
    if frame.note == MACRO_CALL {
        if let Some(name) = names::place(declarator) {
            let reference = walk.reference(name, Role::Call, None);
            let word = walk.name_at(name);
            let callee = walk.recipe(Recipe::Name(word));
            shared::call_of(walk, Outcome::named(callee, reference), list);
        }
        return Outcome::NONE;
    }
    let recipe = walk.recipe(Recipe::Tuple(list));
    declarator.with_recipe(recipe)
}

/// A function that is declared here and defined elsewhere, or a member.
fn prototype(walk: &mut Walk<'_>, frame: &Frame, declarator: Outcome, trailing: TypeId) {
    let around = declaration_around(walk, 0);
    let (Some(symbol), Some(name), Some((around, wrappers))) =
        (frame.symbol, names::place(declarator), around)
    else {
        return;
    };
    let mut result = walk.outcome(&around, "type").ty;
    let is_wrapped =
        |wrapper: &str| matches!(wrapper, "pointer_declarator" | "reference_declarator");
    if wrappers.iter().any(|wrapper| is_wrapped(wrapper)) {
        result = constant(walk, &around, result, result);
    }
    for wrapper in wrappers.iter().rev() {
        result = match *wrapper {
            "pointer_declarator" => walk.ty(TypeRecipe::Pointer(result)),
            "reference_declarator" => walk.ty(TypeRecipe::Reference(result)),
            _ => result,
        };
    }
    if trailing.is_known() {
        result = trailing;
    } else if wrappers.contains(&"function_declarator") {
        // A function that returns a pointer to a function.
        result = TypeId::UNKNOWN;
    }
    let owner = names::owner_of(walk, declarator);
    declarations::finish_function(walk, symbol, &around, name, owner, result);
    let modifiers = postfix_modifiers(walk, frame);
    let symbol = walk.symbol_mut(symbol);
    symbol.modifiers.insert(modifiers | Modifiers::PROTOTYPE);
}

/// Numbers the parameters and hands their types up.
pub(crate) fn parameter_list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let owner = parameter_owner(walk, 0);
    let mut types = Vec::with_capacity(children.len());
    let mut index: usize = 0;
    for child in &children {
        if child.kind == "variadic_parameter" {
            add_variadic(walk, owner);
            continue;
        }
        let pattern = child
            .outcome
            .pattern
            .map(|pattern| walk.pattern_of(pattern));
        if let Some(&Pattern::Name(binding)) = pattern {
            let from = walk.scope_start();
            let binding = walk.binding_mut(binding);
            binding.parameter = Some(index.min(u16::MAX as usize) as u16);
            if child.kind == "identifier" {
                // Old-style definitions give the types below.
                binding.from = from;
                let name = binding.name;
                if let Some(owner) = owner {
                    walk.parameter(owner, name, TypeId::UNKNOWN, ParameterFlags::default());
                }
            }
        }
        if child.kind.contains("parameter") && !is_void(walk, child) {
            types.push(child.outcome.ty);
            index += 1;
        } else if child.kind == "identifier" {
            index += 1;
        }
    }
    let text = walk.source(frame.span);
    let variadic = walk.find(frame, |child| child.kind.starts_with("variadic_parameter"));
    if text.trim_end_matches(')').trim_end().ends_with("...") && variadic.is_none() {
        add_variadic(walk, owner);
    }
    Some(Outcome::ty(walk.type_from(TypeRecipe::Tuple, &types)))
}

fn add_variadic(walk: &mut Walk<'_>, owner: Option<SymbolIndex>) {
    if let Some(owner) = owner {
        let name = walk.name("");
        walk.parameter(owner, name, TypeId::UNKNOWN, ParameterFlags::VARIADIC);
    }
}

/// `(void)` declares no parameter.
fn is_void(walk: &Walk<'_>, parameter: &Child) -> bool {
    walk.source(parameter.span) == "void"
}

/// The symbol whose parameters are being walked; the list is `skip` open nodes further in.
fn parameter_owner(walk: &Walk<'_>, skip: usize) -> Option<SymbolIndex> {
    let declarator = walk.ancestors().nth(skip)?;
    match declarator.note {
        DEFINITION if declarator.kind == "function_declarator" => walk.current_symbol(),
        PROTOTYPE if declarator.kind == "function_declarator" => declarator.symbol,
        _ => None,
    }
}

pub(crate) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.outcome(frame, "type").ty;
    let declarator = walk.outcome(frame, "declarator");
    let base = shared::declared(walk, base);
    let base = constant(walk, frame, base, declarator.ty);
    let ty = fill(walk, declarator.ty, base);
    let list = walk.parent()?;
    if list.kind == "template_parameter_list" {
        return Some(declarator.with_ty(ty));
    }
    let around = walk
        .ancestors()
        .nth(1)
        .map_or(("", TYPE_ONLY), |around| (around.kind, around.note));
    if around.0 == "function_declarator" && matches!(around.1, VARIABLE | MACRO_CALL | TEST) {
        return None;
    }
    let default = walk.child(frame, "default_value");
    let mut flags = ParameterFlags::default();
    flags.insert_if(ParameterFlags::OPTIONAL, default.is_some());
    let is_variadic = frame.kind == "variadic_parameter_declaration";
    flags.insert_if(ParameterFlags::VARIADIC, is_variadic);
    let place = names::place(declarator);
    if place.is_none() && walk.source(frame.span) == "void" {
        return None;
    }
    let name = match place {
        Some(place) => walk.name_at(place),
        None => walk.name(""),
    };
    if let Some(owner) = parameter_owner(walk, 1) {
        walk.parameter(owner, name, ty, flags);
    }
    let Some(place) = place else {
        return Some(Outcome::ty(ty));
    };
    let from = walk.scope_start();
    let kind = match around.0 {
        "catch_clause" => BindingKind::Caught,
        _ => BindingKind::Parameter,
    };
    let pattern = walk.bound_name(kind, place);
    walk.bind_pattern(pattern, default.outcome().recipe, ty, from);
    Some(Outcome::ty(ty).with_pattern((kind == BindingKind::Parameter).then_some(pattern)))
}
