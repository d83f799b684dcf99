//! What symbols, bindings and members are as values.

use std::sync::Arc;

use crate::resolve::{
    FileView, Found, Guard, Place, Resolver, SymbolId, Ty, call::CallArguments, calls, eval,
    extensions, generics, imports, lambdas, library, lookup, lookup::MemberHit, modules,
    modules::Module, namespaces::NamespacePath, order, owner, scopes, scopes::Space, written,
};
use facts::{BindingId, BindingKind, Merging, Modifiers, RecipeId, ScopeId, SymbolKind};

/// What a find is as a value.
pub fn found_value(resolver: &Resolver, view: &FileView, found: &Found) -> Ty {
    match found {
        Found::Symbol(symbol) => symbol_value(resolver, *symbol),
        Found::Binding(file, binding) => match resolver.view(*file) {
            Some(other) => binding_type(resolver, &other, *binding),
            None => Ty::Unknown,
        },
        Found::TypeParameter(symbol, i) => Ty::Parameter(owner::whole(resolver, *symbol), *i),
        Found::Module(module) => Ty::Module(module.clone()),
        Found::External(path) => match view.shapes().find(path) {
            Some((name, _)) => Ty::LibraryType(name.into(), Arc::from([])),
            None => Ty::external(path.clone()),
        },
    }
}

/// What naming a symbol gives: a type itself, a function, or the value it holds.
pub fn symbol_value(resolver: &Resolver, symbol: SymbolId) -> Ty {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Ty::Unknown;
    };
    match declared.kind {
        SymbolKind::TypeAlias => {
            let target = symbol_type(resolver, symbol);
            if target.is_known() {
                target.reified()
            } else {
                Ty::type_of(symbol)
            }
        }
        SymbolKind::Object => Ty::instance(symbol),
        kind if kind.is_type() && view.semantics.prototypes => {
            Ty::Type(owner::defined_type(resolver, symbol), Arc::from([]))
        }
        kind if kind.is_type() => Ty::type_of(symbol),
        // Such a namespace belongs to its file.
        SymbolKind::Namespace if view.semantics.declarations.merging == Merging::File => {
            Ty::Module(Module::Type(symbol))
        }
        SymbolKind::Namespace => {
            let path = NamespacePath::of(resolver, &view, symbol.index);
            Ty::Module(Module::Namespace(path.full.into()))
        }
        SymbolKind::Module => Ty::Module(Module::Tree(symbol.file, Some(symbol.index))),
        SymbolKind::EnumMember if declared.parameters.len > 0 => Ty::Function(symbol, None),
        SymbolKind::EnumMember => match declared.parent {
            Some(parent) => owner::own_instance(resolver, symbol.beside(parent)),
            None => symbol_type(resolver, symbol),
        },
        kind if kind.is_callable() => {
            decorated(resolver, &view, symbol).unwrap_or(Ty::Function(symbol, None))
        }
        kind if kind.is_value() => (view.dialect.field_value)(resolver, &view, symbol, &declared)
            .unwrap_or_else(|| symbol_type(resolver, symbol)),
        _ => Ty::Unknown,
    }
}

/// What decorators make of a function, where they make an object of a known type of it.
pub fn decorated(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> Option<Ty> {
    if view.semantics.members != facts::MemberVisibility::Open {
        return None;
    }
    let start = view
        .facts
        .annotations
        .partition_point(|annotation| annotation.symbol < symbol.index);
    let annotations = view.facts.annotations[start..]
        .iter()
        .take_while(|annotation| annotation.symbol == symbol.index);
    let declared = view.symbol(symbol.index);
    for annotation in annotations {
        let place = Place::new(view, declared.declared_in, annotation.span.start);
        let made = resolver.memo.guard(&Guard::Decorated(symbol), || {
            let decorator = eval::expression(resolver, place, annotation.recipe);
            match &decorator {
                // A class used as a decorator is given the function.
                Ty::Type(..) => decorator.instantiated(),
                Ty::Function(..) | Ty::Signature(_) | Ty::Instance(..) => {
                    let arguments = CallArguments::new(place, &[RecipeId::UNKNOWN]);
                    calls::call_value(resolver, &decorator, arguments)
                }
                _ => Ty::Unknown,
            }
        })?;
        if let Ty::Instance(..) = made {
            return Some(made);
        }
    }
    None
}

/// The declared or inferred type of a value; of a callable, what it returns.
pub fn symbol_type(resolver: &Resolver, symbol: SymbolId) -> Ty {
    resolver.memoize_cyclic(
        &resolver.analysis.tables.symbol_types,
        symbol,
        Guard::Symbol(symbol),
        Ty::Unknown,
        || {
            let Some((view, declared)) = resolver.symbol(symbol) else {
                return Ty::Unknown;
            };
            let scope = declared.body.unwrap_or(declared.declared_in);
            if declared.kind == SymbolKind::EnumMember
                && let Some(parent) = declared.parent
            {
                return owner::own_instance(resolver, symbol.beside(parent));
            }
            if declared.ty.is_known() {
                let ty = written::written_type(
                    resolver,
                    Place::new(&view, scope, declared.span.end),
                    declared.ty,
                );
                if ty.is_known() {
                    return ty;
                }
            }
            let values = view.facts.values(&declared);
            let ty = Ty::union(values.iter().map(|value| {
                eval::expression(resolver, Place::of_value(&view, value), value.recipe)
            }));
            if declared.kind == SymbolKind::Variable && matches!(ty, Ty::Unknown | Ty::Null) {
                return Ty::union([ty, assigned_type(resolver, &view, symbol)]);
            }
            if declared.kind.is_callable()
                && declared.modifiers.contains(Modifiers::GENERATOR)
                && !declared.ty.is_known()
            {
                return Ty::Library("Generator".into(), Arc::from([ty]));
            }
            ty
        },
    )
}

/// What the assignments of its file put into a variable that is declared without a value: `let cart;
/// before(() => { cart = new Cart() })`.
fn assigned_type(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> Ty {
    /// A variable of many values has no type to go by.
    const MAX_ASSIGNMENTS: usize = 8;
    if view.semantics.blocks == facts::Blocks::Function {
        return Ty::Unknown;
    }
    let name = view.symbol(symbol.index).name;
    let word = view.facts.name(name);
    let means_variable = |binding: &&facts::Binding| {
        let place = Place::of_binding(view, binding);
        let (found, _) = scopes::lookup(resolver, place, word, Space::Value);
        matches!(found.as_slice(), [Found::Symbol(found)] if *found == symbol)
    };
    let bindings = view.facts.bindings_of(name).iter();
    let assignments = bindings
        .filter(|binding| binding.kind == BindingKind::Assignment)
        .take(MAX_ASSIGNMENTS)
        .filter(means_variable);
    Ty::union(
        assignments.map(|binding| {
            eval::expression(resolver, Place::of_binding(view, binding), binding.value)
        }),
    )
}

/// The type of a binding by itself: declared, or of what it was bound to.
pub fn binding_type(resolver: &Resolver, view: &FileView, id: BindingId) -> Ty {
    resolver.memoize_cyclic(
        &resolver.analysis.tables.binding_types,
        (view.id, id),
        Guard::Binding(view.id, id),
        Ty::Unknown,
        || {
            let binding = view.facts.bindings[id.0 as usize].clone();
            if binding.ty.is_known() {
                let ty = written::written_type(
                    resolver,
                    Place::new(view, binding.scope, binding.from),
                    binding.ty,
                );
                if ty.is_known() {
                    return ty;
                }
            }
            if binding.kind == BindingKind::Parameter {
                if let Some(context) = view.facts.scope(binding.scope).context
                    && let Some(parameter) = binding.parameter
                {
                    let ty = lambdas::lambda_parameter_type(
                        resolver,
                        view,
                        binding.scope,
                        context,
                        parameter,
                    );
                    if ty.is_known() {
                        return ty;
                    }
                }
                if !binding.value.is_known() {
                    return (view.dialect.untyped_parameter)(resolver, view, &binding);
                }
            }
            eval::expression(
                resolver,
                Place::new(view, binding.scope, binding.from.saturating_sub(1)),
                binding.value,
            )
        },
    )
}

/// What a name bound in this file is at a place: the bindings that reach it, narrowed by tests.
pub fn reaching(resolver: &Resolver, place: Place, declaration: BindingId) -> Ty {
    let Place { view, scope, at } = place;
    let declared = &view.facts.bindings[declaration.0 as usize];
    let first = view
        .facts
        .bindings
        .partition_point(|binding| binding.name < declared.name);
    let all = view.facts.bindings_of(declared.name);
    let region = view.region(declared.scope);
    let by_region = view.semantics.blocks == facts::Blocks::Function;
    let in_reach = |binding: &facts::Binding| {
        if binding.kind == BindingKind::Label {
            return false;
        }
        if by_region {
            view.region(binding.scope) == region
        } else {
            view.is_inside(binding.scope, declared.scope)
        }
    };
    // From inside another function the order of assignments says nothing.
    let elsewhere = view.region(scope) != region;
    let mut types = Vec::new();
    for (i, binding) in all.iter().enumerate().rev() {
        let id = BindingId((first + i) as u32);
        if !in_reach(binding) || !elsewhere && binding.from > at {
            continue;
        }
        let around = view.is_inside(scope, binding.scope);
        if binding.kind == BindingKind::Narrowing {
            if around && !(elsewhere && binding.from > at) {
                let ty = binding_type(resolver, view, id);
                if ty.is_known() {
                    return ty;
                }
            }
            continue;
        }
        types.push(binding_type(resolver, view, id));
        if around && !elsewhere {
            break;
        }
    }
    if types.is_empty() {
        return binding_type(resolver, view, declaration);
    }
    let declared_type = if declared.ty.is_known() {
        binding_type(resolver, view, declaration)
    } else {
        Ty::Unknown
    };
    if declared_type.is_known() && !by_region {
        return declared_type;
    }
    Ty::union(types)
}

/// The superclass's view of the receiver.
pub fn super_type_at(resolver: &Resolver, view: &FileView, scope: ScopeId) -> Ty {
    let own = owner::self_type_at(resolver, view, scope);
    let Ty::Instance(symbol, arguments) = &own else {
        return Ty::Unknown;
    };
    let supertypes = order::supertypes(resolver, *symbol);
    let inherited = supertypes.iter().map(|supertype| {
        supertype.ty.substitute(&|of, i| {
            (of == *symbol).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
        })
    });
    Ty::union(inherited)
}

/// A member's value, seen through its receiver.
pub fn member_value(resolver: &Resolver, view: &FileView, object: &Ty, name: &str) -> Ty {
    member_value_in(resolver, view, object, name, Space::Value)
}

pub fn member_value_in(
    resolver: &Resolver,
    view: &FileView,
    object: &Ty,
    name: &str,
    space: Space,
) -> Ty {
    object.map_alternatives(|one| member_value_of_one(resolver, view, one, name, space))
}

pub fn member_value_of_one(
    resolver: &Resolver,
    view: &FileView,
    object: &Ty,
    name: &str,
    space: Space,
) -> Ty {
    match object {
        Ty::Module(Module::External(path)) => {
            if let Some(library) = associated(view, path, name) {
                return Ty::LibraryMember(Arc::new(library), name.into());
            }
            let path = imports::below(path, view.semantics.separator, name);
            found_value(resolver, view, &Found::External(path))
        }
        Ty::External(external) => {
            let implemented = (view.dialect.implemented)(resolver, view, object, name);
            if let [hit] = implemented.as_slice() {
                return hit_value(resolver, hit);
            }
            let path = imports::below(&external.to_string(), view.semantics.separator, name);
            found_value(resolver, view, &Found::External(path))
        }
        Ty::Module(Module::Type(symbol)) => {
            member_value_of_one(resolver, view, &Ty::type_of(*symbol), name, space)
        }
        Ty::Module(module) => {
            let found = modules::module_member(resolver, module, name, view);
            let found = scopes::fitting_found(resolver, found.to_vec(), space);
            match (found.first(), module) {
                (Some(found), _) => found_value(resolver, view, found),
                (None, Module::Namespace(path)) => {
                    Ty::Module(Module::Namespace(imports::below(path, ".", name)))
                }
                (None, _) => Ty::Unknown,
            }
        }
        Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
            let hits = extensions::members_in_sight(resolver, view, object, name, None);
            let is_called = |hit: &&MemberHit| {
                space == Space::Callable
                    && resolver
                        .kind(hit.symbol)
                        .is_some_and(|kind| kind.is_callable())
            };
            let hit = hits.iter().find(is_called).or(hits.first());
            // `Box::item` names the function, too.
            let is_function = space == Space::Callable || matches!(object, Ty::Type(..));
            let component = hit.filter(|_| is_function);
            if let Some(hit) = component
                && let Some(accessor) = accessor(resolver, hit.symbol)
            {
                return generics::substitute_type_args_of(resolver, &accessor, &hit.receiver);
            }
            match hit {
                // The object itself is the receiver, so that `self` in a result is what it is.
                Some(hit) => match hit_value(resolver, hit) {
                    Ty::Function(symbol, Some(_)) => {
                        Ty::Function(symbol, Some(Arc::new(object.clone())))
                    }
                    value => value,
                },
                // Calling it makes an object, as calling the type does elsewhere.
                None if matches!(object, Ty::Type(..)) && lookup::constructs(view, name) => {
                    object.clone()
                }
                None => library::base_member(resolver, view, *symbol, object, name),
            }
        }
        Ty::Parameter(..) | Ty::Projected(..) => lookup::members(resolver, object, name)
            .first()
            .map_or(Ty::Unknown, |hit| hit_value(resolver, hit)),
        Ty::Function(symbol, _) => {
            match (view.dialect.function_members)(resolver, view, *symbol, name).first() {
                Some(found) => found_value(resolver, view, found),
                None => match (view.dialect.implemented)(resolver, view, object, name).as_slice() {
                    [hit] => hit_value(resolver, hit),
                    _ => Ty::Unknown,
                },
            }
        }
        Ty::LibraryMember(receiver, member) => library::property_value(view, receiver, member)
            .map_or(Ty::Unknown, |value| {
                member_value_in(resolver, view, &value, name, space)
            }),
        Ty::Library(..)
        | Ty::LibraryType(..)
        | Ty::Array(_)
        | Ty::Tuple(_)
        | Ty::Lambda(..)
        | Ty::Signature(_) => {
            if let Some(hit) =
                extensions::members_in_sight(resolver, view, object, name, None).first()
            {
                return hit_value(resolver, hit);
            }
            if let Ty::LibraryType(library, _) = object
                && lookup::constructs(view, name)
                && view.shapes().member(library, name).is_none()
            {
                return object.clone();
            }
            if let Some(keyed) = library::keyed_type(view, object) {
                let value = member_value_in(resolver, view, &keyed, name, space);
                if value.is_known() {
                    return value;
                }
            }
            match library::dereferenced(view, object, name) {
                Some(inner) => member_value_in(resolver, view, &inner, name, space),
                None => library::entry(view, object, name)
                    .unwrap_or_else(|| Ty::LibraryMember(Arc::new(object.clone()), name.into())),
            }
        }
        _ => Ty::Unknown,
    }
}

/// The library type that a path names, where the type has a member of this name: `Arc::new`. Only
/// where types are told from modules by how they are written.
fn associated(view: &FileView, path: &str, name: &str) -> Option<Ty> {
    let is_type = path
        .rsplit("::")
        .next()
        .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_uppercase()));
    let (library, _) = view.shapes().find(path)?;
    (is_type && view.semantics.separator == "::" && view.shapes().member(library, name).is_some())
        .then(|| Ty::LibraryType(library.into(), Arc::from([])))
}

/// The type of a member, as seen through the receiver it was found on.
pub fn hit_type(resolver: &Resolver, hit: &MemberHit) -> Ty {
    let ty = symbol_type(resolver, hit.symbol);
    generics::substitute_type_args_of(resolver, &ty, &hit.receiver)
}

pub fn hit_value(resolver: &Resolver, hit: &MemberHit) -> Ty {
    let value = symbol_value(resolver, hit.symbol);
    match value {
        // A field that holds a function is no method of its object.
        Ty::Function(symbol, _) if symbol == hit.symbol => {
            Ty::Function(symbol, Some(Arc::new(hit.receiver.clone())))
        }
        value => generics::substitute_type_args_of(resolver, &value, &hit.receiver),
    }
}

/// What is called under the name of a component of a record: a function that gives its value.
pub fn accessor(resolver: &Resolver, symbol: SymbolId) -> Option<Ty> {
    let (view, declared) = resolver.symbol(symbol)?;
    let of_record = |parent| view.symbol(parent).kind == SymbolKind::Record;
    let is_component = declared.kind == SymbolKind::Field
        && declared
            .modifiers
            .contains(Modifiers::CONSTRUCTOR_PARAMETER)
        && declared.parent.is_some_and(of_record);
    is_component.then(|| Ty::Signature(Arc::from([symbol_type(resolver, symbol)])))
}

pub fn parameter_type(resolver: &Resolver, symbol: SymbolId, i: u16) -> Ty {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Ty::Unknown;
    };
    match view.facts.parameters(&declared).get(i as usize) {
        Some(parameter) => written::header_type(resolver, &view, &declared, parameter.ty),
        None => Ty::Unknown,
    }
}
