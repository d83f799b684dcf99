//! What a language server answers, as plain data: URIs in one spelling, lines and UTF-16 columns
//! from 0, and beside every answer whether the server had loaded its project. The protocol allows
//! each answer in several forms; `read` below takes them all. Nothing is sorted, filtered or capped
//! here: the gateway does that.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::uri;

/// An answer and how far to trust it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    pub value: T,
    pub readiness: Readiness,
    /// The catalogue's name of the server that answered.
    pub server: Arc<str>,
}

/// Whether the server had loaded its project when it answered. An answer given while loading may
/// lack anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Loading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
pub struct LspPosition {
    pub line: u32,
    pub character: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
pub struct LspRange {
    pub start: LspPosition,
    pub end: LspPosition,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LspLocation {
    pub uri: String,
    pub range: LspRange,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LspHover {
    pub contents: Vec<Markup>,
    pub range: Option<LspRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markup {
    pub kind: MarkupKind,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkupKind {
    Markdown,
    Plaintext,
}

/// A symbol of one document, with those inside it. Servers that answer flat give `container_name`
/// instead of children, and their `selection_range` is their `range`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LspDocumentSymbol {
    pub name: String,
    /// The protocol's number: Function is 12.
    pub kind: u32,
    pub range: LspRange,
    pub selection_range: LspRange,
    pub container_name: Option<String>,
    pub children: Vec<LspDocumentSymbol>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LspWorkspaceSymbol {
    pub name: String,
    pub kind: u32,
    pub location: LspLocation,
    pub container_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LspDiagnostic {
    pub range: LspRange,
    /// The protocol's number: Error is 1, Hint is 4.
    pub severity: Option<u32>,
    /// Numbers in decimal; an empty code is none.
    pub code: Option<String>,
    pub source: Option<String>,
    pub message: String,
}

/// The diagnostics of one document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LspDocumentDiagnostics {
    pub items: Vec<LspDiagnostic>,
    /// The server had finished; else the deadline came first, and items may be missing or stale.
    pub settled: bool,
    /// The server sent more than we keep.
    pub truncated: bool,
}

/// The diagnostics of many documents, those without any left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LspWorkspaceDiagnostics {
    pub files: Vec<(String, Vec<LspDiagnostic>)>,
    pub settled: bool,
    pub truncated: bool,
    /// The server looked at the whole project; else it told what it has noticed so far, mostly in
    /// open documents.
    pub whole_project: bool,
}

/// `definition` and `references`: `Location`, `Location[]`, `LocationLink[]` or null. A link points
/// at its selection.
pub(crate) fn locations(raw: &RawValue) -> serde_json::Result<Vec<LspLocation>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Many(Vec<LocationOrLink>),
        One(LocationOrLink),
        None(()),
    }
    let places = match read(raw)? {
        Form::Many(places) => places,
        Form::One(place) => vec![place],
        Form::None(()) => Vec::new(),
    };
    Ok(places.into_iter().map(LspLocation::from).collect())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
enum LocationOrLink {
    #[serde(rename_all = "camelCase")]
    Link {
        target_uri: String,
        target_selection_range: Option<LspRange>,
        target_range: LspRange,
    },
    // `workspace/symbol` may leave the range out.
    Plain {
        uri: String,
        range: Option<LspRange>,
    },
}

impl From<LocationOrLink> for LspLocation {
    fn from(place: LocationOrLink) -> LspLocation {
        match place {
            LocationOrLink::Link {
                target_uri,
                target_selection_range,
                target_range,
            } => LspLocation {
                uri: uri::canonical(&target_uri),
                range: target_selection_range.unwrap_or(target_range),
            },
            LocationOrLink::Plain { uri, range } => LspLocation {
                uri: uri::canonical(&uri),
                range: range.unwrap_or_default(),
            },
        }
    }
}

pub(crate) fn hover(raw: &RawValue) -> serde_json::Result<Option<LspHover>> {
    #[derive(Deserialize)]
    struct Form {
        contents: Contents,
        range: Option<LspRange>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Contents {
        Many(Vec<Content>),
        One(Content),
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Content {
        Markup { kind: String, value: String },
        Code { language: String, value: String },
        Markdown(String),
    }
    let Some(Form { contents, range }) = read(raw)? else {
        return Ok(None);
    };
    let contents = match contents {
        Contents::Many(contents) => contents,
        Contents::One(content) => vec![content],
    };
    let contents: Vec<Markup> = contents
        .into_iter()
        .map(|content| match content {
            Content::Markup { kind, value } if kind == "plaintext" => Markup {
                kind: MarkupKind::Plaintext,
                value,
            },
            Content::Markup { value, .. } | Content::Markdown(value) => Markup {
                kind: MarkupKind::Markdown,
                value,
            },
            Content::Code { language, value } => Markup {
                kind: MarkupKind::Markdown,
                value: format!("```{language}\n{value}\n```"),
            },
        })
        .filter(|markup| !markup.value.is_empty())
        .collect();
    Ok((!contents.is_empty()).then_some(LspHover { contents, range }))
}

pub(crate) fn document_symbols(raw: &RawValue) -> serde_json::Result<Vec<LspDocumentSymbol>> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        #[serde(rename_all = "camelCase")]
        Nested {
            name: String,
            kind: u32,
            range: LspRange,
            selection_range: LspRange,
            children: Option<Vec<Form>>,
        },
        #[serde(rename_all = "camelCase")]
        Flat {
            name: String,
            kind: u32,
            location: LocationOrLink,
            container_name: Option<String>,
        },
    }
    // The depth is bounded: the JSON parser gave up beyond 128 levels.
    fn symbol(form: Form) -> LspDocumentSymbol {
        match form {
            Form::Nested {
                name,
                kind,
                range,
                selection_range,
                children,
            } => LspDocumentSymbol {
                name,
                kind,
                range,
                selection_range,
                container_name: None,
                children: children
                    .unwrap_or_default()
                    .into_iter()
                    .map(symbol)
                    .collect(),
            },
            Form::Flat {
                name,
                kind,
                location,
                container_name,
            } => {
                let range = LspLocation::from(location).range;
                let container_name = container_name.filter(|name| !name.is_empty());
                LspDocumentSymbol {
                    name,
                    kind,
                    range,
                    selection_range: range,
                    container_name,
                    children: Vec::new(),
                }
            }
        }
    }
    let forms: Option<Vec<Form>> = read(raw)?;
    Ok(forms.unwrap_or_default().into_iter().map(symbol).collect())
}

pub(crate) fn workspace_symbols(raw: &RawValue) -> serde_json::Result<Vec<LspWorkspaceSymbol>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Form {
        name: String,
        kind: u32,
        location: LocationOrLink,
        container_name: Option<String>,
    }
    let forms: Option<Vec<Form>> = read(raw)?;
    let symbol = |form: Form| LspWorkspaceSymbol {
        name: form.name,
        kind: form.kind,
        location: form.location.into(),
        container_name: form.container_name.filter(|name| !name.is_empty()),
    };
    Ok(forms.unwrap_or_default().into_iter().map(symbol).collect())
}

/// A `Diagnostic` as the protocol has it.
#[derive(Deserialize)]
pub(crate) struct RawDiagnostic {
    range: LspRange,
    severity: Option<u32>,
    code: Option<Value>,
    source: Option<String>,
    #[serde(default)]
    message: Value,
}

impl From<RawDiagnostic> for LspDiagnostic {
    fn from(raw: RawDiagnostic) -> LspDiagnostic {
        let code = raw.code.and_then(|code| match code {
            Value::String(code) => Some(code),
            Value::Number(code) => Some(code.to_string()),
            // VS Code's own form, which some servers copied.
            Value::Object(code) => match code.get("value") {
                Some(Value::String(code)) => Some(code.clone()),
                Some(Value::Number(code)) => Some(code.to_string()),
                _ => None,
            },
            _ => None,
        });
        let message = match raw.message {
            Value::String(message) => message,
            // Since 3.18 a message may be markup.
            Value::Object(markup) => markup
                .get("value")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_string(),
            _ => String::new(),
        };
        let code = code.filter(|code| !code.is_empty());
        let source = raw.source.filter(|source| !source.is_empty());
        LspDiagnostic {
            range: raw.range,
            severity: raw.severity,
            code,
            source,
            message,
        }
    }
}

/// `textDocument/diagnostic`. A report that says "unchanged" cannot come, since we never name an
/// earlier one.
pub(crate) fn pulled_diagnostics(raw: &RawValue) -> serde_json::Result<Vec<LspDiagnostic>> {
    #[derive(Deserialize)]
    struct DiagnosticReport {
        #[serde(default)]
        items: Vec<RawDiagnostic>,
    }
    let report: Option<DiagnosticReport> = read(raw)?;
    Ok(report
        .map(|report| report.items.into_iter().map(LspDiagnostic::from).collect())
        .unwrap_or_default())
}

/// `workspace/diagnostic`, whole or in part.
pub(crate) fn pulled_workspace_diagnostics(
    raw: &RawValue,
) -> serde_json::Result<Vec<(String, Vec<LspDiagnostic>)>> {
    #[derive(Deserialize)]
    struct DiagnosticReport {
        #[serde(default)]
        items: Vec<DocumentReport>,
    }
    #[derive(Deserialize)]
    struct DocumentReport {
        uri: String,
        #[serde(default)]
        items: Vec<RawDiagnostic>,
    }
    let report: Option<DiagnosticReport> = read(raw)?;
    let documents = report
        .map(|report| report.items)
        .unwrap_or_default()
        .into_iter();
    Ok(documents
        .map(|document| {
            (
                uri::canonical(&document.uri),
                document
                    .items
                    .into_iter()
                    .map(LspDiagnostic::from)
                    .collect(),
            )
        })
        .collect())
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> serde_json::Result<T> {
    serde_json::from_str(raw.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw(value: Value) -> Box<RawValue> {
        serde_json::value::to_raw_value(&value).unwrap()
    }

    fn range(line: u32) -> Value {
        json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}})
    }

    #[test]
    fn locations_in_every_form() {
        let plain = json!({"uri": "file:///a", "range": range(1)});
        let link = json!({"targetUri": "file:///a", "targetRange": range(0), "targetSelectionRange": range(1)});
        let expected = locations(&raw(plain.clone())).unwrap();
        assert_eq!(expected[0].range.start.line, 1);
        assert_eq!(locations(&raw(json!([plain]))).unwrap(), expected);
        assert_eq!(locations(&raw(json!([link]))).unwrap(), expected);
        assert_eq!(locations(&raw(json!(link))).unwrap(), expected);
        assert!(locations(&raw(json!(null))).unwrap().is_empty());
        assert!(locations(&raw(json!([]))).unwrap().is_empty());
        assert!(locations(&raw(json!("no"))).is_err());
    }

    #[test]
    fn hover_in_every_form() {
        let text = |contents: Value| -> Vec<(MarkupKind, String)> {
            let hover = hover(&raw(json!({"contents": contents}))).unwrap();
            hover
                .map(|hover| {
                    hover
                        .contents
                        .into_iter()
                        .map(|markup| (markup.kind, markup.value))
                        .collect()
                })
                .unwrap_or_default()
        };
        use MarkupKind::{Markdown, Plaintext};
        assert_eq!(
            text(json!({"kind": "plaintext", "value": "x"})),
            [(Plaintext, "x".into())]
        );
        assert_eq!(
            text(json!({"kind": "markdown", "value": "x"})),
            [(Markdown, "x".into())]
        );
        assert_eq!(text(json!("x")), [(Markdown, "x".into())]);
        assert_eq!(
            text(json!([{"language": "go", "value": "x"}, "y", ""])),
            [(Markdown, "```go\nx\n```".into()), (Markdown, "y".into())]
        );
        assert!(text(json!([])).is_empty());
        assert!(hover(&raw(json!(null))).unwrap().is_none());
    }

    #[test]
    fn symbols_in_both_forms() {
        let nested = json!([{"name": "A", "kind": 5, "range": range(0), "selectionRange": range(1), "children": [
            {"name": "b", "kind": 6, "range": range(2), "selectionRange": range(2)}]}]);
        let symbols = document_symbols(&raw(nested)).unwrap();
        assert_eq!(
            (
                symbols[0].selection_range.start.line,
                symbols[0].children[0].name.as_str()
            ),
            (1, "b")
        );
        let flat = json!([{"name": "b", "kind": 6, "location": {"uri": "file:///a", "range": range(2)}, "containerName": "A"}]);
        let symbols = document_symbols(&raw(flat.clone())).unwrap();
        assert_eq!(
            (symbols[0].range, symbols[0].container_name.as_deref()),
            (symbols[0].selection_range, Some("A"))
        );
        assert_eq!(
            workspace_symbols(&raw(flat)).unwrap()[0].location.uri,
            "file:///a"
        );
        assert!(document_symbols(&raw(json!(null))).unwrap().is_empty());
    }

    #[test]
    fn diagnostic_codes_become_text() {
        let code = |code: Value| {
            let items = json!({"kind": "full", "items": [{"range": range(0), "message": "m", "code": code}]});
            pulled_diagnostics(&raw(items)).unwrap().remove(0).code
        };
        assert_eq!(code(json!(2304)).as_deref(), Some("2304"));
        assert_eq!(code(json!("E1")).as_deref(), Some("E1"));
        assert_eq!(
            code(json!({"value": 7, "target": "x"})).as_deref(),
            Some("7")
        );
        assert_eq!(code(json!("")), None);
    }
}
