//! All files at one moment: an immutable map from path to content.

use std::{collections::HashMap, fmt, sync::Arc};

use facts::LanguageId;

use crate::{ContentNumber, Corpus, Project};

/// A path below the repository's root, with `/` between its parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    pub fn new(path: &str) -> RepoPath {
        RepoPath(Arc::from(path))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory, without a trailing `/`; empty for the root.
    pub fn directory(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(directory, _)| directory)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file's place in its snapshot's order of paths; never leaves the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: RepoPath,
    pub content: ContentNumber,
    pub language: LanguageId,
}

/// Never changes; one request sees one snapshot from start to end.
pub struct Snapshot {
    corpus: Arc<dyn Corpus>,
    /// Sorted by path.
    files: Vec<File>,
    /// The files of each content; most have one.
    by_content: HashMap<ContentNumber, Vec<FileId>, rustc_hash::FxBuildHasher>,
    project: Project,
}

impl Snapshot {
    /// `files` in any order; of two with the same path the later one counts.
    pub fn new(corpus: Arc<dyn Corpus>, mut files: Vec<File>, project: Project) -> Snapshot {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.reverse();
        files.dedup_by(|earlier, later| earlier.path == later.path);
        files.reverse();
        let mut by_content: HashMap<_, Vec<_>, _> = HashMap::default();
        for (i, file) in files.iter().enumerate() {
            by_content.entry(file.content).or_default().push(FileId(i as u32));
        }
        Snapshot { corpus, files, by_content, project }
    }

    pub fn corpus(&self) -> &dyn Corpus {
        &*self.corpus
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    pub fn files(&self) -> impl ExactSizeIterator<Item = (FileId, &File)> {
        self.files.iter().enumerate().map(|(i, file)| (FileId(i as u32), file))
    }

    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    pub fn file(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|i| FileId(i as u32))
    }

    /// The files below a directory, in order; the root is the empty path.
    pub fn below(&self, directory: &str) -> impl Iterator<Item = (FileId, &File)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let start = self.files.partition_point(|file| file.path.as_str() < prefix.as_str());
        let files = self.files[start..].iter().enumerate();
        files.map(move |(i, file)| (FileId((start + i) as u32), file)).take_while(move |(_, file)| file.path.as_str().starts_with(&prefix))
    }

    /// The files that hold a content, in order of path.
    pub fn files_of(&self, content: ContentNumber) -> &[FileId] {
        self.by_content.get(&content).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Corpus for Nothing {
        fn facts(&self, _: ContentNumber) -> Option<Arc<facts::Facts>> {
            None
        }
        fn text(&self, _: ContentNumber) -> Option<Arc<str>> {
            None
        }
        fn defining(&self, _: &str) -> Vec<ContentNumber> {
            Vec::new()
        }
        fn mentioning(&self, _: &str) -> Vec<ContentNumber> {
            Vec::new()
        }
        fn semantics(&self, _: LanguageId) -> Option<&'static facts::Semantics> {
            None
        }
    }

    #[test]
    fn the_later_of_two_files_with_one_path_counts() {
        let file = |path: &str, content| File { path: RepoPath::new(path), content: ContentNumber(content), language: LanguageId(0) };
        let files = vec![file("b/x", 1), file("a", 2), file("b/x", 3), file("b-c", 4)];
        let snapshot = Snapshot::new(Arc::new(Nothing), files, Project::default());
        assert_eq!(snapshot.n_files(), 3);
        let found = snapshot.find("b/x").unwrap();
        assert_eq!(snapshot.file(found).content, ContentNumber(3));
        assert_eq!(snapshot.files_of(ContentNumber(3)), [found]);
        assert!(snapshot.files_of(ContentNumber(1)).is_empty());
        let below: Vec<_> = snapshot.below("b").map(|(_, file)| file.path.to_string()).collect();
        assert_eq!(below, ["b/x"]);
    }
}
