//! Objects by name, read and written within a bounded time.
//!
//! The program is synchronous and `object_store` is not: requests run on threads of their own, and
//! the caller waits for them, never longer than its patience.

use std::{
    io,
    ops::Range,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::{
    ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig, UpdateVersion,
    aws::AmazonS3Builder, azure::MicrosoftAzureBuilder, gcp::GoogleCloudStorageBuilder,
    memory::InMemory, path::Path,
};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::{
    Error, Result,
    directory::{Directory, Expected},
    health::Health,
    http::RustlsConnector,
    seal::hex,
};

/// How long a store may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For one request, with its retries.
    pub request: Duration,
    /// For one more mebibyte.
    pub mebibyte: Duration,
    pub retries: usize,
}

impl Patience {
    /// Someone waits for an answer that can be had without the store.
    pub const ASKING: Patience = Patience {
        request: Duration::from_millis(2500),
        mebibyte: Duration::from_millis(250),
        retries: 1,
    };
    /// A job whose purpose is the store.
    pub const PUBLISHING: Patience = Patience {
        request: Duration::from_secs(30),
        mebibyte: Duration::from_secs(2),
        retries: 6,
    };

    fn for_bytes(&self, n_bytes: u64) -> Duration {
        self.request + self.mebibyte * u32::try_from(n_bytes >> 20).unwrap_or(u32::MAX)
    }
}

/// A prefix of an object store.
pub struct Bucket {
    backend: Backend,
    patience: Patience,
    health: Health,
    n_requests: AtomicU64,
    n_bytes_read: AtomicU64,
    n_bytes_written: AtomicU64,
}

/// What keeps the objects.
#[derive(Clone)]
enum Backend {
    /// Below a prefix.
    Store(Arc<dyn ObjectStore>, Path),
    Directory(Arc<Directory>),
}

/// What a bucket was asked for so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub requests: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// Which version of an object was read; to replace that one and no other.
#[derive(Clone, Debug)]
pub struct ObjectVersion {
    /// As the store calls it; absent for a directory.
    known: Option<UpdateVersion>,
    hash: blake3::Hash,
}

/// An object as a listing shows it.
#[derive(Clone, Debug)]
pub struct ListedObject {
    /// Below the prefix.
    pub name: Box<str>,
    pub size: u64,
    /// By the clock of the store.
    pub modified: SystemTime,
    /// Another one for every object that was ever here under this name; absent where the store has
    /// no such thing.
    pub version: Option<Box<str>>,
}

/// Requests at the same time.
const PARALLEL: usize = 24;

impl Bucket {
    /// `s3://bucket/prefix`, `gs://`, `az://` or `file:///directory`. Credentials, region and
    /// endpoint come from the environment, as the `object_store` crate reads it.
    pub fn open(address: &str, patience: Patience) -> Result<Bucket> {
        let wrong = |why: String| Error::Url {
            url: address.to_owned(),
            why,
        };
        let url = Url::parse(address).map_err(|error| wrong(error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("credentials belong into the environment".to_owned()));
        }
        let in_store = |store: Arc<dyn ObjectStore>| {
            let prefix = Path::from_url_path(url.path());
            let prefix = prefix.map_err(|error| wrong(error.to_string()))?;
            Ok(Bucket::new(Backend::Store(store, prefix), patience))
        };
        let failed = |error: object_store::Error| wrong(error.to_string());
        let connector = RustlsConnector {
            response: patience.request,
        };
        match url.scheme() {
            "file" => {
                let directory = url
                    .to_file_path()
                    .map_err(|()| wrong("it needs the whole path of a directory".to_owned()))?;
                let backend = Backend::Directory(Arc::new(Directory(directory)));
                Ok(Bucket::new(backend, patience))
            }
            "s3" | "s3a" => {
                let builder = AmazonS3Builder::from_env()
                    .with_url(address)
                    .with_http_connector(connector)
                    .with_retry(retries(patience));
                in_store(Arc::new(builder.build().map_err(failed)?))
            }
            "gs" => {
                let builder = GoogleCloudStorageBuilder::from_env()
                    .with_url(address)
                    .with_http_connector(connector)
                    .with_retry(retries(patience));
                in_store(Arc::new(builder.build().map_err(failed)?))
            }
            "az" | "azure" | "abfs" | "abfss" | "adl" => {
                let builder = MicrosoftAzureBuilder::from_env()
                    .with_url(address)
                    .with_http_connector(connector)
                    .with_retry(retries(patience));
                in_store(Arc::new(builder.build().map_err(failed)?))
            }
            other => Err(wrong(format!("`{other}` is not known"))),
        }
    }

    /// For tests: ends with this process.
    pub fn in_memory() -> Bucket {
        Bucket::with_store(Arc::new(InMemory::new()))
    }

    /// For tests: a store that misbehaves.
    pub fn with_store(store: Arc<dyn ObjectStore>) -> Bucket {
        Bucket::new(Backend::Store(store, Path::from("")), Patience::ASKING)
    }

    fn new(backend: Backend, patience: Patience) -> Bucket {
        Bucket {
            backend,
            patience,
            health: Health::default(),
            n_requests: AtomicU64::new(0),
            n_bytes_read: AtomicU64::new(0),
            n_bytes_written: AtomicU64::new(0),
        }
    }

    /// Leaves the store alone where the process before this one found it failing, and tells the next
    /// one.
    pub(crate) fn keep_health(&mut self, file: PathBuf) {
        self.health = Health::kept_in(file);
    }

    pub fn traffic(&self) -> Traffic {
        Traffic {
            requests: self.n_requests.load(Ordering::Relaxed),
            bytes_read: self.n_bytes_read.load(Ordering::Relaxed),
            bytes_written: self.n_bytes_written.load(Ordering::Relaxed),
        }
    }

    /// An object and its version; `None` if there is none.
    pub fn get(&self, name: &str) -> Result<Option<(Bytes, ObjectVersion)>> {
        let (backend, name) = (self.backend.clone(), name.to_owned());
        let got = self.run(self.patience.for_bytes(8 << 20), async move {
            match backend {
                Backend::Store(store, prefix) => {
                    let result = store.get(&path(&prefix, &name)).await?;
                    let known = UpdateVersion {
                        e_tag: result.meta.e_tag.clone(),
                        version: result.meta.version.clone(),
                    };
                    Ok((result.bytes().await?, Some(known)))
                }
                Backend::Directory(directory) => {
                    let read = blocking(move || Ok((directory.get(&name)?, name))).await?;
                    Ok((read.0.ok_or(Error::Absent(read.1))?, None))
                }
            }
        });
        match got {
            Ok((bytes, known)) => {
                self.count_read(1, bytes.len());
                let hash = blake3::hash(&bytes);
                Ok(Some((bytes, ObjectVersion { known, hash })))
            }
            Err(Error::Absent(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Ranges of an object, requested at the same time. All of them, or an error.
    pub fn ranges(&self, name: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let n_bytes = ranges.iter().map(|range| range.end - range.start).sum();
        let (backend, name, wanted) = (self.backend.clone(), name.to_owned(), ranges.to_vec());
        let read = self.run(self.patience.for_bytes(n_bytes), async move {
            match backend {
                Backend::Store(store, prefix) => {
                    store_ranges(&store, &path(&prefix, &name), wanted).await
                }
                Backend::Directory(directory) => {
                    let read = blocking(move || Ok((directory.ranges(&name, &wanted)?, name)));
                    let (read, name) = read.await?;
                    read.ok_or(Error::Absent(name))
                }
            }
        })?;
        self.count_read(ranges.len(), read.iter().map(Bytes::len).sum());
        Ok(read)
    }

    /// Writes an object that must not exist. Returns false if it does, and leaves it alone.
    pub fn put_new(&self, name: &str, bytes: Bytes) -> Result<bool> {
        match self.put(name, bytes, None) {
            Ok(()) => Ok(true),
            Err(Error::Conflict(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Replaces the version of an object that was read, or creates one where there was none.
    /// [`Error::Conflict`] if another writer was quicker.
    pub fn replace(&self, name: &str, bytes: Bytes, read: Option<&ObjectVersion>) -> Result<()> {
        self.put(name, bytes, read)
    }

    /// Everything below a directory.
    pub fn list(&self, directory: &str) -> Result<Vec<ListedObject>> {
        let (backend, below) = (self.backend.clone(), directory.to_owned());
        let listed = self.run(self.patience.for_bytes(32 << 20), async move {
            match backend {
                Backend::Store(store, prefix) => {
                    store_list(&store, &prefix, &path(&prefix, &below)).await
                }
                Backend::Directory(directory) => blocking(move || directory.list(&below)).await,
            }
        })?;
        self.count_read(1 + listed.len() / 1000, 0);
        Ok(listed)
    }

    /// Whether an object is there.
    pub fn exists(&self, name: &str) -> Result<bool> {
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        let (backend, name) = (self.backend.clone(), name.to_owned());
        self.run(self.patience.request, async move {
            match backend {
                Backend::Store(store, prefix) => match store.head(&path(&prefix, &name)).await {
                    Err(object_store::Error::NotFound { .. }) => Ok(false),
                    found => Ok(found.map(|_| true)?),
                },
                Backend::Directory(directory) => {
                    blocking(move || Ok(directory.ranges(&name, &[])?.is_some())).await
                }
            }
        })
    }

    pub fn delete(&self, name: &str) -> Result<()> {
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        let (backend, name) = (self.backend.clone(), name.to_owned());
        self.run(self.patience.request, async move {
            match backend {
                Backend::Store(store, prefix) => match store.delete(&path(&prefix, &name)).await {
                    Err(object_store::Error::NotFound { .. }) => Ok(()),
                    deleted => Ok(deleted?),
                },
                Backend::Directory(directory) => blocking(move || directory.delete(&name)).await,
            }
        })
    }

    /// Finds out whether the store honours `If-None-Match` and `If-Match`: it writes, and deletes,
    /// an object of its own.
    pub fn check_conditional_writes(&self) -> Result<()> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| Error::Failed(error.to_string()))?;
        let name = format!("{FOLDER}/probes/{}", hex(&random));
        let checked = self.probe(&name);
        // What stays here if this fails is collected with the garbage.
        let _ = self.delete(&name);
        checked
    }

    fn probe(&self, name: &str) -> Result<()> {
        let bytes = |text: &'static str| Bytes::from_static(text.as_bytes());
        let refused = |error: Error, what| match error {
            Error::Failed(why) if why.contains("not implemented") || why.contains("501") => {
                Error::Unconditional(what)
            }
            other => other,
        };
        let created = self.put_new(name, bytes("1"));
        if !created.map_err(|error| refused(error, "If-None-Match"))? {
            return Err(Error::Conflict(name.to_owned()));
        }
        if self
            .put_new(name, bytes("2"))
            .map_err(|error| refused(error, "If-None-Match"))?
        {
            return Err(Error::Unconditional("If-None-Match"));
        }
        let first = self.get(name)?.ok_or(Error::Absent(name.to_owned()))?.1;
        self.replace(name, bytes("3"), Some(&first))
            .map_err(|error| refused(error, "If-Match"))?;
        match self.replace(name, bytes("4"), Some(&first)) {
            Err(Error::Conflict(_)) => Ok(()),
            Ok(()) => Err(Error::Unconditional("If-Match")),
            Err(error) => Err(refused(error, "If-Match")),
        }
    }

    /// What an object held was not what was written. A store that does this again and again is left
    /// alone.
    pub(crate) fn gave_wrong_bytes(&self, name: &str) {
        tracing::warn!(
            name,
            "an object of the remote store is damaged: it counts as absent"
        );
    }

    /// Writes an object if it is what was read, or absent where nothing was.
    fn put(&self, name: &str, bytes: Bytes, read: Option<&ObjectVersion>) -> Result<()> {
        let n_bytes = bytes.len() as u64;
        let (backend, name) = (self.backend.clone(), name.to_owned());
        let mode = match read.and_then(|read| read.known.clone()) {
            Some(known) => PutMode::Update(known),
            None => PutMode::Create,
        };
        let expected = read.map_or(Expected::Absent, |read| Expected::Hash(read.hash));
        self.run(self.patience.for_bytes(n_bytes), async move {
            match backend {
                Backend::Store(store, prefix) => {
                    let payload = PutPayload::from_bytes(bytes);
                    let options = PutOptions::from(mode);
                    store
                        .put_opts(&path(&prefix, &name), payload, options)
                        .await?;
                    Ok(())
                }
                Backend::Directory(directory) => {
                    let put = blocking(move || Ok((directory.put(&name, &bytes, expected)?, name)));
                    match put.await? {
                        (true, _) => Ok(()),
                        (false, name) => Err(Error::Conflict(name)),
                    }
                }
            }
        })?;
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        self.n_bytes_written.fetch_add(n_bytes, Ordering::Relaxed);
        Ok(())
    }

    fn count_read(&self, n_requests: usize, n_bytes: usize) {
        self.n_requests
            .fetch_add(n_requests as u64, Ordering::Relaxed);
        self.n_bytes_read
            .fetch_add(n_bytes as u64, Ordering::Relaxed);
    }

    /// Waits for a request, no longer than `limit`. A store that fails is left alone for a while.
    fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        request: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.health.check()?;
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        runtime()?.spawn(async move {
            let done = tokio::time::timeout(limit, request).await;
            let late = Error::TimedOut {
                seconds: limit.as_secs(),
            };
            let _ = sender.send(done.unwrap_or(Err(late)));
        });
        let done = receiver
            .recv()
            .unwrap_or_else(|_| Err(Error::Failed("the request was given up".to_owned())));
        match &done {
            Err(error) if error.is_of_the_store() => {
                tracing::warn!(%error, "the remote store");
                self.health.failed();
            }
            _ => self.health.succeeded(),
        }
        done
    }
}

async fn store_ranges(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    ranges: Vec<Range<u64>>,
) -> Result<Vec<Bytes>> {
    let requests = ranges.into_iter().map(|range| async move {
        let bytes = store.get_range(path, range.clone()).await?;
        // A body that was cut short.
        if bytes.len() as u64 != range.end - range.start {
            return Err(Error::Failed(format!("{path}: an incomplete answer")));
        }
        Ok(bytes)
    });
    let mut read = Vec::new();
    let mut answers = futures_util::stream::iter(requests).buffered(PARALLEL);
    while let Some(bytes) = answers.next().await {
        read.push(bytes?);
    }
    Ok(read)
}

async fn store_list(
    store: &Arc<dyn ObjectStore>,
    prefix: &Path,
    directory: &Path,
) -> Result<Vec<ListedObject>> {
    let objects = store.list(Some(directory)).try_collect::<Vec<_>>().await;
    let objects = match objects {
        Err(object_store::Error::NotFound { .. }) => Vec::new(),
        listed => listed?,
    };
    let below = |object: object_store::ObjectMeta| {
        let parts: Vec<_> = object.location.prefix_match(prefix)?.collect();
        let name: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        Some(ListedObject {
            name: name.join("/").into(),
            size: object.size,
            modified: object.last_modified.into(),
            version: object.e_tag.clone().map(Into::into),
        })
    };
    Ok(objects.into_iter().filter_map(below).collect())
}

/// Work on files, which would keep other requests waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Error::Denied(error.to_string())
        }
        _ => Error::Failed(error.to_string()),
    })
}

fn path(prefix: &Path, name: &str) -> Path {
    name.split('/')
        .fold(prefix.clone(), |path, part| path.join(part))
}

/// The folder of this layout below the prefix; a later layout has another.
pub(crate) const FOLDER: &str = "codecompass-remote-1";

fn retries(patience: Patience) -> RetryConfig {
    RetryConfig {
        max_retries: patience.retries,
        retry_timeout: patience.request,
        ..RetryConfig::default()
    }
}

fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("remote")
            .enable_all()
            .build()
    });
    runtime
        .as_ref()
        .map_err(|error| Error::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use object_store::ClientOptions;

    use super::*;

    fn check(bucket: &Bucket) {
        bucket.check_conditional_writes().unwrap();
        assert!(bucket.put_new("a/b", Bytes::from_static(b"12345")).unwrap());
        assert!(!bucket.put_new("a/b", Bytes::from_static(b"other")).unwrap());
        let (bytes, version) = bucket.get("a/b").unwrap().unwrap();
        assert_eq!(&bytes[..], b"12345");
        let ranges = bucket.ranges("a/b", &[1..3, 0..1]).unwrap();
        assert_eq!(ranges, [&b"23"[..], b"1"]);
        bucket
            .replace("a/b", Bytes::from_static(b"new"), Some(&version))
            .unwrap();
        let late = bucket.replace("a/b", Bytes::from_static(b"late"), Some(&version));
        assert!(matches!(late, Err(Error::Conflict(_))));
        let listed = bucket.list("a").unwrap();
        assert_eq!(
            (&*listed[0].name, listed[0].size, listed.len()),
            ("a/b", 3, 1)
        );
        assert!(bucket.exists("a/b").unwrap() && !bucket.exists("a/c").unwrap());
        bucket.delete("a/b").unwrap();
        bucket.delete("a/b").unwrap();
        assert!(bucket.get("a/b").unwrap().is_none());
        assert!(bucket.list("nothing").unwrap().is_empty());
    }

    #[test]
    fn a_directory_and_memory_are_buckets() {
        check(&Bucket::in_memory());
        let directory = tempfile::tempdir().unwrap();
        let url = Url::from_directory_path(directory.path()).unwrap();
        check(&Bucket::open(url.as_str(), Patience::ASKING).unwrap());
    }

    #[test]
    fn addresses_that_mean_nothing_are_refused() {
        for address in [
            "bucket",
            "ftp://a/b",
            "file://host/x",
            "s3://user:word@bucket/x",
        ] {
            let opened = Bucket::open(address, Patience::ASKING);
            assert!(matches!(opened, Err(Error::Url { .. })), "{address}");
        }
    }

    #[test]
    fn a_store_that_is_down_costs_one_wait_and_is_then_left_alone() {
        // A port that nobody listens on.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let store = AmazonS3Builder::new()
            .with_bucket_name("bucket")
            .with_endpoint(format!("http://127.0.0.1:{port}"))
            .with_access_key_id("a")
            .with_secret_access_key("b")
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_http_connector(RustlsConnector {
                response: Duration::from_secs(1),
            })
            .with_retry(retries(Patience::ASKING))
            .build()
            .unwrap();
        let bucket = Bucket::with_store(Arc::new(store));
        let began = std::time::Instant::now();
        assert!(matches!(bucket.get("x"), Err(Error::Failed(_))));
        assert!(began.elapsed() < Patience::ASKING.for_bytes(16 << 20));
        let again = std::time::Instant::now();
        assert!(matches!(bucket.get("x"), Err(Error::Resting { .. })));
        assert!(again.elapsed() < Duration::from_millis(100));
    }
}
