//! What calls into libraries touch: one file for each family of languages.
//!
//! No other module outside `architecture/frameworks/` names a library.

mod c;
mod dotnet;
mod go;
mod javascript;
mod jvm;
mod php;
mod python;
mod ruby;
mod rust;

use std::sync::LazyLock;

use facts::Family;
use rustc_hash::FxHashMap;

use Touches::{Database, FileSystem, Network, Process};

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

/// Members that touch the same thing and belong to the same types, modules or receivers. Each list
/// has its words separated by spaces.
#[derive(Debug)]
pub struct Library {
    touches: Touches,
    /// The last parts of the type or module that the members belong to: `File`, `os.path`.
    types: &'static str,
    /// The ends of names of such types: `Repository`.
    endings: &'static str,
    /// The members are functions that belong to nothing, too.
    is_free: bool,
    /// Parts of the text of a receiver of which nothing else is known; any such receiver where the
    /// list is empty.
    receivers: Option<&'static str>,
    /// Names of members. `Write*` is any that begins so, `new` the constructor.
    writes: &'static str,
    reads: &'static str,
    opens: &'static str,
}

const fn on(touches: Touches, types: &'static str) -> Library {
    Library {
        touches,
        types,
        endings: "",
        is_free: false,
        receivers: None,
        writes: "",
        reads: "",
        opens: "",
    }
}

const fn functions(touches: Touches) -> Library {
    on(touches, "").or_free()
}

const fn any_receiver(touches: Touches) -> Library {
    on(touches, "").or_receiver("")
}

/// Members that throw if something does not hold.
const fn throws(exception: Exception, types: &'static str, members: &'static str) -> Library {
    on(Touches::Throws(exception), types).writes(members)
}

impl Library {
    const fn ending(self, endings: &'static str) -> Library {
        Library { endings, ..self }
    }

    const fn or_free(self) -> Library {
        Library {
            is_free: true,
            ..self
        }
    }

    const fn or_receiver(self, words: &'static str) -> Library {
        Library {
            receivers: Some(words),
            ..self
        }
    }

    const fn writes(self, writes: &'static str) -> Library {
        Library { writes, ..self }
    }

    const fn reads(self, reads: &'static str) -> Library {
        Library { reads, ..self }
    }

    const fn opens(self, opens: &'static str) -> Library {
        Library { opens, ..self }
    }
}

/// In order: where two libraries have a member, the first counts.
const LIBRARIES: &[(Family, &[Library])] = &[
    (Family::DotNet, dotnet::LIBRARIES),
    (Family::Python, python::LIBRARIES),
    (Family::JavaScript, javascript::LIBRARIES),
    (Family::Jvm, jvm::LIBRARIES),
    (Family::Rust, rust::LIBRARIES),
    (Family::Go, go::LIBRARIES),
    (Family::Ruby, ruby::LIBRARIES),
    (Family::Php, php::LIBRARIES),
    (Family::C, c::LIBRARIES),
    (Family::None, &[TABLE]),
];

/// What is called on a table of the program, on one of its rows, or is given it.
const TABLE: Library = on(Touches::Table, "")
    .writes(
        "Add AddAsync AddRange AddRangeAsync Update UpdateRange Remove RemoveRange Attach \
         AttachRange ExecuteDelete* ExecuteUpdate* insert insertOrIgnore insertGetId into \
         insert_into insertInto insert_all upsert upsert_all update update_all update_attribute \
         update_attributes updateOrCreate update_or_create save save! saveOrFail create create! \
         createMany firstOrCreate first_or_create find_or_create_by get_or_create bulk_create \
         bulk_update bulkCreate delete delete_all delete_by destroy destroy_all forceDelete \
         truncate merge persist remove insertOne insertMany updateOne updateMany deleteOne \
         deleteMany findOneAndUpdate findOneAndDelete findByIdAndUpdate findByIdAndDelete Create \
         Save Updates Delete",
    )
    .reads(
        "query select from find find_by find_by! where all first last get filter exclude count \
         exists pluck order order_by orderBy join joins left_join leftJoin includes with limit \
         findOne findAll findMany findUnique findFirst findById findByPk findOrFail firstOrFail \
         firstWhere aggregate annotate values values_list only select_related prefetch_related \
         take paginate sum max min Find First Where",
    );

/// How a member of a library touches something.
#[derive(Clone, Copy, Debug)]
pub struct MemberRule {
    family: Family,
    library: &'static Library,
    pub access: Access,
}

/// Rules by the name of the member, and those for all names that begin so.
#[derive(Default)]
struct MemberRules {
    whole: FxHashMap<&'static str, Vec<MemberRule>>,
    beginnings: Vec<(&'static str, MemberRule)>,
}

static RULES: LazyLock<MemberRules> = LazyLock::new(|| {
    let mut rules = MemberRules::default();
    for (family, libraries) in LIBRARIES {
        for library in *libraries {
            for (access, members) in [
                (Access::Writes, library.writes),
                (Access::Reads, library.reads),
                (Access::Opens, library.opens),
            ] {
                let rule = MemberRule {
                    family: *family,
                    library,
                    access,
                };
                for member in words(members) {
                    match member.strip_suffix('*') {
                        Some(start) => rules.beginnings.push((start, rule)),
                        None => rules.whole.entry(member).or_default().push(rule),
                    }
                }
            }
        }
    }
    rules
});

/// The rules that speak of a member, in order.
pub fn of_member(family: Family, name: &str) -> Vec<MemberRule> {
    let whole = RULES.whole.get(name).into_iter().flatten();
    let begun = RULES.beginnings.iter();
    let begun = begun.filter(|(start, _)| name.starts_with(start));
    whole
        .chain(begun.map(|(_, rule)| rule))
        .filter(|rule| rule.family == family || rule.family == Family::None)
        .copied()
        .collect()
}

impl MemberRule {
    pub fn touches(&self) -> Touches {
        self.library.touches
    }

    /// Whether it speaks of a member of this type or module: `os.path`, `System::IO::File`,
    /// `node:fs`.
    pub fn is_of(&self, owner: &str) -> bool {
        let parts: Vec<&str> = parts(owner).collect();
        let is_named = |known: &str| parts.ends_with(&known.split('.').collect::<Vec<_>>());
        let last = parts.last().copied().unwrap_or_default();
        words(self.library.types).any(is_named)
            || words(self.library.endings).any(|end| last.ends_with(end))
    }

    /// Whether it speaks of functions that belong to nothing.
    pub fn is_free(&self) -> bool {
        self.library.is_free
    }

    /// Whether it speaks of receivers that read like this, of which nothing else is known.
    pub fn is_on(&self, receiver: &str) -> bool {
        let receiver = receiver.to_lowercase();
        let known = self.library.receivers;
        known.is_some_and(|known| known.split(' ').any(|word| receiver.contains(word)))
    }
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ').filter(|word| !word.is_empty())
}

/// The names of a path, whatever separates them. What a call gives is named after the call, what a
/// constructor or a module as a whole gives after those.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let named = |part: &&str| !matches!(*part, "" | "new()" | "default");
    path.split(['.', ':', '/', '\\'])
        .filter(named)
        .map(|part| part.trim_end_matches("()"))
}

/// Whether a member runs a query that other calls made: `IQueryable.ToList`.
pub fn runs_query(member: &str) -> bool {
    member.starts_with("IQueryable.") || member.starts_with("DbSet.")
}

/// `File` of `System.IO.File`, `client` of `this._client`.
pub fn last_part(path: &str) -> &str {
    parts(path).next_back().unwrap_or(path)
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
    fn owners_are_the_last_parts_of_a_path() {
        let of = |family, name: &str, owner: &str| {
            of_member(family, name)
                .iter()
                .any(|rule| rule.touches() != Touches::Table && rule.is_of(owner))
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
