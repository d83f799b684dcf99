//! Functions, variables, fields and typedefs, once their declarators have been read.

use facts::{
    BindingKind, Modifiers, Recipe, RecipeId, Role, ScopeKind, Span, SymbolIndex, SymbolKind,
    TypeId, TypeRecipe, Visibility,
};

use super::{declarators, names};
use crate::{
    handlers as shared,
    walk::{Child, Frame, Outcome, PatternId, Walk},
};

/// A block has a scope of its own, unless the node around it opened one for it.
pub(crate) fn enter_block(walk: &mut Walk<'_>, frame: &mut Frame) {
    let kind = match walk.ancestors().nth(1).map(|parent| parent.kind) {
        Some(
            "function_definition"
            | "lambda_expression"
            | "for_statement"
            | "for_range_loop"
            | "while_statement"
            | "catch_clause",
        ) => {
            return;
        }
        Some(
            "if_statement" | "else_clause" | "do_statement" | "try_statement" | "switch_statement",
        ) => ScopeKind::Branch,
        _ => ScopeKind::Block,
    };
    frame.scope = Some(walk.new_scope(kind, frame.span, None));
}

/// Names a function and says what it is: function, method, constructor, operator.
pub(crate) fn finish_function(
    walk: &mut Walk<'_>,
    symbol: SymbolIndex,
    declaration: &Frame,
    name_span: Span,
    owner: TypeId,
    result: TypeId,
) {
    let written = walk.source(name_span);
    let is_operator = written.starts_with("operator")
        && !written[8..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let name = if is_operator || written.starts_with('~') {
        let word = operator_word(written);
        walk.name(word)
    } else {
        walk.name_at(name_span)
    };
    let in_type = walk.scope_of(walk.symbol(symbol).declared_in).kind == ScopeKind::Type;
    let class = match (owner.is_known(), walk.symbol(symbol).parent) {
        (true, _) => last_name(walk, owner),
        (false, Some(parent)) if in_type => Some(walk.symbol(parent).name),
        _ => None,
    };
    let kind = match class {
        _ if is_operator => SymbolKind::Operator,
        Some(class) if class == name => SymbolKind::Constructor,
        Some(_) => SymbolKind::Method,
        None => SymbolKind::Function,
    };
    let internal = declaration.modifiers.contains(Modifiers::STATIC) && class.is_none();
    let symbol = walk.symbol_mut(symbol);
    (
        symbol.name,
        symbol.name_span,
        symbol.kind,
        symbol.owner,
        symbol.ty,
    ) = (name, name_span, kind, owner, result);
    symbol.modifiers.insert(declaration.modifiers);
    // `const` belongs to the result, and a static function of a file is one that others do not see.
    symbol.modifiers.0 &= !(Modifiers::CONST.0 | Modifiers::EXTERN.0);
    if internal {
        symbol.modifiers.0 &= !Modifiers::STATIC.0;
        symbol.visibility = Visibility::Private;
    }
}

/// `operator ==` is `operator==`, `operator  bool` is `operator bool`.
fn operator_word(written: &str) -> String {
    let words: Vec<&str> = written.split_whitespace().collect();
    let joined = words.join(" ");
    match joined.strip_prefix("operator ") {
        Some(rest) if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
            format!("operator{}", rest.replace(' ', ""))
        }
        _ if joined.starts_with('~') => joined.replace(' ', ""),
        _ => joined,
    }
}

/// The last name of a type's path.
fn last_name(walk: &Walk<'_>, mut ty: TypeId) -> Option<facts::NameId> {
    loop {
        match walk.type_of(ty) {
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => return Some(name),
            TypeRecipe::Apply(head, _) => ty = head,
            _ => return None,
        }
    }
}

pub(crate) fn function_definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let declarator = walk.outcome(frame, "declarator");
    let body = ["body"]
        .iter()
        .find_map(|field| walk.child(frame, field))
        .map_or(frame.span.end, |body| body.span.start);
    let initializers = walk
        .child_of_kind(frame, "field_initializer_list")
        .map_or(body, |list| list.span.start);
    let start = walk.symbol(symbol).span.start;
    walk.symbol_mut(symbol).signature = Span::new(start, initializers.min(body));
    let name = names::place(declarator)?;
    if declarators::is_test_macro(walk.source(name)) {
        return Some(test_function(walk, frame, symbol, name));
    }
    if walk.prepared.is_some_and(|prepared| {
        !prepared[frame.span.start as usize..]
            .starts_with(walk.source(Span::new(frame.span.start, frame.span.start + 4)))
    }) {
        // `TEST(group, name) {` was rewritten as a function; its other words are accounted for at
        // the end.
        shared::name_symbol(walk, symbol, name);
        let is_test = walk
            .source(Span::new(frame.span.start, name.start))
            .contains("TEST");
        let symbol = walk.symbol_mut(symbol);
        if is_test {
            symbol.modifiers.insert(Modifiers::TEST);
        }
        return None;
    }
    let base = walk.outcome(frame, "type").ty;
    let base = if walk.type_of(base) == TypeRecipe::Inferred {
        TypeId::UNKNOWN
    } else {
        base
    };
    let ty = declarators::fill(walk, declarator.ty, TypeId::UNKNOWN);
    let result = match walk.type_of(ty) {
        TypeRecipe::Function(types) => walk.type_list_of(types).last().copied().unwrap_or_default(),
        _ => TypeId::UNKNOWN,
    };
    let result = declarators::fill(walk, result, base);
    let owner = names::owner_of(walk, declarator);
    if walk.parent_is(&["friend_declaration"]) {
        move_out_of_class(walk, symbol);
    }
    finish_function(walk, symbol, frame, name, owner, result);
    if walk.child_of_kind(frame, "pure_virtual_clause").is_some() {
        walk.mark(symbol, Modifiers::ABSTRACT);
    }
    None
}

/// A friend is declared inside a class, but is none of its members.
pub(crate) fn move_out_of_class(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let Some(class) = walk
        .symbol(symbol)
        .parent
        .filter(|&class| walk.symbol(class).kind.is_type())
    else {
        return;
    };
    let (parent, declared_in) = (walk.symbol(class).parent, walk.symbol(class).declared_in);
    let symbol = walk.symbol_mut(symbol);
    (symbol.parent, symbol.declared_in) = (parent, declared_in);
}

/// `TEST_F(Fixture, Name) { .. }` is a function `Name`, a member of its fixture.
fn test_function(
    walk: &mut Walk<'_>,
    frame: &Frame,
    symbol: SymbolIndex,
    macro_name: Span,
) -> Outcome {
    let rest_start = macro_name.end;
    let body = walk
        .child(frame, "body")
        .map_or(frame.span.end, |body| body.span.start);
    let list = walk.source(Span::new(rest_start, body));
    let arguments = list
        .trim_start()
        .strip_prefix('(')
        .and_then(|list| list.rsplit_once(')'))
        .map_or("", |(list, _)| list);
    let mut parts = arguments
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let (first, second) = (parts.next().unwrap_or(""), parts.next());
    let takes_name_first = walk.source(macro_name).starts_with("BOOST") || second.is_none();
    let word = if takes_name_first {
        first
    } else {
        second.unwrap_or(first)
    };
    let quoted = word.starts_with('"');
    let name_text = word.trim_matches('"');
    let offset = (name_text.as_ptr() as usize).saturating_sub(walk.text.as_ptr() as usize) as u32;
    if name_text.is_empty() {
        shared::name_symbol(walk, symbol, macro_name);
    } else {
        shared::name_symbol(
            walk,
            symbol,
            Span::new(offset, offset + name_text.len() as u32),
        );
    }
    let fixture = if takes_name_first {
        second
    } else {
        Some(first)
    };
    let has_fixture = matches!(
        walk.source(macro_name),
        "TEST_F"
            | "TEST_P"
            | "TYPED_TEST"
            | "TYPED_TEST_P"
            | "BENCHMARK_F"
            | "BOOST_FIXTURE_TEST_CASE"
    );
    if let Some(fixture) = fixture.filter(|_| has_fixture && !quoted) {
        let fixture = walk.name(fixture.to_owned());
        let owner = walk.ty(TypeRecipe::Name(fixture));
        walk.symbol_mut(symbol).owner = owner;
    }
    walk.mark(symbol, Modifiers::TEST);
    let reference = walk.reference(macro_name, Role::Call, None);
    let _ = reference;
    Outcome::NONE
}

/// A declared type that says more than `auto`.
fn declared_type(walk: &mut Walk<'_>, base: TypeId, declarator: TypeId) -> TypeId {
    if walk.type_of(base) == TypeRecipe::Inferred || !base.is_known() {
        return TypeId::UNKNOWN;
    }
    declarators::fill(walk, declarator, base)
}

/// Every declarator that is neither a function nor has an initialiser, which are dealt with on
/// their own.
pub(crate) fn declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let base = walk.child(frame, "type");
    for (i, child) in children
        .iter()
        .enumerate()
        .filter(|(_, child)| child.field == "declarator" && child.kind != "init_declarator")
    {
        if is_function(walk, child.outcome.ty) {
            let next = children
                .get(i + 1)
                .filter(|next| next.field == "default_value");
            declared_function(
                walk,
                frame,
                child,
                next.is_some_and(|next| walk.source(next.span) == "0"),
            );
            continue;
        }
        // The value is after its own declarator: `int a = 1, b;` of fields, `if (auto x =
        // f())`.
        let next = children
            .get(i + 1)
            .filter(|next| matches!(next.field, "value" | "default_value"));
        let mut value = next.map_or(RecipeId::UNKNOWN, |next| next.outcome.recipe);
        if let Recipe::Tuple(arguments) = walk.recipe_of(child.outcome.recipe) {
            // `Foo x(a);` was taken for a function.
            let ty = base.map_or(Outcome::NONE, |base| base.outcome);
            value = shared::new_of(walk, ty, arguments).recipe;
        }
        declare(walk, frame, child.outcome, value, frame.span.end, None);
    }
    None
}

/// What the declarator alone did not say of a function: `= 0` after it, or a conversion, which has
/// no declarator of its own.
fn declared_function(walk: &mut Walk<'_>, frame: &Frame, child: &Child, is_pure: bool) {
    let Some(place) = names::place(child.outcome) else {
        return;
    };
    if is_pure
        && let Some(symbol) = walk
            .facts_mut()
            .symbols
            .last_mut()
            .filter(|symbol| symbol.name_span == place)
    {
        symbol.modifiers.insert(Modifiers::ABSTRACT);
    }
    if !walk.source(place).starts_with("operator")
        || walk
            .facts()
            .symbols
            .last()
            .is_some_and(|symbol| symbol.name_span == place)
    {
        return;
    }
    let result = match walk.type_of(child.outcome.ty) {
        TypeRecipe::Function(types) => walk.type_list_of(types).last().copied().unwrap_or_default(),
        _ => TypeId::UNKNOWN,
    };
    let symbol = walk.new_symbol(SymbolKind::Operator, frame.span);
    let owner = names::owner_of(walk, child.outcome);
    finish_function(walk, symbol, frame, place, owner, result);
    walk.mark(symbol, Modifiers::PROTOTYPE);
}

fn is_function(walk: &Walk<'_>, ty: TypeId) -> bool {
    matches!(walk.type_of(ty), TypeRecipe::Function(_))
}

/// A variable of a file or namespace, a field, or a local name.
fn declare(
    walk: &mut Walk<'_>,
    declaration: &Frame,
    declarator: Outcome,
    value: RecipeId,
    from: u32,
    symbol: Option<SymbolIndex>,
) {
    let base = walk.outcome(declaration, "type").ty;
    if let Some(pattern) = declarator.pattern {
        bind_parts(walk, pattern, value, from);
        return;
    }
    let Some(place) = names::place(declarator) else {
        return;
    };
    let ty = declared_type(walk, base, declarator.ty);
    let kind = match walk.scope_of(walk.scope()).kind {
        ScopeKind::Type => SymbolKind::Field,
        ScopeKind::File | ScopeKind::Namespace => {
            let constant = declaration.modifiers.contains(Modifiers::CONST)
                && !matches!(walk.type_of(ty), TypeRecipe::Pointer(_));
            if constant {
                SymbolKind::Constant
            } else {
                SymbolKind::Variable
            }
        }
        _ => {
            let word = walk.name_at(place);
            let binding = walk.new_binding(BindingKind::Local, word, place);
            (binding.ty, binding.value, binding.from) = (ty, value, from);
            return;
        }
    };
    let symbol = symbol.unwrap_or_else(|| walk.new_symbol(kind, declaration.span));
    shared::name_symbol(walk, symbol, place);
    let owner = names::owner_of(walk, declarator);
    let is_extern = declaration.modifiers.contains(Modifiers::EXTERN) && !value.is_known();
    let signature = Span::new(
        walk.symbol(symbol).span.start,
        if declaration.span.len() > 200 {
            place.end
        } else {
            declaration.span.end
        },
    );
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.kind = if owner.is_known() {
        SymbolKind::Field
    } else {
        kind
    };
    (symbol_mut.ty, symbol_mut.owner, symbol_mut.signature) = (ty, owner, signature);
    symbol_mut.modifiers.insert(declaration.modifiers);
    if is_extern {
        symbol_mut.modifiers.insert(Modifiers::PROTOTYPE);
    }
    if kind != SymbolKind::Field && symbol_mut.modifiers.contains(Modifiers::STATIC) {
        symbol_mut.modifiers.0 &= !Modifiers::STATIC.0;
        symbol_mut.visibility = Visibility::Private;
    }
    symbol_mut.modifiers.0 &= !Modifiers::EXTERN.0;
    walk.value(symbol, value, from);
}

/// `auto [a, b] = ..`.
fn bind_parts(walk: &mut Walk<'_>, pattern: PatternId, value: RecipeId, from: u32) {
    walk.bind_pattern(pattern, value, TypeId::UNKNOWN, from);
}

/// A variable is a symbol while its initialiser is walked, unless it is local.
pub(crate) fn enter_init_declarator(walk: &mut Walk<'_>, frame: &mut Frame) {
    if !matches!(
        walk.scope_of(walk.scope()).kind,
        ScopeKind::File | ScopeKind::Namespace
    ) {
        return;
    }
    let Some(span) = walk
        .ancestors()
        .nth(1)
        .filter(|parent| parent.kind == "declaration")
        .map(|parent| parent.span)
    else {
        return;
    };
    walk.define(frame, SymbolKind::Variable, span);
}

pub(crate) fn init_declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (declarator, value) = (
        walk.outcome(frame, "declarator"),
        walk.child(frame, "value")?,
    );
    let declaration = walk.parent().cloned()?;
    let base = walk.outcome(&declaration, "type");
    let mut recipe = value.outcome.recipe;
    if value.kind == "argument_list"
        || (value.kind == "initializer_list" && constructs(walk, frame, &value))
    {
        // `Foo x(a)`, `Foo x{a}`.
        let arguments = match walk.recipe_of(recipe) {
            Recipe::List(items) => items,
            _ => value.outcome.list,
        };
        if base.ty.is_known()
            && !declarator.ty.is_known()
            && walk.type_of(base.ty) != TypeRecipe::Inferred
        {
            recipe = shared::new_of(walk, base, arguments).recipe;
        }
    }
    declare(
        walk,
        &declaration,
        declarator,
        recipe,
        frame.span.end,
        frame.symbol,
    );
    None
}

/// Braces right after the name, without `=`.
fn constructs(walk: &Walk<'_>, frame: &Frame, value: &Child) -> bool {
    let before = walk.source(Span::new(frame.span.start, value.span.start));
    !before.trim_end().ends_with('=')
}

/// `typedef struct { .. } Foo;` names the struct itself.
pub(crate) fn type_definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk
        .child(frame, "type")
        .map_or(Outcome::NONE, |child| child.outcome);
    let mut anonymous = match walk.type_of(base.ty) {
        TypeRecipe::Members(scope) => walk.scope_of(scope).owner,
        _ => None,
    };
    let declarators: Vec<Child> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "declarator")
        .copied()
        .collect();
    for child in declarators {
        let Some(place) = names::place(child.outcome) else {
            continue;
        };
        if let Some(symbol) = anonymous.take().filter(|_| !child.outcome.ty.is_known()) {
            shared::name_symbol(walk, symbol, place);
            let symbol = walk.symbol_mut(symbol);
            symbol.modifiers.0 &= !Modifiers::ANONYMOUS.0;
            symbol.span = frame.span;
            symbol.signature.start = symbol.span.start;
            continue;
        }
        let ty = declarators::fill(walk, child.outcome.ty, base.ty);
        let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
        shared::name_symbol(walk, symbol, place);
        let symbol = walk.symbol_mut(symbol);
        (symbol.ty, symbol.signature) = (ty, frame.span);
    }
    None
}
