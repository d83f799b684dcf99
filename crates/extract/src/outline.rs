//! What languages known by their outline have in common: definitions with a name and a body,
//! members, values with several names.

use facts::{ScopeKind, Span, SymbolIndex, SymbolKind};
use rustc_hash::FxHashMap;

use crate::{
    handlers as shared,
    walk::{Frame, Outcome, Walk},
};

/// A definition whose symbol and scope the rule opens. Fields: name, body.
pub fn definition(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, body) = match *frame.fields() {
        [name, body] => (name, body),
        _ => ("name", "body"),
    };
    shared::finish_symbol(walk, frame, name, body);
    None
}

/// A function or value that is directly in a type is a method or field.
pub fn enter_member(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(symbol) = frame.symbol else { return };
    let declared_in = walk.symbol(symbol).declared_in;
    if walk.scope_of(declared_in).kind == ScopeKind::Type {
        let symbol = walk.symbol_mut(symbol);
        symbol.kind = match symbol.kind {
            SymbolKind::Function => SymbolKind::Method,
            SymbolKind::Variable | SymbolKind::Constant => SymbolKind::Field,
            other => other,
        };
    }
}

/// Whether the open node is in the body of a function, where variables are no symbols.
pub fn in_body(walk: &Walk<'_>) -> bool {
    matches!(
        walk.enclosing_scope_kind(),
        ScopeKind::Function | ScopeKind::Lambda
    )
}

/// A value outside of function bodies, named when its node is left.
pub fn enter_value(walk: &mut Walk<'_>, frame: &mut Frame) {
    if !in_body(walk) {
        walk.define(frame, SymbolKind::Variable, frame.span);
        enter_member(walk, frame);
    }
}

/// Names the open symbol after the first of some places, and makes one more symbol of its kind for
/// each other.
pub fn name_values(
    walk: &mut Walk<'_>,
    frame: &Frame,
    names: &[Span],
    signature_end: u32,
) -> Option<SymbolIndex> {
    let first = frame.symbol?;
    let signature = Span::new(frame.span.start, signature_end);
    for (i, &name_span) in names.iter().enumerate() {
        let symbol = if i == 0 {
            first
        } else {
            walk.new_symbol(walk.symbol(first).kind, frame.span)
        };
        shared::name_symbol(walk, symbol, name_span);
        let (parent, declared_in, start, modifiers) = {
            let first = walk.symbol(first);
            (
                first.parent,
                first.declared_in,
                first.span.start,
                first.modifiers | frame.modifiers,
            )
        };
        let symbol = walk.symbol_mut(symbol);
        (
            symbol.parent,
            symbol.declared_in,
            symbol.signature,
            symbol.span.start,
        ) = (parent, declared_in, signature, start);
        symbol.modifiers = modifiers;
        symbol.visibility = frame.visibility;
    }
    Some(first)
}

/// The words of a place: the names in a pattern.
pub fn words(walk: &Walk<'_>, span: Span) -> Vec<Span> {
    let text = walk.source(span);
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let mut words = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(i),
            (Some(from), false) => {
                if !text[from..i].starts_with(|c: char| c.is_ascii_digit()) {
                    words.push(Span::new(span.start + from as u32, span.start + i as u32));
                }
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The place of a keyword that represents the name, at or after `from` in a node.
pub fn keyword(walk: &Walk<'_>, node: Span, from: u32, keyword: &str) -> Option<Span> {
    let start = walk.source(Span::new(from, node.end)).find(keyword)? as u32 + from;
    Some(Span::sized(start, keyword.len()))
}

/// A variable is defined where it is first set: later symbols of its name and owner are the same,
/// and so are their members.
pub fn keep_first_values(walk: &mut Walk<'_>) {
    let mut first = FxHashMap::default();
    let mut numbers = Vec::with_capacity(walk.facts().symbols.len());
    let mut n_kept = 0;
    let facts = walk.facts_mut();
    facts.symbols.retain(|symbol| {
        let is_value = matches!(
            symbol.kind,
            SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field
        );
        let next = SymbolIndex(n_kept);
        let number = if is_value {
            *first
                .entry((symbol.name, symbol.parent, symbol.owner))
                .or_insert(next)
        } else {
            next
        };
        numbers.push(number);
        n_kept += u32::from(number == next);
        number == next
    });
    if numbers.len() == facts.symbols.len() {
        return;
    }
    let renumber = |index: &mut SymbolIndex| *index = numbers[index.0 as usize];
    facts
        .symbols
        .iter_mut()
        .for_each(|symbol| symbol.parent.iter_mut().for_each(renumber));
    facts
        .scopes
        .iter_mut()
        .for_each(|scope| scope.owner.iter_mut().for_each(renumber));
}
