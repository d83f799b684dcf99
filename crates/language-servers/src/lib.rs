//! Real language servers, kept running for the gateway tools: found on this machine (`detect`),
//! described as data (`catalogue`), started below a guard so that none outlives us (`guard`,
//! `process`), spoken to with bounds on everything they may do (`client`, `incoming`), held by
//! project root (`pool`), and asked (`questions`). Used by `workspace`, which supplies documents.
//!
//! Language servers may run code of the repository. A [`Pool`] therefore serves only roots for
//! which somebody holds a [`Trusted`].
//!
//! ```no_run
//! use std::{path::Path, time::Duration};
//! use language_servers::{Document, Limit, LspPosition, Place, Pool, PoolSettings, Trusted};
//!
//! let trusted = Trusted::by_decision_of_the_user(Path::new("/home/me/shop"))?;
//! let pool = Pool::new(vec![trusted], PoolSettings::default());
//! let path = Path::new("/home/me/shop/cart.py");
//! let text = std::fs::read_to_string(path)?;
//! let place = Place { document: Document { path, text: &text }, unsaved: &[], position: LspPosition { line: 3, character: 8 } };
//! let answer = pool.definition(&place, &Limit::within(Duration::from_secs(2)))?;
//! println!("{:?}, {:?}", answer.readiness, answer.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod catalogue;
mod client;
mod detect;
mod documents;
mod encoding;
mod framing;
mod guard;
mod incoming;
mod platform;
mod pool;
mod process;
mod questions;
mod server;
pub mod uri;

use std::time::Duration;

pub use answer::{
    Answer, LspDiagnostic, LspDocumentDiagnostics, LspDocumentSymbol, LspHover, LspLocation,
    LspPosition, LspRange, LspWorkspaceDiagnostics, LspWorkspaceSymbol, Markup, MarkupKind,
    Readiness,
};
pub use catalogue::{Catalogue, CatalogueError, ReadySignal, ServerSpec};
pub use client::Limit;
pub use detect::{Detected, ServerReport, detect};
pub use documents::{Document, FileChange, FileChangeKind};
pub use guard::{GUARD_ARGUMENT, guard_main, is_guard_invocation};
pub use pool::{Pool, PoolSettings, Trusted, project_root};
pub use questions::Place;
pub use server::{ServerStatus, State};

/// Why there is no answer. Messages name servers, never paths outside the roots.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no language server for .{extension} files{hint}")]
    NoServer { extension: String, hint: String },
    #[error("the file is not below a trusted root")]
    Untrusted,
    #[error("{server} is starting")]
    Starting { server: String },
    #[error("{server} is not available: {reason}")]
    Unavailable {
        server: String,
        reason: String,
        retry_after: Option<Duration>,
    },
    #[error("{server} does not serve {method}")]
    Unsupported {
        server: String,
        method: &'static str,
    },
    #[error("{server} did not answer {method} within {} ms", after.as_millis())]
    TimedOut {
        server: String,
        method: &'static str,
        after: Duration,
    },
    #[error("{server} refused {method}: {message} ({code})")]
    Refused {
        server: String,
        method: &'static str,
        code: i64,
        message: String,
    },
    #[error("{server} answered {method} with something else: {detail}")]
    Malformed {
        server: String,
        method: &'static str,
        detail: String,
    },
    #[error("{server} ended before it answered: {reason}")]
    Gone { server: String, reason: String },
    #[error("the question was cancelled")]
    Cancelled,
}
