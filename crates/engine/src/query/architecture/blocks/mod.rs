//! Routes written in nested blocks, and resources that make several routes: `namespace :api do
//! resources :posts end`, `Route::prefix('api')->group(fn () => Route::resource('posts',
//! PostController::class))`.

mod handlers;
mod libraries;
mod resources;

use facts::{BindingKind, Recipe, RecipeId, ScopeId, ScopeKind};

use super::{
    ArchitectureFact, Certainty, joined,
    rules::{
        BlockMethods, BlockMount, BlockResource, BlockRoute, BlockRules, BlockScope, HttpMethod,
        Slot,
    },
    scan::{CallSite, Scan, type_name},
    strings::KnownText,
};
use crate::{FileId, FileView, Found, Place};
use resources::Resource;

pub fn read(scan: &Scan<'_>) {
    let Some(rules) = &scan.framework.blocks else {
        return;
    };
    let mut reader = BlockReader {
        scan,
        rules,
        inclusions: Vec::new(),
        mounted: Vec::new(),
        is_without_forms: false,
    };
    reader.inclusions = reader.find_inclusions();
    reader.mounted = reader.find_mounted();
    reader.is_without_forms = reader.is_set_without_forms();
    reader.read_routes();
    reader.read_resources();
    reader.read_templates();
    reader.read_library_routes();
}

struct BlockReader<'a> {
    scan: &'a Scan<'a>,
    rules: &'static BlockRules,
    /// Files that are read inside blocks of another: (end of the path, levels around).
    inclusions: Vec<(String, Vec<BlockLevel>)>,
    /// Applications inside this one: (name, levels around).
    mounted: Vec<(String, Vec<BlockLevel>)>,
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
    /// What the first call of its chain is called on, as written.
    on: String,
}

/// What the blocks around a place say of it.
#[derive(Clone, Debug, Default)]
struct BlockBase {
    path: String,
    controller: Option<String>,
    resource: Option<Resource>,
    /// In a block for the members or the collection of a resource.
    is_part: bool,
    /// Members of resources inside are beside their parent.
    is_shallow: bool,
    /// The path of namespaces alone.
    shallow_path: String,
    /// Actions that resources inside have, and those that they have not.
    only: Option<Vec<String>>,
    except: Vec<String>,
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
            // `with_options only: :index do |routes| routes.resources :posts end`.
            Some(receiver) if receivers.is_empty() => self.is_block_parameter(site, receiver),
            Some(receiver) => {
                let (_, root) = self.chain(&site.view, receiver);
                root.is_some_and(|root| receivers.contains(&root.as_str()))
            }
        };
        is_in_file && is_on_receiver
    }

    fn is_block_parameter(&self, site: &CallSite, receiver: RecipeId) -> bool {
        let facts = &site.view.facts;
        if !matches!(facts.recipe(receiver), Recipe::Name(_)) {
            return false;
        }
        let Some(Found::Binding(file, id)) = self.scan.meaning(site.place(), receiver) else {
            return false;
        };
        let binding = facts.bindings.get(id.0 as usize);
        file == site.view.id
            && binding.is_some_and(|binding| {
                binding.kind == BindingKind::Parameter
                    && facts.scope(binding.scope).kind == ScopeKind::Lambda
            })
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
        if let Some((_, around)) = self.mount_of(&levels) {
            levels.splice(0..0, around.iter().cloned());
        }
        let path = self.path_of(site);
        let mut inclusions = self.inclusions.iter();
        if let Some((_, around)) = inclusions.find(|(end, _)| path.ends_with(end.as_str())) {
            levels.splice(0..0, around.iter().cloned());
        }
        levels
    }

    fn chain_levels(&self, place: Place, recipe: RecipeId) -> Vec<BlockLevel> {
        let (calls, _) = self.chain(place.view, recipe);
        let on = self.written_root(place.view, recipe);
        let level = |(name, arguments)| BlockLevel {
            file: place.view.id,
            scope: place.scope,
            at: place.at,
            name,
            arguments,
            on: on.clone(),
        };
        calls.into_iter().map(level).collect()
    }

    /// What the first call of a chain is called on, as written.
    fn written_root(&self, view: &FileView, mut recipe: RecipeId) -> String {
        for _ in 0..MAX_LEVELS {
            match view.facts.recipe(recipe) {
                Recipe::Call(callee, list) => match view.facts.recipe(callee) {
                    Recipe::Member(inner, _) | Recipe::Scoped(inner, _) => recipe = inner,
                    // A bare word may be a call.
                    _ if view.facts.list(list).is_empty() => recipe = callee,
                    _ => break,
                },
                _ => return dotted(&crate::text::recipe(&view.facts, recipe)),
            }
        }
        String::new()
    }

    /// The application that a file of routes belongs to, where another one mounts it.
    fn mount_of(&self, levels: &[BlockLevel]) -> Option<&(String, Vec<BlockLevel>)> {
        let rule = self.rules.mount.as_ref()?;
        let own = levels.iter().find(|level| level.name == rule.draw)?;
        let mut mounted = self.mounted.iter();
        mounted.find(|(name, _)| {
            let own = own.on.strip_prefix(name.as_str());
            own.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// `mount Shop::Engine, at: "/shop"` and `mount Shop::Engine => "/shop"`.
    fn find_mounted(&self) -> Vec<(String, Vec<BlockLevel>)> {
        let Some(rule) = &self.rules.mount else {
            return Vec::new();
        };
        let mut sites = self.scan.calls(rule.call);
        sites.retain(|site| self.is_here(site));
        let mut found = Vec::new();
        for site in sites {
            if let Some((name, path)) = self.mounted_at(rule, &site) {
                let mut levels = self.levels(&site);
                levels.push(fixed_level(&path));
                found.push((name, levels));
            }
        }
        found
    }

    fn mounted_at(&self, rule: &BlockMount, site: &CallSite) -> Option<(String, String)> {
        let (own, facts) = (own_level(site), &site.view.facts);
        let first = *site.arguments.first()?;
        let (name, path) = match facts.recipe(first) {
            Recipe::Entry(name, path) => (
                crate::text::recipe(facts, name),
                self.text(&own, path)?.text,
            ),
            Recipe::Field(name, path) => (facts.name(name).to_owned(), self.text(&own, path)?.text),
            _ => (
                crate::text::recipe(facts, first),
                self.option_text(&own, rule.at)?,
            ),
        };
        Some((dotted(&name), path))
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
                found.push(((*file).to_owned(), vec![fixed_level(prefix)]));
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
        let is_plain = |recipe: RecipeId| {
            matches!(
                view.facts.recipe(recipe),
                Recipe::Str(_) | Recipe::Name(_) | Recipe::Member(..) | Recipe::List(_)
            )
        };
        let plain = level.arguments.iter().map(|argument| {
            // `resources(*%i[posts comments])`.
            match view.facts.recipe(*argument) {
                Recipe::Spread(list) => list,
                _ => *argument,
            }
        });
        plain
            .filter(|argument| is_plain(*argument))
            .flat_map(|argument| self.texts(level, argument))
            .map(|known| known.text)
            .collect()
    }

    fn is_template(&self, level: &BlockLevel) -> bool {
        let template = self.rules.template.as_ref();
        template.is_some_and(|template| template.call == level.name)
    }

    /// What blocks around a place say of it, once for each resource of a block for several. Nothing
    /// where one of them is a template that others use.
    fn bases(&self, levels: &[BlockLevel]) -> Vec<BlockBase> {
        if levels.iter().any(|level| self.is_template(level)) {
            return Vec::new();
        }
        self.enter_all(vec![BlockBase::default()], levels)
    }

    fn enter_all(&self, bases: Vec<BlockBase>, levels: &[BlockLevel]) -> Vec<BlockBase> {
        levels.iter().fold(bases, |bases, level| {
            let entered = bases.into_iter();
            entered.flat_map(|base| self.enter(base, level)).collect()
        })
    }

    fn enter(&self, mut base: BlockBase, level: &BlockLevel) -> Vec<BlockBase> {
        if let Some(prefix) = level.name.strip_prefix('=') {
            base.path = joined(&base.path, prefix);
            base.shallow_path = joined(&base.shallow_path, prefix);
            return vec![base];
        }
        let name = level.name.as_str();
        if let Some(rule) = self.rules.scopes.iter().find(|rule| rule.call == name) {
            return self.enter_scope(&base, rule, level);
        }
        if let Some(rule) = self.rules.resources.iter().find(|rule| rule.call == name) {
            return self.enter_resource(&base, rule, level);
        }
        let mut parts = self.rules.parts.iter();
        if let Some((_, part)) = parts.find(|(call, _)| *call == name) {
            if let Some(resource) = &base.resource {
                base.path = resource.part(*part);
                base.is_part = true;
            }
        } else if self.rules.controllers.contains(&name) {
            let class = level.arguments.first();
            base.controller = class.and_then(|class| self.class_name(level, *class));
        } else if self.rules.shallow == Some(name) {
            base.is_shallow = true;
        }
        vec![base]
    }

    fn enter_resource(
        &self,
        base: &BlockBase,
        rule: &BlockResource,
        level: &BlockLevel,
    ) -> Vec<BlockBase> {
        let mut names = self.plain(level);
        if !rule.is_several {
            names.truncate(1);
        }
        if names.is_empty() {
            return vec![base.clone()];
        }
        let inside = |name: String| {
            let (resource, nested) = self.resource(base, rule, level, &name);
            BlockBase {
                path: nested,
                resource: Some(resource),
                is_part: false,
                is_shallow: base.is_shallow || self.is_shallow(level),
                only: None,
                except: Vec::new(),
                ..base.clone()
            }
        };
        names.into_iter().map(inside).collect()
    }

    fn enter_scope(
        &self,
        base: &BlockBase,
        rule: &BlockScope,
        level: &BlockLevel,
    ) -> Vec<BlockBase> {
        let mut base = base.clone();
        if let Some(controller) = self.option_text(level, "controller") {
            base.controller = Some(controller);
        }
        let listed = |name: &str| {
            let recipe = self.option(level, name)?;
            let texts = self.texts(level, recipe).into_iter();
            Some(texts.map(|known| known.text).collect::<Vec<_>>())
        };
        if let Some(only) = listed("only") {
            base.only = Some(only);
        }
        if let Some(except) = listed("except") {
            base.except = except;
        }
        base.is_shallow |= self.is_shallow(level);
        let option = rule.path_option.and_then(|name| self.option(level, name));
        let segments = match option {
            // Without a path: `path: nil`.
            Some(path) => vec![self.text(level, path).map(|known| known.text)],
            None if rule.is_path => self.plain(level).into_iter().map(Some).collect(),
            None => Vec::new(),
        };
        if segments.is_empty() {
            return vec![base];
        }
        let inside = |segment: Option<String>| {
            let mut base = base.clone();
            let segment = segment.unwrap_or_default();
            base.path = joined(&base.path, &segment);
            if rule.is_namespace {
                base.shallow_path = joined(&base.shallow_path, &segment);
            }
            base
        };
        segments.into_iter().map(inside).collect()
    }

    fn read_routes(&self) {
        for (rule, site) in self.route_sites() {
            for base in self.bases(&self.levels(&site)) {
                self.read_route(rule, &site, base, true);
            }
        }
        for (call, method) in self.rules.roots {
            let sites = self.scan.calls(call).into_iter();
            for site in sites.filter(|site| self.is_here(site)) {
                let own = own_level(&site);
                let to = self
                    .option_text(&own, "to")
                    .or_else(|| self.plain(&own).into_iter().next());
                let methods = match self.option(&own, "via") {
                    Some(given) => self.listed_methods(&own, Some(given)),
                    None => vec![method.as_str().to_owned()],
                };
                for base in self.bases(&self.levels(&site)) {
                    let symbol = to.as_ref().and_then(|to| self.handler(&base, to));
                    for method in &methods {
                        let fact = route_at(&site, method, &joined(&base.path, ""));
                        self.scan.add(fact.of(symbol));
                    }
                }
            }
        }
    }

    /// One route below a base. The routes of a template are written elsewhere: their arguments name
    /// no handler.
    fn read_route(
        &self,
        rule: &BlockRoute,
        site: &CallSite,
        mut base: BlockBase,
        is_in_place: bool,
    ) {
        let own = own_level(site);
        // `on: :collection` for one route.
        if let (Some(on), Some(resource)) = (self.option_text(&own, "on"), &base.resource) {
            base.path = resource.part_named(&on);
            base.is_part = true;
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
            // `get :index` of a collection is the collection itself.
            let is_itself = base.is_part
                && self.rules.canonical.contains(&path.text.as_str())
                && self.is_symbol(site, &path.text);
            let segment = if is_itself { "" } else { &path.text };
            for method in &methods {
                let fact = route_at(site, method, &joined(&base.path, segment));
                self.scan.add(fact.of(symbol).certain(certainty));
            }
        }
    }

    /// Whether an argument is written as a symbol: `:index` instead of `"index"`.
    fn is_symbol(&self, site: &CallSite, name: &str) -> bool {
        let Some(text) = self.scan.text(site.file()) else {
            return false;
        };
        let rest = text.get(site.reference.span.end as usize..);
        let line = rest.and_then(|rest| rest.lines().next()).unwrap_or("");
        line.split([' ', '(', ',', '\t'])
            .any(|word| word.trim_end_matches(')').strip_prefix(':') == Some(name))
    }

    fn methods(&self, rule: &BlockRoute, own: &BlockLevel) -> Vec<String> {
        let given = match rule.methods {
            BlockMethods::Fixed(method) => return vec![method.as_str().to_owned()],
            BlockMethods::Given(Slot::At(i)) => own.arguments.get(i).copied(),
            BlockMethods::Given(Slot::Named(name)) => self.option(own, name),
        };
        self.listed_methods(own, given)
    }

    /// The methods that an argument lists; every method where it lists none.
    fn listed_methods(&self, own: &BlockLevel, given: Option<RecipeId>) -> Vec<String> {
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
        // `get :preview, path: "look"`.
        if let (Some(path), 1) = (self.option_text(own, "path"), plain.len()) {
            return (vec![KnownText::whole(path)], target);
        }
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
        if rule.is_several {
            let filled = self.scan.filled_templates(site);
            return (filled.into_iter().map(KnownText::whole).collect(), target);
        }
        (self.scan.texts(site, &[Slot::At(0)]), target)
    }

    /// `get "photos/show"` leads to `photos#show`; inside a resource a bare name is an action of
    /// its controller.
    fn implied(&self, base: &BlockBase, path: &str) -> Option<String> {
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
}

fn own_level(site: &CallSite) -> BlockLevel {
    BlockLevel {
        file: site.view.id,
        scope: site.reference.scope,
        at: site.reference.span.start,
        name: site.view.facts.name(site.reference.name).to_owned(),
        arguments: site.arguments.clone(),
        on: String::new(),
    }
}

/// A part of a path that no call writes.
fn fixed_level(path: &str) -> BlockLevel {
    BlockLevel {
        file: FileId(0),
        scope: ScopeId::FILE,
        at: 0,
        name: format!("={path}"),
        arguments: Vec::new(),
        on: String::new(),
    }
}

fn dotted(name: &str) -> String {
    name.replace("::", ".")
}

fn route_at(site: &CallSite, method: &str, path: &str) -> ArchitectureFact {
    ArchitectureFact::route(method, grouped(path), site.file(), site.reference.span)
}

/// An optional part includes its slash: `/(:locale)/posts` is `(/:locale)/posts`.
fn grouped(path: &str) -> String {
    let is_group = path.starts_with("/(") && path.ends_with(')') && path.matches('/').count() == 1;
    if is_group || !path.contains("/(") {
        return path.to_owned();
    }
    path.replace("/(/", "(/").replace("/(", "(/")
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
