//! What the gateway's tools keep between calls: the lists that clients page through, how far every
//! workspace has moved, the language servers, and what was wrong when somebody asked last.

use std::{path::Path, rc::Rc, sync::LazyLock};

use answers::Session;
use language_servers::{Pool, PoolSettings, ServerReport};

use super::{
    baselines::Baselines,
    epochs::{self, Epoch, Epochs},
    pages::Pages,
    servers::{ProviderChoice, Servers},
};
use crate::{Roots, ToolError};

/// One for a process.
#[derive(Default)]
pub struct Gateway {
    pub(super) pages: Pages,
    pub(super) epochs: Epochs,
    pub(super) servers: Servers,
    pub(super) baselines: Baselines,
}

impl Gateway {
    /// Starts nothing yet: a language server starts with the first question about a trusted
    /// workspace.
    pub fn new(choice: ProviderChoice, settings: PoolSettings) -> Gateway {
        Gateway {
            servers: Servers::new(choice, settings),
            ..Gateway::default()
        }
    }

    /// For hosts that have none of their own, and so no language servers either.
    pub fn shared() -> &'static Gateway {
        static SHARED: LazyLock<Gateway> =
            LazyLock::new(|| Gateway::new(ProviderChoice::Index, PoolSettings::default()));
        &SHARED
    }

    /// The language servers that run or ran, if any was ever needed.
    pub fn pool(&self) -> Option<&Pool> {
        self.servers.pool()
    }

    /// For `doctor`: which servers this machine has, their versions, and how to install the others.
    /// Runs each for its version.
    pub fn reports(&self) -> Vec<ServerReport> {
        self.servers.reports()
    }

    /// Takes in how a workspace looks now, and tells the servers what changed.
    pub(super) fn observe(&self, session: &Session) -> Result<Epoch, ToolError> {
        let mut changes = Vec::new();
        let epoch = self
            .epochs
            .observe(session, |change| changes.push(change))?;
        if let Some(pool) = self.pool().filter(|_| !changes.is_empty()) {
            pool.files_changed(&changes);
        }
        Ok(epoch)
    }

    /// The text that binds a page to a state: it changes when one of the epochs does.
    pub(super) fn state(&self, roots: &Roots, epochs: [u64; 2]) -> String {
        epochs::tuple(roots, &[self.epochs.roots(), epochs[0], epochs[1]])
    }

    /// The sum of the workspaces' epochs.
    pub(super) fn observe_all(&self, sessions: &[Rc<Session>]) -> Result<Epoch, ToolError> {
        sessions.iter().try_fold(Epoch::default(), |sum, session| {
            Ok(sum + self.observe(session)?)
        })
    }

    /// Grows when other servers answer than before.
    pub(super) fn provider_epoch(&self) -> u64 {
        self.servers.epoch(Pool::text_epoch)
    }

    /// Grows when servers publish other diagnostics than before.
    pub(super) fn published_epoch(&self) -> u64 {
        self.servers.epoch(Pool::diagnostics_epoch)
    }

    /// Ends the servers of workspaces that the user trusts no longer.
    pub fn keep_trusted(&self, is_trusted: impl Fn(&Path) -> bool) {
        if let Some(pool) = self.pool() {
            pool.keep_trusted(is_trusted);
        }
    }
}
