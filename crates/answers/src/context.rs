//! The code that best answers a question, as much of it as a front end has room for.

use engine::{Complete, SymbolId, query::search::Spread};
use facts::LanguageId;

use crate::{Session, SymbolInfo, excerpts, search, symbol::signature};

#[derive(Clone, Debug)]
pub struct CodeContext {
    /// Best first.
    pub items: Vec<ContextItem>,
    /// Symbols that answer the question, shown or not.
    pub n_candidates: usize,
}

#[derive(Clone, Debug)]
pub struct ContextItem {
    pub info: SymbolInfo,
    pub signature: Option<String>,
    pub score: f64,
    /// The whole symbol, or its first lines with a note of how many more there are.
    pub body: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextStrategy {
    /// Many symbols with their signatures.
    Breadth,
    /// Fewer symbols, with their bodies.
    Depth,
}

/// Candidates that are looked at.
const MAX_CANDIDATES: usize = 100;
/// Characters of a signature where many symbols are shown: its end are the last parameters.
const SIGNATURE: usize = 100;
/// A body shorter than this is not worth cutting to.
const MIN_LINES: usize = 4;

/// Gathers what `fits` takes. It is asked for each item in turn, and may take a later one after it
/// refused one that is larger.
pub fn gather(
    session: &Session,
    question: &str,
    languages: &[LanguageId],
    strategy: ContextStrategy,
    fits: &mut dyn FnMut(&ContextItem) -> bool,
) -> Complete<CodeContext> {
    let (found, _) = search::search(
        session,
        question,
        languages,
        MAX_CANDIDATES,
        Spread::Symbols,
    );
    let mut context = CodeContext {
        items: Vec::new(),
        n_candidates: 0,
    };
    for hit in &found.value.hits {
        let Some(index) = hit.symbol else {
            continue;
        };
        context.n_candidates += 1;
        let file = hit.file;
        let symbol = SymbolId { file, index };
        let Some(info) = SymbolInfo::of(session, symbol) else {
            continue;
        };
        let signature = signature(session, symbol).map(|written| match strategy {
            ContextStrategy::Breadth => excerpts::shorten(&written, SIGNATURE),
            ContextStrategy::Depth => written,
        });
        let item = ContextItem {
            signature,
            info,
            score: hit.factors.score(),
            body: None,
        };
        let taken = match strategy {
            ContextStrategy::Breadth => fits(&item).then_some(item),
            ContextStrategy::Depth if context.shows(&item) => None,
            ContextStrategy::Depth => with_body(session, item, fits),
        };
        context.items.extend(taken);
        if !session.budget.spend() {
            break;
        }
    }
    session.budget.finish(context)
}

impl CodeContext {
    /// Whether an item is inside of one that is already shown in full.
    fn shows(&self, item: &ContextItem) -> bool {
        self.items.iter().any(|known| {
            known.body.is_some()
                && known.info.path == item.info.path
                && known.info.lines.0 <= item.info.lines.0
                && item.info.lines.1 <= known.info.lines.1
        })
    }
}

/// The item with its body or as much of it as fits, else without one.
fn with_body(
    session: &Session,
    mut item: ContextItem,
    fits: &mut dyn FnMut(&ContextItem) -> bool,
) -> Option<ContextItem> {
    let file = item.info.anchor.file();
    if let (Some(facts), Some(text)) = (session.facts(file), session.text(file)) {
        let body = excerpts::body(&facts, &text, item.info.lines.0, item.info.lines.1);
        item.body = Some(body.to_owned());
        if fits(&item) {
            return Some(item);
        }
        let lines: Vec<&str> = body.lines().collect();
        let mut keep = lines.len();
        // Shrinking finds a length that fits; then the cut moves up to where a piece of code ends.
        while keep > MIN_LINES {
            keep = (keep * 3 / 4).max(MIN_LINES);
            let end = sensible_end(&lines, keep);
            let rest = lines.len() - end;
            item.body = Some(format!(
                "{}\n// ... {rest} more lines ...",
                lines[..end].join("\n")
            ));
            if fits(&item) {
                return Some(item);
            }
        }
        item.body = None;
    }
    fits(&item).then_some(item)
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
