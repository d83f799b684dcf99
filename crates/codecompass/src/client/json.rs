//! An entry in a JSON file with comments.
//!
//! Nothing is reformatted: pieces are put in and cut out. What the user had before is told from
//! what we made by its layout, so that taking the entry out gives the same bytes back:
//!
//! - A member put into an empty object of the user's has its value on one line. It follows
//!   the brace directly, or is on a line of its own where the braces are on different lines.
//! - A section that we made holds the entry between two spaces, or on lines of its own with its
//!   value on several.
//! - A file without any object gets one that opens with a space and closes without.

use std::ops::Range;

use anyhow::{Context, anyhow, bail};
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, Value as Node},
    common::Ranged,
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};
use serde_json::{Value, json};

use super::splice;

const INDENT: &str = "  ";

/// What the user alone decides once the entry is there.
const USERS_OWN: &str = "env";

pub fn new_file(section: &str, name: &str, entry: &Value) -> String {
    laid_out(&json!({ section: { name: entry } }), "", INDENT, "\n") + "\n"
}

pub fn with_entry(
    text: &str,
    section_name: &str,
    name: &str,
    entry: &Value,
) -> anyhow::Result<String> {
    let document = JsonDocument::parse(text)?;
    let Some(root) = &document.root else {
        let section = in_line(&json!({ name: entry }));
        let line_break = if text.trim().is_empty() {
            ""
        } else {
            splice::line_break(text)
        };
        return Ok(format!(
            "{{ {}: {section}}}{line_break}{text}",
            json!(section_name)
        ));
    };
    let Some(section) = member(root, section_name) else {
        return Ok(document.with_member(root, section_name, &json!({ name: entry })));
    };
    let section = root.properties[section]
        .value
        .as_object()
        .with_context(|| format!("`{section_name}` is not an object"))?;
    let Some(existing) = member(section, name) else {
        return Ok(document.with_member(section, name, entry));
    };
    let settings = entry.as_object().context("an entry is an object")?;
    let Node::Object(existing) = &section.properties[existing].value else {
        return Ok(document.with_value(section, existing, entry));
    };
    let mut new = text.to_owned();
    for (setting, value) in settings.iter().filter(|(setting, _)| *setting != USERS_OWN) {
        new = with_setting(&new, [section_name, name], setting, value)?;
    }
    // Whoever had it elsewhere before has it as a process of its own now.
    if member(existing, "type").is_some() && !settings.contains_key("type") {
        new = with_setting(&new, [section_name, name], "type", &json!("stdio"))?;
    }
    Ok(new)
}

fn with_setting(
    text: &str,
    entry: [&str; 2],
    setting: &str,
    value: &Value,
) -> anyhow::Result<String> {
    let document = JsonDocument::parse(text)?;
    let mut object = document.root.as_ref().context("it is not a JSON object")?;
    for name in entry {
        object = member(object, name)
            .and_then(|i| object.properties[i].value.as_object())
            .context("the entry is gone")?;
    }
    Ok(match member(object, setting) {
        Some(i) => document.with_value(object, i, value),
        None => document.with_member(object, setting, value),
    })
}

/// `None` where nothing is left of a file that was made for the entry.
pub fn without_entry(text: &str, section_name: &str, name: &str) -> anyhow::Result<Option<String>> {
    let document = JsonDocument::parse(text)?;
    let unchanged = || Ok(Some(text.to_owned()));
    let Some(root) = &document.root else {
        return unchanged();
    };
    let Some(section_at) = member(root, section_name) else {
        return unchanged();
    };
    let Node::Object(section) = &root.properties[section_at].value else {
        return unchanged();
    };
    let Some(entry_at) = member(section, name) else {
        return unchanged();
    };
    if document.is_new_file(section_name, name, section, entry_at) {
        return Ok(None);
    }
    Ok(Some(if !document.is_section_of_ours(section) {
        document.without_member(section, entry_at)
    } else if document.is_root_of_ours(root) {
        let rest = &text[root.range.end..];
        let comments = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))
            .filter(|_| !rest.trim().is_empty());
        comments.unwrap_or(rest).to_owned()
    } else {
        document.without_member(root, section_at)
    }))
}

struct JsonDocument<'a> {
    text: &'a str,
    /// Without comments.
    tokens: Vec<TokenAndRange<'a>>,
    /// `None` where there is nothing but comments.
    root: Option<Object<'a>>,
}

impl<'a> JsonDocument<'a> {
    fn parse(text: &'a str) -> anyhow::Result<JsonDocument<'a>> {
        let collect = CollectOptions {
            tokens: true,
            ..CollectOptions::default()
        };
        let parsed = parse_to_ast(text, &collect, &ParseOptions::default())
            .map_err(|error| anyhow!("it is not JSON: {error}"))?;
        let root = match parsed.value {
            None => None,
            Some(Node::Object(object)) => Some(object),
            Some(_) => bail!("it is not a JSON object"),
        };
        Ok(JsonDocument {
            text,
            tokens: parsed.tokens.unwrap_or_default(),
            root,
        })
    }

    fn with_value(&self, object: &Object<'_>, i: usize, value: &Value) -> String {
        let old = &object.properties[i].value;
        if Value::from(old.clone()) == *value {
            return self.text.to_owned();
        }
        splice::replace(self.text, range_of(old), &in_line(value))
    }

    fn with_member(&self, object: &Object<'_>, name: &str, value: &Value) -> String {
        let text = self.text;
        let is_on_one_line = !text[object.range.start..object.range.end].contains('\n');
        let name = json!(name);
        let line_break = splice::line_break(text);
        let indent = self.indent_within(object);
        let Some(last) = object.properties.last() else {
            let inside = object.range.start + 1;
            let value = in_line(value);
            return match is_on_one_line {
                true => splice::insert(text, inside, &format!("{name}: {value}")),
                false => splice::insert(
                    text,
                    past_comments(text, inside),
                    &format!("{line_break}{indent}{name}: {value}"),
                ),
            };
        };
        let comma = self.comma_after(last.range.end);
        let at = past_comments(
            text,
            comma.as_ref().map_or(last.range.end, |comma| comma.end),
        );
        let added = match is_on_one_line {
            true => format!(" {name}: {}", in_line(value)),
            false => format!(
                "{line_break}{indent}{name}: {}",
                laid_out(value, &indent, self.indent_unit(), line_break)
            ),
        };
        // A file that has a comma after its last member keeps one after the new member.
        match comma {
            Some(_) => splice::insert(text, at, &format!("{added},")),
            None => splice::insert(&splice::insert(text, at, &added), last.range.end, ","),
        }
    }

    fn without_member(&self, object: &Object<'_>, i: usize) -> String {
        let range = |i: usize| object.properties[i].range.start..object.properties[i].range.end;
        let member = range(i);
        let blanks = splice::blanks_before(self.text, member.start);
        let line_break = splice::line_break_before(self.text, blanks.start);
        let comma = self.comma_after(member.end);
        let after = comma.as_ref().unwrap_or(&member).end;
        let mut cuts = vec![member];
        if !line_break.is_empty() || i > 0 {
            cuts.extend([line_break, blanks]);
        } else if object.properties.len() > 1 {
            let rest = &self.text[after..];
            cuts.push(after..after + rest.len() - rest.trim_start_matches([' ', '\t']).len());
        }
        cuts.extend(comma.or_else(|| self.comma_after(range(i.checked_sub(1)?).end)));
        splice::cut(self.text, cuts)
    }

    fn comma_after(&self, end: usize) -> Option<Range<usize>> {
        let next = self
            .tokens
            .get(self.tokens.partition_point(|token| token.range.start < end))?;
        (next.token == Token::Comma).then_some(next.range.start..next.range.end)
    }

    /// That of the members where they begin lines, else one step more than the object's.
    fn indent_within(&self, object: &Object<'_>) -> String {
        let of_members = object
            .properties
            .iter()
            .rev()
            .find_map(|member| self.indent_at(member.range.start));
        of_members.map_or_else(
            || {
                let line = &self.text[splice::line_start(self.text, object.range.start)..];
                let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
                format!("{indent}{}", self.indent_unit())
            },
            str::to_owned,
        )
    }

    fn indent_unit(&self) -> &'a str {
        let members = self.root.iter().flat_map(|root| &root.properties);
        members
            .filter_map(|member| self.indent_at(member.range.start))
            .find(|indent| !indent.is_empty())
            .unwrap_or(INDENT)
    }

    /// `None` where something else begins the line.
    fn indent_at(&self, at: usize) -> Option<&'a str> {
        let blanks = splice::blanks_before(self.text, at);
        (blanks.start == splice::line_start(self.text, at)).then_some(&self.text[blanks])
    }

    fn is_new_file(
        &self,
        section_name: &str,
        name: &str,
        section: &Object<'_>,
        entry_at: usize,
    ) -> bool {
        let entry = range_of(&section.properties[entry_at].value);
        // Whatever the user has changed within the entry goes with it.
        let placeholder = json!({ "": "" });
        let made = new_file(section_name, name, &placeholder);
        let inner = laid_out(&placeholder, INDENT.repeat(2).as_str(), INDENT, "\n");
        let around = made.split_once(&inner);
        self.text[entry.clone()].contains('\n')
            && around == Some((&self.text[..entry.start], &self.text[entry.end..]))
    }

    fn is_section_of_ours(&self, section: &Object<'_>) -> bool {
        let [entry] = &section.properties[..] else {
            return false;
        };
        let is_line_break = |gap: &str| {
            let gap = gap.strip_prefix('\r').unwrap_or(gap);
            gap.strip_prefix('\n')
                .is_some_and(|indent| indent.trim_matches([' ', '\t']).is_empty())
        };
        match self.gaps(section) {
            (" ", " ") => true,
            (before, after) => {
                is_line_break(before)
                    && is_line_break(after)
                    && self.text[range_of(&entry.value)].contains('\n')
            }
        }
    }

    fn is_root_of_ours(&self, root: &Object<'_>) -> bool {
        root.range.start == 0 && root.properties.len() == 1 && self.gaps(root) == (" ", "")
    }

    /// The text between the braces and the first and last member.
    fn gaps(&self, object: &Object<'_>) -> (&'a str, &'a str) {
        let (first, last) = (object.properties.first(), object.properties.last());
        let inside = object.range.start + 1..object.range.end - 1;
        let before = inside.start..first.map_or(inside.end, |first| first.range.start);
        let after = last.map_or(inside.start, |last| last.range.end)..inside.end;
        (&self.text[before], &self.text[after])
    }
}

fn member(object: &Object<'_>, name: &str) -> Option<usize> {
    object
        .properties
        .iter()
        .position(|property| property.name.as_str() == name)
}

fn range_of(node: &Node<'_>) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

/// Behind the comments on the rest of the line: they are about what precedes them.
fn past_comments(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let rest = text[end..].trim_start_matches([' ', '\t']);
        let start = text.len() - rest.len();
        if rest.starts_with("//") {
            return splice::line_end(text, start);
        }
        let block = rest
            .strip_prefix("/*")
            .and_then(|rest| rest.split_once("*/"))
            .map(|(block, _)| block);
        match block.filter(|block| !block.contains('\n')) {
            Some(block) => end = start + block.len() + "/**/".len(),
            None => return end,
        }
    }
}

/// Objects on several lines, everything else on one.
fn laid_out(value: &Value, indent: &str, unit: &str, line_break: &str) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let inner = format!("{indent}{unit}");
            let members = members.iter().map(|(name, value)| {
                format!(
                    "{line_break}{inner}{}: {}",
                    json!(name),
                    laid_out(value, &inner, unit, line_break)
                )
            });
            format!(
                "{{{}{line_break}{indent}}}",
                members.collect::<Vec<_>>().join(",")
            )
        }
        _ => in_line(value),
    }
}

fn in_line(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{}: {}", json!(name), in_line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => format!(
            "[{}]",
            values.iter().map(in_line).collect::<Vec<_>>().join(", ")
        ),
        _ => value.to_string(),
    }
}
