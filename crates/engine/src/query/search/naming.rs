//! What the words of a prose question say about a candidate's own name, and what its kind says
//! about it.

use facts::{Facts, SymbolIndex};
use rustc_hash::FxHashSet;

use super::{SearchHit, SearchSources, spelled::SpelledNames, text::TextTerm};

/// What a candidate gains whose name is made of the question's words only, as a share of the best
/// score.
const COVER: f64 = 0.2;
/// A name of one word is met by chance more easily.
const ONE_WORD: f64 = 0.5;
/// Reports and tasks are about what is done, and a type does nothing by itself; its text is long and
/// matches much.
const TYPE_SHARE: f64 = 0.6;
/// What a type counts where a question asks about a function.
const OTHER_KIND: f64 = 0.8;
/// What a candidate gains whose name the question spells, as a share of the best score.
const SPELLED: f64 = 1.0;
/// What a member of a type gains that the question spells.
const MEMBER: f64 = 0.25;

/// What a question tells by the names in it; nothing for a report.
#[derive(Default)]
pub(super) struct Prose {
    pub spelled: SpelledNames,
    pub is_question: bool,
    /// It speaks of functions, and not of types.
    is_about_functions: bool,
}

impl Prose {
    pub fn of(sources: &SearchSources<'_>, text: &str) -> Prose {
        Prose {
            spelled: SpelledNames::find(sources, text),
            is_question: true,
            is_about_functions: is_about_functions(text),
        }
    }

    /// What the name of a symbol gains, as a share of the best score.
    fn gain(&self, hit: &SearchHit, facts: &Facts, index: SymbolIndex) -> f64 {
        let chain = facts.container_chain(index);
        let is_member = chain[..chain.len() - 1].iter().any(|around| {
            let around = facts.symbol(*around);
            around.kind.is_type() && self.spelled.has_type(facts.name(around.name))
        });
        SPELLED * self.spelled.share(hit.file, index) + if is_member { MEMBER } else { 0.0 }
    }
}

fn is_about_functions(text: &str) -> bool {
    const FUNCTIONS: [&str; 4] = ["function", "functions", "method", "methods"];
    const TYPES: [&str; 8] = [
        "class",
        "classes",
        "type",
        "types",
        "struct",
        "structs",
        "interface",
        "interfaces",
    ];
    let text = text.to_lowercase();
    let says = |wanted: &[&str]| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| wanted.contains(&word))
    };
    says(&FUNCTIONS) && !says(&TYPES)
}

/// Raises what the question spells out. In a text that is no question, lowers what is no function.
pub(super) fn add(
    sources: &SearchSources<'_>,
    terms: &[TextTerm],
    prose: &Prose,
    hits: &mut [SearchHit],
) {
    let by_text = |hit: &SearchHit| hit.factors.total() - hit.factors.exact_match;
    let best = hits.iter().map(by_text).fold(0.0, f64::max);
    let asked: FxHashSet<&str> = terms
        .iter()
        .filter(|term| !term.is_asking)
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
        let cover = cover(sources, facts.name(symbol.name), &asked);
        hit.factors.name_cover = COVER * best * cover;
        if prose.is_question {
            hit.factors.exact_match = best * prose.gain(hit, &facts, index);
            let is_spelled = prose.spelled.share(hit.file, index) > 0.0;
            if prose.is_about_functions && symbol.kind.is_type() && !is_spelled {
                hit.factors.penalty *= OTHER_KIND;
            }
        } else if !symbol.kind.is_callable() {
            hit.factors.penalty *= TYPE_SHARE;
        }
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
