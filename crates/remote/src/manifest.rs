//! A manifest: the one object that changes. It names the tree of a ref of a repository.

use bytes::Bytes;
use facts::ContentId;
use serde::{Deserialize, Serialize};

use crate::{
    Bucket, Error, Result, Secrecy,
    bucket::{FOLDER, ObjectVersion},
};

/// 1: first version.
const FORMAT: u32 = 1;
const MAGIC: &[u8; 16] = b"codecompass-man1";
const HEADER: usize = 24;

/// The ref that is meant where none is named.
pub(crate) const DEFAULT_REF: &str = "HEAD";

/// What is published of a ref.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// As in [`crate::repository_name`].
    pub repository: Box<str>,
    /// The branch, tag or name that was published.
    #[serde(rename = "ref")]
    pub reference: Box<str>,
    commit: Box<str>,
    /// The name of the tree's object.
    pub tree: Box<str>,
    /// By which extractors and rules the facts were made.
    pub extractors: Box<str>,
    /// Milliseconds since 1970, by the publisher's clock: to be shown, and compared with nothing.
    pub published: u64,
}

impl Manifest {
    pub fn new(repository: &str, reference: &str, commit: &ContentId, tree: &str) -> Manifest {
        Manifest {
            format: FORMAT,
            repository: repository.into(),
            reference: reference.into(),
            commit: commit.to_string().into(),
            tree: tree.into(),
            extractors: workspace::extractor_versions().into(),
            published: store::now_ms().max(0) as u64,
        }
    }

    pub fn commit(&self) -> Option<ContentId> {
        ContentId::from_hex(&self.commit)
    }

    /// Where the manifest of a ref is.
    pub(crate) fn place(secrecy: &Secrecy, repository: &str, reference: &str) -> String {
        let named = format!("{repository}\0{reference}");
        let of_ref = secrecy.name("ref", named.as_bytes());
        format!("{}/{of_ref}", Manifest::directory(secrecy, repository))
    }

    /// Where all manifests of a repository are.
    pub(crate) fn directory(secrecy: &Secrecy, repository: &str) -> String {
        let of_repository = secrecy.name("repository", repository.as_bytes());
        format!("{}/{of_repository}", Manifest::all(secrecy))
    }

    /// Where all manifests are.
    pub(crate) fn all(secrecy: &Secrecy) -> String {
        format!("{FOLDER}/{}/refs", secrecy.directory())
    }

    /// The manifest at a place, and the version of the object, each if there is one. One that is
    /// damaged counts as absent, and can be replaced.
    pub(crate) fn read(
        bucket: &Bucket,
        secrecy: &Secrecy,
        place: &str,
    ) -> Result<(Option<Manifest>, Option<ObjectVersion>)> {
        let Some((object, version)) = bucket.get(place)? else {
            return Ok((None, None));
        };
        let opened = object.strip_prefix(MAGIC).and_then(|rest| rest.get(8..));
        let payload = opened.and_then(|sealed| secrecy.object(place).open_whole(sealed));
        let manifest = payload.and_then(|json| serde_json::from_slice::<Manifest>(&json).ok());
        match &manifest {
            Some(manifest) if manifest.format > FORMAT => {
                return Err(Error::Newer(place.to_owned()));
            }
            Some(_) => {}
            None => bucket.gave_wrong_bytes(place),
        }
        Ok((manifest, Some(version)))
    }

    /// Replaces what was read, or fails with [`Error::Conflict`].
    pub(crate) fn write(
        &self,
        bucket: &Bucket,
        secrecy: &Secrecy,
        place: &str,
        read: Option<&ObjectVersion>,
    ) -> Result<()> {
        let json = serde_json::to_vec(self).map_err(|error| Error::Failed(error.to_string()))?;
        let mut object = Vec::with_capacity(HEADER + json.len() + 32);
        object.extend_from_slice(MAGIC);
        object.extend_from_slice(&secrecy.key_id());
        object.extend(secrecy.object(place).seal_whole(json)?);
        bucket.replace(place, Bytes::from(object), read)
    }
}
