//! Which line of the base a line of the head is, in a file that changed.

use std::time::{Duration, Instant};

use similar::DiffOp;

use crate::{FileId, Resolver, differences::operations};

/// Later, two texts count as different as a whole.
const PATIENCE: Duration = Duration::from_millis(200);

/// From lines of the head to those of the base; 0-based.
#[derive(Default)]
pub(super) struct LineMap {
    base: Vec<Option<u32>>,
}

impl LineMap {
    pub fn new(base: &Resolver, before: FileId, head: &Resolver, after: FileId) -> LineMap {
        let text = |resolver: &Resolver, file: FileId| {
            let snapshot = resolver.snapshot();
            snapshot.corpus().text(snapshot.file(file).content)
        };
        let (Some(old), Some(new)) = (text(base, before), text(head, after)) else {
            return LineMap::default();
        };
        let olds: Vec<&str> = old.lines().collect();
        let news: Vec<&str> = new.lines().collect();
        let mut lines = vec![None; news.len()];
        let until = Some(Instant::now() + PATIENCE);
        for op in operations(&olds, &news, until) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                for i in 0..len {
                    lines[new_index + i] = Some((old_index + i) as u32);
                }
            }
        }
        LineMap { base: lines }
    }

    /// The line of the base that this line of the head is, if its text is unchanged.
    pub fn before(&self, line_index: u32) -> Option<u32> {
        self.base.get(line_index as usize).copied().flatten()
    }
}
