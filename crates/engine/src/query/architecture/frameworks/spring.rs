//! Spring MVC and WebFlux controllers, configuration values, JPA entities.

use super::*;

const PATH: Slots = &[At(0), Named("value"), Named("path")];

pub const SPRING: Framework = Framework {
    modules: &[
        "org.springframework",
        "jakarta.persistence",
        "javax.persistence",
    ],
    packages: &["spring-boot", "spring-web"],
    controllers: Some(ControllerRules {
        annotations: &["RestController", "Controller"],
        prefixes: &[("RequestMapping", PATH)],
        actions: &[
            action("GetMapping", Get, PATH),
            action("PostMapping", Post, PATH),
            action("PutMapping", Put, PATH),
            action("DeleteMapping", Delete, PATH),
            action("PatchMapping", Patch, PATH),
            ActionAnnotation {
                name: "RequestMapping",
                methods: ActionMethods::Listed(&[Named("method")]),
                path: PATH,
            },
        ],
        ..ControllerRules::NONE
    }),
    keys: KeyRules {
        calls: &[key_call("getProperty", &[At(0)], "getProperty")],
        annotations: &[
            key_use("Value", "@Value"),
            key_use("ConfigurationProperties", "@ConfigurationProperties"),
        ],
        ..KeyRules::NONE
    },
    tables: TableRules {
        annotations: &[
            table_annotation("Table", &[Named("name")]),
            TableAnnotation {
                convention: Some(TableConvention::Snake),
                ..table_annotation("Entity", &[Named("name")])
            },
        ],
        ..TableRules::NONE
    },
    ..Framework::new("spring", Family::Jvm)
};
