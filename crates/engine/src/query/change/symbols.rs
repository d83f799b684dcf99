//! The symbols that a change adds, removes, renames, moves or edits.
//!
//! Symbols of a file and of what became of it are paired from the outside in: by kind and name,
//! else by their text. What is left over on one side is looked for in other changed files.

use std::sync::Arc;

use facts::{Modifiers, ParameterFlags, SymbolIndex, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

use super::{ChangedFile, own_text::own_text};
use crate::{FileView, Resolver, SymbolId, differences::likeness};

/// What became of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EditKind {
    Removed,
    Renamed,
    /// It has its name in another file or container.
    Moved,
    /// Fewer places may see it.
    Hidden,
    /// Its header differs: parameters, type, modifiers, supertypes.
    Signature,
    Added,
    /// Only what is inside of it differs.
    Body,
}

impl EditKind {
    pub fn as_str(self) -> &'static str {
        match self {
            EditKind::Removed => "removed",
            EditKind::Renamed => "renamed",
            EditKind::Moved => "moved",
            EditKind::Hidden => "hidden",
            EditKind::Signature => "signature",
            EditKind::Added => "added",
            EditKind::Body => "body",
        }
    }
}

/// A symbol that differs between base and head. Members of what was added or removed as a whole are
/// not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolEdit {
    pub kind: EditKind,
    /// In the base.
    pub before: Option<SymbolId>,
    /// In the head.
    pub after: Option<SymbolId>,
    /// Its parameters differ in number, name, type or in what may be left out.
    pub parameters: bool,
    /// It belonged to the type and belongs to its values now, or the other way round.
    pub binding: bool,
}

/// Texts of which at least this part is equal are of one symbol under two names.
const LEAST_LIKENESS: f32 = 0.6;
/// Texts that are compared within one container.
const MOST_COMPARED: usize = 400;

/// What pairing found.
#[derive(Default)]
pub(super) struct Paired {
    pub edits: Vec<SymbolEdit>,
    /// From symbols of changed files in the base to those of the head.
    pub after: FxHashMap<SymbolId, SymbolId>,
}

pub(super) fn changed_symbols(base: &Resolver, head: &Resolver, files: &[ChangedFile]) -> Paired {
    let mut pairing = Pairing {
        base,
        head,
        paired: Paired::default(),
        removed: Vec::new(),
        added: Vec::new(),
    };
    for file in files {
        let before = file.before.and_then(|file| base.view(file));
        let after = file.after.and_then(|file| head.view(file));
        match (before, after) {
            (Some(before), Some(after)) => pairing.level((&before, None), (&after, None)),
            (Some(before), None) => pairing.all(&before, None, Side::Base),
            (None, Some(after)) => pairing.all(&after, None, Side::Head),
            (None, None) => {}
        }
    }
    pairing.pair_moved();
    let Pairing {
        mut paired,
        removed,
        added,
        ..
    } = pairing;
    let alone = |kind, before, after| SymbolEdit {
        kind,
        before,
        after,
        parameters: false,
        binding: false,
    };
    let removed = removed
        .into_iter()
        .map(|symbol| alone(EditKind::Removed, Some(symbol), None));
    let added = added
        .into_iter()
        .map(|symbol| alone(EditKind::Added, None, Some(symbol)));
    paired.edits.extend(removed.chain(added));
    paired
        .edits
        .sort_by_key(|edit| (edit.kind, edit.before, edit.after));
    paired
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Base,
    Head,
}

/// A container of a file: a symbol, or the file itself.
pub(super) type Container<'a> = (&'a Arc<FileView>, Option<SymbolIndex>);

struct Pairing<'a> {
    base: &'a Resolver<'a>,
    head: &'a Resolver<'a>,
    paired: Paired,
    removed: Vec<SymbolId>,
    added: Vec<SymbolId>,
}

impl Pairing<'_> {
    /// Pairs the members of two containers that are the same, then what is inside of them.
    fn level(&mut self, before: Container, after: Container) {
        let mut olds = members(before);
        let mut news = members(after);
        let mut pairs = Vec::new();
        for same in [same_declaration, same_name, same_word] {
            take_pairs(&mut olds, &mut news, &mut pairs, |old, new| {
                same((before.0, old), (after.0, new))
            });
        }
        self.pair_renamed((before.0, &mut olds), (after.0, &mut news), &mut pairs);
        for (old, new) in pairs {
            self.pair((before.0, old), (after.0, new));
        }
        for old in olds {
            self.alone(before.0, old, Side::Base);
        }
        for new in news {
            self.alone(after.0, new, Side::Head);
        }
    }

    /// A symbol that only one side has. What merely contains others stands for its members.
    fn alone(&mut self, view: &Arc<FileView>, index: SymbolIndex, side: Side) {
        if is_transparent(view.symbol(index).kind) {
            return self.all(view, Some(index), side);
        }
        let list = match side {
            Side::Base => &mut self.removed,
            Side::Head => &mut self.added,
        };
        list.push(view.symbol_id(index));
    }

    fn all(&mut self, view: &Arc<FileView>, container: Option<SymbolIndex>, side: Side) {
        for index in members((view, container)) {
            self.alone(view, index, side);
        }
    }

    fn pair(
        &mut self,
        before: (&Arc<FileView>, SymbolIndex),
        after: (&Arc<FileView>, SymbolIndex),
    ) {
        let (old, new) = (before.0.symbol_id(before.1), after.0.symbol_id(after.1));
        self.paired.after.insert(old, new);
        self.paired.edits.extend(self.edit(before, after));
        if before.0.symbol(before.1).kind.is_container() {
            self.level((before.0, Some(before.1)), (after.0, Some(after.1)));
        }
    }

    /// How a pair differs, if it does.
    fn edit(
        &self,
        before: (&Arc<FileView>, SymbolIndex),
        after: (&Arc<FileView>, SymbolIndex),
    ) -> Option<SymbolEdit> {
        let (old, new) = (before.0.symbol(before.1), after.0.symbol(after.1));
        let texts = self
            .text(before, Side::Base)
            .zip(self.text(after, Side::Head));
        let header = |view: &FileView, symbol: &facts::Symbol, text: &str| {
            let start = symbol.span.start;
            let span = facts::Span::new(
                symbol.signature.start.saturating_sub(start),
                symbol.signature.end.saturating_sub(start),
            );
            let name = view.facts.name(symbol.name);
            without_space(span.text(text)).replacen(name, "", 1)
        };
        let header_differs = texts
            .as_ref()
            .is_some_and(|(one, other)| header(before.0, old, one) != header(after.0, new, other));
        let parameters = !same_parameters(before.0, old, after.0, new);
        let is_static = |symbol: &facts::Symbol| {
            symbol.modifiers.contains(Modifiers::STATIC)
                || symbol.modifiers.contains(Modifiers::CLASS_METHOD)
        };
        let binding = is_static(old) != is_static(new);
        let renamed = before.0.facts.name(old.name) != after.0.facts.name(new.name);
        let moved = self.base.path(before.0.id) != self.head.path(after.0.id)
            && is_outermost(before.0, before.1);
        let kind = if renamed {
            EditKind::Renamed
        } else if moved {
            EditKind::Moved
        } else if is_narrower(new.visibility, old.visibility) {
            EditKind::Hidden
        } else if header_differs || parameters || binding || old.kind != new.kind {
            EditKind::Signature
        } else if texts.is_some_and(|(one, other)| one != other) && self.body_differs(before, after)
        {
            EditKind::Body
        } else {
            return None;
        };
        Some(SymbolEdit {
            kind,
            before: Some(before.0.symbol_id(before.1)),
            after: Some(after.0.symbol_id(after.1)),
            parameters,
            binding,
        })
    }

    /// Whether symbols differ otherwise than in their members and in comments.
    fn body_differs(
        &self,
        before: (&Arc<FileView>, SymbolIndex),
        after: (&Arc<FileView>, SymbolIndex),
    ) -> bool {
        let own = |resolver: &Resolver, (view, index): (&Arc<FileView>, SymbolIndex)| {
            let snapshot = resolver.snapshot();
            let text = snapshot.corpus().text(snapshot.file(view.id).content)?;
            Some(own_text(view, index, &text))
        };
        !is_transparent(after.0.symbol(after.1).kind)
            && own(self.base, before) != own(self.head, after)
    }

    fn text(&self, (view, index): (&Arc<FileView>, SymbolIndex), side: Side) -> Option<String> {
        let resolver = match side {
            Side::Base => self.base,
            Side::Head => self.head,
        };
        let snapshot = resolver.snapshot();
        let text = snapshot.corpus().text(snapshot.file(view.id).content)?;
        Some(view.symbol(index).span.text(&text).to_owned())
    }

    /// Symbols of one kind and of much the same text are one symbol under two names.
    fn pair_renamed(
        &self,
        (before, olds): (&Arc<FileView>, &mut Vec<SymbolIndex>),
        (after, news): (&Arc<FileView>, &mut Vec<SymbolIndex>),
        pairs: &mut Vec<(SymbolIndex, SymbolIndex)>,
    ) {
        let mut candidates = Vec::new();
        for &old in olds.iter() {
            for &new in news.iter() {
                if candidates.len() < MOST_COMPARED
                    && before.symbol(old).kind == after.symbol(new).kind
                    && owner_name(before, old) == owner_name(after, new)
                {
                    let likeness = self.likeness((before, old), (after, new));
                    candidates.push((likeness, old, new));
                }
            }
        }
        candidates.retain(|(likeness, ..)| *likeness >= LEAST_LIKENESS);
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, old, new) in candidates {
            if olds.contains(&old) && news.contains(&new) {
                olds.retain(|index| *index != old);
                news.retain(|index| *index != new);
                pairs.push((old, new));
            }
        }
    }

    /// How much of two symbols' texts is equal, their own names aside; 0 to 1.
    fn likeness(
        &self,
        before: (&Arc<FileView>, SymbolIndex),
        after: (&Arc<FileView>, SymbolIndex),
    ) -> f32 {
        let texts = self
            .text(before, Side::Base)
            .zip(self.text(after, Side::Head));
        let Some((old, new)) = texts else {
            return 0.0;
        };
        let (small, large) = (old.len().min(new.len()), old.len().max(new.len()));
        if small * 3 < large {
            return 0.0;
        }
        let old = old.replace(before.0.name_of(before.1), "\u{0}");
        let new = new.replace(after.0.name_of(after.1), "\u{0}");
        if old == new {
            return 1.0;
        }
        // A line or two may be equal by chance.
        if old.lines().count().min(new.lines().count()) < 3 {
            return 0.0;
        }
        likeness(&old, &new) as f32
    }

    /// Pairs what left one file or container with what another has under its name and kind.
    fn pair_moved(&mut self) {
        let mut by_name: FxHashMap<(String, SymbolKind), Vec<SymbolId>> = FxHashMap::default();
        for &symbol in &self.added {
            if let Some((view, declared)) = self.head.symbol(symbol) {
                let name = view.facts.name(declared.name).to_owned();
                by_name
                    .entry((name, declared.kind))
                    .or_default()
                    .push(symbol);
            }
        }
        let removed = std::mem::take(&mut self.removed);
        for symbol in removed {
            let Some((view, declared)) = self.base.symbol(symbol) else {
                continue;
            };
            let key = (view.facts.name(declared.name).to_owned(), declared.kind);
            let candidates = by_name.get(&key).cloned().unwrap_or_default();
            let container = |view: &FileView, index| {
                let parent = view.symbol(index).parent;
                parent.map(|parent| view.name_of(parent).to_owned())
            };
            let is_it = |candidate: &SymbolId| {
                let Some(other) = self.head.view(candidate.file) else {
                    return false;
                };
                container(&view, symbol.index) == container(&other, candidate.index)
                    && !declared.modifiers.contains(Modifiers::LOCAL)
                    || self.likeness((&view, symbol.index), (&other, candidate.index))
                        >= LEAST_LIKENESS
            };
            let Some(found) = candidates.into_iter().find(is_it) else {
                self.removed.push(symbol);
                continue;
            };
            if let Some(list) = by_name.get_mut(&key) {
                list.retain(|candidate| *candidate != found);
            }
            self.added.retain(|candidate| *candidate != found);
            if let Some(other) = self.head.view(found.file) {
                self.pair((&view, symbol.index), (&other, found.index));
                let moved = self
                    .paired
                    .edits
                    .iter()
                    .any(|edit| edit.before == Some(symbol));
                if !moved {
                    self.paired.edits.push(SymbolEdit {
                        kind: EditKind::Moved,
                        before: Some(symbol),
                        after: Some(found),
                        parameters: false,
                        binding: false,
                    });
                }
            }
        }
    }
}

/// What is inside a container and can be named from elsewhere.
pub(super) fn members((view, container): Container) -> Vec<SymbolIndex> {
    let is_named = |index: &SymbolIndex| {
        let symbol = view.symbol(*index);
        !symbol.modifiers.contains(Modifiers::LOCAL)
            && !matches!(
                symbol.kind,
                SymbolKind::Heading | SymbolKind::Key | SymbolKind::Element
            )
    };
    view.children(container).filter(is_named).collect()
}

/// Whether a symbol only holds others, which are named without it.
fn is_transparent(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Impl | SymbolKind::Namespace | SymbolKind::Module
    )
}

fn is_outermost(view: &FileView, index: SymbolIndex) -> bool {
    let mut parent = view.symbol(index).parent;
    while let Some(around) = parent {
        if !is_transparent(view.symbol(around).kind) {
            return false;
        }
        parent = view.symbol(around).parent;
    }
    true
}

fn take_pairs(
    olds: &mut Vec<SymbolIndex>,
    news: &mut Vec<SymbolIndex>,
    pairs: &mut Vec<(SymbolIndex, SymbolIndex)>,
    same: impl Fn(SymbolIndex, SymbolIndex) -> bool,
) {
    olds.retain(|&old| {
        let Some(i) = news.iter().position(|&new| same(old, new)) else {
            return true;
        };
        pairs.push((old, news.remove(i)));
        false
    });
}

type InFile<'a> = (&'a Arc<FileView>, SymbolIndex);

/// Kind, name and parameters are equal.
fn same_declaration(before: InFile, after: InFile) -> bool {
    same_name(before, after)
        && same_parameters(
            before.0,
            before.0.symbol(before.1),
            after.0,
            after.0.symbol(after.1),
        )
}

fn same_name(before: InFile, after: InFile) -> bool {
    before.0.symbol(before.1).kind == after.0.symbol(after.1).kind && same_word(before, after)
}

fn same_word((before, old): InFile, (after, new): InFile) -> bool {
    before.name_of(old) == after.name_of(new) && owner_name(before, old) == owner_name(after, new)
}

/// The type whose member a symbol is although it is written elsewhere, as the text names it.
fn owner_name(view: &FileView, index: SymbolIndex) -> Option<&str> {
    let mut ty = view.symbol(index).owner;
    loop {
        match view.facts.type_recipe(ty) {
            facts::TypeRecipe::Name(name) => return Some(view.facts.name(name)),
            facts::TypeRecipe::Apply(inner, _) | facts::TypeRecipe::Pointer(inner) => ty = inner,
            _ => return None,
        }
    }
}

fn same_parameters(
    before: &FileView,
    old: &facts::Symbol,
    after: &FileView,
    new: &facts::Symbol,
) -> bool {
    let (olds, news) = (before.facts.parameters(old), after.facts.parameters(new));
    olds.len() == news.len()
        && olds.iter().zip(news).all(|(one, other)| {
            let is_receiver = one.flags.contains(ParameterFlags::RECEIVER)
                && other.flags.contains(ParameterFlags::RECEIVER);
            is_receiver
                || one.flags == other.flags
                    && before.facts.name(one.name) == after.facts.name(other.name)
                    && crate::text::written_type(&before.facts, one.ty)
                        == crate::text::written_type(&after.facts, other.ty)
        })
}

fn is_narrower(new: Visibility, old: Visibility) -> bool {
    let width = |visibility| match visibility {
        Visibility::Public => 4,
        Visibility::Internal | Visibility::Protected => 2,
        Visibility::Default => 1,
        Visibility::Private => 0,
    };
    new != old
        && (new == Visibility::Private || old != Visibility::Default)
        && width(new) < width(old)
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
