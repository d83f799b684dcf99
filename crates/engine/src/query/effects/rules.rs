//! What calls into libraries touch, as data: `rules.txt`, which says how it is written.

use std::sync::LazyLock;

use facts::Family;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    FileSystem,
    Network,
    Database,
    Process,
    /// A table of the program, known from its declaration.
    Table,
    /// Nothing outside: it throws.
    Throws(Exception),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// `ArgumentNullException.ThrowIfNull` throws what it belongs to.
    Owner,
    Named(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    Reads,
    /// The arguments tell which of both.
    Opens,
    Writes,
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    family: Family,
    pub touches: Touches,
    pub access: Access,
    owners: &'static str,
}

/// Rules by the name of the member, and those for all names that begin so.
struct Rules {
    whole: FxHashMap<&'static str, Vec<Rule>>,
    beginnings: Vec<(&'static str, Rule)>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| parse(include_str!("rules.txt")));

/// The rules that speak of a member, in the order of the file.
pub fn of_member(family: Family, name: &str) -> Vec<Rule> {
    let whole = RULES
        .whole
        .get(name)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter();
    let begun = RULES
        .beginnings
        .iter()
        .filter(|(start, _)| name.starts_with(start))
        .map(|(_, rule)| rule);
    whole
        .chain(begun)
        .filter(|rule| rule.family == family || rule.family == Family::None)
        .copied()
        .collect()
}

impl Rule {
    /// Whether it speaks of a member of this type or module: `os.path`, `System::IO::File`,
    /// `node:fs`.
    pub fn is_of(&self, owner: &str) -> bool {
        let parts: Vec<&str> = parts(owner).collect();
        self.owners
            .split('|')
            .any(|known| match known.strip_prefix('*') {
                Some(end) => parts.last().is_some_and(|last| last.ends_with(end)),
                None => {
                    let known: Vec<&str> = known.split('.').collect();
                    parts.ends_with(&known)
                }
            })
    }

    /// Whether it speaks of functions that belong to nothing.
    pub fn is_free(&self) -> bool {
        self.owners.split('|').any(|known| known == "-")
    }

    /// Whether it speaks of receivers that read like this, of which nothing else is known.
    pub fn is_on(&self, receiver: &str) -> bool {
        let receiver = receiver.to_lowercase();
        self.owners
            .split('|')
            .filter_map(|known| known.strip_prefix('?'))
            .any(|word| receiver.contains(word))
    }
}

/// The names of a path, whatever stands between them. What a call gives is named after the call,
/// what a constructor or a module as a whole gives after those.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let named = |part: &&str| !matches!(*part, "" | "new()" | "default");
    path.split(['.', ':', '/', '\\'])
        .filter(named)
        .map(|part| part.trim_end_matches("()"))
}

/// `File` of `System.IO.File`, `client` of `this._client`.
pub fn last_part(path: &str) -> &str {
    parts(path).next_back().unwrap_or(path)
}

fn parse(text: &'static str) -> Rules {
    let mut rules = Rules {
        whole: FxHashMap::default(),
        beginnings: Vec::new(),
    };
    let mut family = Family::None;
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(name) = line.strip_prefix("family ") {
            family = family_named(name);
            continue;
        }
        let Some((head, members)) = line.split_once(" = ") else {
            continue;
        };
        let mut head = head.split_whitespace();
        let (Some(what), Some(access), Some(owners)) = (head.next(), head.next(), head.next())
        else {
            continue;
        };
        let touches = match what {
            "file-system" => Touches::FileSystem,
            "network" => Touches::Network,
            "database" => Touches::Database,
            "process" => Touches::Process,
            "table" => Touches::Table,
            _ if access == "owner" => Touches::Throws(Exception::Owner),
            _ => Touches::Throws(Exception::Named(access)),
        };
        let access = match access {
            "reads" => Access::Reads,
            "opens" => Access::Opens,
            _ => Access::Writes,
        };
        let rule = Rule {
            family,
            touches,
            access,
            owners,
        };
        for member in members.split_whitespace() {
            match member.strip_suffix('*') {
                Some(start) => rules.beginnings.push((start, rule)),
                None => rules.whole.entry(member).or_default().push(rule),
            }
        }
    }
    rules
}

/// The languages that a line `family NAME` begins.
fn family_named(name: &str) -> Family {
    match name {
        "dotnet" => Family::DotNet,
        "javascript" => Family::JavaScript,
        "python" => Family::Python,
        "jvm" => Family::Jvm,
        "go" => Family::Go,
        "rust" => Family::Rust,
        "ruby" => Family::Ruby,
        "php" => Family::Php,
        "c" => Family::C,
        _ => Family::None,
    }
}

impl Touches {
    pub fn as_str(self) -> &'static str {
        match self {
            Touches::FileSystem => "file system",
            Touches::Network => "network",
            Touches::Database | Touches::Table => "database",
            Touches::Process => "process",
            Touches::Throws(_) => "throws",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        let lines = include_str!("rules.txt")
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines.filter(|line| !line.starts_with("family ")) {
            let (head, members) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
            let head: Vec<&str> = head.split_whitespace().collect();
            assert_eq!(head.len(), 3, "{line}");
            assert!(
                [
                    "file-system",
                    "network",
                    "database",
                    "process",
                    "table",
                    "throws"
                ]
                .contains(&head[0]),
                "{line}"
            );
            assert!(
                head[0] == "throws" || ["writes", "reads", "opens"].contains(&head[1]),
                "{line}"
            );
            assert!(!members.trim().is_empty(), "{line}");
        }
    }

    #[test]
    fn owners_are_the_last_parts_of_a_path() {
        let of = |family, name: &str, owner: &str| {
            of_member(family, name)
                .iter()
                .any(|rule| rule.touches != Touches::Table && rule.is_of(owner))
        };
        assert!(of(Family::DotNet, "Delete", "System.IO.File"));
        assert!(of(Family::JavaScript, "writeFile", "node:fs/promises"));
        assert!(of(Family::Rust, "write", "std::fs"));
        assert!(of(Family::Python, "get", "requests.Session()"));
        assert!(of(Family::Jvm, "save", "UserRepository"));
        assert!(of(Family::JavaScript, "post", "axios.default"));
        assert!(of(Family::Rust, "spawn", "std::process::Command::new()"));
        assert!(!of(Family::DotNet, "Delete", "Profile"));
        assert!(!of(Family::Python, "Delete", "File"));
        assert!(!of(Family::Go, "Get", "context"));
    }
}
