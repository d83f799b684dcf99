//! What is around a symbol and inside of it, and the types above and below a type.

use engine::{
    Cut, Resolver, SymbolId,
    query::{self, Related},
};

use crate::{Session, SymbolInfo, symbol::signature};

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
pub fn containers(session: &Session, symbol: SymbolId) -> Vec<ContainedSymbol> {
    let around = query::ancestors(&session.resolver(), symbol);
    let chain = std::iter::once(symbol).chain(around).enumerate();
    chain
        .filter_map(|(depth, symbol)| ContainedSymbol::alone(session, symbol, depth))
        .collect()
}

/// The tree inside of a symbol, and how many symbols it has. It ends at [`MAX_CONTAINED`].
pub fn contents(session: &Session, symbol: SymbolId) -> (Option<ContainedSymbol>, usize) {
    let mut tree = ContainmentWalk {
        session,
        resolver: &session.resolver(),
        path: vec![symbol],
        n_nodes: 0,
    };
    (tree.node(symbol), tree.n_nodes)
}

impl ContainedSymbol {
    fn alone(session: &Session, symbol: SymbolId, depth: usize) -> Option<ContainedSymbol> {
        Some(ContainedSymbol {
            info: SymbolInfo::of(session, symbol)?,
            signature: signature(session, symbol),
            depth,
            children: Vec::new(),
        })
    }
}

struct ContainmentWalk<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    /// From the root to the symbol at hand: none is its own descendant.
    path: Vec<SymbolId>,
    n_nodes: usize,
}

impl ContainmentWalk<'_> {
    fn node(&mut self, symbol: SymbolId) -> Option<ContainedSymbol> {
        let mut node = ContainedSymbol::alone(self.session, symbol, self.path.len() - 1)?;
        self.n_nodes += 1;
        for child in query::children(self.resolver, symbol) {
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
    pub fn of(session: &Session, symbol: SymbolId) -> TypeHierarchy {
        let found = query::hierarchy(&session.resolver(), symbol);
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
