//! Writes the vocabulary of `o200k_base` as a table that is read where it lies in the binary.

use std::{env, fs, path::Path};

#[path = "src/table.rs"]
mod table;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/table.rs");
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is part of the crate");
    // The ranks have no gap; what follows are marks that no text holds.
    let tokens: Vec<Vec<u8>> = (0..)
        .map_while(|rank| tokenizer.decode_bytes(&[rank]).ok())
        .collect();
    assert!(tokens.len() > 190_000, "{} tokens", tokens.len());
    let mut buckets = vec![Vec::new(); table::N_BUCKETS];
    for (rank, token) in tokens.iter().enumerate() {
        buckets[table::bucket(token)].push(rank as u32);
    }
    let ranks = buckets.concat();
    write("bytes", tokens.concat());
    write_sizes("tokens", tokens.iter().map(Vec::len));
    write_sizes("buckets", buckets.iter().map(Vec::len));
    // All low bytes, then all middle ones, then the high ones, which compress well so.
    let bytes = (0..3).flat_map(|i| ranks.iter().map(move |rank| rank.to_le_bytes()[i]));
    write("ranks", bytes.collect());
}

/// The sizes of things that stand one behind the other, and where every [`table::STEP`]th starts.
fn write_sizes(name: &str, sizes: impl Iterator<Item = usize>) {
    let sizes: Vec<u8> = sizes
        .map(|size| u8::try_from(size).expect("no token is long and no bucket is full"))
        .collect();
    let mut starts = Vec::new();
    let mut start = 0;
    for group in sizes.chunks(table::STEP) {
        starts.extend(u32::to_le_bytes(start));
        start += group.iter().map(|size| u32::from(*size)).sum::<u32>();
    }
    write(&format!("{name}-sizes"), sizes);
    write(&format!("{name}-starts"), starts);
}

fn write(name: &str, bytes: Vec<u8>) {
    let directory = env::var_os("OUT_DIR").expect("cargo names it");
    fs::write(Path::new(&directory).join(name), bytes)
        .expect("the output directory can be written");
}
