//! Values that lead somewhere: calls that the language makes, functions that go as values.

use facts::{
    ImplicitKind, ImplicitUse, LambdaContext, ListRange, Protocols, Recipe, RecipeId, Span,
    StoredValue, ThrownValue, ValueCall,
};

use crate::rules::{Context, ImplicitRule, Pick, Word};

use super::{Frame, Outcome, Walk};

impl<'text> Walk<'text> {
    /// Keeps what a `throw` or `raise` throws.
    pub fn thrown(&mut self, recipe: RecipeId, span: Span) {
        if recipe.is_known() {
            let thrown = ThrownValue { recipe, span };
            self.builder.facts.thrown.push(thrown);
        }
    }

    pub(super) fn implicit_by_rule(&mut self, frame: &Frame, rule: ImplicitRule) {
        let children = self.children(frame);
        let (Some(first), Some(last)) = (children.first().copied(), children.last().copied())
        else {
            return;
        };
        let value = match rule.value {
            Pick::First => Some(first),
            Pick::Last => Some(last),
            Pick::Known => self.find(frame, |child| child.outcome.recipe.is_known()),
            Pick::Field(field) => self.child(frame, field),
        };
        let Some(value) = value else { return };
        let word = match rule.word {
            Word::Fixed(word) => word,
            Word::Between => self.between(first.span, last.span).trim(),
            Word::Before => self
                .source(Span::new(frame.span.start, value.span.start))
                .trim(),
            Word::Waits(around) => self.waiting(frame, around),
        };
        let is_apart = first.span != last.span;
        let (other, span) = match rule.kind {
            ImplicitKind::Operator if is_apart => (last.outcome.recipe, frame.span),
            ImplicitKind::Index if is_apart => (last.outcome.recipe, value.span),
            // A declared type or an empty index.
            ImplicitKind::Index => return,
            _ => (RecipeId::UNKNOWN, value.span),
        };
        let is_assigned = frame.field == "left"
            && self
                .parent()
                .is_some_and(|parent| parent.kind.contains("assignment"));
        let kind = match rule.kind {
            // Where no other member assigns, the one that indexes does.
            ImplicitKind::Index if is_assigned && self.has_stores() => ImplicitKind::Store,
            kind => kind,
        };
        if frame.context == Context::Value || is_assigned {
            self.implicit(kind, word, [value.outcome.recipe, other], span);
        }
    }

    /// Keeps a place where the language calls a member of a value, if the value may be an object and
    /// the language has such members. The second recipe is the other operand, or the index.
    pub fn implicit(
        &mut self,
        kind: ImplicitKind,
        word: &'text str,
        [value, other]: [RecipeId; 2],
        span: Span,
    ) {
        let Some(semantics) = self.language.semantics else {
            return;
        };
        let protocols = &semantics.protocols;
        let is_called = match kind {
            ImplicitKind::Operator => protocols.operator(word).is_some(),
            ImplicitKind::Unary => {
                let operator = protocols.operator(word);
                operator.is_some_and(|operator| !operator.alone.is_empty())
            }
            ImplicitKind::Convert => !protocols.conversion(word).is_empty(),
            ImplicitKind::Iterate if word == Protocols::ASYNC => {
                !protocols.iterate_async.is_empty()
            }
            ImplicitKind::Iterate => !protocols.iterate.is_empty() || !protocols.step.is_empty(),
            ImplicitKind::Enter if word == Protocols::ASYNC => !protocols.enter_async.is_empty(),
            ImplicitKind::Enter => !protocols.enter.is_empty(),
            ImplicitKind::Index => !protocols.index.is_empty(),
            ImplicitKind::Store => !protocols.store.is_empty(),
            ImplicitKind::Delete => !protocols.delete.is_empty(),
            ImplicitKind::Await => !protocols.wait.is_empty(),
            ImplicitKind::Raise | ImplicitKind::Access | ImplicitKind::Drop => false,
        };
        let of_operator = kind == ImplicitKind::Operator && self.may_be_object(other);
        if !is_called || !(self.may_be_object(value) || of_operator) {
            return;
        }
        let word = self.name(word);
        self.builder.facts.implicit.push(ImplicitUse {
            kind,
            word,
            value,
            other,
            span,
            scope: self.scope,
            enclosing: self.symbol,
        });
    }

    /// Whether a value may be of a type that declares members, as far as its syntax tells.
    fn may_be_object(&self, value: RecipeId) -> bool {
        !matches!(
            self.recipe_of(value),
            Recipe::Unknown
                | Recipe::Literal(_)
                | Recipe::Str(_)
                | Recipe::Tuple(_)
                | Recipe::List(_)
                | Recipe::Object(_)
                | Recipe::Lambda(..)
        )
    }

    /// Keeps a call whose callee has no name of its own.
    pub fn value_call(&mut self, callee: Outcome, call: RecipeId, span: Span) {
        if callee.reference.is_some() || !self.may_be_function(callee.recipe) {
            return;
        }
        self.builder.facts.value_calls.push(ValueCall {
            recipe: call,
            span,
            scope: self.scope,
            enclosing: self.symbol,
        });
    }

    /// Keeps what is put into an element or member that is no symbol, if it may be or hold a
    /// function.
    pub fn store(&mut self, target: RecipeId, value: RecipeId, at: u32) {
        let is_place = matches!(
            self.recipe_of(target),
            Recipe::Index(..) | Recipe::Member(..)
        );
        if is_place && self.may_be_function(value) {
            self.builder.facts.stores.push(StoredValue {
                target,
                value,
                scope: self.scope,
                at,
            });
        }
    }

    /// Whether a value may be a function or hold one, as far as its syntax tells.
    fn may_be_function(&self, value: RecipeId) -> bool {
        !matches!(
            self.recipe_of(value),
            Recipe::Unknown
                | Recipe::Literal(_)
                | Recipe::Str(_)
                | Recipe::Operation(..)
                | Recipe::Cast(_)
                | Recipe::SelfValue
                | Recipe::Super
        )
    }

    /// Tells the function expressions among the arguments which call they are handed to.
    pub fn hand_to_call(&mut self, call: RecipeId, arguments: ListRange) {
        for i in 0..arguments.len {
            let mut argument = self.list_of(arguments)[i as usize];
            if let Recipe::Field(_, inner) = self.recipe_of(argument) {
                argument = inner;
            }
            let context = LambdaContext {
                call,
                argument: i as u16,
            };
            match self.recipe_of(argument) {
                Recipe::Lambda(scope, _) => {
                    self.builder.facts.scopes[scope.0 as usize].context = Some(context)
                }
                Recipe::Object(fields) => self.hand_fields_to_call(context, fields),
                Recipe::List(items) => self.hand_items_to_call(context, items),
                _ => {}
            }
        }
    }

    /// Tells a function expression which value it becomes: what is assigned to, or declared.
    pub fn hand_to_target(&mut self, function: RecipeId, target: RecipeId) {
        let is_call = matches!(self.recipe_of(target), Recipe::Call(..) | Recipe::New(..));
        if let Recipe::Lambda(scope, _) = self.recipe_of(function)
            && target.is_known()
            && !is_call
        {
            let context = &mut self.builder.facts.scopes[scope.0 as usize].context;
            context.get_or_insert(LambdaContext {
                call: target,
                argument: 0,
            });
        }
    }

    /// The functions among the items of an argument: elements of what the call expects there.
    fn hand_items_to_call(&mut self, context: LambdaContext, items: ListRange) {
        for i in 0..items.len {
            let Recipe::Lambda(scope, _) = self.recipe_of(self.list_of(items)[i as usize]) else {
                continue;
            };
            let expected = self.recipe(Recipe::Parameter(context.call, context.argument));
            let call = self.recipe(Recipe::Element(expected));
            self.builder.facts.scopes[scope.0 as usize].context =
                Some(LambdaContext { call, argument: 0 });
        }
    }

    /// The functions among the fields of an argument: members of what the call expects there.
    fn hand_fields_to_call(&mut self, context: LambdaContext, fields: ListRange) {
        for i in 0..fields.len {
            let Recipe::Field(name, value) = self.recipe_of(self.list_of(fields)[i as usize])
            else {
                continue;
            };
            let scope = match self.recipe_of(value) {
                Recipe::Lambda(scope, _) => Some(scope),
                Recipe::Symbol(symbol) => self.symbol(symbol).body,
                _ => None,
            };
            if let Some(scope) = scope {
                let expected = self.recipe(Recipe::Parameter(context.call, context.argument));
                let call = self.recipe(Recipe::Member(expected, name));
                self.builder.facts.scopes[scope.0 as usize].context =
                    Some(LambdaContext { call, argument: 0 });
            }
        }
    }
}
