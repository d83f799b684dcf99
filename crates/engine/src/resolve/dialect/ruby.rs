//! Ruby: all constants of a program share one tree of names.

use super::{Dialect, Merging};

pub(super) struct Ruby;

impl Dialect for Ruby {
    fn has_global_names(&self) -> bool {
        true
    }

    /// Every `class` of a name reopens it.
    fn merging(&self) -> Merging {
        Merging::Program
    }
}
