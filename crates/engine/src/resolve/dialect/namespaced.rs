//! Java, Kotlin and PHP: namespaces that files declare.

use super::{Dialect, LibraryFlows, USUAL};
use crate::resolve::namespaces;

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |_, view, import| Some(namespaces::of_import(view, import)),
    sees_namespace: |_, view, namespace, name| namespaces::sees(view, namespace, name),
    flows: &LibraryFlows {
        calls_receiver: &["invoke"],
        ..LibraryFlows::PLAIN
    },
    ..USUAL
};
