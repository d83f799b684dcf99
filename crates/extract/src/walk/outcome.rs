//! What a node amounts to for the node around it.

use facts::{BindingId, ListRange, NameId, RecipeId, Span, TypeId};

/// What a node amounts to for the node around it. Fields that do not apply stay empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The value of an expression.
    pub recipe: RecipeId,
    /// A type as written.
    pub ty: TypeId,
    /// The reference that names this value, so that the node around it can say how it is used.
    pub reference: Option<ReferenceId>,
    /// What a pattern binds.
    pub pattern: Option<PatternId>,
    /// Arguments, elements, parameters.
    pub list: ListRange,
}

impl Outcome {
    pub const NONE: Outcome = Outcome {
        recipe: RecipeId::UNKNOWN,
        ty: TypeId::UNKNOWN,
        reference: None,
        pattern: None,
        list: ListRange { start: 0, len: 0 },
    };

    pub fn recipe(recipe: RecipeId) -> Outcome {
        Outcome::NONE.with_recipe(recipe)
    }

    pub fn ty(ty: TypeId) -> Outcome {
        Outcome::NONE.with_ty(ty)
    }

    pub fn pattern(pattern: PatternId) -> Outcome {
        Outcome::NONE.with_pattern(pattern)
    }

    pub fn list(list: ListRange) -> Outcome {
        Outcome::NONE.with_list(list)
    }

    pub fn with_recipe(self, recipe: RecipeId) -> Outcome {
        Outcome { recipe, ..self }
    }

    pub fn with_ty(self, ty: TypeId) -> Outcome {
        Outcome { ty, ..self }
    }

    pub fn with_reference(self, reference: impl Into<Option<ReferenceId>>) -> Outcome {
        let reference = reference.into();
        Outcome { reference, ..self }
    }

    pub fn with_pattern(self, pattern: impl Into<Option<PatternId>>) -> Outcome {
        let pattern = pattern.into();
        Outcome { pattern, ..self }
    }

    pub fn with_list(self, list: ListRange) -> Outcome {
        Outcome { list, ..self }
    }

    /// A value that a reference names.
    pub fn named(recipe: RecipeId, reference: ReferenceId) -> Outcome {
        Outcome::recipe(recipe).with_reference(reference)
    }

    /// A type that a reference names, which may also be read as a value.
    pub fn named_type(recipe: RecipeId, ty: TypeId, reference: ReferenceId) -> Outcome {
        Outcome::named(recipe, reference).with_ty(ty)
    }
}

/// A reference made during this walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceId(pub(super) u32);

/// A pattern met during this walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternId(pub(super) u32);

#[derive(Clone, Debug)]
pub enum Pattern {
    /// Binds one name.
    Name(BindingId),
    /// By position: `(a, b)`, `[a, b]`.
    Tuple(Vec<PatternId>),
    /// By name: `{ a, b: c }`, `Point { x, y }`.
    Fields(Vec<(NameId, PatternId)>),
    /// The rest of a tuple: `*rest`, `...rest`.
    Rest(PatternId),
    /// The rest of a tuple as a list of what the whole holds.
    Items(PatternId),
    /// A variant or constructor around parts: `Some(x)`, `Point(x, y)`; the parts are those of a
    /// value of the type.
    Of(TypeId, Vec<PatternId>),
    /// Binds a name to the whole and goes on inside: `x @ Some(y)`. Also alternatives: `A(x) |
    /// B(x)`.
    Both(PatternId, PatternId),
    /// What an optional or result holds: `Some(x)`, `Ok(x)`.
    Inside(PatternId),
    /// What a method of the value gives: `Err(e)` is what `unwrap_err` gives.
    Given(NameId, PatternId),
}

/// A child that has been walked.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Empty where the child has no field.
    pub field: &'static str,
    pub kind: &'static str,
    pub span: Span,
    pub outcome: Outcome,
}

/// The outcome of a child that may be absent.
pub trait ChildOutcome {
    fn outcome(self) -> Outcome;
}

impl ChildOutcome for Option<Child> {
    fn outcome(self) -> Outcome {
        self.map_or(Outcome::NONE, |child| child.outcome)
    }
}

impl ChildOutcome for Option<&Child> {
    fn outcome(self) -> Outcome {
        self.copied().outcome()
    }
}
