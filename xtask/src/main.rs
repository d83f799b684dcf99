//! What one types besides cargo's own commands: `cargo run -p xtask -- compare PATH...`, `accuracy
//! TRUTH SOURCES`.

mod accuracy;
mod compare;

use std::path::PathBuf;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.map(PathBuf::from).collect::<Vec<_>>()) {
        (Some("compare"), repositories) if !repositories.is_empty() => repositories.iter().try_for_each(|path| compare::run(path)),
        (Some("accuracy"), paths) if paths.len() == 2 => accuracy::run(&paths[0], &paths[1]),
        _ => bail!(
            "usage: cargo run -p xtask -- accuracy TRUTH SOURCES
  asks the questions of the truth files (a file or a directory) of the repositories checked out below SOURCES as owner__name,
  and prints precision and recall by language and by rule
       cargo run -p xtask -- compare PATH...
  indexes each git repository with codecompass (release), universal-ctags, ripgrep and codegraph, as far as they are installed,
  and prints the CPU time of each"
        ),
    }
}
