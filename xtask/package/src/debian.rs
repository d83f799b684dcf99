//! Debian packages: an `ar` archive of a version, a description and the files.

use anyhow::{Context as _, ensure};

use crate::{
    archive::{gzip, tar_gz},
    binary::{GlibcVersion, needed_glibc, needs_library},
    contents::{Content, PackageContents, PackedFile},
    platform::{Platform, System},
    product::{NAME, Product, SUMMARY},
};

/// `codecompass_VERSION_ARCHITECTURE.deb`
pub fn pack(
    product: &Product,
    platform: Platform,
    contents: &PackageContents,
) -> anyhow::Result<(String, Vec<u8>)> {
    ensure!(
        platform.system == System::LinuxGlibc,
        "a Debian package is made of a binary for glibc, not for {}",
        platform.triple()
    );
    let version = debian_version(&product.version);
    let architecture = platform.debian_architecture();
    let files = files(product, contents)?;
    let size: usize = files.iter().map(|file| file.bytes().len()).sum();
    let control = format!(
        "Package: {NAME}\n\
         Version: {version}\n\
         Architecture: {architecture}\n\
         Maintainer: {}\n\
         Installed-Size: {}\n\
         Depends: {}\n\
         Section: devel\n\
         Priority: optional\n\
         Homepage: {}\n\
         Description: {SUMMARY}\n \
         It runs on this machine and sends nothing anywhere.\n",
        product.maintainer,
        size.div_ceil(1024),
        dependencies(contents.program.bytes())?,
        product.repository,
    );
    let control = tar_gz(&[PackedFile::new("./control", control)])?;
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control),
        ("data.tar.gz", tar_gz(&files)?),
    ];
    Ok((format!("{NAME}_{version}_{architecture}.deb"), ar(&members)))
}

fn files(product: &Product, contents: &PackageContents) -> anyhow::Result<Vec<PackedFile>> {
    let mut files = vec![contents.program.at(format!("./usr/bin/{NAME}"))];
    for (name, path) in [
        (
            "codecompass.bash",
            "./usr/share/bash-completion/completions/codecompass",
        ),
        (
            "codecompass.fish",
            "./usr/share/fish/vendor_completions.d/codecompass.fish",
        ),
        (
            "_codecompass",
            "./usr/share/zsh/vendor-completions/_codecompass",
        ),
    ] {
        let mut completions = contents.completions.iter();
        let script = completions
            .find(|file| file.path == name)
            .with_context(|| format!("no completions {name}"))?;
        files.push(script.at(path));
    }
    let documents = format!("./usr/share/doc/{NAME}");
    let mut copyright = format!(
        "{}\n{NAME} is licensed under {}.\n\n",
        product.repository, product.licence
    );
    for licence in &contents.licences {
        if licence.path.starts_with("LICENSE") {
            copyright += &String::from_utf8_lossy(licence.bytes());
            copyright += "\n";
        } else {
            let path = format!("{documents}/{}.gz", licence.path);
            files.push(PackedFile::new(path, gzip(licence.content.clone())?));
        }
    }
    files.push(PackedFile::new(format!("{documents}/copyright"), copyright));
    let changes = std::fs::read(product.root.join("CHANGELOG.md"))?;
    files.push(PackedFile::new(
        format!("{documents}/changelog.gz"),
        gzip(Content::new(changes))?,
    ));
    for page in &contents.manual {
        let path = format!("./usr/share/man/man1/{}.gz", page.path);
        files.push(PackedFile::new(path, gzip(page.content.clone())?));
    }
    Ok(files)
}

fn dependencies(binary: &[u8]) -> anyhow::Result<String> {
    let GlibcVersion(minor) = needed_glibc(binary).context("the binary needs no glibc")?;
    let mut dependencies = format!("libc6 (>= 2.{minor})");
    if needs_library(binary, "libgcc_s.so.1") {
        dependencies += ", libgcc-s1";
    }
    Ok(dependencies)
}

/// `~` sorts before everything: a pre-release is older than its release.
fn debian_version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

/// The common archive format: a header of 60 bytes before each member, members at even offsets.
fn ar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let header = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            "100644",
            bytes.len()
        );
        archive.extend(header.as_bytes());
        archive.extend(bytes);
        if bytes.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_start_at_even_offsets() {
        let archive = ar(&[("a", b"odd".to_vec()), ("b", b"even".to_vec())]);
        assert_eq!(archive.len(), 8 + 60 + 4 + 60 + 4);
        assert_eq!(&archive[8 + 60 + 4..][..2], b"b ");
        assert_eq!(&archive[8 + 58..][..2], b"`\n");
    }

    #[test]
    fn dependencies_follow_the_binary() {
        let binary = b"\0GLIBC_2.31\0libgcc_s.so.1\0";
        assert_eq!(dependencies(binary).unwrap(), "libc6 (>= 2.31), libgcc-s1");
        assert_eq!(dependencies(b"\0GLIBC_2.31\0").unwrap(), "libc6 (>= 2.31)");
        assert!(dependencies(b"static").is_err());
    }

    #[test]
    fn a_pre_release_is_older() {
        assert_eq!(debian_version("0.1.0-rc.1"), "0.1.0~rc.1");
    }
}
