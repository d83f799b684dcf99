//! Formats of archives, and the archive that a release has for each platform. The same files make
//! the same bytes: no archive has the time or the user of its making.

use std::{collections::BTreeSet, sync::Arc};

use anyhow::Context as _;
use libdeflater::Crc;

use crate::{
    contents::{Content, PackageContents, PackedFile},
    deflate::join,
    platform::{Platform, System},
    product::{NAME, Product},
};

/// The start of 1980, before which `.zip` knows no time.
const MODIFIED: u64 = 315_532_800;

/// `codecompass-VERSION-TRIPLE.tar.gz` or `.zip`.
pub fn pack(
    product: &Product,
    platform: Platform,
    contents: &PackageContents,
) -> anyhow::Result<(String, Vec<u8>)> {
    let stem = format!("{NAME}-{}-{}", product.version, platform.triple());
    let below = |folder: &str, files: &[PackedFile]| -> Vec<PackedFile> {
        let moved = files
            .iter()
            .map(|file| file.at(format!("{folder}{}", file.path)));
        moved.collect()
    };
    let mut files = vec![contents.program.clone()];
    for name in ["README.md", "CHANGELOG.md"] {
        files.push(PackedFile::new(
            name,
            std::fs::read(product.root.join(name))?,
        ));
    }
    files.extend(contents.licences.iter().cloned());
    files.extend(below("man/", &contents.manual));
    files.extend(below("completions/", &contents.completions));
    let files = below(&format!("{stem}/"), &files);
    match platform.system {
        System::Windows => Ok((format!("{stem}.zip"), zip(&files)?)),
        _ => Ok((format!("{stem}.tar.gz"), tar_gz(&files)?)),
    }
}

/// A compressed `ustar` archive. Large files are compressed on their own, since other packages have
/// them too, everything between them at once.
pub fn tar_gz(files: &[PackedFile]) -> anyhow::Result<Vec<u8>> {
    /// The window of DEFLATE: data has nothing in common with what is further away.
    const LARGE: usize = 32 * 1024;
    let mut parts = Vec::new();
    let mut between = Vec::new();
    for entry in tar(files)? {
        match entry {
            TarPart::File(content) if content.bytes().len() >= LARGE => {
                parts.push(Content::new(std::mem::take(&mut between)));
                parts.push(content);
            }
            TarPart::File(content) => between.extend(content.bytes()),
            TarPart::Frame(bytes) => between.extend(bytes),
        }
    }
    parts.push(Content::new(between));
    gzip_parts(&parts)
}

/// A part of an archive.
enum TarPart {
    File(Arc<Content>),
    /// What is around files.
    Frame(Vec<u8>),
}

/// A `ustar` archive with an entry for every folder, which dpkg needs.
fn tar(files: &[PackedFile]) -> anyhow::Result<Vec<TarPart>> {
    let mut parts = Vec::new();
    let mut folders = BTreeSet::new();
    for file in files {
        let mut frame = Vec::new();
        let mut end = 0;
        while let Some(length) = file.path[end..].find('/') {
            end += length + 1;
            let folder = &file.path[..end];
            if folder != "./" && folders.insert(folder) {
                frame.extend(tar_header(folder, 0o755, 0)?);
            }
        }
        let size = file.bytes().len();
        frame.extend(tar_header(&file.path, mode(file), size)?);
        parts.push(TarPart::Frame(frame));
        parts.push(TarPart::File(file.content.clone()));
        parts.push(TarPart::Frame(vec![
            0;
            size.next_multiple_of(TAR_BLOCK) - size
        ]));
    }
    parts.push(TarPart::Frame(vec![0; 2 * TAR_BLOCK]));
    Ok(parts)
}

const TAR_BLOCK: usize = 512;

/// The path of a folder ends in `/`.
fn tar_header(path: &str, mode: u32, size: usize) -> anyhow::Result<[u8; TAR_BLOCK]> {
    // A path of more than 100 bytes is split at a `/`.
    let (prefix, name) = match path.len() {
        0..=100 => ("", path),
        length => {
            let at = path[length - 101..].find('/').map(|at| length - 101 + at);
            let at = at.filter(|at| *at <= 155 && at + 1 < length);
            let at = at.with_context(|| format!("{path} is too long for an archive"))?;
            (&path[..at], &path[at + 1..])
        }
    };
    let kind = if path.ends_with('/') { "5" } else { "0" };
    let fields = [
        (0, name.to_owned()),
        (100, format!("{mode:07o}")),
        (108, format!("{:07o}", 0)),
        (116, format!("{:07o}", 0)),
        (124, format!("{size:011o}")),
        (136, format!("{MODIFIED:011o}")),
        // The checksum counts itself as spaces.
        (148, " ".repeat(8)),
        (156, kind.to_owned()),
        (257, "ustar\u{0}00".to_owned()),
        (345, prefix.to_owned()),
    ];
    let mut header = [0; TAR_BLOCK];
    for (at, text) in fields {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

fn mode(file: &PackedFile) -> u32 {
    if file.is_executable { 0o755 } else { 0o644 }
}

pub fn gzip(content: Arc<Content>) -> anyhow::Result<Vec<u8>> {
    gzip_parts(&[content])
}

/// The parts one after another, as RFC 1952 describes it.
fn gzip_parts(parts: &[Arc<Content>]) -> anyhow::Result<Vec<u8>> {
    let mut crc = Crc::new();
    let mut size = 0_usize;
    let mut deflated = Vec::new();
    for part in parts {
        crc.update(part.bytes());
        size += part.bytes().len();
        deflated.push(part.deflated()?);
    }
    // Deflated, no name and no time, compressed slowly, on an unknown system.
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    file.extend(join(deflated));
    file.extend(crc.sum().to_le_bytes());
    file.extend((size as u32).to_le_bytes());
    Ok(file)
}

/// A zip archive as PKWARE's APPNOTE.TXT describes it, without extensions: no file has 4 GiB.
pub fn zip(files: &[PackedFile]) -> anyhow::Result<Vec<u8>> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let compressed = file.content.deflated()?.stream();
        // What the header before the file and the entry in the directory have in common.
        let mut common = Vec::new();
        // Version 2.0, names in UTF-8, deflated, the first minute of 1980.
        common.extend([20, 0, 0, 8, 8, 0, 0, 0, 0x21, 0]);
        common.extend(libdeflater::crc32(file.bytes()).to_le_bytes());
        common.extend(u32::try_from(compressed.len())?.to_le_bytes());
        common.extend(u32::try_from(file.bytes().len())?.to_le_bytes());
        common.extend(u16::try_from(file.path.len())?.to_le_bytes());
        // No extra field.
        common.extend([0, 0]);

        directory.extend(b"PK\x01\x02");
        // Made by version 2.0 on Unix, so that the mode below counts.
        directory.extend([20, 3]);
        directory.extend(&common);
        // No comment, the first disk, no internal attributes.
        directory.extend([0; 6]);
        directory.extend(((0o100_000 | mode(file)) << 16).to_le_bytes());
        directory.extend(u32::try_from(archive.len())?.to_le_bytes());
        directory.extend(file.path.as_bytes());

        archive.extend(b"PK\x03\x04");
        archive.extend(common);
        archive.extend(file.path.as_bytes());
        archive.extend(compressed);
    }
    let start = u32::try_from(archive.len())?.to_le_bytes();
    let size = u32::try_from(directory.len())?.to_le_bytes();
    let count = u16::try_from(files.len())?.to_le_bytes();
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count);
    archive.extend(count);
    archive.extend(size);
    archive.extend(start);
    archive.extend([0, 0]);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use std::{
        path::PathBuf,
        process::{Command, Stdio},
    };

    use super::*;

    fn files() -> Vec<PackedFile> {
        let deep = format!("{}/b/program", "a".repeat(98));
        vec![
            PackedFile::executable(deep, "one"),
            PackedFile::new("c/text", "two"),
        ]
    }

    /// What another program makes of an archive that it reads from a file.
    fn read_by(program: &str, arguments: &[&str], archive: &[u8]) -> Option<String> {
        let name = format!("codecompass-archive-{}-{program}", std::process::id());
        let path: PathBuf = std::env::temp_dir().join(name);
        std::fs::write(&path, archive).unwrap();
        let output = Command::new(program)
            .args(arguments)
            .arg(&path)
            .stdin(Stdio::null())
            .output();
        std::fs::remove_file(&path).unwrap();
        let output = output.ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn tar_reads_what_was_packed() {
        let archive = tar_gz(&files()).unwrap();
        assert_eq!(archive, tar_gz(&files()).unwrap());
        let listing = read_by("tar", &["-tvzf"], &archive).unwrap();
        let a = "a".repeat(98);
        let rows: Vec<Vec<&str>> = listing
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let rows: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (row[0], *row.last().unwrap()))
            .collect();
        assert_eq!(
            rows,
            [
                ("drwxr-xr-x", format!("{a}/").as_str()),
                ("drwxr-xr-x", format!("{a}/b/").as_str()),
                ("-rwxr-xr-x", format!("{a}/b/program").as_str()),
                ("drwxr-xr-x", "c/"),
                ("-rw-r--r--", "c/text"),
            ]
        );
        let text = read_by("tar", &["-xOzf"], &archive).unwrap();
        assert_eq!(text, "onetwo");
    }

    #[test]
    fn a_path_that_does_not_fit_is_refused() {
        let file = PackedFile::new("a".repeat(101), "");
        assert!(tar_gz(&[file]).is_err());
    }

    #[test]
    fn a_large_file_is_compressed_once_for_all_archives() {
        let text: String = (0..50_000).map(|i| format!("{i}\n")).collect();
        let large = PackedFile::executable("a/large", text.as_str());
        let files = [
            PackedFile::new("a/before", "one\n"),
            large.clone(),
            PackedFile::new("a/after", "two\n"),
        ];
        let tar = tar_gz(&files).unwrap();
        let once = large.content.deflated().unwrap().stream();
        for archive in [&tar, &zip(&files).unwrap()] {
            // The last block of a stream changes where something follows.
            let start = &once[..once.len() / 2];
            assert!(archive.windows(start.len()).any(|window| window == start));
        }
        let unpacked = read_by("tar", &["-xOzf"], &tar).unwrap();
        assert_eq!(unpacked, format!("one\n{text}two\n"));
    }

    #[test]
    fn python_reads_what_was_packed() {
        let script = "\
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
for info in archive.infolist():
    print(info.filename[-7:], oct(info.external_attr >> 16), info.date_time[0], archive.read(info).decode())
";
        let archive = zip(&files()).unwrap();
        // Where there is no Python, `.ci/packages` cannot install a wheel either.
        if let Some(text) = read_by("python3", &["-c", script], &archive) {
            assert_eq!(
                text,
                "program 0o100755 1980 one\nc/text 0o100644 1980 two\n"
            );
        }
    }
}
