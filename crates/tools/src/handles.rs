//! Names of symbols that a client may keep: every one that some tool prints, every tool takes.
//!
//! | handle | form | same after |
//! |---|---|---|
//! | stable id | `b3:` and 24 hex digits | any move: no path, line, result type or body is in it |
//! | symbol id | `sym_` and 26 letters of Crockford's alphabet | any move within its file; unique in a snapshot |
//! | short id | `sym_` and 16 hex digits | like the stable id |
//! | documentation id | `M:Acme.Shop.Order.Pay(int)` | like the stable id, but for its module |
//!
//! All but the last begin with bits of the name's hash, so that the table of names finds them.

use engine::{
    FileId, Snapshot, SymbolId,
    query::{
        self,
        search::{Lexicon, name_bits},
    },
};
use extract::render::type_text;
use facts::{Facts, SymbolIndex, SymbolKind};

use crate::names;

/// `b3:` and 24 hex digits.
pub fn stable_id(snapshot: &Snapshot, facts: &Facts, index: SymbolIndex) -> String {
    let identity = Identity::of(snapshot, facts, index);
    format!("b3:{:08x}{}", identity.bits, hex(&identity.digest[..8]))
}

/// `sym_` and 26 letters and digits, shaped like a ULID.
pub fn symbol_id(snapshot: &Snapshot, file: FileId, facts: &Facts, index: SymbolIndex) -> String {
    let identity = Identity::of(snapshot, facts, index);
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&identity.digest)
        .update(snapshot.file(file).path.as_str().as_bytes());
    let digest = *hasher.finalize().as_bytes();
    let rest = digest[..12]
        .iter()
        .fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    format!("sym_{}", crockford(u128::from(identity.bits) << 96 | rest))
}

/// `sym_` and 16 hex digits: CodeMap's stable id.
pub fn short_id(snapshot: &Snapshot, facts: &Facts, index: SymbolIndex) -> String {
    let identity = Identity::of(snapshot, facts, index);
    format!(
        "sym_{:06x}{}",
        identity.bits >> 8,
        hex(&identity.digest[8..13])
    )
}

/// In the manner of documentation comments, for every language: `T:shop.cart.Cart`,
/// `M:shop.cart.Cart.total(int)`. One that another file repeats gets `@path`.
pub fn documentation_id(
    snapshot: &Snapshot,
    file: FileId,
    facts: &Facts,
    index: SymbolIndex,
) -> String {
    let plain = plain_documentation_id(snapshot, file, facts, index);
    let name = facts.name(facts.symbol(index).name);
    let repeats = |other: &SymbolId| {
        let repeated = |facts: &Facts| {
            plain_documentation_id(snapshot, other.file, facts, other.index) == plain
        };
        *other != SymbolId { file, index }
            && snapshot
                .corpus()
                .facts(snapshot.file(other.file).content)
                .is_some_and(|facts| repeated(&facts))
    };
    match query::symbols_named(snapshot, name).iter().any(repeats) {
        true => format!("{plain}@{}", snapshot.file(file).path),
        false => plain,
    }
}

fn plain_documentation_id(
    snapshot: &Snapshot,
    file: FileId,
    facts: &Facts,
    index: SymbolIndex,
) -> String {
    let symbol = facts.symbol(index);
    let letter = match symbol.kind {
        SymbolKind::Module | SymbolKind::Namespace => 'N',
        kind if kind.is_type() || kind == SymbolKind::Impl => 'T',
        SymbolKind::Property | SymbolKind::Indexer => 'P',
        SymbolKind::Event => 'E',
        kind if kind.is_callable() => 'M',
        SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element => '!',
        _ => 'F',
    };
    let mut parts = names::module_path(snapshot, file);
    parts.extend(names::chain(facts, index));
    if symbol.kind == SymbolKind::Constructor
        && let Some(last) = parts.last_mut()
    {
        *last = "#ctor".to_owned();
    }
    let mut id = format!("{letter}:{}", parts.join("."));
    let n_type_parameters = facts.type_parameters(symbol).len();
    if n_type_parameters > 0 {
        id.push_str(if symbol.kind.is_callable() { "``" } else { "`" });
        id.push_str(&n_type_parameters.to_string());
    }
    let parameters = parameter_types(facts, index);
    if symbol.kind.is_callable() && !parameters.is_empty() {
        id.push_str(&format!("({})", parameters.join(",")));
    }
    id
}

/// Whether a text looks like a handle. A name never does.
pub fn is_handle(text: &str) -> bool {
    text.starts_with("b3:") || is_symbol_id(text) || is_short_id(text) || is_documentation_id(text)
}

/// The symbols that a handle names. A stable id may name several, in as many files.
pub fn find(snapshot: &Snapshot, lexicon: &Lexicon, handle: &str) -> Vec<SymbolId> {
    let mut found = Vec::new();
    let mut look = |name: &str, matches: &dyn Fn(FileId, &Facts, SymbolIndex) -> bool| {
        for symbol in query::symbols_named(snapshot, name) {
            let Some(facts) = snapshot.corpus().facts(snapshot.file(symbol.file).content) else {
                continue;
            };
            if matches(symbol.file, &facts, symbol.index) {
                found.push(symbol);
            }
        }
    };
    if let Some(bits) = handle
        .strip_prefix("b3:")
        .and_then(|hex| u32::from_str_radix(hex.get(..8)?, 16).ok())
    {
        for name in lexicon.hashed(bits, 32) {
            look(name, &|_, facts, index| {
                stable_id(snapshot, facts, index) == handle
            });
        }
    } else if is_short_id(handle) {
        let bits = u32::from_str_radix(&handle[4..10], 16).unwrap_or_default() << 8;
        for name in lexicon.hashed(bits, 24) {
            look(name, &|_, facts, index| {
                short_id(snapshot, facts, index) == handle
            });
        }
    } else if is_symbol_id(handle) {
        let bits = (from_crockford(&handle[4..]).unwrap_or_default() >> 96) as u32;
        for name in lexicon.hashed(bits, 32) {
            look(name, &|file, facts, index| {
                symbol_id(snapshot, file, facts, index) == handle
            });
        }
    } else if is_documentation_id(handle) {
        let (plain, path) = handle
            .split_once('@')
            .map_or((handle, None), |(plain, path)| (plain, Some(path)));
        let matches = |file: FileId, facts: &Facts, index: SymbolIndex| {
            path.is_none_or(|path| snapshot.file(file).path.as_str() == path)
                && plain_documentation_id(snapshot, file, facts, index) == plain
        };
        look(documented_name(plain), &matches);
        if plain.contains(".#ctor") {
            for name in CONSTRUCTORS {
                look(name, &matches);
            }
        }
    }
    found
}

/// What languages call a constructor that does not bear its type's name.
const CONSTRUCTORS: [&str; 6] = [
    "constructor",
    "__construct",
    "__init__",
    "initialize",
    "init",
    "new",
];

fn is_symbol_id(text: &str) -> bool {
    text.strip_prefix("sym_")
        .is_some_and(|id| id.len() == 26 && from_crockford(id).is_some())
}

fn is_short_id(text: &str) -> bool {
    text.strip_prefix("sym_")
        .is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_documentation_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 2 && b"NTPEMF!".contains(&bytes[0]) && bytes[1] == b':' && bytes[2] != b':'
}

/// The symbol's own name inside a documentation id; of a constructor, its type's.
fn documented_name(id: &str) -> &str {
    let path = id.split_once('(').map_or(id, |(path, _)| path);
    let path = path.split('`').next().unwrap_or(path);
    let path = path.get(2..).unwrap_or(path);
    let path = path.strip_suffix(".#ctor").unwrap_or(path);
    path.rsplit('.').next().unwrap_or(path)
}

/// What makes a symbol the same one: nothing of where it stands or what it does.
struct Identity {
    bits: u32,
    digest: [u8; 32],
}

impl Identity {
    fn of(snapshot: &Snapshot, facts: &Facts, index: SymbolIndex) -> Identity {
        let overloads = snapshot
            .corpus()
            .semantics(facts.language)
            .is_some_and(|semantics| semantics.overloads);
        let symbol = facts.symbol(index);
        let name = facts.name(symbol.name);
        let key = |index: SymbolIndex| {
            if overloads {
                parameter_types(facts, index).join(",")
            } else {
                String::new()
            }
        };
        let own_key = key(index);
        let owner = |index: SymbolIndex| names::type_name(facts, facts.symbol(index).owner);
        let equals = facts
            .symbols_with_index()
            .take_while(|(other, _)| *other < index)
            .filter(|(other, found)| {
                found.name == symbol.name
                    && found.kind == symbol.kind
                    && found.parent == symbol.parent
                    && owner(*other) == owner(index)
                    && key(*other) == own_key
            });
        let ordinal = equals.count() as u32;
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(b"codecompass symbol 1")
            .update(&facts.language.0.to_le_bytes())
            .update(symbol.kind.word().as_bytes());
        for part in names::chain(facts, index) {
            hasher.update(&[0]).update(part.as_bytes());
        }
        hasher
            .update(&[0, 0])
            .update(own_key.as_bytes())
            .update(&ordinal.to_le_bytes());
        Identity {
            bits: name_bits(name),
            digest: *hasher.finalize().as_bytes(),
        }
    }
}

/// The types of a callable's parameters as written, the receiver left out.
fn parameter_types(facts: &Facts, index: SymbolIndex) -> Vec<String> {
    let parameters = facts
        .parameters(facts.symbol(index))
        .iter()
        .filter(|parameter| !parameter.flags.contains(facts::ParameterFlags::RECEIVER));
    parameters
        .map(|parameter| {
            if parameter.ty.is_known() {
                type_text(facts, parameter.ty)
            } else {
                facts.name(parameter.name).to_owned()
            }
        })
        .collect()
}

const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

fn crockford(bits: u128) -> String {
    (0..26)
        .rev()
        .map(|i| char::from(CROCKFORD[(bits >> (5 * i)) as usize & 31]))
        .collect()
}

fn from_crockford(text: &str) -> Option<u128> {
    text.bytes().try_fold(0_u128, |bits, byte| {
        Some(bits << 5 | CROCKFORD.iter().position(|letter| *letter == byte)? as u128)
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "
//- shop/cart.py
class Cart:
    def total(self): ...
def total(): ...
//- web/cart.ts
export class Cart { total(): number { return 1 } }
//- Shop.cs
namespace Acme { class Order { Order(int id) {} void Pay(int amount) {} void Pay(string code) {} } }
";

    #[test]
    fn every_handle_finds_its_symbol_again() {
        let snapshot = fixture::repository(SHOP).snapshot;
        let lexicon = Lexicon::from_facts(&snapshot);
        let mut seen = std::collections::BTreeSet::new();
        for (file, entry) in snapshot.files() {
            let facts = snapshot.corpus().facts(entry.content).unwrap();
            for (index, symbol) in facts.symbols_with_index() {
                let symbol_id = symbol_id(&snapshot, file, &facts, index);
                assert_eq!(symbol_id.len(), 30);
                assert!(seen.insert(symbol_id.clone()), "{symbol_id} is not unique");
                let stable_id = stable_id(&snapshot, &facts, index);
                assert_eq!(stable_id.len(), 27);
                let documentation_id = documentation_id(&snapshot, file, &facts, index);
                for handle in [
                    symbol_id,
                    stable_id,
                    short_id(&snapshot, &facts, index),
                    documentation_id,
                ] {
                    assert!(is_handle(&handle), "{handle}");
                    assert_eq!(
                        find(&snapshot, &lexicon, &handle),
                        [SymbolId { file, index }],
                        "{handle} of {}",
                        facts.name(symbol.name)
                    );
                }
            }
        }
    }

    #[test]
    fn a_stable_id_survives_moves_and_edits() {
        let id = |text: &str| {
            let snapshot = fixture::repository(text).snapshot;
            let symbol = query::symbols_named(&snapshot, "total")[0];
            let facts = snapshot
                .corpus()
                .facts(snapshot.file(symbol.file).content)
                .unwrap();
            stable_id(&snapshot, &facts, symbol.index)
        };
        let first = id("//- a.py\nclass Cart:\n    def total(self): return 1\n");
        assert_eq!(
            first,
            id(
                "//- b/c.py\n\n\nx = 1\nclass Cart:\n    def other(self): ...\n    def total(self, tax) -> int: return 2\n"
            )
        );
        assert_ne!(
            first,
            id("//- a.py\nclass Basket:\n    def total(self): return 1\n")
        );
    }

    #[test]
    fn equal_symbols_of_two_files_share_a_stable_id_and_not_a_documentation_id() {
        let snapshot = fixture::repository(
            "//- a/x.go\npackage x\nfunc Run() {}\n//- b/x/y.go\npackage x\nfunc Run() {}\n//- c/x/y.go\npackage x\nfunc Run() {}\n",
        )
        .snapshot;
        let lexicon = Lexicon::from_facts(&snapshot);
        let symbols = query::symbols_named(&snapshot, "Run");
        let facts = snapshot
            .corpus()
            .facts(snapshot.file(symbols[0].file).content)
            .unwrap();
        assert_eq!(
            find(
                &snapshot,
                &lexicon,
                &stable_id(&snapshot, &facts, symbols[0].index)
            )
            .len(),
            3
        );
        let ids: Vec<_> = symbols
            .iter()
            .map(|symbol| documentation_id(&snapshot, symbol.file, &facts, symbol.index))
            .collect();
        assert_eq!(ids, ["M:a.Run", "M:x.Run@b/x/y.go", "M:x.Run@c/x/y.go"]);
    }

    #[test]
    fn names_are_no_handles() {
        for name in [
            "total",
            "sym_table",
            "b3",
            "std::sync",
            "M",
            "sym_0123456789abcdeg",
            "T::new",
        ] {
            assert!(!is_handle(name), "{name}");
        }
    }
}
