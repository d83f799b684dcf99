//! The text of a symbol or a file without what is inside of it and without comments: what tells
//! whether it changed itself.

use std::sync::Arc;

use facts::{Import, ImportKind, Span, SymbolIndex, TriviaKind};

use super::symbols::members;
use crate::{FileView, Resolver};

/// The text of a symbol without its members and comments.
pub(super) fn own_text(view: &Arc<FileView>, index: SymbolIndex, file_text: &str) -> String {
    let symbol = view.symbol(index);
    let mut holes = Vec::new();
    if symbol.kind.is_container() {
        let members = members((view, Some(index))).into_iter();
        holes.extend(members.map(|index| view.symbol(index).span));
    }
    without(view, file_text, symbol.span, holes)
}

/// The text of a file without its symbols, import statements and comments.
pub(super) fn outside_text(resolver: &Resolver, view: &Arc<FileView>) -> String {
    let snapshot = resolver.snapshot();
    let Some(text) = snapshot.corpus().text(snapshot.file(view.id).content) else {
        return String::new();
    };
    let symbols = members((view, None)).into_iter();
    let symbols = symbols.map(|index| view.symbol(index).span);
    // What an import gives shows where it is used, unless the module itself is run.
    let runs = |import: &Import| import.kind == ImportKind::Module && import.local.is_none();
    let imports = view.facts.imports.iter();
    let imports = imports.filter(|import| !runs(import));
    let holes = symbols.chain(imports.map(|import| import.span)).collect();
    without(view, &text, Span::new(0, text.len() as u32), holes)
}

/// The lines of a part of a text outside of its holes and comments, without blank ones and without
/// the indentation that all of them share.
fn without(view: &FileView, text: &str, span: Span, mut holes: Vec<Span>) -> String {
    let comments = view.facts.trivia.iter();
    let comments = comments.filter(|trivia| trivia.kind == TriviaKind::Comment);
    holes.extend(comments.map(|trivia| trivia.span));
    holes.sort_by_key(|hole| (hole.start, std::cmp::Reverse(hole.end)));
    let mut own = String::new();
    let mut at = span.start;
    for hole in holes {
        if hole.start >= at && hole.end <= span.end {
            own.push_str(
                text.get(at as usize..hole.start as usize)
                    .unwrap_or_default(),
            );
            at = hole.end;
        }
    }
    own.push_str(text.get(at as usize..span.end as usize).unwrap_or_default());
    let lines = || {
        own.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shared = lines().skip(1).map(indent).min().unwrap_or(0);
    let mut joined = String::new();
    for line in lines() {
        joined.push_str(&line[shared.min(indent(line))..]);
        joined.push('\n');
    }
    joined
}
