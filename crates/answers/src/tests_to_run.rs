//! Which tests to run after a change, why each, and with which commands.

use engine::{
    Cut, FileId, Outcome, RepoPath, SymbolId,
    query::{
        self, CodeUnit, ReachingTest, RouteHandlers, TestBounds,
        architecture::{ArchitectureFact, ArchitectureKind},
        change::{self, ChangeSet, EditKind},
        search::{is_test_or_docs, stem},
    },
};

use crate::{
    Session,
    symbol_report::local_name,
    test_commands::{self, TestCommands},
};

/// The tests that a change may affect.
#[derive(Clone, Debug, Default)]
pub struct TestsToRun {
    /// The surest and nearest first.
    pub tests: Vec<ReachingTest>,
    /// Changed files after which every test below a directory must run.
    pub always: Vec<AlwaysRun>,
    /// They run the tests above; where `always` asks for it, whole suites.
    pub commands: TestCommands,
    /// Why tests may be missing; nothing where all were found.
    pub cut: Option<Cut>,
}

/// A changed file on which every test depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlwaysRun {
    pub path: RepoPath,
    pub why: AlwaysReason,
    /// The tests below it are meant; empty for the root.
    pub directory: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlwaysReason {
    Manifest,
    LockFile,
    BuildScript,
    TestConfiguration,
}

impl AlwaysReason {
    pub fn as_str(self) -> &'static str {
        match self {
            AlwaysReason::Manifest => "manifest",
            AlwaysReason::LockFile => "lock file",
            AlwaysReason::BuildScript => "build script",
            AlwaysReason::TestConfiguration => "configuration of tests",
        }
    }
}

/// How sure it is that a test runs what was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestCertainty {
    /// Every step is a resolved call, use or convention of a test runner.
    Sure,
    /// A step goes by a convention or by the odds.
    Likely,
    /// A step is one of several candidates.
    Possible,
}

impl TestCertainty {
    pub fn of(test: &ReachingTest) -> TestCertainty {
        match test.outcome {
            Outcome::Static | Outcome::Dispatch => TestCertainty::Sure,
            Outcome::Heuristic => TestCertainty::Likely,
            Outcome::Ambiguous | Outcome::External | Outcome::Unresolved => TestCertainty::Possible,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            TestCertainty::Sure => "sure",
            TestCertainty::Likely => "likely",
            TestCertainty::Possible => "possible",
        }
    }
}

/// The tests to run after some code changed, and after something outside of symbols changed in some
/// files. Files that are gone, or that are no code, may be among them.
pub fn tests_to_run(
    session: &Session,
    changed: &[CodeUnit],
    changed_paths: &[RepoPath],
) -> TestsToRun {
    let routes = || handlers(&session.architecture().facts);
    bounded_tests(session, changed, changed_paths, &routes, TestBounds::ALL)
}

/// The same as far as bounds allow, where routes are known from a part of the program.
pub(crate) fn bounded_tests(
    session: &Session,
    changed: &[CodeUnit],
    changed_paths: &[RepoPath],
    routes: &dyn Fn() -> RouteHandlers,
    bounds: TestBounds,
) -> TestsToRun {
    session.require_index();
    let mut targets = changed.to_vec();
    let mut always = Vec::new();
    for path in changed_paths {
        match always_run(path) {
            Some(found) => always.push(found),
            None => {
                let file = session.snapshot().find(path.as_str());
                targets.extend(file.map(CodeUnit::File));
            }
        }
    }
    let resolver = session.resolver();
    let found = query::reaching_tests(&resolver, &targets, routes, bounds);
    let tests: Vec<CodeUnit> = found.value.iter().map(|found| found.test).collect();
    let whole: Vec<&str> = always
        .iter()
        .map(|always| always.directory.as_str())
        .collect();
    TestsToRun {
        commands: test_commands::commands(session, &tests, &whole),
        tests: found.value,
        always,
        cut: found.cut,
    }
}

/// The symbols that were asked about with what used them in the commit that is checked out, where
/// the working tree has given them other names: tests may still use the former ones.
pub fn with_former_users(base: &Session, session: &Session, symbols: &[SymbolId]) -> Vec<CodeUnit> {
    let (before, after) = (base.resolver(), session.resolver());
    let change = ChangeSet::new(&before, &after);
    let mut units: Vec<CodeUnit> = symbols.iter().copied().map(CodeUnit::Symbol).collect();
    for symbol in symbols {
        let former = change.before(*symbol);
        let edit = former.and_then(|former| change.edit(former));
        let is_renamed =
            edit.is_some_and(|edit| matches!(edit.kind, EditKind::Renamed | EditKind::Moved));
        if let Some(former) = former.filter(|_| is_renamed) {
            units.extend(change::former_users(&change, former));
        }
    }
    units
}

/// What symbols of the commit that is checked out are in the working tree.
pub fn now(base: &Session, session: &Session, symbols: &[SymbolId]) -> Vec<SymbolId> {
    let (before, after) = (base.resolver(), session.resolver());
    let change = ChangeSet::new(&before, &after);
    let now = symbols.iter().filter_map(|symbol| change.after(*symbol));
    now.collect()
}

/// What a test reaches in a file as a whole: every symbol of it, and its top level.
pub fn units_of_file(session: &Session, file: FileId) -> Vec<CodeUnit> {
    let Some(facts) = session.facts(file) else {
        return Vec::new();
    };
    let outer = facts
        .symbols_with_index()
        .filter(|(_, symbol)| symbol.parent.is_none());
    outer
        .map(|(index, _)| CodeUnit::Symbol(SymbolId::new(file, index)))
        .collect()
}

/// The routes among some facts, each with the symbol that answers it.
pub(crate) fn handlers(facts: &[ArchitectureFact]) -> RouteHandlers {
    let is_route = |fact: &&ArchitectureFact| fact.kind() == ArchitectureKind::Route;
    let routes = facts.iter().filter(is_route);
    routes
        .filter_map(|fact| Some((fact.symbol?, fact.name.clone())))
        .collect()
}

/// A unit as people name it within its file: `Cart.total`, `cart > adds`.
pub fn unit_name(session: &Session, unit: CodeUnit) -> String {
    match unit {
        CodeUnit::Symbol(symbol) => local_name(session, symbol),
        CodeUnit::Block(file, scope) => {
            let view = session.resolver().view(file);
            let titles = view.map_or_else(Vec::new, |view| query::titles(&view, scope));
            match titles.is_empty() {
                true => "(test without a title)".to_owned(),
                false => titles.join(" > "),
            }
        }
        CodeUnit::File(_) => "top level".to_owned(),
    }
}

/// The line of a unit, from 1.
pub fn unit_line(session: &Session, unit: CodeUnit) -> u32 {
    match unit {
        CodeUnit::Symbol(symbol) => crate::symbol::name_line(session, symbol),
        CodeUnit::Block(file, scope) => session.facts(file).map_or(1, |facts| {
            facts.lines.line_number(facts.scope(scope).span.start)
        }),
        CodeUnit::File(_) => 1,
    }
}

/// How a test reaches what was asked about, in one line: `test_show calls show calls Cart.total`.
pub fn path_text(session: &Session, test: &ReachingTest) -> String {
    unit_name(session, test.test) + &way_text(session, test)
}

/// A path without the test it begins at: ` calls show calls Cart.total`. Empty for a test that was
/// itself asked about.
pub fn way_text(session: &Session, test: &ReachingTest) -> String {
    let mut text = String::new();
    for (i, step) in test.path.iter().enumerate() {
        if i > 0 {
            text += " ";
            text += &unit_name(session, step.unit);
        }
        text += match step.outcome {
            Outcome::Dispatch => " may ",
            Outcome::Ambiguous | Outcome::Unresolved => " perhaps ",
            _ => " ",
        };
        text += match (step.outcome, step.how) {
            (Outcome::Dispatch, query::ReachKind::Call) => "call",
            _ => step.how.as_str(),
        };
    }
    if !test.path.is_empty() {
        text += " ";
        text += &unit_name(session, test.target);
    }
    text
}

/// Whether every test below a directory depends on a file, by its name.
fn always_run(path: &RepoPath) -> Option<AlwaysRun> {
    const LOCK_FILES: &[&str] = &[
        "Cargo.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lockb",
        "bun.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "Pipfile.lock",
        "go.sum",
        "gradle.lockfile",
        "composer.lock",
        "Gemfile.lock",
        "packages.lock.json",
    ];
    const BUILD_SCRIPTS: &[&str] = &[
        "build.rs",
        "Makefile",
        "GNUmakefile",
        "Dockerfile",
        "Rakefile",
        "BUILD",
        "BUILD.bazel",
        "WORKSPACE",
        "meson.build",
        "gradle.properties",
        "rust-toolchain",
        "rust-toolchain.toml",
        ".python-version",
        ".nvmrc",
        ".node-version",
        ".ruby-version",
        "global.json",
    ];
    const MANIFESTS: &[&str] = &[
        "requirements.txt",
        "Pipfile",
        "Gemfile",
        "composer.json",
        "go.work",
        "Directory.Packages.props",
        "nuget.config",
    ];
    const TEST_CONFIGURATIONS: &[&str] = &[
        "pytest.ini",
        "tox.ini",
        "noxfile.py",
        ".rspec",
        "spec_helper.rb",
        "rails_helper.rb",
        "test_helper.rb",
        "phpunit.xml",
        "phpunit.xml.dist",
        "nextest.toml",
        "codecov.yml",
    ];
    let name = path.file_name();
    let first = name.split('.').next().unwrap_or(name);
    let is_configuration = name.contains(".config.")
        && matches!(
            first,
            "jest" | "vitest" | "vite" | "babel" | "playwright" | "karma"
        )
        || matches!(first, "tsconfig" | "jsconfig") && name.ends_with(".json")
        || name.starts_with(".mocharc")
        || name.starts_with(".babelrc")
        || name.ends_with(".runsettings");
    let is_cargo_configuration = path.directory().ends_with(".cargo") && stem(name) == "config";
    let why = if workspace::is_manifest(name) && !is_configuration
        || MANIFESTS.contains(&name)
        || stem(name).starts_with("requirements") && name.ends_with(".txt")
    {
        AlwaysReason::Manifest
    } else if LOCK_FILES.contains(&name) {
        AlwaysReason::LockFile
    } else if BUILD_SCRIPTS.contains(&name)
        || name.ends_with(".cmake")
        || name.ends_with(".gradle")
        || is_cargo_configuration
    {
        AlwaysReason::BuildScript
    } else if TEST_CONFIGURATIONS.contains(&name) || is_configuration {
        AlwaysReason::TestConfiguration
    } else {
        return None;
    };
    let directory = path.directory();
    // A test's own data may look like a project.
    let is_data = is_test_or_docs(directory) && why == AlwaysReason::Manifest;
    let hidden = [".cargo", ".config"];
    let around = match directory.rsplit('/').next() {
        Some(last) if hidden.contains(&last) => {
            directory.rsplit_once('/').map_or("", |(outer, _)| outer)
        }
        _ => directory,
    };
    (!is_data).then(|| AlwaysRun {
        path: path.clone(),
        why,
        directory: around.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{lookup, testing::session};

    const SHOP: &str = r#"
//- pyproject.toml
[project]
name = "shop"
[tool.pytest.ini_options]
testpaths = ["tests"]
//- shop.py
class Cart:
    def total(self): return self._sum()
    def _sum(self): return RATE
    def __len__(self): ...
class Gift(Cart):
    def total(self): ...
RATE = 2
def show(cart: Cart):
    print(cart.total())
//- tests/conftest.py
import pytest
from shop import Cart
@pytest.fixture
def cart():
    return Cart()
@pytest.fixture
def full(cart):
    cart.total()
    return cart
//- tests/test_shop.py
from shop import show, Cart, Gift, RATE
def helper():
    return Gift()
def test_show():
    show(Cart())
def test_full(full):
    assert full
def test_gift():
    helper().total()
def test_rate():
    assert RATE == 2
class TestCart:
    def setup_method(self):
        self.cart = Cart()
        self.cart.total()
    def test_one(self): ...
    def test_two(self): ...
def test_gift_shown():
    show(Gift())
"#;

    #[test]
    fn calls_dispatch_fixtures_and_set_up_lead_to_tests() {
        check(
            SHOP,
            &["Cart.total"],
            &[],
            expect![[r#"
                sure tests/test_shop.py:6 test_full asks for fixture full calls Cart.total
                sure tests/test_shop.py:16 TestCart.test_one is set up by TestCart.setup_method calls Cart.total
                sure tests/test_shop.py:17 TestCart.test_two is set up by TestCart.setup_method calls Cart.total
                sure tests/test_shop.py:4 test_show calls show calls Cart.total
                sure tests/test_shop.py:18 test_gift_shown calls show calls Cart.total
                run: python -m pytest tests/test_shop.py::test_show tests/test_shop.py::test_full tests/test_shop.py::TestCart::test_one tests/test_shop.py::TestCart::test_two tests/test_shop.py::test_gift_shown
            "#]],
        );
        check(
            SHOP,
            &["Gift.total"],
            &[],
            expect![[r#"
                sure tests/test_shop.py:8 test_gift calls Gift.total
                sure tests/test_shop.py:18 test_gift_shown calls show may call Gift.total
                run: python -m pytest tests/test_shop.py::test_gift tests/test_shop.py::test_gift_shown
            "#]],
        );
        check(
            SHOP,
            &["RATE"],
            &[],
            expect![[r#"
                sure tests/test_shop.py:10 test_rate uses RATE
                sure tests/test_shop.py:6 test_full asks for fixture full calls Cart.total calls Cart._sum uses RATE
                sure tests/test_shop.py:16 TestCart.test_one is set up by TestCart.setup_method calls Cart.total calls Cart._sum uses RATE
                sure tests/test_shop.py:17 TestCart.test_two is set up by TestCart.setup_method calls Cart.total calls Cart._sum uses RATE
                sure tests/test_shop.py:4 test_show calls show calls Cart.total calls Cart._sum uses RATE
                sure tests/test_shop.py:18 test_gift_shown calls show calls Cart.total calls Cart._sum uses RATE
                run: python -m pytest tests/test_shop.py::test_show tests/test_shop.py::test_full tests/test_shop.py::test_rate tests/test_shop.py::TestCart::test_one tests/test_shop.py::TestCart::test_two tests/test_shop.py::test_gift_shown
            "#]],
        );
    }

    #[test]
    fn a_changed_test_is_run_and_a_changed_manifest_runs_everything() {
        check(
            SHOP,
            &["test_gift"],
            &[],
            expect![[r#"
            sure tests/test_shop.py:8 test_gift
            run: python -m pytest tests/test_shop.py::test_gift
        "#]],
        );
        check(
            SHOP,
            &[],
            &["pyproject.toml"],
            expect![[r#"
            always: pyproject.toml manifest
            run: python -m pytest
        "#]],
        );
        check(SHOP, &[], &["docs/notes.md"], expect![[""]]);
    }

    #[test]
    fn tests_as_arguments_have_titles() {
        check(
            r#"
//- package.json
{ "name": "shop", "devDependencies": { "vitest": "1" } }
//- src/cart.ts
export function total(n: number) { return n }
export function unused() { return total(1) }
//- src/cart.test.ts
import { describe, it, beforeEach } from "vitest"
import { total, unused } from "./cart"
describe("cart", () => {
  it("adds (up)", () => { expect(total(1)).toBe(1) })
  it("nothing", () => {})
  describe("inner", () => {
    beforeEach(() => { unused() })
    it("prepared", () => {})
  })
})
"#,
            &["total"],
            &[],
            expect![[r#"
                sure src/cart.test.ts:4 cart > adds (up) calls total
                sure src/cart.test.ts:8 cart > inner > prepared calls unused calls total
                run: npx vitest run src/cart.test.ts -t 'adds \(up\)|prepared'
            "#]],
        );
    }

    #[test]
    fn tests_in_the_changed_file_and_by_other_runners() {
        check(
            r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
pub fn total() -> i32 { 1 }
#[cfg(test)]
mod tests {
    use super::*;
    fn helper() -> i32 { total() }
    #[test]
    fn adds() { helper(); }
    #[test]
    fn other() { }
}
//- tests/it.rs
#[test]
fn outside() { shop::total(); }
"#,
            &["total"],
            &[],
            expect![[r#"
                sure tests/it.rs:2 outside calls total
                sure src/lib.rs:7 tests::adds calls tests::helper calls total
                run: cargo test -p shop --lib -- tests::adds
                run: cargo test -p shop --test it -- outside
            "#]],
        );
        check(
            r#"
//- go.mod
module example.com/shop
//- cart/cart.go
package cart
func Total() int { return 1 }
//- cart/cart_test.go
package cart
import "testing"
func TestTotal(t *testing.T) { Total() }
func BenchmarkTotal(b *testing.B) { Total() }
"#,
            &["Total"],
            &[],
            expect![[r#"
                sure cart/cart_test.go:3 TestTotal calls Total
                run: go test ./cart -run '^(TestTotal)$'
            "#]],
        );
        check(
            r#"
//- pom.xml
<project><artifactId>shop</artifactId></project>
//- src/main/java/shop/Cart.java
package shop;
public class Cart { public int total() { return 1; } }
//- src/test/java/shop/CartTest.java
package shop;
class CartTest {
    private final Cart cart = make();
    private Cart make() { return new Cart(); }
    static Object numbers() { return new Cart().total(); }
    @Test void adds() { }
    @ParameterizedTest @MethodSource("numbers") void all() { }
}
"#,
            &["Cart.total"],
            &[],
            expect![[r#"
                sure src/test/java/shop/CartTest.java:7 CartTest.all takes arguments from CartTest.numbers calls Cart.total
                run: mvn test -Dsurefire.failIfNoSpecifiedTests=false -Dtest='CartTest#all'
            "#]],
        );
    }

    #[test]
    fn requests_of_a_test_client_reach_handlers() {
        check(
            r#"
//- app.py
from flask import Flask
app = Flask(__name__)
@app.route("/items/<int:item>")
def item(item):
    return load(item)
def load(item):
    return item
//- tests/test_app.py
from app import app
def test_item():
    app.test_client().get("/items/7")
def test_other():
    app.test_client().get("/others")
"#,
            &["load"],
            &[],
            expect![[r#"
                likely tests/test_app.py:2 test_item requests the route of item calls load
                run: python -m pytest tests/test_app.py::test_item
            "#]],
        );
    }

    #[test]
    fn who_makes_an_object_runs_its_constructor() {
        check(
            r#"
//- pyproject.toml
[project]
name = "shop"
//- shop/cart.py
class Cart:
    def __init__(self, n):
        self.n = n
def is_cart(thing):
    return isinstance(thing, Cart)
//- tests/test_cart.py
from shop.cart import Cart, is_cart
def test_total():
    assert Cart(1).n == 1
def test_other():
    assert not is_cart(1)
"#,
            &["Cart.__init__"],
            &[],
            expect![[r#"
                sure tests/test_cart.py:2 test_total calls Cart.__init__
                likely tests/test_cart.py:4 test_other calls is_cart uses Cart may run by convention Cart.__init__
                run: python -m pytest tests/test_cart.py
            "#]],
        );
    }

    /// What is enough for a change that may not take long.
    #[test]
    fn the_nearest_tests_come_first_and_the_answer_says_that_there_are_more() {
        let session = session(SHOP);
        let rate = lookup::all(&session, "RATE").into_iter();
        let rate: Vec<CodeUnit> = rate.map(CodeUnit::Symbol).collect();
        let of = |tests| {
            let bounds = TestBounds {
                tests,
                ..TestBounds::ALL
            };
            let found = bounded_tests(&session, &rate, &[], &Vec::new, bounds);
            let names = found
                .tests
                .iter()
                .map(|test| unit_name(&session, test.test));
            (names.collect::<Vec<String>>(), found.cut)
        };
        let (names, cut) = of(2);
        assert_eq!(names, ["test_rate", "test_full"]);
        assert_eq!(cut, Some(Cut::Limit));
        let (names, cut) = of(7);
        assert_eq!((names.len(), cut), (6, None));
    }

    fn lines(commands: &[test_commands::TestCommand]) -> Vec<&str> {
        commands
            .iter()
            .map(|command| command.line.as_str())
            .collect()
    }

    #[test]
    fn long_commands_name_files_directories_or_everything() {
        let python = |n_files: usize| {
            let file = |i: usize| format!("tests/unit/test_{i}.py");
            let test = |j: usize| {
                let body = if j < 9 { "total()" } else { "pass" };
                format!("def test_of_a_cart_with_{j}_items(): {body}\n")
            };
            let mut files = "//- pyproject.toml\n[project]\nname = \"shop\"\n//- cart.py\ndef total(): return 1\n".to_owned();
            for i in 0..n_files {
                files += &format!("//- {}\nfrom cart import total\n", file(i));
                (0..10).for_each(|j| files += &test(j));
            }
            let session = session(&files);
            let targets = [CodeUnit::Symbol(lookup::all(&session, "total")[0])];
            tests_to_run(&session, &targets, &[]).commands
        };
        let two = python(2);
        assert!(lines(&two.exact)[0].contains("test_0.py::test_of_a_cart_with_8_items"));
        assert_eq!(
            lines(&two.short),
            ["python -m pytest tests/unit/test_0.py tests/unit/test_1.py"]
        );
        assert_eq!(lines(&python(40).short), ["python -m pytest tests/unit"]);

        let mut files = "//- go.mod\nmodule example.com/shop\n//- cart/cart.go\npackage cart\nfunc Total() int { return 1 }\n".to_owned();
        for package in ["a", "b/c"] {
            files += &format!(
                "//- {package}/shop_test.go\npackage shop\nimport \"testing\"\nimport \"example.com/shop/cart\"\n"
            );
            for j in 0..if package == "a" { 20 } else { 1 } {
                files +=
                    &format!("func TestOfACartWith{j}Items(t *testing.T) {{ cart.Total() }}\n");
            }
        }
        let session = session(&files);
        let targets = [CodeUnit::Symbol(lookup::all(&session, "Total")[0])];
        let go = tests_to_run(&session, &targets, &[]).commands;
        assert_eq!(lines(&go.short), ["go test ./a ./b/c"]);
        assert_eq!(go.exact.len(), 2);
    }

    #[track_caller]
    fn check(files: &str, names: &[&str], paths: &[&str], expected: Expect) {
        let session = session(files);
        let symbols: Vec<CodeUnit> = names
            .iter()
            .flat_map(|name| lookup::all(&session, name))
            .map(CodeUnit::Symbol)
            .collect();
        let paths: Vec<RepoPath> = paths.iter().map(|path| RepoPath::new(path)).collect();
        let found = tests_to_run(&session, &symbols, &paths);
        let mut out = String::new();
        for test in &found.tests {
            out += &format!(
                "{} {}:{} {}\n",
                TestCertainty::of(test).as_str(),
                session.path(test.test.file()),
                unit_line(&session, test.test),
                path_text(&session, test)
            );
        }
        for always in &found.always {
            out += &format!("always: {} {}\n", always.path, always.why.as_str());
        }
        for command in &found.commands.exact {
            out += &format!("run: {}\n", command.line);
        }
        expected.assert_eq(&out);
    }
}
