//! What the words of a prose question say about a candidate's own name, and what its kind says
//! about it.

use rustc_hash::FxHashSet;

use super::{SearchHit, SearchSources, text::TextTerm};

/// What a candidate gains whose name is made of the question's words only, as a share of the best
/// score.
const COVER: f64 = 0.2;
/// A name of one word is met by chance more easily.
const ONE_WORD: f64 = 0.5;
/// Questions in prose are about what is done, and a type does nothing by itself; its text is long
/// and matches much.
const TYPE_SHARE: f64 = 0.6;

/// Raises functions whose names the question spells out, and lowers what is no function. `hits` are
/// best first.
pub(super) fn add(sources: &SearchSources<'_>, terms: &[TextTerm], hits: &mut [SearchHit]) {
    let best = hits.first().map_or(0.0, |hit| hit.factors.total());
    let asked: FxHashSet<&str> = terms
        .iter()
        .flat_map(|term| &term.forms)
        .map(|(word, _)| word.as_str())
        .collect();
    for hit in hits {
        let Some(index) = hit.symbol else { continue };
        let Some(facts) = sources
            .snapshot
            .corpus()
            .facts(sources.snapshot.file(hit.file).content)
        else {
            continue;
        };
        let Some(symbol) = facts.symbols.get(index.0 as usize) else {
            continue;
        };
        if !symbol.kind.is_callable() {
            hit.factors.penalty *= TYPE_SHARE;
        }
        hit.factors.name_cover = COVER * best * cover(sources, facts.name(symbol.name), &asked);
    }
}

/// How much of a name the question's words make up: 1 for all of it, less than the share for a
/// part.
fn cover(sources: &SearchSources<'_>, name: &str, asked: &FxHashSet<&str>) -> f64 {
    let mut words: Vec<bool> = Vec::new();
    sources
        .text
        .words(name, &mut |word| words.push(asked.contains(word)));
    // A name of several parts comes whole first.
    let parts = if words.len() > 1 {
        &words[1..]
    } else {
        &words[..]
    };
    let share =
        parts.iter().filter(|is_asked| **is_asked).count() as f64 / parts.len().max(1) as f64;
    share * share * if parts.len() > 1 { 1.0 } else { ONE_WORD }
}
