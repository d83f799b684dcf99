//! What an application sets for all of its controllers: a prefix, with the routes that it leaves
//! out, and versions in addresses.

use std::{cmp::Reverse, sync::Arc};

use facts::{Recipe, RecipeId, SymbolIndex};

use crate::{
    FileId, FileView, Place, Snapshot,
    query::architecture::{
        rules::{
            ControllerRules, ControllerVersions, FIRST, GlobalPrefixCall, PrefixConvention, Slot,
        },
        scan::{CallSite, Scan, type_name},
    },
};

/// A version, or none for what is reached without one.
pub type RouteVersion = Option<String>;

#[derive(Default)]
pub struct Applications {
    /// Files that start an application.
    programs: Vec<FileId>,
    prefixes: Vec<ProgramSetting<GlobalPrefix>>,
    versionings: Vec<ProgramSetting<Versioning>>,
    version_rule: Option<&'static ControllerVersions>,
    controller_annotations: &'static [&'static str],
    /// A prefix that a convention puts before those of classes.
    pub class_prefix: Option<String>,
}

struct ProgramSetting<T> {
    file: FileId,
    value: T,
}

struct GlobalPrefix {
    prefix: String,
    excluded: Vec<Excluded>,
}

/// A route without the prefix: its method (all where absent), and its path.
struct Excluded {
    method: Option<String>,
    pattern: String,
}

struct Versioning {
    is_in_path: bool,
    prefix: String,
    default: Option<Vec<RouteVersion>>,
}

impl Applications {
    pub fn read(scan: &Scan<'_>, rules: &'static ControllerRules) -> Applications {
        let mut found = Applications {
            version_rule: rules.versions.as_ref(),
            controller_annotations: rules.annotations,
            class_prefix: rules
                .prefix_convention
                .as_ref()
                .and_then(|rule| class_prefix(scan, rule)),
            ..Applications::default()
        };
        for (call, on) in rules.programs {
            for site in scan.calls(call) {
                let receiver = site.reference.receiver;
                if receiver.and_then(|receiver| scan.last_name(&site.view, receiver)) == Some(*on) {
                    found.programs.push(site.file());
                }
            }
        }
        if let Some(rule) = &rules.global_prefix {
            for site in scan.calls(rule.call) {
                if let Some(known) = scan.texts(&site, FIRST).into_iter().next() {
                    found.prefixes.push(ProgramSetting {
                        file: site.file(),
                        value: GlobalPrefix {
                            prefix: known.text,
                            excluded: excluded(scan, rule, &site),
                        },
                    });
                } else {
                    scan.not_understood(site.file(), site.reference.span);
                }
            }
        }
        if let Some(rule) = &rules.versions {
            for site in scan.calls(rule.call) {
                found.versionings.push(ProgramSetting {
                    file: site.file(),
                    value: versioning(scan, rule, &site),
                });
            }
        }
        found
    }

    /// The prefix of a route, which is empty where the application leaves the route out.
    pub fn prefix(&self, snapshot: &Snapshot, file: FileId, method: &str, path: &str) -> String {
        let Some(setting) = self.nearest(snapshot, &self.prefixes, file) else {
            return String::new();
        };
        let mut excluded = setting.excluded.iter();
        if excluded.any(|excluded| excluded.matches(method, path)) {
            return String::new();
        }
        setting.prefix.clone()
    }

    /// The segments that versions add to a path; one that is empty where there are none.
    pub fn segments(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        versions: Option<Vec<RouteVersion>>,
    ) -> Vec<String> {
        let versioning = self.nearest(snapshot, &self.versionings, file);
        let Some(versioning) = versioning.filter(|versioning| versioning.is_in_path) else {
            return vec![String::new()];
        };
        let versions = versions.or_else(|| versioning.default.clone());
        let versions = versions.filter(|versions| !versions.is_empty());
        let segment = |version: &RouteVersion| match version {
            Some(version) => format!("{}{version}", versioning.prefix),
            None => String::new(),
        };
        versions.map_or_else(
            || vec![String::new()],
            |versions| versions.iter().map(segment).collect(),
        )
    }

    /// `version: "1"` of a controller's annotation.
    pub fn class_versions(
        &self,
        scan: &Scan<'_>,
        view: &FileView,
        class: SymbolIndex,
    ) -> Option<Vec<RouteVersion>> {
        let rule = self.version_rule?;
        let value = self
            .controller_annotations
            .iter()
            .flat_map(|name| scan.annotations_of(view, class, name))
            .find_map(|arguments| scan.field(view, *arguments.first()?, rule.field))?;
        let place = Place::in_file(view, view.symbol(class).span.start);
        Some(versions(scan, rule, place, value))
    }

    /// `@Version("2")` of a method.
    pub fn method_versions(
        &self,
        scan: &Scan<'_>,
        view: &Arc<FileView>,
        member: SymbolIndex,
    ) -> Option<Vec<RouteVersion>> {
        let rule = self.version_rule?;
        let annotations = scan.annotations_of(view, member, rule.annotation);
        let value = *annotations.first()?.first()?;
        let place = Place::of_declaration(view, view.symbol(member));
        Some(versions(scan, rule, place, value))
    }

    /// The setting of the application that a file belongs to: the one whose program is nearest among
    /// the directories. What another program sets for itself does not count.
    fn nearest<'s, T>(
        &self,
        snapshot: &Snapshot,
        settings: &'s [ProgramSetting<T>],
        file: FileId,
    ) -> Option<&'s T> {
        // Of two that are as near, the one further up starts more of the program.
        let near = |other: &FileId| {
            let depth = snapshot.file(*other).path.directory().split('/').count();
            (common_directories(snapshot, file, *other), Reverse(depth))
        };
        let program = self
            .programs
            .iter()
            .rev()
            .max_by_key(|program| near(program));
        let own = settings
            .iter()
            .find(|setting| Some(&setting.file) == program);
        let is_shared = |setting: &&ProgramSetting<T>| {
            self.programs.len() < 2 || !self.programs.contains(&setting.file)
        };
        let shared = || {
            let shared = settings.iter().rev().filter(is_shared);
            shared.max_by_key(|setting| near(&setting.file))
        };
        own.or_else(shared).map(|setting| &setting.value)
    }
}

impl Excluded {
    fn matches(&self, method: &str, path: &str) -> bool {
        let is_method = self.method.as_ref().is_none_or(|own| own == method);
        is_method && fits(&segments(&self.pattern), &segments(path))
    }
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Whether a pattern stands for a path: `health/:id`, `files/(.*)`, `files/*rest`.
fn fits(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        ([rest], _) if is_rest(rest) => true,
        ([first, pattern @ ..], [own, path @ ..]) => {
            let is_same = match first.split_once(['(', '*', '{']) {
                Some((before, _)) => {
                    let is_begun = own.to_lowercase().starts_with(&before.to_lowercase());
                    return is_begun && pattern.is_empty();
                }
                None => first.eq_ignore_ascii_case(own) || first.starts_with(':'),
            };
            is_same && fits(pattern, path)
        }
        _ => false,
    }
}

fn is_rest(segment: &str) -> bool {
    segment.starts_with('*') || segment.starts_with("(.*") || segment.starts_with("{*")
}

fn common_directories(snapshot: &Snapshot, a: FileId, b: FileId) -> usize {
    let directories = |file| snapshot.file(file).path.directory().split('/');
    let pairs = directories(a).zip(directories(b));
    pairs.take_while(|(a, b)| a == b).count()
}

/// `{ exclude: ["health", { path: "info", method: RequestMethod.GET }] }`.
fn excluded(scan: &Scan<'_>, rule: &GlobalPrefixCall, site: &CallSite) -> Vec<Excluded> {
    let listed = scan
        .site_argument(site, &[Slot::At(1)])
        .and_then(|options| scan.field(&site.view, options, rule.exclude))
        .and_then(|list| scan.items(site.place(), list));
    let Some((view, items)) = listed else {
        return Vec::new();
    };
    let place = if view.id == site.view.id {
        site.place()
    } else {
        Place::end_of_file(&view)
    };
    let mut found = Vec::new();
    for item in items {
        let path = scan.field(&view, item, "path").unwrap_or(item);
        let method = scan
            .field(&view, item, "method")
            .and_then(|method| scan.last_name(&view, method))
            .filter(|method| *method != "ALL");
        if let Some(known) = scan.string(place, path) {
            found.push(Excluded {
                method: method.map(str::to_owned),
                pattern: known.text,
            });
        }
    }
    found
}

fn versioning(scan: &Scan<'_>, rule: &ControllerVersions, site: &CallSite) -> Versioning {
    let field = |name| scan.field(&site.view, *site.arguments.first()?, name);
    let (kind_field, in_path) = rule.kind;
    let kind = field(kind_field).and_then(|kind| scan.last_name(&site.view, kind));
    let prefix = match field(rule.prefix_field) {
        Some(prefix) if site.view.is_false(prefix) => String::new(),
        Some(prefix) => scan
            .string(site.place(), prefix)
            .map_or_else(|| rule.prefix.to_owned(), |known| known.text),
        None => rule.prefix.to_owned(),
    };
    Versioning {
        is_in_path: kind.is_none_or(|kind| kind == in_path),
        prefix,
        default: field(rule.default).map(|default| versions(scan, rule, site.place(), default)),
    }
}

/// One version or a list of them; the constant for "without a version" is none.
fn versions(
    scan: &Scan<'_>,
    rule: &ControllerVersions,
    place: Place<'_>,
    recipe: RecipeId,
) -> Vec<RouteVersion> {
    let items = scan
        .items(place, recipe)
        .filter(|(view, _)| view.id == place.view.id)
        .map_or_else(|| vec![recipe], |(_, items)| items);
    let version = |item: RecipeId| match scan.last_name(place.view, item) {
        Some(name) if name == rule.neutral => Some(None),
        _ => scan.string(place, item).map(|known| Some(known.text)),
    };
    items.into_iter().filter_map(version).collect()
}

/// The prefix that a convention puts before the paths of all controllers: a class that combines
/// route models, made with the prefix or with an attribute that has it.
fn class_prefix(scan: &Scan<'_>, rule: &PrefixConvention) -> Option<String> {
    for view in rule.bases.iter().flat_map(|base| scan.mentioning(base)) {
        if !rule
            .combines
            .iter()
            .any(|name| view.facts.names.find(name).is_some())
        {
            continue;
        }
        for supertype in &view.facts.supertypes {
            if !type_name(&view, supertype.ty).is_some_and(|name| rule.bases.contains(&name)) {
                continue;
            }
            let class = view.name_of(supertype.symbol);
            let made = scan.calls(class);
            let found = made
                .iter()
                .find_map(|site| handed_text(scan, site, &site.arguments, 0));
            // Without an argument, the class itself says the prefix.
            let own = || {
                let sites = rule.attributes.iter().flat_map(|name| scan.calls(name));
                let mut inside = sites.filter(|site| site.view.id == view.id);
                inside.find_map(|site| handed_text(scan, &site, &site.arguments, 0))
            };
            let found = found.or_else(|| (!made.is_empty()).then(own).flatten());
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The first text among arguments: written, inside a new object, or handed in by who calls.
fn handed_text(
    scan: &Scan<'_>,
    site: &CallSite,
    arguments: &[RecipeId],
    depth: u32,
) -> Option<String> {
    let facts = &site.view.facts;
    arguments.iter().filter(|_| depth < 4).find_map(|argument| {
        if let Some(known) = scan.string(site.place(), *argument) {
            return Some(known.text);
        }
        match facts.recipe(*argument) {
            Recipe::New(_, list) => handed_text(scan, site, facts.list(list), depth + 1),
            Recipe::Name(name) => {
                let function = site.reference.enclosing?;
                let parameters = facts.parameters(facts.symbol(function)).iter();
                let is_parameter = parameters
                    .into_iter()
                    .any(|parameter| parameter.name == name);
                let calls = is_parameter.then(|| scan.calls(site.view.name_of(function)));
                let mut calls = calls?.into_iter();
                calls.find_map(|call| handed_text(scan, &call, &call.arguments, depth + 1))
            }
            _ => None,
        }
    })
}
