//! What models write instead of a field's name, and what they mean by it.

use serde_json::{Map, Value, json};

/// By field, other names of it. A field's own name always wins.
const ALIASES: &[(&str, &[&str])] = &[
    (
        "symbols",
        &[
            "symbol",
            "name",
            "names",
            "symbol_name",
            "symbol_names",
            "symbol_id",
            "qualified_name",
            "query",
            "target",
            "file",
            "files",
            "file_path",
            "path",
            "paths",
        ],
    ),
    (
        "question",
        &[
            "query", "q", "text", "message", "prompt", "search", "error", "trace", "symbols",
            "symbol", "name", "names", "path", "paths",
        ],
    ),
    (
        "range",
        &["refs", "revisions", "base", "ref", "branch", "commit"],
    ),
    ("patch", &["diff", "unified_diff"]),
    ("args", &["arguments", "argv", "command", "cmd"]),
    (
        "show",
        &[
            "include",
            "kind",
            "kinds",
            "what",
            "sections",
            "relation",
            "relations",
            "direction",
        ],
    ),
    (
        "budget",
        &["max_tokens", "tokens", "token_budget", "budget_tokens"],
    ),
    (
        "ref",
        &[
            "at", "commit", "branch", "revision", "rev", "tag", "git_ref", "overlay",
        ],
    ),
    (
        "workspace",
        &[
            "repo",
            "repository",
            "repo_path",
            "root",
            "project",
            "cwd",
            "directory",
        ],
    ),
];

/// The arguments under the fields' own names, with lists and numbers as such.
pub fn understood(schema: &Map<String, Value>, arguments: Value) -> Value {
    let Some(Value::Object(fields)) = schema.get("properties") else {
        return arguments;
    };
    let mut arguments = match arguments {
        Value::Object(arguments) => arguments,
        // `"Cart.total"` instead of `{"symbols": ["Cart.total"]}`.
        Value::String(_) | Value::Array(_) => match required(schema) {
            Some(field) => Map::from_iter([(field.to_owned(), arguments)]),
            None => return arguments,
        },
        other => return other,
    };
    join_path_and_name(fields, &mut arguments);
    if fields.contains_key("args") {
        write_as_arguments(&mut arguments);
    }
    for (field, aliases) in ALIASES {
        if !fields.contains_key(*field) || arguments.contains_key(*field) {
            continue;
        }
        let written = aliases
            .iter()
            .find(|alias| arguments.contains_key(**alias) && !fields.contains_key(**alias));
        if let Some(value) = written.and_then(|alias| arguments.shift_remove(*alias)) {
            arguments.insert((*field).to_owned(), value);
        }
    }
    for (name, value) in &mut arguments {
        let wanted = fields.get(name).and_then(|field| type_of(field));
        match wanted {
            Some("array") => *value = as_list(name, std::mem::take(value)),
            Some("integer") => *value = as_number(std::mem::take(value)),
            Some("string") => *value = as_text(std::mem::take(value)),
            _ => {}
        }
    }
    if let Some(Value::Array(shown)) = arguments.get_mut("show") {
        *shown = shown.drain(..).flat_map(as_section).collect();
    }
    Value::Object(arguments)
}

fn required(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("required")?.as_array()?.first()?.as_str()
}

fn type_of(field: &Value) -> Option<&str> {
    match field.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|kind| *kind != "null"),
        _ => None,
    }
}

/// `{"name": "total", "path": "shop/cart.py"}` is `shop/cart.py#total`.
fn join_path_and_name(fields: &Map<String, Value>, arguments: &mut Map<String, Value>) {
    if !fields.contains_key("symbols") {
        return;
    }
    let path = ["path", "file", "file_path"]
        .iter()
        .find(|field| arguments.get(**field).is_some_and(Value::is_string));
    let name = ["symbols", "symbol", "name", "symbol_name"]
        .iter()
        .find(|field| arguments.contains_key(**field));
    let (Some(path), Some(name)) = (path, name) else {
        return;
    };
    let Some(Value::String(path)) = arguments.shift_remove(*path) else {
        return;
    };
    let Some(value) = arguments.shift_remove(*name) else {
        return;
    };
    let names = as_list("symbols", value);
    let joined = names
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| match name.as_str() {
            Some(name) if !name.contains(['/', '#', ':']) => json!(format!("{path}#{name}")),
            _ => name.clone(),
        });
    let joined: Vec<Value> = joined.collect();
    arguments.insert("symbols".to_owned(), Value::Array(joined));
}

/// The fields of other search tools as ripgrep's arguments: `{"pattern": "x", "path": "src"}`.
fn write_as_arguments(arguments: &mut Map<String, Value>) {
    let mut take = |names: &[&str]| {
        let name = names.iter().find(|name| arguments.contains_key(**name))?;
        let value = arguments.shift_remove(*name)?;
        value.as_str().map(str::to_owned).or_else(|| match value {
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(true) => Some(String::new()),
            _ => None,
        })
    };
    let Some(pattern) = take(&["pattern", "regex", "query"]) else {
        return;
    };
    let mut written: Vec<String> = Vec::new();
    for (names, flag) in [
        (&["glob", "include"][..], "-g"),
        (&["type", "file_type"], "-t"),
        (&["-A", "after_context"], "-A"),
        (&["-B", "before_context"], "-B"),
        (&["-C", "context"], "-C"),
    ] {
        if let Some(value) = take(names) {
            written.extend([flag.to_owned(), value]);
        }
    }
    for (name, flag) in [
        ("-i", "-i"),
        ("ignore_case", "-i"),
        ("multiline", "-U"),
        ("-n", "-n"),
    ] {
        if take(&[name]).is_some() {
            written.push(flag.to_owned());
        }
    }
    match take(&["output_mode"]).as_deref() {
        Some("files_with_matches") => written.push("-l".to_owned()),
        Some("count") => written.push("-c".to_owned()),
        _ => {}
    }
    written.extend(["-e".to_owned(), pattern]);
    written.extend(take(&["path", "directory"]));
    if let Some(Value::Array(given)) = arguments.get("args") {
        written.extend(given.iter().filter_map(Value::as_str).map(str::to_owned));
    }
    arguments.insert("args".to_owned(), json!(written));
}

/// The words of a command line: blanks separate them but for those in quotes.
pub fn shell_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (Some(_), '\\') if matches!(characters.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().extend(characters.next());
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A text as a list: what lines and commas separate, as JSON if it is JSON.
fn as_list(field: &str, value: Value) -> Value {
    let text = match value {
        Value::String(text) => text,
        // `["Cart.total, show"]` are two names.
        Value::Array(items) if field == "symbols" => {
            let items = items.into_iter().flat_map(|item| match item {
                Value::String(_) => as_list(field, item).as_array().cloned().unwrap_or_default(),
                other => vec![other],
            });
            return Value::Array(items.collect());
        }
        list @ (Value::Array(_) | Value::Null) => return list,
        one => return json!([one]),
    };
    if text.trim_start().starts_with('[')
        && let Ok(list @ Value::Array(_)) = serde_json::from_str(&text)
    {
        return list;
    }
    if field == "args" {
        let mut words = shell_words(&text);
        if matches!(words.first().map(String::as_str), Some("rg" | "grep")) {
            words.remove(0);
        }
        return json!(words);
    }
    let mut depth = 0_i32;
    let items = text.split(|c: char| {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        // A blank separates words that have none in them.
        c == '\n' || depth <= 0 && (c == ',' || c == ' ' && field == "show")
    });
    let items = items.map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| json!(item)).collect())
}

fn as_number(value: Value) -> Value {
    match value
        .as_str()
        .map(|text| text.trim().replace(['_', ','], ""))
    {
        Some(text) => text.parse::<i64>().map_or(value, |number| json!(number)),
        None => value,
    }
}

fn as_text(value: Value) -> Value {
    match value {
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            json!(items.join("\n"))
        }
        Value::Number(number) => json!(number.to_string()),
        other => other,
    }
}

/// The sections that a word means; the word itself where it means none, for an error that names it.
fn as_section(word: Value) -> Vec<Value> {
    let Some(text) = word.as_str() else {
        return vec![word];
    };
    let plain = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let sections: &[&str] = match plain.as_str() {
        "definition" | "def" | "body" | "code" | "implementation_body" | "full" => &["definition"],
        "signature" | "sig" | "declaration" | "type" => &["signature"],
        "callers" | "caller" | "called_by" | "incoming" | "incoming_calls" | "call"
        | "calls_to" => &["callers"],
        "callees" | "callee" | "calls" | "outgoing" | "outgoing_calls" | "calls_from" => {
            &["callees"]
        }
        "references" | "reference" | "refs" | "ref" | "usages" | "usage" | "uses" => {
            &["references"]
        }
        "implementations" | "implementation" | "impl" | "impls" | "implementers"
        | "implementors" => &["implementations"],
        "overrides" | "override" | "overridden" | "overriding" => &["overrides"],
        "supertypes" | "supertype" | "bases" | "base" | "parents" | "superclasses" | "extends" => {
            &["supertypes"]
        }
        "subtypes" | "subtype" | "derived" | "children" | "subclasses" => &["subtypes"],
        "hierarchy" => &["supertypes", "subtypes"],
        "tests" | "test" => &["tests"],
        "dead" | "unused" | "dead_code" => &["dead"],
        "history" | "log" | "blame" | "commits" | "changes" => &["history"],
        "outline" | "members" | "symbols" | "structure" => &["outline"],
        "source" | "text" | "lines" | "content" => &["source"],
        "summary" | "" => &[],
        _ => return vec![word],
    };
    sections.iter().map(|section| json!(section)).collect()
}
