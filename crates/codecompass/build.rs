//! Names the commit that is built, for `--version`; without git, or outside of a checkout, none.

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["rev-parse", "--short=12", "HEAD"]) {
        Some(commit) if !commit.is_empty() => format!("{version} ({commit})"),
        _ => format!("{version} (no commit known)"),
    };
    println!("cargo:rustc-env=CODECOMPASS_VERSION={version}");
    println!("cargo:rerun-if-changed=build.rs");
    // Its log grows with every commit and switch.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}
