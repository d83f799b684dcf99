//! The closed lists: what a symbol is, how a reference uses it, who may see it.

use bitcode::{Decode, Encode};

/// What a symbol is, in every language. `docs/contracts/kinds.md` maps these to each contract's own
/// kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum SymbolKind {
    /// A module declared in the text: Rust `mod`, TypeScript `module`, Ruby `module` is a `Trait`.
    Module,
    /// A namespace or package clause: C#, C++, PHP, Java, Kotlin.
    Namespace,
    Class,
    Struct,
    Interface,
    Trait,
    Enum,
    EnumMember,
    Union,
    Record,
    /// A named singleton: Kotlin `object`, Scala `object`.
    Object,
    TypeAlias,
    /// A named function type: C# `delegate`.
    Delegate,
    /// A block of members for a type declared elsewhere: Rust `impl`, Swift `extension`, C#
    /// `extension`.
    Impl,
    Function,
    Method,
    Constructor,
    Property,
    Field,
    Constant,
    Variable,
    Event,
    Indexer,
    Operator,
    Macro,
    /// A heading of a document.
    Heading,
    /// A key of a configuration or data file.
    Key,
    /// A table, message, rule, element: something named in a file that is not program code.
    Element,
}

impl SymbolKind {
    pub const ALL: &'static [SymbolKind] = {
        use SymbolKind::*;
        &[
            Module,
            Namespace,
            Class,
            Struct,
            Interface,
            Trait,
            Enum,
            EnumMember,
            Union,
            Record,
            Object,
            TypeAlias,
            Delegate,
            Impl,
            Function,
            Method,
            Constructor,
            Property,
            Field,
            Constant,
            Variable,
            Event,
            Indexer,
            Operator,
            Macro,
            Heading,
            Key,
            Element,
        ]
    };

    /// The word used in case files and on the command line.
    pub fn as_str(self) -> &'static str {
        use SymbolKind::*;
        match self {
            Module => "module",
            Namespace => "namespace",
            Class => "class",
            Struct => "struct",
            Interface => "interface",
            Trait => "trait",
            Enum => "enum",
            EnumMember => "enum_member",
            Union => "union",
            Record => "record",
            Object => "object",
            TypeAlias => "type_alias",
            Delegate => "delegate",
            Impl => "impl",
            Function => "function",
            Method => "method",
            Constructor => "constructor",
            Property => "property",
            Field => "field",
            Constant => "constant",
            Variable => "variable",
            Event => "event",
            Indexer => "indexer",
            Operator => "operator",
            Macro => "macro",
            Heading => "heading",
            Key => "key",
            Element => "element",
        }
    }

    /// Can have members that are looked up through it.
    pub fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(
            self,
            Class
                | Struct
                | Interface
                | Trait
                | Enum
                | Union
                | Record
                | Object
                | TypeAlias
                | Delegate
        )
    }

    /// Has a body that runs when it is called.
    pub fn is_callable(self) -> bool {
        use SymbolKind::*;
        matches!(
            self,
            Function | Method | Constructor | Operator | Macro | Indexer
        )
    }

    /// Holds a value: reading it gives the value, not a call.
    pub fn is_value(self) -> bool {
        use SymbolKind::*;
        matches!(
            self,
            Property | Field | Constant | Variable | Event | EnumMember
        )
    }

    pub fn is_container(self) -> bool {
        use SymbolKind::*;
        self.is_type() || matches!(self, Module | Namespace | Impl)
    }
}

/// How a reference uses what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Role {
    Call,
    Read,
    Write,
    /// `new Foo()`, `Foo { .. }`, `Foo(..)` where the syntax alone says that an object is made.
    Instantiate,
    TypeUse,
    /// The name of a supertype in a class header or of the trait in an impl header.
    Inherit,
    Import,
    /// A decorator, attribute or annotation.
    Annotation,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Call => "call",
            Role::Read => "read",
            Role::Write => "write",
            Role::Instantiate => "instantiate",
            Role::TypeUse => "type",
            Role::Inherit => "inherit",
            Role::Import => "import",
            Role::Annotation => "annotation",
        }
    }
}

/// What makes the language call a member of a value that the text does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum ImplicitKind {
    /// A loop, a comprehension, a spread, a call that steps through its argument.
    Iterate,
    /// `with`, `using`, `try (…)`: what prepares a value and what releases it.
    Enter,
    /// An operator between two values.
    Operator,
    /// An operator before a value, or after it.
    Unary,
    /// `value[i]`.
    Index,
    /// `value[i] = x`.
    Store,
    /// `del value[i]`.
    Delete,
    /// `str(value)`, a value in a text, a value as a condition, a conversion that a type declares.
    Convert,
    Await,
    /// The type itself is thrown: `raise C` makes a `C`.
    Raise,
    /// A property is read or written.
    Access,
    /// A value ends with its scope.
    Drop,
}

impl ImplicitKind {
    /// The word of the answers, after what is written.
    pub fn as_str(self) -> &'static str {
        match self {
            ImplicitKind::Iterate => "for",
            ImplicitKind::Enter => "with",
            ImplicitKind::Operator | ImplicitKind::Unary => "operator",
            ImplicitKind::Index | ImplicitKind::Store | ImplicitKind::Delete => "index",
            ImplicitKind::Convert => "conversion",
            ImplicitKind::Await => "await",
            ImplicitKind::Raise => "raise",
            ImplicitKind::Access => "property",
            ImplicitKind::Drop => "drop",
        }
    }
}

/// Who may see a symbol, as the language says it; `Default` where nothing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Visibility {
    #[default]
    Default,
    Public,
    /// `pub(crate)`, `internal`, Java's package-private when written, Go's lower-case names.
    Internal,
    Protected,
    Private,
}

impl Visibility {
    pub fn as_str(self) -> &'static str {
        match self {
            Visibility::Default => "default",
            Visibility::Public => "public",
            Visibility::Internal => "internal",
            Visibility::Protected => "protected",
            Visibility::Private => "private",
        }
    }
}

/// A set of modifiers of a symbol.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct Modifiers(pub u32);

macro_rules! modifiers {
    ($($name:ident = $bit:literal, $word:literal, $doc:literal;)*) => {
        impl Modifiers {
            $(#[doc = $doc] pub const $name: Modifiers = Modifiers(1 << $bit);)*
            const WORDS: &'static [(Modifiers, &'static str)] = &[$((Modifiers::$name, $word)),*];
        }
    };
}

modifiers! {
    STATIC = 0, "static", "Belongs to the type, not to an instance.";
    ABSTRACT = 1, "abstract", "Declared without a body, to be implemented.";
    ASYNC = 2, "async", "Calling it gives a promise, task, future or coroutine.";
    OVERRIDE = 3, "override", "Says of itself that it overrides.";
    VIRTUAL = 4, "virtual", "May be overridden.";
    FINAL = 5, "final", "May not be overridden or reassigned.";
    CONST = 6, "const", "Compile-time constant or `const` function.";
    PARTIAL = 7, "partial", "One of several parts of the same symbol.";
    EXTENSION = 8, "extension", "Called on a receiver type that does not declare it.";
    EXPORTED = 9, "exported", "Leaves its module under its own name.";
    DEFAULT_EXPORT = 10, "default", "Leaves its module as the default export.";
    GETTER = 11, "getter", "Called by reading a property.";
    SETTER = 12, "setter", "Called by writing a property.";
    GENERATOR = 13, "generator", "Calling it gives an iterator of what it yields.";
    PROTOTYPE = 14, "prototype", "A declaration whose definition is elsewhere: C prototype, `declare`, overload signature.";
    TEST = 15, "test", "A test by its syntax: `#[test]`, `@Test`, `TEST(..)`.";
    DEPRECATED = 16, "deprecated", "Marked as deprecated.";
    LOCAL = 17, "local", "Declared inside a function body.";
    CLASS_METHOD = 18, "classmethod", "Receives the type itself: Python `@classmethod`, Ruby `def self.x`.";
    OPTIONAL = 19, "optional", "May be absent: TypeScript `x?`.";
    CONSTRUCTOR_PARAMETER = 20, "constructor_parameter", "A field declared by a constructor's parameter list.";
    EXTERN = 21, "extern", "Defined by others: `extern \"C\"`, JNI `native`, inside of TypeScript's `declare global`.";
    MUTABLE = 22, "mutable", "May be reassigned where the language asks to say so.";
    SYNTHETIC = 23, "synthetic", "Not written as such: what the language adds.";
    EMBEDDED = 24, "embedded", "A Go embedded field: its members are promoted.";
    ANONYMOUS = 25, "anonymous", "Has no name of its own in the text.";
    IN_MACRO = 26, "in_macro", "Written in the arguments of a macro call, or made by one: Rust.";
}

impl Modifiers {
    pub fn contains(self, other: Modifiers) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn insert(&mut self, other: Modifiers) {
        self.0 |= other.0;
    }

    pub fn insert_if(&mut self, other: Modifiers, condition: bool) {
        if condition {
            self.insert(other);
        }
    }

    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Modifiers::WORDS
            .iter()
            .filter(move |(modifier, _)| self.contains(*modifier))
            .map(|(_, word)| *word)
    }
}

impl std::ops::BitOr for Modifiers {
    type Output = Modifiers;

    fn bitor(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }
}

impl std::fmt::Debug for Modifiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.words()).finish()
    }
}
