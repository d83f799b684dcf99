//! What C++ adds to C: namespaces, classes, templates, lambdas, references.

use crate::prelude::*;

use super::super::c_family::{declarators, names};

/// The `a` of `a::b`, or the name of a namespace that is defined.
pub(super) fn namespace_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let qualifies = frame.field == "scope" || walk.parent_is(&["qualified_identifier"]);
    if !qualifies {
        return names::identifier(walk, frame);
    }
    if let Some(prefix) = names::prefix(walk, frame) {
        return Some(names::scoped(walk, frame.span, prefix, Role::Read));
    }
    let outcome = shared::identifier(walk, &frame.in_context(Context::Type))?;
    walk.set_role(outcome, Role::Read);
    // No variable or function is meant before `::`, however near it is.
    let name = walk.name_at(frame.span);
    let start = walk.recipe(Recipe::Scoped(RecipeId::UNKNOWN, name));
    if let Some(reference) = outcome.reference {
        walk.reference_mut(reference).call = Some(start);
    }
    Some(outcome.with_recipe(start))
}

pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.rfind(frame, |child| child.field == "name")
        .map(|name| name.outcome)
}

/// `a::b::c`, with the spaces removed.
fn path(walk: &Walk<'_>, span: Span) -> String {
    let words = walk.source(span).split_whitespace();
    words.filter(|word| *word != "inline").collect()
}

pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let body = walk.start_of(frame, "body");
    walk.symbol_mut(symbol).signature = Span::new(frame.span.start, body);
    if walk.source(frame.span).starts_with("inline") {
        // It stands for the namespace around it.
        walk.symbol_mut(symbol).ty = walk.type_named("");
    }
    let Some(name) = walk.child(frame, "name") else {
        walk.mark(symbol, Modifiers::ANONYMOUS);
        return None;
    };
    label_words(walk, name.span);
    let word = path(walk, name.span);
    shared::name_symbol_as(walk, symbol, word, name.span);
    None
}

/// The words of a path, of which only the whole is a name.
fn label_words(walk: &mut Walk<'_>, span: Span) {
    let mut offset = span.start;
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    for part in walk.source(span).split_inclusive(is_end) {
        if part.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            walk.label(Span::empty(offset));
        }
        offset += part.len() as u32;
    }
}

/// `namespace fs = std::filesystem;`
pub(super) fn namespace_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let target = walk.children(frame).last().copied()?;
    let module = path(walk, target.span);
    let module = walk.name(module);
    let local = walk.name_at(name.span);
    let import = walk.new_import(ImportKind::Module, module, frame.span, target.span);
    (import.local, import.alias_span, import.reexported) = (Some(local), Some(name.span), true);
    None
}

/// `using a::b, c::d;`, `using namespace a;`. The grammar reads a list of names as one path with
/// errors in it.
pub(super) fn using(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (first, last) = (walk.children(frame).first()?, walk.children(frame).last()?);
    let all = Span::new(first.span.start, last.span.end);
    let text = walk.source(frame.span).trim_start_matches("using");
    let text = text.trim_start();
    let glob = text.starts_with("namespace") || text.starts_with("enum");
    for target in names_in_list(walk.source(all), all.start) {
        let written = path(walk, target);
        let written = written.strip_prefix("::").unwrap_or(&written);
        // With `using Base::Base` the name goes on to mean the class.
        if let Some((class, item)) = written.rsplit_once("::")
            && class.rsplit("::").next() == Some(item)
        {
            let start = target.end.saturating_sub(item.len() as u32);
            walk.reference(Span::new(start, target.end), Role::TypeUse, None);
            continue;
        }
        let (kind, module, item) = match written.rsplit_once("::") {
            _ if glob => (ImportKind::Glob, written, None),
            Some((module, item)) => (ImportKind::Item, module, Some(item)),
            None => (ImportKind::Item, "", Some(written)),
        };
        let len = item.map_or(target.len(), |item| item.len() as u32);
        let name_span = Span::new(target.end.saturating_sub(len), target.end);
        let module = walk.name(module.to_owned());
        let item = item.map(|item| walk.name(item.to_owned()));
        let import = walk.new_import(kind, module, frame.span, name_span);
        (import.item, import.local, import.reexported) = (item, item, true);
    }
    None
}

/// The place of each name of `a::b, typename c<d, e>::f`, `text` starting at `offset`.
fn names_in_list(text: &str, offset: u32) -> Vec<Span> {
    let bytes = text.as_bytes();
    let (mut spans, mut start, mut depth, mut is_sign) = (Vec::new(), 0, 0, false);
    for i in 0..=bytes.len() {
        // The sign of an operator is its name: `operator<`, `operator,`.
        let is_next = is_sign && bytes.get(i) != Some(&b',');
        is_sign = (is_next || bytes[..i].ends_with(b"operator"))
            && bytes.get(i).is_some_and(u8::is_ascii_punctuation);
        match bytes.get(i) {
            Some(_) if is_sign => {}
            Some(b'<' | b'(') => depth += 1,
            Some(b'>' | b')') => depth -= 1,
            Some(b',') if depth > 0 => {}
            None | Some(b',') => {
                let name = text[start..i].trim();
                let name = name.strip_prefix("typename ").unwrap_or(name).trim_start();
                if !name.is_empty() {
                    let begin = offset + (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
                    spans.push(Span::sized(begin, name.len()));
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    spans
}

/// `using Name = Type;`
pub(super) fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, ty) = (walk.child(frame, "name")?, walk.outcome(frame, "type").ty);
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    let symbol = shared::name_symbol(walk, symbol, name.span);
    (symbol.ty, symbol.signature) = (ty, symbol.span);
    None
}

pub(super) fn concept(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let symbol = walk.new_symbol(SymbolKind::Trait, frame.span);
    shared::name_symbol(walk, symbol, name.span);
    None
}

pub(super) fn bases(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.parent_symbol()?;
    for base in walk.filter(frame, |child| child.outcome.ty.is_known()) {
        walk.set_role(base.outcome, Role::Inherit);
        walk.supertype(symbol, base.outcome.ty, Inherit::Extends);
    }
    None
}

/// Its constructors are known by the name of the class.
pub(super) fn enter_members(walk: &mut Walk<'_>, _: &mut Frame) {
    let Some(class) = walk.ancestors().nth(1) else {
        return;
    };
    if let (Some(symbol), Some(name)) = (class.symbol, walk.child(class, "name")) {
        let place = names::place(name.outcome).unwrap_or(name.span);
        shared::name_symbol(walk, symbol, place);
    }
}

/// `public:` holds for the members after it.
pub(super) fn members(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.parent_symbol()?;
    let default = if walk.parent_is(&["class_specifier"]) {
        Visibility::Private
    } else {
        Visibility::Public
    };
    let sections = walk.filter(frame, |child| child.kind == "access_specifier");
    let n_symbols = walk.facts().symbols.len() as u32;
    for index in class.0 + 1..n_symbols {
        let index = SymbolIndex(index);
        if walk.symbol(index).parent != Some(class) {
            continue;
        }
        let place = walk.symbol(index).name_span.start;
        let section = sections.partition_point(|section| section.span.start < place);
        let section = sections[..section]
            .last()
            .map(|section| walk.source(section.span));
        walk.symbol_mut(index).visibility = match section {
            None => default,
            Some("public") => Visibility::Public,
            Some("protected") => Visibility::Protected,
            Some(_) => Visibility::Private,
        };
    }
    None
}

/// `: member_(x), Base(y)`
pub(super) fn field_initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [name, value, ..] = *walk.children(frame) else {
        return None;
    };
    let place = names::place(name.outcome).unwrap_or(name.span);
    let word = walk.name_at(place);
    let arguments = match walk.recipe_of(value.outcome.recipe) {
        Recipe::List(items) if value.kind == "initializer_list" => items,
        _ => value.outcome.list,
    };
    // Members are rarely named like types; bases and the class itself always are.
    let text = walk.source(place);
    let names_type = name.kind != "field_identifier"
        || (text.starts_with(|c: char| c.is_uppercase()) && !text.ends_with('_'));
    let owner = names::owner_of(walk, name.outcome);
    if names_type {
        let receiver = owner.is_known().then(|| walk.recipe(Recipe::Type(owner)));
        let reference = walk.reference(place, Role::Call, receiver);
        let ty = walk.type_in(owner, word);
        let recipe = walk.recipe(Recipe::New(ty, arguments));
        walk.hand_to_call(recipe, arguments);
        walk.reference_mut(reference).call = Some(recipe);
    } else {
        let this = walk.recipe(Recipe::SelfValue);
        walk.reference(place, Role::Write, Some(this));
    }
    None
}

/// The parameters belong to the symbol that comes next; the end of the file drops those that none
/// came for.
pub(super) fn template_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declares = walk.parent_is(&["template_declaration"]);
    let symbol = SymbolIndex(walk.facts().symbols.len() as u32);
    for child in walk.children(frame).to_vec() {
        let Some(place) = names::place(child.outcome) else {
            continue;
        };
        if !declares {
            walk.label(place);
            continue;
        }
        let name = walk.name_at(place);
        let bounds = TypeListRange::default();
        walk.type_parameter(symbol, name, place, bounds);
    }
    None
}

pub(super) fn type_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let is_name = |child: &Child| child.kind == "type_identifier" && child.field != "default_type";
    walk.find(frame, is_name)
        .map(|child| names::at_place(child.span))
}

/// `&x`, `&&x` in a declarator.
pub(super) fn reference_declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.last(frame);
    Some(declarators::wrap(walk, inner, TypeRecipe::Reference))
}

/// `operator==`: in a declarator its name, elsewhere a function.
pub(super) fn operator_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let prefix = names::prefix(walk, frame);
    if frame.context == Context::Name {
        let owner = prefix.map_or(TypeId::UNKNOWN, |prefix| prefix.ty);
        return Some(names::owned_name(walk, frame.span, owner));
    }
    let word: String = walk.source(frame.span).split_whitespace().collect();
    let name = walk.name(word);
    let receiver = prefix.map(|prefix| prefix.recipe);
    let reference = walk.reference_named(name, frame.span, Role::Read, receiver);
    let recipe = walk.recipe(Recipe::Name(name));
    Some(Outcome::named(recipe, reference))
}

pub(super) fn destructor_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let owner = names::prefix(walk, frame).map_or(TypeId::UNKNOWN, |prefix| prefix.ty);
    Some(names::owned_name(walk, frame.span, owner))
}

/// `operator bool()`: named by its type.
pub(super) fn operator_cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    let declarator = walk.child(frame, "declarator");
    let wrapped = declarator.outcome().ty;
    let result = match walk.type_of(wrapped) {
        TypeRecipe::Function(_) => ty,
        _ => declarators::fill(walk, wrapped, ty),
    };
    let end = declarator.map_or(frame.span.end, |declarator| declarator.span.start);
    let written = walk.source(Span::new(frame.span.start, end)).trim_end();
    let span = Span::sized(frame.span.start, written.len());
    let owner = names::prefix(walk, frame).map_or(TypeId::UNKNOWN, |prefix| prefix.ty);
    let function = walk.type_from(TypeRecipe::Function, &[result]);
    Some(Outcome {
        ty: function,
        ..names::owned_name(walk, span, owner)
    })
}

/// A name with template arguments.
pub(super) fn template_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name");
    let arguments = walk.outcome(frame, "arguments").ty;
    let name = name?;
    let types = match walk.type_of(arguments) {
        TypeRecipe::Tuple(types) => types,
        _ => TypeListRange::default(),
    };
    if frame.context == Context::Name {
        // A specialisation, or a member whose parent asks for the arguments.
        return Some(name.outcome.with_ty(match frame.kind {
            "template_method" => arguments,
            _ => TypeId::UNKNOWN,
        }));
    }
    if let Some(outcome) = well_known(walk, frame, &name, types) {
        return Some(outcome);
    }
    let Outcome {
        recipe,
        ty,
        reference,
        ..
    } = name.outcome;
    let recipe = walk.wrapped(recipe, |value| Recipe::TypeArguments(value, types));
    let ty = walk.wrapped_type(ty, |ty| TypeRecipe::Apply(ty, types));
    Some(
        Outcome::recipe(recipe)
            .with_ty(ty)
            .with_reference(reference),
    )
}

/// Casts and makers, whose result their argument says.
fn well_known(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: &Child,
    types: TypeListRange,
) -> Option<Outcome> {
    if frame.kind != "template_function" {
        return None;
    }
    let first = walk.type_list_of(types).first().copied()?;
    let maker = match walk.source(name.span) {
        "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast" | "bit_cast"
        | "any_cast" | "down_cast" => {
            let ty = walk.recipe(Recipe::Type(first));
            return Some(Outcome::recipe(ty).with_reference(name.outcome.reference));
        }
        "make_unique" | "make_unique_for_overwrite" => "unique_ptr",
        "make_shared"
        | "make_shared_for_overwrite"
        | "static_pointer_cast"
        | "dynamic_pointer_cast" => "shared_ptr",
        _ => return None,
    };
    let std = walk.type_named("std");
    let maker = walk.name(maker);
    let head = walk.ty(TypeRecipe::Scoped(std, maker));
    let ty = walk.applied_type(head, &[first]);
    Some(Outcome::recipe(walk.recipe(Recipe::Type(ty))).with_reference(name.outcome.reference))
}

pub(super) fn decltype(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame).recipe;
    walk.type_value(match value {
        RecipeId::UNKNOWN => TypeRecipe::Inferred,
        _ => TypeRecipe::Of(value),
    })
}

/// `for (auto& x : xs)`
pub(super) fn range_loop(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declarator = walk.child(frame, "declarator")?;
    let right = walk.child(frame, "right")?;
    let element = walk.wrapped(right.outcome.recipe, Recipe::Element);
    if let Some(pattern) = declarator.outcome.pattern {
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, right.span.end);
        walk.set_kind(pattern, BindingKind::Loop);
        return None;
    }
    let place = names::place(declarator.outcome)?;
    let base = walk.outcome(frame, "type").ty;
    let constant = declarators::constant(walk, frame, base, declarator.outcome.ty);
    let ty = match walk.type_of(base) {
        TypeRecipe::Inferred if constant == base => TypeId::UNKNOWN,
        _ => declarators::fill(walk, declarator.outcome.ty, constant),
    };
    let binding = walk.new_binding_at(BindingKind::Loop, place);
    (binding.ty, binding.value, binding.from) = (ty, element, right.span.end);
    None
}

/// `new T(..)` gives a pointer to a new object.
pub(super) fn new(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, arguments) = (walk.outcome(frame, "type"), walk.child(frame, "arguments"));
    let is_braced = arguments.is_some_and(|arguments| arguments.kind == "initializer_list");
    let list = match walk.recipe_of(arguments.outcome().recipe) {
        Recipe::List(items) if is_braced => items,
        _ => arguments.outcome().list,
    };
    let object = shared::new_of(walk, ty, list).recipe;
    walk.value_of(Recipe::Reference(object))
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// `[x = f()]`
pub(super) fn capture(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.outcome(frame, "right"));
    let binding = walk.new_binding_at(BindingKind::Local, left.span);
    (binding.value, binding.from) = (right.recipe, frame.span.end);
    None
}
