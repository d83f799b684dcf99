//! A parsed search: what matches, which files are read and how matches are printed. Plain data
//! that `args.rs` fills and `run.rs` carries out.

use std::path::PathBuf;

use grep_printer::UserColorSpec;
use grep_searcher::Encoding;

use crate::{Error, selection::Selection};

/// Everything that one invocation asks for.
#[derive(Debug, Default)]
pub struct GrepSearch {
    pub mode: SearchMode,
    pub pattern: MatchOptions,
    pub selection: Selection,
    pub reading: ReadOptions,
    pub output: PrintOptions,
    /// At most this many threads search; all that the caller allows when absent.
    pub threads: Option<usize>,
    /// `--no-messages`: unreadable files are not reported.
    pub hides_messages: bool,
    /// `--no-ignore-messages`: broken ignore files are not reported.
    pub hides_ignore_messages: bool,
}

/// What is printed for each file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum SearchMode {
    #[default]
    Lines,
    FilesWithMatches,
    FilesWithoutMatch,
    Count,
    CountMatches,
    Json,
    /// `--files`: the files that would be searched.
    ListFiles,
    /// `--type-list`: the file types that `-t` and `-T` know.
    ListTypes,
}

/// What matches.
#[derive(Debug, Default)]
pub struct MatchOptions {
    pub sources: Vec<PatternSource>,
    pub case: CaseMode,
    pub boundary: Option<Boundary>,
    pub fixed_strings: bool,
    pub invert: bool,
    pub multiline: bool,
    pub dot_matches_newline: bool,
    pub crlf: bool,
    pub null_data: bool,
    pub ascii_only: bool,
    pub regex_size_limit: Option<usize>,
    pub dfa_size_limit: Option<usize>,
}

/// Where patterns come from, in the order of the arguments.
#[derive(Debug)]
pub enum PatternSource {
    Pattern(String),
    /// `-f`: one pattern per line.
    File(PathBuf),
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CaseMode {
    #[default]
    Sensitive,
    Insensitive,
    /// Insensitive unless a pattern has an upper-case letter.
    Smart,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Boundary {
    Line,
    Word,
}

/// How the content of a file becomes lines.
#[derive(Debug, Default)]
pub struct ReadOptions {
    pub binary: Binary,
    pub encoding: TextEncoding,
    pub whole_files: WholeFiles,
    pub max_count: Option<u64>,
    pub stop_on_nonmatch: bool,
}

/// What happens in a file with NUL bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Binary {
    /// Found files are left at the first NUL; named files are searched and their lines withheld.
    #[default]
    Auto,
    /// `--binary`: all files are searched and lines withheld.
    Withhold,
    /// `-a`: binary files are text.
    Text,
}

#[derive(Debug, Default)]
pub enum TextEncoding {
    /// UTF-8 or ASCII-compatible, unless a byte order mark says UTF-16.
    #[default]
    Auto,
    Named(Encoding),
    /// `-E none`: raw bytes, byte order marks included.
    Raw,
}

/// When a file is searched as one slice. ripgrep maps such files into memory; this crate reads
/// them, since a mapped file that another process truncates would end this one. The choice is
/// visible: where binary data begins is found differently in a slice and in a stream.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum WholeFiles {
    /// At most ten paths are given, and all are files.
    #[default]
    Auto,
    Always,
    Never,
}

/// How matches are printed.
#[derive(Debug)]
pub struct PrintOptions {
    pub byte_offset: bool,
    pub color: Color,
    pub colors: Vec<UserColorSpec>,
    pub column: Option<bool>,
    pub context: ContextLines,
    pub context_separator: Option<Vec<u8>>,
    pub field_context_separator: Vec<u8>,
    pub field_match_separator: Vec<u8>,
    pub heading: Option<bool>,
    pub include_zero: bool,
    pub line_number: Option<bool>,
    pub max_columns: Option<u64>,
    pub max_columns_preview: bool,
    pub null_after_path: bool,
    pub only_matching: bool,
    pub path_separator: Option<u8>,
    pub quiet: bool,
    pub replacement: Option<Vec<u8>>,
    /// `--symbols`, our own: each line says which symbol encloses it.
    pub symbols: bool,
    pub trim: bool,
    pub vimgrep: bool,
    pub with_filename: Option<bool>,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            byte_offset: false,
            color: Color::Auto,
            colors: Vec::new(),
            column: None,
            context: ContextLines::default(),
            context_separator: Some(b"--".to_vec()),
            field_context_separator: b"-".to_vec(),
            field_match_separator: b":".to_vec(),
            heading: None,
            include_zero: false,
            line_number: None,
            max_columns: None,
            max_columns_preview: false,
            null_after_path: false,
            only_matching: false,
            path_separator: None,
            quiet: false,
            replacement: None,
            symbols: false,
            trim: false,
            vimgrep: false,
            with_filename: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Color {
    Never,
    #[default]
    Auto,
    Always,
}

/// Which lines around a match are printed. `before` and `after` win over `both` in any order.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ContextLines {
    /// `--passthru`: all lines of the file.
    pub all: bool,
    pub before: Option<usize>,
    pub after: Option<usize>,
    pub both: Option<usize>,
}

impl ContextLines {
    /// Changes the number of lines; `--passthru` given before is forgotten.
    pub(crate) fn limit(&mut self, change: impl FnOnce(&mut ContextLines)) {
        if self.all {
            *self = ContextLines::default();
        }
        change(self);
    }

    /// The lines before and after each match.
    pub fn lines(&self) -> (usize, usize) {
        let both = self.both.unwrap_or(0);
        (self.before.unwrap_or(both), self.after.unwrap_or(both))
    }
}

impl GrepSearch {
    /// Whether patterns are matched, in contrast to files or types being listed.
    pub fn is_matching(&self) -> bool {
        !matches!(self.mode, SearchMode::ListFiles | SearchMode::ListTypes)
    }

    /// `--symbols` groups the lines of a file, which only plain lines allow.
    pub(crate) fn check_symbols(&self) -> Result<(), Error> {
        let conflict = match self.mode {
            SearchMode::Lines if self.output.vimgrep => "--vimgrep",
            SearchMode::Lines if self.output.context.all => "--passthru",
            SearchMode::Lines if self.output.color == Color::Always => "--color always",
            SearchMode::Lines if self.output.line_number == Some(false) => "--no-line-number",
            SearchMode::Lines if self.pattern.null_data => "--null-data",
            SearchMode::Lines => return Ok(()),
            SearchMode::FilesWithMatches => "--files-with-matches",
            SearchMode::FilesWithoutMatch => "--files-without-match",
            SearchMode::Count => "--count",
            SearchMode::CountMatches => "--count-matches",
            SearchMode::Json => "--json",
            SearchMode::ListFiles => "--files",
            SearchMode::ListTypes => "--type-list",
        };
        Err(Error::Usage(format!(
            "--symbols prints lines and cannot be used with {conflict}"
        )))
    }
}
