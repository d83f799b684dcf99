//! `cargo xtask package`: packs a binary into the files that a release consists of.

mod archive;
mod binary;
mod bundle;
mod contents;
mod debian;
mod deflate;
mod licences;
mod npm;
mod platform;
mod product;
mod release;
mod wheel;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context as _, bail, ensure};

use contents::PackageContents;
use platform::{PackageFormat, Platform};
use product::Product;

const USAGE: &str = "\
usage: cargo xtask package [--target TRIPLE] [--binary PATH] [--runs-here PATH] [--only FORMAT,...] [--out DIR]
         packs a release build of codecompass for TRIPLE (this machine's unless given) into target/packages/
         --binary     packs this binary instead of building one
         --runs-here  a codecompass of the same version that runs on this machine, for the manual pages
                      and completions; needed where the packed binary does not
         --only       archive, wheel, npm, deb or mcpb, instead of those that are released for TRIPLE
         --out        writes into DIR instead of target/packages/
       cargo xtask package --finish [--out DIR]
         writes what names the packages in the directory: SHA256SUMS, codecompass.rb and server.json";

fn main() -> ExitCode {
    let done = parse(env::args().skip(1)).and_then(run);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Order {
    target: Option<String>,
    binary: Option<PathBuf>,
    runs_here: Option<PathBuf>,
    formats: Option<Vec<PackageFormat>>,
    out: Option<PathBuf>,
    is_finish: bool,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Order> {
    let mut order = Order::default();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .with_context(|| format!("{argument} needs a value\n{USAGE}"))
        };
        match argument.as_str() {
            "--target" => order.target = Some(value()?),
            "--binary" => order.binary = Some(value()?.into()),
            "--runs-here" => order.runs_here = Some(value()?.into()),
            "--only" => {
                let formats = value()?
                    .split(',')
                    .map(str::parse)
                    .collect::<Result<_, _>>()?;
                order.formats = Some(formats);
            }
            "--out" => order.out = Some(value()?.into()),
            "--finish" => order.is_finish = true,
            "--help" | "-h" => bail!(USAGE),
            other => bail!("unknown argument {other}\n{USAGE}"),
        }
    }
    let is_about_one = order.target.is_some()
        || order.binary.is_some()
        || order.runs_here.is_some()
        || order.formats.is_some();
    ensure!(
        !(order.is_finish && is_about_one),
        "--finish goes with --out only\n{USAGE}"
    );
    Ok(order)
}

fn run(order: Order) -> anyhow::Result<()> {
    let product = Product::read()?;
    let out = order
        .out
        .unwrap_or_else(|| product.target_directory.join("packages"));
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    if order.is_finish {
        return release::finish(&product, &out);
    }
    let host = host_triple()?;
    let platform: Platform = order.target.as_deref().unwrap_or(&host).parse()?;
    let binary = match order.binary {
        Some(path) => path,
        None => build(&product, platform)?,
    };
    let runs_here = match order.runs_here {
        Some(path) => path,
        None if platform.triple() == host => binary.clone(),
        None => bail!(
            "{} does not run here: name a codecompass that does with --runs-here",
            binary.display()
        ),
    };
    let contents = PackageContents::collect(&product, platform, &binary, &runs_here)?;
    let formats = order.formats.unwrap_or_else(|| platform.released_formats());
    for format in formats {
        let files = match format {
            PackageFormat::Archive => vec![archive::pack(&product, platform, &contents)?],
            PackageFormat::Wheel => vec![wheel::pack(&product, platform, &contents)?],
            PackageFormat::Npm => npm::pack(&product, platform, &contents)?,
            PackageFormat::Deb => vec![debian::pack(&product, platform, &contents)?],
            PackageFormat::Mcpb => vec![bundle::pack(&product, platform, &contents)?],
        };
        for (name, bytes) in files {
            let path = out.join(&name);
            fs::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
            println!("{:>6.1} MB  {}", bytes.len() as f64 / 1e6, path.display());
        }
    }
    Ok(())
}

fn host_triple() -> anyhow::Result<String> {
    let output = Command::new("rustc")
        .args(["--print", "host-tuple"])
        .output()
        .context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc --print host-tuple failed");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// A release build by cargo. Linkers for other systems are up to the environment.
fn build(product: &Product, platform: Platform) -> anyhow::Result<PathBuf> {
    let triple = platform.triple();
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--package", "codecompass"])
        .args(["--target", triple])
        .current_dir(&product.root)
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "the build for {triple} failed");
    let built = Path::new(triple)
        .join("release")
        .join(platform.program_name());
    Ok(product.target_directory.join(built))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Order> {
        super::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments() {
        assert_eq!(parse("").unwrap(), Order::default());
        let order = parse("--target a --binary b --runs-here c --only wheel,npm --out d").unwrap();
        let expected = Order {
            target: Some("a".to_owned()),
            binary: Some("b".into()),
            runs_here: Some("c".into()),
            formats: Some(vec![PackageFormat::Wheel, PackageFormat::Npm]),
            out: Some("d".into()),
            is_finish: false,
        };
        assert_eq!(order, expected);
        assert!(parse("--finish --out d").unwrap().is_finish);
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (line, part) in [
            ("--target", "--target needs a value"),
            ("--frobnicate", "unknown argument --frobnicate"),
            ("--only rpm", "no package format `rpm`"),
            ("--finish --binary b", "--finish goes with --out only"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
