//! A proxy between the program and a store that makes the network worse.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toxin {
    None,
    /// 20 ms before each request is passed on.
    Latency,
    /// Connections are closed as soon as something is asked.
    Reset,
    /// Nothing is ever answered.
    Silence,
    /// Answers end in the middle of their body.
    Truncate,
    /// One byte of each body is another.
    WrongByte,
    /// `500 Internal Server Error`
    Error,
    /// `503 Slow Down`
    SlowDown,
}

const TOXINS: [Toxin; 8] = [
    Toxin::None,
    Toxin::Latency,
    Toxin::Reset,
    Toxin::Silence,
    Toxin::Truncate,
    Toxin::WrongByte,
    Toxin::Error,
    Toxin::SlowDown,
];

pub struct ToxicProxy {
    pub address: SocketAddr,
    toxin: Arc<AtomicU8>,
    n_requests: Arc<AtomicUsize>,
}

impl ToxicProxy {
    pub fn before(store: SocketAddr) -> ToxicProxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = ToxicProxy {
            address: listener.local_addr().unwrap(),
            toxin: Arc::default(),
            n_requests: Arc::default(),
        };
        let (toxin, n_requests) = (proxy.toxin.clone(), proxy.n_requests.clone());
        // Ends with the test's process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (toxin, n_requests) = (toxin.clone(), n_requests.clone());
                thread::spawn(move || serve(client, store, &toxin, &n_requests));
            }
        });
        proxy
    }

    pub fn set(&self, toxin: Toxin) {
        self.toxin.store(toxin as u8, Ordering::Release);
    }

    /// Requests so far.
    pub fn n_requests(&self) -> usize {
        self.n_requests.load(Ordering::Acquire)
    }
}

/// One connection: request after request.
fn serve(mut client: TcpStream, store: SocketAddr, toxin: &AtomicU8, n_requests: &AtomicUsize) {
    let Ok(mut upstream) = TcpStream::connect(store) else {
        return;
    };
    while let Some(request) = read_message(&mut client) {
        n_requests.fetch_add(1, Ordering::AcqRel);
        let toxin = TOXINS[usize::from(toxin.load(Ordering::Acquire))];
        match toxin {
            Toxin::Latency => thread::sleep(Duration::from_millis(20)),
            Toxin::Reset => break,
            Toxin::Silence => {
                thread::sleep(Duration::from_secs(30));
                break;
            }
            Toxin::Error | Toxin::SlowDown => {
                let line = match toxin {
                    Toxin::Error => "500 Internal Server Error",
                    _ => "503 Slow Down",
                };
                let answer = format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\n\r\n");
                if client.write_all(answer.as_bytes()).is_err() {
                    break;
                }
                continue;
            }
            _ => {}
        }
        if upstream.write_all(&request.bytes).is_err() {
            break;
        }
        let is_head = request.bytes.starts_with(b"HEAD ");
        let Some(mut answer) = read_response(&mut upstream, is_head) else {
            break;
        };
        let body = answer.head..answer.bytes.len();
        match toxin {
            Toxin::Truncate if body.len() > 1 => {
                let half = body.start + body.len() / 2;
                let _ = client.write_all(&answer.bytes[..half]);
                break;
            }
            Toxin::WrongByte if body.len() > 40 => {
                answer.bytes[body.start + body.len() / 2] ^= 0x20;
            }
            _ => {}
        }
        if client.write_all(&answer.bytes).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
}

struct Message {
    bytes: Vec<u8>,
    /// Where the body begins.
    head: usize,
}

fn read_message(stream: &mut TcpStream) -> Option<Message> {
    read(stream, false)
}

fn read_response(stream: &mut TcpStream, is_head: bool) -> Option<Message> {
    read(stream, is_head)
}

/// A message with a content length, or none. `without_body` for answers to `HEAD`.
fn read(stream: &mut TcpStream, without_body: bool) -> Option<Message> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = bytes.len();
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let has_none =
        without_body || text.starts_with("http/1.1 204") || text.starts_with("http/1.1 304");
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse().ok())
        .filter(|_| !has_none)
        .unwrap_or(0);
    bytes.resize(head + length, 0);
    stream.read_exact(&mut bytes[head..]).ok()?;
    Some(Message { bytes, head })
}
