//! Servers that behave badly: each costs its own question, and nothing else.
#![cfg(unix)]

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::testing::*;
use language_servers::{Document, Error, Limit, PoolSettings, Readiness, State};

/// Far below what a question that hangs would take, and far above what a busy machine adds.
const SOON: Duration = Duration::from_secs(20);
const FIXTURE: &str = "//- a.fake\n\u{1f9ed}\u{e9} on$0e\ntwo\n";

#[test]
fn never_answering_costs_the_deadline_and_the_server_lives() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("never-answers", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let began = Instant::now();
    let error = project
        .at_cursor(|place| pool.definition(place, &Limit::within(Duration::from_millis(300))))
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    // So short a wait says nothing about it; a longer one does.
    assert_eq!(pool.status()[0].state, State::Ready);
    let error = project
        .at_cursor(|place| pool.definition(place, &Limit::within(Duration::from_millis(1100))))
        .unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert_eq!(pool.status()[0].state, State::Silent);

    // A diagnostics question has an answer at its deadline, and says that it is none.
    let limit = Limit::within(Duration::from_millis(300));
    let answer = project
        .document("a.fake", |document| {
            pool.document_diagnostics(document, &[], &limit)
        })
        .unwrap();
    assert!(!answer.value.settled && answer.value.items.is_empty());
}

#[test]
fn a_cancelled_question_returns_at_once() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("never-answers", "first-response");
    wait_ready(&pool, &project.cursor_file());
    let limit = seconds(30);
    let cancelled = limit.cancelled.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancelled.store(true, Ordering::Relaxed);
    });
    let began = Instant::now();
    let error = project
        .at_cursor(|place| pool.definition(place, &limit))
        .unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn a_deaf_server_is_starting() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("deaf", "first-response");
    let error = project
        .at_cursor(|place| pool.definition(place, &Limit::within(Duration::from_millis(300))))
        .unwrap_err();
    assert!(matches!(error, Error::Starting { .. }), "{error}");
    assert_eq!(
        pool.prepare(&project.cursor_file()).unwrap(),
        State::Starting
    );
}

#[track_caller]
fn check_broken(behaviour: &str, expected: &str) {
    let project = Project::new(FIXTURE);
    let pool = project.fake(behaviour, "first-response");
    wait_ready(&pool, &project.cursor_file());
    let epoch = pool.text_epoch();
    let error = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap_err();
    assert!(
        matches!(error, Error::Gone { .. }) && error.to_string().contains(expected),
        "{error}"
    );
    wait_for(
        60,
        || format!("{:?}", pool.status()),
        || pool.text_epoch() > epoch,
    );
    // It comes back by itself.
    wait_ready(&pool, &project.cursor_file());
    assert_eq!(pool.status()[0].n_crashes, 1);
    assert!(
        pool.status()[0]
            .last_crash
            .as_ref()
            .unwrap()
            .contains(expected)
    );
}

#[test]
fn garbage_instead_of_a_header() {
    check_broken("garbage", "boom");
}

#[test]
fn garbage_instead_of_json() {
    check_broken("no-json", "no message");
}

#[test]
fn a_message_over_the_cap() {
    check_broken("huge", "99999999999 bytes");
}

#[test]
fn an_answer_nested_a_million_deep() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("deep", "first-response");
    let error = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap_err();
    assert!(
        matches!(error, Error::Malformed { .. }) && error.to_string().contains("recursion limit"),
        "{error}"
    );
}

#[test]
fn a_crash_in_the_middle_of_a_question() {
    check_broken("crashes", "it ended");
}

#[test]
fn an_answer_of_another_shape() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("lies", "first-response");
    let error = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap_err();
    assert!(matches!(error, Error::Malformed { .. }), "{error}");
}

#[test]
fn a_question_it_never_announced() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("plain", "first-response");
    let error = project
        .at_cursor(|place| pool.hover(place, &seconds(10)))
        .unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}

#[test]
fn content_modified_is_asked_again() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("modified", "first-response");
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert!(answer.value.is_empty());
}

#[test]
fn a_server_that_always_crashes_is_left_alone_until_it_is_restarted() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("dies-at-once", "first-response");
    let error = project
        .at_cursor(|place| pool.definition(place, &seconds(5)))
        .unwrap_err();
    let Error::Unavailable {
        reason,
        retry_after,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert!(reason.contains("libnothing.so"), "{reason}");
    assert!(retry_after.unwrap() <= Duration::from_millis(500));
    // 0.5 + 1 + 2 + 4 + 8 s until the sixth crash: seen here to the third.
    let is_left_alone = || matches!(&pool.status()[0], status if status.n_crashes >= 3 && matches!(status.state, State::Paused { .. }));
    wait_for(60, || format!("{:?}", pool.status()), is_left_alone);
    assert_eq!(pool.restart(Some("fake")), 1);
    wait_for(
        60,
        || format!("{:?}", pool.status()),
        || pool.status()[0].n_crashes == 1,
    );
}

#[test]
fn a_flood_of_diagnostics_is_bounded_and_others_are_served() {
    let project = Project::new(FIXTURE);
    let settings = PoolSettings {
        catalogue: fake_catalogue("floods", "first-response"),
        ..project.settings()
    };
    let pool = project.pool_with(settings);
    let epoch = pool.diagnostics_epoch();
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(answer.value.len(), 1);
    // On a busy machine even a flood has pauses: asked until it is seen in full flow.
    let asked = || {
        let limit = Limit::within(Duration::from_millis(500));
        project
            .document("a.fake", |document| {
                pool.workspace_diagnostics(document, &limit)
            })
            .unwrap()
            .value
    };
    wait_for(60, || "no flood".to_owned(), || asked().truncated);
    let mut diagnostics = asked();
    for _ in 0..60 {
        if !diagnostics.settled {
            break;
        }
        diagnostics = asked();
    }
    assert!(!diagnostics.settled && diagnostics.truncated && !diagnostics.whole_project);
    assert!(diagnostics.files.len() <= 20_000);
    let most = diagnostics
        .files
        .iter()
        .map(|(_, items)| items.len())
        .max()
        .unwrap();
    let longest = diagnostics
        .files
        .iter()
        .flat_map(|(_, items)| items)
        .map(|item| item.message.len())
        .max()
        .unwrap();
    assert_eq!((most, longest), (1_000, 4_000));
    assert!(pool.diagnostics_epoch() > epoch);
    // The server still answers in the midst of its own noise.
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
}

#[test]
fn a_flood_of_questions_ends_that_server_only() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("asks", "first-response");
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    // It asks faster than it reads answers, or it does not; either way we stay bounded and
    // responsive.
    std::thread::sleep(Duration::from_secs(1));
    let began = Instant::now();
    let _ =
        project.at_cursor(|place| pool.definition(place, &Limit::within(Duration::from_secs(1))));
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn locations_outside_the_roots_pass_through_for_the_gateway_to_drop() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("outside", "first-response");
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(
        project.show(&answer.value),
        [
            "a.fake:0:0-0:4",
            "file:///etc/passwd:0:0-0:4",
            "https://example.org/x:0:0-0:4"
        ]
    );
}

#[test]
fn a_server_that_counts_bytes_is_converted() {
    let project = Project::new(FIXTURE);
    // Line 0: a compass (4 bytes, 2 units), an e-acute (2 bytes, 1 unit), a space, and the cursor
    // after "on".
    let in_bytes = project.at_cursor(|place| place.position.character);
    assert_eq!(in_bytes, 6);
    let pool = project.fake("counts-bytes", "first-response");
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(project.show(&answer.value), ["a.fake:0:0-0:6"]);
    let plain = project.fake("plain", "first-response");
    let answer = project
        .at_cursor(|place| plain.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(project.show(&answer.value), ["a.fake:0:0-0:6"]);
}

#[test]
fn an_answer_while_loading_says_so() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("loads", "progress");
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(answer.readiness, Readiness::Loading);
    let epoch = pool.text_epoch();
    wait_ready(&pool, &project.cursor_file());
    assert_eq!(pool.text_epoch(), epoch + 1);
    let answer = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(
        (answer.readiness, &*answer.server),
        (Readiness::Ready, "fake")
    );
    assert_eq!(pool.text_epoch(), epoch + 1);
}

#[test]
fn the_memory_ceiling_ends_a_server_and_says_why() {
    let project = Project::new(FIXTURE);
    let catalogue = fake_catalogue("eats", "first-response");
    let pool = project.pool_with(PoolSettings {
        catalogue,
        memory_per_server: 200 << 20,
        ..project.settings()
    });
    wait_ready(&pool, &project.cursor_file());
    let last_crash = || pool.status()[0].last_crash.clone().unwrap_or_default();
    wait_for(60, last_crash, || {
        last_crash().contains("over its ceiling of 200 MiB")
    });
}

#[test]
fn the_ceiling_for_all_stops_the_server_unused_for_longest() {
    let project = Project::new("//- a/m\n//- a/x.fake\n//- b/m\n//- b/y.fake\n");
    let mut catalogue = fake_catalogue("eats", "first-response");
    catalogue.servers[0].root_markers = vec!["m".into()];
    let pool = project.pool_with(PoolSettings {
        catalogue,
        memory_in_all: 450 << 20,
        ..project.settings()
    });
    wait_ready(&pool, &project.root.join("a/x.fake"));
    wait_ready(&pool, &project.root.join("b/y.fake"));
    let states = || {
        pool.status()
            .iter()
            .map(|status| status.state)
            .collect::<Vec<_>>()
    };
    wait_for(
        60,
        || format!("{:?}", states()),
        || states() == [State::Idle, State::Ready],
    );
}

#[test]
fn an_unused_server_is_stopped_and_comes_back() {
    let project = Project::new(FIXTURE);
    let catalogue = fake_catalogue("plain", "first-response");
    let pool = project.pool_with(PoolSettings {
        catalogue,
        idle: Duration::from_millis(400),
        ..project.settings()
    });
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    let process = process_of(&pool);
    wait_for(
        60,
        || format!("{:?}", pool.status()),
        || pool.status()[0].state == State::Idle,
    );
    wait_for(60, || "alive".into(), || !is_alive(process));
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!(pool.status()[0].n_crashes, 0);
}

#[test]
fn stopped_stays_stopped_until_restarted() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("plain", "first-response");
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
    assert_eq!((pool.stop(Some("other")), pool.stop(None)), (0, 1));
    let error = project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::Unavailable {
                retry_after: None,
                ..
            }
        ),
        "{error}"
    );
    pool.restart(None);
    project
        .at_cursor(|place| pool.definition(place, &seconds(10)))
        .unwrap();
}

#[test]
fn many_callers_share_one_server() {
    let project = Project::new(FIXTURE);
    let pool = project.fake("plain", "first-response");
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let (pool, project) = (&pool, &project);
            scope.spawn(move || {
                for round in 0..50_u32 {
                    let text = format!("{thread} {round}\n");
                    let path = project.root.join("a.fake");
                    let position = language_servers::LspPosition {
                        line: thread,
                        character: round,
                    };
                    let place = language_servers::Place {
                        document: Document {
                            path: &path,
                            text: &text,
                        },
                        unsaved: &[],
                        position,
                    };
                    let answer = pool.definition(&place, &seconds(20)).unwrap();
                    // Each gets the answer to its own question.
                    assert_eq!(
                        show_range(answer.value[0].range),
                        format!("{thread}:0-{thread}:{round}")
                    );
                }
            });
        }
    });
    assert_eq!(pool.status().len(), 1);
}
