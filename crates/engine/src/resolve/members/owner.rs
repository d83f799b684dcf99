//! Which type a symbol belongs to, and which declarations together are one thing.

use crate::resolve::{
    FileView, Guard, Place, Resolver, SymbolId, Ty, imports, lookup, values, written,
};
use facts::{
    BindingKind, Merging, Modifiers, Parameter, ScopeId, Symbol, SymbolIndex, SymbolKind, TypeId,
    TypeRecipe,
};

/// All declarations that together are one type: partial parts, reopened classes, merged
/// interfaces.
pub fn parts(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return vec![symbol];
    };
    let merging = view.semantics.declarations.merging;
    let added = (view.dialect.added_parts)(resolver, &view, symbol);
    let merges = declared.modifiers.contains(Modifiers::PARTIAL) || merging != Merging::Partial;
    if !merges || !declared.kind.is_type() {
        return vec![symbol];
    }
    let key = |view: &FileView, index| imports::normalized(&qualified_name(view, index).join("."));
    let own = key(&view, symbol.index);
    let same_file_only = merging == Merging::File;
    let mut parts = vec![symbol];
    for sketch in resolver.sketches(view.name_of(symbol.index)).iter() {
        let other = &sketch.id;
        let fits = sketch.family == view.semantics.family
            && sketch.kind.is_type()
            && (!same_file_only || other.file == symbol.file);
        let Some((other_view, found)) = fits.then(|| resolver.symbol(*other)).flatten() else {
            continue;
        };
        let arity = found.type_parameters.len == declared.type_parameters.len || same_file_only;
        // What a block declares for all files is not what the file declares beside it.
        let is_ambient = |symbol: &facts::Symbol| symbol.modifiers.contains(Modifiers::EXTERN);
        let arity = arity && (!same_file_only || is_ambient(&found) == is_ambient(&declared));
        if *other != symbol && arity && key(&other_view, other.index) == own {
            parts.push(*other);
        }
    }
    for &part in added.iter() {
        if resolver.kind(part).is_some_and(SymbolKind::is_type) && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

/// The blocks of members that are written for a type: impls, extension blocks.
pub fn impls_of(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let Some(view) = resolver.view(symbol.file) else {
        return Vec::new();
    };
    if !view.semantics.declarations.impls {
        return Vec::new();
    }
    let named = resolver.sketches(view.name_of(symbol.index));
    let impls = named
        .iter()
        .filter(|sketch| sketch.kind == SymbolKind::Impl)
        .map(|sketch| sketch.id);
    impls
        .filter(|id| matches!(self_type(resolver, *id), Ty::Instance(other, _) if other == symbol))
        .collect()
}

/// The type whose member a symbol is: that of the impl, the receiver, the class around it.
pub fn self_type(resolver: &Resolver, symbol: SymbolId) -> Ty {
    resolver.memoize_cyclic(
        &resolver.analysis.tables.self_types,
        symbol,
        Guard::SelfType(symbol),
        Ty::Unknown,
        || {
            let Some((view, declared)) = resolver.symbol(symbol) else {
                return Ty::Unknown;
            };
            if declared.owner.is_known() && !is_explicit_implementation(&view, &declared) {
                return written::header_type(resolver, &view, &declared, declared.owner);
            }
            if declared.kind == SymbolKind::Impl {
                return written::header_type(resolver, &view, &declared, declared.ty);
            }
            let mut parent = declared.parent;
            while let Some(index) = parent {
                let id = symbol.beside(index);
                let outer = view.symbol(index);
                if outer.kind.is_type() {
                    return own_instance(resolver, id);
                }
                if outer.kind == SymbolKind::Impl || outer.owner.is_known() {
                    return self_type(resolver, id);
                }
                parent = outer.parent;
            }
            Ty::Unknown
        },
    )
}

/// A member of a class that is seen only through the interface it names: `void IFoo.Bar()`.
pub fn is_explicit_implementation(view: &FileView, declared: &facts::Symbol) -> bool {
    declared.owner.is_known()
        && !declared.modifiers.contains(Modifiers::EXTENSION)
        && declared
            .parent
            .is_some_and(|parent| view.symbol(parent).kind.is_type())
}

/// A value of a type seen from inside: its arguments are its own parameters.
pub fn own_instance(resolver: &Resolver, symbol: SymbolId) -> Ty {
    let symbol = whole(resolver, symbol);
    let n_parameters = resolver
        .symbol(symbol)
        .map_or(0, |(_, declared)| declared.type_parameters.len);
    Ty::Instance(
        symbol,
        (0..n_parameters)
            .map(|i| Ty::Parameter(symbol, i as u16))
            .collect(),
    )
}

/// The declaration by which a type is known that several files declare.
pub fn whole(resolver: &Resolver, symbol: SymbolId) -> SymbolId {
    resolver
        .view(symbol.file)
        .map_or(symbol, |view| (view.dialect.whole)(resolver, &view, symbol))
}

/// What `self` is in a scope.
pub fn self_type_at(resolver: &Resolver, view: &FileView, scope: ScopeId) -> Ty {
    for scope in view.outwards(scope) {
        if let Some(declared) = declared_self(resolver, view, scope) {
            return declared;
        }
        let Some(owner) = view.facts.scope(scope).owner else {
            continue;
        };
        let symbol = view.symbol(owner);
        let id = view.symbol_id(owner);
        if symbol.kind.is_type() {
            return own_instance(resolver, id);
        }
        if symbol.kind == SymbolKind::Impl || symbol.owner.is_known() {
            return self_type(resolver, id);
        }
        let constructs = view.semantics.declarations.constructor_functions
            && symbol.kind == SymbolKind::Function
            && view
                .children(Some(owner))
                .any(|child| view.symbol(child).kind == SymbolKind::Field);
        if constructs {
            return Ty::instance(id);
        }
    }
    Ty::Unknown
}

/// What a function says that `this` is: `function (this: Cart)`.
fn declared_self(resolver: &Resolver, view: &FileView, scope: ScopeId) -> Option<Ty> {
    if !view.semantics.declarations.constructor_functions {
        return None;
    }
    let this = view.facts.names.find(view.semantics.self_types.first()?)?;
    let is_declared = |binding: &&facts::Binding| {
        binding.scope == scope && binding.kind == BindingKind::Parameter
    };
    let mut bindings = view.facts.bindings_of(this).iter();
    let binding = bindings.find(is_declared)?;
    let place = Place::new(view, scope, binding.from);
    let ty = written::written_type(resolver, place, binding.ty);
    ty.is_known().then_some(ty)
}

/// The object whose method a place is in, where a literal is the object: `exports = { run() { this.stop()
/// } }`.
pub fn object_at(view: &FileView, scope: ScopeId) -> Option<SymbolId> {
    let method = view.facts.scope(view.region(scope)).owner?;
    let method = view.symbol(method);
    let object = method
        .parent
        .filter(|_| method.kind == SymbolKind::Method && !method.owner.is_known())?;
    view.symbol(object)
        .kind
        .is_value()
        .then(|| view.symbol_id(object))
}

/// Other declarations of the same thing: prototypes and definitions, partial parts, overload
/// signatures, accessors.
pub fn declarations_of(resolver: &Resolver, symbol: SymbolId) -> Vec<SymbolId> {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return Vec::new();
    };
    let added = (view.dialect.added_parts)(resolver, &view, symbol);
    if declared.kind.is_type() {
        let mut found = parts(resolver, symbol);
        found.extend(added.iter().copied());
        return found;
    }
    let name = view.name_of(symbol.index).to_owned();
    let accessor = Modifiers::GETTER | Modifiers::SETTER;
    let mut found = added.to_vec();
    for sketch in resolver
        .sketches(&name)
        .iter()
        .filter(|sketch| sketch.family == view.semantics.family)
    {
        let other = &sketch.id;
        let is_of_file = view.semantics.declarations.functions_of_file
            && (is_static_function(&view, &declared) || sketch.is_static_function());
        let is_apart = other.file != symbol.file
            && (is_of_file
                || !view.semantics.prototypes && !sketch.modifiers.contains(Modifiers::PARTIAL));
        if *other == symbol || is_apart {
            continue;
        }
        let Some((other_view, found_symbol)) = resolver.symbol(*other) else {
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
        // A header may be read as a language without overloads, which has no members either.
        let told_apart = view.semantics.overloads
            || view.semantics.declarations.prototypes_by_types
                && (other_view.semantics.overloads
                    || declared
                        .parent
                        .is_some_and(|parent| view.symbol(parent).kind.is_type()));
        // Where a name has one body, its signatures are declarations of one thing.
        let is_overload = view.semantics.declarations.merging == Merging::File
            && siblings
            && declared.kind.is_callable()
            && declared.kind == found_symbol.kind
            && declared.declared_in == found_symbol.declared_in
            && declared.modifiers.contains(Modifiers::STATIC)
                == found_symbol.modifiers.contains(Modifiers::STATIC);
        let signatures = siblings && prototype && !told_apart || is_overload;
        let linked = view.semantics.prototypes
            && prototype
            && same_owner(resolver, symbol, *other)
            && (!told_apart
                || declared.modifiers.contains(Modifiers::CONST)
                    == found_symbol.modifiers.contains(Modifiers::CONST)
                    && same_parameters(
                        resolver,
                        (Place::inside(&view, &declared), &declared),
                        (Place::inside(&other_view, &found_symbol), &found_symbol),
                    ));
        let parts = declared.modifiers.contains(Modifiers::PARTIAL)
            && found_symbol.modifiers.contains(Modifiers::PARTIAL)
            && self_type(resolver, symbol) == self_type(resolver, *other);
        if accessors || signatures || linked || parts {
            found.push(*other);
        }
    }
    found
}

/// Whether a function is one of its file only, where `static` says that.
fn is_static_function(view: &FileView, declared: &Symbol) -> bool {
    let is_member = declared
        .parent
        .is_some_and(|parent| view.symbol(parent).kind.is_type());
    declared.modifiers.contains(Modifiers::STATIC) && !is_member && !declared.owner.is_known()
}

pub fn same_owner(resolver: &Resolver, a: SymbolId, b: SymbolId) -> bool {
    let owner = |symbol: SymbolId| match self_type(resolver, symbol) {
        Ty::Instance(of, _) => Some(of),
        _ => None,
    };
    owner(a) == owner(b)
}

/// Whether two declarations take the same parameters: as many, and of the same types where
/// prototypes are told apart by them.
fn same_parameters(
    resolver: &Resolver,
    (a, left): (Place<'_>, &Symbol),
    (b, right): (Place<'_>, &Symbol),
) -> bool {
    let left = a.view.facts.parameters(left);
    let right = b.view.facts.parameters(right);
    let same_type = |(left, right): (&Parameter, &Parameter)| {
        !a.view.semantics.declarations.prototypes_by_types
            || same_written_type(resolver, (a, left.ty), (b, right.ty))
    };
    left.len() == right.len() && left.iter().zip(right).all(same_type)
}

/// Whether two types are written alike: a qualified name is its last part, and names that differ
/// may be type parameters or aliases of one type.
fn same_written_type(resolver: &Resolver, a: (Place<'_>, TypeId), b: (Place<'_>, TypeId)) -> bool {
    use TypeRecipe::{Apply, Array, Name, Pointer, Reference, Scoped};
    let (left, right) = (&a.0.view.facts, &b.0.view.facts);
    // A reference inside of a pointer or reference says `const`, which not every header keeps.
    let plain = |facts: &facts::Facts, ty: TypeId| match facts.type_recipe(ty) {
        Reference(inner) => inner,
        _ => ty,
    };
    let same = |x, y| {
        let (x, y) = (plain(left, x), plain(right, y));
        same_written_type(resolver, (a.0, x), (b.0, y))
    };
    match (left.type_recipe(a.1), right.type_recipe(b.1)) {
        (Name(x) | Scoped(_, x), Name(y) | Scoped(_, y)) => {
            left.name(x) == right.name(y) || {
                let x = written::written_type(resolver, a.0, a.1);
                let y = written::written_type(resolver, b.0, b.1);
                let is_open = |ty: &Ty| matches!(ty, Ty::Unknown | Ty::Parameter(..));
                is_open(&x) || is_open(&y) || x == y
            }
        }
        (Pointer(x) | Array(x), Pointer(y) | Array(y)) | (Reference(x), Reference(y)) => same(x, y),
        (Apply(x, types), Apply(y, others)) => {
            let (types, others) = (left.type_list(types), right.type_list(others));
            same(x, y)
                && types.len() == others.len()
                && types.iter().zip(others).all(|(&x, &y)| same(x, y))
        }
        // One of them is behind a pointer, a reference or type arguments, and the other is plain.
        (Pointer(_) | Reference(_) | Array(_) | Apply(..), Name(_) | Scoped(..))
        | (Name(_) | Scoped(..), Pointer(_) | Reference(_) | Array(_) | Apply(..))
        | (Pointer(_) | Array(_), Reference(_))
        | (Reference(_), Pointer(_) | Array(_)) => {
            let is_alias = |place, ty| {
                matches!(
                    written::written_type(resolver, place, ty),
                    Ty::Unknown | Ty::Parameter(..)
                )
            };
            is_alias(a.0, a.1) || is_alias(b.0, b.1)
        }
        _ => true,
    }
}

/// The member that an assignment gives its value, where the type of the object declares it: `cart.add
/// = …` for a cart whose interface has `add`.
pub fn assigned_member(resolver: &Resolver, symbol: SymbolId) -> Option<SymbolId> {
    let (view, declared) = resolver.symbol(symbol)?;
    let object = match view.facts.type_recipe(declared.owner) {
        TypeRecipe::Of(_) => self_type(resolver, symbol),
        // A key of a literal whose type is declared: `const cart: Cart = { total: 1 }`.
        _ if declared.kind.is_value() => literal_type(resolver, symbol.beside(declared.parent?), 0),
        _ => return None,
    };
    let hits = lookup::members(resolver, &object, view.name_of(symbol.index));
    let mut others = hits.into_iter().filter(|hit| hit.symbol != symbol);
    match (others.next(), others.next()) {
        (Some(only), None) => Some(only.symbol),
        _ => None,
    }
}

/// What the text declares an object literal to be, which a variable or a key of another literal holds.
fn literal_type(resolver: &Resolver, holder: SymbolId, depth: u32) -> Ty {
    /// Literals in literals are shallow.
    const MAX_DEPTH: u32 = 6;
    let Some((view, declared)) = resolver.symbol(holder) else {
        return Ty::Unknown;
    };
    let holds_literal = declared.kind.is_value()
        && view.semantics.declarations.constructor_functions
        && depth < MAX_DEPTH;
    if !holds_literal {
        return Ty::Unknown;
    }
    if declared.ty.is_known() {
        return values::symbol_type(resolver, holder);
    }
    let Some(outer) = declared.parent else {
        return Ty::Unknown;
    };
    let outer = literal_type(resolver, holder.beside(outer), depth + 1);
    values::member_value(resolver, &view, &outer, view.name_of(holder.index))
}

/// The type that a forward declaration announces: the definition of that name in the same
/// namespace, else the only one there is.
pub fn defined_type(resolver: &Resolver, symbol: SymbolId) -> SymbolId {
    let Some((view, declared)) = resolver.symbol(symbol) else {
        return symbol;
    };
    if !declared.modifiers.contains(facts::Modifiers::PROTOTYPE) || !declared.kind.is_type() {
        return (view.dialect.whole)(resolver, &view, symbol);
    }
    let own = qualified_name(&view, symbol.index);
    let definitions: Vec<(SymbolId, bool)> = resolver
        .symbols_named(view.name_of(symbol.index))
        .iter()
        .filter_map(|other| {
            let (other_view, found) = resolver.symbol(*other)?;
            let defines = found.kind.is_type()
                && found.kind != SymbolKind::TypeAlias
                && !found.modifiers.contains(facts::Modifiers::PROTOTYPE);
            (defines && other_view.semantics.family == view.semantics.family)
                .then(|| (*other, qualified_name(&other_view, other.index) == own))
        })
        .collect();
    let same: Vec<SymbolId> = definitions
        .iter()
        .filter(|(_, same)| *same)
        .map(|(definition, _)| *definition)
        .collect();
    match (same.as_slice(), definitions.as_slice()) {
        ([only], _) | ([], [(only, _)]) => *only,
        ([], _) => symbol,
        // Files of their own may define a class of the same name; one in a header is for all.
        _ => {
            let in_own_file = same.iter().find(|other| other.file == symbol.file);
            let in_header = same.iter().find(|other| {
                let name = resolver.path(other.file).file_name();
                name.contains(".h")
            });
            *in_own_file.or(in_header).unwrap_or(&same[0])
        }
    }
}

/// The names of what is around a symbol and its own, outermost first; `struct Cart::Rep` is in `Cart`.
pub fn qualified_name(view: &FileView, index: SymbolIndex) -> Vec<String> {
    let chain = view.facts.container_chain(index);
    let mut names: Vec<String> = Vec::new();
    for index in chain {
        let mut owner = view.symbol(index).owner;
        let at = names.len();
        loop {
            match view.facts.type_recipe(owner) {
                TypeRecipe::Scoped(outer, name) => {
                    names.insert(at, view.facts.name(name).to_owned());
                    owner = outer;
                }
                TypeRecipe::Apply(head, _) => owner = head,
                TypeRecipe::Name(name) => {
                    names.insert(at, view.facts.name(name).to_owned());
                    break;
                }
                _ => break,
            }
        }
        names.push(view.name_of(index).to_owned());
    }
    names
}
