//! What rules cannot say about PHP's statements and expressions.

use crate::prelude::*;

use super::{documented::type_before, names::as_type};

/// What is after `as` in a `foreach` is bound.
pub(super) fn enter_target(walk: &mut Walk<'_>, frame: &mut Frame) {
    let around = walk
        .ancestors()
        .nth(1)
        .filter(|around| around.kind == "foreach_statement");
    let is_target = around.is_some_and(|foreach| !walk.children(foreach).is_empty());
    if is_target && frame.field.is_empty() {
        frame.context = Context::Bind(BindingKind::Loop);
    }
}

pub(super) fn statement(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    None
}

pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    shared::returns(walk, frame)
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut around = walk.ancestors();
    let function =
        around.find(|frame| frame.symbol.is_some() || frame.kind == "anonymous_function");
    if let Some(function) = function.and_then(|function| function.symbol) {
        walk.mark(function, Modifiers::GENERATOR);
    }
    let value = walk.first(frame).recipe;
    let value = match walk.recipe_of(value) {
        Recipe::Entry(_, value) | Recipe::Field(_, value) => value,
        _ if walk.source(frame.span).starts_with("yield from") && value.is_known() => {
            walk.recipe(Recipe::Element(value))
        }
        _ => value,
    };
    shared::returned(walk, value, frame.span.end);
    None
}

/// `foreach ($xs as $k => $x)`.
pub(super) fn foreach(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [over, target, ..] = *walk.children(frame) else {
        return None;
    };
    walk.set_role(target.outcome, Role::Write);
    if let Some(pattern) = target.outcome.pattern {
        let over = over.outcome.recipe;
        let element = walk.wrapped(over, Recipe::Element);
        let ty = match target.kind {
            "variable_name" => type_before(walk, frame.span.start, walk.source(target.span)),
            _ => TypeId::UNKNOWN,
        };
        walk.bind_pattern(pattern, element, ty, target.span.end);
    }
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, ty) = (walk.child(frame, "name")?, walk.outcome(frame, "type").ty);
    walk.bind_pattern(name.outcome.pattern, RecipeId::UNKNOWN, ty, name.span.end);
    None
}

pub(super) fn static_variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, value) = (walk.outcome(frame, "name"), walk.outcome(frame, "value"));
    walk.bind_pattern(name.pattern, value.recipe, TypeId::UNKNOWN, frame.span.end);
    None
}

/// Binds variables, writes properties; what a property is assigned tells its type.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    let right = walk.outcome(frame, "right").recipe;
    let statement = walk
        .parent()
        .filter(|outer| outer.kind == "expression_statement");
    let statement = statement.map(|statement| statement.span.start);
    let ty = match (statement, walk.child(frame, "left")) {
        (Some(statement), Some(variable)) if variable.kind == "variable_name" => {
            type_before(walk, statement, walk.source(variable.span))
        }
        _ => TypeId::UNKNOWN,
    };
    walk.bind_pattern(left.pattern, right, ty, frame.span.end);
    walk.set_role(left, Role::Write);
    if let Some(property) = own_property(walk, left.recipe) {
        walk.value(property, right, frame.span.start);
    }
    Some(Outcome::recipe(right))
}

pub(super) fn augmented_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let left = walk.outcome(frame, "left");
    let right = walk.outcome(frame, "right").recipe;
    walk.set_role(left, Role::Write);
    let end = walk
        .child(frame, "left")
        .map_or(frame.span.end, |left| left.span.end);
    let operator = walk.source(Span::new(end, frame.span.end));
    if !operator.trim_start().starts_with("??=") {
        return Some(Outcome::recipe(left.recipe));
    }
    if let Some(property) = own_property(walk, left.recipe) {
        walk.value(property, right, frame.span.start);
    }
    walk.value_of(Recipe::Either(left.recipe, right))
}

/// The property when a recipe is `$this->name` or `self::$name` of the class around, and the class
/// has declared it by now.
fn own_property(walk: &Walk<'_>, recipe: RecipeId) -> Option<SymbolIndex> {
    // More than the members of real classes; a bound on generated ones.
    const MAX_MEMBERS: usize = 500;
    let (Recipe::Member(object, name) | Recipe::Scoped(object, name)) = walk.recipe_of(recipe)
    else {
        return None;
    };
    if !matches!(walk.recipe_of(object), Recipe::SelfValue | Recipe::SelfType) {
        return None;
    }
    let mut around = walk.ancestors().filter_map(|frame| frame.symbol);
    let class = around.find(|&symbol| walk.symbol(symbol).kind.is_type())?;
    let first = class.0 as usize + 1;
    let members = walk.facts().symbols.iter().skip(first).take(MAX_MEMBERS);
    let is_it = |member: &Symbol| member.kind == SymbolKind::Property && member.name == name;
    let place = members
        .into_iter()
        .position(|member| member.parent == Some(class) && is_it(member));
    place.map(|place| SymbolIndex((first + place) as u32))
}

pub(super) fn update(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let target = walk.outcome(frame, "argument");
    walk.set_role(target, Role::Write);
    Some(Outcome::recipe(target.recipe))
}

/// `[$a, , 'k' => $b]` on the left of an assignment: parts by position; those with keys are bound
/// to nothing known.
pub(super) fn destructured(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let Context::Bind(_) = frame.context else {
        return None;
    };
    let children = walk.children(frame).to_vec();
    let mut parts = Vec::new();
    let mut end = frame.span.start + 1;
    for child in &children {
        let between = walk.source(Span::new(end.min(child.span.start), child.span.start));
        let key_before = between.contains("=>");
        // A gap leaves a part out.
        let separator = usize::from(!parts.is_empty());
        for _ in separator..between.matches(',').count() {
            parts.push(walk.pattern(Pattern::Tuple(Vec::new())));
        }
        walk.set_role(child.outcome, Role::Write);
        parts.extend(match child.outcome.pattern {
            Some(pattern) if key_before => Some(walk.pattern(Pattern::Rest(pattern))),
            pattern => pattern,
        });
        end = child.span.end;
    }
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// Larger literals are data; their elements tell nothing more.
const MAX_ELEMENTS: usize = 200;

pub(super) fn array(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Context::Bind(_) = frame.context {
        return destructured(walk, frame);
    }
    let items = walk.children(frame).iter().take(MAX_ELEMENTS);
    let items: Vec<RecipeId> = items.map(|child| child.outcome.recipe).collect();
    let is_keyed =
        |&item: &RecipeId| matches!(walk.recipe_of(item), Recipe::Field(..) | Recipe::Entry(..));
    let make = if items.iter().any(is_keyed) {
        Recipe::Object
    } else {
        Recipe::List
    };
    Some(Outcome::recipe(walk.recipe_from(make, &items)))
}

/// `value` or `key => value`.
pub(super) fn array_element(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (first, second) = match walk.children(frame) {
        [key, value, ..] => (key.outcome, Some(value.outcome)),
        [value] => (value.outcome, None),
        [] => return None,
    };
    let Some(value) = second else {
        return Some(first);
    };
    if let Context::Bind(_) = frame.context {
        return match value.pattern {
            Some(pattern) => Some(Outcome::pattern(walk.pattern(Pattern::Rest(pattern)))),
            None => Some(value),
        };
    }
    Some(shared::entry(walk, first.recipe, value.recipe))
}

/// Whether the arguments are `(...)`, which makes a closure of the function instead of calling it.
fn is_placeholder(walk: &Walk<'_>, frame: &Frame) -> bool {
    let arguments = walk.child(frame, "arguments");
    let written = arguments.map_or("", |arguments| walk.source(arguments.span));
    let inner = written.trim_start_matches('(').trim();
    inner
        .strip_prefix("...")
        .is_some_and(|rest| rest.trim_start() == ")")
}

pub(super) fn function_call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk.outcome(frame, "function");
    let arguments = walk.outcome(frame, "arguments").list;
    if is_placeholder(walk, frame) {
        return Some(function);
    }
    let outcome = shared::call_of(walk, function, arguments);
    let name = walk
        .child(frame, "function")
        .map_or("", |function| walk.source(function.span));
    match (name.trim_start_matches('\\'), walk.list_of(arguments)) {
        ("define", &[constant, value, ..]) => define(walk, frame, constant, value),
        ("is_a" | "is_subclass_of", &[value, class, ..]) => {
            let ty = as_type(walk, class);
            narrow(walk, value, frame.span, ty);
        }
        ("assert", [_, ..]) => shared::keep_narrowings(walk, frame.span.end),
        _ => {}
    }
    Some(outcome)
}

/// `define('NAME', value)` declares a constant.
fn define(walk: &mut Walk<'_>, frame: &Frame, constant: RecipeId, value: RecipeId) {
    let Recipe::Str(name) = walk.recipe_of(constant) else {
        return;
    };
    let word = walk.word(name);
    let Some(at) = walk.source(frame.span).find(&word) else {
        return;
    };
    let start = frame.span.start + at as u32;
    let symbol = walk.new_symbol(SymbolKind::Constant, frame.span);
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.name, symbol_mut.name_span) = (name, Span::sized(start, word.len()));
    symbol_mut.modifiers = Modifiers::default();
    walk.value(symbol, value, frame.span.end);
}

fn narrow(walk: &mut Walk<'_>, value: RecipeId, span: Span, ty: TypeId) {
    if let Recipe::Name(name) = walk.recipe_of(value)
        && ty.is_known()
    {
        walk.narrow(name, span, ty);
    }
}

/// `$a->b(...)`, `A::b(...)`, `parent::b(...)`.
pub(super) fn member_call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let callee = member(walk, frame).unwrap_or_default();
    if is_placeholder(walk, frame) {
        return Some(callee);
    }
    let arguments = walk.outcome(frame, "arguments").list;
    Some(shared::call_of(walk, callee, arguments))
}

/// `$a->b`, `A::$b`; what is not written as a name stays unknown.
pub(super) fn member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (object, scope) = (walk.child(frame, "object"), walk.child(frame, "scope"));
    let object = object.or(scope)?;
    let name = walk.child(frame, "name")?;
    let span = match name.kind {
        "name" => name.span,
        "variable_name" if frame.kind == "scoped_property_access_expression" => {
            Span::new(name.span.start + 1, name.span.end)
        }
        _ => return None,
    };
    let receiver = object.outcome.recipe;
    let word = walk.name_at(span);
    let reference = walk.reference(span, Role::Read, Some(receiver));
    // `$class::create()` names a member of a value.
    const NAMES: [&str; 4] = ["name", "qualified_name", "relative_name", "relative_scope"];
    let recipe = match scope {
        Some(scope) if NAMES.contains(&scope.kind) => Recipe::Scoped(receiver, word),
        _ => Recipe::Member(receiver, word),
    };
    Some(Outcome::named(walk.recipe(recipe), reference))
}

/// `A::B`, `A::class`.
pub(super) fn class_constant(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [scope, name, ..] = *walk.children(frame) else {
        return None;
    };
    if name.kind != "name" {
        return None;
    }
    let Outcome { recipe: of, ty, .. } = scope.outcome;
    if walk.source(name.span).eq_ignore_ascii_case("class") {
        walk.label(name.span);
        let ty = match ty {
            TypeId::UNKNOWN => walk.ty(TypeRecipe::Of(of)),
            _ => ty,
        };
        return walk.value_of(Recipe::Type(ty));
    }
    let word = walk.name_at(name.span);
    let reference = walk.reference(name.span, Role::Read, Some(of));
    let recipe = match ty {
        TypeId::UNKNOWN => Recipe::Member(of, word),
        _ => Recipe::Scoped(of, word),
    };
    Some(Outcome::named(walk.recipe(recipe), reference))
}

pub(super) fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.children(frame).first().copied()?;
    if class.kind == "anonymous_class" {
        // The value is an object of the class just defined.
        let of = class.outcome.recipe;
        let ty = walk.ty(TypeRecipe::Of(of));
        return walk.value_of(Recipe::New(ty, ListRange::default()));
    }
    let arguments = walk.outcome_of_kind(frame, "arguments").list;
    let class = match class.outcome {
        Outcome {
            ty: TypeId::UNKNOWN,
            recipe: RecipeId::UNKNOWN,
            ..
        } => Outcome::NONE,
        Outcome {
            ty: TypeId::UNKNOWN,
            recipe,
            ..
        } => Outcome::ty(walk.ty(TypeRecipe::Of(recipe))),
        class => class,
    };
    Some(shared::new_of(walk, class, arguments))
}

pub(super) fn argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.rfind(frame, |child| child.field.is_empty()).outcome();
    let Some(name) = walk.child(frame, "name") else {
        return Some(Outcome::recipe(value.recipe));
    };
    walk.label(name.span);
    let name = walk.name_at(name.span);
    walk.value_of(Recipe::Field(name, value.recipe))
}

pub(super) fn subscript(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (value, index) = match walk.children(frame) {
        [value, index, ..] => (value.outcome.recipe, index.outcome.recipe),
        [value] => (value.outcome.recipe, RecipeId::UNKNOWN),
        [] => return None,
    };
    walk.value_of(Recipe::Index(value, index))
}

/// An operation; `instanceof` also narrows, `??` gives one or the other.
pub(super) fn binary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (walk.child(frame, "left")?, walk.child(frame, "right")?);
    let operator = walk.between(left.span, right.span).trim();
    let operator = operator.to_ascii_lowercase();
    let boolean = Recipe::Literal(LiteralKind::Boolean);
    let recipe = match operator.as_str() {
        "instanceof" => {
            let ty = as_type(walk, right.outcome.recipe);
            if ty.is_known() {
                walk.set_role(right.outcome, Role::TypeUse);
            }
            narrow(walk, left.outcome.recipe, frame.span, ty);
            boolean
        }
        "??" => Recipe::Either(left.outcome.recipe, right.outcome.recipe),
        "||" | "or" | "xor" => {
            walk.take_narrowings();
            boolean
        }
        "&&" | "and" | "==" | "!=" | "<>" | "===" | "!==" | "<" | ">" | "<=" | ">=" => boolean,
        "." => Recipe::Literal(LiteralKind::String),
        _ => Recipe::Operation(left.outcome.recipe, right.outcome.recipe),
    };
    walk.value_of(recipe)
}

pub(super) fn unary(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if walk.source(frame.span).starts_with('!') {
        walk.take_narrowings();
        return walk.value_of(Recipe::Literal(LiteralKind::Boolean));
    }
    Some(Outcome::recipe(walk.outcome(frame, "argument").recipe))
}

/// `a ? b : c`, `a ?: c`.
pub(super) fn conditional(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let body = walk.child(frame, "body").or(walk.child(frame, "condition"));
    let (a, b) = (
        body.outcome().recipe,
        walk.outcome(frame, "alternative").recipe,
    );
    walk.value_of(Recipe::Either(a, b))
}

pub(super) fn match_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// One of the arms; a few of them tell enough.
pub(super) fn match_arms(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    const MAX_ARMS: usize = 4;
    let arms = walk.recipes(frame).into_iter();
    shared::one_of(walk, arms.filter(|arm| arm.is_known()).take(MAX_ARMS))
}

pub(super) fn match_arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.outcome(frame, "return_expression").recipe;
    Some(Outcome::recipe(value))
}

/// A closure or arrow function; the variables it uses are those of the function around.
pub(super) fn closure(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    match walk.outcome(frame, "return_type").ty {
        TypeId::UNKNOWN if frame.kind == "arrow_function" => {
            let body = walk.outcome(frame, "body").recipe;
            walk.lambda_return(scope, body);
        }
        declared => {
            let declared = walk.cast(declared);
            walk.lambda_return(scope, declared);
        }
    }
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// `require 'a.php'`, `require __DIR__ . '/a.php'`.
pub(super) fn include(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    let written = walk.source(path.span).trim_start_matches('(').trim();
    let here = written.strip_prefix("__DIR__");
    let literal = here.map_or(written, |rest| {
        rest.trim_start().trim_start_matches('.').trim_start()
    });
    let text = shared::unquoted(literal);
    if text.len() == literal.len() || text.contains(['\'', '"', '$', '\n']) {
        return None;
    }
    let start = path.span.start
        + (text.as_ptr() as usize - walk.source(path.span).as_ptr() as usize) as u32;
    let module = match here {
        Some(_) => walk.name(format!(".{text}")),
        None => walk.name(text),
    };
    let name_span = Span::sized(start, text.len());
    walk.new_import(ImportKind::Include, module, frame.span, name_span);
    None
}

/// Heredocs, nowdocs and shell commands: text, perhaps with values in it.
pub(super) fn heredoc(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    walk.value_of(Recipe::Literal(match frame.kind {
        "nowdoc" => LiteralKind::String,
        _ => LiteralKind::Template,
    }))
}
