//! Short runs of the harnesses in `examples/reliability`, which docs/reliability.md tells of.

use std::{path::PathBuf, process::Command};

#[cfg(unix)]
#[test]
fn killed_while_indexing_syncing_and_answering_it_loses_nothing() {
    run("kill", &["8"]);
}

fn run(what: &str, more: &[&str]) {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_codecompass"));
    let name = format!("reliability{}", std::env::consts::EXE_SUFFIX);
    let harness = program.parent().unwrap().join("examples").join(name);
    assert!(
        harness.exists(),
        "the example reliability is not built: test the whole package"
    );
    let output = Command::new(harness)
        .arg(what)
        .arg(&program)
        .args(more)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
