//! An entry in a JSON file with comments.

use anyhow::{Context, anyhow};
use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};
use serde_json::Value;

pub fn with_entry(text: &str, section: &str, name: &str, entry: &Value) -> anyhow::Result<String> {
    if let Some(text) = line::with_entry(text, section, name, entry) {
        return Ok(text);
    }
    let empty = text.trim().is_empty();
    let root = parse(if empty { "{\n}\n" } else { text })?;
    let section = object(&root)?.object_value_or_create(section).with_context(|| format!("`{section}` is not an object"))?;
    match section.get(name) {
        Some(existing) => {
            let same = existing.value().and_then(|value| value.to_serde_value()).is_some_and(|value| value == *entry);
            if same {
                return Ok(text.to_owned());
            }
            existing.set_value(input(entry));
        }
        None => {
            section.append(name, input(entry));
        }
    }
    Ok(root.to_string())
}

pub fn without_entry(text: &str, section_name: &str, name: &str) -> anyhow::Result<String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    if let Some(text) = line::without_entry(text, section_name, name) {
        return Ok(text);
    }
    let root = parse(text)?;
    let object = object(&root)?;
    let Some(section) = object.object_value(section_name) else {
        return Ok(text.to_owned());
    };
    let Some(entry) = section.get(name) else {
        return Ok(text.to_owned());
    };
    entry.remove();
    if section.properties().is_empty()
        && let Some(section) = object.get(section_name)
    {
        section.remove();
    }
    Ok(root.to_string())
}

fn parse(text: &str) -> anyhow::Result<CstRootNode> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| anyhow!("it is not JSON: {error}"))
}

fn object(root: &CstRootNode) -> anyhow::Result<CstObject> {
    root.object_value().context("it is not a JSON object")
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect()),
    }
}

/// Objects that stand on one line stay there, so that taking the entry out gives the same bytes back.
mod line {
    use jsonc_parser::{
        CollectOptions, ParseOptions,
        ast::{Object, Value as Node},
        parse_to_ast,
    };
    use serde_json::{Value, json};

    pub fn with_entry(text: &str, section: &str, name: &str, entry: &Value) -> Option<String> {
        let root = root(text)?;
        match place(&root, section) {
            None => insert(text, &root, section, &json!({ name: entry })),
            Some(i) => match &root.properties[i].value {
                Node::Object(section) if place(section, name).is_none() => insert(text, section, name, entry),
                _ => None,
            },
        }
    }

    pub fn without_entry(text: &str, section: &str, name: &str) -> Option<String> {
        let root = root(text)?;
        let i = place(&root, section)?;
        let Node::Object(section) = &root.properties[i].value else { return None };
        let entry = place(section, name)?;
        if section.properties.len() == 1 { take_out(text, &root, i) } else { take_out(text, section, entry) }
    }

    /// `None` where the object is empty or takes several lines.
    fn insert(text: &str, object: &Object<'_>, name: &str, value: &Value) -> Option<String> {
        let at = object.properties.last()?.range.end;
        is_on_one_line(text, object).then(|| format!("{}, {}: {value}{}", &text[..at], json!(name), &text[at..]))
    }

    /// `None` where it is the only one, or the object takes several lines.
    fn take_out(text: &str, object: &Object<'_>, i: usize) -> Option<String> {
        let range = |i: usize| object.properties.get(i).map(|property| property.range);
        let (start, end) = match i.checked_sub(1) {
            Some(former) => (range(former)?.end, range(i)?.end),
            None => (range(0)?.start, range(1)?.start),
        };
        is_on_one_line(text, object).then(|| format!("{}{}", &text[..start], &text[end..]))
    }

    fn is_on_one_line(text: &str, object: &Object<'_>) -> bool {
        !text[object.range.start..object.range.end].contains('\n')
    }

    fn root(text: &str) -> Option<Object<'_>> {
        match parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?.value? {
            Node::Object(object) => Some(object),
            _ => None,
        }
    }

    fn place(object: &Object<'_>, name: &str) -> Option<usize> {
        object.properties.iter().position(|property| property.name.as_str() == name)
    }
}
