//! How large the line buffer of a searcher is, which can be seen in the results.
//!
//! A searcher reads a file through a buffer of 64 KiB, which triples for a line that does not fit
//! and stays that large for later files. A NUL byte makes a file binary from the moment it is in
//! the buffer. So ripgrep prints the matches before a NUL at 300 kB, unless a file that it searched
//! earlier had a very long line: then it sees the NUL first, and prints none.
//!
//! To print what one searcher prints that sees all files in their order, every file is searched
//! with a small buffer first. The few whose results could differ with a larger one wait until the
//! files before them are done, and are searched again if any of those needed a larger buffer.

use std::io;

use grep_matcher::{LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_searcher::{Searcher, Sink, SinkMatch};

/// The size of the buffer of a new searcher.
pub(crate) const SMALLEST: usize = 64 << 10;

/// A reader that sees how its reader fills a line buffer.
pub(crate) struct ObservedReader<R> {
    reader: R,
    n_bytes: usize,
    capacity: usize,
    has_late_nul: bool,
    is_at_end: bool,
}

impl<R: io::Read> ObservedReader<R> {
    pub(crate) fn new(reader: R) -> ObservedReader<R> {
        ObservedReader {
            reader,
            n_bytes: 0,
            capacity: SMALLEST,
            has_late_nul: false,
            is_at_end: false,
        }
    }

    /// How large the buffer has become.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether a larger buffer may show a NUL byte earlier than it was seen now.
    pub(crate) fn depends_on_capacity(&self) -> bool {
        // The first bytes may be read by themselves, in search of a byte order mark.
        let has_more = !self.is_at_end && self.n_bytes + 16 >= SMALLEST;
        self.has_late_nul || has_more
    }
}

impl<R: io::Read> io::Read for ObservedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // What is free is larger than the whole buffer was: it has grown.
        while buffer.len() > self.capacity {
            self.capacity *= 3;
        }
        let n_read = self.reader.read(buffer)?;
        if self.n_bytes + n_read >= SMALLEST && !self.has_late_nul {
            self.has_late_nul = buffer[..n_read].contains(&0);
        }
        self.n_bytes += n_read;
        self.is_at_end |= n_read == 0 && !buffer.is_empty();
        Ok(n_read)
    }
}

/// Makes the buffer of a new searcher as large as a search before made it.
pub(crate) fn grow(searcher: &mut Searcher, capacity: usize) -> io::Result<()> {
    if capacity > SMALLEST {
        let line = io::Read::take(io::repeat(b'x'), capacity as u64 / 3);
        searcher.search_reader(Nothing(searcher.line_terminator()), line, Ignored)?;
    }
    Ok(())
}

/// Matches nothing.
struct Nothing(LineTerminator);

impl Matcher for Nothing {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, _: &[u8], _: usize) -> Result<Option<Match>, NoError> {
        Ok(None)
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        Some(self.0)
    }
}

/// Takes matches and does nothing.
struct Ignored;

impl Sink for Ignored {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(true)
    }
}
