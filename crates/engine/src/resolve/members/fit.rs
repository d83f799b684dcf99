//! How well a value of one type fits where another is asked for.

use crate::resolve::{
    Place, Resolver, SymbolId, Ty, calls, lambdas, lookup, order, overloads, written,
};
use facts::{RecipeId, ScopeId, SymbolKind};

/// How well a value of type `given` fits where `wanted` is asked for: 0 not at all, 100
/// exactly.
pub fn fits(resolver: &Resolver, given: &Ty, wanted: &Ty) -> u32 {
    /// Below any fit without a conversion.
    const CONVERTED: u32 = 4;
    match (fits_plainly(resolver, given, wanted), wanted) {
        (0, Ty::Instance(class, _)) if is_converted(resolver, given, *class) => CONVERTED,
        (fit, _) => fit,
    }
}

/// Whether the language makes a value of another type an object of a class by itself, with a
/// constructor that takes that value alone.
fn is_converted(resolver: &Resolver, given: &Ty, class: SymbolId) -> bool {
    let converts = resolver
        .view(class.file)
        .is_some_and(|view| view.semantics.construction.converts);
    if !converts || !given.is_known() {
        return false;
    }
    let takes = |constructor: SymbolId| {
        let (view, declared) = resolver.symbol(constructor)?;
        let parameters = view.facts.parameters(&declared);
        let (first, rest) = parameters.split_first()?;
        let wanted = written::header_type(resolver, &view, &declared, first.ty);
        let is_own = matches!(&wanted, Ty::Instance(of, _) if *of == class);
        let is_alone = rest
            .iter()
            .all(|parameter| overloads::is_optional(parameter.flags));
        Some(is_alone && !is_own && wanted.is_known() && is_like(resolver, given, &wanted))
    };
    let constructors = lookup::constructors(resolver, class);
    constructors
        .into_iter()
        .any(|constructor| takes(constructor) == Some(true))
}

/// Whether an object of a class can be made of a function, as far as its constructors tell.
fn holds_functions(resolver: &Resolver, class: SymbolId) -> bool {
    let converts = resolver
        .view(class.file)
        .is_some_and(|view| view.semantics.construction.converts);
    let constructors = lookup::constructors(resolver, class);
    let may_take = |constructor: &SymbolId| {
        let Some((view, declared)) = resolver.symbol(*constructor) else {
            return true;
        };
        let parameters = view.facts.parameters(&declared);
        let wanted = parameters
            .first()
            .map(|first| written::header_type(resolver, &view, &declared, first.ty));
        match wanted {
            Some(Ty::Instance(of, _)) => of != class && resolver.kind(of) != Some(SymbolKind::Enum),
            Some(Ty::Library(name, _)) => !is_primitive(&name) && !is_textual(last(&name)),
            Some(_) => true,
            None => false,
        }
    };
    !converts || constructors.iter().any(may_take)
}

/// Whether a value fits as it is, with what is known about both.
fn is_like(resolver: &Resolver, given: &Ty, wanted: &Ty) -> bool {
    const LIKE: u32 = 70;
    fits_plainly(resolver, given, wanted) >= LIKE
}

/// How well a value fits without a conversion that a class declares.
fn fits_plainly(resolver: &Resolver, given: &Ty, wanted: &Ty) -> u32 {
    const PERHAPS: u32 = 50;
    const ANYTHING: u32 = 20;
    let best = |parts: &[Ty], fit: &dyn Fn(&Ty) -> u32| parts.iter().map(fit).max().unwrap_or(0);
    // Of two that differ in their type arguments alone, the one that is the same fits best.
    let arguments = |given: &[Ty], wanted: &[Ty]| {
        let pairs = given.iter().zip(wanted);
        let each = pairs.map(|(given, wanted)| argument_fits(resolver, given, wanted));
        match each.min().unwrap_or(100) {
            0 => ANYTHING,
            100 => 100,
            fit => 84 + fit / 10,
        }
    };
    match (given, wanted) {
        // A parameter that only some types fit says more than one that all fit.
        (given, Ty::Parameter(of, i)) => match fits_bounds(resolver, given, *of, *i) {
            Some(true) => ANYTHING + 15,
            None => ANYTHING + 10,
            Some(false) => ANYTHING + 5,
        },
        // A value of unknown type most likely belongs where anything may be given.
        (Ty::Unknown | Ty::External(_) | Ty::Parameter(..), Ty::Library(name, _))
            if is_top(last(name)) =>
        {
            PERHAPS + 5
        }
        (_, Ty::Unknown) | (Ty::Unknown | Ty::External(_) | Ty::Parameter(..), _) => PERHAPS,
        (Ty::Null, Ty::Library(name, _)) if is_primitive(name) => 0,
        (Ty::Null, _) => PERHAPS,
        (given, Ty::Optional(wanted)) => fits(resolver, given, wanted),
        (Ty::Optional(given), wanted) => fits(resolver, given, wanted),
        (given, Ty::Union(parts)) => best(parts, &|part| fits(resolver, given, part)),
        (Ty::Union(parts), wanted) => best(parts, &|part| fits(resolver, part, wanted)),
        (Ty::Instance(a, given), Ty::Instance(b, wanted)) if a == b => arguments(given, wanted),
        (Ty::Instance(a, _), Ty::Instance(b, _)) => {
            let distance = order::linearized(resolver, *a, given)
                .iter()
                .position(|ty| matches!(ty, Ty::Instance(of, _) if of == b));
            distance.map_or(0, |distance| 90 - (distance as u32).min(20))
        }
        // `Func<A, B>` and `Func<A, B, C>` share nothing but the word.
        (Ty::Library(a, given), Ty::Library(b, wanted))
            if last(a) == last(b) && !given.is_empty() && !wanted.is_empty() =>
        {
            match given.len() == wanted.len() {
                true => arguments(given, wanted),
                false => 0,
            }
        }
        // `Task` takes a `Task<Cart>`, less exactly than `Task<T>` does.
        (Ty::Library(a, given), Ty::Library(b, wanted))
            if last(a) == last(b) && !given.is_empty() && wanted.is_empty() =>
        {
            80
        }
        (Ty::Library(a, _), Ty::Library(b, _)) => library_fits(last(a), last(b)),
        (Ty::Instance(symbol, _), Ty::Library(name, _)) => {
            let inherits = || {
                order::linearized(resolver, *symbol, given).iter().any(|ty| {
                    let (Ty::Instance(of, _) | Ty::Type(of, _)) = ty else { return false };
                    order::supertypes(resolver, *of).iter().any(|supertype| matches!(&supertype.ty, Ty::Library(of, _) if last(of) == last(name)))
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
        (Ty::Lambda(..) | Ty::Function(..), Ty::Library(name, _)) if is_top(last(name)) => ANYTHING,
        (Ty::Lambda(..) | Ty::Function(..), Ty::Instance(class, _)) => {
            u32::from(holds_functions(resolver, *class)) * PERHAPS
        }
        (Ty::Lambda(..) | Ty::Function(..), _) => PERHAPS,
        (Ty::Array(a), Ty::Array(b)) => match (&**a, &**b) {
            // A character is a number where one is wanted; many characters are not many
            // numbers.
            (Ty::Library(a, _), Ty::Library(b, _)) if is_primitive(a) && is_primitive(b) => {
                u32::from(last(a) == last(b)) * 100
            }
            (a, b) => fits(resolver, a, b),
        },
        (Ty::Array(item), Ty::Library(name, _)) if is_text_of(last(name), item) => 80,
        (Ty::Array(_) | Ty::Tuple(_), Ty::Library(name, _))
            if is_primitive(name) || is_textual(last(name)) =>
        {
            0
        }
        (Ty::Array(_) | Ty::Tuple(_), Ty::Library(name, _)) if is_top(last(name)) => ANYTHING,
        (Ty::Array(item), Ty::Library(_, types)) if types.len() == 1 => {
            u32::from(fits(resolver, item, &types[0]) > 0) * PERHAPS
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
        // A struct without fields is its own value.
        (Ty::Type(a, _), Ty::Instance(b, _)) => u32::from(a == b) * 100,
        _ => PERHAPS,
    }
}

/// How well a type argument fits another: 0 not at all, 100 exactly.
fn argument_fits(resolver: &Resolver, given: &Ty, wanted: &Ty) -> u32 {
    const OPEN: u32 = 60;
    match (given, wanted) {
        (given, wanted) if given == wanted => 100,
        (Ty::Unknown | Ty::External(_) | Ty::Parameter(..), _)
        | (_, Ty::Unknown | Ty::Parameter(..)) => OPEN,
        (given, wanted) => match fits(resolver, given, wanted) {
            100 => 100,
            fit => fit / 2,
        },
    }
}

/// Whether a value lies within the bounds of a type parameter; nothing if it has none.
pub fn fits_bounds(resolver: &Resolver, given: &Ty, symbol: SymbolId, i: u16) -> Option<bool> {
    let (view, declared) = resolver.symbol(symbol).filter(|_| given.is_known())?;
    let parameter = view.facts.type_parameters(&declared).get(i as usize)?;
    let scope = declared.body.unwrap_or(declared.declared_in);
    let bounds = view.facts.type_list(parameter.bounds).iter().map(|&bound| {
        written::written_type(resolver, Place::new(&view, scope, declared.span.end), bound)
    });
    let bounds: Vec<Ty> = bounds
        .filter(|bound| !matches!(bound, Ty::Parameter(..) | Ty::Unknown))
        .collect();
    let says_nothing = matches!(given, Ty::Library(name, _) if is_top(last(name)));
    (!bounds.is_empty())
        .then(|| !says_nothing && bounds.iter().all(|bound| fits(resolver, given, bound) > 0))
}

pub fn lambda_fits(
    resolver: &Resolver,
    file: crate::FileId,
    scope: ScopeId,
    recipe: RecipeId,
    wanted: &Ty,
) -> u32 {
    let Some(view) = resolver.view(file) else {
        return 50;
    };
    let n_parameters = view
        .facts
        .bindings
        .iter()
        .filter(|binding| binding.scope == scope && binding.parameter.is_some())
        .count();
    let Some(types) = lambdas::signature(resolver, &view, wanted) else {
        return match wanted {
            // A library type that is known and can not be called takes no function.
            Ty::Library(name, _) if !is_top(last(name)) && view.shapes().find(name).is_some() => 0,
            wanted => fits(resolver, &Ty::Lambda(file, scope, recipe), wanted),
        };
    };
    let Some((result, parameters)) = types.split_last() else {
        return 0;
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
            fits(
                resolver,
                &written::written_type(
                    resolver,
                    Place::new(&view, scope, binding.from),
                    binding.ty,
                ),
                wanted,
            ) == 0
        });
    if conflicts {
        return 0;
    }
    // What it returns tells overloads apart that take the same parameters.
    match (calls::lambda_result(resolver, file, scope, recipe), result) {
        (Ty::Unknown | Ty::External(_), _) | (_, Ty::Unknown) => 90,
        (Ty::Optional(_), Ty::Optional(_)) => 100,
        (Ty::Optional(_), Ty::Library(..) | Ty::Instance(..)) => 10,
        (given, Ty::Optional(wanted)) => fits(resolver, &given, wanted).min(60),
        (given, wanted) => fits(resolver, &given, wanted),
    }
}

pub fn last(path: &str) -> &str {
    path.rsplit(['.', ':']).next().unwrap_or(path)
}

/// How well a library type fits another.
pub fn library_fits(given: &str, wanted: &str) -> u32 {
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
    // A pointer to characters becomes a text, but no text becomes a pointer.
    if given == C_TEXT || wanted == C_TEXT {
        return match (is_textual(given), is_textual(wanted)) {
            (true, true) => u32::from(given == C_TEXT) * 80,
            _ if given == "char" || wanted == "char" => 5,
            (false, true) if !is_primitive(given) => 10,
            _ => u32::from(wanted == "bool" || is_top(wanted)) * 10,
        };
    }
    if is_textual(given) && is_textual(wanted) {
        return 85;
    }
    if is_wide(given) || is_wide(wanted) {
        return match (is_wide(given), is_wide(wanted)) {
            (true, true) => 85,
            _ if is_textual(given) || is_textual(wanted) => 0,
            _ => u32::from(!is_primitive(given) && !is_primitive(wanted)) * 10,
        };
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

pub fn is_top(name: &str) -> bool {
    matches!(
        name,
        "Object" | "object" | "Any" | "any" | "dynamic" | "mixed" | "unknown" | "interface{}"
    )
}

/// The type of a pointer to characters.
const C_TEXT: &str = "c_text";

pub fn is_textual(name: &str) -> bool {
    matches!(
        name,
        "String" | "string" | "str" | "CharSequence" | "string_view" | C_TEXT
    )
}

/// A text of wide characters, which no other text becomes.
fn is_wide(name: &str) -> bool {
    matches!(name, "wstring" | "wstring_view")
}

/// Whether a text can be made of an array of these.
fn is_text_of(name: &str, item: &Ty) -> bool {
    matches!(name, C_TEXT | "string_view")
        && matches!(item, Ty::Library(item, _) if last(item) == "char")
}

/// A wrapper's plain type: `Integer` is `int`.
pub fn boxed(name: &str) -> &str {
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

pub fn numeric_rank(name: &str) -> Option<u32> {
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

pub fn is_primitive(name: &str) -> bool {
    let name = last(name);
    numeric_rank(name).is_some()
        || matches!(name, "boolean" | "bool" | "i128" | "u128" | "number")
        || matches!(name, "Int" | "Long" | "Short" | "Byte" | "Char")
        || matches!(name, "Float" | "Double" | "Boolean")
}
