//! What only the whole file tells: fields from the assignments to instance variables, and
//! visibility from `private` and its kin.

use crate::prelude::*;
use rustc_hash::FxHashMap;

use super::definitions::type_around;

pub(super) fn finish(walk: &mut Walk<'_>) {
    define_fields(walk);
    apply_visibility(walk);
    crate::flat::recover(walk);
}

/// The first assignment to `@x` in a class defines the field `@x`, the first to `$x` a variable;
/// all of them tell its value.
fn define_fields(walk: &mut Walk<'_>) {
    let mut fields: FxHashMap<(Option<SymbolIndex>, NameId), SymbolIndex> = FxHashMap::default();
    let mut n_kept = 0;
    for i in 0..walk.facts().references.len() {
        let mut reference = walk.facts().references[i].clone();
        if reference.role == Role::Write
            && walk.source(reference.span).starts_with(['@', '$'])
            && let Some(value) = reference.call.take()
        {
            // A write holds the value written in the place of a call.
            let is_global = walk.source(reference.span).starts_with('$');
            let around = reference.enclosing.filter(|_| !is_global);
            let class = type_around(walk, around);
            let known = fields.get(&(class, reference.name)).copied();
            let field = match known {
                None if is_global || class.is_some() => {
                    let field = define_field(walk, class, reference.name, reference.span);
                    fields.insert((class, reference.name), field);
                    Some(field)
                }
                known => known,
            };
            if let Some(field) = field {
                walk.value_in(field, value, reference.scope, reference.span.start);
            }
            if known.is_none() && field.is_some() {
                // The place is the definition, no longer a mere write.
                continue;
            }
        }
        walk.facts_mut().references[n_kept] = reference;
        n_kept += 1;
    }
    walk.facts_mut().references.truncate(n_kept);
}

fn define_field(
    walk: &mut Walk<'_>,
    class: Option<SymbolIndex>,
    name: NameId,
    span: Span,
) -> SymbolIndex {
    let rest = &walk.text[span.start as usize..];
    let line = rest.split('\n').next().unwrap_or("").trim_end();
    let place = Span::sized(span.start, line.len());
    let (kind, visibility) = match class {
        Some(_) => (SymbolKind::Field, Visibility::Private),
        None => (SymbolKind::Variable, Visibility::Default),
    };
    let symbol = walk.new_symbol(kind, place);
    let body = class.and_then(|class| walk.symbol(class).body);
    let is_static = walk.source(span).starts_with("@@");
    let found = walk.symbol_mut(symbol);
    (found.name, found.name_span, found.doc) = (name, span, None);
    (found.parent, found.declared_in) = (class, body.unwrap_or(ScopeId::FILE));
    found.modifiers = Modifiers::default();
    found.modifiers.insert_if(Modifiers::STATIC, is_static);
    found.visibility = visibility;
    symbol
}

/// What a call of `private` and the like says about methods: from here on, or about those it names.
struct Switch {
    scope: ScopeId,
    at: u32,
    visibility: Visibility,
    modifiers: Modifiers,
}

fn apply_visibility(walk: &mut Walk<'_>) {
    let mut switches = Vec::new();
    let mut by_name: FxHashMap<(Option<SymbolIndex>, NameId), (Visibility, Modifiers)> =
        FxHashMap::default();
    for i in 0..walk.facts().references.len() {
        let reference = &walk.facts().references[i];
        if reference.role != Role::Call || reference.receiver.is_some() {
            continue;
        }
        let none = Modifiers::default();
        let (visibility, modifiers) = match walk.source(reference.span) {
            "private" | "private_class_method" | "private_constant" => (Visibility::Private, none),
            "protected" => (Visibility::Protected, none),
            "public" => (Visibility::Public, none),
            "module_function" => (Visibility::Default, Modifiers::CLASS_METHOD),
            _ => continue,
        };
        let (scope, at, enclosing) = (reference.scope, reference.span.start, reference.enclosing);
        let arguments = match reference.call.map(|call| walk.recipe_of(call)) {
            Some(Recipe::Call(_, arguments)) => walk.list_of(arguments).to_vec(),
            _ => Vec::new(),
        };
        if arguments.is_empty() {
            switches.push(Switch {
                scope,
                at,
                visibility,
                modifiers,
            });
        }
        for argument in arguments {
            match walk.recipe_of(argument) {
                Recipe::Str(name) => {
                    by_name.insert((enclosing, name), (visibility, modifiers));
                }
                Recipe::Symbol(symbol) => set(walk, symbol, visibility, modifiers),
                // `private attr_reader :x`
                Recipe::Call(_, inner) => {
                    for &item in walk.list_of(inner) {
                        if let Recipe::Str(name) = walk.recipe_of(item) {
                            by_name.insert((enclosing, name), (visibility, modifiers));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if switches.is_empty() && by_name.is_empty() {
        return;
    }
    // In order of place within each scope.
    switches.sort_by_key(|switch| (switch.scope, switch.at));
    for i in 0..walk.facts().symbols.len() {
        let symbol = &walk.facts().symbols[i];
        let index = SymbolIndex(i as u32);
        if let Some(&(visibility, modifiers)) = by_name.get(&(symbol.parent, symbol.name)) {
            set(walk, index, visibility, modifiers);
            continue;
        }
        use SymbolKind::{Constructor, Method, Property};
        let is_member = matches!(symbol.kind, Method | Constructor | Property);
        // `private` does not reach methods of the class itself.
        if !is_member || symbol.visibility != Visibility::Default || symbol.span.is_empty() {
            continue;
        }
        let (scope, at) = (symbol.declared_in, symbol.name_span.start);
        let next = switches.partition_point(|switch| (switch.scope, switch.at) <= (scope, at));
        if let Some(switch) = switches[..next]
            .last()
            .filter(|switch| switch.scope == scope)
        {
            let of_class = symbol.modifiers.contains(Modifiers::CLASS_METHOD);
            if !of_class || switch.modifiers == Modifiers::CLASS_METHOD {
                set(walk, index, switch.visibility, switch.modifiers);
            }
        }
    }
}

fn set(walk: &mut Walk<'_>, symbol: SymbolIndex, visibility: Visibility, modifiers: Modifiers) {
    let symbol = walk.symbol_mut(symbol);
    symbol.visibility = visibility;
    symbol.modifiers.insert(modifiers);
}
