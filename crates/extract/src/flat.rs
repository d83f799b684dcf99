//! Symbols from a line scan, for text that cannot be parsed within its limits.

use facts::{Facts, ListRange, Modifiers, Problem, ScopeId, Span, Symbol, TypeId, Visibility};

use crate::{builder::Builder, language::Language};

/// One symbol per line that starts, after its indentation and other words, with a defining word and a name.
pub(crate) fn scan(language: &'static Language, text: &str, problem: Problem) -> Facts {
    let mut builder = Builder::new(language.id, text);
    builder.facts.problems.push(problem);
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        // A line longer than this is data or generated.
        if line.len() < 1_000 {
            scan_line(&mut builder, language, line, offset);
        }
        offset += line.len() as u32;
    }
    builder.finish()
}

fn scan_line<'text>(builder: &mut Builder<'text>, language: &Language, line: &'text str, offset: u32) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let Some((_, kind)) = language.line_definitions.iter().find(|(defining, _)| *defining == word) else { continue };
        let Some(name) = words.next().filter(|name| !name.starts_with(|c: char| c.is_ascii_digit())) else { return };
        let start = offset + (name.as_ptr() as usize - line.as_ptr() as usize) as u32;
        let span = Span::new(offset, offset + line.trim_end().len() as u32);
        let name_id = builder.name(name);
        builder.facts.symbols.push(Symbol {
            kind: *kind,
            name: name_id,
            parent: None,
            span,
            name_span: Span::new(start, start + name.len() as u32),
            signature: span,
            doc: None,
            visibility: Visibility::Default,
            modifiers: Modifiers::default(),
            declared_in: ScopeId::FILE,
            body: None,
            owner: TypeId::UNKNOWN,
            ty: TypeId::UNKNOWN,
            values: ListRange::default(),
            parameters: ListRange::default(),
            type_parameters: ListRange::default(),
        });
        return;
    }
}
