//! Functions that extend a type from outside: which fit a receiver, and which of them a file can see.

use crate::resolve::{
    FileView, Resolver, Sketch, Ty, fit, imports, lookup, lookup::MemberHit, order, overloads,
    written,
};
use facts::{Modifiers, ParameterFlags, SymbolKind};

/// Functions that extend a type from outside: C# and Kotlin extensions whose receiver fits.
/// Values have them; of types only those that are their own value, and those that an extension
/// block declares as static.
pub fn extensions(resolver: &Resolver, ty: &Ty, name: &str) -> Vec<MemberHit> {
    let is_value = match ty {
        Ty::LibraryType(..) => false,
        Ty::Type(symbol, _) => {
            resolver.kind(*symbol) == Some(SymbolKind::Object)
                || lookup::companion_of(resolver, *symbol).is_some()
        }
        _ => true,
    };
    let mut hits = Vec::new();
    let may_extend = |sketch: &&Sketch| {
        let of_type =
            sketch.parent == Some(SymbolKind::Impl) && sketch.modifiers.contains(Modifiers::STATIC);
        is_value != of_type
    };
    let named = resolver.extensions_named(name);
    for sketch in named.iter().filter(may_extend) {
        let candidate = &sketch.id;
        let Some((view, declared)) = resolver.symbol(*candidate) else {
            continue;
        };
        let Some(receiver) = extended_type(resolver, &view, &declared) else {
            continue;
        };
        let fits = match (ty, &receiver) {
            // Of a library's value only the path is known: it may be extended as what libraries
            // have, not as one of our types, and not by what libraries have themselves.
            (Ty::External(external), _) => {
                external.is_value()
                    && matches!(receiver, Ty::Parameter(..) | Ty::Library(..) | Ty::Array(_))
                    && !view.shapes().owns(name)
            }
            (Ty::Library(given, _), Ty::Library(wanted, _)) => {
                view.shapes().may_extend(given, wanted, name)
                    && fit::fits(resolver, ty, &receiver) > 0
            }
            (Ty::Type(..) | Ty::LibraryType(..), _) if !is_value => {
                fit::fits(resolver, &ty.instantiated(), &receiver) > 0
            }
            _ => fit::fits(resolver, ty, &receiver) > 0,
        };
        if fits {
            hits.push(MemberHit {
                symbol: *candidate,
                receiver: ty.clone(),
            });
        }
    }
    hits
}

/// The members of a name that a file can mean: extensions only where they are in sight and, in
/// a call, take so many arguments.
pub fn members_in_sight(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
    n_arguments: Option<usize>,
) -> Vec<MemberHit> {
    let mut hits = lookup::members(resolver, ty, name);
    hits.retain(|hit| is_in_sight(resolver, view, hit, name, n_arguments));
    or_implemented(resolver, view, ty, name, hits)
}

/// The members of a name that a file can mean, and extensions even where the type has a member of
/// that name.
pub fn members_and_extensions(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
    n_arguments: usize,
) -> Vec<MemberHit> {
    let mut hits = members_in_sight(resolver, view, ty, name, Some(n_arguments));
    hits.extend(
        ty.alternatives()
            .into_iter()
            .flat_map(|ty| extensions_in_sight(resolver, view, &ty, name, Some(n_arguments))),
    );
    hits
}

/// The extensions of a name that a file can mean.
pub fn extensions_in_sight(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
    n_arguments: Option<usize>,
) -> Vec<MemberHit> {
    let mut hits = extensions(resolver, ty, name);
    hits.retain(|hit| is_in_sight(resolver, view, hit, name, n_arguments));
    match ty {
        Ty::Instance(..) | Ty::Type(..) => hits,
        ty => or_implemented(resolver, view, ty, name, hits),
    }
}

fn or_implemented(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
    hits: Vec<MemberHit>,
) -> Vec<MemberHit> {
    if hits.is_empty() {
        (view.dialect.implemented)(resolver, view, ty, name)
    } else {
        hits
    }
}

/// Whether a member can be meant, which of an extension depends on the file: its namespace must
/// be around the file's code or imported.
pub fn is_in_sight(
    resolver: &Resolver,
    view: &FileView,
    hit: &MemberHit,
    name: &str,
    n_arguments: Option<usize>,
) -> bool {
    let member = hit.symbol;
    let Some((other, declared)) = resolver.symbol(member) else {
        return false;
    };
    // Called on the type that holds it, an extension is a plain function.
    let as_function =
        matches!(hit.receiver, Ty::Type(..)) && has_receiver_parameter(&other, &declared);
    let n_arguments = n_arguments.filter(|_| !as_function);
    if !declared.modifiers.contains(Modifiers::EXTENSION) {
        return true;
    }
    n_arguments.is_none_or(|n_arguments| {
        !declared.kind.is_callable() || overloads::takes_as_member(&other, &declared, n_arguments)
    }) && (member.file == view.id
        || (view.dialect.sees_namespace)(
            resolver,
            view,
            &imports::normalized(&other.namespace_of(member.index)),
            name,
        ))
}

/// The type that an extension extends.
pub fn extended_type(resolver: &Resolver, view: &FileView, declared: &facts::Symbol) -> Option<Ty> {
    if declared.owner.is_known() {
        return Some(written::header_type(
            resolver,
            view,
            declared,
            declared.owner,
        ));
    }
    let first = view.facts.parameters(declared).first()?;
    first
        .flags
        .contains(ParameterFlags::RECEIVER)
        .then(|| written::header_type(resolver, view, declared, first.ty))
}

/// How exactly an extension is made for a receiver; nothing if it cannot be.
pub fn extension_fit(
    resolver: &Resolver,
    view: &FileView,
    declared: &facts::Symbol,
    receiver: &Ty,
) -> Option<u32> {
    if !declared.modifiers.contains(Modifiers::EXTENSION) {
        return Some(0);
    }
    let Some(extended) = extended_type(resolver, view, declared) else {
        return Some(0);
    };
    let (Ty::Instance(wanted, wanted_types), Ty::Instance(given, _)) = (&extended, receiver) else {
        return Some(fit::fits(resolver, receiver, &extended));
    };
    let seen = order::linearized(resolver, *given, receiver)
        .into_iter()
        .find_map(|ty| match ty {
            Ty::Instance(of, types) if of == *wanted => Some(types),
            _ => None,
        });
    let Some(seen) = seen else { return Some(0) };
    let mut fit = 0;
    for (given, wanted) in seen.iter().zip(wanted_types.iter()) {
        fit += match (given, wanted) {
            (Ty::Unknown | Ty::Parameter(..) | Ty::External(_), _) => 10,
            (_, Ty::Parameter(..)) => 20,
            (Ty::Optional(given), Ty::Optional(wanted)) => {
                fit::fits(resolver, given, wanted).min(40)
            }
            (Ty::Library(given, _), Ty::Optional(_)) if fit::is_primitive(given) => return None,
            (Ty::Optional(_), Ty::Library(wanted, _)) if fit::is_primitive(wanted) => return None,
            // Written for values that may be missing, which this one never is.
            (_, Ty::Optional(_)) => 5,
            (given, wanted) => match fit::fits(resolver, given, wanted) {
                0 => return None,
                fit => fit.min(40),
            },
        };
    }
    Some(fit)
}

/// Whether an extension names its receiver as its first parameter, and so can be called as a plain
/// function too.
pub fn has_receiver_parameter(view: &FileView, declared: &facts::Symbol) -> bool {
    let first = view.facts.parameters(declared).first();
    declared.modifiers.contains(Modifiers::EXTENSION)
        && first.is_some_and(|first| first.flags.contains(ParameterFlags::RECEIVER))
}

/// Whether the text gives the receiver of an extension a name, so that bare names in its body are
/// not members of the receiver.
pub fn names_receiver(view: &FileView, declared: &facts::Symbol) -> bool {
    let parent = declared.parent.map(|parent| view.symbol(parent).kind);
    has_receiver_parameter(view, declared)
        || declared.modifiers.contains(Modifiers::EXTENSION) && parent == Some(SymbolKind::Impl)
}
