//! Gin, chi, echo, gorilla and net/http.

use super::*;

const PATH: Slots = &[At(0)];
const SECOND: Slots = &[At(1)];
const FILES: &[HttpMethod] = &[Get, Head];

pub const GO_HTTP: Framework = Framework {
    modules: &[
        "net/http",
        "github.com/gin-gonic/gin",
        "github.com/go-chi/chi",
        "github.com/labstack/echo",
        "github.com/gorilla/mux",
    ],
    packages: &[
        "github.com/gin-gonic/gin",
        "github.com/go-chi/chi",
        "github.com/labstack/echo",
        "github.com/gorilla/mux",
    ],
    routers: RouterRules {
        makers: &[
            maker("Default"),
            maker("New"),
            maker("NewRouter"),
            maker("NewServeMux"),
        ],
        types: &[
            "Engine",
            "RouterGroup",
            "Router",
            "Mux",
            "Echo",
            "Group",
            "ServeMux",
            "IRoutes",
            "IRouter",
        ],
        usual_names: &[
            "r", "router", "e", "g", "mux", "app", "group", "api", "v1", "v2", "http",
        ],
        is_returned: true,
        routes: &[
            route("GET", &[Get], PATH),
            route("POST", &[Post], PATH),
            route("PUT", &[Put], PATH),
            route("DELETE", &[Delete], PATH),
            route("PATCH", &[Patch], PATH),
            route("HEAD", &[Head], PATH),
            route("OPTIONS", &[Options], PATH),
            route("Any", &[Any], PATH),
            route("Get", &[Get], PATH),
            route("Post", &[Post], PATH),
            route("Put", &[Put], PATH),
            route("Delete", &[Delete], PATH),
            route("Patch", &[Patch], PATH),
            route_by("HandleFunc", RouteMethods::InPath, PATH),
            route_by("Handle", RouteMethods::InPath, PATH),
            route_by("Handler", RouteMethods::InPath, SECOND).method(&[At(0)]),
            route("Method", &[Any], SECOND).method(&[At(0)]),
            route("MethodFunc", &[Any], SECOND).method(&[At(0)]),
            route_by("Match", RouteMethods::Listed(&[At(0)], Any), SECOND),
            route("Static", FILES, PATH).suffix("/*filepath"),
            route("StaticFS", FILES, PATH).suffix("/*filepath"),
            route("StaticFile", FILES, PATH),
        ],
        methods_after: Some("Methods"),
        method_constants: Some("Method"),
        groups: &[group("Group", PATH), group("PathPrefix", PATH)],
        group_callbacks: &[
            GroupCallback {
                call: "Group",
                prefix: &[],
                function: &[At(0)],
            },
            GroupCallback {
                call: "Route",
                prefix: PATH,
                function: &[At(1)],
            },
        ],
        mounts: &[mount("Mount", &[], PATH)],
        ..RouterRules::NONE
    },
    ..Framework::new("go-http", Family::Go)
};
