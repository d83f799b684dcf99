//! NestJS controllers.

use super::*;

const PATH: Slots = &[At(0), Named("template"), Named("path")];

pub const NESTJS: Framework = Framework {
    name: "nestjs",
    modules: &["@nestjs/common", "@nestjs/core"],
    packages: &["@nestjs/core"],
    controllers: Some(ControllerRules {
        annotations: &["Controller"],
        prefixes: &[("Controller", PATH)],
        actions: &[
            action("Get", Get, PATH),
            action("Post", Post, PATH),
            action("Put", Put, PATH),
            action("Delete", Delete, PATH),
            action("Patch", Patch, PATH),
            action("Options", Options, PATH),
            action("Head", Head, PATH),
            action("All", Any, PATH),
        ],
        global_prefix: &["setGlobalPrefix"],
        versions: Some(ControllerVersions {
            call: "enableVersioning",
            field: "version",
            prefix: "v",
        }),
        ..ControllerRules::NONE
    }),
    ..SCRIPT
};
