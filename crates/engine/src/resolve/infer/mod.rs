//! What expressions are: from recipes to types.

pub(crate) mod calls;
pub(crate) mod eval;
pub(crate) mod generics;
pub(crate) mod lambdas;
pub(crate) mod library;
pub(crate) mod protocols;
pub(crate) mod shapes;
pub(crate) mod values;
pub(crate) mod written;
