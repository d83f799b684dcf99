//! SQL in .NET programs: Dapper, ADO.NET.

use super::*;

pub const DOTNET_SQL: Framework = Framework {
    modules: &["Dapper", "System.Data", "Microsoft.Data", "Npgsql", "MySql"],
    sql: &[sql(
        &[
            "Query",
            "QueryAsync",
            "QueryFirst",
            "QueryFirstAsync",
            "QueryFirstOrDefault",
            "QueryFirstOrDefaultAsync",
            "QuerySingle",
            "QuerySingleAsync",
            "QuerySingleOrDefault",
            "QuerySingleOrDefaultAsync",
            "QueryMultiple",
            "QueryMultipleAsync",
            "Execute",
            "ExecuteAsync",
            "ExecuteScalar",
            "ExecuteScalarAsync",
            "ExecuteReader",
            "SqlCommand",
            "NpgsqlCommand",
        ],
        &[0],
    )],
    ..Framework::new("dotnet-sql", Family::DotNet)
};
