//! Indexing in the foreground: a bar on a terminal, plain lines elsewhere, and Ctrl-C that leaves
//! what is done.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use workspace::{IndexSummary, Meaning, Workspace};

use super::paint::count;
use crate::platform;

/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
/// Between two lines where no bar can be drawn.
const PAUSE: Duration = Duration::from_secs(5);

/// Takes in the working tree, or what a name means, and waits for it.
pub fn take_in(
    workspace: &Workspace,
    name: Option<&str>,
    force: bool,
) -> anyhow::Result<IndexSummary> {
    let meaning = match workspace.meaning(name) {
        // A bare repository before its first commit is an empty one.
        Err(_) if name.is_none() => Meaning::Live,
        meaning => meaning.context("nothing to index")?,
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicBool::new(false));
    stop_on_signal(cancel.clone(), done.clone());
    let mut shown = Shown::new();
    let report = match meaning {
        Meaning::Live => workspace.index_live(force, &cancel, |at| shown.update(at.done, at.total)),
        Meaning::Commit(id) => workspace
            .index_commit(id, force, &cancel, |at| shown.update(at.done, at.total))
            .map(|(_, report)| report),
    };
    shown.clear();
    done.store(true, Ordering::Release);
    match report {
        Err(workspace::Error::Cancelled) => {
            eprintln!(
                "stopped; what was indexed so far is kept, and the next run goes on from there"
            );
            std::process::exit(INTERRUPTED);
        }
        report => Ok(report?),
    }
}

struct Shown {
    bar: Option<ProgressBar>,
    started: Instant,
    last: Instant,
}

impl Shown {
    fn new() -> Shown {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(
                "indexing {wide_bar} {human_pos}/{human_len} files, {per_sec}, {eta} left",
            );
            let bar = ProgressBar::new(0);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Shown {
            bar,
            started: Instant::now(),
            last: Instant::now(),
        }
    }

    fn update(&mut self, done: u64, total: u64) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(total);
                bar.set_position(done);
            }
            None if self.last.elapsed() >= PAUSE => {
                self.last = Instant::now();
                let rate = done as f64 / self.started.elapsed().as_secs_f64();
                eprintln!(
                    "indexed {} of {} files, {rate:.0} per second",
                    count(done),
                    count(total)
                );
            }
            None => {}
        }
    }

    fn clear(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The first signal asks the work to stop between two batches; who waits no longer ends it, which
/// the index survives as well.
fn stop_on_signal(cancel: Arc<AtomicBool>, done: Arc<AtomicBool>) {
    let wait = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        runtime.block_on(async {
            platform::asked_to_end().await;
            if done.load(Ordering::Acquire) {
                std::process::exit(INTERRUPTED);
            }
            cancel.store(true, Ordering::Release);
            tokio::select! {
                () = platform::asked_to_end() => {}
                () = tokio::time::sleep(Duration::from_secs(10)) => {}
            }
            std::process::exit(INTERRUPTED);
        });
    };
    // Without the thread, the signal ends the process as it always does.
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait);
}
