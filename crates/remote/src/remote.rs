//! A remote store as the rest of the program uses it: what is published of a repository, and where.

use std::{
    fmt,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use facts::ContentId;
use moka::sync::Cache;
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
    /// Manifests that were read, by place.
    manifests: Mutex<FxHashMap<Box<str>, KnownManifest>>,
    /// What manifests name, opened.
    commits: Cache<CommitKey, Arc<CommitIndex>>,
    /// All manifests, as listed last.
    listing: Mutex<Option<Arc<Listing>>>,
    /// The names of repositories by the directories of their manifests: these never change.
    named: Mutex<FxHashMap<Box<str>, Box<str>>>,
}

struct KnownManifest {
    at: Instant,
    /// The version that the last listing before it was read showed: if the next one shows the same,
    /// the manifest need not be read again.
    version: Option<Box<str>>,
    manifest: Option<Arc<Manifest>>,
}

/// Tree, ref and commit: what a manifest says of an index.
type CommitKey = (Box<str>, Box<str>, Option<ContentId>);

struct Listing {
    at: Instant,
    /// How long it is taken for what is there.
    recent: Duration,
    /// Versions by place.
    versions: FxHashMap<Box<str>, Box<str>>,
    /// The names of all repositories, in order.
    repositories: Vec<Box<str>>,
}

/// For this long a manifest is not read again.
const RECENT: Duration = Duration::from_secs(10);
/// And all manifests are not listed again for this many times as long as it took: a bucket with very
/// many repositories would otherwise be listed all the time.
const LISTING_SHARE: u32 = 20;
/// Manifests that stay in memory.
const KEPT_MANIFESTS: usize = 200_000;
/// Bytes of opened commits that stay in memory, about.
const KEPT_COMMITS: u64 = 192 << 20;
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
            manifests: Mutex::default(),
            commits: Cache::builder()
                .max_capacity(KEPT_COMMITS)
                .weigher(|_, commit: &Arc<CommitIndex>| commit.weight())
                .build(),
            listing: Mutex::default(),
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
        let secrecy = &self.objects.secrecy;
        let place = Manifest::place(secrecy, repository, reference.unwrap_or(DEFAULT_REF));
        let manifest = match self.known_manifest(&place) {
            Some(manifest) => manifest,
            None => {
                let listing = self.listing.lock().clone();
                let version = listing.and_then(|listing| listing.versions.get(&*place).cloned());
                self.read_manifest(&place, version)?
            }
        };
        let Some(manifest) = manifest else {
            return Ok(None);
        };
        let key: CommitKey = (
            manifest.tree.clone(),
            manifest.reference.clone(),
            manifest.commit(),
        );
        // What was read of it stays in memory.
        if let Some(opened) = self.commits.get(&key) {
            return Ok(Some(opened));
        }
        let opened = CommitIndex::open(&self.objects, &manifest)?.map(Arc::new);
        if let Some(commit) = &opened {
            self.commits.insert(key, commit.clone());
        }
        Ok(opened)
    }
}

impl Remote {
    /// What is known of the manifest at a place, unless it must be read again.
    fn known_manifest(&self, place: &str) -> Option<Option<Arc<Manifest>>> {
        let listing = self.listing.lock().clone();
        let manifests = self.manifests.lock();
        let known = manifests.get(place)?;
        let is_listed = |listing: &Arc<Listing>| {
            let version = listing.versions.get(place);
            listing.at.elapsed() < listing.recent
                && version.is_some()
                && version == known.version.as_ref()
        };
        let is_recent = known.at.elapsed() < RECENT || listing.as_ref().is_some_and(is_listed);
        is_recent.then(|| known.manifest.clone())
    }

    /// Reads the manifest at a place, of which the last listing showed a version.
    fn read_manifest(
        &self,
        place: &str,
        version: Option<Box<str>>,
    ) -> Result<Option<Arc<Manifest>>> {
        let (manifest, _) = Manifest::read(&self.objects.bucket, &self.objects.secrecy, place)?;
        let manifest = manifest.map(Arc::new);
        let mut manifests = self.manifests.lock();
        if manifests.len() >= KEPT_MANIFESTS {
            manifests.clear();
        }
        let known = KnownManifest {
            at: Instant::now(),
            version,
            manifest: manifest.clone(),
        };
        manifests.insert(place.into(), known);
        Ok(manifest)
    }

    /// The names of all repositories of which something is published, in order.
    pub fn repositories(&self) -> Result<Vec<Box<str>>> {
        let listing = self.listing.lock().clone();
        if let Some(listing) = listing.filter(|listing| listing.at.elapsed() < listing.recent) {
            return Ok(listing.repositories.clone());
        }
        let at = Instant::now();
        let listed = self
            .objects
            .bucket
            .list(&Manifest::all(&self.objects.secrecy))?;
        let recent = RECENT.max(at.elapsed() * LISTING_SHARE);
        // Names of objects are hashes: one manifest of each repository tells its name.
        let mut places: Vec<&str> = Vec::new();
        let directory = |place: &str| place.rsplit_once('/').map(|(before, _)| before.to_owned());
        for object in &listed {
            if places.last().and_then(|last| directory(last)) != directory(&object.name) {
                places.push(&object.name);
            }
        }
        let versions = listed.iter().filter_map(|object| {
            let version = object.version.clone()?;
            Some((object.name.clone(), version))
        });
        let versions: FxHashMap<Box<str>, Box<str>> = versions.collect();
        let known = self.named.lock().clone();
        let read = |place: &&str| -> Result<Option<Box<str>>> {
            let of = directory(place).unwrap_or_default();
            if let Some(name) = known.get(&*of) {
                return Ok(Some(name.clone()));
            }
            let version = versions.get(*place).cloned();
            let manifest = self.read_manifest(place, version)?;
            let name = manifest.map(|manifest| manifest.repository.clone());
            if let Some(name) = &name {
                self.named.lock().insert(of.into(), name.clone());
            }
            Ok(name)
        };
        let mut repositories = Vec::new();
        for some in places.chunks(AT_ONCE) {
            for name in in_parallel(some, read) {
                repositories.extend(name?);
            }
        }
        repositories.sort();
        repositories.dedup();
        *self.listing.lock() = Some(Arc::new(Listing {
            at,
            recent,
            versions,
            repositories: repositories.clone(),
        }));
        Ok(repositories)
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
