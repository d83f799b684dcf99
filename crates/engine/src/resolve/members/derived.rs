//! Types that derive from a type: by what they declare, or by having the methods that it asks for.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::FileId;
use crate::resolve::{
    FileView, Guard, Resolver, Sketch, SymbolId, Ty, modules::Module, order, order::Super, owner,
    shapes::ShapeType,
};
use facts::{
    ContentNumber, Facts, Modifiers, NameId, ParameterFlags, Recipe, RecipeId, Structural,
    SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The types that extend or implement a type directly, and those that satisfy it by structure;
/// in order of path and place.
pub fn derived(resolver: &Resolver, symbol: SymbolId) -> Arc<[SymbolId]> {
    resolver.memoize_cyclic(
        &resolver.analysis.tables.derived,
        symbol,
        Guard::Derived(symbol),
        Arc::from([]),
        || {
            let mut derived = BTreeSet::new();
            declared_derived(resolver, symbol, &mut derived);
            if is_structural(resolver, symbol) {
                derived.extend(satisfying(resolver, symbol));
            }
            derived.into_iter().collect::<Vec<_>>().into()
        },
    )
}

/// Every type above a type, nearest first: what it declares with all above it, then
/// what it satisfies by structure.
pub fn all_supertypes(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let mut found = declared_supertypes(resolver, symbol);
    found.extend(
        satisfied(resolver, symbol)
            .iter()
            .filter(|interface| !found.contains(interface))
            .copied()
            .collect::<Vec<_>>(),
    );
    found
}

/// Every type above a type by declaration, and of what it satisfies by structure only what asks for
/// a method of this name itself.
pub fn supertypes_declaring(resolver: &Resolver, symbol: SymbolId, method: &str) -> Vec<SymbolId> {
    let mut found = declared_supertypes(resolver, symbol);
    let satisfied = satisfied_of(resolver, symbol, std::iter::once(method));
    found.extend(
        satisfied
            .into_iter()
            .filter(|interface| !found.contains(interface))
            .collect::<Vec<_>>(),
    );
    found
}

pub fn declared_supertypes(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let levels = order::linearized(resolver, symbol, &Ty::instance(symbol))
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
pub fn library_types(resolver: &Resolver, view: &FileView, ty: &Ty) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let shapes = view.shapes();
    let mut open: Vec<Ty> = ty.alternatives();
    open.reverse();
    while let Some(ty) = open.pop() {
        let name = match &ty {
            Ty::Library(..) | Ty::LibraryType(..) | Ty::External(_) => {
                ty.library_path().unwrap_or_default()
            }
            Ty::Module(Module::External(path)) => path.to_string(),
            Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                for level in order::linearized(resolver, *symbol, &ty).iter().rev() {
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
                        order::supertypes(resolver, *of)
                            .iter()
                            .filter(beyond)
                            .map(|above| above.ty.clone()),
                    );
                }
                resolver.name(*symbol)
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

/// Whether a value of one type may be given where another is asked for.
pub fn is_a(resolver: &Resolver, symbol: SymbolId, wanted: SymbolId) -> bool {
    let parts = owner::parts(resolver, wanted);
    parts.contains(&symbol)
        || declared_supertypes(resolver, symbol)
            .iter()
            .any(|of| parts.contains(of))
        || may_satisfy(resolver, symbol)
            && is_structural(resolver, wanted)
            && satisfies(resolver, symbol, wanted)
}

/// Where files of one family name something as a supertype.
#[derive(Default)]
pub struct Headers {
    /// Types and implementations.
    holders: Vec<SymbolId>,
    /// Other names that files give it.
    others: BTreeSet<String>,
}

/// The types whose headers name this one as a supertype, under any of its names.
pub fn declared_derived(resolver: &Resolver, symbol: SymbolId, derived: &mut BTreeSet<SymbolId>) {
    let Some(own) = resolver.view(symbol.file) else {
        return;
    };
    let parts = owner::parts(resolver, symbol);
    let mut names = vec![own.name_of(symbol.index).to_owned()];
    let mut seen: FxHashSet<String> = names.iter().cloned().collect();
    while let Some(name) = names.pop() {
        let headers = headers(resolver, &name, own.semantics.family);
        for &(mut holder) in &headers.holders {
            if !resolver.budget.spend() {
                resolver.memo.mark_incomplete();
                return;
            }
            if resolver.kind(holder) == Some(SymbolKind::Impl) {
                match owner::self_type(resolver, holder) {
                    Ty::Instance(of, _) => holder = of,
                    _ => continue,
                }
            }
            let supertypes = order::supertypes(resolver, holder);
            let inherits =
                supertypes.iter().any(|found| matches!(&found.ty, Ty::Instance(of, _) | Ty::Type(of, _) if parts.contains(of)));
            if inherits && !parts.contains(&holder) {
                derived.insert(holder);
            }
        }
        for other in &headers.others {
            if seen.insert(other.clone()) {
                names.push(other.clone());
            }
        }
    }
}

/// What all headers say of a name. Every file that mentions it is read once, however many types
/// have it.
fn headers(resolver: &Resolver, name: &str, family: facts::Family) -> Arc<Headers> {
    let find = || {
        let mut headers = Headers::default();
        let snapshot = resolver.snapshot();
        for content in resolver.budget.read(snapshot.corpus().mentioning(name)) {
            for &file in snapshot.files_of(content) {
                if !resolver.budget.spend() {
                    resolver.memo.mark_incomplete();
                    return Arc::new(headers);
                }
                if let Some(view) = resolver.passing_view(file)
                    && view.semantics.family == family
                {
                    headers.read(&view, file, name);
                }
            }
        }
        Arc::new(headers)
    };
    resolver.memo.memoize_acyclic(
        &resolver.analysis.tables.headers,
        (name.into(), family),
        |headers| headers.holders.len() + headers.others.len() + 1,
        find,
    )
}

impl Headers {
    fn read(&mut self, view: &FileView, file: FileId, name: &str) {
        let Some(id) = view.facts.names.find(name) else {
            return;
        };
        let naming = view
            .facts
            .supertypes
            .iter()
            .filter(|supertype| is_headed_by(&view.facts, supertype.ty, id))
            .map(|supertype| SymbolId::new(file, supertype.symbol));
        self.holders.extend(naming);
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
        let others = imported
            .chain(exported)
            .map(|other| view.facts.name(other))
            .filter(|other| *other != "*");
        self.others.extend(others.map(str::to_owned));
    }
}

/// Whether having its methods is enough to be one.
pub fn is_structural(resolver: &Resolver, symbol: SymbolId) -> bool {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return false;
    };
    match view.semantics.structural {
        Structural::Never => false,
        Structural::Interfaces => declared.kind == SymbolKind::Interface,
        Structural::Base(base) => {
            let supertypes = order::supertypes(resolver, symbol);
            let mut paths = supertypes
                .iter()
                .filter_map(|above| above.ty.library_path());
            paths.any(|path| path.rsplit(['.', ':']).next() == Some(base))
        }
    }
}

/// The types that have all methods of a structural type.
pub fn satisfying(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let wanted = methods(resolver, symbol);
    // Methods of libraries have no symbols.
    let named = wanted
        .keys()
        .filter(|name| !resolver.sketches(name).is_empty());
    let Some(rarest) = named.min_by_key(|name| resolver.sketches(name).len()) else {
        return Vec::new();
    };
    let mut holders = Vec::new();
    for candidate in resolver.symbols_named(rarest) {
        if let Ty::Instance(holder, _) = owner::self_type(resolver, candidate)
            && !holders.contains(&holder)
        {
            holders.push(holder);
        }
    }
    with_embedding(resolver, symbol, &mut holders);
    let satisfies = |holder: &SymbolId| {
        !is_structural_only(resolver, *holder)
            && has_methods(&methods(resolver, *holder), &wanted)
            && *holder != symbol
    };
    holders.retain(satisfies);
    holders
}

/// Adds the types that embed one of these, at any depth: they have its methods.
fn with_embedding(resolver: &Resolver, asked: SymbolId, types: &mut Vec<SymbolId>) {
    /// Above this, a method says too little about what has it, and looking takes long.
    const MANY: usize = 32;
    let by_structure = resolver
        .view(asked.file)
        .is_some_and(|view| view.semantics.structural == Structural::Interfaces);
    let mut next = 0;
    while by_structure && next < types.len() && types.len() < MANY {
        let mut embedding = BTreeSet::new();
        declared_derived(resolver, types[next], &mut embedding);
        let new: Vec<SymbolId> = embedding
            .into_iter()
            .filter(|ty| !types.contains(ty))
            .collect();
        types.extend(new);
        next += 1;
    }
}

/// A structural type of another language rule: a Python protocol does not implement another.
pub fn is_structural_only(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver
        .view(symbol.file)
        .is_some_and(|view| matches!(view.semantics.structural, Structural::Base(_)))
        && is_structural(resolver, symbol)
}

/// The structural types that a type satisfies, in order of path and place.
pub fn satisfied(resolver: &Resolver, symbol: SymbolId) -> Arc<[SymbolId]> {
    let find = || {
        let own = methods(resolver, symbol);
        let mut interfaces = satisfied_of(resolver, symbol, own.keys().map(String::as_str));
        // An interface may ask for methods only through those that it embeds.
        let n_found = interfaces.len();
        with_embedding(resolver, symbol, &mut interfaces);
        let mut place = 0;
        interfaces.retain(|interface| {
            place += 1;
            place <= n_found
                || is_structural(resolver, *interface) && satisfies(resolver, symbol, *interface)
        });
        interfaces.sort();
        interfaces.into()
    };
    resolver
        .memo
        .memoize_acyclic(&resolver.analysis.tables.satisfied, symbol, |_| 1, find)
}

/// Those of them that ask for a method of one of these names by themselves.
pub fn satisfied_of<'n>(
    resolver: &Resolver,
    symbol: SymbolId,
    methods: impl Iterator<Item = &'n str>,
) -> Vec<SymbolId> {
    let Some(view) = resolver
        .view(symbol.file)
        .filter(|_| may_satisfy(resolver, symbol))
    else {
        return Vec::new();
    };
    let interfaces = structural_with_any(resolver, methods, view.semantics.structural);
    interfaces
        .into_iter()
        .filter(|interface| satisfies(resolver, symbol, *interface))
        .collect()
}

/// Whether the language has structural types, and this one may be one of them by its methods.
pub fn may_satisfy(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver
        .view(symbol.file)
        .is_some_and(|view| view.semantics.structural != Structural::Never)
        && !is_structural_only(resolver, symbol)
}

pub fn structural_with_any<'n>(
    resolver: &Resolver,
    names: impl Iterator<Item = &'n str>,
    structural: Structural,
) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    // What extends the base names it; few files do.
    let naming: FxHashSet<FileId> = match structural {
        Structural::Base(base) => {
            let mentioning = resolver.snapshot().corpus().mentioning(base);
            let contents = resolver.budget.read(mentioning);
            contents
                .into_iter()
                .flat_map(|content| resolver.snapshot().files_of(content))
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
        for sketch in resolver.sketches(name).iter().filter(may_ask_for_it) {
            if !resolver.budget.spend() {
                resolver.memo.mark_incomplete();
                return found;
            }
            let candidate = &sketch.id;
            let Some((view, declared)) = resolver.symbol(*candidate) else {
                continue;
            };
            let Some(parent) = declared.parent else {
                continue;
            };
            let id = candidate.beside(parent);
            if !view.symbol(parent).modifiers.contains(Modifiers::LOCAL)
                && is_structural(resolver, id)
            {
                found.insert(id);
            }
        }
    }
    found
}

/// Whether a type has all methods that a structural type asks for, which is at least one.
pub fn satisfies(resolver: &Resolver, symbol: SymbolId, interface: SymbolId) -> bool {
    let (own, wanted) = (methods(resolver, symbol), methods(resolver, interface));
    // An interface that asks for all of another's methods implies it.
    let narrower = resolver.kind(symbol) != Some(SymbolKind::Interface) || wanted.len() < own.len();
    interface != symbol && !wanted.is_empty() && narrower && has_methods(&own, &wanted)
}

/// The methods that values of a type have, with the number of arguments that each takes where
/// that is one.
pub fn methods(resolver: &Resolver, symbol: SymbolId) -> Arc<Methods> {
    resolver.memo.memoize_acyclic(
        &resolver.analysis.tables.methods,
        symbol,
        |methods| 1 + methods.len(),
        || {
            let mut methods = Methods::new();
            for ty in order::linearized(resolver, symbol, &Ty::instance(symbol)) {
                let Ty::Instance(holder, _) = ty else {
                    continue;
                };
                for part in owner::parts(resolver, holder) {
                    let Some(view) = resolver.view(part.file) else {
                        continue;
                    };
                    for child in view
                        .children(Some(part.index))
                        .filter(|&child| view.symbol(child).kind == SymbolKind::Method)
                    {
                        add_method(&mut methods, &view, child);
                    }
                }
                methods_elsewhere(resolver, holder, &mut methods);
            }
            methods_of_libraries(resolver, symbol, &mut methods);
            Arc::new(methods)
        },
    )
}

/// Methods that a type has from library types that it embeds. Of a library type that is not known,
/// its path is written for all of its methods: only what embeds the same has them.
fn methods_of_libraries(resolver: &Resolver, symbol: SymbolId, methods: &mut Methods) {
    let Some(view) = resolver
        .view(symbol.file)
        .filter(|view| view.semantics.structural == Structural::Interfaces)
    else {
        return;
    };
    for level in order::linearized(resolver, symbol, &Ty::instance(symbol)) {
        let Some(other) = level.holder().and_then(|holder| resolver.view(holder.file)) else {
            continue;
        };
        let embedded = other.facts.supertypes.iter();
        let embedded =
            embedded.filter(|above| Some(above.symbol) == level.holder().map(|of| of.index));
        for path in embedded.filter_map(|above| library_path(&other, above.ty)) {
            match (view.dialect.interface_methods)(&path) {
                Some(names) => {
                    for &name in names {
                        methods.entry(name.to_owned()).or_default();
                    }
                }
                None => {
                    methods.entry(path).or_default();
                }
            }
        }
    }
}

/// The path of a written type that is a library's: `flag.Value`, or a name of the language itself.
fn library_path(view: &FileView, ty: TypeId) -> Option<String> {
    let facts = &view.facts;
    match facts.type_recipe(ty) {
        TypeRecipe::Pointer(inner) => library_path(view, inner),
        TypeRecipe::Name(name) => {
            let name = facts.name(name);
            (view.dialect.interface_methods)(name).map(|_| name.to_owned())
        }
        TypeRecipe::Scoped(outer, name) => {
            let TypeRecipe::Name(local) = facts.type_recipe(outer) else {
                return None;
            };
            let mut imports = facts.imports.iter();
            let import = imports.find(|import| import.local == Some(local))?;
            let path = format!("{}.{}", facts.name(import.module), facts.name(name));
            // A package of the repository has a path that starts with a host.
            (!facts.name(import.module).contains('.')).then_some(path)
        }
        _ => None,
    }
}

/// Methods written outside of the type, in files that mention it.
pub fn methods_elsewhere(resolver: &Resolver, symbol: SymbolId, methods: &mut Methods) {
    let Some(view) = resolver
        .view(symbol.file)
        .filter(|view| view.semantics.structural == Structural::Interfaces)
    else {
        return;
    };
    let snapshot = resolver.snapshot();
    let directory = snapshot.file(symbol.file).path.directory();
    // Gathered first: a common name is mentioned by thousands of files, a directory has few.
    let mut beside: FxHashMap<ContentNumber, Vec<FileId>> = FxHashMap::default();
    for (id, file) in snapshot.below(directory) {
        if file.path.directory() == directory {
            beside.entry(file.content).or_default().push(id);
        }
    }
    let name = view.name_of(symbol.index);
    let is_beside = |content| beside.contains_key(&content);
    let mentioning = snapshot.corpus().mentioning_among(name, &is_beside);
    let contents = resolver.budget.read(mentioning).into_iter();
    let contents = contents.filter_map(|content| beside.get(&content));
    for &file in contents.flatten() {
        let Some(other) = resolver.view(file) else {
            continue;
        };
        for (index, declared) in other.facts.symbols_with_index() {
            let is_method = declared.owner.is_known() && declared.kind == SymbolKind::Method;
            if is_method
                && matches!(owner::self_type(resolver, SymbolId { file, index }), Ty::Instance(of, _) if of == symbol)
            {
                add_method(methods, &other, index);
            }
        }
    }
}

/// By name.
pub type Methods = BTreeMap<String, MethodTypes>;

/// What a method takes and gives, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodTypes {
    /// Nothing where it takes any of several numbers of arguments.
    n_parameters: Option<usize>,
    /// Types as written, where methods of one name are told apart by them.
    types: Option<String>,
}

/// The method nearest to the type is added first and counts.
pub fn add_method(methods: &mut Methods, view: &FileView, method: SymbolIndex) {
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
    let by_types = view.semantics.structural == Structural::Interfaces;
    let taken = MethodTypes {
        n_parameters: (!is_open).then_some(n_taken),
        types: by_types.then(|| written_signature(view, method)).flatten(),
    };
    methods
        .entry(view.name_of(method).to_owned())
        .or_insert(taken);
}

/// The types of a method's parameters and of its result, without the packages they are from;
/// nothing where one of them depends on a type parameter.
fn written_signature(view: &FileView, method: SymbolIndex) -> Option<String> {
    let symbol = view.symbol(method);
    let is_generic = |symbol: &facts::Symbol| symbol.type_parameters.len > 0;
    let parent = symbol.parent.map(|parent| view.symbol(parent));
    if is_generic(symbol) || parent.is_some_and(is_generic) {
        return None;
    }
    let mut text = String::new();
    let parameters = view.parameters(symbol).into_iter();
    for ty in parameters.map(|parameter| parameter.ty).chain([symbol.ty]) {
        write_type(&view.facts, ty, &mut text)?;
        text.push(',');
    }
    Some(text)
}

fn write_type(facts: &Facts, ty: TypeId, text: &mut String) -> Option<()> {
    let inside = match facts.type_recipe(ty) {
        TypeRecipe::Unknown if !ty.is_known() => return Some(()),
        TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => {
            *text += match facts.name(name) {
                "interface{}" => "any",
                name => name,
            };
            return Some(());
        }
        TypeRecipe::Pointer(inner) => {
            text.push('*');
            return write_type(facts, inner, text);
        }
        TypeRecipe::Array(inner) => {
            *text += "[]";
            return write_type(facts, inner, text);
        }
        TypeRecipe::Tuple(types) => types,
        _ => return None,
    };
    for &ty in facts.type_list(inside) {
        write_type(facts, ty, text)?;
        text.push(';');
    }
    Some(())
}

pub fn has_methods(own: &Methods, wanted: &Methods) -> bool {
    fn agree<T: PartialEq>(own: &Option<T>, wanted: &Option<T>) -> bool {
        own.is_none() || wanted.is_none() || own == wanted
    }
    wanted.iter().all(|(name, wanted)| {
        own.get(name).is_some_and(|own| {
            agree(&own.n_parameters, &wanted.n_parameters) && agree(&own.types, &wanted.types)
        })
    })
}

/// Whether a written supertype may be one of this name; what is not plainly a name may be any.
pub fn is_headed_by(facts: &Facts, ty: TypeId, name: NameId) -> bool {
    match facts.type_recipe(ty) {
        TypeRecipe::Name(of) | TypeRecipe::Scoped(_, of) => of == name,
        TypeRecipe::Apply(head, _) => is_headed_by(facts, head, name),
        TypeRecipe::Of(recipe) => is_value_of(facts, recipe, name),
        _ => true,
    }
}

pub fn is_value_of(facts: &Facts, recipe: RecipeId, name: NameId) -> bool {
    match facts.recipe(recipe) {
        Recipe::Name(of) | Recipe::Member(_, of) | Recipe::Scoped(_, of) => of == name,
        _ => true,
    }
}
