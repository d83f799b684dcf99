//! Namespaces, usings, types, members, parameters and attributes.

use crate::{languages::conditionals, prelude::*};

use super::prepare;

/// Gives a symbol its name, modifiers, and a signature from its first modifier to its body.
fn finish(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name_span: Span,
    name: Option<String>,
) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    let word = name.map_or(Cow::from(walk.source(name_span)), Cow::from);
    shared::name_symbol_as(walk, symbol, word, name_span);
    // What a constructor hands to another one is no part of how it is called.
    let end = walk.find(frame, |child| {
        child.kind == "constructor_initializer"
            || matches!(child.field, "body" | "accessors" | "value")
    });
    let end = end.map_or(frame.span.end, |after| after.span.start);
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
    after_kinds(walk, frame, &ATTRIBUTES)
}

const ATTRIBUTES: [&str; 2] = ["attribute_list", "preproc_if_in_attribute_list"];

/// The first place after the first children that are of these kinds.
fn after_kinds(walk: &Walk<'_>, frame: &Frame, kinds: &[&str]) -> u32 {
    let first = walk.children(frame).iter();
    let last = first.take_while(|child| kinds.contains(&child.kind)).last();
    let end = last.map_or(frame.span.start, |child| child.span.end);
    walk.skip_space(end, frame.span.end)
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
        walk.label(Span::empty(start));
        offset += part.len() as u32 + 1;
    }
}

pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (symbol, name) = (frame.symbol?, walk.child(frame, "name")?);
    label_words(walk, name.span);
    let word: String = walk.source(name.span).split_whitespace().collect();
    let end = walk.start_of(frame, "body");
    let found = shared::name_symbol_as(walk, symbol, word, name.span);
    found.signature = Span::new(frame.span.start, end);
    trim_doc(walk, symbol);
    None
}

/// `namespace A.B;` holds for the rest of the file.
pub(super) fn file_scoped_namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    label_words(walk, name.span);
    let word: String = walk.source(name.span).split_whitespace().collect();
    let symbol = shared::rest_of_file(walk, frame, word, name.span);
    trim_doc(walk, symbol);
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
    frame.context = match frame.note {
        ALIAS_OF_TYPE => Context::Type,
        _ => Context::Name,
    };
}

pub(super) fn using(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let global = walk.source(frame.span).starts_with("global");
    let target = walk.children(frame).last().copied()?;
    let alias = walk
        .child(frame, "name")
        .filter(|_| frame.note != NAMESPACE);
    let alias = alias.map(|alias| alias.span);
    if let (Some(alias), ALIAS_OF_TYPE) = (alias, frame.note) {
        return type_alias(walk, frame, alias, target.outcome.ty, global);
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
    let len = item.map_or(target.span.len(), |item| item.len() as u32);
    let name_span = Span::new(target.span.end - len, target.span.end);
    let module = walk.name(module.to_owned());
    let item = item.map(|item| walk.name(item.to_owned()));
    let local = alias.map(|alias| walk.name_at(alias));
    let import = walk.new_import(kind, module, frame.span, name_span);
    (import.item, import.local) = (item, local);
    (import.alias_span, import.reexported) = (alias, global);
    if global {
        // How the files are found that import for their whole project.
        let everything = walk.name("*");
        walk.new_export(everything, name_span).module = Some(module);
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
) -> Option<Outcome> {
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    let symbol = shared::name_symbol(walk, symbol, alias);
    (symbol.ty, symbol.signature) = (ty, frame.span);
    symbol.visibility = if global {
        Visibility::Internal
    } else {
        Visibility::Private
    };
    None
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
    let start = name
        .span
        .end
        .saturating_sub(prepare::EXTENSION.len() as u32);
    let keyword = Span::new(start, name.span.end);
    if frame.kind == "struct_declaration"
        && name.span.len() == 1
        && walk.source(keyword) == prepare::EXTENSION
    {
        return extension_block(walk, frame, keyword);
    }
    if let Some(symbol) = finish(walk, frame, name.span, None)
        && name.span.is_empty()
    {
        walk.mark(symbol, Modifiers::ANONYMOUS);
    }
    None
}

/// `extension(T receiver) { .. }`: members for a type declared elsewhere.
fn extension_block(walk: &mut Walk<'_>, frame: &Frame, keyword: Span) -> Option<Outcome> {
    let block = finish(walk, frame, keyword, None)?;
    walk.mark(block, Modifiers::EXTENSION | Modifiers::ANONYMOUS);
    let owner = walk.outcome_of_kind(frame, "parameter_list").ty;
    let symbol = walk.symbol_mut(block);
    (symbol.kind, symbol.owner, symbol.ty) = (SymbolKind::Impl, owner, owner);
    extend_receiver(walk, block);
    None
}

/// The members of a block are called on its receiver, like methods whose first parameter says
/// `this`: `extension(T t) { void F(int n) }` is `static void F(this T t, int n)`.
fn extend_receiver(walk: &mut Walk<'_>, block: SymbolIndex) {
    let builder = &mut walk.builder;
    let Symbol { owner, span, .. } = builder.facts.symbols[block.0 as usize];
    let mut methods = Vec::new();
    let behind = builder.facts.symbols.iter_mut().enumerate();
    for (i, member) in behind.skip(block.0 as usize) {
        if member.parent != Some(block) {
            continue;
        }
        member.owner = owner;
        member.modifiers.insert(Modifiers::EXTENSION);
        if member.kind == SymbolKind::Method && !member.modifiers.contains(Modifiers::STATIC) {
            methods.push(SymbolIndex(i as u32));
        }
    }
    let mut parameters = builder.parameters.iter();
    let Some(at) = parameters.position(|(of, _)| *of == block) else {
        return;
    };
    // Parameters are kept by symbol in the order in which they come.
    let own = builder.parameters.split_off(at);
    let mut receiver = own[0].1.clone();
    receiver.flags.insert(ParameterFlags::RECEIVER);
    let receivers = methods.iter().map(|&method| (method, receiver.clone()));
    builder.parameters.extend(receivers.chain(own));
    let facts = &mut builder.facts;
    let bindings = facts.bindings.iter_mut().rev();
    for binding in bindings.take_while(|binding| binding.name_span.start >= span.start) {
        let owner = facts.scopes[binding.scope.0 as usize].owner;
        if owner.is_some_and(|owner| methods.binary_search(&owner).is_ok()) {
            binding.parameter = binding.parameter.map(|parameter| parameter + 1);
        }
    }
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
    let owner = walk.parent()?;
    let (symbol, kind) = (owner.symbol?, owner.kind);
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
        let next = children.get(i + 1);
        if let Some(arguments) = next.filter(|next| next.kind == "argument_list") {
            shared::base_call(walk, child.outcome, arguments.outcome.list);
        }
        if child.outcome.ty.is_known() {
            let how = how_inherited(walk, kind, position, child.outcome.ty);
            walk.supertype(symbol, child.outcome.ty, how);
        }
        position += 1;
    }
    None
}

pub(super) fn primary_constructor_base(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.outcome(frame, "type");
    let arguments = walk.outcome_of_kind(frame, "argument_list").list;
    shared::base_call(walk, base, arguments);
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
    let symbol = walk.parent_symbol()?;
    let children = walk.children(frame).to_vec();
    let (name, bounds) = children.split_first()?;
    let name = walk.name_at(name.span);
    let bounds = bounds.iter().map(|bound| bound.outcome.ty);
    let bounds: Vec<TypeId> = bounds.filter(|ty| ty.is_known()).collect();
    let bounds = walk.type_list(&bounds);
    let mut recent = walk.builder.type_parameters.iter_mut().rev();
    if let Some((_, parameter)) =
        recent.find(|(of, parameter)| *of == symbol && parameter.name == name)
    {
        parameter.bounds = bounds;
    }
    None
}

/// Methods, constructors, operators, properties, indexers, events, delegates and local functions.
pub(super) fn callable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (span, name) = callable_name(walk, frame);
    let symbol = finish(walk, frame, span, name)?;
    if let Some(identifier) = walk
        .child(frame, "name")
        .filter(|identifier| identifier.span != span)
    {
        walk.label(identifier.span);
    }
    let is_method = frame.kind == "method_declaration";
    let result = if is_method { "returns" } else { "type" };
    let result = walk.outcome(frame, result).ty;
    let interface = walk.outcome_of_kind(frame, "explicit_interface_specifier");
    let in_interface = walk.parent_kind(symbol) == Some(SymbolKind::Interface);
    let has_body = has_body(walk, frame);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.ty = result;
    if interface.ty.is_known() {
        symbol_mut.owner = interface.ty;
    }
    let partial = is_method && symbol_mut.modifiers.contains(Modifiers::PARTIAL);
    let modifiers = &mut symbol_mut.modifiers;
    modifiers.insert_if(Modifiers::ABSTRACT, !has_body && in_interface);
    modifiers.insert_if(Modifiers::PROTOTYPE, !has_body && !in_interface && partial);
    let value = walk
        .child(frame, "value")
        .filter(|_| frame.kind == "property_declaration");
    if let Some(value) = value.filter(|child| child.kind != "arrow_expression_clause") {
        walk.value(symbol, value.outcome.recipe, value.span.end);
    }
    None
}

fn has_body(walk: &Walk<'_>, frame: &Frame) -> bool {
    if walk
        .find(frame, |child| matches!(child.field, "body" | "value"))
        .is_some()
    {
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
    let at = |offset: usize, len: usize| Span::sized(frame.span.start + offset as u32, len);
    let parameters = walk.start_of(frame, "parameters");
    let header = text
        .get(..(parameters - frame.span.start) as usize)
        .unwrap_or(text);
    match frame.kind {
        "operator_declaration" | "conversion_operator_declaration" => {
            let start = header.rfind("operator").unwrap_or(0);
            let written = header[start..].trim_end();
            let symbol = written.trim_start_matches("operator").trim();
            let space = if frame.kind == "operator_declaration" {
                ""
            } else {
                " "
            };
            let name = format!("operator{space}{symbol}");
            (at(start, written.len()), Some(name))
        }
        "indexer_declaration" => (at(header.rfind("this").unwrap_or(0), 4), None),
        "destructor_declaration" => {
            let start = header.rfind('~').unwrap_or(0);
            let written = header[start..].trim_end();
            let name = written.split_whitespace().collect();
            (at(start, written.len()), Some(name))
        }
        _ => match walk.child(frame, "name") {
            Some(name) => (name.span, None),
            None => (Span::empty(frame.span.start), None),
        },
    }
}

/// `: base(..)`, `: this(..)`.
pub(super) fn constructor_initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let keyword = walk.find(frame, |child| matches!(child.kind, "base" | "this"))?;
    let arguments = walk.outcome_of_kind(frame, "argument_list").list;
    let reference = walk.reference(keyword.span, Role::Call, Some(keyword.outcome.recipe));
    shared::call_of(walk, keyword.outcome.with_reference(reference), arguments);
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
    let property = walk.ancestors().nth(1);
    let ty = property.and_then(|property| walk.child(property, "type"));
    let ty = ty.outcome().ty;
    let name = walk.name("value");
    let binding = walk.new_binding(BindingKind::Parameter, name, word);
    (binding.ty, binding.from) = (ty, frame.span.start);
    None
}

fn accessor_word(walk: &Walk<'_>, accessor: &Frame) -> Span {
    let start = after_kinds(walk, accessor, &[ATTRIBUTES[0], ATTRIBUTES[1], "modifier"]);
    let rest = walk.source(Span::new(start, accessor.span.end));
    let len = rest.find(|c: char| !c.is_alphanumeric());
    Span::sized(start, len.unwrap_or(rest.len()))
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
    let default = walk.find(frame, |child| {
        child.field.is_empty() && !matches!(child.kind, "attribute_list" | "modifier")
    });
    let mut flags = ParameterFlags::default();
    flags.insert_if(ParameterFlags::OPTIONAL, default.is_some());
    let modifiers = walk.filter(frame, |child| child.kind == "modifier");
    let is_receiver = modifiers
        .iter()
        .any(|modifier| walk.source(modifier.span) == "this");
    flags.insert_if(ParameterFlags::RECEIVER, is_receiver);
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
        let property = shared::name_symbol(walk, property, name_span);
        (property.ty, property.visibility) = (ty, Visibility::Public);
        property.modifiers.insert(Modifiers::CONSTRUCTOR_PARAMETER);
        return Outcome::ty(ty);
    }
    let from = walk.scope_start();
    let binding = walk.bind(BindingKind::Parameter, name, name_span);
    let pattern = walk.pattern(Pattern::Name(binding));
    let binding = walk.binding_mut(binding);
    (binding.ty, binding.from) = (ty, from);
    Outcome::ty(ty).with_pattern(pattern)
}

/// Numbers the parameters. `params T[] x` has no node of its own.
pub(super) fn parameter_list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut patterns = walk.patterns(frame);
    let first = walk.first(frame).ty;
    if let Some(name) = walk.child(frame, "name") {
        let ty = walk.outcome(frame, "type").ty;
        let start = walk.start_of(frame, "type").min(name.span.start);
        let span = Span::new(start, name.span.end);
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
    let name = Some(frame.span);
    shared::parameter(
        walk,
        None,
        NewParameter {
            name,
            ..NewParameter::default()
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
    let symbol = walk.define(frame, kind, declaration.span);
    let in_interface = walk.parent_kind(symbol) == Some(SymbolKind::Interface);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(start, declaration.span.end);
    symbol_mut.modifiers.insert(declaration.modifiers);
    symbol_mut
        .modifiers
        .insert_if(Modifiers::STATIC, kind == SymbolKind::Constant);
    symbol_mut.modifiers.insert_if(
        Modifiers::ABSTRACT,
        in_interface && kind == SymbolKind::Event,
    );
    symbol_mut.visibility = declaration.visibility;
    trim_doc(walk, symbol);
}

/// A longer declaration is cut off at its initialiser.
const MAX_SIGNATURE: u32 = 200;

pub(super) fn declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declaration = walk.parent();
    let declared = declaration.and_then(|declaration| walk.child(declaration, "type"));
    let ty = shared::declared(walk, declared.outcome().ty);
    let value = walk.rfind(frame, |child| {
        child.field.is_empty() && !matches!(child.kind, "bracketed_argument_list" | "tuple_pattern")
    });
    let value = value.outcome().recipe;
    let holder = walk.ancestors().nth(1).filter(|holder| {
        holder.kind == "using_statement"
            || holder.kind == "local_declaration_statement" && has_using(walk.source(holder.span))
    });
    if let Some(holder) = holder.map(|holder| holder.kind) {
        let held = match ty.is_known() {
            true => walk.cast(ty),
            false => value,
        };
        let word = walk.waiting(frame, holder);
        let values = [held, RecipeId::UNKNOWN];
        walk.implicit(ImplicitKind::Enter, word, values, frame.span);
    }
    if let Some(pattern) = walk.outcome_of_kind(frame, "tuple_pattern").pattern {
        walk.bind_pattern(pattern, value, ty, frame.span.end);
        return None;
    }
    let name = walk.child(frame, "name")?;
    if let Some(symbol) = frame.symbol {
        let symbol_mut = shared::name_symbol(walk, symbol, name.span);
        symbol_mut.ty = ty;
        if symbol_mut.signature.len() > MAX_SIGNATURE {
            symbol_mut.signature.end = name.span.end;
        }
        walk.value(symbol, value, frame.span.end);
        return None;
    }
    let binding = walk.new_binding_at(BindingKind::Local, name.span);
    (binding.ty, binding.value, binding.from) = (ty, value, frame.span.end);
    None
}

/// Whether a declaration releases what it declares: `using var x = …`, `await using var x = …`.
fn has_using(declaration: &str) -> bool {
    let declaration = declaration.strip_prefix("await").unwrap_or(declaration);
    declaration.trim_start().starts_with("using ")
}

/// `[Fact(Skip = "x")]`: belongs to the declaration that its list opens.
pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let arguments = walk.child_of_kind(frame, "attribute_argument_list");
    let recipe = walk.annotate(name.outcome, arguments.map(|list| list.outcome.list));
    const AROUND: [&str; 2] = ["preproc_else", "preproc_elif"];
    let mut around = walk.ancestors();
    let owner =
        around.find(|frame| !ATTRIBUTES.contains(&frame.kind) && !AROUND.contains(&frame.kind));
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
