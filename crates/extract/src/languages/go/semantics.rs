//! How Go names are looked up, and what its library gives.

use facts::{
    Checks, Construction, Declarations, EntryPoints, Exposure, Family, Linearization,
    MemberVisibility, ModuleSystem, Overriding, Semantics, Structural, TestRules,
};

/// The types among the builtins.
#[rustfmt::skip]
pub(super) const TYPES: &[&str] = &[
    "any", "bool", "byte", "complex128", "complex64", "error", "float32", "float64", "int", "int16",
    "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32", "uint64", "uint8",
    "uintptr",
];

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Go,
    modules: ModuleSystem::GoPackages,
    // `T(x)` converts to `T`.
    construction: Construction::BY_CALL,
    linearization: Linearization::ByDepth,
    // `T.Method` is a function.
    members: MemberVisibility::Open,
    structural: Structural::Interfaces,
    overriding: Overriding::OfInterfaces,
    siblings_visible: true,
    declarations: Declarations {
        members_in_directory: true,
        ..Declarations::USUAL
    },
    #[rustfmt::skip]
    builtins: &[
        "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex",
        "complex128", "complex64", "copy", "delete", "error", "false", "float32", "float64", "imag",
        "int", "int16", "int32", "int64", "int8", "iota", "len", "make", "max", "min", "new", "nil",
        "panic", "print", "println", "real", "recover", "rune", "string", "true", "uint", "uint16",
        "uint32", "uint64", "uint8", "uintptr",
    ],
    #[rustfmt::skip]
    standard_modules: &[
        "C", "archive", "arena", "bufio", "builtin", "bytes", "cmp", "compress", "container",
        "context", "crypto", "database", "debug", "embed", "encoding", "errors", "expvar", "flag",
        "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps",
        "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices",
        "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time",
        "unicode", "unique", "unsafe", "weak",
    ],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        functions: &["main", "init"],
        tests: TestRules {
            not_tests: &["Benchmark"],
            set_up: &[
                "TestMain",
                "SetupTest",
                "TearDownTest",
                "SetupSuite",
                "TearDownSuite",
                "BeforeTest",
                "AfterTest",
                "SetupSubTest",
                "TearDownSubTest",
            ],
            ..TestRules::NONE
        },
        exposure: Exposure::Marked,
        internal_directory: "internal",
        programs_by_main: true,
        open_members: true,
        ..EntryPoints::NONE
    },
    // Interfaces are satisfied by structure: only an assignment fails.
    checks: Checks {
        closed_names: true,
        methods_through_types: true,
        implementations: false,
        ..Checks::COMPILED
    },
    ..Semantics::USUAL
};
