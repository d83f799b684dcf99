//! What comes into a file and what leaves it.

use crate::prelude::*;

use super::declarations;

/// An import of a module that the statement around will name.
fn unnamed<'walk>(walk: &'walk mut Walk<'_>, kind: ImportKind, span: Span) -> &'walk mut Import {
    let module = walk.name("");
    walk.new_import(kind, module, span, span)
}

/// The module that a quoted path names. The word that it ends in is a name of the file, too, by which
/// imports under any name are found.
fn module_at(walk: &mut Walk<'_>, source: Child) -> NameId {
    let module = shared::unquoted(walk.source(source.span));
    walk.name(module_word(module));
    walk.name(module)
}

/// Names the module of the imports that are inside a statement.
fn name_module(walk: &mut Walk<'_>, statement: Span, source: Child) {
    let module = module_at(walk, source);
    let source_span = unquoted_span(source.span);
    let imports = walk.facts_mut().imports.iter_mut().rev();
    for import in imports.take_while(|import| statement.encloses(import.span)) {
        (import.module, import.span) = (module, statement);
        if import.kind == ImportKind::Module {
            import.name_span = source_span;
        }
    }
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
        unnamed(walk, ImportKind::Module, frame.span);
    }
    name_module(walk, frame.span, source);
    None
}

/// `import name, …`: the default export.
pub(super) fn import_clause(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier")?;
    let local = walk.name_at(name.span);
    unnamed(walk, ImportKind::Default, name.span).local = Some(local);
    // It is before the others of its clause.
    let imports = &mut walk.facts_mut().imports;
    let others = imports.iter().rev().skip(1);
    let n_others = others
        .take_while(|import| frame.span.encloses(import.span))
        .count();
    let first = imports.len() - 1 - n_others;
    imports[first..].rotate_right(1);
    None
}

pub(super) fn namespace_import(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier")?;
    let local = walk.name_at(name.span);
    let import = unnamed(walk, ImportKind::Module, frame.span);
    (import.local, import.alias_span) = (Some(local), Some(name.span));
    None
}

pub(super) fn import_specifier(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let (name_span, alias_span) = specifier(walk, frame.span);
    let item = walk.name_at(name_span);
    let local = alias_span.map_or(item, |alias| walk.name_at(alias));
    let is_default = walk.source(name_span) == "default";
    let import = unnamed(walk, ImportKind::Item, frame.span);
    (import.item, import.local) = (Some(item), Some(local));
    (import.name_span, import.alias_span) = (name_span, alias_span);
    if is_default {
        (import.kind, import.item) = (ImportKind::Default, None);
    }
    None
}

/// The places of `name` and `alias` in `type name as alias`; names may be quoted.
fn specifier(walk: &Walk<'_>, span: Span) -> (Span, Option<Span>) {
    let text = walk.source(span);
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let start = span.start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let place = Span::sized(start, word.len());
        let is_quoted = word.starts_with(['"', '\'']);
        words.push(if is_quoted {
            unquoted_span(place)
        } else {
            place
        });
    }
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
    walk.new_export(exported, name_span).local = Some(local);
    None
}

/// `export * as name from`.
pub(super) fn namespace_export(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.children(frame).first().map(|child| child.span)?;
    let exported = walk.name_at(name);
    walk.new_export(exported, name);
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
        for export in inside(walk, frame.span) {
            if let Some(local) = export.local {
                walk.reference_named(local, export.name_span, Role::Import, None);
            }
        }
        return None;
    }
    // `export = value`.
    let value = walk.children(frame).last().copied()?;
    if value.outcome.recipe.is_known() {
        let exported = walk.name("=");
        walk.export_value(exported, value.outcome.recipe, value.span);
    }
    None
}

/// The exports that a statement has given so far.
fn inside(walk: &Walk<'_>, statement: Span) -> Vec<Export> {
    let exports = &walk.facts().exports;
    let before = exports
        .iter()
        .rposition(|export| !statement.encloses(export.name_span));
    exports[before.map_or(0, |last| last + 1)..].to_vec()
}

/// `export { a as b } from "m"`, `export * from "m"`, `export * as ns from "m"`: an import that
/// only passes through.
fn reexport(walk: &mut Walk<'_>, frame: &Frame, source: Child) {
    let module = module_at(walk, source);
    let exports = inside(walk, frame.span);
    if exports.is_empty() && walk.child_of_kind(frame, "export_clause").is_none() {
        let exported = walk.name("*");
        walk.new_export(exported, source.span).module = Some(module);
    }
    let recent = walk.facts_mut().exports.iter_mut().rev();
    for export in recent.take_while(|export| frame.span.encloses(export.name_span)) {
        export.module = Some(module);
    }
    let whole = (ImportKind::Module, None, unquoted_span(source.span));
    let mut imports: Vec<_> = exports
        .iter()
        .map(|export| match export.local {
            Some(_) if walk.source(export.name_span) == "default" => {
                (ImportKind::Default, None, export.name_span)
            }
            Some(item) => (ImportKind::Item, Some(item), export.name_span),
            None => whole,
        })
        .collect();
    if imports.is_empty() {
        imports.push(whole);
    }
    for (kind, item, name_span) in imports {
        let import = unnamed(walk, kind, frame.span);
        (import.module, import.item, import.name_span) = (module, item, name_span);
        import.reexported = true;
    }
}

/// The module that `import("m")` or `require("m")` gives: an import under a name that nobody can
/// write.
pub(super) fn module_value(walk: &mut Walk<'_>, frame: &Frame, arguments: ListRange) -> Outcome {
    let source = walk.list_of(arguments).first().copied().unwrap_or_default();
    let Recipe::Str(module) = walk.recipe_of(source) else {
        return Outcome::NONE;
    };
    let path = walk.word(module);
    walk.name(module_word(&path).to_owned());
    let local = walk.name_at(frame.span);
    let open = walk
        .source(frame.span)
        .find('(')
        .map_or(0, |at| at as u32 + 1);
    let name_span = Span::new(frame.span.start + open, frame.span.end.saturating_sub(1));
    let import = unnamed(walk, ImportKind::Module, frame.span);
    (import.module, import.local, import.name_span) = (module, Some(local), name_span);
    Outcome::recipe(walk.recipe(Recipe::Name(local)))
}

/// Whether a value is the name of a module, or of something out of a library.
pub(super) fn is_module(walk: &Walk<'_>, value: RecipeId) -> bool {
    let Recipe::Name(local) = walk.recipe_of(value) else {
        return false;
    };
    let mut imports = walk.facts().imports.iter();
    imports.any(|import| {
        let is_library = !walk.builder.word(import.module).starts_with('.');
        import.local == Some(local) && (is_library || import.kind == ImportKind::Module)
    })
}

/// `const x = require("./m").y`: an import of `y`, besides the module.
fn import_of_member(walk: &mut Walk<'_>, frame: &Frame, name: Child, value: Child) -> bool {
    let Recipe::Member(_, item) = walk.recipe_of(value.outcome.recipe) else {
        return false;
    };
    let word_len = walk.word(item).len() as u32;
    let last = walk.facts().imports.last().cloned();
    let module = last.filter(|import| {
        import.span.start == value.span.start
            && import.span.end + 1 + word_len == value.span.end
            && walk.builder.word(import.module).starts_with('.')
    });
    let Some(module) = module.filter(|_| name.outcome.pattern.is_none()) else {
        return false;
    };
    let local = walk.name_at(name.span);
    let name_span = Span::new(value.span.end - word_len, value.span.end);
    let import = walk.new_import(ImportKind::Item, module.module, frame.span, name_span);
    (import.item, import.local, import.alias_span) = (Some(item), Some(local), Some(name.span));
    true
}

/// `const x = require("m")`, `const { a, b: c } = require("m")`: the names themselves are imported.
pub(super) fn import_of(walk: &mut Walk<'_>, frame: &Frame, name: Child, value: Child) -> bool {
    if value.kind == "member_expression" {
        return import_of_member(walk, frame, name, value);
    }
    let is_require =
        value.kind == "call_expression" && walk.source(value.span).starts_with("require");
    let last = walk.facts().imports.last().cloned();
    let Some(import) = last.filter(|import| is_require && import.span == value.span) else {
        return false;
    };
    let Some(pattern) = name.outcome.pattern else {
        let local = walk.name_at(name.span);
        if let Some(import) = walk.facts_mut().imports.last_mut() {
            (import.local, import.alias_span, import.span) =
                (Some(local), Some(name.span), frame.span);
        }
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
        imports.push((item, key, target));
    }
    walk.facts_mut().imports.pop();
    for (item, key, target) in imports {
        let (local, place) = (walk.binding(target).name, walk.binding(target).name_span);
        let name_span = key.map_or(place, |key| walk.binding(key).name_span);
        // The import represents the name; what the pattern bound is only a word.
        walk.binding_mut(target).kind = BindingKind::Label;
        let import = walk.new_import(ImportKind::Item, import.module, frame.span, name_span);
        (import.item, import.local) = (Some(item), Some(local));
        import.alias_span = key.map(|_| place);
    }
    true
}

/// `import fs = require("fs")`.
#[cfg(feature = "typescript")]
pub(super) fn import_require(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let name = walk.child_of_kind(frame, "identifier")?;
    let source = walk.child(frame, "source")?;
    let (module, local) = (module_at(walk, source), walk.name_at(name.span));
    let import = unnamed(walk, ImportKind::Module, frame.span);
    (import.module, import.name_span) = (module, unquoted_span(source.span));
    (import.local, import.alias_span) = (Some(local), Some(name.span));
    None
}

/// `import Cart = shop.Cart`: another name for something in a namespace.
#[cfg(feature = "typescript")]
pub(super) fn import_alias(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let [name, target] = walk.child_array(frame)?;
    let mut ty = target.outcome.ty;
    if target.kind == "identifier" {
        let target = super::expressions::read(walk, target.span);
        ty = super::expressions::as_type(walk, target.recipe);
    }
    let symbol = walk.new_symbol(SymbolKind::TypeAlias, frame.span);
    shared::name_symbol(walk, symbol, name.span).ty = ty;
    if walk.parent_is(&["export_statement"]) {
        walk.mark(symbol, Modifiers::EXPORTED);
    }
    None
}
