//! What names mean and what calls may run, language by language: `tests/resolution/LANGUAGE.md` is
//! the specification and the test.
//!
//! A case is a heading, a block of source (`//- path` starts a file) in which `«name»` marks what is
//! asked about, and a block with the answers, in the order of the marks. A block `definitions` says
//! what each marked reference means; a block `calls` says what each marked callable calls, and what
//! calls it; a block `implicit` says the same of what the language calls by itself; a block `hierarchy` says what is above and below each marked type. `UPDATE_EXPECT=1 cargo test -p engine --test it resolution` rewrites the answers; review
//! the difference.

use std::path::Path;

use engine::{
    Analysis, Budget, CargoCrate, Found, GoModule, Outcome, Project, Resolver, SymbolId, query,
};
use fixture::Fixture;

macro_rules! languages {
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

languages! { c cpp csharp go java javascript kotlin php python ruby rust typescript }

#[test]
fn a_crate_of_the_repository_starts_a_path() {
    let krate = |directory: &str, name: &str, root: &str, dependencies| CargoCrate {
        directory: directory.to_owned(),
        name: name.to_owned(),
        roots: vec![format!("{directory}/{root}")],
        library: Some(format!("{directory}/{root}")),
        dependencies,
    };
    let core = krate("core", "shop_core", "src/lib.rs", Vec::new());
    let dependency = ("shop_core".to_owned(), Some("core".to_owned()));
    let app = krate("app", "app", "src/main.rs", vec![dependency]);
    let source = r#"
//- core/src/lib.rs
mod macros;
pub fn run() {}
//- core/src/macros.rs
#[macro_export]
macro_rules! price { ($e:expr) => { $e } }
//- app/src/main.rs
fn main() { shop_core::«price»!(1); shop_core::«run»(); other::«run»(); }
"#;
    let project = Project {
        cargo_crates: vec![core, app],
        ..Project::default()
    };
    let expected = "\
app/src/main.rs:1:24 static price core/src/macros.rs:2:14
app/src/main.rs:1:46 static run core/src/lib.rs:2:8
app/src/main.rs:1:60 unresolved
";
    assert_eq!(definitions_in(source, project), expected);
}

#[test]
fn a_nested_go_module_is_found_by_its_own_path() {
    let module = |directory: &str, path: &str| GoModule {
        directory: directory.to_owned(),
        path: path.to_owned(),
        ..GoModule::default()
    };
    let source = r#"
//- price/price.go
package price
func Of() int { return 1 }
//- tools/gen/price/price.go
package price
func Of() int { return 2 }
//- tools/gen/gen.go
package gen
import "example.org/other/price"
import outer "example.com/shop/price"
func Run() { price.«Of»(); outer.«Of»() }
//- main.go
package main
import gen "example.org/other"
func main() { gen.«Run»() }
"#;
    let project = Project {
        go_modules: vec![
            module("", "example.com/shop"),
            module("tools/gen", "example.org/other"),
        ],
        ..Project::default()
    };
    let expected = "\
tools/gen/gen.go:4:20 static Of tools/gen/price/price.go:2:6
tools/gen/gen.go:4:32 static Of price/price.go:2:6
main.go:3:19 static Run tools/gen/gen.go:4:6
";
    assert_eq!(definitions_in(source, project), expected);
}

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/resolution"))
}

fn check(language: &str) {
    let path = directory().join(language).with_extension("md");
    let file = std::fs::read_to_string(&path).expect("every language has a case file");
    let mut updated = String::new();
    let mut failures = Vec::new();
    let mut n_cases = 0;
    let (mut title, mut source) = ("", "");
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
        let found = match info {
            "definitions" => definitions(source),
            "calls" => calls(source),
            "hierarchy" => hierarchy(source),
            "implicit" => implicit(source),
            _ => {
                source = body;
                updated.push_str(&format!("```{block}```"));
                continue;
            }
        };
        n_cases += 1;
        if found != body || found.is_empty() {
            failures.push(format!("{title}\n  expected:\n{body}\n  found:\n{found}"));
        }
        updated.push_str(&format!("```{info}\n{found}```"));
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, updated).expect("the case file can be written");
        return;
    }
    let n_failures = failures.len();
    let failures = failures.join("\n");
    assert!(
        n_failures == 0,
        "{n_failures} of {n_cases} cases of {language}:\n{failures}"
    );
}

/// A repository without its marks, and the place of each mark.
fn unmarked(marked: &str, project: Project) -> (Fixture, Vec<(String, u32)>) {
    let mut plain = String::new();
    let mut marks: Vec<(String, u32)> = Vec::new();
    let mut current: Option<(String, u32)> = None;
    for line in marked.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- ") {
            current = Some((path.trim().to_owned(), 0));
            plain.push_str(line);
            continue;
        }
        let Some((path, offset)) = &mut current else {
            continue;
        };
        for (i, part) in line.split(['«', '»']).enumerate() {
            if i % 2 == 1 {
                marks.push((path.clone(), *offset));
            }
            plain.push_str(part);
            *offset += part.len() as u32;
        }
    }
    (fixture::repository_with(&plain, project), marks)
}

/// One line for each marked reference: its place, and what it means.
fn definitions(marked: &str) -> String {
    definitions_in(marked, Project::default())
}

fn definitions_in(marked: &str, project: Project) -> String {
    let (Fixture { snapshot, .. }, marks) = unmarked(marked, project);
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    resolver.explain();
    let mut out = String::new();
    for (path, offset) in marks {
        let file = snapshot.find(&path).expect("the file was just written");
        let place = fixture::place(&snapshot, file, offset);
        resolver.take_reasons();
        let Some(definition) = query::definition_at(&resolver, file, offset) else {
            out.push_str(&format!("{place} is no reference\n"));
            continue;
        };
        let resolution = definition.resolution;
        let targets: Vec<String> = resolution
            .targets
            .iter()
            .map(|found| match found {
                Found::Symbol(symbol) => {
                    let view = resolver.view(symbol.file).expect("a target is in a file");
                    let span = view.symbol(symbol.index).name_span;
                    let name = view.name_of(symbol.index);
                    format!(
                        "{name} {}",
                        fixture::place(&snapshot, symbol.file, span.start)
                    )
                }
                Found::Binding(file, binding) => {
                    let view = resolver.view(*file).expect("a binding is in a file");
                    format!(
                        "local {}",
                        fixture::place(
                            &snapshot,
                            *file,
                            view.facts.bindings[binding.0 as usize].name_span.start
                        )
                    )
                }
                Found::TypeParameter(..) => "a type parameter".to_owned(),
                Found::Module(_) => "a module".to_owned(),
                Found::External(path) => format!("library {path}"),
            })
            .collect();
        let answer = match resolution.outcome {
            Outcome::Unresolved => "unresolved".to_owned(),
            outcome => format!("{} {}", outcome.as_str(), targets.join(", ")),
        };
        // Seen with `--nocapture`.
        println!("{place} {answer}: {}", resolver.take_reasons().join("; "));
        out.push_str(&format!("{place} {answer}\n"));
    }
    out
}

/// What each marked callable calls and what calls it, with outcomes, in the order of names.
fn calls(marked: &str) -> String {
    let (Fixture { snapshot, .. }, marks) = unmarked(marked, Project::default());
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let mut out = String::new();
    for (path, offset) in marks {
        let file = snapshot.find(&path).expect("the file was just written");
        let place = fixture::place(&snapshot, file, offset);
        let Some(symbol) = symbol_at(&resolver, file, offset) else {
            out.push_str(&format!("{place} is no definition\n"));
            continue;
        };
        let listed = |calls: Vec<query::Call>| {
            let name = |call: &query::Call| {
                format!(
                    "{} {}",
                    call.outcome.as_str(),
                    qualified(&resolver, call.symbol)
                )
            };
            let mut names: Vec<String> = calls.iter().map(name).collect();
            names.sort();
            names.join(", ")
        };
        let callees = listed(query::callees(&resolver, symbol).value.0);
        let callers = listed(query::callers(&resolver, symbol).value.0);
        let name = qualified(&resolver, symbol);
        if callees.is_empty() && callers.is_empty() {
            out.push_str(&format!(
                "{place} {name} calls nothing and nothing calls it\n"
            ));
        }
        if !callees.is_empty() {
            out.push_str(&format!("{place} {name} calls {callees}\n"));
        }
        if !callers.is_empty() {
            out.push_str(&format!("{place} {name} is called by {callers}\n"));
        }
    }
    out
}

/// What each marked callable runs without naming it and what runs it so, in the order of places. Both
/// directions must agree, wherever what is run is in the repository.
fn implicit(marked: &str) -> String {
    let (Fixture { snapshot, .. }, marks) = unmarked(marked, Project::default());
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let mut out = String::new();
    for (path, offset) in marks {
        let file = snapshot.find(&path).expect("the file was just written");
        let place = fixture::place(&snapshot, file, offset);
        let Some(symbol) = symbol_at(&resolver, file, offset) else {
            out.push_str(&format!("{place} is no definition\n"));
            continue;
        };
        let listed = |calls: &[query::ImplicitCall]| {
            let name = |call: &query::ImplicitCall| {
                let dispatch = match call.outcome {
                    Outcome::Static => "",
                    _ => "~",
                };
                let of = match call.symbol {
                    Some(symbol) => qualified(&resolver, symbol),
                    None => "the file".to_owned(),
                };
                format!("{} {dispatch}{of} {}", call.kind.as_str(), call.site.line)
            };
            calls.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        let name = qualified(&resolver, symbol);
        let callees = query::implicit_callees(&resolver, symbol).value;
        let callers = query::implicit_callers(&resolver, symbol).value;
        if callees.is_empty() && callers.is_empty() {
            out.push_str(&format!("{place} {name} has none\n"));
        }
        if !callees.is_empty() {
            out.push_str(&format!("{place} {name} runs {}\n", listed(&callees)));
        }
        if !callers.is_empty() {
            out.push_str(&format!("{place} {name} is run by {}\n", listed(&callers)));
        }
        for call in &callees {
            let called = call.symbol.expect("what is run is a symbol");
            if call.kind == facts::ImplicitKind::Access {
                continue;
            }
            let back = query::implicit_callers(&resolver, called).value;
            assert!(
                back.iter().any(|other| other.site == call.site),
                "{name} runs {}, which says {back:?}",
                qualified(&resolver, called)
            );
        }
    }
    out
}

/// What each marked type extends and implements, and what derives from it, in the order of names.
fn hierarchy(marked: &str) -> String {
    let (Fixture { snapshot, .. }, marks) = unmarked(marked, Project::default());
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let mut out = String::new();
    for (path, offset) in marks {
        let file = snapshot.find(&path).expect("the file was just written");
        let place = fixture::place(&snapshot, file, offset);
        let Some(symbol) = symbol_at(&resolver, file, offset) else {
            out.push_str(&format!("{place} is no definition\n"));
            continue;
        };
        let found = query::hierarchy(&resolver, symbol).value;
        let above = found.bases.iter().chain(&found.interfaces);
        let above = above.map(|related| match related {
            query::Related::Symbol(symbol) => resolver.name(*symbol),
            query::Related::Library(path) => format!("library {path}"),
        });
        let below = found.derived.iter().map(|symbol| resolver.name(*symbol));
        let listed = |names: &mut dyn Iterator<Item = String>| {
            let mut names: Vec<String> = names.collect();
            names.sort();
            match names.as_slice() {
                [] => "nothing".to_owned(),
                names => names.join(", "),
            }
        };
        let name = resolver.name(symbol);
        let (above, below) = (listed(&mut { above }), listed(&mut { below }));
        out.push_str(&format!(
            "{place} {name} is below {above} and above {below}\n"
        ));
    }
    out
}

/// The symbol whose name starts at an offset.
fn symbol_at(resolver: &Resolver<'_>, file: engine::FileId, offset: u32) -> Option<SymbolId> {
    let view = resolver.view(file).expect("the file has facts");
    let mut symbols = view.facts.symbols.iter();
    let index = symbols.position(|symbol| symbol.name_span.start == offset)?;
    let index = facts::SymbolIndex(index as u32);
    Some(SymbolId { file, index })
}

/// `Type.member`, also for members that are written outside of their type.
fn qualified(resolver: &Resolver<'_>, symbol: SymbolId) -> String {
    match resolver.self_type(symbol) {
        engine::Ty::Instance(of, _) if of != symbol => {
            format!("{}.{}", resolver.name(of), resolver.name(symbol))
        }
        _ => resolver.name(symbol),
    }
}
