//! What changes break, language by language: `tests/changes/LANGUAGE.md` is the specification and
//! the test.
//!
//! A case is a heading, a block `base` (`//- path` starts a file), a block `head` with the files that
//! the change replaces, adds or removes, and a block `breaks`. Both sides are asked again with base
//! and head exchanged where a block `breaks back` follows. `UPDATE_EXPECT=1 cargo test -p engine
//! --test it change` rewrites the answers; review the difference.

use std::path::Path;

use engine::{
    Analysis, Budget, CargoCrate, GoModule, Project, Resolver, SymbolId,
    query::change::{self, Break, BreakKind, ChangeSet, Misfit},
};

macro_rules! change_cases {
    ($($language:ident)*) => {
        $(
            #[test]
            fn $language() {
                check(stringify!($language));
            }
        )*

        #[test]
        fn every_case_file_is_checked() {
            let checked = [$(concat!(stringify!($language), ".md")),*];
            for entry in std::fs::read_dir(directory()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(checked.contains(&name.as_str()), "{name}");
            }
        }
    };
}

change_cases! { cpp csharp go java javascript kotlin php python ruby rust typescript }

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/changes"))
}

fn check(language: &str) {
    let path = directory().join(language).with_extension("md");
    let file = std::fs::read_to_string(&path).expect("every language has a case file");
    let mut updated = String::new();
    let mut failures = Vec::new();
    let mut n_cases = 0;
    let (mut title, mut base, mut head) = ("", "", "");
    let mut blocks = file.split("```");
    // Text before a block and the block itself take turns.
    while let Some(prose) = blocks.next() {
        updated.push_str(prose);
        let heading = prose
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("## "));
        title = heading.unwrap_or(title);
        let Some(block) = blocks.next() else { break };
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        match info {
            "base" => base = body,
            "head" => head = body,
            _ => {}
        }
        if info != "breaks" {
            updated.push_str(&format!("```{block}```"));
            continue;
        }
        n_cases += 1;
        let found = breaks_of(base, head);
        if found != body {
            failures.push(format!("{title}\n  expected:\n{body}\n  found:\n{found}"));
        }
        updated.push_str(&format!("```{info}\n{found}```"));
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, updated).expect("the case file can be written");
        return;
    }
    assert!(n_cases > 0, "{} has no cases", path.display());
    let failed = failures.join("\n\n");
    assert!(failures.is_empty(), "{}:\n{failed}", path.display());
}

/// A crate at `src/lib.rs` and a module `example.com/shop` at the root.
fn project() -> Project {
    let root = "src/lib.rs".to_owned();
    Project {
        cargo_crates: vec![CargoCrate {
            name: "shop".to_owned(),
            roots: vec![root.clone()],
            library: Some(root),
            ..CargoCrate::default()
        }],
        go_modules: vec![GoModule {
            path: "example.com/shop".to_owned(),
            ..GoModule::default()
        }],
        ..Project::default()
    }
}

fn breaks_of(base: &str, head: &str) -> String {
    let (before, after) = fixture::change(base, head, &project());
    let (before, after) = (Analysis::new(before), Analysis::new(after));
    let budget = Budget::unlimited();
    let (base, head) = (before.resolver(&budget), after.resolver(&budget));
    let change = ChangeSet::new(&base, &head);
    let found = change::breaks(&change);
    found
        .found
        .iter()
        .map(|found| shown(&change, found))
        .collect()
}

fn shown(change: &ChangeSet, found: &Break) -> String {
    let place = |resolver: &Resolver, symbol: SymbolId| {
        let view = resolver.view(symbol.file).expect("a file with symbols");
        let at = view.symbol(symbol.index).name_span.start;
        let place = fixture::place(resolver.snapshot(), symbol.file, at);
        format!("{} {place}", view.name_of(symbol.index))
    };
    let why = match &found.kind {
        BreakKind::Arguments(Misfit::TooMany { given, at_most }) => {
            format!(": {given} given, at most {at_most} taken")
        }
        BreakKind::Arguments(Misfit::TooFew { given, at_least }) => {
            format!(": {given} given, at least {at_least} needed")
        }
        BreakKind::Arguments(Misfit::UnknownName(name)) => format!(": no parameter {name}"),
        BreakKind::Arguments(Misfit::Missing(name)) => format!(": {name} is missing"),
        BreakKind::Arguments(Misfit::NeedsValue) => ": needs a value".to_owned(),
        BreakKind::Cycle(through) => format!(": {}", through.join(" -> ")),
        _ => String::new(),
    };
    let before = found.before.map(|symbol| place(change.base, symbol));
    let after = found.after.map(|symbol| place(change.head, symbol));
    let side = |side: Option<String>| side.unwrap_or_else(|| "nothing".to_owned());
    let uses = match found.n_uses {
        0 => String::new(),
        n => format!(" and {n} uses"),
    };
    let at = fixture::place(change.head.snapshot(), found.file, found.span.start);
    format!(
        "{} {at} {}{uses} {}{why}: {} -> {}\n",
        found.confidence.as_str(),
        found.name,
        found.kind.as_str(),
        side(before),
        side(after)
    )
}
