//! The literals that a file must contain to have a match, so that an index can name the files that
//! are worth reading.

use regex_syntax::{
    ParserBuilder,
    hir::{Hir, HirKind, literal::Extractor},
};

use crate::search::{CaseMode, GrepSearch, SearchMode, TextEncoding};

/// Byte strings of which every file with a match contains at least one.
///
/// Case-insensitive patterns give each spelling. A spelling may be cut short, so that an index of
/// words has to look for words that contain it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AnyOf(pub Vec<Vec<u8>>);

/// More spellings than this say little about a file.
const MAX_SPELLINGS: usize = 64;
/// Literals that begin at later parts of a long pattern are not looked at.
const MAX_PARTS: usize = 128;
/// Patterns that nest deeper are not narrowed.
const MAX_NESTING: usize = 64;

/// What every file with a match contains: one of each element. Nothing when that is not known, or
/// when files without a match are part of the answer.
pub(crate) fn required(search: &GrepSearch, patterns: &[String]) -> Option<Vec<AnyOf>> {
    let prints_files_without_match = match search.mode {
        SearchMode::Lines => search.output.context.all,
        SearchMode::FilesWithMatches => false,
        SearchMode::Count | SearchMode::CountMatches => search.output.include_zero,
        // `--json` counts the files and bytes that were searched.
        SearchMode::Json | SearchMode::FilesWithoutMatch => true,
        SearchMode::ListFiles | SearchMode::ListTypes => true,
    };
    let is_plain_text = matches!(search.reading.encoding, TextEncoding::Auto);
    if prints_files_without_match
        || !is_plain_text
        || search.pattern.invert
        || search.pattern.multiline
        || patterns.is_empty()
    {
        return None;
    }
    let hirs: Vec<Hir> = patterns
        .iter()
        .map(|pattern| parsed(search, pattern))
        .collect::<Option<_>>()?;
    let required = all_of(&Hir::alternation(hirs), 0);
    (!required.is_empty()).then_some(required)
}

fn parsed(search: &GrepSearch, pattern: &str) -> Option<Hir> {
    let escaped;
    let pattern = match search.pattern.fixed_strings {
        true => {
            escaped = regex_syntax::escape(pattern);
            &escaped
        }
        false => pattern,
    };
    ParserBuilder::new()
        .utf8(false)
        .unicode(!search.pattern.ascii_only)
        .multi_line(true)
        .crlf(search.pattern.crlf)
        // Whether smart case ignores case depends on all patterns. Ignoring it finds more files.
        .case_insensitive(search.pattern.case != CaseMode::Sensitive)
        .build()
        .parse(pattern)
        .ok()
}

/// What every match of a regex contains: one of each element.
fn all_of(hir: &Hir, nesting: usize) -> Vec<AnyOf> {
    if nesting > MAX_NESTING {
        return Vec::new();
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(_) | HirKind::Class(_) => prefixes(hir).into_iter().collect(),
        HirKind::Capture(capture) => all_of(&capture.sub, nesting + 1),
        HirKind::Repetition(repetition) if repetition.min == 0 => Vec::new(),
        HirKind::Repetition(repetition) => all_of(&repetition.sub, nesting + 1),
        HirKind::Concat(parts) => of_concat(parts, nesting),
        HirKind::Alternation(branches) => {
            let mut any = Vec::new();
            for branch in branches {
                match best(all_of(branch, nesting + 1)) {
                    Some(AnyOf(spellings)) => any.extend(spellings),
                    None => return Vec::new(),
                }
            }
            usable(any).into_iter().collect()
        }
    }
}

/// The requirements of a concatenation: the spellings of each run of literal parts, and what the
/// other parts require by themselves.
fn of_concat(parts: &[Hir], nesting: usize) -> Vec<AnyOf> {
    let mut required = Vec::new();
    let mut at = 0;
    while at < parts.len().min(MAX_PARTS) {
        if !is_literal(&parts[at]) {
            required.extend(all_of(&parts[at], nesting + 1));
            at += 1;
            continue;
        }
        let n_literal = parts[at..]
            .iter()
            .take_while(|part| is_literal(part))
            .count();
        // A run can begin with parts of many spellings: the best beginning counts.
        let starts = (at..at + n_literal).take(MAX_PARTS);
        let runs = starts
            .filter_map(|start| prefixes(&Hir::concat(parts[start..at + n_literal].to_vec())));
        required.extend(best(runs.collect()));
        at += n_literal;
    }
    required
}

fn is_literal(hir: &Hir) -> bool {
    matches!(
        hir.kind(),
        HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_)
    )
}

/// The spellings that a match of a regex begins with, if they are few.
fn prefixes(hir: &Hir) -> Option<AnyOf> {
    let mut extractor = Extractor::new();
    extractor.limit_class(10).limit_total(MAX_SPELLINGS);
    let sequence = extractor.extract(hir);
    let literals = sequence.literals()?;
    usable(
        literals
            .iter()
            .map(|literal| literal.as_bytes().to_vec())
            .collect(),
    )
}

fn usable(mut spellings: Vec<Vec<u8>>) -> Option<AnyOf> {
    spellings.sort();
    spellings.dedup();
    let is_useful = !spellings.is_empty()
        && spellings.len() <= MAX_SPELLINGS
        && spellings.iter().all(|spelling| spelling.len() > 1);
    is_useful.then_some(AnyOf(spellings))
}

/// The requirement that the fewest files are likely to meet: the longest.
fn best(required: Vec<AnyOf>) -> Option<AnyOf> {
    required.into_iter().max_by_key(|AnyOf(spellings)| {
        let shortest = spellings.iter().map(Vec::len).min().unwrap_or(0);
        (shortest, std::cmp::Reverse(spellings.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, GrepRequest};
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(arguments: &[&str], expected: Expect) {
        let Ok(GrepRequest::Search(search)) = args::parse(arguments) else {
            panic!("not a search: {arguments:?}")
        };
        let patterns: Vec<String> = search
            .pattern
            .sources
            .iter()
            .map(|source| match source {
                crate::search::PatternSource::Pattern(pattern) => pattern.clone(),
                crate::search::PatternSource::File(path) => panic!("{path:?}"),
            })
            .collect();
        let text = match required(&search, &patterns) {
            None => "every file".to_owned(),
            Some(required) => {
                let shown = |any: &AnyOf| {
                    let spellings = any.0.iter().map(|s| String::from_utf8_lossy(s));
                    spellings.collect::<Vec<_>>().join("|")
                };
                required.iter().map(shown).collect::<Vec<_>>().join(" & ")
            }
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn literals() {
        check(&["total"], expect!["total"]);
        check(&["-F", "a.b("], expect!["a.b("]);
        check(&["-w", "total"], expect!["total"]);
        check(&["-e", "total", "-e", "Cart"], expect!["Cart|total"]);
        check(&[r"class\s+Cart\b"], expect!["class & Cart"]);
        check(&["foo|bar"], expect!["bar|foo"]);
        check(&["(foo|bar)baz"], expect!["bar|foo & baz"]);
        check(&["x(foo)+y"], expect!["foo"]);
        check(&["a(foo)?bc"], expect!["bc"]);
        check(&[r"\w+_total\w*"], expect!["_total"]);
        check(&["[a-z]+Handler"], expect!["Handler"]);
        check(&["^total$"], expect!["total"]);
    }

    #[test]
    fn every_spelling_of_a_case_insensitive_pattern() {
        check(&["-i", "ab"], expect!["AB|Ab|aB|ab"]);
        // The long s and the Kelvin sign are letters too.
        check(&["-i", "sk"], expect!["SK|Sk|SK|sK|sk|sK|ſK|ſk|ſK"]);
        check(&["-S", "ab"], expect!["AB|Ab|aB|ab"]);
        // Digits have one spelling.
        check(
            &["-i", "x12345678y9"],
            expect!["X12345678Y9|X12345678y9|x12345678Y9|x12345678y9"],
        );
    }

    #[test]
    fn no_narrowing() {
        check(&["-v", "total"], expect!["every file"]);
        check(&["-U", "total"], expect!["every file"]);
        check(&["--json", "total"], expect!["every file"]);
        check(&["--files-without-match", "total"], expect!["every file"]);
        check(
            &["--count", "--include-zero", "total"],
            expect!["every file"],
        );
        check(&["--passthru", "total"], expect!["every file"]);
        check(&["-E", "utf-16", "total"], expect!["every file"]);
        check(&[r"\w+"], expect!["every file"]);
        check(&["foo|"], expect!["every file"]);
        check(&["(foo)*"], expect!["every file"]);
        check(&["."], expect!["every file"]);
        check(&["x"], expect!["every file"]);
    }
}
