//! What `search_code` finds, in which order, and what it says about it.

use serde_json::{Value, json};

use super::{SHOP, Server, each};

#[track_caller]
fn first(server: &Server, query: &str) -> Value {
    server.answer("search_code", json!({ "query": query }))["results"][0].clone()
}

#[test]
fn every_kind_of_question_finds_its_answer() {
    let server = Server::new(SHOP);
    for (query, intent, path, name) in [
        ("tax_rate", "symbol", "shop/tax.py", Some("tax_rate")),
        ("TaxRate", "symbol", "shop/tax.py", Some("tax_rate")),
        ("tax_raet", "symbol", "shop/tax.py", Some("tax_rate")),
        ("tax_r", "symbol", "shop/tax.py", Some("tax_rate")),
        ("Cart.total", "symbol", "shop/cart.py", Some("total")),
        (
            "empty cart",
            "natural_language",
            "shop/cart.py",
            Some("empty_cart"),
        ),
        (
            "def print_report",
            "symbol",
            "shop/report.py",
            Some("print_report"),
        ),
        ("shop/report.py", "path", "shop/report.py", None),
        ("reprot.py", "path", "shop/report.py", None),
        (
            "value added tax of a country",
            "natural_language",
            "shop/tax.py",
            Some("tax_rate"),
        ),
        (
            "ValueError: no tax rate is known for country fr",
            "error",
            "shop/tax.py",
            Some("tax_rate"),
        ),
        (
            "where do we add items to the customer's cart?",
            "natural_language",
            "shop/cart.py",
            Some("add"),
        ),
    ] {
        let answer = server.answer("search_code", json!({ "query": query }));
        assert_eq!(answer["query_intent"], intent, "{query}");
        let top = &answer["results"][0];
        assert_eq!(top["path"], path, "{query}: {answer}");
        assert_eq!(
            top.get("name").and_then(Value::as_str),
            name,
            "{query}: {answer}"
        );
    }
}

#[test]
fn an_error_message_shows_the_line_that_emits_it() {
    let server = Server::new(SHOP);
    let top = first(&server, "error: no tax rate is known for country fr");
    assert_eq!(top["snippet_line"], 6);
    assert!(
        top["snippet"]
            .as_str()
            .unwrap()
            .starts_with("raise ValueError")
    );
}

#[test]
fn tests_come_after_code_unless_asked_for() {
    let server = Server::new(
        "//- src/a.py\ndef parse_date(text): return text\n//- tests/b.py\ndef parse_date(text): return text\n",
    );
    assert_eq!(first(&server, "parse_date")["path"], "src/a.py");
    let tests = server.answer(
        "search_code",
        json!({ "query": "parse date test helper function" }),
    );
    assert_eq!(each(&tests["results"], "path").len(), 2);
}

#[test]
fn the_full_explanation_adds_up() {
    let server = Server::new(SHOP);
    for (tool, field, query) in [
        ("search_code", "query", "tax_rate"),
        ("search_code", "query", "cart"),
        ("search_code", "query", "value added tax of a country"),
        ("search_code", "query", "shop/cart.py"),
        ("search_code", "query", "tests for the total of a cart"),
        ("locate_symbol", "name", "total"),
        ("locate_symbol", "name", "Cart.total"),
    ] {
        let answer = server.answer(
            tool,
            json!({ field: query, "ranking_explain_level": "full" }),
        );
        let reasons = answer["metadata"]["ranking_reasons"].as_array().unwrap();
        let results = answer["results"].as_array().unwrap();
        assert_eq!(reasons.len(), results.len());
        for (i, (reason, result)) in reasons.iter().zip(results).enumerate() {
            assert_eq!(reason["result_index"], i);
            let factor = |name: &str| {
                reason[name]
                    .as_f64()
                    .unwrap_or_else(|| panic!("{name} is missing"))
            };
            let factors = [
                "exact_match_boost",
                "name_likeness",
                "qualified_name_boost",
                "path_affinity",
                "definition_boost",
                "kind_match",
                "bm25_score",
                "file_score",
                "phrase_boost",
                "name_cover",
            ];
            let total = factors.iter().map(|name| factor(name)).sum::<f64>() * factor("penalty");
            let final_score = total.max(0.0) / (total.max(0.0) + 20.0);
            assert!(
                (final_score - factor("final_score")).abs() < 1e-9,
                "{query}: {reason}"
            );
            assert!(
                (final_score - result["score"].as_f64().unwrap()).abs() < 1e-4,
                "{query}: {reason}"
            );
        }
        let scores: Vec<f64> = results
            .iter()
            .map(|result| result["score"].as_f64().unwrap())
            .collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{query}: {scores:?}");
    }
    let off = server.answer("search_code", json!({ "query": "tax_rate" }));
    assert!(off["metadata"].get("ranking_reasons").is_none());
    let basic = server.answer(
        "search_code",
        json!({ "query": "tax_rate", "ranking_explain_level": "basic" }),
    );
    assert_eq!(basic["metadata"]["ranking_reasons"][0]["exact_match"], true);
}

#[test]
fn a_language_filter_leaves_the_others_out() {
    let server = Server::new(
        "//- a.py\ndef parse(): ...\n//- b.go\npackage b\nfunc parse() {}\n//- c.ts\nfunction parse() {}\n",
    );
    for (language, path) in [
        ("go", "b.go"),
        ("golang", "b.go"),
        ("py", "a.py"),
        ("TypeScript", "c.ts"),
    ] {
        let answer = server.answer(
            "search_code",
            json!({ "query": "parse", "language": language }),
        );
        assert_eq!(each(&answer["results"], "path"), [path], "{language}");
    }
}

#[test]
fn small_answers_are_small() {
    let mut files = String::new();
    for i in 0..20 {
        files.push_str(&format!("//- src/services/payment/handler_{i}.py\nclass PaymentHandler{i}:\n    def process_payment(self, amount, currency, account):\n        \"\"\"Processes a payment of an amount.\"\"\"\n        checked = self.check(amount, currency)\n        if not checked:\n            raise ValueError('payment is not valid')\n        return self.gateway.submit(account, checked)\n    def check(self, amount, currency):\n        return amount > 0 and currency in self.currencies\n    def refund(self, account, amount):\n        return self.gateway.submit(account, -amount)\n    def history(self, account):\n        return self.gateway.list(account)\n    def close(self):\n        self.gateway.close()\n"));
    }
    let server = Server::new(&files);
    let ask = |detail: &str, compact: bool| {
        server.answer("search_code", json!({ "query": "process payment", "limit": 5, "detail_level": detail, "compact": compact }))
    };
    let small = ask("location", true);
    assert_eq!(small["results"].as_array().unwrap().len(), 5);
    let tokens = crate::tokens::count(&small.to_string());
    assert!(tokens <= 600, "{tokens} tokens for 5 results: {small}");
    let bytes = |detail: &str, compact: bool| ask(detail, compact).to_string().len();
    assert!(
        bytes("location", true) * 2 <= bytes("context", false),
        "{} against {}",
        bytes("location", true),
        bytes("context", false)
    );
    assert!(
        bytes("context", true) * 2 <= bytes("context", false),
        "{} against {}",
        bytes("context", true),
        bytes("context", false)
    );
}

/// On code that nobody wrote for this test: our own. Each file is asked for by its name, by what it
/// says it is for, and by its first function.
#[test]
fn compact_answers_are_less_than_half_of_those_with_context() {
    let directory = tempfile::tempdir().unwrap();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: Vec<std::path::PathBuf> = ["", "codecompass", "codecompass/tests"]
        .iter()
        .flat_map(|below| {
            std::fs::read_dir(source.join(below))
                .unwrap()
                .map(|entry| entry.unwrap().path())
        })
        .filter(|path| path.is_file())
        .collect();
    let mut questions = Vec::new();
    let mut names = Vec::new();
    for file in &files {
        let below = file.strip_prefix(&source).unwrap();
        std::fs::create_dir_all(directory.path().join(below).parent().unwrap()).unwrap();
        std::fs::copy(file, directory.path().join(below)).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        questions.push(file.file_name().unwrap().to_str().unwrap().to_owned());
        questions.extend(
            text.lines()
                .next()
                .and_then(|line| line.strip_prefix("//! "))
                .map(str::to_owned),
        );
        let function = text.lines().find_map(|line| {
            line.trim_start()
                .trim_start_matches("pub ")
                .strip_prefix("fn ")
        });
        names.extend(
            function
                .and_then(|rest| rest.split(['(', '<']).next())
                .map(str::to_owned),
        );
    }
    let server = Server::over(directory, |root| ::answers::Routing {
        registered: vec![root],
        ..Default::default()
    });
    server.index();
    let ask = |tool: &str, field: &str, text: &str| {
        let small = server.answer(tool, json!({ field: text, "compact": true }));
        let large = server.answer(tool, json!({ field: text, "detail_level": "context" }));
        assert_eq!(
            each(&small["results"], "path"),
            each(&large["results"], "path"),
            "{text}"
        );
        (small, large)
    };
    // Whole answers of a search, and the results alone of a look-up: one result is not larger than
    // the metadata beside it.
    let whole = |(small, large): (Value, Value)| (small.to_string().len(), large.to_string().len());
    let results = |(small, large): (Value, Value)| {
        whole((small["results"].clone(), large["results"].clone()))
    };
    let searched = questions
        .iter()
        .chain(&names)
        .map(|text| whole(ask("search_code", "query", text)));
    let located = names
        .iter()
        .map(|name| results(ask("locate_symbol", "name", name)));
    // There is little around a function of one line: of the answers about a single symbol one in
    // five may be above.
    for (what, sizes, one_in) in [
        ("searched", searched.collect::<Vec<_>>(), 20),
        ("located", located.collect(), 5),
    ] {
        let (small, large) = sizes
            .iter()
            .fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        assert!(2 * small <= large, "{what}: {small} of {large} bytes");
        let n_above = sizes
            .iter()
            .filter(|(small, large)| 2 * small > *large)
            .count();
        assert!(
            one_in * n_above <= sizes.len(),
            "{what}: {n_above} of {} answers are above a half",
            sizes.len()
        );
    }
}

/// One file that has much of a word does not hide the others, and the scores still tell the order.
#[test]
fn hits_of_one_file_make_room_for_others() {
    let mut files = "//- shop/refund.py\n".to_owned();
    for part in ["customer", "supplier", "gift", "deposit", "voucher"] {
        files.push_str(&format!(
            "def refund_{part}_payment(payment):\n    \"\"\"Refund the payment of a {part} after a complaint.\"\"\"\n    return payment\n\n"
        ));
    }
    files.push_str("//- shop/complaint.py\ndef handle_complaint(payment):\n    \"\"\"A complaint about a payment may end in a refund.\"\"\"\n    return payment\n");
    files.push_str("//- shop/ledger.py\ndef book_refund(payment):\n    \"\"\"Books the refund of a payment after a complaint.\"\"\"\n    return payment\n");
    let server = Server::new(&files);
    let answer =
        server.answer("search_code", json!({ "query": "how is a payment refunded after a complaint", "ranking_explain_level": "full" }));
    let first: Vec<&str> = each(&answer["results"], "path")
        .into_iter()
        .take(5)
        .collect();
    assert!(
        first
            .iter()
            .filter(|path| **path == "shop/refund.py")
            .count()
            <= 3,
        "{first:?}"
    );
    assert!(
        first[..4]
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len()
            == 3,
        "{first:?}"
    );
    let scores: Vec<f64> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

/// A question that spells a name is about it, whatever its kind and wherever it is. A report names
/// what it saw fail.
#[test]
fn a_name_that_the_question_spells_comes_first() {
    let server = Server::new(
        "//- shop/basket.py\nclass BasketAdapter:\n    limit = 3\n\n    def call(self, blocks):\n        return blocks\n\
         //- shop/blocks.py\ndef map_blocks(blocks):\n    \"\"\"Maps the blocks that adapters call, when blocks are called.\"\"\"\n    return blocks\n\
         //- tests/server.py\nclass TLSServer:\n    def start(self):\n        return 1\n\
         //- shop/server.py\ndef start_server(server):\n    \"\"\"Starts the server with its context.\"\"\"\n    return server\n",
    );
    for (question, name) in [
        (
            "Where does BasketAdapter call what maps blocks?",
            "BasketAdapter",
        ),
        (
            "How does the TLSServer class start its server context?",
            "TLSServer",
        ),
        (
            "What does `BasketAdapter.call` do when blocks are called?",
            "call",
        ),
    ] {
        assert_eq!(first(&server, question)["name"], name, "{question}");
    }
    let report = "BasketAdapter maps blocks of adapters that call blocks twice";
    assert_eq!(first(&server, report)["name"], "map_blocks");
}

/// Two words that share letters with many names, and are none, are about what is done.
#[test]
fn two_words_that_nothing_is_named_by_are_a_question() {
    let server = Server::new(
        "//- commands/squashmigrations.py\nclass Command:\n    def handle(self, options):\n        \"\"\"Squashes the migrations into one.\"\"\"\n        return options\n\
//- db/graph.py\nclass MigrationGraph:\n    def add_migration(self, migration): ...\n    def leaf_migrations(self): ...\n//- db/loader.py\nclass MigrationsLoader:\n    def migrations_module(self): ...\n",
    );
    let answer = server.answer("search_code", json!({ "query": "squash migrations" }));
    assert_eq!(
        answer["results"][0]["path"], "commands/squashmigrations.py",
        "{answer}"
    );
    let named = server.answer("search_code", json!({ "query": "migration graph" }));
    assert_eq!(named["results"][0]["name"], "MigrationGraph", "{named}");
}

#[test]
fn a_type_comes_before_its_constructors() {
    let server =
        Server::new("//- Lamp.java\nclass Lamp {\n    Lamp() {}\n    Lamp(int watts) {}\n}\n");
    let answer = server.answer("search_code", json!({ "query": "Lamp" }));
    assert_eq!(answer["results"][0]["kind"], "class", "{answer}");
}

#[test]
fn what_is_one_call_away_is_offered_beside() {
    let server = Server::new(
        "//- app/mail.py\nfrom app.queue import drain\n\ndef send_newsletter(subscribers):\n    \"\"\"Sends the newsletter to all subscribers.\"\"\"\n    return drain(subscribers)\n\
//- app/queue.py\ndef drain(waiting):\n    return [one for one in waiting]\n//- app/other.py\ndef unrelated(): ...\n",
    );
    let answer = server.answer(
        "search_code",
        json!({ "query": "newsletter is not sent to all subscribers" }),
    );
    assert_eq!(answer["results"][0]["name"], "send_newsletter");
    let related = &answer["related_results"];
    assert_eq!(each(related, "name"), ["drain"], "{answer}");
    assert_eq!(
        (&related[0]["relation"], &related[0]["of"]),
        (&json!("callee"), &json!("send_newsletter"))
    );
    assert_eq!(
        (&related[0]["path"], &related[0]["line_start"]),
        (&json!("app/queue.py"), &json!(1))
    );
    let compact = server.answer(
        "search_code",
        json!({ "query": "newsletter is not sent to all subscribers", "compact": true }),
    );
    assert!(compact.get("related_results").is_none());
    let named = server.answer("search_code", json!({ "query": "send_newsletter" }));
    assert!(named.get("related_results").is_none());
}

#[test]
fn the_name_of_the_language_tells_nothing() {
    let server = Server::new(
        "//- a.py\ndef run_python():\n    \"\"\"Starts the python interpreter of python.\"\"\"\n//- b.py\ndef reverse_words(text):\n    return text.split()[::-1]\n//- c.py\ndef other(): ...\n",
    );
    assert_eq!(
        first(&server, "how to reverse the words of a text in python")["path"],
        "b.py"
    );
}

#[test]
fn unsaved_edits_count_at_once() {
    let server = Server::new(SHOP);
    server.write("//- shop/refund.py\ndef refund_everything(): ...\n");
    let answer = server.answer("search_code", json!({ "query": "refund_everything" }));
    assert_eq!(answer["results"][0]["path"], "shop/refund.py");
    assert_eq!(answer["metadata"]["freshness_status"], "fresh");
    std::fs::remove_file(server.directory.path().join("shop/refund.py")).unwrap();
    let answer = server.answer("locate_symbol", json!({ "name": "refund_everything" }));
    assert_eq!(answer["total_candidates"], 0);
}
