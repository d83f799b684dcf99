//! A file or some lines of it, as a request names them: `shop/cart.py:10-40`.

use engine::FileId;

use crate::{Session, excerpts, lookup};

/// A path with lines, by its form alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    pub path: String,
    /// From 1; all of the file where absent.
    pub lines: Option<(u32, u32)>,
}

impl SourceRange {
    /// `a.py:10-40`, `a.py:10,40`, `a.py#L10-L40`, `a.py`. One line alone is the name of a symbol.
    pub fn parse(text: &str) -> SourceRange {
        let text = text.trim();
        let range = |text: &str| {
            let mut numbers = text.splitn(2, ['-', ',']).map(|part| {
                let digits = part.trim().trim_start_matches('L');
                digits.parse::<u32>().ok().filter(|number| *number > 0)
            });
            let (first, last) = (numbers.next()??, numbers.next()??);
            Some((first.min(last), first.max(last)))
        };
        let split = text
            .rsplit_once(':')
            .or_else(|| text.rsplit_once("#"))
            .and_then(|(path, lines)| Some((path, range(lines)?)));
        match split {
            Some((path, lines)) => SourceRange {
                path: path.to_owned(),
                lines: Some(lines),
            },
            None => SourceRange {
                path: text.to_owned(),
                lines: None,
            },
        }
    }

    /// The files that it may mean: the one of this path, else those whose path ends with it.
    pub fn files(&self, session: &Session) -> Vec<FileId> {
        lookup::find_files(session, &self.path)
    }
}

/// Whole lines of a file, and how many it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLines {
    pub first: u32,
    pub text: String,
    pub n_lines: u32,
}

/// The lines from one to another, as far as the file has them; absent where it cannot be read.
pub fn read(session: &Session, file: FileId, lines: Option<(u32, u32)>) -> Option<SourceLines> {
    let (facts, text) = (session.facts(file)?, session.text(file)?);
    let n_lines = facts.lines.n_lines();
    let (first, last) = lines.unwrap_or((1, n_lines));
    let last = last.min(n_lines);
    let text = if first > last {
        String::new()
    } else {
        excerpts::body(&facts, &text, first, last).to_owned()
    };
    Some(SourceLines {
        first,
        text,
        n_lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::session;

    #[test]
    fn a_path_may_have_lines() {
        for (text, path, lines) in [
            ("a/b.py:10-40", "a/b.py", Some((10, 40))),
            ("a/b.py:40,10", "a/b.py", Some((10, 40))),
            ("a/b.py#L10-L40", "a/b.py", Some((10, 40))),
            ("a/b.py", "a/b.py", None),
            ("a/b.py:10", "a/b.py:10", None),
            ("a/b.py:0-3", "a/b.py:0-3", None),
        ] {
            let path = path.to_owned();
            assert_eq!(SourceRange::parse(text), SourceRange { path, lines });
        }
    }

    #[test]
    fn lines_beyond_the_end_are_left_out() {
        let session = session("//- a.py\none\ntwo\nthree\n");
        let file = SourceRange::parse("a.py").files(&session)[0];
        let read = |lines| read(&session, file, lines).unwrap();
        assert_eq!(read(Some((2, 900))).text, "two\nthree");
        assert_eq!(read(Some((8, 9))).text, "");
        assert_eq!(read(None).first, 1);
    }
}
