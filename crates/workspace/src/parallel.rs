//! Work that is spread over all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::ingest::n_workers;

/// Makes something of each item, in the order of the items, on all processors.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else {
                return made;
            };
            made.push((i, make(item)));
        }
    };
    let mut made = std::thread::scope(|scope| {
        let n_helpers = n_workers().min(items.len()).saturating_sub(1);
        let helpers: Vec<_> = (0..n_helpers).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for helper in helpers {
            made.extend(
                helper
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        made
    });
    made.sort_unstable_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, made)| made).collect()
}
