//! What an expression may be.

use facts::{
    BindingId, BindingKind, Blocks, LiteralKind, NameId, Recipe, RecipeId, ScopeId, SymbolKind,
    TypeId, TypeRecipe,
};

use super::{FlowNode, FlowPlace, FlowSet, FlowValue, Key, containers, parameters, results, spend};
use crate::{
    Found, Resolver, SymbolId,
    resolve::{
        FileView, Place, Ty, lookup,
        modules::{self, Module},
        order, scopes,
        scopes::Space,
        values as types,
    },
};

/// Expressions nested deeper than this are generated, and so are chains of assignments.
const MAX_NESTING: u32 = 90;

/// What an expression may be where it is read.
pub(super) fn expression(resolver: &Resolver, at: FlowPlace, recipe: RecipeId) -> FlowSet {
    if !recipe.is_known() || !spend(resolver) {
        return FlowSet::default();
    }
    let values = resolver
        .flow
        .deeper(MAX_NESTING, || inner(resolver, at, recipe));
    values.unwrap_or_default()
}

fn inner(resolver: &Resolver, at: FlowPlace, recipe: RecipeId) -> FlowSet {
    let view = at.view();
    let eval = |recipe| expression(resolver, at, recipe);
    match view.facts.recipe(recipe) {
        Recipe::Name(word) => name(resolver, at, view.facts.name(word), Space::Value),
        Recipe::Member(object, word) => member(resolver, at, object, view.facts.name(word)),
        Recipe::Call(callee, arguments) => results::call(resolver, at, recipe, callee, arguments),
        Recipe::New(ty, _) => made(resolver, at, recipe, ty),
        Recipe::Index(container, key) => {
            let found = containers::indexed(resolver, at, container, key);
            or_typed(resolver, at, recipe, found)
        }
        Recipe::Element(container) => {
            let found = containers::elements(resolver, at, eval(container));
            or_typed(resolver, at, recipe, found)
        }
        Recipe::Part(container, i) => {
            let key = Key::Digit(i);
            containers::elements_at(resolver, at, &eval(container), &[key])
        }
        Recipe::Rest(container, from) => containers::rest(eval(container), from),
        Recipe::Await(value)
        | Recipe::Try(value)
        | Recipe::Deref(value)
        | Recipe::Reference(value)
        | Recipe::Field(_, value)
        | Recipe::TypeArguments(value, _) => eval(value),
        Recipe::Either(a, b) => {
            let mut values = eval(a);
            values.extend(eval(b));
            values
        }
        Recipe::Tuple(_) | Recipe::List(_) | Recipe::Object(_) => {
            FlowSet::one(FlowValue::Container(at.written(recipe), 0))
        }
        Recipe::Lambda(scope, _) => FlowSet::one(lambda(view, scope, recipe)),
        Recipe::Symbol(index) => symbol(resolver, view.symbol_id(index)),
        Recipe::Str(text) => FlowSet::one(FlowValue::Key(Key::Text(view.facts.name(text).into()))),
        Recipe::Literal(LiteralKind::Digit(digit)) => {
            FlowSet::one(FlowValue::Key(Key::Digit(digit.into())))
        }
        Recipe::Scoped(..)
        | Recipe::SelfValue
        | Recipe::SelfType
        | Recipe::Super
        | Recipe::Type(_)
        | Recipe::Cast(_) => FlowSet::of_type(&resolver.eval(at.place, recipe)),
        Recipe::Unknown
        | Recipe::Literal(_)
        | Recipe::Entry(..)
        | Recipe::Spread(_)
        | Recipe::Operation(..)
        | Recipe::Parameter(..) => FlowSet::default(),
    }
}

/// A function expression; one that a symbol stands for is that symbol.
fn lambda(view: &FileView, scope: ScopeId, recipe: RecipeId) -> FlowValue {
    match view.facts.scope(scope).owner {
        Some(owner) if view.symbol(owner).kind.is_callable() => {
            FlowValue::Function(view.symbol_id(owner), None)
        }
        _ => FlowValue::Lambda(view.id, scope, recipe),
    }
}

/// What following values found, or else what the type of the expression tells.
pub(super) fn or_typed(
    resolver: &Resolver,
    at: FlowPlace,
    recipe: RecipeId,
    found: FlowSet,
) -> FlowSet {
    if found.is_empty() {
        FlowSet::of_type(&resolver.eval(at.place, recipe))
    } else {
        found
    }
}

/// `new T(…)`, where `T` may be a variable that holds a class.
fn made(resolver: &Resolver, at: FlowPlace, recipe: RecipeId, ty: TypeId) -> FlowSet {
    let typed = FlowSet::of_type(&resolver.eval(at.place, recipe));
    let view = at.view();
    let held = match view.facts.type_recipe(ty) {
        TypeRecipe::Name(word) => name(resolver, at, view.facts.name(word), Space::Value),
        TypeRecipe::Of(value) => expression(resolver, at, value),
        _ => return typed,
    };
    let mut values = FlowSet::default();
    for value in held.all {
        if let FlowValue::Class(class) = value {
            values.add(FlowValue::Object(class));
        }
    }
    if values.is_empty() { typed } else { values }
}

/// What a bare name may be.
pub(super) fn name(resolver: &Resolver, at: FlowPlace, word: &str, space: Space) -> FlowSet {
    let view = at.view();
    let (found, _) = scopes::lookup(resolver, at.place, word, space);
    let Some(id) = view.facts.names.find(word) else {
        return FlowSet::default();
    };
    let mut values = FlowSet::default();
    if found.is_empty() {
        // A variable that is assigned and declared nowhere.
        return reaching(resolver, at, id, None, None);
    }
    let is_callable = |found: &Found| {
        let kind = found.symbol().and_then(|symbol| resolver.kind(symbol));
        kind.is_some_and(SymbolKind::is_callable)
    };
    // Which overload is meant, only a call tells.
    if view.semantics.overloads && found.len() > 1 && found.iter().all(is_callable) {
        values.too_many = true;
        return values;
    }
    for found in found {
        values.extend(match found {
            Found::Binding(file, binding) if file == view.id => {
                reaching(resolver, at, id, None, Some(binding))
            }
            Found::Binding(file, binding) => match resolver.view(file) {
                Some(other) => self::binding(resolver, &other, binding, None),
                None => FlowSet::default(),
            },
            Found::Symbol(symbol)
                if symbol.file == view.id
                    && view.symbol(symbol.index).kind.is_value()
                    && !is_member(view, symbol) =>
            {
                reaching(resolver, at, id, Some(symbol), None)
            }
            found => of_found(resolver, &found),
        });
    }
    values
}

fn is_member(view: &FileView, symbol: SymbolId) -> bool {
    let parent = view.symbol(symbol.index).parent;
    parent.is_some_and(|parent| view.symbol(parent).kind.is_type())
}

/// What a name that was looked up stands for.
fn of_found(resolver: &Resolver, found: &Found) -> FlowSet {
    match found {
        Found::Symbol(symbol) => self::symbol(resolver, *symbol),
        Found::Binding(file, binding) => match resolver.view(*file) {
            Some(view) => self::binding(resolver, &view, *binding, None),
            None => FlowSet::default(),
        },
        Found::Module(module) => FlowSet::one(FlowValue::Module(module.clone())),
        Found::TypeParameter(..) | Found::External(_) => FlowSet::default(),
    }
}

/// One of the places that give a variable a value.
struct Reaching {
    scope: ScopeId,
    from: u32,
    what: Defined,
}

enum Defined {
    Binding(BindingId),
    Recipe(RecipeId),
}

/// The values of a variable that reach a place: the last assignment that is sure to have run, and
/// those after it that may have.
fn reaching(
    resolver: &Resolver,
    at: FlowPlace,
    name: NameId,
    symbol: Option<SymbolId>,
    declaration: Option<BindingId>,
) -> FlowSet {
    let (view, place) = (at.view(), at.place);
    let declared_in = match (symbol, declaration) {
        (Some(symbol), _) => view.symbol(symbol.index).declared_in,
        (_, Some(binding)) => view.facts.bindings[binding.0 as usize].scope,
        _ => ScopeId::FILE,
    };
    let region = view.region(declared_in);
    let mut definitions = definitions(view, name, symbol, declared_in);
    definitions.sort_by_key(|definition| std::cmp::Reverse(definition.from));
    // From inside another function the order of assignments says nothing.
    let elsewhere = view.region(place.scope) != region;
    let mut values = FlowSet::default();
    for definition in definitions {
        if !elsewhere && definition.from > place.at {
            continue;
        }
        values.extend(match definition.what {
            Defined::Binding(id) => binding(resolver, view, id, at.frame),
            Defined::Recipe(recipe) => {
                let place = Place::new(view, definition.scope, definition.from.saturating_sub(1));
                let frame = at.frame;
                expression(resolver, FlowPlace { place, frame }, recipe)
            }
        });
        if !elsewhere && view.is_inside(place.scope, definition.scope) {
            break;
        }
    }
    values
}

fn definitions(
    view: &FileView,
    name: NameId,
    symbol: Option<SymbolId>,
    declared_in: ScopeId,
) -> Vec<Reaching> {
    let by_region = view.semantics.blocks == Blocks::Function;
    let region = view.region(declared_in);
    let first = view
        .facts
        .bindings
        .partition_point(|binding| binding.name < name);
    let mut found = Vec::new();
    for (i, binding) in view.facts.bindings_of(name).iter().enumerate() {
        let is_value = !matches!(
            binding.kind,
            BindingKind::Label
                | BindingKind::Narrowing
                | BindingKind::Outer
                | BindingKind::Enclosing
        );
        let in_reach = if by_region {
            view.region(binding.scope) == region
        } else {
            view.is_inside(binding.scope, declared_in)
        };
        if is_value && in_reach {
            found.push(Reaching {
                scope: binding.scope,
                from: binding.from,
                what: Defined::Binding(BindingId((first + i) as u32)),
            });
        }
    }
    let declared = symbol.map(|symbol| view.symbol(symbol.index));
    for value in declared.iter().flat_map(|symbol| view.facts.values(symbol)) {
        if !found.iter().any(|known| known.from == value.at) {
            found.push(Reaching {
                scope: value.scope,
                from: value.at,
                what: Defined::Recipe(value.recipe),
            });
        }
    }
    found
}

/// What a binding may be by itself.
pub(super) fn binding(
    resolver: &Resolver,
    view: &FileView,
    id: BindingId,
    frame: Option<&super::CallFrame>,
) -> FlowSet {
    let binding = &view.facts.bindings[id.0 as usize];
    let is_parameter = binding.kind == BindingKind::Parameter && binding.parameter.is_some();
    if let Some(frame) = frame
        && is_parameter
        && frame.file == view.id
        && frame.scope == binding.scope
    {
        return parameters::given(resolver, view, binding, frame);
    }
    if !is_parameter && frame.is_some() {
        let place = Place::of_binding(view, binding);
        return expression(resolver, FlowPlace { place, frame }, binding.value);
    }
    let node = FlowNode::Binding(view.id, id);
    resolver.flow.memoize_cyclic(
        &resolver.analysis.tables.flows,
        node.clone(),
        node,
        FlowSet::default(),
        || {
            if is_parameter {
                return parameters::parameter(resolver, view, id);
            }
            let at = FlowPlace::new(Place::of_binding(view, binding));
            expression(resolver, at, binding.value)
        },
    )
}

/// What naming a symbol gives, whoever does.
pub(super) fn symbol(resolver: &Resolver, symbol: SymbolId) -> FlowSet {
    let node = FlowNode::Symbol(symbol);
    resolver.flow.memoize_cyclic(
        &resolver.analysis.tables.flows,
        node.clone(),
        node,
        FlowSet::default(),
        || {
            let Some((view, declared)) = resolver.symbol(symbol) else {
                return FlowSet::default();
            };
            match declared.kind {
                SymbolKind::Property => held(resolver, &view, &declared),
                kind if kind.is_callable() => results::decorated(resolver, &view, symbol),
                SymbolKind::TypeAlias | SymbolKind::Object | SymbolKind::EnumMember => {
                    FlowSet::of_type(&types::symbol_value(resolver, symbol))
                }
                kind if kind.is_type() => FlowSet::of_type(&types::symbol_value(resolver, symbol)),
                kind if kind.is_value() => {
                    let mut values = held(resolver, &view, &declared);
                    values.extend(assigned(resolver, &view, &declared));
                    if declared.kind == SymbolKind::Field {
                        values.extend(containers::stored_in_field(resolver, symbol));
                    }
                    if values.is_empty() {
                        values = FlowSet::of_type(&types::symbol_value(resolver, symbol));
                    }
                    values
                }
                _ => FlowSet::default(),
            }
        },
    )
}

/// The values that a symbol was seen to take or give.
fn held(resolver: &Resolver, view: &FileView, declared: &facts::Symbol) -> FlowSet {
    let mut values = FlowSet::default();
    for value in view.facts.values(declared) {
        let at = FlowPlace::new(Place::of_value(view, value));
        values.extend(expression(resolver, at, value.recipe));
    }
    // A field that a constructor's parameter declares is that parameter.
    let by_parameter = declared
        .modifiers
        .contains(facts::Modifiers::CONSTRUCTOR_PARAMETER);
    let start = view
        .facts
        .bindings
        .partition_point(|other| other.name < declared.name);
    let parameters = view.facts.bindings_of(declared.name).iter().enumerate();
    for (i, parameter) in parameters.filter(|_| by_parameter) {
        if parameter.parameter.is_some() && parameter.name_span == declared.name_span {
            let id = BindingId((start + i) as u32);
            values.extend(binding(resolver, view, id, None));
        }
    }
    values
}

/// Later assignments to a variable, as bindings keep them.
fn assigned(resolver: &Resolver, view: &FileView, declared: &facts::Symbol) -> FlowSet {
    let mut values = FlowSet::default();
    let is_variable = matches!(declared.kind, SymbolKind::Variable | SymbolKind::Constant);
    if !is_variable {
        return values;
    }
    for definition in definitions(view, declared.name, None, declared.declared_in) {
        if let Defined::Binding(id) = definition.what {
            values.extend(binding(resolver, view, id, None));
        }
    }
    values
}

/// What a member of a value may be.
pub(super) fn member(resolver: &Resolver, at: FlowPlace, object: RecipeId, name: &str) -> FlowSet {
    let view = at.view();
    let mut values = FlowSet::default();
    let mut is_typed = false;
    for one in resolver.eval(at.place, object).alternatives() {
        match one {
            Ty::Instance(..) | Ty::Type(..) => {
                is_typed = true;
                values.extend(member_of_type(resolver, &one, name));
            }
            Ty::Module(module) if !matches!(module, Module::External(_)) => {
                is_typed = true;
                values.extend(member_of_module(resolver, view, &module, name));
            }
            Ty::Function(symbol, _) => {
                for found in (view.dialect.function_members)(resolver, view, symbol, name) {
                    values.extend(of_found(resolver, &found));
                }
            }
            _ => {}
        }
    }
    if is_typed && !values.is_empty() {
        return values;
    }
    let objects = expression(resolver, at, object);
    values.too_many |= objects.too_many;
    for one in &objects.all {
        values.extend(match one {
            FlowValue::Object(class) => member_of_type(resolver, &Ty::instance(*class), name),
            FlowValue::Class(class) => member_of_type(resolver, &Ty::type_of(*class), name),
            FlowValue::Module(module) => member_of_module(resolver, view, module, name),
            _ => FlowSet::default(),
        });
    }
    if view.dialect.flows.members_are_keys {
        let key = Key::Text(name.into());
        values.extend(containers::elements_at(resolver, at, &objects, &[key]));
    }
    if values.is_empty() {
        values.extend(containers::stored_members(resolver, at, &objects, name));
    }
    values
}

fn member_of_module(resolver: &Resolver, view: &FileView, module: &Module, name: &str) -> FlowSet {
    let mut values = FlowSet::default();
    for found in modules::module_member(resolver, module, name, view).iter() {
        values.extend(of_found(resolver, found));
    }
    values
}

/// Levels of derived types in which a member is looked for that the type itself lacks.
const MAX_LEVELS: usize = 3;

/// Derived types of one level that are looked at: a base of more is a framework's, and what its
/// users assign is their own.
const MAX_DERIVED: usize = 40;

/// What a member of a type's object, or of the type itself, may be.
fn member_of_type(resolver: &Resolver, ty: &Ty, name: &str) -> FlowSet {
    let mut values = FlowSet::default();
    let Some(holder) = ty.holder() else {
        return values;
    };
    for hit in lookup::members(resolver, ty, name) {
        values.extend(of_member(resolver, hit.symbol, holder));
        // A field that several types of a hierarchy assign is one field.
        if resolver.kind(hit.symbol) == Some(SymbolKind::Field) {
            for above in order::linearized(resolver, holder, ty) {
                let own = above.holder().filter(|above| *above != holder);
                for member in own
                    .iter()
                    .flat_map(|own| resolver.own_members(*own, name).to_vec())
                {
                    values.extend(of_member(resolver, member, holder));
                }
            }
        }
    }
    if !values.is_empty() || !matches!(ty, Ty::Instance(..)) {
        return values;
    }
    // A base may use what only its derived types assign.
    let mut level = vec![holder];
    for _ in 0..MAX_LEVELS {
        let below = |ty: &SymbolId| resolver.derived(*ty).to_vec();
        level = level.iter().flat_map(below).collect();
        if level.is_empty() || level.len() > MAX_DERIVED || !spend(resolver) {
            break;
        }
        for &derived in &level {
            for member in resolver.own_members(derived, name).iter() {
                values.extend(of_member(resolver, *member, derived));
            }
        }
        if !values.is_empty() {
            break;
        }
    }
    values
}

fn of_member(resolver: &Resolver, member: SymbolId, holder: SymbolId) -> FlowSet {
    let mut values = symbol(resolver, member);
    for value in &mut values.all {
        if let FlowValue::Function(function, receiver) = value
            && *function == member
        {
            *receiver = Some(holder);
        }
    }
    values
}
