//! Patterns for controllers without paths of their own: `{controller=Home}/{action=Index}/{id?}`.

use crate::query::architecture::{
    rules::{ControllerRules, ConventionalPattern, Slot},
    scan::{CallSite, Scan},
};

/// A pattern, and the controllers that it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ControllerPattern {
    text: String,
    area: Option<String>,
    controller: Option<String>,
    action: Option<String>,
}

pub fn patterns(scan: &Scan<'_>, rules: &'static ControllerRules) -> Vec<ControllerPattern> {
    let mut patterns = Vec::new();
    for (rule, site) in scan.sites(rules.conventional, |rule| rule.call) {
        let text = |slots: &[Slot<'_>]| {
            let argument = scan.site_argument(&site, slots)?;
            Some(scan.string(site.place(), argument)?.text)
        };
        let written = match rule.pattern {
            ConventionalPattern::Fixed(pattern) => Some(pattern.to_owned()),
            ConventionalPattern::Argument(slots) => text(slots),
        };
        let Some(written) = written else { continue };
        let default = |name| default_value(scan, &site, rule.defaults, name);
        patterns.push(ControllerPattern {
            text: written,
            area: text(rule.area).or_else(|| default("area")),
            controller: default("controller"),
            action: default("action"),
        });
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

/// `"Home"` of `defaults: new { controller = "Home" }`.
fn default_value(
    scan: &Scan<'_>,
    site: &CallSite,
    slots: &[Slot<'_>],
    name: &str,
) -> Option<String> {
    let defaults = scan.site_argument(site, slots)?;
    let value = scan.field(&site.view, defaults, name)?;
    Some(scan.string(site.place(), value)?.text)
}

impl ControllerPattern {
    /// The path of an action, where the pattern is for it.
    pub fn path(&self, class: &str, member: &str, area: Option<&str>) -> Option<String> {
        let has = |name: &str| {
            let mut names = self.text.split('/').filter_map(parameter);
            names.any(|own| own == name)
        };
        let fits = |fixed: &Option<String>, own: &str, name: &str| match fixed {
            Some(fixed) => fixed.eq_ignore_ascii_case(own) || has(name),
            None => has(name),
        };
        // A pattern without an area is for controllers without one.
        let is_of_area = match (&self.area, area) {
            (Some(fixed), Some(area)) => fixed.eq_ignore_ascii_case(area),
            (None, Some(_)) => has("area"),
            (Some(_), None) => false,
            (None, None) => !has("area"),
        };
        if !is_of_area
            || !fits(&self.controller, class, "controller")
            || !fits(&self.action, member, "action")
        {
            return None;
        }
        let segments = self.text.split('/').filter(|segment| !segment.is_empty());
        let segments = segments.map(|segment| match parameter(segment) {
            Some("controller") => class,
            Some("action") => member,
            Some("area") => area.unwrap_or_default(),
            _ => segment,
        });
        Some(format!("/{}", segments.collect::<Vec<_>>().join("/")))
    }
}

/// `id` of `{id:int?}`.
fn parameter(segment: &str) -> Option<&str> {
    let inner = segment.strip_prefix('{')?.strip_suffix('}')?;
    Some(inner.split(['=', ':', '?']).next().unwrap_or(inner))
}
