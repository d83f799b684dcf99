//! What node kinds of many languages have in common, as leave handlers. A rule hands its field
//! names over with `with`.

use crate::prelude::*;

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
        Context::Bind(kind) => Some(Outcome::pattern(walk.bound_name(kind, frame.span))),
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
    let [callee, arguments] = frame.field_pair()?;
    let (callee, arguments) = (walk.outcome(frame, callee), walk.outcome(frame, arguments));
    let outcome = call_of(walk, callee, arguments.list);
    walk.value_call(callee, outcome.recipe, frame.span);
    Some(outcome)
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
    let [ty, arguments] = frame.field_pair()?;
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
    let [object, member] = frame.field_pair()?;
    let Some(member) = walk.child(frame, member) else {
        return Some(walk.outcome(frame, object));
    };
    let object = walk.outcome(frame, object);
    Some(member_of(walk, frame.context, object, member.span))
}

/// A member of what `object` names; in a type context, a type inside it.
pub fn member_of(walk: &mut Walk<'_>, context: Context, object: Outcome, member: Span) -> Outcome {
    let name = walk.name_at(member);
    let reference = walk.reference_named(name, member, role(context), Some(object.recipe));
    let recipe = walk.recipe(Recipe::Member(object.recipe, name));
    if context != Context::Type {
        return Outcome::named(recipe, reference);
    }
    let ty = walk.wrapped_type(object.ty, |ty| TypeRecipe::Scoped(ty, name));
    walk.set_role(object, Role::Read);
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
    let [name, value] = frame.field_pair()?;
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
    let [a, b] = frame.field_pair()?;
    let (a, b) = (walk.outcome(frame, a).recipe, walk.outcome(frame, b).recipe);
    walk.value_of(Recipe::Either(a, b))
}

/// `value[index]`. Fields: value, index.
pub fn index(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [value, index] = frame.field_pair()?;
    let (value, index) = (walk.outcome(frame, value), walk.outcome(frame, index));
    walk.value_of(Recipe::Index(value.recipe, index.recipe))
}

/// A node whose value is that of its first child, changed.
fn wrapped(walk: &mut Walk<'_>, frame: &Frame, wrap: fn(RecipeId) -> Recipe) -> Outcome {
    let inner = walk.first(frame).recipe;
    Outcome::recipe(walk.wrapped(inner, wrap))
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
    Some(Outcome::ty(walk.type_from(TypeRecipe::Tuple, &types)))
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

/// An integer, with its value if that is one digit.
pub fn small_integer(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    match walk.source(frame.span).as_bytes() {
        [digit @ b'0'..=b'9'] => walk.value_of(Recipe::Literal(LiteralKind::Digit(digit - b'0'))),
        _ => integer(walk, frame),
    }
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
    let interpolated = walk.find(frame, |child| child.outcome.recipe.is_known());
    if interpolated.is_some() {
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
pub fn name_symbol<'walk>(
    walk: &'walk mut Walk<'_>,
    symbol: SymbolIndex,
    name_span: Span,
) -> &'walk mut Symbol {
    let word = walk.source(name_span);
    name_symbol_as(walk, symbol, word, name_span)
}

/// Names a symbol by a word that is not simply the text at the place.
pub fn name_symbol_as<'walk, 'text>(
    walk: &'walk mut Walk<'text>,
    symbol: SymbolIndex,
    word: impl Into<Cow<'text, str>>,
    name_span: Span,
) -> &'walk mut Symbol {
    let name = walk.name(word);
    let symbol = walk.symbol_mut(symbol);
    (symbol.name, symbol.name_span) = (name, name_span);
    symbol
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
    let end = walk.start_of(frame, body);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(frame.span.start, end);
    symbol_mut.modifiers.insert(frame.modifiers);
    symbol_mut.visibility = frame.visibility;
    Some(symbol)
}

/// How a name is used in a context.
pub fn role(context: Context) -> Role {
    match context {
        Context::Type => Role::TypeUse,
        _ => Role::Read,
    }
}

/// A header that hands arguments to a base constructs it.
pub fn base_call(walk: &mut Walk<'_>, base: Outcome, arguments: ListRange) {
    if let Some(reference) = base.reference {
        let made = walk.recipe(Recipe::New(base.ty, arguments));
        walk.hand_to_call(made, arguments);
        walk.reference_mut(reference).call = Some(made);
    }
}

/// A clause that opens a namespace for the rest of the file.
pub fn rest_of_file(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: String,
    name_span: Span,
) -> SymbolIndex {
    let span = Span::new(frame.span.start, walk.text.len() as u32);
    let symbol = walk.new_symbol(SymbolKind::Namespace, span);
    name_symbol_as(walk, symbol, name, name_span).signature = frame.span;
    let scope = walk.new_scope(ScopeKind::Namespace, span, Some(symbol));
    walk.continue_in(symbol, scope);
    symbol
}

/// `package a.b`, unless the file has one already.
pub fn package(walk: &mut Walk<'_>, frame: &Frame, name: String, name_span: Span) {
    if walk.current_symbol().is_some() {
        return;
    }
    let symbol = rest_of_file(walk, frame, name, name_span);
    // A file's licence is no documentation of its package.
    let doc = walk.symbol(symbol).doc;
    let doc = doc.filter(|&doc| walk.source(doc).starts_with("/**"));
    walk.symbol_mut(symbol).doc = doc;
}

/// The module of `a.b.C` or `a.b.*`, and the place of what is imported.
pub fn import_path<'text>(walk: &Walk<'text>, path: Span, glob: bool) -> (&'text str, Span) {
    let written = walk.source(path);
    if glob {
        return (written, path);
    }
    let (module, item) = written.rsplit_once('.').unwrap_or(("", written));
    let len = item.trim_start().len() as u32;
    (module, Span::new(path.end - len, path.end))
}

/// What is declared in a block is local, also in the initialisers of a class.
pub fn mark_local(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let around = walk.scope_of(walk.symbol(symbol).declared_in).kind;
    if matches!(around, ScopeKind::Block | ScopeKind::Branch) {
        walk.mark(symbol, Modifiers::LOCAL);
    }
}

/// The place of the name of the symbol around, which is not yet named while it is open.
pub fn open_name(walk: &Walk<'_>, symbol: SymbolIndex) -> Option<Span> {
    let parent = walk.symbol(symbol).parent;
    let declaration = walk.ancestors().find(|frame| frame.symbol == parent)?;
    Some(walk.child(declaration, "name")?.span)
}

/// The body of `new Foo() { ... }` or of a constant of an enum is a class of its own. Its signature
/// begins at `start`.
pub fn define_anonymous_class(walk: &mut Walk<'_>, frame: &mut Frame, start: u32, base: TypeId) {
    let symbol = walk.define(frame, SymbolKind::Class, frame.span);
    let found = walk.symbol_mut(symbol);
    found.modifiers.insert(Modifiers::ANONYMOUS);
    found.signature = Span::new(start, frame.span.start);
    if base.is_known() {
        walk.supertype(symbol, base, Inherit::Extends);
    }
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(symbol)));
}

/// A constant is made by the constructor of the enum of this name; the reference to it is at the
/// arguments.
pub fn enum_constant(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: NameId,
    arguments: Option<Child>,
) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let ty = walk.ty(TypeRecipe::Name(name));
    let list = arguments.outcome().list;
    let made = walk.recipe(Recipe::New(ty, list));
    walk.hand_to_call(made, list);
    walk.value(symbol, made, frame.span.end);
    walk.symbol_mut(symbol).ty = ty;
    walk.mark(symbol, Modifiers::STATIC | Modifiers::FINAL);
    if let Some(arguments) = arguments {
        let place = Span::sized(arguments.span.start, 1);
        let reference = walk.reference_named(name, place, Role::Instantiate, None);
        walk.reference_mut(reference).call = Some(made);
    }
    None
}

/// What tests have told holds from `from` on.
pub fn keep_narrowings(walk: &mut Walk<'_>, from: u32) {
    for (name, span, ty) in walk.take_narrowings() {
        let binding = walk.new_binding(BindingKind::Narrowing, name, span);
        (binding.from, binding.ty) = (from, ty);
    }
}

/// A type inside another, where both were walked as types of their own.
pub fn inner_type(
    walk: &mut Walk<'_>,
    outer: Outcome,
    name: NameId,
    inner: ReferenceId,
) -> Outcome {
    walk.reference_mut(inner).receiver = Some(outer.recipe);
    walk.set_role(outer, Role::Read);
    let recipe = walk.recipe(Recipe::Member(outer.recipe, name));
    let ty = walk.ty(TypeRecipe::Scoped(outer.ty, name));
    Outcome::named_type(recipe, ty, inner)
}

/// `a.b.C` read as a type.
pub fn path_type(walk: &mut Walk<'_>, mut recipe: RecipeId) -> TypeId {
    let mut members = Vec::new();
    let mut ty = loop {
        match walk.recipe_of(recipe) {
            Recipe::Member(object, name) => {
                members.push(name);
                recipe = object;
            }
            Recipe::Name(name) => break walk.ty(TypeRecipe::Name(name)),
            Recipe::Type(ty) => break ty,
            _ => return TypeId::UNKNOWN,
        }
    };
    for name in members.into_iter().rev() {
        ty = walk.ty(TypeRecipe::Scoped(ty, name));
    }
    ty
}

/// A default that is `null` tells nothing.
pub fn known_default(walk: &Walk<'_>, default: RecipeId) -> RecipeId {
    match walk.recipe_of(default) {
        Recipe::Literal(LiteralKind::Null) => RecipeId::UNKNOWN,
        _ => default,
    }
}

/// One of several values.
pub fn one_of(walk: &mut Walk<'_>, values: impl Iterator<Item = RecipeId>) -> Option<Outcome> {
    let one = values.reduce(|a, b| walk.recipe(Recipe::Either(a, b)));
    one.map(Outcome::recipe)
}

/// The length of the word that a text starts with.
pub fn word_len(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    end.unwrap_or(text.len())
}

/// The last word of a name or call: `functools.wraps(f)` is `wraps`.
pub fn last_word<'walk>(walk: &'walk Walk<'_>, recipe: RecipeId) -> &'walk str {
    let named = match walk.recipe_of(recipe) {
        Recipe::Call(callee, _) => walk.recipe_of(callee),
        named => named,
    };
    match named {
        Recipe::Name(name) | Recipe::Member(_, name) => walk.builder.word(name),
        _ => "",
    }
}

/// `key: value` in a dictionary or hash.
pub fn entry(walk: &mut Walk<'_>, key: RecipeId, value: RecipeId) -> Outcome {
    let recipe = match walk.recipe_of(key) {
        Recipe::Str(name) => Recipe::Field(name, value),
        _ => Recipe::Entry(key, value),
    };
    Outcome::recipe(walk.recipe(recipe))
}

/// One name of a module, or all of them.
pub fn import_kind(glob: bool) -> ImportKind {
    if glob {
        ImportKind::Glob
    } else {
        ImportKind::Item
    }
}

/// The type that a declaration gives its variable: none where the value tells it.
pub fn declared(walk: &Walk<'_>, ty: TypeId) -> TypeId {
    match walk.type_of(ty) {
        TypeRecipe::Inferred => TypeId::UNKNOWN,
        _ => ty,
    }
}

/// A value returned or yielded by the function around.
pub fn returned(walk: &mut Walk<'_>, recipe: RecipeId, at: u32) {
    // The innermost open scope of a function or lambda says whose result it is.
    let mut scope = walk.scope();
    loop {
        let found = walk.scope_of(scope);
        match (found.kind, found.owner) {
            (ScopeKind::Function, Some(owner)) => return walk.value(owner, recipe, at),
            (ScopeKind::Lambda, _) => return walk.lambda_return(scope, recipe),
            (ScopeKind::File | ScopeKind::Type | ScopeKind::Namespace, _) => {
                return;
            }
            _ => scope = found.parent,
        }
    }
}

/// A parameter of the symbol, bound in the current scope. `index` is its place.
#[derive(Default)]
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
        let from = walk.scope_start();
        let binding = walk.new_binding(BindingKind::Parameter, name, span);
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

/// The bounds of a type parameter with at most one.
pub fn bounds(walk: &mut Walk<'_>, bound: TypeId) -> TypeListRange {
    if bound.is_known() {
        walk.type_list(&[bound])
    } else {
        TypeListRange::default()
    }
}
