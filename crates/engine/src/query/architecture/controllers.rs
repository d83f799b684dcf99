//! Routes that annotations on classes and methods declare, conventional routes of controllers,
//! endpoint classes, and pages by their path.

use std::{collections::BTreeSet, sync::Arc};

use facts::{Modifiers, RecipeId, ScopeId, SymbolIndex, SymbolKind, Visibility};

use super::{
    ArchitectureFact, ArchitectureKind, Certainty, joined,
    places::{Known, Places, Spot},
    routers::type_name,
    rules::{Framework, Rule},
};
use crate::{FileView, SymbolId, Ty};

pub fn read(places: &Places<'_>, framework: &Framework) {
    let Some(controller) = framework.of("controller").next() else {
        return;
    };
    let reader = Controllers {
        places,
        framework,
        controller,
        global: global_prefix(places, framework),
        is_slugged: framework
            .of("token-transformer")
            .any(|rule| !places.calls(framework.family, rule.name()).is_empty()),
        conventional: conventional(places, framework),
    };
    reader.read_classes();
    reader.read_endpoint_classes();
    reader.read_pages();
}

struct Controllers<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
    controller: &'a Rule,
    global: String,
    /// `[controller]` and `[action]` are written `like-this`.
    is_slugged: bool,
    conventional: Vec<String>,
}

fn global_prefix(places: &Places<'_>, framework: &Framework) -> String {
    let sites = places.sites(framework, "global-prefix");
    sites
        .iter()
        .find_map(|(_, site)| places.string(site.spot(), *site.arguments.first()?))
        .map(|known| known.text)
        .unwrap_or_default()
}

fn conventional(places: &Places<'_>, framework: &Framework) -> Vec<String> {
    let mut patterns = Vec::new();
    for (rule, site) in places.sites(framework, "conventional") {
        let spec = rule.option("path").unwrap_or("1");
        if spec.starts_with('{') {
            patterns.push(spec.to_owned());
        } else if let Some(known) = places
            .argument(&site.view, &site.arguments, spec)
            .and_then(|path| places.string(site.spot(), path))
        {
            patterns.push(known.text);
        }
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

impl Controllers<'_> {
    fn read_classes(&self) {
        let mut classes: BTreeSet<SymbolId> = BTreeSet::new();
        let names: Vec<&str> = self
            .framework
            .words("annotation")
            .filter(|word| word.starts_with(char::is_uppercase))
            .collect();
        for name in names.iter().chain(&self.controller.list("annotation")) {
            for (view, annotation, ..) in self.places.annotated(self.framework.family, name) {
                let symbol = view.facts.symbol(annotation.symbol);
                let class = if symbol.kind.is_type() {
                    Some(annotation.symbol)
                } else {
                    symbol.parent
                };
                classes.extend(class.map(|index| SymbolId {
                    file: view.id,
                    index,
                }));
            }
        }
        if !self.conventional.is_empty() {
            for base in self.controller.list("base") {
                for view in self.places.mentioning(self.framework.family, base) {
                    classes.extend(view.facts.supertypes.iter().map(|supertype| SymbolId {
                        file: view.id,
                        index: supertype.symbol,
                    }));
                }
            }
        }
        for class in classes {
            self.read_class(class);
        }
    }

    fn is_controller(&self, view: &FileView, class: SymbolIndex) -> bool {
        let name = view.name_of(class);
        let by_annotation = self
            .controller
            .list("annotation")
            .iter()
            .any(|wanted| !self.places.annotations_of(view, class, wanted).is_empty());
        let by_name = self
            .controller
            .option("suffix")
            .is_some_and(|suffix| name.ends_with(suffix));
        let by_base = || {
            let mut all = self.lineage(SymbolId {
                file: view.id,
                index: class,
            });
            all.any(|base| self.controller.list("base").contains(&base.as_str()))
        };
        let is_abstract = view.symbol(class).modifiers.contains(Modifiers::ABSTRACT);
        !is_abstract
            && matches!(
                view.symbol(class).kind,
                SymbolKind::Class | SymbolKind::Record
            )
            && (by_annotation || by_name || by_base())
    }

    /// Names of all classes above, nearest first.
    fn lineage(&self, class: SymbolId) -> impl Iterator<Item = String> {
        let mut names = Vec::new();
        let mut next = vec![class];
        for _ in 0..16 {
            let Some(current) = next.pop() else { break };
            for supertype in self.places.resolver.supertypes(current).iter() {
                match &supertype.ty {
                    Ty::Instance(of, _) | Ty::Type(of, _) => {
                        names.push(self.places.resolver.name(*of));
                        next.push(*of);
                    }
                    Ty::Library(name, _) | Ty::LibraryType(name, _) | Ty::External(name) => {
                        names.push(name.rsplit(['.', ':']).next().unwrap_or(name).to_owned())
                    }
                    _ => {}
                }
            }
            if let Some(view) = self.places.resolver.view(current.file) {
                let written = view
                    .facts
                    .supertypes
                    .iter()
                    .filter(|supertype| supertype.symbol == current.index);
                names.extend(
                    written
                        .filter_map(|supertype| type_name(&view, supertype.ty))
                        .map(str::to_owned),
                );
            }
        }
        names.into_iter()
    }

    /// The prefixes of a class: its own, or those of the nearest class above that has some.
    fn class_prefixes(&self, class: SymbolId, depth: u32) -> Vec<Known> {
        let Some(view) = self.places.resolver.view(class.file) else {
            return Vec::new();
        };
        let spot = Spot {
            view: &view,
            scope: view.symbol(class.index).declared_in,
            at: view.symbol(class.index).span.start,
        };
        let mut found = Vec::new();
        for rule in self.framework.of("prefix") {
            for arguments in self.places.annotations_of(&view, class.index, rule.name()) {
                let path = self.places.argument(
                    &view,
                    &arguments,
                    rule.option("path").unwrap_or("0|template|path"),
                );
                let object = arguments
                    .first()
                    .and_then(|object| self.places.field(&view, *object, "path"));
                match object.or(path) {
                    Some(path) => found.extend(self.places.strings(spot, path)),
                    None => found.push(Known {
                        text: String::new(),
                        is_whole: true,
                    }),
                }
            }
        }
        if found.is_empty() && depth < 8 {
            for supertype in self.places.resolver.supertypes(class).iter() {
                if let Ty::Instance(above, _) | Ty::Type(above, _) = &supertype.ty {
                    found = self.class_prefixes(*above, depth + 1);
                    if !found.is_empty() {
                        break;
                    }
                }
            }
        }
        found
    }

    fn read_class(&self, class: SymbolId) {
        let Some(view) = self.places.resolver.view(class.file) else {
            return;
        };
        if !self.is_controller(&view, class.index) {
            return;
        }
        let mut prefixes = self.class_prefixes(class, 0);
        if let Some(version) = self.version(&view, class.index) {
            let nothing = Known {
                text: String::new(),
                is_whole: true,
            };
            let bare = if prefixes.is_empty() {
                vec![nothing]
            } else {
                prefixes
            };
            prefixes = bare
                .into_iter()
                .map(|known| Known {
                    text: joined(&version, &known.text),
                    ..known
                })
                .collect();
        }
        let area = self.framework.of("area").find_map(|rule| {
            let arguments = self
                .places
                .annotations_of(&view, class.index, rule.name())
                .into_iter()
                .next()?;
            self.places.string(
                Spot {
                    view: &view,
                    scope: ScopeId::FILE,
                    at: 0,
                },
                *arguments.first()?,
            )
        });
        let area = area.map(|known| known.text);
        let members: Vec<SymbolIndex> = view
            .children(Some(class.index))
            .filter(|index| {
                matches!(
                    view.symbol(*index).kind,
                    SymbolKind::Method | SymbolKind::Function
                )
            })
            .collect();
        for member in members {
            self.read_action(&view, class, member, &prefixes, area.as_deref());
        }
    }

    /// `v1` of `@Controller({ version: "1" })`, where the application puts versions into addresses.
    fn version(&self, view: &FileView, class: SymbolIndex) -> Option<String> {
        let rule = self.framework.of("versioned").find(|rule| {
            !self
                .places
                .calls(self.framework.family, rule.name())
                .is_empty()
        })?;
        let spot = Spot {
            view,
            scope: ScopeId::FILE,
            at: view.symbol(class).span.start,
        };
        let field = rule.option("field")?;
        let mut arguments = self
            .controller
            .list("annotation")
            .into_iter()
            .flat_map(|name| self.places.annotations_of(view, class, name));
        let value =
            arguments.find_map(|arguments| self.places.field(view, *arguments.first()?, field))?;
        let version = self.places.strings(spot, value).into_iter().next()?;
        Some(format!(
            "{}{}",
            rule.option("prefix").unwrap_or(""),
            version.text
        ))
    }

    fn read_action(
        &self,
        view: &Arc<FileView>,
        class: SymbolId,
        member: SymbolIndex,
        prefixes: &[Known],
        area: Option<&str>,
    ) {
        let declared = view.symbol(member);
        if self.framework.of("not-an-action").any(|rule| {
            !self
                .places
                .annotations_of(view, member, rule.name())
                .is_empty()
        }) {
            return;
        }
        let spot = Spot {
            view,
            scope: declared.declared_in,
            at: declared.span.start,
        };
        // (method, its own template)
        let mut verbs: Vec<(String, Option<Known>)> = Vec::new();
        for rule in self.framework.of("annotation") {
            for arguments in self.places.annotations_of(view, member, rule.name()) {
                let methods = self.methods(rule, spot, &arguments);
                let paths = self
                    .places
                    .argument(
                        view,
                        &arguments,
                        rule.option("path").unwrap_or("0|template|path"),
                    )
                    .filter(|_| rule.words.get(1) != Some(&"listed"))
                    .map(|path| self.places.strings(spot, path))
                    .unwrap_or_default();
                for method in &methods {
                    match paths.is_empty() {
                        true => verbs.push((method.clone(), None)),
                        false => verbs.extend(
                            paths
                                .iter()
                                .map(|path| (method.clone(), Some(path.clone()))),
                        ),
                    }
                }
            }
        }
        let templates: Vec<Known> = self
            .framework
            .of("template")
            .flat_map(|rule| self.places.annotations_of(view, member, rule.name()))
            .filter_map(|arguments| self.places.string(spot, *arguments.first()?))
            .collect();
        let is_public = !matches!(
            declared.visibility,
            Visibility::Private | Visibility::Protected | Visibility::Internal
        ) && !declared.modifiers.contains(Modifiers::STATIC);
        let wants_public =
            !self.conventional.is_empty() || self.framework.of("template").next().is_some();
        if verbs.is_empty() {
            if !(wants_public && is_public && declared.visibility == Visibility::Public) {
                return;
            }
            verbs.push(("ANY".to_owned(), None));
        }
        let is_attributed = !prefixes.is_empty()
            || !templates.is_empty()
            || verbs.iter().any(|(_, path)| path.is_some());
        let symbol = SymbolId {
            file: view.id,
            index: member,
        };
        if !is_attributed && self.framework.of("conventional").next().is_some() {
            for (method, _) in &verbs {
                for pattern in &self.conventional {
                    if area.is_none() && pattern.contains("{area") {
                        continue;
                    }
                    let path = self.conventional_path(
                        pattern,
                        view.name_of(class.index),
                        view.name_of(member),
                        area,
                    );
                    self.add(method, &path, symbol, view, Certainty::Pattern);
                }
            }
            return;
        }
        let empty = [Known {
            text: String::new(),
            is_whole: true,
        }];
        let prefixes = if prefixes.is_empty() {
            &empty
        } else {
            prefixes
        };
        for (method, own) in &verbs {
            let own: Vec<Known> = match own {
                Some(own) => vec![own.clone()],
                None if !templates.is_empty() => templates.clone(),
                None => vec![empty[0].clone()],
            };
            for template in &own {
                for prefix in prefixes {
                    let path = match template.text.strip_prefix('~') {
                        Some(absolute) => absolute.to_owned(),
                        None if template.text.starts_with('/')
                            && self.framework.of("template").next().is_some() =>
                        {
                            template.text.clone()
                        }
                        None => joined(&prefix.text, &template.text),
                    };
                    let path =
                        self.filled(&path, view.name_of(class.index), view.name_of(member), area);
                    let certainty = if prefix.is_whole && template.is_whole {
                        Certainty::Declared
                    } else {
                        Certainty::Partial
                    };
                    self.add(
                        method,
                        &joined(&self.global, &path),
                        symbol,
                        view,
                        certainty,
                    );
                }
            }
        }
    }

    fn methods(&self, rule: &Rule, spot: Spot<'_>, arguments: &[RecipeId]) -> Vec<String> {
        match rule.words.get(1) {
            Some(&"listed") => arguments
                .iter()
                .flat_map(|argument| self.places.strings(spot, *argument))
                .map(|known| known.text.to_uppercase())
                .collect(),
            Some(method) => vec![(*method).to_owned()],
            None => {
                let listed = rule
                    .option("listed")
                    .and_then(|spec| self.places.argument(spot.view, arguments, spec));
                let names = listed
                    .map(|recipe| self.listed_names(spot.view, recipe))
                    .unwrap_or_default();
                if names.is_empty() {
                    vec!["ANY".to_owned()]
                } else {
                    names
                }
            }
        }
    }

    /// `RequestMethod.GET`, or several in braces.
    fn listed_names(&self, view: &FileView, recipe: RecipeId) -> Vec<String> {
        match view.facts.recipe(recipe) {
            facts::Recipe::List(list) | facts::Recipe::Tuple(list) => view
                .facts
                .list(list)
                .iter()
                .flat_map(|item| self.listed_names(view, *item))
                .collect(),
            _ => self
                .places
                .last_name(view, recipe)
                .map(str::to_uppercase)
                .into_iter()
                .collect(),
        }
    }

    fn short_name<'n>(&self, class: &'n str) -> &'n str {
        self.controller
            .option("suffix")
            .and_then(|suffix| class.strip_suffix(suffix))
            .filter(|name| !name.is_empty())
            .unwrap_or(class)
    }

    /// `[controller]`, `[action]` and `[area]` filled in.
    fn filled(&self, path: &str, class: &str, action: &str, area: Option<&str>) -> String {
        let word = |name: &str| {
            if self.is_slugged {
                slug(name)
            } else {
                name.to_owned()
            }
        };
        let action = action.strip_suffix("Async").unwrap_or(action);
        path.replace("[controller]", &word(self.short_name(class)))
            .replace("[action]", &word(action))
            .replace("[area]", area.unwrap_or(""))
    }

    fn conventional_path(
        &self,
        pattern: &str,
        class: &str,
        action: &str,
        area: Option<&str>,
    ) -> String {
        let action = action.strip_suffix("Async").unwrap_or(action);
        let segments = pattern.split('/').filter_map(|segment| {
            let inner = segment
                .strip_prefix('{')
                .and_then(|segment| segment.strip_suffix('}'));
            let name = inner.map(|inner| inner.split(['=', ':', '?']).next().unwrap_or(inner));
            match name {
                Some("controller") => Some(self.short_name(class).to_owned()),
                Some("action") => Some(action.to_owned()),
                Some("area") => area.map(str::to_owned),
                _ => Some(segment.to_owned()),
            }
        });
        format!("/{}", segments.collect::<Vec<_>>().join("/"))
    }

    /// Classes that declare their route in a method: `Post("api/items")` inside `Configure`.
    fn read_endpoint_classes(&self) {
        for rule in self.framework.of("self-route") {
            for site in self.places.calls(self.framework.family, rule.name()) {
                let is_own = site.reference.receiver.is_none_or(|receiver| {
                    matches!(site.view.facts.recipe(receiver), facts::Recipe::SelfValue)
                });
                let Some(class) = site
                    .reference
                    .enclosing
                    .and_then(|index| site.view.symbol(index).parent)
                    .filter(|_| is_own)
                else {
                    continue;
                };
                let bases: Vec<&str> = self.framework.words("endpoint-class").collect();
                let is_endpoint = self
                    .lineage(SymbolId {
                        file: site.view.id,
                        index: class,
                    })
                    .any(|base| bases.contains(&base.as_str()));
                if !is_endpoint {
                    continue;
                }
                let handlers: Vec<&str> = self
                    .framework
                    .of("endpoint-class")
                    .flat_map(|rule| rule.list("handlers"))
                    .collect();
                let handler = site
                    .view
                    .children(Some(class))
                    .find(|index| handlers.contains(&site.view.name_of(*index)))
                    .unwrap_or(class);
                let paths: Vec<Known> = site
                    .arguments
                    .iter()
                    .flat_map(|argument| self.places.strings(site.spot(), *argument))
                    .collect();
                if paths.is_empty() {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                for path in paths {
                    let certainty = if path.is_whole {
                        Certainty::Declared
                    } else {
                        Certainty::Partial
                    };
                    self.add(
                        rule.words.get(1).unwrap_or(&"ANY"),
                        &joined("", &path.text),
                        SymbolId {
                            file: site.view.id,
                            index: handler,
                        },
                        &site.view,
                        certainty,
                    );
                }
            }
        }
    }

    /// Pages by their path below a directory: `Pages/Basket/Index.cshtml` is `/Basket`.
    fn read_pages(&self) {
        let snapshot = self.places.resolver.snapshot();
        for rule in self.framework.of("pages") {
            let (suffix, directory, directive) = (
                rule.name(),
                rule.option("directory").unwrap_or("Pages"),
                rule.option("directive").unwrap_or("@page"),
            );
            // Components are addresses of the server only where it maps them.
            if rule
                .option("when")
                .is_some_and(|call| self.places.calls(self.framework.family, call).is_empty())
            {
                continue;
            }
            for (file, entry) in snapshot.files() {
                let path = entry.path.as_str();
                let Some(stem) = path.strip_suffix(suffix) else {
                    continue;
                };
                if rule.option("when").is_some() {
                    self.read_component(rule, file, stem, directive);
                    continue;
                }
                let Some((before, below)) = split_directory(stem, directory) else {
                    continue;
                };
                let Some(text) = snapshot.corpus().text(entry.content) else {
                    continue;
                };
                let Some(line) = text
                    .trim_start_matches('\u{feff}')
                    .lines()
                    .map(str::trim)
                    .find(|line| line.starts_with(directive))
                else {
                    continue;
                };
                let template = line[directive.len()..].trim().trim_matches('"');
                let area = split_directory(before, "Areas")
                    .map(|(_, area)| area.split('/').next().unwrap_or(area));
                let plain = below
                    .strip_suffix("/Index")
                    .or((below == "Index").then_some(""))
                    .unwrap_or(below);
                let base = area.map_or_else(|| format!("/{plain}"), |area| joined(area, plain));
                let route = if template.starts_with('/') || template.starts_with("~/") {
                    template.trim_start_matches('~').to_owned()
                } else {
                    joined(&base, template)
                };
                let code = snapshot
                    .find(&format!("{path}.cs"))
                    .and_then(|file| self.places.resolver.view(file));
                let model = code.as_ref().and_then(|view| {
                    view.facts
                        .symbols_with_index()
                        .find(|(_, symbol)| symbol.kind == SymbolKind::Class)
                        .map(|(index, _)| SymbolId {
                            file: view.id,
                            index,
                        })
                });
                let span = facts::Span::new(0, 1);
                let (file, span) = match (&code, model) {
                    (Some(view), Some(model)) => (view.id, view.symbol(model.index).name_span),
                    _ => (file, span),
                };
                self.places.add(ArchitectureFact {
                    kind: ArchitectureKind::Route,
                    framework: "",
                    value: route,
                    detail: "ANY".to_owned(),
                    schema: None,
                    symbol: model,
                    other: None,
                    file,
                    span,
                    certainty: Certainty::Pattern,
                });
            }
        }
    }

    /// `@page "/cart"` at the top of a component; a component may have several.
    fn read_component(&self, rule: &Rule, file: crate::FileId, stem: &str, directive: &str) {
        let Some(text) = self.places.text(file) else {
            return;
        };
        let code = self
            .places
            .resolver
            .snapshot()
            .find(&format!("{stem}{}.cs", rule.name()))
            .and_then(|file| self.places.resolver.view(file));
        let class = code.as_ref().and_then(|view| {
            let (index, _) = view
                .facts
                .symbols_with_index()
                .find(|(_, symbol)| symbol.kind == SymbolKind::Class)?;
            Some(SymbolId {
                file: view.id,
                index,
            })
        });
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let start = offset;
            offset += line.len() as u32;
            let Some(route) = line
                .trim_start_matches('\u{feff}')
                .trim()
                .strip_prefix(directive)
            else {
                continue;
            };
            let route = route.trim().trim_matches('"');
            for method in rule
                .list("methods")
                .into_iter()
                .filter(|_| route.starts_with('/'))
            {
                self.places.add(ArchitectureFact {
                    kind: ArchitectureKind::Route,
                    framework: "",
                    value: route.to_owned(),
                    detail: method.to_owned(),
                    schema: None,
                    symbol: class,
                    other: None,
                    file,
                    span: facts::Span::new(start, start + 1),
                    certainty: Certainty::Declared,
                });
            }
        }
    }

    fn add(
        &self,
        method: &str,
        path: &str,
        symbol: SymbolId,
        view: &FileView,
        certainty: Certainty,
    ) {
        self.places.add(ArchitectureFact {
            kind: ArchitectureKind::Route,
            framework: "",
            value: path.to_owned(),
            detail: method.to_owned(),
            schema: None,
            symbol: Some(symbol),
            other: None,
            file: view.id,
            span: view.symbol(symbol.index).name_span,
            certainty,
        });
    }
}

/// What stands before and after a directory of this name: `src/Web/Pages/Index` is `src/Web` and
/// `Index`.
fn split_directory<'p>(path: &'p str, directory: &str) -> Option<(&'p str, &'p str)> {
    let inner = format!("/{directory}/");
    match path.find(&inner) {
        Some(at) => Some((&path[..at], &path[at + inner.len()..])),
        None => path.strip_prefix(&inner[1..]).map(|below| ("", below)),
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
