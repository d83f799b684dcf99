//! What rules cannot say about PHP's declarations.

use facts::{
    BindingKind, ImportKind, Inherit, LiteralKind, Modifiers, ParameterFlags, Recipe, RecipeId,
    Role, ScopeId, ScopeKind, Span, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use super::documented::tagged_type;
use crate::{
    handlers as shared,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// A namespace holds what follows it, up to the next one.
pub(super) fn enter_namespace(walk: &mut Walk<'_>, frame: &mut Frame) {
    let before = walk
        .current_symbol()
        .filter(|&symbol| walk.symbol(symbol).kind == SymbolKind::Namespace);
    let symbol = walk.define(frame, SymbolKind::Namespace, frame.span);
    let scope = walk.new_scope(ScopeKind::Namespace, frame.span, Some(symbol));
    frame.scope = Some(scope);
    let Some(before) = before else { return };
    walk.symbol_mut(before).span.end = frame.span.start;
    if let Some(body) = walk.symbol(before).body {
        walk.facts_mut().scopes[body.0 as usize].span.end = frame.span.start;
    }
    let new = walk.symbol_mut(symbol);
    (new.parent, new.declared_in) = (None, ScopeId::FILE);
    walk.facts_mut().scopes[scope.0 as usize].parent = ScopeId::FILE;
}

pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, scope) = (
        shared::finish_symbol(walk, frame, "name", "body")?,
        frame.scope?,
    );
    // Namespaces are called alike in all languages: `A.B`.
    let dotted = walk
        .source(walk.symbol(symbol).name_span)
        .replace('\\', ".");
    walk.symbol_mut(symbol).name = walk.name(dotted);
    if walk.child(frame, "body").is_none() {
        let end = walk.text.len() as u32;
        walk.symbol_mut(symbol).span.end = end;
        walk.facts_mut().scopes[scope.0 as usize].span.end = end;
        walk.continue_in(symbol, scope);
    }
    None
}

/// One clause of `use A\B, C as D`, `use function A\b`, `use A\{B, C as D}`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    let alias = walk.child(frame, "alias").map(|alias| alias.span);
    let group = walk
        .ancestors()
        .nth(1)
        .filter(|outer| outer.kind == "namespace_use_declaration")
        .cloned();
    let prefix = group
        .as_ref()
        .and_then(|group| walk.child_of_kind(group, "namespace_name"))
        .map_or("", |prefix| walk.source(prefix.span));
    let written = walk.source(path.span);
    let (inner, item) = written.rsplit_once('\\').unwrap_or(("", written));
    let inner = inner.trim_start_matches('\\');
    let module = match (prefix.is_empty(), inner.is_empty()) {
        (true, _) => walk.name(inner),
        (false, true) => walk.name(prefix),
        (false, false) => walk.name(format!("{prefix}\\{inner}")),
    };
    let name_span = Span::new(path.span.end - item.len() as u32, path.span.end);
    let item = walk.name(item);
    let local = alias.map_or(item, |alias| walk.name_at(alias));
    let span = group
        .or_else(|| walk.parent().cloned())
        .map_or(frame.span, |declaration| declaration.span);
    let import = walk.new_import(ImportKind::Item, module, span, name_span);
    (import.item, import.local, import.alias_span) = (Some(item), Some(local), alias);
    None
}

/// Attributes are no part of a signature.
fn sign(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex, end: u32) {
    let attributes = walk
        .child(frame, "attributes")
        .map_or(frame.span.start, |attributes| attributes.span.end);
    let text = walk.source(Span::new(attributes, end));
    let start = attributes + (text.len() - text.trim_start().len()) as u32;
    walk.symbol_mut(symbol).signature = Span::new(start, end);
    let deprecated = walk
        .symbol(symbol)
        .doc
        .is_some_and(|doc| walk.source(doc).contains("@deprecated"));
    if deprecated {
        walk.mark(symbol, Modifiers::DEPRECATED);
    }
}

fn finish(walk: &mut Walk<'_>, frame: &Frame) -> Option<SymbolIndex> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let end = walk.symbol(symbol).signature.end;
    sign(walk, frame, symbol, end);
    Some(symbol)
}

pub(super) fn class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    finish(walk, frame);
    None
}

pub(super) fn enumeration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let (Some(symbol), Some(backing)) = (
        finish(walk, frame),
        walk.child_of_kind(frame, "primitive_type"),
    ) {
        walk.symbol_mut(symbol).ty = backing.outcome.ty;
    }
    None
}

pub(super) fn enum_case(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(symbol) = finish(walk, frame) {
        let value = walk.outcome(frame, "value").recipe;
        walk.value(symbol, value, frame.span.end);
    }
    None
}

/// `new class(...) extends A { ... }` is called what PHP calls it.
pub(super) fn anonymous_class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let name = walk.name("class@anonymous");
    let keyword = walk.source(frame.span).find("class").unwrap_or(0) as u32 + frame.span.start;
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.name, symbol_mut.name_span) =
        (name, Span::new(keyword, keyword + "class".len() as u32));
    symbol_mut.modifiers.insert(Modifiers::ANONYMOUS);
    walk.value_of(Recipe::Symbol(symbol))
}

pub(super) fn extends(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(inherit(walk, frame, Inherit::Extends))
}

pub(super) fn implements(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(inherit(walk, frame, Inherit::Implements))
}

/// `use T1, T2;` in a class mixes traits in.
pub(super) fn use_traits(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(inherit(walk, frame, Inherit::Mixin))
}

fn inherit(walk: &mut Walk<'_>, frame: &Frame, how: Inherit) -> Outcome {
    let Some(symbol) = walk.current_symbol() else {
        return Outcome::NONE;
    };
    for child in walk.children(frame).to_vec() {
        if child.outcome.ty.is_known() {
            walk.set_role(child.outcome, Role::Inherit);
            walk.supertype(symbol, child.outcome.ty, how);
        }
    }
    Outcome::NONE
}

/// `A::b as protected c` gives a method another name.
pub(super) fn use_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [original, .., alias] = children.as_slice() else {
        return None;
    };
    if alias.kind != "name" {
        return None;
    }
    let symbol = walk.new_symbol(SymbolKind::Method, frame.span);
    shared::name_symbol(walk, symbol, alias.span);
    walk.symbol_mut(symbol).visibility = frame.visibility;
    walk.value(symbol, original.outcome.recipe, frame.span.end);
    None
}

/// `#[A("x")]` on a declaration; those on parameters are references only.
pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (class, arguments) = (
        walk.children(frame).first().copied()?,
        walk.outcome(frame, "parameters").list,
    );
    let made = shared::new_of(walk, class.outcome, arguments);
    walk.set_role(class.outcome, Role::Annotation);
    // The attribute is in its group, the group in a list, the list in what is declared.
    let symbol = walk.ancestors().nth(2).and_then(|declared| declared.symbol);
    if let Some(symbol) = symbol {
        walk.annotation(symbol, made.recipe, frame.span);
        if walk.source(class.span).rsplit('\\').next() == Some("Test") {
            walk.mark(symbol, Modifiers::TEST);
        }
    }
    None
}

/// The name's place and the value, for the declaration around.
pub(super) fn const_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk
        .children(frame)
        .get(1)
        .map_or(RecipeId::UNKNOWN, |child| child.outcome.recipe);
    Some(Outcome::recipe(value))
}

pub(super) fn property_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "default_value").recipe;
    Some(Outcome::recipe(if is_null(walk, value) {
        RecipeId::UNKNOWN
    } else {
        value
    }))
}

fn is_null(walk: &Walk<'_>, recipe: RecipeId) -> bool {
    matches!(walk.recipe_of(recipe), Recipe::Literal(LiteralKind::Null))
}

/// `const int A = 1, B = 2;`
pub(super) fn constants(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let elements: Vec<Child> = walk.children_of_kind(frame, "const_element").collect();
    Some(elements_as_symbols(walk, frame, &elements, 0))
}

/// `public int $a = 1, $b;` The names lose their `$`, for that is how they are used.
pub(super) fn properties(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let elements: Vec<Child> = walk.children_of_kind(frame, "property_element").collect();
    Some(elements_as_symbols(walk, frame, &elements, 1))
}

fn elements_as_symbols(
    walk: &mut Walk<'_>,
    frame: &Frame,
    elements: &[Child],
    sign_len: u32,
) -> Outcome {
    let Some(first) = frame.symbol else {
        return Outcome::NONE;
    };
    let end = walk
        .child_of_kind(frame, "property_hook_list")
        .map_or(frame.span.end, |hooks| hooks.span.start);
    sign(walk, frame, first, end);
    let mut ty = walk.outcome(frame, "type").ty;
    if !ty.is_known() {
        ty = tagged_type(walk, walk.symbol(first).doc, "var", None);
    }
    let symbol = walk.symbol_mut(first);
    symbol.modifiers.insert(frame.modifiers);
    (symbol.visibility, symbol.ty) = (frame.visibility, ty);
    for (i, element) in elements.iter().enumerate() {
        let symbol = if i == 0 {
            first
        } else {
            let like = walk.symbol(first).clone();
            let parent = like.parent;
            let symbol = walk.new_symbol(like.kind, like.span);
            *walk.symbol_mut(symbol) = like;
            walk.symbol_mut(symbol).parent = parent;
            symbol
        };
        let start = element.span.start + sign_len;
        let text = walk.source(Span::new(start, element.span.end));
        let len = text
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len()) as u32;
        shared::name_symbol(walk, symbol, Span::new(start, start + len));
        walk.value(symbol, element.outcome.recipe, element.span.end);
    }
    Outcome::NONE
}

/// `get => ...`, `set($value) { ... }` of a property.
pub(super) fn property_hook(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children_of_kind(frame, "name").next()?;
    let modifier = if walk.source(name.span).eq_ignore_ascii_case("get") {
        Modifiers::GETTER
    } else {
        Modifiers::SETTER
    };
    if let Some(property) = walk.current_symbol() {
        walk.mark(property, modifier);
        let body = walk
            .child(frame, "body")
            .filter(|body| body.kind != "compound_statement" && modifier == Modifiers::GETTER);
        if let Some(body) = body {
            walk.value(property, body.outcome.recipe, body.span.end);
        }
    }
    None
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let mut ty = walk.outcome(frame, "return_type").ty;
    if !ty.is_known() || is_bare_container(walk, ty) {
        let documented = tagged_type(walk, walk.symbol(symbol).doc, "return", None);
        ty = if documented.is_known() {
            documented
        } else {
            ty
        };
    }
    walk.symbol_mut(symbol).ty = ty;
    if frame.kind != "method_declaration" {
        return None;
    }
    let class = walk.symbol(symbol).parent;
    let name = walk
        .child(frame, "name")
        .map_or("", |name| walk.source(name.span));
    let in_interface = class.is_some_and(|class| walk.symbol(class).kind == SymbolKind::Interface);
    let in_tests = class.and_then(|class| walk.symbol(class).body).is_some()
        && class.is_some_and(|class| is_test_class(walk, class));
    let symbol = walk.symbol_mut(symbol);
    if name.eq_ignore_ascii_case("__construct") {
        symbol.kind = SymbolKind::Constructor;
    }
    if in_interface {
        symbol.modifiers.insert(Modifiers::ABSTRACT);
    }
    if in_tests
        && name
            .strip_prefix("test")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
    {
        symbol.modifiers.insert(Modifiers::TEST);
    }
    None
}

/// `array`, `iterable` and the like say nothing about their elements; the documentation may.
fn is_bare_container(walk: &Walk<'_>, ty: TypeId) -> bool {
    matches!(walk.type_of(ty), TypeRecipe::Name(name) if matches!(walk.builder.word(name), "array" | "iterable" | "object" | "mixed"))
}

/// The class's name is not yet read while it is open; its text is.
fn is_test_class(walk: &Walk<'_>, class: SymbolIndex) -> bool {
    let start = walk.symbol(class).span.start;
    let end = walk
        .ancestors()
        .find(|frame| frame.kind == "declaration_list")
        .map_or(start, |body| body.span.start);
    let header = walk.source(Span::new(start, end));
    header
        .split_whitespace()
        .any(|word| word.ends_with("Test") || word.ends_with("TestCase") || word.ends_with("Tests"))
}

/// A parameter: its type, its default and what it binds.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    if frame.kind == "variadic_parameter" {
        ty = walk.ty(TypeRecipe::Array(ty));
    }
    let default = walk.outcome(frame, "default_value").recipe;
    let recipe = if is_null(walk, default) {
        RecipeId::UNKNOWN
    } else {
        default
    };
    Some(Outcome {
        ty,
        recipe,
        pattern: walk.outcome(frame, "name").pattern,
        ..Outcome::NONE
    })
}

/// A constructor's parameter that is a property too.
pub(super) fn promoted(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut outcome = parameter(walk, frame).unwrap_or_default();
    let (Some(name), Some(method)) = (walk.child(frame, "name"), walk.current_symbol()) else {
        return Some(outcome);
    };
    let Some(class) = walk.symbol(method).parent else {
        return Some(outcome);
    };
    let text = walk.source(name.span).trim_start_matches('&');
    let name_span = Span::new(name.span.end - text.len() as u32 + 1, name.span.end);
    if !outcome.ty.is_known() {
        outcome.ty = tagged_type(walk, walk.symbol(method).doc, "param", Some(text));
    }
    let symbol = walk.new_symbol(SymbolKind::Property, frame.span);
    shared::name_symbol(walk, symbol, name_span);
    let body = walk.symbol(class).body.unwrap_or_default();
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.modifiers = frame.modifiers | Modifiers::CONSTRUCTOR_PARAMETER;
    (symbol_mut.visibility, symbol_mut.ty) = (frame.visibility, outcome.ty);
    (symbol_mut.parent, symbol_mut.declared_in) = (Some(class), body);
    Some(outcome)
}

/// Parameters are bound in the scope of the function or closure around.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk
        .parent()
        .filter(|parent| matches!(parent.kind, "function_definition" | "method_declaration"))
        .and_then(|parent| parent.symbol);
    let doc = function.and_then(|function| walk.symbol(function).doc);
    let from = walk.scope_of(walk.scope()).span.start;
    let mut index = 0;
    for child in walk.children(frame).to_vec() {
        let Some(Pattern::Name(id)) = child
            .outcome
            .pattern
            .map(|pattern| walk.pattern_of(pattern).clone())
        else {
            continue;
        };
        let name_span = walk.binding(id).name_span;
        let written = walk.source(name_span);
        let mut ty = child.outcome.ty;
        if !ty.is_known() || is_bare_container(walk, ty) {
            let documented = tagged_type(walk, doc, "param", Some(written));
            ty = if documented.is_known() {
                documented
            } else {
                ty
            };
        }
        let binding = walk.binding_mut(id);
        debug_assert_eq!(binding.kind, BindingKind::Parameter);
        (binding.ty, binding.value, binding.from, binding.parameter) =
            (ty, child.outcome.recipe, from, Some(index));
        index += 1;
        let Some(function) = function else { continue };
        let mut flags = ParameterFlags::default();
        if child.kind == "variadic_parameter" {
            flags.insert(ParameterFlags::VARIADIC);
        }
        if walk
            .source(Span::new(name_span.end, child.span.end))
            .trim_start()
            .starts_with('=')
        {
            flags.insert(ParameterFlags::OPTIONAL);
        }
        // Arguments are named without the sign.
        let name = walk.name(written.trim_start_matches('$'));
        walk.parameter(function, name, ty, flags);
    }
    None
}
