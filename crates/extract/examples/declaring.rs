//! Compares what a text defines with what is told of it without a parse: `cargo run -p extract
//! --example declaring -- DIR...` prints definitions that were missed, and per language how many of
//! the words pass for definitions. Names of several words are looked up by all of them, and not
//! counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::{Duration, Instant},
};

use extract::{
    Extractor, Limits,
    declaring::{DeclaringText, is_word},
};

#[derive(Default)]
struct Told {
    n_files: usize,
    n_words: usize,
    n_definable: usize,
    n_defined: usize,
    n_missed: usize,
    time: Duration,
}

fn main() {
    let mut open: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let mut languages: BTreeMap<&str, Told> = BTreeMap::new();
    let (mut extractor, limits) = (Extractor::new(), Limits::default());
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.is_symlink() && !path.ends_with(".git") {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
            continue;
        }
        let (name, bytes) = (
            path.to_string_lossy(),
            std::fs::read(&path).unwrap_or_default(),
        );
        let Some(language) = extract::language_of(&name, &bytes[..bytes.len().min(4096)]) else {
            continue;
        };
        let Some(syntax) = language
            .declaration_syntax
            .filter(|_| bytes.len() < 1 << 20)
        else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let facts = extractor.extract(language, &text, &limits);
        let told = languages.entry(language.name).or_default();
        let (bytes, start) = (text.as_bytes(), Instant::now());
        let declaring = DeclaringText::new(syntax, bytes);
        let (mut words, mut definable) = (BTreeSet::new(), BTreeSet::new());
        for (start, end) in words_of(bytes) {
            words.insert(&bytes[start..end]);
            if declaring.may_define(start, end) {
                definable.insert(&bytes[start..end]);
            }
        }
        told.time += start.elapsed();
        told.n_files += 1;
        told.n_words += words.len();
        told.n_definable += definable.len();
        for symbol in &facts.symbols {
            let defined = facts.name(symbol.name).as_bytes();
            if words_of(defined) != [(0, defined.len())] {
                continue;
            }
            told.n_defined += 1;
            if !definable.contains(defined) {
                told.n_missed += 1;
                let line = facts.lines.line_number(symbol.name_span.start);
                let written = text.lines().nth(line as usize - 1).unwrap_or_default();
                let (problems, defined) = (facts.problems.len(), facts.name(symbol.name));
                println!(
                    "{name}:{line}: {defined} ({problems} problems): {}",
                    written.trim()
                );
            }
        }
    }
    for (language, told) in languages {
        println!(
            "{language}: {} files, {} words, {} definable, {} defined, {} missed, {:?}",
            told.n_files, told.n_words, told.n_definable, told.n_defined, told.n_missed, told.time
        );
    }
}

fn words_of(text: &[u8]) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        while at < text.len() && is_word(text[at]) {
            at += 1;
        }
        if at > start {
            words.push((start, at));
        } else {
            at += 1;
        }
    }
    words
}
