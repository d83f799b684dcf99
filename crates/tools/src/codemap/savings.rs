//! What an answer saved: the tokens of the text a reader would have opened, less those of the
//! answer.
//!
//! Replaced text: of every file that the answer shows something of, its bytes, at most [`WINDOW`]
//! (readers open long files in windows), divided by the bytes that a token of its language has on
//! average ([`bytes_per_token`]; [`calibration`] holds it against the tokenizer). The answer itself
//! is counted by the tokenizer. The difference, never below zero, is `tokens_saved`; `cost_avoided`
//! is that many tokens at the price of [`PRICE_VARIABLE`]. Both are added to totals in the store,
//! one row each, in one transaction per answer.

use std::collections::{BTreeMap, BTreeSet};

use answers::Session;
use engine::{FileId, query::search::TextIndex};
use serde::Serialize;
use workspace::Workspace;

use crate::tokens;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Saved {
    pub tokens: u64,
    pub cost: f64,
}

/// Readers open a file in windows of about 400 lines.
const WINDOW: u32 = 16 * 1024;
/// US dollars per million tokens.
const PRICE_VARIABLE: &str = "CODECOMPASS_PRICE_PER_MILLION_TOKENS";
const PRICE: f64 = 3.0;

pub fn of(session: &Session, replaced: &BTreeSet<FileId>, answer: &impl Serialize) -> Saved {
    let sizes = session.text_index();
    let replaced: f64 = replaced
        .iter()
        .map(|file| {
            let bytes = sizes
                .size(session.snapshot().file(*file).content)
                .min(WINDOW);
            f64::from(bytes) / bytes_per_token(session.language(*file))
        })
        .sum();
    if replaced == 0.0 {
        return Saved::default();
    }
    let answer = serde_json::to_string(answer).unwrap_or_default();
    let tokens = (replaced as u64).saturating_sub(tokens::count(&answer) as u64);
    Saved {
        tokens,
        cost: cost(tokens, price()),
    }
}

/// Adds to the totals; an index that cannot be written costs nobody an answer.
pub fn keep(workspace: &Workspace, saved: &Saved) {
    let amounts = [
        ("answers", 1.0),
        ("tokens_saved", saved.tokens as f64),
        ("cost_avoided", saved.cost),
    ];
    if let Err(error) = workspace.store().add_savings(&amounts) {
        tracing::debug!(%error, "savings are not kept");
    }
}

fn cost(tokens: u64, price: f64) -> f64 {
    (tokens as f64 * price / 1e6 * 1e6).round() / 1e6
}

fn price() -> f64 {
    let set = std::env::var(PRICE_VARIABLE)
        .ok()
        .and_then(|text| text.trim().parse::<f64>().ok());
    set.filter(|price| price.is_finite() && *price >= 0.0)
        .unwrap_or(PRICE)
}

/// How well the ratio of a language holds for the files of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    pub language: &'static str,
    pub files: usize,
    pub bytes: u64,
    /// As the tokenizer counts them.
    pub tokens: u64,
    pub measured_bytes_per_token: f64,
    pub assumed_bytes_per_token: f64,
    /// What the assumption gets wrong, as a share of the tokens: 0.05 counts five in a hundred too
    /// many.
    pub error: f64,
}

/// Counts the tokens of all files and compares. By language, the largest first.
pub fn calibration(session: &Session) -> Vec<Calibration> {
    let mut sums: BTreeMap<&'static str, (usize, u64, u64)> = BTreeMap::new();
    for (id, _) in session.snapshot().files() {
        let Some(text) = session.text(id) else {
            continue;
        };
        let window = (0..=(WINDOW as usize).min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let sum = sums.entry(session.language(id)).or_default();
        *sum = (
            sum.0 + 1,
            sum.1 + window as u64,
            sum.2 + tokens::count(&text[..window]) as u64,
        );
    }
    let rounded = |x: f64| (x * 1000.0).round() / 1000.0;
    let rows = sums.into_iter().filter(|(_, (_, _, tokens))| *tokens > 0);
    let mut rows: Vec<Calibration> = rows
        .map(|(language, (files, bytes, tokens))| {
            let (measured, assumed) = (bytes as f64 / tokens as f64, bytes_per_token(language));
            let error = rounded(bytes as f64 / assumed / tokens as f64 - 1.0);
            let measured_bytes_per_token = rounded(measured);
            Calibration {
                language,
                files,
                bytes,
                tokens,
                measured_bytes_per_token,
                assumed_bytes_per_token: assumed,
                error,
            }
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    rows
}

/// How many bytes of source one token has: the median over repositories, as `codecompass savings
/// --calibrate` measured them. `docs/benchmarks.md` tells which, and how far they are from it.
fn bytes_per_token(language: &str) -> f64 {
    match language {
        "csharp" => 5.0,
        "java" | "python" => 4.3,
        "php" => 4.2,
        "rust" | "typescript" | "kotlin" => 4.1,
        "tsx" | "markdown" => 4.0,
        "javascript" | "jsx" => 3.9,
        "ruby" => 3.85,
        "cpp" => 3.75,
        "c" | "yaml" | "toml" => 3.6,
        "go" | "json" | "text" => 3.5,
        "html" | "xml" | "bash" => 3.3,
        "css" => 3.1,
        _ => 4.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_per_million_tokens() {
        assert_eq!(cost(2_000_000, 3.0), 6.0);
        assert_eq!(cost(1_000, 3.0), 0.003);
        assert_eq!(cost(0, 3.0), 0.0);
    }
}
