//! All files at one moment: an immutable map from path to content.

use std::sync::{Arc, OnceLock};

use facts::{ContentNumber, File, LanguageId};
use rustc_hash::FxHashMap;

use crate::{Corpus, Project};

/// A file's place in its snapshot's order of paths; never leaves the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// Never changes; one request sees one snapshot from start to end.
pub struct Snapshot {
    corpus: Arc<dyn Corpus>,
    /// Shared by the snapshots of one working tree while only contents change.
    files: Arc<FileTable>,
    /// What differs from `files`: nothing, or the few files of the last edits.
    edits: Edits,
    /// Shared like `files`.
    project: Arc<LazyProject>,
}

/// Reads the project model of a snapshot.
pub type ReadProject = dyn Fn(&Snapshot) -> Arc<Project> + Send + Sync;

/// Known, or read when it is first asked for: many snapshots are made that nobody asks anything.
struct LazyProject {
    known: OnceLock<Arc<Project>>,
    read: Option<Arc<ReadProject>>,
}

struct FileTable {
    /// Sorted by path.
    files: Vec<File>,
    /// Files in order of content, then of path; beside them their contents.
    by_content: Vec<FileId>,
    contents: Vec<ContentNumber>,
}

#[derive(Clone, Default)]
struct Edits {
    files: FxHashMap<FileId, File>,
    /// For each content that an edit brought or took away: the files that hold it now, in order.
    by_content: FxHashMap<ContentNumber, Vec<FileId>>,
}

/// With more edited contents than this a snapshot is built anew: until then, looking into them
/// costs less.
const MAX_EDITS: usize = 256;

impl Snapshot {
    /// `files` in any order; of two with the same path the later one counts.
    pub fn new(
        corpus: Arc<dyn Corpus>,
        files: Vec<File>,
        project: impl Into<Arc<Project>>,
    ) -> Snapshot {
        Snapshot::build(
            corpus,
            files,
            LazyProject {
                known: OnceLock::from(project.into()),
                read: None,
            },
        )
    }

    /// A snapshot whose project model is read when it is first needed; what `read` gives depends on
    /// paths and manifests alone.
    pub fn with_project_read_later(
        corpus: Arc<dyn Corpus>,
        files: Vec<File>,
        read: Arc<ReadProject>,
    ) -> Snapshot {
        Snapshot::build(
            corpus,
            files,
            LazyProject {
                known: OnceLock::new(),
                read: Some(read),
            },
        )
    }

    fn build(corpus: Arc<dyn Corpus>, mut files: Vec<File>, project: LazyProject) -> Snapshot {
        if !files.is_sorted_by(|a, b| a.path < b.path) {
            files.sort_by(|a, b| a.path.cmp(&b.path));
            files.reverse();
            files.dedup_by(|earlier, later| earlier.path == later.path);
            files.reverse();
        }
        let mut by_content: Vec<(ContentNumber, FileId)> = files
            .iter()
            .enumerate()
            .map(|(i, file)| (file.content, FileId(i as u32)))
            .collect();
        by_content.sort_unstable();
        let (contents, by_content) = by_content.into_iter().unzip();
        Snapshot {
            corpus,
            files: Arc::new(FileTable {
                files,
                by_content,
                contents,
            }),
            edits: Edits::default(),
            project: Arc::new(project),
        }
    }

    /// A snapshot of the same paths and project, with other contents in some files. What it costs depends on how
    /// many, not on the snapshot.
    pub fn edited(&self, contents: &[(FileId, ContentNumber, LanguageId)]) -> Snapshot {
        self.edited_over(self.corpus.clone(), contents)
    }

    /// The same with contents that another corpus holds, beside all that this one has.
    pub fn edited_over(
        &self,
        corpus: Arc<dyn Corpus>,
        contents: &[(FileId, ContentNumber, LanguageId)],
    ) -> Snapshot {
        let project = self.project.clone();
        if self.edits.by_content.len() + 2 * contents.len() > MAX_EDITS {
            let mut files: Vec<File> = self.files().map(|(_, file)| file.clone()).collect();
            for (id, content, language) in contents {
                let file = &mut files[id.0 as usize];
                (file.content, file.language) = (*content, *language);
            }
            let lazy = LazyProject {
                known: project.known.clone(),
                read: project.read.clone(),
            };
            return Snapshot::build(corpus, files, lazy);
        }
        let mut edited = Snapshot {
            corpus,
            files: self.files.clone(),
            edits: self.edits.clone(),
            project,
        };
        for (id, content, language) in contents {
            let former = edited.file(*id).clone();
            let mut holders = edited.files_of(former.content).to_vec();
            holders.retain(|holder| holder != id);
            edited.edits.by_content.insert(former.content, holders);
            let mut holders = edited.files_of(*content).to_vec();
            if let Err(i) = holders.binary_search(id) {
                holders.insert(i, *id);
            }
            edited.edits.by_content.insert(*content, holders);
            edited.edits.files.insert(
                *id,
                File {
                    path: former.path,
                    content: *content,
                    language: *language,
                },
            );
        }
        edited
    }

    /// Whether the other has the very same paths, as it is known without looking at them.
    pub fn has_paths_of(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.files, &other.files)
    }

    /// The contents that some path had here and has no longer in `other`, and those that it has
    /// there instead; each at most `most`, or nothing.
    pub fn contents_changed(
        &self,
        other: &Snapshot,
        most: usize,
    ) -> Option<(Vec<ContentNumber>, Vec<ContentNumber>)> {
        let (mut left, mut arrived) = (Vec::new(), Vec::new());
        if self.has_paths_of(other) {
            for id in self.edits.files.keys().chain(other.edits.files.keys()) {
                let (before, after) = (self.file(*id).content, other.file(*id).content);
                if before != after {
                    left.push(before);
                    arrived.push(after);
                }
            }
        } else {
            let (mut ours, mut theirs) = (self.files().peekable(), other.files().peekable());
            while left.len().max(arrived.len()) <= most {
                match (ours.peek(), theirs.peek()) {
                    (None, None) => break,
                    (Some((_, a)), Some((_, b))) if a.path == b.path => {
                        if a.content != b.content {
                            left.push(a.content);
                            arrived.push(b.content);
                        }
                        ours.next();
                        theirs.next();
                    }
                    (Some((_, a)), b) if b.is_none_or(|(_, b)| a.path < b.path) => {
                        left.push(a.content);
                        ours.next();
                    }
                    _ => arrived.extend(theirs.next().map(|(_, b)| b.content)),
                }
            }
        }
        for contents in [&mut left, &mut arrived] {
            contents.sort_unstable();
            contents.dedup();
        }
        (left.len() <= most && arrived.len() <= most).then_some((left, arrived))
    }

    /// The files whose path or content differs from the other's: here and there, in order of path.
    pub fn differing_files(&self, other: &Snapshot) -> Vec<(Option<FileId>, Option<FileId>)> {
        let mut differing = Vec::new();
        if self.has_paths_of(other) {
            let edited = self.edits.files.keys().chain(other.edits.files.keys());
            let differs = |id: &FileId| !self.has_content_of(*id, other, *id);
            let mut edited: Vec<FileId> = edited.copied().filter(differs).collect();
            edited.sort_unstable();
            edited.dedup();
            differing.extend(edited.into_iter().map(|id| (Some(id), Some(id))));
            return differing;
        }
        let (mut ours, mut theirs) = (self.files().peekable(), other.files().peekable());
        loop {
            match (ours.peek(), theirs.peek()) {
                (None, None) => return differing,
                (Some(&(i, a)), Some(&(j, b))) if a.path == b.path => {
                    if !self.has_content_of(i, other, j) {
                        differing.push((Some(i), Some(j)));
                    }
                    ours.next();
                    theirs.next();
                }
                (Some(&(i, a)), b) if b.is_none_or(|(_, b)| a.path < b.path) => {
                    differing.push((Some(i), None));
                    ours.next();
                }
                _ => differing.extend(theirs.next().map(|(j, _)| (None, Some(j)))),
            }
        }
    }

    /// Whether a file has the content of another snapshot's file. Numbers of unsaved contents are
    /// those of one request, so that their texts decide.
    fn has_content_of(&self, file: FileId, other: &Snapshot, its: FileId) -> bool {
        let (ours, theirs) = (self.file(file).content, other.file(its).content);
        if ours.is_unsaved() || theirs.is_unsaved() {
            return self.corpus().text(ours) == other.corpus().text(theirs);
        }
        ours == theirs
    }

    pub fn corpus(&self) -> &dyn Corpus {
        &*self.corpus
    }

    pub fn project(&self) -> &Project {
        let LazyProject { known, read } = &*self.project;
        known.get_or_init(|| read.as_ref().map_or_else(Arc::default, |read| read(self)))
    }

    pub fn files(&self) -> impl ExactSizeIterator<Item = (FileId, &File)> {
        (0..self.n_files() as u32).map(|i| (FileId(i), self.file(FileId(i))))
    }

    pub fn n_files(&self) -> usize {
        self.files.files.len()
    }

    pub fn file(&self, id: FileId) -> &File {
        match self.edits.files.is_empty() {
            true => &self.files.files[id.0 as usize],
            false => self
                .edits
                .files
                .get(&id)
                .unwrap_or_else(|| &self.files.files[id.0 as usize]),
        }
    }

    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|i| FileId(i as u32))
    }

    /// The files below a directory, in order; the root is the empty path.
    pub fn below(&self, directory: &str) -> impl Iterator<Item = (FileId, &File)> {
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let start = self
            .files
            .files
            .partition_point(|file| file.path.as_str() < prefix.as_str());
        let files =
            (start as u32..self.n_files() as u32).map(|i| (FileId(i), self.file(FileId(i))));
        files.take_while(move |(_, file)| file.path.as_str().starts_with(&prefix))
    }

    /// The files that hold a content, in order of path.
    pub fn files_of(&self, content: ContentNumber) -> &[FileId] {
        if let Some(files) = self.edits.by_content.get(&content) {
            return files;
        }
        let FileTable {
            contents,
            by_content,
            ..
        } = &*self.files;
        let start = contents.partition_point(|known| *known < content);
        let n_files = contents[start..]
            .iter()
            .take_while(|known| **known == content)
            .count();
        &by_content[start..start + n_files]
    }
}

#[cfg(test)]
mod tests {
    use facts::RepoPath;

    use super::*;
    use crate::Unreadable;

    struct Nothing;

    impl Corpus for Nothing {
        fn facts(&self, _: ContentNumber) -> Option<Arc<facts::Facts>> {
            None
        }
        fn text(&self, _: ContentNumber) -> Option<Arc<str>> {
            None
        }
        fn defining(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
            Ok(Vec::new())
        }
        fn mentioning(&self, _: &str) -> Result<Vec<ContentNumber>, Unreadable> {
            Ok(Vec::new())
        }
        fn semantics(&self, _: LanguageId) -> Option<&'static facts::Semantics> {
            None
        }
    }

    #[test]
    fn the_later_of_two_files_with_one_path_counts() {
        let file = |path: &str, content| File {
            path: RepoPath::new(path),
            content: ContentNumber(content),
            language: LanguageId(0),
        };
        let files = vec![file("b/x", 1), file("a", 2), file("b/x", 3), file("b-c", 4)];
        let snapshot = Snapshot::new(Arc::new(Nothing), files, Project::default());
        assert_eq!(snapshot.n_files(), 3);
        let found = snapshot.find("b/x").unwrap();
        assert_eq!(snapshot.file(found).content, ContentNumber(3));
        assert_eq!(snapshot.files_of(ContentNumber(3)), [found]);
        assert!(snapshot.files_of(ContentNumber(1)).is_empty());
        let below: Vec<_> = snapshot
            .below("b")
            .map(|(_, file)| file.path.to_string())
            .collect();
        assert_eq!(below, ["b/x"]);
    }

    #[test]
    fn an_edited_snapshot_equals_one_built_anew() {
        let file = |path: String, content| File {
            path: RepoPath::new(&path),
            content: ContentNumber(content),
            language: LanguageId(1),
        };
        let mut files: Vec<File> = (0..40).map(|i| file(format!("f{i:02}"), i / 2)).collect();
        let mut snapshot = Snapshot::new(Arc::new(Nothing), files.clone(), Project::default());
        // Back and forth, to contents that others hold, and more often than edits are kept.
        for step in 0..400 {
            let (id, content) = (step * 7 % 40, step * 13 % 50);
            files[id as usize].content = ContentNumber(content);
            snapshot = snapshot.edited(&[(FileId(id), ContentNumber(content), LanguageId(1))]);
            let anew = Snapshot::new(Arc::new(Nothing), files.clone(), Project::default());
            assert!(snapshot.files().eq(anew.files()));
            assert!(snapshot.below("").eq(anew.files()));
            for content in (0..50).map(ContentNumber) {
                assert_eq!(
                    snapshot.files_of(content),
                    anew.files_of(content),
                    "{content:?} after {step} edits"
                );
            }
        }
    }
}
