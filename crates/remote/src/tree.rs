//! A tree: the files of one commit, each with its content's place in a pack. Immutable, named by its
//! bytes.
//!
//! Branches of one repository differ in few files, so a tree may be written as its differences to
//! another one, its *base*, which is itself written as a whole.

use std::cmp::Ordering;

use bytes::Bytes;
use facts::{LanguageId, RepoPath, SkipReason, Skipped, read_number, write_number};
use workspace::{PackageName, PackageRegistry};

use crate::{
    pack::{BlockPlace, take_counted, unpack},
    seal::Secrecy,
};

/// 1: first version.
const MAGIC: &[u8; 16] = b"codecompass-tre1";
/// Differences to a base.
const MAGIC_UPON: &[u8; 16] = b"codecompass-tre2";
const HEADER: usize = 24;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub packs: Vec<PackEntry>,
    /// Sorted by path.
    pub files: Vec<TreeFile>,
    /// Sorted by path.
    pub skipped: Vec<Skipped>,
    /// What manifests name, in order. Absent in trees that were written before there were such
    /// names, whose readers did not look beyond skipped files.
    pub packages: Option<Vec<PackageName>>,
    /// The tree to which this one was written as differences.
    pub base: Option<Box<str>>,
}

/// What an object says of a tree.
pub enum TreeObject {
    Whole(Tree),
    Upon {
        base: Box<str>,
        differences: TreeDifferences,
    },
}

/// How a tree differs from its base.
pub struct TreeDifferences(Vec<u8>);

/// Trees that differ in more than one of so many files are written as a whole.
const FEW: usize = 8;

/// A pack that a tree uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackEntry {
    pub name: Box<str>,
    /// Bytes of the object.
    pub len: u64,
    pub footer: BlockPlace,
    pub n_contents: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub path: RepoPath,
    pub language: LanguageId,
    /// Which pack of the tree.
    pub pack: u32,
    /// Which content of the pack.
    pub content: u32,
}

impl Tree {
    /// The name and the bytes of the object.
    pub fn seal(&self, secrecy: &Secrecy) -> (String, Bytes) {
        seal(secrecy, MAGIC, &self.write())
    }

    /// The same as differences to another tree, which was written as a whole; `None` where they are
    /// many.
    pub fn seal_upon(
        &self,
        secrecy: &Secrecy,
        base: &str,
        below: &Tree,
    ) -> Option<(String, Bytes)> {
        let differences = self.differences(below)?;
        let mut bytes = Vec::new();
        write_string(&mut bytes, base);
        bytes.extend_from_slice(&differences);
        Some(seal(secrecy, MAGIC_UPON, &bytes))
    }

    /// `None` if the object is not what was sealed under this name.
    pub fn open(secrecy: &Secrecy, name: &str, object: &[u8]) -> Option<TreeObject> {
        let (magic, rest) = object.split_at_checked(MAGIC.len())?;
        let payload = secrecy.object(name).open(HEADER as u64, rest.get(8..)?)?;
        let unpacked = unpack(&payload)?;
        match magic {
            _ if magic == MAGIC => Tree::read(&unpacked).map(TreeObject::Whole),
            _ if magic == MAGIC_UPON => {
                let bytes = &mut &unpacked[..];
                Some(TreeObject::Upon {
                    base: read_string(bytes)?.into(),
                    differences: TreeDifferences(bytes.to_vec()),
                })
            }
            _ => None,
        }
    }

    /// Whether it is the same tree, however it was written.
    pub fn says_the_same(&self, other: &Tree) -> bool {
        self.packs == other.packs
            && self.files == other.files
            && self.skipped == other.skipped
            && self.packages == other.packages
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_packs(&mut bytes);
        write_number(&mut bytes, self.files.len() as u64);
        let mut previous = "";
        let mut last = 0_i64;
        for file in &self.files {
            write_path(&mut bytes, previous, file.path.as_str());
            previous = file.path.as_str();
            write_number(&mut bytes, file.language.0.into());
            write_number(&mut bytes, file.pack.into());
            // Neighbours are mostly one after the other in their pack.
            let difference = i64::from(file.content) - last;
            write_number(&mut bytes, ((difference << 1) ^ (difference >> 63)) as u64);
            last = file.content.into();
        }
        self.write_skipped(&mut bytes);
        if let Some(packages) = &self.packages {
            self.write_packages(packages, &mut bytes);
        }
        bytes
    }

    /// Packs; files that differ; a byte and, where it is 1, skipped files; likewise packages.
    fn differences(&self, base: &Tree) -> Option<Vec<u8>> {
        let mut edits: Vec<(&RepoPath, Option<&TreeFile>)> = Vec::new();
        let (mut here, mut there) = (self.files.iter().peekable(), base.files.iter().peekable());
        loop {
            let order = match (here.peek(), there.peek()) {
                (Some(here), Some(there)) => here.path.cmp(&there.path),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => edits.extend(here.next().map(|file| (&file.path, Some(file)))),
                Ordering::Greater => edits.extend(there.next().map(|file| (&file.path, None))),
                Ordering::Equal => {
                    let (file, former) = (here.next()?, there.next()?);
                    let is_same = file.language == former.language
                        && file.content == former.content
                        && self.packs[file.pack as usize].name
                            == base.packs[former.pack as usize].name;
                    if !is_same {
                        edits.push((&file.path, Some(file)));
                    }
                }
            }
        }
        if edits.len() * FEW > self.files.len() {
            return None;
        }
        let mut bytes = Vec::new();
        self.write_packs(&mut bytes);
        write_number(&mut bytes, edits.len() as u64);
        let mut previous = "";
        for (path, file) in edits {
            write_path(&mut bytes, previous, path.as_str());
            previous = path.as_str();
            let Some(file) = file else {
                write_number(&mut bytes, 0);
                continue;
            };
            write_number(&mut bytes, u64::from(file.language.0) + 1);
            write_number(&mut bytes, file.pack.into());
            write_number(&mut bytes, file.content.into());
        }
        bytes.push(u8::from(self.skipped != base.skipped));
        if self.skipped != base.skipped {
            self.write_skipped(&mut bytes);
        }
        match &self.packages {
            packages if *packages == base.packages => bytes.push(0),
            None => bytes.push(2),
            Some(packages) => {
                bytes.push(1);
                self.write_packages(packages, &mut bytes);
            }
        }
        Some(bytes)
    }

    fn write_packs(&self, bytes: &mut Vec<u8>) {
        write_number(bytes, self.packs.len() as u64);
        for pack in &self.packs {
            write_string(bytes, &pack.name);
            for number in [
                pack.len,
                pack.footer.at,
                pack.footer.len.into(),
                pack.n_contents.into(),
            ] {
                write_number(bytes, number);
            }
        }
    }

    fn write_skipped(&self, bytes: &mut Vec<u8>) {
        write_number(bytes, self.skipped.len() as u64);
        let mut previous = "";
        for file in &self.skipped {
            write_path(bytes, previous, file.path.as_str());
            previous = file.path.as_str();
            bytes.push(file.reason as u8);
        }
    }

    fn write_packages(&self, packages: &[PackageName], bytes: &mut Vec<u8>) {
        write_number(bytes, packages.len() as u64);
        let mut previous = "";
        for package in packages {
            let registry = PackageRegistry::ALL
                .iter()
                .position(|registry| *registry == package.registry);
            let registry = registry.unwrap_or_default() as u64;
            write_number(bytes, registry * 2 + u64::from(package.is_provided));
            write_path(bytes, previous, &package.name);
            previous = &package.name;
            let file = self
                .files
                .partition_point(|file| file.path < package.manifest);
            write_number(bytes, file as u64);
        }
    }

    fn read_packages(&self, bytes: &mut &[u8]) -> Option<Vec<PackageName>> {
        let mut packages = Vec::new();
        let mut name = String::new();
        for _ in 0..read_number(bytes)? {
            let said = read_number(bytes)?;
            read_path(bytes, &mut name)?;
            let file = self.files.get(usize::try_from(read_number(bytes)?).ok()?)?;
            // A later version may know more registries.
            if let Some(registry) = PackageRegistry::ALL.get((said / 2) as usize) {
                packages.push(PackageName {
                    registry: *registry,
                    name: name.as_str().into(),
                    is_provided: said % 2 == 1,
                    manifest: file.path.clone(),
                });
            }
        }
        Some(packages)
    }

    fn read(bytes: &[u8]) -> Option<Tree> {
        let bytes = &mut &bytes[..];
        let mut tree = Tree {
            packs: read_packs(bytes)?,
            ..Tree::default()
        };
        let mut path = String::new();
        let mut last = 0_i64;
        for _ in 0..read_number(bytes)? {
            read_path(bytes, &mut path)?;
            let language = LanguageId(u16::try_from(read_number(bytes)?).ok()?);
            let pack = u32::try_from(read_number(bytes)?).ok()?;
            let zigzag = read_number(bytes)?;
            last = last.checked_add(((zigzag >> 1) as i64) ^ -((zigzag & 1) as i64))?;
            let content = u32::try_from(last).ok()?;
            tree.add(&path, language, pack, content)?;
        }
        tree.skipped = read_skipped(bytes)?;
        if !bytes.is_empty() {
            tree.packages = Some(tree.read_packages(bytes)?);
        }
        Some(tree)
    }

    /// Adds a file, if its pack has such a content.
    fn add(&mut self, path: &str, language: LanguageId, pack: u32, content: u32) -> Option<()> {
        let n_contents = self.packs.get(pack as usize)?.n_contents;
        if content >= n_contents {
            return None;
        }
        self.files.push(TreeFile {
            path: RepoPath::new(path),
            language,
            pack,
            content,
        });
        Some(())
    }
}

impl TreeDifferences {
    /// The tree that differs so from `below`; `None` if that cannot be.
    pub fn apply(&self, base: &str, below: &Tree) -> Option<Tree> {
        let bytes = &mut &self.0[..];
        let mut tree = Tree {
            packs: read_packs(bytes)?,
            base: Some(base.into()),
            ..Tree::default()
        };
        // Where the packs of the base are here, by their names.
        let place = |former: &PackEntry| {
            let mut packs = tree.packs.iter();
            packs.position(|pack| pack.name == former.name)
        };
        let places: Vec<Option<usize>> = below.packs.iter().map(place).collect();
        let mut former = below.files.iter().peekable();
        let mut keep = |tree: &mut Tree, until: Option<&str>| -> Option<()> {
            let is_before = |file: &&TreeFile| until.is_none_or(|path| file.path.as_str() < path);
            while let Some(file) = former.next_if(is_before) {
                let pack = places.get(file.pack as usize).copied()??;
                tree.add(file.path.as_str(), file.language, pack as u32, file.content)?;
            }
            // What is edited is no longer as it was.
            former.next_if(|file| Some(file.path.as_str()) == until);
            Some(())
        };
        let mut path = String::new();
        for _ in 0..read_number(bytes)? {
            read_path(bytes, &mut path)?;
            keep(&mut tree, Some(&path))?;
            let language = read_number(bytes)?;
            if let Some(language) = language.checked_sub(1) {
                let language = LanguageId(u16::try_from(language).ok()?);
                let pack = u32::try_from(read_number(bytes)?).ok()?;
                let content = u32::try_from(read_number(bytes)?).ok()?;
                tree.add(&path, language, pack, content)?;
            }
        }
        keep(&mut tree, None)?;
        tree.skipped = match take_byte(bytes)? {
            0 => below.skipped.clone(),
            _ => read_skipped(bytes)?,
        };
        tree.packages = match take_byte(bytes)? {
            0 => below.packages.clone(),
            1 => Some(tree.read_packages(bytes)?),
            _ => None,
        };
        Some(tree)
    }
}

fn seal(secrecy: &Secrecy, magic: &[u8; 16], bytes: &[u8]) -> (String, Bytes) {
    let payload = lz4_flex::compress_prepend_size(bytes);
    let name = secrecy.name("tree", blake3::hash(&payload).as_bytes());
    let mut object = magic.to_vec();
    object.extend_from_slice(&secrecy.key_id());
    let sealed = secrecy.object(&name).seal(HEADER as u64, payload);
    object.extend_from_slice(&sealed);
    (name, Bytes::from(object))
}

fn read_packs(bytes: &mut &[u8]) -> Option<Vec<PackEntry>> {
    let mut packs = Vec::new();
    for _ in 0..read_number(bytes)? {
        packs.push(PackEntry {
            name: read_string(bytes)?.into(),
            len: read_number(bytes)?,
            footer: BlockPlace {
                at: read_number(bytes)?,
                len: u32::try_from(read_number(bytes)?).ok()?,
            },
            n_contents: u32::try_from(read_number(bytes)?).ok()?,
        });
    }
    Some(packs)
}

fn read_skipped(bytes: &mut &[u8]) -> Option<Vec<Skipped>> {
    let mut skipped = Vec::new();
    let mut path = String::new();
    for _ in 0..read_number(bytes)? {
        read_path(bytes, &mut path)?;
        skipped.push(Skipped {
            path: RepoPath::new(&path),
            reason: SkipReason::from_number(take_byte(bytes)?)?,
        });
    }
    Some(skipped)
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn write_string(bytes: &mut Vec<u8>, text: &str) {
    write_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn read_string<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    std::str::from_utf8(take_counted(bytes)?).ok()
}

fn write_path(bytes: &mut Vec<u8>, previous: &str, path: &str) {
    let pairs = previous.bytes().zip(path.bytes());
    let mut shared = pairs.take_while(|(a, b)| a == b).count();
    while !path.is_char_boundary(shared) {
        shared -= 1;
    }
    write_number(bytes, shared as u64);
    write_number(bytes, (path.len() - shared) as u64);
    bytes.extend_from_slice(&path.as_bytes()[shared..]);
}

fn read_path(bytes: &mut &[u8], path: &mut String) -> Option<()> {
    let shared = read_number(bytes)? as usize;
    if !path.is_char_boundary(shared) {
        return None;
    }
    let rest = take_counted(bytes)?;
    path.truncate(shared);
    path.push_str(std::str::from_utf8(rest).ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(name: &str) -> PackEntry {
        PackEntry {
            name: name.into(),
            len: 100,
            footer: BlockPlace { at: 50, len: 20 },
            n_contents: 1000,
        }
    }

    fn tree(packs: &[&str], files: &[(&str, u32, u32)]) -> Tree {
        let file = |(path, pack, content): &(&str, u32, u32)| TreeFile {
            path: RepoPath::new(path),
            language: LanguageId(3),
            pack: *pack,
            content: *content,
        };
        Tree {
            packs: packs.iter().map(|name| pack(name)).collect(),
            files: files.iter().map(file).collect(),
            ..Tree::default()
        }
    }

    fn many(others: &[(&str, u32, u32)]) -> Vec<(&'static str, u32, u32)> {
        const NAMES: [&str; 36] = [
            "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f", "g",
            "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
            "y", "z",
        ];
        let known = |name: &&str| !others.iter().any(|(other, ..)| other == name);
        let names = NAMES.iter().zip(0..).filter(|(name, _)| known(name));
        names.map(|(name, i)| (*name, 0, i)).collect()
    }

    #[test]
    fn differences_lead_to_the_same_tree() {
        let secrecy = Secrecy::default();
        let mut base = tree(&["one", "two"], &many(&[]));
        base.files[35].pack = 1;
        base.skipped.push(Skipped {
            path: RepoPath::new("blob"),
            reason: SkipReason::Binary,
        });
        base.packages = Some(vec![PackageName {
            registry: PackageRegistry::Npm,
            name: "shop".into(),
            is_provided: true,
            manifest: RepoPath::new("b"),
        }]);
        let (base_name, _) = base.seal(&secrecy);
        // One changed, one gone, one new; the packs are others, in another order.
        let mut files = many(&[("c", 0, 0), ("d", 0, 0), ("z", 0, 0)]);
        files.iter_mut().for_each(|(_, pack, _)| *pack = 1);
        files.extend([("c", 0, 7), ("zz", 0, 8), ("z", 0, 9)]);
        files.sort();
        let mut other = tree(&["three", "one"], &files);
        other.packages = base.packages.clone();
        for is_skipped_same in [true, false] {
            if is_skipped_same {
                other.skipped = base.skipped.clone();
            } else {
                other.skipped.clear();
                other.packages = None;
            }
            let (name, object) = other.seal_upon(&secrecy, &base_name, &base).unwrap();
            let Some(TreeObject::Upon {
                base: said,
                differences,
            }) = Tree::open(&secrecy, &name, &object)
            else {
                panic!("it is written as differences");
            };
            assert_eq!(*said, *base_name);
            let mut read = differences.apply(&said, &base).unwrap();
            assert_eq!(read.base.take().as_deref(), Some(&*base_name));
            assert_eq!(read, other);
            // Another tree is no base of it.
            assert!(
                differences
                    .apply(&said, &tree(&["two"], &many(&[])))
                    .is_none()
            );
        }
    }

    #[test]
    fn trees_that_differ_much_are_written_as_a_whole() {
        let secrecy = Secrecy::default();
        let base = tree(&["one"], &many(&[]));
        let other = tree(&["two"], &many(&[]));
        assert!(other.seal_upon(&secrecy, "base", &base).is_none());
        let (name, object) = other.seal(&secrecy);
        let opened = Tree::open(&secrecy, &name, &object);
        assert!(matches!(opened, Some(TreeObject::Whole(read)) if read == other));
    }
}
