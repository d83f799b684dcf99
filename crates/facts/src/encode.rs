//! Facts as bytes: a format version, a checksum, then bitcode under lz4.
//!
//! Places that rise within a list are written as differences, which makes most of them small
//! numbers.

use std::cell::RefCell;

use crate::{Facts, LineIndex};

/// Changes with every change of the bytes.
/// 1: first version.
/// 2: recipes of what a call expects.
/// 4: what is thrown; `true` and `false`.
/// 5: defaults of type parameters.
/// 6: calls of nameless values, stores, digits, rests.
/// 7: implicit uses.
pub const FORMAT_VERSION: u8 = 7;

/// The record is not what was written: cut short, flipped, or of another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    Version(u8),
    Damaged,
}

const HEADER: usize = 1 + 8;

thread_local! {
    /// Room for one record, kept between files: making it anew takes longer than filling it.
    static BUFFER: RefCell<bitcode::Buffer> = RefCell::default();
}

pub fn encode(facts: &Facts) -> Vec<u8> {
    encode_owned(facts.clone())
}

/// Encodes facts that are no longer needed, without a copy of them.
pub fn encode_owned(mut facts: Facts) -> Vec<u8> {
    to_differences(&mut facts);
    let packed =
        BUFFER.with_borrow_mut(|buffer| lz4_flex::compress_prepend_size(buffer.encode(&facts)));
    let mut record = Vec::with_capacity(HEADER + packed.len());
    record.push(FORMAT_VERSION);
    record.extend_from_slice(&checksum(&packed));
    record.extend_from_slice(&packed);
    record
}

pub fn decode(record: &[u8]) -> Result<Facts, DecodeError> {
    let version = *record.first().ok_or(DecodeError::Damaged)?;
    if version != FORMAT_VERSION {
        return Err(DecodeError::Version(version));
    }
    let (header, packed) = record
        .split_at_checked(HEADER)
        .ok_or(DecodeError::Damaged)?;
    if header[1..] != checksum(packed) {
        return Err(DecodeError::Damaged);
    }
    let bytes = lz4_flex::decompress_size_prepended(packed).map_err(|_| DecodeError::Damaged)?;
    let mut facts: Facts = bitcode::decode(&bytes).map_err(|_| DecodeError::Damaged)?;
    from_differences(&mut facts);
    Ok(facts)
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

fn to_differences(facts: &mut Facts) {
    let mut starts = facts.lines.starts().to_vec();
    for i in (1..starts.len()).rev() {
        starts[i] = starts[i].wrapping_sub(starts[i - 1]);
    }
    facts.lines = LineIndex::from_starts(starts, facts.lines.text_len());
    for symbol in &mut facts.symbols {
        let start = symbol.span.start;
        for span in [&mut symbol.name_span, &mut symbol.signature]
            .into_iter()
            .chain(&mut symbol.doc)
        {
            span.end = span.end.wrapping_sub(span.start);
            span.start = span.start.wrapping_sub(start);
        }
        symbol.span.end = symbol.span.end.wrapping_sub(start);
    }
    for i in (0..facts.references.len()).rev() {
        let previous = if i > 0 && facts.references[i - 1].name == facts.references[i].name {
            facts.references[i - 1].span.start
        } else {
            0
        };
        let span = &mut facts.references[i].span;
        span.end = span.end.wrapping_sub(span.start);
        span.start = span.start.wrapping_sub(previous);
    }
    for i in (0..facts.references.len()).rev() {
        if i > 0 {
            facts.references[i].name.0 -= facts.references[i - 1].name.0;
        }
    }
    for binding in &mut facts.bindings {
        binding.name_span.end = binding.name_span.end.wrapping_sub(binding.name_span.start);
        binding.from = binding.from.wrapping_sub(binding.name_span.start);
    }
    for i in (0..facts.trivia.len()).rev() {
        let previous = if i > 0 {
            facts.trivia[i - 1].span.start
        } else {
            0
        };
        let span = &mut facts.trivia[i].span;
        span.end = span.end.wrapping_sub(span.start);
        span.start = span.start.wrapping_sub(previous);
    }
    for i in (1..facts.labels.len()).rev() {
        facts.labels[i] = facts.labels[i].wrapping_sub(facts.labels[i - 1]);
    }
    for i in (0..facts.implicit.len()).rev() {
        let previous = if i > 0 {
            facts.implicit[i - 1].span.start
        } else {
            0
        };
        let span = &mut facts.implicit[i].span;
        span.end = span.end.wrapping_sub(span.start);
        span.start = span.start.wrapping_sub(previous);
    }
}

fn from_differences(facts: &mut Facts) {
    let mut starts = facts.lines.starts().to_vec();
    for i in 1..starts.len() {
        starts[i] = starts[i].wrapping_add(starts[i - 1]);
    }
    facts.lines = LineIndex::from_starts(starts, facts.lines.text_len());
    for symbol in &mut facts.symbols {
        let start = symbol.span.start;
        symbol.span.end = symbol.span.end.wrapping_add(start);
        for span in [&mut symbol.name_span, &mut symbol.signature]
            .into_iter()
            .chain(&mut symbol.doc)
        {
            span.start = span.start.wrapping_add(start);
            span.end = span.end.wrapping_add(span.start);
        }
    }
    for i in 0..facts.references.len() {
        let mut previous = 0;
        if i > 0 {
            let before = &facts.references[i - 1];
            let (name, start) = (before.name, before.span.start);
            if facts.references[i].name.0 == 0 {
                previous = start;
            }
            facts.references[i].name.0 = facts.references[i].name.0.wrapping_add(name.0);
        }
        let span = &mut facts.references[i].span;
        span.start = span.start.wrapping_add(previous);
        span.end = span.end.wrapping_add(span.start);
    }
    for binding in &mut facts.bindings {
        binding.name_span.end = binding.name_span.end.wrapping_add(binding.name_span.start);
        binding.from = binding.from.wrapping_add(binding.name_span.start);
    }
    let mut previous = 0u32;
    for trivia in &mut facts.trivia {
        trivia.span.start = trivia.span.start.wrapping_add(previous);
        trivia.span.end = trivia.span.end.wrapping_add(trivia.span.start);
        previous = trivia.span.start;
    }
    for i in 1..facts.labels.len() {
        facts.labels[i] = facts.labels[i].wrapping_add(facts.labels[i - 1]);
    }
    let mut previous = 0u32;
    for implicit in &mut facts.implicit {
        implicit.span.start = implicit.span.start.wrapping_add(previous);
        implicit.span.end = implicit.span.end.wrapping_add(implicit.span.start);
        previous = implicit.span.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Names, Reference, Role, ScopeId, Span};

    fn sample() -> Facts {
        let mut facts = Facts {
            lines: LineIndex::new("a\nbb\nccc\n"),
            names: Names::from_sorted(["a", "bb", "ccc"]),
            ..Facts::default()
        };
        for (name, start) in [(0, 5), (0, 9), (2, 1), (2, 3)] {
            facts.references.push(Reference {
                name: crate::NameId(name),
                span: Span::new(start, start + 2),
                role: Role::Call,
                scope: ScopeId::FILE,
                enclosing: None,
                receiver: None,
                call: None,
            });
        }
        facts
    }

    #[test]
    fn decoding_gives_back_what_was_encoded() {
        assert_eq!(decode(&encode(&sample())), Ok(sample()));
    }

    #[test]
    fn damage_is_noticed() {
        let record = encode(&sample());
        for i in 0..record.len() {
            let mut damaged = record.clone();
            damaged[i] ^= 0x10;
            assert!(decode(&damaged).is_err(), "byte {i}");
            assert!(decode(&record[..i]).is_err(), "cut at {i}");
        }
    }
}
