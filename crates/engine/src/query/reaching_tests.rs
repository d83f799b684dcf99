//! Which tests run some code: backwards from the code along everything that leads to it, until a
//! test is met.
//!
//! Calls are followed through dispatch, [`super::code_users`] has the steps; routes that a test requests
//! count as well. The walk takes the cheapest way first, so that the path of each test is its
//! shortest and surest one.

use std::{
    cell::{OnceCell, RefCell},
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use facts::{Modifiers, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    code_users::{UsedBy, users},
    contents::of_each,
    requests::{is_request_of, requests},
    test_cases::CodeUnit,
};
use crate::{Complete, Cut, Outcome, Resolver, SymbolId, Ty, query};

/// How a unit runs or uses the next one of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReachKind {
    Call,
    /// The language calls it: a loop, an operator, a conversion.
    Implicit,
    /// It reads, writes, passes on or extends it.
    Use,
    /// It has it as an annotation.
    Annotation,
    /// It is written around it.
    Encloses,
    /// The next one runs for every test of a type, group or file.
    SetUp,
    /// A parameter asks for it by name.
    Fixture,
    /// It gives the arguments of a test.
    Provider,
    /// The language or a library calls it on objects of its type.
    Convention,
    /// A request for its route.
    Route,
    /// It imports the file.
    Import,
}

impl ReachKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ReachKind::Call => "calls",
            ReachKind::Implicit => "calls implicitly",
            ReachKind::Use => "uses",
            ReachKind::Annotation => "is annotated with",
            ReachKind::Encloses => "encloses",
            ReachKind::SetUp => "is set up by",
            ReachKind::Fixture => "asks for fixture",
            ReachKind::Provider => "takes arguments from",
            ReachKind::Convention => "may run by convention",
            ReachKind::Route => "requests the route of",
            ReachKind::Import => "imports",
        }
    }

    /// What a step of this kind adds to the length of a path, in tenths of a call.
    pub(super) fn cost(self, outcome: Outcome) -> u32 {
        let by_kind = match self {
            ReachKind::Encloses => 2,
            ReachKind::SetUp | ReachKind::Fixture | ReachKind::Provider => 6,
            ReachKind::Call | ReachKind::Implicit => 10,
            ReachKind::Use | ReachKind::Annotation => 12,
            ReachKind::Convention => 15,
            ReachKind::Route => 15,
            ReachKind::Import => 50,
        };
        let by_outcome = match outcome {
            Outcome::Static => 0,
            Outcome::Dispatch => 3,
            Outcome::Heuristic => 6,
            Outcome::Ambiguous => 30,
            Outcome::External | Outcome::Unresolved => 50,
        };
        by_kind + by_outcome
    }
}

/// One step of a path: `unit` reaches the unit of the next step, and that of the last step is the
/// code that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestStep {
    pub unit: CodeUnit,
    pub how: ReachKind,
    pub outcome: Outcome,
}

/// A test that runs some code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachingTest {
    pub test: CodeUnit,
    /// From the test on; empty where the test itself was asked about.
    pub path: Vec<TestStep>,
    /// Which of the units asked about it reaches.
    pub target: CodeUnit,
    /// The least sure step.
    pub outcome: Outcome,
    /// The length of the path in tenths of a call. Less sure steps count more, and so do places under
    /// conditions.
    pub cost: u32,
}

/// Units that one question looks at.
const MAX_UNITS: usize = 20_000;

/// How far a question goes.
#[derive(Clone, Copy, Debug)]
pub struct TestBounds {
    /// The walk ends when it has met so many tests, the nearest first.
    pub tests: usize,
    /// Units that are looked at to tell which tests make objects of a type.
    pub units_of_makers: usize,
}

impl TestBounds {
    /// All tests.
    pub const ALL: TestBounds = TestBounds {
        tests: usize::MAX,
        units_of_makers: MAX_UNITS,
    };
    /// As many as anybody reads. What more tests than these run is run by most.
    pub const NEAREST: TestBounds = TestBounds {
        tests: 500,
        units_of_makers: 2_000,
    };
}

/// A route and the symbol that answers it.
pub type RouteHandlers = Vec<(SymbolId, String)>;

/// The tests that run one of some units, the surest and nearest first. `routes` is asked for only
/// where nothing calls a symbol, which is how handlers look.
pub fn reaching_tests(
    resolver: &Resolver,
    targets: &[CodeUnit],
    routes: &dyn Fn() -> RouteHandlers,
    bounds: TestBounds,
) -> Complete<Vec<ReachingTest>> {
    let steps = Steps::new(resolver, routes);
    let mut walk = TestWalk::new(&steps);
    walk.most_tests = bounds.tests;
    for target in targets {
        for unit in with_parts(resolver, *target) {
            walk.reach(unit, 0, None);
        }
    }
    walk.run();
    let mut tests: Vec<ReachingTest> = walk.tests.iter().map(|test| walk.path_of(*test)).collect();
    retain_makers(&steps, &mut tests, bounds.units_of_makers);
    tests.sort_by_key(|found| (class(found.outcome), found.cost, found.test));
    let cut = walk.is_limited.then_some(Cut::Limit);
    let mut found = resolver.budget.finish(tests);
    found.cut = found.cut.or(cut);
    found
}

/// Leaves out the tests that get to a method of objects and make no object of its type.
fn retain_makers(steps: &Steps, tests: &mut Vec<ReachingTest>, most_units: usize) {
    let resolver = steps.resolver;
    let mut holders: FxHashMap<CodeUnit, Option<SymbolId>> = FxHashMap::default();
    let mut reached: BTreeMap<SymbolId, FxHashSet<CodeUnit>> = BTreeMap::new();
    for found in tests.iter().filter(|found| !found.path.is_empty()) {
        let target = found.target;
        let holder = holders
            .entry(target)
            .or_insert_with(|| holder_of(resolver, target.symbol()?));
        if let Some(holder) = holder {
            reached.entry(*holder).or_default().insert(found.test);
        }
    }
    let makers: FxHashMap<SymbolId, FxHashSet<CodeUnit>> = reached
        .into_iter()
        .filter_map(|(holder, tests)| {
            Some((holder, tests_that_make(steps, holder, tests, most_units)?))
        })
        .collect();
    tests.retain(|found| {
        let holder = holders.get(&found.target).copied().flatten();
        let makers = holder.and_then(|holder| makers.get(&holder));
        found.path.is_empty() || makers.is_none_or(|makers| makers.contains(&found.test))
    });
}

/// The type whose objects a method is called on.
fn holder_of(resolver: &Resolver, symbol: SymbolId) -> Option<SymbolId> {
    let (_, declared) = resolver.symbol(symbol)?;
    let is_of_type = [
        Modifiers::STATIC,
        Modifiers::CLASS_METHOD,
        Modifiers::EXTENSION,
    ];
    let is_method = matches!(declared.kind, SymbolKind::Method | SymbolKind::Property)
        && !is_of_type
            .iter()
            .any(|modifier| declared.modifiers.contains(*modifier));
    match resolver.self_type(symbol) {
        Ty::Instance(holder, _) if is_method && holder != symbol => Some(holder),
        _ => None,
    }
}

/// Which tests make objects of a type: a method of objects runs in no other. Nothing where no place
/// was found that makes one, and where all of `wanted` do.
fn tests_that_make(
    steps: &Steps,
    holder: SymbolId,
    wanted: FxHashSet<CodeUnit>,
    most_units: usize,
) -> Option<FxHashSet<CodeUnit>> {
    let resolver = steps.resolver;
    let is_class = matches!(
        resolver.kind(holder),
        Some(SymbolKind::Class | SymbolKind::Struct | SymbolKind::Record | SymbolKind::TypeAlias)
    );
    if !is_class {
        return None;
    }
    let mut walk = TestWalk::new(steps);
    // What only a type's own methods do makes none where there was none before.
    walk.without = Some(holder);
    walk.wanted = Some(wanted);
    walk.most_units = most_units;
    for constructor in query::called_as(resolver, holder) {
        walk.reach(CodeUnit::Symbol(constructor), 0, None);
    }
    walk.run();
    let is_told = walk.is_finished && !walk.is_limited && !walk.tests.is_empty();
    is_told.then(|| walk.tests.into_iter().collect())
}

/// Sure, likely, possible: what ranks before length.
fn class(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Static | Outcome::Dispatch => 0,
        Outcome::Heuristic => 1,
        Outcome::Ambiguous | Outcome::External | Outcome::Unresolved => 2,
    }
}

/// A unit with what is inside of it: the members of a type, the other declarations of a function.
fn with_parts(resolver: &Resolver, unit: CodeUnit) -> Vec<CodeUnit> {
    let CodeUnit::Symbol(symbol) = unit else {
        return vec![unit];
    };
    let mut all = query::same_symbol(resolver, symbol);
    let is_container =
        |symbol: &SymbolId| resolver.kind(*symbol).is_some_and(SymbolKind::is_container);
    let mut i = 0;
    while let Some(of) = all.get(i).copied() {
        i += 1;
        if is_container(&of) {
            let members = query::children(resolver, of);
            for member in members {
                if !all.contains(&member) {
                    all.push(member);
                }
            }
        }
    }
    all.into_iter().map(CodeUnit::Symbol).collect()
}

/// What a unit is to a walk.
#[derive(Clone)]
enum UnitNode {
    Test,
    /// With the units that run or use it.
    Code(Arc<[UsedBy]>),
}

/// The steps that the walks of one question may take, each looked for once.
struct Steps<'a> {
    resolver: &'a Resolver<'a>,
    routes: &'a dyn Fn() -> RouteHandlers,
    handlers: OnceCell<FxHashMap<SymbolId, Vec<String>>>,
    requests: OnceCell<Vec<(CodeUnit, String, u32)>>,
    /// By unit, and whether it was asked about.
    nodes: RefCell<FxHashMap<(CodeUnit, bool), UnitNode>>,
}

impl<'a> Steps<'a> {
    fn new(resolver: &'a Resolver<'a>, routes: &'a dyn Fn() -> RouteHandlers) -> Steps<'a> {
        Steps {
            resolver,
            routes,
            handlers: OnceCell::new(),
            requests: OnceCell::new(),
            nodes: RefCell::default(),
        }
    }

    fn known(&self, unit: CodeUnit, is_target: bool) -> Option<UnitNode> {
        self.nodes.borrow().get(&(unit, is_target)).cloned()
    }

    /// Looks for the users of some units on all cores.
    fn look_at(&self, units: Vec<(CodeUnit, bool)>) {
        let found = of_each(self.resolver, &units, |resolver, &(unit, is_target)| {
            let is_test = match unit {
                CodeUnit::Symbol(symbol) => query::is_test_case(resolver, symbol),
                CodeUnit::Block(..) => true,
                CodeUnit::File(_) => false,
            };
            match is_test {
                true => UnitNode::Test,
                false => UnitNode::Code(users(resolver, unit, is_target).into()),
            }
        });
        self.nodes.borrow_mut().extend(units.into_iter().zip(found));
    }

    /// The tests that request a route of a handler.
    fn requests_of(&self, symbol: SymbolId) -> Vec<UsedBy> {
        let handlers = self.handlers.get_or_init(|| {
            let mut handlers: FxHashMap<SymbolId, Vec<String>> = FxHashMap::default();
            for (symbol, path) in (self.routes)() {
                handlers.entry(symbol).or_default().push(path);
            }
            handlers
        });
        let Some(paths) = handlers.get(&symbol) else {
            return Vec::new();
        };
        let requests = self.requests.get_or_init(|| requests(self.resolver));
        let requesting = requests
            .iter()
            .filter(|(_, text, _)| paths.iter().any(|path| is_request_of(text, path)));
        let units: BTreeSet<CodeUnit> = requesting.map(|(unit, ..)| *unit).collect();
        units
            .into_iter()
            .map(|unit| UsedBy::likely(unit, ReachKind::Route))
            .collect()
    }
}

/// How the cheapest way on from a unit goes.
#[derive(Clone, Copy)]
struct Way {
    cost: u32,
    /// The next unit, nothing for what was asked about.
    towards: Option<(CodeUnit, ReachKind, Outcome)>,
}

/// Units whose users are looked for at once.
const MOST_AT_ONCE: usize = 64;

struct TestWalk<'a> {
    steps: &'a Steps<'a>,
    reached: FxHashMap<CodeUnit, Way>,
    /// Cheapest first, then in the order met.
    open: BinaryHeap<Reverse<(u32, usize, CodeUnit)>>,
    n_queued: usize,
    tests: Vec<CodeUnit>,
    most_units: usize,
    most_tests: usize,
    is_limited: bool,
    /// Nothing was left to follow.
    is_finished: bool,
    /// The methods of this type are not followed.
    without: Option<SymbolId>,
    /// The walk ends when it has met these tests.
    wanted: Option<FxHashSet<CodeUnit>>,
}

impl<'a> TestWalk<'a> {
    fn new(steps: &'a Steps<'a>) -> TestWalk<'a> {
        TestWalk {
            steps,
            reached: FxHashMap::default(),
            open: BinaryHeap::new(),
            n_queued: 0,
            tests: Vec::new(),
            most_units: MAX_UNITS,
            most_tests: usize::MAX,
            is_limited: false,
            is_finished: false,
            without: None,
            wanted: None,
        }
    }

    fn reach(
        &mut self,
        unit: CodeUnit,
        cost: u32,
        towards: Option<(CodeUnit, ReachKind, Outcome)>,
    ) {
        let known = self.reached.get(&unit);
        if known.is_some_and(|known| known.cost <= cost) {
            return;
        }
        if known.is_none() && self.reached.len() >= self.most_units {
            self.is_limited = true;
            return;
        }
        self.reached.insert(unit, Way { cost, towards });
        self.n_queued += 1;
        self.open.push(Reverse((cost, self.n_queued, unit)));
    }

    fn run(&mut self) {
        let mut done: FxHashSet<CodeUnit> = FxHashSet::default();
        while let Some(Reverse((cost, _, unit))) = self.open.pop() {
            if !done.insert(unit) {
                continue;
            }
            if !self.steps.resolver.budget.spend() {
                return;
            }
            let users = match self.node(unit, &done) {
                Some(UnitNode::Code(users)) => users,
                Some(UnitNode::Test) => {
                    self.tests.push(unit);
                    if self.has_met_enough(unit) {
                        return;
                    }
                    continue;
                }
                None => return,
            };
            for user in self.followed(unit, &users) {
                let way = Some((unit, user.how, user.outcome));
                self.reach(user.unit, cost + user.cost(), way);
            }
        }
        self.is_finished = self.steps.resolver.budget.stopped().is_none();
    }

    /// Whether a test was the last one to be looked for.
    fn has_met_enough(&mut self, test: CodeUnit) -> bool {
        if self.tests.len() >= self.most_tests && !self.open.is_empty() {
            self.is_limited = true;
            return true;
        }
        let wanted = self.wanted.as_mut();
        wanted.is_some_and(|wanted| wanted.remove(&test) && wanted.is_empty())
    }

    /// What a unit is. Where nobody has looked yet, its neighbours in the queue are looked at with it.
    fn node(&self, unit: CodeUnit, done: &FxHashSet<CodeUnit>) -> Option<UnitNode> {
        let is_target = |unit: CodeUnit| {
            let way = self.reached.get(&unit);
            way.is_some_and(|way| way.towards.is_none())
        };
        let key = (unit, is_target(unit));
        if let Some(node) = self.steps.known(key.0, key.1) {
            return Some(node);
        }
        let open = self.open.iter().map(|Reverse(next)| *next);
        let mut next: Vec<(u32, usize, CodeUnit)> = open
            .filter(|(.., unit)| !done.contains(unit))
            .filter(|(.., unit)| self.steps.known(*unit, is_target(*unit)).is_none())
            .collect();
        if next.len() > MOST_AT_ONCE {
            next.select_nth_unstable(MOST_AT_ONCE);
            next.truncate(MOST_AT_ONCE);
        }
        next.sort_unstable();
        let mut units = vec![key];
        for (.., unit) in next {
            let key = (unit, is_target(unit));
            if !units.contains(&key) {
                units.push(key);
            }
        }
        self.steps.look_at(units);
        self.steps.known(key.0, key.1)
    }

    /// The users of a unit that the walk goes on to.
    fn followed(&self, unit: CodeUnit, users: &[UsedBy]) -> Vec<UsedBy> {
        let is_left_out = |user: &UsedBy| {
            let of = self.without.filter(|_| user.is_written);
            of.is_some_and(|of| self.is_method_of(user.unit, of))
        };
        let followed = users.iter().filter(|user| !is_left_out(user));
        let mut followed: Vec<UsedBy> = followed.copied().collect();
        if let CodeUnit::Symbol(symbol) = unit
            && followed.is_empty()
        {
            followed = self.steps.requests_of(symbol);
        }
        followed
    }

    /// Whether a unit is a method that needs an object of a type to run.
    fn is_method_of(&self, unit: CodeUnit, ty: SymbolId) -> bool {
        let resolver = self.steps.resolver;
        let holder = unit.symbol().map(|symbol| {
            let is_method = resolver.kind(symbol) == Some(SymbolKind::Method);
            (is_method, resolver.self_type(symbol))
        });
        matches!(holder, Some((true, Ty::Instance(holder, _))) if holder == ty)
    }

    fn path_of(&self, test: CodeUnit) -> ReachingTest {
        let mut path = Vec::new();
        let mut outcome = Outcome::Static;
        let mut unit = test;
        while let Some((next, how, sure)) = self.reached.get(&unit).and_then(|way| way.towards) {
            path.push(TestStep {
                unit,
                how,
                outcome: sure,
            });
            outcome = outcome.max(sure);
            unit = next;
        }
        ReachingTest {
            test,
            path,
            target: unit,
            outcome,
            cost: self.reached.get(&test).map_or(0, |way| way.cost),
        }
    }
}
