//! What is declared in Java: packages, imports, types, members, parameters.

use crate::prelude::*;
use rustc_hash::FxHashSet;

// The file.

/// `package a.b;` is a namespace that holds everything after it.
pub(super) fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).last().copied()?;
    shared::package(
        walk,
        frame,
        without_space(walk.source(name.span)),
        name.span,
    );
    None
}

fn without_space(name: &str) -> String {
    name.split_whitespace().collect()
}

/// `import a.b.C;`, `import a.b.*;`, `import static a.B.c;`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    let glob = walk.child_of_kind(frame, "asterisk").is_some();
    let is_static = frame.modifiers.contains(Modifiers::STATIC);
    let (module, name_span) = shared::import_path(walk, path.span, glob);
    let module = walk.name(without_space(module));
    let item = (!glob).then(|| walk.name_at(name_span));
    let kind = if is_static {
        ImportKind::Static
    } else {
        shared::import_kind(glob)
    };
    let import = walk.new_import(kind, module, frame.span, name_span);
    (import.item, import.local) = (item, item);
    None
}

/// `module a.b { ... }`.
pub(super) fn module(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::finish_symbol(walk, frame, "name", "body");
    None
}

/// `requires a.b;`.
pub(super) fn requires(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let module = walk.child(frame, "module")?;
    let name = walk.name_at(module.span);
    walk.new_import(ImportKind::Module, name, frame.span, module.span);
    None
}

/// A dotted name outside of expressions: an annotation, a package in a module's directive.
pub(super) fn scoped_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    match frame.context {
        Context::Name => None,
        Context::Label => {
            walk.label(name.span);
            None
        }
        context => {
            let scope = walk.outcome(frame, "scope");
            Some(shared::member_of(walk, context, scope, name.span))
        }
    }
}

/// Runs after the walk. A bare `case NAME` was read as a member of what is switched on; where the
/// file itself has a constant of that name, the constant is meant.
pub(super) fn finish(walk: &mut Walk<'_>) {
    let constants = constants(walk);
    let text = walk.text.as_bytes();
    for reference in &mut walk.facts_mut().references {
        if reference.role == Role::Read
            && reference.receiver.is_some()
            && constants.contains(&reference.name)
        {
            // Of the members, only labels and the keys of annotations have no dot or colons before
            // them; `=` follows a key.
            let before = text[..reference.span.start as usize].trim_ascii_end();
            let after = text[reference.span.end as usize..].trim_ascii_start();
            if !before.ends_with(b".")
                && !before.ends_with(b":")
                && !before.ends_with(b">")
                && !after.starts_with(b"=")
            {
                reference.receiver = None;
            }
        }
    }
}

/// What a `case` can name besides the constants of an enum: a number or a text. What a static
/// import brings may be one.
fn constants(walk: &Walk<'_>) -> FxHashSet<NameId> {
    let is_plain = |ty: TypeId| {
        let TypeRecipe::Name(name) = walk.type_of(ty) else {
            return false;
        };
        ["byte", "short", "char", "int", "String"].contains(&walk.builder.word(name))
    };
    let is_constant = |symbol: &&Symbol| {
        matches!(symbol.kind, SymbolKind::Field | SymbolKind::Constant) && is_plain(symbol.ty)
    };
    let symbols = walk.facts().symbols.iter().filter(is_constant);
    let imports = walk.facts().imports.iter();
    let imported = imports.filter(|import| import.kind == ImportKind::Static);
    let names = symbols.map(|symbol| symbol.name);
    names
        .chain(imported.filter_map(|import| import.local))
        .collect()
}

// Types and members.

/// Name, modifiers, and a signature from the first modifier to the body.
fn finish_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<SymbolIndex> {
    // Where the annotations end, as `modifiers` found it.
    let start = walk.symbol(frame.symbol?).signature.start;
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    let found = walk.symbol(symbol);
    let mut signature = Span::new(start, found.signature.end);
    if walk.source(signature).ends_with(';') {
        signature.end -= 1;
    }
    walk.symbol_mut(symbol).signature = signature;
    shared::mark_local(walk, symbol);
    Some(symbol)
}

pub(super) fn type_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    finish_declaration(walk, frame);
    None
}

/// What is after `extends` and `implements`; what a sealed type permits is no supertype.
pub(super) fn supertypes(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let around = walk.parent().map_or("", |parent| parent.kind);
    let how = match (frame.kind, around) {
        ("superclass", _) | (_, "extends_interfaces") => Inherit::Extends,
        (_, "super_interfaces") => Inherit::Implements,
        _ => return None,
    };
    let symbol = walk.current_symbol()?;
    for child in walk.children(frame).to_vec() {
        if child.outcome.ty.is_known() {
            walk.supertype(symbol, child.outcome.ty, how);
            walk.set_role(child.outcome, Role::Inherit);
        }
    }
    None
}

/// The body of `new Foo() { ... }` or of an enum constant is a class of its own.
pub(super) fn enter_class_body(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(around) = walk.ancestors().nth(1).cloned() else {
        return;
    };
    let ty = match (around.kind, around.symbol) {
        ("enum_constant", Some(constant)) => {
            let name = shared::open_name(walk, constant);
            name.map_or(TypeId::UNKNOWN, |name| walk.type_named(walk.source(name)))
        }
        ("object_creation_expression", _) => walk.outcome(&around, "type").ty,
        _ => return,
    };
    shared::define_anonymous_class(walk, frame, around.span.start, ty);
}

/// A constant is made by the enum's constructor; the reference to it is at its arguments.
pub(super) fn enum_constant(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish_declaration(walk, frame)?;
    let name = walk.name_at(shared::open_name(walk, symbol)?);
    let arguments = walk.child(frame, "arguments");
    shared::enum_constant(walk, frame, name, arguments);
    None
}
pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let name = walk.child_of_kind(frame, "type_identifier")?;
    let bound = walk.outcome_of_kind(frame, "type_bound").ty;
    let bounds = match walk.type_of(bound) {
        TypeRecipe::Intersection(types) => types,
        _ => shared::bounds(walk, bound),
    };
    let name_span = name.span;
    let name = walk.name_at(name_span);
    walk.type_parameter(symbol, name, name_span, bounds);
    None
}

/// Annotations belong to the declaration around; the keywords go there by themselves.
pub(super) fn modifiers(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let annotations = walk.children(frame).to_vec();
    let declaration = walk.parent().cloned()?;
    if let Some(symbol) = declaration.symbol {
        for annotation in &annotations {
            walk.annotation(symbol, annotation.outcome.recipe, annotation.span);
            mark(walk, symbol, annotation.outcome.recipe);
        }
        let spans = annotations.iter().map(|annotation| annotation.span);
        let start = after_annotations(walk, frame.span.start, spans);
        walk.symbol_mut(symbol).signature.start = start;
    } else if is_field(declaration.kind)
        || declaration.kind == "formal_parameter" && in_record(walk, 1)
    {
        for annotation in &annotations {
            walk.leading_annotation(annotation.outcome.recipe, annotation.span);
        }
    }
    None
}

fn is_field(kind: &str) -> bool {
    matches!(kind, "field_declaration" | "constant_declaration")
}

/// Whether the parameter whose frame is so many levels up is a component of a record.
fn in_record(walk: &Walk<'_>, level: usize) -> bool {
    walk.ancestor_is(level + 1, &["record_declaration"])
}

/// Where the first modifier or type starts that is no annotation.
fn after_annotations(walk: &Walk<'_>, start: u32, annotations: impl Iterator<Item = Span>) -> u32 {
    let mut start = start;
    for annotation in annotations {
        if annotation.start < start || walk.skip_space(start, annotation.start) < annotation.start {
            break;
        }
        start = annotation.end;
    }
    walk.skip_space(start, walk.text.len() as u32)
}
/// What some annotations say about a symbol.
fn mark(walk: &mut Walk<'_>, symbol: SymbolIndex, annotation: RecipeId) {
    let modifier = match shared::last_word(walk, annotation) {
        "Override" => Modifiers::OVERRIDE,
        "Deprecated" => Modifiers::DEPRECATED,
        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate"
        | "Theory" => Modifiers::TEST,
        _ => return,
    };
    walk.mark(symbol, modifier);
}

/// `@Foo`, `@a.Foo("x", key = 1)`: a name, or a call of it.
pub(super) fn annotation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, arguments) = (walk.outcome(frame, "name"), walk.child(frame, "arguments"));
    let arguments = arguments.map(|arguments| arguments.outcome.list);
    Some(Outcome::recipe(walk.annotate(name, arguments)))
}

/// `key = value`: the key is a member of the annotation.
pub(super) fn element_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (key, value) = (walk.child(frame, "key")?, walk.outcome(frame, "value"));
    let annotation = walk.ancestors().nth(1);
    let annotation = annotation.map(|annotation| walk.outcome(annotation, "name").recipe);
    match annotation.filter(|recipe| recipe.is_known()) {
        Some(annotation) => {
            walk.reference(key.span, Role::Read, Some(annotation));
        }
        None => walk.label(key.span),
    }
    let key = walk.name_at(key.span);
    walk.value_of(Recipe::Field(key, value.recipe))
}

pub(super) fn method(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = finish_declaration(walk, frame)?;
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    let has_body = walk.child(frame, "body").is_some();
    let parent = walk.parent_kind(symbol);
    let in_type = parent.is_some_and(SymbolKind::is_type);
    let in_interface = parent == Some(SymbolKind::Interface);
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found
        .modifiers
        .insert_if(Modifiers::ABSTRACT, in_interface && !has_body);
    if !in_type && found.kind == SymbolKind::Method {
        found.kind = SymbolKind::Function;
    }
    let value = walk.outcome(frame, "value").recipe;
    walk.value(symbol, value, frame.span.end);
    None
}

/// `Point { ... }` inside a record takes the record's parameters.
pub(super) fn compact_constructor(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    // Enough for the parameters of the members before it; a record with more is none that people
    // write.
    const MAX_LOOK_BACK: usize = 1_000;
    let symbol = finish_declaration(walk, frame)?;
    let record = walk.symbol(symbol).parent;
    let parameters = &walk.builder.parameters;
    let recent = &parameters[parameters.len().saturating_sub(MAX_LOOK_BACK)..];
    let of_record: Vec<Parameter> = recent
        .iter()
        .filter(|(of, _)| Some(*of) == record)
        .map(|(_, parameter)| parameter.clone())
        .collect();
    for parameter in of_record {
        walk.parameter(symbol, parameter.name, parameter.ty, parameter.flags);
    }
    None
}

/// A declarator of a field opens a symbol, so that its initialiser is inside.
pub(super) fn enter_declarator(walk: &mut Walk<'_>, frame: &mut Frame) {
    let declaration = walk
        .ancestors()
        .nth(1)
        .filter(|around| is_field(around.kind));
    let Some(declaration) = declaration.cloned() else {
        return;
    };
    if frame.span.is_empty() {
        return; // A name that the parser assumed.
    }
    let (head, before) = (
        walk.children(&declaration).first(),
        walk.children(&declaration).last(),
    );
    let has_modifiers = head.is_some_and(|first| first.kind == "modifiers");
    // The first one has the whole declaration, the others what is their own.
    let first = before.is_none_or(|before| before.kind != "variable_declarator");
    if first {
        walk.leading_start(declaration.span.start);
    }
    let span = if first { declaration.span } else { frame.span };
    let symbol = walk.define(frame, SymbolKind::Field, span);
    let newest = walk.facts().annotations.iter().rev();
    let own = newest.take_while(|annotation| annotation.symbol == symbol);
    let annotations: Vec<_> = own.map(|own| (own.span, own.recipe)).collect();
    for &(_, recipe) in &annotations {
        mark(walk, symbol, recipe);
    }
    if first && has_modifiers {
        let spans = annotations.iter().rev().map(|(span, _)| *span);
        let start = after_annotations(walk, declaration.span.start, spans);
        walk.symbol_mut(symbol).signature.start = start;
    }
}

/// A field, a local variable, or the name of a variadic parameter.
pub(super) fn declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let value = walk.outcome(frame, "value");
    let declaration = walk.parent().cloned()?;
    if declaration.kind == "spread_parameter" {
        if in_record(walk, 1) {
            let ty = spread_type(walk, &declaration);
            component(
                walk,
                declaration.span,
                name.span,
                ty,
                ParameterFlags::VARIADIC,
            );
            return None;
        }
        return bound(walk, BindingKind::Parameter, name).map(Outcome::pattern);
    }
    let ty = walk.outcome(&declaration, "type").ty;
    let ty = with_dimensions(walk, frame, ty);
    let Some(symbol) = frame.symbol else {
        let (value, from) = (value.recipe, frame.span.end);
        local(walk, BindingKind::Local, name, ty, value, from);
        return None;
    };
    let end = match walk.recipe_of(value.recipe) {
        Recipe::Literal(_) | Recipe::Str(_) => frame.span.end,
        _ => walk.child(frame, "dimensions").unwrap_or(name).span.end,
    };
    let found = shared::name_symbol(walk, symbol, name.span);
    found.ty = ty;
    found.signature.end = end;
    found.visibility = declaration.visibility;
    found.modifiers.insert(declaration.modifiers);
    found.modifiers.insert_if(
        Modifiers::STATIC | Modifiers::FINAL,
        declaration.kind == "constant_declaration",
    );
    if found
        .modifiers
        .contains(Modifiers::STATIC | Modifiers::FINAL)
    {
        found.kind = SymbolKind::Constant;
    }
    walk.value(symbol, value.recipe, frame.span.end);
    None
}

/// Binds a name unless it is `_`.
fn bound(walk: &mut Walk<'_>, kind: BindingKind, name: Child) -> Option<PatternId> {
    let is_name = name.kind == "identifier" && !name.span.is_empty();
    is_name.then(|| walk.bound_name(kind, name.span))
}

/// Binds a variable to its declared type and value; `var` declares no type.
pub(super) fn local(
    walk: &mut Walk<'_>,
    kind: BindingKind,
    name: Child,
    ty: TypeId,
    value: RecipeId,
    from: u32,
) {
    let ty = shared::declared(walk, ty);
    let name = bound(walk, kind, name);
    walk.bind_pattern(name, value, ty, from);
}

/// `int x[]`: the brackets after the name belong to the type.
pub(super) fn with_dimensions(walk: &mut Walk<'_>, frame: &Frame, ty: TypeId) -> TypeId {
    match walk.child(frame, "dimensions") {
        Some(dimensions) => arrays_of(walk, ty, dimensions.span),
        None => ty,
    }
}

pub(super) fn arrays_of(walk: &mut Walk<'_>, mut ty: TypeId, dimensions: Span) -> TypeId {
    // More than 255 are not allowed.
    let brackets = walk.source(dimensions).matches('[').count();
    for _ in 0..brackets.min(255) {
        ty = walk.ty(TypeRecipe::Array(ty));
    }
    ty
}

/// A parameter of a method, constructor or lambda; a component of a record is a field.
pub(super) fn formal_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    let ty = shared::declared(walk, ty);
    if in_record(walk, 0) {
        component(walk, frame.span, name.span, ty, ParameterFlags::default());
        return None;
    }
    let pattern = bound(walk, BindingKind::Parameter, name);
    if let Some(pattern) = pattern {
        walk.set_type(pattern, ty);
    }
    Some(Outcome::ty(ty).with_pattern(pattern))
}

/// `T... xs`: inside, an array.
pub(super) fn spread_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = spread_type(walk, frame);
    let pattern = walk.outcome_of_kind(frame, "variable_declarator").pattern;
    if let Some(pattern) = pattern {
        walk.set_type(pattern, ty);
    }
    Some(Outcome::ty(ty).with_pattern(pattern))
}

fn spread_type(walk: &mut Walk<'_>, frame: &Frame) -> TypeId {
    let element = walk.find(frame, |child| child.outcome.ty.is_known());
    walk.ty(TypeRecipe::Array(element.outcome().ty))
}

fn component(walk: &mut Walk<'_>, span: Span, name_span: Span, ty: TypeId, flags: ParameterFlags) {
    let record = walk.current_symbol();
    walk.leading_start(span.start);
    let symbol = walk.new_symbol(SymbolKind::Field, span);
    let found = shared::name_symbol(walk, symbol, name_span);
    found.ty = ty;
    let name = found.name;
    walk.mark(symbol, Modifiers::FINAL | Modifiers::CONSTRUCTOR_PARAMETER);
    if let Some(record) = record {
        walk.parameter(record, name, ty, flags);
    }
}

/// Gives the parameters their places.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["record_declaration"]) {
        return None;
    }
    let function = walk.parent_symbol();
    let children = walk.children(frame).to_vec();
    const KINDS: [&str; 3] = ["formal_parameter", "spread_parameter", "identifier"];
    let parameters = children.iter().filter(|child| KINDS.contains(&child.kind));
    for (index, child) in parameters.enumerate() {
        let mut flags = ParameterFlags::default();
        flags.insert_if(ParameterFlags::VARIADIC, child.kind == "spread_parameter");
        let bindings = child
            .outcome
            .pattern
            .map(|pattern| walk.bindings_in(pattern));
        let binding = bindings.and_then(|bindings| bindings.first().copied());
        place_parameter(walk, binding, index as u16);
        if let Some(function) = function {
            let name = match binding {
                Some(binding) => walk.binding(binding).name,
                None => walk.name(""),
            };
            walk.parameter(function, name, child.outcome.ty, flags);
        }
    }
    None
}

pub(super) fn place_parameter(walk: &mut Walk<'_>, binding: Option<BindingId>, index: u16) {
    let from = walk.scope_start();
    if let Some(binding) = binding {
        let binding = walk.binding_mut(binding);
        (binding.parameter, binding.from) = (Some(index), from);
    }
}
