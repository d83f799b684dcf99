//! Every language is one folder: `mod.rs` says what its node kinds mean, `cases.md` is its
//! specification and its test.

#[cfg(feature = "bash")]
pub mod bash;
#[cfg(feature = "c")]
pub mod c;
#[cfg(any(feature = "c", feature = "cpp"))]
mod c_family;
#[cfg(any(feature = "csharp", feature = "c", feature = "cpp"))]
mod conditionals;
#[cfg(feature = "cpp")]
pub mod cpp;
#[cfg(feature = "csharp")]
pub mod csharp;
#[cfg(feature = "css")]
pub mod css;
#[cfg(any(feature = "typescript", feature = "javascript"))]
mod ecmascript;
#[cfg(feature = "elixir")]
pub mod elixir;
#[cfg(feature = "go")]
pub mod go;
#[cfg(feature = "haskell")]
pub mod haskell;
#[cfg(feature = "html")]
pub mod html;
#[cfg(feature = "java")]
pub mod java;
#[cfg(feature = "javascript")]
pub mod javascript;
#[cfg(feature = "json")]
pub mod json;
#[cfg(any(feature = "json", feature = "yaml", feature = "toml"))]
mod keys;
#[cfg(feature = "kotlin")]
pub mod kotlin;
#[cfg(feature = "lua")]
pub mod lua;
#[cfg(feature = "markdown")]
pub mod markdown;
#[cfg(feature = "php")]
pub mod php;
#[cfg(feature = "proto")]
pub mod proto;
#[cfg(feature = "python")]
pub mod python;
#[cfg(feature = "ruby")]
pub mod ruby;
#[cfg(feature = "rust")]
pub mod rust;
#[cfg(feature = "scala")]
pub mod scala;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "swift")]
pub mod swift;
#[cfg(feature = "toml")]
pub mod toml;
#[cfg(feature = "typescript")]
pub mod typescript;
#[cfg(feature = "vue")]
pub mod vue;
#[cfg(feature = "yaml")]
pub mod yaml;
#[cfg(feature = "zig")]
pub mod zig;

use crate::prelude::*;

/// Of two languages that claim one file name or extension, the first is taken.
pub(crate) static ALL: &[&Language] = &[
    #[cfg(feature = "python")]
    &python::PYTHON,
    #[cfg(feature = "java")]
    &java::JAVA,
    #[cfg(feature = "rust")]
    &rust::RUST,
    #[cfg(feature = "typescript")]
    &typescript::TYPESCRIPT,
    #[cfg(feature = "typescript")]
    &typescript::TSX,
    #[cfg(feature = "javascript")]
    &javascript::JAVASCRIPT,
    #[cfg(feature = "go")]
    &go::GO,
    #[cfg(feature = "csharp")]
    &csharp::CSHARP,
    #[cfg(feature = "c")]
    &c::C,
    #[cfg(feature = "cpp")]
    &cpp::CPP,
    #[cfg(feature = "ruby")]
    &ruby::RUBY,
    #[cfg(feature = "php")]
    &php::PHP,
    #[cfg(feature = "kotlin")]
    &kotlin::KOTLIN,
    #[cfg(feature = "vue")]
    &vue::VUE,
    #[cfg(feature = "vue")]
    &vue::SVELTE,
    #[cfg(feature = "swift")]
    &swift::SWIFT,
    #[cfg(feature = "scala")]
    &scala::SCALA,
    #[cfg(feature = "zig")]
    &zig::ZIG,
    #[cfg(feature = "haskell")]
    &haskell::HASKELL,
    #[cfg(feature = "elixir")]
    &elixir::ELIXIR,
    #[cfg(feature = "bash")]
    &bash::BASH,
    #[cfg(feature = "lua")]
    &lua::LUA,
    #[cfg(feature = "sql")]
    &sql::SQL,
    #[cfg(feature = "proto")]
    &proto::PROTO,
    #[cfg(feature = "html")]
    &html::HTML,
    #[cfg(feature = "css")]
    &css::CSS,
    #[cfg(feature = "json")]
    &json::JSON,
    #[cfg(feature = "yaml")]
    &yaml::YAML,
    #[cfg(feature = "toml")]
    &toml::TOML,
    #[cfg(feature = "markdown")]
    &markdown::MARKDOWN,
];

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
