//! From text to facts: parse with a deadline, walk with a depth gate, and fall back to lines where
//! either fails.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use facts::{Facts, Modifiers, Problem, ProblemKind, Span};
use rustc_hash::FxHashMap;
use tree_sitter::{ParseOptions, Parser, Point, Range, Tree};

use crate::{
    builder::Builder,
    flat,
    language::Language,
    walk::{RuleTable, Walk},
};

/// What one file may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    pub deadline: Duration,
    pub max_depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        // Real files reach some hundreds of levels, generated ones 2,000 and more; parsing runs at
        // megabytes per second.
        Limits {
            deadline: Duration::from_secs(5),
            max_depth: 2_000,
        }
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

    /// The facts of a text. Broken text gives the facts of its sound parts, with its problems
    /// inside.
    pub fn extract(&mut self, language: &'static Language, text: &str, limits: &Limits) -> Facts {
        if !language.has_grammar() {
            return Builder::new(language.id, text).finish();
        }
        let prepared = language
            .prepare
            .and_then(|prepare| prepare(text))
            .filter(|prepared| prepared.len() == text.len());
        let parsed_text = prepared.as_deref().unwrap_or(text);
        let table = RuleTable::of(language);
        let parser = self.parser(language);
        let whole = Span::new(0, text.len() as u32);
        let parts = language.parts.map(|parts| parts(text));
        if parts.as_ref().is_some_and(Vec::is_empty) {
            return Builder::new(language.id, text).finish();
        }
        let ranges: Vec<Range> = parts
            .unwrap_or_default()
            .into_iter()
            .map(|part| range_of(text, part))
            .collect();
        if parser.set_included_ranges(&ranges).is_err() {
            return flat::scan(
                language,
                text,
                Problem {
                    kind: ProblemKind::Syntax,
                    span: whole,
                },
            );
        }
        let deadline = Instant::now() + limits.deadline;
        let Some(tree) = parse(parser, parsed_text.as_bytes(), deadline) else {
            return flat::scan(
                language,
                text,
                Problem {
                    kind: ProblemKind::Deadline,
                    span: whole,
                },
            );
        };
        let mut walk = Walk::new(language, text);
        walk.prepared = prepared.as_deref();
        if walk.run(table, &tree, limits.max_depth).is_err() {
            return flat::scan(
                language,
                text,
                Problem {
                    kind: ProblemKind::TooDeep,
                    span: whole,
                },
            );
        }
        if let Some(embedded) = language.embedded {
            for part in embedded(&walk) {
                if parser
                    .set_included_ranges(
                        &part
                            .ranges
                            .iter()
                            .map(|range| range_of(text, range.clone()))
                            .collect::<Vec<_>>(),
                    )
                    .is_err()
                {
                    continue;
                }
                let Some(tree) = parse(parser, parsed_text.as_bytes(), deadline) else {
                    break;
                };
                walk.resume_in(part.scope, part.symbol);
                if walk.run(table, &tree, limits.max_depth).is_err() {
                    break;
                }
            }
        }
        read_unread(
            &mut walk,
            table,
            parser,
            parsed_text,
            limits.max_depth,
            deadline,
        );
        if let Some(finish) = language.finish {
            finish(&mut walk);
        }
        walk.builder.finish()
    }

    fn parser(&mut self, language: &'static Language) -> &mut Parser {
        self.parsers.entry(language.id.0).or_insert_with(|| {
            let mut parser = Parser::new();
            parser
                .set_language(&(language.grammar)())
                .expect("grammars are built for this version of the core, which a test checks");
            parser
        })
    }

    /// Parses without walking, for measurements and for syntax diagnostics.
    pub fn parse(
        &mut self,
        language: &'static Language,
        text: &str,
        limits: &Limits,
    ) -> Option<Tree> {
        let parser = self.parser(language);
        parser.set_included_ranges(&[]).ok()?;
        parse(parser, text.as_bytes(), Instant::now() + limits.deadline)
    }
}

/// Parses and walks what handlers left for later, and what these parts leave in turn.
fn read_unread(
    walk: &mut Walk<'_>,
    table: &RuleTable,
    parser: &mut Parser,
    text: &str,
    max_depth: u32,
    deadline: Instant,
) {
    // Each round reads one level of nesting again; what is nested ten times over is not worth ten
    // parses of the file.
    let mut bytes_left = 2 * text.len();
    let mut scratch: Vec<u8> = Vec::new();
    let n_problems = walk.builder.facts.problems.len();
    let n_symbols = walk.builder.facts.symbols.len();
    'rounds: while !walk.unread.is_empty() {
        let parts = std::mem::take(&mut walk.unread);
        if scratch.is_empty() {
            scratch = text.as_bytes().to_vec();
        }
        for part in parts {
            let (start, end) = (part.span.start as usize, part.span.end as usize);
            let (Some(before), after) = (
                start.checked_sub(part.prefix.len()),
                end + part.suffix.len(),
            ) else {
                continue;
            };
            if after > scratch.len() {
                continue;
            }
            bytes_left = match bytes_left.checked_sub(part.span.len() as usize) {
                Some(left) => left,
                None => break 'rounds,
            };
            scratch[before..start].copy_from_slice(part.prefix.as_bytes());
            scratch[end..after].copy_from_slice(part.suffix.as_bytes());
            let range = Range {
                start_byte: before,
                end_byte: after,
                start_point: walk_point(walk, before),
                end_point: walk_point(walk, after),
            };
            let tree = if parser.set_included_ranges(&[range]).is_ok() {
                parse(parser, &scratch, deadline)
            } else {
                None
            };
            scratch[before..after].copy_from_slice(&text.as_bytes()[before..after]);
            let Some(tree) = tree else { break 'rounds };
            walk.resume_in(part.scope, part.symbol);
            if walk.run(table, &tree, max_depth).is_err() {
                break 'rounds;
            }
        }
    }
    // These parts need not be the language at all: what does not read as such is no problem of the
    // file.
    walk.builder.facts.problems.truncate(n_problems);
    for symbol in walk.builder.facts.symbols.iter_mut().skip(n_symbols) {
        symbol.modifiers.insert(Modifiers::IN_MACRO);
    }
}

fn walk_point(walk: &Walk<'_>, offset: usize) -> Point {
    let position = walk.facts().lines.position(offset as u32);
    Point::new(position.line_index as usize, position.column as usize)
}

fn parse(parser: &mut Parser, bytes: &[u8], deadline: Instant) -> Option<Tree> {
    parser.reset();
    let mut progress = |_: &tree_sitter::ParseState| {
        if Instant::now() >= deadline {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |offset: usize, _: Point| bytes.get(offset..).unwrap_or(&[]);
    parser.parse_with_options(
        &mut read,
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

fn range_of(text: &str, range: std::ops::Range<usize>) -> Range {
    Range {
        start_byte: range.start,
        end_byte: range.end,
        start_point: point_of(text, range.start),
        end_point: point_of(text, range.end),
    }
}

fn point_of(text: &str, offset: usize) -> Point {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
    Point::new(row, before.len() - line_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a grammar makes of it, each ends in facts, by the tree, the depth gate or the
    /// deadline.
    #[test]
    fn a_hundred_thousand_levels_in_any_language() {
        let limits = Limits {
            deadline: Duration::from_millis(50),
            max_depth: 2_000,
        };
        let grammars = || {
            crate::LANGUAGES
                .iter()
                .filter(|language| language.has_grammar())
        };
        let work = move |part: &str| {
            let mut extractor = Extractor::new();
            let text = part.repeat(100_000);
            for language in grammars() {
                let facts = extractor.extract(language, &text, &limits);
                let len = facts.lines.text_len() as usize;
                assert_eq!(len, text.len(), "{} of {part:?}", language.name);
            }
        };
        // As deep a stack as indexing has. The deadline is most of the time: wait for all at once.
        let workers = ["(", "[", "{", "f(", "if x {", "- ", "<a>", "x = [{"].map(|part| {
            let worker = std::thread::Builder::new().stack_size(16 << 20);
            let work = work.clone();
            worker.spawn(move || work(part)).expect("starts")
        });
        for worker in workers {
            worker.join().expect("ends");
        }
    }
}
