//! Functions that extend a type from outside, in C# and Kotlin: which fit a receiver, and which of
//! them a file can see.

use facts::{Modifiers, ParameterFlags, SymbolKind};

use super::{
    FileView, Resolver, SymbolId, Ty,
    imports::normalized,
    members::{Hit, is_optional, is_primitive},
    shapes::Shapes,
};

impl Resolver<'_> {
    /// Functions that extend a type from outside: C# and Kotlin extensions whose receiver fits.
    /// Values have them; of types only those that are their own value.
    pub(super) fn extensions(&self, ty: &Ty, name: &str) -> Vec<Hit> {
        let is_value = match ty {
            Ty::LibraryType(..) => false,
            Ty::Type(symbol, _) => {
                self.kind(*symbol) == Some(SymbolKind::Object)
                    || self.companion_of(*symbol).is_some()
            }
            _ => true,
        };
        let mut hits = Vec::new();
        for sketch in self
            .sketches(name)
            .iter()
            .filter(|sketch| is_value && sketch.modifiers.contains(Modifiers::EXTENSION))
        {
            let candidate = &sketch.id;
            let Some((view, declared)) = self.symbol(*candidate) else {
                continue;
            };
            let Some(receiver) = self.extended_type(&view, &declared) else {
                continue;
            };
            let fits = match (ty, &receiver) {
                // Of a library's value only the path is known: it may be extended as what libraries
                // have, not as one of our types, and not by what libraries have themselves.
                (Ty::External(path), _) => {
                    path.ends_with([')', ']', '*'])
                        && matches!(receiver, Ty::Parameter(..) | Ty::Library(..) | Ty::Array(_))
                        && !Shapes::of(view.semantics).owns(name)
                }
                (Ty::Library(given, _), Ty::Library(wanted, _)) => {
                    Shapes::of(view.semantics).may_extend(given, wanted, name)
                        && self.fits(ty, &receiver) > 0
                }
                _ => self.fits(ty, &receiver) > 0,
            };
            if fits {
                hits.push(Hit {
                    symbol: *candidate,
                    receiver: ty.clone(),
                });
            }
        }
        hits
    }

    /// The members of a name that a file can mean: extensions only where they are in sight and, in
    /// a call, take so many arguments.
    pub(super) fn members_in_sight(
        &self,
        view: &FileView,
        ty: &Ty,
        name: &str,
        n_arguments: Option<usize>,
    ) -> Vec<Hit> {
        let mut hits = self.members(ty, name);
        hits.retain(|hit| self.is_in_sight(view, hit.symbol, name, n_arguments));
        hits
    }

    /// The same, and extensions where the type has a member of that name, too.
    pub(super) fn members_and_extensions(
        &self,
        view: &FileView,
        ty: &Ty,
        name: &str,
        n_arguments: usize,
    ) -> Vec<Hit> {
        let mut hits = self.members_in_sight(view, ty, name, Some(n_arguments));
        hits.extend(
            ty.alternatives()
                .into_iter()
                .flat_map(|ty| self.extensions_in_sight(view, &ty, name, Some(n_arguments))),
        );
        hits
    }

    /// The same for extensions alone.
    pub(super) fn extensions_in_sight(
        &self,
        view: &FileView,
        ty: &Ty,
        name: &str,
        n_arguments: Option<usize>,
    ) -> Vec<Hit> {
        let mut hits = self.extensions(ty, name);
        hits.retain(|hit| self.is_in_sight(view, hit.symbol, name, n_arguments));
        hits
    }

    /// Whether a member can be meant, which of an extension depends on the file: its namespace must
    /// be around the file's code or imported.
    fn is_in_sight(
        &self,
        view: &FileView,
        member: SymbolId,
        name: &str,
        n_arguments: Option<usize>,
    ) -> bool {
        let Some((other, declared)) = self.symbol(member) else {
            return false;
        };
        if !declared.modifiers.contains(Modifiers::EXTENSION) {
            return true;
        }
        n_arguments.is_none_or(|n_arguments| {
            !declared.kind.is_callable() || self.takes_as_member(&other, &declared, n_arguments)
        }) && (member.file == view.id
            || self.sees_namespace(view, &normalized(&other.namespace_of(member.index)), name))
    }

    /// The type that an extension extends.
    fn extended_type(&self, view: &FileView, declared: &facts::Symbol) -> Option<Ty> {
        let scope = declared.body.unwrap_or(declared.declared_in);
        if declared.owner.is_known() {
            return Some(self.written_type(view, scope, declared.span.start, declared.owner));
        }
        let first = view.facts.parameters(declared).first()?;
        first
            .flags
            .contains(ParameterFlags::RECEIVER)
            .then(|| self.written_type(view, scope, declared.span.start, first.ty))
    }

    /// How exactly an extension is made for a receiver; nothing if it cannot be.
    pub(super) fn extension_fit(
        &self,
        view: &FileView,
        declared: &facts::Symbol,
        receiver: &Ty,
    ) -> Option<u32> {
        if !declared.modifiers.contains(Modifiers::EXTENSION) {
            return Some(0);
        }
        let Some(extended) = self.extended_type(view, declared) else {
            return Some(0);
        };
        let (Ty::Instance(wanted, wanted_types), Ty::Instance(given, _)) = (&extended, receiver)
        else {
            return Some(self.fits(receiver, &extended));
        };
        let seen = self
            .linearized(*given, receiver)
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
                (Ty::Optional(given), Ty::Optional(wanted)) => self.fits(given, wanted).min(40),
                (Ty::Library(given, _), Ty::Optional(_)) if is_primitive(given) => return None,
                (Ty::Optional(_), Ty::Library(wanted, _)) if is_primitive(wanted) => return None,
                // Written for values that may be missing, which this one never is.
                (_, Ty::Optional(_)) => 5,
                (given, wanted) => match self.fits(given, wanted) {
                    0 => return None,
                    fit => fit.min(40),
                },
            };
        }
        Some(fit)
    }

    /// Whether a callable can be called with so many arguments and the receiver in front of the
    /// call.
    pub(super) fn takes_as_member(
        &self,
        view: &FileView,
        declared: &facts::Symbol,
        n_arguments: usize,
    ) -> bool {
        let parameters: Vec<_> = view
            .facts
            .parameters(declared)
            .iter()
            .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
            .collect();
        let required = parameters
            .iter()
            .filter(|parameter| !is_optional(parameter.flags))
            .count();
        let variadic = parameters
            .iter()
            .any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC));
        n_arguments >= required && (variadic || n_arguments <= parameters.len())
    }
}

/// Whether an extension names its receiver as its first parameter, and so can be called as a plain
/// function too.
pub(super) fn has_receiver_parameter(view: &FileView, declared: &facts::Symbol) -> bool {
    let first = view.facts.parameters(declared).first();
    declared.modifiers.contains(Modifiers::EXTENSION)
        && first.is_some_and(|first| first.flags.contains(ParameterFlags::RECEIVER))
}
