//! Types as written become types as known.

use std::sync::Arc;

use crate::resolve::{
    FileView, Found, Place, Resolver, Rule, SymbolId, Ty, bare, eval, generics, imports, library,
    lookup, modules, modules::Module, namespaces::NamespacePath, narrowing, owner, prefer,
    protocols, scopes, scopes::Space, values,
};
use facts::{LibraryAlias, Merging, Namespaces, Symbol, SymbolKind, TypeId, TypeRecipe};

/// The first part of a path that starts at the root of all namespaces.
pub const ROOT_NAMESPACE: &str = "\\";

/// A value of a type that is written in the header of a declaration.
pub fn header_type(resolver: &Resolver, view: &FileView, declared: &Symbol, ty: TypeId) -> Ty {
    written_type(resolver, Place::inside(view, declared), ty)
}

/// A value of the type that is written.
pub fn written_type(resolver: &Resolver, place: Place, ty: TypeId) -> Ty {
    let Place { view, scope, .. } = place;
    if !ty.is_known() || !resolver.budget.spend() {
        return Ty::Unknown;
    }
    let list = |range| {
        view.facts
            .type_list(range)
            .iter()
            .map(|&ty| written_type(resolver, place, ty))
            .collect::<Vec<Ty>>()
    };
    match view.facts.type_recipe(ty) {
        TypeRecipe::Unknown | TypeRecipe::Inferred => Ty::Unknown,
        TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name)
            if view.semantics.self_types.contains(&view.facts.name(name)) =>
        {
            owner::self_type_at(resolver, view, scope)
        }
        TypeRecipe::Name(name) => {
            let ty = named_type(resolver, place, view.facts.name(name), 0);
            with_defaults(resolver, with_alias_types(resolver, ty, &[]))
        }
        TypeRecipe::Scoped(outer, name) => {
            let ty = scoped_type(resolver, place, outer, view.facts.name(name));
            with_defaults(resolver, with_alias_types(resolver, ty, &[]))
        }
        TypeRecipe::Apply(head, arguments) => {
            let types = list(arguments);
            let head = match view.facts.type_recipe(head) {
                TypeRecipe::Name(name) => {
                    named_type(resolver, place, view.facts.name(name), types.len())
                }
                TypeRecipe::Scoped(outer, name) => {
                    scoped_type(resolver, place, outer, view.facts.name(name))
                }
                _ => written_type(resolver, place, head),
            };
            let put_in = with_alias_types(resolver, head.clone(), &types);
            if put_in != head {
                return put_in;
            }
            with_defaults(resolver, applied(view, head, types))
        }
        TypeRecipe::Array(item) => Ty::Array(Arc::new(written_type(resolver, place, item))),
        TypeRecipe::Pointer(item) => {
            let item = written_type(resolver, place, item);
            // A pointer to characters is what a text in quotes is.
            match view.semantics.construction.converts
                && item == library::literal_type(view, "character")
            {
                true => library::literal_type(view, "string"),
                false => item,
            }
        }
        TypeRecipe::Reference(item) => written_type(resolver, place, item),
        TypeRecipe::Optional(item) => Ty::union([written_type(resolver, place, item), Ty::Null]),
        TypeRecipe::Function(types) => Ty::Signature(list(types).into()),
        TypeRecipe::Union(types) => Ty::union(list(types)),
        TypeRecipe::Intersection(types) if view.semantics.declarations.joined_intersections => {
            Ty::union(list(types))
        }
        TypeRecipe::Intersection(types) | TypeRecipe::Bounds(types) => first_known(list(types)),
        TypeRecipe::Tuple(types) => Ty::Tuple(list(types).into()),
        TypeRecipe::SelfType => owner::self_type_at(resolver, view, scope),
        TypeRecipe::Of(recipe) => eval::expression(resolver, place, recipe),
        TypeRecipe::Literal(_) => library::literal_type(view, "string"),
        TypeRecipe::Members(members) => match view.facts.scope(members).owner {
            Some(owner) => Ty::instance(view.symbol_id(owner)),
            None => Ty::Unknown,
        },
        TypeRecipe::Indexed(object, index) => indexed_type(resolver, place, object, index),
    }
}

/// `Cart["items"]`, `Items[number]`, `Items[keyof Items]`, and what a test tells of a variable.
fn indexed_type(resolver: &Resolver, place: Place, tested: TypeId, index: TypeId) -> Ty {
    let view = place.view;
    let object = written_type(resolver, place, tested);
    match view.facts.type_recipe(index) {
        TypeRecipe::Literal(name) if matches!(object, Ty::Parameter(..) | Ty::Projected(..)) => {
            Ty::Projected(Arc::new(object), view.facts.name(name).into())
        }
        TypeRecipe::Literal(name) => {
            values::member_value(resolver, view, &object, view.facts.name(name))
        }
        TypeRecipe::Name(name) if view.facts.name(name) == "number" => {
            protocols::element(resolver, view, &object)
        }
        TypeRecipe::Apply(head, _) if is_named(view, head, "keyof") => {
            narrowing::any_member(resolver, &object)
        }
        TypeRecipe::Tuple(case) => match *view.facts.type_list(case) {
            [member, value] => narrowing::told_by_member(resolver, view, object, member, value),
            [member] => narrowing::told_by_key(resolver, view, object, member),
            _ => Ty::Unknown,
        },
        TypeRecipe::Of(call) => match view.facts.type_recipe(tested) {
            TypeRecipe::Of(tested) => {
                narrowing::told_by_call(resolver, place, (tested, &object), call)
            }
            _ => Ty::Unknown,
        },
        _ => Ty::Unknown,
    }
}

fn is_named(view: &FileView, ty: TypeId, name: &str) -> bool {
    matches!(view.facts.type_recipe(ty), TypeRecipe::Name(of) if view.facts.name(of) == name)
}

pub fn named_type(resolver: &Resolver, place: Place, name: &str, n_arguments: usize) -> Ty {
    let view = place.view;
    let (found, _) = scopes::lookup(resolver, place, name, Space::Type);
    let mut found = of_arity(resolver, in_reach(resolver, view, found), n_arguments);
    // `typedef struct x { … } x`: the type itself before its other name.
    found.sort_by_key(|found| matches!(found, Found::Symbol(symbol) if resolver.kind(*symbol) == Some(SymbolKind::TypeAlias)));
    for found in &found {
        let ty = found_type(resolver, view, found);
        if ty.is_known() {
            return ty;
        }
    }
    if found.is_empty() {
        return unknown_type(resolver, view, name);
    }
    Ty::Unknown
}

/// Of several types of one name those that the file can see, if it can see any.
fn in_reach(resolver: &Resolver, view: &FileView, found: Vec<Found>) -> Vec<Found> {
    prefer(found, |found| {
        let symbol = found.symbol();
        symbol.is_none_or(|symbol| (view.dialect.reaches)(resolver, view, symbol.file))
    })
}

/// Of several types of one name those with so many type parameters, if any has. A type counts before
/// a namespace that is merged with it.
pub fn of_arity(resolver: &Resolver, found: Vec<Found>, n_arguments: usize) -> Vec<Found> {
    let is_type = |found: &Found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind.is_none_or(SymbolKind::is_type)
    };
    prefer(prefer(found, is_type), |found| {
        let symbol = found.symbol().and_then(|symbol| resolver.symbol(symbol));
        symbol.is_some_and(|(_, declared)| declared.type_parameters.len as usize == n_arguments)
    })
}

/// Whether several finds are types that the number of their type parameters tells apart: a static class
/// `Maybe` beside `Maybe<T>`.
pub fn are_by_arity(resolver: &Resolver, view: &FileView, found: &[Found]) -> bool {
    let is_type = |found: &Found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind.is_some_and(SymbolKind::is_type)
    };
    found.len() > 1
        && view.semantics.declarations.merging == Merging::Partial
        && view.semantics.declarations.namespaces == Namespaces::Declared
        && found.iter().all(is_type)
}

/// A type name that nothing in reach declares: built in, or global where the language has
/// global names.
pub fn unknown_type(resolver: &Resolver, view: &FileView, name: &str) -> Ty {
    let declarations = &view.semantics.declarations;
    if declarations.global_types.contains(&name) {
        let mut declared = resolver.symbols_named(name);
        declared.retain(|symbol| resolver.kind(*symbol) == Some(SymbolKind::Interface));
        let ty = Ty::union(declared.into_iter().map(Ty::instance));
        return if ty.is_known() { ty } else { Ty::library(name) };
    }
    if view.shapes().find(name).is_some() || view.semantics.builtins.contains(&name) {
        return Ty::library(name);
    }
    let resolution =
        bare::resolve_bare(resolver, Place::end_of_file(view), name, Space::Type, None);
    match resolution.targets.as_slice() {
        [found] => found_type(resolver, view, found),
        _ if is_of_a_library(resolver, view, name) => Ty::library(name),
        _ => Ty::Unknown,
    }
}

/// Whether a type name must come out of a library: a whole namespace is imported at once, and
/// no type of the repository has the name.
pub fn is_of_a_library(resolver: &Resolver, view: &FileView, name: &str) -> bool {
    view.semantics.declarations.namespaces == Namespaces::Declared
        && name != "dynamic"
        && !resolver
            .sketches(name)
            .iter()
            .any(|sketch| sketch.kind.is_type() && sketch.family == view.semantics.family)
}

/// A value of what a name in type position means.
pub fn found_type(resolver: &Resolver, view: &FileView, found: &Found) -> Ty {
    match found {
        Found::Symbol(symbol) => {
            let Some((other, declared)) = resolver.symbol(*symbol) else {
                return Ty::Unknown;
            };
            match declared.kind {
                kind if kind.is_type()
                    && declared.modifiers.contains(facts::Modifiers::PROTOTYPE)
                    && other.semantics.prototypes =>
                {
                    Ty::instance(owner::defined_type(resolver, *symbol))
                }
                SymbolKind::TypeAlias if declared.ty.is_known() => {
                    if matches!(other.facts.type_recipe(declared.ty), TypeRecipe::Members(_)) {
                        return Ty::instance(*symbol);
                    }
                    match values::symbol_type(resolver, *symbol) {
                        Ty::Unknown => Ty::instance(*symbol),
                        target => {
                            let special = (other.dialect.type_of_symbol)(resolver, &other, *symbol);
                            special.unwrap_or(target)
                        }
                    }
                }
                SymbolKind::Delegate => Ty::instance(*symbol),
                kind if kind.is_type() => {
                    Ty::instance((other.dialect.whole)(resolver, &other, *symbol))
                }
                // A name bound to a type: `Alias = Foo`, an enum's variant, a value used as a
                // type.
                SymbolKind::EnumMember => declared
                    .parent
                    .map_or(Ty::Unknown, |parent| Ty::instance(symbol.beside(parent))),
                _ => (other.dialect.type_of_symbol)(resolver, &other, *symbol)
                    .unwrap_or_else(|| values::symbol_value(resolver, *symbol).instantiated()),
            }
        }
        Found::TypeParameter(symbol, i) => Ty::Parameter(owner::whole(resolver, *symbol), *i),
        Found::External(path) => library_type(view, path),
        Found::Binding(file, binding) => {
            let Some(other) = resolver.view(*file) else {
                return Ty::Unknown;
            };
            values::binding_type(resolver, &other, *binding).instantiated()
        }
        Found::Module(Module::External(path)) => Ty::external(path.clone()),
        Found::Module(module) => Ty::Module(module.clone()),
    }
}

/// A value of a library type, by its path.
pub fn library_type(view: &FileView, path: &str) -> Ty {
    match view.shapes().find(path) {
        Some((name, _)) => Ty::Library(name.into(), Arc::from([])),
        None => Ty::Library(path.into(), Arc::from([])),
    }
}

pub fn scoped_type(resolver: &Resolver, place: Place, outer: TypeId, name: &str) -> Ty {
    let view = place.view;
    if let Some(ty) = named_by_block(resolver, place, outer, name) {
        return ty;
    }
    let outer_type = match view.facts.type_recipe(outer) {
        TypeRecipe::Name(first) => {
            let first = view.facts.name(first);
            // `\\Foo` is in no namespace.
            if first == ROOT_NAMESPACE {
                let found =
                    modules::module_member(resolver, &Module::Namespace("".into()), name, view);
                return found.first().map_or_else(
                    || library_type(view, name),
                    |found| found_type(resolver, view, found),
                );
            }
            let resolution = path_start(resolver, place, first);
            match resolution {
                Some(ty) => ty,
                None => Ty::Module(Module::Namespace(first.into())),
            }
        }
        TypeRecipe::Scoped(..) => written_type(resolver, place, outer),
        _ => written_type(resolver, place, outer).reified(),
    };
    match &outer_type {
        Ty::Module(Module::Namespace(path)) => {
            let found =
                modules::module_member(resolver, &Module::Namespace(path.clone()), name, view);
            let found = in_reach(resolver, view, found.to_vec());
            match found.first() {
                Some(Found::Symbol(symbol))
                    if resolver.kind(*symbol) == Some(SymbolKind::Namespace) =>
                {
                    values::symbol_value(resolver, *symbol)
                }
                Some(found) => found_type(resolver, view, found),
                // A library type written with its whole path.
                None if view.shapes().find(name).is_some() => {
                    library_type(view, &imports::below(path, ".", name))
                }
                None => Ty::Module(Module::Namespace(imports::below(path, ".", name))),
            }
        }
        Ty::Module(Module::External(path)) => {
            library_type(view, &imports::below(path, view.semantics.separator, name))
        }
        Ty::Module(module) => {
            let found = modules::module_member(resolver, module, name, view);
            found
                .first()
                .map_or(Ty::Unknown, |found| found_type(resolver, view, found))
        }
        // What looked like a type was a module on the way to one: `std::sync::Arc`.
        Ty::External(_) | Ty::Library(..) => {
            let path = outer_type.library_path().unwrap_or_default();
            library_type(view, &imports::below(&path, view.semantics.separator, name))
        }
        ty => {
            let hits = lookup::members(resolver, ty, name);
            match hits.first() {
                Some(hit) => found_type(resolver, view, &Found::Symbol(hit.symbol)),
                None => Ty::Unknown,
            }
        }
    }
}

/// The type that the block around a place names so, `Self::Item` in `impl Iterator for Carts { type Item =
/// Cart; … }`, or what its trait asks of that type where the block says too little.
fn named_by_block(resolver: &Resolver, place: Place, outer: TypeId, name: &str) -> Option<Ty> {
    let view = place.view;
    let is_self = match view.facts.type_recipe(outer) {
        TypeRecipe::SelfType => true,
        TypeRecipe::Name(first) => view.semantics.self_types.contains(&view.facts.name(first)),
        _ => false,
    };
    if !is_self || !view.semantics.declarations.impls {
        return None;
    }
    let mut owners = view
        .outwards(place.scope)
        .filter_map(|scope| view.facts.scope(scope).owner);
    let block = owners.find(|&owner| view.symbol(owner).kind == SymbolKind::Impl)?;
    let mut own = view.children(Some(block));
    let alias = own.find(|&child| {
        view.symbol(child).kind == SymbolKind::TypeAlias && view.name_of(child) == name
    })?;
    let given = values::symbol_type(resolver, view.symbol_id(alias));
    if given.is_known() {
        return Some(given);
    }
    let mut supertypes = view.facts.supertypes.iter();
    let implemented = supertypes.find(|supertype| supertype.symbol == block)?;
    let of_trait = written_type(resolver, place, implemented.ty).holder()?;
    let asked = lookup::own_members(resolver, of_trait, name);
    let asked = values::symbol_type(resolver, *asked.first()?);
    asked.is_known().then_some(asked)
}

/// The enum member that a type path names.
pub fn variant(resolver: &Resolver, place: Place, ty: TypeId) -> Option<SymbolId> {
    let view = place.view;
    let is_variant = |symbol: &SymbolId| resolver.kind(*symbol) == Some(SymbolKind::EnumMember);
    match view.facts.type_recipe(ty) {
        TypeRecipe::Name(name) => {
            let (found, _) = scopes::lookup(resolver, place, view.facts.name(name), Space::Value);
            let mut symbols = found.iter().filter_map(Found::symbol);
            symbols.find(is_variant)
        }
        TypeRecipe::Scoped(outer, name) => {
            let outer = match view.facts.type_recipe(outer) {
                TypeRecipe::Name(first) => path_start(resolver, place, view.facts.name(first))?,
                _ => written_type(resolver, place, outer).reified(),
            };
            match &outer {
                Ty::Module(module) => {
                    modules::module_member(resolver, module, view.facts.name(name), view)
                        .iter()
                        .filter_map(Found::symbol)
                        .find(is_variant)
                }
                outer => lookup::members(resolver, outer, view.facts.name(name))
                    .into_iter()
                    .map(|hit| hit.symbol)
                    .find(is_variant),
            }
        }
        TypeRecipe::Apply(head, _) => variant(resolver, place, head),
        _ => None,
    }
}

/// What the first part of a path means: a module, a namespace or a type.
pub fn path_start(resolver: &Resolver, place: Place, name: &str) -> Option<Ty> {
    let view = place.view;
    let (mut found, rule) = scopes::lookup(resolver, place, name, Space::Type);
    if rule == Rule::Builtin
        && let Some(module) = own_module(resolver, place, name)
    {
        return Some(Ty::Module(module));
    }
    // Where an interface and a namespace share a name, a path goes on in the namespace.
    let in_file = view.semantics.declarations.merging == Merging::File;
    let is_namespace = |symbol: &SymbolId| resolver.kind(*symbol) == Some(SymbolKind::Namespace);
    if in_file {
        found.sort_by_key(|found| !matches!(found, Found::Symbol(symbol) if is_namespace(symbol)));
    }
    for found in &found {
        let ty = match found {
            Found::Symbol(symbol) if in_file && is_namespace(symbol) => {
                Ty::Module(Module::Type(*symbol))
            }
            Found::Module(module) => Ty::Module(module.clone()),
            Found::Symbol(symbol) if resolver.kind(*symbol) == Some(SymbolKind::Namespace) => {
                let (other, _) = resolver.symbol(*symbol)?;
                let path = NamespacePath::of(resolver, &other, symbol.index);
                Ty::Module(Module::Namespace(path.full.into()))
            }
            Found::Symbol(symbol) if resolver.kind(*symbol) == Some(SymbolKind::Module) => {
                Ty::Module(Module::Tree(symbol.file, Some(symbol.index)))
            }
            Found::External(path) => Ty::Module(Module::External(path.clone())),
            found => found_type(resolver, view, found).reified(),
        };
        if ty.is_known() {
            return Some(ty);
        }
    }
    (view.dialect.path_start)(resolver, place, name)
}

/// A module of the repository that a path starts with, though the language has a name like it: the
/// crate `ignore` beside `#[ignore]`.
pub fn own_module(resolver: &Resolver, place: Place, name: &str) -> Option<Module> {
    match (place.view.dialect.path_start)(resolver, place, name)? {
        Ty::Module(module) if !matches!(module, Module::External(_)) => Some(module),
        _ => None,
    }
}

/// The target of a generic alias, with the types that are given in place of the alias's parameters.
fn with_alias_types(resolver: &Resolver, ty: Ty, given: &[Ty]) -> Ty {
    // A type parameter that is named by itself is one of the declaration around.
    if !ty.has_parameters() || matches!(ty, Ty::Parameter(..)) && given.is_empty() {
        return ty;
    }
    let put_in = ty.substitute(&|of, i| {
        let (_, declared) = resolver.symbol(of)?;
        if declared.kind != SymbolKind::TypeAlias {
            return None;
        }
        let types = generics::with_defaults(resolver, of, given);
        let types = types.as_deref().unwrap_or(given);
        if given.is_empty() && types.is_empty() {
            return None;
        }
        Some(types.get(i as usize).cloned().unwrap_or(Ty::Unknown))
    });
    generics::settled(resolver, put_in)
}

/// A generic type with the defaults of those arguments that are not written.
fn with_defaults(resolver: &Resolver, ty: Ty) -> Ty {
    match &ty {
        Ty::Instance(symbol, given) => {
            let types = generics::with_defaults(resolver, *symbol, given);
            types.map_or(ty.clone(), |types| Ty::Instance(*symbol, types))
        }
        _ => ty,
    }
}

/// A generic type with its arguments.
pub fn applied(view: &FileView, head: Ty, arguments: Vec<Ty>) -> Ty {
    match head {
        Ty::Instance(symbol, _) => Ty::Instance(symbol, arguments.into()),
        Ty::Type(symbol, _) => Ty::Type(symbol, arguments.into()),
        Ty::Library(name, _) => {
            let aliases = &view.semantics.declarations.library_aliases;
            let alias = aliases.iter().find(|(of, _)| **of == *name);
            match (alias.map(|(_, alias)| alias), arguments.as_slice()) {
                (Some(LibraryAlias::Argument), [first, ..]) => first.clone(),
                (Some(LibraryAlias::Optional), [only]) => Ty::union([only.clone(), Ty::Null]),
                (Some(LibraryAlias::Type), [only]) => only.reified(),
                _ => Ty::Library(name, arguments.into()),
            }
        }
        Ty::LibraryType(name, _) => Ty::LibraryType(name, arguments.into()),
        ty => ty,
    }
}

/// Of several types that a value has at once the one to go by.
fn first_known(types: Vec<Ty>) -> Ty {
    let instance = types.iter().find(|ty| matches!(ty, Ty::Instance(..)));
    let known = instance.or_else(|| types.iter().find(|ty| ty.is_known()));
    known.cloned().unwrap_or(Ty::Unknown)
}
