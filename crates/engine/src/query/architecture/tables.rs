//! Database tables: models and entities of object-relational mappers, by declaration or by
//! convention.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use facts::{ListRange, Recipe, RecipeId, Reference, SymbolIndex, SymbolKind, TypeId, TypeRecipe};

use super::{
    ArchitectureFact, Certainty, Subject, TableSource, inflection,
    rules::{ModelName, Slot, TableAnnotation, TableConvention, TableDefinition, TableModel},
    scan::{CallSite, Scan, symbol_in},
    sql::{is_called_on, table_at},
    strings::KnownText,
};
use crate::{FileView, Found, Place, SymbolId};

pub fn read(scan: &Scan<'_>) {
    let reader = TableReader { scan };
    let rules = &scan.framework.tables;
    reader.read_annotations();
    rules
        .attributes
        .iter()
        .for_each(|name| reader.read_attribute(name));
    rules
        .models
        .iter()
        .for_each(|rule| reader.read_models(rule));
    for (rule, site) in scan.sites(rules.calls, |rule| rule.call) {
        reader.read_call(rule.call, rule.on, &site);
    }
    for (rule, site) in scan.sites(rules.definitions, |rule| rule.call) {
        reader.read_definition(rule, &site);
    }
}

/// A table whose rows are objects of a class.
pub fn class_table(
    view: &FileView,
    class: SymbolIndex,
    source: &'static str,
    table: impl Into<String>,
) -> ArchitectureFact {
    let symbol = Some(symbol_in(view, class));
    ArchitectureFact::table(source, table, view.id, view.symbol(class).name_span)
        .of(symbol)
        .with_other(symbol)
}

/// The table of a class that does not name one.
pub fn conventional_table(
    scan: &Scan<'_>,
    convention: TableConvention,
    view: &FileView,
    class: SymbolIndex,
) -> String {
    match convention {
        TableConvention::By(name) => name(scan, view, class),
        convention => by_convention(convention, view.name_of(class)),
    }
}

fn by_convention(convention: TableConvention, class: &str) -> String {
    match convention {
        TableConvention::Snake => inflection::snake(class),
        TableConvention::Plural => inflection::plural(&inflection::snake(class)),
        TableConvention::PluralLower => inflection::plural(&class.to_lowercase()),
        TableConvention::PluralAsIs => inflection::plural(class),
        TableConvention::Lower => class.to_lowercase(),
        TableConvention::By(_) => class.to_owned(),
    }
}

/// The classes of this repository right above a class, without interfaces.
pub fn base_classes(scan: &Scan<'_>, class: SymbolId) -> Vec<SymbolId> {
    let is_interface = |base: &SymbolId| {
        let symbol = scan.resolver.symbol(*base);
        symbol.is_none_or(|(_, declared)| declared.kind == SymbolKind::Interface)
    };
    let mut bases = scan.bases(class);
    bases.retain(|base| !is_interface(base));
    bases
}

/// A type as it is written, without its arguments: `models.Model`, `ActiveRecord::Base`.
pub fn type_text(view: &FileView, ty: TypeId) -> String {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Name(name) => view.facts.name(name).to_owned(),
        TypeRecipe::Scoped(outer, name) => {
            format!("{}.{}", type_text(view, outer), view.facts.name(name))
        }
        TypeRecipe::Apply(head, _)
        | TypeRecipe::Pointer(head)
        | TypeRecipe::Reference(head)
        | TypeRecipe::Optional(head) => type_text(view, head),
        _ => String::new(),
    }
}

struct TableReader<'a> {
    scan: &'a Scan<'a>,
}

impl TableReader<'_> {
    /// Classes that an annotation makes entities.
    fn read_annotations(&self) {
        let rules = self.scan.framework.tables.annotations;
        let mut seen = BTreeSet::new();
        for (i, rule) in rules.iter().enumerate() {
            let is_last = i + 1 == rules.len();
            for (view, annotation, _, arguments) in self.scan.annotated(rule.name) {
                let class = annotation.symbol;
                let symbol = symbol_in(&view, class);
                if !view.symbol(class).kind.is_type() || seen.contains(&symbol) {
                    continue;
                }
                let place = Place::in_file(&view, annotation.span.start);
                let known = self.annotated_table(rule, place, &arguments);
                if known.is_none() && !is_last && rule.convention.is_none() {
                    continue;
                }
                seen.insert(symbol);
                let (table, certainty) = match (known, rule.convention) {
                    (Some(known), _) => (known.text, Certainty::of_text(known.is_whole)),
                    (None, Some(convention)) => (
                        conventional_table(self.scan, convention, &view, class),
                        Certainty::Pattern,
                    ),
                    (None, None) => (view.name_of(class).to_owned(), Certainty::Pattern),
                };
                let schema = [Slot::Named("schema"), Slot::Named("schema_name")];
                let schema = self
                    .scan
                    .argument(&view, &arguments, &schema)
                    .and_then(|schema| self.scan.string(place, schema));
                let mut fact = class_table(&view, class, "", table).certain(certainty);
                let source = TableSource::Annotation(rule.name);
                fact.subject = Subject::Table { source };
                self.scan
                    .add(fact.in_schema(schema.map(|known| known.text)));
            }
        }
    }

    fn annotated_table(
        &self,
        rule: &TableAnnotation,
        place: Place,
        arguments: &[RecipeId],
    ) -> Option<KnownText> {
        let object = arguments
            .first()
            .and_then(|object| self.scan.field(place.view, *object, rule.field));
        let name = object.or_else(|| self.scan.argument(place.view, arguments, rule.table))?;
        self.scan.string(place, name).or_else(|| {
            let name = self.scan.last_name(place.view, name);
            name.filter(|_| rule.is_bare).map(KnownText::whole)
        })
    }

    /// `__tablename__ = "orders"` inside a class.
    fn read_attribute(&self, attribute: &'static str) {
        for view in self.scan.mentioning(attribute) {
            let Some(name) = view.facts.names.find(attribute) else {
                continue;
            };
            for index in view.symbols_named(name) {
                let symbol = view.symbol(index);
                let Some(class) = symbol.parent else { continue };
                match self.scan.value_string(&view, index) {
                    Some(known) => self
                        .scan
                        .add(class_table(&view, class, attribute, known.text)),
                    None => self.scan.not_understood(view.id, symbol.name_span),
                }
            }
        }
    }

    /// Classes that are tables by their base: named by an attribute, by a call, by an inner class,
    /// or by convention.
    fn read_models(&self, rule: &TableModel) {
        let attributes = self.scan.framework.tables.attributes;
        let made = rule.made.map(|made| made(self.scan)).unwrap_or_default();
        for (class, parent) in &self.models(rule) {
            let Some(view) = self.scan.resolver.view(class.file) else {
                continue;
            };
            if self.has_switch(rule, &view, class.index, rule.abstract_switch)
                || self.has_switch(rule, &view, class.index, rule.proxy_switch)
            {
                continue;
            }
            let given = self.given_table(rule, &view, class.index);
            let shares_table = !rule.has_table_per_class
                && parent.is_some_and(|parent| {
                    let view = self.scan.resolver.view(parent.file);
                    view.is_some_and(|view| {
                        !self.has_switch(rule, &view, parent.index, rule.abstract_switch)
                    })
                });
            let fact = match given {
                // Read with the attribute itself.
                Some((_, "attribute"))
                    if rule
                        .attribute
                        .is_some_and(|name| attributes.contains(&name)) =>
                {
                    continue;
                }
                // What a task or a migration maps for itself may be another program's.
                Some((known, _))
                    if !made.is_empty() && !made.contains(&known.text) && self.is_once(&view) =>
                {
                    continue;
                }
                Some((known, source)) => class_table(&view, class.index, source, known.text)
                    .certain(Certainty::of_text(known.is_whole)),
                None if shares_table => continue,
                None => {
                    let table = conventional_table(self.scan, rule.convention, &view, class.index);
                    if !made.is_empty() && !made.contains(&table) {
                        continue;
                    }
                    class_table(&view, class.index, "convention", table).certain(Certainty::Pattern)
                }
            };
            self.scan.add(fact);
        }
    }

    /// A file that runs once, by hand or between two versions.
    fn is_once(&self, view: &FileView) -> bool {
        const ONCE: &[&str] = &["migrate", "post_migrate", "tasks", "scripts"];
        let path = self.scan.resolver.snapshot().file(view.id).path.as_str();
        path.ends_with(".rake") || path.split('/').any(|part| ONCE.contains(&part))
    }

    /// Classes below one of the rule's bases, each with the model above it.
    fn models(&self, rule: &TableModel) -> BTreeMap<SymbolId, Option<SymbolId>> {
        let mut models: BTreeMap<SymbolId, Option<SymbolId>> = BTreeMap::new();
        let mut classes: Vec<(SymbolId, String)> = Vec::new();
        for view in self.scan.views() {
            for supertype in &view.facts.supertypes {
                if view.symbol(supertype.symbol).kind.is_type() {
                    let class = symbol_in(&view, supertype.symbol);
                    classes.push((class, type_text(&view, supertype.ty)));
                }
            }
        }
        for (class, base) in &classes {
            let is_base = rule.bases.iter().any(|word| {
                base == word
                    || !word.contains(['.', ':']) && base.rsplit(['.', ':']).next() == Some(*word)
            });
            if is_base && self.has_marker(rule, *class) {
                models.entry(*class).or_insert(None);
            }
        }
        loop {
            let before = models.len();
            for (class, _) in &classes {
                if models.contains_key(class) {
                    continue;
                }
                let bases = base_classes(self.scan, *class);
                let above = bases.into_iter().find(|base| models.contains_key(base));
                if let Some(above) = above.filter(|_| self.has_marker(rule, *class)) {
                    models.insert(*class, Some(above));
                }
            }
            if models.len() == before {
                return models;
            }
        }
    }

    /// What the header of a class must set: `class Hero(SQLModel, table=True)`.
    fn has_marker(&self, rule: &TableModel, class: SymbolId) -> bool {
        let Some(marker) = rule.marker else {
            return true;
        };
        let Some((view, declared)) = self.scan.resolver.symbol(class) else {
            return false;
        };
        let mut values = view.facts.values(&declared).iter();
        values.any(|value| match view.facts.recipe(value.recipe) {
            Recipe::Field(name, value) => view.facts.name(name) == marker && view.is_true(value),
            _ => false,
        })
    }

    /// Whether a class, or its inner class of settings, sets a switch.
    fn has_switch(
        &self,
        rule: &TableModel,
        view: &FileView,
        class: SymbolIndex,
        switch: Option<&str>,
    ) -> bool {
        let Some(switch) = switch else {
            return false;
        };
        let holder = match rule.meta {
            Some((meta, _)) => child_named(view, class, meta),
            None => Some(class),
        };
        let member = holder.and_then(|holder| {
            view.children(Some(holder))
                .find(|index| view.name_of(*index) == switch && !is_set_false(view, *index))
        });
        let assigned = || assigned(view, class, switch);
        member.is_some() || assigned().is_some_and(|(_, value)| view.is_true(value))
    }

    fn given_table(
        &self,
        rule: &TableModel,
        view: &FileView,
        class: SymbolIndex,
    ) -> Option<(KnownText, &'static str)> {
        let assigned = rule
            .setter
            .and_then(|setter| Some((setter, assigned(view, class, setter)?)));
        if let Some((setter, (write, value))) = assigned {
            let known = self.scan.string(Place::of(view, write), value)?;
            return Some((known, setter.trim_end_matches('=')));
        }
        let member = |holder: SymbolIndex, name: &str| {
            self.scan
                .value_string(view, child_named(view, holder, name)?)
        };
        if let Some(known) = rule.attribute.and_then(|name| member(class, name)) {
            return Some((known, "attribute"));
        }
        let (meta, name) = rule.meta?;
        Some((member(child_named(view, class, meta)?, name)?, name))
    }

    /// `Table("orders", metadata, ...)`.
    fn read_call(&self, call: &'static str, on: &[&str], site: &CallSite) {
        let known = self
            .scan
            .site_argument(site, &[Slot::At(0)])
            .and_then(|name| self.scan.string(site.place(), name));
        let receiver = site
            .reference
            .receiver
            .map(|receiver| crate::text::recipe(&site.view.facts, receiver));
        let is_on =
            on.is_empty() || receiver.is_some_and(|receiver| on.contains(&receiver.as_str()));
        if let Some(known) = known.filter(|_| site.arguments.len() >= 2 && is_on) {
            let certainty = Certainty::of_text(known.is_whole);
            self.scan
                .add(table_at(site, call, known.text).certain(certainty));
        }
    }

    /// Models that a call defines: `connection.model("User", schema)`, `db.define("User", {})`,
    /// `User.init({}, { tableName })`.
    fn read_definition(&self, rule: &TableDefinition, site: &CallSite) {
        let receiver = site
            .reference
            .receiver
            .and_then(|receiver| self.scan.last_name(&site.view, receiver));
        let is_on = is_called_on(self.scan, site, rule.on) || rule.is_free && receiver.is_none();
        if !is_on || site.arguments.len() < 2 {
            return;
        }
        let options: Vec<(Arc<FileView>, RecipeId)> = site
            .arguments
            .iter()
            .filter_map(|argument| self.object_behind(site, *argument))
            .collect();
        let field = |name: &str| {
            options.iter().find_map(|(view, object)| {
                let value = self.scan.field(view, *object, name)?;
                self.scan.string(Place::end_of_file(view), value)
            })
        };
        let named = |names: &[ModelName]| {
            names.iter().find_map(|name| match name {
                ModelName::Argument(i) => self.scan.string(site.place(), *site.arguments.get(*i)?),
                ModelName::Field(name) => field(name),
                ModelName::Receiver => receiver.map(KnownText::whole),
            })
        };
        // The fields of its options tell a model from other calls of that name.
        let has_field = |name: &&str| {
            let mut options = options.iter();
            options.any(|(view, object)| self.scan.field(view, *object, name).is_some())
        };
        if !rule.needs.iter().all(has_field) {
            return;
        }
        let (table, certainty) = match (named(rule.table), named(rule.model)) {
            (Some(known), _) => (known.text, Certainty::of_text(known.is_whole)),
            (None, Some(known)) => (
                by_convention(rule.convention, &known.text),
                Certainty::Pattern,
            ),
            (None, None) => {
                return self.scan.not_understood(site.file(), site.reference.span);
            }
        };
        let fact = table_at(site, rule.call, table).with_other(site.enclosing());
        self.scan.add(fact.certain(certainty));
    }

    /// The object literal that an argument is, or that the schema it names was made with.
    fn object_behind(
        &self,
        site: &CallSite,
        argument: RecipeId,
    ) -> Option<(Arc<FileView>, RecipeId)> {
        let last_object = |view: &Arc<FileView>, list: ListRange| {
            let is_object = |item: &RecipeId| matches!(view.facts.recipe(*item), Recipe::Object(_));
            let mut objects = view.facts.list(list).iter().copied().filter(is_object);
            objects.next_back().map(|object| (view.clone(), object))
        };
        match site.view.facts.recipe(argument) {
            Recipe::Object(_) => Some((site.view.clone(), argument)),
            Recipe::New(_, list) => last_object(&site.view, list),
            Recipe::Name(_) => {
                let (view, recipe) = match self.scan.meaning(site.place(), argument)? {
                    Found::Symbol(symbol) => {
                        let (view, declared) = self.scan.resolver.symbol(symbol)?;
                        let recipe = view.facts.values(&declared).first()?.recipe;
                        (view, recipe)
                    }
                    Found::Binding(file, binding) => {
                        let view = self.scan.resolver.view(file)?;
                        let recipe = view.facts.bindings[binding.0 as usize].value;
                        (view, recipe)
                    }
                    _ => return None,
                };
                match view.facts.recipe(recipe) {
                    Recipe::New(_, list) | Recipe::Call(_, list) => last_object(&view, list),
                    Recipe::Object(_) => Some((view, recipe)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

pub fn child_named(view: &FileView, parent: SymbolIndex, name: &str) -> Option<SymbolIndex> {
    view.children(Some(parent))
        .find(|index| view.name_of(*index) == name)
}

fn is_set_false(view: &FileView, member: SymbolIndex) -> bool {
    let mut values = view.facts.values(view.symbol(member)).iter();
    values.any(|value| view.is_false(value.recipe))
}

/// The value of `self.table_name = "orders"` in a class, and where it is written.
fn assigned<'v>(
    view: &'v FileView,
    class: SymbolIndex,
    setter: &str,
) -> Option<(&'v Reference, RecipeId)> {
    let references = view.facts.references_of(view.facts.names.find(setter)?);
    let write = references
        .iter()
        .find(|reference| reference.enclosing == Some(class))?;
    Some((write, write.call?))
}
