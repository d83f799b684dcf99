//! What comes into a file and what leaves it.

use facts::{Export, Import, ImportKind, ListRange, Recipe, RecipeId, Role, Span};

use super::declarations;
use crate::{
    handlers as shared,
    walk::{Child, Frame, Outcome, Pattern, Walk},
};

/// An import of a module that the statement around will name.
fn unnamed(walk: &mut Walk<'_>, kind: ImportKind, span: Span) -> Import {
    Import {
        kind,
        module: walk.name(""),
        level: 0,
        item: None,
        local: None,
        scope: walk.scope(),
        span,
        name_span: span,
        alias_span: None,
        reexported: false,
    }
}

/// Names the module of the imports that are inside a statement.
fn name_module(walk: &mut Walk<'_>, statement: Span, source: Child) -> bool {
    let module = shared::unquoted(walk.source(source.span));
    let module = walk.name(module);
    let source_span = unquoted_span(source.span);
    let mut any = false;
    for import in walk
        .facts_mut()
        .imports
        .iter_mut()
        .rev()
        .take_while(|import| statement.encloses(import.span))
    {
        (import.module, import.span) = (module, statement);
        if import.kind == ImportKind::Module {
            import.name_span = source_span;
        }
        any = true;
    }
    any
}

fn unquoted_span(span: Span) -> Span {
    if span.len() >= 2 {
        Span::new(span.start + 1, span.end - 1)
    } else {
        span
    }
}

pub(super) fn import_statement(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let source = walk.child(frame, "source")?;
    if walk.child_of_kind(frame, "import_clause").is_none() {
        // Only for its effects.
        let import = unnamed(walk, ImportKind::Module, frame.span);
        walk.import(import);
    }
    name_module(walk, frame.span, source);
    None
}

/// `import name, …`: the default export.
pub(super) fn import_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(name) = walk.child_of_kind(frame, "identifier") {
        let local = walk.name_at(name.span);
        let import = unnamed(walk, ImportKind::Default, name.span);
        // It is before the others of its clause.
        let imports = &mut walk.facts_mut().imports;
        let first = imports
            .iter()
            .rposition(|import| !frame.span.encloses(import.span))
            .map_or(0, |last| last + 1);
        imports.insert(
            first,
            Import {
                local: Some(local),
                ..import
            },
        );
    }
    None
}

pub(super) fn namespace_import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(name) = walk.child_of_kind(frame, "identifier") {
        let local = walk.name_at(name.span);
        let import = unnamed(walk, ImportKind::Module, frame.span);
        walk.import(Import {
            local: Some(local),
            alias_span: Some(name.span),
            ..import
        });
    }
    None
}

pub(super) fn import_specifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name_span, alias_span) = specifier(walk, frame.span);
    let item = walk.name_at(name_span);
    let local = alias_span.map_or(item, |alias| walk.name_at(alias));
    let is_default = walk.source(name_span) == "default";
    let import = unnamed(
        walk,
        if is_default {
            ImportKind::Default
        } else {
            ImportKind::Item
        },
        frame.span,
    );
    walk.import(Import {
        item: (!is_default).then_some(item),
        local: Some(local),
        name_span,
        alias_span,
        ..import
    });
    None
}

/// The places of `name` and `alias` in `type name as alias`; names may be quoted.
fn specifier(walk: &Walk<'_>, span: Span) -> (Span, Option<Span>) {
    let text = walk.source(span);
    let mut words: Vec<Span> = text
        .split_whitespace()
        .map(|word| {
            let start = span.start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
            let place = Span::new(start, start + word.len() as u32);
            if word.starts_with(['"', '\'']) {
                unquoted_span(place)
            } else {
                place
            }
        })
        .collect();
    if matches!(words.len(), 2 | 4) {
        words.remove(0);
    }
    match words.as_slice() {
        [name, _, alias] => (*name, Some(*alias)),
        [name, ..] => (*name, None),
        [] => (span, None),
    }
}

pub(super) fn export_specifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name_span, alias_span) = specifier(walk, frame.span);
    let local = walk.name_at(name_span);
    let exported = alias_span.map_or(local, |alias| walk.name_at(alias));
    if let Some(alias) = alias_span {
        walk.label(alias);
    }
    walk.export(Export {
        exported,
        local: Some(local),
        value: RecipeId::UNKNOWN,
        module: None,
        name_span,
    });
    None
}

/// `export * as name from`.
pub(super) fn namespace_export(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).first().map(|child| child.span)?;
    let exported = walk.name_at(name);
    walk.export(Export {
        exported,
        local: None,
        value: RecipeId::UNKNOWN,
        module: None,
        name_span: name,
    });
    None
}

pub(super) fn export_statement(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    if let Some(value) = walk.child(frame, "value") {
        declarations::default_export(walk, frame, value);
        return None;
    }
    if walk.child(frame, "declaration").is_some() {
        return None;
    }
    if let Some(source) = walk.child(frame, "source") {
        reexport(walk, frame, source);
        return None;
    }
    if walk.child_of_kind(frame, "export_clause").is_some() {
        let exports: Vec<Export> = inside(walk, frame.span);
        for export in exports {
            if let Some(local) = export.local {
                walk.reference_named(local, export.name_span, Role::Import, None);
            }
        }
        return None;
    }
    // `export = value`.
    let value = walk
        .children(frame)
        .last()
        .copied()
        .filter(|value| value.outcome.recipe.is_known())?;
    let exported = walk.name("=");
    let (local, recipe) = match walk.recipe_of(value.outcome.recipe) {
        Recipe::Name(name) => (Some(name), RecipeId::UNKNOWN),
        _ => (None, value.outcome.recipe),
    };
    walk.export(Export {
        exported,
        local,
        value: recipe,
        module: None,
        name_span: value.span,
    });
    None
}

/// The exports that a statement has given so far.
fn inside(walk: &Walk<'_>, statement: Span) -> Vec<Export> {
    let exports = &walk.facts().exports;
    let first = exports
        .iter()
        .rposition(|export| !statement.encloses(export.name_span))
        .map_or(0, |last| last + 1);
    exports[first..].to_vec()
}

/// `export { a as b } from "m"`, `export * from "m"`, `export * as ns from "m"`: an import that
/// only passes through.
fn reexport(walk: &mut Walk<'_>, frame: &Frame, source: Child) {
    let module = shared::unquoted(walk.source(source.span));
    let module = walk.name(module);
    let exports = inside(walk, frame.span);
    if exports.is_empty() && walk.child_of_kind(frame, "export_clause").is_none() {
        let exported = walk.name("*");
        walk.export(Export {
            exported,
            local: None,
            value: RecipeId::UNKNOWN,
            module: Some(module),
            name_span: source.span,
        });
    }
    for export in walk
        .facts_mut()
        .exports
        .iter_mut()
        .rev()
        .take_while(|export| frame.span.encloses(export.name_span))
    {
        export.module = Some(module);
    }
    for export in &exports {
        let import = unnamed(walk, ImportKind::Item, frame.span);
        let import = match export.local {
            Some(_) if walk.source(export.name_span) == "default" => Import {
                kind: ImportKind::Default,
                name_span: export.name_span,
                ..import
            },
            Some(item) => Import {
                item: Some(item),
                name_span: export.name_span,
                ..import
            },
            None => Import {
                kind: ImportKind::Module,
                name_span: unquoted_span(source.span),
                ..import
            },
        };
        walk.import(Import {
            module,
            reexported: true,
            ..import
        });
    }
    if exports.is_empty() {
        let import = unnamed(walk, ImportKind::Module, frame.span);
        walk.import(Import {
            module,
            name_span: unquoted_span(source.span),
            reexported: true,
            ..import
        });
    }
}

/// The module that `import("m")` or `require("m")` gives: an import under a name that nobody can
/// write.
pub(super) fn module_value(walk: &mut Walk<'_>, frame: &Frame, arguments: ListRange) -> Outcome {
    let Some(&source) = walk.list_of(arguments).first() else {
        return Outcome::NONE;
    };
    let Recipe::Str(module) = walk.recipe_of(source) else {
        return Outcome::NONE;
    };
    let local = walk.name_at(frame.span);
    let import = unnamed(walk, ImportKind::Module, frame.span);
    let end = frame.span.end;
    let start = end - walk.source(frame.span).len() as u32
        + walk
            .source(frame.span)
            .find('(')
            .map_or(0, |at| at as u32 + 1);
    walk.import(Import {
        module,
        local: Some(local),
        name_span: Span::new(start, end.saturating_sub(1)),
        ..import
    });
    let recipe = walk.recipe(Recipe::Name(local));
    Outcome::recipe(recipe)
}

/// `const x = require("m")`, `const { a, b: c } = require("m")`: the names themselves are imported.
pub(super) fn import_of(walk: &mut Walk<'_>, frame: &Frame, name: Child, value: Child) -> bool {
    let is_require =
        value.kind == "call_expression" && walk.source(value.span).starts_with("require");
    let Some(import) = walk
        .facts()
        .imports
        .last()
        .cloned()
        .filter(|import| is_require && import.span == value.span)
    else {
        return false;
    };
    let Some(pattern) = name.outcome.pattern else {
        let local = walk.name_at(name.span);
        walk.facts_mut().imports.pop();
        walk.import(Import {
            local: Some(local),
            alias_span: Some(name.span),
            span: frame.span,
            ..import
        });
        return true;
    };
    let Pattern::Fields(fields) = walk.pattern_of(pattern).clone() else {
        return false;
    };
    let mut imports = Vec::new();
    for (item, part) in fields {
        let (key, target) = match walk.pattern_of(part) {
            Pattern::Name(binding) => (None, *binding),
            Pattern::Both(key, inner) => match (walk.pattern_of(*key), walk.pattern_of(*inner)) {
                (Pattern::Name(key), Pattern::Name(target)) => (Some(*key), *target),
                _ => return false,
            },
            _ => return false,
        };
        let (local, alias_span) = (walk.binding(target).name, walk.binding(target).name_span);
        let name_span = key.map_or(alias_span, |key| walk.binding(key).name_span);
        let alias_span = key.map(|_| alias_span);
        imports.push((
            target,
            Import {
                kind: ImportKind::Item,
                item: Some(item),
                local: Some(local),
                name_span,
                alias_span,
                span: frame.span,
                ..import
            },
        ));
    }
    walk.facts_mut().imports.pop();
    for (target, import) in imports {
        // The import represents the name; what the pattern bound is only a word.
        walk.binding_mut(target).kind = facts::BindingKind::Label;
        walk.import(import);
    }
    true
}

/// `import fs = require("fs")`.
#[cfg(feature = "typescript")]
pub(super) fn import_require(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name, source) = (
        walk.child_of_kind(frame, "identifier")?,
        walk.child(frame, "source")?,
    );
    let module = shared::unquoted(walk.source(source.span));
    let (module, local) = (walk.name(module), walk.name_at(name.span));
    let import = unnamed(walk, ImportKind::Module, frame.span);
    walk.import(Import {
        module,
        local: Some(local),
        name_span: unquoted_span(source.span),
        alias_span: Some(name.span),
        ..import
    });
    None
}

/// `import Cart = shop.Cart`: another name for something in a namespace.
#[cfg(feature = "typescript")]
pub(super) fn import_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let children = walk.children(frame).to_vec();
    let [name, target] = children.as_slice() else {
        return None;
    };
    let mut ty = target.outcome.ty;
    if target.kind == "identifier" {
        let target = super::expressions::read(walk, target.span);
        ty = super::expressions::as_type(walk, target.recipe);
    }
    let symbol = walk.new_symbol(facts::SymbolKind::TypeAlias, frame.span);
    shared::name_symbol(walk, symbol, name.span);
    walk.symbol_mut(symbol).ty = ty;
    if walk.parent_is(&["export_statement"]) {
        walk.mark(symbol, facts::Modifiers::EXPORTED);
    }
    None
}
