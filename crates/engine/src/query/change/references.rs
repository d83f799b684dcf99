//! References whose meaning a change takes away, and calls that no longer fit.

use facts::{Modifiers, NameId, Recipe, RecipeId, Reference, Role, ScopeKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Break, BreakKind, ChangeSet, ChangedFile, EditKind, FindingConfidence, Misfit, SymbolEdit,
    arguments, imports, lines::LineMap, sight,
};
use crate::{FileId, FileView, Outcome, Place, Resolution, Resolver, Rule, SymbolId, Ty};

/// The names that a change touches, each with the symbols of the base that it may have meant.
#[derive(Default)]
pub(super) struct TouchedNames {
    names: FxHashMap<String, TouchedName>,
}

#[derive(Default)]
pub(super) struct TouchedName {
    symbols: FxHashSet<SymbolId>,
    /// A file no longer hands the name on, whatever it means.
    hands_on: bool,
    /// Only files of these are looked at: a name that every file has.
    only_in: Option<FxHashSet<FileId>>,
}

impl TouchedNames {
    pub fn new(change: &ChangeSet) -> TouchedNames {
        let mut touched = TouchedNames::default();
        for edit in &change.edits {
            touched.add_edit(change, edit);
        }
        for file in &change.files {
            touched.add_handed_on(change, file);
        }
        touched
    }

    /// The names in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn add_edit(&mut self, change: &ChangeSet, edit: &SymbolEdit) {
        let matters = matches!(
            edit.kind,
            EditKind::Removed | EditKind::Renamed | EditKind::Moved | EditKind::Hidden
        ) || edit.parameters
            || edit.binding;
        let (resolver, symbol) = match (edit.before, edit.after) {
            (Some(before), _) => (change.base, before),
            (None, Some(after)) => (change.head, after),
            (None, None) => return,
        };
        let Some(view) = resolver.view(symbol.file) else {
            return;
        };
        let declared = view.symbol(symbol.index);
        let name = view.name_of(symbol.index);
        let is_constructor = declared.kind == SymbolKind::Constructor
            || view.semantics.construction.constructors.contains(&name);
        if is_constructor && let Some(parent) = declared.parent {
            let class = view.symbol_id(parent);
            let class = match edit.before {
                Some(_) => Some(class),
                None => change.before(class),
            };
            if let Some(class) = class {
                self.add_constructor(change, edit, class);
            }
        }
        if let Some(before) = edit.before.filter(|_| matters && !is_constructor) {
            let entry = self.names.entry(name.to_owned()).or_default();
            entry.symbols.insert(before);
        }
    }

    /// A constructor is called by the name of its class, and by classes that extend it.
    fn add_constructor(&mut self, change: &ChangeSet, edit: &SymbolEdit, class: SymbolId) {
        let name = change.base.name(class);
        let entry = self.names.entry(name).or_default();
        entry.symbols.insert(class);
        entry.symbols.extend(edit.before);
        let derived = change.base.derived(class);
        let files: FxHashSet<FileId> = derived.iter().map(|derived| derived.file).collect();
        let own = edit.before.map(|before| change.base.name(before));
        let view = change.base.view(class.file);
        let words = view.map_or(&[][..], |view| view.semantics.construction.delegates);
        let words = words.iter().map(|word| (*word).to_owned());
        for word in words.chain(own) {
            if self
                .names
                .get(&word)
                .is_some_and(|known| known.only_in.is_none())
            {
                continue;
            }
            let entry = self.names.entry(word).or_default();
            entry.symbols.insert(class);
            entry.symbols.extend(edit.before);
            entry.only_in.get_or_insert_default().extend(&files);
        }
    }

    /// Names that a file exported or imported for others, and does no longer.
    fn add_handed_on(&mut self, change: &ChangeSet, file: &ChangedFile) {
        let Some(before) = file.before.and_then(|file| change.base.view(file)) else {
            return;
        };
        let after = file.after.and_then(|file| change.head.view(file));
        let new: FxHashSet<&str> = match &after {
            Some(view) => handed_on(view).map(|(name, _)| name).collect(),
            None => FxHashSet::default(),
        };
        for (name, import) in handed_on(&before) {
            let is_own = import.is_none_or(|import| {
                let targets = change.base.import_targets(&before, import);
                targets.iter().any(imports::is_of_repository)
            });
            if is_own && !new.contains(name) {
                self.names.entry(name.to_owned()).or_default().hands_on = true;
            }
        }
    }
}

/// The names that a file gives to others besides its own symbols, each with the import it is from.
pub(super) fn handed_on(view: &FileView) -> impl Iterator<Item = (&str, Option<u32>)> {
    let facts = &view.facts;
    let imports = facts.imports.iter().enumerate();
    let imports = imports.filter(|(_, import)| import.reexported);
    let imports = imports.filter_map(|(i, import)| Some((import.local?, Some(i as u32))));
    let exports = facts.exports.iter().map(|export| (export.exported, None));
    imports
        .chain(exports)
        .map(|(name, import)| (facts.name(name), import))
}

impl TouchedName {
    fn means(&self, resolution: &Resolution) -> bool {
        self.hands_on
            || resolution
                .symbols()
                .any(|symbol| self.symbols.contains(&symbol))
            || resolution
                .named_type
                .is_some_and(|named| self.symbols.contains(&named))
    }
}

/// The broken references of one file that did not change, or of one that did.
pub(super) struct FileCheck<'c> {
    pub change: &'c ChangeSet<'c>,
    pub touched: &'c TouchedNames,
    /// How often unchanged files use what is touched.
    pub uses: std::cell::RefCell<FxHashMap<SymbolId, usize>>,
}

/// A reference on both sides.
struct Both<'v> {
    base: (&'v FileView, &'v Reference),
    head: (&'v FileView, &'v Reference),
}

impl FileCheck<'_> {
    /// The places of a name in a file that is the same on both sides.
    pub fn unchanged(&self, file: FileId, name: &str, into: &mut Vec<Break>) {
        let Some(touched) = self.touched.names.get(name) else {
            return;
        };
        if touched
            .only_in
            .as_ref()
            .is_some_and(|files| !files.contains(&file))
        {
            return;
        }
        let Some(head_file) = self.change.unchanged(file) else {
            return;
        };
        let Some(base) = self.change.base.view(file) else {
            return;
        };
        let Some(id) = base.facts.names.find(name) else {
            return;
        };
        let mut head = None;
        for reference in base.facts.references_of(id) {
            if !self.change.base.budget.spend() {
                return;
            }
            let before = self.change.base.resolve(&base, reference);
            let is_told = matches!(before.outcome, Outcome::Static | Outcome::Heuristic);
            if !is_told || !touched.means(&before) {
                continue;
            }
            let counted = before
                .symbols()
                .filter(|_| before.outcome == Outcome::Static);
            for symbol in counted {
                *self.uses.borrow_mut().entry(symbol).or_default() += 1;
            }
            let Some(head) = head.get_or_insert_with(|| self.change.head.view(head_file)) else {
                return;
            };
            let both = Both {
                base: (&base, reference),
                head: (head, reference),
            };
            into.extend(match before.outcome {
                Outcome::Static => self.judge(&both, &before),
                _ => self.judge_guessed(&both, &before),
            });
        }
    }

    /// The places of touched names in a file that the change edits or adds.
    pub fn changed(&self, file: &ChangedFile, into: &mut Vec<Break>) {
        let Some(head) = file.after.and_then(|file| self.change.head.view(file)) else {
            return;
        };
        let base = file.before.and_then(|file| self.change.base.view(file));
        let local = base
            .as_ref()
            .map(|base| lost_names(base, &head))
            .unwrap_or_default();
        let lines = std::cell::OnceCell::new();
        let mut last: Option<(NameId, bool)> = None;
        for reference in &head.facts.references {
            let known = last.filter(|(name, _)| *name == reference.name);
            let (_, wanted) = known.unwrap_or_else(|| {
                let name = head.facts.name(reference.name);
                (
                    reference.name,
                    self.touched.has(name) || local.contains(name),
                )
            });
            last = Some((reference.name, wanted));
            if !wanted {
                continue;
            }
            if !self.change.head.budget.spend() {
                return;
            }
            let former = base.as_ref().and_then(|base| {
                let lines = lines.get_or_init(|| {
                    LineMap::new(self.change.base, base.id, self.change.head, head.id)
                });
                former(self.change, base, &head, reference, lines)
            });
            match (&base, former) {
                (Some(base), Some(former)) => {
                    let before = self.change.base.resolve(base, former);
                    let both = Both {
                        base: (base, former),
                        head: (&head, reference),
                    };
                    let broken = match before.outcome {
                        Outcome::Static => self.judge(&both, &before),
                        Outcome::Heuristic => self.judge_guessed(&both, &before),
                        _ => self.judge_lost_name(&both, &before),
                    };
                    add_or_count(broken, into);
                }
                _ => into.extend(self.judge_new(&head, reference)),
            }
        }
    }

    /// Whether a reference that meant one thing before means nothing now, or is a call that does
    /// not fit.
    fn judge(&self, both: &Both, before: &Resolution) -> Option<Break> {
        let (view, reference) = both.head;
        let now = self.change.head.resolve(view, reference);
        let Some(target) = before.symbols().next().or(before.named_type) else {
            return self.judge_local(both, before, &now);
        };
        match now.outcome {
            Outcome::Static | Outcome::Dispatch | Outcome::Ambiguous => {
                self.judge_found(both, before, &now, target)
            }
            // The type of the receiver is no longer known: what made it so is reported.
            Outcome::Heuristic => None,
            Outcome::External | Outcome::Unresolved => self.judge_gone(both, before, &now, target),
        }
    }

    /// A member of a value of unknown type that meant the only member of its name, and nothing now.
    fn judge_guessed(&self, both: &Both, before: &Resolution) -> Option<Break> {
        let (view, reference) = both.head;
        let target = before.symbols().next()?;
        let kind = match self.change.edit(target)?.kind {
            EditKind::Removed => BreakKind::Removed,
            EditKind::Renamed => BreakKind::Renamed,
            _ => return None,
        };
        let is_gone = before.rule == Rule::UniqueName
            && reference.receiver.is_some()
            && !self.is_inside_gone(target)
            && self.change.head.resolve(view, reference).outcome == Outcome::Unresolved;
        is_gone.then(|| self.found(both, before, kind, false, Some(target)))
    }

    /// A name that meant a local variable or a parameter, and nothing now.
    fn judge_local(&self, both: &Both, before: &Resolution, now: &Resolution) -> Option<Break> {
        let is_local = matches!(before.targets.as_slice(), [crate::Found::Binding(..)]);
        let (view, reference) = both.head;
        if !is_local || now.outcome != Outcome::Unresolved || reference.receiver.is_some() {
            return None;
        }
        let sure = view.semantics.checks.names;
        Some(self.found(both, before, BreakKind::Removed, sure, None))
    }

    /// A bare name that the file itself gave a meaning, and nothing gives it one now: a variable whose
    /// value is a library's, or an import of a library. What it means is not known, that it means
    /// nothing is.
    fn judge_lost_name(&self, both: &Both, before: &Resolution) -> Option<Break> {
        let (view, reference) = both.head;
        let (former_view, former) = both.base;
        if reference.receiver.is_some() {
            return None;
        }
        let now = self.change.head.resolve(view, reference);
        let name = view.facts.name(reference.name);
        let place = Place::of(view, reference);
        if now.outcome != Outcome::Unresolved || self.change.head.name_at(place, name).is_some() {
            return None;
        }
        let place = Place::of(former_view, former);
        let named = self.change.base.name_at(place, name)?;
        // The name of an argument is no use of a variable of that name.
        let is_use = before.rule == named.rule || before.rule == Rule::Import;
        if !is_use && reference.role != Role::Call {
            return None;
        }
        let is_local = matches!(named.targets.as_slice(), [crate::Found::Binding(..)]);
        if !is_local && (!imports_name(former_view, name) || imports_name(view, name)) {
            return None;
        }
        let kind = match is_local {
            true => BreakKind::Removed,
            false => BreakKind::Import,
        };
        let sure = view.semantics.checks.names
            && (is_local || !view.dialect.has_ambient_names)
            && !imports::has_unseen_names(self.change.head, view.id);
        Some(self.found(both, before, kind, sure, None))
    }

    fn judge_gone(
        &self,
        both: &Both,
        before: &Resolution,
        now: &Resolution,
        target: SymbolId,
    ) -> Option<Break> {
        let (view, reference) = both.head;
        // A member of what is gone itself: the name of that is reported.
        if self.is_inside_gone(target) && !self.is_of_renamed(both, target) {
            return None;
        }
        let edit = self.change.edit(target);
        let kind = match edit.map(|edit| edit.kind) {
            Some(EditKind::Removed) => BreakKind::Removed,
            Some(EditKind::Renamed) => BreakKind::Renamed,
            Some(EditKind::Moved) => BreakKind::Moved,
            Some(EditKind::Hidden) => BreakKind::Hidden,
            _ if self.change.after(target).is_none() => BreakKind::Removed,
            // The symbol is there: an import, a supertype or the receiver's type changed.
            _ if reference.receiver.is_none() => BreakKind::Import,
            // No member of the receiver's type, and looked for by the arguments that it takes.
            _ if self.is_extension(target) => {
                let after = self.change.after(target)?;
                BreakKind::Arguments(self.misfit(both, target, after)?)
            }
            _ => return None,
        };
        // What is still there under its name is out of reach only if nothing else could give it.
        if now.outcome == Outcome::External
            && !self.is_extension(target)
            && self.may_come_from_library(both, now, target)
        {
            return None;
        }
        let checks = &view.semantics.checks;
        let told = match reference.receiver {
            None => checks.names,
            Some(_) => {
                checks.members
                    && !self.answers_for_all(target)
                    && !is_asked_for(self.change.head, view, reference)
            }
        };
        let sure = told
            && now.outcome == Outcome::Unresolved
            && before.targets.len() == 1
            && is_firm(before.rule)
            && !is_optional_place(view, reference)
            && !imports::may_come_from_unseen(self.change.head, view, reference.name);
        Some(self.found(both, before, kind, sure, Some(target)))
    }

    /// Whether a symbol of the base is called as a member of a type that it is not written in.
    fn is_extension(&self, symbol: SymbolId) -> bool {
        let declared = self.change.base.symbol(symbol);
        declared.is_some_and(|(_, declared)| declared.modifiers.contains(Modifiers::EXTENSION))
    }

    /// Whether a name that the repository lost is a library's now, as the file says.
    fn may_come_from_library(&self, both: &Both, now: &Resolution, target: SymbolId) -> bool {
        let (view, reference) = both.head;
        let name = view.facts.name(reference.name);
        if now.rule == Rule::Builtin && self.is_of_namespace(both, target) {
            return false;
        }
        now.rule == Rule::Import
            || now.rule == Rule::Builtin
            || now.targets.iter().any(|found| match found {
                crate::Found::External(path) => &**path != name,
                _ => false,
            })
    }

    /// Whether a place names a type as one of the namespace around it, so that none of the language's
    /// own is meant.
    fn is_of_namespace(&self, both: &Both, target: SymbolId) -> bool {
        let (view, reference) = both.head;
        let snapshot = self.change.head.snapshot();
        let is_path = || {
            let text = snapshot.corpus().text(snapshot.file(view.id).content);
            let before = text
                .as_deref()
                .and_then(|text| text.get(..reference.span.start as usize));
            before.is_none_or(|before| before.ends_with(view.semantics.separator))
        };
        view.semantics.declarations.global_types_by_path
            && self
                .change
                .base
                .kind(target)
                .is_some_and(SymbolKind::is_type)
            && view.namespaces().iter().any(|of| !of.is_empty())
            && !is_path()
    }

    /// Whether what contains a symbol of the base is gone, too.
    fn is_inside_gone(&self, symbol: SymbolId) -> bool {
        let Some((view, declared)) = self.change.base.symbol(symbol) else {
            return false;
        };
        let holder = match declared.parent {
            Some(parent) if view.symbol(parent).kind.is_type() => Some(view.symbol_id(parent)),
            _ => self.change.base.self_type(symbol).holder(),
        };
        let is_gone = |holder: SymbolId| {
            self.change.after(holder).is_none()
                || self
                    .change
                    .edit(holder)
                    .is_some_and(|edit| matches!(edit.kind, EditKind::Renamed | EditKind::Removed))
        };
        holder.is_some_and(|holder| holder != symbol && is_gone(holder))
    }

    /// Whether a place names a member on a value whose type is known to be the one that was renamed, as
    /// code inside of that type does.
    fn is_of_renamed(&self, both: &Both, target: SymbolId) -> bool {
        let (view, reference) = both.head;
        let holder = self.change.base.self_type(target).holder();
        let renamed = holder.and_then(|holder| self.change.after(holder));
        let Some((receiver, renamed)) = reference.receiver.zip(renamed) else {
            return false;
        };
        let value = self.change.head.eval(Place::of(view, reference), receiver);
        matches!(value, Ty::Instance(of, _) if of == renamed)
    }

    /// Whether the type of a member has one that answers for members that are not there.
    fn answers_for_all(&self, target: SymbolId) -> bool {
        let holder = self.change.base.self_type(target).holder();
        holder.is_some_and(|holder| answers_for_all(self.change.base, holder))
    }

    /// A reference that means something: a call may not fit it, or the place may not see it.
    fn judge_found(
        &self,
        both: &Both,
        before: &Resolution,
        now: &Resolution,
        target: SymbolId,
    ) -> Option<Break> {
        let found = now.symbols().next()?;
        let sure = before.targets.len() == 1 && is_firm(now.rule);
        if self.is_namesake(target, found) {
            let edit = self.change.edit(target).map(|edit| edit.kind);
            let kind = match edit {
                Some(EditKind::Renamed) => BreakKind::Renamed,
                _ => BreakKind::Removed,
            };
            return Some(self.found(both, before, kind, sure, Some(target)));
        }
        if let Some(misfit) = self.misfit(both, target, found) {
            let sure = sure && !arguments::is_wrapped(self.change.head, found);
            let kind = BreakKind::Arguments(misfit);
            let mut misfit = self.found(both, before, kind, sure, Some(target));
            misfit.after = Some(found);
            return Some(misfit);
        }
        let edit = self.change.edit(target)?;
        if edit.after != Some(found) {
            return None;
        }
        let checks = &both.head.0.semantics.checks;
        if is_narrowed(self.change, edit)
            && sight::is_out_of_sight(self.change.head, found, both.head.0)
        {
            let sure = sure && checks.members;
            return Some(self.found(both, before, BreakKind::Hidden, sure, Some(target)));
        }
        if edit.binding && self.needs_value(both, found) {
            let kind = BreakKind::Arguments(Misfit::NeedsValue);
            let sure = sure && checks.members;
            return Some(self.found(both, before, kind, sure, Some(target)));
        }
        None
    }

    /// Whether what a place finds is a method that was there before, beside the field that the place
    /// meant: where a type may have both, a method is no value.
    fn is_namesake(&self, target: SymbolId, found: SymbolId) -> bool {
        let Some(former) = self.change.before(found).filter(|former| *former != target) else {
            return false;
        };
        let base = self.change.base;
        let (Some((view, field)), Some((_, method))) = (base.symbol(target), base.symbol(former))
        else {
            return false;
        };
        former.file == target.file
            && view.semantics.members == facts::MemberVisibility::Separate
            && view.semantics.overloads
            && field.name == method.name
            && field.parent == method.parent
            && !field.kind.is_callable()
            && !field.kind.is_type()
            && method.kind.is_callable()
    }

    /// Why a call that fitted does not fit any more. Overloads are one symbol here.
    fn misfit(&self, both: &Both, before: SymbolId, now: SymbolId) -> Option<Misfit> {
        let (view, reference) = both.head;
        if !matches!(reference.role, Role::Call | Role::Instantiate) {
            return None;
        }
        let (base, head) = (self.change.base, self.change.head);
        let given = arguments::given(head, view, reference)?;
        let former = arguments::given(base, both.base.0, both.base.1)?;
        if arguments::misfit(base, before, &former).is_some() {
            return None;
        }
        arguments::misfit(head, now, &given)
    }

    /// Whether a member of values is named through its type.
    fn needs_value(&self, both: &Both, found: SymbolId) -> bool {
        let (view, reference) = both.head;
        let Some((_, declared)) = self.change.head.symbol(found) else {
            return false;
        };
        let is_static = declared.modifiers.contains(facts::Modifiers::STATIC)
            || declared.modifiers.contains(facts::Modifiers::CLASS_METHOD);
        let Some(receiver) = reference.receiver.filter(|_| !is_static) else {
            return false;
        };
        view.semantics.members == facts::MemberVisibility::Separate
            && !matches!(view.facts.recipe(receiver), Recipe::Super)
            && arguments::given(self.change.head, view, reference).is_some()
            && matches!(
                self.change.head.eval(Place::of(view, reference), receiver),
                Ty::Type(..)
            )
            && !view
                .facts
                .parameters(&declared)
                .iter()
                .any(|parameter| parameter.flags.contains(facts::ParameterFlags::RECEIVER))
    }

    /// A place that the base does not have: it may use what the change takes away.
    fn judge_new(&self, view: &FileView, reference: &Reference) -> Option<Break> {
        let name = view.facts.name(reference.name);
        let touched = self.touched.names.get(name)?;
        let now = self.change.head.resolve(view, reference);
        let target = match now.outcome {
            Outcome::Unresolved => {
                let is_gone = |symbol: &&SymbolId| {
                    let edit = self.change.edit(**symbol);
                    edit.is_some_and(|edit| {
                        matches!(edit.kind, EditKind::Removed | EditKind::Renamed)
                    })
                };
                let gone: Vec<&SymbolId> = touched.symbols.iter().filter(is_gone).collect();
                match gone.as_slice() {
                    [only] => **only,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let kind = match self.change.edit(target)?.kind {
            EditKind::Renamed => BreakKind::Renamed,
            _ => BreakKind::Removed,
        };
        let same_family = self
            .change
            .base
            .view(target.file)
            .is_some_and(|of| of.semantics.family == view.semantics.family);
        same_family.then(|| Break {
            kind,
            confidence: FindingConfidence::Likely,
            file: view.id,
            span: reference.span,
            enclosing: reference.enclosing,
            name: name.to_owned(),
            before: Some(target),
            after: self.change.after(target),
            outcome: now.outcome,
            rule: now.rule,
            root: root_name(view, reference),
            is_import: false,
            n_uses: 0,
        })
    }

    fn found(
        &self,
        both: &Both,
        before: &Resolution,
        kind: BreakKind,
        sure: bool,
        target: Option<SymbolId>,
    ) -> Break {
        let (view, reference) = both.head;
        Break {
            kind,
            confidence: FindingConfidence::of(sure),
            file: view.id,
            span: reference.span,
            enclosing: reference.enclosing,
            name: view.facts.name(reference.name).to_owned(),
            before: target,
            after: target.and_then(|target| self.change.after(target)),
            outcome: before.outcome,
            rule: before.rule,
            root: root_name(view, reference),
            is_import: false,
            n_uses: 0,
        }
    }
}

/// The reference of the base that a reference of the head was: on the same line of text, else of
/// the same words in the same symbol.
pub(super) fn former<'b>(
    change: &ChangeSet,
    base: &'b FileView,
    head: &FileView,
    reference: &Reference,
    lines: &LineMap,
) -> Option<&'b Reference> {
    let name = base.facts.names.find(head.facts.name(reference.name))?;
    let candidates = base.facts.references_of(name);
    let position = head.facts.lines.position(reference.span.start);
    if let Some(line) = lines.before(position.line_index) {
        return candidates.iter().find(|candidate| {
            let at = base.facts.lines.position(candidate.span.start);
            at.line_index == line && at.column == position.column
        });
    }
    let around = reference.enclosing.map(|index| head.symbol_id(index));
    let words = |view: &FileView, reference: &Reference| {
        let receiver = reference.receiver;
        receiver.map(|receiver| crate::text::recipe(&view.facts, receiver))
    };
    let wanted = words(head, reference);
    candidates.iter().find(|candidate| {
        let before = candidate.enclosing.map(|index| base.symbol_id(index));
        let same_symbol = match (before, around) {
            (Some(before), Some(around)) => change.after(before) == Some(around),
            (None, None) => true,
            _ => false,
        };
        same_symbol && candidate.role == reference.role && words(base, candidate) == wanted
    })
}

/// Whether a type has a member that answers for members that are not there.
pub(super) fn answers_for_all(resolver: &Resolver, ty: SymbolId) -> bool {
    let Some(view) = resolver.view(ty.file) else {
        return false;
    };
    let hooks = view.semantics.checks.dynamic_members;
    let mut types = resolver.all_supertypes(ty);
    types.push(ty);
    hooks.iter().any(|hook| {
        let mut types = types.iter();
        types.any(|ty| !resolver.own_members(*ty, hook).is_empty())
    })
}

/// Whether the file asks objects for a member by its name, as `hasattr(cart, "total")` does: code that
/// goes on after such a question does not fail.
pub(super) fn is_asked_for(head: &Resolver, view: &FileView, reference: &Reference) -> bool {
    if view.semantics.checks.dynamic_members.is_empty() {
        return false;
    }
    let snapshot = head.snapshot();
    let text = snapshot.corpus().text(snapshot.file(view.id).content);
    let name = view.facts.name(reference.name);
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    text.is_none_or(|text| quoted.iter().any(|quoted| text.contains(quoted.as_str())))
}

fn is_narrowed(change: &ChangeSet, edit: &SymbolEdit) -> bool {
    let visibility = |resolver: &Resolver, symbol: Option<SymbolId>| {
        Some(resolver.symbol(symbol?)?.1.visibility)
    };
    let (before, after) = (
        visibility(change.base, edit.before),
        visibility(change.head, edit.after),
    );
    before != after
}

/// Rules that go by declarations, not by odds.
pub(super) fn is_firm(rule: Rule) -> bool {
    !matches!(
        rule,
        Rule::UniqueName | Rule::ManyNames | Rule::None | Rule::Library | Rule::Builtin
    )
}

/// Whether a place is one of several alternatives, as an import that may fail is.
fn is_optional_place(view: &FileView, reference: &Reference) -> bool {
    reference.role == Role::Import && view.facts.scope(reference.scope).kind == ScopeKind::Branch
}

/// The first name of what a reference is a member of, else its own.
pub(super) fn root_name(view: &FileView, reference: &Reference) -> String {
    let mut name = reference.name;
    let mut next = reference.receiver;
    while let Some(recipe) = next {
        next = match view.facts.recipe(recipe) {
            Recipe::Name(first) => {
                name = first;
                None
            }
            Recipe::Member(inner, _)
            | Recipe::Scoped(inner, _)
            | Recipe::Call(inner, _)
            | Recipe::Index(inner, _)
            | Recipe::TypeArguments(inner, _)
            | Recipe::Await(inner)
            | Recipe::Try(inner)
            | Recipe::Deref(inner)
            | Recipe::Reference(inner) => Some::<RecipeId>(inner),
            _ => None,
        };
    }
    view.facts.name(name).to_owned()
}

/// Whether a statement of the file imports something under a name.
fn imports_name(view: &FileView, name: &str) -> bool {
    let id = view.facts.names.find(name);
    id.is_some() && view.facts.imports.iter().any(|import| import.local == id)
}

/// Adds a finding, unless it is one more use of a name that has lost its import in the same file.
fn add_or_count(broken: Option<Break>, into: &mut Vec<Break>) {
    let Some(broken) = broken else { return };
    let is_same =
        |of: &&mut Break| of.file == broken.file && of.name == broken.name && has_lost_import(of);
    match into.iter_mut().rev().find(is_same) {
        Some(first) if has_lost_import(&broken) => first.n_uses += 1,
        _ => into.push(broken),
    }
}

/// Whether a place names what an import of a library gave that is gone.
fn has_lost_import(of: &Break) -> bool {
    of.kind == BreakKind::Import && of.before.is_none() && !of.is_import
}

/// Names of which a file declares, binds or imports fewer than it did.
fn lost_names(base: &FileView, head: &FileView) -> FxHashSet<String> {
    let count = |view: &FileView| {
        let mut counts: FxHashMap<String, i64> = FxHashMap::default();
        let facts = &view.facts;
        let symbols = facts.symbols.iter().map(|symbol| symbol.name);
        let bindings = facts.bindings.iter().map(|binding| binding.name);
        let imports = facts.imports.iter().filter_map(|import| import.local);
        for name in symbols.chain(bindings).chain(imports) {
            *counts.entry(facts.name(name).to_owned()).or_default() += 1;
        }
        counts
    };
    let after = count(head);
    let lost = count(base)
        .into_iter()
        .filter(|(name, n)| after.get(name).copied().unwrap_or(0) < *n);
    lost.map(|(name, _)| name).collect()
}
