//! Where a list that a cap cut goes on. Not part of the documents: absent under
//! `--strict-contract`.

use std::hash::{Hash, Hasher};

use super::{errors, session::Session};
use crate::ToolError;

/// A list of which one answer shows a part.
pub struct Page {
    key: u64,
    pub start: usize,
    pub len: usize,
}

impl Page {
    /// `question` is everything that decides what is in the list.
    pub fn of(
        session: &Session<'_>,
        question: impl Hash,
        cursor: Option<&str>,
        len: usize,
    ) -> Result<Page, ToolError> {
        let mut hasher = rustc_hash::FxHasher::default();
        question.hash(&mut hasher);
        session.revision().hash(&mut hasher);
        let key = hasher.finish();
        let start = match cursor {
            None => 0,
            Some(_) if session.context.strict => {
                return Err(errors::invalid("unknown field `cursor`"));
            }
            Some(cursor) => {
                let parts = cursor.split_once('-').and_then(|(key, start)| {
                    Some((
                        u64::from_str_radix(key, 16).ok()?,
                        start.parse::<usize>().ok()?,
                    ))
                });
                match parts {
                    Some((of, start)) if of == key => start,
                    _ => {
                        return Err(errors::invalid(
                            "the cursor belongs to another question, or what it was made for has changed: ask again without it",
                        ));
                    }
                }
            }
        };
        Ok(Page { key, start, len })
    }

    /// The part of a list that the answer shows.
    pub fn cut<T>(&self, list: Vec<T>) -> Vec<T> {
        list.into_iter().skip(self.start).take(self.len).collect()
    }

    /// Whether something stands after this page.
    pub fn is_cut(&self, total: usize) -> bool {
        self.start + self.len < total
    }

    pub fn next(&self, session: &Session<'_>, total: usize) -> Option<String> {
        (!session.context.strict && self.is_cut(total))
            .then(|| format!("{:x}-{}", self.key, self.start + self.len))
    }
}
