//! DEFLATE streams (RFC 1951) that can be joined, so that what goes into several packages is
//! compressed once.

use anyhow::{bail, ensure};
use libdeflater::{CompressionLvl, Compressor};

/// A piece of data, compressed. Its stream is complete, and can become a part of another one.
pub struct Deflated {
    stream: Vec<u8>,
    /// Where the last block starts, in bits. Its first bit says that it is the last.
    last_block: usize,
    /// Where the last block ends, in bits.
    end: usize,
}

impl Deflated {
    pub fn of(bytes: &[u8]) -> anyhow::Result<Deflated> {
        let mut compressor = Compressor::new(CompressionLvl::best());
        let mut stream = vec![0; compressor.deflate_compress_bound(bytes.len())];
        let size = compressor.deflate_compress(bytes, &mut stream)?;
        stream.truncate(size);
        let (last_block, end) = last_block(&stream)?;
        Ok(Deflated {
            stream,
            last_block,
            end,
        })
    }

    pub fn stream(&self) -> &[u8] {
        &self.stream
    }
}

/// The stream of all pieces, one after another.
pub fn join<'a>(pieces: impl IntoIterator<Item = &'a Deflated>) -> Vec<u8> {
    /// The length of an empty stored block, and the complement of the length.
    const EMPTY: [u8; 4] = [0, 0, 0xff, 0xff];
    let mut joined = Vec::new();
    for piece in pieces {
        let start = joined.len();
        joined.extend(&piece.stream);
        joined[start + piece.last_block / 8] &= !(1 << (piece.last_block % 8));
        // A stored block lets the next piece start at a byte. The three bits before its length are
        // zero, as is the rest of the last byte: they fit into that, or a byte is added.
        if piece.stream.len() * 8 - piece.end < 3 {
            joined.push(0);
        }
        joined.extend(EMPTY);
    }
    joined.push(1);
    joined.extend(EMPTY);
    joined
}

/// Where the last block of a stream starts and where it ends, in bits.
fn last_block(stream: &[u8]) -> anyhow::Result<(usize, usize)> {
    let mut bits = Bits { stream, at: 0 };
    loop {
        let start = bits.at;
        let is_last = bits.take(1) == 1;
        match bits.take(2) {
            0 => {
                bits.at = bits.at.next_multiple_of(8);
                let length = bits.take(16);
                // The complement of the length, then the bytes.
                bits.at += 16 + 8 * length;
            }
            1 => {
                let literals = [[8; 144].as_slice(), &[9; 112], &[7; 24], &[8; 8]].concat();
                skip_symbols(&mut bits, &literals, &[5; 30])?;
            }
            2 => {
                let n_literals = bits.take(5) + 257;
                let n_distances = bits.take(5) + 1;
                let lengths = code_lengths(&mut bits, n_literals + n_distances)?;
                let (literals, distances) = lengths.split_at(n_literals);
                skip_symbols(&mut bits, literals, distances)?;
            }
            _ => bail!("no kind of block has the number 3"),
        }
        ensure!(bits.at <= stream.len() * 8, "the stream has no last block");
        if is_last {
            return Ok((start, bits.at));
        }
    }
}

/// The lengths of the codes of a block, which are themselves compressed.
fn code_lengths(bits: &mut Bits, count: usize) -> anyhow::Result<Vec<u8>> {
    const ORDER: [usize; 19] = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let mut own = [0; ORDER.len()];
    let n_own = bits.take(4) + 4;
    for symbol in &ORDER[..n_own] {
        own[*symbol] = bits.take(3) as u8;
    }
    let codes = Codes::new(&own);
    let mut lengths = Vec::new();
    while lengths.len() < count {
        let (length, times) = match codes.take(bits)? {
            16 => (lengths.last().copied().unwrap_or(0), 3 + bits.take(2)),
            17 => (0, 3 + bits.take(3)),
            18 => (0, 11 + bits.take(7)),
            length => (length as u8, 1),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    Ok(lengths)
}

/// Skips what a block has behind its header, whose codes have these lengths.
fn skip_symbols(bits: &mut Bits, literals: &[u8], distances: &[u8]) -> anyhow::Result<()> {
    const END_OF_BLOCK: usize = 256;
    let literals = Codes::new(literals);
    let distances = Codes::new(distances);
    loop {
        // Bits behind the symbol of a length and that of a distance are its lower digits.
        let n_lower = match literals.take(bits)? {
            0..END_OF_BLOCK => continue,
            END_OF_BLOCK => return Ok(()),
            285 => 0,
            length => length.saturating_sub(261) / 4,
        };
        bits.at += n_lower;
        let distance = distances.take(bits)?;
        bits.at += distance.saturating_sub(2) / 2;
    }
}

struct Bits<'a> {
    stream: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// At least 57 bits from here on, the first one the lowest; zeros behind the end.
    fn peek(&self) -> u64 {
        let rest = self.stream.get(self.at / 8..).unwrap_or_default();
        let mut word = [0; 8];
        let n_bytes = rest.len().min(8);
        word[..n_bytes].copy_from_slice(&rest[..n_bytes]);
        u64::from_le_bytes(word) >> (self.at % 8)
    }

    fn take(&mut self, n_bits: usize) -> usize {
        let value = self.peek() & ((1 << n_bits) - 1);
        self.at += n_bits;
        value as usize
    }
}

/// A canonical Huffman code: for each value of the next bits, the symbol they start with and the
/// number of its bits.
struct Codes(Vec<(u16, u8)>);

impl Codes {
    /// No code is longer.
    const LONGEST: u32 = 15;

    fn new(lengths: &[u8]) -> Codes {
        let mut table = vec![(0, 0); 1 << Codes::LONGEST];
        let mut code = 0_u32;
        for length in 1..=Codes::LONGEST {
            for (symbol, own) in lengths.iter().enumerate() {
                if u32::from(*own) == length {
                    // The first bit of a code is its highest one.
                    let first = (code.reverse_bits() >> (32 - length)) as usize;
                    for value in (first..table.len()).step_by(1 << length) {
                        table[value] = (symbol as u16, *own);
                    }
                    code += 1;
                }
            }
            code <<= 1;
        }
        Codes(table)
    }

    fn take(&self, bits: &mut Bits) -> anyhow::Result<usize> {
        let (symbol, length) = self.0[bits.peek() as usize % self.0.len()];
        let is_code = length > 0 && bits.at < bits.stream.len() * 8;
        ensure!(is_code, "no code starts with these bits");
        bits.at += usize::from(length);
        Ok(usize::from(symbol))
    }
}

#[cfg(test)]
mod tests {
    use libdeflater::Decompressor;

    use super::*;

    /// Numbers without a pattern, which are stored as they are.
    fn noise(n_bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        std::iter::repeat_with(next).take(n_bytes).collect()
    }

    #[test]
    fn joined_streams_are_one() {
        let table: String = (0..200_000).map(|i| format!("{} {i}\n", i % 7)).collect();
        let pieces: [&[u8]; 6] = [
            b"",
            b"short",
            &noise(200_000),
            table.as_bytes(),
            b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            &[0; 70_000],
        ];
        let deflated: Vec<Deflated> = pieces
            .iter()
            .map(|piece| Deflated::of(piece).unwrap())
            .collect();
        for first in 0..pieces.len() {
            let expected = pieces[first..].concat();
            let joined = join(&deflated[first..]);
            let mut found = vec![0; expected.len()];
            let n_bytes = Decompressor::new().deflate_decompress(&joined, &mut found);
            assert_eq!(n_bytes, Ok(expected.len()));
            assert!(found == expected, "without the first {first}");
        }
    }

    #[test]
    fn every_alignment_of_the_end() {
        for n_bytes in 0..64 {
            let piece = "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9";
            let piece = &piece.as_bytes()[..n_bytes];
            let joined = join([&Deflated::of(piece).unwrap(), &Deflated::of(piece).unwrap()]);
            let mut found = vec![0; 2 * n_bytes];
            Decompressor::new()
                .deflate_decompress(&joined, &mut found)
                .unwrap();
            assert_eq!(found, [piece, piece].concat());
        }
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        for damaged in [b"".as_slice(), &[7], &[0, 1], &noise(100)] {
            assert!(last_block(damaged).is_err());
        }
    }
}
