//! What the gateway's tools keep between calls: the lists that clients page through, how far every workspace has moved, the language
//! servers, and what was wrong when somebody asked last.

use std::sync::LazyLock;

use language_servers::{FileChange, FileChangeKind, Pool, ServerReport, Settings};

use super::{
    baselines::Baselines,
    epochs::{ChangeKind, Epoch, Epochs},
    pages::Pages,
    servers::{Choice, Servers},
};
use crate::Moment;

/// One for a process.
#[derive(Default)]
pub struct Gateway {
    pub(super) pages: Pages,
    pub(super) epochs: Epochs,
    pub(super) servers: Servers,
    pub(super) baselines: Baselines,
}

impl Gateway {
    /// Starts nothing yet: a language server starts with the first question about a trusted workspace.
    pub fn new(choice: Choice, settings: Settings) -> Gateway {
        Gateway { servers: Servers::new(choice, settings), ..Gateway::default() }
    }

    /// For hosts that have none of their own, and so no language servers either.
    pub fn shared() -> &'static Gateway {
        static SHARED: LazyLock<Gateway> = LazyLock::new(|| Gateway::new(Choice::Index, Settings::default()));
        &SHARED
    }

    /// The language servers that run or ran, if any was ever needed.
    pub fn pool(&self) -> Option<&Pool> {
        self.servers.pool()
    }

    /// For `doctor`: which servers this machine has, their versions, and how to install the others. Runs each for its version.
    pub fn reports(&self) -> Vec<ServerReport> {
        self.servers.reports()
    }

    /// Takes in how a workspace looks now, and tells the servers what changed.
    pub(super) fn observe(&self, moment: &Moment) -> Epoch {
        let mut changes = Vec::new();
        let epoch = self.epochs.observe(moment, |change| {
            let kind = match change.kind {
                ChangeKind::Created => FileChangeKind::Created,
                ChangeKind::Changed => FileChangeKind::Changed,
                ChangeKind::Deleted => FileChangeKind::Deleted,
            };
            changes.push(FileChange { path: change.path, kind });
        });
        if let Some(pool) = self.pool().filter(|_| !changes.is_empty()) {
            pool.files_changed(&changes);
        }
        epoch
    }

    /// Grows when other servers answer than before.
    pub(super) fn provider_epoch(&self) -> u64 {
        self.pool().map_or(0, Pool::text_epoch)
    }

    /// Grows when servers publish other diagnostics than before.
    pub(super) fn published_epoch(&self) -> u64 {
        self.pool().map_or(0, Pool::diagnostics_epoch)
    }
}
