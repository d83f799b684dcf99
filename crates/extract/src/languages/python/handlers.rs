//! What rules cannot say about Python.

use crate::prelude::*;

use rustc_hash::FxHashSet;

use super::generics;

pub(super) fn decorator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let decorator = walk.first(frame);
    walk.set_role(decorator, Role::Annotation);
    walk.leading_annotation(decorator.recipe, frame.span);
    None
}

pub(super) fn class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    docstring(walk, frame, symbol);
    set_visibility(walk, symbol);
    let header = walk.child(frame, "superclasses")?;
    let bases = walk.list_of(header.outcome.list).to_vec();
    let types: Vec<TypeId> = bases.iter().map(|&base| as_type(walk, base)).collect();
    for (&base, &ty) in bases.iter().zip(&types) {
        match walk.recipe_of(base) {
            Recipe::Field(..) => walk.value(symbol, base, frame.span.start),
            Recipe::Spread(..) => {}
            _ if !ty.is_known() => {}
            _ => walk.supertype(symbol, ty, Inherit::Extends),
        }
    }
    inherit_references(walk, header.span);
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
    for reference in walk.references_since_mut(header.start) {
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
    for recipe in walk.annotations_of(symbol) {
        let (kind, modifiers) = match shared::last_word(walk, recipe) {
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
        walk.symbol_mut(symbol).visibility = Visibility::Private;
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
            trivia.kind == TriviaKind::String && trivia.span.start == body.span.start
        });
        if let Some(span) = string.map(|trivia| trivia.span) {
            walk.symbol_mut(symbol).doc = Some(span);
        }
    }
}

/// Parameters are bound in the scope of the function or lambda around.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.parent_symbol();
    let receiver = function.filter(|&function| {
        matches!(
            walk.symbol(function).kind,
            SymbolKind::Method | SymbolKind::Property
        ) && !shared::has_modifier(walk, function, Modifiers::STATIC)
    });
    let children = walk.children(frame).to_vec();
    let asks_by_name = asks_by_name(walk, function);
    let (mut index, mut keyword_only) = (0, false);
    for child in children {
        let Some((name, mut flags)) = parameter_name(walk, &child) else {
            keyword_only |= child.kind == "keyword_separator";
            continue;
        };
        flags.insert_if(ParameterFlags::KEYWORD_ONLY, keyword_only);
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
        if asks_by_name && flags == ParameterFlags::default() {
            walk.reference(name, Role::Read, None);
        }
        let (name, ty) = (Some(name), child.outcome.ty);
        let parameter = NewParameter {
            name,
            ty,
            default,
            flags,
            index,
        };
        shared::parameter(walk, function, parameter);
        index += 1;
    }
    None
}

/// Whether a test or fixture asks for fixtures by the names of the parameters that are being read.
fn asks_by_name(walk: &Walk<'_>, function: Option<SymbolIndex>) -> bool {
    let Some(function) = function else {
        return false;
    };
    let so_far = walk.children_of_ancestor(0).iter();
    let mut names = so_far.filter(|child| child.field == "name");
    let is_test = names.any(|name| walk.source(name.span).starts_with("test"));
    let mut annotations = walk.annotations_of(function).into_iter();
    is_test || annotations.any(|recipe| shared::last_word(walk, recipe) == "fixture")
}

fn parameter_name(walk: &Walk<'_>, child: &Child) -> Option<(Span, ParameterFlags)> {
    let plain = ParameterFlags::default();
    let text = walk.source(child.span);
    let after = |stars: usize, flags| {
        let start = child.span.start + stars as u32;
        let len = shared::word_len(&text[stars..]);
        (len > 0).then(|| (Span::sized(start, len), flags))
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
    let outcome = Outcome::ty(walk.outcome(frame, "type").ty);
    let value = walk.outcome(frame, "value").recipe;
    match walk.recipe_of(value) {
        Recipe::Literal(LiteralKind::Null) => Some(outcome),
        _ => Some(outcome.with_recipe(value)),
    }
}

pub(super) fn typed_parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    let text = walk.source(frame.span);
    if text.starts_with("**") || text.starts_with('*') {
        // What the body sees is a dictionary or tuple of the annotated type.
        let is_dictionary = text.starts_with("**");
        let head = walk.type_named(if is_dictionary { "dict" } else { "tuple" });
        let string = walk.type_named("str");
        ty = if is_dictionary {
            walk.applied_type(head, &[string, ty])
        } else {
            walk.applied_type(head, &[ty])
        };
    }
    Some(Outcome::ty(ty))
}

/// `[T, U]`: declared by a class, function or alias; given to a generic type.
pub(super) fn type_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.parent_is(&["generic_type"]) {
        return shared::list(walk, frame);
    }
    let symbol = walk.parent_symbol()?;
    for child in walk.children(frame).to_vec() {
        let len = shared::word_len(walk.source(child.span));
        let name_span = Span::sized(child.span.start, len);
        let name = walk.name_at(name_span);
        walk.forget_reference(name_span);
        walk.type_parameter(symbol, name, name_span, TypeListRange::default());
    }
    None
}

pub(super) fn type_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.outcome(frame, "right"));
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    shared::name_symbol(walk, symbol, left.span);
    walk.symbol_mut(symbol).ty = right.ty;
    // The grammar wraps the name in a type.
    walk.forget_reference(left.span);
    None
}

/// Binds names, defines module variables and class attributes, and defines fields where `self.x` is
/// assigned.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left"), walk.child(frame, "right"));
    let (value, ty) = (right.outcome(), walk.outcome(frame, "type").ty);
    let Some(left) = left else { return Some(value) };
    assign(walk, frame, left, value.recipe, ty);
    if let Some(right) = right.filter(|_| walk.source(left.span) == "__all__") {
        exports(walk, value.recipe, right.span);
    }
    Some(value)
}

fn assign(walk: &mut Walk<'_>, frame: &Frame, left: Child, value: RecipeId, ty: TypeId) {
    if let Some(pattern) = left.outcome.pattern {
        walk.bind_pattern(pattern, value, ty, frame.span.end);
        define_variables(walk, pattern, |_| frame.span);
    }
    walk.set_role(left.outcome, Role::Write);
    store(walk, left.outcome.recipe, value, frame.span.end);
    define_fields(walk, frame.span, left.span, left.outcome.recipe, value, ty);
}

/// `d[key] = value`, `other.attribute = value`; attributes of `self` are fields.
fn store(walk: &mut Walk<'_>, target: RecipeId, value: RecipeId, at: u32) {
    if self_attribute(walk, target).is_none() {
        walk.store(target, value, at);
    }
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
        patterns.push(match child.outcome.pattern {
            Some(pattern) => match *walk.pattern_of(pattern) {
                Pattern::Rest(rest) => walk.pattern(Pattern::Items(rest)),
                _ => pattern,
            },
            // What is no name keeps its place.
            None => walk.pattern(Pattern::Tuple(Vec::new())),
        });
        values.push(child.outcome.recipe);
    }
    let recipe = walk.recipe_from(Recipe::Tuple, &values);
    let pattern = walk.pattern(Pattern::Tuple(patterns));
    Some(Outcome::recipe(recipe).with_pattern(pattern))
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
        let named = walk
            .references_since(written.start)
            .filter(|reference| reference.name == member && reference.span.end <= written.end);
        if let Some(span) = named.map(|reference| reference.span).last() {
            define_field(walk, whole, class, span, value, ty);
        }
    }
}

/// Defines the names that a pattern binds at the top of a module or class; `span` gives the text of
/// each definition.
fn define_variables(walk: &mut Walk<'_>, pattern: PatternId, span: impl Fn(&Binding) -> Span) {
    if matches!(
        walk.enclosing_scope_kind(),
        ScopeKind::File | ScopeKind::Type
    ) {
        for binding in walk.bindings_in(pattern) {
            let binding = walk.binding(binding).clone();
            let span = span(&binding);
            define_variable(walk, span, binding.name_span, binding.value, binding.ty);
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
fn self_attribute(walk: &Walk<'_>, recipe: RecipeId) -> Option<(SymbolIndex, NameId)> {
    let Recipe::Member(object, member) = walk.recipe_of(recipe) else {
        return None;
    };
    let Recipe::Name(object) = walk.recipe_of(object) else {
        return None;
    };
    let is_self = |binding: &Binding| {
        let value = walk.recipe_of(binding.value);
        matches!(value, Recipe::SelfValue | Recipe::SelfType)
    };
    let mut symbol = walk.symbol(walk.current_symbol()?);
    while !matches!(symbol.kind, SymbolKind::Method | SymbolKind::Property) {
        symbol = walk.symbol(symbol.parent?);
    }
    let body = symbol.body?;
    let mut parameters = walk
        .facts()
        .bindings
        .iter()
        .filter(|binding| binding.scope == body && binding.parameter == Some(0));
    parameters.find(|binding| binding.name == object && is_self(binding))?;
    Some((symbol.parent?, member))
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
            let name_span = Span::sized(start, word.len());
            from = name_span.end;
            walk.new_export(name, name_span).local = Some(name);
        }
    }
}

pub(super) fn augmented_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    walk.set_role(left, Role::Write);
    let (Some(target), Some(right)) = (walk.child(frame, "left"), walk.child(frame, "right"))
    else {
        return Some(left);
    };
    let operator = walk.between(target.span, right.span).trim();
    let operands = [left.recipe, right.outcome.recipe];
    walk.implicit(ImplicitKind::Operator, operator, operands, frame.span);
    Some(left)
}

pub(super) fn named_expression(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, value) = (walk.outcome(frame, "name"), walk.outcome(frame, "value"));
    walk.bind_pattern(name.pattern, value.recipe, TypeId::UNKNOWN, frame.span.end);
    Some(value)
}

pub(super) fn loop_target(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    if let Some(pattern) = left.outcome.pattern {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        // A comprehension's element is before its loops.
        let from = match frame.kind {
            "for_in_clause" => walk.scope_start(),
            _ => right.span.end,
        };
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, from);
        if frame.kind == "for_statement" {
            define_variables(walk, pattern, |binding| binding.name_span);
        }
    }
    if frame.kind == "for_statement" {
        let element = walk.recipe(Recipe::Element(right.outcome.recipe));
        // Not the loop with all that is in it.
        let (whole, target) = (left.span, left.outcome.recipe);
        define_fields(walk, whole, left.span, target, element, TypeId::UNKNOWN);
    }
    None
}

pub(super) fn comprehension(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.outcome(frame, "body").recipe;
    let body = inside(walk, frame, body);
    Some(Outcome::recipe(walk.recipe_from(Recipe::List, &[body])))
}

/// The value of an expression that must be read in the scope of its comprehension.
fn inside(walk: &mut Walk<'_>, frame: &Frame, body: RecipeId) -> RecipeId {
    let Some(scope) = frame.scope.filter(|_| body.is_known()) else {
        return body;
    };
    walk.lambda_return(scope, body);
    let lambda = walk.lambda(scope);
    walk.plain_call(lambda)
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
    Some(Outcome::recipe(walk.recipe_from(Recipe::Object, &[body])))
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
        if let Some(entered) = walk.children(frame).first().copied() {
            let values = [value.recipe, RecipeId::UNKNOWN];
            let word = walk.waiting(frame, "with_statement");
            walk.implicit(ImplicitKind::Enter, word, values, entered.span);
        }
        // What `__enter__` gives, or `__aenter__` once it is awaited.
        let with = walk
            .ancestors()
            .find(|outer| outer.kind == "with_statement");
        let is_async = with.is_some_and(|with| walk.source(with.span).starts_with("async"));
        let enter = walk.name(if is_async { "__aenter__" } else { "__enter__" });
        let enter = walk.recipe(Recipe::Member(value.recipe, enter));
        let mut entered = walk.plain_call(enter);
        if is_async {
            entered = walk.recipe(Recipe::Await(entered));
        }
        (entered, TypeId::UNKNOWN)
    };
    if let Some(pattern) = alias.outcome.pattern {
        walk.bind_pattern(pattern, recipe, ty, frame.span.end);
        let kind = if in_except {
            BindingKind::Caught
        } else {
            BindingKind::Assignment
        };
        walk.set_kind(pattern, kind);
    }
    let target = alias.outcome.recipe;
    define_fields(walk, frame.span, alias.span, target, recipe, ty);
    walk.set_role(alias.outcome, Role::Write);
    None
}

/// `case P as x`: the grammar gives the name no field.
fn case_alias(walk: &mut Walk<'_>, frame: &Frame, value: Outcome) -> Outcome {
    let last = walk.children(frame).last().copied();
    let Some(name) = last.filter(|child| child.kind == "identifier") else {
        return value;
    };
    walk.forget_reference(name.span);
    let whole = walk.bound_name(BindingKind::Pattern, name.span);
    let pattern = match value.pattern {
        Some(inner) => walk.pattern(Pattern::Both(whole, inner)),
        None => whole,
    };
    value.with_pattern(pattern)
}

fn caught_type(walk: &mut Walk<'_>, recipe: RecipeId) -> TypeId {
    if let Recipe::Tuple(items) = walk.recipe_of(recipe) {
        let items = walk.list_of(items).to_vec();
        let types = as_types(walk, &items);
        return walk.type_from(TypeRecipe::Union, &types);
    }
    as_type(walk, recipe)
}

pub(super) fn except(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, alias) = (walk.outcome(frame, "value"), walk.child(frame, "alias")?);
    if let Some(pattern) = alias.outcome.pattern {
        let ty = caught_type(walk, value.recipe);
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, ty, alias.span.end);
    }
    None
}

/// After `assert isinstance(x, T)` the name is a `T`.
pub(super) fn assert(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    shared::keep_narrowings(walk, frame.span.end);
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
    let parts = walk.filter(frame, |child| child.kind == "case_pattern");
    let mut fields = Vec::new();
    for part in parts.into_iter().filter_map(|part| part.outcome.pattern) {
        match walk.pattern_of(part).clone() {
            Pattern::Fields(named) => fields.extend(named),
            _ => walk.bind_pattern(part, RecipeId::UNKNOWN, TypeId::UNKNOWN, frame.span.end),
        }
    }
    let pattern = walk.pattern(Pattern::Fields(fields));
    Some(
        Outcome::recipe(cast)
            .with_ty(class.ty)
            .with_pattern(pattern),
    )
}

pub(super) fn keyword_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [name, value, ..] = children.as_slice() else {
        return None;
    };
    // The keyword itself was walked as if it bound.
    if let Some(pattern) = name.outcome.pattern {
        walk.set_kind(pattern, BindingKind::Label);
    }
    let name = walk.name_at(name.span);
    let fields = vec![(name, value.outcome.pattern?)];
    Some(Outcome::pattern(walk.pattern(Pattern::Fields(fields))))
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
        walk.set_kind(pattern, BindingKind::Label);
        let name = walk.name_at(first.span);
        let reference = walk.reference(first.span, Role::Read, None);
        outcome = Outcome::named(walk.recipe(Recipe::Name(name)), reference);
    }
    for part in rest {
        if let Some(reference) = part.outcome.reference {
            walk.reference_mut(reference).receiver = Some(outcome.recipe);
            let name = walk.name_at(part.span);
            let ty = walk.wrapped_type(outcome.ty, |ty| TypeRecipe::Scoped(ty, name));
            let recipe = walk.recipe(Recipe::Member(outcome.recipe, name));
            outcome = Outcome::named_type(recipe, ty, reference);
        } else {
            if let Some(pattern) = part.outcome.pattern {
                walk.set_kind(pattern, BindingKind::Label);
            }
            outcome = shared::member_of(walk, Context::Value, outcome, part.span);
        }
    }
    Some(outcome)
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk
        .ancestors()
        .find(|outer| matches!(outer.kind, "function_definition" | "lambda"));
    if let Some(function) = function.and_then(|function| function.symbol) {
        walk.mark(function, Modifiers::GENERATOR);
    }
    let mut value = walk.first(frame).recipe;
    if walk.source(frame.span).starts_with("yield from") {
        value = walk.recipe(Recipe::Element(value));
    }
    shared::returned(walk, value, frame.span.end);
    None
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
    let function = walk.outcome(frame, "function");
    let arguments = walk.outcome(frame, "arguments").list;
    let (Recipe::Name(callee) | Recipe::Member(_, callee)) = walk.recipe_of(function.recipe) else {
        return Some(outcome);
    };
    let is_bare = matches!(walk.recipe_of(function.recipe), Recipe::Name(_));
    let callee = walk.word(callee);
    match (callee.as_str(), walk.list_of(arguments)) {
        ("isinstance" | "issubclass", &[value, class]) => {
            if let Recipe::Name(name) = walk.recipe_of(value) {
                let mut ty = caught_type(walk, class);
                if callee == "issubclass" {
                    let head = walk.type_named("type");
                    ty = walk.applied_type(head, &[ty]);
                }
                walk.narrow(name, frame.span, ty);
            }
            Some(outcome)
        }
        ("super", _) if function.reference.is_some() && is_bare => {
            Some(outcome.with_recipe(walk.recipe(Recipe::Super)))
        }
        ("cast", &[class, _]) => {
            let ty = as_type(walk, class);
            Some(outcome.with_recipe(walk.recipe(Recipe::Cast(ty))))
        }
        _ => Some(outcome),
    }
}

pub(super) fn attribute(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut object = walk.outcome(frame, "object");
    let member = walk.child(frame, "attribute")?;
    let mut context = Context::Value;
    if frame.context == Context::Type {
        // The object was walked as a value; as part of a type it names a module or class.
        (context, object.ty) = (Context::Type, as_type(walk, object.recipe));
    }
    Some(shared::member_of(walk, context, object, member.span))
}

/// What is indexed is read, also where the element is assigned.
pub(super) fn enter_subscript(_: &mut Walk<'_>, frame: &mut Frame) {
    if matches!(frame.context, Context::Bind(_)) {
        frame.context = Context::Value;
        frame.note = ASSIGNED;
    }
}

/// The note of an element that is assigned.
const ASSIGNED: u32 = 1;

/// What an index calls: to read the element, to assign it, to delete it.
fn index_calls(walk: &mut Walk<'_>, frame: &Frame, index: RecipeId) {
    let Some(value) = walk.child(frame, "value") else {
        return;
    };
    let is_changed = walk.parent_is(&["augmented_assignment"]) && frame.field == "left";
    let kinds: &[ImplicitKind] = if frame.context == Context::Type {
        &[]
    } else if frame.note == ASSIGNED {
        &[ImplicitKind::Store]
    } else if walk.parent_is(&["delete_statement"]) {
        &[ImplicitKind::Delete]
    } else if is_changed {
        &[ImplicitKind::Index, ImplicitKind::Store]
    } else {
        &[ImplicitKind::Index]
    };
    for kind in kinds {
        walk.implicit(*kind, "", [value.outcome.recipe, index], value.span);
    }
}

/// `value[index]`, or in a type `Generic[A, B]`.
pub(super) fn subscript(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "value");
    let items = walk.filter(frame, |child| child.field == "subscript");
    if let [
        Child {
            kind: "slice",
            span,
            ..
        },
    ] = items.as_slice()
        && frame.context != Context::Type
    {
        let from = slice_start(walk.source(*span));
        index_calls(walk, frame, RecipeId::UNKNOWN);
        // A part of a list is a list of the same.
        let part = walk.wrapped(value.recipe, |value| Recipe::Rest(value, from));
        return Some(Outcome::recipe(part));
    }
    let items: Vec<RecipeId> = items.iter().map(|item| item.outcome.recipe).collect();
    let recipe = apply_recipe(walk, value.recipe, &items);
    index_calls(walk, frame, items.first().copied().unwrap_or_default());
    if frame.context != Context::Type {
        return Some(Outcome::recipe(recipe));
    }
    let ty = as_type(walk, recipe);
    Some(
        Outcome::recipe(recipe)
            .with_ty(ty)
            .with_reference(value.reference),
    )
}

/// Where a slice starts; what is not written as a small number may be anywhere.
fn slice_start(slice: &str) -> u16 {
    match slice.split(':').next().map(str::trim) {
        Some("") => 0,
        Some(start) => start.parse().unwrap_or(u16::MAX),
        None => u16::MAX,
    }
}

fn apply_recipe(walk: &mut Walk<'_>, value: RecipeId, items: &[RecipeId]) -> RecipeId {
    let index = match items {
        [item] => *item,
        _ => walk.recipe_from(Recipe::Tuple, items),
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
    let (key, value) = (walk.outcome(frame, "key"), walk.outcome(frame, "value"));
    Some(shared::entry(walk, key.recipe, value.recipe))
}

/// `a if c else b`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ([a, _, b] | [a, b]) = walk.children(frame) else {
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
    Some(Outcome::recipe(recipe).with_ty(union(walk, &sides)))
}

pub(super) fn none(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let outcome = shared::null(walk, frame)?;
    match frame.context {
        Context::Type => Some(outcome.with_ty(none_type(walk))),
        _ => Some(outcome),
    }
}

fn none_type(walk: &mut Walk<'_>) -> TypeId {
    walk.type_named("None")
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
    Some(outcome.with_ty(ty))
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
            let len = shared::word_len(&text[position..]);
            let span = Span::sized(offset + position as u32, len);
            let name = walk.name_at(span);
            walk.reference(span, Role::TypeUse, receiver);
            let (recipe, ty) = match receiver {
                Some(receiver) => (
                    Recipe::Member(receiver, name),
                    TypeRecipe::Scoped(current, name),
                ),
                None => (Recipe::Name(name), TypeRecipe::Name(name)),
            };
            let recipe = walk.recipe(recipe);
            if depth == 0 {
                current = walk.ty(ty);
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
        _ => walk.type_from(TypeRecipe::Union, &parts),
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
            let head = word.split('[').next().unwrap_or("");
            let last = head.rsplit('.').next().unwrap_or("");
            walk.type_named(last.trim().to_owned())
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
            let types = as_types(walk, &arguments);
            union(walk, &types)
        }
        (
            "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired" | "ReadOnly"
            | "InitVar" | "TypeGuard",
            [inner, ..],
        ) => as_type(walk, *inner),
        ("Literal", _) => {
            for &argument in &arguments {
                if let Recipe::Str(text) = walk.recipe_of(argument) {
                    return walk.ty(TypeRecipe::Literal(text));
                }
            }
            TypeId::UNKNOWN
        }
        ("Callable", [parameters, result]) => {
            let mut types = match walk.recipe_of(*parameters) {
                Recipe::List(items) => {
                    let items = walk.list_of(items).to_vec();
                    as_types(walk, &items)
                }
                _ => Vec::new(),
            };
            types.push(as_type(walk, *result));
            walk.type_from(TypeRecipe::Function, &types)
        }
        _ => {
            let head = as_type(walk, head);
            let types = as_types(walk, &arguments);
            walk.applied_type(head, &types)
        }
    }
}

fn as_types(walk: &mut Walk<'_>, recipes: &[RecipeId]) -> Vec<TypeId> {
    recipes
        .iter()
        .map(|&recipe| as_type(walk, recipe))
        .collect()
}

/// `list[int]` where the grammar itself sees a type.
pub(super) fn generic_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [head, arguments, ..] = children.as_slice() else {
        return None;
    };
    let arguments = walk.list_of(arguments.outcome.list).to_vec();
    let recipe = apply_recipe(walk, head.outcome.recipe, &arguments);
    let ty = as_type(walk, recipe);
    Some(
        Outcome::recipe(recipe)
            .with_ty(ty)
            .with_reference(head.outcome.reference),
    )
}

pub(super) fn union_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    Some(Outcome::ty(union(walk, &types)))
}

pub(super) fn member_type(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [object, member] = walk.child_array(frame)?;
    let object = object.outcome;
    Some(shared::member_of(walk, Context::Type, object, member.span))
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
        let kind = shared::import_kind(glob);
        let import = walk.new_import(kind, module, frame.span, name_span);
        (import.level, import.alias_span, import.reexported) = (level, alias_span, reexported);
        if !glob {
            (import.item, import.local) = (Some(name), Some(local));
        }
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
    let alias = Span::new(child.span.end - alias_len as u32, child.span.end);
    (Span::sized(child.span.start, name_len), Some(alias))
}
