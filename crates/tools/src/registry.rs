//! The tools that one server lists and calls, whichever transport asks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, value::to_raw_value};

use crate::{
    Answer, Context, ContractRef, ErasedTool, ToolError,
    schema::{self, SchemaCheck},
};

/// A fixed choice of tools. Nothing adds to it at run time: the catalogue is a constant of the
/// release.
pub struct Registry {
    entries: Vec<Entry>,
}

/// A tool with what clients see of it.
pub struct Entry {
    pub contract: ContractRef,
    pub tool: &'static dyn ErasedTool,
    /// The contract's name with `_` for `.`: what today's clients accept.
    pub portable_name: String,
    pub description: String,
    pub input_schema: Map<String, Value>,
    /// None for a tool that answers in plain text.
    pub output_schema: Option<Map<String, Value>>,
    arguments: SchemaCheck,
    strict_arguments: SchemaCheck,
    answers: Option<SchemaCheck>,
}

impl Registry {
    pub fn of(contracts: &[ContractRef]) -> Registry {
        let tools = |contract: &ContractRef| {
            let contract = *contract;
            contract.tools().iter().map(move |tool| (contract, *tool))
        };
        Registry::with(contracts.iter().flat_map(tools))
    }

    /// Tools with the contract that each answers by.
    pub fn with(
        tools: impl IntoIterator<Item = (ContractRef, &'static dyn ErasedTool)>,
    ) -> Registry {
        let mut entries: Vec<Entry> = Vec::new();
        for (contract, tool) in tools {
            // Of two contracts with a tool of one name, the first answers.
            if !entries.iter().any(|known| known.tool.name() == tool.name()) {
                entries.push(Entry::new(contract, tool));
            }
        }
        Registry { entries }
    }

    /// In the contracts' order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// By the contract's name or by the portable one.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        Some(&self.entries[self.position(name)?])
    }

    /// The index of an entry.
    pub fn position(&self, name: &str) -> Option<usize> {
        let is_named = |entry: &Entry| entry.tool.name() == name || entry.portable_name == name;
        self.entries.iter().position(is_named)
    }

    /// The name that someone who typed `name` most likely meant.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        schema::nearest(
            name,
            self.entries
                .iter()
                .map(|entry| entry.portable_name.as_str()),
        )
    }
}

impl Entry {
    fn new(contract: ContractRef, tool: &'static dyn ErasedTool) -> Entry {
        let mut checked = tool.input_schema();
        let description = match checked.remove("description") {
            Some(Value::String(description)) => description,
            _ => String::new(),
        };
        let input_schema = contract.listed_input(&checked);
        let answers = tool.output_schema();
        let mut output_schema = answers.clone();
        if let Some(schema) = &mut output_schema {
            schema.remove("description");
        }
        Entry {
            contract,
            tool,
            portable_name: tool.name().replace('.', "_"),
            description,
            input_schema,
            output_schema,
            strict_arguments: SchemaCheck::new(without_fields(&checked, tool.own_fields())),
            arguments: SchemaCheck::new(checked),
            answers: answers.map(SchemaCheck::new),
        }
    }

    /// Whether the tool is served: under `--strict-contract` only those of the contract's document.
    pub fn is_listed(&self, strict: bool) -> bool {
        !(strict && self.tool.is_own())
    }

    pub fn listed_name(&self, strict: bool) -> &str {
        if strict {
            self.tool.name()
        } else {
            &self.portable_name
        }
    }

    pub fn listed_input_schema(&self, strict: bool) -> Map<String, Value> {
        without_fields(
            &self.input_schema,
            if strict { self.tool.own_fields() } else { &[] },
        )
    }

    pub fn listed_output_schema(&self, strict: bool) -> Option<Map<String, Value>> {
        let schema = self.output_schema.as_ref()?;
        if !strict {
            return Some(schema.clone());
        }
        let mut schema = Value::Object(without_fields(schema, self.tool.own_fields()));
        strip(&mut schema, self.contract.own_fields());
        match schema {
            Value::Object(schema) => Some(schema),
            _ => None,
        }
    }
}

fn without_fields(schema: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        fields
            .iter()
            .for_each(|field| _ = properties.shift_remove(*field));
    }
    schema
}

/// Takes fields out of objects at any depth, in data and in schemas of data alike.
fn strip(value: &mut Value, fields: &[&str]) {
    match value {
        Value::Object(map) if !fields.is_empty() => {
            map.retain(|name, _| !fields.contains(&name.as_str()));
            if let Some(Value::Array(required)) = map.get_mut("required") {
                required.retain(|name| !fields.iter().any(|field| name == field));
            }
            map.values_mut().for_each(|value| strip(value, fields));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| strip(value, fields)),
        _ => {}
    }
}

/// Runs one call to its end on this thread: completes and checks the arguments, runs the tool, and
/// turns a panic into an error of this call alone.
pub fn invoke(entry: &Entry, context: &Context, mut arguments: Value) -> Result<Answer, ToolError> {
    let contract = entry.contract;
    context.host.complete(entry.tool.name(), &mut arguments);
    let arguments = contract.tidy(&entry.input_schema, arguments);
    answer(entry, context, &arguments).map_err(|error| contract.explain(context, &arguments, error))
}

fn answer(entry: &Entry, context: &Context, arguments: &Value) -> Result<Answer, ToolError> {
    let allowed = if context.strict {
        &entry.strict_arguments
    } else {
        &entry.arguments
    };
    let issues = allowed.issues(arguments);
    if !issues.is_empty() {
        return Err(ToolError::invalid_arguments(
            entry.listed_name(context.strict),
            issues,
        ));
    }
    context.check()?;
    // The tool gets shared, immutable things and owns the rest, so nothing half-done survives a
    // panic; what it locks is `parking_lot`'s, which does not poison.
    let run = || {
        catch_unwind(AssertUnwindSafe(|| entry.tool.run(context, arguments))).unwrap_or_else(|_| {
            Err(ToolError::internal(format!(
                "{} panicked",
                entry.tool.name()
            )))
        })
    };
    let mut answer = run();
    if context.cold.was_refused() {
        // The tool asked for what only an index can tell.
        context.check()?;
        answer = run();
    }
    let mut answer = answer?;
    // So every answer of every test is held against the schema that clients will hold it against.
    if cfg!(debug_assertions)
        && let Some(schema) = &entry.answers
    {
        let issues = schema.issues(&answer.value());
        if let Some(issue) = issues.first() {
            let (name, path, message) = (entry.tool.name(), &issue.path, &issue.message);
            return Err(ToolError::internal(format!(
                "{name} breaks its output schema at {path:?}: {message}"
            )));
        }
    }
    let own = entry.contract.own_fields();
    if context.strict && !own.is_empty() && answer.json.is_some() {
        let mut value = answer.value();
        strip(&mut value, own);
        answer.json = to_raw_value(&value).ok();
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Instant};

    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::{
        Annotations, CODECOMPASS, CODEMAP, CONTRACTS, Code, Host, LSP, Roots, ServerFacts, Tool,
    };

    #[test]
    fn every_listed_tool_keeps_the_rules_of_lists() {
        let registry = Registry::of(&CONTRACTS);
        let mut names = std::collections::BTreeSet::new();
        for entry in registry.entries() {
            let name = &entry.portable_name;
            assert!(names.insert(name.clone()), "{name} is listed twice");
            assert!(
                name.len() <= 50,
                "{name} is too long for clients that prefix it"
            );
            assert!(
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
                "{name} has characters that clients reject"
            );
            assert!(
                !entry.description.is_empty(),
                "{name} has no description: write a doc comment on its Input"
            );
            for schema in entry.output_schema.iter().chain([&entry.input_schema]) {
                assert_eq!(
                    schema.get("type"),
                    Some(&json!("object")),
                    "{name}: a schema must be of an object"
                );
                let text = serde_json::to_string(schema).unwrap();
                assert!(
                    !text.contains("\"$ref\""),
                    "{name}: a recursive type cannot be listed"
                );
                assert_eq!(
                    bare_booleans(&Value::Object(schema.clone())),
                    Vec::<String>::new(),
                    "{name}: strict clients refuse them"
                );
            }
        }
    }

    /// Fields and items that are listed as `true` instead of with a schema.
    fn bare_booleans(schema: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let Value::Object(schema) = schema else {
            return found;
        };
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            match property {
                Value::Bool(_) => found.push(name.clone()),
                property => found.extend(bare_booleans(property)),
            }
        }
        match schema.get("items") {
            Some(Value::Bool(_)) => found.push("items".to_owned()),
            Some(items) => found.extend(bare_booleans(items)),
            None => {}
        }
        found
    }

    #[test]
    fn lists_stay_within_their_token_budgets() {
        for (contract, budget) in [(CODECOMPASS, 2200), (CODEMAP, 3600), (LSP, 1000)] {
            let registry = Registry::of(&[contract]);
            let mut tokens = 0;
            let mut bytes = 0;
            for entry in registry.entries() {
                let input = serde_json::to_string(&entry.input_schema).unwrap();
                let output = serde_json::to_string(&entry.output_schema).unwrap();
                let listed = format!("{}\n{}\n{input}\n", entry.portable_name, entry.description);
                tokens += crate::tokens::count(&listed);
                bytes += listed.len() + output.len();
            }
            let name = contract.name();
            assert!(
                tokens <= budget,
                "{name}: names, descriptions and input schemas have {tokens} tokens, at most {budget} are allowed"
            );
            assert!(bytes <= 96 * 1000, "{name}: the list has {bytes} bytes");
        }
    }

    #[test]
    fn a_tool_answers_to_both_of_its_names() {
        let registry = test_registry();
        assert!(registry.find("test.echo").is_some());
        assert!(registry.find("test_echo").is_some());
        assert!(registry.find("testecho").is_none());
        assert_eq!(registry.nearest("test_ecko"), Some("test_echo"));
        let entry = registry.find("test.echo").unwrap();
        assert_eq!(
            (entry.listed_name(false), entry.listed_name(true)),
            ("test_echo", "test.echo")
        );
    }

    #[test]
    fn a_call_gives_its_answer() {
        let answer = call("test.echo", json!({ "text": "hi" })).unwrap();
        assert_eq!(answer.value(), json!({ "text": "hi" }));
        assert_eq!(answer.text.as_deref(), Some("hi"));
    }

    #[test]
    fn a_wrong_argument_is_an_error_that_names_it() {
        let error = call("test.echo", json!({ "txet": "hi" })).unwrap_err();
        assert_eq!(error.code, Code::InvalidInput);
        assert_eq!(
            error.message,
            "unknown field `txet` (did you mean `text`?); known fields: text; missing field `text`"
        );
        assert_eq!(error.data.unwrap()["tool"], "test_echo");
    }

    #[test]
    fn a_panic_is_an_internal_error_without_its_words() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let error = call("test.echo", json!({ "text": "panic: secret" })).unwrap_err();
        std::panic::set_hook(hook);
        assert_eq!(error.code, Code::Internal);
        assert!(!error.message.contains("secret"));
        assert_eq!(error.cause.as_deref(), Some("test.echo panicked"));
    }

    #[test]
    fn an_answer_that_breaks_its_schema_is_caught() {
        let error = call("test.echo", json!({ "text": "wrong" })).unwrap_err();
        assert_eq!(
            error.cause.as_deref(),
            Some(
                r#"test.echo breaks its output schema at "/text": `text` must be a string, not a number"#
            )
        );
    }

    fn call(name: &str, arguments: Value) -> Result<Answer, ToolError> {
        let registry = test_registry();
        let server = Arc::new(ServerFacts {
            version: "0",
            started: Instant::now(),
            transport: "test",
        });
        let context = Context::quiet(Arc::new(NoHost(Roots::default())), server);
        invoke(registry.find(name).unwrap(), &context, arguments)
    }

    fn test_registry() -> Registry {
        Registry::with([(LSP, &Echo as &'static dyn ErasedTool)])
    }

    struct NoHost(Roots);

    impl Host for NoHost {
        fn begin(&self) {}

        fn roots(&self) -> &Roots {
            &self.0
        }
    }

    struct Echo;

    /// Says the same.
    #[derive(Deserialize, JsonSchema)]
    struct Input {
        text: String,
    }

    #[derive(Serialize, JsonSchema)]
    struct Output {
        #[serde(serialize_with = "wrong_as_number")]
        #[schemars(with = "String")]
        text: String,
    }

    fn wrong_as_number<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        match text {
            "wrong" => serializer.serialize_u8(5),
            text => serializer.serialize_str(text),
        }
    }

    impl Tool for Echo {
        const NAME: &'static str = "test.echo";
        const ANNOTATIONS: Annotations = Annotations::READ_ONLY;
        type Input = Input;
        type Output = Output;

        fn run(_: &Context, input: Input) -> Result<Output, ToolError> {
            assert!(!input.text.starts_with("panic"), "{}", input.text);
            Ok(Output { text: input.text })
        }

        fn text(output: &Output) -> Option<String> {
            Some(output.text.clone())
        }
    }
}
