//! Functions, variables, fields and typedefs, once their declarators have been read.

use crate::prelude::*;

use super::{declarators, names};

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
        walk.name(operator_word(written))
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
    let is_const = class.is_some() && is_const_member(walk.text, name_span.end);
    let symbol = walk.symbol_mut(symbol);
    (symbol.name, symbol.name_span, symbol.kind) = (name, name_span, kind);
    (symbol.owner, symbol.ty) = (owner, result);
    symbol.modifiers.insert(declaration.modifiers);
    // `const` belongs to the result, and a static function of a file is one that others do not see.
    symbol.modifiers.0 &= !(Modifiers::CONST.0 | Modifiers::EXTERN.0);
    symbol.modifiers.insert_if(Modifiers::CONST, is_const);
    if internal {
        symbol.modifiers.0 &= !Modifiers::STATIC.0;
        symbol.visibility = Visibility::Private;
    }
}

/// Whether `const` follows the parameters of the member whose name ends at a place.
fn is_const_member(text: &str, name_end: u32) -> bool {
    let after = text.get(name_end as usize..).unwrap_or("").trim_start();
    let Some(parameters) = after.strip_prefix('(') else {
        return false;
    };
    let mut depth = 1;
    let close = parameters.bytes().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            // A body, or something broken.
            b'{' | b';' => return true,
            _ => {}
        }
        depth == 0
    });
    let rest = close.map_or("", |close| parameters[close..].trim_start_matches(')'));
    let rest = rest.trim_start().strip_prefix("const");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
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
fn last_name(walk: &Walk<'_>, mut ty: TypeId) -> Option<NameId> {
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
    let body = walk.start_of(frame, "body");
    let initializers = walk.child_of_kind(frame, "field_initializer_list");
    let end = initializers.map_or(body, |list| list.span.start.min(body));
    let found = walk.symbol_mut(symbol);
    found.signature = Span::new(found.span.start, end);
    let name = names::place(declarator)?;
    if declarators::is_test(walk, frame, walk.source(name)) {
        return test_function(walk, frame, symbol, name);
    }
    let head = walk.source(Span::sized(frame.span.start, 4));
    let start = frame.span.start as usize;
    if walk
        .prepared
        .is_some_and(|prepared| !prepared[start..].starts_with(head))
    {
        // `TEST(group, name) {` was rewritten as a function; its other words are accounted for at
        // the end.
        let before = walk.source(Span::new(frame.span.start, name.start));
        let is_test = before.contains("TEST") || before.contains("SCENARIO");
        // A test that a text names is a member of its fixture.
        let quoted = before.ends_with('"');
        let len = walk.source(Span::new(name.start, body)).find('"');
        let name = match len.filter(|_| quoted) {
            Some(len) => Span::sized(name.start, len),
            None => name,
        };
        let owner = names::owner_of(walk, declarator);
        let found = shared::name_symbol(walk, symbol, name);
        found.modifiers.insert_if(Modifiers::TEST, is_test);
        if quoted {
            found.owner = owner;
        }
        return None;
    }
    let base = walk.outcome(frame, "type").ty;
    let base = shared::declared(walk, base);
    let ty = declarators::fill(walk, declarator.ty, TypeId::UNKNOWN);
    let result = result_of(walk, ty);
    let base = declarators::constant(walk, frame, base, result);
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

/// What a function of a type gives.
fn result_of(walk: &Walk<'_>, function: TypeId) -> TypeId {
    match walk.type_of(function) {
        TypeRecipe::Function(types) => walk.type_list_of(types).last().copied().unwrap_or_default(),
        _ => TypeId::UNKNOWN,
    }
}

/// A friend is declared inside a class, but is none of its members.
pub(crate) fn move_out_of_class(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let Some(class) = walk.symbol(symbol).parent.map(|class| walk.symbol(class)) else {
        return;
    };
    if class.kind.is_type() {
        let (parent, declared_in) = (class.parent, class.declared_in);
        let symbol = walk.symbol_mut(symbol);
        (symbol.parent, symbol.declared_in) = (parent, declared_in);
    }
}

/// `TEST_F(Fixture, Name) { .. }` is a function `Name`, a member of its fixture.
fn test_function(
    walk: &mut Walk<'_>,
    frame: &Frame,
    symbol: SymbolIndex,
    macro_name: Span,
) -> Option<Outcome> {
    let body = walk.start_of(frame, "body");
    let list = walk.source(Span::new(macro_name.end, body)).trim_start();
    let arguments = list
        .strip_prefix('(')
        .and_then(|list| list.rsplit_once(')'));
    let arguments = arguments.map_or("", |(arguments, _)| arguments).split(',');
    let mut parts = arguments.map(str::trim).filter(|part| !part.is_empty());
    let (first, second) = (parts.next().unwrap_or(""), parts.next());
    let (word, fixture) = match second {
        Some(second) if !walk.source(macro_name).starts_with("BOOST") => (second, Some(first)),
        _ => (first, second),
    };
    let quoted = word.starts_with('"');
    let name_text = word.trim_matches('"');
    let offset = (name_text.as_ptr() as usize).saturating_sub(walk.text.as_ptr() as usize) as u32;
    let name = match name_text {
        "" => macro_name,
        _ => Span::sized(offset, name_text.len()),
    };
    shared::name_symbol(walk, symbol, name);
    let has_fixture = declarators::has_fixture(walk.source(macro_name));
    if let Some(fixture) = fixture.filter(|_| has_fixture && !quoted) {
        let owner = walk.type_named(fixture.to_owned());
        walk.symbol_mut(symbol).owner = owner;
    }
    walk.mark(symbol, Modifiers::TEST);
    walk.reference(macro_name, Role::Call, None);
    None
}

/// A declared type that says more than `auto`.
fn declared_type(
    walk: &mut Walk<'_>,
    declaration: &Frame,
    base: TypeId,
    declarator: TypeId,
) -> TypeId {
    let constant = declarators::constant(walk, declaration, base, base);
    let is_inferred = walk.type_of(base) == TypeRecipe::Inferred;
    if is_inferred && constant == base || !base.is_known() {
        return TypeId::UNKNOWN;
    }
    match declarator {
        // A value that is `const` itself.
        TypeId::UNKNOWN if constant != base => walk.ty(TypeRecipe::Reference(constant)),
        declarator => declarators::fill(walk, declarator, constant),
    }
}

/// Every declarator that is neither a function nor has an initialiser, which are dealt with on
/// their own.
pub(crate) fn declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let base = walk.outcome(frame, "type");
    for (i, child) in children.iter().enumerate() {
        if child.field != "declarator" || child.kind == "init_declarator" {
            continue;
        }
        // The value is after its own declarator: `int a = 1, b;` of fields, `if (auto x = f())`.
        let next = children.get(i + 1);
        let next = next.filter(|next| matches!(next.field, "value" | "default_value"));
        if is_function(walk, child.outcome.ty) {
            let default = next.filter(|next| next.field == "default_value");
            let is_pure = default.is_some_and(|default| walk.source(default.span) == "0");
            declared_function(walk, frame, child, is_pure);
            continue;
        }
        let mut value = next.outcome().recipe;
        if let Recipe::Tuple(arguments) = walk.recipe_of(child.outcome.recipe) {
            // `Foo x(a);` was taken for a function.
            value = shared::new_of(walk, base, arguments).recipe;
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
    if let Some(symbol) = walk.facts_mut().symbols.last_mut()
        && symbol.name_span == place
    {
        symbol.modifiers.insert_if(Modifiers::ABSTRACT, is_pure);
        return;
    }
    if !walk.source(place).starts_with("operator") {
        return;
    }
    let result = result_of(walk, child.outcome.ty);
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
        return walk.bind_pattern(pattern, value, TypeId::UNKNOWN, from);
    }
    let Some(place) = names::place(declarator) else {
        return;
    };
    let ty = declared_type(walk, declaration, base, declarator.ty);
    let kind = match walk.scope_kind() {
        ScopeKind::Type => SymbolKind::Field,
        ScopeKind::File | ScopeKind::Namespace => {
            let is_pointer = matches!(walk.type_of(ty), TypeRecipe::Pointer(_));
            if declaration.modifiers.contains(Modifiers::CONST) && !is_pointer {
                SymbolKind::Constant
            } else {
                SymbolKind::Variable
            }
        }
        _ => {
            let binding = walk.new_binding_at(BindingKind::Local, place);
            (binding.ty, binding.value, binding.from) = (ty, value, from);
            return;
        }
    };
    let symbol = symbol.unwrap_or_else(|| walk.new_symbol(kind, declaration.span));
    let owner = names::owner_of(walk, declarator);
    let is_extern = declaration.modifiers.contains(Modifiers::EXTERN) && !value.is_known();
    let is_long = declaration.span.len() > 200;
    let end = if is_long {
        place.end
    } else {
        declaration.span.end
    };
    let symbol_mut = shared::name_symbol(walk, symbol, place);
    symbol_mut.kind = match owner {
        TypeId::UNKNOWN => kind,
        _ => SymbolKind::Field,
    };
    symbol_mut.signature = Span::new(symbol_mut.span.start, end);
    (symbol_mut.ty, symbol_mut.owner) = (ty, owner);
    symbol_mut.modifiers.insert(declaration.modifiers);
    symbol_mut
        .modifiers
        .insert_if(Modifiers::PROTOTYPE, is_extern);
    if kind != SymbolKind::Field && symbol_mut.modifiers.contains(Modifiers::STATIC) {
        symbol_mut.modifiers.0 &= !Modifiers::STATIC.0;
        symbol_mut.visibility = Visibility::Private;
    }
    symbol_mut.modifiers.0 &= !Modifiers::EXTERN.0;
    walk.value(symbol, value, from);
}

/// A variable is a symbol while its initialiser is walked, unless it is local.
pub(crate) fn enter_init_declarator(walk: &mut Walk<'_>, frame: &mut Frame) {
    let declaration = walk
        .ancestors()
        .nth(1)
        .filter(|parent| parent.kind == "declaration");
    let is_global = matches!(walk.scope_kind(), ScopeKind::File | ScopeKind::Namespace);
    if let Some(span) = declaration
        .map(|declaration| declaration.span)
        .filter(|_| is_global)
    {
        walk.define(frame, SymbolKind::Variable, span);
    }
}

pub(crate) fn init_declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let declarator = walk.outcome(frame, "declarator");
    let value = walk.child(frame, "value")?;
    let declaration = walk.parent().cloned()?;
    let base = walk.outcome(&declaration, "type");
    let mut recipe = value.outcome.recipe;
    let before = walk.source(Span::new(frame.span.start, value.span.start));
    let constructs = match value.kind {
        "argument_list" => true,
        // Braces right after the name, without `=`.
        "initializer_list" => !before.trim_end().ends_with('='),
        _ => false,
    };
    let is_plain = shared::declared(walk, base.ty).is_known() && !declarator.ty.is_known();
    if constructs && is_plain {
        // `Foo x(a)`, `Foo x{a}`.
        let arguments = match walk.recipe_of(recipe) {
            Recipe::List(items) => items,
            _ => value.outcome.list,
        };
        recipe = shared::new_of(walk, base, arguments).recipe;
    }
    let (from, symbol) = (frame.span.end, frame.symbol);
    declare(walk, &declaration, declarator, recipe, from, symbol);
    None
}

/// `typedef struct { .. } Foo;` names the struct itself.
pub(crate) fn type_definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let base = walk.outcome(frame, "type");
    let mut anonymous = match walk.type_of(base.ty) {
        TypeRecipe::Members(scope) => walk.scope_of(scope).owner,
        _ => None,
    };
    for child in walk.filter(frame, |child| child.field == "declarator") {
        let Some(place) = names::place(child.outcome) else {
            continue;
        };
        if let Some(symbol) = anonymous.take().filter(|_| !child.outcome.ty.is_known()) {
            let symbol = shared::name_symbol(walk, symbol, place);
            symbol.modifiers.0 &= !Modifiers::ANONYMOUS.0;
            symbol.span = frame.span;
            symbol.signature.start = symbol.span.start;
            continue;
        }
        let ty = declarators::fill(walk, child.outcome.ty, base.ty);
        let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
        let symbol = shared::name_symbol(walk, symbol, place);
        (symbol.ty, symbol.signature) = (ty, frame.span);
    }
    None
}
