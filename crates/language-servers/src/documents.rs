//! Which documents a server holds open, and with what text. Before each question the server is brought in step with the
//! text the caller has, and with a disk that changed behind its back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use serde_json::{Value, json};

use crate::Error;
use crate::catalogue::ServerSpec;
use crate::client::Client;
use crate::uri;

/// Documents held open per server; the one unused for longest is closed first.
const MOST_OPEN: usize = 64;

/// A document and its text as the caller sees it, saved or not.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

/// What happened to a file on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: PathBuf,
    pub kind: FileChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChangeKind {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

/// The open documents of one running server.
#[derive(Default)]
pub struct Documents {
    open: HashMap<PathBuf, Open>,
    clock: u64,
    /// When the server last learned of another text.
    pub last_change: Option<Instant>,
}

struct Open {
    version: i64,
    text: String,
    stamp: Option<Stamp>,
    matches_disk: bool,
    changed: Instant,
    last_used: u64,
}

/// What of a file's metadata changes when it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Documents {
    /// Brings the server in step: `documents` are open with exactly their text, and every other document is as on disk.
    pub fn synchronize(&mut self, client: &Client, spec: &ServerSpec, documents: &[Document]) -> Result<(), Error> {
        self.forget_stale(client, documents)?;
        for document in documents {
            self.open_or_update(client, spec, *document)?;
        }
        while self.open.len() > MOST_OPEN.max(documents.len()) {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.last_used).map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { break };
            self.close(client, &oldest)?;
        }
        Ok(())
    }

    /// Tells the server of files that changed on disk, and closes those it held open with another text.
    pub fn files_changed(&mut self, client: &Client, changes: &[FileChange]) -> Result<(), Error> {
        for change in changes {
            let is_stale = |open: &Open| open.matches_disk && !disk_equals(&change.path, &open.text);
            if self.open.get(&change.path).is_some_and(is_stale) {
                self.close(client, &change.path)?;
            }
        }
        // Servers read a batch at once; a branch switch must not become one huge message.
        for batch in changes.chunks(1_000) {
            let events = batch.iter().map(|change| json!({"uri": uri::from_path(&change.path), "type": change.kind as u8}));
            let events: Value = events.collect();
            client.notify("workspace/didChangeWatchedFiles", json!({"changes": events}))?;
        }
        self.last_change = Some(Instant::now());
        Ok(())
    }

    pub fn n_open(&self) -> usize {
        self.open.len()
    }

    pub fn text(&self, path: &Path) -> Option<&str> {
        self.open.get(path).map(|open| open.text.as_str())
    }

    /// The version of an open document and when the server got it.
    pub fn version(&self, path: &Path) -> Option<(i64, Instant)> {
        self.open.get(path).map(|open| (open.version, open.changed))
    }

    fn forget_stale(&mut self, client: &Client, wanted: &[Document]) -> Result<(), Error> {
        let mut stale = Vec::new();
        let mut changes = Vec::new();
        for (path, open) in &self.open {
            if wanted.iter().any(|document| document.path == path) {
                continue;
            }
            let stamp = stamp(path);
            if stamp != open.stamp {
                let kind = if stamp.is_some() { FileChangeKind::Changed } else { FileChangeKind::Deleted };
                changes.push(FileChange { path: path.clone(), kind });
            }
            if stamp != open.stamp || !open.matches_disk {
                stale.push(path.clone());
            }
        }
        for path in &stale {
            self.close(client, path)?;
        }
        if !changes.is_empty() {
            self.files_changed(client, &changes)?;
        }
        Ok(())
    }

    fn open_or_update(&mut self, client: &Client, spec: &ServerSpec, document: Document) -> Result<(), Error> {
        self.clock += 1;
        let stamp = stamp(document.path);
        let uri = uri::from_path(document.path);
        if let Some(open) = self.open.get_mut(document.path) {
            open.last_used = self.clock;
            if open.text == document.text && open.stamp == stamp {
                return Ok(());
            }
            let disk_changed = open.stamp != stamp && stamp.is_some();
            let text_changed = open.text != document.text;
            open.matches_disk = disk_equals(document.path, document.text);
            open.stamp = stamp;
            if text_changed {
                open.version += 1;
                open.text = document.text.to_string();
                open.changed = Instant::now();
                self.last_change = Some(open.changed);
                let params = json!({
                    "textDocument": {"uri": uri, "version": open.version},
                    "contentChanges": [{"text": document.text}],
                });
                client.notify("textDocument/didChange", params)?;
            }
            if disk_changed {
                let change = FileChange { path: document.path.to_path_buf(), kind: FileChangeKind::Changed };
                self.files_changed(client, &[change])?;
            }
            return Ok(());
        }
        let extension = document.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let language = spec.extensions.get(extension).map_or("plaintext", String::as_str);
        client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": document.text}}),
        )?;
        client.incoming.document_opened();
        let open = Open {
            version: 1,
            text: document.text.to_string(),
            stamp,
            matches_disk: disk_equals(document.path, document.text),
            changed: Instant::now(),
            last_used: self.clock,
        };
        self.open.insert(document.path.to_path_buf(), open);
        Ok(())
    }

    fn close(&mut self, client: &Client, path: &Path) -> Result<(), Error> {
        self.open.remove(path);
        self.last_change = Some(Instant::now());
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri::from_path(path)}}))
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some(Stamp { length: metadata.len(), modified: metadata.modified().ok() })
}

fn disk_equals(path: &Path, text: &str) -> bool {
    let same_length = path.metadata().is_ok_and(|metadata| metadata.len() == text.len() as u64);
    same_length && std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}
