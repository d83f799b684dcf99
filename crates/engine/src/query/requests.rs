//! Requests of routes in test files: calls with a text that looks like the path of a URL.

use facts::Recipe;

use super::{code_users::around_reference, search::is_test_or_docs, test_cases::CodeUnit};
use crate::{FileId, Resolver};

/// The places of test files that request a route: file and line, from 1.
pub fn requests_of_route(resolver: &Resolver, route: &str) -> Vec<(FileId, u32)> {
    let line = |unit: CodeUnit, at: u32| {
        let view = resolver.view(unit.file())?;
        Some((unit.file(), view.facts.lines.line_number(at)))
    };
    let found = requests(resolver).into_iter();
    let found = found.filter(|(_, text, _)| is_request_of(text, route));
    found.filter_map(|(unit, _, at)| line(unit, at)).collect()
}

/// Texts that look like paths of a URL, in calls of test files, each with its place.
pub(super) fn requests(resolver: &Resolver) -> Vec<(CodeUnit, String, u32)> {
    let mut found = Vec::new();
    for (file, entry) in resolver.snapshot().files() {
        if !is_test_or_docs(entry.path.as_str()) {
            continue;
        }
        if !resolver.budget.spend() {
            break;
        }
        let Some(view) = resolver.view(file) else {
            continue;
        };
        for reference in &view.facts.references {
            let Some(Recipe::Call(_, arguments)) =
                reference.call.map(|call| view.facts.recipe(call))
            else {
                continue;
            };
            for argument in view.facts.list(arguments) {
                if let Recipe::Str(text) = view.facts.recipe(*argument)
                    && let Some(path) = path_of_request(view.facts.name(text))
                {
                    let units = around_reference(resolver, &view, reference);
                    let at = reference.span.start;
                    found.extend(units.into_iter().map(|unit| (unit, path.to_owned(), at)));
                }
            }
        }
    }
    found
}

/// The path of a URL without its query.
fn path_of_request(text: &str) -> Option<&str> {
    let path = match text.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/')?..],
        None => text,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.starts_with('/').then_some(path)
}

/// Whether the path of a request may be one of a route: parts in braces, angle brackets or after a
/// colon are anything, `*` is any number of parts.
pub fn is_request_of(request: &str, route: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (request, route) = (parts(request), parts(route));
    for (i, part) in route.iter().enumerate() {
        if part.starts_with('*') || part.starts_with("{*") || part.contains("<path:") {
            return true;
        }
        let is_any = part.contains(['{', '<', '*', '(']) || part.starts_with(':');
        match request.get(i) {
            Some(given) if is_any || given == part => {}
            _ => return false,
        }
    }
    request.len() == route.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_matched_part_by_part() {
        for (request, route) in [
            ("/users/7", "/users/{id}"),
            ("/users/7/", "/users/:id"),
            ("/", "/"),
            ("/static/a/b.css", "/static/*"),
            ("/users/7", "/users/<int:id>"),
        ] {
            assert!(is_request_of(request, route), "{request} {route}");
        }
        for (request, route) in [("/users", "/users/{id}"), ("/a/b", "/a"), ("/a", "/b")] {
            assert!(!is_request_of(request, route), "{request} {route}");
        }
        assert_eq!(path_of_request("http://a.b:80/c?d=1"), Some("/c"));
        assert_eq!(path_of_request("hello"), None);
    }
}
