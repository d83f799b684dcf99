//! The MCP server: a registry of tools behind stdio or Streamable HTTP.
//!
//! ```text
//! bytes ──▶ stdio / http ──▶ message ──▶ protocol ──▶ tools::invoke (on a worker thread)
//!             transport      envelope    revision       engine, synchronous
//! ```
//!
//! `message` reads one JSON-RPC message, `protocol` answers one request in the revision it was
//! asked in, and the transports do nothing but carry. Caps on size, time and number are kept here,
//! for all tools at once.

pub mod auth;
pub mod headers;
pub mod http;
pub mod log;
pub mod message;
pub mod protocol;
pub mod sessions;
pub mod stdio;
pub mod workers;

use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};

use answers::Scope;
use tokio_util::sync::CancellationToken;
use tools::{ContractRef, Host, Registry, ScopedHost, ServerFacts};

use self::workers::Workers;

/// One set of tools on one process. Several share their workers, as the four HTTP endpoints do.
#[derive(Clone)]
pub struct Server {
    shared: Arc<ServerState>,
    /// As far as the caller may know of it.
    host: Arc<dyn Host>,
    registry: Arc<Registry>,
    /// The contract whose conventions hold where no tool is known yet, if there is only one.
    only_contract: Option<ContractRef>,
    listing: Arc<OnceLock<Vec<rmcp::model::Tool>>>,
}

struct ServerState {
    facts: Arc<ServerFacts>,
    strict: bool,
    workers: Workers,
    /// Cancelled when no answer can be delivered any more.
    shutdown: CancellationToken,
}

impl Server {
    pub fn new(
        host: Arc<dyn Host>,
        contracts: &[ContractRef],
        strict: bool,
        transport: &'static str,
    ) -> Server {
        let facts = ServerFacts {
            version: env!("CARGO_PKG_VERSION"),
            started: Instant::now(),
            transport,
        };
        let shared = ServerState {
            facts: Arc::new(facts),
            strict,
            workers: Workers::default(),
            shutdown: CancellationToken::new(),
        };
        Server::on(Arc::new(shared), host, Registry::of(contracts), contracts)
    }

    /// The same tools for a caller who may ask about some repositories only.
    pub fn within(&self, scope: &Scope) -> Server {
        Server {
            host: Arc::new(ScopedHost::new(self.host.clone(), scope)),
            ..self.clone()
        }
    }

    /// Another set of tools on the same process.
    pub fn with_contracts(&self, contracts: &[ContractRef]) -> Server {
        let registry = Registry::of(contracts);
        Server::on(self.shared.clone(), self.host.clone(), registry, contracts)
    }

    /// Tools that belong to no contract: for tests of the wiring.
    pub fn with_registry(&self, registry: Registry) -> Server {
        Server::on(self.shared.clone(), self.host.clone(), registry, &[])
    }

    fn on(
        shared: Arc<ServerState>,
        host: Arc<dyn Host>,
        registry: Registry,
        contracts: &[ContractRef],
    ) -> Server {
        let only_contract = match contracts {
            [contract] => Some(*contract),
            _ => None,
        };
        Server {
            shared,
            host,
            registry: Arc::new(registry),
            only_contract,
            listing: Arc::default(),
        }
    }

    pub fn host(&self) -> &Arc<dyn Host> {
        &self.host
    }

    /// Starts the host's background work beside the handshake, not before it.
    fn begin(&self) {
        let host = self.host.clone();
        tokio::task::spawn_blocking(move || host.begin());
    }

    pub fn facts(&self) -> &ServerFacts {
        &self.shared.facts
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn is_strict(&self) -> bool {
        self.shared.strict
    }

    /// Cancelled when no answer can be delivered any more; the part that notices cancels it.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shared.shutdown
    }
}
