//! Names of contents: which bytes, which facts were made of them, and their number in a store.

use std::fmt;

use bitcode::{Decode, Encode};

/// The git blob id of the exact bytes, SHA-1 or SHA-256 as the repository has it.
///
/// A SHA-1 id fills the first 20 bytes and leaves the others zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct ContentId([u8; 32]);

impl ContentId {
    /// Takes the 20 bytes of a SHA-1 id or the 32 bytes of a SHA-256 id.
    pub fn from_bytes(bytes: &[u8]) -> Option<ContentId> {
        let mut id = [0; 32];
        match bytes.len() {
            20 | 32 => id[..bytes.len()].copy_from_slice(bytes),
            _ => return None,
        }
        Some(ContentId(id))
    }

    pub fn from_hex(hex: &str) -> Option<ContentId> {
        if !hex.is_ascii() || !matches!(hex.len(), 40 | 64) {
            return None;
        }
        let mut bytes = Vec::with_capacity(32);
        for i in (0..hex.len()).step_by(2) {
            bytes.push(u8::from_str_radix(&hex[i..i + 2], 16).ok()?);
        }
        ContentId::from_bytes(&bytes)
    }

    /// The id's own bytes: 20 for SHA-1, 32 for SHA-256.
    pub fn as_bytes(&self) -> &[u8] {
        // A SHA-256 id whose last 12 bytes are zero is one in 2^96.
        if self.0[20..].iter().all(|&byte| byte == 0) {
            &self.0[..20]
        } else {
            &self.0
        }
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A language, as it is written to disk. Numbers are never reused; `extract` holds the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct LanguageId(pub u16);

/// Equal ids mean equal facts: the text, the language it was read as, and the version of its
/// extractor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct FactsId {
    pub content: ContentId,
    pub language: LanguageId,
    pub extractor_version: u32,
}

/// A content in one language by one extractor, as a store counts them. Numbers rise in the order of
/// publication and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentNumber(pub u32);

impl ContentNumber {
    /// Numbers from here on belong to unsaved files of one request. No store counts this far.
    pub const FIRST_UNSAVED: ContentNumber = ContentNumber(0x8000_0000);

    pub fn is_unsaved(self) -> bool {
        self >= ContentNumber::FIRST_UNSAVED
    }
}
