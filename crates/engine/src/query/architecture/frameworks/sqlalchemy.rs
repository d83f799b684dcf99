//! SQLAlchemy, Flask-SQLAlchemy and SQLModel.

use super::*;

const TABLE_NAME: &str = "__tablename__";

pub const SQLALCHEMY: Framework = Framework {
    modules: &["sqlalchemy", "flask_sqlalchemy", "sqlmodel"],
    packages: &["SQLAlchemy", "sqlalchemy", "Flask-SQLAlchemy", "sqlmodel"],
    tables: TableRules {
        attributes: &[TABLE_NAME],
        calls: &[table_call("Table")],
        models: &[
            TableModel {
                attribute: Some(TABLE_NAME),
                ..TableModel::new(&["db.Model"], TableConvention::Snake)
            },
            TableModel {
                attribute: Some(TABLE_NAME),
                marker: Some("table"),
                ..TableModel::new(&["SQLModel"], TableConvention::Lower)
            },
        ],
        ..TableRules::NONE
    },
    sql: &[sql(&["text", "execute", "executemany"], &[0])],
    ..Framework::new("sqlalchemy", Family::Python)
};
