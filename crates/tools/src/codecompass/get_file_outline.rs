//! `get_file_outline`: the symbols of one file as a tree.

use answers::{
    excerpts,
    outline::{Outline, OutlineEntry, OutlineSymbol},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    envelope::{self, MetadataWith},
    errors, symbols,
};
use crate::{Context, Tool, ToolError, kinds};

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
    symbols: Vec<OutlineNode>,
    /// What it only declares, with the place of the definition in `defined_in`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<crate::schema::AnyObject>")]
    declarations: Vec<OutlineNode>,
    metadata: MetadataWith<OutlineNotes>,
}

#[derive(Serialize, JsonSchema)]
pub struct OutlineNotes {
    symbol_count: usize,
}

/// Of an outline: twice as much goes on the wire, where the JSON is repeated as text.
const MAX_BYTES: usize = 200 * 1024;

/// An import or a symbol, with what is inside of it.
#[derive(Serialize)]
struct OutlineNode {
    kind: &'static str,
    name: String,
    line_start: u32,
    line_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    defined_in: Option<DefinedIn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<OutlineNode>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declarations: Vec<OutlineNode>,
}

#[derive(Serialize)]
struct DefinedIn {
    path: String,
    line: u32,
}

impl Tool for GetFileOutline {
    const NAME: &'static str = "get_file_outline";
    type Input = Input;
    type Output = Output;

    fn run(context: &Context, input: Input) -> Result<Output, ToolError> {
        let (session, mut metadata) = envelope::open(context, &input.workspace, &input.r#ref)?;
        if input.path.trim().is_empty() {
            return Err(ToolError::invalid_input("`path` must not be empty"));
        }
        let file = session.find_file(&input.path).ok_or_else(|| {
            errors::unless_indexing(symbols::file_not_found(&session, &input.path), &metadata)
        })?;
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
        let outline = Outline::of(&session, file, input.depth == Depth::All)
            .ok_or_else(|| errors::unreadable(session.unreadable()))?;
        let symbol_count = outline.n_entries();
        if outline.n_problems > 0 {
            metadata.warn(format!(
                "the file has {} syntax problems; the outline covers its sound parts",
                outline.n_problems
            ));
        }
        metadata.cut(outline.cut)?;
        let mut symbols: Vec<OutlineNode> = outline
            .entries
            .into_iter()
            .map(OutlineNode::of_entry)
            .collect();
        let mut declarations: Vec<OutlineNode> = outline
            .declarations
            .into_iter()
            .map(OutlineNode::of)
            .collect();
        let mut room = MAX_BYTES;
        let n_left_out = OutlineNode::fit(&mut symbols, &mut room)
            + OutlineNode::fit(&mut declarations, &mut room);
        if n_left_out > 0 {
            metadata.truncated();
            metadata.warn(format!(
                "the last {n_left_out} symbols are left out for their size; `depth: \"top\"` shows fewer, search_code and locate_symbol find single ones"
            ));
        }
        Ok(Output {
            file_path: session.path(file).to_owned(),
            language,
            symbols,
            declarations,
            metadata: metadata.with(OutlineNotes { symbol_count }),
        })
    }

    fn is_empty(output: &Output) -> bool {
        output.symbols.is_empty()
    }
}

impl OutlineNode {
    /// Leaves out what there is no room for, and tells how many symbols that are.
    fn fit(nodes: &mut Vec<OutlineNode>, room: &mut usize) -> usize {
        /// Of a node without its name and signature.
        const FIELDS: usize = 160;
        let mut n_left_out = 0;
        nodes.retain_mut(|node| {
            let signature = node.signature.as_ref().map_or(0, String::len);
            let bytes = FIELDS + node.name.len() + signature;
            if *room < bytes {
                n_left_out += 1;
                *room = 0;
                return false;
            }
            *room -= bytes;
            n_left_out += OutlineNode::fit(&mut node.children, room);
            n_left_out += OutlineNode::fit(&mut node.declarations, room);
            true
        });
        n_left_out
    }

    fn of_entry(entry: OutlineEntry) -> OutlineNode {
        match entry {
            OutlineEntry::Symbol(symbol) => OutlineNode::of(symbol),
            OutlineEntry::Import(import) => OutlineNode {
                kind: "use",
                name: import.name,
                line_start: import.lines.0,
                line_end: import.lines.1,
                symbol_id: None,
                visibility: None,
                signature: None,
                defined_in: None,
                children: Vec::new(),
                declarations: Vec::new(),
            },
        }
    }

    fn of(symbol: OutlineSymbol) -> OutlineNode {
        let nodes =
            |symbols: Vec<OutlineSymbol>| symbols.into_iter().map(OutlineNode::of).collect();
        OutlineNode {
            kind: kinds::names_of(symbol.info.kind).codecompass,
            name: symbol.info.name,
            line_start: symbol.lines.0,
            line_end: symbol.lines.1,
            symbol_id: Some(symbol.info.symbol_id.to_string()),
            visibility: symbols::visibility(symbol.info.visibility),
            signature: Some(symbol.signature.unwrap_or_default()),
            defined_in: symbol
                .definition
                .map(|(path, line)| DefinedIn { path, line }),
            children: nodes(symbol.children),
            declarations: nodes(symbol.declarations),
        }
    }
}
