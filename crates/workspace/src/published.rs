//! Commits that another machine indexed and published where this one can read them. `remote`
//! implements the traits; a published commit answers questions by itself, with content numbers of
//! its own, before anything is indexed here.

use std::{collections::VecDeque, fmt, sync::Arc};

use engine::{Corpus, ReadFailures, Sketches, Unreadable};
use facts::{
    ContentId, ContentNumber, Facts, FactsId, File, LanguageId, Semantics, Skipped, SymbolSketch,
    TextMatches, TextSegment,
};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use store::text::TextStatistics;

use crate::{
    Error,
    content_cache::ContentCache,
    extraction::{self, Extractors},
    facts_source::{FactsSource, decode_foreign, decode_unread},
    project::PackageName,
    repository::{Head, Repository},
};

/// Where published commits are found.
pub trait PublishedIndexes: fmt::Debug + Send + Sync {
    /// What was published last of a ref of the repository that was cloned from `address`; of its
    /// default ref where none is named. Absent if nothing was, or it cannot be had now.
    fn commit(&self, address: &str, reference: Option<&str>) -> Option<Arc<dyn PublishedCommit>>;

    /// What was published last of a ref of a repository, by its name; of its default ref where none
    /// is named.
    fn published_ref(
        &self,
        repository: &str,
        reference: Option<&str>,
    ) -> Result<Option<Arc<dyn PublishedCommit>>, Unreadable>;

    /// The published refs of a repository and their commits.
    fn refs(&self, repository: &str) -> Result<Vec<(Box<str>, ContentId)>, Unreadable>;

    /// The names of all repositories of which something is published, in order.
    fn repositories(&self) -> Result<Vec<Box<str>>, Unreadable>;
}

/// One published commit. Contents have numbers of its own, from 1 on.
pub trait PublishedCommit: FactsSource {
    fn commit(&self) -> ContentId;

    /// The name that it was published under.
    fn reference(&self) -> &str;

    /// What it was read from: equal where everything is.
    fn identity(&self) -> &str;

    /// Sorted by path.
    fn files(&self) -> Vec<File>;

    /// Sorted by path.
    fn skipped(&self) -> Vec<Skipped>;

    /// What is known of contents without their facts. Empty if it cannot be read.
    fn rows(&self) -> Vec<PublishedContent>;

    fn row(&self, content: ContentNumber) -> Option<PublishedContent>;

    /// The packages that its manifests provide and require, in order. Absent where the publisher did
    /// not say.
    fn package_names(&self) -> Option<Vec<PackageName>>;

    /// The number of a content of this commit.
    fn find(&self, id: &FactsId) -> Option<ContentNumber>;

    /// The facts of a content, as `facts::encode` writes them.
    fn facts_record(&self, content: ContentNumber) -> Option<Vec<u8>>;

    /// The bytes of a content's file.
    fn bytes(&self, content: ContentNumber) -> Option<Vec<u8>>;

    /// Reads facts and texts that will be asked for next, in few requests.
    fn read_ahead(&self, facts: &[ContentNumber], texts: &[ContentNumber]);

    /// Contents with a symbol of each name and records of its sketches, ascending.
    fn defining(&self, names: &[&str]) -> Result<Vec<Vec<(ContentNumber, Vec<u8>)>>, Unreadable>;

    /// Contents that mention a name, ascending.
    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable>;

    /// Calls `each` with every defined name and each content that defines it.
    fn each_definition(&self, each: &mut dyn FnMut(&str, ContentNumber)) -> Result<(), Unreadable>;

    fn statistics(&self) -> Result<TextStatistics, Unreadable>;

    /// About how many documents hold each word: from the tables of words alone, and never 0 where one
    /// does.
    fn n_holding(&self, words: &[&str]) -> Result<Vec<u64>, Unreadable>;

    /// The documents that hold each of these words, by pack.
    fn segments(&self, words: &[&str]) -> Result<Vec<TextSegment>, Unreadable>;

    /// The documents that hold any of these words.
    fn matches(&self, words: &[&str]) -> Result<TextMatches, Unreadable> {
        Ok(TextMatches::of(&self.segments(words)?))
    }

    /// The contents that may hold one piece of each list; see [`crate::TextSearch::may_hold`].
    fn may_hold(&self, lists: &[Vec<String>]) -> Result<FxHashSet<ContentNumber>, Unreadable>;
}

/// A repository that is served as others published it: there is no clone of it here.
pub(crate) struct PublishedRepository {
    pub name: Box<str>,
    pub indexes: Arc<dyn PublishedIndexes>,
}

impl PublishedRepository {
    /// What a name means: a published ref, `HEAD` for the default one, or the commit of a published
    /// ref by its id or the beginning of it.
    pub fn find(&self, name: &str) -> crate::Result<Arc<dyn PublishedCommit>> {
        let read = |reference: Option<&str>| {
            let found = self.indexes.published_ref(&self.name, reference);
            found.map_err(|Unreadable| Error::Remote)
        };
        let short = name.strip_prefix("refs/heads/").unwrap_or(name);
        let asked = (!matches!(short, "HEAD" | "live")).then_some(short);
        if let Some(commit) = read(asked)? {
            return Ok(commit);
        }
        let unknown = || Error::UnknownRef {
            name: name.to_owned(),
        };
        let is_id =
            (4..=64).contains(&short.len()) && short.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Err(unknown());
        }
        let short = short.to_ascii_lowercase();
        let refs = self.indexes.refs(&self.name);
        let mut refs = refs.map_err(|Unreadable| Error::Remote)?;
        refs.retain(|(_, commit)| commit.to_string().starts_with(&short));
        let (reference, id) = refs.first().ok_or_else(unknown)?;
        if refs.iter().any(|(_, other)| other != id) {
            return Err(Error::AmbiguousRef {
                name: name.to_owned(),
            });
        }
        let found = read(Some(reference))?;
        // A publisher may have replaced it meanwhile.
        found
            .filter(|commit| commit.commit() == *id)
            .ok_or_else(unknown)
    }

    /// The default ref, as if it was checked out.
    pub fn head(&self) -> Head {
        match self.find("HEAD") {
            Ok(commit) => Head {
                commit: Some(commit.commit()),
                branch: Some(commit.reference().to_owned()),
            },
            Err(error) => {
                tracing::debug!(%error, "no default ref");
                Head::default()
            }
        }
    }
}

/// A content of a published commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedContent {
    pub number: ContentNumber,
    pub id: FactsId,
    /// Bytes of the text.
    pub len: u32,
    pub lines: u32,
    pub symbols: u32,
    pub is_broken: bool,
}

/// Facts and texts of a published commit, as the engine reads them. What cannot be had from there is
/// made here, where the repository has the text.
pub struct PublishedCorpus {
    commit: Arc<dyn PublishedCommit>,
    repository: Option<Arc<Repository>>,
    extractors: Arc<Extractors>,
    cache: ContentCache,
    /// What was asked for last and has more than [`AHEAD`] contents.
    long_lists: Mutex<VecDeque<LongList>>,
}

/// Contents that mention a name; ascending.
struct LongList {
    contents: Arc<[ContentNumber]>,
    /// Which parts, of [`AHEAD_OF_MANY`] contents each, were read ahead.
    is_read: Vec<bool>,
}

/// Contents whose facts are read together when a name leads to them. Of more, the next ones are read
/// together when one of them is asked for: most questions stop before the last.
const AHEAD: usize = 600;
/// Contents that a long list is read ahead by.
const AHEAD_OF_MANY: usize = 320;
/// Long lists that are kept.
const LISTS: usize = 8;
/// And with their texts, where there are few.
const AHEAD_WITH_TEXT: usize = 48;

impl PublishedCorpus {
    pub(crate) fn new(
        commit: Arc<dyn PublishedCommit>,
        repository: Option<Arc<Repository>>,
        extractors: Arc<Extractors>,
    ) -> PublishedCorpus {
        PublishedCorpus {
            commit,
            repository,
            extractors,
            cache: ContentCache::default(),
            long_lists: Mutex::default(),
        }
    }

    pub fn commit(&self) -> &dyn PublishedCommit {
        &*self.commit
    }

    /// Reads a table. A failure makes the answers of this moment incomplete.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&dyn PublishedCommit) -> Result<T, Unreadable>,
    ) -> Result<T, Unreadable> {
        self.cache.note(read(&*self.commit))
    }

    /// Reads the texts of contents that will be asked for next.
    pub fn read_texts_ahead(&self, contents: &[ContentNumber]) {
        self.commit.read_ahead(&[], contents);
    }

    /// Reads the part of a long list that a content is in, unless that was done.
    fn read_list_ahead(&self, content: ContentNumber) {
        let part = self.long_lists.lock().iter_mut().find_map(|list| {
            let place = list.contents.binary_search(&content).ok()?;
            let part = place / AHEAD_OF_MANY;
            let is_new = !std::mem::replace(&mut list.is_read[part], true);
            is_new.then(|| (list.contents.clone(), part))
        });
        if let Some((contents, part)) = part {
            let parts = contents.chunks(AHEAD_OF_MANY);
            parts
                .skip(part)
                .take(1)
                .for_each(|part| self.commit.read_ahead(part, &[]));
        }
    }

    fn keep_long_list(&self, contents: &[ContentNumber]) {
        let mut lists = self.long_lists.lock();
        if lists.iter().any(|list| *list.contents == *contents) {
            return;
        }
        if lists.len() >= LISTS {
            lists.pop_front();
        }
        lists.push_back(LongList {
            contents: contents.into(),
            is_read: vec![false; contents.len().div_ceil(AHEAD_OF_MANY)],
        });
    }

    fn read_facts(&self, content: ContentNumber) -> Option<Facts> {
        let row = self.commit.row(content)?;
        self.read_list_ahead(content);
        if let Some(record) = self.commit.facts_record(content) {
            // The text is not at hand here; what does not fit together is found without it.
            let decoded = match self.cache.known_text(content) {
                Some(text) => decode_foreign(&record, &row.id, &text),
                None => decode_unread(&record, &row.id),
            };
            if decoded.is_some() {
                return decoded;
            }
        }
        let language = extract::language(row.id.language)?;
        let bytes = self.read_bytes(content, &row.id.content)?;
        let text = extraction::text_of(&bytes);
        let bytes_were_text = matches!(text, std::borrow::Cow::Borrowed(_));
        self.extractors
            .extract(language, &text, bytes_were_text)
            .ok()
    }

    /// From the repository, where there is one, which costs no request.
    fn read_bytes(&self, content: ContentNumber, id: &ContentId) -> Option<Vec<u8>> {
        let here = self.repository.as_ref();
        here.and_then(|repository| repository.local().blob(id))
            .or_else(|| self.commit.bytes(content))
    }
}

impl Corpus for PublishedCorpus {
    fn facts(&self, content: ContentNumber) -> Option<Arc<Facts>> {
        self.cache.facts(content, || self.read_facts(content))
    }

    fn text(&self, content: ContentNumber) -> Option<Arc<str>> {
        self.cache.text(content, || {
            let id = self.commit.row(content).map(|row| row.id.content);
            let bytes = id.and_then(|id| self.read_bytes(content, &id));
            // Every published content has its text.
            if bytes.is_none() {
                self.cache.failures.add();
            }
            Some(extraction::into_text(bytes?))
        })
    }

    fn defining(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        let mut found = self.read(|commit| commit.defining(&[name]))?;
        let contents = found.pop().unwrap_or_default().into_iter();
        Ok(contents.map(|(content, _)| content).collect())
    }

    fn sketches(&self, names: &[&str]) -> Result<Vec<Sketches>, Unreadable> {
        let all = self.read(|commit| commit.defining(names))?;
        let few: Vec<ContentNumber> = all
            .iter()
            .filter(|found| found.len() <= AHEAD_WITH_TEXT)
            .flat_map(|found| found.iter().map(|(content, _)| *content))
            .take(AHEAD)
            .collect();
        self.commit.read_ahead(&few, &few);
        let of_name = |(name, found): (&&str, Vec<(ContentNumber, Vec<u8>)>)| {
            let known = found.into_iter().filter_map(|(content, sketches)| {
                let made_again = || Some(SymbolSketch::named(&*self.facts(content)?, name));
                let read = SymbolSketch::read_all(&sketches);
                Some((content, read.or_else(made_again)?))
            });
            known.collect()
        };
        Ok(names.iter().zip(all).map(of_name).collect())
    }

    fn mentioning(&self, name: &str) -> Result<Vec<ContentNumber>, Unreadable> {
        let contents = self.read(|commit| commit.mentioning(name))?;
        if contents.len() <= AHEAD {
            let texts = match contents.len() <= AHEAD_WITH_TEXT {
                true => &contents[..],
                false => &[],
            };
            self.commit.read_ahead(&contents, texts);
        } else {
            self.keep_long_list(&contents);
        }
        Ok(contents)
    }

    fn failures(&self) -> Option<&ReadFailures> {
        Some(&self.cache.failures)
    }

    fn semantics(&self, language: LanguageId) -> Option<&'static Semantics> {
        extract::language(language)?.semantics
    }
}
