//! What rules cannot say about PHP's statements and expressions.

use facts::{
    BindingKind, ImportKind, LiteralKind, Modifiers, Recipe, RecipeId, Role, Span, SymbolIndex,
    SymbolKind, TypeId, TypeRecipe,
};

use super::names::as_type;
use crate::{
    handlers as shared,
    rules::Context,
    walk::{Frame, Outcome, Pattern, Walk},
};

/// What is after `as` in a `foreach` is bound.
pub(super) fn enter_target(walk: &mut Walk<'_>, frame: &mut Frame) {
    if !frame.field.is_empty() {
        return;
    }
    let is_target = walk.ancestors().nth(1).is_some_and(|parent| {
        parent.kind == "foreach_statement" && !walk.children(parent).is_empty()
    });
    if is_target {
        frame.context = Context::Bind(BindingKind::Loop);
    }
}

pub(super) fn statement(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.take_narrowings();
    None
}

pub(super) fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame).recipe;
    shared::returned(walk, value, frame.span.end);
    walk.take_narrowings();
    None
}

pub(super) fn yields(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let function = walk
        .ancestors()
        .find(|frame| frame.symbol.is_some() || frame.kind == "anonymous_function")
        .and_then(|frame| frame.symbol);
    if let Some(function) = function {
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
    let children = walk.children(frame).to_vec();
    let [over, target, ..] = children.as_slice() else {
        return None;
    };
    walk.set_role(target.outcome, Role::Write);
    if let Some(pattern) = target.outcome.pattern {
        let over = over.outcome.recipe;
        let element = if over.is_known() {
            walk.recipe(Recipe::Element(over))
        } else {
            over
        };
        walk.bind_pattern(pattern, element, TypeId::UNKNOWN, target.span.end);
    }
    None
}

pub(super) fn catch(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let (Some(pattern), ty) = (
        walk.outcome(frame, "name").pattern,
        walk.outcome(frame, "type").ty,
    ) {
        let from = walk
            .child(frame, "name")
            .map_or(frame.span.start, |name| name.span.end);
        walk.bind_pattern(pattern, RecipeId::UNKNOWN, ty, from);
    }
    None
}

pub(super) fn static_variable(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(pattern) = walk.outcome(frame, "name").pattern {
        let value = walk.outcome(frame, "value").recipe;
        walk.bind_pattern(pattern, value, TypeId::UNKNOWN, frame.span.end);
    }
    None
}

/// Binds variables, writes properties; what a property is assigned tells its type.
pub(super) fn assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (
        walk.outcome(frame, "left"),
        walk.outcome(frame, "right").recipe,
    );
    if let Some(pattern) = left.pattern {
        walk.bind_pattern(pattern, right, TypeId::UNKNOWN, frame.span.end);
    }
    walk.set_role(left, Role::Write);
    if let Some(property) = own_property(walk, left.recipe) {
        walk.value(property, right, frame.span.start);
    }
    Some(Outcome::recipe(right))
}

pub(super) fn augmented_assignment(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (left, right) = (
        walk.outcome(frame, "left"),
        walk.outcome(frame, "right").recipe,
    );
    walk.set_role(left, Role::Write);
    let operator = walk.child(frame, "left").map_or("", |left| {
        walk.source(Span::new(left.span.end, frame.span.end))
            .trim_start()
    });
    if !operator.starts_with("??=") {
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
    let class = walk
        .ancestors()
        .find(|frame| {
            frame
                .symbol
                .is_some_and(|symbol| walk.symbol(symbol).kind.is_type())
        })?
        .symbol?;
    let members = walk
        .facts()
        .symbols
        .iter()
        .enumerate()
        .skip(class.0 as usize + 1)
        .take(MAX_MEMBERS);
    members
        .filter(|(_, member)| {
            member.parent == Some(class)
                && member.kind == SymbolKind::Property
                && member.name == name
        })
        .map(|(i, _)| SymbolIndex(i as u32))
        .next()
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
        let n_skipped = between
            .matches(',')
            .count()
            .saturating_sub(usize::from(!parts.is_empty()));
        for _ in 0..n_skipped {
            parts.push(walk.pattern(Pattern::Tuple(Vec::new())));
        }
        walk.set_role(child.outcome, Role::Write);
        if let Some(pattern) = child.outcome.pattern {
            let part = if key_before {
                walk.pattern(Pattern::Rest(pattern))
            } else {
                pattern
            };
            parts.push(part);
        }
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
    let items: Vec<RecipeId> = walk
        .children(frame)
        .iter()
        .take(MAX_ELEMENTS)
        .map(|child| child.outcome.recipe)
        .collect();
    let keyed = items
        .iter()
        .any(|&item| matches!(walk.recipe_of(item), Recipe::Field(..) | Recipe::Entry(..)));
    let list = walk.list(&items);
    walk.value_of(if keyed {
        Recipe::Object(list)
    } else {
        Recipe::List(list)
    })
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
    let recipe = match walk.recipe_of(first.recipe) {
        Recipe::Str(name) => Recipe::Field(name, value.recipe),
        _ => Recipe::Entry(first.recipe, value.recipe),
    };
    walk.value_of(recipe)
}

/// Whether the arguments are `(...)`, which makes a closure of the function instead of calling it.
fn is_placeholder(walk: &Walk<'_>, frame: &Frame) -> bool {
    walk.child(frame, "arguments").is_some_and(|arguments| {
        let inner = walk.source(arguments.span).trim_start_matches('(').trim();
        inner
            .strip_prefix("...")
            .is_some_and(|rest| rest.trim_start() == ")")
    })
}

pub(super) fn function_call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (function, arguments) = (
        walk.outcome(frame, "function"),
        walk.outcome(frame, "arguments").list,
    );
    if is_placeholder(walk, frame) {
        return Some(function);
    }
    let outcome = shared::call_of(walk, function, arguments);
    let name = walk
        .child(frame, "function")
        .map_or("", |function| walk.source(function.span))
        .trim_start_matches('\\');
    let items = walk.list_of(arguments).to_vec();
    match (name, items.as_slice()) {
        ("define", [constant, value, ..]) => define(walk, frame, *constant, *value),
        ("is_a" | "is_subclass_of", [value, class, ..]) => {
            let ty = as_type(walk, *class);
            narrow(walk, *value, frame.span, ty);
        }
        ("assert", [_, ..]) => {
            for (name, span, ty) in walk.take_narrowings() {
                let binding = walk.new_binding(BindingKind::Narrowing, name, span);
                (binding.from, binding.ty) = (frame.span.end, ty);
            }
        }
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
    (symbol_mut.name, symbol_mut.name_span) = (name, Span::new(start, start + word.len() as u32));
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
    let is_scope = scope.is_some_and(|scope| {
        matches!(
            scope.kind,
            "name" | "qualified_name" | "relative_name" | "relative_scope"
        )
    });
    let recipe = walk.recipe(if is_scope {
        Recipe::Scoped(receiver, word)
    } else {
        Recipe::Member(receiver, word)
    });
    Some(Outcome::named(recipe, reference))
}

/// `A::B`, `A::class`.
pub(super) fn class_constant(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [scope, name, ..] = children.as_slice() else {
        return None;
    };
    if name.kind != "name" {
        return None;
    }
    if walk.source(name.span).eq_ignore_ascii_case("class") {
        walk.label(name.span);
        let ty = if scope.outcome.ty.is_known() {
            scope.outcome.ty
        } else {
            walk.ty(TypeRecipe::Of(scope.outcome.recipe))
        };
        return walk.value_of(Recipe::Type(ty));
    }
    let word = walk.name_at(name.span);
    let reference = walk.reference(name.span, Role::Read, Some(scope.outcome.recipe));
    let recipe = if scope.outcome.ty.is_known() {
        Recipe::Scoped(scope.outcome.recipe, word)
    } else {
        Recipe::Member(scope.outcome.recipe, word)
    };
    Some(Outcome::named(walk.recipe(recipe), reference))
}

pub(super) fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let class = walk.children(frame).first().copied()?;
    if class.kind == "anonymous_class" {
        // The value is an object of the class just defined.
        let of = class.outcome.recipe;
        let ty = walk.ty(TypeRecipe::Of(of));
        return walk.value_of(Recipe::New(ty, facts::ListRange::default()));
    }
    let arguments = walk.outcome_of_kind(frame, "arguments").list;
    if class.outcome.ty.is_known() {
        return Some(shared::new_of(walk, class.outcome, arguments));
    }
    let ty = if class.outcome.recipe.is_known() {
        walk.ty(TypeRecipe::Of(class.outcome.recipe))
    } else {
        TypeId::UNKNOWN
    };
    Some(shared::new_of(walk, Outcome::ty(ty), arguments))
}

pub(super) fn argument(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk
        .children(frame)
        .iter()
        .rfind(|child| child.field.is_empty())
        .map_or(Outcome::NONE, |child| child.outcome);
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
    let operator = walk
        .source(Span::new(left.span.end, right.span.start))
        .trim()
        .to_ascii_lowercase();
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
    let body = walk
        .child(frame, "body")
        .or_else(|| walk.child(frame, "condition"));
    let (a, b) = (
        body.map_or(RecipeId::UNKNOWN, |body| body.outcome.recipe),
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
    let arms: Vec<RecipeId> = walk
        .children(frame)
        .iter()
        .map(|child| child.outcome.recipe)
        .filter(|recipe| recipe.is_known())
        .take(MAX_ARMS)
        .collect();
    let either = arms
        .into_iter()
        .reduce(|a, b| walk.recipe(Recipe::Either(a, b)));
    either.map(Outcome::recipe)
}

pub(super) fn match_arm(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::recipe(
        walk.outcome(frame, "return_expression").recipe,
    ))
}

/// A closure or arrow function; the variables it uses are those of the function around.
pub(super) fn closure(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let declared = walk.outcome(frame, "return_type").ty;
    if declared.is_known() {
        let declared = walk.recipe(Recipe::Cast(declared));
        walk.lambda_return(scope, declared);
    } else if frame.kind == "arrow_function" {
        let body = walk.outcome(frame, "body").recipe;
        walk.lambda_return(scope, body);
    }
    Some(Outcome::recipe(walk.lambda(scope)))
}

/// `require 'a.php'`, `require __DIR__ . '/a.php'`.
pub(super) fn include(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.children(frame).first().copied()?;
    let written = walk.source(path.span).trim_start_matches('(').trim();
    let here = written
        .strip_prefix("__DIR__")
        .map(|rest| rest.trim_start().trim_start_matches('.').trim_start());
    let literal = here.unwrap_or(written);
    let text = shared::unquoted(literal);
    if text.len() == literal.len() || text.contains(['\'', '"', '$', '\n']) {
        return None;
    }
    let start = path.span.start
        + (text.as_ptr() as usize - walk.source(path.span).as_ptr() as usize) as u32;
    let module = if here.is_some() {
        walk.name(format!(".{text}"))
    } else {
        walk.name(text)
    };
    walk.new_import(
        ImportKind::Include,
        module,
        frame.span,
        Span::new(start, start + text.len() as u32),
    );
    None
}

/// Heredocs, nowdocs and shell commands: text, perhaps with values in it.
pub(super) fn heredoc(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    walk.value_of(Recipe::Literal(if frame.kind == "nowdoc" {
        LiteralKind::String
    } else {
        LiteralKind::Template
    }))
}
