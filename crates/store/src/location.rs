//! Where an index lives: outside the repository, in a directory named after it.

use std::{
    env,
    path::{Path, PathBuf},
};

/// `CODECOMPASS_HOME`, else the user's cache directory.
pub fn home() -> PathBuf {
    let set = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(home) = set("CODECOMPASS_HOME") {
        return home;
    }
    if let Some(data) = set("LOCALAPPDATA").filter(|path| cfg!(windows) && path.is_absolute()) {
        return data.join("codecompass");
    }
    if let Some(cache) = set("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        return cache.join("codecompass");
    }
    match set("HOME") {
        Some(home) if cfg!(target_os = "macos") => home.join("Library/Caches/codecompass"),
        Some(home) => home.join(".cache/codecompass"),
        None => env::temp_dir().join("codecompass"),
    }
}

/// The directory of a repository family's index. `family` is the real path of what its worktrees
/// share: the common git directory, or the directory itself where there is no git. The name starts
/// readably and ends in a hash of the path.
pub fn index_directory(home: &Path, family: &Path) -> PathBuf {
    let hash = blake3::hash(family.as_os_str().as_encoded_bytes()).to_hex();
    let mut parts = family
        .iter()
        .rev()
        .map(|part| part.to_string_lossy().into_owned());
    let named = parts.find(|part| part != ".git").unwrap_or_default();
    let readable: String = named
        .trim_end_matches(".git")
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    let readable = readable.trim_matches(['.', '-', '/']);
    home.join("repositories").join(format!(
        "{}-{}",
        if readable.is_empty() {
            "repository"
        } else {
            readable
        },
        &hash[..16]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_readable_and_unique() {
        let of = |family: &str| {
            index_directory(Path::new("/home"), Path::new(family))
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        };
        assert!(of("/src/shop/.git").starts_with("shop-"));
        assert!(of("/src/shop.git").starts_with("shop-"));
        assert!(of("/").starts_with("repository-"));
        assert!(of("/src/ü ;rm").starts_with("rm-"));
        assert_ne!(of("/a/shop/.git"), of("/b/shop/.git"));
    }
}
