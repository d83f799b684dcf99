//! Mongoose models: a collection for each.

use super::*;

pub const MONGOOSE: Framework = Framework {
    name: "mongoose",
    modules: &["mongoose", "@nestjs/mongoose", "@typegoose/typegoose"],
    tables: TableRules {
        definitions: &[TableDefinition {
            call: "model",
            on: &["mongoose", "connection", "conn"],
            is_free: true,
            model: &[ModelName::Argument(0)],
            table: &[ModelName::Argument(2), ModelName::Field("collection")],
            needs: &[],
            convention: TableConvention::PluralLower,
        }],
        annotations: &[TableAnnotation {
            field: "collection",
            convention: Some(TableConvention::PluralLower),
            ..table_annotation("Schema", &[Named("collection")])
        }],
        ..TableRules::NONE
    },
    ..SCRIPT
};
