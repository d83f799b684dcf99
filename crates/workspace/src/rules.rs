//! Which files of a directory belong to the repository: ignore files, credentials, limits.

use std::{path::Path, sync::Arc};

use facts::SkipReason;
use ignore::{Match, gitignore::Gitignore, gitignore::GitignoreBuilder};

use crate::platform::Root;

/// What a repository's files may be, and which are left alone. Part of a snapshot's identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Larger files are skipped, with the reason.
    pub max_file_size: u64,
    /// Whether files that are likely to hold secrets are indexed all the same.
    pub index_credentials: bool,
}

impl Default for FileLimits {
    fn default() -> FileLimits {
        FileLimits {
            max_file_size: 1 << 20,
            index_credentials: false,
        }
    }
}

impl FileLimits {
    /// Why a file of this name or size is skipped, whatever it holds.
    pub fn reason(&self, path: &str, size: u64) -> Option<SkipReason> {
        if !self.index_credentials && is_credential(path) {
            return Some(SkipReason::Credential);
        }
        (size > self.max_file_size).then_some(SkipReason::TooLarge)
    }
}

/// Names under which secrets are kept. Samples of them are not.
pub fn is_credential(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    let directory = directory
        .rsplit('/')
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    if name == ".env" || name.starts_with(".env.") || name == ".envrc" {
        return !["example", "sample", "template", "dist", "defaults"]
            .iter()
            .any(|word| name.ends_with(word));
    }
    const NAMES: &[&str] = &[
        ".netrc",
        "_netrc",
        ".pgpass",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        ".npmrc",
        ".pypirc",
        ".s3cfg",
        ".boto",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials.json",
        "service-account.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.json",
        "secrets.toml",
        "terraform.tfstate",
        "master.key",
    ];
    const EXTENSIONS: &[&str] = &[
        "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "gpg", "asc", "tfvars",
    ];
    NAMES.contains(&name.as_str())
        || (name == "credentials" && directory == ".aws")
        || (name == "config.json" && directory == ".docker")
        || name
            .rsplit_once('.')
            .is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// What the ignore rules say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Included,
    /// Ignored by git's rules: counts only if it is tracked.
    Ignored,
    /// Ignored by `.codecompassignore`: never counts.
    Excluded,
}

/// The rules that hold in one directory: its own ignore files and those of the directories around
/// it.
#[derive(Debug)]
pub struct Level {
    parent: Option<Arc<Level>>,
    /// With a trailing `/`; empty for the root.
    prefix: String,
    git: Option<Gitignore>,
    own: Option<Gitignore>,
    /// Weaker than all `.gitignore` files: `.git/info/exclude`, then the user's, then ours. Only at
    /// the root.
    fallbacks: Vec<Gitignore>,
    /// The directory itself is ignored by git's rules: only tracked files below it count.
    pub ignored: bool,
}

/// Never part of a repository, tracked or not.
const NEVER: &[&str] = &[".git", ".hg", ".svn", ".jj", ".codecompass"];

/// What is not indexed unless a rule of the user says otherwise.
const DEFAULTS: &[&str] = &[
    "node_modules/",
    "__pycache__/",
    ".venv/",
    ".tox/",
    ".nox/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    ".gradle/",
    ".vs/",
    ".idea/",
    ".terraform/",
    ".DS_Store",
    "*.swp",
    "*~",
    "*.pyc",
    ".cache/",
];

const GIT_FILE: &str = ".gitignore";
const OWN_FILE: &str = ".codecompassignore";
const MAX_RULES: u64 = 1 << 20;

/// Whether a change of this file changes which files belong to the repository.
pub fn is_rule_file(name: &str) -> bool {
    name == GIT_FILE || name == OWN_FILE
}

/// Whether this name is never looked into.
pub fn is_never(name: &str) -> bool {
    NEVER.contains(&name)
}

impl Level {
    /// The rules at the root of a working tree.
    pub fn root(root: &Root, common_git_directory: Option<&Path>) -> Arc<Level> {
        let mut fallbacks = Vec::new();
        if let Some(directory) = common_git_directory {
            fallbacks.extend(
                std::fs::read(directory.join("info/exclude"))
                    .ok()
                    .and_then(|bytes| parse(&bytes)),
            );
            let users = ignore::gitignore::gitconfig_excludes_path()
                .and_then(|path| std::fs::read(path).ok());
            fallbacks.extend(users.and_then(|bytes| parse(&bytes)));
        }
        fallbacks.extend(parse(DEFAULTS.join("\n").as_bytes()));
        let read = |name| read_rules(root, name);
        Arc::new(Level {
            parent: None,
            prefix: String::new(),
            git: read(GIT_FILE),
            own: read(OWN_FILE),
            fallbacks,
            ignored: false,
        })
    }

    /// The rules in a directory of this one. `has_rules` tells whether it holds an ignore file at
    /// all.
    pub fn below(
        self: &Arc<Level>,
        root: &Root,
        directory: &str,
        ignored: bool,
        has_rules: bool,
    ) -> Arc<Level> {
        let prefix = format!("{directory}/");
        let read = |name: &str| {
            has_rules
                .then(|| read_rules(root, &format!("{prefix}{name}")))
                .flatten()
        };
        let (git, own) = (read(GIT_FILE), read(OWN_FILE));
        Arc::new(Level {
            parent: Some(self.clone()),
            prefix,
            git,
            own,
            fallbacks: Vec::new(),
            ignored,
        })
    }

    /// Whether `.codecompassignore` files leave out a file of this directory.
    pub fn excludes(&self, path: &str) -> bool {
        let levels = std::iter::successors(Some(self), |level| level.parent.as_deref());
        levels
            .filter_map(|at| decide(at.own.as_ref()?, &path[at.prefix.len()..], false))
            .next()
            == Some(true)
    }

    /// What the rules say about an entry of this directory.
    pub fn verdict(&self, path: &str, is_directory: bool) -> Verdict {
        let mut git = None;
        let mut level = Some(self);
        while let Some(at) = level {
            let relative = &path[at.prefix.len()..];
            if let Some(true) = at
                .own
                .as_ref()
                .and_then(|rules| decide(rules, relative, is_directory))
            {
                return Verdict::Excluded;
            }
            if git.is_none() {
                git = at
                    .git
                    .as_ref()
                    .and_then(|rules| decide(rules, relative, is_directory));
                git = git.or_else(|| {
                    at.fallbacks
                        .iter()
                        .find_map(|rules| decide(rules, relative, is_directory))
                });
            }
            level = at.parent.as_deref();
        }
        if self.ignored || git == Some(true) {
            Verdict::Ignored
        } else {
            Verdict::Included
        }
    }
}

/// Whether `.codecompassignore` files, given by directory, exclude a path.
pub struct OwnRules(Vec<(String, Gitignore)>);

impl OwnRules {
    /// Path and bytes of each `.codecompassignore` of a commit.
    pub fn new(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> OwnRules {
        let rules = files.into_iter().filter_map(|(path, bytes)| {
            let prefix = path
                .rsplit_once('/')
                .map_or(String::new(), |(directory, _)| format!("{directory}/"));
            Some((prefix, parse(&bytes)?))
        });
        OwnRules(rules.collect())
    }

    pub fn is_own_file(path: &str) -> bool {
        path.rsplit('/').next() == Some(OWN_FILE)
    }

    pub fn excludes(&self, path: &str) -> bool {
        let applies = |(prefix, rules): &(String, Gitignore)| {
            path.strip_prefix(prefix.as_str()).is_some_and(|relative| {
                rules
                    .matched_path_or_any_parents(relative, false)
                    .is_ignore()
            })
        };
        self.0.iter().any(applies)
    }
}

fn decide(rules: &Gitignore, relative: &str, is_directory: bool) -> Option<bool> {
    match rules.matched(relative, is_directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

fn read_rules(root: &Root, path: &str) -> Option<Gitignore> {
    let (bytes, ..) = root.read(path, MAX_RULES).ok()?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(bytes)
        .trim_start_matches('\u{feff}')
        .lines()
    {
        // A line that is no pattern is no rule, as git has it.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_samples() {
        for path in [
            ".env",
            "a/.env.production",
            "certs/server.pem",
            ".aws/credentials",
            "id_ed25519",
            "x/.ENV",
        ] {
            assert!(is_credential(path), "{path}");
        }
        for path in [
            ".env.example",
            "src/env.rs",
            "credentials",
            "key.rs",
            "pem",
            "tokens.py",
        ] {
            assert!(!is_credential(path), "{path}");
        }
    }

    #[test]
    fn rules_of_a_commit_apply_below_their_directory() {
        let rules = OwnRules::new([(
            "a/.codecompassignore".to_owned(),
            b"gen/\n*.min.js\n".to_vec(),
        )]);
        assert!(rules.excludes("a/gen/x.rs"));
        assert!(rules.excludes("a/b/x.min.js"));
        assert!(!rules.excludes("gen/x.rs"));
    }
}
