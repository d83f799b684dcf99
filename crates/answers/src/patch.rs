//! A unified diff, applied to texts in memory.

/// What a patch makes of one file. Paths are as written below `a/` and `b/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// Absent for a new file.
    pub before: Option<String>,
    /// Absent for a removed file.
    pub after: Option<String>,
    /// Absent where the text stays as it is: a rename or a change of mode.
    hunks: Vec<Hunk>,
}

/// Why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("the patch holds no change: it must be a unified diff with `--- ` and `+++ ` lines")]
    Empty,
    #[error("line {line} of the patch is not part of a unified diff: `{text}`")]
    Malformed { line: usize, text: String },
    #[error("the patch ends in the middle of the hunk `{hunk}` of {path}")]
    Truncated { path: String, hunk: String },
    #[error("the hunk `{hunk}` of {path} does not apply")]
    Rejected { path: String, hunk: String },
    #[error("the patch changes {path}, which is not there")]
    Missing { path: String },
    #[error("the patch adds {path}, which is there already")]
    Exists { path: String },
    #[error("the patch names `{path}`, which is not a path below the repository's root")]
    Outside { path: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    /// `@@ -1,3 +1,4 @@`.
    header: String,
    /// From 0.
    start: usize,
    lines: Vec<HunkLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HunkLine {
    Keep(String),
    Remove(String),
    Add(String),
}

/// A patch as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub files: Vec<PatchedFile>,
    /// Paths of binary files that it changes: their content is not in the patch, or not text.
    pub binary: Vec<String>,
    /// Paths of repositories inside the repository that it moves to another commit.
    pub submodules: Vec<String>,
}

impl Patch {
    pub fn parse(text: &str) -> Result<Patch, PatchError> {
        let mut parser = PatchParser {
            lines: text.split_inclusive('\n').collect(),
            at: 0,
            patch: Patch::default(),
        };
        parser.run()?;
        let Patch {
            files,
            binary,
            submodules,
        } = &parser.patch;
        if files.is_empty() && binary.is_empty() && submodules.is_empty() {
            return Err(PatchError::Empty);
        }
        Ok(parser.patch)
    }
}

impl PatchedFile {
    /// The text after the patch; nothing for a removed file.
    pub fn apply(&self, before: Option<&str>) -> Result<Option<String>, PatchError> {
        let shown = || self.shown_path().to_owned();
        let text = match (&self.before, before) {
            (Some(_), None) => return Err(PatchError::Missing { path: shown() }),
            (None, Some(_)) => return Err(PatchError::Exists { path: shown() }),
            (_, text) => text.unwrap_or_default(),
        };
        if self.after.is_none() {
            return Ok(None);
        }
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut new: Vec<String> = Vec::new();
        let mut taken = 0;
        let mut shift = 0_isize;
        for hunk in &self.hunks {
            let rejected = || PatchError::Rejected {
                path: shown(),
                hunk: hunk.header.clone(),
            };
            let wanted = (hunk.start as isize + shift).max(taken as isize) as usize;
            let at = hunk.position(&old, wanted, taken).ok_or_else(rejected)?;
            shift = at as isize - hunk.start as isize;
            new.extend(old[taken..at].iter().map(|line| (*line).to_owned()));
            taken = at;
            for line in &hunk.lines {
                match line {
                    HunkLine::Keep(_) => {
                        new.push(old[taken].to_owned());
                        taken += 1;
                    }
                    HunkLine::Remove(_) => taken += 1,
                    HunkLine::Add(text) => {
                        // A last line without a line break is followed by another one now.
                        if let Some(last) = new.last_mut().filter(|last| !last.ends_with('\n')) {
                            last.push_str(ending);
                        }
                        new.push(with_ending(text, ending));
                    }
                }
            }
        }
        new.extend(old[taken..].iter().map(|line| (*line).to_owned()));
        Ok(Some(new.concat()))
    }

    /// The path for messages.
    pub fn shown_path(&self) -> &str {
        let path = self.after.as_deref().or(self.before.as_deref());
        path.unwrap_or_default()
    }
}

/// A line of a patch with the line break of the file it goes into.
fn with_ending(line: &str, ending: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => format!("{}{ending}", line.strip_suffix('\r').unwrap_or(line)),
        None => line.to_owned(),
    }
}

impl Hunk {
    /// Where the hunk fits, nearest to where it says first.
    fn position(&self, old: &[&str], wanted: usize, from: usize) -> Option<usize> {
        /// Lines by which a hunk may be off, as for `patch`.
        const MOST_OFF: usize = 1_000;
        let n_old = self
            .lines
            .iter()
            .filter(|line| !matches!(line, HunkLine::Add(_)))
            .count();
        if n_old == 0 {
            return Some(wanted.min(old.len()).max(from));
        }
        let last = old.len().checked_sub(n_old)?;
        let offsets =
            (0..=MOST_OFF).flat_map(|off| [wanted.checked_sub(off), wanted.checked_add(off)]);
        offsets
            .flatten()
            .find(|at| *at >= from && *at <= last && self.fits(&old[*at..]))
    }

    fn fits(&self, old: &[&str]) -> bool {
        let plain = |line: &str| line.trim_end_matches(['\n', '\r']).to_owned();
        let wanted = self.lines.iter().filter_map(|line| match line {
            HunkLine::Keep(text) | HunkLine::Remove(text) => Some(text),
            HunkLine::Add(_) => None,
        });
        wanted
            .zip(old)
            .all(|(wanted, line)| plain(wanted) == plain(line))
    }
}

struct PatchParser<'a> {
    lines: Vec<&'a str>,
    at: usize,
    patch: Patch,
}

impl<'a> PatchParser<'a> {
    fn run(&mut self) -> Result<(), PatchError> {
        while let Some(line) = self.peek() {
            if line.starts_with("diff --git ") {
                self.git_file()?;
            } else if line.starts_with("--- ") && self.has_new_path() {
                let file = self.plain_file()?;
                self.patch.files.extend(file);
            } else if line.starts_with("@@ ") {
                // A hunk of no file.
                return Err(self.malformed());
            } else {
                // The message of a commit, or words between files.
                self.at += 1;
            }
        }
        Ok(())
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines
            .get(self.at)
            .map(|line| line.trim_end_matches(['\n', '\r']))
    }

    fn has_new_path(&self) -> bool {
        self.lines
            .get(self.at + 1)
            .is_some_and(|line| line.starts_with("+++ "))
    }

    fn malformed(&self) -> PatchError {
        let text = self.peek().unwrap_or_default();
        PatchError::Malformed {
            line: self.at + 1,
            text: text.chars().take(80).collect(),
        }
    }

    /// A file with git's own headers: renames and modes may come without a hunk.
    fn git_file(&mut self) -> Result<(), PatchError> {
        let header = self.peek().unwrap_or_default();
        let (mut before, mut after) = git_paths(header).unwrap_or_default();
        let (mut is_new, mut is_removed, mut is_renamed) = (false, false, false);
        self.at += 1;
        while let Some(line) = self.peek() {
            if let Some(path) = line.strip_prefix("rename from ") {
                (before, is_renamed) = (unquoted(path), true);
            } else if let Some(path) = line.strip_prefix("rename to ") {
                (after, is_renamed) = (unquoted(path), true);
            } else if let Some(path) = line.strip_prefix("copy to ") {
                (after, is_new) = (unquoted(path), true);
            } else if line.starts_with("new file mode") && !line.ends_with(" 160000") {
                is_new = true;
            } else if line.starts_with("deleted file mode") && !line.ends_with(" 160000") {
                is_removed = true;
            } else if line.ends_with(" 160000") {
                // The mode of a link to a commit of another repository.
                self.patch.submodules.push(after.clone());
                self.skip_file();
                return Ok(());
            } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
                self.patch.binary.push(after.clone());
                self.skip_file();
                return Ok(());
            } else if line.starts_with("--- ") && self.has_new_path() {
                let file = self.plain_file()?;
                self.patch.files.extend(file.map(|file| PatchedFile {
                    before: file.before.map(|path| match is_renamed {
                        true => before.clone(),
                        false => path,
                    }),
                    ..file
                }));
                return Ok(());
            } else if line.starts_with("diff --git ") || line.starts_with("@@ ") || is_word(line) {
                break;
            }
            self.at += 1;
        }
        if is_renamed || is_new || is_removed {
            self.patch.files.push(PatchedFile {
                before: (!is_new).then_some(before),
                after: (!is_removed).then_some(after),
                hunks: Vec::new(),
            });
        }
        Ok(())
    }

    fn skip_file(&mut self) {
        while self
            .peek()
            .is_some_and(|line| !line.starts_with("diff --git "))
        {
            self.at += 1;
        }
    }

    /// `--- a/path`, `+++ b/path` and hunks.
    fn plain_file(&mut self) -> Result<Option<PatchedFile>, PatchError> {
        let before = header_path(self.peek().unwrap_or_default());
        self.at += 1;
        let after = header_path(self.peek().unwrap_or_default());
        self.at += 1;
        let path = after.clone().or_else(|| before.clone()).unwrap_or_default();
        let mut hunks = Vec::new();
        while let Some(line) = self.peek() {
            if !line.starts_with("@@ ") {
                break;
            }
            hunks.push(self.hunk(&path)?);
        }
        let is_something = before.is_some() || after.is_some();
        Ok(is_something.then_some(PatchedFile {
            before,
            after,
            hunks,
        }))
    }

    fn hunk(&mut self, path: &str) -> Result<Hunk, PatchError> {
        let header = self.peek().unwrap_or_default().to_owned();
        let Some((start, mut n_old, mut n_new)) = numbers(&header) else {
            return Err(self.malformed());
        };
        // A hunk that only adds names the line before it.
        let start = if n_old == 0 {
            start
        } else {
            start.saturating_sub(1)
        };
        self.at += 1;
        let mut lines = Vec::new();
        while n_old > 0 || n_new > 0 {
            let Some(line) = self.lines.get(self.at) else {
                return Err(PatchError::Truncated {
                    path: path.to_owned(),
                    hunk: header,
                });
            };
            let text = |line: &str| line[1..].to_owned();
            match line.as_bytes().first() {
                Some(b'+') if n_new > 0 => {
                    lines.push(HunkLine::Add(text(line)));
                    n_new -= 1;
                }
                Some(b'-') if n_old > 0 => {
                    lines.push(HunkLine::Remove(text(line)));
                    n_old -= 1;
                }
                Some(b' ') if n_old > 0 && n_new > 0 => {
                    lines.push(HunkLine::Keep(text(line)));
                    (n_old, n_new) = (n_old - 1, n_new - 1);
                }
                // Mail programs cut the blank of an empty line.
                Some(b'\n' | b'\r') if n_old > 0 && n_new > 0 => {
                    lines.push(HunkLine::Keep((*line).to_owned()));
                    (n_old, n_new) = (n_old - 1, n_new - 1);
                }
                Some(b'\\') => cut_ending(&mut lines),
                _ => return Err(self.malformed()),
            }
            self.at += 1;
        }
        if self.peek().is_some_and(|line| line.starts_with('\\')) {
            cut_ending(&mut lines);
            self.at += 1;
        }
        Ok(Hunk {
            header,
            start,
            lines,
        })
    }
}

/// `\ No newline at end of file`: the line before has none.
fn cut_ending(lines: &mut [HunkLine]) {
    if let Some(HunkLine::Keep(text) | HunkLine::Remove(text) | HunkLine::Add(text)) =
        lines.last_mut()
    {
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
    }
}

/// Whether a line belongs to none of git's headers.
fn is_word(line: &str) -> bool {
    const HEADERS: &[&str] = &[
        "index ",
        "old mode ",
        "new mode ",
        "similarity ",
        "dissimilarity ",
        "copy from ",
    ];
    !HEADERS.iter().any(|header| line.starts_with(header)) && !line.is_empty()
}

/// `-1,3 +1,4`: where the old lines start, how many, and how many new ones.
fn numbers(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.strip_prefix("@@ ")?.split(" @@").next()?;
    let (old, new) = inner.split_once(' ')?;
    let range = |text: &str| -> Option<(usize, usize)> {
        match text.split_once(',') {
            Some((start, n)) => Some((start.parse().ok()?, n.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let (start, n_old) = range(old.strip_prefix('-')?)?;
    let (_, n_new) = range(new.strip_prefix('+')?)?;
    Some((start, n_old, n_new))
}

/// The path of a `---` or `+++` line; nothing for `/dev/null`.
fn header_path(line: &str) -> Option<String> {
    let path = line.get(4..)?;
    // What follows a tab is a date.
    let path = path.split('\t').next().unwrap_or(path).trim_end();
    let path = unquoted(path);
    if path == "/dev/null" {
        return None;
    }
    let below = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    Some(below.map_or(path.clone(), str::to_owned))
}

/// The two paths of `diff --git a/x b/x`.
fn git_paths(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("diff --git ")?;
    // Without a rename both are the same, whatever blanks they have.
    let half = rest.len() / 2;
    let (before, after) = match rest.as_bytes().get(half) {
        Some(b' ') if rest.is_char_boundary(half) => rest.split_at(half),
        _ => rest
            .split_once(" b/")
            .map_or((rest, ""), |(before, _)| rest.split_at(before.len())),
    };
    let path = |text: &str| {
        let text = unquoted(text.trim());
        let below = text.strip_prefix("a/").or_else(|| text.strip_prefix("b/"));
        below.map_or(text.clone(), str::to_owned)
    };
    Some((path(before), path(after)))
}

/// A path as git quotes it: `"a/caf\303\251.py"`.
fn unquoted(path: &str) -> String {
    let Some(inner) = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'))
    else {
        return path.to_owned();
    };
    let bytes = inner.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let octal = |from: usize| {
            let digits = inner.get(from..from + 3)?;
            u8::from_str_radix(digits, 8).ok()
        };
        match (bytes[i], bytes.get(i + 1)) {
            (b'\\', Some(b'0'..=b'7')) if octal(i + 1).is_some() => {
                out.extend(octal(i + 1));
                i += 4;
            }
            (b'\\', Some(next)) => {
                out.push(match next {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => *other,
                });
                i += 2;
            }
            (byte, _) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn patched(text: &str, patch: &str) -> Result<Option<String>, PatchError> {
        let patch = Patch::parse(patch)?;
        assert_eq!(patch.files.len(), 1, "{patch:?}");
        patch.files[0].apply(Some(text))
    }

    const PATCH: &str = "\
--- a/cart.py
+++ b/cart.py
@@ -1,3 +1,4 @@ def total():
 a
-b
+c
+d
 e
";

    #[test]
    fn a_hunk_applies_where_it_says_or_near_it() {
        assert_eq!(
            patched("a\nb\ne\n", PATCH).unwrap().unwrap(),
            "a\nc\nd\ne\n"
        );
        let shifted = patched("x\ny\na\nb\ne\n", PATCH).unwrap().unwrap();
        assert_eq!(shifted, "x\ny\na\nc\nd\ne\n");
    }

    #[test]
    fn a_hunk_that_does_not_apply_is_named() {
        let error = patched("a\nB\ne\n", PATCH).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the hunk `@@ -1,3 +1,4 @@ def total():` of cart.py does not apply"
        );
    }

    #[test]
    fn line_breaks_of_the_file_stay() {
        let text = patched("a\r\nb\r\ne\r\n", PATCH).unwrap().unwrap();
        assert_eq!(text, "a\r\nc\r\nd\r\ne\r\n");
        let crlf = PATCH.replace('\n', "\r\n");
        assert_eq!(
            patched("a\nb\ne\n", &crlf).unwrap().unwrap(),
            "a\nc\nd\ne\n"
        );
    }

    #[test]
    fn files_come_go_and_get_other_names() {
        let text = "\
From 1234 Mon Sep 17 00:00:00 2001
Subject: move things

diff --git a/new.py b/new.py
new file mode 100644
index 000..123
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+x = 1
+y = 2
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git a/from here.py b/to here.py
similarity index 90%
rename from from here.py
rename to to here.py
--- a/from here.py
+++ b/to here.py
@@ -1 +1 @@
-a
\\ No newline at end of file
+b
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/moved.py b/there.py
similarity index 100%
rename from moved.py
rename to there.py
diff --git a/logo.png b/logo.png
index 123..456 100644
Binary files a/logo.png and b/logo.png differ
diff --git \"a/caf\\303\\251.py\" \"b/caf\\303\\251.py\"
--- \"a/caf\\303\\251.py\"
+++ \"b/caf\\303\\251.py\"
@@ -1 +1 @@
-a
+b
";
        let patch = Patch::parse(text).unwrap();
        let paths: Vec<_> = patch
            .files
            .iter()
            .map(|file| (file.before.as_deref(), file.after.as_deref()))
            .collect();
        assert_eq!(
            paths,
            [
                (None, Some("new.py")),
                (Some("old.py"), None),
                (Some("from here.py"), Some("to here.py")),
                (Some("moved.py"), Some("there.py")),
                (Some("café.py"), Some("café.py")),
            ]
        );
        assert_eq!(patch.binary, ["logo.png"]);
        assert_eq!(
            patch.files[0].apply(None).unwrap().unwrap(),
            "x = 1\ny = 2\n"
        );
        assert_eq!(patch.files[1].apply(Some("x = 1\n")).unwrap(), None);
        assert_eq!(patch.files[2].apply(Some("a")).unwrap().unwrap(), "b\n");
        assert_eq!(patch.files[3].apply(Some("same")).unwrap().unwrap(), "same");
        assert!(matches!(
            patch.files[0].apply(Some("")),
            Err(PatchError::Exists { .. })
        ));
        assert!(matches!(
            patch.files[1].apply(None),
            Err(PatchError::Missing { .. })
        ));
    }

    #[test]
    fn what_is_no_patch_is_refused_with_its_line() {
        assert_eq!(Patch::parse("hello\n"), Err(PatchError::Empty));
        let cut = Patch::parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n");
        assert!(matches!(cut, Err(PatchError::Truncated { .. })));
        let odd = Patch::parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n?\n");
        assert!(matches!(odd, Err(PatchError::Malformed { line: 4, .. })));
    }

    #[test]
    fn a_file_may_end_without_a_line_break() {
        let patch = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n";
        assert_eq!(patched("a", patch).unwrap().unwrap(), "a\nb");
    }
}
