//! Which definition does a name mean? Computed on demand from facts, cached per snapshot, never
//! stored.
//!
//! [`scopes`] looks a bare name up from the inside out, [`imports`] and [`modules`] follow it into
//! other files, [`eval`] types an expression from its recipe, [`members`] finds a member in a type
//! and its supertypes.

mod call;
pub(crate) mod dialect;
pub(crate) mod flow;
pub(crate) mod implicit;
mod infer;
mod members;
mod memo;
pub(crate) mod names;
mod place;
mod reference;
mod ty;
mod view;

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, HashMap},
    hash::Hash,
    sync::{Arc, OnceLock},
};

use facts::{
    BindingId, Modifiers, RecipeId, Reference, ScopeId, Semantics, SymbolIndex, SymbolKind,
    SymbolSketch,
};
use parking_lot::Mutex;

use crate::{Budget, FileId, RepoPath, Snapshot, bounded::Bounded, query::Answers};
use infer::{
    calls, constness, eval, generics, lambdas, library, narrowing, protocols, shapes, values,
    written,
};
use members::{derived, extensions, fit, given, lookup, order, overloads, owner};
use memo::{Memo, Table};
pub use modules::Module;
use names::{bare, imports, modules, namespaces, scopes};
pub use place::Place;
pub(crate) use scopes::Space;
pub use ty::{External, Step, Ty};
pub use view::FileView;

/// A symbol of a snapshot; never leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    pub file: FileId,
    pub index: SymbolIndex,
}

impl SymbolId {
    pub fn new(file: FileId, index: SymbolIndex) -> SymbolId {
        SymbolId { file, index }
    }

    /// Another symbol of the same file.
    pub fn beside(self, index: SymbolIndex) -> SymbolId {
        SymbolId::new(self.file, index)
    }
}

/// How sure an edge is, and why. Every edge has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// One definition through a chain of declarations.
    Static,
    /// An implementation reached through what it implements, or a function reached through a value
    /// that may hold it.
    Dispatch,
    /// By name, by measured odds.
    Heuristic,
    /// Candidates, none chosen.
    Ambiguous,
    /// A library that is not in the repository.
    External,
    /// Kept with its name and receiver.
    Unresolved,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Static => "static",
            Outcome::Dispatch => "dispatch",
            Outcome::Heuristic => "heuristic",
            Outcome::Ambiguous => "ambiguous",
            Outcome::External => "external",
            Outcome::Unresolved => "unresolved",
        }
    }
}

/// Which rule made an edge; precision is measured per rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    Local,
    Scope,
    Import,
    Glob,
    Sibling,
    Member,
    ModuleMember,
    Constructor,
    Builtin,
    Library,
    UniqueName,
    ManyNames,
    /// A value that is called was followed to the function.
    Value,
    None,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Local => "local binding",
            Rule::Scope => "enclosing scope",
            Rule::Import => "import",
            Rule::Glob => "glob import",
            Rule::Sibling => "same package or namespace",
            Rule::Member => "member of the receiver's type",
            Rule::ModuleMember => "member of a module",
            Rule::Constructor => "constructor of the type",
            Rule::Builtin => "built into the language",
            Rule::Library => "member of a library type",
            Rule::UniqueName => "only symbol of that name",
            Rule::ManyNames => "several symbols of that name",
            Rule::Value => "function value",
            Rule::None => "no rule",
        }
    }
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    Symbol(SymbolId),
    Binding(FileId, BindingId),
    /// The i-th type parameter of a symbol.
    TypeParameter(SymbolId, u16),
    Module(Module),
    /// A path into a library.
    External(Arc<str>),
}

impl Found {
    pub fn symbol(&self) -> Option<SymbolId> {
        match self {
            Found::Symbol(symbol) => Some(*symbol),
            _ => None,
        }
    }
}

/// What a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub outcome: Outcome,
    pub rule: Rule,
    /// One for a static edge, several where each is meant (a union) or none is chosen (ambiguous).
    pub targets: Vec<Found>,
    /// The type that was named where its constructor is meant.
    pub named_type: Option<SymbolId>,
}

impl Resolution {
    fn new(outcome: Outcome, rule: Rule, targets: Vec<Found>) -> Resolution {
        Resolution {
            outcome,
            rule,
            targets,
            named_type: None,
        }
    }

    /// Something out of a library.
    fn external(rule: Rule, path: &str) -> Resolution {
        Resolution::new(Outcome::External, rule, vec![Found::External(path.into())])
    }

    fn of_symbols(outcome: Outcome, rule: Rule, symbols: Vec<SymbolId>) -> Resolution {
        let targets = symbols.into_iter().map(Found::Symbol).collect();
        Resolution::new(outcome, rule, targets)
    }

    pub fn unresolved() -> Resolution {
        Resolution::new(Outcome::Unresolved, Rule::None, Vec::new())
    }

    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.targets.iter().filter_map(Found::symbol)
    }
}

/// Of several things those that are wanted, if any is; else all.
fn prefer<T>(all: Vec<T>, is_wanted: impl Fn(&T) -> bool) -> Vec<T> {
    if all.len() > 1 && all.iter().any(&is_wanted) {
        all.into_iter().filter(is_wanted).collect()
    } else {
        all
    }
}

/// A snapshot with what has been worked out about it. Shared by all requests on the snapshot and
/// gone with it.
pub struct Analysis {
    snapshot: Arc<Snapshot>,
    tables: Tables,
    pub(crate) answers: Answers,
}

/// What has been worked out, by question.
#[derive(Default)]
struct Tables {
    views: Mutex<Bounded<FileId, Arc<FileView>, MAX_VIEWS>>,
    named: Table<Arc<str>, Arc<[Sketch]>>,
    extensions: Table<Arc<str>, Arc<[Sketch]>>,
    /// By directory and name.
    named_in: Table<(Arc<str>, Arc<str>), Arc<[SymbolId]>>,
    symbol_types: Table<SymbolId, Ty>,
    binding_types: Table<(FileId, BindingId), Ty>,
    supertypes: Table<SymbolId, Arc<[order::Super]>>,
    derived: Table<SymbolId, Arc<[SymbolId]>>,
    headers: Table<(Arc<str>, facts::Family), Arc<derived::Headers>>,
    satisfied: Table<SymbolId, Arc<[SymbolId]>>,
    methods: Table<SymbolId, Arc<derived::Methods>>,
    imports: Table<(FileId, u32), Arc<[Found]>>,
    own_members: Table<(SymbolId, Arc<str>), Arc<[SymbolId]>>,
    self_types: Table<SymbolId, Ty>,
    module_members: Table<(Module, Arc<str>, facts::Family), Arc<[Found]>>,
    flows: Table<flow::FlowNode, flow::FlowSet>,
    flow_callers: Table<flow::Called, Arc<[flow::ValueCaller]>>,
    /// The module that declares the module of a file.
    module_parents: Table<FileId, Option<Module>>,
    /// Directories below which modules are named.
    source_roots: OnceLock<Vec<String>>,
    /// The files that a file includes, at any depth.
    include_closures: Table<FileId, Arc<BTreeSet<FileId>>>,
    include_index: OnceLock<HashMap<String, Vec<FileId>>>,
    /// Files that import for every file of their project, with its directory.
    sharing_files: OnceLock<Vec<(String, FileId)>>,
}

/// What tells, without its file, whether a symbol of a name comes into question: common names have
/// thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sketch {
    pub id: SymbolId,
    pub kind: SymbolKind,
    pub modifiers: Modifiers,
    pub family: facts::Family,
    /// The kind of what is around it.
    pub parent: Option<SymbolKind>,
    /// It says which type it belongs to, and is written outside of it.
    pub has_owner: bool,
}

impl Sketch {
    /// Whether it is declared `static` outside of a type.
    fn is_static_function(&self) -> bool {
        self.modifiers.contains(Modifiers::STATIC)
            && !self.has_owner
            && !self.parent.is_some_and(SymbolKind::is_type)
    }

    /// Whether it is a member of an enum and a name of the scope around the enum.
    fn is_outside_enum(&self, semantics: &Semantics) -> bool {
        semantics.declarations.enum_members_outside
            && self.kind == SymbolKind::EnumMember
            && self.parent == Some(SymbolKind::Enum)
    }
}

/// What reading the facts of a file costs, in units of a budget.
const UNITS_PER_FILE: u32 = 64;

/// Bytes of facts kept ready at once.
const MAX_VIEWS: usize = 20 << 20;

impl Analysis {
    pub fn new(snapshot: Arc<Snapshot>) -> Analysis {
        Analysis {
            snapshot,
            tables: Tables::default(),
            answers: Answers::default(),
        }
    }

    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Opens a question on this snapshot.
    pub fn resolver<'a>(&'a self, budget: &'a Budget) -> Resolver<'a> {
        Resolver {
            analysis: self,
            budget,
            memo: Memo::new(budget),
            flow: Memo::new(budget),
            flow_fuel: Cell::new(flow::FUEL),
            header: Cell::new(None),
            reasons: RefCell::new(None),
            passing: RefCell::new(None),
        }
    }
}

/// One question: a snapshot's analysis, a budget, and guards against going round in circles.
pub struct Resolver<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) budget: &'a Budget,
    memo: Memo<'a, Guard>,
    /// Questions about function values, which are made of whole answers and so are no part of
    /// `memo`.
    flow: Memo<'a, flow::FlowNode>,
    /// Steps that are left for them.
    pub(crate) flow_fuel: Cell<u32>,
    /// The type whose header is being read: names in it are not looked up among what it inherits,
    /// which is what the header says.
    header: Cell<Option<SymbolId>>,
    reasons: RefCell<Option<Vec<String>>>,
    /// The file that is looked at now and not kept.
    passing: RefCell<Option<Arc<FileView>>>,
}

/// A question that may lead back to itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Guard {
    Symbol(SymbolId),
    Binding(FileId, BindingId),
    Supertypes(SymbolId),
    Derived(SymbolId),
    Import(FileId, u32),
    Module(Module, Arc<str>),
    SelfType(SymbolId),
    Context(FileId, u32),
    Decorated(SymbolId),
    Bounds(SymbolId, u16),
    /// What a type parameter is where nothing is given for it.
    Default(SymbolId, u16),
    /// The value of a recipe in a scope at a place, read in the header of a type or outside of one.
    Expression(FileId, ScopeId, u32, RecipeId, Option<SymbolId>),
}

/// What the stack of a thread that asks questions must hold: one name leads to the next through
/// many files, and the usual two megabytes are too few for the depth that [`memo`] allows. Only what is used
/// takes memory.
pub const STACK_SIZE: usize = 64 << 20;

impl<'a> Resolver<'a> {
    pub fn snapshot(&self) -> &'a Snapshot {
        &self.analysis.snapshot
    }

    pub(crate) fn path(&self, file: FileId) -> &'a RepoPath {
        &self.snapshot().file(file).path
    }

    /// Records why, from now on.
    pub fn explain(&self) {
        *self.reasons.borrow_mut() = Some(Vec::new());
    }

    pub fn take_reasons(&self) -> Vec<String> {
        self.reasons
            .borrow_mut()
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Whether nothing was cut short so far.
    pub fn is_uncut(&self) -> bool {
        self.budget.stopped().is_none()
    }

    /// No evaluation is in progress, nothing was cut short and no reasons are wanted: the result does
    /// not depend on this request.
    pub(crate) fn may_cache(&self) -> bool {
        self.memo.is_idle() && self.is_uncut() && self.reasons.borrow().is_none()
    }

    fn because(&self, reason: impl FnOnce() -> String) {
        if let Some(reasons) = self.reasons.borrow_mut().as_mut() {
            reasons.push(reason());
        }
    }

    /// The file, if its language is one whose names can be looked up.
    pub fn view(&self, file: FileId) -> Option<Arc<FileView>> {
        if let Some(passing) = self
            .passing
            .borrow()
            .as_ref()
            .filter(|passing| passing.id == file)
        {
            return Some(passing.clone());
        }
        if let Some(view) = self.analysis.tables.views.lock().get(&file) {
            return Some(view);
        }
        // Facts that cannot be read now may be readable for the next question.
        let view = self.new_view(file)?;
        let weight = view.facts.size_in_memory() + 64;
        self.analysis
            .tables
            .views
            .lock()
            .keep(file, view.clone(), weight);
        Some(view)
    }

    /// The view of a file that is looked at once: it is not kept.
    pub(crate) fn passing_view(&self, file: FileId) -> Option<Arc<FileView>> {
        let known = self.analysis.tables.views.lock().get(&file);
        let view = known.or_else(|| self.new_view(file));
        self.passing.replace(view.clone());
        view
    }

    fn new_view(&self, file: FileId) -> Option<Arc<FileView>> {
        let snapshot = self.snapshot();
        let entry = snapshot.file(file);
        let semantics = snapshot.corpus().semantics(entry.language)?;
        self.budget.weigh(UNITS_PER_FILE);
        Some(Arc::new(FileView::new(
            file,
            snapshot.corpus().facts(entry.content)?,
            semantics,
        )))
    }

    /// Every symbol of a name in the snapshot, in order of path and place.
    pub fn symbols_named(&self, name: &str) -> Vec<SymbolId> {
        self.sketches(name).iter().map(|sketch| sketch.id).collect()
    }

    /// Every symbol of a name with what is known of it, so that only those that come into question
    /// are looked at.
    pub(crate) fn sketches(&self, name: &str) -> Arc<[Sketch]> {
        if let Some(sketches) = self.analysis.tables.named.lock().get(name) {
            return sketches;
        }
        let Some(sketches) = self.named_where(name, |_| true) else {
            return Arc::default();
        };
        let sketches: Arc<[Sketch]> = sketches.into();
        self.analysis.tables.named.lock().keep(
            Arc::from(name),
            sketches.clone(),
            1 + sketches.len(),
        );
        sketches
    }

    /// Every extension of a name. Files of languages that have none are not looked at.
    pub(crate) fn extensions_named(&self, name: &str) -> Arc<[Sketch]> {
        let tables = &self.analysis.tables;
        if let Some(sketches) = tables.extensions.lock().get(name) {
            return sketches;
        }
        let snapshot = self.snapshot();
        let may_have_extensions = |file: FileId| {
            let semantics = snapshot.corpus().semantics(snapshot.file(file).language);
            semantics.is_some_and(|semantics| semantics.extensions)
        };
        let Some(mut sketches) = self.named_where(name, may_have_extensions) else {
            return Arc::default();
        };
        sketches.retain(|sketch| sketch.modifiers.contains(Modifiers::EXTENSION));
        let sketches: Arc<[Sketch]> = sketches.into();
        let n_kept = 1 + sketches.len();
        let mut known = tables.extensions.lock();
        known.keep(Arc::from(name), sketches.clone(), n_kept);
        sketches
    }

    /// Those of a directory, without the ones below it: no other file is looked at.
    pub(crate) fn symbols_named_in(&self, directory: &str, name: &str) -> Arc<[SymbolId]> {
        let key = (Arc::from(directory), Arc::from(name));
        if let Some(symbols) = self.analysis.tables.named_in.lock().get(&key) {
            return symbols;
        }
        let in_directory = |file: FileId| self.snapshot().file(file).path.directory() == directory;
        let Some(sketches) = self.named_where(name, in_directory) else {
            return Arc::default();
        };
        let symbols: Arc<[SymbolId]> = sketches.iter().map(|sketch| sketch.id).collect();
        self.analysis
            .tables
            .named_in
            .lock()
            .keep(key, symbols.clone(), 1 + symbols.len());
        symbols
    }

    /// `None` if the table of names cannot be read, which nobody may memoise.
    fn named_where(&self, name: &str, wanted: impl Fn(FileId) -> bool) -> Option<Vec<Sketch>> {
        let snapshot = self.snapshot();
        let mut sketches = Vec::new();
        let wanted_files = |content| {
            let files = snapshot.files_of(content).iter();
            files.filter(|file| wanted(**file))
        };
        let is_wanted = |content| wanted_files(content).next().is_some();
        let found = snapshot.corpus().sketches_among(name, &is_wanted);
        for (content, of_content) in self.budget.read(found.map(Some))? {
            for &file in wanted_files(content) {
                let Some(semantics) = snapshot.corpus().semantics(snapshot.file(file).language)
                else {
                    continue;
                };
                let family = semantics.family;
                sketches.extend(of_content.iter().map(
                    |&SymbolSketch {
                         index,
                         kind,
                         modifiers,
                         parent,
                         has_owner,
                     }| Sketch {
                        id: SymbolId { file, index },
                        kind,
                        modifiers,
                        family,
                        parent,
                        has_owner,
                    },
                ));
            }
        }
        sketches.sort_by_key(|sketch| sketch.id);
        Some(sketches)
    }

    /// Answers a question once per snapshot, unless a cycle cuts the answer short.
    fn memoize_cyclic<K: Hash + Eq, V: Clone + 'static>(
        &self,
        table: &Table<K, V>,
        key: K,
        guard: Guard,
        on_cycle: V,
        compute: impl FnOnce() -> V,
    ) -> V {
        self.memo.memoize_cyclic(table, key, guard, on_cycle, || {
            let outer_header = self.header.replace(None);
            let value = compute();
            self.header.set(outer_header);
            value
        })
    }

    /// What a reference means.
    pub fn resolve(&self, view: &FileView, reference: &Reference) -> Resolution {
        reference::resolve(self, view, reference)
    }

    /// The type of a recipe, read at a place.
    pub fn eval(&self, place: Place, recipe: RecipeId) -> Ty {
        eval::expression(self, place, recipe)
    }

    /// A value of a type that is written in the header of a declaration.
    pub(crate) fn header_type(
        &self,
        view: &FileView,
        declared: &facts::Symbol,
        ty: facts::TypeId,
    ) -> Ty {
        written::header_type(self, view, declared, ty)
    }

    /// What the name bound by an import means: symbols, a module, or a path into a library.
    pub fn import_targets(&self, view: &FileView, index: u32) -> Arc<[Found]> {
        imports::import_targets(self, view, index)
    }

    /// The constructors that a type itself declares.
    pub fn constructors(&self, symbol: SymbolId) -> Vec<SymbolId> {
        lookup::constructors(self, symbol)
    }

    /// Other declarations of the same thing: prototypes and definitions, partial parts, overload
    /// signatures, accessors.
    pub fn declarations_of(&self, symbol: SymbolId) -> Vec<SymbolId> {
        owner::declarations_of(self, symbol)
    }

    /// The declarations that other files add to a symbol, where nothing in the symbol says so.
    pub(crate) fn added_parts(&self, symbol: SymbolId) -> Arc<[SymbolId]> {
        self.view(symbol.file).map_or_else(Arc::default, |view| {
            (view.dialect.added_parts)(self, &view, symbol)
        })
    }

    /// The member that an assignment gives its value, where the type of the object declares it.
    pub(crate) fn assigned_member(&self, symbol: SymbolId) -> Option<SymbolId> {
        owner::assigned_member(self, symbol)
    }

    /// The type whose member a symbol is: that of the impl, the receiver, the class around it.
    pub fn self_type(&self, symbol: SymbolId) -> Ty {
        owner::self_type(self, symbol)
    }

    /// What `self` is in a scope.
    pub fn self_type_at(&self, view: &FileView, scope: ScopeId) -> Ty {
        owner::self_type_at(self, view, scope)
    }

    /// Members that a type itself declares, in all of its parts, or that are written for it
    /// elsewhere.
    pub fn own_members(&self, symbol: SymbolId, name: &str) -> Arc<[SymbolId]> {
        lookup::own_members(self, symbol, name)
    }

    /// Members that a type declares to be seen only through the interface they name.
    pub(crate) fn explicit_members(&self, symbol: SymbolId, name: &str) -> Vec<SymbolId> {
        lookup::explicit_members(self, symbol, name)
    }

    /// The interface that a member names as the one it implements: `void IFoo.Bar()`.
    pub(crate) fn implemented_explicitly(
        &self,
        view: &FileView,
        declared: &facts::Symbol,
    ) -> Option<Ty> {
        owner::is_explicit_implementation(view, declared)
            .then(|| written::header_type(self, view, declared, declared.owner))
    }

    /// Members that a type has from another: of the first above it that has one of the name, in the
    /// language's order. Nothing where the type declares one itself.
    pub fn inherited_members(&self, of: SymbolId, name: &str) -> Vec<SymbolId> {
        if !self.own_members(of, name).is_empty() {
            return Vec::new();
        }
        let hits = lookup::members(self, &Ty::instance(of), name).into_iter();
        let inherited = hits.filter(|hit| hit.receiver.holder() != Some(of));
        inherited.map(|hit| hit.symbol).collect()
    }

    /// The direct supertypes of a type, as declared anywhere in the snapshot.
    pub fn supertypes(&self, symbol: SymbolId) -> Arc<[order::Super]> {
        order::supertypes(self, symbol)
    }

    /// Every type above a type, nearest first: what it declares with all above it, then what it
    /// satisfies by structure.
    pub fn all_supertypes(&self, symbol: SymbolId) -> Vec<SymbolId> {
        derived::all_supertypes(self, symbol)
    }

    /// Every type above a type by declaration, and of what it satisfies by structure only what asks
    /// for a method of this name itself.
    pub(crate) fn supertypes_declaring(&self, symbol: SymbolId, method: &str) -> Vec<SymbolId> {
        derived::supertypes_declaring(self, symbol, method)
    }

    /// Whether a type extends something of a library, so that it may have members nobody sees here.
    pub(crate) fn has_library_base(&self, symbol: SymbolId) -> bool {
        lookup::has_library_base(self, symbol)
    }

    /// Whether a class of a library may be above a type, so that it may implement members there.
    pub(crate) fn extends_library(&self, symbol: SymbolId) -> bool {
        lookup::extends_library(self, symbol)
    }

    /// The structural types that a type satisfies, in order of path and place.
    pub fn satisfied(&self, symbol: SymbolId) -> Arc<[SymbolId]> {
        derived::satisfied(self, symbol)
    }

    /// The names of the types that a value belongs to where its members come from a library,
    /// nearest first: a type of the repository counts with what it extends of libraries.
    pub(crate) fn library_types(&self, view: &FileView, ty: &Ty) -> Vec<String> {
        derived::library_types(self, view, ty)
    }

    /// The types that extend or implement a type directly, and those that satisfy it by structure;
    /// in order of path and place.
    pub fn derived(&self, symbol: SymbolId) -> Arc<[SymbolId]> {
        derived::derived(self, symbol)
    }

    /// Whether a value of one type may be given where another is asked for.
    pub fn is_a(&self, symbol: SymbolId, wanted: SymbolId) -> bool {
        derived::is_a(self, symbol, wanted)
    }

    /// What a name means at a place, where it is not written as a reference.
    pub fn name_at(&self, place: Place, name: &str) -> Option<Resolution> {
        let (targets, rule) = scopes::lookup(self, place, name, Space::Value);
        (!targets.is_empty()).then(|| Resolution::new(Outcome::Static, rule, targets))
    }

    /// What leaves a file under a name.
    pub fn exported(&self, view: &FileView, name: &str) -> Vec<Found> {
        modules::module_member(self, &Module::File(view.id), name, view).to_vec()
    }

    /// A symbol with its file.
    pub fn symbol(&self, id: SymbolId) -> Option<(Arc<FileView>, facts::Symbol)> {
        let view = self.view(id.file)?;
        let symbol = view.facts.symbols.get(id.index.0 as usize)?.clone();
        Some((view, symbol))
    }

    pub fn kind(&self, id: SymbolId) -> Option<SymbolKind> {
        let view = self.view(id.file)?;
        view.facts
            .symbols
            .get(id.index.0 as usize)
            .map(|symbol| symbol.kind)
    }

    pub fn name(&self, id: SymbolId) -> String {
        self.view(id.file)
            .map_or_else(String::new, |view| view.name_of(id.index).to_owned())
    }

    /// A type in words, for reasons.
    pub fn describe(&self, ty: &Ty) -> String {
        let list = |types: &[Ty]| {
            types
                .iter()
                .map(|ty| self.describe(ty))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let applied = |name: String, types: &[Ty]| {
            if types.is_empty() {
                name
            } else {
                format!("{name}<{}>", list(types))
            }
        };
        match ty {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Null => "null".to_owned(),
            Ty::Instance(symbol, types) => applied(self.name(*symbol), types),
            Ty::Type(symbol, types) => format!("type {}", applied(self.name(*symbol), types)),
            Ty::Library(name, types) => format!("library {}", applied(name.to_string(), types)),
            Ty::LibraryType(name, types) => {
                format!("library type {}", applied(name.to_string(), types))
            }
            Ty::External(path) => format!("external {path}"),
            Ty::Module(module) => self.describe_module(module),
            Ty::Function(symbol, _) | Ty::Applied(symbol, ..) => {
                format!("function {}", self.name(*symbol))
            }
            Ty::LibraryMember(_, name) | Ty::LibraryApplied(_, name, _) => {
                format!("library member {name}")
            }
            Ty::Lambda(..) => "lambda".to_owned(),
            Ty::Signature(types) => format!("function ({})", list(types)),
            Ty::Tuple(types) => format!("({})", list(types)),
            Ty::Array(inner) => format!("{}[]", self.describe(inner)),
            Ty::Optional(inner) => format!("{}?", self.describe(inner)),
            Ty::Union(types) => types
                .iter()
                .map(|ty| self.describe(ty))
                .collect::<Vec<_>>()
                .join(" | "),
            Ty::Parameter(symbol, i) => format!("type parameter {i} of {}", self.name(*symbol)),
            Ty::Projected(inner, name) => format!("{}[{name}]", self.describe(inner)),
        }
    }

    fn describe_module(&self, module: &Module) -> String {
        match module {
            Module::Tree(file, Some(inner)) => {
                format!("module {}", self.name(SymbolId::new(*file, *inner)))
            }
            Module::Type(symbol) => format!("module {}", self.name(*symbol)),
            Module::File(file) | Module::Tree(file, None) => format!("module {}", self.path(*file)),
            Module::Directory(name)
            | Module::Package(name)
            | Module::Namespace(name)
            | Module::External(name) => format!("module {name}"),
        }
    }
}
