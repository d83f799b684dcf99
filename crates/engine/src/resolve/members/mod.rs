//! Members of types: finding them, ordering supertypes, choosing between overloads.

pub mod derived;
pub mod extensions;
pub mod fit;
pub mod given;
pub mod lookup;
pub mod order;
pub mod overloads;
pub mod owner;
