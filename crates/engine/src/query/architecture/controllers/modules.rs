//! Modules that list their controllers, and the paths that a router gives to modules.

use std::collections::{BTreeMap, BTreeSet};

use facts::{Recipe, RecipeId};

use crate::{
    Place, SymbolId,
    query::architecture::{
        joined,
        rules::{ControllerRules, ModuleRules},
        scan::{Scan, symbol_in},
    },
};

#[derive(Default)]
pub struct Modules {
    /// Controllers that some list names; nothing where the lists cannot all be read.
    registered: Option<BTreeSet<SymbolId>>,
    /// The modules of a controller.
    of_controller: BTreeMap<SymbolId, Vec<SymbolId>>,
    paths: BTreeMap<SymbolId, Vec<String>>,
}

impl Modules {
    pub fn read(scan: &Scan<'_>, rules: &ControllerRules) -> Modules {
        let Some(rules) = &rules.modules else {
            return Modules::default();
        };
        let mut modules = Modules {
            registered: registered(scan, rules),
            ..Modules::default()
        };
        for (view, annotation, _, arguments) in scan.annotated(rules.annotation) {
            let place = Place::end_of_file(&view);
            let listed = arguments
                .first()
                .and_then(|object| scan.field(&view, *object, rules.controllers))
                .and_then(|list| scan.items(place, list));
            let Some((listed_in, items)) = listed else {
                continue;
            };
            let place = Place::end_of_file(&listed_in);
            for controller in items
                .iter()
                .filter_map(|item| scan.meant_symbol(place, *item))
            {
                let own = modules.of_controller.entry(controller).or_default();
                own.push(symbol_in(&view, annotation.symbol));
            }
        }
        for (call, on) in rules.routers {
            for site in scan.calls(call) {
                let receiver = site.reference.receiver;
                let is_on = receiver.and_then(|receiver| scan.last_name(&site.view, receiver));
                if is_on == Some(*on)
                    && let Some(tree) = site.arguments.first()
                {
                    modules.read_tree(scan, rules, site.place(), *tree, ("", 0));
                }
            }
        }
        modules
    }

    /// `[{ path: "admin", module: AdminModule, children: [...] }]`.
    fn read_tree(
        &mut self,
        scan: &Scan<'_>,
        rules: &ModuleRules,
        place: Place<'_>,
        tree: RecipeId,
        (above, depth): (&str, u32),
    ) {
        let Some((view, items)) = scan.items(place, tree).filter(|_| depth < 8) else {
            return;
        };
        let place = if view.id == place.view.id {
            place
        } else {
            Place::end_of_file(&view)
        };
        for item in items {
            // A child may be a module without a path of its own.
            if let Some(module) = scan.meant_symbol(place, item) {
                let paths = self.paths.entry(module).or_default();
                paths.push(above.to_owned());
                continue;
            }
            let path = scan
                .field(&view, item, rules.path)
                .and_then(|path| scan.string(place, path));
            let path = joined(above, &path.map(|known| known.text).unwrap_or_default());
            let module = scan
                .field(&view, item, rules.module)
                .and_then(|module| scan.meant_symbol(place, module));
            if let Some(module) = module {
                self.paths.entry(module).or_default().push(path.clone());
            }
            if let Some(children) = scan.field(&view, item, rules.children) {
                self.read_tree(scan, rules, place, children, (path.as_str(), depth + 1));
            }
        }
    }

    /// Whether an application has a controller: some module lists it.
    pub fn is_registered(&self, controller: SymbolId) -> bool {
        let registered = self.registered.as_ref();
        registered.is_none_or(|registered| registered.contains(&controller))
    }

    /// The paths of a controller's modules; one that is empty where they have none.
    pub fn paths_of(&self, controller: SymbolId) -> Vec<String> {
        let modules = self.of_controller.get(&controller).into_iter().flatten();
        let mut paths: Vec<String> = modules
            .filter_map(|module| self.paths.get(module))
            .flatten()
            .cloned()
            .collect();
        paths.sort();
        paths.dedup();
        if paths.is_empty() {
            paths.push(String::new());
        }
        paths
    }
}

/// The members of every list of controllers. Nothing where one of the lists is made at run time, or
/// where there is none.
fn registered(scan: &Scan<'_>, rules: &ModuleRules) -> Option<BTreeSet<SymbolId>> {
    let mut found = BTreeSet::new();
    for view in scan.mentioning(rules.controllers) {
        let place = Place::end_of_file(&view);
        for recipe in &view.facts.recipes {
            let Recipe::Field(name, list) = *recipe else {
                continue;
            };
            if view.facts.name(name) != rules.controllers {
                continue;
            }
            let (listed_in, items) = scan.items(place, list)?;
            let place = Place::end_of_file(&listed_in);
            for item in items {
                found.insert(scan.meant_symbol(place, item)?);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}
