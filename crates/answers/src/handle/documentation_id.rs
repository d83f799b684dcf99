//! Documentation-comment ids: `M:Acme.Shop.Order.Pay(System.Int32,System.String)`, for C# as its
//! compiler writes them and in the same shape for every other language.
//!
//! | part | form |
//! |---|---|
//! | kind | `N:` namespace or module, `T:` type, `M:` callable, `P:` property or indexer, `F:` field, variable, constant, `E:` event, `!:` others |
//! | path | module or namespace, types and name, joined by `.`; generic types end in `` `n ``, generic methods in ``` ``n ``` |
//! | constructors | `#ctor`, static ones `#cctor` |
//! | parameters | types, without spaces; none: no parentheses |
//!
//! In C#, parameter types are whole names: those of the repository as resolved, predefined ones and
//! the usual ones of the framework by a table, type parameters by position. Elsewhere they are as
//! written. An id that another symbol has as well ends in `@path`, and where one file has several
//! of them, the later ones in `@path#2` and so on.

use std::{collections::BTreeMap, fmt, sync::Arc};

use engine::{Bounded, Found, Resolver, SymbolId, query};
use facts::{
    Facts, Modifiers, ParameterFlags, Role, Symbol, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};
use parking_lot::Mutex;

use super::{Identity, SymbolHandle, dotnet, parameter_types};
use crate::{Session, lookup, names};

/// One id, by its form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DocumentationId {
    /// One of `NTPEMF!`.
    pub kind: char,
    /// Everything up to the parameters' end: `Acme.Shop.Order.Pay(System.Int32)`.
    pub path: String,
    /// The file, where another symbol has the same kind and path.
    pub file: Option<String>,
    /// Which of those in one file, from 1.
    pub ordinal: usize,
}

impl DocumentationId {
    /// Absent where a text has another form: `T::new` is a name.
    pub fn parse(text: &str) -> Option<DocumentationId> {
        let (kind, rest) = split_kind(text)?;
        let shared = rest
            .rsplit_once('@')
            .filter(|(_, path)| !path.contains([')', ',']) && path.contains(['.', '/']));
        let (path, file, ordinal) = match shared {
            None => (rest, None, 1),
            Some((path, file)) => {
                let numbered = file.rsplit_once('#').and_then(|(file, ordinal)| {
                    let ordinal = ordinal.parse::<usize>().ok().filter(|n| *n > 0)?;
                    Some((file, ordinal))
                });
                match numbered {
                    Some((file, ordinal)) => (path, Some(file), ordinal),
                    None => (path, Some(file), 1),
                }
            }
        };
        Some(DocumentationId {
            kind,
            path: path.to_owned(),
            file: file.map(str::to_owned),
            ordinal,
        })
    }

    pub fn without_parameters(&self) -> &str {
        self.path
            .split_once('(')
            .map_or(&self.path, |(bare, _)| bare)
    }
}

impl fmt::Display for DocumentationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.path)?;
        match (&self.file, self.ordinal) {
            (None, _) => Ok(()),
            (Some(file), 1) => write!(f, "@{file}"),
            (Some(file), ordinal) => write!(f, "@{file}#{ordinal}"),
        }
    }
}

/// Makes and finds the ids of one snapshot.
pub struct DocumentationIds<'a> {
    session: &'a Session,
    resolver: &'a Resolver<'a>,
}

/// By name: the symbols whose id another one shares, each with the number of those before it in its
/// file. Kept with the snapshot: of a common name every file that defines it must be looked into.
pub type SharedIds = Mutex<Bounded<String, Arc<[(SymbolId, usize)]>, 100_000>>;

impl<'a> DocumentationIds<'a> {
    pub fn new(session: &'a Session, resolver: &'a Resolver<'a>) -> DocumentationIds<'a> {
        DocumentationIds { session, resolver }
    }

    /// The id of a symbol as text; empty only where its facts can no longer be read.
    pub fn of(&self, symbol: SymbolId) -> String {
        self.id(symbol).map(|id| id.to_string()).unwrap_or_default()
    }

    pub fn id(&self, symbol: SymbolId) -> Option<DocumentationId> {
        let facts = self.session.facts(symbol.file)?;
        let (kind, path) = self.plain(symbol, &facts);
        let name = facts.name(facts.symbol(symbol.index).name);
        let shared = self.shared(name);
        let place = shared.iter().find(|(shared, _)| *shared == symbol);
        Some(DocumentationId {
            kind,
            path,
            file: place.map(|_| self.session.path(symbol.file).to_owned()),
            ordinal: place.map_or(1, |(_, n_before)| n_before + 1),
        })
    }

    pub fn stable(&self, symbol: SymbolId) -> Option<String> {
        let facts = self.session.facts(symbol.file)?;
        let identity = Identity::of(self.session.snapshot(), &facts, symbol.index);
        Some(identity.short_id().to_string())
    }

    /// The symbols that a text means, one of each: by documentation id, or by any other handle or
    /// name.
    pub fn find(&self, text: &str) -> Vec<SymbolId> {
        let text = text.trim();
        if let Some(known) = self.session.cache.ids.lock().get(text) {
            return known.to_vec();
        }
        let found = match SymbolHandle::parse(text) {
            SymbolHandle::Documentation(id) => self.find_id(&id),
            _ => self.by_name(text),
        };
        if self.resolver.is_uncut() {
            self.session.cache.ids.lock().keep(
                text.to_owned(),
                found.as_slice().into(),
                1 + found.len(),
            );
        }
        found
    }

    /// The symbols that an id means: whole, with the types of its parameters as the source writes
    /// them, or without its parameters; else those of its name.
    pub fn find_id(&self, id: &DocumentationId) -> Vec<SymbolId> {
        let bare = id.without_parameters();
        let (mut whole, mut as_written, mut without_parameters) =
            (Vec::new(), Vec::new(), Vec::new());
        for symbol in self.candidates(bare) {
            let Some(facts) = self.session.facts(symbol.file) else {
                continue;
            };
            if id
                .file
                .as_ref()
                .is_some_and(|path| self.session.path(symbol.file) != path)
                || letter(facts.symbol(symbol.index).kind) != id.kind
            {
                continue;
            }
            // Hundreds may have the name; the types of parameters are looked up only where all else
            // is right.
            let head = self.head(symbol, &facts);
            let Some(rest) = id.path.strip_prefix(&head) else {
                continue;
            };
            if !rest.is_empty() && !rest.starts_with(['(', '~']) {
                continue;
            }
            if self.plain(symbol, &facts).1 == id.path {
                whole.push(symbol);
            } else if rest.is_empty() {
                without_parameters.push(symbol);
            } else if rest == format!("({})", parameter_types(&facts, symbol.index).join(",")) {
                as_written.push(symbol);
            }
        }
        let lists = [whole, as_written, without_parameters];
        let mut found = lists
            .into_iter()
            .find(|list| !list.is_empty())
            .unwrap_or_default();
        found.sort_unstable();
        found.dedup();
        found = self.merged(found);
        if id.file.is_some()
            && found.len() > 1
            && let Some(chosen) = found.get(id.ordinal - 1)
        {
            found = vec![*chosen];
        }
        if found.is_empty() {
            found = self.by_name(bare);
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    fn by_name(&self, text: &str) -> Vec<SymbolId> {
        self.merged(lookup::drop_redundant(
            self.session,
            lookup::all(self.session, text),
        ))
    }

    /// One of each symbol: the parts of one type, its blocks of members and the signatures before
    /// one function are one symbol.
    fn merged(&self, mut found: Vec<SymbolId>) -> Vec<SymbolId> {
        if found.len() > 1 {
            found = lookup::drop_redundant(self.session, found);
        }
        let mut i = 0;
        while i + 1 < found.len() {
            let group = query::same_symbol(self.resolver, found[i]);
            let kept = found[i];
            found.retain(|other| *other == kept || !group.contains(other));
            i += 1;
        }
        found
    }

    /// Symbols of a name that share their plain id with another one, in order.
    fn shared(&self, name: &str) -> Arc<[(SymbolId, usize)]> {
        if let Some(known) = self.session.cache.shared_ids.lock().get(name) {
            return known;
        }
        // Most differ in what costs little to tell: where they are, and how many parameters they
        // have.
        let mut alike: BTreeMap<(Vec<String>, usize), Vec<SymbolId>> = BTreeMap::new();
        for symbol in self.session.symbols_named(name) {
            let Some(facts) = self.session.facts(symbol.file) else {
                continue;
            };
            let mut path = names::module_path(self.session.snapshot(), symbol.file, &facts);
            path.extend(names::chain(&facts, symbol.index));
            alike
                .entry((path, facts.parameters(facts.symbol(symbol.index)).len()))
                .or_default()
                .push(symbol);
        }
        let mut shared = Vec::new();
        for symbols in alike.into_values().filter(|symbols| symbols.len() > 1) {
            let mut by_id: BTreeMap<(char, String), Vec<SymbolId>> = BTreeMap::new();
            for symbol in symbols {
                let Some(facts) = self.session.facts(symbol.file) else {
                    continue;
                };
                by_id
                    .entry(self.plain(symbol, &facts))
                    .or_default()
                    .push(symbol);
            }
            for symbols in by_id.into_values().filter(|symbols| symbols.len() > 1) {
                let own = self.merged(symbols.clone());
                if own.len() > 1 {
                    shared.extend(
                        symbols
                            .iter()
                            .map(|symbol| (*symbol, self.n_before(&own, *symbol))),
                    );
                }
            }
        }
        let shared: Arc<[(SymbolId, usize)]> = shared.into();
        if self.resolver.is_uncut() {
            self.session.cache.shared_ids.lock().keep(
                name.to_owned(),
                shared.clone(),
                1 + shared.len(),
            );
        }
        shared
    }

    /// How many symbols of one id are in a symbol's file before it, or before the one that it is
    /// a part of.
    fn n_before(&self, own: &[SymbolId], symbol: SymbolId) -> usize {
        let group = query::same_symbol(self.resolver, symbol);
        let in_file = own.iter().filter(|other| other.file == symbol.file);
        in_file
            .take_while(|other| **other != symbol && !group.contains(other))
            .count()
    }

    /// An id's path without its parameters: it takes no looking up of types.
    fn head(&self, symbol: SymbolId, facts: &Facts) -> String {
        let mut path = names::module_path(self.session.snapshot(), symbol.file, facts).join(".");
        for index in facts.container_chain(symbol.index) {
            self.push_segment(&mut path, symbol, facts, index);
        }
        path
    }

    fn is_csharp(&self, symbol: SymbolId) -> bool {
        self.session.language(symbol.file) == "csharp"
    }

    /// The kind and the whole path of an id.
    fn plain(&self, symbol: SymbolId, facts: &Facts) -> (char, String) {
        let mut id = self.head(symbol, facts);
        let declared = facts.symbol(symbol.index);
        let is_csharp = self.is_csharp(symbol);
        // The parameters of a delegate or of a primary constructor are no part of the type's id,
        // and may name the type itself.
        if declared.kind.is_callable() || declared.kind == SymbolKind::Indexer {
            let parameters = self.parameters(symbol, facts, declared, is_csharp);
            if !parameters.is_empty() {
                id.push_str(&format!("({})", parameters.join(",")));
            }
        }
        if is_csharp
            && declared.kind == SymbolKind::Operator
            && is_conversion(facts.name(declared.name))
        {
            let written = Written {
                ids: self,
                symbol,
                facts,
                keeps_type_parameters: false,
            };
            id.push_str(&format!("~{}", written.text(declared.ty)));
        }
        (letter(declared.kind), id)
    }

    fn push_segment(&self, path: &mut String, symbol: SymbolId, facts: &Facts, index: SymbolIndex) {
        let is_csharp = self.is_csharp(symbol);
        let is_last = index == symbol.index;
        let segment = facts.symbol(index);
        let name = facts.name(segment.name);
        if segment.kind == SymbolKind::Impl && is_csharp && !is_last {
            return;
        }
        let mut push = |part: &str| {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        };
        if segment.kind == SymbolKind::Namespace {
            for part in name
                .split(['.', '\\'])
                .flat_map(|part| part.split("::"))
                .filter(|part| !part.is_empty())
            {
                push(part);
            }
            return;
        }
        if segment.kind != SymbolKind::Impl
            && segment.parent.is_none_or(|parent| {
                facts.symbol(parent).kind != SymbolKind::Impl
                    && !facts.symbol(parent).kind.is_type()
            })
            && !segment.modifiers.contains(Modifiers::EXTENSION)
            && let Some(owner) = names::type_name(facts, segment.owner)
        {
            push(owner);
        }
        if segment.kind == SymbolKind::Constructor {
            push(if segment.modifiers.contains(Modifiers::STATIC) {
                "#cctor"
            } else {
                "#ctor"
            });
            return;
        }
        match (is_csharp, segment.kind) {
            (true, SymbolKind::Operator) if is_conversion(name) => {
                push(self.conversion(symbol, segment))
            }
            (true, SymbolKind::Operator) => {
                push(dotnet::operator(name, facts.parameters(segment).len()))
            }
            (true, kind) => {
                let name = if kind == SymbolKind::Indexer {
                    "Item"
                } else {
                    name
                };
                match Some(segment)
                    .filter(|_| is_last)
                    .and_then(|segment| self.explicit_interface(symbol, facts, segment))
                {
                    Some(interface) => push(&format!("{interface}#{name}")),
                    None => push(name),
                }
            }
            _ => push(name),
        }
        let n_type_parameters = facts.type_parameters(segment).len();
        if n_type_parameters > 0 && segment.kind != SymbolKind::Impl {
            path.push_str(if segment.kind.is_callable() {
                "``"
            } else {
                "`"
            });
            path.push_str(&n_type_parameters.to_string());
        }
    }

    /// `implicit` or `explicit` is written before the name of a conversion.
    fn conversion(&self, symbol: SymbolId, declared: &Symbol) -> &'static str {
        let text = self.session.text(symbol.file);
        let before = text.as_deref().and_then(|text| {
            text.get(declared.span.start as usize..declared.name_span.start as usize)
        });
        let is_explicit =
            before.is_some_and(|before| before.split_whitespace().any(|word| word == "explicit"));
        if is_explicit {
            "op_Explicit"
        } else {
            "op_Implicit"
        }
    }

    /// Symbols that may have an id of this path. A conversion has the name of what it converts
    /// to, which only its id's end tells.
    fn candidates(&self, path: &str) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = own_names(path)
            .iter()
            .flat_map(|name| self.session.symbols_named(name))
            .collect();
        let mut segments = path.rsplit('.');
        if let (Some("op_Implicit" | "op_Explicit"), Some(holder)) =
            (segments.next(), segments.next())
        {
            let holder = holder.split('`').next().unwrap_or(holder);
            for SymbolId { file, index } in self.session.symbols_named(holder) {
                let Some(facts) = self.session.facts(file) else {
                    continue;
                };
                let inside = facts.symbols_with_index().filter(|(_, symbol)| {
                    symbol.parent == Some(index) && symbol.kind == SymbolKind::Operator
                });
                found.extend(inside.map(|(index, _)| SymbolId { file, index }));
            }
        }
        found
    }

    /// `Acme#IStore{T}` for what is before the name of a member that implements it explicitly.
    fn explicit_interface(
        &self,
        symbol: SymbolId,
        facts: &Facts,
        declared: &Symbol,
    ) -> Option<String> {
        if !matches!(
            declared.kind,
            SymbolKind::Method | SymbolKind::Property | SymbolKind::Event | SymbolKind::Indexer
        ) || declared.modifiers.contains(Modifiers::EXTENSION)
            || !declared.owner.is_known()
        {
            return None;
        }
        let interface = Written {
            ids: self,
            symbol,
            facts,
            keeps_type_parameters: true,
        }
        .text(declared.owner);
        Some(interface.replace('.', "#").replace(',', "@"))
    }

    fn parameters(
        &self,
        symbol: SymbolId,
        facts: &Facts,
        declared: &Symbol,
        is_csharp: bool,
    ) -> Vec<String> {
        let parameters = facts.parameters(declared);
        if parameters.is_empty() {
            return Vec::new();
        }
        let written = Written {
            ids: self,
            symbol,
            facts,
            keeps_type_parameters: false,
        };
        let passing = if is_csharp {
            self.passed_by_reference(symbol, declared, parameters.len())
        } else {
            Vec::new()
        };
        let is_receiver =
            |flags: ParameterFlags| flags.contains(ParameterFlags::RECEIVER) && !is_csharp;
        let named = parameters
            .iter()
            .enumerate()
            .filter(|(_, parameter)| !is_receiver(parameter.flags));
        named
            .map(
                |(i, parameter)| match (is_csharp, parameter.ty.is_known()) {
                    (true, true) => format!(
                        "{}{}",
                        written.text(parameter.ty),
                        if passing.get(i) == Some(&true) {
                            "@"
                        } else {
                            ""
                        }
                    ),
                    (false, true) => {
                        extract::render::type_text(facts, parameter.ty).replace(", ", ",")
                    }
                    _ => facts.name(parameter.name).to_owned(),
                },
            )
            .collect()
    }

    /// Which parameters of a C# member are `ref`, `out` or `in`.
    fn passed_by_reference(
        &self,
        symbol: SymbolId,
        declared: &Symbol,
        n_parameters: usize,
    ) -> Vec<bool> {
        let Some(text) = self.session.text(symbol.file) else {
            return Vec::new();
        };
        let signature = declared.signature.text(&text);
        let after_name = (declared
            .name_span
            .end
            .saturating_sub(declared.signature.start)) as usize;
        let Some(list) = signature.get(after_name..) else {
            return Vec::new();
        };
        if !["ref ", "out ", "in "]
            .iter()
            .any(|word| list.contains(word))
        {
            return Vec::new();
        }
        let parts = split_parameters(list);
        if parts.len() != n_parameters {
            return Vec::new();
        }
        let is_passed = |part: &&str| {
            part.split_whitespace()
                .take_while(|word| !word.contains('<'))
                .any(|word| matches!(word, "ref" | "out" | "in"))
        };
        parts.iter().map(is_passed).collect()
    }
}

/// A C# type as an id writes it.
struct Written<'a> {
    ids: &'a DocumentationIds<'a>,
    symbol: SymbolId,
    facts: &'a Facts,
    /// In the name of an explicit implementation a type parameter is itself, elsewhere its number.
    keeps_type_parameters: bool,
}

impl Written<'_> {
    fn text(&self, ty: TypeId) -> String {
        self.at_depth(ty, 0)
    }

    fn at_depth(&self, ty: TypeId, depth: u32) -> String {
        if depth > 16 {
            return "…".to_owned();
        }
        let inner = |ty| self.at_depth(ty, depth + 1);
        let list = |range| {
            self.facts
                .type_list(range)
                .iter()
                .map(|ty| inner(*ty))
                .collect::<Vec<_>>()
        };
        match self.facts.type_recipe(ty) {
            TypeRecipe::Name(name) => self.named(self.facts.name(name), 0),
            TypeRecipe::Scoped(outer, name) => {
                let whole = extract::render::type_text(self.facts, ty);
                let last = self.facts.name(name);
                match self.resolved(last) {
                    Some(symbol) => self.ids.type_path(symbol),
                    None => whole.strip_prefix("global.").map_or_else(
                        || format!("{}.{last}", inner_path(self.facts, outer)),
                        str::to_owned,
                    ),
                }
            }
            TypeRecipe::Apply(head, arguments) => {
                let arguments = list(arguments);
                let head = match self.facts.type_recipe(head) {
                    TypeRecipe::Name(name) => self.named(self.facts.name(name), arguments.len()),
                    _ => inner(head),
                };
                let head = head.split('`').next().unwrap_or(&head).to_owned();
                format!("{head}{{{}}}", arguments.join(","))
            }
            TypeRecipe::Array(item) => format!("{}[]", inner(item)),
            TypeRecipe::Pointer(item) => format!("{}*", inner(item)),
            TypeRecipe::Reference(item) => format!("{}@", inner(item)),
            TypeRecipe::Optional(item) => {
                let plain = inner(item);
                if self.is_value_type(item, &plain) {
                    format!("System.Nullable{{{plain}}}")
                } else {
                    plain
                }
            }
            TypeRecipe::Tuple(items) => format!("System.ValueTuple{{{}}}", list(items).join(",")),
            _ => extract::render::type_text(self.facts, ty),
        }
    }

    fn named(&self, name: &str, arity: usize) -> String {
        if let Some(position) = self.type_parameter(name) {
            return if self.keeps_type_parameters {
                name.to_owned()
            } else {
                position
            };
        }
        if let Some(predefined) = dotnet::predefined(name) {
            return predefined.to_owned();
        }
        if let Some(symbol) = self.resolved(name) {
            return self.ids.type_path(symbol);
        }
        dotnet::known(name, arity).map_or_else(
            || name.to_owned(),
            |namespace| format!("{namespace}.{name}"),
        )
    }

    /// The type of this repository that a name means inside the member's signature. Never a member:
    /// its id would need this one's.
    fn resolved(&self, name: &str) -> Option<SymbolId> {
        let view = self.ids.resolver.view(self.symbol.file)?;
        let id = self.facts.names.find(name)?;
        let span = self.facts.symbol(self.symbol.index).span;
        let mut uses = self
            .facts
            .references_of(id)
            .iter()
            .filter(|reference| reference.role == Role::TypeUse);
        let reference = uses.find(|reference| span.encloses(reference.span))?;
        let resolution = self.ids.resolver.resolve(&view, reference);
        match resolution.targets.as_slice() {
            [Found::Symbol(symbol), ..] => self
                .ids
                .resolver
                .kind(*symbol)
                .is_some_and(|kind| !kind.is_callable())
                .then_some(*symbol),
            _ => None,
        }
    }

    /// `` `0 `` for the type's, ``` ``0 ``` for the method's own.
    fn type_parameter(&self, name: &str) -> Option<String> {
        let place = |index: SymbolIndex| {
            self.facts
                .type_parameters(self.facts.symbol(index))
                .iter()
                .position(|parameter| self.facts.name(parameter.name) == name)
        };
        let own = self.facts.symbol(self.symbol.index);
        if own.kind.is_callable()
            && let Some(i) = place(self.symbol.index)
        {
            return Some(format!("``{i}"));
        }
        let mut before = 0;
        let mut found = None;
        for index in self.facts.container_chain(self.symbol.index) {
            if index == self.symbol.index && own.kind.is_callable() {
                continue;
            }
            if let Some(i) = place(index) {
                found = Some(format!("`{}", before + i));
            }
            before += self.facts.type_parameters(self.facts.symbol(index)).len();
        }
        found
    }

    fn is_value_type(&self, ty: TypeId, plain: &str) -> bool {
        if dotnet::is_value_type(plain)
            || matches!(self.facts.type_recipe(ty), TypeRecipe::Tuple(_))
        {
            return true;
        }
        let name = names::type_name(self.facts, ty);
        let kind = name
            .and_then(|name| self.resolved(name))
            .and_then(|symbol| self.ids.resolver.kind(symbol));
        matches!(kind, Some(SymbolKind::Struct | SymbolKind::Enum))
    }
}

impl DocumentationIds<'_> {
    /// A type's id without its kind.
    fn type_path(&self, symbol: SymbolId) -> String {
        let Some(facts) = self.session.facts(symbol.file) else {
            return String::new();
        };
        self.plain(symbol, &facts).1
    }
}

fn inner_path(facts: &Facts, ty: TypeId) -> String {
    extract::render::type_text(facts, ty)
}

fn letter(kind: SymbolKind) -> char {
    match kind {
        SymbolKind::Module | SymbolKind::Namespace => 'N',
        kind if kind.is_type() || kind == SymbolKind::Impl => 'T',
        SymbolKind::Property | SymbolKind::Indexer => 'P',
        SymbolKind::Event => 'E',
        kind if kind.is_callable() => 'M',
        SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element => '!',
        _ => 'F',
    }
}

/// Something of a library, as far as its path is known. `!` is written where documentation comments
/// could not find what they name: it is no handle, because nothing about it is in the index.
pub fn of_library(path: &str) -> String {
    format!("!:{path}")
}

/// `M:Acme.Order.Pay` is `M` and `Acme.Order.Pay`.
fn split_kind(text: &str) -> Option<(char, &str)> {
    let (kind, rest) = text.split_once(':')?;
    let mut letters = kind.chars();
    let letter = letters
        .next()
        .filter(|letter| "NTPEMF!".contains(*letter))?;
    (letters.next().is_none() && !rest.is_empty() && !rest.starts_with(':'))
        .then_some((letter, rest))
}

/// The names that the symbol of an id's path may have in its file.
fn own_names(path: &str) -> Vec<String> {
    let path = path.split_once('~').map_or(path, |(path, _)| path);
    let mut segments = path.rsplit('.');
    let last = segments.next().unwrap_or(path);
    let plain = |segment: &str| segment.split('`').next().unwrap_or(segment).to_owned();
    match last {
        "#ctor" | "#cctor" => {
            let mut names = vec![plain(segments.next().unwrap_or(""))];
            names.extend(
                [
                    "constructor",
                    "__construct",
                    "__init__",
                    "initialize",
                    "init",
                    "new",
                ]
                .map(str::to_owned),
            );
            names
        }
        last if last.rsplit('#').next() == Some("Item") => {
            vec!["this".to_owned(), "Item".to_owned()]
        }
        last if last.starts_with("op_") => dotnet::operator_names(last),
        last => {
            let mut names = vec![plain(last.rsplit('#').next().unwrap_or(last))];
            // A private member of JavaScript bears the sign.
            if last.starts_with('#') {
                names.push(plain(last));
            }
            names
        }
    }
}

fn is_conversion(name: &str) -> bool {
    name.strip_prefix("operator").is_some_and(|rest| {
        rest.starts_with(' ')
            && rest
                .trim_start()
                .chars()
                .next()
                .is_some_and(|c| c.is_alphabetic())
    })
}

/// The parameters of the first list in a text: `(a, b<c, d>)` has two.
fn split_parameters(text: &str) -> Vec<&str> {
    let Some(open) = text.find(['(', '[']) else {
        return Vec::new();
    };
    let inner = &text[open + 1..];
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (i, c) in inner.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' if depth == 0 => {
                if !inner[start..i].trim().is_empty() {
                    parts.push(inner[start..i].trim());
                }
                return parts;
            }
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    Vec::new()
}
