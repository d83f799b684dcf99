//! What is set, and where: flags, then the environment, then `--config`, then the repository's
//! file, then the user's, then the default.
//!
//! A repository's file is other people's text: it may set what is harmless, may make limits
//! stricter, and nothing else.

use std::{
    fmt, fs,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, anyhow, bail, ensure};
use serde_json::{Map, json};
use toml::de::{DeTable, DeValue};
use tools::{Denied, LSP, Limits, Roots, lsp::ProviderChoice};

/// Below a repository's root.
pub const REPOSITORY_FILE: &str = ".codecompass/config.toml";

/// One setting.
pub struct Setting {
    pub section: &'static str,
    pub name: &'static str,
    kind: ValueKind,
    in_repository: InRepository,
    pub about: &'static str,
}

#[derive(Clone, Copy)]
enum ValueKind {
    Word(&'static [&'static str]),
    Bool,
    Number(u64, u64),
    /// A cap of a contract: the largest value is the default, and more than that means it.
    Cap(u64, u64),
    /// Absolute; empty means the usual place.
    Path,
    /// Empty means none.
    Text,
    /// Text that is not shown; empty means none.
    Secret,
}

/// What a repository's own file may do with a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InRepository {
    Set,
    /// A smaller number, or `false`.
    Tighten,
    Nothing,
}

/// Every setting has an effect.
pub const KEYS: &[Setting] = &[
    Setting {
        section: "query",
        name: "freshness_policy",
        kind: ValueKind::Word(&["strict", "balanced", "best_effort"]),
        in_repository: InRepository::Set,
        about: "what to do when files changed that are not indexed yet: refuse, answer and index them, or answer",
    },
    Setting {
        section: "query",
        name: "ranking_explain_level",
        kind: ValueKind::Word(&["off", "basic", "full"]),
        in_repository: InRepository::Set,
        about: "how much of a score's making is shown with each result",
    },
    Setting {
        section: "debug",
        name: "ranking_reasons",
        kind: ValueKind::Bool,
        in_repository: InRepository::Set,
        about: "the former name of query.ranking_explain_level = \"full\", which wins over it",
    },
    Setting {
        section: "index",
        name: "max_file_size",
        kind: ValueKind::Number(1, 1 << 28),
        in_repository: InRepository::Tighten,
        about: "bytes; larger files are skipped, and counted as skipped",
    },
    Setting {
        section: "index",
        name: "credentials",
        kind: ValueKind::Bool,
        in_repository: InRepository::Nothing,
        about: "whether files that are likely to hold secrets are indexed",
    },
    Setting {
        section: "storage",
        name: "data_dir",
        kind: ValueKind::Path,
        in_repository: InRepository::Nothing,
        about: "where indexes live",
    },
    Setting {
        section: "search",
        name: "default_limit",
        kind: ValueKind::Number(1, 100),
        in_repository: InRepository::Set,
        about: "results of a search that asks for no number",
    },
    Setting {
        section: "cache",
        name: "dir",
        kind: ValueKind::Path,
        in_repository: InRepository::Nothing,
        about: "a directory shared with other machines: indexes of commits are read from it and written to it; CODEMAP_CACHE_DIR is its other name",
    },
    Setting {
        section: "cache",
        name: "prewarm",
        kind: ValueKind::Bool,
        in_repository: InRepository::Tighten,
        about: "whether a server reads indexes ahead of the first question",
    },
    Setting {
        section: "cache",
        name: "max_auto_workspaces",
        kind: ValueKind::Number(1, 1000),
        in_repository: InRepository::Tighten,
        about: "how many workspaces that were not named are open at once",
    },
    Setting {
        section: "remote",
        name: "url",
        kind: ValueKind::Text,
        in_repository: InRepository::Nothing,
        about: "an object store with indexes that a team publishes: s3://BUCKET/PREFIX, gs://, az:// or file:///DIRECTORY",
    },
    Setting {
        section: "remote",
        name: "team_key",
        kind: ValueKind::Secret,
        in_repository: InRepository::Nothing,
        about: "a secret of at least 32 characters that a team shares: what is published is encrypted with it",
    },
    Setting {
        section: "remote",
        name: "repository",
        kind: ValueKind::Text,
        in_repository: InRepository::Nothing,
        about: "the name under which this repository is published; HOST/PATH of its origin unless set",
    },
    Setting {
        section: "remote",
        name: "cache_size",
        kind: ValueKind::Number(1 << 20, 1 << 42),
        in_repository: InRepository::Nothing,
        about: "bytes on disk for what was read from the object store",
    },
    Setting {
        section: "lsp",
        name: "enabled",
        kind: ValueKind::Bool,
        in_repository: InRepository::Tighten,
        about: "whether language servers may start in trusted workspaces",
    },
    Setting {
        section: "lsp",
        name: "provider",
        kind: ValueKind::Word(&["auto", "lsp", "index"]),
        in_repository: InRepository::Nothing,
        about: "who answers the gateway's tools: a language server once it is ready and else the index, servers only, or the index only",
    },
    Setting {
        section: "lsp",
        name: "max_items",
        kind: ValueKind::Cap(1, 200),
        in_repository: InRepository::Tighten,
        about: "items of one list or page of the gateway's tools; can only be made stricter",
    },
    Setting {
        section: "lsp",
        name: "max_response_bytes",
        kind: ValueKind::Cap(16 * 1024, 512 * 1024),
        in_repository: InRepository::Tighten,
        about: "bytes of one answer of the gateway's tools; can only be made stricter",
    },
    Setting {
        section: "lsp",
        name: "request_timeout_ms",
        kind: ValueKind::Cap(250, 2000),
        in_repository: InRepository::Tighten,
        about: "how long a call of the gateway's tools may take; can only be made stricter",
    },
];

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    Secret(SecretText),
    Bool(bool),
    Number(u64),
}

/// Text that is shown as whether there is any.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    fn shown(&self) -> &'static str {
        if self.0.is_empty() { "" } else { "(set)" }
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

impl serde::Serialize for SecretText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    File { path: PathBuf, line_number: usize },
    Environment(String),
    Flag,
}

/// The effective values.
#[derive(Clone, Debug)]
pub struct Config {
    /// One per key.
    values: Vec<(Value, SettingOrigin)>,
    /// What a repository's file says in vain, and why.
    ignored: Vec<String>,
}

/// How the remote store is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteSettings<'a> {
    pub url: &'a str,
    pub team_key: Option<&'a str>,
    pub repository: Option<&'a str>,
    /// Where what was read is kept.
    pub cache: PathBuf,
    pub cache_size: u64,
}

/// Where to look for settings.
#[derive(Clone, Debug, Default)]
pub struct ConfigSources {
    /// `section.key=value`, in the order of the command line.
    pub flags: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// `--config`
    pub file: Option<PathBuf>,
    /// The root of the repository.
    pub repository: Option<PathBuf>,
    /// The user's own file.
    pub user: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            values: KEYS
                .iter()
                .map(|key| (key.default(), SettingOrigin::Default))
                .collect(),
            ignored: Vec::new(),
        }
    }
}

impl Config {
    pub fn load(sources: &ConfigSources) -> anyhow::Result<Config> {
        let mut config = Config::default();
        if let Some(file) = &sources.user {
            config.read(file, false)?;
        }
        if let Some(root) = &sources.repository {
            config.read_repository(root);
        }
        if let Some(file) = &sources.file {
            config.read(file, true)?;
        }
        for (i, key) in KEYS.iter().enumerate() {
            // The name that the CodeMap contract gives it counts where ours is not set.
            let former = (key.path() == "cache.dir").then(|| "CODEMAP_CACHE_DIR".to_owned());
            for variable in former.into_iter().chain([key.variable()]) {
                if let Some((_, text)) = sources
                    .environment
                    .iter()
                    .find(|(name, text)| *name == variable && !text.is_empty())
                {
                    let value = key.parse(text).with_context(|| variable.clone())?;
                    config.values[i] = (value, SettingOrigin::Environment(variable));
                }
            }
        }
        for flag in &sources.flags {
            let (name, text) = flag
                .split_once('=')
                .with_context(|| format!("--set {flag}: write it as section.key=value"))?;
            let i = find(name).with_context(|| format!("--set {flag}"))?;
            config.values[i] = (
                KEYS[i]
                    .parse(text)
                    .with_context(|| format!("--set {name}"))?,
                SettingOrigin::Flag,
            );
        }
        config.take_former_names();
        Ok(config)
    }

    /// The former key counts where the new one is nowhere set.
    fn take_former_names(&mut self) {
        let (new, former) = (
            index("query.ranking_explain_level"),
            index("debug.ranking_reasons"),
        );
        if let (Value::Bool(true), origin) = &self.values[former]
            && self.values[new].1 == SettingOrigin::Default
        {
            self.values[new] = (Value::Text("full".to_owned()), origin.clone());
        }
    }

    /// In the order of [`KEYS`].
    pub fn entries(&self) -> impl Iterator<Item = (&'static Setting, &Value, &SettingOrigin)> {
        KEYS.iter()
            .zip(&self.values)
            .map(|(key, (value, origin))| (key, value, origin))
    }

    pub fn freshness_policy(&self) -> &str {
        self.text("query.freshness_policy")
    }

    pub fn ranking_explain_level(&self) -> &str {
        self.text("query.ranking_explain_level")
    }

    pub fn search_limit(&self) -> u64 {
        self.number("search.default_limit")
    }

    pub fn prewarm(&self) -> bool {
        self.is_on("cache.prewarm")
    }

    pub fn max_auto_workspaces(&self) -> usize {
        self.number("cache.max_auto_workspaces") as usize
    }

    pub fn language_servers(&self) -> bool {
        self.is_on("lsp.enabled")
    }

    pub fn lsp_provider(&self) -> ProviderChoice {
        match self.text("lsp.provider") {
            "lsp" => ProviderChoice::Lsp,
            "index" => ProviderChoice::Index,
            _ => ProviderChoice::Auto,
        }
    }

    /// What a call of the gateway's tools may cost. The contract's caps hold whatever is set.
    pub fn lsp_limits(&self) -> Limits {
        let set = Limits {
            deadline: Duration::from_millis(self.number("lsp.request_timeout_ms")),
            response_bytes: self.number("lsp.max_response_bytes") as usize,
            items: self.number("lsp.max_items") as usize,
        };
        set.and(LSP.limits())
    }

    /// How workspaces are opened.
    pub fn workspace_options(&self) -> workspace::Options {
        let data = self.text("storage.data_dir");
        workspace::Options {
            limits: workspace::FileLimits {
                max_file_size: self.number("index.max_file_size"),
                index_credentials: self.is_on("index.credentials"),
            },
            home: (!data.is_empty()).then(|| PathBuf::from(data)),
            shared_cache: Some(self.text("cache.dir"))
                .filter(|directory| !directory.is_empty())
                .map(PathBuf::from),
            published: crate::remote_index::published(self),
            ..workspace::Options::default()
        }
    }

    /// The remote store, if one is set.
    pub fn remote(&self) -> Option<RemoteSettings<'_>> {
        let url = Some(self.text("remote.url")).filter(|url| !url.is_empty())?;
        let team_key = match &self.get("remote.team_key").0 {
            Value::Secret(SecretText(key)) if !key.is_empty() => Some(key.as_str()),
            _ => None,
        };
        let data = self.text("storage.data_dir");
        Some(RemoteSettings {
            url,
            team_key,
            repository: Some(self.text("remote.repository")).filter(|name| !name.is_empty()),
            cache: match data {
                "" => store::home(),
                data => PathBuf::from(data),
            }
            .join("remote"),
            cache_size: self.number("remote.cache_size"),
        })
    }

    /// Arguments that a tool gets where its caller names none.
    pub fn default_arguments(&self, tool: &str) -> Map<String, serde_json::Value> {
        let mut arguments = Map::new();
        if matches!(tool, "search_code" | "locate_symbol") {
            arguments.insert(
                "freshness_policy".to_owned(),
                json!(self.freshness_policy()),
            );
            arguments.insert(
                "ranking_explain_level".to_owned(),
                json!(self.ranking_explain_level()),
            );
        }
        if tool == "search_code" {
            arguments.insert("limit".to_owned(), json!(self.search_limit()));
        }
        arguments
    }

    /// Adds what a call leaves out.
    pub fn complete(&self, tool: &str, arguments: &mut serde_json::Value) {
        let serde_json::Value::Object(given) = arguments else {
            return;
        };
        for (name, value) in self.default_arguments(tool) {
            if given.get(&name).is_none_or(serde_json::Value::is_null) {
                given.insert(name, value);
            }
        }
    }

    fn read(&mut self, file: &Path, must_exist: bool) -> anyhow::Result<()> {
        match fs::read_to_string(file) {
            Ok(text) => self.take(file, &text, None),
            Err(error)
                if !must_exist
                    && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(())
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        }
    }

    /// Other people's text, which keeps nobody from being served: what is wrong in it is told and
    /// left out.
    fn read_repository(&mut self, root: &Path) {
        const LIMIT: u64 = 64 * 1024;
        let file = root.join(REPOSITORY_FILE);
        let mut ignored = Vec::new();
        // A link may lead to a pipe, or out of the repository.
        let read = || {
            let (opened, _) = Roots::new([root])?
                .open(&file)
                .map_err(|denied| match denied {
                    Denied::Missing => {
                        anyhow::Error::from(std::io::Error::from(ErrorKind::NotFound))
                    }
                    _ => anyhow!("not a regular file of the repository"),
                })?;
            let mut text = String::new();
            opened.take(LIMIT + 1).read_to_string(&mut text)?;
            ensure!(text.len() as u64 <= LIMIT, "longer than {LIMIT} bytes");
            anyhow::Ok(text)
        };
        let taken = match read() {
            Ok(text) => self.take(&file, &text, Some(&mut ignored)),
            Err(error)
                if error
                    .downcast_ref::<std::io::Error>()
                    .is_some_and(|error| error.kind() == ErrorKind::NotFound) =>
            {
                Ok(())
            }
            Err(error) => Err(error).with_context(|| format!("{} is not read", file.display())),
        };
        ignored.extend(taken.err().map(|error| format!("{error:#}")));
        self.ignored = ignored;
    }

    /// What a repository's file says in vain, and why.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Takes the settings of a file. Given `ignored`, it is a repository's: mistakes go there.
    fn take(
        &mut self,
        file: &Path,
        text: &str,
        mut ignored: Option<&mut Vec<String>>,
    ) -> anyhow::Result<()> {
        let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let at = |offset: usize| format!("{}:{}", file.display(), line(offset));
        let document = match DeTable::parse(text) {
            Ok(document) => document,
            Err(error) => bail!(
                "{}: {}",
                at(error.span().map_or(0, |span| span.start)),
                error.message()
            ),
        };
        for (section, table) in document.get_ref() {
            let DeValue::Table(table) = table.get_ref() else {
                let place = at(section.span().start);
                bail!(
                    "{place}: `{}` is outside of a section; {}",
                    section.get_ref(),
                    nearest(section.get_ref())
                );
            };
            if !KEYS
                .iter()
                .any(|key| key.section == section.get_ref().as_ref())
            {
                bail!(
                    "{}: unknown section `[{}]`; {}",
                    at(section.span().start),
                    section.get_ref(),
                    nearest(section.get_ref())
                );
            }
            for (name, value) in table {
                let origin = SettingOrigin::File {
                    path: file.to_path_buf(),
                    line_number: line(name.span().start),
                };
                let path = format!("{}.{}", section.get_ref(), name.get_ref());
                let set = self
                    .set(&path, value.get_ref(), origin, ignored.is_some())
                    .with_context(|| at(name.span().start));
                match (set, &mut ignored) {
                    (Err(error), Some(ignored)) => ignored.push(format!("{error:#}")),
                    (set, _) => set?,
                }
            }
        }
        Ok(())
    }

    fn set(
        &mut self,
        path: &str,
        value: &DeValue<'_>,
        origin: SettingOrigin,
        is_repository: bool,
    ) -> anyhow::Result<()> {
        let i = find(path)?;
        let parsed = KEYS[i].read(value)?;
        match KEYS[i].in_repository {
            InRepository::Tighten if is_repository && !tightens(&self.values[i].0, &parsed) => {
                return Ok(());
            }
            InRepository::Nothing if is_repository => {
                bail!("`{path}` is not for a repository to decide; set it in your own file")
            }
            _ => {}
        }
        self.values[i] = (parsed, origin);
        Ok(())
    }

    fn get(&self, path: &str) -> &(Value, SettingOrigin) {
        &self.values[index(path)]
    }

    fn text(&self, path: &str) -> &str {
        match &self.get(path).0 {
            Value::Text(text) => text,
            _ => "",
        }
    }

    fn number(&self, path: &str) -> u64 {
        match self.get(path).0 {
            Value::Number(number) => number,
            _ => 0,
        }
    }

    fn is_on(&self, path: &str) -> bool {
        self.get(path).0 == Value::Bool(true)
    }
}

impl Setting {
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    pub fn variable(&self) -> String {
        format!("CODECOMPASS_{}_{}", self.section, self.name).to_ascii_uppercase()
    }

    fn default(&self) -> Value {
        match (self.section, self.name) {
            ("query", "freshness_policy") => Value::Text("balanced".to_owned()),
            ("query", "ranking_explain_level") => Value::Text("off".to_owned()),
            ("lsp", "provider") => Value::Text("auto".to_owned()),
            ("index", "max_file_size") => {
                Value::Number(workspace::FileLimits::default().max_file_size)
            }
            ("search", "default_limit") => Value::Number(10),
            ("cache", "max_auto_workspaces") => Value::Number(10),
            ("remote", "cache_size") => Value::Number(4 << 30),
            ("cache", "prewarm") | ("lsp", "enabled") => Value::Bool(true),
            _ => match self.kind {
                ValueKind::Cap(_, most) => Value::Number(most),
                ValueKind::Path | ValueKind::Text => Value::Text(String::new()),
                ValueKind::Secret => Value::Secret(SecretText(String::new())),
                _ => Value::Bool(false),
            },
        }
    }

    /// As written in the environment or on the command line.
    fn parse(&self, text: &str) -> anyhow::Result<Value> {
        let text = text.trim();
        let value = match self.kind {
            ValueKind::Bool => match text {
                "true" | "1" | "yes" | "on" => Value::Bool(true),
                "false" | "0" | "no" | "off" => Value::Bool(false),
                _ => return self.wrong(text),
            },
            ValueKind::Number(..) | ValueKind::Cap(..) => match text.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => return self.wrong(text),
            },
            ValueKind::Word(_) | ValueKind::Path | ValueKind::Text => Value::Text(text.to_owned()),
            ValueKind::Secret => Value::Secret(SecretText(text.to_owned())),
        };
        self.check(value)
    }

    /// As written in a file.
    fn read(&self, value: &DeValue<'_>) -> anyhow::Result<Value> {
        let read = match (self.kind, value) {
            (ValueKind::Bool, DeValue::Boolean(value)) => Value::Bool(*value),
            (ValueKind::Number(..) | ValueKind::Cap(..), DeValue::Integer(number)) => {
                let plain = number.as_str().replace('_', "");
                match u64::from_str_radix(&plain, number.radix()) {
                    Ok(number) => Value::Number(number),
                    Err(_) => return self.wrong(&plain),
                }
            }
            (ValueKind::Word(_) | ValueKind::Path | ValueKind::Text, DeValue::String(text)) => {
                Value::Text(text.to_string())
            }
            (ValueKind::Secret, DeValue::String(text)) => {
                Value::Secret(SecretText(text.to_string()))
            }
            (_, other) => return self.wrong(other.type_str()),
        };
        self.check(read)
    }

    fn check(&self, mut value: Value) -> anyhow::Result<Value> {
        if let (ValueKind::Cap(_, most), Value::Number(number)) = (self.kind, &mut value) {
            *number = most.min(*number);
        }
        let is_right = match (self.kind, &value) {
            (ValueKind::Word(words), Value::Text(text)) => words.contains(&text.as_str()),
            (
                ValueKind::Number(least, most) | ValueKind::Cap(least, most),
                Value::Number(number),
            ) => (least..=most).contains(number),
            (ValueKind::Path, Value::Text(text)) => {
                text.is_empty() || Path::new(text).is_absolute()
            }
            (ValueKind::Bool, Value::Bool(_))
            | (ValueKind::Text, Value::Text(_))
            | (ValueKind::Secret, Value::Secret(_)) => true,
            _ => false,
        };
        if is_right {
            Ok(value)
        } else {
            self.wrong(&value.to_string())
        }
    }

    fn wrong<T>(&self, given: &str) -> anyhow::Result<T> {
        let wanted = match self.kind {
            ValueKind::Word(words) => words.join(", "),
            ValueKind::Bool => "true or false".to_owned(),
            ValueKind::Number(least, most) | ValueKind::Cap(least, most) => {
                format!("a number from {least} to {most}")
            }
            ValueKind::Path => "an absolute path".to_owned(),
            ValueKind::Text | ValueKind::Secret => "text".to_owned(),
        };
        bail!("`{}` cannot be {given}; it takes {wanted}", self.path())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Secret(secret) => write!(f, "{secret:?}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Default => f.write_str("default"),
            SettingOrigin::File { path, line_number } => {
                write!(f, "{}:{line_number}", path.display())
            }
            SettingOrigin::Environment(variable) => write!(f, "${variable}"),
            SettingOrigin::Flag => f.write_str("--set"),
        }
    }
}

fn tightens(former: &Value, new: &Value) -> bool {
    match (former, new) {
        (Value::Number(former), Value::Number(new)) => new < former,
        (Value::Bool(_), Value::Bool(new)) => !new,
        _ => false,
    }
}

/// Of a key that is in the table.
fn index(path: &str) -> usize {
    let index = KEYS.iter().position(|key| key.path() == path);
    index.expect("a key of the table")
}

fn find(path: &str) -> anyhow::Result<usize> {
    match KEYS.iter().position(|key| key.path() == path) {
        Some(i) => Ok(i),
        None => bail!("unknown key `{path}`; {}", nearest(path)),
    }
}

fn nearest(text: &str) -> String {
    let like = |key: &Setting| {
        strsim::jaro_winkler(text, &key.path())
            .max(strsim::jaro_winkler(text, key.name))
            .max(strsim::jaro_winkler(text, key.section))
    };
    let best = KEYS.iter().max_by(|a, b| like(a).total_cmp(&like(b)));
    best.map_or_else(String::new, |key| {
        format!(
            "the nearest is `{}` in section `[{}]`",
            key.name, key.section
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        directory: tempfile::TempDir,
        sources: ConfigSources,
    }

    impl Place {
        fn new(repository: &str, user: &str, named: Option<&str>) -> Place {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path();
            fs::create_dir(root.join(".codecompass")).unwrap();
            fs::write(root.join(REPOSITORY_FILE), repository).unwrap();
            fs::write(root.join("user.toml"), user).unwrap();
            let mut sources = ConfigSources {
                repository: Some(root.to_owned()),
                user: Some(root.join("user.toml")),
                ..ConfigSources::default()
            };
            if let Some(named) = named {
                fs::write(root.join("named.toml"), named).unwrap();
                sources.file = Some(root.join("named.toml"));
            }
            Place { directory, sources }
        }

        fn load(&self) -> anyhow::Result<Config> {
            Config::load(&self.sources)
        }

        fn error(&self) -> String {
            let text = match self.load() {
                Ok(config) => config.ignored.join("\n"),
                Err(error) => format!("{error:#}"),
            };
            text.replace(&format!("{}/", self.directory.path().display()), "")
        }
    }

    #[test]
    fn each_source_wins_over_those_below_it() {
        let policy = |text: &str| format!("[query]\nfreshness_policy = \"{text}\"\n");
        let mut place = Place::new("", &policy("strict"), None);
        assert_eq!(place.load().unwrap().freshness_policy(), "strict");
        place = Place::new(&policy("best_effort"), &policy("strict"), None);
        assert_eq!(place.load().unwrap().freshness_policy(), "best_effort");
        place = Place::new(
            &policy("best_effort"),
            &policy("strict"),
            Some(&policy("balanced")),
        );
        assert_eq!(place.load().unwrap().freshness_policy(), "balanced");
        place.sources.environment = vec![(
            "CODECOMPASS_QUERY_FRESHNESS_POLICY".to_owned(),
            "strict".to_owned(),
        )];
        assert_eq!(place.load().unwrap().freshness_policy(), "strict");
        place.sources.flags = vec!["query.freshness_policy=best_effort".to_owned()];
        let config = place.load().unwrap();
        assert_eq!(config.freshness_policy(), "best_effort");
        assert_eq!(config.get("query.freshness_policy").1, SettingOrigin::Flag);
    }

    #[test]
    fn a_repository_may_tighten_and_not_loosen() {
        let place = Place::new(
            "[index]\nmax_file_size = 1000\n[lsp]\nenabled = false\n",
            "[index]\nmax_file_size = 2_000\n",
            None,
        );
        let config = place.load().unwrap();
        assert_eq!(config.workspace_options().limits.max_file_size, 1000);
        assert!(!config.language_servers());
        let place = Place::new(
            "[index]\nmax_file_size = 3000\n[lsp]\nenabled = true\n",
            "[index]\nmax_file_size = 2000\n[lsp]\nenabled = false\n",
            None,
        );
        let config = place.load().unwrap();
        assert_eq!(config.workspace_options().limits.max_file_size, 2000);
        assert!(!config.language_servers());
        assert_eq!(
            Place::new("\n[index]\ncredentials = true\n", "", None).error(),
            ".codecompass/config.toml:3: `index.credentials` is not for a repository to decide; set it in your own file"
        );
    }

    #[test]
    fn mistakes_of_a_repository_keep_nobody_from_being_served() {
        let place = Place::new(
            "[index]\ncredentials = true\nmax_file_size = 1000\n[query]\nx = 1\n",
            "",
            None,
        );
        let config = place.load().unwrap();
        assert_eq!(
            (
                config.workspace_options().limits.max_file_size,
                config.ignored().len()
            ),
            (1000, 2)
        );
        assert!(
            Place::new("not toml", "", None)
                .error()
                .starts_with(".codecompass/config.toml:1: ")
        );
        #[cfg(unix)]
        for elsewhere in ["/dev/zero", "/etc/hostname", "/dev/stdin"] {
            let place = Place::new("", "", None);
            fs::remove_file(place.directory.path().join(REPOSITORY_FILE)).unwrap();
            std::os::unix::fs::symlink(elsewhere, place.directory.path().join(REPOSITORY_FILE))
                .unwrap();
            assert_eq!(
                place.error(),
                ".codecompass/config.toml is not read: not a regular file of the repository",
                "{elsewhere}"
            );
        }
    }

    #[test]
    fn the_gateways_caps_only_become_stricter() {
        let caps = |repository: &str, user: &str| {
            let limits = Place::new(repository, user, None)
                .load()
                .unwrap()
                .lsp_limits();
            (
                limits.items,
                limits.response_bytes,
                limits.deadline.as_millis(),
            )
        };
        assert_eq!(caps("", ""), (200, 512 * 1024, 2000));
        let user = "[lsp]\nmax_items = 50\nmax_response_bytes = 20000\nrequest_timeout_ms = 500\n";
        assert_eq!(caps("", user), (50, 20_000, 500));
        let loose = "[lsp]\nmax_items = 1000\nmax_response_bytes = 10_000_000\nrequest_timeout_ms = 60_000\n";
        assert_eq!(caps("", loose), (200, 512 * 1024, 2000));
        assert_eq!(caps(loose, user), (50, 20_000, 500));
        assert_eq!(caps("[lsp]\nmax_items = 10\n", user).0, 10);
        assert!(
            Place::new("", "[lsp]\nmax_items = 0\n", None)
                .error()
                .contains("a number from 1 to 200")
        );
    }

    #[test]
    fn a_wrong_key_names_its_place_and_the_nearest() {
        assert_eq!(
            Place::new(
                "",
                "[query]\n# a comment\nfreshness_polcy = \"strict\"\n",
                None
            )
            .error(),
            "user.toml:3: unknown key `query.freshness_polcy`; the nearest is `freshness_policy` in section `[query]`"
        );
        assert_eq!(
            Place::new("", "[query]\nfreshness_policy = \"stale\"\n", None).error(),
            "user.toml:2: `query.freshness_policy` cannot be \"stale\"; it takes strict, balanced, best_effort"
        );
        assert!(
            Place::new("", "[quary]\nx = 1\n", None)
                .error()
                .starts_with("user.toml:1: unknown section `[quary]`")
        );
        assert!(
            Place::new("", "[query]\nx = = 1\n", None)
                .error()
                .starts_with("user.toml:2: ")
        );
        assert!(
            Place::new("", "limit = 3\n", None)
                .error()
                .starts_with("user.toml:1: `limit` is outside of a section")
        );
    }

    #[test]
    fn the_legacy_key_counts_where_the_new_one_is_not_set() {
        let legacy = "[debug]\nranking_reasons = true\n";
        assert_eq!(
            Place::new("", legacy, None)
                .load()
                .unwrap()
                .ranking_explain_level(),
            "full"
        );
        let loaded = Place::new("", legacy, None).load().unwrap();
        let shown = loaded
            .entries()
            .find(|(key, ..)| key.path() == "query.ranking_explain_level");
        let (_, value, origin) = shown.unwrap();
        assert_eq!(*value, Value::Text("full".to_owned()));
        assert!(matches!(origin, SettingOrigin::File { .. }));
        let both = format!("{legacy}[query]\nranking_explain_level = \"off\"\n");
        assert_eq!(
            Place::new("", &both, None)
                .load()
                .unwrap()
                .ranking_explain_level(),
            "off"
        );
    }

    #[test]
    fn what_a_caller_names_stays() {
        let mut config = Config::default();
        config.values[6].0 = Value::Number(3);
        let mut arguments = json!({ "query": "x" });
        config.complete("search_code", &mut arguments);
        assert_eq!(arguments["limit"], 3);
        let mut arguments = json!({ "query": "x", "limit": 5 });
        config.complete("search_code", &mut arguments);
        assert_eq!(arguments["limit"], 5);
    }
}
