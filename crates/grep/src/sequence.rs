//! Puts the output of files that are searched at the same time into the order of their paths.
//!
//! Every file has a turn, counted from 0. Its worker collects output in a [`TurnWriter`] and hands
//! it over when the file is done. Memory is bounded: a file with much output waits for its turn and
//! then writes through, and workers rest while too much finished output waits for an earlier file.
//! The worker with the earliest unfinished file never waits, so that there is always progress.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard},
};

use crate::capacity;
use termcolor::{Ansi, ColorSpec, NoColor, WriteColor};

/// A file with more output than this waits for its turn.
const WRITE_THROUGH: usize = 1 << 20;
/// Workers rest while this much output waits for an earlier file.
const MAX_WAITING: usize = 16 << 20;

/// The two places that a search writes to.
pub(crate) struct Sinks<'a> {
    pub(crate) out: &'a mut (dyn Write + Send),
    pub(crate) errors: &'a mut (dyn Write + Send),
    /// Stands before every message.
    pub(crate) name: &'a str,
}

/// The order of the output of a search.
pub(crate) struct Sequence<'a> {
    state: Mutex<SequenceState<'a>>,
    turned: Condvar,
}

struct SequenceState<'a> {
    sinks: Sinks<'a>,
    /// The file whose output comes next.
    turn: usize,
    /// Finished files that wait for an earlier one.
    waiting: BTreeMap<usize, Finished>,
    n_waiting_bytes: usize,
    /// What a printer writes before every file, taken away before the first.
    separator: Option<Vec<u8>>,
    has_written: bool,
    /// The largest line buffer that a file before this turn needed.
    capacity: usize,
    /// The first error of the output; nothing is written after it.
    failure: Option<io::Error>,
}

/// The results of one file.
#[derive(Default)]
pub(crate) struct Finished {
    pub(crate) output: Vec<u8>,
    pub(crate) messages: Vec<String>,
    /// How large a line buffer the file needed.
    pub(crate) capacity: usize,
}

impl<'a> Sequence<'a> {
    pub(crate) fn new(sinks: Sinks<'a>, separator: Option<Vec<u8>>) -> Sequence<'a> {
        let state = SequenceState {
            sinks,
            turn: 0,
            waiting: BTreeMap::new(),
            n_waiting_bytes: 0,
            separator,
            has_written: false,
            capacity: capacity::SMALLEST,
            failure: None,
        };
        Sequence {
            state: Mutex::new(state),
            turned: Condvar::new(),
        }
    }

    /// Takes the rest of the results of a file. Returns whether output can still be written.
    pub(crate) fn finish(&self, turn: usize, finished: Finished) -> bool {
        let mut state = self.lock();
        if turn != state.turn {
            state.n_waiting_bytes += finished.output.len();
            state.waiting.insert(turn, finished);
            while state.n_waiting_bytes > MAX_WAITING {
                state = self.wait(state);
            }
            return state.failure.is_none();
        }
        state.write(&finished);
        state.turn += 1;
        let mut next = state.turn;
        while let Some(finished) = state.waiting.remove(&next) {
            state.n_waiting_bytes -= finished.output.len();
            state.write(&finished);
            next += 1;
            state.turn = next;
        }
        self.turned.notify_all();
        state.failure.is_none()
    }

    /// Waits until all files before `turn` are done. Returns the size of the largest line buffer
    /// that any of them needed.
    pub(crate) fn wait_for(&self, turn: usize) -> usize {
        let mut state = self.lock();
        while state.turn != turn {
            state = self.wait(state);
        }
        state.capacity
    }

    /// Writes part of the output of a file, when its turn has come.
    fn write_through(&self, turn: usize, output: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        while state.turn != turn {
            state = self.wait(state);
        }
        state.write_output(output);
        match &state.failure {
            Some(failure) => Err(failure.kind().into()),
            None => Ok(()),
        }
    }

    /// Ends the sequence: what was written, and what failed.
    pub(crate) fn into_sinks(self) -> (Sinks<'a>, Option<io::Error>) {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        (state.sinks, state.failure)
    }

    fn lock(&self) -> MutexGuard<'_, SequenceState<'a>> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn wait<'s>(
        &self,
        state: MutexGuard<'s, SequenceState<'a>>,
    ) -> MutexGuard<'s, SequenceState<'a>> {
        self.turned
            .wait(state)
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl SequenceState<'_> {
    fn write(&mut self, finished: &Finished) {
        self.capacity = self.capacity.max(finished.capacity);
        self.write_output(&finished.output);
        for message in &finished.messages {
            // Nobody reads messages that cannot be written.
            let _ = writeln!(self.sinks.errors, "{}: {message}", self.sinks.name);
        }
    }

    fn write_output(&mut self, mut output: &[u8]) {
        if output.is_empty() || self.failure.is_some() {
            return;
        }
        if let Some(separator) = self.separator.as_deref().filter(|_| !self.has_written) {
            output = output.strip_prefix(separator).unwrap_or(output);
        }
        self.has_written = true;
        self.failure = self.sinks.out.write_all(output).err();
    }
}

/// Collects the output of one file after another.
pub(crate) struct TurnWriter<'s, 'a> {
    sequence: &'s Sequence<'a>,
    turn: usize,
    output: Vec<u8>,
    /// Whether the file is searched again if an earlier one needed a larger line buffer.
    is_provisional: bool,
}

impl<'s, 'a> TurnWriter<'s, 'a> {
    fn new(sequence: &'s Sequence<'a>) -> TurnWriter<'s, 'a> {
        let output = Vec::new();
        TurnWriter {
            sequence,
            turn: 0,
            output,
            is_provisional: false,
        }
    }

    /// Begins the output of a file, and forgets what was there.
    pub(crate) fn begin(&mut self, turn: usize, is_provisional: bool) {
        self.turn = turn;
        self.output.clear();
        self.is_provisional = is_provisional;
    }

    /// Whether all output is still here, and may be forgotten.
    pub(crate) fn is_provisional(&self) -> bool {
        self.is_provisional
    }

    /// The output since [`TurnWriter::begin`] that is not written yet.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Writes what there is, when the turn has come.
    fn write_through(&mut self) -> io::Result<()> {
        if self.is_provisional {
            // A failure here is no failure of the output: the caller searches the file again.
            if self.sequence.wait_for(self.turn) > capacity::SMALLEST {
                return Err(io::Error::other("has to be searched again"));
            }
            self.is_provisional = false;
        }
        self.sequence.write_through(self.turn, &self.output)?;
        self.output.clear();
        Ok(())
    }
}

impl Write for TurnWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.extend_from_slice(bytes);
        if self.output.len() > WRITE_THROUGH {
            self.write_through()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer with or without colours.
pub(crate) enum ColorWriter<W> {
    Plain(NoColor<W>),
    Ansi(Ansi<W>),
}

impl<'s, 'a> ColorWriter<TurnWriter<'s, 'a>> {
    pub(crate) fn turns(sequence: &'s Sequence<'a>, has_color: bool) -> Self {
        ColorWriter::new(TurnWriter::new(sequence), has_color)
    }
}

impl<W: Write> ColorWriter<W> {
    pub(crate) fn new(writer: W, has_color: bool) -> ColorWriter<W> {
        match has_color {
            true => ColorWriter::Ansi(Ansi::new(writer)),
            false => ColorWriter::Plain(NoColor::new(writer)),
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut W {
        match self {
            ColorWriter::Plain(writer) => writer.get_mut(),
            ColorWriter::Ansi(writer) => writer.get_mut(),
        }
    }
}

impl<W: Write> Write for ColorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.get_mut().flush()
    }
}

impl<W: Write> WriteColor for ColorWriter<W> {
    fn supports_color(&self) -> bool {
        matches!(self, ColorWriter::Ansi(_))
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        match self {
            ColorWriter::Plain(writer) => writer.set_color(spec),
            ColorWriter::Ansi(writer) => writer.set_color(spec),
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        match self {
            ColorWriter::Plain(writer) => writer.reset(),
            ColorWriter::Ansi(writer) => writer.reset(),
        }
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}
