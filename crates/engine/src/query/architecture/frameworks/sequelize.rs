//! Sequelize models by call, by class and by decorator; tables of Knex, Drizzle and node-postgres.

use super::*;

pub const SEQUELIZE: Framework = Framework {
    name: "sequelize",
    modules: &[
        "sequelize",
        "sequelize-typescript",
        "knex",
        "pg",
        "mysql",
        "mysql2",
        "better-sqlite3",
        "drizzle-orm",
    ],
    tables: TableRules {
        definitions: &[
            TableDefinition {
                call: "define",
                on: &["sequelize", "db", "connection"],
                is_free: false,
                model: &[ModelName::Argument(0)],
                table: &[ModelName::Field("tableName")],
                needs: &[],
                convention: TableConvention::PluralAsIs,
            },
            TableDefinition {
                call: "init",
                on: &[],
                is_free: false,
                model: &[ModelName::Field("modelName"), ModelName::Receiver],
                table: &[ModelName::Field("tableName")],
                needs: &["sequelize"],
                convention: TableConvention::PluralAsIs,
            },
        ],
        annotations: &[TableAnnotation {
            field: "tableName",
            convention: Some(TableConvention::PluralAsIs),
            ..table_annotation("Table", &[Named("tableName")])
        }],
        calls: &[
            table_call("pgTable"),
            table_call("mysqlTable"),
            table_call("sqliteTable"),
        ],
        ..TableRules::NONE
    },
    sql: &[sql(&["query", "raw", "execute", "run", "prepare"], &[0])],
    table_queries: &[TableQuery {
        call: "knex",
        on: &[],
    }],
    ..SCRIPT
};
