//! YAML, by its keys.

use crate::{prelude::*, rules::*};

use super::keys;

pub static YAML: Language = Language {
    name: "yaml",
    id: LanguageId(32),
    extensions: &["yaml", "yml"],
    file_names: &[".clang-format", ".clang-tidy", ".yamllint", "CITATION.cff"],
    version: 1,
    grammar: || tree_sitter_yaml::LANGUAGE.into(),
    n_node_kinds: 301,
    rules: &[RULES],
    prepare: Some(prepare),
    parts: Some(parts),
    finish: Some(keys::finish),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on_any(&["block_mapping_pair", "flow_pair"])
        .enter(enter_pair)
        .leave(pair),
    on_any(&["block_sequence", "flow_sequence"]).no_value(),
];

/// Keeps what could open a block off the columns from here on: the grammar's scanner keeps two
/// levels for each column, and writes beyond its buffer from level 253 on.
const MAX_COLUMN: usize = 120;

fn prepare(text: &str) -> Option<String> {
    let mut bytes: Option<Vec<u8>> = None;
    let source = text.as_bytes();
    let mut line_start = 0;
    for at in memchr::memchr_iter(b'\n', source).chain([source.len()]) {
        for i in line_start + MAX_COLUMN..at.max(line_start + MAX_COLUMN) {
            if !matches!(source[i], b'-' | b'?' | b':') {
                continue;
            }
            match source.get(i + 1) {
                // The words on both sides become one, which no collection minds.
                Some(b' ' | b'\t') => bytes.get_or_insert_with(|| source.to_vec())[i + 1] = b'x',
                None | Some(b'\n' | b'\r') => {
                    bytes.get_or_insert_with(|| source.to_vec())[i] = b'x'
                }
                _ => {}
            }
        }
        line_start = at + 1;
    }
    bytes.and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The start of a long file, up to a key of the first level or a document: what follows is data.
fn parts(text: &str) -> Vec<std::ops::Range<usize>> {
    const MAX_PARSED: usize = 1 << 19;
    // The grammar nests each document in the one before.
    const MAX_DOCUMENTS: usize = 1_000;
    let bytes = text.as_bytes();
    let mut end = text.len();
    if end > MAX_PARSED {
        let starts_key = |&at: &usize| {
            bytes
                .get(at + 1)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        };
        end = memchr::memrchr_iter(b'\n', &bytes[..MAX_PARSED])
            .find(starts_key)
            .map_or(0, |at| at + 1);
    }
    let mut documents = memchr::memmem::find_iter(&bytes[..end], b"\n---")
        .chain(memchr::memmem::find_iter(&bytes[..end], b"\n..."));
    let end = documents.nth(MAX_DOCUMENTS).map_or(end, |at| at + 1);
    let part = 0..end;
    if part.is_empty() {
        Vec::new()
    } else {
        vec![part]
    }
}

fn enter_pair(walk: &mut Walk<'_>, frame: &mut Frame) {
    let Some(name) = key(walk, frame.span) else {
        return;
    };
    keys::enter(
        walk,
        frame,
        name,
        &["block_mapping_pair", "flow_pair"],
        &["block_sequence", "flow_sequence"],
    );
}

/// The key of a pair, without its quotes, tag and anchor. A merge has none of its own.
fn key(walk: &Walk<'_>, pair: Span) -> Option<Span> {
    let text = walk.source(pair);
    let line = text.lines().next()?;
    let mut rest = line.strip_prefix("? ").unwrap_or(line).trim_start();
    while rest.starts_with(['&', '!']) {
        rest = rest.split_once(' ')?.1.trim_start();
    }
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = rest.trim_start_matches(['"', '\'']);
    let name = match quote {
        Some(quote) => inner.split(quote).next()?,
        None => match (rest.find(": "), rest.strip_suffix(':')) {
            (Some(end), _) => &rest[..end],
            (None, Some(all)) => all,
            (None, None) => rest,
        },
    };
    let name = name.trim_end();
    let start = pair.start + (name.as_ptr() as usize - text.as_ptr() as usize) as u32;
    Some(Span::sized(start, name.len())).filter(|_| name != "<<")
}

fn pair(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(symbol) = frame.symbol {
        let value = walk.start_of(frame, "value");
        keys::sign(walk, symbol, value);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::YAML;
    use crate::{Extractor, Limits, cases};

    #[test]
    fn cases() {
        cases::check(&YAML, "yaml/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&YAML);
    }

    /// Without `prepare` this is the end of the process.
    #[test]
    fn nested_without_end() {
        let stairs = |step: usize, line: &str| {
            (0..400)
                .map(|i| " ".repeat(step * i) + line + "\n")
                .collect()
        };
        let mut texts: Vec<String> = vec![
            stairs(1, "k:"),
            stairs(2, "- k:"),
            stairs(1, "-"),
            stairs(3, "- - k:"),
            stairs(2, "? k"),
        ];
        texts.extend(
            [
                "- ", "? ", "? - ", "\"a\" - ", "a: - ", "[", "{a: ", "---\n",
            ]
            .map(|part| part.repeat(100_000)),
        );
        for text in texts {
            Extractor::new().extract(&YAML, &text, &Limits::default());
        }
    }
}
