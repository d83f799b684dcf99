//! A call as it is evaluated: where it is written, what is called, what is given.

use facts::{Recipe, RecipeId};

use super::{Place, SymbolId, Ty, shapes::ShapeType};

/// The arguments of a call, and where they are written.
#[derive(Clone, Copy)]
pub struct CallArguments<'a> {
    pub place: Place<'a>,
    pub recipes: &'a [RecipeId],
    /// The whole call, where overloads are to be told apart by it.
    pub call: Option<RecipeId>,
}

impl<'a> CallArguments<'a> {
    pub fn new(place: Place<'a>, recipes: &'a [RecipeId]) -> CallArguments<'a> {
        CallArguments {
            place,
            recipes,
            call: None,
        }
    }

    /// The arguments of a call or instantiation, if the recipe is one.
    pub fn of(place: Place<'a>, call: Option<RecipeId>) -> Option<CallArguments<'a>> {
        let (Recipe::Call(_, list) | Recipe::New(_, list)) = place.view.facts.recipe(call?) else {
            return None;
        };
        let recipes = place.view.facts.list(list);
        Some(CallArguments {
            place,
            recipes,
            call,
        })
    }

    pub fn len(&self) -> usize {
        self.recipes.len()
    }

    /// How many type arguments are written: `f<T>(x)`.
    pub fn n_types(&self) -> usize {
        let facts = &self.place.view.facts;
        match self.call.map(|call| facts.recipe(call)) {
            Some(Recipe::Call(callee, _)) => match facts.recipe(callee) {
                Recipe::TypeArguments(_, types) => types.len as usize,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The name that an argument is given by: `f(name=value)`.
    pub fn keyword(&self, argument: RecipeId) -> Option<&'a str> {
        match self.place.view.facts.recipe(argument) {
            Recipe::Field(name, _) => Some(self.place.view.facts.name(name)),
            _ => None,
        }
    }
}

/// A call of a symbol of this repository.
#[derive(Clone, Copy)]
pub struct CallOf<'a> {
    pub callee: SymbolId,
    pub receiver: Option<&'a Ty>,
    pub arguments: CallArguments<'a>,
    /// What the text declares the result to be.
    pub expected: Option<&'a Ty>,
    /// The type arguments that are written.
    pub types: &'a [Ty],
}

impl<'a> CallOf<'a> {
    pub fn new(
        callee: SymbolId,
        receiver: Option<&'a Ty>,
        arguments: CallArguments<'a>,
    ) -> CallOf<'a> {
        CallOf {
            callee,
            receiver,
            arguments,
            expected: None,
            types: &[],
        }
    }
}

/// A parameter of a function expression that is an argument of a call.
#[derive(Clone, Copy)]
pub struct LambdaParameter {
    pub argument: u16,
    pub parameter: u16,
}

/// What the type parameters of a library's member are bound to, and the receiver it is called on.
#[derive(Clone, Default)]
pub struct BoundTypes<'a> {
    pub types: Vec<(String, Ty)>,
    pub receiver: Option<&'a Ty>,
}

impl BoundTypes<'_> {
    pub fn get(&self, parameter: &str) -> Option<&Ty> {
        let mut types = self.types.iter();
        types.find(|(name, _)| name == parameter).map(|(_, ty)| ty)
    }

    /// Binds a parameter that nothing is known of yet.
    pub fn bind(&mut self, parameter: &str, ty: &Ty) {
        match self.types.iter_mut().find(|(name, _)| name == parameter) {
            Some((_, known)) if known.is_known() => {}
            Some((_, known)) => *known = ty.clone(),
            None if is_type_parameter(parameter) => {
                self.types.push((parameter.to_owned(), ty.clone()));
            }
            None => {}
        }
    }

    /// Whether a shape's type has parameters of which nothing is known yet.
    pub fn leaves_open(&self, wanted: &ShapeType) -> bool {
        match wanted {
            ShapeType::Named(name, inner) if inner.is_empty() => {
                is_type_parameter(name) && !self.get(name).is_some_and(Ty::is_known)
            }
            ShapeType::Named(_, inner) | ShapeType::Tuple(inner) => {
                inner.iter().any(|wanted| self.leaves_open(wanted))
            }
            ShapeType::Array(inner) | ShapeType::Optional(inner) => self.leaves_open(inner),
            ShapeType::Function(_) | ShapeType::Any => false,
        }
    }

    /// A shape's type with its parameters replaced.
    pub fn apply(&self, ty: &ShapeType) -> Ty {
        let all = |types: &[ShapeType]| types.iter().map(|ty| self.apply(ty)).collect();
        match ty {
            ShapeType::Any => Ty::Unknown,
            ShapeType::Named(name, arguments) => match self.get(name) {
                Some(ty) => ty.clone(),
                None if name == "Self" => match self.receiver {
                    Some(receiver @ Ty::LibraryType(..)) => receiver.instantiated(),
                    receiver => receiver.cloned().unwrap_or(Ty::Unknown),
                },
                // Nothing tells what the parameter is.
                None if is_type_parameter(name)
                    && name.starts_with(|c: char| c.is_ascii_uppercase()) =>
                {
                    Ty::Unknown
                }
                None => Ty::Library(name.as_str().into(), all(arguments)),
            },
            ShapeType::Function(types) => Ty::Signature(all(types)),
            ShapeType::Tuple(types) => Ty::Tuple(all(types)),
            ShapeType::Array(item) => Ty::Array(self.apply(item).into()),
            ShapeType::Optional(item) => Ty::union([self.apply(item), Ty::Null]),
        }
    }
}

/// One letter, as in `Array<T>`.
pub fn is_type_parameter(name: &str) -> bool {
    name.len() == 1
}
