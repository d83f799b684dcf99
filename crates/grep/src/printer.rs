//! Builds ripgrep's printers, and writes the two things that ripgrep prints beside them: the list
//! of file types and the summary of `--json`.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use grep_matcher::Matcher;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, PathPrinter, PathPrinterBuilder, Standard, StandardBuilder,
    Stats, Summary, SummaryBuilder, SummaryKind, default_color_specs,
};
use grep_regex::RegexMatcher;
use grep_searcher::Searcher;
use serde::Serialize;
use termcolor::WriteColor;

use crate::{
    Error,
    matcher::line_terminator,
    search::{GrepSearch, PrintOptions, SearchMode},
    selection::Selection,
};

/// What the output of a whole search depends on beside its flags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) with_filename: bool,
    pub(crate) heading: bool,
    pub(crate) line_numbers: bool,
    pub(crate) column: bool,
}

impl Layout {
    /// `is_one_file`: a single file is searched, whose name the caller knows.
    pub(crate) fn new(search: &GrepSearch, is_one_file: bool, is_terminal: bool) -> Layout {
        let output = &search.output;
        let column = output.column.unwrap_or(output.vimgrep);
        let by_default = match search.mode {
            _ if output.quiet => false,
            SearchMode::Json => true,
            SearchMode::Lines => is_terminal || column || output.vimgrep || output.symbols,
            _ => false,
        };
        Layout {
            with_filename: output
                .with_filename
                .unwrap_or(output.vimgrep || !is_one_file),
            heading: output.heading.unwrap_or(is_terminal) && !output.vimgrep,
            line_numbers: output.line_number.unwrap_or(by_default),
            column,
        }
    }

    /// What separates the lines of one file from those of the next, its line end included.
    pub(crate) fn file_separator(&self, search: &GrepSearch) -> Option<Vec<u8>> {
        let mut separator = self.separator_text(search)?;
        separator.extend_from_slice(line_terminator(&search.pattern).as_bytes());
        Some(separator)
    }

    fn separator_text(&self, search: &GrepSearch) -> Option<Vec<u8>> {
        let has_context = !search.output.context.all && search.output.context.lines() != (0, 0);
        match search.mode {
            SearchMode::Lines if self.heading => Some(Vec::new()),
            SearchMode::Lines if has_context => search.output.context_separator.clone(),
            _ => None,
        }
    }
}

/// A printer for the results of one file after another.
pub(crate) enum Printer<W> {
    Standard(Standard<W>),
    Summary(Summary<W>),
    Json(JSON<W>),
}

/// What the search of one file found.
pub(crate) struct FileResult {
    pub(crate) has_match: bool,
    pub(crate) stats: Option<Stats>,
}

impl<W: WriteColor> Printer<W> {
    pub(crate) fn new(search: &GrepSearch, layout: Layout, writer: W) -> Printer<W> {
        let kind = match (search.mode, search.output.quiet) {
            (SearchMode::FilesWithoutMatch, true) => SummaryKind::QuietWithoutMatch,
            (_, true) => SummaryKind::QuietWithMatch,
            (SearchMode::FilesWithMatches, false) => SummaryKind::PathWithMatch,
            (SearchMode::FilesWithoutMatch, false) => SummaryKind::PathWithoutMatch,
            (SearchMode::Count, false) => SummaryKind::Count,
            (SearchMode::CountMatches, false) => SummaryKind::CountMatches,
            (SearchMode::Json, false) => return Printer::Json(json(&search.output, writer)),
            (_, false) => {
                let separator = layout.separator_text(search);
                return Printer::Standard(standard(search, layout, separator, writer));
            }
        };
        Printer::Summary(summary(search, layout, kind, writer))
    }

    pub(crate) fn get_mut(&mut self) -> &mut W {
        match self {
            Printer::Standard(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
        }
    }

    /// Makes the printer put its separator also before the first file: which file is the first of
    /// all is known later, when the output of all threads is in order.
    ///
    /// The printer itself has to write the separator, because it does so only before lines, and not
    /// before a message that a binary file matches. It does so once anything was printed.
    pub(crate) fn begin_with_separator(&mut self) {
        if let Printer::Standard(printer) = self {
            let anything = RegexMatcher::new_line_matcher("").expect("an empty regex is valid");
            let sink = printer.sink(&anything);
            let printed = Searcher::new().search_slice(&anything, b"\n", sink);
            printed.expect("the first bytes go to memory");
        }
    }

    /// Searches one file and prints its results.
    pub(crate) fn print<M: Matcher>(
        &mut self,
        matcher: &M,
        path: &Path,
        searcher: &mut Searcher,
        content: SearchInput<'_>,
    ) -> io::Result<FileResult> {
        match self {
            Printer::Standard(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(FileResult {
                    has_match: sink.has_match(),
                    stats: sink.stats().cloned(),
                })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(FileResult {
                    has_match: sink.has_match(),
                    stats: sink.stats().cloned(),
                })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                content.search(searcher, matcher, &mut sink)?;
                Ok(FileResult {
                    has_match: sink.has_match(),
                    stats: Some(sink.stats().clone()),
                })
            }
        }
    }
}

/// The content of a file on its way into a searcher.
pub(crate) enum SearchInput<'a> {
    File(&'a std::fs::File),
    Slice(&'a [u8]),
    Reader(&'a mut dyn io::Read),
}

impl SearchInput<'_> {
    pub(crate) fn search<M: Matcher, S: grep_searcher::Sink<Error = io::Error>>(
        self,
        searcher: &mut Searcher,
        matcher: &M,
        sink: S,
    ) -> io::Result<()> {
        match self {
            SearchInput::File(file) => searcher.search_file(matcher, file, sink),
            SearchInput::Slice(bytes) => searcher.search_slice(matcher, bytes, sink),
            SearchInput::Reader(reader) => searcher.search_reader(matcher, reader, sink),
        }
    }
}

/// `separator` is printed before the lines of each file but the first.
pub(crate) fn standard<W: WriteColor>(
    search: &GrepSearch,
    layout: Layout,
    separator: Option<Vec<u8>>,
    writer: W,
) -> Standard<W> {
    let output = &search.output;
    StandardBuilder::new()
        .byte_offset(output.byte_offset)
        .color_specs(color_specs(output))
        .column(layout.column)
        .heading(layout.heading)
        .max_columns_preview(output.max_columns_preview)
        .max_columns(output.max_columns)
        .only_matching(output.only_matching)
        .path(layout.with_filename)
        .path_terminator(path_terminator(output))
        .per_match_one_line(true)
        .per_match(output.vimgrep)
        .replacement(output.replacement.clone())
        .separator_context(output.context_separator.clone())
        .separator_field_context(output.field_context_separator.clone())
        .separator_field_match(output.field_match_separator.clone())
        .separator_path(output.path_separator)
        .separator_search(separator)
        .trim_ascii(output.trim)
        .build(writer)
}

fn summary<W: WriteColor>(
    search: &GrepSearch,
    layout: Layout,
    kind: SummaryKind,
    writer: W,
) -> Summary<W> {
    SummaryBuilder::new()
        .color_specs(color_specs(&search.output))
        .exclude_zero(!search.output.include_zero)
        .kind(kind)
        .path(layout.with_filename)
        .path_terminator(path_terminator(&search.output))
        .separator_field(b":".to_vec())
        .separator_path(search.output.path_separator)
        .stats(search.mode == SearchMode::Json)
        .build(writer)
}

fn json<W: Write>(output: &PrintOptions, writer: W) -> JSON<W> {
    JSONBuilder::new()
        .pretty(false)
        .always_begin_end(false)
        .replacement(output.replacement.clone())
        .build(writer)
}

/// Prints the paths of `--files`.
pub(crate) fn path_printer<W: WriteColor>(output: &PrintOptions, writer: W) -> PathPrinter<W> {
    PathPrinterBuilder::new()
        .color_specs(color_specs(output))
        .separator(output.path_separator)
        .terminator(path_terminator(output).unwrap_or(b'\n'))
        .build(writer)
}

fn path_terminator(output: &PrintOptions) -> Option<u8> {
    output.null_after_path.then_some(b'\0')
}

fn color_specs(output: &PrintOptions) -> ColorSpecs {
    let mut specs = default_color_specs();
    specs.extend(output.colors.iter().cloned());
    ColorSpecs::new(&specs)
}

/// Prints the answer to `--type-list`; says whether there is any type.
pub(crate) fn print_types(selection: &Selection, out: &mut dyn Write) -> Result<bool, Error> {
    let types = selection.types()?;
    for definition in types.definitions() {
        writeln!(
            out,
            "{}: {}",
            definition.name(),
            definition.globs().join(", ")
        )?;
    }
    Ok(!types.definitions().is_empty())
}

/// Prints the last line of `--json`, whose keys ripgrep sorts.
pub(crate) fn print_summary(
    stats: &Stats,
    elapsed: Duration,
    out: &mut dyn Write,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct SummaryMessage {
        data: Data,
        r#type: &'static str,
    }
    #[derive(Serialize)]
    struct Data {
        elapsed_total: Elapsed,
        stats: Totals,
    }
    #[derive(Serialize)]
    struct Totals {
        bytes_printed: u64,
        bytes_searched: u64,
        elapsed: Elapsed,
        matched_lines: u64,
        matches: u64,
        searches: u64,
        searches_with_match: u64,
    }
    #[derive(Serialize)]
    struct Elapsed {
        human: String,
        nanos: u32,
        secs: u64,
    }
    let timed = |time: Duration| Elapsed {
        human: format!("{:0.6}s", time.as_secs_f64()),
        nanos: time.subsec_nanos(),
        secs: time.as_secs(),
    };
    let totals = Totals {
        bytes_printed: stats.bytes_printed(),
        bytes_searched: stats.bytes_searched(),
        elapsed: timed(stats.elapsed()),
        matched_lines: stats.matched_lines(),
        matches: stats.matches(),
        searches: stats.searches(),
        searches_with_match: stats.searches_with_match(),
    };
    let data = Data {
        elapsed_total: timed(elapsed),
        stats: totals,
    };
    serde_json::to_writer(
        &mut *out,
        &SummaryMessage {
            data,
            r#type: "summary",
        },
    )?;
    out.write_all(b"\n")
}
