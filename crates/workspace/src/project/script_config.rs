//! `tsconfig.json` and `jsconfig.json`: path aliases, and where a build puts what.

use engine::{Project, ScriptConfig};
use serde_json::Value;

use super::{ProjectFiles, join};

pub fn is_config(name: &str) -> bool {
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json")
}

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    for file in files.named(|name| matches!(name, "tsconfig.json" | "jsconfig.json")) {
        let config = config(files, file.path.as_str(), 0);
        project.script_configs.push(ScriptConfig {
            directory: file.path.directory().to_owned(),
            ..config
        });
    }
}

/// A configuration with what it extends below it.
fn config(files: &ProjectFiles<'_>, path: &str, depth: usize) -> ScriptConfig {
    /// Longer chains are loops.
    const MAX_DEPTH: usize = 8;
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let json = files
        .find(path)
        .and_then(|file| files.text(file))
        .and_then(|text| serde_json::from_str::<Value>(&plain_json(&text)).ok());
    let Some(json) = json.filter(|_| depth < MAX_DEPTH) else {
        return ScriptConfig::default();
    };
    let mut config = ScriptConfig::default();
    let extended = match json.get("extends") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for extended in extended {
        // A package's configuration is not in the repository.
        if let Some(path) = extended
            .starts_with('.')
            .then(|| join(directory, extended))
            .flatten()
        {
            let path = if files.exists(&path) {
                path
            } else {
                format!("{path}.json")
            };
            overlay(&mut config, self::config(files, &path, depth + 1));
        }
    }
    let Some(options) = json.get("compilerOptions") else {
        return config;
    };
    let path = |key: &str| {
        options
            .get(key)
            .and_then(Value::as_str)
            .and_then(|path| join(directory, path))
    };
    let base_url = path("baseUrl");
    let base = base_url
        .clone()
        .or_else(|| config.base_url.clone())
        .unwrap_or_else(|| directory.to_owned());
    let paths = options
        .get("paths")
        .and_then(Value::as_object)
        .map(|paths| {
            let targets = |value: &Value| {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|target| join(&base, target.as_str()?))
                    .collect()
            };
            paths
                .iter()
                .map(|(pattern, value)| (pattern.clone(), targets(value)))
                .collect::<Vec<(String, Vec<String>)>>()
        });
    let own = ScriptConfig {
        directory: String::new(),
        base_url,
        paths: paths.unwrap_or_default(),
        out_dir: path("outDir"),
        root_dir: path("rootDir"),
    };
    overlay(&mut config, own);
    config
}

/// What `own` says replaces what `config` says.
fn overlay(config: &mut ScriptConfig, own: ScriptConfig) {
    config.base_url = own.base_url.or(config.base_url.take());
    config.out_dir = own.out_dir.or(config.out_dir.take());
    config.root_dir = own.root_dir.or(config.root_dir.take());
    if !own.paths.is_empty() {
        config.paths = own.paths;
    }
}

/// Comments and trailing commas, which these files may have, replaced by blanks.
fn plain_json(text: &str) -> String {
    let mut bytes = text.trim_start_matches('\u{feff}').as_bytes().to_vec();
    let mut i = 0;
    let mut comma = None;
    while i < bytes.len() {
        match bytes[i] {
            b'"' => {
                comma = None;
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' {
                    i += 1 + usize::from(bytes[i] == b'\\');
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    bytes[i] = b' ';
                    i += 1;
                }
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let end = memchr::memmem::find(&bytes[i + 2..], b"*/")
                    .map_or(bytes.len(), |end| i + 2 + end + 2);
                bytes[i..end].fill(b' ');
                i = end;
                continue;
            }
            b',' => comma = Some(i),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            byte if !byte.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        i += 1;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
