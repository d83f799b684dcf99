//! `router.register("orders", OrderViewSet)` makes a list and a detail address, and one for each
//! extra action of the view set.

use facts::{Recipe, SymbolIndex};

use super::{
    super::*,
    urls::{Mounts, UrlTable, Urls, without_anchor},
};
use crate::{
    FileView, Place, SymbolId,
    query::architecture::{
        Certainty, Scan, joined,
        scan::{symbol_in, type_name},
    },
};

const PREFIX: Slots = &[At(0), Named("prefix")];
const VIEW_SET: Slots = &[At(1), Named("viewset")];
/// Decorators of methods that are addresses of their own.
const EXTRA_ACTIONS: &[&str] = &["action", "detail_route", "list_route"];

/// What a view set answers.
struct Offers {
    list: bool,
    detail: bool,
    parameter: String,
    /// Path, whether it belongs to one object, and its method.
    actions: Vec<(String, bool, SymbolId)>,
}

pub fn read(urls: &Urls<'_>, mounts: &Mounts) {
    let scan = urls.scan;
    for site in scan.calls("register") {
        let (Some(receiver), Some(target)) =
            (site.reference.receiver, scan.site_argument(&site, VIEW_SET))
        else {
            continue;
        };
        let Some(table) = urls.router_table(site.place(), receiver) else {
            continue;
        };
        let Some(path) = scan.texts(&site, PREFIX).into_iter().next() else {
            scan.not_understood(site.file(), site.reference.span);
            continue;
        };
        let class = urls.handler(&site, target);
        let offers = class.map_or_else(Offers::none, |class| offers(scan, class));
        let slash = if has_no_slash(scan, &table) { "" } else { "/" };
        let own = without_anchor(&path.text).trim_end_matches('/');
        let certainty = Certainty::of_text(path.is_whole);
        for prefix in urls.prefixes(mounts, &table, 0) {
            let base = joined(&prefix, own);
            let detail = format!("{base}/<{}>", offers.parameter);
            if offers.list {
                urls.add(&format!("{base}{slash}"), class, &site, certainty);
            }
            if offers.detail {
                urls.add(&format!("{detail}{slash}"), class, &site, certainty);
            }
            for (name, is_detail, symbol) in &offers.actions {
                let base = if *is_detail { &detail } else { &base };
                let path = format!("{base}/{name}{slash}");
                urls.add(&path, Some(*symbol), &site, certainty);
            }
        }
    }
}

/// `router = DefaultRouter(trailing_slash=False)`.
fn has_no_slash(scan: &Scan<'_>, (file, name): &UrlTable) -> bool {
    let Some(view) = scan.resolver.view(*file) else {
        return false;
    };
    let Some(id) = view.facts.names.find(name) else {
        return false;
    };
    let values = |index| view.facts.values(view.symbol(index)).iter();
    let mut values = view.symbols_named(id).flat_map(values);
    values.any(|value| {
        let Recipe::Call(_, list) = view.facts.recipe(value.recipe) else {
            return false;
        };
        let arguments = view.facts.list(list);
        let slash = scan.argument(&view, arguments, &[Named("trailing_slash")]);
        slash.is_some_and(|slash| view.is_false(slash))
    })
}

impl Offers {
    fn none() -> Offers {
        Offers {
            list: false,
            detail: false,
            parameter: String::new(),
            actions: Vec::new(),
        }
    }
}

/// What a view set answers, by its bases and its own methods.
fn offers(scan: &Scan<'_>, class: SymbolId) -> Offers {
    let mut offers = Offers {
        parameter: "pk".to_owned(),
        ..Offers::none()
    };
    let mut next = vec![class];
    for _ in 0..16 {
        let Some(current) = next.pop() else { break };
        let Some(view) = scan.resolver.view(current.file) else {
            continue;
        };
        for index in view.children(Some(current.index)) {
            match view.name_of(index) {
                "list" | "create" => offers.list = true,
                "retrieve" | "update" | "partial_update" | "destroy" => offers.detail = true,
                "lookup_field" | "lookup_url_kwarg" => {
                    if let Some(known) = scan.value_string(&view, index) {
                        offers.parameter = known.text;
                    }
                }
                _ => extra_actions(scan, &view, index, &mut offers),
            }
        }
        let supertypes = view.facts.supertypes.iter();
        for supertype in supertypes.filter(|supertype| supertype.symbol == current.index) {
            match type_name(&view, supertype.ty).unwrap_or("") {
                "ModelViewSet" | "ReadOnlyModelViewSet" => {
                    (offers.list, offers.detail) = (true, true)
                }
                "ListModelMixin" | "CreateModelMixin" => offers.list = true,
                "RetrieveModelMixin" | "UpdateModelMixin" | "DestroyModelMixin" => {
                    offers.detail = true
                }
                _ => {}
            }
        }
        next.extend(scan.bases(current));
    }
    offers
}

fn extra_actions(scan: &Scan<'_>, view: &FileView, index: SymbolIndex, offers: &mut Offers) {
    let declared = view.symbol(index);
    for word in EXTRA_ACTIONS {
        for arguments in scan.annotations_of(view, index, word) {
            let place = Place::in_file(view, declared.span.start);
            let path = scan
                .argument(view, &arguments, &[Named("url_path")])
                .and_then(|path| scan.string(place, path));
            let detail = scan.argument(view, &arguments, &[Named("detail")]);
            let is_detail =
                *word == "detail_route" || detail.is_some_and(|detail| view.is_true(detail));
            let path = path.map_or(view.name_of(index).to_owned(), |known| known.text);
            offers
                .actions
                .push((path, is_detail, symbol_in(view, index)));
        }
    }
}
