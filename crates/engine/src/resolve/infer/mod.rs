//! What expressions are: from recipes to types.

pub mod calls;
pub mod constness;
pub mod eval;
pub mod generics;
pub mod lambdas;
pub mod library;
pub mod narrowing;
pub mod protocols;
pub mod shapes;
pub mod values;
pub mod written;
