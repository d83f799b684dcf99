//! The names and file stems of a snapshot, findable exactly, by folding case and separators, and by likeness.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{ContentNumber, FileId, Snapshot};

/// Made once per snapshot by the first who asks.
pub struct Lexicon {
    names: Words,
    /// (bits of the name's hash, its place in `names`), sorted.
    hashes: Vec<(u32, u32)>,
    stems: Words,
    /// The files of each stem.
    stem_files: Vec<Vec<FileId>>,
}

/// A name that is like what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness<'a> {
    pub name: &'a str,
    /// 1 for the same letters, less the fewer groups of three they share.
    pub likeness: f64,
}

/// The first bits of every id of a symbol: what its name hashes to.
pub fn name_bits(name: &str) -> u32 {
    u32::from_be_bytes(blake3::hash(name.as_bytes()).as_bytes()[..4].try_into().unwrap_or_default())
}

/// In lower case and without what separates words.
pub fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Lexicon {
    /// `definitions` gives every defined name with a content that defines it; those of other snapshots are passed over.
    pub fn new(snapshot: &Snapshot, definitions: impl FnOnce(&mut dyn FnMut(&str, ContentNumber))) -> Lexicon {
        let mut names: FxHashSet<Box<str>> = FxHashSet::default();
        definitions(&mut |name, content| {
            if !snapshot.files_of(content).is_empty() && !names.contains(name) && !name.is_empty() {
                names.insert(name.into());
            }
        });
        let mut names: Vec<Box<str>> = names.into_iter().collect();
        names.sort_unstable();
        let mut hashes: Vec<(u32, u32)> = names.iter().enumerate().map(|(i, name)| (name_bits(name), i as u32)).collect();
        hashes.sort_unstable();
        let mut by_stem: FxHashMap<Box<str>, Vec<FileId>> = FxHashMap::default();
        for (id, file) in snapshot.files() {
            by_stem.entry(stem(file.path.file_name()).into()).or_default().push(id);
        }
        let mut stems: Vec<(Box<str>, Vec<FileId>)> = by_stem.into_iter().collect();
        stems.sort_unstable();
        let (stems, stem_files) = stems.into_iter().unzip();
        Lexicon { names: Words::new(names), hashes, stems: Words::new(stems), stem_files }
    }

    /// From the facts of every file, where no table of names is at hand.
    pub fn from_facts(snapshot: &Snapshot) -> Lexicon {
        Lexicon::new(snapshot, |each| {
            for (_, file) in snapshot.files() {
                let Some(facts) = snapshot.corpus().facts(file.content) else { continue };
                for symbol in &facts.symbols {
                    each(facts.name(symbol.name), file.content);
                }
            }
        })
    }

    pub fn contains(&self, name: &str) -> bool {
        self.names.list.binary_search_by(|known| (**known).cmp(name)).is_ok()
    }

    /// Names that are the same when case and separators are left out.
    pub fn folded(&self, name: &str) -> impl Iterator<Item = &str> + use<'_> {
        self.names.folded(&fold(name))
    }

    /// Names that begin alike when case and separators are left out, the shortest first.
    pub fn beginning(&self, start: &str, limit: usize) -> Vec<&str> {
        self.names.beginning(&fold(start), limit).into_iter().map(|i| &*self.names.list[i as usize]).collect()
    }

    /// Names in which a folded text stands, the shortest first.
    pub fn containing(&self, part: &str, limit: usize) -> Vec<&str> {
        self.names.containing(&fold(part), limit).into_iter().map(|i| &*self.names.list[i as usize]).collect()
    }

    /// The names most like this one, best first.
    pub fn like(&self, name: &str, at_least: f64, limit: usize) -> Vec<Likeness<'_>> {
        let found = self.names.like(&fold(name), at_least, limit);
        found.into_iter().map(|(i, likeness)| Likeness { name: &self.names.list[i as usize], likeness }).collect()
    }

    /// Names whose hash begins with `bits`, of which the first `n_bits` count.
    pub fn hashed(&self, bits: u32, n_bits: u32) -> impl Iterator<Item = &str> + use<'_> {
        let mask = if n_bits >= 32 { u32::MAX } else { !(u32::MAX >> n_bits) };
        let start = self.hashes.partition_point(|(hash, _)| hash & mask < bits & mask);
        let same = move |(hash, _): &&(u32, u32)| hash & mask == bits & mask;
        self.hashes[start..].iter().take_while(same).map(|(_, i)| &*self.names.list[*i as usize])
    }

    /// Files whose stem is like this one, with the likeness.
    pub fn files_like(&self, stem: &str, at_least: f64, limit: usize) -> Vec<(FileId, f64)> {
        let mut found = Vec::new();
        for (i, likeness) in self.stems.like(&fold(stem), at_least, limit) {
            found.extend(self.stem_files[i as usize].iter().map(|file| (*file, likeness)));
        }
        found
    }

    /// Files whose stem begins with this, and the share of it.
    pub fn files_beginning(&self, start: &str, limit: usize) -> Vec<(FileId, f64)> {
        let start = fold(start);
        let mut found = Vec::new();
        for i in self.stems.beginning(&start, limit) {
            let share = start.len() as f64 / self.stems.folded[i as usize].len().max(1) as f64;
            found.extend(self.stem_files[i as usize].iter().map(|file| (*file, share)));
        }
        found
    }
}

/// The name of a file without its extensions; of a package's main file, the file name as it is.
pub fn stem(file_name: &str) -> &str {
    let trimmed = file_name.trim_start_matches('.');
    let end = trimmed.find('.').unwrap_or(trimmed.len());
    &trimmed[..end]
}

/// A sorted list of words with ways to find one that is not spelled exactly.
struct Words {
    list: Vec<Box<str>>,
    folded: Vec<Box<str>>,
    by_folded: FxHashMap<Box<str>, Vec<u32>>,
    /// Places of the folded words in order.
    in_order: Vec<u32>,
    grams: FxHashMap<[u8; 3], Vec<u32>>,
    n_grams: Vec<u16>,
}

impl Words {
    fn new(list: Vec<Box<str>>) -> Words {
        let folded: Vec<Box<str>> = list.iter().map(|word| fold(word).into()).collect();
        let mut by_folded: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut grams: FxHashMap<[u8; 3], Vec<u32>> = FxHashMap::default();
        let mut n_grams = Vec::with_capacity(folded.len());
        for (i, word) in folded.iter().enumerate() {
            // `_` and `$` fold to nothing, which is like everything.
            if !word.is_empty() {
                by_folded.entry(word.clone()).or_default().push(i as u32);
            }
            let own = grams_of(word);
            n_grams.push(own.len() as u16);
            for gram in own {
                grams.entry(gram).or_default().push(i as u32);
            }
        }
        let mut in_order: Vec<u32> = (0..folded.len() as u32).collect();
        in_order.sort_by(|a, b| folded[*a as usize].cmp(&folded[*b as usize]).then(a.cmp(b)));
        Words { list, folded, by_folded, in_order, grams, n_grams }
    }

    fn folded(&self, folded: &str) -> impl Iterator<Item = &str> + use<'_> {
        self.by_folded.get(folded).into_iter().flatten().map(|i| &*self.list[*i as usize])
    }

    fn beginning(&self, start: &str, limit: usize) -> Vec<u32> {
        if start.is_empty() {
            return Vec::new();
        }
        let from = self.in_order.partition_point(|i| &*self.folded[*i as usize] < start);
        let mut found: Vec<u32> =
            self.in_order[from..].iter().copied().take_while(|i| self.folded[*i as usize].starts_with(start)).collect();
        found.sort_by_key(|i| (self.folded[*i as usize].len(), *i));
        found.truncate(limit);
        found
    }

    fn containing(&self, part: &str, limit: usize) -> Vec<u32> {
        // Every group of three inside `part` stands in the word: the rarest one leaves few to look at.
        let inner: Vec<[u8; 3]> = part.as_bytes().windows(3).map(|window| [window[0], window[1], window[2]]).collect();
        let lists: Option<Vec<&Vec<u32>>> = inner.iter().map(|gram| self.grams.get(gram)).collect();
        let Some(rarest) = lists.and_then(|lists| lists.into_iter().min_by_key(|list| list.len())) else { return Vec::new() };
        let mut found: Vec<u32> = rarest.iter().copied().filter(|i| self.folded[*i as usize].contains(part)).collect();
        found.sort_by_key(|i| (self.folded[*i as usize].len(), *i));
        found.dedup();
        found.truncate(limit);
        found
    }

    /// Dice's coefficient over groups of three letters; a slip or two of the pen count for what they are.
    fn like(&self, folded: &str, at_least: f64, limit: usize) -> Vec<(u32, f64)> {
        let own = grams_of(folded);
        let mut shared: FxHashMap<u32, u16> = FxHashMap::default();
        for gram in &own {
            for i in self.grams.get(gram).into_iter().flatten() {
                *shared.entry(*i).or_default() += 1;
            }
        }
        let likeness = |(i, shared): (u32, u16)| {
            let dice = 2.0 * f64::from(shared) / (f64::from(self.n_grams[i as usize]) + own.len() as f64);
            (i, if dice >= 1.0 { dice } else { dice.max(slips(folded, &self.folded[i as usize])) })
        };
        let mut found: Vec<(u32, f64)> = shared.into_iter().map(likeness).filter(|(_, likeness)| *likeness >= at_least).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// How like two words are that differ by a letter too many, too few, wrong or swapped: one slip, or two in a long word; else 0.
fn slips(a: &str, b: &str) -> f64 {
    const LONGEST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let allowed = if a.len() >= 8 { 2 } else { 1 };
    if a.len().abs_diff(b.len()) > allowed || a.len() < 4 || a.len() > LONGEST {
        return 0.0;
    }
    // Three rows of the usual table: swaps look back two.
    let (mut before, mut last, mut row) = ([0_usize; LONGEST + 3], [0_usize; LONGEST + 3], [0_usize; LONGEST + 3]);
    for (j, cell) in last.iter_mut().enumerate().take(b.len() + 1) {
        *cell = j;
    }
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let mut cost = (last[j - 1] + usize::from(a[i - 1] != b[j - 1])).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row[j] = cost;
        }
        (before, last) = (last, row);
    }
    let distance = last[b.len()];
    if distance > allowed { 0.0 } else { 1.0 - distance as f64 / a.len().max(b.len()) as f64 }
}

/// The groups of three letters of a word between two marks, each once.
fn grams_of(folded: &str) -> Vec<[u8; 3]> {
    let marked: Vec<u8> = std::iter::once(b'$').chain(folded.bytes()).chain([b'$']).collect();
    let mut grams: Vec<[u8; 3]> = marked.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}
