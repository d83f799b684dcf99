//! The code that best answers a question, as much of it as a front end has room for.

use engine::{Complete, SymbolId, query::search::Spread};
use facts::{LanguageId, SymbolKind};

use crate::{Session, SymbolInfo, excerpts, search, symbol::signature};

#[derive(Clone, Debug, Default)]
pub struct CodeContext {
    /// Best first.
    pub items: Vec<ContextItem>,
    /// What the items cost together.
    pub cost: usize,
    /// Symbols that answer the question, shown or not.
    pub n_candidates: usize,
    /// Those that are shown, as an item or as a line of their type's.
    pub n_shown: usize,
}

#[derive(Clone, Debug)]
pub struct ContextItem {
    pub info: SymbolInfo,
    pub signature: Option<String>,
    pub score: f64,
    /// The whole symbol, or its first lines with a note of how many more there are. Of a type whose
    /// members are shown together, their lines and signatures.
    pub body: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextStrategy {
    /// Many symbols with their signatures. Where not all have room, members of one type share an
    /// item.
    Breadth,
    /// Many symbols, each an item of its own.
    BreadthApart,
    /// Fewer symbols, with their bodies.
    Depth,
}

/// Candidates that are looked at.
const MAX_CANDIDATES: usize = 100;
/// Characters of a signature where many symbols are shown: its end are the last parameters.
const SIGNATURE: usize = 100;
/// Characters of the signature of a member beside others.
const MEMBER_SIGNATURE: usize = 72;
/// A body shorter than this is not worth cutting to.
const MIN_LINES: usize = 4;

/// The room that a front end has, and what an item takes of it.
pub struct ContextRoom<'a> {
    pub total: usize,
    pub cost: &'a dyn Fn(&ContextItem) -> usize,
}

/// Gathers what has room, best first; an item that is too large does not keep out smaller ones.
pub fn gather(
    session: &Session,
    question: &str,
    languages: &[LanguageId],
    strategy: ContextStrategy,
    room: &ContextRoom<'_>,
) -> Complete<CodeContext> {
    let (found, _) = search::search(
        session,
        question,
        languages,
        MAX_CANDIDATES,
        Spread::Symbols,
    );
    let mut candidates: Vec<(SymbolId, ContextItem)> = Vec::new();
    for hit in &found.value.hits {
        let Some(index) = hit.symbol else {
            continue;
        };
        let file = hit.file;
        let symbol = SymbolId { file, index };
        let item = ContextItem::of(session, symbol, hit.factors.score(), strategy);
        candidates.extend(item.map(|item| (symbol, item)));
        if !session.budget.spend() {
            break;
        }
    }
    let mut pack = ContextPack {
        session,
        room,
        entries: Vec::new(),
        context: CodeContext::default(),
    };
    pack.context.n_candidates = candidates.len();
    match strategy {
        ContextStrategy::Breadth => pack.add_all(candidates),
        ContextStrategy::BreadthApart => {
            for (symbol, item) in candidates {
                let cost = (room.cost)(&item);
                pack.add(symbol, item, cost);
            }
        }
        ContextStrategy::Depth => {
            for (symbol, item) in candidates {
                pack.add_with_body(symbol, item);
            }
        }
    }
    let mut context = pack.context;
    context.items = pack.entries.into_iter().map(|entry| entry.item).collect();
    session.budget.finish(context)
}

impl ContextItem {
    fn of(
        session: &Session,
        symbol: SymbolId,
        score: f64,
        strategy: ContextStrategy,
    ) -> Option<ContextItem> {
        let signature = signature(session, symbol).map(|written| match strategy {
            ContextStrategy::Depth => written,
            _ => excerpts::shorten(&written, SIGNATURE),
        });
        Some(ContextItem {
            info: SymbolInfo::of(session, symbol)?,
            signature,
            score,
            body: None,
        })
    }

    /// A line of the item of its type.
    fn line(&self) -> MemberLine {
        let (first, last) = self.info.lines;
        let signature = self.signature.as_deref().unwrap_or(&self.info.name);
        MemberLine {
            line: first,
            text: format!(
                "{first}-{last} {}",
                excerpts::shorten(signature, MEMBER_SIGNATURE)
            ),
        }
    }
}

/// What is chosen so far.
struct ContextPack<'a> {
    session: &'a Session,
    room: &'a ContextRoom<'a>,
    entries: Vec<ContextEntry>,
    /// Without its items.
    context: CodeContext,
}

struct ContextEntry {
    /// The type that is shown or whose members are; of anything else, the symbol itself.
    owner: SymbolId,
    item: ContextItem,
    cost: usize,
    members: Vec<MemberLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MemberLine {
    line: u32,
    text: String,
}

impl ContextPack<'_> {
    /// Adds all candidates as they are if they have room, else members beside others of their type.
    fn add_all(&mut self, candidates: Vec<(SymbolId, ContextItem)>) {
        // Counting tokens takes longer than all else here, so it stops where room for all is ruled out.
        let mut costs = Vec::new();
        let mut left = Some(self.room.total);
        for (_, item) in &candidates {
            let cost = (self.room.cost)(item);
            costs.push(cost);
            left = left.and_then(|left| left.checked_sub(cost));
            if left.is_none() {
                break;
            }
        }
        let mut costs = costs.into_iter();
        for (symbol, item) in candidates {
            let counted = costs.next();
            let owner = owner(self.session, symbol);
            let together = self.entries.iter().position(|entry| entry.owner == owner);
            match together.filter(|_| left.is_none()) {
                Some(i) => self.join(i, symbol, &item),
                None => {
                    let cost = counted.unwrap_or_else(|| (self.room.cost)(&item));
                    self.add(symbol, item, cost);
                }
            }
        }
    }

    fn add(&mut self, symbol: SymbolId, item: ContextItem, cost: usize) {
        if self.context.cost + cost > self.room.total {
            return;
        }
        let owner = owner(self.session, symbol);
        let members = if owner == symbol {
            Vec::new()
        } else {
            vec![item.line()]
        };
        self.context.cost += cost;
        self.context.n_shown += 1;
        self.entries.push(ContextEntry {
            owner,
            item,
            cost,
            members,
        });
    }

    /// Shows a symbol in the entry of its type, if there is room.
    fn join(&mut self, i: usize, symbol: SymbolId, item: &ContextItem) {
        let entry = &self.entries[i];
        let mut members = entry.members.clone();
        if symbol != entry.owner {
            members.push(item.line());
            members.sort();
        }
        // The entry may be that of a single member so far.
        let score = entry.item.score;
        let of_type = ContextItem::of(self.session, entry.owner, score, ContextStrategy::Breadth);
        let Some(mut joined) = of_type else {
            return;
        };
        let lines: Vec<&str> = members.iter().map(|member| member.text.as_str()).collect();
        joined.body = Some(lines.join("\n"));
        let cost = (self.room.cost)(&joined);
        if self.context.cost - entry.cost + cost > self.room.total {
            return;
        }
        self.context.cost = self.context.cost - entry.cost + cost;
        self.context.n_shown += 1;
        self.entries[i] = ContextEntry {
            owner: entry.owner,
            item: joined,
            cost,
            members,
        };
    }

    /// Adds an item with its body or as much of it as has room, else without one. Nothing if a body
    /// that is shown holds it.
    fn add_with_body(&mut self, symbol: SymbolId, mut item: ContextItem) {
        if self.shows(&item) {
            return;
        }
        let file = item.info.anchor.file();
        if let (Some(facts), Some(text)) = (self.session.facts(file), self.session.text(file)) {
            let body = excerpts::body(&facts, &text, item.info.lines.0, item.info.lines.1);
            self.cut_to_room(&mut item, body);
        }
        let cost = (self.room.cost)(&item);
        self.add(symbol, item, cost);
    }

    /// Gives an item the lines of its body that have room, or none.
    fn cut_to_room(&self, item: &mut ContextItem, body: &str) {
        let has_room =
            |item: &ContextItem| self.context.cost + (self.room.cost)(item) <= self.room.total;
        item.body = Some(body.to_owned());
        let lines: Vec<&str> = body.lines().collect();
        let mut keep = lines.len();
        // Shrinking finds a length that fits; then the cut moves up to where a piece of code ends.
        while !has_room(item) {
            if keep <= MIN_LINES {
                item.body = None;
                return;
            }
            keep = (keep * 3 / 4).max(MIN_LINES);
            let end = sensible_end(&lines, keep);
            let rest = lines.len() - end;
            item.body = Some(format!(
                "{}\n// ... {rest} more lines ...",
                lines[..end].join("\n")
            ));
        }
    }

    /// Whether an item is inside of one that is already shown in full.
    fn shows(&self, item: &ContextItem) -> bool {
        self.entries.iter().any(|entry| {
            let known = &entry.item;
            known.body.is_some()
                && known.info.path == item.info.path
                && known.info.lines.0 <= item.info.lines.0
                && item.info.lines.1 <= known.info.lines.1
        })
    }
}

/// The type that a symbol is or is a member of, else the symbol itself.
fn owner(session: &Session, symbol: SymbolId) -> SymbolId {
    let is_type = |kind: SymbolKind| kind.is_type() || kind == SymbolKind::Impl;
    let parent = session.facts(symbol.file).and_then(|facts| {
        let declared = facts.symbol(symbol.index);
        let parent = declared.parent.filter(|_| !is_type(declared.kind))?;
        is_type(facts.symbol(parent).kind).then_some(parent)
    });
    SymbolId {
        index: parent.unwrap_or(symbol.index),
        ..symbol
    }
}

/// The last line up to `at_most` where nothing is open deeper than at the start of the body's
/// inside, or a blank line follows.
fn sensible_end(lines: &[&str], at_most: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shallow = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent(line))
        .filter(|indent| *indent > 0)
        .min()
        .unwrap_or(0);
    let ends_here = |end: usize| {
        lines.get(end).is_none_or(|next| {
            next.trim().is_empty()
                || indent(next) <= shallow && !next.trim_start().starts_with(['}', ')', ']'])
        })
    };
    (MIN_LINES.max(at_most / 2)..=at_most)
        .rev()
        .find(|end| ends_here(*end))
        .unwrap_or(at_most)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing;

    const SHOP: &str = r#"
//- shop/cart.py
class Cart:
    def total_price(self, currency): ...

    def total_weight(self): ...

    def clear(self): ...

def total_of(carts): ...
"#;

    fn check(strategy: ContextStrategy, total: usize, expected: Expect) {
        let session = testing::session(SHOP);
        let shown = |item: &ContextItem| {
            let body = item.body.as_deref().unwrap_or_default();
            format!("{} {body:?}", item.info.qualified_name)
        };
        let room = ContextRoom {
            total,
            cost: &|item| 40 + shown(item).len(),
        };
        let context = gather(&session, "what is the total", &[], strategy, &room).value;
        let cost: usize = context.items.iter().map(room.cost).sum();
        assert!(cost <= total && cost == context.cost, "{cost}");
        let items: Vec<String> = context.items.iter().map(shown).collect();
        let CodeContext {
            n_candidates,
            n_shown,
            ..
        } = context;
        expected.assert_eq(&format!(
            "{}\n{n_shown} of {n_candidates}\n",
            items.join("\n")
        ));
    }

    #[test]
    fn each_symbol_is_an_item_where_all_have_room() {
        check(
            ContextStrategy::Breadth,
            1_000,
            expect![[r#"
            shop.cart.Cart.total_weight ""
            shop.cart.total_of ""
            shop.cart.Cart.total_price ""
            3 of 3
        "#]],
        );
    }

    #[test]
    fn members_share_the_item_of_their_type_where_not_all_have_room() {
        check(
            ContextStrategy::Breadth,
            190,
            expect![[r#"
            shop.cart.Cart "2-2 def total_price(self, currency)\n4-4 def total_weight(self)"
            shop.cart.total_of ""
            3 of 3
        "#]],
        );
    }

    #[test]
    fn members_stay_apart_where_this_is_asked_for() {
        check(
            ContextStrategy::BreadthApart,
            190,
            expect![[r#"
            shop.cart.Cart.total_weight ""
            shop.cart.total_of ""
            2 of 3
        "#]],
        );
    }
}
