//! Every prefix under which a router can be reached.

use facts::{Modifiers, Recipe, RecipeId, Role};

use super::{MAX_DEPTH, Prefix, Router, Routers, add_prefix, function_around};
use crate::{
    FileId, FileView, Place, SymbolId,
    query::{self, architecture::is_aside},
};

impl Routers<'_> {
    pub fn prefixes_of(&self, place: Place, receiver: RecipeId) -> Vec<Prefix> {
        let root = vec![(String::new(), true)];
        match self.router(place, receiver, 0) {
            Some(router) => self.prefixes(&router, 0),
            None => root,
        }
    }

    /// Every prefix under which a router can be reached, and whether all of it is known.
    pub fn prefixes(&self, router: &Router, depth: u32) -> Vec<Prefix> {
        let root = || vec![(String::new(), true)];
        if depth > MAX_DEPTH {
            return root();
        }
        let mounted = self.mounted(router, depth);
        match router {
            Router::Group(file, recipe) => {
                let group = self.groups.borrow().get(&(*file, *recipe)).cloned();
                let Some((parent, prefix)) = group else {
                    return root();
                };
                let above = parent.map_or_else(root, |parent| self.prefixes(&parent, depth + 1));
                above
                    .into_iter()
                    .map(|(above, whole)| (add_prefix(&above, &prefix), whole))
                    .collect()
            }
            Router::Parameter(function, i) => {
                let mut all = mounted;
                // A plugin is mounted as a function, and gets the router as its first parameter.
                if *i == 0 {
                    all.extend(self.mounted(&Router::Symbol(*function), depth));
                }
                all.extend(self.handed_in(*function, *i, depth));
                if all.is_empty() && !self.is_never_called(*function) {
                    root()
                } else {
                    all
                }
            }
            router => {
                let own = self.own_prefix(router);
                let mounted = if mounted.is_empty() {
                    self.of_function(router, depth)
                } else {
                    mounted
                };
                let above = if mounted.is_empty() { root() } else { mounted };
                above
                    .into_iter()
                    .map(|(above, whole)| (add_prefix(&above, &own), whole))
                    .collect()
            }
        }
    }

    fn mounted(&self, router: &Router, depth: u32) -> Vec<Prefix> {
        let mounts = self
            .mounts
            .borrow()
            .get(router)
            .cloned()
            .unwrap_or_default();
        let mut all = Vec::new();
        for mount in mounts {
            let above = match mount.parent {
                Some(parent) if parent != *router => self.prefixes(&parent, depth + 1),
                _ => vec![(String::new(), true)],
            };
            let whole = |(above, is_whole): Prefix| {
                (
                    add_prefix(&above, &mount.prefix),
                    is_whole && mount.is_whole,
                )
            };
            all.extend(above.into_iter().map(whole));
        }
        all.sort();
        all.dedup();
        all
    }

    /// Where the function that makes a router is mounted.
    fn of_function(&self, router: &Router, depth: u32) -> Vec<Prefix> {
        let function = match router {
            Router::Binding(file, binding) if self.rules.is_returned => {
                self.scan.resolver.view(*file).and_then(|view| {
                    function_around(&view, view.facts.bindings[binding.0 as usize].scope)
                })
            }
            _ => None,
        };
        function
            .map(|function| self.mounted(&Router::Symbol(function), depth))
            .unwrap_or_default()
    }

    /// Whether a function that only its name can call is named nowhere in a program: what it would
    /// map is not mapped. In a repository without a program of its own, it is there for others to
    /// call.
    fn is_never_called(&self, function: SymbolId) -> bool {
        let Some((view, declared)) = self.scan.resolver.symbol(function) else {
            return false;
        };
        let is_program = || {
            let mut calls = self.rules.program_calls.iter();
            calls.any(|call| !self.scan.calls(call).is_empty())
        };
        declared.modifiers.contains(Modifiers::EXTENSION) && is_program() && {
            let name = view.name_of(function.index);
            let views = self.scan.mentioning(name);
            !views.iter().any(|view| {
                let name = view.facts.names.find(name);
                name.is_some_and(|name| !view.facts.references_of(name).is_empty())
            })
        }
    }

    /// What calls of a function hand in for one of its parameters.
    fn handed_in(&self, function: SymbolId, i: u16, depth: u32) -> Vec<Prefix> {
        let mut all = Vec::new();
        let resolver = self.scan.resolver;
        let is_extension = resolver
            .symbol(function)
            .is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::EXTENSION));
        for mention in query::references(resolver, function).value {
            if mention.role != Role::Call || is_aside(resolver.snapshot(), mention.file) {
                continue;
            }
            let Some(view) = resolver.view(mention.file) else {
                continue;
            };
            let mut references = view.facts.references.iter();
            let reference = references
                .find(|reference| reference.span == mention.span && reference.role == Role::Call);
            let Some((reference, call)) = reference.and_then(|own| Some((own, own.call?))) else {
                continue;
            };
            let Recipe::Call(_, list) = view.facts.recipe(call) else {
                continue;
            };
            let handed = match (is_extension, reference.receiver) {
                (true, Some(receiver)) if i == 0 => Some(receiver),
                (true, Some(_)) => view.facts.list(list).get(usize::from(i) - 1).copied(),
                _ => view.facts.list(list).get(usize::from(i)).copied(),
            };
            let place = Place::of(&view, reference);
            if let Some(router) = handed.and_then(|handed| self.router(place, handed, 0))
                && router != Router::Parameter(function, i)
            {
                all.extend(self.prefixes(&router, depth + 1));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// The prefix that a router was made with.
    fn own_prefix(&self, router: &Router) -> String {
        let view = |file: FileId| self.scan.resolver.view(file);
        let found = match router {
            Router::Symbol(symbol) => view(symbol.file).and_then(|view| {
                let mut values = view.facts.values(view.symbol(symbol.index)).iter();
                values.find_map(|value| {
                    self.maker_prefix(Place::of_value(&view, value), value.recipe)
                })
            }),
            Router::Binding(file, binding) => view(*file).and_then(|view| {
                let binding = &view.facts.bindings[binding.0 as usize];
                self.maker_prefix(Place::of_binding(&view, binding), binding.value)
            }),
            Router::Made(file, recipe) => view(*file)
                .and_then(|view| self.maker_prefix(Place::in_file(&view, u32::MAX), *recipe)),
            Router::Inline(file, start) => {
                view(*file).and_then(|view| self.inline_prefix(&view, router, *start))
            }
            _ => None,
        };
        found.unwrap_or_default()
    }

    fn maker_prefix(&self, place: Place, recipe: RecipeId) -> Option<String> {
        let (rule, call) = self.maker(place.view, recipe)?;
        let list = match place.view.facts.recipe(call) {
            Recipe::Call(_, list) | Recipe::New(_, list) => place.view.facts.list(list),
            _ => return None,
        };
        let prefix = self.scan.argument(place.view, list, rule.prefix)?;
        self.scan.string(place, prefix).map(|known| known.text)
    }

    fn inline_prefix(&self, view: &FileView, router: &Router, start: u32) -> Option<String> {
        let makers = self.rules.makers.iter();
        // The call that makes it is the first of the argument.
        let first = makers
            .filter_map(|rule| view.facts.names.find(rule.call))
            .flat_map(|name| view.facts.references_of(name))
            .filter(|reference| {
                let at = reference.span.start;
                reference.call.is_some()
                    && at >= start
                    && self.inline_at(view.id, at).as_ref() == Some(router)
            })
            .min_by_key(|reference| reference.span.start)?;
        self.maker_prefix(Place::of(view, first), first.call?)
    }
}
