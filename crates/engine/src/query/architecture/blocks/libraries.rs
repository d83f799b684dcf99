//! Routes that a library makes for a model, by what the model says it can do.

use super::{BlockReader, own_level, route_at};
use crate::query::architecture::{
    Certainty,
    inflection::{camel, singular},
    joined,
    rules::BlockLibrary,
    scan::CallSite,
};

impl BlockReader<'_> {
    /// Routes that a library makes for a model, by what the model says it can do.
    pub fn read_library_routes(&self) {
        for rule in self.rules.libraries {
            let sites = self.scan.calls(rule.call).into_iter();
            for site in sites.filter(|site| self.is_here(site)) {
                let own = own_level(&site);
                for (base, name) in self.each_below(&site) {
                    let segment = self
                        .option_text(&own, "path")
                        .unwrap_or_else(|| name.clone());
                    let class = camel(&singular(name.rsplit('/').next().unwrap_or(&name)));
                    let path = joined(&base.path, &segment);
                    self.add_library_routes(rule, &site, &path, &class);
                }
            }
        }
    }

    fn add_library_routes(&self, rule: &BlockLibrary, site: &CallSite, base: &str, class: &str) {
        let own = own_level(site);
        let abilities = self.abilities(rule, class);
        // `path_names: { sign_in: 'login' }` renames a part of the path.
        let renamed = |word: &str| {
            let names = self.option(&own, rule.names)?;
            let value = self.scan.field(&site.view, names, word)?;
            self.text(&own, value).map(|known| known.text)
        };
        let listed = |option| self.option_texts(site, &own, option);
        let (skipped, only) = (listed(rule.skip).unwrap_or_default(), listed(rule.only));
        for (ability, part, routes) in rule.parts {
            let is_part = |word: &String| word == part;
            let is_skipped = skipped.iter().any(|word| word == "all" || is_part(word));
            let is_left_out = only.as_ref().is_some_and(|only| !only.iter().any(is_part));
            if is_skipped || is_left_out || !abilities.iter().any(|own| own == ability) {
                continue;
            }
            for (methods, path) in *routes {
                let words: Vec<String> = path
                    .split('/')
                    .map(|word| renamed(word).unwrap_or_else(|| word.to_owned()))
                    .collect();
                let path = joined(base, &words.join("/"));
                for method in *methods {
                    let fact = route_at(site, method.as_str(), &path);
                    self.scan.add(fact.certain(Certainty::Pattern));
                }
            }
        }
    }

    /// The words that a model's own call names: `login_with :password, :registerable`.
    fn abilities(&self, rule: &BlockLibrary, class: &str) -> Vec<String> {
        let sites = self.scan.calls(rule.model).into_iter();
        let is_own = |site: &CallSite| {
            let enclosing = site.reference.enclosing;
            enclosing.is_some_and(|index| site.view.name_of(index) == class)
        };
        sites
            .filter(is_own)
            .flat_map(|site| self.plain(&own_level(&site)))
            .collect()
    }
}
