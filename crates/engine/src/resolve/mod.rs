//! Which definition does a name mean? Computed on demand from facts, cached per snapshot, never
//! stored.
//!
//! [`scopes`] looks a bare name up from the inside out, [`imports`] and [`modules`] follow it into
//! other files, [`eval`] types an expression from its recipe, [`members`] finds a member in a type
//! and its supertypes.

mod calls;
mod derived;
mod eval;
mod extensions;
mod imports;
mod library;
mod members;
pub(crate) mod modules;
mod scopes;
pub(crate) mod shapes;
mod ty;
mod types;
mod view;

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::HashMap,
    hash::Hash,
    sync::Arc,
};

use facts::{BindingId, Modifiers, Recipe, Reference, Role, SymbolIndex, SymbolKind, SymbolSketch};
use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use crate::{Budget, FileId, Snapshot, bounded::Bounded, query::Answers};
pub use modules::Module;
pub(crate) use scopes::Space;
pub use ty::Ty;
pub use view::FileView;

/// A symbol of a snapshot; never leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId {
    pub file: FileId,
    pub index: SymbolIndex,
}

/// How sure an edge is, and why. Every edge has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// One definition through a chain of declarations.
    Static,
    /// An implementation reached through what it implements.
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
    pub fn word(self) -> &'static str {
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
    None,
}

impl Rule {
    pub fn word(self) -> &'static str {
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
            Rule::None => "no rule",
        }
    }
}

/// What a name stands for.
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

    pub fn unresolved() -> Resolution {
        Resolution::new(Outcome::Unresolved, Rule::None, Vec::new())
    }

    pub fn symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.targets.iter().filter_map(|target| match target {
            Found::Symbol(symbol) => Some(*symbol),
            _ => None,
        })
    }
}

/// A snapshot with what has been worked out about it. Shared by all requests on the snapshot and
/// gone with it.
pub struct Analysis {
    snapshot: Arc<Snapshot>,
    memo: Memo,
    pub(crate) answers: Answers,
}

#[derive(Default)]
pub(crate) struct Memo {
    views: Mutex<Bounded<FileId, Option<Arc<FileView>>, MAX_VIEWS>>,
    named: Table<Arc<str>, Arc<[Sketch]>>,
    /// By directory and name.
    named_in: Table<(Arc<str>, Arc<str>), Arc<[SymbolId]>>,
    symbol_types: Table<SymbolId, Ty>,
    binding_types: Table<(FileId, BindingId), Ty>,
    supertypes: Table<SymbolId, Arc<[members::Super]>>,
    derived: Table<SymbolId, Arc<[SymbolId]>>,
    satisfied: Table<SymbolId, Arc<[SymbolId]>>,
    methods: Table<SymbolId, Arc<derived::Methods>>,
    imports: Table<(FileId, u32), Arc<[Found]>>,
    own_members: Table<(SymbolId, Arc<str>), Arc<[SymbolId]>>,
    self_types: Table<SymbolId, Ty>,
    module_members: Table<(Module, Arc<str>, facts::Family), Arc<[Found]>>,
    rust_modules: Table<FileId, Option<Module>>,
    python_roots: std::sync::OnceLock<Vec<String>>,
    include_index: std::sync::OnceLock<HashMap<String, Vec<FileId>>>,
    /// Files that import for every file of their project, with its directory.
    sharing_files: std::sync::OnceLock<Vec<(String, FileId)>>,
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
    /// It says which type it belongs to, without standing inside.
    pub has_owner: bool,
}

type Table<K, V> = Mutex<Bounded<K, V, MAX_ENTRIES>>;

/// Entries of one table of what has been worked out.
const MAX_ENTRIES: usize = 30_000;

/// Bytes of facts kept ready at once.
const MAX_VIEWS: usize = 20 << 20;

impl Analysis {
    pub fn new(snapshot: Arc<Snapshot>) -> Analysis {
        Analysis {
            snapshot,
            memo: Memo::default(),
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
            depth: Cell::new(0),
            open: RefCell::default(),
            tainted: Cell::new(UNTAINTED),
            provisional: RefCell::default(),
            header: Cell::new(None),
            reasons: RefCell::new(None),
            passing: RefCell::new(None),
        }
    }
}

/// Whether two declarations take the same parameters, as written.
fn same_parameters(
    a: &FileView,
    left: &facts::Symbol,
    b: &FileView,
    right: &facts::Symbol,
) -> bool {
    let (left, right) = (a.facts.parameters(left), b.facts.parameters(right));
    left.len() == right.len()
}

/// One question: a snapshot's analysis, a budget, and guards against going round in circles.
pub struct Resolver<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) budget: &'a Budget,
    depth: Cell<u32>,
    /// What is being worked out, and how many were before it.
    open: RefCell<HashMap<Guard, u32, FxBuildHasher>>,
    /// The outermost thing being worked out that something led back to, and so was cut short. What
    /// was found inside of it meanwhile must not be remembered, because from another starting point
    /// it would come out otherwise.
    tainted: Cell<u32>,
    /// What was found inside of a circle, and the place of the outermost thing that it was cut
    /// short by: as good as anything until that is worked out, so that a circle of many costs each
    /// of them once.
    provisional: RefCell<HashMap<Guard, (u32, Box<dyn Any>), FxBuildHasher>>,
    /// The type whose header is being read: names in it are not looked up among what it inherits,
    /// which is what the header says.
    header: Cell<Option<SymbolId>>,
    reasons: RefCell<Option<Vec<String>>>,
    /// The file that is looked at now and not kept.
    passing: RefCell<Option<Arc<FileView>>>,
}

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
}

/// What the stack of a thread that asks questions must hold: one name leads to the next through
/// many files, and the usual two megabytes are too few for [`MAX_DEPTH`] hops. Only what is used
/// takes memory.
pub const STACK_SIZE: usize = 64 << 20;

/// Nothing was cut short.
const UNTAINTED: u32 = u32::MAX;

/// Hops after which a chain of expressions is given up.
const MAX_DEPTH: u32 = 120;

impl<'a> Resolver<'a> {
    pub fn snapshot(&self) -> &'a Snapshot {
        &self.analysis.snapshot
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
        self.budget.cut().is_none()
    }

    /// Nothing is being worked out, nothing was cut short, and no reasons are wanted: what is found
    /// now is found by everybody.
    pub(crate) fn is_fresh(&self) -> bool {
        self.open.borrow().is_empty() && self.is_uncut() && self.reasons.borrow().is_none()
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
        if let Some(view) = self.analysis.memo.views.lock().get(&file) {
            return view;
        }
        let view = self.new_view(file);
        let weight = view.as_ref().map_or(0, |view| view.facts.size_in_memory()) + 64;
        self.analysis
            .memo
            .views
            .lock()
            .keep(file, view.clone(), weight);
        view
    }

    /// The same for a file that is looked at once: it is not kept.
    pub(crate) fn passing_view(&self, file: FileId) -> Option<Arc<FileView>> {
        let known = self.analysis.memo.views.lock().get(&file);
        let view = known.unwrap_or_else(|| self.new_view(file));
        self.passing.replace(view.clone());
        view
    }

    fn new_view(&self, file: FileId) -> Option<Arc<FileView>> {
        let snapshot = self.snapshot();
        let entry = snapshot.file(file);
        let semantics = snapshot.corpus().semantics(entry.language)?;
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

    /// The same with what is known of each, so that only those that come into question are looked
    /// at.
    pub(crate) fn sketches(&self, name: &str) -> Arc<[Sketch]> {
        if let Some(sketches) = self.analysis.memo.named.lock().get(name) {
            return sketches;
        }
        let sketches: Arc<[Sketch]> = self.named_where(name, |_| true).into();
        self.analysis
            .memo
            .named
            .lock()
            .keep(Arc::from(name), sketches.clone(), 1 + sketches.len());
        sketches
    }

    /// Those of a directory, without the ones below it: no other file is looked at.
    pub(crate) fn symbols_named_in(&self, directory: &str, name: &str) -> Arc<[SymbolId]> {
        let key = (Arc::from(directory), Arc::from(name));
        if let Some(symbols) = self.analysis.memo.named_in.lock().get(&key) {
            return symbols;
        }
        let sketches = self.named_where(name, |file| {
            self.snapshot().file(file).path.directory() == directory
        });
        let symbols: Arc<[SymbolId]> = sketches.iter().map(|sketch| sketch.id).collect();
        self.analysis
            .memo
            .named_in
            .lock()
            .keep(key, symbols.clone(), 1 + symbols.len());
        symbols
    }

    fn named_where(&self, name: &str, wanted: impl Fn(FileId) -> bool) -> Vec<Sketch> {
        let snapshot = self.snapshot();
        let mut sketches = Vec::new();
        for (content, of_content) in snapshot.corpus().sketches(&[name]).into_iter().flatten() {
            for &file in snapshot
                .files_of(content)
                .iter()
                .filter(|file| wanted(**file))
            {
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
        sketches
    }

    /// Computes a value once per snapshot, unless it was cut short by a circle.
    fn remember<K: Hash + Eq + Clone, V: Clone + 'static>(
        &self,
        table: impl Fn(&Memo) -> &Table<K, V>,
        key: K,
        guard: Guard,
        otherwise: V,
        compute: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = table(&self.analysis.memo).lock().get(&key) {
            return value;
        }
        if self.depth.get() >= MAX_DEPTH || !self.budget.spend() {
            self.taint(0);
            return otherwise;
        }
        if let Some((place, value)) = self.provisional.borrow().get(&guard)
            && let Some(value) = value.downcast_ref::<V>()
        {
            self.taint(*place);
            return value.clone();
        }
        if !self.enter(&guard) {
            return otherwise;
        }
        let outer_taint = self.tainted.replace(UNTAINTED);
        let outer_header = self.header.replace(None);
        self.depth.set(self.depth.get() + 1);
        let value = compute();
        self.depth.set(self.depth.get() - 1);
        self.header.set(outer_header);
        let own_place = self.leave(&guard);
        // A circle that ends here depends on nothing outside.
        if self.tainted.get() >= own_place {
            table(&self.analysis.memo)
                .lock()
                .keep(key, value.clone(), 1);
            self.tainted.set(UNTAINTED);
        } else if self.tainted.get() > 0 {
            self.provisional
                .borrow_mut()
                .insert(guard, (self.tainted.get(), Box::new(value.clone())));
        }
        if self.open.borrow().is_empty() {
            self.tainted.set(UNTAINTED);
        }
        self.taint(outer_taint);
        value
    }

    /// The same for what never leads back to itself.
    fn remember_whole<K: Hash + Eq + Clone, V: Clone>(
        &self,
        table: impl Fn(&Memo) -> &Table<K, V>,
        key: K,
        weight: impl FnOnce(&V) -> usize,
        compute: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = table(&self.analysis.memo).lock().get(&key) {
            return value;
        }
        let outer_taint = self.tainted.replace(UNTAINTED);
        let value = compute();
        if self.tainted.get() == UNTAINTED && self.is_uncut() {
            table(&self.analysis.memo)
                .lock()
                .keep(key, value.clone(), weight(&value));
        }
        self.taint(outer_taint);
        value
    }

    /// Begins to work something out; `false` if that is under way.
    fn enter(&self, guard: &Guard) -> bool {
        let mut open = self.open.borrow_mut();
        if let Some(&place) = open.get(guard) {
            self.taint(place);
            return false;
        }
        let place = open.len() as u32 + 1;
        open.insert(guard.clone(), place);
        true
    }

    /// Ends what was begun last; how many were begun before it, plus one.
    fn leave(&self, guard: &Guard) -> u32 {
        let own_place = self.open.borrow_mut().remove(guard).unwrap_or(0);
        let mut provisional = self.provisional.borrow_mut();
        if !provisional.is_empty() {
            provisional.retain(|_, (place, _)| *place < own_place);
        }
        own_place
    }

    fn taint(&self, place: u32) {
        self.tainted.set(self.tainted.get().min(place));
    }

    /// What a reference means.
    pub fn resolve(&self, view: &FileView, reference: &Reference) -> Resolution {
        let resolution = self.resolve_name(view, reference);
        self.constructed(view, reference, resolution)
    }

    fn resolve_name(&self, view: &FileView, reference: &Reference) -> Resolution {
        let name = view.facts.name(reference.name);
        let Some(receiver) = reference.receiver else {
            let space = match reference.role {
                Role::TypeUse | Role::Inherit | Role::Instantiate => Space::Type,
                Role::Call => Space::Callable,
                _ => Space::Value,
            };
            let found = self.bare(
                view,
                reference.scope,
                reference.span.start,
                name,
                space,
                reference.call,
            );
            let is_module = |found: &Found| match found {
                Found::Module(_) => true,
                Found::Symbol(symbol) => self.kind(*symbol) == Some(SymbolKind::Module),
                _ => false,
            };
            // `#[test]` does not mean the `mod test` beside it.
            let is_attribute =
                reference.role == Role::Annotation && view.semantics.family == facts::Family::Rust;
            return if is_attribute && found.targets.iter().any(is_module) {
                self.unknown_bare(view, name, space)
            } else {
                found
            };
        };
        if let Recipe::SelfValue | Recipe::Super = view.facts.recipe(receiver)
            && matches!(name, "this" | "super" | "base" | "self")
        {
            return self.constructor_call(view, reference, receiver);
        }
        let receiver_type = self.eval(view, reference.scope, reference.span.start, receiver);
        self.because(|| {
            format!(
                "receiver {} is {}",
                crate::text::recipe(&view.facts, receiver),
                self.describe(&receiver_type)
            )
        });
        self.member_reference(view, reference, &receiver_type)
    }

    /// `this(...)`, `super(...)`: the constructors of the type or of its superclass.
    fn constructor_call(
        &self,
        view: &FileView,
        reference: &Reference,
        receiver: facts::RecipeId,
    ) -> Resolution {
        let ty = self.eval(view, reference.scope, reference.span.start, receiver);
        for ty in ty.alternatives() {
            if let Ty::Instance(symbol, _) = ty {
                let constructors = self.constructors(symbol);
                let chosen = self.overloads(
                    view,
                    reference.scope,
                    reference.span.start,
                    constructors,
                    reference.call,
                );
                if !chosen.is_empty() {
                    let outcome = if self.undecided(&chosen) {
                        Outcome::Ambiguous
                    } else {
                        Outcome::Static
                    };
                    return Resolution::new(
                        outcome,
                        Rule::Constructor,
                        chosen.into_iter().map(Found::Symbol).collect(),
                    );
                }
                return Resolution::new(
                    Outcome::Static,
                    Rule::Constructor,
                    vec![Found::Symbol(symbol)],
                );
            }
        }
        Resolution::new(Outcome::External, Rule::Library, Vec::new())
    }

    /// An instantiation or a call of a type means the type's constructor, where the source declares
    /// one.
    fn constructed(
        &self,
        view: &FileView,
        reference: &Reference,
        mut resolution: Resolution,
    ) -> Resolution {
        let by_call = view.semantics.construction.by_call;
        let constructs =
            reference.role == Role::Instantiate || reference.role == Role::Call && by_call;
        if !constructs || !view.semantics.construction.constructors.is_empty() {
            return resolution;
        }
        let [Found::Symbol(symbol)] = resolution.targets.as_slice() else {
            return resolution;
        };
        let Some(target) = self.symbol(*symbol) else {
            return resolution;
        };
        if !target.1.kind.is_type() {
            return resolution;
        }
        let chosen = self.overloads(
            view,
            reference.scope,
            reference.span.start,
            self.constructors(*symbol),
            reference.call,
        );
        if !chosen.is_empty() {
            resolution.named_type = Some(*symbol);
            if self.undecided(&chosen) {
                resolution.outcome = Outcome::Ambiguous;
            }
            resolution.targets = chosen.into_iter().map(Found::Symbol).collect();
            resolution.rule = Rule::Constructor;
        }
        resolution
    }

    /// The constructors that a type itself declares.
    pub fn constructors(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let mut constructors = Vec::new();
        for part in self.parts(symbol) {
            let Some(view) = self.view(part.file) else {
                continue;
            };
            for child in view.children(Some(part.index)) {
                let found = view.symbol(child);
                let by_name = view
                    .semantics
                    .construction
                    .constructors
                    .contains(&view.name_of(child));
                if found.kind == SymbolKind::Constructor || by_name {
                    constructors.push(SymbolId {
                        file: part.file,
                        index: child,
                    });
                }
            }
        }
        constructors
    }

    /// What a name means at a place, where it is not written as a reference.
    pub fn name_at(
        &self,
        view: &FileView,
        scope: facts::ScopeId,
        at: u32,
        name: &str,
    ) -> Option<Resolution> {
        let (targets, rule) = self.lookup(view, scope, at, name, Space::Value);
        (!targets.is_empty()).then(|| Resolution::new(Outcome::Static, rule, targets))
    }

    /// What leaves a file under a name.
    pub fn exported(&self, view: &FileView, name: &str) -> Vec<Found> {
        self.module_member(&Module::File(view.id), name, view)
            .to_vec()
    }

    /// Other declarations of the same thing: prototypes and definitions, partial parts, overload
    /// signatures, accessors.
    pub fn declarations_of(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let Some((view, declared)) = self.symbol(symbol) else {
            return Vec::new();
        };
        if declared.kind.is_type() {
            return self.parts(symbol);
        }
        let name = view.name_of(symbol.index).to_owned();
        let accessor = Modifiers::GETTER | Modifiers::SETTER;
        let mut found = Vec::new();
        for sketch in self
            .sketches(&name)
            .iter()
            .filter(|sketch| sketch.family == view.semantics.family)
        {
            let other = &sketch.id;
            let is_apart = other.file != symbol.file
                && !view.semantics.prototypes
                && !sketch.modifiers.contains(Modifiers::PARTIAL);
            if *other == symbol || is_apart {
                continue;
            }
            let Some((other_view, found_symbol)) = self.symbol(*other) else {
                continue;
            };
            let siblings = other.file == symbol.file && found_symbol.parent == declared.parent;
            let accessors = siblings
                && found_symbol.modifiers.0 & accessor.0 != 0
                && declared.modifiers.0 & accessor.0 != 0;
            let prototype = found_symbol.modifiers.contains(Modifiers::PROTOTYPE)
                != declared.modifiers.contains(Modifiers::PROTOTYPE)
                || found_symbol.modifiers.contains(Modifiers::PROTOTYPE)
                    && declared.modifiers.contains(Modifiers::PROTOTYPE);
            let signatures = siblings && prototype && !view.semantics.overloads;
            let linked = view.semantics.prototypes
                && prototype
                && self.same_owner(symbol, *other)
                && (!view.semantics.overloads
                    || same_parameters(&view, &declared, &other_view, &found_symbol));
            let parts = declared.modifiers.contains(Modifiers::PARTIAL)
                && found_symbol.modifiers.contains(Modifiers::PARTIAL)
                && self.self_type(symbol) == self.self_type(*other);
            if accessors || signatures || linked || parts {
                found.push(*other);
            }
        }
        found
    }

    fn same_owner(&self, a: SymbolId, b: SymbolId) -> bool {
        let owner = |symbol: SymbolId| match self.self_type(symbol) {
            Ty::Instance(of, _) => Some(of),
            _ => None,
        };
        owner(a) == owner(b)
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
            Ty::Module(module) => format!("module {module:?}"),
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
        }
    }
}
