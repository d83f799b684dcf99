//! One question over many repositories: tables of names and words tell which of them can answer it,
//! and only those are opened.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use engine::{Unreadable, query::search::is_stop_word};
use parking_lot::Mutex;
use workspace::PublishedCommit;

use crate::{NotServed, Scope, Workspaces};

/// What is looked for in every repository.
#[derive(Clone, Copy, Debug)]
pub enum Sought<'a> {
    /// Symbols of any of these names.
    Names(&'a [&'a str]),
    /// Words, and symbols that they spell.
    Words(&'a str),
    /// Files that may hold one piece of each list; every file where there is none.
    Pieces(&'a [Vec<String>]),
}

/// Which of many repositories a question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedRepositories {
    /// Those that hold something of it, best first.
    pub holding: Vec<Box<str>>,
    pub n_asked: usize,
    /// Those of which nothing could be read, or not in time.
    pub unread: Vec<Box<str>>,
}

/// Repositories that are read at the same time: most of it is waiting for the store.
const AT_ONCE: usize = 16;
/// Words of a question that count.
const MAX_WORDS: usize = 12;

impl Workspaces {
    /// Whether a request's `workspace` names several repositories: `*`, `BEGINNING*`, or a list with
    /// commas.
    pub fn means_several(named: Option<&str>) -> bool {
        named.is_some_and(|named| named.contains(['*', ',']))
    }

    /// The repositories that such a `workspace` names, in order: those that are registered by their
    /// paths, published ones by their names. A name of the list that is not served is refused.
    pub fn several(&self, named: &str) -> Result<Vec<Box<str>>, NotServed> {
        let words = named.split(',').map(str::trim);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let wanted = Scope::of(words.iter().copied()).map_err(|_| NotServed::Unpublished)?;
        let registered = self.registered().iter();
        let mut all: Vec<Box<str>> = registered
            .map(|root| root.to_string_lossy().into())
            .collect();
        all.extend(self.repositories()?);
        let is_unknown =
            |word: &&str| !word.contains('*') && !all.iter().any(|name| **name == **word);
        if words.iter().any(is_unknown) {
            return Err(NotServed::Unpublished);
        }
        all.retain(|name| wanted.allows(name));
        Ok(all)
    }

    /// Asks the tables of each repository. One that does not answer until then counts as unread.
    pub fn rank(
        &self,
        names: &[Box<str>],
        sought: Sought<'_>,
        until: Instant,
    ) -> RankedRepositories {
        let next = AtomicUsize::new(0);
        let held: Mutex<Vec<(usize, Vec<u64>)>> = Mutex::default();
        let work = || {
            while let Some((i, name)) = {
                let i = next.fetch_add(1, Ordering::Relaxed);
                names.get(i).map(|name| (i, name))
            } {
                if Instant::now() >= until {
                    return;
                }
                if let Ok(counts) = self.holds(name, sought) {
                    held.lock().push((i, counts));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(names.len()) {
                scope.spawn(work);
            }
        });
        let held = held.into_inner();
        let weights = weights(&held);
        let mut ranked: Vec<(f64, u64, usize)> = Vec::new();
        let mut is_read = vec![false; names.len()];
        for (i, counts) in &held {
            is_read[*i] = true;
            let is_held = counts.iter().any(|n| *n > 0);
            if is_held {
                ranked.push((worth(counts, &weights), counts.iter().sum(), *i));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        let unread = (0..names.len()).filter(|i| !is_read[*i]);
        RankedRepositories {
            holding: ranked.iter().map(|(.., i)| names[*i].clone()).collect(),
            n_asked: names.len(),
            unread: unread.map(|i| names[i].clone()).collect(),
        }
    }

    /// How much a repository holds of each part of what is sought.
    fn holds(&self, name: &str, sought: Sought<'_>) -> Result<Vec<u64>, Unreadable> {
        let Some(published) = self.published_commit(name)? else {
            return self.holds_here(name, sought);
        };
        match sought {
            Sought::Names(names) => {
                let found = published.defining(names)?;
                Ok(found.iter().map(|found| found.len() as u64).collect())
            }
            Sought::Words(text) => {
                let (words, names) = parts(text);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let mut counts = published.n_holding(&words)?;
                let defined = published.defining(&names)?;
                counts.extend(defined.iter().map(|found| found.len() as u64));
                Ok(counts)
            }
            Sought::Pieces([]) => Ok(vec![1]),
            Sought::Pieces(lists) => Ok(vec![published.may_hold(lists)?.len() as u64]),
        }
    }

    /// Of a directory, from its index as it is.
    fn holds_here(&self, name: &str, sought: Sought<'_>) -> Result<Vec<u64>, Unreadable> {
        let workspace = self.find(Some(name)).map_err(|_| Unreadable)?;
        let (view, _) = workspace
            .at_ref(None, Duration::from_secs(2))
            .map_err(|_| Unreadable)?;
        let n_of = |name: &&str| {
            let found = view.snapshot.corpus().defining(name)?;
            let is_here = |content: &&_| view.contents().contains(**content);
            Ok(found.iter().filter(is_here).count() as u64)
        };
        let unreadable = |_: workspace::Error| Unreadable;
        match sought {
            Sought::Names(names) => names.iter().map(n_of).collect(),
            Sought::Words(text) => {
                let (words, names) = parts(text);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let matches = workspace
                    .text()
                    .matches(&view, &words)
                    .map_err(unreadable)?;
                let mut counts: Vec<u64> =
                    matches.words.iter().map(|hits| hits.len() as u64).collect();
                for name in &names {
                    counts.push(n_of(name)?);
                }
                Ok(counts)
            }
            // Reading it takes less time than asking.
            Sought::Pieces(_) => Ok(vec![1]),
        }
    }

    /// The default ref of a published repository; nothing for a directory.
    fn published_commit(&self, name: &str) -> Result<Option<Arc<dyn PublishedCommit>>, Unreadable> {
        let Some(published) = self.published_routing() else {
            return Ok(None);
        };
        if std::path::Path::new(name).is_absolute() {
            return Ok(None);
        }
        let found = published.indexes.published_ref(name, None)?;
        found.map(Some).ok_or(Unreadable)
    }
}

/// What each part is worth: one that few repositories hold tells more than one that all hold.
fn weights(all: &[(usize, Vec<u64>)]) -> Vec<f64> {
    let n_parts = all.iter().map(|(_, counts)| counts.len()).max();
    let weight = |part: usize| {
        let holds = |held: &&(usize, Vec<u64>)| held.1.get(part).is_some_and(|n| *n > 0);
        let n_holding = all.iter().filter(holds).count();
        (1.0 + all.len() as f64 / n_holding.max(1) as f64).ln()
    };
    (0..n_parts.unwrap_or(0)).map(weight).collect()
}

fn worth(counts: &[u64], weights: &[f64]) -> f64 {
    let held = counts.iter().zip(weights).filter(|(n, _)| **n > 0);
    held.map(|(_, weight)| weight).sum()
}

/// The words of a question that tell something, and what in it may be a symbol's name.
fn parts(text: &str) -> (Vec<String>, Vec<&str>) {
    let mut words: Vec<String> = Vec::new();
    workspace::words(text, |word| {
        let is_new = !words.iter().any(|known| known == word);
        if is_new && word.len() > 1 && !is_stop_word(word) && words.len() < MAX_WORDS {
            words.push(word.to_owned());
        }
    });
    let is_name = |name: &&str| name.len() > 2 && !is_stop_word(&name.to_lowercase());
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut names: Vec<&str> = names.filter(is_name).take(MAX_WORDS).collect();
    names.dedup();
    (words, names)
}

/// The last part of a name as people write it: `total` of `Cart.total`, `shop::Cart::total/1` or
/// `total(int)`.
pub fn own_name(text: &str) -> &str {
    let name = text.split(['(', '<', ' ']).next().unwrap_or(text);
    let is_arity = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    let name = match name.rsplit_once('/') {
        Some((name, end)) if is_arity(end) => name,
        _ => name,
    };
    name.rsplit(['.', ':', '#', '\\', '/'])
        .next()
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_is_looked_up() {
        for text in [
            "total",
            "Cart.total",
            "a::Cart::total/1",
            "total(int)",
            "x.py#Cart.total",
        ] {
            assert_eq!(own_name(text), "total", "{text}");
        }
    }

    #[test]
    fn rare_parts_are_worth_more_than_common_ones() {
        let all = [
            (0, vec![5, 0]),
            (1, vec![9, 0]),
            (2, vec![1, 0]),
            (3, vec![0, 1]),
        ];
        let weights = weights(&all);
        let worth = |i: usize| worth(&all[i].1, &weights);
        assert!(worth(3) > worth(0) && worth(0) == worth(1) && worth(0) > 0.0);
    }

    #[test]
    fn a_question_has_words_and_names() {
        let (words, names) = parts("where is the HttpServer started?");
        assert!(names.contains(&"HttpServer"), "{names:?}");
        assert!(!words.contains(&"the".to_owned()), "{words:?}");
    }
}
