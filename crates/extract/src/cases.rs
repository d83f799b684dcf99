//! Case files: each language's `cases.md` is its specification and its test.
//!
//! A case is a heading, prose, a block of source and a block ```` ```facts SECTIONS ````.
//! `UPDATE_EXPECT=1 cargo test` rewrites the expected blocks; the difference is reviewed.

use crate::{Extractor, Limits, language::Language, render};

struct Case<'file> {
    title: &'file str,
    source: &'file str,
    sections: Vec<&'file str>,
    /// Byte range of the expected text in the file.
    expected: std::ops::Range<usize>,
}

fn parse(file: &str) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    let (mut title, mut source) = ("", None);
    let mut lines = file.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    });
    while let Some((_, line)) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            (title, source) = (heading.trim(), None);
        }
        let Some(info) = line
            .strip_prefix("```")
            .map(str::trim)
            .filter(|info| !info.is_empty())
        else {
            continue;
        };
        let mut block = None;
        for (start, line) in lines.by_ref() {
            let block = block.get_or_insert(start..start);
            if line.starts_with("```") {
                block.end = start;
                break;
            }
        }
        let block = block.unwrap_or(0..0);
        match info.strip_prefix("facts") {
            Some(sections) => {
                let source = source.expect("a block of facts follows a block of source");
                cases.push(Case {
                    title,
                    source,
                    sections: sections.split_whitespace().collect(),
                    expected: block,
                });
            }
            None => source = Some(&file[block]),
        }
    }
    cases
}

/// So many cases has a language whose references are resolved.
pub(crate) const FULL_DEPTH: usize = 25;

/// Checks every case of a language, or rewrites the file.
pub(crate) fn check(language: &'static Language, path: &str, min_cases: usize) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/languages")
        .join(path);
    let file = std::fs::read_to_string(&path).expect("every language has a case file");
    let cases = parse(&file);
    assert!(
        cases.len() >= min_cases,
        "{}: {} cases, at least {min_cases} are wanted",
        language.name,
        cases.len()
    );
    if min_cases >= FULL_DEPTH {
        for (sections, least) in [
            (["references", "bindings"].as_slice(), 10),
            (&["imports"], 3),
            (&["problems"], 3),
        ] {
            let shown = cases
                .iter()
                .filter(|case| {
                    case.sections
                        .iter()
                        .any(|section| sections.contains(section))
                })
                .count();
            assert!(
                shown >= least,
                "{}: {shown} cases show {}, at least {least} are wanted",
                language.name,
                sections.join(" or ")
            );
        }
    }
    let mut extractor = Extractor::new();
    let mut updated = String::new();
    let mut copied = 0;
    let mut failures = Vec::new();
    for case in &cases {
        let facts = extractor.extract(language, case.source, &Limits::default());
        let found = render::render(&facts, &case.sections);
        let expected = &file[case.expected.clone()];
        if found.trim_end() != expected.trim_end() {
            failures.push(format!(
                "## {}\nexpected:\n{expected}\nfound:\n{found}",
                case.title
            ));
        }
        assert_eq!(
            facts::decode(&facts::encode(&facts)).as_ref(),
            Ok(&facts),
            "{}: facts survive their encoding",
            case.title
        );
        check_damaged(language, &mut extractor, case);
        updated.push_str(&file[copied..case.expected.start]);
        updated.push_str(&found);
        copied = case.expected.end;
    }
    updated.push_str(&file[copied..]);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, updated).expect("case files can be written");
    } else {
        assert!(
            failures.is_empty(),
            "{} of {} cases of {} fail:\n\n{}",
            failures.len(),
            cases.len(),
            language.name,
            failures.join("\n\n")
        );
    }
}

/// Source with parts cut out or moved, as people leave it while they write: no panic, and every
/// place lies in the text.
fn check_damaged(language: &'static Language, extractor: &mut Extractor, case: &Case<'_>) {
    const DAMAGES: usize = 12;
    let source = case.source;
    let mut state = source.len() as u64 + 1;
    let mut offset = || {
        // Any sequence will do, as long as it is the same in every run.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut at = (state >> 33) as usize % (source.len() + 1);
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    for _ in 0..DAMAGES {
        let mut cuts = [offset(), offset(), offset()];
        cuts.sort_unstable();
        let [a, b, c] = cuts;
        for text in [
            [&source[..a], &source[b..], ""].concat(),
            [&source[..a], &source[b..c], &source[a..b]].concat(),
        ] {
            let facts = extractor.extract(language, &text, &Limits::default());
            let symbols = facts
                .symbols
                .iter()
                .flat_map(|symbol| [symbol.span, symbol.name_span, symbol.signature]);
            let places = symbols.chain(facts.references.iter().map(|reference| reference.span));
            for span in places.chain(facts.bindings.iter().map(|binding| binding.name_span)) {
                let (start, end) = (span.start as usize, span.end as usize);
                let lies_inside =
                    start <= end && text.is_char_boundary(start) && text.is_char_boundary(end);
                assert!(
                    lies_inside,
                    "{}: {}: {span:?} of a text of {} bytes: {text:?}",
                    language.name,
                    case.title,
                    text.len()
                );
            }
            assert_eq!(
                facts::decode(&facts::encode(&facts)).as_ref(),
                Ok(&facts),
                "{}: {}: {text:?}",
                language.name,
                case.title
            );
        }
    }
}

/// The grammar that is linked is the one that is meant.
pub(crate) fn check_grammar(language: &'static Language) {
    let grammar = (language.grammar)();
    assert_eq!(
        grammar.node_kind_count(),
        language.n_node_kinds,
        "node kinds of {}",
        language.name
    );
    for rule in language.rules.iter().flat_map(|rules| rules.iter()) {
        for kind in rule.kinds() {
            assert!(
                grammar.id_for_node_kind(kind, !rule.token) != 0,
                "{}: the grammar has no node kind `{kind}`",
                language.name,
            );
        }
        for field in rule.fields.iter().chain(
            rule.children
                .iter()
                .filter_map(|child| match child.by {
                    crate::rules::By::Field(field) => Some(field),
                    _ => None,
                })
                .collect::<Vec<_>>()
                .iter(),
        ) {
            assert!(
                grammar.field_id_for_name(field).is_some(),
                "{}: the grammar has no field `{field}` (rule {})",
                language.name,
                rule.kinds().join(", ")
            );
        }
    }
}
