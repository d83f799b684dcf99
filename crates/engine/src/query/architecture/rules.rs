//! What frameworks look like, as data: one text file each in `rules/`, one rule a line.
//!
//! `framework NAME` begins a file, `family NAME` says in which languages, `module NAME ...` which
//! imports show that it is used (none: always). Every other line is a rule: a verb, plain words,
//! and `key=value` options. The verbs are those that the modules beside this one ask for.

use std::sync::LazyLock;

use facts::Family;

#[derive(Debug)]
pub struct Framework {
    pub name: &'static str,
    pub family: Family,
    /// Prefixes of imported modules; none where it needs no import.
    pub modules: Vec<&'static str>,
    pub rules: Vec<Rule>,
}

#[derive(Debug)]
pub struct Rule {
    pub verb: &'static str,
    pub words: Vec<&'static str>,
    options: Vec<(&'static str, &'static str)>,
}

impl Rule {
    /// The word after the verb.
    pub fn name(&self) -> &'static str {
        self.words.first().copied().unwrap_or("")
    }

    pub fn option(&self, key: &str) -> Option<&'static str> {
        self.options
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
    }

    /// The words of an option, between commas.
    pub fn list(&self, key: &str) -> Vec<&'static str> {
        self.option(key)
            .map(|value| value.split(',').collect())
            .unwrap_or_default()
    }
}

impl Framework {
    pub fn of(&self, verb: &'static str) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.verb == verb)
    }

    /// All words of all rules of a verb.
    pub fn words(&self, verb: &'static str) -> impl Iterator<Item = &'static str> {
        self.of(verb).flat_map(|rule| rule.words.iter().copied())
    }
}

pub fn frameworks() -> &'static [Framework] {
    static FRAMEWORKS: LazyLock<Vec<Framework>> =
        LazyLock::new(|| FILES.iter().map(|text| parse(text)).collect());
    &FRAMEWORKS
}

/// Frameworks that no rule reads, so that their use can be said: `FAMILY NAME MODULE...` in each
/// line.
pub fn unsupported() -> &'static [Framework] {
    static UNSUPPORTED: LazyLock<Vec<Framework>> = LazyLock::new(|| {
        let lines = include_str!("rules/unsupported.txt")
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let rows = lines.map(|line| {
            let mut words = line.split_whitespace();
            let (own, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            Framework {
                name,
                family: family_named(own),
                modules: words.collect(),
                rules: Vec::new(),
            }
        });
        rows.collect()
    });
    &UNSUPPORTED
}

const FILES: &[&str] = &[
    include_str!("rules/aspnetcore.txt"),
    include_str!("rules/efcore.txt"),
    include_str!("rules/express.txt"),
    include_str!("rules/fastify.txt"),
    include_str!("rules/nestjs.txt"),
    include_str!("rules/node.txt"),
    include_str!("rules/typeorm.txt"),
    include_str!("rules/prisma.txt"),
    include_str!("rules/flask.txt"),
    include_str!("rules/fastapi.txt"),
    include_str!("rules/django.txt"),
    include_str!("rules/python.txt"),
    include_str!("rules/sqlalchemy.txt"),
    include_str!("rules/spring.txt"),
    include_str!("rules/go.txt"),
    include_str!("rules/golang.txt"),
    include_str!("rules/rust.txt"),
    include_str!("rules/axum.txt"),
    include_str!("rules/actix.txt"),
    include_str!("rules/diesel.txt"),
    include_str!("rules/gorm.txt"),
    include_str!("rules/java.txt"),
    include_str!("rules/dotnet.txt"),
    include_str!("rules/nextjs.txt"),
    include_str!("rules/sequelize.txt"),
    include_str!("rules/mongoose.txt"),
    include_str!("rules/ruby.txt"),
    include_str!("rules/rails.txt"),
    include_str!("rules/php.txt"),
    include_str!("rules/laravel.txt"),
    include_str!("rules/c.txt"),
    include_str!("rules/sql.txt"),
];

fn parse(text: &'static str) -> Framework {
    let mut framework = Framework {
        name: "",
        family: Family::None,
        modules: Vec::new(),
        rules: Vec::new(),
    };
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or("");
        let (mut plain, mut options) = (Vec::new(), Vec::new());
        for word in words {
            match word.split_once('=') {
                Some((key, value)) if key.chars().all(|c| c.is_ascii_lowercase() || c == '-') => {
                    options.push((key, value))
                }
                _ => plain.push(word),
            }
        }
        match verb {
            "framework" => framework.name = plain.first().copied().unwrap_or(""),
            "family" => framework.family = family_named(plain.first().copied().unwrap_or("")),
            "module" => framework.modules = plain,
            verb => framework.rules.push(Rule {
                verb,
                words: plain,
                options,
            }),
        }
    }
    framework
}

/// The languages that a rule file means.
pub fn family_named(name: &str) -> Family {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_names_its_framework_and_family() {
        for framework in frameworks() {
            assert!(!framework.name.is_empty());
            // Files of SQL belong to no family of languages.
            assert!(
                framework.family != Family::None || framework.name == "sql",
                "{}",
                framework.name
            );
            for rule in &framework.rules {
                assert!(
                    VERBS.contains(&rule.verb),
                    "{}: nobody asks for `{}`",
                    framework.name,
                    rule.verb
                );
            }
        }
    }

    #[test]
    fn every_unsupported_framework_has_a_module() {
        assert!(
            unsupported()
                .iter()
                .all(|known| known.family != Family::None && !known.modules.is_empty())
        );
    }

    const VERBS: &[&str] = &[
        "annotation",
        "area",
        "block-action",
        "block-api-only",
        "block-controller",
        "block-file",
        "block-include",
        "block-library",
        "block-library-part",
        "block-part",
        "block-prefix",
        "block-receiver",
        "block-resources",
        "block-root",
        "block-route",
        "block-scope",
        "block-template",
        "chain",
        "config-annotation",
        "config-bind",
        "config-call",
        "config-class",
        "config-field",
        "config-index",
        "config-member",
        "controller",
        "conventional",
        "decorator",
        "di",
        "endpoint-class",
        "endpoint-group",
        "file-route",
        "global-prefix",
        "group",
        "group-callback",
        "maker",
        "method-handler",
        "method-router",
        "middleware",
        "mount",
        "mount-directory",
        "named",
        "not-an-action",
        "package",
        "pages",
        "prefix",
        "program",
        "retry",
        "returned",
        "route",
        "route-object",
        "routed",
        "self-route",
        "sql",
        "sql-files",
        "table-annotation",
        "table-attribute",
        "table-base",
        "table-call",
        "table-call-named",
        "table-class",
        "table-define",
        "table-file",
        "table-macro",
        "table-migrated",
        "table-model",
        "table-owned",
        "table-query",
        "table-set",
        "template",
        "token-transformer",
        "type",
        "url",
        "url-register",
        "url-router",
        "versioned",
        "wrapper",
    ];
}
