//! Types that derive from a type: by what they declare, or by having the methods that it asks for.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use facts::{
    Facts, Modifiers, NameId, ParameterFlags, Recipe, RecipeId, Structural, SymbolIndex,
    SymbolKind, TypeId, TypeRecipe,
};
use rustc_hash::FxHashSet;

use super::{
    FileView, Guard, Module, Resolver, Sketch, SymbolId, Ty,
    members::Super,
    shapes::{ShapeType, Shapes},
};

use crate::FileId;

impl Resolver<'_> {
    /// The types that extend or implement a type directly, and those that satisfy it by structure;
    /// in order of path and place.
    pub fn derived(&self, symbol: SymbolId) -> Arc<[SymbolId]> {
        self.remember(
            |memo| &memo.derived,
            symbol,
            Guard::Derived(symbol),
            Arc::from([]),
            || {
                let mut derived = BTreeSet::new();
                self.declared_derived(symbol, &mut derived);
                if self.is_structural(symbol) {
                    derived.extend(self.satisfying(symbol));
                }
                derived.into_iter().collect::<Vec<_>>().into()
            },
        )
    }

    /// Every type above a type, nearest first: what it declares with all that stands above, then
    /// what it satisfies by structure.
    pub fn above(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let mut found = self.declared_above(symbol);
        found.extend(
            self.satisfied(symbol)
                .iter()
                .filter(|interface| !found.contains(interface))
                .copied()
                .collect::<Vec<_>>(),
        );
        found
    }

    /// The same, of what it satisfies by structure only what asks for a method of this name by
    /// itself.
    pub(crate) fn above_with(&self, symbol: SymbolId, method: &str) -> Vec<SymbolId> {
        let mut found = self.declared_above(symbol);
        let satisfied = self.satisfied_of(symbol, std::iter::once(method));
        found.extend(
            satisfied
                .into_iter()
                .filter(|interface| !found.contains(interface))
                .collect::<Vec<_>>(),
        );
        found
    }

    fn declared_above(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let levels = self
            .linearized(symbol, &Ty::instance(symbol))
            .into_iter()
            .skip(1);
        levels
            .filter_map(|level| match level {
                Ty::Instance(of, _) | Ty::Type(of, _) => Some(of),
                _ => None,
            })
            .collect()
    }

    /// The names of the types that a value belongs to where its members come from a library,
    /// nearest first: a type of the repository counts with what it extends of libraries.
    pub(crate) fn library_types(&self, view: &FileView, ty: &Ty) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let shapes = Shapes::of(view.semantics);
        let mut open: Vec<Ty> = ty.alternatives();
        open.reverse();
        while let Some(ty) = open.pop() {
            let name = match &ty {
                Ty::Library(name, _) | Ty::LibraryType(name, _) | Ty::External(name) => {
                    name.to_string()
                }
                Ty::Module(Module::External(path)) => path.to_string(),
                Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                    for level in self.linearized(*symbol, &ty).iter().rev() {
                        let (Ty::Instance(of, _) | Ty::Type(of, _)) = level else {
                            continue;
                        };
                        let beyond = |above: &&Super| {
                            matches!(
                                above.ty,
                                Ty::Library(..) | Ty::LibraryType(..) | Ty::External(_)
                            )
                        };
                        open.extend(
                            self.supertypes(*of)
                                .iter()
                                .filter(beyond)
                                .map(|above| above.ty.clone()),
                        );
                    }
                    self.name(*symbol)
                }
                _ => continue,
            };
            if names.contains(&name) {
                continue;
            }
            let above = shapes
                .find(&name)
                .map(|(_, shape)| shape.supertypes.as_slice())
                .unwrap_or_default();
            open.extend(above.iter().rev().filter_map(|above| match above {
                ShapeType::Named(name, _) => Some(Ty::library(name)),
                _ => None,
            }));
            names.push(name);
        }
        names
    }

    /// Whether a value of one type may stand where another is asked for.
    pub fn is_a(&self, symbol: SymbolId, wanted: SymbolId) -> bool {
        let parts = self.parts(wanted);
        parts.contains(&symbol)
            || self
                .declared_above(symbol)
                .iter()
                .any(|of| parts.contains(of))
            || self.may_satisfy(symbol)
                && self.is_structural(wanted)
                && self.satisfies(symbol, wanted)
    }

    /// Files that mention the type under any of its names, and the headers in them that name it as
    /// a supertype.
    fn declared_derived(&self, symbol: SymbolId, derived: &mut BTreeSet<SymbolId>) {
        let Some(own) = self.view(symbol.file) else {
            return;
        };
        let parts = self.parts(symbol);
        let snapshot = self.snapshot();
        let mut names = vec![own.name_of(symbol.index).to_owned()];
        let mut seen: FxHashSet<String> = names.iter().cloned().collect();
        while let Some(name) = names.pop() {
            for content in snapshot.corpus().mentioning(&name) {
                for &file in snapshot.files_of(content) {
                    if !self.budget.spend() {
                        self.taint(0);
                        return;
                    }
                    let Some(view) = self
                        .passing_view(file)
                        .filter(|view| view.semantics.family == own.semantics.family)
                    else {
                        continue;
                    };
                    let Some(id) = view.facts.names.find(&name) else {
                        continue;
                    };
                    for supertype in view
                        .facts
                        .supertypes
                        .iter()
                        .filter(|supertype| is_headed_by(&view.facts, supertype.ty, id))
                    {
                        let mut holder = SymbolId {
                            file,
                            index: supertype.symbol,
                        };
                        if self.kind(holder) == Some(SymbolKind::Impl) {
                            match self.self_type(holder) {
                                Ty::Instance(of, _) => holder = of,
                                _ => continue,
                            }
                        }
                        let supertypes = self.supertypes(holder);
                        let inherits =
                            supertypes.iter().any(|found| matches!(&found.ty, Ty::Instance(of, _) | Ty::Type(of, _) if parts.contains(of)));
                        if inherits && !parts.contains(&holder) {
                            derived.insert(holder);
                        }
                    }
                    // Under another name the type is looked for as well.
                    let imported = view
                        .facts
                        .imports
                        .iter()
                        .filter(|import| import.item == Some(id))
                        .filter_map(|import| import.local);
                    let exported = view
                        .facts
                        .exports
                        .iter()
                        .filter(|export| export.local == Some(id))
                        .map(|export| export.exported);
                    for other in imported.chain(exported) {
                        let other = view.facts.name(other);
                        if other != "*" && seen.insert(other.to_owned()) {
                            names.push(other.to_owned());
                        }
                    }
                }
            }
        }
    }

    /// Whether having its methods is enough to be one.
    fn is_structural(&self, symbol: SymbolId) -> bool {
        let Some((view, declared)) = self.symbol(symbol) else {
            return false;
        };
        match view.semantics.structural {
            Structural::Never => false,
            Structural::Interfaces => declared.kind == SymbolKind::Interface,
            Structural::Base(base) => {
                self.supertypes(symbol)
                    .iter()
                    .any(|supertype| match &supertype.ty {
                        Ty::Library(name, _) | Ty::LibraryType(name, _) | Ty::External(name) => {
                            name.rsplit(['.', ':']).next() == Some(base)
                        }
                        _ => false,
                    })
            }
        }
    }

    /// The types that have all methods of a structural type.
    fn satisfying(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let wanted = self.methods(symbol);
        let Some(rarest) = wanted.keys().min_by_key(|name| self.sketches(name).len()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for candidate in self.symbols_named(rarest) {
            let Ty::Instance(holder, _) = self.self_type(candidate) else {
                continue;
            };
            if !found.contains(&holder)
                && !self.is_structural_only(holder)
                && has_methods(&self.methods(holder), &wanted)
                && holder != symbol
            {
                found.push(holder);
            }
        }
        found
    }

    /// A structural type of another language rule: a Python protocol does not implement another.
    fn is_structural_only(&self, symbol: SymbolId) -> bool {
        self.view(symbol.file)
            .is_some_and(|view| matches!(view.semantics.structural, Structural::Base(_)))
            && self.is_structural(symbol)
    }

    /// The structural types that a type satisfies, in order of path and place.
    pub fn satisfied(&self, symbol: SymbolId) -> Arc<[SymbolId]> {
        let find = || {
            self.satisfied_of(symbol, self.methods(symbol).keys().map(String::as_str))
                .into()
        };
        self.remember_whole(|memo| &memo.satisfied, symbol, |_| 1, find)
    }

    /// Those of them that ask for a method of one of these names by themselves.
    fn satisfied_of<'n>(
        &self,
        symbol: SymbolId,
        methods: impl Iterator<Item = &'n str>,
    ) -> Vec<SymbolId> {
        let Some(view) = self.view(symbol.file).filter(|_| self.may_satisfy(symbol)) else {
            return Vec::new();
        };
        let interfaces = self.structural_with_any(methods, view.semantics.structural);
        interfaces
            .into_iter()
            .filter(|interface| self.satisfies(symbol, *interface))
            .collect()
    }

    /// Whether the language has structural types, and this one may be one of them by its methods.
    fn may_satisfy(&self, symbol: SymbolId) -> bool {
        self.view(symbol.file)
            .is_some_and(|view| view.semantics.structural != Structural::Never)
            && !self.is_structural_only(symbol)
    }

    fn structural_with_any<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
        structural: Structural,
    ) -> BTreeSet<SymbolId> {
        let mut found = BTreeSet::new();
        // What extends the base names it; few files do.
        let naming: FxHashSet<FileId> = match structural {
            Structural::Base(base) => {
                let contents = self.snapshot().corpus().mentioning(base);
                contents
                    .into_iter()
                    .flat_map(|content| self.snapshot().files_of(content))
                    .copied()
                    .collect()
            }
            _ => FxHashSet::default(),
        };
        let may_ask_for_it = |sketch: &&Sketch| match structural {
            Structural::Interfaces => sketch.parent == Some(SymbolKind::Interface),
            _ => sketch.parent.is_some_and(SymbolKind::is_type) && naming.contains(&sketch.id.file),
        };
        for name in names {
            for sketch in self.sketches(name).iter().filter(may_ask_for_it) {
                if !self.budget.spend() {
                    self.taint(0);
                    return found;
                }
                let candidate = &sketch.id;
                let Some((view, declared)) = self.symbol(*candidate) else {
                    continue;
                };
                let Some(parent) = declared.parent else {
                    continue;
                };
                let id = SymbolId {
                    file: candidate.file,
                    index: parent,
                };
                if !view.symbol(parent).modifiers.contains(Modifiers::LOCAL)
                    && self.is_structural(id)
                {
                    found.insert(id);
                }
            }
        }
        found
    }

    /// Whether a type has all methods that a structural type asks for, which is at least one.
    fn satisfies(&self, symbol: SymbolId, interface: SymbolId) -> bool {
        let (own, wanted) = (self.methods(symbol), self.methods(interface));
        // An interface that asks for all of another's methods implies it.
        let narrower = self.kind(symbol) != Some(SymbolKind::Interface) || wanted.len() < own.len();
        interface != symbol && !wanted.is_empty() && narrower && has_methods(&own, &wanted)
    }

    /// The methods that values of a type have, with the number of arguments that each takes where
    /// that is one.
    fn methods(&self, symbol: SymbolId) -> Arc<Methods> {
        self.remember_whole(
            |memo| &memo.methods,
            symbol,
            |methods| 1 + methods.len(),
            || {
                let mut methods = Methods::new();
                for ty in self.linearized(symbol, &Ty::instance(symbol)) {
                    let Ty::Instance(holder, _) = ty else {
                        continue;
                    };
                    for part in self.parts(holder) {
                        let Some(view) = self.view(part.file) else {
                            continue;
                        };
                        for child in view
                            .children(Some(part.index))
                            .filter(|&child| view.symbol(child).kind == SymbolKind::Method)
                        {
                            add_method(&mut methods, &view, child);
                        }
                    }
                    self.methods_elsewhere(holder, &mut methods);
                }
                Arc::new(methods)
            },
        )
    }

    /// Methods written outside of the type, in files that mention it.
    fn methods_elsewhere(&self, symbol: SymbolId, methods: &mut Methods) {
        let Some(view) = self
            .view(symbol.file)
            .filter(|view| view.semantics.structural == Structural::Interfaces)
        else {
            return;
        };
        let snapshot = self.snapshot();
        let directory = snapshot.file(symbol.file).path.directory();
        let mentioning = snapshot.corpus().mentioning(view.name_of(symbol.index));
        let files = mentioning
            .into_iter()
            .flat_map(|content| snapshot.files_of(content));
        for &file in files.filter(|file| snapshot.file(**file).path.directory() == directory) {
            let Some(other) = self.view(file) else {
                continue;
            };
            for (index, declared) in other.facts.symbols_with_index() {
                let is_method = declared.owner.is_known() && declared.kind == SymbolKind::Method;
                if is_method
                    && matches!(self.self_type(SymbolId { file, index }), Ty::Instance(of, _) if of == symbol)
                {
                    add_method(methods, &other, index);
                }
            }
        }
    }
}

/// By name; nothing for a method that takes any of several numbers of arguments.
pub(super) type Methods = BTreeMap<String, Option<usize>>;

/// What stands nearer to the type comes first and counts.
fn add_method(methods: &mut Methods, view: &FileView, method: SymbolIndex) {
    let parameters = view.facts.parameters(view.symbol(method)).iter();
    let is_open = parameters.clone().any(|parameter| {
        let flags = [
            ParameterFlags::OPTIONAL,
            ParameterFlags::VARIADIC,
            ParameterFlags::KEYWORD_VARIADIC,
        ];
        flags.into_iter().any(|flag| parameter.flags.contains(flag))
    });
    let n_taken = parameters
        .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
        .count();
    methods
        .entry(view.name_of(method).to_owned())
        .or_insert((!is_open).then_some(n_taken));
}

fn has_methods(own: &Methods, wanted: &Methods) -> bool {
    wanted
        .iter()
        .all(|(name, asked)| match (own.get(name), asked) {
            (None, _) => false,
            (Some(Some(taken)), Some(asked)) => taken == asked,
            _ => true,
        })
}

/// Whether a written supertype may be one of this name; what is not plainly a name may be any.
fn is_headed_by(facts: &Facts, ty: TypeId, name: NameId) -> bool {
    match facts.type_recipe(ty) {
        TypeRecipe::Name(of) | TypeRecipe::Scoped(_, of) => of == name,
        TypeRecipe::Apply(head, _) => is_headed_by(facts, head, name),
        TypeRecipe::Of(recipe) => is_value_of(facts, recipe, name),
        _ => true,
    }
}

fn is_value_of(facts: &Facts, recipe: RecipeId, name: NameId) -> bool {
    match facts.recipe(recipe) {
        Recipe::Name(of) | Recipe::Member(_, of) | Recipe::Scoped(_, of) => of == name,
        _ => true,
    }
}
