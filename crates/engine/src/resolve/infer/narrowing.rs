//! What a test of a condition tells about a variable that may be of several types.

use facts::{Recipe, RecipeId, SymbolKind, TypeId, TypeRecipe};

use crate::resolve::{
    FileView, Place, Resolver, SymbolId, Ty, derived, eval, lookup, lookup::MemberHit, owner,
    values,
};

/// The parts of a union whose member is of a literal type, in a branch that tests for the literal:
/// `case "paid":` of `switch (order.state)`.
pub fn told_by_member(
    resolver: &Resolver,
    view: &FileView,
    union: Ty,
    member: TypeId,
    value: TypeId,
) -> Ty {
    let member = literal(view, member);
    kept(union, |part| {
        let hits = lookup::members(resolver, part, member);
        let Some((other, declared)) = hits.first().and_then(|hit| resolver.symbol(hit.symbol))
        else {
            return false;
        };
        match other.facts.type_recipe(declared.ty) {
            TypeRecipe::Union(types) => {
                let mut types = other.facts.type_list(types).iter();
                types.any(|&ty| is_same_value(&other, ty, view, value))
            }
            _ => is_same_value(&other, declared.ty, view, value),
        }
    })
}

/// The parts of a union that have a member: `"total" in cart`.
pub fn told_by_key(resolver: &Resolver, view: &FileView, union: Ty, member: TypeId) -> Ty {
    let member = literal(view, member);
    kept(union, |part| {
        !lookup::members(resolver, part, member).is_empty()
    })
}

/// The parts of a union that are meant, if any is; else all.
fn kept(union: Ty, is_meant: impl Fn(&Ty) -> bool) -> Ty {
    let parts = union.alternatives();
    let told: Vec<Ty> = parts.into_iter().filter(is_meant).collect();
    match told.is_empty() {
        true => union,
        false => Ty::union(told),
    }
}

fn literal(view: &FileView, ty: TypeId) -> &str {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Literal(name) => view.facts.name(name),
        _ => "",
    }
}

/// Whether two types are of the same one value: `"paid"`, or `State.Paid` by its last names.
fn is_same_value(left: &FileView, a: TypeId, right: &FileView, b: TypeId) -> bool {
    match (left.facts.type_recipe(a), right.facts.type_recipe(b)) {
        (TypeRecipe::Literal(a), TypeRecipe::Literal(b)) => {
            left.facts.name(a) == right.facts.name(b)
        }
        (TypeRecipe::Scoped(outer, a), TypeRecipe::Scoped(other, b)) => {
            left.facts.name(a) == right.facts.name(b)
                && last_name(left, outer) == last_name(right, other)
        }
        _ => false,
    }
}

fn last_name(view: &FileView, ty: TypeId) -> &str {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => view.facts.name(name),
        _ => "",
    }
}

/// The library type by which a function says that it tests a type.
const PREDICATE: &str = "type predicate";

/// What a variable is where a function says so that is called with it: `isPaid(order)` for `(order:
/// Order): order is Paid`.
pub fn told_by_call(
    resolver: &Resolver,
    place: Place,
    (tested, whole): (RecipeId, &Ty),
    call: RecipeId,
) -> Ty {
    let view = place.view;
    let Recipe::Call(callee, arguments) = view.facts.recipe(call) else {
        return Ty::Unknown;
    };
    let value = eval::callee_value(resolver, place, callee);
    if let Ty::LibraryMember(of, name) = &value
        && &**name == "isArray"
        && matches!(&**of, Ty::LibraryType(..))
    {
        let is_list = |part: &Ty| match part {
            Ty::Array(_) => true,
            Ty::Library(name, _) => matches!(&**name, "Array" | "ReadonlyArray"),
            _ => false,
        };
        return kept(whole.clone(), is_list);
    }
    let is_tested = |recipe: RecipeId| view.facts.recipe(recipe) == view.facts.recipe(tested);
    let is_about_tested = match &value {
        Ty::Function(symbol, _) | Ty::Applied(symbol, ..) => {
            match predicate_parameter(resolver, *symbol) {
                Some(Tested::Receiver) => match view.facts.recipe(callee) {
                    Recipe::Member(object, _) => is_tested(object),
                    _ => false,
                },
                Some(Tested::Parameter(i)) => {
                    let given = view.facts.list(arguments).get(i);
                    given.is_some_and(|&given| is_tested(given))
                }
                None => false,
            }
        }
        Ty::Signature(_) => {
            let first = view.facts.list(arguments).first();
            first.is_some_and(|&first| is_tested(first))
        }
        _ => false,
    };
    if !is_about_tested {
        return Ty::Unknown;
    }
    let wanted = match eval::expression(resolver, place, call) {
        Ty::Library(name, types) if &*name == PREDICATE => types.last().cloned(),
        _ => None,
    };
    match wanted {
        Some(wanted) if wanted.is_known() && !wanted.has_parameters() => {
            as_tested(resolver, whole, &wanted)
        }
        _ => Ty::Unknown,
    }
}

/// What a predicate is about.
enum Tested {
    Receiver,
    Parameter(usize),
}

fn predicate_parameter(resolver: &Resolver, symbol: SymbolId) -> Option<Tested> {
    let (view, declared) = resolver.symbol(symbol)?;
    let TypeRecipe::Apply(head, arguments) = view.facts.type_recipe(declared.ty) else {
        return None;
    };
    let &[name, _] = view.facts.type_list(arguments) else {
        return None;
    };
    if last_name(&view, head) != PREDICATE {
        return None;
    }
    let name = literal(&view, name);
    if view.semantics.self_types.contains(&name) {
        return Some(Tested::Receiver);
    }
    let mut parameters = view.facts.parameters(&declared).iter();
    let place = parameters.position(|parameter| view.facts.name(parameter.name) == name);
    place.map(Tested::Parameter)
}

/// What a value is that was found to be of a type: those of its own types that are of that type, else
/// that type.
fn as_tested(resolver: &Resolver, whole: &Ty, wanted: &Ty) -> Ty {
    let own = whole.alternatives();
    let is_part = |part: &Ty, wanted: &Ty| match (part.holder(), wanted.holder()) {
        (Some(part), Some(wanted)) => part == wanted || derived::is_a(resolver, part, wanted),
        _ => part == wanted,
    };
    Ty::union(wanted.alternatives().into_iter().flat_map(|wanted| {
        let parts = own.iter().filter(|part| is_part(part, &wanted));
        let parts: Vec<Ty> = parts.cloned().collect();
        match parts.is_empty() {
            true => vec![wanted],
            false => parts,
        }
    }))
}

/// What any member of a type may be: `Kinds[keyof Kinds]`.
pub fn any_member(resolver: &Resolver, object: &Ty) -> Ty {
    /// Members of a table of types; a larger one is generated.
    const MAX_MEMBERS: usize = 64;
    let Ty::Instance(symbol, _) = object else {
        return Ty::Unknown;
    };
    let mut members = Vec::new();
    for part in owner::parts(resolver, *symbol) {
        let Some(view) = resolver.view(part.file) else {
            continue;
        };
        let children = view.children(Some(part.index));
        let fields = children.filter(|&child| view.symbol(child).kind == SymbolKind::Field);
        members.extend(fields.take(MAX_MEMBERS).map(|child| MemberHit {
            symbol: part.beside(child),
            receiver: object.clone(),
        }));
    }
    members.truncate(MAX_MEMBERS);
    Ty::union(members.iter().map(|hit| values::hit_type(resolver, hit)))
}
