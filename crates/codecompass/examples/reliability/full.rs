//! A full disk: index runs on file systems of growing size, up to one that suffices.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, ensure};

use crate::{
    kill::check_database,
    repository::Repository,
    server::{Server, index},
};

const N_FILES: usize = 60;
/// Enough for every index of this repository.
const AMPLE_KIB: u64 = 256 << 10;

pub fn run(program: &Path, step_kib: u64) -> anyhow::Result<()> {
    let repository = Repository::new(N_FILES)?;
    let place = tempfile::tempdir()?;
    let started = Instant::now();
    let mut n_refused = 0;
    // Up to the first size that suffices: a run needs more than what it leaves.
    let enough = loop {
        let size = (n_refused + 1) * step_kib;
        let disk = Disk::mount(place.path(), size)?;
        let run = || -> anyhow::Result<bool> {
            let output = index(program, repository.root(), &disk.0)
                .stderr(Stdio::piped())
                .output()?;
            let told = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code().context("it was ended by a signal")?;
            ensure!(!told.contains("panicked"), "it panicked: {told}");
            // Another reason than the disk would be a defect.
            let is_told = told.contains("room")
                || told.contains("No space")
                || told.contains("cannot be written");
            ensure!(code == 0 || is_told, "exit {code}: {told}");
            // A server on the full disk answers or says why not.
            let mut server = Server::start(program, repository.root(), &disk.0)?;
            server.call("locate_symbol", &serde_json::json!({ "name": "helper_1" }))?;
            drop(server);
            disk.resize(AMPLE_KIB)?;
            let indexed = index(program, repository.root(), &disk.0).status()?;
            ensure!(indexed.success(), "it does not recover");
            repository.edit(size as usize % N_FILES)?;
            let mut server = Server::start(program, repository.root(), &disk.0)?;
            repository.check(&mut server, 0..N_FILES)?;
            drop(server);
            check_database(&disk.0)?;
            Ok(code != 0)
        };
        if !run().with_context(|| format!("with {size} KiB"))? {
            break size;
        }
        n_refused += 1;
    };
    println!(
        "full: {n_refused} disks in steps of {step_kib} KiB were too small, one of {enough} KiB was not, in {:.0} s; all runs said so and recovered with right answers",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A file system in memory, of a given size.
struct Disk(PathBuf);

impl Disk {
    fn mount(place: &Path, kib: u64) -> anyhow::Result<Disk> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"])
            .arg(place)
            .status()?;
        ensure!(mounted.success(), "cannot mount a file system: run as root");
        Ok(Disk(place.to_path_buf()))
    }

    fn resize(&self, kib: u64) -> anyhow::Result<()> {
        let mounted = Command::new("mount")
            .args(["-o", &format!("remount,size={kib}k")])
            .arg(&self.0)
            .status()?;
        ensure!(mounted.success(), "cannot change the size of a file system");
        Ok(())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
