//! What the contract's answers are made of, in its one form: canonical URIs, 0-based lines and
//! UTF-16 columns, a stated order, no duplicates, ids that depend on nothing else.

use std::fmt::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Context, LSP, path_of_uri};

/// Line and UTF-16 column, both counted from 0.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Location {
    pub uri: String,
    pub range: Range,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSymbol {
    pub id: String,
    pub name: String,
    /// The protocol's number: Function is 12
    pub kind: u32,
    pub range: Range,
    pub selection_range: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSymbol {
    pub id: String,
    pub name: String,
    /// The protocol's number: Function is 12
    pub kind: u32,
    pub location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    pub id: String,
    pub range: Range,
    /// The protocol's number: Error is 1, Hint is 4
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileDiagnostics {
    pub uri: String,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Fragment {
    pub kind: FragmentKind,
    pub value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FragmentKind {
    Markdown,
    Plaintext,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.character)
    }
}

impl DocumentSymbol {
    pub fn new(
        uri: &str,
        name: String,
        kind: u32,
        range: Range,
        selection_range: Range,
        container_name: Option<String>,
    ) -> DocumentSymbol {
        let container = container_name.as_deref().unwrap_or_default();
        let (selected, until) = (selection_range.start, selection_range.end);
        let id = id(&format!(
            "{uri}|{name}|{kind}|{}|{}|{selected}|{until}|{container}",
            range.start, range.end
        ));
        DocumentSymbol {
            id,
            name,
            kind,
            range,
            selection_range,
            container_name,
        }
    }
}

impl WorkspaceSymbol {
    pub fn new(
        location: Location,
        name: String,
        kind: u32,
        container_name: Option<String>,
    ) -> WorkspaceSymbol {
        let container = container_name.as_deref().unwrap_or_default();
        let Location { uri, range } = &location;
        let id = id(&format!(
            "{uri}|{name}|{kind}|{}|{}|{container}",
            range.start, range.end
        ));
        WorkspaceSymbol {
            id,
            name,
            kind,
            location,
            container_name,
        }
    }
}

impl Diagnostic {
    pub fn new(
        uri: &str,
        range: Range,
        severity: Option<u32>,
        code: Option<String>,
        source: Option<String>,
        message: String,
    ) -> Diagnostic {
        let number = severity
            .map(|severity| severity.to_string())
            .unwrap_or_default();
        let (code_text, source_text) = (
            code.as_deref().unwrap_or_default(),
            source.as_deref().unwrap_or_default(),
        );
        let id = id(&format!(
            "{uri}|{}|{}|{number}|{code_text}|{source_text}|{message}",
            range.start, range.end
        ));
        Diagnostic {
            id,
            range,
            severity,
            code,
            source,
            message,
        }
    }
}

/// By URI, then by range. Duplicates are removed here and below.
pub fn sort_locations(locations: &mut Vec<Location>) {
    locations.sort_unstable();
    locations.dedup();
}

/// By range, name, kind and container, those without one last.
pub fn sort_document_symbols(symbols: &mut Vec<DocumentSymbol>) {
    let key = |symbol: &DocumentSymbol| {
        (
            symbol.range,
            symbol.name.clone(),
            symbol.kind,
            missing_last(&symbol.container_name),
            symbol.selection_range,
        )
    };
    symbols.sort_by_cached_key(key);
    symbols.dedup();
}

/// By place, name, kind and container, those without one last.
pub fn sort_workspace_symbols(symbols: &mut Vec<WorkspaceSymbol>) {
    let key = |symbol: &WorkspaceSymbol| {
        (
            symbol.location.clone(),
            symbol.name.clone(),
            symbol.kind,
            missing_last(&symbol.container_name),
        )
    };
    symbols.sort_by_cached_key(key);
    symbols.dedup();
}

/// By start, severity, code, source, each missing one last, then message; equal in all of that, the
/// shorter range first.
pub fn sort_diagnostics(diagnostics: &mut Vec<Diagnostic>) {
    let key = |one: &Diagnostic| {
        let severity = one.severity.unwrap_or(u32::MAX);
        (
            one.range.start,
            severity,
            missing_last(&one.code),
            missing_last(&one.source),
            one.message.clone(),
            one.range.end,
        )
    };
    diagnostics.sort_by_cached_key(key);
    diagnostics.dedup();
}

fn missing_last(text: &Option<String>) -> (bool, String) {
    (text.is_none(), text.clone().unwrap_or_default())
}

fn id(canonical: &str) -> String {
    format!("sha256:{}", sha256_hex(canonical))
}

pub fn sha256_hex(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// `3 definitions`, `1 definition`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// ` in Cart`; nothing for a symbol without a container.
pub fn within(container_name: &Option<String>) -> String {
    container_name
        .as_deref()
        .map(|name| format!(" in {name}"))
        .unwrap_or_default()
}

/// Shortens a list to what one answer may show, and says so.
pub fn cap<T>(context: &Context, list: &mut Vec<T>) -> &'static str {
    let at_most = context.limits(LSP).items;
    let is_capped = list.len() > at_most;
    list.truncate(at_most);
    if is_capped { " (Capped.)" } else { "" }
}

/// The answer as people read it, a line per item. Paths are relative to the one root, where there is
/// one, and positions are 0-based, as in the questions.
pub struct TextListing {
    text: String,
    base: Option<String>,
}

impl TextListing {
    pub fn new(summary: &str, base: &Option<String>) -> TextListing {
        let mut text = summary.to_owned();
        if let Some(base) = base {
            let _ = write!(text, " Paths below {base}, 0-based line:character:");
        }
        TextListing {
            text,
            base: base.clone(),
        }
    }

    pub fn path(&self, uri: &str) -> String {
        let below = self
            .base
            .as_deref()
            .and_then(|base| uri.strip_prefix(base))
            .map(|below| below.trim_start_matches('/'));
        match (below, path_of_uri(uri)) {
            (Some(below), _) if !below.contains('%') => below.to_owned(),
            (_, Ok(path)) => path.display().to_string(),
            (_, Err(_)) => uri.to_owned(),
        }
    }

    pub fn line(&mut self, line: impl fmt::Display) {
        let _ = write!(self.text, "\n{line}");
    }

    pub fn place(&mut self, uri: &str, position: Position, rest: impl fmt::Display) {
        let path = self.path(uri);
        let _ = write!(self.text, "\n{path}:{position}{rest}");
    }

    /// A field of the answer that the client may send back.
    pub fn field(&mut self, name: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.line(format_args!("{name}: {value}"));
        }
    }

    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(line: u32) -> Range {
        Range {
            start: Position { line, character: 0 },
            end: Position { line, character: 5 },
        }
    }

    #[test]
    fn ids_are_hashes_of_the_canonical_strings() {
        let symbol = DocumentSymbol::new("file:///a", "f".to_owned(), 12, range(1), range(2), None);
        assert_eq!(
            symbol.id,
            format!("sha256:{}", sha256_hex("file:///a|f|12|1:0|1:5|2:0|2:5|"))
        );
        let location = Location {
            uri: "file:///a".to_owned(),
            range: range(1),
        };
        let symbol = WorkspaceSymbol::new(location, "f".to_owned(), 12, Some("C".to_owned()));
        assert_eq!(
            symbol.id,
            format!("sha256:{}", sha256_hex("file:///a|f|12|1:0|1:5|C"))
        );
        let diagnostic = Diagnostic::new(
            "file:///a",
            range(1),
            Some(2),
            None,
            Some("ts".to_owned()),
            "m".to_owned(),
        );
        assert_eq!(
            diagnostic.id,
            format!("sha256:{}", sha256_hex("file:///a|1:0|1:5|2||ts|m"))
        );
        assert_eq!(
            sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn what_is_missing_is_sorted_last_and_duplicates_are_removed() {
        let diagnostic = |severity, code: Option<&str>| {
            Diagnostic::new(
                "file:///a",
                range(1),
                severity,
                code.map(str::to_owned),
                None,
                "m".to_owned(),
            )
        };
        let mut list = vec![
            diagnostic(None, None),
            diagnostic(Some(1), None),
            diagnostic(Some(1), Some("z")),
            diagnostic(Some(1), None),
        ];
        sort_diagnostics(&mut list);
        let shown: Vec<_> = list
            .iter()
            .map(|one| (one.severity, one.code.as_deref()))
            .collect();
        assert_eq!(shown, [(Some(1), Some("z")), (Some(1), None), (None, None)]);
    }
}
