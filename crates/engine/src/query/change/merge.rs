//! Three texts merged line by line, as git does it.

use std::time::{Duration, Instant};

use similar::DiffOp;

use crate::differences::{lines, operations};

/// Lines of the base that a side replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Replaced<'t> {
    start: usize,
    end: usize,
    lines: Vec<&'t str>,
}

/// Later, a text counts as replaced as a whole.
const PATIENCE: Duration = Duration::from_millis(200);

/// The base with the edits of both sides; nothing where both edit the same lines, or lines next to
/// one another, in different ways.
pub fn merge_texts(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs || theirs == base {
        return Some(ours.to_owned());
    }
    if ours == base {
        return Some(theirs.to_owned());
    }
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let mut edits = replaced(&lines, ours);
    for edit in replaced(&lines, theirs) {
        if edits.contains(&edit) {
            continue;
        }
        if edits
            .iter()
            .any(|own| own.start <= edit.end && edit.start <= own.end)
        {
            return None;
        }
        edits.push(edit);
    }
    edits.sort_by_key(|edit| edit.start);
    let mut merged = String::with_capacity(ours.len() + theirs.len() / 4);
    let mut at = 0;
    for edit in edits {
        merged.extend(lines[at..edit.start].iter().copied());
        merged.extend(edit.lines);
        at = edit.end;
    }
    merged.extend(lines[at..].iter().copied());
    Some(merged)
}

fn replaced<'t>(base: &[&str], side: &'t str) -> Vec<Replaced<'t>> {
    let lines: Vec<&'t str> = lines(side);
    let until = Some(Instant::now() + PATIENCE);
    let ops = operations(base, &lines, until);
    let mut found: Vec<Replaced<'t>> = Vec::new();
    for op in ops {
        if let DiffOp::Equal { .. } = op {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        found.push(Replaced {
            start: old.start,
            end: old.end,
            lines: lines[new].to_vec(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::merge_texts;

    #[test]
    fn edits_of_different_lines_meet() {
        let base = "a\nb\nc\nd\n";
        assert_eq!(
            merge_texts(base, "A\nb\nc\nd\n", "a\nb\nc\nd\ne\n").as_deref(),
            Some("A\nb\nc\nd\ne\n")
        );
        assert_eq!(merge_texts(base, "a\nX\nc\nd\n", "a\nY\nc\nd\n"), None);
        assert_eq!(
            merge_texts(base, "a\nX\nc\nd\n", "a\nb\nY\nd\n"),
            None,
            "next to one another"
        );
        let same = "a\nX\nc\nd\n";
        assert_eq!(merge_texts(base, same, same).as_deref(), Some(same));
        assert_eq!(merge_texts(base, base, same).as_deref(), Some(same));
        assert_eq!(
            merge_texts(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\n").as_deref(),
            Some("a\nX\nc\nd\ne\n")
        );
    }
}
