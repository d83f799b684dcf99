//! Shell scripts, by their outline: functions, aliases, and the variables set outside of functions.

use crate::{outline, prelude::*, rules::*};

pub static BASH: Language = Language {
    name: "bash",
    id: LanguageId(25),
    extensions: &["sh", "bash", "ksh", "zsh", "ebuild"],
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".envrc",
        "PKGBUILD",
        "APKBUILD",
    ],
    interpreters: &["sh", "bash", "dash", "ash", "ksh", "zsh"],
    version: 1,
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    n_node_kinds: 280,
    rules: &[RULES],
    finish: Some(finish),
    line_definitions: &[("function", SymbolKind::Function)],
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("function_definition")
        .defines_function(SymbolKind::Function)
        .leave(function),
    on("declaration_command")
        .enter(enter_declaration)
        .no_value(),
    on("variable_assignment").enter(enter_variable).no_value(),
    on("command").leave(alias),
    // What is set in a subshell is gone behind it.
    on_any(&["command_substitution", "subshell"]).opens(ScopeKind::Lambda),
];

fn function(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let symbol = shared::finish_symbol(walk, frame, "name", "body")?;
    // `#!/bin/sh` says nothing about the function that follows.
    if let Some(doc) = walk
        .symbol(symbol)
        .doc
        .filter(|doc| walk.source(*doc).starts_with("#!"))
    {
        let rest = walk
            .source(doc)
            .split_once('\n')
            .map(|(_, rest)| Span::new(doc.end - rest.len() as u32, doc.end));
        walk.symbol_mut(symbol).doc = rest;
    }
    None
}

/// `readonly`, `declare -r`, `export`: its assignments start at the word.
fn enter_declaration(walk: &mut Walk<'_>, frame: &mut Frame) {
    let text = walk.source(frame.span);
    let mut words = text.split_whitespace();
    let word = words.next().unwrap_or("");
    let flags: String = words.take_while(|word| word.starts_with('-')).collect();
    frame
        .modifiers
        .insert_if(Modifiers::FINAL, word == "readonly" || flags.contains('r'));
    frame
        .modifiers
        .insert_if(Modifiers::EXPORTED, word == "export" || flags.contains('x'));
}

fn enter_variable(walk: &mut Walk<'_>, frame: &mut Frame) {
    let parent = walk
        .ancestors()
        .nth(1)
        .map(|parent| (parent.kind, parent.modifiers, parent.span.start));
    // `NAME=value command` holds for that command only.
    let Some((kind, modifiers, start)) =
        parent.filter(|(kind, ..)| *kind != "command" && !outline::in_body(walk))
    else {
        return;
    };
    let text = walk.source(frame.span);
    let len = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    if len == 0 || !text[len..].starts_with('=') {
        return;
    }
    if kind == "declaration_command"
        && !walk
            .source(Span::new(start, frame.span.start))
            .contains('=')
    {
        walk.leading_start(start);
    }
    let constant = modifiers.contains(Modifiers::FINAL);
    let symbol = walk.define(
        frame,
        if constant {
            SymbolKind::Constant
        } else {
            SymbolKind::Variable
        },
        frame.span,
    );
    shared::name_symbol(walk, symbol, Span::sized(frame.span.start, len));
    let line = walk.source(frame.span).lines().next().unwrap_or("").len() as u32;
    let symbol = walk.symbol_mut(symbol);
    symbol.signature = Span::new(symbol.span.start, frame.span.start + line);
    symbol.modifiers.insert(modifiers);
}

/// `alias ll='ls -l'`.
fn alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if outline::in_body(walk) || !walk.source(frame.span).starts_with("alias ") {
        return None;
    }
    let arguments: Vec<Span> = walk
        .children(frame)
        .iter()
        .filter(|child| child.field == "argument")
        .map(|child| child.span)
        .collect();
    for argument in arguments {
        let Some(len) = walk.source(argument).find('=').filter(|&len| len > 0) else {
            continue;
        };
        let symbol = walk.new_symbol(SymbolKind::Macro, argument);
        shared::name_symbol(walk, symbol, Span::sized(argument.start, len));
    }
    None
}

fn finish(walk: &mut Walk<'_>) {
    crate::flat::recover(walk);
    outline::keep_first_values(walk);
}

#[cfg(test)]
mod tests {
    use super::BASH;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&BASH, "bash/cases.md", 5);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&BASH);
    }
}
