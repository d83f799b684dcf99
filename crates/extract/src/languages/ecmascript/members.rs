//! What classes, interfaces, enums and held objects contain, and members that are assigned from
//! outside.

use crate::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    broken,
    declarations::{self, Holder},
    keys, modules,
};

/// Marks an object literal whose properties are symbols.
const HELD: u32 = 1;
/// Marks an object literal with a declared type, which has the properties, or one that a function
/// returns: only functions are symbols.
const HOLDS_FUNCTIONS: u32 = 2;

/// The place of a member's name; a quoted name is between its quotes.
pub(super) fn name_span(walk: &Walk<'_>, name: Child) -> Span {
    let is_quoted = name.kind == "string" && walk.source(name.span).starts_with(['"', '\'']);
    if is_quoted && name.span.len() >= 2 {
        return Span::new(name.span.start + 1, name.span.end - 1);
    }
    name.span
}

/// The name of a member, attribute or key; alone in an enum it is a member of it.
pub(super) fn property_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["enum_body"]) {
        let symbol = walk.new_symbol(SymbolKind::EnumMember, frame.span);
        shared::name_symbol(walk, symbol, frame.span);
    } else if frame.context != Context::Name {
        walk.label(frame.span);
    }
    None
}

pub(super) fn enter_method(walk: &mut Walk<'_>, frame: &mut Frame) {
    let symbol = walk.define(frame, SymbolKind::Method, frame.span);
    frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, Some(symbol)));
}

pub(super) fn method(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, body) = (walk.child(frame, "name"), walk.child(frame, "body"));
    let symbol = member(walk, frame, name, body)?;
    walk.symbol_mut(symbol).ty = declarations::result(walk, frame, symbol);
    let in_class = walk.parent_is(&["class_body"]);
    if in_class {
        if name.is_some_and(|name| walk.source(name.span) == "constructor") {
            walk.symbol_mut(symbol).kind = SymbolKind::Constructor;
        }
        return None;
    }
    let value = walk.recipe(Recipe::Symbol(symbol));
    let (name, span) = (walk.symbol(symbol).name, walk.symbol(symbol).name_span);
    note_key(walk, name, span, None);
    walk.value_of(Recipe::Field(name, value))
}

/// A key of the object literal around the node just left.
fn note_key(walk: &mut Walk<'_>, name: NameId, span: Span, value: Option<Child>) {
    let object = walk.parent().filter(|parent| parent.kind == "object");
    match object.map(|object| object.span.start) {
        Some(object) => keys::note(walk, name, span, object, value),
        None => walk.label(span),
    }
}

/// Names a member and says what it is by its modifiers and its name.
fn member(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: Option<Child>,
    body: Option<Child>,
) -> Option<SymbolIndex> {
    let symbol = declarations::finish(walk, frame, name, body)?;
    let is_accessor = frame.modifiers.0 & (Modifiers::GETTER | Modifiers::SETTER).0 != 0;
    let is_private = name.is_some_and(|name| name.kind == "private_property_identifier");
    let found = walk.symbol_mut(symbol);
    if is_accessor {
        found.kind = SymbolKind::Property;
    }
    if is_private {
        found.visibility = Visibility::Private;
    }
    Some(symbol)
}

/// A field of a class, a property of an interface, a member of an enum with its value.
pub(super) fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.find(frame, |child| matches!(child.field, "name" | "property"));
    let (ty, value) = (walk.outcome(frame, "type").ty, walk.child(frame, "value"));
    if let Some(symbol) = member(walk, frame, name, None) {
        declarations::declared(walk, frame, symbol, ty, value);
        mark_local(walk, symbol);
    }
    None
}

/// What an object type inside a function contains belongs to that function.
fn mark_local(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let around = |symbol: &Symbol| symbol.parent.map(|parent| walk.symbol(parent));
    let mut outer = around(walk.symbol(symbol));
    while let Some(found) = outer
        && found.modifiers.contains(Modifiers::SYNTHETIC)
    {
        outer = around(found);
    }
    let in_function = outer.is_some_and(|outer| {
        outer.kind.is_callable()
            || outer.kind == SymbolKind::Field && outer.modifiers.contains(Modifiers::LOCAL)
    });
    if in_function {
        walk.mark(symbol, Modifiers::LOCAL);
    }
}

/// An object literal that is held gives its properties to the holder.
pub(super) fn enter_object(walk: &mut Walk<'_>, frame: &mut Frame) {
    let owner = match declarations::holder(walk, frame) {
        Holder::Symbol(symbol) => Some(symbol),
        Holder::Default { start } => {
            let span = Span::new(start, frame.span.end);
            let symbol = walk.define(frame, SymbolKind::Constant, span);
            let at = walk.source(span).find("default").unwrap_or(0) as u32 + start;
            let word = Span::sized(at, "default".len());
            name_synthetic(walk, symbol, "default", word, Modifiers::DEFAULT_EXPORT);
            Some(symbol)
        }
        Holder::Target { target, start } => {
            begin_assigned(walk, frame, SymbolKind::Constant, target, start)
        }
        Holder::Local { .. } | Holder::Nothing => None,
    };
    if let Some(owner) = owner {
        let is_typed = declarations::is_typed(walk, frame);
        frame.note = if is_typed { HOLDS_FUNCTIONS } else { HELD };
        frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(owner)));
    } else if declarations::is_result_of_named(walk, frame) {
        frame.note = HOLDS_FUNCTIONS;
    }
}

fn name_synthetic(
    walk: &mut Walk<'_>,
    symbol: SymbolIndex,
    word: &'static str,
    span: Span,
    modifier: Modifiers,
) {
    let found = shared::name_symbol_as(walk, symbol, word, span);
    found.modifiers.insert(modifier | Modifiers::ANONYMOUS);
}

pub(super) fn object(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::object_literal(walk, frame);
    if let Some(key) = walk.keys.last()
        && key.span.start > frame.span.start
        && let Some(expected) = declarations::expected_of_object(walk, frame)
    {
        keys::resolve_object_keys(walk, frame.span.start, expected);
    }
    let Some(symbol) = frame.symbol else {
        return outcome;
    };
    let outcome = outcome.unwrap_or_default();
    // An object that is the default export, or the module itself.
    walk.value(symbol, outcome.recipe, frame.span.end);
    walk.symbol_mut(symbol).signature.end = frame.span.start;
    walk.value_of(Recipe::Symbol(symbol))
}

pub(super) fn enter_pair(walk: &mut Walk<'_>, frame: &mut Frame) {
    let object = walk
        .ancestors()
        .nth(1)
        .filter(|outer| outer.kind == "object");
    let note = object.map_or(0, |object| object.note);
    let text = walk.source(frame.span);
    let is_named = !text.starts_with(|c: char| c == '[' || c.is_ascii_digit());
    let is_symbol = match note {
        HELD => true,
        HOLDS_FUNCTIONS => holds_function(text),
        _ => false,
    };
    if is_symbol && is_named {
        walk.define(frame, SymbolKind::Field, frame.span);
    }
}

/// Whether the value of a pair looks like a function.
fn holds_function(pair: &str) -> bool {
    let value = pair.split_once(':').map_or("", |(_, value)| value);
    let value = value.trim_start();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let word_end = value.find(|c| !is_word(c)).unwrap_or(value.len());
    let (word, rest) = value.split_at(word_end);
    match word {
        "function" => true,
        "async" => rest.contains("=>") || rest.trim_start().starts_with("function"),
        "" => value.starts_with(['(', '<']) && value.contains("=>"),
        _ => rest.trim_start().starts_with("=>"),
    }
}

/// `key: value`.
pub(super) fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (key, value) = (walk.child(frame, "key")?, walk.child(frame, "value"));
    let recipe = value.outcome().recipe;
    if key.kind == "computed_property_name" {
        return walk.value_of(Recipe::Entry(key.outcome.recipe, recipe));
    }
    let span = name_span(walk, key);
    if let Some(symbol) = member(walk, frame, Some(key), None) {
        declarations::declared(walk, frame, symbol, TypeId::UNKNOWN, value);
    }
    let name = walk.name_at(span);
    note_key(walk, name, span, value);
    walk.value_of(Recipe::Field(name, recipe))
}

/// Opens the symbol of a function, class or object that is assigned to a member: `exports.f`,
/// `Foo.prototype.f`, `this.f`, `Foo.f`.
pub(super) fn begin_assigned(
    walk: &mut Walk<'_>,
    frame: &mut Frame,
    kind: SymbolKind,
    target: Child,
    start: u32,
) -> Option<SymbolIndex> {
    let Recipe::Member(object, name) = walk.recipe_of(target.outcome.recipe) else {
        return None;
    };
    let span = Span::new(start, frame.span.end);
    let word_span = last_word(walk, target.span, name);
    let at_top = walk.scope_kind() == ScopeKind::File;
    let is_object = kind == SymbolKind::Constant;
    let member_kind = match kind {
        SymbolKind::Function => SymbolKind::Method,
        _ => kind,
    };
    let (kind, owner, modifiers) = match assigned_to(walk, object, name) {
        Assigned::Module if at_top => {
            let symbol = walk.define(frame, kind, span);
            // A function or class that has a name of its own keeps it.
            if !declarations::has_own_name(walk, frame) {
                name_synthetic(walk, symbol, "exports", word_span, Modifiers::default());
            }
            return Some(symbol);
        }
        Assigned::Export if at_top => (kind, TypeId::UNKNOWN, Modifiers::EXPORTED),
        Assigned::Prototype(class) if is_object => {
            // `Foo.prototype = { … }` is a block of members.
            let symbol = walk.define(frame, SymbolKind::Impl, span);
            let ty = walk.ty(TypeRecipe::Name(class));
            let class_span = Span::sized(target.span.start, walk.word(class).len());
            let found = walk.symbol_mut(symbol);
            (found.name, found.name_span, found.owner, found.ty) = (class, class_span, ty, ty);
            return Some(symbol);
        }
        Assigned::PrototypeMember(class) if !is_object => {
            let owner = walk.ty(TypeRecipe::Name(class));
            (member_kind, owner, Modifiers::default())
        }
        Assigned::Receiver if !is_object => {
            let class = receiver(walk)?;
            let is_class = walk.symbol(class).kind == SymbolKind::Class;
            if !is_class || declares_all(walk) || is_declared(walk, class, name) {
                return None;
            }
            let body = walk.symbol(class).body.unwrap_or_default();
            let symbol = walk.define(frame, member_kind, span);
            let found = walk.symbol_mut(symbol);
            (found.parent, found.declared_in) = (Some(class), body);
            (found.name, found.name_span) = (name, word_span);
            found.modifiers = Modifiers::default();
            return Some(symbol);
        }
        Assigned::Static(class) if at_top => {
            let kind = if is_object {
                SymbolKind::Field
            } else {
                member_kind
            };
            (kind, walk.ty(TypeRecipe::Name(class)), Modifiers::STATIC)
        }
        Assigned::Static(_) | Assigned::Member if !is_object => {
            let owner = walk.ty(TypeRecipe::Of(object));
            (member_kind, owner, Modifiers::default())
        }
        _ => return None,
    };
    let symbol = walk.define(frame, kind, span);
    let found = walk.symbol_mut(symbol);
    (found.name, found.name_span, found.owner) = (name, word_span, owner);
    found.modifiers.insert(modifiers);
    Some(symbol)
}

/// The place of the member at the end of the target of an assignment.
fn last_word(walk: &Walk<'_>, target: Span, name: NameId) -> Span {
    let len = walk.builder.word(name).len() as u32;
    Span::new(target.end.saturating_sub(len), target.end)
}

/// Whether a class has declared a member so far. Only the first ones are looked at.
fn is_declared(walk: &Walk<'_>, class: SymbolIndex, name: NameId) -> bool {
    const MAX_MEMBERS: usize = 1_000;
    let symbols = walk.facts().symbols.iter().skip(class.0 as usize);
    let mut nearby = symbols.take(MAX_MEMBERS);
    nearby.any(|symbol| symbol.name == name && symbol.parent == Some(class))
}

/// Whether classes declare all of their members: an assignment to another one is a mistake.
fn declares_all(walk: &Walk<'_>) -> bool {
    let semantics = walk.language.semantics;
    semantics.is_some_and(|semantics| semantics.checks.members)
}

/// What the target of an assignment is a member of.
pub(super) enum Assigned {
    /// `module.exports`.
    Module,
    /// `exports.name`, `module.exports.name`.
    Export,
    /// `Foo.prototype`.
    Prototype(NameId),
    /// `Foo.prototype.name`.
    PrototypeMember(NameId),
    /// `this.name`.
    Receiver,
    /// `Foo.name`, where the word says that it is a type.
    Static(NameId),
    /// `object.name`.
    Member,
}

pub(super) fn assigned_to(walk: &Walk<'_>, object: RecipeId, name: NameId) -> Assigned {
    let word_is = |name: NameId, word: &str| walk.builder.word(name) == word;
    match walk.recipe_of(object) {
        Recipe::SelfValue => Assigned::Receiver,
        Recipe::Name(object) if word_is(object, "module") && word_is(name, "exports") => {
            Assigned::Module
        }
        Recipe::Name(object) if word_is(object, "exports") => Assigned::Export,
        Recipe::Name(object) if word_is(name, "prototype") => Assigned::Prototype(object),
        Recipe::Name(object) if is_capitalised(walk, object) => Assigned::Static(object),
        Recipe::Member(outer, inner) => match walk.recipe_of(outer) {
            Recipe::Name(outer) if word_is(outer, "module") && word_is(inner, "exports") => {
                Assigned::Export
            }
            Recipe::Name(outer) if word_is(inner, "prototype") => Assigned::PrototypeMember(outer),
            _ => Assigned::Member,
        },
        _ => Assigned::Member,
    }
}

fn is_capitalised(walk: &Walk<'_>, name: NameId) -> bool {
    let word = walk.builder.word(name);
    word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The class, or the function used as one, whose `this` is meant here.
fn receiver(walk: &Walk<'_>) -> Option<SymbolIndex> {
    let mut candidate = None;
    let mut symbol = walk.current_symbol();
    while let Some(index) = symbol {
        let found = walk.symbol(index);
        match found.kind {
            SymbolKind::Class => return Some(index),
            SymbolKind::Method
            | SymbolKind::Constructor
            | SymbolKind::Property
            | SymbolKind::Field
                if !found.owner.is_known() => {}
            SymbolKind::Function => {
                candidate.get_or_insert(index);
            }
            _ => break,
        }
        symbol = found.parent;
    }
    candidate
}

/// What an assignment to a member defines: an export, or a field of the class around.
pub(super) fn assign(walk: &mut Walk<'_>, frame: &Frame, left: Child, value: RecipeId) {
    let Recipe::Member(object, name) = walk.recipe_of(left.outcome.recipe) else {
        return;
    };
    let is_symbol = matches!(walk.recipe_of(value), Recipe::Symbol(_));
    let is_name = matches!(walk.recipe_of(value), Recipe::Name(_));
    let name_span = last_word(walk, left.span, name);
    match assigned_to(walk, object, name) {
        Assigned::Module => {
            let exported = walk.name("=");
            match declared_name(walk).filter(|_| !is_name) {
                Some(local) => walk.new_export(exported, name_span).local = Some(local),
                None => walk.export_value(exported, value, name_span),
            }
            export_members(walk, value, name_span);
        }
        Assigned::Export => {
            // A module has no other definition under this name.
            let is_module = modules::is_module(walk, value);
            let exported = if is_module { RecipeId::UNKNOWN } else { value };
            walk.export_value(name, exported, name_span);
            // In `exports.run = run` both words mean the function.
            if walk.recipe_of(value) == Recipe::Name(name)
                && let Some(reference) = left.outcome.reference
            {
                let reference = walk.reference_mut(reference);
                (reference.receiver, reference.role) = (None, Role::Read);
                reference.call = None;
            }
            let has_definition = is_name && !is_module || is_symbol;
            if !has_definition && walk.scope_kind() == ScopeKind::File {
                let symbol = walk.new_symbol(SymbolKind::Variable, frame.span);
                let found = walk.symbol_mut(symbol);
                (found.name, found.name_span) = (name, name_span);
                found.modifiers.insert(Modifiers::EXPORTED);
                walk.value(symbol, value, frame.span.end);
            }
        }
        Assigned::PrototypeMember(class) | Assigned::Static(class)
            if !is_symbol && walk.scope_kind() == ScopeKind::File =>
        {
            let is_static = matches!(walk.recipe_of(object), Recipe::Name(_));
            let owner = walk.ty(TypeRecipe::Name(class));
            let symbol = walk.new_symbol(SymbolKind::Field, frame.span);
            let found = walk.symbol_mut(symbol);
            (found.name, found.name_span, found.owner) = (name, name_span, owner);
            found.modifiers.insert_if(Modifiers::STATIC, is_static);
            walk.value(symbol, value, frame.span.end);
        }
        Assigned::Receiver if !is_symbol => {
            if let (Some(owner), Some(reference)) = (receiver(walk), left.outcome.reference) {
                let (scope, span) = (walk.scope(), frame.span);
                let member = AssignedMember {
                    owner,
                    reference,
                    span,
                    value,
                    scope,
                };
                walk.assigned_members.push(member);
            }
        }
        _ => {}
    }
}

/// The name in `var name = module.exports = …`.
fn declared_name(walk: &mut Walk<'_>) -> Option<NameId> {
    let mut around = walk.ancestors();
    let outer = around.find(|outer| outer.kind != "assignment_expression")?;
    let name = walk
        .child(outer, "name")
        .filter(|_| outer.kind == "variable_declarator")?;
    (name.kind == "identifier").then(|| walk.name_at(name.span))
}

/// `module.exports = { a, b: c }` exports each name, too.
fn export_members(walk: &mut Walk<'_>, value: RecipeId, name_span: Span) {
    let mut object = walk.recipe_of(value);
    if let Recipe::Symbol(symbol) = object {
        let mut recent = walk.builder.values.iter().rev().take(64);
        let own = recent.find(|(of, _)| *of == symbol);
        object = own.map_or(Recipe::Unknown, |(_, own)| walk.recipe_of(own.recipe));
    }
    let Recipe::Object(items) = object else {
        return;
    };
    for item in walk.list_of(items).to_vec() {
        if let Recipe::Field(exported, value) = walk.recipe_of(item) {
            walk.export_value(exported, value, name_span);
        }
    }
}

/// Runs after the walk: what `this.name = …` assigns and nothing declares is a field, in JavaScript.
pub(in super::super) fn finish(walk: &mut Walk<'_>) {
    let assigned = std::mem::take(&mut walk.assigned_members);
    if !assigned.is_empty() {
        define_assigned(walk, assigned);
    }
    keys::finish(walk);
    broken::recover(walk);
    // Where an assignment or broken text defines a symbol, the place is its definition, no longer a
    // use.
    let text = walk.text.as_bytes();
    let symbols = walk.facts().symbols.iter();
    let definitions: FxHashSet<Span> = symbols.map(|symbol| symbol.name_span).collect();
    walk.facts_mut().references.retain(|reference| {
        let is_use = match (reference.role, reference.receiver) {
            (Role::Write, Some(_)) => {
                reference.span.start == 0 || text[reference.span.start as usize - 1] != b'.'
            }
            (Role::Read, None) => false,
            _ => true,
        };
        is_use || !definitions.contains(&reference.span)
    });
}

fn define_assigned(walk: &mut Walk<'_>, assigned: Vec<AssignedMember>) {
    let mut members: FxHashMap<(SymbolIndex, NameId), SymbolIndex> = FxHashMap::default();
    for (index, symbol) in walk.facts().symbols_with_index() {
        if let Some(parent) = symbol.parent {
            members.entry((parent, symbol.name)).or_insert(index);
        }
    }
    for AssignedMember {
        owner,
        reference,
        span,
        value,
        scope,
    } in assigned
    {
        let Reference {
            name,
            span: name_span,
            ..
        } = *walk.reference_mut(reference);
        if let Some(&known) = members.get(&(owner, name)) {
            if walk.symbol(known).kind.is_value() {
                walk.value_in(known, value, scope, span.end);
            }
            continue;
        }
        let class = walk.symbol(owner);
        let body = class.body.unwrap_or_default();
        // A function in capitals is used as a class.
        let may_define = match class.kind {
            SymbolKind::Class => !declares_all(walk),
            _ => is_capitalised(walk, class.name),
        };
        if !may_define {
            continue;
        }
        let symbol = walk.new_symbol(SymbolKind::Field, span);
        let is_private = walk.builder.word(name).starts_with('#');
        let found = walk.symbol_mut(symbol);
        (found.name, found.name_span) = (name, name_span);
        (found.parent, found.declared_in) = (Some(owner), body);
        found.modifiers = Modifiers::default();
        if is_private {
            found.visibility = Visibility::Private;
        }
        walk.value_in(symbol, value, scope, span.end);
        members.insert((owner, name), symbol);
    }
}

/// `constructor(private store: Store)` declares a field.
#[cfg(feature = "typescript")]
pub(super) fn parameter_property(walk: &mut Walk<'_>, frame: &Frame, pattern: Child) {
    let method = walk.ancestors().nth(1).and_then(|method| method.symbol);
    let Some(class) = method.and_then(|method| walk.symbol(method).parent) else {
        return;
    };
    let decorators: Vec<Child> = walk.filter(frame, |child| child.kind == "decorator");
    let ty = walk.outcome(frame, "type").ty;
    let default = walk.outcome(frame, "value").recipe;
    let symbol = walk.new_symbol(SymbolKind::Field, frame.span);
    for decorator in decorators {
        walk.annotation(symbol, decorator.outcome.recipe, decorator.span);
    }
    let body = walk.symbol(class).body.unwrap_or_default();
    let found = shared::name_symbol(walk, symbol, pattern.span);
    (found.parent, found.declared_in) = (Some(class), body);
    (found.ty, found.visibility) = (ty, frame.visibility);
    found.modifiers = frame.modifiers | Modifiers::CONSTRUCTOR_PARAMETER;
    walk.value(symbol, default, frame.span.end);
}

#[cfg(feature = "typescript")]
pub(super) fn enter_override(_: &mut Walk<'_>, frame: &mut Frame) {
    frame.modifiers.insert(Modifiers::OVERRIDE);
}

/// A method without a body: an overload in a class, a member of an interface.
#[cfg(feature = "typescript")]
pub(super) fn signature(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let symbol = member(walk, frame, name, None)?;
    let ty = walk.outcome(frame, "return_type").ty;
    let in_class = walk.parent_is(&["class_body"]);
    let is_constructor =
        in_class && name.is_some_and(|name| walk.source(name.span) == "constructor");
    let is_overload = in_class && frame.kind == "method_signature";
    let found = walk.symbol_mut(symbol);
    found.ty = ty;
    found.modifiers.insert_if(Modifiers::PROTOTYPE, is_overload);
    found.modifiers.insert_if(Modifiers::ABSTRACT, !is_overload);
    if is_constructor {
        found.kind = SymbolKind::Constructor;
    }
    mark_local(walk, symbol);
    None
}

/// `(x: T): U` and `new (x: T): U` in an interface.
#[cfg(feature = "typescript")]
pub(super) fn nameless_signature(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = declarations::finish(walk, frame, None, None)?;
    let (word, field) = match frame.kind {
        "call_signature" => ("()", "return_type"),
        _ => ("new", "type"),
    };
    walk.symbol_mut(symbol).ty = walk.outcome(frame, field).ty;
    let place = Span::empty(frame.span.start);
    name_synthetic(walk, symbol, word, place, Modifiers::ABSTRACT);
    mark_local(walk, symbol);
    None
}

/// `[key: string]: T`; a mapped type is an index, too.
#[cfg(feature = "typescript")]
pub(super) fn index_signature(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = declarations::finish(walk, frame, None, None)?;
    let ty = walk.outcome(frame, "type").ty;
    walk.symbol_mut(symbol).ty = ty;
    let place = Span::empty(frame.span.start);
    name_synthetic(walk, symbol, "[]", place, Modifiers::ABSTRACT);
    mark_local(walk, symbol);
    // The object type around says what a mapped type amounts to.
    let clause = walk.child_of_kind(frame, "mapped_type_clause")?;
    let ty = super::types::mapped(walk, clause.outcome.ty, ty);
    Some(Outcome::ty(ty))
}
