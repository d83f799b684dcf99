//! What a table of names keeps about each symbol, so that most symbols of a common name are told
//! apart without their facts.

use crate::{Facts, Modifiers, SymbolIndex, SymbolKind, read_number, write_number};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolSketch {
    pub index: SymbolIndex,
    pub kind: SymbolKind,
    pub modifiers: Modifiers,
    /// The kind of what is around it.
    pub parent: Option<SymbolKind>,
    /// It says which type it belongs to, and is written outside of it.
    pub has_owner: bool,
}

/// Beside the number of the parent's kind.
const HAS_OWNER: u8 = 0x80;

impl SymbolSketch {
    pub fn of(facts: &Facts, index: SymbolIndex) -> SymbolSketch {
        let symbol = facts.symbol(index);
        SymbolSketch {
            index,
            kind: symbol.kind,
            modifiers: symbol.modifiers,
            parent: symbol.parent.map(|parent| facts.symbol(parent).kind),
            has_owner: symbol.owner.is_known(),
        }
    }

    /// The symbols of a name.
    pub fn named(facts: &Facts, name: &str) -> Vec<SymbolSketch> {
        let Some(name) = facts.names.find(name) else {
            return Vec::new();
        };
        let named = facts
            .symbols_with_index()
            .filter(|(_, symbol)| symbol.name == name);
        named
            .map(|(index, _)| SymbolSketch::of(facts, index))
            .collect()
    }

    /// Appends a record of some six bytes.
    pub fn write(&self, into: &mut Vec<u8>) {
        write_number(into, self.index.0.into());
        into.push(self.kind as u8);
        into.push(
            self.parent.map_or(0, |parent| parent as u8 + 1)
                | if self.has_owner { HAS_OWNER } else { 0 },
        );
        write_number(into, self.modifiers.0.into());
    }

    /// All records; nothing if they are damaged.
    pub fn read_all(mut bytes: &[u8]) -> Option<Vec<SymbolSketch>> {
        let mut sketches = Vec::new();
        while !bytes.is_empty() {
            let index = SymbolIndex(read_number(&mut bytes)?.try_into().ok()?);
            let [kind, around, rest @ ..] = bytes else {
                return None;
            };
            bytes = rest;
            let kind = *SymbolKind::ALL.get(usize::from(*kind))?;
            let parent = match around & !HAS_OWNER {
                0 => None,
                number => Some(*SymbolKind::ALL.get(usize::from(number) - 1)?),
            };
            let (has_owner, modifiers) = (
                around & HAS_OWNER != 0,
                Modifiers(read_number(&mut bytes)?.try_into().ok()?),
            );
            sketches.push(SymbolSketch {
                index,
                kind,
                modifiers,
                parent,
                has_owner,
            });
        }
        Some(sketches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        let mut written = Vec::new();
        for (i, kind) in SymbolKind::ALL.iter().enumerate() {
            let sketch = SymbolSketch {
                index: SymbolIndex(i as u32 * 40_000),
                kind: *kind,
                modifiers: Modifiers(u32::MAX >> i),
                parent: (i % 3 > 0).then_some(*kind),
                has_owner: i % 2 == 0,
            };
            sketch.write(&mut bytes);
            written.push(sketch);
        }
        assert_eq!(SymbolSketch::read_all(&bytes), Some(written));
        assert_eq!(SymbolSketch::read_all(&bytes[..bytes.len() - 1]), None);
        assert_eq!(SymbolSketch::read_all(&[0, 250, 0, 0]), None);
        assert_eq!(SymbolSketch::read_all(&[0xff; 12]), None);
    }

    #[test]
    fn a_kind_stands_at_its_number() {
        for (i, kind) in SymbolKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, i);
        }
    }
}
