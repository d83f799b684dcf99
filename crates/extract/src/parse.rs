//! From text to facts: parse with a deadline, walk with a depth gate, and fall back to lines where either fails.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use facts::{Facts, Problem, ProblemKind, Span};
use rustc_hash::FxHashMap;
use tree_sitter::{ParseOptions, Parser, Point, Range, Tree};

use crate::{
    builder::Builder,
    flat,
    language::Language,
    walk::{Table, Walk},
};

/// What one file may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    pub deadline: Duration,
    pub max_depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        // Real files reach some hundreds of levels, generated ones 2,000 and more; parsing runs at megabytes per second.
        Limits { deadline: Duration::from_secs(5), max_depth: 2_000 }
    }
}

/// Keeps parsers and rule tables between files; one per worker thread.
#[derive(Default)]
pub struct Extractor {
    parsers: FxHashMap<u16, Parser>,
}

impl Extractor {
    pub fn new() -> Extractor {
        Extractor::default()
    }

    /// The facts of a text. Broken text gives the facts of its sound parts, with its problems inside.
    pub fn extract(&mut self, language: &'static Language, text: &str, limits: &Limits) -> Facts {
        if !language.has_grammar() {
            return Builder::new(language.id, text).finish();
        }
        let prepared = language.prepare.and_then(|prepare| prepare(text)).filter(|prepared| prepared.len() == text.len());
        let parsed_text = prepared.as_deref().unwrap_or(text);
        let table = Table::of(language);
        let parser = self.parser(language);
        let whole = Span::new(0, text.len() as u32);
        let parts = language.parts.map(|parts| parts(text));
        if parts.as_ref().is_some_and(Vec::is_empty) {
            return Builder::new(language.id, text).finish();
        }
        let ranges: Vec<Range> = parts.unwrap_or_default().into_iter().map(|part| range_of(text, part)).collect();
        if parser.set_included_ranges(&ranges).is_err() {
            return flat::scan(language, text, Problem { kind: ProblemKind::Syntax, span: whole });
        }
        let deadline = Instant::now() + limits.deadline;
        let Some(tree) = parse(parser, parsed_text, deadline) else {
            return flat::scan(language, text, Problem { kind: ProblemKind::Deadline, span: whole });
        };
        let mut walk = Walk::new(language, text);
        if walk.run(table, &tree, limits.max_depth).is_err() {
            return flat::scan(language, text, Problem { kind: ProblemKind::TooDeep, span: whole });
        }
        if let Some(embedded) = language.embedded {
            for part in embedded(&walk) {
                if parser.set_included_ranges(&part.ranges.iter().map(|range| range_of(text, range.clone())).collect::<Vec<_>>()).is_err() {
                    continue;
                }
                let Some(tree) = parse(parser, parsed_text, deadline) else { break };
                walk.resume_in(part.scope, part.symbol);
                if walk.run(table, &tree, limits.max_depth).is_err() {
                    break;
                }
            }
        }
        if let Some(finish) = language.finish {
            finish(&mut walk);
        }
        walk.builder.finish()
    }

    fn parser(&mut self, language: &'static Language) -> &mut Parser {
        self.parsers.entry(language.id.0).or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&(language.grammar)()).expect("grammars are built for this version of the core, which a test checks");
            parser
        })
    }

    /// Parses without walking, for measurements and for syntax diagnostics.
    pub fn parse(&mut self, language: &'static Language, text: &str, limits: &Limits) -> Option<Tree> {
        let parser = self.parser(language);
        parser.set_included_ranges(&[]).ok()?;
        parse(parser, text, Instant::now() + limits.deadline)
    }
}

fn parse(parser: &mut Parser, text: &str, deadline: Instant) -> Option<Tree> {
    parser.reset();
    let mut progress = |_: &tree_sitter::ParseState| if Instant::now() >= deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let bytes = text.as_bytes();
    let mut read = |offset: usize, _: Point| bytes.get(offset..).unwrap_or(&[]);
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut progress)))
}

fn range_of(text: &str, range: std::ops::Range<usize>) -> Range {
    Range { start_byte: range.start, end_byte: range.end, start_point: point_of(text, range.start), end_point: point_of(text, range.end) }
}

fn point_of(text: &str, offset: usize) -> Point {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
    Point::new(row, before.len() - line_start)
}
