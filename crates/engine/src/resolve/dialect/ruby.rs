//! Ruby: what a program adds to the type that every type extends.

use facts::Family;

use super::{Dialect, USUAL};
use crate::resolve::{FileView, Resolver, Sketch, Ty, lookup, lookup::MemberHit};

pub(super) static DIALECT: Dialect = Dialect {
    implemented,
    ..USUAL
};

/// What every object has, in the order in which Ruby looks into them.
const ROOTS: [&str; 2] = ["Object", "Kernel"];

/// `class Object; def blank?; end; end` gives every object a `blank?`. It comes before what the
/// library has under that name.
fn implemented(resolver: &Resolver, _: &FileView, ty: &Ty, name: &str) -> Vec<MemberHit> {
    if !matches!(ty, Ty::Instance(..) | Ty::Type(..)) {
        return Vec::new();
    }
    let is_reopened = |sketch: &&Sketch| {
        sketch.family == Family::Ruby
            && sketch.kind.is_type()
            && sketch.parent.is_none()
            && !sketch.has_owner
    };
    let added = |root| {
        let sketches = resolver.sketches(root);
        // The other declarations of the class are parts of the first.
        let reopened = sketches.iter().find(is_reopened)?;
        let members = lookup::own_members(resolver, reopened.id, name);
        let hits = members.iter().map(|member| MemberHit {
            symbol: *member,
            receiver: ty.clone(),
        });
        Some(hits.collect::<Vec<_>>()).filter(|hits| !hits.is_empty())
    };
    ROOTS.into_iter().find_map(added).unwrap_or_default()
}
