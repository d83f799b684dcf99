//! Rails: routes in blocks, resources, and the tables of its models; the routes of Devise.

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
            },
            BlockScope {
                call: "scope",
                is_path: true,
                path_option: Some("path"),
            },
        ],
        controllers: &[],
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
            parts: DEVISE,
        }],
    }),
    tables: TableRules {
        models: &[TableModel {
            setter: Some("table_name="),
            abstract_switch: Some("abstract_class="),
            ..TableModel::new(
                &["ApplicationRecord", "ActiveRecord.Base"],
                TableConvention::Plural,
            )
        }],
        ..TableRules::NONE
    },
    ..Framework::new("rails", Family::Ruby)
};

const DEVISE: &[(&str, &[LibraryRoute])] = &[
    (
        "database_authenticatable",
        &[
            (&[Get], "sign_in"),
            (&[Post], "sign_in"),
            (&[Delete], "sign_out"),
        ],
    ),
    (
        "registerable",
        &[
            (&[Get], "cancel"),
            (&[Get], "sign_up"),
            (&[Get], "edit"),
            (&[Patch, Put, Delete, Post], "/"),
        ],
    ),
    (
        "recoverable",
        &[
            (&[Get], "password/new"),
            (&[Get], "password/edit"),
            (&[Patch, Put, Post], "password"),
        ],
    ),
    (
        "confirmable",
        &[
            (&[Get], "confirmation/new"),
            (&[Get], "confirmation"),
            (&[Post], "confirmation"),
        ],
    ),
    (
        "lockable",
        &[
            (&[Get], "unlock/new"),
            (&[Get], "unlock"),
            (&[Post], "unlock"),
        ],
    ),
];
