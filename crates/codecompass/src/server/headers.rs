//! What HTTP headers must be, rule by rule: hosts and origins, media types, and those of revision
//! 2026-07-28 that repeat what the body says.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, Uri, header};
use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value};

use super::message::{REVISIONS, cut};

pub const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// HTTP's default port, which a client may leave out.
const DEFAULT_PORT: u16 = 80;

/// Who may ask: the names of this server, and what the user added. Compared as written, without
/// wildcards.
#[derive(Clone, Debug)]
pub struct Allowed {
    pub hosts: Vec<String>,
    pub origins: Vec<String>,
}

impl Allowed {
    /// A server on loopback goes by three names, and by the address that it listens on.
    pub fn at(address: SocketAddr) -> Allowed {
        let mut names = ["127.0.0.1", "localhost", "[::1]"]
            .map(str::to_owned)
            .to_vec();
        let bound = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        if !address.ip().is_unspecified() && !names.contains(&bound) {
            names.push(bound);
        }
        let mut hosts: Vec<_> = names
            .iter()
            .map(|name| format!("{name}:{}", address.port()))
            .collect();
        if address.port() == DEFAULT_PORT {
            hosts.extend(names);
        }
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Allowed { hosts, origins }
    }

    /// A page that rebinds its own name to this address still sends its own name. A target that
    /// names a host, as those to a proxy do, must name one of ours as well.
    pub fn host(&self, target: &Uri, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (values.next(), values.next()) else {
            return false;
        };
        let is_own = |host: &str| {
            self.hosts
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(host))
        };
        host.to_str().is_ok_and(is_own)
            && target
                .authority()
                .is_none_or(|authority| is_own(authority.as_str()))
    }

    /// Absent outside browsers.
    pub fn origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            origin
                .to_str()
                .is_ok_and(|origin| self.origins.iter().any(|allowed| allowed == origin))
        })
    }
}

/// `application/json`, whatever its parameters. Forms and plain text are what a foreign page could
/// send.
pub fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    value
        .to_str()
        .is_ok_and(|value| media_type(value).eq_ignore_ascii_case("application/json"))
}

/// Both forms of an answer must be welcome, by name.
pub fn accepts_both(headers: &HeaderMap) -> bool {
    let accepted = |wanted: &str| {
        let values = headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|part| media_type(part).eq_ignore_ascii_case(wanted))
    };
    accepted("application/json") && accepted("text/event-stream")
}

fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// Whether the headers alone tell a request of a revision without handshake. Later dates that
/// nobody knows count as newer revisions: their client learns what is spoken here. What is no date
/// counts as nothing.
pub fn are_stateless(headers: &HeaderMap) -> bool {
    if headers.contains_key(PROTOCOL_VERSION) {
        let mut versions = headers
            .get_all(PROTOCOL_VERSION)
            .iter()
            .filter_map(|version| version.to_str().ok());
        return versions
            .any(|version| is_date(version) && version >= ProtocolVersion::NO_INITIALIZE.as_str());
    }
    // Older revisions have no such header, though some clients send it with every request, in
    // sessions too.
    headers.contains_key(METHOD) && !headers.contains_key(SESSION_ID)
}

fn is_date(version: &str) -> bool {
    version.len() == 10
        && version.bytes().enumerate().all(|(at, byte)| {
            if matches!(at, 4 | 7) {
                byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// A revision with a handshake that is spoken here, if one is stated.
pub fn session_revision(headers: &HeaderMap) -> Result<Option<ProtocolVersion>, String> {
    let Some(stated) = single(headers, &PROTOCOL_VERSION)? else {
        return Ok(None);
    };
    let known = REVISIONS
        .iter()
        .find(|revision| revision.as_str() == stated && revision.has_initialize());
    known.cloned().map(Some).ok_or_else(|| {
        format!(
            "the MCP-Protocol-Version header `{}` is unknown",
            cut(stated, 40)
        )
    })
}

/// The revision in the header must be the one in the body.
pub fn check_version(headers: &HeaderMap, body: Option<&ProtocolVersion>) -> Result<(), String> {
    let header = single(headers, &PROTOCOL_VERSION)?;
    match (header, body) {
        (None, _) => Err("the MCP-Protocol-Version header is missing".to_owned()),
        (Some(header), Some(body)) if header != body.as_str() => Err(format!(
            "the MCP-Protocol-Version header `{}` differs from the body",
            cut(header, 40)
        )),
        _ => Ok(()),
    }
}

/// `Mcp-Method` and `Mcp-Name` must say what the body says: others route by them.
pub fn check_method(
    headers: &HeaderMap,
    method: &str,
    params: &Map<String, Value>,
) -> Result<(), String> {
    match single(headers, &METHOD)? {
        None => return Err("the Mcp-Method header is missing".to_owned()),
        Some(header) if header != method => {
            return Err(format!(
                "the Mcp-Method header `{}` differs from the body",
                cut(header, 100)
            ));
        }
        Some(_) => {}
    }
    let name = match method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    let Some(name) = name.and_then(Value::as_str) else {
        return Ok(());
    };
    let Some(header) = single(headers, &NAME)? else {
        return Err("the Mcp-Name header is missing".to_owned());
    };
    match decoded(header) {
        Some(header) if header == name => Ok(()),
        Some(_) => Err("the Mcp-Name header differs from the body".to_owned()),
        None => Err("the Mcp-Name header is not valid Base64".to_owned()),
    }
}

/// Twice the same header means that two readers may see two different ones.
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(format!("the {name} header is there twice"));
    }
    value
        .to_str()
        .map(|value| Some(value.trim()))
        .map_err(|_| format!("the {name} header is not text"))
}

/// Names that a header cannot carry come as `=?base64?...?=`.
fn decoded(value: &str) -> Option<String> {
    match value
        .strip_prefix("=?base64?")
        .and_then(|value| value.strip_suffix("?="))
    {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hosts_and_origins_are_compared_as_written() {
        let allowed = Allowed::at(([127, 0, 0, 1], 9100).into());
        let path = Uri::from_static("/mcp");
        for (host, ok) in [
            ("127.0.0.1:9100", true),
            ("LOCALHOST:9100", true),
            ("[::1]:9100", true),
            ("127.0.0.1:9101", false),
            ("127.0.0.1", false),
            ("evil.example.com", false),
            ("127.0.0.1.evil.example.com:9100", false),
        ] {
            assert_eq!(
                allowed.host(&path, &headers(&[("host", host)])),
                ok,
                "{host}"
            );
            let target = format!("http://{host}/mcp").parse().unwrap();
            assert_eq!(
                allowed.host(&target, &headers(&[("host", "localhost:9100")])),
                ok,
                "{target}"
            );
        }
        assert!(!allowed.host(&path, &headers(&[])));
        assert!(!allowed.host(
            &path,
            &headers(&[("host", "localhost:9100"), ("host", "evil")])
        ));
        assert!(allowed.origin(&headers(&[])));
        assert!(allowed.origin(&headers(&[("origin", "http://localhost:9100")])));
        for origin in [
            "null",
            "http://evil.example.com",
            "https://localhost:9100",
            "http://localhost",
            "http://LOCALHOST:9100",
        ] {
            assert!(!allowed.origin(&headers(&[("origin", origin)])), "{origin}");
        }
    }

    #[test]
    fn a_server_knows_the_address_that_it_listens_on() {
        for (address, host, ok) in [
            ("127.0.0.2:9100", "127.0.0.2:9100", true),
            ("127.0.0.2:9100", "127.0.0.1:9100", true),
            ("127.0.0.2:9100", "127.0.0.3:9100", false),
            ("127.0.0.2:9100", "127.0.0.2", false),
            ("127.0.0.1:80", "127.0.0.1", true),
            ("127.0.0.1:80", "localhost:80", true),
            ("127.0.0.1:80", "127.0.0.1:9100", false),
            ("[fd00::1]:80", "[fd00::1]", true),
            ("0.0.0.0:9100", "0.0.0.0:9100", false),
        ] {
            let allowed = Allowed::at(address.parse().unwrap());
            assert_eq!(
                allowed.host(&Uri::from_static("/mcp"), &headers(&[("host", host)])),
                ok,
                "{address} {host}"
            );
            assert_eq!(
                allowed.origin(&headers(&[("origin", &format!("http://{host}"))])),
                ok,
                "{address} {host}"
            );
        }
    }

    #[test]
    fn media_types() {
        assert!(is_json(&headers(&[(
            "content-type",
            "Application/JSON; charset=utf-8"
        )])));
        assert!(!is_json(&headers(&[("content-type", "text/plain")])));
        assert!(!is_json(&headers(&[("content-type", "application/jsonl")])));
        assert!(!is_json(&headers(&[])));
        assert!(accepts_both(&headers(&[(
            "accept",
            "text/event-stream;q=0.5, application/json"
        )])));
        assert!(accepts_both(&headers(&[
            ("accept", "application/json"),
            ("accept", "text/event-stream")
        ])));
        assert!(!accepts_both(&headers(&[("accept", "*/*")])));
        assert!(!accepts_both(&headers(&[("accept", "application/json")])));
        assert!(!accepts_both(&headers(&[])));
    }

    #[test]
    fn names_are_decoded_before_they_are_compared() {
        let params = json!({ "name": "grüße" });
        let params = params.as_object().unwrap();
        let check = |name: &str| {
            check_method(
                &headers(&[("mcp-method", "tools/call"), ("mcp-name", name)]),
                "tools/call",
                params,
            )
        };
        assert!(check("=?base64?Z3LDvMOfZQ==?=").is_ok());
        assert!(check("=?base64?Z3LDvMOfZQ?=").is_err());
        assert!(check("=?base64?Z3J1ZXNzZQ==?=").is_err());
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                value.parse().unwrap(),
            );
        }
        headers
    }
}
