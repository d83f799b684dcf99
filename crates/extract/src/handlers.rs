//! What node kinds of many languages have in common, as leave handlers. A rule hands its field
//! names over with `with`.

use facts::{
    BindingKind, ListRange, LiteralKind, Modifiers, ParameterFlags, Recipe, RecipeId, Role, Span,
    SymbolIndex, TypeId, TypeRecipe,
};

use crate::{
    rules::Context,
    walk::{Frame, Outcome, Pattern, Walk},
};

/// An identifier: read, used as a type, bound, or left to its parent, as the context says.
pub fn identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Value => {
            let name = walk.name_at(frame.span);
            let reference = walk.reference_named(name, frame.span, Role::Read, None);
            let recipe = walk.recipe(Recipe::Name(name));
            Some(Outcome::named(recipe, reference))
        }
        Context::Type => {
            let name = walk.name_at(frame.span);
            let reference = walk.reference_named(name, frame.span, Role::TypeUse, None);
            let ty = walk.ty(TypeRecipe::Name(name));
            let recipe = walk.recipe(Recipe::Name(name));
            Some(Outcome::named_type(recipe, ty, reference))
        }
        Context::Bind(kind) => {
            let name = walk.name_at(frame.span);
            let binding = walk.bind(kind, name, frame.span);
            let pattern = walk.pattern(Pattern::Name(binding));
            Some(Outcome::pattern(pattern))
        }
        Context::Label => {
            walk.label(frame.span);
            None
        }
        Context::Name => None,
    }
}

/// An identifier that is always a type.
pub fn type_identifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Name | Context::Label => identifier(walk, frame),
        _ => identifier(walk, &frame.in_context(Context::Type)),
    }
}

/// A call. Fields: callee, arguments.
pub fn call(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [callee, arguments] = frame.fields() else {
        return None;
    };
    let (callee, arguments) = (walk.outcome(frame, callee), walk.outcome(frame, arguments));
    Some(call_of(walk, callee, arguments.list))
}

/// A call of what `callee` names.
pub fn call_of(walk: &mut Walk<'_>, callee: Outcome, arguments: ListRange) -> Outcome {
    let recipe = walk.recipe(Recipe::Call(callee.recipe, arguments));
    walk.hand_to_call(recipe, arguments);
    if let Some(reference) = callee.reference {
        let reference = walk.reference_mut(reference);
        reference.role = Role::Call;
        reference.call = Some(recipe);
    }
    Outcome::recipe(recipe)
}

/// `new T(...)`. Fields: type, arguments.
pub fn instantiation(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [ty, arguments] = frame.fields() else {
        return None;
    };
    let (ty, arguments) = (walk.outcome(frame, ty), walk.outcome(frame, arguments));
    Some(new_of(walk, ty, arguments.list))
}

/// A new object of the type that `ty` names.
pub fn new_of(walk: &mut Walk<'_>, ty: Outcome, arguments: ListRange) -> Outcome {
    let recipe = walk.recipe(Recipe::New(ty.ty, arguments));
    walk.hand_to_call(recipe, arguments);
    if let Some(reference) = ty.reference {
        let reference = walk.reference_mut(reference);
        reference.role = Role::Instantiate;
        reference.call = Some(recipe);
    }
    Outcome::recipe(recipe)
}

/// `object.member`. Fields: object, member.
pub fn member(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [object, member] = frame.fields() else {
        return None;
    };
    let Some(member) = walk.child(frame, member) else {
        return Some(walk.outcome(frame, object));
    };
    let object = walk.outcome(frame, object);
    Some(member_of(walk, frame.context, object, member.span))
}

/// A member of what `object` names; in a type context, a type inside it.
pub fn member_of(walk: &mut Walk<'_>, context: Context, object: Outcome, member: Span) -> Outcome {
    let name = walk.name_at(member);
    let role = if context == Context::Type {
        Role::TypeUse
    } else {
        Role::Read
    };
    let reference = walk.reference_named(name, member, role, Some(object.recipe));
    let recipe = walk.recipe(Recipe::Member(object.recipe, name));
    let ty = if object.ty.is_known() && context == Context::Type {
        walk.ty(TypeRecipe::Scoped(object.ty, name))
    } else {
        TypeId::UNKNOWN
    };
    if context == Context::Type
        && let Some(object) = object.reference
    {
        walk.reference_mut(object).role = Role::Read;
    }
    Outcome::named_type(recipe, ty, reference)
}

/// Arguments or elements: the values of all children, as a list.
pub fn list(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::list(value_list(walk, frame)))
}

/// The values of all children.
pub fn value_list(walk: &mut Walk<'_>, frame: &Frame) -> ListRange {
    let items = walk.recipes(frame);
    walk.list(&items)
}

pub fn list_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let list = value_list(walk, frame);
    walk.value_of(Recipe::List(list))
}

pub fn tuple_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let list = value_list(walk, frame);
    walk.value_of(Recipe::Tuple(list))
}

pub fn object_literal(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let list = value_list(walk, frame);
    walk.value_of(Recipe::Object(list))
}

/// `name = value` or `name: value`. Fields: name, value.
pub fn named_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [name, value] = frame.fields() else {
        return None;
    };
    let value = walk.outcome(frame, value);
    let Some(name) = walk.child(frame, name) else {
        return Some(value);
    };
    walk.label(name.span);
    let name = walk.name_at(name.span);
    walk.value_of(Recipe::Field(name, value.recipe))
}

/// A pattern made of parts by position.
pub fn tuple_pattern(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let parts = walk.patterns(frame);
    Some(Outcome::pattern(walk.pattern(Pattern::Tuple(parts))))
}

/// A tuple or list that is a value or a pattern, as the context says.
pub fn tuple(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match frame.context {
        Context::Bind(_) => tuple_pattern(walk, frame),
        _ => tuple_literal(walk, frame),
    }
}

pub fn spread(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let inner = walk.first(frame);
    match inner.pattern {
        Some(pattern) => Some(Outcome::pattern(walk.pattern(Pattern::Rest(pattern)))),
        None => walk.value_of(Recipe::Spread(inner.recipe)),
    }
}

/// `a ? b : c`, `a or b`. Fields: the two values.
pub fn either(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [a, b] = frame.fields() else {
        return None;
    };
    let (a, b) = (walk.outcome(frame, a).recipe, walk.outcome(frame, b).recipe);
    walk.value_of(Recipe::Either(a, b))
}

/// `value[index]`. Fields: value, index.
pub fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [value, index] = frame.fields() else {
        return None;
    };
    let (value, index) = (walk.outcome(frame, value), walk.outcome(frame, index));
    walk.value_of(Recipe::Index(value.recipe, index.recipe))
}

/// A node whose value is that of its first child, changed.
fn wrapped(walk: &mut Walk<'_>, frame: &Frame, wrap: fn(RecipeId) -> Recipe) -> Outcome {
    let inner = walk.first(frame).recipe;
    if !inner.is_known() {
        return Outcome::NONE;
    }
    Outcome::recipe(walk.recipe(wrap(inner)))
}

pub fn awaited(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(wrapped(walk, frame, Recipe::Await))
}

pub fn tried(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(wrapped(walk, frame, Recipe::Try))
}

pub fn dereferenced(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(wrapped(walk, frame, Recipe::Deref))
}

/// The first child, whatever follows it.
pub fn first_child(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame).first().map(|child| child.outcome)
}

/// The last child, whatever is before it.
pub fn last_child(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.children(frame).last().map(|child| child.outcome)
}

/// A node whose value is that of its field `body`.
pub fn body_value(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    Some(Outcome::recipe(walk.outcome(frame, "body").recipe))
}

/// A statement that returns the value of its first child.
pub fn returns(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let value = walk.first(frame).recipe;
    returned(walk, value, frame.span.end);
    None
}

pub fn this(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::SelfValue)
}

pub fn super_value(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.value_of(Recipe::Super)
}

/// A value read as the type in its field `type`.
pub fn cast(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    walk.value_of(Recipe::Cast(ty))
}

/// A word that names nothing.
pub fn label(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.label(frame.span);
    None
}

/// Text inside of a string or template.
pub fn string_text(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    None
}

/// Types of all children, as a tuple.
pub fn type_tuple(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let types = walk.types(frame);
    let types = walk.type_list(&types);
    walk.type_value(TypeRecipe::Tuple(types))
}

/// A type that the language itself names.
pub fn type_name(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.name_at(frame.span);
    walk.type_value(TypeRecipe::Name(name))
}

/// `auto`, `var`: the value tells the type.
pub fn inferred(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    walk.type_value(TypeRecipe::Inferred)
}

/// A statement with a condition: what was tested before it no longer matters.
pub fn enter_condition(walk: &mut Walk<'_>, _: &mut Frame) {
    walk.take_narrowings();
}

/// What precedes a definition belongs to it: decorators, `typedef`, `template <..>`.
pub fn enter_prefixed(walk: &mut Walk<'_>, frame: &mut Frame) {
    walk.leading_start(frame.span.start);
}

pub fn is_string(walk: &Walk<'_>, recipe: RecipeId) -> bool {
    matches!(
        walk.recipe_of(recipe),
        Recipe::Str(_) | Recipe::Literal(LiteralKind::String | LiteralKind::Template)
    )
}

macro_rules! literals {
    ($($name:ident => $kind:ident),* $(,)?) => {
        $(pub fn $name(walk: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
            walk.value_of(Recipe::Literal(LiteralKind::$kind))
        })*
    };
}

literals! {
    integer => Integer,
    float => Float,
    null => Null,
    character => Character,
    regex => Regex,
}

/// `true`, `false`, or an expression that gives either.
pub fn boolean(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let kind = match walk.source(frame.span) {
        "true" | "True" => LiteralKind::True,
        "false" | "False" => LiteralKind::False,
        _ => LiteralKind::Boolean,
    };
    walk.value_of(Recipe::Literal(kind))
}

/// Longer string literals keep their kind, not their text.
const MAX_STRING: usize = 200;

/// A string literal: `prefix"text"`. With interpolated values inside it is a template.
pub fn string(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    walk.string_trivia(frame.span);
    let interpolated = walk
        .children(frame)
        .iter()
        .any(|child| child.outcome.recipe.is_known());
    if interpolated {
        return walk.value_of(Recipe::Literal(LiteralKind::Template));
    }
    let text = unquoted(walk.source(frame.span));
    if text.len() > MAX_STRING {
        return walk.value_of(Recipe::Literal(LiteralKind::String));
    }
    let text = walk.name(text);
    walk.value_of(Recipe::Str(text))
}

/// The text between the quotes of a literal, whatever quotes and prefix it has.
pub fn unquoted(literal: &str) -> &str {
    let Some(start) = literal.find(['"', '\'', '`']) else {
        return literal;
    };
    let tripled = literal.get(start..start + 3).filter(|opening| {
        literal.len() >= start + 6 && matches!(*opening, "\"\"\"" | "'''" | "```")
    });
    let quote = tripled.unwrap_or(&literal[start..start + 1]);
    let inner = &literal[start + quote.len()..];
    inner.rfind(quote).map_or(inner, |end| &inner[..end])
}

/// Names a symbol that this node opened. The name's child must have been walked in a `Name`
/// context.
pub fn name_symbol(walk: &mut Walk<'_>, symbol: SymbolIndex, name_span: Span) {
    let name = walk.name_at(name_span);
    let symbol = walk.symbol_mut(symbol);
    symbol.name = name;
    symbol.name_span = name_span;
}

/// Fills in what most definitions have: `name`, modifiers, visibility, and a signature that ends
/// where the `body` starts.
pub fn finish_symbol(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: &str,
    body: &str,
) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    if let Some(name) = walk.child(frame, name) {
        name_symbol(walk, symbol, name.span);
    }
    let end = walk
        .child(frame, body)
        .map_or(frame.span.end, |body| body.span.start);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(frame.span.start, end);
    symbol_mut.modifiers.insert(frame.modifiers);
    symbol_mut.visibility = frame.visibility;
    Some(symbol)
}

/// A value returned or yielded by the function around.
pub fn returned(walk: &mut Walk<'_>, recipe: RecipeId, at: u32) {
    // The innermost open scope of a function or lambda says whose result it is.
    let mut scope = walk.scope();
    loop {
        let found = walk.scope_of(scope);
        match (found.kind, found.owner) {
            (facts::ScopeKind::Function, Some(owner)) => return walk.value(owner, recipe, at),
            (facts::ScopeKind::Lambda, _) => return walk.lambda_return(scope, recipe),
            (facts::ScopeKind::File | facts::ScopeKind::Type | facts::ScopeKind::Namespace, _) => {
                return;
            }
            _ => scope = found.parent,
        }
    }
}

/// A parameter of the symbol, bound in the current scope. `index` is its place.
pub struct NewParameter {
    pub name: Option<Span>,
    pub ty: TypeId,
    pub default: RecipeId,
    pub flags: ParameterFlags,
    pub index: u16,
}

/// Adds a parameter to a symbol; its binding is made here if it has a name.
pub fn parameter(walk: &mut Walk<'_>, symbol: Option<SymbolIndex>, new: NewParameter) {
    let name = match new.name {
        Some(span) => walk.name_at(span),
        None => walk.name(""),
    };
    if let Some(span) = new.name {
        let from = walk.scope_of(walk.scope()).span.start;
        let binding = walk.bind(BindingKind::Parameter, name, span);
        let binding = walk.binding_mut(binding);
        (binding.ty, binding.value, binding.parameter, binding.from) =
            (new.ty, new.default, Some(new.index), from);
    }
    if let Some(symbol) = symbol {
        walk.parameter(symbol, name, new.ty, new.flags);
    }
}

/// Whether the open symbol carries a modifier.
pub fn has_modifier(walk: &Walk<'_>, symbol: SymbolIndex, modifier: Modifiers) -> bool {
    walk.symbol(symbol).modifiers.contains(modifier)
}
