//! What rules cannot say about Python.

use facts::{
    BindingKind, Export, ImportKind, Inherit, LiteralKind, Modifiers, ParameterFlags, Recipe,
    RecipeId, Role, ScopeKind, Span, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use rustc_hash::FxHashSet;

use super::generics;
use crate::{
    handlers::{self as shared, NewParameter},
    rules::Context,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

pub(super) fn decorator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let child = walk.children(frame).first().copied()?;
    if child.outcome.reference.is_some() {
        walk.set_role(child.outcome, Role::Annotation);
    }
    walk.leading_annotation(child.outcome.recipe, frame.span);
    None
}

pub(super) fn class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    docstring(walk, frame, symbol);
    set_visibility(walk, symbol);
    let bases: Vec<(TypeId, Outcome)> = match walk.child(frame, "superclasses") {
        Some(list) => walk
            .list_of(list.outcome.list)
            .to_vec()
            .into_iter()
            .map(|recipe| (as_type(walk, recipe), Outcome::recipe(recipe)))
            .collect(),
        None => Vec::new(),
    };
    for (ty, base) in bases {
        match walk.recipe_of(base.recipe) {
            Recipe::Field(..) => walk.value(symbol, base.recipe, frame.span.start),
            Recipe::Spread(..) => {}
            _ if !ty.is_known() => {}
            _ => walk.supertype(symbol, ty, Inherit::Extends),
        }
    }
    if let Some(list) = walk.child(frame, "superclasses") {
        inherit_references(walk, list.span);
    }
    None
}

/// The outermost names of a class header inherit; those inside brackets are mere type uses.
fn inherit_references(walk: &mut Walk<'_>, header: Span) {
    let text = walk.source(header);
    // A broken header may close more than it opens.
    let mut depth = 0_i32;
    let depths: Vec<i32> = text
        .bytes()
        .map(|byte| {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ => {}
            }
            depth
        })
        .collect();
    for reference in walk.facts_mut().references.iter_mut().rev() {
        if reference.span.start < header.start {
            break;
        }
        let inside = (reference.span.start - header.start) as usize;
        if reference.role == Role::TypeUse && depths.get(inside) == Some(&1) {
            reference.role = Role::Inherit;
        }
    }
}

pub(super) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(symbol) = frame.symbol else { return };
    let outer = walk.scope_of(walk.scope_of(walk.scope()).parent).kind;
    if outer == ScopeKind::Type {
        walk.symbol_mut(symbol).kind = SymbolKind::Method;
    }
    let annotations: Vec<RecipeId> = walk
        .facts()
        .annotations
        .iter()
        .filter(|annotation| annotation.symbol == symbol)
        .map(|annotation| annotation.recipe)
        .collect();
    for recipe in annotations {
        let word = decorator_word(walk, recipe);
        let (kind, modifiers) = match word.as_str() {
            "property" | "cached_property" | "abstractproperty" | "hybrid_property" | "getter" => {
                (Some(SymbolKind::Property), Modifiers::GETTER)
            }
            "setter" | "deleter" => (Some(SymbolKind::Property), Modifiers::SETTER),
            "staticmethod" => (None, Modifiers::STATIC),
            "classmethod" => (None, Modifiers::CLASS_METHOD),
            "abstractmethod" => (None, Modifiers::ABSTRACT),
            "overload" => (None, Modifiers::PROTOTYPE),
            "override" => (None, Modifiers::OVERRIDE),
            "contextmanager" | "asynccontextmanager" => (None, Modifiers::GENERATOR),
            _ => continue,
        };
        let symbol = walk.symbol_mut(symbol);
        symbol.modifiers.insert(modifiers);
        if let Some(kind) = kind.filter(|_| outer == ScopeKind::Type) {
            symbol.kind = kind;
        }
    }
}

/// The last word of a decorator: `functools.wraps(f)` is `wraps`.
fn decorator_word(walk: &Walk<'_>, recipe: RecipeId) -> String {
    match walk.recipe_of(recipe) {
        Recipe::Name(name) | Recipe::Member(_, name) => walk.word(name),
        Recipe::Call(callee, _) => match walk.recipe_of(callee) {
            Recipe::Name(name) | Recipe::Member(_, name) => walk.word(name),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    docstring(walk, frame, symbol);
    set_visibility(walk, symbol);
    walk.symbol_mut(symbol).ty = walk.outcome(frame, "return_type").ty;
    None
}

fn set_visibility(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let name = walk.word(walk.symbol(symbol).name);
    let dunder = name.starts_with("__") && name.ends_with("__");
    if name.starts_with('_') && !dunder {
        walk.symbol_mut(symbol).visibility = facts::Visibility::Private;
    }
}

/// The string that opens a body documents it, whatever comment came before.
fn docstring(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex) {
    let Some(body) = walk.child(frame, "body") else {
        return;
    };
    let text = walk.source(body.span);
    let prefix = text.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B']);
    if prefix.starts_with(['"', '\'']) {
        let string = walk.facts().trivia.iter().find(|trivia| {
            trivia.kind == facts::TriviaKind::String && trivia.span.start == body.span.start
        });
        if let Some(span) = string.map(|trivia| trivia.span) {
            walk.symbol_mut(symbol).doc = Some(span);
        }
    }
}

/// Parameters are bound in the scope of the function or lambda around.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk
        .parent()
        .filter(|parent| parent.kind == "function_definition")
        .and_then(|parent| parent.symbol);
    let receiver = function.filter(|&function| {
        matches!(
            walk.symbol(function).kind,
            SymbolKind::Method | SymbolKind::Property
        ) && !shared::has_modifier(walk, function, Modifiers::STATIC)
    });
    let children = walk.children(frame).to_vec();
    let (mut index, mut keyword_only) = (0, false);
    for child in children {
        let Some((name, mut flags)) = parameter_name(walk, &child) else {
            keyword_only |= child.kind == "keyword_separator";
            continue;
        };
        if keyword_only {
            flags.insert(ParameterFlags::KEYWORD_ONLY);
        }
        keyword_only |= flags.contains(ParameterFlags::VARIADIC);
        let mut default = child.outcome.recipe;
        if index == 0
            && let Some(receiver) = receiver
        {
            flags.insert(ParameterFlags::RECEIVER);
            let of_type = shared::has_modifier(walk, receiver, Modifiers::CLASS_METHOD)
                || matches!(
                    walk.source(walk.symbol(receiver).name_span),
                    "__new__" | "__init_subclass__" | "__class_getitem__"
                );
            default = walk.recipe(if of_type {
                Recipe::SelfType
            } else {
                Recipe::SelfValue
            });
        }
        shared::parameter(
            walk,
            function,
            NewParameter {
                name: Some(name),
                ty: child.outcome.ty,
                default,
                flags,
                index,
            },
        );
        index += 1;
    }
    None
}

fn parameter_name(walk: &Walk<'_>, child: &Child) -> Option<(Span, ParameterFlags)> {
    let plain = ParameterFlags::default();
    let text = walk.source(child.span);
    let after = |stars: usize, flags| {
        let start = child.span.start + stars as u32;
        let len = text[stars..]
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len() - stars);
        (len > 0).then(|| (Span::new(start, start + len as u32), flags))
    };
    match child.kind {
        "identifier" => Some((child.span, plain)),
        "default_parameter" | "typed_default_parameter" => after(0, ParameterFlags::OPTIONAL),
        "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
            if text.starts_with("**") {
                after(2, ParameterFlags::KEYWORD_VARIADIC)
            } else if text.starts_with('*') {
                after(1, ParameterFlags::VARIADIC)
            } else {
                after(0, plain)
            }
        }
        _ => None,
    }
}

pub(super) fn default_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (ty, recipe) = (
        walk.outcome(frame, "type").ty,
        walk.outcome(frame, "value").recipe,
    );
    let recipe = if matches!(walk.recipe_of(recipe), Recipe::Literal(LiteralKind::Null)) {
        RecipeId::UNKNOWN
    } else {
        recipe
    };
    Some(Outcome {
        ty,
        recipe,
        ..Outcome::NONE
    })
}

pub(super) fn typed_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    let text = walk.source(frame.span);
    if text.starts_with("**") || text.starts_with('*') {
        // What the body sees is a dictionary or tuple of the annotated type.
        let head = walk.name(if text.starts_with("**") {
            "dict"
        } else {
            "tuple"
        });
        let head = walk.ty(TypeRecipe::Name(head));
        let string = walk.name("str");
        let string = walk.ty(TypeRecipe::Name(string));
        let arguments = if text.starts_with("**") {
            walk.type_list(&[string, ty])
        } else {
            walk.type_list(&[ty])
        };
        ty = walk.ty(TypeRecipe::Apply(head, arguments));
    }
    Some(Outcome::ty(ty))
}

/// `[T, U]`: declared by a class, function or alias; given to a generic type.
pub(super) fn type_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["generic_type"]) {
        return shared::list(walk, frame);
    }
    let symbol = walk.parent().and_then(|parent| parent.symbol)?;
    for child in walk.children(frame).to_vec() {
        let text = walk.source(child.span);
        let len = text
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let name_span = Span::new(child.span.start, child.span.start + len as u32);
        let name = walk.name_at(name_span);
        walk.facts_mut()
            .references
            .retain(|reference| reference.span != name_span);
        walk.type_parameter(symbol, name, name_span, facts::TypeListRange::default());
    }
    None
}

pub(super) fn type_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.outcome(frame, "right"));
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    shared::name_symbol(walk, symbol, left.span);
    walk.symbol_mut(symbol).ty = right.ty;
    // The grammar wraps the name in a type.
    walk.facts_mut()
        .references
        .retain(|reference| reference.span != left.span);
    None
}

/// Binds names, defines module variables and class attributes, and defines fields where `self.x` is
/// assigned.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, ty) = (walk.child(frame, "left"), walk.outcome(frame, "type").ty);
    let right = walk.outcome(frame, "right");
    let Some(left) = left else { return Some(right) };
    assign(walk, frame, left, right.recipe, ty);
    if walk.source(left.span) == "__all__" {
        let right_span = walk
            .child(frame, "right")
            .map_or(left.span, |right| right.span);
        exports(walk, right.recipe, right_span);
    }
    Some(right)
}

fn assign(walk: &mut Walk<'_>, frame: &Frame, left: Child, value: RecipeId, ty: TypeId) {
    if let Some(pattern) = left.outcome.pattern {
        walk.bind_pattern(pattern, value, ty, frame.span.end);
        if matches!(
            walk.enclosing_scope_kind(),
            ScopeKind::File | ScopeKind::Type
        ) {
            for binding in walk.bindings_in(pattern) {
                let binding = walk.binding(binding).clone();
                define_variable(
                    walk,
                    frame.span,
                    binding.name_span,
                    binding.value,
                    binding.ty,
                );
            }
        }
    }
    walk.set_role(left.outcome, Role::Write);
    define_fields(walk, frame.span, left.span, left.outcome.recipe, value, ty);
}

/// Several targets: names are bound, the others are kept as values, so that [`define_fields`] finds
/// them.
pub(super) fn targets(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if !matches!(frame.context, Context::Bind(_)) {
        return shared::tuple(walk, frame);
    }
    let (mut patterns, mut values) = (Vec::new(), Vec::new());
    for child in walk.children(frame).to_vec() {
        if child.outcome.pattern.is_none() {
            walk.set_role(child.outcome, Role::Write);
        }
        // What is no name keeps its place.
        let pattern = child
            .outcome
            .pattern
            .map_or(Pattern::Tuple(Vec::new()), |pattern| {
                walk.pattern_of(pattern).clone()
            });
        patterns.push(match (pattern, child.outcome.pattern) {
            (Pattern::Rest(rest), _) => walk.pattern(Pattern::Items(rest)),
            (_, Some(pattern)) => pattern,
            (nothing, None) => walk.pattern(nothing),
        });
        values.push(child.outcome.recipe);
    }
    let values = walk.list(&values);
    let recipe = walk.recipe(Recipe::Tuple(values));
    Some(Outcome {
        recipe,
        ..Outcome::pattern(walk.pattern(Pattern::Tuple(patterns)))
    })
}

/// `self.a = …`, `self.a, self.b = …`: the attributes of the object in what is at `written` on
/// the left. `whole` is theirs to show.
fn define_fields(
    walk: &mut Walk<'_>,
    whole: Span,
    written: Span,
    target: RecipeId,
    value: RecipeId,
    ty: TypeId,
) {
    if let Recipe::Tuple(items) = walk.recipe_of(target) {
        for (i, item) in walk.list_of(items).to_vec().into_iter().enumerate() {
            let part = walk.recipe(Recipe::Part(value, i as u16));
            define_fields(walk, whole, written, item, part, TypeId::UNKNOWN);
        }
    } else if let Some((class, member)) = self_attribute(walk, target) {
        let references = walk
            .facts()
            .references
            .iter()
            .rev()
            .take_while(|reference| reference.span.start >= written.start);
        let named = references
            .filter(|reference| reference.name == member && reference.span.end <= written.end);
        if let Some(span) = named.map(|reference| reference.span).last() {
            define_field(walk, whole, class, span, value, ty);
        }
    }
}

/// A name assigned at the top of a module or class is a symbol; the first assignment defines it.
fn define_variable(walk: &mut Walk<'_>, span: Span, name_span: Span, value: RecipeId, ty: TypeId) {
    let name = walk.name_at(name_span);
    let (parent, scope) = (walk.current_symbol(), walk.scope());
    let known = walk.facts().symbols.iter().position(|symbol| {
        symbol.name == name && symbol.parent == parent && symbol.kind.is_value()
    });
    if let Some(known) = known {
        return walk.value_in(SymbolIndex(known as u32), value, scope, span.end);
    }
    let word = walk.word(name);
    let constant = word.chars().any(|c| c.is_ascii_uppercase())
        && !word.chars().any(|c| c.is_ascii_lowercase());
    let in_class = walk.enclosing_scope_kind() == ScopeKind::Type;
    let kind = match (in_class, constant) {
        (true, _) => SymbolKind::Field,
        (false, true) => SymbolKind::Constant,
        (false, false) => SymbolKind::Variable,
    };
    let symbol = walk.new_symbol(kind, span);
    shared::name_symbol(walk, symbol, name_span);
    set_visibility(walk, symbol);
    walk.symbol_mut(symbol).ty = ty;
    walk.value(symbol, value, span.end);
}

/// The class and name when a recipe is `self.name` inside a method.
fn self_attribute(walk: &Walk<'_>, recipe: RecipeId) -> Option<(SymbolIndex, facts::NameId)> {
    let Recipe::Member(object, member) = walk.recipe_of(recipe) else {
        return None;
    };
    let Recipe::Name(object) = walk.recipe_of(object) else {
        return None;
    };
    let mut symbol = walk.current_symbol();
    while let Some(index) = symbol {
        let found = walk.symbol(index);
        if matches!(found.kind, SymbolKind::Method | SymbolKind::Property) {
            let body = found.body?;
            let receiver = walk.facts().bindings.iter().find(|binding| {
                binding.scope == body
                    && binding.parameter == Some(0)
                    && binding.name == object
                    && matches!(
                        walk.recipe_of(binding.value),
                        Recipe::SelfValue | Recipe::SelfType
                    )
            });
            return receiver.and_then(|_| Some((found.parent?, member)));
        }
        symbol = found.parent;
    }
    None
}

/// Defines an attribute of a class. `whole` is the assignment, `name_span` the name in it.
fn define_field(
    walk: &mut Walk<'_>,
    whole: Span,
    class: SymbolIndex,
    name_span: Span,
    value: RecipeId,
    ty: TypeId,
) {
    let name = walk.name_at(name_span);
    let known = walk
        .facts()
        .symbols
        .iter()
        .position(|symbol| symbol.name == name && symbol.parent == Some(class));
    if let Some(known) = known {
        let known = SymbolIndex(known as u32);
        if !walk.symbol(known).ty.is_known() {
            walk.symbol_mut(known).ty = ty;
        }
        if walk.symbol(known).kind.is_value() {
            walk.value(known, value, whole.start);
        }
        return;
    }
    let symbol = walk.new_symbol(SymbolKind::Field, whole);
    let body = walk.symbol(class).body.unwrap_or_default();
    shared::name_symbol(walk, symbol, name_span);
    set_visibility(walk, symbol);
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.parent, symbol_mut.ty, symbol_mut.declared_in) = (Some(class), ty, body);
    symbol_mut.modifiers = Modifiers::default();
    walk.value(symbol, value, whole.start);
}

/// Where an attribute is defined is no mere write. Only at the end: until then references go by
/// their number.
pub(super) fn finish(walk: &mut Walk<'_>) {
    generics::finish(walk);
    let facts = walk.facts_mut();
    let fields = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Field);
    let defined: FxHashSet<Span> = fields.map(|symbol| symbol.name_span).collect();
    facts
        .references
        .retain(|reference| !defined.contains(&reference.span));
}

/// `__all__ = ["a", "b"]`: each name is exported where it is written.
fn exports(walk: &mut Walk<'_>, list: RecipeId, written: Span) {
    let (Recipe::List(items) | Recipe::Tuple(items)) = walk.recipe_of(list) else {
        return;
    };
    let mut from = written.start;
    for item in walk.list_of(items).to_vec() {
        if let Recipe::Str(name) = walk.recipe_of(item) {
            let word = walk.word(name);
            let rest = walk.source(Span::new(from, written.end));
            let quoted = |quote: char| rest.find(&format!("{quote}{word}{quote}"));
            let Some(at) = quoted('"').into_iter().chain(quoted('\'')).min() else {
                continue;
            };
            let start = from + at as u32 + 1;
            let name_span = Span::new(start, start + word.len() as u32);
            from = name_span.end;
            walk.export(Export {
                exported: name,
                local: Some(name),
                value: RecipeId::UNKNOWN,
                module: None,
                name_span,
            });
        }
    }
}

pub(super) fn augmented_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    walk.set_role(left, Role::Write);
    Some(left)
}

pub(super) fn named_expression(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, value) = (walk.outcome(frame, "name"), walk.outcome(frame, "value"));
    if let Some(pattern) = name.pattern {
        walk.bind_pattern(pattern, value.recipe, TypeId::UNKNOWN, frame.span.end);
    }
    Some(value)
}

pub(super) fn loop_target(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    if let Some(pattern) = left.outcome.pattern {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        // A comprehension's element is before its loops.
        let from = if frame.kind == "for_in_clause" {
            walk.scope_of(walk.scope()).span.start
        } else {
            right.span.end
        };
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, from);
        if frame.kind == "for_statement"
            && matches!(
                walk.enclosing_scope_kind(),
                ScopeKind::File | ScopeKind::Type
            )
        {
            for binding in walk.bindings_in(pattern) {
                let binding = walk.binding(binding).clone();
                define_variable(
                    walk,
                    binding.name_span,
                    binding.name_span,
                    binding.value,
                    binding.ty,
                );
            }
        }
    }
    if frame.kind == "for_statement" {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        // Not the loop with all that is in it.
        define_fields(
            walk,
            left.span,
            left.span,
            left.outcome.recipe,
            element,
            TypeId::UNKNOWN,
        );
    }
    None
}

pub(super) fn comprehension(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.outcome(frame, "body").recipe;
    let body = inside(walk, frame, body);
    let list = walk.list(&[body]);
    walk.value_of(Recipe::List(list))
}

/// The value of an expression that must be read in the scope of its comprehension.
fn inside(walk: &mut Walk<'_>, frame: &Frame, body: RecipeId) -> RecipeId {
    let Some(scope) = frame.scope.filter(|_| body.is_known()) else {
        return body;
    };
    walk.lambda_return(scope, body);
    let lambda = walk.lambda(scope);
    walk.recipe(Recipe::Call(lambda, facts::ListRange::default()))
}

pub(super) fn dictionary_comprehension(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.outcome(frame, "body").recipe;
    let body = match walk.recipe_of(body) {
        Recipe::Entry(key, value) => {
            let (key, value) = (inside(walk, frame, key), inside(walk, frame, value));
            walk.recipe(Recipe::Entry(key, value))
        }
        _ => body,
    };
    let list = walk.list(&[body]);
    walk.value_of(Recipe::Object(list))
}

/// `with open(x) as f`, `except E as e`, `case P as x`.
pub(super) fn as_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame);
    let Some(alias) = walk.child(frame, "alias") else {
        return Some(case_alias(walk, frame, value));
    };
    let in_except = walk.parent_is(&["except_clause"]);
    let in_case = walk.parent_is(&["case_pattern"]);
    let (recipe, ty) = if in_except {
        (RecipeId::UNKNOWN, caught_type(walk, value.recipe))
    } else if in_case {
        (value.recipe, TypeId::UNKNOWN)
    } else {
        // What `__enter__` gives, or `__aenter__` once it is awaited.
        let is_async = walk
            .ancestors()
            .find(|outer| outer.kind == "with_statement")
            .is_some_and(|with| {
                let text = walk.source(with.span);
                text.starts_with("async")
            });
        let enter = walk.name(if is_async { "__aenter__" } else { "__enter__" });
        let enter = walk.recipe(Recipe::Member(value.recipe, enter));
        let entered = walk.recipe(Recipe::Call(enter, facts::ListRange::default()));
        (
            if is_async {
                walk.recipe(Recipe::Await(entered))
            } else {
                entered
            },
            TypeId::UNKNOWN,
        )
    };
    if let Some(pattern) = alias.outcome.pattern {
        walk.bind_pattern(pattern, recipe, ty, frame.span.end);
        for binding in walk.bindings_in(pattern) {
            walk.binding_mut(binding).kind = if in_except {
                BindingKind::Caught
            } else {
                BindingKind::Assignment
            };
        }
    }
    define_fields(
        walk,
        frame.span,
        alias.span,
        alias.outcome.recipe,
        recipe,
        ty,
    );
    walk.set_role(alias.outcome, Role::Write);
    None
}

/// `case P as x`: the grammar gives the name no field.
fn case_alias(walk: &mut Walk<'_>, frame: &Frame, value: Outcome) -> Outcome {
    let Some(name) = walk
        .children(frame)
        .last()
        .copied()
        .filter(|child| child.kind == "identifier")
    else {
        return value;
    };
    walk.facts_mut()
        .references
        .retain(|reference| reference.span != name.span);
    let word = walk.name_at(name.span);
    let binding = walk.bind(BindingKind::Pattern, word, name.span);
    let whole = walk.pattern(Pattern::Name(binding));
    let pattern = match value.pattern {
        Some(inner) => walk.pattern(Pattern::Both(whole, inner)),
        None => whole,
    };
    Outcome {
        pattern: Some(pattern),
        ..value
    }
}

fn caught_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    if let Recipe::Tuple(items) = walk.recipe_of(recipe) {
        let types: Vec<TypeId> = walk
            .list_of(items)
            .to_vec()
            .into_iter()
            .map(|item| as_type(walk, item))
            .collect();
        let types = walk.type_list(&types);
        return walk.ty(TypeRecipe::Union(types));
    }
    as_type(walk, recipe)
}

pub(super) fn except(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, alias) = (walk.outcome(frame, "value"), walk.outcome(frame, "alias"));
    if let Some(pattern) = alias.pattern {
        let ty = caught_type(walk, value.recipe);
        let from = walk
            .child(frame, "alias")
            .map_or(frame.span.start, |alias| alias.span.end);
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, ty, from);
    }
    None
}

/// After `assert isinstance(x, T)` the name is a `T`.
pub(super) fn assert(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    for (name, span, ty) in walk.take_narrowings() {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (frame.span.end, ty);
    }
    None
}

pub(super) fn not(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    walk.value_of(Recipe::Literal(LiteralKind::Boolean))
}

/// A pattern binds its names to the matched value; a class pattern says of which type that is.
pub(super) fn case_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = walk.first(frame);
    let outer = walk.parent_is(&["case_clause"]);
    if let (true, Some(pattern)) = (outer, outcome.pattern) {
        walk.bind_pattern(pattern, outcome.recipe, TypeId::UNKNOWN, frame.span.end);
    }
    Some(outcome)
}

pub(super) fn class_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.outcome_of_kind(frame, "dotted_name");
    let cast = walk.recipe(Recipe::Cast(class.ty));
    let parts: Vec<_> = walk
        .children(frame)
        .iter()
        .filter(|child| child.kind == "case_pattern")
        .filter_map(|child| child.outcome.pattern)
        .collect();
    let mut fields = Vec::new();
    for part in parts {
        match walk.pattern_of(part).clone() {
            Pattern::Fields(named) => fields.extend(named),
            _ => walk.bind_pattern(part, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end),
        }
    }
    let pattern = walk.pattern(Pattern::Fields(fields));
    Some(Outcome {
        recipe: cast,
        ty: class.ty,
        pattern: Some(pattern),
        ..Outcome::NONE
    })
}

pub(super) fn keyword_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [name, value, ..] = children.as_slice() else {
        return None;
    };
    // The keyword itself was walked as if it bound.
    if let Some(pattern) = name.outcome.pattern
        && let Some(binding) = walk.bindings_in(pattern).first().copied()
    {
        walk.binding_mut(binding).kind = BindingKind::Label;
    }
    let name = walk.name_at(name.span);
    match value.outcome.pattern {
        Some(pattern) => Some(Outcome::pattern(
            walk.pattern(Pattern::Fields(vec![(name, pattern)])),
        )),
        None => None,
    }
}

/// A dotted name outside of imports: a type in a class pattern, a capture or a constant in a case,
/// a decorator.
pub(super) fn dotted_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [first, rest @ ..] = children.as_slice() else {
        return None;
    };
    if matches!(frame.context, Context::Name) {
        return None;
    }
    if rest.is_empty() {
        return Some(first.outcome);
    }
    // `Colour.RED` in a pattern is a value, not a capture.
    let mut outcome = first.outcome;
    if let Some(pattern) = outcome.pattern {
        for binding in walk.bindings_in(pattern) {
            walk.binding_mut(binding).kind = BindingKind::Label;
        }
        let name = walk.name_at(first.span);
        let reference = walk.reference(first.span, Role::Read, None);
        outcome = Outcome::named(walk.recipe(Recipe::Name(name)), reference);
    }
    for part in rest {
        if let Some(reference) = part.outcome.reference {
            let receiver = outcome.recipe;
            walk.reference_mut(reference).receiver = Some(receiver);
            let name = walk.name_at(part.span);
            let ty = if outcome.ty.is_known() {
                walk.ty(TypeRecipe::Scoped(outcome.ty, name))
            } else {
                TypeId::UNKNOWN
            };
            outcome = Outcome {
                recipe: walk.recipe(Recipe::Member(outcome.recipe, name)),
                ty,
                reference: Some(reference),
                ..Outcome::NONE
            };
        } else {
            if let Some(pattern) = part.outcome.pattern {
                for binding in walk.bindings_in(pattern) {
                    walk.binding_mut(binding).kind = BindingKind::Label;
                }
            }
            outcome = shared::member_of(walk, Context::Value, outcome, part.span);
        }
    }
    Some(outcome)
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(function) = enclosing_function(walk) {
        walk.mark(function, Modifiers::GENERATOR);
    }
    let value = walk.first(frame).recipe;
    let value = if walk.source(frame.span).starts_with("yield from") {
        walk.recipe(Recipe::Element(value))
    } else {
        value
    };
    shared::returned(walk, value, frame.span.end);
    None
}

fn enclosing_function(walk: &Walk<'_>) -> Option<SymbolIndex> {
    walk.ancestors()
        .find(|frame| matches!(frame.kind, "function_definition" | "lambda"))
        .and_then(|frame| frame.symbol)
}

pub(super) fn lambda(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let body = walk.outcome(frame, "body").recipe;
    walk.lambda_return(scope, body);
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// A call; `isinstance(x, T)` also narrows, `super()` is the supertype's view, `cast(T, x)` is a
/// `T`.
pub(super) fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::call(walk, frame)?;
    let (function, arguments) = (
        walk.outcome(frame, "function"),
        walk.outcome(frame, "arguments").list,
    );
    let callee = match walk.recipe_of(function.recipe) {
        Recipe::Name(name) | Recipe::Member(_, name) => walk.word(name),
        _ => return Some(outcome),
    };
    let items = walk.list_of(arguments).to_vec();
    match (callee.as_str(), items.as_slice()) {
        ("isinstance" | "issubclass", [value, class]) => {
            if let Recipe::Name(name) = walk.recipe_of(*value) {
                let class = caught_type(walk, *class);
                let ty = if callee == "issubclass" {
                    let head = walk.name("type");
                    let head = walk.ty(TypeRecipe::Name(head));
                    let arguments = walk.type_list(&[class]);
                    walk.ty(TypeRecipe::Apply(head, arguments))
                } else {
                    class
                };
                walk.narrow(name, frame.span, ty);
            }
            Some(outcome)
        }
        ("super", _)
            if function.reference.is_some()
                && matches!(walk.recipe_of(function.recipe), Recipe::Name(_)) =>
        {
            Some(Outcome {
                recipe: walk.recipe(Recipe::Super),
                ..outcome
            })
        }
        ("cast", [class, _]) => {
            let ty = as_type(walk, *class);
            Some(Outcome {
                recipe: walk.recipe(Recipe::Cast(ty)),
                ..outcome
            })
        }
        _ => Some(outcome),
    }
}

pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (object, member) = (
        walk.outcome(frame, "object"),
        walk.child(frame, "attribute")?,
    );
    if frame.context == Context::Type {
        // The object was walked as a value; as part of a type it names a module or class.
        let object = Outcome {
            ty: as_type(walk, object.recipe),
            ..object
        };
        return Some(shared::member_of(walk, Context::Type, object, member.span));
    }
    Some(shared::member_of(walk, Context::Value, object, member.span))
}

/// What is indexed is read, also where the element is assigned.
pub(super) fn enter_subscript(_: &mut Walk<'_>, frame: &mut Frame) {
    if matches!(frame.context, Context::Bind(_)) {
        frame.context = Context::Value;
    }
}

/// `value[index]`, or in a type `Generic[A, B]`.
pub(super) fn subscript(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value");
    let items: Vec<Outcome> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "subscript")
        .map(|child| child.outcome)
        .collect();
    let is_slice = walk
        .children(frame)
        .iter()
        .any(|child| child.field == "subscript" && child.kind == "slice");
    if is_slice && items.len() == 1 && frame.context != Context::Type {
        // A part of a list is a list of the same.
        return Some(Outcome::recipe(value.recipe));
    }
    if frame.context == Context::Type {
        let recipe = apply_recipe(walk, value.recipe, &items);
        let ty = as_type(walk, recipe);
        return Some(Outcome {
            recipe,
            ty,
            reference: value.reference,
            ..Outcome::NONE
        });
    }
    let recipe = apply_recipe(walk, value.recipe, &items);
    Some(Outcome::recipe(recipe))
}

fn apply_recipe(walk: &mut Walk<'_>, value: RecipeId, items: &[Outcome]) -> RecipeId {
    let index = match items {
        [item] => item.recipe,
        _ => {
            let items: Vec<RecipeId> = items.iter().map(|item| item.recipe).collect();
            let items = walk.list(&items);
            walk.recipe(Recipe::Tuple(items))
        }
    };
    walk.recipe(Recipe::Index(value, index))
}

/// `[a, b]`: a list, a pattern, or the parameter list of a `Callable`.
pub(super) fn list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Bind(_) => shared::tuple_pattern(walk, frame),
        _ => shared::list_literal(walk, frame),
    }
}

pub(super) fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (key, value) = (
        walk.outcome(frame, "key").recipe,
        walk.outcome(frame, "value").recipe,
    );
    let recipe = match walk.recipe_of(key) {
        Recipe::Str(name) => Recipe::Field(name, value),
        _ => Recipe::Entry(key, value),
    };
    walk.value_of(recipe)
}

/// `a if c else b`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame);
    let ([a, _, b] | [a, b]) = children else {
        return None;
    };
    let (a, b) = (a.outcome.recipe, b.outcome.recipe);
    walk.value_of(Recipe::Either(a, b))
}

/// An operation; `A | B` in a type is a union.
pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.outcome(frame, "left"), walk.outcome(frame, "right"));
    let recipe = walk.recipe(Recipe::Operation(left.recipe, right.recipe));
    if frame.context != Context::Type {
        return Some(Outcome::recipe(recipe));
    }
    let sides = [as_type(walk, left.recipe), as_type(walk, right.recipe)];
    Some(Outcome {
        recipe,
        ty: union(walk, &sides),
        ..Outcome::NONE
    })
}

pub(super) fn none(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::null(walk, frame)?;
    let ty = if frame.context == Context::Type {
        none_type(walk)
    } else {
        TypeId::UNKNOWN
    };
    Some(Outcome { ty, ..outcome })
}

fn none_type(walk: &mut Walk<'_>) -> TypeId {
    let none = walk.name("None");
    walk.ty(TypeRecipe::Name(none))
}

/// A string; in a type it quotes a name that is not yet defined.
pub(super) fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::string(walk, frame)?;
    if frame.context != Context::Type {
        return Some(outcome);
    }
    let text = shared::unquoted(walk.source(frame.span));
    let offset = frame.span.start
        + (text.as_ptr() as usize - walk.source(frame.span).as_ptr() as usize) as u32;
    let ty = quoted_type(walk, text, offset);
    Some(Outcome { ty, ..outcome })
}

/// Reads `a.B`, `B[C]`, `B | None` inside a quoted annotation, with a reference for each name.
fn quoted_type(walk: &mut Walk<'_>, text: &str, offset: u32) -> TypeId {
    let mut unions = Vec::new();
    let mut current = TypeId::UNKNOWN;
    let mut receiver: Option<RecipeId> = None;
    let mut depth = 0;
    let mut position = 0;
    while let Some(c) = text[position..].chars().next() {
        if c.is_alphabetic() || c == '_' {
            let len = text[position..]
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(text.len() - position);
            let span = Span::new(offset + position as u32, offset + (position + len) as u32);
            let name = walk.name_at(span);
            walk.reference(span, Role::TypeUse, receiver);
            let recipe = match receiver {
                Some(receiver) => Recipe::Member(receiver, name),
                None => Recipe::Name(name),
            };
            let recipe = walk.recipe(recipe);
            if depth == 0 {
                current = if receiver.is_some() {
                    walk.ty(TypeRecipe::Scoped(current, name))
                } else {
                    walk.ty(TypeRecipe::Name(name))
                };
            }
            position += len;
            let dotted = text[position..].starts_with('.');
            receiver = dotted.then_some(recipe);
            position += usize::from(dotted);
            continue;
        }
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            '|' if depth == 0 => unions.push(current),
            _ => {}
        }
        position += c.len_utf8();
    }
    if unions.is_empty() {
        return current;
    }
    unions.push(current);
    union(walk, &unions)
}

/// A union; with `None` it is an optional.
fn union(walk: &mut Walk<'_>, types: &[TypeId]) -> TypeId {
    let none = none_type(walk);
    let mut parts = Vec::new();
    for &ty in types {
        match walk.type_of(ty) {
            TypeRecipe::Union(range) => parts.extend_from_slice(walk.type_list_of(range)),
            TypeRecipe::Optional(inner) => parts.extend([inner, none]),
            _ => parts.push(ty),
        }
    }
    let optional = parts.contains(&none);
    parts.retain(|&part| part != none);
    let ty = match parts.as_slice() {
        [] => none,
        [only] => *only,
        _ => {
            let parts = walk.type_list(&parts);
            walk.ty(TypeRecipe::Union(parts))
        }
    };
    if optional && ty != none {
        walk.ty(TypeRecipe::Optional(ty))
    } else {
        ty
    }
}

/// An expression read as a type: `a.B`, `B[C, D]`, `"B"`, `A | None`.
pub(super) fn as_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    match walk.recipe_of(recipe) {
        Recipe::Name(name) => walk.ty(TypeRecipe::Name(name)),
        Recipe::Str(name) => {
            let word = walk.word(name);
            let word = word
                .split('[')
                .next()
                .unwrap_or("")
                .rsplit('.')
                .next()
                .unwrap_or("")
                .trim()
                .to_owned();
            let name = walk.name(word);
            walk.ty(TypeRecipe::Name(name))
        }
        Recipe::Member(object, name) => {
            let object = as_type(walk, object);
            walk.ty(TypeRecipe::Scoped(object, name))
        }
        Recipe::Literal(LiteralKind::Null) => none_type(walk),
        Recipe::Operation(a, b) => {
            let sides = [as_type(walk, a), as_type(walk, b)];
            union(walk, &sides)
        }
        Recipe::Index(head, index) => applied_type(walk, head, index),
        _ => TypeId::UNKNOWN,
    }
}

fn applied_type(walk: &mut Walk<'_>, head: RecipeId, index: RecipeId) -> TypeId {
    let arguments: Vec<RecipeId> = match walk.recipe_of(index) {
        Recipe::Tuple(items) => walk.list_of(items).to_vec(),
        _ => vec![index],
    };
    let head_name = match walk.recipe_of(head) {
        Recipe::Name(name) | Recipe::Member(_, name) => walk.word(name),
        _ => String::new(),
    };
    match (head_name.as_str(), arguments.as_slice()) {
        ("Optional", [inner]) => {
            let inner = as_type(walk, *inner);
            walk.ty(TypeRecipe::Optional(inner))
        }
        ("Union", _) => {
            let types: Vec<TypeId> = arguments
                .iter()
                .map(|&argument| as_type(walk, argument))
                .collect();
            union(walk, &types)
        }
        (
            "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired" | "ReadOnly"
            | "InitVar" | "TypeGuard",
            [inner, ..],
        ) => as_type(walk, *inner),
        ("Literal", _) => {
            let text = arguments
                .iter()
                .find_map(|&argument| match walk.recipe_of(argument) {
                    Recipe::Str(name) => Some(name),
                    _ => None,
                });
            text.map_or(TypeId::UNKNOWN, |text| walk.ty(TypeRecipe::Literal(text)))
        }
        ("Callable", [parameters, result]) => {
            let mut types: Vec<TypeId> = match walk.recipe_of(*parameters) {
                Recipe::List(items) => walk
                    .list_of(items)
                    .to_vec()
                    .into_iter()
                    .map(|item| as_type(walk, item))
                    .collect(),
                _ => Vec::new(),
            };
            types.push(as_type(walk, *result));
            let types = walk.type_list(&types);
            walk.ty(TypeRecipe::Function(types))
        }
        _ => {
            let head = as_type(walk, head);
            let types: Vec<TypeId> = arguments
                .iter()
                .map(|&argument| as_type(walk, argument))
                .collect();
            let types = walk.type_list(&types);
            walk.ty(TypeRecipe::Apply(head, types))
        }
    }
}

/// `list[int]` where the grammar itself sees a type.
pub(super) fn generic_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [head, arguments, ..] = children.as_slice() else {
        return None;
    };
    let recipe = if walk.list_of(arguments.outcome.list).len() == 1 {
        let index = walk.list_of(arguments.outcome.list)[0];
        walk.recipe(Recipe::Index(head.outcome.recipe, index))
    } else {
        let index = walk.recipe(Recipe::Tuple(arguments.outcome.list));
        walk.recipe(Recipe::Index(head.outcome.recipe, index))
    };
    let ty = as_type(walk, recipe);
    Some(Outcome {
        recipe,
        ty,
        reference: head.outcome.reference,
        ..Outcome::NONE
    })
}

pub(super) fn union_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(union(walk, &types)))
}

pub(super) fn member_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [object, member] = children.as_slice() else {
        return None;
    };
    Some(shared::member_of(
        walk,
        Context::Type,
        object.outcome,
        member.span,
    ))
}

pub(super) fn splat(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Bind(_) => shared::spread(walk, frame),
        _ => None,
    }
}

/// `import a.b, c as d`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    for child in walk.children(frame).to_vec() {
        let (name_span, alias_span) = name_and_alias(walk, &child);
        let module = walk.name_at(name_span);
        let local = match alias_span {
            Some(alias) => walk.name_at(alias),
            None => {
                let first = walk.source(name_span).split('.').next().unwrap_or("");
                walk.name(first)
            }
        };
        let import = walk.new_import(ImportKind::Module, module, frame.span, name_span);
        (import.local, import.alias_span) = (Some(local), alias_span);
    }
    None
}

/// `from .a import b as c, d`, `from m import *`.
pub(super) fn import_from(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let (module_span, items) = match children.split_first() {
        Some((first, items)) if first.field == "module_name" => (Some(first.span), items),
        _ => (None, children.as_slice()),
    };
    let written = module_span.map_or("__future__", |span| walk.source(span));
    let path = written.trim_start_matches('.');
    let level = (written.len() - path.len()) as u8;
    let module = walk.name(path.trim());
    // What a function imports is seen by nobody else.
    let reexported = !matches!(
        walk.enclosing_scope_kind(),
        ScopeKind::Function | ScopeKind::Lambda
    );
    for item in items {
        let glob = item.kind == "wildcard_import";
        let (name_span, alias_span) = name_and_alias(walk, item);
        let name = walk.name_at(name_span);
        let local = alias_span.map_or(name, |alias| walk.name_at(alias));
        let import = walk.new_import(
            if glob {
                ImportKind::Glob
            } else {
                ImportKind::Item
            },
            module,
            frame.span,
            name_span,
        );
        (
            import.level,
            import.item,
            import.local,
            import.alias_span,
            import.reexported,
        ) = (
            level,
            (!glob).then_some(name),
            (!glob).then_some(local),
            alias_span,
            reexported,
        );
    }
    None
}

fn name_and_alias(walk: &Walk<'_>, child: &Child) -> (Span, Option<Span>) {
    if child.kind != "aliased_import" {
        return (child.span, None);
    }
    let text = walk.source(child.span);
    let name_len = text.find(char::is_whitespace).unwrap_or(text.len());
    let alias_len = text.len() - text.rfind(char::is_whitespace).map_or(0, |i| i + 1);
    let name = Span::new(child.span.start, child.span.start + name_len as u32);
    (
        name,
        Some(Span::new(child.span.end - alias_len as u32, child.span.end)),
    )
}
