//! What a framework looks like: the types of the constants in `frameworks/`.
//!
//! Every rule names a call, an annotation or a type to look for and says where its path, key or
//! table is written. The modules beside this one apply the rules; a function of the framework's own
//! file reads what no rule can say.

mod controllers;

use std::collections::BTreeSet;

use facts::{Family, SymbolIndex};

use super::Scan;
use crate::FileView;
pub use controllers::*;

/// A framework, or a library that names tables or configuration keys.
pub struct Framework {
    pub name: &'static str,
    pub family: Family,
    /// Prefixes of imported modules; without any, the framework is always looked for.
    pub modules: &'static [&'static str],
    /// Names in manifests, where an import for the whole program is imported in no file.
    pub packages: &'static [&'static str],
    pub routers: RouterRules,
    pub controllers: Option<ControllerRules>,
    pub blocks: Option<BlockRules>,
    pub sql: &'static [SqlCall],
    pub table_queries: &'static [TableQuery],
    pub keys: KeyRules,
    pub tables: TableRules,
    pub services: ServiceRules,
    /// A field of an options object that a plugin is handed may be set anywhere in the program.
    pub has_plugin_options: bool,
    /// Calls that return a setting by its name: `get("app.prefix", "api")`, with a default behind.
    pub settings: &'static [&'static str],
    /// What the rules cannot say.
    pub read: &'static [fn(&Scan<'_>)],
}

impl Framework {
    pub const fn new(name: &'static str, family: Family) -> Framework {
        Framework {
            name,
            family,
            modules: &[],
            packages: &[],
            routers: RouterRules::NONE,
            controllers: None,
            blocks: None,
            sql: &[],
            table_queries: &[],
            keys: KeyRules::NONE,
            tables: TableRules::NONE,
            services: ServiceRules::NONE,
            has_plugin_options: false,
            settings: &[],
            read: &[],
        }
    }
}

/// A framework that is recognised and not read.
pub struct Unsupported {
    pub name: &'static str,
    pub family: Family,
    pub modules: &'static [&'static str],
}

/// One way to find an argument of a call or an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot<'a> {
    /// The position among the arguments without a name.
    At(usize),
    Named(&'a str),
}

/// Ways to find one argument, the first that is there counts.
pub type Slots = &'static [Slot<'static>];

/// The first argument without a name.
pub const FIRST: Slots = &[Slot::At(0)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Post,
    Put,
    Delete,
    Patch,
    Head,
    Options,
    Trace,
    Any,
}

impl HttpMethod {
    pub const fn as_str(self) -> &'static str {
        match self {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
            HttpMethod::Put => "PUT",
            HttpMethod::Delete => "DELETE",
            HttpMethod::Patch => "PATCH",
            HttpMethod::Head => "HEAD",
            HttpMethod::Options => "OPTIONS",
            HttpMethod::Trace => "TRACE",
            HttpMethod::Any => "ANY",
        }
    }
}

/// Routes that are registered on objects.
pub struct RouterRules {
    pub makers: &'static [RouterMaker],
    /// Types of routers, as variables and parameters declare them.
    pub types: &'static [&'static str],
    /// What variables that hold routers are usually called.
    pub usual_names: &'static [&'static str],
    /// Calls that return the router they are called on.
    pub chained: &'static [&'static str],
    /// Functions of the program make routers, and others mount what they return.
    pub is_returned: bool,
    /// Calls that return the plugin they are given, without a prefix of its own.
    pub wrappers: &'static [&'static str],
    pub routes: &'static [RouteCall],
    pub objects: &'static [RouteObject],
    pub decorators: &'static [RouteDecorator],
    /// `get` of `route("/x", get(list))`.
    pub method_calls: &'static [(&'static str, HttpMethod)],
    /// `to` of `web::get().to(list)`.
    pub handler_calls: &'static [&'static str],
    /// `route` of `router.route("/x").get(list)`: the path is written before the methods.
    pub path_calls: &'static [&'static str],
    /// `Methods` of `r.HandleFunc("/x", h).Methods("GET")`.
    pub methods_after: Option<&'static str>,
    /// `Method` of the constant `http.MethodGet`.
    pub method_constants: Option<&'static str>,
    pub mounts: &'static [MountCall],
    pub directories: &'static [MountDirectory],
    pub groups: &'static [GroupCall],
    pub group_callbacks: &'static [GroupCallback],
    pub group_class: Option<GroupClass>,
    /// Calls that only a program makes. With one of them, a function that nobody names maps nothing.
    pub program_calls: &'static [&'static str],
}

impl RouterRules {
    pub const NONE: RouterRules = RouterRules {
        makers: &[],
        types: &[],
        usual_names: &[],
        chained: &[],
        is_returned: false,
        wrappers: &[],
        routes: &[],
        objects: &[],
        decorators: &[],
        method_calls: &[],
        handler_calls: &[],
        path_calls: &[],
        methods_after: None,
        method_constants: None,
        mounts: &[],
        directories: &[],
        groups: &[],
        group_callbacks: &[],
        group_class: None,
        program_calls: &[],
    };
}

/// A call or constructor that makes a router.
pub struct RouterMaker {
    pub call: &'static str,
    pub prefix: Slots,
    /// What it must be called on; anything where empty.
    pub on: &'static [&'static str],
}

pub const fn maker(call: &'static str) -> RouterMaker {
    RouterMaker {
        call,
        prefix: &[],
        on: &[],
    }
}

impl RouterMaker {
    pub const fn prefix(mut self, prefix: Slots) -> RouterMaker {
        self.prefix = prefix;
        self
    }

    pub const fn on(mut self, on: &'static [&'static str]) -> RouterMaker {
        self.on = on;
        self
    }
}

/// Where the methods of a route are written.
#[derive(Clone, Copy)]
pub enum RouteMethods {
    Fixed(&'static [HttpMethod]),
    /// An argument lists them; without it, this one.
    Listed(Slots, HttpMethod),
    /// In the path: `"GET /x"`, or else in a call behind the route.
    InPath,
    /// In an argument made of calls: `get(list).post(add)`.
    Calls(Slots),
}

/// A call that registers a route.
pub struct RouteCall {
    pub call: &'static str,
    pub methods: RouteMethods,
    pub path: Slots,
    /// The argument that is the method, before all other ways.
    pub method: Slots,
    /// The handler; the last argument where empty.
    pub handler: Slots,
    /// Added to the path.
    pub suffix: Option<&'static str>,
    /// The name of the call is enough: what it is called on need not be a known router.
    pub is_distinctive: bool,
}

pub const fn route(call: &'static str, methods: &'static [HttpMethod], path: Slots) -> RouteCall {
    route_by(call, RouteMethods::Fixed(methods), path)
}

pub const fn route_by(call: &'static str, methods: RouteMethods, path: Slots) -> RouteCall {
    RouteCall {
        call,
        methods,
        path,
        method: &[],
        handler: &[],
        suffix: None,
        is_distinctive: false,
    }
}

impl RouteCall {
    pub const fn method(mut self, method: Slots) -> RouteCall {
        self.method = method;
        self
    }

    pub const fn handler(mut self, handler: Slots) -> RouteCall {
        self.handler = handler;
        self
    }

    pub const fn suffix(mut self, suffix: &'static str) -> RouteCall {
        self.suffix = Some(suffix);
        self
    }

    pub const fn distinctive(mut self) -> RouteCall {
        self.is_distinctive = true;
        self
    }
}

/// A call that takes a route as an object. Each field goes by several names.
pub struct RouteObject {
    pub call: &'static str,
    pub method: &'static [&'static str],
    pub path: &'static [&'static str],
    pub handler: &'static [&'static str],
}

/// An annotation on a handler: `@app.get("/x")`.
pub struct RouteDecorator {
    pub name: &'static str,
    pub methods: RouteMethods,
    pub path: Slots,
    /// It is on no object: the function itself is mounted.
    pub is_bare: bool,
}

pub const fn decorator(
    name: &'static str,
    methods: &'static [HttpMethod],
    path: Slots,
) -> RouteDecorator {
    RouteDecorator {
        name,
        methods: RouteMethods::Fixed(methods),
        path,
        is_bare: false,
    }
}

/// A call that puts routers, or functions that fill one, below another.
pub struct MountCall {
    pub call: &'static str,
    /// What is mounted; every argument where empty.
    pub object: Slots,
    pub prefix: Slots,
    /// The prefix as a field of an argument.
    pub prefix_field: Option<(Slots, &'static str)>,
}

pub const fn mount(call: &'static str, object: Slots, prefix: Slots) -> MountCall {
    MountCall {
        call,
        object,
        prefix,
        prefix_field: None,
    }
}

/// A call that mounts every file of a directory; all but the call are fields of its second argument.
pub struct MountDirectory {
    pub call: &'static str,
    pub directory: &'static str,
    /// The field that turns prefixes by directory off.
    pub without_names: &'static str,
    /// The field with which `_id` among directories is a parameter.
    pub parameters: &'static str,
    pub options: &'static str,
    pub prefix: &'static str,
    /// What a file exports as its prefix, instead of its directory, and before everything else.
    pub own_prefix: &'static str,
    pub whole_prefix: &'static str,
    /// The file that stands for all of its directory.
    pub index: &'static str,
}

/// A call that makes a router with a prefix below the one it is called on.
pub struct GroupCall {
    pub call: &'static str,
    pub prefix: Slots,
}

pub const fn group(call: &'static str, prefix: Slots) -> GroupCall {
    GroupCall { call, prefix }
}

/// A call that fills a router below the one it is called on inside a function.
pub struct GroupCallback {
    pub call: &'static str,
    pub prefix: Slots,
    pub function: Slots,
}

/// Classes that are groups: the prefix is made of the class's name, and the handler is the first
/// argument of a route.
pub struct GroupClass {
    pub bases: &'static [&'static str],
    pub prefix: &'static str,
    /// The property that names the group instead of the class.
    pub named: &'static str,
    pub path: Slots,
}

/// Routes that are written in nested blocks, and resources.
pub struct BlockRules {
    /// Files of routes, directories with `/` at the end; every file where empty.
    pub files: &'static [&'static str],
    /// What routes are called on; nothing where empty.
    pub receivers: &'static [&'static str],
    pub routes: &'static [BlockRoute],
    pub roots: &'static [(&'static str, HttpMethod)],
    pub scopes: &'static [BlockScope],
    /// Calls that name the controller of what is inside.
    pub controllers: &'static [&'static str],
    pub resources: &'static [BlockResource],
    pub parts: &'static [(&'static str, ResourcePart)],
    pub template: Option<BlockTemplate>,
    /// The call and option with which members of nested resources are beside their parent.
    pub shallow: Option<&'static str>,
    /// Actions that add nothing to the path of a member or collection where they are symbols.
    pub canonical: &'static [&'static str],
    pub mount: Option<BlockMount>,
    /// Calls that read another file here: the call, and the file's path with `{}` for the argument.
    pub includes: &'static [(&'static str, &'static str)],
    /// Files with a prefix of their own.
    pub prefixes: &'static [(&'static str, &'static str)],
    /// A setting that leaves the forms of resources out: what it belongs to, and its setter.
    pub without_forms: Option<(&'static str, &'static str)>,
    pub actions: &'static [ResourceAction],
    pub libraries: &'static [BlockLibrary],
}

pub struct BlockRoute {
    pub call: &'static str,
    pub methods: BlockMethods,
    /// The path; the first argument where empty.
    pub path: Slots,
    /// Each argument without a name is a path.
    pub is_several: bool,
}

#[derive(Clone, Copy)]
pub enum BlockMethods {
    Fixed(HttpMethod),
    Given(Slot<'static>),
}

pub const fn block_route(call: &'static str, method: HttpMethod) -> BlockRoute {
    BlockRoute {
        call,
        methods: BlockMethods::Fixed(method),
        path: &[],
        is_several: false,
    }
}

impl BlockRoute {
    pub const fn several(mut self) -> BlockRoute {
        self.is_several = true;
        self
    }
}

/// A block that adds to the path of what is inside.
pub struct BlockScope {
    pub call: &'static str,
    /// Its first argument is a part of the path.
    pub is_path: bool,
    pub path_option: Option<&'static str>,
    /// Its path stays before shallow resources.
    pub is_namespace: bool,
}

/// A call that puts the routes of another application below this one.
pub struct BlockMount {
    pub call: &'static str,
    pub at: &'static str,
    /// The call whose block has the routes of an application.
    pub draw: &'static str,
}

/// A call that makes the routes of a resource.
pub struct BlockResource {
    pub call: &'static str,
    /// There is only one: its paths have no parameter.
    pub is_one: bool,
    /// Each argument without a name is a resource.
    pub is_several: bool,
    /// The parameter of a member, with `{singular}` for the resource's name.
    pub item: &'static str,
    /// The parameter below which routes inside the block are; the member's where absent.
    pub nested: Option<&'static str>,
    /// The actions it has; all where empty.
    pub actions: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourcePart {
    Collection,
    Member,
    New,
}

/// A block of routes under a name, which resources use by an option.
pub struct BlockTemplate {
    pub call: &'static str,
    pub used_by: &'static str,
}

pub struct ResourceAction {
    pub name: &'static str,
    pub methods: &'static [HttpMethod],
    pub part: ResourcePart,
    pub path: &'static str,
    /// It shows a form, which an application without pages has not.
    pub is_form: bool,
}

pub const fn resource_action(
    name: &'static str,
    methods: &'static [HttpMethod],
    part: ResourcePart,
) -> ResourceAction {
    ResourceAction {
        name,
        methods,
        part,
        path: "",
        is_form: false,
    }
}

impl ResourceAction {
    pub const fn path(mut self, path: &'static str) -> ResourceAction {
        self.path = path;
        self
    }

    pub const fn form(mut self) -> ResourceAction {
        self.is_form = true;
        self
    }
}

/// Methods and a path below a resource.
pub type LibraryRoute = (&'static [HttpMethod], &'static str);

/// A call with which a library makes routes for a model.
pub struct BlockLibrary {
    pub call: &'static str,
    /// The call inside the model that names what it can do.
    pub model: &'static str,
    /// The option that renames parts of paths.
    pub names: &'static str,
    /// Options that leave parts out.
    pub skip: &'static str,
    pub only: &'static str,
    /// What a model can do, what these options call it, and the routes for it.
    pub parts: &'static [(&'static str, &'static str, &'static [LibraryRoute])],
}

/// Calls that are handed a statement.
pub struct SqlCall {
    pub calls: &'static [&'static str],
    /// Positions at which the statement may be.
    pub arguments: &'static [usize],
    pub on: &'static [&'static str],
}

pub const fn sql(calls: &'static [&'static str], arguments: &'static [usize]) -> SqlCall {
    SqlCall {
        calls,
        arguments,
        on: &[],
    }
}

/// Calls that begin a query with the name of a table.
pub struct TableQuery {
    pub call: &'static str,
    pub on: &'static [&'static str],
}

/// How configuration keys are read.
pub struct KeyRules {
    pub calls: &'static [KeyCall],
    pub indexes: &'static [KeyIndex],
    pub bindings: &'static [KeyBinding],
    /// Objects whose members are keys.
    pub members: &'static [KeyUse],
    /// Annotations with a key in an expression: `@Value("${shop.name}")`.
    pub annotations: &'static [KeyUse],
    pub fields: &'static [KeyField],
    pub classes: &'static [KeyClass],
}

impl KeyRules {
    pub const NONE: KeyRules = KeyRules {
        calls: &[],
        indexes: &[],
        bindings: &[],
        members: &[],
        annotations: &[],
        fields: &[],
        classes: &[],
    };
}

/// The usage of keys that are environment variables.
pub const ENVIRONMENT: &str = "environment";

/// A name, and what reading a key by it is called.
pub struct KeyUse {
    pub name: &'static str,
    pub usage: &'static str,
}

pub const fn key_use(name: &'static str, usage: &'static str) -> KeyUse {
    KeyUse { name, usage }
}

/// A call that reads a key.
pub struct KeyCall {
    pub call: &'static str,
    pub key: Slots,
    pub on: &'static [&'static str],
    /// The section that the key is in.
    pub within: Option<&'static str>,
    /// What it is called on may be a section: keys are joined by `:`.
    pub is_sectioned: bool,
    pub usage: &'static str,
}

pub const fn key_call(call: &'static str, key: Slots, usage: &'static str) -> KeyCall {
    KeyCall {
        call,
        key,
        on: &[],
        within: None,
        is_sectioned: false,
        usage,
    }
}

impl KeyCall {
    pub const fn on(mut self, on: &'static [&'static str]) -> KeyCall {
        self.on = on;
        self
    }

    pub const fn within(mut self, section: &'static str) -> KeyCall {
        self.within = Some(section);
        self
    }

    pub const fn sectioned(mut self) -> KeyCall {
        self.is_sectioned = true;
        self
    }
}

/// Objects that are indexed by keys.
pub struct KeyIndex {
    pub objects: &'static [&'static str],
    pub is_sectioned: bool,
    pub usage: &'static str,
}

/// Calls that bind a section to a class.
pub struct KeyBinding {
    pub calls: &'static [&'static str],
    /// Calls that return a section.
    pub sections: &'static [&'static str],
    /// Calls whose argument is the name of a section.
    pub named: &'static [&'static str],
    /// Calls before it that name the class.
    pub options: &'static [&'static str],
    pub usage: &'static str,
}

/// Annotations of fields with a variable as an option; bare, the variable is named like the field.
pub struct KeyField {
    pub annotations: &'static [&'static str],
    pub option: &'static str,
    pub usage: &'static str,
}

/// Classes whose fields are variables.
pub struct KeyClass {
    pub bases: &'static [&'static str],
    /// The name in an inner class that is the prefix of all variables.
    pub prefix: &'static str,
    /// Fields that are no variables.
    pub except: &'static [&'static str],
    pub usage: &'static str,
}

/// How tables are declared.
pub struct TableRules {
    pub annotations: &'static [TableAnnotation],
    /// Attributes of classes that are the table's name.
    pub attributes: &'static [&'static str],
    pub models: &'static [TableModel],
    pub calls: &'static [TableCall],
    pub definitions: &'static [TableDefinition],
}

impl TableRules {
    pub const NONE: TableRules = TableRules {
        annotations: &[],
        attributes: &[],
        models: &[],
        calls: &[],
        definitions: &[],
    };
}

/// What the table of a class is called that does not say.
#[derive(Clone, Copy)]
pub enum TableConvention {
    Snake,
    Plural,
    PluralLower,
    PluralAsIs,
    Lower,
    By(fn(&Scan<'_>, &FileView, SymbolIndex) -> String),
}

/// An annotation that makes a class an entity.
pub struct TableAnnotation {
    pub name: &'static str,
    pub table: Slots,
    /// The table as a field of an object that is the first argument.
    pub field: &'static str,
    /// The table may be a name instead of a string.
    pub is_bare: bool,
    pub convention: Option<TableConvention>,
}

pub const fn table_annotation(name: &'static str, table: Slots) -> TableAnnotation {
    TableAnnotation {
        name,
        table,
        field: "name",
        is_bare: false,
        convention: None,
    }
}

/// Classes that are tables by their base.
pub struct TableModel {
    /// Bases by their last name, or as they are written where they contain a dot.
    pub bases: &'static [&'static str],
    pub convention: TableConvention,
    /// The attribute that is the table's name.
    pub attribute: Option<&'static str>,
    /// The setter that names the table.
    pub setter: Option<&'static str>,
    /// The inner class that has the switches, and its name for the table.
    pub meta: Option<(&'static str, &'static str)>,
    /// The switch of a class that has no table and whose derived classes have.
    pub abstract_switch: Option<&'static str>,
    /// The switch of a class that is another view of its base's table.
    pub proxy_switch: Option<&'static str>,
    /// A derived class has a table of its own beside that of its base.
    pub has_table_per_class: bool,
    /// What the class's header must set to true.
    pub marker: Option<&'static str>,
    /// The tables that the program's own changes to the database make. A class has no table by
    /// convention that is not among them, where there are any.
    pub made: Option<fn(&Scan<'_>) -> BTreeSet<String>>,
}

impl TableModel {
    pub const fn new(bases: &'static [&'static str], convention: TableConvention) -> TableModel {
        TableModel {
            bases,
            convention,
            attribute: None,
            setter: None,
            meta: None,
            abstract_switch: None,
            proxy_switch: None,
            has_table_per_class: false,
            marker: None,
            made: None,
        }
    }
}

/// A call that makes a table, with its name as the first argument.
pub struct TableCall {
    pub call: &'static str,
    /// What it is called on, as written; anything where empty.
    pub on: &'static [&'static str],
}

pub const fn table_call(call: &'static str) -> TableCall {
    TableCall { call, on: &[] }
}

/// A call that defines a model.
pub struct TableDefinition {
    pub call: &'static str,
    /// What it is called on; anything where empty.
    pub on: &'static [&'static str],
    /// It may be called on nothing.
    pub is_free: bool,
    pub model: &'static [ModelName],
    pub table: &'static [ModelName],
    /// Fields that one of its objects must have.
    pub needs: &'static [&'static str],
    pub convention: TableConvention,
}

/// Where the name of a model or its table is written.
#[derive(Clone, Copy)]
pub enum ModelName {
    Argument(usize),
    Field(&'static str),
    Receiver,
}

/// Registered services, middleware and retry policies.
pub struct ServiceRules {
    /// Calls that register a service, and its lifetime.
    pub registrations: &'static [(&'static str, &'static str)],
    pub middleware: Option<MiddlewareCalls>,
    /// Calls that make retry policies, by library.
    pub retries: &'static [(&'static str, &'static [&'static str])],
}

impl ServiceRules {
    pub const NONE: ServiceRules = ServiceRules {
        registrations: &[],
        middleware: None,
        retries: &[],
    };
}

pub struct MiddlewareCalls {
    /// What their names begin with.
    pub prefix: &'static str,
    pub except: &'static [&'static str],
    /// What the chain of calls begins with.
    pub on: &'static [&'static str],
}
