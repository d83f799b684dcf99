//! The type of an expression, from its recipe. One pass in, no unification engine: after a few hops
//! it is unknown.

use std::sync::Arc;

use facts::{
    BindingId, BindingKind, LiteralKind, Modifiers, Recipe, RecipeId, ScopeId, SymbolKind,
};

use super::{
    FileView, Found, Guard, Module, Resolver, SymbolId, Ty, imports::below, scopes::Space,
    shapes::Shapes,
};

/// Expressions nested deeper than this are generated.
const MAX_NESTING: u32 = 100;

impl Resolver<'_> {
    /// The type of a recipe, read in a scope at a place.
    pub fn eval(&self, view: &FileView, scope: ScopeId, at: u32, recipe: RecipeId) -> Ty {
        if !recipe.is_known() || !self.budget.spend() || self.depth.get() >= MAX_NESTING {
            return Ty::Unknown;
        }
        self.depth.set(self.depth.get() + 1);
        let ty = self.eval_inner(view, scope, at, recipe);
        self.depth.set(self.depth.get() - 1);
        ty
    }

    /// The types of several: of the arguments of a call.
    pub(super) fn eval_all(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        recipes: &[RecipeId],
    ) -> Vec<Ty> {
        recipes
            .iter()
            .map(|&recipe| self.eval(view, scope, at, recipe))
            .collect()
    }

    fn eval_inner(&self, view: &FileView, scope: ScopeId, at: u32, recipe: RecipeId) -> Ty {
        let eval = |recipe| self.eval(view, scope, at, recipe);
        match view.facts.recipe(recipe) {
            Recipe::Unknown | Recipe::Spread(_) => Ty::Unknown,
            Recipe::Name(name) => {
                let name = view.facts.name(name);
                let starts_path = matches!(name, "self" | "super" | "crate" | "$crate");
                if starts_path && view.semantics.modules == facts::ModuleSystem::RustCrates {
                    return self
                        .path_start(view, scope, at, name)
                        .unwrap_or(Ty::Unknown);
                }
                self.name_value(view, scope, at, name, Space::Value)
            }
            Recipe::Member(object, name) => {
                self.member_of(view, scope, at, object, view.facts.name(name), Space::Value)
            }
            Recipe::Scoped(object, name) => {
                let object = match view.facts.recipe(object) {
                    Recipe::Name(first) => {
                        let first = view.facts.name(first);
                        self.path_start(view, scope, at, first)
                            .unwrap_or_else(|| self.name_value(view, scope, at, first, Space::Type))
                    }
                    _ => eval(object),
                };
                self.member_value(view, &object, view.facts.name(name))
            }
            Recipe::Call(callee, arguments) => {
                if let Recipe::Member(object, name) = view.facts.recipe(callee)
                    && view.semantics.called_getters
                    && let Some(value) = self.getter_value(&eval(object), view.facts.name(name))
                {
                    return value;
                }
                let callee = self.callee(view, scope, at, callee);
                self.call_value(
                    view,
                    scope,
                    at,
                    &callee,
                    view.facts.list(arguments),
                    Some(recipe),
                )
            }
            Recipe::New(ty, _) => self.written_type(view, scope, at, ty),
            Recipe::Index(value, index) => self.index_value(view, scope, at, &eval(value), index),
            Recipe::Element(value) => self.element(view, &eval(value)),
            Recipe::Await(value) => self.unwrapped(view, eval(value), "await"),
            Recipe::Try(value) => match eval(value) {
                Ty::Optional(inner) => (*inner).clone(),
                ty => self.unwrapped(view, ty, "?"),
            },
            Recipe::Deref(value) => self.unwrapped(view, eval(value), "deref"),
            Recipe::Reference(value) => eval(value),
            Recipe::Cast(ty) => self.written_type(view, scope, at, ty),
            Recipe::Literal(kind) => self.literal_type(view, literal_word(kind)),
            Recipe::Str(_) => self.literal_type(view, "string"),
            Recipe::Tuple(items) => Ty::Tuple(
                view.facts
                    .list(items)
                    .iter()
                    .map(|&item| eval(item))
                    .collect(),
            ),
            Recipe::List(items) => {
                let item_type = |&item: &RecipeId| match view.facts.recipe(item) {
                    Recipe::Spread(list) => self.element(view, &eval(list)),
                    _ => eval(item),
                };
                let item = Ty::union(view.facts.list(items).iter().take(4).map(item_type));
                match self.literal_type(view, "list") {
                    Ty::Library(name, _) => Ty::Library(name, Arc::from([item])),
                    _ => Ty::Array(Arc::new(item)),
                }
            }
            Recipe::Object(items) => self.object_value(view, scope, at, view.facts.list(items)),
            Recipe::Field(_, value) => eval(value),
            Recipe::Entry(_, value) => eval(value),
            Recipe::Part(value, i) => match self.pattern_symbol(view, scope, at, value) {
                Some(symbol) => self.parameter_type(symbol, i),
                None => self.part(view, &eval(value), i),
            },
            Recipe::Lambda(inner, _) => Ty::Lambda(view.id, inner, recipe),
            Recipe::Either(a, b) => Ty::union([eval(a), eval(b)]),
            Recipe::SelfValue => self.self_type_at(view, scope),
            Recipe::SelfType => self.self_type_at(view, scope).reified(),
            Recipe::Super => self.super_type_at(view, scope),
            Recipe::Type(ty) => self.written_type(view, scope, at, ty).reified(),
            Recipe::TypeArguments(callee, types) => {
                let types: Vec<Ty> = view
                    .facts
                    .type_list(types)
                    .iter()
                    .map(|&ty| self.written_type(view, scope, at, ty))
                    .collect();
                match eval(callee) {
                    ty @ (Ty::Type(..) | Ty::LibraryType(..)) => self.applied(view, ty, types),
                    Ty::Function(symbol, receiver) => Ty::Applied(symbol, receiver, types.into()),
                    Ty::LibraryMember(receiver, name) => {
                        Ty::LibraryApplied(receiver, name, types.into())
                    }
                    Ty::External(path) => self
                        .applied_function(view, &path, &types)
                        .unwrap_or(Ty::External(path)),
                    ty => ty,
                }
            }
            Recipe::Symbol(index) => self.symbol_value(SymbolId {
                file: view.id,
                index,
            }),
            Recipe::Operation(a, b) => self.operation(&eval(a), &eval(b)),
            Recipe::Parameter(call, i) => self.expected_argument(view, scope, at, call, i),
        }
    }

    /// Where the text gives a field of an object literal its value, with the literal perhaps in a
    /// variable or returned by a function.
    fn literal_field(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        object: RecipeId,
        name: &str,
        depth: u32,
    ) -> Option<FieldValue> {
        /// A literal is one or two steps away from where it is taken apart.
        const MAX_STEPS: u32 = 6;
        if depth > MAX_STEPS || !self.budget.spend() {
            return None;
        }
        let step = |other: &FileView, value: &facts::SymbolValue| {
            self.literal_field(
                other,
                value.scope,
                value.at.saturating_sub(1),
                value.recipe,
                name,
                depth + 1,
            )
        };
        let of_symbol = |symbol: SymbolId| {
            let (other, declared) = self.symbol(symbol)?;
            if declared.ty.is_known() {
                return None;
            }
            other
                .facts
                .values(&declared)
                .iter()
                .find_map(|value| step(&other, value))
        };
        match view.facts.recipe(object) {
            Recipe::Object(items) => {
                view.facts
                    .list(items)
                    .iter()
                    .find_map(|&item| match view.facts.recipe(item) {
                        Recipe::Field(of, value) if view.facts.name(of) == name => {
                            Some((self.view(view.id)?, scope, at, value))
                        }
                        _ => None,
                    })
            }
            Recipe::Await(inner) => self.literal_field(view, scope, at, inner, name, depth + 1),
            Recipe::Either(a, b) => {
                let a = self.literal_field(view, scope, at, a, name, depth + 1);
                a.or_else(|| self.literal_field(view, scope, at, b, name, depth + 1))
            }
            Recipe::Member(outer, field) => {
                let (other, scope, at, value) =
                    self.literal_field(view, scope, at, outer, view.facts.name(field), depth + 1)?;
                self.literal_field(&other, scope, at, value, name, depth + 1)
            }
            Recipe::Name(local) => match self
                .lookup(view, scope, at, view.facts.name(local), Space::Value)
                .0
                .first()?
            {
                Found::Binding(file, id) => {
                    let other = self.view(*file)?;
                    let binding = other.facts.bindings.get(id.0 as usize)?.clone();
                    if binding.ty.is_known() || binding.parameter.is_some() {
                        return None;
                    }
                    self.literal_field(
                        &other,
                        binding.scope,
                        binding.from.saturating_sub(1),
                        binding.value,
                        name,
                        depth + 1,
                    )
                }
                Found::Symbol(symbol) => of_symbol(*symbol),
                _ => None,
            },
            Recipe::Call(callee, _) => match self.eval(view, scope, at, callee) {
                Ty::Function(symbol, _) => of_symbol(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a property gives where reading it is written as a call.
    fn getter_value(&self, object: &Ty, name: &str) -> Option<Ty> {
        let hit = self.members(object, name).into_iter().next()?;
        (self.kind(hit.symbol) == Some(SymbolKind::Property)).then(|| self.hit_value(&hit))
    }

    /// The variant that a pattern names: its parts are its own parameters and fields, not those of
    /// its enum.
    fn pattern_symbol(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        value: RecipeId,
    ) -> Option<SymbolId> {
        let Recipe::Cast(ty) = view.facts.recipe(value) else {
            return None;
        };
        self.variant(view, scope, at, ty)
    }

    fn operation(&self, a: &Ty, b: &Ty) -> Ty {
        match (a, b) {
            (Ty::Library(..), _) => a.clone(),
            (_, Ty::Library(..)) => b.clone(),
            (Ty::Instance(..), Ty::Instance(..)) if a == b => a.clone(),
            (Ty::Type(..), Ty::Type(..)) => Ty::union([a.clone(), b.clone()]),
            _ => Ty::Unknown,
        }
    }

    /// What a bare name's value is.
    fn name_value(&self, view: &FileView, scope: ScopeId, at: u32, name: &str, space: Space) -> Ty {
        let (found, _) = self.lookup(view, scope, at, name, space);
        if let [Found::Binding(file, binding)] = found.as_slice()
            && *file == view.id
        {
            return self.reaching(view, scope, at, *binding);
        }
        if found.is_empty() {
            if Shapes::of(view.semantics).find(name).is_some() {
                return Ty::LibraryType(name.into(), Arc::from([]));
            }
            let spelled_namespace = matches!(
                view.semantics.modules,
                facts::ModuleSystem::DeclaredNamespaces | facts::ModuleSystem::Includes
            );
            let resolution = self.bare(view, ScopeId::FILE, u32::MAX, name, space, None);
            return match resolution.targets.as_slice() {
                [found] => self.found_value(view, found),
                [] if spelled_namespace => Ty::Module(Module::Namespace(name.into())),
                _ => Ty::Unknown,
            };
        }
        if let Some(Found::Symbol(symbol)) = found.first()
            && let Some(value) = self.inherited_value(view, scope, *symbol, name)
        {
            return value;
        }
        // Overloads share a name; a value that is one of them is as good as the first.
        if found.len() > 1
            && let Some(Found::Symbol(symbol)) = found.first()
            && self.kind(*symbol).is_some_and(SymbolKind::is_callable)
        {
            return self.symbol_value(*symbol);
        }
        Ty::union(found.iter().map(|found| self.found_value(view, found)))
    }

    /// A member of a generic supertype, named without a receiver: seen through what the class
    /// around the name makes of the supertype.
    fn inherited_value(
        &self,
        view: &FileView,
        scope: ScopeId,
        symbol: SymbolId,
        name: &str,
    ) -> Option<Ty> {
        let (other, declared) = self.symbol(symbol)?;
        let holder = declared.parent.filter(|&parent| {
            other.symbol(parent).type_parameters.len > 0 && other.symbol(parent).kind.is_type()
        })?;
        let own = self.self_type_at(view, scope);
        let is_own = matches!(&own, Ty::Instance(of, _) if *of == SymbolId { file: symbol.file, index: holder });
        if is_own
            || !self
                .members(&own, name)
                .iter()
                .any(|hit| hit.symbol == symbol)
        {
            return None;
        }
        let value = self.member_value(view, &own, name);
        value.is_known().then_some(value)
    }

    /// What a find is as a value.
    pub(super) fn found_value(&self, view: &FileView, found: &Found) -> Ty {
        match found {
            Found::Symbol(symbol) => self.symbol_value(*symbol),
            Found::Binding(file, binding) => match self.view(*file) {
                Some(other) => self.binding_type(&other, *binding),
                None => Ty::Unknown,
            },
            Found::TypeParameter(symbol, i) => Ty::Parameter(*symbol, *i),
            Found::Module(module) => Ty::Module(module.clone()),
            Found::External(path) => match Shapes::of(view.semantics).find(path) {
                Some((name, _)) => Ty::LibraryType(name.into(), Arc::from([])),
                None => Ty::External(path.clone()),
            },
        }
    }

    /// What naming a symbol gives: a type itself, a function, or the value it holds.
    pub fn symbol_value(&self, symbol: SymbolId) -> Ty {
        let Some((view, declared)) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        match declared.kind {
            SymbolKind::TypeAlias => {
                let target = self.symbol_type(symbol);
                if target.is_known() {
                    target.reified()
                } else {
                    Ty::Type(symbol, Arc::from([]))
                }
            }
            SymbolKind::Object => Ty::instance(symbol),
            kind if kind.is_type() && view.semantics.prototypes => {
                Ty::Type(self.defined_type(symbol), Arc::from([]))
            }
            kind if kind.is_type() => Ty::Type(symbol, Arc::from([])),
            SymbolKind::Namespace => {
                Ty::Module(Module::Namespace(view.namespace_of(symbol.index).into()))
            }
            SymbolKind::Module => Ty::Module(Module::Rust(symbol.file, Some(symbol.index))),
            SymbolKind::EnumMember if declared.parameters.len > 0 => Ty::Function(symbol, None),
            SymbolKind::EnumMember => match declared.parent {
                Some(parent) => self.own_instance(SymbolId {
                    file: symbol.file,
                    index: parent,
                }),
                None => self.symbol_type(symbol),
            },
            kind if kind.is_callable() => self
                .decorated(&view, symbol)
                .unwrap_or(Ty::Function(symbol, None)),
            kind if kind.is_value() => self
                .enumerated(&view, symbol, &declared)
                .unwrap_or_else(|| self.symbol_type(symbol)),
            _ => Ty::Unknown,
        }
    }

    /// What an enumeration of Python lists is one of its objects, whatever stands on the right.
    fn enumerated(
        &self,
        view: &FileView,
        symbol: SymbolId,
        declared: &facts::Symbol,
    ) -> Option<Ty> {
        const ENUMS: [&str; 8] = [
            "Enum",
            "IntEnum",
            "StrEnum",
            "Flag",
            "IntFlag",
            "TextChoices",
            "IntegerChoices",
            "Choices",
        ];
        if view.semantics.family != facts::Family::Python
            || declared.kind != SymbolKind::Field
            || declared.ty.is_known()
        {
            return None;
        }
        let class = SymbolId {
            file: symbol.file,
            index: declared.parent?,
        };
        // Not `self.label = label` in one of its methods.
        if view.facts.values(declared).first()?.scope != view.symbol(class.index).body? {
            return None;
        }
        let is_enum = self.linearized(class, &Ty::instance(class)).iter().any(|ty| {
            let (Ty::Instance(of, _) | Ty::Type(of, _)) = ty else { return false };
            let supertypes = self.supertypes(*of);
            supertypes.iter().any(|above| {
                matches!(&above.ty, Ty::Library(name, _) | Ty::External(name) if ENUMS.contains(&name.rsplit('.').next().unwrap_or(name)))
            })
        });
        is_enum.then(|| self.own_instance(class))
    }

    /// What decorators make of a function, where they make an object of a known type of it.
    fn decorated(&self, view: &FileView, symbol: SymbolId) -> Option<Ty> {
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
            let guard = Guard::Decorated(symbol);
            if !self.enter(&guard) {
                return None;
            }
            let decorator = self.eval(
                view,
                declared.declared_in,
                annotation.span.start,
                annotation.recipe,
            );
            let made = match &decorator {
                // A class used as a decorator is given the function.
                Ty::Type(..) => decorator.instantiated(),
                Ty::Function(..) | Ty::Signature(_) | Ty::Instance(..) => self.call_value(
                    view,
                    declared.declared_in,
                    annotation.span.start,
                    &decorator,
                    &[RecipeId::UNKNOWN],
                    None,
                ),
                _ => Ty::Unknown,
            };
            self.leave(&guard);
            if let Ty::Instance(..) = made {
                return Some(made);
            }
        }
        None
    }

    /// The declared or inferred type of a value; of a callable, what it returns.
    pub fn symbol_type(&self, symbol: SymbolId) -> Ty {
        self.remember(
            |memo| &memo.symbol_types,
            symbol,
            Guard::Symbol(symbol),
            Ty::Unknown,
            || {
                let Some((view, declared)) = self.symbol(symbol) else {
                    return Ty::Unknown;
                };
                let scope = declared.body.unwrap_or(declared.declared_in);
                if declared.kind == SymbolKind::EnumMember
                    && let Some(parent) = declared.parent
                {
                    return self.own_instance(SymbolId {
                        file: symbol.file,
                        index: parent,
                    });
                }
                if declared.ty.is_known() {
                    let ty = self.written_type(&view, scope, declared.span.end, declared.ty);
                    if ty.is_known() {
                        return ty;
                    }
                }
                let values = view.facts.values(&declared);
                let ty = Ty::union(values.iter().map(|value| {
                    self.eval(&view, value.scope, value.at.saturating_sub(1), value.recipe)
                }));
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

    /// The type of a binding by itself: declared, or of what it was bound to.
    pub(super) fn binding_type(&self, view: &FileView, id: BindingId) -> Ty {
        self.remember(
            |memo| &memo.binding_types,
            (view.id, id),
            Guard::Binding(view.id, id),
            Ty::Unknown,
            || {
                let binding = view.facts.bindings[id.0 as usize].clone();
                if binding.ty.is_known() {
                    let ty = self.written_type(view, binding.scope, binding.from, binding.ty);
                    if ty.is_known() {
                        return ty;
                    }
                }
                if binding.kind == BindingKind::Parameter {
                    if let Some(context) = view.facts.scope(binding.scope).context
                        && let Some(parameter) = binding.parameter
                    {
                        let ty = self.handed_parameter(view, binding.scope, context, parameter);
                        if ty.is_known() {
                            return ty;
                        }
                    }
                    if !binding.value.is_known() {
                        return self.fixture(view, &binding);
                    }
                }
                self.eval(
                    view,
                    binding.scope,
                    binding.from.saturating_sub(1),
                    binding.value,
                )
            },
        )
    }

    /// A test's parameter is the value of the fixture of its name (pytest).
    fn fixture(&self, view: &FileView, binding: &facts::Binding) -> Ty {
        if view.semantics.modules != facts::ModuleSystem::PythonPackages {
            return Ty::Unknown;
        }
        let name = view.facts.name(binding.name);
        let owner = view.facts.scope(binding.scope).owner;
        let is_test = owner.is_some_and(|owner| {
            view.name_of(owner).starts_with("test")
                || self.is_fixture(SymbolId {
                    file: view.id,
                    index: owner,
                })
        });
        if !is_test {
            return Ty::Unknown;
        }
        let fixtures: Vec<SymbolId> = self
            .symbols_named(name)
            .iter()
            .copied()
            .filter(|symbol| self.is_fixture(*symbol))
            .collect();
        // The fixture of the nearest directory counts.
        let own = self.snapshot().file(view.id).path.directory();
        let nearest = fixtures.iter().max_by_key(|symbol| {
            let directory = self.snapshot().file(symbol.file).path.directory();
            (
                symbol.file == view.id,
                own.starts_with(directory),
                directory.len(),
            )
        });
        match nearest {
            Some(fixture) => match self.symbol_type(*fixture) {
                Ty::Library(name, arguments)
                    if matches!(&*name, "Generator" | "Iterator" | "Iterable") =>
                {
                    arguments.first().cloned().unwrap_or(Ty::Unknown)
                }
                ty => ty,
            },
            None => Ty::Unknown,
        }
    }

    fn is_fixture(&self, symbol: SymbolId) -> bool {
        let Some(view) = self.view(symbol.file) else {
            return false;
        };
        view.facts.annotations.iter().filter(|annotation| annotation.symbol == symbol.index).any(|annotation| {
            let callee = match view.facts.recipe(annotation.recipe) {
                Recipe::Call(callee, _) => callee,
                _ => annotation.recipe,
            };
            matches!(view.facts.recipe(callee), Recipe::Name(name) | Recipe::Member(_, name) if view.facts.name(name) == "fixture")
        })
    }

    /// What a name bound in this file is at a place: the bindings that reach it, narrowed by tests.
    fn reaching(&self, view: &FileView, scope: ScopeId, at: u32, declaration: BindingId) -> Ty {
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
                    let ty = self.binding_type(view, id);
                    if ty.is_known() {
                        return ty;
                    }
                }
                continue;
            }
            types.push(self.binding_type(view, id));
            if around && !elsewhere {
                break;
            }
        }
        if types.is_empty() {
            return self.binding_type(view, declaration);
        }
        let declared_type = if declared.ty.is_known() {
            self.binding_type(view, declaration)
        } else {
            Ty::Unknown
        };
        if declared_type.is_known() && !by_region {
            return declared_type;
        }
        Ty::union(types)
    }

    /// The superclass's view of the receiver.
    fn super_type_at(&self, view: &FileView, scope: ScopeId) -> Ty {
        let own = self.self_type_at(view, scope);
        let Ty::Instance(symbol, arguments) = &own else {
            return Ty::Unknown;
        };
        let supertypes = self.supertypes(*symbol);
        let inherited = supertypes.iter().map(|supertype| {
            supertype.ty.substitute(&|of, i| {
                (of == *symbol).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
            })
        });
        Ty::union(inherited)
    }

    /// A member's value, seen through its receiver.
    pub(super) fn member_value(&self, view: &FileView, object: &Ty, name: &str) -> Ty {
        self.member_value_in(view, object, name, Space::Value)
    }

    fn member_value_in(&self, view: &FileView, object: &Ty, name: &str, space: Space) -> Ty {
        Ty::union(
            object
                .alternatives()
                .iter()
                .map(|object| self.member_value_of_one(view, object, name, space)),
        )
    }

    /// What is called: a field may share its name with a method.
    pub(super) fn callee(&self, view: &FileView, scope: ScopeId, at: u32, callee: RecipeId) -> Ty {
        match view.facts.recipe(callee) {
            Recipe::Name(name) => {
                self.name_value(view, scope, at, view.facts.name(name), Space::Callable)
            }
            Recipe::Member(object, name) => self.member_of(
                view,
                scope,
                at,
                object,
                view.facts.name(name),
                Space::Callable,
            ),
            _ => self.eval(view, scope, at, callee),
        }
    }

    fn member_of(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        object: RecipeId,
        name: &str,
        space: Space,
    ) -> Ty {
        if let Some(symbol) = self.pattern_symbol(view, scope, at, object)
            && let Some(field) = self.own_members(symbol, name).first()
        {
            return self.symbol_value(*field);
        }
        let value = self.eval(view, scope, at, object);
        if matches!(value, Ty::Library(..) | Ty::Union(_))
            && let Some((other, scope, at, field)) =
                self.literal_field(view, scope, at, object, name, 0)
        {
            return self.eval(&other, scope, at, field);
        }
        self.member_value_in(view, &value, name, space)
    }

    fn member_value_of_one(&self, view: &FileView, object: &Ty, name: &str, space: Space) -> Ty {
        match object {
            Ty::Module(Module::External(path)) | Ty::External(path) => self.found_value(
                view,
                &Found::External(below(path, view.semantics.separator, name)),
            ),
            Ty::Module(Module::Type(symbol)) => {
                self.member_value_of_one(view, &Ty::Type(*symbol, Arc::from([])), name, space)
            }
            Ty::Module(module) => {
                let found = self.module_member(module, name, view);
                match (found.first(), module) {
                    (Some(found), _) => self.found_value(view, found),
                    (None, Module::Namespace(path)) => {
                        Ty::Module(Module::Namespace(below(path, ".", name)))
                    }
                    (None, _) => Ty::Unknown,
                }
            }
            Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                let hits = self.members_in_sight(view, object, name, None);
                let is_called = |hit: &&super::members::Hit| {
                    space == Space::Callable
                        && self.kind(hit.symbol).is_some_and(|kind| kind.is_callable())
                };
                match hits.iter().find(is_called).or(hits.first()) {
                    // The object itself is the receiver, so that `self` in a result is what it is.
                    Some(hit) => match self.hit_value(hit) {
                        Ty::Function(symbol, Some(_)) => {
                            Ty::Function(symbol, Some(Arc::new(object.clone())))
                        }
                        value => value,
                    },
                    // Calling it makes an object, as calling the type does elsewhere.
                    None if matches!(object, Ty::Type(..)) && self.constructs(view, name) => {
                        object.clone()
                    }
                    None => self.library_base_member(view, *symbol, object, name),
                }
            }
            Ty::Parameter(..) => self
                .members(object, name)
                .first()
                .map_or(Ty::Unknown, |hit| self.hit_value(hit)),
            Ty::Function(symbol, _) => match self.function_members(view, *symbol, name).first() {
                Some(found) => self.found_value(view, found),
                None => Ty::Unknown,
            },
            Ty::LibraryMember(receiver, member) => self
                .property_value(view, receiver, member)
                .map_or(Ty::Unknown, |value| {
                    self.member_value_in(view, &value, name, space)
                }),
            Ty::Library(..)
            | Ty::LibraryType(..)
            | Ty::Array(_)
            | Ty::Tuple(_)
            | Ty::Lambda(..)
            | Ty::Signature(_) => {
                if let Some(hit) = self.members_in_sight(view, object, name, None).first() {
                    return self.hit_value(hit);
                }
                if let Ty::LibraryType(library, _) = object
                    && self.constructs(view, name)
                    && self.shape_member(view, library, name).is_none()
                {
                    return object.clone();
                }
                match self.dereferenced(view, object, name) {
                    Some(inner) => self.member_value_in(view, &inner, name, space),
                    None => Ty::LibraryMember(Arc::new(object.clone()), name.into()),
                }
            }
            _ => Ty::Unknown,
        }
    }

    fn hit_value(&self, hit: &super::members::Hit) -> Ty {
        let value = self.symbol_value(hit.symbol);
        match value {
            Ty::Function(symbol, _) => Ty::Function(symbol, Some(Arc::new(hit.receiver.clone()))),
            value => self.seen_through(&value, &hit.receiver),
        }
    }

    /// With the type arguments of the receiver, and of what it extends, put in.
    pub(super) fn seen_through(&self, ty: &Ty, receiver: &Ty) -> Ty {
        let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else {
            return ty.clone();
        };
        if !ty.has_parameters() {
            return ty.clone();
        }
        let views = self.linearized(*holder, receiver);
        let argument = |of: SymbolId, i: u16| {
            views.iter().find_map(|view| match view {
                Ty::Instance(holder, arguments) | Ty::Type(holder, arguments)
                    if *holder == of && !arguments.is_empty() =>
                {
                    Some(arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                }
                _ => None,
            })
        };
        ty.substitute(&argument)
    }

    /// The same for a method whose block or receiver names the type's arguments anew: `impl<T>
    /// Stack<T>`, `func (s *Stack[T])`.
    pub(super) fn seen_from_receiver(&self, symbol: SymbolId, ty: &Ty, receiver: &Ty) -> Ty {
        let ty = self.seen_through(ty, receiver);
        if !ty.has_parameters() {
            return ty;
        }
        let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else {
            return ty;
        };
        let Ty::Instance(declaring, own) = self.self_type(symbol) else {
            return ty;
        };
        for view in self.linearized(*holder, receiver) {
            if let Ty::Instance(of, arguments) | Ty::Type(of, arguments) = &view
                && *of == declaring
            {
                return ty.substitute(&|of, i| {
                    let place = own.iter().position(|own| *own == Ty::Parameter(of, i))?;
                    arguments.get(place).cloned()
                });
            }
        }
        ty
    }

    fn object_value(&self, view: &FileView, scope: ScopeId, at: u32, items: &[RecipeId]) -> Ty {
        let values = Ty::union(
            items
                .iter()
                .take(4)
                .map(|&item| self.eval(view, scope, at, item)),
        );
        match self.literal_type(view, "object") {
            Ty::Library(name, _) => {
                let key = self.literal_type(view, "string");
                Ty::Library(name, Arc::from([key, values]))
            }
            _ => Ty::External("object".into()),
        }
    }

    fn index_value(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        value: &Ty,
        index: RecipeId,
    ) -> Ty {
        match value {
            Ty::Array(item) => (**item).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::Type(symbol, _) => Ty::Type(
                *symbol,
                Arc::from([self.eval(view, scope, at, index).instantiated()]),
            ),
            Ty::LibraryType(name, _) => Ty::LibraryType(
                name.clone(),
                Arc::from([self.eval(view, scope, at, index).instantiated()]),
            ),
            Ty::Instance(..) => {
                // `row["name"]` of a `TypedDict`.
                if let Recipe::Str(key) = view.facts.recipe(index) {
                    let member = self.member_value(view, value, view.facts.name(key));
                    if member.is_known() {
                        return member;
                    }
                }
                for name in [
                    "__getitem__",
                    "operator[]",
                    "this[]",
                    "this",
                    "get",
                    "index",
                    "offsetGet",
                    "[]",
                ] {
                    if let Some(hit) = self.members(value, name).first() {
                        return self.function_result(
                            view,
                            scope,
                            at,
                            hit.symbol,
                            Some(value),
                            &[index],
                            None,
                        );
                    }
                }
                let Ty::Instance(symbol, _) = value else {
                    return Ty::Unknown;
                };
                match self.library_base_member(view, *symbol, value, "[]") {
                    Ty::LibraryMember(receiver, name) => {
                        self.library_call(view, scope, at, &receiver, &name, &[index])
                    }
                    _ => Ty::Unknown,
                }
            }
            Ty::Library(..) => match self.unwrapped(view, value.clone(), "[]") {
                ty if ty == *value => Ty::Unknown,
                ty => ty,
            },
            Ty::Optional(inner) => self.index_value(view, scope, at, inner, index),
            Ty::Union(parts) => Ty::union(
                parts
                    .iter()
                    .map(|part| self.index_value(view, scope, at, part, index))
                    .collect::<Vec<_>>(),
            ),
            Ty::External(path) => Ty::External(format!("{path}[]").into()),
            _ => Ty::Unknown,
        }
    }

    /// What iterating gives.
    pub(super) fn element(&self, view: &FileView, value: &Ty) -> Ty {
        match value {
            Ty::Array(item) => (**item).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::Library(..) => match self.unwrapped(view, value.clone(), "*") {
                ty if ty == *value => Ty::Unknown,
                ty => ty,
            },
            Ty::Instance(symbol, _) => {
                for name in [
                    "__iter__",
                    "iterator",
                    "GetEnumerator",
                    "iter",
                    "into_iter",
                    "begin",
                    "each",
                    "getIterator",
                ] {
                    if let Some(hit) = self.members(value, name).first() {
                        let iterator =
                            self.seen_through(&self.symbol_type(hit.symbol), &hit.receiver);
                        if iterator == *value {
                            break;
                        }
                        return self.element(view, &iterator);
                    }
                }
                for name in ["__next__", "next", "Current"] {
                    if let Some(hit) = self.members(value, name).first() {
                        let item = self.seen_through(&self.symbol_type(hit.symbol), &hit.receiver);
                        return match item {
                            Ty::Optional(inner) => (*inner).clone(),
                            item => self.unwrapped(view, item, "?"),
                        };
                    }
                }
                match self.library_base_member(view, *symbol, value, "*") {
                    Ty::LibraryMember(receiver, _) => self.element(view, &receiver),
                    _ => Ty::Unknown,
                }
            }
            // An enum is iterated over its members (Python).
            Ty::Type(symbol, types) => Ty::Instance(*symbol, types.clone()),
            Ty::Optional(inner) => self.element(view, inner),
            Ty::Union(parts) => Ty::union(
                parts
                    .iter()
                    .map(|part| self.element(view, part))
                    .collect::<Vec<_>>(),
            ),
            Ty::External(path) => Ty::External(format!("{path}*").into()),
            _ => Ty::Unknown,
        }
    }

    fn part(&self, view: &FileView, value: &Ty, i: u16) -> Ty {
        match value {
            Ty::Tuple(items) => items.get(i as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Array(item) => (**item).clone(),
            Ty::Library(_, types) => {
                let item = self.element(view, value);
                match types.get(i as usize) {
                    _ if item.is_known() => item,
                    // A pair is taken apart into what it was made of.
                    Some(part) if types.len() > 1 => part.clone(),
                    _ => self.unwrapped(view, value.clone(), "?"),
                }
            }
            Ty::Optional(inner) => self.part(view, inner, i),
            Ty::Union(parts) => Ty::union(
                parts
                    .iter()
                    .map(|part| self.part(view, part, i))
                    .collect::<Vec<_>>(),
            ),
            // The parts of a variant or tuple struct are its parameters.
            Ty::Function(symbol, _) => self.parameter_type(*symbol, i),
            Ty::Instance(symbol, arguments) => {
                let ty = self.parameter_type(*symbol, i);
                ty.substitute(&|of, i| {
                    (of == *symbol)
                        .then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                })
            }
            Ty::External(path) => Ty::External(format!("{path}[]").into()),
            _ => Ty::Unknown,
        }
    }

    fn parameter_type(&self, symbol: SymbolId, i: u16) -> Ty {
        let Some((view, declared)) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        let scope = declared.body.unwrap_or(declared.declared_in);
        match view.facts.parameters(&declared).get(i as usize) {
            Some(parameter) => self.written_type(&view, scope, declared.span.start, parameter.ty),
            None => Ty::Unknown,
        }
    }
}

/// A recipe with where it is to be read.
type FieldValue = (Arc<FileView>, ScopeId, u32, RecipeId);

fn literal_word(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::String => "string",
        LiteralKind::Integer => "integer",
        LiteralKind::Float => "float",
        LiteralKind::Boolean => "boolean",
        LiteralKind::Null => "null",
        LiteralKind::Character => "character",
        LiteralKind::Regex => "regex",
        LiteralKind::Bytes => "bytes",
        LiteralKind::Template => "template",
    }
}
