//! Resources, which make several routes, and blocks of routes that resources use by name.

use super::{BlockBase, BlockLevel, BlockReader, own_level, route_at};
use crate::{
    SymbolId,
    query::architecture::{
        inflection::{plural, singular},
        joined,
        rules::{BlockResource, ResourceAction, ResourcePart},
        scan::CallSite,
    },
};

#[derive(Clone, Debug, Default)]
pub struct Resource {
    pub collection: String,
    pub member: String,
    pub controller: String,
}

impl Resource {
    pub fn part(&self, part: ResourcePart) -> String {
        match part {
            ResourcePart::Collection => self.collection.clone(),
            ResourcePart::New => joined(&self.collection, "new"),
            ResourcePart::Member => self.member.clone(),
        }
    }

    /// The part that the option `on: :collection` of a route names.
    pub fn part_named(&self, name: &str) -> String {
        self.part(match name {
            "collection" => ResourcePart::Collection,
            "new" => ResourcePart::New,
            _ => ResourcePart::Member,
        })
    }
}

/// A block of routes is used inside another.
const MAX_TEMPLATES: u32 = 4;

impl BlockReader<'_> {
    /// A resource below a base, and the path of what is in its block.
    pub fn resource(
        &self,
        base: &BlockBase,
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
        let below = |path: &str| {
            let mut collection = path.to_owned();
            for (i, part) in parts.iter().enumerate() {
                collection = joined(&collection, part);
                if i + 1 < parts.len() {
                    collection = joined(&collection, &placeholder(part));
                }
            }
            collection
        };
        let collection = below(&base.path);
        // What is shallow has its members beside the resource around it, not below it.
        let is_shallow = !rule.is_one && (base.is_shallow || self.is_shallow(level));
        let items = if is_shallow {
            below(&base.shallow_path)
        } else {
            collection.clone()
        };
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
            joined(&items, &item)
        };
        let nested = match rule.nested {
            _ if rule.is_one => collection.clone(),
            Some(nested) => {
                let nested = nested
                    .replace("{singular}", &singular(name))
                    .replace("{param}", parameter.as_deref().unwrap_or("id"));
                joined(&items, &nested)
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

    /// `shallow: true`.
    pub fn is_shallow(&self, level: &BlockLevel) -> bool {
        let option = self.rules.shallow.and_then(|name| self.option(level, name));
        let view = self.scan.resolver.view(level.file);
        option
            .zip(view)
            .is_some_and(|(option, view)| view.is_true(option))
    }

    /// The bases of a call, each with each of the names that the call is given.
    pub fn each_below(&self, site: &CallSite) -> Vec<(BlockBase, String)> {
        let names = self.plain(&own_level(site));
        let bases = self.bases(&self.levels(site)).into_iter();
        let pairs = bases.flat_map(|base| {
            let names = names.iter().cloned();
            names.map(move |name| (base.clone(), name))
        });
        pairs.collect()
    }

    pub fn read_resources(&self) {
        for (rule, site) in self.resource_sites() {
            let own = own_level(&site);
            let mut names = self.plain(&own);
            if !rule.is_several {
                names.truncate(1);
            }
            let bases = self.bases(&self.levels(&site));
            if names.is_empty() && !bases.is_empty() {
                self.scan.not_understood(site.file(), site.reference.span);
            }
            for base in &bases {
                for name in &names {
                    self.read_resource(rule, &site, base, name);
                }
            }
        }
    }

    fn read_resource(&self, rule: &BlockResource, site: &CallSite, base: &BlockBase, name: &str) {
        let own = own_level(site);
        let (resource, nested) = self.resource(base, rule, &own, name);
        let class = site
            .arguments
            .get(1)
            .and_then(|class| self.class_name(&own, *class));
        let controller = class.as_ref().unwrap_or(&resource.controller);
        self.add_actions(rule, site, base, &resource, |action| {
            self.handler(base, &format!("{controller}#{}", action.name))
        });
        // `concerns: :commentable`.
        let template = self.rules.template.as_ref();
        if let Some(wanted) = template.and_then(|template| self.option(&own, template.used_by)) {
            let wanted = self.texts(&own, wanted).into_iter();
            let wanted: Vec<String> = wanted.map(|known| known.text).collect();
            let mut inside = base.clone();
            (inside.path, inside.resource) = (nested, Some(resource));
            self.read_template(&wanted, &[inside], 0);
        }
    }

    /// The routes of the actions that a resource has: those of its rule, without what `only` and
    /// `except` leave out.
    fn add_actions(
        &self,
        rule: &BlockResource,
        site: &CallSite,
        base: &BlockBase,
        resource: &Resource,
        handler: impl Fn(&ResourceAction) -> Option<SymbolId>,
    ) {
        let own = own_level(site);
        let mut only = self.option_texts(site, &own, "only");
        let mut except = self.option_texts(site, &own, "except").unwrap_or_default();
        // What the blocks around say counts where the resource says nothing.
        if only.is_none() && except.is_empty() {
            (only, except) = (base.only.clone(), base.except.clone());
        }
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
            // `path_names: { new: "make" }`.
            let renamed = self
                .option(&own, "path_names")
                .and_then(|names| self.scan.field(&site.view, names, action.path))
                .and_then(|name| self.text(&own, name));
            let segment = renamed.map_or_else(|| action.path.to_owned(), |known| known.text);
            let path = joined(&resource.part(action.part), &segment);
            let symbol = handler(action);
            for method in action.methods {
                let fact = route_at(site, method.as_str(), &path);
                self.scan.add(fact.of(symbol));
            }
        }
    }

    /// Templates that a call asks for inside a block: `concerns :commentable`.
    pub fn read_templates(&self) {
        for site in self.template_sites() {
            let bases = self.bases(&self.levels(&site));
            if !bases.is_empty() {
                self.read_template(&self.plain(&own_level(&site)), &bases, 0);
            }
        }
    }

    fn template_sites(&self) -> Vec<CallSite> {
        let template = self.rules.template.as_ref();
        let mut sites =
            template.map_or_else(Vec::new, |template| self.scan.calls(template.used_by));
        sites.retain(|site| self.is_here(site));
        sites
    }

    /// The routes of templates below bases.
    fn read_template(&self, wanted: &[String], bases: &[BlockBase], depth: u32) {
        if depth > MAX_TEMPLATES {
            return;
        }
        let inside = |site: &CallSite| {
            let levels = self.levels(site);
            let at = levels.iter().position(|level| self.is_template(level))?;
            let names = self.plain(&levels[at]);
            let is_wanted = wanted.iter().any(|name| names.contains(name));
            is_wanted.then(|| self.enter_all(bases.to_vec(), &levels[at + 1..]))
        };
        for (rule, site) in self.route_sites() {
            for base in inside(&site).into_iter().flatten() {
                self.read_route(rule, &site, base, false);
            }
        }
        for (rule, site) in self.resource_sites() {
            for base in inside(&site).into_iter().flatten() {
                for name in self.plain(&own_level(&site)) {
                    self.read_resource(rule, &site, &base, &name);
                }
            }
        }
        for site in self.template_sites() {
            if let Some(bases) = inside(&site) {
                self.read_template(&self.plain(&own_level(&site)), &bases, depth + 1);
            }
        }
    }
}
