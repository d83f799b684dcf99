//! Builds what matches and what reads lines, with ripgrep's settings.

use std::{collections::HashSet, io};

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use crate::{
    Error,
    search::{Binary, Boundary, CaseMode, GrepSearch, MatchOptions, PatternSource, TextEncoding},
    tree::SearchTree,
};

/// All patterns, those of `-f` included, each once.
pub(crate) fn patterns(
    pattern: &MatchOptions,
    tree: &dyn SearchTree,
) -> Result<Vec<String>, Error> {
    let mut seen = HashSet::new();
    let mut patterns = Vec::new();
    for source in &pattern.sources {
        let given = match source {
            PatternSource::Pattern(pattern) => vec![pattern.clone()],
            PatternSource::File(path) => {
                let usage = |error: io::Error, colon: &str| {
                    Error::Usage(format!("{}{colon}{error}", path.display()))
                };
                let bytes = tree.read(path).map_err(|error| usage(error, ": "))?;
                grep_cli::patterns_from_reader(&*bytes).map_err(|error| usage(error, ":"))?
            }
        };
        patterns.extend(
            given
                .into_iter()
                .filter(|pattern| seen.insert(pattern.clone())),
        );
    }
    Ok(patterns)
}

pub(crate) fn matcher(search: &GrepSearch, patterns: &[String]) -> Result<RegexMatcher, Error> {
    let pattern = &search.pattern;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(!pattern.ascii_only)
        .octal(false)
        .fixed_strings(pattern.fixed_strings);
    match pattern.case {
        CaseMode::Sensitive => builder.case_insensitive(false),
        CaseMode::Insensitive => builder.case_insensitive(true),
        CaseMode::Smart => builder.case_smart(true),
    };
    match pattern.boundary {
        Some(Boundary::Line) => _ = builder.whole_line(true),
        Some(Boundary::Word) => _ = builder.word(true),
        None => {}
    }
    if pattern.multiline {
        builder.dot_matches_new_line(pattern.dot_matches_newline);
        if pattern.crlf {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder
            .line_terminator(Some(b'\n'))
            .dot_matches_new_line(false);
        if pattern.crlf {
            builder.crlf(true);
        }
        if pattern.null_data {
            builder.line_terminator(Some(b'\0'));
        }
    }
    if let Some(limit) = pattern.regex_size_limit {
        builder.size_limit(limit);
    }
    if let Some(limit) = pattern.dfa_size_limit {
        builder.dfa_size_limit(limit);
    }
    if detects_binary(search) {
        builder.ban_byte(Some(b'\0'));
    }
    builder
        .build_many(patterns)
        .map_err(|error| Error::Usage(with_advice(error.to_string())))
}

/// The searcher for all files; binary detection is set for each.
pub(crate) fn searcher(search: &GrepSearch, line_numbers: bool) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder
        .max_matches(search.reading.max_count)
        .line_terminator(line_terminator(&search.pattern))
        .invert_match(search.pattern.invert)
        .line_number(line_numbers)
        .multi_line(search.pattern.multiline)
        .stop_on_nonmatch(search.reading.stop_on_nonmatch);
    if search.output.context.all {
        builder.passthru(true);
    } else {
        let (before, after) = search.output.context.lines();
        builder.before_context(before).after_context(after);
    }
    match &search.reading.encoding {
        TextEncoding::Auto => {}
        TextEncoding::Named(encoding) => _ = builder.encoding(Some(encoding.clone())),
        TextEncoding::Raw => _ = builder.bom_sniffing(false),
    }
    builder.build()
}

pub(crate) fn line_terminator(pattern: &MatchOptions) -> LineTerminator {
    if pattern.crlf {
        LineTerminator::crlf()
    } else if pattern.null_data {
        LineTerminator::byte(b'\0')
    } else {
        LineTerminator::byte(b'\n')
    }
}

/// A file that a filter could have left out is left at its first NUL byte; one that an argument
/// names is always searched to its end.
pub(crate) fn binary_detection(search: &GrepSearch, is_named: bool) -> BinaryDetection {
    if !detects_binary(search) {
        BinaryDetection::none()
    } else if is_named || search.reading.binary == Binary::Withhold {
        BinaryDetection::convert(b'\0')
    } else {
        BinaryDetection::quit(b'\0')
    }
}

fn detects_binary(search: &GrepSearch) -> bool {
    search.reading.binary != Binary::Text && !search.pattern.null_data
}

/// Names the flag that would allow a pattern which was refused.
fn with_advice(mut error: String) -> String {
    if error.contains("the literal") && error.contains("not allowed") {
        error.push_str(
            "\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\n\
             When multiline mode is enabled, new line characters can be matched.",
        );
    }
    if error.contains("pattern contains \"\\0\"") {
        error.push_str(
            "\n\nConsider enabling text mode with the --text flag (or -a for short). Otherwise,\n\
             binary detection is enabled and matching a NUL byte is impossible.",
        );
    }
    error
}
