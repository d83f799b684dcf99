//! Which documents a server holds open, and with what text. Before each question the server is
//! synced with the text the caller has, and with a disk that changed behind its back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use serde_json::{Value, json};

use crate::Error;
use crate::catalogue::ServerSpec;
use crate::client::Connection;
use crate::uri;

/// Documents held open per server; the one unused for longest is closed first.
const MOST_OPEN: usize = 64;
/// The longest file kept open from disk.
const LONGEST_FILE: u64 = 8 << 20;

/// A document and its text as the caller sees it, saved or not.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl<'a> Document<'a> {
    /// The document under another spelling of its path.
    pub(crate) fn at(self, path: &'a Path) -> Document<'a> {
        Document { path, ..self }
    }
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
    open: HashMap<PathBuf, OpenDocument>,
    clock: u64,
    /// When the server last learned of another text.
    pub last_change: Option<Instant>,
}

struct OpenDocument {
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
    /// Syncs the server: `documents` are open with exactly their text, and every other
    /// document is as on disk.
    pub fn synchronize(
        &mut self,
        client: &Connection,
        spec: &ServerSpec,
        documents: &[Document],
    ) -> Result<(), Error> {
        self.return_to_disk(client, documents)?;
        for document in documents {
            self.open_or_update(client, spec, *document)?;
        }
        while self.open.len() > MOST_OPEN.max(documents.len()) {
            let oldest = self
                .open
                .iter()
                .min_by_key(|(_, open)| open.last_used)
                .map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { break };
            self.close(client, &oldest)?;
        }
        Ok(())
    }

    /// Tells the server of files that changed on disk; those it holds open get their new text.
    pub fn files_changed(
        &mut self,
        client: &Connection,
        changes: &[FileChange],
    ) -> Result<(), Error> {
        for change in changes {
            if self
                .open
                .get(&change.path)
                .is_some_and(|open| open.matches_disk)
            {
                self.take_from_disk(client, &change.path)?;
            }
        }
        self.tell(client, changes)
    }

    /// Opens changed files with their text on disk, for a server that would not read them
    /// otherwise.
    pub fn open_changed(
        &mut self,
        client: &Connection,
        spec: &ServerSpec,
        changes: &[FileChange],
    ) -> Result<(), Error> {
        for change in changes {
            if self.open.contains_key(&change.path) {
                continue;
            }
            if let Some(text) = text_on_disk(&change.path) {
                let document = Document {
                    path: &change.path,
                    text: &text,
                };
                self.open_or_update(client, spec, document)?;
            }
        }
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

    /// Resets documents that are not asked about to what the disk says: it changed, or their unsaved
    /// text is over.
    fn return_to_disk(&mut self, client: &Connection, wanted: &[Document]) -> Result<(), Error> {
        let others = self.open.iter().filter(|(path, _)| {
            !wanted
                .iter()
                .any(|document| document.path == path.as_path())
        });
        let mut stale = Vec::new();
        let mut changes = Vec::new();
        for (path, open) in others {
            let stamp = stamp(path);
            if stamp != open.stamp {
                let kind = if stamp.is_some() {
                    FileChangeKind::Changed
                } else {
                    FileChangeKind::Deleted
                };
                changes.push(FileChange {
                    path: path.clone(),
                    kind,
                });
            }
            if stamp != open.stamp || !open.matches_disk {
                stale.push(path.clone());
            }
        }
        for path in &stale {
            self.take_from_disk(client, path)?;
        }
        self.tell(client, &changes)
    }

    /// The document stays open with the text on disk: closed, some servers would go on with the
    /// text they last saw. It is closed only if there is no such text.
    fn take_from_disk(&mut self, client: &Connection, path: &Path) -> Result<(), Error> {
        let stamp = stamp(path);
        let text = text_on_disk(path);
        let (Some(text), Some(open)) = (text, self.open.get_mut(path)) else {
            return self.close(client, path);
        };
        open.stamp = stamp;
        open.matches_disk = true;
        if open.text == text {
            return Ok(());
        }
        self.change(client, path, &text)
    }

    fn change(&mut self, client: &Connection, path: &Path, text: &str) -> Result<(), Error> {
        let Some(open) = self.open.get_mut(path) else {
            return Ok(());
        };
        open.version += 1;
        open.text = text.to_string();
        open.changed = Instant::now();
        self.last_change = Some(open.changed);
        let document = json!({"uri": uri::from_path(path), "version": open.version});
        client.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        )
    }

    fn tell(&mut self, client: &Connection, changes: &[FileChange]) -> Result<(), Error> {
        // Servers read a batch at once; a branch switch must not become one huge message.
        for batch in changes.chunks(1_000) {
            let events = batch.iter().map(
                |change| json!({"uri": uri::from_path(&change.path), "type": change.kind as u8}),
            );
            client.notify(
                "workspace/didChangeWatchedFiles",
                json!({"changes": events.collect::<Value>()}),
            )?;
            self.last_change = Some(Instant::now());
        }
        Ok(())
    }

    fn open_or_update(
        &mut self,
        client: &Connection,
        spec: &ServerSpec,
        document: Document,
    ) -> Result<(), Error> {
        self.clock += 1;
        let stamp = stamp(document.path);
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
                self.change(client, document.path, document.text)?;
            }
            if disk_changed {
                let change = FileChange {
                    path: document.path.to_path_buf(),
                    kind: FileChangeKind::Changed,
                };
                self.tell(client, &[change])?;
            }
            return Ok(());
        }
        let language = spec.language_id(document.path).unwrap_or("plaintext");
        // Taken before the server knows: what it publishes at once is about this text.
        let opened = Instant::now();
        client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri::from_path(document.path), "languageId": language, "version": 1, "text": document.text}}),
        )?;
        client.incoming.document_opened();
        let open = OpenDocument {
            version: 1,
            text: document.text.to_string(),
            stamp,
            matches_disk: disk_equals(document.path, document.text),
            changed: opened,
            last_used: self.clock,
        };
        self.open.insert(document.path.to_path_buf(), open);
        Ok(())
    }

    fn close(&mut self, client: &Connection, path: &Path) -> Result<(), Error> {
        self.open.remove(path);
        self.last_change = Some(Instant::now());
        client.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri::from_path(path)}}),
        )
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some(Stamp {
        length: metadata.len(),
        modified: metadata.modified().ok(),
    })
}

fn text_on_disk(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    (metadata.is_file() && metadata.len() <= LONGEST_FILE)
        .then(|| std::fs::read_to_string(path).ok())?
}

fn disk_equals(path: &Path, text: &str) -> bool {
    let same_length = path
        .metadata()
        .is_ok_and(|metadata| metadata.len() == text.len() as u64);
    same_length && std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}
