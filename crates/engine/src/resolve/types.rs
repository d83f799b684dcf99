//! Types as written become types as known.

use std::sync::Arc;

use facts::{ScopeId, SymbolKind, TypeId, TypeRecipe};

use super::{
    FileView, Found, Module, Resolver, SymbolId, Ty, imports::below, scopes::Space, shapes::Shapes,
};

/// The first part of a path that starts at the root of all namespaces.
const ROOT_NAMESPACE: &str = "\\";

impl Resolver<'_> {
    /// A value of the type that is written.
    pub(super) fn written_type(&self, view: &FileView, scope: ScopeId, at: u32, ty: TypeId) -> Ty {
        if !ty.is_known() || !self.budget.spend() {
            return Ty::Unknown;
        }
        let list = |range| {
            view.facts
                .type_list(range)
                .iter()
                .map(|&ty| self.written_type(view, scope, at, ty))
                .collect::<Vec<Ty>>()
        };
        match view.facts.type_recipe(ty) {
            TypeRecipe::Unknown | TypeRecipe::Inferred => Ty::Unknown,
            TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) if is_python_self(view, name) => {
                self.self_type_at(view, scope)
            }
            TypeRecipe::Name(name) => self.named_type(view, scope, at, view.facts.name(name), 0),
            TypeRecipe::Scoped(outer, name) => {
                self.scoped_type(view, scope, at, outer, view.facts.name(name))
            }
            TypeRecipe::Apply(head, arguments) => {
                let types = list(arguments);
                let head = match view.facts.type_recipe(head) {
                    TypeRecipe::Name(name) => {
                        self.named_type(view, scope, at, view.facts.name(name), types.len())
                    }
                    _ => self.written_type(view, scope, at, head),
                };
                // What stands behind another name has that name's parameters in it.
                let is_alias = |symbol: SymbolId| self.kind(symbol) == Some(SymbolKind::TypeAlias);
                if head.has_parameters() {
                    let put_in = head.substitute(&|of, i| {
                        is_alias(of).then(|| types.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                    });
                    if put_in != head {
                        return put_in;
                    }
                }
                self.applied(view, head, types)
            }
            TypeRecipe::Array(item) => {
                Ty::Array(Arc::new(self.written_type(view, scope, at, item)))
            }
            TypeRecipe::Pointer(item) | TypeRecipe::Reference(item) => {
                self.written_type(view, scope, at, item)
            }
            TypeRecipe::Optional(item) => {
                Ty::union([self.written_type(view, scope, at, item), Ty::Null])
            }
            TypeRecipe::Function(types) => Ty::Signature(list(types).into()),
            TypeRecipe::Union(types) => Ty::union(list(types)),
            // A value of all of them at once has the members of each.
            TypeRecipe::Intersection(types)
                if view.semantics.modules == facts::ModuleSystem::EcmaScript =>
            {
                Ty::union(list(types))
            }
            TypeRecipe::Intersection(types) | TypeRecipe::Bounds(types) => {
                // What is known of any part can be used: the first that is known leads.
                let types = list(types);
                types
                    .iter()
                    .find(|ty| matches!(ty, Ty::Instance(..)))
                    .or_else(|| types.iter().find(|ty| ty.is_known()))
                    .cloned()
                    .unwrap_or(Ty::Unknown)
            }
            TypeRecipe::Tuple(types) => Ty::Tuple(list(types).into()),
            TypeRecipe::SelfType => self.self_type_at(view, scope),
            TypeRecipe::Of(recipe) => self.eval(view, scope, at, recipe),
            TypeRecipe::Literal(_) => self.literal_type(view, "string"),
            TypeRecipe::Members(members) => match view.facts.scope(members).owner {
                Some(owner) => Ty::instance(SymbolId {
                    file: view.id,
                    index: owner,
                }),
                None => Ty::Unknown,
            },
            // `Cart["items"]`, `Items[number]`.
            TypeRecipe::Indexed(object, index) => {
                let object = self.written_type(view, scope, at, object);
                match view.facts.type_recipe(index) {
                    TypeRecipe::Literal(name) => {
                        self.member_value(view, &object, view.facts.name(name))
                    }
                    TypeRecipe::Name(name) if view.facts.name(name) == "number" => {
                        self.element(view, &object)
                    }
                    _ => Ty::Unknown,
                }
            }
        }
    }

    fn named_type(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        name: &str,
        n_arguments: usize,
    ) -> Ty {
        let (found, _) = self.lookup(view, scope, at, name, Space::Type);
        let mut found = self.of_arity(found, n_arguments);
        // `typedef struct x { … } x`: the type itself before its other name.
        found.sort_by_key(|found| matches!(found, Found::Symbol(symbol) if self.kind(*symbol) == Some(SymbolKind::TypeAlias)));
        for found in &found {
            let ty = self.found_type(view, found);
            if ty.is_known() {
                return ty;
            }
        }
        if found.is_empty() {
            return self.unknown_type(view, name);
        }
        Ty::Unknown
    }

    /// Of several types of one name those with so many type parameters, if any has.
    pub(super) fn of_arity(&self, found: Vec<Found>, n_arguments: usize) -> Vec<Found> {
        let fits = |found: &Found| match found {
            Found::Symbol(symbol) => self
                .symbol(*symbol)
                .is_some_and(|(_, declared)| declared.type_parameters.len as usize == n_arguments),
            _ => false,
        };
        if found.len() > 1 && found.iter().any(fits) {
            found.into_iter().filter(fits).collect()
        } else {
            found
        }
    }

    /// A type name that nothing in reach declares: built in, or global where the language has
    /// global names.
    fn unknown_type(&self, view: &FileView, name: &str) -> Ty {
        // The elements of a page are declared once, for all files.
        if name == "IntrinsicElements" && view.semantics.modules == facts::ModuleSystem::EcmaScript
        {
            let declared = self.symbols_named(name);
            let declared = declared
                .iter()
                .filter(|symbol| self.kind(**symbol) == Some(SymbolKind::Interface));
            let ty = Ty::union(declared.map(|symbol| Ty::instance(*symbol)));
            return if ty.is_known() { ty } else { Ty::library(name) };
        }
        if Shapes::of(view.semantics).find(name).is_some()
            || view.semantics.builtins.contains(&name)
        {
            return Ty::library(name);
        }
        let resolution = self.bare(view, ScopeId::FILE, u32::MAX, name, Space::Type, None);
        match resolution.targets.as_slice() {
            [found] => self.found_type(view, found),
            _ if self.is_of_a_library(view, name) => Ty::library(name),
            _ => Ty::Unknown,
        }
    }

    /// Whether a type name must come out of a library: a whole namespace is imported at once, and
    /// no type of the repository bears the name.
    fn is_of_a_library(&self, view: &FileView, name: &str) -> bool {
        view.semantics.modules == facts::ModuleSystem::DeclaredNamespaces
            && name != "dynamic"
            && !self
                .sketches(name)
                .iter()
                .any(|sketch| sketch.kind.is_type() && sketch.family == view.semantics.family)
    }

    /// A value of what a find in type position stands for.
    pub(super) fn found_type(&self, view: &FileView, found: &Found) -> Ty {
        match found {
            Found::Symbol(symbol) => {
                let Some((other, declared)) = self.symbol(*symbol) else {
                    return Ty::Unknown;
                };
                match declared.kind {
                    kind if kind.is_type()
                        && declared.modifiers.contains(facts::Modifiers::PROTOTYPE)
                        && other.semantics.prototypes =>
                    {
                        Ty::instance(self.defined_type(*symbol))
                    }
                    SymbolKind::TypeAlias if declared.ty.is_known() => {
                        if matches!(other.facts.type_recipe(declared.ty), TypeRecipe::Members(_)) {
                            return Ty::instance(*symbol);
                        }
                        let target = self.symbol_type(*symbol);
                        // `P & { extra: string }` has members of its own beside those of the other
                        // types.
                        let has_own = || {
                            other.semantics.modules == facts::ModuleSystem::EcmaScript
                                && other.children(Some(symbol.index)).next().is_some()
                        };
                        match target {
                            Ty::Unknown => Ty::instance(*symbol),
                            target if has_own() => Ty::union([target, Ty::instance(*symbol)]),
                            target => target,
                        }
                    }
                    SymbolKind::Delegate => Ty::instance(*symbol),
                    kind if kind.is_type() => Ty::instance(*symbol),
                    // A function that `new` makes objects of.
                    SymbolKind::Function
                        if other.semantics.modules == facts::ModuleSystem::EcmaScript =>
                    {
                        Ty::instance(*symbol)
                    }
                    // A name bound to a type: `Alias = Foo`, an enum's variant, a value used as a
                    // type.
                    SymbolKind::EnumMember => declared.parent.map_or(Ty::Unknown, |parent| {
                        Ty::instance(SymbolId {
                            file: symbol.file,
                            index: parent,
                        })
                    }),
                    _ => self.symbol_value(*symbol).instantiated(),
                }
            }
            Found::TypeParameter(symbol, i) => Ty::Parameter(*symbol, *i),
            Found::External(path) => self.library_type(view, path),
            Found::Binding(file, binding) => {
                let Some(other) = self.view(*file) else {
                    return Ty::Unknown;
                };
                self.binding_type(&other, *binding).instantiated()
            }
            Found::Module(Module::External(path)) => Ty::External(path.clone()),
            Found::Module(module) => Ty::Module(module.clone()),
        }
    }

    /// The type that a forward declaration announces: the definition of that name in the same
    /// namespace, else the only one there is.
    pub(super) fn defined_type(&self, symbol: SymbolId) -> SymbolId {
        let Some((view, declared)) = self.symbol(symbol) else {
            return symbol;
        };
        if !declared.modifiers.contains(facts::Modifiers::PROTOTYPE) || !declared.kind.is_type() {
            return symbol;
        }
        let namespace = view.namespace_of(symbol.index);
        let definitions: Vec<(SymbolId, bool)> = self
            .symbols_named(view.name_of(symbol.index))
            .iter()
            .filter_map(|other| {
                let (other_view, found) = self.symbol(*other)?;
                let defines = found.kind.is_type()
                    && found.kind != SymbolKind::TypeAlias
                    && !found.modifiers.contains(facts::Modifiers::PROTOTYPE);
                (defines && other_view.semantics.family == view.semantics.family)
                    .then(|| (*other, other_view.namespace_of(other.index) == namespace))
            })
            .collect();
        let same = definitions.iter().find(|(_, same)| *same);
        match (same, definitions.as_slice()) {
            (Some((definition, _)), _) | (None, [(definition, _)]) => *definition,
            _ => symbol,
        }
    }

    /// A value of a library type, by its path.
    pub(super) fn library_type(&self, view: &FileView, path: &str) -> Ty {
        match Shapes::of(view.semantics).find(path) {
            Some((name, _)) => Ty::Library(name.into(), Arc::from([])),
            None => Ty::Library(path.into(), Arc::from([])),
        }
    }

    fn scoped_type(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        outer: TypeId,
        name: &str,
    ) -> Ty {
        let outer_type = match view.facts.type_recipe(outer) {
            TypeRecipe::Name(first) => {
                let first = view.facts.name(first);
                // `\\Foo` stands in no namespace.
                if first == ROOT_NAMESPACE {
                    let found = self.module_member(&Module::Namespace("".into()), name, view);
                    return found.first().map_or_else(
                        || self.library_type(view, name),
                        |found| self.found_type(view, found),
                    );
                }
                let resolution = self.path_start(view, scope, at, first);
                match resolution {
                    Some(ty) => ty,
                    None => Ty::Module(Module::Namespace(first.into())),
                }
            }
            TypeRecipe::Scoped(..) => self.written_type(view, scope, at, outer),
            _ => self.written_type(view, scope, at, outer).reified(),
        };
        match &outer_type {
            Ty::Module(Module::Namespace(path)) => {
                let found = self.module_member(&Module::Namespace(path.clone()), name, view);
                match found.first() {
                    Some(Found::Symbol(symbol))
                        if self.kind(*symbol) == Some(SymbolKind::Namespace) =>
                    {
                        self.symbol_value(*symbol)
                    }
                    Some(found) => self.found_type(view, found),
                    // A library type written with its whole path.
                    None if Shapes::of(view.semantics).find(name).is_some() => {
                        self.library_type(view, &below(path, ".", name))
                    }
                    None => Ty::Module(Module::Namespace(below(path, ".", name))),
                }
            }
            Ty::Module(Module::External(path)) => {
                self.library_type(view, &below(path, view.semantics.separator, name))
            }
            Ty::Module(module) => {
                let found = self.module_member(module, name, view);
                found
                    .first()
                    .map_or(Ty::Unknown, |found| self.found_type(view, found))
            }
            // What looked like a type was a module on the way to one: `std::sync::Arc`.
            Ty::External(path) | Ty::Library(path, _) => {
                self.library_type(view, &below(path, view.semantics.separator, name))
            }
            ty => {
                let hits = self.members(ty, name);
                match hits.first() {
                    Some(hit) => self.found_type(view, &Found::Symbol(hit.symbol)),
                    None => Ty::Unknown,
                }
            }
        }
    }

    /// The enum member that a type path names.
    pub(super) fn variant(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        ty: TypeId,
    ) -> Option<SymbolId> {
        let is_variant = |symbol: &SymbolId| self.kind(*symbol) == Some(SymbolKind::EnumMember);
        match view.facts.type_recipe(ty) {
            TypeRecipe::Name(name) => {
                let (found, _) = self.lookup(view, scope, at, view.facts.name(name), Space::Value);
                found.into_iter().find_map(|found| {
                    if let Found::Symbol(symbol) = found {
                        Some(symbol).filter(is_variant)
                    } else {
                        None
                    }
                })
            }
            TypeRecipe::Scoped(outer, name) => {
                let outer = match view.facts.type_recipe(outer) {
                    TypeRecipe::Name(first) => {
                        self.path_start(view, scope, at, view.facts.name(first))?
                    }
                    _ => self.written_type(view, scope, at, outer).reified(),
                };
                match &outer {
                    Ty::Module(module) => self
                        .module_member(module, view.facts.name(name), view)
                        .iter()
                        .find_map(|found| {
                            if let Found::Symbol(symbol) = found {
                                Some(*symbol).filter(is_variant)
                            } else {
                                None
                            }
                        }),
                    outer => self
                        .members(outer, view.facts.name(name))
                        .into_iter()
                        .map(|hit| hit.symbol)
                        .find(is_variant),
                }
            }
            TypeRecipe::Apply(head, _) => self.variant(view, scope, at, head),
            _ => None,
        }
    }

    /// What the first part of a path stands for: a module, a namespace or a type.
    pub(super) fn path_start(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        name: &str,
    ) -> Option<Ty> {
        if view.semantics.modules == facts::ModuleSystem::RustCrates && name == "Self" {
            return Some(self.self_type_at(view, scope).reified());
        }
        let (found, _) = self.lookup(view, scope, at, name, Space::Type);
        for found in &found {
            let ty = match found {
                Found::Module(module) => Ty::Module(module.clone()),
                Found::Symbol(symbol) if self.kind(*symbol) == Some(SymbolKind::Namespace) => {
                    let (other, _) = self.symbol(*symbol)?;
                    Ty::Module(Module::Namespace(other.namespace_of(symbol.index).into()))
                }
                Found::Symbol(symbol) if self.kind(*symbol) == Some(SymbolKind::Module) => {
                    Ty::Module(Module::Rust(symbol.file, Some(symbol.index)))
                }
                Found::External(path) => Ty::Module(Module::External(path.clone())),
                found => self.found_type(view, found).reified(),
            };
            if ty.is_known() {
                return Some(ty);
            }
        }
        if view.semantics.modules == facts::ModuleSystem::RustCrates {
            return self
                .rust_path(view, scope, name)
                .map(|module| match module {
                    Module::Type(symbol) => Ty::Type(symbol, Arc::from([])),
                    module => Ty::Module(module),
                });
        }
        None
    }

    /// A generic type with its arguments.
    pub(super) fn applied(&self, view: &FileView, head: Ty, arguments: Vec<Ty>) -> Ty {
        if view.semantics.modules == facts::ModuleSystem::EcmaScript
            && let (Ty::Library(name, _), Some(first)) = (&head, arguments.first())
            && matches!(
                &**name,
                "Partial"
                    | "Required"
                    | "Readonly"
                    | "NonNullable"
                    | "Pick"
                    | "Omit"
                    | "DeepPartial"
            )
        {
            return first.clone();
        }
        match head {
            Ty::Instance(symbol, _) => Ty::Instance(symbol, arguments.into()),
            Ty::Type(symbol, _) => Ty::Type(symbol, arguments.into()),
            Ty::Library(name, _) => match (&*name, arguments.as_slice()) {
                ("type" | "Type", [only]) => only.reified(),
                ("Nullable", [only]) => Ty::union([only.clone(), Ty::Null]),
                _ => Ty::Library(name, arguments.into()),
            },
            Ty::LibraryType(name, _) => Ty::LibraryType(name, arguments.into()),
            ty => ty,
        }
    }
}

/// `Self`, `typing.Self`.
pub(super) fn is_python_self(view: &FileView, name: facts::NameId) -> bool {
    view.semantics.family == facts::Family::Python && view.facts.name(name) == "Self"
}
