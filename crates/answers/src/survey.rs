//! What is known about the projects of a snapshot without opening its facts: how many symbols, and
//! what did not parse.

use std::collections::{BTreeMap, BTreeSet};

use engine::{ContentNumber, FileId};
use rustc_hash::FxHashMap;

use crate::{Session, names};

#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Absent where there is no file that is program code.
    pub level: Option<ParsedLevel>,
    /// By name.
    pub projects: Vec<ProjectSurvey>,
}

/// How deep files are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParsedLevel {
    Full,
    Partial,
    SyntaxOnly,
}

/// What a manifest declares, or the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSurvey {
    pub name: String,
    pub n_symbols: u64,
    /// The first files that did not parse; none where all did.
    pub unparsed: Vec<String>,
}

/// Files named as not parsed, of each project.
const MAX_UNPARSED: usize = 5;

impl ProjectSurvey {
    pub fn is_parsed(&self) -> bool {
        self.unparsed.is_empty()
    }
}

impl Session {
    /// Made once per snapshot.
    pub fn survey(&self) -> &Survey {
        self.require_index();
        self.cache.survey.get_or_init(|| survey(self))
    }
}

/// The project of a file: what a manifest declares around it, else the root.
pub fn project_of(session: &Session, file: FileId) -> &str {
    names::package_of(session.snapshot(), file).map_or(".", |(name, _)| name)
}

/// How deep the files of an answer are understood, and the projects among them with files that did
/// not parse. No files: all of them.
pub fn of_files<'a>(
    session: &'a Session,
    files: &BTreeSet<FileId>,
) -> (Option<ParsedLevel>, Vec<&'a ProjectSurvey>) {
    let survey = session.survey();
    if survey.level != Some(ParsedLevel::Partial) {
        return (survey.level, Vec::new());
    }
    let did_not_parse = |file: &&FileId| {
        session
            .facts(**file)
            .is_none_or(|facts| !facts.problems.is_empty())
    };
    let broken: BTreeSet<&str> = files
        .iter()
        .filter(did_not_parse)
        .map(|file| project_of(session, *file))
        .collect();
    let concerns = |project: &&ProjectSurvey| {
        !project.is_parsed() && (files.is_empty() || broken.contains(project.name.as_str()))
    };
    let projects: Vec<&ProjectSurvey> = survey.projects.iter().filter(concerns).collect();
    (
        Some(if projects.is_empty() {
            ParsedLevel::Full
        } else {
            ParsedLevel::Partial
        }),
        projects,
    )
}

fn survey(session: &Session) -> Survey {
    if session.view.cold().is_some() {
        return Survey {
            level: None,
            projects: Vec::new(),
        };
    }
    let rows = session.workspace.content_sizes(&session.view);
    let rows: FxHashMap<u32, (u32, bool)> = rows
        .into_iter()
        .map(|row| (row.number.0, (row.symbols, row.is_broken)))
        .collect();
    let of = |content: ContentNumber| {
        rows.get(&content.0).copied().unwrap_or_else(|| {
            let facts = session.snapshot().corpus().facts(content);
            facts.map_or((0, true), |facts| {
                (facts.symbols.len() as u32, !facts.problems.is_empty())
            })
        })
    };
    let mut projects: BTreeMap<&str, ProjectSurvey> = BTreeMap::new();
    let (mut n_deep, mut n_outline, mut n_broken) = (0, 0, 0);
    for (id, file) in session.snapshot().files() {
        let language = extract::language(file.language);
        let is_deep = language.is_some_and(|language| language.semantics.is_some());
        let (symbols, broken) = of(file.content);
        let name = project_of(session, id);
        let project = projects.entry(name).or_insert_with(|| ProjectSurvey {
            name: name.to_owned(),
            n_symbols: 0,
            unparsed: Vec::new(),
        });
        project.n_symbols += u64::from(symbols);
        if !is_deep {
            n_outline += usize::from(symbols > 0);
            continue;
        }
        n_deep += 1;
        if broken {
            n_broken += 1;
            if project.unparsed.len() < MAX_UNPARSED {
                project.unparsed.push(file.path.to_string());
            }
        }
    }
    let level = match (n_deep, n_broken, n_outline) {
        (0, _, 0) => None,
        (0, ..) => Some(ParsedLevel::SyntaxOnly),
        (_, 0, _) => Some(ParsedLevel::Full),
        _ => Some(ParsedLevel::Partial),
    };
    Survey {
        level,
        projects: projects.into_values().collect(),
    }
}
