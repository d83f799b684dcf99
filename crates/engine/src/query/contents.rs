//! Many contents, looked at on all cores.

use rayon::prelude::*;

use crate::{Budget, ContentNumber, Resolver};

/// Contents below which one thread is as fast as several.
const FEW: usize = 64;

/// Visits contents, each thread with a resolver of its own; what the visits gathered comes back in the order of the contents.
pub(super) fn over_contents<T: Default + Send>(
    resolver: &Resolver<'_>,
    contents: &[ContentNumber],
    visit: impl Fn(&Resolver<'_>, ContentNumber, &mut T) + Sync,
) -> Vec<T> {
    if contents.len() < FEW {
        let mut all = T::default();
        contents.iter().for_each(|content| visit(resolver, *content, &mut all));
        return vec![all];
    }
    let (analysis, share) = (resolver.analysis, resolver.budget.share());
    let parts: Vec<(T, Budget)> = contents
        .par_chunks(FEW)
        .map(|contents| {
            let budget = share.clone().open();
            let mut found = T::default();
            let resolver = analysis.resolver(&budget);
            contents.iter().for_each(|content| visit(&resolver, *content, &mut found));
            (found, budget)
        })
        .collect();
    let take = |(found, budget): (T, Budget)| {
        resolver.budget.take_back(&budget);
        found
    };
    parts.into_iter().map(take).collect()
}
