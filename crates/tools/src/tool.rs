//! What a tool is. A tool is one file: a unit struct, an `Input`, an `Output` and `run`.
//!
//! `Input`'s doc comment is the tool's description and its fields' comments describe the fields:
//! they are what a client reads. Unknown fields are refused for every tool (see `schema.rs`), so an
//! `Input` needs no `deny_unknown_fields` and may flatten shared parts.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{Context, ToolError, schema};

pub trait Tool: Send + Sync + 'static {
    /// Exactly as the contract spells it, dots included.
    const NAME: &'static str;
    const ANNOTATIONS: Annotations = Annotations::READ_ONLY;
    /// Only for a tool that may take more or less time than the rest of its contract.
    const DEADLINE: Option<Duration> = None;
    /// Fields of arguments and answers that the contract's document does not have: absent under
    /// `--strict-contract`.
    const OWN_FIELDS: &'static [&'static str] = &[];
    /// The contract's document does not have the tool: absent under `--strict-contract`.
    const IS_OWN: bool = false;

    type Input: DeserializeOwned + JsonSchema;
    /// The final JSON, with the contract's envelope around it; or [`PlainText`].
    type Output: Reply;

    /// Blocks. Long work asks [`Context::check`] now and then, or hands its deadline and cancel
    /// flag on.
    fn run(context: &Context, input: Self::Input) -> Result<Self::Output, ToolError>;

    /// The answer as compact text, where the contract wants one instead of the JSON itself.
    fn text(_output: &Self::Output) -> Option<String> {
        None
    }

    /// Whether the tool looked for something and found nothing: an exit status of the command line.
    fn is_empty(_output: &Self::Output) -> bool {
        false
    }
}

/// Hints for clients; true of the tool, but nothing relies on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

impl Annotations {
    pub const READ_ONLY: Annotations = Annotations {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// Adds to the server's own data (an index, an overlay), never to the repository.
    pub const ADDITIVE: Annotations = Annotations {
        read_only: false,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// Removes some of the server's own data (an overlay), never from the repository.
    pub const DESTRUCTIVE: Annotations = Annotations {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: false,
    };
}

/// What a tool gives back: data of a schema, which every serialisable type is, or [`PlainText`].
pub trait Reply {
    /// The schema that answers keep; none for text.
    fn schema() -> Option<Map<String, Value>>;

    /// The data; none for text.
    fn json(&self) -> serde_json::Result<Option<Box<RawValue>>>;

    /// The text, of an answer that is nothing else.
    fn plain_text(&self) -> Option<&str> {
        None
    }
}

/// An answer for a model to read: no structure, no schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainText(pub String);

impl<T: Serialize + JsonSchema> Reply for T {
    fn schema() -> Option<Map<String, Value>> {
        Some(schema::of_output::<T>())
    }

    fn json(&self) -> serde_json::Result<Option<Box<RawValue>>> {
        to_raw_value(self).map(Some)
    }
}

impl Reply for PlainText {
    fn schema() -> Option<Map<String, Value>> {
        None
    }

    fn json(&self) -> serde_json::Result<Option<Box<RawValue>>> {
        Ok(None)
    }

    fn plain_text(&self) -> Option<&str> {
        Some(&self.0)
    }
}

/// A tool's answer, before its contract has wrapped it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Written once: every transport sends these bytes. None for an answer that is text alone.
    pub json: Option<Box<RawValue>>,
    pub text: Option<String>,
    pub is_empty: bool,
}

impl Answer {
    /// Reads the answer back, for tests and people. A text is a string.
    pub fn value(&self) -> Value {
        match &self.json {
            Some(json) => serde_json::from_str(json.get()).unwrap_or_default(),
            None => Value::String(self.text.clone().unwrap_or_default()),
        }
    }
}

/// A tool without its types, for lists of tools: `&[&SearchCode, &FindReferences]`.
pub trait ErasedTool: Send + Sync {
    fn name(&self) -> &'static str;
    fn annotations(&self) -> Annotations;
    /// Where the contract's own deadline does not hold.
    fn deadline(&self) -> Option<Duration>;
    fn own_fields(&self) -> &'static [&'static str];
    /// Whether the contract's document lacks the tool.
    fn is_own(&self) -> bool;
    fn input_schema(&self) -> Map<String, Value>;
    /// None for a tool that answers in plain text.
    fn output_schema(&self) -> Option<Map<String, Value>>;
    /// `arguments` have passed the input schema.
    fn run(&self, context: &Context, arguments: &Value) -> Result<Answer, ToolError>;
}

impl<T: Tool> ErasedTool for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn annotations(&self) -> Annotations {
        T::ANNOTATIONS
    }

    fn deadline(&self) -> Option<Duration> {
        T::DEADLINE
    }

    fn own_fields(&self) -> &'static [&'static str] {
        T::OWN_FIELDS
    }

    fn is_own(&self) -> bool {
        T::IS_OWN
    }

    fn input_schema(&self) -> Map<String, Value> {
        schema::of_input::<T::Input>()
    }

    fn output_schema(&self) -> Option<Map<String, Value>> {
        T::Output::schema()
    }

    fn run(&self, context: &Context, arguments: &Value) -> Result<Answer, ToolError> {
        // What the schema cannot say (a pattern of an id, a pair of fields) the type's own parser
        // says.
        let input = T::Input::deserialize(arguments)
            .map_err(|error| ToolError::invalid_input(error.to_string()))?;
        let output = T::run(context, input)?;
        let json = output.json().map_err(|error| {
            ToolError::internal(format!("{} cannot be written: {error}", T::NAME))
        })?;
        Ok(Answer {
            json,
            text: T::text(&output).or_else(|| output.plain_text().map(str::to_owned)),
            is_empty: T::is_empty(&output),
        })
    }
}
