//! Fastify: shorthand routes, route objects, plugins with prefixes.

use super::*;

const PATH: Slots = &[At(0)];

pub const FASTIFY: Framework = Framework {
    name: "fastify",
    modules: &["fastify", "fastify-plugin", "@fastify/autoload"],
    packages: &["fastify"],
    routers: RouterRules {
        makers: &[maker("fastify"), maker("Fastify")],
        types: &["FastifyInstance"],
        usual_names: &["fastify", "server", "app", "instance"],
        chained: &["register", "withTypeProvider"],
        wrappers: &["fp", "fastifyPlugin"],
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
        objects: &[RouteObject {
            call: "route",
            method: &["method"],
            path: &["url", "path"],
            handler: &["handler"],
        }],
        mounts: &[MountCall {
            prefix_field: Some((&[At(1)], "prefix")),
            ..mount("register", &[At(0)], &[])
        }],
        directories: &[MountDirectory {
            call: "register",
            directory: "dir",
            without_names: "dirNameRoutePrefix",
            parameters: "routeParams",
            options: "options",
            prefix: "prefix",
            own_prefix: "autoPrefix",
            whole_prefix: "prefixOverride",
            index: "index",
        }],
        ..RouterRules::NONE
    },
    ..SCRIPT
};
