//! Recipes: how an expression's value would be found, in a closed little language without resolved
//! names.
//!
//! A recipe is read in the scope and at the place of the reference or binding that holds it, so
//! that equal expressions of one file share one recipe.

use bitcode::{Decode, Encode};

use crate::{NameId, ScopeId, SymbolIndex, TypeId, TypeListRange};

/// An index into [`crate::Facts::recipes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct RecipeId(pub u32);

impl RecipeId {
    /// The first recipe of every file is [`Recipe::Unknown`].
    pub const UNKNOWN: RecipeId = RecipeId(0);

    pub fn is_known(self) -> bool {
        self != RecipeId::UNKNOWN
    }
}

/// A run of [`crate::Facts::lists`]: arguments, elements, returned values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct ListRange {
    pub start: u32,
    pub len: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Recipe {
    #[default]
    Unknown,
    /// A bare name, looked up from the innermost scope outwards.
    Name(NameId),
    /// `r.name`: a member of a value, or of a type or module where `r` is one.
    Member(RecipeId, NameId),
    /// `r::name`: a member of a module or type, never of a value.
    Scoped(RecipeId, NameId),
    /// The value of a call: callee and arguments.
    Call(RecipeId, ListRange),
    /// A new object of a type; arguments as written.
    New(TypeId, ListRange),
    /// `r[i]`.
    Index(RecipeId, RecipeId),
    /// What iterating over `r` gives.
    Element(RecipeId),
    Await(RecipeId),
    /// `r?`, `r!`, `try r`: the value inside an optional or result.
    Try(RecipeId),
    /// `*r`.
    Deref(RecipeId),
    /// `&r`.
    Reference(RecipeId),
    /// A value that the text says to be of a type: cast, assertion, annotation.
    Cast(TypeId),
    Literal(LiteralKind),
    /// A short string literal, its quotes removed.
    Str(NameId),
    Tuple(ListRange),
    /// A list, array or set literal.
    List(ListRange),
    /// An object, dictionary or struct literal of [`Recipe::Field`] and [`Recipe::Spread`].
    Object(ListRange),
    /// `name = r` among arguments, `name: r` in an object literal.
    Field(NameId, RecipeId),
    /// `key: value` of a dictionary whose key is no plain name.
    Entry(RecipeId, RecipeId),
    /// `*r`, `...r` among arguments or elements.
    Spread(RecipeId),
    /// The part at a position of a tuple, multi-value return or array.
    Part(RecipeId, u16),
    /// A function expression: its scope, and what it returns.
    Lambda(ScopeId, ListRange),
    /// One or the other: conditional expressions, `a or b`.
    Either(RecipeId, RecipeId),
    /// `self`, `this`: the value whose method this is.
    SelfValue,
    /// `Self`, `cls`, `static`: the type that encloses.
    SelfType,
    /// `super`, `base`, `parent`: the supertype's view of the receiver.
    Super,
    /// A type where a value is expected: `Foo.class`, `typeof(Foo)`, `Vec::<T>`.
    Type(TypeId),
    /// A callee with explicit type arguments: `f::<T>`, `f<T>`.
    TypeArguments(RecipeId, TypeListRange),
    /// A class or function written as an expression, or otherwise known without a look-up.
    Symbol(SymbolIndex),
    /// An arithmetic, comparison or logical operation; its kind where syntax alone tells it.
    Operation(RecipeId, RecipeId),
    /// What a call takes as its argument at a place: a parameter, seen from outside.
    Parameter(RecipeId, u16),
    /// The elements of a list or tuple from a position on: `r[1:]`, the rest of a pattern.
    Rest(RecipeId, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum LiteralKind {
    String,
    Integer,
    /// An integer of one digit, where a language keeps it: it may tell which element is meant.
    Digit(u8),
    Float,
    /// A boolean that the text does not tell: a comparison.
    Boolean,
    True,
    False,
    Null,
    Character,
    Regex,
    Bytes,
    Template,
}

/// Which call a function expression is handed to, and as which of its arguments: its parameters are
/// typed from there.
///
/// Where `call` is neither [`Recipe::Call`] nor [`Recipe::New`], the text says which value the
/// function becomes or what type it has (`const f: Handler = …`, `this.f = …`, `return …`): `call`
/// is a recipe of that value, and `argument` means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct LambdaContext {
    pub call: RecipeId,
    pub argument: u16,
}
