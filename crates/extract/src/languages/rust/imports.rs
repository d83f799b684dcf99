//! `use`, `extern crate`.

use crate::prelude::*;

use super::lexer::{TokenKind, is_keyword, tokens};

/// A path as far as it was read.
#[derive(Clone, Copy, Default)]
struct Path {
    whole: Option<NameId>,
    /// The whole without its last word.
    module: Option<NameId>,
    /// The last word, unless it was dealt with.
    last: Option<Span>,
    recipe: RecipeId,
}

/// One import per leaf: `use a::{b, c as d, e::*, self}`.
pub(super) fn use_declaration(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let text = walk.source(frame.span);
    let template = Import {
        kind: ImportKind::Item,
        module: walk.name(""),
        level: 0,
        item: None,
        local: None,
        scope: walk.scope(),
        span: frame.span,
        name_span: frame.span,
        alias_span: None,
        reexported: text.starts_with("pub") || text.starts_with("crate"),
    };
    let mut prefixes: Vec<Path> = vec![Path::default()];
    let (mut path, mut alias) = (Path::default(), None);
    let (mut started, mut after_as) = (false, false);
    for token in tokens(walk.text, frame.span) {
        let text = walk.source(token.span);
        match token.kind {
            TokenKind::Comment => walk.facts_mut().trivia.push(Trivia {
                kind: TriviaKind::Comment,
                span: token.span,
            }),
            TokenKind::Word if !started => started = text == "use",
            _ if !started => {}
            TokenKind::Word if text == "as" => after_as = true,
            TokenKind::Word if after_as => (alias, after_as) = (Some(token.span), false),
            TokenKind::Word => {
                refer_to_last(walk, &mut path);
                path = step(walk, &path, token.span);
            }
            TokenKind::Mark if text == "*" => {
                refer_to_last(walk, &mut path);
                let module = path.whole.unwrap_or(template.module);
                walk.import(Import {
                    kind: ImportKind::Glob,
                    module,
                    name_span: token.span,
                    ..template.clone()
                });
            }
            TokenKind::Open => {
                refer_to_last(walk, &mut path);
                prefixes.push(path);
            }
            TokenKind::Close | TokenKind::Mark if matches!(text, "}" | "," | ";") => {
                leaf(walk, &template, &path, alias.take());
                if token.kind == TokenKind::Close {
                    prefixes.pop();
                    path = Path::default();
                } else {
                    path = prefixes.last().copied().unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    None
}

fn step(walk: &mut Walk<'_>, path: &Path, word: Span) -> Path {
    // Nobody writes such a path by hand.
    const MAX_PATH: usize = 1_000;
    let name = walk.name_at(word);
    let (whole, recipe) = match path.whole {
        Some(module) if walk.word(module).len() > MAX_PATH => return *path,
        Some(module) => {
            let whole = format!("{}::{}", walk.word(module), walk.word(name));
            (walk.name(whole), Recipe::Scoped(path.recipe, name))
        }
        None => (name, Recipe::Name(name)),
    };
    Path {
        whole: Some(whole),
        module: path.whole,
        last: Some(word),
        recipe: walk.recipe(recipe),
    }
}

/// The last word turns out to be inside the path, not at its end: it is a reference.
fn refer_to_last(walk: &mut Walk<'_>, path: &mut Path) {
    let Some(word) = path
        .last
        .take()
        .filter(|&word| !is_keyword(walk.source(word)))
    else {
        return;
    };
    let receiver = match walk.recipe_of(path.recipe) {
        Recipe::Scoped(receiver, _) => Some(receiver),
        _ => None,
    };
    walk.reference(word, Role::Import, receiver);
}

fn leaf(walk: &mut Walk<'_>, template: &Import, path: &Path, alias_span: Option<Span>) {
    let Some(name_span) = path.last else { return };
    let (module, item) = if walk.source(name_span) == "self" {
        // `a::b::{self}` is `a::b`.
        let Some(outer) = path.module.map(|outer| walk.word(outer)) else {
            return;
        };
        match outer.rsplit_once("::") {
            Some((module, item)) => (
                Some(walk.name(module.to_owned())),
                walk.name(item.to_owned()),
            ),
            None => (None, walk.name(outer)),
        }
    } else {
        (path.module, walk.name_at(name_span))
    };
    let local = match alias_span.map(|alias| walk.source(alias)) {
        // A trait in scope without a name.
        Some("_") => None,
        Some(alias) => Some(walk.name(alias)),
        None => Some(item),
    };
    let (kind, module, item) = match module {
        Some(module) => (ImportKind::Item, module, Some(item)),
        None => (ImportKind::Module, item, None),
    };
    walk.import(Import {
        kind,
        module,
        item,
        local,
        name_span,
        alias_span,
        ..template.clone()
    });
}

/// `extern crate a as b;`
pub(super) fn extern_crate(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child(frame, "name")?;
    let alias_span = walk.child(frame, "alias").map(|alias| alias.span);
    let module = walk.name_at(name.span);
    let local = Some(alias_span.map_or(module, |alias| walk.name_at(alias)));
    let import = walk.new_import(ImportKind::Module, module, frame.span, name.span);
    (import.local, import.alias_span, import.reexported) =
        (local, alias_span, frame.visibility != Visibility::Default);
    None
}
