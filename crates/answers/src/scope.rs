//! Which repositories may be asked about: all, or those of a list.

use std::sync::Arc;

/// A list of names, and of beginnings of names that end with `*`. Published repositories have names
/// such as `github.com/OWNER/NAME`, directories their real paths.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Scope(Option<Arc<[Box<str>]>>);

impl Scope {
    /// Everything that the server serves.
    pub fn all() -> Scope {
        Scope(None)
    }

    /// Names and patterns; `*` alone means all. Says which one is wrong.
    pub fn of<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Scope, String> {
        let patterns: Vec<Box<str>> = patterns.into_iter().map(Box::from).collect();
        if patterns.iter().any(|pattern| &**pattern == "*") {
            return Ok(Scope::all());
        }
        for pattern in &patterns {
            let name = pattern.strip_suffix('*').unwrap_or(pattern);
            if name.is_empty() || name.contains('*') || name.chars().any(char::is_control) {
                return Err(format!(
                    "`{pattern}` names no repository: write host/owner/name, or its beginning and `*`"
                ));
            }
        }
        Ok(Scope(Some(patterns.into())))
    }

    pub fn allows(&self, name: &str) -> bool {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        self.0
            .as_ref()
            .is_none_or(|patterns| patterns.iter().any(|pattern| matches(pattern)))
    }

    /// The names, where the list has nothing else.
    pub fn names(&self) -> Option<Vec<Box<str>>> {
        let patterns = self.0.as_ref()?;
        let has_pattern = patterns.iter().any(|pattern| pattern.ends_with('*'));
        (!has_pattern).then(|| patterns.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_allows_its_names_and_what_begins_like_its_patterns() {
        let scope = Scope::of(["example.org/shop", "example.org/team/*"]).unwrap();
        for (name, is_allowed) in [
            ("example.org/shop", true),
            ("example.org/shop2", false),
            ("example.org/team/a", true),
            ("example.org/team", false),
            ("example.org/teams/a", false),
            ("", false),
        ] {
            assert_eq!(scope.allows(name), is_allowed, "{name}");
        }
        assert!(Scope::all().allows("anything") && Scope::of(["a", "*"]).unwrap().allows("b"));
        assert!(!Scope::of([]).unwrap().allows("anything"));
        assert_eq!(scope.names(), None);
        assert_eq!(
            Scope::of(["a/b"]).unwrap().names(),
            Some(vec!["a/b".into()])
        );
        for wrong in ["a*b", "", "a\nb", "**"] {
            assert!(Scope::of([wrong]).is_err(), "{wrong}");
        }
    }
}
