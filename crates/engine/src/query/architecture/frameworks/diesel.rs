//! Tables in Rust: Diesel, SeaORM, sqlx.

use facts::Span;

use super::*;
use crate::query::architecture::{ArchitectureFact, Scan};

pub const RUST_SQL: Framework = Framework {
    modules: &[
        "diesel",
        "sea_orm",
        "sqlx",
        "rusqlite",
        "tokio_postgres",
        "postgres",
    ],
    tables: TableRules {
        annotations: &[
            table_annotation("sea_orm", &[Named("table_name")]),
            TableAnnotation {
                is_bare: true,
                ..table_annotation("diesel", &[Named("table_name")])
            },
            TableAnnotation {
                is_bare: true,
                ..table_annotation("table_name", &[At(0)])
            },
        ],
        ..TableRules::NONE
    },
    sql: &[sql(
        &[
            "query",
            "query_as",
            "query_scalar",
            "query_as_unchecked",
            "query_unchecked",
            "execute",
            "query_one",
            "query_opt",
            "prepare",
            "fetch_one",
            "fetch_all",
            "sql_query",
            "batch_execute",
            "query_row",
        ],
        &[0, 1],
    )],
    read: &[read_table_macros],
    ..Framework::new("rust-sql", Family::Rust)
};

/// `table! { users (id) { ... } }`.
fn read_table_macros(scan: &Scan<'_>) {
    const OPENING: &str = "table!";
    for view in scan.mentioning("table") {
        let Some(text) = scan.text(view.id) else {
            continue;
        };
        for (at, _) in text.match_indices(OPENING) {
            let Some(body) = text[at + OPENING.len()..]
                .trim_start()
                .strip_prefix(['{', '('])
            else {
                continue;
            };
            let mut lines = body.lines().map(str::trim).filter(|line| {
                !line.is_empty()
                    && !["use ", "#", "//"]
                        .iter()
                        .any(|word| line.starts_with(word))
            });
            let Some(named) = lines.next().and_then(|line| line.split(['(', '{']).next()) else {
                continue;
            };
            let named = named.trim();
            let (schema, table) = match named.rsplit_once('.') {
                Some((schema, table)) => (Some(schema.to_owned()), table),
                None => (None, named),
            };
            if !table.is_empty() && table.chars().all(|c| c.is_alphanumeric() || c == '_') {
                let span = Span::new(at as u32, (at + OPENING.len()) as u32);
                let fact = ArchitectureFact::table(OPENING, table, view.id, span);
                scan.add(fact.in_schema(schema));
            }
        }
    }
}
