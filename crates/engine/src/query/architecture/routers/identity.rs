//! Which router an expression means: what it was made as, is typed as, or is another name for.

use facts::{
    BindingId, BindingKind, ImportKind, Modifiers, NameId, Recipe, RecipeId, ScopeKind, TypeId,
};

use super::{MAX_DEPTH, Router, Routers, function_around};
use crate::{
    FileId, FileView, Found, Module, Place, Ty,
    query::architecture::{
        rules::RouterMaker,
        scan::{CallSite, symbol_in, type_name},
    },
};

impl Routers<'_> {
    /// Whether an expression can be a router: it was made as a router, is typed as one, or is
    /// called as routers usually are.
    pub fn is_router(&self, site: &CallSite, receiver: RecipeId) -> bool {
        let usual = self.rules.usual_names;
        let name = self.scan.last_name(&site.view, receiver);
        // One letter is the end of many names.
        let ends_usual = |name: &str| {
            usual
                .iter()
                .any(|usual| usual.len() > 2 && name.ends_with(usual))
        };
        name.is_some_and(|name| usual.contains(&name) || ends_usual(&name.to_lowercase()))
            || self.is_surely_router(site, receiver)
    }

    /// It was made, grouped, mounted or typed as a router; its name alone is not enough.
    pub fn is_surely_router(&self, site: &CallSite, receiver: RecipeId) -> bool {
        match self.router(site.place(), receiver, 0) {
            Some(Router::Group(..) | Router::Inline(..)) => true,
            Some(router) => {
                self.maker(&site.view, receiver).is_some()
                    || self.mounts.borrow().contains_key(&router)
                    || self.is_made_or_typed(&router)
            }
            None => false,
        }
    }

    fn is_made_or_typed(&self, router: &Router) -> bool {
        let typed = |view: &FileView, ty: TypeId| {
            type_name(view, ty).is_some_and(|name| self.rules.types.contains(&name))
        };
        let view = |file: FileId| self.scan.resolver.view(file);
        match router {
            Router::Symbol(symbol) => view(symbol.file).is_some_and(|view| {
                let declared = view.symbol(symbol.index);
                let mut values = view.facts.values(declared).iter();
                typed(&view, declared.ty)
                    || values.any(|value| self.maker(&view, value.recipe).is_some())
            }),
            Router::Binding(file, binding) => view(*file).is_some_and(|view| {
                let binding = &view.facts.bindings[binding.0 as usize];
                typed(&view, binding.ty) || self.maker(&view, binding.value).is_some()
            }),
            Router::Parameter(symbol, i) => view(symbol.file).is_some_and(|view| {
                let parameters = view.facts.parameters(view.symbol(symbol.index));
                let parameter = parameters.get(usize::from(*i));
                parameter.is_some_and(|parameter| typed(&view, parameter.ty))
            }),
            Router::Made(..) => true,
            _ => false,
        }
    }

    /// The rule of the call that makes a router, through the calls chained on it.
    pub fn maker(
        &self,
        view: &FileView,
        recipe: RecipeId,
    ) -> Option<(&'static RouterMaker, RecipeId)> {
        let mut recipe = recipe;
        for _ in 0..64 {
            match view.facts.recipe(recipe) {
                Recipe::Await(inner) | Recipe::Try(inner) => recipe = inner,
                Recipe::New(ty, _) => {
                    let name = type_name(view, ty)?;
                    let rule = self.rules.makers.iter().find(|rule| rule.call == name);
                    return rule.map(|rule| (rule, recipe));
                }
                Recipe::Call(callee, _) => {
                    let name = self.scan.last_name(view, callee)?;
                    let receiver = receiver_of(view, callee);
                    let on = receiver.and_then(|receiver| self.scan.last_name(view, receiver));
                    let is_on = |rule: &RouterMaker| {
                        rule.on.is_empty() || on.is_some_and(|on| rule.on.contains(&on))
                    };
                    let mut makers = self.rules.makers.iter();
                    if let Some(rule) = makers.find(|rule| rule.call == name && is_on(rule)) {
                        return Some((rule, recipe));
                    }
                    match view.facts.recipe(callee) {
                        Recipe::Member(inner, _) if self.rules.chained.contains(&name) => {
                            recipe = inner
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        None
    }

    pub fn router(&self, place: Place, recipe: RecipeId, depth: u32) -> Option<Router> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &place.view.facts;
        match facts.recipe(recipe) {
            Recipe::Await(inner)
            | Recipe::Try(inner)
            | Recipe::Deref(inner)
            | Recipe::Reference(inner) => self.router(place, inner, depth + 1),
            Recipe::Call(..) => self.called_router(place, recipe, depth),
            Recipe::New(..) => self
                .holder(place, recipe)
                .or(Some(Router::Made(place.view.id, recipe))),
            Recipe::Name(name) => match self.scan.meaning(place, recipe) {
                Some(found) => self.found(found, depth + 1),
                None => self.imported(place.view, name, depth + 1),
            },
            Recipe::Member(..) | Recipe::Scoped(..) | Recipe::Symbol(_) => {
                self.found(self.scan.meaning(place, recipe)?, depth + 1)
            }
            _ => None,
        }
    }

    /// The router that a call makes, groups, wraps or returns.
    fn called_router(&self, place: Place, recipe: RecipeId, depth: u32) -> Option<Router> {
        let facts = &place.view.facts;
        let Recipe::Call(callee, list) = facts.recipe(recipe) else {
            return None;
        };
        let name = self.scan.last_name(place.view, callee);
        let mut groups = self.rules.groups.iter();
        if let Recipe::Member(inner, _) = facts.recipe(callee)
            && let Some(rule) = groups.find(|rule| Some(rule.call) == name)
        {
            let prefix = self
                .scan
                .argument(place.view, facts.list(list), rule.prefix)
                .and_then(|prefix| self.scan.string(place, prefix));
            let parent = self.router(place, inner, depth + 1);
            let prefix = prefix.map(|known| known.text).unwrap_or_default();
            let mut groups = self.groups.borrow_mut();
            groups.insert((place.view.id, recipe), (parent, prefix));
            return Some(Router::Group(place.view.id, recipe));
        }
        if name.is_some_and(|name| self.rules.wrappers.contains(&name)) {
            let inner = self.router(place, *facts.list(list).first()?, depth + 1)?;
            self.unprefixed.borrow_mut().insert(inner.clone());
            return Some(inner);
        }
        let made = self.maker(place.view, recipe);
        if made.is_some()
            && let Some(inline) = self.inline_at(place.view.id, place.at)
        {
            return Some(inline);
        }
        if let Some(holder) = self.holder(place, recipe) {
            return Some(holder);
        }
        if let Some((_, made)) = made {
            let around = self
                .rules
                .is_returned
                .then(|| function_around(place.view, place.scope))
                .flatten();
            return Some(around.map_or(Router::Made(place.view.id, made), Router::Symbol));
        }
        // A function that makes one.
        if self.rules.is_returned
            && let Some(Found::Symbol(function)) = self.scan.meaning(place, callee)
            && self
                .scan
                .resolver
                .kind(function)
                .is_some_and(|kind| kind.is_callable())
            && !self.is_typed_self(place, callee)
        {
            return Some(Router::Symbol(function));
        }
        match facts.recipe(callee) {
            // Conventions chained after a group or a route: `.RequireAuthorization()`.
            Recipe::Member(inner, _) => self.router(place, inner, depth + 1),
            _ => self.found(self.scan.meaning(place, recipe)?, depth + 1),
        }
    }

    /// A default import of an expression, which has no name of its own.
    fn imported(&self, view: &FileView, name: NameId, depth: u32) -> Option<Router> {
        let import = view.facts.imports.iter().find(|import| {
            import.local == Some(name)
                && matches!(import.kind, ImportKind::Default | ImportKind::Module)
        })?;
        match (view.dialect.module_of_import)(self.scan.resolver, view, import) {
            Some(Module::File(file)) => self.exported(file, depth),
            _ => None,
        }
    }

    /// The variable or export whose value is this expression or a chain of calls on it.
    fn holder(&self, place: Place, recipe: RecipeId) -> Option<Router> {
        let facts = &place.view.facts;
        let holds = |value: RecipeId| {
            let mut inner = value;
            for _ in 0..64 {
                if inner == recipe {
                    return true;
                }
                match facts.recipe(inner) {
                    Recipe::Call(callee, _) => match facts.recipe(callee) {
                        Recipe::Member(object, _) => inner = object,
                        _ => return false,
                    },
                    Recipe::Await(object) | Recipe::Try(object) => inner = object,
                    _ => return false,
                }
            }
            false
        };
        // Equal expressions share one recipe: what this place is a part of comes first.
        let mut holders: Vec<(bool, Router)> = Vec::new();
        let mut exports = facts.exports.iter();
        if exports.any(|export| export.value.is_known() && holds(export.value)) {
            holders.push((false, Router::Export(place.view.id)));
        }
        for (index, symbol) in facts.symbols_with_index() {
            let mut values = facts.values(symbol).iter();
            if symbol.kind.is_value() && values.any(|value| holds(value.recipe)) {
                let is_around = symbol.span.contains(place.at)
                    || symbol.name_span.end <= place.at
                        && is_one_statement(place, symbol.name_span.end);
                holders.push((is_around, Router::Symbol(symbol_in(place.view, index))));
            }
        }
        for (i, binding) in facts.bindings.iter().enumerate() {
            if binding.value.is_known() && holds(binding.value) {
                let is_around = binding.name_span.start <= place.at && place.at < binding.from;
                let router = Router::Binding(place.view.id, BindingId(i as u32));
                holders.push((is_around, router));
            }
        }
        let around = holders.iter().position(|(is_around, _)| *is_around);
        let is_made = self.maker(place.view, recipe).is_some();
        match around {
            Some(i) => Some(holders.swap_remove(i).1),
            // An expression of its own: exported, or what its function returns.
            None if is_made && self.rules.is_returned => {
                let is_outside = function_around(place.view, place.scope).is_none();
                let first = holders.into_iter().next().map(|(_, router)| router);
                first.filter(|first| is_outside && matches!(first, Router::Export(_)))
            }
            None => holders.into_iter().next().map(|(_, router)| router),
        }
    }

    /// A method on the router itself, which gives the router back.
    fn is_typed_self(&self, place: Place, callee: RecipeId) -> bool {
        receiver_of(place.view, callee)
            .and_then(|receiver| self.router(place, receiver, MAX_DEPTH - 1))
            .is_some_and(|router| self.is_made_or_typed(&router))
    }

    fn found(&self, found: Found, depth: u32) -> Option<Router> {
        if depth > MAX_DEPTH {
            return None;
        }
        match found {
            Found::Symbol(symbol) => {
                let (view, declared) = self.scan.resolver.symbol(symbol)?;
                // Another name for the same object.
                let values = view.facts.values(&declared).iter();
                let alias = values
                    .filter(|_| declared.kind.is_value())
                    .find_map(|value| {
                        self.alias(Place::of_value(&view, value), value.recipe, depth)
                    });
                alias.or(Some(Router::Symbol(symbol)))
            }
            Found::Binding(file, id) => {
                let view = self.scan.resolver.view(file)?;
                let binding = &view.facts.bindings[id.0 as usize];
                if binding.kind == BindingKind::Parameter {
                    let scope = view.facts.scope(binding.scope);
                    return match (scope.kind, scope.owner) {
                        (ScopeKind::Lambda, None) => {
                            Some(Router::LambdaParameter(file, binding.scope))
                        }
                        (_, Some(owner)) => Some(Router::Parameter(
                            symbol_in(&view, owner),
                            binding.parameter.unwrap_or(0),
                        )),
                        _ => None,
                    };
                }
                let place = Place::of_binding(&view, binding);
                let alias = binding
                    .value
                    .is_known()
                    .then(|| self.alias(place, binding.value, depth));
                alias.flatten().or(Some(Router::Binding(file, id)))
            }
            Found::Module(Module::File(file)) => self.exported(file, depth),
            _ => None,
        }
    }

    /// What a value means where it only names, wraps, groups or requires.
    fn alias(&self, place: Place, value: RecipeId, depth: u32) -> Option<Router> {
        match place.view.facts.recipe(value) {
            Recipe::Name(_) | Recipe::Member(..) => self.router(place, value, depth + 1),
            Recipe::Await(inner) => self.alias(place, inner, depth),
            Recipe::Call(callee, _) => {
                let name = self.scan.last_name(place.view, callee)?;
                if let Some(group) = self.group_in(place.view, value) {
                    return self.router(place, group, depth + 1);
                }
                if self.rules.wrappers.contains(&name) {
                    return self.router(place, value, depth + 1);
                }
                if self.maker(place.view, value).is_some() {
                    return None;
                }
                match self.scan.eval(place, value) {
                    Ty::Module(Module::File(file)) => self.exported(file, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The call of a chain that makes a group: `app.MapGroup("x")` of
    /// `app.MapGroup("x").RequireAuthorization()`.
    fn group_in(&self, view: &FileView, mut recipe: RecipeId) -> Option<RecipeId> {
        for _ in 0..MAX_DEPTH {
            let Recipe::Call(callee, _) = view.facts.recipe(recipe) else {
                return None;
            };
            let name = self.scan.last_name(view, callee);
            if self.rules.groups.iter().any(|rule| Some(rule.call) == name) {
                return Some(recipe);
            }
            let Recipe::Member(inner, _) = view.facts.recipe(callee) else {
                return None;
            };
            recipe = inner;
        }
        None
    }

    /// What a file exports as a whole.
    pub fn exported(&self, file: FileId, depth: u32) -> Option<Router> {
        let view = self.scan.resolver.view(file)?;
        let mut exports = view.facts.exports.iter();
        let export =
            exports.find(|export| matches!(view.facts.name(export.exported), "default" | "="));
        let Some(export) = export else {
            // `export default function`.
            let mut symbols = view.facts.symbols_with_index();
            let (index, _) =
                symbols.find(|(_, symbol)| symbol.modifiers.contains(Modifiers::DEFAULT_EXPORT))?;
            return self.found(Found::Symbol(symbol_in(&view, index)), depth + 1);
        };
        let place = Place::end_of_file(&view);
        if let Some(local) = export.local {
            let name = view.facts.name(local);
            let found = self.scan.resolver.name_at(
                Place {
                    view: &view,
                    ..place
                },
                name,
            )?;
            return self.found(found.targets.into_iter().next()?, depth + 1);
        }
        let value = Some(export.value).filter(|value| value.is_known());
        value
            .and_then(|value| self.router(place, value, depth + 1))
            .or(Some(Router::Export(file)))
    }
}

fn receiver_of(view: &FileView, callee: RecipeId) -> Option<RecipeId> {
    match view.facts.recipe(callee) {
        Recipe::Member(receiver, _) | Recipe::Scoped(receiver, _) => Some(receiver),
        Recipe::TypeArguments(inner, _) => receiver_of(view, inner),
        _ => None,
    }
}

/// Whether no other binding of the file begins between two places.
fn is_one_statement(place: Place, start: u32) -> bool {
    let facts = &place.view.facts;
    let between = |at: u32| at > start && at <= place.at;
    let mut symbols = facts.symbols_with_index();
    let mut exports = facts.exports.iter();
    !symbols.any(|(_, symbol)| between(symbol.name_span.start))
        && !exports.any(|export| between(export.name_span.start))
}
