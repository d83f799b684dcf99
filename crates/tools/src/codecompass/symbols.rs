//! A symbol as this contract shows it, and the one that a request names.

use engine::{SymbolId, query::search};
use facts::{LanguageId, Visibility};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    envelope::{Metadata, Opened},
    errors,
};
use crate::{
    Moment, ToolError, excerpts, handles, kinds,
    lookup::{self, Meant, NotOne, Wanted},
    names,
};

/// Everything that may be shown of a symbol; each tool shows its part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolShape {
    pub symbol_id: String,
    pub symbol_stable_id: String,
    pub name: String,
    pub kind: &'static str,
    pub qualified_name: String,
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
}

impl SymbolShape {
    /// Absent only where facts can no longer be read.
    pub fn of(moment: &Moment, symbol: SymbolId) -> Option<SymbolShape> {
        let facts = moment.facts(symbol.file)?;
        let declared = facts.symbols.get(symbol.index.0 as usize)?;
        let (line_start, line_end) = excerpts::lines(&facts, declared.span);
        let text = moment.text(symbol.file);
        let signature = text
            .map(|text| excerpts::signature(&facts, declared, &text))
            .filter(|signature| !signature.is_empty());
        Some(SymbolShape {
            symbol_id: handles::symbol_id(moment.snapshot(), symbol.file, &facts, symbol.index),
            symbol_stable_id: handles::stable_id(moment.snapshot(), &facts, symbol.index),
            name: facts.name(declared.name).to_owned(),
            kind: kinds::names_of(declared.kind).codecompass,
            qualified_name: names::qualified_name(
                moment.snapshot(),
                symbol.file,
                &facts,
                symbol.index,
            ),
            path: moment.path(symbol.file).to_owned(),
            line_start,
            line_end,
            signature,
            language: Some(moment.language(symbol.file)),
            visibility: visibility(declared.visibility),
        })
    }

    /// As nodes of a call graph are shown: where it is, and its handles.
    pub fn without_text(mut self) -> SymbolShape {
        (self.signature, self.language, self.visibility) = (None, None, None);
        self
    }
}

/// Nothing where nothing is written and the language has no rule.
pub fn visibility(visibility: Visibility) -> Option<&'static str> {
    (visibility != Visibility::Default).then(|| visibility.word())
}

/// The one symbol that a request names. Where others of its file bear the name, the metadata say
/// so.
pub fn one(opened: &mut Opened, name: &str, path: Option<&str>) -> Result<SymbolId, ToolError> {
    let mut meant = meant(opened, name, path, Wanted::Anything)?;
    let first = meant.first();
    meant.others.splice(0..0, meant.symbols.drain(1..));
    set_others(&mut opened.metadata, &opened.moment, &meant.others);
    Ok(first)
}

/// The symbol that a request names, with its overloads, which are answered together; the metadata
/// name both them and what was left out.
pub fn joined(
    opened: &mut Opened,
    name: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<Vec<SymbolId>, ToolError> {
    let meant = meant(opened, name, path, wanted)?;
    if meant.symbols.len() > 1 {
        let shown: Vec<Value> = meant
            .symbols
            .iter()
            .take(10)
            .filter_map(|symbol| candidate(&opened.moment, *symbol))
            .collect();
        opened.metadata.set(
            "joined_symbols",
            json!({ "count": meant.symbols.len(), "first": shown }),
        );
    }
    set_others(&mut opened.metadata, &opened.moment, &meant.others);
    Ok(meant.symbols)
}

/// Symbols of the same name in the same file that the answer is not about: each can be asked for by
/// its handle.
pub fn set_others(metadata: &mut Metadata, moment: &Moment, others: &[SymbolId]) {
    if !others.is_empty() {
        let shown: Vec<Value> = others
            .iter()
            .take(10)
            .filter_map(|symbol| candidate(moment, *symbol))
            .collect();
        metadata.set(
            "other_symbols",
            json!({ "count": others.len(), "first": shown }),
        );
    }
}

fn meant(
    opened: &Opened,
    name: &str,
    path: Option<&str>,
    wanted: Wanted,
) -> Result<Meant, ToolError> {
    let moment = &opened.moment;
    if name.trim().is_empty() {
        return Err(ToolError::invalid_input("`symbol_name` must not be empty"));
    }
    lookup::meant(moment, name, path, wanted).map_err(|reason| match reason {
        NotOne::Missing { nearest } => errors::unless_indexing(
            errors::symbol_not_found(name, &opened.metadata.r#ref, &nearest),
            &opened.metadata,
        ),
        NotOne::UnknownPath => errors::unless_indexing(
            file_not_found(moment, path.unwrap_or_default()),
            &opened.metadata,
        ),
        NotOne::Ambiguous { candidates } => {
            let shown = candidates
                .iter()
                .take(10)
                .filter_map(|symbol| candidate(moment, *symbol))
                .collect();
            errors::ambiguous_symbol(name, candidates.len(), shown)
        }
    })
}

pub fn candidate(moment: &Moment, symbol: SymbolId) -> Option<Value> {
    let shape = SymbolShape::of(moment, symbol)?;
    let mut shown = json!({
        "symbol_id": shape.symbol_id, "kind": shape.kind, "qualified_name": shape.qualified_name, "path": shape.path, "line_start": shape.line_start,
    });
    // Overloads differ in nothing else.
    if let Some(signature) = shape.signature {
        shown["signature"] = json!(excerpts::shorten(&signature, 120));
    }
    Some(shown)
}

/// A path that is not in the snapshot: escaping ones are refused, skipped ones explained, others
/// get the nearest.
pub fn file_not_found(moment: &Moment, path: &str) -> ToolError {
    let plain = match moment.workspace.repo_path(&path.replace('\\', "/")) {
        Ok(plain) => plain,
        Err(error) => return errors::failed(error),
    };
    if let Some(skipped) = moment
        .view
        .skipped
        .iter()
        .find(|file| file.path == plain.as_str())
    {
        return errors::file_not_found(path, &[], Some(skipped.reason.word()));
    }
    let mut nearest: Vec<String> = Vec::new();
    for (file, _) in moment
        .lexicon()
        .files_like(search::stem(plain.file_name()), 0.5, 10)
    {
        nearest.push(moment.path(file).to_owned());
    }
    nearest.truncate(5);
    errors::file_not_found(path, &nearest, None)
}

/// The languages that a filter's word means: a name, an extension, or a common spelling.
pub fn languages(word: Option<&str>) -> Result<Vec<LanguageId>, ToolError> {
    let Some(word) = word else {
        return Ok(Vec::new());
    };
    let plain = word.trim().to_ascii_lowercase();
    let plain = match plain.as_str() {
        "c++" | "cplusplus" => "cpp",
        "c#" | "cs" => "csharp",
        "golang" => "go",
        "node" | "nodejs" => "javascript",
        "shell" | "sh" => "bash",
        other => other,
    };
    let family = |name: &str| match plain {
        "typescript" => name.starts_with("typescript") || name == "tsx",
        "javascript" => name.starts_with("javascript") || name == "jsx",
        plain => name == plain,
    };
    let mut found: Vec<LanguageId> = extract::LANGUAGES
        .iter()
        .filter(|language| family(language.name))
        .map(|language| language.id)
        .collect();
    if found.is_empty() {
        found.extend(
            extract::LANGUAGES
                .iter()
                .filter(|language| language.extensions.contains(&plain))
                .map(|language| language.id),
        );
    }
    if found.is_empty() {
        let known: Vec<&str> = extract::LANGUAGES
            .iter()
            .map(|language| language.name)
            .collect();
        return Err(ToolError::invalid_input(format!(
            "unknown language `{}`; known: {}",
            excerpts::shorten(word, 40),
            known.join(", ")
        )));
    }
    Ok(found)
}
