//! A commit with a part of it undone: places that still use what the commit changed.

use std::{collections::BTreeSet, ops::Range, sync::Arc};

use anyhow::Context;
use engine::{
    Analysis, Budget, Snapshot,
    query::change::{ChangeSet, EditKind},
};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use workspace::{FileEdit, SnapshotView};

use super::{
    Cases, CompiledTree, Compiler, CompilerError, compilers::new_errors, conflicts::text_of,
};

/// States that are made of one commit.
const MOST_STATES: usize = 3;

/// How often what a compiler complained about is mended, so that it tells what is behind it.
const MOST_REPAIRS: usize = 6;

/// A file that a commit edits, as pieces that can be undone.
pub struct EditedFile {
    pub path: String,
    /// It has a declaration that others may use, and that the commit removes, renames or gives other
    /// parameters.
    pub is_declaring: bool,
    pieces: Vec<Piece>,
}

/// Lines of both sides, of which one is empty for lines that were added or removed.
struct Piece {
    base: Vec<String>,
    head: Vec<String>,
    is_edited: bool,
    /// Its lines of the base that name what the commit changes, unless they declare it.
    uses: Vec<usize>,
}

/// Where a line is from: the piece, whether it is as in the base, and which of its lines it is.
type LineSource = (usize, bool, usize);

impl EditedFile {
    fn lines(&self, undone: &BTreeSet<usize>) -> Vec<(LineSource, &str)> {
        let mut lines = Vec::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            let is_base = undone.contains(&i);
            let texts = if is_base { &piece.base } else { &piece.head };
            let texts = texts.iter().enumerate();
            lines.extend(texts.map(|(n, text)| ((i, is_base, n), text.as_str())));
        }
        lines
    }

    /// The lines of the base, without indentation, that name what the commit changes and that it edits.
    pub fn use_lines(&self) -> Vec<&str> {
        let lines = self
            .pieces
            .iter()
            .flat_map(|piece| piece.uses.iter().map(|i| piece.base[*i].trim()));
        lines.collect()
    }

    fn edited(&self) -> BTreeSet<usize> {
        let pieces = self.pieces.iter().enumerate();
        let edited = pieces.filter(|(_, piece)| piece.is_edited);
        edited.map(|(i, _)| i).collect()
    }
}

/// The edited files that a compiler looks at, where the commit changes a declaration.
pub fn edited_files(
    base: &Arc<Snapshot>,
    head: &Arc<Snapshot>,
    compiler: Compiler,
) -> Vec<EditedFile> {
    let (before, after) = (Analysis::new(base.clone()), Analysis::new(head.clone()));
    let budget = Budget::unlimited();
    let (before, after) = (before.resolver(&budget), after.resolver(&budget));
    let change = ChangeSet::new(&before, &after);
    let mut names = BTreeSet::new();
    let mut declared: Vec<(engine::FileId, Range<u32>)> = Vec::new();
    // What others may use of the commit: it is not undone beside a use.
    let mut added: Vec<(engine::FileId, Range<u32>)> = Vec::new();
    for edit in &change.edits {
        let new = edit.after.filter(|_| edit.kind != EditKind::Body);
        if let Some((symbol, (view, facts))) = new.and_then(|new| Some((new, after.symbol(new)?))) {
            added.push((symbol.file, lines_of(&view, facts.signature)));
        }
        let is_gone = matches!(edit.kind, EditKind::Removed | EditKind::Moved);
        let matters = edit.parameters || is_gone || edit.kind == EditKind::Renamed;
        let Some(symbol) = edit.before.filter(|_| matters) else {
            continue;
        };
        let Some((view, facts)) = before.symbol(symbol) else {
            continue;
        };
        let span = if is_gone { facts.span } else { facts.signature };
        declared.push((symbol.file, lines_of(&view, span)));
        names.insert(view.name_of(symbol.index).to_owned());
    }
    let files = change.files.iter().filter_map(|file| {
        let (old, new) = (file.before?, file.after?);
        let path = head.file(new).path.as_str();
        if declared.is_empty() || base.file(old).path.as_str() != path || !compiler.compiles(path) {
            return None;
        }
        let in_file = |ranges: &[(engine::FileId, Range<u32>)], of: engine::FileId| {
            let own = ranges.iter().filter(|(file, _)| *file == of);
            own.map(|(_, lines)| lines.clone()).collect::<Vec<_>>()
        };
        let own = [in_file(&declared, old), in_file(&added, new)];
        let (base, head) = (text_of(base, path)?, text_of(head, path)?);
        Some(EditedFile {
            path: path.to_owned(),
            is_declaring: !own[0].is_empty(),
            pieces: pieces(&base, &head, &names, &own),
        })
    });
    files.collect()
}

fn lines_of(view: &engine::FileView, span: facts::Span) -> Range<u32> {
    let line = |at| view.facts.lines.position(at).line_index;
    line(span.start)..line(span.end) + 1
}

/// The pieces of a file; `own` are the lines of each side with declarations that the commit changes.
fn pieces(
    base: &str,
    head: &str,
    names: &BTreeSet<String>,
    own: &[Vec<Range<u32>>; 2],
) -> Vec<Piece> {
    let old: Vec<&str> = base.split_inclusive('\n').collect();
    let new: Vec<&str> = head.split_inclusive('\n').collect();
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let piece = |op: &DiffOp| {
        let (old_lines, new_lines) = (op.old_range(), op.new_range());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let names_it = |line: &str| line.split(|c| !is_word(c)).any(|word| names.contains(word));
        let declares = [&old_lines, &new_lines]
            .iter()
            .zip(own)
            .any(|(lines, own)| {
                own.iter()
                    .any(|own| (own.start as usize) < lines.end && lines.start < own.end as usize)
            });
        let is_edited = !matches!(op, DiffOp::Equal { .. });
        let lines = old[old_lines.clone()].iter().enumerate();
        let uses = lines.filter(|(_, line)| is_edited && !declares && names_it(line));
        Piece {
            uses: uses.map(|(i, _)| i).collect(),
            base: owned(&old[old_lines]),
            head: owned(&new[new_lines]),
            is_edited,
        }
    };
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    ops.iter().map(piece).collect()
}

/// Which pieces of which files are as they were before the commit.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokenState<'a> {
    files: Vec<(&'a EditedFile, BTreeSet<usize>)>,
}

impl PartialEq for EditedFile {
    fn eq(&self, other: &EditedFile) -> bool {
        self.path == other.path
    }
}

impl Eq for EditedFile {}

/// The states of a commit: some of the files that only use what it changes, then some of the edits that
/// name it, wherever they are.
pub fn states<'a>(files: &'a [EditedFile], commit: &str) -> Vec<BrokenState<'a>> {
    let mut random = Random::of(commit);
    let whole = files.iter().filter(|file| !file.is_declaring);
    let whole: Vec<_> = whole.map(|file| (file, file.edited())).collect();
    let uses = files.iter().flat_map(|file| {
        let pieces = file.pieces.iter().enumerate();
        let pieces = pieces.filter(|(_, piece)| !piece.uses.is_empty());
        pieces.map(move |(i, _)| (file, BTreeSet::from([i])))
    });
    let uses: Vec<_> = uses.collect();
    let mut states: Vec<BrokenState> = Vec::new();
    for k in 0..MOST_STATES {
        let parts = if k == 0 { &whole } else { &uses };
        let mut state = BrokenState { files: Vec::new() };
        for (file, pieces) in random.some_of(parts) {
            match state.files.last_mut().filter(|(last, _)| last == file) {
                Some((_, known)) => known.extend(pieces),
                None => state.files.push((file, pieces.clone())),
            }
        }
        if !state.files.is_empty() && !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

impl<'a> BrokenState<'a> {
    pub fn edits(&self) -> Vec<FileEdit> {
        let text = |(file, undone): &(&EditedFile, BTreeSet<usize>)| {
            let lines = file.lines(undone);
            let text: String = lines.iter().map(|(_, line)| *line).collect();
            (file.path.clone().into(), Some(text))
        };
        self.files.iter().map(text).collect()
    }

    pub fn paths(&self) -> Vec<String> {
        self.files
            .iter()
            .map(|(file, _)| file.path.clone())
            .collect()
    }

    /// The errors of the tree, those included that show once others are mended.
    pub fn errors(
        &self,
        (compiler, tree): (Compiler, &mut CompiledTree),
        commit: &str,
        whole: &[CompilerError],
    ) -> anyhow::Result<Vec<CompilerError>> {
        let mut all: Vec<CompilerError> = Vec::new();
        let mut rest = self.clone();
        for _ in 0..=MOST_REPAIRS {
            let errors = tree.errors(compiler, commit, &rest.edits())?;
            let errors = new_errors(whole, errors);
            for error in &errors {
                let Some(line) = self.line_of(&rest, error) else {
                    continue;
                };
                let error = CompilerError {
                    line,
                    ..error.clone()
                };
                if !all.contains(&error) {
                    all.push(error);
                }
            }
            let mended = rest.mended(&errors);
            if errors.is_empty() || mended == rest || !compiler.stops_early() {
                break;
            }
            rest = mended;
        }
        Ok(all)
    }

    /// The line of this state that an error of a state with less undone is at.
    fn line_of(&self, rest: &BrokenState, error: &CompilerError) -> Option<u32> {
        let undone_in = |state: &BrokenState| {
            let mut files = state.files.iter();
            let found = files.find(|(file, _)| file.path == error.path);
            found.map(|(_, undone)| undone.clone()).unwrap_or_default()
        };
        let mut files = self.files.iter();
        let Some((file, _)) = files.find(|(file, _)| file.path == error.path) else {
            return Some(error.line);
        };
        let now = file.lines(&undone_in(rest));
        let (source, _) = now.get(error.line.checked_sub(1)? as usize)?;
        let mut own = file.lines(&undone_in(self)).into_iter();
        let at = own.position(|(other, _)| other == *source)?;
        Some(at as u32 + 1)
    }

    /// The state without what the errors are in; files with errors elsewhere are as in the commit.
    fn mended(&self, errors: &[CompilerError]) -> BrokenState<'a> {
        let mut files = self.files.clone();
        for (file, undone) in &mut files {
            let lines = file.lines(undone);
            let own = errors.iter().filter(|error| error.path == file.path);
            for error in own {
                let line = lines.get(error.line.saturating_sub(1) as usize);
                match line {
                    Some(((piece, true, _), _)) => {
                        undone.remove(piece);
                    }
                    _ => undone.clear(),
                }
            }
        }
        files.retain(|(_, undone)| !undone.is_empty());
        BrokenState { files }
    }
}

/// A linear congruential generator: the same commit always gives the same choice.
struct Random(u64);

impl Random {
    fn of(commit: &str) -> Random {
        Random(u64::from_str_radix(&commit[..15], 16).unwrap_or(1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Each with even odds, at least one.
    fn some_of<'p, T>(&mut self, parts: &'p [T]) -> Vec<&'p T> {
        let mut chosen: Vec<&T> = parts.iter().filter(|_| self.next() & 1 == 1).collect();
        if chosen.is_empty() && !parts.is_empty() {
            chosen.push(&parts[self.next() as usize % parts.len()]);
        }
        chosen
    }
}

/// The snapshot of a state; nothing where a file of it cannot be read any more as its language.
pub fn snapshot_of(
    cases: &Cases,
    head: &Arc<SnapshotView>,
    state: &BrokenState,
) -> anyhow::Result<Option<Arc<Snapshot>>> {
    let mixed = cases.workspace.with_virtual_files(head, &state.edits())?;
    let n_problems = |snapshot: &Snapshot, path: &str| -> anyhow::Result<usize> {
        let file = snapshot.find(path).context("the file is in both")?;
        let facts = snapshot.corpus().facts(snapshot.file(file).content);
        Ok(facts.map_or(0, |facts| facts.problems.len()))
    };
    for path in state.paths() {
        if n_problems(&mixed.snapshot, &path)? > n_problems(&head.snapshot, &path)? {
            return Ok(None);
        }
    }
    Ok(Some(mixed.snapshot.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_behind_another_is_at_its_line_of_the_state() {
        let base = "use a\nold()\nkept\nold()\n";
        let head = "use a\nuse b\nnew()\nkept\nnew()\n";
        let file = EditedFile {
            path: "a".into(),
            is_declaring: false,
            pieces: pieces(
                base,
                head,
                &BTreeSet::from(["old".to_owned()]),
                &Default::default(),
            ),
        };
        let state = BrokenState {
            files: vec![(&file, file.edited())],
        };
        assert_eq!(state.edits()[0].1.as_deref(), Some(base));
        let error = |line| CompilerError {
            path: "a".into(),
            line,
            text: String::new(),
        };
        let rest = state.mended(&[error(2)]);
        assert_eq!(
            rest.edits()[0].1.as_deref(),
            Some("use a\nuse b\nnew()\nkept\nold()\n")
        );
        assert_eq!(state.line_of(&rest, &error(5)), Some(4));
        assert_eq!(state.line_of(&rest, &error(3)), None);
        assert!(rest.mended(&[error(1)]).files.is_empty());
    }
}
