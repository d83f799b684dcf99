//! Members: in the type itself, then in its supertypes in the language's order, then in extensions.

use std::sync::Arc;

use facts::{
    Inherit, Linearization, Modifiers, ModuleSystem, ParameterFlags, Recipe, RecipeId, Reference,
    Role, ScopeId, SymbolKind,
};

use super::{
    FileView, Found, Guard, Module, Outcome, Resolution, Resolver, Rule, Sketch, SymbolId, Ty,
    UNTAINTED, extensions::has_receiver_parameter, imports::below, library::ROOT_TYPE,
    shapes::Shapes,
};

/// A supertype with its type arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Super {
    pub ty: Ty,
    pub how: Inherit,
}

/// A member, and the view of the receiver in which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub symbol: SymbolId,
    pub receiver: Ty,
}

impl Resolver<'_> {
    /// The members of a name that a value or type has. Several: overloads, or one per alternative.
    pub fn members(&self, ty: &Ty, name: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for ty in ty.alternatives() {
            for hit in self.members_of_one(&ty, name) {
                if !hits.iter().any(|other: &Hit| other.symbol == hit.symbol) {
                    hits.push(hit);
                }
            }
        }
        hits
    }

    fn members_of_one(&self, ty: &Ty, name: &str) -> Vec<Hit> {
        let (Ty::Instance(symbol, _) | Ty::Type(symbol, _)) = ty else {
            return match ty {
                Ty::Parameter(symbol, i) => self.members_of_bounds(*symbol, *i, name),
                Ty::Unknown | Ty::Null | Ty::Module(_) => Vec::new(),
                ty => self.extensions(ty, name),
            };
        };
        for view_of in self.linearized(*symbol, ty) {
            let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = &view_of else {
                continue;
            };
            let own = self.own_members(*holder, name);
            if !own.is_empty() {
                return own
                    .iter()
                    .map(|symbol| Hit {
                        symbol: *symbol,
                        receiver: view_of.clone(),
                    })
                    .collect();
            }
            if let Some(companion) = self.companion_of(*holder) {
                let lent = self.own_members(companion, name);
                if !lent.is_empty() {
                    return lent
                        .iter()
                        .map(|symbol| Hit {
                            symbol: *symbol,
                            receiver: Ty::instance(companion),
                        })
                        .collect();
                }
            }
        }
        self.extensions(ty, name)
    }

    /// The static object inside a type, whose members are reached through the type: Kotlin's
    /// companion.
    pub(super) fn companion_of(&self, symbol: SymbolId) -> Option<SymbolId> {
        let view = self.view(symbol.file)?;
        let is_companion = |index: &facts::SymbolIndex| {
            let found = view.symbol(*index);
            found.kind == SymbolKind::Object && found.modifiers.contains(Modifiers::STATIC)
        };
        view.children(Some(symbol.index))
            .find(is_companion)
            .map(|index| SymbolId {
                file: symbol.file,
                index,
            })
    }

    fn members_of_bounds(&self, symbol: SymbolId, i: u16, name: &str) -> Vec<Hit> {
        let Some((view, declared)) = self.symbol(symbol) else {
            return Vec::new();
        };
        let Some(parameter) = view
            .facts
            .type_parameters(&declared)
            .get(i as usize)
            .cloned()
        else {
            return Vec::new();
        };
        // The name of a bound is looked up inside of what is bounded, and so may lead here again.
        let guard = Guard::Bounds(symbol, i);
        if !self.enter(&guard) {
            return Vec::new();
        }
        let scope = declared.body.unwrap_or(declared.declared_in);
        let mut hits = Vec::new();
        for &bound in view.facts.type_list(parameter.bounds) {
            let bound = self.written_type(&view, scope, declared.span.end, bound);
            if !matches!(bound, Ty::Parameter(..)) {
                hits.extend(self.members(&bound, name));
            }
        }
        // Where a Rust type says nothing about its parameter, what is written for the type does:
        // `impl<F: Format> Writer<F>`.
        if hits.is_empty()
            && declared.kind.is_type()
            && view.semantics.modules == facts::ModuleSystem::RustCrates
        {
            hits = self.members_of_implementations(&view, symbol, i, name);
        }
        self.leave(&guard);
        hits
    }

    fn members_of_implementations(
        &self,
        view: &FileView,
        symbol: SymbolId,
        i: u16,
        name: &str,
    ) -> Vec<Hit> {
        let implementations = view
            .facts
            .symbols_with_index()
            .filter(|(_, found)| found.kind == SymbolKind::Impl);
        for (index, _) in implementations.filter(|(_, found)| found.type_parameters.len > 0) {
            let implementation = SymbolId {
                file: view.id,
                index,
            };
            let Ty::Instance(of, arguments) = self.self_type(implementation) else {
                continue;
            };
            if of != symbol {
                continue;
            }
            if let Some(Ty::Parameter(own, j)) = arguments.get(i as usize)
                && *own == implementation
            {
                let hits = self.members_of_bounds(implementation, *j, name);
                if !hits.is_empty() {
                    return hits;
                }
            }
        }
        Vec::new()
    }

    /// The type and its supertypes in the order in which members are looked up, each with its type
    /// arguments.
    pub(super) fn linearized(&self, symbol: SymbolId, ty: &Ty) -> Vec<Ty> {
        /// Deeper hierarchies are cut; real ones stay below twenty.
        const MAX_TYPES: usize = 100;
        let by_depth = self.view(symbol.file).is_some_and(|view| {
            matches!(
                view.semantics.linearization,
                Linearization::ByDepth | Linearization::C3
            )
        });
        let mut order = vec![ty.clone()];
        let mut seen = vec![symbol];
        let mut open: std::collections::VecDeque<Ty> = [ty.clone()].into();
        while let Some(current) = open.pop_front() {
            let (Ty::Instance(holder, arguments) | Ty::Type(holder, arguments)) = &current else {
                continue;
            };
            let supertypes = self.supertypes(*holder);
            let mut next = Vec::new();
            for supertype in supertypes.iter() {
                let inherited = supertype.ty.substitute(&|of, i| {
                    (of == *holder)
                        .then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                });
                let (Ty::Instance(parent, _) | Ty::Type(parent, _)) = &inherited else {
                    continue;
                };
                if order.len() < MAX_TYPES && !seen.contains(parent) {
                    seen.push(*parent);
                    next.push(inherited);
                }
            }
            if by_depth {
                order.extend(next.iter().cloned());
                open.extend(next);
            } else {
                // Depth first: a base with all its bases before the next interface.
                let position = order
                    .iter()
                    .position(|ty| *ty == current)
                    .map_or(order.len(), |i| i + 1);
                for (i, ty) in next.iter().enumerate() {
                    order.insert(position + i, ty.clone());
                }
                for ty in next.into_iter().rev() {
                    open.push_front(ty);
                }
            }
        }
        order
    }

    /// The direct supertypes of a type, as declared anywhere in the snapshot.
    pub fn supertypes(&self, symbol: SymbolId) -> Arc<[Super]> {
        self.remember(
            |memo| &memo.supertypes,
            symbol,
            Guard::Supertypes(symbol),
            Arc::from([]),
            || {
                let mut found: Vec<Super> = Vec::new();
                let mut holders = self.parts(symbol);
                holders.extend(self.impls_of(symbol));
                for holder in holders {
                    let Some((view, declared)) = self.symbol(holder) else {
                        continue;
                    };
                    let scope = declared.body.map_or(declared.declared_in, |body| body);
                    let start = view
                        .facts
                        .supertypes
                        .partition_point(|supertype| supertype.symbol < holder.index);
                    for supertype in view.facts.supertypes[start..]
                        .iter()
                        .take_while(|supertype| supertype.symbol == holder.index)
                    {
                        self.header.set(Some(holder));
                        let ty =
                            self.written_type(&view, scope, declared.name_span.end, supertype.ty);
                        self.header.set(None);
                        let ty = if self.is_itself(&ty, symbol) {
                            self.written_type(
                                &view,
                                declared.declared_in,
                                declared.span.start,
                                supertype.ty,
                            )
                        } else {
                            ty
                        };
                        if !self.is_itself(&ty, symbol) && !found.iter().any(|other| other.ty == ty)
                        {
                            found.push(Super {
                                ty,
                                how: supertype.how,
                            });
                        }
                    }
                    if declared.kind == SymbolKind::TypeAlias
                        && let Ty::Instance(target, arguments) = self.symbol_type(holder)
                        && target != symbol
                    {
                        found.push(Super {
                            ty: Ty::Instance(target, arguments),
                            how: Inherit::Extends,
                        });
                    }
                }
                found.into()
            },
        )
    }

    fn is_itself(&self, ty: &Ty, symbol: SymbolId) -> bool {
        matches!(ty, Ty::Instance(other, _) if *other == symbol)
    }

    /// All declarations that together are one type: partial parts, reopened classes, merged
    /// interfaces.
    pub(super) fn parts(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let Some((view, declared)) = self.symbol(symbol) else {
            return vec![symbol];
        };
        let merges = declared.modifiers.contains(Modifiers::PARTIAL)
            || matches!(view.semantics.modules, facts::ModuleSystem::GlobalConstants)
            || matches!(view.semantics.modules, facts::ModuleSystem::EcmaScript)
                && declared.kind.is_type();
        if !merges || !declared.kind.is_type() {
            return vec![symbol];
        }
        let key = |view: &FileView, index| {
            let names: Vec<String> = view
                .facts
                .container_chain(index)
                .into_iter()
                .map(|index| view.name_of(index).to_owned())
                .collect();
            super::imports::normalized(&names.join("."))
        };
        let own = key(&view, symbol.index);
        let same_file_only = matches!(view.semantics.modules, facts::ModuleSystem::EcmaScript);
        let mut parts = vec![symbol];
        for sketch in self.sketches(view.name_of(symbol.index)).iter() {
            let other = &sketch.id;
            let fits = sketch.family == view.semantics.family
                && sketch.kind.is_type()
                && (!same_file_only || other.file == symbol.file);
            let Some((other_view, found)) = fits.then(|| self.symbol(*other)).flatten() else {
                continue;
            };
            let arity = found.type_parameters.len == declared.type_parameters.len || same_file_only;
            if *other != symbol && arity && key(&other_view, other.index) == own {
                parts.push(*other);
            }
        }
        parts
    }

    /// The blocks of members that are written for a type: Rust impls, Swift and C# extension
    /// blocks.
    fn impls_of(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let Some(view) = self.view(symbol.file) else {
            return Vec::new();
        };
        if view.semantics.modules != facts::ModuleSystem::RustCrates {
            return Vec::new();
        }
        let named = self.sketches(view.name_of(symbol.index));
        let impls = named
            .iter()
            .filter(|sketch| sketch.kind == SymbolKind::Impl)
            .map(|sketch| sketch.id);
        impls
            .filter(|id| matches!(self.self_type(*id), Ty::Instance(other, _) if other == symbol))
            .collect()
    }

    /// The type whose member a symbol is: that of the impl, the receiver, the class around it.
    pub fn self_type(&self, symbol: SymbolId) -> Ty {
        self.remember(
            |memo| &memo.self_types,
            symbol,
            Guard::SelfType(symbol),
            Ty::Unknown,
            || {
                let Some((view, declared)) = self.symbol(symbol) else {
                    return Ty::Unknown;
                };
                let scope = declared.body.unwrap_or(declared.declared_in);
                if declared.owner.is_known() && !self.is_explicit_implementation(&view, &declared) {
                    return self.written_type(&view, scope, declared.span.start, declared.owner);
                }
                if declared.kind == SymbolKind::Impl {
                    return self.written_type(&view, scope, declared.span.start, declared.ty);
                }
                let mut parent = declared.parent;
                while let Some(index) = parent {
                    let id = SymbolId {
                        file: symbol.file,
                        index,
                    };
                    let outer = view.symbol(index);
                    if outer.kind.is_type() {
                        return self.own_instance(id);
                    }
                    if outer.kind == SymbolKind::Impl || outer.owner.is_known() {
                        return self.self_type(id);
                    }
                    parent = outer.parent;
                }
                Ty::Unknown
            },
        )
    }

    /// A member of a class that is seen only through the interface it names: `void IFoo.Bar()`.
    pub(super) fn is_explicit_implementation(
        &self,
        view: &FileView,
        declared: &facts::Symbol,
    ) -> bool {
        declared.owner.is_known()
            && !declared.modifiers.contains(Modifiers::EXTENSION)
            && declared
                .parent
                .is_some_and(|parent| view.symbol(parent).kind.is_type())
    }

    /// A value of a type seen from inside: its arguments are its own parameters.
    pub(super) fn own_instance(&self, symbol: SymbolId) -> Ty {
        let n_parameters = self
            .symbol(symbol)
            .map_or(0, |(_, declared)| declared.type_parameters.len);
        Ty::Instance(
            symbol,
            (0..n_parameters)
                .map(|i| Ty::Parameter(symbol, i as u16))
                .collect(),
        )
    }

    /// What `self` is in a scope.
    pub fn self_type_at(&self, view: &FileView, scope: ScopeId) -> Ty {
        for scope in view.outwards(scope) {
            let Some(owner) = view.facts.scope(scope).owner else {
                continue;
            };
            let symbol = view.symbol(owner);
            let id = SymbolId {
                file: view.id,
                index: owner,
            };
            if symbol.kind.is_type() {
                return self.own_instance(id);
            }
            if symbol.kind == SymbolKind::Impl || symbol.owner.is_known() {
                return self.self_type(id);
            }
        }
        Ty::Unknown
    }

    /// Members that a type itself declares, in all of its parts, or that are written for it
    /// elsewhere.
    pub fn own_members(&self, symbol: SymbolId, name: &str) -> Arc<[SymbolId]> {
        let key = (symbol, Arc::<str>::from(name));
        if let Some(members) = self.analysis.memo.own_members.lock().get(&key) {
            return members;
        }
        let outer_taint = self.tainted.replace(UNTAINTED);
        let mut members = Vec::new();
        for part in self.parts(symbol) {
            let Some(view) = self.view(part.file) else {
                continue;
            };
            let Some(id) = view.facts.names.find(name) else {
                continue;
            };
            for index in view.symbols_named(id) {
                let parent = view.symbol(index).parent;
                let enum_member_of_variant =
                    parent.is_some_and(|parent| view.symbol(parent).kind == SymbolKind::Impl);
                let explicit = self.is_explicit_implementation(&view, view.symbol(index));
                let is_held = parent == Some(part.index)
                    || parent.is_some() && view.holder_of(index) == Some(part.index);
                if is_held && !enum_member_of_variant && !explicit {
                    members.push(SymbolId {
                        file: part.file,
                        index,
                    });
                }
            }
        }
        members.extend(self.members_elsewhere(symbol, name));
        members.sort();
        members.dedup();
        let members: Arc<[SymbolId]> = members.into();
        if self.tainted.get() == UNTAINTED {
            self.analysis
                .memo
                .own_members
                .lock()
                .keep(key, members.clone(), 1);
        }
        self.taint(outer_taint);
        members
    }

    fn members_elsewhere(&self, symbol: SymbolId, name: &str) -> Vec<SymbolId> {
        let Some(view) = self.view(symbol.file) else {
            return Vec::new();
        };
        let family = view.semantics.family;
        let type_name = view.name_of(symbol.index).to_owned();
        let mut members = Vec::new();
        // A Go method is declared in the package of its type.
        let candidates = match view.semantics.modules {
            ModuleSystem::GoPackages => {
                self.symbols_named_in(self.snapshot().file(symbol.file).path.directory(), name)
            }
            _ => {
                let outside = |sketch: &&Sketch| {
                    sketch.family == family
                        && !sketch.modifiers.contains(Modifiers::EXTENSION)
                        && (sketch.has_owner || sketch.parent == Some(SymbolKind::Impl))
                };
                self.sketches(name)
                    .iter()
                    .filter(outside)
                    .map(|sketch| sketch.id)
                    .collect()
            }
        };
        for candidate in candidates.iter() {
            let Some((other, declared)) = self.symbol(*candidate) else {
                continue;
            };
            if other.semantics.family != family {
                continue;
            }
            let through_impl = declared
                .parent
                .filter(|&parent| other.symbol(parent).kind == SymbolKind::Impl);
            let plausible = match through_impl {
                // An impl bears its type's name.
                Some(parent) => other.name_of(parent) == type_name,
                None => {
                    declared.owner.is_known()
                        && !self.is_explicit_implementation(&other, &declared)
                        && self.mentions_type(&other, declared.owner, &type_name)
                }
            };
            if plausible
                && matches!(self.self_type(*candidate), Ty::Instance(of, _) if of == symbol)
            {
                members.push(*candidate);
            }
        }
        members
    }

    /// Whether the written type's own name is this one.
    fn mentions_type(&self, view: &FileView, ty: facts::TypeId, name: &str) -> bool {
        match view.facts.type_recipe(ty) {
            facts::TypeRecipe::Name(of) | facts::TypeRecipe::Scoped(_, of) => {
                view.facts.name(of) == name
            }
            facts::TypeRecipe::Apply(head, _) => self.mentions_type(view, head, name),
            facts::TypeRecipe::Pointer(inner) | facts::TypeRecipe::Reference(inner) => {
                self.mentions_type(view, inner, name)
            }
            _ => false,
        }
    }

    /// How well a value of type `given` stands where `wanted` is asked for: 0 not at all, 100
    /// exactly.
    pub(super) fn fits(&self, given: &Ty, wanted: &Ty) -> u32 {
        const PERHAPS: u32 = 50;
        const ANYTHING: u32 = 20;
        match (given, wanted) {
            // What only some types may stand for says more than what all may.
            (given, Ty::Parameter(of, i)) => match self.fits_bounds(given, *of, *i) {
                Some(true) => ANYTHING + 15,
                None => ANYTHING + 10,
                Some(false) => ANYTHING + 5,
            },
            // A value of unknown type is most likely to stand where anything may.
            (Ty::Unknown | Ty::External(_) | Ty::Parameter(..), Ty::Library(name, _))
                if is_top(last(name)) =>
            {
                PERHAPS + 5
            }
            (_, Ty::Unknown) | (Ty::Unknown | Ty::External(_) | Ty::Parameter(..), _) => PERHAPS,
            (Ty::Null, Ty::Library(name, _)) if is_primitive(name) => 0,
            (Ty::Null, _) => PERHAPS,
            (given, Ty::Optional(wanted)) => self.fits(given, wanted),
            (Ty::Optional(given), wanted) => self.fits(given, wanted),
            (given, Ty::Union(parts)) => parts
                .iter()
                .map(|part| self.fits(given, part))
                .max()
                .unwrap_or(0),
            (Ty::Union(parts), wanted) => parts
                .iter()
                .map(|part| self.fits(part, wanted))
                .max()
                .unwrap_or(0),
            (Ty::Instance(a, arguments), Ty::Instance(b, wanted_arguments)) if a == b => {
                let conflict = arguments
                    .iter()
                    .zip(wanted_arguments.iter())
                    .any(|(given, wanted)| self.fits(given, wanted) == 0);
                if conflict { ANYTHING } else { 100 }
            }
            (Ty::Instance(a, _), Ty::Instance(b, _)) => {
                let distance = self
                    .linearized(*a, given)
                    .iter()
                    .position(|ty| matches!(ty, Ty::Instance(of, _) if of == b));
                distance.map_or(0, |distance| 90 - (distance as u32).min(20))
            }
            // `Func<A, B>` and `Func<A, B, C>` share nothing but the word.
            (Ty::Library(a, given), Ty::Library(b, wanted))
                if last(a) == last(b) && !given.is_empty() && !wanted.is_empty() =>
            {
                let conflict = given
                    .iter()
                    .zip(wanted.iter())
                    .any(|(given, wanted)| self.fits(given, wanted) == 0);
                match (given.len() == wanted.len(), conflict) {
                    (false, _) => 0,
                    (true, true) => ANYTHING,
                    (true, false) => 100,
                }
            }
            (Ty::Library(a, _), Ty::Library(b, _)) => library_fits(last(a), last(b)),
            (Ty::Instance(symbol, _), Ty::Library(name, _)) => {
                let inherits = || {
                    self.linearized(*symbol, given).iter().any(|ty| {
                        let (Ty::Instance(of, _) | Ty::Type(of, _)) = ty else { return false };
                        self.supertypes(*of).iter().any(|supertype| matches!(&supertype.ty, Ty::Library(of, _) if last(of) == last(name)))
                    })
                };
                if is_top(last(name)) {
                    ANYTHING
                } else if inherits() {
                    70
                } else {
                    0
                }
            }
            (Ty::Lambda(..) | Ty::Function(..), Ty::Library(name, _))
                if is_primitive(name) || is_textual(last(name)) =>
            {
                0
            }
            (Ty::Lambda(..) | Ty::Function(..), Ty::Library(name, _)) if is_top(last(name)) => {
                ANYTHING
            }
            (Ty::Lambda(..) | Ty::Function(..), _) => PERHAPS,
            (Ty::Array(a), Ty::Array(b)) => match (&**a, &**b) {
                // A character is a number where one is wanted; many characters are not many
                // numbers.
                (Ty::Library(a, _), Ty::Library(b, _)) if is_primitive(a) && is_primitive(b) => {
                    u32::from(last(a) == last(b)) * 100
                }
                (a, b) => self.fits(a, b),
            },
            (Ty::Array(_) | Ty::Tuple(_), Ty::Library(name, _))
                if is_primitive(name) || is_textual(last(name)) =>
            {
                0
            }
            (Ty::Array(_) | Ty::Tuple(_), Ty::Library(name, _)) if is_top(last(name)) => ANYTHING,
            (Ty::Array(item), Ty::Library(_, types)) if types.len() == 1 => {
                u32::from(self.fits(item, &types[0]) > 0) * PERHAPS
            }
            (Ty::Array(_), Ty::Instance(..)) | (Ty::Instance(..), Ty::Array(_)) => 0,
            (Ty::Library(name, _), Ty::Array(_) | Ty::Instance(..))
                if is_primitive(name) || is_textual(last(name)) =>
            {
                0
            }
            (Ty::Library(name, _), Ty::Array(_)) if !is_top(last(name)) => ANYTHING,
            // No library type extends a type of this repository.
            (Ty::Library(name, _), Ty::Instance(..)) => u32::from(is_top(last(name))) * 5,
            (Ty::Type(..) | Ty::LibraryType(..), Ty::Library(name, _)) => match last(name) {
                "Class" | "KClass" => 100,
                "Type" | "type" => 80,
                name if is_primitive(name) || is_textual(name) => 0,
                _ => ANYTHING,
            },
            (Ty::Type(..), Ty::Instance(..)) => 0,
            _ => PERHAPS,
        }
    }

    /// Whether a value lies within the bounds of a type parameter; nothing if it has none.
    fn fits_bounds(&self, given: &Ty, symbol: SymbolId, i: u16) -> Option<bool> {
        let (view, declared) = self.symbol(symbol).filter(|_| given.is_known())?;
        let parameter = view.facts.type_parameters(&declared).get(i as usize)?;
        let scope = declared.body.unwrap_or(declared.declared_in);
        let bounds = view
            .facts
            .type_list(parameter.bounds)
            .iter()
            .map(|&bound| self.written_type(&view, scope, declared.span.end, bound));
        let bounds: Vec<Ty> = bounds
            .filter(|bound| !matches!(bound, Ty::Parameter(..) | Ty::Unknown))
            .collect();
        let says_nothing = matches!(given, Ty::Library(name, _) if is_top(last(name)));
        (!bounds.is_empty())
            .then(|| !says_nothing && bounds.iter().all(|bound| self.fits(given, bound) > 0))
    }

    /// Of several callables of one name those that a call can mean: by number of arguments, then by
    /// their types.
    pub(super) fn overloads(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        candidates: Vec<SymbolId>,
        call: Option<RecipeId>,
    ) -> Vec<SymbolId> {
        self.overloads_on(view, scope, at, candidates, call, None)
    }

    /// The same with a receiver, whose type arguments settle those of the parameters.
    pub(super) fn overloads_on(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        candidates: Vec<SymbolId>,
        call: Option<RecipeId>,
        receiver: Option<&Ty>,
    ) -> Vec<SymbolId> {
        if candidates.len() < 2 {
            return candidates;
        }
        let candidates = self.one_declaration(candidates);
        let overloaded = candidates
            .first()
            .and_then(|first| self.view(first.file))
            .is_some_and(|view| view.semantics.overloads);
        if !overloaded || candidates.len() < 2 {
            return candidates;
        }
        let Some(call @ (Recipe::Call(_, list) | Recipe::New(_, list))) =
            call.map(|call| view.facts.recipe(call))
        else {
            return candidates;
        };
        let arguments = view.facts.list(list).to_vec();
        let is_generic = |symbol: SymbolId| {
            self.symbol(symbol)
                .is_some_and(|(view, declared)| !view.facts.type_parameters(&declared).is_empty())
        };
        let type_arguments = matches!(call, Recipe::Call(callee, _) if matches!(view.facts.recipe(callee), Recipe::TypeArguments(..)));
        let spread = arguments
            .iter()
            .any(|&argument| matches!(view.facts.recipe(argument), Recipe::Spread(_)));
        let by_count: Vec<SymbolId> = if spread {
            candidates.clone()
        } else {
            candidates
                .iter()
                .copied()
                .filter(|candidate| self.takes(*candidate, arguments.len()))
                .collect()
        };
        let by_count = if by_count.is_empty() {
            candidates
        } else {
            by_count
        };
        if by_count.len() < 2 {
            return by_count;
        }
        let given = self.eval_all(view, scope, at, &arguments);
        let mut scored: Vec<(u32, SymbolId)> = by_count
            .iter()
            .filter_map(|candidate| {
                Some((
                    self.score(view, *candidate, &arguments, &given, receiver)?,
                    *candidate,
                ))
            })
            .collect();
        if scored.is_empty() {
            return by_count;
        }
        let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
        scored.retain(|(score, _)| *score == best);
        // Of two that fit as well, the one is meant that is as generic as the call says.
        if scored.len() > 1
            && scored
                .iter()
                .any(|(_, candidate)| is_generic(*candidate) == type_arguments)
        {
            scored.retain(|(_, candidate)| is_generic(*candidate) == type_arguments);
        }
        scored.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Whether a callable can be called with so many arguments.
    pub(super) fn takes(&self, symbol: SymbolId, n_arguments: usize) -> bool {
        let Some((view, declared)) = self.symbol(symbol) else {
            return true;
        };
        // Called as a plain function, an extension is given its receiver first.
        let as_function = has_receiver_parameter(&view, &declared) && n_arguments > 0;
        self.takes_as_member(&view, &declared, n_arguments)
            || as_function && self.takes_as_member(&view, &declared, n_arguments - 1)
    }

    /// How well the arguments fit; nothing if one of them cannot.
    pub(super) fn score(
        &self,
        view: &FileView,
        symbol: SymbolId,
        arguments: &[RecipeId],
        given: &[Ty],
        receiver: Option<&Ty>,
    ) -> Option<u32> {
        let (other, declared) = self.symbol(symbol)?;
        let scope = declared.body.unwrap_or(declared.declared_in);
        let as_function = !matches!(
            receiver,
            Some(Ty::Instance(..) | Ty::Library(..) | Ty::External(_) | Ty::Array(_))
        ) && has_receiver_parameter(&other, &declared);
        let parameters: Vec<_> = other
            .facts
            .parameters(&declared)
            .iter()
            .filter(|parameter| as_function || !parameter.flags.contains(ParameterFlags::RECEIVER))
            .collect();
        if given.len() > parameters.len()
            && !parameters
                .iter()
                .any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC))
        {
            return None;
        }
        let mut score = match receiver {
            Some(receiver) => self.extension_fit(&other, &declared, receiver)?,
            None => 0,
        };
        for (i, (ty, &argument)) in given.iter().zip(arguments).enumerate() {
            let named = match view.facts.recipe(argument) {
                Recipe::Field(name, _) => parameters
                    .iter()
                    .find(|parameter| other.facts.name(parameter.name) == view.facts.name(name)),
                _ => None,
            };
            let Some(parameter) = named
                .or_else(|| parameters.get(i))
                .or_else(|| parameters.last())
            else {
                return Some(score);
            };
            let mut wanted = self.written_type(&other, scope, declared.span.start, parameter.ty);
            if let Some(receiver) = receiver
                && wanted.has_parameters()
            {
                wanted = self.settled_by_receiver(symbol, &wanted, receiver);
            }
            if parameter.flags.contains(ParameterFlags::VARIADIC)
                && let Ty::Array(item) = &wanted
                && !matches!(ty, Ty::Array(_))
            {
                wanted = (**item).clone();
            }
            let fit = match ty {
                Ty::Lambda(file, lambda, recipe) => {
                    self.lambda_fits(*file, *lambda, *recipe, &wanted)
                }
                ty => self.fits(ty, &wanted),
            };
            if fit == 0 {
                return None;
            }
            // An exact count is a better fit than a variadic one.
            score += fit * 4 - u32::from(parameter.flags.contains(ParameterFlags::VARIADIC));
        }
        Some(score + u32::from(parameters.len() == given.len()))
    }

    fn lambda_fits(
        &self,
        file: crate::FileId,
        scope: ScopeId,
        recipe: RecipeId,
        wanted: &Ty,
    ) -> u32 {
        let Some(view) = self.view(file) else {
            return 50;
        };
        let n_parameters = view
            .facts
            .bindings
            .iter()
            .filter(|binding| binding.scope == scope && binding.parameter.is_some())
            .count();
        let Some((parameters, result)) = self.library_signature(&view, wanted) else {
            return match wanted {
                // A library type that is known and can not be called takes no function.
                Ty::Library(name, _)
                    if !is_top(last(name)) && Shapes::of(view.semantics).find(name).is_some() =>
                {
                    0
                }
                wanted => self.fits(&Ty::Lambda(file, scope, recipe), wanted),
            };
        };
        if parameters.len() != n_parameters {
            return 0;
        }
        // The types that it writes for its parameters are the ones it takes.
        let written = view
            .facts
            .bindings
            .iter()
            .filter(|binding| binding.scope == scope && binding.ty.is_known());
        let conflicts = written
            .filter_map(|binding| Some((binding, parameters.get(binding.parameter? as usize)?)))
            .any(|(binding, wanted)| {
                self.fits(
                    &self.written_type(&view, scope, binding.from, binding.ty),
                    wanted,
                ) == 0
            });
        if conflicts {
            return 0;
        }
        // What it returns tells overloads apart that take the same parameters.
        match (self.lambda_result(file, scope, recipe), result) {
            (Ty::Unknown | Ty::External(_), _) | (_, Ty::Unknown) => 90,
            (Ty::Optional(_), Ty::Optional(_)) => 100,
            (Ty::Optional(_), Ty::Library(..) | Ty::Instance(..)) => 10,
            (given, Ty::Optional(wanted)) => self.fits(&given, &wanted).min(60),
            (given, wanted) => self.fits(&given, &wanted),
        }
    }

    /// Members that can be called with these arguments: the type's own, else extensions.
    pub(super) fn callable_members(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        ty: &Ty,
        name: &str,
        arguments: &[RecipeId],
    ) -> Vec<Hit> {
        let mut hits = self.members_in_sight(view, ty, name, Some(arguments.len()));
        let takes = |hit: &Hit| {
            self.kind(hit.symbol)
                .is_some_and(|kind| !kind.is_callable())
                || self.takes(hit.symbol, arguments.len())
        };
        let is_extension = |hit: &Hit| {
            self.symbol(hit.symbol)
                .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::EXTENSION))
        };
        if hits.is_empty() || hits.iter().all(is_extension) {
            return hits;
        }
        let given = std::cell::OnceCell::new();
        let fits = |hit: &Hit| {
            let given = given.get_or_init(|| self.eval_all(view, scope, at, arguments));
            takes(hit)
                && self
                    .score(view, hit.symbol, arguments, given, Some(ty))
                    .is_some()
        };
        if view.semantics.overloads && !hits.iter().any(fits) {
            // An overload may stand in a supertype.
            let inherited: Vec<Hit> = self
                .inherited_overloads(ty, name)
                .into_iter()
                .filter(fits)
                .collect();
            if !inherited.is_empty() {
                hits = inherited;
            }
        }
        let extensions = ty
            .alternatives()
            .into_iter()
            .flat_map(|ty| self.extensions_in_sight(view, &ty, name, Some(arguments.len())));
        let mut extensions: Vec<Hit> = extensions.collect();
        extensions.retain(|extension| !hits.contains(extension));
        if extensions.is_empty() {
            return hits;
        }
        if !hits.iter().any(takes) {
            return extensions;
        }
        if hits.iter().any(fits) || !extensions.iter().any(fits) {
            hits
        } else {
            extensions
        }
    }

    /// What a bare call can mean: members of the type around it, or where none of them takes the
    /// arguments, one that it inherits.
    pub(super) fn or_inherited(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        candidates: Vec<SymbolId>,
        call: Option<RecipeId>,
    ) -> Vec<SymbolId> {
        let Some(first) = candidates
            .first()
            .copied()
            .filter(|_| view.semantics.overloads)
        else {
            return candidates;
        };
        let Some(Recipe::Call(_, list)) = call.map(|call| view.facts.recipe(call)) else {
            return candidates;
        };
        let is_member = self.symbol(first).is_some_and(|(view, declared)| {
            declared.kind.is_callable()
                && declared
                    .parent
                    .is_some_and(|parent| view.symbol(parent).kind.is_type())
        });
        if !is_member {
            return candidates;
        }
        let ty = self.self_type(first);
        let mut inherited: Vec<SymbolId> = self
            .inherited_overloads(&ty, &self.name(first))
            .into_iter()
            .map(|hit| hit.symbol)
            .collect();
        if inherited.is_empty() {
            return candidates;
        }
        let arguments = view.facts.list(list).to_vec();
        let given = self.eval_all(view, scope, at, &arguments);
        let fits = |symbol: &SymbolId| {
            self.takes(*symbol, arguments.len())
                && self
                    .score(view, *symbol, &arguments, &given, Some(&ty))
                    .is_some()
        };
        if candidates.iter().any(fits) {
            return candidates;
        }
        inherited.retain(fits);
        if inherited.is_empty() {
            candidates
        } else {
            inherited
        }
    }

    /// The members of a name in the supertypes behind the first that has one.
    fn inherited_overloads(&self, ty: &Ty, name: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for ty in ty.alternatives() {
            let (Ty::Instance(symbol, _) | Ty::Type(symbol, _)) = &ty else {
                continue;
            };
            let levels = self
                .linearized(*symbol, &ty)
                .into_iter()
                .filter_map(|level| {
                    let (Ty::Instance(holder, _) | Ty::Type(holder, _)) = &level else {
                        return None;
                    };
                    let own = self.own_members(*holder, name);
                    (!own.is_empty()).then(|| (level.clone(), own))
                });
            for (level, own) in levels.skip(1) {
                hits.extend(own.iter().map(|symbol| Hit {
                    symbol: *symbol,
                    receiver: level.clone(),
                }));
            }
        }
        hits
    }

    /// What a member reference means, given what its receiver is.
    pub(super) fn member_reference(
        &self,
        view: &FileView,
        reference: &Reference,
        receiver: &Ty,
    ) -> Resolution {
        let name = view.facts.name(reference.name);
        let (mut targets, mut external, mut known) = (Vec::new(), false, false);
        let mut rule = Rule::Member;
        if let Recipe::Cast(written) = reference
            .receiver
            .map_or(Recipe::Unknown, |receiver| view.facts.recipe(receiver))
            && let Some(variant) =
                self.variant(view, reference.scope, reference.span.start, written)
        {
            let own = self.own_members(variant, name);
            if !own.is_empty() {
                return Resolution::new(
                    Outcome::Static,
                    Rule::Member,
                    own.iter().map(|symbol| Found::Symbol(*symbol)).collect(),
                );
            }
        }
        let mut alternatives = receiver.alternatives();
        for ty in &mut alternatives {
            // A smart pointer hands on what it does not have itself.
            for _ in 0..4 {
                match self.dereferenced(view, ty, name) {
                    Some(inner) => *ty = inner,
                    None => break,
                }
            }
        }
        let n_arguments = match reference.call.map(|call| view.facts.recipe(call)) {
            Some(Recipe::Call(_, list)) if reference.role == Role::Call => Some(list.len as usize),
            _ => None,
        };
        let extensions = |ty: &Ty| self.extensions_in_sight(view, ty, name, n_arguments);
        for ty in alternatives {
            match &ty {
                Ty::External(_) if !extensions(&ty).is_empty() => {
                    targets.extend(
                        extensions(&ty)
                            .into_iter()
                            .map(|hit| Found::Symbol(hit.symbol)),
                    );
                }
                Ty::Module(Module::External(path)) | Ty::External(path) => {
                    external = true;
                    targets.push(Found::External(below(path, view.semantics.separator, name)));
                }
                Ty::Module(module) => {
                    rule = Rule::ModuleMember;
                    let found = self.module_member(module, name, view);
                    known |= !found.is_empty();
                    targets.extend(found.iter().cloned());
                    if found.is_empty()
                        && let Module::Namespace(path) = module
                    {
                        let nested = Module::Namespace(below(path, ".", name));
                        targets.push(Found::Module(nested));
                    }
                    if let Module::Type(symbol) = module {
                        targets.extend(
                            self.members(&Ty::Type(*symbol, Arc::from([])), name)
                                .into_iter()
                                .map(|hit| Found::Symbol(hit.symbol)),
                        );
                    }
                }
                Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                    let hits = match (
                        reference.role,
                        reference.call.map(|call| view.facts.recipe(call)),
                    ) {
                        (Role::Call, Some(Recipe::Call(_, list))) => {
                            let arguments = view.facts.list(list).to_vec();
                            self.callable_members(
                                view,
                                reference.scope,
                                reference.span.start,
                                &ty,
                                name,
                                &arguments,
                            )
                        }
                        _ => self.members_in_sight(view, &ty, name, None),
                    };
                    if hits.is_empty() && matches!(ty, Ty::Type(..)) && self.constructs(view, name)
                    {
                        known = true;
                        targets.push(Found::Symbol(self.constructor_of(&ty).unwrap_or(*symbol)));
                    } else if hits.is_empty() {
                        external |= self.has_library_base(*symbol)
                            || self.shape_member(view, ROOT_TYPE, name).is_some();
                    } else {
                        known = true;
                    }
                    targets.extend(hits.into_iter().map(|hit| Found::Symbol(hit.symbol)));
                }
                Ty::Parameter(..) => {
                    let hits = self.members(&ty, name);
                    targets.extend(hits.into_iter().map(|hit| Found::Symbol(hit.symbol)));
                }
                Ty::Library(of, _) | Ty::LibraryType(of, _) => {
                    let hits = extensions(&ty);
                    if hits.is_empty() {
                        external = true;
                        targets.push(Found::External(format!("{of}.{name}").into()));
                    }
                    targets.extend(hits.into_iter().map(|hit| Found::Symbol(hit.symbol)));
                }
                Ty::Function(symbol, _)
                    if !self.function_members(view, *symbol, name).is_empty() =>
                {
                    targets.extend(self.function_members(view, *symbol, name));
                }
                Ty::Array(_)
                | Ty::Tuple(_)
                | Ty::Lambda(..)
                | Ty::Signature(_)
                | Ty::Function(..)
                | Ty::Applied(..)
                | Ty::LibraryMember(..)
                | Ty::LibraryApplied(..) => {
                    let hits = extensions(&ty);
                    external |= hits.is_empty();
                    targets.extend(hits.into_iter().map(|hit| Found::Symbol(hit.symbol)));
                }
                Ty::Null | Ty::Unknown | Ty::Optional(_) | Ty::Union(_) => {}
            }
        }
        let _ = known;
        let mut symbols: Vec<SymbolId> = Vec::new();
        for found in &targets {
            if let Found::Symbol(symbol) = found
                && !symbols.contains(symbol)
            {
                symbols.push(*symbol);
            }
        }
        if !symbols.is_empty() {
            let symbols = self.of_role(symbols, reference.role);
            let chosen = match reference.role {
                Role::Call | Role::Instantiate => self.overloads_on(
                    view,
                    reference.scope,
                    reference.span.start,
                    symbols,
                    reference.call,
                    Some(receiver),
                ),
                _ => self.one_declaration(symbols),
            };
            let chosen = self.accessor(chosen, reference.role);
            let outcome = if self.undecided(&chosen) {
                Outcome::Ambiguous
            } else {
                Outcome::Static
            };
            return Resolution::new(
                outcome,
                rule,
                chosen.into_iter().map(Found::Symbol).collect(),
            );
        }
        if targets.iter().any(|found| matches!(found, Found::Module(module) if !matches!(module, Module::Namespace(_)))) {
            return Resolution::new(Outcome::Static, rule, targets);
        }
        if external {
            targets.retain(|found| matches!(found, Found::External(_)));
            return Resolution::new(Outcome::External, Rule::Library, targets);
        }
        if receiver.is_known()
            && !matches!(
                receiver,
                Ty::Null | Ty::Parameter(..) | Ty::Module(Module::Namespace(_))
            )
        {
            return Resolution::unresolved();
        }
        // A path that nothing here starts is a library's.
        if let Ty::Module(Module::Namespace(path)) = receiver {
            let path = below(path, view.semantics.separator, name);
            return Resolution::new(
                Outcome::External,
                Rule::Library,
                vec![Found::External(path)],
            );
        }
        // A key of an object that is given to something unknown is nobody's.
        let is_key = reference
            .receiver
            .is_some_and(|receiver| matches!(view.facts.recipe(receiver), Recipe::Parameter(..)));
        if is_key {
            Resolution::unresolved()
        } else {
            self.by_name_alone(view, reference, name)
        }
    }

    /// Members that are assigned to a function: `make.fast = …`; where the function is what its
    /// module exports, the module's as well.
    pub(super) fn function_members(
        &self,
        view: &FileView,
        symbol: SymbolId,
        name: &str,
    ) -> Vec<Found> {
        if view.semantics.modules != facts::ModuleSystem::EcmaScript {
            return Vec::new();
        }
        let own = self.own_members(symbol, name);
        if !own.is_empty() {
            return own.iter().map(|symbol| Found::Symbol(*symbol)).collect();
        }
        let module = Module::File(symbol.file);
        match self.exported_whole(view, &module) {
            Some(Found::Symbol(whole)) if whole == symbol => {
                self.module_member(&module, name, view).to_vec()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a member of that name makes an object of the type it is called on.
    pub(super) fn constructs(&self, view: &FileView, name: &str) -> bool {
        !name.is_empty() && name == view.semantics.construction.by_member
    }

    /// The member that runs when an object of the type is made, own or inherited.
    fn constructor_of(&self, ty: &Ty) -> Option<SymbolId> {
        let Ty::Type(symbol, _) = ty else { return None };
        let names = self.view(symbol.file)?.semantics.construction.constructors;
        names
            .iter()
            .find_map(|name| self.members(ty, name).first().map(|hit| hit.symbol))
    }

    /// Several overloads of one type are left: none is chosen.
    pub(super) fn undecided(&self, symbols: &[SymbolId]) -> bool {
        let [first, rest @ ..] = symbols else {
            return false;
        };
        let Some((view, declared)) = self.symbol(*first).filter(|_| !rest.is_empty()) else {
            return false;
        };
        view.semantics.overloads
            && declared.kind.is_callable()
            && rest.iter().all(|other| {
                self.symbol(*other).is_some_and(|(_, found)| {
                    found.kind.is_callable()
                        && (other.file != first.file || found.parent == declared.parent)
                })
            })
    }

    /// A field and a method may share a name: a call means the method, anything else the field.
    pub(super) fn of_role(&self, symbols: Vec<SymbolId>, role: Role) -> Vec<SymbolId> {
        if symbols.len() < 2 {
            return symbols;
        }
        let wanted = |symbol: &SymbolId| {
            self.kind(*symbol).is_some_and(|kind| {
                if role == Role::Call {
                    kind.is_callable()
                } else {
                    !kind.is_callable()
                }
            })
        };
        if symbols.iter().any(wanted) {
            symbols.into_iter().filter(wanted).collect()
        } else {
            symbols
        }
    }

    /// A property has a getter and a setter of one name: the one that the use means comes first,
    /// both are the property.
    fn accessor(&self, symbols: Vec<SymbolId>, role: Role) -> Vec<SymbolId> {
        if symbols.len() < 2 {
            return symbols;
        }
        let is = |symbol: &SymbolId, modifier| {
            self.symbol(*symbol)
                .is_some_and(|(_, found)| found.modifiers.contains(modifier))
        };
        let wanted = if role == Role::Write {
            Modifiers::SETTER
        } else {
            Modifiers::GETTER
        };
        let fitting: Vec<SymbolId> = symbols
            .iter()
            .copied()
            .filter(|symbol| is(symbol, wanted))
            .collect();
        if fitting.is_empty() { symbols } else { fitting }
    }

    /// Whether some supertype is not in the repository, so that a missing member may come from
    /// there.
    pub(super) fn has_library_base(&self, symbol: SymbolId) -> bool {
        let all = self.linearized(symbol, &Ty::instance(symbol));
        all.iter().any(|ty| {
            let (Ty::Instance(of, _) | Ty::Type(of, _)) = ty else {
                return false;
            };
            self.supertypes(*of).iter().any(|supertype| {
                matches!(
                    supertype.ty,
                    Ty::Library(..) | Ty::External(_) | Ty::Unknown | Ty::LibraryType(..)
                )
            })
        })
    }

    /// The receiver stays unknown: the only member of that name, if libraries do not own the name,
    /// else candidates.
    fn by_name_alone(&self, view: &FileView, reference: &Reference, name: &str) -> Resolution {
        /// With more candidates than this, how many arguments each takes would not leave one.
        const MANY: usize = 100;
        let may_be_meant = |sketch: &&Sketch| {
            let member = sketch.has_owner
                || sketch
                    .parent
                    .is_some_and(|parent| parent.is_type() || parent == SymbolKind::Impl);
            let kind = sketch.kind.is_callable()
                || sketch.kind.is_value()
                || reference.role != Role::Call && sketch.kind.is_type();
            sketch.family == view.semantics.family
                && member
                && kind
                && !sketch.modifiers.contains(Modifiers::LOCAL)
        };
        let mut candidates: Vec<SymbolId> = self
            .sketches(name)
            .iter()
            .filter(may_be_meant)
            .map(|sketch| sketch.id)
            .collect();
        if let (Role::Call, Some(Recipe::Call(_, list))) = (
            reference.role,
            reference.call.map(|call| view.facts.recipe(call)),
        ) && candidates.len() <= MANY
        {
            candidates.retain(|symbol| {
                self.kind(*symbol).is_some_and(|kind| !kind.is_callable())
                    || self.takes(*symbol, list.len as usize)
            });
        }
        if candidates.is_empty() {
            return Resolution::unresolved();
        }
        if Shapes::of(view.semantics).owns(name) {
            return Resolution::new(
                Outcome::Ambiguous,
                Rule::ManyNames,
                candidates.into_iter().map(Found::Symbol).collect(),
            );
        }
        match candidates.as_slice() {
            [_] => Resolution::new(
                Outcome::Heuristic,
                Rule::UniqueName,
                candidates.into_iter().map(Found::Symbol).collect(),
            ),
            _ => Resolution::new(
                Outcome::Ambiguous,
                Rule::ManyNames,
                candidates.into_iter().map(Found::Symbol).collect(),
            ),
        }
    }
}

pub(super) fn is_optional(flags: ParameterFlags) -> bool {
    [
        ParameterFlags::OPTIONAL,
        ParameterFlags::VARIADIC,
        ParameterFlags::KEYWORD_VARIADIC,
        ParameterFlags::BLOCK,
    ]
    .iter()
    .any(|&flag| flags.contains(flag))
}

fn last(path: &str) -> &str {
    path.rsplit(['.', ':']).next().unwrap_or(path)
}

/// How well a library type stands for another.
fn library_fits(given: &str, wanted: &str) -> u32 {
    if given == wanted {
        return 100;
    }
    if let (Some(given), Some(wanted)) = (numeric_rank(given), numeric_rank(wanted)) {
        // Numbers widen, one step at a time.
        return if wanted >= given {
            90 - (wanted - given)
        } else {
            40 - (given - wanted)
        };
    }
    if boxed(given) == boxed(wanted) {
        return 70;
    }
    if is_textual(given) && is_textual(wanted) {
        return 85;
    }
    if is_top(wanted) {
        return 20;
    }
    let plain = |name: &str| is_primitive(name) || is_textual(name);
    match (plain(given), plain(wanted)) {
        // A text is no number, and neither is a container.
        (true, true) => 0,
        (true, false)
            if matches!(
                wanted,
                "Comparable" | "Serializable" | "Number" | "IComparable" | "IFormattable"
            ) =>
        {
            30
        }
        (true, false) | (false, true) => {
            u32::from(!plain(boxed(given)) && !plain(boxed(wanted))) * 10
        }
        (false, false) => 50,
    }
}

fn is_top(name: &str) -> bool {
    matches!(
        name,
        "Object" | "object" | "Any" | "any" | "dynamic" | "mixed" | "unknown" | "interface{}"
    )
}

fn is_textual(name: &str) -> bool {
    matches!(name, "String" | "string" | "str" | "CharSequence")
}

/// A wrapper's plain type: `Integer` is `int`.
fn boxed(name: &str) -> &str {
    match name {
        "Integer" | "Int" | "Int32" => "int",
        "Long" | "Int64" => "long",
        "Short" | "Int16" => "short",
        "Byte" => "byte",
        "Character" | "Char" => "char",
        "Float" | "Single" => "float",
        "Double" => "double",
        "Boolean" => "boolean",
        name => name,
    }
}

fn numeric_rank(name: &str) -> Option<u32> {
    Some(match name {
        "byte" | "sbyte" | "i8" | "u8" | "int8" | "uint8" => 1,
        "short" | "ushort" | "i16" | "u16" | "int16" | "uint16" | "char" => 2,
        "int" | "uint" | "i32" | "u32" | "int32" | "uint32" | "rune" => 3,
        "long" | "ulong" | "i64" | "u64" | "int64" | "uint64" | "usize" | "isize" | "size_t" => 4,
        "float" | "f32" | "float32" => 5,
        "double" | "f64" | "float64" => 6,
        "decimal" => 7,
        _ => return None,
    })
}

pub(super) fn is_primitive(name: &str) -> bool {
    matches!(
        last(name),
        "int"
            | "long"
            | "short"
            | "byte"
            | "char"
            | "float"
            | "double"
            | "boolean"
            | "bool"
            | "decimal"
            | "uint"
            | "ulong"
            | "ushort"
            | "sbyte"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
            | "number"
            | "Int"
            | "Long"
            | "Short"
            | "Byte"
            | "Char"
            | "Float"
            | "Double"
            | "Boolean"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "float32"
            | "float64"
            | "rune"
            | "size_t"
    )
}
