//! What programs of every framework share, by language: environment variables, settings and SQL.

use super::*;

const FIRST: Slots = &[At(0)];

const fn variable(call: &'static str) -> KeyCall {
    key_call(call, FIRST, ENVIRONMENT)
}

const fn index(objects: &'static [&'static str]) -> KeyIndex {
    KeyIndex {
        objects,
        is_sectioned: false,
        usage: ENVIRONMENT,
    }
}

/// What objects with the settings of a program are usually called.
const SETTINGS: &[&str] = &["config", "configService", "ConfigService"];

pub const NODE: Framework = Framework {
    name: "node",
    keys: KeyRules {
        members: &[
            key_use("process.env", ENVIRONMENT),
            key_use("import.meta.env", ENVIRONMENT),
        ],
        indexes: &[index(&["process.env"])],
        calls: &[
            key_call("get", FIRST, "config").on(SETTINGS),
            key_call("getOrThrow", FIRST, "config").on(SETTINGS),
        ],
        ..KeyRules::NONE
    },
    ..SCRIPT
};

pub const PYTHON: Framework = Framework {
    keys: KeyRules {
        calls: &[
            variable("get").on(&["environ"]),
            variable("getenv"),
            variable("pop").on(&["environ"]),
            variable("setdefault").on(&["environ"]),
            variable("str").on(&["env"]),
            variable("int").on(&["env"]),
            variable("bool").on(&["env"]),
            variable("list").on(&["env"]),
            variable("db").on(&["env"]),
            variable("config"),
            variable("env"),
        ],
        indexes: &[index(&["environ"])],
        classes: &[KeyClass {
            bases: &["BaseSettings", "BaseAppSettings", "AppSettings"],
            prefix: "env_prefix",
            except: &["model_config"],
            usage: "settings",
        }],
        ..KeyRules::NONE
    },
    ..Framework::new("python", Family::Python)
};

/// Objects that Viper's settings are usually called.
const VIPER: &[&str] = &["viper", "v", "config", "conf", "cfg"];

const fn viper(call: &'static str) -> KeyCall {
    key_call(call, FIRST, "viper").on(VIPER)
}

pub const GO: Framework = Framework {
    keys: KeyRules {
        calls: &[
            variable("Getenv"),
            variable("LookupEnv"),
            viper("GetString"),
            viper("GetInt"),
            viper("GetBool"),
            viper("GetDuration"),
            viper("GetStringSlice"),
            viper("GetStringMap"),
            viper("GetInt64"),
            viper("GetFloat64"),
            viper("GetUint"),
            viper("IsSet"),
            viper("BindEnv"),
            viper("SetDefault"),
        ],
        ..KeyRules::NONE
    },
    sql: &[sql(
        &[
            "Query",
            "QueryRow",
            "QueryContext",
            "QueryRowContext",
            "Exec",
            "ExecContext",
            "Prepare",
            "PrepareContext",
            "Select",
            "Get",
            "NamedExec",
            "NamedQuery",
        ],
        &[0, 1],
    )],
    ..Framework::new("go", Family::Go)
};

pub const RUST: Framework = Framework {
    keys: KeyRules {
        calls: &[
            variable("var").on(&["env"]),
            variable("var_os").on(&["env"]),
            variable("env"),
            variable("option_env"),
            variable("remove_var").on(&["env"]),
        ],
        fields: &[KeyField {
            annotations: &["clap", "arg", "structopt"],
            option: "env",
            usage: ENVIRONMENT,
        }],
        ..KeyRules::NONE
    },
    ..Framework::new("rust", Family::Rust)
};

pub const JVM: Framework = Framework {
    keys: KeyRules {
        calls: &[
            variable("getenv"),
            key_call("getProperty", FIRST, "property").on(&["System"]),
        ],
        ..KeyRules::NONE
    },
    sql: &[sql(
        &[
            "createNativeQuery",
            "prepareStatement",
            "executeQuery",
            "executeUpdate",
            "queryForObject",
            "queryForList",
            "jdbcQuery",
        ],
        &[0],
    )],
    ..Framework::new("jvm", Family::Jvm)
};

pub const RUBY: Framework = Framework {
    keys: KeyRules {
        calls: &[variable("fetch").on(&["ENV"])],
        indexes: &[index(&["ENV"])],
        ..KeyRules::NONE
    },
    sql: &[sql(
        &["execute", "exec_query", "select_all", "find_by_sql", "exec"],
        &[0],
    )],
    ..Framework::new("ruby", Family::Ruby)
};

pub const PHP: Framework = Framework {
    keys: KeyRules {
        calls: &[variable("getenv")],
        indexes: &[index(&["$_ENV", "$_SERVER"])],
        ..KeyRules::NONE
    },
    sql: &[sql(
        &[
            "query",
            "prepare",
            "exec",
            "executeQuery",
            "executeStatement",
            "fetchAll",
        ],
        &[0, 1],
    )],
    ..Framework::new("php", Family::Php)
};

pub const C: Framework = Framework {
    keys: KeyRules {
        calls: &[variable("getenv"), variable("secure_getenv")],
        ..KeyRules::NONE
    },
    sql: &[sql(
        &[
            "sqlite3_exec",
            "sqlite3_prepare_v2",
            "sqlite3_prepare",
            "mysql_query",
            "PQexec",
            "PQexecParams",
            "exec",
            "prepare",
        ],
        &[1, 0],
    )],
    ..Framework::new("c", Family::C)
};
