//! Cards of a real application beside what its source says: `judged_cards.jsonl`.
//!
//! Thirty methods were drawn with a fixed seed and judged from the source before any card was seen: which calls, side effects, exceptions
//! and facts a card may state. The application is not part of this repository: `CODECOMPASS_ESHOP` names a checkout of
//! NimblePros/eShopOnWeb, and `cargo test -p tools -- --ignored judged` holds our cards against the list and prints the shares of
//! `docs/benchmarks.md`.

use serde::Deserialize;

use super::*;

const COMMIT: &str = "03d8cff";
const PRECISION: f64 = 0.95;

#[derive(Deserialize)]
struct Judged {
    file: String,
    line: u64,
    name: String,
    /// `Type.Method` of the application itself, or a type of it that is made.
    own_calls: Vec<String>,
    library_calls: Vec<String>,
    side_effects: Vec<String>,
    thrown: Vec<String>,
    facts: Vec<String>,
}

#[test]
#[ignore = "needs a checkout of the application"]
fn judged_cards_state_what_the_source_says() {
    let checkout = std::env::var("CODECOMPASS_ESHOP").expect("CODECOMPASS_ESHOP names a checkout of NimblePros/eShopOnWeb");
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["clone", "-q", &checkout, "."]);
    git(directory.path(), &["checkout", "-q", COMMIT]);
    let server = Server::over(directory, true);
    server.data("index.ensure_baseline", json!({}));
    let (mut n_right, mut wrong) = (0, Vec::new());
    for line in include_str!("judged_cards.jsonl").lines() {
        let judged: Judged = serde_json::from_str(line).unwrap();
        let hits = server.data("symbols.search", json!({ "query": judged.name, "file_path": judged.file, "kinds": ["Method"] }));
        let hit = hits["hits"].as_array().unwrap().iter().find(|hit| hit["line"] == judged.line);
        let id = hit.unwrap_or_else(|| panic!("no {} at {}:{}", judged.name, judged.file, judged.line))["symbol_id"].clone();
        let card = server.data("symbols.get_card", json!({ "symbol_id": id }));
        for (statement, is_right) in statements(&card, &judged) {
            match is_right {
                true => n_right += 1,
                false => wrong.push(format!("{}: {statement}", judged.name)),
            }
        }
    }
    let precision = f64::from(n_right) / (f64::from(n_right) + wrong.len() as f64);
    println!("{n_right} right, {} wrong: {precision:.3}\n{}\n{}", wrong.len(), wrong.join("\n"), shares(&server));
    assert!(precision >= PRECISION);
}

/// Everything that a card says of what its method does, and whether the judge said so.
fn statements(card: &Value, judged: &Judged) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    let texts = |field: &str| card[field].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    for target in each(&card["calls_top"], "to_symbol") {
        let path = target[2..].split(['(', '@']).next().unwrap_or_default().trim_end_matches(".#ctor");
        let path: String = path.split('.').map(|part| part.split('`').next().unwrap_or(part)).collect::<Vec<_>>().join(".");
        let is_own = judged.own_calls.iter().any(|own| path == *own || path.ends_with(&format!(".{own}")));
        let is_library = judged.library_calls.iter().any(|name| path.rsplit('.').next() == Some(name));
        all.push((format!("calls {target}"), is_own || is_library));
    }
    all.extend(texts("side_effects").into_iter().map(|text| (text.clone(), judged.side_effects.contains(&text))));
    all.extend(texts("thrown_exceptions").into_iter().map(|text| (format!("throws {text}"), judged.thrown.contains(&text))));
    for fact in card["facts"].as_array().unwrap() {
        let (kind, value) = (fact["kind"].as_str().unwrap(), fact["value"].as_str().unwrap());
        let (before, after) = value.split_once('|').unwrap_or((value, ""));
        let stated = match kind {
            "log" => format!("log {after}"),
            "route" => format!("route {}", value.replacen(" /", " ", 1)),
            "di_registration" => format!("{kind} {}", before.split([' ', '<']).next().unwrap_or(before)),
            _ => format!("{kind} {before}"),
        };
        all.push((stated.clone(), judged.facts.iter().any(|known| known.eq_ignore_ascii_case(&stated))));
    }
    // None of the thirty has a documentation comment of its own.
    all.extend(card.get("documentation").map(|text| (text.to_string(), false)));
    all
}

/// The share of the application's method cards that have each field.
fn shares(server: &Server) -> String {
    let (mut counts, mut n_cards, mut cursor) = (BTreeMap::new(), 0, Value::Null);
    loop {
        let page = server.data("symbols.search", json!({ "kinds": ["Method"], "file_path": "src/", "limit": 100, "cursor": cursor }));
        for id in each(&page["hits"], "symbol_id") {
            let answer = server.answer("symbols.get_card", json!({ "symbol_id": id }));
            n_cards += 1;
            for field in ["signature", "documentation", "calls_top", "facts", "side_effects", "thrown_exceptions", "evidence"] {
                let value = &answer["data"][field];
                let is_there = value.as_str().is_some_and(|text| !text.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty());
                *counts.entry(field).or_insert(0) += i32::from(is_there);
            }
            *counts.entry("next_actions").or_insert(0) += i32::from(!answer["next_actions"].as_array().unwrap().is_empty());
        }
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    let share = |(field, count): (&&str, &i32)| format!("{field} {:.3}", f64::from(*count) / f64::from(n_cards));
    format!("{n_cards} cards: {}", counts.iter().map(share).collect::<Vec<_>>().join(", "))
}
