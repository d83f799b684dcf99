//! A tool's types as JSON Schema, and arguments checked against it.
//!
//! Schemas are made to be portable: everything inline (clients stumble over `$ref`), closed inputs,
//! only standard formats, enums as plain lists, and no word that costs a model tokens without
//! telling it anything.

use std::sync::OnceLock;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::Issue;

/// The schema of a tool's arguments; its `description` is the tool's.
pub fn of_input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_deserialize());
    close(&mut schema);
    object(schema)
}

/// An object whose fields a schema cannot name: a tree, whose type would need a `$ref`, or the
/// arguments of any tool. A plain `Value` would be listed as `true`, which strict clients refuse.
pub type AnyObject = Map<String, Value>;

/// The schema of a tool's answer. It stays open: clients validate answers and must not trip over a
/// new field.
pub fn of_output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    walk(&mut schema, &mut |schema| {
        let required = schema.get("required").cloned();
        let Some(Value::Object(properties)) = schema.get_mut("properties") else {
            return;
        };
        for (name, property) in properties {
            // A field that need not be there is left out instead of being null.
            if required
                .as_ref()
                .and_then(Value::as_array)
                .is_none_or(|required| !required.contains(&json!(name)))
                && let Value::Object(property) = property
            {
                remove_null(property);
            }
        }
    });
    object(schema)
}

/// The input schema as it is listed: optional fields without their `null`, which is taken all the
/// same but costs tokens in every list.
pub fn without_nulls(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = Value::Object(schema.clone());
    walk(&mut schema, &mut remove_null);
    object(schema)
}

/// The arguments without what clients write and do not mean: `null` for a field that need not be
/// there, whole numbers as `3.0`, or beyond what can be counted, which means as many as there may
/// be, and words of a list in the singular or in capitals.
pub fn tidied(schema: &Map<String, Value>, arguments: Value) -> Value {
    let mut arguments = match with_whole_numbers(schema, arguments) {
        Value::Object(arguments) => arguments,
        other => return other,
    };
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Value::Object(arguments);
    };
    for (name, value) in &mut arguments {
        if let Some(word) = properties
            .get(name)
            .and_then(|field| option_meant(field, value))
        {
            *value = json!(word);
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    let may_be_absent =
        |name: &str| required.is_none_or(|required| !required.iter().any(|field| field == name));
    arguments.retain(|name, value| {
        !(value.is_null() && properties.contains_key(name) && may_be_absent(name))
    });
    Value::Object(arguments)
}

/// The option of a field that a text means without being it: `call` for `calls`, `Callers`.
fn option_meant(field: &Value, value: &Value) -> Option<String> {
    let plain = |text: &str| {
        let text = text.trim().to_lowercase().replace(['-', ' '], "_");
        text.trim_end_matches('s').to_owned()
    };
    let options = field
        .get("enum")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str);
    let options: Vec<&str> = options.collect();
    let written = value.as_str().filter(|text| !options.contains(text))?;
    let mut meant = options
        .into_iter()
        .filter(|option| plain(option) == plain(written));
    let only = meant.next()?;
    meant.next().is_none().then(|| only.to_owned())
}

/// The arguments with whole numbers as such, where an integer is wanted: `3.0` is one in JSON.
pub fn with_whole_numbers(schema: &Map<String, Value>, mut value: Value) -> Value {
    let is_integer = schema.get("type").is_some_and(|kind| kind == "integer");
    if let Some(number) = value
        .as_f64()
        .filter(|number| is_integer && !value.is_i64() && number.fract() == 0.0)
    {
        return json!(number as i64); // The nearest that there is.
    }
    if let (Value::Object(fields), Some(Value::Object(properties))) =
        (&mut value, schema.get("properties"))
    {
        for (name, field) in fields {
            if let Some(Value::Object(property)) = properties.get(name) {
                *field = with_whole_numbers(property, std::mem::take(field));
            }
        }
    }
    value
}

/// Whatever else the schema allows, it no longer allows `null`.
fn remove_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(options)) = schema.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.retain(|form| form.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(form)] = forms.as_slice() {
            let form = form.clone();
            schema.remove("anyOf");
            for (key, value) in form {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    walk(&mut schema, &mut |schema| {
        schema.remove("title");
        // `uint32`, `int64`, `double` ... are schemars' own; strict clients warn about unknown
        // formats.
        if schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|format| !STANDARD_FORMATS.contains(&format))
        {
            schema.remove("format");
        }
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = one_line_per_paragraph(description);
        }
        list_constants(schema);
    });
    schema
}

const STANDARD_FORMATS: &[&str] = &["date", "date-time", "uri", "regex"];

/// Schemars writes an enum with documented variants as `oneOf` constants: the same as `enum`, ten
/// times longer.
fn list_constants(schema: &mut Map<String, Value>) {
    let Some(Value::Array(forms)) = schema.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Value>> = forms
        .iter()
        .map(|form| form.get("const").cloned().or_else(|| None))
        .collect();
    let Some(constants) = constants.filter(|constants| constants.iter().all(Value::is_string))
    else {
        return;
    };
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(constants));
}

/// Refuses unknown fields in every object that names its fields.
fn close(schema: &mut Value) {
    if let Value::Object(root) = schema {
        root.entry("type").or_insert(json!("object"));
        root.entry("properties").or_insert(json!({}));
    }
    walk(schema, &mut |schema| {
        if !schema.contains_key("properties") || schema.contains_key("additionalProperties") {
            return;
        }
        // A flattened enum adds its fields in `oneOf`, where `additionalProperties` would not see
        // them.
        let composed = ["oneOf", "anyOf", "allOf"]
            .iter()
            .any(|key| schema.contains_key(*key));
        let key = if composed {
            "unevaluatedProperties"
        } else {
            "additionalProperties"
        };
        schema.insert(key.to_owned(), json!(false));
    });
}

/// Visits every subschema, the outermost last.
fn walk(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(schema) = schema else {
        return;
    };
    for (key, value) in schema.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(|schema| walk(schema, visit));
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(listed)) => {
                listed.iter_mut().for_each(|schema| walk(schema, visit));
            }
            ("items" | "additionalProperties" | "not", value) => walk(value, visit),
            _ => {}
        }
    }
    visit(schema);
}

fn one_line_per_paragraph(text: &str) -> String {
    let paragraphs = text
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.collect::<Vec<_>>().join("\n")
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        other => Map::from_iter([("const".to_owned(), other)]),
    }
}

/// Holds values against a schema: arguments always, answers in debug builds. Built when first used:
/// a listing needs none.
pub struct SchemaCheck {
    schema: Value,
    validator: OnceLock<Validator>,
}

impl SchemaCheck {
    pub fn new(schema: Map<String, Value>) -> SchemaCheck {
        SchemaCheck {
            schema: Value::Object(schema),
            validator: OnceLock::new(),
        }
    }

    pub fn issues(&self, value: &Value) -> Vec<Issue> {
        let validator = self.validator.get_or_init(|| {
            jsonschema::validator_for(&self.schema).expect("a generated schema is a valid one")
        });
        let mut issues = Vec::new();
        // The cap is generous: of more issues than ten only the first ten are shown, in order.
        for error in validator.iter_errors(value).take(100) {
            self.describe(&error, &mut issues);
        }
        issues
    }

    fn describe(&self, error: &ValidationError<'_>, issues: &mut Vec<Issue>) {
        let path = error.instance_path().as_str();
        let field = field_name(path);
        let mut push = |message: String| {
            issues.push(Issue {
                path: path.to_owned(),
                keyword: error.kind().keyword().to_owned(),
                message,
                schema_path: format!("#{}", error.schema_path().as_str()),
            });
        };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.known_fields(error.schema_path().as_str());
                for name in unexpected {
                    push(unknown_field(name, &known));
                }
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let inside = if path.is_empty() {
                    String::new()
                } else {
                    format!(" in {field}")
                };
                push(format!("missing field `{name}`{inside}"));
            }
            ValidationErrorKind::Type { kind } => {
                let expected = match kind {
                    TypeKind::Single(kind) => kind.to_string(),
                    TypeKind::Multiple(kinds) => kinds
                        .iter()
                        .map(|kind| kind.to_string())
                        .filter(|kind| kind != "null")
                        .collect::<Vec<_>>()
                        .join(" or "),
                };
                push(format!(
                    "{field} must be {}, not {}",
                    with_article(&expected),
                    name_of_type(error.instance())
                ));
            }
            ValidationErrorKind::Enum { options } => {
                push(format!("{field} must be one of {}", list(options)));
            }
            ValidationErrorKind::Constant { expected_value } => {
                push(format!("{field} must be {expected_value}"))
            }
            ValidationErrorKind::Minimum { limit } => {
                push(format!("{field} must be at least {limit}"))
            }
            ValidationErrorKind::Maximum { limit } => {
                push(format!("{field} must be at most {limit}"))
            }
            ValidationErrorKind::MinLength { limit: 1 } => {
                push(format!("{field} must not be empty"))
            }
            ValidationErrorKind::MinLength { limit } => {
                push(format!("{field} must have at least {limit} characters"))
            }
            ValidationErrorKind::MaxLength { limit } => {
                push(format!("{field} must have at most {limit} characters"))
            }
            ValidationErrorKind::MinItems { limit } => {
                push(format!("{field} must have at least {limit} items"))
            }
            ValidationErrorKind::MaxItems { limit } => {
                push(format!("{field} must have at most {limit} items"))
            }
            ValidationErrorKind::Pattern { pattern } => {
                push(format!("{field} must match {pattern}"))
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                // An optional object is "the object or null": what is wrong with the object is what
                // to say.
                let forms: Vec<_> = context
                    .iter()
                    .filter(|errors| !errors.iter().any(wants_null))
                    .collect();
                match forms.as_slice() {
                    [errors] => errors.iter().for_each(|error| self.describe(error, issues)),
                    _ => push(format!("{field} has none of the forms it may have")),
                }
            }
            // The value stays out of the message: it may be long, and it is the client's own.
            other => push(format!("{field} does not satisfy `{}`", other.keyword())),
        }
    }

    /// The fields of the object schema whose keyword `schema_path` points to.
    fn known_fields(&self, schema_path: &str) -> Vec<&str> {
        let object = schema_path
            .rsplit_once('/')
            .map_or("", |(object, _)| object);
        let Some(schema) = self.schema.pointer(object) else {
            return Vec::new();
        };
        let mut known = Vec::new();
        let forms = ["oneOf", "anyOf", "allOf"]
            .iter()
            .filter_map(|key| schema.get(*key)?.as_array())
            .flatten();
        for schema in std::iter::once(schema).chain(forms) {
            if let Some(Value::Object(properties)) = schema.get("properties") {
                known.extend(properties.keys().map(String::as_str));
            }
        }
        known
    }
}

fn unknown_field(name: &str, known: &[&str]) -> String {
    let shown: String = name.chars().take(80).collect();
    if known.is_empty() {
        return format!("unknown field `{shown}`; there are no fields");
    }
    let hint = nearest(name, known.iter().copied()).map_or(String::new(), |nearest| {
        format!(" (did you mean `{nearest}`?)")
    });
    let known = known.join(", ");
    format!("unknown field `{shown}`{hint}; known fields: {known}")
}

/// The candidate that a person most likely meant, if any is near enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', '.'], "");
    let name = plain(&name.chars().take(80).collect::<String>());
    let likeness = |candidate: &str| {
        // `name` for `symbol_name`.
        let is_part = candidate
            .split(['_', '-', '.'])
            .any(|part| part.eq_ignore_ascii_case(&name));
        strsim::jaro_winkler(&name, &plain(candidate)).max(if is_part { 0.85 } else { 0.0 })
    };
    candidates
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}

fn wants_null(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(kind) } if kind.to_string() == "null")
}

/// `/filter/kinds/0` is `filter.kinds[0]`.
fn field_name(pointer: &str) -> String {
    if pointer.is_empty() {
        return "the value".to_owned();
    }
    let mut name = String::new();
    for part in pointer.split('/').skip(1) {
        if part.chars().all(|digit| digit.is_ascii_digit()) && !part.is_empty() {
            name.push_str(&format!("[{part}]"));
        } else {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    format!("`{name}`")
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

fn name_of_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn list(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    options
        .iter()
        .filter(|option| !option.is_null())
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde::Deserialize;

    use super::*;

    /// Looks for a thing
    /// by its name.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Input {
        /// What to look for.
        #[schemars(length(min = 1))]
        query: String,
        limit: Option<u32>,
        detail: Option<Detail>,
        place: Option<Place>,
        #[serde(flatten)]
        at: At,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Detail {
        /// Names only.
        Low,
        /// Everything.
        High,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Place {
        path: String,
        line: u32,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct At {
        r#ref: Option<String>,
    }

    #[test]
    fn a_listed_schema_is_small_closed_and_inline() {
        let schema = without_nulls(&of_input::<Input>());
        expect![[r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for.","minLength":1},"limit":{"type":"integer","minimum":0},"detail":{"type":"string","enum":["low","high"]},"place":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer","minimum":0}},"required":["path","line"],"additionalProperties":false},"ref":{"type":"string"}},"required":["query"],"description":"Looks for a thing by its name.","additionalProperties":false}"#]]
            .assert_eq(&serde_json::to_string(&schema).unwrap());
    }

    #[test]
    fn arguments_that_fit_raise_no_issue() {
        check(
            json!({ "query": "a", "limit": null, "detail": "low", "place": null, "ref": "main" }),
            expect![[""]],
        );
    }

    #[test]
    fn an_unknown_field_is_named_with_the_nearest_known_one() {
        check(
            json!({ "query": "a", "limits": 3 }),
            expect![
                "unknown field `limits` (did you mean `limit`?); known fields: query, limit, detail, place, ref"
            ],
        );
        check(
            json!({ "query": "a", "detail_level": 3 }),
            expect![
                "unknown field `detail_level` (did you mean `detail`?); known fields: query, limit, detail, place, ref"
            ],
        );
        check(
            json!({ "query": "a", "zzz": 3 }),
            expect!["unknown field `zzz`; known fields: query, limit, detail, place, ref"],
        );
        check(
            json!({ "query": "a", "place": { "path": "x", "line": 1, "lines": 2 } }),
            expect!["unknown field `lines` (did you mean `line`?); known fields: path, line"],
        );
    }

    #[test]
    fn a_wrong_type_is_named_with_the_expected_one() {
        check(
            json!({ "query": 5 }),
            expect!["`query` must be a string, not a number"],
        );
        check(
            json!({ "query": "a", "limit": "10" }),
            expect!["`limit` must be an integer, not a string"],
        );
        check(
            json!({ "query": "a", "place": { "path": "x" } }),
            expect!["missing field `line` in `place`"],
        );
        check(
            json!({ "query": "a", "detail": "medium" }),
            expect![[r#"`detail` must be one of "low", "high""#]],
        );
        check(json!({ "query": "" }), expect!["`query` must not be empty"]);
        check(json!({}), expect!["missing field `query`"]);
        check(
            json!([]),
            expect!["the value must be an object, not an array"],
        );
        check(
            json!({ "query": "a", "limit": -1 }),
            expect!["`limit` must be at least 0"],
        );
    }

    #[track_caller]
    fn check(arguments: Value, expected: Expect) {
        let issues = SchemaCheck::new(of_input::<Input>()).issues(&arguments);
        let messages: Vec<_> = issues.iter().map(|issue| issue.message.as_str()).collect();
        expected.assert_eq(&messages.join("\n"));
    }
}
