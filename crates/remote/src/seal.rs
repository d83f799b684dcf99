//! How objects are named, sealed and opened.
//!
//! Every stored block is its payload and 16 bytes. Without a team key these are a checksum; with one
//! the payload is encrypted (ChaCha20-Poly1305) and they are its tag. Offsets are thus the same in
//! both cases. The key of an object is derived from its name, which is a keyed hash of its plain
//! bytes: equal packs of two publishers are equal byte for byte, and no nonce is used twice for
//! unequal bytes. Manifests change under one name: their nonce is random and stored with them.

use std::{fmt, fmt::Write as _};

use ring::{aead, hkdf, hmac};

use crate::{Error, Result};

/// Bytes that each block has beyond its payload.
pub const OVERHEAD: usize = 16;

/// What everybody who publishes to or reads from a prefix has in common.
#[derive(Clone, Default)]
pub struct Secrecy(Option<TeamKey>);

/// A secret that a team shares.
#[derive(Clone)]
pub struct TeamKey {
    naming: hmac::Key,
    sealing: hkdf::Prk,
    id: [u8; 8],
}

impl TeamKey {
    /// Anything shorter could be guessed.
    pub const MIN_LENGTH: usize = 32;

    pub fn new(secret: &str) -> Result<TeamKey> {
        let secret = secret.trim();
        if secret.len() < TeamKey::MIN_LENGTH {
            return Err(Error::ShortKey {
                length: secret.len(),
                least: TeamKey::MIN_LENGTH,
            });
        }
        let derive = |purpose: &[u8]| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
            hmac::sign(&key, purpose)
        };
        let mut id = [0; 8];
        id.copy_from_slice(&derive(b"codecompass key id").as_ref()[..8]);
        let naming = derive(b"codecompass names");
        let sealing = derive(b"codecompass objects");
        Ok(TeamKey {
            naming: hmac::Key::new(hmac::HMAC_SHA256, naming.as_ref()),
            sealing: hkdf::Salt::new(hkdf::HKDF_SHA256, b"codecompass-1").extract(sealing.as_ref()),
            id,
        })
    }
}

impl fmt::Debug for TeamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TeamKey({})", hex(&self.id))
    }
}

impl Secrecy {
    pub fn with_key(key: TeamKey) -> Secrecy {
        Secrecy(Some(key))
    }

    /// What the header of an object says about its key; zero where there is none.
    pub fn key_id(&self) -> [u8; 8] {
        self.0.as_ref().map_or([0; 8], |key| key.id)
    }

    /// Objects of different keys never mix: each key has a directory.
    pub fn directory(&self) -> String {
        match &self.0 {
            Some(key) => hex(&key.id),
            None => "plain".to_owned(),
        }
    }

    /// The name of something: it tells nothing to those without the key.
    pub fn name(&self, kind: &str, of: &[u8]) -> String {
        let kind_and_what = [kind.as_bytes(), b"\0", of].concat();
        match &self.0 {
            Some(key) => hex(&hmac::sign(&key.naming, &kind_and_what).as_ref()[..20]),
            None => hex(&blake3::hash(&kind_and_what).as_bytes()[..20]),
        }
    }

    /// For the blocks of one object.
    pub fn object(&self, name: &str) -> ObjectSeal {
        ObjectSeal(self.0.as_ref().map(|key| {
            let info = [&b"object\0"[..], name.as_bytes()];
            let derived = key
                .sealing
                .expand(&info, &aead::CHACHA20_POLY1305)
                .expect("a key of 32 bytes");
            aead::LessSafeKey::new(aead::UnboundKey::from(derived))
        }))
    }
}

/// Seals and opens the blocks of one object.
pub struct ObjectSeal(Option<aead::LessSafeKey>);

impl ObjectSeal {
    /// `at` is where the block begins in the object.
    pub fn seal(&self, at: u64, payload: Vec<u8>) -> Vec<u8> {
        self.seal_with(nonce(at), at, payload)
    }

    /// The payload of a block; `None` if it is not what was sealed there.
    pub fn open(&self, at: u64, stored: &[u8]) -> Option<Vec<u8>> {
        self.open_with(nonce(at), at, stored)
    }

    /// Seals an object that changes under its name: 12 bytes of nonce, then one block.
    pub fn seal_whole(&self, payload: Vec<u8>) -> Result<Vec<u8>> {
        let mut nonce = [0; aead::NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|error| Error::Failed(error.to_string()))?;
        let mut sealed = nonce.to_vec();
        sealed.extend(self.seal_with(nonce, 0, payload));
        Ok(sealed)
    }

    pub fn open_whole(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, block) = sealed.split_first_chunk::<{ aead::NONCE_LEN }>()?;
        self.open_with(*nonce, 0, block)
    }

    fn seal_with(&self, nonce: [u8; aead::NONCE_LEN], at: u64, mut payload: Vec<u8>) -> Vec<u8> {
        match &self.0 {
            Some(key) => {
                let nonce = aead::Nonce::assume_unique_for_key(nonce);
                let tag = key
                    .seal_in_place_separate_tag(nonce, aead::Aad::empty(), &mut payload)
                    .expect("a block is far shorter than the limit");
                payload.extend_from_slice(tag.as_ref());
            }
            None => {
                let sum = checksum(at, &payload);
                payload.extend_from_slice(&sum);
            }
        }
        payload
    }

    fn open_with(&self, nonce: [u8; aead::NONCE_LEN], at: u64, stored: &[u8]) -> Option<Vec<u8>> {
        match &self.0 {
            Some(key) => {
                let mut bytes = stored.to_vec();
                let nonce = aead::Nonce::assume_unique_for_key(nonce);
                let length = key
                    .open_in_place(nonce, aead::Aad::empty(), &mut bytes)
                    .ok()?
                    .len();
                bytes.truncate(length);
                Some(bytes)
            }
            None => {
                let (payload, sum) =
                    stored.split_at_checked(stored.len().checked_sub(OVERHEAD)?)?;
                (checksum(at, payload) == *sum).then(|| payload.to_vec())
            }
        }
    }
}

fn nonce(at: u64) -> [u8; aead::NONCE_LEN] {
    let mut nonce = [0; aead::NONCE_LEN];
    nonce[..8].copy_from_slice(&at.to_le_bytes());
    nonce
}

fn checksum(at: u64, payload: &[u8]) -> [u8; OVERHEAD] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&at.to_le_bytes());
    hasher.update(payload);
    let mut sum = [0; OVERHEAD];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..OVERHEAD]);
    sum
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_opens_where_it_was_sealed_and_nowhere_else() {
        let key = |text: &str| Secrecy::with_key(TeamKey::new(text).unwrap());
        let (one, two) = (key(&"1".repeat(32)), key(&"2".repeat(32)));
        for secrecy in [&Secrecy::default(), &one] {
            let seal = secrecy.object("name");
            let stored = seal.seal(7, b"payload".to_vec());
            assert_eq!(stored.len(), 7 + OVERHEAD);
            assert_eq!(
                stored,
                seal.seal(7, b"payload".to_vec()),
                "equal packs are equal"
            );
            assert_eq!(seal.open(7, &stored).as_deref(), Some(&b"payload"[..]));
            assert_eq!(seal.open(8, &stored), None);
            assert_eq!(two.object("name").open(7, &stored), None);
            for i in 0..stored.len() {
                let mut damaged = stored.clone();
                damaged[i] ^= 1;
                assert_eq!(seal.open(7, &damaged), None);
            }
            let whole = seal.seal_whole(b"manifest".to_vec()).unwrap();
            assert_ne!(whole, seal.seal_whole(b"manifest".to_vec()).unwrap());
            assert_eq!(seal.open_whole(&whole).as_deref(), Some(&b"manifest"[..]));
        }
        assert_eq!(
            one.object("other")
                .open(7, &one.object("name").seal(7, vec![1])),
            None
        );
    }

    #[test]
    fn names_need_the_key() {
        let key = Secrecy::with_key(TeamKey::new(&"k".repeat(32)).unwrap());
        let plain = Secrecy::default();
        assert_ne!(key.name("ref", b"main"), plain.name("ref", b"main"));
        assert_ne!(key.name("ref", b"main"), key.name("repository", b"main"));
        assert_ne!(key.directory(), plain.directory());
        assert!(matches!(TeamKey::new("short"), Err(Error::ShortKey { .. })));
    }
}
