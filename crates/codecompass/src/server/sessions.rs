//! Sessions of the revisions with a handshake, over HTTP.

use std::{collections::HashMap, time::Instant};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use rmcp::model::{ProtocolVersion, RequestId};
use tokio_util::sync::CancellationToken;

/// Beyond it the session unused for longest is forgotten, and its client has to shake hands again.
const MAX_SESSIONS: usize = 64;

#[derive(Default)]
pub struct Sessions {
    known: Mutex<HashMap<String, HttpSession>>,
}

struct HttpSession {
    endpoint: &'static str,
    revision: ProtocolVersion,
    /// Whether `notifications/initialized` has come.
    ready: bool,
    used: Instant,
    in_flight: HashMap<RequestId, CancellationToken>,
}

/// What one request needs to know about its session.
#[derive(Clone, Debug)]
pub struct KnownSession {
    pub revision: ProtocolVersion,
    pub ready: bool,
}

impl Sessions {
    pub fn are_none(&self) -> bool {
        self.known.lock().is_empty()
    }

    /// The id of a new session: visible ASCII that nobody can guess.
    pub fn open(
        &self,
        endpoint: &'static str,
        revision: ProtocolVersion,
    ) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let id = URL_SAFE_NO_PAD.encode(bytes);
        let mut known = self.known.lock();
        while known.len() >= MAX_SESSIONS {
            let Some(oldest) = known
                .iter()
                .min_by_key(|(_, session)| session.used)
                .map(|(id, _)| id.clone())
            else {
                break;
            };
            known.remove(&oldest);
        }
        let session = HttpSession {
            endpoint,
            revision,
            ready: false,
            used: Instant::now(),
            in_flight: HashMap::new(),
        };
        known.insert(id.clone(), session);
        Ok(id)
    }

    /// A session belongs to the endpoint it was opened on.
    pub fn find(&self, endpoint: &str, id: &str) -> Option<KnownSession> {
        let mut known = self.known.lock();
        let session = known
            .get_mut(id)
            .filter(|session| session.endpoint == endpoint)?;
        session.used = Instant::now();
        Some(KnownSession {
            revision: session.revision.clone(),
            ready: session.ready,
        })
    }

    pub fn set_ready(&self, id: &str) {
        if let Some(session) = self.known.lock().get_mut(id) {
            session.ready = true;
        }
    }

    /// What cancels the request, until [`Sessions::finish`]; none if one with this id is being
    /// answered.
    pub fn begin(&self, id: &str, request: &RequestId) -> Option<CancellationToken> {
        let mut known = self.known.lock();
        let Some(session) = known.get_mut(id) else {
            return Some(CancellationToken::new());
        };
        if session.in_flight.contains_key(request) {
            return None;
        }
        let token = CancellationToken::new();
        session.in_flight.insert(request.clone(), token.clone());
        Some(token)
    }

    pub fn finish(&self, id: &str, request: &RequestId) {
        if let Some(session) = self.known.lock().get_mut(id) {
            session.in_flight.remove(request);
        }
    }

    pub fn cancel(&self, id: &str, request: &RequestId) {
        if let Some(session) = self.known.lock().get_mut(id)
            && let Some(token) = session.in_flight.get(request)
        {
            token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_unused_for_longest_makes_room() {
        let sessions = Sessions::default();
        let open = || {
            sessions
                .open("/mcp", ProtocolVersion::V_2025_11_25)
                .unwrap()
        };
        let (first, second) = (open(), open());
        (2..MAX_SESSIONS).for_each(|_| drop(open()));
        assert!(sessions.find("/mcp", &first).is_some());
        open();
        assert!(sessions.find("/mcp", &first).is_some(), "it was used");
        assert!(sessions.find("/mcp", &second).is_none());
        assert!(
            sessions.find("/mcp/lsp", &first).is_none(),
            "another endpoint"
        );
    }
}
