//! Extracts every file of a language below a directory and says how many identifiers are accounted for, what symbols were found,
//! and what the walk costs beside the parse: `cargo run --release -p extract --example account -- python DIR [--symbols]`.

use std::{path::Path, time::Instant};

use extract::{Extractor, Limits, account::Account};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(directory)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: account LANGUAGE DIRECTORY [--symbols]");
        std::process::exit(2);
    };
    let show_symbols = arguments.next().as_deref() == Some("--symbols");
    let Some(language) = extract::language_named(&name) else {
        eprintln!("no language `{name}` in this build");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    let mut open = vec![Path::new(&directory).to_path_buf()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => open.push(path),
                Ok(kind) if kind.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let (mut extractor, limits) = (Extractor::new(), Limits::default());
    let mut account = Account::default();
    let (mut n_files, mut n_bytes, mut n_problems, mut n_symbols, mut n_references, mut n_encoded) = (0u64, 0u64, 0u64, 0u64, 0u64, 0u64);
    let (mut parsing, mut extracting, mut encoding) = (0.0, 0.0, 0.0);
    for path in files {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let relative = path.strip_prefix(&directory).unwrap_or(&path).to_string_lossy().into_owned();
        if extract::language_of(&relative, &bytes[..bytes.len().min(4096)]).is_none_or(|found| found.id != language.id) {
            continue;
        }
        let start = Instant::now();
        let Some(tree) = extractor.parse(language, &text, &limits) else { continue };
        parsing += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let facts = extractor.extract(language, &text, &limits);
        extracting += start.elapsed().as_secs_f64();
        let start = Instant::now();
        n_encoded += facts::encode(&facts).len() as u64;
        encoding += start.elapsed().as_secs_f64();
        account.add(language, &text, &tree, &facts);
        n_files += 1;
        n_bytes += bytes.len() as u64;
        n_problems += u64::from(!facts.problems.is_empty());
        n_symbols += facts.symbols.len() as u64;
        n_references += facts.references.len() as u64;
        if show_symbols {
            for (index, symbol) in facts.symbols_with_index() {
                let line = facts.lines.line_number(symbol.name_span.start);
                println!(
                    "{relative}\t{line}\t{}\t{}\t{}",
                    symbol.kind.word(),
                    facts.name(symbol.name),
                    extract::render::qualified_name(&facts, index)
                );
            }
        }
    }
    let n_unclassified = account.n_unclassified();
    eprintln!("{n_files} files, {n_bytes} bytes, {n_problems} with problems, {n_symbols} symbols, {n_references} references");
    eprintln!(
        "parse {parsing:.2} s, extract {extracting:.2} s ({:.2}x), encode {encoding:.2} s, {n_encoded} bytes ({:.2}x)",
        extracting / parsing,
        n_encoded as f64 / n_bytes as f64
    );
    eprintln!(
        "{} identifiers, {n_unclassified} unclassified ({:.2} %)",
        account.n_identifiers,
        100.0 * n_unclassified as f64 / account.n_identifiers.max(1) as f64
    );
    let mut kinds: Vec<_> = account.unclassified.into_iter().collect();
    kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (kind, (count, example)) in kinds.into_iter().take(20) {
        eprintln!("{count:>8}  {kind}  e.g. {example}");
    }
}
