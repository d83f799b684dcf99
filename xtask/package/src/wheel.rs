//! Python wheels: the binary as a script, as maturin packs `bindings = "bin"`. Written directly,
//! since maturin would build the binary again and a wheel is a zip with three files about itself.

use std::fmt::Write as _;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use crate::{
    archive,
    binary::needed_glibc,
    contents::{PackageContents, PackedFile},
    platform::Platform,
    product::{NAME, Product, SUMMARY},
};

/// `codecompass-VERSION-py3-none-PLATFORM.whl`
pub fn pack(
    product: &Product,
    platform: Platform,
    contents: &PackageContents,
) -> anyhow::Result<(String, Vec<u8>)> {
    let version = python_version(&product.version);
    let tag = format!(
        "py3-none-{}",
        platform.wheel_tag(needed_glibc(contents.program.bytes()))?
    );
    let stem = format!("{NAME}-{version}");
    let program = &contents.program;
    let mut files = vec![program.at(format!("{stem}.data/scripts/{}", program.path))];
    let about = format!("{stem}.dist-info");
    for licence in &contents.licences {
        files.push(licence.at(format!("{about}/licenses/{}", licence.path)));
    }
    let names: Vec<&str> = contents
        .licences
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    let metadata = metadata(product, &version, &names)?;
    files.push(PackedFile::new(format!("{about}/METADATA"), metadata));
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: codecompass ({})\nRoot-Is-Purelib: false\nTag: {tag}\n",
        product.version
    );
    files.push(PackedFile::new(format!("{about}/WHEEL"), wheel));
    files.push(record(&files, &format!("{about}/RECORD")));
    Ok((format!("{stem}-{tag}.whl"), archive::zip(&files)?))
}

fn metadata(product: &Product, version: &str, licences: &[&str]) -> anyhow::Result<String> {
    let Product {
        licence,
        repository,
        mcp_name,
        ..
    } = product;
    let mut text = format!(
        "Metadata-Version: 2.4\n\
         Name: {NAME}\n\
         Version: {version}\n\
         Summary: {SUMMARY}\n\
         License-Expression: {licence}\n"
    );
    for name in licences {
        writeln!(text, "License-File: {name}")?;
    }
    write!(
        text,
        "Project-URL: Repository, {repository}\n\
         Requires-Python: >=3.8\n\
         Description-Content-Type: text/markdown; charset=UTF-8\n\
         \n{}\n<!-- mcp-name: {mcp_name} -->\n",
        product.readme()?
    )?;
    Ok(text)
}

/// Every file with its digest; only the record itself has none.
fn record(files: &[PackedFile], path: &str) -> PackedFile {
    let mut text = String::new();
    for file in files {
        let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(file.bytes()));
        text += &format!("{},sha256={digest},{}\n", file.path, file.bytes().len());
    }
    text += &format!("{path},,\n");
    PackedFile::new(path, text)
}

/// PEP 440 writes pre-releases without separators: `0.1.0-rc.1` is `0.1.0rc1`.
fn python_version(version: &str) -> String {
    let (release, pre) = version.split_once('-').unwrap_or((version, ""));
    let pre = pre
        .replace("alpha", "a")
        .replace("beta", "b")
        .replace('.', "");
    format!("{release}{pre}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_python() {
        assert_eq!(python_version("0.1.0"), "0.1.0");
        assert_eq!(python_version("0.1.0-rc.1"), "0.1.0rc1");
        assert_eq!(python_version("1.0.0-alpha.2"), "1.0.0a2");
    }

    #[test]
    fn the_record_lists_every_file() {
        let record = record(&[PackedFile::new("a", "text")], "x/RECORD");
        assert_eq!(
            str::from_utf8(record.bytes()).unwrap(),
            "a,sha256=mC2ePrmW9VnmM_TRlN7zdh2Qn1o7ZH0ahR_q1nwyydE,4\nx/RECORD,,\n"
        );
    }
}
