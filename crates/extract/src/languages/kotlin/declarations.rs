//! What is declared in Kotlin: packages, types, functions, properties, parameters.

use facts::{
    BindingId, BindingKind, ImportKind, Inherit, ListRange, Modifiers, NameId, ParameterFlags,
    Recipe, RecipeId, Role, ScopeKind, Span, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use super::{
    expressions::{read, this_or_super_word},
    types::{is_type, name_at, named, type_child},
};
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

// The file.

/// `package a.b` is a namespace that holds everything after it.
pub(super) fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk
        .children(frame)
        .last()
        .copied()
        .filter(|_| walk.current_symbol().is_none())?;
    let span = Span::new(frame.span.start, walk.text.len() as u32);
    let symbol = walk.new_symbol(SymbolKind::Namespace, span);
    let word = plain_path(walk.source(name.span));
    let word = walk.name(word);
    // A file's licence is no documentation of its package.
    let doc = walk
        .symbol(symbol)
        .doc
        .filter(|&doc| walk.source(doc).starts_with("/**"));
    let found = walk.symbol_mut(symbol);
    (found.name, found.name_span, found.signature, found.doc) = (word, name.span, frame.span, doc);
    let scope = walk.new_scope(ScopeKind::Namespace, span, Some(symbol));
    walk.continue_in(symbol, scope);
    None
}

/// A dotted name without space and backticks.
fn plain_path(path: &str) -> String {
    path.chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect()
}

/// `import a.b.C as D`, `import a.b.*`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.child_of_kind(frame, "qualified_identifier")?;
    let glob = walk.source(frame.span).trim_end_matches(';').ends_with('*');
    let alias_span = walk
        .child_of_kind(frame, "identifier")
        .map(|alias| alias.span);
    let written = walk.source(path.span);
    let (module, item) = match written.rsplit_once('.') {
        Some((module, item)) if !glob => (module, Some(item.trim())),
        _ if glob => (written, None),
        _ => ("", Some(written)),
    };
    let name_span = item.map_or(path.span, |item| {
        Span::new(path.span.end - item.len() as u32, path.span.end)
    });
    let module = plain_path(module);
    let module = walk.name(module);
    let item = item.map(|_| name_at(walk, name_span));
    let local = match alias_span {
        Some(alias) => Some(name_at(walk, alias)),
        None => item,
    };
    let import = walk.new_import(
        if glob {
            ImportKind::Glob
        } else {
            ImportKind::Item
        },
        module,
        frame.span,
        name_span,
    );
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
    let end = walk
        .children(frame)
        .iter()
        .find(|child| bodies.contains(&child.kind))
        .map_or(frame.span.end, |body| body.span.start);
    let in_block = matches!(
        walk.scope_of(walk.symbol(symbol).declared_in).kind,
        ScopeKind::Block | ScopeKind::Branch
    );
    let found = walk.symbol_mut(symbol);
    found.signature.end = end;
    found.modifiers.insert(frame.modifiers);
    found.visibility = frame.visibility;
    if in_block {
        // Also in the initialisers of a class.
        found.modifiers.insert(Modifiers::LOCAL);
    }
    Some(symbol)
}

pub(super) fn type_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    finish_declaration(walk, frame, name, &["class_body", "enum_class_body"]);
    None
}

/// `class` and `interface` share a node; the word tells them apart.
pub(super) fn interface_word(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    if let Some(symbol) = walk
        .parent()
        .filter(|parent| parent.kind == "class_declaration")
        .and_then(|parent| parent.symbol)
    {
        walk.symbol_mut(symbol).kind = SymbolKind::Interface;
    }
    None
}

pub(super) fn class_modifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "class_declaration")
        .and_then(|around| around.symbol);
    if let Some(symbol) = symbol.filter(|_| walk.source(frame.span) == "enum") {
        walk.symbol_mut(symbol).kind = SymbolKind::Enum;
    }
    None
}

/// A companion's members are reached through the class around it. Without a name it is called
/// `Companion`.
pub(super) fn companion(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let symbol = finish_declaration(walk, frame, name, &["class_body"])?;
    if name.is_none() {
        let word = walk.name("Companion");
        let name_span = walk
            .child_of_kind(frame, "companion")
            .map_or(frame.span, |word| word.span);
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span) = (word, name_span);
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
    let Some(entry) = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "enum_entry")
        .cloned()
    else {
        return;
    };
    let name = entry.symbol.and_then(|entry| enum_name(walk, entry));
    let span = frame.span;
    let symbol = walk.define(frame, SymbolKind::Class, span);
    let found = walk.symbol_mut(symbol);
    found.modifiers.insert(Modifiers::ANONYMOUS);
    found.signature = Span::new(entry.span.start, span.start);
    if let Some(name) = name {
        let ty = walk.ty(TypeRecipe::Name(name));
        walk.supertype(symbol, ty, Inherit::Extends);
    }
    frame.scope = Some(walk.new_scope(ScopeKind::Type, span, Some(symbol)));
}

/// The name of the enum around an entry; the enum itself is not yet named while it is open.
fn enum_name(walk: &mut Walk<'_>, entry: SymbolIndex) -> Option<NameId> {
    let parent = walk.symbol(entry).parent?;
    let declaration = walk
        .ancestors()
        .find(|frame| frame.symbol == Some(parent))?
        .clone();
    let name = walk.child(&declaration, "name")?;
    Some(name_at(walk, name.span))
}

/// An entry is made by the enum's constructor; the reference to it is at its arguments.
pub(super) fn enum_entry(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier");
    let symbol = finish_declaration(walk, frame, name, &["class_body"])?;
    let name = enum_name(walk, symbol)?;
    let arguments = walk.child_of_kind(frame, "value_arguments");
    let ty = walk.ty(TypeRecipe::Name(name));
    let list = arguments.map_or(ListRange::default(), |arguments| arguments.outcome.list);
    let made = walk.recipe(Recipe::New(ty, list));
    walk.hand_to_call(made, list);
    walk.value(symbol, made, frame.span.end);
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found.modifiers.insert(Modifiers::STATIC | Modifiers::FINAL);
    if let Some(arguments) = arguments {
        let place = Span::new(arguments.span.start, arguments.span.start + 1);
        let reference = walk.reference_named(name, place, Role::Instantiate, None);
        walk.reference_mut(reference).call = Some(made);
    }
    None
}

/// `: Base(1)` is a class and a call of its constructor; `: Iface`, `: Iface by x` are interfaces.
pub(super) fn supertype(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (base, symbol) = (
        walk.children(frame).last().copied()?,
        walk.current_symbol()?,
    );
    let ty = base.outcome.ty;
    if !ty.is_known() {
        return None;
    }
    let constructed = base.kind == "constructor_invocation";
    let extends = constructed || walk.symbol(symbol).kind == SymbolKind::Interface;
    walk.supertype(
        symbol,
        ty,
        if extends {
            Inherit::Extends
        } else {
            Inherit::Implements
        },
    );
    walk.set_role(base.outcome, Role::Inherit);
    if let (true, Some(reference)) = (constructed, base.outcome.reference) {
        let made = walk.recipe(Recipe::New(ty, base.outcome.list));
        walk.hand_to_call(made, base.outcome.list);
        walk.reference_mut(reference).call = Some(made);
    }
    None
}

/// `Type(arguments)` of a supertype or an annotation.
pub(super) fn constructor_invocation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk
        .children(frame)
        .iter()
        .find(|child| is_type(child))
        .map_or(Outcome::NONE, |child| child.outcome);
    let list = walk.outcome_of_kind(frame, "value_arguments").list;
    Some(Outcome { list, ..ty })
}

pub(super) fn type_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, ty) = (walk.child(frame, "type"), type_child(walk, frame));
    if let Some(symbol) = finish_declaration(walk, frame, name, &[]) {
        walk.symbol_mut(symbol).ty = ty;
    }
    None
}

pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (
        walk.current_symbol()?,
        walk.child_of_kind(frame, "identifier")?,
    );
    let bound = type_child(walk, frame);
    let bounds = if bound.is_known() {
        walk.type_list(&[bound])
    } else {
        facts::TypeListRange::default()
    };
    let word = name_at(walk, name.span);
    walk.type_parameter(symbol, word, name.span, bounds);
    None
}

/// `where T : Foo` adds a bound.
pub(super) fn type_constraint(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    // A declaration has few type parameters, and they are the last that were met.
    const MAX_LOOK_BACK: usize = 32;
    let (symbol, name) = (
        walk.current_symbol()?,
        walk.child_of_kind(frame, "identifier")?,
    );
    let (name, bound) = (name_at(walk, name.span), type_child(walk, frame));
    let recent = walk
        .builder
        .type_parameters
        .iter()
        .rev()
        .take(MAX_LOOK_BACK)
        .position(|(of, parameter)| *of == symbol && parameter.name == name);
    if let Some(position) = recent {
        let index = walk.builder.type_parameters.len() - 1 - position;
        let mut bounds = walk
            .type_list_of(walk.builder.type_parameters[index].1.bounds)
            .to_vec();
        bounds.push(bound);
        walk.builder.type_parameters[index].1.bounds = walk.type_list(&bounds);
    }
    None
}

// Modifiers and annotations.

/// Annotations belong to the declaration around; the keywords go there by themselves. Their recipes
/// are handed up as a list.
pub(super) fn modifiers(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let annotations: Vec<Child> = children
        .iter()
        .filter(|child| child.kind == "annotation")
        .copied()
        .collect();
    let recipes: Vec<RecipeId> = annotations
        .iter()
        .flat_map(|annotation| walk.list_of(annotation.outcome.list).to_vec())
        .collect();
    let list = walk.list(&recipes);
    let Some(symbol) = walk.parent().and_then(|parent| parent.symbol) else {
        return Some(Outcome::list(list));
    };
    for annotation in annotations {
        for recipe in walk.list_of(annotation.outcome.list).to_vec() {
            walk.annotation(symbol, recipe, annotation.span);
            mark(walk, symbol, recipe);
        }
    }
    let start = match children.iter().find(|child| child.kind != "annotation") {
        Some(modifier) => modifier.span.start,
        None => {
            let rest = walk.text.get(frame.span.end as usize..).unwrap_or("");
            frame.span.end + (rest.len() - rest.trim_start().len()) as u32
        }
    };
    walk.symbol_mut(symbol).signature.start = start;
    Some(Outcome::list(list))
}

/// What some annotations say about a symbol.
fn mark(walk: &mut Walk<'_>, symbol: SymbolIndex, annotation: RecipeId) {
    let name = match walk.recipe_of(annotation) {
        Recipe::Call(callee, _) => walk.recipe_of(callee),
        name => name,
    };
    let (Recipe::Name(name) | Recipe::Member(_, name)) = name else {
        return;
    };
    let modifier = match walk.builder.word(name) {
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
    let receiver = walk
        .children(frame)
        .iter()
        .find(|child| is_type(child) && child.span.end <= name_start)
        .copied();
    let result = walk
        .children(frame)
        .iter()
        .find(|child| is_type(child) && child.span.start > name_start)
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    walk.symbol_mut(symbol).ty = result;
    extend(walk, symbol, receiver);
    let has_body = walk.child_of_kind(frame, "function_body").is_some();
    if !has_body
        && walk
            .symbol(symbol)
            .parent
            .is_some_and(|parent| walk.symbol(parent).kind == SymbolKind::Interface)
    {
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
    Some(shared::call_of(
        walk,
        Outcome::named(recipe, reference),
        arguments,
    ))
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
    let word = name_at(walk, name.span);
    let binding = walk.bind(BindingKind::Parameter, word, name.span);
    walk.binding_mut(binding).ty = ty;
    Some(Outcome {
        ty,
        pattern: Some(walk.pattern(Pattern::Name(binding))),
        ..Outcome::NONE
    })
}

/// Gives the parameters their places, defaults and flags. A default is after its parameter,
/// modifiers before it.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent().and_then(|parent| parent.symbol);
    let children = walk.children(frame).to_vec();
    let mut index: u16 = 0;
    for (i, child) in children.iter().enumerate() {
        let Some(pattern) = child.outcome.pattern.filter(|_| child.kind == "parameter") else {
            continue;
        };
        let Some(binding) = walk.bindings_in(pattern).first().copied() else {
            continue;
        };
        let before = i
            .checked_sub(1)
            .and_then(|i| children.get(i))
            .filter(|before| before.kind == "parameter_modifiers");
        let after = children
            .get(i + 1)
            .filter(|after| !matches!(after.kind, "parameter" | "parameter_modifiers"));
        let mut flags = ParameterFlags::default();
        let mut ty = child.outcome.ty;
        if before.is_some_and(|before| {
            walk.source(before.span)
                .split_whitespace()
                .any(|word| word == "vararg")
        }) {
            flags.insert(ParameterFlags::VARIADIC);
            ty = array_of(walk, ty);
        }
        if after.is_some() {
            flags.insert(ParameterFlags::OPTIONAL);
        }
        place_parameter(
            walk,
            binding,
            index,
            ty,
            after.map_or(RecipeId::UNKNOWN, |after| after.outcome.recipe),
        );
        if let Some(function) = function {
            let name = walk.binding(binding).name;
            walk.parameter(function, name, ty, flags);
        }
        index = index.saturating_add(1);
    }
    None
}

/// Inside, `vararg xs: T` is an array.
fn array_of(walk: &mut Walk<'_>, ty: TypeId) -> TypeId {
    let array = named(walk, "Array");
    let types = walk.type_list(&[ty]);
    walk.ty(TypeRecipe::Apply(array, types))
}

pub(super) fn place_parameter(
    walk: &mut Walk<'_>,
    binding: BindingId,
    index: u16,
    ty: TypeId,
    default: RecipeId,
) {
    let from = walk.scope_of(walk.scope()).span.start;
    let binding = walk.binding_mut(binding);
    (binding.parameter, binding.from, binding.ty, binding.value) = (Some(index), from, ty, default);
}

/// A parameter of the primary constructor: with `val` or `var` a property, else seen by the
/// initialisers.
pub(super) fn class_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let name = children
        .iter()
        .find(|child| child.kind == "identifier")
        .copied()?;
    let default = children
        .last()
        .filter(|last| last.span.start > name.span.start && !is_type(last))
        .copied();
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
        found
            .modifiers
            .insert(frame.modifiers | Modifiers::CONSTRUCTOR_PARAMETER);
        found.visibility = frame.visibility;
        walk.value(symbol, default, frame.span.end);
        if let Some(modifiers) = children.iter().find(|child| child.kind == "modifiers") {
            for recipe in walk.list_of(modifiers.outcome.list).to_vec() {
                walk.annotation(symbol, recipe, modifiers.span);
            }
        }
    }
    // The class carries the parameters of its primary constructor.
    let mut flags = ParameterFlags::default();
    if default.is_known() || walk.source(frame.span).contains('=') {
        flags.insert(ParameterFlags::OPTIONAL);
    }
    let vararg = children.iter().any(|child| {
        child.kind == "modifiers"
            && walk
                .source(child.span)
                .split_whitespace()
                .any(|word| word == "vararg")
    });
    if vararg {
        flags.insert(ParameterFlags::VARIADIC);
    }
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
    if matches!(
        walk.scope_of(walk.scope()).kind,
        ScopeKind::Type | ScopeKind::File | ScopeKind::Namespace
    ) {
        let span = frame.span;
        walk.define(frame, SymbolKind::Property, span);
    }
}

pub(super) fn property(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let Some(position) = children.iter().position(|child| {
        matches!(
            child.kind,
            "variable_declaration" | "multi_variable_declaration"
        )
    }) else {
        return None;
    };
    walk.take_narrowings();
    let declared = children[position];
    let value = children[position + 1..]
        .iter()
        .find(|child| !matches!(child.kind, "type_constraints" | "getter" | "setter"));
    let recipe = value.map_or(RecipeId::UNKNOWN, |value| value.outcome.recipe);
    if let Some(pattern) = declared.outcome.pattern {
        // Accessors of a property are after its value.
        let end = value.map_or(declared.span.end, |value| value.span.end);
        walk.bind_pattern(pattern, recipe, TypeId::UNKNOWN, end);
    }
    let symbol = frame.symbol?;
    let name = walk.symbol(symbol).name_span;
    finish_declaration(walk, frame, None, &["getter", "setter"]);
    if value.is_some_and(|value| {
        !matches!(
            walk.recipe_of(value.outcome.recipe),
            Recipe::Literal(_) | Recipe::Str(_)
        )
    }) {
        walk.symbol_mut(symbol).signature.end = declared.span.end;
    }
    extend(
        walk,
        symbol,
        children[..position]
            .iter()
            .find(|child| is_type(child))
            .copied(),
    );
    if frame.modifiers.contains(Modifiers::CONST) {
        walk.symbol_mut(symbol).kind = SymbolKind::Constant;
    }
    let in_interface = walk
        .symbol(symbol)
        .parent
        .is_some_and(|parent| walk.symbol(parent).kind == SymbolKind::Interface);
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
    walk.value_of(Recipe::Call(callee, ListRange::default()))
}

/// The name of a property, or a variable to be bound; `_` keeps its place.
pub(super) fn variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = type_child(walk, frame);
    let Some(name) = walk.child_of_kind(frame, "identifier") else {
        return Some(Outcome::ty(ty));
    };
    let word = name_at(walk, name.span);
    if let Some(symbol) = walk
        .parent()
        .filter(|parent| parent.kind == "property_declaration")
        .and_then(|parent| parent.symbol)
    {
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span, found.ty) = (word, name.span, ty);
        return None;
    }
    let (Context::Bind(kind), false) = (frame.context, walk.source(name.span) == "_") else {
        walk.label(name.span);
        return Some(Outcome::pattern(walk.pattern(Pattern::Tuple(Vec::new()))));
    };
    let binding = walk.bind(kind, word, name.span);
    walk.binding_mut(binding).ty = ty;
    Some(Outcome {
        ty,
        pattern: Some(walk.pattern(Pattern::Name(binding))),
        ..Outcome::NONE
    })
}

/// What an accessor returns is the property's value; `field` is what the property holds.
pub(super) fn enter_accessor(walk: &mut Walk<'_>, frame: &mut Frame) {
    let property = walk.ancestors().nth(1).and_then(|around| around.symbol);
    frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, property));
    if let Some(property) = property {
        let place = Span::new(frame.span.start, frame.span.start);
        let (name, ty) = (walk.name("field"), walk.symbol(property).ty);
        let recipe = walk.recipe(Recipe::Symbol(property));
        let binding = walk.new_binding(BindingKind::Local, name, place);
        (binding.ty, binding.value) = (ty, recipe);
    }
}

pub(super) fn setter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier")?;
    let written = type_child(walk, frame);
    let property = walk.parent().and_then(|parent| parent.symbol);
    let ty = match property {
        Some(property) if !written.is_known() => walk.symbol(property).ty,
        _ => written,
    };
    let word = name_at(walk, name.span);
    let binding = walk.bind(BindingKind::Parameter, word, name.span);
    place_parameter(walk, binding, 0, ty, RecipeId::UNKNOWN);
    None
}
