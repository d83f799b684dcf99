//! `find`: the places that a question, a message, a trace, names or paths are about.

use std::fmt::Write as _;

use answers::{
    Session,
    across::Sought,
    explore::{self, Exploration, FoundPlace},
    symbol_report::local_name,
};
use engine::{FileId, SymbolId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    opened,
    text::{self, Page, one_line},
};
use crate::{Context, PlainText, Tool, ToolError, across};

pub struct Find;

/// Locates code: a question in words, an error or stack trace, names or paths, one or many, gives the places that matter by file, with line ranges, signatures, matching lines and their calls. Use it before grep and before reading files.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    question: String,
    /// Tokens, default 1200
    budget: Option<i64>,
    r#ref: Option<String>,
    workspace: Option<String>,
}

const DEFAULT_BUDGET: usize = 1_200;
const MIN_BUDGET: i64 = 100;
const MAX_BUDGET: i64 = 20_000;
/// Places of a default budget, and so many tokens for one more.
const MAX_PLACES: usize = 12;
const TOKENS_PER_PLACE: usize = 100;
/// Places that are shown with most of their signature, and characters of it for the others, of which
/// the name tells whether one wants to see them.
const FIRST: usize = 3;
const SHORT_SIGNATURE: usize = 50;

impl Tool for Find {
    const NAME: &'static str = "find";
    type Input = Input;
    type Output = PlainText;

    fn run(context: &Context, input: Input) -> Result<PlainText, ToolError> {
        let question = input.question.trim();
        if question.is_empty() {
            return Err(ToolError::invalid_input(
                "`question` is empty; send words, a message, a stack trace, names or paths",
            ));
        }
        let budget = match input.budget {
            None => DEFAULT_BUDGET,
            Some(asked) if asked < MIN_BUDGET => {
                return Err(ToolError::invalid_input(format!(
                    "`budget` {asked} is too small; send at least {MIN_BUDGET}, or none for {DEFAULT_BUDGET}"
                )));
            }
            Some(asked) => asked.min(MAX_BUDGET) as usize,
        };
        let reference = input.r#ref.as_deref();
        let in_one = |workspace: Option<&str>, budget: usize| {
            let session = opened::open(context, workspace, reference)?;
            let max_places = MAX_PLACES.max(budget / TOKENS_PER_PLACE);
            let found = explore::explore(&session, question, max_places);
            context.check()?;
            Ok(PlainText(shown(&session, &found, budget)))
        };
        match across::several(context, input.workspace.as_deref()) {
            Some(names) => {
                let sought = Sought::Words(question);
                opened::texts_of_several(context, names, sought, |name, n_opened| {
                    in_one(Some(name), (budget / n_opened).max(MIN_BUDGET as usize))
                })
            }
            None => in_one(input.workspace.as_deref(), budget),
        }
    }
}

fn shown(session: &Session, found: &Exploration, budget: usize) -> String {
    let mut page = Page::new(budget);
    let mut ends = opened::notes(session, found.cut);
    if found.is_thin {
        ends.insert_str(0, &thin(found));
    }
    let links = connections(session, found);
    // The places come first, but not at the cost of how they are connected.
    let reserved = links
        .iter()
        .map(|link| crate::tokens::count(link))
        .sum::<usize>();
    let reserved = reserved.min(budget / 6) + crate::tokens::count(&ends) + 8;
    page.reserve(reserved);
    let mut files: Vec<(FileId, Vec<String>)> = Vec::new();
    let mut n_shown = 0;
    for (i, place) in found.places.iter().enumerate() {
        let room = if i < FIRST {
            text::SIGNATURE
        } else {
            SHORT_SIGNATURE
        };
        let piece = place_text(session, place, room);
        let is_new = !files.iter().any(|(file, _)| *file == place.file);
        let path = session.path(place.file);
        let cost = crate::tokens::count(&piece)
            + if is_new {
                crate::tokens::count(path) + 1
            } else {
                0
            };
        if cost > page.left() {
            break;
        }
        page.reserve(cost);
        n_shown += 1;
        match files.iter_mut().find(|(file, _)| *file == place.file) {
            Some((_, pieces)) => pieces.push(piece),
            None => files.push((place.file, vec![piece])),
        }
    }
    for (file, pieces) in files {
        page.text += session.path(file);
        page.text += "\n";
        page.text.extend(pieces);
    }
    page.release(reserved);
    let n_left = found.places.len() - n_shown;
    if n_left > 0 {
        ends += &format!(
            "{} left out: send a larger `budget`\n",
            text::counted(n_left, "place")
        );
    }
    page.reserve(crate::tokens::count(&ends));
    for link in links {
        page.add_if_fits(&link);
    }
    page.text + &ends
}

/// A place below the line of its path, with at most so many characters of its signature.
fn place_text(session: &Session, place: &FoundPlace, room: usize) -> String {
    let (first, last) = place.lines;
    let mut out = match place.symbol {
        Some(symbol) => {
            let lines = if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            };
            let signature = text::signature_below_path(session, symbol, room);
            format!("  {lines} {signature}\n")
        }
        None if place.matching.is_empty() => {
            format!("  {}\n", text::counted(last as usize, "line"))
        }
        None => String::new(),
    };
    for (line, written) in &place.matching {
        // Writing to a string does not fail.
        let _ = writeln!(out, "    {line}: {}", text::source_line(written));
    }
    out
}

/// How the places are connected, one line for each that uses others. They were shown with what is
/// around them, so their names suffice where no other place has the same.
fn connections(session: &Session, found: &Exploration) -> Vec<String> {
    let shown = found.places.iter().filter_map(|place| place.symbol);
    let shown: Vec<(String, String)> = shown
        .map(|symbol| (session.name(symbol), local_name(session, symbol)))
        .collect();
    let short = |symbol: SymbolId| {
        let (name, qualified) = (session.name(symbol), local_name(session, symbol));
        let is_other = |(known, whole): &(String, String)| *known == name && *whole != qualified;
        if shown.iter().any(is_other) {
            qualified
        } else {
            name
        }
    };
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for link in &found.links {
        let (from, to) = (short(link.from), short(link.to));
        // Overloads that call one another look as if they were one.
        if from == to {
            continue;
        }
        let start = format!("{from} {} ", link.kind.as_str());
        match lines.iter_mut().find(|(known, _)| *known == start) {
            Some((_, all)) if all.contains(&to) => {}
            Some((_, all)) => all.push(to),
            None => lines.push((start, vec![to])),
        }
    }
    let line = |(start, all): &(String, Vec<String>)| format!("{start}{}\n", all.join(", "));
    lines.iter().map(line).collect()
}

/// What was searched, where the places may not be what was meant.
fn thin(found: &Exploration) -> String {
    const MAX_WORDS: usize = 12;
    if found.words.is_empty() {
        return "thin: the question has no word to search for\n".to_owned();
    }
    let words: Vec<&str> = found
        .words
        .iter()
        .take(MAX_WORDS)
        .map(String::as_str)
        .collect();
    let missing: Vec<&str> = found
        .unmatched
        .iter()
        .take(MAX_WORDS)
        .map(String::as_str)
        .collect();
    let mut line = format!(
        "thin: searched names, paths and text for {}",
        words.join(" ")
    );
    if !missing.is_empty() && missing.len() < words.len() {
        line += &format!("; not found: {}", missing.join(" "));
    }
    one_line(&line) + "\n"
}
