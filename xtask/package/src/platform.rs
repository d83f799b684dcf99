//! The platforms that packages are made for, and what each ecosystem calls them.

use std::str::FromStr;

use anyhow::{Context as _, bail};

use crate::binary::GlibcVersion;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    LinuxGlibc,
    LinuxMusl,
    MacOs,
    Windows,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    X86_64,
    Aarch64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageFormat {
    Archive,
    Wheel,
    Npm,
    Deb,
    Mcpb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    triple: &'static str,
    pub system: System,
    pub processor: Processor,
}

/// In the order of the table in `docs/packages.md`.
pub const PLATFORMS: &[Platform] = &[
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        system: System::LinuxGlibc,
        processor: Processor::X86_64,
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        system: System::LinuxGlibc,
        processor: Processor::Aarch64,
    },
    Platform {
        triple: "x86_64-unknown-linux-musl",
        system: System::LinuxMusl,
        processor: Processor::X86_64,
    },
    Platform {
        triple: "aarch64-unknown-linux-musl",
        system: System::LinuxMusl,
        processor: Processor::Aarch64,
    },
    Platform {
        triple: "x86_64-pc-windows-gnu",
        system: System::Windows,
        processor: Processor::X86_64,
    },
    Platform {
        triple: "x86_64-apple-darwin",
        system: System::MacOs,
        processor: Processor::X86_64,
    },
    Platform {
        triple: "aarch64-apple-darwin",
        system: System::MacOs,
        processor: Processor::Aarch64,
    },
];

impl Platform {
    pub fn triple(self) -> &'static str {
        self.triple
    }

    pub fn program_name(self) -> &'static str {
        match self.system {
            System::Windows => "codecompass.exe",
            _ => "codecompass",
        }
    }

    /// On Linux, npm packages and bundles have the static binary: one of them runs with any C
    /// library, and neither ecosystem can be relied upon to choose between two. A Debian package
    /// has the binary that shares the C library of the system.
    pub fn released_formats(self) -> Vec<PackageFormat> {
        use PackageFormat::*;
        match self.system {
            System::LinuxGlibc => vec![Archive, Wheel, Deb],
            System::LinuxMusl | System::MacOs | System::Windows => {
                vec![Archive, Wheel, Npm, Mcpb]
            }
        }
    }

    /// `process.platform` of Node.js, which MCP bundles use too.
    pub fn node_platform(self) -> &'static str {
        match self.system {
            System::LinuxGlibc | System::LinuxMusl => "linux",
            System::MacOs => "darwin",
            System::Windows => "win32",
        }
    }

    /// `process.arch` of Node.js.
    pub fn node_arch(self) -> &'static str {
        match self.processor {
            Processor::X86_64 => "x64",
            Processor::Aarch64 => "arm64",
        }
    }

    pub fn debian_architecture(self) -> &'static str {
        match self.processor {
            Processor::X86_64 => "amd64",
            Processor::Aarch64 => "arm64",
        }
    }

    /// The platform tag of a wheel. That of glibc names the oldest version that has all symbols
    /// which the binary needs; nothing older than 2.17 can run Rust programs.
    pub fn wheel_tag(self, glibc: Option<GlibcVersion>) -> anyhow::Result<String> {
        let processor = match (self.system, self.processor) {
            (_, Processor::X86_64) => "x86_64",
            (System::MacOs, Processor::Aarch64) => "arm64",
            (_, Processor::Aarch64) => "aarch64",
        };
        Ok(match self.system {
            System::LinuxGlibc => {
                let GlibcVersion(minor) =
                    glibc.context("the binary needs no glibc; is it one for musl?")?;
                format!("manylinux_2_{}_{processor}", minor.max(17))
            }
            System::LinuxMusl => format!("musllinux_1_2_{processor}"),
            // What Rust's targets require of the system.
            System::MacOs if self.processor == Processor::X86_64 => {
                format!("macosx_10_12_{processor}")
            }
            System::MacOs => format!("macosx_11_0_{processor}"),
            System::Windows => "win_amd64".to_owned(),
        })
    }
}

impl FromStr for Platform {
    type Err = anyhow::Error;

    fn from_str(triple: &str) -> anyhow::Result<Platform> {
        let platform = PLATFORMS
            .iter()
            .find(|platform| platform.triple == triple)
            .copied();
        platform.with_context(|| {
            let known: Vec<&str> = PLATFORMS.iter().map(|platform| platform.triple).collect();
            format!(
                "no packages are made for {triple}; there are {}",
                known.join(", ")
            )
        })
    }
}

impl FromStr for PackageFormat {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<PackageFormat> {
        Ok(match name {
            "archive" => PackageFormat::Archive,
            "wheel" => PackageFormat::Wheel,
            "npm" => PackageFormat::Npm,
            "deb" => PackageFormat::Deb,
            "mcpb" => PackageFormat::Mcpb,
            _ => bail!("no package format `{name}`; there are archive, wheel, npm, deb and mcpb"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_tags() {
        let tag = |triple: &str, glibc| {
            let platform: Platform = triple.parse().unwrap();
            platform.wheel_tag(glibc).unwrap()
        };
        let glibc_2_31 = Some(GlibcVersion(31));
        assert_eq!(
            tag("x86_64-unknown-linux-gnu", glibc_2_31),
            "manylinux_2_31_x86_64"
        );
        assert_eq!(
            tag("aarch64-unknown-linux-gnu", Some(GlibcVersion(4))),
            "manylinux_2_17_aarch64"
        );
        assert_eq!(
            tag("x86_64-unknown-linux-musl", None),
            "musllinux_1_2_x86_64"
        );
        assert_eq!(tag("aarch64-apple-darwin", None), "macosx_11_0_arm64");
        assert_eq!(tag("x86_64-apple-darwin", None), "macosx_10_12_x86_64");
        assert_eq!(tag("x86_64-pc-windows-gnu", None), "win_amd64");
    }

    #[test]
    fn an_unknown_platform_is_refused() {
        let error = "riscv64gc-unknown-linux-gnu"
            .parse::<Platform>()
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("there are x86_64-unknown-linux-gnu"),
            "{error}"
        );
    }
}
