//! What runs although no code names it: tests, what prepares them, and what a language or its
//! libraries call by convention. Data of each language, for questions about tests and dead code.

/// One per language, in its [`crate::Semantics`].
#[derive(Debug)]
pub struct EntryPoints {
    /// Functions that a program or a package starts with: `main`, `init`.
    pub functions: &'static [&'static str],
    /// Members that the language or its standard library calls by their names: `readResolve`.
    pub members: &'static [&'static str],
    /// Names that start and end with this are the language's to call: `__len__`. Empty where there
    /// are none.
    pub affix: &'static str,
    /// Annotations that make nothing run: `@Override`, `#[inline]`. Every other one may hand what it
    /// marks to a library.
    pub passive_annotations: &'static [&'static str],
    /// Code asks for members by names that are made at run time (`getattr(self, "on_" + x)`).
    pub members_by_text: bool,
    /// Library types that call nothing of the types that extend them: `object`.
    pub plain_bases: &'static [&'static str],
    /// What of a package others can name.
    pub exposure: Exposure,
    /// Only the repository can import what is below a directory of this name. Empty where there is
    /// none.
    pub internal_directory: &'static str,
    /// A directory with a function `main` is a program, which nobody imports.
    pub programs_by_main: bool,
    /// Code without a manifest counts as a library: others include it as it is.
    pub published_without_manifest: bool,
    /// A type satisfies interfaces of libraries by its public members, without saying so.
    pub open_members: bool,
    /// A block of statements in a type runs when its file is loaded: `static { register(Cart) }`.
    pub type_blocks_run: bool,
    pub tests: TestRules,
}

/// What of a package others can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// All that is not marked as private.
    Unmarked,
    /// What is marked as public or protected.
    Marked,
    /// What a file exports.
    Exported,
    /// All that the linker sees.
    Linked,
}

impl EntryPoints {
    pub const NONE: EntryPoints = EntryPoints {
        functions: &[],
        members: &[],
        affix: "",
        passive_annotations: &[],
        members_by_text: false,
        plain_bases: &[],
        exposure: Exposure::Unmarked,
        internal_directory: "",
        programs_by_main: false,
        published_without_manifest: false,
        open_members: false,
        type_blocks_run: false,
        tests: TestRules::NONE,
    };
}

/// What a test is, besides symbols that are marked as tests, and what runs for it.
#[derive(Debug)]
pub struct TestRules {
    /// In files of tests, functions whose names start so are tests.
    pub functions: &'static [&'static str],
    /// Functions that a framework marks as tests and that are none when their names start so:
    /// benchmarks.
    pub not_tests: &'static [&'static str],
    /// Where it is not empty, only in types that extend a type whose name ends so.
    pub bases: &'static [&'static str],
    /// Calls that take a test as a function: `it("adds", () => …)`.
    pub blocks: &'static [&'static str],
    /// Calls that take a group of tests as a function: `describe`.
    pub groups: &'static [&'static str],
    /// Functions that run for every test of their type or file.
    pub set_up: &'static [&'static str],
    /// Annotations that say so of a function.
    pub set_up_annotations: &'static [&'static str],
    /// Annotations that make a function the value of parameters that have its name: `fixture`.
    pub fixture_annotations: &'static [&'static str],
    /// Annotations whose text names a function that gives the arguments of a test.
    pub provider_annotations: &'static [&'static str],
    /// Calls that define a member and run it before each test: `let!(:cart) { Cart.new }`.
    pub eager_definitions: &'static [&'static str],
    /// A type with tests is made anew for each of them: its constructors and fields run.
    pub makes_type: bool,
}

impl TestRules {
    pub const NONE: TestRules = TestRules {
        functions: &[],
        not_tests: &[],
        bases: &[],
        blocks: &[],
        groups: &[],
        set_up: &[],
        set_up_annotations: &[],
        fixture_annotations: &[],
        provider_annotations: &[],
        eager_definitions: &[],
        makes_type: false,
    };
}
