//! The schema files in `schemas/tools/`, generated from the types.

use std::path::Path;

use serde_json::json;

use crate::{Registry, Surface};

#[test]
fn the_list_is_exactly_the_seven_tools() {
    let registry = Registry::of(&[Surface::Lsp]);
    let names: Vec<_> = registry
        .entries()
        .iter()
        .map(|entry| entry.tool.name())
        .collect();
    let expected = [
        "definition",
        "references",
        "hover",
        "documentSymbols",
        "workspaceSymbols",
        "diagnostics.document",
        "diagnostics.workspace",
    ];
    assert_eq!(names, expected.map(|name| format!("vscode.lsp.{name}")));
    for entry in registry.entries() {
        assert!(entry.tool.annotations().read_only);
        assert_eq!(entry.input_schema["additionalProperties"], json!(false));
    }
}

#[test]
fn the_files_are_the_types() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/tools");
    for entry in Registry::of(&[Surface::Lsp]).entries() {
        let name = entry.tool.name();
        // The files are the contract as its document has it; `since` and `token` are ours.
        let input = entry.listed_input_schema(true);
        let output = entry.listed_output_schema(true);
        for (file, schema) in [
            (format!("{name}.json"), input),
            (format!("{name}.output.json"), output),
        ] {
            let mut whole = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": file, "title": name });
            whole.as_object_mut().unwrap().extend(schema);
            let text = format!("{}\n", serde_json::to_string_pretty(&whole).unwrap());
            let path = directory.join(&file);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::create_dir_all(&directory).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            assert_eq!(
                std::fs::read_to_string(&path).unwrap_or_default(),
                text,
                "{file}: run with UPDATE_EXPECT=1"
            );
        }
    }
}
