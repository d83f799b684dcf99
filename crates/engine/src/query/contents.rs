//! Questions about many contents or symbols, worked on by all cores.

use std::sync::LazyLock;

use rayon::prelude::*;

use crate::{Budget, ContentNumber, Resolver};

/// Contents below which one thread is as fast as several.
const FEW: usize = 64;

/// The threads for all questions; `None` where they cannot be had, and the one that asks does the
/// work.
static THREADS: LazyLock<Option<rayon::ThreadPool>> = LazyLock::new(|| {
    let name = |i| format!("query-{i}");
    rayon::ThreadPoolBuilder::new()
        .stack_size(crate::STACK_SIZE)
        .thread_name(name)
        .build()
        .ok()
});

/// The threads, for whoever is none of them: a part of a question is not divided once more.
fn threads() -> Option<&'static rayon::ThreadPool> {
    let is_outside = rayon::current_thread_index().is_none();
    THREADS.as_ref().filter(|_| is_outside)
}

/// Asks the same of each item, each thread with a resolver of its own; the answers are in the order
/// of the items. A lone item gets all threads to itself.
pub fn of_each<I: Sync, T: Send>(
    resolver: &Resolver,
    items: &[I],
    ask: impl Fn(&Resolver, &I) -> T + Sync,
) -> Vec<T> {
    let Some(threads) = threads().filter(|_| items.len() > 1) else {
        return items.iter().map(|item| ask(resolver, item)).collect();
    };
    let (analysis, share) = (resolver.analysis, resolver.budget.share());
    let ask_one = |item: &I| {
        let budget = share.clone().open();
        let answer = ask(&analysis.resolver(&budget), item);
        (answer, budget)
    };
    let answers: Vec<(T, Budget)> =
        threads.install(|| items.par_iter().with_max_len(1).map(ask_one).collect());
    let take = |(answer, budget): (T, Budget)| {
        resolver.budget.take_back(&budget);
        answer
    };
    answers.into_iter().map(take).collect()
}

/// Visits contents, each thread with a resolver of its own; what the visits gathered comes back in
/// the order of the contents.
pub(super) fn over_contents<T: Default + Send>(
    resolver: &Resolver,
    contents: &[ContentNumber],
    visit: impl Fn(&Resolver, ContentNumber, &mut T) + Sync,
) -> Vec<T> {
    let Some(threads) = threads().filter(|_| contents.len() >= FEW) else {
        let mut all = T::default();
        contents
            .iter()
            .for_each(|content| visit(resolver, *content, &mut all));
        return vec![all];
    };
    let (analysis, share) = (resolver.analysis, resolver.budget.share());
    let visit_some = |contents: &[ContentNumber]| {
        let budget = share.clone().open();
        let mut found = T::default();
        let resolver = analysis.resolver(&budget);
        contents
            .iter()
            .for_each(|content| visit(&resolver, *content, &mut found));
        (found, budget)
    };
    let parts: Vec<(T, Budget)> =
        threads.install(|| contents.par_chunks(FEW).map(visit_some).collect());
    let take = |(found, budget): (T, Budget)| {
        resolver.budget.take_back(&budget);
        found
    };
    parts.into_iter().map(take).collect()
}
