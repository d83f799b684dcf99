//! Bearer tokens for HTTP: where they live, whether a presented one is among them, and which
//! repositories it may ask about.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use answers::Scope;
use anyhow::{Context as _, anyhow, bail, ensure};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::platform;

/// Takes the place of the stored tokens, for containers and tests. It may hold several, separated
/// by blanks.
pub const VARIABLE: &str = "CODECOMPASS_HTTP_TOKEN";

const MAX_TOKENS: usize = 256;
/// Stands after a token and restricts it: `repositories=NAME,BEGINNING*`.
const REPOSITORIES: &str = "repositories=";
/// Shorter ones could be guessed.
const MIN_CHARS: usize = 16;

/// Digests of the tokens that open the door, and to what. Never empty, and never the tokens
/// themselves.
pub struct Tokens {
    known: Vec<([u8; 32], Scope)>,
}

/// The tokens as they are now.
pub enum Door {
    /// Of the environment: they stay as they are.
    Fixed(Tokens),
    /// Read again for every request: adding or removing a token does not require starting the server
    /// again. No time or size tells as surely as its few lines that a file is still the same.
    File {
        file: PathBuf,
        /// Whether the log has it that no token is accepted: once is enough.
        told: AtomicBool,
    },
}

impl Door {
    /// See [`Tokens::load`].
    pub fn open(file: &Path) -> anyhow::Result<Door> {
        let tokens = Tokens::load(file)?;
        Ok(match env::var_os(VARIABLE) {
            Some(_) => Door::Fixed(tokens),
            None => Door::File {
                file: file.to_path_buf(),
                told: AtomicBool::new(false),
            },
        })
    }

    /// What an `Authorization` header opens the door to, if it does. A file that is gone or that
    /// others can read opens it to nobody.
    pub fn accept(&self, authorization: Option<&[u8]>) -> Option<Scope> {
        match self {
            Door::Fixed(tokens) => tokens.accept(authorization),
            Door::File { file, told } => match Tokens::read(file) {
                Ok(tokens) => {
                    told.store(false, Ordering::Relaxed);
                    tokens.accept(authorization)
                }
                Err(error) => {
                    if !told.swap(true, Ordering::Relaxed) {
                        tracing::warn!("no token is accepted: {error:#}");
                    }
                    None
                }
            },
        }
    }
}

impl Tokens {
    /// From the environment, else from the file, else a new one that the file then holds. The file
    /// has one token per line, so that a new one can be added before the old one is taken out.
    pub fn load(file: &Path) -> anyhow::Result<Tokens> {
        match env::var(VARIABLE) {
            Ok(tokens) => {
                return Tokens::parse(&tokens).with_context(|| format!("{VARIABLE} is not usable"));
            }
            Err(env::VarError::NotUnicode(_)) => {
                bail!("{VARIABLE} is not usable: a token has visible ASCII characters only")
            }
            Err(env::VarError::NotPresent) => {}
        }
        if !file.exists() {
            let token = new_token()?;
            if let Some(directory) = file.parent() {
                platform::create_private_directory(directory)?;
            }
            let mut created = platform::create_private_file(file)
                .with_context(|| format!("cannot create {}", file.display()))?;
            writeln!(created, "{token}")?;
        }
        Tokens::read(file)
    }

    fn read(file: &Path) -> anyhow::Result<Tokens> {
        let tokens =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        ensure!(
            platform::is_private(file)?,
            "{} can be read by others; make a new one, with rights for its owner only",
            file.display()
        );
        Tokens::parse(&tokens).with_context(|| format!("{} is not usable", file.display()))
    }

    pub fn parse(text: &str) -> anyhow::Result<Tokens> {
        let mut known: Vec<([u8; 32], Scope)> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(names) = word.strip_prefix(REPOSITORIES) {
                let names = names.split(',').filter(|name| !name.is_empty());
                let scope = Scope::of(names).map_err(|wrong| anyhow!(wrong))?;
                let before = known.last_mut();
                let (_, of_token) = before.context("a list of repositories follows a token")?;
                *of_token = scope;
                continue;
            }
            ensure!(
                word.len() >= MIN_CHARS,
                "a token has at least {MIN_CHARS} characters"
            );
            ensure!(
                word.bytes().all(|byte| byte.is_ascii_graphic()),
                "a token has visible ASCII characters only"
            );
            let digest = digest_of(word);
            // The last line about a token counts, as in any list that is read from its top.
            known.retain(|(known, _)| *known != digest);
            known.push((digest, Scope::all()));
        }
        ensure!(known.len() <= MAX_TOKENS, "at most {MAX_TOKENS} tokens");
        if known.is_empty() {
            bail!("there is no token");
        }
        Ok(Tokens { known })
    }

    /// What an `Authorization` header opens the door to, if it does. Takes the same time whatever is
    /// wrong.
    pub fn accept(&self, authorization: Option<&[u8]>) -> Option<Scope> {
        let presented = authorization.and_then(|value| {
            let (scheme, token) = value.split_at_checked(7)?;
            scheme
                .eq_ignore_ascii_case(b"bearer ")
                .then_some(token.trim_ascii())
        });
        let digest = Sha256::digest(presented.unwrap_or_default());
        let mut accepted = None;
        for (known, scope) in &self.known {
            if bool::from(known.as_slice().ct_eq(digest.as_slice())) {
                accepted = Some(scope);
            }
        }
        presented.and(accepted).cloned()
    }
}

fn digest_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_token_in_the_right_form_opens_the_door() {
        let tokens = Tokens::parse("first-token-0123456\nsecond-token-012345\n").unwrap();
        for (header, accepted) in [
            (Some("Bearer first-token-0123456"), true),
            (Some("bearer second-token-012345"), true),
            (Some("BEARER  second-token-012345 "), true),
            (Some("Bearer third-token-0123456"), false),
            (Some("Bearer "), false),
            (Some("Basic first-token-0123456"), false),
            (Some("first-token-0123456"), false),
            (Some("Bearer first-token-012345"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(
                tokens.accept(header.map(str::as_bytes)).is_some(),
                accepted,
                "{header:?}"
            );
        }
    }

    #[test]
    fn a_token_may_be_for_some_repositories_only() {
        let tokens = Tokens::parse(
            "first-token-0123456\nsecond-token-012345 repositories=example.org/a,example.org/b/*\nthird-token-0123456 repositories=\n",
        )
        .unwrap();
        let scope = |token: &str| tokens.accept(Some(format!("Bearer {token}").as_bytes()));
        let first = scope("first-token-0123456").unwrap();
        let second = scope("second-token-012345").unwrap();
        let third = scope("third-token-0123456").unwrap();
        assert!(first.allows("example.org/c"));
        assert!(second.allows("example.org/a") && second.allows("example.org/b/x"));
        assert!(!second.allows("example.org/c") && !third.allows("example.org/a"));
    }

    #[test]
    fn weak_or_broken_token_lists_are_refused() {
        for text in [
            "",
            " \n",
            "short",
            "with-ümlaut-0123456789",
            "good-token-0123456 bad",
            "repositories=a/b good-token-0123456",
            "good-token-0123456 repositories=a*b",
        ] {
            assert!(Tokens::parse(text).is_err(), "{text}");
        }
        let many: String = (0..257).map(|n| format!("token-number-{n:06}\n")).collect();
        assert!(Tokens::parse(&many).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn tokens_are_exchanged_without_a_restart() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("http-tokens");
        // As an editor does it: aside, then in one step.
        let put = |text: &str, mode: u32| {
            let aside = place.path().join("aside");
            fs::write(&aside, text).unwrap();
            fs::set_permissions(&aside, fs::Permissions::from_mode(mode)).unwrap();
            fs::rename(&aside, &file).unwrap();
        };
        put("first-token-0123456\n", 0o600);
        let door = Door::open(&file).unwrap();
        let accepts = |token: &str| {
            let header = format!("Bearer {token}");
            door.accept(Some(header.as_bytes())).is_some()
        };
        assert!(accepts("first-token-0123456") && !accepts("second-token-012345"));
        put("first-token-0123456\nsecond-token-012345\n", 0o600);
        assert!(accepts("first-token-0123456") && accepts("second-token-012345"));
        put("second-token-012345\n", 0o600);
        assert!(!accepts("first-token-0123456") && accepts("second-token-012345"));
        // What cannot be trusted opens the door to nobody, and what can does so again.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!accepts("second-token-012345"));
        put("second-token-012345\n", 0o600);
        assert!(accepts("second-token-012345"));
        // In place, as long as before and of the same time: the contents count.
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, "other!-token-012345\n").unwrap();
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(written)
            .unwrap();
        assert!(!accepts("second-token-012345") && accepts("other!-token-012345"));
        fs::remove_file(&file).unwrap();
        assert!(!accepts("other!-token-012345"));
    }

    #[cfg(unix)]
    #[test]
    fn a_new_token_is_kept_and_only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config/http-tokens");
        let made = Tokens::load(&file).unwrap();
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let token = fs::read_to_string(&file).unwrap();
        let header = format!("Bearer {}", token.trim());
        assert!(made.accept(Some(header.as_bytes())).is_some());
        let read = Tokens::load(&file).unwrap();
        assert!(read.accept(Some(header.as_bytes())).is_some());

        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Tokens::load(&file).is_err());
    }
}
