//! Tests of the whole command, through [`grep_command::run`].

mod bad_input;
mod candidates;
mod made;
mod order;
mod ripgrep;
mod symbols;
mod transcripts;
mod trees;

use grep_command::{Exit, GrepOptions, SearchTree};

/// What a search printed and how it ended.
#[derive(Debug, Eq, PartialEq)]
struct Outcome {
    exit: Exit,
    out: Vec<u8>,
    errors: String,
}

fn run(tree: &dyn SearchTree, arguments: &[&str]) -> Outcome {
    run_with(tree, arguments, &GrepOptions::default())
}

fn run_with(tree: &dyn SearchTree, arguments: &[&str], options: &GrepOptions<'_>) -> Outcome {
    let mut out = Vec::new();
    let mut errors = Vec::new();
    let exit = grep_command::run(arguments, tree, options, &mut out, &mut errors);
    Outcome {
        exit,
        out,
        errors: String::from_utf8_lossy(&errors).into_owned(),
    }
}

impl Outcome {
    /// Output and messages as text with control characters visible, and the exit status when it is
    /// not 0.
    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.out).into_owned();
        text.push_str(&self.errors);
        for (character, shown) in [('\r', "<CR>"), ('\0', "<NUL>"), ('\x1b', "<ESC>")] {
            text = text.replace(character, shown);
        }
        if self.exit != Exit::Found {
            text.push_str(&format!("status {}\n", self.exit.status()));
        }
        text
    }

    /// Output without the elapsed times of `--json`, which differ from run to run.
    fn without_times(&self) -> Vec<u8> {
        without_times(&self.out)
    }
}

fn without_times(json: &[u8]) -> Vec<u8> {
    let mut rest = json;
    let mut kept = Vec::new();
    while let Some(at) = find(rest, b"\"elapsed") {
        let start = at + find(&rest[at..], b"{").expect("an object of times");
        let end = start + find(&rest[start..], b"}").expect("its end");
        kept.extend_from_slice(&rest[..start]);
        rest = &rest[end..];
    }
    kept.extend_from_slice(rest);
    kept
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
