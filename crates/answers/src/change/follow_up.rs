//! What to do about a change: the tests that run what it edits, and the code that lost its last use.

use engine::{
    Cut, SymbolId,
    query::{
        self, TestBounds,
        architecture::ArchitectureFact,
        change::{self, ChangeSet, ChangedUnits},
    },
};
use rustc_hash::FxHashSet;

use super::{SymbolSide, side};
use crate::{
    Session,
    dead_code::{self, DeadCode, DeadScope},
    test_commands::TestCommands,
    test_groups::SelectedTest,
    tests_to_run::{self, AlwaysRun, TestsToRun},
};

/// The tests that may run what a change edits.
#[derive(Clone, Debug, Default)]
pub struct TestSelection {
    /// The surest and nearest first.
    pub tests: Vec<SelectedTest>,
    /// Changed files after which every test below a directory must run.
    pub always: Vec<AlwaysRun>,
    pub commands: TestCommands,
    /// Why tests may be missing.
    pub cut: Option<Cut>,
}

/// What a change leaves without a use.
#[derive(Clone, Debug, Default)]
pub struct DeadNow {
    pub proven: Vec<SymbolSide>,
    /// Each with why it is not proven.
    pub open: Vec<(SymbolSide, String)>,
    /// Why symbols may be missing.
    pub cut: Option<Cut>,
}

/// Rounds in which what the dead code used is looked at in turn, and how much of it.
const MOST_ROUNDS: usize = 4;
const MOST_CANDIDATES: usize = 1_000;

/// `known` has the routes where the program may not be read as a whole for them; then the nearest tests are enough.
pub(super) fn tests(
    change: &ChangeSet,
    head: &Session,
    known: Option<&[ArchitectureFact]>,
) -> TestSelection {
    let changed = ChangedUnits::of(change);
    let (units, paths) = (&changed.units, &changed.paths);
    let found = match known {
        None => tests_to_run::tests_to_run(head, units, paths),
        Some(known) => {
            let routes = || tests_to_run::handlers(known);
            tests_to_run::bounded_tests(head, units, paths, &routes, TestBounds::NEAREST)
        }
    };
    selection(head, found)
}

fn selection(session: &Session, found: TestsToRun) -> TestSelection {
    let tests = found.tests.iter();
    let tests = tests.map(|test| SelectedTest::of(session, test));
    TestSelection {
        tests: tests.collect(),
        always: found.always,
        commands: found.commands,
        cut: found.cut,
    }
}

/// Code that the change no longer uses, and what only that used, as far as nothing else uses it.
/// `is_whole` says whether the program may be read as a whole for what frameworks register.
pub(super) fn dead_now(change: &ChangeSet, head: &Session, is_whole: bool) -> DeadNow {
    let resolver = head.resolver();
    let mut candidates: FxHashSet<SymbolId> = change::lost_uses(change)
        .into_iter()
        .filter(|symbol| query::is_dead_candidate(&resolver, *symbol))
        .collect();
    let mut found = DeadCode::default();
    for _ in 0..MOST_ROUNDS {
        if candidates.is_empty() || head.budget.cut().is_some() {
            break;
        }
        let listed: Vec<SymbolId> = candidates.iter().copied().collect();
        found = match is_whole {
            true => dead_code::dead_code(head, DeadScope::Symbols(&listed)),
            false => dead_code::dead_among(head, &listed),
        };
        let dead = found.proven.iter().copied();
        let dead = dead.chain(found.open.iter().map(|open| open.symbol));
        let n_before = candidates.len();
        for symbol in dead.collect::<Vec<_>>() {
            let (calls, _) = query::callees(&resolver, symbol).value;
            let called = calls.iter().map(|call| call.symbol);
            candidates.extend(called.filter(|symbol| query::is_dead_candidate(&resolver, *symbol)));
        }
        if candidates.len() == n_before || candidates.len() > MOST_CANDIDATES {
            break;
        }
    }
    let open = found.open.iter();
    let open = open.filter_map(|open| Some((side(head, open.symbol)?, open.why.text(head))));
    let proven = found.proven.iter();
    DeadNow {
        proven: proven.filter_map(|symbol| side(head, *symbol)).collect(),
        open: open.collect(),
        cut: head.budget.cut(),
    }
}
