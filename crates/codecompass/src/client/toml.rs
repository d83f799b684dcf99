//! An entry in a TOML file.

use anyhow::Context;
use toml_edit::{Array, DocumentMut, Item, Table, value};

pub fn with_entry(text: &str, section: &str, name: &str, command: &str, arguments: &[String]) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse().context("it is not TOML")?;
    let section = document.entry(section).or_insert_with(|| {
        // Only its tables are written: `[mcp_servers.codecompass]` says it all.
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let section = section.as_table_like_mut().context("the section of servers is not a table")?;
    let arguments: Array = arguments.iter().map(String::as_str).collect();
    match section.get_mut(name).and_then(Item::as_table_like_mut) {
        Some(entry) => {
            let same = entry.get("command").and_then(Item::as_str) == Some(command)
                && entry.get("args").and_then(Item::as_array).is_some_and(|old| old.to_string().trim() == arguments.to_string().trim());
            if same {
                return Ok(text.to_owned());
            }
            entry.insert("command", value(command));
            entry.insert("args", value(arguments));
        }
        None => {
            let mut entry = Table::new();
            entry.insert("command", value(command));
            entry.insert("args", value(arguments));
            if !text.trim().is_empty() {
                entry.decor_mut().set_prefix("\n");
            }
            section.insert(name, Item::Table(entry));
        }
    }
    Ok(document.to_string())
}

pub fn without_entry(text: &str, section_name: &str, name: &str) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse().context("it is not TOML")?;
    let Some(section) = document.get_mut(section_name).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if section.remove(name).is_none() {
        return Ok(text.to_owned());
    }
    if section.is_empty() {
        document.remove(section_name);
    }
    Ok(document.to_string())
}
