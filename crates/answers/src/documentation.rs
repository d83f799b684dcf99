//! The summary of a symbol's documentation as prose: its own, or that of what it overrides.

use engine::{Resolver, SymbolId, query};
use facts::SymbolKind;

use crate::{Session, excerpts, handle::DocumentationIds};

/// Languages whose own tools hand documentation down to what overrides or implements a member and
/// says nothing itself.
const HANDED_DOWN: &[&str] = &[
    "java",
    "kotlin",
    "python",
    "typescript",
    "javascript",
    "php",
    "rust",
];

/// Elements of XML documentation that say something about a part or an aspect, and so are no
/// summary.
const ASIDE: &[&str] = &[
    "param",
    "typeparam",
    "returns",
    "exception",
    "remarks",
    "example",
    "value",
    "seealso",
    "include",
    "permission",
];

/// Headings after which Python docstrings and Rust comments go into detail.
const SECTIONS: &[&str] = &[
    "args",
    "arguments",
    "parameters",
    "params",
    "keyword args",
    "keyword arguments",
    "returns",
    "return",
    "yields",
    "raises",
    "throws",
    "attributes",
    "example",
    "examples",
    "usage",
    "see also",
    "references",
    "errors",
    "panics",
    "safety",
    "note",
    "notes",
    "warnings",
];

/// The summary of a symbol's documentation, and which symbol it was taken from where that is
/// another one.
pub fn of(
    session: &Session,
    resolver: &Resolver<'_>,
    ids: &DocumentationIds<'_>,
    symbol: SymbolId,
) -> Option<(String, Option<SymbolId>)> {
    let own = written(session, symbol);
    let reference = own.as_deref().and_then(inherited);
    let hands_down = || own.is_none() && HANDED_DOWN.contains(&session.language(symbol.file));
    if let Some(summary) = own.as_deref().and_then(summary) {
        return Some((summary, None));
    }
    if reference.is_none() && !hands_down() {
        return None;
    }
    let above = match reference.flatten() {
        Some(named) => ids.find(named),
        None => overridden(resolver, symbol),
    };
    above
        .into_iter()
        .find_map(|other| Some((summary(&written(session, other)?)?, Some(other))))
}

/// The documentation of a symbol as prose with its marks; nothing where there is none.
fn written(session: &Session, symbol: SymbolId) -> Option<String> {
    let facts = session.facts(symbol.file)?;
    let text = session.text(symbol.file)?;
    excerpts::documentation(facts.symbol(symbol.index), &text)
}

/// What a symbol overrides, implements or derives from, nearest first.
fn overridden(resolver: &Resolver<'_>, symbol: SymbolId) -> Vec<SymbolId> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Vec::new();
    };
    match declared.kind {
        kind if kind.is_type() => resolver.all_supertypes(symbol),
        SymbolKind::Constructor => {
            let n_parameters = view.facts.parameters(&declared).len();
            let holder = declared.parent.map(|index| SymbolId {
                file: symbol.file,
                index,
            });
            let above = holder
                .map(|holder| resolver.all_supertypes(holder))
                .unwrap_or_default();
            let constructors = above.into_iter().flat_map(|ty| resolver.constructors(ty));
            let takes_as_many = |other: &SymbolId| {
                resolver.symbol(*other).is_some_and(|(view, declared)| {
                    view.facts.parameters(&declared).len() == n_parameters
                })
            };
            constructors.filter(takes_as_many).collect()
        }
        _ => query::overridden(resolver, symbol),
    }
}

/// Whether documentation says that it is another's: `<inheritdoc/>`, `{@inheritDoc}`; and whose,
/// where it names it.
fn inherited(prose: &str) -> Option<Option<&str>> {
    let start = prose.to_ascii_lowercase().find("inheritdoc")?;
    let tag = prose[start..].split('>').next().unwrap_or("");
    let named = tag
        .split_once("cref=\"")
        .and_then(|(_, rest)| rest.split('"').next());
    Some(named)
}

/// The summary of documentation, as one line of prose; nothing where it says nothing of its own.
pub fn summary(prose: &str) -> Option<String> {
    let prose = without_inheritance(prose);
    let short = match element(&prose, "summary") {
        Some(inner) => plain(inner),
        None => plain(before_details(&without_asides(&prose))),
    };
    // Where only details are told, they are better than nothing.
    let told = if short.is_empty() {
        plain(&prose)
    } else {
        short
    };
    (!told.is_empty()).then_some(told)
}

fn without_inheritance(prose: &str) -> String {
    let mut rest = prose.to_owned();
    for mark in [
        "{@inheritDoc}",
        "{@inheritdoc}",
        "@inheritDoc",
        "@inheritdoc",
    ] {
        rest = rest.replace(mark, "");
    }
    while let Some(start) = rest.find("<inheritdoc") {
        let end = rest[start..]
            .find('>')
            .map_or(rest.len(), |end| start + end + 1);
        rest.replace_range(start..end, "");
    }
    rest.replace("</inheritdoc>", "")
}

/// The text of the first element of a name.
fn element<'a>(prose: &'a str, name: &str) -> Option<&'a str> {
    let (_, inner) = prose.split_once(&format!("<{name}>"))?;
    Some(
        inner
            .split_once(&format!("</{name}>"))
            .map_or(inner, |(inner, _)| inner),
    )
}

/// Removes the elements that describe parts.
fn without_asides(prose: &str) -> String {
    let mut rest = prose.to_owned();
    for name in ASIDE {
        let (open, close) = (format!("<{name}"), format!("</{name}>"));
        let mut from = 0;
        while let Some(start) = rest[from..].find(&open).map(|at| from + at) {
            // `<parameters>` is another word.
            if !rest[start + open.len()..].starts_with([' ', '>', '/']) {
                from = start + open.len();
                continue;
            }
            let tag = rest[start..]
                .find('>')
                .map_or(rest.len(), |end| start + end + 1);
            let is_whole = rest[..tag].ends_with("/>");
            let end = if is_whole {
                tag
            } else {
                rest[start..]
                    .find(&close)
                    .map_or(tag, |end| start + end + close.len())
            };
            rest.replace_range(start..end, "");
            from = start;
        }
    }
    rest
}

/// The text before the first `@param`, `:returns:`, `Args:` or `# Examples`.
fn before_details(prose: &str) -> &str {
    let mut offset = 0;
    let lines: Vec<&str> = prose.split_inclusive('\n').collect();
    for (i, line) in lines.iter().enumerate() {
        let word = line.trim();
        let heading = word
            .trim_start_matches('#')
            .trim()
            .trim_end_matches(':')
            .to_ascii_lowercase();
        let underlined = lines.get(i + 1).is_some_and(|next| {
            next.trim().len() > 2 && next.trim().chars().all(|c| c == '-' || c == '=')
        });
        let is_heading = (word.starts_with('#') || word.ends_with(':') || underlined)
            && SECTIONS.contains(&heading.as_str());
        let tag = word.strip_prefix(['@', '\\']).map(|tag| {
            tag.split(|c: char| !c.is_ascii_alphabetic())
                .next()
                .unwrap_or("")
        });
        let is_tag = tag.is_some_and(|tag| {
            !tag.is_empty() && !["brief", "description", "summary", "desc"].contains(&tag)
        });
        let is_field = word.starts_with(':') && word[1..].contains(':') && !word.starts_with("::");
        if is_heading || is_tag || is_field {
            break;
        }
        offset += line.len();
    }
    &prose[..offset]
}

/// Documentation as prose on one line: the tags of XML comments are left out, what they name stays.
fn plain(prose: &str) -> String {
    let mut out = String::with_capacity(prose.len());
    let mut rest = prose;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        match tag.find('>').filter(|_| is_tag) {
            Some(close) => {
                // `<see cref="T:Order"/>` and `<paramref name="id"/>` name something.
                let named = ["cref=\"", "name=\"", "langword=\""]
                    .iter()
                    .find_map(|key| tag[..close].split_once(key))
                    .and_then(|(_, value)| value.split('"').next());
                if let Some(name) = named.filter(|_| tag[..close].ends_with('/')) {
                    out.push_str(name.split_once(':').map_or(name, |(_, name)| name));
                }
                rest = &tag[close + 1..];
            }
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    let words: Vec<&str> = out
        .split_whitespace()
        .filter(|word| !matches!(*word, "@brief" | "\\brief" | "@description" | "@summary"))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prose: &str, expected: &str) {
        assert_eq!(summary(prose).as_deref().unwrap_or(""), expected);
    }

    #[test]
    fn a_summary_is_told_without_the_parts() {
        check(
            "<summary>\nPays an <see cref=\"T:Shop.Order\"/>.\n</summary>",
            "Pays an Shop.Order.",
        );
        check(
            "<summary>Resolves.</summary>\n<param name=\"args\">The args.</param>\n<returns>BaseItem.</returns>",
            "Resolves.",
        );
        check(
            "<param name=\"id\">The id.</param>\nFinds one.\n<exception cref=\"T:Bad\">Never.</exception>",
            "Finds one.",
        );
        check("<returns>The order.</returns>", "The order.");
        check("a < b and Vec<T>", "a < b and Vec");
    }

    #[test]
    fn tags_fields_and_sections_are_details() {
        check(
            "Adds two numbers.\n\n@param a one\n@return the sum",
            "Adds two numbers.",
        );
        check("@return the sum", "@return the sum");
        check("@brief Adds.\n\\param a one", "Adds.");
        check(
            "Adds.\n\nArgs:\n    a: one\n\nReturns:\n    The sum.",
            "Adds.",
        );
        check("Adds.\n\nParameters\n----------\na : int", "Adds.");
        check("Adds.\n\n:param a: one\n:returns: the sum", "Adds.");
        check(
            "Adds.\n\nTwice.\n\n# Examples\n\n```\nadd(1)\n```",
            "Adds. Twice.",
        );
        check(
            "Note that this is slow: it waits.",
            "Note that this is slow: it waits.",
        );
    }

    #[test]
    fn a_mere_reference_to_another_has_no_summary() {
        check("<inheritdoc />", "");
        check("<inheritdoc cref=\"IShop\"/>", "");
        check("{@inheritDoc}", "");
        assert_eq!(
            inherited("<inheritdoc cref=\"IShop.Sell\"/>"),
            Some(Some("IShop.Sell"))
        );
        assert_eq!(inherited("{@inheritDoc}"), Some(None));
        assert_eq!(inherited("Sells."), None);
    }
}
