//! What became of every place that has a symbol's name, and what was not looked at: an empty list
//! of references can then be told from one that could not see.

use std::collections::BTreeSet;

use engine::{
    ContentNumber, FileId,
    query::{Account, search::TextIndex},
};
use facts::{Facts, Trivia, TriviaKind};

use crate::Session;

/// Every occurrence of a name that does not mean the symbol asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// Those in code.
    pub account: Account,
    pub elsewhere: TextOccurrences,
    /// Files that are there and were not read.
    pub n_files_not_indexed: usize,
}

/// Occurrences of a name outside of understood code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextOccurrences {
    /// In comments and strings of code.
    pub in_text: usize,
    /// Of those: in strings, and in comments that tools read (`//go:linkname`).
    pub in_strings: usize,
    /// In files that are no code.
    pub in_other_files: usize,
    /// In code that was not understood: broken, or of a construct without a meaning to us.
    pub not_understood: usize,
    /// How many files were searched, where more than that hold the word.
    pub cut_at_files: Option<usize>,
    /// The first places.
    pub places: Vec<(FileId, u32)>,
}

const MAX_FILES: usize = 2_000;
const MAX_PLACES: usize = 5;

impl Occurrences {
    /// Looks for a name in every text of the snapshot; `account` tells of its places in code.
    pub fn of(session: &Session, name: &str, account: Account) -> Occurrences {
        let cache = &session.cache.occurrences;
        let known = cache.lock().get(name);
        let elsewhere = known.unwrap_or_else(|| {
            let counted = TextOccurrences::of(session, name);
            cache.lock().keep(name.to_owned(), counted.clone(), 1);
            counted
        });
        Occurrences {
            account,
            elsewhere,
            n_files_not_indexed: session.view.skipped.len(),
        }
    }

    /// What became of the places, each with its number, as people read it; nothing where the name is
    /// written nowhere else.
    pub fn in_words(&self) -> Vec<String> {
        let (account, texts) = (&self.account, &self.elsewhere);
        let parts = [
            (account.others, "of another meaning"),
            (account.ambiguous, "ambiguous"),
            (account.unresolved, "unresolved"),
            (texts.in_text, "in comments and strings"),
            (texts.in_other_files, "in files that are no code"),
            (texts.not_understood, "in code that was not understood"),
        ];
        let some = parts.into_iter().filter(|(n, _)| *n > 0);
        some.map(|(n, what)| format!("{n} {what}")).collect()
    }
}

impl TextOccurrences {
    /// Of a common name this reads many files.
    fn of(session: &Session, name: &str) -> TextOccurrences {
        let mut occurrences = TextOccurrences::default();
        let mut word = None;
        session.text_index().words(name, &mut |found| {
            word.get_or_insert_with(|| found.to_owned());
        });
        let Some(word) = word else {
            return occurrences;
        };
        let contents: Vec<ContentNumber> = match session.view.cold() {
            Some(cold) => cold.holding(name),
            None => match session.text_index().matches(&[&word]) {
                Ok(found) => {
                    let documents = found.documents.iter();
                    documents.map(|document| document.content).collect()
                }
                Err(_) => {
                    occurrences.cut_at_files = Some(0);
                    return occurrences;
                }
            },
        };
        let files: BTreeSet<FileId> = contents
            .iter()
            .flat_map(|content| session.snapshot().files_of(*content))
            .copied()
            .collect();
        occurrences.cut_at_files = (files.len() > MAX_FILES).then_some(MAX_FILES);
        for file in files.into_iter().take(MAX_FILES) {
            occurrences.count_in(session, file, name);
        }
        occurrences
    }

    fn count_in(&mut self, session: &Session, file: FileId, name: &str) {
        let (Some(facts), Some(text)) = (session.facts(file), session.text(file)) else {
            return;
        };
        let is_code = session
            .snapshot()
            .corpus()
            .semantics(session.snapshot().file(file).language)
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
        let mut is_read = false;
        for at in whole_words(&text, name) {
            let place = at as u32;
            // Both are in order; what starts before the place and ends after it holds it.
            while let Some(begun) = trivia.next_if(|trivia| trivia.span.start <= place) {
                trivia_end = trivia_end.max(begun.span.end);
                is_read = begun.kind == TriviaKind::String || is_directive(&text, begun);
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
            self.in_strings += usize::from(is_code && place < trivia_end && is_read);
            if self.places.len() < MAX_PLACES {
                self.places.push((file, place));
            }
        }
    }
}

/// Whether a comment tells a tool what to do with a name.
fn is_directive(text: &str, comment: &Trivia) -> bool {
    let span = comment.span;
    let text = text.get(span.start as usize..span.end as usize);
    text.is_some_and(|text| text.starts_with("//go:") || text.starts_with("//export "))
}

/// Where the facts know the name: as a reference, symbol, binding, import or export.
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
