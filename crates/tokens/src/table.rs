//! The layout of the vocabulary in the binary: known to the build script that writes it and to the
//! library that reads it.
//!
//! Tokens stand one behind the other by rank. A hash table gives the rank of a token: ranks stand
//! bucket by bucket. Where a token or a bucket starts follows from the sizes of those before it,
//! because sizes are a quarter of what starts would be, and compress better.

/// A power of two: about three tokens are in a bucket.
pub const N_BUCKETS: usize = 1 << 16;

/// Every so many sizes, a start is written down, so that few sizes have to be added.
pub const STEP: usize = 32;

pub fn bucket(token: &[u8]) -> usize {
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 32) as usize % N_BUCKETS
}
