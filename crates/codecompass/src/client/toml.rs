//! An entry in a TOML file.
//!
//! Nothing is reformatted: the entry is a table at the end of the file, behind an empty line, and
//! is cut out again. A file that did not end its last line does not end the entry's either; this
//! tells what was there before, and an empty file of the user's from none.

use std::ops::Range;

use anyhow::{Context, bail};
use toml_edit::{Array, Document, InlineTable, Item, TableLike, Value};

use super::{Launch, splice};

pub fn new_file(section: &str, name: &str, launch: &Launch) -> String {
    table(section, name, launch, "\n") + "\n"
}

pub fn with_entry(
    text: &str,
    section_name: &str,
    name: &str,
    launch: &Launch,
) -> anyhow::Result<String> {
    let document = Document::parse(text).context("it is not TOML")?;
    let line_break = splice::line_break(text);
    let in_line = || {
        format!(
            "{{ {} }}",
            settings(launch)
                .map(|(setting, value)| format!("{setting} = {}", shown(&value)))
                .join(", ")
        )
    };
    let section = match document.get(section_name) {
        Some(section) => Some(
            section
                .as_table_like()
                .context("the section of servers is not a table")?,
        ),
        None => None,
    };
    if section.is_some_and(|section| section.contains_key(name)) {
        let mut new = text.to_owned();
        for (setting, value) in settings(launch) {
            new = with_setting(&new, [section_name, name], setting, &value)?;
        }
        return Ok(new);
    }
    if let Some(section) = document.get(section_name).and_then(Item::as_inline_table) {
        return with_member(text, section, name, &in_line());
    }
    if let Some(end) = section
        .filter(|section| section.is_dotted())
        .and_then(end_of_lines)
    {
        let line = format!("{line_break}{section_name}.{name} = {}", in_line());
        return Ok(splice::insert(text, splice::line_end(text, end), &line));
    }
    let table = table(section_name, name, launch, line_break);
    Ok(if text.is_empty() {
        table
    } else if text.ends_with('\n') {
        format!("{text}{line_break}{table}{line_break}")
    } else {
        format!("{text}{line_break}{line_break}{table}")
    })
}

fn table(section: &str, name: &str, launch: &Launch, line_break: &str) -> String {
    let settings = settings(launch)
        .map(|(setting, value)| format!("{line_break}{setting} = {}", shown(&value)));
    format!("[{section}.{name}]{}", settings.concat())
}

fn settings(launch: &Launch) -> [(&'static str, Value); 2] {
    let arguments: Array = launch.arguments.iter().map(String::as_str).collect();
    [
        ("command", Value::from(launch.command.as_str())),
        ("args", Value::Array(arguments)),
    ]
}

fn shown(value: &Value) -> String {
    value.to_string().trim().to_owned()
}

fn with_setting(
    text: &str,
    [section, name]: [&str; 2],
    setting: &str,
    value: &Value,
) -> anyhow::Result<String> {
    let document = Document::parse(text).context("it is not TOML")?;
    let entry = document
        .get(section)
        .and_then(|section| section.get(name))
        .context("the entry is gone")?;
    let new = shown(value);
    if let Some(old) = entry.get(setting) {
        let same = match (old.as_value(), value) {
            (Some(Value::Array(old)), Value::Array(new)) => {
                old.len() == new.len()
                    && old
                        .iter()
                        .zip(new)
                        .all(|(old, new)| old.is_str() && old.as_str() == new.as_str())
            }
            (Some(old), new) => old.is_str() && old.as_str() == new.as_str(),
            (None, _) => false,
        };
        let range = old
            .as_value()
            .and_then(Value::span)
            .with_context(|| format!("`{setting}` of `{name}` is a table"))?;
        return Ok(if same {
            text.to_owned()
        } else {
            splice::replace(text, range, &new)
        });
    }
    match entry {
        Item::Value(Value::InlineTable(entry)) => with_member(text, entry, setting, &new),
        Item::Table(entry)
            if !entry.is_dotted()
                && let Some(header) = entry.span() =>
        {
            let line = format!("{}{setting} = {new}", splice::line_break(text));
            Ok(splice::insert(
                text,
                splice::line_end(text, header.end),
                &line,
            ))
        }
        _ => bail!("`{name}` has no `{setting}`; write it as a table, [{section}.{name}]"),
    }
}

/// `None` where nothing is left of a file that was made for the entry.
pub fn without_entry(text: &str, section_name: &str, name: &str) -> anyhow::Result<Option<String>> {
    let document = Document::parse(text).context("it is not TOML")?;
    let unchanged = || Ok(Some(text.to_owned()));
    let Some(section) = document.get(section_name) else {
        return unchanged();
    };
    let Some(entry) = section.get(name) else {
        return unchanged();
    };
    if let Some(section) = section.as_inline_table() {
        return without_member(text, section, name).map(Some);
    }
    let mut cuts = Vec::new();
    match entry {
        Item::Table(table) if !table.is_dotted() => cut_tables(text, entry, &mut cuts),
        Item::ArrayOfTables(_) => cut_tables(text, entry, &mut cuts),
        _ => {
            let key = section
                .as_table_like()
                .and_then(|section| section.get_key_value(name))
                .and_then(|(key, _)| key.span());
            cut_lines(text, key, entry, &mut cuts);
        }
    }
    let rest = splice::cut(text, cuts);
    Ok((!rest.is_empty() || !text.ends_with('\n')).then_some(rest))
}

/// All tables with headers from here on, each with the empty line before it.
fn cut_tables(text: &str, item: &Item, cuts: &mut Vec<Range<usize>>) {
    let tables: Vec<_> = match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        _ => return,
    };
    for table in tables.into_iter().filter(|table| !table.is_dotted()) {
        if let Some(header) = table.span() {
            let start = splice::line_start(text, header.start);
            let last_line = splice::line_end(
                text,
                end_of_lines(table).unwrap_or_default().max(header.end),
            );
            let end = text[last_line..]
                .find('\n')
                .map_or(last_line, |n| last_line + n + 1);
            let former_line = splice::line_break_before(text, start).start;
            let before_it = splice::line_break_before(text, former_line);
            let from = if end == last_line {
                before_it.start
            } else if former_line == 0 || !before_it.is_empty() {
                former_line
            } else {
                start
            };
            cuts.push(from..end);
        }
        for (_, item) in table.iter() {
            cut_tables(text, item, cuts);
        }
    }
}

/// The lines of an entry that is written without a header.
fn cut_lines(text: &str, key: Option<Range<usize>>, item: &Item, cuts: &mut Vec<Range<usize>>) {
    match (item, key) {
        (Item::Value(value), Some(key)) => {
            let start = splice::line_start(text, key.start);
            let end = splice::line_end(text, value.span().map_or(key.end, |value| value.end));
            let line_break = splice::line_break_before(text, start);
            cuts.push(line_break.start..end);
        }
        (Item::Table(table), _) => {
            for (name, item) in table.iter() {
                cut_lines(text, table.key(name).and_then(|key| key.span()), item, cuts);
            }
        }
        _ => {}
    }
}

/// Where the last value in the lines of this table ends, not below headers of
/// their own.
fn end_of_lines(table: &dyn TableLike) -> Option<usize> {
    ends_of_lines(table).max()
}

fn ends_of_lines(table: &dyn TableLike) -> impl Iterator<Item = usize> {
    table.iter().filter_map(|(_, item)| end_of(item))
}

fn end_of(item: &Item) -> Option<usize> {
    match item {
        Item::Value(Value::InlineTable(table)) if table.is_dotted() => end_of_lines(table),
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => end_of_lines(table),
        _ => None,
    }
}

fn with_member(text: &str, table: &InlineTable, name: &str, value: &str) -> anyhow::Result<String> {
    let inside = table.span().context("the table is nowhere")?.start + 1;
    Ok(match end_of_lines(table) {
        None => splice::insert(text, inside, &format!("{name} = {value}")),
        Some(last) => match comma_after(text, last) {
            Some(comma) => splice::insert(text, comma.end, &format!(" {name} = {value},")),
            None => splice::insert(text, last, &format!(", {name} = {value}")),
        },
    })
}

fn without_member(text: &str, table: &InlineTable, name: &str) -> anyhow::Result<String> {
    let (key, item) = table.get_key_value(name).context("the entry is gone")?;
    let (Some(key), Some(end)) = (key.span(), end_of(item)) else {
        bail!("`{name}` is written with dots; write it as a table")
    };
    let former = ends_of_lines(table).filter(|end| *end <= key.start).max();
    let start = if former.is_some() {
        splice::blanks_before(text, key.start).start
    } else {
        key.start
    };
    let comma = comma_after(text, end).or_else(|| comma_after(text, former?));
    Ok(splice::cut(
        text,
        [Some(start..end), comma].into_iter().flatten().collect(),
    ))
}

/// Behind blanks, line ends and comments.
fn comma_after(text: &str, end: usize) -> Option<Range<usize>> {
    let mut rest = text[end..].trim_start();
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.split_once('\n')?.1.trim_start();
    }
    let at = text.len() - rest.len();
    rest.starts_with(',').then_some(at..at + 1)
}
