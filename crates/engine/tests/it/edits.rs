//! However a snapshot was reached, and whatever was asked of it before, its answers are those of an
//! engine that has seen nothing else.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    path::Path,
    process::Command,
    sync::Arc,
};

use engine::{
    Analysis, Budget, File, Found, Project, RepoPath, Resolver, Snapshot, SymbolId, query,
    query::search::{Lexicon, name_bits},
};
use extract::{Extractor, Limits};
use facts::{Facts, SymbolIndex};
use fixture::MemoryCorpus;
use proptest::prelude::*;

/// For each path the texts it may have: names come and go, bases change, modules are exported anew,
/// and some text does not parse.
const FILES: &[(&str, &[&str])] = &[
    (
        "shop/__init__.py",
        &[
            "from .cart import *\n",
            "from .cart import Cart as Basket\nfrom .order import Order\n",
            "",
        ],
    ),
    (
        "shop/cart.py",
        &[
            "class Base:\n    def total(self): ...\nclass Cart(Base):\n    def add(self): return self.total()\n",
            "from .order import Order\nclass Cart(Order):\n    def add(self): return self\n    def total(self): ...\n",
            "class Cart:\n    def add(self\n",
        ],
    ),
    (
        "shop/order.py",
        &[
            "class Order:\n    def total(self): ...\n    def pay(self): self.total()\n",
            "from .cart import Cart\nclass Order(Cart):\n    def pay(self): self.total()\n",
        ],
    ),
    (
        "app.py",
        &[
            "from shop import Cart\ndef main():\n    Cart().add().total()\n",
            "import shop\ndef main(x: shop.Order):\n    x.total()\n    shop.Basket().add()\n",
            "from shop import *\nCart().total()\n",
        ],
    ),
    (
        "web/index.ts",
        &[
            "export * from './store'\n",
            "export { Disk as Store } from './store'\n",
            "export * from './store'\nexport * from './page'\n",
        ],
    ),
    (
        "web/store.ts",
        &[
            "export interface Store { load(): string }\nexport class Disk implements Store { load() { return '' } }\n",
            "export class Disk { load() { return new Disk() } }\n",
            "export { Page } from './page'\nexport class Disk { load(\n",
        ],
    ),
    (
        "web/page.ts",
        &[
            "import { Store } from './index'\nexport class Page { constructor(private store: Store) {}\n  show() { this.store.load() } }\n",
            "import { Disk } from '.'\nexport class Page extends Disk { show() { this.load() } }\n",
        ],
    ),
    (
        "p/Shape.java",
        &[
            "package p;\ninterface Shape { int area(); }\n",
            "package p;\nabstract class Shape { abstract int area(); int twice() { return area(); } }\n",
            "package q;\nclass Shape {}\n",
        ],
    ),
    (
        "p/Circle.java",
        &[
            "package p;\nclass Circle implements Shape { public int area() { return 1; } }\n",
            "package p;\nclass Circle extends Shape { int area() { return new Circle().area(); } }\n",
        ],
    ),
    (
        "p/Main.kt",
        &[
            "package p\nfun main(shape: Shape) { shape.area() }\n",
            "package p\nimport q.Shape\nfun main(shape: Shape) { Circle().area() }\n",
        ],
    ),
    (
        "lib/job.rb",
        &[
            "class Job\n  def step; end\n  def run\n    step\n  end\nend\n",
            "module Job\n  def run\n    step\n  end\nend\n",
        ],
    ),
    (
        "lib/copy.rb",
        &[
            "class Copy < Job\n  def step; end\nend\nCopy.new.run\n",
            "class Job\n  def step; end\nend\nclass Copy\n  include Job\nend\n",
        ],
    ),
    (
        "g/a.go",
        &[
            "package g\n\ntype Closer interface { Close() }\n\nfunc Shut(c Closer) { c.Close() }\n",
            "package g\n\ntype Closer struct{}\n\nfunc (c Closer) Close() {}\n",
        ],
    ),
    (
        "g/b.go",
        &[
            "package g\n\ntype File struct{}\n\nfunc (f File) Close() {}\n",
            "package g\n\nfunc use() { Shut(Closer{}) }\n",
        ],
    ),
    (
        "Box.php",
        &[
            "<?php\nnamespace A;\nclass Box { function open() { return $this; } }\n(new Box())->open()->open();\n",
            "<?php\nnamespace B;\nuse A\\Lid;\nclass Box extends Lid { function open() { $this->close(); } }\n",
        ],
    ),
    (
        "Lid.php",
        &[
            "<?php\nnamespace A;\nclass Lid { function close() {} }\n",
            "<?php\nnamespace A;\nclass Lid extends Box {}\n",
        ],
    ),
];

type Files = BTreeMap<String, String>;

/// Everything that was ever extracted, as a store keeps it: contents of other moments stay in it.
#[derive(Default)]
struct Seen {
    contents: Vec<(Facts, String)>,
    by_text: HashMap<(String, String), usize>,
}

impl Seen {
    fn snapshot(&mut self, files: &Files, project: &Project) -> Arc<Snapshot> {
        let mut extractor = Extractor::new();
        let mut wanted = Vec::new();
        for (path, text) in files {
            let language =
                extract::language_of(path, text.as_bytes()).unwrap_or(&extract::PLAIN_TEXT);
            let contents = &mut self.contents;
            let i = *self
                .by_text
                .entry((language.name.to_owned(), text.clone()))
                .or_insert_with(|| {
                    contents.push((
                        extractor.extract(language, text, &Limits::default()),
                        text.clone(),
                    ));
                    contents.len() - 1
                });
            wanted.push((path.clone(), i, language.id));
        }
        let mut corpus = MemoryCorpus::default();
        let numbers: Vec<_> = self
            .contents
            .iter()
            .map(|(facts, text)| corpus.add(facts.clone(), text))
            .collect();
        let files = wanted.into_iter().map(|(path, i, language)| File {
            path: RepoPath::new(&path),
            content: numbers[i],
            language,
        });
        Arc::new(Snapshot::new(
            Arc::new(corpus),
            files.collect(),
            project.clone(),
        ))
    }
}

#[derive(Clone, Copy)]
enum Question {
    Definitions(u32),
    Symbol(SymbolId),
}

fn questions(snapshot: &Snapshot) -> Vec<Question> {
    let mut found = Vec::new();
    for (file, entry) in snapshot.files() {
        let Some(facts) = snapshot.corpus().facts(entry.content) else {
            continue;
        };
        found.push(Question::Definitions(file.0));
        found.extend((0..facts.symbols.len() as u32).map(|i| {
            Question::Symbol(SymbolId {
                file,
                index: SymbolIndex(i),
            })
        }));
    }
    found
}

/// An answer in words: places rather than ids, which belong to one snapshot.
fn answer(resolver: &Resolver<'_>, question: Question) -> String {
    let mut text = String::new();
    let place = |symbol: SymbolId| {
        let view = resolver.view(symbol.file).expect("a file of the snapshot");
        fixture::place(
            resolver.snapshot(),
            symbol.file,
            view.symbol(symbol.index).name_span.start,
        )
    };
    match question {
        Question::Definitions(file) => {
            let Some(view) = resolver.view(engine::FileId(file)) else {
                return text;
            };
            for reference in &view.facts.references {
                let resolution = resolver.resolve(&view, reference);
                let targets: Vec<String> = resolution
                    .targets
                    .iter()
                    .map(|found| match found {
                        Found::Symbol(symbol) => place(*symbol),
                        Found::Binding(file, id) => fixture::place(
                            resolver.snapshot(),
                            *file,
                            resolver.view(*file).map_or(0, |view| {
                                view.facts.bindings[id.0 as usize].name_span.start
                            }),
                        ),
                        other => format!("{other:?}"),
                    })
                    .collect();
                let _ = writeln!(
                    text,
                    "{} {} {targets:?}",
                    fixture::place(resolver.snapshot(), view.id, reference.span.start),
                    resolution.outcome.as_str()
                );
            }
        }
        Question::Symbol(symbol) => {
            let _ = writeln!(text, "{}", place(symbol));
            for mention in query::references(resolver, symbol).value {
                let at = fixture::place(resolver.snapshot(), mention.file, mention.span.start);
                let _ = writeln!(
                    text,
                    "reference {at} {} {}",
                    mention.role.as_str(),
                    mention.outcome.as_str()
                );
            }
            let (callers, outside) = query::callers(resolver, symbol).value;
            for call in callers {
                let _ = writeln!(
                    text,
                    "caller {} {} {}",
                    place(call.symbol),
                    call.outcome.as_str(),
                    call.sites.len()
                );
            }
            let _ = writeln!(text, "outside {}", outside.len());
            for call in query::callees(resolver, symbol).value.0 {
                let _ = writeln!(
                    text,
                    "callee {} {}",
                    place(call.symbol),
                    call.outcome.as_str()
                );
            }
            let implicit = [
                ("run by", query::implicit_callers(resolver, symbol).value),
                ("runs", query::implicit_callees(resolver, symbol).value),
            ];
            for (word, calls) in implicit {
                for call in calls {
                    let at = call.site.span.start;
                    let at = fixture::place(resolver.snapshot(), call.site.file, at);
                    let other = call.symbol.map(&place).unwrap_or_default();
                    let (kind, outcome) = (call.kind.as_str(), call.outcome.as_str());
                    let _ = writeln!(text, "{word} {other} {at} {kind} {outcome}");
                }
            }
            let hierarchy = query::hierarchy(resolver, symbol).value;
            for related in hierarchy.bases.iter().chain(&hierarchy.interfaces) {
                let name = match related {
                    query::Related::Symbol(symbol) => place(*symbol),
                    query::Related::Library(name) => name.clone(),
                };
                let _ = writeln!(text, "above {name}");
            }
            for derived in hierarchy.derived {
                let _ = writeln!(text, "derived {}", place(derived));
            }
        }
    }
    text
}

/// Asks an engine that has seen much, in an order of its own, and for each question one that has
/// seen nothing.
fn compare(seen: &mut Seen, files: &Files, order: u64, most: usize) {
    let project = Project::default();
    let warm_snapshot = seen.snapshot(files, &project);
    let warm = Analysis::new(warm_snapshot.clone());
    let cold_snapshot = Seen::default().snapshot(files, &project);
    let mut all = questions(&warm_snapshot);
    let mut state = order | 1;
    for i in (1..all.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        all.swap(i, (state >> 33) as usize % (i + 1));
    }
    all.truncate(most);
    for question in all {
        let budget = Budget::unlimited();
        let warm_answer = answer(&warm.resolver(&budget), question);
        let cold = Analysis::new(cold_snapshot.clone());
        let cold_answer = answer(&cold.resolver(&budget), question);
        assert_eq!(warm_answer, cold_answer, "with {files:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_random_edits_answers_equal_those_of_a_cold_engine(
        edits in proptest::collection::vec((0..FILES.len(), 0..4_usize, any::<u64>()), 1..8),
        first in proptest::collection::vec(0..4_usize, FILES.len()),
    ) {
        let text_of = |(path, texts): &(&str, &[&str]), which: usize| texts.get(which).map(|text| ((*path).to_owned(), (*text).to_owned()));
        let mut files: Files = FILES.iter().zip(&first).filter_map(|(file, which)| text_of(file, *which)).collect();
        let mut seen = Seen::default();
        compare(&mut seen, &files, 1, usize::MAX);
        for (file, which, order) in edits {
            match text_of(&FILES[file], which) {
                Some((path, text)) => files.insert(path, text),
                None => files.remove(FILES[file].0),
            };
            compare(&mut seen, &files, order, usize::MAX);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_lexicon_that_follows_edits_equals_one_made_anew(
        edits in proptest::collection::vec((0..FILES.len(), 0..4_usize), 1..12),
        first in proptest::collection::vec(0..4_usize, FILES.len()),
    ) {
        let text_of = |(path, texts): &(&str, &[&str]), which: usize| texts.get(which).map(|text| ((*path).to_owned(), (*text).to_owned()));
        let mut files: Files = FILES.iter().zip(&first).filter_map(|(file, which)| text_of(file, *which)).collect();
        let mut seen = Seen::default();
        let mut snapshot = seen.snapshot(&files, &Project::default());
        let mut lexicon = Lexicon::from_facts(&snapshot);
        for (file, which) in edits {
            match text_of(&FILES[file], which) {
                Some((path, text)) => files.insert(path, text),
                None => files.remove(FILES[file].0),
            };
            let next = seen.snapshot(&files, &Project::default());
            lexicon = lexicon.after(&snapshot, &next).expect("few contents differ");
            snapshot = next;
            let anew = Lexicon::from_facts(&snapshot);
            for word in ["total", "Cart", "cart", "TOTAL", "o", "lo", "sho", "Circl", "basket", "main", "close", "Shape"] {
                prop_assert_eq!(lexicon.contains(word), anew.contains(word));
                prop_assert_eq!(lexicon.folded(word).collect::<Vec<_>>(), anew.folded(word).collect::<Vec<_>>());
                for limit in [1, 3, 100] {
                    prop_assert_eq!(lexicon.beginning(word, limit), anew.beginning(word, limit));
                    prop_assert_eq!(lexicon.containing(word, limit), anew.containing(word, limit));
                    prop_assert_eq!(lexicon.like(word, 0.2, limit), anew.like(word, 0.2, limit));
                    prop_assert_eq!(lexicon.files_like(word, 0.2, limit), anew.files_like(word, 0.2, limit));
                    prop_assert_eq!(lexicon.files_beginning(word, limit), anew.files_beginning(word, limit));
                }
                let hashed = |lexicon: &Lexicon| lexicon.hashed(name_bits(word), 32).map(str::to_owned).collect::<Vec<_>>();
                prop_assert_eq!(hashed(&lexicon), hashed(&anew));
            }
        }
    }
}

/// A real repository of fifty commits, each an edit of some files, replayed from its history.
#[test]
fn a_history_of_fifty_commits_replays_to_the_answers_of_a_cold_engine() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path();
    git(root, &["init", "--quiet", "--initial-branch=main"]);
    let mut state: u64 = 20_261_116;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for commit in 0..50 {
        for _ in 0..=next(3) {
            let (path, texts) = FILES[next(FILES.len())];
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            match texts.get(next(texts.len() + 1)) {
                Some(text) => std::fs::write(path, text).expect("a file"),
                None => drop(std::fs::remove_file(path)),
            }
        }
        git(root, &["add", "--all"]);
        git(
            root,
            &[
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                &commit.to_string(),
            ],
        );
    }
    assert_eq!(replay(root, 50, 60), 50);
}

/// `REPLAY_REPOSITORY=<checkout> cargo test -p engine --test it edits -- --ignored --nocapture`: its
/// last fifty commits.
#[test]
#[ignore = "needs a checkout in REPLAY_REPOSITORY"]
fn a_real_history_replays_to_the_answers_of_a_cold_engine() {
    let root = std::env::var("REPLAY_REPOSITORY").expect("REPLAY_REPOSITORY names a checkout");
    let started = std::time::Instant::now();
    let n_commits = replay(Path::new(&root), 50, 40);
    println!(
        "{root}: {n_commits} commits, 40 questions each, {:.0?}",
        started.elapsed()
    );
    assert!(n_commits > 1);
}

/// Takes in commit after commit, oldest first, and compares some answers at each; gives how many
/// commits there were.
fn replay(root: &Path, n_commits: usize, n_questions: usize) -> usize {
    let log = git(
        root,
        &[
            "log",
            "--first-parent",
            "--format=%H",
            &format!("-{n_commits}"),
        ],
    );
    let mut commits: Vec<&str> = log.lines().collect();
    commits.reverse();
    let mut seen = Seen::default();
    let mut blobs: HashMap<String, Option<String>> = HashMap::new();
    for (i, commit) in commits.iter().enumerate() {
        let tree = git(root, &["ls-tree", "-r", commit]);
        let mut files = Files::new();
        for line in tree.lines() {
            let Some((entry, path)) = line.split_once('\t') else {
                continue;
            };
            let id = entry.split(' ').nth(2).unwrap_or_default().to_owned();
            if extract::language_of(path, b"").is_none_or(|language| language.semantics.is_none()) {
                continue;
            }
            let text = blobs.entry(id.clone()).or_insert_with(|| {
                Some(git(root, &["cat-file", "blob", &id])).filter(|text| text.len() < 500_000)
            });
            if let Some(text) = text {
                files.insert(path.to_owned(), text.clone());
            }
        }
        compare(&mut seen, &files, i as u64, n_questions);
    }
    commits.len()
}

fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .expect("git");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
