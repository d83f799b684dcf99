//! What one types besides cargo's own commands: `cargo run -p xtask -- compare PATH...`.

mod compare;

use std::path::PathBuf;

use anyhow::bail;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.map(PathBuf::from).collect::<Vec<_>>()) {
        (Some("compare"), repositories) if !repositories.is_empty() => repositories.iter().try_for_each(|path| compare::run(path)),
        _ => bail!(
            "usage: cargo run -p xtask -- compare PATH...
  indexes each git repository with codecompass (release), universal-ctags, ripgrep and codegraph, as far as they are installed,
  and prints the CPU time of each"
        ),
    }
}
