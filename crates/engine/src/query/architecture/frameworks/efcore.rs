//! Entity Framework Core: sets of a context, entities that the model's configuration names, and
//! what these lead to.

use std::collections::{BTreeMap, BTreeSet};

use facts::{
    Modifiers, Recipe, RecipeId, Span, Symbol, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use super::*;
use crate::{
    FileView, Found, Place, SymbolId,
    query::architecture::{
        ArchitectureFact, Certainty, Scan,
        scan::{CallSite, applied, symbol_in, type_name},
        tables::{base_classes, child_named},
    },
};

pub const EFCORE: Framework = Framework {
    modules: &["Microsoft.EntityFrameworkCore"],
    packages: &["Microsoft.EntityFrameworkCore"],
    sql: &[sql(
        &[
            "ExecuteSqlRaw",
            "ExecuteSqlRawAsync",
            "ExecuteSqlInterpolated",
            "ExecuteSqlInterpolatedAsync",
            "ExecuteSql",
            "ExecuteSqlAsync",
            "FromSqlRaw",
            "FromSqlInterpolated",
            "FromSql",
            "SqlQuery",
            "SqlQueryRaw",
        ],
        &[0, 1],
    )],
    read: &[read_sets],
    ..Framework::new("efcore", Family::DotNet)
};

const SET: &str = "DbSet";
/// `Entity<Order>()` configures an entity.
const ENTITY: &str = "Entity";
const CONFIGURATION: &str = "IEntityTypeConfiguration";
const BUILDER: &str = "EntityTypeBuilder";
const TO_TABLE: &str = "ToTable";
/// Calls that say that an entity has no table.
const WITHOUT_TABLE: &[&str] = &["HasNoKey", "ToView"];
/// Calls and annotations of classes that live inside the row of another.
const OWNED: &[&str] = &[
    "OwnsOne",
    "OwnsMany",
    "Owned",
    "ComplexType",
    "ComplexProperty",
];
/// A context that brings a table for the program's own user class.
const IDENTITY: (&str, &str) = ("IdentityDbContext", "AspNetUsers");
/// Collections that a property may hold entities in.
const COLLECTIONS: &[&str] = &[
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
const MAX_DEPTH: u32 = 16;

/// What a mapping is about: a class of this repository, or a library's by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entity {
    Own(SymbolId),
    Library(String),
}

impl Entity {
    fn own(&self) -> Option<SymbolId> {
        match self {
            Entity::Own(symbol) => Some(*symbol),
            Entity::Library(_) => None,
        }
    }
}

/// The name of a table, and its schema.
type TableName = (String, Option<String>);

fn read_sets(scan: &Scan<'_>) {
    Model { scan }.read();
}

struct Model<'a> {
    scan: &'a Scan<'a>,
}

impl Model<'_> {
    /// Sets of a context, named by what the model says of their entity.
    fn read(&self) {
        let named = self.named_by_calls();
        let sets = self.sets();
        let owned = self.owned();
        let mut entities: BTreeSet<Entity> = sets.keys().chain(named.keys()).cloned().collect();
        entities.extend(self.configured_entities().into_iter().map(Entity::Own));
        let mut reached: Vec<SymbolId> = entities.iter().filter_map(Entity::own).collect();
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
            let (own, set) = (entity.own(), sets.get(entity).copied());
            let annotated = own.and_then(|own| self.annotated_table(own));
            let is_part =
                || own.is_some_and(|own| self.derives_from(own, &entities) || owned.contains(&own));
            let ((table, schema), source, certainty) = match (named.get(entity).cloned(), annotated)
            {
                (Some(table), _) => (table, TO_TABLE, Certainty::Declared),
                (None, Some(table)) => (table, "[Table]", Certainty::Declared),
                // Derived classes share the table of the root.
                (None, None) if is_part() => continue,
                (None, None) => match (set, own) {
                    (Some(set), _) => (
                        (self.scan.resolver.name(set), None),
                        SET,
                        Certainty::Declared,
                    ),
                    (None, Some(own)) => (
                        (self.scan.resolver.name(own), None),
                        "convention",
                        Certainty::Pattern,
                    ),
                    (None, None) => continue,
                },
            };
            let symbol = set.or(own);
            if let Some((view, declared)) = symbol.and_then(|id| self.scan.resolver.symbol(id)) {
                let fact = ArchitectureFact::table(source, table, view.id, declared.name_span);
                let fact = fact.of(symbol).with_other(own).in_schema(schema);
                self.scan.add(fact.certain(certainty));
            }
        }
        self.read_identity(&named);
    }

    /// Properties that are the set of an entity's rows.
    fn sets(&self) -> BTreeMap<Entity, SymbolId> {
        let mut sets: BTreeMap<Entity, SymbolId> = BTreeMap::new();
        for view in self.scan.mentioning(SET) {
            for (index, symbol) in view
                .facts
                .symbols_with_index()
                .filter(|(_, symbol)| symbol.kind == SymbolKind::Property)
            {
                let item = applied(&view, symbol.ty, SET);
                if let Some(entity) = item.and_then(|item| self.entity_of(&view, item, symbol.span))
                {
                    sets.entry(entity).or_insert(symbol_in(&view, index));
                }
            }
        }
        sets
    }

    fn entity_of(&self, view: &FileView, ty: TypeId, near: Span) -> Option<Entity> {
        match self.scan.type_symbol(view, ty, near) {
            Some(symbol) => Some(Entity::Own(symbol)),
            None => type_name(view, ty).map(|name| Entity::Library(name.to_owned())),
        }
    }

    /// Entities that the model's configuration names without a table: `Entity<Order>()`,
    /// `IEntityTypeConfiguration<Order>`.
    fn configured_entities(&self) -> Vec<SymbolId> {
        let mut found = Vec::new();
        for site in self.scan.calls(ENTITY) {
            let ty = site.first_type_argument();
            found.extend(
                ty.and_then(|ty| self.scan.type_symbol(&site.view, ty, site.reference.span)),
            );
        }
        for view in self.scan.mentioning(CONFIGURATION) {
            for supertype in &view.facts.supertypes {
                let near = view.symbol(supertype.symbol).span;
                found.extend(
                    applied(&view, supertype.ty, CONFIGURATION)
                        .and_then(|ty| self.scan.type_symbol(&view, ty, near)),
                );
            }
        }
        let unmapped: BTreeSet<SymbolId> = WITHOUT_TABLE
            .iter()
            .flat_map(|name| self.scan.calls(name))
            .filter_map(|site| self.entity(&site, site.reference.receiver?, 0)?.own())
            .collect();
        found.retain(|entity| !unmapped.contains(entity) && self.is_concrete(*entity));
        found
    }

    fn is_concrete(&self, class: SymbolId) -> bool {
        let symbol = self.scan.resolver.symbol(class);
        symbol.is_some_and(|(_, declared)| match declared.kind {
            SymbolKind::Class => !declared.modifiers.contains(Modifiers::ABSTRACT),
            kind => kind == SymbolKind::Record,
        })
    }

    /// Classes that live inside the row of another: `OwnsOne(order => order.Address)`, `[Owned]`,
    /// `[ComplexType]`.
    fn owned(&self) -> BTreeSet<SymbolId> {
        let mut owned = BTreeSet::new();
        for name in OWNED {
            let annotated = self.scan.annotated(name).into_iter();
            owned.extend(
                annotated.map(|(view, annotation, ..)| symbol_in(&view, annotation.symbol)),
            );
            for site in self.scan.calls(name) {
                let facts = &site.view.facts;
                let property = match site.arguments.first().map(|first| facts.recipe(*first)) {
                    Some(Recipe::Lambda(_, list)) => facts
                        .list(list)
                        .first()
                        .and_then(|value| self.scan.last_name(&site.view, *value)),
                    _ => None,
                };
                let receiver = site.reference.receiver;
                let entity = receiver
                    .and_then(|receiver| self.entity(&site, receiver, 0))
                    .and_then(|entity| entity.own());
                owned.extend(
                    entity
                        .zip(property)
                        .and_then(|(entity, property)| self.property_type(entity, property, 0)),
                );
                owned.extend(
                    site.first_type_argument()
                        .and_then(|ty| self.scan.type_symbol(&site.view, ty, site.reference.span)),
                );
            }
        }
        owned
    }

    fn property_type(&self, class: SymbolId, property: &str, depth: u32) -> Option<SymbolId> {
        let view = self.scan.resolver.view(class.file)?;
        if let Some(index) = child_named(&view, class.index, property) {
            let declared = view.symbol(index);
            return item_types(&view, declared.ty)
                .into_iter()
                .find_map(|ty| self.scan.type_symbol(&view, ty, declared.span));
        }
        base_classes(self.scan, class)
            .into_iter()
            .filter(|_| depth < 8)
            .find_map(|base| self.property_type(base, property, depth + 1))
    }

    fn derives_from(&self, class: SymbolId, entities: &BTreeSet<Entity>) -> bool {
        let is_class = |base| self.scan.resolver.kind(base) == Some(SymbolKind::Class);
        let mut next = base_classes(self.scan, class);
        for _ in 0..8 {
            let Some(base) = next.pop() else { return false };
            if entities.contains(&Entity::Own(base)) && is_class(base) {
                return true;
            }
            next.extend(base_classes(self.scan, base));
        }
        false
    }

    /// Classes that the properties of an entity lead to.
    fn navigations(&self, entity: SymbolId) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let mut classes = vec![entity];
        for _ in 0..8 {
            let Some(class) = classes.pop() else { break };
            let Some(view) = self.scan.resolver.view(class.file) else {
                continue;
            };
            for index in view
                .children(Some(class.index))
                .filter(|index| view.symbol(*index).kind == SymbolKind::Property)
            {
                let declared = view.symbol(index);
                if self.scan.has_annotation(&view, index, "NotMapped")
                    || declared.modifiers.contains(Modifiers::STATIC)
                    || self.is_computed(&view, declared)
                {
                    continue;
                }
                let types = item_types(&view, declared.ty)
                    .into_iter()
                    .filter_map(|ty| self.scan.type_symbol(&view, ty, declared.span));
                found.extend(types.filter(|class| self.is_concrete(*class)));
            }
            classes.extend(base_classes(self.scan, class));
        }
        found
    }

    /// `public decimal Total => ...` is computed, not stored. A collection behind a private list is
    /// stored.
    fn is_computed(&self, view: &FileView, property: &Symbol) -> bool {
        let facts = &view.facts;
        let has_accessors = (facts.scopes.iter()).any(|scope| Some(scope.parent) == property.body);
        let mut values = facts.values(property).iter();
        !has_accessors && values.any(|value| !is_behind_field(view, value.recipe))
    }

    /// Whether a class can be a row: it has `Id`, `OrderId` or a property marked as key.
    fn has_key(&self, class: SymbolId, depth: u32) -> bool {
        let Some(view) = self.scan.resolver.view(class.file) else {
            return false;
        };
        let name = view.name_of(class.index);
        let is_key = |index: SymbolIndex| {
            let own = view.name_of(index);
            own.eq_ignore_ascii_case("id")
                || own.eq_ignore_ascii_case(&format!("{name}id"))
                || self.scan.has_annotation(&view, index, "Key")
        };
        view.children(Some(class.index)).any(is_key)
            || depth < 8
                && base_classes(self.scan, class)
                    .into_iter()
                    .any(|base| self.has_key(base, depth + 1))
    }

    /// A context that brings tables of its own: ASP.NET Identity's users, where the repository has
    /// its own user class.
    fn read_identity(&self, named: &BTreeMap<Entity, TableName>) {
        let (base, table) = IDENTITY;
        for view in self.scan.mentioning(base) {
            for supertype in &view.facts.supertypes {
                let symbol = view.symbol(supertype.symbol);
                let TypeRecipe::Apply(head, list) = view.facts.type_recipe(supertype.ty) else {
                    continue;
                };
                let user = view.facts.type_list(list).first();
                let user = user.and_then(|user| self.scan.type_symbol(&view, *user, symbol.span));
                let Some(user) = user.filter(|_| type_name(&view, head) == Some(base)) else {
                    continue;
                };
                if !named.contains_key(&Entity::Own(user)) {
                    let fact = ArchitectureFact::table(base, table, view.id, symbol.name_span)
                        .of(Some(symbol_in(&view, supertype.symbol)))
                        .with_other(Some(user));
                    self.scan.add(fact.certain(Certainty::Pattern));
                }
            }
        }
    }

    /// `[Table("orders", Schema = "shop")]`.
    fn annotated_table(&self, entity: SymbolId) -> Option<TableName> {
        let view = self.scan.resolver.view(entity.file)?;
        let annotations = self.scan.annotations_of(&view, entity.index, "Table");
        let arguments = annotations.first()?;
        let place = Place::in_file(&view, view.symbol(entity.index).span.start);
        let text = |slots| {
            let argument = self.scan.argument(&view, arguments, slots)?;
            Some(self.scan.string(place, argument)?.text)
        };
        let table = text(&[At(0), Named("name")])?;
        Some((table, text(&[Named("Schema"), Named("schema")])))
    }

    /// Tables that calls give to entities: `Entity<Order>().ToTable("orders")`.
    fn named_by_calls(&self) -> BTreeMap<Entity, TableName> {
        let mut named = BTreeMap::new();
        for site in self.scan.calls(TO_TABLE) {
            let name = self.scan.site_argument(&site, &[At(0), Named("name")]);
            let Some(table) = name.and_then(|name| self.scan.string(site.place(), name)) else {
                let is_lambda = |name| matches!(site.view.facts.recipe(name), Recipe::Lambda(..));
                if name.is_some_and(|name| !is_lambda(name)) {
                    self.scan.not_understood(site.file(), site.reference.span);
                }
                continue;
            };
            let schema = self
                .scan
                .site_argument(&site, &[At(1), Named("schema")])
                .and_then(|schema| self.scan.string(site.place(), schema))
                .map(|known| known.text);
            let receiver = site.reference.receiver;
            if let Some(entity) = receiver.and_then(|receiver| self.entity(&site, receiver, 0)) {
                named.insert(entity, (table.text, schema));
            }
        }
        named
    }

    /// The entity that a builder expression is about.
    fn entity(&self, site: &CallSite, recipe: RecipeId, depth: u32) -> Option<Entity> {
        if depth > MAX_DEPTH {
            return None;
        }
        let view = &site.view;
        match view.facts.recipe(recipe) {
            Recipe::Call(callee, _) => {
                if let Recipe::TypeArguments(inner, types) = view.facts.recipe(callee)
                    && self.scan.last_name(view, inner) == Some(ENTITY)
                {
                    let ty = *view.facts.type_list(types).first()?;
                    return self.entity_of(view, ty, site.reference.span);
                }
                // What is owned has no table of its own unless it says so.
                let name = self.scan.last_name(view, callee);
                if name.is_some_and(|name| OWNED.contains(&name)) {
                    return None;
                }
                match view.facts.recipe(callee) {
                    Recipe::Member(inner, _) => self.entity(site, inner, depth + 1),
                    _ => None,
                }
            }
            Recipe::Name(_) => {
                let Found::Binding(file, id) = self.scan.meaning(site.place(), recipe)? else {
                    return None;
                };
                if file != view.id {
                    return None;
                }
                let binding = &view.facts.bindings[id.0 as usize];
                if let Some(entity) = applied(view, binding.ty, BUILDER) {
                    return self.entity_of(view, entity, binding.name_span);
                }
                // `Entity<Order>(order => order.ToTable("orders"))`.
                if let Some(context) = view.facts.scope(binding.scope).context {
                    return self.entity(site, context.call, depth + 1);
                }
                if !binding.value.is_known() {
                    return None;
                }
                self.entity(site, binding.value, depth + 1)
            }
            _ => None,
        }
    }
}

/// A type and what it holds: `Order` of `Order?`, `ICollection<Order>`.
fn item_types(view: &FileView, ty: TypeId) -> Vec<TypeId> {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Optional(inner) => item_types(view, inner),
        TypeRecipe::Apply(head, list)
            if type_name(view, head).is_some_and(|name| COLLECTIONS.contains(&name)) =>
        {
            view.facts.type_list(list).to_vec()
        }
        TypeRecipe::Name(_) | TypeRecipe::Scoped(..) => vec![ty],
        _ => Vec::new(),
    }
}

/// `_items`, `_items.Where(…)`, `items.AsReadOnly()`.
fn is_behind_field(view: &FileView, recipe: RecipeId) -> bool {
    let facts = &view.facts;
    match facts.recipe(recipe) {
        Recipe::Name(name) => facts.name(name).starts_with('_'),
        Recipe::Call(inner, _) => is_behind_field(view, inner),
        Recipe::Member(inner, name) => {
            facts.name(name) == "AsReadOnly" || is_behind_field(view, inner)
        }
        _ => false,
    }
}
