//! A handle as answers write it.

use std::{borrow::Cow, fmt};

use answers::SymbolHandle;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleText(SymbolHandle);

impl From<SymbolHandle> for HandleText {
    fn from(handle: SymbolHandle) -> HandleText {
        HandleText(handle)
    }
}

impl fmt::Display for HandleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for HandleText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for HandleText {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}
