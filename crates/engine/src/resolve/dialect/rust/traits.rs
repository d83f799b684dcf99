//! Rust: methods that blocks of implementations give to types, and traits to what implements them.

use facts::{
    Family, ImportKind, Modifiers, Reference, Role, SymbolIndex, SymbolKind, TypeId, TypeRecipe,
};

use crate::resolve::{
    FileView, Place, Resolver, Sketch, SymbolId, Ty, call::CallArguments, eval, fit, lambdas,
    lookup, lookup::MemberHit, order, owner,
};

/// The members that a call by the path of a trait means: those of the block that implements the trait
/// for the first argument, `Display::fmt(self, f)`, or where they have no receiver, for the type that
/// the text declares for the result, `let cart: Cart = Default::default()`.
pub(super) fn named_by_path(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    path: &Ty,
) -> Vec<SymbolId> {
    let view = place.view;
    let name = view.facts.name(reference.name);
    let symbol_name;
    let of_trait = match path {
        Ty::Type(symbol, _) if resolver.kind(*symbol) == Some(SymbolKind::Trait) => {
            symbol_name = resolver.name(*symbol);
            symbol_name.as_str()
        }
        Ty::External(external) if !external.is_value() => last_part(&external.path),
        Ty::LibraryType(path, _) => last_part(path),
        _ => return Vec::new(),
    };
    let in_block =
        |sketch: &Sketch| sketch.parent == Some(SymbolKind::Impl) && sketch.family == Family::Rust;
    let Some(arguments) = CallArguments::of(place, reference.call) else {
        return Vec::new();
    };
    if reference.role != Role::Call || !resolver.sketches(name).iter().any(in_block) {
        return Vec::new();
    }
    let is_of_trait = |symbol: &SymbolId, is_static: bool| {
        resolver.symbol(*symbol).is_some_and(|(other, declared)| {
            declared.modifiers.contains(Modifiers::STATIC) == is_static
                && declared
                    .parent
                    .is_some_and(|block| implemented_trait(&other, block) == Some(of_trait))
        })
    };
    let members = |ty: &Ty, is_static: bool| {
        let mut found: Vec<SymbolId> = match ty {
            // A struct without fields is its own value.
            Ty::Instance(of, _) | Ty::Type(of, _) => {
                lookup::own_members(resolver, *of, name).to_vec()
            }
            Ty::Library(..) | Ty::Array(_) | Ty::Tuple(_) => {
                let hits = implemented(resolver, view, ty, name).into_iter();
                hits.map(|hit| hit.symbol).collect()
            }
            _ => Vec::new(),
        };
        found.retain(|symbol| is_of_trait(symbol, is_static));
        found
    };
    if let Some(&first) = arguments.recipes.first() {
        let found = members(&eval::expression(resolver, place, first), false);
        if !found.is_empty() {
            return found;
        }
    }
    let Some(call) = reference.call else {
        return Vec::new();
    };
    match lambdas::declared_type_of(resolver, view, call) {
        // `Result<Cart, Error>` of what may fail to make a cart.
        Ty::Library(_, types) if matches!(*types, [Ty::Instance(..), ..]) => {
            members(&types[0], true)
        }
        ty => members(&ty, true),
    }
}

/// The name that a path ends with.
fn last_part(path: &str) -> &str {
    path.rsplit([':', '.']).next().unwrap_or(path)
}

/// Methods that the repository implements for a library's type (`impl Ext for http::Request`), a
/// tuple or functions, else the one that it implements for every type (`impl<T> Ext for T`) by a
/// trait that the file knows.
pub(super) fn implemented(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    name: &str,
) -> Vec<MemberHit> {
    /// Above this, the name says too little about the method.
    const MANY: usize = 200;
    if matches!(ty, Ty::Unknown | Ty::Null | Ty::Module(_) | Ty::Union(_)) {
        return Vec::new();
    }
    let library = library_type_name(ty);
    let own = library.and_then(|library| view.shapes().member(library, name));
    let of_trait = own.map(|(_, owner)| owner);
    let named = resolver.sketches(name);
    let in_impls = named
        .iter()
        .filter(|sketch| sketch.parent == Some(SymbolKind::Impl) && sketch.family == Family::Rust);
    let hit = |symbol| MemberHit {
        symbol,
        receiver: ty.clone(),
    };
    let is_parameter = matches!(ty, Ty::Parameter(..));
    if is_parameter || in_impls.clone().nth(MANY).is_some() {
        return provided(resolver, view, ty, name)
            .map(hit)
            .into_iter()
            .collect();
    }
    let fit = |symbol: SymbolId| {
        let own = owner::self_type(resolver, symbol);
        match (ty, &own) {
            (Ty::Tuple(given), Ty::Tuple(wanted)) => tuple_fit(resolver, given, wanted),
            _ => library_fit(view, library, library_type_name(&own), name),
        }
    };
    // What the library's type has comes first, unless it has it from a trait of this repository.
    let may_be_meant = |sketch: &&Sketch| {
        of_trait.is_none_or(|of_trait| {
            resolver.symbol(sketch.id).is_some_and(|(other, declared)| {
                let block = declared.parent;
                block.and_then(|block| implemented_trait(&other, block)) == Some(of_trait)
            })
        })
    };
    let fits: Vec<(usize, SymbolId)> = in_impls
        .clone()
        .filter(may_be_meant)
        .map(|sketch| (fit(sketch.id), sketch.id))
        .collect();
    let best = fits.iter().map(|(fit, _)| *fit).max().unwrap_or(0);
    if best > 0 {
        let fitting = fits.into_iter().filter(|(fit, _)| *fit == best);
        return fitting.map(|(_, symbol)| hit(symbol)).collect();
    }
    if let Some(provided) = provided(resolver, view, ty, name) {
        return vec![hit(provided)];
    }
    // A trait that the table of the library names: the repository is that library.
    let is_owned = of_trait.is_some() || view.shapes().owns(name);
    let is_own_library = |symbol: &SymbolId| {
        resolver.symbol(*symbol).is_some_and(|(other, declared)| {
            let block = declared.parent;
            let of_trait = block.and_then(|block| implemented_trait(&other, block));
            of_trait.is_some_and(|of_trait| view.shapes().member(of_trait, name).is_some())
        })
    };
    let is_function = matches!(ty, Ty::Function(..) | Ty::Lambda(..));
    let mut for_all: Vec<SymbolId> = in_impls
        .map(|sketch| sketch.id)
        .filter(|symbol| !is_owned || is_own_library(symbol))
        .filter(|symbol| is_for_all(resolver, view, *symbol))
        .filter(|symbol| !is_function || is_for_functions(resolver, *symbol, 0))
        .collect();
    if for_all.is_empty() && is_function && !is_owned {
        let in_traits = named.iter().filter(|sketch| {
            sketch.parent == Some(SymbolKind::Trait) && sketch.family == Family::Rust
        });
        for_all = in_traits
            .map(|sketch| sketch.id)
            .filter(|method| provided_to_functions(resolver, view, *method))
            .collect();
    }
    match for_all.as_slice() {
        [only] => vec![hit(*only)],
        _ => Vec::new(),
    }
}

/// How well a library's type fits another that a block is written for: 0 not at all, less where it
/// only becomes the other: a `String` a `str`.
fn library_fit(view: &FileView, given: Option<&str>, wanted: Option<&str>, name: &str) -> usize {
    let (Some(given), Some(wanted)) = (given, wanted) else {
        return 0;
    };
    if given == wanted {
        return 2;
    }
    let shapes = view.shapes();
    let known = |library| shapes.find(library).map(|(name, _)| name);
    let becomes = match (known(given), known(wanted)) {
        (Some(given), Some(wanted)) if given == wanted => given == SLICE,
        (Some(given), Some(wanted)) => shapes.may_extend(given, wanted, name),
        _ => false,
    };
    usize::from(becomes)
}

/// The library's name for arrays and slices of any kind.
const SLICE: &str = "slice";

/// The method that a trait in reach of the file provides to a library's type that it is implemented
/// for, or to every type with a bound that a receiver meets: `impl<T: Iterator> Itertools for T {}`.
/// What the library's type has itself comes first, unless a trait of that name gives it: then the
/// repository is that library.
fn provided(resolver: &Resolver, view: &FileView, ty: &Ty, name: &str) -> Option<SymbolId> {
    let of_library = library_type_name(ty)
        .and_then(|library| view.shapes().member(library, name))
        .map(|(_, owner)| owner);
    let defines = |other: &FileView, block: SymbolIndex| {
        let mut own = other.children(Some(block));
        own.any(|member| other.name_of(member) == name)
    };
    let library = library_type_name(ty);
    let is_for_library = |other: &FileView, block: SymbolIndex| {
        let own = owner::self_type(resolver, other.symbol_id(block));
        library_fit(view, library, library_type_name(&own), name) > 0
    };
    let is_provided = |method: &SymbolId| {
        let Some((other, declared)) = resolver.symbol(*method) else {
            return false;
        };
        let Some(parent) = declared.parent else {
            return false;
        };
        let of_trait = other.name_of(parent);
        let may_be_meant =
            is_in_reach(view, of_trait) && of_library.is_none_or(|owner| owner == of_trait);
        let mut supertypes = other.facts.supertypes.iter();
        may_be_meant
            && supertypes.any(|supertype| {
                let block = supertype.symbol;
                other.symbol(block).kind == SymbolKind::Impl
                    && type_name(&other, supertype.ty) == Some(of_trait)
                    && !defines(&other, block)
                    && match is_blanket(resolver, &other, block) {
                        true => meets_bounds(resolver, view, ty, other.symbol_id(block), name),
                        false => is_for_library(&other, block),
                    }
            })
    };
    let named = resolver.sketches(name);
    let mut methods = named
        .iter()
        .filter(|sketch| sketch.parent == Some(SymbolKind::Trait) && sketch.family == Family::Rust)
        .map(|sketch| sketch.id)
        .filter(is_provided);
    let only = methods.next()?;
    methods.next().is_none().then_some(only)
}

/// Whether a receiver meets a bound of the type that a block `impl<T> Ext for T` is for. What a type
/// of the repository derives is not known; it may meet a library's bound where no library has a
/// method of that name.
fn meets_bounds(
    resolver: &Resolver,
    view: &FileView,
    ty: &Ty,
    block: SymbolId,
    name: &str,
) -> bool {
    let Ty::Parameter(of, i) = owner::self_type(resolver, block) else {
        return false;
    };
    let bounds = lookup::bounds(resolver, of, i);
    // `impl<I: ?Sized> Ext for I where &I: IntoIterator`: what is asked of a reference is not known.
    if bounds.iter().all(is_marker) && library_type_name(ty).is_some() {
        return true;
    }
    let is_bound = |ty: &Ty| {
        bounds.iter().any(|bound| match (bound, ty) {
            (Ty::Instance(bound, _), Ty::Instance(of, _)) => bound == of,
            _ => match (library_type_name(ty), library_type_name(bound)) {
                (Some(given), Some(wanted)) => {
                    let shapes = view.shapes();
                    shapes.find(wanted).is_some() && shapes.may_extend(given, wanted, name)
                }
                _ => false,
            },
        })
    };
    let may_derive = || {
        let of_library = |bound: &Ty| !matches!(bound, Ty::Instance(..));
        bounds.iter().all(of_library) && !view.shapes().owns(name)
    };
    match ty {
        // A struct without fields is its own value.
        Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
            let value = Ty::instance(*symbol);
            let types = order::linearized(resolver, *symbol, &value).into_iter();
            let mut types = types.chain(order::library_supertypes(resolver, *symbol, &value));
            types.any(|ty| is_bound(&ty)) || may_derive()
        }
        Ty::Parameter(of, i) => lookup::bounds(resolver, *of, *i).iter().any(is_bound),
        ty => is_bound(ty),
    }
}

/// Whether a bound asks for nothing that a value could be called with.
fn is_marker(bound: &Ty) -> bool {
    match library_type_name(bound) {
        Some(name) => matches!(name, "Sized" | "Send" | "Sync" | "Unpin"),
        None => matches!(bound, Ty::Unknown),
    }
}

/// How well a tuple fits the tuple that a block is written for: 0 not at all.
fn tuple_fit(resolver: &Resolver, given: &[Ty], wanted: &[Ty]) -> usize {
    if given.len() != wanted.len() {
        return 0;
    }
    let mut fit = 1;
    for (given, wanted) in given.iter().zip(wanted) {
        fit += match (given, wanted) {
            (_, Ty::Parameter(..)) => 1,
            (Ty::Unknown | Ty::Parameter(..), _) => return 0,
            (given, wanted) if library_type_name(wanted).is_some() => {
                match library_type_name(given) == library_type_name(wanted) {
                    true => 10,
                    false => return 0,
                }
            }
            (given, wanted) => match fit::fits(resolver, given, wanted) {
                0 => return 0,
                _ => 5,
            },
        };
    }
    fit
}

/// Whether a method is one of `impl<T> Ext for T`, and a file names the trait or imports by a glob.
/// `impl<T> Ext for &T` is for references only.
fn is_for_all(resolver: &Resolver, view: &FileView, symbol: SymbolId) -> bool {
    let Some((other, declared)) = resolver.symbol(symbol) else {
        return false;
    };
    let Some(block) = declared.parent else {
        return false;
    };
    is_blanket(resolver, &other, block)
        && implemented_trait(&other, block).is_some_and(|name| is_in_reach(view, name))
}

/// Whether a block is `impl<T> Ext for T`.
fn is_blanket(resolver: &Resolver, view: &FileView, block: SymbolIndex) -> bool {
    let block_id = view.symbol_id(block);
    matches!(owner::self_type(resolver, block_id), Ty::Parameter(of, _) if of == block_id)
        && matches!(
            view.facts.type_recipe(view.symbol(block).ty),
            TypeRecipe::Name(_)
        )
}

/// The name of the trait that a block implements.
fn implemented_trait(view: &FileView, block: SymbolIndex) -> Option<&str> {
    let mut supertypes = view.facts.supertypes.iter();
    let implemented = supertypes.find(|supertype| supertype.symbol == block)?;
    type_name(view, implemented.ty)
}

/// Whether a file names a trait, or may import it by a glob.
fn is_in_reach(view: &FileView, name: &str) -> bool {
    let mut imports = view.facts.imports.iter();
    view.facts.names.find(name).is_some() || imports.any(|import| import.kind == ImportKind::Glob)
}

/// Bounds that lead to bounds of functions.
const MAX_BOUNDS: u32 = 2;

/// Whether a block `impl<T> Ext for T`, or one of its methods, is for functions: `T: Fn()`, or a
/// trait that is implemented for functions.
fn is_for_functions(resolver: &Resolver, symbol: SymbolId, depth: u32) -> bool {
    let Ty::Parameter(of, i) = owner::self_type(resolver, symbol) else {
        return false;
    };
    let mut bounds = lookup::bounds(resolver, of, i).into_iter();
    bounds.any(|bound| match bound {
        Ty::Signature(_) => true,
        Ty::Instance(bound, _) if depth < MAX_BOUNDS => functions_have(resolver, bound, depth + 1),
        _ => false,
    })
}

/// Whether the file of a trait implements it for functions.
fn functions_have(resolver: &Resolver, symbol: SymbolId, depth: u32) -> bool {
    let Some(view) = resolver.view(symbol.file) else {
        return false;
    };
    let name = view.name_of(symbol.index);
    let mut supertypes = view.facts.supertypes.iter();
    supertypes.any(|supertype| {
        let block = supertype.symbol;
        view.symbol(block).kind == SymbolKind::Impl
            && type_name(&view, supertype.ty) == Some(name)
            && is_blanket(resolver, &view, block)
            && is_for_functions(resolver, view.symbol_id(block), depth)
    })
}

/// Whether a method of a trait that a file knows is one that functions have.
fn provided_to_functions(resolver: &Resolver, view: &FileView, method: SymbolId) -> bool {
    let declared = resolver.symbol(method);
    let parent = declared.and_then(|(_, declared)| declared.parent);
    parent.is_some_and(|parent| {
        let of = method.beside(parent);
        is_in_reach(view, &resolver.name(of)) && functions_have(resolver, of, 0)
    })
}

/// The name of a written type without its path and arguments.
fn type_name(view: &FileView, ty: TypeId) -> Option<&str> {
    match view.facts.type_recipe(ty) {
        TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) => Some(view.facts.name(name)),
        TypeRecipe::Apply(head, _) => type_name(view, head),
        _ => None,
    }
}

/// The name of the library type that something is, is a value of, or is a constant of:
/// `StatusCode` of `http::StatusCode::NOT_FOUND`.
fn library_type_name(ty: &Ty) -> Option<&str> {
    let path = match ty {
        Ty::Library(path, _) | Ty::LibraryType(path, _) => return path.rsplit([':', '.']).next(),
        Ty::Array(_) => return Some(SLICE),
        Ty::External(external) if !external.is_value() => &*external.path,
        // `http::Request::new(…)` is a request.
        Ty::External(external) => external.constructed()?,
        _ => return None,
    };
    let mut parts = path.rsplit("::");
    let last = parts.next()?;
    let is_type = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.contains(|c: char| c.is_ascii_lowercase())
    };
    let is_constant = !last.contains(|c: char| c.is_ascii_lowercase());
    if is_type(last) {
        Some(last)
    } else {
        parts.next().filter(|part| is_constant && is_type(part))
    }
}
