//! The vocabulary in which a language says what its node kinds mean.

use facts::{BindingKind, ImplicitKind, ScopeKind, SymbolKind};

use crate::walk::{Frame, Outcome, Walk};

/// What an identifier means where it is; passed down from parent to child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// An expression: an identifier is read.
    Value,
    /// A type as written: an identifier is a type use.
    Type,
    /// A pattern: an identifier is bound.
    Bind(BindingKind),
    /// The name of something defined here, a member name, a keyword argument: its parent deals with
    /// it.
    Name,
    /// A label or other word that names nothing.
    Label,
}

pub use Context::{Bind, Label, Name, Type, Value};

/// What a rule says about a child, found by its field or its kind.
#[derive(Clone, Copy, Debug)]
pub struct ChildRule {
    pub by: By,
    pub context: Option<Context>,
    /// Opens a scope around the child.
    pub scope: Option<ScopeKind>,
}

#[derive(Clone, Copy, Debug)]
pub enum By {
    Field(&'static str),
    Kind(&'static str),
    /// Every child that no other rule names.
    Any,
}

pub type Enter = fn(&mut Walk<'_>, &mut Frame);
/// Nothing where the node has no value.
pub type Leave = fn(&mut Walk<'_>, &Frame) -> Option<Outcome>;

#[derive(Clone, Copy)]
enum Kinds {
    One(&'static str),
    Any(&'static [&'static str]),
}

/// What one node kind means, or several that mean the same.
#[derive(Clone, Copy)]
pub struct Rule {
    kinds: Kinds,
    pub children: &'static [ChildRule],
    /// The node defines a symbol; it is open while its children are walked.
    pub defines: Option<SymbolKind>,
    pub opens: Option<ScopeKind>,
    pub enter: Option<Enter>,
    pub leave: Option<Leave>,
    /// Field names for a shared handler, in the order that it documents.
    pub fields: &'static [&'static str],
    /// A comment: trivia, and perhaps the documentation of what follows.
    pub comment: bool,
    /// Its children are not walked.
    pub opaque: bool,
    /// Its modifiers belong to the node around it.
    pub lifts_modifiers: bool,
    /// Counts as an identifier for [`crate::account`].
    pub identifier: bool,
    /// Passes its parent's context on to children that no rule names.
    pub transparent: bool,
    /// The kind is a bare keyword of the grammar that represents a value: C# `this` and `base`.
    pub token: bool,
    /// The value of its first child is thrown.
    pub throws: bool,
    /// The language calls a member of a child's value.
    pub implicit: Option<ImplicitRule>,
    /// A branch is one only after this operator, and where something before it tells what holds there.
    pub narrows_after: Option<&'static str>,
}

/// How a node calls a member of a value without naming it.
#[derive(Clone, Copy, Debug)]
pub struct ImplicitRule {
    pub kind: ImplicitKind,
    pub value: Pick,
    pub word: Word,
}

/// Which child holds the value.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    Field(&'static str),
    First,
    Last,
    /// The first that has a known value.
    Known,
}

/// The operator, or what a value is converted to.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    Fixed(&'static str),
    /// What is written between the first child and the last.
    Between,
    /// What is written before the only child.
    Before,
    /// Says whether the node, or the node of this kind around it, is a loop or block that waits: then
    /// it begins with `async`, or has `await` before its parenthesis.
    Waits(&'static str),
}

/// Starts a rule: `on("call").leave(handlers::call).with(&["function", "arguments"])`.
pub const fn on(kind: &'static str) -> Rule {
    rule_of(Kinds::One(kind))
}

/// Starts a rule of several node kinds.
pub const fn on_any(kinds: &'static [&'static str]) -> Rule {
    rule_of(Kinds::Any(kinds))
}

const fn rule_of(kinds: Kinds) -> Rule {
    Rule {
        kinds,
        children: &[],
        defines: None,
        opens: None,
        enter: None,
        leave: None,
        fields: &[],
        comment: false,
        opaque: false,
        lifts_modifiers: false,
        identifier: false,
        transparent: false,
        token: false,
        throws: false,
        implicit: None,
        narrows_after: None,
    }
}

impl Rule {
    pub fn kinds(&self) -> &[&'static str] {
        match &self.kinds {
            Kinds::One(kind) => std::slice::from_ref(kind),
            Kinds::Any(kinds) => kinds,
        }
    }

    pub const fn children(mut self, children: &'static [ChildRule]) -> Rule {
        self.children = children;
        self
    }

    /// Identifiers in every child are type uses.
    pub const fn types(self) -> Rule {
        self.children(const { &[others(Context::Type)] })
    }

    /// Identifiers in every child are names that the handler deals with.
    pub const fn names(self) -> Rule {
        self.children(const { &[others(Context::Name)] })
    }

    /// Identifiers in every child name nothing.
    pub const fn labels(self) -> Rule {
        self.children(const { &[others(Context::Label)] })
    }

    /// Every child is an expression, whatever the context.
    pub const fn values(self) -> Rule {
        self.children(const { &[others(Context::Value)] })
    }

    /// The node has no value.
    pub const fn no_value(self) -> Rule {
        self.leave(nothing)
    }

    pub const fn defines(mut self, kind: SymbolKind) -> Rule {
        self.defines = Some(kind);
        self
    }

    /// Defines a type, which opens the scope of its members.
    pub const fn defines_type(self, kind: SymbolKind) -> Rule {
        self.defines(kind).opens(ScopeKind::Type)
    }

    /// Defines a function, which opens the scope of its parameters and body.
    pub const fn defines_function(self, kind: SymbolKind) -> Rule {
        self.defines(kind).opens(ScopeKind::Function)
    }

    pub const fn narrows_after(mut self, operator: &'static str) -> Rule {
        self.narrows_after = Some(operator);
        self
    }

    pub const fn opens(mut self, kind: ScopeKind) -> Rule {
        self.opens = Some(kind);
        self
    }

    pub const fn enter(mut self, enter: Enter) -> Rule {
        self.enter = Some(enter);
        self
    }

    pub const fn leave(mut self, leave: Leave) -> Rule {
        self.leave = Some(leave);
        self
    }

    pub const fn with(mut self, fields: &'static [&'static str]) -> Rule {
        self.fields = fields;
        self
    }

    pub const fn comment(mut self) -> Rule {
        self.comment = true;
        self
    }

    pub const fn opaque(mut self) -> Rule {
        self.opaque = true;
        self
    }

    pub const fn lifts_modifiers(mut self) -> Rule {
        self.lifts_modifiers = true;
        self
    }

    pub const fn identifier(mut self) -> Rule {
        self.identifier = true;
        self
    }

    pub const fn transparent(mut self) -> Rule {
        self.transparent = true;
        self
    }

    pub const fn throws(mut self) -> Rule {
        self.throws = true;
        self
    }

    /// Steps through the value of a field.
    pub const fn iterates(self, field: &'static str) -> Rule {
        self.calls_member(ImplicitKind::Iterate, Pick::Field(field), Word::Waits(""))
    }

    /// An operator between the first child and the last.
    pub const fn operates(self) -> Rule {
        self.calls_member(ImplicitKind::Operator, Pick::First, Word::Between)
    }

    /// An operator before the only child.
    pub const fn operates_before(self) -> Rule {
        self.calls_member(ImplicitKind::Unary, Pick::First, Word::Before)
    }

    /// Indexes the first child's value with the last one's.
    pub const fn indexes(self) -> Rule {
        self.calls_member(ImplicitKind::Index, Pick::First, Word::Fixed(""))
    }

    /// Converts the value of a child.
    pub const fn converts(self, value: Pick, to: &'static str) -> Rule {
        self.calls_member(ImplicitKind::Convert, value, Word::Fixed(to))
    }

    /// Waits for the first child's value.
    pub const fn waits(self) -> Rule {
        self.calls_member(ImplicitKind::Await, Pick::First, Word::Fixed(""))
    }

    /// The language calls a member of a child's value.
    pub const fn calls_member(mut self, kind: ImplicitKind, value: Pick, word: Word) -> Rule {
        self.implicit = Some(ImplicitRule { kind, value, word });
        self
    }

    pub const fn token(mut self) -> Rule {
        self.token = true;
        self
    }
}

fn nothing(_: &mut Walk<'_>, _: &Frame) -> Option<Outcome> {
    None
}

const fn by_field(field: &'static str, context: Context) -> ChildRule {
    ChildRule {
        by: By::Field(field),
        context: Some(context),
        scope: None,
    }
}

pub const fn value(field: &'static str) -> ChildRule {
    by_field(field, Context::Value)
}

pub const fn ty(field: &'static str) -> ChildRule {
    by_field(field, Context::Type)
}

pub const fn name(field: &'static str) -> ChildRule {
    by_field(field, Context::Name)
}

pub const fn label(field: &'static str) -> ChildRule {
    by_field(field, Context::Label)
}

pub const fn binds(field: &'static str, kind: BindingKind) -> ChildRule {
    by_field(field, Context::Bind(kind))
}

/// A child that may not run: `if` and `else` bodies, loop bodies, handlers.
pub const fn branch(field: &'static str) -> ChildRule {
    ChildRule {
        by: By::Field(field),
        context: Some(Context::Value),
        scope: Some(ScopeKind::Branch),
    }
}

/// A child without a field, by its kind.
pub const fn of_kind(kind: &'static str, context: Context) -> ChildRule {
    ChildRule {
        by: By::Kind(kind),
        context: Some(context),
        scope: None,
    }
}

pub const fn branch_of_kind(kind: &'static str) -> ChildRule {
    ChildRule {
        by: By::Kind(kind),
        context: Some(Context::Value),
        scope: Some(ScopeKind::Branch),
    }
}

/// Every other child.
pub const fn others(context: Context) -> ChildRule {
    ChildRule {
        by: By::Any,
        context: Some(context),
        scope: None,
    }
}
