//! Many contents, looked at on all cores.

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

/// Visits contents, each thread with a resolver of its own; what the visits gathered comes back in
/// the order of the contents.
pub(super) fn over_contents<T: Default + Send>(
    resolver: &Resolver,
    contents: &[ContentNumber],
    visit: impl Fn(&Resolver, ContentNumber, &mut T) + Sync,
) -> Vec<T> {
    let Some(threads) = THREADS.as_ref().filter(|_| contents.len() >= FEW) else {
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
