//! Where the facts of a content come from when the store has none: another machine made them, else
//! the text is extracted.
//!
//! What another machine wrote is foreign input: facts that do not fit the text they claim to be
//! about count as absent.

use std::panic::AssertUnwindSafe;

use facts::{Facts, FactsId, Recipe, RecipeId};

/// Facts that were made elsewhere.
pub trait FactsSource: Send + Sync {
    /// Whether to ask it about so many contents; reads ahead where that takes fewer requests.
    fn prepare(&self, n_contents: usize) -> bool {
        n_contents > 0
    }

    /// The record of a content, as `facts::encode` writes it; absent if there is none.
    fn record(&self, id: &FactsId) -> Option<Vec<u8>>;
}

/// Facts of one file, unpacked.
const MAX_UNPACKED: u32 = 1 << 28;

/// The facts of a record that another machine wrote, if they are whole and can be about this text.
pub fn decode_foreign(record: &[u8], id: &FactsId, text: &str) -> Option<Facts> {
    let facts = decode_unread(record, id)?;
    (facts.lines.text_len() == text.len() as u32).then_some(facts)
}

/// The facts of a record that another machine wrote, if they are whole and can be about some text of
/// the length that they say.
pub fn decode_unread(record: &[u8], id: &FactsId) -> Option<Facts> {
    // What it says to unpack to is checked before it is unpacked.
    let claimed = record
        .get(9..13)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(u32::MAX, u32::from_le_bytes);
    if claimed > MAX_UNPACKED {
        return None;
    }
    let facts = facts::decode(record).ok()?;
    (facts.language == id.language && fits(&facts)).then_some(facts)
}

/// Whether facts can be about a text: every place lies in it, every index leads somewhere, and
/// nothing holds itself.
fn fits(facts: &Facts) -> bool {
    let length = facts.lines.text_len();
    let within = |span: facts::Span| span.start <= span.end && span.end <= length;
    let is_below = |id: RecipeId, own: usize| (id.0 as usize) < own;
    let list = |range: facts::ListRange| {
        facts
            .lists
            .get(range.start as usize..(range.start as usize).saturating_add(range.len as usize))
    };
    let all_below =
        |range, own| list(range).is_some_and(|items| items.iter().all(|item| is_below(*item, own)));
    let recipes = facts
        .recipes
        .iter()
        .enumerate()
        .all(|(own, recipe)| match *recipe {
            Recipe::Member(a, _)
            | Recipe::Scoped(a, _)
            | Recipe::Element(a)
            | Recipe::Await(a)
            | Recipe::Try(a)
            | Recipe::Deref(a)
            | Recipe::Reference(a)
            | Recipe::Field(_, a)
            | Recipe::Spread(a)
            | Recipe::Part(a, _)
            | Recipe::Rest(a, _)
            | Recipe::TypeArguments(a, _)
            | Recipe::Parameter(a, _) => is_below(a, own),
            Recipe::Index(a, b)
            | Recipe::Entry(a, b)
            | Recipe::Either(a, b)
            | Recipe::Operation(a, b) => is_below(a, own) && is_below(b, own),
            Recipe::Call(a, range) => is_below(a, own) && all_below(range, own),
            Recipe::New(_, range)
            | Recipe::Tuple(range)
            | Recipe::List(range)
            | Recipe::Object(range)
            | Recipe::Lambda(_, range) => all_below(range, own),
            _ => true,
        });
    let symbols = facts.symbols.iter().enumerate().all(|(own, symbol)| {
        symbol.parent.is_none_or(|parent| (parent.0 as usize) < own)
            && within(symbol.span)
            && within(symbol.name_span)
            && within(symbol.signature)
    });
    let scopes = facts
        .scopes
        .iter()
        .enumerate()
        .all(|(own, scope)| (scope.parent.0 as usize) < own.max(1) && within(scope.span));
    let places = facts.references.iter().all(|reference| {
        within(reference.span) && (reference.scope.0 as usize) < facts.scopes.len()
    });
    let has_scope = |scope: facts::ScopeId| (scope.0 as usize) < facts.scopes.len();
    let flows = facts
        .value_calls
        .iter()
        .all(|call| within(call.span) && has_scope(call.scope))
        && facts.stores.iter().all(|store| has_scope(store.scope));
    let sound = !facts.scopes.is_empty() && recipes && symbols && scopes && places && flows;
    // Whatever index is left that leads nowhere shows when all of it is read.
    sound
        && std::panic::catch_unwind(AssertUnwindSafe(|| {
            extract::render::render(facts, SECTIONS).len()
        }))
        .is_ok()
}

const SECTIONS: &[&str] = &[
    "symbols",
    "bindings",
    "references",
    "imports",
    "exports",
    "supertypes",
    "annotations",
    "values",
    "flows",
];
