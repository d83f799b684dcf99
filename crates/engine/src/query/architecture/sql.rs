//! Tables that SQL in the program names: statements handed to a database, and files that make
//! tables.

use facts::Span;

use super::{
    ArchitectureFact, Certainty,
    rules::SqlCall,
    scan::{CallSite, Scan},
};

pub fn read(scan: &Scan<'_>) {
    for rule in scan.framework.sql {
        for name in rule.calls {
            for site in scan.calls(name) {
                read_call(scan, rule, &site);
            }
        }
    }
    for (rule, site) in scan.sites(scan.framework.table_queries, |rule| rule.call) {
        if !is_called_on(scan, &site, rule.on) {
            continue;
        }
        let first = site.arguments.first();
        let known = first.and_then(|table| scan.string(site.place(), *table));
        if let Some(known) = known.filter(|known| is_table(&known.text)) {
            let table = known.text.split_whitespace().next().unwrap_or_default();
            scan.add(table_at(&site, "query", table).certain(Certainty::Pattern));
        }
    }
}

/// A table that a call names; the call's function uses it.
pub fn table_at(
    site: &CallSite,
    source: &'static str,
    table: impl Into<String>,
) -> ArchitectureFact {
    ArchitectureFact::table(source, table, site.file(), site.reference.span).of(site.enclosing())
}

/// Whether a call is on an object that is named like, or ends like, one of these names.
pub fn is_called_on(scan: &Scan<'_>, site: &CallSite, on: &[&str]) -> bool {
    let receiver = site.reference.receiver;
    let name = receiver.and_then(|receiver| scan.last_name(&site.view, receiver));
    on.is_empty()
        || name.is_some_and(|name| {
            on.iter().any(|wanted| {
                name.eq_ignore_ascii_case(wanted) || name.to_lowercase().ends_with(wanted)
            })
        })
}

fn read_call(scan: &Scan<'_>, rule: &SqlCall, site: &CallSite) {
    if !is_called_on(scan, site, rule.on) {
        return;
    }
    // What is run once, by hand or between two versions, does not tell the tables of the program.
    const ONCE: &[&str] = &[
        "migrations",
        "migration",
        "migrate",
        "commands",
        "scripts",
        "seeds",
        "seeders",
        "tools",
    ];
    let path = scan.resolver.snapshot().file(site.file()).path.as_str();
    if path
        .split('/')
        .any(|part| ONCE.contains(&part.to_ascii_lowercase().as_str()))
    {
        return;
    }
    let Some(text) = scan.text(site.file()) else {
        return;
    };
    let spans = scan.argument_spans(site);
    for i in rule.arguments {
        let argument = site.arguments.get(*i);
        let known = argument
            .and_then(|argument| scan.string(site.place(), *argument))
            .map(|known| known.text);
        let written = || {
            let span = spans.get(*i)?;
            text.get(span.start as usize..span.end as usize)
                .map(str::to_owned)
        };
        let Some(statement) = known.or_else(written).filter(|text| is_statement(text)) else {
            continue;
        };
        for (schema, table) in tables(&statement) {
            let fact = table_at(site, "Raw SQL", table).in_schema(schema);
            scan.add(fact.certain(Certainty::Pattern));
        }
        return;
    }
}

/// `CREATE TABLE` in files of SQL, read in the order of their paths: what a later one drops is
/// gone.
pub fn read_files(scan: &Scan<'_>) {
    let snapshot = scan.resolver.snapshot();
    let mut made: Vec<ArchitectureFact> = Vec::new();
    for (file, entry) in snapshot.files().filter(|(file, entry)| {
        is_forward(entry.path.as_str()) && !super::is_aside(snapshot, *file)
    }) {
        let Some(text) = snapshot.corpus().text(entry.content) else {
            continue;
        };
        for change in changes(&text) {
            match change {
                SchemaChange::Makes(schema, table) => {
                    let at = text.find(table.as_str()).unwrap_or(0) as u32;
                    let span = Span::new(at, at + table.len() as u32);
                    let fact = ArchitectureFact::table("CREATE TABLE", table, file, span);
                    made.push(fact.in_schema(schema));
                }
                SchemaChange::Drops(table) => {
                    made.retain(|fact| !fact.name.eq_ignore_ascii_case(&table))
                }
            }
        }
    }
    made.into_iter().for_each(|fact| scan.add(fact));
}

/// A file of SQL that does not undo another: `down.sql`, `0001_users.down.sql`.
fn is_forward(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".sql")
        .is_some_and(|stem| stem != "down" && !stem.ends_with(".down") && !stem.ends_with("_down"))
}

fn is_statement(text: &str) -> bool {
    let text =
        text.trim_start_matches(|c: char| !c.is_alphabetic() || c == 'r' || c == 'f' || c == 'b');
    let first = text
        .split_whitespace()
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    let all = text.to_ascii_lowercase();
    [
        "select", "insert", "update", "delete", "with", "create", "merge", "replace", "truncate",
        "alter", "elect", "eplace",
    ]
    .iter()
    .any(|word| first.ends_with(word))
        && ([" from ", " into ", "\nfrom ", " table "]
            .iter()
            .any(|word| all.contains(word))
            || all.contains("update ") && all.contains(" set "))
}

/// The tables that a statement reads or writes: names after FROM, JOIN, INTO, UPDATE and TABLE.
pub fn tables(statement: &str) -> Vec<(Option<String>, String)> {
    let words = words(statement);
    let mut found: Vec<(Option<String>, String)> = Vec::new();
    let is = |i: usize, word: &str| {
        words
            .get(i)
            .is_some_and(|found: &String| found.eq_ignore_ascii_case(word))
    };
    // `WITH recent AS (` names no table.
    let named: Vec<String> = (1..words.len())
        .filter(|i| is(*i, "as") && is(*i + 1, "("))
        .map(|i| words[i - 1].trim_matches(QUOTES).to_lowercase())
        .collect();
    for i in 0..words.len() {
        let before_from = || {
            i == 0
                || !["extract", "trim", "substring", "distinct"]
                    .iter()
                    .any(|word| is(i - 1, word))
        };
        let introduces = is(i, "join")
            || is(i, "into")
            || is(i, "update") && i == 0
            || is(i, "from") && before_from()
            || is(i, "table");
        if !introduces {
            continue;
        }
        let mut at = i + 1;
        while [
            "only",
            "if",
            "not",
            "exists",
            "lateral",
            "low_priority",
            "ignore",
        ]
        .iter()
        .any(|word| is(at, word))
        {
            at += 1;
        }
        let Some(name) = words.get(at) else { continue };
        // A function gives rows as well.
        if is(at + 1, "(") && !is(i, "into") && !is(i, "table")
            || !is_table(name.trim_matches(QUOTES))
        {
            continue;
        }
        let mut parts: Vec<&str> = name
            .split('.')
            .map(|part| part.trim_matches(QUOTES))
            .collect();
        let Some(table) = parts.pop().filter(|table| !table.is_empty()) else {
            continue;
        };
        let schema = parts.pop().map(str::to_owned);
        let is_catalog = schema.as_deref().is_some_and(|schema| {
            [
                "sys",
                "information_schema",
                "pg_catalog",
                "mysql",
                "performance_schema",
            ]
            .contains(&schema.to_ascii_lowercase().as_str())
        }) || table.starts_with("sqlite_")
            || table.starts_with("pg_");
        if !is_catalog
            && !named.contains(&table.to_lowercase())
            && !found.iter().any(|(_, known)| known == table)
        {
            found.push((schema, table.to_owned()));
        }
    }
    found
}

#[derive(Debug, PartialEq, Eq)]
pub enum SchemaChange {
    Makes(Option<String>, String),
    Drops(String),
}

/// The tables that a file of statements makes and drops, in order.
pub fn changes(text: &str) -> Vec<SchemaChange> {
    let mut found = Vec::new();
    for statement in text.split(';') {
        let plain: String = statement
            .lines()
            .filter(|line| !line.trim_start().starts_with("--"))
            .collect::<Vec<_>>()
            .join("\n");
        let lower = plain.trim_start().to_ascii_lowercase();
        if lower.starts_with("create table") || lower.starts_with("create unlogged table") {
            found.extend(
                tables(&plain)
                    .into_iter()
                    .take(1)
                    .map(|(schema, table)| SchemaChange::Makes(schema, table)),
            );
        } else if lower.starts_with("drop table") {
            let names = words(plain.trim())
                .into_iter()
                .skip(2)
                .filter(|word| is_table(word));
            let names = names.filter(|word| {
                !["if", "exists", "cascade", "restrict"]
                    .contains(&word.to_ascii_lowercase().as_str())
            });
            found.extend(names.map(|name| {
                SchemaChange::Drops(
                    name.rsplit('.')
                        .next()
                        .unwrap_or(&name)
                        .trim_matches(QUOTES)
                        .to_owned(),
                )
            }));
        }
    }
    found
}

const QUOTES: [char; 5] = ['"', '`', '[', ']', '\''];

fn is_table(name: &str) -> bool {
    let first = name.trim_start_matches(QUOTES).chars().next();
    const WORDS: &[&str] = &[
        "select", "set", "where", "values", "dual", "unnest", "the", "a", "this", "as", "on",
        "null",
    ];
    first.is_some_and(|first| first.is_alphabetic() || first == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_.$".contains(c) || QUOTES.contains(&c) || c == ' ')
        && !WORDS.contains(&name.to_ascii_lowercase().as_str())
}

/// Names with their quotes and dots, and every parenthesis and comma by itself.
fn words(statement: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let flush = |word: &mut String, words: &mut Vec<String>| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    for c in statement.chars() {
        match c {
            '(' | ')' | ',' | ';' | '{' | '}' => {
                flush(&mut word, &mut words);
                words.push(c.to_string());
            }
            c if c.is_whitespace() || c == '\\' => flush(&mut word, &mut words),
            c => word.push(c),
        }
    }
    flush(&mut word, &mut words);
    // The quotes of the program's own string.
    if let Some(first) = words.first_mut() {
        *first = first
            .trim_start_matches(|c: char| !c.is_alphabetic())
            .to_owned();
    }
    if let Some(last) = words.last_mut()
        && last.ends_with(['"', '\'', '`', '#'])
        && last.matches(['"', '\'', '`']).count() % 2 == 1
    {
        *last = last.trim_end_matches(['"', '\'', '`', '#']).to_owned();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_tables() {
        let names = |statement: &str| {
            tables(statement)
                .into_iter()
                .map(|(_, table)| table)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("select * from orders o join dbo.[Lines] l on l.id = o.id"),
            ["orders", "Lines"]
        );
        assert_eq!(names("INSERT INTO \"user\" (a) VALUES (1)"), ["user"]);
        assert_eq!(names("update articles set a = 1"), ["articles"]);
        assert_eq!(
            names("with recent as (select 1 from rows_a) select * from recent"),
            ["rows_a"]
        );
        assert_eq!(
            names("select extract(epoch from now()) from generate_series(1, 2)"),
            Vec::<String>::new()
        );
        assert_eq!(
            names("select 1 from information_schema.tables"),
            Vec::<String>::new()
        );
        assert_eq!(
            names("CREATE TABLE IF NOT EXISTS public.items (id int)"),
            ["items"]
        );
    }

    #[test]
    fn what_is_dropped_is_gone() {
        let makes = |name: &str| SchemaChange::Makes(None, name.to_owned());
        let drops = |name: &str| SchemaChange::Drops(name.to_owned());
        assert_eq!(
            changes(
                "-- old\nDROP TABLE IF EXISTS \"items\", public.tags CASCADE;\nCREATE TABLE \"items\" (id int);"
            ),
            [drops("items"), drops("tags"), makes("items")]
        );
        assert!(
            is_forward("db/001_init.sql")
                && !is_forward("db/001_init.down.sql")
                && !is_forward("m/down.sql")
        );
    }

    #[test]
    fn only_statements_are_read() {
        assert!(is_statement("\"select a from b\""));
        assert!(!is_statement("update the docs"));
        assert!(!is_statement("/orders"));
    }
}
