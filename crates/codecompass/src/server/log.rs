//! Logs: to stderr, short, and without secrets, raw requests or file contents.

use std::io::{self, Write};

use tracing_subscriber::{filter::LevelFilter, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt};

/// A line longer than this is cut: nothing worth logging is.
const MAX_LINE: usize = 2048;

/// Call once, before anything is logged. `verbose` counts `-v`.
pub fn init(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // The SDK logs whole messages; other crates have no business here either.
    let ours = tracing_subscriber::filter::filter_fn(|metadata| {
        const OURS: &[&str] = &["codecompass", "tools", "engine", "workspace", "store", "extract", "language_servers"];
        let krate = metadata.target().split("::").next().unwrap_or_default();
        OURS.contains(&krate)
    });
    let format = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Redacted);
    use tracing_subscriber::Layer;
    // A second call (tests) changes nothing.
    let _ = tracing_subscriber::registry().with(format.with_filter(ours).with_filter(level)).try_init();
}

/// A panic's message may quote what it choked on; its place is what one needs to find it.
pub fn tame_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(|| "?".to_owned(), ToString::to_string);
        tracing::error!(place, "panicked");
    }));
}

struct Redacted;

struct Line(Vec<u8>);

impl<'a> MakeWriter<'a> for Redacted {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Vec::new())
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let line = redact(&String::from_utf8_lossy(&self.0));
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
}

/// Takes out what authenticates: bearer tokens, user info in URLs, and values named like secrets.
pub fn redact(line: &str) -> String {
    let line = super::message::cut(line.trim_end(), MAX_LINE);
    let mut clean = String::with_capacity(line.len());
    for (number, word) in line.split(' ').enumerate() {
        if number > 0 {
            clean.push(' ');
        }
        let previous = clean.trim_end().rsplit([' ', '"', '=', ':']).next().unwrap_or_default();
        if previous.eq_ignore_ascii_case("bearer") && !word.is_empty() {
            clean.push_str("[redacted]");
        } else if let Some((name, _)) = word.split_once(['=', ':']).filter(|(name, value)| names_a_secret(name) && !value.is_empty()) {
            clean.push_str(name);
            clean.push_str("=[redacted]");
        } else {
            clean.push_str(&without_user_info(word));
        }
    }
    // One event, one line: what is logged must not be able to look like another event.
    clean.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "api_key", "apikey", "authorization", "session-id", "session_id"]
        .iter()
        .any(|part| name.contains(part))
}

/// `https://user:pass@host/` becomes `https://host/`.
fn without_user_info(word: &str) -> String {
    let Some(scheme) = word.find("://") else {
        return word.to_owned();
    };
    let (scheme, rest) = word.split_at(scheme + 3);
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..authority].rfind('@') {
        Some(at) => format!("{scheme}{}", &rest[at + 1..]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_reach_the_log() {
        for (line, clean) in [
            ("GET / Authorization: Bearer abc.def", "GET / Authorization: Bearer [redacted]"),
            ("bearer abc", "bearer [redacted]"),
            ("token=abc x=1", "token=[redacted] x=1"),
            ("cloning https://me:pw@host/x.git now", "cloning https://host/x.git now"),
            ("remote ssh://git@host:22/x", "remote ssh://host:22/x"),
            ("a\nINFO forged", "a INFO forged"),
            ("plain words stay: 12:30", "plain words stay: 12:30"),
        ] {
            assert_eq!(redact(line), clean);
        }
        assert!(redact(&"x".repeat(10_000)).len() <= MAX_LINE);
    }
}
