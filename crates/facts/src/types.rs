//! Types as they are written, before any name in them is resolved.

use bitcode::{Decode, Encode};

use crate::{NameId, RecipeId};

/// An index into [`crate::Facts::types`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct TypeId(pub u32);

impl TypeId {
    /// The first type of every file is [`TypeRecipe::Unknown`].
    pub const UNKNOWN: TypeId = TypeId(0);

    pub fn is_known(self) -> bool {
        self != TypeId::UNKNOWN
    }
}

/// A run of [`crate::Facts::type_lists`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct TypeListRange {
    pub start: u32,
    pub len: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub enum TypeRecipe {
    #[default]
    Unknown,
    Name(NameId),
    /// `a.B`, `a::B`, `A\B`: a type inside a module, namespace or type.
    Scoped(TypeId, NameId),
    /// `List<Foo>`: a generic type with its arguments.
    Apply(TypeId, TypeListRange),
    Array(TypeId),
    Pointer(TypeId),
    Reference(TypeId),
    Optional(TypeId),
    /// Parameters and, last, the result.
    Function(TypeListRange),
    Union(TypeListRange),
    Intersection(TypeListRange),
    Tuple(TypeListRange),
    /// `impl Trait`, `dyn Trait`, `some P`: known by its bounds.
    Bounds(TypeListRange),
    /// `Self`.
    SelfType,
    /// `typeof x`, `decltype(x)`.
    Of(RecipeId),
    /// A string, number or template used as a type: `"GET"`.
    Literal(NameId),
    /// `var`, `auto`: as the value says.
    Inferred,
    /// A type written as an object: TypeScript `{ a: B }`, Go anonymous struct; its members are
    /// symbols of the given scope.
    Members(crate::ScopeId),
    /// `A[B]`, `A["b"]`: the type of a member of a type.
    Indexed(TypeId, TypeId),
}
