//! GORM: types that are migrated, or that embed its model.

use std::collections::BTreeSet;

use facts::{Recipe, RecipeId};

use super::*;
use crate::{
    FileView, Found, SymbolId,
    query::architecture::{
        Certainty, Scan, inflection,
        scan::{CallSite, symbol_in, type_name},
        tables::{class_table, type_text},
    },
};

pub const GORM: Framework = Framework {
    modules: &["gorm.io/gorm", "github.com/jinzhu/gorm"],
    packages: &["gorm.io/gorm", "github.com/jinzhu/gorm"],
    sql: &[sql(&["Raw", "Exec"], &[0])],
    table_queries: &[TableQuery {
        call: "Table",
        on: &["db", "tx", "DB"],
    }],
    read: &[read_migrated],
    ..Framework::new("gorm", Family::Go)
};

const MIGRATIONS: &[&str] = &["AutoMigrate", "CreateTable"];
/// The setting with which tables are named in the singular.
const SINGULAR: &str = "SingularTable";
/// The method of a type that names its table.
const TABLE_NAME: &str = "TableName";

/// Types that are handed to what makes their tables: `db.AutoMigrate(&User{})`; without such a
/// call, those that embed the mapper's model.
fn read_migrated(scan: &Scan<'_>) {
    let mut types: BTreeSet<SymbolId> = BTreeSet::new();
    for site in MIGRATIONS.iter().flat_map(|name| scan.calls(name)) {
        let arguments = site.arguments.iter();
        types.extend(arguments.flat_map(|argument| made_types(scan, &site, *argument, 0)));
    }
    if types.is_empty() {
        for view in scan.mentioning("gorm") {
            for supertype in &view.facts.supertypes {
                if type_text(&view, supertype.ty) == "gorm.Model" {
                    types.insert(symbol_in(&view, supertype.symbol));
                }
            }
        }
    }
    let files = scan.mentioning(SINGULAR);
    let is_singular = files.iter().any(|view| is_singular(scan, view));
    for class in types {
        let Some(view) = scan.resolver.view(class.file) else {
            continue;
        };
        let name = view.name_of(class.index);
        let fact = match named_by_method(scan, &view, name) {
            Some(table) => class_table(&view, class.index, TABLE_NAME, table),
            None => {
                let snake = inflection::snake(name);
                let table = if is_singular {
                    snake
                } else {
                    inflection::plural(&snake)
                };
                class_table(&view, class.index, "convention", table).certain(Certainty::Pattern)
            }
        };
        scan.add(fact);
    }
}

fn made_types(scan: &Scan<'_>, site: &CallSite, recipe: RecipeId, depth: u32) -> Vec<SymbolId> {
    if depth > 6 {
        return Vec::new();
    }
    let view = &site.view;
    let symbol = |ty| scan.type_symbol(view, ty, site.reference.span);
    let inner = |recipe: RecipeId| made_types(scan, site, recipe, depth + 1);
    let all = |list| {
        let items = view.facts.list(list).iter();
        items.flat_map(|item| inner(*item)).collect()
    };
    match view.facts.recipe(recipe) {
        Recipe::Reference(value) | Recipe::Spread(value) => inner(value),
        Recipe::New(ty, list) => symbol(ty).map_or_else(|| all(list), |symbol| vec![symbol]),
        Recipe::List(list) => all(list),
        // `new(User)`.
        Recipe::Call(_, list) => match view.facts.list(list).first() {
            Some(first) => inner(*first),
            None => Vec::new(),
        },
        Recipe::Type(ty) => symbol(ty).into_iter().collect(),
        Recipe::Name(_) | Recipe::Member(..) => match scan.meaning(site.place(), recipe) {
            Some(Found::Symbol(symbol))
                if scan
                    .resolver
                    .symbol(symbol)
                    .is_some_and(|(_, declared)| declared.kind.is_type()) =>
            {
                vec![symbol]
            }
            Some(Found::Binding(file, id)) if file == view.id => {
                let value = view.facts.bindings[id.0 as usize].value;
                if value.is_known() {
                    inner(value)
                } else {
                    Vec::new()
                }
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// `SingularTable: true`, or a call `SingularTable(true)`.
fn is_singular(scan: &Scan<'_>, view: &FileView) -> bool {
    view.facts.recipes.iter().any(|recipe| match *recipe {
        Recipe::Field(name, value) => view.facts.name(name) == SINGULAR && view.is_true(value),
        Recipe::Call(callee, list) => {
            scan.last_name(view, callee) == Some(SINGULAR)
                && view
                    .facts
                    .list(list)
                    .iter()
                    .any(|argument| view.is_true(*argument))
        }
        _ => false,
    })
}

/// `func (User) TableName() string { return "people" }`.
fn named_by_method(scan: &Scan<'_>, of: &FileView, class: &str) -> Option<String> {
    let snapshot = scan.resolver.snapshot();
    let directory = |view: &FileView| snapshot.file(view.id).path.directory().to_owned();
    for view in scan.mentioning(TABLE_NAME) {
        if directory(&view) != directory(of) {
            continue;
        }
        let Some(id) = view.facts.names.find(TABLE_NAME) else {
            continue;
        };
        for index in view.symbols_named(id) {
            let declared = view.symbol(index);
            if type_name(&view, declared.owner) != Some(class) {
                continue;
            }
            return scan.value_string(&view, index).map(|known| known.text);
        }
    }
    None
}
