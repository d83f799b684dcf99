//! Database tables: sets and entities of object-relational mappers, by declaration or by convention.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Recipe, RecipeId, ScopeId, Span, SymbolIndex, SymbolKind, TypeId, TypeRecipe};

use super::{
    Certainty, SurfaceFact, SurfaceKind,
    config::type_symbol,
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
    reader.read_calls();
    reader.read_files();
}

struct Tables<'a> {
    places: &'a Places<'a>,
    framework: &'a Framework,
}

impl Tables<'_> {
    /// Sets of a context, named by what the model says of their entity.
    fn read_sets(&self) {
        let Some(set) = self.framework.of("table-set").next() else { return };
        let named = self.named_by_calls();
        let mut seen: BTreeSet<SymbolId> = BTreeSet::new();
        for view in self.places.mentioning(self.framework.family, set.name()) {
            for (index, symbol) in view.facts.symbols_with_index().filter(|(_, symbol)| symbol.kind == SymbolKind::Property) {
                let Some(item) = applied(&view, symbol.ty, set.name()) else { continue };
                let entity = type_symbol(self.places, &view, item, symbol.span);
                let annotated = entity.and_then(|entity| self.annotated_table(entity));
                let by_call = entity.and_then(|entity| named.get(&entity).cloned());
                let (table, schema, source) = match (by_call, annotated) {
                    (Some((table, schema)), _) => (table, schema, "ToTable"),
                    (None, Some((table, schema))) => (table, schema, "[Table]"),
                    (None, None) => (view.name_of(index).to_owned(), None, "DbSet"),
                };
                seen.extend(entity);
                self.add(table, schema, source, SymbolId { file: view.id, index }, entity, view.id, symbol.name_span, Certainty::Declared);
            }
        }
        for (entity, (table, schema)) in named.iter().filter(|(entity, _)| !seen.contains(entity)) {
            let Some((view, declared)) = self.places.resolver.symbol(*entity) else { continue };
            self.add(table.clone(), schema.clone(), "ToTable", *entity, Some(*entity), view.id, declared.name_span, Certainty::Declared);
        }
        self.read_bases();
    }

    /// A context that brings tables of its own: ASP.NET Identity's users, where the repository has its own user class.
    fn read_bases(&self) {
        for rule in self.framework.of("table-base") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                for supertype in &view.facts.supertypes {
                    let TypeRecipe::Apply(head, list) = view.facts.type_recipe(supertype.ty) else { continue };
                    if type_name(&view, head) != Some(rule.name()) {
                        continue;
                    }
                    let symbol = view.symbol(supertype.symbol);
                    let entity = view.facts.type_list(list).first().and_then(|user| type_symbol(self.places, &view, *user, symbol.span));
                    if let (Some(entity), Some(table)) = (entity, rule.option("table")) {
                        self.add(
                            table.to_owned(),
                            None,
                            rule.name(),
                            SymbolId { file: view.id, index: supertype.symbol },
                            Some(entity),
                            view.id,
                            symbol.name_span,
                            Certainty::Pattern,
                        );
                    }
                }
            }
        }
    }

    fn annotated_table(&self, entity: SymbolId) -> Option<(String, Option<String>)> {
        let view = self.places.resolver.view(entity.file)?;
        let rule = self.framework.of("table-annotation").next()?;
        let arguments = self.places.annotations_of(&view, entity.index, rule.name()).into_iter().next()?;
        let spot = Spot { view: &view, scope: ScopeId::FILE, at: view.symbol(entity.index).span.start };
        let table = self.places.string(spot, self.places.argument(&view, &arguments, "0|name")?)?;
        let schema = self.places.argument(&view, &arguments, "Schema|schema").and_then(|schema| self.places.string(spot, schema));
        Some((table.text, schema.map(|known| known.text)))
    }

    /// Tables that calls give to entities: `Entity<Order>().ToTable("orders")`.
    fn named_by_calls(&self) -> BTreeMap<SymbolId, (String, Option<String>)> {
        let mut named = BTreeMap::new();
        for (rule, site) in self.places.sites(self.framework, "table-call") {
            let argument = |key: &str| rule.option(key).and_then(|spec| self.places.argument(&site.view, &site.arguments, spec));
            let Some(table) = argument("name").and_then(|name| self.places.string(site.spot(), name)) else {
                if argument("name").is_some_and(|name| !matches!(site.view.facts.recipe(name), Recipe::Lambda(..))) {
                    self.places.not_understood(site.file(), site.reference.span);
                }
                continue;
            };
            let schema = argument("schema").and_then(|schema| self.places.string(site.spot(), schema)).map(|known| known.text);
            if let Some(entity) = site.reference.receiver.and_then(|receiver| self.entity(rule, &site, receiver, 0)) {
                named.insert(entity, (table.text, schema));
            }
        }
        named
    }

    /// The entity that a builder expression is about.
    fn entity(&self, rule: &Rule, site: &CallSite, recipe: RecipeId, depth: u32) -> Option<SymbolId> {
        if depth > 16 {
            return None;
        }
        let view = &site.view;
        match view.facts.recipe(recipe) {
            Recipe::Call(callee, _) => {
                if let Recipe::TypeArguments(inner, types) = view.facts.recipe(callee)
                    && self.places.last_name(view, inner) == rule.option("entity")
                {
                    return type_symbol(self.places, view, *view.facts.type_list(types).first()?, site.reference.span);
                }
                match view.facts.recipe(callee) {
                    Recipe::Member(inner, _) => self.entity(rule, site, inner, depth + 1),
                    _ => None,
                }
            }
            Recipe::Name(_) => {
                let Found::Binding(file, id) = self.places.meaning(site.spot(), recipe)? else { return None };
                if file != view.id {
                    return None;
                }
                let binding = &view.facts.bindings[id.0 as usize];
                if let Some(entity) = rule.option("builder").and_then(|builder| applied(view, binding.ty, builder)) {
                    return type_symbol(self.places, view, entity, binding.name_span);
                }
                // `Entity<Order>(order => order.ToTable("orders"))`.
                if let Some(context) = view.facts.scope(binding.scope).context {
                    return self.entity(rule, site, context.call, depth + 1);
                }
                binding.value.is_known().then(|| self.entity(rule, site, binding.value, depth + 1)).flatten()
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
            for (view, annotation, _, arguments) in self.places.annotated(self.framework.family, rule.name()) {
                let symbol = SymbolId { file: view.id, index: annotation.symbol };
                if !view.symbol(annotation.symbol).kind.is_type() || !seen.insert(symbol) {
                    continue;
                }
                let spot = Spot { view: &view, scope: ScopeId::FILE, at: annotation.span.start };
                let given = self.places.argument(&view, &arguments, rule.option("name").unwrap_or("0|name"));
                let object = arguments.first().and_then(|object| self.places.field(&view, *object, "name"));
                let known = object.or(given).and_then(|name| self.places.string(spot, name));
                let (table, certainty) = match known {
                    Some(Known { text, is_whole }) => (text, self.places.certainty(is_whole, true)),
                    None => (by_convention(rule, view.name_of(annotation.symbol)), Certainty::Pattern),
                };
                let source = format!("@{}", rule.name());
                self.add(table, None, &source, symbol, Some(symbol), view.id, view.symbol(annotation.symbol).name_span, certainty);
            }
        }
    }

    /// `__tablename__ = "orders"` inside a class.
    fn read_attributes(&self) {
        for rule in self.framework.of("table-attribute") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                let Some(name) = view.facts.names.find(rule.name()) else { continue };
                for index in view.symbols_named(name) {
                    let symbol = view.symbol(index);
                    let Some(class) = symbol.parent else { continue };
                    let known = view
                        .facts
                        .values(symbol)
                        .iter()
                        .find_map(|value| self.places.string(Spot { view: &view, scope: value.scope, at: value.at }, value.recipe));
                    let Some(known) = known else {
                        self.places.not_understood(view.id, symbol.name_span);
                        continue;
                    };
                    let entity = SymbolId { file: view.id, index: class };
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
        for rule in self.framework.of("table-class") {
            for view in self.places.mentioning(self.framework.family, rule.name()) {
                for supertype in &view.facts.supertypes {
                    let is_model = match view.facts.type_recipe(supertype.ty) {
                        TypeRecipe::Scoped(outer, name) => {
                            view.facts.name(name) == rule.name()
                                && rule.option("qualifier").is_none_or(|qualifier| type_name(&view, outer) == Some(qualifier))
                        }
                        _ => false,
                    };
                    if is_model {
                        self.read_model(rule, &view, supertype.symbol);
                    }
                }
            }
        }
    }

    /// A class that is a table by its base: named by an attribute, by its inner class, or by convention.
    fn read_model(&self, rule: &Rule, view: &FileView, class: SymbolIndex) {
        let names_itself = view
            .children(Some(class))
            .any(|index| self.framework.words("table-attribute").any(|attribute| attribute == view.name_of(index)));
        let is_abstract = view.children(Some(class)).any(|index| view.name_of(index) == "__abstract__");
        if names_itself || is_abstract {
            return;
        }
        let inner = rule.option("meta").and_then(|meta| view.children(Some(class)).find(|index| view.name_of(*index) == meta));
        let of_inner = |name: Option<&str>| view.children(inner).find(|index| inner.is_some() && Some(view.name_of(*index)) == name);
        if of_inner(rule.option("abstract")).is_some() {
            return;
        }
        let given = of_inner(rule.option("name")).and_then(|index| {
            let values = view.facts.values(view.symbol(index)).to_vec();
            values.iter().find_map(|value| self.places.string(Spot { view, scope: value.scope, at: value.at }, value.recipe))
        });
        let entity = SymbolId { file: view.id, index: class };
        let (table, source, certainty) = match given {
            Some(known) => (known.text, "db_table", self.places.certainty(known.is_whole, true)),
            None if rule.option("default") == Some("app") => {
                let path = self.places.resolver.snapshot().file(view.id).path.clone();
                let directory = path.directory().strip_suffix("/models").unwrap_or(path.directory());
                let app = directory.rsplit('/').next().unwrap_or("");
                (format!("{app}_{}", view.name_of(class).to_lowercase()), "convention", Certainty::Pattern)
            }
            None => (by_convention(rule, view.name_of(class)), "convention", Certainty::Pattern),
        };
        self.add(table, None, source, entity, Some(entity), view.id, view.symbol(class).name_span, certainty);
    }

    /// `Table("orders", metadata, ...)`.
    fn read_calls(&self) {
        for (rule, site) in self.places.sites(self.framework, "table-call-named") {
            let known = rule
                .option("name")
                .and_then(|spec| self.places.argument(&site.view, &site.arguments, spec))
                .and_then(|name| self.places.string(site.spot(), name));
            let Some(known) = known.filter(|_| site.arguments.len() >= 2) else { continue };
            let symbol = site.enclosing();
            self.places.add(SurfaceFact {
                kind: SurfaceKind::DbTable,
                framework: "",
                value: known.text,
                detail: rule.name().to_owned(),
                schema: None,
                symbol,
                other: None,
                file: site.file(),
                span: site.reference.span,
                certainty: self.places.certainty(known.is_whole, true),
            });
        }
    }

    /// Models of a schema file: `model User { ... @@map("users") }`.
    fn read_files(&self) {
        let snapshot = self.places.resolver.snapshot();
        for rule in self.framework.of("table-file") {
            for (file, entry) in snapshot.files().filter(|(_, entry)| entry.path.as_str().ends_with(rule.name())) {
                let Some(text) = snapshot.corpus().text(entry.content) else { continue };
                let mut open: Option<(String, u32)> = None;
                let mut offset = 0;
                for line in text.split_inclusive('\n') {
                    let trimmed = line.trim();
                    if let Some(rest) = trimmed.strip_prefix("model ") {
                        open = Some((rest.trim_end_matches('{').trim().to_owned(), offset));
                    } else if let Some(mapped) = trimmed.strip_prefix("@@map(") {
                        let name = mapped.trim_start_matches("name:").trim().trim_matches(['"', ')', ' ']);
                        if let Some((table, _)) = &mut open {
                            *table = name.to_owned();
                        }
                    } else if trimmed == "}"
                        && let Some((table, start)) = open.take()
                    {
                        let span = Span::new(start, start + 1);
                        self.places.add(SurfaceFact {
                            kind: SurfaceKind::DbTable,
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
        self.places.add(SurfaceFact {
            kind: SurfaceKind::DbTable,
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
        TypeRecipe::Apply(own, list) if type_name(view, own) == Some(head) => view.facts.type_list(list).first().copied(),
        TypeRecipe::Optional(inner) => applied(view, inner, head),
        _ => None,
    }
}

/// What a mapper calls the table of a class that does not say.
fn by_convention(rule: &Rule, class: &str) -> String {
    if rule.option("default") != Some("snake") {
        return class.to_owned();
    }
    let mut snake = String::new();
    let mut before: Option<char> = None;
    for c in class.chars() {
        if c.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || before.is_numeric()) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = Some(c);
    }
    snake
}
