//! Java, Kotlin and PHP: namespaces that files declare.

use super::{Dialect, USUAL};
use crate::resolve::namespaces;

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |_, view, import| Some(namespaces::of_import(view, import)),
    sees_namespace: |_, view, namespace, name| namespaces::sees(view, namespace, name),
    ..USUAL
};
