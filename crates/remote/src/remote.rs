//! A remote store as the rest of the program uses it: what is published of a repository, and where.

use std::{
    fmt,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use facts::ContentId;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use workspace::{PublishedCommit, PublishedIndexes, Unreadable};

use crate::{
    Bucket, CommitIndex, DiskCache, Manifest, Objects, Patience, Result, Secrecy, TeamKey,
    bucket::Traffic, commit::in_parallel, manifest::DEFAULT_REF, repository_name,
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
    /// All repositories, as listed last.
    names: Mutex<Option<(Instant, Vec<Box<str>>)>>,
    /// The names of repositories by the directories of their manifests: these never change.
    named: Mutex<FxHashMap<Box<str>, Box<str>>>,
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
const KEPT: usize = 64;
/// Manifests that are read at the same time.
const AT_ONCE: usize = 32;

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
            names: Mutex::default(),
            named: Mutex::default(),
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
        let is_recent = |known: &&KnownRef| is_it(known) && known.at.elapsed() < RECENT;
        if let Some(known) = self.known.lock().iter().find(is_recent) {
            return Ok(known.commit.clone());
        }
        let commit = match &self.manifest(repository, reference)? {
            None => None,
            // What was read of it stays in memory.
            Some(manifest) => match self.opened(manifest) {
                Some(opened) => Some(opened),
                None => CommitIndex::open(&self.objects, manifest)?.map(Arc::new),
            },
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

impl Remote {
    /// What a manifest names, if it is in memory under this or another name.
    fn opened(&self, manifest: &Manifest) -> Option<Arc<CommitIndex>> {
        let known = self.known.lock();
        let mut commits = known.iter().filter_map(|known| known.commit.as_ref());
        commits.find(|commit| commit.is_of(manifest)).cloned()
    }

    /// The names of all repositories of which something is published, in order.
    pub fn repositories(&self) -> Result<Vec<Box<str>>> {
        if let Some((at, names)) = &*self.names.lock()
            && at.elapsed() < RECENT
        {
            return Ok(names.clone());
        }
        let (bucket, secrecy) = (&self.objects.bucket, &self.objects.secrecy);
        let listed = bucket.list(&Manifest::all(secrecy))?;
        // Names of objects are hashes: one manifest of each repository tells its name.
        let mut places: Vec<&str> = Vec::new();
        let directory = |place: &str| place.rsplit_once('/').map(|(before, _)| before.to_owned());
        for object in &listed {
            if places.last().and_then(|last| directory(last)) != directory(&object.name) {
                places.push(&object.name);
            }
        }
        let known = self.named.lock().clone();
        let read = |place: &&str| -> Result<Option<Box<str>>> {
            let of = directory(place).unwrap_or_default();
            if let Some(name) = known.get(&*of) {
                return Ok(Some(name.clone()));
            }
            let (manifest, _) = Manifest::read(bucket, secrecy, place)?;
            let name = manifest.map(|manifest| manifest.repository);
            if let Some(name) = &name {
                self.named.lock().insert(of.into(), name.clone());
            }
            Ok(name)
        };
        let mut names = Vec::new();
        for some in places.chunks(AT_ONCE) {
            for name in in_parallel(some, read) {
                names.extend(name?);
            }
        }
        names.sort();
        names.dedup();
        *self.names.lock() = Some((Instant::now(), names.clone()));
        Ok(names)
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

    fn published_ref(
        &self,
        repository: &str,
        reference: Option<&str>,
    ) -> Result<Option<Arc<dyn PublishedCommit>>, Unreadable> {
        let found = self.find(repository, reference).map_err(unreadable)?;
        Ok(found.map(|commit| commit as Arc<dyn PublishedCommit>))
    }

    fn refs(&self, repository: &str) -> Result<Vec<(Box<str>, ContentId)>, Unreadable> {
        let manifests = self.manifests(repository).map_err(unreadable)?;
        let refs = manifests.into_iter().filter_map(|manifest| {
            let commit = manifest.commit()?;
            Some((manifest.reference, commit))
        });
        Ok(refs.collect())
    }

    fn repositories(&self) -> Result<Vec<Box<str>>, Unreadable> {
        Remote::repositories(self).map_err(unreadable)
    }
}

fn unreadable(error: crate::Error) -> Unreadable {
    tracing::warn!(%error, "the remote store");
    Unreadable
}
