//! What is declared in Kotlin: packages, types, functions, properties, parameters.

use crate::prelude::*;

use super::{
    expressions::{read, this_or_super_word},
    types::{is_type, is_variable, name_at, named, type_child},
};

// The file.

/// `package a.b` is a namespace that holds everything after it.
pub(super) fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).last().copied()?;
    shared::package(walk, frame, plain_path(walk.source(name.span)), name.span);
    None
}
/// A dotted name without space and backticks.
fn plain_path(path: &str) -> String {
    path.replace(|c: char| c.is_whitespace() || c == '`', "")
}

/// `import a.b.C as D`, `import a.b.*`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.child_of_kind(frame, "qualified_identifier")?;
    let glob = walk.source(frame.span).trim_end_matches(';').ends_with('*');
    let alias = walk.child_of_kind(frame, "identifier");
    let alias_span = alias.map(|alias| alias.span);
    let (module, name_span) = shared::import_path(walk, path.span, glob);
    let module = walk.name(plain_path(module));
    let item = (!glob).then(|| name_at(walk, name_span));
    let local = alias_span.map(|alias| name_at(walk, alias)).or(item);
    let import = walk.new_import(shared::import_kind(glob), module, frame.span, name_span);
    (import.item, import.local, import.alias_span) = (item, local, alias_span);
    None
}

// Types.

/// Names an open symbol and ends its signature where the first child of one of these kinds starts.
fn finish_declaration(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: Option<Child>,
    bodies: &[&str],
) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    if let Some(name) = name {
        let word = name_at(walk, name.span);
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span) = (word, name.span);
    }
    let body = walk.find(frame, |child| bodies.contains(&child.kind));
    let found = walk.symbol_mut(symbol);
    found.signature.end = body.map_or(frame.span.end, |body| body.span.start);
    found.modifiers.insert(frame.modifiers);
    found.visibility = frame.visibility;
    shared::mark_local(walk, symbol);
    Some(symbol)
}

pub(super) fn type_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    finish_declaration(walk, frame, name, &["class_body", "enum_class_body"]);
    None
}

/// `class` and `interface` share a node; the word tells them apart.
pub(super) fn interface_word(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    let class = walk
        .parent()
        .filter(|parent| parent.kind == "class_declaration")?;
    walk.symbol_mut(class.symbol?).kind = SymbolKind::Interface;
    None
}

pub(super) fn class_modifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.ancestors().nth(1)?;
    if class.kind == "class_declaration" && walk.source(frame.span) == "enum" {
        walk.symbol_mut(class.symbol?).kind = SymbolKind::Enum;
    }
    None
}

/// A companion's members are reached through the class around it. Without a name it is called
/// `Companion`.
pub(super) fn companion(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let symbol = finish_declaration(walk, frame, name, &["class_body"])?;
    if name.is_none() {
        let word = walk.child_of_kind(frame, "companion");
        let name_span = word.map_or(frame.span, |word| word.span);
        shared::name_symbol_as(walk, symbol, "Companion", name_span);
    }
    walk.mark(symbol, Modifiers::STATIC);
    None
}

/// `object : Foo() { ... }` is a class without a name.
pub(super) fn enter_object_literal(walk: &mut Walk<'_>, frame: &mut Frame) {
    let span = frame.span;
    let symbol = walk.define(frame, SymbolKind::Class, span);
    walk.mark(symbol, Modifiers::ANONYMOUS);
    frame.scope = Some(walk.new_scope(ScopeKind::Type, span, Some(symbol)));
}

pub(super) fn object_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish_declaration(walk, frame, None, &["class_body"])?;
    walk.value_of(Recipe::Symbol(symbol))
}

/// The body of an enum entry is a class without a name, below the enum.
pub(super) fn enter_class_body(walk: &mut Walk<'_>, frame: &mut Frame) {
    let entry = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "enum_entry");
    if let Some((start, entry)) = entry.map(|entry| (entry.span.start, entry.symbol)) {
        let name = entry.and_then(|entry| shared::open_name(walk, entry));
        let name = name.map(|name| name_at(walk, name));
        let ty = name.map_or(TypeId::UNKNOWN, |name| walk.ty(TypeRecipe::Name(name)));
        shared::define_anonymous_class(walk, frame, start, ty);
    }
}

/// An entry is made by the enum's constructor; the reference to it is at its arguments.
pub(super) fn enum_entry(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier");
    let symbol = finish_declaration(walk, frame, name, &["class_body"])?;
    let name = shared::open_name(walk, symbol)?;
    let name = name_at(walk, name);
    let arguments = walk.child_of_kind(frame, "value_arguments");
    shared::enum_constant(walk, frame, name, arguments);
    None
}
/// `: Base(1)` is a class and a call of its constructor; `: Iface`, `: Iface by x` are interfaces.
pub(super) fn supertype(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.children(frame).last().copied()?;
    let symbol = walk.current_symbol()?;
    let ty = base.outcome.ty;
    if !ty.is_known() {
        return None;
    }
    let constructed = base.kind == "constructor_invocation";
    let extends = constructed || walk.symbol(symbol).kind == SymbolKind::Interface;
    let how = if extends {
        Inherit::Extends
    } else {
        Inherit::Implements
    };
    walk.supertype(symbol, ty, how);
    walk.set_role(base.outcome, Role::Inherit);
    if constructed {
        shared::base_call(walk, base.outcome, base.outcome.list);
    }
    None
}

/// `Type(arguments)` of a supertype or an annotation.
pub(super) fn constructor_invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.find(frame, is_type).outcome();
    let list = walk.outcome_of_kind(frame, "value_arguments").list;
    Some(ty.with_list(list))
}

pub(super) fn type_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, ty) = (walk.child(frame, "type"), type_child(walk, frame));
    if let Some(symbol) = finish_declaration(walk, frame, name, &[]) {
        walk.symbol_mut(symbol).ty = ty;
    }
    None
}

pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let name = walk.child_of_kind(frame, "identifier")?;
    let bound = type_child(walk, frame);
    let bounds = shared::bounds(walk, bound);
    let word = name_at(walk, name.span);
    walk.type_parameter(symbol, word, name.span, bounds);
    None
}

/// `where T : Foo` adds a bound.
pub(super) fn type_constraint(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    // A declaration has few type parameters, and they are the last that were met.
    const MAX_LOOK_BACK: usize = 32;
    let symbol = walk.current_symbol()?;
    let name = walk.child_of_kind(frame, "identifier")?;
    let (name, bound) = (name_at(walk, name.span), type_child(walk, frame));
    let all = &walk.builder.type_parameters;
    let recent = all.len().saturating_sub(MAX_LOOK_BACK);
    let mut parameters = all[recent..].iter();
    let place = parameters.rposition(|(of, own)| *of == symbol && own.name == name)?;
    let index = recent + place;
    let mut bounds = walk.type_list_of(all[index].1.bounds).to_vec();
    bounds.push(bound);
    walk.builder.type_parameters[index].1.bounds = walk.type_list(&bounds);
    None
}

// Modifiers and annotations.

/// Annotations belong to the declaration around; the keywords go there by themselves. Their recipes
/// are handed up as a list.
pub(super) fn modifiers(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let annotations = walk.filter(frame, |child| child.kind == "annotation");
    let lists = annotations.iter().map(|annotation| annotation.outcome.list);
    let recipes: Vec<RecipeId> = lists.flat_map(|list| walk.list_of(list).to_vec()).collect();
    let list = walk.list(&recipes);
    let Some(symbol) = walk.parent_symbol() else {
        return Some(Outcome::list(list));
    };
    for annotation in annotations {
        for recipe in walk.list_of(annotation.outcome.list).to_vec() {
            walk.annotation(symbol, recipe, annotation.span);
            mark(walk, symbol, recipe);
        }
    }
    let start = match walk.find(frame, |child| child.kind != "annotation") {
        Some(modifier) => modifier.span.start,
        None => walk.skip_space(frame.span.end, walk.text.len() as u32),
    };
    walk.symbol_mut(symbol).signature.start = start;
    Some(Outcome::list(list))
}

/// What some annotations say about a symbol.
fn mark(walk: &mut Walk<'_>, symbol: SymbolIndex, annotation: RecipeId) {
    let modifier = match shared::last_word(walk, annotation) {
        "Deprecated" => Modifiers::DEPRECATED,
        "JvmStatic" => Modifiers::STATIC,
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" => Modifiers::TEST,
        _ => return,
    };
    walk.mark(symbol, modifier);
}

/// `@Foo`, `@field:Foo("x", key = 1)`, `@[A B]`: names, or calls of them, as a list.
pub(super) fn annotation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut recipes = Vec::new();
    for child in walk.children(frame).to_vec() {
        if child.outcome.ty.is_known() {
            let is_call = child.kind == "constructor_invocation";
            let arguments = is_call.then_some(child.outcome.list);
            recipes.push(walk.annotate(child.outcome, arguments));
        }
    }
    let list = walk.list(&recipes);
    Some(Outcome::list(list))
}

// Functions and their parameters.

pub(super) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(symbol) = frame.symbol else { return };
    let declared_in = walk.symbol(symbol).declared_in;
    if walk.scope_of(declared_in).kind == ScopeKind::Type {
        walk.symbol_mut(symbol).kind = SymbolKind::Method;
    }
}

/// `fun <T> Receiver.name(parameters): Result`: the type before the name is the receiver's, the one
/// after the parameters the result's.
pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let symbol = finish_declaration(walk, frame, name, &["function_body"])?;
    let name_start = name.map_or(frame.span.end, |name| name.span.start);
    let receiver = walk.find(frame, |child| {
        is_type(child) && child.span.end <= name_start
    });
    let result = walk
        .find(frame, |child| {
            is_type(child) && child.span.start > name_start
        })
        .outcome()
        .ty;
    walk.symbol_mut(symbol).ty = result;
    extend(walk, symbol, receiver);
    let has_body = walk.child_of_kind(frame, "function_body").is_some();
    if !has_body && walk.parent_kind(symbol) == Some(SymbolKind::Interface) {
        walk.mark(symbol, Modifiers::ABSTRACT);
    }
    None
}

fn extend(walk: &mut Walk<'_>, symbol: SymbolIndex, receiver: Option<Child>) {
    if let Some(receiver) = receiver {
        let found = walk.symbol_mut(symbol);
        found.owner = receiver.outcome.ty;
        found.modifiers.insert(Modifiers::EXTENSION);
    }
}

pub(super) fn secondary_constructor(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "constructor");
    // What it hands to another constructor is no part of how it is called.
    finish_declaration(walk, frame, name, &["constructor_delegation_call", "block"]);
    None
}

/// `: this(...)`, `: super(...)`.
pub(super) fn delegation_call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let arguments = walk.outcome_of_kind(frame, "value_arguments").list;
    let (recipe, word) = this_or_super_word(walk, frame.span)?;
    let reference = walk.reference(word, Role::Call, Some(recipe));
    let callee = Outcome::named(recipe, reference);
    Some(shared::call_of(walk, callee, arguments))
}

/// A body after `=` is what the function gives.
pub(super) fn function_body(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.children(frame).last().copied()?;
    if body.kind != "block" || walk.source(frame.span).starts_with('=') {
        shared::returned(walk, body.outcome.recipe, frame.span.end);
    }
    None
}

/// A parameter of a function is bound; one in a function type only has a name.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = type_child(walk, frame);
    let Some(name) = walk.child_of_kind(frame, "identifier") else {
        return Some(Outcome::ty(ty));
    };
    if !walk.parent_is(&["function_value_parameters"]) {
        walk.label(name.span);
        return Some(Outcome::ty(ty));
    }
    let pattern = bound(walk, BindingKind::Parameter, name.span, ty);
    Some(Outcome::ty(ty).with_pattern(pattern))
}

fn bound(walk: &mut Walk<'_>, kind: BindingKind, name_span: Span, ty: TypeId) -> PatternId {
    let name = name_at(walk, name_span);
    let binding = walk.bind(kind, name, name_span);
    walk.binding_mut(binding).ty = ty;
    walk.pattern(Pattern::Name(binding))
}

/// Gives the parameters their places, defaults and flags. A default is after its parameter,
/// modifiers before it.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent_symbol();
    let children = walk.children(frame).to_vec();
    let mut index: u16 = 0;
    for (i, child) in children.iter().enumerate() {
        let Some(pattern) = child.outcome.pattern.filter(|_| child.kind == "parameter") else {
            continue;
        };
        let Some(binding) = walk.bindings_in(pattern).first().copied() else {
            continue;
        };
        let before = children[..i]
            .last()
            .filter(|before| before.kind == "parameter_modifiers");
        let after = children.get(i + 1);
        let default =
            after.filter(|after| !matches!(after.kind, "parameter" | "parameter_modifiers"));
        let mut flags = ParameterFlags::default();
        let mut ty = child.outcome.ty;
        if before.is_some_and(|before| is_vararg(walk, before)) {
            flags.insert(ParameterFlags::VARIADIC);
            ty = array_of(walk, ty);
        }
        flags.insert_if(ParameterFlags::OPTIONAL, default.is_some());
        place_parameter(walk, binding, index, ty, default.outcome().recipe);
        if let Some(function) = function {
            let name = walk.binding(binding).name;
            walk.parameter(function, name, ty, flags);
        }
        index = index.saturating_add(1);
    }
    None
}

fn is_vararg(walk: &Walk<'_>, modifiers: &Child) -> bool {
    let mut words = walk.source(modifiers.span).split_whitespace();
    words.any(|word| word == "vararg")
}

/// Inside, `vararg xs: T` is an array.
fn array_of(walk: &mut Walk<'_>, ty: TypeId) -> TypeId {
    let array = named(walk, "Array");
    walk.applied_type(array, &[ty])
}

pub(super) fn place_parameter(
    walk: &mut Walk<'_>,
    binding: BindingId,
    index: u16,
    ty: TypeId,
    default: RecipeId,
) {
    let from = walk.scope_start();
    let binding = walk.binding_mut(binding);
    (binding.parameter, binding.from, binding.ty, binding.value) = (Some(index), from, ty, default);
}

/// A parameter of the primary constructor: with `val` or `var` a property, else seen by the
/// initialisers.
pub(super) fn class_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let name = walk.child_of_kind(frame, "identifier")?;
    let last = children.last().copied();
    let default = last.filter(|last| last.span.start > name.span.start && !is_type(last));
    let default = default.map_or(RecipeId::UNKNOWN, |default| read(walk, default).recipe);
    let (ty, word) = (type_child(walk, frame), name_at(walk, name.span));
    if !frame.modifiers.contains(Modifiers::FINAL) && !frame.modifiers.contains(Modifiers::MUTABLE)
    {
        let binding = walk.new_binding(BindingKind::Parameter, word, name.span);
        (binding.ty, binding.value) = (ty, default);
    } else {
        let symbol = walk.new_symbol(SymbolKind::Property, frame.span);
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span, found.ty) = (word, name.span, ty);
        found.visibility = frame.visibility;
        walk.mark(symbol, frame.modifiers | Modifiers::CONSTRUCTOR_PARAMETER);
        walk.value(symbol, default, frame.span.end);
        if let Some(modifiers) = walk.child_of_kind(frame, "modifiers") {
            for recipe in walk.list_of(modifiers.outcome.list).to_vec() {
                walk.annotation(symbol, recipe, modifiers.span);
            }
        }
    }
    // The class carries the parameters of its primary constructor.
    let mut flags = ParameterFlags::default();
    let is_optional = default.is_known() || walk.source(frame.span).contains('=');
    flags.insert_if(ParameterFlags::OPTIONAL, is_optional);
    let modifiers = walk.child_of_kind(frame, "modifiers");
    let vararg = modifiers.is_some_and(|modifiers| is_vararg(walk, &modifiers));
    flags.insert_if(ParameterFlags::VARIADIC, vararg);
    if let Some(class) = walk.current_symbol() {
        walk.parameter(class, word, ty, flags);
    }
    None
}

/// Parameters that are no properties are known from the start of the class.
pub(super) fn class_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = walk.scope();
    let from = walk.scope_of(scope).span.start;
    for binding in walk.facts_mut().bindings.iter_mut().rev() {
        if binding.name_span.start < frame.span.start {
            break;
        }
        if binding.scope == scope && binding.kind == BindingKind::Parameter {
            binding.from = from;
        }
    }
    None
}

// Properties and variables.

/// Directly inside a type or file it is a property; anywhere else a local variable.
pub(super) fn enter_property(walk: &mut Walk<'_>, frame: &mut Frame) {
    use ScopeKind::{File, Namespace, Type};
    if matches!(walk.scope_kind(), Type | File | Namespace) {
        walk.define(frame, SymbolKind::Property, frame.span);
    }
}

pub(super) fn property(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let position = children.iter().position(is_variable)?;
    walk.take_narrowings();
    let (before, declared) = (&children[..position], children[position]);
    let value = children[position + 1..]
        .iter()
        .find(|child| !matches!(child.kind, "type_constraints" | "getter" | "setter"));
    let recipe = value.outcome().recipe;
    if let Some(pattern) = declared.outcome.pattern {
        // Accessors of a property are after its value.
        let end = value.map_or(declared.span.end, |value| value.span.end);
        walk.bind_pattern(pattern, recipe, TypeId::UNKNOWN, end);
    }
    let symbol = frame.symbol?;
    let name = walk.symbol(symbol).name_span;
    finish_declaration(walk, frame, None, &["getter", "setter"]);
    let is_plain = matches!(walk.recipe_of(recipe), Recipe::Literal(_) | Recipe::Str(_));
    if value.is_some() && !is_plain {
        walk.symbol_mut(symbol).signature.end = declared.span.end;
    }
    extend(walk, symbol, before.iter().copied().find(is_type));
    if frame.modifiers.contains(Modifiers::CONST) {
        walk.symbol_mut(symbol).kind = SymbolKind::Constant;
    }
    let in_interface = walk.parent_kind(symbol) == Some(SymbolKind::Interface);
    if in_interface && value.is_none() && !children.iter().any(|child| child.kind == "getter") {
        walk.mark(symbol, Modifiers::ABSTRACT);
    }
    walk.value(symbol, recipe, declared.span.end);
    if let (true, Some(pattern)) = (name.is_empty(), declared.outcome.pattern) {
        destructured(walk, frame, symbol, &walk.bindings_in(pattern));
    }
    None
}

/// `val (a, b) = f()` at the top of a script: one property for each name.
fn destructured(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex, bindings: &[BindingId]) {
    for (i, &binding) in bindings.iter().enumerate() {
        let binding = walk.binding(binding).clone();
        let parent = walk.symbol(symbol).parent;
        let symbol = if i == 0 {
            symbol
        } else {
            walk.new_symbol(SymbolKind::Property, binding.name_span)
        };
        let found = walk.symbol_mut(symbol);
        found.parent = parent;
        (found.name, found.name_span, found.ty) = (binding.name, binding.name_span, binding.ty);
        found.modifiers.insert(frame.modifiers);
        if i > 0 {
            walk.value(symbol, binding.value, frame.span.end);
        }
    }
}

/// `by lazy { ... }`: what the delegate's `getValue` gives.
pub(super) fn property_delegate(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let delegate = walk.first(frame).recipe;
    if !delegate.is_known() {
        return None;
    }
    let name = walk.name("getValue");
    let callee = walk.recipe(Recipe::Member(delegate, name));
    Some(Outcome::recipe(walk.plain_call(callee)))
}

/// The name of a property, or a variable to be bound; `_` keeps its place.
pub(super) fn variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = type_child(walk, frame);
    let Some(name) = walk.child_of_kind(frame, "identifier") else {
        return Some(Outcome::ty(ty));
    };
    let word = name_at(walk, name.span);
    let parent = walk
        .parent()
        .filter(|parent| parent.kind == "property_declaration");
    if let Some(symbol) = parent.and_then(|parent| parent.symbol) {
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span, found.ty) = (word, name.span, ty);
        return None;
    }
    let (Context::Bind(kind), false) = (frame.context, walk.source(name.span) == "_") else {
        walk.label(name.span);
        return Some(Outcome::pattern(walk.pattern(Pattern::Tuple(Vec::new()))));
    };
    let pattern = bound(walk, kind, name.span, ty);
    Some(Outcome::ty(ty).with_pattern(pattern))
}

/// What an accessor returns is the property's value; `field` is what the property holds.
pub(super) fn enter_accessor(walk: &mut Walk<'_>, frame: &mut Frame) {
    let property = walk.ancestors().nth(1).and_then(|around| around.symbol);
    frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, property));
    if let Some(property) = property {
        let place = Span::empty(frame.span.start);
        let (name, ty) = (walk.name("field"), walk.symbol(property).ty);
        let recipe = walk.recipe(Recipe::Symbol(property));
        let binding = walk.new_binding(BindingKind::Local, name, place);
        (binding.ty, binding.value) = (ty, recipe);
    }
}

pub(super) fn setter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier")?;
    let written = type_child(walk, frame);
    let property = walk.parent_symbol();
    let ty = match property {
        Some(property) if !written.is_known() => walk.symbol(property).ty,
        _ => written,
    };
    let word = name_at(walk, name.span);
    let binding = walk.bind(BindingKind::Parameter, word, name.span);
    place_parameter(walk, binding, 0, ty, RecipeId::UNKNOWN);
    None
}
