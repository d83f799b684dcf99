//! What is known about the projects of a snapshot without opening its facts: how many symbols, and
//! what did not parse.

use std::collections::{BTreeMap, BTreeSet};

use engine::{ContentNumber, FileId};
use rustc_hash::FxHashMap;

use super::envelope::{ProjectDiagnostic, SemanticLevel};
use crate::{Moment, names};

#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Absent where there is no file that is program code.
    pub level: Option<SemanticLevel>,
    /// By name.
    pub projects: Vec<ProjectDiagnostic>,
}

/// Files named in a project's errors.
const ERRORS: usize = 5;

impl Moment {
    /// Made once per snapshot.
    pub fn survey(&self) -> &Survey {
        self.known.survey.get_or_init(|| survey(self))
    }
}

/// The project of a file: what a manifest declares around it, else the root.
pub fn project_of(moment: &Moment, file: FileId) -> &str {
    names::package_of(moment.snapshot(), file).map_or(".", |(name, _)| name)
}

/// How deep the files of an answer are understood, and the projects among them with files that did
/// not parse. No files: all of them.
pub fn of_files(
    moment: &Moment,
    files: &BTreeSet<FileId>,
) -> (Option<SemanticLevel>, Vec<ProjectDiagnostic>) {
    let survey = moment.survey();
    if survey.level != Some(SemanticLevel::Partial) {
        return (survey.level, Vec::new());
    }
    let did_not_parse = |file: &&FileId| {
        moment
            .facts(**file)
            .is_none_or(|facts| !facts.problems.is_empty())
    };
    let broken: BTreeSet<&str> = files
        .iter()
        .filter(did_not_parse)
        .map(|file| project_of(moment, *file))
        .collect();
    let concerns = |project: &&ProjectDiagnostic| {
        !project.compiled && (files.is_empty() || broken.contains(project.project_name.as_str()))
    };
    let projects: Vec<ProjectDiagnostic> =
        survey.projects.iter().filter(concerns).cloned().collect();
    (
        Some(if projects.is_empty() {
            SemanticLevel::Full
        } else {
            SemanticLevel::Partial
        }),
        projects,
    )
}

fn survey(moment: &Moment) -> Survey {
    let rows = moment.workspace.store().contents().unwrap_or_default();
    let rows: FxHashMap<u32, (u32, bool)> = rows
        .into_iter()
        .map(|row| (row.number.0, (row.symbols, row.problem.is_some())))
        .collect();
    let of = |content: ContentNumber| {
        rows.get(&content.0).copied().unwrap_or_else(|| {
            let facts = moment.snapshot().corpus().facts(content);
            facts.map_or((0, true), |facts| {
                (facts.symbols.len() as u32, !facts.problems.is_empty())
            })
        })
    };
    let mut projects: BTreeMap<&str, ProjectDiagnostic> = BTreeMap::new();
    let (mut n_deep, mut n_outline, mut n_broken) = (0, 0, 0);
    for (id, file) in moment.snapshot().files() {
        let language = extract::language(file.language);
        let is_deep = language.is_some_and(|language| language.semantics.is_some());
        let (symbols, broken) = of(file.content);
        let name = project_of(moment, id);
        let project = projects.entry(name).or_insert_with(|| ProjectDiagnostic {
            project_name: name.to_owned(),
            compiled: true,
            symbol_count: 0,
            reference_count: None,
            errors: None,
        });
        project.symbol_count += u64::from(symbols);
        if !is_deep {
            n_outline += usize::from(symbols > 0);
            continue;
        }
        n_deep += 1;
        if broken {
            n_broken += 1;
            project.compiled = false;
            let errors = project.errors.get_or_insert_default();
            if errors.len() < ERRORS {
                errors.push(format!("{}: parts of the file did not parse", file.path));
            }
        }
    }
    let level = match (n_deep, n_broken, n_outline) {
        (0, _, 0) => None,
        (0, ..) => Some(SemanticLevel::SyntaxOnly),
        (_, 0, _) => Some(SemanticLevel::Full),
        _ => Some(SemanticLevel::Partial),
    };
    Survey {
        level,
        projects: projects.into_values().collect(),
    }
}
