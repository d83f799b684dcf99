//! Many contents, looked at on all cores.

use std::sync::LazyLock;

use rayon::prelude::*;

use crate::{Budget, ContentNumber, Resolver};

/// Contents below which one thread is as fast as several.
const FEW: usize = 64;
/// Looking a name up may lead through a hundred others, each a few frames deep: more than the usual two megabytes hold.
const STACK: usize = 16 << 20;
/// `None` where threads cannot be had.
static POOL: LazyLock<Option<rayon::ThreadPool>> = LazyLock::new(|| rayon::ThreadPoolBuilder::new().stack_size(STACK).build().ok());

/// Visits contents, each thread with a resolver of its own; what the visits gathered comes back in the order of the contents.
pub(super) fn over_contents<T: Default + Send>(
    resolver: &Resolver<'_>,
    contents: &[ContentNumber],
    visit: impl Fn(&Resolver<'_>, ContentNumber, &mut T) + Sync,
) -> Vec<T> {
    let Some(pool) = POOL.as_ref().filter(|_| contents.len() >= FEW) else {
        let mut all = T::default();
        contents.iter().for_each(|content| visit(resolver, *content, &mut all));
        return vec![all];
    };
    let (analysis, share) = (resolver.analysis, resolver.budget.share());
    let part = |contents: &[ContentNumber]| {
        let budget = share.clone().open();
        let mut found = T::default();
        let resolver = analysis.resolver(&budget);
        contents.iter().for_each(|content| visit(&resolver, *content, &mut found));
        (found, budget)
    };
    let parts: Vec<(T, Budget)> = pool.install(|| contents.par_chunks(FEW).map(part).collect());
    let take = |(found, budget): (T, Budget)| {
        resolver.budget.take_back(&budget);
        found
    };
    parts.into_iter().map(take).collect()
}
