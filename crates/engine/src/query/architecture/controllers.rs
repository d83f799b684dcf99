//! Routes that annotations on classes and methods declare, and conventional routes of controllers.

use std::{collections::BTreeSet, sync::Arc};

use facts::{Modifiers, Recipe, RecipeId, SymbolIndex, SymbolKind, Visibility};

use super::{
    ArchitectureFact, Certainty, joined,
    rules::{ActionMethods, ControllerRules, ConventionalPattern, HttpMethod},
    scan::{Scan, symbol_in, type_name},
    strings::KnownText,
};
use crate::{FileView, Place, SymbolId, Ty};

pub fn read(scan: &Scan<'_>) {
    let Some(rules) = &scan.framework.controllers else {
        return;
    };
    let controllers = Controllers {
        scan,
        rules,
        global_prefix: global_prefix(scan, rules),
        is_slugged: rules.slugs.iter().any(|name| !scan.calls(name).is_empty()),
        conventional: conventional_patterns(scan, rules),
    };
    for class in controllers.classes() {
        controllers.read_class(class);
    }
}

struct Controllers<'a> {
    scan: &'a Scan<'a>,
    rules: &'static ControllerRules,
    global_prefix: String,
    /// `[controller]` and `[action]` are written `like-this`.
    is_slugged: bool,
    conventional: Vec<String>,
}

/// A method of a controller, with what its class says.
struct ControllerAction<'a> {
    view: &'a Arc<FileView>,
    class: SymbolIndex,
    member: SymbolIndex,
    area: Option<&'a str>,
}

fn global_prefix(scan: &Scan<'_>, rules: &ControllerRules) -> String {
    let mut sites = rules.global_prefix.iter().flat_map(|name| scan.calls(name));
    sites
        .find_map(|site| scan.string(site.place(), *site.arguments.first()?))
        .map(|known| known.text)
        .unwrap_or_default()
}

fn conventional_patterns(scan: &Scan<'_>, rules: &'static ControllerRules) -> Vec<String> {
    let mut patterns = Vec::new();
    for (rule, site) in scan.sites(rules.conventional, |rule| rule.call) {
        match rule.pattern {
            ConventionalPattern::Fixed(pattern) => patterns.push(pattern.to_owned()),
            ConventionalPattern::Argument(slots) => {
                let pattern = scan.site_argument(&site, slots);
                let known = pattern.and_then(|path| scan.string(site.place(), path));
                patterns.extend(known.map(|known| known.text));
            }
        }
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

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
        classes
    }

    fn is_controller(&self, view: &FileView, class: SymbolIndex) -> bool {
        let symbol = view.symbol(class);
        if symbol.modifiers.contains(Modifiers::ABSTRACT)
            || !matches!(symbol.kind, SymbolKind::Class | SymbolKind::Record)
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
        let place = Place::of_declaration(&view, &declared);
        let mut found = Vec::new();
        for (name, slots) in self.rules.prefixes {
            for arguments in self.scan.annotations_of(&view, class.index, name) {
                let object = arguments
                    .first()
                    .and_then(|object| self.scan.field(&view, *object, "path"));
                match object.or_else(|| self.scan.argument(&view, &arguments, slots)) {
                    Some(path) => found.extend(self.scan.strings(place, path)),
                    None => found.push(KnownText::whole("")),
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

    fn read_class(&self, class: SymbolId) {
        let Some(view) = self.scan.resolver.view(class.file) else {
            return;
        };
        if !self.is_controller(&view, class.index) {
            return;
        }
        let mut prefixes = self.class_prefixes(class, 0);
        if let Some(version) = self.version(&view, class.index) {
            if prefixes.is_empty() {
                prefixes.push(KnownText::whole(""));
            }
            for known in &mut prefixes {
                known.text = joined(&version, &known.text);
            }
        }
        let area = self.rules.areas.iter().find_map(|name| {
            let annotations = self.scan.annotations_of(&view, class.index, name);
            let argument = *annotations.first()?.first()?;
            self.scan.string(Place::in_file(&view, 0), argument)
        });
        for member in view.children(Some(class.index)) {
            let kind = view.symbol(member).kind;
            if matches!(kind, SymbolKind::Method | SymbolKind::Function) {
                let action = ControllerAction {
                    view: &view,
                    class: class.index,
                    member,
                    area: area.as_ref().map(|known| known.text.as_str()),
                };
                self.read_action(&action, &prefixes);
            }
        }
    }

    /// `v1` of `@Controller({ version: "1" })`, where the application puts versions into addresses.
    fn version(&self, view: &FileView, class: SymbolIndex) -> Option<String> {
        let rule = self.rules.versions.as_ref()?;
        if self.scan.calls(rule.call).is_empty() {
            return None;
        }
        let annotations = self.rules.annotations.iter();
        let value = annotations
            .flat_map(|name| self.scan.annotations_of(view, class, name))
            .find_map(|arguments| self.scan.field(view, *arguments.first()?, rule.field))?;
        let place = Place::in_file(view, view.symbol(class).span.start);
        let version = self.scan.strings(place, value).into_iter().next()?;
        Some(format!("{}{}", rule.prefix, version.text))
    }

    fn read_action(&self, action: &ControllerAction<'_>, prefixes: &[KnownText]) {
        let (view, member) = (action.view, action.member);
        let declared = view.symbol(member);
        let mut not_actions = self.rules.not_actions.iter();
        if not_actions.any(|name| self.scan.has_annotation(view, member, name)) {
            return;
        }
        let place = Place::of_declaration(view, &declared);
        let mut verbs = self.verbs(place, member);
        let templates: Vec<KnownText> = self
            .rules
            .templates
            .iter()
            .flat_map(|name| self.scan.annotations_of(view, member, name))
            .filter_map(|arguments| self.scan.string(place, *arguments.first()?))
            .collect();
        if verbs.is_empty() {
            let has_conventions = !self.conventional.is_empty() || !self.rules.templates.is_empty();
            let is_public = declared.visibility == Visibility::Public
                && !declared.modifiers.contains(Modifiers::STATIC);
            if !has_conventions || !is_public {
                return;
            }
            verbs.push((HttpMethod::Any.as_str().to_owned(), None));
        }
        let has_path = !prefixes.is_empty()
            || !templates.is_empty()
            || verbs.iter().any(|(_, path)| path.is_some());
        if !has_path && !self.rules.conventional.is_empty() {
            return self.add_conventional(action, &verbs);
        }
        let nothing = [KnownText::whole("")];
        let prefixes = if prefixes.is_empty() {
            &nothing
        } else {
            prefixes
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
                    self.add(
                        action,
                        method,
                        joined(&self.global_prefix, &path),
                        certainty,
                    );
                }
            }
        }
    }

    /// The methods of an action, each with its own path.
    fn verbs(&self, place: Place<'_>, member: SymbolIndex) -> Vec<(String, Option<KnownText>)> {
        let mut verbs = Vec::new();
        for rule in self.rules.actions {
            for arguments in self.scan.annotations_of(place.view, member, rule.name) {
                let path = self.scan.argument(place.view, &arguments, rule.path);
                let paths = path
                    .map(|path| self.scan.strings(place, path))
                    .unwrap_or_default();
                for method in self.methods(rule.methods, place, &arguments) {
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
        for (method, _) in verbs {
            for pattern in &self.conventional {
                if action.area.is_some() || !pattern.contains("{area") {
                    let path = self.conventional_path(action, pattern);
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

    fn methods(
        &self,
        methods: ActionMethods,
        place: Place<'_>,
        arguments: &[RecipeId],
    ) -> Vec<String> {
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
        let class = action.view.name_of(action.class);
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

    fn conventional_path(&self, action: &ControllerAction<'_>, pattern: &str) -> String {
        let (class, member) = self.names(action);
        let segments = pattern.split('/').filter_map(|segment| {
            let inner = segment
                .strip_prefix('{')
                .and_then(|segment| segment.strip_suffix('}'));
            let name = inner.map(|inner| inner.split(['=', ':', '?']).next().unwrap_or(inner));
            match name {
                Some("controller") => Some(class),
                Some("action") => Some(member),
                Some("area") => action.area,
                _ => Some(segment),
            }
        });
        format!("/{}", segments.collect::<Vec<_>>().join("/"))
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
