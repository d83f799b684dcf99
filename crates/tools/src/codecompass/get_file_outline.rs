//! `get_file_outline`: the symbols of one file as a tree.

use std::sync::Arc;

use engine::FileId;
use facts::{Facts, SymbolIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessPolicy, Metadata, Opened},
    symbols::{self, SymbolShape},
};
use crate::{Context, Moment, Surface, Tool, ToolError, excerpts, lookup};

pub struct GetFileOutline;

/// The symbols of a file as a tree, with lines and signatures.
#[derive(Deserialize, JsonSchema)]
pub struct Input {
    /// Relative to the repository root
    path: String,
    workspace: Option<String>,
    r#ref: Option<String>,
    #[serde(default)]
    depth: Depth,
    /// A hint; the file decides
    language: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    Top,
    #[default]
    All,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    file_path: String,
    language: &'static str,
    /// Each with `children` of the same shape.
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    symbols: Vec<Value>,
    metadata: Metadata,
}

impl Tool for GetFileOutline {
    const NAME: &'static str = "get_file_outline";
    const SURFACE: Surface = Surface::Codecompass;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let opened = envelope::open(context, input.workspace.as_deref(), input.r#ref.as_deref(), FreshnessPolicy::Balanced)?;
        let Opened { moment, mut metadata } = opened;
        if input.path.trim().is_empty() {
            return Err(ToolError::invalid_input("`path` must not be empty"));
        }
        let file = lookup::find_file(&moment, &input.path).ok_or_else(|| symbols::file_not_found(&moment, &input.path))?;
        let facts = moment.facts(file).ok_or_else(|| ToolError::internal("facts of a file of the snapshot are gone"))?;
        let language = moment.language(file);
        if let Some(hint) = input.language.as_deref()
            && !symbols::languages(Some(hint))?.contains(&moment.snapshot().file(file).language)
        {
            metadata.warn(format!("the file is {language}, not {}", excerpts::shorten(hint, 40)));
        }
        let outline = Outline { moment: &moment, file, facts: &facts, text: moment.text(file), depth: input.depth };
        let symbols = outline.tree();
        metadata.set("symbol_count", outline.count(&symbols));
        if !facts.problems.is_empty() {
            metadata.warn(format!("the file has {} syntax problems; the outline covers its sound parts", facts.problems.len()));
        }
        Ok(Output { file_path: moment.path(file).to_owned(), language, symbols, metadata })
    }
}

struct Outline<'a> {
    moment: &'a Moment,
    file: FileId,
    facts: &'a Facts,
    text: Option<Arc<str>>,
    depth: Depth,
}

impl Outline<'_> {
    /// Imports and symbols in order of their start.
    fn tree(&self) -> Vec<Value> {
        let mut children: Vec<Vec<SymbolIndex>> = vec![Vec::new(); self.facts.symbols.len()];
        let mut top: Vec<(u32, Value)> = Vec::new();
        let mut roots = Vec::new();
        for (index, symbol) in self.facts.symbols_with_index() {
            if symbol.modifiers.contains(facts::Modifiers::LOCAL) && !symbol.kind.is_callable() && !symbol.kind.is_type() {
                continue;
            }
            match symbol.parent {
                Some(parent) => children[parent.0 as usize].push(index),
                None => roots.push(index),
            }
        }
        for import in &self.facts.imports {
            let (line_start, line_end) = excerpts::lines(self.facts, import.span);
            top.push((
                import.span.start,
                json!({ "kind": "use", "name": self.import_name(import), "line_start": line_start, "line_end": line_end }),
            ));
        }
        // Several names of one statement are one line of the outline each.
        top.dedup_by(|(_, a), (_, b)| a == b);
        for index in roots {
            if let Some(node) = self.node(index, &children, 0) {
                top.push((self.facts.symbol(index).span.start, node));
            }
        }
        top.sort_by_key(|(start, _)| *start);
        top.into_iter().map(|(_, node)| node).collect()
    }

    fn node(&self, index: SymbolIndex, children: &[Vec<SymbolIndex>], depth: u32) -> Option<Value> {
        /// Deeper nesting is a machine's work.
        const DEEPEST: u32 = 64;
        let shape = SymbolShape::of(self.moment, engine::SymbolId { file: self.file, index })?;
        let symbol = self.facts.symbol(index);
        let mut node = json!({ "kind": shape.kind, "name": shape.name, "line_start": shape.line_start, "line_end": shape.line_end, "symbol_id": shape.symbol_id });
        if let Some(visibility) = shape.visibility {
            node["visibility"] = json!(visibility);
        }
        if let Some(text) = &self.text {
            node["signature"] = json!(excerpts::signature(symbol, text));
        }
        if self.depth == Depth::All && depth < DEEPEST {
            let inner: Vec<Value> = children[index.0 as usize].iter().filter_map(|child| self.node(*child, children, depth + 1)).collect();
            if !inner.is_empty() {
                node["children"] = Value::Array(inner);
            }
        }
        Some(node)
    }

    fn import_name(&self, import: &facts::Import) -> String {
        let module = format!("{}{}", ".".repeat(import.level as usize), self.facts.name(import.module));
        let separator = crate::names::separator(self.moment.snapshot(), self.file);
        match import.item {
            Some(item) if module.is_empty() || module.ends_with('.') => format!("{module}{}", self.facts.name(item)),
            Some(item) => format!("{module}{separator}{}", self.facts.name(item)),
            None => module,
        }
    }

    fn count(&self, nodes: &[Value]) -> usize {
        nodes.iter().map(|node| 1 + node["children"].as_array().map_or(0, |children| self.count(children))).sum()
    }
}
