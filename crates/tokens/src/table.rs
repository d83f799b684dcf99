//! Where a token stands in the table: known to the build script that writes it and to the library
//! that reads it.

/// A power of two, more than twice the vocabulary: chains stay short.
pub const N_SLOTS: usize = 1 << 19;

/// The first slot to look into; a token stands in this one or, where others were before it, in one
/// of the next.
pub fn first_slot(token: &[u8]) -> usize {
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 32) as usize % N_SLOTS
}
