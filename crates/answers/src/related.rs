//! The symbols near one: of its file, module or package, and those that its file imports.

use engine::{
    Cut,
    query::{self, RelatedWithin, Relation},
};

use crate::{Anchor, Session, SymbolInfo};

pub struct RelatedSymbols {
    /// By relation, path and place.
    pub shown: Vec<(SymbolInfo, Relation)>,
    /// With those beyond the limit.
    pub total: usize,
    pub cut: Option<Cut>,
}

impl RelatedSymbols {
    pub fn of(
        session: &Session,
        anchor: Anchor,
        scope: RelatedWithin,
        limit: usize,
    ) -> RelatedSymbols {
        let (file, symbol) = (anchor.file(), anchor.symbol());
        let found = query::related(&session.resolver(), file, symbol, scope, limit);
        let (list, total) = found.value;
        let info = |(symbol, relation)| Some((SymbolInfo::of(session, symbol)?, relation));
        RelatedSymbols {
            shown: list.into_iter().filter_map(info).collect(),
            total,
            cut: found.cut,
        }
    }
}
