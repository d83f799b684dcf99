//! Routes written in nested blocks, and resources that stand for several routes: `namespace :api do
//! resources :posts end`, `Route::prefix('api')->group(fn () => Route::resource('posts',
//! PostController::class))`.

use facts::{Recipe, RecipeId, ScopeId, ScopeKind, Span};

use super::{
    ArchitectureFact, ArchitectureKind, Certainty,
    inflection::{camel, plural, singular},
    joined,
    places::{CallSite, Known, Places, Spot},
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, SymbolId, query};

pub fn read(places: &Places<'_>, framework: &Framework) {
    if framework.of("block-route").next().is_none() {
        return;
    }
    let mut reader = Blocks {
        places,
        framework,
        inclusions: Vec::new(),
        is_api_only: false,
    };
    reader.find_inclusions();
    reader.is_api_only = reader.says_api_only();
    reader.read_routes();
    reader.read_resources();
    reader.read_library_routes();
}

struct Blocks<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
    /// Files that are read inside blocks of another: (end of the path, levels around).
    inclusions: Vec<(String, Vec<Level>)>,
    is_api_only: bool,
}

/// A call whose block something stands in, or that stands before it in a chain.
#[derive(Clone, Debug)]
struct Level {
    file: FileId,
    scope: ScopeId,
    at: u32,
    name: String,
    arguments: Vec<RecipeId>,
}

/// Where a place stands among the blocks around it.
#[derive(Clone, Debug, Default)]
struct Base {
    path: String,
    /// `Admin` of `namespace :admin`.
    modules: Vec<String>,
    controller: Option<String>,
    resource: Option<Resource>,
}

#[derive(Clone, Debug, Default)]
struct Resource {
    collection: String,
    member: String,
    controller: String,
}

const MAX_LEVELS: usize = 64;

impl Blocks<'_> {
    fn sites(&self, verb: &'static str) -> Vec<(&Rule, CallSite)> {
        let mut sites = self.places.sites(self.framework, verb);
        sites.retain(|(_, site)| self.is_here(site));
        sites
    }

    /// In a file of routes, on the object that routes hang on.
    fn is_here(&self, site: &CallSite) -> bool {
        let path = self
            .places
            .resolver
            .snapshot()
            .file(site.view.id)
            .path
            .as_str();
        let files: Vec<&str> = self.framework.words("block-file").collect();
        let in_file = files.is_empty()
            || files.iter().any(|file| {
                path == *file
                    || path.ends_with(&format!("/{file}"))
                    || file.ends_with('/') && format!("/{path}").contains(&format!("/{file}"))
            });
        let receivers: Vec<&str> = self.framework.words("block-receiver").collect();
        let on_receiver = match site.reference.receiver {
            None => receivers.is_empty(),
            Some(receiver) => {
                let (_, root) = self.chain(&site.view, receiver);
                root.is_some_and(|root| receivers.contains(&root.as_str()))
            }
        };
        in_file && on_receiver
    }

    /// The calls of a chain, first written first, and the name it begins with.
    fn chain(
        &self,
        view: &FileView,
        mut recipe: RecipeId,
    ) -> (Vec<(String, Vec<RecipeId>)>, Option<String>) {
        let mut calls = Vec::new();
        for _ in 0..MAX_LEVELS {
            match view.facts.recipe(recipe) {
                Recipe::Call(callee, list) => {
                    let Some(name) = self.places.last_name(view, callee) else {
                        break;
                    };
                    calls.push((name.to_owned(), view.facts.list(list).to_vec()));
                    match view.facts.recipe(callee) {
                        Recipe::Member(inner, _) | Recipe::Scoped(inner, _) => recipe = inner,
                        _ => break,
                    }
                }
                Recipe::Type(ty) => {
                    calls.reverse();
                    return (
                        calls,
                        super::routers::type_name(view, ty).map(str::to_owned),
                    );
                }
                _ => {
                    calls.reverse();
                    return (
                        calls,
                        self.places.last_name(view, recipe).map(str::to_owned),
                    );
                }
            }
        }
        calls.reverse();
        (calls, None)
    }

    /// The blocks around a call, outermost first, and the chain before it.
    fn levels(&self, site: &CallSite) -> Vec<Level> {
        let mut levels = self.blocks(&site.view, site.reference.scope);
        if let Some(receiver) = site.reference.receiver {
            levels.extend(self.chain_levels(
                &site.view,
                receiver,
                site.reference.scope,
                site.reference.span.start,
            ));
        }
        let path = self
            .places
            .resolver
            .snapshot()
            .file(site.view.id)
            .path
            .as_str();
        if let Some((_, around)) = self
            .inclusions
            .iter()
            .find(|(end, _)| path.ends_with(end.as_str()))
        {
            levels.splice(0..0, around.iter().cloned());
        }
        levels
    }

    fn chain_levels(
        &self,
        view: &FileView,
        recipe: RecipeId,
        scope: ScopeId,
        at: u32,
    ) -> Vec<Level> {
        let (calls, _) = self.chain(view, recipe);
        calls
            .into_iter()
            .map(|(name, arguments)| Level {
                file: view.id,
                scope,
                at,
                name,
                arguments,
            })
            .collect()
    }

    fn blocks(&self, view: &FileView, mut scope: ScopeId) -> Vec<Level> {
        let mut around = Vec::new();
        for _ in 0..MAX_LEVELS {
            let here = view.facts.scope(scope);
            if let Some(context) = here.context.filter(|_| here.kind == ScopeKind::Lambda) {
                around.push(self.chain_levels(view, context.call, here.parent, here.span.start));
            }
            if here.parent == scope {
                break;
            }
            scope = here.parent;
        }
        around.into_iter().rev().flatten().collect()
    }

    /// `draw :admin` reads `config/routes/admin.rb`; `->group(base_path('routes/api.php'))` reads
    /// that file.
    fn find_inclusions(&mut self) {
        let mut found = Vec::new();
        for rule in self.framework.of("block-include") {
            for site in self.places.calls(self.framework.family, rule.name()) {
                let Some(argument) = site.arguments.first() else {
                    continue;
                };
                let named = match site.view.facts.recipe(*argument) {
                    Recipe::Call(_, list) => site
                        .view
                        .facts
                        .list(list)
                        .first()
                        .and_then(|path| self.places.string(site.spot(), *path)),
                    _ => self.places.string(site.spot(), *argument),
                };
                let Some(named) = named else { continue };
                let end = rule
                    .option("file")
                    .unwrap_or("{}")
                    .replace("{}", named.text.trim_start_matches('/'));
                if end.contains('.') {
                    found.push((end, self.levels(&site)));
                }
            }
        }
        for rule in self.framework.of("block-prefix") {
            let (Some(file), Some(prefix)) = (rule.words.first(), rule.words.get(1)) else {
                continue;
            };
            if !found.iter().any(|(end, _)| end.ends_with(file)) {
                let level = Level {
                    file: FileId(0),
                    scope: ScopeId::FILE,
                    at: 0,
                    name: format!("={prefix}"),
                    arguments: Vec::new(),
                };
                found.push(((*file).to_owned(), vec![level]));
            }
        }
        self.inclusions = found;
    }

    /// An application without pages has no forms either.
    fn says_api_only(&self) -> bool {
        self.framework.of("block-api-only").any(|rule| {
            let wanted = format!("{}=", rule.name());
            let names = [rule.name(), wanted.as_str()];
            names.iter().any(|name| {
                self.places
                    .mentioning(self.framework.family, name)
                    .iter()
                    .any(|view| {
                        self.places.text(view.id).is_some_and(|text| {
                            text.lines().any(|line| {
                                line.trim_start().starts_with("config.")
                                    && line.contains(rule.name())
                                    && line.contains("true")
                            })
                        })
                    })
            })
        })
    }

    fn text(&self, level: &Level, recipe: RecipeId) -> Option<Known> {
        let view = self.places.resolver.view(level.file)?;
        self.places.string(
            Spot {
                view: &view,
                scope: level.scope,
                at: level.at,
            },
            recipe,
        )
    }

    fn texts(&self, level: &Level, recipe: RecipeId) -> Vec<String> {
        let Some(view) = self.places.resolver.view(level.file) else {
            return Vec::new();
        };
        let spot = Spot {
            view: &view,
            scope: level.scope,
            at: level.at,
        };
        self.places
            .strings(spot, recipe)
            .into_iter()
            .map(|known| known.text)
            .collect()
    }

    /// An option of a call, also one of an array that is handed in.
    fn option(&self, level: &Level, name: &str) -> Option<RecipeId> {
        let view = self.places.resolver.view(level.file)?;
        self.places
            .argument(&view, &level.arguments, name)
            .filter(|_| name.parse::<usize>().is_err())
            .or_else(|| {
                level
                    .arguments
                    .iter()
                    .find_map(|argument| self.places.field(&view, *argument, name))
            })
    }

    fn option_text(&self, level: &Level, name: &str) -> Option<String> {
        self.option(level, name)
            .and_then(|recipe| self.text(level, recipe))
            .map(|known| known.text)
    }

    /// Names without a key, in order.
    fn plain(&self, level: &Level) -> Vec<String> {
        let Some(view) = self.places.resolver.view(level.file) else {
            return Vec::new();
        };
        let plain = level.arguments.iter().filter(|argument| {
            matches!(
                view.facts.recipe(**argument),
                Recipe::Str(_) | Recipe::Name(_) | Recipe::Member(..)
            )
        });
        plain
            .filter_map(|argument| self.text(level, *argument))
            .map(|known| known.text)
            .collect()
    }

    /// What blocks around a place say of it. Nothing where one of them is a template that others
    /// use.
    fn base(&self, levels: &[Level]) -> Option<Base> {
        let mut base = Base::default();
        for level in levels {
            if let Some(prefix) = level.name.strip_prefix('=') {
                base.path = joined(&base.path, prefix);
                continue;
            }
            let name = level.name.as_str();
            if self
                .framework
                .words("block-template")
                .any(|word| word == name)
            {
                return None;
            }
            if let Some(rule) = self
                .framework
                .of("block-scope")
                .find(|rule| rule.name() == name)
            {
                self.enter_scope(&mut base, rule, level);
            } else if let Some(rule) = self
                .framework
                .of("block-resources")
                .find(|rule| rule.name() == name)
            {
                let resource = self
                    .plain(level)
                    .first()
                    .map(|name| self.resource(&base, rule, level, name));
                if let Some((resource, nested)) = resource {
                    base.path = nested;
                    base.resource = Some(resource);
                }
            } else if let Some(rule) = self
                .framework
                .of("block-part")
                .find(|rule| rule.name() == name)
            {
                if let Some(resource) = &base.resource {
                    base.path = part(resource, rule.words.get(1).copied().unwrap_or("member"));
                }
            } else if self
                .framework
                .words("block-controller")
                .any(|word| word == name)
            {
                base.controller = level
                    .arguments
                    .first()
                    .and_then(|class| self.class_name(level, *class));
            }
        }
        Some(base)
    }

    fn enter_scope(&self, base: &mut Base, rule: &Rule, level: &Level) {
        let first = self.plain(level).into_iter().next();
        let path = rule
            .option("path-option")
            .and_then(|name| self.option_text(level, name));
        let segment = path.or_else(|| {
            rule.words
                .contains(&"path")
                .then(|| first.clone())
                .flatten()
        });
        if let Some(segment) = segment {
            base.path = joined(&base.path, &segment);
        }
        let module = rule
            .option("module-option")
            .and_then(|name| self.option_text(level, name));
        base.modules
            .extend(module.or_else(|| rule.words.contains(&"module").then_some(first).flatten()));
        if let Some(controller) = self.option_text(level, "controller") {
            base.controller = Some(controller);
        }
    }

    /// A resource below a base, and the path that what stands in its block hangs on.
    fn resource(&self, base: &Base, rule: &Rule, level: &Level, name: &str) -> (Resource, String) {
        let segment = self
            .option_text(level, "path")
            .unwrap_or_else(|| name.to_owned());
        let is_one = rule.words.contains(&"one");
        // `photos.comments` is a comment of a photo.
        let parts: Vec<&str> = segment.split('.').collect();
        let placeholder = |name: &str| {
            let name = name.rsplit('/').next().unwrap_or(name);
            rule.option("item")
                .unwrap_or(":id")
                .replace("{singular}", &singular(name).replace('-', "_"))
        };
        let mut collection = base.path.clone();
        for (i, part) in parts.iter().enumerate() {
            collection = joined(&collection, part);
            if i + 1 < parts.len() {
                collection = joined(&collection, &placeholder(part));
            }
        }
        let parameter = self.option_text(level, "param");
        let item = match &parameter {
            Some(parameter) => rule
                .option("item")
                .unwrap_or(":id")
                .replace("id", parameter)
                .replace("{singular}", parameter),
            None => placeholder(parts.last().unwrap_or(&name)),
        };
        let member = if is_one {
            collection.clone()
        } else {
            joined(&collection, &item)
        };
        let nested = match rule.option("nested") {
            _ if is_one => collection.clone(),
            Some(nested) => {
                let nested = nested
                    .replace("{singular}", &singular(name))
                    .replace("{param}", parameter.as_deref().unwrap_or("id"));
                joined(&collection, &nested)
            }
            None => member.clone(),
        };
        let controller = self.option_text(level, "controller").unwrap_or_else(|| {
            if is_one {
                plural(name)
            } else {
                name.to_owned()
            }
        });
        (
            Resource {
                collection,
                member,
                controller,
            },
            nested,
        )
    }

    fn read_routes(&self) {
        for (rule, site) in self.sites("block-route") {
            let own = own_level(&site);
            let Some(mut base) = self.base(&self.levels(&site)) else {
                continue;
            };
            // `on: :collection` for one route.
            if let (Some(on), Some(resource)) = (self.option_text(&own, "on"), &base.resource) {
                base.path = part(resource, &on);
            }
            let methods = self.methods(rule, &own);
            let (paths, target) = self.paths(rule, &site, &own);
            if paths.is_empty() {
                self.places.not_understood(site.file(), site.reference.span);
            }
            for path in paths {
                let to = target.clone().or_else(|| self.implied(&base, &path.text));
                let symbol = to
                    .as_deref()
                    .and_then(|to| self.handler(&base, to))
                    .or_else(|| self.handler_argument(&site));
                for method in &methods {
                    self.add(
                        method,
                        joined(&base.path, &path.text),
                        symbol,
                        site.file(),
                        site.reference.span,
                        self.places.certainty(path.is_whole, true),
                    );
                }
            }
        }
        for (rule, site) in self.sites("block-root") {
            let own = own_level(&site);
            let Some(base) = self.base(&self.levels(&site)) else {
                continue;
            };
            let to = self
                .option_text(&own, "to")
                .or_else(|| self.plain(&own).into_iter().next());
            let symbol = to.as_deref().and_then(|to| self.handler(&base, to));
            self.add(
                rule.words.get(1).unwrap_or(&"GET"),
                joined(&base.path, ""),
                symbol,
                site.file(),
                site.reference.span,
                Certainty::Declared,
            );
        }
    }

    fn methods(&self, rule: &Rule, own: &Level) -> Vec<String> {
        let given = rule
            .option("method")
            .and_then(|spec| match spec.parse::<usize>() {
                Ok(i) => own.arguments.get(i).copied(),
                Err(_) => self.option(own, spec),
            });
        let listed: Vec<String> = given
            .map(|given| self.texts(own, given))
            .unwrap_or_default();
        if listed.is_empty() {
            return vec![rule.words.get(1).unwrap_or(&"ANY").to_string()];
        }
        listed
            .into_iter()
            .map(|method| {
                if method.eq_ignore_ascii_case("all") {
                    "ANY".to_owned()
                } else {
                    method.to_uppercase()
                }
            })
            .collect()
    }

    /// The paths of a route and what it leads to, where that is said.
    fn paths(&self, rule: &Rule, site: &CallSite, own: &Level) -> (Vec<Known>, Option<String>) {
        let view = &site.view;
        let target = self.option_text(own, "to").or_else(|| {
            let action = self.option_text(own, "action")?;
            Some(
                self.option_text(own, "controller")
                    .map_or(format!("#{action}"), |controller| {
                        format!("{controller}#{action}")
                    }),
            )
        });
        if let Some(spec) = rule.option("path").filter(|spec| *spec != "0") {
            return (self.places.texts(site, spec), target);
        }
        // `get "/rss" => "home#index"`.
        let pair = own
            .arguments
            .iter()
            .find_map(|argument| match view.facts.recipe(*argument) {
                Recipe::Field(path, value)
                    if view.facts.name(path).contains('/') || is_target(self, own, value) =>
                {
                    Some((
                        Known {
                            text: view.facts.name(path).to_owned(),
                            is_whole: true,
                        },
                        value,
                    ))
                }
                Recipe::Entry(path, value) => Some((self.text(own, path)?, value)),
                _ => None,
            });
        if let Some((path, value)) = pair.filter(|_| self.plain(own).is_empty()) {
            return (
                vec![path],
                self.text(own, value).map(|known| known.text).or(target),
            );
        }
        let bare: Vec<Known> = if rule.words.contains(&"several") {
            self.plain(own)
                .into_iter()
                .map(|text| Known {
                    text,
                    is_whole: true,
                })
                .collect()
        } else {
            Vec::new()
        };
        (
            if bare.is_empty() {
                self.places.texts(site, "0")
            } else {
                bare
            },
            target,
        )
    }

    /// `get "photos/show"` leads to `photos#show`; inside a resource a bare name is an action of
    /// its controller.
    fn implied(&self, base: &Base, path: &str) -> Option<String> {
        let plain = path.trim_matches('/');
        match (&base.resource, plain.rsplit_once('/')) {
            (Some(resource), None) => Some(format!("{}#{plain}", resource.controller)),
            (None, Some((controller, action))) => Some(format!("{controller}#{action}")),
            (None, None) => base
                .controller
                .as_ref()
                .map(|controller| format!("{controller}#{plain}")),
            _ => None,
        }
    }

    fn read_resources(&self) {
        for (rule, site) in self.sites("block-resources") {
            let own = own_level(&site);
            let Some(base) = self.base(&self.levels(&site)) else {
                continue;
            };
            let names = self.plain(&own);
            let names: Vec<String> = if rule.words.contains(&"several") {
                names
            } else {
                names.into_iter().take(1).collect()
            };
            if names.is_empty() {
                self.places.not_understood(site.file(), site.reference.span);
            }
            let (only, except) = self.restrictions(&site, &own);
            for name in names {
                let (resource, _) = self.resource(&base, rule, &own, &name);
                let class = site
                    .arguments
                    .get(1)
                    .and_then(|class| self.class_name(&own, *class));
                for action in self.framework.of("block-action") {
                    let is_offered = rule.list("actions").is_empty()
                        || rule.list("actions").contains(&action.name());
                    let is_form = self.is_api_only && action.words.contains(&"form");
                    let is_kept = only
                        .as_ref()
                        .is_none_or(|only| only.iter().any(|name| name == action.name()))
                        && !except.iter().any(|name| name == action.name());
                    let is_wanted = only.is_some() || !is_form;
                    if !is_offered || !is_kept || !is_wanted || is_form && only.is_none() {
                        continue;
                    }
                    let path = joined(
                        &part(
                            &resource,
                            action.words.get(2).copied().unwrap_or("collection"),
                        ),
                        action.option("path").unwrap_or(""),
                    );
                    let controller = class.clone().unwrap_or_else(|| resource.controller.clone());
                    let symbol = self.handler(&base, &format!("{controller}#{}", action.name()));
                    for method in action.words.get(1).unwrap_or(&"GET").split(',') {
                        self.add(
                            method,
                            path.clone(),
                            symbol,
                            site.file(),
                            site.reference.span,
                            Certainty::Declared,
                        );
                    }
                }
                self.read_template(&site, &own, rule, &name);
            }
        }
    }

    /// Which actions a resource keeps: `only: [...]`, `except: [...]`, or the same as calls behind
    /// it.
    fn restrictions(&self, site: &CallSite, own: &Level) -> (Option<Vec<String>>, Vec<String>) {
        let of = |name: &str| {
            let option = self.option(own, name).map(|recipe| self.texts(own, recipe));
            option.or_else(|| {
                let id = site.view.facts.names.find(name)?;
                let behind = site.view.facts.references_of(id).iter().find(|reference| {
                    reference
                        .receiver
                        .is_some_and(|receiver| holds(&site.view, receiver, site.reference.call))
                })?;
                let Recipe::Call(_, list) = site.view.facts.recipe(behind.call?) else {
                    return None;
                };
                Some(
                    site.view
                        .facts
                        .list(list)
                        .iter()
                        .flat_map(|item| self.texts(own, *item))
                        .collect(),
                )
            })
        };
        (of("only"), of("except").unwrap_or_default())
    }

    /// Routes of a template that a resource asks for: `concerns: :commentable`.
    fn read_template(&self, site: &CallSite, own: &Level, resource_rule: &Rule, name: &str) {
        let Some(rule) = self.framework.of("block-template").next() else {
            return;
        };
        let Some(wanted) = rule
            .option("used-by")
            .and_then(|option| self.option(own, option))
        else {
            return;
        };
        let wanted = self.texts(own, wanted);
        let mut around = self.levels(site);
        around.push(own.clone());
        for (verb, inner) in self
            .sites("block-route")
            .into_iter()
            .map(|found| (false, found))
            .chain(
                self.sites("block-resources")
                    .into_iter()
                    .map(|found| (true, found)),
            )
        {
            let (rule, inner_site) = inner;
            let levels = self.levels(&inner_site);
            let Some(at) = levels.iter().position(|level| {
                self.framework
                    .words("block-template")
                    .any(|word| word == level.name)
            }) else {
                continue;
            };
            if !self
                .plain(&levels[at])
                .iter()
                .any(|name| wanted.contains(name))
            {
                continue;
            }
            let Some(mut base) = self.base(&around) else {
                continue;
            };
            let (resource, nested) = self.resource(
                &self.base(&self.levels(site)).unwrap_or_default(),
                resource_rule,
                own,
                name,
            );
            (base.path, base.resource) = (nested, Some(resource));
            let inner_own = own_level(&inner_site);
            for level in &levels[at + 1..] {
                if let Some(rule) = self
                    .framework
                    .of("block-part")
                    .find(|rule| rule.name() == level.name)
                    && let Some(resource) = &base.resource
                {
                    base.path = part(resource, rule.words.get(1).copied().unwrap_or("member"));
                }
            }
            if verb {
                for name in self.plain(&inner_own) {
                    let (resource, _) = self.resource(&base, rule, &inner_own, &name);
                    let (only, except) = self.restrictions(&inner_site, &inner_own);
                    for action in self.framework.of("block-action") {
                        let is_kept = only
                            .as_ref()
                            .is_none_or(|only| only.iter().any(|name| name == action.name()));
                        let is_form =
                            self.is_api_only && action.words.contains(&"form") && only.is_none();
                        let is_offered = rule.list("actions").is_empty()
                            || rule.list("actions").contains(&action.name());
                        if !is_kept
                            || is_form
                            || !is_offered
                            || except.iter().any(|name| name == action.name())
                        {
                            continue;
                        }
                        let path = joined(
                            &part(
                                &resource,
                                action.words.get(2).copied().unwrap_or("collection"),
                            ),
                            action.option("path").unwrap_or(""),
                        );
                        for method in action.words.get(1).unwrap_or(&"GET").split(',') {
                            self.add(
                                method,
                                path.clone(),
                                None,
                                inner_site.file(),
                                inner_site.reference.span,
                                Certainty::Declared,
                            );
                        }
                    }
                }
                continue;
            }
            if let (Some(on), Some(resource)) = (self.option_text(&inner_own, "on"), &base.resource)
            {
                base.path = part(resource, &on);
            }
            let (paths, target) = self.paths(rule, &inner_site, &inner_own);
            for path in paths {
                let to = target.clone().or_else(|| self.implied(&base, &path.text));
                let symbol = to.as_deref().and_then(|to| self.handler(&base, to));
                for method in self.methods(rule, &inner_own) {
                    self.add(
                        &method,
                        joined(&base.path, &path.text),
                        symbol,
                        inner_site.file(),
                        inner_site.reference.span,
                        Certainty::Declared,
                    );
                }
            }
        }
    }

    /// Routes that a library makes for a model: `devise_for :users`, by what the model says it can
    /// do.
    fn read_library_routes(&self) {
        for (rule, site) in self.sites("block-library") {
            let own = own_level(&site);
            let Some(base) = self.base(&self.levels(&site)) else {
                continue;
            };
            for name in self.plain(&own) {
                let segment = self
                    .option_text(&own, "path")
                    .unwrap_or_else(|| name.clone());
                let class = camel(&singular(name.rsplit('/').next().unwrap_or(&name)));
                let abilities = self.abilities(rule, &class);
                // `path_names: { sign_in: 'login' }` calls a part of the path otherwise.
                let view = self.places.resolver.view(own.file);
                let renamed = |word: &str| {
                    let (view, names) = (view.as_ref()?, self.option(&own, rule.option("names")?)?);
                    self.text(&own, self.places.field(view, names, word)?)
                        .map(|known| known.text)
                };
                for part in self
                    .framework
                    .of("block-library-part")
                    .filter(|part| abilities.iter().any(|ability| ability == part.name()))
                {
                    for route in part.words.iter().skip(1) {
                        let Some((method, path)) = route.split_once(':') else {
                            continue;
                        };
                        let words = path
                            .split('/')
                            .map(|word| renamed(word).unwrap_or_else(|| word.to_owned()));
                        let path = joined(
                            &joined(&base.path, &segment),
                            &words.collect::<Vec<_>>().join("/"),
                        );
                        for method in method.split(',') {
                            self.add(
                                method,
                                path.clone(),
                                None,
                                site.file(),
                                site.reference.span,
                                Certainty::Pattern,
                            );
                        }
                    }
                }
            }
        }
    }

    /// The words that a model's own call names: `devise :database_authenticatable, :registerable`.
    fn abilities(&self, rule: &Rule, class: &str) -> Vec<String> {
        let Some(call) = rule.option("model") else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for site in self.places.calls(self.framework.family, call) {
            let is_own = site
                .reference
                .enclosing
                .is_some_and(|index| site.view.name_of(index) == class);
            if is_own {
                found.extend(self.plain(&own_level(&site)));
            }
        }
        found
    }

    /// `OrdersController` of `OrdersController::class`, `"OrdersController"` or
    /// `"Api\OrdersController"`.
    fn class_name(&self, level: &Level, recipe: RecipeId) -> Option<String> {
        let view = self.places.resolver.view(level.file)?;
        match view.facts.recipe(recipe) {
            Recipe::Type(ty) => super::routers::type_name(&view, ty).map(str::to_owned),
            _ => self.text(level, recipe).map(|known| {
                known
                    .text
                    .rsplit(['\\', '/'])
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            }),
        }
    }

    /// `[OrdersController::class, 'show']`, `OrdersController::class`, `'OrdersController@show'`,
    /// or a function.
    fn handler_argument(&self, site: &CallSite) -> Option<SymbolId> {
        let own = own_level(site);
        let last = *site.arguments.last()?;
        let view = &site.view;
        match view.facts.recipe(last) {
            Recipe::List(list) => {
                let items = view.facts.list(list);
                let (class, method) = (
                    self.class_name(&own, *items.first()?)?,
                    self.text(&own, *items.get(1)?)?.text,
                );
                self.method(&class, &method)
            }
            Recipe::Str(text) => {
                let (class, method) = view.facts.name(text).split_once('@')?;
                self.method(class.rsplit('\\').next().unwrap_or(class), method)
            }
            Recipe::Type(_) => self.method(&self.class_name(&own, last)?, "__invoke"),
            Recipe::Lambda(..) => site.enclosing(),
            _ => None,
        }
    }

    /// `posts#show` inside the modules around it is `Admin::PostsController#show`.
    fn handler(&self, base: &Base, to: &str) -> Option<SymbolId> {
        let (controller, action) = to.split_once(['#', '@'])?;
        let controller = if controller.is_empty() {
            base.controller.as_deref()?
        } else {
            controller
        };
        let last = controller.rsplit(['/', '\\']).next().unwrap_or(controller);
        let class = if last.ends_with("Controller") {
            last.to_owned()
        } else {
            format!("{}Controller", camel(last))
        };
        self.method(&class, action)
    }

    fn method(&self, class: &str, method: &str) -> Option<SymbolId> {
        let snapshot = self.places.resolver.snapshot();
        query::symbols_named(snapshot, class)
            .into_iter()
            .find_map(|symbol| {
                let view = self.places.resolver.view(symbol.file)?;
                let index = view
                    .children(Some(symbol.index))
                    .find(|index| view.name_of(*index) == method)?;
                Some(SymbolId {
                    file: symbol.file,
                    index,
                })
            })
    }

    fn add(
        &self,
        method: &str,
        path: String,
        symbol: Option<SymbolId>,
        file: FileId,
        span: Span,
        certainty: Certainty,
    ) {
        self.places.add(ArchitectureFact {
            kind: ArchitectureKind::Route,
            framework: "",
            value: path,
            detail: method.to_owned(),
            schema: None,
            symbol,
            other: None,
            file,
            span,
            certainty,
        });
    }
}

fn own_level(site: &CallSite) -> Level {
    Level {
        file: site.view.id,
        scope: site.reference.scope,
        at: site.reference.span.start,
        name: site.view.facts.name(site.reference.name).to_owned(),
        arguments: site.arguments.clone(),
    }
}

/// Whether a chain of calls begins with, or goes through, a call.
fn holds(view: &FileView, mut recipe: RecipeId, call: Option<RecipeId>) -> bool {
    for _ in 0..MAX_LEVELS {
        if Some(recipe) == call {
            return true;
        }
        let Recipe::Call(callee, _) = view.facts.recipe(recipe) else {
            return false;
        };
        let Recipe::Member(inner, _) = view.facts.recipe(callee) else {
            return false;
        };
        recipe = inner;
    }
    false
}

fn part(resource: &Resource, name: &str) -> String {
    match name {
        "collection" => resource.collection.clone(),
        "new" => joined(&resource.collection, "new"),
        _ => resource.member.clone(),
    }
}

fn is_target(blocks: &Blocks<'_>, own: &Level, value: RecipeId) -> bool {
    blocks
        .text(own, value)
        .is_some_and(|known| known.text.contains('#'))
}
