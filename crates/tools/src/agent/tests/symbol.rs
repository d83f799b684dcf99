//! `symbol` on small repositories.

use expect_test::expect;
use serde_json::json;

use super::{AgentServer, SHOP, commit};

#[test]
fn a_symbol_without_show_is_summed_up() {
    let server = AgentServer::new(SHOP);
    server.check(
        "symbol",
        json!({ "symbols": ["Cart.total"] }),
        expect![[r#"
            shop/cart.py:10-12 def Cart.total(self, tax=0)
            The sum of all items.
            overridden by 1: shop/cart.py:20 GiftCart.total
            callers 3: shop/app.py:18, shop/app.py:6 checkout, tests/test_cart.py:5 test_total
        "#]],
    );
    server.check(
        "symbol",
        json!({ "symbols": ["GiftCart"] }),
        expect![[r#"
        shop/cart.py:19-21 class GiftCart(Cart)
        members 1: 20 total
        supertypes 1: shop/cart.py:4 Cart
    "#]],
    );
}

#[test]
fn callers_stand_on_the_line_of_their_name_with_their_call_sites() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "symbols": ["Cart.total"], "show": ["callers"] });
    server.check(
        "symbol",
        ask,
        expect![[r#"
        shop/cart.py:10-12 def Cart.total(self, tax=0)
        callers: 3 in 2 files
        shop/app.py
          top level  18
          6 checkout  7,9,10
        tests/test_cart.py
          5 test_total  6
    "#]],
    );
}

#[test]
fn references_say_how_each_place_refers() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "symbols": ["Cart"], "show": ["references"] });
    server.check(
        "symbol",
        ask,
        expect![[r#"
        shop/cart.py:4-16 class Cart
        references: 7 in 3 files
        shop/app.py
          top level  1 import 18 call
          6 checkout  6 type
        shop/cart.py
          19 GiftCart  19 inherit
        tests/test_cart.py
          top level  2 import
          5 test_total  6 call
          9 test_checkout  10 call
    "#]],
    );
}

#[test]
fn an_ambiguous_name_is_answered_for_the_best_with_the_others_beside() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "symbols": ["total"], "show": ["signature"] });
    server.check(
        "symbol",
        ask,
        expect![[r#"
        shop/cart.py:10-12 def Cart.total(self, tax=0)
        also shop/cart.py:20 GiftCart.total
        also shop/report.py:2 Report.total
        The sum of all items.
    "#]],
    );
}

#[test]
fn what_only_a_name_tells_is_marked() {
    let server = AgentServer::new(
        "//- shop.py
class Cart:
    def check_out(self): ...
def run(thing):
    thing.check_out()
def sure(cart: Cart):
    cart.check_out()
",
    );
    server.check(
        "symbol",
        json!({ "symbols": ["Cart.check_out"], "show": ["callers"] }),
        expect![[r#"
            shop.py:2 def Cart.check_out(self)
            callers: 2 in 1 file; ? by the name alone, not sure
            shop.py
              3 run  4 ?
              5 sure  6
        "#]],
    );
    server.check(
        "symbol",
        json!({ "symbols": ["run"], "show": ["callees"] }),
        expect![[r#"
            shop.py:3-4 def run(thing)
            callees: 1; ? by the name alone, not sure
            shop.py
              2 Cart.check_out  at 4 ?
        "#]],
    );
}

#[test]
fn an_inherited_member_is_answered_through_the_type_that_inherits_it() {
    let server = AgentServer::new(
        "//- shop.py
class Store:
    def save(self): ...
class UserStore(Store): ...
",
    );
    server.check(
        "symbol",
        json!({ "symbols": ["UserStore.save"], "show": ["signature"] }),
        expect![[r#"
            shop.py:2 def Store.save(self)
            UserStore.save is inherited from Store
        "#]],
    );
}

#[test]
fn what_is_not_there_is_told_with_its_reason() {
    let large = "go();\n".repeat(300_000);
    let server = AgentServer::new(&format!("//- a.py\nx = 1\ny = 2\n//- large.js\n{large}"));
    for (name, reason) in [
        ("a.py:999", "no line 999: `a.py` has 2 lines"),
        ("missing.py", "no file `missing.py`"),
        ("missing.py:3", "no file `missing.py`"),
        ("../../../etc/passwd", "is not a path below"),
        ("nothing", "not read, for their size: large.js"),
    ] {
        let ask = json!({ "symbols": [name], "show": ["callers"] });
        let error = server.call("symbol", ask).unwrap_err();
        assert!(error.contains(reason), "{name}: {error}");
    }
}

#[test]
fn every_section_has_its_form() {
    let server = AgentServer::new(SHOP);
    for (show, name, expected) in [
        (
            "definition",
            "Cart.size",
            expect![[r#"
            shop/cart.py:14-16
            14     @property
            15     def size(self):
            16         return len(self.items)
        "#]],
        ),
        (
            "callees",
            "checkout",
            expect![[r#"
            shop/app.py:6-11 def checkout(cart: Cart)
            callees: 3
            shop/cart.py
              10 Cart.total  at 7,9,10
              20 GiftCart.total  at 7,9,10 ~
            shop/app.py
              14 log  at 10
        "#]],
        ),
        (
            "implementations",
            "Cart",
            expect![[r#"
            shop/cart.py:4-16 class Cart
            implementations: 1 in 1 file
            shop/cart.py
              19 GiftCart
        "#]],
        ),
        (
            "overrides",
            "Cart.total",
            expect![[r#"
            shop/cart.py:10-12 def Cart.total(self, tax=0)
            overridden by: 1 in 1 file
            shop/cart.py
              20 GiftCart.total
        "#]],
        ),
        (
            "overrides",
            "GiftCart.total",
            expect![[r#"
            shop/cart.py:20-21 def GiftCart.total(self, tax=0)
            overrides shop/cart.py:10 Cart.total
            overridden by: none
        "#]],
        ),
        (
            "supertypes",
            "GiftCart",
            expect![[r#"
            shop/cart.py:19-21 class GiftCart(Cart)
            supertypes: 1
              shop/cart.py:4 Cart
        "#]],
        ),
        (
            "subtypes",
            "Cart",
            expect![[r#"
            shop/cart.py:4-16 class Cart
            subtypes: 1
              shop/cart.py:19 GiftCart
        "#]],
        ),
        (
            "tests",
            "Cart.total",
            expect![[r#"
            shop/cart.py:10-12 def Cart.total(self, tax=0)
            tests: 2, nearest first
            run: python -m pytest tests/test_cart.py
            tests/test_cart.py
              5 test_total calls Cart.total
              9 test_checkout calls checkout calls Cart.total
        "#]],
        ),
        (
            "dead",
            "Cart.total",
            expect![[r#"
            shop/cart.py:10-12 def Cart.total(self, tax=0)
            dead: no, it is used or may be used from outside
        "#]],
        ),
        (
            "outline",
            "Cart",
            expect![[r#"
            shop/cart.py:4-16 class Cart
              7-8 def __init__(self)
              8 self.items = []
              10-12 def total(self, tax=0)
              15-16 def size(self)
        "#]],
        ),
        (
            "outline",
            "shop/app.py",
            expect![[r#"
            shop/app.py 18 lines
              6-11 def checkout(cart: Cart)
              14-15 def log(amount)
              18 DEFAULT = Cart().total()
        "#]],
        ),
        (
            "source",
            "shop/app.py:6-8",
            expect![[r#"
            shop/app.py:6-8
            6 def checkout(cart: Cart):
            7     first = cart.total()
            8     if first:
        "#]],
        ),
        (
            "source",
            "app.py:7",
            expect![[r#"
            shop/app.py:4-11
            4 @route("/checkout")
            5 @login_required
            6 def checkout(cart: Cart):
            7     first = cart.total()
            8     if first:
            9         return cart.total(tax=3)
            10     return log(cart.total(
            11         tax=1))
        "#]],
        ),
    ] {
        server.check(
            "symbol",
            json!({ "symbols": [name], "show": [show] }),
            expected,
        );
    }
}

#[test]
fn several_symbols_are_answered_at_once_and_unknown_ones_named() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "symbols": ["log", "nobody", "Report.total"], "show": ["callers"] });
    server.check(
        "symbol",
        ask,
        expect![[r#"
        shop/app.py:14-15 def log(amount)
        callers: 1 in 1 file
        shop/app.py
          6 checkout  10
        shop/report.py:2-3 def Report.total(self)
        callers: none
        other places with the name: 5 of another meaning
        no symbol `nobody`; search with `find`
    "#]],
    );
}

#[test]
fn a_symbol_is_named_in_any_way_that_people_write() {
    let server = AgentServer::new(SHOP);
    let expected = server.answer(
        "symbol",
        json!({ "symbols": ["Cart.total"], "show": ["callers"] }),
    );
    let root = dunce::canonicalize(server.directory.path()).unwrap();
    let root = root.to_str().unwrap();
    for symbol in [
        "Cart.total()".to_owned(),
        "shop.cart.Cart.total".to_owned(),
        "Cart::total".to_owned(),
        "Cart#total".to_owned(),
        "Cart.total/1".to_owned(),
        "Cart.total(tax)".to_owned(),
        "shop/cart.py#Cart.total".to_owned(),
        "shop/cart.py:10".to_owned(),
        "./shop/cart.py:11".to_owned(),
        "cart.py:12".to_owned(),
        format!("{root}/shop/cart.py:10"),
    ] {
        let answer = server.answer(
            "symbol",
            json!({ "symbols": [symbol], "show": ["callers"] }),
        );
        assert_eq!(answer, expected, "{symbol}");
    }
}

#[test]
fn long_lists_leave_out_whole_files_and_say_how_to_go_on() {
    let mut files = String::from("//- lib.py\ndef used(): ...\n");
    for i in 0..60 {
        files += &format!("//- pkg/module_{i:02}.py\nfrom lib import used\n");
        for j in 0..20 {
            files += &format!("def caller_of_used_number_{j}():\n    used()\n");
        }
    }
    let server = AgentServer::new(&files);
    let mut ask = json!({ "symbols": ["used"], "show": ["callers"] });
    let mut n_callers = 0;
    for _ in 0..10 {
        let answer = server.answer("symbol", ask.clone());
        assert!(crate::tokens::count(&answer) <= 6_200, "{answer}");
        n_callers += answer.matches("  caller_of").count() + answer.matches(" caller_of").count();
        let Some((_, after)) = answer.split_once("send \"after\": \"") else {
            break;
        };
        assert!(answer.contains("left out: "));
        ask["after"] = json!(after.split('"').next().unwrap());
    }
    assert_eq!(n_callers, 1200);
}

#[test]
fn any_commit_is_asked_without_checkout() {
    let server = AgentServer::new(SHOP);
    std::fs::write(server.directory.path().join("shop/app.py"), "\n").unwrap();
    commit(&server.directory, "second");
    let old = server.answer(
        "symbol",
        json!({ "symbols": ["checkout"], "show": ["signature"], "ref": "HEAD~1" }),
    );
    assert!(old.starts_with("shop/app.py:6-11"), "{old}");
    let source = json!({ "symbols": ["shop/app.py:14-15"], "show": "source", "ref": "HEAD~1" });
    server.check(
        "symbol",
        source,
        expect![[r#"
        shop/app.py:14-15
        14 def log(amount):
        15     print(amount)
    "#]],
    );
    let now = server.call("symbol", json!({ "symbols": ["checkout"] }));
    assert!(now.unwrap_err().starts_with("no symbol `checkout`"));
}

#[test]
fn history_names_the_commits_that_changed_the_symbol() {
    let server =
        AgentServer::new("//- a.py\ndef one():\n    return 1\n\ndef two():\n    return 2\n");
    let write = |text: &str| std::fs::write(server.directory.path().join("a.py"), text).unwrap();
    write("def one():\n    return 1\n\ndef two():\n    return 22\n");
    commit(&server.directory, "change two");
    write("def one():\n    return 11\n\ndef two():\n    return 22\n");
    commit(&server.directory, "change one");
    write("def one():\n    return 11\n\ndef two():\n    return 23\n");
    let shown = |name: &str| {
        let answer = server.answer("symbol", json!({ "symbols": [name], "show": ["history"] }));
        let lines = answer.lines().filter(|line| line.starts_with("  "));
        // Commits and dates differ from run to run.
        let lines = lines.map(|line| {
            line.split_whitespace()
                .skip(if line.contains("not committed") { 0 } else { 2 })
                .collect::<Vec<_>>()
                .join(" ")
        });
        lines.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(shown("one"), "change one; first (added)");
    assert_eq!(shown("two"), "not committed; change two; first (added)");
}

#[test]
fn tests_that_take_one_path_share_a_line() {
    let server = AgentServer::new(
        "
//- shop.py
class Cart:
    def total(self): ...
//- test_shop.py
from shop import Cart

class TestCart:
    def setup_method(self):
        self.cart = Cart()
        self.cart.total()

    def test_empty(self): ...

    def test_full(self): ...

    def test_total(self):
        Cart().total()

def test_alone():
    Cart().total()
",
    );
    server.check(
        "symbol",
        json!({ "symbols": ["Cart.total"], "show": ["tests"] }),
        expect![[r#"
            shop.py:2 def Cart.total(self)
            tests: 4, nearest first
            run: python -m pytest test_shop.py
            test_shop.py
              12 TestCart.test_total, 15 test_alone calls Cart.total
              8 TestCart.test_empty, 10 test_full is set up by TestCart.setup_method calls Cart.total
        "#]],
    );
}

#[test]
fn tests_and_dead_code_of_a_file() {
    let server = AgentServer::new(
        "
//- go.mod
module example.com/shop
//- cart.go
package shop

func Total() int { return sum() }

func sum() int { return 1 }

func gone() {}
//- cart_test.go
package shop

import \"testing\"

func prepare() int { return Total() }

func TestTotal(t *testing.T) { prepare() }
",
    );
    server.check(
        "symbol",
        json!({ "symbols": ["cart.go"], "show": ["tests", "dead"] }),
        expect![[r#"
            cart.go
            tests: 1, nearest first
            run: go test . -run '^(TestTotal)$'
            cart_test.go
              7 TestTotal calls prepare calls Total
            dead: 1 proven, 0 open
            cart.go
              7 gone  proven
        "#]],
    );
    server.check(
        "symbol",
        json!({ "symbols": ["gone"], "show": ["tests", "dead"] }),
        expect![[r#"
            cart.go:7 func gone()
            tests: none reach it
            dead: 1 proven, 0 open
            cart.go
              7 gone  proven
        "#]],
    );
}

#[test]
fn implicit_calls_are_one_counted_line() {
    let server = AgentServer::new(
        "//- shop.py
class Items:
    def __iter__(self): return iter([])
    def __getitem__(self, i): return i


def use(items: Items):
    for item in items: ...
    for item in items: ...
    return items[0]
",
    );
    let ask = |name: &str, show: &str| {
        server.answer("symbol", json!({ "symbols": [name], "show": [show] }))
    };
    let callers = ask("Items.__iter__", "callers");
    assert!(
        callers.contains("\n+2 implicit: for; shop.py:7,8\n"),
        "{callers}"
    );
    let callees = ask("use", "callees");
    assert!(callees.contains("\n+3 implicit: for, index; "), "{callees}");
}
