//! Logs: to stderr, short, and without secrets, raw requests or file contents.

use std::{
    io::{self, Write},
    sync::LazyLock,
};

use regex::{Captures, Regex};
use tracing_subscriber::{
    filter::LevelFilter, fmt::MakeWriter, layer::SubscriberExt, util::SubscriberInitExt,
};

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
        const OURS: &[&str] = &[
            "codecompass",
            "tools",
            "engine",
            "workspace",
            "store",
            "extract",
            "language_servers",
        ];
        let krate = metadata.target().split("::").next().unwrap_or_default();
        OURS.contains(&krate)
    });
    let format = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(Redacted);
    use tracing_subscriber::Layer;
    // A second call (tests) changes nothing.
    let _ = tracing_subscriber::registry()
        .with(format.with_filter(ours).with_filter(level))
        .try_init();
}

/// A panic's message may quote what it choked on; its place is what one needs to find it.
pub fn tame_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(|| "?".to_owned(), ToString::to_string);
        tracing::error!(place, "panicked");
    }));
}

struct Redacted;

struct LogLine(Vec<u8>);

impl<'a> MakeWriter<'a> for Redacted {
    type Writer = LogLine;

    fn make_writer(&'a self) -> LogLine {
        LogLine(Vec::new())
    }
}

impl Write for LogLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let line = redact(&String::from_utf8_lossy(&self.0));
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
}

/// Takes out what authenticates: values named like secrets, what follows the name of a scheme,
/// tokens that tell by their beginning what they are, and user info in URLs.
pub fn redact(line: &str) -> String {
    static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
        let named = r#"([\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|session[_-]?id)[\w.-]*["']?\s*[=:]\s*["']?)"#;
        let scheme = r"(\b(?:bearer|basic|digest)\s+)";
        let value = r#"[^\s"',;&}\])]+"#;
        let known = r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abps]-|AKIA|eyJ)[\w.-]+";
        Regex::new(&format!(
            "(?i){named}{scheme}?{value}|{scheme}{value}|{known}"
        ))
        .expect("a valid pattern")
    });
    let line = super::message::cut(line.trim_end(), MAX_LINE);
    let words: Vec<String> = line.split(' ').map(without_user_info).collect();
    let line = words.join(" ");
    let clean = SECRETS.replace_all(&line, |found: &Captures<'_>| {
        let kept: String = (1..=3)
            .filter_map(|i| found.get(i))
            .map(|kept| kept.as_str())
            .collect();
        format!("{kept}[redacted]")
    });
    // One event, one line: what is logged must not be able to look like another event.
    clean
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
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
            (
                "GET / Authorization: Bearer abc.def",
                "GET / Authorization: Bearer [redacted]",
            ),
            ("bearer abc", "bearer [redacted]"),
            ("token=abc x=1", "token=[redacted] x=1"),
            (
                "cloning https://me:pw@host/x.git now",
                "cloning https://host/x.git now",
            ),
            ("remote ssh://git@host:22/x", "remote ssh://host:22/x"),
            ("a\nINFO forged", "a INFO forged"),
            ("plain words stay: 12:30", "plain words stay: 12:30"),
            (
                "password: hunter2, and more",
                "password: [redacted], and more",
            ),
            (
                r#"{"password": "hunter2", "x": 1}"#,
                r#"{"password": "[redacted]", "x": 1}"#,
            ),
            (
                "GET https://h/x?token=hunter2&y=1",
                "GET https://h/x?token=[redacted]&y=1",
            ),
            (
                "Authorization: Basic aHVudGVyMg==",
                "Authorization: Basic [redacted]",
            ),
            (
                "api-key=hunter2 X-Api-Key: hunter2",
                "api-key=[redacted] X-Api-Key: [redacted]",
            ),
            ("pushed with ghp_hunter2", "pushed with [redacted]"),
        ] {
            assert_eq!(redact(line), clean);
        }
        assert!(redact(&"x".repeat(10_000)).len() <= MAX_LINE);
    }
}
