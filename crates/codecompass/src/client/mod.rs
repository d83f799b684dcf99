//! How MCP clients learn of this server: their configuration files, edited in place.
//!
//! Only the entry `codecompass` is ours. Comments, order and layout of everything else stay as they
//! are, and taking the entry out leaves the file as it was before, byte for byte; only a file made
//! for the entry goes with it.

mod json;
mod splice;
mod toml;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{paths, platform};

/// The name of our entry.
pub const ENTRY: &str = "codecompass";

/// The tools that an entry starts unless the user chooses others.
pub const SURFACE: &str = "agent";

/// Which tool answers which question, for an agent's own instructions file.
pub const AGENT_INSTRUCTIONS: &str = include_str!("agent-instructions.md");

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Client {
    ClaudeCode,
    Cursor,
    Vscode,
    Codex,
    Zed,
    #[value(alias = "gemini-cli")]
    Gemini,
    Opencode,
    /// GitHub Copilot CLI
    #[value(alias = "copilot-cli")]
    Copilot,
    Windsurf,
    Kiro,
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
pub enum ConfigScope {
    /// For the project in this directory, in files that travel with it.
    Project,
    /// For everything the user opens.
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigChange {
    Made,
    /// It was so already.
    None,
}

impl Client {
    /// The key in the file below which servers are listed.
    fn section(self) -> &'static str {
        match self {
            Client::ClaudeCode
            | Client::Cursor
            | Client::Gemini
            | Client::Copilot
            | Client::Windsurf
            | Client::Kiro
            | Client::Generic => "mcpServers",
            Client::Opencode => "mcp",
            Client::Vscode => "servers",
            Client::Codex => "mcp_servers",
            Client::Zed => "context_servers",
        }
    }

    pub fn file(self, scope: ConfigScope, project: &Path) -> anyhow::Result<PathBuf> {
        let home = paths::home;
        Ok(match (self, scope) {
            (Client::ClaudeCode, ConfigScope::Project) => project.join(".mcp.json"),
            (Client::ClaudeCode, ConfigScope::User) => home()?.join(".claude.json"),
            (Client::Cursor, ConfigScope::Project) => project.join(".cursor/mcp.json"),
            (Client::Cursor, ConfigScope::User) => home()?.join(".cursor/mcp.json"),
            (Client::Vscode, ConfigScope::Project) => project.join(".vscode/mcp.json"),
            (Client::Vscode, ConfigScope::User) => user_settings()?.join("Code/User/mcp.json"),
            (Client::Codex, ConfigScope::Project) => project.join(".codex/config.toml"),
            (Client::Codex, ConfigScope::User) => match std::env::var_os("CODEX_HOME") {
                Some(codex) => PathBuf::from(codex).join("config.toml"),
                None => home()?.join(".codex/config.toml"),
            },
            (Client::Zed, ConfigScope::Project) => project.join(".zed/settings.json"),
            (Client::Zed, ConfigScope::User) if cfg!(windows) => {
                user_settings()?.join("Zed/settings.json")
            }
            (Client::Zed, ConfigScope::User) if cfg!(target_os = "macos") => {
                home()?.join(".config/zed/settings.json")
            }
            (Client::Zed, ConfigScope::User) => user_settings()?.join("zed/settings.json"),
            (Client::Gemini, ConfigScope::Project) => project.join(".gemini/settings.json"),
            (Client::Gemini, ConfigScope::User) => home()?.join(".gemini/settings.json"),
            (Client::Opencode, ConfigScope::Project) => project.join("opencode.json"),
            (Client::Opencode, ConfigScope::User) => match paths::stated("XDG_CONFIG_HOME") {
                Some(settings) => settings.join("opencode/opencode.json"),
                None => home()?.join(".config/opencode/opencode.json"),
            },
            (Client::Copilot, ConfigScope::Project) => project.join(".github/mcp.json"),
            (Client::Copilot, ConfigScope::User) => home()?.join(".copilot/mcp-config.json"),
            (Client::Windsurf, ConfigScope::Project) => {
                bail!("Windsurf has no file for one project; add --user")
            }
            (Client::Windsurf, ConfigScope::User) => {
                home()?.join(".codeium/windsurf/mcp_config.json")
            }
            (Client::Kiro, ConfigScope::Project) => project.join(".kiro/settings/mcp.json"),
            (Client::Kiro, ConfigScope::User) => home()?.join(".kiro/settings/mcp.json"),
            (Client::Generic, _) => bail!("name the file of a generic client with --file"),
        })
    }

    /// What a client in a project has to be told about where it is; most start servers in the
    /// project.
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
            Client::Opencode => {
                let whole: Vec<&String> = std::iter::once(command).chain(arguments).collect();
                json!({ "type": "local", "command": whole, "enabled": true })
            }
            Client::Copilot => {
                json!({ "type": "local", "command": command, "args": arguments, "tools": ["*"] })
            }
            _ => json!({ "command": command, "args": arguments }),
        }
    }

    /// The whole configuration, as it would be in a file of its own.
    pub fn configuration(self, launch: &Launch) -> String {
        match self {
            Client::Codex => toml::new_file(self.section(), ENTRY, launch),
            _ => json::new_file(self.section(), ENTRY, &self.entry(launch)),
        }
    }

    pub fn with_entry(self, text: &str, launch: &Launch) -> anyhow::Result<String> {
        let (mark, body) = split_byte_order_mark(text);
        let new = match self {
            Client::Codex => toml::with_entry(body, self.section(), ENTRY, launch)?,
            _ => json::with_entry(body, self.section(), ENTRY, &self.entry(launch))?,
        };
        let new = format!("{mark}{new}");
        let is_there_already = self.without_entry(text)?.as_deref() != Some(text);
        ensure!(
            is_there_already || self.without_entry(&new)?.as_deref() == Some(text),
            "the entry could not be taken out again; write it yourself, as `codecompass client print` shows it"
        );
        Ok(new)
    }

    /// `None` where nothing is left of a file that was made for the entry.
    pub fn without_entry(self, text: &str) -> anyhow::Result<Option<String>> {
        let (mark, body) = split_byte_order_mark(text);
        let rest = match self {
            Client::Codex => toml::without_entry(body, self.section(), ENTRY)?,
            _ => json::without_entry(body, self.section(), ENTRY)?,
        };
        Ok(rest.map(|rest| format!("{mark}{rest}")))
    }

    /// Whether a file has an entry that starts other tools than [`SURFACE`]'s: one of an earlier
    /// version, or one that the user chose.
    pub fn has_old_entry(self, file: &Path) -> bool {
        let Ok(Some(text)) = read(file) else {
            return false;
        };
        let has_entry = self
            .without_entry(&text)
            .is_ok_and(|rest| rest.as_deref() != Some(text.as_str()));
        // What is written elsewhere in the file changes nothing about that.
        let own = text.split_once(ENTRY).map_or("", |(_, after)| after);
        let own: String = own.chars().take(1_000).collect();
        has_entry && !own.contains("--surface")
    }

    pub fn add(self, file: &Path, launch: &Launch) -> anyhow::Result<ConfigChange> {
        let old = read(file)?;
        let new = match &old {
            Some(old) => self
                .with_entry(old, launch)
                .with_context(|| unreadable(file))?,
            None => self.configuration(launch),
        };
        if old.as_deref() == Some(&new) {
            return Ok(ConfigChange::None);
        }
        write(file, &new)?;
        Ok(ConfigChange::Made)
    }

    pub fn remove(self, file: &Path) -> anyhow::Result<ConfigChange> {
        let Some(old) = read(file)? else {
            return Ok(ConfigChange::None);
        };
        match self.without_entry(&old).with_context(|| unreadable(file))? {
            Some(new) if new == old => return Ok(ConfigChange::None),
            Some(new) => write(file, &new)?,
            None => fs::remove_file(behind_links(file))
                .with_context(|| format!("cannot remove {}", file.display()))?,
        }
        Ok(ConfigChange::Made)
    }
}

/// Some editors on Windows begin files with one.
fn split_byte_order_mark(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len())
}

fn unreadable(file: &Path) -> String {
    format!(
        "{} is not as it should be, so it stays untouched",
        file.display()
    )
}

fn read(file: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let write = || -> std::io::Result<()> {
        let target = behind_links(file);
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory)?;
        }
        platform::replace_file(&target, text.as_bytes())
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// The file that a link leads to: some keep their settings elsewhere. It need not be there yet.
fn behind_links(file: &Path) -> PathBuf {
    dunce::canonicalize(file).unwrap_or_else(|_| match (fs::read_link(file), file.parent()) {
        (Ok(target), Some(directory)) => directory.join(target),
        _ => file.to_owned(),
    })
}

/// Where other programs keep what the user has set.
fn user_settings() -> anyhow::Result<PathBuf> {
    if cfg!(windows) {
        return paths::stated("APPDATA").context("APPDATA is not set");
    }
    if cfg!(target_os = "macos") {
        return Ok(paths::home()?.join("Library/Application Support"));
    }
    match paths::stated("XDG_CONFIG_HOME") {
        Some(settings) => Ok(settings),
        None => Ok(paths::home()?.join(".config")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::{prelude::*, sample::select};

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
            Client::Opencode,
            expect![[r#"
            {
              "mcp": {
                "codecompass": {
                  "type": "local",
                  "command": ["codecompass", "serve-mcp"],
                  "enabled": true
                }
              }
            }
        "#]],
        );
        check_configuration(
            Client::Copilot,
            expect![[r#"
            {
              "mcpServers": {
                "codecompass": {
                  "type": "local",
                  "command": "codecompass",
                  "args": ["serve-mcp"],
                  "tools": ["*"]
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
    fn an_entry_of_an_earlier_version_is_old() {
        let place = tempfile::tempdir().unwrap();
        for client in Client::value_variants() {
            let file = place.path().join(format!("{client:?}"));
            assert!(!client.has_old_entry(&file), "{client:?}");
            client.add(&file, &launch()).unwrap();
            assert!(client.has_old_entry(&file), "{client:?}");
            let mut new = launch();
            new.arguments
                .extend(["--surface".to_owned(), SURFACE.to_owned()]);
            assert_eq!(client.add(&file, &new).unwrap(), ConfigChange::Made);
            assert!(!client.has_old_entry(&file), "{client:?}");
        }
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
            let text = if *client == Client::Codex {
                toml.to_owned()
            } else {
                json(client.section())
            };
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("config");
            fs::write(&file, &text).unwrap();
            assert_eq!(client.remove(&file).unwrap(), ConfigChange::None);
            assert_eq!(client.add(&file, &launch()).unwrap(), ConfigChange::Made);
            let added = fs::read_to_string(&file).unwrap();
            for kept in ["mine", "keep", "1,2 , 3", "other"] {
                assert!(added.contains(kept), "{added}");
            }
            assert!(added.contains("serve-mcp"), "{added}");
            assert_eq!(client.add(&file, &launch()).unwrap(), ConfigChange::None);
            let moved = Launch {
                command: "/elsewhere/codecompass".to_owned(),
                ..launch()
            };
            assert_eq!(client.add(&file, &moved).unwrap(), ConfigChange::Made);
            assert!(
                fs::read_to_string(&file)
                    .unwrap()
                    .contains("/elsewhere/codecompass")
            );
            assert_eq!(client.remove(&file).unwrap(), ConfigChange::Made);
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client:?}");
        }
    }

    #[test]
    fn what_stands_on_one_line_stays_there() {
        for client in Client::value_variants()
            .iter()
            .filter(|client| **client != Client::Codex)
        {
            let section = client.section();
            for text in [
                format!("{{\"{section}\": {{\"other\": {{\"command\": \"x\"}}}}, \"z\": 1}}"),
                format!("{{\n  \"{section}\": {{ \"other\": {{}}, }}, // mine\n  \"z\": 1\n}}\n"),
                "{\"theme\": \"dark\"}\n".to_owned(),
            ] {
                let place = tempfile::tempdir().unwrap();
                let file = place.path().join("config");
                fs::write(&file, &text).unwrap();
                assert_eq!(client.add(&file, &launch()).unwrap(), ConfigChange::Made);
                let added = fs::read_to_string(&file).unwrap();
                assert_eq!(added.lines().count(), text.lines().count(), "{added}");
                assert_eq!(client.add(&file, &launch()).unwrap(), ConfigChange::None);
                assert_eq!(client.remove(&file).unwrap(), ConfigChange::Made);
                assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client:?}");
            }
        }
    }

    #[test]
    fn a_file_made_for_the_entry_goes_with_it() {
        for client in Client::value_variants() {
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("deep/config");
            assert_eq!(client.add(&file, &launch()).unwrap(), ConfigChange::Made);
            assert_eq!(client.remove(&file).unwrap(), ConfigChange::Made);
            assert!(!file.exists(), "{client:?}");
        }
    }

    #[test]
    fn a_file_of_the_users_stays_whatever_little_is_in_it() {
        let section = |client: &Client, text: &str| text.replace("SECTION", client.section());
        for client in Client::value_variants() {
            let texts = if *client == Client::Codex {
                TOML_FILES
            } else {
                JSON_FILES
            };
            for text in texts {
                for mark in ["", "\u{feff}"] {
                    let text = format!("{mark}{}", section(client, text));
                    check_given_back(*client, &text);
                    check_given_back(*client, &text.replace('\n', "\r\n"));
                }
            }
        }
    }

    const JSON_FILES: &[&str] = &[
        "",
        "\n",
        "  \n\n",
        "{}",
        "{}\n",
        "{ }\n",
        "{\n}\n",
        "{\n\n}",
        "// my settings\n",
        "// my settings",
        "// my settings\n{\n}\n",
        "// my settings\n{}\n",
        "{ // none\n}",
        "{\n  // none\n}",
        "{ /* none */ }",
        "{\"SECTION\": {}}",
        "{\"SECTION\": {}, \"z\": 1}",
        "{ \"SECTION\": { } }",
        "{ \"SECTION\": { // nothing yet\n } }",
        "{\n  \"SECTION\": {}\n}\n",
        "{\n  \"SECTION\": {\n  }\n}\n",
        "{\n  \"SECTION\": {\n\n    \"a\": {},\n\n\n    \"b\": {}\n\n  }\n}\n",
        "{\n  \"a\": 1 }",
        "{\n  \"a\": 1 // mine\n}\n",
        "{\n  \"a\": 1, // mine\n  // and this\n}\n",
        "{\n\t\"SECTION\": {\n\t\t\"a\": {} /* mine */ // too\n\t}\n}",
        "{ \"SECTION\": { \"a\": {} /* mine */ , } }",
        "{\"a\": {\n  \"b\": 1\n}}",
    ];

    const TOML_FILES: &[&str] = &[
        "",
        "\n",
        "  \n\n",
        " ",
        "# mine",
        "# servers\n[SECTION] # here\n",
        "[SECTION]\n\n[z]",
        "[SECTION]\n\n[z]\n",
        "[SECTION]\na = { command = \"x\" }\n",
        "[SECTION.a]\ncommand = \"x\" # mine\n\n# end\n\n",
        "a = 1",
        "SECTION = {}\n",
        "SECTION = { }\n",
        "SECTION = { a = { command = \"x\" } } # mine\nz = 1\n",
        "SECTION = { a = { command = \"x\" }, }\n",
        "SECTION = { a.command = \"x\" }\n",
        "SECTION.a.command = \"x\" # mine\nz = 1\n",
        "SECTION.a.command = \"x\"",
    ];

    #[test]
    fn an_entry_that_is_there_keeps_what_the_user_put_into_it() {
        let former = |command: &str| {
            format!(
                "{{\n  \"mcpServers\": {{\n    \"codecompass\": {{\n      // mine\n      \"type\": \"http\",\n      \"env\": {{ \"A\": \"1\" }},\n      {command}\"args\": [\"former\"] // too\n    }}\n  }}\n}}\n"
            )
        };
        let updated = |text: &str| Client::Cursor.with_entry(text, &launch()).unwrap();
        expect![[r#"
            {
              "mcpServers": {
                "codecompass": {
                  // mine
                  "type": "stdio",
                  "env": { "A": "1" },
                  "command": "codecompass",
                  "args": ["serve-mcp"] // too
                }
              }
            }
        "#]]
        .assert_eq(&updated(&former("\"command\": \"former\",\n      ")));
        expect![[r#"
            {
              "mcpServers": {
                "codecompass": {
                  // mine
                  "type": "stdio",
                  "env": { "A": "1" },
                  "args": ["serve-mcp"], // too
                  "command": "codecompass"
                }
              }
            }
        "#]]
        .assert_eq(&updated(&former("")));
        let toml = "[mcp_servers.codecompass] # mine\r\nargs = [ \"former\" ] # too\r\n\r\n[mcp_servers.codecompass.env]\r\nA = \"1\"\r\n";
        assert_eq!(
            Client::Codex.with_entry(toml, &launch()).unwrap(),
            "[mcp_servers.codecompass] # mine\r\ncommand = \"codecompass\"\r\nargs = [\"serve-mcp\"] # too\r\n\r\n[mcp_servers.codecompass.env]\r\nA = \"1\"\r\n"
        );
        assert_eq!(
            Client::Codex
                .without_entry(&format!("a = 1\r\n\r\n{toml}\r\n[z]\r\n"))
                .unwrap()
                .unwrap(),
            "a = 1\r\n\r\n[z]\r\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_what_others_may_not() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config");
        let rights = || fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        Client::Cursor.add(&file, &launch()).unwrap();
        assert_eq!(rights(), 0o600, "the file may hold tokens");
        for mode in [0o600, 0o640, 0o666] {
            fs::write(&file, "{}").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            Client::Cursor.add(&file, &launch()).unwrap();
            assert_eq!(rights(), mode);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let place = tempfile::tempdir().unwrap();
        let (link, target) = (place.path().join("link"), place.path().join("target"));
        std::os::unix::fs::symlink("target", &link).unwrap();
        for text in [None, Some("{}")] {
            if let Some(text) = text {
                fs::write(&target, text).unwrap();
            }
            Client::Cursor.add(&link, &launch()).unwrap();
            assert!(target.exists() && link.is_symlink());
            Client::Cursor.remove(&link).unwrap();
            assert_eq!(fs::read_to_string(&target).ok().as_deref(), text);
            assert!(link.is_symlink());
        }
    }

    proptest! {
        #[test]
        fn any_json_is_given_back(text in json_text(), client in select(&[Client::Cursor, Client::Vscode, Client::Zed, Client::Opencode, Client::Copilot][..])) {
            check_given_back(client, &text.replace("SECTION", client.section()));
        }

        #[test]
        fn any_toml_is_given_back(text in toml_text()) {
            check_given_back(Client::Codex, &text.replace("SECTION", Client::Codex.section()));
        }
    }

    /// What may be between any two tokens.
    fn between() -> impl Strategy<Value = String> {
        let piece = select(
            &[
                "",
                " ",
                "  ",
                "\t",
                "\n",
                "\n",
                "\r\n",
                "\n\n  ",
                "// c\n",
                " // c,}\r\n",
                "/* c */",
                "/* c\n \"d\": { */",
            ][..],
        );
        prop_oneof![3 => Just(String::new()), 2 => Just(" ".to_owned()), 3 => Just("\n  ".to_owned()),
            2 => prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())]
    }

    fn json_object(members: BoxedStrategy<Vec<(String, String)>>) -> BoxedStrategy<String> {
        let gaps = prop::collection::vec(between(), 16);
        (members, gaps, between(), any::<bool>())
            .prop_map(|(members, gaps, end, trailing_comma)| {
                let mut gaps = gaps.iter().cycle();
                let mut gap = || gaps.next().map(String::as_str).unwrap_or_default();
                let last = members.len().saturating_sub(1);
                let members: Vec<_> = members
                    .iter()
                    .enumerate()
                    .map(|(i, (name, value))| {
                        let comma = if i < last || trailing_comma {
                            format!("{},", gap())
                        } else {
                            String::new()
                        };
                        format!("{}\"{name}\"{}:{}{value}{comma}", gap(), gap(), gap())
                    })
                    .collect();
                format!("{{{}{end}}}", members.concat())
            })
            .boxed()
    }

    fn json_text() -> impl Strategy<Value = String> {
        let value = || {
            select(
                &[
                    "1",
                    "\"// no\"",
                    "{}",
                    "[1, 2 ]",
                    "{\n \"command\": \"x\"\n}",
                    "{ \"command\": \"x\", }",
                ][..],
            )
            .prop_map(str::to_owned)
        };
        let members = move |prefix: &'static str| {
            prop::collection::vec(value(), 0..3)
                .prop_map(move |values| {
                    values
                        .into_iter()
                        .enumerate()
                        .map(|(i, value)| (format!("{prefix}{i}"), value))
                        .collect::<Vec<_>>()
                })
                .boxed()
        };
        let section = json_object(members("server"));
        let root = (
            members("before"),
            prop::option::of(section),
            members("after"),
        )
            .prop_map(|(before, section, after)| {
                let section = section.map(|section| ("SECTION".to_owned(), section));
                before
                    .into_iter()
                    .chain(section)
                    .chain(after)
                    .collect::<Vec<_>>()
            })
            .boxed();
        let root = prop_oneof![9 => json_object(root), 1 => Just(String::new())];
        let end = prop_oneof![
            between(),
            Just("\n".to_owned()),
            Just("\n// end".to_owned())
        ];
        (any::<bool>(), between(), root, end, any::<bool>()).prop_map(
            |(marked, start, root, end, crlf)| {
                let text = format!("{start}{root}{end}");
                let text = if crlf {
                    text.replace("\r\n", "\n").replace('\n', "\r\n")
                } else {
                    text
                };
                if marked {
                    format!("\u{feff}{text}")
                } else {
                    text
                }
            },
        )
    }

    fn toml_text() -> impl Strategy<Value = String> {
        let blanks = || {
            prop::collection::vec(select(&["", "  ", "# c", "\t# [c]"][..]), 0..3)
                .prop_map(|lines| lines.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        let section_in_root = select(
            &[
                "",
                "SECTION = {}",
                "SECTION = { } # c",
                "SECTION = {a = {command = \"x\"}}",
                "SECTION = { a = { command = \"x\" } , b.c = 1, }",
                "SECTION.a.command = 'x' # c\nSECTION.b = {}",
                " SECTION . a = {}",
            ][..],
        );
        let section_of_tables = select(
            &[
                "",
                "[SECTION]",
                "[SECTION] # c\na = {}",
                " [ SECTION . a ]\ncommand = \"\"\"\nx\n\"\"\"",
                "[SECTION.a]\n[SECTION.a.env]\nA = 1",
                "[SECTION.a.b]\n\n[SECTION]",
            ][..],
        );
        let section = prop_oneof![
            section_in_root.prop_map(|section| (section, "")),
            section_of_tables.prop_map(|section| ("", section))
        ];
        let table = |name: &'static str| {
            select(vec![
                String::new(),
                format!("[{name}]"),
                format!("[[{name}]]\nk = [1,\n  2 , # c\n]\n\n[[{name}]]"),
            ])
        };
        (
            blanks(),
            select(&["", "z = 1", "z.y = 'x'  # c"][..]),
            section,
            blanks(),
            table("t"),
            table("u"),
            blanks(),
            0..3_usize,
            any::<[bool; 2]>(),
        )
            .prop_map(
                |(
                    start,
                    key,
                    (in_root, tables),
                    middle,
                    before,
                    after,
                    end,
                    n_line_breaks,
                    [marked, crlf],
                )| {
                    let mut lines = start;
                    lines.extend([key, in_root].map(str::to_owned));
                    lines.extend(middle);
                    lines.extend([before, tables.to_owned(), after]);
                    lines.extend(end);
                    let text = lines.join("\n") + &"\n".repeat(n_line_breaks);
                    let text = if crlf {
                        text.replace('\n', "\r\n")
                    } else {
                        text
                    };
                    if marked {
                        format!("\u{feff}{text}")
                    } else {
                        text
                    }
                },
            )
    }

    /// The entry comes, stays, changes and goes; the rest says the same meanwhile, and the file is
    /// as it was in the end.
    #[track_caller]
    fn check_given_back(client: Client, text: &str) {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config");
        let written = || fs::read_to_string(&file).unwrap();
        fs::write(&file, text).unwrap();
        assert_eq!(
            client.remove(&file).unwrap(),
            ConfigChange::None,
            "{text:?}"
        );
        for command in ["codecompass", "/elsewhere/codecompass"] {
            let launch = Launch {
                command: command.to_owned(),
                ..launch()
            };
            assert_eq!(
                client
                    .add(&file, &launch)
                    .unwrap_or_else(|error| panic!("{text:?}: {error:#}")),
                ConfigChange::Made,
                "{text:?}"
            );
            let mut expected = meaning(client, text);
            expected[client.section()][ENTRY] = client.entry(&launch);
            assert_eq!(
                meaning(client, &written()),
                expected,
                "{text:?} became {:?}",
                written()
            );
            assert_eq!(
                client.add(&file, &launch).unwrap(),
                ConfigChange::None,
                "{:?}",
                written()
            );
        }
        let added = written();
        assert_eq!(
            client.remove(&file).unwrap(),
            ConfigChange::Made,
            "{added:?}"
        );
        assert!(file.exists(), "{text:?} is gone");
        assert_eq!(written(), text, "{client:?} by way of {added:?}");
    }

    fn meaning(client: Client, text: &str) -> Value {
        let text = text.trim_start_matches('\u{feff}');
        match client {
            Client::Codex => ::toml::from_str(text).unwrap(),
            _ => {
                let parsed =
                    jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default())
                        .unwrap();
                parsed.value.map_or(json!({}), Value::from)
            }
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
            (Client::Gemini, ".gemini/settings.json"),
            (Client::Opencode, "opencode.json"),
            (Client::Copilot, ".github/mcp.json"),
            (Client::Kiro, ".kiro/settings/mcp.json"),
        ] {
            assert_eq!(
                client.file(ConfigScope::Project, project).unwrap(),
                project.join(file)
            );
            assert!(
                client
                    .file(ConfigScope::User, project)
                    .is_ok_and(|file| !file.starts_with(project))
            );
        }
        assert!(
            Client::Generic.file(ConfigScope::Project, project).is_err(),
            "nobody knows where it is"
        );
        assert!(
            Client::Windsurf
                .file(ConfigScope::Project, project)
                .is_err()
        );
        assert!(Client::Windsurf.file(ConfigScope::User, project).is_ok());
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

    /// Every tool is named; what else is quoted is an argument of one, or a value that it takes.
    #[test]
    fn the_agents_block_agrees_with_the_tools() {
        let registry = tools::Registry::of(&[tools::AGENT]);
        let mut declared = String::new();
        for entry in registry.entries() {
            let name = format!("`{}`", entry.portable_name);
            assert!(AGENT_INSTRUCTIONS.contains(&name), "{name}");
            declared += &format!("{} {}", entry.description, json!(entry.input_schema));
        }
        let quoted = AGENT_INSTRUCTIONS.split('`').skip(1).step_by(2);
        // What an answer begins with is no part of a declaration.
        for word in quoted
            .flat_map(|text| text.split(": "))
            .filter(|word| *word != "thin")
        {
            let is_declared = declared.contains(&format!("\"{word}\""))
                || declared.contains(&format!("`{word}`"))
                || registry.find(word).is_some();
            assert!(is_declared, "{word}");
        }
    }

    fn launch() -> Launch {
        Launch {
            command: "codecompass".to_owned(),
            arguments: vec!["serve-mcp".to_owned()],
        }
    }

    #[track_caller]
    fn check_configuration(client: Client, expected: Expect) {
        expected.assert_eq(&client.configuration(&launch()));
    }
}
