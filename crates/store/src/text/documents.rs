//! What of a content is searched as one: each function, each type without its functions, and the
//! rest of the file.
//!
//! Every word of the text belongs to exactly one document, so that a file's frequencies are the sum
//! of its documents'.

use std::sync::OnceLock;

use facts::{
    Facts, FieldCounts, N_FIELDS, Span, Symbol, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};
use rustc_hash::FxHashMap;

use super::words::words;

/// The fields of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The symbol's own name.
    Name = 0,
    /// The names of the symbols around it, and of the type it belongs to.
    Container = 1,
    /// Signature, body, comments and strings.
    Body = 2,
}

/// For each word the documents that hold it, and how often in each field.
type Frequencies = FxHashMap<Box<str>, Vec<(u32, FieldCounts)>>;

/// The documents of one content.
#[derive(Debug, Default)]
pub struct ContentDocuments {
    documents: Vec<DocumentText>,
    frequencies: OnceLock<Frequencies>,
}

#[derive(Debug)]
pub struct DocumentText {
    /// Absent for the rest of the file.
    pub symbol: Option<SymbolIndex>,
    /// Words with a space after each.
    pub fields: [String; N_FIELDS],
    /// How many words each field has.
    pub lengths: FieldCounts,
}

/// A function inside a function is a document of its own from this size on.
const MIN_NESTED_LINES: u32 = 8;

impl ContentDocuments {
    pub fn new(facts: &Facts, text: &str) -> ContentDocuments {
        let units = units(facts);
        let mut documents: Vec<DocumentText> = units
            .iter()
            .map(|unit| DocumentText::new(facts, Some(*unit)))
            .collect();
        let mut rest = DocumentText::new(facts, None);
        let pieces = pieces(facts, &units, text.len() as u32);
        let mut room = vec![0; units.len() + 1];
        for (span, owner) in &pieces {
            room[owner.unwrap_or(units.len())] += span.len() as usize;
        }
        for (document, room) in documents.iter_mut().chain([&mut rest]).zip(room) {
            document.fields[Field::Body as usize].reserve(room);
        }
        for (span, owner) in pieces {
            let document = owner.map_or(&mut rest, |i| &mut documents[i]);
            document.add(Field::Body, span.text(text));
        }
        if rest.lengths[Field::Body as usize] > 0 || documents.is_empty() {
            documents.push(rest);
        }
        ContentDocuments {
            documents,
            frequencies: OnceLock::new(),
        }
    }

    pub fn documents(&self) -> &[DocumentText] {
        &self.documents
    }

    /// Bytes in memory, roughly.
    pub fn weight(&self) -> usize {
        self.documents
            .iter()
            .map(|document| 128 + document.fields.iter().map(String::len).sum::<usize>())
            .sum()
    }

    /// Which documents hold a word, and how often in each field, in order.
    pub fn hits(&self, word: &str) -> &[(u32, FieldCounts)] {
        let frequencies = self.frequencies.get_or_init(|| {
            let mut frequencies = Frequencies::default();
            for (i, document) in self.documents.iter().enumerate() {
                for (field, text) in document.fields.iter().enumerate() {
                    for word in text.split_terminator(' ') {
                        // Looked up first: most words are there already.
                        if !frequencies.contains_key(word) {
                            frequencies.insert(word.into(), Vec::new());
                        }
                        let hits = frequencies.get_mut(word).expect("just inserted");
                        match hits.last_mut() {
                            Some((last, counts)) if *last == i as u32 => counts[field] += 1,
                            _ => {
                                let mut counts = [0; N_FIELDS];
                                counts[field] = 1;
                                hits.push((i as u32, counts));
                            }
                        }
                    }
                }
            }
            frequencies
        });
        frequencies.get(word).map_or(&[], Vec::as_slice)
    }
}

impl DocumentText {
    fn new(facts: &Facts, symbol: Option<SymbolIndex>) -> DocumentText {
        let mut document = DocumentText {
            symbol,
            fields: Default::default(),
            lengths: [0; N_FIELDS],
        };
        let Some(index) = symbol else { return document };
        let symbol = facts.symbol(index);
        document.add(Field::Name, facts.name(symbol.name));
        if let Some(owner) = type_name(facts, symbol.owner) {
            document.add(Field::Container, owner);
        }
        let mut parent = symbol.parent;
        while let Some(index) = parent {
            let symbol = facts.symbol(index);
            document.add(Field::Container, facts.name(symbol.name));
            parent = symbol.parent;
        }
        document
    }

    fn add(&mut self, field: Field, text: &str) {
        let (words_of, length) = (
            &mut self.fields[field as usize],
            &mut self.lengths[field as usize],
        );
        words(text, |word| {
            words_of.push_str(word);
            words_of.push(' ');
            *length += 1;
        });
    }
}

/// The symbols that are documents, in order of their start.
fn units(facts: &Facts) -> Vec<SymbolIndex> {
    let mut is_unit = vec![false; facts.symbols.len()];
    let mut units = Vec::new();
    for (i, symbol) in facts.symbols.iter().enumerate() {
        let ancestors = std::iter::successors(symbol.parent, |index| facts.symbol(*index).parent);
        let inside_callable = ancestors
            .into_iter()
            .any(|index| facts.symbol(index).kind.is_callable() && is_unit[index.0 as usize]);
        let lines = |span: Span| {
            facts.lines.line_index(span.end.saturating_sub(1)) - facts.lines.line_index(span.start)
                + 1
        };
        is_unit[i] =
            is_document(symbol) && (!inside_callable || lines(symbol.span) >= MIN_NESTED_LINES);
        if is_unit[i] {
            units.push(SymbolIndex(i as u32));
        }
    }
    units
}

fn is_document(symbol: &Symbol) -> bool {
    use SymbolKind::*;
    symbol.kind.is_callable()
        || matches!(
            symbol.kind,
            Class
                | Struct
                | Interface
                | Trait
                | Enum
                | Union
                | Record
                | Object
                | TypeAlias
                | Delegate
                | Heading
        )
}

/// Cuts the text where a document begins or ends: each piece with the innermost document around it,
/// as an index into `units`.
fn pieces(facts: &Facts, units: &[SymbolIndex], end: u32) -> Vec<(Span, Option<usize>)> {
    // A doc comment precedes what it documents, and nested documents are inside their container.
    let mut spans: Vec<(Span, usize)> = Vec::with_capacity(units.len());
    for (i, unit) in units.iter().enumerate() {
        let symbol = facts.symbol(*unit);
        spans.push((symbol.span, i));
        if let Some(doc) = symbol.doc.filter(|doc| !symbol.span.encloses(*doc)) {
            spans.push((doc, i));
        }
    }
    spans.sort_by_key(|(span, i)| (span.start, std::cmp::Reverse(span.end), *i));
    let mut pieces = Vec::with_capacity(2 * spans.len() + 1);
    let mut open: Vec<(Span, usize)> = Vec::new();
    let mut at = 0;
    let mut emit = |at: &mut u32, to: u32, owner: Option<usize>| {
        if to > *at {
            pieces.push((Span::new(*at, to), owner));
            *at = to;
        }
    };
    for (span, i) in spans {
        while let Some((around, owner)) = open.last().copied() {
            if around.end > span.start {
                break;
            }
            emit(&mut at, around.end.min(end), Some(owner));
            open.pop();
        }
        emit(
            &mut at,
            span.start.min(end),
            open.last().map(|(_, owner)| *owner),
        );
        // A span that reaches beyond the one around it is cut there.
        let limit = open.last().map_or(end, |(around, _)| around.end);
        open.push((Span::new(span.start, span.end.min(limit)), i));
    }
    while let Some((around, owner)) = open.pop() {
        emit(&mut at, around.end.min(end), Some(owner));
    }
    emit(&mut at, end, None);
    pieces
}

fn type_name(facts: &Facts, mut id: TypeId) -> Option<&str> {
    // Children have smaller indexes; a bound keeps damaged facts from a loop.
    for _ in 0..8 {
        match facts.types.get(id.0 as usize)? {
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => return Some(facts.name(*name)),
            TypeRecipe::Apply(inner, _)
            | TypeRecipe::Pointer(inner)
            | TypeRecipe::Reference(inner)
            | TypeRecipe::Optional(inner) => id = *inner,
            _ => return None,
        }
    }
    None
}
