//! What one file says: its symbols, scopes, bindings, imports, references and types, as a pure
//! function of its bytes. `extract` writes [`Facts`], `store` keeps them, `engine` reads them, and
//! those three do not know each other. [`Facts`] know no path, no repository and no language by
//! name; [`RepoPath`], [`ContentNumber`] and [`FileState`] say which file has which facts.

mod content;
mod encode;
mod entry_points;
mod facts;
mod file;
mod kinds;
mod lines;
mod names;
mod numbers;
mod recipe;
mod semantics;
mod sketch;
mod span;
mod text;
mod types;

pub use content::{ContentId, ContentNumber, FactsId, LanguageId};
pub use encode::{DecodeError, FORMAT_VERSION, decode, encode, encode_owned};
pub use entry_points::{EntryPoints, Exposure, TestRules};
pub use facts::{
    Annotation, Binding, BindingId, BindingKind, Export, Facts, ImplicitUse, Import, ImportKind,
    Inherit, Parameter, ParameterFlags, Problem, ProblemKind, Reference, Scope, ScopeId, ScopeKind,
    StoredValue, Supertype, Symbol, SymbolIndex, SymbolValue, ThrownValue, Trivia, TriviaKind,
    TypeParameter, ValueCall, module_word,
};
pub use file::{File, FileState, RepoPath, SkipReason, Skipped};
pub use kinds::{ImplicitKind, Modifiers, Role, SymbolKind, Visibility};
pub use lines::{LineIndex, Position};
pub use names::{NameId, Names};
pub use numbers::{read_number, write_number};
pub use recipe::{LambdaContext, ListRange, LiteralKind, Recipe, RecipeId};
pub use semantics::{
    ArgumentCheck, BareNames, Blocks, Checks, Construction, Declarations, Ending, Family,
    LibraryAlias, Linearization, MemberVisibility, Merging, ModuleSystem, Namespaces,
    OperatorMembers, Overriding, Protocols, SelfSpelling, Semantics, Structural, Unmarked,
};
pub use sketch::SymbolSketch;
pub use span::Span;
pub use text::{
    FieldCounts, N_FIELDS, Postings, SegmentContents, SegmentDocument, SegmentDocuments,
    TextDocument, TextMatches, TextSegment,
};
pub use types::{TypeId, TypeListRange, TypeRecipe};
