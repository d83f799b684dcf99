//! What running a callable does besides returning: what it throws, logs and writes, and which libraries with effects it calls.

use facts::{Role, SymbolKind};

use crate::{Complete, Found, Outcome, Resolver, SymbolId, query};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Types that its own code throws, each once, in order.
    pub thrown: Vec<String>,
    /// Messages that it logs: (level, template).
    pub logs: Vec<(String, String)>,
    /// `writes field Order.Total`, `database: SaveChangesAsync`.
    pub side_effects: Vec<String>,
}

/// Calls into libraries by what they touch.
struct Touch {
    what: &'static str,
    /// What the receiver's expression holds, in lower case; empty where the name alone tells enough.
    on: &'static [&'static str],
    names: &'static [&'static str],
}

const TOUCHES: &[Touch] = &[
    Touch {
        what: "database",
        on: &[],
        names: &[
            "SaveChanges",
            "SaveChangesAsync",
            "ExecuteSqlRaw",
            "ExecuteSqlRawAsync",
            "ExecuteNonQuery",
            "ExecuteNonQueryAsync",
            "ExecuteUpdateAsync",
            "ExecuteDeleteAsync",
            "executemany",
            "executeUpdate",
            "commit",
            "bulk_create",
            "insert_one",
            "insertOne",
            "updateOne",
            "deleteOne",
            "findOneAndUpdate",
            "saveAll",
        ],
    },
    Touch {
        what: "database",
        on: &["repository", "usermanager", "rolemanager"],
        names: &[
            "Add",
            "AddAsync",
            "AddRange",
            "AddRangeAsync",
            "Create",
            "CreateAsync",
            "Insert",
            "InsertAsync",
            "Update",
            "UpdateAsync",
            "UpdateRangeAsync",
            "Delete",
            "DeleteAsync",
            "DeleteRangeAsync",
            "Remove",
            "RemoveAsync",
            "AddPasswordAsync",
            "AddLoginAsync",
            "AddClaimAsync",
            "ReplaceClaimAsync",
            "RemoveClaimAsync",
            "AddToRoleAsync",
            "AddToRolesAsync",
            "RemoveFromRoleAsync",
            "RemoveFromRolesAsync",
            "save",
            "delete",
            "deleteById",
        ],
    },
    Touch {
        what: "file system",
        on: &[],
        names: &[
            "WriteAllText",
            "WriteAllTextAsync",
            "WriteAllBytes",
            "WriteAllBytesAsync",
            "WriteAllLines",
            "AppendAllText",
            "CreateDirectory",
            "writeFile",
            "writeFileSync",
            "appendFile",
            "mkdirSync",
            "unlink",
            "unlinkSync",
            "makedirs",
            "rmtree",
            "remove_file",
            "create_dir_all",
            "WriteFile",
            "MkdirAll",
            "RemoveAll",
            "file_put_contents",
        ],
    },
    Touch {
        what: "network",
        on: &[],
        names: &["PostAsJsonAsync", "PutAsJsonAsync", "GetFromJsonAsync", "fetch", "urlopen", "sendto", "NewRequest", "curl_exec"],
    },
    Touch {
        what: "network",
        on: &["http", "client"],
        names: &["GetAsync", "PostAsync", "PutAsync", "PatchAsync", "DeleteAsync", "SendAsync", "GetStringAsync", "GetStreamAsync"],
    },
    Touch { what: "process", on: &[], names: &["Popen", "check_call", "check_output", "execSync", "spawnSync", "execFile"] },
];

const LEVELS: &[(&str, &str)] = &[
    ("LogTrace", "Trace"),
    ("LogDebug", "Debug"),
    ("LogInformation", "Information"),
    ("LogWarning", "Warning"),
    ("LogError", "Error"),
    ("LogCritical", "Critical"),
    ("trace", "Trace"),
    ("debug", "Debug"),
    ("info", "Information"),
    ("warn", "Warning"),
    ("warning", "Warning"),
    ("error", "Error"),
    ("exception", "Error"),
    ("critical", "Critical"),
];

pub fn effects(resolver: &Resolver<'_>, symbol: SymbolId) -> Complete<Effects> {
    let mut found = Effects::default();
    let Some(view) = resolver.view(symbol.file) else { return resolver.budget.finish(found) };
    let snapshot = resolver.snapshot();
    let text = snapshot.corpus().text(snapshot.file(symbol.file).content);
    let is_inside = |reference: &facts::Reference| {
        reference
            .enclosing
            .is_some_and(|enclosing| enclosing == symbol.index || query::enclosing_callable(&view, enclosing) == Some(symbol.index))
    };
    let mut inside: Vec<&facts::Reference> = view.facts.references.iter().filter(|reference| is_inside(reference)).collect();
    inside.sort_by_key(|reference| reference.span.start);
    let mut push = |list: fn(&mut Effects) -> &mut Vec<String>, text: String| {
        if !list(&mut found).contains(&text) {
            list(&mut found).push(text);
        }
    };
    let mut logs = Vec::new();
    for reference in inside {
        if !resolver.budget.spend() {
            break;
        }
        let name = view.facts.name(reference.name);
        if matches!(reference.role, Role::Instantiate | Role::Call)
            && text.as_deref().is_some_and(|text| is_thrown(text, reference.span.start))
        {
            push(|effects| &mut effects.thrown, name.to_owned());
            continue;
        }
        // What an object is given while it is made is nobody else's yet: `new Order { Id = 1 }`.
        let is_being_made = reference.receiver.is_some_and(|receiver| matches!(view.facts.recipe(receiver), facts::Recipe::New(..)));
        if reference.role == Role::Write && !is_being_made {
            let resolution = resolver.resolve(&view, reference);
            for target in
                resolution.targets.iter().filter(|_| matches!(resolution.outcome, Outcome::Static | Outcome::Heuristic | Outcome::Dispatch))
            {
                if let Found::Symbol(field) = target
                    && let Some((other, declared)) = resolver.symbol(*field)
                    && matches!(declared.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable | SymbolKind::Event)
                    && declared.parent != Some(symbol.index)
                {
                    let owner = declared.parent.map(|parent| format!("{}.", other.name_of(parent))).unwrap_or_default();
                    push(|effects| &mut effects.side_effects, format!("writes {} {owner}{name}", declared.kind.word()));
                }
            }
        }
        if reference.role != Role::Call {
            continue;
        }
        if let Some((_, level)) = LEVELS.iter().find(|(known, _)| *known == name)
            && let Some(receiver) = reference.receiver
            && is_logger(&crate::text::recipe(&view.facts, receiver), name)
            && let Some(template) = first_string(&view, reference)
        {
            logs.push(((*level).to_owned(), template));
        }
        let receiver = || reference.receiver.map(|receiver| crate::text::recipe(&view.facts, receiver).to_lowercase()).unwrap_or_default();
        let touches =
            |touch: &&Touch| touch.names.contains(&name) && (touch.on.is_empty() || touch.on.iter().any(|word| receiver().contains(word)));
        if let Some(touch) = TOUCHES.iter().find(touches) {
            let is_library = matches!(resolver.resolve(&view, reference).outcome, Outcome::External | Outcome::Unresolved);
            if is_library {
                push(|effects| &mut effects.side_effects, format!("{}: {name}", touch.what));
            }
        }
    }
    found.logs = logs;
    resolver.budget.finish(found)
}

/// Whether `throw` or `raise` stands before an expression.
fn is_thrown(text: &str, start: u32) -> bool {
    let before = text.get(..start as usize).unwrap_or("").trim_end();
    // A qualified name has its namespace before it.
    let before = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':' || c == '\\').trim_end();
    let whole = text.get(..start as usize).unwrap_or("").trim_end();
    let ends = |text: &str| {
        ["throw", "raise"]
            .iter()
            .any(|word| text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_')))
    };
    let without_new = |text: &str| text.strip_suffix("new").map(|rest| rest.trim_end().to_owned());
    ends(whole) || ends(before) || without_new(whole).is_some_and(|text| ends(&text)) || without_new(before).is_some_and(|text| ends(&text))
}

fn is_logger(receiver: &str, name: &str) -> bool {
    let plain = receiver.to_lowercase();
    name.starts_with("Log") || plain.contains("log") || plain == "console"
}

fn first_string(view: &crate::FileView, reference: &facts::Reference) -> Option<String> {
    let facts::Recipe::Call(_, list) = view.facts.recipe(reference.call?) else { return None };
    view.facts.list(list).iter().find_map(|argument| match view.facts.recipe(*argument) {
        facts::Recipe::Str(text) => Some(view.facts.name(text).to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_after_throw_is_thrown() {
        for (text, thrown) in [
            ("throw new Bad", true),
            ("raise Bad", true),
            ("throw new My.Space.Bad", true),
            ("raise errors.Bad", true),
            ("var x = new Bad", false),
            ("overthrow Bad", false),
            ("return Bad", false),
        ] {
            let start = text.rfind("Bad").unwrap() as u32;
            assert_eq!(is_thrown(text, start), thrown, "{text}");
        }
    }
}
