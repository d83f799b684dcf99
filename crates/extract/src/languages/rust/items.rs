//! Items of Rust: functions, types, impls, traits, modules, constants, and the attributes before
//! them.

use crate::prelude::*;

use super::{
    lexer::{TokenKind, is_keyword, tokens},
    types::{tuple_of, types_in},
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
    let newest = walk.facts().annotations.iter().rev();
    let own = newest.take_while(|annotation| annotation.symbol == symbol);
    let own: Vec<_> = own.map(|own| (own.recipe, own.span)).collect();
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
            let end = comments.start + text.trim_end().len() as u32;
            return Some(Span::new(start, end));
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
    let lines = inside.split_inclusive('\n');
    let doc = lines.take_while(|line| line.trim_start().starts_with("//!"));
    let doc = inside[..doc.map(str::len).sum()].trim_end();
    (!doc.is_empty()).then(|| Span::sized(body.start + start as u32, doc.len()))
}

pub(super) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_definition(walk, frame);
    let Some(symbol) = frame.symbol else { return };
    let container = container(walk);
    let is_signature = frame.kind == "function_signature_item";
    if matches!(container, "impl_item" | "trait_item") {
        walk.symbol_mut(symbol).kind = SymbolKind::Method;
    }
    match container {
        "trait_item" if is_signature => walk.mark(symbol, Modifiers::ABSTRACT),
        "foreign_mod_item" => walk.mark(symbol, Modifiers::EXTERN | Modifiers::PROTOTYPE),
        _ => {}
    }
}

pub(super) fn enter_static(walk: &mut Walk<'_>, frame: &mut Frame) {
    enter_definition(walk, frame);
    let is_foreign = container(walk) == "foreign_mod_item";
    if let Some(symbol) = frame.symbol.filter(|_| is_foreign) {
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
    let children: Vec<Child> = walk.filter(frame, |child| child.kind != "attribute_item");
    let Some(function) = walk.parent_symbol() else {
        let types: Vec<TypeId> = children.iter().map(|child| child.outcome.ty).collect();
        return Some(tuple_of(walk, &types));
    };
    let from = walk.scope_start();
    let mut has_receiver = false;
    for (index, child) in children.iter().enumerate() {
        let mut flags = ParameterFlags::default();
        let mut name = walk.name("");
        let is_receiver = match child.kind {
            "self_parameter" => true,
            "parameter" => child.outcome.pattern.is_none() && receiver_with_type(walk, child),
            _ => false,
        };
        if is_receiver {
            flags.insert(ParameterFlags::RECEIVER);
            name = walk.name("self");
        }
        flags.insert_if(ParameterFlags::VARIADIC, child.kind == "variadic_parameter");
        has_receiver |= is_receiver;
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
    let is_static = function.kind == SymbolKind::Method && !has_receiver;
    function.modifiers.insert_if(Modifiers::STATIC, is_static);
    None
}

/// `self: Box<Self>`.
fn receiver_with_type(walk: &Walk<'_>, parameter: &Child) -> bool {
    let text = walk.source(parameter.span);
    let text = text.strip_prefix("mut").unwrap_or(text).trim_start();
    let rest = text.strip_prefix("self").unwrap_or("");
    rest.trim_start().starts_with(':')
}

pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let pattern = walk.outcome(frame, "pattern").pattern;
    let ty = walk.outcome(frame, "type").ty;
    let in_type = walk.ancestor_is(1, &["function_type"]);
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
    Some(Outcome::NONE.with_pattern(pattern).with_ty(ty))
}

/// `&self` is a `&Self`.
pub(super) fn self_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.ty(TypeRecipe::SelfType);
    if walk.source(frame.span).starts_with('&') {
        ty = walk.ty(TypeRecipe::Reference(ty));
    }
    Some(Outcome::ty(ty))
}

/// Structs, enums, unions, variants.
pub(super) fn definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::finish_symbol(walk, frame, "name", "body");
    None
}

/// The fields of a tuple struct or tuple variant are its parameters.
pub(super) fn ordered_fields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let fields = walk.filter(frame, |child| child.field == "type");
    for ty in fields.iter().map(|field| field.outcome.ty) {
        let parameter = NewParameter {
            ty,
            ..NewParameter::default()
        };
        shared::parameter(walk, Some(symbol), parameter);
    }
    None
}

/// The fields of a variant are in a scope of its own.
pub(super) fn enter_fields(walk: &mut Walk<'_>, frame: &mut Frame) {
    let variant = walk
        .ancestors()
        .nth(1)
        .filter(|parent| parent.kind == "enum_variant");
    let variant = variant.and_then(|variant| variant.symbol);
    if variant.is_some() {
        frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, variant));
    }
}

/// Constants, statics, fields, aliases and associated types: something with a type and perhaps a
/// value.
pub(super) fn typed(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "value")?;
    let ty = walk.child(frame, "type").or(walk.child(frame, "bounds"));
    let mutable = walk.child_of_kind(frame, "mutable_specifier").is_some();
    let found = walk.symbol_mut(symbol);
    found.ty = ty.outcome().ty;
    found.modifiers.insert_if(Modifiers::MUTABLE, mutable);
    let is_abstract = frame.kind == "associated_type";
    found.modifiers.insert_if(Modifiers::ABSTRACT, is_abstract);
    if let Some(value) = walk.child(frame, "value") {
        walk.value(symbol, value.outcome.recipe, value.span.start);
    }
    None
}

/// Named after its self type, whose name is thus both a reference and the place of the impl.
pub(super) fn implementation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "", "body")?;
    let ty = walk.child(frame, "type")?;
    let reference = ty.outcome.reference;
    let name_span = reference.map_or(ty.span, |reference| walk.reference_mut(reference).span);
    let found = shared::name_symbol(walk, symbol, name_span);
    (found.ty, found.owner) = (ty.outcome.ty, ty.outcome.ty);
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
        let body = walk.child(frame, "body");
        let inner = || inner_doc(walk, body?.span);
        walk.symbol_mut(symbol).doc = walk.symbol(symbol).doc.or_else(inner);
        return None;
    }
    let mut attributes = walk.leading_annotations().iter();
    let path = attributes.find_map(|&(recipe, _)| path_attribute(walk, recipe));
    walk.forget_leading();
    let module = walk.name_at(name.span);
    let import = walk.new_import(ImportKind::ModuleFile, module, frame.span, name.span);
    (import.item, import.local) = (path, Some(module));
    import.reexported = frame.visibility != Visibility::Default;
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
                let outer = levels.last_mut();
                let callee = outer.map(|outer| std::mem::take(&mut outer.item));
                let callee = callee.unwrap_or_default();
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
