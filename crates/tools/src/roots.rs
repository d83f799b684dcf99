//! The directories outside which nothing is read or shown.
//!
//! Paths are compared by component after symbolic links are resolved, and what was opened is
//! checked again after opening, so that a link swapped in between does not help.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use answers::{Scope, lexical};

use crate::{ToolError, platform};

/// Real paths of existing directories, in the order given. Without any root everything is denied.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    real: Vec<PathBuf>,
}

/// Why a path is not to be had. None of them says whether anything exists outside the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    Outside,
    Missing,
    /// A pipe, a device, a socket, a directory: nothing with a text.
    NotAFile,
    Unreadable,
}

impl Roots {
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> io::Result<Roots> {
        let mut real = Vec::new();
        for path in paths {
            let path = path.as_ref();
            let root = dunce::canonicalize(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            if !root.is_dir() {
                return Err(io::Error::new(
                    io::ErrorKind::NotADirectory,
                    format!("{} is not a directory", path.display()),
                ));
            }
            if !real.contains(&root) {
                real.push(root);
            }
        }
        Ok(Roots { real })
    }

    /// Those that a scope allows.
    pub fn within(&self, scope: &Scope) -> Roots {
        let is_within = |root: &&PathBuf| scope.allows(&root.to_string_lossy());
        Roots {
            real: self.real.iter().filter(is_within).cloned().collect(),
        }
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.real
    }

    /// Whether a real path lies inside. For paths that are not yet real: [`Roots::check`].
    pub fn contains(&self, real: &Path) -> bool {
        self.real.iter().any(|root| real.starts_with(root))
    }

    /// The real path behind `path`, if it exists and lies inside.
    pub fn check(&self, path: &Path) -> Result<PathBuf, Denied> {
        match dunce::canonicalize(path) {
            Ok(real) if self.contains(&real) => Ok(real),
            Ok(_) => Err(Denied::Outside),
            // Only a path that could not lead outside may be called missing.
            Err(_) if self.contains(&lexical(path)) => Err(Denied::Missing),
            Err(_) => Err(Denied::Outside),
        }
    }

    /// Opens a regular file for reading and makes sure that what was opened is the file inside the
    /// roots.
    pub fn open(&self, path: &Path) -> Result<(File, PathBuf), Denied> {
        let real = self.check(path)?;
        if !real.metadata().map_err(|_| Denied::Missing)?.is_file() {
            return Err(Denied::NotAFile);
        }
        let file = platform::open_without_waiting(&real).map_err(|_| Denied::Unreadable)?;
        let again = self.check(&real)?;
        let opened = file.metadata().map_err(|_| Denied::Unreadable)?;
        if !opened.is_file() {
            return Err(Denied::NotAFile);
        }
        let is_same = platform::same_file(&file, &again).map_err(|_| Denied::Missing)?;
        if again != real || !is_same {
            return Err(Denied::Outside);
        }
        Ok((file, real))
    }
}

impl From<Denied> for ToolError {
    fn from(denied: Denied) -> ToolError {
        match denied {
            Denied::Outside => ToolError::path_denied(),
            Denied::Missing => ToolError::path_invalid("no such file"),
            Denied::NotAFile => ToolError::path_invalid("not a regular file"),
            Denied::Unreadable => ToolError::path_invalid("the file cannot be read"),
        }
    }
}

/// The path in a `file:` URI.
pub fn path_of_uri(uri: &str) -> Result<PathBuf, ToolError> {
    let invalid = |what: &str| Err(ToolError::path_invalid(what));
    let Some(rest) = uri
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"))
        .map(|_| &uri[5..])
    else {
        return invalid("only `file:` URIs are allowed");
    };
    if rest.contains(['?', '#', '\\']) {
        return invalid("a `file:` URI has no query, fragment or backslash");
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => match rest.split_once('/') {
            Some(("" | "localhost", _)) => &rest[rest.find('/').unwrap_or(0)..],
            _ => return invalid("a `file:` URI names no other host"),
        },
        None => rest,
    };
    if !path.starts_with('/') {
        return invalid("a `file:` URI has an absolute path");
    }
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    if bytes.contains(&0) {
        return invalid("a path has no NUL");
    }
    match platform::path_from_uri_bytes(bytes) {
        Some(path) if path.is_absolute() => Ok(path),
        _ => invalid("the URI's path is no path of this system"),
    }
}

/// The one spelling of a real path as URI.
pub fn file_uri(real: &Path) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'/');
    format!(
        "file://{}",
        percent_encode(&platform::uri_bytes_of_path(real), KEPT)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_and_its_path() {
        for (uri, path) in [
            ("file:///a/b.rs", Some("/a/b.rs")),
            (
                "file:///a/with%20space/%C3%A4.rs",
                Some("/a/with space/ä.rs"),
            ),
            ("FILE:///a", Some("/a")),
            ("file:/a", Some("/a")),
            ("file://localhost/a", Some("/a")),
            ("file://host/a", None),
            ("file:a", None),
            ("file:///a?b", None),
            ("file:///a%00b", None),
            ("http://a/b", None),
            ("ä", None),
            ("", None),
        ] {
            assert_eq!(path_of_uri(uri).ok(), path.map(PathBuf::from), "{uri}");
        }
        assert_eq!(
            file_uri(Path::new("/a/with space/ä.rs")),
            "file:///a/with%20space/%C3%A4.rs"
        );
    }

    #[cfg(unix)]
    mod with_links {
        use std::{fs, os::unix::fs::symlink};

        use super::*;

        #[test]
        fn nothing_outside_is_opened_whatever_the_path_looks_like() {
            let place = tempfile::tempdir().unwrap();
            let at = |name: &str| place.path().join(name);
            fs::create_dir_all(at("root/inner")).unwrap();
            fs::create_dir_all(at("rootless")).unwrap();
            fs::write(at("root/inner/in.txt"), "in").unwrap();
            fs::write(at("rootless/out.txt"), "out").unwrap();
            symlink(at("rootless"), at("root/link")).unwrap();
            symlink(at("rootless/out.txt"), at("root/file-link")).unwrap();
            symlink(at("root/inner/in.txt"), at("root/inside-link")).unwrap();
            let roots = Roots::new([at("root")]).unwrap();

            let open = |name: &str| {
                roots
                    .open(&at(name))
                    .map(|(_, real)| real.file_name().unwrap().to_owned())
            };
            assert_eq!(open("root/inner/in.txt").unwrap(), "in.txt");
            assert_eq!(open("root/inside-link").unwrap(), "in.txt");
            assert_eq!(open("root/inner/../inner/in.txt").unwrap(), "in.txt");
            assert_eq!(open("rootless/out.txt"), Err(Denied::Outside));
            assert_eq!(open("root/link/out.txt"), Err(Denied::Outside));
            assert_eq!(open("root/file-link"), Err(Denied::Outside));
            assert_eq!(open("root/../rootless/out.txt"), Err(Denied::Outside));
            assert_eq!(open("rootless/missing.txt"), Err(Denied::Outside));
            assert_eq!(open("root/missing.txt"), Err(Denied::Missing));
            assert_eq!(open("root/inner"), Err(Denied::NotAFile));
        }

        #[test]
        fn a_pipe_neither_blocks_nor_opens() {
            let place = tempfile::tempdir().unwrap();
            let pipe = place.path().join("pipe");
            rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
            let roots = Roots::new([place.path()]).unwrap();
            assert_eq!(roots.open(&pipe).map(|_| ()), Err(Denied::NotAFile));
        }

        #[test]
        fn without_roots_everything_is_denied() {
            assert_eq!(Roots::default().check(Path::new("/")), Err(Denied::Outside));
            assert!(Roots::new(["/no/such/root"]).is_err());
        }
    }
}
