//! Facts as text, for case files and for people who look at what extraction found.

use std::fmt::Write;

use facts::{
    Facts, LiteralKind, Parameter, ParameterFlags, Recipe, RecipeId, Span, Symbol, SymbolIndex,
    TypeId, TypeListRange, TypeRecipe, Visibility,
};

/// The parts of the facts that can be shown.
pub const SECTIONS: &[&str] = &[
    "symbols",
    "bindings",
    "references",
    "imports",
    "supertypes",
    "annotations",
    "values",
    "thrown",
    "flows",
    "implicit",
    "problems",
];

/// The named sections, in the order of [`SECTIONS`]; `symbols` and `supertypes` if none is named.
pub fn render(facts: &Facts, sections: &[&str]) -> String {
    let sections = if sections.is_empty() {
        &["symbols", "supertypes"]
    } else {
        sections
    };
    let mut out = String::new();
    for section in SECTIONS.iter().filter(|section| sections.contains(section)) {
        match *section {
            "symbols" => symbols(facts, &mut out),
            "bindings" => bindings(facts, &mut out),
            "references" => references(facts, &mut out),
            "imports" => imports(facts, &mut out),
            "supertypes" => supertypes(facts, &mut out),
            "annotations" => annotations(facts, &mut out),
            "values" => values(facts, &mut out),
            "thrown" => thrown(facts, &mut out),
            "flows" => flows(facts, &mut out),
            "implicit" => implicit(facts, &mut out),
            _ => problems(facts, &mut out),
        }
    }
    out
}

fn symbols(facts: &Facts, out: &mut String) {
    for (index, symbol) in facts.symbols_with_index() {
        let _ = write!(
            out,
            "{:<12} {} {}",
            symbol.kind.as_str(),
            qualified_name(facts, index),
            place(facts, symbol.name_span)
        );
        if !facts.type_parameters(symbol).is_empty() {
            let parameters: Vec<String> = facts
                .type_parameters(symbol)
                .iter()
                .map(|parameter| {
                    let bounds = type_list(facts, parameter.bounds, " & ");
                    let mut text = facts.name(parameter.name).to_owned();
                    if !bounds.is_empty() {
                        text += &format!(": {bounds}");
                    }
                    if parameter.default.is_known() {
                        text += &format!(" = {}", type_text(facts, parameter.default));
                    }
                    text
                })
                .collect();
            let _ = write!(out, " <{}>", parameters.join(", "));
        }
        if symbol.kind.is_callable() || symbol.parameters.len > 0 {
            let parameters: Vec<String> = facts
                .parameters(symbol)
                .iter()
                .map(|parameter| parameter_text(facts, parameter))
                .collect();
            let _ = write!(out, " ({})", parameters.join(", "));
        }
        if symbol.owner.is_known() {
            let _ = write!(out, " of {}", type_text(facts, symbol.owner));
        }
        if symbol.ty.is_known() {
            let _ = write!(out, " : {}", type_text(facts, symbol.ty));
        }
        if symbol.visibility != Visibility::Default {
            let _ = write!(out, " {}", symbol.visibility.as_str());
        }
        for word in symbol.modifiers.words() {
            let _ = write!(out, " {word}");
        }
        if symbol.doc.is_some() {
            out.push_str(" doc");
        }
        out.push('\n');
    }
}

/// The name within the file: `Cart.total`.
pub fn qualified_name(facts: &Facts, index: SymbolIndex) -> String {
    let names: Vec<&str> = facts
        .container_chain(index)
        .into_iter()
        .map(|index| facts.name(facts.symbol(index).name))
        .collect();
    names.join(".")
}

fn parameter_text(facts: &Facts, parameter: &Parameter) -> String {
    let mut text = String::new();
    if parameter.flags.contains(ParameterFlags::VARIADIC) {
        text.push('*');
    }
    if parameter.flags.contains(ParameterFlags::KEYWORD_VARIADIC) {
        text.push_str("**");
    }
    if parameter.flags.contains(ParameterFlags::BLOCK) {
        text.push('&');
    }
    text.push_str(facts.name(parameter.name));
    if parameter.flags.contains(ParameterFlags::OPTIONAL) {
        text.push('?');
    }
    if parameter.flags.contains(ParameterFlags::RECEIVER) {
        text.push_str(" receiver");
    }
    if parameter.ty.is_known() {
        let _ = write!(text, ": {}", type_text(facts, parameter.ty));
    }
    text
}

fn bindings(facts: &Facts, out: &mut String) {
    let mut in_order: Vec<_> = facts.bindings.iter().collect();
    in_order.sort_by_key(|binding| (binding.name_span.start, binding.from));
    for binding in in_order {
        let kind = format!("{:?}", binding.kind).to_lowercase();
        let _ = write!(
            out,
            "bind {:<12} {} {}",
            kind,
            facts.name(binding.name),
            place(facts, binding.name_span)
        );
        if binding.ty.is_known() {
            let _ = write!(out, " : {}", type_text(facts, binding.ty));
        }
        if binding.value.is_known() {
            let _ = write!(out, " = {}", recipe_text(facts, binding.value));
        }
        if let Some(context) = facts
            .scope(binding.scope)
            .context
            .filter(|_| binding.parameter.is_some())
        {
            let call = recipe_text(facts, context.call);
            let _ = match facts.recipe(context.call) {
                Recipe::Call(..) | Recipe::New(..) => {
                    write!(out, " handed to {call} as argument {}", context.argument)
                }
                _ => write!(out, " expected by {call}"),
            };
        }
        out.push('\n');
    }
}

fn references(facts: &Facts, out: &mut String) {
    let mut in_order: Vec<_> = facts.references.iter().collect();
    in_order.sort_by_key(|reference| reference.span);
    for reference in in_order {
        let _ = write!(
            out,
            "ref {:<11} {} {}",
            reference.role.as_str(),
            facts.name(reference.name),
            place(facts, reference.span)
        );
        if let Some(receiver) = reference.receiver {
            let _ = write!(out, " on {}", recipe_text(facts, receiver));
        }
        if let Some(call) = reference.call {
            let list = match facts.recipe(call) {
                Recipe::Call(_, list) | Recipe::New(_, list) => list,
                _ => facts::ListRange::default(),
            };
            let _ = match reference.role {
                facts::Role::Write => write!(out, " = {}", recipe_text(facts, call)),
                _ => write!(out, " with ({})", list_text(facts, list)),
            };
        }
        if let Some(enclosing) = reference.enclosing {
            let _ = write!(out, " in {}", qualified_name(facts, enclosing));
        }
        out.push('\n');
    }
}

fn imports(facts: &Facts, out: &mut String) {
    for import in &facts.imports {
        let kind = format!("{:?}", import.kind).to_lowercase();
        let dots = ".".repeat(import.level as usize);
        let _ = write!(
            out,
            "import {:<8} {dots}{} {}",
            kind,
            facts.name(import.module),
            place(facts, import.name_span)
        );
        if let Some(item) = import.item {
            let _ = write!(out, " item {}", facts.name(item));
        }
        if let Some(local) = import.local {
            let _ = write!(out, " as {}", facts.name(local));
        }
        if import.reexported {
            out.push_str(" re-exported");
        }
        out.push('\n');
    }
    for export in &facts.exports {
        let _ = write!(
            out,
            "export {} {}",
            facts.name(export.exported),
            place(facts, export.name_span)
        );
        if let Some(local) = export.local {
            let _ = write!(out, " of {}", facts.name(local));
        }
        if export.value.is_known() {
            let _ = write!(out, " = {}", recipe_text(facts, export.value));
        }
        if let Some(module) = export.module {
            let _ = write!(out, " from {}", facts.name(module));
        }
        out.push('\n');
    }
}

fn supertypes(facts: &Facts, out: &mut String) {
    for supertype in &facts.supertypes {
        let how = format!("{:?}", supertype.how).to_lowercase();
        let _ = writeln!(
            out,
            "{:<12} {} {}",
            how,
            qualified_name(facts, supertype.symbol),
            type_text(facts, supertype.ty)
        );
    }
}

fn annotations(facts: &Facts, out: &mut String) {
    for annotation in &facts.annotations {
        let _ = writeln!(
            out,
            "annotation   {} {}",
            qualified_name(facts, annotation.symbol),
            recipe_text(facts, annotation.recipe)
        );
    }
}

fn values(facts: &Facts, out: &mut String) {
    for (index, symbol) in facts.symbols_with_index() {
        for value in facts.values(symbol) {
            let line = facts.lines.line_number(value.at);
            let _ = writeln!(
                out,
                "value        {} = {} at {line}",
                qualified_name(facts, index),
                recipe_text(facts, value.recipe)
            );
        }
    }
}

fn thrown(facts: &Facts, out: &mut String) {
    for value in &facts.thrown {
        let text = recipe_text(facts, value.recipe);
        let _ = writeln!(out, "throw {text} {}", place(facts, value.span));
    }
}

fn implicit(facts: &Facts, out: &mut String) {
    for used in &facts.implicit {
        let kind = format!("{:?}", used.kind).to_lowercase();
        let _ = write!(out, "{kind} {}", recipe_text(facts, used.value));
        match facts.name(used.word) {
            "" => {}
            word => out.push_str(&format!(" {word}")),
        }
        if used.other.is_known() {
            let _ = write!(out, " {}", recipe_text(facts, used.other));
        }
        let _ = write!(out, " {}", place(facts, used.span));
        if let Some(enclosing) = used.enclosing {
            let _ = write!(out, " in {}", qualified_name(facts, enclosing));
        }
        out.push('\n');
    }
}

/// Calls of nameless values, and what is put into elements and members.
fn flows(facts: &Facts, out: &mut String) {
    for call in &facts.value_calls {
        let text = recipe_text(facts, call.recipe);
        let _ = write!(out, "call {text} {}", place(facts, call.span));
        if let Some(enclosing) = call.enclosing {
            let _ = write!(out, " in {}", qualified_name(facts, enclosing));
        }
        out.push('\n');
    }
    for store in &facts.stores {
        let (target, value) = (
            recipe_text(facts, store.target),
            recipe_text(facts, store.value),
        );
        let line = facts.lines.line_number(store.at);
        let _ = writeln!(out, "store {target} = {value} at {line}");
    }
}

fn problems(facts: &Facts, out: &mut String) {
    for problem in &facts.problems {
        let kind = format!("{:?}", problem.kind).to_lowercase();
        let _ = writeln!(out, "problem      {kind} {}", place(facts, problem.span));
    }
}

fn place(facts: &Facts, span: Span) -> String {
    let position = facts.lines.position(span.start);
    format!("{}:{}", position.line_index + 1, position.column + 1)
}

/// Deeper expressions are shown as `…`.
const MAX_TEXT_DEPTH: u32 = 24;

/// A recipe as text.
pub fn recipe_text(facts: &Facts, id: RecipeId) -> String {
    recipe_at_depth(facts, id, 0)
}

fn recipe_at_depth(facts: &Facts, id: RecipeId, depth: u32) -> String {
    if depth > MAX_TEXT_DEPTH {
        return "…".to_owned();
    }
    let inner = |id| recipe_at_depth(facts, id, depth + 1);
    let list = |range| {
        let items: Vec<String> = facts.list(range).iter().map(|&item| inner(item)).collect();
        items.join(", ")
    };
    match facts.recipe(id) {
        Recipe::Unknown => "?".to_owned(),
        Recipe::Name(name) => facts.name(name).to_owned(),
        Recipe::Member(value, name) => format!("{}.{}", inner(value), facts.name(name)),
        Recipe::Scoped(value, name) => format!("{}::{}", inner(value), facts.name(name)),
        Recipe::Call(callee, arguments) => format!("{}({})", inner(callee), list(arguments)),
        Recipe::New(ty, arguments) => format!("new {}({})", type_text(facts, ty), list(arguments)),
        Recipe::Index(value, index) => format!("{}[{}]", inner(value), inner(index)),
        Recipe::Element(value) => format!("element({})", inner(value)),
        Recipe::Await(value) => format!("await {}", inner(value)),
        Recipe::Try(value) => format!("{}?", inner(value)),
        Recipe::Deref(value) => format!("*{}", inner(value)),
        Recipe::Reference(value) => format!("&{}", inner(value)),
        Recipe::Cast(ty) => format!("as {}", type_text(facts, ty)),
        Recipe::Literal(LiteralKind::Digit(digit)) => digit.to_string(),
        Recipe::Literal(kind) => format!("{kind:?}").to_lowercase(),
        Recipe::Str(text) => format!("{:?}", facts.name(text)),
        Recipe::Tuple(items) => format!("({})", list(items)),
        Recipe::List(items) => format!("[{}]", list(items)),
        Recipe::Object(items) => format!("{{{}}}", list(items)),
        Recipe::Field(name, value) => format!("{}: {}", facts.name(name), inner(value)),
        Recipe::Entry(key, value) => format!("{} => {}", inner(key), inner(value)),
        Recipe::Spread(value) => format!("...{}", inner(value)),
        Recipe::Part(value, i) => format!("part {i} of {}", inner(value)),
        Recipe::Lambda(_, returns) => format!("lambda({})", list(returns)),
        Recipe::Either(a, b) => format!("{} | {}", inner(a), inner(b)),
        Recipe::SelfValue => "self".to_owned(),
        Recipe::SelfType => "Self".to_owned(),
        Recipe::Super => "super".to_owned(),
        Recipe::Type(ty) => format!("type {}", type_text(facts, ty)),
        Recipe::TypeArguments(callee, arguments) => {
            format!("{}<{}>", inner(callee), type_list(facts, arguments, ", "))
        }
        Recipe::Symbol(symbol) => format!("symbol {}", qualified_name(facts, symbol)),
        Recipe::Operation(a, b) => format!("{} ∘ {}", inner(a), inner(b)),
        Recipe::Parameter(call, i) => format!("parameter {i} of {}", inner(call)),
        Recipe::Rest(value, from) => format!("rest of {} from {from}", inner(value)),
    }
}

fn list_text(facts: &Facts, range: facts::ListRange) -> String {
    let items: Vec<String> = facts
        .list(range)
        .iter()
        .map(|&item| recipe_text(facts, item))
        .collect();
    items.join(", ")
}

/// A type as text.
pub fn type_text(facts: &Facts, id: TypeId) -> String {
    type_at_depth(facts, id, 0)
}

fn type_at_depth(facts: &Facts, id: TypeId, depth: u32) -> String {
    if depth > MAX_TEXT_DEPTH {
        return "…".to_owned();
    }
    let inner = |id| type_at_depth(facts, id, depth + 1);
    let list = |range, separator: &str| {
        let items: Vec<String> = facts
            .type_list(range)
            .iter()
            .map(|&item| inner(item))
            .collect();
        items.join(separator)
    };
    match facts.type_recipe(id) {
        TypeRecipe::Unknown => "?".to_owned(),
        TypeRecipe::Name(name) => facts.name(name).to_owned(),
        TypeRecipe::Scoped(outer, name) => format!("{}.{}", inner(outer), facts.name(name)),
        TypeRecipe::Apply(head, arguments) => format!("{}<{}>", inner(head), list(arguments, ", ")),
        TypeRecipe::Array(item) => format!("{}[]", inner(item)),
        TypeRecipe::Pointer(item) => format!("*{}", inner(item)),
        TypeRecipe::Reference(item) => format!("&{}", inner(item)),
        TypeRecipe::Optional(item) => format!("{}?", inner(item)),
        TypeRecipe::Function(types) => match facts.type_list(types).split_last() {
            Some((result, parameters)) => {
                let parameters: Vec<String> = parameters
                    .iter()
                    .map(|&parameter| inner(parameter))
                    .collect();
                format!("({}) -> {}", parameters.join(", "), inner(*result))
            }
            None => "()".to_owned(),
        },
        TypeRecipe::Union(items) => list(items, " | "),
        TypeRecipe::Intersection(items) => list(items, " & "),
        TypeRecipe::Tuple(items) => format!("({})", list(items, ", ")),
        TypeRecipe::Bounds(items) => format!("impl {}", list(items, " + ")),
        TypeRecipe::SelfType => "Self".to_owned(),
        TypeRecipe::Of(recipe) => format!("typeof {}", recipe_text(facts, recipe)),
        TypeRecipe::Literal(text) => format!("{:?}", facts.name(text)),
        TypeRecipe::Inferred => "_".to_owned(),
        TypeRecipe::Members(_) => "{…}".to_owned(),
        TypeRecipe::Indexed(object, index) => format!("{}[{}]", inner(object), inner(index)),
    }
}

fn type_list(facts: &Facts, range: TypeListRange, separator: &str) -> String {
    let items: Vec<String> = facts
        .type_list(range)
        .iter()
        .map(|&item| type_text(facts, item))
        .collect();
    items.join(separator)
}

/// The signature on one line, as written.
pub fn signature_text(symbol: &Symbol, text: &str) -> String {
    signature_line(symbol.signature.text(text))
}

/// What is written of a signature on one line, without what only leads over to the body.
pub fn signature_line(written: &str) -> String {
    let mut line = String::new();
    let mut rest = written.trim();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        line.push_str(word);
        let next = after.trim_start();
        let is_broken = after[..after.len() - next.len()].contains('\n');
        let opens = line.ends_with(['(', '[', '<']);
        let closes = next.starts_with([')', ']', '>']);
        // Where a list is on lines of its own, it is joined as if it had been written on one.
        if is_broken && closes && line.ends_with(',') {
            line.pop();
        }
        if !next.is_empty() && !(is_broken && (opens || closes)) {
            line.push(' ');
        }
        rest = next;
    }
    line.trim_end_matches(['{', ':', '=', ' ']).to_owned()
}
