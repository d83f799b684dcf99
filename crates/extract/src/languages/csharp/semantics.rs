//! How C# names are looked up, and what its library gives.

use facts::{
    BareNames, Checks, Construction, Declarations, EntryPoints, Exposure, Family, LibraryAlias,
    MemberVisibility, ModuleSystem, OperatorMembers, Overriding, Protocols, Semantics, TestRules,
};

/// Types that are keywords.
pub(super) const PREDEFINED: &[&str] = &[
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint", "object",
    "sbyte", "short", "string", "uint", "ulong", "ushort", "void",
];

/// Words that are never names. `base`, `this` and `new` do name what they call.
#[rustfmt::skip]
pub(super) const KEYWORDS: &[&str] = &[
    "abstract", "as", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const",
    "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event",
    "explicit", "extern", "false", "finally", "fixed", "float", "for", "foreach", "goto", "if",
    "implicit", "in", "int", "interface", "internal", "is", "lock", "long", "namespace", "null",
    "object", "operator", "out", "override", "params", "private", "protected", "public", "readonly",
    "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc", "static", "string",
    "struct", "switch", "throw", "true", "try", "typeof", "uint", "ulong", "unchecked", "unsafe",
    "ushort", "using", "virtual", "void", "volatile", "while",
];

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::DotNet,
    modules: ModuleSystem::DeclaredNamespaces,
    bare_names: BareNames::Members,
    extensions: true,
    construction: Construction {
        delegates: &["this", "base"],
        ..Construction::NONE
    },
    protocols: Protocols {
        index: &["this"],
        iterate: &["GetEnumerator"],
        step: &["Current"],
        advance: &["MoveNext"],
        call: &["Invoke"],
        enter: &["Dispose"],
        enter_async: &["DisposeAsync"],
        iterate_async: &["GetAsyncEnumerator"],
        step_async: &["MoveNextAsync"],
        wait: &["GetAwaiter"],
        operators: OPERATORS,
        conversions: &[("string", &["ToString"])],
        ..Protocols::NONE
    },
    members: MemberVisibility::Separate,
    overloads: true,
    overriding: Overriding::Declared,
    siblings_visible: true,
    declarations: Declarations {
        library_aliases: &[("Nullable", LibraryAlias::Optional)],
        ..Declarations::IN_NAMESPACES
    },
    #[rustfmt::skip]
    builtins: &[
        "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint",
        "object", "sbyte", "short", "string", "uint", "ulong", "ushort", "void", "dynamic", "var",
        "nameof", "global",
    ],
    standard_modules: &["System", "Microsoft", "Windows", "Internal", "Interop"],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        functions: &["Main"],
        members: &["Main", "Dispose", "DisposeAsync", "Deconstruct", "Finalize"],
        passive_annotations: &[
            "Obsolete",
            "MethodImpl",
            "DebuggerStepThrough",
            "DebuggerNonUserCode",
            "DebuggerDisplay",
            "ExcludeFromCodeCoverage",
            "SuppressMessage",
            "Pure",
            "NotNull",
            "CanBeNull",
            "EditorBrowsable",
            "Flags",
            "DoesNotReturn",
            "MemberNotNull",
        ],
        plain_bases: &["object", "Object"],
        tests: TestRules {
            set_up_annotations: &[
                "SetUp",
                "TearDown",
                "OneTimeSetUp",
                "OneTimeTearDown",
                "TestInitialize",
                "TestCleanup",
                "ClassInitialize",
                "ClassCleanup",
                "AssemblyInitialize",
                "AssemblyCleanup",
            ],
            set_up: &["Dispose", "DisposeAsync", "InitializeAsync"],
            provider_annotations: &["MemberData", "TestCaseSource", "DynamicData", "ValueSource"],
            makes_type: true,
            ..TestRules::NONE
        },
        exposure: Exposure::Marked,
        published_without_manifest: true,
        ..EntryPoints::NONE
    },
    checks: Checks {
        abstract_classes_declare: true,
        ..Checks::COMPILED
    },
    ..Semantics::USUAL
};

#[rustfmt::skip]
static OPERATORS: &[OperatorMembers] = &[
    OperatorMembers::new("+", &["operator+"], &["operator+"]).or_alone(&["operator+"]),
    OperatorMembers::new("-", &["operator-"], &["operator-"]).or_alone(&["operator-"]),
    OperatorMembers::new("*", &["operator*"], &["operator*"]),
    OperatorMembers::new("/", &["operator/"], &["operator/"]),
    OperatorMembers::new("%", &["operator%"], &["operator%"]),
    OperatorMembers::new("&", &["operator&"], &["operator&"]),
    OperatorMembers::new("|", &["operator|"], &["operator|"]),
    OperatorMembers::new("^", &["operator^"], &["operator^"]),
    OperatorMembers::new("<<", &["operator<<"], &["operator<<"]),
    OperatorMembers::new(">>", &["operator>>"], &["operator>>"]),
    OperatorMembers::new("==", &["operator=="], &["operator=="]),
    OperatorMembers::new("!=", &["operator!="], &["operator!="]),
    OperatorMembers::new("<", &["operator<"], &["operator<"]),
    OperatorMembers::new(">", &["operator>"], &["operator>"]),
    OperatorMembers::new("<=", &["operator<="], &["operator<="]),
    OperatorMembers::new(">=", &["operator>="], &["operator>="]),
    OperatorMembers::new("+=", &["operator+"], &["operator+"]),
    OperatorMembers::new("-=", &["operator-"], &["operator-"]),
    OperatorMembers::new("*=", &["operator*"], &["operator*"]),
    OperatorMembers::new("/=", &["operator/"], &["operator/"]),
    OperatorMembers::new("%=", &["operator%"], &["operator%"]),
    OperatorMembers::new("&=", &["operator&"], &["operator&"]),
    OperatorMembers::new("|=", &["operator|"], &["operator|"]),
    OperatorMembers::new("^=", &["operator^"], &["operator^"]),
    OperatorMembers::new("<<=", &["operator<<"], &["operator<<"]),
    OperatorMembers::new(">>=", &["operator>>"], &["operator>>"]),
    OperatorMembers::new("!", &[], &[]).or_alone(&["operator!"]),
    OperatorMembers::new("~", &[], &[]).or_alone(&["operator~"]),
    OperatorMembers::new("++", &[], &[]).or_alone(&["operator++"]),
    OperatorMembers::new("--", &[], &[]).or_alone(&["operator--"]),
];
