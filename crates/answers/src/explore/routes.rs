//! Routes that a question names: `POST /carts/{id}/items`, and who handles them.

use engine::{
    SymbolId,
    query::{
        architecture::{ArchitectureFact, Subject},
        is_request_of,
    },
};

use crate::Session;

/// The handlers of the routes that a text names, in order of path and place. Of a route that several
/// are like, those that are most like it.
pub(super) fn handlers(session: &Session, text: &str) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = Vec::new();
    for asked in asked_routes(session, text) {
        let facts = session.architecture().facts.iter();
        let like = facts.filter_map(|fact| Some((asked.likeness(fact)?, fact.symbol?)));
        let like: Vec<(u32, SymbolId)> = like.collect();
        let best = like.iter().map(|(likeness, _)| *likeness).max();
        let best = like.iter().filter(|(likeness, _)| Some(*likeness) == best);
        found.extend(best.map(|(_, symbol)| *symbol));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[derive(Debug, PartialEq)]
struct AskedRoute<'a> {
    verb: Option<&'a str>,
    path: &'a str,
}

/// The routes that a text writes: a path behind a verb, or where the text is about requests.
fn asked_routes<'a>(session: &Session, text: &'a str) -> Vec<AskedRoute<'a>> {
    const VERBS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    const WORDS: [&str; 8] = [
        "route",
        "routes",
        "endpoint",
        "url",
        "request",
        "handler",
        "handles",
        "controller",
    ];
    let bare = |word: &'a str| word.trim_matches(['`', '"', '\'', ',', ';', '?', '.', '(', ')']);
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let is_about_requests = |path: &str| {
        let is_word = |word: &&str| WORDS.contains(&word.to_lowercase().as_str());
        let is_file = || session.find_file(path.trim_matches('/')).is_some();
        path.len() > 1
            && (words.iter().any(is_word) || words.len() == 1 && path.contains("/{"))
            && !is_file()
    };
    let mut found = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let path = word.split(['?', '#']).next().unwrap_or_default();
        if !path.starts_with('/') || path.starts_with("//") {
            continue;
        }
        let before = i.checked_sub(1).map(|i| words[i]);
        let verb = before.filter(|word| VERBS.contains(word));
        if verb.is_some() || is_about_requests(path) {
            found.push(AskedRoute { verb, path });
        }
    }
    found
}

impl AskedRoute<'_> {
    /// How much a fact is the route that is asked about; nothing where it is none, or another one.
    fn likeness(&self, fact: &ArchitectureFact) -> Option<u32> {
        let Subject::Route { method } = &fact.subject else {
            return None;
        };
        let is_other_verb = |verb: &str| method != verb && method != "ANY";
        if self.verb.is_some_and(is_other_verb) {
            return None;
        }
        let (asked, route) = (parts(self.path), parts(&fact.name));
        match () {
            () if asked == route => Some(3),
            () if is_request_of(self.path, &fact.name) => Some(2),
            () if end_alike(&asked, &route) => Some(1),
            () => None,
        }
    }
}

/// Whether the shorter of two paths is the end of the other: what is around a router may add a prefix
/// that is not known here.
fn end_alike(asked: &[String], route: &[String]) -> bool {
    let mut ends = asked.iter().rev().zip(route.iter().rev());
    let is_parameter = |part: &str| part == PARAMETER;
    let has_name = route.iter().any(|part| !is_parameter(part));
    has_name && !asked.is_empty() && ends.all(|(asked, part)| asked == part || is_parameter(part))
}

/// What stands for any value.
const PARAMETER: &str = "{}";

/// The parts of a path, parameters without their names.
fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    let part = |part: &str| {
        let is_parameter = part.starts_with([':', '*']) || part.contains(['{', '<', '[']);
        match is_parameter {
            true => PARAMETER.to_owned(),
            false => part.to_lowercase(),
        }
    };
    parts.map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::session;

    const SHOP: &str = r#"
//- requirements.txt
flask
//- shop/app.py
from flask import Flask
app = Flask(__name__)
@app.get("/carts/<int:cart_id>/items")
def list_items(cart_id):
    return []
@app.post("/carts/<int:cart_id>/items")
def add_item(cart_id):
    return "", 201
@app.get("/carts")
def list_carts():
    return []
"#;

    #[test]
    fn a_route_is_answered_with_its_handler() {
        let session = session(SHOP);
        for (question, expected) in [
            ("POST /carts/{id}/items", &["add_item"][..]),
            ("which function handles POST /carts/7/items?", &["add_item"]),
            ("GET /carts", &["list_carts"]),
            (
                "who handles the route /carts/:id/items",
                &["list_items", "add_item"],
            ),
            ("POST /api/carts/7/items", &["add_item"]),
            ("POST /api/carts/{id}/items", &["add_item"]),
            ("DELETE /carts", &[]),
            ("/carts", &[]),
        ] {
            let found = handlers(&session, question);
            let names: Vec<String> = found.iter().map(|symbol| session.name(*symbol)).collect();
            assert_eq!(names, expected, "{question}");
        }
    }
}
