//! Rules for controllers: classes whose methods annotations make routes.

use super::{HttpMethod, Slots};

/// Routes that annotations on classes and methods declare.
pub struct ControllerRules {
    pub annotations: &'static [&'static str],
    pub suffix: Option<&'static str>,
    pub bases: &'static [&'static str],
    /// Only public classes are controllers.
    pub is_public: bool,
    /// Annotations of classes that look like controllers and are none.
    pub not_controllers: &'static [&'static str],
    pub prefixes: &'static [(&'static str, Slots)],
    pub actions: &'static [ActionAnnotation],
    /// Annotations of methods that are a path and no HTTP method. Where there are any, a path that
    /// begins with `/` stands for itself, and public methods without a method are actions.
    pub templates: &'static [&'static str],
    pub areas: &'static [&'static str],
    pub not_actions: &'static [&'static str],
    /// Public methods that a controller overrides and that are no actions.
    pub base_methods: &'static [&'static str],
    /// Constructors with which names in paths are written `like-this`.
    pub slugs: &'static [&'static str],
    pub conventional: &'static [ConventionalRoute],
    /// Calls that start an application, and what they are called on.
    pub programs: &'static [(&'static str, &'static str)],
    pub global_prefix: Option<GlobalPrefixCall>,
    pub versions: Option<ControllerVersions>,
    pub modules: Option<ModuleRules>,
    pub prefix_convention: Option<PrefixConvention>,
}

impl ControllerRules {
    pub const NONE: ControllerRules = ControllerRules {
        annotations: &[],
        suffix: None,
        bases: &[],
        is_public: false,
        not_controllers: &[],
        prefixes: &[],
        actions: &[],
        templates: &[],
        areas: &[],
        not_actions: &[],
        base_methods: &[],
        slugs: &[],
        conventional: &[],
        programs: &[],
        global_prefix: None,
        versions: None,
        modules: None,
        prefix_convention: None,
    };
}

pub struct ActionAnnotation {
    pub name: &'static str,
    pub methods: ActionMethods,
    pub path: Slots,
}

#[derive(Clone, Copy)]
pub enum ActionMethods {
    Fixed(HttpMethod),
    /// All arguments are methods, none is a path.
    Arguments,
    /// An argument lists constants named like the methods; without it, all methods.
    Listed(Slots),
}

pub const fn action(name: &'static str, method: HttpMethod, path: Slots) -> ActionAnnotation {
    ActionAnnotation {
        name,
        methods: ActionMethods::Fixed(method),
        path,
    }
}

/// A call that maps all controllers without paths of their own.
pub struct ConventionalRoute {
    pub call: &'static str,
    pub pattern: ConventionalPattern,
    /// The area of the controllers that it is for.
    pub area: Slots,
    /// An object with the controller and action that it leads to where the pattern names none.
    pub defaults: Slots,
}

#[derive(Clone, Copy)]
pub enum ConventionalPattern {
    Argument(Slots),
    Fixed(&'static str),
}

/// A call that sets a prefix for all controllers, and its option with the routes that it leaves out.
pub struct GlobalPrefixCall {
    pub call: &'static str,
    pub exclude: &'static str,
}

/// Versions of controllers in paths, where the application turns them on.
pub struct ControllerVersions {
    pub call: &'static str,
    /// The option that says where versions are, and its value for paths, which is the default.
    pub kind: (&'static str, &'static str),
    pub default: &'static str,
    pub prefix_field: &'static str,
    pub prefix: &'static str,
    /// The field of a controller's annotation.
    pub field: &'static str,
    /// The annotation of a method.
    pub annotation: &'static str,
    /// The constant for what is reached without a version.
    pub neutral: &'static str,
}

/// Modules, which list controllers, and calls that give paths to modules.
pub struct ModuleRules {
    pub annotation: &'static str,
    pub controllers: &'static str,
    /// The calls, and what they are called on.
    pub routers: &'static [(&'static str, &'static str)],
    pub path: &'static str,
    pub module: &'static str,
    pub children: &'static str,
}

/// A class that puts a prefix before the paths of all controllers.
pub struct PrefixConvention {
    pub bases: &'static [&'static str],
    /// Names that such a class uses.
    pub combines: &'static [&'static str],
    /// Constructors whose argument is a path.
    pub attributes: &'static [&'static str],
}
