//! Bare names, imports and modules.

pub mod bare;
pub mod imports;
pub mod modules;
pub mod namespaces;
pub mod scopes;
