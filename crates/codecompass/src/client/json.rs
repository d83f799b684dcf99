//! An entry in a JSON file with comments.

use anyhow::{Context, anyhow};
use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};
use serde_json::Value;

pub fn with_entry(text: &str, section: &str, name: &str, entry: &Value) -> anyhow::Result<String> {
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
