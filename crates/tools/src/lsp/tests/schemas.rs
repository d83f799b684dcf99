//! What is listed of the seven tools; their schemas are files in `schemas/tools/`.

use serde_json::json;

use crate::{LSP, Registry};

#[test]
fn the_list_is_exactly_the_seven_tools() {
    let registry = Registry::of(&[LSP]);
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
