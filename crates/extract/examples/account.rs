//! Extracts every file of a language below a directory and says how many identifiers are accounted
//! for, what symbols were found, and what the walk costs beside the parse: `cargo run --release -p
//! extract --example account -- python DIR [--symbols] [--ctags]`. With `--ctags` it also runs
//! universal-ctags over the same files and counts how many of its functions and types were found.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    process::Command,
    time::Instant,
};

use extract::{Extractor, Limits, account::IdentifierAccount};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(directory)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: account LANGUAGE DIRECTORY [--symbols] [--ctags]");
        std::process::exit(2);
    };
    let flags: HashSet<String> = arguments.collect();
    let (show_symbols, with_ctags) = (flags.contains("--symbols"), flags.contains("--ctags"));
    let mut found = CtagsFound::default();
    let Some(language) = extract::language_named(&name) else {
        eprintln!("no language `{name}` in this build");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    let mut open = vec![Path::new(&directory).to_path_buf()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
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
    let mut account = IdentifierAccount::default();
    let (mut n_files, mut n_bytes, mut n_problems, mut n_symbols, mut n_references, mut n_encoded) =
        (0u64, 0u64, 0u64, 0u64, 0u64, 0u64);
    let (mut parsing, mut extracting, mut encoding) = (0.0, 0.0, 0.0);
    for path in files {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let relative = path
            .strip_prefix(&directory)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        if extract::language_of(&relative, &bytes[..bytes.len().min(4096)])
            .is_none_or(|found| found.id != language.id)
        {
            continue;
        }
        let start = Instant::now();
        let Some(tree) = extractor.parse(language, &text, &limits) else {
            continue;
        };
        parsing += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let facts = extractor.extract(language, &text, &limits);
        extracting += start.elapsed().as_secs_f64();
        let start = Instant::now();
        n_encoded += facts::encode(&facts).len() as u64;
        encoding += start.elapsed().as_secs_f64();
        account.add(language, &text, &tree, &facts);
        if with_ctags {
            let symbols = facts.symbols.iter();
            let lines = symbols.map(|symbol| {
                (
                    facts.name(symbol.name).to_owned(),
                    facts.lines.line_number(symbol.name_span.start),
                )
            });
            let by_name = found.entry(relative.clone()).or_default();
            for (name, line) in lines {
                by_name.entry(name).or_default().push(line);
            }
        }
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
                    symbol.kind.as_str(),
                    facts.name(symbol.name),
                    extract::render::qualified_name(&facts, index)
                );
            }
        }
    }
    let n_unclassified = account.n_unclassified();
    eprintln!(
        "{n_files} files, {n_bytes} bytes, {n_problems} with problems, {n_symbols} symbols, {n_references} references"
    );
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
    if with_ctags {
        compare_with_ctags(language.name, &directory, &found);
    }
}

/// The lines where symbols are named, by file and name.
type CtagsFound = BTreeMap<String, HashMap<String, Vec<u32>>>;

/// The language's name for universal-ctags, and its kinds that are functions and types.
const CTAGS: &[(&str, &str, &str)] = &[
    ("rust", "Rust", "fPsgitM"),
    ("python", "Python", "cfm"),
    ("typescript", "TypeScript", "fcigmaG"),
    // Without classes, for which ctags takes any object with functions in it.
    ("javascript", "JavaScript", "fmG"),
    ("go", "Go", "ftsian"),
    ("java", "Java", "acegim"),
    ("csharp", "C#", "cgims"),
    ("c", "C", "fgsut"),
    ("cpp", "C++", "cfgsut"),
    ("ruby", "Ruby", "cfmS"),
    ("php", "PHP", "cfit"),
    ("kotlin", "Kotlin", "icomT"),
];

/// Names and lines differ where ctags names what it cannot name, or starts at a line of its own:
/// those nearby count.
const NEARBY: u32 = 4;

fn compare_with_ctags(language: &str, directory: &str, found: &CtagsFound) {
    let Some((_, name, kinds)) = CTAGS.iter().find(|(known, ..)| *known == language) else {
        eprintln!("no kinds of ctags are known for {language}");
        return;
    };
    // Only files that both take for this language.
    let list = found
        .keys()
        .map(|path| format!("{path}\n"))
        .collect::<String>();
    let place = std::env::temp_dir().join(format!("account-{}", std::process::id()));
    if let Err(error) = std::fs::write(&place, list) {
        eprintln!("{}: {error}", place.display());
        return;
    }
    let output = Command::new("ctags")
        .current_dir(directory)
        .args([
            "--options=NONE",
            "-f",
            "-",
            "--sort=no",
            "--fields=nK",
            "--excmd=number",
            "--extras=-F",
        ])
        .args([
            format!("--language-force={name}"),
            format!("--kinds-{name}={kinds}"),
            format!("-L{}", place.display()),
        ])
        .output();
    let _ = std::fs::remove_file(&place);
    let output = match output {
        Ok(output) if output.status.success() => output,
        other => {
            eprintln!("ctags does not run: {other:?}");
            return;
        }
    };
    let (mut n_tags, mut missed) = (0u64, Vec::new());
    for tag in String::from_utf8_lossy(&output.stdout).lines() {
        let fields: Vec<&str> = tag.split('\t').collect();
        let &[name, path, _, kind, line, ..] = fields.as_slice() else {
            continue;
        };
        let Some(line) = line
            .strip_prefix("line:")
            .and_then(|line| line.parse::<u32>().ok())
        else {
            continue;
        };
        // Names that ctags makes up.
        if name.starts_with("__anon")
            || name.starts_with("anonymous")
            || name.starts_with("Anonymous")
        {
            continue;
        }
        n_tags += 1;
        // `Cart.total`, `Cart::total`: ctags keeps some containers in the name.
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        // `operator ==`, which we write as most code does.
        let operator = name
            .strip_prefix("operator ")
            .map(|sign| format!("operator{sign}"));
        let name = operator.as_deref().unwrap_or(name);
        let symbols = found.get(path);
        let lines = symbols.and_then(|symbols| symbols.get(name).or_else(|| symbols.get(last)));
        // `TEST_F(Cart, Total) {`: to ctags a function of the macro's name, to us one of its
        // arguments'.
        let is_macro = !name.chars().any(char::is_lowercase)
            && symbols.is_some_and(|all| all.values().flatten().any(|at| *at == line));
        if !is_macro
            && !lines.is_some_and(|lines| lines.iter().any(|at| at.abs_diff(line) <= NEARBY))
        {
            missed.push(format!("{path}:{line} {kind} {name}"));
        }
    }
    let share = 100.0 * (1.0 - missed.len() as f64 / n_tags.max(1) as f64);
    eprintln!(
        "ctags: {n_tags} functions and types, {} of them not found ({share:.2} % found)",
        missed.len()
    );
    for tag in missed.iter().step_by((missed.len() / 40).max(1)) {
        eprintln!("    {tag}");
    }
}
