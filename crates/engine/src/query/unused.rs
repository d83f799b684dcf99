//! Whether code may run, or be needed, although nothing in the repository refers to it.
//!
//! [`is_entry`] and [`dead_doubt`] tell of one symbol: it is an entry point, something about it leaves
//! a doubt, or it lives by the references to it alone. `answers` adds every textual occurrence of its
//! name.

use facts::{
    Exposure, Modifiers, Recipe, Scope, ScopeId, ScopeKind, Symbol, SymbolIndex, SymbolKind,
    Unmarked, Visibility,
};

use super::{
    entry_points::{
        is_called_by_name, is_run_by_definition, may_override_library, may_reopen_library,
    },
    search::{is_test_in_unit, is_test_or_docs, is_vendored_or_generated},
    test_cases::{annotations, is_annotated, is_set_up, is_test, provided_tests},
};
use crate::{FileView, Resolver, SymbolId, Ty, query};

/// Why a symbol that nothing refers to is not proven to be dead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeadDoubt {
    /// An annotation may hand it to a library.
    Annotated(String),
    /// It overrides or implements a member of the repository.
    Overrides(SymbolId),
    /// Its type extends or implements a type of a library, which may call it.
    LibraryType,
    /// Its type may satisfy what a library asks for, without saying so.
    OpenMember,
    /// Its file is a program among tests or examples, whose text may matter as it is.
    TestData,
    /// Its name is defined several times in one place.
    DefinedTwice,
    /// Its file could not be read as a whole.
    BrokenFile,
    /// A type with a base may be listed by that base.
    RegisteredType,
    /// Its file exports it, and a tool may load the file by its name.
    Exported,
    /// It is visible everywhere, and may add members to a type of that name.
    Global,
    /// It is written in the arguments of a macro call, or made by one.
    InMacro,
}

/// Whether a symbol is one that can be found dead: a function, a method or a type, as written by a
/// person.
pub fn is_dead_candidate(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return false;
    };
    let is_kind = matches!(declared.kind, SymbolKind::Function | SymbolKind::Method)
        || declared.kind.is_type();
    let unfit = [
        Modifiers::LOCAL,
        Modifiers::PROTOTYPE,
        Modifiers::ABSTRACT,
        Modifiers::SYNTHETIC,
        Modifiers::ANONYMOUS,
        Modifiers::EXTERN,
        Modifiers::GETTER,
        Modifiers::SETTER,
    ];
    // In an interface or a trait, others say what runs.
    let in_contract = declared.parent.is_some_and(|parent| {
        matches!(
            view.symbol(parent).kind,
            SymbolKind::Interface | SymbolKind::Trait
        )
    });
    let local = |index: &SymbolIndex| {
        let around = view.symbol(*index);
        around.kind.is_callable() || around.modifiers.contains(Modifiers::LOCAL)
    };
    let chain = view.facts.container_chain(symbol.index);
    let outer = &chain[..chain.len() - 1];
    is_kind
        && !in_contract
        && !is_expression(&view, symbol.index)
        && !view.name_of(symbol.index).is_empty()
        && !unfit
            .iter()
            .any(|unfit| declared.modifiers.contains(*unfit))
        && !outer.iter().any(local)
        && !is_vendored_or_generated(resolver.path(symbol.file).as_str())
}

/// Whether a function or a type is a value in the middle of other code, which uses it where it is
/// written: `(function start() { … })()`. Its name is for itself alone.
fn is_expression(view: &FileView, index: SymbolIndex) -> bool {
    let facts = &view.facts;
    let declared = view.symbol(index);
    if declared.kind.is_callable() {
        return facts.scopes[declared.declared_in.0 as usize].owner == Some(index);
    }
    // Where files export, the declaration of a type gives no value; elsewhere any may do so.
    let is_exporting = view.semantics.entry_points.exposure == Exposure::Exported;
    // What a variable, a member or an export holds starts before the expression.
    let is_whole = |scope: ScopeId| facts.scopes[scope.0 as usize].span == declared.span;
    is_exporting
        && declared.kind.is_type()
        && declared.body.is_some_and(is_whole)
        && facts.recipes.contains(&Recipe::Symbol(index))
}

/// Whether a symbol runs, or others use it, without any reference.
pub fn is_entry(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver
        .view(symbol.file)
        .is_none_or(|view| is_entry_of(resolver, &view, symbol.index))
}

/// What leaves a doubt about a symbol to which nothing refers.
pub fn dead_doubt(resolver: &Resolver, symbol: SymbolId) -> Option<DeadDoubt> {
    let view = resolver.view(symbol.file)?;
    doubt(resolver, &view, symbol.index)
}

fn is_entry_of(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    let declared = view.symbol(index);
    let points = &view.semantics.entry_points;
    let name = view.name_of(index);
    let is_started = declared.kind.is_callable() && points.functions.contains(&name);
    let is_member = declared.parent.is_some() || declared.owner.is_known();
    let in_impl_of_contract = declared.parent.is_some_and(|parent| {
        view.symbol(parent).kind == SymbolKind::Impl
            && view
                .facts
                .supertypes
                .iter()
                .any(|supertype| supertype.symbol == parent)
    });
    is_started
        || declared.modifiers.contains(Modifiers::OVERRIDE)
        || declared.modifiers.contains(Modifiers::TEST)
        || in_impl_of_contract
        || is_member && is_called_by_name(view, index)
        || is_run_by_definition(view, index)
        || is_run_by_loading(view, index)
        || is_test(resolver, view, index)
        || is_set_up(resolver, view, index)
        || is_annotated(&view.facts, index, points.tests.fixture_annotations)
        || !provided_tests(resolver, view, index).is_empty()
        || holds_entries(resolver, view, index)
        || is_published(resolver, view, index)
}

/// Whether a type holds statements that run when its file is loaded.
fn is_run_by_loading(view: &FileView, index: SymbolIndex) -> bool {
    if !view.semantics.entry_points.type_blocks_run || !view.symbol(index).kind.is_type() {
        return false;
    }
    let scopes = &view.facts.scopes;
    let is_unowned = |scope: &&Scope| scope.kind == ScopeKind::Function && scope.owner.is_none();
    scopes.iter().filter(is_unowned).any(|block| {
        let around = &scopes[block.parent.0 as usize];
        let owner = around.owner.filter(|_| around.kind == ScopeKind::Type);
        // A type in a function is made when that is called.
        owner.is_some_and(|owner| {
            let chain = view.facts.container_chain(owner);
            let is_type = |ty: &&SymbolIndex| view.symbol(**ty).kind.is_type();
            chain
                .iter()
                .rev()
                .take_while(is_type)
                .any(|ty| *ty == index)
        })
    })
}

/// Whether a type holds what starts a program; or it, or one of those above or below it, holds
/// tests, which a runner finds.
fn holds_entries(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    if !view.symbol(index).kind.is_type() {
        return false;
    }
    let starts = |inner: &SymbolIndex| {
        let functions = view.semantics.entry_points.functions;
        view.symbol(*inner).kind.is_callable() && functions.contains(&view.name_of(*inner))
    };
    symbols_inside(view, index).iter().any(starts) || holds_tests(resolver, view, index)
}

fn holds_tests(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    is_test_or_docs(resolver.path(view.id).as_str())
        && !super::test_cases::tests_of_type(resolver, view.symbol_id(index)).is_empty()
}

/// Whether others than this repository may use a symbol: it leaves its package, and a manifest
/// publishes the package as a library.
pub fn is_published(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> bool {
    let path = resolver.path(view.id);
    let points = &view.semantics.entry_points;
    if !is_exposed(view, index) {
        return false;
    }
    // What the linker sees may be called from anywhere, from generated code for example.
    if points.exposure == Exposure::Linked {
        return true;
    }
    let project = resolver.snapshot().project();
    let unit = project.units_around(path.as_str()).next();
    let directory = unit.map_or("", |unit| unit.directory.as_str());
    if is_test_in_unit(path.as_str(), directory) {
        return false;
    }
    let is_internal = !points.internal_directory.is_empty()
        && path
            .directory()
            .split('/')
            .any(|part| part == points.internal_directory);
    if is_internal {
        return false;
    }
    if points.programs_by_main {
        let main = resolver.symbols_named_in(path.directory(), "main");
        let is_function = |symbol: &SymbolId| resolver.kind(*symbol) == Some(SymbolKind::Function);
        return !main.iter().any(is_function);
    }
    unit.map_or(points.published_without_manifest, |unit| unit.is_library)
}

/// Whether a symbol can be named outside of its package, as the text says.
fn is_exposed(view: &FileView, index: SymbolIndex) -> bool {
    let chain = view.facts.container_chain(index);
    let symbols = || chain.iter().map(|index| view.symbol(*index));
    let is_hidden = |symbol: &Symbol| {
        matches!(
            symbol.visibility,
            Visibility::Private | Visibility::Internal
        )
    };
    match view.semantics.entry_points.exposure {
        Exposure::Unmarked => !symbols().any(is_hidden),
        Exposure::Marked => !chain.iter().any(|index| {
            let symbol = view.symbol(*index);
            let in_contract = symbol.parent.is_some_and(|parent| {
                matches!(
                    view.symbol(parent).kind,
                    SymbolKind::Interface | SymbolKind::Trait
                )
            });
            let is_grouping = matches!(
                symbol.kind,
                SymbolKind::Namespace | SymbolKind::Impl | SymbolKind::Module
            );
            match symbol.visibility {
                Visibility::Public | Visibility::Protected => false,
                Visibility::Default => !in_contract && !is_grouping,
                Visibility::Internal | Visibility::Private => !is_grouping,
            }
        }),
        Exposure::Exported => {
            let outer = view.symbol(chain[0]);
            let leaves = outer.modifiers.contains(Modifiers::EXPORTED)
                || outer.modifiers.contains(Modifiers::DEFAULT_EXPORT)
                || view
                    .facts
                    .exports
                    .iter()
                    .any(|export| export.local == Some(outer.name));
            leaves && !symbols().any(is_hidden)
        }
        Exposure::Linked => symbols()
            .all(|symbol| !symbol.modifiers.contains(Modifiers::STATIC) || symbol.parent.is_some()),
    }
}

fn doubt(resolver: &Resolver, view: &FileView, index: SymbolIndex) -> Option<DeadDoubt> {
    let declared = view.symbol(index);
    let symbol = view.symbol_id(index);
    let points = &view.semantics.entry_points;
    let passive = |word: &str| points.passive_annotations.contains(&word);
    let mut marked = view.facts.container_chain(index);
    if declared.kind.is_type() {
        marked.extend(symbols_inside(view, index));
    }
    for around in marked {
        let mut marks = annotations(&view.facts, around);
        if let Some((word, _)) = marks.find(|(word, _)| !passive(word)) {
            return Some(DeadDoubt::Annotated(word.to_owned()));
        }
    }
    let is_in_macro = |around: &SymbolIndex| {
        let around = view.symbol(*around);
        around.modifiers.contains(Modifiers::IN_MACRO)
    };
    if view.facts.container_chain(index).iter().any(is_in_macro) {
        return Some(DeadDoubt::InMacro);
    }
    if !view.facts.problems.is_empty() {
        return Some(DeadDoubt::BrokenFile);
    }
    if points.exposure == Exposure::Exported && is_exposed(view, index) {
        return Some(DeadDoubt::Exported);
    }
    // A file that neither imports nor exports shares its names with all others.
    if points.exposure == Exposure::Exported && declared.kind == SymbolKind::Interface {
        let leaves = |symbol: &Symbol| {
            symbol.modifiers.contains(Modifiers::EXPORTED)
                || symbol.modifiers.contains(Modifiers::DEFAULT_EXPORT)
        };
        let facts = &view.facts;
        let is_module = !facts.imports.is_empty() || !facts.exports.is_empty();
        if !is_module && !facts.symbols.iter().any(leaves) {
            return Some(DeadDoubt::Global);
        }
    }
    // Where only `main` makes a program, the others prepare a package: `init`.
    let starts = |index: SymbolIndex| {
        let name = view.name_of(index);
        view.symbol(index).kind == SymbolKind::Function
            && points.functions.contains(&name)
            && (name == "main" || !points.programs_by_main)
    };
    if is_test_or_docs(resolver.path(view.id).as_str()) && view.children(None).any(starts) {
        return Some(DeadDoubt::TestData);
    }
    let is_twin = |other: &SymbolIndex| {
        let other = view.symbol(*other);
        other.parent == declared.parent && other.owner == declared.owner
    };
    let n_twins = view.symbols_named(declared.name).filter(is_twin).count();
    if n_twins > 1 && !view.semantics.overloads {
        return Some(DeadDoubt::DefinedTwice);
    }
    if declared.kind.is_type() {
        // Types that extend something may be found through it: registries, plug-ins.
        let has_base = !resolver.supertypes(symbol).is_empty();
        return (has_base && points.members_by_text).then_some(DeadDoubt::RegisteredType);
    }
    if let Some(base) = query::overridden(resolver, symbol).first() {
        return Some(DeadDoubt::Overrides(*base));
    }
    let Ty::Instance(holder, _) = resolver.self_type(symbol) else {
        // A method outside of types is one of an object, which may be handed to anyone.
        let in_group = declared.parent.is_some_and(|parent| {
            let kind = view.symbol(parent).kind;
            kind.is_type() || matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
        });
        let is_of_object = declared.kind == SymbolKind::Method && !in_group;
        return is_of_object.then_some(DeadDoubt::OpenMember);
    };
    // A library calls no member that only the file or the module around it may name.
    let is_private = match declared.visibility {
        Visibility::Private => true,
        Visibility::Default => view.semantics.checks.unmarked == Unmarked::Module,
        _ => false,
    };
    if !is_private || points.members_by_text {
        let may_reopen = points.members_by_text && may_reopen_library(resolver, holder);
        if may_reopen || may_override_library(resolver, holder) {
            return Some(DeadDoubt::LibraryType);
        }
        let is_open = !matches!(
            declared.visibility,
            Visibility::Private | Visibility::Internal
        );
        if points.open_members && is_open {
            return Some(DeadDoubt::OpenMember);
        }
    }
    None
}

/// The symbols written inside of another, at any depth.
fn symbols_inside(view: &FileView, index: SymbolIndex) -> Vec<SymbolIndex> {
    let span = view.symbol(index).span;
    let inside = view.facts.symbols_with_index().filter(|(other, symbol)| {
        *other != index && span.start <= symbol.span.start && symbol.span.end <= span.end
    });
    inside.map(|(index, _)| index).collect()
}
