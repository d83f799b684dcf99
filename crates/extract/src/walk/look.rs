//! What is open around a node, and what was recorded so far.

use facts::{
    Binding, BindingId, ListRange, NameId, Protocols, Recipe, RecipeId, Reference, Scope, ScopeId,
    ScopeKind, Span, Symbol, SymbolIndex, SymbolKind, TypeId, TypeListRange, TypeRecipe,
};

use super::{Child, ChildOutcome, Frame, Outcome, Pattern, PatternId, Walk};

impl<'text> Walk<'text> {
    pub(super) fn has_stores(&self) -> bool {
        let semantics = self.language.semantics;
        semantics.is_some_and(|semantics| !semantics.protocols.store.is_empty())
    }

    /// The word of a loop or block: whether it, or the node of a kind around it, waits.
    pub fn waiting(&self, frame: &Frame, around: &str) -> &'static str {
        let around = self.ancestors().find(|outer| outer.kind == around);
        let span = around.map_or(frame.span, |outer| outer.span);
        let mut words = self.source(span).split(|c: char| !c.is_alphanumeric());
        let first = words.by_ref().find(|word| !word.is_empty());
        let second = words.find(|word| !word.is_empty());
        match (first, second) {
            (Some("async" | "await"), _) | (Some("for"), Some("await")) => Protocols::ASYNC,
            _ => "",
        }
    }

    pub(super) fn starts_its_line(&self, offset: u32) -> bool {
        let before = &self.text.as_bytes()[..offset as usize];
        before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace())
    }

    pub(super) fn only_space_between(&self, start: u32, end: u32, max_breaks: usize) -> bool {
        let Some(between) = self.text.as_bytes().get(start as usize..end as usize) else {
            return false;
        };
        between.iter().all(u8::is_ascii_whitespace)
            && between.iter().filter(|&&byte| byte == b'\n').count() <= max_breaks
    }

    /// The kind of the innermost scope that is not a block.
    pub fn enclosing_scope_kind(&self) -> ScopeKind {
        self.enclosing_scope().kind
    }

    /// The innermost scope that is no block.
    pub fn enclosing_scope(&self) -> &facts::Scope {
        let mut scope = self.builder.facts.scope(self.scope);
        while matches!(scope.kind, ScopeKind::Block | ScopeKind::Branch) {
            scope = self.builder.facts.scope(scope.parent);
        }
        scope
    }

    pub fn children(&self, frame: &Frame) -> &[Child] {
        &self.children[frame.first_child..]
    }

    /// The outcome of the first child, or nothing.
    pub fn first(&self, frame: &Frame) -> Outcome {
        self.children(frame).first().outcome()
    }

    /// The outcome of the last child, or nothing.
    pub fn last(&self, frame: &Frame) -> Outcome {
        self.children(frame).last().outcome()
    }

    /// All children, if there are just so many.
    pub fn child_array<const N: usize>(&self, frame: &Frame) -> Option<[Child; N]> {
        self.children(frame).try_into().ok()
    }

    /// The first child that fits.
    pub fn find(&self, frame: &Frame, fits: impl Fn(&Child) -> bool) -> Option<Child> {
        let mut children = self.children(frame).iter().copied();
        children.find(fits)
    }

    /// The last child that fits.
    pub fn rfind(&self, frame: &Frame, fits: impl Fn(&Child) -> bool) -> Option<Child> {
        let mut children = self.children(frame).iter().copied();
        children.rfind(fits)
    }

    /// The children that fit.
    pub fn filter(&self, frame: &Frame, fits: impl Fn(&Child) -> bool) -> Vec<Child> {
        let children = self.children(frame).iter().copied();
        children.filter(fits).collect()
    }

    /// The values of all children.
    pub fn recipes(&self, frame: &Frame) -> Vec<RecipeId> {
        let children = self.children(frame).iter();
        children.map(|child| child.outcome.recipe).collect()
    }

    /// The types of all children.
    pub fn types(&self, frame: &Frame) -> Vec<TypeId> {
        let children = self.children(frame).iter();
        children.map(|child| child.outcome.ty).collect()
    }

    /// What the children bind.
    pub fn patterns(&self, frame: &Frame) -> Vec<PatternId> {
        let children = self.children(frame).iter();
        children.filter_map(|child| child.outcome.pattern).collect()
    }

    /// The first child of a field.
    pub fn child(&self, frame: &Frame, field: &str) -> Option<Child> {
        self.find(frame, |child| child.field == field)
    }

    pub fn child_of_kind(&self, frame: &Frame, kind: &str) -> Option<Child> {
        self.find(frame, |child| child.kind == kind)
    }

    /// The outcome of a field's child, or nothing.
    pub fn outcome(&self, frame: &Frame, field: &str) -> Outcome {
        self.child(frame, field).outcome()
    }

    /// The values of some fields.
    pub fn values<const N: usize>(&self, frame: &Frame, fields: [&str; N]) -> [RecipeId; N] {
        fields.map(|field| self.outcome(frame, field).recipe)
    }

    /// The outcome of the first child of a kind, or nothing.
    pub fn outcome_of_kind(&self, frame: &Frame, kind: &str) -> Outcome {
        self.child_of_kind(frame, kind).outcome()
    }

    /// The children so far of an open node, by its place in [`Walk::ancestors`].
    pub fn children_of_ancestor(&self, place: usize) -> &[Child] {
        let n_frames = self.frames.len();
        let Some(frame) = n_frames.checked_sub(place + 1).map(|at| &self.frames[at]) else {
            return &[];
        };
        let end = self
            .frames
            .get(n_frames - place)
            .map_or(self.children.len(), |inner| inner.first_child);
        &self.children[frame.first_child..end]
    }

    /// For a leave handler: the children of its parent that are before its own node.
    pub fn siblings_before(&self, frame: &Frame) -> &[Child] {
        &self.children[self
            .frames
            .last()
            .map_or(frame.first_child, |parent| parent.first_child)
            ..frame.first_child]
    }

    /// The innermost open node, which for a leave handler is the parent of its own.
    pub fn parent(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Whether the innermost open node is of one of these kinds.
    pub fn parent_is(&self, kinds: &[&str]) -> bool {
        self.parent()
            .is_some_and(|parent| kinds.contains(&parent.kind))
    }

    /// The symbol that the innermost open node opened.
    pub fn parent_symbol(&self) -> Option<SymbolIndex> {
        self.parent()?.symbol
    }

    /// Where the child of a field starts, else where the node ends.
    pub fn start_of(&self, frame: &Frame, field: &str) -> u32 {
        let child = self.child(frame, field);
        child.map_or(frame.span.end, |child| child.span.start)
    }

    /// Whether an open node is of one of these kinds, by its place in [`Walk::ancestors`].
    pub fn ancestor_is(&self, place: usize, kinds: &[&str]) -> bool {
        let found = self.ancestors().nth(place);
        found.is_some_and(|found| kinds.contains(&found.kind))
    }

    /// Open nodes from the inside out.
    pub fn ancestors(&self) -> std::iter::Rev<std::slice::Iter<'_, Frame>> {
        self.frames.iter().rev()
    }

    pub fn source(&self, span: Span) -> &'text str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The text after one span and before another.
    pub fn between(&self, before: Span, after: Span) -> &'text str {
        self.source(Span::new(before.end, after.start))
    }

    /// The first place from `start` on, and before `end`, that is no space.
    pub fn skip_space(&self, start: u32, end: u32) -> u32 {
        let rest = self.source(Span::new(start, end));
        start + (rest.len() - rest.trim_start().len()) as u32
    }

    /// What a recipe made in this walk says.
    pub fn recipe_of(&self, id: RecipeId) -> Recipe {
        self.builder.facts.recipe(id)
    }

    pub fn list_of(&self, range: ListRange) -> &[RecipeId] {
        self.builder.facts.list(range)
    }

    pub fn type_of(&self, id: TypeId) -> TypeRecipe {
        self.builder.facts.type_recipe(id)
    }

    pub fn type_list_of(&self, range: TypeListRange) -> &[TypeId] {
        self.builder.facts.type_list(range)
    }

    /// The first type argument of a generic type.
    pub fn first_argument(&self, ty: TypeId) -> Option<TypeId> {
        match self.type_of(ty) {
            TypeRecipe::Apply(_, arguments) => self.type_list_of(arguments).first().copied(),
            _ => None,
        }
    }

    pub fn scope(&self) -> ScopeId {
        self.scope
    }

    /// Where the current scope starts.
    pub fn scope_start(&self) -> u32 {
        self.scope_of(self.scope).span.start
    }

    pub fn scope_kind(&self) -> ScopeKind {
        self.scope_of(self.scope).kind
    }

    pub fn scope_of(&self, id: ScopeId) -> &Scope {
        self.builder.facts.scope(id)
    }

    pub fn current_symbol(&self) -> Option<SymbolIndex> {
        self.symbol
    }

    pub fn symbol(&self, index: SymbolIndex) -> &Symbol {
        self.builder.facts.symbol(index)
    }

    /// The kind of the symbol around a symbol.
    pub fn parent_kind(&self, index: SymbolIndex) -> Option<SymbolKind> {
        let parent = self.symbol(index).parent?;
        Some(self.symbol(parent).kind)
    }

    /// The facts so far, for what only the whole file tells.
    pub fn facts(&self) -> &facts::Facts {
        &self.builder.facts
    }

    pub fn word(&self, name: NameId) -> String {
        self.builder.word(name).to_owned()
    }

    /// The annotations of a symbol that were met so far.
    pub fn annotations_of(&self, symbol: SymbolIndex) -> Vec<RecipeId> {
        let annotations = self.builder.facts.annotations.iter();
        let own = annotations.filter(|annotation| annotation.symbol == symbol);
        own.map(|annotation| annotation.recipe).collect()
    }

    /// Decorators and attributes met so far, for a node that is no symbol.
    pub fn leading_annotations(&self) -> &[(RecipeId, Span)] {
        &self.leading
    }

    /// The references made so far that start at or after a place, newest first.
    pub fn references_since(&self, start: u32) -> impl Iterator<Item = &Reference> {
        let references = self.builder.facts.references.iter().rev();
        references.take_while(move |reference| reference.span.start >= start)
    }

    pub fn binding(&self, id: BindingId) -> &Binding {
        &self.builder.facts.bindings[id.0 as usize]
    }

    pub fn pattern_of(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.0 as usize]
    }

    /// The bindings in a pattern, in order.
    pub fn bindings_in(&self, pattern: PatternId) -> Vec<BindingId> {
        let mut bindings = Vec::new();
        let mut open = vec![pattern];
        while let Some(id) = open.pop() {
            match self.pattern_of(id) {
                Pattern::Name(binding) => bindings.push(*binding),
                Pattern::Tuple(parts) | Pattern::Of(_, parts) => open.extend(parts.iter().rev()),
                Pattern::Fields(parts) => open.extend(parts.iter().rev().map(|(_, part)| *part)),
                Pattern::Rest(part)
                | Pattern::Items(part)
                | Pattern::Inside(part)
                | Pattern::Given(_, part) => open.push(*part),
                Pattern::Both(whole, part) => open.extend([*part, *whole]),
            }
        }
        bindings
    }
}
