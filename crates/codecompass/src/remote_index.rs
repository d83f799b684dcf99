//! The remote store of this process, as configured; nothing speaks to a network without it.

use std::sync::Arc;

use workspace::PublishedIndexes;

use crate::config::Config;

/// Indexes that others published, if a remote store is set and this build has that feature.
#[cfg(not(feature = "remote"))]
pub fn published(config: &Config) -> Option<Arc<dyn PublishedIndexes>> {
    if config.remote().is_some() {
        tracing::warn!(
            "remote.url is set, and this program was built without the feature `remote`"
        );
    }
    None
}

/// Indexes that others published, if a remote store is set. A mistake in its address keeps nobody
/// from being answered.
#[cfg(feature = "remote")]
pub fn published(config: &Config) -> Option<Arc<dyn PublishedIndexes>> {
    use std::sync::OnceLock;

    /// What is set does not change within a process, and connections and caches are kept.
    static REMOTE: OnceLock<Option<Arc<remote::Remote>>> = OnceLock::new();
    let settings = config.remote()?;
    let opened = REMOTE.get_or_init(|| {
        open(&settings, remote::Patience::ASKING)
            .inspect_err(|error| tracing::warn!("nothing published is read: {error:#}"))
            .ok()
    });
    Some(opened.clone()?)
}

/// The remote store, for a command that cannot do without it.
#[cfg(feature = "remote")]
pub fn required(config: &Config) -> anyhow::Result<Arc<remote::Remote>> {
    use anyhow::Context as _;

    let settings = config.remote().context(
        "no remote store is set: write `url` into [remote] of your config.toml, or give --set remote.url=s3://BUCKET/PREFIX",
    )?;
    open(&settings, remote::Patience::PUBLISHING)
}

#[cfg(feature = "remote")]
fn open(
    settings: &crate::config::RemoteSettings<'_>,
    patience: remote::Patience,
) -> anyhow::Result<Arc<remote::Remote>> {
    let options = remote::RemoteOptions {
        url: settings.url.to_owned(),
        team_key: settings.team_key.map(str::to_owned),
        repository: settings.repository.map(str::to_owned),
        cache: Some(settings.cache.clone()),
        cache_size: settings.cache_size,
    };
    Ok(Arc::new(remote::Remote::open(&options, patience)?))
}

/// The name under which a workspace is published: by the address that it was cloned from, or where
/// it lies.
#[cfg(feature = "remote")]
pub fn name_of(remote: &remote::Remote, workspace: &workspace::Workspace) -> String {
    let address = workspace.remote_url();
    remote.name_of(&address.unwrap_or_else(|| workspace.root().to_string_lossy().into_owned()))
}
