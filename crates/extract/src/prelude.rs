//! What the modules of a language use: facts, the walk that makes them, and shared handlers.

pub use std::borrow::Cow;

pub use facts::{
    Binding, BindingId, BindingKind, Export, ImplicitKind, Import, ImportKind, Inherit,
    LambdaContext, LanguageId, ListRange, LiteralKind, Modifiers, NameId, Parameter,
    ParameterFlags, ProblemKind, Recipe, RecipeId, Reference, Role, ScopeId, ScopeKind, Span,
    Symbol, SymbolIndex, SymbolKind, Trivia, TriviaKind, TypeId, TypeListRange, TypeRecipe,
    Visibility, module_word,
};

pub(crate) use crate::{
    handlers::{self as shared, NewParameter},
    language::Language,
    rules::Context,
    walk::{
        AssignedMember, Child, ChildOutcome, Frame, ObjectKey, Outcome, Pattern, PatternId,
        ReferenceId, Walk,
    },
};
