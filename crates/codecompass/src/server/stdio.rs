//! stdio: one message per line in, one per line out, nothing else on stdout.
//!
//! The SDK's own line reader passes over malformed and oversized lines in silence, and its
//! handshake ends the process at an early notification; so lines are read and judged here, and its
//! service loop gets only requests that make sense. It keeps what is in flight, cancels, and orders
//! progress before answers.
//!
//! ```text
//! stdin ──(thread: lines, message::parse)──▶ requests ──▶ rmcp service loop ──▶ Server::answer
//!              └── refused lines ──▶ replies ◀──────────────────┘
//!                                      └──(thread)──▶ stdout
//! ```

use std::{
    collections::HashSet,
    io::{self, BufRead, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc as blocking,
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage,
        ClientNotification, ClientRequest, ErrorCode, GetExtensions, NumberOrString,
        ProgressNotification, ProgressNotificationParam, ProgressToken, ProtocolVersion, RequestId,
        ServerConfig, ServerJsonRpcMessage, ServerNotification, ServerResult,
    },
    service::{NotificationContext, Peer, RequestContext, serve_directly},
    transport::Transport,
};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::{
    Server,
    message::{self, IdScanner, MAX_REQUEST_BYTES, Message, Refused},
    protocol::Asked,
};

/// How long calls may still finish after the input has ended.
const GRACE: Duration = Duration::from_secs(1);

/// Serves until the input ends or the output is gone.
pub async fn serve<R, W>(server: Server, input: R, output: W) -> anyhow::Result<()>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (replies, to_write) = replies();
    let (requests, received) = mpsc::channel(64);
    let in_flight = Arc::new(InFlight::default());

    let shutdown = server.shutdown().clone();
    let unwritten = replies.unwritten.clone();
    let writer = std::thread::Builder::new()
        .name("stdout".to_owned())
        .spawn({
            let (shutdown, unwritten) = (shutdown.clone(), unwritten.clone());
            move || {
                if write_lines(output, &to_write, &unwritten).is_err() {
                    // The client no longer reads answers.
                    shutdown.cancel();
                }
            }
        })?;
    let reader = LineReader {
        server: server.clone(),
        replies: replies.clone(),
        requests,
        in_flight: in_flight.clone(),
        agreed: None,
    };
    let at_end = tokio::runtime::Handle::current();
    std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn({
            let shutdown = shutdown.clone();
            move || {
                reader.read(input);
                at_end.spawn(async move {
                    tokio::time::sleep(GRACE).await;
                    shutdown.cancel();
                });
            }
        })?;

    server.begin();
    let transport = InputLines {
        received,
        replies,
        in_flight,
        shutdown,
    };
    let service = serve_directly(StdioService(server), transport, None);
    service.waiting().await?;
    // The last answers are on their way out. The reader may wait for input for ever: when a signal
    // ended the service, nobody waits for it, nor for the writer that it could still hand
    // something.
    let started = Instant::now();
    while unwritten.load(Ordering::Relaxed) > 0
        && !writer.is_finished()
        && started.elapsed() < GRACE
    {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

/// What the reader found out about a request, on its way to the handler.
#[derive(Clone)]
struct RequestInfo {
    revision: ProtocolVersion,
    progress_token: Option<ProgressToken>,
}

/// The requests that were read and not yet answered. An id may be used again afterwards, not
/// before.
#[derive(Default)]
struct InFlight(Mutex<HashSet<RequestId>>);

/// Lines on their way out. The queue has no bound of its own, because the service loop must not
/// block; instead the reader waits while much is unwritten, so that a client that does not read
/// cannot fill it.
#[derive(Clone)]
struct Replies {
    lines: blocking::Sender<String>,
    unwritten: Arc<AtomicUsize>,
}

fn replies() -> (Replies, blocking::Receiver<String>) {
    let (lines, to_write) = blocking::channel();
    (
        Replies {
            lines,
            unwritten: Arc::default(),
        },
        to_write,
    )
}

impl Replies {
    const MANY: usize = 1024;

    fn send(&self, line: String) -> io::Result<()> {
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        self.lines
            .send(line)
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn are_many(&self) -> bool {
        self.unwritten.load(Ordering::Relaxed) > Self::MANY
    }
}

struct LineReader {
    server: Server,
    replies: Replies,
    requests: mpsc::Sender<ClientJsonRpcMessage>,
    in_flight: Arc<InFlight>,
    /// The revision of the handshake, once there was one.
    agreed: Option<ProtocolVersion>,
}

impl LineReader {
    fn read(mut self, input: impl Read) {
        let mut lines = Lines1MiB::new(input);
        loop {
            while self.replies.are_many() && !self.requests.is_closed() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let go_on = match lines.next() {
                Ok(Line::Text(line)) => self.take(line),
                Ok(Line::TooLong(id)) => self.refuse(&Refused::too_long(id)),
                Ok(Line::End) => return,
                Err(error) => {
                    tracing::warn!(%error, "stdin cannot be read");
                    return;
                }
            };
            if !go_on {
                return;
            }
        }
    }

    /// Whether anybody is left to read for.
    fn take(&mut self, line: &[u8]) -> bool {
        match message::parse(line) {
            Err(refused) => self.refuse(&refused),
            Ok(Message::Response) => true,
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                self.cancel(params)
            }
            // `notifications/initialized` needs no doing: requests are served as soon as a revision
            // is known.
            Ok(Message::Notification { .. }) => true,
            Ok(Message::Request(request)) => {
                let id = request.id.clone();
                match self.examine(*request) {
                    Ok(request) => self.hand_on(ClientJsonRpcMessage::request(request, id)),
                    Err(error) => self.refuse(&Refused {
                        id: Some(id),
                        error: Box::new(error),
                    }),
                }
            }
        }
    }

    fn examine(&mut self, request: message::RpcRequest) -> Result<ClientRequest, ErrorData> {
        let newest = ProtocolVersion::LATEST_WITH_INITIALIZE;
        let is_handshake = request.method == "initialize";
        let asked = message::typed(&request.method, request.params, request.meta.is_stateless());
        let revision = match (&asked, &self.agreed) {
            // In line order, so that what follows the handshake without waiting for its answer is
            // served.
            (Ok(ClientRequest::InitializeRequest(initialize)), _) if !request.meta.is_modern() => {
                let agreed = self.server.agree(&initialize.params)?;
                self.agreed = Some(agreed.clone());
                agreed
            }
            (Ok(ClientRequest::PingRequest(_)), None) if !request.meta.is_modern() => newest,
            (Ok(ClientRequest::DiscoverRequest(_)), _) => request.meta.revision()?,
            (_, Some(agreed)) if !request.meta.is_modern() => agreed.clone(),
            // What is wrong with it is said below.
            (Err(error), None) if !request.meta.is_modern() && (is_handshake || error.code == ErrorCode::METHOD_NOT_FOUND) => newest,
            _ => request.meta.revision().map_err(|mut error| {
                if !request.meta.is_modern() {
                    error.message = "Not initialized: send `initialize` first, or state the revision in `_meta`".into();
                }
                error
            })?,
        };
        let mut asked = asked?;
        if !self.in_flight.0.lock().insert(request.id) {
            return Err(ErrorData::invalid_request(
                "Invalid Request: a request with this id is still being answered",
                None,
            ));
        }
        asked.extensions_mut().insert(RequestInfo {
            revision,
            progress_token: request.meta.progress_token,
        });
        Ok(asked)
    }

    fn cancel(&self, params: Map<String, Value>) -> bool {
        // Unknown, late and malformed cancellations are to be ignored.
        let id = match params.get("requestId") {
            Some(Value::String(id)) => NumberOrString::String(id.as_str().into()),
            Some(Value::Number(id)) if id.is_i64() => {
                NumberOrString::Number(id.as_i64().unwrap_or_default())
            }
            _ => return true,
        };
        // Its answer will not be sent, so the id is free from here on.
        if !self.in_flight.0.lock().remove(&id) {
            return true;
        }
        let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
        self.hand_on(ClientJsonRpcMessage::notification(
            ClientNotification::CancelledNotification(cancelled),
        ))
    }

    fn refuse(&self, refused: &Refused) -> bool {
        tracing::debug!(code = refused.error.code.0, "refused a message");
        self.replies.send(refused.to_json().to_string()).is_ok()
    }

    fn hand_on(&self, message: ClientJsonRpcMessage) -> bool {
        self.requests.blocking_send(message).is_ok()
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Lines of at most [`MAX_REQUEST_BYTES`], read without keeping more than that of a longer one.
struct Lines1MiB<R> {
    input: io::BufReader<R>,
    line: Vec<u8>,
}

enum Line<'a> {
    /// Without line end, byte order mark and surrounding blanks; never empty.
    Text(&'a [u8]),
    /// With the id of its message, if that can be read.
    TooLong(Option<RequestId>),
    End,
}

impl<R: Read> Lines1MiB<R> {
    fn new(input: R) -> Self {
        Lines1MiB {
            input: io::BufReader::with_capacity(64 * 1024, input),
            line: Vec::new(),
        }
    }

    fn next(&mut self) -> io::Result<Line<'_>> {
        loop {
            self.line.clear();
            // Neither a byte order mark nor a line end of two bytes belongs to the message.
            let room = (BYTE_ORDER_MARK.len() + MAX_REQUEST_BYTES + 2) as u64;
            if self
                .input
                .by_ref()
                .take(room)
                .read_until(b'\n', &mut self.line)?
                == 0
            {
                return Ok(Line::End);
            }
            let ended = self.line.ends_with(b"\n");
            let text = self
                .line
                .strip_prefix(BYTE_ORDER_MARK)
                .unwrap_or(&self.line)
                .trim_ascii();
            if text.len() > MAX_REQUEST_BYTES || (!ended && self.line.len() as u64 == room) {
                let mut scanner = IdScanner::default();
                scanner.feed(text);
                if !ended {
                    self.skip_line(&mut scanner)?;
                }
                return Ok(Line::TooLong(scanner.id()));
            }
            if !text.is_empty() {
                let (start, len) = (
                    text.as_ptr() as usize - self.line.as_ptr() as usize,
                    text.len(),
                );
                return Ok(Line::Text(&self.line[start..start + len]));
            }
        }
    }

    fn skip_line(&mut self, scanner: &mut IdScanner) -> io::Result<()> {
        loop {
            let buffered = self.input.fill_buf()?;
            if buffered.is_empty() {
                return Ok(());
            }
            let end = buffered.iter().position(|byte| *byte == b'\n');
            let rest = &buffered[..end.unwrap_or(buffered.len())];
            scanner.feed(rest);
            let n_read = rest.len() + usize::from(end.is_some());
            self.input.consume(n_read);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

fn write_lines(
    mut output: impl Write,
    lines: &blocking::Receiver<String>,
    unwritten: &AtomicUsize,
) -> io::Result<()> {
    while let Ok(mut line) = lines.recv() {
        line.push('\n');
        output.write_all(line.as_bytes())?;
        output.flush()?;
        unwritten.fetch_sub(1, Ordering::Relaxed);
    }
    Ok(())
}

/// The SDK's view of the two threads.
struct InputLines {
    received: mpsc::Receiver<ClientJsonRpcMessage>,
    replies: Replies,
    in_flight: Arc<InFlight>,
    shutdown: tokio_util::sync::CancellationToken,
}

impl Transport<RoleServer> for InputLines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.in_flight.0.lock().remove(id);
        }
        // Handed over here and not in the future, so that messages keep the order in which they
        // were sent.
        let sent = message::write(&message)
            .map_err(io::Error::other)
            .and_then(|line| self.replies.send(line));
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        tokio::select! {
            biased;
            message = self.received.recv() => message,
            () = self.shutdown.cancelled() => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.received.close();
        Ok(())
    }
}

/// Sends updates on until all are sent that came before the answer.
async fn forward(
    mut updates: mpsc::UnboundedReceiver<ProgressNotificationParam>,
    peer: Peer<RoleServer>,
    mut is_answered: oneshot::Receiver<()>,
) {
    loop {
        let update = tokio::select! {
            biased;
            _ = &mut is_answered, if !updates.is_closed() => {
                updates.close();
                continue;
            }
            update = updates.recv() => update,
        };
        let Some(update) = update else {
            return;
        };
        let notification =
            ServerNotification::ProgressNotification(ProgressNotification::new(update));
        if peer.send_notification(notification).await.is_err() {
            return;
        }
    }
}

/// One client on stdio, for the SDK's service loop.
struct StdioService(Server);

impl Service<RoleServer> for StdioService {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let Some(found) = context.extensions.get::<RequestInfo>().cloned() else {
            return Err(ErrorData::internal_error("Internal error", None));
        };
        let (progress, forwarder) = match found.progress_token {
            Some(token) => {
                let (sender, updates) = mpsc::unbounded_channel();
                let (answered, is_answered) = oneshot::channel();
                let forwarder = tokio::spawn(forward(updates, context.peer.clone(), is_answered));
                (Some((token, sender)), Some((forwarder, answered)))
            }
            None => (None, None),
        };
        let asked = Asked {
            revision: found.revision,
            cancelled: context.ct.clone(),
            progress,
        };
        let answer = self.0.answer(request, asked).await;
        if let Some((forwarder, answered)) = forwarder {
            // What was reported before the answer goes out before it; what a call that was given up
            // still reports is unwanted.
            let _ = answered.send(());
            let _ = forwarder.await;
        }
        answer
    }

    async fn handle_notification(
        &self,
        _: ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Cancellation, the only one that gets here, is the service loop's own affair.
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(Default::default())
    }
}
