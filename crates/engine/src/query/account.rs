//! What became of every place that bears a symbol's name: so that an empty list of references can be told from a blind one.

use facts::TriviaKind;
use rustc_hash::FxHashSet;

use super::contents::over_contents;
use crate::{Complete, FileId, Outcome, Resolver, SymbolId};

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
    let name = resolver.name(symbol);
    let group: FxHashSet<SymbolId> = crate::query::same_symbol(resolver, symbol).into_iter().collect();
    let contents = resolver.snapshot().corpus().mentioning(&name);
    let counted = over_contents(resolver, &contents, |resolver, content, account: &mut Account| {
        for &file in resolver.snapshot().files_of(content) {
            if !resolver.budget.spend() {
                return;
            }
            count_in(resolver, file, &name, &group, account);
        }
    });
    let mut all = Account::default();
    for part in counted {
        all.files += part.files;
        all.others += part.others;
        all.ambiguous += part.ambiguous;
        all.unresolved += part.unresolved;
        all.in_text += part.in_text;
    }
    resolver.budget.finish(all)
}

fn count_in(resolver: &Resolver<'_>, file: FileId, name: &str, group: &FxHashSet<SymbolId>, account: &mut Account) {
    let Some(view) = resolver.passing_view(file) else { return };
    let Some(id) = view.facts.names.find(name) else { return };
    let places = view.facts.references_of(id);
    account.files += usize::from(!places.is_empty());
    for reference in places {
        if !resolver.budget.spend() {
            return;
        }
        let resolution = resolver.resolve(&view, reference);
        match resolution.outcome {
            Outcome::Ambiguous => account.ambiguous += 1,
            Outcome::Unresolved => account.unresolved += 1,
            _ if resolution.symbols().any(|target| group.contains(&target)) => {}
            _ => account.others += 1,
        }
    }
    if let Some(text) = resolver.snapshot().corpus().text(resolver.snapshot().file(file).content) {
        let trivia = view.facts.trivia.iter().filter(|trivia| matches!(trivia.kind, TriviaKind::Comment | TriviaKind::String));
        account.in_text += trivia.filter(|trivia| holds_word(trivia.span.text(&text), name)).count();
    }
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].chars().next_back().is_some_and(is_part) && !text[at + word.len()..].chars().next().is_some_and(is_part))
}
