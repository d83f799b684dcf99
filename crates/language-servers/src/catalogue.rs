//! The language servers we know, as data: `catalogue.toml` beside this file, and what a user adds
//! in the same form. `detect` reads it to find servers on this machine, `pool` to start them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// Servers in order of preference.
#[derive(Debug, Clone)]
pub struct Catalogue {
    pub servers: Vec<ServerSpec>,
}

/// One server, as `catalogue.toml` describes each key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    pub name: String,
    pub language: String,
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub version: Vec<String>,
    pub extensions: BTreeMap<String, String>,
    #[serde(default)]
    pub root_markers: Vec<String>,
    #[serde(default)]
    pub options: Value,
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub ready: ReadySignal,
    #[serde(default = "default_settle")]
    pub settle_ms: u64,
    #[serde(default)]
    pub needs_document: bool,
    #[serde(default)]
    pub lists_declaration: bool,
    #[serde(default)]
    pub ignores_disk: bool,
    #[serde(default)]
    pub link: Option<Link>,
    #[serde(default)]
    pub install: String,
    #[serde(default)]
    pub tested: bool,
    #[serde(default = "enabled")]
    pub enabled: bool,
}

/// How a server shows that it has loaded its project and answers completely.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadySignal {
    /// No `$/progress` is under way, a moment after start and after its first document.
    Progress,
    /// `experimental/serverStatus` says `quiescent`.
    ServerStatus,
    /// This notification came, with this `type` in its parameters if one is named.
    Notification {
        method: String,
        kind: Option<String>,
    },
    /// It logged a message that begins with one of these.
    Log(Vec<String>),
    /// It answers no question before it has loaded, so that any answer is complete.
    #[default]
    FirstResponse,
}

/// A file of the repository that the server shall reach through its cache directory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub name: String,
    pub candidates: Vec<String>,
    /// Added to the command line when a candidate exists.
    #[serde(default)]
    pub args: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("the list of language servers is not valid TOML: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("each language server needs a name: [[server]] number {number} has none")]
    Nameless { number: usize },
}

impl Catalogue {
    pub fn builtin() -> Catalogue {
        Catalogue::with_user("").expect("the built-in catalogue is tested")
    }

    /// The built-in servers with `user` over them. `user` names commands that will be run: it must
    /// come from the user's own configuration, never from a repository.
    pub fn with_user(user: &str) -> Result<Catalogue, CatalogueError> {
        let mut known = tables(include_str!("catalogue.toml"))?;
        let mut servers = Vec::new();
        for (index, changes) in tables(user)?.into_iter().enumerate() {
            let Some(name) = changes.get("name").cloned() else {
                return Err(CatalogueError::Nameless { number: index + 1 });
            };
            let mut table = match known
                .iter()
                .position(|table| table.get("name") == Some(&name))
            {
                Some(position) => known.remove(position),
                None => toml::Table::new(),
            };
            // A server with another command is not the one that we tested.
            if changes.contains_key("command") || changes.contains_key("args") {
                table.insert("tested".into(), false.into());
            }
            table.extend(changes);
            servers.push(table.try_into::<ServerSpec>()?);
        }
        for table in known {
            servers.push(table.try_into::<ServerSpec>()?);
        }
        servers.retain(|server| server.enabled);
        Ok(Catalogue { servers })
    }

    /// The servers that could serve a file of this extension, best first.
    pub fn for_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a ServerSpec> {
        self.servers
            .iter()
            .filter(move |server| server.extensions.contains_key(extension))
    }
}

impl ServerSpec {
    /// The protocol's name for the language of this file, if the server serves it.
    pub fn language_id(&self, path: &Path) -> Option<&str> {
        self.extensions
            .get(path.extension()?.to_str()?)
            .map(String::as_str)
    }
}

fn tables(text: &str) -> Result<Vec<toml::Table>, CatalogueError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct CatalogueFile {
        #[serde(default)]
        server: Vec<toml::Table>,
    }
    Ok(toml::from_str::<CatalogueFile>(text)?.server)
}

fn default_settle() -> u64 {
    300
}

fn enabled() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_catalogue_is_sound() {
        let catalogue = Catalogue::builtin();
        assert_eq!(catalogue.servers.len(), 14);
        for server in &catalogue.servers {
            assert!(
                !server.extensions.is_empty(),
                "{} serves no file",
                server.name
            );
            assert!(
                !server.install.is_empty(),
                "{} has no install hint",
                server.name
            );
        }
        let first = |extension| {
            catalogue
                .for_extension(extension)
                .next()
                .map(|server| server.name.as_str())
        };
        assert_eq!(first("rs"), Some("rust-analyzer"));
        assert_eq!(first("py"), Some("basedpyright"));
        assert_eq!(first("tsx"), Some("typescript-language-server"));
        assert_eq!(first("xyz"), None);
    }

    #[test]
    fn a_user_adds_changes_and_disables() {
        let catalogue = Catalogue::with_user(
            r#"
            [[server]]
            name = "pylsp"
            args = ["-v"]
            [[server]]
            name = "zls"
            language = "zig"
            command = "zls"
            extensions = { zig = "zig" }
            [[server]]
            name = "gopls"
            enabled = false
            "#,
        )
        .unwrap();
        let names = |extension| -> Vec<_> {
            catalogue
                .for_extension(extension)
                .map(|server| server.name.as_str())
                .collect()
        };
        assert_eq!(names("py"), ["pylsp", "basedpyright", "pyright", "ty"]);
        assert_eq!(names("zig"), ["zls"]);
        assert!(names("go").is_empty());
        assert_eq!(catalogue.servers[0].args, ["-v"]);
        assert_eq!(catalogue.servers[0].command, "pylsp");
    }

    #[test]
    fn a_mistyped_key_is_an_error() {
        assert!(Catalogue::with_user("[[server]]\nname = \"gopls\"\nargz = []\n").is_err());
        assert!(matches!(
            Catalogue::with_user("[[server]]\nargs = []\n"),
            Err(CatalogueError::Nameless { number: 1 })
        ));
    }
}
