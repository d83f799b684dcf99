//! Every place that refers to a symbol, and what became of the other places that have its name.

use engine::{
    Cut, FileId, Found, Module, Outcome, Resolver, Rule, SymbolId,
    query::{self, Account, Mention},
};
use facts::{Role, Span};

use crate::{Anchor, Lookup, Session, excerpts, occurrences::Occurrences};

/// The references of a symbol and its overloads, their own definitions left out.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// None where a file was asked about.
    pub symbols: Vec<SymbolId>,
    /// What a place that refers to them has.
    pub name: String,
    /// Places that mean one of the symbols, in order of path and position.
    pub sites: Vec<ReferenceSite>,
    /// Places that may mean one of them, in that order: several symbols come into question, or
    /// nothing was found for them.
    pub uncertain: Vec<ReferenceSite>,
    /// What became of the other places in code that have the name.
    pub account: Account,
    /// Why places may be missing; nothing where all were found.
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceSite {
    pub file: FileId,
    pub span: Span,
    pub kind: ReferenceKind,
    /// The innermost symbol around it; nothing at the top level of a file.
    pub enclosing: Option<SymbolId>,
    pub outcome: Outcome,
    pub rule: Rule,
    /// The receiver as written, where nothing was found.
    pub receiver: Option<String>,
}

/// How a place refers to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceKind {
    Use(Role),
    /// The place defines a member that overrides it.
    Override,
    /// The place defines a member that implements it.
    Implementation,
}

/// A site as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteText {
    /// The first and last line, from 1.
    pub lines: (u32, u32),
    /// Of the first character, from 1.
    pub column: u32,
    /// The first line, without the blanks around it.
    pub text: String,
}

impl References {
    /// Of what a name or handle means.
    pub fn to(session: &Session, resolver: &Resolver<'_>, meant: &Lookup) -> References {
        match meant.first() {
            Anchor::File(file) => References::to_file(session, resolver, file),
            Anchor::Symbol(_) => References::of(session, resolver, &meant.symbols()),
        }
    }

    /// The imports of a file as a module.
    fn to_file(session: &Session, resolver: &Resolver<'_>, file: FileId) -> References {
        let mut sites = Vec::new();
        for (other, _) in session.snapshot().files() {
            if !session.budget.spend() {
                break;
            }
            let Some(view) = resolver.view(other) else {
                continue;
            };
            for (i, import) in view.facts.imports.iter().enumerate() {
                let targets = resolver.import_targets(&view, i as u32);
                let is_meant = |found: &Found| matches!(found, Found::Module(Module::File(of) | Module::Tree(of, None)) if *of == file);
                if targets.iter().any(is_meant) {
                    sites.push(ReferenceSite {
                        file: other,
                        span: import.name_span,
                        kind: ReferenceKind::Use(Role::Import),
                        enclosing: None,
                        outcome: Outcome::Static,
                        rule: Rule::Import,
                        receiver: None,
                    });
                }
            }
        }
        let path = &session.snapshot().file(file).path;
        References {
            sites,
            name: query::search::stem(path.file_name()).to_owned(),
            cut: session.budget.cut(),
            ..References::default()
        }
    }

    /// Of overloads, which share a file and a name.
    pub fn of(session: &Session, resolver: &Resolver<'_>, overloads: &[SymbolId]) -> References {
        let found = query::accounted_references(resolver, overloads);
        let (uncertain, sites): (Vec<&Mention>, Vec<&Mention>) = found
            .value
            .mentions
            .iter()
            .partition(|mention| mention.outcome == Outcome::Ambiguous);
        let unsettled = found.value.unsettled.iter();
        let mut uncertain: Vec<ReferenceSite> = uncertain
            .into_iter()
            .map(|mention| ReferenceSite::of(mention, None))
            .chain(
                unsettled.map(|(mention, receiver)| ReferenceSite::of(mention, receiver.clone())),
            )
            .collect();
        uncertain.sort_by_key(|site| (site.file, site.span.start));
        References {
            symbols: overloads.to_vec(),
            name: overloads
                .first()
                .map_or_else(String::new, |first| session.name(*first)),
            sites: sites
                .into_iter()
                .map(|mention| ReferenceSite::of(mention, None))
                .collect(),
            uncertain,
            account: found.value.account,
            cut: found.cut,
        }
    }

    /// Adds the members of derived types that override or implement the symbols.
    pub fn add_overriding(&mut self, resolver: &Resolver<'_>) {
        for &symbol in &self.symbols {
            let overriding = query::overriding(resolver, symbol);
            self.cut = self.cut.or(overriding.cut);
            for (member, implements) in overriding.value {
                let Some((_, declared)) = resolver.symbol(member) else {
                    continue;
                };
                self.sites.push(ReferenceSite {
                    file: member.file,
                    span: declared.name_span,
                    kind: if implements {
                        ReferenceKind::Implementation
                    } else {
                        ReferenceKind::Override
                    },
                    enclosing: Some(member),
                    outcome: Outcome::Static,
                    rule: Rule::Member,
                    receiver: None,
                });
            }
        }
        self.sites
            .sort_by_key(|site| (site.file, site.span.start, site.kind));
        self.sites
            .dedup_by_key(|site| (site.file, site.span.start, site.kind));
    }

    /// Every occurrence of the name that is none of the references. Searches the texts of the
    /// snapshot, so that an empty list can be told from one that could not see.
    pub fn occurrences(&self, session: &Session) -> Occurrences {
        Occurrences::of(session, &self.name, self.account)
    }
}

impl ReferenceSite {
    fn of(mention: &Mention, receiver: Option<String>) -> ReferenceSite {
        let file = mention.file;
        ReferenceSite {
            file,
            span: mention.span,
            kind: ReferenceKind::Use(mention.role),
            enclosing: mention.enclosing.map(|index| SymbolId { file, index }),
            outcome: mention.outcome,
            rule: mention.rule,
            receiver,
        }
    }

    /// Absent only where the file can no longer be read.
    pub fn text(&self, session: &Session) -> Option<SiteText> {
        let (facts, text) = (session.facts(self.file)?, session.text(self.file)?);
        Some(SiteText {
            lines: excerpts::lines(&facts, self.span),
            column: excerpts::position(&facts, self.span.start).1,
            text: excerpts::line(&facts, &text, self.span.start),
        })
    }
}

impl ReferenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ReferenceKind::Use(role) => role.as_str(),
            ReferenceKind::Override => "override",
            ReferenceKind::Implementation => "implementation",
        }
    }
}

/// Why the reference at a place means what it means, step by step; empty where an earlier step of
/// the request has worked it out already.
pub fn reasons(resolver: &Resolver<'_>, file: FileId, span: Span) -> Vec<String> {
    let Some(view) = resolver.view(file) else {
        return Vec::new();
    };
    let mut references = view.facts.references.iter();
    let Some(reference) = references.find(|reference| reference.span == span) else {
        return Vec::new();
    };
    resolver.explain();
    resolver.resolve(&view, reference);
    resolver.take_reasons()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{lookup, testing::session};

    #[test]
    fn reasons_name_modules_as_people_do() {
        let session = session(
            "
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
mod cart { pub fn total() {} }
fn show() { cart::total() }
",
        );
        let total = lookup::all(&session, "total")[0];
        let resolver = session.resolver();
        let mention = &query::references(&resolver, total).value[0];
        let told = reasons(&session.resolver(), mention.file, mention.span).join("; ");
        assert!(told.contains("module cart"), "{told}");
    }

    #[test]
    fn references_are_told_from_places_that_may_mean_the_symbol() {
        check(
            "
//- a.py
class Lamp:
    def glow(self): ...
class Torch(Lamp):
    def glow(self): ...
def light(lamp: Lamp, thing):
    lamp.glow()
    thing.glow()
",
            "Lamp.glow",
            expect![[r#"
                a.py:4:9 override in glow: def glow(self): ...
                a.py:6:10 call in light: lamp.glow()
                maybe a.py:7:11 call in light: thing.glow()
            "#]],
        );
    }

    #[track_caller]
    fn check(repository: &str, name: &str, expected: Expect) {
        let session = session(repository);
        let resolver = session.resolver();
        let mut references = References::of(&session, &resolver, &lookup::all(&session, name));
        references.add_overriding(&resolver);
        let mut out = String::new();
        for (certainty, sites) in [("", &references.sites), ("maybe ", &references.uncertain)] {
            for site in sites {
                let shown = site.text(&session).unwrap();
                out += &format!(
                    "{certainty}{}:{}:{} {} in {}: {}\n",
                    session.path(site.file),
                    shown.lines.0,
                    shown.column,
                    site.kind.as_str(),
                    session.name(site.enclosing.unwrap()),
                    shown.text
                );
            }
        }
        expected.assert_eq(&out);
        assert_eq!(references.cut, None);
    }
}
