//! Where things live outside repositories: the cache that can be rebuilt, and what the user has
//! decided.

use std::{env, path::PathBuf};

use anyhow::Context;

/// One directory for everything, for tests, containers and users who prefer that.
pub const HOME_VARIABLE: &str = "CODECOMPASS_HOME";

/// Indexes; anything here can be deleted and comes back.
pub fn data() -> anyhow::Result<PathBuf> {
    match overridden() {
        Some(home) => Ok(home),
        None => Ok(
            user_directory("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA")?
                .join("codecompass"),
        ),
    }
}

/// Tokens and trust.
pub fn config() -> anyhow::Result<PathBuf> {
    match overridden() {
        Some(home) => Ok(home.join("config")),
        None => Ok(user_directory(
            "XDG_CONFIG_HOME",
            ".config",
            "Library/Application Support",
            "APPDATA",
        )?
        .join("codecompass")),
    }
}

fn overridden() -> Option<PathBuf> {
    env::var_os(HOME_VARIABLE)
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}

/// The home directory of the user.
pub fn home() -> anyhow::Result<PathBuf> {
    env::home_dir()
        .filter(|home| home.is_absolute())
        .context("the home directory is unknown; set CODECOMPASS_HOME")
}

/// The directory that an environment variable names.
pub fn stated(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

fn user_directory(xdg: &str, unix: &str, mac: &str, windows: &str) -> anyhow::Result<PathBuf> {
    if cfg!(windows) {
        return stated(windows)
            .with_context(|| format!("{windows} is not set; set {HOME_VARIABLE}"));
    }
    // Stated means meant, on every system.
    match stated(xdg) {
        Some(path) => Ok(path),
        None => Ok(home()?.join(if cfg!(target_os = "macos") { mac } else { unix })),
    }
}
