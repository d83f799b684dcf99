//! Entity Framework Core: sets of a context, entities that the model's configuration names, and
//! what these lead to.

mod naming;

use std::collections::{BTreeMap, BTreeSet};

use facts::{
    Modifiers, Recipe, RecipeId, Span, Symbol, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use super::*;
use crate::{
    FileView, Found, Place, SymbolId,
    query::architecture::{
        ArchitectureFact, Certainty, Scan, projects,
        scan::{CallSite, applied, symbol_in, type_name},
        tables::{base_classes, child_named},
    },
};

use naming::{Conventions, NamedEntity};

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
/// A context that brings tables, which are those of the program's own classes where its type
/// arguments are some.
const IDENTITY: &str = "IdentityDbContext";
/// The table of each type argument; the third is the type of keys.
const IDENTITY_TABLES: &[&str] = &[
    "AspNetUsers",
    "AspNetRoles",
    "",
    "AspNetUserClaims",
    "AspNetUserRoles",
    "AspNetUserLogins",
    "AspNetRoleClaims",
    "AspNetUserTokens",
];
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
/// Those of them that are rows of their own, and those that may be.
const OWNED_ROWS: &str = "OwnsMany";
/// What keeps owned objects inside the row of their owner.
const TO_JSON: &str = "ToJson";
/// Calls and annotations that leave a class or a property out of the model.
const IGNORE: &str = "Ignore";
const NOT_MAPPED: &str = "NotMapped";
/// Derived classes have tables of their own.
const SPLIT: &[&str] = &["UseTptMappingStrategy", "UseTpcMappingStrategy"];
/// Calls that ask for the classes below another.
const SUBCLASSES: &[&str] = &[
    "IsSubclassOf",
    "IsAssignableFrom",
    "IsAssignableTo",
    "Contains",
];

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

/// What the model leaves out.
#[derive(Default)]
struct LeftOut {
    classes: BTreeSet<SymbolId>,
    properties: BTreeSet<(SymbolId, String)>,
}

impl Model<'_> {
    /// Sets of a context, named by what the model says of their entity.
    fn read(&self) {
        let named = self.named_by_calls();
        let sets = self.sets();
        let (owned, ignored) = (self.owned(), self.ignored());
        let mut entities: BTreeSet<Entity> = sets.keys().chain(named.keys()).cloned().collect();
        let configured = self.configured_entities().into_iter();
        let annotated = self.annotated_entities().into_iter();
        let found = configured
            .chain(annotated)
            .chain(self.registered_entities())
            .chain(self.owned_rows());
        entities.extend(found.map(Entity::Own));
        let unused = projects::unused(self.scan);
        let is_left_out = |class: &SymbolId| {
            ignored.classes.contains(class)
                || unused.contains(&class.file)
                || self.is_unmapped(*class)
        };
        entities.retain(|entity| !entity.own().is_some_and(|own| is_left_out(&own)));
        let mut reached: Vec<SymbolId> = entities.iter().filter_map(Entity::own).collect();
        // What entities lead to is part of the model as well.
        while let Some(entity) = reached.pop() {
            for next in self.navigations(entity, &ignored) {
                if !owned.contains(&next)
                    && !is_left_out(&next)
                    && !entities.contains(&Entity::Own(next))
                    && self.has_key(next, 0)
                {
                    entities.insert(Entity::Own(next));
                    reached.push(next);
                }
            }
        }
        let (split, rows) = (self.split_roots(), self.owned_rows());
        let conventions = Conventions::read(self.scan);
        let identity = self.read_identity(&named, &conventions);
        for entity in &entities {
            let (own, set) = (entity.own(), sets.get(entity).copied());
            if own.is_some_and(|own| identity.contains(&own)) {
                continue;
            }
            let annotated = own.and_then(|own| self.annotated_table(own));
            let is_part = || {
                own.is_some_and(|own| {
                    self.derives_from(own, &entities, &split)
                        || owned.contains(&own) && !rows.contains(&own)
                })
            };
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
            let table = self.conventional(
                &conventions,
                own,
                &table,
                matches!(source, TO_TABLE | "[Table]"),
            );
            let symbol = set.or(own);
            if let Some((view, declared)) = symbol.and_then(|id| self.scan.resolver.symbol(id)) {
                let fact = ArchitectureFact::table(source, table, view.id, declared.name_span);
                let fact = fact.of(symbol).with_other(own).in_schema(schema);
                self.scan.add(fact.certain(certainty));
            }
        }
    }

    /// A table after the conventions for all entities.
    fn conventional(
        &self,
        conventions: &Conventions,
        class: Option<SymbolId>,
        table: &str,
        is_explicit: bool,
    ) -> String {
        let found = class.and_then(|class| self.scan.resolver.symbol(class).zip(Some(class)));
        let (name, namespace) = match found {
            Some(((view, _), class)) => (
                view.name_of(class.index).to_owned(),
                view.namespace_of(class.index),
            ),
            None => (table.to_owned(), String::new()),
        };
        conventions.table(&NamedEntity {
            class: &name,
            namespace: &namespace,
            table,
            is_explicit,
        })
    }

    /// Classes that an annotation gives a table to, whether or not a set names them.
    fn annotated_entities(&self) -> Vec<SymbolId> {
        let annotated = self.scan.annotated("Table").into_iter();
        let classes = annotated.map(|(view, annotation, ..)| symbol_in(&view, annotation.symbol));
        classes.filter(|class| self.is_concrete(*class)).collect()
    }

    /// Entities that a loop over types registers: `foreach (var type in types.Where(type =>
    /// type.IsSubclassOf(typeof(Entity)))) model.Entity(type)`.
    fn registered_entities(&self) -> Vec<SymbolId> {
        let mut found = Vec::new();
        for site in self.scan.calls(ENTITY) {
            let is_variable = site.arguments.first().is_some_and(|argument| {
                matches!(site.view.facts.recipe(*argument), Recipe::Name(_))
            });
            if !is_variable || site.first_type_argument().is_some() {
                continue;
            }
            let asked = SUBCLASSES.iter().flat_map(|name| self.scan.calls(name));
            let asked = asked.filter(|asked| {
                asked.view.id == site.view.id
                    && asked.reference.enclosing == site.reference.enclosing
            });
            for asked in asked {
                let types = asked
                    .arguments
                    .iter()
                    .copied()
                    .chain(asked.reference.receiver);
                let types = types.filter_map(|recipe| match asked.view.facts.recipe(recipe) {
                    Recipe::Type(ty) => {
                        self.scan.type_symbol(&asked.view, ty, asked.reference.span)
                    }
                    _ => None,
                });
                for base in types {
                    let derived = self.scan.derived(BTreeSet::from([base])).into_iter();
                    found.extend(derived.filter(|class| self.is_concrete(*class)));
                }
            }
        }
        found
    }

    /// Classes and properties that the model leaves out: `Ignore<Draft>()`, `Ignore(order =>
    /// order.Draft)`.
    fn ignored(&self) -> LeftOut {
        let mut ignored = LeftOut::default();
        for site in self.scan.calls(IGNORE) {
            let named = site.first_type_argument().or_else(|| {
                match site.view.facts.recipe(*site.arguments.first()?) {
                    Recipe::Type(ty) => Some(ty),
                    _ => None,
                }
            });
            if let Some(ty) = named {
                let class = self.scan.type_symbol(&site.view, ty, site.reference.span);
                ignored.classes.extend(class);
            } else if let Some(owner) = site
                .reference
                .receiver
                .and_then(|receiver| self.entity(&site, receiver, 0)?.own())
                && let Some(property) = self.property_of(&site.view, &site.arguments)
            {
                ignored.properties.insert((owner, property));
            }
        }
        ignored
    }

    fn is_unmapped(&self, class: SymbolId) -> bool {
        let view = self.scan.resolver.view(class.file);
        view.is_some_and(|view| self.scan.has_annotation(&view, class.index, NOT_MAPPED))
    }

    /// Roots whose derived classes have tables of their own.
    fn split_roots(&self) -> BTreeSet<SymbolId> {
        let sites = SPLIT.iter().flat_map(|name| self.scan.calls(name));
        sites
            .filter_map(|site| self.entity(&site, site.reference.receiver?, 0)?.own())
            .collect()
    }

    /// Owned classes that are rows of a table of their own: collections that are not kept as JSON.
    fn owned_rows(&self) -> BTreeSet<SymbolId> {
        let mut rows = BTreeSet::new();
        for site in self.scan.calls(OWNED_ROWS) {
            rows.extend(
                site.reference
                    .call
                    .and_then(|call| self.owned_class(&site, call, 0)),
            );
        }
        for site in self.scan.calls(TO_JSON) {
            let receiver = site.reference.receiver;
            if let Some(class) =
                receiver.and_then(|receiver| self.entity(&site, receiver, 0)?.own())
            {
                rows.remove(&class);
            }
        }
        rows
    }

    /// The class of `OwnsMany(order => order.Lines)` and of `OwnsOne<Address>("Address")`.
    fn owned_class(&self, site: &CallSite, call: RecipeId, depth: u32) -> Option<SymbolId> {
        let view = &site.view;
        let Recipe::Call(callee, list) = view.facts.recipe(call) else {
            return None;
        };
        let mut callee = callee;
        if let Recipe::TypeArguments(inner, types) = view.facts.recipe(callee) {
            if let [ty] = view.facts.type_list(types) {
                return self.scan.type_symbol(view, *ty, site.reference.span);
            }
            callee = inner;
        }
        let Recipe::Member(receiver, _) = view.facts.recipe(callee) else {
            return None;
        };
        let owner = self.entity(site, receiver, depth + 1)?.own()?;
        let property = self.property_of(view, view.facts.list(list))?;
        self.property_type(owner, &property, 0)
    }

    /// `Lines` of `order => order.Lines`.
    fn property_of(&self, view: &FileView, arguments: &[RecipeId]) -> Option<String> {
        let Recipe::Lambda(_, list) = view.facts.recipe(*arguments.first()?) else {
            return None;
        };
        let value = view.facts.list(list).first()?;
        self.scan.last_name(view, *value).map(str::to_owned)
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
                let item = applied(&view, symbol.ty, SET)
                    .filter(|item| !is_type_parameter(&view, symbol, *item));
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
        // `OrderConfiguration : BaseConfiguration<Order>`, whose base is a configuration.
        let mut heads = vec![(CONFIGURATION.to_owned(), None)];
        let mut next = 0;
        while let Some((head, of)) = heads.get(next).cloned() {
            next += 1;
            for view in self.scan.mentioning(&head) {
                for supertype in &view.facts.supertypes {
                    let class = symbol_in(&view, supertype.symbol);
                    let Some(ty) = applied(&view, supertype.ty, &head) else {
                        continue;
                    };
                    if of.is_some_and(|of| !self.scan.bases(class).contains(&of)) {
                        continue;
                    }
                    let declared = view.symbol(supertype.symbol);
                    let is_generic = !view.facts.type_parameters(declared).is_empty();
                    if is_generic {
                        let known = (view.name_of(supertype.symbol).to_owned(), Some(class));
                        if !heads.contains(&known) {
                            heads.push(known);
                        }
                    }
                    found.extend(self.scan.type_symbol(&view, ty, declared.span));
                }
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

    fn derives_from(
        &self,
        class: SymbolId,
        entities: &BTreeSet<Entity>,
        split: &BTreeSet<SymbolId>,
    ) -> bool {
        let is_class = |base| self.scan.resolver.kind(base) == Some(SymbolKind::Class);
        let mut next = base_classes(self.scan, class);
        for _ in 0..8 {
            let Some(base) = next.pop() else { return false };
            if split.contains(&base) {
                return false;
            }
            if entities.contains(&Entity::Own(base)) && is_class(base) {
                return true;
            }
            next.extend(base_classes(self.scan, base));
        }
        false
    }

    /// Classes that the properties of an entity lead to.
    fn navigations(&self, entity: SymbolId, ignored: &LeftOut) -> Vec<SymbolId> {
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
                let name = view.name_of(index).to_owned();
                if self.scan.has_annotation(&view, index, NOT_MAPPED)
                    || ignored.properties.contains(&(entity, name))
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

    /// A context that brings tables of its own: ASP.NET Identity's, where the repository has its own
    /// user or role class. The classes whose tables these are.
    fn read_identity(
        &self,
        named: &BTreeMap<Entity, TableName>,
        conventions: &Conventions,
    ) -> BTreeSet<SymbolId> {
        let mut found = BTreeSet::new();
        for view in self.scan.mentioning(IDENTITY) {
            for supertype in &view.facts.supertypes {
                let symbol = view.symbol(supertype.symbol);
                let TypeRecipe::Apply(head, list) = view.facts.type_recipe(supertype.ty) else {
                    continue;
                };
                if type_name(&view, head) != Some(IDENTITY) {
                    continue;
                }
                let types = view.facts.type_list(list).iter();
                for (ty, table) in types.zip(IDENTITY_TABLES) {
                    let own = self.scan.type_symbol(&view, *ty, symbol.span);
                    let own = own.filter(|own| !named.contains_key(&Entity::Own(*own)));
                    let Some(own) = own.filter(|own| !table.is_empty() && found.insert(*own))
                    else {
                        continue;
                    };
                    let table = self.conventional(conventions, Some(own), table, true);
                    let fact = ArchitectureFact::table(IDENTITY, table, view.id, symbol.name_span)
                        .of(Some(symbol_in(&view, supertype.symbol)))
                        .with_other(Some(own));
                    self.scan.add(fact.certain(Certainty::Pattern));
                }
            }
        }
        found
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
            if naming::is_of_every_entity(self.scan, &site) {
                continue;
            }
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
                    return self.owned_class(site, recipe, depth).map(Entity::Own);
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

/// Whether a type is a parameter of the class that a property belongs to: `DbSet<T>`.
fn is_type_parameter(view: &FileView, property: &Symbol, ty: TypeId) -> bool {
    let Some(class) = property.parent else {
        return false;
    };
    let mut parameters = view.facts.type_parameters(view.symbol(class)).iter();
    parameters.any(|parameter| type_name(view, ty) == Some(view.facts.name(parameter.name)))
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
