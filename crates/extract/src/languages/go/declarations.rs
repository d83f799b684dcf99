//! What rules cannot say about Go's declarations.

use crate::prelude::*;

use super::types;

/// `package p`: a symbol of the clause alone, for the directory is the package.
pub(super) fn package(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).first()?.span;
    shared::name_symbol(walk, frame.symbol?, name);
    None
}

/// `import "a/b"`, `import x "a/b"`, `import . "a/b"`, `import _ "a/b"`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let path = walk.child(frame, "path")?;
    // A name on the line before belongs to code that is being written.
    let alias = walk.child(frame, "name");
    let alias = alias.filter(|alias| !walk.between(alias.span, path.span).contains('\n'));
    let is_quoted = path.span.len() >= 2;
    let quotes = u32::from(is_quoted);
    let name_span = Span::new(path.span.start + quotes, path.span.end - quotes);
    let module = walk.name_at(name_span);
    let (kind, local) = match alias.map(|alias| (alias.kind, alias.span)) {
        Some(("dot", _)) => (ImportKind::Glob, None),
        Some(("blank_identifier", _)) => (ImportKind::Module, None),
        Some((_, alias)) => (ImportKind::Module, Some(walk.name_at(alias))),
        None => {
            let assumed = assumed_name(walk.source(name_span));
            (ImportKind::Module, Some(walk.name(assumed)))
        }
    };
    let alias = alias.filter(|alias| alias.kind == "package_identifier");
    let import = walk.new_import(kind, module, frame.span, name_span);
    (import.local, import.alias_span) = (local, alias.map(|alias| alias.span));
    None
}

/// The package name that a path suggests, as Go's own tools assume it: the last segment that is no
/// version, cut to an identifier.
fn assumed_name(path: &str) -> &str {
    let is_version = |segment: &str| {
        let digits = segment.strip_prefix('v').unwrap_or("");
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut segments = path.rsplit('/');
    let mut base = segments.next().unwrap_or(path);
    if is_version(base) {
        base = segments.next().unwrap_or(base);
    }
    let base = base.strip_prefix("go-").unwrap_or(base);
    match shared::word_len(base) {
        0 => base,
        end => &base[..end],
    }
}

/// Names a symbol; a capital letter makes it public, a paragraph of its comment deprecated.
fn name(walk: &mut Walk<'_>, symbol: SymbolIndex, span: Span) {
    let public = walk.source(span).starts_with(char::is_uppercase);
    let doc = walk.symbol(symbol).doc;
    let deprecated = doc.is_some_and(|doc| walk.source(doc).contains("Deprecated:"));
    let found = shared::name_symbol(walk, symbol, span);
    found.visibility = if public {
        Visibility::Public
    } else {
        Visibility::Internal
    };
    found.modifiers.insert_if(Modifiers::DEPRECATED, deprecated);
}

/// The signature reaches from the symbol's first word to where its body starts.
fn sign(walk: &mut Walk<'_>, symbol: SymbolIndex, end: u32) {
    let symbol = walk.symbol_mut(symbol);
    symbol.signature = Span::new(symbol.span.start, end);
}

pub(super) fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    if let Some(child) = walk.child(frame, "name") {
        name(walk, symbol, child.span);
    }
    sign(walk, symbol, walk.start_of(frame, "body"));
    let result = types::result(walk, frame);
    // Without a body it is written in assembly or linked from elsewhere.
    let is_extern = walk.child(frame, "body").is_none();
    let symbol = walk.symbol_mut(symbol);
    symbol.ty = result;
    symbol.modifiers.insert_if(Modifiers::EXTERN, is_extern);
    None
}

/// A function literal with a name is a declaration that an unclosed function before it swallowed.
pub(super) fn enter_function_literal(walk: &mut Walk<'_>, frame: &mut Frame) {
    if swallowed_name(walk, frame).is_some() {
        define(walk, frame, SymbolKind::Function);
    }
}

pub(super) fn swallowed_function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (span, symbol) = (swallowed_name(walk, frame)?, frame.symbol?);
    function(walk, frame);
    name(walk, symbol, span);
    let symbol = walk.symbol_mut(symbol);
    (symbol.parent, symbol.declared_in) = (None, ScopeId::FILE);
    symbol.modifiers = Modifiers::default();
    None
}

fn swallowed_name(walk: &Walk<'_>, frame: &Frame) -> Option<Span> {
    let text = walk.source(frame.span);
    let rest = text.strip_prefix("func")?.trim_start();
    let len = shared::word_len(rest);
    let start = frame.span.start + (text.len() - rest.len()) as u32;
    (len > 0 && len < rest.len()).then(|| Span::sized(start, len))
}

pub(super) fn interface_method(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    if let Some(child) = walk.child(frame, "name") {
        name(walk, symbol, child.span);
    }
    let result = types::result(walk, frame);
    let symbol = walk.symbol_mut(symbol);
    symbol.ty = result;
    symbol.modifiers.insert(Modifiers::ABSTRACT);
    None
}

/// `a, b T` or `a ...T`: its type, its names as a list, and what it binds.
pub(super) fn parameter(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    if frame.kind == "variadic_parameter_declaration" {
        ty = walk.ty(TypeRecipe::Array(ty));
    }
    let (mut names, mut patterns) = (Vec::new(), Vec::new());
    for child in walk.filter(frame, |child| child.field == "name") {
        let word = walk.name_at(child.span);
        names.push(walk.recipe(Recipe::Name(word)));
        patterns.extend(child.outcome.pattern);
    }
    let list = walk.list(&names);
    let pattern = (!patterns.is_empty()).then(|| walk.pattern(Pattern::Tuple(patterns)));
    Some(Outcome::ty(ty).with_list(list).with_pattern(pattern))
}

/// Parameters, results or the receiver, as the field says. The outcome is the tuple of their types.
pub(super) fn parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let owner = walk.parent_symbol();
    let from = walk.scope_start();
    let is_binding = matches!(frame.context, Context::Bind(_));
    let is_parameters = frame.field == "parameters";
    let mut types = Vec::new();
    for child in walk.children(frame).to_vec() {
        let names = walk.list_of(child.outcome.list).to_vec();
        let ty = child.outcome.ty;
        let first = types.len();
        types.extend(std::iter::repeat_n(ty, names.len().max(1)));
        if let Some(pattern) = child.outcome.pattern.filter(|_| is_binding) {
            for (i, binding) in walk.bindings_in(pattern).into_iter().enumerate() {
                let binding = walk.binding_mut(binding);
                (binding.ty, binding.from) = (ty, from);
                binding.parameter = is_parameters.then_some((first + i) as u16);
            }
        }
        let Some(symbol) = owner.filter(|_| is_parameters) else {
            continue;
        };
        let mut flags = ParameterFlags::default();
        let is_variadic = child.kind == "variadic_parameter_declaration";
        flags.insert_if(ParameterFlags::VARIADIC, is_variadic);
        for i in 0..names.len().max(1) {
            let name = names.get(i).map(|&name| walk.recipe_of(name));
            let name = match name {
                Some(Recipe::Name(name)) => name,
                _ => walk.name(""),
            };
            walk.parameter(symbol, name, ty, flags);
        }
    }
    if let (true, Some(symbol)) = (is_parameters, owner) {
        mark_test(walk, symbol, &types);
    }
    if let ("receiver", Some(symbol), Some(&ty)) = (frame.field, owner, types.first()) {
        receiver(walk, frame, symbol, ty);
    }
    Some(Outcome::ty(walk.type_from(TypeRecipe::Tuple, &types)))
}

/// The method belongs to the receiver's type; type arguments written there declare type parameters.
fn receiver(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex, ty: TypeId) {
    let mut owner = ty;
    while let TypeRecipe::Pointer(inner) = walk.type_of(owner) {
        owner = inner;
    }
    walk.symbol_mut(symbol).owner = owner;
    let TypeRecipe::Apply(..) = walk.type_of(owner) else {
        return;
    };
    let Some(bracket) = walk.source(frame.span).find('[') else {
        return;
    };
    let bracket = frame.span.start + bracket as u32;
    while let Some(reference) = walk.facts().references.last()
        && reference.span.start > bracket
    {
        let (name, name_span) = (reference.name, reference.span);
        walk.facts_mut().references.pop();
        walk.type_parameter(symbol, name, name_span, TypeListRange::default());
    }
    // They were taken from the end.
    let parameters = &mut walk.builder.type_parameters;
    let before = parameters.iter().rposition(|(of, _)| *of != symbol);
    parameters[before.map_or(0, |last| last + 1)..].reverse();
}

/// `TestX(t *testing.T)` and the like, and `ExampleX()`.
fn mark_test(walk: &mut Walk<'_>, symbol: SymbolIndex, types: &[TypeId]) {
    let function = walk
        .parent()
        .filter(|parent| parent.kind == "function_declaration");
    let name = function.and_then(|function| walk.child(function, "name"));
    let name = name.map_or("", |name| walk.source(name.span));
    let mut prefixes = ["Test", "Benchmark", "Fuzz", "Example"].iter();
    let rest = prefixes.find_map(|prefix| name.strip_prefix(prefix));
    if rest.is_none_or(|rest| rest.starts_with(char::is_lowercase)) {
        return;
    }
    let is_test = match types {
        [] => name.starts_with("Example"),
        [only] => is_testing_type(walk, *only),
        _ => false,
    };
    if is_test {
        walk.mark(symbol, Modifiers::TEST);
    }
}

/// `*testing.T`, `*testing.B`, `*testing.F`.
fn is_testing_type(walk: &Walk<'_>, ty: TypeId) -> bool {
    if let TypeRecipe::Pointer(ty) = walk.type_of(ty)
        && let TypeRecipe::Scoped(package, class) = walk.type_of(ty)
        && let TypeRecipe::Name(package) = walk.type_of(package)
    {
        let class = walk.builder.word(class);
        return walk.builder.word(package) == "testing" && matches!(class, "T" | "B" | "F");
    }
    false
}

/// `[K comparable, V any]`: declared by the function or type around.
pub(super) fn type_parameters(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = walk.current_symbol()?;
    let bound = walk.outcome(frame, "type").ty;
    let bounds = walk.type_list(&[bound]);
    for child in walk.children(frame).to_vec() {
        if child.field == "name" {
            let name = walk.name_at(child.span);
            walk.type_parameter(symbol, name, child.span, bounds);
        }
    }
    None
}

/// Opens a symbol at the node that is being entered. Without parentheses, the one thing declared
/// starts at the keyword.
fn define(walk: &mut Walk<'_>, frame: &mut Frame, kind: SymbolKind) {
    const KINDS: [&str; 3] = ["type_declaration", "const_declaration", "var_declaration"];
    let declaration = walk
        .ancestors()
        .nth(1)
        .filter(|parent| KINDS.contains(&parent.kind));
    if let Some(start) = declaration.map(|declaration| declaration.span.start) {
        let before = walk.source(Span::new(start, frame.span.start));
        if !before.contains('(') {
            walk.leading_start(start);
        }
    }
    walk.define(frame, kind, frame.span);
}

pub(super) fn enter_type(walk: &mut Walk<'_>, frame: &mut Frame) {
    let kind = match frame.kind {
        "type_alias" => SymbolKind::TypeAlias,
        _ => SymbolKind::Struct,
    };
    define(walk, frame, kind);
    frame.scope = Some(walk.new_scope(ScopeKind::Type, frame.span, frame.symbol));
}

/// A struct, an interface, a function type, an alias; any other type is a `Struct` whose `ty` is
/// the underlying type.
pub(super) fn type_definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    if let Some(child) = walk.child(frame, "name") {
        name(walk, symbol, child.span);
    }
    let ty = walk.child(frame, "type")?;
    let brace = walk.source(ty.span).find('{');
    let brace = brace.map(|brace| ty.span.start + brace as u32);
    let (kind, end) = match ty.kind {
        "struct_type" => (SymbolKind::Struct, brace),
        "interface_type" => (SymbolKind::Interface, brace),
        "function_type" => (SymbolKind::Delegate, None),
        _ => (SymbolKind::Struct, None),
    };
    sign(walk, symbol, end.unwrap_or(frame.span.end));
    let symbol = walk.symbol_mut(symbol);
    if frame.kind == "type_spec" {
        symbol.kind = kind;
    }
    symbol.ty = ty.outcome.ty;
    None
}

pub(super) fn enter_field(walk: &mut Walk<'_>, frame: &mut Frame) {
    define(walk, frame, SymbolKind::Field);
}

/// Fields, or an embedded type whose members are promoted.
pub(super) fn field(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = frame.symbol?;
    let ty = walk.child(frame, "type")?;
    let tag = walk.child(frame, "tag");
    let names = walk.filter(frame, |child| child.field == "name");
    let names: Vec<Span> = names.iter().map(|child| child.span).collect();
    let end = walk.symbol(symbol).span.end;
    sign(walk, symbol, tag.map_or(end, |tag| tag.span.start));
    if names.is_empty() {
        embedded(walk, frame, symbol, ty.outcome);
    } else {
        walk.symbol_mut(symbol).ty = ty.outcome.ty;
        name_all(walk, symbol, &names, |_, _, _| {});
    }
    if let Some(tag) = tag {
        walk.annotation(symbol, tag.outcome.recipe, tag.span);
    }
    None
}

fn embedded(walk: &mut Walk<'_>, frame: &Frame, symbol: SymbolIndex, inner: Outcome) {
    let mut ty = inner.ty;
    if walk.source(frame.span).starts_with('*') {
        ty = walk.ty(TypeRecipe::Pointer(ty));
    }
    if let Some(reference) = inner.reference {
        walk.set_role(inner, Role::Inherit);
        let span = walk.reference_mut(reference).span;
        name(walk, symbol, span);
    }
    if let Some(outer) = walk.scope_of(walk.scope()).owner {
        walk.supertype(outer, ty, Inherit::Mixin);
    }
    let symbol = walk.symbol_mut(symbol);
    symbol.ty = ty;
    symbol.modifiers.insert(Modifiers::EMBEDDED);
}

/// Names a symbol, and makes others like it for the names that follow.
fn name_all(
    walk: &mut Walk<'_>,
    first: SymbolIndex,
    names: &[Span],
    mut each: impl FnMut(&mut Walk<'_>, SymbolIndex, usize),
) {
    for (i, &span) in names.iter().enumerate() {
        let symbol = if i == 0 {
            first
        } else if walk.source(span) == "_" {
            walk.label(span);
            continue;
        } else {
            let like = walk.symbol(first).clone();
            let symbol = walk.new_symbol(like.kind, like.span);
            *walk.symbol_mut(symbol) = like;
            symbol
        };
        name(walk, symbol, span);
        each(walk, symbol, i);
    }
}

/// A constant or variable of the package is a symbol, one of a function is bound.
pub(super) fn enter_values(walk: &mut Walk<'_>, frame: &mut Frame) {
    if walk.enclosing_scope_kind() != ScopeKind::File {
        frame.context = Context::Bind(BindingKind::Local);
        return;
    }
    if is_blank(walk.source(frame.span)) {
        frame.context = Context::Label;
        return;
    }
    frame.context = Context::Name;
    let kind = match frame.kind {
        "const_spec" => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    };
    define(walk, frame, kind);
}

/// `_ T = x`, which declares nothing.
fn is_blank(spec: &str) -> bool {
    shared::word_len(spec) == 1 && spec.starts_with('_') && !spec[1..].trim_start().starts_with(',')
}

pub(super) fn variables(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let ty = walk.outcome(frame, "type").ty;
    let values = walk.outcome(frame, "value").list;
    declare_values(walk, frame, ty, values);
    None
}

/// A constant without a value repeats the type and value of the one before it.
pub(super) fn constants(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let mut ty = walk.outcome(frame, "type").ty;
    let mut values = walk.outcome(frame, "value").list;
    if walk.child(frame, "value").is_none()
        && let Some(before) = walk.siblings_before(frame).last()
    {
        (ty, values) = (before.outcome.ty, before.outcome.list);
    }
    declare_values(walk, frame, ty, values);
    Some(Outcome::ty(ty).with_list(values))
}

fn declare_values(walk: &mut Walk<'_>, frame: &Frame, ty: TypeId, values: ListRange) {
    let names: Vec<_> = walk.filter(frame, |child| child.field == "name");
    let values = super::expressions::paired(walk, values, names.len());
    let Some(symbol) = frame.symbol else {
        for (i, child) in names.iter().enumerate() {
            walk.bind_pattern(child.outcome.pattern, values[i], ty, frame.span.end);
        }
        return;
    };
    walk.symbol_mut(symbol).ty = ty;
    let end = walk.symbol(symbol).span.end;
    sign(walk, symbol, end);
    let spans: Vec<Span> = names.iter().map(|child| child.span).collect();
    name_all(walk, symbol, &spans, |walk, symbol, i| {
        let value = values.get(i).copied().unwrap_or(RecipeId::UNKNOWN);
        walk.value_in(symbol, value, ScopeId::FILE, frame.span.end);
    });
}
