//! What a repository is called, wherever it was cloned to.

/// `host/path` of an address that git knows: without user, password, scheme and `.git`, so that
/// every clone of a repository has one name. The text itself where it is no address.
pub fn repository_name(address: &str) -> String {
    let address = address.trim().trim_end_matches('/');
    let rest = match address.split_once("://") {
        Some(("file", path)) => return last_part(path).to_owned(),
        Some((_, rest)) => rest.to_owned(),
        // `user@host:path`, as git understands it besides addresses.
        None => match address.split_once(':') {
            Some((host, path)) if !host.contains('/') && host.len() > 1 => {
                format!("{host}/{}", path.trim_start_matches('/'))
            }
            _ if address.starts_with(['/', '.']) => return last_part(address).to_owned(),
            _ => address.to_owned(),
        },
    };
    let rest = rest.trim_end_matches('/');
    let (host, path) = rest.split_once('/').unwrap_or(("", rest));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.strip_suffix(".git").unwrap_or(path);
    match host {
        "" => path.to_owned(),
        host => format!("{}/{path}", host.to_ascii_lowercase()),
    }
}

fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path
        .strip_suffix(".git")
        .unwrap_or(path)
        .trim_end_matches('/');
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_has_one_name() {
        for address in [
            "https://github.com/owner/name.git",
            "https://user:word@GitHub.com/owner/name/",
            "git@github.com:owner/name.git",
            "ssh://git@github.com:22/owner/name",
            "github.com/owner/name",
        ] {
            assert_eq!(
                repository_name(address),
                "github.com/owner/name",
                "{address}"
            );
        }
        assert_eq!(repository_name("/srv/git/name.git"), "name");
        assert_eq!(repository_name("file:///srv/git/name.git/"), "name");
        assert_eq!(repository_name("/srv/name/.git"), "name");
        assert_eq!(repository_name("name"), "name");
    }
}
