//! Answers about a working tree that is not indexed yet: names, references and outlines are told
//! from the files that can matter; what only an index can tell is refused, and the question is asked
//! again when there is one.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use engine::Budget;
use workspace::{ColdQuestion, Freshness, Meaning, SnapshotView, Workspace};

use crate::{At, Result, Session, Workspaces};

/// How the questions of one request fared without an index.
#[derive(Clone, Debug, Default)]
pub struct ColdAnswers(Arc<ColdState>);

#[derive(Debug, Default)]
struct ColdState {
    was_used: AtomicBool,
    was_refused: AtomicBool,
}

impl ColdAnswers {
    /// Whether a question was begun without an index.
    pub fn was_used(&self) -> bool {
        self.0.was_used.load(Ordering::Relaxed)
    }

    /// Whether a question needed what only an index can tell: its answer is not complete.
    pub fn was_refused(&self) -> bool {
        self.0.was_refused.load(Ordering::Relaxed)
    }
}

/// A session's question to a tree that is not indexed. Says at its end whether that was enough.
pub(crate) struct ColdSession {
    pub question: ColdQuestion,
    answers: ColdAnswers,
}

impl Drop for ColdSession {
    fn drop(&mut self) {
        if self.question.needs_index() {
            self.answers.0.was_refused.store(true, Ordering::Relaxed);
        }
    }
}

impl Workspaces {
    /// A session that waits for no index. Nothing where there is one, where the tree is small enough
    /// to be indexed at once, and where a question of the same request has failed without one.
    pub fn open_cold(
        &self,
        workspace: &Arc<Workspace>,
        at: At<'_>,
        budget: Budget,
        answers: &ColdAnswers,
    ) -> Result<Option<Session>> {
        let At::Ref(name) = at else {
            return Ok(None);
        };
        if answers.was_refused() {
            return Ok(None);
        }
        let view = match workspace.meaning(name) {
            Ok(Meaning::Live) => workspace.cold()?,
            Ok(Meaning::Commit(id)) => workspace.cold_commit(id)?,
            Err(_) => None,
        };
        let Some(view) = view else {
            return Ok(None);
        };
        answers.0.was_used.store(true, Ordering::Relaxed);
        Ok(Some(self.cold_session(workspace, view, budget, answers)))
    }

    fn cold_session(
        &self,
        workspace: &Arc<Workspace>,
        view: Arc<SnapshotView>,
        budget: Budget,
        answers: &ColdAnswers,
    ) -> Session {
        let question = ColdQuestion::about(workspace, &view);
        let mut session = self.session(workspace.clone(), view, Freshness::fresh(), budget);
        session.cold = question.map(|question| ColdSession {
            question,
            answers: answers.clone(),
        });
        session
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write, path::Path};

    use engine::{
        FileId, SymbolId,
        query::{self, search::Spread},
    };
    use workspace::Options;

    use super::*;
    use crate::{lookup, occurrences::Occurrences, outline::Outline, symbol_report, testing};

    /// In memory, so that nothing but the question at hand makes facts.
    fn options() -> Options {
        Options {
            in_memory: true,
            ..Options::default()
        }
    }

    fn cold(workspaces: &Workspaces, answers: &ColdAnswers) -> Session {
        let workspace = workspaces.find(None).unwrap();
        let view = workspace.scan(0).unwrap().unwrap();
        workspaces.cold_session(&workspace, view, Budget::unlimited(), answers)
    }

    /// Everything that names, references, callers and outlines tell of every symbol and reference.
    fn told(session: &Session, symbols: &[SymbolId]) -> String {
        let mut told = String::new();
        for &symbol in symbols {
            let name = session.name(symbol);
            let callers = symbol_report::callers(session, &[symbol]);
            let references = symbol_report::references(session, &[symbol]);
            let callees = symbol_report::callees(session, &[symbol]);
            let family = symbol_report::type_family(session, symbol);
            let occurrences = Occurrences::of(session, &name, Default::default());
            writeln!(
                told,
                "{symbol:?} {name}: {callers:?} {references:?} {callees:?}"
            )
            .unwrap();
            writeln!(told, "  {family:?} {occurrences:?}").unwrap();
            writeln!(told, "  {:?}", session.symbols_named(&name)).unwrap();
        }
        let resolver = session.resolver();
        for (file, listed) in session.snapshot().files() {
            let Some(view) = resolver.view(file) else {
                continue;
            };
            for reference in &view.facts.references {
                let meant = resolver.resolve(&view, reference);
                writeln!(told, "{} {reference:?}: {meant:?}", listed.path).unwrap();
            }
            let outline = Outline::of(session, file, true).map(|outline| outline.entries.len());
            writeln!(told, "{} {outline:?}", listed.path).unwrap();
        }
        told
    }

    fn all_symbols(session: &Session) -> Vec<SymbolId> {
        let symbols = session.snapshot().files().flat_map(|(file, _)| {
            let n_symbols = session.facts(file).map_or(0, |facts| facts.symbols.len());
            (0..n_symbols as u32).map(move |index| SymbolId {
                file,
                index: facts::SymbolIndex(index),
            })
        });
        symbols.collect()
    }

    /// The repositories of a case file: blocks of source in which `«name»` marks something.
    fn repositories(cases: &str) -> Vec<String> {
        let blocks = cases.split("```").skip(1).step_by(2);
        let sources = blocks.filter(|block| block.contains("//- "));
        sources.map(|block| block.replace(['«', '»'], "")).collect()
    }

    #[test]
    fn answers_without_an_index_are_those_with_one() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/resolution");
        let mut n_compared = 0;
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            for source in repositories(&std::fs::read_to_string(&path).unwrap()) {
                let indexed = testing::session_with(&source, options());
                let symbols = all_symbols(&indexed);
                let expected = told(&indexed, &symbols);
                let answers = ColdAnswers::default();
                let (workspaces, _directory) = testing::repository(&source, options());
                let session = cold(&workspaces, &answers);
                let found = told(&session, &symbols);
                assert!(!session.needs_index());
                if found != expected {
                    let lines = found.lines().zip(expected.lines());
                    let differing = lines.filter(|(found, expected)| found != expected);
                    let (found, expected) = differing.into_iter().next().unwrap_or_default();
                    panic!("{}:\n{source}\n{found}\n{expected}", path.display());
                }
                n_compared += symbols.len();
            }
        }
        assert!(n_compared > 1_000, "{n_compared} symbols");
    }

    const SHOP: &str = "
//- shop/cart.py
class Cart:
    def total(self): ...
//- app.py
from shop.cart import Cart
def checkout():
    return Cart().total()
//- other.py
def unrelated(): ...
";

    #[test]
    fn only_files_that_can_matter_are_read_and_their_facts_are_kept() {
        let (workspaces, _directory) = testing::repository(SHOP, options());
        let workspace = workspaces.find(None).unwrap();
        let answers = ColdAnswers::default();
        let session = cold(&workspaces, &answers);
        let [total] = lookup::all(&session, "Cart.total")[..] else {
            panic!("one symbol is named so");
        };
        let callers = symbol_report::callers(&session, &[total]);
        assert_eq!(callers.n_users(), 1);
        assert!(workspace.store().is_empty().unwrap());
        drop(session);
        assert_eq!(workspace.store().contents().unwrap().len(), 2);
        assert!(!answers.was_refused() && !workspace.is_indexed());
        // Indexing finds them, and makes the third.
        let indexed = workspace.index_live(false, &Default::default(), |_| ());
        assert_eq!(indexed.unwrap().extracted, 1);
    }

    #[test]
    fn what_only_an_index_can_tell_is_refused() {
        let (workspaces, _directory) = testing::repository(SHOP, options());
        for ask in [
            |session: &Session| {
                drop(crate::search::search(
                    session,
                    "the price",
                    &[],
                    5,
                    Spread::Files,
                ))
            },
            |session: &Session| {
                session.architecture();
            },
        ] {
            let answers = ColdAnswers::default();
            let session = cold(&workspaces, &answers);
            let is_readable = query::symbols_named(session.snapshot(), "checkout").is_ok();
            assert!(is_readable && !session.needs_index());
            ask(&session);
            assert!(session.needs_index());
            drop(session);
            assert!(answers.was_refused());
        }
    }

    #[test]
    fn another_spelling_is_found_and_a_name_that_is_nowhere_is_told() {
        let (workspaces, _directory) = testing::repository(SHOP, options());
        let session = cold(&workspaces, &ColdAnswers::default());
        let named = |name: &str| {
            let found = lookup::all(&session, name).into_iter();
            found.map(|symbol| session.name(symbol)).collect::<Vec<_>>()
        };
        assert_eq!(named("check_out"), ["checkout"]);
        assert_eq!(named("CART"), ["Cart"]);
        assert!(named("chekout").is_empty());
        assert_eq!(lookup::nearest(&session, "chekout", 5), ["checkout"]);
        assert!(lookup::nearest(&session, "refund", 5).is_empty());
        assert!(!session.needs_index());
    }

    #[test]
    fn a_commit_is_answered_without_an_index() {
        let (workspaces, directory) = testing::repository(SHOP, options());
        let git = |arguments: &[&str]| {
            let mut git = std::process::Command::new("git");
            git.current_dir(directory.path());
            git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
            assert!(git.args(arguments).status().unwrap().success());
        };
        git(&["init", "--quiet"]);
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", "shop"]);
        std::fs::remove_file(directory.path().join("app.py")).unwrap();
        let workspace = workspaces.find(None).unwrap();
        let head = workspace.commit("HEAD").unwrap();
        let callers = |session: &Session| {
            let total = lookup::all(session, "Cart.total");
            symbol_report::callers(session, &total).n_users()
        };
        let answers = ColdAnswers::default();
        let view = workspace.scan_commit(head, 0).unwrap().unwrap();
        let session = workspaces.cold_session(&workspace, view, Budget::unlimited(), &answers);
        assert_eq!(callers(&session), 1);
        assert!(!session.needs_index());
        assert_eq!(callers(&cold(&workspaces, &answers)), 0);
    }

    #[test]
    fn an_edit_between_two_questions_is_seen() {
        let (workspaces, directory) = testing::repository(SHOP, options());
        let callers = || {
            let session = cold(&workspaces, &ColdAnswers::default());
            let found = lookup::all(&session, "unrelated");
            let users = symbol_report::callers(&session, &found);
            let files = users.files.iter();
            let paths: Vec<String> = files.map(|of| session.path(of.file).to_owned()).collect();
            paths.join(" ")
        };
        assert_eq!(callers(), "");
        let app = "from other import unrelated\ndef main():\n    unrelated()\n";
        std::fs::write(directory.path().join("main.py"), app).unwrap();
        assert_eq!(callers(), "main.py");
        std::fs::remove_file(directory.path().join("main.py")).unwrap();
        assert_eq!(callers(), "");
    }

    #[test]
    fn a_file_that_changes_during_a_question_is_not_mistaken_for_what_it_was() {
        let (workspaces, directory) = testing::repository(SHOP, options());
        let session = cold(&workspaces, &ColdAnswers::default());
        std::fs::write(directory.path().join("app.py"), "def checkout(): ...\n").unwrap();
        assert!(session.facts(FileId(0)).is_none());
        assert!(session.needs_index());
    }
}
