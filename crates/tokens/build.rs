//! Writes the vocabulary of `o200k_base` as a table that is read where it lies in the binary.

use std::{env, fs, path::Path};

#[path = "src/table.rs"]
mod table;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/table.rs");
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is part of the crate");
    let (mut bytes, mut starts) = (Vec::new(), vec![0_u32]);
    let mut slots = vec![0_u32; table::N_SLOTS];
    for rank in 0.. {
        // The ranks have no gap; what follows are marks that no text holds.
        let Ok(token) = tokenizer.decode_bytes(&[rank]) else {
            break;
        };
        let mut slot = table::first_slot(&token);
        while slots[slot] != 0 {
            slot = (slot + 1) % table::N_SLOTS;
        }
        slots[slot] = rank + 1;
        bytes.extend_from_slice(&token);
        starts.push(bytes.len() as u32);
    }
    assert!(
        starts.len() > 190_000 && starts.len() < table::N_SLOTS / 2,
        "{} tokens",
        starts.len()
    );
    let directory = env::var_os("OUT_DIR").expect("cargo names it");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(Path::new(&directory).join(name), bytes)
            .expect("the output directory can be written")
    };
    write("bytes", &bytes);
    write(
        "starts",
        &starts
            .iter()
            .flat_map(|start| start.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
    write(
        "slots",
        &slots
            .iter()
            .flat_map(|slot| slot.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
}
