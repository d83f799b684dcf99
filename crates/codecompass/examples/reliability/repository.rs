//! A repository whose every answer is known: file `i` defines one function whose name tells how
//! often it was edited.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::{Context, ensure};
use parking_lot::Mutex;
use serde_json::json;

use crate::{Random, server::Server};

pub struct Repository {
    pub directory: tempfile::TempDir,
    /// How often each file was edited. Held during an edit, so that whoever holds it sees the files
    /// as these numbers tell.
    edits: Mutex<Vec<u32>>,
}

impl Repository {
    pub fn new(n_files: usize) -> anyhow::Result<Repository> {
        let repository = Repository {
            directory: tempfile::tempdir()?,
            edits: Mutex::new(vec![0; n_files]),
        };
        for i in 0..n_files {
            let path = repository.path_of(i);
            fs::create_dir_all(path.parent().context("a file has a directory")?)?;
            fs::write(path, text(i, 0))?;
        }
        let root = repository.root();
        git(root, &["init", "-q", "-b", "main"])?;
        git(root, &["config", "user.name", "Someone"])?;
        git(root, &["config", "user.email", "someone@example.com"])?;
        git(root, &["add", "-A"])?;
        git(root, &["commit", "-q", "-m", "first"])?;
        Ok(repository)
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn n_files(&self) -> usize {
        self.edits.lock().len()
    }

    pub fn path_of(&self, i: usize) -> PathBuf {
        self.root().join(relative(i))
    }

    /// Edits a file, in place or by a rename, as editors do.
    pub fn edit(&self, i: usize) -> anyhow::Result<()> {
        let mut edits = self.edits.lock();
        edits[i] += 1;
        let (path, text) = (self.path_of(i), text(i, edits[i]));
        if edits[i].is_multiple_of(2) {
            return Ok(fs::write(path, text)?);
        }
        let aside = path.with_extension("tmp");
        fs::write(&aside, text)?;
        Ok(fs::rename(aside, path)?)
    }

    /// Edits files until told to stop.
    pub fn edit_storm(&self, mut random: Random, pause: Duration, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            if let Err(error) = self.edit(random.below(self.n_files())) {
                eprintln!("an edit failed: {error:#}");
            }
            std::thread::sleep(pause);
        }
    }

    /// Checks answers about some files while nobody edits: the function of each file is found under
    /// its present name, in its file, and under no former one, and its call is found.
    pub fn check(
        &self,
        server: &mut Server,
        files: impl Iterator<Item = usize>,
    ) -> anyhow::Result<()> {
        let edits = self.edits.lock();
        for i in files {
            let name = function(i, edits[i]);
            let found = server.fresh("locate_symbol", &json!({ "name": name }))?;
            let places: Vec<_> = found["results"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|result| result["name"] == name.as_str())
                .map(|result| result["path"].as_str().unwrap_or_default())
                .collect();
            ensure!(
                places == [relative(i)],
                "{name} is in {}, found: {found}",
                relative(i)
            );
            if let Some(former) = edits[i].checked_sub(1).map(|edit| function(i, edit)) {
                let found = server.fresh("locate_symbol", &json!({ "name": former }))?;
                let results = found["results"].as_array();
                let is_former = |result: &serde_json::Value| result["name"] == former.as_str();
                ensure!(
                    !results.is_some_and(|results| results.iter().any(is_former)),
                    "{former} is gone, found: {found}"
                );
            }
            let helper = format!("helper_{i}");
            let used = server.fresh("find_references", &json!({ "symbol_name": helper }))?;
            let places: Vec<_> = used["references"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|reference| (reference["path"].as_str(), reference["line_start"].as_u64()))
                .collect();
            ensure!(
                places == [(Some(relative(i).as_str()), Some(2))],
                "{helper} is called in {}:2, found: {used}",
                relative(i)
            );
        }
        Ok(())
    }

    /// Checks every file, and that some searches answer what an index made from scratch answers.
    pub fn check_all(&self, program: &Path, home: &Path) -> anyhow::Result<()> {
        let mut server = Server::start(program, self.root(), home)?;
        self.check(&mut server, 0..self.n_files())?;
        let scratch = tempfile::tempdir()?;
        let edits = self.edits.lock();
        let mut other = Server::start(program, self.root(), scratch.path())?;
        for query in ["helper", "function value", "helper_7", "edited return"] {
            let mut answers = [&mut server, &mut other]
                .map(|server| server.fresh("search_code", &json!({ "query": query, "limit": 50 })));
            let results = |answer: &mut anyhow::Result<serde_json::Value>| {
                answer
                    .as_ref()
                    .map(|answer| answer["results"].clone())
                    .unwrap_or_default()
            };
            let (kept, anew) = (results(&mut answers[0]), results(&mut answers[1]));
            ensure!(
                !kept.is_null() && kept == anew,
                "`{query}`: {kept}\nfrom scratch: {anew}"
            );
        }
        drop(edits);
        Ok(())
    }
}

fn relative(i: usize) -> String {
    format!("package_{}/module_{i}.py", i % 10)
}

fn function(i: usize, edit: u32) -> String {
    format!("function_{i}_edited_{edit}")
}

fn text(i: usize, edit: u32) -> String {
    let name = function(i, edit);
    // Of several lengths, so that an edit is no change in place.
    let more: String = (0..(i + edit as usize) % 7)
        .map(|k| format!("\n\nvalue_{k} = {edit}\n"))
        .collect();
    format!(
        "def {name}(value):\n    return helper_{i}(value, {edit})\n\n\ndef helper_{i}(value, edit):\n    return value\n{more}"
    )
}

pub fn git(directory: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let output = std::process::Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()?;
    ensure!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
