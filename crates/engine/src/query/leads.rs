//! What leads from a symbol to the places that mean it: its names, and files that give it to imports
//! which do not name it (`import Make from "./cart"`, `require("./cart")`).

use super::{contents::over_contents, named_places::imported, references::Mention};
use crate::{
    ContentNumber, FileId, FileView, Found, Resolver, SymbolId, is_below,
    resolve::dialect::ModuleWords,
};

/// What a lead gave.
#[derive(Default)]
pub(super) struct Followed {
    pub mentions: Vec<Mention>,
    pub leads: Vec<MentionLead>,
}

/// What leads to places that mean a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum MentionLead {
    /// A name that it has.
    Name(String),
    /// A file that gives it to those who import the file without naming it.
    Module(FileId),
}

impl MentionLead {
    /// What another name for the symbol, under which a file hands it on, leads to.
    pub fn exported(file: FileId, exported: &str) -> Option<MentionLead> {
        match exported {
            "*" => None,
            _ if WHOLE.contains(&exported) => Some(MentionLead::Module(file)),
            _ => Some(MentionLead::Name(exported.to_owned())),
        }
    }
}

/// The names of what a file gives to imports that do not name it.
const WHOLE: [&str; 2] = ["default", "="];

/// Whether imports of a file get one of some symbols without naming it.
pub(super) fn is_whole(resolver: &Resolver, view: &FileView, group: &[SymbolId]) -> bool {
    let exports = view.facts.exports.iter();
    let mut exported = exports.map(|export| view.facts.name(export.exported));
    let is_marked = |symbol: &SymbolId| {
        let modifiers = (symbol.file == view.id).then(|| view.symbol(symbol.index).modifiers);
        modifiers.is_some_and(|own| own.contains(facts::Modifiers::DEFAULT_EXPORT))
    };
    group.iter().any(is_marked)
        || exported
            .any(|name| WHOLE.contains(&name) && is_meant(group, &resolver.exported(view, name)))
}

/// How imports from below a directory name the directory.
const ABOVE: [&str; 9] = [
    ".",
    "./",
    "..",
    "../",
    "./..",
    "../..",
    "../../",
    "../../..",
    "../../../",
];

/// Imports of a file that get one of some symbols, whatever they call it.
pub(super) fn imports_of(resolver: &Resolver, file: FileId, group: &[SymbolId]) -> Followed {
    let mut found = Followed::default();
    let Some(view) = resolver.view(file) else {
        return found;
    };
    let ModuleWords { words, directories } = (view.dialect.module_words)(resolver, file);
    let snapshot = resolver.snapshot();
    let corpus = snapshot.corpus();
    let mut look = |word: &str, contents: Vec<ContentNumber>| {
        let parts = over_contents(resolver, &contents, |resolver, content, into| {
            for &file in snapshot.files_of(content) {
                if let Some(view) = resolver.passing_view(file)
                    && resolver.budget.spend()
                {
                    unnamed_in(resolver, &view, word, group, into);
                }
            }
        });
        for part in parts {
            found.mentions.extend(part.mentions);
            found.leads.extend(part.leads);
        }
    };
    for word in &words {
        look(word, resolver.budget.read(corpus.mentioning(word)));
    }
    for directory in directories {
        let is_below = |content: ContentNumber| {
            let mut files = snapshot.files_of(content).iter();
            files.any(|file| is_below(resolver.path(*file).as_str(), &directory))
        };
        for word in ABOVE {
            let contents = corpus.mentioning_among(word, &is_below);
            look(word, resolver.budget.read(contents));
        }
    }
    found
}

/// Imports of modules whose paths end in a word, and what the file hands on of them.
fn unnamed_in(
    resolver: &Resolver,
    view: &FileView,
    word: &str,
    group: &[SymbolId],
    into: &mut Followed,
) {
    let is_named = |module: facts::NameId| {
        let module = view.facts.name(module);
        module == word || facts::module_word(module) == word
    };
    let mut is_found = false;
    for (i, import) in view.facts.imports.iter().enumerate() {
        if !is_named(import.module) || !is_meant(group, &resolver.import_targets(view, i as u32)) {
            continue;
        }
        is_found = true;
        into.mentions.push(imported(view, import.name_span));
        let local = import.local.map(|local| view.facts.name(local));
        into.leads
            .extend(local.map(|local| MentionLead::Name(local.to_owned())));
    }
    for export in view.facts.exports.iter().filter(|_| is_found) {
        let exported = view.facts.name(export.exported);
        let is_handed_on = export.module.is_none_or(is_named);
        if is_handed_on && is_meant(group, &resolver.exported(view, exported)) {
            into.leads.extend(MentionLead::exported(view.id, exported));
        }
    }
}

fn is_meant(group: &[SymbolId], found: &[Found]) -> bool {
    found
        .iter()
        .any(|found| matches!(found, Found::Symbol(target) if group.contains(target)))
}
