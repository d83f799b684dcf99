//! A tree: the files of one commit, each with its content's place in a pack. Immutable, named by its
//! bytes.

use bytes::Bytes;
use facts::{LanguageId, RepoPath, SkipReason, Skipped, read_number, write_number};
use workspace::{PackageName, PackageRegistry};

use crate::{
    pack::{BlockPlace, take_counted, unpack},
    seal::Secrecy,
};

/// 1: first version.
const MAGIC: &[u8; 16] = b"codecompass-tre1";
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
}

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
        let payload = lz4_flex::compress_prepend_size(&self.write());
        let name = secrecy.name("tree", blake3::hash(&payload).as_bytes());
        let mut object = MAGIC.to_vec();
        object.extend_from_slice(&secrecy.key_id());
        let sealed = secrecy.object(&name).seal(HEADER as u64, payload);
        object.extend_from_slice(&sealed);
        (name, Bytes::from(object))
    }

    /// `None` if the object is not what was sealed under this name.
    pub fn open(secrecy: &Secrecy, name: &str, object: &[u8]) -> Option<Tree> {
        let sealed = object.strip_prefix(MAGIC)?.get(8..)?;
        let payload = secrecy.object(name).open(HEADER as u64, sealed)?;
        Tree::read(&unpack(&payload)?)
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
