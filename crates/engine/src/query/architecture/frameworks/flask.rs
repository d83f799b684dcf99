//! Flask and blueprints.

use super::*;

const RULE: Slots = &[At(0), Named("rule")];
const METHODS: RouteMethods = RouteMethods::Listed(&[Named("methods")], Get);

pub const FLASK: Framework = Framework {
    modules: &["flask", "flask_restful", "quart"],
    packages: &["Flask", "flask"],
    routers: RouterRules {
        makers: &[
            maker("Flask"),
            maker("Blueprint").prefix(&[Named("url_prefix")]),
        ],
        usual_names: &["app", "bp", "blueprint", "api", "main"],
        decorators: &[
            RouteDecorator {
                methods: METHODS,
                ..decorator("route", &[], RULE)
            },
            decorator("get", &[Get], RULE),
            decorator("post", &[Post], RULE),
            decorator("put", &[Put], RULE),
            decorator("delete", &[Delete], RULE),
            decorator("patch", &[Patch], RULE),
        ],
        mounts: &[mount(
            "register_blueprint",
            &[At(0)],
            &[Named("url_prefix")],
        )],
        routes: &[route_by("add_url_rule", METHODS, RULE).handler(&[Named("view_func"), At(2)])],
        ..RouterRules::NONE
    },
    ..Framework::new("flask", Family::Python)
};
