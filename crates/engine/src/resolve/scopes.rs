//! Bare names: innermost scope outwards, then the file, then what is in reach of the file.

use facts::{
    BareNames, BindingId, BindingKind, Blocks, NameId, RecipeId, ScopeId, ScopeKind, SymbolIndex,
    SymbolKind,
};

use super::{
    FileView, Found, Module, Outcome, Resolution, Resolver, Rule, Sketch, SymbolId, Ty,
    members::Hit,
};

/// What kind of thing is looked for where a language has one name for several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Type,
    Value,
    Callable,
}

impl Resolver<'_> {
    /// What a bare name means at a place.
    pub(super) fn bare(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        name: &str,
        space: Space,
        call: Option<RecipeId>,
    ) -> Resolution {
        let (mut found, mut rule) = self.lookup(view, scope, at, name, space);
        // `T = TypeVar("T")`: what the name stands for is a type parameter, but what it is is the
        // variable.
        if view.semantics.family == facts::Family::Python
            && matches!(found.as_slice(), [Found::TypeParameter(..)])
        {
            let variable = self.lookup(view, ScopeId::FILE, u32::MAX, name, Space::Value);
            if !variable.0.is_empty() {
                (found, rule) = variable;
            }
        }
        if found.is_empty() {
            let unknown = self.unknown_bare(view, name, space);
            let inherited = || {
                let around = view
                    .enclosing_type(scope)
                    .filter(|_| view.semantics.bare_names == BareNames::Members);
                around.is_some_and(|index| {
                    self.has_library_base(SymbolId {
                        file: view.id,
                        index,
                    })
                })
            };
            // A library that the type around extends may have it.
            if unknown.outcome == Outcome::Unresolved && space == Space::Callable && inherited() {
                return Resolution::new(
                    Outcome::External,
                    Rule::Library,
                    vec![Found::External(name.into())],
                );
            }
            return unknown;
        }
        self.because(|| format!("`{name}` by {}", rule.word()));
        let found = if space == Space::Type && call.is_none() {
            self.without_tags(view, name, found)
        } else {
            found
        };
        let found = if space == Space::Type {
            self.of_arity(found, self.n_type_arguments(view, call))
        } else {
            found
        };
        let external = found.iter().all(|found| {
            matches!(
                found,
                Found::External(_) | Found::Module(Module::External(_))
            )
        });
        if external {
            return Resolution::new(Outcome::External, rule, found);
        }
        let found = if view.semantics.prototypes {
            self.definitions(found)
        } else {
            found
        };
        let symbols: Vec<SymbolId> = found
            .iter()
            .filter_map(|found| {
                if let Found::Symbol(symbol) = found {
                    Some(*symbol)
                } else {
                    None
                }
            })
            .collect();
        let symbols = if space == Space::Callable {
            self.or_inherited(view, scope, at, symbols, call)
        } else {
            symbols
        };
        if symbols.len() < 2 {
            let only = symbols
                .first()
                .map_or(found, |symbol| vec![Found::Symbol(*symbol)]);
            return Resolution::new(Outcome::Static, rule, only);
        }
        let role = if space == Space::Callable {
            facts::Role::Call
        } else {
            facts::Role::Read
        };
        let symbols = if space == Space::Type {
            symbols
        } else {
            self.of_role(symbols, role)
        };
        let chosen = if space == Space::Callable {
            self.overloads(view, scope, at, symbols, call)
        } else {
            self.one_declaration(symbols)
        };
        let outcome = if chosen.len() == 1 || self.same_thing(&chosen) {
            Outcome::Static
        } else {
            Outcome::Ambiguous
        };
        Resolution::new(
            outcome,
            rule,
            chosen.into_iter().map(Found::Symbol).collect(),
        )
    }

    /// In C a type without `struct` before it is a `typedef`, though a struct of that name may be
    /// nearer.
    fn without_tags(&self, view: &FileView, name: &str, found: Vec<Found>) -> Vec<Found> {
        let is_kind = |found: &Found, wanted: fn(SymbolKind) -> bool| match found {
            Found::Symbol(symbol) => self.kind(*symbol).is_some_and(wanted),
            _ => false,
        };
        let is_plain_c = view.semantics.family == facts::Family::C && !view.semantics.overloads;
        let only_tags = |found: &Found| {
            is_kind(found, |kind| {
                matches!(
                    kind,
                    SymbolKind::Struct | SymbolKind::Union | SymbolKind::Enum
                )
            })
        };
        if !is_plain_c || !found.iter().all(only_tags) {
            return found;
        }
        let mut aliases = self.implicitly_visible(view, name);
        aliases.retain(|found| is_kind(found, |kind| kind == SymbolKind::TypeAlias));
        if aliases.is_empty() { found } else { aliases }
    }

    /// Forward declarations of types become the types they announce; a struct and its `typedef` of
    /// one name are one thing.
    fn definitions(&self, found: Vec<Found>) -> Vec<Found> {
        let mut defined: Vec<Found> = Vec::new();
        for found in found {
            let found = match found {
                Found::Symbol(symbol) => Found::Symbol(self.defined_type(symbol)),
                found => found,
            };
            if !defined.contains(&found) {
                defined.push(found);
            }
        }
        let kind = |found: &Found| {
            if let Found::Symbol(symbol) = found {
                self.kind(*symbol)
            } else {
                None
            }
        };
        let has_alias = defined
            .iter()
            .any(|found| kind(found) == Some(SymbolKind::TypeAlias));
        let only_types = defined
            .iter()
            .all(|found| kind(found).is_some_and(SymbolKind::is_type));
        if defined.len() > 1 && has_alias && only_types {
            defined.retain(|found| kind(found) == Some(SymbolKind::TypeAlias));
            defined.truncate(1);
        }
        defined
    }

    /// How many type arguments are written at a type's name.
    fn n_type_arguments(&self, view: &FileView, call: Option<RecipeId>) -> usize {
        let written = match call.map(|call| view.facts.recipe(call)) {
            Some(facts::Recipe::New(ty, _) | facts::Recipe::Type(ty)) => ty,
            _ => return 0,
        };
        match view.facts.type_recipe(written) {
            facts::TypeRecipe::Apply(_, arguments) => arguments.len as usize,
            _ => 0,
        }
    }

    /// Nothing in reach bears the name.
    pub(super) fn unknown_bare(&self, view: &FileView, name: &str, space: Space) -> Resolution {
        if view.semantics.builtins.contains(&name) {
            return Resolution::new(
                Outcome::External,
                Rule::Builtin,
                vec![Found::External(name.into())],
            );
        }
        // Macros are known by name alone.
        if space == Space::Callable {
            let macros: Vec<SymbolId> = self
                .symbols_named(name)
                .iter()
                .copied()
                .filter(|symbol| {
                    self.kind(*symbol) == Some(SymbolKind::Macro)
                        && self
                            .view(symbol.file)
                            .is_some_and(|other| other.semantics.family == view.semantics.family)
                        && self.macro_reaches(*symbol, view, name)
                })
                .collect();
            if !macros.is_empty() {
                let nearest = self.nearest(view, macros);
                return Resolution::new(
                    Outcome::Static,
                    Rule::UniqueName,
                    nearest.into_iter().map(Found::Symbol).collect(),
                );
            }
        }
        if is_standard_macro(view, name) {
            return Resolution::new(
                Outcome::External,
                Rule::Builtin,
                vec![Found::External(name.into())],
            );
        }
        // Languages that share one space of names can mean any symbol of the program.
        let global = matches!(
            view.semantics.modules,
            facts::ModuleSystem::Includes | facts::ModuleSystem::GlobalConstants
        );
        if global {
            let candidates = self.global_candidates(view, name, space);
            match candidates.as_slice() {
                [] => {}
                [_] => {
                    return Resolution::new(
                        Outcome::Heuristic,
                        Rule::UniqueName,
                        candidates.into_iter().map(Found::Symbol).collect(),
                    );
                }
                _ if self.same_thing(&candidates) => {
                    return Resolution::new(
                        Outcome::Heuristic,
                        Rule::UniqueName,
                        self.one_declaration(candidates)
                            .into_iter()
                            .map(Found::Symbol)
                            .collect(),
                    );
                }
                _ => {
                    return Resolution::new(
                        Outcome::Ambiguous,
                        Rule::ManyNames,
                        candidates.into_iter().map(Found::Symbol).collect(),
                    );
                }
            }
        }
        // What no file of the repository has comes from a header that is not in it.
        let includes_library = |import: &facts::Import| {
            import.kind == facts::ImportKind::Include
                && self
                    .included_file(view, view.facts.name(import.module))
                    .is_none()
        };
        if view.semantics.modules == facts::ModuleSystem::Includes
            && view.facts.imports.iter().any(includes_library)
        {
            return Resolution::new(
                Outcome::External,
                Rule::Library,
                vec![Found::External(name.into())],
            );
        }
        Resolution::unresolved()
    }

    /// Whether a macro can be meant in a file: in Rust one of its crate or an exported one, and
    /// where the standard library has one of that name, only one of the same file.
    fn macro_reaches(&self, symbol: SymbolId, view: &FileView, name: &str) -> bool {
        if view.semantics.modules != facts::ModuleSystem::RustCrates || symbol.file == view.id {
            return true;
        }
        if is_standard_macro(view, name) {
            return false;
        }
        let Some(other) = self.view(symbol.file) else {
            return false;
        };
        let is_exported = || {
            other.facts.annotations.iter().filter(|annotation| annotation.symbol == symbol.index).any(|annotation| {
                matches!(other.facts.recipe(annotation.recipe), facts::Recipe::Name(name) if other.facts.name(name) == "macro_export")
            })
        };
        self.rust_crate_root(symbol.file) == self.rust_crate_root(view.id) || is_exported()
    }

    /// Of several candidates those of the own file, else of the directories that share most with
    /// the own.
    fn nearest(&self, view: &FileView, candidates: Vec<SymbolId>) -> Vec<SymbolId> {
        let own = self.snapshot().file(view.id).path.clone();
        let shared = |symbol: &SymbolId| {
            let other = &self.snapshot().file(symbol.file).path;
            if symbol.file == view.id {
                return usize::MAX;
            }
            own.as_str()
                .split('/')
                .zip(other.as_str().split('/'))
                .take_while(|(a, b)| a == b)
                .count()
        };
        let most = candidates.iter().map(shared).max().unwrap_or(0);
        candidates
            .into_iter()
            .filter(|symbol| shared(symbol) == most)
            .collect()
    }

    fn global_candidates(&self, view: &FileView, name: &str, space: Space) -> Vec<SymbolId> {
        let fits = |sketch: &&Sketch| {
            let top = sketch
                .parent
                .is_none_or(|parent| matches!(parent, SymbolKind::Namespace | SymbolKind::Module));
            let kind = space != Space::Type || sketch.kind.is_type() || sketch.kind.is_container();
            sketch.family == view.semantics.family
                && top
                && kind
                && !sketch.has_owner
                && !super::modules::is_test_case(sketch.family, sketch.modifiers)
        };
        self.sketches(name)
            .iter()
            .filter(fits)
            .map(|sketch| sketch.id)
            .collect()
    }

    /// Looks a name up; several finds are overloads, parts, or a union of branches.
    pub(super) fn lookup(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        name: &str,
        space: Space,
    ) -> (Vec<Found>, Rule) {
        let id = view.facts.names.find(name);
        let region = view.region(scope);
        let (mut outer_only, mut enclosing_only) = (false, false);
        for inner in view.outwards(scope) {
            let kind = view.facts.scope(inner).kind;
            if outer_only && kind != ScopeKind::File
                || enclosing_only && view.region(inner) == region
            {
                continue;
            }
            if let Some(id) = id {
                match self.declared_in(view, inner, region, at, id, space) {
                    Declared::Found(found, rule) => return (found, rule),
                    Declared::Outer => {
                        outer_only = true;
                        continue;
                    }
                    Declared::Enclosing => {
                        enclosing_only = true;
                        continue;
                    }
                    Declared::Nothing => {}
                }
            }
            if kind == ScopeKind::Type
                && view.semantics.bare_names == BareNames::Members
                && let Some(owner) = view.facts.scope(inner).owner
            {
                let found = self.members_for_bare(view, owner, name, space);
                if !found.is_empty() {
                    return (found, Rule::Scope);
                }
            }
            // `cart.apply { total() }` means the cart's.
            if kind == ScopeKind::Lambda
                && view.semantics.bare_names == BareNames::Members
                && let Some(receiver) = self.lambda_receiver_at(view, inner)
            {
                let found = self.bare_members(self.members(&receiver, name), space);
                if !found.is_empty() {
                    return (found, Rule::Scope);
                }
            }
            // A member written outside of its type sees the type's members.
            if kind == ScopeKind::Function
                && view.semantics.bare_names == BareNames::Members
                && let Some(owner) = view.facts.scope(inner).owner
                && view.symbol(owner).owner.is_known()
            {
                let found = self.members_of_owner(view, owner, name, space);
                if !found.is_empty() {
                    return (found, Rule::Scope);
                }
            }
            if kind == ScopeKind::Namespace {
                let found = self.in_namespace_scope(view, inner, name, space);
                if !found.is_empty() {
                    return (found, Rule::Sibling);
                }
            }
        }
        self.in_reach(view, name, id, space)
    }

    fn declared_in(
        &self,
        view: &FileView,
        scope: ScopeId,
        region: ScopeId,
        at: u32,
        name: NameId,
        space: Space,
    ) -> Declared {
        let facts = &view.facts;
        let found = facts.scope(scope);
        let by_region = view.semantics.blocks == Blocks::Function;
        if by_region
            && matches!(found.kind, ScopeKind::Block | ScopeKind::Branch)
            && !self.is_comprehension(view, scope)
        {
            return Declared::Nothing;
        }
        let here = |other: ScopeId| other == scope || by_region && view.region(other) == scope;
        // Names of a class body are seen in the body itself, not in its methods; where blocks hide
        // names, only through a receiver.
        let bare = view.semantics.bare_names == BareNames::Members
            || view.semantics.blocks == Blocks::Function;
        let visible = found.kind != ScopeKind::Type || region == scope && bare;
        if visible {
            let symbols: Vec<SymbolIndex> = view
                .symbols_named(name)
                .filter(|&index| {
                    here(view.symbol(index).declared_in)
                        && view.symbol(index).kind != SymbolKind::Impl
                        && !view.symbol(index).owner.is_known()
                        && !super::modules::is_test_case(
                            view.semantics.family,
                            view.symbol(index).modifiers,
                        )
                })
                .collect();
            let symbols = if found.kind == ScopeKind::File {
                self.top_level(view, symbols)
            } else {
                symbols
            };
            let mut symbols = fitting(view, symbols, space);
            if space == Space::Type && found.kind == ScopeKind::Type {
                symbols.retain(|&index| kind_fits(view.symbol(index).kind, space));
            }
            if !symbols.is_empty() {
                let rule = if matches!(
                    found.kind,
                    ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Block | ScopeKind::Branch
                ) {
                    Rule::Local
                } else {
                    Rule::Scope
                };
                return Declared::Found(
                    symbols
                        .into_iter()
                        .map(|index| {
                            Found::Symbol(SymbolId {
                                file: view.id,
                                index,
                            })
                        })
                        .collect(),
                    rule,
                );
            }
        }
        if let Some(owner) = found.owner {
            let parameters = facts.type_parameters(view.symbol(owner));
            if let Some(i) = parameters
                .iter()
                .position(|parameter| parameter.name == name)
            {
                return Declared::Found(
                    vec![Found::TypeParameter(
                        SymbolId {
                            file: view.id,
                            index: owner,
                        },
                        i as u16,
                    )],
                    Rule::Local,
                );
            }
        }
        let is_variable = space != Space::Callable || !view.semantics.methods_stand_apart();
        if visible && is_variable && (space != Space::Type || by_region) {
            let mut bindings = facts
                .bindings_of(name)
                .iter()
                .enumerate()
                .filter(|(_, binding)| here(binding.scope) && binding.kind != BindingKind::Label);
            let first = facts
                .bindings
                .partition_point(|binding| binding.name < name);
            let nested = region != view.region(scope);
            let mut declaration = None;
            for (i, binding) in bindings.by_ref() {
                if binding.kind == BindingKind::Outer {
                    return Declared::Outer;
                }
                if binding.kind == BindingKind::Enclosing {
                    return Declared::Enclosing;
                }
                let assigns = matches!(
                    binding.kind,
                    BindingKind::Assignment | BindingKind::Narrowing
                );
                if assigns && !by_region || binding.kind == BindingKind::Narrowing {
                    continue;
                }
                if by_region || nested || binding.from <= at || binding.name_span.contains(at) {
                    // The last declaration before the place counts; with names that belong to the
                    // function, the first.
                    if declaration.is_none() || !by_region && binding.from <= at {
                        declaration = Some(i);
                    }
                }
            }
            if let Some(i) = declaration {
                return Declared::Found(
                    vec![Found::Binding(view.id, BindingId((first + i) as u32))],
                    Rule::Local,
                );
            }
        }
        let imports: Vec<Found> = facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| import.local == Some(name) && here(import.scope))
            .flat_map(|(i, _)| self.import_targets(view, i as u32).to_vec())
            .collect();
        if !imports.is_empty() {
            return Declared::Found(self.fitting_found(imports, space), Rule::Import);
        }
        Declared::Nothing
    }

    fn is_comprehension(&self, view: &FileView, scope: ScopeId) -> bool {
        view.facts.scope(scope).kind == ScopeKind::Block
    }

    /// In the file's own scope, members of namespaces count and members of types do not.
    fn top_level(&self, view: &FileView, symbols: Vec<SymbolIndex>) -> Vec<SymbolIndex> {
        let top = |index: &SymbolIndex| {
            view.symbol(*index)
                .parent
                .is_none_or(|parent| !view.symbol(parent).kind.is_type())
        };
        symbols.into_iter().filter(top).collect()
    }

    /// Of several finds those that fit what is looked for, if any does.
    pub(super) fn fitting_found(&self, found: Vec<Found>, space: Space) -> Vec<Found> {
        let fits = |found: &Found| match found {
            Found::Symbol(symbol) => self
                .kind(*symbol)
                .is_some_and(|kind| kind_fits(kind, space)),
            _ => true,
        };
        if found.len() > 1 && found.iter().any(fits) {
            found.into_iter().filter(fits).collect()
        } else {
            found
        }
    }

    fn members_for_bare(
        &self,
        view: &FileView,
        owner: SymbolIndex,
        name: &str,
        space: Space,
    ) -> Vec<Found> {
        let ty = match view.symbol(owner).kind {
            SymbolKind::Impl => return Vec::new(),
            _ => Ty::instance(SymbolId {
                file: view.id,
                index: owner,
            }),
        };
        let symbol = SymbolId {
            file: view.id,
            index: owner,
        };
        let hits = if self.header.get() == Some(symbol) {
            self.own_members(symbol, name)
                .iter()
                .map(|member| Hit {
                    symbol: *member,
                    receiver: ty.clone(),
                })
                .collect()
        } else {
            self.members(&ty, name)
        };
        self.bare_members(hits, space)
    }

    /// A constructor bears its type's name but is not what the bare name means.
    fn bare_members(&self, hits: Vec<Hit>, space: Space) -> Vec<Found> {
        let hits = hits
            .into_iter()
            .filter(|hit| self.kind(hit.symbol) != Some(SymbolKind::Constructor));
        let found: Vec<Found> = hits.map(|hit| Found::Symbol(hit.symbol)).collect();
        let found = self.fitting_found(found, space);
        // A type is never a value's or method's name.
        if space == Space::Type {
            found
                .into_iter()
                .filter(|found| matches!(found, Found::Symbol(symbol) if self.kind(*symbol).is_some_and(|kind| kind_fits(kind, space))))
                .collect()
        } else {
            found
        }
    }

    fn members_of_owner(
        &self,
        view: &FileView,
        method: SymbolIndex,
        name: &str,
        space: Space,
    ) -> Vec<Found> {
        let ty = self.self_type(SymbolId {
            file: view.id,
            index: method,
        });
        let mut hits = self.members(&ty, name);
        // An extension property is not what a call means: a function of that name stands further
        // out.
        hits.retain(|hit| {
            let extends = |found: &facts::Symbol| {
                found.kind.is_value() && found.modifiers.contains(facts::Modifiers::EXTENSION)
            };
            space != Space::Callable
                || !self
                    .symbol(hit.symbol)
                    .is_some_and(|(_, found)| extends(&found))
        });
        self.bare_members(hits, space)
    }

    /// A namespace's members, wherever they are written, then those of the namespaces around it.
    fn in_namespace_scope(
        &self,
        view: &FileView,
        scope: ScopeId,
        name: &str,
        space: Space,
    ) -> Vec<Found> {
        let Some(owner) = view.facts.scope(scope).owner else {
            return Vec::new();
        };
        let mut namespace = view.namespace_of(owner);
        loop {
            let found =
                self.module_member(&Module::Namespace(namespace.as_str().into()), name, view);
            let found = self.fitting_found(found.to_vec(), space);
            if !found.is_empty() {
                return found;
            }
            match namespace.rfind('.') {
                Some(dot) => namespace.truncate(dot),
                None => return Vec::new(),
            }
        }
    }

    /// What the file can see without declaring it: siblings, globs, the namespaces it is in, the
    /// prelude.
    fn in_reach(
        &self,
        view: &FileView,
        name: &str,
        id: Option<NameId>,
        space: Space,
    ) -> (Vec<Found>, Rule) {
        if view.semantics.siblings_visible {
            let found = self.siblings(view, name);
            let found = self.fitting_found(found, space);
            if !found.is_empty() {
                return (found, Rule::Sibling);
            }
        }
        let mut found: Vec<Found> = Vec::new();
        for i in 0..view.facts.imports.len() as u32 {
            for member in self.glob_member(view, i, name) {
                if !found.contains(&member) {
                    found.push(member);
                }
            }
        }
        let mut found = self.fitting_found(found, space);
        if found.is_empty() {
            found = self.fitting_found(self.shared_member(view, name), space);
        }
        if !found.is_empty() {
            return (found, Rule::Glob);
        }
        let found = self.implicitly_visible(view, name);
        if !found.is_empty() {
            return (self.fitting_found(found, space), Rule::Sibling);
        }
        let _ = id;
        if view.semantics.builtins.contains(&name) {
            return (vec![Found::External(name.into())], Rule::Builtin);
        }
        (Vec::new(), Rule::None)
    }

    /// Of several symbols of one thing (partial parts, prototype and definition, branches of `#if`)
    /// the one to show.
    pub(super) fn one_declaration(&self, symbols: Vec<SymbolId>) -> Vec<SymbolId> {
        if symbols.len() < 2 {
            return symbols;
        }
        if let Some(first) = self.first_signature(&symbols) {
            return vec![first];
        }
        let definitions: Vec<SymbolId> = symbols
            .iter()
            .copied()
            .filter(|symbol| {
                self.symbol(*symbol).is_some_and(|(_, found)| {
                    !found.modifiers.contains(facts::Modifiers::PROTOTYPE)
                })
            })
            .collect();
        if definitions.is_empty() {
            symbols
        } else {
            definitions
        }
    }

    /// Overload signatures and their implementation are one function, known by its first signature.
    fn first_signature(&self, symbols: &[SymbolId]) -> Option<SymbolId> {
        let first = *symbols.iter().min()?;
        let (view, declared) = self.symbol(first)?;
        let signatures = !view.semantics.overloads
            && !view.semantics.prototypes
            && declared.modifiers.contains(facts::Modifiers::PROTOTYPE);
        let together = |symbol: &SymbolId| {
            symbol.file == first.file && view.symbol(symbol.index).parent == declared.parent
        };
        (signatures && symbols.iter().all(together)).then_some(first)
    }

    /// Whether several symbols are one thing declared more than once.
    pub(super) fn same_thing(&self, symbols: &[SymbolId]) -> bool {
        let key = |symbol: &SymbolId| {
            let (view, found) = self.symbol(*symbol)?;
            let parent = found.parent.map(|parent| view.name_of(parent).to_owned());
            Some((
                found.kind,
                view.name_of(symbol.index).to_owned(),
                parent,
                view.namespace_of(symbol.index),
            ))
        };
        symbols
            .windows(2)
            .all(|pair| key(&pair[0]) == key(&pair[1]))
    }
}

/// Macros of the standard library are listed with their mark: `println!`.
fn is_standard_macro(view: &FileView, name: &str) -> bool {
    view.semantics
        .builtins
        .iter()
        .any(|builtin| builtin.strip_suffix('!') == Some(name))
}

enum Declared {
    Found(Vec<Found>, Rule),
    /// The name is declared to be one of the file.
    Outer,
    /// The name is declared to be one of a function around.
    Enclosing,
    Nothing,
}

fn fitting(view: &FileView, symbols: Vec<SymbolIndex>, space: Space) -> Vec<SymbolIndex> {
    let fits = |index: &SymbolIndex| kind_fits(view.symbol(*index).kind, space);
    if symbols.len() > 1 && symbols.iter().any(fits) {
        symbols.into_iter().filter(fits).collect()
    } else {
        symbols
    }
}

fn kind_fits(kind: SymbolKind, space: Space) -> bool {
    match space {
        Space::Type => kind.is_type() || kind.is_container(),
        Space::Callable => kind.is_callable() || kind.is_type(),
        Space::Value => !matches!(
            kind,
            SymbolKind::Impl
                | SymbolKind::Interface
                | SymbolKind::TypeAlias
                | SymbolKind::Constructor
        ),
    }
}
