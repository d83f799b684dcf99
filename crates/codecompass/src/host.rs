//! What the tools of this process work on: the directories the user named, whether their code
//! may run, and the language servers that run it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use answers::{PublishedRouting, Routing, Scope, Workspaces};
use anyhow::{Context, ensure};
use language_servers::{Catalogue, PoolSettings};
use tools::{
    ContractRef, Host, LSP, Limits, Roots,
    lsp::{Gateway, ProviderChoice},
};

use crate::{config::Config, language_server_control, paths, remote_index, trust::LiveTrust};

/// As given on the command line.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    pub workspaces: Vec<PathBuf>,
    /// Workspaces that were not named may be opened below the allowed roots.
    pub auto_workspaces: Option<AutoWorkspaces>,
    pub prewarm: bool,
    /// For this process, whatever is stored.
    pub trust_all: bool,
    /// `--lsp-provider`; what is configured where absent.
    pub lsp_provider: Option<ProviderChoice>,
    /// Published repositories to serve without a checkout.
    pub repositories: Option<Scope>,
    pub config: Config,
}

#[derive(Clone, Debug)]
pub struct AutoWorkspaces {
    pub allowed_roots: Vec<PathBuf>,
    pub at_most: usize,
}

/// The named directories, their real paths known, and the decisions about them.
pub struct Directories {
    options: HostOptions,
    roots: Roots,
    trust: Arc<LiveTrust>,
    workspaces: Arc<Workspaces>,
    gateway: Arc<Gateway>,
}

/// Below the user's configuration: language servers besides those that are built in, and changes to
/// these.
pub const SERVERS_FILE: &str = "language-servers.toml";

impl Directories {
    pub fn new(mut options: HostOptions) -> anyhow::Result<Directories> {
        let published = match &options.repositories {
            Some(repositories) => Some(PublishedRouting {
                indexes: remote_index::published(&options.config)
                    .context("no remote store can be read: set remote.url, or give --remote URL")?,
                repositories: repositories.clone(),
            }),
            None => None,
        };
        let names_none = options.workspaces.is_empty() && published.is_none();
        if names_none {
            options.workspaces.extend(enclosing_project());
        }
        // A directory in a repository means the repository, in every contract.
        for workspace in &mut options.workspaces {
            if let Ok(root) = workspace::Workspace::root_of(workspace) {
                *workspace = root;
            }
        }
        // Naming directories is a limit; otherwise those that `init` registered are served as well.
        if names_none {
            let registry = workspace::RepositoryRegistry::new(&options.config.workspace_options());
            options.workspaces.extend(registry.roots());
        }
        let auto = options.auto_workspaces.as_ref();
        if let Some(auto) = auto {
            ensure!(
                !auto.allowed_roots.is_empty(),
                "--auto-workspace needs at least one --allowed-root"
            );
        }
        let named = options
            .workspaces
            .iter()
            .chain(auto.iter().flat_map(|auto| &auto.allowed_roots));
        let roots = Roots::new(named).context("cannot serve a directory")?;
        let trust = Arc::new(LiveTrust::load(&paths::config()?)?);
        let registered = Roots::new(&options.workspaces).context("cannot serve a directory")?;
        let allowed = Roots::new(auto.iter().flat_map(|auto| &auto.allowed_roots))?;
        let workspaces = Workspaces::new(Routing {
            registered: registered.paths().to_vec(),
            allowed_roots: allowed.paths().to_vec(),
            at_most: auto.map_or(0, |auto| auto.at_most),
            options: options.config.workspace_options(),
            published,
        });
        let choice = options
            .lsp_provider
            .unwrap_or(options.config.lsp_provider());
        let gateway = match server_settings() {
            Ok(settings) => Gateway::new(choice, settings),
            Err(error) if choice == ProviderChoice::Lsp => return Err(error),
            // Without them the index answers; a mistake in a list of servers keeps nobody from
            // searching.
            Err(error) => {
                tracing::warn!("no language server starts: {error:#}");
                Gateway::new(ProviderChoice::Index, PoolSettings::default())
            }
        };
        let gateway = Arc::new(gateway);
        Ok(Directories {
            options,
            roots,
            trust,
            workspaces: Arc::new(workspaces),
            gateway,
        })
    }

    pub fn options(&self) -> &HostOptions {
        &self.options
    }

    /// For processes that serve until their client is gone: working trees are watched, and read
    /// ahead.
    pub fn stay(&self) {
        self.workspaces.stay();
        if self.options.config.language_servers() {
            let (trust, trust_all) = (self.trust.clone(), self.options.trust_all);
            if let Err(error) = language_server_control::open(self.gateway.clone(), move |root| {
                trust_all || trust.covers(root)
            }) {
                tracing::warn!(%error, "`codecompass lsp` will not find this process");
            }
        }
    }
}

impl Host for Directories {
    fn begin(&self) {
        for root in self.roots.paths() {
            tracing::info!(root = %root.display(), trusted = self.is_trusted(root), "serving");
        }
        if !self.options.prewarm {
            self.workspaces.skip_prewarm();
            return;
        }
        let workspaces = self.workspaces.clone();
        let started = std::thread::Builder::new()
            .name("prewarm".to_owned())
            .spawn(move || workspaces.prewarm());
        if let Err(error) = started {
            tracing::warn!(%error, "nothing is read ahead");
            self.workspaces.skip_prewarm();
        }
    }

    fn roots(&self) -> &Roots {
        &self.roots
    }

    fn workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    fn limits(&self, contract: ContractRef) -> Limits {
        if contract == LSP {
            self.options.config.lsp_limits()
        } else {
            contract.limits()
        }
    }

    fn complete(&self, tool: &str, arguments: &mut serde_json::Value) {
        self.options.config.complete(tool, arguments);
    }

    fn is_trusted(&self, real: &Path) -> bool {
        self.options.config.language_servers()
            && (self.options.trust_all || self.trust.covers(real))
    }
}

/// How language servers are found and kept. What a user's file names is run, so no repository has
/// such a file.
pub fn server_settings() -> anyhow::Result<PoolSettings> {
    let file = paths::config()?.join(SERVERS_FILE);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let catalogue =
        Catalogue::with_user(&text).with_context(|| format!("{} is not usable", file.display()))?;
    Ok(PoolSettings {
        catalogue,
        cache_directory: paths::data()?.join("language-servers"),
        ..PoolSettings::default()
    })
}

/// The repository around the current directory, or that directory. Never the home directory or the
/// root of a disk, where clients start servers without thinking.
pub fn enclosing_project() -> Option<PathBuf> {
    let here = dunce::canonicalize(std::env::current_dir().ok()?).ok()?;
    if let Some(repository) = here
        .ancestors()
        .find(|directory| directory.join(".git").exists())
    {
        return Some(repository.to_owned());
    }
    let home = paths::home()
        .ok()
        .and_then(|home| dunce::canonicalize(home).ok());
    let sensible = here.parent().is_some() && home.as_deref() != Some(&here);
    sensible.then_some(here)
}
