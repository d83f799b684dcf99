//! Paths as `file:` URIs and back, in one spelling: every byte but letters, digits, `-._~` and `/`
//! is escaped. Servers spell URIs in many ways; what leaves this crate has this one.

use std::path::{Path, PathBuf};

pub fn from_path(path: &Path) -> String {
    #[cfg(unix)]
    let bytes = {
        use std::os::unix::ffi::OsStrExt;
        path.as_os_str().as_bytes().to_vec()
    };
    #[cfg(windows)]
    let bytes = format!("/{}", path.to_string_lossy().replace('\\', "/")).into_bytes();

    let mut uri = String::from("file://");
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// `None` for other schemes, other hosts and relative paths.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let rest = rest.split(['?', '#']).next()?;
    let bytes = unescape(rest)?;
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
    }
    #[cfg(windows)]
    {
        // `/c:/dir` is `C:\dir`: some clients write the letter of the drive small.
        let text = String::from_utf8(bytes).ok()?;
        let (drive, rest) = text.strip_prefix('/')?.split_at_checked(1)?;
        let path = format!("{}{rest}", drive.to_ascii_uppercase()).replace('/', "\\");
        Some(PathBuf::from(path)).filter(|path| path.is_absolute())
    }
}

/// A `file:` URI in our spelling; any other URI is returned unchanged.
pub fn canonical(uri: &str) -> String {
    to_path(uri).map_or_else(|| uri.to_string(), |path| from_path(&path))
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            bytes.push((digit(rest.next())? * 16 + digit(rest.next())?) as u8);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        assert_eq!(
            from_path(Path::new("/a b/@x/é.ts")),
            "file:///a%20b/%40x/%C3%A9.ts"
        );
        assert_eq!(
            canonical("file:///a%20b/@x/é.ts"),
            "file:///a%20b/%40x/%C3%A9.ts"
        );
        assert_eq!(canonical("jdt://contents/x"), "jdt://contents/x");
        assert_eq!(to_path("file://server/share"), None);
        assert_eq!(to_path("file:///a%2"), None);
        assert_eq!(to_path("file:///a%20b"), Some(PathBuf::from("/a b")));
    }
}

#[cfg(all(test, windows))]
mod windows_tests {
    use super::*;

    #[test]
    fn one_spelling() {
        let uri = "file:///C%3A/a%20b/%C3%A9.ts";
        let path = PathBuf::from(r"C:\a b\é.ts");
        assert_eq!(from_path(&path), uri);
        assert_eq!(to_path(uri), Some(path.clone()));
        assert_eq!(to_path("file:///c:/a%20b/é.ts"), Some(path));
        assert_eq!(canonical("file:///c:/a%20b/é.ts"), uri);
        assert_eq!(to_path("file:///a/b"), None);
    }
}
