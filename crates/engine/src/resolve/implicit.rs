//! What the language itself calls: the members that a loop, an operator, an index or a conversion
//! runs on a value whose type is known.

use facts::{
    BindingId, BindingKind, Ending, ImplicitKind, ImplicitUse, Modifiers, Protocols, Recipe,
    RecipeId, Reference, Role, SymbolIndex, SymbolKind, TypeRecipe,
};

use super::{
    FileView, Found, Outcome, Place, Resolver, SymbolId, Ty, bare, fit, lookup, lookup::MemberHit,
    values,
};

/// A member that is called without being named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImplicitTarget {
    pub symbol: SymbolId,
    /// The type of the value, as far as it is one of this repository.
    pub receiver: Option<SymbolId>,
}

/// The members that a use calls.
pub fn of_use(resolver: &Resolver, view: &FileView, used: &ImplicitUse) -> Vec<ImplicitTarget> {
    let place = Place::new(view, used.scope, used.span.start);
    let protocols = &view.semantics.protocols;
    let word = view.facts.name(used.word);
    let value = match is_pointer(resolver, place, used.value) {
        true => Ty::Unknown,
        false => resolver.eval(place, used.value),
    };
    let one_of = |names: &[&str]| called(resolver, place, &value, names, None);
    match used.kind {
        ImplicitKind::Iterate if word == Protocols::ASYNC => {
            let stepping = Stepping {
                iterate: protocols.iterate_async,
                with: &[],
                step: protocols.step_async,
                advance: &[],
                by_index: &[],
            };
            stepping.of(resolver, &value)
        }
        ImplicitKind::Iterate => Stepping::usual(protocols).of(resolver, &value),
        ImplicitKind::Enter if word == Protocols::ASYNC => {
            entered(resolver, protocols.enter_async, &value)
        }
        ImplicitKind::Enter => entered(resolver, protocols.enter, &value),
        ImplicitKind::Index => called(resolver, place, &value, protocols.index, Some(used.other)),
        ImplicitKind::Store => one_of(protocols.store),
        ImplicitKind::Delete => one_of(protocols.delete),
        ImplicitKind::Await => one_of(protocols.wait),
        ImplicitKind::Convert => one_of(protocols.conversion(word)),
        ImplicitKind::Unary => {
            let operator = protocols.operator(word);
            let members = operator.map_or(&[] as &[&str], |operator| operator.alone);
            match one_of(members) {
                found if found.is_empty() && protocols.free_operators => {
                    free_operators(resolver, members, std::slice::from_ref(&value))
                }
                found => found,
            }
        }
        ImplicitKind::Operator => operated(resolver, place, &value, used),
        ImplicitKind::Raise | ImplicitKind::Access | ImplicitKind::Drop => Vec::new(),
    }
}

/// What ends a local variable, if the language says that something does.
pub fn of_ending(resolver: &Resolver, view: &FileView, local: BindingId) -> Vec<ImplicitTarget> {
    let binding = &view.facts.bindings[local.0 as usize];
    let name = view.facts.name(binding.name);
    let is_plain = matches!(
        view.facts.type_recipe(binding.ty),
        TypeRecipe::Name(_) | TypeRecipe::Scoped(..) | TypeRecipe::Apply(..)
    );
    let ty = || values::binding_type(resolver, view, local);
    let (ty, member) = match view.semantics.protocols.ending {
        _ if binding.kind != BindingKind::Local => return Vec::new(),
        Ending::Held(member) if name.len() > 1 && name.starts_with('_') => {
            (ty(), member.to_owned())
        }
        Ending::Destructor if is_plain => match ty() {
            Ty::Instance(of, types) => {
                let member = format!("~{}", resolver.name(of));
                (Ty::Instance(of, types), member)
            }
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let place = Place::of_binding(view, binding);
    called(resolver, place, &ty, &[&member], None)
}

/// What a call of a function of the library calls on its arguments: `str(x)`, `sorted(xs)`.
pub fn of_library_call(
    resolver: &Resolver,
    view: &FileView,
    reference: &Reference,
) -> Vec<(ImplicitKind, ImplicitTarget)> {
    let Some(Recipe::Call(_, arguments)) = reference.call.map(|call| view.facts.recipe(call))
    else {
        return Vec::new();
    };
    let outcome = resolver.resolve(view, reference).outcome;
    if !matches!(outcome, Outcome::External | Outcome::Unresolved) {
        return Vec::new();
    }
    let protocols = &view.semantics.protocols;
    let name = view.facts.name(reference.name);
    let arguments = view.facts.list(arguments);
    let place = Place::of(view, reference);
    let members = protocols.conversion(name);
    if let (false, Some(&first)) = (members.is_empty(), arguments.first()) {
        let value = resolver.eval(place, first);
        let found = called(resolver, place, &value, members, None).into_iter();
        return found
            .map(|target| (ImplicitKind::Convert, target))
            .collect();
    }
    let mut found = Vec::new();
    for &argument in arguments
        .iter()
        .filter(|_| protocols.iterating.contains(&name))
    {
        let value = resolver.eval(place, argument);
        let targets = Stepping::usual(protocols).of(resolver, &value).into_iter();
        found.extend(targets.map(|target| (ImplicitKind::Iterate, target)));
    }
    found
}

/// The calls of a file that convert or step through their arguments, by their places among its
/// references.
pub fn library_calls(view: &FileView) -> Vec<&Reference> {
    let protocols = &view.semantics.protocols;
    let names = protocols.conversions.iter().map(|(name, _)| *name);
    let ids = names
        .chain(protocols.iterating.iter().copied())
        .filter_map(|name| view.facts.names.find(name));
    ids.flat_map(|id| view.facts.references_of(id))
        .filter(|reference| {
            matches!(reference.role, Role::Call | Role::Instantiate) && reference.receiver.is_none()
        })
        .collect()
}

/// What is made of a type that is thrown as it is: its constructor, or the type itself.
pub fn of_thrown(resolver: &Resolver, view: &FileView, recipe: RecipeId, at: u32) -> Vec<SymbolId> {
    if !matches!(
        view.facts.recipe(recipe),
        Recipe::Name(_) | Recipe::Member(..)
    ) {
        return Vec::new();
    }
    let place = Place::new(view, view.facts.scope_at(at), at);
    let Ty::Type(class, _) = resolver.eval(place, recipe) else {
        return Vec::new();
    };
    let mut classes = std::iter::once(class).chain(resolver.all_supertypes(class));
    let constructors = classes.find_map(|class| {
        let constructors = resolver.constructors(class);
        (!constructors.is_empty()).then_some(constructors)
    });
    constructors.unwrap_or_else(|| vec![class])
}

/// The accessor with code of its own that a read or a write runs.
pub fn of_access(resolver: &Resolver, view: &FileView, reference: &Reference) -> Vec<SymbolId> {
    let resolution = resolver.resolve(view, reference);
    if !matches!(resolution.outcome, Outcome::Static | Outcome::Dispatch) {
        return Vec::new();
    }
    let wanted = match reference.role {
        Role::Write => Modifiers::GETTER,
        _ => Modifiers::SETTER,
    };
    let is_accessor = |symbol: &SymbolId| {
        resolver.symbol(*symbol).is_some_and(|(view, declared)| {
            let both = Modifiers::GETTER | Modifiers::SETTER;
            let is_other =
                declared.modifiers.contains(wanted) && !declared.modifiers.contains(both);
            matches!(declared.kind, SymbolKind::Property | SymbolKind::Indexer)
                && !is_other
                && has_code(&view, symbol.index)
        })
    };
    resolution.symbols().filter(is_accessor).collect()
}

/// Whether a property does something besides holding a value.
fn has_code(view: &FileView, property: SymbolIndex) -> bool {
    let declared = view.symbol(property);
    let is_function = declared.modifiers.contains(Modifiers::GETTER)
        || declared.modifiers.contains(Modifiers::SETTER);
    let runs = |reference: &Reference| {
        reference.enclosing == Some(property)
            && !matches!(reference.role, Role::TypeUse | Role::Annotation)
    };
    declared.body.is_some() && (is_function || view.facts.references.iter().any(runs))
}

/// The members that a loop calls.
struct Stepping {
    /// One of them gives the iterator.
    iterate: &'static [&'static str],
    /// What is called beside it.
    with: &'static [&'static str],
    /// One of them gives the next item.
    step: &'static [&'static str],
    /// What is called to step.
    advance: &'static [&'static str],
    /// What is called where nothing gives an iterator.
    by_index: &'static [&'static str],
}

impl Stepping {
    fn usual(protocols: &Protocols) -> Stepping {
        Stepping {
            iterate: protocols.iterate,
            with: protocols.iterate_with,
            step: protocols.step,
            advance: protocols.advance,
            by_index: match protocols.iterates_by_index {
                true => protocols.index,
                false => &[],
            },
        }
    }

    /// What stepping through a value calls: what gives the iterator, and what the iterator steps with.
    fn of(&self, resolver: &Resolver, value: &Ty) -> Vec<ImplicitTarget> {
        let mut found = Vec::new();
        for ty in objects(value) {
            let Some(hit) = lookup::protocol_member(resolver, &ty, self.iterate) else {
                let steps = self.stepped(resolver, &ty);
                let by_index = steps.is_empty();
                found.extend(steps);
                if by_index {
                    let hit = lookup::protocol_member(resolver, &ty, self.by_index);
                    found.extend(hit.map(|hit| target(&ty, &hit)));
                }
                continue;
            };
            let iterator = values::hit_type(resolver, &hit);
            found.push(target(&ty, &hit));
            found.extend(all_of(resolver, self.with, &ty));
            for ty in objects(&iterator) {
                found.extend(self.stepped(resolver, &ty));
            }
        }
        found
    }

    /// What an iterator steps with.
    fn stepped(&self, resolver: &Resolver, iterator: &Ty) -> Vec<ImplicitTarget> {
        let mut found = all_of(resolver, self.step, iterator);
        found.extend(all_of(resolver, self.advance, iterator));
        found
    }
}

fn entered(resolver: &Resolver, members: &[&str], value: &Ty) -> Vec<ImplicitTarget> {
    let objects = objects(value).into_iter();
    objects
        .flat_map(|ty| all_of(resolver, members, &ty))
        .collect()
}

fn operated(
    resolver: &Resolver,
    place: Place,
    left: &Ty,
    used: &ImplicitUse,
) -> Vec<ImplicitTarget> {
    let facts = &place.view.facts;
    let protocols = &place.view.semantics.protocols;
    let Some(operator) = protocols.operator(facts.name(used.word)) else {
        return Vec::new();
    };
    let right = || match is_pointer(resolver, place, used.other) {
        true => Ty::Unknown,
        false => resolver.eval(place, used.other),
    };
    if operator.on_right {
        return called(
            resolver,
            place,
            &right(),
            operator.members,
            Some(used.value),
        );
    }
    let found = called(resolver, place, left, operator.members, Some(used.other));
    if found.is_empty() && protocols.free_operators {
        return free_operators(resolver, operator.members, &[left.clone(), right()]);
    }
    // A left operand of which nothing is known may have the member itself.
    if !found.is_empty() || operator.reflected.is_empty() || !left.is_known() {
        return found;
    }
    called(
        resolver,
        place,
        &right(),
        operator.reflected,
        Some(used.value),
    )
}

/// Whether a value is a pointer, which has no members of its own: types do not tell it, because a
/// member is found through a pointer as through its object.
fn is_pointer(resolver: &Resolver, place: Place, value: RecipeId) -> bool {
    let view = place.view;
    if !view.semantics.declarations.arrays_decay {
        return false;
    }
    match view.facts.recipe(value) {
        Recipe::Reference(_) | Recipe::New(..) | Recipe::SelfValue => true,
        Recipe::Name(name) => {
            let found = resolver.name_at(place, view.facts.name(name));
            let found = found.and_then(|found| found.targets.first().cloned());
            found.is_some_and(|found| is_pointer_target(resolver, &found))
        }
        Recipe::Member(object, name) => {
            let object = resolver.eval(place, object);
            let hits = lookup::members(resolver, &object, view.facts.name(name));
            hits.iter().any(|hit| gives_pointer(resolver, hit.symbol))
        }
        Recipe::Call(callee, _) => is_pointer(resolver, place, callee),
        _ => false,
    }
}

fn is_pointer_target(resolver: &Resolver, found: &Found) -> bool {
    match found {
        Found::Symbol(symbol) => gives_pointer(resolver, *symbol),
        Found::Binding(file, id) => resolver.view(*file).is_some_and(|view| {
            let binding = &view.facts.bindings[id.0 as usize];
            match view.facts.type_recipe(binding.ty) {
                TypeRecipe::Pointer(_) | TypeRecipe::Array(_) => true,
                TypeRecipe::Unknown | TypeRecipe::Inferred => {
                    is_pointer(resolver, Place::of_binding(&view, binding), binding.value)
                }
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Whether a value, or the result of a function, is declared as a pointer.
fn gives_pointer(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.symbol(symbol).is_some_and(|(view, declared)| {
        let ty = view.facts.type_recipe(declared.ty);
        matches!(ty, TypeRecipe::Pointer(_) | TypeRecipe::Array(_))
    })
}

/// Functions of one name that one operator is looked for among.
const MAX_FREE_OPERATORS: usize = 200;

/// The functions outside of types that take these operands, one of which is of a type of this
/// repository.
fn free_operators(resolver: &Resolver, names: &[&str], operands: &[Ty]) -> Vec<ImplicitTarget> {
    let own = |ty: &Ty| match ty {
        Ty::Instance(symbol, _) => Some(*symbol),
        _ => None,
    };
    let Some(receiver) = operands.iter().find_map(own) else {
        return Vec::new();
    };
    let takes = |symbol: &SymbolId| {
        let Some((view, declared)) = resolver.symbol(*symbol) else {
            return false;
        };
        let is_free = !matches!(resolver.self_type(*symbol), Ty::Instance(of, _) if of != *symbol);
        let fits = |(i, operand): (usize, &Ty)| {
            let wanted = values::parameter_type(resolver, *symbol, i as u16);
            match (own(operand), own(&wanted)) {
                (Some(given), Some(wanted)) => resolver.is_a(given, wanted),
                (Some(_), None) => false,
                // An operand of a library's type, or an unknown one.
                (None, wanted) => wanted.is_none(),
            }
        };
        is_free
            && view.facts.parameters(&declared).len() == operands.len()
            && operands.iter().enumerate().all(fits)
    };
    let candidates = names.iter().flat_map(|name| resolver.symbols_named(name));
    let found = candidates.take(MAX_FREE_OPERATORS).filter(takes);
    found
        .map(|symbol| ImplicitTarget {
            symbol,
            receiver: Some(receiver),
        })
        .collect()
}

/// The type of this repository that an operator outside of types takes.
pub fn operand_of(resolver: &Resolver, operator: SymbolId) -> Option<SymbolId> {
    let (view, declared) = resolver.symbol(operator)?;
    let n_parameters = view.facts.parameters(&declared).len() as u16;
    (0..n_parameters).find_map(|i| match values::parameter_type(resolver, operator, i) {
        Ty::Instance(symbol, _) => Some(symbol),
        _ => None,
    })
}

/// The first of some members that each alternative of a value has; of overloads, those that take the
/// argument.
fn called(
    resolver: &Resolver,
    place: Place,
    value: &Ty,
    names: &[&str],
    argument: Option<RecipeId>,
) -> Vec<ImplicitTarget> {
    let mut found = Vec::new();
    for ty in objects(value) {
        let hits = names
            .iter()
            .map(|name| lookup::members(resolver, &ty, name));
        let Some(hits) = hits.into_iter().find(|hits| !hits.is_empty()) else {
            continue;
        };
        let hits = taking(resolver, place, hits, argument);
        let symbols = hits.iter().map(|hit| hit.symbol).collect();
        let symbols = bare::one_declaration(resolver, symbols);
        let hits = hits.iter().filter(|hit| symbols.contains(&hit.symbol));
        found.extend(hits.map(|hit| target(&ty, hit)));
    }
    found
}

/// Of several members of one name, those whose parameter an argument fits best.
fn taking(
    resolver: &Resolver,
    place: Place,
    hits: Vec<MemberHit>,
    argument: Option<RecipeId>,
) -> Vec<MemberHit> {
    let Some(argument) = argument.filter(|_| hits.len() > 1) else {
        return hits;
    };
    let given = resolver.eval(place, argument);
    let fits = |hit: &MemberHit| {
        let Some((view, declared)) = resolver.symbol(hit.symbol) else {
            return 0;
        };
        // The receiver may be written among the parameters; the argument is the last one.
        let n_parameters = view.facts.parameters(&declared).len();
        let last = n_parameters.saturating_sub(1) as u16;
        let wanted = values::parameter_type(resolver, hit.symbol, last);
        fit::fits(resolver, &given, &wanted)
    };
    let scores: Vec<u32> = hits.iter().map(fits).collect();
    let best = scores.iter().copied().max().unwrap_or(0);
    let mut scores = scores.into_iter();
    let mut hits = hits;
    hits.retain(|_| scores.next() == Some(best));
    hits
}

/// Every one of some members that a value has.
fn all_of(resolver: &Resolver, names: &[&str], ty: &Ty) -> Vec<ImplicitTarget> {
    let hits = names
        .iter()
        .filter_map(|name| lookup::members(resolver, ty, name).into_iter().next());
    hits.map(|hit| target(ty, &hit)).collect()
}

/// The alternatives of a type that have members of their own.
fn objects(value: &Ty) -> Vec<Ty> {
    let mut all = value.alternatives();
    all.retain(|ty| matches!(ty, Ty::Instance(..) | Ty::Library(..) | Ty::Parameter(..)));
    all
}

fn target(of: &Ty, hit: &MemberHit) -> ImplicitTarget {
    let receiver = match of {
        Ty::Instance(symbol, _) => Some(*symbol),
        _ => None,
    };
    ImplicitTarget {
        symbol: hit.symbol,
        receiver,
    }
}

/// Whether a type is made of one of some types: is one, holds one, or gives one.
pub fn holds(ty: &Ty, wanted: &dyn Fn(SymbolId) -> bool) -> bool {
    let any = |types: &[Ty]| types.iter().any(|ty| holds(ty, wanted));
    match ty {
        Ty::Instance(symbol, types) | Ty::Type(symbol, types) => wanted(*symbol) || any(types),
        Ty::Library(_, types)
        | Ty::LibraryType(_, types)
        | Ty::Signature(types)
        | Ty::Tuple(types)
        | Ty::Union(types) => any(types),
        Ty::Array(inner) | Ty::Optional(inner) => holds(inner, wanted),
        _ => false,
    }
}

/// What a symbol is, or gives where it is called.
pub fn type_of(resolver: &Resolver, symbol: SymbolId) -> Ty {
    values::symbol_type(resolver, symbol)
}
