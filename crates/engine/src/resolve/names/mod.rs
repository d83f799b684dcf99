//! Bare names, imports and modules.

pub(crate) mod bare;
pub(crate) mod imports;
pub(crate) mod modules;
pub(crate) mod namespaces;
pub(crate) mod scopes;
