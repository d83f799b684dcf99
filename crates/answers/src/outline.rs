//! The symbols of a file as a tree: what it defines, what it only declares, what it imports.

use std::collections::BTreeMap;

use engine::{Cut, FileId, Resolver, SymbolId};
use facts::{Facts, Import, Modifiers, SymbolIndex};

use crate::{Session, SymbolInfo, excerpts, names, symbol::signature};

#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Imports and definitions, in order of their start.
    pub entries: Vec<OutlineEntry>,
    /// What the file only declares, and another place defines.
    pub declarations: Vec<OutlineSymbol>,
    /// Syntax problems: the outline covers the sound parts.
    pub n_problems: usize,
    pub cut: Option<Cut>,
}

// Most entries are symbols: a box around each would cost more than the room it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum OutlineEntry {
    Import(OutlineImport),
    Symbol(OutlineSymbol),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineImport {
    pub name: String,
    /// The first and last line, from 1.
    pub lines: (u32, u32),
}

#[derive(Clone, Debug)]
pub struct OutlineSymbol {
    pub info: SymbolInfo,
    /// The first and last line, from 1. The signatures of an overloaded function belong to them.
    pub lines: (u32, u32),
    pub signature: Option<String>,
    /// What a declaration declares: the path and line of the definition.
    pub definition: Option<(String, u32)>,
    pub children: Vec<OutlineSymbol>,
    pub declarations: Vec<OutlineSymbol>,
}

/// Deeper nesting is a machine's work.
const MAX_DEPTH: u32 = 64;

impl Outline {
    /// Absent only where the facts of the file can no longer be read. `nested` asks for more than
    /// the top level.
    pub fn of(session: &Session, file: FileId, nested: bool) -> Option<Outline> {
        let facts = session.facts(file)?;
        let tree = OutlineTree {
            session,
            file,
            facts: &facts,
            max_depth: if nested { MAX_DEPTH } else { 0 },
            elsewhere: Elsewhere::of(&session.resolver(), file, &facts),
        };
        let (entries, declarations) = tree.entries();
        Some(Outline {
            entries,
            declarations,
            n_problems: facts.problems.len(),
            cut: session.budget.cut(),
        })
    }

    /// Imports and definitions at every level.
    pub fn n_entries(&self) -> usize {
        let count = |entry: &OutlineEntry| match entry {
            OutlineEntry::Import(_) => 1,
            OutlineEntry::Symbol(symbol) => symbol.n_symbols(),
        };
        self.entries.iter().map(count).sum()
    }
}

impl OutlineSymbol {
    fn n_symbols(&self) -> usize {
        1 + self.children.iter().map(Self::n_symbols).sum::<usize>()
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

struct OutlineTree<'a> {
    session: &'a Session,
    file: FileId,
    facts: &'a Facts,
    max_depth: u32,
    elsewhere: Elsewhere,
}

/// The symbols inside of each symbol.
type Children = Vec<Vec<SymbolIndex>>;

impl OutlineTree<'_> {
    fn entries(&self) -> (Vec<OutlineEntry>, Vec<OutlineSymbol>) {
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
        let import = |import: &Import| OutlineImport {
            name: self.import_name(import),
            lines: excerpts::lines(self.facts, import.span),
        };
        let imports = self.facts.imports.iter();
        let mut imports: Vec<_> = imports
            .map(|found| (found.span.start, import(found)))
            .collect();
        // Several names of one statement are one line of the outline each.
        imports.dedup_by(|(_, a), (_, b)| a == b);
        let (defined, declarations) = self.symbols(&roots, &children, 0);
        let start = |symbol: SymbolId| self.facts.symbol(symbol.index).span.start;
        let defined = defined.into_iter().map(|symbol| {
            let start = symbol.info.anchor.symbol().map_or(0, start);
            (start, OutlineEntry::Symbol(symbol))
        });
        let mut entries: Vec<(u32, OutlineEntry)> = defined.collect();
        let imports = imports.into_iter();
        entries.extend(imports.map(|(start, import)| (start, OutlineEntry::Import(import))));
        entries.sort_by_key(|(start, _)| *start);
        let entries = entries.into_iter().map(|(_, entry)| entry);
        (entries.collect(), declarations)
    }

    /// What `symbols` define, and what they only declare.
    fn symbols(
        &self,
        symbols: &[SymbolIndex],
        children: &Children,
        depth: u32,
    ) -> (Vec<OutlineSymbol>, Vec<OutlineSymbol>) {
        let (mut defined, mut declared) = (Vec::new(), Vec::new());
        for &index in symbols {
            if self.elsewhere.overloads.contains_key(&index) {
                continue;
            }
            let (inner, declared_inside) = if depth < self.max_depth {
                self.symbols(&children[index.0 as usize], children, depth + 1)
            } else {
                (Vec::new(), Vec::new())
            };
            // An anonymous class or enum is no line of an outline, but what is in it is.
            if self.facts.name(self.facts.symbol(index).name).is_empty() {
                defined.extend(inner);
                declared.extend(declared_inside);
                continue;
            }
            let Some(mut symbol) = self.symbol(index) else {
                continue;
            };
            (symbol.children, symbol.declarations) = (inner, declared_inside);
            if self.elsewhere.declared.contains_key(&index) {
                declared.push(symbol);
            } else {
                defined.push(symbol);
            }
        }
        (defined, declared)
    }

    fn symbol(&self, index: SymbolIndex) -> Option<OutlineSymbol> {
        let file = self.file;
        let info = SymbolInfo::of(self.session, SymbolId { file, index })?;
        let overloads = self.elsewhere.overloads.iter();
        let signatures = overloads.filter(|(_, implementation)| **implementation == index);
        let first_line = signatures
            .map(|(signature, _)| excerpts::lines(self.facts, self.facts.symbol(*signature).span).0)
            .fold(info.lines.0, u32::min);
        let definition = self.elsewhere.declared.get(&index).and_then(|definition| {
            let facts = self.session.facts(definition.file)?;
            let line = excerpts::lines(&facts, facts.symbol(definition.index).span).0;
            Some((self.session.path(definition.file).to_owned(), line))
        });
        Some(OutlineSymbol {
            lines: (first_line, info.lines.1),
            signature: signature(self.session, info.anchor),
            info,
            definition,
            children: Vec::new(),
            declarations: Vec::new(),
        })
    }

    fn import_name(&self, import: &Import) -> String {
        let module = format!(
            "{}{}",
            ".".repeat(import.level as usize),
            self.facts.name(import.module)
        );
        let separator = names::separator(self.session.snapshot(), self.file);
        match import.item {
            Some(item) if module.is_empty() || module.ends_with('.') => {
                format!("{module}{}", self.facts.name(item))
            }
            Some(item) => format!("{module}{separator}{}", self.facts.name(item)),
            None => module,
        }
    }
}
