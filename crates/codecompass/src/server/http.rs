//! Streamable HTTP. One POST, one message, one answer; sessions for the revisions that have them.
//!
//! Checks come in a fixed order, each with its own status, so that a client learns the same from
//! the same mistake and a stranger learns nothing: path 404, method 405, host and origin 403, token
//! 401, content type 415, accept 406, size 413, message 400, then revision and session. What is
//! refused here has an empty body, except towards the revisions without handshake, which have
//! bodies for it, and where the id of a refused message could be read.
//!
//! Answers are JSON. Only a call that reports progress before its answer, to a client that asked
//! for progress, becomes an event stream.

use std::{collections::BTreeMap, convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, request::Parts},
};
use futures_util::{FutureExt, future::BoxFuture, stream};
use http_body_util::BodyExt;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use rmcp::{
    ErrorData,
    model::{
        ClientRequest, ErrorCode, NumberOrString, ProgressNotification, ProgressNotificationParam,
        ProgressToken, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerNotification,
        ServerResult,
    },
};
use serde_json::{Map, Value, json};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc},
};
use tokio_util::sync::CancellationToken;
use tools::CONTRACTS;

use super::{
    Server,
    auth::Door,
    headers::{self, Allowed},
    message::{self, IdScanner, MAX_REQUEST_BYTES, Message, Refused},
    protocol::Asked,
    sessions::Sessions,
};

/// For the headers of a request, from its first byte or the end of the one before.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// For the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);
/// Beyond it a client that has shown no token makes room, the one that came first.
const MAX_CONNECTIONS: usize = 512;

pub struct Http {
    endpoints: Vec<(&'static str, Server)>,
    door: Door,
    allowed: Allowed,
    sessions: Arc<Sessions>,
}

impl Http {
    /// `/mcp` serves `server`'s tools, `/mcp/NAME` those of one contract.
    pub fn new(server: Server, door: Door, allowed: Allowed) -> Http {
        let mut endpoints = vec![("/mcp", server.clone())];
        for contract in CONTRACTS {
            endpoints.push((contract.endpoint(), server.with_contracts(&[contract])));
        }
        Http {
            endpoints,
            door,
            allowed,
            sessions: Arc::default(),
        }
    }
}

/// Serves until the server's shutdown is called for.
pub async fn serve(http: Http, listener: TcpListener) -> anyhow::Result<()> {
    let server = http.endpoints[0].1.clone();
    let http = Arc::new(http);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let strangers = Strangers::default();
    server.begin();
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = server.shutdown().cancelled() => return Ok(()),
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of descriptors, most likely: some connection will end.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let permit = match connections.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let Some((_, oldest)) = strangers.lock().pop_first() else {
                    tracing::warn!("too many connections");
                    continue;
                };
                oldest.cancel();
                tokio::select! {
                    permit = connections.clone().acquire_owned() => permit?,
                    () = server.shutdown().cancelled() => return Ok(()),
                }
            }
        };
        let dismissed = CancellationToken::new();
        strangers.lock().insert(number, dismissed.clone());
        let visit = Arc::new(Visit {
            strangers: strangers.clone(),
            number,
        });
        let http = http.clone();
        tokio::spawn(async move {
            let _permit = permit;
            let _ = stream.set_nodelay(true);
            let service = service_fn(|request: Request<hyper::body::Incoming>| {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(visit.clone());
                handle(State(http.clone()), request).map(Ok::<_, Infallible>)
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .max_buf_size(64 * 1024)
                .serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                served = connection => {
                    if let Err(error) = served {
                        tracing::debug!(%error, "a connection ended badly");
                    }
                }
                () = dismissed.cancelled() => tracing::debug!("a connection made room"),
            }
        });
    }
    Ok(())
}

/// What closes each connection whose client has shown no token yet, in the order they came. So
/// nobody without a token can keep others out.
type Strangers = Arc<Mutex<BTreeMap<u64, CancellationToken>>>;

/// One connection, for as long as it lasts.
struct Visit {
    strangers: Strangers,
    number: u64,
}

impl Visit {
    /// Its client has shown a token.
    fn is_welcome(&self) {
        self.strangers.lock().remove(&self.number);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.strangers.lock().remove(&self.number);
    }
}

/// Refuses addresses that others can reach, unless they were asked for in so many words.
pub async fn bind(address: SocketAddr, remote_allowed: bool) -> anyhow::Result<TcpListener> {
    anyhow::ensure!(
        address.ip().is_loopback() || remote_allowed,
        "{} can be reached from other machines; bind to 127.0.0.1, or add --allow-remote",
        address.ip()
    );
    use anyhow::Context;
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}

pub fn router(http: Http) -> Router {
    Router::new().fallback(handle).with_state(Arc::new(http))
}

async fn handle(State(http): State<Arc<Http>>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    match http.respond(parts, body).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

/// A request that ends before any tool is asked.
struct Refusal {
    status: StatusCode,
    header: Option<(header::HeaderName, HeaderValue)>,
    /// Only for revisions that want one.
    body: Option<String>,
}

impl Refusal {
    fn status(status: StatusCode) -> Refusal {
        Refusal {
            status,
            header: None,
            body: None,
        }
    }

    /// An error of the protocol, which HTTP knows nothing of.
    fn answer(id: &RequestId, error: &ErrorData) -> Refusal {
        Refusal::status(StatusCode::OK).with_body(Some(id), error)
    }

    fn with_header(mut self, name: header::HeaderName, value: &'static str) -> Refusal {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    fn with_body(mut self, id: Option<&RequestId>, error: &ErrorData) -> Refusal {
        self.body = Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
        self
    }

    /// With a body towards the revisions without handshake, and for a client that waits for an
    /// answer under an id.
    fn of_message(status: StatusCode, refused: &Refused, stateless: bool) -> Refusal {
        let refusal = Refusal::status(status);
        match stateless || refused.id.is_some() {
            true => refusal.with_body(refused.id.as_ref(), &refused.error),
            false => refusal,
        }
    }

    /// With a body towards the revisions without handshake, empty otherwise.
    fn explained(self, stateless: bool, code: ErrorCode, message: &'static str) -> Refusal {
        if stateless {
            self.with_body(None, &ErrorData::new(code, message, None))
        } else {
            self
        }
    }

    fn into_response(self) -> Response<Body> {
        let mut response = match self.body {
            Some(body) => json_response(self.status, body.into_bytes()),
            None => empty(self.status),
        };
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

impl Http {
    async fn respond(&self, parts: Parts, body: Body) -> Result<Response<Body>, Refusal> {
        let path = parts.uri.path();
        if path == "/health" {
            return self.health(&parts);
        }
        let Some((endpoint, server)) = self.endpoints.iter().find(|(known, _)| *known == path)
        else {
            return Err(Refusal::status(StatusCode::NOT_FOUND));
        };
        if parts.method != Method::POST {
            return Err(
                Refusal::status(StatusCode::METHOD_NOT_ALLOWED).with_header(header::ALLOW, "POST")
            );
        }
        self.check_names(&parts)?;
        let mut tokens = parts.headers.get_all(header::AUTHORIZATION).iter();
        let (token, None) = (tokens.next(), tokens.next()) else {
            return Err(Refusal::status(StatusCode::BAD_REQUEST));
        };
        let Some(scope) = self.door.accept(token.map(HeaderValue::as_bytes)) else {
            return Err(Refusal::status(StatusCode::UNAUTHORIZED)
                .with_header(header::WWW_AUTHENTICATE, "Bearer"));
        };
        let server = &server.within(&scope);
        if let Some(visit) = parts.extensions.get::<Arc<Visit>>() {
            visit.is_welcome();
        }
        let stateless = headers::are_stateless(&parts.headers);
        if !headers::is_json(&parts.headers) {
            return Err(
                Refusal::status(StatusCode::UNSUPPORTED_MEDIA_TYPE).explained(
                    stateless,
                    ErrorCode::INVALID_REQUEST,
                    "Invalid Request: Content-Type must be application/json",
                ),
            );
        }
        if !headers::accepts_both(&parts.headers) {
            return Err(Refusal::status(StatusCode::NOT_ACCEPTABLE).explained(
                stateless,
                ErrorCode::INVALID_REQUEST,
                "Invalid Request: Accept must name application/json and text/event-stream",
            ));
        }
        let body = read_body(body, stateless).await?;
        let message = message::parse(&body)
            .map_err(|refused| Refusal::of_message(StatusCode::BAD_REQUEST, &refused, stateless))?;
        let stateless = match &message {
            Message::Request(request) if request.meta.is_modern() => true,
            // A handshake opens a session, whatever headers of newer revisions come with it.
            Message::Request(request)
                if request.method == "initialize"
                    && !parts.headers.contains_key(headers::PROTOCOL_VERSION) =>
            {
                false
            }
            _ => stateless,
        };
        if stateless {
            self.without_session(server, &parts.headers, message).await
        } else {
            self.in_session(endpoint, server, &parts.headers, message)
                .await
        }
    }

    /// By which name the server is called, and from which page.
    fn check_names(&self, parts: &Parts) -> Result<(), Refusal> {
        if self.allowed.host(&parts.uri, &parts.headers) && self.allowed.origin(&parts.headers) {
            Ok(())
        } else {
            Err(Refusal::status(StatusCode::FORBIDDEN))
        }
    }

    fn health(&self, parts: &Parts) -> Result<Response<Body>, Refusal> {
        if parts.method != Method::GET {
            return Err(
                Refusal::status(StatusCode::METHOD_NOT_ALLOWED).with_header(header::ALLOW, "GET")
            );
        }
        self.check_names(parts)?;
        let server = &self.endpoints[0].1;
        let facts = server.facts();
        let mut health = Map::new();
        health.insert("status".to_owned(), json!("ready"));
        health.insert("version".to_owned(), json!(facts.version));
        health.insert(
            "uptime_seconds".to_owned(),
            json!(facts.started.elapsed().as_secs()),
        );
        health.extend(server.host().health());
        Ok(json_response(
            StatusCode::OK,
            Value::Object(health).to_string().into_bytes(),
        ))
    }

    /// Revision 2026-07-28: every request says all there is to know.
    async fn without_session(
        &self,
        server: &Server,
        headers: &HeaderMap,
        message: Message,
    ) -> Result<Response<Body>, Refusal> {
        let mismatch = |id: Option<&RequestId>, what: String| {
            Refusal::status(StatusCode::BAD_REQUEST)
                .with_body(id, &ErrorData::header_mismatch(what, None))
        };
        let request = match message {
            Message::Response => return Ok(empty(StatusCode::ACCEPTED)),
            Message::Notification { method, params } => {
                headers::check_method(headers, &method, &params)
                    .map_err(|what| mismatch(None, what))?;
                return Ok(empty(StatusCode::ACCEPTED));
            }
            Message::Request(request) => *request,
        };
        let id = request.id;
        let refuse =
            |error: &ErrorData| Refusal::status(status_of(error)).with_body(Some(&id), error);
        headers::check_version(headers, request.meta.version.as_ref())
            .map_err(|what| mismatch(Some(&id), what))?;
        let revision = request.meta.revision().map_err(|error| {
            Refusal::status(StatusCode::BAD_REQUEST).with_body(Some(&id), &error)
        })?;
        headers::check_method(headers, &request.method, &request.params)
            .map_err(|what| mismatch(Some(&id), what))?;
        let asked = message::typed(
            &request.method,
            request.params,
            message::is_stateless(&revision),
        )
        .map_err(|error| refuse(&error))?;
        let (updates, progress) = progress_channel(request.meta.progress_token);
        let server = server.clone();
        // The client that hangs up has cancelled: then the answer is dropped unfinished, and with
        // it the call.
        let asked_in = Asked {
            revision,
            cancelled: CancellationToken::new(),
            progress,
        };
        let answer = async move { Some(server.answer(asked, asked_in).await) };
        Ok(deliver(answer.boxed(), updates, id, true).await)
    }

    /// Revisions up to 2025-11-25: a handshake, then messages that name their session.
    async fn in_session(
        &self,
        endpoint: &'static str,
        server: &Server,
        headers: &HeaderMap,
        message: Message,
    ) -> Result<Response<Body>, Refusal> {
        let bad_request = || Refusal::status(StatusCode::BAD_REQUEST);
        let session = headers::single(headers, &headers::SESSION_ID).map_err(|_| bad_request())?;
        headers::single(headers, &headers::PROTOCOL_VERSION).map_err(|_| bad_request())?;
        if let Message::Request(request) = &message
            && request.method == "initialize"
        {
            let Message::Request(request) = message else {
                return Err(bad_request());
            };
            return self.open_session(endpoint, server, *request).await;
        }
        let stated = headers::session_revision(headers).map_err(|_| bad_request())?;
        if session.is_none() && self.sessions.are_none() {
            return match message {
                Message::Request(request) => Err(Refusal::answer(
                    &request.id,
                    &not_initialized("send `initialize` first"),
                )),
                Message::Notification { .. } | Message::Response => Err(bad_request()),
            };
        }
        let known = session.map(|id| self.sessions.find(endpoint, id));
        // Revisions before 2025-06-18 did not have the header yet.
        let may_be_silent =
            matches!(&known, Some(Some(known)) if known.revision < ProtocolVersion::V_2025_06_18);
        if stated.is_none() && !may_be_silent {
            return Err(bad_request());
        }
        let Some(session) = session else {
            return Err(bad_request());
        };
        let Some(known) = known.flatten() else {
            return Err(Refusal::status(StatusCode::NOT_FOUND));
        };
        if stated.is_some_and(|stated| stated != known.revision) {
            return Err(bad_request());
        }
        match message {
            Message::Response => Ok(empty(StatusCode::ACCEPTED)),
            Message::Notification { method, params } => {
                match method.as_str() {
                    "initialize" => return Err(bad_request()),
                    "notifications/initialized" => self.sessions.set_ready(session),
                    "notifications/cancelled" => {
                        if let Some(id) = request_id(&params) {
                            self.sessions.cancel(session, &id);
                        }
                    }
                    _ => {}
                }
                Ok(empty(StatusCode::ACCEPTED))
            }
            Message::Request(request) => {
                if request.method.starts_with("notifications/") {
                    let error = ErrorData::invalid_request(
                        "Invalid Request: a notification has no id",
                        None,
                    );
                    return Err(Refusal::answer(&request.id, &error));
                }
                if !known.ready && request.method != "ping" {
                    let error = not_initialized("send `notifications/initialized` first");
                    return Err(Refusal::answer(&request.id, &error));
                }
                self.call_in_session(server, session, known.revision, *request)
                    .await
            }
        }
    }

    async fn open_session(
        &self,
        endpoint: &'static str,
        server: &Server,
        request: message::RpcRequest,
    ) -> Result<Response<Body>, Refusal> {
        let id = request.id;
        let asked = message::typed(&request.method, request.params, false)
            .map_err(|error| Refusal::answer(&id, &error))?;
        let revision = match &asked {
            ClientRequest::InitializeRequest(initialize) => server
                .agree(&initialize.params)
                .map_err(|error| Refusal::answer(&id, &error))?,
            _ => return Err(Refusal::status(StatusCode::BAD_REQUEST)),
        };
        let context = Asked {
            revision: revision.clone(),
            cancelled: CancellationToken::new(),
            progress: None,
        };
        match server.answer(asked, context).await {
            Ok(result) => {
                let session = self
                    .sessions
                    .open(endpoint, revision)
                    .ok()
                    .and_then(|session| HeaderValue::from_str(&session).ok())
                    .ok_or_else(|| Refusal::status(StatusCode::INTERNAL_SERVER_ERROR))?;
                let mut response = json_response(StatusCode::OK, response_line(Ok(result), id));
                response.headers_mut().insert(headers::SESSION_ID, session);
                Ok(response)
            }
            Err(error) => Err(Refusal::answer(&id, &error)),
        }
    }

    async fn call_in_session(
        &self,
        server: &Server,
        session: &str,
        revision: ProtocolVersion,
        request: message::RpcRequest,
    ) -> Result<Response<Body>, Refusal> {
        let id = request.id;
        let asked = message::typed(&request.method, request.params, false)
            .map_err(|error| Refusal::answer(&id, &error))?;
        let Some(cancelled) = self.sessions.begin(session, &id) else {
            let error = ErrorData::invalid_request(
                "Invalid Request: a request with this id is still being answered",
                None,
            );
            return Err(Refusal::answer(&id, &error));
        };
        let (updates, progress) = progress_channel(request.meta.progress_token);
        let server = server.clone();
        let asked_in = Asked {
            revision,
            cancelled: cancelled.clone(),
            progress,
        };
        let (sessions, session, finished) = (self.sessions.clone(), session.to_owned(), id.clone());
        // On its own: in these revisions a client that hangs up has not cancelled.
        let task = tokio::spawn(async move {
            let answer = server.answer(asked, asked_in).await;
            sessions.finish(&session, &finished);
            answer
        });
        let answer = async move {
            let answer = task.await;
            let internal = |_| Err(ErrorData::internal_error("Internal error", None));
            (!cancelled.is_cancelled()).then(|| answer.unwrap_or_else(internal))
        };
        Ok(deliver(answer.boxed(), updates, id, false).await)
    }
}

/// The body of a request. Of one that is too large, only the id is read, so that the client learns
/// which of its requests was refused.
async fn read_body(mut body: Body, stateless: bool) -> Result<Vec<u8>, Refusal> {
    /// A longer body is not read to its end.
    const MOST_SCANNED: usize = 16 * MAX_REQUEST_BYTES;
    let until = tokio::time::Instant::now() + BODY_TIME;
    let (mut message, mut scanner, mut n_read) = (Vec::new(), IdScanner::default(), 0);
    while n_read <= MOST_SCANNED {
        let data = match tokio::time::timeout_at(until, body.frame()).await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
            Ok(Some(Err(_))) => return Err(Refusal::status(StatusCode::BAD_REQUEST)),
            Err(_) if n_read > MAX_REQUEST_BYTES => break,
            Err(_) => {
                return Err(Refusal::status(StatusCode::REQUEST_TIMEOUT)
                    .with_header(header::CONNECTION, "close"));
            }
        };
        n_read += data.len();
        if n_read <= MAX_REQUEST_BYTES {
            message.extend_from_slice(&data);
        } else {
            scanner.feed(&std::mem::take(&mut message));
            scanner.feed(&data);
        }
    }
    if n_read <= MAX_REQUEST_BYTES {
        return Ok(message);
    }
    let refused = Refused::too_long(scanner.id());
    Err(
        Refusal::of_message(StatusCode::PAYLOAD_TOO_LARGE, &refused, stateless)
            .with_header(header::CONNECTION, "close"),
    )
}

type Updates = mpsc::UnboundedReceiver<ProgressNotificationParam>;
type ProgressTo = Option<(
    ProgressToken,
    mpsc::UnboundedSender<ProgressNotificationParam>,
)>;

fn progress_channel(token: Option<ProgressToken>) -> (Option<Updates>, ProgressTo) {
    match token {
        Some(token) => {
            let (sender, updates) = mpsc::unbounded_channel();
            (Some(updates), Some((token, sender)))
        }
        None => (None, None),
    }
}

/// None if the client has cancelled: then nothing more is said.
type PendingAnswer = BoxFuture<'static, Option<Result<ServerResult, ErrorData>>>;

/// An answer on its way to one client.
struct Delivery {
    answer: PendingAnswer,
    updates: Updates,
    id: RequestId,
    first: Option<ProgressNotificationParam>,
}

/// As JSON if the answer comes first, as events if progress does.
async fn deliver(
    mut answer: PendingAnswer,
    updates: Option<Updates>,
    id: RequestId,
    stateless: bool,
) -> Response<Body> {
    let as_json = |result: Option<Result<ServerResult, ErrorData>>, id| {
        // HTTP wants a status even where nothing is left to say.
        let Some(result) = result else {
            return empty(StatusCode::ACCEPTED);
        };
        let status = match &result {
            Err(error) if stateless => status_of(error),
            _ => StatusCode::OK,
        };
        json_response(status, response_line(result, id))
    };
    let Some(mut updates) = updates else {
        return as_json(answer.await, id);
    };
    let first = tokio::select! {
        biased;
        Some(first) = updates.recv() => first,
        result = &mut answer => return as_json(result, id),
    };
    let delivery = Delivery {
        answer,
        updates,
        id,
        first: Some(first),
    };
    let events = stream::unfold(Some(delivery), |delivery| async {
        let (event, delivery) = next_events(delivery?).await;
        Some((Ok::<_, Infallible>(event), delivery))
    });
    Response::builder()
        .header(header::CONTENT_TYPE, "text/event-stream")
        .header(header::CACHE_CONTROL, "no-cache")
        .header("x-accel-buffering", "no")
        .body(Body::from_stream(events))
        .unwrap_or_else(|_| empty(StatusCode::INTERNAL_SERVER_ERROR))
}

/// The next piece of the stream; none follows the one with the answer.
async fn next_events(mut delivery: Delivery) -> (Bytes, Option<Delivery>) {
    let result = match delivery.first.take() {
        Some(first) => return (progress_event(first), Some(delivery)),
        None => tokio::select! {
            biased;
            Some(update) = delivery.updates.recv() => return (progress_event(update), Some(delivery)),
            result = &mut delivery.answer => result,
        },
    };
    let Some(result) = result else {
        return (Bytes::new(), None);
    };
    let mut events = Vec::new();
    while let Ok(update) = delivery.updates.try_recv() {
        events.extend_from_slice(&progress_event(update));
    }
    events.extend_from_slice(&event(&response_line(result, delivery.id)));
    (events.into(), None)
}

fn progress_event(update: ProgressNotificationParam) -> Bytes {
    let notification = ServerNotification::ProgressNotification(ProgressNotification::new(update));
    event(
        &serde_json::to_vec(&ServerJsonRpcMessage::notification(notification)).unwrap_or_default(),
    )
}

fn event(json: &[u8]) -> Bytes {
    [b"event: message\ndata: ", json, b"\n\n"].concat().into()
}

fn response_line(result: Result<ServerResult, ErrorData>, id: RequestId) -> Vec<u8> {
    let message = match result {
        Ok(result) => ServerJsonRpcMessage::response(result, id),
        Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
    };
    message::write(&message).unwrap_or_default().into_bytes()
}

/// The status under which revision 2026-07-28 sends an error.
fn status_of(error: &ErrorData) -> StatusCode {
    match error.code {
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn not_initialized(detail: &'static str) -> ErrorData {
    ErrorData::invalid_request("Not initialized", Some(json!({ "detail": detail })))
}

fn request_id(params: &Map<String, Value>) -> Option<RequestId> {
    match params.get("requestId")? {
        Value::String(id) => Some(NumberOrString::String(id.as_str().into())),
        Value::Number(id) => id.as_i64().map(NumberOrString::Number),
        _ => None,
    }
}

fn json_response(status: StatusCode, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
