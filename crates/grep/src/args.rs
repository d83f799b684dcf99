//! Turns ripgrep's arguments into a [`GrepSearch`]. The flags themselves are listed in `flags.rs`.

use std::{ffi::OsString, path::PathBuf};

use crate::{
    Error,
    flags::{self, Set},
    search::{GrepSearch, PatternSource, SearchMode},
};

/// What a list of arguments asks for.
#[derive(Debug)]
pub enum GrepRequest {
    Search(Box<GrepSearch>),
    Help,
    Version,
}

/// Parses arguments as ripgrep does, without the name of the program in front.
pub fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString>>,
) -> Result<GrepRequest, Error> {
    let mut search = GrepSearch::default();
    let mut positional = Vec::new();
    let mut parser = lexopt::Parser::from_args(arguments);
    loop {
        let argument = match parser.next() {
            Ok(Some(argument)) => argument,
            Ok(None) => break,
            Err(error) => return Err(Error::Usage(format!("invalid CLI arguments: {error}"))),
        };
        let (name, lookup) = match argument {
            lexopt::Arg::Value(value) => {
                positional.push(value);
                continue;
            }
            lexopt::Arg::Short('h') | lexopt::Arg::Long("help") => return Ok(GrepRequest::Help),
            lexopt::Arg::Short('V') | lexopt::Arg::Long("version") => {
                return Ok(GrepRequest::Version);
            }
            lexopt::Arg::Short(short) => (format!("-{short}"), flags::by_short(short)),
            lexopt::Arg::Long(long) => (format!("--{long}"), flags::by_long(long)),
        };
        let Some((flag, negated)) = lookup else {
            return Err(Error::Usage(unrecognized(&name)));
        };
        let outcome = match (flag.set, negated) {
            (Set::Refused(_), true) => Ok(()), // Switching off what never is on changes nothing.
            (Set::Refused(reason), false) => return Err(refusal(flag, reason)),
            (Set::Switch(set), _) => set(&mut search, !negated),
            (Set::Value(_, reset), true) => {
                reset(&mut search);
                Ok(())
            }
            (Set::Value(set, _), false) => match parser.value() {
                Ok(value) => set(&mut search, value),
                Err(error) => {
                    return Err(Error::Usage(format!(
                        "missing value for flag {name}: {error}"
                    )));
                }
            },
        };
        outcome.map_err(|error| Error::Usage(format!("error parsing flag {name}: {error}")))?;
    }
    assign_positional(&mut search, positional)?;
    search.selection.check()?;
    Ok(GrepRequest::Search(Box::new(search)))
}

/// The first positional argument is the pattern unless `-e` or `-f` gave one; the rest are paths.
fn assign_positional(search: &mut GrepSearch, positional: Vec<OsString>) -> Result<(), Error> {
    let mut positional = positional.into_iter();
    if search.is_matching() && search.pattern.sources.is_empty() {
        let Some(pattern) = positional.next() else {
            return Err(Error::Usage(
                "a search requires at least one pattern; see --help".to_owned(),
            ));
        };
        let Ok(pattern) = pattern.into_string() else {
            return Err(Error::Usage("pattern given is not valid UTF-8".to_owned()));
        };
        search.pattern.sources.push(PatternSource::Pattern(pattern));
    }
    search.selection.paths = positional.map(PathBuf::from).collect();
    if search
        .selection
        .paths
        .iter()
        .any(|path| path.as_os_str() == "-")
    {
        return Err(Error::Usage(
            "standard input is not searched here; give paths".to_owned(),
        ));
    }
    search.selection.only_lists = !search.is_matching();
    if search.output.symbols {
        search.check_symbols()?;
    }
    // `-v --count-matches` counts lines, and `-o --count` counts matches.
    match search.mode {
        SearchMode::CountMatches if search.pattern.invert => search.mode = SearchMode::Count,
        SearchMode::Count if search.output.only_matching => search.mode = SearchMode::CountMatches,
        _ => {}
    }
    Ok(())
}

fn refusal(flag: &flags::Flag, reason: &str) -> Error {
    Error::Usage(format!(
        "ripgrep's flag {flag} is not available here: {reason}"
    ))
}

fn unrecognized(name: &str) -> String {
    let near = name
        .strip_prefix("--")
        .map(flags::similar)
        .unwrap_or_default();
    if near.is_empty() {
        return format!("unrecognized flag {name}");
    }
    format!(
        "unrecognized flag {name}, similar flags that are available: {}",
        near.join(", ")
    )
}
