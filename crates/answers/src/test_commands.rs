//! The commands that run some tests, chosen by what the manifests of the repository say.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    FileId, SymbolId,
    query::{self, CodeUnit, search::is_test_or_docs},
};

use crate::{Session, names};

/// A command line that runs tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    /// Where to run it, below the root; empty for the root.
    pub directory: String,
    pub line: String,
    /// How many of the listed tests it runs; nothing where it runs a whole suite.
    pub n_tests: Option<usize>,
}

/// A program that runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TestRunner {
    Pytest,
    Unittest,
    DjangoManage,
    CargoTest,
    Nextest,
    GoTest,
    Maven,
    Gradle,
    Vitest,
    Jest,
    Mocha,
    NodeTest,
    Rspec,
    RailsTest,
    Minitest,
    Phpunit,
    Pest,
    DotnetTest,
}

/// Tests that are named one by one; of more in one file, the file is named.
const MAX_NAMED: usize = 25;

/// Characters of a line that people and models are shown. A longer one names files or packages
/// instead, so that no line is cut.
const MAX_SHOWN: usize = 400;

/// Command lines for some tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCommands {
    /// They run the tests and no others, as far as the runners can tell tests apart.
    pub exact: Vec<TestCommand>,
    /// The same with files, directories or packages named where the tests take too long a line.
    pub short: Vec<TestCommand>,
}

/// How closely a command line says what it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Tests,
    /// Files, types or packages.
    Files,
    Directories,
}

/// The commands for some tests, and for everything below some directories, in order of directory.
pub fn commands(session: &Session, tests: &[CodeUnit], whole: &[&str]) -> TestCommands {
    let mut groups: BTreeMap<(String, TestRunner), Vec<CodeUnit>> = BTreeMap::new();
    let is_whole = |file: FileId| {
        let path = session.path(file);
        whole
            .iter()
            .any(|directory| engine::is_below(path, directory))
    };
    for test in tests.iter().filter(|test| !is_whole(test.file())) {
        if let Some(key) = runner_of(session, test.file()) {
            groups.entry(key).or_default().push(*test);
        }
    }
    let exact: Vec<TestCommand> = suites(session, whole)
        .into_iter()
        .map(|(directory, runner)| TestCommand {
            line: suite_line(session, runner, &directory),
            directory,
            n_tests: None,
        })
        .collect();
    let short = exact.clone();
    let mut found = TestCommands { exact, short };
    for ((directory, runner), tests) in groups {
        let selection = |naming| SelectedTests {
            session,
            directory: &directory,
            tests: &tests,
            naming,
        };
        let command = |(line, n_tests): (String, usize)| TestCommand {
            directory: directory.clone(),
            line,
            n_tests: Some(n_tests),
        };
        let exact = selection(Naming::Tests).lines(runner);
        let short = shortened(&selection, runner, &exact);
        found.exact.extend(exact.into_iter().map(command));
        found.short.extend(short.into_iter().map(command));
    }
    found
}

/// The lines of a runner where each is short enough to be shown: those that are too long name files,
/// else directories, else everything.
fn shortened<'a>(
    selection: &dyn Fn(Naming) -> SelectedTests<'a>,
    runner: TestRunner,
    exact: &[(String, usize)],
) -> Vec<(String, usize)> {
    let is_short = |line: &(String, usize)| line.0.chars().count() <= MAX_SHOWN;
    let mut lines = exact.to_vec();
    for naming in [Naming::Files, Naming::Directories] {
        if lines.iter().all(is_short) {
            return lines;
        }
        let coarser = selection(naming).lines(runner);
        lines = match coarser.len() == lines.len() {
            true => {
                let pairs = lines.into_iter().zip(coarser);
                let either = pairs.map(|(line, other)| if is_short(&line) { line } else { other });
                either.collect()
            }
            false => coarser,
        };
    }
    let all = selection(Naming::Directories);
    let suite = |line: (String, usize)| match is_short(&line) {
        true => line,
        false => (suite_line(all.session, runner, all.directory), line.1),
    };
    lines.into_iter().map(suite).collect()
}

/// The runners of the test files below some directories, with where they run.
fn suites(session: &Session, whole: &[&str]) -> BTreeSet<(String, TestRunner)> {
    /// Enough to see every runner of a repository.
    const MAX_FILES: usize = 2_000;
    let mut found = BTreeSet::new();
    for directory in whole {
        let files = session.snapshot().below(directory);
        let files = files.filter(|(_, file)| is_test_or_docs(file.path.as_str()));
        for (file, _) in files.take(MAX_FILES) {
            found.extend(runner_of(session, file));
        }
    }
    found
}

/// What runs the tests of a file, and the directory to run it in.
fn runner_of(session: &Session, file: FileId) -> Option<(String, TestRunner)> {
    let path = session.path(file);
    match session.language(file) {
        "python" => Some(python_runner(session, file)),
        "rust" => {
            let crates = &session.snapshot().project().cargo_crates;
            let own = crates
                .iter()
                .filter(|own| engine::is_below(path, &own.directory))
                .max_by_key(|own| own.directory.len())?;
            let root = outermost(session, &own.directory, &["Cargo.toml"])
                .unwrap_or_else(|| own.directory.clone());
            let nextest = [".config/nextest.toml", "nextest.toml"];
            let is_nextest = nextest
                .iter()
                .any(|name| session.snapshot().find(&joined(&root, name)).is_some());
            let runner = match is_nextest {
                true => TestRunner::Nextest,
                false => TestRunner::CargoTest,
            };
            Some((root, runner))
        }
        "go" => Some((
            nearest(session, path, &["go.mod"]).unwrap_or_default(),
            TestRunner::GoTest,
        )),
        "java" | "kotlin" | "scala" | "groovy" => jvm_runner(session, path),
        "javascript" | "typescript" | "tsx" | "jsx" | "vue" => script_runner(session, path),
        "ruby" => Some(ruby_runner(session, path)),
        "php" => {
            let directory = nearest(session, path, &["composer.json", "phpunit.xml"]);
            let directory = directory.unwrap_or_default();
            let is_pest = mentions(
                session,
                &joined(&directory, "composer.json"),
                "pestphp/pest",
            );
            let runner = match is_pest {
                true => TestRunner::Pest,
                false => TestRunner::Phpunit,
            };
            Some((directory, runner))
        }
        "csharp" => {
            let units = &session.snapshot().project().units;
            let project = units
                .iter()
                .filter(|unit| unit.manifest.ends_with("proj"))
                .filter(|unit| engine::is_below(path, &unit.directory))
                .max_by_key(|unit| unit.directory.len())?;
            Some((project.directory.clone(), TestRunner::DotnetTest))
        }
        _ => None,
    }
}

fn python_runner(session: &Session, file: FileId) -> (String, TestRunner) {
    const CONFIGURATIONS: [&str; 5] = [
        "pytest.ini",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "setup.py",
    ];
    let path = session.path(file);
    let directory = nearest(session, path, &CONFIGURATIONS).unwrap_or_default();
    let says_pytest = CONFIGURATIONS
        .iter()
        .any(|name| mentions(session, &joined(&directory, name), "pytest"));
    let has_conftest = nearest(session, path, &["conftest.py"]).is_some();
    if says_pytest || has_conftest {
        return (directory, TestRunner::Pytest);
    }
    if let Some(directory) = nearest(session, path, &["manage.py"]) {
        return (directory, TestRunner::DjangoManage);
    }
    let imports_unittest = session.facts(file).is_some_and(|facts| {
        let mut imports = facts.imports.iter();
        imports.any(|import| facts.name(import.module).starts_with("unittest"))
    });
    match imports_unittest {
        true => (directory, TestRunner::Unittest),
        false => (directory, TestRunner::Pytest),
    }
}

fn jvm_runner(session: &Session, path: &str) -> Option<(String, TestRunner)> {
    let gradle = ["build.gradle", "build.gradle.kts"];
    let settings = ["settings.gradle", "settings.gradle.kts"];
    let maven = nearest(session, path, &["pom.xml"]);
    let by_gradle = nearest(session, path, &gradle);
    match (maven, by_gradle) {
        // The nearer build file counts.
        (Some(pom), other) if other.as_ref().is_none_or(|other| other.len() <= pom.len()) => {
            let root = outermost(session, &pom, &["pom.xml"]).unwrap_or(pom);
            Some((root, TestRunner::Maven))
        }
        (_, Some(build)) => {
            let root = outermost(session, &build, &settings).unwrap_or(build);
            Some((root, TestRunner::Gradle))
        }
        _ => None,
    }
}

fn script_runner(session: &Session, path: &str) -> Option<(String, TestRunner)> {
    const RUNNERS: [(&str, TestRunner); 3] = [
        ("vitest", TestRunner::Vitest),
        ("jest", TestRunner::Jest),
        ("mocha", TestRunner::Mocha),
    ];
    let packages = &session.snapshot().project().packages;
    let mut around: Vec<_> = packages
        .iter()
        .filter(|package| engine::is_below(path, &package.directory))
        .collect();
    around.sort_by_key(|package| std::cmp::Reverse(package.directory.len()));
    for package in &around {
        for (name, runner) in RUNNERS {
            if package.dependencies.iter().any(|known| known == name) {
                return Some((package.directory.clone(), runner));
            }
        }
    }
    let nearest = around.first()?;
    let manifest = joined(&nearest.directory, "package.json");
    mentions(session, &manifest, "node --test")
        .then(|| (nearest.directory.clone(), TestRunner::NodeTest))
}

fn ruby_runner(session: &Session, path: &str) -> (String, TestRunner) {
    let directory = nearest(session, path, &["Gemfile", ".rspec", "Rakefile"]).unwrap_or_default();
    let is_spec = path.ends_with("_spec.rb");
    let runner = if is_spec {
        TestRunner::Rspec
    } else if session
        .snapshot()
        .find(&joined(&directory, "bin/rails"))
        .is_some()
    {
        TestRunner::RailsTest
    } else {
        TestRunner::Minitest
    };
    (directory, runner)
}

/// What runs everything.
fn suite_line(session: &Session, runner: TestRunner, directory: &str) -> String {
    match runner {
        TestRunner::Pytest => "python -m pytest".to_owned(),
        TestRunner::Unittest => "python -m unittest discover".to_owned(),
        TestRunner::DjangoManage => "python manage.py test".to_owned(),
        TestRunner::CargoTest => "cargo test --workspace".to_owned(),
        TestRunner::Nextest => "cargo nextest run --workspace".to_owned(),
        TestRunner::GoTest => "go test ./...".to_owned(),
        TestRunner::Maven => "mvn test".to_owned(),
        TestRunner::Gradle => format!("{} test", gradle(session, directory)),
        TestRunner::Vitest => "npx vitest run".to_owned(),
        TestRunner::Jest => "npx jest".to_owned(),
        TestRunner::Mocha => "npx mocha".to_owned(),
        TestRunner::NodeTest => "node --test".to_owned(),
        TestRunner::Rspec => "bundle exec rspec".to_owned(),
        TestRunner::RailsTest => "bin/rails test".to_owned(),
        TestRunner::Minitest => "bundle exec rake test".to_owned(),
        TestRunner::Phpunit => "vendor/bin/phpunit".to_owned(),
        TestRunner::Pest => "vendor/bin/pest".to_owned(),
        TestRunner::DotnetTest => "dotnet test".to_owned(),
    }
}

fn gradle(session: &Session, directory: &str) -> &'static str {
    match session.snapshot().find(&joined(directory, "gradlew")) {
        Some(_) => "./gradlew",
        None => "gradle",
    }
}

/// Some tests of one runner.
struct SelectedTests<'a> {
    session: &'a Session,
    directory: &'a str,
    tests: &'a [CodeUnit],
    naming: Naming,
}

impl SelectedTests<'_> {
    /// Command lines, each with the number of tests that it runs.
    fn lines(&self, runner: TestRunner) -> Vec<(String, usize)> {
        match runner {
            TestRunner::Pytest => self.pytest(),
            TestRunner::Unittest => self.dotted("python -m unittest"),
            TestRunner::DjangoManage => self.dotted("python manage.py test"),
            TestRunner::CargoTest => self.cargo("cargo test", " --"),
            TestRunner::Nextest => self.cargo("cargo nextest run", ""),
            TestRunner::GoTest => self.go(),
            TestRunner::Maven => self.maven(),
            TestRunner::Gradle => self.gradle(),
            TestRunner::Vitest => self.script("npx vitest run", "-t"),
            TestRunner::Jest => self.script("npx jest", "-t"),
            TestRunner::Mocha => self.script("npx mocha", "-g"),
            TestRunner::NodeTest => self.script("node --test", "--test-name-pattern"),
            TestRunner::Rspec => self.by_line("bundle exec rspec"),
            TestRunner::RailsTest => self.by_line("bin/rails test"),
            TestRunner::Minitest => self.minitest(),
            TestRunner::Phpunit => self.php("vendor/bin/phpunit"),
            TestRunner::Pest => self.php("vendor/bin/pest"),
            TestRunner::DotnetTest => self.dotnet(),
        }
    }

    /// The tests by file, in order of path.
    fn by_file(&self) -> BTreeMap<FileId, Vec<CodeUnit>> {
        let mut files: BTreeMap<FileId, Vec<CodeUnit>> = BTreeMap::new();
        for test in self.tests {
            files.entry(test.file()).or_default().push(*test);
        }
        for tests in files.values_mut() {
            tests.sort_unstable();
            tests.dedup();
        }
        files
    }

    /// Whether a file is better named as a whole.
    fn is_most(&self, file: FileId, tests: &[CodeUnit]) -> bool {
        let n_of_file = || query::tests_of_file(&self.session.resolver(), file).len();
        self.are_many(tests.len()) || tests.len() >= n_of_file()
    }

    /// Whether so many tests of one thing are not named one by one.
    fn are_many(&self, n_tests: usize) -> bool {
        self.naming != Naming::Tests || n_tests > MAX_NAMED
    }

    /// The directories of the tests, without those inside of others.
    fn directories(&self) -> Vec<String> {
        let directory = |file: FileId| match self.path(file).rsplit_once('/') {
            Some((directory, _)) => directory.to_owned(),
            None => ".".to_owned(),
        };
        let all: BTreeSet<String> = self.by_file().into_keys().map(directory).collect();
        let is_inside = |inner: &String| {
            let mut outer = all.iter().filter(|outer| *outer != inner);
            outer.any(|outer| outer == "." || engine::is_below(inner, outer))
        };
        let outermost = all.iter().filter(|directory| !is_inside(directory));
        outermost.cloned().collect()
    }

    /// A line that names whole directories, of a runner that takes them; nothing where files or tests
    /// are named.
    fn of_directories(&self, command: &str) -> Option<Vec<(String, usize)>> {
        let words = || self.directories().into_iter().map(|of| quoted(&of));
        (self.naming == Naming::Directories).then(|| {
            let line = words().fold(command.to_owned(), |line, word| format!("{line} {word}"));
            vec![(line, self.tests.len())]
        })
    }

    fn path(&self, file: FileId) -> &str {
        below(self.session.path(file), self.directory)
    }

    /// The names of the types or modules around a test and its own.
    fn chain(&self, test: SymbolId) -> Vec<String> {
        self.session
            .facts(test.file)
            .map_or_else(Vec::new, |facts| names::chain(&facts, test.index))
    }

    fn pytest(&self) -> Vec<(String, usize)> {
        if let Some(lines) = self.of_directories("python -m pytest") {
            return lines;
        }
        let mut line = "python -m pytest".to_owned();
        for (file, tests) in self.by_file() {
            let path = self.path(file);
            if self.is_most(file, &tests) {
                line += &format!(" {}", quoted(path));
                continue;
            }
            for test in tests.iter().filter_map(|test| test.symbol()) {
                line += &format!(
                    " {}",
                    quoted(&format!("{path}::{}", self.chain(test).join("::")))
                );
            }
        }
        vec![(line, self.tests.len())]
    }

    fn dotted(&self, command: &str) -> Vec<(String, usize)> {
        let mut line = command.to_owned();
        for (file, tests) in self.by_file() {
            let path = self.path(file);
            let module = path
                .rsplit_once('.')
                .map_or(path, |(stem, _)| stem)
                .replace('/', ".");
            if self.is_most(file, &tests) {
                line += &format!(" {module}");
                continue;
            }
            for test in tests.iter().filter_map(|test| test.symbol()) {
                line += &format!(" {module}.{}", self.chain(test).join("."));
            }
        }
        vec![(line, self.tests.len())]
    }

    fn cargo(&self, command: &str, before_names: &str) -> Vec<(String, usize)> {
        let project = self.session.snapshot().project();
        let mut targets: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for test in self.tests.iter().filter_map(|test| test.symbol()) {
            let path = self.session.path(test.file);
            let own = project
                .cargo_crates
                .iter()
                .filter(|own| engine::is_below(path, &own.directory))
                .max_by_key(|own| own.directory.len());
            let Some(own) = own else {
                continue;
            };
            let package = project
                .units
                .iter()
                .find(|unit| {
                    unit.directory == own.directory && unit.manifest.ends_with("Cargo.toml")
                })
                .map_or(own.name.as_str(), |unit| unit.name.as_str());
            let inside = below(path, &own.directory);
            let target = match inside.split('/').collect::<Vec<_>>().as_slice() {
                ["tests", file] => format!(" --test {}", stem_of(file)),
                ["tests", directory, ..] => format!(" --test {directory}"),
                ["src", "bin", file, ..] => format!(" --bin {}", stem_of(file)),
                ["src", ..] if own.library.is_some() => " --lib".to_owned(),
                _ => String::new(),
            };
            // The nearest container and the name: paths of modules may be written anywhere.
            let chain = self.chain(test);
            let last = &chain[chain.len().saturating_sub(2)..];
            let of_target = targets.entry(format!(" -p {package}{target}")).or_default();
            of_target.push(last.join("::"));
        }
        let lines = targets.into_iter().map(|(target, mut names)| {
            let n_tests = names.len();
            names.sort();
            names.dedup();
            let names = match self.are_many(names.len()) {
                true => String::new(),
                false => format!("{before_names} {}", names.join(" ")),
            };
            (format!("{command}{target}{names}"), n_tests)
        });
        lines.collect()
    }

    fn go(&self) -> Vec<(String, usize)> {
        let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for test in self.tests.iter().filter_map(|test| test.symbol()) {
            let path = self.path(test.file);
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            let names = packages.entry(directory.to_owned()).or_default();
            names.insert(self.session.name(test));
        }
        let package = |directory: &str| match directory.is_empty() {
            true => ".".to_owned(),
            false => format!("./{directory}"),
        };
        if self.naming != Naming::Tests {
            let n_tests = packages.values().map(BTreeSet::len).sum();
            let packages = packages.keys().map(|directory| package(directory));
            let line = packages.fold("go test".to_owned(), |line, of| format!("{line} {of}"));
            return vec![(line, n_tests)];
        }
        let lines = packages.into_iter().map(|(directory, names)| {
            let package = package(&directory);
            let n_tests = names.len();
            let names: Vec<String> = names.into_iter().collect();
            let line = match n_tests > 4 * MAX_NAMED {
                true => format!("go test {package}"),
                false => format!("go test {package} -run '^({})$'", names.join("|")),
            };
            (line, n_tests)
        });
        lines.collect()
    }

    /// By type: its qualified name and the tests.
    fn by_type(&self) -> BTreeMap<(FileId, String), Vec<String>> {
        let mut types: BTreeMap<(FileId, String), Vec<String>> = BTreeMap::new();
        for test in self.tests.iter().filter_map(|test| test.symbol()) {
            let Some(facts) = self.session.facts(test.file) else {
                continue;
            };
            let snapshot = self.session.snapshot();
            let class = facts
                .container_chain(test.index)
                .into_iter()
                .rev()
                .find(|index| facts.symbol(*index).kind.is_type());
            let Some(class) = class else {
                continue;
            };
            let name = names::qualified_name(snapshot, test.file, &facts, class);
            let tests = types.entry((test.file, name)).or_default();
            let name = self.session.name(test);
            if !tests.contains(&name) {
                tests.push(name);
            }
        }
        types
    }

    fn maven(&self) -> Vec<(String, usize)> {
        let mut modules: BTreeMap<String, (Vec<String>, usize)> = BTreeMap::new();
        for ((file, class), tests) in self.by_type() {
            let path = self.session.path(file);
            let module = nearest(self.session, path, &["pom.xml"]).unwrap_or_default();
            let simple = class.rsplit('.').next().unwrap_or(&class);
            let (selected, n_tests) = modules.entry(module).or_default();
            selected.push(match self.are_many(tests.len()) {
                true => simple.to_owned(),
                false => format!("{simple}#{}", tests.join("+")),
            });
            *n_tests += tests.len();
        }
        let lines = modules.into_iter().map(|(module, (selected, n_tests))| {
            let module = match below(&module, self.directory) {
                "" => String::new(),
                module => format!(" -pl {} -am", quoted(module)),
            };
            let line = format!(
                "mvn{module} test -Dsurefire.failIfNoSpecifiedTests=false -Dtest='{}'",
                selected.join(",")
            );
            (line, n_tests)
        });
        lines.collect()
    }

    fn gradle(&self) -> Vec<(String, usize)> {
        let mut modules: BTreeMap<String, (Vec<String>, usize)> = BTreeMap::new();
        let build = ["build.gradle", "build.gradle.kts"];
        for ((file, class), tests) in self.by_type() {
            let path = self.session.path(file);
            let module = nearest(self.session, path, &build).unwrap_or_default();
            let (selected, n_tests) = modules.entry(module).or_default();
            match self.are_many(tests.len()) {
                true => selected.push(format!("--tests '{class}'")),
                false => {
                    let named = tests.iter().map(|test| format!("--tests '{class}.{test}'"));
                    selected.extend(named);
                }
            }
            *n_tests += tests.len();
        }
        let program = gradle(self.session, self.directory);
        let lines = modules.into_iter().map(|(module, (selected, n_tests))| {
            let module = match below(&module, self.directory) {
                "" => String::new(),
                module => format!(":{}:", module.replace('/', ":")),
            };
            (
                format!("{program} {module}test {}", selected.join(" ")),
                n_tests,
            )
        });
        lines.collect()
    }

    fn script(&self, command: &str, by_title: &str) -> Vec<(String, usize)> {
        let resolver = self.session.resolver();
        let files = self.by_file();
        let mut line = command.to_owned();
        let mut titles = BTreeSet::new();
        let mut is_named = true;
        for (file, tests) in &files {
            line += &format!(" {}", quoted(self.path(*file)));
            if self.is_most(*file, tests) {
                is_named = false;
            }
            for test in tests {
                let CodeUnit::Block(file, scope) = test else {
                    continue;
                };
                let title = resolver
                    .view(*file)
                    .and_then(|view| query::titles(&view, *scope).pop());
                match title {
                    Some(title) => drop(titles.insert(pattern(&title))),
                    None => is_named = false,
                }
            }
        }
        if is_named && (1..=MAX_NAMED).contains(&titles.len()) {
            let titles: Vec<String> = titles.into_iter().collect();
            line += &format!(" {by_title} {}", quoted(&titles.join("|")));
        }
        vec![(line, self.tests.len())]
    }

    fn by_line(&self, command: &str) -> Vec<(String, usize)> {
        if let Some(lines) = self.of_directories(command) {
            return lines;
        }
        let mut line = command.to_owned();
        for (file, tests) in self.by_file() {
            let path = self.path(file);
            if self.is_most(file, &tests) {
                line += &format!(" {}", quoted(path));
                continue;
            }
            for test in tests {
                let at = crate::tests_to_run::unit_line(self.session, test);
                line += &format!(" {}", quoted(&format!("{path}:{at}")));
            }
        }
        vec![(line, self.tests.len())]
    }

    fn minitest(&self) -> Vec<(String, usize)> {
        let lines = self.by_file().into_iter().map(|(file, tests)| {
            let symbols = tests.iter().filter_map(|test| test.symbol());
            let names: Vec<String> = symbols.map(|test| self.session.name(test)).collect();
            let path = quoted(self.path(file));
            let line = match self.is_most(file, &tests) {
                true => format!("bundle exec ruby -Itest -Ilib {path}"),
                false => format!(
                    "bundle exec ruby -Itest -Ilib {path} -n '/^({})$/'",
                    names.join("|")
                ),
            };
            (line, tests.len())
        });
        lines.collect()
    }

    fn php(&self, command: &str) -> Vec<(String, usize)> {
        let lines = self.by_file().into_iter().map(|(file, tests)| {
            let symbols = tests.iter().filter_map(|test| test.symbol());
            let names: Vec<String> = symbols.map(|test| self.session.name(test)).collect();
            let path = quoted(self.path(file));
            let line = match self.is_most(file, &tests) {
                true => format!("{command} {path}"),
                false => format!("{command} --filter '/::({})( |$)/' {path}", names.join("|")),
            };
            (line, tests.len())
        });
        lines.collect()
    }

    fn dotnet(&self) -> Vec<(String, usize)> {
        let mut selected = Vec::new();
        for ((_, class), tests) in self.by_type() {
            match self.are_many(tests.len()) {
                true => selected.push(format!("FullyQualifiedName~{class}.")),
                false => {
                    let named = tests.iter();
                    selected.extend(named.map(|test| format!("FullyQualifiedName~{class}.{test}")));
                }
            }
        }
        let line = format!("dotnet test --filter '{}'", selected.join("|"));
        vec![(line, self.tests.len())]
    }
}

/// The nearest directory around a path that holds one of these files.
fn nearest(session: &Session, path: &str, names: &[&str]) -> Option<String> {
    let mut directories = around(path);
    directories.find(|directory| {
        names
            .iter()
            .any(|name| session.snapshot().find(&joined(directory, name)).is_some())
    })
}

/// The outermost directory around one, itself included, that holds one of these files.
fn outermost(session: &Session, directory: &str, names: &[&str]) -> Option<String> {
    let inside = joined(directory, "x");
    let holding = around(&inside).filter(|directory| {
        names
            .iter()
            .any(|name| session.snapshot().find(&joined(directory, name)).is_some())
    });
    holding.last()
}

/// The directories around a path, the nearest first; the root is empty.
fn around(path: &str) -> impl Iterator<Item = String> {
    let outer = |path: &str| {
        path.rsplit_once('/')
            .map_or("", |(directory, _)| directory)
            .to_owned()
    };
    std::iter::successors(Some(outer(path)), move |directory| {
        (!directory.is_empty()).then(|| outer(directory))
    })
}

fn joined(directory: &str, name: &str) -> String {
    match directory.is_empty() {
        true => name.to_owned(),
        false => format!("{directory}/{name}"),
    }
}

/// A path as seen from a directory around it.
fn below<'a>(path: &'a str, directory: &str) -> &'a str {
    path.strip_prefix(directory)
        .map_or(path, |rest| rest.trim_start_matches('/'))
}

fn stem_of(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn mentions(session: &Session, path: &str, word: &str) -> bool {
    let file = session.snapshot().find(path);
    file.and_then(|file| session.text(file))
        .is_some_and(|text| text.contains(word))
}

/// A word for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A title as a regular expression that matches it.
fn pattern(title: &str) -> String {
    let mut pattern = String::new();
    for c in title.chars() {
        if "\\.+*?()[]{}|^$/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
