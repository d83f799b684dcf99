//! Code that a change adds or edits and that is wrong as it stands: a call that does not fit what it
//! names, a name that means nothing.
//!
//! Only lines that the change writes are looked at, so that this costs the change. What was as wrong
//! before is not reported.

use facts::{BareNames, Import, ImportKind, Reference, Role, ScopeKind, Span, SymbolKind};

use super::{
    Break, BreakKind, ChangeSet, FindingConfidence, Misfit, arguments, imports,
    lines::LineMap,
    members,
    references::{answers_for_all, former, is_asked_for, is_firm},
};
use crate::{
    FileId, FileView, Found, Module, Outcome, Place, Resolution, Rule, SymbolId, Ty,
    differences::{n_equal, operations},
    query,
    query::search::is_vendored_or_generated,
};

/// Places that are looked at; a change that writes more is new as a whole.
const MOST_PLACES: usize = 20_000;

/// Calls of one name in a file of the base that are looked at for whether they fitted.
const MOST_FORMER: usize = 20;

pub(super) fn broken(change: &ChangeSet, into: &mut Vec<Break>) {
    let mut n_places = 0;
    for file in &change.files {
        let Some(head) = file.after.and_then(|file| change.head.view(file)) else {
            continue;
        };
        if is_vendored_or_generated(change.head.path(head.id).as_str()) {
            continue;
        }
        let base = file.before.and_then(|file| change.base.view(file));
        let lines = base
            .as_ref()
            .map(|base| LineMap::new(change.base, base.id, change.head, head.id));
        let written = WrittenCode {
            change,
            base: base.as_deref(),
            head: &head,
            lines,
        };
        let told = |found: &Break| {
            let mut known = into.iter().filter(|of| of.file == found.file);
            known.any(|of| of.root == found.root)
        };
        let mut imports = written.imports();
        imports.retain(|found| !told(found));
        into.extend(imports);
        for reference in &head.facts.references {
            if !is_looked_at(reference.role) || !written.has(reference) {
                continue;
            }
            n_places += 1;
            if n_places > MOST_PLACES || !change.head.budget.spend() {
                return;
            }
            into.extend(written.judge(reference));
        }
    }
}

fn is_looked_at(role: Role) -> bool {
    matches!(
        role,
        Role::Call | Role::Read | Role::Instantiate | Role::TypeUse | Role::Inherit
    )
}

/// What a change writes in one file.
struct WrittenCode<'c> {
    change: &'c ChangeSet<'c>,
    /// The file before, if there was one.
    base: Option<&'c FileView>,
    head: &'c FileView,
    lines: Option<LineMap>,
}

impl WrittenCode<'_> {
    /// Whether the change writes a reference: its line, or the arguments of its call.
    fn has(&self, reference: &Reference) -> bool {
        let (Some(lines), Some(base)) = (&self.lines, self.base) else {
            return true;
        };
        let position = self.head.facts.lines.position(reference.span.start);
        if lines.before(position.line_index).is_none() {
            return true;
        }
        if reference.call.is_none() {
            return false;
        }
        let former = former(self.change, base, self.head, reference, lines);
        former.is_some_and(|former| shape(base, former) != shape(self.head, reference))
    }

    fn has_line_of(&self, span: Span) -> bool {
        let line = self.head.facts.lines.position(span.start).line_index;
        let lines = self.lines.as_ref();
        lines.is_none_or(|lines| lines.before(line).is_none())
    }

    /// What the reference was, with what it meant.
    fn former(&self, reference: &Reference) -> Option<(&FileView, &Reference, Resolution)> {
        let base = self.base?;
        let former = former(
            self.change,
            base,
            self.head,
            reference,
            self.lines.as_ref()?,
        )?;
        Some((base, former, self.change.base.resolve(base, former)))
    }

    fn judge(&self, reference: &Reference) -> Option<Break> {
        let now = self.change.head.resolve(self.head, reference);
        match now.outcome {
            Outcome::Static | Outcome::Ambiguous => self.misfit(reference, &now),
            Outcome::Unresolved => self.undefined(reference, &now),
            _ => None,
        }
    }

    /// A call that fits nothing of what it names.
    fn misfit(&self, reference: &Reference, now: &Resolution) -> Option<Break> {
        let head = self.change.head;
        let is_call = matches!(reference.role, Role::Call | Role::Instantiate);
        let is_told = is_firm(now.rule) && !self.head.semantics.checks.methods_by_macros;
        if !is_call || !is_told || self.is_behind(reference, &['<']) {
            return None;
        }
        let given = arguments::given(head, self.head, reference)?;
        let targets: Vec<SymbolId> = now.symbols().collect();
        let target = *targets.first()?;
        let misfits = targets
            .iter()
            .map(|target| arguments::misfit(head, *target, &given));
        let misfits: Option<Vec<_>> = misfits.collect();
        let misfit = misfits?.into_iter().max_by_key(Misfit::nearness)?;
        if now.outcome == Outcome::Ambiguous && self.is_shared_name(reference)
            || self.has_alternatives(target)
            || self.may_be_taken_otherwise(target, &given)
            || self.expects_error(reference)
            || self.did_not_fit(reference, target)
        {
            return None;
        }
        let is_one = now.outcome == Outcome::Static && targets.len() == 1;
        let sure = is_one && !arguments::is_wrapped(head, target);
        let mut found = self.at(reference, BreakKind::Arguments(misfit), now);
        found.confidence = FindingConfidence::of(sure);
        found.before = self.change.before(target);
        found.after = Some(target);
        Some(found)
    }

    /// Whether something that is not seen, or that the value may be as well, takes what a call gives.
    fn may_be_taken_otherwise(&self, target: SymbolId, given: &arguments::PassedArguments) -> bool {
        let head = self.change.head;
        let Some(view) = head.view(target.file) else {
            return true;
        };
        let holder = head.self_type(target).holder();
        let may_inherit =
            view.semantics.overloads && holder.is_some_and(|holder| head.has_library_base(holder));
        let may_be_overridden = || {
            let overriding = query::overriding(head, target).value;
            let fits = |of: SymbolId| arguments::misfit(head, of, given).is_none();
            overriding.into_iter().any(|(symbol, _)| fits(symbol))
        };
        may_inherit || !view.semantics.checks.typed && may_be_overridden()
    }

    /// Whether a name may be a library's as well: every object has it, or it is in sight everywhere.
    fn is_shared_name(&self, reference: &Reference) -> bool {
        let name = self.head.facts.name(reference.name);
        match reference.receiver {
            Some(_) => self.head.shapes().owns(name),
            None => self.head.dialect.has_ambient_names,
        }
    }

    /// Whether the header of a callable has lines for the preprocessor, which decides what it takes.
    fn has_alternatives(&self, target: SymbolId) -> bool {
        let head = self.change.head;
        let Some((_, declared)) = head.symbol(target) else {
            return true;
        };
        let text = head
            .snapshot()
            .corpus()
            .text(head.snapshot().file(target.file).content);
        text.is_none_or(|text| declared.signature.text(&text).contains("\n#"))
    }

    /// Whether one of these characters is before a place: the tag of an element calls nothing, and what
    /// is in quotes is no code.
    fn is_behind(&self, reference: &Reference, characters: &[char]) -> bool {
        let snapshot = self.change.head.snapshot();
        let text = snapshot.corpus().text(snapshot.file(self.head.id).content);
        let before = text
            .as_deref()
            .and_then(|text| text.get(..reference.span.start as usize));
        before.is_none_or(|before| before.ends_with(characters))
    }

    /// Whether code around a place is there to see it fail.
    fn expects_error(&self, reference: &Reference) -> bool {
        let words = self.head.semantics.checks.argument_errors;
        if words.is_empty() {
            return false;
        }
        let snapshot = self.change.head.snapshot();
        let Some(text) = snapshot.corpus().text(snapshot.file(self.head.id).content) else {
            return true;
        };
        let around = reference
            .enclosing
            .map(|index| self.head.symbol(index).span);
        let around = around.map_or(&*text, |span| span.text(&text));
        words.iter().any(|word| around.contains(word))
    }

    /// Whether the place, or another call of what it names, did not fit in the base either, as far as
    /// parameters are understood.
    fn did_not_fit(&self, reference: &Reference, target: SymbolId) -> bool {
        let (base, resolver) = (self.base, self.change.base);
        let (Some(base), Some(before)) = (base, self.change.before(target)) else {
            return false;
        };
        let name = self.head.facts.name(reference.name);
        let Some(name) = base.facts.names.find(name) else {
            return false;
        };
        let calls = base.facts.references_of(name).iter();
        let mut calls = calls
            .filter(|of| of.role == reference.role)
            .take(MOST_FORMER);
        calls.any(|call| {
            let given = arguments::given(resolver, base, call);
            given.is_some_and(|given| {
                resolver
                    .resolve(base, call)
                    .symbols()
                    .any(|of| of == before)
                    && arguments::misfit(resolver, before, &given).is_some()
            })
        })
    }

    /// A name that means nothing, where nothing outside of the repository can give it a meaning.
    fn undefined(&self, reference: &Reference, now: &Resolution) -> Option<Break> {
        let name = self.head.facts.name(reference.name);
        let is_of_language = name.starts_with("__") && name.ends_with("__");
        let has_errors = !self.head.facts.problems.is_empty();
        if is_of_language || has_errors || self.is_behind(reference, &['"', '\'']) {
            return None;
        }
        let is_known = match reference.receiver {
            None => self.is_closed_name(reference),
            Some(receiver) => {
                let place = Place::of(self.head, reference);
                self.lacks(&self.change.head.eval(place, receiver), reference)
            }
        };
        let was_undefined = || {
            let former = self.former(reference);
            former.is_some_and(|(.., before)| before.outcome == Outcome::Unresolved)
        };
        if !is_known || was_undefined() {
            return None;
        }
        Some(self.at(reference, BreakKind::Undefined, now))
    }

    /// Whether a bare name must be declared or imported by name, or be built into the language.
    fn is_closed_name(&self, reference: &Reference) -> bool {
        let (view, head) = (self.head, self.change.head);
        let name = view.facts.name(reference.name);
        // Where a bare name may be a member, other bare names may start the path of a package.
        let has_packages = !view.semantics.declarations.path_keywords.is_empty()
            || view.semantics.bare_names == BareNames::Members;
        let may_be_path = has_packages && reference.role != Role::Call;
        let takes_all = |import: &Import| {
            matches!(import.kind, ImportKind::Glob | ImportKind::Static) && import.item.is_none()
        };
        view.semantics.checks.closed_names
            && !may_be_path
            && !view.facts.imports.iter().any(takes_all)
            && head.symbols_named(name).is_empty()
            && !imports::has_unseen_names(head, view.id)
            && head.name_at(Place::of(view, reference), name).is_none()
    }

    /// Whether a type or module of the repository cannot have a member of this name.
    fn lacks(&self, ty: &Ty, reference: &Reference) -> bool {
        let (view, head) = (self.head, self.change.head);
        match ty {
            Ty::Instance(of, _) | Ty::Type(of, _) => {
                let checks = &view.semantics.checks;
                let is_told = checks.members && self.is_plain_type(*of);
                let name = view.facts.name(reference.name);
                is_told
                    && !view.shapes().owns(name)
                    && !checks.object_members.contains(&name)
                    && (checks.closed_names || self.is_misspelled(*of, reference))
                    && (checks.typed || self.is_own_value(reference))
                    && !answers_for_all(head, *of)
                    && !is_asked_for(head, view, reference)
            }
            Ty::Module(Module::File(file)) => self.gives_all(*file),
            Ty::Module(Module::Package(directory)) => {
                head.snapshot().below(directory).next().is_some()
            }
            _ => false,
        }
    }

    /// Whether all members of a type are written in the repository.
    fn is_plain_type(&self, ty: SymbolId) -> bool {
        let head = self.change.head;
        let mut types = head.all_supertypes(ty);
        types.push(ty);
        // Enumerations and records have members that nobody writes, and macros write some.
        let is_written = |ty: SymbolId| {
            head.symbol(ty).is_some_and(|(view, declared)| {
                let mut symbols = view.facts.symbols.iter();
                !matches!(declared.kind, SymbolKind::Enum | SymbolKind::Record)
                    && !symbols.any(|symbol| symbol.kind == SymbolKind::Macro)
            })
        };
        let is_plain = |ty: &SymbolId| {
            is_written(*ty) && !head.has_library_base(*ty) && !members::is_generated_for(head, *ty)
        };
        types.iter().all(is_plain)
    }

    /// Whether a call names what a type has under much the same name.
    fn is_misspelled(&self, ty: SymbolId, reference: &Reference) -> bool {
        let head = self.change.head;
        let name = self.head.facts.name(reference.name);
        if reference.role != Role::Call {
            return false;
        }
        let mut types = head.all_supertypes(ty);
        types.push(ty);
        let has_alike = |ty: &SymbolId| {
            head.view(ty.file).is_some_and(|view| {
                let mut members = view.children(Some(ty.index));
                members.any(|member| is_alike(view.name_of(member), name))
            })
        };
        types.iter().any(has_alike)
    }

    /// Whether a place names a member of the object whose method it is in, and no type below that
    /// object's type has the member or may have it.
    fn is_own_value(&self, reference: &Reference) -> bool {
        let (view, head) = (self.head, self.change.head);
        let Some(receiver) = reference.receiver else {
            return false;
        };
        let place = Place::of(view, reference);
        let own = head.self_type_at(view, reference.scope);
        let (Some(own), Ty::Instance(of, _)) = (own.holder(), head.eval(place, receiver)) else {
            return false;
        };
        let name = view.facts.name(reference.name);
        let is_without = |below: &SymbolId| {
            !head.has_library_base(*below) && head.own_members(*below, name).is_empty()
        };
        own == of && head.derived(of).iter().all(is_without)
    }

    /// Whether all names that a file gives to others are written in it.
    fn gives_all(&self, file: FileId) -> bool {
        let head = self.change.head;
        let Some(view) = head.view(file) else {
            return false;
        };
        let hooks = view.semantics.checks.dynamic_members;
        let is_hook = |hook: &&str| {
            let name = view.facts.names.find(hook);
            name.is_some_and(|name| view.symbols_named(name).next().is_some())
        };
        !hooks.iter().any(is_hook) && !imports::has_unseen_names(head, file)
    }

    /// Import statements that the change writes and that name what a module of the repository does
    /// not have.
    fn imports(&self) -> Vec<Break> {
        let facts = &self.head.facts;
        let known = |import: &Import| {
            self.base.is_some_and(|base| {
                let written = imports::written(self.head, import);
                let mut imports = base.facts.imports.iter();
                imports.any(|former| imports::written(base, former) == written)
            })
        };
        let new = facts.imports.iter().enumerate();
        let new = new.filter(|(_, import)| self.has_line_of(import.span) && !known(import));
        new.filter_map(|(i, import)| self.judge_import(i as u32, import))
            .collect()
    }

    fn judge_import(&self, index: u32, import: &Import) -> Option<Break> {
        let (view, head) = (self.head, self.change.head);
        let item = import.item.filter(|_| import.kind != ImportKind::Glob)?;
        let module = (view.dialect.module_of_import)(head, view, import);
        let Some(Module::File(file)) = module else {
            return None;
        };
        let is_one_of_several = view.facts.scope(import.scope).kind == ScopeKind::Branch;
        let is_found = head
            .import_targets(view, index)
            .iter()
            .any(|found| !matches!(found, Found::External(_)));
        if file == view.id || is_found || is_one_of_several || !self.gives_all(file) {
            return None;
        }
        let local = import.local.unwrap_or(item);
        Some(Break {
            kind: BreakKind::Undefined,
            confidence: FindingConfidence::Likely,
            file: view.id,
            span: import.name_span,
            enclosing: None,
            name: view.facts.name(item).to_owned(),
            before: None,
            after: None,
            outcome: Outcome::Unresolved,
            rule: Rule::Import,
            root: view.facts.name(local).to_owned(),
            is_import: true,
            n_uses: 0,
        })
    }

    fn at(&self, reference: &Reference, kind: BreakKind, now: &Resolution) -> Break {
        let name = self.head.facts.name(reference.name);
        Break {
            kind,
            confidence: FindingConfidence::Likely,
            file: self.head.id,
            span: reference.span,
            enclosing: reference.enclosing,
            name: name.to_owned(),
            before: None,
            after: None,
            outcome: now.outcome,
            rule: now.rule,
            root: super::references::root_name(self.head, reference),
            is_import: false,
            n_uses: 0,
        }
    }
}

/// Whether two names differ in a letter or two, or in an ending.
fn is_alike(one: &str, other: &str) -> bool {
    /// Of shorter names, two letters are most of the name.
    const LEAST: usize = 4;
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    if short.len() < LEAST {
        return short == long || long.len() == short.len() + 1 && long.starts_with(&short);
    }
    let letters = |name: &str| name.chars().collect::<Vec<char>>();
    let (short, long) = (letters(&short), letters(&long));
    long.len() - n_equal(&operations(&short, &long, None)) <= 2
}

/// How many arguments a call gives, and which by name.
fn shape(view: &FileView, reference: &Reference) -> Option<Vec<Option<String>>> {
    use facts::Recipe::{Call, Field, New};
    let facts = &view.facts;
    let (Call(_, list) | New(_, list)) = facts.recipe(reference.call?) else {
        return None;
    };
    let names = facts
        .list(list)
        .iter()
        .map(|argument| match facts.recipe(*argument) {
            Field(name, _) => Some(facts.name(name).to_owned()),
            _ => None,
        });
    Some(names.collect())
}
