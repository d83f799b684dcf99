//! What became of every place that bears a symbol's name: so that an empty list of references can be told from a blind one.

use facts::TriviaKind;
use rustc_hash::FxHashSet;

use crate::{Complete, Outcome, Resolver, SymbolId};

/// Counts of places that bear the name, without the symbol's own definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Files in which the name stands in code.
    pub files: usize,
    /// Places that mean another symbol, a local or a library.
    pub others: usize,
    /// Places for which several symbols come into question, this one among them or not.
    pub ambiguous: usize,
    /// Places for which nothing was found.
    pub unresolved: usize,
    /// Occurrences in comments and strings of those files.
    pub in_text: usize,
}

/// Counts the places that bear the name of `symbol` and do not mean it.
pub fn account(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Account> {
    let mut account = Account::default();
    let snapshot = resolver.snapshot();
    let name = resolver.name(symbol);
    let group: FxHashSet<SymbolId> = crate::query::same_symbol(resolver, symbol).into_iter().collect();
    for content in snapshot.corpus().mentioning(&name) {
        for &file in snapshot.files_of(content) {
            if !resolver.budget.spend() {
                return resolver.budget.finish(account);
            }
            let Some(view) = resolver.view(file) else { continue };
            let Some(id) = view.facts.names.find(&name) else { continue };
            let places = view.facts.references_of(id);
            account.files += usize::from(!places.is_empty());
            for reference in places {
                if !resolver.budget.spend() {
                    return resolver.budget.finish(account);
                }
                let resolution = resolver.resolve(&view, reference);
                match resolution.outcome {
                    Outcome::Ambiguous => account.ambiguous += 1,
                    Outcome::Unresolved => account.unresolved += 1,
                    _ if resolution.symbols().any(|target| group.contains(&target)) => {}
                    _ => account.others += 1,
                }
            }
            if let Some(text) = snapshot.corpus().text(content) {
                let trivia = view.facts.trivia.iter().filter(|trivia| matches!(trivia.kind, TriviaKind::Comment | TriviaKind::String));
                account.in_text += trivia.filter(|trivia| holds_word(trivia.span.text(&text), &name)).count();
            }
        }
    }
    resolver.budget.finish(account)
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].chars().next_back().is_some_and(is_part) && !text[at + word.len()..].chars().next().is_some_and(is_part))
}
