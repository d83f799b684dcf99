//! What is known of libraries: the members of their types, what these give, and which types they
//! hand on.

use std::sync::Arc;

use facts::RecipeId;

use crate::resolve::{
    FileView, Place, Resolver, SymbolId, Ty,
    call::{BoundTypes, CallArguments, LambdaParameter, is_type_parameter},
    calls, eval, order, protocols,
    shapes::{MemberShape, ShapeType, Shapes},
    ty::{Step, Types},
};

/// The library type that every type extends without saying so, in languages whose shapes have one.
pub const ROOT_TYPE: &str = "Any";

/// A library function whose type arguments are written, as a function of the result they give:
/// `mutableListOf<Item>()`.
pub fn applied_function(view: &FileView, path: &str, types: &[Ty]) -> Option<Ty> {
    let shape = view.shapes().function(path)?;
    let mut letters = Vec::new();
    shape
        .parameters
        .iter()
        .chain(&shape.result)
        .for_each(|ty| type_letters(ty, &mut letters));
    let binding = BoundTypes {
        types: letters.into_iter().zip(types.iter().cloned()).collect(),
        receiver: None,
    };
    let result = binding.apply(shape.result.as_ref()?);
    Some(Ty::Signature(Arc::from([result])))
}

/// A member that a library supertype may provide.
pub fn base_member(
    resolver: &Resolver,
    view: &FileView,
    symbol: SymbolId,
    object: &Ty,
    name: &str,
) -> Ty {
    let has = |library: &str| view.shapes().member(library, name).is_some();
    for inherited in order::library_supertypes(resolver, symbol, object) {
        if matches!(&inherited, Ty::Library(library, _) if has(library)) {
            return Ty::LibraryMember(Arc::new(inherited), name.into());
        }
    }
    // What every object has, the object being its `Self`.
    if has(ROOT_TYPE) {
        Ty::LibraryMember(Arc::new(object.clone()), name.into())
    } else {
        Ty::Unknown
    }
}

/// A member of a library type or of its library supertypes, bound to the type arguments of the
/// receiver.
pub fn member_of<'a>(
    view: &FileView,
    receiver: &'a Ty,
    name: &str,
) -> Option<(&'static MemberShape, BoundTypes<'a>)> {
    let (library, types) = shape_owner(receiver)?;
    let shapes = view.shapes();
    let (shape, of) = shapes.member(&library, name)?;
    let types = as_supertype(shapes, &library, &types, of);
    let types = types.into_iter().chain(std::iter::repeat(Ty::Unknown));
    let parameters = shapes
        .find(of)
        .map_or(&[][..], |(_, shape)| &shape.parameters);
    let binding = BoundTypes {
        types: parameters.iter().cloned().zip(types).collect(),
        receiver: Some(receiver),
    };
    Some((shape, binding))
}

/// The library type whose shape says what members give, with its arguments.
fn shape_owner(ty: &Ty) -> Option<(Arc<str>, Types)> {
    match ty {
        Ty::Library(library, types) | Ty::LibraryType(library, types) => {
            Some((library.clone(), types.clone()))
        }
        Ty::Array(item) => Some((Arc::from("Array"), Arc::from([(**item).clone()]))),
        Ty::Instance(..) | Ty::Type(..) => Some((Arc::from(ROOT_TYPE), Arc::from([]))),
        _ => None,
    }
}

/// The type arguments of a library type seen as one of its supertypes.
fn as_supertype(shapes: &Shapes, library: &str, types: &[Ty], wanted: &str) -> Vec<Ty> {
    /// Library hierarchies are shallow; the bound guards against cycles in a table.
    const MAX_STEPS: usize = 32;
    let mut open = vec![(library.to_owned(), types.to_vec())];
    let mut n_steps = 0;
    while let Some((library, types)) = open.pop() {
        n_steps += 1;
        let Some((found, shape)) = shapes.find(&library) else {
            continue;
        };
        if found == wanted || n_steps > MAX_STEPS {
            return types;
        }
        let binding = BoundTypes {
            types: shape.parameters.iter().cloned().zip(types).collect(),
            receiver: None,
        };
        for supertype in &shape.supertypes {
            if let ShapeType::Named(name, arguments) = supertype {
                let arguments = arguments.iter().map(|ty| binding.apply(ty)).collect();
                open.push((name.clone(), arguments));
            }
        }
    }
    types.to_vec()
}

/// What calling a member of a library type gives.
pub fn call_member(resolver: &Resolver, receiver: &Ty, name: &str, arguments: CallArguments) -> Ty {
    let view = arguments.place.view;
    let Some((library, _)) = shape_owner(receiver) else {
        return Ty::Unknown;
    };
    if let Some((shape, binding)) = member_of(view, receiver, name)
        && shape.result.is_some()
    {
        return shape_result(resolver, shape, binding, arguments);
    }
    // `Object.assign` is a function of its own.
    match view.shapes().function(&format!("{library}.{name}")) {
        Some(shape) => shape_result(resolver, shape, BoundTypes::default(), arguments),
        None => Ty::external(format!("{library}.{name}")).after(Step::Call),
    }
}

/// What calling a library member with explicit type arguments gives: they tell what the type itself
/// leaves open.
pub fn call_applied(view: &FileView, receiver: &Ty, name: &str, types: &[Ty]) -> Ty {
    let Some((library, _)) = shape_owner(receiver) else {
        return Ty::Unknown;
    };
    let Some((shape, mut binding)) = member_of(view, receiver, name) else {
        return Ty::external(format!("{library}.{name}")).after(Step::Call);
    };
    for (letter, ty) in ["U", "R", "V", "W"].iter().zip(types.iter().cycle()) {
        if binding.get(letter).is_none() {
            binding.types.push(((*letter).to_owned(), ty.clone()));
        }
    }
    match &shape.result {
        Some(result) => binding.apply(result),
        None => Ty::external("").after(Step::Call),
    }
}

/// What a library member or function gives for these arguments.
pub fn shape_result(
    resolver: &Resolver,
    shape: &MemberShape,
    mut binding: BoundTypes<'_>,
    arguments: CallArguments,
) -> Ty {
    let Some(result) = &shape.result else {
        return Ty::external("").after(Step::Call);
    };
    infer_shape_args(resolver, shape, &mut binding, arguments, None);
    binding.apply(result)
}

/// The type of a parameter of a function expression that a library member or function is given.
pub fn shape_parameter(
    resolver: &Resolver,
    shape: &MemberShape,
    mut binding: BoundTypes<'_>,
    arguments: CallArguments,
    wanted: LambdaParameter,
) -> Ty {
    let is_function = |ty: &&ShapeType| matches!(ty, ShapeType::Function(_));
    let at = shape.parameters.get(wanted.argument as usize);
    let function = at
        .filter(is_function)
        .or_else(|| shape.parameters.iter().find(is_function));
    let Some(function) = function else {
        return Ty::Unknown;
    };
    infer_shape_args(
        resolver,
        shape,
        &mut binding,
        arguments,
        Some(wanted.argument),
    );
    match binding.apply(function) {
        Ty::Signature(types) if (wanted.parameter as usize) + 1 < types.len() => {
            types[wanted.parameter as usize].clone()
        }
        _ => Ty::Unknown,
    }
}

/// Binds the shape's own type parameters by what is given: `U` in `map((T) -> U)` is what the lambda
/// returns.
fn infer_shape_args(
    resolver: &Resolver,
    shape: &MemberShape,
    binding: &mut BoundTypes<'_>,
    arguments: CallArguments,
    except: Option<u16>,
) {
    let place = arguments.place;
    let given = |argument: RecipeId| eval::expression(resolver, place, argument);
    for (i, (wanted, &argument)) in shape.parameters.iter().zip(arguments.recipes).enumerate() {
        if except == Some(i as u16) {
            continue;
        }
        match wanted {
            ShapeType::Function(types) => {
                if let Some(result) = types.last().filter(|result| binding.leaves_open(result)) {
                    let none = CallArguments::new(place, &[]);
                    let given = calls::call_value(resolver, &given(argument), none);
                    unify_shape(resolver, place, result, &given, binding);
                }
            }
            wanted if binding.leaves_open(wanted) => {
                unify_shape(resolver, place, wanted, &given(argument), binding);
            }
            _ => {}
        }
    }
}

/// Binds the parameters in a shape's type by the type of a value that is given for it.
fn unify_shape(
    resolver: &Resolver,
    place: Place,
    wanted: &ShapeType,
    given: &Ty,
    binding: &mut BoundTypes<'_>,
) {
    let element = |given: &Ty| protocols::element(resolver, place.view, given);
    match (wanted, given) {
        (ShapeType::Named(name, inner), given) if inner.is_empty() => binding.bind(name, given),
        (wanted, Ty::Optional(given)) => unify_shape(resolver, place, wanted, given, binding),
        (ShapeType::Named(_, inner), given) if inner.len() == 1 => {
            let item = match (element(given), given) {
                (Ty::Unknown | Ty::External(_), Ty::Library(_, types)) if types.len() == 1 => {
                    types[0].clone()
                }
                // A pointer iterates over what it points to.
                (Ty::Unknown, Ty::Instance(..))
                    if place.view.semantics.declarations.arrays_decay =>
                {
                    given.clone()
                }
                (item, _) => item,
            };
            unify_shape(resolver, place, &inner[0], &item, binding);
        }
        (ShapeType::Named(_, inner), Ty::Library(_, types)) if inner.len() == types.len() => {
            for (wanted, given) in inner.iter().zip(types.iter()) {
                unify_shape(resolver, place, wanted, given, binding);
            }
        }
        (ShapeType::Tuple(inner), Ty::Tuple(types)) => {
            for (wanted, given) in inner.iter().zip(types.iter()) {
                unify_shape(resolver, place, wanted, given, binding);
            }
        }
        (ShapeType::Array(inner), given) => {
            unify_shape(resolver, place, inner, &element(given), binding);
        }
        (ShapeType::Optional(inner), given) => {
            unify_shape(resolver, place, inner, given, binding);
        }
        _ => {}
    }
}

/// The value of a library's member that is read and not called: `response.Content`.
pub fn property_value(view: &FileView, receiver: &Ty, name: &str) -> Option<Ty> {
    let (shape, binding) = member_of(view, receiver, name)?;
    if !shape.parameters.is_empty() {
        return None;
    }
    let value = binding.apply(shape.result.as_ref()?);
    value.is_known().then_some(value)
}

/// What a smart pointer points to, where the pointer itself has no member of that name; what a
/// property of a library's type holds.
pub fn dereferenced(view: &FileView, ty: &Ty, name: &str) -> Option<Ty> {
    match ty {
        Ty::LibraryMember(receiver, member) => return property_value(view, receiver, member),
        Ty::Array(item) if view.semantics.declarations.arrays_decay => {
            return Some((**item).clone());
        }
        _ => {}
    }
    let Ty::Library(library, _) = ty else {
        return None;
    };
    let has = |name| view.shapes().member(library, name).is_some();
    if has(name) || !has("deref") {
        return None;
    }
    let inner = unwrapped(view, ty.clone(), "deref");
    (inner != *ty && inner.is_known()).then_some(inner)
}

/// What a library's type holds under a name that is no member of it: `record.name`.
pub fn entry(view: &FileView, ty: &Ty, name: &str) -> Option<Ty> {
    let (library, _) = shape_owner(ty)?;
    let is_entry = view.semantics.declarations.members_by_index
        && matches!(ty, Ty::Library(..))
        && view.shapes().member(&library, name).is_none();
    let value = is_entry.then(|| unwrapped(view, ty.clone(), "[]"))?;
    (value != *ty && matches!(value, Ty::Instance(..) | Ty::Union(_) | Ty::Optional(_)))
        .then_some(value)
}

/// The type whose members are the keys of a library's type: `Record<keyof Cart, boolean>`.
pub fn keyed_type(view: &FileView, ty: &Ty) -> Option<Ty> {
    let Ty::Library(_, types) = ty else {
        return None;
    };
    match types.first()? {
        Ty::Library(keys, of)
            if &**keys == KEYS && view.semantics.declarations.members_by_index =>
        {
            of.first().cloned()
        }
        _ => None,
    }
}

/// The library type that extraction writes for the keys of a type.
const KEYS: &str = "keyof";

/// The result of one of the special members of a library type, else the type itself.
pub fn unwrapped(view: &FileView, ty: Ty, special: &str) -> Ty {
    match &ty {
        Ty::Library(..) => match member_of(view, &ty, special) {
            Some((shape, binding)) => {
                let result = shape.result.as_ref();
                result.map_or(Ty::Unknown, |result| binding.apply(result))
            }
            None => ty,
        },
        Ty::Optional(inner) if special == "?" => (**inner).clone(),
        Ty::Union(parts) => Ty::union(
            parts
                .iter()
                .map(|part| unwrapped(view, part.clone(), special)),
        ),
        Ty::Optional(inner) => Ty::union([unwrapped(view, (**inner).clone(), special), Ty::Null]),
        Ty::LibraryMember(receiver, member) => match property_value(view, receiver, member) {
            Some(value) => unwrapped(view, value, special),
            None => ty,
        },
        _ => ty,
    }
}

pub fn literal_type(view: &FileView, kind: &str) -> Ty {
    if kind == "null" {
        return Ty::Null;
    }
    let literal = |kind| view.shapes().literal(kind);
    match literal(kind).or_else(|| (kind == "template").then(|| literal("string")).flatten()) {
        Some(ty) => BoundTypes::default().apply(ty),
        None => Ty::external(kind),
    }
}

/// The type parameters that a shape's type names, in order.
fn type_letters(ty: &ShapeType, letters: &mut Vec<String>) {
    match ty {
        ShapeType::Named(name, arguments) => {
            let is_letter =
                is_type_parameter(name) && name.starts_with(|c: char| c.is_ascii_uppercase());
            if is_letter && !letters.contains(name) {
                letters.push(name.clone());
            }
            arguments.iter().for_each(|ty| type_letters(ty, letters));
        }
        ShapeType::Function(types) | ShapeType::Tuple(types) => {
            types.iter().for_each(|ty| type_letters(ty, letters));
        }
        ShapeType::Array(inner) | ShapeType::Optional(inner) => type_letters(inner, letters),
        ShapeType::Any => {}
    }
}
