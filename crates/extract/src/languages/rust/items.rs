//! Items of Rust: functions, types, impls, traits, modules, constants, and the attributes before
//! them.

use facts::{
    ImportKind, Inherit, Modifiers, NameId, ParameterFlags, Recipe, RecipeId, Role, ScopeKind,
    Span, SymbolKind, TypeId, TypeRecipe, Visibility,
};

use super::{
    lexer::{TokenKind, is_keyword, tokens},
    types::{tuple_of, types_in},
};
use crate::{
    handlers::{self as shared, NewParameter},
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// The node around the list of declarations in which an open node is: an impl, a trait, a
/// module, foreign items.
fn container(walk: &Walk<'_>) -> &'static str {
    let mut around = walk.ancestors().skip(1);
    match (around.next(), around.next()) {
        (Some(list), Some(container)) if list.kind == "declaration_list" => container.kind,
        (Some(container), _) => container.kind,
        _ => "",
    }
}

/// What comments and attributes before a definition say about it.
pub(super) fn enter_definition(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(symbol) = frame.symbol else { return };
    let doc = walk.symbol(symbol).doc.and_then(|doc| outer_doc(walk, doc));
    walk.symbol_mut(symbol).doc = doc;
    let own: Vec<(RecipeId, Span)> = walk
        .facts()
        .annotations
        .iter()
        .rev()
        .take_while(|annotation| annotation.symbol == symbol)
        .map(|annotation| (annotation.recipe, annotation.span))
        .collect();
    for (recipe, span) in own.into_iter().rev() {
        let callee = match walk.recipe_of(recipe) {
            Recipe::Call(callee, _) => callee,
            _ => recipe,
        };
        let (Recipe::Name(name) | Recipe::Scoped(_, name)) = walk.recipe_of(callee) else {
            continue;
        };
        let word = walk.word(name);
        let symbol = walk.symbol_mut(symbol);
        match word.as_str() {
            "test" | "bench" | "rstest" | "test_case" | "quickcheck" | "proptest" => {
                symbol.modifiers.insert(Modifiers::TEST)
            }
            "deprecated" => symbol.modifiers.insert(Modifiers::DEPRECATED),
            "doc" if symbol.doc.is_none() => symbol.doc = Some(span),
            _ => {}
        }
    }
}

/// The outer documentation among the comments before a definition: from the first `///` or `/**`
/// on.
fn outer_doc(walk: &Walk<'_>, comments: Span) -> Option<Span> {
    let text = walk.source(comments);
    let is_doc = |line: &str| {
        line.starts_with("///") && !line.starts_with("////")
            || line.starts_with("/**") && !line.starts_with("/***") && !line.starts_with("/**/")
    };
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if is_doc(trimmed) {
            let start = comments.start + (offset + line.len() - trimmed.len()) as u32;
            return Some(Span::new(
                start,
                comments.start + text.trim_end().len() as u32,
            ));
        }
        offset += line.len();
    }
    None
}

/// `//!` lines at the start of a body.
fn inner_doc(walk: &Walk<'_>, body: Span) -> Option<Span> {
    let text = walk.source(body);
    let inside = text.strip_prefix('{')?.trim_start();
    let start = text.len() - inside.len();
    let len: usize = inside
        .split_inclusive('\n')
        .take_while(|line| line.trim_start().starts_with("//!"))
        .map(str::len)
        .sum();
    let doc = inside[..len].trim_end();
    (!doc.is_empty()).then(|| {
        Span::new(
            body.start + start as u32,
            body.start + (start + doc.len()) as u32,
        )
    })
}

pub(super) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_definition(walk, frame);
    let Some(symbol) = frame.symbol else { return };
    let container = container(walk);
    let symbol = walk.symbol_mut(symbol);
    match container {
        "impl_item" => symbol.kind = SymbolKind::Method,
        "trait_item" => {
            symbol.kind = SymbolKind::Method;
            if frame.kind == "function_signature_item" {
                symbol.modifiers.insert(Modifiers::ABSTRACT);
            }
        }
        "foreign_mod_item" => symbol
            .modifiers
            .insert(Modifiers::EXTERN | Modifiers::PROTOTYPE),
        _ => {}
    }
}

pub(super) fn enter_static(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_definition(walk, frame);
    if let Some(symbol) = frame
        .symbol
        .filter(|_| container(walk) == "foreign_mod_item")
    {
        walk.mark(symbol, Modifiers::EXTERN | Modifiers::PROTOTYPE);
    }
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let ty = walk.outcome(frame, "return_type").ty;
    walk.symbol_mut(symbol).ty = ty;
    // What lies behind `impl Trait` is only known from the body.
    if matches!(walk.type_of(ty), TypeRecipe::Bounds(_))
        && let Some(body) = walk.child(frame, "body")
    {
        walk.value(symbol, body.outcome.recipe, body.span.end);
    }
    None
}

/// Parameters of a function are bound in its scope; those of a function type are a tuple of types.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children: Vec<Child> = walk
        .children(frame)
        .iter()
        .filter(|child| child.kind != "attribute_item")
        .copied()
        .collect();
    let Some(function) = walk
        .parent()
        .filter(|parent| parent.kind != "function_type")
        .and_then(|parent| parent.symbol)
    else {
        let types: Vec<TypeId> = children.iter().map(|child| child.outcome.ty).collect();
        return Some(tuple_of(walk, &types));
    };
    let from = walk.scope_of(walk.scope()).span.start;
    let mut has_receiver = false;
    for (index, child) in children.iter().enumerate() {
        let mut flags = ParameterFlags::default();
        let mut name = walk.name("");
        match child.kind {
            "self_parameter" => {
                flags.insert(ParameterFlags::RECEIVER);
                name = walk.name("self");
            }
            "variadic_parameter" => flags.insert(ParameterFlags::VARIADIC),
            _ => {}
        }
        if child.kind == "parameter"
            && child.outcome.pattern.is_none()
            && receiver_with_type(walk, child)
        {
            flags.insert(ParameterFlags::RECEIVER);
            name = walk.name("self");
        }
        has_receiver |= flags.contains(ParameterFlags::RECEIVER);
        if let Some(pattern) = child.outcome.pattern {
            walk.bind_pattern(pattern, RecipeId::UNKNOWN, child.outcome.ty, from);
            if let Pattern::Name(binding) = *walk.pattern_of(pattern) {
                let binding = walk.binding_mut(binding);
                binding.parameter = Some(index as u16);
                name = binding.name;
            }
        }
        walk.parameter(function, name, child.outcome.ty, flags);
    }
    let function = walk.symbol_mut(function);
    if function.kind == SymbolKind::Method && !has_receiver {
        function.modifiers.insert(Modifiers::STATIC);
    }
    None
}

/// `self: Box<Self>`.
fn receiver_with_type(walk: &Walk<'_>, parameter: &Child) -> bool {
    let text = walk.source(parameter.span);
    let text = text.strip_prefix("mut").unwrap_or(text).trim_start();
    text.strip_prefix("self")
        .is_some_and(|rest| rest.trim_start().starts_with(':'))
}

pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (pattern, ty) = (
        walk.outcome(frame, "pattern").pattern,
        walk.outcome(frame, "type").ty,
    );
    let in_type = walk
        .ancestors()
        .nth(1)
        .is_some_and(|around| around.kind == "function_type");
    if let Some(pattern) = pattern.filter(|_| in_type) {
        // A name in a function type is for the reader only.
        for binding in walk.bindings_in(pattern) {
            let span = walk.binding(binding).name_span;
            walk.label(span);
            if binding.0 as usize + 1 == walk.facts().bindings.len() {
                walk.facts_mut().bindings.pop();
            }
        }
        return Some(Outcome::ty(ty));
    }
    Some(Outcome {
        pattern,
        ty,
        ..Outcome::NONE
    })
}

/// `&self` is a `&Self`.
pub(super) fn self_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let own = walk.ty(TypeRecipe::SelfType);
    let by_reference = walk.source(frame.span).starts_with('&');
    Some(Outcome::ty(if by_reference {
        walk.ty(TypeRecipe::Reference(own))
    } else {
        own
    }))
}

/// Structs, enums, unions, variants.
pub(super) fn definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::finish_symbol(walk, frame, "name", "body");
    None
}

/// The fields of a tuple struct or tuple variant are its parameters.
pub(super) fn ordered_fields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let types: Vec<TypeId> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "type")
        .map(|child| child.outcome.ty)
        .collect();
    for (index, ty) in types.into_iter().enumerate() {
        let new = NewParameter {
            name: None,
            ty,
            default: RecipeId::UNKNOWN,
            flags: ParameterFlags::default(),
            index: index as u16,
        };
        shared::parameter(walk, Some(symbol), new);
    }
    None
}

/// The fields of a variant are in a scope of its own.
pub(super) fn enter_fields(walk: &mut Walk<'_>, frame: &mut Frame) {
    let variant = walk
        .ancestors()
        .nth(1)
        .filter(|parent| parent.kind == "enum_variant")
        .and_then(|parent| parent.symbol);
    if variant.is_some() {
        frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, variant));
    }
}

/// Constants, statics, fields, aliases and associated types: something with a type and perhaps a
/// value.
pub(super) fn typed(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "value")?;
    let ty = walk
        .child(frame, "type")
        .or_else(|| walk.child(frame, "bounds"))
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    let mutable = walk.child_of_kind(frame, "mutable_specifier").is_some();
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.ty = ty;
    if mutable {
        symbol_mut.modifiers.insert(Modifiers::MUTABLE);
    }
    if frame.kind == "associated_type" {
        symbol_mut.modifiers.insert(Modifiers::ABSTRACT);
    }
    if let Some(value) = walk.child(frame, "value") {
        walk.value(symbol, value.outcome.recipe, value.span.start);
    }
    None
}

/// Named after its self type, whose name is thus both a reference and the place of the impl.
pub(super) fn implementation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "body")?;
    let ty = walk.child(frame, "type")?;
    let name_span = ty
        .outcome
        .reference
        .map_or(ty.span, |reference| walk.reference_mut(reference).span);
    shared::name_symbol(walk, symbol, name_span);
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.ty, symbol_mut.owner) = (ty.outcome.ty, ty.outcome.ty);
    if let Some(of) = walk.child(frame, "trait") {
        walk.set_role(of.outcome, Role::Inherit);
        walk.supertype(symbol, of.outcome.ty, Inherit::Implements);
    }
    None
}

pub(super) fn of_trait(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let bounds = types_in(walk, walk.outcome(frame, "bounds").ty);
    for ty in walk.type_list_of(bounds).to_vec() {
        walk.supertype(symbol, ty, Inherit::Extends);
    }
    None
}

/// `mod x { … }` is a symbol; `mod x;` names another file.
pub(super) fn enter_module(walk: &mut Walk<'_>, frame: &mut Frame) {
    if walk.source(frame.span).ends_with('}') {
        let symbol = walk.define(frame, SymbolKind::Module, frame.span);
        frame.scope = Some(walk.new_scope(ScopeKind::Namespace, frame.span, Some(symbol)));
        enter_definition(walk, frame);
    }
}

pub(super) fn module(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    if let Some(symbol) = shared::finish_symbol(walk, frame, "name", "body") {
        let doc = walk.symbol(symbol).doc.or_else(|| {
            walk.child(frame, "body")
                .and_then(|body| inner_doc(walk, body.span))
        });
        walk.symbol_mut(symbol).doc = doc;
        return None;
    }
    let path = walk
        .leading_annotations()
        .iter()
        .find_map(|&(recipe, _)| path_attribute(walk, recipe));
    walk.forget_leading();
    let module = walk.name_at(name.span);
    walk.import(facts::Import {
        kind: ImportKind::ModuleFile,
        module,
        level: 0,
        item: path,
        local: Some(module),
        scope: walk.scope(),
        span: frame.span,
        name_span: name.span,
        alias_span: None,
        reexported: frame.visibility != Visibility::Default,
    });
    None
}

/// The file that `#[path = "…"]` names.
fn path_attribute(walk: &Walk<'_>, recipe: RecipeId) -> Option<NameId> {
    let Recipe::Call(callee, arguments) = walk.recipe_of(recipe) else {
        return None;
    };
    let Recipe::Name(name) = walk.recipe_of(callee) else {
        return None;
    };
    match walk.recipe_of(*walk.list_of(arguments).first()?) {
        Recipe::Str(path) if walk.word(name) == "path" => Some(path),
        _ => None,
    }
}

pub(super) fn enter_visibility(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.visibility = match walk.source(frame.span) {
        "pub" => Visibility::Public,
        text if text.contains("self") => Visibility::Private,
        _ => Visibility::Internal,
    };
}

/// Attributes before such a node belong to no symbol.
pub(super) fn enter_statement(walk: &mut Walk<'_>, _: &mut Frame) {
    walk.forget_leading();
}

/// `#[…]` before an item belongs to it, `#![…]` to what it is in.
pub(super) fn attribute_item(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let recipe = walk.first(frame).recipe;
    let before_item = walk.parent_is(&[
        "source_file",
        "declaration_list",
        "block",
        "enum_variant_list",
        "field_declaration_list",
        "ERROR",
    ]);
    if frame.kind == "inner_attribute_item" {
        if let Some(symbol) = walk.current_symbol() {
            walk.annotation(symbol, recipe, frame.span);
        }
    } else if before_item {
        walk.leading_annotation(recipe, frame.span);
    }
    None
}

/// `name`, `name = value`, `name(arguments)`.
pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    walk.set_role(path.outcome, Role::Annotation);
    let arguments = match (walk.child(frame, "value"), walk.child(frame, "arguments")) {
        (Some(value), _) => vec![value.outcome.recipe],
        (_, Some(tree)) => {
            let derives = walk.source(path.span) == "derive";
            attribute_arguments(walk, tree.span, derives)
        }
        _ => return Some(path.outcome),
    };
    let arguments = walk.list(&arguments);
    walk.value_of(Recipe::Call(path.outcome.recipe, arguments))
}

/// One level of `a, b = "c", d(e, f)`.
#[derive(Default)]
struct AttributeLevel {
    callee: RecipeId,
    items: Vec<RecipeId>,
    /// The item being read, and the name before its `=`.
    item: RecipeId,
    key: Option<NameId>,
}

impl AttributeLevel {
    fn finish_item(&mut self, walk: &mut Walk<'_>) {
        let item = std::mem::take(&mut self.item);
        let item = match self.key.take() {
            Some(key) => walk.recipe(Recipe::Field(key, item)),
            None => item,
        };
        if item.is_known() {
            self.items.push(item);
        }
    }
}

/// The arguments of an attribute as recipes. Derived traits and what is after `=` are
/// references; other words are labels.
fn attribute_arguments(walk: &mut Walk<'_>, tree: Span, derives: bool) -> Vec<RecipeId> {
    let mut levels: Vec<AttributeLevel> = Vec::new();
    let mut scoped = false;
    for token in tokens(walk.text, tree) {
        let text = walk.source(token.span);
        match token.kind {
            TokenKind::Open => {
                let callee = levels
                    .last_mut()
                    .map_or(RecipeId::UNKNOWN, |level| std::mem::take(&mut level.item));
                levels.push(AttributeLevel {
                    callee,
                    ..AttributeLevel::default()
                });
            }
            TokenKind::Close => {
                let Some(mut level) = levels.pop() else { break };
                level.finish_item(walk);
                let Some(outer) = levels.last_mut() else {
                    return level.items;
                };
                let items = walk.list(&level.items);
                outer.item = walk.recipe(Recipe::Call(level.callee, items));
            }
            _ => {}
        }
        let Some(level) = levels.last_mut() else {
            break;
        };
        match token.kind {
            TokenKind::Word if !is_keyword(text) => {
                let name = walk.name_at(token.span);
                let receiver = Some(level.item).filter(|item| scoped && item.is_known());
                level.item = walk.recipe(receiver.map_or(Recipe::Name(name), |receiver| {
                    Recipe::Scoped(receiver, name)
                }));
                match (derives, level.key) {
                    (true, _) => drop(walk.reference(token.span, Role::Annotation, receiver)),
                    (false, Some(_)) => drop(walk.reference(token.span, Role::Read, receiver)),
                    (false, None) => walk.label(token.span),
                }
            }
            TokenKind::String => {
                walk.string_trivia(token.span);
                let text = walk.name(shared::unquoted(text));
                level.item = walk.recipe(Recipe::Str(text));
            }
            TokenKind::Mark if text == "," => level.finish_item(walk),
            TokenKind::Mark if text == "=" => {
                if let Recipe::Name(name) = walk.recipe_of(std::mem::take(&mut level.item)) {
                    level.key = Some(name);
                }
            }
            _ => {}
        }
        scoped = text == ":";
    }
    Vec::new()
}
