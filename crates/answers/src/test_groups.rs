//! Tests as people and models are shown them: those of one file that get to the code in the same way
//! are one line.

use engine::query::ReachingTest;
use facts::RepoPath;
use rustc_hash::FxHashMap;

use crate::{
    Session,
    tests_to_run::{self, TestCertainty},
};

/// A test, and how it gets to what it was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedTest {
    pub path: RepoPath,
    /// From 1.
    pub line: u32,
    pub name: String,
    pub certainty: TestCertainty,
    /// The way behind the test's name: ` calls show calls Cart.total`.
    pub steps: String,
}

impl SelectedTest {
    pub fn of(session: &Session, test: &ReachingTest) -> SelectedTest {
        SelectedTest {
            path: session.snapshot().file(test.test.file()).path.clone(),
            line: tests_to_run::unit_line(session, test.test),
            name: tests_to_run::unit_name(session, test.test),
            certainty: TestCertainty::of(test),
            steps: tests_to_run::way_text(session, test),
        }
    }

    /// `test_show calls show calls Cart.total`.
    pub fn way(&self) -> String {
        format!("{}{}", self.name, self.steps)
    }
}

/// Tests of one file that are as sure and take the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestGroup<'a> {
    /// The nearest of them.
    pub first: &'a SelectedTest,
    /// All of them, the first one included.
    pub tests: Vec<&'a SelectedTest>,
}

/// Tests of a group that are named.
const MAX_NAMED: usize = 4;

impl TestGroup<'_> {
    /// `test_total`, `12 tests: test_total, test_weight, test_size, test_name, …`.
    pub fn names(&self) -> String {
        let shown = self.tests.iter().take(MAX_NAMED);
        let shown: Vec<&str> = shown.map(|test| test.name.as_str()).collect();
        let more = match self.tests.len() > MAX_NAMED {
            true => ", …",
            false => "",
        };
        match self.tests.len() {
            1 => self.first.name.clone(),
            n => format!("{n} tests: {}{more}", shown.join(", ")),
        }
    }
}

/// Tests in groups, in the order in which each group comes first.
pub fn grouped(tests: &[SelectedTest]) -> Vec<TestGroup<'_>> {
    let mut groups: Vec<TestGroup> = Vec::new();
    let mut known = FxHashMap::default();
    for test in tests {
        let key = (&test.path, test.certainty, &test.steps);
        let at = *known.entry(key).or_insert(groups.len());
        if at == groups.len() {
            groups.push(TestGroup {
                first: test,
                tests: Vec::new(),
            });
        }
        groups[at].tests.push(test);
    }
    groups
}

/// How many tests the first groups hold.
pub fn n_tests(groups: &[TestGroup], n_groups: usize) -> usize {
    let shown = groups.iter().take(n_groups);
    shown.map(|group| group.tests.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_one_file_and_way_are_one_line() {
        let test = |path: &str, name: &str, steps: &str| SelectedTest {
            path: RepoPath::new(path),
            line: 1,
            name: name.to_owned(),
            certainty: TestCertainty::Sure,
            steps: steps.to_owned(),
        };
        let tests = [
            test("a.py", "one", " calls x"),
            test("b.py", "two", " calls x"),
            test("a.py", "three", " calls x"),
            test("a.py", "four", " calls y"),
            test("a.py", "five", " calls x"),
            test("a.py", "six", " calls x"),
            test("a.py", "seven", " calls x"),
        ];
        let groups = grouped(&tests);
        let names: Vec<String> = groups.iter().map(TestGroup::names).collect();
        assert_eq!(names, ["5 tests: one, three, five, six, …", "two", "four"]);
        assert_eq!(n_tests(&groups, 2), 6);
    }
}
