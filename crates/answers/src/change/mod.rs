//! Is a change safe? What it breaks, which contracts it changes, what it reaches, which tests run it,
//! what it leaves without a use and what could not be seen.

mod answer_time;
mod blind;
mod conflicts;
mod follow_up;
mod interfaces;
mod message;
mod sides;

use engine::{
    Cut, Outcome, Rule, SymbolId,
    query::{
        change::{self, Break, BreakKind, ChangeSet, EditKind, FindingConfidence, SymbolEdit},
        search::is_test_or_docs,
    },
};
use facts::{RepoPath, SymbolKind};

pub use answer_time::AnswerTime;
pub use blind::{BlindSpot, BlindSpotKind};
pub use conflicts::{ConflictBreak, ConflictReport, ContractConflict, LineOfWork};
pub use follow_up::{DeadNow, TestSelection};
pub use interfaces::InterfaceDifference;
pub use sides::{ChangeError, ChangeSource, OpenChange, Opening, UnsavedFile};

use self::{answer_time::PartsEnd, interfaces::ChangedFacts};
use crate::{Session, SymbolInfo, excerpts, symbol, symbol_report::local_name};

/// What a change does, most severe first.
#[derive(Clone, Debug)]
pub struct ChangeReport {
    /// What the sides are called.
    pub base: String,
    pub head: String,
    pub files: Vec<ChangedPath>,
    /// Certain before likely, then by kind, path and place.
    pub breaks: Vec<FoundBreak>,
    /// Every symbol that differs; contracts are those that are public.
    pub symbols: Vec<SymbolDifference>,
    /// Routes, tables and configuration keys, by kind and name.
    pub interfaces: Vec<InterfaceDifference>,
    pub reach: ReachReport,
    pub tests: TestSelection,
    pub dead: DeadNow,
    pub blind_spots: Vec<BlindSpot>,
    /// Why breaks or contracts may be missing. What follows from the change says for itself whether
    /// it is whole.
    pub cut: Option<Cut>,
}

/// What a change means for whoever decides about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// Nothing certain breaks.
    Passes,
    /// Something certain breaks.
    Breaks,
    /// Nothing certain was found, and not everything was looked at.
    Incomplete,
}

impl ChangeVerdict {
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeVerdict::Passes => "passes",
            ChangeVerdict::Breaks => "breaks",
            ChangeVerdict::Incomplete => "incomplete",
        }
    }

    /// Of two verdicts: a break counts most, then what was not looked at.
    pub fn and(self, other: ChangeVerdict) -> ChangeVerdict {
        use ChangeVerdict::{Breaks, Incomplete, Passes};
        match (self, other) {
            (Breaks, _) | (_, Breaks) => Breaks,
            (Incomplete, _) | (_, Incomplete) => Incomplete,
            (Passes, Passes) => Passes,
        }
    }
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: RepoPath,
    /// Its path in the base, where that is another.
    pub former: Option<RepoPath>,
    pub status: FileStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileStatus {
    Added,
    Removed,
    Renamed,
    Modified,
}

impl FileStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            FileStatus::Added => "added",
            FileStatus::Removed => "removed",
            FileStatus::Renamed => "renamed",
            FileStatus::Modified => "modified",
        }
    }
}

/// A symbol on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolSide {
    pub symbol: SymbolId,
    /// With its containers: `Cart.total`.
    pub name: String,
    pub kind: SymbolKind,
    pub path: RepoPath,
    /// From 1.
    pub line: u32,
    pub column: u32,
    pub signature: Option<String>,
}

/// A symbol that a change adds, removes or edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolDifference {
    pub kind: EditKind,
    pub before: Option<SymbolSide>,
    pub after: Option<SymbolSide>,
    /// Code elsewhere may depend on it, and it belongs to no test.
    pub is_contract: bool,
    /// Places that used it, in files that the change does not edit; known where its name, place,
    /// parameters or visibility differ.
    pub n_uses: usize,
}

/// A place that breaks, with both sides of what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundBreak {
    pub kind: BreakKind,
    pub confidence: FindingConfidence,
    pub path: RepoPath,
    /// From 1; `end_column` is after the last character.
    pub line: u32,
    pub column: u32,
    pub end_column: u32,
    /// The line as it is written.
    pub text: String,
    /// The symbol around the place.
    pub inside: Option<String>,
    /// What the place names.
    pub name: String,
    /// What is wrong, in a sentence without an end.
    pub message: String,
    pub before: Option<SymbolSide>,
    pub after: Option<SymbolSide>,
    pub outcome: Outcome,
    pub rule: Rule,
    /// Other places of the file that break for the same reason.
    pub n_uses: usize,
}

/// What may run a changed symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReachReport {
    /// By number of callers, then by name.
    pub packages: Vec<ReachedPackage>,
    /// Callers by depth: the first counts those that call a changed symbol themselves.
    pub by_depth: Vec<usize>,
    /// Why there are more than were counted, if there are.
    pub cut: Option<Cut>,
}

/// The callers in one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedPackage {
    pub directory: String,
    pub n_callers: usize,
    /// The nearest ones.
    pub callers: Vec<ReachedCaller>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedCaller {
    pub side: SymbolSide,
    pub depth: usize,
    /// What it calls on the way.
    pub through: String,
}

/// How far and how many callers are followed.
const REACH_DEPTH: usize = 3;
const MOST_REACHED: usize = 500;
/// Callers that are shown of each directory.
const MOST_OF_PACKAGE: usize = 5;

/// Looks at a change.
pub fn check(opened: &OpenChange) -> ChangeReport {
    let OpenChange {
        base,
        head,
        names,
        patience,
        ..
    } = opened;
    let (before, after) = (base.resolver(), head.resolver());
    let change = ChangeSet::new(&before, &after);
    let files = files(&change, base, head);
    let found = change::breaks(&change);
    let sides = Sides { base, head };
    let breaks = found.found.iter().map(|found| sides.found(found));
    let breaks: Vec<FoundBreak> = breaks.collect();
    let symbols = change.edits.iter().map(|edit| {
        let n_uses = edit.before.and_then(|before| found.uses.get(&before));
        sides.difference(edit, n_uses.copied().unwrap_or(0))
    });
    let symbols: Vec<SymbolDifference> = symbols.collect();
    // What breaks and what changed are there: the rest may take its time and no more.
    let cut = base.budget.cut().or(head.budget.cut());
    let is_whole = patience.is_none();
    let facts = ChangedFacts::of(&change);
    let interfaces = interfaces::interfaces(&facts, base, head, is_whole);
    let part = Follower {
        change: &change,
        base,
        head,
        end: PartsEnd::of(*patience),
    };
    // The cheap ones first. Most of the time goes into the tests.
    let dead = part.of(0.3, |change, head| {
        follow_up::dead_now(change, head, is_whole)
    });
    let reach = part.of(0.4, |change, head| {
        let reach = change::reach(change, REACH_DEPTH, MOST_REACHED);
        Sides { base, head }.reach(reach.value, reach.cut)
    });
    let tests = part.of(1.0, |change, head| {
        let routes = (!is_whole).then_some(facts.new.as_slice());
        follow_up::tests(change, head, routes)
    });
    ChangeReport {
        base: names.0.clone(),
        head: names.1.clone(),
        blind_spots: blind::blind_spots(&change, opened),
        reach,
        tests,
        dead,
        interfaces,
        files,
        breaks,
        symbols,
        cut,
    }
}

/// Works out parts of the answer, each with a budget of its own.
struct Follower<'a> {
    change: &'a ChangeSet<'a>,
    base: &'a Session,
    head: &'a Session,
    /// When all parts should be there.
    end: PartsEnd,
}

impl Follower<'_> {
    /// A part that may take a share of the time that is left.
    fn of<T>(&self, share: f64, part: impl Fn(&ChangeSet, &Session) -> T) -> T {
        let most = self.end.share(share);
        let session = |of: &Session| of.with_budget(of.budget.part(most));
        let (base, head) = (session(self.base), session(self.head));
        let (before, after) = (base.resolver(), head.resolver());
        part(&self.change.asked_by(&before, &after), &head)
    }
}

impl ChangeReport {
    pub fn verdict(&self) -> ChangeVerdict {
        let is_certain = |found: &FoundBreak| found.confidence == FindingConfidence::Certain;
        let is_unmerged = |spot: &BlindSpot| spot.kind == BlindSpotKind::ConflictMarkers;
        if self.breaks.iter().any(is_certain) {
            ChangeVerdict::Breaks
        } else if self.cut.is_some() || self.blind_spots.iter().any(is_unmerged) {
            ChangeVerdict::Incomplete
        } else {
            ChangeVerdict::Passes
        }
    }

    /// How many files the change leaves with conflict markers, or with more syntax errors than before.
    pub fn broken_files(&self) -> usize {
        let is_broken = |spot: &&BlindSpot| {
            matches!(
                spot.kind,
                BlindSpotKind::ConflictMarkers | BlindSpotKind::Syntax
            )
        };
        self.blind_spots.iter().filter(is_broken).count()
    }

    pub fn breaks_that_are(&self, confidence: FindingConfidence) -> Vec<&FoundBreak> {
        let breaks = self.breaks.iter();
        breaks
            .filter(|found| found.confidence == confidence)
            .collect()
    }

    pub fn n_breaks(&self, confidence: FindingConfidence) -> usize {
        self.breaks_that_are(confidence).len()
    }

    /// The public symbols that differ otherwise than inside.
    pub fn contracts(&self) -> impl Iterator<Item = &SymbolDifference> {
        self.symbols
            .iter()
            .filter(|symbol| symbol.is_contract && symbol.kind != EditKind::Body)
    }
}

fn files(change: &ChangeSet, base: &Session, head: &Session) -> Vec<ChangedPath> {
    let of = |file: &change::ChangedFile| {
        let path = |session: &Session, file| session.snapshot().file(file).path.clone();
        let before = file.before.map(|file| path(base, file));
        let after = file.after.map(|file| path(head, file));
        let status = match (&before, &after) {
            (None, _) => FileStatus::Added,
            (_, None) => FileStatus::Removed,
            (before, after) if before == after => FileStatus::Modified,
            _ => FileStatus::Renamed,
        };
        let former = before.clone().filter(|_| status == FileStatus::Renamed);
        ChangedPath {
            path: after.or(before).unwrap_or_else(|| RepoPath::new("")),
            former,
            status,
        }
    };
    change.files.iter().map(of).collect()
}

/// Both sessions, from which symbols are shown.
struct Sides<'a> {
    base: &'a Session,
    head: &'a Session,
}

impl Sides<'_> {
    fn found(&self, found: &Break) -> FoundBreak {
        let head = self.head;
        let facts = head.facts(found.file);
        let (line, column) = facts
            .as_ref()
            .map_or((1, 1), |facts| excerpts::position(facts, found.span.start));
        let end = facts
            .as_ref()
            .map_or((1, 1), |facts| excerpts::position(facts, found.span.end));
        let text = head.text(found.file);
        let text = text
            .as_deref()
            .and_then(|text| text.lines().nth(line as usize - 1));
        let before = found.before.and_then(|symbol| side(self.base, symbol));
        let after = found.after.and_then(|symbol| side(head, symbol));
        let inside = found.enclosing.map(|index| {
            let symbol = SymbolId::new(found.file, index);
            local_name(head, symbol)
        });
        FoundBreak {
            message: message::message(found, before.as_ref(), after.as_ref()),
            kind: found.kind.clone(),
            confidence: found.confidence,
            path: head.snapshot().file(found.file).path.clone(),
            line,
            column,
            end_column: if end.0 == line { end.1 } else { column },
            text: text.unwrap_or_default().trim().to_owned(),
            inside,
            name: found.name.clone(),
            before,
            after,
            outcome: found.outcome,
            rule: found.rule,
            n_uses: found.n_uses,
        }
    }

    fn difference(&self, edit: &SymbolEdit, n_uses: usize) -> SymbolDifference {
        let is_public = |session: &Session, symbol: Option<SymbolId>| {
            let symbol = symbol?;
            let view = session.resolver().view(symbol.file)?;
            let path = session.path(symbol.file);
            Some(change::is_public(&view, symbol.index) && !is_test_or_docs(path))
        };
        let is_contract = is_public(self.base, edit.before).unwrap_or(false)
            || is_public(self.head, edit.after).unwrap_or(false);
        SymbolDifference {
            kind: edit.kind,
            before: edit.before.and_then(|symbol| side(self.base, symbol)),
            after: edit.after.and_then(|symbol| side(self.head, symbol)),
            is_contract,
            n_uses,
        }
    }

    fn reach(&self, reach: change::Reach, cut: Option<Cut>) -> ReachReport {
        let head = self.head;
        let mut report = ReachReport {
            cut,
            ..ReachReport::default()
        };
        for reached in &reach.symbols {
            report
                .by_depth
                .resize(report.by_depth.len().max(reached.depth), 0);
            report.by_depth[reached.depth - 1] += 1;
            let path = head.snapshot().file(reached.symbol.file).path.clone();
            let directory = path.directory();
            let known = report
                .packages
                .iter()
                .position(|of| of.directory == directory);
            let i = known.unwrap_or_else(|| {
                report.packages.push(ReachedPackage {
                    directory: directory.to_owned(),
                    n_callers: 0,
                    callers: Vec::new(),
                });
                report.packages.len() - 1
            });
            let package = &mut report.packages[i];
            package.n_callers += 1;
            if package.callers.len() < MOST_OF_PACKAGE
                && let Some(side) = side(head, reached.symbol)
            {
                package.callers.push(ReachedCaller {
                    side,
                    depth: reached.depth,
                    through: local_name(head, reached.through),
                });
            }
        }
        report.packages.sort_by(|a, b| {
            b.n_callers
                .cmp(&a.n_callers)
                .then_with(|| a.directory.cmp(&b.directory))
        });
        report
    }
}

fn side(session: &Session, symbol: SymbolId) -> Option<SymbolSide> {
    let info = SymbolInfo::of(session, symbol)?;
    Some(SymbolSide {
        symbol,
        name: local_name(session, symbol),
        kind: info.kind,
        path: info.path.into(),
        line: info.name_position.0,
        column: info.name_position.1,
        signature: symbol::signature(session, symbol),
    })
}

#[cfg(test)]
mod tests {
    use engine::Budget;
    use workspace::Freshness;

    use super::*;
    use crate::{Routing, Workspaces, testing};

    /// A small repository and one edit of it, looked at with so many units of work.
    fn checked(work: u64) -> ChangeReport {
        let files = "//- shop.py\ndef total():\n    return 1\n//- app.py\nfrom shop import total\n";
        checked_edit(files, ("shop.py", "x = 1\n"), work)
    }

    fn checked_edit(files: &str, (path, text): (&str, &str), work: u64) -> ChangeReport {
        let base = testing::session(files);
        let edits = [(RepoPath::new(path), Some(text.to_owned()))];
        let view = base
            .workspace
            .with_virtual_files(&base.view, &edits)
            .unwrap();
        let budget = || Budget::new(work, None, Default::default());
        let workspaces = Workspaces::new(Routing::default());
        let session = |view| {
            let fresh = Freshness::fresh();
            workspaces.session(base.workspace.clone(), view, fresh, budget())
        };
        check(&OpenChange {
            base: session(base.view.clone()),
            head: session(view),
            names: ("a".to_owned(), "b".to_owned()),
            binary: Vec::new(),
            submodules: Vec::new(),
            patience: None,
        })
    }

    #[test]
    fn what_is_gone_breaks_where_it_is_used() {
        let report = checked(u64::MAX);
        assert_eq!(report.verdict(), ChangeVerdict::Breaks);
        let found = &report.breaks[0];
        assert_eq!((found.path.as_str(), found.line), ("app.py", 1));
        assert_eq!(found.message, "`total` is gone");
        let contracts: Vec<_> = report.contracts().map(|symbol| symbol.kind).collect();
        assert_eq!(contracts, [EditKind::Removed, EditKind::Added]);
    }

    /// The callers and then the tests of what an edit of one file changes, by name.
    fn followed(files: &str, edit: (&str, &str)) -> [Vec<String>; 2] {
        let report = checked_edit(files, edit, u64::MAX);
        let packages = report.reach.packages.iter();
        let callers = packages.flat_map(|package| &package.callers);
        let mut callers: Vec<_> = callers.map(|caller| caller.side.name.clone()).collect();
        let tests = report.tests.tests.iter();
        let mut tests: Vec<_> = tests.map(|test| test.name.clone()).collect();
        callers.sort();
        tests.sort();
        [callers, tests]
    }

    #[test]
    fn what_python_calls_by_itself_is_followed() {
        const CART: &str = "\
class Cart:
    def __iter__(self): return iter([1])
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def __add__(self, other: int): return other
";
        let files = format!(
            "//- cart.py\n{CART}//- shop.py
from cart import Cart
def loops(cart: Cart):
    for item in cart: print(item)
def opens(cart: Cart):
    with cart: pass
def adds(cart: Cart):
    return cart + 1
//- tests/test_shop.py
from shop import loops, opens, adds
def test_loops(cart): loops(cart)
def test_opens(cart): opens(cart)
def test_adds(cart): adds(cart)
"
        );
        let of = |from, to| followed(&files, ("cart.py", &CART.replace(from, to)));
        let both = |caller, test| [vec![caller, test], vec![test]];
        assert_eq!(of("iter([1])", "iter([2])"), both("loops", "test_loops"));
        assert_eq!(of("pass", "print()"), both("opens", "test_opens"));
        assert_eq!(of("return other", "return 1"), both("adds", "test_adds"));
    }

    #[test]
    fn what_rust_calls_by_itself_is_followed() {
        const CART: &str = "\
pub struct Cart(pub u32);
impl Drop for Cart { fn drop(&mut self) { print!(\"a\") } }
pub struct Sum(pub u32);
impl std::ops::Add<u32> for Sum { type Output = u32; fn add(self, other: u32) -> u32 { other } }
pub struct Items(pub u32);
impl Iterator for Items { type Item = u32; fn next(&mut self) -> Option<u32> { None } }
";
        let files = format!(
            "//- Cargo.toml\n[package]\nname = \"shop\"\n//- src/cart.rs\n{CART}//- src/lib.rs
mod cart;
use cart::{{Cart, Items, Sum}};
pub fn drops() {{ let _cart = Cart(1); }}
pub fn adds() -> u32 {{ Sum(1) + 1 }}
pub fn loops() {{ for _ in Items(1) {{}} }}
#[test]
fn drops_it() {{ drops() }}
#[test]
fn adds_it() {{ adds(); }}
#[test]
fn loops_it() {{ loops() }}
"
        );
        let of = |from, to| followed(&files, ("src/cart.rs", &CART.replace(from, to)));
        let both = |caller, test| [vec![caller, test], vec![test]];
        assert_eq!(of("\"a\"", "\"b\""), both("drops", "drops_it"));
        assert_eq!(of("{ other }", "{ other + 1 }"), both("adds", "adds_it"));
        assert_eq!(of("{ None }", "{ Some(1) }"), both("loops", "loops_it"));
    }

    #[test]
    fn a_change_that_costs_too_much_is_incomplete() {
        let report = checked(0);
        assert_eq!(report.cut, Some(Cut::Work));
        assert_eq!(report.verdict(), ChangeVerdict::Incomplete);
    }
}
