//! Patterns: what they bind, and what a test of a condition tells about a name.

use facts::{BindingKind, ListRange, NameId, Recipe, RecipeId, Span, TypeId};

use super::{Pattern, PatternId, Walk};

impl<'text> Walk<'text> {
    pub(super) fn apply_narrowings(&mut self) {
        let narrowings = std::mem::take(&mut self.narrowings);
        self.bind_narrowings(narrowings);
    }

    /// What the operands so far tell for the next one, where the open node has operators that decide
    /// whether it runs.
    pub(super) fn narrowed_operand(&self, next: Span) -> Option<Vec<(NameId, Span, TypeId)>> {
        let open = self.frames.last()?;
        let operator = open.rule?.rule.narrows_after?;
        let last = self.children.get(open.first_child..)?.last();
        let before = last.map_or(open.span.start, |last| last.span.end);
        let between = self.source(Span::new(before, next.start));
        let mut told = Vec::new();
        if between.contains(operator) {
            let all = self.narrowings.iter();
            told.extend(all.filter(|(_, span, _)| span.start >= open.span.start));
        }
        Some(told)
    }

    pub(super) fn bind_narrowings(&mut self, narrowings: Vec<(NameId, Span, TypeId)>) {
        for (name, span, ty) in narrowings {
            let from = self.builder.facts.scope(self.scope).span.start;
            let binding = self.bind(BindingKind::Narrowing, name, span);
            let binding = self.binding_mut(binding);
            (binding.from, binding.ty) = (from, ty);
        }
    }

    /// A pattern that binds the name at a place.
    pub fn bound_name(&mut self, kind: BindingKind, name_span: Span) -> PatternId {
        let name = self.name_at(name_span);
        let binding = self.bind(kind, name, name_span);
        self.pattern(Pattern::Name(binding))
    }

    /// Says of what kind the names in a pattern are.
    pub fn set_kind(&mut self, pattern: PatternId, kind: BindingKind) {
        for binding in self.bindings_in(pattern) {
            self.binding_mut(binding).kind = kind;
        }
    }

    /// Says of which type the names in a pattern are declared.
    pub fn set_type(&mut self, pattern: PatternId, ty: TypeId) {
        for binding in self.bindings_in(pattern) {
            self.binding_mut(binding).ty = ty;
        }
    }

    pub fn pattern(&mut self, pattern: Pattern) -> PatternId {
        self.patterns.push(pattern);
        PatternId(self.patterns.len() as u32 - 1)
    }

    /// The elements of a value from a place on, as a list.
    fn rest_of(&mut self, value: RecipeId, from: usize) -> RecipeId {
        self.wrapped(value, |value| Recipe::Rest(value, from as u16))
    }

    /// Gives every name in a pattern the part of the value (or of the declared type) that it
    /// represents, visible from `from` on.
    pub fn bind_pattern(
        &mut self,
        pattern: impl Into<Option<PatternId>>,
        value: RecipeId,
        ty: TypeId,
        from: u32,
    ) {
        let mut open = Vec::from_iter(pattern.into().map(|pattern| (pattern, value, ty)));
        while let Some((id, value, ty)) = open.pop() {
            match self.pattern_of(id).clone() {
                Pattern::Name(binding) => {
                    let binding = self.binding_mut(binding);
                    binding.from = from;
                    if binding.value == RecipeId::UNKNOWN {
                        binding.value = value;
                    }
                    if binding.ty == TypeId::UNKNOWN {
                        binding.ty = ty;
                    }
                }
                Pattern::Tuple(parts) => {
                    let value = self.value_or_cast(value, ty);
                    let is_rest =
                        |&part: &PatternId| matches!(self.pattern_of(part), Pattern::Items(_));
                    let rest = parts.iter().position(is_rest);
                    let n_parts = parts.len();
                    for (i, part) in parts.into_iter().enumerate() {
                        let value = match rest {
                            Some(rest) if i == rest => self.rest_of(value, i),
                            Some(rest) if i > rest => self.part_from_end(value, n_parts - i),
                            _ => self.part(value, i),
                        };
                        open.push((part, value, TypeId::UNKNOWN));
                    }
                }
                Pattern::Fields(parts) => {
                    let value = self.value_or_cast(value, ty);
                    for (name, part) in parts {
                        let value = self.wrapped(value, |value| Recipe::Member(value, name));
                        open.push((part, value, TypeId::UNKNOWN));
                    }
                }
                Pattern::Rest(part) => open.push((part, RecipeId::UNKNOWN, TypeId::UNKNOWN)),
                Pattern::Items(part) => open.push((part, value, ty)),
                Pattern::Of(variant, parts) => {
                    // The parts of a variant are found through its own declaration, else they are
                    // what the wrapped value holds.
                    let value = self.value_or_cast(value, variant);
                    for (i, part) in parts.into_iter().enumerate() {
                        let value = self.part(value, i);
                        open.push((part, value, TypeId::UNKNOWN));
                    }
                }
                Pattern::Both(whole, part) => open.extend([(whole, value, ty), (part, value, ty)]),
                Pattern::Inside(part) => {
                    let value = self.value_or_cast(value, ty);
                    let value = self.wrapped(value, Recipe::Try);
                    open.push((part, value, TypeId::UNKNOWN));
                }
                Pattern::Given(method, part) => {
                    let mut value = self.value_or_cast(value, ty);
                    if value.is_known() {
                        let method = self.recipe(Recipe::Member(value, method));
                        value = self.recipe(Recipe::Call(method, ListRange::default()));
                    }
                    open.push((part, value, TypeId::UNKNOWN));
                }
            }
        }
    }

    fn part(&mut self, value: RecipeId, i: usize) -> RecipeId {
        if !value.is_known() {
            return value;
        }
        if let Recipe::Tuple(list) | Recipe::List(list) = self.recipe_of(value) {
            let items = self.list_of(list);
            let plain = items
                .iter()
                .all(|&item| !matches!(self.recipe_of(item), Recipe::Spread(_)));
            if let Some(&item) = items.get(i).filter(|_| plain) {
                return item;
            }
        }
        self.recipe(Recipe::Part(value, i as u16))
    }

    /// The part at a place counted from the end; where the text does not tell it, any part.
    fn part_from_end(&mut self, value: RecipeId, from_end: usize) -> RecipeId {
        match self.recipe_of(value) {
            Recipe::Tuple(list) | Recipe::List(list) => {
                match (list.len as usize).checked_sub(from_end) {
                    Some(i) => self.part(value, i),
                    None => RecipeId::UNKNOWN,
                }
            }
            _ => self.wrapped(value, Recipe::Element),
        }
    }

    fn value_or_cast(&mut self, value: RecipeId, ty: TypeId) -> RecipeId {
        if ty.is_known() {
            self.recipe(Recipe::Cast(ty))
        } else {
            value
        }
    }

    /// A test says that a name is of a type in the branch that follows.
    pub fn narrow(&mut self, name: NameId, span: Span, ty: TypeId) {
        self.narrowings.push((name, span, ty));
    }

    /// Takes back the tests met so far, for a statement after which they hold or no longer matter.
    pub fn take_narrowings(&mut self) -> Vec<(NameId, Span, TypeId)> {
        std::mem::take(&mut self.narrowings)
    }

    /// A negation: what the tests from `start` on tell holds where they fail, and the other way
    /// round.
    pub fn negate_narrowings(&mut self, start: u32) {
        let in_negation = |(_, span, _): &(NameId, Span, TypeId)| span.start >= start;
        let n_before = self
            .narrowings
            .iter()
            .rposition(|narrowing| !in_negation(narrowing))
            .map_or(0, |last| last + 1);
        let n_refuted = self
            .refuted
            .iter()
            .rposition(|narrowing| !in_negation(narrowing))
            .map_or(0, |last| last + 1);
        let held: Vec<_> = self.narrowings.drain(n_before..).collect();
        self.narrowings.extend(self.refuted.drain(n_refuted..));
        self.refuted.extend(held);
    }

    /// What holds where the conditions of a statement at `start` do not.
    pub fn refuted_since(&self, start: u32) -> Vec<(NameId, Span, TypeId)> {
        let all = self.refuted.iter().copied();
        all.filter(|(_, span, _)| span.start >= start).collect()
    }

    /// What holds after a statement at `start` that is left when its condition is true.
    pub fn take_refuted(&mut self, start: u32) -> Vec<(NameId, Span, TypeId)> {
        let n_before = self
            .refuted
            .iter()
            .rposition(|(_, span, _)| span.start < start)
            .map_or(0, |last| last + 1);
        self.refuted.split_off(n_before)
    }
}
