//! TypeORM entities.

use super::*;

pub const TYPEORM: Framework = Framework {
    name: "typeorm",
    modules: &["typeorm"],
    packages: &["typeorm"],
    tables: TableRules {
        annotations: &[TableAnnotation {
            convention: Some(TableConvention::Snake),
            ..table_annotation("Entity", &[At(0), Named("name")])
        }],
        ..TableRules::NONE
    },
    ..SCRIPT
};
