//! What running a callable does besides returning: what it throws, logs and writes, which tables it
//! uses, and which libraries with effects it calls. Those are told by the type or module that a
//! call belongs to: `libraries/`.

mod libraries;

use facts::{Facts, Recipe, RecipeId, Reference, Role, Span, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Complete, FileView, Found, Outcome, Resolver, SymbolId, Ty, query,
    query::architecture::{Architecture, ArchitectureKind},
};
pub use libraries::{Access, Touches};
use libraries::{Exception, last_part};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Types that its own code throws, each once, in order.
    pub thrown: Vec<Thrown>,
    /// Messages that it logs: (level, template).
    pub logs: Vec<(&'static str, String)>,
    /// The calls that log them.
    pub logging: Vec<Span>,
    /// In order of place.
    pub side_effects: Vec<SideEffect>,
    /// What declares the tables that it uses, each once, in order.
    pub tables: Vec<SymbolId>,
    /// The calls into libraries that are behind side effects and exceptions.
    pub calls: Vec<Span>,
    /// Something of this was concluded from names alone.
    pub by_name: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    pub name: String,
    pub by: ThrownBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrownBy {
    Throw,
    /// A call that throws if something does not hold: `ArgumentNullException.ThrowIfNull(order)`.
    Guard,
}

/// A change or a use of something outside the callable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideEffect {
    pub on: Affected,
    pub access: Access,
    /// In order.
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affected {
    /// A member or variable that the callable assigns.
    Variable {
        kind: SymbolKind,
        owner: Option<String>,
        name: String,
    },
    /// What a library's member touches: `File.Delete`.
    Library { touches: Touches, member: String },
    /// A table of the program, and the call that writes it.
    Table {
        name: String,
        written_by: Option<String>,
    },
}

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

/// What a callable does. Where it uses one of the program's tables, the table is named as in
/// `architecture`.
pub fn effects(
    resolver: &Resolver,
    symbol: SymbolId,
    architecture: &Architecture,
) -> Complete<Effects> {
    let Some(view) = resolver.view(symbol.file) else {
        return resolver.budget.finish(Effects::default());
    };
    let is_inside = |reference: &Reference| {
        reference.enclosing.is_some_and(|enclosing| {
            enclosing == symbol.index
                || query::enclosing_callable(&view, enclosing) == Some(symbol.index)
        })
    };
    let mut inside: Vec<&Reference> = view
        .facts
        .references
        .iter()
        .filter(|reference| is_inside(reference))
        .collect();
    inside.sort_by_key(|reference| reference.span.start);
    let mut reader = EffectReader {
        resolver,
        view: &view,
        symbol,
        tables: ProgramTables::of(resolver, architecture),
        found: Effects::default(),
        touched: Vec::new(),
    };
    for reference in inside {
        if !resolver.budget.spend() {
            break;
        }
        let is_made = matches!(reference.role, Role::Instantiate | Role::Call);
        if is_made && is_thrown(&view.facts, reference) {
            reader.throws(made_type(&view, reference), ThrownBy::Throw);
            continue;
        }
        match reference.role {
            Role::Write => reader.write(reference),
            Role::Call => {
                reader.log(reference);
                reader.call(reference);
            }
            Role::Instantiate => reader.call(reference),
            Role::Read => reader.read(reference),
            _ => {}
        }
    }
    resolver.budget.finish(reader.finish())
}

/// One callable being read, in the order of its text.
struct EffectReader<'a> {
    resolver: &'a Resolver<'a>,
    view: &'a FileView,
    symbol: SymbolId,
    tables: ProgramTables,
    found: Effects,
    touched: Vec<Touched>,
}

/// A side effect, and what declares the table that it is about.
struct Touched {
    effect: SideEffect,
    table: Option<SymbolId>,
}

impl EffectReader<'_> {
    fn throws(&mut self, name: &str, by: ThrownBy) {
        if !self.found.thrown.iter().any(|thrown| thrown.name == name) {
            let name = name.to_owned();
            self.found.thrown.push(Thrown { name, by });
        }
    }

    fn touch(&mut self, access: Access, on: Affected, span: Span) {
        self.touch_as(access, on, None, span);
    }

    fn touch_table(
        &mut self,
        access: Access,
        table: SymbolId,
        written_by: Option<String>,
        span: Span,
    ) {
        let name = self.tables.of.get(&table).cloned().unwrap_or_default();
        self.touch_as(
            access,
            Affected::Table { name, written_by },
            Some(table),
            span,
        );
    }

    fn touch_as(&mut self, access: Access, on: Affected, table: Option<SymbolId>, span: Span) {
        let line = self.view.facts.lines.line_number(span.start);
        let mut touched = self.touched.iter_mut();
        match touched.find(|known| known.table == table && known.effect.on == on) {
            Some(Touched { effect, .. }) => {
                effect.access = effect.access.max(access);
                if !effect.lines.contains(&line) {
                    effect.lines.push(line);
                }
            }
            None => {
                let effect = SideEffect {
                    on,
                    access,
                    lines: vec![line],
                };
                self.touched.push(Touched { effect, table });
            }
        }
    }

    /// An assignment to a member of something that was there before.
    fn write(&mut self, reference: &Reference) {
        // What an object is given while it is made is nobody else's yet: `new Order { Id = 1 }`.
        if reference
            .receiver
            .is_some_and(|receiver| matches!(self.view.facts.recipe(receiver), Recipe::New(..)))
        {
            return;
        }
        let resolution = self.resolver.resolve(self.view, reference);
        if !matches!(
            resolution.outcome,
            Outcome::Static | Outcome::Heuristic | Outcome::Dispatch
        ) {
            return;
        }
        for field in resolution.symbols() {
            if let Some((other, declared)) = self.resolver.symbol(field)
                && matches!(
                    declared.kind,
                    SymbolKind::Field
                        | SymbolKind::Property
                        | SymbolKind::Variable
                        | SymbolKind::Event
                )
                && declared.parent != Some(self.symbol.index)
            {
                let owner = declared
                    .parent
                    .map(|parent| other.name_of(parent).to_owned());
                let variable = Affected::Variable {
                    kind: declared.kind,
                    owner,
                    name: self.view.facts.name(reference.name).to_owned(),
                };
                self.found.by_name |= resolution.outcome == Outcome::Heuristic;
                self.touch(Access::Writes, variable, reference.span);
            }
        }
    }

    fn log(&mut self, reference: &Reference) {
        let name = self.view.facts.name(reference.name);
        if let Some((_, level)) = LEVELS.iter().find(|(known, _)| *known == name)
            && let Some(receiver) = reference.receiver
            && is_logger(&crate::text::recipe(&self.view.facts, receiver), name)
            && let Some(template) = first_string(self.view, reference)
        {
            self.found.logs.push((level, template));
            self.found.logging.push(reference.span);
        }
    }

    /// A table of the program that is a property or variable: `context.Orders`.
    fn read(&mut self, reference: &Reference) {
        if !self
            .tables
            .names
            .contains(self.view.facts.name(reference.name))
        {
            return;
        }
        let resolution = self.resolver.resolve(self.view, reference);
        if resolution.outcome != Outcome::Static {
            return;
        }
        let is_value =
            |symbol: &SymbolId| !self.resolver.kind(*symbol).is_some_and(SymbolKind::is_type);
        let table = resolution
            .symbols()
            .find(|symbol| self.tables.of.contains_key(symbol) && is_value(symbol));
        if let Some(table) = table {
            self.touch_table(Access::Reads, table, None, reference.span);
        }
    }

    /// A call into a library that a rule knows.
    fn call(&mut self, reference: &Reference) {
        let name = if reference.role == Role::Instantiate {
            "new"
        } else {
            self.view.facts.name(reference.name)
        };
        let rules = libraries::of_member(self.view.semantics.family, name);
        if rules.is_empty() {
            return;
        }
        let resolution = self.resolver.resolve(self.view, reference);
        if !matches!(resolution.outcome, Outcome::External | Outcome::Unresolved) {
            return;
        }
        let (by_table, by_owner): (Vec<_>, Vec<_>) = rules
            .into_iter()
            .partition(|rule| rule.touches() == Touches::Table);
        if let Some(table) = by_table.first().and_then(|_| self.table_of(reference)) {
            let access = by_table
                .iter()
                .map(|rule| rule.access)
                .max()
                .unwrap_or(Access::Reads);
            let by = (access == Access::Writes).then(|| name.to_owned());
            self.found.calls.push(reference.span);
            // A query is said where it begins, not at each of its steps.
            if access == Access::Writes
                || !self
                    .touched
                    .iter()
                    .any(|touched| touched.table == Some(table))
            {
                self.touch_table(access, table, by, reference.span);
            }
            return;
        }
        let owners = self.owners(reference, &resolution);
        let receiver = reference
            .receiver
            .map(|receiver| crate::text::recipe(&self.view.facts, receiver));
        let known = owners
            .first()
            .filter(|owner| !owner.ends_with(['(', ')', ']', '*']));
        let by_type = by_owner.iter().find(|rule| match owners.is_empty() {
            true => receiver.is_none() && rule.is_free(),
            false => owners.iter().any(|owner| rule.is_of(owner)),
        });
        let by_text = || {
            by_owner.iter().find(|rule| {
                known.is_none()
                    && receiver
                        .as_deref()
                        .is_some_and(|receiver| rule.is_on(receiver))
            })
        };
        let Some(rule) = by_type.copied().or_else(|| by_text().copied()) else {
            return;
        };
        self.found.by_name |= by_type.is_none();
        let owner = owners
            .first()
            .map(|owner| last_part(owner))
            .or_else(|| receiver.as_deref().map(last_part));
        self.found.calls.push(reference.span);
        match rule.touches() {
            Touches::Throws(Exception::Named(name)) => self.throws(name, ThrownBy::Guard),
            Touches::Throws(Exception::Owner) => {
                if let Some(owner) = owner {
                    self.throws(owner, ThrownBy::Guard);
                }
            }
            touches => {
                let access = if rule.access == Access::Opens {
                    self.opened(reference, touches)
                } else {
                    rule.access
                };
                let member = match (owner, name) {
                    (Some(owner), "new") => format!("new {owner}"),
                    (Some(owner), name) => format!("{owner}.{name}"),
                    (None, name) => name.to_owned(),
                };
                self.touch(
                    access,
                    Affected::Library { touches, member },
                    reference.span,
                );
            }
        }
    }

    /// The types or the module that a library's member belongs to, nearest first; none for a
    /// function of its own.
    fn owners(&self, reference: &Reference, resolution: &crate::Resolution) -> Vec<String> {
        let name = self.view.facts.name(reference.name);
        let paths = resolution.targets.iter().filter_map(|found| match found {
            Found::External(path) => Some(path.as_ref()),
            _ => None,
        });
        let mut owners: Vec<String> = match reference.role {
            Role::Instantiate => paths.map(str::to_owned).collect(),
            _ => paths
                .filter_map(|path| owner_of(path, name))
                .map(str::to_owned)
                .collect(),
        };
        if reference.role == Role::Instantiate && owners.is_empty() {
            owners.push(name.to_owned());
        }
        if let Some(receiver) = reference
            .receiver
            .filter(|_| reference.role != Role::Instantiate)
        {
            let ty = self
                .resolver
                .eval(crate::Place::of(self.view, reference), receiver);
            let of_type = self.resolver.library_types(self.view, &ty);
            owners.extend(
                of_type
                    .into_iter()
                    .filter(|owner| !owners.contains(owner))
                    .collect::<Vec<_>>(),
            );
            // A name that begins as types do and that nothing here has is a library's.
            let written = crate::text::recipe(&self.view.facts, receiver);
            let is_path = written
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '\\'));
            if owners.is_empty()
                && is_path
                && last_part(&written).starts_with(char::is_uppercase)
                && ty == Ty::Unknown
            {
                owners.push(written);
            }
        }
        owners
    }

    /// What the arguments of a call that opens something say: a mode, flags, or the statement to be
    /// run.
    fn opened(&self, reference: &Reference, touches: Touches) -> Access {
        let facts = &self.view.facts;
        let Some(Recipe::Call(_, list) | Recipe::New(_, list)) =
            reference.call.map(|call| facts.recipe(call))
        else {
            return Access::Opens;
        };
        let mut access = Access::Opens;
        for (i, argument) in facts.list(list).iter().enumerate() {
            let value = match facts.recipe(*argument) {
                Recipe::Field(_, value) => value,
                _ => *argument,
            };
            let said = match facts.recipe(value) {
                Recipe::Str(text) => {
                    mode_of(facts.name(text), i > 0 || reference.receiver.is_some())
                }
                Recipe::Member(_, name) | Recipe::Scoped(_, name) | Recipe::Name(name) => {
                    flag_of(facts.name(name))
                }
                Recipe::Operation(left, right) => {
                    let flags = [left, right].map(|side| match facts.recipe(side) {
                        Recipe::Member(_, name) | Recipe::Scoped(_, name) | Recipe::Name(name) => {
                            flag_of(facts.name(name))
                        }
                        // One more operation: three flags or more, of which none says reading
                        // alone.
                        Recipe::Operation(..) => Some(Access::Writes),
                        _ => None,
                    });
                    flags.into_iter().flatten().max()
                }
                _ => None,
            };
            access = match (access, said) {
                (Access::Writes, _) | (_, Some(Access::Writes)) => Access::Writes,
                (_, Some(said)) => said,
                (access, None) => access,
            };
        }
        // A file that is opened without a mode is read.
        let has_mode = facts.list(list).len() > 1 || touches != Touches::FileSystem;
        if access == Access::Opens && !has_mode && reference.role == Role::Call {
            Access::Reads
        } else {
            access
        }
    }

    /// The table of the program that a call is about: what it is called on begins there, or it is
    /// given it, or it is called on one of its rows.
    fn table_of(&self, reference: &Reference) -> Option<SymbolId> {
        if self.tables.of.is_empty() {
            return None;
        }
        let facts = &self.view.facts;
        let mut chain = reference.receiver;
        let mut named: Vec<facts::NameId> = Vec::new();
        for _ in 0..64 {
            chain = match chain.map(|recipe| facts.recipe(recipe)) {
                Some(Recipe::Name(name)) => {
                    named.push(name);
                    None
                }
                Some(Recipe::Member(inner, name) | Recipe::Scoped(inner, name)) => {
                    named.push(name);
                    Some(inner)
                }
                Some(Recipe::Call(inner, list)) => {
                    named.extend(
                        facts
                            .list(list)
                            .iter()
                            .filter_map(|argument| plain_name(facts, *argument)),
                    );
                    Some(inner)
                }
                Some(
                    Recipe::Await(inner) | Recipe::Try(inner) | Recipe::TypeArguments(inner, _),
                ) => Some(inner),
                _ => None,
            };
        }
        if let Some(Recipe::Call(_, list)) = reference.call.map(|call| facts.recipe(call)) {
            named.extend(
                facts
                    .list(list)
                    .iter()
                    .filter_map(|argument| plain_name(facts, *argument)),
            );
        }
        for name in named
            .into_iter()
            .map(|name| facts.name(name))
            .filter(|name| self.tables.names.contains(*name))
        {
            let bare = self
                .resolver
                .name_at(crate::Place::of(self.view, reference), name);
            let found = bare
                .iter()
                .flat_map(|resolution| resolution.symbols())
                .find(|symbol| self.tables.of.contains_key(symbol));
            if let Some(table) = found.or_else(|| self.member_table(name)) {
                return Some(table);
            }
        }
        let receiver = reference.receiver?;
        match self
            .resolver
            .eval(crate::Place::of(self.view, reference), receiver)
        {
            Ty::Instance(row, _) if self.tables.of.contains_key(&row) => Some(row),
            _ => None,
        }
    }

    /// A table that this callable was already seen to read as a member of something.
    fn member_table(&self, name: &str) -> Option<SymbolId> {
        let mut tables = self.touched.iter().filter_map(|touched| touched.table);
        tables.find(|table| self.resolver.name(*table) == name)
    }

    fn finish(mut self) -> Effects {
        // A write to a table reads it on the way: only the write is reported.
        let written: Vec<SymbolId> = self
            .touched
            .iter()
            .filter_map(|touched| touched.table.filter(|_| touched.access() == Access::Writes))
            .collect();
        self.touched.retain(|touched| {
            touched.access() == Access::Writes
                || touched.table.is_none_or(|table| !written.contains(&table))
        });
        // What runs a query tells nothing where its tables are named.
        if self.touched.iter().any(|touched| touched.table.is_some()) {
            self.touched.retain(|touched| !touched.runs_query());
        }
        for touched in self.touched {
            if let Some(table) = touched.table
                && !self.found.tables.contains(&table)
            {
                self.found.tables.push(table);
            }
            if !self.found.side_effects.contains(&touched.effect) {
                self.found.side_effects.push(touched.effect);
            }
        }
        self.found
    }
}

impl Touched {
    fn access(&self) -> Access {
        self.effect.access
    }

    /// `IQueryable.ToList`.
    fn runs_query(&self) -> bool {
        self.access() == Access::Reads
            && matches!(
                &self.effect.on,
                Affected::Library { touches: Touches::Database, member } if libraries::runs_query(member)
            )
    }
}

/// The tables of the program by what declares them.
struct ProgramTables {
    of: FxHashMap<SymbolId, String>,
    /// The names of what declares them.
    names: FxHashSet<String>,
}

impl ProgramTables {
    fn of(resolver: &Resolver, architecture: &Architecture) -> ProgramTables {
        let mut tables = ProgramTables {
            of: FxHashMap::default(),
            names: FxHashSet::default(),
        };
        for fact in architecture
            .facts
            .iter()
            .filter(|fact| fact.kind() == ArchitectureKind::Table)
        {
            let Some(symbol) = fact.symbol else { continue };
            // A table that only a statement names has no declaration: its symbol is the function around
            // them.
            if resolver
                .kind(symbol)
                .is_some_and(|kind| !kind.is_callable())
            {
                tables.names.insert(resolver.name(symbol));
                tables.of.entry(symbol).or_insert_with(|| fact.name.clone());
            }
        }
        tables
    }
}

fn plain_name(facts: &Facts, recipe: RecipeId) -> Option<facts::NameId> {
    match facts.recipe(recipe) {
        Recipe::Name(name) => Some(name),
        _ => None,
    }
}

/// `os.path` of `os.path.exists`; nothing of a bare name.
fn owner_of<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let owner = path
        .strip_suffix(name)?
        .trim_end_matches(['.', ':', '\\', '/']);
    (!owner.is_empty()).then_some(owner)
}

/// What a string argument says: `"wb"` is a mode, `SELECT …` a statement that reads.
fn mode_of(text: &str, may_be_mode: bool) -> Option<Access> {
    let is_mode = may_be_mode
        && (1..=4).contains(&text.len())
        && text.chars().all(|c| "rwaxbt+ceU".contains(c));
    if is_mode {
        return Some(if text.contains(['w', 'a', 'x', '+']) {
            Access::Writes
        } else {
            Access::Reads
        });
    }
    let word = text
        .split_whitespace()
        .next()
        .unwrap_or("")
        .to_ascii_uppercase();
    match word.as_str() {
        "SELECT" | "WITH" | "SHOW" | "EXPLAIN" | "PRAGMA" => Some(Access::Reads),
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "CREATE" | "ALTER" | "DROP" | "TRUNCATE"
        | "MERGE" => Some(Access::Writes),
        _ => None,
    }
}

/// What a flag or a member of an enumeration says: `FileMode.Create`, `O_RDONLY`.
fn flag_of(name: &str) -> Option<Access> {
    match name {
        "Create" | "CreateNew" | "Append" | "Truncate" | "OpenOrCreate" | "Write" | "ReadWrite" => {
            Some(Access::Writes)
        }
        "O_WRONLY" | "O_RDWR" | "O_CREAT" | "O_CREATE" | "O_APPEND" | "O_TRUNC" => {
            Some(Access::Writes)
        }
        "Read" | "O_RDONLY" => Some(Access::Reads),
        _ => None,
    }
}

/// Whether a call, or a new object, is what a `throw` or `raise` throws.
fn is_thrown(facts: &Facts, reference: &Reference) -> bool {
    let mut thrown = facts.thrown.iter();
    thrown.any(|value| {
        value.span.contains(reference.span.start)
            && reference.call == Some(first_made(facts, value.recipe))
    })
}

/// `Bad` of `Bad(…)`, and of `Bad.new(…)` where that is how objects are made.
fn made_type<'v>(view: &'v FileView, reference: &Reference) -> &'v str {
    let name = view.facts.name(reference.name);
    let made = reference
        .receiver
        .map(|receiver| view.facts.recipe(receiver));
    match made.filter(|_| name == view.semantics.construction.by_member) {
        Some(Recipe::Name(made) | Recipe::Member(_, made) | Recipe::Scoped(_, made)) => {
            view.facts.name(made)
        }
        _ => name,
    }
}

/// `new Bad()` of `new Bad().with(cause)`.
fn first_made(facts: &Facts, mut recipe: RecipeId) -> RecipeId {
    while let Recipe::Call(callee, _) = facts.recipe(recipe)
        && let Recipe::Member(made, _) = facts.recipe(callee)
        && matches!(facts.recipe(made), Recipe::Call(..) | Recipe::New(..))
    {
        recipe = made;
    }
    recipe
}

fn is_logger(receiver: &str, name: &str) -> bool {
    let plain = receiver.to_lowercase();
    name.starts_with("Log") || plain.contains("log") || plain == "console"
}

fn first_string(view: &crate::FileView, reference: &Reference) -> Option<String> {
    let Recipe::Call(_, list) = view.facts.recipe(reference.call?) else {
        return None;
    };
    view.facts
        .list(list)
        .iter()
        .find_map(|argument| match view.facts.recipe(*argument) {
            Recipe::Str(text) => Some(view.facts.name(text).to_owned()),
            _ => None,
        })
}
