//! Routes written in nested blocks, and resources that make several routes: `namespace :api do
//! resources :posts end`, `Route::prefix('api')->group(fn () => Route::resource('posts',
//! PostController::class))`.

use facts::{Recipe, RecipeId, ScopeId, ScopeKind};

use super::{
    ArchitectureFact, Certainty,
    inflection::{camel, plural, singular},
    joined,
    rules::{
        BlockLibrary, BlockMethods, BlockResource, BlockRoute, BlockRules, BlockScope, HttpMethod,
        ResourceAction, ResourcePart, Slot,
    },
    scan::{CallSite, Scan, symbol_in, type_name},
    strings::KnownText,
    tables::child_named,
};
use crate::{FileId, FileView, Place, SymbolId, query};

pub fn read(scan: &Scan<'_>) {
    let Some(rules) = &scan.framework.blocks else {
        return;
    };
    let mut reader = BlockReader {
        scan,
        rules,
        inclusions: Vec::new(),
        is_without_forms: false,
    };
    reader.inclusions = reader.find_inclusions();
    reader.is_without_forms = reader.is_set_without_forms();
    reader.read_routes();
    reader.read_resources();
    reader.read_library_routes();
}

struct BlockReader<'a> {
    scan: &'a Scan<'a>,
    rules: &'static BlockRules,
    /// Files that are read inside blocks of another: (end of the path, levels around).
    inclusions: Vec<(String, Vec<BlockLevel>)>,
    is_without_forms: bool,
}

/// A call whose block something is in, or that is before it in a chain.
#[derive(Clone, Debug)]
struct BlockLevel {
    file: FileId,
    scope: ScopeId,
    at: u32,
    name: String,
    arguments: Vec<RecipeId>,
}

/// What the blocks around a place say of it.
#[derive(Clone, Debug, Default)]
struct Base {
    path: String,
    controller: Option<String>,
    resource: Option<Resource>,
}

#[derive(Clone, Debug, Default)]
struct Resource {
    collection: String,
    member: String,
    controller: String,
}

impl Resource {
    fn part(&self, part: ResourcePart) -> String {
        match part {
            ResourcePart::Collection => self.collection.clone(),
            ResourcePart::New => joined(&self.collection, "new"),
            ResourcePart::Member => self.member.clone(),
        }
    }

    /// The part that the option `on: :collection` of a route names.
    fn part_named(&self, name: &str) -> String {
        self.part(match name {
            "collection" => ResourcePart::Collection,
            "new" => ResourcePart::New,
            _ => ResourcePart::Member,
        })
    }
}

const MAX_LEVELS: usize = 64;

impl BlockReader<'_> {
    fn route_sites(&self) -> Vec<(&'static BlockRoute, CallSite)> {
        let mut sites = self.scan.sites(self.rules.routes, |rule| rule.call);
        sites.retain(|(_, site)| self.is_here(site));
        sites
    }

    fn resource_sites(&self) -> Vec<(&'static BlockResource, CallSite)> {
        let mut sites = self.scan.sites(self.rules.resources, |rule| rule.call);
        sites.retain(|(_, site)| self.is_here(site));
        sites
    }

    /// In a file of routes, on the object that routes are called on.
    fn is_here(&self, site: &CallSite) -> bool {
        let path = self.path_of(site);
        let (files, receivers) = (self.rules.files, self.rules.receivers);
        let is_in_file = files.is_empty()
            || files.iter().any(|file| {
                path == *file
                    || path.ends_with(&format!("/{file}"))
                    || file.ends_with('/') && format!("/{path}").contains(&format!("/{file}"))
            });
        let is_on_receiver = match site.reference.receiver {
            None => receivers.is_empty(),
            Some(receiver) => {
                let (_, root) = self.chain(&site.view, receiver);
                root.is_some_and(|root| receivers.contains(&root.as_str()))
            }
        };
        is_in_file && is_on_receiver
    }

    fn path_of(&self, site: &CallSite) -> &str {
        let snapshot = self.scan.resolver.snapshot();
        snapshot.file(site.view.id).path.as_str()
    }

    /// The calls of a chain, first written first, and the name it begins with.
    fn chain(
        &self,
        view: &FileView,
        mut recipe: RecipeId,
    ) -> (Vec<(String, Vec<RecipeId>)>, Option<String>) {
        let (mut calls, mut root) = (Vec::new(), None);
        for _ in 0..MAX_LEVELS {
            match view.facts.recipe(recipe) {
                Recipe::Call(callee, list) => {
                    let Some(name) = self.scan.last_name(view, callee) else {
                        break;
                    };
                    calls.push((name.to_owned(), view.facts.list(list).to_vec()));
                    match view.facts.recipe(callee) {
                        Recipe::Member(inner, _) | Recipe::Scoped(inner, _) => recipe = inner,
                        _ => break,
                    }
                }
                Recipe::Type(ty) => {
                    root = type_name(view, ty);
                    break;
                }
                _ => {
                    root = self.scan.last_name(view, recipe);
                    break;
                }
            }
        }
        calls.reverse();
        (calls, root.map(str::to_owned))
    }

    /// The blocks around a call, outermost first, and the chain before it.
    fn levels(&self, site: &CallSite) -> Vec<BlockLevel> {
        let place = site.place();
        let mut levels = self.blocks(&site.view, place.scope);
        if let Some(receiver) = site.reference.receiver {
            levels.extend(self.chain_levels(place, receiver));
        }
        let path = self.path_of(site);
        let mut inclusions = self.inclusions.iter();
        if let Some((_, around)) = inclusions.find(|(end, _)| path.ends_with(end.as_str())) {
            levels.splice(0..0, around.iter().cloned());
        }
        levels
    }

    fn chain_levels(&self, place: Place<'_>, recipe: RecipeId) -> Vec<BlockLevel> {
        let (calls, _) = self.chain(place.view, recipe);
        let level = |(name, arguments)| BlockLevel {
            file: place.view.id,
            scope: place.scope,
            at: place.at,
            name,
            arguments,
        };
        calls.into_iter().map(level).collect()
    }

    fn blocks(&self, view: &FileView, mut scope: ScopeId) -> Vec<BlockLevel> {
        let mut around = Vec::new();
        for _ in 0..MAX_LEVELS {
            let here = view.facts.scope(scope);
            if let Some(context) = here.context.filter(|_| here.kind == ScopeKind::Lambda) {
                let place = Place::new(view, here.parent, here.span.start);
                around.push(self.chain_levels(place, context.call));
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
    fn find_inclusions(&self) -> Vec<(String, Vec<BlockLevel>)> {
        let mut found = Vec::new();
        for (call, file) in self.rules.includes {
            for site in self.scan.calls(call) {
                let Some(argument) = site.arguments.first() else {
                    continue;
                };
                let path = match site.view.facts.recipe(*argument) {
                    Recipe::Call(_, list) => site.view.facts.list(list).first(),
                    _ => Some(argument),
                };
                let named = path.and_then(|path| self.scan.string(site.place(), *path));
                let Some(named) = named else { continue };
                let end = file.replace("{}", named.text.trim_start_matches('/'));
                if end.contains('.') {
                    found.push((end, self.levels(&site)));
                }
            }
        }
        for (file, prefix) in self.rules.prefixes {
            if !found.iter().any(|(end, _)| end.ends_with(file)) {
                let level = BlockLevel {
                    file: FileId(0),
                    scope: ScopeId::FILE,
                    at: 0,
                    name: format!("={prefix}"),
                    arguments: Vec::new(),
                };
                found.push(((*file).to_owned(), vec![level]));
            }
        }
        found
    }

    /// An application without pages has no forms either.
    fn is_set_without_forms(&self) -> bool {
        let Some((holder, setting)) = self.rules.without_forms else {
            return false;
        };
        let views = self.scan.mentioning(setting);
        views.iter().any(|view| {
            let Some(id) = view.facts.names.find(setting) else {
                return false;
            };
            view.facts.references_of(id).iter().any(|reference| {
                let receiver = reference.receiver;
                receiver.is_some_and(|value| self.scan.last_name(view, value) == Some(holder))
                    && reference.call.is_some_and(|value| view.is_true(value))
            })
        })
    }

    fn texts(&self, level: &BlockLevel, recipe: RecipeId) -> Vec<KnownText> {
        let Some(view) = self.scan.resolver.view(level.file) else {
            return Vec::new();
        };
        let place = Place::new(&view, level.scope, level.at);
        self.scan.strings(place, recipe)
    }

    fn text(&self, level: &BlockLevel, recipe: RecipeId) -> Option<KnownText> {
        let view = self.scan.resolver.view(level.file)?;
        let place = Place::new(&view, level.scope, level.at);
        self.scan.string(place, recipe)
    }

    /// An option of a call, also one of an array that is handed in.
    fn option(&self, level: &BlockLevel, name: &str) -> Option<RecipeId> {
        let view = self.scan.resolver.view(level.file)?;
        let own = self
            .scan
            .argument(&view, &level.arguments, &[Slot::Named(name)]);
        own.or_else(|| {
            let mut arguments = level.arguments.iter();
            arguments.find_map(|argument| self.scan.field(&view, *argument, name))
        })
    }

    fn option_text(&self, level: &BlockLevel, name: &str) -> Option<String> {
        let recipe = self.option(level, name)?;
        self.text(level, recipe).map(|known| known.text)
    }

    /// The strings of an option, or of the calls of this name behind a resource.
    fn option_texts(&self, site: &CallSite, own: &BlockLevel, name: &str) -> Option<Vec<String>> {
        let facts = &site.view.facts;
        let texts = |recipe: RecipeId| self.texts(own, recipe).into_iter().map(|known| known.text);
        if let Some(recipe) = self.option(own, name) {
            return Some(texts(recipe).collect());
        }
        let mut references = facts.references_of(facts.names.find(name)?).iter();
        let behind = references.find(|reference| {
            let receiver = reference.receiver;
            receiver.is_some_and(|receiver| holds(&site.view, receiver, site.reference.call))
        })?;
        let Recipe::Call(_, list) = facts.recipe(behind.call?) else {
            return None;
        };
        Some(
            facts
                .list(list)
                .iter()
                .flat_map(|item| texts(*item))
                .collect(),
        )
    }

    /// The arguments without a key, in order.
    fn plain(&self, level: &BlockLevel) -> Vec<String> {
        let Some(view) = self.scan.resolver.view(level.file) else {
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

    fn is_template(&self, level: &BlockLevel) -> bool {
        let template = self.rules.template.as_ref();
        template.is_some_and(|template| template.call == level.name)
    }

    /// What blocks around a place say of it. Nothing where one of them is a template that others
    /// use.
    fn base(&self, levels: &[BlockLevel]) -> Option<Base> {
        let mut base = Base::default();
        for level in levels {
            if let Some(prefix) = level.name.strip_prefix('=') {
                base.path = joined(&base.path, prefix);
                continue;
            }
            if self.is_template(level) {
                return None;
            }
            let name = level.name.as_str();
            if let Some(rule) = self.rules.scopes.iter().find(|rule| rule.call == name) {
                self.enter_scope(&mut base, rule, level);
            } else if let Some(rule) = self.rules.resources.iter().find(|rule| rule.call == name) {
                if let Some(name) = self.plain(level).first() {
                    let (resource, nested) = self.resource(&base, rule, level, name);
                    (base.path, base.resource) = (nested, Some(resource));
                }
            } else if self.rules.parts.iter().any(|(call, _)| *call == name) {
                self.enter_part(&mut base, level);
            } else if self.rules.controllers.contains(&name) {
                let class = level.arguments.first();
                base.controller = class.and_then(|class| self.class_name(level, *class));
            }
        }
        Some(base)
    }

    fn enter_part(&self, base: &mut Base, level: &BlockLevel) {
        let mut parts = self.rules.parts.iter();
        if let Some((_, part)) = parts.find(|(call, _)| *call == level.name)
            && let Some(resource) = &base.resource
        {
            base.path = resource.part(*part);
        }
    }

    fn enter_scope(&self, base: &mut Base, rule: &BlockScope, level: &BlockLevel) {
        let by_option = rule
            .path_option
            .and_then(|name| self.option_text(level, name));
        let first = || {
            self.plain(level)
                .into_iter()
                .next()
                .filter(|_| rule.is_path)
        };
        if let Some(segment) = by_option.or_else(first) {
            base.path = joined(&base.path, &segment);
        }
        if let Some(controller) = self.option_text(level, "controller") {
            base.controller = Some(controller);
        }
    }

    /// A resource below a base, and the path of what is in its block.
    fn resource(
        &self,
        base: &Base,
        rule: &BlockResource,
        level: &BlockLevel,
        name: &str,
    ) -> (Resource, String) {
        let segment = self
            .option_text(level, "path")
            .unwrap_or_else(|| name.to_owned());
        // `photos.comments` is a comment of a photo.
        let parts: Vec<&str> = segment.split('.').collect();
        let placeholder = |name: &str| {
            let name = name.rsplit('/').next().unwrap_or(name);
            rule.item
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
                .item
                .replace("id", parameter)
                .replace("{singular}", parameter),
            None => placeholder(parts.last().unwrap_or(&name)),
        };
        let member = if rule.is_one {
            collection.clone()
        } else {
            joined(&collection, &item)
        };
        let nested = match rule.nested {
            _ if rule.is_one => collection.clone(),
            Some(nested) => {
                let nested = nested
                    .replace("{singular}", &singular(name))
                    .replace("{param}", parameter.as_deref().unwrap_or("id"));
                joined(&collection, &nested)
            }
            None => member.clone(),
        };
        let controller = self.option_text(level, "controller").unwrap_or_else(|| {
            if rule.is_one {
                plural(name)
            } else {
                name.to_owned()
            }
        });
        let resource = Resource {
            collection,
            member,
            controller,
        };
        (resource, nested)
    }

    fn read_routes(&self) {
        for (rule, site) in self.route_sites() {
            if let Some(base) = self.base(&self.levels(&site)) {
                self.read_route(rule, &site, base, true);
            }
        }
        for (call, method) in self.rules.roots {
            let sites = self.scan.calls(call).into_iter();
            for site in sites.filter(|site| self.is_here(site)) {
                let own = own_level(&site);
                let Some(base) = self.base(&self.levels(&site)) else {
                    continue;
                };
                let to = self
                    .option_text(&own, "to")
                    .or_else(|| self.plain(&own).into_iter().next());
                let symbol = to.and_then(|to| self.handler(&base, &to));
                let fact = route_at(&site, method.as_str(), joined(&base.path, ""));
                self.scan.add(fact.of(symbol));
            }
        }
    }

    /// One route below a base. The routes of a template are written elsewhere: their arguments name
    /// no handler.
    fn read_route(&self, rule: &BlockRoute, site: &CallSite, mut base: Base, is_in_place: bool) {
        let own = own_level(site);
        // `on: :collection` for one route.
        if let (Some(on), Some(resource)) = (self.option_text(&own, "on"), &base.resource) {
            base.path = resource.part_named(&on);
        }
        let methods = self.methods(rule, &own);
        let (paths, target) = self.paths(rule, site, &own);
        if paths.is_empty() && is_in_place {
            self.scan.not_understood(site.file(), site.reference.span);
        }
        for path in paths {
            let to = target.clone().or_else(|| self.implied(&base, &path.text));
            let by_name = to.and_then(|to| self.handler(&base, &to));
            let symbol =
                by_name.or_else(|| is_in_place.then(|| self.handler_argument(site)).flatten());
            let certainty = Certainty::of_text(path.is_whole || !is_in_place);
            for method in &methods {
                let fact = route_at(site, method, joined(&base.path, &path.text));
                self.scan.add(fact.of(symbol).certain(certainty));
            }
        }
    }

    fn methods(&self, rule: &BlockRoute, own: &BlockLevel) -> Vec<String> {
        let given = match rule.methods {
            BlockMethods::Fixed(method) => return vec![method.as_str().to_owned()],
            BlockMethods::Given(Slot::At(i)) => own.arguments.get(i).copied(),
            BlockMethods::Given(Slot::Named(name)) => self.option(own, name),
        };
        let any = HttpMethod::Any.as_str();
        let listed = given
            .map(|given| self.texts(own, given))
            .unwrap_or_default();
        if listed.is_empty() {
            return vec![any.to_owned()];
        }
        let upper = listed.into_iter().map(|method| method.text.to_uppercase());
        upper
            .map(|method| {
                if method == "ALL" {
                    any.to_owned()
                } else {
                    method
                }
            })
            .collect()
    }

    /// The paths of a route and what it leads to, where that is said.
    fn paths(
        &self,
        rule: &BlockRoute,
        site: &CallSite,
        own: &BlockLevel,
    ) -> (Vec<KnownText>, Option<String>) {
        let view = &site.view;
        let target = self.option_text(own, "to").or_else(|| {
            let action = self.option_text(own, "action")?;
            let controller = self.option_text(own, "controller").unwrap_or_default();
            Some(format!("{controller}#{action}"))
        });
        if !rule.path.is_empty() {
            return (self.scan.texts(site, rule.path), target);
        }
        let plain = self.plain(own);
        let is_target = |value| {
            self.text(own, value)
                .is_some_and(|known| known.text.contains('#'))
        };
        // `get "/rss" => "home#index"`.
        let pair = own
            .arguments
            .iter()
            .find_map(|argument| match view.facts.recipe(*argument) {
                Recipe::Field(path, value) => {
                    let path = view.facts.name(path);
                    let is_pair = path.contains('/') || is_target(value);
                    is_pair.then(|| (KnownText::whole(path), value))
                }
                Recipe::Entry(path, value) => Some((self.text(own, path)?, value)),
                _ => None,
            });
        if let Some((path, value)) = pair.filter(|_| plain.is_empty()) {
            let to = self.text(own, value).map(|known| known.text);
            return (vec![path], to.or(target));
        }
        if rule.is_several && !plain.is_empty() {
            return (plain.into_iter().map(KnownText::whole).collect(), target);
        }
        (self.scan.texts(site, &[Slot::At(0)]), target)
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
        for (rule, site) in self.resource_sites() {
            let own = own_level(&site);
            let Some(base) = self.base(&self.levels(&site)) else {
                continue;
            };
            let mut names = self.plain(&own);
            if !rule.is_several {
                names.truncate(1);
            }
            if names.is_empty() {
                self.scan.not_understood(site.file(), site.reference.span);
            }
            for name in names {
                let (resource, _) = self.resource(&base, rule, &own, &name);
                let class = site
                    .arguments
                    .get(1)
                    .and_then(|class| self.class_name(&own, *class));
                let controller = class.as_ref().unwrap_or(&resource.controller);
                self.add_actions(rule, &site, &resource, |action| {
                    self.handler(&base, &format!("{controller}#{}", action.name))
                });
                self.read_template(&site, &own, rule, &name);
            }
        }
    }

    /// The routes of the actions that a resource has: those of its rule, without what `only` and
    /// `except` leave out.
    fn add_actions(
        &self,
        rule: &BlockResource,
        site: &CallSite,
        resource: &Resource,
        handler: impl Fn(&ResourceAction) -> Option<SymbolId>,
    ) {
        let own = own_level(site);
        let only = self.option_texts(site, &own, "only");
        let except = self.option_texts(site, &own, "except").unwrap_or_default();
        for action in self.rules.actions {
            let is_action = |name: &String| name == action.name;
            let is_kept = match &only {
                Some(only) => only.iter().any(is_action),
                None => !(self.is_without_forms && action.is_form),
            };
            let is_offered = rule.actions.is_empty() || rule.actions.contains(&action.name);
            if !is_kept || !is_offered || except.iter().any(is_action) {
                continue;
            }
            let path = joined(&resource.part(action.part), action.path);
            let symbol = handler(action);
            for method in action.methods {
                let fact = route_at(site, method.as_str(), path.clone());
                self.scan.add(fact.of(symbol));
            }
        }
    }

    /// Routes of a template that a resource asks for: `concerns: :commentable`.
    fn read_template(&self, site: &CallSite, own: &BlockLevel, rule: &BlockResource, name: &str) {
        let template = self.rules.template.as_ref();
        let Some(wanted) = template.and_then(|template| self.option(own, template.used_by)) else {
            return;
        };
        let wanted = self.texts(own, wanted);
        let around = self.levels(site);
        let above = self.base(&around).unwrap_or_default();
        let (resource, nested) = self.resource(&above, rule, own, name);
        let inside = |site: &CallSite| {
            let levels = self.levels(site);
            let at = levels.iter().position(|level| self.is_template(level))?;
            let names = self.plain(&levels[at]);
            let is_wanted = wanted.iter().any(|known| names.contains(&known.text));
            let mut own_levels = around.clone();
            own_levels.push(own.clone());
            let mut base = self.base(&own_levels).filter(|_| is_wanted)?;
            (base.path, base.resource) = (nested.clone(), Some(resource.clone()));
            for level in &levels[at + 1..] {
                self.enter_part(&mut base, level);
            }
            Some(base)
        };
        for (rule, site) in self.route_sites() {
            if let Some(base) = inside(&site) {
                self.read_route(rule, &site, base, false);
            }
        }
        for (rule, site) in self.resource_sites() {
            let Some(base) = inside(&site) else { continue };
            let own = own_level(&site);
            for name in self.plain(&own) {
                let (resource, _) = self.resource(&base, rule, &own, &name);
                self.add_actions(rule, &site, &resource, |_| None);
            }
        }
    }

    /// Routes that a library makes for a model, by what the model says it can do.
    fn read_library_routes(&self) {
        for rule in self.rules.libraries {
            let sites = self.scan.calls(rule.call).into_iter();
            for site in sites.filter(|site| self.is_here(site)) {
                let own = own_level(&site);
                let Some(base) = self.base(&self.levels(&site)) else {
                    continue;
                };
                for name in self.plain(&own) {
                    let segment = self
                        .option_text(&own, "path")
                        .unwrap_or_else(|| name.clone());
                    let class = camel(&singular(name.rsplit('/').next().unwrap_or(&name)));
                    let path = joined(&base.path, &segment);
                    self.add_library_routes(rule, &site, &path, &class);
                }
            }
        }
    }

    fn add_library_routes(&self, rule: &BlockLibrary, site: &CallSite, base: &str, class: &str) {
        let own = own_level(site);
        let abilities = self.abilities(rule, class);
        // `path_names: { sign_in: 'login' }` renames a part of the path.
        let renamed = |word: &str| {
            let names = self.option(&own, rule.names)?;
            let value = self.scan.field(&site.view, names, word)?;
            self.text(&own, value).map(|known| known.text)
        };
        for (ability, routes) in rule.parts {
            if !abilities.iter().any(|own| own == ability) {
                continue;
            }
            for (methods, path) in *routes {
                let words: Vec<String> = path
                    .split('/')
                    .map(|word| renamed(word).unwrap_or_else(|| word.to_owned()))
                    .collect();
                let path = joined(base, &words.join("/"));
                for method in *methods {
                    let fact = route_at(site, method.as_str(), path.clone());
                    self.scan.add(fact.certain(Certainty::Pattern));
                }
            }
        }
    }

    /// The words that a model's own call names: `login_with :password, :registerable`.
    fn abilities(&self, rule: &BlockLibrary, class: &str) -> Vec<String> {
        let sites = self.scan.calls(rule.model).into_iter();
        let is_own = |site: &CallSite| {
            let enclosing = site.reference.enclosing;
            enclosing.is_some_and(|index| site.view.name_of(index) == class)
        };
        sites
            .filter(is_own)
            .flat_map(|site| self.plain(&own_level(&site)))
            .collect()
    }

    /// `OrdersController` of `OrdersController::class`, `"OrdersController"` or
    /// `"Api\OrdersController"`.
    fn class_name(&self, level: &BlockLevel, recipe: RecipeId) -> Option<String> {
        let view = self.scan.resolver.view(level.file)?;
        match view.facts.recipe(recipe) {
            Recipe::Type(ty) => type_name(&view, ty).map(str::to_owned),
            _ => {
                let known = self.text(level, recipe)?;
                known.text.rsplit(['\\', '/']).next().map(str::to_owned)
            }
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
                let class = self.class_name(&own, *items.first()?)?;
                self.method(&class, &self.text(&own, *items.get(1)?)?.text)
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

    /// `posts#show` is `PostsController#show`.
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
        let resolver = self.scan.resolver;
        let read = query::symbols_named(resolver.snapshot(), class);
        let classes = resolver.budget.read(read);
        classes.into_iter().find_map(|symbol| {
            let view = self.scan.resolver.view(symbol.file)?;
            Some(symbol_in(&view, child_named(&view, symbol.index, method)?))
        })
    }
}

fn own_level(site: &CallSite) -> BlockLevel {
    BlockLevel {
        file: site.view.id,
        scope: site.reference.scope,
        at: site.reference.span.start,
        name: site.view.facts.name(site.reference.name).to_owned(),
        arguments: site.arguments.clone(),
    }
}

fn route_at(site: &CallSite, method: &str, path: String) -> ArchitectureFact {
    ArchitectureFact::route(method, path, site.file(), site.reference.span)
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
