//! How Go names are looked up, and what its library gives.

use facts::{
    BareNames, Blocks, Construction, Family, Linearization, MemberVisibility, ModuleSystem,
    SelfSpelling, Semantics,
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
    separator: ".",
    blocks: Blocks::Scoped,
    bare_names: BareNames::Lexical,
    self_spelling: SelfSpelling::Keyword,
    self_types: &[],
    called_getters: false,
    // `T(x)` converts to `T`.
    construction: Construction {
        by_call: true,
        by_member: "",
        constructors: &[],
    },
    linearization: Linearization::ByDepth,
    // `T.Method` is a function.
    protocols: facts::Protocols::NONE,
    members: MemberVisibility::Open,
    overloads: false,
    structural: facts::Structural::Interfaces,
    siblings_visible: true,
    prototypes: false,
    declarations: facts::Declarations {
        members_in_directory: true,
        ..facts::Declarations::USUAL
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
};
