//! How often the engine is right: questions whose answers compilers gave, asked of checkouts of the
//! repositories they were made from.
//!
//! A truth file is JSON lines, plain or gzipped: first `{"meta": {..}}`, then one question a line
//! with its answers (`ans`), and with answers that are neither asked for nor wrong (`opt`). Answers
//! in files that the truth does not cover are not counted, and neither are calls that lead from an
//! interface to what implements it.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::{Context, bail};

use engine::{Analysis, Budget, FileId, Found, Resolver, Snapshot, SymbolId, query};
use serde_json::Value;

use crate::checkout::indexed;

/// Right, wrong and missing answers.
#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    found: usize,
    wanted: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.found += other.found;
        self.wanted += other.wanted;
    }

    fn precision(self) -> f64 {
        if self.right + self.wrong == 0 {
            1.0
        } else {
            self.right as f64 / (self.right + self.wrong) as f64
        }
    }

    fn recall(self) -> f64 {
        if self.wanted == 0 {
            1.0
        } else {
            self.found as f64 / self.wanted as f64
        }
    }
}

const KINDS: [&str; 5] = [
    "definition",
    "references",
    "callers",
    "callees",
    "hierarchy",
];

/// Prints the table of `docs/accuracy.md`, and the precision of each rule; writes wrong and missing
/// answers to a file if one is given.
pub fn run(truth: &Path, sources: &Path, misses: Option<&Path>) -> anyhow::Result<()> {
    let mut misses = misses.map(std::fs::File::create).transpose()?;
    let mut files: Vec<PathBuf> = if truth.is_dir() {
        std::fs::read_dir(truth)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?
    } else {
        vec![truth.to_path_buf()]
    };
    files.retain(|file| file.to_string_lossy().contains(".jsonl"));
    files.sort();
    let mut rules: BTreeMap<&'static str, Tally> = BTreeMap::new();
    println!(
        "| language | repository and commit | {} |",
        KINDS.join(" | ")
    );
    println!("|---|---|{}", "---|".repeat(KINDS.len()));
    for file in files {
        let text = read(&file)?;
        let mut lines = text.lines();
        let meta: Value = serde_json::from_str(lines.next().unwrap_or_default())?;
        let meta = &meta["meta"];
        let (repository, commit) = (text_of(meta, "repo"), text_of(meta, "commit"));
        let checkout = sources.join(repository.replace('/', "__"));
        let workspace = indexed(&checkout)?;
        let snapshot = workspace.live().snapshot.clone();
        let analysis = Analysis::new(snapshot.clone());
        let asked = Truth {
            snapshot: snapshot.clone(),
            covered: strings(&meta["covered"]),
            types: strings(&meta["type_names"]),
            misses: RefCell::default(),
        };
        let mut tallies = [Tally::default(); KINDS.len()];
        for line in lines {
            let question: Value = serde_json::from_str(line)?;
            let Some(kind) = KINDS
                .iter()
                .position(|kind| *kind == text_of(&question, "q"))
            else {
                continue;
            };
            let budget = Budget::unlimited();
            let resolver = analysis.resolver(&budget);
            let unanswered = || {
                asked.miss("missing", "everything: no symbol at this place");
                let n_wanted = |key: &str| question[key].as_array().map_or(0, Vec::len);
                Tally {
                    wanted: ["ans", "imp", "supers", "subs"]
                        .into_iter()
                        .map(n_wanted)
                        .sum(),
                    ..Tally::default()
                }
            };
            tallies[kind].add(
                asked
                    .answer(&resolver, &question, &mut rules)
                    .unwrap_or_else(unanswered),
            );
            let lines = asked.misses.take();
            if let Some(file) = &mut misses {
                let asked = ["q", "path", "line", "col", "name"].map(|key| match &question[key] {
                    Value::String(text) => text.clone(),
                    Value::Null => String::new(),
                    value => value.to_string(),
                });
                for line in lines {
                    writeln!(file, "{repository}\t{}\t{line}", asked.join(" "))?;
                }
            }
        }
        let cells =
            tallies.map(|tally| format!("{:.3} / {:.3}", tally.precision(), tally.recall()));
        println!(
            "| {} | {repository} {} | {} |",
            text_of(meta, "language"),
            commit.get(..7).unwrap_or(commit),
            cells.join(" | ")
        );
    }
    println!("\n| rule | answers | precision |\n|---|---|---|");
    for (rule, tally) in rules {
        println!(
            "| {rule} | {} | {:.3} |",
            tally.right + tally.wrong,
            tally.precision()
        );
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file.extension().is_none_or(|extension| extension != "gz") {
        return Ok(std::fs::read_to_string(file)?);
    }
    let output = Command::new("gzip")
        .arg("-dc")
        .arg(file)
        .output()
        .context("gzip is needed to read packed files")?;
    if !output.status.success() {
        bail!("gzip cannot read {}", file.display());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn strings(value: &Value) -> BTreeSet<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// A place where something is said to be: path, line, and the name where one is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: String,
    line: u64,
    name: Option<String>,
}

struct Truth {
    snapshot: Arc<Snapshot>,
    covered: BTreeSet<String>,
    types: BTreeSet<String>,
    /// What is wrong with the answer to the question that is being asked.
    misses: RefCell<Vec<String>>,
}

impl Truth {
    fn answer(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        rules: &mut BTreeMap<&'static str, Tally>,
    ) -> Option<Tally> {
        let file = self.snapshot.find(text_of(question, "path"))?;
        let facts = self
            .snapshot
            .corpus()
            .facts(self.snapshot.file(file).content)?;
        let line = question["line"].as_u64()? as u32;
        let column = question["col"].as_u64()? as u32;
        let text = self
            .snapshot
            .corpus()
            .text(self.snapshot.file(file).content)?;
        let start = facts.lines.line_start(line - 1)?;
        let written = text.get(start as usize..)?.lines().next()?;
        let offset = start
            + written
                .char_indices()
                .nth(column as usize - 1)
                .map_or(written.len(), |(i, _)| i) as u32;
        match text_of(question, "q") {
            "definition" => self.definition(resolver, question, (file, offset), rules),
            "references" => {
                self.references(resolver, question, self.symbol_at(resolver, file, offset)?)
            }
            "callers" => self.callers(resolver, question, self.symbol_at(resolver, file, offset)?),
            "callees" => self.callees(resolver, question, self.symbol_at(resolver, file, offset)?),
            "hierarchy" => {
                self.hierarchy(resolver, question, self.symbol_at(resolver, file, offset)?)
            }
            _ => None,
        }
    }

    fn definition(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        (file, offset): (FileId, u32),
        rules: &mut BTreeMap<&'static str, Tally>,
    ) -> Option<Tally> {
        let definition = query::definition_at(resolver, file, offset);
        let resolution = definition.map(|definition| definition.resolution);
        let is_edge = |resolution: &engine::Resolution| {
            !matches!(
                resolution.outcome,
                engine::Outcome::Ambiguous
                    | engine::Outcome::Unresolved
                    | engine::Outcome::External
            )
        };
        let rule = resolution
            .as_ref()
            .map_or("none", |resolution| resolution.rule.as_str());
        let targets = resolution
            .into_iter()
            .filter(is_edge)
            .flat_map(|resolution| resolution.targets);
        let tally = self.compare(
            targets
                .filter_map(|found| self.place_of(resolver, &found))
                .collect(),
            question,
        );
        if !self.misses.borrow().is_empty() {
            let line = question["line"].as_u64().unwrap_or(0);
            let said = self.reasons(text_of(question, "path"), line, text_of(question, "name"));
            self.miss("because", said);
        }
        rules.entry(rule).or_default().add(tally);
        Some(tally)
    }

    fn references(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        symbol: SymbolId,
    ) -> Option<Tally> {
        let mentions = query::references(resolver, symbol).value;
        let found: BTreeSet<(String, u64)> = mentions
            .iter()
            .filter(|mention| mention.outcome != engine::Outcome::Ambiguous)
            .filter_map(|mention| {
                Some((
                    self.path(mention.file),
                    self.line(mention.file, mention.span.start)?,
                ))
            })
            .filter(|(path, _)| self.covered.contains(path))
            .collect();
        let list = |key: &str| -> BTreeSet<(String, u64)> {
            let items = question[key].as_array().into_iter().flatten();
            items
                .filter_map(|item| Some((item[0].as_str()?.to_owned(), item[1].as_u64()?)))
                .collect()
        };
        let wanted: BTreeSet<_> = list("ans").union(&list("imp")).cloned().collect();
        let right = found.intersection(&wanted).count();
        let optional = list("opt");
        let wrong: Vec<_> = found
            .difference(&wanted)
            .filter(|place| !optional.contains(*place))
            .collect();
        for (path, line) in &wrong {
            self.miss("wrong", format!("{path}:{line}"));
        }
        for (path, line) in wanted.difference(&found) {
            let said = self.reasons(path, *line, &resolver.name(symbol));
            self.miss("missing", format!("{path}:{line}\t{said}"));
        }
        let wrong = wrong.len();
        Some(Tally {
            right,
            wrong,
            found: right,
            wanted: wanted.len(),
        })
    }

    fn callers(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        symbol: SymbolId,
    ) -> Option<Tally> {
        let (calls, outside) = query::callers(resolver, symbol).value;
        let mut places: Vec<Place> = Vec::new();
        for call in calls
            .into_iter()
            .filter(|call| call.outcome != engine::Outcome::Dispatch)
        {
            let mut place = self.place_of(resolver, &Found::Symbol(call.symbol))?;
            if query::is_made_by_macro(resolver, call.symbol) {
                place.line = call.sites[0].line.into();
            }
            places.push(place);
        }
        let direct = outside
            .into_iter()
            .filter(|call| call.outcome != engine::Outcome::Dispatch);
        places.extend(direct.map(|call| Place {
            path: self.path(call.site.file),
            line: call.site.line.into(),
            name: None,
        }));
        Some(self.compare(places, question))
    }

    fn callees(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        symbol: SymbolId,
    ) -> Option<Tally> {
        let calls = query::callees(resolver, symbol).value.0;
        let direct = calls
            .into_iter()
            .filter(|call| call.outcome != engine::Outcome::Dispatch);
        let places = direct
            .filter_map(|call| self.place_of(resolver, &Found::Symbol(call.symbol)))
            .collect();
        Some(self.compare(places, question))
    }

    fn hierarchy(
        &self,
        resolver: &Resolver<'_>,
        question: &Value,
        symbol: SymbolId,
    ) -> Option<Tally> {
        let found = query::hierarchy(resolver, symbol).value;
        let name = |related: &query::Related| match related {
            query::Related::Symbol(symbol) => resolver.name(*symbol),
            query::Related::Library(path) => {
                path.rsplit(['.', ':']).next().unwrap_or(path).to_owned()
            }
        };
        let supers: BTreeSet<String> = found
            .bases
            .iter()
            .chain(&found.interfaces)
            .map(name)
            .collect();
        let subs: BTreeSet<String> = found
            .derived
            .iter()
            .map(|symbol| resolver.name(*symbol))
            .collect();
        let mut tally = Tally::default();
        for (side, found) in [("supers", supers), ("subs", subs)] {
            let named = |key: String| -> BTreeSet<String> {
                let items = question[key.as_str()].as_array().into_iter().flatten();
                items
                    .filter_map(|item| {
                        item.as_str()
                            .or_else(|| item[3].as_str())
                            .map(str::to_owned)
                    })
                    .collect()
            };
            let wanted = named(side.to_owned());
            let optional = named(format!("o{side}"));
            let known = |name: &&String| self.types.is_empty() || self.types.contains(*name);
            let right = found
                .iter()
                .filter(known)
                .filter(|name| wanted.contains(*name))
                .count();
            let wrong: Vec<&String> = found
                .iter()
                .filter(known)
                .filter(|name| !wanted.contains(*name) && !optional.contains(*name))
                .collect();
            for name in &wrong {
                self.miss("wrong", format!("{side} {name}"));
            }
            for name in wanted.difference(&found) {
                self.miss("missing", format!("{side} {name}"));
            }
            let wrong = wrong.len();
            tally.add(Tally {
                right,
                wrong,
                found: right,
                wanted: wanted.len(),
            });
        }
        Some(tally)
    }

    /// What the engine makes of the references of a name on a line, and why.
    fn reasons(&self, path: &str, line: u64, name: &str) -> String {
        let budget = Budget::unlimited();
        let analysis = Analysis::new(self.snapshot.clone());
        let resolver = analysis.resolver(&budget);
        let view = self
            .snapshot
            .find(path)
            .and_then(|file| resolver.view(file));
        let Some((view, name)) = view.and_then(|view| {
            let name = view.facts.names.find(name)?;
            Some((view, name))
        }) else {
            return "the name does not occur".to_owned();
        };
        let references = view.facts.references_of(name).iter();
        let on_line = references.filter(|reference| {
            u64::from(view.facts.lines.line_number(reference.span.start)) == line
        });
        let said = on_line.map(|reference| {
            resolver.explain();
            let resolution = resolver.resolve(&view, reference);
            let outcome = resolution.outcome.as_str();
            format!("{outcome}: {}", resolver.take_reasons().join("; "))
        });
        said.collect::<Vec<_>>().join(" | ")
    }

    fn miss(&self, what: &str, answer: impl Display) {
        self.misses.borrow_mut().push(format!("{what}\t{answer}"));
    }

    fn symbol_at(&self, resolver: &Resolver<'_>, file: FileId, offset: u32) -> Option<SymbolId> {
        match query::at_position(resolver, file, offset) {
            query::At::Symbol(index) => Some(SymbolId { file, index }),
            _ => query::definition_at(resolver, file, offset)?
                .resolution
                .symbols()
                .next(),
        }
    }

    fn path(&self, file: FileId) -> String {
        self.snapshot.file(file).path.to_string()
    }

    fn line(&self, file: FileId, offset: u32) -> Option<u64> {
        Some(u64::from(
            self.snapshot
                .corpus()
                .facts(self.snapshot.file(file).content)?
                .lines
                .line_number(offset),
        ))
    }

    fn place_of(&self, resolver: &Resolver<'_>, found: &Found) -> Option<Place> {
        let (file, span, name) = match found {
            Found::Symbol(symbol) => {
                let view = resolver.view(symbol.file)?;
                (
                    symbol.file,
                    view.symbol(symbol.index).name_span,
                    Some(view.name_of(symbol.index).to_owned()),
                )
            }
            Found::Binding(file, binding) => {
                let view = resolver.view(*file)?;
                (
                    *file,
                    view.facts.bindings.get(binding.0 as usize)?.name_span,
                    None,
                )
            }
            _ => return None,
        };
        Some(Place {
            path: self.path(file),
            line: self.line(file, span.start)?,
            name,
        })
    }

    /// Answers against definitions `[path, line, first line, name]`; each wanted one may be met by
    /// any of several.
    fn compare(&self, mut places: Vec<Place>, question: &Value) -> Tally {
        places.retain(|place| self.covered.contains(&place.path));
        places.sort();
        places.dedup();
        let bare = |name: &str| name.trim_start_matches('#').to_owned();
        let meets = |place: &Place, wanted: &Value| {
            let line = wanted[2].as_u64().unwrap_or(0)..=wanted[1].as_u64().unwrap_or(0);
            wanted[0].as_str() == Some(place.path.as_str())
                && line.contains(&place.line)
                && place.name.as_deref().is_none_or(|name| {
                    wanted[3]
                        .as_str()
                        .is_some_and(|wanted| bare(wanted) == bare(name))
                })
        };
        let is_group = |item: &Value| item[0].is_array();
        let groups: Vec<Vec<&Value>> = question["ans"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| {
                if is_group(item) {
                    item.as_array().into_iter().flatten().collect()
                } else {
                    vec![item]
                }
            })
            .collect();
        let optional: Vec<&Value> = question["opt"].as_array().into_iter().flatten().collect();
        let top = |place: &Place| {
            let items = question["top"].as_array().into_iter().flatten();
            items.into_iter().any(|item| {
                item[0].as_str() == Some(place.path.as_str())
                    && item[1].as_u64() == Some(place.line)
            })
        };
        let mut tally = Tally {
            wanted: groups.len(),
            ..Tally::default()
        };
        tally.found = groups
            .iter()
            .filter(|group| {
                places
                    .iter()
                    .any(|place| group.iter().any(|wanted| meets(place, wanted)))
            })
            .count();
        let mut accepted = false;
        for place in &places {
            if groups.iter().flatten().any(|wanted| meets(place, wanted)) {
                tally.right += 1;
            } else if optional.iter().any(|wanted| meets(place, wanted)) || top(place) {
                accepted = true;
            } else {
                tally.wrong += 1;
                let name = place.name.as_deref().unwrap_or_default();
                self.miss("wrong", format!("{}:{} {name}", place.path, place.line));
            }
        }
        if !(accepted && tally.wrong == 0 && text_of(question, "q") == "definition") {
            for group in &groups {
                let is_met = |place: &Place| group.iter().any(|wanted| meets(place, wanted));
                if !places.iter().any(is_met) {
                    self.miss("missing", group[0]);
                }
            }
        }
        // An equal answer to a question for one definition answers it.
        if text_of(question, "q") == "definition"
            && tally.found == 0
            && accepted
            && tally.wrong == 0
        {
            (tally.right, tally.found) = (1, 1);
        }
        tally
    }
}
