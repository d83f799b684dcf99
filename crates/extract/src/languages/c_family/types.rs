//! Structs, unions, enums, classes, and types as they are written.

use crate::prelude::*;

use super::{declarators, names};

/// `int`, `unsigned long`: keywords, so there is nothing to refer to.
pub(crate) fn primitive(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if frame.context == Context::Name {
        return Some(names::at_place(frame.span));
    }
    let word: Vec<&str> = walk.source(frame.span).split_whitespace().collect();
    let ty = walk.type_named(word.join(" "));
    Some(Outcome::recipe(walk.recipe(Recipe::Type(ty))).with_ty(ty))
}

/// A type with its abstract declarator: `const Foo *[3]`.
pub(crate) fn descriptor(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.outcome(frame, "type");
    let declarator = walk.outcome(frame, "declarator");
    if !declarator.ty.is_known() {
        return Some(base);
    }
    let constant = declarators::constant(walk, frame, base.ty, declarator.ty);
    let ty = declarators::fill(walk, declarator.ty, constant);
    Some(Outcome::ty(ty).with_reference(base.reference))
}

/// `struct Foo { .. }` defines, `struct Foo;` declares, `struct Foo` elsewhere refers.
pub(crate) fn enter_record(walk: &mut Walk<'_>, frame: &mut Frame) {
    let kind = match frame.kind {
        "class_specifier" => SymbolKind::Class,
        "union_specifier" => SymbolKind::Union,
        "enum_specifier" => SymbolKind::Enum,
        _ => SymbolKind::Struct,
    };
    let text = walk.source(frame.span);
    let has_body = memchr::memchr(b'{', text.as_bytes()).is_some();
    if !has_body && !is_forward_declaration(walk, frame) {
        return;
    }
    // What the declaration around says before it belongs to the type if it declares nothing else.
    let symbol = walk.define(frame, kind, frame.span);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut
        .modifiers
        .insert_if(Modifiers::PROTOTYPE, !has_body);
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(symbol)));
}

/// Stands alone before a semicolon.
fn is_forward_declaration(walk: &Walk<'_>, frame: &Frame) -> bool {
    let after = walk
        .text
        .get(frame.span.end as usize..)
        .unwrap_or("")
        .trim_start();
    let Some(parent) = walk.ancestors().nth(1) else {
        return false;
    };
    let alone = match parent.kind {
        "translation_unit"
        | "declaration_list"
        | "template_declaration"
        | "linkage_specification"
        | "compound_statement"
        | "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif" => true,
        "field_declaration" => parent.span.start == frame.span.start,
        _ => false,
    };
    alone && after.starts_with(';')
}

pub(crate) fn record(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let Some(symbol) = frame.symbol else {
        // A mere mention; its name was walked as one that is declared.
        let name = name?;
        return Some(mention(walk, name.outcome, name.span));
    };
    let end = walk.start_of(frame, "body");
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(symbol_mut.span.start, end);
    symbol_mut.modifiers.insert(frame.modifiers);
    let underlying = walk
        .child(frame, "underlying_type")
        .or_else(|| walk.child(frame, "base"))
        .outcome()
        .ty;
    if underlying.is_known() {
        walk.symbol_mut(symbol).ty = underlying;
    }
    let Some(name) = name else {
        walk.mark(symbol, Modifiers::ANONYMOUS);
        let scope = frame.scope.unwrap_or_default();
        return walk.type_value(TypeRecipe::Members(scope));
    };
    let place = names::place(name.outcome).unwrap_or(name.span);
    shared::name_symbol(walk, symbol, place);
    let owner = names::owner_of(walk, name.outcome);
    walk.symbol_mut(symbol).owner = owner;
    let word = walk.name_at(place);
    let ty = walk.ty(TypeRecipe::Name(word));
    Some(Outcome::ty(if owner.is_known() {
        walk.ty(TypeRecipe::Scoped(owner, word))
    } else {
        ty
    }))
}

fn mention(walk: &mut Walk<'_>, name: Outcome, whole: Span) -> Outcome {
    let place = names::place(name).unwrap_or(whole);
    let word = walk.name_at(place);
    let owner = names::owner_of(walk, name);
    let receiver = owner.is_known().then(|| walk.recipe(Recipe::Type(owner)));
    let reference = walk.reference(place, Role::TypeUse, receiver);
    let ty = walk.type_in(owner, word);
    // A tag is meant, which C keeps apart from other names.
    let tag = walk.recipe(Recipe::Type(ty));
    walk.reference_mut(reference).call = Some(tag);
    Outcome::named_type(walk.recipe(Recipe::Name(word)), ty, reference)
}

/// A plain enum's members are names of the scope around it.
pub(crate) fn enumerator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let value = walk.outcome(frame, "value").recipe;
    walk.value(symbol, value, frame.span.end);
    let around = walk.scope_of(walk.scope());
    let scoped = around.owner.is_some_and(|owner| {
        let text = walk.source(walk.symbol(owner).span);
        text.starts_with("enum class") || text.starts_with("enum struct")
    });
    if around.kind == ScopeKind::Type && !scoped {
        let outer = around.parent;
        walk.symbol_mut(symbol).declared_in = outer;
    }
    walk.symbol_mut(symbol).visibility = Visibility::Default;
    None
}
