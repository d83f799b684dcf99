//! Configuration keys and environment variables that the code reads.

use std::collections::BTreeSet;

use facts::{ParameterFlags, Recipe, RecipeId, ScopeId, Span, SymbolKind, TypeId};

use super::{
    ArchitectureFact, ArchitectureKind, Certainty,
    places::{CallSite, Places, Spot},
    routers::type_name,
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, Found, SymbolId};

pub fn read(places: &Places<'_>, framework: &Framework) {
    let reader = Config { places, framework };
    let bound = reader.read_bindings();
    reader.read_calls(&bound);
    reader.read_indexes();
    reader.read_members();
    reader.read_annotations();
    reader.read_classes();
}

struct Config<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
}

/// Sections inside sections.
const MAX_DEPTH: u32 = 8;

impl Config<'_> {
    fn read_calls(&self, bound: &BTreeSet<(FileId, RecipeId)>) {
        for (rule, site) in self.places.sites(self.framework, "config-call") {
            let wanted = rule.list("on");
            let is_on = |receiver: RecipeId| {
                self.places
                    .last_name(&site.view, receiver)
                    .is_some_and(|name| {
                        wanted
                            .iter()
                            .any(|wanted| name.eq_ignore_ascii_case(wanted))
                    })
            };
            if !wanted.is_empty() && !site.reference.receiver.is_some_and(is_on) {
                continue;
            }
            if site
                .reference
                .call
                .is_some_and(|call| bound.contains(&(site.view.id, call)))
            {
                continue;
            }
            // A look-alike of the repository itself is not the framework's.
            if rule.option("separator").is_some() && self.is_own(&site) {
                continue;
            }
            let key = rule.option("key").and_then(|spec| {
                spec.split('|').find_map(|part| {
                    let argument = self.places.argument(&site.view, &site.arguments, part)?;
                    self.places.string(site.spot(), argument)
                })
            });
            let is_environment = rule.option("pattern") == Some("environment");
            // Part of a variable's name is no variable.
            let Some(key) = key.filter(|key| key.is_whole || !is_environment) else {
                let asked = rule
                    .option("key")
                    .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec));
                let is_wrapped = asked.is_some_and(|asked| {
                    self.read_wrapped(rule, &site.view, asked, site.reference.span, 0)
                });
                if !is_wrapped && (rule.option("separator").is_some() || is_environment) {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            };
            if key.text.is_empty() || key.text.contains(char::is_whitespace) {
                continue;
            }
            let own = rule.option("within").map_or_else(
                || key.text.clone(),
                |within| format!("{within}:{}", key.text),
            );
            let whole = match (rule.option("separator"), site.reference.receiver) {
                (Some(separator), Some(receiver)) => match self.section(site.spot(), receiver, 0) {
                    Some(section) => format!("{section}{separator}{own}"),
                    None => own,
                },
                _ => own,
            };
            self.add(
                rule,
                whole,
                site.enclosing(),
                site.file(),
                site.reference.span,
                self.places.certainty(key.is_whole, true),
            );
        }
    }

    /// Keys that a function of the repository is handed and asks for: `flag("DEBUG")` where `flag`
    /// says `os.getenv(name)`. Whether the key is one of the function's parameters at all.
    fn read_wrapped(
        &self,
        rule: &Rule,
        view: &FileView,
        asked: RecipeId,
        place: Span,
        depth: u32,
    ) -> bool {
        let Some((before, name, after)) = self.around_parameter(view, asked, place) else {
            return false;
        };
        let Some(function) = enclosing(view, place.start)
            .filter(|function| view.symbol(function.index).kind.is_callable())
        else {
            return false;
        };
        let declared = view.symbol(function.index);
        let parameters = view
            .facts
            .parameters(declared)
            .iter()
            .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER));
        let Some(position) = parameters
            .into_iter()
            .position(|parameter| parameter.name == name)
        else {
            return false;
        };
        if depth > MAX_DEPTH {
            return true;
        }
        let (own_name, spec) = (
            view.name_of(function.index),
            format!("{position}|{}", view.facts.name(name)),
        );
        // Several signatures of one function are one function.
        let means_it = |symbol: SymbolId| {
            symbol == function
                || symbol.file == function.file
                    && view.name_of(symbol.index) == own_name
                    && view.symbol(symbol.index).parent == declared.parent
        };
        for site in self.places.calls(self.framework.family, own_name) {
            if !self
                .places
                .resolver
                .resolve(&site.view, &site.reference)
                .symbols()
                .any(means_it)
            {
                continue;
            }
            let Some(argument) = self.places.argument(&site.view, &site.arguments, &spec) else {
                continue;
            };
            match self
                .places
                .string(site.spot(), argument)
                .filter(|known| known.is_whole && !known.text.is_empty())
            {
                Some(known) => {
                    let key = format!("{before}{}{after}", known.text);
                    self.add(
                        rule,
                        key,
                        site.enclosing(),
                        site.file(),
                        site.reference.span,
                        Certainty::Pattern,
                    );
                }
                None if self.read_wrapped(
                    rule,
                    &site.view,
                    argument,
                    site.reference.span,
                    depth + 1,
                ) => {}
                None => self.places.not_understood(site.file(), site.reference.span),
            }
        }
        true
    }

    /// `name`, `"APP_" + name` or `name + "_FILE"`: the name, and what stands before and after it.
    fn around_parameter(
        &self,
        view: &FileView,
        asked: RecipeId,
        place: Span,
    ) -> Option<(String, facts::NameId, String)> {
        let spot = Spot {
            view,
            scope: view.facts.scope_at(place.start),
            at: place.start,
        };
        let text = |recipe| {
            self.places
                .string(spot, recipe)
                .filter(|known| known.is_whole)
                .map(|known| known.text)
        };
        match view.facts.recipe(asked) {
            Recipe::Name(name) => Some((String::new(), name, String::new())),
            Recipe::Operation(a, b) => match (view.facts.recipe(a), view.facts.recipe(b)) {
                (Recipe::Name(name), _) if text(a).is_none() => {
                    Some((String::new(), name, text(b)?))
                }
                (_, Recipe::Name(name)) => Some((text(a)?, name, String::new())),
                _ => None,
            },
            Recipe::Either(a, _) | Recipe::Reference(a) => self.around_parameter(view, a, place),
            _ => None,
        }
    }

    /// Whether what is called is declared in this repository.
    fn is_own(&self, site: &CallSite) -> bool {
        matches!(
            self.places
                .resolver
                .resolve(&site.view, &site.reference)
                .outcome,
            crate::Outcome::Static | crate::Outcome::Dispatch
        )
    }

    /// The section that an expression stands for: `GetSection("A").GetSection("B")` is `A:B`.
    fn section(&self, spot: Spot<'_>, recipe: RecipeId, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &spot.view.facts;
        let makers: Vec<&str> = self
            .framework
            .of("config-bind")
            .flat_map(|rule| rule.list("section"))
            .collect();
        match facts.recipe(recipe) {
            Recipe::Call(callee, list)
                if self
                    .places
                    .last_name(spot.view, callee)
                    .is_some_and(|name| makers.contains(&name)) =>
            {
                let key = self.places.string(spot, *facts.list(list).first()?)?.text;
                let outer = match facts.recipe(callee) {
                    Recipe::Member(receiver, _) => self.section(spot, receiver, depth + 1),
                    _ => None,
                };
                Some(outer.map_or(key.clone(), |outer| format!("{outer}:{key}")))
            }
            Recipe::Name(_) => match self.places.meaning(spot, recipe)? {
                Found::Binding(file, id) => {
                    let view = self.places.resolver.view(file)?;
                    let binding = &view.facts.bindings[id.0 as usize];
                    binding
                        .value
                        .is_known()
                        .then(|| {
                            self.section(
                                Spot {
                                    view: &view,
                                    scope: binding.scope,
                                    at: binding.from.saturating_sub(1),
                                },
                                binding.value,
                                depth + 1,
                            )
                        })
                        .flatten()
                }
                _ => None,
            },
            Recipe::Try(inner) | Recipe::Await(inner) => self.section(spot, inner, depth + 1),
            _ => None,
        }
    }

    /// Sections bound to a class: the section, and each of the class's properties as a key below
    /// it.
    fn read_bindings(&self) -> BTreeSet<(FileId, RecipeId)> {
        let mut bound = BTreeSet::new();
        for rule in self.framework.of("config-bind") {
            for name in &rule.words {
                for site in self.places.calls(self.framework.family, name) {
                    let arguments = site
                        .arguments
                        .iter()
                        .copied()
                        .chain(site.reference.receiver);
                    let Some((section, recipe)) = arguments
                        .filter_map(|argument| {
                            Some((self.section(site.spot(), argument, 0)?, argument))
                        })
                        .next()
                    else {
                        continue;
                    };
                    bound.insert((site.view.id, recipe));
                    self.add(
                        rule,
                        section.clone(),
                        site.enclosing(),
                        site.file(),
                        site.reference.span,
                        Certainty::Declared,
                    );
                    let Some(class) = self.bound_class(&site) else {
                        continue;
                    };
                    let Some(view) = self.places.resolver.view(class.file) else {
                        continue;
                    };
                    for index in view
                        .children(Some(class.index))
                        .filter(|index| view.symbol(*index).kind == SymbolKind::Property)
                    {
                        let key = format!("{section}:{}", view.name_of(index));
                        self.add(
                            rule,
                            key,
                            Some(SymbolId {
                                file: class.file,
                                index,
                            }),
                            site.file(),
                            site.reference.span,
                            Certainty::Pattern,
                        );
                    }
                }
            }
        }
        bound
    }

    /// `T` of `Configure<T>(...)`.
    fn bound_class(&self, site: &CallSite) -> Option<SymbolId> {
        let Recipe::Call(callee, _) = site.view.facts.recipe(site.reference.call?) else {
            return None;
        };
        let Recipe::TypeArguments(_, types) = site.view.facts.recipe(callee) else {
            return None;
        };
        type_symbol(
            self.places,
            &site.view,
            *site.view.facts.type_list(types).first()?,
            site.reference.span,
        )
    }

    /// `configuration["Key"]`: index expressions have no place of their own, so that the text tells
    /// it.
    fn read_indexes(&self) {
        for rule in self.framework.of("config-index") {
            let names = &rule.words;
            let mut files: BTreeSet<FileId> = BTreeSet::new();
            for name in names {
                let last = name.rsplit('.').next().unwrap_or(name);
                files.extend(
                    self.places
                        .mentioning(self.framework.family, last)
                        .iter()
                        .map(|view| view.id),
                );
            }
            for file in files {
                let Some(view) = self.places.resolver.view(file) else {
                    continue;
                };
                let Some(text_of) = self.places.text(file) else {
                    continue;
                };
                for recipe in &view.facts.recipes {
                    let Recipe::Index(value, key) = *recipe else {
                        continue;
                    };
                    let end = view.facts.lines.text_len();
                    let written = match view.facts.recipe(key) {
                        Recipe::Str(text) => quoted(&text_of, view.facts.name(text)),
                        _ => None,
                    };
                    // What a local name means depends on the place.
                    let (scope, at) = written.map_or((ScopeId::FILE, end), |place| {
                        (view.facts.scope_at(place.start), place.start)
                    });
                    let spot = Spot {
                        view: &view,
                        scope,
                        at,
                    };
                    let section = if rule.option("separator").is_some() {
                        self.section(spot, value, 0)
                    } else {
                        None
                    };
                    if section.is_none() && !self.places.is_written(&view, value, names) {
                        continue;
                    }
                    let Some(known) = self.places.string(spot, key) else {
                        let named = match view.facts.recipe(key) {
                            Recipe::Name(name) => {
                                text_of.find(&format!("[{}]", view.facts.name(name)))
                            }
                            _ => None,
                        };
                        if let Some(at) = named {
                            self.read_wrapped(
                                rule,
                                &view,
                                key,
                                Span::new(at as u32, at as u32 + 1),
                                0,
                            );
                        }
                        continue;
                    };
                    let place = quoted(&text_of, &known.text).unwrap_or(Span::new(0, 1));
                    let whole = section.map_or_else(
                        || known.text.clone(),
                        |section| format!("{section}:{}", known.text),
                    );
                    let symbol = enclosing(&view, place.start);
                    self.add(
                        rule,
                        whole,
                        symbol,
                        file,
                        place,
                        self.places.certainty(known.is_whole, true),
                    );
                }
            }
        }
    }

    /// `process.env.KEY`.
    fn read_members(&self) {
        for rule in self.framework.of("config-member") {
            for holder in &rule.words {
                let last = holder.rsplit('.').next().unwrap_or(holder);
                for view in self.places.mentioning(self.framework.family, last) {
                    let Some(text) = self.places.text(view.id) else {
                        continue;
                    };
                    // `import.meta` is a word of the language and no name.
                    let stands_before = |reference: &facts::Reference| {
                        let before = text
                            .get(..reference.span.start as usize)
                            .and_then(|before| before.strip_suffix('.'));
                        before.is_some_and(|before| {
                            before.strip_suffix('?').unwrap_or(before).ends_with(holder)
                        })
                    };
                    for reference in &view.facts.references {
                        let Some(receiver) = reference.receiver else {
                            continue;
                        };
                        let is_member = matches!(view.facts.recipe(receiver), Recipe::Member(_, name) if view.facts.name(name) == last);
                        if self.places.is_written(&view, receiver, &[holder])
                            || is_member && stands_before(reference)
                        {
                            let symbol = reference.enclosing.map(|index| SymbolId {
                                file: view.id,
                                index,
                            });
                            self.add(
                                rule,
                                view.facts.name(reference.name).to_owned(),
                                symbol,
                                view.id,
                                reference.span,
                                Certainty::Declared,
                            );
                        }
                    }
                }
            }
        }
    }

    /// `@Value("${shop.name:none}")`.
    fn read_annotations(&self) {
        for rule in self.framework.of("config-annotation") {
            for (view, annotation, _, arguments) in
                self.places.annotated(self.framework.family, rule.name())
            {
                let spot = Spot {
                    view: &view,
                    scope: ScopeId::FILE,
                    at: annotation.span.start,
                };
                let Some(value) = self
                    .places
                    .argument(&view, &arguments, "0|value|prefix")
                    .and_then(|value| self.places.string(spot, value))
                else {
                    continue;
                };
                let Some(key) = key_of(&value.text) else {
                    continue;
                };
                self.add(
                    rule,
                    key.to_owned(),
                    Some(SymbolId {
                        file: view.id,
                        index: annotation.symbol,
                    }),
                    view.id,
                    annotation.span,
                    Certainty::Declared,
                );
            }
            // On parameters, which are no symbols.
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                let (Some(id), Some(text)) = (
                    view.facts.names.find(rule.name()),
                    self.places.text(view.id),
                ) else {
                    continue;
                };
                for reference in view
                    .facts
                    .references_of(id)
                    .iter()
                    .filter(|reference| reference.role == facts::Role::Annotation)
                {
                    let is_known = view
                        .facts
                        .annotations
                        .iter()
                        .any(|annotation| annotation.span.contains(reference.span.start));
                    let written = super::places::argument_spans(&text, reference.span.end)
                        .into_iter()
                        .next();
                    let written =
                        written.and_then(|span| text.get(span.start as usize..span.end as usize));
                    let quoted =
                        written.and_then(|written| written.strip_prefix('"')?.strip_suffix('"'));
                    if let Some(key) = quoted.and_then(key_of).filter(|_| !is_known) {
                        let symbol = reference.enclosing.map(|index| SymbolId {
                            file: view.id,
                            index,
                        });
                        self.add(
                            rule,
                            key.to_owned(),
                            symbol,
                            view.id,
                            reference.span,
                            Certainty::Declared,
                        );
                    }
                }
            }
        }
        for rule in self.framework.of("config-field") {
            for word in &rule.words {
                for (view, annotation, _, arguments) in
                    self.places.annotated(self.framework.family, word)
                {
                    let spot = Spot {
                        view: &view,
                        scope: ScopeId::FILE,
                        at: annotation.span.start,
                    };
                    let named = self
                        .places
                        .argument(&view, &arguments, "env")
                        .and_then(|name| self.places.string(spot, name));
                    let is_plain = arguments
                        .iter()
                        .any(|argument| self.places.last_name(&view, *argument) == Some("env"));
                    let own = is_plain.then(|| view.name_of(annotation.symbol).to_uppercase());
                    if let Some(key) = named.map(|known| known.text).or(own) {
                        let symbol = SymbolId {
                            file: view.id,
                            index: annotation.symbol,
                        };
                        self.add(
                            rule,
                            key,
                            Some(symbol),
                            view.id,
                            annotation.span,
                            Certainty::Declared,
                        );
                    }
                }
            }
        }
    }

    /// Classes whose fields are variables: `class Settings(BaseSettings): secret_key: str` reads
    /// `SECRET_KEY`.
    fn read_classes(&self) {
        for rule in self.framework.of("config-class") {
            let mut classes: BTreeSet<SymbolId> = BTreeSet::new();
            for view in self.places.views(self.framework.family) {
                for supertype in &view.facts.supertypes {
                    let class = SymbolId {
                        file: view.id,
                        index: supertype.symbol,
                    };
                    let is_settings = type_name(&view, supertype.ty)
                        .is_some_and(|name| rule.words.contains(&name));
                    let above = || {
                        self.places
                            .resolver
                            .supertypes(class)
                            .iter()
                            .any(|supertype| match &supertype.ty {
                                crate::Ty::Instance(of, _) | crate::Ty::Type(of, _) => {
                                    classes.contains(of)
                                }
                                _ => false,
                            })
                    };
                    if is_settings || above() {
                        classes.insert(class);
                    }
                }
            }
            for class in classes {
                let Some(view) = self.places.resolver.view(class.file) else {
                    continue;
                };
                let prefix = rule
                    .option("prefix")
                    .and_then(|name| self.inner_text(&view, class, name))
                    .unwrap_or_default();
                for index in view.children(Some(class.index)) {
                    let symbol = view.symbol(index);
                    let name = view.name_of(index);
                    if !symbol.kind.is_value() || name.starts_with('_') || name == "model_config" {
                        continue;
                    }
                    let key = format!("{prefix}{name}").to_uppercase();
                    self.add(
                        rule,
                        key,
                        Some(SymbolId {
                            file: view.id,
                            index,
                        }),
                        view.id,
                        symbol.name_span,
                        Certainty::Pattern,
                    );
                }
            }
        }
    }

    /// A text that an inner class of a class gives a name to: `class Config: env_prefix = "APP_"`.
    fn inner_text(&self, view: &FileView, class: SymbolId, name: &str) -> Option<String> {
        let inner = view
            .children(Some(class.index))
            .filter(|index| view.symbol(*index).kind.is_type());
        inner
            .flat_map(|inner| view.children(Some(inner)))
            .filter(|index| view.name_of(*index) == name)
            .find_map(|index| {
                let values = view.facts.values(view.symbol(index)).to_vec();
                let known = values.iter().find_map(|value| {
                    self.places.string(
                        Spot {
                            view,
                            scope: value.scope,
                            at: value.at,
                        },
                        value.recipe,
                    )
                });
                known.map(|known| known.text)
            })
    }

    fn add(
        &self,
        rule: &Rule,
        key: String,
        symbol: Option<SymbolId>,
        file: FileId,
        span: Span,
        certainty: Certainty,
    ) {
        let pattern = rule
            .option("pattern")
            .unwrap_or(rule.name())
            .replace('_', " ");
        self.places.add(ArchitectureFact {
            kind: ArchitectureKind::Config,
            framework: "",
            value: key,
            detail: pattern,
            schema: None,
            symbol,
            other: None,
            file,
            span,
            certainty,
        });
    }
}

/// `shop.name` of `${shop.name:none}`; an expression of another kind is no key.
fn key_of(text: &str) -> Option<&str> {
    let inner = text.find("${").map_or(text, |at| &text[at + 2..]);
    let key = inner.split([':', '}']).next().unwrap_or(inner).trim();
    (!key.is_empty() && !key.contains(['#', '(', ' '])).then_some(key)
}

/// The symbol of this repository that a written type means at a place.
pub fn type_symbol(
    places: &Places<'_>,
    view: &FileView,
    ty: TypeId,
    near: Span,
) -> Option<SymbolId> {
    let name = view.facts.names.find(type_name(view, ty)?)?;
    let uses = view.facts.references_of(name).iter();
    let reference = uses.min_by_key(|reference| reference.span.start.abs_diff(near.start))?;
    places.resolver.resolve(view, reference).symbols().next()
}

/// Where a string stands in quotes.
fn quoted(text: &str, key: &str) -> Option<Span> {
    let found = ['"', '\'', '`']
        .iter()
        .find_map(|quote| text.find(&format!("[{quote}{key}{quote}")))?;
    Some(Span::new(found as u32 + 1, (found + key.len() + 3) as u32))
}

/// The innermost callable or property around a place.
pub fn enclosing(view: &FileView, at: u32) -> Option<SymbolId> {
    let around = view.facts.symbols_with_index().filter(|(_, symbol)| {
        symbol.span.contains(at)
            && (symbol.kind.is_callable()
                || symbol.kind == SymbolKind::Property
                || symbol.kind.is_type())
    });
    around
        .min_by_key(|(_, symbol)| symbol.span.len())
        .map(|(index, _)| SymbolId {
            file: view.id,
            index,
        })
}
