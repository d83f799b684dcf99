//! Configuration keys and environment variables that the code reads.

use std::collections::BTreeSet;

use facts::{Modifiers, ParameterFlags, Recipe, RecipeId, Role, Span, SymbolKind, TypeRecipe};

use super::{
    ArchitectureFact, Certainty, Subject,
    rules::{ENVIRONMENT, KeyBinding, KeyCall, KeyIndex, KeyUse, Slot},
    scan::{CallSite, Scan, symbol_in, type_name},
    strings::KnownText,
};
use crate::{FileId, FileView, Found, Place, SymbolId, Ty};

pub fn read(scan: &Scan<'_>) {
    let reader = KeyReader { scan };
    let bound = reader.read_bindings();
    let rules = &scan.framework.keys;
    for (rule, site) in scan.sites(rules.calls, |rule| rule.call) {
        reader.read_call(rule, &site, &bound);
    }
    rules
        .indexes
        .iter()
        .for_each(|rule| reader.read_indexes(rule));
    rules
        .members
        .iter()
        .for_each(|rule| reader.read_members(rule));
    for rule in rules.annotations {
        reader.read_annotations(rule);
        reader.read_parameter_annotations(rule);
    }
    reader.read_fields();
    reader.read_classes();
}

struct KeyReader<'a> {
    scan: &'a Scan<'a>,
}

/// Sections inside sections.
const MAX_DEPTH: u32 = 8;

impl KeyReader<'_> {
    fn read_call(&self, rule: &KeyCall, site: &CallSite, bound: &BTreeSet<(FileId, RecipeId)>) {
        let is_on = |receiver: RecipeId| {
            let name = self.scan.last_name(&site.view, receiver);
            name.is_some_and(|name| rule.on.iter().any(|on| name.eq_ignore_ascii_case(on)))
        };
        if !rule.on.is_empty() && !site.reference.receiver.is_some_and(is_on) {
            return;
        }
        let call = site.reference.call;
        if call.is_some_and(|call| bound.contains(&(site.view.id, call))) {
            return;
        }
        // A look-alike of the repository itself is not the framework's.
        if rule.is_sectioned && self.is_own(site) {
            return;
        }
        let key = rule.key.iter().find_map(|slot| {
            let argument = self.scan.site_argument(site, &[*slot])?;
            self.scan.string(site.place(), argument)
        });
        let is_environment = rule.usage == ENVIRONMENT;
        // Part of a variable's name is no variable.
        let Some(key) = key.filter(|key| key.is_whole || !is_environment) else {
            let asked = self.scan.site_argument(site, rule.key);
            let is_wrapped = asked.is_some_and(|asked| {
                self.read_wrapped(rule.usage, &site.view, asked, site.reference.span, 0)
            });
            if !is_wrapped && (rule.is_sectioned || is_environment) {
                self.scan.not_understood(site.file(), site.reference.span);
            }
            return;
        };
        if key.text.is_empty() || key.text.contains(char::is_whitespace) {
            return;
        }
        let own = rule.within.map_or_else(
            || key.text.clone(),
            |within| format!("{within}:{}", key.text),
        );
        let receiver = site.reference.receiver.filter(|_| rule.is_sectioned);
        let section = receiver.and_then(|receiver| self.section(site.place(), receiver, 0));
        let whole = section.map_or(own.clone(), |section| format!("{section}:{own}"));
        self.add_at(rule.usage, whole, site, Certainty::of_text(key.is_whole));
    }

    /// Keys that a function of the repository is handed and asks for: `flag("DEBUG")` where `flag`
    /// says `os.getenv(name)`. Whether the key is one of the function's parameters at all.
    fn read_wrapped(
        &self,
        usage: &'static str,
        view: &FileView,
        asked: RecipeId,
        span: Span,
        depth: u32,
    ) -> bool {
        let Some((before, name, after)) = self.around_parameter(view, asked, span) else {
            return false;
        };
        let Some(function) = enclosing(view, span.start)
            .filter(|function| view.symbol(function.index).kind.is_callable())
        else {
            return false;
        };
        let declared = view.symbol(function.index);
        let position = view
            .facts
            .parameters(declared)
            .iter()
            .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
            .position(|parameter| parameter.name == name);
        let Some(position) = position else {
            return false;
        };
        if depth > MAX_DEPTH {
            return true;
        }
        let own_name = view.name_of(function.index);
        let slots = [Slot::At(position), Slot::Named(view.facts.name(name))];
        // Overloads of one function are one function.
        let means_it = |symbol: SymbolId| {
            symbol == function
                || symbol.file == function.file
                    && view.name_of(symbol.index) == own_name
                    && view.symbol(symbol.index).parent == declared.parent
        };
        for site in self.scan.calls(own_name) {
            let resolution = self.scan.resolver.resolve(&site.view, &site.reference);
            if !resolution.symbols().any(means_it) {
                continue;
            }
            let Some(argument) = self.scan.site_argument(&site, &slots) else {
                continue;
            };
            let known = self.scan.string(site.place(), argument);
            let span = site.reference.span;
            match known.filter(|known| known.is_whole && !known.text.is_empty()) {
                Some(known) => {
                    let key = format!("{before}{}{after}", known.text);
                    self.add_at(usage, key, &site, Certainty::Pattern);
                }
                None if self.read_wrapped(usage, &site.view, argument, span, depth + 1) => {}
                None => self.scan.not_understood(site.file(), span),
            }
        }
        true
    }

    /// `name`, `"APP_" + name` or `name + "_FILE"`: the name, and the text before and after it.
    fn around_parameter(
        &self,
        view: &FileView,
        asked: RecipeId,
        span: Span,
    ) -> Option<(String, facts::NameId, String)> {
        let place = Place::new(view, view.facts.scope_at(span.start), span.start);
        let text = |recipe| {
            self.scan
                .string(place, recipe)
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
            Recipe::Either(a, _) | Recipe::Reference(a) => self.around_parameter(view, a, span),
            _ => None,
        }
    }

    /// Whether what is called is declared in this repository.
    fn is_own(&self, site: &CallSite) -> bool {
        matches!(
            self.scan
                .resolver
                .resolve(&site.view, &site.reference)
                .outcome,
            crate::Outcome::Static | crate::Outcome::Dispatch
        )
    }

    /// The section that an expression means: `GetSection("A").GetSection("B")` is `A:B`.
    fn section(&self, place: Place, recipe: RecipeId, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &place.view.facts;
        let makes_section = |callee: RecipeId| {
            let name = self.scan.last_name(place.view, callee);
            let mut bindings = self.scan.framework.keys.bindings.iter();
            name.is_some_and(|name| bindings.any(|rule| rule.sections.contains(&name)))
        };
        match facts.recipe(recipe) {
            Recipe::Call(callee, list) if makes_section(callee) => {
                let key = self.scan.string(place, *facts.list(list).first()?)?.text;
                let outer = match facts.recipe(callee) {
                    Recipe::Member(receiver, _) => self.section(place, receiver, depth + 1),
                    _ => None,
                };
                Some(outer.map_or(key.clone(), |outer| format!("{outer}:{key}")))
            }
            Recipe::Name(_) => match self.scan.meaning(place, recipe)? {
                Found::Binding(file, id) => {
                    let view = self.scan.resolver.view(file)?;
                    let binding = &view.facts.bindings[id.0 as usize];
                    if !binding.value.is_known() {
                        return None;
                    }
                    self.section(Place::of_binding(&view, binding), binding.value, depth + 1)
                }
                _ => None,
            },
            Recipe::Try(inner) | Recipe::Await(inner) => self.section(place, inner, depth + 1),
            _ => None,
        }
    }

    /// Sections bound to a class: the section, and each of the class's properties as a key below
    /// it.
    fn read_bindings(&self) -> BTreeSet<(FileId, RecipeId)> {
        let mut bound = BTreeSet::new();
        for rule in self.scan.framework.keys.bindings {
            for site in rule.calls.iter().flat_map(|name| self.scan.calls(name)) {
                let class = self.bound_class(rule, &site);
                if let Some((section, recipe)) = self.bound_section(rule, &site) {
                    bound.insert((site.view.id, recipe));
                    self.add_at(rule.usage, section.clone(), &site, Certainty::Declared);
                    self.add_properties(rule.usage, &site, &section, class, 0);
                } else if class.is_some() && self.is_all_settings(&site) {
                    self.add_properties(rule.usage, &site, "", class, 0);
                } else {
                    self.read_bound_by_caller(rule, &site);
                }
            }
        }
        bound
    }

    /// The section that a call binds, and the expression that is it.
    fn bound_section(&self, rule: &KeyBinding, site: &CallSite) -> Option<(String, RecipeId)> {
        let arguments = site.arguments.iter().copied();
        let mut places = arguments.chain(site.reference.receiver);
        let found =
            places.find_map(|argument| Some((self.section(site.place(), argument, 0)?, argument)));
        found.or_else(|| {
            let name = site.view.facts.name(site.reference.name);
            let argument = self.scan.site_argument(site, &[Slot::At(0)])?;
            let known = self.scan.string(site.place(), argument)?;
            rule.named.contains(&name).then_some((known.text, argument))
        })
    }

    /// Whether a call binds the whole configuration: `Configure<Settings>(configuration)`.
    fn is_all_settings(&self, site: &CallSite) -> bool {
        let objects = self.scan.framework.keys.indexes.iter();
        let objects: Vec<&str> = objects.flat_map(|rule| rule.objects).copied().collect();
        let mut places = site
            .arguments
            .iter()
            .copied()
            .chain(site.reference.receiver);
        places.any(|place| {
            matches!(
                site.view.facts.recipe(place),
                Recipe::Name(_) | Recipe::Member(..)
            ) && self.scan.is_written(&site.view, place, &objects)
        })
    }

    /// The class that a section is bound to: a type argument of the call or of one before it, or the
    /// class of the object that is filled.
    fn bound_class(&self, rule: &KeyBinding, site: &CallSite) -> Option<SymbolId> {
        let view = &site.view;
        let symbol = |ty| self.scan.type_symbol(view, ty, site.reference.span);
        if let Some(ty) = site.first_type_argument() {
            return symbol(ty);
        }
        let mut next = site.reference.receiver;
        for _ in 0..MAX_DEPTH {
            let Some(Recipe::Call(callee, _)) = next.map(|recipe| view.facts.recipe(recipe)) else {
                break;
            };
            let (callee, types) = match view.facts.recipe(callee) {
                Recipe::TypeArguments(callee, types) => (callee, view.facts.type_list(types)),
                _ => (callee, &[][..]),
            };
            let name = self.scan.last_name(view, callee);
            if let Some(ty) = types.first()
                && name.is_some_and(|name| rule.options.contains(&name))
            {
                return symbol(*ty);
            }
            next = match view.facts.recipe(callee) {
                Recipe::Member(inner, _) => Some(inner),
                _ => None,
            };
        }
        let arguments = site.arguments.iter();
        let mut filled =
            arguments.filter_map(|argument| match self.scan.eval(site.place(), *argument) {
                Ty::Instance(class, _) => Some(class),
                _ => None,
            });
        filled.next()
    }

    /// The properties of a class as keys below a section, and those of classes that they hold.
    fn add_properties(
        &self,
        usage: &'static str,
        site: &CallSite,
        section: &str,
        class: Option<SymbolId>,
        depth: u32,
    ) {
        let Some(class) = class.filter(|_| depth < 4) else {
            return;
        };
        let Some(view) = self.scan.resolver.view(class.file) else {
            return;
        };
        for index in view
            .children(Some(class.index))
            .filter(|index| view.symbol(*index).kind == SymbolKind::Property)
        {
            let declared = view.symbol(index);
            if declared.modifiers.contains(Modifiers::STATIC) {
                continue;
            }
            let name = view.name_of(index);
            let key = match section {
                "" => name.to_owned(),
                section => format!("{section}:{name}"),
            };
            let fact = key_fact(usage, key.clone(), site.file(), site.reference.span);
            let fact = fact.of(Some(symbol_in(&view, index)));
            self.scan.add(fact.certain(Certainty::Pattern));
            let inner = self.scan.type_symbol(&view, declared.ty, declared.span);
            let inner = inner.filter(|inner| {
                let kind = self.scan.resolver.kind(*inner);
                *inner != class && matches!(kind, Some(SymbolKind::Class | SymbolKind::Record))
            });
            let is_plain = matches!(
                view.facts.type_recipe(declared.ty),
                TypeRecipe::Name(_) | TypeRecipe::Scoped(..) | TypeRecipe::Optional(_)
            );
            self.add_properties(usage, site, &key, inner.filter(|_| is_plain), depth + 1);
        }
        for base in super::tables::base_classes(self.scan, class) {
            self.add_properties(usage, site, section, Some(base), depth + 1);
        }
    }

    /// A binding inside a function of the repository that is told the section, or the class, or both:
    /// `AddSettings<Mail>(configuration, "Mail")`.
    fn read_bound_by_caller(&self, rule: &KeyBinding, site: &CallSite) -> Option<()> {
        let view = &site.view;
        let facts = &view.facts;
        let function = site.enclosing()?;
        let declared = view.symbol(function.index);
        let arguments = site.arguments.iter().copied();
        let in_section = |place: RecipeId| match facts.recipe(place) {
            Recipe::Call(callee, list) => {
                let name = self.scan.last_name(view, callee)?;
                let is_section = rule.sections.contains(&name);
                is_section.then(|| facts.list(list).first().copied())?
            }
            _ => None,
        };
        let is_named = rule.named.contains(&facts.name(site.reference.name));
        let key = arguments
            .chain(site.reference.receiver)
            .find_map(in_section)
            .or_else(|| site.arguments.first().copied().filter(|_| is_named))?;
        let parameter = match facts.recipe(key) {
            Recipe::Name(name) => facts
                .parameters(declared)
                .iter()
                .position(|parameter| parameter.name == name)
                .map(|i| (i, name)),
            _ => None,
        };
        // `typeof(T).Name`: the section is called like the class.
        let is_class_name = matches!(facts.recipe(key), Recipe::Member(inner, name)
            if facts.name(name) == "Name" && matches!(facts.recipe(inner), Recipe::Type(_)));
        if parameter.is_none() && !is_class_name {
            return None;
        }
        let is_extension = declared.modifiers.contains(Modifiers::EXTENSION);
        for call in self.scan.calls(view.name_of(function.index)) {
            let resolution = self.scan.resolver.resolve(&call.view, &call.reference);
            if !resolution.symbols().any(|symbol| symbol == function) {
                continue;
            }
            let class = call
                .first_type_argument()
                .and_then(|ty| self.scan.type_symbol(&call.view, ty, call.reference.span));
            let section = match parameter {
                Some((i, name)) => {
                    let i = i.saturating_sub(usize::from(
                        is_extension && call.reference.receiver.is_some(),
                    ));
                    let slots = [Slot::At(i), Slot::Named(facts.name(name))];
                    let argument = self.scan.site_argument(&call, &slots);
                    argument.and_then(|argument| self.scan.string(call.place(), argument))
                }
                None => class.map(|class| KnownText::whole(self.scan.resolver.name(class))),
            };
            if let Some(section) = section {
                self.add_at(rule.usage, section.text.clone(), &call, Certainty::Pattern);
                self.add_properties(rule.usage, &call, &section.text, class, 0);
            }
        }
        Some(())
    }

    /// `configuration["Key"]`: index expressions have no place of their own, so that the text tells
    /// it.
    fn read_indexes(&self, rule: &KeyIndex) {
        let mut files: BTreeSet<FileId> = BTreeSet::new();
        for name in rule.objects {
            let last = name.rsplit('.').next().unwrap_or(name);
            files.extend(self.scan.mentioning(last).iter().map(|view| view.id));
        }
        for file in files {
            let (Some(view), Some(text)) = (self.scan.resolver.view(file), self.scan.text(file))
            else {
                continue;
            };
            for recipe in &view.facts.recipes {
                if let Recipe::Index(value, key) = *recipe {
                    self.read_index(rule, &view, &text, (value, key));
                }
            }
        }
    }

    fn read_index(
        &self,
        rule: &KeyIndex,
        view: &FileView,
        text: &str,
        (value, key): (RecipeId, RecipeId),
    ) {
        let written = match view.facts.recipe(key) {
            Recipe::Str(key) => quoted(text, view.facts.name(key)),
            _ => None,
        };
        // What a local name means depends on the place.
        let place = written.map_or(Place::end_of_file(view), |span| {
            Place::new(view, view.facts.scope_at(span.start), span.start)
        });
        let section = if rule.is_sectioned {
            self.section(place, value, 0)
        } else {
            None
        };
        if section.is_none() && !self.scan.is_written(view, value, rule.objects) {
            return;
        }
        let Some(known) = self.scan.string(place, key) else {
            let named = match view.facts.recipe(key) {
                Recipe::Name(name) => text.find(&format!("[{}]", view.facts.name(name))),
                _ => None,
            };
            if let Some(at) = named {
                let span = Span::new(at as u32, at as u32 + 1);
                self.read_wrapped(rule.usage, view, key, span, 0);
            }
            return;
        };
        let KnownText {
            text: own,
            is_whole,
        } = known;
        let span = quoted(text, &own).unwrap_or(Span::new(0, 1));
        let whole = section.map_or(own.clone(), |section| format!("{section}:{own}"));
        let fact = key_fact(rule.usage, whole, view.id, span).of(enclosing(view, span.start));
        self.scan.add(fact.certain(Certainty::of_text(is_whole)));
    }

    /// `process.env.KEY`.
    fn read_members(&self, rule: &KeyUse) {
        let holder = rule.name;
        let last = holder.rsplit('.').next().unwrap_or(holder);
        for view in self.scan.mentioning(last) {
            for reference in &view.facts.references {
                let Some(receiver) = reference.receiver else {
                    continue;
                };
                if self.scan.is_written(&view, receiver, &[holder]) {
                    let key = view.facts.name(reference.name).to_owned();
                    let symbol = reference.enclosing.map(|index| symbol_in(&view, index));
                    let fact = key_fact(rule.usage, key, view.id, reference.span);
                    self.scan.add(fact.of(symbol));
                }
            }
        }
    }

    /// `@Value("${shop.name:none}")`.
    fn read_annotations(&self, rule: &KeyUse) {
        const KEY: &[Slot<'static>] = &[Slot::At(0), Slot::Named("value"), Slot::Named("prefix")];
        for (view, annotation, _, arguments) in self.scan.annotated(rule.name) {
            let place = Place::in_file(&view, annotation.span.start);
            let value = self.scan.argument(&view, &arguments, KEY);
            let value = value.and_then(|value| self.scan.string(place, value));
            if let Some(key) = value.as_ref().and_then(|value| key_of(&value.text)) {
                let fact = key_fact(rule.usage, key.to_owned(), view.id, annotation.span);
                self.scan
                    .add(fact.of(Some(symbol_in(&view, annotation.symbol))));
            }
        }
    }

    /// Annotations of parameters, which are no symbols.
    fn read_parameter_annotations(&self, rule: &KeyUse) {
        for view in self.scan.mentioning(rule.name) {
            let Some(id) = view.facts.names.find(rule.name) else {
                continue;
            };
            let references = view.facts.references_of(id).iter();
            for reference in references.filter(|reference| reference.role == Role::Annotation) {
                let mut annotations = view.facts.annotations.iter();
                let start = reference.span.start;
                if annotations.any(|annotation| annotation.span.contains(start)) {
                    continue;
                }
                let arguments = match reference.call.map(|call| view.facts.recipe(call)) {
                    Some(Recipe::Call(_, list)) => view.facts.list(list),
                    _ => continue,
                };
                let value = self.scan.argument(&view, arguments, &[Slot::At(0)]);
                let quoted = value.and_then(|value| match view.facts.recipe(value) {
                    Recipe::Str(text) => Some(view.facts.name(text)),
                    _ => None,
                });
                if let Some(key) = quoted.and_then(key_of) {
                    let symbol = reference.enclosing.map(|index| symbol_in(&view, index));
                    let fact = key_fact(rule.usage, key.to_owned(), view.id, reference.span);
                    self.scan.add(fact.of(symbol));
                }
            }
        }
    }

    /// `#[arg(env = "KEY")]`, or `#[arg(env)]` for a variable named like the field.
    fn read_fields(&self) {
        for rule in self.scan.framework.keys.fields {
            for (view, annotation, _, arguments) in rule
                .annotations
                .iter()
                .flat_map(|word| self.scan.annotated(word))
            {
                let place = Place::in_file(&view, annotation.span.start);
                let option = [Slot::Named(rule.option)];
                let named = self.scan.argument(&view, &arguments, &option);
                let named = named.and_then(|name| self.scan.string(place, name));
                let is_plain = arguments
                    .iter()
                    .any(|argument| self.scan.last_name(&view, *argument) == Some(rule.option));
                let own = is_plain.then(|| view.name_of(annotation.symbol).to_uppercase());
                if let Some(key) = named.map(|known| known.text).or(own) {
                    let fact = key_fact(rule.usage, key, view.id, annotation.span);
                    self.scan
                        .add(fact.of(Some(symbol_in(&view, annotation.symbol))));
                }
            }
        }
    }

    /// Classes whose fields are variables: `class Settings(BaseSettings): secret_key: str` reads
    /// `SECRET_KEY`.
    fn read_classes(&self) {
        for rule in self.scan.framework.keys.classes {
            let mut classes: BTreeSet<SymbolId> = BTreeSet::new();
            for view in self.scan.views() {
                for supertype in &view.facts.supertypes {
                    let class = symbol_in(&view, supertype.symbol);
                    let base = type_name(&view, supertype.ty);
                    let is_derived = || {
                        self.scan
                            .bases(class)
                            .iter()
                            .any(|base| classes.contains(base))
                    };
                    if base.is_some_and(|name| rule.bases.contains(&name)) || is_derived() {
                        classes.insert(class);
                    }
                }
            }
            for class in classes {
                let Some(view) = self.scan.resolver.view(class.file) else {
                    continue;
                };
                let prefix = self
                    .inner_text(&view, class, rule.prefix)
                    .unwrap_or_default();
                for index in view.children(Some(class.index)) {
                    let (symbol, name) = (view.symbol(index), view.name_of(index));
                    if !symbol.kind.is_value()
                        || name.starts_with('_')
                        || rule.except.contains(&name)
                    {
                        continue;
                    }
                    let key = format!("{prefix}{name}").to_uppercase();
                    let fact = key_fact(rule.usage, key, view.id, symbol.name_span);
                    let fact = fact.of(Some(symbol_in(&view, index)));
                    self.scan.add(fact.certain(Certainty::Pattern));
                }
            }
        }
    }

    /// A text that an inner class of a class gives a name to: `class Config: env_prefix = "APP_"`.
    fn inner_text(&self, view: &FileView, class: SymbolId, name: &str) -> Option<String> {
        let inner = view
            .children(Some(class.index))
            .filter(|index| view.symbol(*index).kind.is_type());
        let known = inner
            .flat_map(|inner| view.children(Some(inner)))
            .filter(|index| view.name_of(*index) == name)
            .find_map(|index| self.scan.value_string(view, index));
        known.map(|known| known.text)
    }

    fn add_at(&self, usage: &'static str, key: String, site: &CallSite, certainty: Certainty) {
        let fact = key_fact(usage, key, site.file(), site.reference.span);
        self.scan.add(fact.of(site.enclosing()).certain(certainty));
    }
}

fn key_fact(usage: &'static str, key: String, file: FileId, span: Span) -> ArchitectureFact {
    ArchitectureFact::new(Subject::Key { usage }, key, file, span)
}

/// `shop.name` of `${shop.name:none}`; an expression of another kind is no key.
fn key_of(text: &str) -> Option<&str> {
    let inner = text.find("${").map_or(text, |at| &text[at + 2..]);
    let key = inner.split([':', '}']).next().unwrap_or(inner).trim();
    (!key.is_empty() && !key.contains(['#', '(', ' '])).then_some(key)
}

/// The span of a string in quotes after an opening bracket.
fn quoted(text: &str, key: &str) -> Option<Span> {
    let found = ['"', '\'', '`']
        .iter()
        .find_map(|quote| text.find(&format!("[{quote}{key}{quote}")))?;
    Some(Span::new(found as u32 + 1, (found + key.len() + 3) as u32))
}

/// The innermost callable, property or type around a place.
fn enclosing(view: &FileView, at: u32) -> Option<SymbolId> {
    let around = view.facts.symbols_with_index().filter(|(_, symbol)| {
        symbol.span.contains(at)
            && (symbol.kind.is_callable()
                || symbol.kind == SymbolKind::Property
                || symbol.kind.is_type())
    });
    around
        .min_by_key(|(_, symbol)| symbol.span.len())
        .map(|(index, _)| symbol_in(view, index))
}
