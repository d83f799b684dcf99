//! The type of an expression, from its recipe. One pass in, no unification engine: after a few hops it is unknown.

use std::sync::Arc;

use facts::{BindingId, BindingKind, LiteralKind, Modifiers, ParameterFlags, Recipe, RecipeId, ScopeId, SymbolKind};

use super::{
    FileView, Found, Guard, Module, Resolver, SymbolId, Ty,
    imports::below,
    scopes::Space,
    shapes::{MemberShape, ShapeType, Shapes},
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

    fn eval_inner(&self, view: &FileView, scope: ScopeId, at: u32, recipe: RecipeId) -> Ty {
        let eval = |recipe| self.eval(view, scope, at, recipe);
        match view.facts.recipe(recipe) {
            Recipe::Unknown | Recipe::Spread(_) => Ty::Unknown,
            Recipe::Name(name) => {
                let name = view.facts.name(name);
                let starts_path = matches!(name, "self" | "super" | "crate" | "$crate");
                if starts_path && view.semantics.modules == facts::ModuleSystem::RustCrates {
                    return self.path_start(view, scope, at, name).unwrap_or(Ty::Unknown);
                }
                self.name_value(view, scope, at, name, Space::Value)
            }
            Recipe::Member(object, name) => self.member_of(view, scope, at, object, view.facts.name(name), Space::Value),
            Recipe::Scoped(object, name) => {
                let object = match view.facts.recipe(object) {
                    Recipe::Name(first) => {
                        let first = view.facts.name(first);
                        self.path_start(view, scope, at, first).unwrap_or_else(|| self.name_value(view, scope, at, first, Space::Type))
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
                self.call_value(view, scope, at, &callee, view.facts.list(arguments), Some(recipe))
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
            Recipe::Tuple(items) => Ty::Tuple(view.facts.list(items).iter().map(|&item| eval(item)).collect()),
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
                let types: Vec<Ty> = view.facts.type_list(types).iter().map(|&ty| self.written_type(view, scope, at, ty)).collect();
                match eval(callee) {
                    ty @ (Ty::Type(..) | Ty::LibraryType(..)) => self.applied(view, ty, types),
                    Ty::Function(symbol, receiver) => Ty::Applied(symbol, receiver, types.into()),
                    Ty::LibraryMember(receiver, name) => Ty::LibraryApplied(receiver, name, types.into()),
                    Ty::External(path) => self.applied_function(view, &path, &types).unwrap_or(Ty::External(path)),
                    ty => ty,
                }
            }
            Recipe::Symbol(index) => self.symbol_value(SymbolId { file: view.id, index }),
            Recipe::Operation(a, b) => self.operation(&eval(a), &eval(b)),
            Recipe::Parameter(call, i) => self.expected_argument(view, scope, at, call, i),
        }
    }

    /// A library function whose type arguments are written, as a function of the result they give: `mutableListOf<Item>()`.
    fn applied_function(&self, view: &FileView, path: &str, types: &[Ty]) -> Option<Ty> {
        let shapes = Shapes::of(view.semantics);
        let shape = shapes.function(path)?;
        let mut letters = Vec::new();
        shape.parameters.iter().chain(&shape.result).for_each(|ty| type_letters(ty, &mut letters));
        let known: Vec<(String, Ty)> = letters.into_iter().zip(types.iter().cloned()).collect();
        Some(Ty::Signature(Arc::from([self.shaped(view, shape.result.as_ref()?, &known, None)])))
    }

    /// Where the text gives a field of an object literal its value, with the literal perhaps in a variable or returned by a function.
    fn literal_field(&self, view: &FileView, scope: ScopeId, at: u32, object: RecipeId, name: &str, depth: u32) -> Option<FieldValue> {
        /// A literal is one or two steps away from where it is taken apart.
        const MAX_STEPS: u32 = 6;
        if depth > MAX_STEPS || !self.budget.spend() {
            return None;
        }
        let step = |other: &FileView, value: &facts::SymbolValue| {
            self.literal_field(other, value.scope, value.at.saturating_sub(1), value.recipe, name, depth + 1)
        };
        let of_symbol = |symbol: SymbolId| {
            let (other, declared) = self.symbol(symbol)?;
            if declared.ty.is_known() {
                return None;
            }
            other.facts.values(&declared).iter().find_map(|value| step(&other, value))
        };
        match view.facts.recipe(object) {
            Recipe::Object(items) => view.facts.list(items).iter().find_map(|&item| match view.facts.recipe(item) {
                Recipe::Field(of, value) if view.facts.name(of) == name => Some((self.view(view.id)?, scope, at, value)),
                _ => None,
            }),
            Recipe::Await(inner) => self.literal_field(view, scope, at, inner, name, depth + 1),
            Recipe::Either(a, b) => {
                let a = self.literal_field(view, scope, at, a, name, depth + 1);
                a.or_else(|| self.literal_field(view, scope, at, b, name, depth + 1))
            }
            Recipe::Member(outer, field) => {
                let (other, scope, at, value) = self.literal_field(view, scope, at, outer, view.facts.name(field), depth + 1)?;
                self.literal_field(&other, scope, at, value, name, depth + 1)
            }
            Recipe::Name(local) => match self.lookup(view, scope, at, view.facts.name(local), Space::Value).0.first()? {
                Found::Binding(file, id) => {
                    let other = self.view(*file)?;
                    let binding = other.facts.bindings.get(id.0 as usize)?.clone();
                    if binding.ty.is_known() || binding.parameter.is_some() {
                        return None;
                    }
                    self.literal_field(&other, binding.scope, binding.from.saturating_sub(1), binding.value, name, depth + 1)
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

    /// The variant that a pattern names: its parts are its own parameters and fields, not those of its enum.
    fn pattern_symbol(&self, view: &FileView, scope: ScopeId, at: u32, value: RecipeId) -> Option<SymbolId> {
        let Recipe::Cast(ty) = view.facts.recipe(value) else { return None };
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
            let spelled_namespace =
                matches!(view.semantics.modules, facts::ModuleSystem::DeclaredNamespaces | facts::ModuleSystem::Includes);
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

    /// A member of a generic supertype, named without a receiver: seen through what the class around the name makes of the supertype.
    fn inherited_value(&self, view: &FileView, scope: ScopeId, symbol: SymbolId, name: &str) -> Option<Ty> {
        let (other, declared) = self.symbol(symbol)?;
        let holder =
            declared.parent.filter(|&parent| other.symbol(parent).type_parameters.len > 0 && other.symbol(parent).kind.is_type())?;
        let own = self.self_type_at(view, scope);
        let is_own = matches!(&own, Ty::Instance(of, _) if *of == SymbolId { file: symbol.file, index: holder });
        if is_own || !self.members(&own, name).iter().any(|hit| hit.symbol == symbol) {
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
        let Some((view, declared)) = self.symbol(symbol) else { return Ty::Unknown };
        match declared.kind {
            SymbolKind::TypeAlias => {
                let target = self.symbol_type(symbol);
                if target.is_known() { target.reified() } else { Ty::Type(symbol, Arc::from([])) }
            }
            SymbolKind::Object => Ty::instance(symbol),
            kind if kind.is_type() && view.semantics.prototypes => Ty::Type(self.defined_type(symbol), Arc::from([])),
            kind if kind.is_type() => Ty::Type(symbol, Arc::from([])),
            SymbolKind::Namespace => Ty::Module(Module::Namespace(view.namespace_of(symbol.index).into())),
            SymbolKind::Module => Ty::Module(Module::Rust(symbol.file, Some(symbol.index))),
            SymbolKind::EnumMember if declared.parameters.len > 0 => Ty::Function(symbol, None),
            SymbolKind::EnumMember => match declared.parent {
                Some(parent) => self.own_instance(SymbolId { file: symbol.file, index: parent }),
                None => self.symbol_type(symbol),
            },
            kind if kind.is_callable() => self.decorated(&view, symbol).unwrap_or(Ty::Function(symbol, None)),
            kind if kind.is_value() => self.enumerated(&view, symbol, &declared).unwrap_or_else(|| self.symbol_type(symbol)),
            _ => Ty::Unknown,
        }
    }

    /// What an enumeration of Python lists is one of its objects, whatever stands on the right.
    fn enumerated(&self, view: &FileView, symbol: SymbolId, declared: &facts::Symbol) -> Option<Ty> {
        const ENUMS: [&str; 8] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices", "Choices"];
        if view.semantics.family != facts::Family::Python || declared.kind != SymbolKind::Field || declared.ty.is_known() {
            return None;
        }
        let class = SymbolId { file: symbol.file, index: declared.parent? };
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
        let start = view.facts.annotations.partition_point(|annotation| annotation.symbol < symbol.index);
        let annotations = view.facts.annotations[start..].iter().take_while(|annotation| annotation.symbol == symbol.index);
        let declared = view.symbol(symbol.index);
        for annotation in annotations {
            let guard = Guard::Decorated(symbol);
            if !self.enter(&guard) {
                return None;
            }
            let decorator = self.eval(view, declared.declared_in, annotation.span.start, annotation.recipe);
            let made = match &decorator {
                // A class used as a decorator is given the function.
                Ty::Type(..) => decorator.instantiated(),
                Ty::Function(..) | Ty::Signature(_) | Ty::Instance(..) => {
                    self.call_value(view, declared.declared_in, annotation.span.start, &decorator, &[RecipeId::UNKNOWN], None)
                }
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
                let Some((view, declared)) = self.symbol(symbol) else { return Ty::Unknown };
                let scope = declared.body.unwrap_or(declared.declared_in);
                if declared.kind == SymbolKind::EnumMember
                    && let Some(parent) = declared.parent
                {
                    return self.own_instance(SymbolId { file: symbol.file, index: parent });
                }
                if declared.ty.is_known() {
                    let ty = self.written_type(&view, scope, declared.span.end, declared.ty);
                    if ty.is_known() {
                        return ty;
                    }
                }
                let values = view.facts.values(&declared);
                let ty = Ty::union(values.iter().map(|value| self.eval(&view, value.scope, value.at.saturating_sub(1), value.recipe)));
                if declared.kind.is_callable() && declared.modifiers.contains(Modifiers::GENERATOR) && !declared.ty.is_known() {
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
                self.eval(view, binding.scope, binding.from.saturating_sub(1), binding.value)
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
        let is_test =
            owner.is_some_and(|owner| view.name_of(owner).starts_with("test") || self.is_fixture(SymbolId { file: view.id, index: owner }));
        if !is_test {
            return Ty::Unknown;
        }
        let fixtures: Vec<SymbolId> = self.symbols_named(name).iter().copied().filter(|symbol| self.is_fixture(*symbol)).collect();
        // The fixture of the nearest directory counts.
        let own = self.snapshot().file(view.id).path.directory();
        let nearest = fixtures.iter().max_by_key(|symbol| {
            let directory = self.snapshot().file(symbol.file).path.directory();
            (symbol.file == view.id, own.starts_with(directory), directory.len())
        });
        match nearest {
            Some(fixture) => match self.symbol_type(*fixture) {
                Ty::Library(name, arguments) if matches!(&*name, "Generator" | "Iterator" | "Iterable") => {
                    arguments.first().cloned().unwrap_or(Ty::Unknown)
                }
                ty => ty,
            },
            None => Ty::Unknown,
        }
    }

    fn is_fixture(&self, symbol: SymbolId) -> bool {
        let Some(view) = self.view(symbol.file) else { return false };
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
        let first = view.facts.bindings.partition_point(|binding| binding.name < declared.name);
        let all = view.facts.bindings_of(declared.name);
        let region = view.region(declared.scope);
        let by_region = view.semantics.blocks == facts::Blocks::Function;
        let in_reach = |binding: &facts::Binding| {
            if binding.kind == BindingKind::Label {
                return false;
            }
            if by_region { view.region(binding.scope) == region } else { view.is_inside(binding.scope, declared.scope) }
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
        let declared_type = if declared.ty.is_known() { self.binding_type(view, declaration) } else { Ty::Unknown };
        if declared_type.is_known() && !by_region {
            return declared_type;
        }
        Ty::union(types)
    }

    /// The superclass's view of the receiver.
    fn super_type_at(&self, view: &FileView, scope: ScopeId) -> Ty {
        let own = self.self_type_at(view, scope);
        let Ty::Instance(symbol, arguments) = &own else { return Ty::Unknown };
        let supertypes = self.supertypes(*symbol);
        let inherited = supertypes.iter().map(|supertype| {
            supertype.ty.substitute(&|of, i| (of == *symbol).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown)))
        });
        Ty::union(inherited)
    }

    /// A member's value, seen through its receiver.
    pub(super) fn member_value(&self, view: &FileView, object: &Ty, name: &str) -> Ty {
        self.member_value_in(view, object, name, Space::Value)
    }

    fn member_value_in(&self, view: &FileView, object: &Ty, name: &str, space: Space) -> Ty {
        Ty::union(object.alternatives().iter().map(|object| self.member_value_of_one(view, object, name, space)))
    }

    /// What is called: a field may share its name with a method.
    fn callee(&self, view: &FileView, scope: ScopeId, at: u32, callee: RecipeId) -> Ty {
        match view.facts.recipe(callee) {
            Recipe::Name(name) => self.name_value(view, scope, at, view.facts.name(name), Space::Callable),
            Recipe::Member(object, name) => self.member_of(view, scope, at, object, view.facts.name(name), Space::Callable),
            _ => self.eval(view, scope, at, callee),
        }
    }

    fn member_of(&self, view: &FileView, scope: ScopeId, at: u32, object: RecipeId, name: &str, space: Space) -> Ty {
        if let Some(symbol) = self.pattern_symbol(view, scope, at, object)
            && let Some(field) = self.own_members(symbol, name).first()
        {
            return self.symbol_value(*field);
        }
        let value = self.eval(view, scope, at, object);
        if matches!(value, Ty::Library(..) | Ty::Union(_))
            && let Some((other, scope, at, field)) = self.literal_field(view, scope, at, object, name, 0)
        {
            return self.eval(&other, scope, at, field);
        }
        self.member_value_in(view, &value, name, space)
    }

    fn member_value_of_one(&self, view: &FileView, object: &Ty, name: &str, space: Space) -> Ty {
        match object {
            Ty::Module(Module::External(path)) | Ty::External(path) => {
                self.found_value(view, &Found::External(below(path, view.semantics.separator, name)))
            }
            Ty::Module(Module::Type(symbol)) => self.member_value_of_one(view, &Ty::Type(*symbol, Arc::from([])), name, space),
            Ty::Module(module) => {
                let found = self.module_member(module, name, view);
                match (found.first(), module) {
                    (Some(found), _) => self.found_value(view, found),
                    (None, Module::Namespace(path)) => Ty::Module(Module::Namespace(below(path, ".", name))),
                    (None, _) => Ty::Unknown,
                }
            }
            Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                let hits = self.members_in_sight(view, object, name, None);
                let is_called =
                    |hit: &&super::members::Hit| space == Space::Callable && self.kind(hit.symbol).is_some_and(|kind| kind.is_callable());
                match hits.iter().find(is_called).or(hits.first()) {
                    // The object itself is the receiver, so that `self` in a result is what it is.
                    Some(hit) => match self.hit_value(hit) {
                        Ty::Function(symbol, Some(_)) => Ty::Function(symbol, Some(Arc::new(object.clone()))),
                        value => value,
                    },
                    // Calling it makes an object, as calling the type does elsewhere.
                    None if matches!(object, Ty::Type(..)) && self.constructs(view, name) => object.clone(),
                    None => self.library_base_member(view, *symbol, object, name),
                }
            }
            Ty::Parameter(..) => self.members(object, name).first().map_or(Ty::Unknown, |hit| self.hit_value(hit)),
            Ty::Function(symbol, _) => match self.function_members(view, *symbol, name).first() {
                Some(found) => self.found_value(view, found),
                None => Ty::Unknown,
            },
            Ty::LibraryMember(receiver, member) => {
                self.property_value(view, receiver, member).map_or(Ty::Unknown, |value| self.member_value_in(view, &value, name, space))
            }
            Ty::Library(..) | Ty::LibraryType(..) | Ty::Array(_) | Ty::Tuple(_) | Ty::Lambda(..) | Ty::Signature(_) => {
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
    fn seen_through(&self, ty: &Ty, receiver: &Ty) -> Ty {
        let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else { return ty.clone() };
        if !ty.has_parameters() {
            return ty.clone();
        }
        let views = self.linearized(*holder, receiver);
        let argument = |of: SymbolId, i: u16| {
            views.iter().find_map(|view| match view {
                Ty::Instance(holder, arguments) | Ty::Type(holder, arguments) if *holder == of && !arguments.is_empty() => {
                    Some(arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                }
                _ => None,
            })
        };
        ty.substitute(&argument)
    }

    /// The same for a method whose block or receiver names the type's arguments anew: `impl<T> Stack<T>`, `func (s *Stack[T])`.
    fn seen_from_receiver(&self, symbol: SymbolId, ty: &Ty, receiver: &Ty) -> Ty {
        let ty = self.seen_through(ty, receiver);
        if !ty.has_parameters() {
            return ty;
        }
        let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = receiver else { return ty };
        let Ty::Instance(declaring, own) = self.self_type(symbol) else { return ty };
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

    /// A member that a library supertype may provide.
    fn library_base_member(&self, view: &FileView, symbol: SymbolId, object: &Ty, name: &str) -> Ty {
        for ty in self.linearized(symbol, object) {
            let (Ty::Instance(of, arguments) | Ty::Type(of, arguments)) = &ty else { continue };
            for supertype in self.supertypes(*of).iter() {
                let inherited =
                    supertype.ty.substitute(&|owner, i| (owner == *of).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown)));
                if let Ty::Library(library, _) = &inherited
                    && self.shape_member(view, library, name).is_some()
                {
                    return Ty::LibraryMember(Arc::new(inherited), name.into());
                }
            }
        }
        // What every object has, the object being its `Self`.
        match self.shape_member(view, ROOT_TYPE, name) {
            Some(_) => Ty::LibraryMember(Arc::new(object.clone()), name.into()),
            None => Ty::Unknown,
        }
    }

    /// The library type whose shape says what members give, with its arguments.
    fn shape_owner(&self, ty: &Ty) -> Option<(Arc<str>, super::ty::Types)> {
        match ty {
            Ty::Library(library, types) | Ty::LibraryType(library, types) => Some((library.clone(), types.clone())),
            Ty::Array(item) => Some((Arc::from("Array"), Arc::from([(**item).clone()]))),
            Ty::Instance(..) | Ty::Type(..) => Some((Arc::from(ROOT_TYPE), Arc::from([]))),
            _ => None,
        }
    }

    // Calls.

    /// What calling a value gives.
    pub(super) fn call_value(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        callee: &Ty,
        arguments: &[RecipeId],
        call: Option<RecipeId>,
    ) -> Ty {
        match callee {
            Ty::Type(symbol, types) => {
                let types = if types.is_empty() { self.inferred_arguments(view, scope, at, *symbol, arguments) } else { types.clone() };
                Ty::Instance(*symbol, types)
            }
            Ty::Function(symbol, receiver) => self.function_result(view, scope, at, *symbol, receiver.as_deref(), arguments, call),
            Ty::LibraryType(name, types) => {
                if let Some(shape) = Shapes::of(view.semantics).function(name) {
                    let result = self.shape_result(view, scope, at, shape, &[], None, arguments);
                    if result.is_known() {
                        return result;
                    }
                }
                Ty::Library(name.clone(), types.clone())
            }
            Ty::Applied(symbol, receiver, types) => {
                let result = self.function_result(view, scope, at, *symbol, receiver.as_deref(), &[], None);
                let result = if result.has_parameters() || !result.is_known() { self.symbol_type(*symbol) } else { result };
                let result = match receiver {
                    Some(receiver) => self.seen_through(&result, receiver),
                    None => result,
                };
                result.substitute(&|of, i| (of == *symbol).then(|| types.get(i as usize).cloned().unwrap_or(Ty::Unknown)))
            }
            Ty::LibraryMember(receiver, name) => self.library_call(view, scope, at, receiver, name, arguments),
            Ty::LibraryApplied(receiver, name, types) => self.library_applied(view, receiver, name, types),
            Ty::External(path) => match Shapes::of(view.semantics).function(path) {
                Some(shape) => self.shape_result(view, scope, at, shape, &[], None, arguments),
                None => Ty::External(format!("{path}()").into()),
            },
            Ty::Lambda(file, lambda, recipe) => self.lambda_result(*file, *lambda, *recipe),
            Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
            Ty::Instance(symbol, _) => {
                if self.kind(*symbol) == Some(SymbolKind::Delegate) {
                    return match self.symbol_type(*symbol) {
                        // `type Handler func(*Request) Answer`.
                        Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
                        result => result,
                    };
                }
                let signatures = self.members(callee, "()");
                if !signatures.is_empty() {
                    let fitting = signatures.iter().find(|hit| self.takes(hit.symbol, arguments.len()));
                    let hit = fitting.unwrap_or(&signatures[0]);
                    return self.seen_through(&self.symbol_type(hit.symbol), &hit.receiver);
                }
                for name in ["__call__", "operator()", "invoke", "Invoke", "__invoke", "call"] {
                    if let Some(hit) = self.members(callee, name).first() {
                        return self.function_result(view, scope, at, hit.symbol, Some(callee), arguments, call);
                    }
                }
                Ty::Unknown
            }
            Ty::Library(name, types) => match self.shape_member(view, name, "()") {
                Some((shape, of)) => {
                    let known = self.type_arguments(view, &of, types);
                    match self.shape_result(view, scope, at, &shape, &known, Some(callee), arguments) {
                        // `std::function<Cart(int)>`.
                        Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
                        result => result,
                    }
                }
                None => Ty::External(format!("{name}()").into()),
            },
            Ty::Optional(inner) => self.call_value(view, scope, at, inner, arguments, call),
            Ty::Union(parts) => {
                Ty::union(parts.iter().map(|part| self.call_value(view, scope, at, part, arguments, call)).collect::<Vec<_>>())
            }
            Ty::Module(Module::External(path)) => Ty::External(format!("{path}()").into()),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn lambda_result(&self, file: crate::FileId, scope: ScopeId, recipe: RecipeId) -> Ty {
        let Some(view) = self.view(file) else { return Ty::Unknown };
        let Recipe::Lambda(_, returns) = view.facts.recipe(recipe) else { return Ty::Unknown };
        let end = view.facts.scope(scope).span.end;
        Ty::union(view.facts.list(returns).to_vec().into_iter().map(|value| self.eval(&view, scope, end, value)))
    }

    #[allow(clippy::too_many_arguments)] // A call site, its callee and its arguments belong together; a struct would be used once.
    fn function_result(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        call: Option<RecipeId>,
    ) -> Ty {
        let mut symbol = symbol;
        if let Some(receiver) = receiver {
            // Of several overloads the result is that of the one meant.
            let name = self.name(symbol);
            let hits = self.callable_members(view, scope, at, receiver, &name, arguments);
            let hits = self.of_role(hits.into_iter().map(|hit| hit.symbol).collect(), facts::Role::Call);
            if !hits.is_empty() && call.is_some() {
                symbol = self.overloads_on(view, scope, at, hits, call, Some(receiver)).first().copied().unwrap_or(symbol);
            }
        } else if view.semantics.overloads {
            let (found, _) = self.lookup(view, scope, at, &self.name(symbol), Space::Callable);
            let hits: Vec<SymbolId> =
                found.into_iter().filter_map(|found| if let Found::Symbol(symbol) = found { Some(symbol) } else { None }).collect();
            if hits.contains(&symbol) {
                let hits = self.or_inherited(view, scope, at, hits, call);
                symbol = self.overloads(view, scope, at, hits, call).first().copied().unwrap_or(symbol);
            }
        }
        if !view.semantics.overloads {
            symbol = self.signature_for(view, scope, at, symbol, arguments);
        }
        let Some((other, declared)) = self.symbol(symbol) else { return Ty::Unknown };
        let result = match declared.kind {
            SymbolKind::Constructor => self.self_type(symbol),
            _ => self.symbol_type(symbol),
        };
        let result = match receiver {
            Some(receiver) => {
                // `Self` in a result is the receiver, not the type that declares the method.
                let own = self.self_type(symbol);
                if result.is_known() && result == own && !matches!(receiver, Ty::Type(..)) && self.returns_self(&other, &declared) {
                    receiver.clone()
                } else if result == own && self.returns_self(&other, &declared) {
                    receiver.instantiated()
                } else {
                    self.seen_from_receiver(symbol, &result, receiver)
                }
            }
            None => result,
        };
        if !result.has_parameters() || declared.type_parameters.len == 0 {
            return result;
        }
        let inferred = self.inferred_with_receiver(view, scope, at, symbol, arguments, receiver);
        let result = result.substitute(&|of, i| (of == symbol).then(|| inferred.get(i as usize).cloned().unwrap_or(Ty::Unknown)));
        // `def make(cls: type[T]) -> T` gives an object of the class that it is called on.
        let gives_own = declared.modifiers.contains(Modifiers::CLASS_METHOD) && receiver.is_some_and(|receiver| *receiver == result);
        if gives_own && matches!(result, Ty::Type(..)) { result.instantiated() } else { result }
    }

    /// Of a function's overload signatures the one that fits the arguments.
    fn signature_for(&self, view: &FileView, scope: ScopeId, at: u32, symbol: SymbolId, arguments: &[RecipeId]) -> SymbolId {
        let Some((other, declared)) = self.symbol(symbol) else { return symbol };
        if !declared.modifiers.contains(Modifiers::PROTOTYPE) {
            return symbol;
        }
        let siblings = other
            .symbols_named(declared.name)
            .filter(|&index| other.symbol(index).parent == declared.parent && other.symbol(index).modifiers.contains(Modifiers::PROTOTYPE));
        let n_positional =
            arguments.iter().filter(|&&argument| !matches!(view.facts.recipe(argument), Recipe::Field(..) | Recipe::Spread(_))).count();
        let fitting: Vec<SymbolId> = siblings
            .map(|index| SymbolId { file: symbol.file, index })
            .filter(|candidate| {
                let (_, found) = (0, other.symbol(candidate.index));
                let parameters: Vec<_> =
                    other.facts.parameters(found).iter().filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER)).collect();
                let given = |name: &str| {
                    arguments
                        .iter()
                        .any(|&argument| matches!(view.facts.recipe(argument), Recipe::Field(of, _) if view.facts.name(of) == name))
                };
                let missing = parameters.iter().enumerate().any(|(i, parameter)| {
                    i >= n_positional && !super::members::is_optional(parameter.flags) && !given(other.facts.name(parameter.name))
                });
                let positional = parameters.iter().filter(|parameter| !parameter.flags.contains(ParameterFlags::KEYWORD_ONLY)).count();
                let variadic = parameters.iter().any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC));
                !missing && (variadic || n_positional <= positional)
            })
            .collect();
        let scored = fitting.iter().filter_map(|candidate| {
            let given: Vec<Ty> = arguments.iter().map(|&argument| self.eval(view, scope, at, argument)).collect();
            Some((self.score(view, *candidate, arguments, &given, None)?, std::cmp::Reverse(*candidate)))
        });
        scored.max().map_or_else(|| fitting.first().copied().unwrap_or(symbol), |(_, std::cmp::Reverse(best))| best)
    }

    fn returns_self(&self, view: &FileView, declared: &facts::Symbol) -> bool {
        let written = match view.facts.type_recipe(declared.ty) {
            facts::TypeRecipe::SelfType => true,
            facts::TypeRecipe::Name(name) => matches!(view.facts.name(name), "Self" | "this" | "static" | "self"),
            facts::TypeRecipe::Scoped(_, name) => super::types::is_python_self(view, name),
            _ => false,
        };
        let values = view.facts.values(declared);
        let returned = !declared.ty.is_known()
            && !values.is_empty()
            && values.iter().all(|value| match view.facts.recipe(value.recipe) {
                Recipe::SelfValue => true,
                Recipe::Name(name) => {
                    view.facts.bindings_of(name).iter().any(|binding| matches!(view.facts.recipe(binding.value), Recipe::SelfValue))
                }
                _ => self.makes_own(view, value.recipe),
            });
        written || returned
    }

    /// `new` in a method of the class itself, perhaps as one of two ways: an object of the class that the method is called on.
    fn makes_own(&self, view: &FileView, recipe: RecipeId) -> bool {
        match view.facts.recipe(recipe) {
            Recipe::Either(a, b) => self.makes_own(view, a) || self.makes_own(view, b),
            Recipe::Call(callee, _) => match view.facts.recipe(callee) {
                Recipe::Member(of, name) => view.facts.recipe(of) == Recipe::SelfType && self.constructs(view, view.facts.name(name)),
                _ => false,
            },
            _ => false,
        }
    }

    /// The type arguments of a generic callable or type, from what its parameters are given.
    fn inferred_arguments(&self, view: &FileView, scope: ScopeId, at: u32, symbol: SymbolId, arguments: &[RecipeId]) -> super::ty::Types {
        self.inferred_with_receiver(view, scope, at, symbol, arguments, None)
    }

    /// The same for a callable with a receiver, which for an extension is its first parameter.
    fn inferred_with_receiver(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        arguments: &[RecipeId],
        receiver: Option<&Ty>,
    ) -> super::ty::Types {
        let Some((_, declared)) = self.symbol(symbol) else { return Arc::from([]) };
        if declared.type_parameters.len == 0 {
            return Arc::from([]);
        }
        let callable = if declared.kind.is_callable() {
            Some(symbol)
        } else {
            self.constructors(symbol).into_iter().find(|constructor| self.takes(*constructor, arguments.len()))
        };
        let mut inferred = vec![Ty::Unknown; declared.type_parameters.len as usize];
        let Some((other, callable)) = callable.and_then(|callable| self.symbol(callable)) else { return inferred.into() };
        let inner = callable.body.unwrap_or(callable.declared_in);
        let mut settle = |wanted: &Ty, given: &Ty| {
            self.unify(wanted, given, &mut |of, i, ty| {
                if of == symbol && i < inferred.len() && !inferred[i].is_known() {
                    inferred[i] = ty.clone();
                }
            });
        };
        let all = other.facts.parameters(&callable);
        let is_receiver = |parameter: &&facts::Parameter| parameter.flags.contains(ParameterFlags::RECEIVER);
        if let (Some(receiver), Some(first)) = (receiver, all.iter().find(is_receiver)) {
            settle(&self.written_type(&other, inner, callable.span.start, first.ty), receiver);
        }
        if let (Some(receiver), true) = (receiver, callable.owner.is_known() && callable.modifiers.contains(Modifiers::EXTENSION)) {
            settle(&self.written_type(&other, inner, callable.span.start, callable.owner), receiver);
        }
        let parameters: Vec<_> = all.iter().filter(|parameter| !is_receiver(parameter)).cloned().collect();
        for (i, &argument) in arguments.iter().enumerate() {
            let Some(parameter) = parameters.get(i) else { break };
            let mut wanted = self.written_type(&other, inner, callable.span.start, parameter.ty);
            if let Some(receiver) = receiver {
                wanted = self.seen_through(&wanted, receiver);
            }
            if !wanted.has_parameters() {
                continue;
            }
            let given = self.eval(view, scope, at, argument);
            match &given {
                // What a function given returns settles what the function type says it returns.
                Ty::Lambda(file, lambda, recipe) => {
                    if let Some((_, result)) = self.library_signature(view, &wanted)
                        && result.has_parameters()
                    {
                        settle(&result, &self.lambda_result(*file, *lambda, *recipe));
                    }
                }
                Ty::Function(function, _) => {
                    if let Some((_, result)) = self.library_signature(view, &wanted) {
                        settle(&result, &self.symbol_type(*function));
                    }
                }
                given => settle(&wanted, given),
            }
        }
        inferred.into()
    }

    /// A parameter's type with what the receiver tells about type parameters put in.
    pub(super) fn settled_by_receiver(&self, symbol: SymbolId, wanted: &Ty, receiver: &Ty) -> Ty {
        let Some((view, declared)) = self.symbol(symbol) else { return wanted.clone() };
        let wanted = self.seen_through(wanted, receiver);
        let scope = declared.body.unwrap_or(declared.declared_in);
        let Some(first) = view.facts.parameters(&declared).iter().find(|parameter| parameter.flags.contains(ParameterFlags::RECEIVER))
        else {
            return wanted;
        };
        let mut known: Vec<(u16, Ty)> = Vec::new();
        let own = self.written_type(&view, scope, declared.span.start, first.ty);
        self.unify(&own, receiver, &mut |of, i, ty| {
            if of == symbol {
                known.push((i as u16, ty.clone()));
            }
        });
        wanted.substitute(&|of, i| if of == symbol { known.iter().find(|(known, _)| *known == i).map(|(_, ty)| ty.clone()) } else { None })
    }

    /// Finds what type parameters in `wanted` stand for, given a value of type `given`.
    fn unify(&self, wanted: &Ty, given: &Ty, found: &mut dyn FnMut(SymbolId, usize, &Ty)) {
        match (wanted, given) {
            (Ty::Parameter(symbol, i), given) if given.is_known() => found(*symbol, *i as usize, given),
            (Ty::Instance(a, wanted), Ty::Instance(b, given_arguments)) => {
                // Seen as the type that is wanted.
                let seen = if a == b {
                    Some(given_arguments.clone())
                } else {
                    self.linearized(*b, given)
                        .into_iter()
                        .find_map(|ty| if let Ty::Instance(of, arguments) = ty { (of == *a).then_some(arguments) } else { None })
                };
                if let Some(given) = seen {
                    wanted.iter().zip(given.iter()).for_each(|(wanted, given)| self.unify(wanted, given, found));
                }
            }
            (Ty::Library(a, wanted), Ty::Library(b, given)) if a == b || wanted.len() == given.len() => {
                wanted.iter().zip(given.iter()).for_each(|(wanted, given)| self.unify(wanted, given, found));
            }
            (Ty::Library(_, wanted), Ty::LibraryType(..) | Ty::Type(..)) if wanted.len() == 1 => {
                self.unify(&wanted[0], &given.instantiated(), found)
            }
            (Ty::Library(_, wanted), Ty::Array(item)) if wanted.len() == 1 => self.unify(&wanted[0], item, found),
            (Ty::Array(wanted), Ty::Array(given)) | (Ty::Optional(wanted), Ty::Optional(given)) => self.unify(wanted, given, found),
            (Ty::Optional(wanted) | Ty::Array(wanted), given) => self.unify(wanted, given, found),
            (wanted, Ty::Optional(given)) => self.unify(wanted, given, found),
            (Ty::Tuple(wanted), Ty::Tuple(given)) => {
                wanted.iter().zip(given.iter()).for_each(|(wanted, given)| self.unify(wanted, given, found))
            }
            _ => {}
        }
    }

    /// The parameter types of a function-like type.
    pub(super) fn function_parameters(&self, ty: &Ty) -> Option<Vec<Ty>> {
        self.function_signature(ty).map(|(parameters, _)| parameters)
    }

    /// Parameters and result of a function-like type: a signature, a delegate, an interface with one method, a library's function types.
    pub(super) fn function_signature(&self, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        match ty {
            Ty::Signature(types) => types.split_last().map(|(result, parameters)| (parameters.to_vec(), result.clone())),
            Ty::Optional(inner) => self.function_signature(inner),
            Ty::Array(item) => self.function_signature(item),
            Ty::Union(parts) => parts.iter().find_map(|part| self.function_signature(part)),
            Ty::Instance(symbol, _) => {
                let method = self.only_method(*symbol)?;
                let (view, declared) = self.symbol(method)?;
                let scope = declared.body.unwrap_or(declared.declared_in);
                let parameters = view.facts.parameters(&declared).iter();
                let parameters = parameters
                    .map(|parameter| self.seen_through(&self.written_type(&view, scope, declared.span.start, parameter.ty), ty))
                    .collect();
                Some((parameters, self.seen_through(&self.symbol_type(method), ty)))
            }
            _ => None,
        }
    }

    /// The same for a library type, which needs the shapes of a language.
    pub(super) fn library_signature(&self, view: &FileView, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        let Ty::Library(name, types) = ty else {
            return match ty {
                Ty::Optional(inner) | Ty::Array(inner) => self.library_signature(view, inner),
                Ty::Union(parts) => parts.iter().find_map(|part| self.library_signature(view, part)),
                ty => self.function_signature(ty),
            };
        };
        let shapes = Shapes::of(view.semantics);
        if shapes.is_wrapper(name) {
            return self.library_signature(view, types.first()?);
        }
        match shapes.function_type(name) {
            Some(true) => types.split_last().map(|(result, parameters)| (parameters.to_vec(), result.clone())),
            Some(false) => Some((types.to_vec(), Ty::Unknown)),
            None => {
                const CALLED: &[&str] =
                    &["()", "apply", "accept", "test", "compare", "get", "run", "call", "applyAsInt", "applyAsLong", "applyAsDouble"];
                let (shape, of) = CALLED.iter().find_map(|member| self.shape_member(view, name, member))?;
                let known = self.type_arguments(view, &of, &self.as_supertype(view, name, types, &of));
                let parameters = shape.parameters.iter().map(|parameter| self.shaped(view, parameter, &known, None)).collect();
                Some((parameters, shape.result.as_ref().map_or(Ty::Unknown, |result| self.shaped(view, result, &known, None))))
            }
        }
    }

    /// The method that a function given for an interface or delegate becomes.
    fn only_method(&self, symbol: SymbolId) -> Option<SymbolId> {
        let (view, declared) = self.symbol(symbol)?;
        match declared.kind {
            SymbolKind::Delegate => Some(symbol),
            SymbolKind::Interface | SymbolKind::TypeAlias => {
                let methods: Vec<_> = view
                    .children(Some(symbol.index))
                    .filter(|&child| {
                        view.symbol(child).kind == SymbolKind::Method && !view.symbol(child).modifiers.contains(Modifiers::STATIC)
                    })
                    .collect();
                let open: Vec<_> =
                    methods.iter().copied().filter(|&child| view.symbol(child).modifiers.contains(Modifiers::ABSTRACT)).collect();
                let index = match (methods.as_slice(), open.as_slice()) {
                    ([only], _) | (_, [only]) => *only,
                    _ => return None,
                };
                Some(SymbolId { file: symbol.file, index })
            }
            _ => None,
        }
    }

    /// The type of a function expression's parameter, from the call it is handed to.
    fn handed_parameter(&self, view: &FileView, lambda: ScopeId, context: facts::LambdaContext, parameter: u16) -> Ty {
        let inner = view.facts.scope(lambda);
        let (scope, at) = (inner.parent, inner.span.start);
        let guard = Guard::Context(view.id, context.call.0);
        if !self.enter(&guard) {
            return Ty::Unknown;
        }
        let mut ty = self.handed_parameter_inner(view, scope, at, context, parameter);
        if self.has_lambda_receivers(view) {
            // The receiver of a function type stands before its parameters.
            let first = if parameter == 0 { ty.clone() } else { self.handed_parameter_inner(view, scope, at, context, 0) };
            if lambda_receiver(&first).is_some() {
                ty = self.handed_parameter_inner(view, scope, at, context, parameter + 1);
            }
        }
        self.leave(&guard);
        ty
    }

    fn has_lambda_receivers(&self, view: &FileView) -> bool {
        Shapes::of(view.semantics).find(LAMBDA_RECEIVER).is_some()
    }

    /// What `this` is in a lambda that is handed to a call: `cart.apply { … }`, `build { … }`.
    pub(super) fn lambda_receiver_at(&self, view: &FileView, lambda: ScopeId) -> Option<Ty> {
        let inner = view.facts.scope(lambda);
        let context = inner.context.filter(|_| self.has_lambda_receivers(view))?;
        let guard = Guard::Context(view.id, context.call.0);
        if !self.enter(&guard) {
            return None;
        }
        let first = self.handed_parameter_inner(view, inner.parent, inner.span.start, context, 0);
        self.leave(&guard);
        lambda_receiver(&first).cloned()
    }

    fn handed_parameter_inner(&self, view: &FileView, scope: ScopeId, at: u32, context: facts::LambdaContext, parameter: u16) -> Ty {
        let (callee, list) = match view.facts.recipe(context.call) {
            Recipe::Call(callee, list) => (self.callee(view, scope, at, callee), list),
            Recipe::New(ty, list) => (self.written_type(view, scope, at, ty).reified(), list),
            // The text says what the function becomes.
            _ => {
                let expected = self.eval(view, scope, at, context.call);
                let parameters = self.library_signature(view, &expected).map(|(parameters, _)| parameters);
                return parameters.and_then(|parameters| parameters.get(parameter as usize).cloned()).unwrap_or(Ty::Unknown);
            }
        };
        let arguments = view.facts.list(list).to_vec();
        let given = arguments.get(context.argument as usize).copied().unwrap_or_default();
        let keyword = match view.facts.recipe(given) {
            Recipe::Field(name, _) => Some(view.facts.name(name).to_owned()),
            _ => None,
        };
        for callee in callee.alternatives() {
            let ty = match &callee {
                Ty::Function(symbol, receiver) => {
                    let mut candidates = vec![*symbol];
                    if let Some(receiver) = receiver {
                        let name = self.name(*symbol);
                        let hits = self.members_and_extensions(view, receiver, &name, arguments.len());
                        candidates = hits.into_iter().map(|hit| hit.symbol).filter(|hit| self.takes(*hit, arguments.len())).collect();
                    }
                    let types = candidates.iter().map(|symbol| {
                        self.parameter_function(
                            view,
                            scope,
                            at,
                            *symbol,
                            receiver.as_deref(),
                            &arguments,
                            context.argument,
                            keyword.as_deref(),
                            parameter,
                        )
                    });
                    types.into_iter().find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Instance(..) => {
                    // An object that can be called: the signatures of its interface.
                    let signatures = self.members(&callee, "()").into_iter().filter(|hit| self.takes(hit.symbol, arguments.len()));
                    let mut types = signatures.map(|hit| {
                        self.parameter_function(
                            view,
                            scope,
                            at,
                            hit.symbol,
                            Some(&hit.receiver),
                            &arguments,
                            context.argument,
                            keyword.as_deref(),
                            parameter,
                        )
                    });
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Type(symbol, _) => {
                    let constructors = self.constructors(*symbol);
                    let receiver = callee.instantiated();
                    let types = constructors.iter().filter(|symbol| self.takes(**symbol, arguments.len())).map(|symbol| {
                        self.parameter_function(
                            view,
                            scope,
                            at,
                            *symbol,
                            Some(&receiver),
                            &arguments,
                            context.argument,
                            keyword.as_deref(),
                            parameter,
                        )
                    });
                    types.into_iter().find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::LibraryMember(receiver, name) => {
                    let Some((library, types)) = self.shape_owner(receiver) else { continue };
                    match self.shape_member(view, &library, name) {
                        Some((shape, of)) => {
                            let known = self.type_arguments(view, &of, &self.as_supertype(view, &library, &types, &of));
                            self.shape_parameter(view, scope, at, &shape, &known, Some(receiver), &arguments, context.argument, parameter)
                        }
                        None => Ty::Unknown,
                    }
                }
                Ty::External(path) => match Shapes::of(view.semantics).function(path) {
                    Some(shape) => self.shape_parameter(view, scope, at, shape, &[], None, &arguments, context.argument, parameter),
                    None => Ty::Unknown,
                },
                Ty::Signature(types) => match types.get(context.argument as usize).and_then(|ty| self.function_parameters(ty)) {
                    Some(parameters) => parameters.get(parameter as usize).cloned().unwrap_or(Ty::Unknown),
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            };
            if ty.is_known() {
                return ty;
            }
        }
        Ty::Unknown
    }

    /// The type of what a call takes as its argument at a place.
    fn expected_argument(&self, view: &FileView, scope: ScopeId, at: u32, call: RecipeId, argument: u16) -> Ty {
        let (callee, list) = match view.facts.recipe(call) {
            Recipe::Call(callee, list) => (self.callee(view, scope, at, callee), list),
            Recipe::New(ty, list) => (self.written_type(view, scope, at, ty).reified(), list),
            _ => return Ty::Unknown,
        };
        let n_arguments = list.len as usize;
        let declared_by = |symbol: SymbolId, receiver: Option<&Ty>| {
            let Some((other, declared)) = self.symbol(symbol).filter(|_| self.takes(symbol, n_arguments)) else { return Ty::Unknown };
            let mut parameters =
                other.facts.parameters(&declared).iter().filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER));
            let Some(wanted) = parameters.nth(argument as usize) else { return Ty::Unknown };
            let inner = declared.body.unwrap_or(declared.declared_in);
            let ty = self.written_type(&other, inner, declared.span.start, wanted.ty);
            receiver.map_or(ty.clone(), |receiver| self.seen_through(&ty, receiver))
        };
        for callee in callee.alternatives() {
            let ty = match &callee {
                Ty::Function(symbol, None) => declared_by(*symbol, None),
                Ty::Function(symbol, Some(receiver)) => {
                    let hits = self.members_in_sight(view, receiver, &self.name(*symbol), None);
                    let mut types = hits.into_iter().map(|hit| declared_by(hit.symbol, Some(receiver)));
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Type(symbol, _) => {
                    let receiver = callee.instantiated();
                    let constructors = self.constructors(*symbol);
                    let mut types = constructors.into_iter().map(|constructor| declared_by(constructor, Some(&receiver)));
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Signature(types) if (argument as usize) + 1 < types.len() => types[argument as usize].clone(),
                _ => match self.library_signature(view, &callee) {
                    Some((parameters, _)) => parameters.get(argument as usize).cloned().unwrap_or(Ty::Unknown),
                    None => Ty::Unknown,
                },
            };
            if ty.is_known() {
                return ty;
            }
        }
        Ty::Unknown
    }

    #[allow(clippy::too_many_arguments)] // One place in one call: where it stands, what is called, what is given.
    fn parameter_function(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        argument: u16,
        keyword: Option<&str>,
        parameter: u16,
    ) -> Ty {
        let Some((other, declared)) = self.symbol(symbol) else { return Ty::Unknown };
        let parameters: Vec<_> = other
            .facts
            .parameters(&declared)
            .iter()
            .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
            .cloned()
            .collect();
        let wanted = match keyword {
            Some(keyword) => parameters.iter().find(|parameter| other.facts.name(parameter.name) == keyword),
            None => parameters.get(argument as usize).or_else(|| parameters.last()),
        };
        let Some(wanted) = wanted else { return Ty::Unknown };
        let inner = declared.body.unwrap_or(declared.declared_in);
        let mut ty = self.written_type(&other, inner, declared.span.start, wanted.ty);
        if let Some(receiver) = receiver {
            ty = self.seen_through(&ty, receiver);
        }
        let Some((types, _)) = self.library_signature(view, &ty) else { return Ty::Unknown };
        let Some(found) = types.get(parameter as usize) else { return Ty::Unknown };
        if !found.has_parameters() {
            return found.clone();
        }
        // Type parameters of the function itself, from its other arguments.
        let others: Vec<RecipeId> =
            arguments.iter().enumerate().map(|(i, &given)| if i == argument as usize { RecipeId::UNKNOWN } else { given }).collect();
        let inferred = self.inferred_with_receiver(view, scope, at, symbol, &others, receiver);
        let ty = found.substitute(&|of, i| (of == symbol).then(|| inferred.get(i as usize).cloned().unwrap_or(Ty::Unknown)));
        if matches!(ty, Ty::Parameter(..)) { Ty::Unknown } else { ty }
    }

    // Library shapes.

    /// A member of a library type or of its library supertypes, with the type that has it.
    pub(super) fn shape_member(&self, view: &FileView, library: &str, name: &str) -> Option<(MemberShape, String)> {
        let shapes = Shapes::of(view.semantics);
        let mut open = vec![library.to_owned()];
        let mut seen = Vec::new();
        while let Some(library) = open.pop() {
            let Some((found, shape)) = shapes.find(&library) else { continue };
            if seen.iter().any(|other: &String| other == found) {
                continue;
            }
            seen.push(found.to_owned());
            if let Some(member) = shape.members.get(name) {
                return Some((member.clone(), found.to_owned()));
            }
            for supertype in shape.supertypes.iter().rev() {
                if let ShapeType::Named(name, _) = supertype {
                    open.push(name.clone());
                }
            }
        }
        None
    }

    /// The type arguments of a library type seen as one of its supertypes.
    fn as_supertype(&self, view: &FileView, library: &str, types: &[Ty], wanted: &str) -> Vec<Ty> {
        let shapes = Shapes::of(view.semantics);
        let mut open = vec![(library.to_owned(), types.to_vec())];
        let mut steps = 0;
        while let Some((library, types)) = open.pop() {
            steps += 1;
            let Some((found, shape)) = shapes.find(&library) else { continue };
            if found == wanted || steps > 32 {
                return types;
            }
            let known: Vec<(String, Ty)> = shape.parameters.iter().cloned().zip(types.iter().cloned()).collect();
            for supertype in &shape.supertypes {
                if let ShapeType::Named(name, arguments) = supertype {
                    open.push((name.clone(), arguments.iter().map(|argument| self.shaped(view, argument, &known, None)).collect()));
                }
            }
        }
        types.to_vec()
    }

    /// The parameters of a library type with what they stand for.
    fn type_arguments(&self, view: &FileView, library: &str, types: &[Ty]) -> Vec<(String, Ty)> {
        let shapes = Shapes::of(view.semantics);
        let Some((_, shape)) = shapes.find(library) else { return Vec::new() };
        let types = types.iter().cloned().chain(std::iter::repeat(Ty::Unknown));
        shape.parameters.iter().cloned().zip(types).collect()
    }

    /// A shape's type with its parameters put in.
    #[allow(clippy::only_used_in_recursion, reason = "called like its neighbours")]
    fn shaped(&self, view: &FileView, ty: &ShapeType, known: &[(String, Ty)], receiver: Option<&Ty>) -> Ty {
        let all = |types: &[ShapeType]| types.iter().map(|ty| self.shaped(view, ty, known, receiver)).collect::<Vec<Ty>>();
        match ty {
            ShapeType::Any => Ty::Unknown,
            ShapeType::Named(name, arguments) => {
                if let Some((_, ty)) = known.iter().find(|(parameter, _)| parameter == name) {
                    return ty.clone();
                }
                if name == "Self" {
                    return receiver.cloned().unwrap_or(Ty::Unknown);
                }
                // A parameter that nothing has settled.
                if name.len() == 1 && name.chars().all(|c| c.is_ascii_uppercase()) {
                    return Ty::Unknown;
                }
                Ty::Library(name.as_str().into(), all(arguments).into())
            }
            ShapeType::Function(types) => Ty::Signature(all(types).into()),
            ShapeType::Tuple(types) => Ty::Tuple(all(types).into()),
            ShapeType::Array(item) => Ty::Array(Arc::new(self.shaped(view, item, known, receiver))),
            ShapeType::Optional(item) => Ty::union([self.shaped(view, item, known, receiver), Ty::Null]),
        }
    }

    fn library_call(&self, view: &FileView, scope: ScopeId, at: u32, receiver: &Ty, name: &str, arguments: &[RecipeId]) -> Ty {
        let Some((library, types)) = self.shape_owner(receiver) else { return Ty::Unknown };
        let function = || Shapes::of(view.semantics).function(&format!("{library}.{name}")).cloned();
        match self.shape_member(view, &library, name) {
            Some((shape, of)) if shape.result.is_some() => {
                let known = self.type_arguments(view, &of, &self.as_supertype(view, &library, &types, &of));
                self.shape_result(view, scope, at, &shape, &known, Some(receiver), arguments)
            }
            // `Object.assign` is a function of its own.
            _ => match function() {
                Some(shape) => self.shape_result(view, scope, at, &shape, &[], None, arguments),
                None => Ty::External(format!("{library}.{name}()").into()),
            },
        }
    }

    /// A library member called with explicit type arguments: they settle what the type itself leaves open.
    fn library_applied(&self, view: &FileView, receiver: &Ty, name: &str, types: &[Ty]) -> Ty {
        let Some((library, own)) = self.shape_owner(receiver) else { return Ty::Unknown };
        let Some((shape, of)) = self.shape_member(view, &library, name) else { return Ty::External(format!("{library}.{name}()").into()) };
        let mut known = self.type_arguments(view, &of, &self.as_supertype(view, &library, &own, &of));
        for (letter, ty) in ["U", "R", "V", "W"].iter().zip(types.iter().cycle()) {
            if !known.iter().any(|(name, _)| name == letter) {
                known.push(((*letter).to_owned(), ty.clone()));
            }
        }
        shape.result.as_ref().map_or(Ty::External("()".into()), |result| self.shaped(view, result, &known, Some(receiver)))
    }

    /// What a library member or function gives for these arguments.
    #[allow(clippy::too_many_arguments)] // A call site, the shape called, and what is known of both.
    fn shape_result(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
    ) -> Ty {
        let Some(result) = &shape.result else { return Ty::External("()".into()) };
        let known = self.settled(view, scope, at, shape, known, arguments, None);
        self.shaped(view, result, &known, receiver)
    }

    #[allow(clippy::too_many_arguments)] // As above, and which parameter of which argument is asked for.
    fn shape_parameter(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        argument: u16,
        parameter: u16,
    ) -> Ty {
        let functions = || shape.parameters.iter().filter(|ty| matches!(ty, ShapeType::Function(_)));
        let wanted = match shape.parameters.get(argument as usize) {
            Some(wanted @ ShapeType::Function(_)) => wanted,
            _ => match functions().next() {
                Some(wanted) => wanted,
                None => return Ty::Unknown,
            },
        };
        let known = self.settled(view, scope, at, shape, known, arguments, Some(argument));
        match self.shaped(view, wanted, &known, receiver) {
            Ty::Signature(types) if (parameter as usize) + 1 < types.len() => types[parameter as usize].clone(),
            _ => Ty::Unknown,
        }
    }

    /// The shape's own type parameters, from what is given: `U` in `map((T) -> U)` is what the lambda returns.
    #[allow(clippy::too_many_arguments)] // As above.
    fn settled(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        arguments: &[RecipeId],
        except: Option<u16>,
    ) -> Vec<(String, Ty)> {
        let mut known = known.to_vec();
        for (i, (wanted, &argument)) in shape.parameters.iter().zip(arguments).enumerate() {
            if except == Some(i as u16) {
                continue;
            }
            match wanted {
                ShapeType::Function(types) => {
                    let Some(result) = types.last().filter(|result| asks_for_more(result, &known)) else { continue };
                    let given = self.eval(view, scope, at, argument);
                    let given = self.call_value(view, scope, at, &given, &[], None);
                    self.settle(view, result, &given, &mut known);
                }
                wanted if asks_for_more(wanted, &known) => {
                    let given = self.eval(view, scope, at, argument);
                    self.settle(view, wanted, &given, &mut known);
                }
                _ => {}
            }
        }
        known
    }

    /// What the parameters in a shape's type stand for, where a value of another type is given.
    fn settle(&self, view: &FileView, wanted: &ShapeType, given: &Ty, known: &mut Vec<(String, Ty)>) {
        match (wanted, given) {
            (ShapeType::Named(name, inner), given) if inner.is_empty() => match known.iter_mut().find(|(other, _)| other == name) {
                Some((_, ty)) if ty.is_known() => {}
                Some((_, ty)) => *ty = given.clone(),
                None if is_parameter(name) => known.push((name.clone(), given.clone())),
                None => {}
            },
            (wanted, Ty::Optional(given)) => self.settle(view, wanted, given, known),
            (ShapeType::Named(_, inner), given) if inner.len() == 1 => {
                let item = match (self.element(view, given), given) {
                    (Ty::Unknown | Ty::External(_), Ty::Library(_, types)) if types.len() == 1 => types[0].clone(),
                    (item, _) => item,
                };
                self.settle(view, &inner[0], &item, known);
            }
            (ShapeType::Named(_, inner), Ty::Library(_, types)) if inner.len() == types.len() => {
                inner.iter().zip(types.iter()).for_each(|(wanted, given)| self.settle(view, wanted, given, known));
            }
            (ShapeType::Tuple(inner), Ty::Tuple(types)) => {
                inner.iter().zip(types.iter()).for_each(|(wanted, given)| self.settle(view, wanted, given, known));
            }
            (ShapeType::Array(inner), given) => self.settle(view, inner, &self.element(view, given), known),
            (ShapeType::Optional(inner), given) => self.settle(view, inner, given, known),
            _ => {}
        }
    }

    /// The value of a library's member that is read and not called: `response.Content`.
    fn property_value(&self, view: &FileView, receiver: &Ty, name: &str) -> Option<Ty> {
        let (library, types) = self.shape_owner(receiver)?;
        let (shape, of) = self.shape_member(view, &library, name).filter(|(shape, _)| shape.parameters.is_empty())?;
        let known = self.type_arguments(view, &of, &self.as_supertype(view, &library, &types, &of));
        shape.result.as_ref().map(|result| self.shaped(view, result, &known, Some(receiver))).filter(Ty::is_known)
    }

    /// What a smart pointer points to, where the pointer itself has no member of that name; what a property of a library's type holds.
    pub(super) fn dereferenced(&self, view: &FileView, ty: &Ty, name: &str) -> Option<Ty> {
        if let Ty::LibraryMember(receiver, member) = ty {
            return self.property_value(view, receiver, member);
        }
        let Ty::Library(library, _) = ty else { return None };
        if self.shape_member(view, library, name).is_some() || self.shape_member(view, library, "deref").is_none() {
            return None;
        }
        let inner = self.unwrapped(view, ty.clone(), "deref");
        (inner != *ty && inner.is_known()).then_some(inner)
    }

    /// The result of one of the special members of a library type, else the type itself.
    fn unwrapped(&self, view: &FileView, ty: Ty, special: &str) -> Ty {
        match &ty {
            Ty::Library(name, types) => match self.shape_member(view, name, special) {
                Some((shape, of)) => {
                    let known = self.type_arguments(view, &of, &self.as_supertype(view, name, types, &of));
                    shape.result.as_ref().map_or(Ty::Unknown, |result| self.shaped(view, result, &known, Some(&ty)))
                }
                None => ty,
            },
            Ty::Optional(inner) if special == "?" => (**inner).clone(),
            Ty::Union(parts) => Ty::union(parts.iter().map(|part| self.unwrapped(view, part.clone(), special)).collect::<Vec<_>>()),
            Ty::Optional(inner) => Ty::union([self.unwrapped(view, (**inner).clone(), special), Ty::Null]),
            Ty::LibraryMember(receiver, member) => match self.property_value(view, receiver, member) {
                Some(value) => self.unwrapped(view, value, special),
                None => ty,
            },
            _ => ty,
        }
    }

    pub(super) fn literal_type(&self, view: &FileView, kind: &str) -> Ty {
        if kind == "null" {
            return Ty::Null;
        }
        let shapes = Shapes::of(view.semantics);
        match shapes.literal(kind).or_else(|| shapes.literal(if kind == "template" { "string" } else { kind })) {
            Some(ty) => self.shaped(view, ty, &[], None),
            None => Ty::External(kind.into()),
        }
    }

    fn object_value(&self, view: &FileView, scope: ScopeId, at: u32, items: &[RecipeId]) -> Ty {
        let values = Ty::union(items.iter().take(4).map(|&item| self.eval(view, scope, at, item)));
        match self.literal_type(view, "object") {
            Ty::Library(name, _) => {
                let key = self.literal_type(view, "string");
                Ty::Library(name, Arc::from([key, values]))
            }
            _ => Ty::External("object".into()),
        }
    }

    fn index_value(&self, view: &FileView, scope: ScopeId, at: u32, value: &Ty, index: RecipeId) -> Ty {
        match value {
            Ty::Array(item) => (**item).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::Type(symbol, _) => Ty::Type(*symbol, Arc::from([self.eval(view, scope, at, index).instantiated()])),
            Ty::LibraryType(name, _) => Ty::LibraryType(name.clone(), Arc::from([self.eval(view, scope, at, index).instantiated()])),
            Ty::Instance(..) => {
                // `row["name"]` of a `TypedDict`.
                if let Recipe::Str(key) = view.facts.recipe(index) {
                    let member = self.member_value(view, value, view.facts.name(key));
                    if member.is_known() {
                        return member;
                    }
                }
                for name in ["__getitem__", "operator[]", "this[]", "this", "get", "index", "offsetGet", "[]"] {
                    if let Some(hit) = self.members(value, name).first() {
                        return self.function_result(view, scope, at, hit.symbol, Some(value), &[index], None);
                    }
                }
                let Ty::Instance(symbol, _) = value else { return Ty::Unknown };
                match self.library_base_member(view, *symbol, value, "[]") {
                    Ty::LibraryMember(receiver, name) => self.library_call(view, scope, at, &receiver, &name, &[index]),
                    _ => Ty::Unknown,
                }
            }
            Ty::Library(..) => match self.unwrapped(view, value.clone(), "[]") {
                ty if ty == *value => Ty::Unknown,
                ty => ty,
            },
            Ty::Optional(inner) => self.index_value(view, scope, at, inner, index),
            Ty::Union(parts) => Ty::union(parts.iter().map(|part| self.index_value(view, scope, at, part, index)).collect::<Vec<_>>()),
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
                for name in ["__iter__", "iterator", "GetEnumerator", "iter", "into_iter", "begin", "each", "getIterator"] {
                    if let Some(hit) = self.members(value, name).first() {
                        let iterator = self.seen_through(&self.symbol_type(hit.symbol), &hit.receiver);
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
            Ty::Union(parts) => Ty::union(parts.iter().map(|part| self.element(view, part)).collect::<Vec<_>>()),
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
            Ty::Union(parts) => Ty::union(parts.iter().map(|part| self.part(view, part, i)).collect::<Vec<_>>()),
            // The parts of a variant or tuple struct are its parameters.
            Ty::Function(symbol, _) => self.parameter_type(*symbol, i),
            Ty::Instance(symbol, arguments) => {
                let ty = self.parameter_type(*symbol, i);
                ty.substitute(&|of, i| (of == *symbol).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown)))
            }
            Ty::External(path) => Ty::External(format!("{path}[]").into()),
            _ => Ty::Unknown,
        }
    }

    fn parameter_type(&self, symbol: SymbolId, i: u16) -> Ty {
        let Some((view, declared)) = self.symbol(symbol) else { return Ty::Unknown };
        let scope = declared.body.unwrap_or(declared.declared_in);
        match view.facts.parameters(&declared).get(i as usize) {
            Some(parameter) => self.written_type(&view, scope, declared.span.start, parameter.ty),
            None => Ty::Unknown,
        }
    }
}

/// The type parameters that a shape's type names, in order.
fn type_letters(ty: &ShapeType, letters: &mut Vec<String>) {
    match ty {
        ShapeType::Named(name, arguments) => {
            let is_letter = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
            if is_letter && !letters.contains(name) {
                letters.push(name.clone());
            }
            arguments.iter().for_each(|ty| type_letters(ty, letters));
        }
        ShapeType::Function(types) | ShapeType::Tuple(types) => types.iter().for_each(|ty| type_letters(ty, letters)),
        ShapeType::Array(inner) | ShapeType::Optional(inner) => type_letters(inner, letters),
        ShapeType::Any => {}
    }
}

/// A recipe with where it is to be read.
type FieldValue = (Arc<FileView>, ScopeId, u32, RecipeId);

/// The library type that every type extends without saying so, in languages whose shapes have one.
pub(super) const ROOT_TYPE: &str = "Any";

/// The name of the library type that stands for the receiver in a function type, before its parameters: Kotlin's `T.() -> R`.
const LAMBDA_RECEIVER: &str = "this";

fn lambda_receiver(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Library(name, types) if &**name == LAMBDA_RECEIVER => types.first(),
        _ => None,
    }
}

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

/// One letter, as in `Array<T>`.
fn is_parameter(name: &str) -> bool {
    name.len() == 1
}

/// Whether a shape's type has parameters of which nothing is known yet.
fn asks_for_more(wanted: &ShapeType, known: &[(String, Ty)]) -> bool {
    match wanted {
        ShapeType::Named(name, inner) if inner.is_empty() => {
            is_parameter(name) && !known.iter().any(|(other, ty)| other == name && ty.is_known())
        }
        ShapeType::Named(_, inner) | ShapeType::Tuple(inner) => inner.iter().any(|wanted| asks_for_more(wanted, known)),
        ShapeType::Array(inner) | ShapeType::Optional(inner) => asks_for_more(inner, known),
        ShapeType::Function(_) | ShapeType::Any => false,
    }
}
