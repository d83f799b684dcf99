//! Routes that annotations on classes and methods declare, and conventional routes of controllers.
//!
//! What an application sets for all of its controllers (a prefix, versions) is in `applications.rs`,
//! which module a controller belongs to in `modules.rs`, and patterns for controllers without paths
//! of their own in `conventional.rs`.

mod applications;
mod conventional;
mod modules;

use std::{collections::BTreeSet, sync::Arc};

use facts::{Modifiers, Recipe, RecipeId, SymbolIndex, SymbolKind, Visibility};

use super::{
    ArchitectureFact, Certainty, joined, projects,
    rules::{ActionMethods, ControllerRules, HttpMethod},
    scan::{Scan, symbol_in, type_name},
    strings::KnownText,
};
use crate::{FileId, FileView, Place, SymbolId, Ty};
use applications::Applications;
use conventional::ControllerPattern;
use modules::Modules;

pub fn read(scan: &Scan<'_>) {
    let Some(rules) = &scan.framework.controllers else {
        return;
    };
    let controllers = Controllers {
        scan,
        rules,
        applications: Applications::read(scan, rules),
        modules: Modules::read(scan, rules),
        is_slugged: rules.slugs.iter().any(|name| !scan.calls(name).is_empty()),
        conventional: conventional::patterns(scan, rules),
        unused: projects::unused(scan),
    };
    for class in controllers.classes() {
        controllers.read_class(class);
    }
}

struct Controllers<'a> {
    scan: &'a Scan<'a>,
    rules: &'static ControllerRules,
    applications: Applications,
    modules: Modules,
    /// `[controller]` and `[action]` are written `like-this`.
    is_slugged: bool,
    conventional: Vec<ControllerPattern>,
    /// Files of projects that no program uses.
    unused: BTreeSet<FileId>,
}

/// A method of a controller, with what its class says.
struct ControllerAction<'a> {
    /// Where the method is declared: in the class, or in one above it.
    view: &'a Arc<FileView>,
    member: SymbolIndex,
    class_file: FileId,
    class_name: &'a str,
    area: Option<&'a str>,
}

/// Methods by which a class can be reached, and the paths of its modules and versions.
struct ClassRoutes {
    prefixes: Vec<KnownText>,
    modules: Vec<String>,
    versions: Option<Vec<Option<String>>>,
}

/// A method and the view of its file.
type ActionMember = (Arc<FileView>, SymbolIndex);

/// Names of all classes above, nearest first.
pub fn lineage(scan: &Scan<'_>, class: SymbolId) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = vec![class];
    for _ in 0..16 {
        let Some(current) = next.pop() else { break };
        for supertype in scan.resolver.supertypes(current).iter() {
            match &supertype.ty {
                Ty::Instance(of, _) | Ty::Type(of, _) => {
                    names.push(scan.resolver.name(*of));
                    next.push(*of);
                }
                ty => names.extend(ty.library_path().map(|path| {
                    let last = path.rsplit(['.', ':']).next();
                    last.unwrap_or(&path).to_owned()
                })),
            }
        }
        if let Some(view) = scan.resolver.view(current.file) {
            let written = view.facts.supertypes.iter();
            names.extend(
                written
                    .filter(|supertype| supertype.symbol == current.index)
                    .filter_map(|supertype| type_name(&view, supertype.ty))
                    .map(str::to_owned),
            );
        }
    }
    names
}

impl Controllers<'_> {
    /// Classes that may be controllers.
    fn classes(&self) -> BTreeSet<SymbolId> {
        let mut classes: BTreeSet<SymbolId> = BTreeSet::new();
        let actions = self.rules.actions.iter().map(|action| &action.name);
        for name in actions.chain(self.rules.annotations) {
            for (view, annotation, ..) in self.scan.annotated(name) {
                let symbol = view.facts.symbol(annotation.symbol);
                let class = if symbol.kind.is_type() {
                    Some(annotation.symbol)
                } else {
                    symbol.parent
                };
                classes.extend(class.map(|index| symbol_in(&view, index)));
            }
        }
        if !self.conventional.is_empty() {
            for view in self
                .rules
                .bases
                .iter()
                .flat_map(|base| self.scan.mentioning(base))
            {
                let supertypes = view.facts.supertypes.iter();
                classes.extend(supertypes.map(|supertype| symbol_in(&view, supertype.symbol)));
            }
        }
        // Derived classes have the same actions.
        self.scan.derived(classes)
    }

    fn is_controller(&self, view: &FileView, class: SymbolIndex) -> bool {
        let symbol = view.symbol(class);
        let is_hidden = self.rules.is_public
            && symbol.visibility != Visibility::Public
            && !symbol.modifiers.contains(Modifiers::PARTIAL);
        let mut not_controllers = self.rules.not_controllers.iter();
        if symbol.modifiers.contains(Modifiers::ABSTRACT)
            || !matches!(symbol.kind, SymbolKind::Class | SymbolKind::Record)
            || is_hidden
            || self.unused.contains(&view.id)
            || not_controllers.any(|name| self.scan.has_annotation(view, class, name))
        {
            return false;
        }
        let mut annotations = self.rules.annotations.iter();
        let name = view.name_of(class);
        annotations.any(|wanted| self.scan.has_annotation(view, class, wanted))
            || self
                .rules
                .suffix
                .is_some_and(|suffix| name.ends_with(suffix))
            || lineage(self.scan, symbol_in(view, class))
                .iter()
                .any(|base| self.rules.bases.contains(&base.as_str()))
    }

    /// The prefixes of a class: its own, or those of the nearest class above that has some.
    fn class_prefixes(&self, class: SymbolId, depth: u32) -> Vec<KnownText> {
        let Some(view) = self.scan.resolver.view(class.file) else {
            return Vec::new();
        };
        let declared = view.symbol(class.index);
        let place = Place::of_declaration(&view, declared);
        let mut found = Vec::new();
        for (name, slots) in self.rules.prefixes {
            for site in self.scan.annotation_sites(&view, class.index, name) {
                let object = site
                    .arguments
                    .first()
                    .and_then(|object| self.scan.field(&view, *object, "path"));
                let is_object = site.arguments.first().is_some_and(|first| {
                    matches!(view.facts.recipe(*first), Recipe::Object(_)) && object.is_none()
                });
                match object {
                    Some(path) => found.extend(self.scan.strings(place, path)),
                    None if is_object || self.scan.site_argument(&site, slots).is_none() => {
                        found.push(KnownText::whole(""))
                    }
                    None => found.extend(self.scan.texts(&site, slots)),
                }
            }
        }
        if found.is_empty() && depth < 8 {
            let bases = self.scan.bases(class).into_iter();
            let mut inherited = bases.map(|above| self.class_prefixes(above, depth + 1));
            found = inherited
                .find(|found| !found.is_empty())
                .unwrap_or_default();
        }
        found
    }

    /// The area of a class: its own, or that of the nearest class above that has one.
    fn area(&self, class: SymbolId, depth: u32) -> Option<String> {
        let view = self.scan.resolver.view(class.file)?;
        let own = self.rules.areas.iter().find_map(|name| {
            let annotations = self.scan.annotations_of(&view, class.index, name);
            let argument = *annotations.first()?.first()?;
            self.scan.string(Place::in_file(&view, 0), argument)
        });
        own.map(|known| known.text).or_else(|| {
            let bases = self.scan.bases(class).into_iter();
            bases
                .filter(|_| depth < 8)
                .find_map(|above| self.area(above, depth + 1))
        })
    }

    /// The methods of a class and of those above it, without those that it declares itself.
    fn members(&self, class: SymbolId) -> Vec<ActionMember> {
        let mut members: Vec<ActionMember> = Vec::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut level = vec![class];
        for _ in 0..8 {
            let mut names = Vec::new();
            for class in &level {
                let Some(view) = self.scan.resolver.view(class.file) else {
                    continue;
                };
                for member in view.children(Some(class.index)) {
                    let kind = view.symbol(member).kind;
                    let name = view.name_of(member);
                    if matches!(kind, SymbolKind::Method | SymbolKind::Function)
                        && !seen.contains(name)
                    {
                        names.push(name.to_owned());
                        members.push((view.clone(), member));
                    }
                }
            }
            seen.extend(names);
            level = level
                .iter()
                .flat_map(|class| self.scan.bases(*class))
                .collect();
            if level.is_empty() {
                break;
            }
        }
        members
    }

    /// The method of a class above that a method overrides.
    fn overridden(&self, view: &FileView, member: SymbolIndex) -> Option<ActionMember> {
        let declared = view.symbol(member);
        if !declared.modifiers.contains(Modifiers::OVERRIDE) {
            return None;
        }
        let mut next = self.scan.bases(symbol_in(view, declared.parent?));
        for _ in 0..8 {
            let base = next.pop()?;
            let above = self.scan.resolver.view(base.file)?;
            if let Some(found) =
                super::tables::child_named(&above, base.index, view.name_of(member))
            {
                return Some((above, found));
            }
            next.extend(self.scan.bases(base));
        }
        None
    }

    fn read_class(&self, class: SymbolId) {
        let Some(view) = self.scan.resolver.view(class.file) else {
            return;
        };
        if !self.is_controller(&view, class.index) || !self.modules.is_registered(class) {
            return;
        }
        let mut prefixes = self.class_prefixes(class, 0);
        if let Some(above) = &self.applications.class_prefix {
            if prefixes.is_empty() {
                prefixes.push(KnownText::whole(""));
            }
            for known in &mut prefixes {
                known.text = match known.text.strip_prefix("~/") {
                    Some(absolute) => format!("/{absolute}"),
                    None if known.text.starts_with('/') => continue,
                    None => joined(above, &known.text),
                };
            }
        }
        let routes = ClassRoutes {
            prefixes,
            modules: self.modules.paths_of(class),
            versions: self
                .applications
                .class_versions(self.scan, &view, class.index),
        };
        let area = self.area(class, 0);
        for (member_view, member) in self.members(class) {
            let action = ControllerAction {
                view: &member_view,
                member,
                class_file: view.id,
                class_name: view.name_of(class.index),
                area: area.as_deref(),
            };
            self.read_action(&action, &routes);
        }
    }

    fn read_action(&self, action: &ControllerAction<'_>, routes: &ClassRoutes) {
        let (view, member) = (action.view, action.member);
        let declared = view.symbol(member);
        let mut not_actions = self.rules.not_actions.iter();
        let is_of_base = self.rules.base_methods.contains(&view.name_of(member));
        if is_of_base || not_actions.any(|name| self.scan.has_annotation(view, member, name)) {
            return;
        }
        let (mut verbs, mut templates) = (self.verbs(view, member), self.templates(view, member));
        if verbs.is_empty()
            && templates.is_empty()
            && let Some((above, member)) = self.overridden(view, member)
        {
            verbs = self.verbs(&above, member);
            templates = self.templates(&above, member);
        }
        if verbs.is_empty() {
            let has_conventions = !self.conventional.is_empty() || !self.rules.templates.is_empty();
            let is_public = declared.visibility == Visibility::Public
                && !declared.modifiers.contains(Modifiers::STATIC);
            if !has_conventions || !is_public {
                return;
            }
            verbs.push((HttpMethod::Any.as_str().to_owned(), None));
        }
        let has_path = !routes.prefixes.is_empty()
            || !templates.is_empty()
            || verbs.iter().any(|(_, path)| path.is_some());
        if !has_path && !self.rules.conventional.is_empty() {
            return self.add_conventional(action, &verbs);
        }
        let nothing = [KnownText::whole("")];
        let prefixes = if routes.prefixes.is_empty() {
            &nothing
        } else {
            routes.prefixes.as_slice()
        };
        for (method, own) in &verbs {
            let own = match own {
                Some(own) => std::slice::from_ref(own),
                None if !templates.is_empty() => &templates,
                None => &nothing,
            };
            for template in own {
                for prefix in prefixes {
                    let path = self.path(action, prefix, template);
                    let certainty = Certainty::of_text(prefix.is_whole && template.is_whole);
                    for address in self.addresses(action, routes, method, &path) {
                        self.add(action, method, address, certainty);
                    }
                }
            }
        }
    }

    /// A path below the application's prefix, one for each version and module.
    fn addresses(
        &self,
        action: &ControllerAction<'_>,
        routes: &ClassRoutes,
        method: &str,
        path: &str,
    ) -> Vec<String> {
        let snapshot = self.scan.resolver.snapshot();
        let own = self
            .applications
            .method_versions(self.scan, action.view, action.member);
        let versions = self.applications.segments(
            snapshot,
            action.class_file,
            own.or_else(|| routes.versions.clone()),
        );
        let mut found = Vec::new();
        for version in &versions {
            for module in &routes.modules {
                let below = joined(module, path);
                let prefix = self
                    .applications
                    .prefix(snapshot, action.class_file, method, &below);
                found.push(joined(&prefix, &joined(version, &below)));
            }
        }
        found
    }

    /// Paths of an action that annotations without a method give.
    fn templates(&self, view: &Arc<FileView>, member: SymbolIndex) -> Vec<KnownText> {
        let names = self.rules.templates.iter();
        names
            .flat_map(|name| self.scan.annotation_sites(view, member, name))
            .flat_map(|site| self.scan.texts(&site, super::rules::FIRST))
            .collect()
    }

    /// The methods of an action, each with its own path.
    fn verbs(&self, view: &Arc<FileView>, member: SymbolIndex) -> Vec<(String, Option<KnownText>)> {
        let mut verbs = Vec::new();
        let place = Place::of_declaration(view, view.symbol(member));
        for rule in self.rules.actions {
            for site in self.scan.annotation_sites(view, member, rule.name) {
                let paths = self.scan.texts(&site, rule.path);
                for method in self.methods(rule.methods, place, &site.arguments) {
                    if paths.is_empty() {
                        verbs.push((method, None));
                    } else {
                        let paths = paths.iter();
                        verbs.extend(paths.map(|path| (method.clone(), Some(path.clone()))));
                    }
                }
            }
        }
        verbs
    }

    fn add_conventional(
        &self,
        action: &ControllerAction<'_>,
        verbs: &[(String, Option<KnownText>)],
    ) {
        let (class, member) = self.names(action);
        for (method, _) in verbs {
            for pattern in &self.conventional {
                if let Some(path) = pattern.path(class, member, action.area) {
                    self.add(action, method, path, Certainty::Pattern);
                }
            }
        }
    }

    fn path(
        &self,
        action: &ControllerAction<'_>,
        prefix: &KnownText,
        template: &KnownText,
    ) -> String {
        let is_absolute = template.text.starts_with('/') && !self.rules.templates.is_empty();
        let path = match template.text.strip_prefix('~') {
            Some(absolute) => absolute.to_owned(),
            None if is_absolute => template.text.clone(),
            None => joined(&prefix.text, &template.text),
        };
        self.filled(action, &path)
    }

    fn methods(&self, methods: ActionMethods, place: Place, arguments: &[RecipeId]) -> Vec<String> {
        match methods {
            ActionMethods::Arguments => arguments
                .iter()
                .flat_map(|argument| self.scan.strings(place, *argument))
                .map(|known| known.text.to_uppercase())
                .collect(),
            ActionMethods::Fixed(method) => vec![method.as_str().to_owned()],
            ActionMethods::Listed(slots) => {
                let listed = self.scan.argument(place.view, arguments, slots);
                let mut names = listed
                    .map(|recipe| self.listed_names(place.view, recipe))
                    .unwrap_or_default();
                if names.is_empty() {
                    names.push(HttpMethod::Any.as_str().to_owned());
                }
                names
            }
        }
    }

    /// `RequestMethod.GET`, or several in braces.
    fn listed_names(&self, view: &FileView, recipe: RecipeId) -> Vec<String> {
        match view.facts.recipe(recipe) {
            Recipe::List(list) | Recipe::Tuple(list) => {
                let items = view.facts.list(list).iter();
                items
                    .flat_map(|item| self.listed_names(view, *item))
                    .collect()
            }
            _ => {
                let name = self.scan.last_name(view, recipe);
                name.map(str::to_uppercase).into_iter().collect()
            }
        }
    }

    /// The class's name without the suffix of controllers, the method's without `Async`.
    fn names<'v>(&self, action: &'v ControllerAction<'_>) -> (&'v str, &'v str) {
        let class = action.class_name;
        let member = action.view.name_of(action.member);
        let short = self
            .rules
            .suffix
            .and_then(|suffix| class.strip_suffix(suffix));
        (
            short.filter(|name| !name.is_empty()).unwrap_or(class),
            member.strip_suffix("Async").unwrap_or(member),
        )
    }

    /// `[controller]`, `[action]` and `[area]` filled in.
    fn filled(&self, action: &ControllerAction<'_>, path: &str) -> String {
        let (class, member) = self.names(action);
        let word = |name: &str| {
            if self.is_slugged {
                slug(name)
            } else {
                name.to_owned()
            }
        };
        path.replace("[controller]", &word(class))
            .replace("[action]", &word(member))
            .replace("[area]", action.area.unwrap_or(""))
    }

    fn add(&self, action: &ControllerAction<'_>, method: &str, path: String, certainty: Certainty) {
        let (view, member) = (action.view, action.member);
        let fact = ArchitectureFact::route(method, path, view.id, view.symbol(member).name_span);
        let symbol = Some(symbol_in(view, member));
        self.scan.add(fact.of(symbol).certain(certainty));
    }
}

/// `MyOrders` is `my-orders`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    let mut before = None;
    for c in name.chars() {
        if c.is_uppercase()
            && before.is_some_and(|before: char| before.is_lowercase() || before.is_numeric())
        {
            slug.push('-');
        }
        slug.extend(c.to_lowercase());
        before = Some(c);
    }
    slug
}
