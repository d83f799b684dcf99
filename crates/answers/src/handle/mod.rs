//! Names of symbols that a client may keep: every one that some front end prints, every one takes.
//!
//! | handle | form | same after |
//! |---|---|---|
//! | stable id | `b3:` and 24 hex digits | any move: no path, line, result type or body is in it |
//! | symbol id | `sym_` and 26 letters of Crockford's alphabet | any move within its file; unique in a snapshot |
//! | short id | `sym_` and 16 hex digits | like the stable id |
//! | documentation id | `M:Acme.Shop.Order.Pay(System.Int32)` | like the stable id, but for its module |
//! | file | `file::shop/cart.py` | edits; it means the code of a file outside of every function |
//! | member of a file | `shop/cart.py#Cart.total`, also `shop/cart.py::Cart::total` | any move within its file |
//! | line | `shop/cart.py:12`, `cart.py:12:5` | nothing |
//! | name | `total`, `Cart.total`, `total/1` with a number of parameters | what the name allows |
//!
//! The first three begin with bits of the name's hash, so that the table of names finds them.

mod documentation_id;
pub mod dotnet;

use std::{convert::Infallible, fmt, str::FromStr};

use engine::{Snapshot, SymbolId, query::search::name_bits};
use extract::render::type_text;
use facts::{Facts, SymbolIndex};

use crate::{Session, names};

pub use documentation_id::{DocumentationId, DocumentationIds, SharedIds, of_library};

/// What a text names, by its form alone. Printing one and parsing the text again gives the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymbolHandle {
    Symbol(u128),
    /// The first 96 bits.
    Stable(u128),
    Short(u64),
    Documentation(DocumentationId),
    /// The code of a file outside of every function, by path.
    File(String),
    Member {
        path: String,
        name: String,
    },
    Line {
        path: String,
        /// From 1.
        line: u32,
        column: Option<u32>,
    },
    Name {
        name: String,
        arity: Option<u32>,
    },
}

impl FromStr for SymbolHandle {
    type Err = Infallible;

    /// A text that has no other form is a name.
    fn from_str(text: &str) -> Result<SymbolHandle, Infallible> {
        let text = text.trim();
        let handle = parse_hashed(text)
            .or_else(|| DocumentationId::parse(text).map(SymbolHandle::Documentation))
            .or_else(|| {
                let path = text
                    .strip_prefix("file::")
                    .filter(|path| !path.is_empty())?;
                Some(SymbolHandle::File(path.to_owned()))
            })
            .or_else(|| parse_place(text));
        Ok(handle.unwrap_or_else(|| parse_name(text)))
    }
}

impl fmt::Display for SymbolHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymbolHandle::Symbol(bits) => write!(f, "sym_{}", crockford(*bits)),
            SymbolHandle::Stable(bits) => write!(f, "b3:{bits:024x}"),
            SymbolHandle::Short(bits) => write!(f, "sym_{bits:016x}"),
            SymbolHandle::Documentation(id) => id.fmt(f),
            SymbolHandle::File(path) => write!(f, "file::{path}"),
            SymbolHandle::Member { path, name } => write!(f, "{path}#{name}"),
            SymbolHandle::Line {
                path,
                line,
                column: None,
            } => write!(f, "{path}:{line}"),
            SymbolHandle::Line {
                path,
                line,
                column: Some(column),
            } => write!(f, "{path}:{line}:{column}"),
            SymbolHandle::Name { name, arity: None } => f.write_str(name),
            SymbolHandle::Name {
                name,
                arity: Some(arity),
            } => write!(f, "{name}/{arity}"),
        }
    }
}

impl SymbolHandle {
    pub fn parse(text: &str) -> SymbolHandle {
        match text.parse() {
            Ok(handle) => handle,
        }
    }

    /// The handle that is unique in a snapshot and survives any move within the symbol's file.
    pub fn symbol_id(session: &Session, symbol: SymbolId) -> Option<SymbolHandle> {
        let facts = session.facts(symbol.file)?;
        let identity = Identity::of(session.snapshot(), &facts, symbol.index);
        Some(identity.symbol_id(session.path(symbol.file)))
    }

    /// Whether this is more than a name: what it means does not depend on spelling rules.
    pub fn is_exact(&self) -> bool {
        matches!(
            self,
            SymbolHandle::Symbol(_)
                | SymbolHandle::Stable(_)
                | SymbolHandle::Short(_)
                | SymbolHandle::Documentation(_)
                | SymbolHandle::File(_)
        )
    }

    /// The first bits of the hash of the symbol's name, and how many they are.
    fn hashed_name(&self) -> Option<(u32, u32)> {
        match self {
            SymbolHandle::Symbol(bits) => Some(((bits >> 96) as u32, 32)),
            SymbolHandle::Stable(bits) => Some(((bits >> 64) as u32, 32)),
            SymbolHandle::Short(bits) => Some((((bits >> 40) as u32) << 8, 24)),
            _ => None,
        }
    }

    /// The symbols that one of the hashed handles names. A stable id may name several, in as many
    /// files.
    pub(crate) fn find_hashed(&self, session: &Session) -> Vec<SymbolId> {
        let Some((bits, n_bits)) = self.hashed_name() else {
            return Vec::new();
        };
        let snapshot = session.snapshot();
        let mut found = Vec::new();
        for name in session.lexicon().hashed(bits, n_bits) {
            for symbol in session.symbols_named(name) {
                let Some(facts) = session.facts(symbol.file) else {
                    continue;
                };
                let identity = Identity::of(snapshot, &facts, symbol.index);
                let own = match self {
                    SymbolHandle::Stable(_) => identity.stable_id(),
                    SymbolHandle::Short(_) => identity.short_id(),
                    _ => identity.symbol_id(session.path(symbol.file)),
                };
                if own == *self {
                    found.push(symbol);
                }
            }
        }
        found
    }
}

fn parse_hashed(text: &str) -> Option<SymbolHandle> {
    let hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(digits) = text.strip_prefix("b3:") {
        let is_id = digits.len() == 24 && hex(digits);
        return is_id.then(|| SymbolHandle::Stable(u128::from_str_radix(digits, 16).unwrap_or(0)));
    }
    let digits = text.strip_prefix("sym_")?;
    match digits.len() {
        26 => from_crockford(digits).map(SymbolHandle::Symbol),
        16 if hex(digits) => u64::from_str_radix(digits, 16)
            .ok()
            .map(SymbolHandle::Short),
        _ => None,
    }
}

/// `shop/cart.py#Cart.total`, `cart.py:12`: what comes first must look like a file's path.
fn parse_place(text: &str) -> Option<SymbolHandle> {
    let looks_like_file = |path: &str| {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        !path.contains("::")
            && file_name
                .rsplit_once('.')
                .is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty())
    };
    // Test runners write `test_cart.py::TestCart::test_total`.
    if let Some((path, name)) = text.split_once('#').or_else(|| text.split_once("::"))
        && looks_like_file(path)
        && !name.is_empty()
    {
        let (path, name) = (path.to_owned(), name.to_owned());
        return Some(SymbolHandle::Member { path, name });
    }
    // Digits as they would be printed, so that no text has two meanings.
    let number = |digits: &str| -> Option<u32> {
        let number = digits.parse().ok().filter(|number| *number > 0)?;
        (u32::to_string(&number) == digits).then_some(number)
    };
    let (before, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    let (path, line, column) = match before.rsplit_once(':') {
        Some((path, line)) if number(line).is_some() => (path, number(line)?, Some(last)),
        _ => (before, last, None),
    };
    let path = path.to_owned();
    looks_like_file(&path).then_some(SymbolHandle::Line { path, line, column })
}

fn parse_name(text: &str) -> SymbolHandle {
    if let Some((name, digits)) = text.rsplit_once('/')
        && let Ok(arity) = digits.parse::<u32>()
        && arity.to_string() == digits
        && !name.is_empty()
    {
        return SymbolHandle::Name {
            name: name.to_owned(),
            arity: Some(arity),
        };
    }
    SymbolHandle::Name {
        name: text.to_owned(),
        arity: None,
    }
}

/// What makes a symbol the same one: nothing of where it is or what it does.
pub struct Identity {
    bits: u32,
    digest: [u8; 32],
}

impl Identity {
    pub fn symbol_id(&self, path: &str) -> SymbolHandle {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.digest).update(path.as_bytes());
        let digest = *hasher.finalize().as_bytes();
        SymbolHandle::Symbol(u128::from(self.bits) << 96 | big_endian(&digest[..12]))
    }

    pub fn stable_id(&self) -> SymbolHandle {
        SymbolHandle::Stable(u128::from(self.bits) << 64 | big_endian(&self.digest[..8]))
    }

    /// CodeMap's stable id.
    pub fn short_id(&self) -> SymbolHandle {
        let bits = u64::from(self.bits >> 8) << 40 | big_endian(&self.digest[8..13]) as u64;
        SymbolHandle::Short(bits)
    }

    pub fn of(snapshot: &Snapshot, facts: &Facts, index: SymbolIndex) -> Identity {
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
        let chain = names::chain(facts, index);
        // Those that hash alike, be it under different parents: `Cart` and `Cart<T>` have one name.
        let equals = facts
            .symbols_with_index()
            .take_while(|(other, _)| *other < index)
            .filter(|(other, found)| {
                found.name == symbol.name
                    && found.kind == symbol.kind
                    && key(*other) == own_key
                    && names::chain(facts, *other) == chain
            });
        let ordinal = equals.count() as u32;
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(b"codecompass symbol 1")
            .update(&facts.language.0.to_le_bytes())
            .update(symbol.kind.as_str().as_bytes());
        for part in chain {
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

/// A text of 26 letters has room for 130 bits: absent where it holds more than 128.
fn from_crockford(text: &str) -> Option<u128> {
    let fits = text.bytes().next().is_some_and(|first| first <= b'7');
    let bits = text.bytes().try_fold(0_u128, |bits, byte| {
        Some(bits << 5 | CROCKFORD.iter().position(|letter| *letter == byte)? as u128)
    })?;
    fits.then_some(bits)
}

fn big_endian(bytes: &[u8]) -> u128 {
    bytes
        .iter()
        .fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{lookup, testing::session};

    const SHOP: &str = "
//- shop/cart.py
class Cart:
    def total(self): ...
    def __init__(self): ...
def total(): ...
//- web/cart.ts
export class Cart { total(): number { return 1 } constructor(private n: number) {} #pay(n: number) {} }
//- Shop.cs
namespace Acme.Shop {
  class Money { public static Money operator +(Money a, Money b) => a; }
  class Order<T> {
    Order(int id) {} void Pay(int amount, Money tip) {} void Pay(string code) {}
    T this[int i] => default; void Swap<U>(ref U a, T b) {}
  }
}
//- a/x.go
package x
func Run() {}
//- b/x/y.go
package x
func Run() {}
//- c/x/y.go
package x
func Run() {}
";

    /// Every spelling of every contract, in every direction: what one prints, the one lookup takes.
    #[test]
    fn every_handle_finds_its_symbol_again() {
        let session = session(SHOP);
        let resolver = session.resolver();
        let ids = DocumentationIds::new(&session, &resolver);
        let mut unique = BTreeSet::new();
        let mut n_symbols = 0;
        for (file, _) in session.snapshot().files() {
            let facts = session.facts(file).unwrap();
            let path = session.path(file);
            for (index, declared) in facts.symbols_with_index() {
                let symbol = SymbolId { file, index };
                let identity = Identity::of(session.snapshot(), &facts, index);
                let symbol_id = identity.symbol_id(path);
                assert!(
                    unique.insert(symbol_id.to_string()),
                    "{symbol_id} is not unique"
                );
                let documentation_id = SymbolHandle::Documentation(ids.id(symbol).unwrap());
                for handle in [symbol_id, documentation_id] {
                    let text = handle.to_string();
                    assert_eq!(SymbolHandle::parse(&text), handle, "{text}");
                    assert_eq!(lookup::all(&session, &text), [symbol], "{text}");
                    assert_eq!(ids.find(&text), [symbol], "{text}");
                }
                // These may name equal symbols of several files.
                for handle in [identity.stable_id(), identity.short_id()] {
                    let text = handle.to_string();
                    assert_eq!(SymbolHandle::parse(&text), handle, "{text}");
                    assert!(lookup::all(&session, &text).contains(&symbol), "{text}");
                }
                let line = facts.lines.line_number(declared.name_span.start);
                let chain = names::chain(&facts, index).join(".");
                for text in [format!("{path}#{chain}"), format!("{path}:{line}")] {
                    let found = lookup::all(&session, &text);
                    assert!(!found.is_empty(), "{text}");
                    assert!(found.iter().all(|found| found.file == file), "{text}");
                }
                n_symbols += 1;
            }
        }
        assert!(n_symbols > 15);
    }

    #[test]
    fn what_a_person_writes_is_found() {
        let session = session(SHOP);
        let names = |text: &str| -> Vec<String> {
            let found = lookup::all(&session, text);
            found
                .iter()
                .map(|symbol| format!("{} {}", session.path(symbol.file), session.name(*symbol)))
                .collect()
        };
        assert_eq!(names("shop/cart.py#Cart.total"), ["shop/cart.py total"]);
        assert_eq!(names("cart.ts#total"), ["web/cart.ts total"]);
        assert_eq!(names("Shop.cs:3"), ["Shop.cs Order"]);
        assert_eq!(names("Pay/1"), ["Shop.cs Pay"]);
        assert_eq!(names("Pay/2"), ["Shop.cs Pay"]);
        assert_eq!(names("Pay/3"), [""; 0]);
        assert_eq!(
            names("M:Acme.Shop.Order`1.Pay(System.Int32,Acme.Shop.Money)"),
            ["Shop.cs Pay"]
        );
        assert_eq!(names("M:Acme.Shop.Order`1.Pay(string)"), ["Shop.cs Pay"]);
    }

    #[test]
    fn a_stable_id_survives_moves_and_edits() {
        let id = |text: &str| {
            let session = session(text);
            let symbol = session.symbols_named("total")[0];
            let facts = session.facts(symbol.file).unwrap();
            Identity::of(session.snapshot(), &facts, symbol.index)
                .stable_id()
                .to_string()
        };
        let first = id("//- a.py\nclass Cart:\n    def total(self): return 1\n");
        let moved = "//- b/c.py\n\n\nx = 1\nclass Cart:\n    def other(self): ...\n    \
                     def total(self, tax) -> int: return 2\n";
        assert_eq!(first, id(moved));
        assert_ne!(
            first,
            id("//- a.py\nclass Basket:\n    def total(self): return 1\n")
        );
    }

    #[test]
    fn symbols_of_one_file_and_name_have_ids_of_their_own() {
        let session = session(
            "
//- Cart.cs
class Cart { int Total() => 1; }
class Cart<T> : ISum { int Total() => 1; int ISum.Total() => 2; }
//- cart.js
describe('cart', () => { it('a', () => { function total() {} }); });
describe('cart', () => { it('a', () => { function total() {} }); });
",
        );
        for (name, n) in [("Cart", 2), ("Total", 3), ("total", 2)] {
            let symbols = session.symbols_named(name);
            let ids = symbols
                .iter()
                .filter_map(|s| SymbolHandle::symbol_id(&session, *s));
            let ids: std::collections::BTreeSet<_> = ids.map(|id| id.to_string()).collect();
            assert_eq!((symbols.len(), ids.len()), (n, n), "{name}");
        }
    }

    #[test]
    fn equal_symbols_of_two_files_share_a_stable_id_and_not_a_documentation_id() {
        let session = session(SHOP);
        let symbols = session.symbols_named("Run");
        let facts = session.facts(symbols[0].file).unwrap();
        let identity = Identity::of(session.snapshot(), &facts, symbols[0].index);
        assert_eq!(identity.stable_id().find_hashed(&session).len(), 3);
        let resolver = session.resolver();
        let ids = DocumentationIds::new(&session, &resolver);
        let ids: Vec<_> = symbols.iter().map(|symbol| ids.of(*symbol)).collect();
        assert_eq!(
            ids,
            ["M:x.Run@a/x.go", "M:x.Run@b/x/y.go", "M:x.Run@c/x/y.go"]
        );
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
            "com/acme",
            "Cart#total",
        ] {
            let handle = SymbolHandle::parse(name);
            assert!(
                matches!(handle, SymbolHandle::Name { arity: None, .. }),
                "{name}"
            );
        }
    }

    proptest! {
        #[test]
        fn print_then_parse_is_the_identity(handle in handles()) {
            let text = handle.to_string();
            prop_assert_eq!(SymbolHandle::parse(&text), handle);
        }

        #[test]
        fn any_text_means_one_thing(text in "\\PC*") {
            let handle = SymbolHandle::parse(&text);
            prop_assert_eq!(SymbolHandle::parse(&handle.to_string()), handle);
        }
    }

    fn handles() -> impl Strategy<Value = SymbolHandle> {
        let path = "[a-z]{1,8}(/[a-zA-Z_]{1,8}){0,3}\\.[a-z]{1,3}";
        let dotted = "[A-Za-z_]{2,8}(\\.[A-Za-z_]{1,8}){0,3}";
        prop_oneof![
            any::<u128>().prop_map(SymbolHandle::Symbol),
            any::<u128>().prop_map(|bits| SymbolHandle::Stable(bits >> 32)),
            any::<u64>().prop_map(SymbolHandle::Short),
            path.prop_map(SymbolHandle::File),
            (path, dotted).prop_map(|(path, name)| SymbolHandle::Member { path, name }),
            (path, 1..u32::MAX, proptest::option::of(1..u32::MAX))
                .prop_map(|(path, line, column)| SymbolHandle::Line { path, line, column }),
            (dotted, proptest::option::of(any::<u32>()))
                .prop_map(|(name, arity)| SymbolHandle::Name { name, arity }),
            (
                "[NTPEMF!]",
                dotted,
                "(\\([A-Za-z.,]{0,12}\\))?",
                proptest::option::of(path),
                1..9_usize,
            )
                .prop_map(|(kind, dotted, parameters, file, ordinal)| {
                    SymbolHandle::Documentation(DocumentationId {
                        kind: kind.chars().next().unwrap_or('M'),
                        path: dotted + &parameters,
                        ordinal: if file.is_some() { ordinal } else { 1 },
                        file,
                    })
                }),
        ]
    }
}
