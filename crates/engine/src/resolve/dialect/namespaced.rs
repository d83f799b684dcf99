//! Java, Kotlin and PHP: namespaces that files declare.

use facts::Import;

use super::Dialect;
use crate::resolve::{FileView, Resolver, modules::Module, namespaces};

pub(super) struct Namespaced;

impl Dialect for Namespaced {
    fn module_of_import(
        &self,
        _: &Resolver<'_>,
        view: &FileView,
        import: &Import,
    ) -> Option<Module> {
        Some(namespaces::of_import(view, import))
    }

    fn sees_namespace(
        &self,
        _: &Resolver<'_>,
        view: &FileView,
        namespace: &str,
        name: &str,
    ) -> bool {
        namespaces::sees(view, namespace, name)
    }
}
