//! Publishing: a commit's contents that no pack has go into new packs, its files into a tree, and
//! the manifest of the ref is replaced last.
//!
//! A publisher that is killed leaves packs that no manifest names; the next one finds them by their
//! names. Readers see the manifest before, or the one after.

use std::{collections::hash_map::Entry, sync::Arc};

use facts::{ContentNumber, FactsId, N_FIELDS};
use rustc_hash::{FxHashMap, FxHashSet};
use store::{NewContent, text::ContentDocuments};
use workspace::{SnapshotView, Workspace};

use crate::{
    CommitIndex, Error, Manifest, Remote, Result,
    commit::{content_table, in_parallel},
    manifest::DEFAULT_REF,
    pack::{ContentEntry, ContentTable, PackBuilder, PackedContent, PackedDocument},
    tree::{PackEntry, Tree, TreeFile},
};

/// What publishing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    pub files: u64,
    /// Contents that no pack had.
    pub new_contents: u64,
    pub packs_written: u64,
    pub bytes_written: u64,
    /// The manifest was there already.
    pub was_current: bool,
}

/// Where contents are, by pack of the tree to be.
struct KnownContents {
    packs: Vec<PackEntry>,
    contents: FxHashMap<FactsId, (u32, u32)>,
}

/// With more packs than this the small ones are written again as one: a reader asks each of them. Fewer
/// would write the contents of small packs more often.
const MAX_PACKS: usize = 32;
/// Other refs whose packs are looked at.
const MAX_OTHERS: usize = 48;
/// Trees to which differences are counted.
const MAX_BASES: usize = 4;
/// Objects that are read at the same time.
const AT_ONCE: usize = 16;
/// How often another publisher of the same ref may be quicker.
const TRIES: usize = 8;
/// Contents that are put together at once, by all cores.
const TOGETHER: usize = 256;

impl Remote {
    /// Publishes a commit under a name. `commit` must be indexed here.
    pub fn publish(
        &self,
        workspace: &Workspace,
        view: &SnapshotView,
        repository: &str,
        reference: &str,
    ) -> Result<Published> {
        let absent = view
            .skipped
            .iter()
            .filter(|file| file.reason == facts::SkipReason::Absent)
            .count();
        if absent > 0 {
            return Err(Error::Incomplete(absent));
        }
        let commit = view
            .commit()
            .ok_or_else(|| Error::Failed("only commits are published".to_owned()))?;
        self.objects.bucket.check_conditional_writes()?;
        let before = self.traffic().bytes_written;
        let mut report = Published {
            files: view.snapshot.n_files() as u64,
            ..Published::default()
        };
        let others = self.published_before(repository, reference)?;
        let mut tree = self.write_packs(workspace, view, &others, &mut report)?;
        let tree_name = self.write_tree(&mut tree, &others)?;
        let manifest = Manifest::new(repository, reference, &commit, &tree_name);
        let is_new = self.write_manifest(&manifest, reference)?;
        report.was_current = !is_new && report.packs_written == 0;
        // The first ref of a repository is its default, and stays it.
        let default = self.manifest(repository, None)?;
        if default.is_none_or(|default| *default.reference == *reference) {
            self.write_manifest(&manifest, DEFAULT_REF)?;
        }
        self.check_complete(&tree)?;
        report.bytes_written = self.traffic().bytes_written - before;
        Ok(report)
    }

    /// Makes a published ref the one that is meant where none is named.
    pub fn set_default(&self, repository: &str, reference: &str) -> Result<()> {
        let manifest = self.manifest(repository, Some(reference))?;
        let manifest =
            manifest.ok_or_else(|| Error::Absent(format!("{repository} {reference}")))?;
        self.write_manifest(&manifest, DEFAULT_REF)?;
        Ok(())
    }

    /// Replaces the manifest of a ref. Returns false if it says the same already.
    fn write_manifest(&self, manifest: &Manifest, reference: &str) -> Result<bool> {
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        let place = Manifest::place(secrecy, &manifest.repository, reference);
        for _ in 0..TRIES {
            let (now, version) = Manifest::read(bucket, secrecy, &place)?;
            let is_same = |now: &Manifest| {
                now.tree == manifest.tree
                    && now.commit() == manifest.commit()
                    && now.reference == manifest.reference
                    && now.extractors == manifest.extractors
            };
            if now.as_ref().is_some_and(is_same) {
                return Ok(false);
            }
            match manifest.write(bucket, secrecy, &place, version.as_ref()) {
                // Whoever writes last wins: both are whole.
                Err(Error::Conflict(_)) => {}
                written => return written.map(|()| true),
            }
        }
        Err(Error::Conflict(place))
    }

    /// Writes a tree that is not there: as differences to one of those that others differ from, if
    /// these are few. Returns its name.
    fn write_tree(&self, tree: &mut Tree, others: &[Arc<CommitIndex>]) -> Result<Box<str>> {
        let is_same = |other: &&Arc<CommitIndex>| other.tree().says_the_same(tree);
        if let Some(same) = others.iter().find(is_same) {
            tree.base = same.tree().base.clone();
            return Ok(same.tree_name().into());
        }
        let base_of = |other: &'_ Arc<CommitIndex>| -> Box<str> {
            let base = other.tree().base.as_deref();
            base.unwrap_or(other.tree_name()).into()
        };
        let mut bases: Vec<Box<str>> = Vec::new();
        for base in others.iter().map(base_of) {
            if bases.len() < MAX_BASES && !bases.contains(&base) {
                bases.push(base);
            }
        }
        let mut sealed = None;
        for base in bases {
            let Some(below) = self.objects.base(&base)? else {
                continue;
            };
            sealed = tree.seal_upon(&self.objects.secrecy, &base, &below);
            if sealed.is_some() {
                tree.base = Some(base);
                break;
            }
        }
        let (name, object) = sealed.unwrap_or_else(|| tree.seal(&self.objects.secrecy));
        self.objects
            .bucket
            .put_new(&self.objects.tree_place(&name), object)?;
        Ok(name.into())
    }

    /// A collector of garbage may have removed a pack while it was not named by any manifest.
    fn check_complete(&self, tree: &Tree) -> Result<()> {
        let packs = tree.packs.iter();
        let packs = packs.map(|pack| self.objects.pack_place(&pack.name));
        let base = tree
            .base
            .as_deref()
            .map(|base| self.objects.tree_place(base));
        for place in packs.chain(base) {
            if !self.objects.bucket.exists(&place)? {
                return Err(Error::Absent(format!(
                    "{place}, which was removed meanwhile; publish again"
                )));
            }
        }
        Ok(())
    }

    /// Writes what no pack has, and returns the tree of the commit.
    fn write_packs(
        &self,
        workspace: &Workspace,
        view: &SnapshotView,
        others: &[Arc<CommitIndex>],
        report: &mut Published,
    ) -> Result<Tree> {
        // In order of path: neighbours are read together.
        let mut ids: FxHashMap<ContentNumber, FactsId> = FxHashMap::default();
        let mut wanted = Vec::new();
        for (_, file) in view.snapshot.files() {
            if let Entry::Vacant(id) = ids.entry(file.content) {
                let row = workspace.store().content(file.content)?;
                let row = row.ok_or_else(|| Error::Damaged("the local index".to_owned()))?;
                id.insert(row.id);
                wanted.push((file.path.clone(), file.content));
            }
        }
        wanted.sort();
        let wanted: Vec<ContentNumber> = wanted.into_iter().map(|(_, content)| content).collect();
        let mut known = self.known(others, &ids);
        let mut new: Vec<ContentNumber> = wanted
            .iter()
            .copied()
            .filter(|content| !known.contents.contains_key(&ids[content]))
            .collect();
        report.new_contents = new.len() as u64;
        if known.packs.len() + usize::from(!new.is_empty()) > MAX_PACKS {
            known.drop_small();
            new = wanted
                .into_iter()
                .filter(|content| !known.contents.contains_key(&ids[content]))
                .collect();
        }
        let mut builder = PackBuilder::default();
        for together in new.chunks(TOGETHER) {
            for content in packed(workspace, together, &ids)? {
                builder.add(content);
                if builder.is_full() {
                    self.write_pack(std::mem::take(&mut builder), &mut known, report)?;
                }
            }
        }
        if !builder.is_empty() {
            self.write_pack(builder, &mut known, report)?;
        }
        known.tree(view, &ids)
    }

    fn write_pack(
        &self,
        builder: PackBuilder,
        known: &mut KnownContents,
        report: &mut Published,
    ) -> Result<()> {
        let ids = builder.ids();
        let (entry, object) = builder.finish(&self.objects.secrecy);
        let place = self.objects.pack_place(&entry.name);
        // One that is there was left by a publisher that ended early, or is another's.
        if self.objects.bucket.put_new(&place, object)? {
            report.packs_written += 1;
        }
        known.add(entry, ids.into_iter());
        Ok(())
    }

    /// The contents that published packs of this repository have.
    fn known(
        &self,
        others: &[Arc<CommitIndex>],
        wanted: &FxHashMap<ContentNumber, FactsId>,
    ) -> KnownContents {
        let mut packs: Vec<&PackEntry> = Vec::new();
        for pack in others.iter().flat_map(|other| &other.tree().packs) {
            if !packs.iter().any(|known| known.name == pack.name) {
                packs.push(pack);
            }
        }
        let mut tables: Vec<(&PackEntry, Arc<ContentTable>)> = Vec::new();
        for some in packs.chunks(AT_ONCE) {
            let read = in_parallel(some, |pack| content_table(&self.objects, pack));
            // A pack that cannot be read is as good as none.
            let read = some.iter().zip(read);
            tables.extend(read.filter_map(|(pack, table)| Some((*pack, table?))));
        }
        let wanted: FxHashSet<FactsId> = wanted.values().copied().collect();
        let mut known = KnownContents {
            packs: Vec::new(),
            contents: FxHashMap::default(),
        };
        // First those of the commit that has most: it may be this one, published before.
        let of = |other: &CommitIndex| -> Vec<usize> {
            let packs = other.tree().packs.iter();
            let position =
                |pack: &PackEntry| tables.iter().position(|(known, _)| known.name == pack.name);
            packs.filter_map(position).collect()
        };
        let n_wanted = |other: &&Arc<CommitIndex>| {
            let tables = of(other).into_iter().map(|i| &tables[i].1);
            let ids = tables.flat_map(|table| table.rows.iter().map(|row| row.id));
            ids.filter(|id| wanted.contains(id))
                .collect::<FxHashSet<_>>()
                .len()
        };
        // The first of those that have equally many.
        let nearest = others.iter().rev().max_by_key(n_wanted);
        for i in nearest.map(|other| of(other)).unwrap_or_default() {
            known.take_if_worth(tables[i].0, &tables[i].1, &wanted);
        }
        // Then those that have most of what is still missing.
        loop {
            let worth = tables.iter().rev().filter_map(|(entry, table)| {
                let n_missing = known.n_missing(table, &wanted);
                is_worth(n_missing, table).then_some((n_missing, entry, table))
            });
            let Some((_, entry, table)) = worth.max_by_key(|(n_missing, ..)| *n_missing) else {
                return known;
            };
            known.take_if_worth(entry, table, &wanted);
        }
    }

    /// What is published now of a repository, not what was a few seconds ago: the ref, the default
    /// one, and those that were published last. Others share contents with them.
    fn published_before(&self, repository: &str, reference: &str) -> Result<Vec<Arc<CommitIndex>>> {
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        let place = |reference: &str| Manifest::place(secrecy, repository, reference);
        let mut places = vec![place(DEFAULT_REF), place(reference)];
        let mut listed = bucket.list(&Manifest::directory(secrecy, repository))?;
        listed.sort_by(|a, b| b.modified.cmp(&a.modified).then(a.name.cmp(&b.name)));
        let others = listed.iter().map(|object| object.name.to_string());
        let others = others
            .filter(|place| !places.contains(place))
            .take(MAX_OTHERS);
        let others: Vec<String> = others.collect();
        places.extend(others);
        let read = |place: &String| -> Result<Option<CommitIndex>> {
            match Manifest::read(bucket, secrecy, place)?.0 {
                // Facts of other extractors are not what this program would write.
                Some(manifest) if *manifest.extractors == *workspace::extractor_versions() => {
                    CommitIndex::open(&self.objects, &manifest)
                }
                _ => Ok(None),
            }
        };
        let mut commits: Vec<Arc<CommitIndex>> = Vec::new();
        for some in places.chunks(AT_ONCE) {
            for commit in in_parallel(some, read) {
                let commit = commit?.map(Arc::new);
                let is_new = |commit: &Arc<CommitIndex>| {
                    let mut known = commits.iter();
                    !known.any(|known| known.tree_name() == commit.tree_name())
                };
                let commit = commit.filter(is_new);
                commits.extend(commit);
            }
        }
        Ok(commits)
    }
}

impl KnownContents {
    /// How many wanted contents a pack has that none of these has.
    fn n_missing(&self, table: &ContentTable, wanted: &FxHashSet<FactsId>) -> usize {
        let ids = table.rows.iter().map(|row| &row.id);
        ids.filter(|id| wanted.contains(id) && !self.contents.contains_key(id))
            .count()
    }

    /// Adds a pack that is worth it.
    fn take_if_worth(
        &mut self,
        entry: &PackEntry,
        table: &ContentTable,
        wanted: &FxHashSet<FactsId>,
    ) {
        if is_worth(self.n_missing(table, wanted), table) {
            self.add(entry.clone(), table.rows.iter().map(|row| row.id));
        }
    }

    fn add(&mut self, entry: PackEntry, ids: impl Iterator<Item = FactsId>) {
        let pack = self.packs.len() as u32;
        self.packs.push(entry);
        for (ordinal, id) in ids.enumerate() {
            self.contents.entry(id).or_insert((pack, ordinal as u32));
        }
    }

    /// Forgets all packs but the largest ones: their contents are written again, as one pack.
    fn drop_small(&mut self) {
        let mut sizes: Vec<(u64, u32)> = self
            .packs
            .iter()
            .enumerate()
            .map(|(i, pack)| (pack.len, i as u32))
            .collect();
        sizes.sort_unstable();
        let dropped = &sizes[..sizes.len().saturating_sub(MAX_PACKS / 2)];
        let is_dropped = |pack: &u32| dropped.iter().any(|(_, i)| i == pack);
        self.contents.retain(|_, (pack, _)| !is_dropped(pack));
    }

    /// The tree of a view. Packs that no file uses are left out.
    fn tree(self, view: &SnapshotView, ids: &FxHashMap<ContentNumber, FactsId>) -> Result<Tree> {
        let mut files = Vec::with_capacity(view.snapshot.n_files());
        for (_, file) in view.snapshot.files() {
            let place = self.contents.get(&ids[&file.content]);
            let (pack, content) =
                *place.ok_or_else(|| Error::Damaged("the local index".to_owned()))?;
            files.push(TreeFile {
                path: file.path.clone(),
                language: file.language,
                pack,
                content,
            });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut used: Vec<u32> = files.iter().map(|file| file.pack).collect();
        used.sort_unstable();
        used.dedup();
        let place: FxHashMap<u32, u32> = used.iter().zip(0..).map(|(pack, i)| (*pack, i)).collect();
        files
            .iter_mut()
            .for_each(|file| file.pack = place[&file.pack]);
        let packs = used.iter().map(|pack| self.packs[*pack as usize].clone());
        Ok(Tree {
            packs: packs.collect(),
            files,
            skipped: view.skipped.to_vec(),
            packages: Some(view.package_names()),
            base: None,
        })
    }
}

/// Whether a pack has enough of what is missing: one that has little of a commit costs more to read
/// than to write again.
fn is_worth(n_missing: usize, table: &ContentTable) -> bool {
    n_missing > 0 && n_missing * 8 >= table.rows.len()
}

/// Contents of the local index as a pack keeps them, in the given order.
fn packed(
    workspace: &Workspace,
    contents: &[ContentNumber],
    ids: &FxHashMap<ContentNumber, FactsId>,
) -> Result<Vec<PackedContent>> {
    let n_threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8);
    let share = contents.len().div_ceil(n_threads).max(1);
    let made: Vec<Result<Vec<PackedContent>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = contents
            .chunks(share)
            .map(|share| {
                scope.spawn(move || {
                    share
                        .iter()
                        .map(|n| packed_one(workspace, *n, ids[n]))
                        .collect()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("packing does not panic"))
            .collect()
    });
    let mut all = Vec::with_capacity(contents.len());
    for part in made {
        all.extend(part?);
    }
    Ok(all)
}

fn packed_one(workspace: &Workspace, content: ContentNumber, id: FactsId) -> Result<PackedContent> {
    let damaged = || Error::Damaged("the local index".to_owned());
    let row = workspace.store().content(content)?.ok_or_else(damaged)?;
    let corpus = workspace.corpus();
    let facts = corpus.facts_unshared(content).ok_or_else(damaged)?;
    let bytes = corpus.bytes_of(content).ok_or_else(damaged)?;
    let text = String::from_utf8_lossy(&bytes);
    let documents = ContentDocuments::new(&facts, &text);
    let documents = documents.documents().iter().map(|document| PackedDocument {
        symbol: document.symbol,
        lengths: document.lengths,
        words: counted_words(&document.fields),
    });
    let documents = documents.collect();
    let parts = NewContent::new(id, facts, None).into_parts();
    Ok(PackedContent {
        row: ContentEntry {
            id,
            len: row.len,
            lines: row.lines,
            symbols: row.symbols,
            is_broken: row.problem.is_some(),
        },
        record: parts.record,
        bytes,
        definitions: parts.definitions,
        mentions: parts.mentions,
        documents,
    })
}

/// Each word of a document once, with how often each field has it; sorted.
fn counted_words(fields: &[String; N_FIELDS]) -> Vec<(Box<str>, [u32; N_FIELDS])> {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for (field, text) in fields.iter().enumerate() {
        words.extend(text.split_terminator(' ').map(|word| (word, field)));
    }
    words.sort_unstable();
    let of_word = |same: &[(&str, usize)]| {
        let mut counts = [0; N_FIELDS];
        same.iter().for_each(|(_, field)| counts[*field] += 1);
        (same[0].0.into(), counts)
    };
    words.chunk_by(|a, b| a.0 == b.0).map(of_word).collect()
}
