//! What an expression can be, as far as the engine knows.

use std::{fmt, sync::Arc};

use facts::{RecipeId, ScopeId};

use crate::{FileId, SymbolId, resolve::modules::Module};

pub type Types = Arc<[Ty]>;

/// The type of a value, or what a name means where that is no value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Unknown,
    Null,
    /// A value of a type of this repository, with its type arguments.
    Instance(SymbolId, Types),
    /// The type itself.
    Type(SymbolId, Types),
    /// A value of a library type.
    Library(Arc<str>, Types),
    /// The library type itself.
    LibraryType(Arc<str>, Types),
    External(External),
    Module(Module),
    /// A function or method of this repository, with the receiver it was taken from.
    Function(SymbolId, Option<Arc<Ty>>),
    /// A function or method with explicit type arguments.
    Applied(SymbolId, Option<Arc<Ty>>, Types),
    /// A method of a library type, not yet called.
    LibraryMember(Arc<Ty>, Arc<str>),
    /// A method of a library type with explicit type arguments.
    LibraryApplied(Arc<Ty>, Arc<str>, Types),
    /// A function expression.
    Lambda(FileId, ScopeId, RecipeId),
    /// A function type: parameters and, last, the result.
    Signature(Types),
    Tuple(Types),
    Array(Arc<Ty>),
    Optional(Arc<Ty>),
    Union(Types),
    /// The i-th type parameter of a symbol.
    Parameter(SymbolId, u16),
    /// The type of a member of a type that is not known yet: `T["item"]`.
    Projected(Arc<Ty>, Arc<str>),
}

/// Something out of a library of which only the path is known, and what was done with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct External {
    pub path: Arc<str>,
    pub steps: Vec<Step>,
}

/// What is done with a library's value of unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Call,
    Index,
    /// Taking what iterating gives.
    Element,
}

impl External {
    fn then(mut self, step: Step) -> External {
        self.steps.push(step);
        self
    }

    /// The path of the type that a constructor made a value of, where the path is written so:
    /// `http::Request::new()`.
    pub(crate) fn constructed(&self) -> Option<&str> {
        let [Step::Call] = self.steps.as_slice() else {
            return None;
        };
        let (of, called) = self.path.rsplit_once(['.', ':'])?;
        (called == "new").then(|| of.trim_end_matches(':'))
    }

    /// A value that a library made, not the thing that the path names.
    pub(crate) fn is_value(&self) -> bool {
        !self.steps.is_empty()
    }
}

impl fmt::Display for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        self.steps.iter().try_for_each(|step| {
            f.write_str(match step {
                Step::Call => "()",
                Step::Index => "[]",
                Step::Element => "*",
            })
        })
    }
}

impl Ty {
    pub fn external(path: impl Into<Arc<str>>) -> Ty {
        Ty::External(External {
            path: path.into(),
            steps: Vec::new(),
        })
    }

    /// What is left of a library's value after a step, where nothing tells its type.
    pub(crate) fn after(&self, step: Step) -> Ty {
        match self {
            Ty::External(external) => Ty::External(external.clone().then(step)),
            _ => Ty::Unknown,
        }
    }

    /// The path of a library type, of its value, or of something else out of a library.
    pub fn library_path(&self) -> Option<String> {
        match self {
            Ty::Library(name, _) | Ty::LibraryType(name, _) => Some(name.to_string()),
            Ty::External(external) => Some(external.to_string()),
            _ => None,
        }
    }

    pub fn is_known(&self) -> bool {
        *self != Ty::Unknown
    }

    pub fn instance(symbol: SymbolId) -> Ty {
        Ty::Instance(symbol, Arc::from([]))
    }

    /// The type itself, without type arguments.
    pub fn type_of(symbol: SymbolId) -> Ty {
        Ty::Type(symbol, Arc::from([]))
    }

    pub fn library(name: &str) -> Ty {
        Ty::Library(Arc::from(name), Arc::from([]))
    }

    /// The types of a union, each once; a union of one is that one.
    pub fn union(types: impl IntoIterator<Item = Ty>) -> Ty {
        let mut parts: Vec<Ty> = Vec::new();
        let mut optional = false;
        for ty in types {
            match ty {
                Ty::Unknown => {}
                Ty::Null => optional = true,
                Ty::Union(inner) => parts.extend(
                    inner
                        .iter()
                        .filter(|ty| !parts.contains(ty))
                        .cloned()
                        .collect::<Vec<_>>(),
                ),
                Ty::Optional(inner) => {
                    optional = true;
                    if !parts.contains(&inner) {
                        parts.push((*inner).clone());
                    }
                }
                ty if !parts.contains(&ty) => parts.push(ty),
                _ => {}
            }
        }
        // Unions that people write have fewer alternatives.
        const MAX_PARTS: usize = 64;
        parts.truncate(MAX_PARTS);
        let whole = match parts.len() {
            0 => return if optional { Ty::Null } else { Ty::Unknown },
            1 => parts.swap_remove(0),
            _ => Ty::Union(parts.into()),
        };
        if optional {
            Ty::Optional(Arc::new(whole))
        } else {
            whole
        }
    }

    /// Its alternatives: the parts of a union, the inside of an optional, else itself.
    pub fn alternatives(&self) -> Vec<Ty> {
        match self {
            Ty::Union(parts) => parts.iter().flat_map(Ty::alternatives).collect(),
            Ty::Optional(inner) => inner.alternatives(),
            ty => vec![ty.clone()],
        }
    }

    /// The union of what each alternative gives.
    pub fn map_alternatives(&self, each: impl Fn(&Ty) -> Ty) -> Ty {
        Ty::union(self.alternatives().iter().map(each))
    }

    /// A value of this type, where this is the type itself.
    pub fn instantiated(&self) -> Ty {
        match self {
            Ty::Type(symbol, arguments) => Ty::Instance(*symbol, arguments.clone()),
            Ty::LibraryType(name, arguments) => Ty::Library(name.clone(), arguments.clone()),
            Ty::Union(parts) => Ty::union(parts.iter().map(Ty::instantiated)),
            Ty::Optional(inner) => Ty::Optional(Arc::new(inner.instantiated())),
            Ty::External(_) | Ty::Parameter(..) => self.clone(),
            _ => Ty::Unknown,
        }
    }

    /// The type itself, where this is a value.
    pub fn reified(&self) -> Ty {
        match self {
            Ty::Instance(symbol, arguments) => Ty::Type(*symbol, arguments.clone()),
            Ty::Library(name, arguments) => Ty::LibraryType(name.clone(), arguments.clone()),
            Ty::Union(parts) => Ty::union(parts.iter().map(Ty::reified)),
            Ty::Optional(inner) => inner.reified(),
            ty => ty.clone(),
        }
    }

    /// With every type parameter replaced by what `replace` gives for it.
    pub fn substitute(&self, replace: &dyn Fn(SymbolId, u16) -> Option<Ty>) -> Ty {
        let all =
            |types: &Types| -> Types { types.iter().map(|ty| ty.substitute(replace)).collect() };
        match self {
            Ty::Parameter(symbol, i) => replace(*symbol, *i).unwrap_or_else(|| self.clone()),
            Ty::Instance(symbol, arguments) if !arguments.is_empty() => {
                Ty::Instance(*symbol, all(arguments))
            }
            Ty::Type(symbol, arguments) if !arguments.is_empty() => {
                Ty::Type(*symbol, all(arguments))
            }
            Ty::Library(name, arguments) if !arguments.is_empty() => {
                Ty::Library(name.clone(), all(arguments))
            }
            Ty::LibraryType(name, arguments) if !arguments.is_empty() => {
                Ty::LibraryType(name.clone(), all(arguments))
            }
            Ty::Signature(types) => Ty::Signature(all(types)),
            Ty::Tuple(types) => Ty::Tuple(all(types)),
            Ty::Union(types) => Ty::union(all(types).iter().cloned()),
            Ty::Array(inner) => Ty::Array(Arc::new(inner.substitute(replace))),
            Ty::Optional(inner) => Ty::union([inner.substitute(replace), Ty::Null]),
            Ty::Projected(inner, name) => {
                Ty::Projected(Arc::new(inner.substitute(replace)), name.clone())
            }
            ty => ty.clone(),
        }
    }

    /// With every member of a type that has become known replaced by what `project` gives for it.
    pub fn settle(&self, project: &dyn Fn(&Ty, &str) -> Ty) -> Ty {
        let all = |types: &Types| -> Types { types.iter().map(|ty| ty.settle(project)).collect() };
        match self {
            Ty::Projected(inner, name) => match inner.settle(project) {
                inner @ (Ty::Parameter(..) | Ty::Projected(..)) => {
                    Ty::Projected(Arc::new(inner), name.clone())
                }
                inner => project(&inner, name),
            },
            Ty::Instance(symbol, types) => Ty::Instance(*symbol, all(types)),
            Ty::Type(symbol, types) => Ty::Type(*symbol, all(types)),
            Ty::Library(name, types) => Ty::Library(name.clone(), all(types)),
            Ty::Signature(types) => Ty::Signature(all(types)),
            Ty::Tuple(types) => Ty::Tuple(all(types)),
            Ty::Union(types) => Ty::union(all(types).iter().cloned()),
            Ty::Array(inner) => Ty::Array(Arc::new(inner.settle(project))),
            Ty::Optional(inner) => Ty::union([inner.settle(project), Ty::Null]),
            ty => ty.clone(),
        }
    }

    /// Whether it names a member of a type that is not known yet.
    pub fn has_projections(&self) -> bool {
        match self {
            Ty::Projected(..) => true,
            Ty::Instance(_, types)
            | Ty::Type(_, types)
            | Ty::Library(_, types)
            | Ty::Signature(types)
            | Ty::Tuple(types)
            | Ty::Union(types) => types.iter().any(Ty::has_projections),
            Ty::Array(inner) | Ty::Optional(inner) => inner.has_projections(),
            _ => false,
        }
    }

    /// With the type parameters of a symbol replaced by its arguments; those not given are unknown.
    pub fn with_arguments(&self, symbol: SymbolId, arguments: &[Ty]) -> Ty {
        self.substitute(&|of, i| {
            (of == symbol).then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
        })
    }

    /// The type of this repository that it is, or that it is a value of.
    pub fn holder(&self) -> Option<SymbolId> {
        match self {
            Ty::Instance(symbol, _) | Ty::Type(symbol, _) => Some(*symbol),
            _ => None,
        }
    }

    /// Whether a type parameter occurs in it.
    pub fn has_parameters(&self) -> bool {
        match self {
            Ty::Parameter(..) => true,
            Ty::Instance(_, types)
            | Ty::Type(_, types)
            | Ty::Library(_, types)
            | Ty::LibraryType(_, types)
            | Ty::Signature(types)
            | Ty::Tuple(types)
            | Ty::Union(types) => types.iter().any(Ty::has_parameters),
            Ty::Array(inner) | Ty::Optional(inner) | Ty::Projected(inner, _) => {
                inner.has_parameters()
            }
            _ => false,
        }
    }
}
