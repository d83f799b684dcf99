//! Names of tables that a program gives to all entities at once: a loop over the entities of the
//! model, or a package that spells names otherwise.
//!
//! The expression that makes the name is read from the text and evaluated for each entity:
//! `"app_" + entity.GetTableName().ToSnakeCase()`, `string.Concat(parts[2], "_", type.Name)`.

use crate::query::architecture::{
    Scan,
    inflection::{plural, singular, snake},
    scan::CallSite,
};
use facts::Recipe;

/// Calls of packages that spell the names of tables otherwise, unless these are written.
const PACKAGES: &[(&str, fn(&str) -> String)] = &[
    ("UseSnakeCaseNamingConvention", snake),
    ("UseLowerCaseNamingConvention", lower),
    ("UseUpperCaseNamingConvention", upper),
    ("UseUpperSnakeCaseNamingConvention", upper_snake),
    ("UseCamelCaseNamingConvention", camel_case),
];

/// What the name of a table is made of.
pub struct NamedEntity<'a> {
    pub class: &'a str,
    pub namespace: &'a str,
    pub table: &'a str,
    /// The program writes the table.
    pub is_explicit: bool,
}

#[derive(Default)]
pub struct Conventions {
    packages: Vec<fn(&str) -> String>,
    written: Vec<WrittenConvention>,
}

struct WrittenConvention {
    expression: String,
    /// The text before it, where its variables are set.
    before: String,
    /// Tables that it is for begin with this.
    begins: Option<String>,
    /// Nothing that names tables comes after it.
    is_last: bool,
}

impl Conventions {
    pub fn read(scan: &Scan<'_>) -> Conventions {
        let packages = PACKAGES.iter();
        let packages = packages.filter(|(call, _)| !scan.calls(call).is_empty());
        let mut found = Conventions {
            packages: packages.map(|(_, spell)| *spell).collect(),
            written: Vec::new(),
        };
        for site in scan.calls("SetTableName") {
            found.written.extend(written(scan, &site));
        }
        for site in scan.calls(super::TO_TABLE) {
            if is_of_every_entity(scan, &site) {
                found.written.extend(written(scan, &site));
            }
        }
        found
    }

    /// The table of an entity after all conventions.
    pub fn table(&self, named: &NamedEntity<'_>) -> String {
        let mut table = named.table.to_owned();
        if !named.is_explicit {
            for spell in &self.packages {
                table = spell(&table);
            }
        }
        for rule in &self.written {
            let is_for = rule
                .begins
                .as_ref()
                .is_none_or(|begins| table.starts_with(begins.as_str()));
            if (named.is_explicit && !rule.is_last) || !is_for {
                continue;
            }
            let of = NamedEntity {
                table: &table,
                ..*named
            };
            let mut reader = Expression {
                text: &rule.expression,
                at: 0,
                before: &rule.before,
                named: &of,
                depth: 0,
            };
            if let Some(NamePart::Text(name)) = reader.whole() {
                table = name;
            }
        }
        table
    }
}

/// `model.Entity(entity.Name).ToTable(...)`, where the entity is a variable.
pub fn is_of_every_entity(scan: &Scan<'_>, site: &CallSite) -> bool {
    let facts = &site.view.facts;
    let receiver = site
        .reference
        .receiver
        .map(|receiver| facts.recipe(receiver));
    let Some(Recipe::Call(callee, list)) = receiver else {
        return false;
    };
    let is_entity = matches!(facts.recipe(callee), Recipe::Member(_, name) if facts.name(name) == super::ENTITY);
    let argument = facts.list(list).first().copied();
    is_entity
        && argument.is_some_and(|argument| {
            !matches!(facts.recipe(argument), Recipe::Type(_))
                && scan.string(site.place(), argument).is_none()
        })
}

fn written(scan: &Scan<'_>, site: &CallSite) -> Option<WrittenConvention> {
    let text = scan.text(site.file())?;
    let span = *scan.argument_spans(site).first()?;
    let expression = text.get(span.start as usize..span.end as usize)?;
    // One entity with a name of its own is no convention.
    if expression.starts_with('"') && !expression.contains('+') {
        return None;
    }
    let start = site.reference.span.start as usize;
    let before = text.get(..start)?;
    let around = before.rfind("GetEntityTypes")?;
    let begins = before[around..]
        .split_once("StartsWith(\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(begins, _)| begins.to_owned());
    Some(WrittenConvention {
        expression: expression.to_owned(),
        before: before.to_owned(),
        begins,
        is_last: is_last(scan, site),
    })
}

/// Whether nothing after a convention names tables: no configuration, and no call that is handed the
/// builder.
fn is_last(scan: &Scan<'_>, site: &CallSite) -> bool {
    const CREATING: &str = "OnModelCreating";
    let (view, facts) = (&site.view, &site.view.facts);
    let method = site.reference.enclosing;
    let creating = facts
        .symbols_with_index()
        .find(|(index, symbol)| view.name_of(*index) == CREATING && symbol.kind.is_callable());
    let (Some(method), Some((creating, declared))) = (method, creating) else {
        return true;
    };
    let at = if method == creating {
        site.reference.span.start
    } else {
        let name = facts.symbol(method).name;
        let calls = facts.references_of(name).iter();
        let mut inside = calls.filter(|call| declared.span.contains(call.span.start));
        match inside.next() {
            Some(call) => call.span.start,
            None => return true,
        }
    };
    let builder = facts
        .parameters(declared)
        .first()
        .map(|builder| builder.name);
    let mut after = facts.references.iter().filter(|reference| {
        reference.call.is_some()
            && reference.span.start > at
            && declared.span.contains(reference.span.start)
    });
    !after.any(|reference| {
        let name = facts.name(reference.name);
        let is_handed = match reference.call.map(|call| facts.recipe(call)) {
            Some(Recipe::Call(_, list)) => facts.list(list).iter().any(|argument| {
                matches!(facts.recipe(*argument), Recipe::Name(name) if Some(name) == builder)
            }),
            _ => false,
        };
        let is_same = name == facts.name(site.reference.name);
        (is_handed && name != CREATING)
            || name.starts_with("ApplyConfiguration")
            || name == super::TO_TABLE && !is_same && !is_of_every(scan, view, reference)
    })
}

fn is_of_every(
    scan: &Scan<'_>,
    view: &std::sync::Arc<crate::FileView>,
    reference: &facts::Reference,
) -> bool {
    let site = CallSite {
        view: view.clone(),
        reference: reference.clone(),
        arguments: Vec::new(),
    };
    is_of_every_entity(scan, &site)
}

#[derive(Clone, Debug, PartialEq)]
enum NamePart {
    Text(String),
    Words(Vec<String>),
    /// A position, from the end where negative.
    Number(i64),
    Entity,
    Class,
    Package(String),
}

struct Expression<'a> {
    text: &'a str,
    at: usize,
    before: &'a str,
    named: &'a NamedEntity<'a>,
    depth: u32,
}

impl Expression<'_> {
    fn whole(&mut self) -> Option<NamePart> {
        let value = self.sum();
        self.skip_space();
        let rest = &self.text[self.at..];
        if let Some(rest) = rest.strip_prefix("??") {
            return value.or_else(|| self.inner(rest, self.before));
        }
        value.filter(|_| rest.is_empty())
    }

    /// Another expression for the same entity.
    fn inner(&self, text: &str, before: &str) -> Option<NamePart> {
        if self.depth > 8 {
            return None;
        }
        let mut inner = Expression {
            text,
            at: 0,
            before,
            named: self.named,
            depth: self.depth + 1,
        };
        inner.whole()
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let is_next = self.text[self.at..].starts_with(token);
        if is_next {
            self.at += token.len();
        }
        is_next
    }

    fn sum(&mut self) -> Option<NamePart> {
        let mut value = self.postfix()?;
        while self.eat("+") {
            let (NamePart::Text(a), NamePart::Text(b)) = (value, self.postfix()?) else {
                return None;
            };
            value = NamePart::Text(a + &b);
        }
        Some(value)
    }

    fn word(&mut self) -> &str {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += end;
        &self.text[self.at - end..self.at]
    }

    fn postfix(&mut self) -> Option<NamePart> {
        let mut value = self.primary()?;
        loop {
            if self.eat("!") || self.eat("?.") {
                if self.text[..self.at].ends_with("?.") {
                    self.at -= 1;
                }
                continue;
            }
            if self.eat(".") {
                let name = self.word().to_owned();
                let arguments = self.arguments()?;
                value = member(value, &name, arguments, self.named)?;
            } else if self.eat("[") {
                let is_from_end = self.eat("^");
                let NamePart::Number(at) = self.sum()? else {
                    return None;
                };
                self.eat("]").then_some(())?;
                let NamePart::Words(words) = value else {
                    return None;
                };
                let at = if is_from_end {
                    words.len().checked_sub(at as usize)?
                } else {
                    at as usize
                };
                value = NamePart::Text(words.get(at)?.clone());
            } else {
                return Some(value);
            }
        }
    }

    /// The arguments of a call, none where nothing is called.
    fn arguments(&mut self) -> Option<Option<Vec<NamePart>>> {
        // Type arguments say nothing here.
        if !self.eat("(") {
            return Some(None);
        }
        let mut values = Vec::new();
        while !self.eat(")") {
            values.push(self.sum()?);
            if !self.eat(",") {
                self.eat(")").then_some(())?;
                break;
            }
        }
        Some(Some(values))
    }

    fn primary(&mut self) -> Option<NamePart> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        match first {
            '"' => {
                let end = rest[1..].find('"')? + 1;
                self.at += end + 1;
                Some(NamePart::Text(rest[1..end].to_owned()))
            }
            '\'' => {
                let end = rest[1..].find('\'')? + 1;
                self.at += end + 1;
                Some(NamePart::Text(rest[1..end].to_owned()))
            }
            '$' if rest.starts_with("$\"") => {
                let end = rest[2..].find('"')? + 2;
                self.at += end + 1;
                self.template(&rest[2..end])
            }
            '(' => {
                self.at += 1;
                let value = self.sum()?;
                self.eat(")").then_some(value)
            }
            c if c.is_ascii_digit() => {
                let number = self.word().parse().ok()?;
                Some(NamePart::Number(number))
            }
            c if c.is_alphabetic() || c == '_' => {
                let name = self.word().to_owned();
                match self.arguments()? {
                    Some(arguments) if name == "typeof" => {
                        drop(arguments);
                        Some(NamePart::Class)
                    }
                    Some(arguments) => called(&name, arguments),
                    None => self.variable(&name),
                }
            }
            _ => None,
        }
    }

    /// `{prefix}_{name}` of `$"{prefix}_{name}"`.
    fn template(&self, inner: &str) -> Option<NamePart> {
        let mut text = String::new();
        let mut rest = inner;
        while let Some((before, hole)) = rest.split_once('{') {
            let (expression, after) = hole.split_once('}')?;
            text.push_str(before);
            match self.inner(expression, self.before)? {
                NamePart::Text(filled) => text.push_str(&filled),
                _ => return None,
            }
            rest = after;
        }
        text.push_str(rest);
        Some(NamePart::Text(text))
    }

    /// A variable: what the text before sets it to, or the entity itself.
    fn variable(&self, name: &str) -> Option<NamePart> {
        if matches!(
            name,
            "string" | "String" | "Regex" | "CultureInfo" | "StringComparison"
        ) {
            return Some(NamePart::Package(name.to_owned()));
        }
        let set = |keyword: &str| self.before.rfind(&format!("{keyword} {name} ="));
        let at = ["var", "string", "string?", "String", "string[]"]
            .iter()
            .filter_map(|keyword| set(keyword))
            .max();
        let Some(at) = at else {
            return Some(NamePart::Entity);
        };
        let rest = &self.before[at..];
        let value = rest.split_once('=')?.1.split_once(';')?.0;
        self.inner(value.trim(), &self.before[..at])
    }
}

fn member(
    value: NamePart,
    name: &str,
    arguments: Option<Vec<NamePart>>,
    named: &NamedEntity<'_>,
) -> Option<NamePart> {
    let text = |text: &str| Some(NamePart::Text(text.to_owned()));
    match value {
        NamePart::Entity => match name {
            "ClrType" => Some(NamePart::Class),
            "Relational" | "Metadata" => Some(NamePart::Entity),
            "GetTableName"
            | "TableName"
            | "GetDefaultTableName"
            | "GetSchemaQualifiedTableName" => text(named.table),
            "DisplayName" | "ShortName" => text(named.class),
            "Name" => Some(NamePart::Text(format!(
                "{}.{}",
                named.namespace, named.class
            ))),
            _ => None,
        },
        NamePart::Class => match name {
            "Name" => text(named.class),
            "Namespace" => text(named.namespace),
            "FullName" => Some(NamePart::Text(format!(
                "{}.{}",
                named.namespace, named.class
            ))),
            _ => None,
        },
        NamePart::Package(_) => called(name, arguments?),
        NamePart::Words(words) => match name {
            "Last" | "LastOrDefault" => words.last().cloned().map(NamePart::Text),
            "First" | "FirstOrDefault" => words.first().cloned().map(NamePart::Text),
            _ => None,
        },
        NamePart::Text(own) => spelled(own, name, arguments),
        NamePart::Number(_) => None,
    }
}

/// A method of a text.
fn spelled(own: String, name: &str, arguments: Option<Vec<NamePart>>) -> Option<NamePart> {
    let arguments = arguments.unwrap_or_default();
    let words: Vec<&str> = arguments
        .iter()
        .filter_map(|argument| match argument {
            NamePart::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let text = match (name, words.as_slice(), arguments.first()) {
        ("Split", [separator, ..], _) => {
            let words = own.split(separator).map(str::to_owned);
            return Some(NamePart::Words(words.collect()));
        }
        ("Replace", [from, to], _) => own.replace(from, to),
        ("Substring", _, Some(NamePart::Number(at))) => own.get(*at as usize..)?.to_owned(),
        ("TrimStart", [start], _) => own.trim_start_matches(start).to_owned(),
        ("TrimEnd", [end], _) => own.trim_end_matches(end).to_owned(),
        ("ToString" | "Trim", ..) => own,
        _ => return spell(name, &own).map(NamePart::Text),
    };
    Some(NamePart::Text(text))
}

/// A function of texts: `string.Concat(a, b)`, `ToSnakeCase(name)`.
fn called(name: &str, arguments: Vec<NamePart>) -> Option<NamePart> {
    let texts: Option<Vec<String>> = arguments
        .into_iter()
        .map(|argument| match argument {
            NamePart::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    let texts = texts?;
    match (name, texts.as_slice()) {
        ("Concat", _) => Some(NamePart::Text(texts.concat())),
        ("Join", [separator, parts @ ..]) => Some(NamePart::Text(parts.join(separator))),
        // `Regex.Replace(name, "([a-z])([A-Z])", "$1_$2")`.
        ("Replace", [text, _, to]) if to.contains('_') => Some(NamePart::Text(snake(text))),
        (name, [text]) => spell(name, text).map(NamePart::Text),
        _ => None,
    }
}

/// What a function does to a name, as its own name says.
fn spell(name: &str, text: &str) -> Option<String> {
    let name = name.to_lowercase();
    let has = |word: &str| name.contains(word);
    if has("snake") || has("underscore") {
        Some(snake(text))
    } else if has("lower") {
        Some(lower(text))
    } else if has("upper") {
        Some(upper(text))
    } else if has("plural") {
        Some(plural(text))
    } else if has("singular") {
        Some(singular(text))
    } else if has("camel") {
        Some(camel_case(text))
    } else {
        None
    }
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

fn upper(text: &str) -> String {
    text.to_uppercase()
}

fn upper_snake(text: &str) -> String {
    snake(text).to_uppercase()
}

fn camel_case(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_lowercase());
    first.into_iter().flatten().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_as_the_expression_says() {
        let before = "foreach (var e in model.GetEntityTypes()) { var parts = e.ClrType.Namespace.Split('.'); var name = e.GetTableName(); ";
        let named = NamedEntity {
            class: "OrderLine",
            namespace: "Acme.Module.Shop.Models",
            table: "OrderLines",
            is_explicit: false,
        };
        let cases = [
            ("name.ToSnakeCase()", Some("order_lines")),
            ("\"app_\" + e.ClrType.Name.ToLower()", Some("app_orderline")),
            (
                "string.Concat(parts[2], \"_\", e.ClrType.Name)",
                Some("Shop_OrderLine"),
            ),
            (
                "$\"{parts[^2]}_{e.DisplayName().Pluralize()}\"",
                Some("Shop_OrderLines"),
            ),
            ("ToSnakeCase(e.GetTableName()!)", Some("order_lines")),
            ("name.Substring(5)", Some("Lines")),
            ("e.GetTableName()?.ToUpperInvariant()", Some("ORDERLINES")),
            ("Names.For(e)", None),
        ];
        for (expression, expected) in cases {
            let mut reader = Expression {
                text: expression,
                at: 0,
                before,
                named: &named,
                depth: 0,
            };
            let value = match reader.whole() {
                Some(NamePart::Text(text)) => Some(text),
                _ => None,
            };
            assert_eq!(value.as_deref(), expected, "{expression}");
        }
    }
}
