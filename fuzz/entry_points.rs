//! What is fuzzed: functions that take any bytes and must neither panic nor break what they promise.
//!
//! The targets in `fuzz_targets/` call them with what libFuzzer makes up. The tests of
//! `crates/codecompass` call them with `corpus/` and with seeded mutations of it.

use codecompass::{
    client::{Client, Launch},
    server::message,
};
use extract::{Extractor, Limits};

/// The languages of full depth. The first byte of an input to `extraction` chooses one, from `a` on.
pub const LANGUAGES: [&str; 12] = [
    "python",
    "java",
    "rust",
    "typescript",
    "javascript",
    "go",
    "csharp",
    "c",
    "cpp",
    "ruby",
    "php",
    "kotlin",
];

/// Any text gives facts: all places lie in the text, and encoding loses nothing.
pub fn extraction(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let name = LANGUAGES[usize::from(first.wrapping_sub(b'a')) % LANGUAGES.len()];
    let language = extract::language_named(name).expect("all grammars are built in");
    let text = String::from_utf8_lossy(rest);
    let facts = Extractor::new().extract(language, &text, &Limits::default());
    let symbols = facts
        .symbols
        .iter()
        .flat_map(|symbol| [symbol.span, symbol.name_span, symbol.signature]);
    let references = facts.references.iter().map(|reference| reference.span);
    let bindings = facts.bindings.iter().map(|binding| binding.name_span);
    for span in symbols.chain(references).chain(bindings) {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(
            start <= end && text.is_char_boundary(start) && text.is_char_boundary(end),
            "{name}: {span:?} of a text of {} bytes",
            text.len()
        );
    }
    assert_eq!(facts::decode(&facts::encode(&facts)).as_ref(), Ok(&facts));
}

/// Damaged records are errors: as they are, and behind a version and a checksum that are right.
pub fn facts_decoding(data: &[u8]) {
    let _ = facts::decode(data);
    let mut record = vec![facts::FORMAT_VERSION];
    record.extend_from_slice(&blake3::hash(data).as_bytes()[..8]);
    record.extend_from_slice(data);
    let _ = facts::decode(&record);
}

/// Any line is a message or a refusal, and a refusal can be sent.
pub fn json_rpc(data: &[u8]) {
    if let Err(refused) = message::parse(data) {
        assert_eq!(refused.to_json()["jsonrpc"], "2.0");
    }
}

/// A configuration file takes the entry and gives it back, or is refused.
pub fn configuration(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let launch = Launch {
        command: "codecompass".to_owned(),
        arguments: vec!["serve-mcp".to_owned()],
    };
    for client in [Client::Cursor, Client::Codex] {
        let Ok(with) = client.with_entry(text, &launch) else {
            continue;
        };
        let again = client
            .with_entry(&with, &launch)
            .expect("it was just written");
        assert_eq!(again, with, "adding the entry twice changes nothing");
        client.without_entry(&with).expect("it was just written");
    }
}
