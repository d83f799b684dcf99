//! NestJS controllers: prefixes and versions of the application, paths of modules.

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
            action("Sse", Get, PATH),
        ],
        programs: &[("create", "NestFactory")],
        global_prefix: Some(GlobalPrefixCall {
            call: "setGlobalPrefix",
            exclude: "exclude",
        }),
        versions: Some(ControllerVersions {
            call: "enableVersioning",
            kind: ("type", "URI"),
            default: "defaultVersion",
            prefix_field: "prefix",
            prefix: "v",
            field: "version",
            annotation: "Version",
            neutral: "VERSION_NEUTRAL",
        }),
        modules: Some(ModuleRules {
            annotation: "Module",
            controllers: "controllers",
            routers: &[("register", "RouterModule"), ("forRoutes", "RouterModule")],
            path: "path",
            module: "module",
            children: "children",
        }),
        ..ControllerRules::NONE
    }),
    settings: &["get", "getOrThrow"],
    ..SCRIPT
};
