//! MCP bundles (`.mcpb`), which desktop clients install with a click: a zip of a manifest and the
//! binary.

use serde_json::{Value, json};

use crate::{
    archive,
    contents::{PackageContents, PackedFile},
    platform::Platform,
    product::{NAME, Product, SUMMARY},
};

/// `codecompass-VERSION-TRIPLE.mcpb`
pub fn pack(
    product: &Product,
    platform: Platform,
    contents: &PackageContents,
) -> anyhow::Result<(String, Vec<u8>)> {
    let program = format!("server/{}", platform.program_name());
    let manifest = serde_json::to_string_pretty(&manifest(product, platform, &program))? + "\n";
    let mut files = vec![
        PackedFile::new("manifest.json", manifest),
        contents.program.at(program),
    ];
    files.extend(contents.licences.iter().cloned());
    Ok((file_name(product, platform), archive::zip(&files)?))
}

pub fn file_name(product: &Product, platform: Platform) -> String {
    format!("{NAME}-{}-{}.mcpb", product.version, platform.triple())
}

/// Version 0.3 of the manifest. A desktop client starts servers in no directory in particular, so
/// that it has to ask for one.
fn manifest(product: &Product, platform: Platform, program: &str) -> Value {
    json!({
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": NAME,
        "version": product.version,
        "description": SUMMARY,
        "author": { "name": "The codecompass contributors", "url": product.repository },
        "repository": { "type": "git", "url": product.repository },
        "license": product.licence,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": ["serve-mcp", "--workspace", "${user_config.workspace}"],
            },
        },
        "tools_generated": true,
        "compatibility": { "platforms": [platform.node_platform()] },
        "user_config": {
            "workspace": {
                "type": "directory",
                "title": "Repository",
                "description": "The directory whose code questions are about",
                "required": true,
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_starts_the_binary_of_the_bundle() {
        let product = crate::product::tests::example();
        let platform = "x86_64-pc-windows-gnu".parse().unwrap();
        let manifest = manifest(&product, platform, "server/codecompass.exe");
        let server = &manifest["server"];
        assert_eq!(server["entry_point"], "server/codecompass.exe");
        assert_eq!(
            server["mcp_config"]["command"],
            "${__dirname}/server/codecompass.exe"
        );
        assert_eq!(manifest["compatibility"]["platforms"], json!(["win32"]));
    }
}
