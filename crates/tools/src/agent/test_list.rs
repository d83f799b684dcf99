//! Tests to run by file, in `symbol` with `show: tests`. Tests that take the same path share a line,
//! such as all tests of a class whose set-up method reaches the code.

use answers::{
    Session, excerpts,
    tests_to_run::{self, TestCertainty},
};
use engine::{FileId, query::ReachingTest};

/// Tests of one line that are named.
const MAX_NAMED: usize = 12;
/// Characters of a path.
const MAX_PATH: usize = 200;

/// For each file its path with a line for each path to the code, and how many tests those are.
pub fn pieces(session: &Session, tests: &[ReachingTest]) -> Vec<(FileId, String, usize)> {
    let mut files: Vec<(FileId, Vec<TestLine>)> = Vec::new();
    for test in tests {
        let file = test.test.file();
        let known = files.iter().position(|(known, _)| *known == file);
        let at = known.unwrap_or_else(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        let lines = &mut files[at].1;
        let line = TestLine::of(session, test);
        let shared = lines.iter_mut().find(|known| known.is_alike(&line));
        match shared {
            Some(known) => known.tests.extend(line.tests),
            None => lines.push(line),
        }
    }
    let piece = |(file, lines): (FileId, Vec<TestLine>)| {
        let n_tests = lines.iter().map(|line| line.tests.len()).sum();
        let lines: String = lines.iter().map(TestLine::text).collect();
        (file, format!("{}\n{lines}", session.path(file)), n_tests)
    };
    files.into_iter().map(piece).collect()
}

/// Tests of one file that reach the code in the same way.
struct TestLine {
    /// Line and name.
    tests: Vec<(u32, String)>,
    way: String,
    certainty: TestCertainty,
}

impl TestLine {
    fn of(session: &Session, test: &ReachingTest) -> TestLine {
        let line = tests_to_run::unit_line(session, test.test);
        TestLine {
            tests: vec![(line, tests_to_run::unit_name(session, test.test))],
            way: tests_to_run::way_text(session, test),
            certainty: TestCertainty::of(test),
        }
    }

    fn is_alike(&self, other: &TestLine) -> bool {
        (&self.way, self.certainty) == (&other.way, other.certainty)
    }

    /// `  5 CartTest.total, 9 weight calls Cart.total`: the type around several tests is named once,
    /// where a dot separates it from them. Of many tests the first are named, behind their number.
    fn text(&self) -> String {
        let mut shown = Vec::new();
        let mut around = None;
        for (line, name) in self.tests.iter().take(MAX_NAMED) {
            let name = name.as_str();
            let (container, own) = match name.rsplit_once('.') {
                // The titles of a test are prose.
                Some((container, own)) if !name.contains(' ') => (Some(container), own),
                _ => (None, name),
            };
            let is_repeated = container.is_some() && container == around;
            shown.push(format!("{line} {}", if is_repeated { own } else { name }));
            around = container;
        }
        let mark = match self.certainty {
            TestCertainty::Sure => "",
            TestCertainty::Likely => " ~",
            TestCertainty::Possible => " ?",
        };
        let way = excerpts::shorten(&self.way, MAX_PATH);
        let shown = shown.join(", ");
        match self.tests.len() {
            n if n > MAX_NAMED => format!("  {n} tests: {shown}, …{way}{mark}\n"),
            _ => format!("  {shown}{way}{mark}\n"),
        }
    }
}
