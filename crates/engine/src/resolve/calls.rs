//! What calls give: results of functions, type arguments told by what is given, and what functions
//! handed to a call take.

use std::sync::Arc;

use facts::{Modifiers, ParameterFlags, Recipe, RecipeId, ScopeId, SymbolKind};

use super::{
    FileView, Found, Guard, Module, Resolver, SymbolId, Ty, scopes::Space, shapes::Shapes,
};

impl Resolver<'_> {
    /// What calling a value gives.
    pub(super) fn call_value(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        callee: &Ty,
        arguments: &[RecipeId],
        call: Option<RecipeId>,
    ) -> Ty {
        match callee {
            Ty::Type(symbol, types) => {
                let types = if types.is_empty() {
                    self.inferred_arguments(view, scope, at, *symbol, arguments)
                } else {
                    types.clone()
                };
                Ty::Instance(*symbol, types)
            }
            Ty::Function(symbol, receiver) => self.function_result(
                view,
                scope,
                at,
                *symbol,
                receiver.as_deref(),
                arguments,
                call,
            ),
            Ty::LibraryType(name, types) => {
                if let Some(shape) = Shapes::of(view.semantics).function(name) {
                    let result = self.shape_result(view, scope, at, shape, &[], None, arguments);
                    if result.is_known() {
                        return result;
                    }
                }
                Ty::Library(name.clone(), types.clone())
            }
            Ty::Applied(symbol, receiver, types) => {
                let result =
                    self.function_result(view, scope, at, *symbol, receiver.as_deref(), &[], None);
                let result = if result.has_parameters() || !result.is_known() {
                    self.symbol_type(*symbol)
                } else {
                    result
                };
                let result = match receiver {
                    Some(receiver) => self.seen_through(&result, receiver),
                    None => result,
                };
                result.substitute(&|of, i| {
                    (of == *symbol).then(|| types.get(i as usize).cloned().unwrap_or(Ty::Unknown))
                })
            }
            Ty::LibraryMember(receiver, name) => {
                self.library_call(view, scope, at, receiver, name, arguments)
            }
            Ty::LibraryApplied(receiver, name, types) => {
                self.library_applied(view, receiver, name, types)
            }
            Ty::External(path) => match Shapes::of(view.semantics).function(path) {
                Some(shape) => self.shape_result(view, scope, at, shape, &[], None, arguments),
                None => Ty::External(format!("{path}()").into()),
            },
            Ty::Lambda(file, lambda, recipe) => self.lambda_result(*file, *lambda, *recipe),
            Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
            Ty::Instance(symbol, _) => {
                if self.kind(*symbol) == Some(SymbolKind::Delegate) {
                    return match self.symbol_type(*symbol) {
                        // `type Handler func(*Request) Answer`.
                        Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
                        result => result,
                    };
                }
                let signatures = self.members(callee, "()");
                if !signatures.is_empty() {
                    let fitting = signatures
                        .iter()
                        .find(|hit| self.takes(hit.symbol, arguments.len()));
                    let hit = fitting.unwrap_or(&signatures[0]);
                    return self.seen_through(&self.symbol_type(hit.symbol), &hit.receiver);
                }
                for name in [
                    "__call__",
                    "operator()",
                    "invoke",
                    "Invoke",
                    "__invoke",
                    "call",
                ] {
                    if let Some(hit) = self.members(callee, name).first() {
                        return self.function_result(
                            view,
                            scope,
                            at,
                            hit.symbol,
                            Some(callee),
                            arguments,
                            call,
                        );
                    }
                }
                Ty::Unknown
            }
            Ty::Library(name, types) => match self.shape_member(view, name, "()") {
                Some((shape, of)) => {
                    let known = self.type_arguments(view, &of, types);
                    match self.shape_result(
                        view,
                        scope,
                        at,
                        &shape,
                        &known,
                        Some(callee),
                        arguments,
                    ) {
                        // `std::function<Cart(int)>`.
                        Ty::Signature(types) => types.last().cloned().unwrap_or(Ty::Unknown),
                        result => result,
                    }
                }
                None => Ty::External(format!("{name}()").into()),
            },
            Ty::Optional(inner) => self.call_value(view, scope, at, inner, arguments, call),
            Ty::Union(parts) => Ty::union(
                parts
                    .iter()
                    .map(|part| self.call_value(view, scope, at, part, arguments, call))
                    .collect::<Vec<_>>(),
            ),
            Ty::Module(Module::External(path)) => Ty::External(format!("{path}()").into()),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn lambda_result(
        &self,
        file: crate::FileId,
        scope: ScopeId,
        recipe: RecipeId,
    ) -> Ty {
        let Some(view) = self.view(file) else {
            return Ty::Unknown;
        };
        let Recipe::Lambda(_, returns) = view.facts.recipe(recipe) else {
            return Ty::Unknown;
        };
        let end = view.facts.scope(scope).span.end;
        Ty::union(
            view.facts
                .list(returns)
                .to_vec()
                .into_iter()
                .map(|value| self.eval(&view, scope, end, value)),
        )
    }

    #[allow(clippy::too_many_arguments)] // A call site, its callee and its arguments belong together; a struct would be used once.
    pub(super) fn function_result(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        call: Option<RecipeId>,
    ) -> Ty {
        let mut symbol = symbol;
        if let Some(receiver) = receiver {
            // Of several overloads the result is that of the one meant.
            let name = self.name(symbol);
            let hits = self.callable_members(view, scope, at, receiver, &name, arguments);
            let hits = self.of_role(
                hits.into_iter().map(|hit| hit.symbol).collect(),
                facts::Role::Call,
            );
            if !hits.is_empty() && call.is_some() {
                symbol = self
                    .overloads_on(view, scope, at, hits, call, Some(receiver))
                    .first()
                    .copied()
                    .unwrap_or(symbol);
            }
        } else if view.semantics.overloads {
            let (found, _) = self.lookup(view, scope, at, &self.name(symbol), Space::Callable);
            let hits: Vec<SymbolId> = found
                .into_iter()
                .filter_map(|found| {
                    if let Found::Symbol(symbol) = found {
                        Some(symbol)
                    } else {
                        None
                    }
                })
                .collect();
            if hits.contains(&symbol) {
                let hits = self.or_inherited(view, scope, at, hits, call);
                symbol = self
                    .overloads(view, scope, at, hits, call)
                    .first()
                    .copied()
                    .unwrap_or(symbol);
            }
        }
        if !view.semantics.overloads {
            symbol = self.signature_for(view, scope, at, symbol, arguments);
        }
        let Some((other, declared)) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        let result = match declared.kind {
            SymbolKind::Constructor => self.self_type(symbol),
            _ => self.symbol_type(symbol),
        };
        let result = match receiver {
            Some(receiver) => {
                // `Self` in a result is the receiver, not the type that declares the method.
                let own = self.self_type(symbol);
                if result.is_known()
                    && result == own
                    && !matches!(receiver, Ty::Type(..))
                    && self.returns_self(&other, &declared)
                {
                    receiver.clone()
                } else if result == own && self.returns_self(&other, &declared) {
                    receiver.instantiated()
                } else {
                    self.seen_from_receiver(symbol, &result, receiver)
                }
            }
            None => result,
        };
        if !result.has_parameters() || declared.type_parameters.len == 0 {
            return result;
        }
        let inferred = self.inferred_with_receiver(view, scope, at, symbol, arguments, receiver);
        let result = result.substitute(&|of, i| {
            (of == symbol).then(|| inferred.get(i as usize).cloned().unwrap_or(Ty::Unknown))
        });
        // `def make(cls: type[T]) -> T` gives an object of the class that it is called on.
        let gives_own = declared.modifiers.contains(Modifiers::CLASS_METHOD)
            && receiver.is_some_and(|receiver| *receiver == result);
        if gives_own && matches!(result, Ty::Type(..)) {
            result.instantiated()
        } else {
            result
        }
    }

    /// Of a function's overload signatures the one that fits the arguments.
    fn signature_for(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        arguments: &[RecipeId],
    ) -> SymbolId {
        let Some((other, declared)) = self.symbol(symbol) else {
            return symbol;
        };
        if !declared.modifiers.contains(Modifiers::PROTOTYPE) {
            return symbol;
        }
        let siblings = other.symbols_named(declared.name).filter(|&index| {
            other.symbol(index).parent == declared.parent
                && other.symbol(index).modifiers.contains(Modifiers::PROTOTYPE)
        });
        let n_positional = arguments
            .iter()
            .filter(|&&argument| {
                !matches!(
                    view.facts.recipe(argument),
                    Recipe::Field(..) | Recipe::Spread(_)
                )
            })
            .count();
        let fitting: Vec<SymbolId> = siblings
            .map(|index| SymbolId { file: symbol.file, index })
            .filter(|candidate| {
                let found = other.symbol(candidate.index);
                let parameters: Vec<_> =
                    other.facts.parameters(found).iter().filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER)).collect();
                let given = |name: &str| {
                    arguments
                        .iter()
                        .any(|&argument| matches!(view.facts.recipe(argument), Recipe::Field(of, _) if view.facts.name(of) == name))
                };
                let missing = parameters.iter().enumerate().any(|(i, parameter)| {
                    i >= n_positional && !super::members::is_optional(parameter.flags) && !given(other.facts.name(parameter.name))
                });
                let positional = parameters.iter().filter(|parameter| !parameter.flags.contains(ParameterFlags::KEYWORD_ONLY)).count();
                let variadic = parameters.iter().any(|parameter| parameter.flags.contains(ParameterFlags::VARIADIC));
                !missing && (variadic || n_positional <= positional)
            })
            .collect();
        let given = self.eval_all(view, scope, at, arguments);
        let scored = fitting.iter().filter_map(|candidate| {
            Some((
                self.score(view, *candidate, arguments, &given, None)?,
                std::cmp::Reverse(*candidate),
            ))
        });
        scored.max().map_or_else(
            || fitting.first().copied().unwrap_or(symbol),
            |(_, std::cmp::Reverse(best))| best,
        )
    }

    fn returns_self(&self, view: &FileView, declared: &facts::Symbol) -> bool {
        let written = match view.facts.type_recipe(declared.ty) {
            facts::TypeRecipe::SelfType => true,
            facts::TypeRecipe::Name(name) => {
                matches!(view.facts.name(name), "Self" | "this" | "static" | "self")
            }
            facts::TypeRecipe::Scoped(_, name) => super::types::is_python_self(view, name),
            _ => false,
        };
        let values = view.facts.values(declared);
        let returned = !declared.ty.is_known()
            && !values.is_empty()
            && values
                .iter()
                .all(|value| match view.facts.recipe(value.recipe) {
                    Recipe::SelfValue => true,
                    Recipe::Name(name) => view.facts.bindings_of(name).iter().any(|binding| {
                        matches!(view.facts.recipe(binding.value), Recipe::SelfValue)
                    }),
                    _ => self.makes_own(view, value.recipe),
                });
        written || returned
    }

    /// `new` in a method of the class itself, perhaps as one of two ways: an object of the class
    /// that the method is called on.
    fn makes_own(&self, view: &FileView, recipe: RecipeId) -> bool {
        match view.facts.recipe(recipe) {
            Recipe::Either(a, b) => self.makes_own(view, a) || self.makes_own(view, b),
            Recipe::Call(callee, _) => match view.facts.recipe(callee) {
                Recipe::Member(of, name) => {
                    view.facts.recipe(of) == Recipe::SelfType
                        && self.constructs(view, view.facts.name(name))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The type arguments of a generic callable or type, from what its parameters are given.
    fn inferred_arguments(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        arguments: &[RecipeId],
    ) -> super::ty::Types {
        self.inferred_with_receiver(view, scope, at, symbol, arguments, None)
    }

    /// The same for a callable with a receiver, which for an extension is its first parameter.
    fn inferred_with_receiver(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        arguments: &[RecipeId],
        receiver: Option<&Ty>,
    ) -> super::ty::Types {
        let Some((_, declared)) = self.symbol(symbol) else {
            return Arc::from([]);
        };
        if declared.type_parameters.len == 0 {
            return Arc::from([]);
        }
        let callable = if declared.kind.is_callable() {
            Some(symbol)
        } else {
            self.constructors(symbol)
                .into_iter()
                .find(|constructor| self.takes(*constructor, arguments.len()))
        };
        let mut inferred = vec![Ty::Unknown; declared.type_parameters.len as usize];
        let Some((other, callable)) = callable.and_then(|callable| self.symbol(callable)) else {
            return inferred.into();
        };
        let inner = callable.body.unwrap_or(callable.declared_in);
        let mut settle = |wanted: &Ty, given: &Ty| {
            self.unify(wanted, given, &mut |of, i, ty| {
                if of == symbol && i < inferred.len() && !inferred[i].is_known() {
                    inferred[i] = ty.clone();
                }
            });
        };
        let all = other.facts.parameters(&callable);
        let is_receiver =
            |parameter: &&facts::Parameter| parameter.flags.contains(ParameterFlags::RECEIVER);
        if let (Some(receiver), Some(first)) = (receiver, all.iter().find(is_receiver)) {
            settle(
                &self.written_type(&other, inner, callable.span.start, first.ty),
                receiver,
            );
        }
        if let (Some(receiver), true) = (
            receiver,
            callable.owner.is_known() && callable.modifiers.contains(Modifiers::EXTENSION),
        ) {
            settle(
                &self.written_type(&other, inner, callable.span.start, callable.owner),
                receiver,
            );
        }
        let parameters: Vec<_> = all
            .iter()
            .filter(|parameter| !is_receiver(parameter))
            .cloned()
            .collect();
        for (i, &argument) in arguments.iter().enumerate() {
            let Some(parameter) = parameters.get(i) else {
                break;
            };
            let mut wanted = self.written_type(&other, inner, callable.span.start, parameter.ty);
            if let Some(receiver) = receiver {
                wanted = self.seen_through(&wanted, receiver);
            }
            if !wanted.has_parameters() {
                continue;
            }
            let given = self.eval(view, scope, at, argument);
            match &given {
                // What a function given returns settles what the function type says it returns.
                Ty::Lambda(file, lambda, recipe) => {
                    if let Some((_, result)) = self.library_signature(view, &wanted)
                        && result.has_parameters()
                    {
                        settle(&result, &self.lambda_result(*file, *lambda, *recipe));
                    }
                }
                Ty::Function(function, _) => {
                    if let Some((_, result)) = self.library_signature(view, &wanted) {
                        settle(&result, &self.symbol_type(*function));
                    }
                }
                given => settle(&wanted, given),
            }
        }
        inferred.into()
    }

    /// A parameter's type with what the receiver tells about type parameters put in.
    pub(super) fn settled_by_receiver(&self, symbol: SymbolId, wanted: &Ty, receiver: &Ty) -> Ty {
        let Some((view, declared)) = self.symbol(symbol) else {
            return wanted.clone();
        };
        let wanted = self.seen_through(wanted, receiver);
        let scope = declared.body.unwrap_or(declared.declared_in);
        let Some(first) = view
            .facts
            .parameters(&declared)
            .iter()
            .find(|parameter| parameter.flags.contains(ParameterFlags::RECEIVER))
        else {
            return wanted;
        };
        let mut known: Vec<(u16, Ty)> = Vec::new();
        let own = self.written_type(&view, scope, declared.span.start, first.ty);
        self.unify(&own, receiver, &mut |of, i, ty| {
            if of == symbol {
                known.push((i as u16, ty.clone()));
            }
        });
        wanted.substitute(&|of, i| {
            if of == symbol {
                known
                    .iter()
                    .find(|(known, _)| *known == i)
                    .map(|(_, ty)| ty.clone())
            } else {
                None
            }
        })
    }

    /// Finds what type parameters in `wanted` stand for, given a value of type `given`.
    fn unify(&self, wanted: &Ty, given: &Ty, found: &mut dyn FnMut(SymbolId, usize, &Ty)) {
        match (wanted, given) {
            (Ty::Parameter(symbol, i), given) if given.is_known() => {
                found(*symbol, *i as usize, given)
            }
            (Ty::Instance(a, wanted), Ty::Instance(b, given_arguments)) => {
                // Seen as the type that is wanted.
                let seen = if a == b {
                    Some(given_arguments.clone())
                } else {
                    self.linearized(*b, given).into_iter().find_map(|ty| {
                        if let Ty::Instance(of, arguments) = ty {
                            (of == *a).then_some(arguments)
                        } else {
                            None
                        }
                    })
                };
                if let Some(given) = seen {
                    wanted
                        .iter()
                        .zip(given.iter())
                        .for_each(|(wanted, given)| self.unify(wanted, given, found));
                }
            }
            (Ty::Library(a, wanted), Ty::Library(b, given))
                if a == b || wanted.len() == given.len() =>
            {
                wanted
                    .iter()
                    .zip(given.iter())
                    .for_each(|(wanted, given)| self.unify(wanted, given, found));
            }
            (Ty::Library(_, wanted), Ty::LibraryType(..) | Ty::Type(..)) if wanted.len() == 1 => {
                self.unify(&wanted[0], &given.instantiated(), found)
            }
            (Ty::Library(_, wanted), Ty::Array(item)) if wanted.len() == 1 => {
                self.unify(&wanted[0], item, found)
            }
            (Ty::Array(wanted), Ty::Array(given)) | (Ty::Optional(wanted), Ty::Optional(given)) => {
                self.unify(wanted, given, found)
            }
            (Ty::Optional(wanted) | Ty::Array(wanted), given) => self.unify(wanted, given, found),
            (wanted, Ty::Optional(given)) => self.unify(wanted, given, found),
            (Ty::Tuple(wanted), Ty::Tuple(given)) => wanted
                .iter()
                .zip(given.iter())
                .for_each(|(wanted, given)| self.unify(wanted, given, found)),
            _ => {}
        }
    }

    /// The parameter types of a function-like type.
    pub(super) fn function_parameters(&self, ty: &Ty) -> Option<Vec<Ty>> {
        self.function_signature(ty)
            .map(|(parameters, _)| parameters)
    }

    /// Parameters and result of a function-like type: a signature, a delegate, an interface with
    /// one method, a library's function types.
    pub(super) fn function_signature(&self, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        match ty {
            Ty::Signature(types) => types
                .split_last()
                .map(|(result, parameters)| (parameters.to_vec(), result.clone())),
            Ty::Optional(inner) => self.function_signature(inner),
            Ty::Array(item) => self.function_signature(item),
            Ty::Union(parts) => parts.iter().find_map(|part| self.function_signature(part)),
            Ty::Instance(symbol, _) => {
                let method = self.only_method(*symbol)?;
                let (view, declared) = self.symbol(method)?;
                let scope = declared.body.unwrap_or(declared.declared_in);
                let parameters = view.facts.parameters(&declared).iter();
                let parameters = parameters
                    .map(|parameter| {
                        self.seen_through(
                            &self.written_type(&view, scope, declared.span.start, parameter.ty),
                            ty,
                        )
                    })
                    .collect();
                Some((parameters, self.seen_through(&self.symbol_type(method), ty)))
            }
            _ => None,
        }
    }

    /// The same for a library type, which needs the shapes of a language.
    pub(super) fn library_signature(&self, view: &FileView, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        let Ty::Library(name, types) = ty else {
            return match ty {
                Ty::Optional(inner) | Ty::Array(inner) => self.library_signature(view, inner),
                Ty::Union(parts) => parts
                    .iter()
                    .find_map(|part| self.library_signature(view, part)),
                ty => self.function_signature(ty),
            };
        };
        let shapes = Shapes::of(view.semantics);
        if shapes.is_wrapper(name) {
            return self.library_signature(view, types.first()?);
        }
        match shapes.function_type(name) {
            Some(true) => types
                .split_last()
                .map(|(result, parameters)| (parameters.to_vec(), result.clone())),
            Some(false) => Some((types.to_vec(), Ty::Unknown)),
            None => {
                const CALLED: &[&str] = &[
                    "()",
                    "apply",
                    "accept",
                    "test",
                    "compare",
                    "get",
                    "run",
                    "call",
                    "applyAsInt",
                    "applyAsLong",
                    "applyAsDouble",
                ];
                let (shape, of) = CALLED
                    .iter()
                    .find_map(|member| self.shape_member(view, name, member))?;
                let known =
                    self.type_arguments(view, &of, &self.as_supertype(view, name, types, &of));
                let parameters = shape
                    .parameters
                    .iter()
                    .map(|parameter| self.shaped(view, parameter, &known, None))
                    .collect();
                Some((
                    parameters,
                    shape.result.as_ref().map_or(Ty::Unknown, |result| {
                        self.shaped(view, result, &known, None)
                    }),
                ))
            }
        }
    }

    /// The method that a function given for an interface or delegate becomes.
    fn only_method(&self, symbol: SymbolId) -> Option<SymbolId> {
        let (view, declared) = self.symbol(symbol)?;
        match declared.kind {
            SymbolKind::Delegate => Some(symbol),
            SymbolKind::Interface | SymbolKind::TypeAlias => {
                let methods: Vec<_> = view
                    .children(Some(symbol.index))
                    .filter(|&child| {
                        view.symbol(child).kind == SymbolKind::Method
                            && !view.symbol(child).modifiers.contains(Modifiers::STATIC)
                    })
                    .collect();
                let open: Vec<_> = methods
                    .iter()
                    .copied()
                    .filter(|&child| view.symbol(child).modifiers.contains(Modifiers::ABSTRACT))
                    .collect();
                let index = match (methods.as_slice(), open.as_slice()) {
                    ([only], _) | (_, [only]) => *only,
                    _ => return None,
                };
                Some(SymbolId {
                    file: symbol.file,
                    index,
                })
            }
            _ => None,
        }
    }

    /// The type of a function expression's parameter, from the call it is handed to.
    pub(super) fn handed_parameter(
        &self,
        view: &FileView,
        lambda: ScopeId,
        context: facts::LambdaContext,
        parameter: u16,
    ) -> Ty {
        let inner = view.facts.scope(lambda);
        let (scope, at) = (inner.parent, inner.span.start);
        let guard = Guard::Context(view.id, context.call.0);
        if !self.enter(&guard) {
            return Ty::Unknown;
        }
        let mut ty = self.handed_parameter_inner(view, scope, at, context, parameter);
        if self.has_lambda_receivers(view) {
            // The receiver of a function type stands before its parameters.
            let first = if parameter == 0 {
                ty.clone()
            } else {
                self.handed_parameter_inner(view, scope, at, context, 0)
            };
            if lambda_receiver(&first).is_some() {
                ty = self.handed_parameter_inner(view, scope, at, context, parameter + 1);
            }
        }
        self.leave(&guard);
        ty
    }

    fn has_lambda_receivers(&self, view: &FileView) -> bool {
        Shapes::of(view.semantics).find(LAMBDA_RECEIVER).is_some()
    }

    /// What `this` is in a lambda that is handed to a call: `cart.apply { … }`, `build { … }`.
    pub(super) fn lambda_receiver_at(&self, view: &FileView, lambda: ScopeId) -> Option<Ty> {
        let inner = view.facts.scope(lambda);
        let context = inner.context.filter(|_| self.has_lambda_receivers(view))?;
        let guard = Guard::Context(view.id, context.call.0);
        if !self.enter(&guard) {
            return None;
        }
        let first = self.handed_parameter_inner(view, inner.parent, inner.span.start, context, 0);
        self.leave(&guard);
        lambda_receiver(&first).cloned()
    }

    fn handed_parameter_inner(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        context: facts::LambdaContext,
        parameter: u16,
    ) -> Ty {
        let (callee, list) = match view.facts.recipe(context.call) {
            Recipe::Call(callee, list) => (self.callee(view, scope, at, callee), list),
            Recipe::New(ty, list) => (self.written_type(view, scope, at, ty).reified(), list),
            // The text says what the function becomes.
            _ => {
                let expected = self.eval(view, scope, at, context.call);
                let parameters = self
                    .library_signature(view, &expected)
                    .map(|(parameters, _)| parameters);
                return parameters
                    .and_then(|parameters| parameters.get(parameter as usize).cloned())
                    .unwrap_or(Ty::Unknown);
            }
        };
        let arguments = view.facts.list(list).to_vec();
        let given = arguments
            .get(context.argument as usize)
            .copied()
            .unwrap_or_default();
        let keyword = match view.facts.recipe(given) {
            Recipe::Field(name, _) => Some(view.facts.name(name).to_owned()),
            _ => None,
        };
        for callee in callee.alternatives() {
            let ty = match &callee {
                Ty::Function(symbol, receiver) => {
                    let mut candidates = vec![*symbol];
                    if let Some(receiver) = receiver {
                        let name = self.name(*symbol);
                        let hits =
                            self.members_and_extensions(view, receiver, &name, arguments.len());
                        candidates = hits
                            .into_iter()
                            .map(|hit| hit.symbol)
                            .filter(|hit| self.takes(*hit, arguments.len()))
                            .collect();
                    }
                    let types = candidates.iter().map(|symbol| {
                        self.parameter_function(
                            view,
                            scope,
                            at,
                            *symbol,
                            receiver.as_deref(),
                            &arguments,
                            context.argument,
                            keyword.as_deref(),
                            parameter,
                        )
                    });
                    types.into_iter().find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Instance(..) => {
                    // An object that can be called: the signatures of its interface.
                    let signatures = self
                        .members(&callee, "()")
                        .into_iter()
                        .filter(|hit| self.takes(hit.symbol, arguments.len()));
                    let mut types = signatures.map(|hit| {
                        self.parameter_function(
                            view,
                            scope,
                            at,
                            hit.symbol,
                            Some(&hit.receiver),
                            &arguments,
                            context.argument,
                            keyword.as_deref(),
                            parameter,
                        )
                    });
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Type(symbol, _) => {
                    let constructors = self.constructors(*symbol);
                    let receiver = callee.instantiated();
                    let types = constructors
                        .iter()
                        .filter(|symbol| self.takes(**symbol, arguments.len()))
                        .map(|symbol| {
                            self.parameter_function(
                                view,
                                scope,
                                at,
                                *symbol,
                                Some(&receiver),
                                &arguments,
                                context.argument,
                                keyword.as_deref(),
                                parameter,
                            )
                        });
                    types.into_iter().find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::LibraryMember(receiver, name) => {
                    let Some((library, types)) = self.shape_owner(receiver) else {
                        continue;
                    };
                    match self.shape_member(view, &library, name) {
                        Some((shape, of)) => {
                            let known = self.type_arguments(
                                view,
                                &of,
                                &self.as_supertype(view, &library, &types, &of),
                            );
                            self.shape_parameter(
                                view,
                                scope,
                                at,
                                &shape,
                                &known,
                                Some(receiver),
                                &arguments,
                                context.argument,
                                parameter,
                            )
                        }
                        None => Ty::Unknown,
                    }
                }
                Ty::External(path) => match Shapes::of(view.semantics).function(path) {
                    Some(shape) => self.shape_parameter(
                        view,
                        scope,
                        at,
                        shape,
                        &[],
                        None,
                        &arguments,
                        context.argument,
                        parameter,
                    ),
                    None => Ty::Unknown,
                },
                Ty::Signature(types) => match types
                    .get(context.argument as usize)
                    .and_then(|ty| self.function_parameters(ty))
                {
                    Some(parameters) => parameters
                        .get(parameter as usize)
                        .cloned()
                        .unwrap_or(Ty::Unknown),
                    None => Ty::Unknown,
                },
                _ => Ty::Unknown,
            };
            if ty.is_known() {
                return ty;
            }
        }
        Ty::Unknown
    }

    /// The type of what a call takes as its argument at a place.
    pub(super) fn expected_argument(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        call: RecipeId,
        argument: u16,
    ) -> Ty {
        let (callee, list) = match view.facts.recipe(call) {
            Recipe::Call(callee, list) => (self.callee(view, scope, at, callee), list),
            Recipe::New(ty, list) => (self.written_type(view, scope, at, ty).reified(), list),
            _ => return Ty::Unknown,
        };
        let n_arguments = list.len as usize;
        let declared_by = |symbol: SymbolId, receiver: Option<&Ty>| {
            let Some((other, declared)) = self
                .symbol(symbol)
                .filter(|_| self.takes(symbol, n_arguments))
            else {
                return Ty::Unknown;
            };
            let mut parameters = other
                .facts
                .parameters(&declared)
                .iter()
                .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER));
            let Some(wanted) = parameters.nth(argument as usize) else {
                return Ty::Unknown;
            };
            let inner = declared.body.unwrap_or(declared.declared_in);
            let ty = self.written_type(&other, inner, declared.span.start, wanted.ty);
            receiver.map_or(ty.clone(), |receiver| self.seen_through(&ty, receiver))
        };
        for callee in callee.alternatives() {
            let ty = match &callee {
                Ty::Function(symbol, None) => declared_by(*symbol, None),
                Ty::Function(symbol, Some(receiver)) => {
                    let hits = self.members_in_sight(view, receiver, &self.name(*symbol), None);
                    let mut types = hits
                        .into_iter()
                        .map(|hit| declared_by(hit.symbol, Some(receiver)));
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Type(symbol, _) => {
                    let receiver = callee.instantiated();
                    let constructors = self.constructors(*symbol);
                    let mut types = constructors
                        .into_iter()
                        .map(|constructor| declared_by(constructor, Some(&receiver)));
                    types.find(Ty::is_known).unwrap_or(Ty::Unknown)
                }
                Ty::Signature(types) if (argument as usize) + 1 < types.len() => {
                    types[argument as usize].clone()
                }
                _ => match self.library_signature(view, &callee) {
                    Some((parameters, _)) => parameters
                        .get(argument as usize)
                        .cloned()
                        .unwrap_or(Ty::Unknown),
                    None => Ty::Unknown,
                },
            };
            if ty.is_known() {
                return ty;
            }
        }
        Ty::Unknown
    }

    #[allow(clippy::too_many_arguments)] // One place in one call: where it stands, what is called, what is given.
    fn parameter_function(
        &self,
        view: &FileView,
        scope: ScopeId,
        at: u32,
        symbol: SymbolId,
        receiver: Option<&Ty>,
        arguments: &[RecipeId],
        argument: u16,
        keyword: Option<&str>,
        parameter: u16,
    ) -> Ty {
        let Some((other, declared)) = self.symbol(symbol) else {
            return Ty::Unknown;
        };
        let parameters: Vec<_> = other
            .facts
            .parameters(&declared)
            .iter()
            .filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
            .cloned()
            .collect();
        let wanted = match keyword {
            Some(keyword) => parameters
                .iter()
                .find(|parameter| other.facts.name(parameter.name) == keyword),
            None => parameters
                .get(argument as usize)
                .or_else(|| parameters.last()),
        };
        let Some(wanted) = wanted else {
            return Ty::Unknown;
        };
        let inner = declared.body.unwrap_or(declared.declared_in);
        let mut ty = self.written_type(&other, inner, declared.span.start, wanted.ty);
        if let Some(receiver) = receiver {
            ty = self.seen_through(&ty, receiver);
        }
        let Some((types, _)) = self.library_signature(view, &ty) else {
            return Ty::Unknown;
        };
        let Some(found) = types.get(parameter as usize) else {
            return Ty::Unknown;
        };
        if !found.has_parameters() {
            return found.clone();
        }
        // Type parameters of the function itself, from its other arguments.
        let others: Vec<RecipeId> = arguments
            .iter()
            .enumerate()
            .map(|(i, &given)| {
                if i == argument as usize {
                    RecipeId::UNKNOWN
                } else {
                    given
                }
            })
            .collect();
        let inferred = self.inferred_with_receiver(view, scope, at, symbol, &others, receiver);
        let ty = found.substitute(&|of, i| {
            (of == symbol).then(|| inferred.get(i as usize).cloned().unwrap_or(Ty::Unknown))
        });
        if matches!(ty, Ty::Parameter(..)) {
            Ty::Unknown
        } else {
            ty
        }
    }
}

/// The name of the library type that stands for the receiver in a function type, before its
/// parameters: Kotlin's `T.() -> R`.
const LAMBDA_RECEIVER: &str = "this";

fn lambda_receiver(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Library(name, types) if &**name == LAMBDA_RECEIVER => types.first(),
        _ => None,
    }
}
