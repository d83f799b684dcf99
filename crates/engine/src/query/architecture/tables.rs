//! Database tables: sets and entities of object-relational mappers, by declaration or by
//! convention.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Recipe, RecipeId, ScopeId, Span, SymbolIndex, SymbolKind, TypeId, TypeRecipe};

use super::{
    ArchitectureFact, ArchitectureKind, Certainty,
    config::type_symbol,
    inflection,
    places::{CallSite, Known, Places, Spot},
    routers::type_name,
    rules::{Framework, Rule},
};
use crate::{FileId, FileView, Found, SymbolId};

pub fn read(places: &Places<'_>, framework: &Framework) {
    let reader = Tables { places, framework };
    reader.read_sets();
    reader.read_annotations();
    reader.read_attributes();
    reader.read_models();
    reader.read_calls();
    reader.read_definitions();
    reader.read_migrated();
    reader.read_macros();
    reader.read_files();
}

/// What a mapping is about: a class of this repository, or a library's by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entity {
    Own(SymbolId),
    Library(String),
}

struct Tables<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
}

impl Tables<'_> {
    /// Sets of a context, named by what the model says of their entity.
    fn read_sets(&self) {
        let Some(set) = self.framework.of("table-set").next() else {
            return;
        };
        let named = self.named_by_calls();
        let mut sets: BTreeMap<Entity, SymbolId> = BTreeMap::new();
        for view in self.places.mentioning(self.framework.family, set.name()) {
            for (index, symbol) in view
                .facts
                .symbols_with_index()
                .filter(|(_, symbol)| symbol.kind == SymbolKind::Property)
            {
                let Some(item) = applied(&view, symbol.ty, set.name()) else {
                    continue;
                };
                if let Some(entity) = self.entity_of(&view, item, symbol.span) {
                    sets.entry(entity).or_insert(SymbolId {
                        file: view.id,
                        index,
                    });
                }
            }
        }
        let owned = self.owned();
        let mut entities: BTreeSet<Entity> = sets.keys().chain(named.keys()).cloned().collect();
        entities.extend(self.mentioned_entities(set));
        let mut reached: Vec<SymbolId> = entities.iter().filter_map(own).collect();
        // What entities lead to is part of the model as well.
        while let Some(entity) = reached.pop() {
            for next in self.navigations(entity) {
                if !owned.contains(&next)
                    && !entities.contains(&Entity::Own(next))
                    && self.has_key(next, 0)
                {
                    entities.insert(Entity::Own(next));
                    reached.push(next);
                }
            }
        }
        for entity in &entities {
            let annotated = own(entity).and_then(|entity| self.annotated_table(entity));
            let set = sets.get(entity).copied();
            let (table, schema, source, certainty) =
                match (named.get(entity).cloned(), annotated, set) {
                    (Some((table, schema)), _, _) => {
                        (table, schema, "ToTable", Certainty::Declared)
                    }
                    (None, Some((table, schema)), _) => {
                        (table, schema, "[Table]", Certainty::Declared)
                    }
                    // Derived classes share the table of the root.
                    (None, None, _)
                        if own(entity)
                            .is_some_and(|entity| self.derives_from(entity, &entities)) =>
                    {
                        continue;
                    }
                    (None, None, _)
                        if own(entity).is_some_and(|entity| owned.contains(&entity)) =>
                    {
                        continue;
                    }
                    (None, None, Some(set)) => (
                        self.places.resolver.name(set),
                        None,
                        "DbSet",
                        Certainty::Declared,
                    ),
                    (None, None, None) => {
                        let Some(entity) = own(entity) else { continue };
                        (
                            self.places.resolver.name(entity),
                            None,
                            "convention",
                            Certainty::Pattern,
                        )
                    }
                };
            let Some(symbol) = set.or(own(entity)) else {
                continue;
            };
            let Some((view, declared)) = self.places.resolver.symbol(symbol) else {
                continue;
            };
            self.add(
                table,
                schema,
                source,
                symbol,
                own(entity),
                view.id,
                declared.name_span,
                certainty,
            );
        }
        self.read_bases(&named);
    }

    fn entity_of(&self, view: &FileView, ty: TypeId, near: Span) -> Option<Entity> {
        match type_symbol(self.places, view, ty, near) {
            Some(symbol) => Some(Entity::Own(symbol)),
            None => type_name(view, ty).map(|name| Entity::Library(name.to_owned())),
        }
    }

    /// Entities that the model's configuration names without a table: `Entity<Order>()`,
    /// `IEntityTypeConfiguration<Order>`.
    fn mentioned_entities(&self, set: &Rule) -> Vec<Entity> {
        let mut found = Vec::new();
        for name in set.list("entity") {
            for site in self.places.calls(self.framework.family, name) {
                let Some(Recipe::Call(callee, _)) =
                    site.reference.call.map(|call| site.view.facts.recipe(call))
                else {
                    continue;
                };
                let Recipe::TypeArguments(_, types) = site.view.facts.recipe(callee) else {
                    continue;
                };
                let entity =
                    site.view.facts.type_list(types).first().and_then(|ty| {
                        type_symbol(self.places, &site.view, *ty, site.reference.span)
                    });
                found.extend(entity.map(Entity::Own));
            }
        }
        for name in set.list("configuration") {
            for view in self.places.mentioning(self.framework.family, name) {
                for supertype in &view.facts.supertypes {
                    let entity = applied(&view, supertype.ty, name);
                    let entity = entity.and_then(|ty| {
                        type_symbol(self.places, &view, ty, view.symbol(supertype.symbol).span)
                    });
                    found.extend(entity.map(Entity::Own));
                }
            }
        }
        let views = |name: &str| self.places.calls(self.framework.family, name);
        let unmapped: BTreeSet<SymbolId> = set
            .list("without")
            .iter()
            .flat_map(|name| views(name))
            .filter_map(|site| {
                let rule = self.framework.of("table-call").next()?;
                self.entity(rule, &site, site.reference.receiver?, 0)
            })
            .collect();
        found.retain(|entity| {
            own(entity).is_none_or(|entity| !unmapped.contains(&entity) && self.is_concrete(entity))
        });
        found
    }

    fn is_concrete(&self, class: SymbolId) -> bool {
        self.places
            .resolver
            .symbol(class)
            .is_some_and(|(_, declared)| {
                declared.kind == SymbolKind::Class
                    && !declared.modifiers.contains(facts::Modifiers::ABSTRACT)
                    || declared.kind == SymbolKind::Record
            })
    }

    /// Classes that live inside the row of another: `OwnsOne(order => order.Address)`, `[Owned]`,
    /// `[ComplexType]`.
    fn owned(&self) -> BTreeSet<SymbolId> {
        let mut owned = BTreeSet::new();
        for rule in self.framework.of("table-owned") {
            for name in &rule.words {
                for (view, annotation, ..) in self.places.annotated(self.framework.family, name) {
                    owned.insert(SymbolId {
                        file: view.id,
                        index: annotation.symbol,
                    });
                }
                for site in self.places.calls(self.framework.family, name) {
                    let property = site.arguments.first().and_then(|argument| {
                        match site.view.facts.recipe(*argument) {
                            Recipe::Lambda(_, list) => self
                                .places
                                .last_name(&site.view, *site.view.facts.list(list).first()?),
                            _ => None,
                        }
                    });
                    let rule = self.framework.of("table-call").next();
                    let entity =
                        rule.and_then(|rule| self.entity(rule, &site, site.reference.receiver?, 0));
                    let of_property = entity
                        .zip(property)
                        .and_then(|(entity, property)| self.property_type(entity, property, 0));
                    owned.extend(of_property);
                    if let Some(Recipe::Call(callee, _)) =
                        site.reference.call.map(|call| site.view.facts.recipe(call))
                        && let Recipe::TypeArguments(_, types) = site.view.facts.recipe(callee)
                    {
                        let class = site.view.facts.type_list(types).first();
                        owned.extend(class.and_then(|ty| {
                            type_symbol(self.places, &site.view, *ty, site.reference.span)
                        }));
                    }
                }
            }
        }
        owned
    }

    fn property_type(&self, class: SymbolId, property: &str, depth: u32) -> Option<SymbolId> {
        let (view, _) = self.places.resolver.symbol(class)?;
        if let Some(index) = view
            .children(Some(class.index))
            .find(|index| view.name_of(*index) == property)
        {
            let declared = view.symbol(index);
            return item_types(&view, declared.ty)
                .find_map(|ty| type_symbol(self.places, &view, ty, declared.span));
        }
        self.bases(class)
            .into_iter()
            .filter(|_| depth < 8)
            .find_map(|base| self.property_type(base, property, depth + 1))
    }

    fn bases(&self, class: SymbolId) -> Vec<SymbolId> {
        let supertypes = self.places.resolver.supertypes(class);
        let of = supertypes
            .iter()
            .filter_map(|supertype| match &supertype.ty {
                crate::Ty::Instance(of, _) | crate::Ty::Type(of, _) => Some(*of),
                _ => None,
            });
        of.filter(|base| {
            self.places
                .resolver
                .symbol(*base)
                .is_some_and(|(_, declared)| declared.kind != SymbolKind::Interface)
        })
        .collect()
    }

    fn derives_from(&self, class: SymbolId, entities: &BTreeSet<Entity>) -> bool {
        let mut next = self.bases(class);
        for _ in 0..8 {
            let Some(base) = next.pop() else { return false };
            if entities.contains(&Entity::Own(base)) && self.is_mapped_root(base) {
                return true;
            }
            next.extend(self.bases(base));
        }
        false
    }

    fn is_mapped_root(&self, class: SymbolId) -> bool {
        self.places
            .resolver
            .symbol(class)
            .is_some_and(|(_, declared)| declared.kind == SymbolKind::Class)
    }

    /// Classes that the properties of an entity lead to.
    fn navigations(&self, entity: SymbolId) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let mut classes = vec![entity];
        for _ in 0..8 {
            let Some(class) = classes.pop() else { break };
            let Some((view, _)) = self.places.resolver.symbol(class) else {
                continue;
            };
            for index in view
                .children(Some(class.index))
                .filter(|index| view.symbol(*index).kind == SymbolKind::Property)
            {
                let declared = view.symbol(index);
                let is_hidden = ["NotMapped", "JsonIgnore"]
                    .iter()
                    .take(1)
                    .any(|name| !self.places.annotations_of(&view, index, name).is_empty());
                if is_hidden
                    || declared.modifiers.contains(facts::Modifiers::STATIC)
                    || is_computed(self.places, &view, declared)
                {
                    continue;
                }
                let types = item_types(&view, declared.ty)
                    .filter_map(|ty| type_symbol(self.places, &view, ty, declared.span));
                found.extend(types.filter(|class| self.is_concrete(*class)));
            }
            classes.extend(self.bases(class));
        }
        found
    }

    /// Whether a class can be a row: it has `Id`, `OrderId` or a property marked as key.
    fn has_key(&self, class: SymbolId, depth: u32) -> bool {
        let Some((view, _)) = self.places.resolver.symbol(class) else {
            return false;
        };
        let name = view.name_of(class.index).to_owned();
        let is_key = |index: SymbolIndex| {
            let own = view.name_of(index);
            own.eq_ignore_ascii_case("id")
                || own.eq_ignore_ascii_case(&format!("{name}id"))
                || !self.places.annotations_of(&view, index, "Key").is_empty()
        };
        view.children(Some(class.index)).any(is_key)
            || depth < 8
                && self
                    .bases(class)
                    .into_iter()
                    .any(|base| self.has_key(base, depth + 1))
    }

    /// A context that brings tables of its own: ASP.NET Identity's users, where the repository has
    /// its own user class.
    fn read_bases(&self, named: &BTreeMap<Entity, (String, Option<String>)>) {
        for rule in self.framework.of("table-base") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                for supertype in &view.facts.supertypes {
                    let TypeRecipe::Apply(head, list) = view.facts.type_recipe(supertype.ty) else {
                        continue;
                    };
                    if type_name(&view, head) != Some(rule.name()) {
                        continue;
                    }
                    let symbol = view.symbol(supertype.symbol);
                    let entity = view
                        .facts
                        .type_list(list)
                        .first()
                        .and_then(|user| type_symbol(self.places, &view, *user, symbol.span));
                    let (Some(entity), Some(table)) = (entity, rule.option("table")) else {
                        continue;
                    };
                    if named.contains_key(&Entity::Own(entity)) {
                        continue;
                    }
                    let context = SymbolId {
                        file: view.id,
                        index: supertype.symbol,
                    };
                    self.add(
                        table.to_owned(),
                        None,
                        rule.name(),
                        context,
                        Some(entity),
                        view.id,
                        symbol.name_span,
                        Certainty::Pattern,
                    );
                }
            }
        }
    }

    fn annotated_table(&self, entity: SymbolId) -> Option<(String, Option<String>)> {
        let view = self.places.resolver.view(entity.file)?;
        let rule = self.framework.of("table-annotation").next()?;
        let arguments = self
            .places
            .annotations_of(&view, entity.index, rule.name())
            .into_iter()
            .next()?;
        let spot = Spot {
            view: &view,
            scope: ScopeId::FILE,
            at: view.symbol(entity.index).span.start,
        };
        let table = self
            .places
            .string(spot, self.places.argument(&view, &arguments, "0|name")?)?;
        let schema = self
            .places
            .argument(&view, &arguments, "Schema|schema")
            .and_then(|schema| self.places.string(spot, schema));
        Some((table.text, schema.map(|known| known.text)))
    }

    /// Tables that calls give to entities: `Entity<Order>().ToTable("orders")`.
    fn named_by_calls(&self) -> BTreeMap<Entity, (String, Option<String>)> {
        let mut named = BTreeMap::new();
        for (rule, site) in self.places.sites(self.framework, "table-call") {
            let argument = |key: &str| {
                rule.option(key)
                    .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
            };
            let Some(table) =
                argument("name").and_then(|name| self.places.string(site.spot(), name))
            else {
                if argument("name")
                    .is_some_and(|name| !matches!(site.view.facts.recipe(name), Recipe::Lambda(..)))
                {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            };
            let schema = argument("schema")
                .and_then(|schema| self.places.string(site.spot(), schema))
                .map(|known| known.text);
            if let Some(entity) = site
                .reference
                .receiver
                .and_then(|receiver| self.any_entity(rule, &site, receiver, 0))
            {
                named.insert(entity, (table.text, schema));
            }
        }
        named
    }

    /// The entity that a builder expression is about.
    fn entity(
        &self,
        rule: &Rule,
        site: &CallSite,
        recipe: RecipeId,
        depth: u32,
    ) -> Option<SymbolId> {
        self.any_entity(rule, site, recipe, depth)
            .and_then(|entity| own(&entity))
    }

    fn any_entity(
        &self,
        rule: &Rule,
        site: &CallSite,
        recipe: RecipeId,
        depth: u32,
    ) -> Option<Entity> {
        if depth > 16 {
            return None;
        }
        let view = &site.view;
        match view.facts.recipe(recipe) {
            Recipe::Call(callee, _) => {
                if let Recipe::TypeArguments(inner, types) = view.facts.recipe(callee)
                    && self.places.last_name(view, inner) == rule.option("entity")
                {
                    return self.entity_of(
                        view,
                        *view.facts.type_list(types).first()?,
                        site.reference.span,
                    );
                }
                // What is owned has no table of its own unless it says so.
                if self
                    .framework
                    .words("table-owned")
                    .any(|word| self.places.last_name(view, callee) == Some(word))
                {
                    return None;
                }
                match view.facts.recipe(callee) {
                    Recipe::Member(inner, _) => self.any_entity(rule, site, inner, depth + 1),
                    _ => None,
                }
            }
            Recipe::Name(_) => {
                let Found::Binding(file, id) = self.places.meaning(site.spot(), recipe)? else {
                    return None;
                };
                if file != view.id {
                    return None;
                }
                let binding = &view.facts.bindings[id.0 as usize];
                if let Some(entity) = rule
                    .option("builder")
                    .and_then(|builder| applied(view, binding.ty, builder))
                {
                    return self.entity_of(view, entity, binding.name_span);
                }
                // `Entity<Order>(order => order.ToTable("orders"))`.
                if let Some(context) = view.facts.scope(binding.scope).context {
                    return self.any_entity(rule, site, context.call, depth + 1);
                }
                binding
                    .value
                    .is_known()
                    .then(|| self.any_entity(rule, site, binding.value, depth + 1))
                    .flatten()
            }
            _ => None,
        }
    }

    /// Classes that an annotation makes entities.
    fn read_annotations(&self) {
        if self.framework.of("table-set").next().is_some() {
            return;
        }
        let mut seen = BTreeSet::new();
        for rule in self.framework.of("table-annotation") {
            for (view, annotation, _, arguments) in
                self.places.annotated(self.framework.family, rule.name())
            {
                let symbol = SymbolId {
                    file: view.id,
                    index: annotation.symbol,
                };
                if !view.symbol(annotation.symbol).kind.is_type() || seen.contains(&symbol) {
                    continue;
                }
                let spot = Spot {
                    view: &view,
                    scope: ScopeId::FILE,
                    at: annotation.span.start,
                };
                let given = self.places.argument(
                    &view,
                    &arguments,
                    rule.option("name").unwrap_or("0|name"),
                );
                let field = rule.option("field").unwrap_or("name");
                let object = arguments
                    .first()
                    .and_then(|object| self.places.field(&view, *object, field));
                let schema = self
                    .places
                    .argument(&view, &arguments, "schema|schema_name")
                    .and_then(|schema| self.places.string(spot, schema));
                let bare = |name: RecipeId| {
                    let name = self
                        .places
                        .last_name(&view, name)
                        .filter(|_| rule.words.contains(&"bare"))?;
                    Some(Known {
                        text: name.to_owned(),
                        is_whole: true,
                    })
                };
                let known = object
                    .or(given)
                    .and_then(|name| self.places.string(spot, name).or_else(|| bare(name)));
                let last = self
                    .framework
                    .of("table-annotation")
                    .last()
                    .is_some_and(|last| last.name() == rule.name());
                if known.is_none() && !last && rule.option("default").is_none() {
                    continue;
                }
                seen.insert(symbol);
                let (table, certainty) = match known {
                    Some(Known { text, is_whole }) => (text, self.places.certainty(is_whole, true)),
                    None => (
                        by_convention(rule, view.name_of(annotation.symbol)),
                        Certainty::Pattern,
                    ),
                };
                let source = format!("@{}", rule.name());
                self.add(
                    table,
                    schema.map(|known| known.text),
                    &source,
                    symbol,
                    Some(symbol),
                    view.id,
                    view.symbol(annotation.symbol).name_span,
                    certainty,
                );
            }
        }
    }

    /// `__tablename__ = "orders"` inside a class.
    fn read_attributes(&self) {
        for rule in self.framework.of("table-attribute") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                let Some(name) = view.facts.names.find(rule.name()) else {
                    continue;
                };
                for index in view.symbols_named(name) {
                    let symbol = view.symbol(index);
                    let Some(class) = symbol.parent else { continue };
                    let known = view.facts.values(symbol).iter().find_map(|value| {
                        self.places.string(
                            Spot {
                                view: &view,
                                scope: value.scope,
                                at: value.at,
                            },
                            value.recipe,
                        )
                    });
                    let Some(known) = known else {
                        self.places.not_understood(view.id, symbol.name_span);
                        continue;
                    };
                    let entity = SymbolId {
                        file: view.id,
                        index: class,
                    };
                    self.add(
                        known.text,
                        None,
                        rule.name(),
                        entity,
                        Some(entity),
                        view.id,
                        view.symbol(class).name_span,
                        Certainty::Declared,
                    );
                }
            }
        }
    }

    /// Classes that are tables by their base: named by an attribute, by a call, by an inner class,
    /// or by convention.
    fn read_models(&self) {
        for rule in self.framework.of("table-model") {
            let models = self.models(rule);
            for (class, parent) in &models {
                let Some(view) = self.places.resolver.view(class.file) else {
                    continue;
                };
                if self.says(rule, &view, class.index, "abstract")
                    || self.says(rule, &view, class.index, "proxy")
                {
                    continue;
                }
                let given = self.given_table(rule, &view, class.index);
                let shares = rule.option("inherits") != Some("own")
                    && parent.is_some_and(|parent| {
                        self.places
                            .resolver
                            .view(parent.file)
                            .is_some_and(|view| !self.says(rule, &view, parent.index, "abstract"))
                    });
                let (table, source, certainty) = match given {
                    // Read with the attribute itself.
                    Some((_, "attribute"))
                        if self
                            .framework
                            .words("table-attribute")
                            .any(|word| Some(word) == rule.option("attribute")) =>
                    {
                        continue;
                    }
                    Some((known, source)) => (
                        known.text,
                        source,
                        self.places.certainty(known.is_whole, true),
                    ),
                    None if shares || rule.option("default").is_none() => continue,
                    None => (
                        self.default_table(rule, &view, class.index),
                        "convention",
                        Certainty::Pattern,
                    ),
                };
                self.add(
                    table,
                    None,
                    source,
                    *class,
                    Some(*class),
                    view.id,
                    view.symbol(class.index).name_span,
                    certainty,
                );
            }
        }
    }

    /// Classes below one of the rule's bases, each with the model above it.
    fn models(&self, rule: &Rule) -> BTreeMap<SymbolId, Option<SymbolId>> {
        let mut models: BTreeMap<SymbolId, Option<SymbolId>> = BTreeMap::new();
        let mut classes: Vec<(SymbolId, String)> = Vec::new();
        for view in self.places.views(self.framework.family) {
            for supertype in &view.facts.supertypes {
                let class = SymbolId {
                    file: view.id,
                    index: supertype.symbol,
                };
                if view.symbol(supertype.symbol).kind.is_type() {
                    classes.push((class, type_text(&view, supertype.ty)));
                }
            }
        }
        for (class, base) in &classes {
            let is_base = rule.words.iter().any(|word| {
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
                let above = self
                    .bases(*class)
                    .into_iter()
                    .find(|base| models.contains_key(base));
                if let Some(above) = above.filter(|_| self.has_marker(rule, *class)) {
                    models.insert(*class, Some(above));
                }
            }
            if models.len() == before {
                return models;
            }
        }
    }

    /// What the header of a class must say: `class Hero(SQLModel, table=True)`.
    fn has_marker(&self, rule: &Rule, class: SymbolId) -> bool {
        let Some(marker) = rule.option("marker") else {
            return true;
        };
        let Some((view, declared)) = self.places.resolver.symbol(class) else {
            return false;
        };
        let text = self.places.text(view.id);
        let header = text.as_deref().and_then(|text| {
            text.get(declared.signature.start as usize..declared.signature.end as usize)
        });
        header.is_some_and(|header| header.replace(' ', "").contains(&marker.replace('~', "=")))
    }

    /// Whether a class, or the inner class that speaks about it, sets a switch.
    fn says(&self, rule: &Rule, view: &FileView, class: SymbolIndex, switch: &str) -> bool {
        let Some(word) = rule.option(switch) else {
            return false;
        };
        let inner = rule.option("meta").and_then(|meta| {
            view.children(Some(class))
                .find(|index| view.name_of(*index) == meta)
        });
        let holder = if rule.option("meta").is_some() {
            inner
        } else {
            Some(class)
        };
        let by_member = holder.is_some_and(|holder| {
            view.children(Some(holder)).any(|index| {
                view.name_of(index) == word
                    && !self.is_written_false(view, view.symbol(index).name_span)
            })
        });
        by_member
            || self
                .assigned(view, class, word)
                .is_some_and(|text| text.trim_start().starts_with("true"))
    }

    fn is_written_false(&self, view: &FileView, name: Span) -> bool {
        let text = self.places.text(view.id);
        let after = text
            .as_deref()
            .and_then(|text| text.get(name.end as usize..));
        after.is_some_and(|after| after.trim_start_matches([' ', '=']).starts_with("False"))
    }

    /// What stands behind `self.table_name =` in a class.
    fn assigned(&self, view: &FileView, class: SymbolIndex, setter: &str) -> Option<String> {
        let id = view.facts.names.find(setter)?;
        let reference = view
            .facts
            .references_of(id)
            .iter()
            .find(|reference| reference.enclosing == Some(class))?;
        let text = self.places.text(view.id)?;
        let line = text.get(reference.span.end as usize..)?.lines().next()?;
        Some(line.trim_start().trim_start_matches('=').trim().to_owned())
    }

    fn given_table(
        &self,
        rule: &Rule,
        view: &FileView,
        class: SymbolIndex,
    ) -> Option<(Known, &'static str)> {
        if let Some(written) = rule
            .option("set")
            .and_then(|setter| self.assigned(view, class, setter))
        {
            let quoted = written
                .trim_start_matches(':')
                .trim_matches(['"', '\''])
                .split(['"', '\'', ' '])
                .next()
                .unwrap_or("")
                .to_owned();
            return (!quoted.is_empty()).then_some((
                Known {
                    text: quoted,
                    is_whole: true,
                },
                "table_name",
            ));
        }
        let member = |holder: Option<SymbolIndex>, name: Option<&str>| {
            let index = view
                .children(holder)
                .find(|index| holder.is_some() && Some(view.name_of(*index)) == name)?;
            let values = view.facts.values(view.symbol(index)).to_vec();
            values.iter().find_map(|value| {
                self.places.string(
                    Spot {
                        view,
                        scope: value.scope,
                        at: value.at,
                    },
                    value.recipe,
                )
            })
        };
        if let Some(known) = member(Some(class), rule.option("attribute")) {
            return Some((known, "attribute"));
        }
        let inner = rule.option("meta").and_then(|meta| {
            view.children(Some(class))
                .find(|index| view.name_of(*index) == meta)
        });
        member(inner, rule.option("name")).map(|known| (known, "db_table"))
    }

    fn default_table(&self, rule: &Rule, view: &FileView, class: SymbolIndex) -> String {
        let name = view.name_of(class);
        if rule.option("default") != Some("app") {
            return by_convention(rule, name);
        }
        let inner = rule.option("meta").and_then(|meta| {
            view.children(Some(class))
                .find(|index| view.name_of(*index) == meta)
        });
        let label = inner.and_then(|inner| {
            let index = view
                .children(Some(inner))
                .find(|index| view.name_of(*index) == "app_label")?;
            let values = view.facts.values(view.symbol(index)).to_vec();
            values.iter().find_map(|value| {
                self.places.string(
                    Spot {
                        view,
                        scope: value.scope,
                        at: value.at,
                    },
                    value.recipe,
                )
            })
        });
        let path = self.places.resolver.snapshot().file(view.id).path.clone();
        let mut directory = path.directory();
        if let Some(at) = format!("/{directory}/").find("/models/") {
            directory = &directory[..at.saturating_sub(1).min(directory.len())];
        }
        let app = label
            .map(|known| known.text)
            .or_else(|| self.app_label(directory));
        let app = app.unwrap_or_else(|| directory.rsplit('/').next().unwrap_or("").to_owned());
        format!("{app}_{}", name.to_lowercase())
    }

    /// `label = "shop"` of the class in `apps.py` beside the models.
    fn app_label(&self, directory: &str) -> Option<String> {
        let path = if directory.is_empty() {
            "apps.py".to_owned()
        } else {
            format!("{directory}/apps.py")
        };
        let view = self
            .places
            .resolver
            .view(self.places.resolver.snapshot().find(&path)?)?;
        let label = view.facts.names.find("label")?;
        let index = view
            .symbols_named(label)
            .find(|index| view.symbol(*index).parent.is_some())?;
        let values = view.facts.values(view.symbol(index)).to_vec();
        let known = values.iter().find_map(|value| {
            self.places.string(
                Spot {
                    view: &view,
                    scope: value.scope,
                    at: value.at,
                },
                value.recipe,
            )
        })?;
        Some(known.text)
    }

    /// Models that a call defines: `mongoose.model("User", schema)`, `sequelize.define("User",
    /// {})`, `User.init({}, { tableName })`.
    fn read_definitions(&self) {
        for (rule, site) in self.places.sites(self.framework, "table-define") {
            let view = &site.view;
            let wanted = rule.list("on");
            let receiver = site
                .reference
                .receiver
                .and_then(|receiver| self.places.last_name(view, receiver));
            let is_on = wanted.is_empty()
                || receiver.is_some_and(|name| {
                    wanted.iter().any(|wanted| {
                        name.eq_ignore_ascii_case(wanted) || name.to_lowercase().ends_with(wanted)
                    })
                })
                || receiver.is_none() && wanted.contains(&"none");
            if !is_on || site.arguments.len() < 2 {
                continue;
            }
            let options = site
                .arguments
                .iter()
                .filter_map(|argument| self.object_behind(&site, *argument));
            let options: Vec<(std::sync::Arc<FileView>, RecipeId)> = options.collect();
            let field = |name: &str| {
                options.iter().find_map(|(view, object)| {
                    let value = self.places.field(view, *object, name)?;
                    self.places.string(
                        Spot {
                            view,
                            scope: ScopeId::FILE,
                            at: view.facts.lines.text_len(),
                        },
                        value,
                    )
                })
            };
            let explicit = rule
                .list("table")
                .iter()
                .find_map(|name| match name.parse::<usize>() {
                    Ok(i) => site
                        .arguments
                        .get(i)
                        .and_then(|argument| self.places.string(site.spot(), *argument)),
                    Err(_) => field(name),
                });
            let model = rule
                .list("name")
                .iter()
                .find_map(|name| match name.parse::<usize>() {
                    Ok(i) => site
                        .arguments
                        .get(i)
                        .and_then(|argument| self.places.string(site.spot(), *argument)),
                    Err(_) if *name == "receiver" => receiver.map(|name| Known {
                        text: name.to_owned(),
                        is_whole: true,
                    }),
                    Err(_) => field(name),
                });
            // A table's options tell it from other calls of that name.
            if !rule.list("needs").iter().all(|name| {
                options
                    .iter()
                    .any(|(view, object)| self.places.field(view, *object, name).is_some())
            }) {
                continue;
            }
            let (table, certainty) = match (explicit, model) {
                (Some(known), _) => (known.text, self.places.certainty(known.is_whole, true)),
                (None, Some(known)) => (by_convention(rule, &known.text), Certainty::Pattern),
                (None, None) => {
                    self.places.not_understood(site.file(), site.reference.span);
                    continue;
                }
            };
            let mut fact = fact_at(&site, table, rule.name(), certainty);
            fact.other = fact.symbol;
            self.places.add(fact);
        }
    }

    /// The object literal that an argument is, or that the schema it names was made with.
    fn object_behind(
        &self,
        site: &CallSite,
        argument: RecipeId,
    ) -> Option<(std::sync::Arc<FileView>, RecipeId)> {
        let last_object = |view: &std::sync::Arc<FileView>, list: facts::ListRange| {
            let mut objects = view
                .facts
                .list(list)
                .iter()
                .copied()
                .filter(|item| matches!(view.facts.recipe(*item), Recipe::Object(_)));
            objects.next_back().map(|object| (view.clone(), object))
        };
        match site.view.facts.recipe(argument) {
            Recipe::Object(_) => Some((site.view.clone(), argument)),
            Recipe::New(_, list) => last_object(&site.view, list),
            Recipe::Name(_) => {
                let (view, recipe) = match self.places.meaning(site.spot(), argument)? {
                    Found::Symbol(symbol) => {
                        let (view, declared) = self.places.resolver.symbol(symbol)?;
                        let recipe = view.facts.values(&declared).first()?.recipe;
                        (view, recipe)
                    }
                    Found::Binding(file, binding) => {
                        let view = self.places.resolver.view(file)?;
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

    /// Types that are handed to what makes their tables: `db.AutoMigrate(&User{})`; without such a
    /// call, those that embed the mapper's model.
    fn read_migrated(&self) {
        let Some(rule) = self.framework.of("table-migrated").next() else {
            return;
        };
        let mut types: BTreeSet<SymbolId> = BTreeSet::new();
        for name in &rule.words {
            for site in self.places.calls(self.framework.family, name) {
                types.extend(
                    site.arguments
                        .iter()
                        .flat_map(|argument| self.made_types(&site, *argument, 0)),
                );
            }
        }
        if types.is_empty() {
            for view in self
                .places
                .mentioning(self.framework.family, rule.option("module").unwrap_or(""))
            {
                for supertype in &view.facts.supertypes {
                    if rule
                        .list("embeds")
                        .contains(&type_text(&view, supertype.ty).as_str())
                    {
                        types.insert(SymbolId {
                            file: view.id,
                            index: supertype.symbol,
                        });
                    }
                }
            }
        }
        let is_single = rule.list("single").iter().any(|name| {
            self.places
                .mentioning(self.framework.family, name)
                .iter()
                .any(|view| {
                    self.places.text(view.id).is_some_and(|text| {
                        text.replace(' ', "").contains(&format!("{name}:true"))
                            || text.contains(&format!("{name}(true)"))
                    })
                })
        });
        for class in types {
            let Some((view, declared)) = self.places.resolver.symbol(class) else {
                continue;
            };
            let name = view.name_of(class.index);
            let (table, source, certainty) = match self.named_by_method(rule, &view, name) {
                Some(table) => (table, "TableName", Certainty::Declared),
                None if is_single => (inflection::snake(name), "convention", Certainty::Pattern),
                None => (by_convention(rule, name), "convention", Certainty::Pattern),
            };
            self.add(
                table,
                None,
                source,
                class,
                Some(class),
                view.id,
                declared.name_span,
                certainty,
            );
        }
    }

    fn made_types(&self, site: &CallSite, recipe: RecipeId, depth: u32) -> Vec<SymbolId> {
        if depth > 6 {
            return Vec::new();
        }
        let view = &site.view;
        match view.facts.recipe(recipe) {
            Recipe::Reference(inner) | Recipe::Spread(inner) => {
                self.made_types(site, inner, depth + 1)
            }
            Recipe::New(ty, list) => {
                match type_symbol(self.places, view, ty, site.reference.span) {
                    Some(symbol) => vec![symbol],
                    None => view
                        .facts
                        .list(list)
                        .iter()
                        .flat_map(|item| self.made_types(site, *item, depth + 1))
                        .collect(),
                }
            }
            Recipe::List(list) => view
                .facts
                .list(list)
                .iter()
                .flat_map(|item| self.made_types(site, *item, depth + 1))
                .collect(),
            Recipe::Call(_, list) => match view.facts.list(list).first() {
                // `new(User)`.
                Some(first) => self.made_types(site, *first, depth + 1),
                None => Vec::new(),
            },
            Recipe::Type(ty) => type_symbol(self.places, view, ty, site.reference.span)
                .into_iter()
                .collect(),
            Recipe::Name(_) | Recipe::Member(..) => {
                match self.places.meaning(site.spot(), recipe) {
                    Some(Found::Symbol(symbol))
                        if self
                            .places
                            .resolver
                            .symbol(symbol)
                            .is_some_and(|(_, declared)| declared.kind.is_type()) =>
                    {
                        vec![symbol]
                    }
                    Some(Found::Binding(file, id)) if file == view.id => {
                        let value = view.facts.bindings[id.0 as usize].value;
                        if value.is_known() {
                            self.made_types(site, value, depth + 1)
                        } else {
                            Vec::new()
                        }
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// `func (User) TableName() string { return "people" }`.
    fn named_by_method(&self, rule: &Rule, of: &FileView, class: &str) -> Option<String> {
        let method = rule.option("method")?;
        let directory = self
            .places
            .resolver
            .snapshot()
            .file(of.id)
            .path
            .directory()
            .to_owned();
        for view in self.places.mentioning(self.framework.family, method) {
            if self
                .places
                .resolver
                .snapshot()
                .file(view.id)
                .path
                .directory()
                != directory
            {
                continue;
            }
            let Some(id) = view.facts.names.find(method) else {
                continue;
            };
            for index in view.symbols_named(id) {
                let declared = view.symbol(index);
                if type_name(&view, declared.owner) != Some(class) {
                    continue;
                }
                let text = self.places.text(view.id)?;
                let body = text.get(declared.name_span.end as usize..declared.span.end as usize)?;
                let returned = body.split("return").nth(1)?.trim();
                if let Some(quoted) = returned
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next())
                {
                    return Some(quoted.to_owned());
                }
                let name = view.facts.names.find(
                    returned
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()?,
                )?;
                let symbol = view.symbols_named(name).next()?;
                let values = view.facts.values(view.symbol(symbol)).to_vec();
                let known = values.iter().find_map(|value| {
                    self.places.string(
                        Spot {
                            view: &view,
                            scope: value.scope,
                            at: value.at,
                        },
                        value.recipe,
                    )
                });
                return known.map(|known| known.text);
            }
        }
        None
    }

    /// `Table("orders", metadata, ...)`.
    fn read_calls(&self) {
        for (rule, site) in self.places.sites(self.framework, "table-call-named") {
            let known = rule
                .option("name")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
                .and_then(|name| self.places.string(site.spot(), name));
            let wanted = rule.list("on");
            let receiver = site
                .reference
                .receiver
                .map(|receiver| crate::text::recipe(&site.view.facts, receiver));
            let is_on = wanted.is_empty()
                || receiver.is_some_and(|receiver| wanted.contains(&receiver.as_str()));
            let Some(known) = known.filter(|_| site.arguments.len() >= 2 && is_on) else {
                continue;
            };
            self.places.add(fact_at(
                &site,
                known.text,
                rule.name(),
                self.places.certainty(known.is_whole, true),
            ));
        }
    }

    /// `table! { users (id) { ... } }`.
    fn read_macros(&self) {
        for rule in self.framework.of("table-macro") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                let Some(text) = self.places.text(view.id) else {
                    continue;
                };
                let opening = format!("{}!", rule.name());
                for (at, _) in text.match_indices(opening.as_str()) {
                    let Some(body) = text[at + opening.len()..]
                        .trim_start()
                        .strip_prefix(['{', '('])
                    else {
                        continue;
                    };
                    let lines = body.lines().map(str::trim).filter(|line| {
                        !line.is_empty()
                            && !["use ", "#", "//"]
                                .iter()
                                .any(|word| line.starts_with(word))
                    });
                    let Some(named) = lines
                        .into_iter()
                        .next()
                        .and_then(|line| line.split(['(', '{']).next())
                        .map(str::trim)
                    else {
                        continue;
                    };
                    let (schema, table) = named
                        .rsplit_once('.')
                        .map_or((None, named), |(schema, table)| {
                            (Some(schema.to_owned()), table)
                        });
                    if table.is_empty() || !table.chars().all(|c| c.is_alphanumeric() || c == '_') {
                        continue;
                    }
                    self.places.add(ArchitectureFact {
                        kind: ArchitectureKind::DbTable,
                        framework: "",
                        value: table.to_owned(),
                        detail: opening.clone(),
                        schema,
                        symbol: None,
                        other: None,
                        file: view.id,
                        span: Span::new(at as u32, at as u32 + opening.len() as u32),
                        certainty: Certainty::Declared,
                    });
                }
            }
        }
    }

    /// Models of a schema file: `model User { ... @@map("users") }`.
    fn read_files(&self) {
        let snapshot = self.places.resolver.snapshot();
        for rule in self.framework.of("table-file") {
            for (file, entry) in snapshot
                .files()
                .filter(|(_, entry)| entry.path.as_str().ends_with(rule.name()))
            {
                let Some(text) = snapshot.corpus().text(entry.content) else {
                    continue;
                };
                let mut open: Option<(String, u32)> = None;
                let mut offset = 0;
                for line in text.split_inclusive('\n') {
                    let trimmed = line.trim();
                    if let Some(rest) = trimmed.strip_prefix("model ") {
                        open = Some((rest.trim_end_matches('{').trim().to_owned(), offset));
                    } else if let Some(mapped) = trimmed.strip_prefix("@@map(") {
                        let name = mapped
                            .trim_start_matches("name:")
                            .trim()
                            .trim_matches(['"', ')', ' ']);
                        if let Some((table, _)) = &mut open {
                            *table = name.to_owned();
                        }
                    } else if trimmed == "}"
                        && let Some((table, start)) = open.take()
                    {
                        let span = Span::new(start, start + 1);
                        self.places.add(ArchitectureFact {
                            kind: ArchitectureKind::DbTable,
                            framework: "",
                            value: table,
                            detail: "schema".to_owned(),
                            schema: None,
                            symbol: None,
                            other: None,
                            file,
                            span,
                            certainty: Certainty::Declared,
                        });
                    }
                    offset += line.len() as u32;
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // One row of facts.
    fn add(
        &self,
        table: String,
        schema: Option<String>,
        source: &str,
        symbol: SymbolId,
        entity: Option<SymbolId>,
        file: FileId,
        span: Span,
        certainty: Certainty,
    ) {
        self.places.add(ArchitectureFact {
            kind: ArchitectureKind::DbTable,
            framework: "",
            value: table,
            detail: source.to_owned(),
            schema,
            symbol: Some(symbol),
            other: entity,
            file,
            span,
            certainty,
        });
    }
}

/// `T` of `DbSet<T>`, also where it may be absent.
fn applied(view: &FileView, ty: TypeId, head: &str) -> Option<TypeId> {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Apply(own, list) if type_name(view, own) == Some(head) => {
            view.facts.type_list(list).first().copied()
        }
        TypeRecipe::Optional(inner) => applied(view, inner, head),
        _ => None,
    }
}

/// What a mapper calls the table of a class that does not say.
fn by_convention(rule: &Rule, class: &str) -> String {
    match rule.option("default") {
        Some("snake") => inflection::snake(class),
        Some("plural") => inflection::plural(&inflection::snake(class)),
        Some("plural-lower") => inflection::plural(&class.to_lowercase()),
        Some("plural-as-is") => inflection::plural(class),
        Some("lower") => class.to_lowercase(),
        _ => class.to_owned(),
    }
}

fn own(entity: &Entity) -> Option<SymbolId> {
    match entity {
        Entity::Own(symbol) => Some(*symbol),
        Entity::Library(_) => None,
    }
}

/// A type and what it holds: `Order` of `Order?`, `ICollection<Order>`.
fn item_types(view: &FileView, ty: TypeId) -> impl Iterator<Item = TypeId> {
    const HOLDERS: &[&str] = &[
        "ICollection",
        "IList",
        "List",
        "IEnumerable",
        "HashSet",
        "ISet",
        "IReadOnlyCollection",
        "IReadOnlyList",
        "Collection",
        "ObservableCollection",
    ];
    let mut found = Vec::new();
    match view.facts.type_recipe(ty) {
        TypeRecipe::Optional(inner) => {
            return item_types(view, inner).collect::<Vec<_>>().into_iter();
        }
        TypeRecipe::Apply(head, list)
            if type_name(view, head).is_some_and(|name| HOLDERS.contains(&name)) =>
        {
            found.extend(view.facts.type_list(list).iter().copied());
        }
        TypeRecipe::Name(_) | TypeRecipe::Scoped(..) => found.push(ty),
        _ => {}
    }
    found.into_iter()
}

/// `public decimal Total => ...` is worked out, not stored. A collection behind a private list is
/// stored.
fn is_computed(places: &Places<'_>, view: &FileView, property: &facts::Symbol) -> bool {
    let text = places.text(view.id);
    let body = text
        .as_deref()
        .and_then(|text| text.get(property.name_span.end as usize..property.span.end as usize));
    body.is_some_and(|body| {
        body.trim_start().starts_with("=>")
            && !body.contains("AsReadOnly")
            && !body.trim_start()[2..].trim_start().starts_with('_')
    })
}

/// A type as it is written, without its arguments: `models.Model`, `ActiveRecord::Base`.
fn type_text(view: &FileView, ty: TypeId) -> String {
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

pub fn fact_at(
    site: &CallSite,
    table: String,
    source: &str,
    certainty: Certainty,
) -> ArchitectureFact {
    ArchitectureFact {
        kind: ArchitectureKind::DbTable,
        framework: "",
        value: table,
        detail: source.to_owned(),
        schema: None,
        symbol: site.enclosing(),
        other: None,
        file: site.file(),
        span: site.reference.span,
        certainty,
    }
}
