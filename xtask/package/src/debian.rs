//! Debian packages: an `ar` archive of a version, a description and the files.

use std::{process::Command, sync::Arc};

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
    let files = files(product, contents, &version)?;
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
         Description: {SUMMARY}\n\
         \x20It keeps an index of each repository, and serves agents over MCP, people on the\n\
         \x20command line and editors over LSP.\n\
         \x20.\n\
         \x20It runs on this machine and sends nothing anywhere.\n",
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

fn files(
    product: &Product,
    contents: &PackageContents,
    version: &str,
) -> anyhow::Result<Vec<PackedFile>> {
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
    let compressed = |path: String, content: &Arc<Content>| -> anyhow::Result<PackedFile> {
        Ok(PackedFile::new(
            format!("{path}.gz"),
            gzip(content.clone())?,
        ))
    };
    let documents = format!("./usr/share/doc/{NAME}");
    let date = date(product)?;
    let mut copyright = copyright(product, &date);
    for licence in &contents.licences {
        match licence.path.as_str() {
            // Every Debian system has a copy, which `copyright` names.
            "LICENSE-APACHE" => {}
            "LICENSE-MIT" => {
                let text = str::from_utf8(licence.bytes())?;
                copyright += &format!("\nLicense: MIT\n{}", indented(text));
            }
            name => files.push(compressed(format!("{documents}/{name}"), &licence.content)?),
        }
    }
    files.push(PackedFile::new(format!("{documents}/copyright"), copyright));
    let changes = Content::new(std::fs::read(product.root.join("CHANGELOG.md"))?);
    files.push(compressed(format!("{documents}/CHANGELOG.md"), &changes)?);
    let changelog = Content::new(changelog(product, version, &date));
    files.push(compressed(format!("{documents}/changelog"), &changelog)?);
    for page in &contents.manual {
        let path = format!("./usr/share/man/man1/{}", page.path);
        files.push(compressed(path, &page.content)?);
    }
    Ok(files)
}

/// Whose the package is, as Debian's copyright format 1.0 has it, without the text of the MIT
/// licence.
fn copyright(product: &Product, date: &str) -> String {
    let holders = product.maintainer.split(" <").next().unwrap_or_default();
    let year = date.split(' ').nth(3).unwrap_or_default();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: {NAME}\n\
         Source: {}\n\
         \n\
         Files: *\n\
         Copyright: {year} {holders}\n\
         License: {}\n\
         Comment: The program contains code of others. Their names and licences are in\n\
         \x20THIRD-PARTY-LICENSES.txt.gz and RUST-STANDARD-LIBRARY-LICENSES.html.gz beside\n\
         \x20this file.\n\
         \n\
         License: Apache-2.0\n\
         \x20The text of this licence is in /usr/share/common-licenses/Apache-2.0.\n",
        product.repository,
        product.licence.replace(" OR ", " or "),
    )
}

/// A text as the value of a field: empty lines are written as a dot.
fn indented(text: &str) -> String {
    let lines = text.trim().lines().map(|line| match line.trim_end() {
        "" => " .\n".to_owned(),
        line => format!(" {line}\n"),
    });
    lines.collect()
}

/// The changelog that Debian's tools read. It names the one that people do.
fn changelog(product: &Product, version: &str, date: &str) -> String {
    format!(
        "{NAME} ({version}) unstable; urgency=medium\n\
         \n\
         \x20 * What changed is in /usr/share/doc/{NAME}/CHANGELOG.md.gz.\n\
         \n\
         \x20-- {}  {date}\n",
        product.maintainer,
    )
}

/// `Thu, 19 Nov 2026 02:08:54 +0000`: when the source was committed, so that the same source makes
/// the same package.
fn date(product: &Product) -> anyhow::Result<String> {
    let git = Command::new("git")
        .args(["log", "-1", "--format=%cD"])
        .current_dir(&product.root)
        .output();
    Ok(match git {
        Ok(output) if output.status.success() => {
            String::from_utf8(output.stdout)?.trim().to_owned()
        }
        // A source without its history.
        _ => "Tue, 1 Jan 1980 00:00:00 +0000".to_owned(),
    })
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
    fn texts_about_the_package_have_the_form_of_debian() {
        let product = crate::product::tests::example();
        let date = "Thu, 19 Nov 2026 02:08:54 +0000";
        let copyright = copyright(&product, date);
        assert!(copyright.contains("\nFiles: *\nCopyright: 2026 C\nLicense: MIT\n"));
        let is_continued = |line: &&str| line.starts_with(' ') || line.contains(": ");
        let lines = copyright.lines().filter(|line| !line.is_empty());
        let odd: Vec<&str> = lines.filter(|line| !is_continued(line)).collect();
        assert!(odd.is_empty(), "{odd:?}");
        assert_eq!(indented("a\n\n  b\n"), " a\n .\n   b\n");
        let changelog = changelog(&product, "1.2.3", date);
        assert!(changelog.starts_with("codecompass (1.2.3) unstable; urgency=medium\n\n  * "));
        assert!(changelog.ends_with(&format!("\n\n -- C <c@example.org>  {date}\n")));
    }

    #[test]
    fn the_summary_fits_into_a_field() {
        assert!(SUMMARY.len() <= 80);
    }

    #[test]
    fn a_pre_release_is_older() {
        assert_eq!(debian_version("0.1.0-rc.1"), "0.1.0~rc.1");
    }
}
