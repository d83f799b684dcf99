//! C and C++: the directories in which `#include` looks.

use engine::Project;
use serde_json::Value;

use super::{ProjectFiles, cargo::path_in, join};

pub fn read(files: &ProjectFiles<'_>, project: &mut Project) {
    let mut directories = Vec::new();
    for file in files.named(|name| name == "compile_commands.json") {
        let Some(json) = files
            .text(file)
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        else {
            continue;
        };
        directories.extend(from_commands(file.path.directory(), &json));
    }
    for file in files.named(|name| name == "CMakeLists.txt") {
        let Some(text) = files.text(file) else {
            continue;
        };
        directories.extend(from_cmake(file.path.directory(), &text));
    }
    // By custom, whatever builds it.
    let headers = files.named(|name| {
        [".h", ".hpp", ".hh", ".hxx"]
            .iter()
            .any(|extension| name.ends_with(extension))
    });
    for file in headers {
        let mut at = 0;
        for part in file.path.directory().split('/') {
            let end = at + part.len();
            if matches!(part, "include" | "inc" | "includes") {
                directories.push(file.path.as_str()[..end].to_owned());
            }
            at = end + 1;
        }
    }
    directories.retain(|directory| files.directory_exists(directory));
    directories.sort();
    directories.dedup();
    project.includes.directories = directories;
}

/// `-Ipath`, `-I path`, `-isystem path`, `-iquote path` of every command. Paths outside the
/// repository are not ours.
fn from_commands(manifest_directory: &str, json: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for command in json.as_array().into_iter().flatten() {
        let mut words: Vec<String> = match command.get("arguments") {
            Some(Value::Array(words)) => words
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => command
                .get("command")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        };
        // Absolute paths start with the directory of the command, which is in or below the
        // repository.
        let base = command
            .get("directory")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_owned();
        words.reverse();
        while let Some(word) = words.pop() {
            let path = match word.strip_prefix("-I") {
                Some("") => words.pop(),
                Some(path) => Some(path.to_owned()),
                None if word == "-isystem" || word == "-iquote" => words.pop(),
                None => None,
            };
            let Some(path) = path else { continue };
            if let Some(below) = path.strip_prefix(&base).filter(|_| !base.is_empty()) {
                found.extend(join(manifest_directory, below.trim_start_matches('/')));
            } else if !path.starts_with('/') {
                found.extend(join(manifest_directory, &path));
            }
        }
    }
    found
}

/// `include_directories(..)` and `target_include_directories(..)` with literal paths.
fn from_cmake(directory: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find("include_directories") {
        let start = from + at + "include_directories".len();
        from = start;
        let Some(arguments) = text[start..]
            .trim_start()
            .strip_prefix('(')
            .and_then(|rest| rest.split(')').next())
        else {
            continue;
        };
        for word in arguments.split_whitespace() {
            let word = word
                .trim_matches('"')
                .trim_start_matches("$<BUILD_INTERFACE:")
                .trim_end_matches('>');
            let word = [
                "${CMAKE_CURRENT_SOURCE_DIR}",
                "${PROJECT_SOURCE_DIR}",
                "${CMAKE_SOURCE_DIR}",
            ]
            .iter()
            .find_map(|variable| {
                word.strip_prefix(variable)
                    .map(|rest| rest.trim_start_matches('/'))
            })
            .unwrap_or(word);
            if !word.contains(['$', '<'])
                && !matches!(
                    word,
                    "PUBLIC" | "PRIVATE" | "INTERFACE" | "SYSTEM" | "BEFORE" | "AFTER"
                )
            {
                found.extend(join(directory, word).filter(|path| !path.is_empty()));
                found.extend(join("", word).filter(|path| !path.is_empty()));
            }
        }
    }
    found.push(path_in(directory, "include"));
    found
}
