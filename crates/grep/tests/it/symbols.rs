//! `--symbols`, with an index of the made repository written by hand.

use std::path::Path;

use expect_test::{Expect, expect};
use grep_command::{Annotate, GrepOptions, ListedTree};

use crate::{made, run, run_with};

struct CartSymbols;

impl Annotate for CartSymbols {
    fn enclosing(&self, path: &Path, line_number: u64) -> Option<String> {
        let symbol = match (path.to_str()?, line_number) {
            ("src/cart.py", 1) => "Cart",
            ("src/cart.py", 2..=3) => "Cart.__init__",
            // As if a nested function were in the middle.
            ("src/cart.py", 7) => "Cart.total.inner",
            ("src/cart.py", 5..=9) => "Cart.total",
            ("src/cart.py", 11..=12) => "Cart.add",
            ("src/cart/extra.py", _) => "extra",
            _ => return None,
        };
        Some(symbol.to_owned())
    }
}

#[track_caller]
fn check(arguments: &[&str], expected: Expect) {
    let tree = ListedTree::new(made::in_memory());
    let options = GrepOptions {
        annotate: Some(&CartSymbols),
        ..GrepOptions::default()
    };
    expected.assert_eq(&run_with(&tree, arguments, &options).text());
}

#[test]
fn each_line_names_its_symbol() {
    check(
        &["--symbols", "total|items", "src", "-tpy"],
        expect![[r#"
        src/cart/extra.py:1:def extra(total):  [extra]
        src/cart/extra.py:2:    return total + 1  [extra]
        src/cart-old.py:1:total = 1  # old
        src/cart.py:3:        self.items = []  [Cart.__init__]
        src/cart.py:5:    def total(self):  [Cart.total]
        src/cart.py:6:        total = 0  [Cart.total]
        src/cart.py:8:            total += item.price  [Cart.total]
        src/cart.py:9:        return total  [Cart.total]
        src/cart.py:7:        for item in self.items:  [Cart.total.inner]
        src/cart.py:12:        self.items.append(item)  [Cart.add]
        src/cart.py:16:    print(Cart().total())
    "#]],
    );
    check(
        &["--symbols", "-I", "items", "src/cart.py"],
        expect![[r#"
        3:        self.items = []  [Cart.__init__]
        7:        for item in self.items:  [Cart.total.inner]
        12:        self.items.append(item)  [Cart.add]
    "#]],
    );
    check(
        &["--symbols", "-o", "--column", "items?", "src/cart.py"],
        expect![[r#"
            3:14:items  [Cart.__init__]
            7:13:item  [Cart.total.inner]
            7:26:items  [Cart.total.inner]
            8:22:item  [Cart.total]
            11:19:item  [Cart.add]
            12:14:items  [Cart.add]
            12:27:item  [Cart.add]
        "#]],
    );
}

#[test]
fn headings_group_the_lines_of_a_symbol() {
    check(
        &["--symbols", "--heading", "total|items", "src", "-tpy"],
        expect![[r#"
            src/cart/extra.py
            [extra]
            1:def extra(total):
            2:    return total + 1

            src/cart-old.py
            []
            1:total = 1  # old

            src/cart.py
            [Cart.__init__]
            3:        self.items = []
            [Cart.total]
            5:    def total(self):
            6:        total = 0
            8:            total += item.price
            9:        return total
            [Cart.total.inner]
            7:        for item in self.items:
            [Cart.add]
            12:        self.items.append(item)
            []
            16:    print(Cart().total())
        "#]],
    );
}

#[test]
fn context_keeps_the_order_of_the_file() {
    check(
        &["--symbols", "-C1", "for|append|print", "src/cart.py"],
        expect![[r#"
            6-        total = 0  [Cart.total]
            7:        for item in self.items:  [Cart.total.inner]
            8-            total += item.price  [Cart.total]
            --
            11-    def add(self, item):  [Cart.add]
            12:        self.items.append(item)  [Cart.add]
            13-
            --
            15-def main():
            16:    print(Cart().total())
        "#]],
    );
    check(
        &[
            "--symbols",
            "--heading",
            "-H",
            "-A1",
            "for|append",
            "src/cart.py",
        ],
        expect![[r#"
            src/cart.py
            [Cart.total.inner]
            7:        for item in self.items:
            [Cart.total]
            8-            total += item.price
            --
            [Cart.add]
            12:        self.items.append(item)
            []
            13-
        "#]],
    );
}

#[test]
fn a_match_of_several_lines_belongs_to_its_first() {
    check(
        &["--symbols", "-U", r"items:\n.*total", "src/cart.py"],
        expect![[r#"
            7:        for item in self.items:  [Cart.total.inner]
            8:            total += item.price  [Cart.total.inner]
        "#]],
    );
}

#[test]
fn line_ends_and_binary_files() {
    struct Everywhere;
    impl Annotate for Everywhere {
        fn enclosing(&self, _: &Path, _: u64) -> Option<String> {
            Some("here".to_owned())
        }
    }
    let tree = ListedTree::new(made::in_memory());
    let options = GrepOptions {
        annotate: Some(&Everywhere),
        ..GrepOptions::default()
    };
    let outcome = run_with(
        &tree,
        &["--symbols", "total", "src/dos.txt", "bin/data.bin"],
        &options,
    );
    expect![[r#"
        src/dos.txt:1:one total  [here]<CR>
        src/dos.txt:3:three total  [here]<CR>
        bin/data.bin: binary file matches (found "\0" byte around offset 5)
    "#]]
    .assert_eq(&outcome.text());
}

#[test]
fn modes_without_lines() {
    check(
        &["--symbols", "-l", "total"],
        expect![[r#"
        grep: --symbols prints lines and cannot be used with --files-with-matches
        status 2
    "#]],
    );
    check(
        &["--symbols", "--json", "total"],
        expect![[r#"
        grep: --symbols prints lines and cannot be used with --json
        status 2
    "#]],
    );
    check(
        &["--symbols", "-N", "total"],
        expect![[r#"
        grep: --symbols prints lines and cannot be used with --no-line-number
        status 2
    "#]],
    );
    let without_index = run(&ListedTree::new(made::in_memory()), &["--symbols", "total"]);
    expect![[r#"
        grep: --symbols is not available here: there is no index
        status 2
    "#]]
    .assert_eq(&without_index.text());
}
