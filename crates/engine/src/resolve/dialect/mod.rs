//! What one language or module system does differently, one file per dialect. Nothing else in the
//! engine names one.

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod python;
pub(crate) mod rust;
pub(crate) mod script;
