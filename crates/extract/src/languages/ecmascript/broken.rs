//! Definitions inside text that the parser gave up on, found by their first words.

use facts::{Modifiers, ProblemKind, Span, SymbolKind};
use rustc_hash::FxHashSet;

use crate::{handlers as shared, walk::Walk};

/// Adds the symbols that lines of unread text define and that nothing else has found.
pub(super) fn recover(walk: &mut Walk<'_>) {
    let spans: Vec<Span> = walk.facts().problems.iter().filter(|problem| problem.kind == ProblemKind::Syntax).map(|problem| problem.span).collect();
    if spans.is_empty() {
        return;
    }
    let mut known: FxHashSet<u32> = walk.facts().symbols.iter().map(|symbol| symbol.name_span.start).collect();
    let mut trivia: Vec<Span> = walk.facts().trivia.iter().map(|trivia| trivia.span).collect();
    trivia.sort_unstable();
    let mut end = 0;
    for span in spans {
        // Problems may stand inside one another.
        let start = line_start(walk.text, span.start.max(end));
        end = end.max(span.end);
        let mut offset = start;
        for line in Span::new(start, span.end).text(walk.text).split_inclusive('\n') {
            let (line_span, found) = (Span::new(offset, offset + line.trim_end().len() as u32), definition(line));
            offset += line.len() as u32;
            let Some((kind, name, is_exported)) = found else { continue };
            let name_start = line_span.start + (name.as_ptr() as usize - line.as_ptr() as usize) as u32;
            if name_start < span.start || !known.insert(name_start) || is_inside(&trivia, name_start) {
                continue;
            }
            let symbol = walk.new_symbol(kind, line_span);
            shared::name_symbol(walk, symbol, Span::new(name_start, name_start + name.len() as u32));
            if is_exported {
                walk.symbol_mut(symbol).modifiers.insert(Modifiers::EXPORTED);
            }
        }
    }
}

fn line_start(text: &str, offset: u32) -> u32 {
    text.as_bytes()[..(offset as usize).min(text.len())].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at as u32 + 1)
}

/// What a line defines: `export async function name`, `class Name`; variables only where they stand at its start.
fn definition(line: &str) -> Option<(SymbolKind, &str, bool)> {
    const MAX_LINE: usize = 1_000;
    if line.len() > MAX_LINE {
        return None;
    }
    let is_indented = line.starts_with([' ', '\t']);
    let mut rest = line.trim_start();
    let mut is_exported = false;
    loop {
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        let (word, after) = rest.split_at(len);
        let kind = match word {
            "export" | "default" | "async" | "abstract" | "declare" => {
                is_exported |= word == "export";
                rest = after.trim_start();
                continue;
            }
            "function" => SymbolKind::Function,
            "class" => SymbolKind::Class,
            "interface" => SymbolKind::Interface,
            "enum" => SymbolKind::Enum,
            "namespace" => SymbolKind::Namespace,
            "type" if after.contains('=') => SymbolKind::TypeAlias,
            "const" if !is_indented => SymbolKind::Constant,
            "let" | "var" if !is_indented => SymbolKind::Variable,
            _ => return None,
        };
        let name = after.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
        let len = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(name.len());
        let is_name = len > 0 && after.len() > name.len() && !name.starts_with(|c: char| c.is_ascii_digit());
        let kind = match kind {
            SymbolKind::Constant if name[len..].contains("=>") || name[len..].contains("= function") => SymbolKind::Function,
            kind => kind,
        };
        return is_name.then(|| (kind, &name[..len], is_exported));
    }
}

fn is_inside(trivia: &[Span], offset: u32) -> bool {
    let after = trivia.partition_point(|span| span.start <= offset);
    after > 0 && trivia[after - 1].contains(offset)
}
