//! Laravel: routes on the facade, groups, resources; Eloquent models; configuration.

use super::*;
use ResourcePart::{Collection, Member};

const fn resource(
    call: &'static str,
    is_one: bool,
    actions: &'static [&'static str],
) -> BlockResource {
    BlockResource {
        call,
        is_one,
        is_several: false,
        item: if is_one { ":id" } else { "{{singular}}" },
        nested: None,
        actions,
    }
}

pub const LARAVEL: Framework = Framework {
    packages: &["laravel/framework", "laravel/lumen-framework"],
    blocks: Some(BlockRules {
        files: &[],
        receivers: &["Route", "$router"],
        routes: &[
            block_route("get", Get),
            block_route("post", Post),
            block_route("put", Put),
            block_route("patch", Patch),
            block_route("delete", Delete),
            block_route("options", Options),
            block_route("any", Any),
            block_route("view", Get),
            block_route("redirect", Any),
            block_route("permanentRedirect", Any),
            BlockRoute {
                methods: BlockMethods::Given(At(0)),
                path: &[At(1)],
                ..block_route("match", Any)
            },
        ],
        roots: &[],
        scopes: &[
            BlockScope {
                call: "prefix",
                is_path: true,
                path_option: None,
                is_namespace: false,
            },
            BlockScope {
                call: "group",
                is_path: false,
                path_option: Some("prefix"),
                is_namespace: false,
            },
        ],
        controllers: &["controller"],
        resources: &[
            resource("resource", false, &[]),
            resource(
                "apiResource",
                false,
                &["index", "store", "show", "update", "destroy"],
            ),
            resource("singleton", true, &["show", "edit", "update"]),
            resource("apiSingleton", true, &["show", "update"]),
        ],
        parts: &[],
        template: None,
        shallow: None,
        canonical: &[],
        mount: None,
        includes: &[("group", "{}")],
        prefixes: &[("routes/api.php", "api")],
        without_forms: None,
        actions: &[
            resource_action("index", &[Get], Collection),
            resource_action("create", &[Get], Collection).path("create"),
            resource_action("store", &[Post], Collection),
            resource_action("show", &[Get], Member),
            resource_action("edit", &[Get], Member).path("edit"),
            resource_action("update", &[Put, Patch], Member),
            resource_action("destroy", &[Delete], Member),
        ],
        libraries: &[],
    }),
    tables: TableRules {
        models: &[TableModel {
            attribute: Some("table"),
            ..TableModel::new(
                &["Model", "Authenticatable", "Pivot"],
                TableConvention::Plural,
            )
        }],
        calls: &[TableCall {
            call: "create",
            on: &["Schema"],
        }],
        ..TableRules::NONE
    },
    sql: &[SqlCall {
        on: &["DB"],
        ..sql(
            &[
                "select",
                "insert",
                "update",
                "delete",
                "statement",
                "unprepared",
            ],
            &[0],
        )
    }],
    table_queries: &[TableQuery {
        call: "table",
        on: &["DB"],
    }],
    keys: KeyRules {
        calls: &[
            key_call("env", &[At(0)], ENVIRONMENT),
            key_call("config", &[At(0)], "config"),
        ],
        ..KeyRules::NONE
    },
    ..Framework::new("laravel", Family::Php)
};
