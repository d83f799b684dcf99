//! The coverage ledger: what was read of each framework, and what was not.

use super::*;

#[test]
fn the_ledger_says_what_was_seen_read_and_not_read() {
    let server = Server::new(
        "//- app.py\nimport os\nfrom flask import Flask\nimport tornado.web\napp = Flask(__name__)\n@app.route('/a')\ndef a(): ...\n@app.route(make())\ndef b(): ...\nos.getenv('KEY')\n",
    );
    let coverage = server.data("index.ensure_baseline", json!({}))["stats"]["coverage"].clone();
    assert_eq!(
        coverage,
        json!([
            { "framework": "flask", "supported": true, "extracted": { "route": 1 }, "not_understood": 1, "places": [{ "file_path": "app.py", "line": 7 }] },
            { "framework": "python", "supported": true, "extracted": { "config": 1 }, "not_understood": 0, "places": [] },
            { "framework": "tornado", "supported": false, "extracted": {}, "not_understood": 1, "places": [{ "file_path": "app.py", "line": 1 }] }
        ])
    );
    let answer = server.answer("surfaces.list_endpoints", json!({}));
    assert!(
        answer["answer"]
            .as_str()
            .unwrap()
            .contains("Used here but not read: tornado"),
        "{answer}"
    );
}
