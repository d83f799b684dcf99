//! How Rust names are looked up, and what its library gives.

use facts::{
    Checks, Construction, Declarations, Ending, EntryPoints, Exposure, Family, MemberVisibility,
    ModuleSystem, OperatorMembers, Protocols, Semantics, Unmarked,
};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Rust,
    modules: ModuleSystem::RustCrates,
    separator: "::",
    self_types: &["Self"],
    // `Meters(3)` for a tuple struct.
    construction: Construction::BY_CALL,
    protocols: Protocols {
        index: &["index"],
        store: &["index_mut"],
        iterate: &["into_iter", "iter"],
        step: &["next"],
        wait: &["into_future", "poll"],
        operators: OPERATORS,
        ending: Ending::Held("drop"),
        ..Protocols::NONE
    },
    members: MemberVisibility::Separate,
    declarations: Declarations {
        path_keywords: &["self", "super", "crate", "$crate"],
        annotations_skip_modules: true,
        impls: true,
        ..Declarations::USUAL
    },
    // The prelude of the 2024 edition, primitive types, and (with their `!`) the macros of the
    // standard library.
    #[rustfmt::skip]
    builtins: &[
        "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Box", "Clone", "Copy", "Debug",
        "Default", "DoubleEndedIterator", "Drop", "Eq", "Err", "ExactSizeIterator", "Extend", "Fn",
        "FnMut", "FnOnce", "From", "FromIterator", "Future", "Hash", "Into", "IntoFuture",
        "IntoIterator", "Iterator", "None", "Ok", "Option", "Ord", "PartialEq", "PartialOrd",
        "Result", "Send", "Sized", "Some", "String", "Sync", "ToOwned", "ToString", "TryFrom",
        "TryInto", "Unpin", "Vec", "align_of", "align_of_val", "drop", "size_of", "size_of_val",
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
        "u16", "u32", "u64", "u8", "usize", "assert!", "assert_eq!", "assert_ne!", "cfg!",
        "column!", "compile_error!", "concat!", "dbg!", "debug_assert!", "debug_assert_eq!",
        "debug_assert_ne!", "env!", "eprint!", "eprintln!", "file!", "format!", "format_args!",
        "include!", "include_bytes!", "include_str!", "line!", "matches!", "module_path!",
        "option_env!", "panic!", "print!", "println!", "stringify!", "thread_local!", "todo!",
        "unimplemented!", "unreachable!", "vec!", "write!", "writeln!", "allow",
        "automatically_derived", "bench", "cfg", "cfg_attr", "cold", "deny", "deprecated", "derive",
        "doc", "expect", "export_name", "feature", "forbid", "global_allocator", "ignore", "cfg", "cfg_attr", "inline",
        "link", "link_name", "link_section", "macro_export", "macro_use", "must_use", "no_mangle",
        "no_std", "non_exhaustive", "panic_handler", "path", "proc_macro", "proc_macro_attribute",
        "proc_macro_derive", "recursion_limit", "repr", "should_panic", "target_feature", "test",
        "track_caller", "warn",
    ],
    standard_modules: &["std", "core", "alloc", "proc_macro", "test"],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        functions: &["main"],
        members: &[
            "drop", "fmt", "deref", "clone", "eq", "hash", "default", "from",
        ],
        passive_annotations: &[
            "inline",
            // What uses it is in the text under whatever condition.
            "cfg",
            "must_use",
            "allow",
            "warn",
            "deny",
            "expect",
            "doc",
            "cold",
            "track_caller",
            "deprecated",
            "non_exhaustive",
            "rustfmt",
            "rustfmt::skip",
            "skip",
            "derive",
            "repr",
            "ignore",
            "should_panic",
        ],
        exposure: Exposure::Marked,
        ..EntryPoints::NONE
    },
    checks: Checks {
        closed_names: true,
        unmarked: Unmarked::Module,
        ..Checks::COMPILED
    },
    ..Semantics::USUAL
};

#[rustfmt::skip]
static OPERATORS: &[OperatorMembers] = &[
    OperatorMembers::new("+", &["add"], &[]),
    OperatorMembers::new("+=", &["add_assign"], &[]),
    OperatorMembers::new("-", &["sub"], &[]).or_alone(&["neg"]),
    OperatorMembers::new("-=", &["sub_assign"], &[]),
    OperatorMembers::new("*", &["mul"], &[]).or_alone(&["deref"]),
    OperatorMembers::new("*=", &["mul_assign"], &[]),
    OperatorMembers::new("/", &["div"], &[]),
    OperatorMembers::new("/=", &["div_assign"], &[]),
    OperatorMembers::new("%", &["rem"], &[]),
    OperatorMembers::new("%=", &["rem_assign"], &[]),
    OperatorMembers::new("&", &["bitand"], &[]),
    OperatorMembers::new("&=", &["bitand_assign"], &[]),
    OperatorMembers::new("|", &["bitor"], &[]),
    OperatorMembers::new("|=", &["bitor_assign"], &[]),
    OperatorMembers::new("^", &["bitxor"], &[]),
    OperatorMembers::new("^=", &["bitxor_assign"], &[]),
    OperatorMembers::new("<<", &["shl"], &[]),
    OperatorMembers::new("<<=", &["shl_assign"], &[]),
    OperatorMembers::new(">>", &["shr"], &[]),
    OperatorMembers::new(">>=", &["shr_assign"], &[]),
    OperatorMembers::new("!", &[], &[]).or_alone(&["not"]),
    OperatorMembers::new("==", &["eq"], &[]),
    OperatorMembers::new("!=", &["ne", "eq"], &[]),
    OperatorMembers::new("<", &["lt", "partial_cmp"], &[]),
    OperatorMembers::new("<=", &["le", "partial_cmp"], &[]),
    OperatorMembers::new(">", &["gt", "partial_cmp"], &[]),
    OperatorMembers::new(">=", &["ge", "partial_cmp"], &[]),
];
