//! What rules cannot say about Ruby's definitions.

use crate::prelude::*;

use super::expressions::as_type;

/// A class or module; `class A::B` is a `B` that belongs to `A`.
pub(super) fn class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (frame.symbol?, walk.child(frame, "name")?);
    let text = walk.source(name.span);
    let last = text.rfind("::").map_or(0, |at| at + 2) as u32;
    let header_end = walk.child(frame, "superclass").unwrap_or(name).span.end;
    let name_span = Span::new(name.span.start + last, name.span.end);
    let found = shared::name_symbol(walk, symbol, name_span);
    found.signature = Span::new(frame.span.start, header_end);
    // `class ::A` belongs to nothing.
    if last > 2 {
        found.owner = name.outcome.ty;
    }
    walk.value_of(Recipe::Symbol(symbol))
}

pub(super) fn superclass(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (class, symbol) = (walk.first(frame), walk.current_symbol()?);
    walk.set_role(class, Role::Inherit);
    let ty = as_type(walk, class.recipe);
    if ty.is_known() {
        walk.supertype(symbol, ty, Inherit::Extends);
    }
    None
}

/// The class or module around, if any.
pub(super) fn enclosing_type(walk: &Walk<'_>) -> Option<SymbolIndex> {
    type_around(walk, walk.current_symbol())
}

/// The symbol itself or the nearest one around it that is a class or module.
pub(super) fn type_around(walk: &Walk<'_>, mut symbol: Option<SymbolIndex>) -> Option<SymbolIndex> {
    while !walk.symbol(symbol?).kind.is_type() {
        symbol = walk.symbol(symbol?).parent;
    }
    symbol
}

/// A method of the class around, of the class itself, or of the program.
pub(super) fn enter_method(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(symbol) = frame.symbol else { return };
    let in_type = enclosing_type(walk).is_some();
    // Blocks such as `included do` and `class_methods do` define methods that are no locals.
    const AROUND: [&str; 5] = ["singleton_class", "class", "module", "do_block", "method"];
    let mut outer = walk.ancestors().skip(1);
    let around = outer.find(|outer| AROUND.contains(&outer.kind));
    let of_class = frame.kind == "singleton_method"
        || match around.map(|outer| outer.kind) {
            Some("singleton_class") => true,
            Some("do_block") => {
                let call = walk.ancestors().skip(1).find(|outer| outer.kind == "call");
                call.is_some_and(|call| walk.source(call.span).starts_with("class_methods"))
            }
            _ => false,
        };
    let symbol = walk.symbol_mut(symbol);
    if !in_type && frame.kind == "method" {
        symbol.kind = SymbolKind::Function;
    }
    if in_type {
        symbol.modifiers = Modifiers::default();
    }
    symbol
        .modifiers
        .insert_if(Modifiers::CLASS_METHOD, of_class);
}

pub(super) fn method(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (frame.symbol?, walk.child(frame, "name")?);
    let name_span = match name.kind {
        // `def :x` and the like.
        "simple_symbol" => Span::new(name.span.start + 1, name.span.end),
        _ => name.span,
    };
    shared::name_symbol(walk, symbol, name_span);
    let header_end = walk.child(frame, "parameters").unwrap_or(name).span.end;
    let text = walk.source(name_span);
    let value = walk.outcome(frame, "body").recipe;
    // What these give is not what they end with.
    if text != "initialize" && name.kind != "setter" && !never_ends(walk, value) {
        walk.value(symbol, value, frame.span.end);
    }
    let owner = match walk.child(frame, "object") {
        Some(object) if object.kind != "self" => object.outcome.ty,
        _ => TypeId::UNKNOWN,
    };
    let is_test = text.starts_with("test_") && walk.symbol(symbol).kind == SymbolKind::Method;
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(frame.span.start, header_end);
    symbol_mut.owner = owner;
    if text == "initialize" {
        symbol_mut.kind = SymbolKind::Constructor;
    }
    let modifiers = &mut symbol_mut.modifiers;
    modifiers.insert_if(Modifiers::SETTER, name.kind == "setter");
    modifiers.insert_if(Modifiers::TEST, is_test);
    walk.value_of(Recipe::Symbol(symbol))
}

/// A call of `raise` and the like.
fn never_ends(walk: &Walk<'_>, value: RecipeId) -> bool {
    let Recipe::Call(callee, _) = walk.recipe_of(value) else {
        return false;
    };
    let Recipe::Name(callee) = walk.recipe_of(callee) else {
        return false;
    };
    matches!(
        walk.builder.word(callee),
        "raise" | "fail" | "abort" | "exit" | "throw"
    )
}

/// What a parameter binds, and its default.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let default = shared::known_default(walk, walk.outcome(frame, "value").recipe);
    Some(Outcome::recipe(default).with_pattern(walk.outcome(frame, "name").pattern))
}

/// `*rest`, among parameters or in a pattern.
pub(super) fn rest_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut pattern = walk.outcome(frame, "name").pattern?;
    if !walk
        .parent()
        .is_some_and(|parent| parent.kind.ends_with("_parameters"))
    {
        pattern = walk.pattern(Pattern::Rest(pattern));
    }
    Some(Outcome::pattern(pattern))
}

/// Parameters of a method, block or lambda.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent_symbol();
    let from = walk.scope_start();
    let children: Vec<Child> = walk.filter(frame, |child| child.field != "locals");
    for (index, child) in children.iter().enumerate() {
        let flags = parameter_flags(walk, child);
        let mut name = walk.name("");
        let pattern = child.outcome.pattern;
        match pattern.map(|pattern| (pattern, walk.pattern_of(pattern).clone())) {
            Some((_, Pattern::Name(id))) => {
                let ty = container_type(walk, child.kind);
                let binding = walk.binding_mut(id);
                (binding.value, binding.from, binding.ty, binding.parameter) =
                    (child.outcome.recipe, from, ty, Some(index as u16));
                name = binding.name;
            }
            // `|(a, b), c|`: parts of a parameter that has no name.
            Some((pattern, _)) => {
                let whole = walk.name("");
                let binding = walk.new_binding(BindingKind::Parameter, whole, child.span);
                (binding.from, binding.parameter) = (from, Some(index as u16));
                let whole = walk.recipe(Recipe::Name(whole));
                walk.bind_pattern(pattern, whole, TypeId::UNKNOWN, child.span.end);
            }
            None => {}
        }
        if let Some(function) = function {
            walk.parameter(function, name, TypeId::UNKNOWN, flags);
        }
    }
    None
}

fn parameter_flags(walk: &Walk<'_>, child: &Child) -> ParameterFlags {
    let mut flags = ParameterFlags::default();
    match child.kind {
        "optional_parameter" => flags.insert(ParameterFlags::OPTIONAL),
        "splat_parameter" | "forward_parameter" => flags.insert(ParameterFlags::VARIADIC),
        "hash_splat_parameter" | "hash_splat_nil" => flags.insert(ParameterFlags::KEYWORD_VARIADIC),
        "block_parameter" => {
            flags.insert(ParameterFlags::BLOCK);
            flags.insert(ParameterFlags::OPTIONAL);
        }
        "keyword_parameter" => {
            flags.insert(ParameterFlags::KEYWORD_ONLY);
            let has_default = !walk.source(child.span).ends_with(':');
            flags.insert_if(ParameterFlags::OPTIONAL, has_default);
        }
        _ => {}
    }
    flags
}

/// What the body sees of `*rest`, `**options` and `&block`.
fn container_type(walk: &mut Walk<'_>, kind: &str) -> TypeId {
    match kind {
        "splat_parameter" => walk.type_named("Array"),
        "hash_splat_parameter" => walk.type_named("Hash"),
        "block_parameter" => walk.type_named("Proc"),
        _ => TypeId::UNKNOWN,
    }
}

/// `alias new old`.
pub(super) fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (new, old) = (walk.child(frame, "name")?, walk.child(frame, "alias")?);
    let bare = |child: Child| match child.kind {
        "simple_symbol" => Span::new(child.span.start + 1, child.span.end),
        _ => child.span,
    };
    define_alias(walk, frame.span, bare(new), bare(old));
    None
}

/// A method that is another one under a new name.
pub(super) fn define_alias(walk: &mut Walk<'_>, span: Span, new: Span, old: Span) {
    let receiver = walk.recipe(Recipe::SelfValue);
    walk.reference(old, Role::Read, Some(receiver));
    let old = walk.name_at(old);
    let value = walk.recipe(Recipe::Member(receiver, old));
    let value = walk.plain_call(value);
    let symbol = walk.new_symbol(SymbolKind::Method, span);
    shared::name_symbol(walk, symbol, new).modifiers = Modifiers::default();
    walk.value(symbol, value, span.end);
}

/// `Options.new(:name, :size)`: a constant made of symbols alone is a class of its own, as with
/// `Struct`, which such classes extend.
fn made_of_symbols(value: &str) -> bool {
    let path = path_len(value);
    let Some(arguments) = value[path..].strip_prefix(".new(") else {
        return false;
    };
    let arguments = arguments.split(')').next().unwrap_or("");
    let is_symbol = |argument: &str| {
        let word = argument.trim().strip_prefix(':').unwrap_or("");
        !word.is_empty() && shared::word_len(word) == word.len()
    };
    value.starts_with(|c: char| c.is_ascii_uppercase()) && arguments.split(',').all(is_symbol)
}

/// The length of the constant with its modules that a text starts with: `A::B`.
pub(super) fn path_len(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    end.unwrap_or(text.len())
}

/// `Name = value` defines a constant; with `Struct.new`, `Data.define` or `Class.new` a class.
pub(super) fn enter_assignment(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    if !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return;
    }
    let len = shared::word_len(text);
    let rest = text[len..].trim_start();
    let Some(value) = rest.strip_prefix("||=").or_else(|| rest.strip_prefix('=')) else {
        return;
    };
    let value = value.trim_start();
    const MAKERS: [&str; 5] = [
        "Struct.new",
        "Data.define",
        "Class.new",
        "::Struct.new",
        "Module.new",
    ];
    let made = MAKERS.into_iter().find(|made| value.starts_with(made));
    let made = made.or(made_of_symbols(value).then_some("Struct.new"));
    let kind = match made {
        Some("Module.new") => SymbolKind::Trait,
        Some(_) => SymbolKind::Class,
        None => SymbolKind::Constant,
    };
    let symbol = walk.define(frame, kind, frame.span);
    let found = shared::name_symbol(walk, symbol, Span::sized(frame.span.start, len));
    found.modifiers = Modifiers::default();
    if made.is_some() {
        frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(symbol)));
    }
}
