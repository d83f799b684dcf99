//! `find` on small repositories.

use expect_test::expect;
use serde_json::json;

use super::{AgentServer, SHOP};

#[test]
fn a_question_in_words_gives_places_with_matching_lines() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "question": "where is the sum of all items of the cart computed" });
    server.check(
        "find",
        ask,
        expect![[r#"
            shop/cart.py
              10-12 def Cart.total(self, tax=0)
                11: """The sum of all items."""
              4-16 class Cart
              7-8 def Cart.__init__(self)
                8: self.items = []
              19-21 class GiftCart(Cart)
            GiftCart extends Cart
        "#]],
    );
}

#[test]
fn names_and_paths_are_found_as_such() {
    let server = AgentServer::new(SHOP);
    server.check(
        "find",
        json!({ "question": "checkout" }),
        expect![[r#"
        shop/app.py
          6-11 def checkout(cart: Cart)
    "#]],
    );
    server.check(
        "find",
        json!({ "question": "GiftCart.total, Report" }),
        expect![[r#"
            shop/cart.py
              20-21 def GiftCart.total(self, tax=0)
            shop/report.py
              1-3 class Report
        "#]],
    );
    server.check(
        "find",
        json!({ "question": "shop/report.py" }),
        expect![[r#"
            shop/report.py
              3 lines
              1-3 class Report
              2-3 def Report.total(self)
        "#]],
    );
}

#[test]
fn what_is_not_there_is_called_thin() {
    let server = AgentServer::new(SHOP);
    let ask = json!({ "question": "how does the scheduler place pods on nodes" });
    server.check(
        "find",
        ask,
        expect![[r#"
        thin: searched names, paths and text for scheduler place pods nodes
    "#]],
    );
    let answer = server.answer("find", json!({ "question": 5 }));
    let last = answer.lines().last();
    assert_eq!(last, Some("thin: the question has no word to search for"));
}

#[test]
fn the_budget_is_kept() {
    let mut files = String::new();
    for i in 0..50 {
        files += &format!(
            "//- m{i}.py\ndef parse_header_{i}(header):\n    value = header.parse()\n    return value\n"
        );
    }
    let server = AgentServer::new(&files);
    for budget in [100, 200, 500, 1200, 4000] {
        let ask = json!({ "question": "where are header values parsed", "budget": budget });
        let answer = server.answer("find", ask);
        let n_tokens = crate::tokens::count(&answer);
        assert!(n_tokens <= budget, "{n_tokens} of {budget}:\n{answer}");
        assert!(answer.contains("parse_header"), "{answer}");
    }
}
