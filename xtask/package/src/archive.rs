//! Formats of archives, and the archive that a release has for each platform. The same files make
//! the same bytes: no archive has the time or the user of its making.

use std::collections::BTreeSet;

use anyhow::Context as _;
use libdeflater::{CompressionLvl, Compressor};

use crate::{
    contents::{PackageContents, PackedFile},
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
        let moved = files.iter().map(|file| PackedFile {
            path: format!("{folder}{}", file.path),
            ..file.clone()
        });
        moved.collect()
    };
    let mut files = vec![PackedFile::executable(
        platform.program_name(),
        contents.binary.as_slice(),
    )];
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
        _ => Ok((format!("{stem}.tar.gz"), gzip(&tar(&files)?)?)),
    }
}

/// A `ustar` archive with an entry for every folder, which dpkg needs.
pub fn tar(files: &[PackedFile]) -> anyhow::Result<Vec<u8>> {
    let mut archive = Vec::new();
    let mut folders = BTreeSet::new();
    for file in files {
        let mut end = 0;
        while let Some(length) = file.path[end..].find('/') {
            end += length + 1;
            let folder = &file.path[..end];
            if folder != "./" && folders.insert(folder) {
                archive.extend(tar_header(folder, 0o755, 0)?);
            }
        }
        archive.extend(tar_header(&file.path, mode(file), file.bytes.len())?);
        archive.extend(&file.bytes);
        archive.resize(archive.len().next_multiple_of(TAR_BLOCK), 0);
    }
    archive.resize(archive.len() + 2 * TAR_BLOCK, 0);
    Ok(archive)
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

pub fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut compressor = Compressor::new(CompressionLvl::best());
    let mut compressed = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let size = compressor.gzip_compress(bytes, &mut compressed)?;
    compressed.truncate(size);
    Ok(compressed)
}

fn deflate(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut compressor = Compressor::new(CompressionLvl::best());
    let mut compressed = vec![0; compressor.deflate_compress_bound(bytes.len())];
    let size = compressor.deflate_compress(bytes, &mut compressed)?;
    compressed.truncate(size);
    Ok(compressed)
}

/// A zip archive as PKWARE's APPNOTE.TXT describes it, without extensions: no file has 4 GiB.
pub fn zip(files: &[PackedFile]) -> anyhow::Result<Vec<u8>> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let compressed = deflate(&file.bytes)?;
        // What the header before the file and the entry in the directory have in common.
        let mut common = Vec::new();
        // Version 2.0, names in UTF-8, deflated, the first minute of 1980.
        common.extend([20, 0, 0, 8, 8, 0, 0, 0, 0x21, 0]);
        common.extend(libdeflater::crc32(&file.bytes).to_le_bytes());
        common.extend(u32::try_from(compressed.len())?.to_le_bytes());
        common.extend(u32::try_from(file.bytes.len())?.to_le_bytes());
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
        let archive = gzip(&tar(&files()).unwrap()).unwrap();
        assert_eq!(archive, gzip(&tar(&files()).unwrap()).unwrap());
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
        assert!(tar(&[file]).is_err());
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
