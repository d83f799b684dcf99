//! Functions, classes, variables and types, and where each is: exported, declared only, held by
//! a name.

use crate::prelude::*;

use super::{documented, members, modules, patterns, statements};

/// Where the declaration at an open node starts, with `export` and `declare` before it. `depth`
/// counts the frames inside the declaration.
fn declaration_start(walk: &Walk<'_>, frame: &Frame, depth: usize) -> u32 {
    let mut start = frame.span.start;
    for (i, outer) in walk.ancestors().enumerate().skip(depth) {
        match outer.kind {
            // Later declarators start at their own names.
            "lexical_declaration" | "variable_declaration" | "using_declaration"
                if walk.children_of_ancestor(i).is_empty() =>
            {
                start = outer.span.start
            }
            "export_statement" | "ambient_declaration" | "expression_statement" => {
                start = outer.span.start
            }
            _ => break,
        }
    }
    start
}

/// What `export`, `default` and `declare` around the node just left say.
fn outer_modifiers(walk: &Walk<'_>) -> Modifiers {
    let mut modifiers = Modifiers::default();
    for outer in walk.ancestors() {
        match outer.kind {
            "lexical_declaration"
            | "variable_declaration"
            | "using_declaration"
            | "expression_statement" => {}
            "ambient_declaration" => modifiers.insert(Modifiers::PROTOTYPE),
            "export_statement" if outer.modifiers.contains(Modifiers::DEFAULT_EXPORT) => {
                modifiers.insert(Modifiers::DEFAULT_EXPORT)
            }
            "export_statement" => modifiers.insert(Modifiers::EXPORTED),
            _ => break,
        }
    }
    modifiers.insert_if(Modifiers::EXTERN, is_ambient(walk));
    modifiers
}

/// Whether the node just left is inside of `declare global { … }` or `declare module "m" { … }`, which
/// tell of what others define.
fn is_ambient(walk: &Walk<'_>) -> bool {
    let mut blocks = 0;
    for outer in walk.ancestors() {
        match outer.kind {
            "statement_block" => blocks += 1,
            "ambient_declaration" => return blocks > 0,
            "export_statement"
            | "expression_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "module"
            | "internal_module" => {}
            _ => return false,
        }
    }
    false
}

/// Opens a symbol for a declaration, from its `export` on.
fn begin(walk: &mut Walk<'_>, frame: &mut Frame, kind: SymbolKind) -> SymbolIndex {
    let span = Span::new(declaration_start(walk, frame, 1), frame.span.end);
    walk.define(frame, kind, span)
}

/// Opens a symbol with a scope of its own.
fn begin_in(walk: &mut Walk<'_>, frame: &mut Frame, kind: SymbolKind, scope: ScopeKind) {
    let symbol = begin(walk, frame, kind);
    frame.scope = Some(walk.new_scope(scope, frame.span, Some(symbol)));
}

/// Fills in name, modifiers, visibility and signature of the symbol that a node opened.
pub(super) fn finish(
    walk: &mut Walk<'_>,
    frame: &Frame,
    name: Option<Child>,
    body: Option<Child>,
) -> Option<SymbolIndex> {
    let symbol = frame.symbol?;
    if let Some(name) = name {
        let span = members::name_span(walk, name);
        shared::name_symbol(walk, symbol, span);
    }
    let mut modifiers = frame.modifiers;
    modifiers.insert(outer_modifiers(walk));
    let start = signature_start(walk, frame, walk.symbol(symbol).span.start);
    let found = walk.symbol_mut(symbol);
    let end = match body {
        Some(body) => body.span.start,
        // A function or class that is held has said already where its body starts.
        None if found.body.is_some()
            && !is_signature(frame)
            && (found.kind.is_callable() || found.kind == SymbolKind::Class) =>
        {
            found.signature.end
        }
        None => frame.span.end,
    };
    found.modifiers.insert(modifiers);
    found.visibility = frame.visibility;
    found.signature = Span::new(start.min(end), end);
    Some(symbol)
}

/// Decorators belong to the symbol, not to its signature.
fn signature_start(walk: &Walk<'_>, frame: &Frame, start: u32) -> u32 {
    let inside = walk.rfind(frame, |child| child.kind == "decorator");
    let before = walk.siblings_before(frame).last().copied();
    let before = before.filter(|last| last.kind == "decorator" && last.span.start >= start);
    match inside.or(before) {
        Some(decorator) => walk.skip_space(decorator.span.end, frame.span.end),
        None => start,
    }
}

pub(super) fn enter_function(walk: &mut Walk<'_>, frame: &mut Frame) {
    begin_in(walk, frame, SymbolKind::Function, ScopeKind::Function);
}

/// `function f(): T;`, an overload or what another file defines.
#[cfg(feature = "typescript")]
pub(super) fn enter_signature(walk: &mut Walk<'_>, frame: &mut Frame) {
    let symbol = begin(walk, frame, SymbolKind::Function);
    walk.mark(symbol, Modifiers::PROTOTYPE);
    enter_generic(walk, frame);
}

/// A signature with type parameters has a scope for them.
pub(super) fn enter_generic(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let head = text.split('(').next().unwrap_or("");
    if head.contains('<') {
        frame.scope = Some(walk.new_scope(ScopeKind::Function, frame.span, frame.symbol));
    }
}

/// Whether a node declares a callable without a body.
pub(super) fn is_signature(frame: &Frame) -> bool {
    frame.kind.ends_with("_signature")
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, body) = (walk.child(frame, "name"), walk.child(frame, "body"));
    let symbol = finish(walk, frame, name, body)?;
    if name.is_none() {
        name_default(walk, symbol);
    }
    walk.symbol_mut(symbol).ty = result(walk, frame, symbol);
    None
}

/// The declared result of a function, else what its documentation says.
pub(super) fn result(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex) -> TypeId {
    match walk.outcome(frame, "return_type").ty {
        TypeId::UNKNOWN => documented::result(walk, symbol),
        declared => declared,
    }
}

/// What is exported without a name is called `default`, after the word in its statement.
fn name_default(walk: &mut Walk<'_>, symbol: SymbolIndex) {
    let span = walk.symbol(symbol).span;
    let word = match walk.source(span).find("default") {
        Some(at) if at > 0 => Span::sized(span.start + at as u32, "default".len()),
        _ => Span::empty(span.start),
    };
    let found = shared::name_symbol_as(walk, symbol, "default", word);
    found.modifiers.insert(Modifiers::ANONYMOUS);
}

/// A child so far of an open node, by its place among the ancestors.
fn child_of(walk: &Walk<'_>, place: usize, field: &str) -> Option<Child> {
    let mut children = walk.children_of_ancestor(place).iter().copied();
    children.find(|child| child.field == field)
}

/// What a function, class or object literal is given a name by.
pub(super) enum Holder {
    /// A declaration that is a symbol already.
    Symbol(SymbolIndex),
    /// `const name = …` inside a body.
    Local {
        name: Span,
        start: u32,
    },
    /// `export default …`.
    Default {
        start: u32,
    },
    /// `target = …`, and where the statement starts.
    Target {
        target: Child,
        start: u32,
    },
    Nothing,
}

/// The holder of the expression that is being entered.
pub(super) fn holder(walk: &Walk<'_>, frame: &Frame) -> Holder {
    let mut field = frame.field;
    let mut target = Holder::Nothing;
    for (i, outer) in walk.ancestors().enumerate().skip(1) {
        match outer.kind {
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "type_assertion"
            | "non_null_expression" => field = outer.field,
            "variable_declarator" if field == "value" => {
                let name = child_of(walk, i, "name").filter(|name| name.kind == "identifier");
                return match (outer.symbol, name) {
                    (Some(symbol), _) => Holder::Symbol(symbol),
                    _ if matches!(target, Holder::Target { .. }) => target,
                    (None, Some(name)) => Holder::Local {
                        name: name.span,
                        start: declaration_start(walk, outer, i + 1),
                    },
                    (None, None) => Holder::Nothing,
                };
            }
            "public_field_definition" | "field_definition" | "pair" if field == "value" => {
                return outer.symbol.map_or(target, Holder::Symbol);
            }
            "export_statement" if field == "value" => {
                return Holder::Default {
                    start: outer.span.start,
                };
            }
            "assignment_expression" if field == "right" => {
                let Some(left) = child_of(walk, i, "left") else {
                    return target;
                };
                if !matches!(target, Holder::Target { .. }) {
                    let start = outer.span.start;
                    target = Holder::Target {
                        target: left,
                        start,
                    };
                }
                // In `var app = exports = module.exports = {}` the variable is the symbol.
                if !matches!(walk.source(left.span), "exports" | "module.exports") {
                    return target;
                }
                field = outer.field;
            }
            _ => return target,
        }
    }
    target
}

/// Makes a function or class expression what holds it, if something does.
fn begin_held(walk: &mut Walk<'_>, frame: &mut Frame, kind: SymbolKind) -> Option<SymbolIndex> {
    match holder(walk, frame) {
        Holder::Symbol(symbol) => {
            let found = walk.symbol_mut(symbol);
            found.kind = match (kind, found.kind) {
                (SymbolKind::Function, SymbolKind::Field) => SymbolKind::Method,
                _ => kind,
            };
            Some(symbol)
        }
        Holder::Local { name, start } => {
            let symbol = walk.define(frame, kind, Span::new(start, frame.span.end));
            shared::name_symbol(walk, symbol, name);
            Some(symbol)
        }
        Holder::Default { start } => {
            Some(walk.define(frame, kind, Span::new(start, frame.span.end)))
        }
        Holder::Target { target, start } => {
            members::begin_assigned(walk, frame, kind, target, start)
        }
        Holder::Nothing => None,
    }
}

/// A function expression becomes what holds it, else a function of its own name, else a lambda.
pub(super) fn enter_function_expression(walk: &mut Walk<'_>, frame: &mut Frame) {
    let expected = expected(walk, frame);
    let held = begin_held(walk, frame, SymbolKind::Function);
    let scope = match held {
        Some(symbol) => walk.new_scope(ScopeKind::Function, frame.span, Some(symbol)),
        None if frame.kind != "arrow_function" && own_name(walk, frame).is_some() => {
            let symbol = walk.define(frame, SymbolKind::Function, frame.span);
            let scope = walk.new_scope(ScopeKind::Lambda, frame.span, Some(symbol));
            // Only its own body sees the name.
            walk.symbol_mut(symbol).declared_in = scope;
            scope
        }
        None => walk.new_scope(ScopeKind::Lambda, frame.span, None),
    };
    frame.scope = Some(scope);
    if let Some(call) = expected {
        walk.facts_mut().scopes[scope.0 as usize].context =
            Some(LambdaContext { call, argument: 0 });
    }
}

/// Whether a function or class expression has a name of its own.
pub(super) fn has_own_name(walk: &Walk<'_>, frame: &Frame) -> bool {
    match frame.kind {
        "class" => {
            let head = walk.source(frame.span).trim_start_matches("class");
            let head = head.trim_start();
            let other = ["{", "<", "extends ", "implements "];
            !other.iter().any(|other| head.starts_with(other))
        }
        "function_expression" | "generator_function" => own_name(walk, frame).is_some(),
        _ => false,
    }
}

/// The word before the parameters of a function expression, if there is one.
fn own_name<'text>(walk: &Walk<'text>, frame: &Frame) -> Option<&'text str> {
    let text = walk.source(frame.span);
    let head = &text[..text.find(['(', '<', '{'])?];
    let (_, name) = head.split_once("function")?;
    let name = name.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let name = name.trim_end();
    (!name.is_empty()).then_some(name)
}

pub(super) fn function_expression(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let scope = frame.scope?;
    let body = walk.child(frame, "body");
    if let Some(body) = body.filter(|body| body.kind != "statement_block") {
        statements::returned(walk, body.outcome.recipe, body.span.end);
    }
    if let Some(parameter) = walk.child(frame, "parameter") {
        super::parameters::only(walk, scope, parameter);
    }
    let kind = walk.scope_of(scope).kind;
    let Some(symbol) = walk.scope_of(scope).owner else {
        return Some(Outcome::recipe(walk.lambda(scope)));
    };
    let result = result(walk, frame, symbol);
    let own_name = walk.child(frame, "name");
    let end = body.map_or(frame.span.end, |body| body.span.start);
    let start = walk.symbol(symbol).span.start;
    let modifiers = Modifiers(frame.modifiers.0 & (Modifiers::ASYNC | Modifiers::GENERATOR).0);
    let outer = frame
        .symbol
        .map_or(Modifiers::default(), |_| outer_modifiers(walk));
    walk.mark(symbol, modifiers | outer);
    let found = walk.symbol_mut(symbol);
    (found.ty, found.signature) = (result, Span::new(start, end));
    let is_named = !walk.symbol(symbol).name_span.is_empty() || frame.symbol.is_none();
    match own_name {
        Some(name) if !is_named => {
            shared::name_symbol(walk, symbol, name.span);
        }
        // The body may call the function by the name that only it sees.
        Some(name) => {
            let value = walk.recipe(Recipe::Symbol(symbol));
            let binding = walk.new_binding_at(BindingKind::Local, name.span);
            (binding.from, binding.value) = (frame.span.start, value);
        }
        None if !is_named => name_default(walk, symbol),
        None => {}
    }
    match kind {
        ScopeKind::Lambda => Some(Outcome::recipe(walk.lambda(scope))),
        _ => walk.value_of(Recipe::Symbol(symbol)),
    }
}

/// What the text says about the value that a function expression, just entered, becomes.
fn expected(walk: &mut Walk<'_>, frame: &Frame) -> Option<RecipeId> {
    expected_from(walk, frame, 1)
}

/// What the text says about the value that an object literal, just left, becomes. A literal inside
/// another one is left to the outer one.
pub(super) fn expected_of_object(walk: &mut Walk<'_>, frame: &Frame) -> Option<RecipeId> {
    if walk.parent_is(&["pair", "arguments"]) {
        return None;
    }
    expected_from(walk, frame, 0)
}

/// Whether a type is declared for the object literal just entered, which is no mere table.
pub(super) fn is_typed(walk: &mut Walk<'_>, frame: &Frame) -> bool {
    const TABLES: [&str; 5] = ["Record", "object", "any", "unknown", "Object"];
    let expected = expected_from(walk, frame, 1).unwrap_or_default();
    let Recipe::Cast(ty) = walk.recipe_of(expected) else {
        return false;
    };
    let head = match walk.type_of(ty) {
        TypeRecipe::Apply(head, _) => walk.type_of(head),
        found => found,
    };
    !matches!(head, TypeRecipe::Name(name) if TABLES.contains(&walk.builder.word(name)))
}

/// Whether the object literal just entered is what a function with a name returns.
pub(super) fn is_result_of_named(walk: &Walk<'_>, frame: &Frame) -> bool {
    let mut field = frame.field;
    let around = walk.ancestors().skip(1).find(|outer| {
        let is_wrapper = matches!(
            outer.kind,
            "parenthesized_expression" | "as_expression" | "satisfies_expression"
        );
        if is_wrapper {
            field = outer.field;
        }
        !is_wrapper
    });
    let is_result = around.is_some_and(|around| match around.kind {
        "return_statement" => true,
        "arrow_function" => field == "body",
        _ => false,
    });
    is_result && walk.enclosing_scope().owner.is_some()
}

/// A step from a value to a part of it.
enum PathStep {
    Key(Span),
    Element,
}

/// A declared type, the member that is assigned, the declared result; `depth` counts the open nodes
/// inside.
fn expected_from(walk: &mut Walk<'_>, frame: &Frame, depth: usize) -> Option<RecipeId> {
    let mut path: Vec<PathStep> = Vec::new();
    let mut field = frame.field;
    let mut base = None;
    for (i, outer) in walk.ancestors().enumerate().skip(depth) {
        match outer.kind {
            "parenthesized_expression" | "object" => {}
            "as_expression" if walk.source(outer.span).ends_with("as const") => {}
            "ternary_expression" if field != "condition" => {}
            "array" => path.push(PathStep::Element),
            "pair" if field == "value" => {
                let key = child_of(walk, i, "key")?;
                path.push(PathStep::Key(members::name_span(walk, key)));
            }
            "variable_declarator"
            | "public_field_definition"
            | "required_parameter"
            | "optional_parameter"
                if field == "value" =>
            {
                base = child_of(walk, i, "type").map(|ty| (ty.outcome.ty, RecipeId::UNKNOWN));
                break;
            }
            "assignment_expression" if field == "right" => {
                // What leaves a module or becomes a prototype is not expected to be anything.
                let is_new =
                    |target: &str| target.contains("exports") || target.ends_with(".prototype");
                let left = child_of(walk, i, "left").filter(|left| {
                    left.kind == "member_expression" && !is_new(walk.source(left.span))
                });
                base = left.map(|left| (TypeId::UNKNOWN, left.outcome.recipe));
                break;
            }
            "return_statement" => {
                base = result_at(walk, i + 1);
                break;
            }
            "arrow_function" if field == "body" => {
                base = result_at(walk, i);
                break;
            }
            _ => break,
        }
        field = outer.field;
    }
    let (ty, recipe) = base?;
    let mut recipe = if ty.is_known() { walk.cast(ty) } else { recipe };
    if !recipe.is_known() {
        return None;
    }
    for step in path.into_iter().rev() {
        recipe = match step {
            PathStep::Key(key) => {
                let name = walk.name_at(key);
                walk.recipe(Recipe::Member(recipe, name))
            }
            PathStep::Element => walk.recipe(Recipe::Element(recipe)),
        };
    }
    Some(recipe)
}

/// What the function at or around the `depth`-th open node declares to return, or to promise; else
/// what the value gives when called that the function becomes.
fn result_at(walk: &mut Walk<'_>, depth: usize) -> Option<(TypeId, RecipeId)> {
    const FUNCTIONS: &[&str] = &[
        "arrow_function",
        "function_declaration",
        "function_expression",
        "method_definition",
    ];
    let mut outer = walk.ancestors().enumerate().skip(depth);
    let (i, function) = outer.find(|(_, outer)| FUNCTIONS.contains(&outer.kind))?;
    let is_async = function.modifiers.contains(Modifiers::ASYNC);
    let scope = function.scope;
    if let Some(declared) = child_of(walk, i, "return_type") {
        let ty = declared.outcome.ty;
        let ty = match is_async {
            true => walk.first_argument(ty)?,
            false => ty,
        };
        return Some((ty, RecipeId::UNKNOWN));
    }
    let becomes = walk.scope_of(scope?).context.as_ref()?.call;
    let given = walk.plain_call(becomes);
    // A call would mean that the function is handed to it.
    let given = walk.recipe(match is_async {
        true => Recipe::Await(given),
        false => Recipe::Reference(given),
    });
    Some((TypeId::UNKNOWN, given))
}

pub(super) fn enter_class(walk: &mut Walk<'_>, frame: &mut Frame) {
    begin_in(walk, frame, SymbolKind::Class, ScopeKind::Type);
}

pub(super) fn class(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, body) = (walk.child(frame, "name"), walk.child(frame, "body"));
    if let (Some(symbol), None) = (finish(walk, frame, name, body), name) {
        name_default(walk, symbol);
    }
    None
}

pub(super) fn enter_class_expression(walk: &mut Walk<'_>, frame: &mut Frame) {
    let held = begin_held(walk, frame, SymbolKind::Class);
    let symbol = held.unwrap_or_else(|| walk.define(frame, SymbolKind::Class, frame.span));
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, Some(symbol)));
}

pub(super) fn class_expression(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.scope.and_then(|scope| walk.scope_of(scope).owner)?;
    let is_named = !walk.symbol(symbol).name_span.is_empty() || frame.symbol.is_none();
    let outer = frame
        .symbol
        .map_or(Modifiers::default(), |_| outer_modifiers(walk));
    let end = walk.start_of(frame, "body");
    let found = walk.symbol_mut(symbol);
    found.modifiers.insert(outer);
    found.signature = Span::new(found.span.start, end);
    let value = walk.recipe(Recipe::Symbol(symbol));
    match walk.child(frame, "name") {
        Some(name) if !is_named => {
            shared::name_symbol(walk, symbol, name.span);
        }
        Some(name) => {
            let binding = walk.new_binding_at(BindingKind::Local, name.span);
            (binding.from, binding.value) = (frame.span.start, value);
        }
        None if is_named => {}
        None if outer.contains(Modifiers::DEFAULT_EXPORT) => name_default(walk, symbol),
        None => {
            let place = Span::empty(frame.span.start);
            let found = shared::name_symbol_as(walk, symbol, "class", place);
            found.modifiers.insert(Modifiers::ANONYMOUS);
        }
    }
    Some(Outcome::recipe(value))
}

/// The class whose header is being read.
fn header_owner(walk: &Walk<'_>) -> Option<SymbolIndex> {
    let mut outer = walk.ancestors();
    symbol_of(walk, outer.find(|outer| outer.kind != "class_heritage")?)
}

/// The symbol that an open node defines, or that holds it.
pub(super) fn symbol_of(walk: &Walk<'_>, frame: &Frame) -> Option<SymbolIndex> {
    frame.symbol.or_else(|| walk.scope_of(frame.scope?).owner)
}

/// `extends Base<T>`, `extends mixin(Base)`.
pub(super) fn extends(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let owner = header_owner(walk);
    let children = walk.children(frame).to_vec();
    for (i, child) in children.iter().enumerate() {
        if child.kind == "type_arguments" {
            continue;
        }
        let mut ty = super::expressions::as_type(walk, child.outcome.recipe);
        if let Some(next) = children.get(i + 1)
            && next.kind == "type_arguments"
            && let TypeRecipe::Tuple(arguments) = walk.type_of(next.outcome.ty)
        {
            ty = walk.ty(TypeRecipe::Apply(ty, arguments));
        }
        walk.set_role(child.outcome, Role::Inherit);
        inherit(walk, owner, ty, Inherit::Extends);
    }
    None
}

fn inherit(walk: &mut Walk<'_>, owner: Option<SymbolIndex>, ty: TypeId, how: Inherit) {
    if let Some(symbol) = owner.filter(|_| ty.is_known()) {
        walk.supertype(symbol, ty, how);
    }
}

/// A decorator belongs to the symbol around it, else to the one that follows.
pub(super) fn decorator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let child = walk.children(frame).first().copied()?;
    let recipe = child.outcome.recipe;
    if child.outcome.reference.is_some() {
        walk.set_role(child.outcome, Role::Annotation);
    } else {
        // `@Component({ … })`: what is called is the annotation.
        for reference in walk.references_since_mut(frame.span.start) {
            if reference.call == Some(recipe) {
                reference.role = Role::Annotation;
            }
        }
    }
    match walk.parent() {
        Some(parent) if matches!(parent.kind, "required_parameter" | "optional_parameter") => {}
        Some(parent) if parent.kind == "class_body" || parent.kind == "export_statement" => {
            walk.leading_annotation(recipe, frame.span)
        }
        Some(parent) => match symbol_of(walk, parent) {
            Some(symbol) => walk.annotation(symbol, recipe, frame.span),
            None => walk.leading_annotation(recipe, frame.span),
        },
        None => {}
    }
    Some(Outcome::recipe(recipe))
}

/// A variable of a module or namespace is a symbol from here on, so that what its value holds
/// belongs to it.
pub(super) fn enter_declarator(walk: &mut Walk<'_>, frame: &mut Frame) {
    if walk.source(frame.span).starts_with(['{', '[']) {
        frame.context = Context::Bind(BindingKind::Local);
        return;
    }
    frame.context = Context::Name;
    let Some(declaration) = walk.ancestors().nth(1) else {
        return;
    };
    let is_var = declaration.kind == "variable_declaration";
    let is_let = walk.source(declaration.span).starts_with("let");
    if is_module_level(walk, is_var) && !is_import(walk.source(frame.span)) {
        begin(walk, frame, variable_kind(!is_var && !is_let));
    }
}

fn variable_kind(is_constant: bool) -> SymbolKind {
    if is_constant {
        SymbolKind::Constant
    } else {
        SymbolKind::Variable
    }
}

/// `name = require("m")` and `name = require("./m").x` import, and define nothing.
fn is_import(declarator: &str) -> bool {
    let value = declarator.split_once('=').map_or("", |(_, value)| value);
    let call = value.trim_start().strip_prefix("require").unwrap_or("");
    let Some((module, member)) = call.trim_start().split_once(')') else {
        return false;
    };
    let is_relative = module.starts_with("('.") || module.starts_with("(\".");
    let is_name = |name: &str| {
        name.chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    module.starts_with('(')
        && (member.is_empty() || is_relative && member.strip_prefix('.').is_some_and(is_name))
}

fn is_module_level(walk: &Walk<'_>, is_var: bool) -> bool {
    let kind = if is_var {
        walk.enclosing_scope_kind()
    } else {
        walk.scope_kind()
    };
    matches!(kind, ScopeKind::File | ScopeKind::Namespace)
}

pub(super) fn declarator(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let (ty, value) = (walk.outcome(frame, "type").ty, walk.child(frame, "value"));
    let recipe = value.outcome().recipe;
    let is_var = walk.parent_is(&["variable_declaration"]);
    if name.outcome.pattern.is_some() {
        if let Some(value) = value
            && modules::import_of(walk, frame, name, value)
        {
            return None;
        }
        patterns::bind(walk, name, recipe, ty, frame.span.end);
        return Some(destructured(walk, frame, name, is_var));
    }
    let imported = value.is_some_and(|value| modules::import_of(walk, frame, name, value));
    if let Some(symbol) = finish(walk, frame, Some(name), None) {
        declared(walk, frame, symbol, ty, value);
    }
    if imported || matches!(walk.recipe_of(recipe), Recipe::Symbol(_)) {
        return None;
    }
    let scope = variable_scope(walk, is_var);
    let binding = walk.new_binding_at(BindingKind::Local, name.span);
    (binding.ty, binding.value, binding.from, binding.scope) = (ty, recipe, frame.span.end, scope);
    None
}

/// The scope to which a variable belongs; `var` goes to that of the function.
fn variable_scope(walk: &Walk<'_>, is_var: bool) -> ScopeId {
    let mut scope = walk.scope();
    let is_block = |scope| {
        matches!(
            walk.scope_of(scope).kind,
            ScopeKind::Block | ScopeKind::Branch
        )
    };
    while is_var && is_block(scope) {
        scope = walk.scope_of(scope).parent;
    }
    scope
}

/// Longer values are left out of a signature.
const MAX_SIGNATURE_VALUE: u32 = 120;

/// A variable or field with its type and value; one that holds a function keeps the function's own
/// signature.
pub(super) fn declared(
    walk: &mut Walk<'_>,
    frame: &Frame,
    symbol: SymbolIndex,
    ty: TypeId,
    value: Option<Child>,
) {
    let recipe = value.outcome().recipe;
    let kind = walk.symbol(symbol).kind;
    if kind.is_callable() {
        if ty.is_known() && !walk.symbol(symbol).ty.is_known() {
            walk.symbol_mut(symbol).ty = result_of(walk, ty);
        }
        return;
    }
    if kind == SymbolKind::Class {
        return;
    }
    walk.symbol_mut(symbol).ty = match ty {
        TypeId::UNKNOWN => documented::value(walk, symbol),
        _ => ty,
    };
    walk.value(symbol, recipe, frame.span.end);
    if let Some(value) = value
        && (value.span.len() > MAX_SIGNATURE_VALUE || walk.source(value.span).contains('\n'))
    {
        walk.symbol_mut(symbol).signature.end = value.span.start;
    }
}

/// What calling a value of a type gives.
fn result_of(walk: &mut Walk<'_>, ty: TypeId) -> TypeId {
    if let TypeRecipe::Function(types) = walk.type_of(ty) {
        return walk.type_list_of(types).last().copied().unwrap_or_default();
    }
    let function = walk.recipe(Recipe::Cast(ty));
    let call = walk.plain_call(function);
    walk.ty(TypeRecipe::Of(call))
}

/// The module variables that a pattern defines.
fn destructured(walk: &mut Walk<'_>, frame: &Frame, name: Child, is_var: bool) -> Outcome {
    let Some(pattern) = name.outcome.pattern else {
        return Outcome::NONE;
    };
    let at_module_level = is_module_level(walk, is_var);
    let scope = variable_scope(walk, is_var);
    let declaration = walk
        .parent()
        .map_or("let", |parent| walk.source(parent.span));
    let kind = variable_kind(!is_var && !declaration.starts_with("let"));
    let outer = outer_modifiers(walk);
    for id in walk.bindings_in(pattern) {
        walk.binding_mut(id).scope = scope;
        let binding = walk.binding(id).clone();
        if !at_module_level || binding.kind == BindingKind::Label {
            continue;
        }
        let symbol = walk.new_symbol(kind, binding.name_span);
        shared::name_symbol(walk, symbol, binding.name_span).ty = binding.ty;
        walk.mark(symbol, outer);
        walk.value(symbol, binding.value, frame.span.end);
    }
    Outcome::NONE
}

/// The expression of `export default` that is no declaration.
pub(super) fn default_export(walk: &mut Walk<'_>, frame: &Frame, value: Child) {
    let default = walk.name("default");
    let at = walk.source(frame.span).find("default").unwrap_or(0) as u32 + frame.span.start;
    let name_span = Span::sized(at, "default".len());
    // A symbol itself says that it is the default export.
    if !matches!(walk.recipe_of(value.outcome.recipe), Recipe::Symbol(_)) {
        walk.export_value(default, value.outcome.recipe, name_span);
    }
}

#[cfg(feature = "typescript")]
pub(super) use typed::*;

#[cfg(feature = "typescript")]
mod typed {
    use super::*;

    pub(in super::super) fn enter_interface(walk: &mut Walk<'_>, frame: &mut Frame) {
        begin_in(walk, frame, SymbolKind::Interface, ScopeKind::Type);
    }

    pub(in super::super) fn type_declaration(
        walk: &mut Walk<'_>,
        frame: &Frame,
    ) -> Option<Outcome> {
        let (name, body) = (walk.child(frame, "name"), walk.child(frame, "body"));
        finish(walk, frame, name, body);
        None
    }

    pub(in super::super) fn enter_alias(walk: &mut Walk<'_>, frame: &mut Frame) {
        // Its type parameters are known inside of it.
        begin_in(walk, frame, SymbolKind::TypeAlias, ScopeKind::Block);
    }

    pub(in super::super) fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
        let (name, value) = (walk.child(frame, "name"), walk.child(frame, "value"));
        if let Some(symbol) = finish(walk, frame, name, None) {
            let ty = super::super::types::aliased(walk, symbol, value.outcome().ty);
            let found = walk.symbol_mut(symbol);
            found.ty = ty;
            if let Some(value) = value
                && value.span.len() > MAX_SIGNATURE_VALUE
            {
                found.signature.end = value.span.start;
            }
        }
        None
    }

    pub(in super::super) fn enter_enum(walk: &mut Walk<'_>, frame: &mut Frame) {
        begin_in(walk, frame, SymbolKind::Enum, ScopeKind::Type);
    }

    /// `namespace A.B { … }`, `declare module "m" { … }`.
    pub(in super::super) fn enter_namespace(walk: &mut Walk<'_>, frame: &mut Frame) {
        let kind = match frame.kind {
            "module" => SymbolKind::Module,
            _ => SymbolKind::Namespace,
        };
        begin_in(walk, frame, kind, ScopeKind::Namespace);
    }

    pub(in super::super) fn namespace(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
        let (name, body) = (walk.child(frame, "name"), walk.child(frame, "body"));
        if let (Some(symbol), Some(name)) = (finish(walk, frame, name, body), name)
            && name.kind == "nested_identifier"
        {
            // The symbol has the whole dotted name; its place is that of the last word.
            let last = walk.source(name.span).rfind('.').map_or(0, |at| at + 1) as u32;
            let words = Span::new(name.span.start + last, name.span.end);
            walk.symbol_mut(symbol).name_span = words;
            walk.label(name.span);
        }
        None
    }

    /// `implements A, B<C>`.
    pub(in super::super) fn implements(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
        let owner = header_owner(walk);
        Some(header_types(walk, frame, owner, Inherit::Implements))
    }

    /// `interface A extends B, C<D>`.
    pub(in super::super) fn interface_extends(
        walk: &mut Walk<'_>,
        frame: &Frame,
    ) -> Option<Outcome> {
        let owner = walk.parent_symbol();
        Some(header_types(walk, frame, owner, Inherit::Extends))
    }

    fn header_types(
        walk: &mut Walk<'_>,
        frame: &Frame,
        owner: Option<SymbolIndex>,
        how: Inherit,
    ) -> Outcome {
        for child in walk.children(frame).to_vec() {
            walk.set_role(child.outcome, Role::Inherit);
            inherit(walk, owner, child.outcome.ty, how);
        }
        Outcome::NONE
    }
}
