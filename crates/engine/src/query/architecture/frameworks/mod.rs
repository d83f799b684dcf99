//! The frameworks that are read, one file each (or one for a family), and its example beside it:
//! `NAME.md` has small repositories and the facts expected of them.
//!
//! A framework is a constant made of the types in `rules/`. What a constant cannot say, a function
//! in the same file says and `Framework::read` names it. No other module of the engine names a
//! framework.

mod actix;
mod aspnetcore;
mod axum;
mod diesel;
mod django;
mod dotnet_sql;
mod efcore;
mod environment;
mod express;
mod fastapi;
mod fastify;
mod flask;
mod go_http;
mod gorm;
mod laravel;
mod mongoose;
mod nestjs;
mod nextjs;
mod prisma;
mod rails;
mod sequelize;
mod sinatra;
mod spring;
mod sql_files;
mod sqlalchemy;
mod typeorm;
mod unsupported;

use facts::Family;

use super::rules::*;
use HttpMethod::{Any, Delete, Get, Head, Options, Patch, Post, Put, Trace};
use Slot::{At, Named};
pub use unsupported::UNSUPPORTED;

/// In this order: where two read the same place, the first counts.
pub const FRAMEWORKS: &[Framework] = &[
    aspnetcore::ASPNETCORE,
    efcore::EFCORE,
    express::EXPRESS,
    fastify::FASTIFY,
    nestjs::NESTJS,
    environment::NODE,
    typeorm::TYPEORM,
    prisma::PRISMA,
    flask::FLASK,
    fastapi::FASTAPI,
    django::DJANGO,
    environment::PYTHON,
    sqlalchemy::SQLALCHEMY,
    spring::SPRING,
    go_http::GO_HTTP,
    environment::GO,
    environment::RUST,
    axum::AXUM,
    actix::ACTIX,
    diesel::RUST_SQL,
    gorm::GORM,
    environment::JVM,
    dotnet_sql::DOTNET_SQL,
    nextjs::NEXTJS,
    sequelize::SEQUELIZE,
    mongoose::MONGOOSE,
    environment::RUBY,
    rails::RAILS,
    sinatra::SINATRA,
    environment::PHP,
    laravel::LARAVEL,
    environment::C,
    sql_files::SQL_FILES,
];

/// What all frameworks of JavaScript and TypeScript have in common.
const SCRIPT: Framework = Framework {
    has_plugin_options: true,
    ..Framework::new("", Family::JavaScript)
};
