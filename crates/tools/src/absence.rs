//! What became of every place that bears a symbol's name, and what was not looked at: so that an
//! empty list can be told from one that could not see.

use std::collections::BTreeSet;

use engine::{
    FileId, SymbolId,
    query::{Account, search::TextIndex},
};
use facts::{Facts, TriviaKind};
use serde_json::{Value, json};

use crate::Moment;

/// The account of a name that nothing in code means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absence {
    /// Places in code.
    pub account: Account,
    /// Occurrences in comments and strings of code.
    pub in_text: usize,
    /// Occurrences in files that are no code.
    pub in_other_files: usize,
    /// Occurrences in code that was not understood: broken, or of a construct without a meaning to
    /// us.
    pub not_understood: usize,
    /// Files that are there and were not read.
    pub not_indexed: usize,
    /// More files hold the word than were looked at.
    pub is_cut: bool,
    /// The first places outside of understood code.
    pub places: Vec<(FileId, u32)>,
}

const MAX_FILES: usize = 2_000;
const MAX_PLACES: usize = 5;

impl Absence {
    /// Looks for the name of `symbol` in every text of the moment; `account` tells of its places in
    /// code.
    pub fn of(moment: &Moment, symbol: SymbolId, account: Account) -> Absence {
        let name = moment.name(symbol);
        let known = moment.known.absences.lock().get(&name);
        let in_texts = known.unwrap_or_else(|| {
            let counted = Absence::in_texts(moment, &name);
            moment.known.absences.lock().keep(name, counted.clone(), 1);
            counted
        });
        Absence {
            account,
            not_indexed: moment.view.skipped.len(),
            ..in_texts
        }
    }

    /// The part that texts tell, which of a common name takes reading many files.
    fn in_texts(moment: &Moment, name: &str) -> Absence {
        let mut absence = Absence::default();
        let mut word = None;
        moment.text_index().words(name, &mut |found| {
            word.get_or_insert_with(|| found.to_owned());
        });
        let Some(word) = word else { return absence };
        let found = moment.text_index().matches(&[&word]);
        let files: BTreeSet<FileId> = found
            .documents
            .iter()
            .flat_map(|document| moment.snapshot().files_of(document.content))
            .copied()
            .collect();
        absence.is_cut = files.len() > MAX_FILES;
        for file in files.into_iter().take(MAX_FILES) {
            absence.count_in(moment, file, name);
        }
        absence
    }

    fn count_in(&mut self, moment: &Moment, file: FileId, name: &str) {
        let (Some(facts), Some(text)) = (moment.facts(file), moment.text(file)) else {
            return;
        };
        let is_code = moment
            .snapshot()
            .corpus()
            .semantics(moment.snapshot().file(file).language)
            .is_some();
        let understood = if is_code {
            understood(&facts, name)
        } else {
            BTreeSet::new()
        };
        let mut trivia = facts
            .trivia
            .iter()
            .filter(|trivia| matches!(trivia.kind, TriviaKind::Comment | TriviaKind::String))
            .peekable();
        let mut trivia_end = 0;
        for at in whole_words(&text, name) {
            let place = at as u32;
            // Both are in order; what starts before the place and ends after it holds it.
            while let Some(begun) = trivia.next_if(|trivia| trivia.span.start <= place) {
                trivia_end = trivia_end.max(begun.span.end);
            }
            let counter = if !is_code {
                &mut self.in_other_files
            } else if place < trivia_end {
                &mut self.in_text
            } else if understood.contains(&place) {
                continue;
            } else {
                &mut self.not_understood
            };
            *counter += 1;
            if self.places.len() < MAX_PLACES {
                self.places.push((file, place));
            }
        }
    }

    pub fn to_json(&self) -> Value {
        let mut json = account_json(&self.account);
        json["in_comments_and_strings"] = json!(self.in_text);
        json["in_other_files"] = json!(self.in_other_files);
        json["not_understood"] = json!(self.not_understood);
        json["files_not_indexed"] = json!(self.not_indexed);
        if self.is_cut {
            json["files_searched"] = json!(MAX_FILES);
        }
        json
    }

    /// In words, after a full stop.
    pub fn sentence(&self) -> String {
        let Account {
            others,
            ambiguous,
            unresolved,
            ..
        } = self.account;
        let parts = [
            (others, "mean something else"),
            (ambiguous, "could mean it or another"),
            (unresolved, "could not be resolved"),
            (self.in_text, "stand in comments and strings"),
            (self.in_other_files, "stand in files that are no code"),
            (self.not_understood, "stand in code that was not understood"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
        let searched = if self.is_cut {
            format!(" Only {MAX_FILES} files were searched for it.")
        } else {
            String::new()
        };
        let unread = if self.not_indexed > 0 {
            format!(" {} files are not indexed.", self.not_indexed)
        } else {
            String::new()
        };
        match parts.is_empty() {
            true => format!(" Its name stands nowhere else.{searched}{unread}"),
            false => format!(
                " Of the other places with its name, {}.{searched}{unread}",
                parts.join(", ")
            ),
        }
    }
}

/// The part that code alone tells.
pub fn account_json(account: &Account) -> Value {
    json!({
        "files_with_name": account.files,
        "other_meanings": account.others,
        "ambiguous": account.ambiguous,
        "unresolved": account.unresolved,
    })
}

/// Where the name stands as something that the facts know.
fn understood(facts: &Facts, name: &str) -> BTreeSet<u32> {
    let Some(id) = facts.names.find(name) else {
        return BTreeSet::new();
    };
    let references = facts
        .references_of(id)
        .iter()
        .map(|reference| reference.span.start);
    let symbols = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.name == id)
        .map(|symbol| symbol.name_span.start);
    let bindings = facts
        .bindings
        .iter()
        .filter(|binding| binding.name == id)
        .map(|binding| binding.name_span.start);
    let imports = facts
        .imports
        .iter()
        .flat_map(|import| [Some(import.name_span), import.alias_span])
        .flatten()
        .map(|span| span.start);
    let exports = facts.exports.iter().map(|export| export.name_span.start);
    references
        .chain(symbols)
        .chain(bindings)
        .chain(imports)
        .chain(exports)
        .collect()
}

fn whole_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            !text[..*at].chars().next_back().is_some_and(is_part)
                && !text[at + word.len()..].chars().next().is_some_and(is_part)
        })
}
