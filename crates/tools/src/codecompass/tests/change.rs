//! `check_change` as a client of the CodeCompass contract asks it.

use serde_json::json;

use super::Server;
use crate::{CODECOMPASS, Registry};

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

#[test]
fn a_change_is_checked_and_absent_when_strict() {
    let server = Server::new(FILES);
    let passes = server.answer("check_change", json!({}));
    assert_eq!(passes["verdict"], "passes");
    let shop = "def total(items, tax):\n    return tax\n";
    let broken = server.answer(
        "check_change",
        json!({ "files": [{ "path": "shop.py", "text": shop }] }),
    );
    assert_eq!(broken["verdict"], "breaks");
    assert_eq!(broken["n_certain"], 1);
    let found = &broken["breaks"][0];
    assert_eq!(found["kind"], "arguments");
    assert_eq!(
        (&found["path"], &found["line"]),
        (&json!("app.py"), &json!(5))
    );
    assert_eq!(found["after"]["signature"], "def total(items, tax)");
    assert_eq!(broken["contracts"][0]["edit"], "signature");
    assert_eq!(broken["contracts"][0]["n_uses"], 1);
    let gone = server.answer("check_change", json!({ "files": [{ "path": "shop.py" }] }));
    assert_eq!(gone["breaks"][0]["kind"], "removed");
    assert_eq!(gone["files"][0]["status"], "removed");
    let registry = Registry::of(&[CODECOMPASS]);
    let entry = registry.find("check_change").unwrap();
    assert!(entry.is_listed(false) && !entry.is_listed(true));
}

#[test]
fn sources_of_changes_exclude_one_another() {
    let server = Server::new(FILES);
    for arguments in [
        json!({ "staged": true, "patch": "x" }),
        json!({ "staged": true, "range": "main" }),
        json!({ "overlay": "a", "files": [{ "path": "shop.py" }] }),
    ] {
        let error = server.error("check_change", arguments);
        assert_eq!(error["code"], "invalid_input", "{error}");
    }
    let error = server.error("check_change", json!({ "range": "main..nowhere" }));
    assert_eq!(error["code"], "ref_not_indexed", "{error}");
}
