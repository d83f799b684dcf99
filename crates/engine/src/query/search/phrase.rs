//! The question's own phrases in a candidate's text: messages are found even when values were put
//! into them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{SearchHit, SearchSources};

/// What a candidate gains that holds all of the question's phrases, as a share of the best score.
const WORTH: f64 = 1.5;

/// Raises the candidates that contain runs of three of the question's words as they are written.
pub(super) fn add(sources: &SearchSources<'_>, text: &str, hits: &mut [SearchHit]) {
    let asked = runs(text, 600);
    if asked.is_empty() || hits.is_empty() {
        return;
    }
    let best = hits
        .iter()
        .map(|hit| hit.factors.total())
        .fold(0.0, f64::max);
    let wanted: FxHashMap<u64, usize> =
        asked.iter().enumerate().map(|(i, run)| (*run, i)).collect();
    let mut found: Vec<Vec<usize>> = Vec::with_capacity(hits.len());
    let mut holders = vec![0_u32; asked.len()];
    let mut is_found = vec![false; asked.len()];
    for hit in hits.iter() {
        let mut own: Vec<usize> = Vec::new();
        if sources.budget.spend() {
            in_body(sources, hit, |body| {
                each_run(body, |run| {
                    if let Some(i) = wanted.get(&run)
                        && !std::mem::replace(&mut is_found[*i], true)
                    {
                        own.push(*i);
                    }
                });
            });
        }
        for i in &own {
            holders[*i] += 1;
            is_found[*i] = false;
        }
        own.sort_unstable();
        found.push(own);
    }
    // A run that many candidates hold tells little.
    let rarity = |i: usize| 1.0 / f64::from(holders[i].max(1)).sqrt();
    let all: f64 = (0..asked.len()).map(rarity).sum();
    for (hit, own) in hits.iter_mut().zip(found) {
        let share = own
            .into_iter()
            .map(rarity)
            .fold(0.0, |sum, worth| sum + worth)
            / all.max(1e-9);
        hit.factors.phrase = WORTH * best * share;
    }
}

/// Calls `read` with the text of a hit, if it can be had.
fn in_body(sources: &SearchSources<'_>, hit: &SearchHit, read: impl FnOnce(&str)) -> Option<()> {
    /// Longer bodies are data.
    const LONGEST: usize = 200_000;
    let content = sources.snapshot.file(hit.file).content;
    let text = sources.snapshot.corpus().text(content)?;
    let Some(index) = hit.symbol else {
        read(super::clip(&text, LONGEST));
        return Some(());
    };
    let facts = sources.snapshot.corpus().facts(content)?;
    let symbol = facts.symbols.get(index.0 as usize)?;
    read(super::clip(symbol.span.text(&text), LONGEST));
    Some(())
}

/// The runs of three words of a text, or of two where it has no more, each once.
fn runs(text: &str, at_most: usize) -> Vec<u64> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    each_run(text, |run| {
        if found.len() < at_most && seen.insert(run) {
            found.push(run);
        }
    });
    found
}

fn each_run(text: &str, mut each: impl FnMut(u64)) {
    let mut last = [0_u64; 3];
    let mut n = 0;
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in word.bytes() {
            hash = (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
        }
        last = [last[1], last[2], hash];
        n += 1;
        if n >= 3 {
            each(last[0].rotate_left(42) ^ last[1].rotate_left(21) ^ last[2]);
        }
    }
}
