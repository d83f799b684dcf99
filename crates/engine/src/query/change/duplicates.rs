//! Names that a change defines a second time in one place: in one scope of one file, or in two files
//! of one package.

use facts::{Import, Modifiers, ScopeId, Span, SymbolKind};
use rustc_hash::FxHashMap;

use super::{Break, BreakKind, ChangeSet, ChangedFile, EditKind, FindingConfidence};
use crate::{FileView, Outcome, Resolver, Rule, SymbolId};

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    for file in &change.files {
        imported_twice(change, file, into);
    }
    for edit in &change.edits {
        let is_new = matches!(
            edit.kind,
            EditKind::Added | EditKind::Renamed | EditKind::Moved
        );
        let Some(after) = edit.after.filter(|_| is_new) else {
            continue;
        };
        let Some(view) = change.head.view(after.file) else {
            continue;
        };
        if !view.semantics.checks.duplicates || !may_clash(&view, after) {
            continue;
        }
        let name = view.symbol(after.index).name;
        let other = view.symbols_named(name).find(|index| {
            let other = after.beside(*index);
            // Of two that are new, the second is the mistake.
            let comes_first = *index < after.index || change.before(other).is_some();
            other != after && comes_first && clash(&view, after, other)
        });
        let other = other.map(|index| after.beside(index));
        let Some(other) = other.or_else(|| in_other_file(change, &view, after)) else {
            continue;
        };
        into.push(Break {
            kind: BreakKind::Duplicate,
            confidence: FindingConfidence::Certain,
            file: after.file,
            span: view.symbol(after.index).name_span,
            enclosing: Some(after.index),
            name: view.name_of(after.index).to_owned(),
            before: change.before(other),
            after: Some(other),
            outcome: Outcome::Static,
            rule: Rule::Scope,
            root: view.name_of(after.index).to_owned(),
            is_import: false,
            n_uses: 0,
        });
    }
}

/// Names that a file imports or hands on twice, where its language lets them do so only
/// once.
fn imported_twice(change: &ChangeSet, file: &ChangedFile, into: &mut Vec<Break>) {
    let Some(head) = file.after.and_then(|file| change.head.view(file)) else {
        return;
    };
    if !head.dialect.imports_bind_once {
        return;
    }
    let mut former: FxHashMap<BoundName, usize> = FxHashMap::default();
    if let Some(base) = file.before.and_then(|file| change.base.view(file)) {
        for (name, _) in bound_names(change.base, &base) {
            *former.entry(name).or_default() += 1;
        }
    }
    let mut seen: FxHashMap<BoundName, usize> = FxHashMap::default();
    for (name, span) in bound_names(change.head, &head) {
        let n = seen.entry(name.clone()).or_default();
        *n += 1;
        if *n < 2 || *n <= former.get(&name).copied().unwrap_or(0) {
            continue;
        }
        into.push(Break {
            kind: BreakKind::Duplicate,
            confidence: FindingConfidence::of(head.semantics.checks.duplicates),
            file: head.id,
            span,
            enclosing: None,
            name: name.name.clone(),
            before: None,
            after: None,
            outcome: Outcome::Static,
            rule: Rule::Import,
            root: name.name,
            is_import: false,
            n_uses: 0,
        });
    }
}

/// A name that an import statement binds in a scope, or that a file hands on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct BoundName {
    name: String,
    scope: Option<ScopeId>,
}

/// The names that statements of a file import or hand on, without imports that are values of variables.
fn bound_names(resolver: &Resolver, view: &FileView) -> Vec<(BoundName, Span)> {
    let snapshot = resolver.snapshot();
    let text = snapshot.corpus().text(snapshot.file(view.id).content);
    let is_statement = |import: &&Import| {
        let text = text.as_deref();
        let written = text.and_then(|text| text.get(import.span.start as usize..));
        !import.reexported && written.is_some_and(|text| text.starts_with("import "))
    };
    let bound = |name, scope| BoundName {
        name: view.facts.name(name).to_owned(),
        scope,
    };
    let imports = view.facts.imports.iter().filter(is_statement);
    let imports = imports.filter_map(|import| {
        let span = import.alias_span.unwrap_or(import.name_span);
        Some((bound(import.local?, Some(import.scope)), span))
    });
    let exports = view.facts.exports.iter();
    let exports = exports.filter(|export| export.module.is_some());
    let exports = exports.map(|export| (bound(export.exported, None), export.name_span));
    let named = imports.chain(exports);
    named.filter(|(bound, _)| bound.name != "*").collect()
}

/// What another file of the same package defines under the name of a new symbol. Files of a package
/// are those of one directory that share a namespace.
fn in_other_file(change: &ChangeSet, view: &FileView, symbol: SymbolId) -> Option<SymbolId> {
    let head = change.head;
    if !view.semantics.siblings_visible || is_conditional(head, view) {
        return None;
    }
    let named = head.symbols_named_in(head.path(view.id).directory(), view.name_of(symbol.index));
    let is_it = |other: &&SymbolId| {
        if other.file == symbol.file {
            return false;
        }
        let Some(second) = head.view(other.file) else {
            return false;
        };
        // Of two that are new, the second is the mistake.
        let comes_first = **other < symbol || change.before(**other).is_some();
        comes_first
            && second.semantics.family == view.semantics.family
            && may_clash(&second, **other)
            && clash_across((view, symbol), (&second, **other))
            && !is_conditional(head, &second)
    };
    named.iter().find(is_it).copied()
}

/// Whether a file may be left out of the program: its language says so, or its name has a part
/// besides stem and ending (`Socket.Windows.cs`).
fn is_conditional(head: &Resolver, view: &FileView) -> bool {
    let name = head.path(view.id).file_name();
    name.split('.').count() > 2 || (view.dialect.is_conditional)(head, view)
}

/// Whether two definitions of different files are in one namespace, or belong to one type.
fn clash_across(
    (one_view, one): (&FileView, SymbolId),
    (other_view, other): (&FileView, SymbolId),
) -> bool {
    let (a, b) = (one_view.symbol(one.index), other_view.symbol(other.index));
    let is_outer = |view: &FileView, symbol: &facts::Symbol| {
        symbol
            .parent
            .is_none_or(|parent| view.symbol(parent).kind == SymbolKind::Namespace)
    };
    let owner = |view: &FileView, symbol: &facts::Symbol| {
        crate::text::written_type(&view.facts, symbol.owner)
    };
    a.kind == b.kind
        && is_outer(one_view, a)
        && is_outer(other_view, b)
        && namespace(one_view, one) == namespace(other_view, other)
        && owner(one_view, a) == owner(other_view, b)
        && a.type_parameters.len == b.type_parameters.len
        && (!one_view.semantics.overloads
            || !a.kind.is_callable()
            || parameters(one_view, a) == parameters(other_view, b))
}

/// The namespace of a symbol; where the file has one for all of it, that.
fn namespace(view: &FileView, symbol: SymbolId) -> String {
    let own = view.namespace_of(symbol.index);
    match own.is_empty() {
        true => view.namespaces().into_iter().next().unwrap_or_default(),
        false => own,
    }
}

fn parameters(view: &FileView, symbol: &facts::Symbol) -> Vec<String> {
    let types = view.facts.parameters(symbol).iter();
    types
        .map(|parameter| crate::text::written_type(&view.facts, parameter.ty))
        .collect()
}

/// Whether a second definition of the name would be a mistake: not of parts, prototypes,
/// accessors, nor of what is compiled under a condition.
fn may_clash(view: &FileView, symbol: SymbolId) -> bool {
    let declared = view.symbol(symbol.index);
    let excepted = [
        Modifiers::LOCAL,
        Modifiers::PARTIAL,
        Modifiers::PROTOTYPE,
        Modifiers::GETTER,
        Modifiers::SETTER,
        Modifiers::EXTENSION,
        Modifiers::ANONYMOUS,
        Modifiers::SYNTHETIC,
        Modifiers::IN_MACRO,
        Modifiers::TEST,
    ];
    // A method outside of types is one of an object, and the next object may have it, too.
    let is_member = declared.owner.is_known()
        || declared.parent.is_some_and(|parent| {
            let parent = view.symbol(parent).kind;
            parent.is_type() || parent == SymbolKind::Impl
        });
    let kind = match declared.kind {
        SymbolKind::Function => true,
        SymbolKind::Method => is_member,
        kind => kind.is_type() && kind != SymbolKind::Interface,
    };
    // A macro or a decorator may make something else of what it is written at; where methods are told
    // apart by their parameters, annotations only say more about them.
    let mut annotations = view.facts.annotations.iter();
    let is_rewritten = !view.semantics.overloads
        && annotations.any(|annotation| {
            annotation.symbol == symbol.index || Some(annotation.symbol) == declared.parent
        });
    kind && !excepted
        .iter()
        .any(|flag| declared.modifiers.contains(*flag))
        && !is_rewritten
        && view.name_of(symbol.index) != "_"
        && view.name_of(symbol.index) != "init"
}

fn clash(view: &FileView, one: SymbolId, other: SymbolId) -> bool {
    let (a, b) = (view.symbol(one.index), view.symbol(other.index));
    let owner = |symbol: &facts::Symbol| crate::text::written_type(&view.facts, symbol.owner);
    a.kind == b.kind
        && a.parent == b.parent
        && a.declared_in == b.declared_in
        && owner(a) == owner(b)
        && may_clash(view, other)
        && a.type_parameters.len == b.type_parameters.len
        && (!view.semantics.overloads
            || !a.kind.is_callable()
            || parameters(view, a) == parameters(view, b))
}
