//! The facts of one file. Plain data: every list is in a stated order, every index points into a
//! list of the same facts.

use bitcode::{Decode, Encode};

use crate::{
    ImplicitKind, LambdaContext, LanguageId, LineIndex, ListRange, Modifiers, NameId, Names,
    Recipe, RecipeId, Role, Span, SymbolKind, TypeId, TypeListRange, TypeRecipe, Visibility,
};

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Facts {
    pub language: LanguageId,
    pub lines: LineIndex,
    /// Every byte is ASCII, so that byte columns are UTF-16 columns.
    pub is_ascii: bool,
    pub names: Names,
    /// In order of their start; a container precedes its members.
    pub symbols: Vec<Symbol>,
    /// In order of their start; the first is the file.
    pub scopes: Vec<Scope>,
    /// By name, then by `from`.
    pub bindings: Vec<Binding>,
    /// In order of appearance.
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// By name, then by start.
    pub references: Vec<Reference>,
    pub supertypes: Vec<Supertype>,
    pub annotations: Vec<Annotation>,
    /// By symbol.
    pub parameters: Vec<Parameter>,
    /// By symbol.
    pub type_parameters: Vec<TypeParameter>,
    /// By symbol, then in order of appearance.
    pub values: Vec<SymbolValue>,
    /// Children have smaller indexes than their parents; the first is `Unknown`.
    pub recipes: Vec<Recipe>,
    pub lists: Vec<RecipeId>,
    pub types: Vec<TypeRecipe>,
    pub type_lists: Vec<TypeId>,
    /// Comments and string literals, in order of their start, so that a word's occurrence in them
    /// can be told from code.
    pub trivia: Vec<Trivia>,
    /// What is thrown or raised, in order of start.
    pub thrown: Vec<ThrownValue>,
    /// Calls of what no name stands for, in order of start: `f()()`, `table[key]()`.
    pub value_calls: Vec<ValueCall>,
    /// What is put into elements and members of objects, in order of place.
    pub stores: Vec<StoredValue>,
    /// Where the language itself calls members of values, in order of start.
    pub implicit: Vec<ImplicitUse>,
    /// Starts of words that name nothing to look up: keyword arguments, jump labels, keys.
    pub labels: Vec<u32>,
    pub problems: Vec<Problem>,
}

/// An index into [`Facts::symbols`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct SymbolIndex(pub u32);

/// An index into [`Facts::scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct ScopeId(pub u32);

impl ScopeId {
    pub const FILE: ScopeId = ScopeId(0);
}

/// An index into [`Facts::bindings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct BindingId(pub u32);

/// Something that is defined and can be named from elsewhere, or a function or type inside a body.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Symbol {
    pub kind: SymbolKind,
    pub name: NameId,
    /// The symbol around it.
    pub parent: Option<SymbolIndex>,
    /// From its decorators, attributes and modifiers to its end, doc comment excluded.
    pub span: Span,
    pub name_span: Span,
    /// From its first modifier to where its body starts, decorators excluded.
    pub signature: Span,
    pub doc: Option<Span>,
    pub visibility: Visibility,
    pub modifiers: Modifiers,
    /// The scope in which its name is declared.
    pub declared_in: ScopeId,
    /// The scope it opens: members, parameters, locals.
    pub body: Option<ScopeId>,
    /// The type whose member it is although it is written elsewhere: a Go receiver, `Foo::bar` in C++,
    /// the self type of an impl, the receiver of an extension function.
    pub owner: TypeId,
    /// Declared type of a value, declared result of a callable, target of an alias, underlying type
    /// of an enum.
    pub ty: TypeId,
    /// A run of [`Facts::values`].
    pub values: ListRange,
    /// A run of [`Facts::parameters`].
    pub parameters: ListRange,
    /// A run of [`Facts::type_parameters`].
    pub type_parameters: ListRange,
}

/// A value that a symbol takes: what it is initialised with or assigned; for a callable, what it
/// returns or yields (a few of them).
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SymbolValue {
    pub recipe: RecipeId,
    /// Where the recipe is to be read.
    pub scope: ScopeId,
    pub at: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Parameter {
    /// Empty where the parameter is a pattern or has no name.
    pub name: NameId,
    pub ty: TypeId,
    pub flags: ParameterFlags,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Encode, Decode)]
pub struct ParameterFlags(pub u8);

impl ParameterFlags {
    /// May be left out.
    pub const OPTIONAL: ParameterFlags = ParameterFlags(1);
    /// Takes any number of arguments.
    pub const VARIADIC: ParameterFlags = ParameterFlags(2);
    /// Only by name.
    pub const KEYWORD_ONLY: ParameterFlags = ParameterFlags(4);
    /// The receiver written as a parameter: Python `self`, Rust `self`, C# `this T x`.
    pub const RECEIVER: ParameterFlags = ParameterFlags(8);
    /// Takes any number of named arguments: Python `**kwargs`, Ruby `**opts`.
    pub const KEYWORD_VARIADIC: ParameterFlags = ParameterFlags(16);
    /// A block or trailing function.
    pub const BLOCK: ParameterFlags = ParameterFlags(32);

    pub fn contains(self, other: ParameterFlags) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn insert(&mut self, other: ParameterFlags) {
        self.0 |= other.0;
    }

    pub fn insert_if(&mut self, other: ParameterFlags, condition: bool) {
        if condition {
            self.insert(other);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct TypeParameter {
    pub name: NameId,
    pub name_span: Span,
    /// What it must be: a run of [`Facts::type_lists`].
    pub bounds: TypeListRange,
    /// What it is where nothing is given for it.
    pub default: TypeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Scope {
    /// The scope around it; the file's is itself.
    pub parent: ScopeId,
    pub kind: ScopeKind,
    pub span: Span,
    /// The symbol that opens it.
    pub owner: Option<SymbolIndex>,
    /// For a function expression: the call it is handed to.
    pub context: Option<LambdaContext>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum ScopeKind {
    File,
    Namespace,
    Type,
    Function,
    Lambda,
    /// A block that runs as part of its function; whether it hides names is the language's affair.
    Block,
    /// One of several alternatives, or a body that may not run: what is bound in it does not end
    /// what was bound before.
    Branch,
}

/// A name given to a value inside a file: parameter, local, loop or pattern variable, a later
/// assignment, a narrowing.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Binding {
    pub name: NameId,
    pub kind: BindingKind,
    pub scope: ScopeId,
    pub name_span: Span,
    /// From here on it is what its name means; the scope's start for what is visible before it is
    /// written.
    pub from: u32,
    /// Declared type.
    pub ty: TypeId,
    /// What it was bound to, read just before `from`.
    pub value: RecipeId,
    /// Its place among the parameters of its function or lambda.
    pub parameter: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum BindingKind {
    Parameter,
    Local,
    /// Assigned again: the name was declared before, or the language does not declare.
    Assignment,
    Loop,
    Pattern,
    /// A test that narrows what an older binding may be, for one branch.
    Narrowing,
    /// Bound by `catch`, `except`, `rescue`.
    Caught,
    /// Means a name of the file from here on: Python and PHP `global`.
    Outer,
    /// Means a name of a function around from here on: Python `nonlocal`.
    Enclosing,
    /// A loop label or jump label.
    Label,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Import {
    pub kind: ImportKind,
    /// The module as written, without its relative prefix: `shop.cart`, `./cart`, `crate::cart`,
    /// `shop/cart.h`.
    pub module: NameId,
    /// Python's leading dots.
    pub level: u8,
    /// The item inside the module; absent when the module itself is meant.
    pub item: Option<NameId>,
    /// The name it has here; absent for globs, includes and side-effect imports.
    pub local: Option<NameId>,
    pub scope: ScopeId,
    /// The whole statement.
    pub span: Span,
    /// The imported name itself (item, else module).
    pub name_span: Span,
    /// The alias, where one is written.
    pub alias_span: Option<Span>,
    /// Can be imported from here in turn: `pub use`, `export … from`.
    pub reexported: bool,
}

/// The word that the path of a module ends in, without what follows a dot: `cart` of
/// `../shop/cart.service.js`, empty for `..`. Who imports a module is found by it where the import does
/// not name what it means.
pub fn module_word(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split('.').next().unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum ImportKind {
    /// `import a.b`, `import * as ns`, `import "fmt"`: binds a module.
    Module,
    /// `from m import x`, `import { x } from "m"`, `use a::b`, `import a.b.C`: binds an item, which
    /// may itself be a module.
    Item,
    /// `from m import *`, `use a::*`, `import a.b.*`, `using A.B`.
    Glob,
    /// Binds the default export.
    Default,
    /// Static members of a type: `import static a.B.c`, `using static`.
    Static,
    /// `#include`, `require "x"` where the text brings names into sight without binding one.
    Include,
    /// Rust `mod x;`: declares a module that is another file.
    ModuleFile,
}

/// A name under which something leaves its module: `export { a as b }`, `export default x`, `export
/// * from "m"`, `__all__`.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Export {
    /// `default` for the default export, `*` for everything, `=` for what the module itself is
    /// (`export =`, `module.exports =`).
    pub exported: NameId,
    /// The local name or, with `module`, the name inside that module; with `module` alone, the
    /// module itself (`export * as ns from`).
    pub local: Option<NameId>,
    /// An exported expression.
    pub value: RecipeId,
    /// Re-exported from there.
    pub module: Option<NameId>,
    pub name_span: Span,
}

/// A place that names something.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Reference {
    pub name: NameId,
    pub span: Span,
    pub role: Role,
    pub scope: ScopeId,
    /// The innermost symbol around it.
    pub enclosing: Option<SymbolIndex>,
    /// What it is a member of; absent for a bare name.
    pub receiver: Option<RecipeId>,
    /// For a call, an instantiation or an annotation with arguments: the recipe of the whole call,
    /// whose list holds the arguments. For a write: the value assigned, where a language keeps it (C
    /// a name, because functions are called through fields; Ruby a literal). For a bare name before a
    /// dot: the recipe of the member, where that tells a value from its type (C#).
    pub call: Option<RecipeId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Supertype {
    pub symbol: SymbolIndex,
    pub ty: TypeId,
    pub how: Inherit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Inherit {
    /// A base class, or a base whose nature the text does not tell.
    Extends,
    /// An interface, trait or protocol.
    Implements,
    /// Its members are mixed in or promoted: Ruby `include`, Go embedding, PHP `use`.
    Mixin,
}

/// A decorator, attribute or annotation with its arguments as a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Annotation {
    pub symbol: SymbolIndex,
    pub recipe: RecipeId,
    pub span: Span,
}

/// The expression of a `throw` or `raise`.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ThrownValue {
    pub recipe: RecipeId,
    pub span: Span,
}

/// A call whose callee is an expression without a name of its own, so that no [`Reference`] tells of
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ValueCall {
    /// The whole call.
    pub recipe: RecipeId,
    pub span: Span,
    pub scope: ScopeId,
    /// The innermost symbol around it.
    pub enclosing: Option<SymbolIndex>,
}

/// `target = value`, where the target is a [`Recipe::Index`] or a [`Recipe::Member`] of something
/// else than the receiver of a method, and the value may be or hold a function.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct StoredValue {
    pub target: RecipeId,
    pub value: RecipeId,
    pub scope: ScopeId,
    pub at: u32,
}

/// A place where the language calls a member of a value without naming it: a loop, an operator, an
/// index. Which member that is, [`crate::Protocols`] tell.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct ImplicitUse {
    pub kind: ImplicitKind,
    /// The operator as written, or what a value is converted to; [`crate::Protocols::ASYNC`] for a
    /// loop or block that waits; empty elsewhere.
    pub word: NameId,
    pub value: RecipeId,
    /// The other operand, or the index.
    pub other: RecipeId,
    /// Of the value; of an operation with its operands.
    pub span: Span,
    pub scope: ScopeId,
    /// The innermost symbol around it.
    pub enclosing: Option<SymbolIndex>,
}

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Trivia {
    pub kind: TriviaKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum TriviaKind {
    Comment,
    String,
}

/// Why part of a file, or all of it, could not be read as its language.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Problem {
    pub kind: ProblemKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum ProblemKind {
    /// The parser skipped this text.
    Syntax,
    /// The parser assumed something that is not there.
    Missing,
    /// Nested too deeply: symbols come from a line scan.
    TooDeep,
    /// Parsing took too long: symbols come from a line scan.
    Deadline,
    /// Bytes that are no UTF-8 were replaced.
    Encoding,
}

impl Facts {
    /// Bytes in memory, roughly.
    pub fn size_in_memory(&self) -> usize {
        fn of<T>(list: &[T]) -> usize {
            std::mem::size_of_val(list)
        }
        let names = self
            .names
            .iter()
            .map(|(_, name)| name.len() + 4)
            .sum::<usize>();
        let lists = of(&self.symbols)
            + of(&self.scopes)
            + of(&self.bindings)
            + of(&self.imports)
            + of(&self.exports)
            + of(&self.references);
        let rest = of(&self.recipes)
            + of(&self.types)
            + of(&self.trivia)
            + of(&self.parameters)
            + of(&self.lists)
            + of(&self.type_lists)
            + of(&self.value_calls)
            + of(&self.stores)
            + of(&self.implicit);
        names + lists + rest + 4 * self.lines.n_lines() as usize + 512
    }

    /// The names that are referred to, bound, imported, exported or defined, and the words of modules,
    /// each once: what a table of mentions lists.
    pub fn mentioned_names(&self) -> Vec<NameId> {
        let mut seen = vec![false; self.names.len()];
        let imports = self
            .imports
            .iter()
            .flat_map(|import| [Some(import.module), import.item, import.local])
            .flatten();
        let exports = self
            .exports
            .iter()
            .flat_map(|export| [Some(export.exported), export.local, export.module])
            .flatten();
        let names = self.symbols.iter().map(|symbol| symbol.name);
        let names = names.chain(self.references.iter().map(|reference| reference.name));
        let names = names.chain(self.bindings.iter().map(|binding| binding.name));
        let modules = self.imports.iter().map(|import| Some(import.module));
        let modules = modules.chain(self.exports.iter().map(|export| export.module));
        let words = modules.flatten().filter_map(|module| {
            let module = self.name(module);
            let word = module_word(module);
            (!word.is_empty() && word.len() < module.len()).then(|| self.names.find(word))?
        });
        for name in names.chain(imports).chain(exports).chain(words) {
            if let Some(seen) = seen.get_mut(name.0 as usize) {
                *seen = true;
            }
        }
        let seen = seen.iter().enumerate().filter(|(_, seen)| **seen);
        seen.map(|(i, _)| NameId(i as u32)).collect()
    }

    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    pub fn symbol(&self, index: SymbolIndex) -> &Symbol {
        &self.symbols[index.0 as usize]
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    pub fn recipe(&self, id: RecipeId) -> Recipe {
        self.recipes.get(id.0 as usize).copied().unwrap_or_default()
    }

    pub fn type_recipe(&self, id: TypeId) -> TypeRecipe {
        self.types.get(id.0 as usize).copied().unwrap_or_default()
    }

    pub fn list(&self, range: ListRange) -> &[RecipeId] {
        self.lists
            .get(range.start as usize..(range.start + range.len) as usize)
            .unwrap_or(&[])
    }

    pub fn type_list(&self, range: TypeListRange) -> &[TypeId] {
        self.type_lists
            .get(range.start as usize..(range.start + range.len) as usize)
            .unwrap_or(&[])
    }

    pub fn parameters(&self, symbol: &Symbol) -> &[Parameter] {
        let range = symbol.parameters;
        self.parameters
            .get(range.start as usize..(range.start + range.len) as usize)
            .unwrap_or(&[])
    }

    pub fn type_parameters(&self, symbol: &Symbol) -> &[TypeParameter] {
        let range = symbol.type_parameters;
        self.type_parameters
            .get(range.start as usize..(range.start + range.len) as usize)
            .unwrap_or(&[])
    }

    /// The references that have a name, in order.
    pub fn references_of(&self, name: NameId) -> &[Reference] {
        let start = self
            .references
            .partition_point(|reference| reference.name < name);
        let end = self
            .references
            .partition_point(|reference| reference.name <= name);
        &self.references[start..end]
    }

    /// The bindings of a name, in order of `from`.
    pub fn bindings_of(&self, name: NameId) -> &[Binding] {
        let start = self.bindings.partition_point(|binding| binding.name < name);
        let end = self
            .bindings
            .partition_point(|binding| binding.name <= name);
        &self.bindings[start..end]
    }

    pub fn values(&self, symbol: &Symbol) -> &[SymbolValue] {
        let range = symbol.values;
        self.values
            .get(range.start as usize..(range.start + range.len) as usize)
            .unwrap_or(&[])
    }

    pub fn symbols_with_index(&self) -> impl Iterator<Item = (SymbolIndex, &Symbol)> {
        self.symbols
            .iter()
            .enumerate()
            .map(|(i, symbol)| (SymbolIndex(i as u32), symbol))
    }

    /// The innermost scope that holds an offset.
    pub fn scope_at(&self, offset: u32) -> ScopeId {
        let mut best = ScopeId::FILE;
        for (i, scope) in self.scopes.iter().enumerate() {
            if scope.span.start > offset {
                break;
            }
            if scope.span.contains(offset) {
                best = ScopeId(i as u32);
            }
        }
        best
    }

    /// Names of the symbols around it and its own, outermost first.
    pub fn container_chain(&self, index: SymbolIndex) -> Vec<SymbolIndex> {
        let mut chain = vec![index];
        while let Some(parent) = self.symbol(chain[chain.len() - 1]).parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }
}
