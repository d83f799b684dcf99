//! A host as a caller sees it who may ask about some repositories only.

use std::{path::Path, sync::Arc};

use answers::{Scope, Workspaces};
use serde_json::{Map, Value};

use crate::{ContractRef, Host, Limits, Roots, lsp::Gateway};

/// What another host has, within a scope: the rest is not found, listed or counted.
pub struct ScopedHost {
    host: Arc<dyn Host>,
    workspaces: Workspaces,
    roots: Roots,
}

impl ScopedHost {
    pub fn new(host: Arc<dyn Host>, scope: &Scope) -> ScopedHost {
        ScopedHost {
            workspaces: host.workspaces().within(scope),
            roots: host.roots().within(scope),
            host,
        }
    }
}

impl Host for ScopedHost {
    fn begin(&self) {
        self.host.begin();
    }

    fn roots(&self) -> &Roots {
        &self.roots
    }

    fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    fn gateway(&self) -> &Gateway {
        self.host.gateway()
    }

    fn is_trusted(&self, real: &Path) -> bool {
        self.host.is_trusted(real)
    }

    fn limits(&self, contract: ContractRef) -> Limits {
        self.host.limits(contract)
    }

    fn complete(&self, tool: &str, arguments: &mut Value) {
        self.host.complete(tool, arguments);
    }

    fn health(&self) -> Map<String, Value> {
        self.host.health()
    }
}
