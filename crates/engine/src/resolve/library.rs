//! What is known of libraries: the members of their types, what these give, and which types they
//! hand on.

use std::sync::Arc;

use facts::{RecipeId, ScopeId};

use super::{
    FileView, Resolver, SymbolId, Ty,
    shapes::{MemberShape, ShapeType, Shapes},
};

/// The library type that every type extends without saying so, in languages whose shapes have one.
pub(super) const ROOT_TYPE: &str = "Any";

impl Resolver<'_> {
    /// A library function whose type arguments are written, as a function of the result they give:
    /// `mutableListOf<Item>()`.
    pub(super) fn applied_function(&self, view: &FileView, path: &str, types: &[Ty]) -> Option<Ty> {
        let shapes = Shapes::of(view.semantics);
        let shape = shapes.function(path)?;
        let mut letters = Vec::new();
        shape
            .parameters
            .iter()
            .chain(&shape.result)
            .for_each(|ty| type_letters(ty, &mut letters));
        let known: Vec<(String, Ty)> = letters.into_iter().zip(types.iter().cloned()).collect();
        Some(Ty::Signature(Arc::from([self.shaped(
            view,
            shape.result.as_ref()?,
            &known,
            None,
        )])))
    }

    /// A member that a library supertype may provide.
    pub(super) fn library_base_member(
        &self,
        view: &FileView,
        symbol: SymbolId,
        object: &Ty,
        name: &str,
    ) -> Ty {
        for ty in self.linearized(symbol, object) {
            let (Ty::Instance(of, arguments) | Ty::Type(of, arguments)) = &ty else {
                continue;
            };
            for supertype in self.supertypes(*of).iter() {
                let inherited = supertype.ty.substitute(&|owner, i| {
                    (owner == *of)
                        .then(|| arguments.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                });
                if let Ty::Library(library, _) = &inherited
                    && self.shape_member(view, library, name).is_some()
                {
                    return Ty::LibraryMember(Arc::new(inherited), name.into());
                }
            }
        }
        // What every object has, the object being its `Self`.
        match self.shape_member(view, ROOT_TYPE, name) {
            Some(_) => Ty::LibraryMember(Arc::new(object.clone()), name.into()),
            None => Ty::Unknown,
        }
    }

    /// The library type whose shape says what members give, with its arguments.
    pub(super) fn shape_owner(&self, ty: &Ty) -> Option<(Arc<str>, super::ty::Types)> {
        match ty {
            Ty::Library(library, types) | Ty::LibraryType(library, types) => {
                Some((library.clone(), types.clone()))
            }
            Ty::Array(item) => Some((Arc::from("Array"), Arc::from([(**item).clone()]))),
            Ty::Instance(..) | Ty::Type(..) => Some((Arc::from(ROOT_TYPE), Arc::from([]))),
            _ => None,
        }
    }

    /// A member of a library type or of its library supertypes, with the type that has it.
    pub(super) fn shape_member(
        &self,
        view: &FileView,
        library: &str,
        name: &str,
    ) -> Option<(MemberShape, String)> {
        let shapes = Shapes::of(view.semantics);
        let mut open = vec![library.to_owned()];
        let mut seen = Vec::new();
        while let Some(library) = open.pop() {
            let Some((found, shape)) = shapes.find(&library) else {
                continue;
            };
            if seen.iter().any(|other: &String| other == found) {
                continue;
            }
            seen.push(found.to_owned());
            if let Some(member) = shape.members.get(name) {
                return Some((member.clone(), found.to_owned()));
            }
            for supertype in shape.supertypes.iter().rev() {
                if let ShapeType::Named(name, _) = supertype {
                    open.push(name.clone());
                }
            }
        }
        None
    }

    /// The type arguments of a library type seen as one of its supertypes.
    pub(super) fn as_supertype(
        &self,
        view: &FileView,
        library: &str,
        types: &[Ty],
        wanted: &str,
    ) -> Vec<Ty> {
        let shapes = Shapes::of(view.semantics);
        let mut open = vec![(library.to_owned(), types.to_vec())];
        let mut steps = 0;
        while let Some((library, types)) = open.pop() {
            steps += 1;
            let Some((found, shape)) = shapes.find(&library) else {
                continue;
            };
            if found == wanted || steps > 32 {
                return types;
            }
            let known: Vec<(String, Ty)> = shape
                .parameters
                .iter()
                .cloned()
                .zip(types.iter().cloned())
                .collect();
            for supertype in &shape.supertypes {
                if let ShapeType::Named(name, arguments) = supertype {
                    open.push((
                        name.clone(),
                        arguments
                            .iter()
                            .map(|argument| self.shaped(view, argument, &known, None))
                            .collect(),
                    ));
                }
            }
        }
        types.to_vec()
    }

    /// The parameters of a library type with what they stand for.
    pub(super) fn type_arguments(
        &self,
        view: &FileView,
        library: &str,
        types: &[Ty],
    ) -> Vec<(String, Ty)> {
        let shapes = Shapes::of(view.semantics);
        let Some((_, shape)) = shapes.find(library) else {
            return Vec::new();
        };
        let types = types.iter().cloned().chain(std::iter::repeat(Ty::Unknown));
        shape.parameters.iter().cloned().zip(types).collect()
    }

    /// A shape's type with its parameters put in.
    #[allow(clippy::only_used_in_recursion, reason = "called like its neighbours")]
    pub(super) fn shaped(
        &self,
        view: &FileView,
        ty: &ShapeType,
        known: &[(String, Ty)],
        receiver: Option<&Ty>,
    ) -> Ty {
        let all = |types: &[ShapeType]| {
            types
                .iter()
                .map(|ty| self.shaped(view, ty, known, receiver))
                .collect::<Vec<Ty>>()
        };
        match ty {
            ShapeType::Any => Ty::Unknown,
            ShapeType::Named(name, arguments) => {
                if let Some((_, ty)) = known.iter().find(|(parameter, _)| parameter == name) {
                    return ty.clone();
                }
                if name == "Self" {
                    return receiver.cloned().unwrap_or(Ty::Unknown);
                }
                // A parameter that nothing has settled.
                if name.len() == 1 && name.chars().all(|c| c.is_ascii_uppercase()) {
                    return Ty::Unknown;
                }
                Ty::Library(name.as_str().into(), all(arguments).into())
            }
            ShapeType::Function(types) => Ty::Signature(all(types).into()),
            ShapeType::Tuple(types) => Ty::Tuple(all(types).into()),
            ShapeType::Array(item) => Ty::Array(Arc::new(self.shaped(view, item, known, receiver))),
            ShapeType::Optional(item) => {
                Ty::union([self.shaped(view, item, known, receiver), Ty::Null])
            }
        }
    }

    pub(super) fn library_call(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        receiver: &Ty,
        name: &str,
        arguments: &[RecipeId],
    ) -> Ty {
        let Some((library, types)) = self.shape_owner(receiver) else {
            return Ty::Unknown;
        };
        let function = || {
            Shapes::of(view.semantics)
                .function(&format!("{library}.{name}"))
                .cloned()
        };
        match self.shape_member(view, &library, name) {
            Some((shape, of)) if shape.result.is_some() => {
                let known =
                    self.type_arguments(view, &of, &self.as_supertype(view, &library, &types, &of));
                self.shape_result(view, scope, at, &shape, &known, Some(receiver), arguments)
            }
            // `Object.assign` is a function of its own.
            _ => match function() {
                Some(shape) => self.shape_result(view, scope, at, &shape, &[], None, arguments),
                None => Ty::External(format!("{library}.{name}()").into()),
            },
        }
    }

    /// A library member called with explicit type arguments: they settle what the type itself
    /// leaves open.
    pub(super) fn library_applied(
        &self,
        view: &FileView,
        receiver: &Ty,
        name: &str,
        types: &[Ty],
    ) -> Ty {
        let Some((library, own)) = self.shape_owner(receiver) else {
            return Ty::Unknown;
        };
        let Some((shape, of)) = self.shape_member(view, &library, name) else {
            return Ty::External(format!("{library}.{name}()").into());
        };
        let mut known =
            self.type_arguments(view, &of, &self.as_supertype(view, &library, &own, &of));
        for (letter, ty) in ["U", "R", "V", "W"].iter().zip(types.iter().cycle()) {
            if !known.iter().any(|(name, _)| name == letter) {
                known.push(((*letter).to_owned(), ty.clone()));
            }
        }
        shape
            .result
            .as_ref()
            .map_or(Ty::External("()".into()), |result| {
                self.shaped(view, result, &known, Some(receiver))
            })
    }

    /// What a library member or function gives for these arguments.
    #[allow(clippy::too_many_arguments)] // A call site, the shape called, and what is known of both.
    pub(super) fn shape_result(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
    ) -> Ty {
        let Some(result) = &shape.result else {
            return Ty::External("()".into());
        };
        let known = self.settled(view, scope, at, shape, known, arguments, None);
        self.shaped(view, result, &known, receiver)
    }

    #[allow(clippy::too_many_arguments)] // As above, and which parameter of which argument is asked for.
    pub(super) fn shape_parameter(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        argument: u16,
        parameter: u16,
    ) -> Ty {
        let functions = || {
            shape
                .parameters
                .iter()
                .filter(|ty| matches!(ty, ShapeType::Function(_)))
        };
        let wanted = match shape.parameters.get(argument as usize) {
            Some(wanted @ ShapeType::Function(_)) => wanted,
            _ => match functions().next() {
                Some(wanted) => wanted,
                None => return Ty::Unknown,
            },
        };
        let known = self.settled(view, scope, at, shape, known, arguments, Some(argument));
        match self.shaped(view, wanted, &known, receiver) {
            Ty::Signature(types) if (parameter as usize) + 1 < types.len() => {
                types[parameter as usize].clone()
            }
            _ => Ty::Unknown,
        }
    }

    /// The shape's own type parameters, from what is given: `U` in `map((T) -> U)` is what the
    /// lambda returns.
    #[allow(clippy::too_many_arguments)] // As above.
    fn settled(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        shape: &MemberShape,
        known: &[(String, Ty)],
        arguments: &[RecipeId],
        except: Option<u16>,
    ) -> Vec<(String, Ty)> {
        let mut known = known.to_vec();
        for (i, (wanted, &argument)) in shape.parameters.iter().zip(arguments).enumerate() {
            if except == Some(i as u16) {
                continue;
            }
            match wanted {
                ShapeType::Function(types) => {
                    let Some(result) = types.last().filter(|result| asks_for_more(result, &known))
                    else {
                        continue;
                    };
                    let given = self.eval(view, scope, at, argument);
                    let given = self.call_value(view, scope, at, &given, &[], None);
                    self.settle(view, result, &given, &mut known);
                }
                wanted if asks_for_more(wanted, &known) => {
                    let given = self.eval(view, scope, at, argument);
                    self.settle(view, wanted, &given, &mut known);
                }
                _ => {}
            }
        }
        known
    }

    /// What the parameters in a shape's type stand for, where a value of another type is given.
    pub(super) fn settle(
        &self,
        view: &FileView,
        wanted: &ShapeType,
        given: &Ty,
        known: &mut Vec<(String, Ty)>,
    ) {
        match (wanted, given) {
            (ShapeType::Named(name, inner), given) if inner.is_empty() => {
                match known.iter_mut().find(|(other, _)| other == name) {
                    Some((_, ty)) if ty.is_known() => {}
                    Some((_, ty)) => *ty = given.clone(),
                    None if is_parameter(name) => known.push((name.clone(), given.clone())),
                    None => {}
                }
            }
            (wanted, Ty::Optional(given)) => self.settle(view, wanted, given, known),
            (ShapeType::Named(_, inner), given) if inner.len() == 1 => {
                let item = match (self.element(view, given), given) {
                    (Ty::Unknown | Ty::External(_), Ty::Library(_, types)) if types.len() == 1 => {
                        types[0].clone()
                    }
                    (item, _) => item,
                };
                self.settle(view, &inner[0], &item, known);
            }
            (ShapeType::Named(_, inner), Ty::Library(_, types)) if inner.len() == types.len() => {
                inner
                    .iter()
                    .zip(types.iter())
                    .for_each(|(wanted, given)| self.settle(view, wanted, given, known));
            }
            (ShapeType::Tuple(inner), Ty::Tuple(types)) => {
                inner
                    .iter()
                    .zip(types.iter())
                    .for_each(|(wanted, given)| self.settle(view, wanted, given, known));
            }
            (ShapeType::Array(inner), given) => {
                self.settle(view, inner, &self.element(view, given), known)
            }
            (ShapeType::Optional(inner), given) => self.settle(view, inner, given, known),
            _ => {}
        }
    }

    /// The value of a library's member that is read and not called: `response.Content`.
    pub(super) fn property_value(&self, view: &FileView, receiver: &Ty, name: &str) -> Option<Ty> {
        let (library, types) = self.shape_owner(receiver)?;
        let (shape, of) = self
            .shape_member(view, &library, name)
            .filter(|(shape, _)| shape.parameters.is_empty())?;
        let known = self.type_arguments(view, &of, &self.as_supertype(view, &library, &types, &of));
        shape
            .result
            .as_ref()
            .map(|result| self.shaped(view, result, &known, Some(receiver)))
            .filter(Ty::is_known)
    }

    /// What a smart pointer points to, where the pointer itself has no member of that name; what a
    /// property of a library's type holds.
    pub(super) fn dereferenced(&self, view: &FileView, ty: &Ty, name: &str) -> Option<Ty> {
        if let Ty::LibraryMember(receiver, member) = ty {
            return self.property_value(view, receiver, member);
        }
        let Ty::Library(library, _) = ty else {
            return None;
        };
        if self.shape_member(view, library, name).is_some()
            || self.shape_member(view, library, "deref").is_none()
        {
            return None;
        }
        let inner = self.unwrapped(view, ty.clone(), "deref");
        (inner != *ty && inner.is_known()).then_some(inner)
    }

    /// The result of one of the special members of a library type, else the type itself.
    pub(super) fn unwrapped(&self, view: &FileView, ty: Ty, special: &str) -> Ty {
        match &ty {
            Ty::Library(name, types) => match self.shape_member(view, name, special) {
                Some((shape, of)) => {
                    let known =
                        self.type_arguments(view, &of, &self.as_supertype(view, name, types, &of));
                    shape.result.as_ref().map_or(Ty::Unknown, |result| {
                        self.shaped(view, result, &known, Some(&ty))
                    })
                }
                None => ty,
            },
            Ty::Optional(inner) if special == "?" => (**inner).clone(),
            Ty::Union(parts) => Ty::union(
                parts
                    .iter()
                    .map(|part| self.unwrapped(view, part.clone(), special))
                    .collect::<Vec<_>>(),
            ),
            Ty::Optional(inner) => {
                Ty::union([self.unwrapped(view, (**inner).clone(), special), Ty::Null])
            }
            Ty::LibraryMember(receiver, member) => {
                match self.property_value(view, receiver, member) {
                    Some(value) => self.unwrapped(view, value, special),
                    None => ty,
                }
            }
            _ => ty,
        }
    }

    pub(super) fn literal_type(&self, view: &FileView, kind: &str) -> Ty {
        if kind == "null" {
            return Ty::Null;
        }
        let shapes = Shapes::of(view.semantics);
        match shapes
            .literal(kind)
            .or_else(|| shapes.literal(if kind == "template" { "string" } else { kind }))
        {
            Some(ty) => self.shaped(view, ty, &[], None),
            None => Ty::External(kind.into()),
        }
    }
}

/// The type parameters that a shape's type names, in order.
fn type_letters(ty: &ShapeType, letters: &mut Vec<String>) {
    match ty {
        ShapeType::Named(name, arguments) => {
            let is_letter = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
            if is_letter && !letters.contains(name) {
                letters.push(name.clone());
            }
            arguments.iter().for_each(|ty| type_letters(ty, letters));
        }
        ShapeType::Function(types) | ShapeType::Tuple(types) => {
            types.iter().for_each(|ty| type_letters(ty, letters))
        }
        ShapeType::Array(inner) | ShapeType::Optional(inner) => type_letters(inner, letters),
        ShapeType::Any => {}
    }
}

/// One letter, as in `Array<T>`.
fn is_parameter(name: &str) -> bool {
    name.len() == 1
}

/// Whether a shape's type has parameters of which nothing is known yet.
fn asks_for_more(wanted: &ShapeType, known: &[(String, Ty)]) -> bool {
    match wanted {
        ShapeType::Named(name, inner) if inner.is_empty() => {
            is_parameter(name)
                && !known
                    .iter()
                    .any(|(other, ty)| other == name && ty.is_known())
        }
        ShapeType::Named(_, inner) | ShapeType::Tuple(inner) => {
            inner.iter().any(|wanted| asks_for_more(wanted, known))
        }
        ShapeType::Array(inner) | ShapeType::Optional(inner) => asks_for_more(inner, known),
        ShapeType::Function(_) | ShapeType::Any => false,
    }
}
