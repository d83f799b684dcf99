//! What routers are mounted on, and with which prefix.

use std::collections::BTreeSet;

use facts::{NameId, Recipe, RecipeId};

use super::{KnownText, Router, Routers, add_prefix};
use crate::{
    FileId, FileView, Found, Place, Snapshot,
    query::architecture::{rules::MountCall, scan::CallSite},
    resolve::names::modules,
};

#[derive(Clone)]
pub struct Mounted {
    pub parent: Option<Router>,
    pub prefix: String,
    pub is_whole: bool,
}

impl Routers<'_> {
    /// Where routers are written as arguments of what mounts them.
    pub fn find_inline(&self) {
        for (_, site) in self.scan.sites(self.rules.mounts, |rule| rule.call) {
            for (recipe, span) in site.arguments.iter().zip(self.scan.argument_spans(&site)) {
                if self.maker(&site.view, *recipe).is_some() {
                    let mut inline = self.inline.borrow_mut();
                    inline.entry(site.view.id).or_default().push(span);
                }
            }
        }
    }

    /// The innermost argument around a place that is a router.
    pub fn inline_at(&self, file: FileId, at: u32) -> Option<Router> {
        let inline = self.inline.borrow();
        let around = inline
            .get(&file)?
            .iter()
            .filter(|span| span.contains(at))
            .min_by_key(|span| span.len())?;
        Some(Router::Inline(file, around.start))
    }

    pub fn read_mounts(&self) {
        for (rule, site) in self.scan.sites(self.rules.mounts, |rule| rule.call) {
            let Some(receiver) = site.reference.receiver else {
                continue;
            };
            let parent = self.router(site.place(), receiver, 0);
            if let Some(pairs) = self.each_of_list(&site) {
                for (prefix, child) in pairs {
                    self.mount(child, parent.clone(), &[prefix]);
                }
                continue;
            }
            let prefixes = self.mount_prefixes(rule, &site);
            for object in self.mounted_objects(rule, &site) {
                if let Some(child) = self.mounted_child(&site, object) {
                    self.mount(child, parent.clone(), &prefixes);
                }
            }
        }
    }

    fn mount_prefixes(&self, rule: &MountCall, site: &CallSite) -> Vec<KnownText> {
        let named = self.scan.texts(site, rule.prefix);
        if !named.is_empty() {
            return named;
        }
        let field = rule.prefix_field.and_then(|(slots, name)| {
            let object = self.scan.site_argument(site, slots)?;
            self.scan.field(&site.view, object, name)
        });
        field
            .map(|field| self.scan.strings(site.place(), field))
            .unwrap_or_default()
    }

    /// The argument that is mounted; without one, all arguments and the members of lists.
    fn mounted_objects(&self, rule: &MountCall, site: &CallSite) -> Vec<RecipeId> {
        if !rule.object.is_empty() {
            let object = self.scan.site_argument(site, rule.object);
            return object.into_iter().collect();
        }
        let facts = &site.view.facts;
        let listed = |argument: &RecipeId| match facts.recipe(*argument) {
            Recipe::List(list) => facts.list(list).to_vec(),
            _ => vec![*argument],
        };
        site.arguments.iter().flat_map(listed).collect()
    }

    fn mounted_child(&self, site: &CallSite, object: RecipeId) -> Option<Router> {
        let file = site.view.id;
        let spans = self.scan.argument_spans(site);
        let mut arguments = site.arguments.iter();
        let written = arguments
            .position(|argument| *argument == object)
            .and_then(|i| spans.get(i));
        let inline = written.filter(|span| {
            let inline = self.inline.borrow();
            inline.get(&file).is_some_and(|all| all.contains(span))
        });
        if let Some(span) = inline {
            return Some(Router::Inline(file, span.start));
        }
        match site.view.facts.recipe(object) {
            Recipe::Lambda(scope, _) => Some(Router::LambdaParameter(file, scope)),
            Recipe::Str(_) => None,
            _ => self.router(site.place(), object, 0),
        }
    }

    /// `r.Route("/x", func(r Router) { ... })`: the function fills a router below.
    pub fn read_group_callbacks(&self) {
        for (rule, site) in self
            .scan
            .sites(self.rules.group_callbacks, |rule| rule.call)
        {
            let (Some(receiver), Some(function)) = (
                site.reference.receiver,
                self.scan.site_argument(&site, rule.function),
            ) else {
                continue;
            };
            let Recipe::Lambda(scope, _) = site.view.facts.recipe(function) else {
                continue;
            };
            let prefix = self
                .scan
                .site_argument(&site, rule.prefix)
                .and_then(|recipe| self.scan.string(site.place(), recipe));
            let mount = Mounted {
                parent: self.router(site.place(), receiver, 0),
                prefix: prefix.map(|known| known.text).unwrap_or_default(),
                is_whole: true,
            };
            let child = Router::LambdaParameter(site.view.id, scope);
            self.mounts
                .borrow_mut()
                .entry(child)
                .or_default()
                .push(mount);
        }
    }

    /// `routes.forEach((route) => router.use(route.path, route.router))`: a list of objects, each
    /// mounted as they say.
    fn each_of_list(&self, site: &CallSite) -> Option<Vec<(KnownText, Router)>> {
        let facts = &site.view.facts;
        let (Recipe::Member(item, path), Recipe::Member(other, target)) = (
            facts.recipe(*site.arguments.first()?),
            facts.recipe(*site.arguments.get(1)?),
        ) else {
            return None;
        };
        if item != other {
            return None;
        }
        let Found::Binding(file, id) = self.scan.meaning(site.place(), item)? else {
            return None;
        };
        let context = facts
            .scope(facts.bindings[id.0 as usize].scope)
            .context
            .filter(|_| file == site.view.id)?;
        let Recipe::Call(callee, _) = facts.recipe(context.call) else {
            return None;
        };
        let Recipe::Member(list, _) = facts.recipe(callee) else {
            return None;
        };
        let items = self.items_of(site, list)?;
        let mut pairs = Vec::new();
        for object in items {
            let field = |name: NameId| self.scan.field(&site.view, object, facts.name(name));
            let (Some(path), Some(target)) = (field(path), field(target)) else {
                continue;
            };
            if let (Some(prefix), Some(child)) = (
                self.scan.string(site.place(), path),
                self.router(site.place(), target, 0),
            ) {
                pairs.push((prefix, child));
            }
        }
        (!pairs.is_empty()).then_some(pairs)
    }

    fn items_of(&self, site: &CallSite, recipe: RecipeId) -> Option<Vec<RecipeId>> {
        let facts = &site.view.facts;
        match facts.recipe(recipe) {
            Recipe::List(list) => Some(facts.list(list).to_vec()),
            Recipe::Name(_) => {
                let value = match self.scan.meaning(site.place(), recipe)? {
                    Found::Binding(file, id) if file == site.view.id => {
                        facts.bindings[id.0 as usize].value
                    }
                    Found::Symbol(symbol) if symbol.file == site.view.id => {
                        facts.values(facts.symbol(symbol.index)).first()?.recipe
                    }
                    _ => return None,
                };
                match facts.recipe(value) {
                    Recipe::List(list) => Some(facts.list(list).to_vec()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn mount(&self, child: Router, parent: Option<Router>, prefixes: &[KnownText]) {
        let nothing = [KnownText::whole("")];
        let is_unprefixed = self.unprefixed.borrow().contains(&child);
        let prefixes = if prefixes.is_empty() || is_unprefixed {
            &nothing
        } else {
            prefixes
        };
        let mut mounts = self.mounts.borrow_mut();
        let mounts = mounts.entry(child).or_default();
        mounts.extend(prefixes.iter().map(|known| Mounted {
            parent: parent.clone(),
            prefix: known.text.clone(),
            is_whole: known.is_whole,
        }));
    }

    /// Directories whose files are all mounted: `register(autoload, { dir: join(__dirname,
    /// "routes"), options: { prefix: "/api" } })`.
    pub fn read_directories(&self) {
        let snapshot = self.scan.resolver.snapshot();
        for (rule, site) in self.scan.sites(self.rules.directories, |rule| rule.call) {
            let Some(object) = site.arguments.get(1).copied() else {
                continue;
            };
            let field = |object, name| self.scan.field(&site.view, object, name);
            let directory = field(object, rule.directory)
                .and_then(|directory| self.directory(site.place(), directory));
            let Some(directory) = directory else {
                continue;
            };
            let receiver = site.reference.receiver;
            let parent = receiver.and_then(|receiver| self.router(site.place(), receiver, 0));
            // `Object.assign({ prefix: "/api" }, options)` has the fields of its arguments.
            let prefix = field(object, rule.options)
                .and_then(|options| match site.view.facts.recipe(options) {
                    Recipe::Call(_, list) => {
                        let mut merged = site.view.facts.list(list).iter();
                        merged.find_map(|options| field(*options, rule.prefix))
                    }
                    _ => field(options, rule.prefix),
                })
                .and_then(|prefix| self.scan.string(site.place(), prefix))
                .map(|known| known.text)
                .unwrap_or_default();
            let is = |name, value: fn(&FileView, RecipeId) -> bool| {
                field(object, name).is_some_and(|option| value(&site.view, option))
            };
            let is_by_name = !is(rule.without_names, FileView::is_false);
            let has_parameters = is(rule.parameters, FileView::is_true);
            let inside = format!("{directory}/");
            let indexed = indexed_directories(snapshot, &inside, rule.index);
            for (file, entry) in snapshot.files() {
                let path = entry.path.as_str();
                // Where a file stands for its directory, the others are not loaded by themselves.
                if !path.starts_with(&inside)
                    || indexed.contains(entry.path.directory()) && stem(path) != rule.index
                {
                    continue;
                }
                let Some(child) = self.exported(file, 0) else {
                    continue;
                };
                let below = entry.path.directory().strip_prefix(directory.as_str());
                let mut by_name = below.filter(|_| is_by_name).unwrap_or("").to_owned();
                if has_parameters {
                    by_name = by_name.replace("/_", "/:");
                }
                let own = self.exported_text(file, rule.own_prefix).unwrap_or(by_name);
                let text = self
                    .exported_text(file, rule.whole_prefix)
                    .unwrap_or_else(|| add_prefix(&prefix, &own));
                self.mount(child, parent.clone(), &[KnownText::whole(text)]);
            }
        }
    }

    /// A text that a file exports under a name.
    fn exported_text(&self, file: FileId, name: &str) -> Option<String> {
        let view = self.scan.resolver.view(file)?;
        let mut exports = view.facts.exports.iter();
        let export = exports.find(|export| view.facts.name(export.exported) == name);
        let place = Place::end_of_file(&view);
        let known = match export {
            Some(export) if export.value.is_known() => self.scan.string(place, export.value),
            _ => {
                let name = view.facts.names.find(name)?;
                let mut symbols = view.symbols_named(name);
                symbols.find_map(|index| self.scan.value_string(&view, index))
            }
        };
        known.map(|known| known.text)
    }

    /// The directory that `join(__dirname, "routes")` means.
    fn directory(&self, place: Place, recipe: RecipeId) -> Option<String> {
        let view = place.view;
        let texts = |recipe: RecipeId| {
            let known = self.scan.strings(place, recipe).into_iter();
            known.map(|known| known.text)
        };
        let parts: Vec<String> = match view.facts.recipe(recipe) {
            Recipe::Call(_, list) => {
                let parts = view.facts.list(list).iter();
                parts.flat_map(|part| texts(*part)).collect()
            }
            Recipe::Name(_) if texts(recipe).next().is_none() => {
                let (view, value) = self.scan.value_behind(place, recipe)?;
                let is_call = matches!(view.facts.recipe(value), Recipe::Call(..));
                return is_call
                    .then(|| self.directory(Place::end_of_file(&view), value))
                    .flatten();
            }
            _ => texts(recipe).collect(),
        };
        if parts.is_empty() {
            return None;
        }
        let own = self.scan.resolver.path(view.id);
        modules::relative(own.directory(), &parts.join("/"))
    }
}

/// Directories below one that have a file that stands for all of them.
fn indexed_directories(snapshot: &Snapshot, inside: &str, index: &str) -> BTreeSet<String> {
    let files = snapshot.files().map(|(_, entry)| &entry.path);
    let files =
        files.filter(|path| path.as_str().starts_with(inside) && stem(path.as_str()) == index);
    files.map(|path| path.directory().to_owned()).collect()
}

/// `index` of `routes/index.ts`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}
