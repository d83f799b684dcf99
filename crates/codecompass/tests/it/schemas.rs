//! The schemas of all tools of all contracts are files in `schemas/tools/`, so that a change to a
//! contract is a difference that somebody reviews. `UPDATE_EXPECT=1 cargo test -p codecompass
//! schemas` rewrites them.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Map, Value, json};

#[test]
fn the_schemas_of_all_tools_are_checked_in() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/tools");
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    for tool in listed_tools() {
        let name = tool["name"].as_str().unwrap();
        for (schema, file) in [
            ("inputSchema", format!("{name}.json")),
            ("outputSchema", format!("{name}.output.json")),
        ] {
            let mut document = Map::new();
            document.insert(
                "$schema".into(),
                json!("https://json-schema.org/draft/2020-12/schema"),
            );
            document.insert("$id".into(), json!(file));
            document.insert("title".into(), json!(name));
            if schema == "inputSchema" {
                document.insert("description".into(), tool["description"].clone());
            }
            // A tool that answers in plain text has no schema for its answers.
            let Some(schema) = tool[schema].as_object() else {
                continue;
            };
            document.extend(schema.clone());
            expected.insert(file, format!("{:#}\n", Value::Object(document)));
        }
    }
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        found.insert(name, fs::read_to_string(path).unwrap());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        for name in found.keys().filter(|name| !expected.contains_key(*name)) {
            fs::remove_file(directory.join(name)).unwrap();
        }
        for (name, text) in &expected {
            fs::write(directory.join(name), text).unwrap();
        }
        return;
    }
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    for (name, text) in &expected {
        assert_eq!(&found[name], text, "{name}: UPDATE_EXPECT=1 rewrites it");
    }
}

/// What the program lists for each contract, under the contract's own names.
fn listed_tools() -> Vec<Value> {
    let home = tempfile::tempdir().unwrap();
    let mut tools = Vec::new();
    for contract in ["codecompass", "codemap", "lsp", "agent"] {
        let mut process = Command::new(env!("CARGO_BIN_EXE_codecompass"))
            .args(["serve-mcp", "--strict-contract", "--surface", contract])
            .current_dir(home.path())
            .env("CODECOMPASS_HOME", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = process.stdin.take().unwrap();
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "schemas", "version": "0" } } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        ] {
            writeln!(input, "{message}").unwrap();
        }
        drop(input);
        let output = process.wait_with_output().unwrap();
        let answers: Vec<Value> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let list = answers.iter().find(|answer| answer["id"] == 2).unwrap();
        tools.extend(list["result"]["tools"].as_array().unwrap().clone());
    }
    tools
}
