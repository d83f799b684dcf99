//! Axum: routers that functions return, nested and merged; each path with a chain of methods.

use super::*;

pub const AXUM: Framework = Framework {
    modules: &["axum", "axum_extra"],
    packages: &["axum"],
    routers: RouterRules {
        makers: &[maker("new").on(&["Router", "ApiRouter", "OpenApiRouter"])],
        types: &["Router"],
        usual_names: &["router"],
        chained: &[
            "route",
            "nest",
            "merge",
            "layer",
            "with_state",
            "route_layer",
            "fallback",
            "nest_service",
            "route_service",
            "route_with_tsr",
            "typed_get",
        ],
        is_returned: true,
        routes: &[route_by("route", RouteMethods::Calls(&[At(1)]), &[At(0)])],
        method_calls: &[
            ("get", Get),
            ("post", Post),
            ("put", Put),
            ("delete", Delete),
            ("patch", Patch),
            ("head", Head),
            ("options", Options),
            ("trace", Trace),
            ("any", Any),
            ("get_service", Get),
            ("post_service", Post),
            ("any_service", Any),
        ],
        mounts: &[
            mount("nest", &[At(1)], &[At(0), Named("path")]),
            mount("merge", &[At(0)], &[]),
        ],
        ..RouterRules::NONE
    },
    ..Framework::new("axum", Family::Rust)
};
