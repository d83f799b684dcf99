//! `codecompass serve-mcp`: serves the tools until the client is gone.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use answers::Scope;
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use tools::{AGENT, CODECOMPASS, CODEMAP, CONTRACTS, ContractRef, LSP};

use super::Settings;
use crate::{
    host::{AutoWorkspaces, Directories, HostOptions},
    paths, platform,
    server::{
        Server,
        auth::{self, Door},
        headers::Allowed,
        http::{self, Http},
        log, stdio,
    },
};

/// Serve the tools to an MCP client
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    pub workspaces: WorkspaceOptions,
    #[arg(long, value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// Where to listen
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    bind: IpAddr,
    #[arg(long, value_name = "N", default_value_t = 9100)]
    port: u16,
    /// Listen where other machines can reach it
    #[arg(long)]
    allow_remote: bool,
    /// Another name under which clients reach this server, with its port
    #[arg(long, value_name = "HOST:PORT")]
    allowed_host: Vec<String>,
    /// A web origin that may call
    #[arg(long, value_name = "ORIGIN")]
    allowed_origin: Vec<String>,
    /// Which tools to list
    #[arg(long, value_enum, default_value_t = SurfaceChoice::Codecompass)]
    surface: SurfaceChoice,
    #[command(flatten)]
    published: PublishedOptions,
    /// The contracts' exact names, errors and contents
    #[arg(long)]
    strict_contract: bool,
}

/// Which published repositories are served, without checkouts.
#[derive(Args)]
struct PublishedOptions {
    /// The store that they are published in, in place of remote.url: s3://BUCKET/PREFIX
    #[arg(long, value_name = "URL", requires = "repositories")]
    remote: Option<String>,
    /// Serve published repositories: a file with a name or `BEGINNING*` on each line, or `*` for all
    #[arg(long, value_name = "FILE|*")]
    repositories: Option<String>,
}

impl PublishedOptions {
    /// The settings with the store that was named, and which of its repositories are served.
    fn read(&self, settings: &Settings) -> anyhow::Result<(Settings, Option<Scope>)> {
        let mut settings = settings.clone();
        let url = self.remote.iter().map(|url| format!("remote.url={url}"));
        settings.set.extend(url);
        let text = match self.repositories.as_deref() {
            None => return Ok((settings, None)),
            Some("*") => "*".to_owned(),
            Some(file) => {
                std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?
            }
        };
        let lines = text.lines().map(str::trim);
        let names = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let scope = Scope::of(names).map_err(|wrong| anyhow!("--repositories: {wrong}"))?;
        Ok((settings, Some(scope)))
    }
}

/// Which directories are served, for all commands that run tools.
#[derive(Args)]
pub struct WorkspaceOptions {
    /// A directory to serve; without any, the repository around the current one, then those that
    /// `init` registered
    #[arg(long, visible_alias = "path", value_name = "DIR")]
    workspace: Vec<PathBuf>,
    /// Do not read indexes ahead of the first question
    #[arg(long)]
    no_prewarm: bool,
    /// Open workspaces that calls name, below the allowed roots
    #[arg(long, requires = "allowed_root")]
    auto_workspace: bool,
    /// Where such workspaces may lie; for `--auto-workspace`
    #[arg(long, value_name = "DIR", requires = "auto_workspace")]
    allowed_root: Vec<PathBuf>,
    /// How many of them are open at once; 10 unless configured
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    max_auto_workspaces: Option<usize>,
    /// Trust the code of all served workspaces: language servers may start
    #[arg(long)]
    trust: bool,
    /// Who answers the gateway's tools; `auto` unless configured
    #[arg(long, value_enum, value_name = "WHO")]
    lsp_provider: Option<Provider>,
}

fn at_least_one(typed: &str) -> Result<usize, String> {
    let none = || "it is a number from 1 on; leave `--auto-workspace` out to open none".to_owned();
    typed
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(none)
}

#[derive(Clone, Copy, ValueEnum)]
enum Provider {
    /// A language server once it is ready, else the index
    Auto,
    /// Language servers only
    Lsp,
    /// The index only
    Index,
}

impl From<Provider> for tools::lsp::ProviderChoice {
    fn from(provider: Provider) -> tools::lsp::ProviderChoice {
        match provider {
            Provider::Auto => tools::lsp::ProviderChoice::Auto,
            Provider::Lsp => tools::lsp::ProviderChoice::Lsp,
            Provider::Index => tools::lsp::ProviderChoice::Index,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Transport {
    Stdio,
    Http,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SurfaceChoice {
    Codecompass,
    Codemap,
    Lsp,
    /// Few tools that answer in plain text
    Agent,
    All,
}

impl SurfaceChoice {
    pub fn contracts(self) -> &'static [ContractRef] {
        match self {
            SurfaceChoice::Codecompass => &[CODECOMPASS],
            SurfaceChoice::Codemap => &[CODEMAP],
            SurfaceChoice::Lsp => &[LSP],
            SurfaceChoice::Agent => &[AGENT],
            SurfaceChoice::All => &CONTRACTS,
        }
    }
}

impl WorkspaceOptions {
    pub fn host(self, settings: &Settings) -> anyhow::Result<Directories> {
        self.host_with(settings, None)
    }

    fn host_with(
        self,
        settings: &Settings,
        repositories: Option<Scope>,
    ) -> anyhow::Result<Directories> {
        let config = settings.config(self.workspace.first().map(PathBuf::as_path))?;
        let allowed_roots = self.allowed_root;
        let auto_workspaces = self.auto_workspace.then_some(AutoWorkspaces {
            allowed_roots,
            at_most: self
                .max_auto_workspaces
                .unwrap_or(config.max_auto_workspaces()),
        });
        Directories::new(HostOptions {
            workspaces: self.workspace,
            auto_workspaces,
            prewarm: !self.no_prewarm && config.prewarm(),
            trust_all: self.trust,
            lsp_provider: self.lsp_provider.map(Into::into),
            repositories,
            config,
        })
    }
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    log::tame_panics();
    let surfaces = arguments.surface.contracts();
    let (settings, repositories) = arguments.published.read(settings)?;
    let host = Arc::new(arguments.workspaces.host_with(&settings, repositories)?);
    host.stay();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_keep_alive(Duration::from_secs(30))
        .thread_stack_size(engine::STACK_SIZE)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        match arguments.transport {
            Transport::Stdio => {
                let server = Server::new(host, surfaces, arguments.strict_contract, "stdio");
                tokio::spawn(end_with_parent(server.clone()));
                tokio::spawn(end_with_signal(server.clone()));
                stdio::serve(server, std::io::stdin(), std::io::stdout()).await
            }
            Transport::Http => {
                let server = Server::new(host, surfaces, arguments.strict_contract, "http");
                let file = paths::config()?.join("http-tokens");
                let door = Door::open(&file)?;
                let address = SocketAddr::new(arguments.bind, arguments.port);
                let listener = http::bind(address, arguments.allow_remote).await?;
                let address = listener.local_addr().context("no address")?;
                let mut allowed = Allowed::at(address);
                allowed.hosts.extend(arguments.allowed_host);
                allowed.origins.extend(arguments.allowed_origin);
                let source = match std::env::var_os(auth::VARIABLE) {
                    Some(_) => format!("${}", auth::VARIABLE),
                    None => file.display().to_string(),
                };
                // The one thing a user needs to connect; the token itself stays where it is.
                eprintln!("serving http://{address}/mcp; clients send the token in {source}");
                tokio::spawn(end_with_signal(server.clone()));
                http::serve(Http::new(server, door, allowed), listener).await
            }
        }
    });
    // Calls that were given up may still run; nobody waits for them.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// A client that was killed may have left its pipes open in another process.
async fn end_with_parent(server: Server) {
    let (at_start, _) = platform::parent_is_gone(None);
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        if platform::parent_is_gone(at_start).1 {
            server.shutdown().cancel();
            return;
        }
    }
}

async fn end_with_signal(server: Server) {
    platform::asked_to_end().await;
    server.shutdown().cancel();
}
