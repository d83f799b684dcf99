//! Actix Web: scopes, resources, services and the attributes on handlers.

use super::*;

const PATH: Slots = &[At(0)];

const fn attribute(name: &'static str, methods: &'static [HttpMethod]) -> RouteDecorator {
    RouteDecorator {
        is_bare: true,
        ..decorator(name, methods, PATH)
    }
}

pub const ACTIX: Framework = Framework {
    modules: &["actix_web"],
    packages: &["actix-web"],
    routers: RouterRules {
        makers: &[
            maker("new").on(&["App"]),
            maker("scope").prefix(PATH).on(&["web"]),
            maker("resource").prefix(PATH).on(&["web"]),
            maker("scope").prefix(PATH).on(&["actix_web"]),
        ],
        types: &["ServiceConfig", "Scope", "App"],
        usual_names: &["cfg", "config", "app"],
        chained: &[
            "route",
            "service",
            "configure",
            "wrap",
            "app_data",
            "data",
            "guard",
            "default_service",
            "name",
            "wrap_fn",
            "service_fn",
        ],
        is_returned: true,
        routes: &[route_by("route", RouteMethods::Calls(&[At(1)]), PATH)],
        method_calls: &[
            ("get", Get),
            ("post", Post),
            ("put", Put),
            ("delete", Delete),
            ("patch", Patch),
            ("head", Head),
            ("trace", Trace),
            ("route", Any),
        ],
        handler_calls: &["to"],
        mounts: &[
            mount("service", &[], &[]),
            mount("configure", &[At(0)], &[]),
        ],
        decorators: &[
            attribute("get", &[Get]),
            attribute("post", &[Post]),
            attribute("put", &[Put]),
            attribute("delete", &[Delete]),
            attribute("patch", &[Patch]),
            attribute("head", &[Head]),
            attribute("options", &[Options]),
        ],
        ..RouterRules::NONE
    },
    ..Framework::new("actix", Family::Rust)
};
