//! What only the whole file tells: fields from the assignments to instance variables, and
//! visibility from `private` and its kin.

use facts::{Modifiers, NameId, Recipe, Role, ScopeId, Span, SymbolIndex, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

use crate::walk::Walk;

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
            let class = if is_global {
                None
            } else {
                enclosing_type(walk, reference.enclosing)
            };
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

fn enclosing_type(walk: &Walk<'_>, mut symbol: Option<SymbolIndex>) -> Option<SymbolIndex> {
    while let Some(index) = symbol {
        let found = walk.symbol(index);
        if found.kind.is_type() {
            return Some(index);
        }
        symbol = found.parent;
    }
    None
}

fn define_field(
    walk: &mut Walk<'_>,
    class: Option<SymbolIndex>,
    name: NameId,
    span: Span,
) -> SymbolIndex {
    let line_len = walk.text[span.start as usize..]
        .find('\n')
        .unwrap_or(walk.text.len() - span.start as usize);
    let line = walk
        .source(Span::new(span.start, span.start + line_len as u32))
        .trim_end();
    let place = Span::new(span.start, span.start + line.len() as u32);
    let symbol = walk.new_symbol(
        if class.is_some() {
            SymbolKind::Field
        } else {
            SymbolKind::Variable
        },
        place,
    );
    let declared_in = class
        .and_then(|class| walk.symbol(class).body)
        .unwrap_or(ScopeId::FILE);
    let is_static = walk.source(span).starts_with("@@");
    let symbol_mut = walk.symbol_mut(symbol);
    (symbol_mut.name, symbol_mut.name_span, symbol_mut.doc) = (name, span, None);
    (symbol_mut.parent, symbol_mut.declared_in) = (class, declared_in);
    symbol_mut.modifiers = if is_static {
        Modifiers::STATIC
    } else {
        Modifiers::default()
    };
    symbol_mut.visibility = if class.is_some() {
        Visibility::Private
    } else {
        Visibility::Default
    };
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
    let (mut switches, mut named) = (Vec::new(), Vec::new());
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
                    named.push((enclosing, Some(name), None, visibility, modifiers))
                }
                Recipe::Symbol(symbol) => {
                    named.push((enclosing, None, Some(symbol), visibility, modifiers))
                }
                // `private attr_reader :x`
                Recipe::Call(_, inner) => {
                    for &item in walk.list_of(inner) {
                        if let Recipe::Str(name) = walk.recipe_of(item) {
                            named.push((enclosing, Some(name), None, visibility, modifiers));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    if switches.is_empty() && named.is_empty() {
        return;
    }
    // In order of place within each scope.
    switches.sort_by_key(|switch| (switch.scope, switch.at));
    let mut by_name: FxHashMap<(Option<SymbolIndex>, NameId), (Visibility, Modifiers)> =
        FxHashMap::default();
    for (enclosing, name, symbol, visibility, modifiers) in named {
        if let Some(name) = name {
            by_name.insert((enclosing, name), (visibility, modifiers));
        }
        if let Some(symbol) = symbol {
            set(walk, symbol, visibility, modifiers);
        }
    }
    for i in 0..walk.facts().symbols.len() {
        let symbol = &walk.facts().symbols[i];
        let index = SymbolIndex(i as u32);
        if let Some(&(visibility, modifiers)) = by_name.get(&(symbol.parent, symbol.name)) {
            set(walk, index, visibility, modifiers);
            continue;
        }
        let is_member = matches!(
            symbol.kind,
            SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property
        );
        // `private` does not reach methods of the class itself.
        if !is_member || symbol.visibility != Visibility::Default || symbol.span.is_empty() {
            continue;
        }
        let (scope, at) = (symbol.declared_in, symbol.name_span.start);
        let next = switches.partition_point(|switch| (switch.scope, switch.at) <= (scope, at));
        if let Some(switch) = next
            .checked_sub(1)
            .map(|i| &switches[i])
            .filter(|switch| switch.scope == scope)
        {
            let (visibility, modifiers) = (switch.visibility, switch.modifiers);
            let of_class = walk
                .symbol(index)
                .modifiers
                .contains(Modifiers::CLASS_METHOD);
            if !of_class || switch.modifiers == Modifiers::CLASS_METHOD {
                set(walk, index, visibility, modifiers);
            }
        }
    }
}

fn set(walk: &mut Walk<'_>, symbol: SymbolIndex, visibility: Visibility, modifiers: Modifiers) {
    let symbol = walk.symbol_mut(symbol);
    symbol.visibility = visibility;
    symbol.modifiers.insert(modifiers);
}
