//! Namespaces that files declare: their members, and who sees them without an import.

use std::collections::BTreeSet;

use facts::{Import, ImportKind, Modifiers, Recipe, RecipeId, SymbolIndex, SymbolKind, TypeRecipe};

use crate::resolve::{FileView, Found, Resolver, Sketch, imports, modules, modules::Module, owner};

/// The namespace that an import names.
pub fn of_import(view: &FileView, import: &Import) -> Module {
    Module::Namespace(imports::normalized(view.facts.name(import.module)).into())
}

/// Whether what a namespace declares can be meant in a file without its path: it is around the
/// file's code, or imported. `name` may also be imported by itself.
pub fn sees(view: &FileView, namespace: &str, name: &str) -> bool {
    let mut imports = view.facts.imports.iter();
    namespace.is_empty()
        || view
            .namespaces()
            .iter()
            .any(|own| is_within(own, namespace))
        || imports.any(|import| brings(view, import, namespace, name))
}

/// Whether an import brings the names of a namespace, or this name of it, into its file.
pub fn brings(view: &FileView, import: &Import, namespace: &str, name: &str) -> bool {
    let path = || imports::normalized(view.facts.name(import.module));
    match import.kind {
        // Written inside a namespace, a path may start there: `using Internal;` in `Shop.Carts`
        // means `Shop.Internal`.
        ImportKind::Glob => namespace
            .strip_suffix(path().as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        // Types of the namespace, whose members they are.
        ImportKind::Static => is_within(&path(), namespace),
        ImportKind::Item => {
            let item = import.item.map(|item| view.facts.name(item));
            item == Some(name) && is_within(&path(), namespace)
        }
        _ => false,
    }
}

fn is_within(path: &str, namespace: &str) -> bool {
    path.strip_prefix(namespace)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What a namespace declares under a name, else namespaces that end with its path.
pub fn namespace_member(
    resolver: &Resolver,
    namespace: &str,
    name: &str,
    view: &FileView,
) -> Vec<Found> {
    let (mut exact, mut nested) = (Vec::new(), Vec::new());
    let may_be_meant = |sketch: &&Sketch| {
        let extends = sketch.modifiers.contains(Modifiers::EXTENSION)
            && matches!(sketch.kind, SymbolKind::Method | SymbolKind::Function);
        sketch.family == view.semantics.family
            && (!sketch.has_owner || extends)
            && sketch.kind != SymbolKind::Impl
            && sketch.parent.is_none_or(|parent| {
                parent == SymbolKind::Namespace || sketch.is_outside_enum(view.semantics)
            })
            && view.semantics.is_nameable(sketch.modifiers)
    };
    for sketch in resolver.sketches(name).iter().filter(may_be_meant) {
        let symbol = &sketch.id;
        let Some((other, found)) = resolver.symbol(*symbol) else {
            continue;
        };
        let holder = other.holder_of(symbol.index);
        if found.kind == SymbolKind::EnumMember
            && holder.is_some_and(|holder| other.symbol(holder).kind != SymbolKind::Namespace)
        {
            continue;
        }
        let own = holder.map_or_else(NamespacePath::default, |holder| {
            NamespacePath::of(resolver, &other, holder)
        });
        if own.full == namespace || own.without_inline == namespace {
            exact.push(Found::Symbol(*symbol));
        } else if !namespace.is_empty() && own.full.ends_with(&format!(".{namespace}")) {
            nested.push(Found::Symbol(*symbol));
        }
    }
    if exact.is_empty() && nested.is_empty() {
        let opened = opened_together(resolver, namespace, name, view);
        return match opened.is_empty() {
            true => written_with_path(resolver, namespace, name, view),
            false => opened,
        };
    }
    if exact.is_empty() { nested } else { exact }
}

/// A namespace that is opened with the one around it in one line: `namespace shop::carts {`.
fn opened_together(
    resolver: &Resolver,
    namespace: &str,
    name: &str,
    view: &FileView,
) -> Vec<Found> {
    if namespace.is_empty() || view.semantics.separator != "::" {
        return Vec::new();
    }
    let spelled = format!("{}::{name}", namespace.replace('.', "::"));
    let sketches = resolver.sketches(&spelled);
    let is_namespace = |sketch: &&Sketch| {
        sketch.kind == SymbolKind::Namespace && sketch.family == view.semantics.family
    };
    let found = sketches.iter().find(is_namespace);
    found
        .map(|sketch| Found::Symbol(sketch.id))
        .into_iter()
        .collect()
}

/// A type that is written with its whole path, `class Admin::Order`, where perhaps nothing opens the
/// namespace.
fn written_with_path(
    resolver: &Resolver,
    namespace: &str,
    name: &str,
    view: &FileView,
) -> Vec<Found> {
    let path = imports::below(namespace, ".", name);
    let is_meant = |sketch: &&Sketch| {
        sketch.has_owner
            && sketch.kind.is_type()
            && sketch.family == view.semantics.family
            && resolver.view(sketch.id.file).is_some_and(|other| {
                owner::qualified_name(&other, sketch.id.index).join(".") == *path
            })
    };
    // The other declarations of the type are parts of the first.
    let sketches = resolver.sketches(name);
    let found = sketches.iter().find(is_meant);
    found
        .map(|sketch| Found::Symbol(sketch.id))
        .into_iter()
        .collect()
}

/// The dotted path that an expression of names alone spells: `A::B`.
pub fn spelled(view: &FileView, recipe: RecipeId) -> Option<String> {
    match view.facts.recipe(recipe) {
        Recipe::Name(name) | Recipe::Scoped(RecipeId::UNKNOWN, name) => {
            Some(view.facts.name(name).to_owned())
        }
        Recipe::Scoped(outer, name) => {
            let outer = spelled(view, outer)?;
            Some(imports::below(&outer, ".", view.facts.name(name)).to_string())
        }
        _ => None,
    }
}

/// The path of the namespace that a symbol is, or is declared in.
#[derive(Default)]
pub struct NamespacePath {
    pub full: String,
    /// Members of an inline namespace are members of the namespace around it, too.
    pub without_inline: String,
}

impl NamespacePath {
    /// What a macro of another file opens is called as the macro says.
    pub fn of(resolver: &Resolver, view: &FileView, symbol: SymbolIndex) -> NamespacePath {
        let mut path = NamespacePath::default();
        for index in view.facts.container_chain(symbol) {
            let symbol = view.symbol(index);
            if symbol.kind != SymbolKind::Namespace {
                continue;
            }
            let stands_for = match view.facts.type_recipe(symbol.ty) {
                TypeRecipe::Name(word) => Some(view.facts.name(word)),
                _ => None,
            };
            let part = match stands_for {
                Some(word) if !word.is_empty() => opened_by_macro(resolver, view, word),
                _ => view.name_of(index).to_owned(),
            };
            push(&mut path.full, &part);
            if stands_for != Some("") {
                push(&mut path.without_inline, &part);
            }
        }
        path
    }
}

fn push(path: &mut String, part: &str) {
    if !path.is_empty() && !part.is_empty() {
        path.push('.');
    }
    path.push_str(&imports::normalized(part));
}

/// The namespace that a macro stands for, as the first of its definitions that names one says.
fn opened_by_macro(resolver: &Resolver, view: &FileView, word: &str) -> String {
    let path = |sketch: &Sketch| {
        let (other, symbol) = resolver.symbol(sketch.id)?;
        match other.facts.type_recipe(symbol.ty) {
            TypeRecipe::Name(path) => Some(other.facts.name(path).to_owned()),
            _ => None,
        }
    };
    let sketches = resolver.sketches(word);
    let mut paths = sketches
        .iter()
        .filter(|sketch| sketch.kind == SymbolKind::Macro)
        .filter(|sketch| sketch.family == view.semantics.family)
        .filter_map(path);
    paths.find(|path| !path.is_empty()).unwrap_or_default()
}

/// Names that other files of the namespaces of a file declare.
pub fn siblings(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let symbols = view.facts.symbols_with_index();
    let namespaces: BTreeSet<String> = symbols
        .filter(|(_, symbol)| symbol.kind == SymbolKind::Namespace)
        .map(|(index, _)| view.namespace_of(index))
        .chain([String::new()])
        .collect();
    for namespace in namespaces.into_iter().rev() {
        let module = Module::Namespace(namespace.into());
        let found = modules::module_member(resolver, &module, name, view);
        let found = seen(resolver, view, &found);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Of what a namespace declares that which a file can name.
pub fn seen(resolver: &Resolver, view: &FileView, found: &[Found]) -> Vec<Found> {
    let is_seen = |found: &&Found| {
        found
            .symbol()
            .is_none_or(|symbol| (view.dialect.sees_member)(resolver, view, symbol))
    };
    found.iter().filter(is_seen).cloned().collect()
}
