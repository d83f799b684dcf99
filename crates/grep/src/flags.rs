//! ripgrep's flags, each with what it changes in a [`GrepSearch`], and `--symbols`, our own. A flag
//! of ripgrep that this command does not have is listed too, so that it is refused by name.

use std::{ffi::OsString, fmt, path::PathBuf, str::FromStr};

use bstr::ByteVec;
use grep_searcher::Encoding;

use crate::{
    search::{
        Binary, Boundary, CaseMode, Color, GrepSearch, PatternSource, SearchMode, TextEncoding,
        WholeFiles,
    },
    selection::TypeChange,
};

pub(crate) struct Flag {
    short: Option<char>,
    long: &'static str,
    aliases: &'static [&'static str],
    negated: Option<&'static str>,
    pub(crate) set: Set,
    help: &'static str,
}

/// What a flag does to a search.
#[derive(Clone, Copy)]
pub(crate) enum Set {
    /// A switch; `false` when the flag's negation was given.
    Switch(fn(&mut GrepSearch, bool) -> SetResult),
    /// A flag with a value, and what its negation restores.
    Value(
        fn(&mut GrepSearch, OsString) -> SetResult,
        fn(&mut GrepSearch),
    ),
    /// Not available here, for a reason.
    Refused(&'static str),
}

type SetResult = Result<(), String>;

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.short {
            Some(short) => write!(f, "-{short}/--{}", self.long),
            None => write!(f, "--{}", self.long),
        }
    }
}

/// The flag with a short name; it is never a negation.
pub(crate) fn by_short(short: char) -> Option<(&'static Flag, bool)> {
    let flag = FLAGS.iter().find(|flag| flag.short == Some(short))?;
    Some((flag, false))
}

/// The flag with a long name or alias, and whether the name is its negation.
pub(crate) fn by_long(long: &str) -> Option<(&'static Flag, bool)> {
    FLAGS.iter().find_map(|flag| {
        if flag.long == long || flag.aliases.contains(&long) {
            Some((flag, false))
        } else {
            (flag.negated == Some(long)).then_some((flag, true))
        }
    })
}

/// Long names that resemble an unknown one, best first, at most three.
pub(crate) fn similar(unknown: &str) -> Vec<String> {
    let available = FLAGS
        .iter()
        .filter(|flag| !matches!(flag.set, Set::Refused(_)));
    let names = available.flat_map(|flag| {
        flag.aliases
            .iter()
            .copied()
            .chain([flag.long])
            .chain(flag.negated)
    });
    let mut scored: Vec<_> = names
        .map(|name| (strsim::normalized_damerau_levenshtein(unknown, name), name))
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored
        .iter()
        .take(3)
        .map(|(_, name)| format!("--{name}"))
        .collect()
}

/// The text of `--help`, for a program of this name.
pub(crate) fn help(program: &str) -> String {
    let mut text = format!(
        "Searches text with the flags and the output of ripgrep {}, sorted by path.\n\n\
         Usage: {program} [FLAGS] PATTERN [PATH...]\n       {program} [FLAGS] -e PATTERN... [PATH...]\n       \
         {program} [FLAGS] --files [PATH...]\n\n",
        crate::RIPGREP,
    );
    for flag in FLAGS {
        let short = flag
            .short
            .map_or("    ".to_owned(), |short| format!("-{short}, "));
        let (value, help) = match flag.set {
            Set::Refused(_) => continue,
            Set::Switch(_) => ("", flag.help.to_owned()),
            Set::Value(..) => match flag.help.split_once(' ') {
                Some((name, help)) => (name, help.to_owned()),
                None => ("", flag.help.to_owned()),
            },
        };
        let names = format!("{short}--{} {value}", flag.long);
        let line = format!("  {names:<38} {help}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let refused: Vec<_> = FLAGS
        .iter()
        .filter(|flag| matches!(flag.set, Set::Refused(_)))
        .map(|flag| format!("--{}", flag.long))
        .collect();
    text.push_str(&format!("\nNot available here: {}\n", refused.join(", ")));
    text
}

const fn flag(short: char, long: &'static str, set: Set, help: &'static str) -> Flag {
    let short = if short == ' ' { None } else { Some(short) };
    Flag {
        short,
        long,
        aliases: &[],
        negated: None,
        set,
        help,
    }
}

impl Flag {
    const fn negated(mut self, name: &'static str) -> Flag {
        self.negated = Some(name);
        self
    }

    const fn alias(mut self, names: &'static [&'static str]) -> Flag {
        self.aliases = names;
        self
    }
}

/// A switch that assigns to a field.
macro_rules! switch {
    ($($field:ident).+) => {
        Set::Switch(|search, on| {
            search.$($field).+ = on;
            Ok(())
        })
    };
    ($($field:ident).+ = $on:expr, $off:expr) => {
        Set::Switch(|search, on| {
            search.$($field).+ = if on { $on } else { $off };
            Ok(())
        })
    };
    ($($field:ident).+ = $on:expr) => {
        Set::Switch(|search, _| {
            search.$($field).+ = $on;
            Ok(())
        })
    };
}

/// A flag with a value, which `$change` applies; without negation.
macro_rules! value {
    ($change:expr) => {
        Set::Value($change, |_| ())
    };
}

/// For flags that change how output is buffered or where ripgrep is configured: this command
/// buffers by itself and reads no configuration.
const NO_EFFECT: Set = Set::Switch(|_, _| Ok(()));

const LINEAR: &str = "patterns run in linear time, without PCRE2";
const NO_PROGRAMS: &str = "no other programs are started";

/// In ripgrep's order.
static FLAGS: &[Flag] = &[
    flag(
        'e',
        "regexp",
        value!(|s, v| {
            s.pattern.sources.push(PatternSource::Pattern(text(v)?));
            Ok(())
        }),
        "PATTERN A pattern to search for; may be repeated",
    ),
    flag(
        'f',
        "file",
        value!(|s, v| {
            s.pattern
                .sources
                .push(PatternSource::File(PathBuf::from(v)));
            Ok(())
        }),
        "FILE Search for the patterns in a file, one per line",
    ),
    flag(
        'A',
        "after-context",
        value!(|s, v| {
            let lines = number(v)?;
            s.output
                .context
                .limit(|context| context.after = Some(lines));
            Ok(())
        }),
        "NUM Show lines after each match",
    ),
    flag(
        'B',
        "before-context",
        value!(|s, v| {
            let lines = number(v)?;
            s.output
                .context
                .limit(|context| context.before = Some(lines));
            Ok(())
        }),
        "NUM Show lines before each match",
    ),
    flag(
        ' ',
        "binary",
        switch!(reading.binary = Binary::Withhold, Binary::Auto),
        "Search binary files, without showing their lines",
    )
    .negated("no-binary"),
    flag(' ', "block-buffered", NO_EFFECT, "Has no effect").negated("no-block-buffered"),
    flag(
        'b',
        "byte-offset",
        switch!(output.byte_offset),
        "Print the byte offset of each line or match",
    )
    .negated("no-byte-offset"),
    flag(
        's',
        "case-sensitive",
        switch!(pattern.case = CaseMode::Sensitive),
        "Search case sensitively (the default)",
    ),
    flag(
        ' ',
        "color",
        value!(|s, v| {
            s.output.color = match text(v)?.as_str() {
                "never" => Color::Never,
                "auto" => Color::Auto,
                "always" | "ansi" => Color::Always,
                other => return unknown_choice(other),
            };
            Ok(())
        }),
        "WHEN When to use color: never, auto, always, ansi",
    ),
    flag(
        ' ',
        "colors",
        value!(|s, v| {
            s.output.colors.push(parsed(v)?);
            Ok(())
        }),
        "SPEC Color settings, such as match:fg:blue",
    ),
    flag(
        ' ',
        "column",
        switch!(output.column = Some(true), Some(false)),
        "Show column numbers",
    )
    .negated("no-column"),
    flag(
        'C',
        "context",
        value!(|s, v| {
            let lines = number(v)?;
            s.output.context.limit(|context| context.both = Some(lines));
            Ok(())
        }),
        "NUM Show lines before and after each match",
    ),
    flag(
        ' ',
        "context-separator",
        Set::Value(
            |s, v| {
                s.output.context_separator = Some(separator(v)?);
                Ok(())
            },
            |s| s.output.context_separator = None,
        ),
        "SEP Separates chunks of lines",
    )
    .negated("no-context-separator"),
    flag(
        'c',
        "count",
        switch!(mode = SearchMode::Count),
        "Show the number of matching lines per file",
    ),
    flag(
        ' ',
        "count-matches",
        switch!(mode = SearchMode::CountMatches),
        "Show the number of matches per file",
    ),
    flag(
        ' ',
        "crlf",
        Set::Switch(|s, on| {
            s.pattern.crlf = on;
            s.pattern.null_data &= !on;
            Ok(())
        }),
        "Treat CRLF as a line terminator",
    )
    .negated("no-crlf"),
    flag(' ', "debug", Set::Refused("nothing is logged"), ""),
    flag(
        ' ',
        "dfa-size-limit",
        value!(|s, v| {
            s.pattern.dfa_size_limit = Some(memory(v)?);
            Ok(())
        }),
        "SIZE The upper limit of a regex's DFA",
    ),
    flag(
        'E',
        "encoding",
        Set::Value(
            |s, v| {
                s.reading.encoding = match text(v)?.as_str() {
                    "auto" => TextEncoding::Auto,
                    "none" => TextEncoding::Raw,
                    label => TextEncoding::Named(Encoding::new(label).map_err(|e| e.to_string())?),
                };
                Ok(())
            },
            |s| s.reading.encoding = TextEncoding::Auto,
        ),
        "ENCODING The text encoding of files",
    )
    .negated("no-encoding"),
    flag(
        ' ',
        "engine",
        value!(|_, v| match text(v)?.as_str() {
            "default" => Ok(()),
            "pcre2" | "auto" => Err(LINEAR.to_owned()),
            other => Err(format!("unrecognized regex engine '{other}'")),
        }),
        "ENGINE Only 'default', the linear-time engine",
    ),
    flag(
        ' ',
        "field-context-separator",
        value!(|s, v| {
            s.output.field_context_separator = separator(v)?;
            Ok(())
        }),
        "SEP Separates the fields of context lines",
    ),
    flag(
        ' ',
        "field-match-separator",
        value!(|s, v| {
            s.output.field_match_separator = separator(v)?;
            Ok(())
        }),
        "SEP Separates the fields of matching lines",
    ),
    flag(
        ' ',
        "files",
        switch!(mode = SearchMode::ListFiles),
        "Print each file that would be searched",
    ),
    flag(
        'l',
        "files-with-matches",
        switch!(mode = SearchMode::FilesWithMatches),
        "Print the paths with at least one match",
    ),
    flag(
        ' ',
        "files-without-match",
        switch!(mode = SearchMode::FilesWithoutMatch),
        "Print the paths that contain no match",
    ),
    flag(
        'F',
        "fixed-strings",
        switch!(pattern.fixed_strings),
        "Treat all patterns as literals",
    )
    .negated("no-fixed-strings"),
    flag(
        'L',
        "follow",
        switch!(selection.follow_links),
        "Follow symbolic links",
    )
    .negated("no-follow"),
    flag(
        ' ',
        "generate",
        Set::Refused("there is no manual to generate; see --help"),
        "",
    ),
    flag(
        'g',
        "glob",
        value!(|s, v| {
            s.selection.globs.push(text(v)?);
            Ok(())
        }),
        "GLOB Include files, or with ! exclude files",
    ),
    flag(
        ' ',
        "glob-case-insensitive",
        switch!(selection.globs_ignore_case),
        "Match all globs case insensitively",
    )
    .negated("no-glob-case-insensitive"),
    flag(
        ' ',
        "heading",
        switch!(output.heading = Some(true), Some(false)),
        "Print the path above the matches of each file",
    )
    .negated("no-heading"),
    flag(
        '.',
        "hidden",
        switch!(selection.hidden),
        "Search hidden files and directories",
    )
    .negated("no-hidden"),
    flag(' ', "hostname-bin", Set::Refused(NO_PROGRAMS), ""),
    flag(
        ' ',
        "hyperlink-format",
        Set::Refused("there are no hyperlinks"),
        "",
    ),
    flag(
        ' ',
        "iglob",
        value!(|s, v| {
            s.selection.case_insensitive_globs.push(text(v)?);
            Ok(())
        }),
        "GLOB Include or exclude files case insensitively",
    ),
    flag(
        'i',
        "ignore-case",
        switch!(pattern.case = CaseMode::Insensitive),
        "Search case insensitively",
    ),
    flag(
        ' ',
        "ignore-file",
        value!(|s, v| {
            s.selection.ignore_files.push(PathBuf::from(v));
            Ok(())
        }),
        "PATH An additional file of ignore rules",
    ),
    flag(
        ' ',
        "ignore-file-case-insensitive",
        switch!(selection.ignore_rules_ignore_case),
        "Match ignore rules case insensitively",
    )
    .negated("no-ignore-file-case-insensitive"),
    flag(
        ' ',
        "include-zero",
        switch!(output.include_zero),
        "Show files with zero matches in --count",
    )
    .negated("no-include-zero"),
    flag(
        'v',
        "invert-match",
        switch!(pattern.invert),
        "Show lines that do not match",
    )
    .negated("no-invert-match"),
    flag(
        ' ',
        "json",
        Set::Switch(|s, on| {
            if on {
                s.mode = SearchMode::Json;
            } else if s.mode == SearchMode::Json {
                s.mode = SearchMode::Lines;
            }
            Ok(())
        }),
        "Show matches as JSON Lines",
    )
    .negated("no-json"),
    flag(' ', "line-buffered", NO_EFFECT, "Has no effect").negated("no-line-buffered"),
    flag(
        'n',
        "line-number",
        switch!(output.line_number = Some(true)),
        "Show line numbers",
    ),
    flag(
        'N',
        "no-line-number",
        switch!(output.line_number = Some(false)),
        "Do not show line numbers",
    ),
    flag(
        'x',
        "line-regexp",
        switch!(pattern.boundary = Some(Boundary::Line)),
        "Show matches of whole lines",
    ),
    flag(
        'M',
        "max-columns",
        value!(|s, v| {
            s.output.max_columns = Some(number(v)?).filter(|&columns| columns > 0);
            Ok(())
        }),
        "NUM Leave out lines that are longer, in bytes",
    ),
    flag(
        ' ',
        "max-columns-preview",
        switch!(output.max_columns_preview),
        "Show the beginning of lines that are too long",
    )
    .negated("no-max-columns-preview"),
    flag(
        'm',
        "max-count",
        value!(|s, v| {
            s.reading.max_count = Some(number(v)?);
            Ok(())
        }),
        "NUM Show at most so many matching lines per file",
    ),
    flag(
        'd',
        "max-depth",
        value!(|s, v| {
            s.selection.max_depth = Some(number(v)?);
            Ok(())
        }),
        "NUM Descend at most so many directories",
    )
    .alias(&["maxdepth"]),
    flag(
        ' ',
        "max-filesize",
        value!(|s, v| {
            s.selection.max_filesize = Some(size(v)?);
            Ok(())
        }),
        "SIZE Leave out larger files",
    ),
    flag(
        ' ',
        "mmap",
        switch!(reading.whole_files = WholeFiles::Always, WholeFiles::Never),
        "Search each file as a whole",
    )
    .negated("no-mmap"),
    flag(
        'U',
        "multiline",
        Set::Switch(|s, on| {
            s.pattern.multiline = on;
            s.reading.stop_on_nonmatch &= !on;
            Ok(())
        }),
        "Allow matches to span lines",
    )
    .negated("no-multiline"),
    flag(
        ' ',
        "multiline-dotall",
        switch!(pattern.dot_matches_newline),
        "Let '.' match line terminators with -U",
    )
    .negated("no-multiline-dotall"),
    flag(
        ' ',
        "no-config",
        NO_EFFECT,
        "Has no effect: no configuration is read",
    ),
    flag(
        ' ',
        "no-ignore",
        Set::Switch(|s, on| {
            s.selection.ignores_nothing(on);
            Ok(())
        }),
        "Use no ignore files",
    )
    .negated("ignore"),
    flag(
        ' ',
        "no-ignore-dot",
        switch!(selection.no_ignore_dot),
        "Do not use .ignore or .rgignore files",
    )
    .negated("ignore-dot"),
    flag(
        ' ',
        "no-ignore-exclude",
        switch!(selection.no_ignore_exclude),
        "Do not use .git/info/exclude",
    )
    .negated("ignore-exclude"),
    flag(
        ' ',
        "no-ignore-files",
        switch!(selection.no_ignore_files),
        "Do not use files of --ignore-file",
    )
    .negated("ignore-files"),
    flag(
        ' ',
        "no-ignore-global",
        switch!(selection.no_ignore_global),
        "Do not use git's global ignore file",
    )
    .negated("ignore-global"),
    flag(
        ' ',
        "no-ignore-messages",
        switch!(hides_ignore_messages),
        "Do not report broken ignore files",
    )
    .negated("ignore-messages"),
    flag(
        ' ',
        "no-ignore-parent",
        switch!(selection.no_ignore_parent),
        "Do not use ignore files of parent directories",
    )
    .negated("ignore-parent"),
    flag(
        ' ',
        "no-ignore-vcs",
        switch!(selection.no_ignore_vcs),
        "Do not use .gitignore files",
    )
    .negated("ignore-vcs"),
    flag(
        ' ',
        "no-messages",
        switch!(hides_messages),
        "Do not report unreadable files",
    )
    .negated("messages"),
    flag(
        ' ',
        "no-require-git",
        switch!(selection.no_require_git),
        "Use .gitignore outside of git repositories",
    )
    .negated("require-git"),
    flag(
        ' ',
        "no-unicode",
        switch!(pattern.ascii_only),
        "Disable Unicode mode",
    )
    .negated("unicode"),
    flag(
        '0',
        "null",
        switch!(output.null_after_path = true),
        "Print a NUL byte after paths",
    ),
    flag(
        ' ',
        "null-data",
        Set::Switch(|s, _| {
            s.pattern.crlf = false;
            s.pattern.null_data = true;
            Ok(())
        }),
        "Use NUL as a line terminator",
    ),
    flag(
        ' ',
        "one-file-system",
        switch!(selection.one_file_system),
        "Do not cross file systems",
    )
    .negated("no-one-file-system"),
    flag(
        'o',
        "only-matching",
        switch!(output.only_matching = true),
        "Print only the matched parts of a line",
    ),
    flag(
        ' ',
        "path-separator",
        value!(|s, v| {
            let given = text(v)?;
            s.output.path_separator = match Vec::unescape_bytes(&given)[..] {
                [] => None,
                [byte] => Some(byte),
                ref bytes => {
                    return Err(format!(
                        "A path separator must be exactly one byte, but the given separator is {} bytes: \
                 {given}",
                        bytes.len(),
                    ));
                }
            };
            Ok(())
        }),
        "SEP The path separator to print",
    ),
    flag(
        ' ',
        "passthru",
        switch!(output.context.all = true),
        "Print matching and other lines",
    )
    .alias(&["passthrough"]),
    flag('P', "pcre2", Set::Refused(LINEAR), "").negated("no-pcre2"),
    flag(' ', "pcre2-version", Set::Refused(LINEAR), ""),
    flag(' ', "pre", Set::Refused(NO_PROGRAMS), "").negated("no-pre"),
    flag(' ', "pre-glob", Set::Refused(NO_PROGRAMS), ""),
    flag(
        'p',
        "pretty",
        Set::Switch(|s, _| {
            s.output.color = Color::Always;
            s.output.heading = Some(true);
            s.output.line_number = Some(true);
            Ok(())
        }),
        "Alias for --color=always --heading --line-number",
    ),
    flag(
        'q',
        "quiet",
        switch!(output.quiet = true),
        "Print nothing; stop at the first match",
    ),
    flag(
        ' ',
        "regex-size-limit",
        value!(|s, v| {
            s.pattern.regex_size_limit = Some(memory(v)?);
            Ok(())
        }),
        "SIZE The size limit of a compiled regex",
    ),
    flag(
        'r',
        "replace",
        value!(|s, v| {
            s.output.replacement = Some(text(v)?.into_bytes());
            Ok(())
        }),
        "TEXT Print matches replaced by a text; $1 is a group",
    ),
    flag('z', "search-zip", Set::Refused(NO_PROGRAMS), "").negated("no-search-zip"),
    flag(
        'S',
        "smart-case",
        switch!(pattern.case = CaseMode::Smart),
        "Search case insensitively unless there are capitals",
    ),
    flag(
        ' ',
        "sort",
        value!(|_, v| match text(v)?.as_str() {
            "none" | "path" => Ok(()),
            "modified" | "accessed" | "created" => Err("results are sorted by path".to_owned()),
            other => unknown_choice(other),
        }),
        "BY Only 'path': results always are sorted by path",
    ),
    flag(' ', "sortr", Set::Refused("results are sorted by path"), ""),
    flag(' ', "stats", Set::Refused("use --json for statistics"), "").negated("no-stats"),
    flag(
        ' ',
        "stop-on-nonmatch",
        Set::Switch(|s, _| {
            s.reading.stop_on_nonmatch = true;
            s.pattern.multiline = false;
            Ok(())
        }),
        "Stop at a line that does not match, after a match",
    ),
    flag(
        'a',
        "text",
        switch!(reading.binary = Binary::Text, Binary::Auto),
        "Search binary files as text",
    )
    .negated("no-text"),
    flag(
        'j',
        "threads",
        value!(|s, v| {
            s.threads = Some(number(v)?).filter(|&threads| threads > 0);
            Ok(())
        }),
        "NUM The most threads to use",
    ),
    flag(' ', "trace", Set::Refused("nothing is logged"), ""),
    flag(
        ' ',
        "trim",
        switch!(output.trim),
        "Trim leading white space from lines",
    )
    .negated("no-trim"),
    flag(
        't',
        "type",
        value!(|s, v| {
            s.selection.type_changes.push(TypeChange::Select(text(v)?));
            Ok(())
        }),
        "TYPE Search only files of a type",
    ),
    flag(
        'T',
        "type-not",
        value!(|s, v| {
            s.selection.type_changes.push(TypeChange::Negate(text(v)?));
            Ok(())
        }),
        "TYPE Do not search files of a type",
    ),
    flag(
        ' ',
        "type-add",
        value!(|s, v| {
            s.selection.type_changes.push(TypeChange::Add(text(v)?));
            Ok(())
        }),
        "SPEC Add a glob to a file type: 'foo:*.foo'",
    ),
    flag(
        ' ',
        "type-clear",
        value!(|s, v| {
            s.selection.type_changes.push(TypeChange::Clear(text(v)?));
            Ok(())
        }),
        "TYPE Clear the globs of a file type",
    ),
    flag(
        ' ',
        "type-list",
        switch!(mode = SearchMode::ListTypes),
        "Show all file types",
    ),
    flag(
        'u',
        "unrestricted",
        Set::Switch(|s, _| {
            s.selection.unrestricted += 1;
            match s.selection.unrestricted {
                1 => s.selection.ignores_nothing(true),
                2 => s.selection.hidden = true,
                3 => s.reading.binary = Binary::Withhold,
                _ => return Err("flag can only be repeated up to 3 times".to_owned()),
            }
            Ok(())
        }),
        "No ignore files; -uu also hidden, -uuu also binary files",
    ),
    flag(
        ' ',
        "vimgrep",
        switch!(output.vimgrep = true),
        "Print each match on a line of its own",
    ),
    flag(
        'H',
        "with-filename",
        switch!(output.with_filename = Some(true)),
        "Print the path with each line",
    ),
    flag(
        'I',
        "no-filename",
        switch!(output.with_filename = Some(false)),
        "Never print the path with lines",
    ),
    flag(
        'w',
        "word-regexp",
        switch!(pattern.boundary = Some(Boundary::Word)),
        "Show matches of whole words",
    ),
    flag(' ', "auto-hybrid-regex", Set::Refused(LINEAR), "").negated("no-auto-hybrid-regex"),
    flag(
        ' ',
        "no-pcre2-unicode",
        switch!(pattern.ascii_only),
        "Same as --no-unicode",
    )
    .negated("pcre2-unicode"),
    flag(
        ' ',
        "sort-files",
        NO_EFFECT,
        "Has no effect: results always are sorted by path",
    )
    .negated("no-sort-files"),
    flag(
        ' ',
        "symbols",
        switch!(output.symbols),
        "Name the enclosing symbol of each line",
    )
    .negated("no-symbols"),
];

fn text(value: OsString) -> Result<String, String> {
    value
        .into_string()
        .map_err(|_| "value is not valid UTF-8".to_owned())
}

fn number<N: FromStr<Err = std::num::ParseIntError>>(value: OsString) -> Result<N, String> {
    text(value)?
        .parse()
        .map_err(|error| format!("value is not a valid number: {error}"))
}

fn size(value: OsString) -> Result<u64, String> {
    let value = text(value)?;
    grep_cli::parse_human_readable_size(&value).map_err(|error| format!("invalid size: {error}"))
}

fn memory(value: OsString) -> Result<usize, String> {
    usize::try_from(size(value)?).map_err(|_| "size is too big".to_owned())
}

fn parsed<T: FromStr<Err: fmt::Display>>(value: OsString) -> Result<T, String> {
    text(value)?
        .parse()
        .map_err(|error: T::Err| error.to_string())
}

fn separator(value: OsString) -> Result<Vec<u8>, String> {
    match value.to_str() {
        Some(value) => Ok(Vec::unescape_bytes(value)),
        None => Err(
            "separator must be valid UTF-8 (use escape sequences to provide a separator \
                     that is not valid UTF-8)"
                .to_owned(),
        ),
    }
}

fn unknown_choice(choice: &str) -> SetResult {
    Err(format!("choice '{choice}' is unrecognized"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let mut seen = BTreeSet::new();
        for flag in FLAGS {
            for name in flag
                .aliases
                .iter()
                .copied()
                .chain([flag.long])
                .chain(flag.negated)
            {
                assert!(seen.insert(name.to_owned()), "--{name} twice");
            }
            if let Some(short) = flag.short {
                assert!(seen.insert(short.to_string()), "-{short} twice");
            }
        }
    }

    #[test]
    fn every_available_flag_has_help() {
        for flag in FLAGS {
            assert_eq!(
                flag.help.is_empty(),
                matches!(flag.set, Set::Refused(_)),
                "{flag}"
            );
        }
    }
}
