//! Prints a hash of the facts of every file below the given directories, one line per language, to
//! show that a change of extraction changes no facts: `cargo run -p extract --example fingerprint --
//! [--files] DIR...`. With `--files` it prints a line per file, for `diff`.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
};

use extract::{Extractor, Limits};

fn main() {
    let (flags, directories): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let by_file = flags.iter().any(|flag| flag == "--files");
    let mut open: Vec<PathBuf> = directories.iter().map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten()
        {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => open.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    let (mut extractor, limits) = (Extractor::new(), Limits::default());
    let mut languages: BTreeMap<&str, (usize, DefaultHasher)> = BTreeMap::new();
    for path in files {
        let (name, bytes) = (
            path.to_string_lossy(),
            std::fs::read(&path).unwrap_or_default(),
        );
        let Some(language) = extract::language_of(&name, &bytes[..bytes.len().min(4096)]) else {
            continue;
        };
        let facts = extractor.extract(language, &String::from_utf8_lossy(&bytes), &limits);
        let encoded = facts::encode(&facts);
        if by_file {
            let mut hasher = DefaultHasher::new();
            encoded.hash(&mut hasher);
            println!("{:016x} {name}", hasher.finish());
        }
        let (n_files, hasher) = languages.entry(language.name).or_default();
        *n_files += 1;
        encoded.hash(hasher);
    }
    for (language, (n_files, hasher)) in languages {
        println!("{language:<12}{n_files:>8} files  {:016x}", hasher.finish());
    }
}
