//! Cycles, types that refer to themselves, a name that everybody uses, doubles and broken code:
//! bounded work, and an answer that says when it is not whole.

use std::{fmt::Write as _, sync::Arc};

use engine::{Analysis, Budget, Cut, File, Outcome, Project, RepoPath, Snapshot, SymbolId, query};
use extract::{Extractor, Limits};
use facts::SymbolIndex;
use fixture::MemoryCorpus;

/// Far more than these small repositories need, far less than going round in circles takes.
const ENOUGH: u64 = 200_000;

/// Asks everything about everything; every question stays within its budget.
#[track_caller]
fn ask_everything(repository: &str) {
    let fixture = fixture::repository(repository);
    let analysis = Analysis::new(fixture.snapshot.clone());
    for (file, entry) in fixture.snapshot.files() {
        let Some(facts) = fixture.snapshot.corpus().facts(entry.content) else {
            continue;
        };
        let budget = Budget::new(ENOUGH, None, Arc::default());
        let resolver = analysis.resolver(&budget);
        if let Some(view) = resolver.view(file) {
            for reference in &view.facts.references {
                resolver.resolve(&view, reference);
            }
        }
        assert_eq!(budget.cut(), None, "definitions of {}", entry.path);
        for i in 0..facts.symbols.len() as u32 {
            let symbol = SymbolId {
                file,
                index: SymbolIndex(i),
            };
            let budget = Budget::new(ENOUGH, None, Arc::default());
            let resolver = analysis.resolver(&budget);
            query::references(&resolver, symbol);
            query::callers(&resolver, symbol);
            query::callees(&resolver, symbol);
            query::implicit_callers(&resolver, symbol);
            query::implicit_callees(&resolver, symbol);
            query::hierarchy(&resolver, symbol);
            query::overriding(&resolver, symbol);
            assert_eq!(
                budget.cut(),
                None,
                "{} of {}",
                facts.name(facts.symbols[i as usize].name),
                entry.path
            );
        }
    }
}

#[test]
fn import_cycles() {
    ask_everything(
        "//- a.py\nfrom b import *\nfrom b import x\nx()\n//- b.py\nfrom c import *\nfrom c import x\n//- c.py\nfrom a import *\nfrom a import x\n",
    );
    ask_everything(
        "//- a.ts\nexport * from './b'\nexport { x } from './b'\nimport { x as y } from './b'\ny()\n//- b.ts\nexport * from './a'\nexport { x } from './a'\n",
    );
    ask_everything(
        "//- a.js\nconst b = require('./b')\nmodule.exports = { ...b, f: b.f }\nb.f()\n//- b.js\nconst a = require('./a')\nmodule.exports = { ...a, f: a.f }\n",
    );
    ask_everything(
        "//- src/lib.rs\nmod a; mod b;\n//- src/a.rs\npub use crate::b::*;\npub use crate::b::X;\n//- src/b.rs\npub use crate::a::*;\npub use crate::a::X;\nfn f() { X::new(); }\n",
    );
    ask_everything(
        "//- a.h\n#include \"b.h\"\nint f(void);\n//- b.h\n#include \"a.h\"\nint g(void);\n//- c.c\n#include \"a.h\"\nint f(void) { return g(); }\n",
    );
}

#[test]
fn inheritance_cycles() {
    ask_everything(
        "//- a.py\nclass A(B):\n    def f(self): self.g()\nclass B(C):\n    def g(self): self.f()\nclass C(A): ...\nclass D(D): ...\nA().h()\n",
    );
    ask_everything(
        "//- a.ts\nclass A extends B { f() { this.g() } }\nclass B extends A { g() { this.f() } }\ninterface I extends J {}\ninterface J extends I { x(): I }\nfunction h(i: I) { i.x().x().y() }\n",
    );
    ask_everything(
        "//- A.java\nclass A extends B { void f() { g(); } }\nclass B extends A { void g() { f(); h(); } }\ninterface I extends I { }\n",
    );
    ask_everything(
        "//- a.rb\nclass A < B\n  def f; g; end\nend\nclass B < A\n  def g; f; h; end\nend\nmodule M\n  include M\n  def m; n; end\nend\n",
    );
    ask_everything(
        "//- a.kt\nopen class A : B() { fun f() { g() } }\nopen class B : A() { fun g() { f(); h() } }\n",
    );
    ask_everything(
        "//- a.php\n<?php\nclass A extends B { function f() { $this->g(); parent::g(); } }\nclass B extends A { function g() { $this->f(); $this->h(); } }\ntrait T { use T; }\n",
    );
    ask_everything(
        "//- a.cc\nclass B;\nclass A : public B { void f() { g(); } };\nclass B : public A { void g() { f(); h(); } };\n",
    );
    ask_everything(
        "//- a.cs\nclass A : B { void F() { G(); base.G(); } }\nclass B : A { void G() { F(); H(); } }\n",
    );
    ask_everything(
        "//- a.go\npackage a\n\ntype A struct { B }\n\ntype B struct { A }\n\nfunc f(a A) { a.g() }\n\ntype I interface { J }\n\ntype J interface { I; m() }\n",
    );
}

#[test]
fn types_and_values_that_refer_to_themselves() {
    ask_everything(
        "//- a.ts\ntype A = A\ntype B = C[]\ntype C = B | A\nfunction f(a: A, b: B) { a.x(); b[0].y() }\nconst v = v.w()\nlet { p } = p.q\nclass N<T extends N<T>> { next(): N<N<T>> { return this.next().next() } }\n",
    );
    ask_everything(
        "//- a.py\nx = x.y()\ndef f(): return f()\ndef g(): return h().a\ndef h(): return g().b\nf().z()\ng().z()\nclass A:\n    def __init__(self): self.a = self.a.b\n    def m(self): return self.a.m().m()\n",
    );
    ask_everything(
        "//- A.java\nclass A<T extends A<A<T>>> { A<A<T>> a = a.a.a; A<T> f() { return f().f().a; } }\n",
    );
    ask_everything(
        "//- src/lib.rs\ntype A = B; type B = A;\nstruct S<T>(Box<S<S<T>>>);\nimpl<T> std::ops::Deref for S<T> { type Target = S<T>; fn deref(&self) -> &S<T> { self } }\nfn f(s: S<A>) { s.x().y(); }\n",
    );
    ask_everything(
        "//- A.cs\nstatic class E { public static void Go<T>(this T it) where T : Base { it.Run(); Run(); Nowhere(); } }\nclass Base { public void Run() {} }\nclass C { void M(Base b) { b.Go(); } }\n",
    );
    ask_everything(
        "//- b.kt\nfun <T : Comparable<T>> T.go(): T { near(); return this.go().near() }\nfun f(s: String) { s.go() }\n",
    );
    // A name that is imported, asked for as if it were exported: its symbol has a number of another
    // file.
    ask_everything(
        "//- a.ts\nexport const p = 1, q = 2, r = 3\nexport function set() {}\n//- b.ts\nimport { set } from './a'\nset()\n//- c.ts\nimport { set } from './b'\nset()\nexport * from './b'\n",
    );
    ask_everything("//- a.rb\nA = B\nB = A\nA.new.f\ndef f; f; end\nf.g.h\n");
    ask_everything(
        "//- a.kt\ntypealias A = B\ntypealias B = A\nval x = x.y()\nfun f() = g()\nfun g() = f()\nfun h() { f().z(); x.z() }\n",
    );
    ask_everything(
        "//- a.go\npackage a\n\ntype A B\n\ntype B A\n\ntype L struct { next *L }\n\nfunc (l *L) Next() *L { return l.next.Next().next }\n",
    );
}

/// Ten thousand calls in each of a hundred files.
#[test]
fn a_million_references_to_one_name() {
    let mut text = String::from("from lib import target\n");
    for i in 0..10_000 {
        let _ = writeln!(text, "target({i})");
    }
    let mut corpus = MemoryCorpus::default();
    let mut extractor = Extractor::new();
    let mut entries = Vec::new();
    for (paths, text) in [
        (
            (0..1).map(|_| "lib.py".to_owned()).collect::<Vec<_>>(),
            "def target(n): ...\n",
        ),
        ((0..100).map(|i| format!("use{i}.py")).collect(), &text),
    ] {
        let language = extract::language_of(&paths[0], text.as_bytes()).expect("Python");
        let content = corpus.add(extractor.extract(language, text, &Limits::default()), text);
        entries.extend(paths.iter().map(|path| File {
            path: RepoPath::new(path),
            content,
            language: language.id,
        }));
    }
    let snapshot = Arc::new(Snapshot::new(Arc::new(corpus), entries, Project::default()));
    let analysis = Analysis::new(snapshot.clone());
    let budget = Budget::new(50_000, None, Arc::default());
    let resolver = analysis.resolver(&budget);
    let target = resolver.symbols_named("target")[0];
    let found = query::references(&resolver, target);
    assert_eq!(found.cut, Some(Cut::Work));
    assert!(
        !found.value.is_empty() && found.value.len() < 50_000,
        "{}",
        found.value.len()
    );
    let budget = Budget::new(50_000, None, Arc::default());
    let (callers, outside) = {
        let found = query::callers(&analysis.resolver(&budget), target);
        assert_eq!(found.cut, Some(Cut::Work));
        found.value
    };
    assert!(callers.is_empty() && !outside.is_empty());
    let budget = Budget::new(50_000, None, Arc::default());
    assert_eq!(
        query::accounted_references(&analysis.resolver(&budget), &[target]).cut,
        Some(Cut::Work)
    );
}

#[test]
fn an_answer_that_ran_out_of_steps_for_values_says_so_each_time() {
    const LEVELS: usize = 60;
    let mut text = "def value(): ...\ndef plain(): ...\nplain()\n".to_owned();
    for i in 0..LEVELS {
        let _ = writeln!(text, "def level{i}(run{i}):\n    level{}(run{i})", i + 1);
    }
    let _ = writeln!(text, "def level{LEVELS}(run):\n    run()\nlevel0(value)");
    let fixture = fixture::repository(&format!("//- a.py\n{text}"));
    let analysis = Analysis::new(fixture.snapshot.clone());
    let callers = |name: &str| {
        let budget = Budget::unlimited();
        let resolver = analysis.resolver(&budget);
        let symbol = resolver.symbols_named(name)[0];
        let found = query::callers(&resolver, symbol);
        assert_eq!(found.cut, budget.cut());
        (found.value, found.cut)
    };
    let first = callers("value");
    assert_eq!(first.1, Some(Cut::Values));
    assert_eq!(callers("value"), first);
    let (_, cut) = callers("plain");
    assert_eq!(cut, None, "one answer says nothing about another");
}

#[test]
fn doubles_are_shown_and_none_is_chosen() {
    let outcome_at_cursor = |repository: &str| {
        let fixture = fixture::repository(repository);
        let analysis = Analysis::new(fixture.snapshot.clone());
        let budget = Budget::unlimited();
        let (file, offset) = fixture.cursor.expect("a cursor");
        let found = query::definition_at(&analysis.resolver(&budget), file, offset)
            .expect("something")
            .resolution;
        (found.outcome, found.symbols().count())
    };
    let unknown = "//- a.py\nclass A:\n    def pay(self): ...\nclass B:\n    def pay(self): ...\ndef f(x):\n    x.p$0ay()\n";
    assert_eq!(outcome_at_cursor(unknown), (Outcome::Ambiguous, 2));
    // The later of two functions of one name is what a name means in Python; both stand in the list
    // of definitions.
    ask_everything(
        "//- a.py\ndef f(): ...\ndef f(): ...\nclass C: ...\nclass C:\n    def m(self): f()\nC().m()\n",
    );
    ask_everything(
        "//- a.php\n<?php\nif (!function_exists('f')) { function f() {} }\nfunction f() {}\nf();\nclass C {}\nclass C { function m() {} }\n(new C)->m();\n",
    );
    ask_everything(
        "//- p/A.java\npackage p;\nclass A { void m() {} }\n//- p/B.java\npackage p;\nclass A { void m() {} void n() { m(); new A().m(); } }\n",
    );
    ask_everything(
        "//- a.c\nstatic int f(void) { return 1; }\nint a(void) { return f(); }\n//- b.c\nstatic int f(void) { return 2; }\nint b(void) { return f(); }\n",
    );
}

#[test]
fn broken_code_and_unknown_languages() {
    let broken = "//- a.py\ndef before(): ...\nbef$0ore()\nclass (((:\n    def = = =\n";
    let fixture = fixture::repository(broken);
    let analysis = Analysis::new(fixture.snapshot.clone());
    let budget = Budget::unlimited();
    let resolver = analysis.resolver(&budget);
    let (file, offset) = fixture.cursor.expect("a cursor");
    let view = resolver.view(file).expect("a file");
    assert!(
        !view.facts.problems.is_empty(),
        "the facts say that not all of it was understood"
    );
    let found = query::definition_at(&resolver, file, offset)
        .expect("a reference")
        .resolution;
    assert_eq!(
        (found.outcome, found.symbols().count()),
        (Outcome::Static, 1)
    );
    for text in [
        "//- a.ts\nclass A { f( { this.g()\n",
        "//- A.java\nclass A { void f( { g(; }\n",
        "//- a.kt\nclass A { fun f( = g(\n",
        "//- a.rb\nclass A\n def f(\n g\n",
        "//- a.php\n<?php class A { function f( { $this->g(\n",
        "//- a.go\npackage a\nfunc f( { g(\n",
        "//- src/lib.rs\nfn f( { g(\n",
        "//- a.cc\nclass A { void f( { g(\n",
        "//- a.cs\nclass A { void F( { G(\n",
        "//- a.unknown\nf()\n",
        "//- a.c\nint f( { g(\n",
    ] {
        ask_everything(text);
    }
}

/// Bundled scripts hand functions to functions in circles of hundreds, and classes stand in each
/// other's headers.
#[test]
fn a_circle_of_many_costs_each_of_them_once() {
    const N: usize = 60;
    let mut script = String::from("//- bundle.js\n");
    let mut classes = String::from("//- classes.cs\n");
    for i in 0..N {
        let (next, far) = ((i + 1) % N, (i + 7) % N);
        script.push_str(&format!("var f{i} = function (x) {{ return f{next}(function (y) {{ return f{far}(y, x).go(function (z) {{ return z.f{next}(y) }}) }}) }};\n"));
        classes.push_str(&format!(
            "class C{i} : C{next}<C{far}.Inner>, C{far} {{ public class Inner : C{next} {{ C{far} Make(C{i} c) => c.Made; }} }}\n"
        ));
    }
    let fixture = fixture::repository(&format!("{script}{classes}"));
    let analysis = Analysis::new(fixture.snapshot.clone());
    for i in 0..N {
        for name in [format!("f{i}"), format!("C{i}")] {
            let budget = Budget::new(1_000_000, None, Arc::default());
            let resolver = analysis.resolver(&budget);
            let symbol = resolver.symbols_named(&name)[0];
            let found = query::references(&resolver, symbol);
            assert_eq!(found.cut, None, "{name}");
            assert!(!found.value.is_empty(), "{name}");
        }
    }
}
