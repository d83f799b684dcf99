//! Namespaces, usings, types, members, parameters and attributes.

use facts::{
    BindingKind, Export, ImportKind, Inherit, Modifiers, ParameterFlags, Recipe, RecipeId, Role,
    ScopeKind, Span, SymbolIndex, SymbolKind, TypeId, TypeListRange, TypeRecipe, Visibility,
};

use super::{prepare, types};
use crate::{
    handlers as shared,
    languages::conditionals,
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// Gives a symbol its name, modifiers, and a signature from its first modifier to its body.
fn finish(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name_span: Span,
    name: Option<&str>,
) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    match name {
        Some(name) => {
            let name = walk.name(name.to_owned());
            let symbol = walk.symbol_mut(symbol);
            (symbol.name, symbol.name_span) = (name, name_span);
        }
        None => shared::name_symbol(walk, symbol, name_span),
    }
    // What a constructor hands to another one is no part of how it is called.
    let handed_on = walk.child_of_kind(frame, "constructor_initializer");
    let body = || {
        ["body", "accessors", "value"]
            .iter()
            .find_map(|field| walk.child(frame, field))
    };
    let end = handed_on
        .or_else(body)
        .map_or(frame.span.end, |after| after.span.start);
    let start = after_attributes(walk, frame);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(start, end.max(start));
    symbol_mut.modifiers.insert(frame.modifiers);
    symbol_mut.visibility = frame.visibility;
    trim_doc(walk, symbol);
    Some(symbol)
}

/// Where the declaration's own words start.
fn after_attributes(walk: &Walk<'_>, frame: &Frame) -> u32 {
    let is_attribute = |child: &&Child| {
        matches!(
            child.kind,
            "attribute_list" | "preproc_if_in_attribute_list"
        )
    };
    let end = walk
        .children(frame)
        .iter()
        .take_while(is_attribute)
        .last()
        .map_or(frame.span.start, |child| child.span.end);
    let rest = walk
        .text
        .get(end as usize..frame.span.end as usize)
        .unwrap_or("");
    end + (rest.len() - rest.trim_start().len()) as u32
}

/// Directives between comment and declaration are no documentation.
fn trim_doc(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let Some(doc) = walk.symbol(symbol).doc else {
        return;
    };
    let text = walk.source(doc);
    let (mut start, mut end) = (0, text.len());
    while text[start..end].starts_with('#') {
        start = text[start..end].find('\n').map_or(end, |i| start + i + 1);
        start += text[start..end].len() - text[start..end].trim_start().len();
    }
    loop {
        let trimmed = text[start..end].trim_end();
        end = start + trimmed.len();
        let last = trimmed.rfind('\n').map_or(0, |i| i + 1);
        if !trimmed[last..].trim_start().starts_with('#') || trimmed.is_empty() {
            break;
        }
        end = start + last;
    }
    let doc = (start < end).then(|| Span::new(doc.start + start as u32, doc.start + end as u32));
    walk.symbol_mut(symbol).doc = doc;
}

/// The words of a dotted name after the first, which the symbol itself accounts for.
fn label_words(walk: &mut Walk<'_>, name: Span) {
    let mut offset = name.start;
    for part in walk.source(name).split('.') {
        let start = offset + (part.len() - part.trim_start().len()) as u32;
        walk.label(Span::new(start, start));
        offset += part.len() as u32 + 1;
    }
}

/// The full dotted name, without spaces.
fn name_namespace(walk: &mut Walk<'_>, symbol: SymbolIndex, span: Span) {
    label_words(walk, span);
    let word: String = walk.source(span).split_whitespace().collect();
    let name = walk.name(word);
    let symbol = walk.symbol_mut(symbol);
    (symbol.name, symbol.name_span) = (name, span);
}

pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (frame.symbol?, walk.child(frame, "name")?);
    name_namespace(walk, symbol, name.span);
    let end = walk
        .child(frame, "body")
        .map_or(frame.span.end, |body| body.span.start);
    walk.symbol_mut(symbol).signature = Span::new(frame.span.start, end);
    trim_doc(walk, symbol);
    None
}

/// `namespace A.B;` holds for the rest of the file.
pub(super) fn file_scoped_namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let span = Span::new(frame.span.start, walk.text.len() as u32);
    let symbol = walk.new_symbol(SymbolKind::Namespace, span);
    name_namespace(walk, symbol, name.span);
    walk.symbol_mut(symbol).signature = frame.span;
    trim_doc(walk, symbol);
    let scope = walk.new_scope(ScopeKind::Namespace, span, Some(symbol));
    walk.continue_in(symbol, scope);
    None
}

/// What a `using` names.
const NAMESPACE: u32 = 0;
const ALIAS_OF_NAME: u32 = 1;
const ALIAS_OF_TYPE: u32 = 2;

/// The target of an alias is read as a type if it is more than a name.
pub(super) fn enter_using(walk: &mut Walk<'_>, frame: &mut Frame) {
    frame.note = match walk.source(frame.span).split_once('=') {
        None => NAMESPACE,
        Some((_, target)) => {
            let target = target.trim_matches(|c: char| c.is_whitespace() || c == ';');
            let plain = target
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '@' | ':'))
                && !super::semantics::PREDEFINED.contains(&target);
            if plain { ALIAS_OF_NAME } else { ALIAS_OF_TYPE }
        }
    };
    frame.context = if frame.note == ALIAS_OF_TYPE {
        Context::Type
    } else {
        Context::Name
    };
}

pub(super) fn using(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let global = walk.source(frame.span).starts_with("global");
    let alias = walk
        .child(frame, "name")
        .filter(|_| frame.note != NAMESPACE);
    let target = walk.children(frame).last().copied()?;
    if let Some(alias) = alias.filter(|_| frame.note == ALIAS_OF_TYPE) {
        return Some(type_alias(
            walk,
            frame,
            alias.span,
            target.outcome.ty,
            global,
        ));
    }
    let written: String = walk.source(target.span).split_whitespace().collect();
    let written = written.strip_prefix("global::").unwrap_or(&written);
    let (kind, module, item) = match alias {
        Some(_) => match written.rsplit_once('.') {
            Some((module, item)) => (ImportKind::Item, module, Some(item)),
            None => (ImportKind::Item, "", Some(written)),
        },
        None if frame.modifiers.contains(Modifiers::STATIC) => (ImportKind::Static, written, None),
        None => (ImportKind::Glob, written, None),
    };
    let start = item.map_or(target.span.start, |item| {
        target.span.end - item.len() as u32
    });
    let module = walk.name(module.to_owned());
    let item = item.map(|item| walk.name(item.to_owned()));
    let local = alias.map(|alias| walk.name_at(alias.span));
    let import = walk.new_import(kind, module, frame.span, Span::new(start, target.span.end));
    (
        import.item,
        import.local,
        import.alias_span,
        import.reexported,
    ) = (item, local, alias.map(|alias| alias.span), global);
    if global {
        // How the files are found that import for their whole project.
        let everything = walk.name("*".to_owned());
        walk.export(Export {
            exported: everything,
            local: None,
            value: RecipeId::default(),
            module: Some(module),
            name_span: Span::new(start, target.span.end),
        });
    }
    None
}

/// `using Pairs = List<(int, Foo)>;`
fn type_alias(
    walk: &mut Walk<'_>,
    frame: &Frame,
    alias: Span,
    ty: TypeId,
    global: bool,
) -> Outcome {
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    shared::name_symbol(walk, symbol, alias);
    let symbol = walk.symbol_mut(symbol);
    (symbol.ty, symbol.signature) = (ty, frame.span);
    symbol.visibility = if global {
        Visibility::Internal
    } else {
        Visibility::Private
    };
    Outcome::NONE
}

pub(super) fn extern_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(name) = walk.child(frame, "name") {
        let module = walk.name_at(name.span);
        walk.new_import(ImportKind::Module, module, frame.span, name.span)
            .local = Some(module);
    }
    None
}

pub(super) fn type_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let keyword = Span::new(
        name.span
            .end
            .saturating_sub(prepare::EXTENSION.len() as u32),
        name.span.end,
    );
    if frame.kind == "struct_declaration"
        && name.span.len() == 1
        && walk.source(keyword) == prepare::EXTENSION
    {
        return Some(extension_block(walk, frame, keyword));
    }
    if let Some(symbol) = finish(walk, frame, name.span, None)
        && name.span.is_empty()
    {
        walk.mark(symbol, Modifiers::ANONYMOUS);
    }
    None
}

/// `extension(T receiver) { .. }`: members for a type declared elsewhere.
fn extension_block(walk: &mut Walk<'_>, frame: &Frame, keyword: Span) -> Outcome {
    let Some(symbol) = finish(walk, frame, keyword, None) else {
        return Outcome::NONE;
    };
    let owner = walk.outcome_of_kind(frame, "parameter_list").ty;
    let symbol = walk.symbol_mut(symbol);
    symbol.kind = SymbolKind::Impl;
    (symbol.owner, symbol.ty) = (owner, owner);
    symbol
        .modifiers
        .insert(Modifiers::EXTENSION | Modifiers::ANONYMOUS);
    Outcome::NONE
}

pub(super) fn enum_member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let value = walk.outcome(frame, "value").recipe;
    if let Some(symbol) = finish(walk, frame, name.span, None) {
        walk.symbol_mut(symbol).signature.end = frame.span.end;
        walk.value(symbol, value, frame.span.end);
    }
    None
}

/// The names in a class header, with what tells a base class from an interface.
pub(super) fn base_list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let owner = walk.parent().filter(|parent| parent.symbol.is_some())?;
    let (symbol, kind) = (owner.symbol.unwrap_or_default(), owner.kind);
    let children = walk.children(frame).to_vec();
    let mut position = 0;
    for (i, child) in children.iter().enumerate() {
        if child.kind == "argument_list" {
            continue;
        }
        if kind == "enum_declaration" {
            walk.symbol_mut(symbol).ty = child.outcome.ty;
            return None;
        }
        walk.set_role(child.outcome, Role::Inherit);
        if let (Some(arguments), Some(reference)) = (
            children
                .get(i + 1)
                .filter(|next| next.kind == "argument_list"),
            child.outcome.reference,
        ) {
            base_call(walk, child.outcome.ty, arguments.outcome, reference);
        }
        if child.outcome.ty.is_known() {
            let how = how_inherited(walk, kind, position, child.outcome.ty);
            walk.supertype(symbol, child.outcome.ty, how);
        }
        position += 1;
    }
    None
}

/// A header that hands arguments to the base constructs it.
fn base_call(
    walk: &mut Walk<'_>,
    ty: TypeId,
    arguments: Outcome,
    reference: crate::walk::ReferenceId,
) {
    let recipe = walk.recipe(Recipe::New(ty, arguments.list));
    walk.hand_to_call(recipe, arguments.list);
    walk.reference_mut(reference).call = Some(recipe);
}

pub(super) fn primary_constructor_base(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.outcome(frame, "type");
    let arguments = walk.outcome_of_kind(frame, "argument_list");
    if let Some(reference) = base.reference {
        base_call(walk, base.ty, arguments, reference);
    }
    Some(base)
}

/// Only the first may be a class, and interfaces are named so by a convention that all .NET code
/// keeps.
fn how_inherited(walk: &Walk<'_>, kind: &str, position: usize, ty: TypeId) -> Inherit {
    let word = simple_name(walk, ty);
    let mut letters = word.chars();
    let named_interface =
        letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
    match kind {
        "interface_declaration" => Inherit::Extends,
        "struct_declaration" => Inherit::Implements,
        _ if position > 0 || named_interface => Inherit::Implements,
        _ => Inherit::Extends,
    }
}

/// The last word of a type's name.
pub(super) fn simple_name(walk: &Walk<'_>, mut ty: TypeId) -> String {
    loop {
        match walk.type_of(ty) {
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => return walk.word(name),
            TypeRecipe::Apply(head, _) | TypeRecipe::Optional(head) => ty = head,
            _ => return String::new(),
        }
    }
}

pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let owner = walk.ancestors().nth(1).and_then(|owner| owner.symbol);
    if let Some(symbol) = owner {
        let word = walk.name_at(name.span);
        walk.type_parameter(symbol, word, name.span, TypeListRange::default());
    } else {
        walk.label(name.span);
    }
    None
}

/// `where T : A, new()`.
pub(super) fn constraints(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.parent().and_then(|owner| owner.symbol)?;
    let children = walk.children(frame).to_vec();
    let (name, bounds) = children.split_first()?;
    let name = walk.name_at(name.span);
    let bounds: Vec<TypeId> = bounds
        .iter()
        .map(|bound| bound.outcome.ty)
        .filter(|ty| ty.is_known())
        .collect();
    let bounds = walk.type_list(&bounds);
    let own = walk
        .builder
        .type_parameters
        .iter_mut()
        .rev()
        .take_while(|(of, _)| *of == symbol);
    if let Some((_, parameter)) = own
        .into_iter()
        .find(|(_, parameter)| parameter.name == name)
    {
        parameter.bounds = bounds;
    }
    None
}

/// Methods, constructors, operators, properties, indexers, events, delegates and local functions.
pub(super) fn callable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (span, name) = callable_name(walk, frame);
    let symbol = finish(walk, frame, span, name.as_deref())?;
    if let Some(identifier) = walk
        .child(frame, "name")
        .filter(|identifier| identifier.span != span)
    {
        walk.label(identifier.span);
    }
    let result = if frame.kind == "method_declaration" {
        "returns"
    } else {
        "type"
    };
    let result = walk.outcome(frame, result).ty;
    let owner = walk
        .outcome_of_kind(frame, "explicit_interface_specifier")
        .ty;
    let in_interface = walk
        .symbol(symbol)
        .parent
        .is_some_and(|parent| walk.symbol(parent).kind == SymbolKind::Interface);
    let has_body = has_body(walk, frame);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.ty = result;
    if owner.is_known() {
        symbol_mut.owner = owner;
    }
    if !has_body {
        if in_interface {
            symbol_mut.modifiers.insert(Modifiers::ABSTRACT);
        } else if symbol_mut.modifiers.contains(Modifiers::PARTIAL)
            && frame.kind == "method_declaration"
        {
            symbol_mut.modifiers.insert(Modifiers::PROTOTYPE);
        }
    }
    if frame.kind == "property_declaration"
        && let Some(value) = walk
            .child(frame, "value")
            .filter(|child| child.kind != "arrow_expression_clause")
    {
        walk.value(symbol, value.outcome.recipe, value.span.end);
    }
    None
}

fn has_body(walk: &Walk<'_>, frame: &Frame) -> bool {
    if walk.child(frame, "body").is_some() || walk.child(frame, "value").is_some() {
        return true;
    }
    walk.child(frame, "accessors").is_some_and(|accessors| {
        let text = walk.source(accessors.span);
        text.len() > 1 && (text[1..].contains('{') || text.contains("=>"))
    })
}

/// The place of the name, and the name where it is not simply what is there.
fn callable_name(walk: &Walk<'_>, frame: &Frame) -> (Span, Option<String>) {
    let text = walk.source(frame.span);
    let at = |offset: usize, len: usize| {
        Span::new(
            frame.span.start + offset as u32,
            frame.span.start + (offset + len) as u32,
        )
    };
    let parameters = walk
        .child(frame, "parameters")
        .map_or(frame.span.end, |child| child.span.start);
    let header = text
        .get(..(parameters - frame.span.start) as usize)
        .unwrap_or(text);
    match frame.kind {
        "operator_declaration" | "conversion_operator_declaration" => {
            let start = header.rfind("operator").unwrap_or(0);
            let written = header[start..].trim_end();
            let symbol = written.trim_start_matches("operator").trim();
            let name = if frame.kind == "operator_declaration" {
                format!("operator{symbol}")
            } else {
                format!("operator {symbol}")
            };
            (at(start, written.len()), Some(name))
        }
        "indexer_declaration" => (at(header.rfind("this").unwrap_or(0), 4), None),
        "destructor_declaration" => {
            let start = header.rfind('~').unwrap_or(0);
            let written = header[start..].trim_end();
            (
                at(start, written.len()),
                Some(written.split_whitespace().collect()),
            )
        }
        _ => (
            walk.child(frame, "name")
                .map_or(Span::new(frame.span.start, frame.span.start), |name| {
                    name.span
                }),
            None,
        ),
    }
}

/// `: base(..)`, `: this(..)`.
pub(super) fn constructor_initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let keyword = walk
        .children(frame)
        .iter()
        .find(|child| matches!(child.kind, "base" | "this"))
        .copied()?;
    let arguments = walk.outcome_of_kind(frame, "argument_list");
    let reference = walk.reference(keyword.span, Role::Call, Some(keyword.outcome.recipe));
    shared::call_of(
        walk,
        Outcome {
            reference: Some(reference),
            ..keyword.outcome
        },
        arguments.list,
    );
    None
}

/// `get`, `set` and the like run as part of their property; what is assigned is called `value`.
pub(super) fn accessor(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let word = accessor_word(walk, frame);
    if walk.child(frame, "body").is_none()
        || !matches!(walk.source(word), "set" | "init" | "add" | "remove")
    {
        return None;
    }
    let property = walk.ancestors().nth(1).cloned();
    let ty = property
        .and_then(|property| walk.child(&property, "type"))
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    let name = walk.name("value");
    let binding = walk.new_binding(BindingKind::Parameter, name, word);
    (binding.ty, binding.from) = (ty, frame.span.start);
    None
}

fn accessor_word(walk: &Walk<'_>, accessor: &Frame) -> Span {
    let is_before = |child: &&Child| {
        matches!(
            child.kind,
            "attribute_list" | "modifier" | "preproc_if_in_attribute_list"
        )
    };
    let start = walk
        .children(accessor)
        .iter()
        .take_while(is_before)
        .last()
        .map_or(accessor.span.start, |child| child.span.end);
    let rest = walk
        .text
        .get(start as usize..accessor.span.end as usize)
        .unwrap_or("");
    let word = rest.trim_start();
    let start = start + (rest.len() - word.len()) as u32;
    let len = word
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(word.len());
    Span::new(start, start + len as u32)
}

/// `=> value`: what the member returns.
pub(super) fn arrow_body(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame);
    let returns = match walk.parent() {
        Some(parent) if parent.kind == "accessor_declaration" => {
            walk.source(accessor_word(walk, parent)) == "get"
        }
        Some(parent) => !matches!(
            parent.kind,
            "constructor_declaration" | "destructor_declaration"
        ),
        None => false,
    };
    if returns {
        shared::returned(walk, value.recipe, frame.span.end);
    }
    Some(value)
}

/// A parameter: bound in the scope around, or a property where it is one of a record's.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let ty = walk.outcome(frame, "type").ty;
    let default = walk
        .children(frame)
        .iter()
        .find(|child| {
            child.field.is_empty() && !matches!(child.kind, "attribute_list" | "modifier")
        })
        .copied();
    let mut flags = ParameterFlags::default();
    if default.is_some() {
        flags.insert(ParameterFlags::OPTIONAL);
    }
    let modifiers: Vec<Child> = walk.children_of_kind(frame, "modifier").collect();
    if modifiers
        .iter()
        .any(|modifier| walk.source(modifier.span) == "this")
    {
        flags.insert(ParameterFlags::RECEIVER);
    }
    Some(new_parameter(walk, frame.span, name.span, ty, flags))
}

fn new_parameter(
    walk: &mut Walk<'_>,
    span: Span,
    name_span: Span,
    ty: TypeId,
    flags: ParameterFlags,
) -> Outcome {
    // The list is open inside what declares it; for an array parameter the list itself was just
    // left.
    let list_is_open = walk.parent_is(&["parameter_list", "bracketed_parameter_list"]);
    let owner = walk.ancestors().nth(usize::from(list_is_open));
    let (owner_kind, symbol) = owner.map_or(("", None), |owner| (owner.kind, owner.symbol));
    let name = walk.name_at(name_span);
    if let Some(symbol) = symbol {
        walk.parameter(symbol, name, ty, flags);
        if flags.contains(ParameterFlags::RECEIVER) {
            let symbol = walk.symbol_mut(symbol);
            symbol.owner = ty;
            symbol.modifiers.insert(Modifiers::EXTENSION);
        }
    }
    if owner_kind == "record_declaration" {
        let property = walk.new_symbol(SymbolKind::Property, span);
        shared::name_symbol(walk, property, name_span);
        let property = walk.symbol_mut(property);
        (property.ty, property.visibility) = (ty, Visibility::Public);
        property.modifiers.insert(Modifiers::CONSTRUCTOR_PARAMETER);
        return Outcome::ty(ty);
    }
    let from = walk.scope_of(walk.scope()).span.start;
    let binding = walk.bind(BindingKind::Parameter, name, name_span);
    let pattern = walk.pattern(Pattern::Name(binding));
    let binding = walk.binding_mut(binding);
    (binding.ty, binding.from) = (ty, from);
    Outcome {
        ty,
        pattern: Some(pattern),
        ..Outcome::NONE
    }
}

/// Numbers the parameters. `params T[] x` has no node of its own.
pub(super) fn parameter_list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut patterns = walk.patterns(frame);
    let first = walk.first(frame).ty;
    if let Some(name) = walk.child(frame, "name") {
        let ty = walk.outcome(frame, "type").ty;
        let span = Span::new(
            walk.child(frame, "type")
                .map_or(name.span.start, |ty| ty.span.start),
            name.span.end,
        );
        let outcome = new_parameter(walk, span, name.span, ty, ParameterFlags::VARIADIC);
        patterns.extend(outcome.pattern);
    }
    for (i, pattern) in patterns.into_iter().enumerate() {
        if let Pattern::Name(binding) = *walk.pattern_of(pattern) {
            walk.binding_mut(binding).parameter = Some(i.min(u16::MAX as usize) as u16);
        }
    }
    Some(Outcome::ty(first))
}

/// `x => ..`.
pub(super) fn implicit_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::parameter(
        walk,
        None,
        shared::NewParameter {
            name: Some(frame.span),
            ty: TypeId::UNKNOWN,
            default: RecipeId::UNKNOWN,
            flags: ParameterFlags::default(),
            index: 0,
        },
    );
    None
}

/// Fields and events are symbols while their initialisers are walked.
pub(super) fn enter_declarator(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(declaration) = walk.ancestors().nth(2) else {
        return;
    };
    let kind = match declaration.kind {
        "field_declaration" if declaration.modifiers.contains(Modifiers::CONST) => {
            SymbolKind::Constant
        }
        "field_declaration" => SymbolKind::Field,
        "event_field_declaration" => SymbolKind::Event,
        _ => return,
    };
    let declaration = declaration.clone();
    let start = after_attributes(walk, &declaration);
    let in_interface = walk
        .current_symbol()
        .is_some_and(|parent| walk.symbol(parent).kind == SymbolKind::Interface);
    let symbol = walk.define(frame, kind, declaration.span);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(start, declaration.span.end);
    symbol_mut.modifiers.insert(declaration.modifiers);
    if kind == SymbolKind::Constant {
        symbol_mut.modifiers.insert(Modifiers::STATIC);
    }
    if in_interface && kind == SymbolKind::Event {
        symbol_mut.modifiers.insert(Modifiers::ABSTRACT);
    }
    symbol_mut.visibility = declaration.visibility;
    trim_doc(walk, symbol);
}

/// A longer declaration is cut off at its initialiser.
const MAX_SIGNATURE: u32 = 200;

pub(super) fn declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declared = walk
        .parent()
        .cloned()
        .and_then(|declaration| walk.child(&declaration, "type"))
        .map_or(TypeId::UNKNOWN, |child| child.outcome.ty);
    let ty = types::declared(walk, declared);
    let value = walk.children(frame).iter().rev().find(|child| {
        child.field.is_empty() && !matches!(child.kind, "bracketed_argument_list" | "tuple_pattern")
    });
    let value = value.map_or(RecipeId::UNKNOWN, |child| child.outcome.recipe);
    if let Some(pattern) = walk.outcome_of_kind(frame, "tuple_pattern").pattern {
        walk.bind_pattern(pattern, value, ty, frame.span.end);
        return None;
    }
    let name = walk.child(frame, "name")?;
    if let Some(symbol) = frame.symbol {
        shared::name_symbol(walk, symbol, name.span);
        let symbol_mut = walk.symbol_mut(symbol);
        symbol_mut.ty = ty;
        if symbol_mut.signature.len() > MAX_SIGNATURE {
            symbol_mut.signature.end = name.span.end;
        }
        walk.value(symbol, value, frame.span.end);
        return None;
    }
    let word = walk.name_at(name.span);
    let binding = walk.new_binding(BindingKind::Local, word, name.span);
    (binding.ty, binding.value, binding.from) = (ty, value, frame.span.end);
    None
}

/// `[Fact(Skip = "x")]`: belongs to the declaration that its list opens.
pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    walk.set_role(name.outcome, Role::Annotation);
    let mut recipe = name.outcome.recipe;
    if let Some(arguments) = walk.child_of_kind(frame, "attribute_argument_list") {
        recipe = walk.recipe(Recipe::Call(name.outcome.recipe, arguments.outcome.list));
        if let Some(reference) = name.outcome.reference {
            walk.reference_mut(reference).call = Some(recipe);
        }
    }
    let owner = walk.ancestors().find(|frame| {
        !matches!(
            frame.kind,
            "attribute_list" | "preproc_if_in_attribute_list" | "preproc_else" | "preproc_elif"
        )
    });
    let (kind, symbol) = owner.map_or(("", None), |owner| (owner.kind, owner.symbol));
    match symbol {
        Some(symbol) => {
            walk.annotation(symbol, recipe, frame.span);
            let modifiers = told_by_attribute(walk.source(name.span));
            walk.mark(symbol, modifiers);
        }
        None if matches!(kind, "field_declaration" | "event_field_declaration") => {
            walk.leading_annotation(recipe, frame.span)
        }
        None => {}
    }
    None
}

fn told_by_attribute(name: &str) -> Modifiers {
    let word = name.rsplit('.').next().unwrap_or(name);
    match word.strip_suffix("Attribute").unwrap_or(word) {
        // xUnit, NUnit, MSTest.
        "Fact" | "Theory" | "Test" | "TestCase" | "TestCaseSource" | "TestMethod"
        | "DataTestMethod" => Modifiers::TEST,
        "Obsolete" => Modifiers::DEPRECATED,
        "DllImport" | "LibraryImport" => Modifiers::EXTERN,
        _ => Modifiers::default(),
    }
}

/// The words of directives name nothing; and where the parser recovers from an error it may take a
/// keyword for a name.
pub(super) fn finish_file(walk: &mut Walk<'_>) {
    let text = walk.text;
    conditionals::condition_words(text, |word, _| walk.label(word));
    if !walk.facts().problems.is_empty() {
        walk.facts_mut().references.retain(|reference| {
            !super::semantics::KEYWORDS.contains(&reference.span.text(text))
                || reference.call.is_some()
        });
    }
}
