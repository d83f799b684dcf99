//! What the gateway's tools keep between calls: the lists that clients page through, and how far every workspace has moved.

use std::sync::LazyLock;

use super::{epochs::Epochs, pages::Pages};

#[derive(Default)]
pub struct Gateway {
    pub(super) pages: Pages,
    pub(super) epochs: Epochs,
}

impl Gateway {
    /// For hosts that have none of their own.
    pub fn shared() -> &'static Gateway {
        static SHARED: LazyLock<Gateway> = LazyLock::new(Gateway::default);
        &SHARED
    }
}
