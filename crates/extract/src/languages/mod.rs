//! Every language is one folder: `mod.rs` says what its node kinds mean, `cases.md` is its
//! specification and its test.

use crate::language::Language;

macro_rules! languages {
    ($($feature:literal $module:ident: $($constant:ident),+;)*) => {
        $(#[cfg(feature = $feature)] pub mod $module;)*
        pub(crate) static ALL: &[&Language] = &[$($(#[cfg(feature = $feature)] &$module::$constant,)+)*];
    };
}

#[cfg(any(feature = "typescript", feature = "javascript"))]
mod ecmascript;

languages! {
    "python" python: PYTHON;
    "java" java: JAVA;
    "rust" rust: RUST;
    "typescript" typescript: TYPESCRIPT, TSX;
    "javascript" javascript: JAVASCRIPT;
    "go" go: GO;
    "csharp" csharp: CSHARP;
    "c" c: C;
    "cpp" cpp: CPP;
    "ruby" ruby: RUBY;
    "php" php: PHP;
    "kotlin" kotlin: KOTLIN;
    "vue" vue: VUE, SVELTE;
    "swift" swift: SWIFT;
    "scala" scala: SCALA;
    "zig" zig: ZIG;
    "haskell" haskell: HASKELL;
    "elixir" elixir: ELIXIR;
    "bash" bash: BASH;
    "lua" lua: LUA;
    "sql" sql: SQL;
    "proto" proto: PROTO;
    "html" html: HTML;
    "css" css: CSS;
    "json" json: JSON;
    "yaml" yaml: YAML;
    "toml" toml: TOML;
    "markdown" markdown: MARKDOWN;
}

#[cfg(any(feature = "csharp", feature = "c", feature = "cpp"))]
mod conditionals;

#[cfg(any(feature = "c", feature = "cpp"))]
mod c_family;

#[cfg(any(feature = "json", feature = "yaml", feature = "toml"))]
mod keys;

/// Whether a `.h` file's text is C++: it says `class`, `namespace`, `template` or the like at the
/// start of a line.
pub(crate) fn is_cpp_header(head: &[u8]) -> bool {
    const SIGNS: &[&[u8]] = &[
        b"class ",
        b"namespace ",
        b"template",
        b"using ",
        b"public:",
        b"private:",
        b"protected:",
        b"virtual ",
    ];
    head.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        SIGNS.iter().any(|sign| line.starts_with(sign))
            || line.windows(5).any(|window| window == b"std::")
    })
}
