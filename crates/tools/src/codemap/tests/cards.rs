//! What cards say, and cards of a real application beside what its source says:
//! `judged_cards.jsonl`.
//!
//! Thirty methods were drawn with a fixed seed and judged from the source before any card was seen:
//! which calls, side effects, exceptions and facts a card may state. The application is not part of
//! this repository: `CODECOMPASS_ESHOP` names a checkout of NimblePros/eShopOnWeb, and `cargo test
//! -p tools -- --ignored judged` holds our cards against the list and prints the shares of
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

fn card(server: &Server, symbol: &str) -> Value {
    server.data("symbols.get_card", json!({ "symbol_id": symbol }))
}

#[test]
fn documentation_is_a_summary_and_that_of_what_a_member_stands_for_where_it_says_so() {
    let server = Server::new(
        r#"
//- Shop.cs
namespace Acme;
/// <summary>Sells things.</summary>
/// <typeparam name="T">What.</typeparam>
public interface IShop<T>
{
    /// <summary>Sells <paramref name="item"/>.</summary>
    /// <param name="item">The item.</param>
    /// <returns>The price.</returns>
    int Sell(T item);
    int Close();
}
/// <inheritdoc/>
public class Shop : IShop<string>
{
    /// <inheritdoc />
    public int Sell(string item) => 1;
    /// <inheritdoc />
    public int Close() => 1;
    /// <inheritdoc cref="IShop{T}.Sell"/>
    public int Offer(string item) => 1;
    public int Open() => 1;
}
//- shop.py
class Base:
    def sell(self):
        """Sells.

        Args:
            nothing
        """
class Corner(Base):
    def sell(self):
        return 1
//- Till.java
interface Till {
    /** Opens it. @see Shop */
    void open();
}
class Drawer implements Till {
    /** {@inheritDoc} */
    public void open() { }
}
"#,
    );
    let documentation = |symbol: &str| {
        card(&server, symbol)
            .get("documentation")
            .map_or("-".to_owned(), |text| text.as_str().unwrap().to_owned())
    };
    assert_eq!(documentation("Acme.IShop.Sell"), "Sells item.");
    assert_eq!(documentation("Acme.Shop"), "Sells things.");
    assert_eq!(documentation("Acme.Shop.Sell"), "Sells item.");
    // Nothing is said anywhere: then nothing is said, not an empty text.
    assert_eq!(documentation("Acme.Shop.Close"), "-");
    assert_eq!(documentation("Acme.Shop.Open"), "-");
    assert_eq!(documentation("M:shop.Corner.sell"), "Sells.");
    assert_eq!(documentation("M:Drawer.open"), documentation("M:Till.open"));
    let answer = server.answer("symbols.get_card", json!({ "symbol_id": "Acme.Shop.Sell" }));
    assert!(
        answer["answer"]
            .as_str()
            .unwrap()
            .contains("`Acme.IShop.Sell`"),
        "{}",
        answer["answer"]
    );
}

#[test]
fn signatures_end_where_a_constructor_hands_on_and_stand_on_one_line() {
    let server = Server::new(
        "//- A.cs\nnamespace Acme;\npublic class Base { public Base(int a, int b) { } }\npublic class A : Base\n{\n    public A(\n        int first,\n        int second)\n        : base(\n            first,\n            second)\n    {\n    }\n}\n",
    );
    assert_eq!(
        card(&server, "M:Acme.A.#ctor(System.Int32,System.Int32)")["signature"],
        "public A(int first, int second)"
    );
}

#[test]
fn calls_into_the_repository_come_first_then_effects_and_the_cut_is_said() {
    let own: String = (0..8)
        .map(|i| format!("    void Own{i}() {{ }}\n"))
        .collect();
    let calls: String = (0..8).map(|i| format!("Own{i}(); ")).collect();
    let server = Server::new(&format!(
        "//- A.cs\nusing System.IO;\nclass A\n{{\n    void Run(string path)\n    {{\n        Path.Combine(path); Path.GetFileName(path); Path.GetExtension(path); path.ToString();\n        {calls}\n        File.Delete(path);\n    }}\n{own}}}\n"
    ));
    let answer = server.answer("symbols.get_card", json!({ "symbol_id": "A.Run" }));
    let shown = each(&answer["data"]["calls_top"], "fully_qualified_name");
    assert_eq!(
        shown,
        [
            "Path.Combine",
            "A.Own0",
            "A.Own1",
            "A.Own2",
            "A.Own3",
            "A.Own4",
            "A.Own5",
            "A.Own6",
            "A.Own7",
            "File.Delete"
        ]
    );
    assert_eq!(
        answer["meta"]["limits_applied"],
        json!({ "calls_top": { "requested": 12, "hard_cap": 10 } })
    );
    assert!(
        answer["answer"]
            .as_str()
            .unwrap()
            .contains("10 of 12 calls are shown")
    );
}

#[test]
fn of_overloads_the_one_is_called_that_is_as_generic_as_the_call() {
    let server = Server::new(
        "//- A.cs\nclass A\n{\n    object Get(int id) => null;\n    T Get<T>(int id) => default;\n    void Plain() { Get(1); }\n    void Typed() { Get<string>(1); }\n}\n",
    );
    assert_eq!(
        each(&card(&server, "A.Plain")["calls_top"], "to_symbol"),
        ["M:A.Get(System.Int32)"]
    );
    assert_eq!(
        each(&card(&server, "A.Typed")["calls_top"], "to_symbol"),
        ["M:A.Get``1(System.Int32)"]
    );
}

#[test]
fn a_problem_elsewhere_does_not_concern_a_card() {
    let server = Server::new(
        "//- good.py\ndef good():\n    return 1\n//- bad.py\ndef bad(:\n    return ]\n",
    );
    let level = |tool: &str, symbol: &str| {
        let answer = server.answer(tool, json!({ "symbol_id": symbol }));
        (
            answer["meta"]["semantic_level"].clone(),
            answer["meta"].get("project_diagnostics").is_some(),
        )
    };
    assert_eq!(
        level("symbols.get_card", "M:good.good"),
        (json!("full"), false)
    );
    // References may be in any file.
    assert_eq!(level("refs.find", "M:good.good"), (json!("partial"), true));
}

#[test]
fn who_uses_a_table_has_it_among_its_facts() {
    let server = Server::new(
        "//- Shop.cs\nusing Microsoft.EntityFrameworkCore;\nnamespace Acme;\npublic class Order { public int Id { get; set; } }\npublic class Db : DbContext { public DbSet<Order> Orders { get; set; } }\npublic class Store\n{\n    private readonly IDbContextFactory<Db> _factory;\n    public int Count()\n    {\n        using var db = _factory.CreateDbContext();\n        return db.Orders.Count();\n    }\n}\n",
    );
    let card = card(&server, "Store.Count");
    assert_eq!(
        card["facts"],
        json!([{ "kind": "db_table", "value": "Orders|DbSet", "detail": "efcore" }])
    );
    assert_eq!(
        card["side_effects"],
        json!([
            "database: IDbContextFactory.CreateDbContext (read, line 10)",
            "database: reads Orders (line 11)"
        ])
    );
}

#[test]
fn a_guess_among_the_calls_lowers_the_confidence() {
    let server = Server::new(
        "//- a.py\nclass Till:\n    def ring_up(self): ...\ndef known():\n    Till().ring_up()\ndef guessed(x):\n    x.ring_up()\n",
    );
    assert_eq!(card(&server, "M:a.known")["confidence"], "high");
    let guessed = card(&server, "M:a.guessed(x)");
    assert_eq!(
        (
            each(&guessed["calls_top"], "to_symbol"),
            guessed["confidence"].as_str()
        ),
        (vec!["M:a.Till.ring_up"], Some("medium"))
    );
}

#[test]
#[ignore = "needs a checkout of the application"]
fn judged_cards_state_what_the_source_says() {
    let checkout = std::env::var("CODECOMPASS_ESHOP")
        .expect("CODECOMPASS_ESHOP names a checkout of NimblePros/eShopOnWeb");
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["clone", "-q", &checkout, "."]);
    git(directory.path(), &["checkout", "-q", COMMIT]);
    let server = Server::over(directory, true);
    server.data("index.ensure_baseline", json!({}));
    let (mut n_right, mut wrong) = (0, Vec::new());
    for line in include_str!("judged_cards.jsonl").lines() {
        let judged: Judged = serde_json::from_str(line).unwrap();
        let hits = server.data(
            "symbols.search",
            json!({ "query": judged.name, "file_path": judged.file, "kinds": ["Method"] }),
        );
        let hit = hits["hits"]
            .as_array()
            .unwrap()
            .iter()
            .find(|hit| hit["line"] == judged.line);
        let id =
            hit.unwrap_or_else(|| panic!("no {} at {}:{}", judged.name, judged.file, judged.line))
                ["symbol_id"]
                .clone();
        let card = server.data("symbols.get_card", json!({ "symbol_id": id }));
        for (statement, is_right) in statements(&card, &judged) {
            match is_right {
                true => n_right += 1,
                false => wrong.push(format!("{}: {statement}", judged.name)),
            }
        }
    }
    let precision = f64::from(n_right) / (f64::from(n_right) + wrong.len() as f64);
    println!(
        "{n_right} right, {} wrong: {precision:.3}\n{}\n{}",
        wrong.len(),
        wrong.join("\n"),
        shares(&server)
    );
    assert!(precision >= PRECISION);
}

/// Everything that a card says of what its method does, and whether the judge said so.
fn statements(card: &Value, judged: &Judged) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    let texts = |field: &str| {
        card[field]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for target in each(&card["calls_top"], "to_symbol") {
        let path = target[2..]
            .split(['(', '@'])
            .next()
            .unwrap_or_default()
            .trim_end_matches(".#ctor");
        let path: String = path
            .split('.')
            .map(|part| part.split('`').next().unwrap_or(part))
            .collect::<Vec<_>>()
            .join(".");
        let is_own = judged
            .own_calls
            .iter()
            .any(|own| path == *own || path.ends_with(&format!(".{own}")));
        let is_library = judged
            .library_calls
            .iter()
            .any(|name| path.rsplit('.').next() == Some(name));
        all.push((format!("calls {target}"), is_own || is_library));
    }
    for text in texts("side_effects") {
        // The judge wrote `network: GetAsync` and left out what is only read: such a statement is
        // right where the source calls the member.
        let (effect, place) = text.split_once(" (").unwrap_or((&text, ""));
        let (what, target) = effect.split_once(": ").unwrap_or(("", effect));
        let member = if what.is_empty() {
            target
        } else {
            target.rsplit('.').next().unwrap_or(target)
        };
        let is_right = match place.starts_with("read") {
            true => judged.library_calls.iter().any(|name| name == member),
            false => judged
                .side_effects
                .iter()
                .any(|known| known == effect || *known == format!("{what}: {member}")),
        };
        all.push((text.clone(), is_right));
    }
    all.extend(
        texts("thrown_exceptions")
            .into_iter()
            .map(|text| (format!("throws {text}"), judged.thrown.contains(&text))),
    );
    for fact in card["facts"].as_array().unwrap() {
        let (kind, value) = (
            fact["kind"].as_str().unwrap(),
            fact["value"].as_str().unwrap(),
        );
        let (before, after) = value.split_once('|').unwrap_or((value, ""));
        let stated = match kind {
            "log" => format!("log {after}"),
            "route" => format!("route {}", value.replacen(" /", " ", 1)),
            "di_registration" => format!(
                "{kind} {}",
                before.split([' ', '<']).next().unwrap_or(before)
            ),
            _ => format!("{kind} {before}"),
        };
        all.push((
            stated.clone(),
            judged
                .facts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(&stated)),
        ));
    }
    // None of the thirty has a documentation comment of its own.
    all.extend(
        card.get("documentation")
            .map(|text| (text.to_string(), false)),
    );
    all
}

/// The share of the application's method cards that have each field.
fn shares(server: &Server) -> String {
    let (mut counts, mut n_cards, mut cursor) = (BTreeMap::new(), 0, Value::Null);
    loop {
        let page = server.data(
            "symbols.search",
            json!({ "kinds": ["Method"], "file_path": "src/", "limit": 100, "cursor": cursor }),
        );
        for id in each(&page["hits"], "symbol_id") {
            let answer = server.answer("symbols.get_card", json!({ "symbol_id": id }));
            n_cards += 1;
            for field in [
                "signature",
                "documentation",
                "calls_top",
                "facts",
                "side_effects",
                "thrown_exceptions",
                "evidence",
            ] {
                let value = &answer["data"][field];
                let is_there = value.as_str().is_some_and(|text| !text.is_empty())
                    || value.as_array().is_some_and(|list| !list.is_empty());
                *counts.entry(field).or_insert(0) += i32::from(is_there);
            }
            *counts.entry("next_actions").or_insert(0) +=
                i32::from(!answer["next_actions"].as_array().unwrap().is_empty());
        }
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    let share = |(field, count): (&&str, &i32)| {
        format!("{field} {:.3}", f64::from(*count) / f64::from(n_cards))
    };
    format!(
        "{n_cards} cards: {}",
        counts.iter().map(share).collect::<Vec<_>>().join(", ")
    )
}
