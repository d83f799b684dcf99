//! Registered services, middleware in order, and retry policies.

use facts::{Recipe, Reference, Role, TypeId};

use super::{
    ArchitectureFact, Certainty, Subject,
    scan::{CallSite, Scan, symbol_in, type_name},
};
use crate::Ty;

pub fn read(scan: &Scan<'_>) {
    for (call, lifetime) in scan.framework.services.registrations {
        for site in scan.calls(call) {
            read_registration(scan, &site, lifetime);
        }
    }
    read_middleware(scan);
    for (library, calls) in scan.framework.services.retries {
        for call in *calls {
            for site in scan.calls(call) {
                let subject = Subject::RetryPolicy { library };
                let fact = ArchitectureFact::new(subject, *call, site.file(), site.reference.span);
                scan.add(fact.of(site.enclosing()).certain(Certainty::Pattern));
            }
        }
    }
}

/// `AddScoped<IOrders, Orders>()`, `AddSingleton(typeof(IClock), clock)`.
fn read_registration(scan: &Scan<'_>, site: &CallSite, lifetime: &'static str) {
    let facts = &site.view.facts;
    let Some(callee) = site.callee() else { return };
    let types: Vec<TypeId> = match facts.recipe(callee) {
        Recipe::TypeArguments(_, list) => facts.type_list(list).to_vec(),
        _ => site
            .arguments
            .iter()
            .filter_map(|argument| match facts.recipe(*argument) {
                Recipe::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
    };
    let Some(service) = types.first().copied() else {
        return;
    };
    let symbol = |ty| scan.type_symbol(&site.view, ty, site.reference.span);
    let name = |ty| type_name(&site.view, ty).unwrap_or("?").to_owned();
    let implementation = types.get(1).copied();
    // An object that is handed over: its own type if that says more than the service, else just
    // that it is one.
    let is_object = |argument: &&facts::RecipeId| {
        !matches!(
            facts.recipe(**argument),
            Recipe::Lambda(..) | Recipe::Type(_) | Recipe::Str(_) | Recipe::Literal(_)
        )
    };
    let place = site.place();
    let instance = site
        .arguments
        .last()
        .filter(is_object)
        .filter(|_| implementation.is_none())
        .map(|argument| scan.eval(place, *argument));
    let is_lambda =
        |argument: &facts::RecipeId| matches!(facts.recipe(*argument), Recipe::Lambda(..));
    let is_made = site.arguments.iter().any(is_lambda)
        || matches!(instance, Some(Ty::Function(..) | Ty::Applied(..)));
    let instance_type = instance
        .as_ref()
        .and_then(|ty| match ty.alternatives().as_slice() {
            [Ty::Instance(of, _)] if Some(*of) != symbol(service) => Some(*of),
            _ => None,
        });
    let shown = match (implementation, instance) {
        (Some(implementation), _) => name(implementation),
        (None, _) if is_made => "factory".to_owned(),
        (None, Some(_)) => {
            instance_type.map_or_else(|| "instance".to_owned(), |of| scan.resolver.name(of))
        }
        (None, None) => name(service),
    };
    let subject = Subject::Service {
        implementation: shown,
        lifetime,
    };
    let fact = ArchitectureFact::new(subject, name(service), site.file(), site.reference.span);
    let other = instance_type.or_else(|| symbol(implementation.unwrap_or(service)));
    scan.add(fact.of(symbol(service)).with_other(other));
}

/// `app.UseX()` in the order of each file.
fn read_middleware(scan: &Scan<'_>) {
    let Some(rule) = &scan.framework.services.middleware else {
        return;
    };
    for view in scan.views() {
        let is_middleware = |reference: &&Reference| {
            let name = view.facts.name(reference.name);
            let rest = name.strip_prefix(rule.prefix);
            reference.role == Role::Call
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_uppercase))
                && !rule.except.contains(&name)
                && reference
                    .receiver
                    .and_then(|receiver| root_name(&view, receiver))
                    .is_some_and(|name| rule.on.contains(&name))
        };
        let mut sites: Vec<&Reference> =
            view.facts.references.iter().filter(is_middleware).collect();
        sites.sort_by_key(|reference| reference.span.start);
        for (i, reference) in sites.into_iter().enumerate() {
            let name = view.facts.name(reference.name);
            let subject = Subject::Middleware { position: i + 1 };
            let symbol = reference.enclosing.map(|index| symbol_in(&view, index));
            let fact = ArchitectureFact::new(subject, name, view.id, reference.span);
            scan.add(fact.of(symbol).certain(Certainty::Pattern));
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
