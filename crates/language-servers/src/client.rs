//! A conversation with one running server: questions with their deadlines, notifications, and the
//! end. Three threads per server (reader, writer, standard error) keep callers from ever waiting on
//! a pipe. `pool` decides when one exists.

use std::collections::HashMap;
use std::io::{BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Error;
use crate::framing::{read_message, write_message};
use crate::incoming::Incoming;
use crate::process::{Process, ServerLaunch, wait_until};

/// What may wait for a server that does not read. One that lets more pile up has hung, or floods us
/// with questions.
const MOST_QUEUED: usize = 64 << 20;
/// How soon a caller notices that its question was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(20);
/// A question given up sooner says nothing about the server.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a server that let a question wait in vain is spared the next ones, unless it answers
/// meanwhile.
const SPARED_FOR: Duration = Duration::from_secs(30);
/// How long a server may take to say goodbye.
const GOODBYE: Duration = Duration::from_millis(800);

/// When a question stops being worth an answer.
#[derive(Debug, Clone)]
pub struct Limit {
    pub deadline: Instant,
    pub cancelled: Arc<AtomicBool>,
}

impl Limit {
    pub fn within(time: Duration) -> Limit {
        Limit {
            deadline: Instant::now() + time,
            cancelled: Arc::default(),
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub fn is_over(&self) -> bool {
        self.is_cancelled() || Instant::now() >= self.deadline
    }
}

pub struct Connection {
    name: Arc<str>,
    pub process: Process,
    pub incoming: Arc<Incoming>,
    outgoing: Mutex<Option<Sender<Vec<u8>>>>,
    n_queued: Arc<AtomicUsize>,
    next_id: AtomicI64,
    waiting: Mutex<HashMap<i64, SyncSender<Response>>>,
    /// When a question was last given up, if nothing has been answered since.
    silent_since: Mutex<Option<Instant>>,
    /// Why the conversation ended, once it has.
    ended: Mutex<Option<String>>,
}

type Response = Result<Box<RawValue>, ResponseError>;

#[derive(Debug, Deserialize)]
struct ResponseError {
    code: i64,
    #[serde(default)]
    message: String,
}

/// A question under way.
pub struct PendingRequest<'a> {
    client: &'a Connection,
    id: i64,
    method: &'static str,
    asked: Instant,
    reply: Receiver<Response>,
    answered: bool,
    /// Nobody waits any longer, but an answer still counts as a sign of life.
    left_open: bool,
}

impl Connection {
    /// Starts the server. `on_end` is called once, from the reader's thread, when the server is
    /// gone.
    pub fn start(
        name: Arc<str>,
        launch: &ServerLaunch,
        incoming: Arc<Incoming>,
        on_end: impl FnOnce(&str) + Send + 'static,
    ) -> std::io::Result<Arc<Connection>> {
        let (process, stdin, stdout) = Process::spawn(launch)?;
        let (sender, receiver) = mpsc::channel();
        let client = Arc::new(Connection {
            name,
            process,
            incoming,
            outgoing: Mutex::new(Some(sender)),
            n_queued: Arc::default(),
            next_id: AtomicI64::new(1),
            waiting: Mutex::default(),
            silent_since: Mutex::default(),
            ended: Mutex::default(),
        });
        let n_queued = client.n_queued.clone();
        thread::Builder::new()
            .name("lsp writer".into())
            .spawn(move || write_all(stdin, receiver, &n_queued))?;
        let reader = client.clone();
        thread::Builder::new()
            .name("lsp reader".into())
            .spawn(move || {
                let reason = reader.read_all(stdout);
                reader.close(reason);
                reader.process.wait();
                let reason = reader.ended.lock().clone().unwrap_or_default();
                on_end(&reason);
            })?;
        Ok(client)
    }

    /// Sends a question without waiting, so that its place among the messages is fixed.
    pub fn ask(&self, method: &'static str, params: Value) -> Result<PendingRequest<'_>, Error> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = mpsc::sync_channel(1);
        self.waiting.lock().insert(id, sender);
        let pending = PendingRequest {
            client: self,
            id,
            method,
            asked: Instant::now(),
            reply,
            answered: false,
            left_open: false,
        };
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(pending)
    }

    pub fn notify(&self, method: &str, params: Value) -> Result<(), Error> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Says goodbye as the protocol asks, and ends the server whether or not it listens. Returns at
    /// once.
    pub fn stop(self: Arc<Connection>, reason: &str) {
        self.ended.lock().get_or_insert_with(|| reason.to_string());
        let goodbye = move || {
            let said = self
                .ask("shutdown", Value::Null)
                .and_then(|pending| pending.wait(&Limit::within(GOODBYE)));
            if said.is_ok() && self.notify("exit", Value::Null).is_ok() {
                self.outgoing.lock().take();
                // The reader's thread holds the client too, until the server is gone.
                let until = Instant::now() + GOODBYE;
                while Arc::strong_count(&self) > 1 && Instant::now() < until {
                    thread::sleep(Duration::from_millis(10));
                }
            }
            self.close("stopped".into());
        };
        // Without a thread to say goodbye on, the server just ends.
        let _ = thread::Builder::new()
            .name("lsp goodbye".into())
            .spawn(goodbye);
    }

    /// Ends the server now.
    pub fn kill(&self, reason: &str) {
        self.close(reason.to_string());
    }

    /// A token for partial results that no question has used.
    pub fn unused_token(&self) -> String {
        format!(
            "codecompass-{}",
            self.next_id.fetch_add(1, Ordering::Relaxed)
        )
    }

    pub fn has_ended(&self) -> bool {
        self.ended.lock().is_some()
    }

    /// Whether it lets questions wait in vain, so that asking it costs time and brings nothing.
    pub fn is_silent(&self) -> bool {
        self.silent_since
            .lock()
            .is_some_and(|since| since.elapsed() < SPARED_FOR)
    }

    fn close(&self, reason: String) {
        self.ended.lock().get_or_insert(reason);
        self.process.end();
        self.outgoing.lock().take();
        // Waiting callers see the channel close.
        self.waiting.lock().clear();
    }

    fn gone(&self) -> Error {
        // The reader knows why a moment later than the writer notices.
        wait_until(|| self.has_ended());
        let reason = self
            .ended
            .lock()
            .clone()
            .unwrap_or_else(|| "it ended".into());
        Error::Gone {
            server: self.name.to_string(),
            reason,
        }
    }

    fn send(&self, message: Value) -> Result<(), Error> {
        let body = serde_json::to_vec(&message).expect("a JSON value has a text");
        let n_queued = self.n_queued.fetch_add(body.len(), Ordering::Relaxed) + body.len();
        if n_queued > MOST_QUEUED {
            self.close(format!("it left {n_queued} bytes of messages unread"));
            return Err(self.gone());
        }
        let sent = self
            .outgoing
            .lock()
            .as_ref()
            .is_some_and(|outgoing| outgoing.send(body).is_ok());
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    /// Reads until the stream ends or breaks, and says why it did.
    fn read_all(&self, stdout: ChildStdout) -> String {
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        loop {
            match read_message(&mut stdout) {
                Ok(Some(body)) => {
                    if let Err(reason) = self.receive(&body) {
                        return reason;
                    }
                }
                Ok(None) => {
                    self.process.hear_out();
                    let words = self.process.last_words();
                    return if words.is_empty() {
                        "it ended".into()
                    } else {
                        format!("it ended: {words}")
                    };
                }
                Err(error) => return error.to_string(),
            }
        }
    }

    fn receive(&self, body: &[u8]) -> Result<(), String> {
        #[derive(Deserialize)]
        struct IncomingMessage<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
            method: Option<String>,
            #[serde(borrow)]
            params: Option<&'a RawValue>,
            // `"result": null` is a result, so its absence must look different.
            #[serde(borrow, default, deserialize_with = "present")]
            result: Option<&'a RawValue>,
            error: Option<ResponseError>,
        }
        fn present<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<&'de RawValue>, D::Error> {
            <&RawValue>::deserialize(deserializer).map(Some)
        }
        let message: IncomingMessage = serde_json::from_slice(body)
            .map_err(|error| format!("it sent what is no message: {error}"))?;
        match (message.method, message.id) {
            (Some(method), None) => self.incoming.notification(&method, message.params),
            (Some(method), Some(id)) => {
                let reply = match self.incoming.request(&method, message.params) {
                    Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    None => {
                        json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "method not found"}})
                    }
                };
                let _ = self.send(reply);
            }
            (None, Some(id)) => {
                // An answer to nothing (late, or made up) is dropped.
                let waiting = id
                    .get()
                    .parse()
                    .ok()
                    .and_then(|id: i64| self.waiting.lock().remove(&id));
                if let Some(waiting) = waiting {
                    *self.silent_since.lock() = None;
                    let reply = match (message.result, message.error) {
                        (_, Some(refusal)) => Err(refusal),
                        (Some(result), None) => Ok(result.to_owned()),
                        (None, None) => Ok(RawValue::NULL.to_owned()),
                    };
                    let _ = waiting.try_send(reply);
                }
            }
            (None, None) => return Err("it sent a message with neither method nor id".into()),
        }
        Ok(())
    }
}

impl PendingRequest<'_> {
    /// Waits for the answer. A question given up early is also taken back from the server.
    pub fn wait(mut self, limit: &Limit) -> Result<Box<RawValue>, Error> {
        loop {
            if let Some(answer) = self.poll(limit.deadline.min(Instant::now() + CANCEL_CHECK)) {
                return answer;
            }
            if limit.is_cancelled() {
                return Err(Error::Cancelled);
            }
            if Instant::now() >= limit.deadline {
                let (server, after) = (self.client.name.to_string(), self.asked.elapsed());
                if after >= PATIENCE {
                    // Not taken back: when its answer comes after all, the server is with us again.
                    self.left_open = true;
                    *self.client.silent_since.lock() = Some(Instant::now());
                }
                return Err(Error::TimedOut {
                    server,
                    method: self.method,
                    after,
                });
            }
        }
    }

    /// The answer, if it comes before `until`.
    pub fn poll(&mut self, until: Instant) -> Option<Result<Box<RawValue>, Error>> {
        let answer = match self
            .reply
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(refusal)) => Err(Error::Refused {
                server: self.client.name.to_string(),
                method: self.method,
                code: refusal.code,
                message: refusal
                    .message
                    .chars()
                    .filter(|character| !character.is_control())
                    .take(300)
                    .collect(),
            }),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => Err(self.client.gone()),
        };
        self.answered = true;
        Some(answer)
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        if self.left_open {
            return;
        }
        let was_waiting = self.client.waiting.lock().remove(&self.id).is_some();
        if was_waiting && !self.answered {
            let _ = self
                .client
                .notify("$/cancelRequest", json!({"id": self.id}));
        }
    }
}

fn write_all(mut stdin: ChildStdin, messages: Receiver<Vec<u8>>, n_queued: &AtomicUsize) {
    for message in messages {
        if write_message(&mut stdin, &message).is_err() {
            // The reader notices the end and says why.
            break;
        }
        n_queued.fetch_sub(message.len(), Ordering::Relaxed);
    }
    let _ = stdin.flush();
}
