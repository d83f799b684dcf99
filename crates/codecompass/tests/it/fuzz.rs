//! The entry points of `fuzz/` with its committed corpora, and with seeded mutations of them: what
//! runs where no fuzzer can be had.

#[path = "../../../../fuzz/entry_points/configuration.rs"]
mod configuration;
#[path = "../../../../fuzz/entry_points/extraction.rs"]
mod extraction;
#[path = "../../../../fuzz/entry_points/facts_decoding.rs"]
mod facts_decoding;
#[path = "../../../../fuzz/entry_points/json_rpc.rs"]
mod json_rpc;

use std::{fs, path::Path};

// What the entry points call.
use codecompass::{client, server::message};

const MUTATIONS: usize = 40;

#[test]
fn extraction_takes_any_text() {
    replay("extraction", extraction::extraction);
}

#[test]
fn decoding_facts_takes_any_bytes() {
    replay("facts_decoding", facts_decoding::facts_decoding);
}

#[test]
fn json_rpc_takes_any_line() {
    replay("json_rpc", json_rpc::json_rpc);
}

#[test]
fn configuration_takes_any_file() {
    replay("configuration", configuration::configuration);
}

fn replay(target: &str, entry_point: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut seeds: Vec<(String, Vec<u8>)> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for (path, seed) in &seeds {
        let check = |data: &[u8], which: &str| {
            // Seen when the entry point panics: the bytes that it panicked on.
            let _shown = ShownOnPanic { path, which, data };
            entry_point(data);
        };
        check(seed, "as it is");
        let mut random = Random(seed.len() as u64 + 1);
        for i in 0..MUTATIONS {
            check(
                &mutated(seed, &seeds, &mut random),
                &format!("mutation {i}"),
            );
        }
    }
}

struct ShownOnPanic<'a> {
    path: &'a str,
    which: &'a str,
    data: &'a [u8],
}

impl Drop for ShownOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "{}, {}: {:?}",
                self.path,
                self.which,
                self.data.escape_ascii().to_string()
            );
        }
    }
}

/// The seed with one to four parts cut out, doubled, replaced by noise or by a part of another seed.
/// The first byte stays: it chooses the language.
fn mutated(seed: &[u8], seeds: &[(String, Vec<u8>)], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let (from, to) = random.range(1, data.len());
        let (_, other) = &seeds[random.below(seeds.len())];
        let (other_from, other_to) = random.range(1, other.len());
        let part = match random.below(4) {
            0 => Vec::new(),
            1 => data[from..to].repeat(2),
            2 => (0..1 + random.below(4))
                .map(|_| random.below(256) as u8)
                .collect(),
            _ => other[other_from..other_to].to_vec(),
        };
        data.splice(from..to, part);
    }
    data
}

/// Any sequence will do, as long as it is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Two places in a text of this length, neither before `first` where there is room for it.
    fn range(&mut self, first: usize, length: usize) -> (usize, usize) {
        let first = first.min(length);
        let (a, b) = (
            self.below(length - first + 1),
            self.below(length - first + 1),
        );
        (first + a.min(b), first + a.max(b))
    }
}
