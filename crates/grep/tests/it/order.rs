//! Output in the order of paths from many threads, with bounded memory.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use grep_command::{Exit, GrepOptions, ListedTree, MemoryFiles};

use crate::{made, run_with};

/// Files of very different sizes, so that threads finish out of order.
fn uneven() -> ListedTree<MemoryFiles> {
    let lines = |n: usize| (0..n).map(|i| format!("match {i}\n")).collect::<String>();
    ListedTree::new(
        (0..200)
            .map(|i| (format!("{i:03}"), lines((i * 7919) % 997 * 3)))
            .collect(),
    )
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let tree = uneven();
    for arguments in [
        &["match"][..],
        &["-c", "match"],
        &["--heading", "-C1", "7"],
        &["-v", "1"],
        &["-q", "match"],
    ] {
        let on = |n_threads| {
            run_with(
                &tree,
                arguments,
                &GrepOptions {
                    n_threads,
                    ..GrepOptions::default()
                },
            )
        };
        let one = on(1);
        assert!(one == on(2) && one == on(8), "{arguments:?}");
    }
}

#[test]
fn files_with_much_output_come_in_order() {
    let line = "match ".repeat(20_000) + "\n";
    let files = (0..40).map(|i| (format!("{i:02}"), line.repeat(20)));
    let tree = ListedTree::new(MemoryFiles::from_iter(files));
    let outcome = run_with(
        &tree,
        &["match"],
        &GrepOptions {
            n_threads: 4,
            ..GrepOptions::default()
        },
    );
    let text = String::from_utf8(outcome.out).expect("text");
    let paths: Vec<_> = text.lines().map(|line| &line[..2]).collect();
    assert_eq!(paths.len(), 800);
    assert!(paths.is_sorted());
}

/// Takes some bytes and then fails.
struct Failing {
    n_bytes: usize,
    kind: io::ErrorKind,
    n_calls_after: Arc<Mutex<usize>>,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.n_bytes < bytes.len() {
            *self.n_calls_after.lock().expect("no panic") += 1;
            return Err(self.kind.into());
        }
        self.n_bytes -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_search() {
    for (kind, expected) in [
        (io::ErrorKind::BrokenPipe, Exit::Found),
        (io::ErrorKind::StorageFull, Exit::Error),
    ] {
        for n_threads in [1, 4] {
            let n_calls_after = Arc::new(Mutex::new(0));
            let mut out = Failing {
                n_bytes: 300_000,
                kind,
                n_calls_after: Arc::clone(&n_calls_after),
            };
            let options = GrepOptions {
                n_threads,
                ..GrepOptions::default()
            };
            let exit = grep_command::run(["match"], &uneven(), &options, &mut out, &mut io::sink());
            assert_eq!(exit, expected, "{kind}");
            // What is buffered is tried again at the end.
            assert!(*n_calls_after.lock().expect("no panic") <= 3);
        }
    }
}

/// ripgrep reads with one buffer, which a long line enlarges for all files after it. In a larger
/// buffer a NUL byte is seen before the matches that come before it.
#[test]
fn a_long_line_changes_what_is_seen_of_later_binary_files() {
    let tree = ListedTree::new(MemoryFiles::from_iter(made::long_lines_and_late_nuls()));
    for n_threads in [1, 2, 8] {
        let options = GrepOptions {
            n_threads,
            ..GrepOptions::default()
        };
        let outcome = run_with(&tree, &["match"], &options);
        let text = String::from_utf8(outcome.out).expect("text");
        let n_lines = |path: &str| text.lines().filter(|line| line.starts_with(path)).count();
        assert_eq!(
            (n_lines("a:"), n_lines("c:"), n_lines("e:")),
            (43_689, 32_769, 0)
        );
        assert_eq!(
            run_with(&tree, &["-l", "match"], &options).out,
            b"a\nc\nf\n"
        );
    }
}
