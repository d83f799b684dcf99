//! What C++ adds to C: namespaces, classes, templates, lambdas, references.

use facts::{
    BindingKind, ImportKind, Inherit, Modifiers, Recipe, RecipeId, Role, Span, SymbolIndex,
    SymbolKind, TypeId, TypeListRange, TypeRecipe, Visibility,
};

use super::super::c_family::{declarators, names};
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Child, Frame, Outcome, Walk},
};

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
    Some(outcome)
}

pub(super) fn qualified(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match walk
        .children(frame)
        .iter()
        .rev()
        .find(|child| child.field == "name")
    {
        Some(name) => Some(name.outcome),
        None => None,
    }
}

/// `a::b::c`, with the spaces removed.
fn path(walk: &Walk<'_>, span: Span) -> String {
    walk.source(span)
        .split_whitespace()
        .filter(|word| *word != "inline")
        .collect()
}

pub(super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let body = walk
        .child(frame, "body")
        .map_or(frame.span.end, |body| body.span.start);
    walk.symbol_mut(symbol).signature = Span::new(frame.span.start, body);
    let Some(name) = walk.child(frame, "name") else {
        walk.mark(symbol, Modifiers::ANONYMOUS);
        return None;
    };
    label_words(walk, name.span);
    let word = path(walk, name.span);
    let word = walk.name(word);
    let symbol = walk.symbol_mut(symbol);
    (symbol.name, symbol.name_span) = (word, name.span);
    None
}

/// The words of a path, of which only the whole is a name.
fn label_words(walk: &mut Walk<'_>, span: Span) {
    let mut offset = span.start;
    for part in walk
        .source(span)
        .split_inclusive(|c: char| !c.is_alphanumeric() && c != '_')
    {
        if part.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            walk.label(Span::new(offset, offset));
        }
        offset += part.len() as u32;
    }
}

/// `namespace fs = std::filesystem;`
pub(super) fn namespace_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, target) = (
        walk.child(frame, "name")?,
        walk.children(frame).last().copied()?,
    );
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
    let text = walk
        .source(frame.span)
        .trim_start_matches("using")
        .trim_start();
    let glob = text.starts_with("namespace") || text.starts_with("enum");
    for target in names_in_list(walk.source(all), all.start) {
        let written = path(walk, target);
        let written = written.strip_prefix("::").unwrap_or(&written);
        let (kind, module, item) = match written.rsplit_once("::") {
            _ if glob => (ImportKind::Glob, written, None),
            Some((module, item)) => (ImportKind::Item, module, Some(item)),
            None => (ImportKind::Item, "", Some(written)),
        };
        let start = item.map_or(target.start, |item| {
            target.end.saturating_sub(item.len() as u32)
        });
        let module = walk.name(module.to_owned());
        let item = item.map(|item| walk.name(item.to_owned()));
        let import = walk.new_import(kind, module, frame.span, Span::new(start, target.end));
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
                    spans.push(Span::new(begin, begin + name.len() as u32));
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
    shared::name_symbol(walk, symbol, name.span);
    let symbol = walk.symbol_mut(symbol);
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
    let symbol = walk.parent().and_then(|parent| parent.symbol)?;
    let bases: Vec<Outcome> = walk
        .children(frame)
        .iter()
        .map(|child| child.outcome)
        .filter(|outcome| outcome.ty.is_known())
        .collect();
    for base in bases {
        walk.set_role(base, Role::Inherit);
        walk.supertype(symbol, base.ty, Inherit::Extends);
    }
    None
}

/// Its constructors are known by the name of the class.
pub(super) fn enter_members(walk: &mut Walk<'_>, _: &mut Frame) {
    let Some(class) = walk.ancestors().nth(1).cloned() else {
        return;
    };
    if let (Some(symbol), Some(name)) = (class.symbol, walk.child(&class, "name")) {
        let place = names::place(name.outcome).unwrap_or(name.span);
        shared::name_symbol(walk, symbol, place);
    }
}

/// `public:` holds for the members after it.
pub(super) fn members(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (class, kind) = walk
        .parent()
        .and_then(|parent| Some((parent.symbol?, parent.kind)))?;
    let default = if kind == "class_specifier" {
        Visibility::Private
    } else {
        Visibility::Public
    };
    let sections: Vec<(u32, Visibility)> = walk
        .children_of_kind(frame, "access_specifier")
        .map(|child| {
            let visibility = match walk.source(child.span) {
                "public" => Visibility::Public,
                "protected" => Visibility::Protected,
                _ => Visibility::Private,
            };
            (child.span.start, visibility)
        })
        .collect();
    let n_symbols = walk.facts().symbols.len() as u32;
    for index in class.0 + 1..n_symbols {
        let index = SymbolIndex(index);
        if walk.symbol(index).parent != Some(class) {
            continue;
        }
        let place = walk.symbol(index).name_span.start;
        let section = sections.partition_point(|(start, _)| *start < place);
        walk.symbol_mut(index).visibility = if section > 0 {
            sections[section - 1].1
        } else {
            default
        };
    }
    None
}

/// `: member_(x), Base(y)`
pub(super) fn field_initializer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [name, value, ..] = children.as_slice() else {
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
        let ty = if owner.is_known() {
            walk.ty(TypeRecipe::Scoped(owner, word))
        } else {
            walk.ty(TypeRecipe::Name(word))
        };
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
    walk.children(frame)
        .iter()
        .find(|child| child.kind == "type_identifier" && child.field != "default_type")
        .map(|child| names::at_place(child.span))
}

/// `&x`, `&&x` in a declarator.
pub(super) fn reference_declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.last(frame);
    let wrapper = walk.ty(TypeRecipe::Reference(TypeId::UNKNOWN));
    let ty = declarators::fill(walk, inner.ty, wrapper);
    Some(Outcome { ty, ..inner })
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
    let reference = walk.reference_named(
        name,
        frame.span,
        Role::Read,
        prefix.map(|prefix| prefix.recipe),
    );
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
    let wrapped = declarator.map_or(TypeId::UNKNOWN, |declarator| declarator.outcome.ty);
    let result = match walk.type_of(wrapped) {
        TypeRecipe::Function(_) => ty,
        _ => declarators::fill(walk, wrapped, ty),
    };
    let end = declarator.map_or(frame.span.end, |declarator| declarator.span.start);
    let written = walk.source(Span::new(frame.span.start, end)).trim_end();
    let span = Span::new(frame.span.start, frame.span.start + written.len() as u32);
    let owner = names::prefix(walk, frame).map_or(TypeId::UNKNOWN, |prefix| prefix.ty);
    let types = walk.type_list(&[result]);
    let function = walk.ty(TypeRecipe::Function(types));
    Some(Outcome {
        ty: function,
        ..names::owned_name(walk, span, owner)
    })
}

/// A name with template arguments.
pub(super) fn template_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, arguments) = (
        walk.child(frame, "name"),
        walk.outcome(frame, "arguments").ty,
    );
    let name = name?;
    let types = match walk.type_of(arguments) {
        TypeRecipe::Tuple(types) => types,
        _ => TypeListRange::default(),
    };
    if frame.context == Context::Name {
        // A specialisation, or a member whose parent asks for the arguments.
        let ty = if frame.kind == "template_method" {
            arguments
        } else {
            TypeId::UNKNOWN
        };
        return Some(Outcome { ty, ..name.outcome });
    }
    if let Some(outcome) = well_known(walk, frame, &name, types) {
        return Some(outcome);
    }
    let recipe = if name.outcome.recipe.is_known() {
        walk.recipe(Recipe::TypeArguments(name.outcome.recipe, types))
    } else {
        RecipeId::UNKNOWN
    };
    let ty = if name.outcome.ty.is_known() {
        walk.ty(TypeRecipe::Apply(name.outcome.ty, types))
    } else {
        TypeId::UNKNOWN
    };
    Some(Outcome {
        recipe,
        ty,
        reference: name.outcome.reference,
        ..Outcome::NONE
    })
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
            return Some(Outcome {
                recipe: walk.recipe(Recipe::Type(first)),
                reference: name.outcome.reference,
                ..Outcome::NONE
            });
        }
        "make_unique" | "make_unique_for_overwrite" => "unique_ptr",
        "make_shared"
        | "make_shared_for_overwrite"
        | "static_pointer_cast"
        | "dynamic_pointer_cast" => "shared_ptr",
        _ => return None,
    };
    let std = walk.name("std");
    let std = walk.ty(TypeRecipe::Name(std));
    let maker = walk.name(maker);
    let head = walk.ty(TypeRecipe::Scoped(std, maker));
    let arguments = walk.type_list(&[first]);
    let ty = walk.ty(TypeRecipe::Apply(head, arguments));
    Some(Outcome {
        recipe: walk.recipe(Recipe::Type(ty)),
        reference: name.outcome.reference,
        ..Outcome::NONE
    })
}

pub(super) fn decltype(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame).recipe;
    let ty = if value.is_known() {
        TypeRecipe::Of(value)
    } else {
        TypeRecipe::Inferred
    };
    walk.type_value(ty)
}

/// `for (auto& x : xs)`
pub(super) fn range_loop(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (declarator, right) = (
        walk.child(frame, "declarator")?,
        walk.child(frame, "right")?,
    );
    let element = if right.outcome.recipe.is_known() {
        walk.recipe(Recipe::Element(right.outcome.recipe))
    } else {
        RecipeId::UNKNOWN
    };
    if let Some(pattern) = declarator.outcome.pattern {
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, right.span.end);
        for binding in walk.bindings_in(pattern) {
            walk.binding_mut(binding).kind = BindingKind::Loop;
        }
        return None;
    }
    let place = names::place(declarator.outcome)?;
    let base = walk.outcome(frame, "type").ty;
    let inferred = walk.type_of(base) == TypeRecipe::Inferred;
    let ty = if inferred {
        TypeId::UNKNOWN
    } else {
        declarators::fill(walk, declarator.outcome.ty, base)
    };
    let name = walk.name_at(place);
    let binding = walk.new_binding(BindingKind::Loop, name, place);
    (binding.ty, binding.value, binding.from) = (ty, element, right.span.end);
    None
}

/// `new T(..)` gives a pointer to a new object.
pub(super) fn new(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, arguments) = (walk.outcome(frame, "type"), walk.child(frame, "arguments"));
    let list = match arguments
        .map(|arguments| (arguments.kind, walk.recipe_of(arguments.outcome.recipe)))
    {
        Some(("initializer_list", Recipe::List(items))) => items,
        _ => arguments.map_or(facts::ListRange::default(), |arguments| {
            arguments.outcome.list
        }),
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
    let name = walk.name_at(left.span);
    let binding = walk.new_binding(BindingKind::Local, name, left.span);
    (binding.value, binding.from) = (right.recipe, frame.span.end);
    None
}
