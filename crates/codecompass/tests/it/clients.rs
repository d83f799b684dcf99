//! Official SDKs, inspector and conformance suite against the built programs:
//! `tests/clients/run.py`.
//!
//! They come from public registries. Where `tests/clients/install.sh` has run, this test runs them;
//! elsewhere it says so, and everything else is tested without a network.

use std::{io::Write, path::Path, process::Command};

#[test]
fn official_clients_and_the_conformance_suite() {
    let root = dunce::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_codecompass"))
        .parent()
        .unwrap();
    let clients = root.join("target/clients");
    if !clients.join("installed").exists() {
        // Past the capture of test output: what was not tested must be seen.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED: official MCP clients; tests/clients/install.sh has not been run here"
        );
        return;
    }
    let status = Command::new("python3")
        .arg(root.join("tests/clients/run.py"))
        .arg("--bin-dir")
        .arg(programs)
        .arg("--clients-dir")
        .arg(&clients)
        .status()
        .unwrap();
    assert!(status.success());
}
