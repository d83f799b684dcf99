//! A remote store as the rest of the program uses it: what is published of a repository, and where.

use std::{
    fmt,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use workspace::{PublishedCommit, PublishedIndexes};

use crate::{
    Bucket, CommitIndex, DiskCache, Manifest, Objects, Patience, Result, Secrecy, TeamKey,
    bucket::Traffic, manifest::DEFAULT_REF, repository_name,
};

/// How a remote store is reached.
#[derive(Clone, Default)]
pub struct RemoteOptions {
    /// `s3://bucket/prefix`, `gs://`, `az://` or `file:///directory`.
    pub url: String,
    /// What a team shares to keep its objects secret.
    pub team_key: Option<String>,
    /// The name of every repository; absent where each has that of its origin.
    pub repository: Option<String>,
    /// Where ranges that were read are kept; nowhere if absent.
    pub cache: Option<PathBuf>,
    /// Bytes of that cache.
    pub cache_size: u64,
}

/// A remote store.
pub struct Remote {
    pub(crate) objects: Arc<Objects>,
    repository: Option<String>,
    url: String,
    /// What was looked up last, by repository and ref.
    known: Mutex<Vec<KnownRef>>,
}

struct KnownRef {
    at: Instant,
    repository: Box<str>,
    reference: Box<str>,
    commit: Option<Arc<CommitIndex>>,
}

/// For this long a manifest is not read again.
const RECENT: Duration = Duration::from_secs(10);
/// Refs whose trees stay in memory.
const KEPT: usize = 32;

impl Remote {
    pub fn open(options: &RemoteOptions, patience: Patience) -> Result<Remote> {
        let mut bucket = Bucket::open(&options.url, patience)?;
        let secrecy = match &options.team_key {
            Some(key) => Secrecy::with_key(TeamKey::new(key)?),
            None => Secrecy::default(),
        };
        let disk = options.cache.as_ref().and_then(|directory| {
            let cache = DiskCache::open(directory, options.cache_size);
            cache
                .inspect_err(|error| tracing::warn!(%error, "what is read from the remote store is not cached"))
                .ok()
        });
        // A command whose purpose is the store asks it in any case.
        let is_asked_anyway = patience.retries >= Patience::PUBLISHING.retries;
        if let Some(directory) = options.cache.as_ref().filter(|_| !is_asked_anyway) {
            let name = blake3::hash(options.url.as_bytes()).to_hex();
            bucket.keep_health(directory.join(format!("resting-{}", &name[..16])));
        }
        let mut remote = Remote::with_objects(Objects::new(bucket, secrecy, disk));
        remote.repository = options.repository.clone();
        remote.url = options.url.clone();
        Ok(remote)
    }

    /// For tests: objects of any bucket.
    pub fn with_objects(objects: Objects) -> Remote {
        Remote {
            objects: Arc::new(objects),
            repository: None,
            url: String::new(),
            known: Mutex::default(),
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the store was asked for so far.
    pub fn traffic(&self) -> Traffic {
        self.objects.bucket.traffic()
    }

    /// The name of the repository that was cloned from an address.
    pub fn name_of(&self, address: &str) -> String {
        match &self.repository {
            Some(name) => name.clone(),
            None => repository_name(address),
        }
    }

    /// The manifest of a ref, of the default ref where none is named.
    pub fn manifest(&self, repository: &str, reference: Option<&str>) -> Result<Option<Manifest>> {
        let secrecy = &self.objects.secrecy;
        let place = Manifest::place(secrecy, repository, reference.unwrap_or(DEFAULT_REF));
        Ok(Manifest::read(&self.objects.bucket, secrecy, &place)?.0)
    }

    /// What is published of a repository, by ref; one that is the default comes once.
    pub fn manifests(&self, repository: &str) -> Result<Vec<Manifest>> {
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        let mut manifests = Vec::new();
        for listed in bucket.list(&Manifest::directory(secrecy, repository))? {
            let (manifest, _) = Manifest::read(bucket, secrecy, &listed.name)?;
            // The default is the manifest of another ref once more.
            let is_own = |manifest: &Manifest| {
                *listed.name == *Manifest::place(secrecy, repository, &manifest.reference)
            };
            manifests.extend(manifest.filter(is_own));
        }
        manifests.sort_by(|a, b| a.reference.cmp(&b.reference));
        Ok(manifests)
    }

    /// The published commit of a ref, of the default ref where none is named.
    pub fn find(
        &self,
        repository: &str,
        reference: Option<&str>,
    ) -> Result<Option<Arc<CommitIndex>>> {
        let key = reference.unwrap_or(DEFAULT_REF);
        let is_it = |known: &KnownRef| *known.repository == *repository && *known.reference == *key;
        let former = {
            let known = self.known.lock();
            let former = known.iter().find(|known| is_it(known));
            if let Some(former) = former.filter(|former| former.at.elapsed() < RECENT) {
                return Ok(former.commit.clone());
            }
            former.and_then(|former| former.commit.clone())
        };
        let manifest = self.manifest(repository, reference)?;
        let commit = match (&manifest, former) {
            (None, _) => None,
            // What was read of it stays in memory.
            (Some(manifest), Some(former)) if former.is_of(manifest) => Some(former),
            (Some(manifest), _) => CommitIndex::open(&self.objects, manifest)?.map(Arc::new),
        };
        let mut known = self.known.lock();
        known.retain(|known| !is_it(known));
        known.push(KnownRef {
            at: Instant::now(),
            repository: repository.into(),
            reference: key.into(),
            commit: commit.clone(),
        });
        if known.len() > KEPT {
            known.remove(0);
        }
        Ok(commit)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.url)
    }
}

impl PublishedIndexes for Remote {
    fn commit(&self, address: &str, reference: Option<&str>) -> Option<Arc<dyn PublishedCommit>> {
        match self.find(&self.name_of(address), reference) {
            Ok(commit) => Some(commit?),
            Err(error) => {
                tracing::debug!(%error, "nothing published is read");
                None
            }
        }
    }
}
