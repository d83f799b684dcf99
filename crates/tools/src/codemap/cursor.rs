//! Where a list that a cap cut goes on. Not part of the documents: absent under
//! `--strict-contract`.

use std::hash::{Hash, Hasher};

use schemars::JsonSchema;
use serde::Serialize;

use super::{errors, request::Request};
use crate::ToolError;

/// A list of which one answer shows a part.
pub struct Page {
    key: u64,
    pub start: usize,
    pub len: usize,
}

// How much of a list an answer shows. No doc comment: it would become a description in the schema
// of every answer that flattens this.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageInfo {
    total_count: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Page {
    /// `question` is everything that decides what is in the list.
    pub fn of(
        request: &Request<'_>,
        question: impl Hash,
        cursor: Option<&str>,
        len: usize,
    ) -> Result<Page, ToolError> {
        let mut hasher = rustc_hash::FxHasher::default();
        question.hash(&mut hasher);
        request.revision().hash(&mut hasher);
        let key = hasher.finish();
        let start = match cursor {
            None => 0,
            Some(_) if request.context.strict => {
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

    pub fn info(&self, request: &Request<'_>, total_count: usize) -> PageInfo {
        PageInfo {
            total_count,
            truncated: self.is_cut(total_count),
            next_cursor: self.next(request, total_count),
        }
    }

    /// Whether the list goes on after this page.
    pub fn is_cut(&self, total: usize) -> bool {
        self.start + self.len < total
    }

    pub fn next(&self, request: &Request<'_>, total: usize) -> Option<String> {
        (!request.context.strict && self.is_cut(total))
            .then(|| format!("{:x}-{}", self.key, self.start + self.len))
    }
}
