//! What names mean, language by language: `resolution/LANGUAGE.md` is the specification and the
//! test.
//!
//! A case is a heading, a block of source (`//- path` starts a file) in which `«name»` marks the
//! references asked about, and a block
//! ```` ```definitions ```` with the answer for each, in order. `UPDATE_EXPECT=1 cargo test -p engine --test it resolution` rewrites the
//! answers; the difference is reviewed.

use engine::{Analysis, Budget, Found, Outcome, query};
use fixture::Fixture;

#[test]
fn c() {
    check("c", 5);
}

#[test]
fn cpp() {
    check("cpp", 6);
}

#[test]
fn csharp() {
    check("csharp", 13);
}

#[test]
fn go() {
    check("go", 6);
}

#[test]
fn java() {
    check("java", 8);
}

#[test]
fn python() {
    check("python", 8);
}

#[test]
fn rust() {
    check("rust", 8);
}

#[test]
fn typescript() {
    check("typescript", 10);
}

fn check(language: &str, min_cases: usize) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/resolution")
        .join(language)
        .with_extension("md");
    let file = std::fs::read_to_string(&path).expect("every language has a case file");
    let mut updated = String::new();
    let mut failures = Vec::new();
    let mut n_cases = 0;
    let (mut title, mut source) = ("", String::new());
    let mut blocks = file.split("```");
    // Text before a block, then the block, in turns.
    while let Some(prose) = blocks.next() {
        updated.push_str(prose);
        if let Some(heading) = prose
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("## "))
        {
            title = heading;
        }
        let Some(block) = blocks.next() else { break };
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        if info == "definitions" {
            n_cases += 1;
            let found = definitions(&source);
            if found != body {
                failures.push(format!("{title}\n  expected:\n{body}\n  found:\n{found}"));
            }
            updated.push_str(&format!("```definitions\n{found}```"));
        } else {
            source = body.to_owned();
            updated.push_str(&format!("```{block}```"));
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, updated).expect("the case file can be written");
        return;
    }
    assert!(
        n_cases >= min_cases,
        "{language}: {n_cases} cases, at least {min_cases} are wanted"
    );
    assert!(
        failures.is_empty(),
        "{} of {n_cases} cases of {language}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// One line for each marked name: where it stands, and what it means.
fn definitions(marked: &str) -> String {
    let mut plain = String::new();
    let mut asked: Vec<(String, u32)> = Vec::new();
    let mut current: Option<(String, u32)> = None;
    for line in marked.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- ") {
            current = Some((path.trim().to_owned(), 0));
            plain.push_str(line);
            continue;
        }
        let Some((path, offset)) = &mut current else {
            continue;
        };
        for (i, part) in line.split(['«', '»']).enumerate() {
            if i % 2 == 1 {
                asked.push((path.clone(), *offset));
            }
            plain.push_str(part);
            *offset += part.len() as u32;
        }
    }
    let Fixture { snapshot, .. } = fixture::repository(&plain);
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    resolver.explain();
    let mut out = String::new();
    for (path, offset) in asked {
        let file = snapshot.find(&path).expect("the file was just written");
        let place = fixture::place(&snapshot, file, offset);
        resolver.take_reasons();
        let Some(definition) = query::definition_at(&resolver, file, offset) else {
            out.push_str(&format!("{place} is no reference\n"));
            continue;
        };
        let resolution = definition.resolution;
        let targets: Vec<String> = resolution
            .targets
            .iter()
            .map(|found| match found {
                Found::Symbol(symbol) => {
                    let view = resolver.view(symbol.file).expect("a target is in a file");
                    let span = view.symbol(symbol.index).name_span;
                    let name = view.name_of(symbol.index);
                    format!(
                        "{name} {}",
                        fixture::place(&snapshot, symbol.file, span.start)
                    )
                }
                Found::Binding(file, binding) => {
                    let view = resolver.view(*file).expect("a binding is in a file");
                    format!(
                        "local {}",
                        fixture::place(
                            &snapshot,
                            *file,
                            view.facts.bindings[binding.0 as usize].name_span.start
                        )
                    )
                }
                Found::TypeParameter(..) => "a type parameter".to_owned(),
                Found::Module(_) => "a module".to_owned(),
                Found::External(path) => format!("library {path}"),
            })
            .collect();
        let answer = match resolution.outcome {
            Outcome::Unresolved => "unresolved".to_owned(),
            outcome => format!("{} {}", outcome.word(), targets.join(", ")),
        };
        // Seen with `--nocapture`.
        println!("{place} {answer}: {}", resolver.take_reasons().join("; "));
        out.push_str(&format!("{place} {answer}\n"));
    }
    out
}
