//! Express and its routers.

use super::*;

const PATH: Slots = &[At(0)];

pub const EXPRESS: Framework = Framework {
    name: "express",
    modules: &["express"],
    packages: &["express"],
    routers: RouterRules {
        makers: &[maker("express"), maker("Router")],
        types: &["Router", "Express", "Application", "IRouter"],
        usual_names: &["app", "router", "server", "api", "routes"],
        chained: &["use", "get", "post", "put", "delete", "patch", "all"],
        is_returned: true,
        routes: &[
            route("get", &[Get], PATH),
            route("post", &[Post], PATH),
            route("put", &[Put], PATH),
            route("delete", &[Delete], PATH),
            route("patch", &[Patch], PATH),
            route("head", &[Head], PATH),
            route("options", &[Options], PATH),
            route("all", &[Any], PATH),
        ],
        path_calls: &["route"],
        mounts: &[mount("use", &[], &[At(0)])],
        ..RouterRules::NONE
    },
    ..SCRIPT
};
