//! What a binary is made for, and what it needs of the system it runs on.

use anyhow::ensure;

use crate::platform::{Platform, Processor, System};

/// Refuses a binary of another platform, which nobody could start.
pub fn ensure_made_for(platform: Platform, binary: &[u8]) -> anyhow::Result<()> {
    let found = made_for(binary);
    let triple = platform.triple();
    ensure!(
        found == Some((platform.system, platform.processor)),
        "the binary is not one for {triple}: its header says {found:?}"
    );
    Ok(())
}

/// From the headers of ELF, Mach-O and PE files.
fn made_for(binary: &[u8]) -> Option<(System, Processor)> {
    let u16_at = |at: usize| {
        let bytes = binary.get(at..at + 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    };
    let u32_at = |at: usize| {
        let bytes = binary.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    if binary.starts_with(b"\x7fELF") {
        let processor = match u16_at(18)? {
            0x3e => Processor::X86_64,
            0xb7 => Processor::Aarch64,
            _ => return None,
        };
        let system = match needed_glibc(binary) {
            Some(_) => System::LinuxGlibc,
            None => System::LinuxMusl,
        };
        Some((system, processor))
    } else if u32_at(0)? == 0xfeed_facf {
        match u32_at(4)? {
            0x0100_0007 => Some((System::MacOs, Processor::X86_64)),
            0x0100_000c => Some((System::MacOs, Processor::Aarch64)),
            _ => None,
        }
    } else if binary.starts_with(b"MZ") {
        let header = u32_at(0x3c)? as usize;
        match (binary.get(header..header + 4)?, u16_at(header + 4)?) {
            (b"PE\0\0", 0x8664) => Some((System::Windows, Processor::X86_64)),
            (b"PE\0\0", 0xaa64) => Some((System::Windows, Processor::Aarch64)),
            _ => None,
        }
    } else {
        None
    }
}

/// The minor version of glibc 2 that a binary needs at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlibcVersion(pub u32);

/// The highest `GLIBC_2.N` among the strings of a binary: its dynamic symbols name one each.
pub fn needed_glibc(binary: &[u8]) -> Option<GlibcVersion> {
    let prefix = b"\0GLIBC_2.";
    let starts = binary
        .windows(prefix.len())
        .enumerate()
        .filter(|(_, window)| window == prefix)
        .map(|(start, _)| start + prefix.len());
    let versions = starts.filter_map(|start| {
        let rest = &binary[start..];
        let minor = rest.split(|byte| matches!(byte, 0 | b'.')).next()?;
        str::from_utf8(minor).ok()?.parse().ok().map(GlibcVersion)
    });
    versions.max()
}

/// Whether the dynamic section names a library.
pub fn needs_library(binary: &[u8], name: &str) -> bool {
    let name = [b"\0", name.as_bytes(), b"\0"].concat();
    binary.windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(machine: u8, strings: &[u8]) -> Vec<u8> {
        let mut binary = b"\x7fELF".to_vec();
        binary.resize(64, 0);
        binary[18] = machine;
        binary.extend(strings);
        binary
    }

    #[test]
    fn a_binary_of_another_platform_is_refused() {
        let check = |triple: &str, binary: &[u8]| {
            ensure_made_for(triple.parse().unwrap(), binary).map_err(|error| error.to_string())
        };
        let glibc = elf(0x3e, b"\0GLIBC_2.31\0");
        assert_eq!(check("x86_64-unknown-linux-gnu", &glibc), Ok(()));
        assert_eq!(check("aarch64-unknown-linux-musl", &elf(0xb7, b"")), Ok(()));
        for triple in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-gnu"] {
            let error = check(triple, &glibc).unwrap_err();
            assert!(error.contains("(LinuxGlibc, X86_64)"), "{error}");
        }
        let mac = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
        assert_eq!(check("aarch64-apple-darwin", &mac), Ok(()));
        assert!(check("x86_64-apple-darwin", &mac).is_err());
        let mut windows = b"MZ".to_vec();
        windows.resize(0x3c, 0);
        windows.extend([0x40, 0, 0, 0]);
        windows.extend(b"PE\0\0\x64\x86");
        assert_eq!(check("x86_64-pc-windows-gnu", &windows), Ok(()));
        for damaged in [b"".as_slice(), b"#!/bin/sh\n", b"MZ", &windows[..0x42]] {
            assert!(check("x86_64-pc-windows-gnu", damaged).is_err());
        }
    }

    #[test]
    fn the_highest_version_counts() {
        let binary = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0libgcc_s.so.1\0 GLIBC_2.99 in a text";
        assert_eq!(needed_glibc(binary), Some(GlibcVersion(34)));
        assert_eq!(needed_glibc(b"static"), None);
        assert!(needs_library(binary, "libgcc_s.so.1"));
        assert!(!needs_library(binary, "libz.so.1"));
    }
}
