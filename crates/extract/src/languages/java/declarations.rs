//! What is declared in Java: packages, imports, types, members, parameters.

use facts::{
    BindingId, BindingKind, ImportKind, Inherit, ListRange, Modifiers, NameId, Parameter,
    ParameterFlags, Recipe, RecipeId, Role, ScopeKind, Span, Symbol, SymbolIndex, SymbolKind,
    TypeId, TypeRecipe,
};
use rustc_hash::FxHashSet;

use crate::{
    handlers as shared,
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

// The file.

/// `package a.b;` is a namespace that holds everything after it.
pub(super) fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk
        .children(frame)
        .last()
        .copied()
        .filter(|_| walk.current_symbol().is_none())?;
    let span = Span::new(frame.span.start, walk.text.len() as u32);
    let symbol = walk.new_symbol(SymbolKind::Namespace, span);
    let word = without_space(walk.source(name.span));
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

fn without_space(name: &str) -> String {
    name.split_whitespace().collect()
}

/// `import a.b.C;`, `import a.b.*;`, `import static a.B.c;`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    let glob = walk.child_of_kind(frame, "asterisk").is_some();
    let is_static = frame.modifiers.contains(Modifiers::STATIC);
    let written = walk.source(path.span);
    let (module, item) = match written.rsplit_once('.') {
        Some((module, item)) if !glob => (module, Some(item.trim())),
        _ if glob => (written, None),
        _ => ("", Some(written)),
    };
    let name_span = item.map_or(path.span, |item| {
        Span::new(path.span.end - item.len() as u32, path.span.end)
    });
    let module = without_space(module);
    let (module, item) = (walk.name(module), item.map(|item| walk.name(item)));
    let import = walk.new_import(
        match (is_static, glob) {
            (true, _) => ImportKind::Static,
            (false, true) => ImportKind::Glob,
            (false, false) => ImportKind::Item,
        },
        module,
        frame.span,
        name_span,
    );
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
            let before = text[..reference.span.start as usize]
                .trim_ascii_end()
                .last();
            let after = text[reference.span.end as usize..]
                .trim_ascii_start()
                .first();
            if !matches!(before, Some(b'.' | b':' | b'>')) && after != Some(&b'=') {
                reference.receiver = None;
            }
        }
    }
}

/// What a `case` can name besides the constants of an enum: a number or a text. What a static
/// import brings may be one.
fn constants(walk: &Walk<'_>) -> FxHashSet<NameId> {
    let is_plain = |ty: TypeId| match walk.type_of(ty) {
        TypeRecipe::Name(name) => matches!(
            walk.builder.word(name),
            "byte" | "short" | "char" | "int" | "String"
        ),
        _ => false,
    };
    let is_constant = |symbol: &&Symbol| {
        matches!(symbol.kind, SymbolKind::Field | SymbolKind::Constant) && is_plain(symbol.ty)
    };
    let symbols = walk.facts().symbols.iter().filter(is_constant);
    let imports = walk
        .facts()
        .imports
        .iter()
        .filter(|import| import.kind == ImportKind::Static);
    symbols
        .map(|symbol| symbol.name)
        .chain(imports.filter_map(|import| import.local))
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
    let in_block = matches!(
        walk.scope_of(found.declared_in).kind,
        ScopeKind::Block | ScopeKind::Branch
    );
    let found = walk.symbol_mut(symbol);
    found.signature = signature;
    if in_block {
        // Also in the initialisers of a class.
        found.modifiers.insert(Modifiers::LOCAL);
    }
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
    let Some(around) = walk
        .ancestors()
        .nth(1)
        .filter(|around| matches!(around.kind, "object_creation_expression" | "enum_constant"))
        .cloned()
    else {
        return;
    };
    let ty = match around.symbol {
        Some(constant) => enum_type(walk, constant),
        None => walk.outcome(&around, "type").ty,
    };
    let span = frame.span;
    let symbol = walk.define(frame, SymbolKind::Class, span);
    let found = walk.symbol_mut(symbol);
    found.modifiers.insert(Modifiers::ANONYMOUS);
    found.signature = Span::new(around.span.start, span.start);
    if ty.is_known() {
        walk.supertype(symbol, ty, Inherit::Extends);
    }
    frame.scope = Some(walk.new_scope(ScopeKind::Type, span, Some(symbol)));
}

/// The type of an enum constant.
fn enum_type(walk: &mut Walk<'_>, constant: SymbolIndex) -> TypeId {
    let Some(name) = enum_name(walk, constant) else {
        return TypeId::UNKNOWN;
    };
    walk.ty(TypeRecipe::Name(name))
}

/// The name of the enum around a constant; the enum itself is not yet named while it is open.
fn enum_name(walk: &mut Walk<'_>, constant: SymbolIndex) -> Option<NameId> {
    let parent = walk.symbol(constant).parent?;
    let declaration = walk
        .ancestors()
        .find(|frame| frame.symbol == Some(parent))?
        .clone();
    let name = walk.child(&declaration, "name")?;
    Some(walk.name_at(name.span))
}

/// A constant is made by the enum's constructor; the reference to it is at its arguments.
pub(super) fn enum_constant(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let arguments = walk.child(frame, "arguments");
    finish_declaration(walk, frame);
    let name = enum_name(walk, symbol)?;
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

pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (
        walk.current_symbol()?,
        walk.child_of_kind(frame, "type_identifier")?,
    );
    let bound = walk.outcome_of_kind(frame, "type_bound").ty;
    let bounds = match walk.type_of(bound) {
        TypeRecipe::Unknown => facts::TypeListRange::default(),
        TypeRecipe::Intersection(types) => types,
        _ => walk.type_list(&[bound]),
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
        let start = after_annotations(
            walk,
            frame.span.start,
            annotations.iter().map(|annotation| annotation.span),
        );
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
    walk.ancestors()
        .nth(level + 1)
        .is_some_and(|around| around.kind == "record_declaration")
}

/// Where the first modifier or type starts that is no annotation.
fn after_annotations(walk: &Walk<'_>, start: u32, annotations: impl Iterator<Item = Span>) -> u32 {
    let mut start = start;
    for annotation in annotations {
        if annotation.start < start
            || !walk
                .source(Span::new(start, annotation.start))
                .trim()
                .is_empty()
        {
            break;
        }
        start = annotation.end;
    }
    let rest = walk.text.get(start as usize..).unwrap_or("");
    start + (rest.len() - rest.trim_start().len()) as u32
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
    let annotation = walk.ancestors().nth(1).cloned();
    match annotation
        .map(|annotation| walk.outcome(&annotation, "name").recipe)
        .filter(|recipe| recipe.is_known())
    {
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
    let (in_type, in_interface) = match walk
        .symbol(symbol)
        .parent
        .map(|parent| walk.symbol(parent).kind)
    {
        Some(SymbolKind::Interface) => (true, true),
        Some(kind) => (kind.is_type(), false),
        None => (false, false),
    };
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    if in_interface && !has_body {
        found.modifiers.insert(Modifiers::ABSTRACT);
    }
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
    let Some(declaration) = walk
        .ancestors()
        .nth(1)
        .filter(|around| is_field(around.kind))
        .cloned()
    else {
        return;
    };
    if frame.span.is_empty() {
        return; // A name that the parser assumed.
    }
    let before = walk.children(&declaration).last().copied();
    let has_modifiers = walk
        .children(&declaration)
        .first()
        .is_some_and(|first| first.kind == "modifiers");
    // The first one has the whole declaration, the others what is their own.
    let first = before.is_none_or(|before| before.kind != "variable_declarator");
    if first {
        walk.leading_start(declaration.span.start);
    }
    let symbol = walk.define(
        frame,
        SymbolKind::Field,
        if first { declaration.span } else { frame.span },
    );
    let annotations: Vec<(Span, RecipeId)> = walk
        .facts()
        .annotations
        .iter()
        .rev()
        .take_while(|annotation| annotation.symbol == symbol)
        .map(|annotation| (annotation.span, annotation.recipe))
        .collect();
    for &(_, recipe) in &annotations {
        mark(walk, symbol, recipe);
    }
    if first && has_modifiers {
        let start = after_annotations(
            walk,
            declaration.span.start,
            annotations.iter().rev().map(|(span, _)| *span),
        );
        walk.symbol_mut(symbol).signature.start = start;
    }
}

/// A field, a local variable, or the name of a variadic parameter.
pub(super) fn declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, value, declaration) = (
        walk.child(frame, "name")?,
        walk.outcome(frame, "value"),
        walk.parent().cloned()?,
    );
    if declaration.kind == "spread_parameter" {
        if in_record(walk, 1) {
            let element = walk
                .children(&declaration)
                .iter()
                .find(|child| child.outcome.ty.is_known())
                .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
            let ty = walk.ty(TypeRecipe::Array(element));
            component(
                walk,
                declaration.span,
                name.span,
                ty,
                ParameterFlags::VARIADIC,
            );
            return None;
        }
        return bound(walk, BindingKind::Parameter, name)
            .map(|binding| Outcome::pattern(walk.pattern(Pattern::Name(binding))));
    }
    let ty = walk.outcome(&declaration, "type").ty;
    let ty = with_dimensions(walk, frame, ty);
    let Some(symbol) = frame.symbol else {
        local(
            walk,
            BindingKind::Local,
            name,
            ty,
            value.recipe,
            frame.span.end,
        );
        return None;
    };
    shared::name_symbol(walk, symbol, name.span);
    let literal = matches!(
        walk.recipe_of(value.recipe),
        Recipe::Literal(_) | Recipe::Str(_)
    );
    let end = if literal {
        frame.span.end
    } else {
        walk.child(frame, "dimensions").unwrap_or(name).span.end
    };
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found.signature.end = end;
    found.visibility = declaration.visibility;
    found.modifiers.insert(declaration.modifiers);
    if declaration.kind == "constant_declaration" {
        found.modifiers.insert(Modifiers::STATIC | Modifiers::FINAL);
    }
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
fn bound(walk: &mut Walk<'_>, kind: BindingKind, name: Child) -> Option<BindingId> {
    if name.kind != "identifier" || name.span.is_empty() {
        return None;
    }
    let word = walk.name_at(name.span);
    Some(walk.bind(kind, word, name.span))
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
    let ty = declared(walk, ty);
    if let Some(binding) = bound(walk, kind, name) {
        let binding = walk.binding_mut(binding);
        (binding.ty, binding.value, binding.from) = (ty, value, from);
    }
}

pub(super) fn declared(walk: &Walk<'_>, ty: TypeId) -> TypeId {
    if matches!(walk.type_of(ty), TypeRecipe::Inferred) {
        TypeId::UNKNOWN
    } else {
        ty
    }
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
    let n_dimensions = walk
        .source(dimensions)
        .bytes()
        .filter(|&byte| byte == b'[')
        .count()
        .min(255);
    for _ in 0..n_dimensions {
        ty = walk.ty(TypeRecipe::Array(ty));
    }
    ty
}

/// A parameter of a method, constructor or lambda; a component of a record is a field.
pub(super) fn formal_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = with_dimensions(walk, frame, walk.outcome(frame, "type").ty);
    let ty = declared(walk, ty);
    if in_record(walk, 0) {
        component(walk, frame.span, name.span, ty, ParameterFlags::default());
        return None;
    }
    match bound(walk, BindingKind::Parameter, name) {
        Some(binding) => {
            walk.binding_mut(binding).ty = ty;
            Some(Outcome {
                ty,
                pattern: Some(walk.pattern(Pattern::Name(binding))),
                ..Outcome::NONE
            })
        }
        None => Some(Outcome::ty(ty)),
    }
}

/// `T... xs`: inside, an array.
pub(super) fn spread_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let element = walk
        .children(frame)
        .iter()
        .find(|child| child.outcome.ty.is_known())
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    let ty = walk.ty(TypeRecipe::Array(element));
    let pattern = walk.outcome_of_kind(frame, "variable_declarator").pattern;
    if let Some(pattern) = pattern {
        for binding in walk.bindings_in(pattern) {
            walk.binding_mut(binding).ty = ty;
        }
    }
    Some(Outcome {
        ty,
        pattern,
        ..Outcome::NONE
    })
}

fn component(walk: &mut Walk<'_>, span: Span, name_span: Span, ty: TypeId, flags: ParameterFlags) {
    let record = walk.current_symbol();
    walk.leading_start(span.start);
    let symbol = walk.new_symbol(SymbolKind::Field, span);
    shared::name_symbol(walk, symbol, name_span);
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found
        .modifiers
        .insert(Modifiers::FINAL | Modifiers::CONSTRUCTOR_PARAMETER);
    if let Some(record) = record {
        let name = walk.name_at(name_span);
        walk.parameter(record, name, ty, flags);
    }
}

/// Gives the parameters their places.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["record_declaration"]) {
        return None;
    }
    let function = walk.parent().and_then(|parent| parent.symbol);
    let children = walk.children(frame).to_vec();
    let parameters = children.iter().filter(|child| {
        matches!(
            child.kind,
            "formal_parameter" | "spread_parameter" | "identifier"
        )
    });
    for (index, child) in parameters.enumerate() {
        let mut flags = ParameterFlags::default();
        if child.kind == "spread_parameter" {
            flags.insert(ParameterFlags::VARIADIC);
        }
        let binding = child
            .outcome
            .pattern
            .and_then(|pattern| walk.bindings_in(pattern).first().copied());
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
    let from = walk.scope_of(walk.scope()).span.start;
    if let Some(binding) = binding {
        let binding = walk.binding_mut(binding);
        (binding.parameter, binding.from) = (Some(index), from);
    }
}
