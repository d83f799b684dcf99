//! ripgrep's command over the working tree, a commit or an overlay, with what the index knows: which
//! files can match, and which symbol is around a line.

use std::{
    borrow::Cow,
    collections::HashSet,
    ffi::OsString,
    io::{self, Write},
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use ::grep::{Annotate, AnyOf, GrepOptions, ListedFiles, ListedTree, SearchTree, WorkingDirectory};
use engine::Budget;
use parking_lot::Mutex;
use workspace::{FileListing, Meaning, SnapshotView, Source, Workspace};

use crate::{
    At, Error, Result, Session, Waits, Workspaces, lookup, session::FreshnessPolicy,
    symbol_report::local_name,
};

pub use ::grep::Exit;

/// Where a search runs.
pub struct GrepPlace<'a> {
    pub workspace: Arc<Workspace>,
    /// From the workspace's root. Paths of the arguments begin here.
    pub directory: PathBuf,
    /// A branch, tag, commit or overlay; the working tree where absent.
    pub reference: Option<&'a str>,
    /// Whether nothing outside of the workspace may be read.
    pub is_confined: bool,
    /// Whether the output goes to a terminal.
    pub is_terminal: bool,
    /// Stands before messages.
    pub name: &'a str,
}

/// Searches with ripgrep's arguments. Results go to `out`, messages to `errors`.
pub fn grep(
    workspaces: &Workspaces,
    place: &GrepPlace<'_>,
    arguments: &[OsString],
    out: &mut (dyn Write + Send),
    errors: &mut (dyn Write + Send),
) -> Result<Exit> {
    let source = source_of(place)?;
    let symbols = match asks_symbols(arguments) {
        true => Some(SymbolsOfLines {
            session: Mutex::new(open(workspaces, place)?),
            // The disk knows files by their path from where the search runs.
            prefix: match (&source, place.is_confined) {
                (None, false) => place.directory.clone(),
                _ => PathBuf::new(),
            },
        }),
        false => None,
    };
    let mut options = GrepOptions {
        name: place.name,
        is_terminal: place.is_terminal,
        annotate: symbols.as_ref().map(|symbols| symbols as &dyn Annotate),
        ..GrepOptions::default()
    };
    let mut run = |tree: &dyn SearchTree, options: &GrepOptions<'_>| {
        ::grep::run(arguments.iter().cloned(), tree, options, out, errors)
    };
    let Some(source) = source else {
        let root = place.workspace.root();
        let tree = match place.is_confined {
            true => WorkingDirectory::confined(root, &place.directory),
            false => WorkingDirectory::new(root.join(&place.directory)),
        };
        let tree = tree.map_err(|_| invalid_path(&place.directory))?;
        return Ok(run(&tree.skip_stdout(), &options));
    };
    let listing = place.workspace.listing(&source)?;
    // Reading everything takes less time than indexing it.
    let view = match &source {
        Source::Commit { id } => place.workspace.indexed_commit(*id)?,
        Source::Overlay { id, .. } => Some(place.workspace.overlays().view(id)?),
        Source::Live { .. } | Source::Virtual { .. } => None,
    };
    let listing = Arc::new(listing);
    let narrowing = view.map(|view| Narrowing {
        workspace: place.workspace.clone(),
        listing: listing.clone(),
        view,
    });
    let candidates = |required: &[AnyOf]| narrowing.as_ref()?.candidates(required);
    options.candidates = Some(&candidates);
    let n_unlisted = listing.n_unlisted();
    let tree = ListedTree::in_directory(CommitFiles(listing), &place.directory);
    let exit = run(&tree, &options);
    if n_unlisted > 0 {
        let note = format!(
            "{}: {n_unlisted} files are not in the published index and were not searched\n",
            place.name
        );
        // Whoever does not read messages needs none.
        let _ = errors.write_all(note.as_bytes());
    }
    Ok(exit)
}

/// What a file must hold to match ripgrep's arguments: one piece of each list. Empty where nothing
/// can be told.
pub fn required_pieces(arguments: &[OsString]) -> Vec<Vec<String>> {
    let lists = Mutex::new(Vec::new());
    let candidates = |required: &[AnyOf]| {
        *lists.lock() = required.iter().filter_map(pieces).collect();
        None
    };
    let options = GrepOptions {
        candidates: Some(&candidates),
        ..GrepOptions::default()
    };
    let tree = ListedTree::in_directory(NoFiles, Path::new(""));
    let arguments = arguments.iter().cloned();
    ::grep::run(arguments, &tree, &options, &mut io::sink(), &mut io::sink());
    lists.into_inner()
}

struct NoFiles;

impl ListedFiles for NoFiles {
    fn paths(&self) -> &[PathBuf] {
        &[]
    }

    fn read(&self, _: &Path) -> io::Result<Cow<'_, [u8]>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Searches a directory on disk with ripgrep's arguments, without any index.
pub fn grep_disk(
    directory: &Path,
    name: &str,
    is_terminal: bool,
    arguments: &[OsString],
    (out, errors): (&mut (dyn Write + Send), &mut (dyn Write + Send)),
) -> io::Result<Exit> {
    let tree = WorkingDirectory::new(directory)?.skip_stdout();
    let options = GrepOptions {
        name,
        is_terminal,
        ..GrepOptions::default()
    };
    let arguments = arguments.iter().cloned();
    Ok(::grep::run(arguments, &tree, &options, out, errors))
}

/// Takes `--ref REF` and `--workspace DIR`, also written `--path DIR`, out of ripgrep's arguments, which
/// has neither.
pub fn own_arguments(arguments: Vec<OsString>) -> (Vec<OsString>, OwnArguments) {
    let mut own = OwnArguments::default();
    let mut rest: Vec<OsString> = Vec::new();
    let mut arguments = arguments.into_iter();
    let mut takes_value = false;
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--" {
            rest.push(argument);
            rest.extend(arguments);
            break;
        }
        // `-e --ref` searches for `--ref`.
        let is_value = std::mem::replace(
            &mut takes_value,
            matches!(text, "-e" | "--regexp" | "-f" | "--file" | "-g" | "--glob"),
        );
        let field = match text.split_once('=').map_or(text, |(name, _)| name) {
            "--ref" if !is_value => &mut own.reference,
            "--workspace" | "--path" if !is_value => &mut own.workspace,
            _ => {
                rest.push(argument);
                continue;
            }
        };
        *field = match text.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => arguments.next().and_then(|value| value.into_string().ok()),
        };
    }
    (rest, own)
}

/// What a search is told beside ripgrep's own arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnArguments {
    pub reference: Option<String>,
    pub workspace: Option<String>,
}

/// What is searched; nothing for the working tree.
fn source_of(place: &GrepPlace<'_>) -> Result<Option<Source>> {
    let workspace = &place.workspace;
    let Some(name) = place
        .reference
        .or(workspace.is_published().then_some("HEAD"))
    else {
        return Ok(None);
    };
    if workspace.overlays().find(name).is_ok() {
        return Ok(Some(workspace.overlays().view(name)?.source.clone()));
    }
    match workspace.meaning(Some(name))? {
        Meaning::Live => Ok(None),
        Meaning::Commit(id) => Ok(Some(Source::Commit { id })),
    }
}

fn asks_symbols(arguments: &[OsString]) -> bool {
    let before_paths = arguments.iter().take_while(|argument| *argument != "--");
    before_paths
        .into_iter()
        .any(|argument| argument == "--symbols")
}

fn open(workspaces: &Workspaces, place: &GrepPlace<'_>) -> Result<Session> {
    const PATIENCE: Duration = Duration::from_secs(25);
    let waits = Waits {
        sync: Duration::from_secs(2),
        first_index: PATIENCE,
        commit: PATIENCE,
    };
    let at = match place.reference {
        Some(name) if place.workspace.overlays().find(name).is_ok() => At::Overlay(name),
        name => At::Ref(name),
    };
    let policy = FreshnessPolicy::Balanced;
    let workspace = place.workspace.clone();
    workspaces.open(workspace, at, policy, &waits, Budget::unlimited())
}

fn invalid_path(path: &Path) -> Error {
    Error::Workspace(workspace::Error::InvalidPath {
        path: path.display().to_string(),
    })
}

struct CommitFiles(Arc<FileListing>);

impl ListedFiles for CommitFiles {
    fn paths(&self) -> &[PathBuf] {
        self.0.paths()
    }

    fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        let read = self.0.read(path).map(Cow::Owned);
        read.ok_or_else(|| io::Error::other("its bytes cannot be read here"))
    }
}

/// Which files of a listing can match, by the words of the text index.
struct Narrowing {
    workspace: Arc<Workspace>,
    listing: Arc<FileListing>,
    view: Arc<SnapshotView>,
}

impl Narrowing {
    /// Nothing where the words do not tell.
    fn candidates(&self, required: &[AnyOf]) -> Option<HashSet<PathBuf>> {
        let lists: Vec<Vec<String>> = required.iter().filter_map(pieces).collect();
        if lists.is_empty() {
            return None;
        }
        let holding = self.workspace.text().may_hold(&self.view, &lists).ok()?;
        // What is not indexed may hold anything.
        let mut candidates: HashSet<PathBuf> =
            self.listing.unindexed(&self.view).into_iter().collect();
        let snapshot = &self.view.snapshot;
        for content in holding {
            let files = snapshot.files_of(content).iter();
            let paths = files.map(|file| PathBuf::from(snapshot.file(*file).path.as_str()));
            candidates
                .extend(paths.filter(|path| self.listing.paths().binary_search(path).is_ok()));
        }
        Some(candidates)
    }
}

/// For each spelling the longest part that is one word; nothing where a spelling has none.
fn pieces(any: &AnyOf) -> Option<Vec<String>> {
    const MIN_PIECE: usize = 3;
    let longest = |spelling: &Vec<u8>| {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let parts = spelling.split(|byte| !is_part(byte));
        let parts = parts.filter(|part| part.iter().any(u8::is_ascii_alphanumeric));
        let longest = parts.max_by_key(|part| part.len())?;
        let longest = String::from_utf8(longest.to_ascii_lowercase()).ok()?;
        (longest.len() >= MIN_PIECE).then_some(longest)
    };
    any.0.iter().map(longest).collect()
}

/// Knows the symbols around lines.
struct SymbolsOfLines {
    /// What a request may spend is counted by one thread at a time.
    session: Mutex<Session>,
    prefix: PathBuf,
}

impl Annotate for SymbolsOfLines {
    fn enclosing(&self, path: &Path, line_number: u64) -> Option<String> {
        let mut whole = PathBuf::new();
        for component in self.prefix.join(path).components() {
            match component {
                Component::Normal(name) => whole.push(name),
                Component::ParentDir => drop(whole.pop()),
                _ => {}
            }
        }
        let session = self.session.lock();
        let file = session
            .snapshot()
            .find(&workspace::with_slashes(whole.to_str()?))?;
        let line = u32::try_from(line_number).ok().filter(|line| *line > 0)?;
        let symbol = lookup::at_line(&session, file, line)?;
        Some(local_name(&session, symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(arguments: &[&str]) -> Vec<OsString> {
        arguments.iter().map(OsString::from).collect()
    }

    #[test]
    fn our_own_arguments_are_told_from_ripgreps() {
        let own = |arguments: &[&str]| {
            let (rest, own) = own_arguments(texts(arguments));
            let rest: Vec<String> = rest
                .into_iter()
                .map(|argument| argument.into_string().unwrap())
                .collect();
            (rest.join(" "), own.reference, own.workspace)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(own(&["-n", "foo"]), ("-n foo".to_owned(), None, None));
        assert_eq!(
            own(&["--ref", "v1", "-n", "foo", "--workspace=/x"]),
            ("-n foo".to_owned(), some("v1"), some("/x"))
        );
        assert_eq!(
            own(&["-e", "--ref", "x"]),
            ("-e --ref x".to_owned(), None, None)
        );
        assert_eq!(
            own(&["--", "--ref", "x"]),
            ("-- --ref x".to_owned(), None, None)
        );
    }

    #[test]
    fn pieces_are_parts_of_words() {
        let any = |spellings: &[&str]| {
            let spellings = spellings
                .iter()
                .map(|spelling| spelling.as_bytes().to_vec());
            pieces(&AnyOf(spellings.collect()))
        };
        assert_eq!(any(&["def Total("]), Some(vec!["total".to_owned()]));
        assert_eq!(
            any(&["foo_bar", "Foo"]),
            Some(vec!["foo_bar".to_owned(), "foo".to_owned()])
        );
        assert_eq!(any(&["foo", "->"]), None);
        assert_eq!(any(&["___"]), None);
    }
}
