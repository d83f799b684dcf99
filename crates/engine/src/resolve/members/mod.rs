//! Members of types: finding them, ordering supertypes, choosing between overloads.

pub(crate) mod derived;
pub(crate) mod extensions;
pub(crate) mod fit;
pub(crate) mod lookup;
pub(crate) mod order;
pub(crate) mod overloads;
pub(crate) mod owner;
