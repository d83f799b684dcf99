//! Tables that the schema of a Rails application has: those of `db/schema.rb`, or what all migrations
//! in their order leave.

use std::collections::{BTreeMap, BTreeSet};

use facts::{ScopeKind, Span, SymbolIndex, SymbolKind};

use super::super::*;
use crate::{
    FileId, FileView, Place, SymbolId,
    query::architecture::{
        ArchitectureFact, Scan, inflection,
        scan::CallSite,
        sql::{self, SchemaChange},
        tables::type_text,
    },
};

pub fn read(scan: &Scan<'_>) {
    for made in made(scan) {
        // A model tells more of its table.
        if !scan.has_table(&made.table) {
            let fact = ArchitectureFact::table(CREATE, made.table, made.file, made.span);
            scan.add(fact.of(made.symbol));
        }
    }
}

/// The names of all tables that schemas and migrations make.
pub fn made_tables(scan: &Scan<'_>) -> BTreeSet<String> {
    let snapshot = scan.resolver.snapshot();
    let mut tables: BTreeSet<String> = made(scan).into_iter().map(|made| made.table).collect();
    for (_, file) in snapshot.files() {
        if file.path.as_str().ends_with(STRUCTURE)
            && let Some(text) = snapshot.corpus().text(file.content)
        {
            tables.extend(
                sql::changes(&text)
                    .into_iter()
                    .filter_map(|change| match change {
                        SchemaChange::Makes(_, table) => Some(table),
                        SchemaChange::Drops(_) => None,
                    }),
            );
        }
    }
    tables
}

const STRUCTURE: &str = "db/structure.sql";
const CREATE: &str = "create_table";
const CREATE_JOIN: &str = "create_join_table";
const DROP: &str = "drop_table";
const DROP_JOIN: &str = "drop_join_table";
const RENAME: &str = "rename_table";
const EXECUTE: &str = "execute";

struct MadeTable {
    table: String,
    file: FileId,
    span: Span,
    symbol: Option<SymbolId>,
}

/// What a file says of the database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SchemaFile {
    /// All tables, as they are.
    Whole,
    /// One of the changes that lead there.
    Migration,
}

fn made(scan: &Scan<'_>) -> Vec<MadeTable> {
    let snapshot = scan.resolver.snapshot();
    let structures: BTreeSet<&str> = snapshot
        .files()
        .filter_map(|(_, file)| file.path.as_str().strip_suffix(STRUCTURE))
        .collect();
    // The directory of the application, with its calls in order.
    let mut applications: BTreeMap<&str, Vec<(SchemaFile, &str, CallSite)>> = BTreeMap::new();
    for call in [CREATE, CREATE_JOIN, DROP, DROP_JOIN, RENAME, EXECUTE] {
        for site in scan.calls(call) {
            let path = snapshot.file(site.file()).path.as_str();
            if let Some((root, kind)) = schema_file(path)
                && !is_undone(scan, &site)
            {
                let name = path.rsplit('/').next().unwrap_or(path);
                let calls = applications.entry(root).or_default();
                calls.push((kind, name, site));
            }
        }
    }
    let mut made = Vec::new();
    for (root, mut calls) in applications {
        let has_whole = calls.iter().any(|(kind, ..)| *kind == SchemaFile::Whole);
        if has_whole {
            calls.retain(|(kind, ..)| *kind == SchemaFile::Whole);
        } else if structures.contains(root) {
            continue;
        }
        calls.sort_by_key(|(_, name, site)| (*name, site.file(), site.reference.span.start));
        let mut tables: Vec<MadeTable> = Vec::new();
        for (_, _, site) in &calls {
            apply(scan, &mut tables, site);
        }
        made.append(&mut tables);
    }
    made
}

/// The directory of the application that a file of its schema belongs to.
fn schema_file(path: &str) -> Option<(&str, SchemaFile)> {
    let (directory, name) = path.rsplit_once('/')?;
    let at = match directory.rfind("/db") {
        Some(at) => at + 1,
        None if directory.starts_with("db") => 0,
        None => return None,
    };
    let (root, below) = (&path[..at], &directory[at..]);
    if below == "db" && (name == "schema.rb" || name.ends_with("_schema.rb")) {
        return Some((root, SchemaFile::Whole));
    }
    let step = below.strip_prefix("db/")?.split('/').next()?;
    matches!(step, "migrate" | "post_migrate").then_some((root, SchemaFile::Migration))
}

/// In the part of a migration that undoes it.
fn is_undone(scan: &Scan<'_>, site: &CallSite) -> bool {
    const DOWN: &str = "down";
    let view = &site.view;
    let is_in_method = (site.reference.enclosing).is_some_and(|index| view.name_of(index) == DOWN);
    let mut around = view.outwards(site.reference.scope);
    is_in_method
        || around.any(|scope| {
            let scope = view.facts.scope(scope);
            let context = scope.context.filter(|_| scope.kind == ScopeKind::Lambda);
            context.is_some_and(|context| scan.last_name(view, context.call) == Some(DOWN))
        })
}

fn apply(scan: &Scan<'_>, tables: &mut Vec<MadeTable>, site: &CallSite) {
    let name = site.view.facts.name(site.reference.name);
    let text = |slot| {
        let argument = scan.site_argument(site, &[slot])?;
        Some(scan.string(site.place(), argument)?.text)
    };
    let joined =
        || text(Named("table_name")).or_else(|| Some(join_table(&text(At(0))?, &text(At(1))?)));
    let made = |table: String| MadeTable {
        table,
        file: site.file(),
        span: site.reference.span,
        symbol: site.enclosing(),
    };
    let make = |tables: &mut Vec<MadeTable>, table: String| {
        tables.retain(|made| made.table != table);
        tables.push(made(table));
    };
    match name {
        CREATE => {
            let named = scan.site_argument(site, FIRST);
            let texts = named.map(|named| scan.strings(site.place(), named));
            let texts = texts.unwrap_or_default();
            if texts.is_empty() {
                scan.not_understood(site.file(), site.reference.span);
            }
            for known in texts {
                make(tables, known.text);
            }
        }
        CREATE_JOIN => {
            if let Some(table) = joined() {
                make(tables, table);
            }
        }
        DROP_JOIN => {
            if let Some(table) = joined() {
                tables.retain(|made| made.table != table);
            }
        }
        DROP => {
            let dropped = site
                .arguments
                .iter()
                .flat_map(|argument| scan.strings(site.place(), *argument));
            for known in dropped {
                tables.retain(|made| made.table != known.text);
            }
        }
        RENAME => {
            if let (Some(old), Some(new)) = (text(At(0)), text(At(1))) {
                tables.retain(|made| made.table != old);
                make(tables, new);
            }
        }
        _ => {
            for change in sql::changes(&text(At(0)).unwrap_or_default()) {
                match change {
                    SchemaChange::Makes(_, table) => make(tables, table),
                    SchemaChange::Drops(table) => tables.retain(|made| made.table != table),
                }
            }
        }
    }
}

/// `parts` and `suppliers` are joined by `parts_suppliers`, `music_artists` and `music_records` by
/// `music_artists_records`.
fn join_table(a: &str, b: &str) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let common = first
        .match_indices('_')
        .map(|(at, _)| at + 1)
        .filter(|at| second.starts_with(&first[..*at]))
        .max()
        .unwrap_or(0);
    format!("{first}_{}", &second[common..])
}

/// The table of a model: its plural, after the prefix of the module around it or the table of the
/// model around it.
pub fn table_of(scan: &Scan<'_>, view: &FileView, class: SymbolIndex) -> String {
    let own = inflection::plural(&inflection::snake(view.name_of(class)));
    let declared = view.symbol(class);
    let mut outer: Vec<String> = Vec::new();
    let mut parent = declared.parent;
    while let Some(index) = parent {
        outer.push(view.name_of(index).to_owned());
        let above = view.symbol(index);
        let is_model = above.kind == SymbolKind::Class
            && (view.facts.supertypes.iter()).any(|supertype| supertype.symbol == index);
        if is_model && parent == declared.parent {
            return format!(
                "{}_{own}",
                inflection::singular(&table_of(scan, view, index))
            );
        }
        parent = above.parent;
    }
    outer.reverse();
    let written = type_text(view, declared.owner);
    outer.extend(written.split('.').map(str::to_owned));
    outer.retain(|name| !name.is_empty());
    let prefixes = module_prefixes(scan);
    while !outer.is_empty() {
        let module = outer.join(".");
        let mut prefixes = prefixes.iter();
        if let Some((_, prefix)) = prefixes.find(|(known, _)| *known == module) {
            return format!("{prefix}{own}");
        }
        outer.pop();
    }
    own
}

/// Modules whose models have a prefix: engines that isolate their namespace, and modules that say
/// so.
fn module_prefixes(scan: &Scan<'_>) -> Vec<(String, String)> {
    const PREFIX: &str = "table_name_prefix";
    let mut found = Vec::new();
    for view in scan.mentioning(PREFIX) {
        let Some(name) = view.facts.names.find(PREFIX) else {
            continue;
        };
        for index in view.symbols_named(name) {
            let text = view
                .facts
                .values(view.symbol(index))
                .iter()
                .find_map(|value| {
                    scan.string(Place::new(&view, value.scope, value.at), value.recipe)
                });
            let Some(text) = text else { continue };
            let mut path = Vec::new();
            let mut parent = view.symbol(index).parent;
            while let Some(index) = parent {
                path.push(view.name_of(index));
                parent = view.symbol(index).parent;
            }
            path.reverse();
            found.push((path.join("."), text.text));
        }
    }
    for site in scan.calls("isolate_namespace") {
        if let Some(module) = site.arguments.first() {
            let module = crate::text::recipe(&site.view.facts, *module).replace("::", ".");
            let words: Vec<String> = module.split('.').map(inflection::snake).collect();
            found.push((module, format!("{}_", words.join("_"))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_schema_belong_to_an_application() {
        let kinds = [
            ("db/schema.rb", Some(("", SchemaFile::Whole))),
            (
                "shop/db/queue_schema.rb",
                Some(("shop/", SchemaFile::Whole)),
            ),
            ("db/migrate/001_a.rb", Some(("", SchemaFile::Migration))),
            (
                "plugins/a/db/migrate/b.rb",
                Some(("plugins/a/", SchemaFile::Migration)),
            ),
            ("db/seeds.rb", None),
            ("lib/schema.rb", None),
            ("db/old_migrations/a.rb", None),
        ];
        for (path, expected) in kinds {
            assert!(schema_file(path) == expected, "{path}");
        }
    }

    #[test]
    fn join_tables_share_a_prefix() {
        assert_eq!(join_table("suppliers", "parts"), "parts_suppliers");
        assert_eq!(
            join_table("music_artists", "music_records"),
            "music_artists_records"
        );
    }
}
