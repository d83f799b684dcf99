//! What a language does differently when its names are looked up, as data for an engine that knows
//! no language.

use crate::{EntryPoints, Modifiers};

/// One per language; `extract` holds the values.
#[derive(Debug)]
pub struct Semantics {
    /// Languages of one family may refer to one another: TypeScript and JavaScript, C and C++, Java
    /// and Kotlin.
    pub family: Family,
    pub modules: ModuleSystem,
    /// Between the parts of a qualified name: `.` or `::`.
    pub separator: &'static str,
    pub blocks: Blocks,
    pub bare_names: BareNames,
    pub self_spelling: SelfSpelling,
    /// Names that in type position mean the type around: `Self`, `static`.
    pub self_types: &'static [&'static str],
    /// Reading a property is written as a call: Ruby.
    pub called_getters: bool,
    /// Functions can be declared outside of a type and called as its members: C#, Kotlin.
    pub extensions: bool,
    pub construction: Construction,
    pub linearization: Linearization,
    pub protocols: Protocols,
    pub members: MemberVisibility,
    /// Several callables of one name in one type or module are told apart by their parameters.
    pub overloads: bool,
    pub structural: Structural,
    pub overriding: Overriding,
    /// A symbol of a file is seen by every file of its module without an import: Go packages, Java
    /// packages, C# namespaces.
    pub siblings_visible: bool,
    /// A declaration and a definition of one name are one symbol: C and C++ prototypes.
    pub prototypes: bool,
    pub declarations: Declarations,
    pub checks: Checks,
    pub entry_points: EntryPoints,
    /// Names that the language itself or its prelude provides.
    pub builtins: &'static [&'static str],
    /// Modules of the standard library, by their first segment.
    pub standard_modules: &'static [&'static str],
    /// The language's `shapes.txt`; `engine/src/resolve/infer/shapes.rs` has the notation.
    pub shapes: &'static str,
}

impl Semantics {
    /// What most languages do, to be completed with what one does differently.
    pub const USUAL: Semantics = Semantics {
        family: Family::None,
        modules: ModuleSystem::None,
        separator: ".",
        blocks: Blocks::Scoped,
        bare_names: BareNames::Lexical,
        self_spelling: SelfSpelling::Keyword,
        self_types: &[],
        called_getters: false,
        extensions: false,
        construction: Construction::NONE,
        linearization: Linearization::DepthFirst,
        protocols: Protocols::NONE,
        members: MemberVisibility::Open,
        overloads: false,
        structural: Structural::Never,
        overriding: Overriding::ByName,
        siblings_visible: false,
        prototypes: false,
        declarations: Declarations::USUAL,
        checks: Checks::NONE,
        entry_points: EntryPoints::NONE,
        builtins: &[],
        standard_modules: &[],
        shapes: "",
    };

    /// Whether code can name a symbol with these modifiers.
    pub fn is_nameable(&self, modifiers: Modifiers) -> bool {
        !(self.declarations.unnamed_tests && modifiers.contains(Modifiers::TEST))
    }

    /// A call of a bare name means a method even where a variable has the name: Java.
    pub fn calls_mean_methods(&self) -> bool {
        self.family == Family::Jvm && !self.construction.by_call
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Python,
    JavaScript,
    Jvm,
    DotNet,
    Rust,
    Go,
    C,
    Ruby,
    Php,
    /// Configuration, documents and languages without resolution.
    None,
}

/// How a module is named and found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuleSystem {
    /// A file is a module, named by its path below a source root; a directory with `__init__` is a
    /// package.
    PythonPackages,
    /// A file is a module, named by a path or a package specifier.
    EcmaScript,
    /// Modules form a tree from a crate root; `mod x;` finds the file.
    RustCrates,
    /// A directory is a package, named by the module file's path and the directory.
    GoPackages,
    /// Files say which namespace they add to; directories mean nothing.
    DeclaredNamespaces,
    /// `#include` brings a file's text into sight.
    Includes,
    /// All constants of a program share one tree of names.
    GlobalConstants,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// A block hides what is bound in it.
    Scoped,
    /// Names belong to the whole function, wherever they are bound.
    Function,
}

/// What a bare name inside a type's body may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareNames {
    /// Members only through a receiver: Python, JavaScript, Rust, Go, PHP.
    Lexical,
    /// Members of the enclosing types and their supertypes: Java, C#, Kotlin, C++, Ruby.
    Members,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfSpelling {
    /// A keyword; extraction writes `SelfValue`.
    Keyword,
    /// The first parameter of a method: Python.
    FirstParameter,
}

/// Which types are satisfied by having their methods, without a word in the type that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structural {
    Never,
    /// Every interface: Go.
    Interfaces,
    /// Types that extend a library type of this name: Python's `Protocol`.
    Base(&'static str),
}

/// Which members of a type take the place of those that it inherits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// Those of one name: Java, Python.
    ByName,
    /// Those that say so, of members that say that they may be overridden: C#, Kotlin. Members of
    /// interfaces need not say it.
    Declared,
    /// Those of one name as a member that is virtual, which makes them virtual: C++.
    OfVirtual,
    /// Members of interfaces only. A type that is embedded calls its own: Go.
    OfInterfaces,
}

/// How objects are made and what runs then.
#[derive(Debug)]
pub struct Construction {
    /// `Foo(...)` makes a `Foo` when `Foo` is a type.
    pub by_call: bool,
    /// `Foo.new(...)` makes a `Foo` where `Foo` declares no such member: Ruby. Empty where there is
    /// no such member.
    pub by_member: &'static str,
    /// Names of members that run on construction, besides symbols of kind `Constructor`.
    pub constructors: &'static [&'static str],
    /// Where an object of a class is wanted, a value that one of its constructors takes alone will
    /// do: C++.
    pub converts: bool,
    /// Words that run another constructor of the object that is made: `this(…)`, `base(…)`.
    pub delegates: &'static [&'static str],
}

impl Construction {
    /// Only by a keyword: `new Foo()`.
    pub const NONE: Construction = Construction {
        by_call: false,
        by_member: "",
        constructors: &[],
        converts: false,
        delegates: &[],
    };
    pub const BY_CALL: Construction = Construction {
        by_call: true,
        ..Construction::NONE
    };
}

/// Names of members that the language itself calls, in the order in which they are looked for.
#[derive(Debug)]
pub struct Protocols {
    /// `value[i]` calls one of them.
    pub index: &'static [&'static str],
    /// `value[i] = x` calls one of them.
    pub store: &'static [&'static str],
    /// `del value[i]` calls one of them.
    pub delete: &'static [&'static str],
    /// Iterating over a value calls one of them for what is stepped through.
    pub iterate: &'static [&'static str],
    /// What iterating calls besides on the value: `end`.
    pub iterate_with: &'static [&'static str],
    /// Where a value steps by itself, one of them gives the next item.
    pub step: &'static [&'static str],
    /// What stepping calls besides: `hasNext`.
    pub advance: &'static [&'static str],
    /// A value that gives no iterator is stepped through by index.
    pub iterates_by_index: bool,
    /// A type that is thrown as it is makes an object: `raise C`.
    pub raises_types: bool,
    /// `value(…)` calls one of them.
    pub call: &'static [&'static str],
    /// Members that a value lacks are those of what one of these gives: `operator->`.
    pub hands_on: &'static [&'static str],
    /// A block that holds a value calls all of them that there are: `__enter__`, `Dispose`.
    pub enter: &'static [&'static str],
    /// The same where the block waits: `async with`, `await using`.
    pub enter_async: &'static [&'static str],
    /// What a loop that waits calls, and what it steps with: `async for`, `for await`.
    pub iterate_async: &'static [&'static str],
    pub step_async: &'static [&'static str],
    /// `await value` calls one of them.
    pub wait: &'static [&'static str],
    pub ending: Ending,
    pub operators: &'static [OperatorMembers],
    /// Functions outside of types may be operators, of one or two parameters.
    pub free_operators: bool,
    /// What a value is converted to, or the function of the library that converts its argument, and
    /// the members of which it calls one.
    pub conversions: &'static [(&'static str, &'static [&'static str])],
    /// Functions of the library that step through their arguments as loops do.
    pub iterating: &'static [&'static str],
    /// The methods of library interfaces that a function may be given for: `Comparator.compare`.
    pub functional: &'static [&'static str],
}

/// What runs when a local variable ends with its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing, or what nobody can tell when.
    Silent,
    /// A member of this name, of values that are named to be held only: `let _guard = …`. Others may
    /// be moved before.
    Held(&'static str),
    /// `~Type`, of everything that is no pointer and no reference.
    Destructor,
}

/// What an operator calls.
#[derive(Clone, Copy, Debug)]
pub struct OperatorMembers {
    pub written: &'static str,
    /// The left operand has one of them, or the right one where `on_right`.
    pub members: &'static [&'static str],
    /// Else the right operand has one of them.
    pub reflected: &'static [&'static str],
    /// The only operand has one of them.
    pub alone: &'static [&'static str],
    /// `x in values`.
    pub on_right: bool,
}

impl OperatorMembers {
    pub const fn new(
        written: &'static str,
        members: &'static [&'static str],
        reflected: &'static [&'static str],
    ) -> OperatorMembers {
        OperatorMembers {
            written,
            members,
            reflected,
            alone: &[],
            on_right: false,
        }
    }

    /// With members that the operator calls on an only operand.
    pub const fn or_alone(mut self, alone: &'static [&'static str]) -> OperatorMembers {
        self.alone = alone;
        self
    }
}

impl Protocols {
    pub const NONE: Protocols = Protocols {
        index: &[],
        store: &[],
        delete: &[],
        iterate: &[],
        iterate_with: &[],
        step: &[],
        advance: &[],
        iterates_by_index: false,
        raises_types: false,
        call: &[],
        hands_on: &[],
        enter: &[],
        enter_async: &[],
        iterate_async: &[],
        step_async: &[],
        wait: &[],
        ending: Ending::Silent,
        operators: &[],
        free_operators: false,
        conversions: &[],
        iterating: &[],
        functional: &[],
    };

    /// The word of a loop or block that waits.
    pub const ASYNC: &'static str = "async";

    /// What an operator calls, where a type can say.
    pub fn operator(&self, written: &str) -> Option<&'static OperatorMembers> {
        let mut operators = self.operators.iter();
        operators.find(|operator| operator.written == written)
    }

    /// The members that convert a value to something.
    pub fn conversion(&self, to: &str) -> &'static [&'static str] {
        let mut conversions = self.conversions.iter();
        let found = conversions.find(|(word, _)| *word == to);
        found.map_or(&[], |(_, members)| members)
    }

    /// Whether the language calls members of a name by itself.
    pub fn calls_members_named(&self, name: &str) -> bool {
        let lists = [
            self.index,
            self.store,
            self.delete,
            self.iterate,
            self.iterate_with,
            self.step,
            self.advance,
            self.enter,
            self.enter_async,
            self.iterate_async,
            self.step_async,
            self.wait,
        ];
        let is_ending = match self.ending {
            Ending::Silent => false,
            Ending::Held(member) => member == name,
            Ending::Destructor => name.starts_with('~'),
        };
        let operators = self.operators.iter();
        let operators =
            operators.flat_map(|operator| [operator.members, operator.reflected, operator.alone]);
        let conversions = self.conversions.iter().map(|(_, members)| *members);
        let all = lists.into_iter().chain(operators).chain(conversions);
        is_ending || all.into_iter().any(|members| members.contains(&name))
    }
}

/// Which mistakes a language reports itself, before a program runs or when it does. Only those can be
/// called certain when a change makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// A compiler knows the type of every value.
    pub typed: bool,
    /// A bare name or an imported name that means nothing.
    pub names: bool,
    /// What a bare name means is declared in the repository, imported by its name or as a part of all
    /// that a module has, or built into the language.
    pub closed_names: bool,
    /// A member that a known type does not have.
    pub members: bool,
    pub arguments: ArgumentCheck,
    /// Methods may be defined by calls that do not tell what they take: `scope :active, ->(user) { }`.
    pub methods_by_macros: bool,
    /// Words by which code says that it wants a call to fail.
    pub argument_errors: &'static [&'static str],
    /// A method that is called through its type takes the value as its first argument, although its
    /// receiver is no parameter: Go.
    pub methods_through_types: bool,
    /// Members that are given their receiver as an argument by all that name them: `__new__`.
    pub given_receiver: &'static [&'static str],
    /// A concrete type without a member that its supertypes leave open, and a member that says it
    /// overrides and does not.
    pub implementations: bool,
    /// A class that declares no constructor has one without parameters: Java.
    pub classes_take_nothing: bool,
    /// A class that cannot be made must declare what its interfaces ask for.
    pub abstract_classes_declare: bool,
    /// What implements or overrides a member may take fewer parameters than the member: TypeScript.
    pub fewer_parameters: bool,
    /// Two definitions of one name in one scope.
    pub duplicates: bool,
    /// Who sees a symbol that says nothing about it.
    pub unmarked: Unmarked,
    /// Members that every object has, besides those that the shapes of the library tell.
    pub object_members: &'static [&'static str],
    /// Members that answer for those that are not there: `__getattr__`.
    pub dynamic_members: &'static [&'static str],
}

impl Checks {
    pub const NONE: Checks = Checks {
        typed: false,
        names: false,
        closed_names: false,
        members: false,
        arguments: ArgumentCheck::Never,
        methods_by_macros: false,
        argument_errors: &[],
        methods_through_types: false,
        given_receiver: &[],
        implementations: false,
        classes_take_nothing: false,
        abstract_classes_declare: false,
        fewer_parameters: false,
        duplicates: false,
        unmarked: Unmarked::Public,
        object_members: &[],
        dynamic_members: &[],
    };
    /// A compiler that knows every type.
    pub const COMPILED: Checks = Checks {
        typed: true,
        names: true,
        members: true,
        arguments: ArgumentCheck::Exact,
        implementations: true,
        duplicates: true,
        ..Checks::NONE
    };
}

/// Which calls are mistakes by the number and the names of their arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentCheck {
    /// Too many, too few, and names that no parameter has.
    Exact,
    /// Too few.
    AtLeast,
    Never,
}

/// Who sees a symbol that is declared without a word about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmarked {
    /// Everybody, or nothing can be said.
    Public,
    /// The files of its package or namespace.
    Package,
    /// Its own module and those inside of it.
    Module,
}

/// What declarations of a language do that those of most do not.
#[derive(Debug)]
pub struct Declarations {
    pub namespaces: Namespaces,
    /// All files share one space of names: a name may mean any symbol of the program.
    pub global_names: bool,
    /// Which declarations of one name are one type, besides those marked as partial.
    pub merging: Merging,
    /// Keywords that start a path: `crate`.
    pub path_keywords: &'static [&'static str],
    /// Type parameters are variables of the file: `T = TypeVar("T")`.
    pub variables_as_type_parameters: bool,
    /// An annotation never means a module: `#[test]` beside `mod test`.
    pub annotations_skip_modules: bool,
    /// A prototype and a definition of one name are one function where their parameter types agree;
    /// elsewhere one body serves all signatures of as many parameters.
    pub prototypes_by_types: bool,
    /// Members of a type are written in blocks apart from it.
    pub impls: bool,
    /// Members that are written outside of their type are in its directory.
    pub members_in_directory: bool,
    /// Fields hold functions that are assigned by name, and calls through them run those.
    pub functions_in_fields: bool,
    /// A function that is `static` and no member belongs to its file.
    pub functions_of_file: bool,
    /// An array is used as a pointer to its first element: `T x[1]; x->field`.
    pub arrays_decay: bool,
    /// The members of a plain enum are names of the scope around the enum.
    pub enum_members_outside: bool,
    /// No code can name a test case: the macro `TEST(Cart, adds)` gives it another name.
    pub unnamed_tests: bool,
    /// Iterating over a type gives its values: enumerations of Python.
    pub iterable_types: bool,
    /// A function that assigns members to `this` is a type: `function Cart() { this.items = [] }`.
    pub constructor_functions: bool,
    /// A value of several types at once has the members of each; elsewhere one of the types tells
    /// them.
    pub joined_intersections: bool,
    /// A member that a library's type does not have is an entry of it: `record.name`.
    pub members_by_index: bool,
    /// In a namespace, types of the language and of no namespace are named by their path:
    /// `\Exception`.
    pub global_types_by_path: bool,
    /// Generic library types that are aliases of something made of their first argument.
    pub library_aliases: &'static [(&'static str, LibraryAlias)],
    /// Interfaces that are declared once for all files.
    pub global_types: &'static [&'static str],
}

/// What a generic library type is an alias of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryAlias {
    /// Its argument: `Partial<Cart>`.
    Argument,
    /// Its argument or nothing: `Nullable<int>`.
    Optional,
    /// The type itself that its argument names: `type[Cart]`.
    Type,
}

impl Declarations {
    pub const USUAL: Declarations = Declarations {
        namespaces: Namespaces::None,
        global_names: false,
        merging: Merging::Partial,
        path_keywords: &[],
        variables_as_type_parameters: false,
        annotations_skip_modules: false,
        prototypes_by_types: false,
        impls: false,
        members_in_directory: false,
        functions_in_fields: false,
        functions_of_file: false,
        arrays_decay: false,
        enum_members_outside: false,
        unnamed_tests: false,
        iterable_types: false,
        constructor_functions: false,
        joined_intersections: false,
        members_by_index: false,
        global_types_by_path: false,
        library_aliases: &[],
        global_types: &[],
    };
    /// Namespaces that files declare.
    pub const IN_NAMESPACES: Declarations = Declarations {
        namespaces: Namespaces::Declared,
        ..Declarations::USUAL
    };
    /// C and C++.
    pub const IN_HEADERS: Declarations = Declarations {
        namespaces: Namespaces::Spelled,
        global_names: true,
        prototypes_by_types: true,
        functions_in_fields: true,
        functions_of_file: true,
        arrays_decay: true,
        enum_members_outside: true,
        unnamed_tests: true,
        ..Declarations::USUAL
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespaces {
    None,
    /// A name that nothing declares may be the first part of a namespace's path.
    Spelled,
    /// Besides, files say which namespace they add to, and import whole namespaces at once.
    Declared,
}

/// Which declarations of one name are one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Those that say so.
    Partial,
    /// All of a file.
    File,
    /// All of the program.
    Program,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearization {
    /// Python.
    C3,
    /// Superclasses first, then interfaces, depth first.
    DepthFirst,
    /// Nearest embedding depth wins: Go.
    ByDepth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberVisibility {
    /// Static members through the type, others through values.
    Separate,
    /// Whatever is there: Python, Ruby, JavaScript.
    Open,
}
