//! The gateway's seven questions, asked of the pool's servers: documents first brought in step,
//! then the question, then its answer as data, with the server's readiness beside it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Error;
use crate::answer::{
    self, Answer, LspDiagnostic, LspDocumentDiagnostics, LspDocumentSymbol, LspHover, LspLocation,
    LspPosition, LspWorkspaceDiagnostics, LspWorkspaceSymbol, Readiness,
};
use crate::client::Limit;
use crate::documents::Document;
use crate::encoding::{EncodedLines, Encoding};
use crate::incoming::PullDiagnostics;
use crate::pool::{Pool, PoolState, real_path};
use crate::server::{LanguageServer, Running, State};
use crate::uri;

/// Partial results that have been quiet this long are all: some servers keep the question open to
/// report later changes.
const PARTIAL_QUIET: Duration = Duration::from_millis(700);
/// A server that is ready and silent about a text for so long has nothing new to say: not all
/// publish "nothing changed".
const SILENCE: Duration = Duration::from_secs(10);
/// The pause before asking again what a server dropped because its documents changed meanwhile.
const RETRY_PAUSE: Duration = Duration::from_millis(30);
/// What a server says then: content modified, cancelled by the server.
const RETRIED_CODES: [i64; 2] = [-32801, -32802];
/// The longest file read to convert columns.
const LONGEST_FILE: u64 = 8 << 20;

/// A place in a document, and what else the caller has not saved.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub document: Document<'a>,
    /// Further documents whose text is not the one on disk.
    pub unsaved: &'a [Document<'a>],
    pub position: LspPosition,
}

impl Pool {
    pub fn definition(
        &self,
        place: &Place,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspLocation>>, Error> {
        let question = Question {
            method: "textDocument/definition",
            provider: "definitionProvider",
        };
        self.at_place(
            question,
            place,
            json!({}),
            limit,
            answer::locations,
            |texts, locations| texts.locations(locations),
        )
    }

    pub fn references(
        &self,
        place: &Place,
        include_declaration: bool,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspLocation>>, Error> {
        let question = Question {
            method: "textDocument/references",
            provider: "referencesProvider",
        };
        let (server, _) = self.shared.server_for(place.document.path, limit)?;
        // Such a server is asked for everything, and the declaration taken out here.
        let takes_out = !include_declaration && server.spec.lists_declaration;
        let context = json!({"context": {"includeDeclaration": include_declaration || takes_out}});
        let mut answer = self.at_place(
            question,
            place,
            context,
            limit,
            answer::locations,
            |texts, locations| texts.locations(locations),
        )?;
        if takes_out {
            let declarations = self.definition(place, limit)?.value;
            answer
                .value
                .retain(|location| !declarations.contains(location));
        }
        Ok(answer)
    }

    pub fn hover(&self, place: &Place, limit: &Limit) -> Result<Answer<Option<LspHover>>, Error> {
        let question = Question {
            method: "textDocument/hover",
            provider: "hoverProvider",
        };
        let uri = uri::from_path(place.document.path);
        self.at_place(
            question,
            place,
            json!({}),
            limit,
            answer::hover,
            |texts, hover| {
                if let Some(range) = hover.as_mut().and_then(|hover| hover.range.as_mut()) {
                    *range = texts.range(&uri, *range);
                }
            },
        )
    }

    pub fn document_symbols(
        &self,
        document: Document,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspDocumentSymbol>>, Error> {
        let question = Question {
            method: "textDocument/documentSymbol",
            provider: "documentSymbolProvider",
        };
        let (server, path) = self.shared.server_for(document.path, limit)?;
        let document = Document {
            path: &path,
            ..document
        };
        let uri = uri::from_path(&path);
        let params = json!({"textDocument": {"uri": uri}});
        ask(
            &server,
            question,
            &[document],
            |_| params.clone(),
            limit,
            answer::document_symbols,
            |running, symbols| {
                self.texts(running).symbols(&uri, symbols);
            },
        )
    }

    /// Symbols of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_symbols(
        &self,
        anchor: Document,
        query: &str,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspWorkspaceSymbol>>, Error> {
        let question = Question {
            method: "workspace/symbol",
            provider: "workspaceSymbolProvider",
        };
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let anchor = [Document {
            path: &path,
            ..anchor
        }];
        let documents = if server.spec.needs_document {
            &anchor[..]
        } else {
            &[]
        };
        ask(
            &server,
            question,
            documents,
            |_| json!({"query": query}),
            limit,
            answer::workspace_symbols,
            |running, symbols| {
                let mut texts = self.texts(running);
                for symbol in symbols {
                    symbol.location.range =
                        texts.range(&symbol.location.uri, symbol.location.range);
                }
            },
        )
    }

    /// The diagnostics of one document: pulled where the server offers that, else those it pushed,
    /// once they have settled or the deadline has come.
    pub fn document_diagnostics(
        &self,
        document: Document,
        unsaved: &[Document],
        limit: &Limit,
    ) -> Result<Answer<LspDocumentDiagnostics>, Error> {
        let (server, path) = self.shared.server_for(document.path, limit)?;
        let document = Document {
            path: &path,
            ..document
        };
        let uri = uri::from_path(&path);
        let running = server.running(limit)?;
        // A server that pushes may have become one that is pulled while we waited.
        let pushed = if pull(&running).is_none() {
            pushed(&server, &running, document, unsaved, limit)?
        } else {
            None
        };
        let mut found = match pushed {
            Some(pushed) => pushed,
            None => {
                let pull = pull(&running).unwrap_or_default();
                let question = Question {
                    method: "textDocument/diagnostic",
                    provider: "",
                };
                let mut params = json!({"textDocument": {"uri": uri}});
                if let Some(identifier) = &pull.identifier {
                    params["identifier"] = json!(identifier);
                }
                let unsaved = unsaved_of(&server, unsaved);
                let documents = with_unsaved(document, &unsaved);
                let pulled = ask(
                    &server,
                    question,
                    &documents,
                    |_| params.clone(),
                    limit,
                    answer::pulled_diagnostics,
                    |_, _| {},
                )?;
                // A server that is pulled may still push what it learns elsewhere, from a compiler
                // it runs.
                let mut items = pulled.value;
                let pushed = running
                    .client
                    .incoming
                    .published(&uri)
                    .map(|published| published.items)
                    .unwrap_or_default();
                items.extend(
                    pushed
                        .into_iter()
                        .filter(|item| !items.contains(item))
                        .collect::<Vec<_>>(),
                );
                LspDocumentDiagnostics {
                    items,
                    settled: true,
                    truncated: false,
                }
            }
        };
        let mut texts = self.texts(&running);
        for item in &mut found.items {
            item.range = texts.range(&uri, item.range);
        }
        Ok(Answer {
            value: found,
            readiness: readiness(&server),
            server: server.name(),
        })
    }

    /// The diagnostics of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_diagnostics(
        &self,
        anchor: Document,
        limit: &Limit,
    ) -> Result<Answer<LspWorkspaceDiagnostics>, Error> {
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let running = server.running(limit)?;
        let documents = [Document {
            path: &path,
            ..anchor
        }];
        let documents = if server.spec.needs_document {
            &documents[..]
        } else {
            &[]
        };
        running
            .documents
            .lock()
            .synchronize(&running.client, &server.spec, documents)?;
        let mut found = match pull(&running).filter(|pull| pull.workspace_diagnostics) {
            Some(pull) => pulled_from_workspace(&server, &running, pull.identifier, limit)?,
            None => pushed_in_workspace(&server, &running, limit)?,
        };
        let mut texts = self.texts(&running);
        for (uri, items) in &mut found.files {
            for item in items {
                item.range = texts.range(uri, item.range);
            }
        }
        Ok(Answer {
            value: found,
            readiness: readiness(&server),
            server: server.name(),
        })
    }

    fn at_place<T>(
        &self,
        question: Question,
        place: &Place,
        further: Value,
        limit: &Limit,
        read: impl Fn(&RawValue) -> serde_json::Result<T>,
        convert: impl Fn(&mut FileTexts, &mut T),
    ) -> Result<Answer<T>, Error> {
        let (server, path) = self.shared.server_for(place.document.path, limit)?;
        let document = Document {
            path: &path,
            ..place.document
        };
        let params = |running: &Running| {
            let mut position = place.position;
            if running.abilities.encoding != Encoding::Utf16 {
                position = EncodedLines::new(document.text).convert(
                    position,
                    Encoding::Utf16,
                    running.abilities.encoding,
                );
            }
            let mut params = further.clone();
            params["textDocument"] = json!({"uri": uri::from_path(&path)});
            params["position"] = json!({"line": position.line, "character": position.character});
            params
        };
        let unsaved = unsaved_of(&server, place.unsaved);
        let documents = with_unsaved(document, &unsaved);
        ask(
            &server,
            question,
            &documents,
            params,
            limit,
            read,
            |running, value| convert(&mut self.texts(running), value),
        )
    }

    fn texts<'a>(&'a self, running: &'a Running) -> FileTexts<'a> {
        FileTexts {
            running,
            shared: &self.shared,
            read: HashMap::new(),
        }
    }
}

#[derive(Clone, Copy)]
struct Question {
    method: &'static str,
    /// The capability that announces it; empty when that was seen to.
    provider: &'static str,
}

/// Asks with the documents in step, again while the server drops the question because they changed,
/// until the limit.
fn ask<T>(
    server: &Arc<LanguageServer>,
    question: Question,
    documents: &[Document],
    params: impl Fn(&Running) -> Value,
    limit: &Limit,
    read: impl Fn(&RawValue) -> serde_json::Result<T>,
    convert: impl Fn(&Running, &mut T),
) -> Result<Answer<T>, Error> {
    let running = server.running(limit)?;
    if !question.provider.is_empty() && !running.abilities.has(question.provider) {
        return Err(Error::Unsupported {
            server: server.spec.name.clone(),
            method: question.method,
        });
    }
    loop {
        let pending = {
            // Held until the question is queued: another caller's documents must not come between.
            let mut open = running.documents.lock();
            open.synchronize(&running.client, &server.spec, documents)?;
            running.client.ask(question.method, params(&running))?
        };
        match pending.wait(limit) {
            Ok(raw) => {
                let malformed = |error: serde_json::Error| Error::Malformed {
                    server: server.spec.name.clone(),
                    method: question.method,
                    detail: error.to_string(),
                };
                let mut value = read(&raw).map_err(malformed)?;
                if running.abilities.encoding != Encoding::Utf16 {
                    convert(&running, &mut value);
                }
                return Ok(Answer {
                    value,
                    readiness: readiness(server),
                    server: server.name(),
                });
            }
            Err(Error::Refused { code, .. })
                if RETRIED_CODES.contains(&code) && !limit.is_over() =>
            {
                thread::sleep(RETRY_PAUSE)
            }
            Err(error) => return Err(error),
        }
    }
}

/// Waits until what the server pushed about this document belongs to its present text and has been
/// quiet for a while. `None` if the server asks to be pulled instead.
fn pushed(
    server: &LanguageServer,
    running: &Running,
    document: Document,
    unsaved: &[Document],
    limit: &Limit,
) -> Result<Option<LspDocumentDiagnostics>, Error> {
    let unsaved = unsaved_of(server, unsaved);
    let (version, since, last_change) = {
        let mut open = running.documents.lock();
        open.synchronize(
            &running.client,
            &server.spec,
            &with_unsaved(document, &unsaved),
        )?;
        let (version, since) = open.version(document.path).unwrap_or((1, Instant::now()));
        (version, since, open.last_change.unwrap_or(since))
    };
    let settle = Duration::from_millis(server.spec.settle_ms);
    let uri = uri::from_path(document.path);
    let incoming = &running.client.incoming;
    loop {
        let published = incoming.published(&uri);
        let current = published.as_ref().filter(|published| {
            published.at >= since && published.version.is_none_or(|v| v == version)
        });
        let settles = current.map(|published| published.at.max(last_change) + settle);
        let silent = since.elapsed() > SILENCE && incoming.readiness() == Readiness::Ready;
        let settled = silent || settles.is_some_and(|at| at <= Instant::now());
        if settled || limit.is_over() {
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let (items, truncated) = published.map_or((Vec::new(), false), |published| {
                (published.items, published.truncated)
            });
            return Ok(Some(LspDocumentDiagnostics {
                items,
                settled,
                truncated,
            }));
        }
        if pull(running).is_some() {
            return Ok(None);
        }
        if running.client.has_ended() {
            return Err(Error::Gone {
                server: server.spec.name.clone(),
                reason: "it ended".into(),
            });
        }
        // A server that floods us wakes us often; looking again costs little, and the deadline
        // bounds it.
        let next_look = settles
            .unwrap_or(limit.deadline)
            .min(limit.deadline)
            .min(Instant::now() + Duration::from_millis(50));
        incoming.wait(next_look);
    }
}

fn pushed_in_workspace(
    server: &LanguageServer,
    running: &Running,
    limit: &Limit,
) -> Result<LspWorkspaceDiagnostics, Error> {
    let settle = Duration::from_millis(server.spec.settle_ms);
    let last_change = running.documents.lock().last_change;
    let incoming = &running.client.incoming;
    let asked = Instant::now();
    loop {
        let quiet_since = incoming
            .last_publication()
            .into_iter()
            .chain(last_change)
            .max()
            .unwrap_or(asked);
        let settled = running.client.incoming.readiness() == Readiness::Ready
            && quiet_since + settle <= Instant::now();
        if settled || limit.is_over() {
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let (files, truncated) = incoming.all_published();
            return Ok(LspWorkspaceDiagnostics {
                files,
                settled,
                truncated,
                whole_project: false,
            });
        }
        if running.client.has_ended() {
            return Err(Error::Gone {
                server: server.spec.name.clone(),
                reason: "it ended".into(),
            });
        }
        incoming.wait(
            limit
                .deadline
                .min(Instant::now() + Duration::from_millis(50)),
        );
    }
}

fn pulled_from_workspace(
    server: &LanguageServer,
    running: &Running,
    identifier: Option<String>,
    limit: &Limit,
) -> Result<LspWorkspaceDiagnostics, Error> {
    let incoming = &running.client.incoming;
    let method = "workspace/diagnostic";
    let token = running.client.unused_token();
    let mut params = json!({"previousResultIds": [], "partialResultToken": token});
    if let Some(identifier) = identifier {
        params["identifier"] = json!(identifier);
    }
    incoming.expect_partial(&token);
    let asked = Instant::now();
    let outcome = running.client.ask(method, params).and_then(|mut pending| {
        loop {
            if let Some(answer) = pending.poll(
                limit
                    .deadline
                    .min(Instant::now() + Duration::from_millis(20)),
            ) {
                return answer.map(|raw| (Some(raw), true));
            }
            let quiet = incoming
                .last_partial()
                .is_some_and(|at| at > asked && at.elapsed() > PARTIAL_QUIET);
            if quiet || limit.is_over() {
                return Ok((None, quiet));
            }
        }
    });
    let parts = incoming.take_partial(&token);
    let (answer, settled) = outcome?;
    if limit.is_cancelled() {
        return Err(Error::Cancelled);
    }
    // A later report about a document replaces an earlier one.
    let mut files: BTreeMap<String, Vec<LspDiagnostic>> = BTreeMap::new();
    for raw in parts.iter().chain(&answer) {
        let malformed = |error: serde_json::Error| Error::Malformed {
            server: server.spec.name.clone(),
            method,
            detail: error.to_string(),
        };
        files.extend(answer::pulled_workspace_diagnostics(raw).map_err(malformed)?);
    }
    files.retain(|_, items| !items.is_empty());
    Ok(LspWorkspaceDiagnostics {
        files: files.into_iter().collect(),
        settled,
        truncated: false,
        whole_project: true,
    })
}

/// Texts of documents, to convert columns of servers that count in other units. Reads below trusted
/// roots only.
struct FileTexts<'a> {
    running: &'a Running,
    shared: &'a PoolState,
    read: HashMap<String, Option<EncodedLines<'static>>>,
}

impl FileTexts<'_> {
    fn range(&mut self, uri: &str, range: answer::LspRange) -> answer::LspRange {
        let encoding = self.running.abilities.encoding;
        if encoding == Encoding::Utf16 {
            return range;
        }
        let (running, shared) = (self.running, self.shared);
        let lines = self.read.entry(uri.to_string()).or_insert_with(|| {
            let path = real_path(&uri::to_path(uri)?)?;
            if let Some(text) = running.documents.lock().text(&path) {
                return Some(EncodedLines::new(text.to_string()));
            }
            let inside = shared.is_trusted(&path);
            let small = path
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LONGEST_FILE);
            if inside && small {
                std::fs::read_to_string(path).ok().map(EncodedLines::new)
            } else {
                None
            }
        });
        lines.as_ref().map_or(range, |lines| {
            lines.convert_range(range, encoding, Encoding::Utf16)
        })
    }

    fn locations(&mut self, locations: &mut [LspLocation]) {
        for location in locations {
            location.range = self.range(&location.uri, location.range);
        }
    }

    fn symbols(&mut self, uri: &str, symbols: &mut [LspDocumentSymbol]) {
        for symbol in symbols {
            symbol.range = self.range(uri, symbol.range);
            symbol.selection_range = self.range(uri, symbol.selection_range);
            self.symbols(uri, &mut symbol.children);
        }
    }
}

/// How this server is pulled for diagnostics, if it is.
fn pull(running: &Running) -> Option<PullDiagnostics> {
    running
        .abilities
        .pull
        .clone()
        .or_else(|| running.client.incoming.registered_pull())
}

fn readiness(server: &LanguageServer) -> Readiness {
    if server.state() == State::Ready {
        Readiness::Ready
    } else {
        Readiness::Loading
    }
}

/// The unsaved documents that concern this server, by their real paths.
fn unsaved_of<'a>(server: &LanguageServer, unsaved: &[Document<'a>]) -> Vec<(PathBuf, &'a str)> {
    let with_path = unsaved
        .iter()
        .filter_map(|document| Some((real_path(document.path)?, document.text)));
    let concerns =
        |path: &Path| path.starts_with(&server.root) && server.spec.language_id(path).is_some();
    with_path.filter(|(path, _)| concerns(path)).collect()
}

fn with_unsaved<'a>(
    document: Document<'a>,
    unsaved: &'a [(PathBuf, &'a str)],
) -> Vec<Document<'a>> {
    let unsaved = unsaved.iter().map(|(path, text)| Document { path, text });
    let mut documents: Vec<Document> = unsaved
        .filter(|other| other.path != document.path)
        .collect();
    documents.push(document);
    documents
}
