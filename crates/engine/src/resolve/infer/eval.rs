//! The type of an expression, from its recipe. One pass in: after a few hops it is unknown.

use std::sync::Arc;

use crate::resolve::{
    FileView, Found, Guard, Place, Resolver, Rule, SymbolId, Ty, bare, call::CallArguments, calls,
    lambdas, lambdas::Maker, library, lookup, modules, modules::Module, namespaces, overloads,
    owner, protocols, scopes, scopes::Space, values, written,
};
use facts::{
    LiteralKind, Namespaces, Recipe, RecipeId, ScopeId, SymbolKind, TypeId, TypeListRange,
    TypeRecipe,
};

/// Expressions nested deeper than this are generated.
pub const MAX_NESTING: u32 = 100;

/// The type of a recipe, read in a scope at a place.
pub fn expression(resolver: &Resolver, place: Place, recipe: RecipeId) -> Ty {
    if !recipe.is_known() || !resolver.budget.spend() {
        return Ty::Unknown;
    }
    let eval = || {
        let memo = &resolver.memo;
        let ty = memo.deeper(MAX_NESTING, || eval_inner(resolver, place, recipe));
        ty.unwrap_or(Ty::Unknown)
    };
    let Place { view, scope, at } = place;
    match view.facts.recipe(recipe) {
        // What a member or a call is taken of is read more than once: for its type, and for the
        // literal that it may be. A chain of n links would be read 2^n times.
        Recipe::Member(..) | Recipe::Call(..) => {
            let header = resolver.header.get();
            let question = Guard::Expression(view.id, scope, at, recipe, header);
            resolver.memo.remember(question, eval)
        }
        _ => eval(),
    }
}

/// The types of several: of the arguments of a call.
pub fn expressions(resolver: &Resolver, place: Place, recipes: &[RecipeId]) -> Vec<Ty> {
    recipes
        .iter()
        .map(|&recipe| expression(resolver, place, recipe))
        .collect()
}

pub fn eval_inner(resolver: &Resolver, place: Place, recipe: RecipeId) -> Ty {
    let Place { view, scope, .. } = place;
    let eval = |recipe| expression(resolver, place, recipe);
    match view.facts.recipe(recipe) {
        Recipe::Unknown | Recipe::Spread(_) => Ty::Unknown,
        Recipe::Name(name) => {
            let name = view.facts.name(name);
            if view.semantics.declarations.path_keywords.contains(&name) {
                return written::path_start(resolver, place, name).unwrap_or(Ty::Unknown);
            }
            name_value(resolver, place, name, Space::Value)
        }
        Recipe::Member(object, name) => {
            member_of(resolver, place, object, view.facts.name(name), Space::Value)
        }
        // The start of a path, whatever variables there are.
        Recipe::Scoped(RecipeId::UNKNOWN, name) => {
            name_value(resolver, place, view.facts.name(name), Space::Type)
        }
        Recipe::Scoped(object, name) => {
            scoped_value(resolver, place, object, view.facts.name(name))
        }
        Recipe::Call(callee, arguments) => {
            if let Recipe::Member(object, name) = view.facts.recipe(callee)
                && view.semantics.called_getters
                && let Some(value) = getter_value(resolver, &eval(object), view.facts.name(name))
            {
                return value;
            }
            if let Recipe::Name(name) = view.facts.recipe(callee)
                && view.semantics.called_getters
                && let Some(value) = bare_getter_value(resolver, place, view.facts.name(name))
            {
                return value;
            }
            let arguments = CallArguments {
                place,
                recipes: view.facts.list(arguments),
                call: Some(recipe),
            };
            calls::call_value(resolver, &callee_value(resolver, place, callee), arguments)
        }
        Recipe::New(ty, arguments) => {
            let arguments = CallArguments {
                place,
                recipes: view.facts.list(arguments),
                call: Some(recipe),
            };
            made_value(resolver, ty, arguments)
        }
        Recipe::Index(value, index) => protocols::index_value(resolver, place, &eval(value), index),
        Recipe::Element(value) => protocols::element(resolver, view, &eval(value)),
        Recipe::Await(value) => awaited(resolver, view, eval(value)),
        Recipe::Try(value) => match eval(value) {
            Ty::Optional(inner) => (*inner).clone(),
            ty => match success_value(resolver, &ty) {
                Some(inside) => inside,
                None => library::unwrapped(view, ty, "?"),
            },
        },
        Recipe::Deref(value) => match eval(value) {
            ty @ Ty::Instance(..) if view.semantics.prototypes => dereferenced(resolver, ty),
            ty => library::unwrapped(view, ty, "deref"),
        },
        Recipe::Reference(value) => eval(value),
        Recipe::Rest(value, from) => match eval(value) {
            Ty::Tuple(items) => Ty::Tuple(items.iter().skip(from as usize).cloned().collect()),
            ty => ty,
        },
        Recipe::Cast(ty) => written::written_type(resolver, place, ty),
        Recipe::Literal(kind) => library::literal_type(view, literal_word(kind)),
        Recipe::Str(_) => library::literal_type(view, "string"),
        Recipe::Tuple(items) => Ty::Tuple(
            view.facts
                .list(items)
                .iter()
                .map(|&item| eval(item))
                .collect(),
        ),
        Recipe::List(items) => {
            let item_type = |&item: &RecipeId| match view.facts.recipe(item) {
                Recipe::Spread(list) => protocols::element(resolver, view, &eval(list)),
                _ => eval(item),
            };
            let item = Ty::union(view.facts.list(items).iter().take(4).map(item_type));
            match library::literal_type(view, "list") {
                Ty::Library(name, _) => Ty::Library(name, Arc::from([item])),
                _ => Ty::Array(Arc::new(item)),
            }
        }
        Recipe::Object(items) => object_value(resolver, place, view.facts.list(items)),
        Recipe::Field(_, value) => eval(value),
        Recipe::Entry(_, value) => eval(value),
        Recipe::Part(value, i) => match pattern_symbol(resolver, place, value) {
            Some(symbol) => values::parameter_type(resolver, symbol, i),
            None => protocols::part(resolver, view, &eval(value), i),
        },
        Recipe::Lambda(inner, _) => Ty::Lambda(view.id, inner, recipe),
        Recipe::Either(a, b) => Ty::union([eval(a), eval(b)]),
        Recipe::SelfValue => owner::self_type_at(resolver, view, scope),
        Recipe::SelfType => owner::self_type_at(resolver, view, scope).reified(),
        Recipe::Super => values::super_type_at(resolver, view, scope),
        Recipe::Type(ty) => written::written_type(resolver, place, ty).reified(),
        Recipe::TypeArguments(callee, types) => applied_value(resolver, place, callee, types),
        Recipe::Symbol(index) => values::symbol_value(resolver, view.symbol_id(index)),
        Recipe::Operation(a, b) => match (eval(a), eval(b)) {
            // A pointer a few steps on.
            (pointer @ (Ty::Instance(..) | Ty::Array(_)), Ty::Library(..))
                if view.semantics.declarations.arrays_decay =>
            {
                pointer
            }
            (a, b) => operation(&a, &b),
        },
        Recipe::Parameter(call, i) => lambdas::expected_argument(resolver, place, call, i),
    }
}

/// What `new` gives.
fn made_value(resolver: &Resolver, ty: TypeId, arguments: CallArguments) -> Ty {
    let place = arguments.place;
    match lambdas::maker(resolver, place, ty) {
        Some(Maker::Local(callee)) => calls::call_value(resolver, &callee, arguments),
        Some(Maker::Signature(callee)) => {
            let written = || written::written_type(resolver, place, ty);
            let made = || calls::call_value(resolver, &callee, arguments);
            // Type arguments that are written tell more than what is given.
            match place.view.facts.type_recipe(ty) {
                TypeRecipe::Apply(..) => Some(written()).filter(Ty::is_known).unwrap_or_else(made),
                _ => Some(made()).filter(Ty::is_known).unwrap_or_else(written),
            }
        }
        None => written::written_type(resolver, place, ty),
    }
}

/// What a path names: `A::B`.
fn scoped_value(resolver: &Resolver, place: Place, object: RecipeId, name: &str) -> Ty {
    let view = place.view;
    let of = match view.facts.recipe(object) {
        Recipe::Name(first) | Recipe::Scoped(RecipeId::UNKNOWN, first) => {
            let first = view.facts.name(first);
            written::path_start(resolver, place, first)
                .unwrap_or_else(|| name_value(resolver, place, first, Space::Type))
        }
        _ => expression(resolver, place, object),
    };
    let Some(path) = namespaces::spelled(view, object).filter(|_| !of.is_known()) else {
        return values::member_value(resolver, view, &of, name);
    };
    // A namespace that nothing opens.
    let module = Module::Namespace(path.into());
    let found = modules::module_member(resolver, &module, name, view);
    found.first().map_or(Ty::Unknown, |found| {
        values::found_value(resolver, view, found)
    })
}

/// The value of an expression with type arguments: `Cart<Item>`, `parse::<u32>`.
fn applied_value(resolver: &Resolver, place: Place, callee: RecipeId, types: TypeListRange) -> Ty {
    let view = place.view;
    let types: Vec<Ty> = view
        .facts
        .type_list(types)
        .iter()
        .map(|&ty| written::written_type(resolver, place, ty))
        .collect();
    // Their number may tell which type of that name is meant.
    let head = match (
        expression(resolver, place, callee),
        view.facts.recipe(callee),
    ) {
        (Ty::Type(..), Recipe::Name(name)) => {
            let name = view.facts.name(name);
            written::named_type(resolver, place, name, types.len()).reified()
        }
        (head, _) => head,
    };
    match head {
        ty @ (Ty::Type(..) | Ty::LibraryType(..)) => written::applied(view, ty, types),
        Ty::Function(symbol, receiver) => Ty::Applied(symbol, receiver, types.into()),
        Ty::LibraryMember(receiver, name) => Ty::LibraryApplied(receiver, name, types.into()),
        Ty::External(external) => {
            let applied = library::applied_function(view, &external.to_string(), &types);
            applied.unwrap_or(Ty::External(external))
        }
        ty => ty,
    }
}

/// Where the text gives a field of an object literal its value, with the literal perhaps in a
/// variable or returned by a function.
pub fn literal_field(
    resolver: &Resolver,
    place: Place,
    object: RecipeId,
    name: &str,
    depth: u32,
) -> Option<PlacedRecipe> {
    let Place { view, scope, at } = place;
    /// A literal is one or two steps away from where it is taken apart.
    const MAX_STEPS: u32 = 6;
    if depth > MAX_STEPS || !resolver.budget.spend() {
        return None;
    }
    let step = |other: &FileView, value: &facts::SymbolValue| {
        literal_field(
            resolver,
            Place::of_value(other, value),
            value.recipe,
            name,
            depth + 1,
        )
    };
    let of_symbol = |symbol: SymbolId| {
        let (other, declared) = resolver.symbol(symbol)?;
        if declared.ty.is_known() {
            return None;
        }
        let mut values = other.facts.values(&declared).iter();
        let mut found = values.find_map(|value| step(&other, value))?;
        if declared.kind.is_value() {
            found.holder.get_or_insert(symbol);
        }
        Some(found)
    };
    match view.facts.recipe(object) {
        Recipe::Object(items) => {
            view.facts
                .list(items)
                .iter()
                .find_map(|&item| match view.facts.recipe(item) {
                    Recipe::Field(of, value) if view.facts.name(of) == name => Some(PlacedRecipe {
                        view: resolver.view(view.id)?,
                        scope,
                        at,
                        recipe: value,
                        holder: None,
                    }),
                    _ => None,
                })
        }
        Recipe::Await(inner) => literal_field(resolver, place, inner, name, depth + 1),
        Recipe::Either(a, b) => {
            let a = literal_field(resolver, place, a, name, depth + 1);
            a.or_else(|| literal_field(resolver, place, b, name, depth + 1))
        }
        Recipe::Member(outer, field) => {
            let of = view.facts.name(field);
            if let Ty::Module(module) = expression(resolver, place, outer) {
                let exported = modules::module_member(resolver, &module, of, view);
                return exported
                    .iter()
                    .filter_map(Found::symbol)
                    .find_map(of_symbol);
            }
            let value = literal_field(resolver, place, outer, of, depth + 1)?;
            let inner = literal_field(resolver, value.place(), value.recipe, name, depth + 1)?;
            let holder = inner.holder.or_else(|| value.property(resolver, of));
            Some(PlacedRecipe { holder, ..inner })
        }
        Recipe::Name(local) => {
            match scopes::lookup(resolver, place, view.facts.name(local), Space::Value)
                .0
                .first()?
            {
                Found::Binding(file, id) => {
                    let other = resolver.view(*file)?;
                    let binding = other.facts.bindings.get(id.0 as usize)?.clone();
                    if binding.ty.is_known() || binding.parameter.is_some() {
                        return None;
                    }
                    literal_field(
                        resolver,
                        Place::of_binding(&other, &binding),
                        binding.value,
                        name,
                        depth + 1,
                    )
                }
                Found::Symbol(symbol) => of_symbol(*symbol),
                _ => None,
            }
        }
        Recipe::Call(callee, _) => match expression(resolver, place, callee) {
            Ty::Function(symbol, _) => of_symbol(symbol),
            _ => None,
        },
        _ => None,
    }
}

/// What an object literal has under a name, where the text gives it a value: the function or class
/// that the value is, `{ run, stop: halt }`, else the property itself.
pub fn literal_member(
    resolver: &Resolver,
    place: Place,
    object: RecipeId,
    name: &str,
) -> Option<SymbolId> {
    let value = literal_field(resolver, place, object, name, 0)?;
    let is_stored = || stores_member(place.view, name) || stores_member(&value.view, name);
    let named = match value.view.facts.recipe(value.recipe) {
        Recipe::Symbol(index) => return Some(value.view.symbol_id(index)),
        Recipe::Name(_) | Recipe::Member(..) if !is_stored() => {
            expression(resolver, value.place(), value.recipe)
        }
        _ => Ty::Unknown,
    };
    match named {
        Ty::Function(symbol, _) | Ty::Type(symbol, _) => Some(symbol),
        _ => value.property(resolver, name),
    }
}

/// Whether a file puts something into a member of this name of any object.
fn stores_member(view: &FileView, name: &str) -> bool {
    let Some(name) = view.facts.names.find(name) else {
        return false;
    };
    let is_member = |target: RecipeId| match view.facts.recipe(target) {
        Recipe::Member(_, member) => member == name,
        _ => false,
    };
    let mut stores = view.facts.stores.iter();
    stores.any(|store| is_member(store.target))
}

/// What an object literal has under a name because it spreads a module: `{ ...checks, ...schemas }`.
pub fn spread_member(
    resolver: &Resolver,
    place: Place,
    object: RecipeId,
    name: &str,
) -> Vec<Found> {
    let of_literal = |place: Place, literal: RecipeId| {
        let Recipe::Object(items) = place.view.facts.recipe(literal) else {
            return Vec::new();
        };
        // What is spread last wins.
        for &item in place.view.facts.list(items).iter().rev() {
            let Recipe::Spread(spread) = place.view.facts.recipe(item) else {
                continue;
            };
            if let Ty::Module(module) = expression(resolver, place, spread) {
                let found = modules::module_member(resolver, &module, name, place.view);
                if !found.is_empty() {
                    return found.to_vec();
                }
            }
        }
        Vec::new()
    };
    let view = place.view;
    let Recipe::Name(local) = view.facts.recipe(object) else {
        return of_literal(place, object);
    };
    let (found, _) = scopes::lookup(resolver, place, view.facts.name(local), Space::Value);
    match found.first() {
        Some(Found::Binding(file, id)) => {
            let Some(other) = resolver.view(*file) else {
                return Vec::new();
            };
            let binding = &other.facts.bindings[id.0 as usize];
            of_literal(Place::of_binding(&other, binding), binding.value)
        }
        Some(Found::Symbol(symbol)) => {
            let Some((other, declared)) = resolver.symbol(*symbol) else {
                return Vec::new();
            };
            let values = other.facts.values(&declared).iter();
            let mut found =
                values.map(|value| of_literal(Place::of_value(&other, value), value.recipe));
            found.find(|found| !found.is_empty()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// What awaiting a value gives; a type whose blocks name the `Output` of one trait gives that.
fn awaited(resolver: &Resolver, view: &FileView, ty: Ty) -> Ty {
    if let Ty::Instance(symbol, _) = &ty
        && view.semantics.declarations.impls
        && let [output] = lookup::own_members(resolver, *symbol, "Output")[..]
    {
        let output = values::symbol_type(resolver, output);
        if output.is_known() {
            return output;
        }
    }
    // `F: Future<Output = T>`.
    if let Ty::Parameter(of, i) = ty {
        let mut bounds = lookup::bounds(resolver, of, i).into_iter();
        let given =
            bounds.find(|bound| matches!(bound, Ty::Library(_, types) if !types.is_empty()));
        return given.map_or(Ty::Unknown, |bound| {
            library::unwrapped(view, bound, "await")
        });
    }
    library::unwrapped(view, ty, "await")
}

/// What `*` gives of an object: what its own operator gives, else the object, which a pointer was to.
fn dereferenced(resolver: &Resolver, ty: Ty) -> Ty {
    let operators = lookup::members(resolver, &ty, "operator*");
    let unary = operators
        .iter()
        .find(|hit| overloads::takes(resolver, hit.symbol, 0));
    match unary.map(|hit| values::hit_type(resolver, hit)) {
        Some(target) if target.is_known() => target,
        _ => ty,
    }
}

/// What is inside the variant `Ok` or `Some` of an enum of the repository.
fn success_value(resolver: &Resolver, ty: &Ty) -> Option<Ty> {
    let Ty::Instance(symbol, arguments) = ty else {
        return None;
    };
    if resolver.kind(*symbol) != Some(SymbolKind::Enum) {
        return None;
    }
    let mut variants = ["Ok", "Some"]
        .into_iter()
        .flat_map(|name| lookup::own_members(resolver, *symbol, name).to_vec());
    let inside = values::parameter_type(resolver, variants.next()?, 0);
    Some(inside.with_arguments(*symbol, arguments)).filter(Ty::is_known)
}

/// What a property gives where reading it is written as a call.
pub fn getter_value(resolver: &Resolver, object: &Ty, name: &str) -> Option<Ty> {
    let hit = lookup::members(resolver, object, name).into_iter().next()?;
    (resolver.kind(hit.symbol) == Some(SymbolKind::Property))
        .then(|| values::hit_value(resolver, &hit))
}

/// What a property of the object around gives where its name alone is written.
fn bare_getter_value(resolver: &Resolver, place: Place, name: &str) -> Option<Ty> {
    let (found, _) = scopes::lookup(resolver, place, name, Space::Callable);
    let property = found.first().filter(|found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind == Some(SymbolKind::Property)
    })?;
    Some(values::found_value(resolver, place.view, property))
}

/// The variant that a pattern names: its parts are its own parameters and fields, not those of
/// its enum.
pub fn pattern_symbol(resolver: &Resolver, place: Place, value: RecipeId) -> Option<SymbolId> {
    let view = place.view;
    let Recipe::Cast(ty) = view.facts.recipe(value) else {
        return None;
    };
    written::variant(resolver, place, ty)
}

pub fn operation(a: &Ty, b: &Ty) -> Ty {
    match (a, b) {
        (Ty::Library(..), _) => a.clone(),
        (_, Ty::Library(..)) => b.clone(),
        (Ty::Instance(..), Ty::Instance(..)) if a == b => a.clone(),
        (Ty::Type(..), Ty::Type(..)) => Ty::union([a.clone(), b.clone()]),
        _ => Ty::Unknown,
    }
}

/// What a bare name's value is.
pub fn name_value(resolver: &Resolver, place: Place, name: &str, space: Space) -> Ty {
    let Place { view, scope, .. } = place;
    let (found, rule) = scopes::lookup(resolver, place, name, space);
    if rule == Rule::Builtin
        && let Some(module) = written::own_module(resolver, place, name)
    {
        return Ty::Module(module);
    }
    if let [Found::Binding(file, binding)] = found.as_slice()
        && *file == view.id
    {
        return values::reaching(resolver, place, *binding);
    }
    if found.is_empty() {
        if view.shapes().find(name).is_some() {
            return Ty::LibraryType(name.into(), Arc::from([]));
        }
        let spelled_namespace = view.semantics.declarations.namespaces != Namespaces::None;
        let resolution = bare::resolve_bare(resolver, Place::end_of_file(view), name, space, None);
        return match resolution.targets.as_slice() {
            [found] => values::found_value(resolver, view, found),
            [] if spelled_namespace => Ty::Module(Module::Namespace(name.into())),
            // The first part of a path may be a crate of the repository.
            _ => written::own_module(resolver, place, name).map_or(Ty::Unknown, Ty::Module),
        };
    }
    let found = match written::are_by_arity(resolver, view, &found) {
        true => written::of_arity(resolver, found, 0),
        false => found,
    };
    if let Some(Found::Symbol(symbol)) = found.first()
        && let Some(value) = inherited_value(resolver, view, scope, *symbol, name)
    {
        return value;
    }
    if let [Found::Symbol(symbol)] = found.as_slice()
        && space == Space::Callable
        && let Some(accessor) = values::accessor(resolver, *symbol)
    {
        return accessor;
    }
    // Overloads share a name; a value that is one of them is as good as the first.
    if found.len() > 1
        && let Some(Found::Symbol(symbol)) = found.first()
        && resolver.kind(*symbol).is_some_and(SymbolKind::is_callable)
    {
        return values::symbol_value(resolver, *symbol);
    }
    Ty::union(
        found
            .iter()
            .map(|found| values::found_value(resolver, view, found)),
    )
}

/// A member of a generic supertype, named without a receiver: seen through what the class
/// around the name makes of the supertype.
pub fn inherited_value(
    resolver: &Resolver,
    view: &FileView,
    scope: ScopeId,
    symbol: SymbolId,
    name: &str,
) -> Option<Ty> {
    let (other, declared) = resolver.symbol(symbol)?;
    let holder = declared.parent.filter(|&parent| {
        other.symbol(parent).type_parameters.len > 0 && other.symbol(parent).kind.is_type()
    })?;
    let own = owner::self_type_at(resolver, view, scope);
    let is_own = matches!(&own, Ty::Instance(of, _) if *of == symbol.beside(holder));
    if is_own
        || !lookup::members(resolver, &own, name)
            .iter()
            .any(|hit| hit.symbol == symbol)
    {
        return None;
    }
    let value = values::member_value(resolver, view, &own, name);
    value.is_known().then_some(value)
}

pub fn object_value(resolver: &Resolver, place: Place, items: &[RecipeId]) -> Ty {
    let view = place.view;
    let values = Ty::union(
        items
            .iter()
            .take(4)
            .map(|&item| expression(resolver, place, item)),
    );
    let own = match library::literal_type(view, "object") {
        Ty::Library(name, _) => {
            let key = library::literal_type(view, "string");
            Ty::Library(name, Arc::from([key, values]))
        }
        _ => return Ty::external("object"),
    };
    // `{ ...defaults, ...options }` has what the options have.
    let spread = items
        .iter()
        .filter_map(|&item| match view.facts.recipe(item) {
            Recipe::Spread(spread) => Some(expression(resolver, place, spread)),
            _ => None,
        });
    let spread = spread.flat_map(|ty| ty.alternatives());
    let spread = spread.filter(|ty| matches!(ty, Ty::Instance(..)));
    Ty::union(std::iter::once(own).chain(spread))
}

/// What is called: a field may share its name with a method.
pub fn callee_value(resolver: &Resolver, place: Place, callee: RecipeId) -> Ty {
    let view = place.view;
    match view.facts.recipe(callee) {
        Recipe::Name(name) => name_value(resolver, place, view.facts.name(name), Space::Callable),
        Recipe::Member(object, name) => member_of(
            resolver,
            place,
            object,
            view.facts.name(name),
            Space::Callable,
        ),
        _ => expression(resolver, place, callee),
    }
}

pub fn member_of(
    resolver: &Resolver,
    place: Place,
    object: RecipeId,
    name: &str,
    space: Space,
) -> Ty {
    let view = place.view;
    if let Some(symbol) = pattern_symbol(resolver, place, object)
        && let Some(field) = lookup::own_members(resolver, symbol, name).first()
    {
        return values::symbol_value(resolver, *field);
    }
    let value = expression(resolver, place, object);
    if matches!(value, Ty::Library(..) | Ty::Union(_))
        && let Some(value) = literal_field(resolver, place, object, name, 0)
    {
        return expression(resolver, value.place(), value.recipe);
    }
    if matches!(value, Ty::Library(..)) {
        let found = spread_member(resolver, place, object, name);
        let found = scopes::fitting_found(resolver, found, space);
        if let Some(found) = found.first() {
            return values::found_value(resolver, view, found);
        }
    }
    values::member_value_in(resolver, view, &value, name, space)
}

/// A recipe, and the place where it is to be read.
pub struct PlacedRecipe {
    pub view: Arc<FileView>,
    scope: ScopeId,
    at: u32,
    pub recipe: RecipeId,
    /// The variable or property that holds the literal of which this is a field.
    holder: Option<SymbolId>,
}

impl PlacedRecipe {
    /// The property of the literal, where properties are symbols.
    fn property(&self, resolver: &Resolver, name: &str) -> Option<SymbolId> {
        let members = lookup::own_members(resolver, self.holder?, name);
        members.first().copied()
    }

    fn place(&self) -> Place<'_> {
        Place::new(&self.view, self.scope, self.at)
    }
}

pub fn literal_word(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::String => "string",
        LiteralKind::Integer | LiteralKind::Digit(_) => "integer",
        LiteralKind::Float => "float",
        LiteralKind::Boolean | LiteralKind::True | LiteralKind::False => "boolean",
        LiteralKind::Null => "null",
        LiteralKind::Character => "character",
        LiteralKind::Regex => "regex",
        LiteralKind::Bytes => "bytes",
        LiteralKind::Template => "template",
    }
}
