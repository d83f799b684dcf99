//! FastAPI and Starlette routers.

use super::*;

const PATH: Slots = &[At(0), Named("path")];

pub const FASTAPI: Framework = Framework {
    modules: &["fastapi", "starlette"],
    packages: &["fastapi", "starlette"],
    routers: RouterRules {
        makers: &[
            maker("FastAPI"),
            maker("APIRouter").prefix(&[Named("prefix")]),
        ],
        usual_names: &["app", "router", "api"],
        decorators: &[
            decorator("get", &[Get], PATH),
            decorator("post", &[Post], PATH),
            decorator("put", &[Put], PATH),
            decorator("delete", &[Delete], PATH),
            decorator("patch", &[Patch], PATH),
            decorator("head", &[Head], PATH),
            decorator("options", &[Options], PATH),
            RouteDecorator {
                methods: RouteMethods::Listed(&[Named("methods")], Get),
                ..decorator("api_route", &[], PATH)
            },
        ],
        mounts: &[
            mount("include_router", &[At(0)], &[Named("prefix")]),
            mount("mount", &[At(1), Named("app")], PATH),
        ],
        ..RouterRules::NONE
    },
    ..Framework::new("fastapi", Family::Python)
};
