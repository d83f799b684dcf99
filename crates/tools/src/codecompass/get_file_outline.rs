//! `get_file_outline`: the symbols of one file as a tree.

use std::{collections::BTreeMap, sync::Arc};

use answers::{Session, excerpts};
use engine::{FileId, Resolver, SymbolId};
use facts::{Facts, Modifiers, SymbolIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    envelope::{self, FreshnessPolicy, MetadataWith, Opened},
    errors,
    symbols::{self, SymbolShape},
};
use crate::{CODECOMPASS, Context, ContractRef, Tool, ToolError};

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
    /// What the file defines, each with `children` of the same shape and `declarations` as below.
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    symbols: Vec<Value>,
    /// What it only declares, with the place of the definition in `defined_in`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    declarations: Vec<Value>,
    metadata: MetadataWith<OutlineNotes>,
}

#[derive(Serialize, JsonSchema)]
pub struct OutlineNotes {
    symbol_count: usize,
}

/// Deeper nesting is a machine's work.
const DEEPEST: u32 = 64;

impl Tool for GetFileOutline {
    const NAME: &'static str = "get_file_outline";
    const CONTRACT: ContractRef = CODECOMPASS;
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let opened = envelope::open(
            context,
            input.workspace.as_deref(),
            input.r#ref.as_deref(),
            FreshnessPolicy::Balanced,
        )?;
        let Opened {
            session,
            mut metadata,
        } = opened;
        if input.path.trim().is_empty() {
            return Err(ToolError::invalid_input("`path` must not be empty"));
        }
        let file = session.find_file(&input.path).ok_or_else(|| {
            errors::unless_indexing(symbols::file_not_found(&session, &input.path), &metadata)
        })?;
        let facts = session
            .facts(file)
            .ok_or_else(|| ToolError::internal("facts of a file of the snapshot are gone"))?;
        let language = session.language(file);
        if let Some(hint) = input.language.as_deref()
            // Only a hint: what it says wrongly is told, and the file answers all the same.
            && !symbols::languages(Some(hint)).is_ok_and(|hinted| hinted.contains(&session.snapshot().file(file).language))
        {
            metadata.warn(format!(
                "the file is {language}, not {}",
                excerpts::shorten(hint, 40)
            ));
        }
        let elsewhere = Elsewhere::of(&session.resolver(), file, &facts);
        let outline = Outline {
            session: &session,
            file,
            facts: &facts,
            text: session.text(file),
            depth: input.depth,
            elsewhere,
        };
        let (symbols, declarations) = outline.tree();
        let symbol_count = outline.count(&symbols);
        if !facts.problems.is_empty() {
            metadata.warn(format!(
                "the file has {} syntax problems; the outline covers its sound parts",
                facts.problems.len()
            ));
        }
        metadata.cut(session.budget.cut())?;
        Ok(Output {
            file_path: session.path(file).to_owned(),
            language,
            symbols,
            declarations,
            metadata: metadata.with(OutlineNotes { symbol_count }),
        })
    }
}

/// Symbols of a file that are no definitions of their own.
#[derive(Default)]
struct Elsewhere {
    /// Prototypes and forward declarations, with what they declare.
    declared: BTreeMap<SymbolIndex, SymbolId>,
    /// Overload signatures, with the implementation beside them that shows them, too.
    overloads: BTreeMap<SymbolIndex, SymbolIndex>,
}

impl Elsewhere {
    fn of(resolver: &Resolver<'_>, file: FileId, facts: &Facts) -> Elsewhere {
        let mut elsewhere = Elsewhere::default();
        for (index, symbol) in facts.symbols_with_index() {
            if !symbol.modifiers.contains(Modifiers::PROTOTYPE) {
                continue;
            }
            let is_definition = |other: &SymbolId| {
                resolver
                    .symbol(*other)
                    .is_some_and(|(_, declared)| !declared.modifiers.contains(Modifiers::PROTOTYPE))
            };
            let Some(definition) = resolver
                .declarations_of(SymbolId { file, index })
                .into_iter()
                .find(is_definition)
            else {
                continue;
            };
            let is_beside =
                definition.file == file && facts.symbol(definition.index).parent == symbol.parent;
            let overloads = resolver
                .view(file)
                .is_some_and(|view| !view.semantics.prototypes);
            if is_beside && overloads {
                elsewhere.overloads.insert(index, definition.index);
            } else {
                elsewhere.declared.insert(index, definition);
            }
        }
        elsewhere
    }
}

struct Outline<'a> {
    session: &'a Session,
    file: FileId,
    facts: &'a Facts,
    text: Option<Arc<str>>,
    depth: Depth,
    elsewhere: Elsewhere,
}

/// The symbols inside of each symbol.
type Children = Vec<Vec<SymbolIndex>>;

impl Outline<'_> {
    /// Imports and symbols in order of their start, and what is only declared.
    fn tree(&self) -> (Vec<Value>, Vec<Value>) {
        let mut children: Children = vec![Vec::new(); self.facts.symbols.len()];
        let mut roots = Vec::new();
        for (index, symbol) in self.facts.symbols_with_index() {
            if symbol.modifiers.contains(Modifiers::LOCAL)
                && !symbol.kind.is_callable()
                && !symbol.kind.is_type()
            {
                continue;
            }
            match symbol.parent {
                Some(parent) => children[parent.0 as usize].push(index),
                None => roots.push(index),
            }
        }
        let mut imports: Vec<(u32, Value)> = Vec::new();
        for import in &self.facts.imports {
            let (line_start, line_end) = excerpts::lines(self.facts, import.span);
            imports.push((
                import.span.start,
                json!({ "kind": "use", "name": self.import_name(import), "line_start": line_start, "line_end": line_end }),
            ));
        }
        // Several names of one statement are one line of the outline each.
        imports.dedup_by(|(_, a), (_, b)| a == b);
        let (mut top, declarations) = self.nodes(&roots, &children, 0);
        top.extend(imports);
        top.sort_by_key(|(start, _)| *start);
        (
            top.into_iter().map(|(_, node)| node).collect(),
            declarations,
        )
    }

    /// What `symbols` define, with their starts, and what they only declare.
    fn nodes(
        &self,
        symbols: &[SymbolIndex],
        children: &Children,
        depth: u32,
    ) -> (Vec<(u32, Value)>, Vec<Value>) {
        let (mut defined, mut declared) = (Vec::new(), Vec::new());
        for &index in symbols {
            let symbol = self.facts.symbol(index);
            if self.elsewhere.overloads.contains_key(&index) {
                continue;
            }
            // An anonymous class or enum is no line of an outline, but what is in it is.
            if self.facts.name(symbol.name).is_empty() {
                if self.depth == Depth::All && depth < DEEPEST {
                    let (inner, declared_inside) =
                        self.nodes(&children[index.0 as usize], children, depth + 1);
                    defined.extend(inner);
                    declared.extend(declared_inside);
                }
                continue;
            }
            let Some(node) = self.node(index, children, depth) else {
                continue;
            };
            if self.elsewhere.declared.contains_key(&index) {
                declared.push(node);
            } else {
                defined.push((symbol.span.start, node));
            }
        }
        (defined, declared)
    }

    fn node(&self, index: SymbolIndex, children: &Children, depth: u32) -> Option<Value> {
        let shape = SymbolShape::of(
            self.session,
            SymbolId {
                file: self.file,
                index,
            },
        )?;
        let symbol = self.facts.symbol(index);
        // The signatures of an overloaded function belong to its place.
        let signatures = self
            .elsewhere
            .overloads
            .iter()
            .filter(|(_, implementation)| **implementation == index);
        let first_line = signatures
            .map(|(signature, _)| excerpts::lines(self.facts, self.facts.symbol(*signature).span).0)
            .min();
        let line_start = first_line.map_or(shape.line_start, |line| line.min(shape.line_start));
        let mut node = json!({ "kind": shape.kind, "name": shape.name, "line_start": line_start, "line_end": shape.line_end, "symbol_id": shape.symbol_id });
        if let Some(visibility) = shape.visibility {
            node["visibility"] = json!(visibility);
        }
        if let Some(text) = &self.text {
            node["signature"] = json!(excerpts::signature(self.facts, symbol, text));
        }
        if let Some(definition) = self.elsewhere.declared.get(&index)
            && let Some(facts) = self.session.facts(definition.file)
        {
            let line = excerpts::lines(&facts, facts.symbol(definition.index).span).0;
            node["defined_in"] =
                json!({ "path": self.session.path(definition.file), "line": line });
        }
        if self.depth == Depth::All && depth < DEEPEST {
            let (inner, declared) = self.nodes(&children[index.0 as usize], children, depth + 1);
            if !inner.is_empty() {
                node["children"] = inner.into_iter().map(|(_, node)| node).collect();
            }
            if !declared.is_empty() {
                node["declarations"] = Value::Array(declared);
            }
        }
        Some(node)
    }

    fn import_name(&self, import: &facts::Import) -> String {
        let module = format!(
            "{}{}",
            ".".repeat(import.level as usize),
            self.facts.name(import.module)
        );
        let separator = answers::names::separator(self.session.snapshot(), self.file);
        match import.item {
            Some(item) if module.is_empty() || module.ends_with('.') => {
                format!("{module}{}", self.facts.name(item))
            }
            Some(item) => format!("{module}{separator}{}", self.facts.name(item)),
            None => module,
        }
    }

    fn count(&self, nodes: &[Value]) -> usize {
        nodes
            .iter()
            .map(|node| {
                1 + node["children"]
                    .as_array()
                    .map_or(0, |children| self.count(children))
            })
            .sum()
    }
}
