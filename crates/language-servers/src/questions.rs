//! The gateway's seven questions, asked of the pool's servers: documents are synced first,
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

/// A question of the protocol, and how its answer is read.
struct LspQuestion<T> {
    method: &'static str,
    /// The capability that announces it; empty where the caller has checked that.
    provider: &'static str,
    read: fn(&RawValue) -> serde_json::Result<T>,
}

const DEFINITION: LspQuestion<Vec<LspLocation>> = LspQuestion {
    method: "textDocument/definition",
    provider: "definitionProvider",
    read: answer::locations,
};
const REFERENCES: LspQuestion<Vec<LspLocation>> = LspQuestion {
    method: "textDocument/references",
    provider: "referencesProvider",
    read: answer::locations,
};
const HOVER: LspQuestion<Option<LspHover>> = LspQuestion {
    method: "textDocument/hover",
    provider: "hoverProvider",
    read: answer::hover,
};
const DOCUMENT_SYMBOLS: LspQuestion<Vec<LspDocumentSymbol>> = LspQuestion {
    method: "textDocument/documentSymbol",
    provider: "documentSymbolProvider",
    read: answer::document_symbols,
};
const WORKSPACE_SYMBOLS: LspQuestion<Vec<LspWorkspaceSymbol>> = LspQuestion {
    method: "workspace/symbol",
    provider: "workspaceSymbolProvider",
    read: answer::workspace_symbols,
};
const DIAGNOSTICS: LspQuestion<Vec<LspDiagnostic>> = LspQuestion {
    method: "textDocument/diagnostic",
    provider: "",
    read: answer::pulled_diagnostics,
};

impl Pool {
    pub fn definition(
        &self,
        place: &Place,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspLocation>>, Error> {
        self.ask_at(&DEFINITION, place, json!({}), limit)
    }

    pub fn references(
        &self,
        place: &Place,
        include_declaration: bool,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspLocation>>, Error> {
        let (server, _) = self.shared.server_for(place.document.path, limit)?;
        // Such a server is asked for everything, and the declaration taken out here.
        let takes_out = !include_declaration && server.spec.lists_declaration;
        let context = json!({"context": {"includeDeclaration": include_declaration || takes_out}});
        let mut answer = self.ask_at(&REFERENCES, place, context, limit)?;
        if takes_out {
            let declarations = self.definition(place, limit)?.value;
            answer
                .value
                .retain(|location| !declarations.contains(location));
        }
        Ok(answer)
    }

    pub fn hover(&self, place: &Place, limit: &Limit) -> Result<Answer<Option<LspHover>>, Error> {
        self.ask_at(&HOVER, place, json!({}), limit)
    }

    pub fn document_symbols(
        &self,
        document: Document,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspDocumentSymbol>>, Error> {
        let (server, path) = self.shared.server_for(document.path, limit)?;
        let params = |_: &Running| json!({"textDocument": {"uri": uri::from_path(&path)}});
        let documents = [document.at(&path)];
        self.ask(&server, &DOCUMENT_SYMBOLS, &documents, params, limit)
    }

    /// Symbols of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_symbols(
        &self,
        anchor: Document,
        query: &str,
        limit: &Limit,
    ) -> Result<Answer<Vec<LspWorkspaceSymbol>>, Error> {
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let anchor = [anchor.at(&path)];
        let documents = needed(&server, &anchor);
        let params = |_: &Running| json!({"query": query});
        self.ask(&server, &WORKSPACE_SYMBOLS, documents, params, limit)
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
        let document = document.at(&path);
        let uri = uri::from_path(&path);
        let running = server.running(limit)?;
        // A server that pushes may have become one that is pulled while we waited.
        let pushed = if pull(&running).is_none() {
            pushed(&server, &running, document, unsaved, limit)?
        } else {
            None
        };
        let value = match pushed {
            Some(mut pushed) => {
                pushed.items.convert(&mut self.texts(&running), &uri);
                pushed
            }
            None => {
                let pull = pull(&running).unwrap_or_default();
                let params = |_: &Running| {
                    let mut params = json!({"textDocument": {"uri": uri}});
                    if let Some(identifier) = &pull.identifier {
                        params["identifier"] = json!(identifier);
                    }
                    params
                };
                let unsaved = unsaved_of(&server, unsaved);
                let documents = with_unsaved(document, &unsaved);
                let pulled = self.ask(&server, &DIAGNOSTICS, &documents, params, limit)?;
                let mut items = pulled.value;
                // A server that is pulled may still push what it learns elsewhere, from a compiler
                // it runs.
                let published = running.client.incoming.published(&uri);
                let mut pushed = published.map_or_else(Vec::new, |published| published.items);
                pushed.convert(&mut self.texts(&running), &uri);
                pushed.retain(|item| !items.contains(item));
                items.extend(pushed);
                LspDocumentDiagnostics {
                    items,
                    settled: true,
                    truncated: false,
                }
            }
        };
        Ok(answer_of(&server, value))
    }

    /// The diagnostics of the project that `anchor`, any of its documents, belongs to.
    pub fn workspace_diagnostics(
        &self,
        anchor: Document,
        limit: &Limit,
    ) -> Result<Answer<LspWorkspaceDiagnostics>, Error> {
        let (server, path) = self.shared.server_for(anchor.path, limit)?;
        let running = server.running(limit)?;
        running.documents.lock().synchronize(
            &running.client,
            &server.spec,
            needed(&server, &[anchor.at(&path)]),
        )?;
        let mut found = match pull(&running).filter(|pull| pull.workspace_diagnostics) {
            Some(pull) => pulled_from_workspace(&server, &running, pull.identifier, limit)?,
            None => pushed_in_workspace(&server, &running, limit)?,
        };
        let mut texts = self.texts(&running);
        for (uri, items) in &mut found.files {
            items.convert(&mut texts, uri);
        }
        Ok(answer_of(&server, found))
    }

    /// Asks about a place; `params` are those besides the document and the position.
    fn ask_at<T: Ranges>(
        &self,
        question: &LspQuestion<T>,
        place: &Place,
        params: Value,
        limit: &Limit,
    ) -> Result<Answer<T>, Error> {
        let (server, path) = self.shared.server_for(place.document.path, limit)?;
        let document = place.document.at(&path);
        let params = |running: &Running| {
            let mut position = place.position;
            if running.abilities.encoding != Encoding::Utf16 {
                position = EncodedLines::new(document.text).convert(
                    position,
                    Encoding::Utf16,
                    running.abilities.encoding,
                );
            }
            let mut params = params.clone();
            params["textDocument"] = json!({"uri": uri::from_path(&path)});
            params["position"] = json!({"line": position.line, "character": position.character});
            params
        };
        let unsaved = unsaved_of(&server, place.unsaved);
        let documents = with_unsaved(document, &unsaved);
        self.ask(&server, question, &documents, params, limit)
    }

    /// Asks with the documents synced, again while the server drops the question because they
    /// changed, until the limit. The last document is the one that is asked about.
    fn ask<T: Ranges>(
        &self,
        server: &Arc<LanguageServer>,
        question: &LspQuestion<T>,
        documents: &[Document],
        params: impl Fn(&Running) -> Value,
        limit: &Limit,
    ) -> Result<Answer<T>, Error> {
        let running = server.running(limit)?;
        let LspQuestion {
            method, provider, ..
        } = *question;
        if !provider.is_empty() && !running.abilities.has(provider) {
            return Err(Error::Unsupported {
                server: server.spec.name.clone(),
                method,
            });
        }
        loop {
            let pending = {
                // Held until the question is queued: another caller's documents must not come
                // between.
                let mut open = running.documents.lock();
                open.synchronize(&running.client, &server.spec, documents)?;
                running.client.ask(method, params(&running))?
            };
            match pending.wait(limit) {
                Ok(raw) => {
                    let read = (question.read)(&raw);
                    let mut value = read.map_err(|error| malformed(server, method, &error))?;
                    let asked = documents.last();
                    let uri = asked.map_or_else(String::new, |asked| uri::from_path(asked.path));
                    value.convert(&mut self.texts(&running), &uri);
                    return Ok(answer_of(server, value));
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

    fn texts<'a>(&'a self, running: &'a Running) -> FileTexts<'a> {
        FileTexts {
            running,
            shared: &self.shared,
            read: HashMap::new(),
        }
    }
}

fn answer_of<T>(server: &LanguageServer, value: T) -> Answer<T> {
    Answer {
        value,
        readiness: match server.state() {
            State::Ready => Readiness::Ready,
            _ => Readiness::Loading,
        },
        server: server.name(),
    }
}

fn malformed(server: &LanguageServer, method: &'static str, error: &serde_json::Error) -> Error {
    Error::Malformed {
        server: server.spec.name.clone(),
        method,
        detail: error.to_string(),
    }
}

/// The documents that must be open before a question about the project.
fn needed<'a>(server: &LanguageServer, anchor: &'a [Document<'a>]) -> &'a [Document<'a>] {
    if server.spec.needs_document {
        anchor
    } else {
        &[]
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
        check_alive(server, running)?;
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
        check_alive(server, running)?;
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
        let read = answer::pulled_workspace_diagnostics(raw);
        files.extend(read.map_err(|error| malformed(server, method, &error))?);
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
}

/// An answer whose columns may be in the server's units.
trait Ranges {
    /// Converts them. `uri` is the document that was asked about.
    fn convert(&mut self, texts: &mut FileTexts, uri: &str);
}

impl Ranges for Vec<LspLocation> {
    fn convert(&mut self, texts: &mut FileTexts, _: &str) {
        for location in self {
            location.range = texts.range(&location.uri, location.range);
        }
    }
}

impl Ranges for Option<LspHover> {
    fn convert(&mut self, texts: &mut FileTexts, uri: &str) {
        if let Some(range) = self.as_mut().and_then(|hover| hover.range.as_mut()) {
            *range = texts.range(uri, *range);
        }
    }
}

impl Ranges for Vec<LspDocumentSymbol> {
    fn convert(&mut self, texts: &mut FileTexts, uri: &str) {
        for symbol in self {
            symbol.range = texts.range(uri, symbol.range);
            symbol.selection_range = texts.range(uri, symbol.selection_range);
            symbol.children.convert(texts, uri);
        }
    }
}

impl Ranges for Vec<LspWorkspaceSymbol> {
    fn convert(&mut self, texts: &mut FileTexts, _: &str) {
        for LspWorkspaceSymbol { location, .. } in self {
            location.range = texts.range(&location.uri, location.range);
        }
    }
}

impl Ranges for Vec<LspDiagnostic> {
    fn convert(&mut self, texts: &mut FileTexts, uri: &str) {
        for item in self {
            item.range = texts.range(uri, item.range);
        }
    }
}

fn check_alive(server: &LanguageServer, running: &Running) -> Result<(), Error> {
    match running.client.has_ended() {
        true => Err(Error::Gone {
            server: server.spec.name.clone(),
            reason: "it ended".into(),
        }),
        false => Ok(()),
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
