//! What rules cannot say about PHP's declarations.

use crate::prelude::*;

use super::documented::tagged_type;

/// A namespace holds what follows it, up to the next one.
pub(super) fn enter_namespace(walk: &mut Walk<'_>, frame: &mut Frame) {
    let around = walk.current_symbol();
    let before = around.filter(|&around| walk.symbol(around).kind == SymbolKind::Namespace);
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
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let scope = frame.scope?;
    // Namespaces are called alike in all languages: `A.B`.
    let written = walk.source(walk.symbol(symbol).name_span);
    walk.symbol_mut(symbol).name = walk.name(written.replace('\\', "."));
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
    let group = walk.ancestors().nth(1);
    let group = group.filter(|outer| outer.kind == "namespace_use_declaration");
    let span = group
        .or(walk.parent())
        .map_or(frame.span, |declaration| declaration.span);
    let prefix = group.and_then(|group| walk.child_of_kind(group, "namespace_name"));
    let prefix = prefix.map_or("", |prefix| walk.source(prefix.span));
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
    let import = walk.new_import(ImportKind::Item, module, span, name_span);
    (import.item, import.local, import.alias_span) = (Some(item), Some(local), alias);
    None
}

/// Attributes are no part of a signature.
fn sign(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex, end: u32) {
    let attributes = walk.child(frame, "attributes");
    let start = attributes.map_or(frame.span.start, |attributes| attributes.span.end);
    let start = walk.skip_space(start, end);
    let doc = walk.symbol(symbol).doc;
    let deprecated = doc.is_some_and(|doc| walk.source(doc).contains("@deprecated"));
    let found = walk.symbol_mut(symbol);
    found.signature = Span::new(start, end);
    found.modifiers.insert_if(Modifiers::DEPRECATED, deprecated);
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
    let symbol = finish(walk, frame)?;
    walk.symbol_mut(symbol).ty = walk.outcome_of_kind(frame, "primitive_type").ty;
    None
}

pub(super) fn enum_case(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let value = walk.outcome(frame, "value").recipe;
    walk.value(symbol, value, frame.span.end);
    None
}

/// `new class(...) extends A { ... }` is called what PHP calls it.
pub(super) fn anonymous_class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let keyword = walk.source(frame.span).find("class").unwrap_or(0) as u32 + frame.span.start;
    let keyword = Span::sized(keyword, "class".len());
    let found = shared::name_symbol_as(walk, symbol, "class@anonymous", keyword);
    found.modifiers.insert(Modifiers::ANONYMOUS);
    walk.value_of(Recipe::Symbol(symbol))
}

/// `extends A`, `implements B, C`; `use T1, T2;` in a class mixes traits in.
pub(super) fn inherit(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let how = match frame.kind {
        "base_clause" => Inherit::Extends,
        "class_interface_clause" => Inherit::Implements,
        _ => Inherit::Mixin,
    };
    for child in walk.children(frame).to_vec() {
        if child.outcome.ty.is_known() {
            walk.set_role(child.outcome, Role::Inherit);
            walk.supertype(symbol, child.outcome.ty, how);
        }
    }
    None
}

/// `A::b as protected c` gives a method another name.
pub(super) fn use_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [original, .., alias] = *walk.children(frame) else {
        return None;
    };
    if alias.kind != "name" {
        return None;
    }
    let symbol = walk.new_symbol(SymbolKind::Method, frame.span);
    shared::name_symbol(walk, symbol, alias.span).visibility = frame.visibility;
    walk.value(symbol, original.outcome.recipe, frame.span.end);
    None
}

/// `#[A("x")]` on a declaration; those on parameters are references only.
pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.children(frame).first().copied()?;
    let arguments = walk.outcome(frame, "parameters").list;
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
    let value = walk.children(frame).get(1).outcome().recipe;
    Some(Outcome::recipe(value))
}

pub(super) fn property_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let default = walk.outcome(frame, "default_value").recipe;
    Some(Outcome::recipe(shared::known_default(walk, default)))
}

/// `const int A = 1, B = 2;`
pub(super) fn constants(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    elements_as_symbols(walk, frame, "const_element", 0)
}

/// `public int $a = 1, $b;` The names lose their `$`, for that is how they are used.
pub(super) fn properties(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    elements_as_symbols(walk, frame, "property_element", 1)
}

fn elements_as_symbols(
    walk: &mut Walk<'_>,
    frame: &Frame,
    kind: &'static str,
    sign_len: u32,
) -> Option<Outcome> {
    let first = frame.symbol?;
    let elements: Vec<Child> = walk.filter(frame, |child| child.kind == kind);
    let hooks = walk.child_of_kind(frame, "property_hook_list");
    let end = hooks.map_or(frame.span.end, |hooks| hooks.span.start);
    sign(walk, frame, first, end);
    let (declared, doc) = (walk.outcome(frame, "type").ty, walk.symbol(first).doc);
    let ty = or_documented(walk, declared, |walk| tagged_type(walk, doc, "var", None));
    let symbol = walk.symbol_mut(first);
    symbol.modifiers.insert(frame.modifiers);
    (symbol.visibility, symbol.ty) = (frame.visibility, ty);
    for (i, element) in elements.iter().enumerate() {
        let symbol = if i == 0 {
            first
        } else {
            let like = walk.symbol(first).clone();
            let symbol = walk.new_symbol(like.kind, like.span);
            *walk.symbol_mut(symbol) = like;
            symbol
        };
        let start = element.span.start + sign_len;
        let len = shared::word_len(walk.source(Span::new(start, element.span.end)));
        shared::name_symbol(walk, symbol, Span::sized(start, len));
        walk.value(symbol, element.outcome.recipe, element.span.end);
    }
    None
}

/// `get => ...`, `set($value) { ... }` of a property.
pub(super) fn property_hook(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "name")?;
    let property = walk.current_symbol()?;
    if !walk.source(name.span).eq_ignore_ascii_case("get") {
        walk.mark(property, Modifiers::SETTER);
        return None;
    }
    walk.mark(property, Modifiers::GETTER);
    let body = walk
        .child(frame, "body")
        .filter(|body| body.kind != "compound_statement")?;
    walk.value(property, body.outcome.recipe, body.span.end);
    None
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish(walk, frame)?;
    let (declared, doc) = (
        walk.outcome(frame, "return_type").ty,
        walk.symbol(symbol).doc,
    );
    let ty = or_documented(walk, declared, |walk| {
        tagged_type(walk, doc, "return", None)
    });
    walk.symbol_mut(symbol).ty = ty;
    if frame.kind != "method_declaration" {
        return None;
    }
    let class = walk.symbol(symbol).parent;
    let name = walk
        .child(frame, "name")
        .map_or("", |name| walk.source(name.span));
    let in_interface = walk.parent_kind(symbol) == Some(SymbolKind::Interface);
    let is_upper = |c: char| c.is_ascii_uppercase() || c == '_';
    let tests = name
        .strip_prefix("test")
        .is_some_and(|rest| rest.starts_with(is_upper));
    let is_test = tests && class.is_some_and(|class| is_test_class(walk, class));
    let symbol = walk.symbol_mut(symbol);
    if name.eq_ignore_ascii_case("__construct") {
        symbol.kind = SymbolKind::Constructor;
    }
    let modifiers = &mut symbol.modifiers;
    modifiers.insert_if(Modifiers::ABSTRACT, in_interface);
    modifiers.insert_if(Modifiers::TEST, is_test);
    None
}

/// The declared type, or the documented one where it says more: `array`, `iterable` and the like
/// say nothing about their elements.
fn or_documented<'text>(
    walk: &mut Walk<'text>,
    declared: TypeId,
    documented: impl FnOnce(&mut Walk<'text>) -> TypeId,
) -> TypeId {
    const CONTAINERS: [&str; 4] = ["array", "iterable", "object", "mixed"];
    let says_all = match walk.type_of(declared) {
        TypeRecipe::Unknown => false,
        TypeRecipe::Name(name) => !CONTAINERS.contains(&walk.builder.word(name)),
        _ => true,
    };
    if says_all {
        return declared;
    }
    match documented(walk) {
        TypeId::UNKNOWN => declared,
        documented => documented,
    }
}

/// The class's name is not yet read while it is open; its text is.
fn is_test_class(walk: &Walk<'_>, class: SymbolIndex) -> bool {
    let start = walk.symbol(class).span.start;
    let body = walk
        .ancestors()
        .find(|frame| frame.kind == "declaration_list");
    let header = Span::new(start, body.map_or(start, |body| body.span.start));
    let mut words = walk.source(header).split_whitespace();
    let endings = ["Test", "TestCase", "Tests"];
    words.any(|word| endings.iter().any(|ending| word.ends_with(ending)))
}

/// A parameter: its type, its default and what it binds.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    if frame.kind == "variadic_parameter" {
        ty = walk.ty(TypeRecipe::Array(ty));
    }
    let default = walk.outcome(frame, "default_value").recipe;
    let outcome = Outcome::recipe(shared::known_default(walk, default)).with_ty(ty);
    Some(outcome.with_pattern(walk.outcome(frame, "name").pattern))
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
    let doc = walk.symbol(method).doc;
    outcome.ty = or_documented(walk, outcome.ty, |walk| {
        tagged_type(walk, doc, "param", Some(text))
    });
    let symbol = walk.new_symbol(SymbolKind::Property, frame.span);
    let body = walk.symbol(class).body.unwrap_or_default();
    let symbol_mut = shared::name_symbol(walk, symbol, name_span);
    symbol_mut.modifiers = frame.modifiers | Modifiers::CONSTRUCTOR_PARAMETER;
    (symbol_mut.visibility, symbol_mut.ty) = (frame.visibility, outcome.ty);
    (symbol_mut.parent, symbol_mut.declared_in) = (Some(class), body);
    Some(outcome)
}

/// Parameters are bound in the scope of the function or closure around.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent_symbol();
    let doc = function.and_then(|function| walk.symbol(function).doc);
    let from = walk.scope_start();
    let mut index = 0;
    for child in walk.children(frame).to_vec() {
        let pattern = child
            .outcome
            .pattern
            .map(|pattern| walk.pattern_of(pattern));
        let Some(&Pattern::Name(id)) = pattern else {
            continue;
        };
        let name_span = walk.binding(id).name_span;
        let written = walk.source(name_span);
        let ty = or_documented(walk, child.outcome.ty, |walk| {
            tagged_type(walk, doc, "param", Some(written))
        });
        let binding = walk.binding_mut(id);
        debug_assert_eq!(binding.kind, BindingKind::Parameter);
        (binding.ty, binding.value, binding.from, binding.parameter) =
            (ty, child.outcome.recipe, from, Some(index));
        index += 1;
        let Some(function) = function else { continue };
        let mut flags = ParameterFlags::default();
        flags.insert_if(ParameterFlags::VARIADIC, child.kind == "variadic_parameter");
        let after = walk.source(Span::new(name_span.end, child.span.end));
        flags.insert_if(
            ParameterFlags::OPTIONAL,
            after.trim_start().starts_with('='),
        );
        // Arguments are named without the sign.
        let name = walk.name(written.trim_start_matches('$'));
        walk.parameter(function, name, ty, flags);
    }
    None
}
