//! Rails: routes in blocks, resources, and the tables of its models and migrations; the routes of
//! Devise.

mod schema;

use super::*;
use ResourcePart::{Collection, Member, New};

pub const RAILS: Framework = Framework {
    packages: &["rails"],
    blocks: Some(BlockRules {
        files: &["config/routes.rb", "config/routes/"],
        receivers: &[],
        routes: &[
            block_route("get", Get).several(),
            block_route("post", Post).several(),
            block_route("put", Put).several(),
            block_route("patch", Patch).several(),
            block_route("delete", Delete).several(),
            block_route("options", Options).several(),
            BlockRoute {
                methods: BlockMethods::Given(Named("via")),
                ..block_route("match", Any).several()
            },
        ],
        roots: &[("root", Get)],
        scopes: &[
            BlockScope {
                call: "namespace",
                is_path: true,
                path_option: Some("path"),
                is_namespace: true,
            },
            BlockScope {
                call: "scope",
                is_path: true,
                path_option: Some("path"),
                is_namespace: false,
            },
            BlockScope {
                call: "with_options",
                is_path: false,
                path_option: Some("path"),
                is_namespace: false,
            },
        ],
        controllers: &["controller"],
        resources: &[
            BlockResource {
                call: "resources",
                is_one: false,
                is_several: true,
                item: ":id",
                nested: Some(":{singular}_{param}"),
                actions: &[],
            },
            BlockResource {
                call: "resource",
                is_one: true,
                is_several: false,
                item: ":id",
                nested: None,
                actions: &["create", "new", "edit", "show", "update", "destroy"],
            },
        ],
        parts: &[("member", Member), ("collection", Collection), ("new", New)],
        template: Some(BlockTemplate {
            call: "concern",
            used_by: "concerns",
        }),
        shallow: Some("shallow"),
        canonical: &["index", "create", "new", "show", "update", "destroy"],
        mount: Some(BlockMount {
            call: "mount",
            at: "at",
            draw: "draw",
        }),
        includes: &[("draw", "config/routes/{}.rb")],
        prefixes: &[],
        without_forms: Some(("config", "api_only=")),
        actions: &[
            resource_action("index", &[Get], Collection),
            resource_action("create", &[Post], Collection),
            resource_action("new", &[Get], Collection)
                .path("new")
                .form(),
            resource_action("edit", &[Get], Member).path("edit").form(),
            resource_action("show", &[Get], Member),
            resource_action("update", &[Patch, Put], Member),
            resource_action("destroy", &[Delete], Member),
        ],
        libraries: &[BlockLibrary {
            call: "devise_for",
            model: "devise",
            names: "path_names",
            skip: "skip",
            only: "only",
            parts: DEVISE,
        }],
    }),
    tables: TableRules {
        models: &[TableModel {
            setter: Some("table_name="),
            abstract_switch: Some("abstract_class="),
            made: Some(schema::made_tables),
            ..TableModel::new(
                &["ApplicationRecord", "ActiveRecord.Base"],
                TableConvention::By(schema::table_of),
            )
        }],
        ..TableRules::NONE
    },
    read: &[schema::read],
    ..Framework::new("rails", Family::Ruby)
};

const DEVISE: &[(&str, &str, &[LibraryRoute])] = &[
    (
        "database_authenticatable",
        "sessions",
        &[
            (&[Get], "sign_in"),
            (&[Post], "sign_in"),
            (&[Delete], "sign_out"),
        ],
    ),
    (
        "registerable",
        "registrations",
        &[
            (&[Get], "cancel"),
            (&[Get], "sign_up"),
            (&[Get], "edit"),
            (&[Patch, Put, Delete, Post], "/"),
        ],
    ),
    (
        "recoverable",
        "passwords",
        &[
            (&[Get], "password/new"),
            (&[Get], "password/edit"),
            (&[Patch, Put, Post], "password"),
        ],
    ),
    (
        "confirmable",
        "confirmations",
        &[
            (&[Get], "confirmation/new"),
            (&[Get], "confirmation"),
            (&[Post], "confirmation"),
        ],
    ),
    (
        "lockable",
        "unlocks",
        &[
            (&[Get], "unlock/new"),
            (&[Get], "unlock"),
            (&[Post], "unlock"),
        ],
    ),
];
