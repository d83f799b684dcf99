//! How MCP clients learn of this server: their configuration files, edited in place.
//!
//! Only the entry `codecompass` is ours. Comments, order and layout of everything else stay as they are, and
//! taking the entry out leaves the file as it was before.

mod json;
mod toml;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::paths;

/// The name of our entry.
pub const ENTRY: &str = "codecompass";

/// Which tool answers which question, for an agent's own instructions file.
pub const AGENT_INSTRUCTIONS: &str = include_str!("agent-instructions.md");

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    ClaudeCode,
    Cursor,
    Vscode,
    Codex,
    Zed,
    /// The form that most others read
    Generic,
}

/// What the client is to start.
#[derive(Clone, Debug)]
pub struct Launch {
    pub command: String,
    pub arguments: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For the project in this directory, in files that travel with it.
    Project,
    /// For everything the user opens.
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Made,
    /// It was so already.
    None,
}

impl Client {
    /// Where in the file servers stand.
    fn section(self) -> &'static str {
        match self {
            Client::ClaudeCode | Client::Cursor | Client::Generic => "mcpServers",
            Client::Vscode => "servers",
            Client::Codex => "mcp_servers",
            Client::Zed => "context_servers",
        }
    }

    pub fn file(self, scope: Scope, project: &Path) -> anyhow::Result<PathBuf> {
        let home = paths::home;
        Ok(match (self, scope) {
            (Client::ClaudeCode, Scope::Project) => project.join(".mcp.json"),
            (Client::ClaudeCode, Scope::User) => home()?.join(".claude.json"),
            (Client::Cursor, Scope::Project) => project.join(".cursor/mcp.json"),
            (Client::Cursor, Scope::User) => home()?.join(".cursor/mcp.json"),
            (Client::Vscode, Scope::Project) => project.join(".vscode/mcp.json"),
            (Client::Vscode, Scope::User) => user_settings()?.join("Code/User/mcp.json"),
            (Client::Codex, Scope::Project) => project.join(".codex/config.toml"),
            (Client::Codex, Scope::User) => match std::env::var_os("CODEX_HOME") {
                Some(codex) => PathBuf::from(codex).join("config.toml"),
                None => home()?.join(".codex/config.toml"),
            },
            (Client::Zed, Scope::Project) => project.join(".zed/settings.json"),
            // Zed keeps to `.config` on every Unix.
            (Client::Zed, Scope::User) if cfg!(unix) => home()?.join(".config/zed/settings.json"),
            (Client::Zed, Scope::User) => user_settings()?.join("Zed/settings.json"),
            (Client::Generic, _) => bail!("name the file of a generic client with --file"),
        })
    }

    /// What a client in a project has to be told about where it is; most start servers in the project.
    pub fn workspace_variable(self) -> Option<&'static str> {
        matches!(self, Client::Cursor | Client::Vscode).then_some("${workspaceFolder}")
    }

    fn entry(self, launch: &Launch) -> Value {
        let Launch { command, arguments } = launch;
        match self {
            Client::Vscode => json!({ "type": "stdio", "command": command, "args": arguments }),
            Client::Zed => {
                json!({ "source": "custom", "command": command, "args": arguments, "env": {} })
            }
            _ => json!({ "command": command, "args": arguments }),
        }
    }

    /// The whole configuration, as it would be in a file of its own.
    pub fn configuration(self, launch: &Launch) -> anyhow::Result<String> {
        self.with_entry("", launch)
    }

    fn with_entry(self, text: &str, launch: &Launch) -> anyhow::Result<String> {
        match self {
            Client::Codex => toml::with_entry(text, self.section(), ENTRY, &launch.command, &launch.arguments),
            _ => json::with_entry(text, self.section(), ENTRY, &self.entry(launch)),
        }
    }

    fn without_entry(self, text: &str) -> anyhow::Result<String> {
        match self {
            Client::Codex => toml::without_entry(text, self.section(), ENTRY),
            _ => json::without_entry(text, self.section(), ENTRY),
        }
    }

    pub fn add(self, file: &Path, launch: &Launch) -> anyhow::Result<Change> {
        let old = read(file)?;
        let new = self.with_entry(old.as_deref().unwrap_or_default(), launch).with_context(|| unreadable(file))?;
        if old.as_deref() == Some(&new) {
            return Ok(Change::None);
        }
        write(file, &new)?;
        Ok(Change::Made)
    }

    pub fn remove(self, file: &Path) -> anyhow::Result<Change> {
        let Some(old) = read(file)? else {
            return Ok(Change::None);
        };
        let new = self.without_entry(&old).with_context(|| unreadable(file))?;
        if old == new {
            return Ok(Change::None);
        }
        if new.trim().is_empty() || new.trim() == "{}" {
            fs::remove_file(file).with_context(|| format!("cannot remove {}", file.display()))?;
        } else {
            write(file, &new)?;
        }
        Ok(Change::Made)
    }
}

fn unreadable(file: &Path) -> String {
    format!("{} is not as it should be, so it stays untouched", file.display())
}

fn read(file: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// In one step, and through a link if the file is one: some keep their settings elsewhere.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let write = || -> std::io::Result<()> {
        let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory)?;
        }
        let aside = target.with_extension(format!("codecompass-{}", std::process::id()));
        fs::write(&aside, text)?;
        if let Ok(old) = fs::metadata(&target) {
            fs::set_permissions(&aside, old.permissions())?;
        }
        fs::rename(&aside, &target)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

fn user_settings() -> anyhow::Result<PathBuf> {
    if cfg!(windows) {
        return std::env::var_os("APPDATA").map(PathBuf::from).context("APPDATA is not set");
    }
    Ok(paths::home()?.join(if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" }))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[test]
    fn every_client_gets_its_own_form() {
        check_configuration(
            Client::ClaudeCode,
            expect![[r#"
            {
              "mcpServers": {
                "codecompass": {
                  "command": "codecompass",
                  "args": ["serve-mcp"]
                }
              }
            }
        "#]],
        );
        check_configuration(
            Client::Vscode,
            expect![[r#"
            {
              "servers": {
                "codecompass": {
                  "type": "stdio",
                  "command": "codecompass",
                  "args": ["serve-mcp"]
                }
              }
            }
        "#]],
        );
        check_configuration(
            Client::Zed,
            expect![[r#"
            {
              "context_servers": {
                "codecompass": {
                  "source": "custom",
                  "command": "codecompass",
                  "args": ["serve-mcp"],
                  "env": {}
                }
              }
            }
        "#]],
        );
        check_configuration(
            Client::Codex,
            expect![[r#"
            [mcp_servers.codecompass]
            command = "codecompass"
            args = ["serve-mcp"]
        "#]],
        );
    }

    #[test]
    fn nothing_else_in_the_file_changes_and_removal_gives_it_back() {
        let json = |section: &str| {
            format!(
                "// mine\n{{\n\t\"theme\": \"dark\", // keep\n\t\"{section}\": {{\n\t\t\"other\": {{ \"command\": \"x\" }}, /* and this */\n\t}},\n\t\"z\": [1,2 , 3]\n}}\n"
            )
        };
        let toml = "# mine\nmodel = \"m\"   # keep\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[z]\na = [1,2 , 3]\n";
        for client in Client::value_variants() {
            let text = if *client == Client::Codex { toml.to_owned() } else { json(client.section()) };
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("config");
            fs::write(&file, &text).unwrap();
            assert_eq!(client.remove(&file).unwrap(), Change::None);
            assert_eq!(client.add(&file, &launch()).unwrap(), Change::Made);
            let added = fs::read_to_string(&file).unwrap();
            for kept in ["mine", "keep", "1,2 , 3", "other"] {
                assert!(added.contains(kept), "{added}");
            }
            assert!(added.contains("serve-mcp"), "{added}");
            assert_eq!(client.add(&file, &launch()).unwrap(), Change::None);
            let moved = Launch { command: "/elsewhere/codecompass".to_owned(), ..launch() };
            assert_eq!(client.add(&file, &moved).unwrap(), Change::Made);
            assert!(fs::read_to_string(&file).unwrap().contains("/elsewhere/codecompass"));
            assert_eq!(client.remove(&file).unwrap(), Change::Made);
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client:?}");
        }
    }

    #[test]
    fn what_stands_on_one_line_stays_there() {
        for client in Client::value_variants().iter().filter(|client| **client != Client::Codex) {
            let section = client.section();
            for text in [
                format!("{{\"{section}\": {{\"other\": {{\"command\": \"x\"}}}}, \"z\": 1}}"),
                format!("{{\n  \"{section}\": {{ \"other\": {{}}, }}, // mine\n  \"z\": 1\n}}\n"),
                "{\"theme\": \"dark\"}\n".to_owned(),
            ] {
                let place = tempfile::tempdir().unwrap();
                let file = place.path().join("config");
                fs::write(&file, &text).unwrap();
                assert_eq!(client.add(&file, &launch()).unwrap(), Change::Made);
                let added = fs::read_to_string(&file).unwrap();
                assert_eq!(added.lines().count(), text.lines().count(), "{added}");
                assert_eq!(client.add(&file, &launch()).unwrap(), Change::None);
                assert_eq!(client.remove(&file).unwrap(), Change::Made);
                assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client:?}");
            }
        }
    }

    #[test]
    fn a_file_made_for_the_entry_goes_with_it() {
        for client in Client::value_variants() {
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("deep/config");
            assert_eq!(client.add(&file, &launch()).unwrap(), Change::Made);
            assert_eq!(client.remove(&file).unwrap(), Change::Made);
            assert!(!file.exists(), "{client:?}");
        }
    }

    #[test]
    fn every_client_has_its_files() {
        let project = Path::new("/project");
        for (client, file) in [
            (Client::ClaudeCode, ".mcp.json"),
            (Client::Cursor, ".cursor/mcp.json"),
            (Client::Vscode, ".vscode/mcp.json"),
            (Client::Codex, ".codex/config.toml"),
            (Client::Zed, ".zed/settings.json"),
        ] {
            assert_eq!(client.file(Scope::Project, project).unwrap(), project.join(file));
            assert!(client.file(Scope::User, project).is_ok_and(|file| !file.starts_with(project)));
        }
        assert!(Client::Generic.file(Scope::Project, project).is_err(), "nobody knows where it is");
    }

    #[test]
    fn a_file_that_cannot_be_understood_stays_untouched() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config");
        for text in ["{ \"a\": ", "[]", "{ \"mcpServers\": 5 }"] {
            fs::write(&file, text).unwrap();
            assert!(Client::Cursor.add(&file, &launch()).is_err());
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }

    #[test]
    fn the_agents_block_names_tools_that_exist() {
        let registry = tools::Registry::of(&[tools::Surface::Codecompass]);
        if registry.entries().is_empty() {
            return;
        }
        for name in AGENT_INSTRUCTIONS.split('`').skip(1).step_by(2).filter(|name| name.contains('_')) {
            assert!(registry.find(name).is_some(), "{name}");
        }
    }

    fn launch() -> Launch {
        Launch { command: "codecompass".to_owned(), arguments: vec!["serve-mcp".to_owned()] }
    }

    #[track_caller]
    fn check_configuration(client: Client, expected: Expect) {
        expected.assert_eq(&client.configuration(&launch()).unwrap());
    }
}
