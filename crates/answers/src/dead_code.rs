//! Code that nothing uses: *proven* where every occurrence of its name is accounted for, *open*
//! where something may use it that the text does not show. What is alive is never listed.
//!
//! A symbol is dead when all that refers to it is dead: functions that only call one another are
//! found together.

use std::{cell::OnceCell, collections::BTreeSet, time::Duration};

use engine::{
    Cut, FileId, Outcome, Resolver, SymbolId,
    query::{
        self, DeadDoubt, Mention,
        architecture::{self, Architecture},
    },
};
use facts::{SkipReason, SymbolKind, TriviaKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Session, occurrences::Occurrences, symbol_report::local_name};

/// Where to look for dead code.
#[derive(Clone, Copy, Debug)]
pub enum DeadScope<'a> {
    /// A file or a directory; the empty path is the whole repository.
    Below(&'a str),
    /// These symbols alone.
    Symbols(&'a [SymbolId]),
}

#[derive(Clone, Debug, Default)]
pub struct DeadCode {
    /// In order of path and place. What is inside of a dead type is not listed beside it.
    pub proven: Vec<SymbolId>,
    /// Nothing alive refers to these either, and they are not proven to be dead; in the same order.
    pub open: Vec<OpenSymbol>,
    /// Functions, methods and types that were looked at.
    pub n_examined: usize,
    /// Why symbols may be missing; nothing where all were looked at.
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSymbol {
    pub symbol: SymbolId,
    pub why: OpenReason,
}

/// Why a symbol is not proven to be dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenReason {
    Doubt(DeadDoubt),
    /// Places that mean it or another.
    Ambiguous(usize),
    /// Places with its name for which nothing was found.
    Unresolved(usize),
    /// Places with its name that mean something else, if what they are named through is told right.
    NameShared(usize),
    /// Its name is written in strings, or in comments that tools read.
    InStrings(usize),
    /// Its name is written in files that are no code.
    InOtherFiles(usize),
    /// Its name is written in code that was not understood.
    NotUnderstood(usize),
    /// Its name is too common to look at every place.
    TooCommon,
    /// A string may be a part of its name, put together at run time.
    MadeName(String),
    /// Files of its language were not indexed.
    NotRead(usize),
    /// It is used by this, which is open itself.
    UsedByOpen(SymbolId),
    /// What frameworks register was not read.
    RegisteredUnread,
}

impl OpenReason {
    /// In words, as the end of "open: …".
    pub fn text(&self, session: &Session) -> String {
        let name = |symbol: &SymbolId| local_name(session, *symbol);
        let places = |n: &usize| match n {
            1 => "1 place".to_owned(),
            n => format!("{n} places"),
        };
        match self {
            OpenReason::Doubt(DeadDoubt::Annotated(word)) => {
                format!("`{word}` may hand it to a library")
            }
            OpenReason::Doubt(DeadDoubt::Overrides(base)) => {
                format!("it overrides or implements `{}`", name(base))
            }
            OpenReason::Doubt(DeadDoubt::LibraryType) => {
                "its type extends a type of a library, which may call it".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::OpenMember) => {
                "a library may ask objects of its type for it".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::TestData) => {
                "its file is a program among tests or examples".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::DefinedTwice) => {
                "its name is defined several times in the same place".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::BrokenFile) => {
                "its file has parts that were not understood".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::RegisteredType) => {
                "its base types may list the types that extend them".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::Exported) => {
                "its file exports it, and a tool may load the file by its name".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::Global) => {
                "it is global, and may add to a type of that name".to_owned()
            }
            OpenReason::Doubt(DeadDoubt::InMacro) => {
                "a call of a macro holds it, and may use it".to_owned()
            }
            OpenReason::Ambiguous(n) => format!("{} may mean it or another", places(n)),
            OpenReason::Unresolved(n) => {
                format!("{} with its name could not be resolved", places(n))
            }
            OpenReason::NameShared(n) => {
                format!(
                    "{} with its name mean something else, as far as known",
                    places(n)
                )
            }
            OpenReason::InStrings(n) => format!("its name is in strings, {}", places(n)),
            OpenReason::InOtherFiles(n) => {
                format!("its name is in files that are no code, {}", places(n))
            }
            OpenReason::NotUnderstood(n) => {
                format!("its name is in code that was not understood, {}", places(n))
            }
            OpenReason::TooCommon => "its name is too common to look at every place".to_owned(),
            OpenReason::MadeName(part) => {
                format!("the string \"{part}\" may be a part of its name, put together at run time")
            }
            OpenReason::NotRead(n) => match n {
                1 => "1 file of its language is not indexed".to_owned(),
                n => format!("{n} files of its language are not indexed"),
            },
            OpenReason::RegisteredUnread => {
                "whether a framework registers it was not looked into; `codecompass dead` does"
                    .to_owned()
            }
            OpenReason::UsedByOpen(user) => format!("`{}` uses it, which is open", name(user)),
        }
    }
}

/// What is dead in a part of the repository.
pub fn dead_code(session: &Session, scope: DeadScope<'_>) -> DeadCode {
    search(session, scope, true)
}

/// What is dead among some symbols, without reading the whole program for what frameworks register:
/// unless that is known or soon read, nothing is proven.
pub(crate) fn dead_among(session: &Session, symbols: &[SymbolId]) -> DeadCode {
    search(session, DeadScope::Symbols(symbols), false)
}

fn search(session: &Session, scope: DeadScope<'_>, may_read_all: bool) -> DeadCode {
    session.require_index();
    let resolver = session.resolver();
    let mut search = DeadSearch {
        session,
        resolver: &resolver,
        unused: FxHashMap::default(),
        parts: OnceCell::new(),
        may_read_all,
        registered_unread: false,
    };
    let candidates = candidates(session, &resolver, scope);
    let is_all = matches!(scope, DeadScope::Below(_));
    let n_examined = search.find_users(&candidates, is_all);
    search.drop_used();
    // The rest costs more, and few are left.
    search.look_closer();
    search.drop_used();
    if search.drop_registered() {
        search.drop_used();
    }
    let (mut proven, mut open) = search.judge();
    // What was cut short may not have seen a use.
    if let Some(cut) = session.budget.cut() {
        return DeadCode {
            n_examined,
            cut: Some(cut),
            ..DeadCode::default()
        };
    }
    drop_used_by_open(&search, &mut proven, &mut open);
    let dead: FxHashSet<SymbolId> = proven
        .iter()
        .copied()
        .chain(open.iter().map(|open| open.symbol))
        .collect();
    let is_inside = |symbol: &SymbolId| {
        let chain = chain_of(&resolver, symbol.file, Some(symbol.index));
        chain
            .iter()
            .any(|around| around != symbol && dead.contains(around))
    };
    proven.retain(|symbol| !is_inside(symbol));
    open.retain(|open| !is_inside(&open.symbol));
    proven.sort_unstable();
    open.sort_by_key(|open| open.symbol);
    DeadCode {
        proven,
        open,
        n_examined,
        cut: None,
    }
}

/// The functions, methods and types of a scope, in order of path and place.
fn candidates(session: &Session, resolver: &Resolver<'_>, scope: DeadScope<'_>) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = match scope {
        DeadScope::Symbols(symbols) => symbols.to_vec(),
        DeadScope::Below(path) => {
            let file = session.snapshot().find(path).into_iter();
            let below = session.snapshot().below(path).map(|(file, _)| file);
            file.chain(below)
                .filter_map(|file| Some((file, session.facts(file)?)))
                .flat_map(|(file, facts)| {
                    let indexes = 0..facts.symbols.len() as u32;
                    indexes.map(move |i| SymbolId::new(file, facts::SymbolIndex(i)))
                })
                .collect()
        }
    };
    found.sort_unstable();
    found.dedup();
    found.retain(|symbol| query::is_dead_candidate(resolver, *symbol));
    found
}

/// What refers to a symbol that is no entry point.
struct Unused {
    doubt: Option<DeadDoubt>,
    /// For each place: the symbols around it, outermost first; empty for the top level of a file.
    users: Vec<Vec<SymbolId>>,
    ambiguous: usize,
    unresolved: usize,
    account: query::Account,
}

struct DeadSearch<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
    unused: FxHashMap<SymbolId, Unused>,
    /// Strings of the repository that may be parts of names.
    parts: OnceCell<BTreeSet<String>>,
    /// The whole program may be read for what frameworks register.
    may_read_all: bool,
    /// It could not be read.
    registered_unread: bool,
}

impl DeadSearch<'_> {
    /// Notes what refers to each symbol that is not alive by itself. Says how many were looked at.
    fn find_users(&mut self, candidates: &[SymbolId], is_all: bool) -> usize {
        let resolver = self.resolver;
        let names = query::of_each(resolver, candidates, |resolver, symbol| {
            let is_entry = query::is_entry(resolver, *symbol);
            let view = resolver.view(symbol.file).filter(|_| !is_entry)?;
            Some((view.name_of(symbol.index).to_owned(), *symbol))
        });
        let n_examined = names.len();
        let mut named: Vec<(String, SymbolId)> = names.into_iter().flatten().collect();
        // What has one name is mentioned in the same files: they are read once for all of it.
        named.sort_unstable();
        let known: FxHashSet<SymbolId> = candidates.iter().copied().collect();
        // Of all symbols of a directory, most are used by one another.
        let others = (!is_all).then_some(&known);
        let found = query::of_each(resolver, &named, |resolver, (_, symbol)| {
            unused(resolver, *symbol, others)
        });
        for ((_, symbol), unused) in named.into_iter().zip(found) {
            self.unused.extend(unused.map(|unused| (symbol, unused)));
        }
        n_examined
    }

    /// Notes why symbols may be used although nothing refers to them, and the uses of what they
    /// override and of what is inside of them.
    fn look_closer(&mut self) {
        let resolver = self.resolver;
        let mut symbols: Vec<SymbolId> = self.unused.keys().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            if !self.session.budget.spend() {
                return;
            }
            let doubt = query::dead_doubt(resolver, symbol);
            // Whatever else leaves a doubt: a call of what it overrides may run it.
            let mut others = query::overridden(resolver, symbol);
            if resolver.kind(symbol).is_some_and(SymbolKind::is_type) {
                others.extend(query::children(resolver, symbol));
            }
            let mut users = Vec::new();
            for other in others {
                let mentions = query::references(resolver, other).value;
                users.extend(mentions.iter().map(|mention| around(resolver, mention)));
            }
            if let Some(unused) = self.unused.get_mut(&symbol) {
                unused.doubt = doubt;
                unused.users.extend(users);
            }
        }
    }

    /// Drops symbols that something alive refers to, until only those remain that refer to one
    /// another at most.
    fn drop_used(&mut self) {
        loop {
            let used: Vec<SymbolId> =
                self.unused
                    .iter()
                    .filter(|(_, unused)| {
                        unused.users.iter().any(|chain| {
                            !chain.iter().any(|around| self.unused.contains_key(around))
                        })
                    })
                    .map(|(symbol, _)| *symbol)
                    .collect();
            if used.is_empty() {
                return;
            }
            for symbol in used {
                self.unused.remove(&symbol);
            }
        }
    }

    /// Drops handlers of routes, services and the like: frameworks use them. The whole program is
    /// read for it, so that it comes after what references tell. Says whether there were any.
    fn drop_registered(&mut self) -> bool {
        let n_before = self.unused.len();
        if n_before == 0 {
            return false;
        }
        let known = match self.may_read_all {
            true => Some(self.session.architecture()),
            false => self.session.known_architecture(),
        };
        let read = known.is_none().then(|| self.read_soon());
        self.registered_unread = matches!(read, Some(None));
        let read = read.flatten();
        if let Some(architecture) = known.or(read.as_ref()) {
            for fact in &architecture.facts {
                for symbol in [fact.symbol, fact.other].into_iter().flatten() {
                    self.unused.remove(&symbol);
                }
            }
        }
        self.unused.len() < n_before
    }

    /// What frameworks register, if that is soon read.
    fn read_soon(&self) -> Option<Architecture> {
        const SOON: Duration = Duration::from_millis(10);
        let budget = self.session.budget.part(Some(SOON));
        let found = architecture::architecture(&self.session.analysis.resolver(&budget));
        found.cut.is_none().then_some(found.value)
    }

    fn judge(&self) -> (Vec<SymbolId>, Vec<OpenSymbol>) {
        let (mut proven, mut open) = (Vec::new(), Vec::new());
        for (symbol, unused) in &self.unused {
            match self.open_reason(*symbol, unused) {
                Some(why) => open.push(OpenSymbol {
                    symbol: *symbol,
                    why,
                }),
                None => proven.push(*symbol),
            }
        }
        (proven, open)
    }

    fn open_reason(&self, symbol: SymbolId, unused: &Unused) -> Option<OpenReason> {
        if let Some(doubt) = &unused.doubt {
            return Some(OpenReason::Doubt(doubt.clone()));
        }
        if unused.ambiguous > 0 {
            return Some(OpenReason::Ambiguous(unused.ambiguous));
        }
        if unused.unresolved > 0 {
            return Some(OpenReason::Unresolved(unused.unresolved));
        }
        if unused.account.others_through > 0 {
            return Some(OpenReason::NameShared(unused.account.others_through));
        }
        let name = self.session.name(symbol);
        let elsewhere = Occurrences::of(self.session, &name, unused.account).elsewhere;
        if elsewhere.cut_at_files.is_some() {
            return Some(OpenReason::TooCommon);
        }
        if elsewhere.not_understood > 0 {
            return Some(OpenReason::NotUnderstood(elsewhere.not_understood));
        }
        if elsewhere.in_strings > 0 {
            return Some(OpenReason::InStrings(elsewhere.in_strings));
        }
        if elsewhere.in_other_files > 0 {
            return Some(OpenReason::InOtherFiles(elsewhere.in_other_files));
        }
        // All strings of the program are read for the next reason, which makes it no more open.
        if self.registered_unread {
            return Some(OpenReason::RegisteredUnread);
        }
        if let Some(part) = self.made_from(symbol, &name) {
            return Some(OpenReason::MadeName(part));
        }
        let n = self.n_not_read(symbol.file);
        (n > 0).then_some(OpenReason::NotRead(n))
    }

    /// A string that the name starts or ends with, where code of the language may ask for members by
    /// names that it puts together.
    fn made_from(&self, symbol: SymbolId, name: &str) -> Option<String> {
        let view = self.resolver.view(symbol.file)?;
        if !view.semantics.entry_points.members_by_text {
            return None;
        }
        let parts = self.parts.get_or_init(|| literal_parts(self.session));
        let bytes = name.as_bytes();
        let starts = (2..name.len()).filter(|i| {
            name.is_char_boundary(*i) && (bytes[i - 1] == b'_' || bytes[*i].is_ascii_uppercase())
        });
        // After `_`, too: `parse` may be looked up as `_parse`.
        let marks = name.len() - name.trim_start_matches('_').len();
        let ends = (1..name.len().saturating_sub(1)).filter(|i| {
            let is_start = bytes[*i] == b'_' || bytes[*i].is_ascii_uppercase() || *i == marks;
            name.is_char_boundary(*i) && is_start
        });
        starts
            .map(|i| &name[..i])
            .chain(ends.map(|i| &name[i..]))
            .find(|part| part.len() > 1 && parts.contains(*part))
            .map(str::to_owned)
    }

    /// Files with the ending of this one that were not indexed and may hold code.
    fn n_not_read(&self, file: FileId) -> usize {
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let own = ending(self.session.path(file));
        let skipped = self.session.view.skipped.iter();
        skipped
            .filter(|skipped| {
                !matches!(
                    skipped.reason,
                    SkipReason::Binary | SkipReason::Credential | SkipReason::SpecialFile
                ) && ending(skipped.path.as_str()) == own
            })
            .count()
    }
}

/// What an open symbol uses may be alive, too.
fn drop_used_by_open(
    search: &DeadSearch<'_>,
    proven: &mut Vec<SymbolId>,
    open: &mut Vec<OpenSymbol>,
) {
    loop {
        let certain: FxHashSet<SymbolId> = proven.iter().copied().collect();
        let is_open_user = |symbol: &SymbolId| {
            search.unused[symbol].users.iter().find_map(|chain| {
                let is_dead = chain.iter().any(|around| certain.contains(around));
                (!is_dead).then(|| chain.last().copied())
            })
        };
        let doubtful: Vec<(SymbolId, Option<SymbolId>)> = proven
            .iter()
            .filter_map(|symbol| Some((*symbol, is_open_user(symbol)?)))
            .collect();
        if doubtful.is_empty() {
            return;
        }
        proven.retain(|symbol| !doubtful.iter().any(|(other, _)| other == symbol));
        open.extend(doubtful.into_iter().map(|(symbol, user)| OpenSymbol {
            symbol,
            why: OpenReason::UsedByOpen(user.unwrap_or(symbol)),
        }));
    }
}

/// What refers to a symbol. Nothing where it is soon found to be in use by code that is none of
/// `candidates`, and where the search was cut short: it may have other uses.
fn unused(
    resolver: &Resolver<'_>,
    symbol: SymbolId,
    candidates: Option<&FxHashSet<SymbolId>>,
) -> Option<Unused> {
    let overloads = overloads_of(resolver, symbol);
    let is_alive = candidates.is_some_and(|candidates| {
        query::is_soon_found(resolver, &overloads, &|mention| {
            let around = around(resolver, mention);
            let is_candidate = around.iter().any(|symbol| candidates.contains(symbol));
            mention.outcome != Outcome::Ambiguous && !is_candidate
        })
    });
    if is_alive {
        return None;
    }
    let found = query::accounted_references(resolver, &overloads);
    let named = found.value;
    let mut users: Vec<Vec<SymbolId>> = Vec::new();
    let mut ambiguous = 0;
    for mention in &named.mentions {
        match mention.outcome {
            Outcome::Ambiguous => ambiguous += 1,
            _ => users.push(around(resolver, mention)),
        }
    }
    users.sort_unstable();
    users.dedup();
    found.cut.is_none().then(|| Unused {
        doubt: None,
        users,
        ambiguous,
        unresolved: named.unsettled.len(),
        account: named.account,
    })
}

/// The symbols around a mention, outermost first.
fn around(resolver: &Resolver<'_>, mention: &Mention) -> Vec<SymbolId> {
    chain_of(resolver, mention.file, mention.enclosing)
}

/// The symbols around a place, outermost first.
fn chain_of(
    resolver: &Resolver<'_>,
    file: FileId,
    enclosing: Option<facts::SymbolIndex>,
) -> Vec<SymbolId> {
    let Some((view, enclosing)) = resolver.view(file).zip(enclosing) else {
        return Vec::new();
    };
    let chain = view.facts.container_chain(enclosing).into_iter();
    chain.map(|index| SymbolId::new(file, index)).collect()
}

/// The symbols of the same name in the same place: which overload a call means may be told wrong.
fn overloads_of(resolver: &Resolver<'_>, symbol: SymbolId) -> Vec<SymbolId> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return vec![symbol];
    };
    let same = view.facts.symbols_with_index().filter(|(_, other)| {
        (other.name, other.parent, other.owner) == (declared.name, declared.parent, declared.owner)
    });
    same.map(|(index, _)| symbol.beside(index)).collect()
}

/// Short strings of code in languages that ask for members by text: whole ones, and the parts
/// between placeholders.
fn literal_parts(session: &Session) -> BTreeSet<String> {
    const MAX_LEN: usize = 60;
    let mut parts = BTreeSet::new();
    for (file, entry) in session.snapshot().files() {
        let semantics = session.snapshot().corpus().semantics(entry.language);
        if !semantics.is_some_and(|semantics| semantics.entry_points.members_by_text) {
            continue;
        }
        if !session.budget.spend() {
            break;
        }
        let (Some(facts), Some(text)) = (session.facts(file), session.text(file)) else {
            continue;
        };
        let strings = facts.trivia.iter();
        for string in strings.filter(|trivia| trivia.kind == TriviaKind::String) {
            let span = string.span;
            let Some(literal) = text.get(span.start as usize..span.end as usize) else {
                continue;
            };
            if literal.len() > MAX_LEN {
                continue;
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words = literal.split(|c: char| !is_word(c));
            parts.extend(words.filter(|word| word.len() > 1).map(str::to_owned));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use engine::Budget;
    use expect_test::{Expect, expect};

    use super::*;
    use crate::testing::session;

    #[test]
    fn functions_that_only_call_one_another_are_dead_together() {
        check(
            r#"
//- go.mod
module example.com/shop
//- cart.go
package shop
func Total() int { return used() }
func used() int { return 1 }
func first() { second() }
func second() { first() }
func loop() { loop() }
"#,
            expect![[r#"
                proven cart.go first
                proven cart.go second
                proven cart.go loop
            "#]],
        );
    }

    #[test]
    fn what_leaves_a_library_is_alive_and_what_text_names_is_open() {
        check(
            r#"
//- pyproject.toml
[project]
name = "shop"
//- shop/cart.py
def total(): ...
def _unused(): ...
def _named(): ...
def _documented(): ...
class _Gone:
    def run(self): ...
class Visitor:
    def visit(self, node):
        return getattr(self, "_visit_" + node)
    def _visit_item(self): ...
    def _lonely(self): ...
    def __len__(self): ...
    def _maybe(self): ...
def guess(thing):
    thing._maybe()
REGISTRY = ["_named"]
def _parse(): ...
FORMER = {"parse": "Cart.parse"}
def __getattr__(name):
    if name in FORMER:
        return globals()["_" + name]
//- README.md
Call _documented.
"#,
            expect![[r#"
                proven shop/cart.py _unused
                proven shop/cart.py _Gone
                proven shop/cart.py Visitor._lonely
                open shop/cart.py _named: its name is in strings, 1 place
                open shop/cart.py _documented: its name is in files that are no code, 1 place
                open shop/cart.py Visitor._visit_item: the string "_visit_" may be a part of its name, put together at run time
                open shop/cart.py _parse: the string "parse" may be a part of its name, put together at run time
            "#]],
        );
    }

    /// FIXME: `gone` and `alsoGone` override nothing of `Runnable`, so they are dead; the members of
    /// library types are not known well enough to say so.
    #[test]
    fn overrides_annotations_and_tests_are_not_proven() {
        check(
            r#"
//- pom.xml
<project><artifactId>shop</artifactId></project>
//- src/main/java/shop/Cart.java
package shop;
class Cart implements Runnable, Priced {
    public void run() { }
    public int price() { return 1; }
    private void gone() { }
    void alsoGone() { gone(); }
    @Inject void inject() { }
    private Object readResolve() { return this; }
}
interface Priced { int price(); }
class Shop { public static void main(String[] a) { Priced p = new Cart(); p.price(); } }
//- src/test/java/shop/CartTest.java
package shop;
class CartTest {
    @Before void prepare() { }
    @Test void adds() { }
    void helper() { }
}
"#,
            expect![[r#"
                proven src/test/java/shop/CartTest.java CartTest.helper
                open src/main/java/shop/Cart.java Cart.run: its type extends a type of a library, which may call it
                open src/main/java/shop/Cart.java Cart.gone: `Cart.alsoGone` uses it, which is open
                open src/main/java/shop/Cart.java Cart.alsoGone: its type extends a type of a library, which may call it
                open src/main/java/shop/Cart.java Cart.inject: `Inject` may hand it to a library
            "#]],
        );
    }

    #[test]
    fn a_library_calls_no_member_that_is_private_to_its_module() {
        check(
            r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
use std::fmt;
pub struct Cart { n: usize }
impl fmt::Display for Cart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.n) }
}
impl Cart {
    pub fn total(&self) -> usize { self.n }
    fn gone(&self) -> usize { self.n }
}
#[cfg(unix)]
fn on_unix() {}
#[cfg(test)]
mod tests {
    #[test]
    fn adds() { helper() }
    fn helper() {}
    fn former_helper() {}
}
"#,
            expect![[r#"
                proven src/lib.rs Cart::gone
                proven src/lib.rs on_unix
                proven src/lib.rs tests::former_helper
            "#]],
        );
    }

    #[test]
    fn what_a_macro_call_holds_is_not_proven() {
        check(
            r#"
//- Cargo.toml
[package]
name = "shop"
//- src/lib.rs
fn gone() {}
#[cfg(test)]
mod tests {
    quickcheck::quickcheck! {
        fn adds(n: usize) -> bool { helper(n) }
    }
    fn helper(n: usize) -> bool { n == n }
    macro_rules! case { ($name:ident, $n:expr) => { #[test] fn $name() { assert!(helper($n)); } } }
    case!(one, 1);
}
"#,
            expect![[r#"
                proven src/lib.rs gone
                open src/lib.rs tests::adds: a call of a macro holds it, and may use it
                open src/lib.rs tests::one: a call of a macro holds it, and may use it
            "#]],
        );
    }

    #[test]
    fn what_gives_the_arguments_of_a_test_is_alive() {
        check(
            r#"
//- pom.xml
<project><artifactId>shop</artifactId></project>
//- src/test/java/shop/CartTest.java
package shop;
class CartTest {
    @ParameterizedTest @MethodSource void adds(int n) { }
    private static int[] adds() { return null; }
    @ParameterizedTest @MethodSource("numbers") void sums(int n) { }
    private static int[] numbers() { return null; }
    private static int[] gone() { return null; }
}
"#,
            expect![[r#"
                proven src/test/java/shop/CartTest.java CartTest.gone
            "#]],
        );
    }

    #[test]
    fn a_package_may_give_others_what_helps_them_to_test() {
        check(
            r#"
//- pyproject.toml
[project]
name = "shop"
//- src/shop/__init__.py
//- src/shop/test.py
def make_cart(): ...
//- src/shop/testing/carts.py
def full_cart(): ...
//- src/shop/tests/test_cart.py
def gone(): ...
//- tests/helpers.py
def also_gone(): ...
"#,
            expect![[r#"
                proven src/shop/tests/test_cart.py gone
                proven tests/helpers.py also_gone
            "#]],
        );
    }

    #[test]
    fn what_is_told_of_types_of_others_is_not_proven() {
        check(
            r#"
//- package.json
{ "name": "shop", "private": true }
//- src/types.ts
import { open } from "store";
open();
interface Gone { a: number }
declare global {
  interface Window { cart: number }
  namespace NodeJS { interface ProcessEnv { CART: string } }
}
declare module "store" {
  interface Options { cart: number }
}
//- src/globals.ts
interface Navigator { cart: number }
"#,
            expect![[r#"
                proven src/types.ts Gone
                open src/globals.ts Navigator: it is global, and may add to a type of that name
            "#]],
        );
    }

    #[test]
    fn what_an_open_symbol_uses_is_open() {
        check(
            r#"
//- package.json
{ "name": "shop", "private": true }
//- cart.js
function helper() { return 1 }
function handler() { return helper() }
function lost() { return 2 }
export function unusedExport() { return 3 }
const names = ["handler"]
console.log(names)
//- plugin.js
module.exports = { name: "shop", version, install(app) { return app } }
"#,
            expect![[r#"
                proven cart.js lost
                open cart.js helper: `handler` uses it, which is open
                open cart.js handler: its name is in strings, 1 place
                open cart.js unusedExport: its file exports it, and a tool may load the file by its name
                open plugin.js exports.install: a library may ask objects of its type for it
            "#]],
        );
    }

    #[test]
    fn what_a_library_or_a_test_runner_runs_is_not_proven() {
        check(
            r#"
//- app/extras/net.rb
require "net/https"
module Net
  class HTTP
    private
    def conn_address_of_ours; end
  end
end
class Sponge
  private
  def squeeze_nothing; end
end
//- spec/cart_spec.rb
RSpec.describe "carts" do
  let!(:eager_cart) { 1 }
  let(:lazy_cart) { 2 }
  it("adds") { 3 }
end
//- src/Map.kt
class LinkedMap : java.io.Serializable {
    private fun writeReplace(): Any = this
    private fun goneForGood(): Any = this
}
fun main() { LinkedMap() }
"#,
            expect![[r#"
                proven app/extras/net.rb Sponge::squeeze_nothing
                proven spec/cart_spec.rb carts::lazy_cart
                proven src/Map.kt LinkedMap.goneForGood
                open app/extras/net.rb Net::HTTP::conn_address_of_ours: its type extends a type of a library, which may call it
            "#]],
        );
    }

    #[test]
    fn a_function_or_class_in_the_middle_of_code_is_alive_with_it() {
        check(
            r#"
//- package.json
{ "name": "shop", "private": true }
//- menu.js
(function openMenu() { drawMenu() })();
!function closeMenu() {}();
(function moveMenu() {}).call(this);
new (function Menu() {})();
void function flashMenu() {}();
addEventListener("load", function onLoad() { loadMenu() });
angular.module("shop").factory(function MenuTypes() {});
expect.addEqualityTesters([function isSameMenu() {}]);
register(class MenuView {});
function drawMenu() {}
function loadMenu() {}
const goneMenu = function innerMenu() { goneHelper() };
function goneHelper() {}
class GoneView {}
//- load.js
class Loaded { static { atLoad() } }
function atLoad() {}
function build() { class Built { static { neverBuilt() } } }
function neverBuilt() {}
"#,
            expect![[r#"
                proven load.js build
                proven load.js neverBuilt
                proven menu.js goneMenu
                proven menu.js goneHelper
                proven menu.js GoneView
            "#]],
        );
    }

    #[test]
    fn a_member_between_underscores_is_called_by_convention() {
        check(
            r#"
//- app.py
from enum import Enum
class Size(Enum):
    SMALL = 1
    def _generate_next_value_(name, start, count, last_values): return name
    @classmethod
    def _missing_(cls, value): return cls.SMALL
class Cart:
    def _repr_html_(self): return ""
    def _ipython_display_(self): ...
    def _gone(self): ...
def _gone_too_(): ...
print(Size, Cart)
"#,
            expect![[r#"
                proven app.py Cart._gone
                proven app.py _gone_too_
            "#]],
        );
    }

    #[test]
    fn what_a_call_of_an_interface_may_run_is_alive_beside_a_function_init() {
        check(
            r#"
//- go.mod
module example.com/shop
//- shop.go
package shop
type Flag interface { PreParse() error }
func Run(flag Flag) { flag.PreParse() }
//- shop_test.go
package shop
func init() {}
type boolFlag struct{}
func (f *boolFlag) PreParse() error { return nil }
func (f *boolFlag) gone() {}
func TestRun(t *testing.T) { Run(&boolFlag{}) }
//- examples/cart/main.go
package main
type example struct{}
func (e *example) PreParse() error { return nil }
func (e *example) gone() {}
func main() { shop.Run(&example{}) }
"#,
            expect![[r#"
                proven shop_test.go boolFlag.gone
                open examples/cart/main.go example.gone: its file is a program among tests or examples
            "#]],
        );
    }

    /// Reading the start of a chain twice for each link made 2^n readings of n links.
    #[test]
    fn the_work_for_a_chain_of_calls_grows_with_its_length_alone() {
        let chain = ".next()".repeat(24);
        let files = format!(
            "
//- package.json
{{ \"name\": \"shop\", \"private\": true }}
//- chain.ts
class Left {{ next(): Left | Right {{ return this }} }}
class Right {{ next(): Left | Right {{ return this }} }}
function gone(first: Left | Right) {{ return first{chain}.next() }}
"
        );
        let session = session(&files);
        let session = session.with_budget(Budget::new(1_000_000, None, Arc::default()));
        let found = dead_code(&session, DeadScope::Below(""));
        assert_eq!(found.cut, None);
        assert!(listed(&session, &found).contains("chain.ts gone"));
    }

    #[test]
    fn a_scope_bounds_what_is_looked_at() {
        let files = "
//- go.mod
module example.com/shop
//- a/a.go
package a
func gone() {}
//- b/b.go
package b
func gone() {}
";
        let session = session(files);
        let found = dead_code(&session, DeadScope::Below("a"));
        assert_eq!(listed(&session, &found), "proven a/a.go gone\n");
        let found = dead_code(&session, DeadScope::Below("b/b.go"));
        assert_eq!(listed(&session, &found), "proven b/b.go gone\n");
        let found = dead_code(&session, DeadScope::Symbols(&found.proven));
        assert_eq!(listed(&session, &found), "proven b/b.go gone\n");
        assert_eq!(found.n_examined, 1);
    }

    #[track_caller]
    fn check(files: &str, expected: Expect) {
        let session = session(files);
        let found = dead_code(&session, DeadScope::Below(""));
        expected.assert_eq(&listed(&session, &found));
    }

    fn listed(session: &Session, found: &DeadCode) -> String {
        let mut out = String::new();
        for symbol in &found.proven {
            let path = session.path(symbol.file);
            out += &format!("proven {path} {}\n", local_name(session, *symbol));
        }
        for open in &found.open {
            let path = session.path(open.symbol.file);
            let name = local_name(session, open.symbol);
            out += &format!("open {path} {name}: {}\n", open.why.text(session));
        }
        out
    }
}
