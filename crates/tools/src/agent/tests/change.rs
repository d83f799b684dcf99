//! `check_change` as an agent asks it.

use expect_test::expect;
use serde_json::json;

use super::{AgentServer, commit, git};

const FILES: &str = "\
//- shop.py
def total(items):
    count = len(items)
    return count
//- app.py
from shop import total


def pay():
    return total([])
";

fn rename(server: &AgentServer) {
    let path = server.directory.path().join("shop.py");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text.replace("def total", "def sum_up")).unwrap();
}

#[test]
fn a_change_is_checked_as_text() {
    let server = AgentServer::new(FILES);
    rename(&server);
    server.check(
        "check_change",
        json!({}),
        expect![[r#"
            HEAD..working tree: 1 file, 1 symbol, 1 public contract; 1 break certain and 0 likely

            breaks, certain:
            `total` is now `sum_up` at shop.py:1 [renamed, import]
                - def total(items)  shop.py:1
                + def sum_up(items)  shop.py:1
              app.py:1:18, and 1 more use in this file: from shop import total

            public contracts:
            ~ def total(items) -> def sum_up(items)  shop.py:1 renamed, 1 use elsewhere
        "#]],
    );
    git(&server.directory, &["checkout", "-q", "-b", "branch"]);
    commit(&server.directory, "second");
    for arguments in [
        json!({ "range": "main..branch" }),
        json!({ "base": "main" }),
    ] {
        let answer = server.answer("check_change", arguments.clone());
        assert!(
            answer.contains("`total` is now `sum_up`"),
            "{arguments}: {answer}"
        );
    }
}

#[test]
fn what_cannot_be_checked_is_refused_in_one_line() {
    let server = AgentServer::new(FILES);
    for (arguments, reason) in [
        (
            json!({ "range": "main..nowhere" }),
            "`nowhere` names no commit",
        ),
        (json!({ "range": "a..b..c" }), "names no change"),
        (json!({ "patch": "hello" }), "holds no change"),
        (
            json!({ "patch": "--- a/app.py\n+++ b/app.py\n@@ -1,1 +1,1 @@\n-x\n+y\n" }),
            "the hunk `@@ -1,1 +1,1 @@` of app.py does not apply",
        ),
        (
            json!({ "staged": true, "range": "main" }),
            "`staged` goes with neither",
        ),
    ] {
        let error = server.call("check_change", arguments).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}
