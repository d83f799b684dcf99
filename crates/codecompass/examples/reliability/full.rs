//! A full disk: index runs on a file system of every size up to what the index needs.

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
    let disk = Disk::mount(place.path(), AMPLE_KIB)?;
    let indexed = index(program, repository.root(), &disk.0).status()?;
    ensure!(indexed.success(), "the repository cannot be indexed");
    let needed = size_below(&disk.0)?.div_ceil(1024);
    drop(disk);

    let started = Instant::now();
    let (mut n_sizes, mut n_refused) = (0, 0);
    let mut size = step_kib;
    while size <= needed + step_kib {
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
        n_refused += u64::from(run().with_context(|| format!("with {size} KiB"))?);
        n_sizes += 1;
        size += step_kib;
    }
    println!(
        "full: {n_sizes} sizes up to {needed} KiB in steps of {step_kib} KiB in {:.0} s, {n_refused} runs refused for want of room, all recovered with right answers",
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

fn size_below(directory: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += match metadata.is_dir() {
            true => size_below(&entry.path())?,
            // Whole pages.
            false => metadata.len().next_multiple_of(4096),
        };
    }
    Ok(bytes)
}
