//! `--symbols`: names the symbol that encloses each line, and keeps the lines of a symbol together.
//!
//! Without headings, each line ends with its symbol: `src/cart.py:12:    total = 0  [Cart.total]`.
//! With `--heading`, the path is followed by the symbols, each in brackets on a line of its own and
//! followed by its lines; `[]` precedes lines outside of all symbols. A match that spans lines
//! belongs to the symbol of its first line.
//!
//! Symbols come in the order of their first line. With context lines (`-A`, `-B`, `-C`) the order
//! of the file is kept, because a line can be context of matches in two symbols.

use std::{cell::RefCell, io, ops::Range, path::Path, rc::Rc};

use grep_matcher::Matcher;
use grep_printer::Standard;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use termcolor::NoColor;

use crate::{
    printer::{self, FileResult, Layout, SearchInput},
    search::GrepSearch,
    tree::FoundFile,
};

/// Knows the symbols of files.
pub trait Annotate: Sync {
    /// The innermost symbol around a line (counted from 1) of a file of the tree, as people write
    /// it: `Cart.total`.
    fn enclosing(&self, path: &Path, line_number: u64) -> Option<String>;
}

/// Prints lines with their symbols.
pub(crate) struct SymbolPrinter<'a> {
    annotate: &'a dyn Annotate,
    lines: Standard<NoColor<SharedBuffer>>,
    buffer: SharedBuffer,
    /// Stands before the output of each file.
    separator: Vec<u8>,
    heading: bool,
    keeps_order: bool,
}

impl<'a> SymbolPrinter<'a> {
    pub(crate) fn new(
        search: &GrepSearch,
        layout: Layout,
        annotate: &'a dyn Annotate,
    ) -> SymbolPrinter<'a> {
        let buffer = SharedBuffer::default();
        let of_lines = Layout {
            heading: false,
            with_filename: layout.with_filename && !layout.heading,
            ..layout
        };
        let lines = printer::standard(search, of_lines, None, NoColor::new(buffer.clone()));
        SymbolPrinter {
            annotate,
            lines,
            buffer,
            separator: layout.file_separator(search).unwrap_or_default(),
            heading: layout.heading && layout.with_filename,
            keeps_order: search.output.context.lines() != (0, 0),
        }
    }

    /// Searches a file and appends its lines to `out`.
    pub(crate) fn print<M: Matcher>(
        &mut self,
        matcher: &M,
        file: &FoundFile,
        searcher: &mut Searcher,
        content: SearchInput<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<FileResult> {
        self.buffer.0.borrow_mut().clear();
        let mut sink = Segments {
            inner: self.lines.sink_with_path(matcher, &file.shown),
            buffer: self.buffer.clone(),
            segments: Vec::new(),
        };
        content.search(searcher, matcher, &mut sink)?;
        let has_match = sink.inner.has_match();
        let segments = sink.segments;
        let text = self.buffer.0.borrow();
        if !text.is_empty() {
            out.extend_from_slice(&self.separator);
            if self.heading {
                out.extend_from_slice(file.shown.as_os_str().as_encoded_bytes());
                out.push(b'\n');
            }
            self.write_groups(self.groups(&file.path, segments), &text, out);
        }
        Ok(FileResult {
            has_match,
            stats: None,
        })
    }

    /// Brings segments of one symbol together.
    fn groups(&self, path: &Path, segments: Vec<Segment>) -> Vec<SymbolMatches> {
        let mut groups: Vec<SymbolMatches> = Vec::new();
        for segment in segments {
            let symbol = match segment.line_number {
                Some(line_number) => Owner::Line(self.annotate.enclosing(path, line_number)),
                None => Owner::None,
            };
            let known = match self.keeps_order {
                true => groups.last_mut().filter(|group| group.symbol == symbol),
                false => groups.iter_mut().find(|group| group.symbol == symbol),
            };
            match known {
                Some(group) => group.text.push(segment.text),
                None => groups.push(SymbolMatches {
                    symbol,
                    text: vec![segment.text],
                }),
            }
        }
        groups
    }

    fn write_groups(&self, groups: Vec<SymbolMatches>, text: &[u8], out: &mut Vec<u8>) {
        for SymbolMatches {
            symbol,
            text: ranges,
        } in groups
        {
            let suffix = match &symbol {
                Owner::Line(name) if self.heading => {
                    let name = name.as_deref().unwrap_or_default();
                    out.extend_from_slice(format!("[{name}]\n").as_bytes());
                    None
                }
                Owner::Line(Some(name)) => Some(format!("  [{name}]")),
                Owner::Line(None) | Owner::None => None,
            };
            for line in ranges
                .into_iter()
                .flat_map(|range| text[range].split_inclusive(|&byte| byte == b'\n'))
            {
                let Some(suffix) = &suffix else {
                    out.extend_from_slice(line);
                    continue;
                };
                let end = line.strip_suffix(b"\n").unwrap_or(line);
                let end = end.strip_suffix(b"\r").unwrap_or(end).len();
                out.extend_from_slice(&line[..end]);
                out.extend_from_slice(suffix.as_bytes());
                out.extend_from_slice(&line[end..]);
            }
        }
    }
}

struct SymbolMatches {
    symbol: Owner,
    text: Vec<Range<usize>>,
}

/// Whom a part of the output belongs to.
#[derive(Eq, PartialEq)]
enum Owner {
    /// A line, perhaps in a symbol.
    Line(Option<String>),
    /// A separator, or a message about the whole file.
    None,
}

/// What one match, context line or separator printed.
struct Segment {
    line_number: Option<u64>,
    text: Range<usize>,
}

/// Notes what a sink printed for which line.
struct Segments<S> {
    inner: S,
    buffer: SharedBuffer,
    segments: Vec<Segment>,
}

impl<S: Sink> Segments<S> {
    fn note<T>(&mut self, line_number: Option<u64>, print: impl FnOnce(&mut S) -> T) -> T {
        let start = self.buffer.0.borrow().len();
        let result = print(&mut self.inner);
        let text = start..self.buffer.0.borrow().len();
        if !text.is_empty() {
            self.segments.push(Segment { line_number, text });
        }
        result
    }
}

impl<S: Sink> Sink for Segments<S> {
    type Error = S::Error;

    fn matched(&mut self, searcher: &Searcher, mat: &SinkMatch<'_>) -> Result<bool, S::Error> {
        self.note(mat.line_number(), |inner| inner.matched(searcher, mat))
    }

    fn context(
        &mut self,
        searcher: &Searcher,
        context: &SinkContext<'_>,
    ) -> Result<bool, S::Error> {
        self.note(context.line_number(), |inner| {
            inner.context(searcher, context)
        })
    }

    fn context_break(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.note(None, |inner| inner.context_break(searcher))
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> Result<bool, S::Error> {
        self.inner.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.inner.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, finish: &SinkFinish) -> Result<(), S::Error> {
        self.note(None, |inner| inner.finish(searcher, finish))
    }
}

/// A buffer that can be measured while a printer writes to it.
#[derive(Clone, Default)]
struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl io::Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
