//! Bare names: innermost scope outwards, then the file, then what is in reach of the file.

use crate::resolve::{
    FileView, Found, Place, Resolver, Rule, Ty, extensions, imports, lambdas, lookup,
    lookup::MemberHit, modules, modules::Module, namespaces, owner, prefer,
};
use facts::{
    BareNames, BindingId, BindingKind, Blocks, ImportKind, NameId, Namespaces, ScopeId, ScopeKind,
    SymbolIndex, SymbolKind,
};

/// What kind of thing is looked for where a language has one name for several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Type,
    Value,
    Callable,
}

/// Looks a name up; several finds are overloads, parts, or a union of branches.
pub fn lookup(resolver: &Resolver, place: Place, name: &str, space: Space) -> (Vec<Found>, Rule) {
    let Place { view, scope, .. } = place;
    let id = view.facts.names.find(name);
    let region = view.region(scope);
    let (mut outer_only, mut enclosing_only) = (false, false);
    let mut imports = view.facts.imports.iter();
    let has_inner_globs =
        imports.any(|import| import.kind == ImportKind::Glob && import.scope != ScopeId::FILE);
    for inner in view.outwards(scope) {
        let kind = view.facts.scope(inner).kind;
        if outer_only && kind != ScopeKind::File || enclosing_only && view.region(inner) == region {
            continue;
        }
        if let Some(id) = id {
            match declared_in(resolver, place, inner, id, space) {
                Declared::Found(found, rule) => return (found, rule),
                Declared::Outer => {
                    outer_only = true;
                    continue;
                }
                Declared::Enclosing => {
                    enclosing_only = true;
                    continue;
                }
                Declared::Nothing => {}
            }
        }
        if has_inner_globs && is_local_scope(kind) {
            let found = of_inner_globs(resolver, view, inner, name, space);
            if !found.is_empty() {
                return (found, Rule::Glob);
            }
        }
        if kind == ScopeKind::Type
            && view.semantics.bare_names == BareNames::Members
            && let Some(owner) = view.facts.scope(inner).owner
        {
            let found = members_for_bare(resolver, view, owner, name, space);
            if !found.is_empty() {
                return (found, Rule::Scope);
            }
        }
        // `cart.apply { total() }` means the cart's.
        if kind == ScopeKind::Lambda
            && view.semantics.bare_names == BareNames::Members
            && let Some(receiver) = lambdas::lambda_receiver_at(resolver, view, inner)
        {
            let found = bare_members(resolver, lookup::members(resolver, &receiver, name), space);
            if !found.is_empty() {
                return (found, Rule::Scope);
            }
        }
        // A member written outside of its type sees the type's members, unless its receiver is a
        // parameter.
        if kind == ScopeKind::Function
            && view.semantics.bare_names == BareNames::Members
            && let Some(owner) = view.facts.scope(inner).owner
            && view.symbol(owner).owner.is_known()
            && !extensions::names_receiver(view, view.symbol(owner))
        {
            let found = members_of_owner(resolver, view, owner, name, space);
            if !found.is_empty() {
                return (found, Rule::Scope);
            }
        }
        // Elsewhere a block of that kind is a module of its file.
        if kind == ScopeKind::Namespace
            && view.semantics.declarations.namespaces != Namespaces::None
        {
            let found = in_namespace_scope(resolver, view, inner, name, space);
            if !found.is_empty() {
                return (found, Rule::Sibling);
            }
        }
    }
    in_reach(resolver, view, name, id, space)
}

/// What the globs of a function or block bring in: it hides names of the file, as far as it is of the
/// kind that is looked for.
fn of_inner_globs(
    resolver: &Resolver,
    view: &FileView,
    scope: ScopeId,
    name: &str,
    space: Space,
) -> Vec<Found> {
    let imports = view.facts.imports.iter().enumerate();
    let globs =
        imports.filter(|(_, import)| import.kind == ImportKind::Glob && import.scope == scope);
    let mut found: Vec<Found> = globs
        .flat_map(|(i, _)| imports::glob_member(resolver, view, i as u32, name))
        .collect();
    found.retain(|found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind.is_some_and(|kind| {
            kind_fits(kind, space) || kind == SymbolKind::EnumMember && space != Space::Type
        })
    });
    found
}

/// What one scope declares under a name that is looked up from a place.
fn declared_in(
    resolver: &Resolver,
    place: Place,
    scope: ScopeId,
    name: NameId,
    space: Space,
) -> Declared {
    let view = place.view;
    let facts = &view.facts;
    let found = facts.scope(scope);
    let region = view.region(place.scope);
    let by_region = view.semantics.blocks == Blocks::Function;
    // A comprehension is a block with names of its own.
    if by_region && found.kind == ScopeKind::Branch {
        return Declared::Nothing;
    }
    let here = |other: ScopeId| other == scope || by_region && view.region(other) == scope;
    // Names of a class body are seen in the body itself, not in its methods; where blocks hide
    // names, only through a receiver.
    let bare = view.semantics.bare_names == BareNames::Members || by_region;
    let visible = found.kind != ScopeKind::Type || region == scope && bare;
    if visible {
        let symbols = declared_symbols(view, scope, name, space);
        if !symbols.is_empty() {
            let rule = match is_local_scope(found.kind) {
                true => Rule::Local,
                false => Rule::Scope,
            };
            let symbols = symbols.into_iter().map(|index| view.symbol_id(index));
            return Declared::Found(symbols.map(Found::Symbol).collect(), rule);
        }
    }
    if let Some(owner) = found.owner {
        let mut parameters = facts.type_parameters(view.symbol(owner)).iter();
        if let Some(i) = parameters.position(|parameter| parameter.name == name) {
            let owner = view.symbol_id(owner);
            return Declared::Found(vec![Found::TypeParameter(owner, i as u16)], Rule::Local);
        }
    }
    let is_variable = space != Space::Callable || !view.semantics.calls_mean_methods();
    // The parameters of a type are seen in all of its members.
    let is_parameter =
        |binding: &facts::Binding| binding.scope == scope && binding.kind == BindingKind::Parameter;
    let is_visible = visible
        || found.kind == ScopeKind::Type && facts.bindings_of(name).iter().any(is_parameter);
    if is_visible && is_variable && (space != Space::Type || by_region) {
        match declared_binding(place, scope, name) {
            Declared::Nothing => {}
            declared => return declared,
        }
    }
    let imports: Vec<Found> = facts
        .imports
        .iter()
        .enumerate()
        .filter(|(_, import)| import.local == Some(name) && here(import.scope))
        .flat_map(|(i, _)| imports::import_targets(resolver, view, i as u32).to_vec())
        .collect();
    if imports.is_empty() {
        Declared::Nothing
    } else {
        Declared::Found(fitting_found(resolver, imports, space), Rule::Import)
    }
}

fn is_local_scope(kind: ScopeKind) -> bool {
    matches!(
        kind,
        ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Block | ScopeKind::Branch
    )
}

fn declared_symbols(
    view: &FileView,
    scope: ScopeId,
    name: NameId,
    space: Space,
) -> Vec<SymbolIndex> {
    let by_region = view.semantics.blocks == Blocks::Function;
    let here = |other: ScopeId| other == scope || by_region && view.region(other) == scope;
    let kind = view.facts.scope(scope).kind;
    // A method of an object literal is a name of the object alone.
    let is_of_object = |symbol: &facts::Symbol| {
        view.semantics.bare_names == BareNames::Lexical
            && kind != ScopeKind::Type
            && symbol.kind == SymbolKind::Method
            && symbol.parent.is_some()
    };
    let is_declared = |index: &SymbolIndex| {
        let symbol = view.symbol(*index);
        here(symbol.declared_in)
            && !is_of_object(symbol)
            && symbol.kind != SymbolKind::Impl
            && !symbol.owner.is_known()
            && view.semantics.is_nameable(symbol.modifiers)
    };
    let symbols: Vec<SymbolIndex> = view.symbols_named(name).filter(is_declared).collect();
    let symbols = if kind == ScopeKind::File {
        // In `var carts = exports.carts = []` the bare name means the variable.
        let is_export = |symbol: &facts::Symbol| {
            symbol.kind == SymbolKind::Variable
                && symbol.modifiers.contains(facts::Modifiers::EXPORTED)
        };
        let symbols = top_level(view, symbols);
        prefer(symbols, |index| !is_export(view.symbol(*index)))
    } else {
        symbols
    };
    let fits = |index: &SymbolIndex| kind_fits(view.symbol(*index).kind, space);
    let mut symbols = prefer(symbols, fits);
    if space == Space::Type && kind == ScopeKind::Type {
        symbols.retain(fits);
    }
    symbols
}

/// The declaration of a variable in a scope that a place sees: the last before the place; where
/// names belong to the whole function, the first.
fn declared_binding(place: Place, scope: ScopeId, name: NameId) -> Declared {
    let Place { view, at, .. } = place;
    let by_region = view.semantics.blocks == Blocks::Function;
    let here = |other: ScopeId| other == scope || by_region && view.region(other) == scope;
    let nested = view.region(place.scope) != view.region(scope);
    let first = view
        .facts
        .bindings
        .partition_point(|binding| binding.name < name);
    let mut declaration = None;
    for (i, binding) in view.facts.bindings_of(name).iter().enumerate() {
        if !here(binding.scope) {
            continue;
        }
        match binding.kind {
            BindingKind::Label | BindingKind::Narrowing => continue,
            BindingKind::Outer => return Declared::Outer,
            BindingKind::Enclosing => return Declared::Enclosing,
            BindingKind::Assignment if !by_region => continue,
            _ => {}
        }
        // A parameter is seen in its whole function, by the parts of a pattern beside it, too.
        let is_seen = by_region
            || nested
            || binding.kind == BindingKind::Parameter
            || binding.from <= at
            || binding.name_span.contains(at);
        if is_seen && (declaration.is_none() || !by_region && binding.from <= at) {
            declaration = Some(BindingId((first + i) as u32));
        }
    }
    match declaration {
        Some(id) => Declared::Found(vec![Found::Binding(view.id, id)], Rule::Local),
        None => Declared::Nothing,
    }
}

/// In the file's own scope, members of namespaces count and members of types do not.
pub fn top_level(view: &FileView, symbols: Vec<SymbolIndex>) -> Vec<SymbolIndex> {
    let top = |index: &SymbolIndex| {
        view.symbol(*index)
            .parent
            .is_none_or(|parent| !view.symbol(parent).kind.is_type())
    };
    symbols.into_iter().filter(top).collect()
}

/// Of several finds those that fit what is looked for, if any does.
pub fn fitting_found(resolver: &Resolver, found: Vec<Found>, space: Space) -> Vec<Found> {
    prefer(found, |found| match found {
        Found::Symbol(symbol) => resolver
            .kind(*symbol)
            .is_some_and(|kind| kind_fits(kind, space)),
        _ => true,
    })
}

pub fn members_for_bare(
    resolver: &Resolver,
    view: &FileView,
    owner: SymbolIndex,
    name: &str,
    space: Space,
) -> Vec<Found> {
    let ty = match view.symbol(owner).kind {
        SymbolKind::Impl => return Vec::new(),
        _ => Ty::instance(view.symbol_id(owner)),
    };
    let symbol = view.symbol_id(owner);
    let hits = if resolver.header.get() == Some(symbol) {
        lookup::own_members(resolver, symbol, name)
            .iter()
            .map(|member| MemberHit {
                symbol: *member,
                receiver: ty.clone(),
            })
            .collect()
    } else {
        lookup::members(resolver, &ty, name)
    };
    bare_members(resolver, hits, space)
}

/// A constructor has its type's name but is not what the bare name means.
pub fn bare_members(resolver: &Resolver, hits: Vec<MemberHit>, space: Space) -> Vec<Found> {
    let hits = hits
        .into_iter()
        .filter(|hit| resolver.kind(hit.symbol) != Some(SymbolKind::Constructor));
    let found: Vec<Found> = hits.map(|hit| Found::Symbol(hit.symbol)).collect();
    let found = fitting_found(resolver, found, space);
    // A type is never a value's or method's name.
    if space == Space::Type {
        found
            .into_iter()
            .filter(|found| matches!(found, Found::Symbol(symbol) if resolver.kind(*symbol).is_some_and(|kind| kind_fits(kind, space))))
            .collect()
    } else {
        found
    }
}

pub fn members_of_owner(
    resolver: &Resolver,
    view: &FileView,
    method: SymbolIndex,
    name: &str,
    space: Space,
) -> Vec<Found> {
    let ty = owner::self_type(resolver, view.symbol_id(method));
    let mut hits = lookup::members(resolver, &ty, name);
    // An extension property is not what a call means: a function of that name is further
    // out.
    hits.retain(|hit| {
        let extends = |found: &facts::Symbol| {
            found.kind.is_value() && found.modifiers.contains(facts::Modifiers::EXTENSION)
        };
        space != Space::Callable
            || !resolver
                .symbol(hit.symbol)
                .is_some_and(|(_, found)| extends(&found))
    });
    bare_members(resolver, hits, space)
}

/// A namespace's members, wherever they are written, then those of the namespaces around it.
pub fn in_namespace_scope(
    resolver: &Resolver,
    view: &FileView,
    scope: ScopeId,
    name: &str,
    space: Space,
) -> Vec<Found> {
    let Some(owner) = view.facts.scope(scope).owner else {
        return Vec::new();
    };
    let mut namespace = view.namespace_of(owner);
    loop {
        let found = modules::module_member(
            resolver,
            &Module::Namespace(namespace.as_str().into()),
            name,
            view,
        );
        let found = namespaces::seen(resolver, view, &found);
        let found = fitting_found(resolver, found, space);
        if !found.is_empty() {
            return found;
        }
        match namespace.rfind('.') {
            Some(dot) => namespace.truncate(dot),
            None => return Vec::new(),
        }
    }
}

/// What the file can see without declaring it: siblings, globs, the namespaces it is in, the
/// prelude.
pub fn in_reach(
    resolver: &Resolver,
    view: &FileView,
    name: &str,
    id: Option<NameId>,
    space: Space,
) -> (Vec<Found>, Rule) {
    if view.semantics.siblings_visible {
        let found = (view.dialect.siblings)(resolver, view, name);
        let found = fitting_found(resolver, found, space);
        if !found.is_empty() {
            return (found, Rule::Sibling);
        }
    }
    let mut found: Vec<Found> = Vec::new();
    for i in 0..view.facts.imports.len() as u32 {
        for member in imports::glob_member(resolver, view, i, name) {
            if !found.contains(&member) {
                found.push(member);
            }
        }
    }
    let mut found = fitting_found(resolver, found, space);
    if found.is_empty() {
        found = fitting_found(
            resolver,
            (view.dialect.shared_member)(resolver, view, name),
            space,
        );
    }
    if !found.is_empty() {
        return (found, Rule::Glob);
    }
    let found = (view.dialect.implicitly_visible)(resolver, view, name);
    if !found.is_empty() {
        return (fitting_found(resolver, found, space), Rule::Sibling);
    }
    let _ = id;
    if view.semantics.builtins.contains(&name) {
        return (vec![Found::External(name.into())], Rule::Builtin);
    }
    (Vec::new(), Rule::None)
}

pub enum Declared {
    Found(Vec<Found>, Rule),
    /// The name is declared to be one of the file.
    Outer,
    /// The name is declared to be one of a function around.
    Enclosing,
    Nothing,
}

pub fn kind_fits(kind: SymbolKind, space: Space) -> bool {
    match space {
        Space::Type => kind.is_type() || kind.is_container(),
        // Where a function shares its name with an interface, the function is called.
        Space::Callable => {
            kind.is_callable()
                || kind.is_type() && !matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias)
        }
        Space::Value => !matches!(
            kind,
            SymbolKind::Impl
                | SymbolKind::Interface
                | SymbolKind::TypeAlias
                | SymbolKind::Constructor
        ),
    }
}
