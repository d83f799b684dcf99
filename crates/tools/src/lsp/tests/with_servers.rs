//! The same tools on real language servers. They run where `CODECOMPASS_TEST_LANGUAGE_SERVERS` is set: the servers must be on `PATH`.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{SHOP, Server, with};
use crate::lsp::{Choice, Gateway, Settings};

/// A trusted server whose guard is the test binary of `language-servers`, where both are there.
fn serving(choice: Choice, files: &str) -> Option<Server> {
    if std::env::var_os("CODECOMPASS_TEST_LANGUAGE_SERVERS").is_none() {
        eprintln!("skipped: CODECOMPASS_TEST_LANGUAGE_SERVERS is not set");
        return None;
    }
    let built: PathBuf = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("language-servers-testbed");
    assert!(built.is_file(), "build the guard first: cargo build -p language-servers --bins");
    let settings = Settings { guard: built, ..Settings::default() };
    Some(Server::over(&[files], Gateway::new(choice, settings), true))
}

/// Asks until a language server has answered.
fn served(server: &Server, tool: &str, arguments: Value) -> Value {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = server.answer(tool, arguments.clone());
        if !answer["summary"].as_str().unwrap().contains("Provider: index") {
            return answer;
        }
        assert!(Instant::now() < end, "no server: {}", answer["summary"]);
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn python_is_served_once_its_server_is_ready() {
    let Some(server) = serving(Choice::Auto, SHOP) else { return };
    let at = server.at("app.py", "cart.to$0tal()");
    let first = server.answer("definition", at.clone());
    assert!(first["summary"].as_str().unwrap().contains("Provider: index"), "{first}");
    let answer = served(&server, "definition", at.clone());
    assert_eq!(answer["locations"], first["locations"], "both providers mean the same place");
    assert!(served(&server, "hover", at.clone())["contents"][0]["value"].as_str().unwrap().contains("total"));
    let references =
        served(&server, "references", with(server.at("shop/tax.py", "def tax_$0rate"), json!({ "includeDeclaration": false })));
    assert!(references["items"].as_array().unwrap().len() >= 4, "{references}");
    let outline = served(&server, "documentSymbols", json!({ "uri": server.uri("shop/cart.py") }));
    let names: Vec<_> =
        outline["symbols"].as_array().unwrap().iter().map(|symbol| (symbol["name"].clone(), symbol["containerName"].clone())).collect();
    assert!(names.contains(&(json!("total"), json!("Cart"))), "{names:?}");
}

#[test]
fn a_definition_in_a_library_outside_the_roots_is_left_out() {
    let Some(server) = serving(Choice::Auto, SHOP) else { return };
    let answer = served(&server, "definition", server.at("app.py", "json.dum$0ps"));
    assert_eq!(answer["locations"], json!([]));
}

#[test]
fn diagnostics_come_from_the_server_and_follow_the_disk() {
    let Some(server) = serving(Choice::Auto, SHOP) else { return };
    let document = json!({ "uri": server.uri("app.py") });
    let clean = served(&server, "diagnostics.document", document.clone());
    server.write("//- app.py\nfrom shop.cart import Cart\n\nx: int = Cart()\n");
    let broken = served(&server, "diagnostics.document", with(document, json!({ "since": clean["token"] })));
    assert!(broken["diagnostics"].as_array().unwrap().iter().any(|one| one["range"]["start"]["line"] == 2), "{broken}");
}

#[test]
fn a_change_of_provider_makes_cursors_stale() {
    let Some(server) = serving(Choice::Auto, SHOP) else { return };
    let page = |cursor: &Value| with(server.at("shop/tax.py", "def tax_$0rate"), json!({ "pageSize": 1, "cursor": cursor }));
    let from_index = server.answer("references", page(&Value::Null));
    assert!(from_index["summary"].as_str().unwrap().contains("index"));
    served(&server, "hover", server.at("app.py", "cart.to$0tal()"));
    assert_eq!(server.code("references", page(&from_index["nextCursor"])), "CURSOR_STALE");
    let from_server = served(&server, "references", page(&Value::Null));
    let next = server.answer("references", page(&from_server["nextCursor"]));
    assert_eq!(next["items"].as_array().unwrap().len(), 1);
}
