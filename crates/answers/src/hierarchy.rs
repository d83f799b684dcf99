//! What is around a symbol and inside of it, and the types above and below a type.

use engine::{
    Cut, FileId, Resolver, SymbolId,
    query::{self, Related},
};

use crate::{Anchor, Session, SymbolInfo, symbol::signature};

/// A symbol of a chain of containers, or of the tree inside of one.
#[derive(Clone, Debug)]
pub struct ContainedSymbol {
    pub info: SymbolInfo,
    pub signature: Option<String>,
    /// Steps from the symbol that was asked about.
    pub depth: usize,
    pub children: Vec<ContainedSymbol>,
}

/// Nodes of a tree; a namespace of a large repository has more than anyone reads.
pub const MAX_CONTAINED: usize = 2_000;
/// Deeper nesting is a machine's work.
const MAX_DEPTH: usize = 32;

/// The symbol, then what is around it, the innermost first.
pub fn containers(session: &Session, anchor: Anchor) -> Vec<ContainedSymbol> {
    let around = anchor
        .symbol()
        .map(|symbol| query::ancestors(&session.resolver(), symbol));
    let around = around.unwrap_or_default().into_iter().map(Anchor::from);
    let chain = std::iter::once(anchor).chain(around).enumerate();
    chain
        .filter_map(|(depth, anchor)| ContainedSymbol::alone(session, anchor, depth))
        .collect()
}

/// The tree inside of a symbol or a file, and how many symbols it has. It ends at
/// [`MAX_CONTAINED`].
pub fn contents(session: &Session, anchor: Anchor) -> (Option<ContainedSymbol>, usize) {
    let mut tree = ContainmentWalk {
        session,
        resolver: &session.resolver(),
        path: vec![anchor],
        n_nodes: 0,
    };
    (tree.node(anchor), tree.n_nodes)
}

impl ContainedSymbol {
    fn alone(session: &Session, anchor: Anchor, depth: usize) -> Option<ContainedSymbol> {
        Some(ContainedSymbol {
            info: SymbolInfo::of(session, anchor)?,
            signature: signature(session, anchor),
            depth,
            children: Vec::new(),
        })
    }
}

struct ContainmentWalk<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    /// From the root to the symbol at hand: none is its own descendant.
    path: Vec<Anchor>,
    n_nodes: usize,
}

impl ContainmentWalk<'_> {
    fn node(&mut self, anchor: Anchor) -> Option<ContainedSymbol> {
        let mut node = ContainedSymbol::alone(self.session, anchor, self.path.len() - 1)?;
        self.n_nodes += 1;
        let children = match anchor {
            Anchor::Symbol(symbol) => query::children(self.resolver, symbol),
            Anchor::File(file) => top_level(self.session, file),
        };
        for child in children.into_iter().map(Anchor::from) {
            if self.n_nodes >= MAX_CONTAINED || self.path.len() > MAX_DEPTH {
                break;
            }
            if !self.path.contains(&child) {
                self.path.push(child);
                node.children.extend(self.node(child));
                self.path.pop();
            }
        }
        Some(node)
    }
}

/// What a file declares outside of everything else.
fn top_level(session: &Session, file: FileId) -> Vec<SymbolId> {
    let Some(facts) = session.facts(file) else {
        return Vec::new();
    };
    let declared = facts.symbols_with_index();
    let declared = declared.filter(|(_, symbol)| symbol.parent.is_none());
    declared
        .map(|(index, _)| SymbolId { file, index })
        .collect()
}

/// The types that a type extends and implements, and those that extend or implement it.
#[derive(Clone, Debug)]
pub struct TypeHierarchy {
    /// Superclasses, in the order written.
    pub bases: Vec<RelatedType>,
    /// In the order written; then interfaces satisfied by structure.
    pub interfaces: Vec<RelatedType>,
    /// In order of path and place.
    pub derived: Vec<SymbolInfo>,
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelatedType {
    Own(Box<SymbolInfo>),
    /// A library's, by its name.
    Library(String),
}

impl TypeHierarchy {
    /// A file has none.
    pub fn of(session: &Session, anchor: impl Into<Anchor>) -> TypeHierarchy {
        let found = match anchor.into() {
            Anchor::Symbol(symbol) => query::hierarchy(&session.resolver(), symbol),
            Anchor::File(_) => session.budget.finish(query::Hierarchy::default()),
        };
        let related = |list: Vec<Related>| {
            let list = list.into_iter().filter_map(|related| match related {
                Related::Symbol(symbol) => {
                    let info = SymbolInfo::of(session, symbol)?;
                    Some(RelatedType::Own(Box::new(info)))
                }
                Related::Library(name) => Some(RelatedType::Library(name)),
            });
            list.collect()
        };
        let derived = found.value.derived.iter();
        TypeHierarchy {
            bases: related(found.value.bases),
            interfaces: related(found.value.interfaces),
            derived: derived
                .filter_map(|symbol| SymbolInfo::of(session, *symbol))
                .collect(),
            cut: found.cut,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bases.is_empty() && self.interfaces.is_empty() && self.derived.is_empty()
    }
}
