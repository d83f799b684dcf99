//! Rust: the module tree of a crate.

use facts::{
    Family, Import, ImportKind, Recipe, RecipeId, Role, ScopeId, Span, SymbolIndex, SymbolKind,
    TypeId, TypeRecipe,
};

use super::{Dialect, LibraryFlows, USUAL, project::outer};
use crate::{
    CargoCrate, FileId, is_below,
    resolve::{
        FileView, Found, Place, Resolver, SymbolId, Ty, fit, imports, lookup, lookup::MemberHit,
        modules, modules::Module, order, owner,
    },
};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |resolver, view, import| {
        path_module(resolver, view, import.scope, view.facts.name(import.module))
    },
    declared_module: |resolver, view, import| {
        child_file(resolver, view, import).map(|file| Module::Tree(file, None))
    },
    member_of_module,
    macro_reaches,
    path_start,
    implemented,
    may_be_left_out,
    flows: &LibraryFlows::PLAIN,
    ..USUAL
};

/// Whether a place, or an item around it, has `#[cfg(…)]`, or is in a macro that perhaps nobody calls.
/// What only tests need is no such thing: a build of the tests has it.
fn may_be_left_out(view: &FileView, enclosing: Option<SymbolIndex>, at: u32) -> bool {
    /// Lines from an attribute to the statement or import that it belongs to.
    const NEAR: u32 = 2;
    let facts = &view.facts;
    let is_named = |recipe: RecipeId, wanted: &str| match facts.recipe(recipe) {
        Recipe::Name(name) => facts.name(name) == wanted,
        _ => false,
    };
    let is_condition = |recipe: RecipeId| match facts.recipe(recipe) {
        Recipe::Call(callee, arguments) if is_named(callee, "cfg") => {
            !matches!(facts.list(arguments), [only] if is_named(*only, "test"))
        }
        _ => false,
    };
    let has_condition = |symbol: SymbolIndex| {
        let own = facts.annotations.iter();
        own.filter(|annotation| annotation.symbol == symbol)
            .any(|annotation| is_condition(annotation.recipe))
    };
    let is_macro = |symbol: SymbolIndex| view.symbol(symbol).kind == SymbolKind::Macro;
    let mut around = std::iter::successors(enclosing, |index| view.symbol(*index).parent);
    if around.any(|symbol| has_condition(symbol) || is_macro(symbol)) {
        return true;
    }
    let line = facts.lines.line_number(at);
    let is_near = |of: Span| {
        let distance = line.checked_sub(facts.lines.line_number(of.start));
        distance.is_some_and(|distance| distance <= NEAR)
    };
    // Attributes of statements and imports belong to no symbol.
    let is_of_symbol = |of: Span| {
        let mut annotations = facts.annotations.iter();
        annotations.any(|annotation| annotation.span.encloses(of))
    };
    facts.references.iter().any(|reference| {
        reference.role == Role::Annotation
            && facts.name(reference.name) == "cfg"
            && is_near(reference.span)
            && !is_of_symbol(reference.span)
    })
}

/// Whether a macro is one of the same crate or exported; where the standard library has one of that
/// name, only one of the same file counts.
fn macro_reaches(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    is_standard: bool,
) -> bool {
    if symbol.file == view.id || is_standard {
        return symbol.file == view.id;
    }
    crate_root(resolver, symbol.file) == crate_root(resolver, view.id)
        || is_exported_macro(resolver, symbol)
}

fn is_exported_macro(resolver: &Resolver, symbol: SymbolId) -> bool {
    resolver.view(symbol.file).is_some_and(|view| {
        let mut annotations = view.facts.annotations.iter();
        annotations.any(|annotation| {
            annotation.symbol == symbol.index
                && matches!(view.facts.recipe(annotation.recipe), Recipe::Name(name) if view.facts.name(name) == "macro_export")
        })
    })
}

/// Exported macros are members of their crate's root, wherever they are written.
fn exported_macros(resolver: &Resolver, root: &Module, name: &str) -> Vec<Found> {
    let named = resolver.sketches(name);
    let macros = named.iter().filter(|sketch| {
        sketch.kind == SymbolKind::Macro
            && sketch.family == Family::Rust
            && crate_root(resolver, sketch.id.file) == *root
            && is_exported_macro(resolver, sketch.id)
    });
    macros.map(|sketch| Found::Symbol(sketch.id)).collect()
}

/// Methods that the repository implements for a library's type (`impl Ext for http::Request`), a
/// tuple or functions, else the one that it implements for every type (`impl<T> Ext for T`) by a
/// trait that the file knows.
fn implemented(resolver: &Resolver, view: &FileView, ty: &Ty, name: &str) -> Vec<MemberHit> {
    /// Above this, the name says too little about the method.
    const MANY: usize = 200;
    if matches!(ty, Ty::Unknown | Ty::Null | Ty::Module(_) | Ty::Union(_)) {
        return Vec::new();
    }
    let library = library_type_name(ty);
    let has_own = library.is_some_and(|library| view.shapes().member(library, name).is_some());
    let named = resolver.sketches(name);
    let in_impls = named
        .iter()
        .filter(|sketch| sketch.parent == Some(SymbolKind::Impl) && sketch.family == Family::Rust);
    let hit = |symbol| MemberHit {
        symbol,
        receiver: ty.clone(),
    };
    let is_parameter = matches!(ty, Ty::Parameter(..));
    if is_parameter || has_own || in_impls.clone().nth(MANY).is_some() {
        return provided(resolver, view, ty, name)
            .map(hit)
            .into_iter()
            .collect();
    }
    let fit = |symbol: SymbolId| {
        let own = owner::self_type(resolver, symbol);
        match (ty, &own) {
            (Ty::Tuple(given), Ty::Tuple(wanted)) => tuple_fit(resolver, given, wanted),
            _ => usize::from(library.is_some() && library_type_name(&own) == library),
        }
    };
    let fits: Vec<(usize, SymbolId)> = in_impls
        .clone()
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
    if view.shapes().owns(name) {
        return Vec::new();
    }
    let is_function = matches!(ty, Ty::Function(..) | Ty::Lambda(..));
    let mut for_all: Vec<SymbolId> = in_impls
        .map(|sketch| sketch.id)
        .filter(|symbol| is_for_all(resolver, view, *symbol))
        .filter(|symbol| !is_function || is_for_functions(resolver, *symbol, 0))
        .collect();
    if for_all.is_empty() && is_function {
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

/// The method that a trait in reach of the file provides to every type with a bound that a receiver
/// meets: `impl<T: Iterator> Itertools for T {}`. What the library's type has itself comes first,
/// unless a trait of that name gives it: then the repository is that library.
fn provided(resolver: &Resolver, view: &FileView, ty: &Ty, name: &str) -> Option<SymbolId> {
    let of_library = library_type_name(ty)
        .and_then(|library| view.shapes().member(library, name))
        .map(|(_, owner)| owner);
    let defines = |other: &FileView, block: SymbolIndex| {
        let mut own = other.children(Some(block));
        own.any(|member| other.name_of(member) == name)
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
                    && is_blanket(resolver, &other, block)
                    && !defines(&other, block)
                    && meets_bounds(resolver, view, ty, other.symbol_id(block), name)
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

fn path_start(resolver: &Resolver, place: Place, name: &str) -> Option<Ty> {
    if name == "Self" {
        return Some(owner::self_type_at(resolver, place.view, place.scope).reified());
    }
    match path_module(resolver, place.view, place.scope, name)? {
        Module::Type(symbol) => Some(Ty::type_of(symbol)),
        module => Some(Ty::Module(module)),
    }
}

/// The module a `use` path or any path names, seen from a scope of a file.
fn path_module(resolver: &Resolver, view: &FileView, scope: ScopeId, path: &str) -> Option<Module> {
    let mut parts = path
        .split("::")
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let own = module_at(view, scope);
    let Some(first) = parts.next() else {
        return Some(own);
    };
    let mut module = match first {
        "crate" | "$crate" => crate_root(resolver, view.id),
        "self" => own,
        "super" => parent(resolver, &own)?,
        name => first_part(resolver, view, &own, name)?,
    };
    for part in parts {
        module = match part {
            "self" => module,
            "super" => parent(resolver, &module)?,
            name => step(resolver, &module, name, view)?,
        };
    }
    Some(module)
}

fn first_part(resolver: &Resolver, view: &FileView, own: &Module, name: &str) -> Option<Module> {
    if let Some(module) = step(resolver, own, name, view)
        && !matches!(module, Module::External(_))
    {
        return Some(module);
    }
    if let Some(krate) = dependency(resolver, view.id, name) {
        return Some(krate);
    }
    Some(Module::External(name.into()))
}

/// A crate by the name it has in the code of a file.
fn dependency(resolver: &Resolver, file: FileId, name: &str) -> Option<Module> {
    let project = resolver.snapshot().project();
    let own = crate_of(resolver, file);
    let root = |directory: &str| {
        let krate = project
            .cargo_crates
            .iter()
            .find(|krate| krate.directory == directory)?;
        resolver.snapshot().find(krate.library.as_deref()?)
    };
    if let Some(krate) = own {
        if krate.name == name
            && let Some(library) = krate
                .library
                .as_deref()
                .and_then(|path| resolver.snapshot().find(path))
        {
            return Some(Module::Tree(library, None));
        }
        let dependency = krate.dependencies.iter().find(|(used, _)| used == name);
        if let Some((_, Some(directory))) = dependency {
            return root(directory).map(|file| Module::Tree(file, None));
        }
        if dependency.is_some() {
            return Some(Module::External(name.into()));
        }
    }
    let krate = project
        .cargo_crates
        .iter()
        .find(|krate| krate.name == name)?;
    root(&krate.directory).map(|file| Module::Tree(file, None))
}

fn step(resolver: &Resolver, module: &Module, name: &str, view: &FileView) -> Option<Module> {
    if let Module::External(path) = module {
        return Some(Module::External(format!("{path}::{name}").into()));
    }
    // Before what is imported: in `mod cart; pub use self::cart::cart;` the path starts at the
    // module.
    if let Some(child) = child_module(resolver, module, name) {
        return Some(child);
    }
    let found = modules::module_member(resolver, module, name, view);
    for found in found.iter() {
        match found {
            Found::Module(module) => return Some(module.clone()),
            Found::Symbol(symbol) => match resolver.kind(*symbol)? {
                SymbolKind::Module => {
                    return Some(Module::Tree(symbol.file, Some(symbol.index)));
                }
                kind if kind.is_type() => return Some(Module::Type(*symbol)),
                _ => {}
            },
            Found::External(path) => return Some(Module::External(path.clone())),
            _ => {}
        }
    }
    None
}

/// The module of a name that a module declares.
fn child_module(resolver: &Resolver, module: &Module, name: &str) -> Option<Module> {
    let Module::Tree(file, inline) = *module else {
        return None;
    };
    let view = resolver.view(file)?;
    let scope = inline.map_or(Some(ScopeId::FILE), |inline| view.symbol(inline).body)?;
    let id = view.facts.names.find(name)?;
    let is_module = |index: &SymbolIndex| {
        let symbol = view.symbol(*index);
        symbol.declared_in == scope && symbol.kind == SymbolKind::Module
    };
    if let Some(index) = view.symbols_named(id).find(is_module) {
        return Some(Module::Tree(file, Some(index)));
    }
    let mut imports = view.facts.imports.iter();
    let declaration = imports.find(|import| {
        import.kind == ImportKind::ModuleFile && import.local == Some(id) && import.scope == scope
    })?;
    child_file(resolver, &view, declaration).map(|file| Module::Tree(file, None))
}

fn crate_of<'a>(resolver: &Resolver<'a>, file: FileId) -> Option<&'a CargoCrate> {
    let path = resolver.path(file).as_str();
    let crates = resolver.snapshot().project().cargo_crates.iter();
    crates
        .filter(|krate| is_below(path, &krate.directory))
        .max_by_key(|krate| krate.directory.len())
}

/// The innermost inline module around a scope, else the file's own.
fn module_at(view: &FileView, scope: ScopeId) -> Module {
    for scope in view.outwards(scope) {
        if let Some(owner) = view.facts.scope(scope).owner
            && view.symbol(owner).kind == SymbolKind::Module
        {
            return Module::Tree(view.id, Some(owner));
        }
    }
    Module::Tree(view.id, None)
}

fn is_root(resolver: &Resolver, file: FileId) -> bool {
    let path = resolver.path(file);
    let krate = crate_of(resolver, file);
    krate.is_some_and(|krate| krate.roots.iter().any(|root| root == path.as_str()))
        || matches!(path.file_name(), "lib.rs" | "main.rs" | "build.rs")
        || holds_roots(krate, path.directory())
}

/// Whether each file of a directory is a crate of its own: `tests` beside the manifest, but not
/// `src/cart/tests`.
fn holds_roots(krate: Option<&CargoCrate>, directory: &str) -> bool {
    let (outer, last) = directory.rsplit_once('/').unwrap_or(("", directory));
    match (last, krate) {
        ("bin", Some(krate)) => modules::joined(&krate.directory, "src") == outer,
        ("tests" | "examples" | "benches", Some(krate)) => krate.directory == outer,
        ("tests" | "examples" | "benches", None) => !outer.split('/').any(|part| part == "src"),
        ("bin", None) => true,
        _ => false,
    }
}

/// A file beside it that says `mod` of its name: `tests/tests.rs` with `mod feature;`.
fn declared_beside(resolver: &Resolver, file: FileId) -> Option<FileId> {
    let path = resolver.path(file);
    let stem = path.file_name().trim_end_matches(".rs");
    let beside = resolver
        .snapshot()
        .below(path.directory())
        .filter(|(id, other)| {
            *id != file
                && other.path.directory() == path.directory()
                && other.path.as_str().ends_with(".rs")
        });
    for (id, _) in beside {
        let Some(view) = resolver.view(id) else {
            continue;
        };
        let declares = view.facts.imports.iter().any(|import| {
            import.kind == ImportKind::ModuleFile
                && import
                    .local
                    .is_some_and(|name| view.facts.name(name) == stem)
                && import.scope == ScopeId::FILE
        });
        if declares {
            return Some(id);
        }
    }
    None
}

fn crate_root(resolver: &Resolver, file: FileId) -> Module {
    let mut module = Module::Tree(file, None);
    // Module trees are shallow; the bound guards against links in a circle.
    for _ in 0..64 {
        match parent(resolver, &module) {
            Some(parent) => module = parent,
            None => break,
        }
    }
    module
}

fn parent(resolver: &Resolver, module: &Module) -> Option<Module> {
    let Module::Tree(file, inline) = module else {
        return None;
    };
    if let Some(inline) = inline {
        let view = resolver.view(*file)?;
        let mut parent = view.symbol(*inline).parent;
        while let Some(index) = parent {
            if view.symbol(index).kind == SymbolKind::Module {
                return Some(Module::Tree(*file, Some(index)));
            }
            parent = view.symbol(index).parent;
        }
        return Some(Module::Tree(*file, None));
    }
    let known = resolver.analysis.tables.module_parents.lock().get(file);
    if let Some(parent) = known {
        return parent;
    }
    let parent = parent_file(resolver, *file);
    resolver
        .analysis
        .tables
        .module_parents
        .lock()
        .keep(*file, parent.clone(), 1);
    parent
}

fn parent_file(resolver: &Resolver, file: FileId) -> Option<Module> {
    if is_root(resolver, file) {
        let path = resolver.path(file);
        let maybe_part = matches!(
            path.directory().rsplit('/').next(),
            Some("tests" | "examples" | "benches" | "bin")
        );
        let parent = maybe_part
            .then(|| declared_beside(resolver, file))
            .flatten();
        return parent.map(|parent| Module::Tree(parent, None));
    }
    let path = resolver.path(file).clone();
    let directory = if path.file_name() == "mod.rs" {
        outer(path.directory())
    } else {
        path.directory()
    };
    let beside = format!("{directory}.rs");
    for candidate in [
        modules::joined(directory, "mod.rs"),
        beside,
        modules::joined(directory, "lib.rs"),
        modules::joined(directory, "main.rs"),
    ] {
        if candidate != path.as_str()
            && let Some(parent) = resolver.snapshot().find(candidate.trim_start_matches('/'))
        {
            return Some(Module::Tree(parent, None));
        }
    }
    // Declared with a path of its own: the root that mentions it.
    let krate = crate_of(resolver, file)?;
    let declares = |root: &&String| {
        let Some(root) = resolver.snapshot().find(root).filter(|root| *root != file) else {
            return false;
        };
        let Some(view) = resolver.view(root) else {
            return false;
        };
        view.facts.imports.iter().any(|import| {
            import.kind == ImportKind::ModuleFile
                && child_file(resolver, &view, import) == Some(file)
        })
    };
    let root = krate.roots.iter().find(declares)?;
    resolver
        .snapshot()
        .find(root)
        .map(|root| Module::Tree(root, None))
}

/// The file of `mod name;`.
fn child_file(resolver: &Resolver, view: &FileView, import: &Import) -> Option<FileId> {
    let name = import.local.map_or("", |name| view.facts.name(name));
    let path = resolver.path(view.id);
    // `#[path = "x.rs"]` is kept as the item.
    if let Some(item) = import.item
        && let Some(target) = modules::relative(path.directory(), view.facts.name(item))
    {
        return resolver.snapshot().find(&target);
    }
    let mut directory = path.directory().to_owned();
    if !is_root(resolver, view.id) && path.file_name() != "mod.rs" {
        directory = modules::joined(&directory, path.file_name().trim_end_matches(".rs"));
    }
    for scope in view
        .outwards(import.scope)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        if let Some(owner) = view.facts.scope(scope).owner
            && view.symbol(owner).kind == SymbolKind::Module
        {
            directory = modules::joined(&directory, view.name_of(owner));
        }
    }
    let candidates = [
        modules::joined(&directory, &format!("{name}.rs")),
        modules::joined(&modules::joined(&directory, name), "mod.rs"),
    ];
    candidates
        .iter()
        .find_map(|candidate| resolver.snapshot().find(candidate))
}

fn member_of_module(resolver: &Resolver, module: &Module, name: &str) -> Vec<Found> {
    let Module::Tree(file, inline) = *module else {
        return Vec::new();
    };
    if name == "super" {
        let parent = parent(resolver, module);
        return parent.into_iter().map(Found::Module).collect();
    }
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let Some(scope) = inline.map_or(Some(ScopeId::FILE), |inline| view.symbol(inline).body) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if let Some(id) = view.facts.names.find(name) {
        for index in view.symbols_named(id) {
            let symbol = view.symbol(index);
            if symbol.declared_in == scope && symbol.kind != SymbolKind::Impl {
                found.push(if symbol.kind == SymbolKind::Module {
                    Found::Module(Module::Tree(file, Some(index)))
                } else {
                    Found::Symbol(SymbolId { file, index })
                });
            }
        }
        for (i, import) in view.facts.imports.iter().enumerate() {
            if import.local == Some(id) && import.scope == scope {
                found.extend(
                    imports::import_targets(resolver, &view, i as u32)
                        .iter()
                        .cloned(),
                );
            }
        }
    }
    if found.is_empty() {
        for (i, import) in view.facts.imports.iter().enumerate() {
            if import.kind == ImportKind::Glob && import.scope == scope {
                found.extend(imports::glob_member(resolver, &view, i as u32, name));
            }
        }
    }
    if found.is_empty() && inline.is_none() && parent(resolver, module).is_none() {
        found = exported_macros(resolver, module, name);
    }
    found.dedup();
    found
}
