//! Extraction of any text, in every language of full depth.

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
