//! The names and file stems of a snapshot, findable exactly, by folding case and separators, and by
//! likeness.

use std::{collections::BTreeSet, sync::Arc};

use crate::{ContentNumber, FileId, Snapshot};

/// Made once per snapshot by the first who asks: from all names, or from the lexicon of a snapshot
/// that differs little.
pub struct Lexicon {
    names: Arc<NameTable>,
    /// Names of `names` that the snapshot does not have.
    gone: BTreeSet<String>,
    /// Names of the snapshot that `names` does not have.
    come: NameTable,
    stems: Arc<Stems>,
}

struct NameTable {
    words: WordTable,
    /// (bits of the name's hash, its place in `words`), sorted.
    hashes: Vec<(u32, u32)>,
}

struct Stems {
    words: WordTable,
    /// The files of each stem.
    files: Vec<Vec<FileId>>,
}

/// Contents by which two snapshots may differ for one's lexicon to be made from the other's.
const FEW_CONTENTS: usize = 64;
/// Names that may have come and gone until all are read again.
const FEW_NAMES: usize = 2_000;

/// A name that is like what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness<'a> {
    pub name: &'a str,
    /// 1 for the same letters, less the fewer groups of three they share.
    pub likeness: f64,
}

/// The first bits of every id of a symbol: what its name hashes to.
pub fn name_bits(name: &str) -> u32 {
    u32::from_be_bytes(
        blake3::hash(name.as_bytes()).as_bytes()[..4]
            .try_into()
            .unwrap_or_default(),
    )
}

/// In lower case and without what separates words.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

impl Lexicon {
    /// `definitions` gives every defined name with a content that defines it; those of other
    /// snapshots are passed over.
    pub fn new(
        snapshot: &Snapshot,
        definitions: impl FnOnce(&mut dyn FnMut(&str, ContentNumber)),
    ) -> Lexicon {
        let mut names = Texts::default();
        definitions(&mut |name, content| {
            // Names come in order, the same ones one after the other.
            if !name.is_empty()
                && names.last() != Some(name)
                && !snapshot.files_of(content).is_empty()
            {
                names.push(name);
            }
        });
        let (names, come) = (
            Arc::new(NameTable::new(names.sorted())),
            NameTable::new(Texts::default()),
        );
        Lexicon {
            names,
            gone: BTreeSet::new(),
            come,
            stems: Arc::new(Stems::new(snapshot)),
        }
    }

    /// From the facts of every file, where no table of names is at hand.
    pub fn from_facts(snapshot: &Snapshot) -> Lexicon {
        Lexicon::new(snapshot, |each| {
            for (_, file) in snapshot.files() {
                let Some(facts) = snapshot.corpus().facts(file.content) else {
                    continue;
                };
                for symbol in &facts.symbols {
                    each(facts.name(symbol.name), file.content);
                }
            }
        })
    }

    /// The lexicon of `snapshot`, if it differs little from `before`, which this one is of.
    pub fn after(&self, before: &Snapshot, snapshot: &Snapshot) -> Option<Lexicon> {
        let (left, arrived) = before.contents_changed(snapshot, FEW_CONTENTS)?;
        let names_of = |snapshot: &Snapshot, contents: &[ContentNumber]| {
            let mut names = BTreeSet::new();
            for content in contents {
                let facts = snapshot.corpus().facts(*content)?;
                names.extend(
                    facts
                        .symbols
                        .iter()
                        .map(|symbol| facts.name(symbol.name))
                        .filter(|name| !name.is_empty())
                        .map(str::to_owned),
                );
            }
            Some(names)
        };
        let (left, arrived) = (names_of(before, &left)?, names_of(snapshot, &arrived)?);
        // A name whose table cannot be read stays.
        let is_defined = |name: &str| {
            snapshot.corpus().defining(name).is_ok_and(|contents| {
                let mut contents = contents.into_iter();
                contents.any(|content| !snapshot.files_of(content).is_empty())
            })
        };
        let mut gone = self.gone.clone();
        let mut come: BTreeSet<String> = self.come.words.list.iter().map(str::to_owned).collect();
        for name in left
            .into_iter()
            .filter(|name| !arrived.contains(name) && !is_defined(name))
        {
            if !come.remove(&name) {
                gone.insert(name);
            }
        }
        for name in arrived {
            if !gone.remove(&name) && !self.names.words.list.find(&name) {
                come.insert(name);
            }
        }
        if gone.len() + come.len() > FEW_NAMES {
            return None;
        }
        let mut texts = Texts::default();
        come.iter().for_each(|name| texts.push(name));
        let stems = if before.has_paths_of(snapshot) {
            self.stems.clone()
        } else {
            Arc::new(Stems::new(snapshot))
        };
        Some(Lexicon {
            names: self.names.clone(),
            gone,
            come: NameTable::new(texts),
            stems,
        })
    }

    pub fn contains(&self, name: &str) -> bool {
        self.names.words.list.find(name) && !self.gone.contains(name)
            || self.come.words.list.find(name)
    }

    /// Names that are the same when case and separators are left out, in order.
    pub fn folded(&self, name: &str) -> impl Iterator<Item = &str> {
        let folded = fold(name);
        let mut found: Vec<&str> = self
            .all(|names| names.words.folded(&folded).collect())
            .collect();
        found.sort_unstable();
        found.into_iter()
    }

    /// Names that begin alike when case and separators are left out, the shortest first.
    pub fn beginning(&self, start: &str, limit: usize) -> Vec<&str> {
        let start = fold(start);
        self.shortest(limit, |words, limit| words.beginning(&start, limit))
    }

    /// Names that contain a folded text, the shortest first.
    pub fn containing(&self, part: &str, limit: usize) -> Vec<&str> {
        let part = fold(part);
        self.shortest(limit, |words, limit| words.containing(&part, limit))
    }

    /// The names most like this one, best first.
    pub fn like(&self, name: &str, at_least: f64, limit: usize) -> Vec<Likeness<'_>> {
        let folded = fold(name);
        let mut found: Vec<Likeness<'_>> = Vec::new();
        for names in [&*self.names, &self.come] {
            let alike = names
                .words
                .like(&folded, at_least, limit.saturating_add(self.gone.len()));
            found.extend(alike.into_iter().map(|(i, likeness)| Likeness {
                name: names.words.list.get(i),
                likeness,
            }));
        }
        found.retain(|found| !self.gone.contains(found.name));
        found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.name.cmp(b.name)));
        found.truncate(limit);
        found
    }

    /// Names whose hash begins with `bits`, of which the first `n_bits` count.
    pub fn hashed(&self, bits: u32, n_bits: u32) -> impl Iterator<Item = &str> {
        self.all(move |names| names.hashed(bits, n_bits).collect())
    }

    /// What both lists of names give, without those that are gone.
    fn all<'a>(
        &'a self,
        find: impl Fn(&'a NameTable) -> Vec<&'a str>,
    ) -> impl Iterator<Item = &'a str> {
        let known = find(&self.names)
            .into_iter()
            .filter(|name| !self.gone.contains(*name));
        known.chain(find(&self.come))
    }

    fn shortest(&self, limit: usize, find: impl Fn(&WordTable, usize) -> Vec<u32>) -> Vec<&str> {
        let wanted = limit.saturating_add(self.gone.len());
        let mut found: Vec<(usize, &str)> = Vec::new();
        for words in [&self.names.words, &self.come.words] {
            found.extend(
                find(words, wanted)
                    .into_iter()
                    .map(|i| (words.folded.get(i).len(), words.list.get(i))),
            );
        }
        found.retain(|(_, name)| !self.gone.contains(*name));
        // Each list is in order already.
        if !self.come.words.list.is_empty() {
            found.sort_unstable();
        }
        found.truncate(limit);
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Files whose stem is like this one, with the likeness.
    pub fn files_like(&self, stem: &str, at_least: f64, limit: usize) -> Vec<(FileId, f64)> {
        let mut found = Vec::new();
        for (i, likeness) in self.stems.words.like(&fold(stem), at_least, limit) {
            found.extend(
                self.stems.files[i as usize]
                    .iter()
                    .map(|file| (*file, likeness)),
            );
        }
        found
    }

    /// Files whose stem begins with this, and the share of it.
    pub fn files_beginning(&self, start: &str, limit: usize) -> Vec<(FileId, f64)> {
        let start = fold(start);
        let mut found = Vec::new();
        for i in self.stems.words.beginning(&start, limit) {
            let share = start.len() as f64 / self.stems.words.folded.get(i).len().max(1) as f64;
            found.extend(
                self.stems.files[i as usize]
                    .iter()
                    .map(|file| (*file, share)),
            );
        }
        found
    }
}

impl NameTable {
    /// `names` in order, each once.
    fn new(names: Texts) -> NameTable {
        let words = WordTable::new(names);
        let mut hashes: Vec<(u32, u32)> = words
            .list
            .iter()
            .enumerate()
            .map(|(i, name)| (name_bits(name), i as u32))
            .collect();
        hashes.sort_unstable();
        NameTable { words, hashes }
    }

    fn hashed(&self, bits: u32, n_bits: u32) -> impl Iterator<Item = &str> + use<'_> {
        let mask = if n_bits >= 32 {
            u32::MAX
        } else {
            !(u32::MAX >> n_bits)
        };
        let start = self
            .hashes
            .partition_point(|(hash, _)| hash & mask < bits & mask);
        let same = move |(hash, _): &&(u32, u32)| hash & mask == bits & mask;
        self.hashes[start..]
            .iter()
            .take_while(same)
            .map(|(_, i)| self.words.list.get(*i))
    }
}

impl Stems {
    fn new(snapshot: &Snapshot) -> Stems {
        let mut of_files: Vec<(&str, FileId)> = snapshot
            .files()
            .map(|(id, file)| (stem(file.path.file_name()), id))
            .collect();
        of_files.sort_unstable();
        let (mut stems, mut files) = (Texts::default(), Vec::<Vec<FileId>>::new());
        for same in of_files.chunk_by(|(a, _), (b, _)| a == b) {
            stems.push(same[0].0);
            files.push(same.iter().map(|(_, id)| *id).collect());
        }
        Stems {
            words: WordTable::new(stems),
            files,
        }
    }
}

/// The name of a file without its extensions; of a package's main file, the file name as it is.
pub fn stem(file_name: &str) -> &str {
    let trimmed = file_name.trim_start_matches('.');
    let end = trimmed.find('.').unwrap_or(trimmed.len());
    &trimmed[..end]
}

/// Many texts in one: an allocation for each of some hundred thousand names would take more memory
/// than the names.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<u32>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len() as u32);
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn get(&self, i: u32) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i as usize - 1] };
        &self.all[start as usize..self.ends[i as usize] as usize]
    }

    fn last(&self) -> Option<&str> {
        self.ends.len().checked_sub(1).map(|i| self.get(i as u32))
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|i| self.get(i))
    }

    /// In order, each once.
    fn sorted(mut self) -> Texts {
        if !self.iter().is_sorted_by(|a, b| a < b) {
            let mut texts: Vec<&str> = self.iter().collect();
            texts.sort_unstable();
            texts.dedup();
            let mut sorted = Texts::default();
            texts.into_iter().for_each(|text| sorted.push(text));
            self = sorted;
        }
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    /// Whether a text is among them, if they are in order.
    fn find(&self, text: &str) -> bool {
        let mut range = 0..self.len();
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            match self.get(middle as u32).cmp(text) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
            }
        }
        false
    }
}

/// A sorted list of words with ways to find one that is not spelled exactly.
struct WordTable {
    list: Texts,
    folded: Texts,
    /// Places of the folded words in order.
    in_order: Vec<u32>,
    /// For each word a bit for each of its groups of three, several groups to a bit: what lacks a
    /// bit lacks the group.
    marks: Vec<Marks>,
    n_grams: Vec<u8>,
}

/// A group of three letters.
type Gram = [u8; 3];

impl WordTable {
    fn new(list: Texts) -> WordTable {
        let mut folded = Texts::default();
        let (mut marks, mut n_grams) = (
            Vec::with_capacity(list.len()),
            Vec::with_capacity(list.len()),
        );
        let mut own = Vec::new();
        for word in list.iter() {
            folded.push(&fold(word));
            grams_of(folded.last().unwrap_or_default(), &mut own);
            marks.push(own.iter().fold(0, |marks, gram| marks | mark(*gram)));
            n_grams.push(own.len().min(u8::MAX.into()) as u8);
        }
        folded.all.shrink_to_fit();
        let mut in_order: Vec<u32> = (0..folded.len() as u32).collect();
        in_order.sort_by(|a, b| folded.get(*a).cmp(folded.get(*b)).then(a.cmp(b)));
        WordTable {
            list,
            folded,
            in_order,
            marks,
            n_grams,
        }
    }

    /// Places of the words that fold to something with this beginning, in the order of what they
    /// fold to.
    fn folded_from<'a>(&'a self, start: &str) -> impl Iterator<Item = u32> + use<'a> {
        let from = self
            .in_order
            .partition_point(|i| self.folded.get(*i) < start);
        // `_` and `$` fold to nothing, which is like everything.
        let places = if start.is_empty() {
            &[]
        } else {
            &self.in_order[from..]
        };
        let start = start.to_owned();
        places
            .iter()
            .copied()
            .take_while(move |i| self.folded.get(*i).starts_with(&start))
    }

    fn folded<'a>(&'a self, folded: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let length = folded.len();
        self.folded_from(folded)
            .take_while(move |i| self.folded.get(*i).len() == length)
            .map(|i| self.list.get(i))
    }

    fn beginning(&self, start: &str, limit: usize) -> Vec<u32> {
        self.shortest(self.folded_from(start).collect(), limit)
    }

    fn containing(&self, part: &str, limit: usize) -> Vec<u32> {
        if part.len() < 3 {
            return Vec::new();
        }
        let wanted = part.as_bytes().windows(3).fold(0, |marks, window| {
            marks | mark([window[0], window[1], window[2]])
        });
        let may_hold = self
            .marks
            .iter()
            .enumerate()
            .filter(|(_, marks)| **marks & wanted == wanted)
            .map(|(i, _)| i as u32);
        self.shortest(
            may_hold
                .filter(|i| self.folded.get(*i).contains(part))
                .collect(),
            limit,
        )
    }

    fn shortest(&self, mut found: Vec<u32>, limit: usize) -> Vec<u32> {
        found.sort_by_key(|i| (self.folded.get(*i).len(), *i));
        found.truncate(limit);
        found
    }

    /// Dice's coefficient over groups of three letters; a slip or two of the pen count for what
    /// they are.
    fn like(&self, folded: &str, at_least: f64, limit: usize) -> Vec<(u32, f64)> {
        let (mut own, mut grams) = (Vec::new(), Vec::new());
        grams_of(folded, &mut own);
        let n_own = own.len() as f64;
        let own_marks: Vec<Marks> = own.iter().map(|gram| mark(*gram)).collect();
        let all_marks = own_marks.iter().fold(0, |all, mark| all | mark);
        // A slip takes away four groups at most.
        let allowed = slips_allowed(folded.len());
        let kept_in_slips = own.len().saturating_sub(4 * allowed).max(1);
        // Groups that share a bit are counted by the bit, and so as often as there are.
        let hidden = own.len().saturating_sub(all_marks.count_ones() as usize);
        let dice = |shared: usize, n_grams: usize| 2.0 * shared as f64 / (n_grams as f64 + n_own);
        let mut found = Vec::new();
        for (i, (marks, n_grams)) in self.marks.iter().zip(&self.n_grams).enumerate() {
            // What the bits allow is looked at before the letters.
            let may_do = |shared: usize| {
                shared >= kept_in_slips || dice(shared, (*n_grams).into()) >= at_least
            };
            if marks & all_marks == 0 || !may_do((marks & all_marks).count_ones() as usize + hidden)
            {
                continue;
            }
            let word = self.folded.get(i as u32);
            let most_shared = own_marks.iter().filter(|mark| **mark & marks != 0).count();
            let is_near = folded.len().abs_diff(word.len()) <= allowed;
            if !may_do(most_shared) || !is_near && dice(most_shared, (*n_grams).into()) < at_least {
                continue;
            }
            let shared = shared_grams(&own, word);
            let n_grams = match *n_grams {
                u8::MAX => {
                    grams_of(word, &mut grams);
                    grams.len()
                }
                n_grams => n_grams.into(),
            };
            let mut likeness = dice(shared, n_grams);
            if likeness < 1.0 && is_near && shared >= kept_in_slips {
                likeness = likeness.max(slips(folded, word));
            }
            if shared > 0 && likeness >= at_least {
                found.push((i as u32, likeness));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// Bits for groups. Half as many would all be set in a name of fifty letters.
type Marks = u128;

/// The bit of a group.
fn mark(gram: Gram) -> Marks {
    let number = u32::from_le_bytes([gram[0], gram[1], gram[2], 0]);
    1 << (number.wrapping_mul(0x9E37_79B1) >> 25)
}

/// How many of `own` groups, which are in order, a word has.
fn shared_grams(own: &[Gram], word: &str) -> usize {
    let mut seen = [0_u64; 4];
    let bytes = word.as_bytes();
    let at = |i: usize| {
        if i == 0 || i > bytes.len() {
            b'$'
        } else {
            bytes[i - 1]
        }
    };
    for i in 0..bytes.len() {
        if let Ok(place) = own.binary_search(&[at(i), at(i + 1), at(i + 2)]) {
            // Of a name of more groups the first ones tell enough.
            if let Some(bits) = seen.get_mut(place / 64) {
                *bits |= 1 << (place % 64);
            }
        }
    }
    seen.iter().map(|bits| bits.count_ones() as usize).sum()
}

fn slips_allowed(length: usize) -> usize {
    if length >= 8 { 2 } else { 1 }
}

/// How like two words are that differ by a letter too many, too few, wrong or swapped: one slip, or
/// two in a long word; else 0.
fn slips(a: &str, b: &str) -> f64 {
    const LONGEST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let allowed = slips_allowed(a.len());
    if a.len().abs_diff(b.len()) > allowed || a.len() < 4 || a.len() > LONGEST {
        return 0.0;
    }
    // Three rows of the usual table: swaps look back two.
    let (mut before, mut last, mut row) = (
        [0_usize; LONGEST + 3],
        [0_usize; LONGEST + 3],
        [0_usize; LONGEST + 3],
    );
    for (j, cell) in last.iter_mut().enumerate().take(b.len() + 1) {
        *cell = j;
    }
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let mut cost = (last[j - 1] + usize::from(a[i - 1] != b[j - 1]))
                .min(last[j] + 1)
                .min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row[j] = cost;
        }
        (before, last) = (last, row);
    }
    let distance = last[b.len()];
    if distance > allowed {
        0.0
    } else {
        1.0 - distance as f64 / a.len().max(b.len()) as f64
    }
}

/// The groups of three letters of a word between two marks, in order and each once.
fn grams_of(folded: &str, grams: &mut Vec<Gram>) {
    let bytes = folded.as_bytes();
    let at = |i: usize| {
        if i == 0 || i > bytes.len() {
            b'$'
        } else {
            bytes[i - 1]
        }
    };
    grams.clear();
    grams.extend((0..bytes.len()).map(|i| [at(i), at(i + 1), at(i + 2)]));
    grams.sort_unstable();
    grams.dedup();
}
