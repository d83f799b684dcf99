//! ASP.NET Core: controllers, minimal APIs, Razor Pages, FastEndpoints; configuration; services and
//! middleware.

mod endpoint_classes;
mod pages;

use super::*;

/// The path of a route in calls.
const PATTERN: Slots = &[At(0), Named("pattern")];
/// The path of a route in attributes.
const TEMPLATE: Slots = &[At(0), Named("template"), Named("path")];

pub const ASPNETCORE: Framework = Framework {
    modules: &[
        "Microsoft.AspNetCore",
        "FastEndpoints",
        "Microsoft.Extensions",
    ],
    packages: &[
        "Microsoft.NET.Sdk.Web",
        "Microsoft.AspNetCore",
        "FastEndpoints",
    ],
    routers: RouterRules {
        routes: &[
            route("MapGet", &[Get], PATTERN).distinctive(),
            route("MapPost", &[Post], PATTERN).distinctive(),
            route("MapPut", &[Put], PATTERN).distinctive(),
            route("MapDelete", &[Delete], PATTERN).distinctive(),
            route("MapPatch", &[Patch], PATTERN).distinctive(),
            route_by(
                "MapMethods",
                RouteMethods::Listed(&[At(1), Named("httpMethods")], Any),
                PATTERN,
            )
            .distinctive(),
            route("MapHealthChecks", &[Any], PATTERN).distinctive(),
        ],
        groups: &[group("MapGroup", &[At(0)])],
        group_class: Some(GroupClass {
            bases: &["EndpointGroupBase", "IEndpointGroup", "EndpointGroup"],
            prefix: "/api/",
            named: "GroupName",
            path: &[At(1), Named("pattern")],
        }),
        program_calls: &["CreateBuilder", "CreateSlimBuilder", "CreateDefaultBuilder"],
        ..RouterRules::NONE
    },
    controllers: Some(ControllerRules {
        annotations: &["ApiController"],
        suffix: Some("Controller"),
        bases: &["Controller", "ControllerBase"],
        is_public: true,
        not_controllers: &["NonController"],
        prefixes: &[("Route", TEMPLATE)],
        actions: &[
            action("HttpGet", Get, TEMPLATE),
            action("HttpPost", Post, TEMPLATE),
            action("HttpPut", Put, TEMPLATE),
            action("HttpDelete", Delete, TEMPLATE),
            action("HttpPatch", Patch, TEMPLATE),
            action("HttpHead", Head, TEMPLATE),
            action("HttpOptions", Options, TEMPLATE),
            ActionAnnotation {
                name: "AcceptVerbs",
                methods: ActionMethods::Arguments,
                path: &[],
            },
        ],
        templates: &["Route"],
        areas: &["Area"],
        not_actions: &["NonAction"],
        base_methods: &[
            "OnActionExecuting",
            "OnActionExecuted",
            "OnActionExecutionAsync",
            "Dispose",
            "DisposeAsync",
            "ToString",
            "Equals",
            "GetHashCode",
        ],
        slugs: &["RouteTokenTransformerConvention"],
        conventional: &[
            conventional("MapControllerRoute", &[At(1), Named("pattern")], &[]),
            conventional(
                "MapAreaControllerRoute",
                &[At(2), Named("pattern")],
                &[At(1), Named("areaName")],
            ),
            conventional("MapRoute", &[At(1), Named("template")], &[]),
            conventional(
                "MapAreaRoute",
                &[At(2), Named("template")],
                &[At(1), Named("areaName")],
            ),
            default_route("MapDefaultControllerRoute"),
            default_route("UseMvcWithDefaultRoute"),
        ],
        prefix_convention: Some(PrefixConvention {
            bases: &["IApplicationModelConvention", "IControllerModelConvention"],
            combines: &["CombineAttributeRouteModel", "AttributeRouteModel"],
            attributes: &["RouteAttribute"],
        }),
        ..ControllerRules::NONE
    }),
    keys: KeyRules {
        calls: &[
            key_call("GetValue", &[At(0), At(1), Named("key")], "GetValue").sectioned(),
            key_call("GetSection", KEY, "GetSection").sectioned(),
            key_call("GetRequiredSection", KEY, "GetSection").sectioned(),
            key_call(
                "GetConnectionString",
                &[At(0), Named("name")],
                "GetConnectionString",
            )
            .within("ConnectionStrings")
            .sectioned(),
            key_call(
                "GetEnvironmentVariable",
                &[At(0), Named("variable")],
                ENVIRONMENT,
            ),
        ],
        indexes: &[KeyIndex {
            objects: &[
                "Configuration",
                "configuration",
                "_configuration",
                "config",
                "_config",
            ],
            is_sectioned: true,
            usage: "IConfiguration indexer",
        }],
        bindings: &[KeyBinding {
            calls: &["Configure", "Get", "Bind", "BindConfiguration"],
            sections: &["GetSection", "GetRequiredSection"],
            named: &["BindConfiguration", "Bind"],
            options: &["AddOptions", "AddOptionsWithValidateOnStart"],
            usage: "Options Configure",
        }],
        ..KeyRules::NONE
    },
    services: ServiceRules {
        registrations: &[
            ("AddScoped", "Scoped"),
            ("AddSingleton", "Singleton"),
            ("AddTransient", "Transient"),
            ("TryAddScoped", "Scoped"),
            ("TryAddSingleton", "Singleton"),
            ("TryAddTransient", "Transient"),
            ("AddHostedService", "Singleton"),
            ("AddHttpClient", "Transient"),
        ],
        middleware: Some(MiddlewareCalls {
            prefix: "Use",
            except: &[
                "UseSqlServer",
                "UseSqlite",
                "UseNpgsql",
                "UseInMemoryDatabase",
                "UseMySql",
                "UseStartup",
                "UseUrls",
                "UseKestrel",
                "UseContentRoot",
                "UseSerilog",
                "UseIISIntegration",
                "UseHiLo",
                "UsePropertyAccessMode",
            ],
            on: &["app", "builder", "application"],
        }),
        retries: &[
            (
                "Polly",
                &[
                    "RetryAsync",
                    "WaitAndRetryAsync",
                    "CircuitBreakerAsync",
                    "AddTransientHttpErrorPolicy",
                    "WaitAndRetry",
                    "Retry",
                    "CircuitBreaker",
                ],
            ),
            (
                "Resilience",
                &[
                    "AddRetry",
                    "AddCircuitBreaker",
                    "AddResilienceHandler",
                    "AddStandardResilienceHandler",
                ],
            ),
        ],
    },
    read: &[endpoint_classes::read, pages::read],
    ..Framework::new("aspnetcore", Family::DotNet)
};

const KEY: Slots = &[At(0), Named("key")];

const fn conventional(call: &'static str, pattern: Slots, area: Slots) -> ConventionalRoute {
    ConventionalRoute {
        call,
        pattern: ConventionalPattern::Argument(pattern),
        area,
        // Behind the area, where there is one.
        defaults: match area {
            [] => &[At(2), Named("defaults")],
            _ => &[At(3), Named("defaults")],
        },
    }
}

const fn default_route(call: &'static str) -> ConventionalRoute {
    ConventionalRoute {
        call,
        pattern: ConventionalPattern::Fixed("{controller=Home}/{action=Index}/{id?}"),
        area: &[],
        defaults: &[],
    }
}
