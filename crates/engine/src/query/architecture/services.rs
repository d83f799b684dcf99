//! Registered services, middleware in order, and retry policies.

use facts::Recipe;

use crate::Ty;

use super::{
    ArchitectureFact, ArchitectureKind, Certainty,
    config::type_symbol,
    places::{CallSite, Places},
    routers::type_name,
    rules::Framework,
};

pub fn read(places: &Places<'_>, framework: &Framework) {
    read_registrations(places, framework);
    read_middleware(places, framework);
    for rule in framework.of("retry") {
        for name in &rule.words {
            for site in places.calls(framework.family, name) {
                let detail = rule.option("framework").unwrap_or(framework.name);
                let fact = of_site(
                    ArchitectureKind::RetryPolicy,
                    (*name).to_owned(),
                    detail.to_owned(),
                    &site,
                    Certainty::Pattern,
                );
                places.add(fact);
            }
        }
    }
}

fn read_registrations(places: &Places<'_>, framework: &Framework) {
    for (rule, site) in places.sites(framework, "di") {
        let lifetime = rule.words.get(1).copied().unwrap_or("");
        let Some(Recipe::Call(callee, _)) =
            site.reference.call.map(|call| site.view.facts.recipe(call))
        else {
            continue;
        };
        let types: Vec<facts::TypeId> = match site.view.facts.recipe(callee) {
            Recipe::TypeArguments(_, list) => site.view.facts.type_list(list).to_vec(),
            _ => site
                .arguments
                .iter()
                .filter_map(|argument| match site.view.facts.recipe(*argument) {
                    Recipe::Type(ty) => Some(ty),
                    _ => None,
                })
                .collect(),
        };
        let Some(service) = types.first() else {
            continue;
        };
        let symbol = |ty| type_symbol(places, &site.view, ty, site.reference.span);
        let name = |ty| type_name(&site.view, ty).unwrap_or("?").to_owned();
        let implementation = types.get(1).copied();
        // An object that is handed over: its own type if that says more than the service, else just
        // that it is one.
        let is_object = |argument: &&facts::RecipeId| {
            !matches!(
                site.view.facts.recipe(**argument),
                Recipe::Lambda(..) | Recipe::Type(_) | Recipe::Str(_) | Recipe::Literal(_)
            )
        };
        let given = |argument| {
            places.resolver.eval(
                &site.view,
                site.reference.scope,
                site.reference.span.start,
                argument,
            )
        };
        let instance = site
            .arguments
            .last()
            .filter(is_object)
            .filter(|_| implementation.is_none())
            .map(|argument| given(*argument));
        let is_made = site
            .arguments
            .iter()
            .any(|argument| matches!(site.view.facts.recipe(*argument), Recipe::Lambda(..)))
            || matches!(instance, Some(Ty::Function(..) | Ty::Applied(..)));
        let instance_type = instance
            .as_ref()
            .and_then(|ty| match ty.alternatives().as_slice() {
                [Ty::Instance(of, _)] if Some(*of) != symbol(*service) => Some(*of),
                _ => None,
            });
        let shown = match (implementation, instance) {
            (Some(implementation), _) => name(implementation),
            (None, _) if is_made => "factory".to_owned(),
            (None, Some(_)) => {
                instance_type.map_or_else(|| "instance".to_owned(), |of| places.resolver.name(of))
            }
            (None, None) => name(*service),
        };
        let mut fact = of_site(
            ArchitectureKind::DiRegistration,
            name(*service),
            format!("{shown}|{lifetime}"),
            &site,
            Certainty::Declared,
        );
        fact.symbol = symbol(*service);
        fact.other = instance_type.or_else(|| symbol(implementation.unwrap_or(*service)));
        places.add(fact);
    }
}

/// `app.UseX()` in the order of each file.
fn read_middleware(places: &Places<'_>, framework: &Framework) {
    for rule in framework.of("middleware") {
        let (except, on) = (rule.list("except"), rule.list("on"));
        for view in places.views(framework.family) {
            let mut sites: Vec<&facts::Reference> = view
                .facts
                .references
                .iter()
                .filter(|reference| reference.role == facts::Role::Call)
                .filter(|reference| {
                    let name = view.facts.name(reference.name);
                    let rest = name.strip_prefix(rule.name());
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_uppercase))
                        && !except.contains(&name)
                })
                .filter(|reference| {
                    reference.receiver.is_some_and(|receiver| {
                        root_name(&view, receiver).is_some_and(|name| on.contains(&name))
                    })
                })
                .collect();
            sites.sort_by_key(|reference| reference.span.start);
            for (i, reference) in sites.into_iter().enumerate() {
                let symbol = reference.enclosing.map(|index| crate::SymbolId {
                    file: view.id,
                    index,
                });
                places.add(ArchitectureFact {
                    kind: ArchitectureKind::Middleware,
                    framework: "",
                    value: view.facts.name(reference.name).to_owned(),
                    detail: format!("pos:{}", i + 1),
                    schema: None,
                    symbol,
                    other: None,
                    file: view.id,
                    span: reference.span,
                    certainty: Certainty::Pattern,
                });
            }
        }
    }
}

/// `app` of `app.UseRouting().UseAuthorization()`.
fn root_name(view: &crate::FileView, mut recipe: facts::RecipeId) -> Option<&str> {
    for _ in 0..64 {
        match view.facts.recipe(recipe) {
            Recipe::Name(name) => return Some(view.facts.name(name)),
            Recipe::Call(inner, _) | Recipe::Member(inner, _) | Recipe::Await(inner) => {
                recipe = inner
            }
            _ => return None,
        }
    }
    None
}

fn of_site(
    kind: ArchitectureKind,
    value: String,
    detail: String,
    site: &CallSite,
    certainty: Certainty,
) -> ArchitectureFact {
    ArchitectureFact {
        kind,
        framework: "",
        value,
        detail,
        schema: None,
        symbol: site.enclosing(),
        other: None,
        file: site.file(),
        span: site.reference.span,
        certainty,
    }
}
