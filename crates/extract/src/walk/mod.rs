//! One cursor walk over a syntax tree, for every language.
//!
//! A language's rules become a table by node kind. Going down, a node may open a symbol or a scope
//! and tells its children in which [`Context`] they are; coming up, its handler makes an
//! [`Outcome`] of its children's outcomes. Nothing recurses on the native stack, nothing asks a
//! node for its parent or its i-th child, so any depth and width is sound.

mod look;
mod outcome;
mod patterns;
mod record;
mod table;
mod values;

use facts::{
    Annotation, ListRange, Modifiers, NameId, Problem, ProblemKind, RecipeId, Scope, ScopeId,
    ScopeKind, Span, Symbol, SymbolIndex, SymbolKind, Trivia, TriviaKind, TypeId, Visibility,
};
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::{builder::Builder, language::Language, rules::Context};

pub use outcome::{Child, ChildOutcome, Outcome, Pattern, PatternId, ReferenceId};
pub(crate) use table::RuleTable;
use table::{ChildId, TableRule};

/// A part of the text that the grammar leaves unread, to be parsed by itself after the rest and
/// walked as if it were in the scope: macro arguments.
pub(crate) struct Unread {
    pub span: Span,
    /// Read as if these bytes were just before and after it; ASCII.
    pub prefix: &'static str,
    pub suffix: &'static str,
    pub scope: ScopeId,
    pub symbol: Option<SymbolIndex>,
}

/// A node that is open.
#[derive(Clone)]
pub struct Frame {
    pub kind: &'static str,
    pub field: &'static str,
    pub span: Span,
    pub context: Context,
    /// The symbol that this node opened.
    pub symbol: Option<SymbolIndex>,
    /// The scope that this node opened, or that its parent opened for it.
    pub scope: Option<ScopeId>,
    pub modifiers: Modifiers,
    pub visibility: Visibility,
    /// Free for a pair of enter and leave handlers.
    pub note: u32,
    rule: Option<&'static TableRule>,
    first_child: usize,
    outer_symbol: Option<SymbolIndex>,
    outer_scope: ScopeId,
}

impl Frame {
    /// This node, read in another context.
    pub fn in_context(&self, context: Context) -> Frame {
        Frame {
            context,
            ..self.clone()
        }
    }

    /// The rule's field names, for a shared handler.
    pub fn fields(&self) -> &'static [&'static str] {
        self.rule.map_or(&[], |rule| rule.rule.fields)
    }

    /// The rule's field names, if there are two.
    pub fn field_pair(&self) -> Option<[&'static str; 2]> {
        self.fields().try_into().ok()
    }
}

/// The walk over one file.
pub struct Walk<'text> {
    pub text: &'text str,
    /// What was parsed, where the language rewrote the text before the parse.
    pub prepared: Option<&'text str>,
    pub language: &'static Language,
    pub(crate) builder: Builder<'text>,
    frames: Vec<Frame>,
    children: Vec<Child>,
    patterns: Vec<Pattern>,
    /// The innermost open symbol.
    symbol: Option<SymbolIndex>,
    scope: ScopeId,
    /// Comments just read, and decorators or attributes that are before what they belong to.
    doc: Option<Span>,
    leading: Vec<(RecipeId, Span)>,
    leading_start: Option<u32>,
    /// What function expressions return, by their scope.
    lambda_returns: Vec<(ScopeId, RecipeId)>,
    /// What tests of a condition tell about names, for the branch that follows.
    narrowings: Vec<(NameId, Span, TypeId)>,
    /// The symbol and scope of what follows the innermost node.
    continued: Option<(SymbolIndex, ScopeId)>,
    pub(crate) unread: Vec<Unread>,
    /// What they tell where they fail.
    refuted: Vec<(NameId, Span, TypeId)>,
    /// Members assigned through the receiver, for a language that defines them when the whole file
    /// has been seen.
    pub assigned_members: Vec<AssignedMember>,
    /// Keys of object literals, until the text around has told what the objects are.
    pub keys: Vec<ObjectKey>,
    n_values: FxHashMap<SymbolIndex, u8>,
}

/// `name: value` in an object literal.
#[derive(Clone, Copy, Debug)]
pub struct ObjectKey {
    pub name: NameId,
    pub span: Span,
    /// Where the outermost literal starts that holds its literal as an element, which may be its own.
    pub object: u32,
    /// Of how many arrays, one in the other, its literal is an element.
    pub elements: u8,
    /// The key whose value the literal is.
    pub outer: Option<usize>,
    /// The place among the arguments of a call that the literal has.
    pub argument: Option<u16>,
}

/// `this.name = value` inside a type's member.
#[derive(Clone, Copy, Debug)]
pub struct AssignedMember {
    pub owner: SymbolIndex,
    /// The reference to the member.
    pub reference: ReferenceId,
    /// The whole assignment.
    pub span: Span,
    pub value: RecipeId,
    pub scope: ScopeId,
}

/// The file is nested more deeply than we walk.
pub(crate) struct TooDeep;

fn span_of(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

impl<'text> Walk<'text> {
    pub(crate) fn new(language: &'static Language, text: &'text str) -> Walk<'text> {
        Walk {
            text,
            prepared: None,
            language,
            builder: Builder::new(language.id, text),
            frames: Vec::new(),
            children: Vec::new(),
            patterns: Vec::new(),
            symbol: None,
            scope: ScopeId::FILE,
            doc: None,
            leading: Vec::new(),
            leading_start: None,
            lambda_returns: Vec::new(),
            narrowings: Vec::new(),
            continued: None,
            unread: Vec::new(),
            refuted: Vec::new(),
            assigned_members: Vec::new(),
            keys: Vec::new(),
            n_values: FxHashMap::default(),
        }
    }

    /// Walks a tree of this file's text. May be called again for another tree over other parts of
    /// the same text.
    pub(crate) fn run(
        &mut self,
        table: &RuleTable,
        tree: &Tree,
        max_depth: u32,
    ) -> Result<(), TooDeep> {
        let mut cursor = tree.walk();
        let base = self.frames.len();
        let may_miss = cursor.node().has_error();
        loop {
            let descend = self.enter(table, &cursor, may_miss);
            if self.frames.len() > max_depth as usize {
                return Err(TooDeep);
            }
            if descend && cursor.goto_first_child() {
                continue;
            }
            if descend {
                self.leave();
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    debug_assert_eq!(
                        self.frames.len(),
                        base,
                        "every node that was entered is left"
                    );
                    return Ok(());
                }
                self.leave();
            }
        }
    }

    /// What is walked next is in this scope and symbol.
    pub(crate) fn resume_in(&mut self, scope: ScopeId, symbol: Option<SymbolIndex>) {
        (self.scope, self.symbol) = (scope, symbol);
        (self.doc, self.leading_start) = (None, None);
        self.leading.clear();
        self.children.clear();
    }

    /// Opens a node. False if there is nothing below it to walk and no frame was opened.
    fn enter(&mut self, table: &RuleTable, cursor: &TreeCursor<'_>, may_miss: bool) -> bool {
        let node = cursor.node();
        let entry = table.kinds.get(node.kind_id() as usize);
        if may_miss && node.is_missing() {
            self.builder.facts.problems.push(Problem {
                kind: ProblemKind::Missing,
                span: span_of(node),
            });
        }
        let Some(entry) = entry else {
            // An error node's kind lies outside the table.
            let span = span_of(node);
            self.builder.facts.problems.push(Problem {
                kind: ProblemKind::Syntax,
                span,
            });
            self.open("ERROR", "", span, None, Context::Value);
            return true;
        };
        // Half of all nodes are tokens that say nothing more: their place and field are not asked
        // for.
        if !entry.named && entry.rule.is_none() {
            if let Some(frame) = self.frames.last_mut() {
                frame.modifiers.insert(entry.modifiers);
                if entry.visibility != Visibility::Default {
                    frame.visibility = combined(frame.visibility, entry.visibility);
                }
            }
            return false;
        }
        let span = span_of(node);
        if entry.rule.is_some_and(|rule| rule.rule.comment) {
            self.comment(span);
            return false;
        }
        let field_id = cursor.field_id().map_or(0, |id| id.get());
        let field = table.fields.get(field_id as usize).copied().unwrap_or("");
        let (context, scope) = self.context_for(field_id, entry.kind_id);
        let narrowed = scope.and_then(|_| self.narrowed_operand(span));
        let frame = self.open(entry.kind, field, span, entry.rule, context);
        match (scope, narrowed) {
            (Some(kind), None) => {
                self.open_scope(frame, kind, span, None);
                self.apply_narrowings();
            }
            (Some(kind), Some(narrowings)) if !narrowings.is_empty() => {
                self.open_scope(frame, kind, span, None);
                self.bind_narrowings(narrowings);
            }
            _ => {}
        }
        let Some(TableRule { rule, .. }) = entry.rule else {
            return true;
        };
        if let Some(kind) = rule.defines {
            self.open_symbol(frame, kind);
        }
        if let Some(kind) = rule.opens {
            let owner = self.frames[frame].symbol;
            self.open_scope(frame, kind, span, owner);
        }
        if let Some(enter) = rule.enter {
            let mut current = self.frames[frame].clone();
            enter(self, &mut current);
            self.frames[frame] = current;
        }
        if rule.opaque {
            self.leave();
            return false;
        }
        true
    }

    fn open(
        &mut self,
        kind: &'static str,
        field: &'static str,
        span: Span,
        rule: Option<&'static TableRule>,
        context: Context,
    ) -> usize {
        self.frames.push(Frame {
            kind,
            field,
            span,
            context,
            symbol: None,
            scope: None,
            modifiers: Modifiers::default(),
            visibility: Visibility::Default,
            note: 0,
            rule,
            first_child: self.children.len(),
            outer_symbol: self.symbol,
            outer_scope: self.scope,
        });
        self.frames.len() - 1
    }

    /// What the open node says about a child. Field 0 is none.
    fn context_for(&self, field: u16, kind: u16) -> (Context, Option<ScopeKind>) {
        let Some(parent) = self.frames.last() else {
            return (Context::Value, None);
        };
        let Some(rule) = parent.rule else {
            return (parent.context, None);
        };
        let is_it = |id: ChildId| match id {
            ChildId::Field(id) => id == field,
            ChildId::Kind(id) => id == kind,
        };
        let says = rule
            .children
            .iter()
            .find(|(id, _)| is_it(*id))
            .map(|(_, says)| *says)
            .or(rule.others);
        let (context, scope) = says.unwrap_or((None, None));
        let inherited = if rule.hands_down {
            parent.context
        } else {
            Context::Value
        };
        (context.unwrap_or(inherited), scope)
    }

    /// Closes the innermost node and hands its outcome to the node around it.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.rule.is_some_and(|rule| rule.rule.throws)
            && let Some(thrown) = self.children(&frame).first().copied()
        {
            self.thrown(thrown.outcome.recipe, thrown.span);
        }
        if let Some(implicit) = frame.rule.and_then(|rule| rule.rule.implicit) {
            self.implicit_by_rule(&frame, implicit);
        }
        let outcome = match frame.rule.and_then(|rule| rule.rule.leave) {
            Some(leave) => leave(self, &frame).unwrap_or(Outcome::NONE),
            None => self.only_child(&frame),
        };
        self.children.truncate(frame.first_child);
        self.symbol = frame.outer_symbol;
        self.scope = frame.outer_scope;
        if let Some((symbol, scope)) = self.continued.take() {
            (self.symbol, self.scope) = (Some(symbol), scope);
        }
        if let Some(parent) = self.frames.last_mut()
            && frame.rule.is_some_and(|rule| rule.rule.lifts_modifiers)
        {
            parent.modifiers.insert(frame.modifiers);
            if frame.visibility != Visibility::Default {
                parent.visibility = combined(parent.visibility, frame.visibility);
            }
        }
        self.children.push(Child {
            field: frame.field,
            kind: frame.kind,
            span: frame.span,
            outcome,
        });
    }

    /// The outcome of a node without meaning of its own: that of its only child, if it has just
    /// one.
    fn only_child(&self, frame: &Frame) -> Outcome {
        match self.children(frame) {
            [child] => child.outcome,
            _ => Outcome::NONE,
        }
    }

    fn comment(&mut self, span: Span) {
        self.builder.facts.trivia.push(Trivia {
            kind: TriviaKind::Comment,
            span,
        });
        self.doc = match self.doc {
            Some(doc) if self.only_space_between(doc.end, span.start, 1) => {
                Some(Span::new(doc.start, span.end))
            }
            // A comment after code on its own line documents that code, not what follows.
            _ if !self.starts_its_line(span.start) => None,
            _ => Some(span),
        };
    }

    /// Opens a symbol at an open node; its name, types and the like are filled in by the leave
    /// handler.
    pub(crate) fn open_symbol(&mut self, frame: usize, kind: SymbolKind) -> SymbolIndex {
        let span = self.frames[frame].span;
        let symbol = self.new_symbol(kind, span);
        self.frames[frame].symbol = Some(symbol);
        self.symbol = Some(symbol);
        symbol
    }

    /// A symbol in the current scope; decorators and comments just before it become its own.
    pub fn new_symbol(&mut self, kind: SymbolKind, mut span: Span) -> SymbolIndex {
        let first = self
            .leading_start
            .take()
            .filter(|&start| start <= span.start)
            .unwrap_or(span.start);
        // A comment may also be between the attributes and what they belong to.
        let next = |doc: &Span| if doc.end <= first { first } else { span.start };
        let doc = self
            .doc
            .take()
            .filter(|doc| doc.end <= span.start && self.only_space_between(doc.end, next(doc), 1));
        span.start = first;
        let index = SymbolIndex(self.builder.facts.symbols.len() as u32);
        let in_body = matches!(
            self.enclosing_scope_kind(),
            ScopeKind::Function | ScopeKind::Lambda
        );
        let name = self.name("");
        self.builder.facts.symbols.push(Symbol {
            kind,
            name,
            parent: self.symbol,
            span,
            name_span: Span::new(span.start, span.start),
            signature: span,
            doc,
            visibility: Visibility::Default,
            modifiers: if in_body {
                Modifiers::LOCAL
            } else {
                Modifiers::default()
            },
            declared_in: self.scope,
            body: None,
            owner: TypeId::UNKNOWN,
            ty: TypeId::UNKNOWN,
            values: ListRange::default(),
            parameters: ListRange::default(),
            type_parameters: ListRange::default(),
        });
        for (recipe, span) in std::mem::take(&mut self.leading) {
            self.builder.facts.annotations.push(Annotation {
                symbol: index,
                recipe,
                span,
            });
        }
        index
    }

    fn open_scope(
        &mut self,
        frame: usize,
        kind: ScopeKind,
        span: Span,
        owner: Option<SymbolIndex>,
    ) {
        let scope = self.new_scope(kind, span, owner);
        self.frames[frame].scope = Some(scope);
    }

    /// Opens a scope inside the current one; it is current until the innermost node is left.
    pub fn new_scope(
        &mut self,
        kind: ScopeKind,
        span: Span,
        owner: Option<SymbolIndex>,
    ) -> ScopeId {
        let scope = ScopeId(self.builder.facts.scopes.len() as u32);
        self.builder.facts.scopes.push(Scope {
            parent: self.scope,
            kind,
            span,
            owner,
            context: None,
        });
        if let Some(owner) = owner {
            self.builder.facts.symbols[owner.0 as usize].body = Some(scope);
        }
        self.scope = scope;
        scope
    }

    /// Opens a symbol at the node of an enter handler, where its rule cannot say whether there is
    /// one.
    pub fn define(&mut self, frame: &mut Frame, kind: SymbolKind, span: Span) -> SymbolIndex {
        let symbol = self.new_symbol(kind, span);
        frame.symbol = Some(symbol);
        self.symbol = Some(symbol);
        symbol
    }

    /// From a leave handler: what follows this node, up to the end of the node around it, is in
    /// this symbol and scope. For clauses that hold for the rest of a file: `package a.b;`,
    /// `namespace A;`.
    pub fn continue_in(&mut self, symbol: SymbolIndex, scope: ScopeId) {
        self.continued = Some((symbol, scope));
    }

    /// This part of the text is parsed and walked once the rest is, in the current symbol and the
    /// given scope.
    pub fn read_later(&mut self, span: Span, scope: ScopeId) {
        self.read_later_between("", span, "", scope);
    }

    /// Reads a part of the text later as if other words were around it, in place of those that are.
    pub fn read_later_between(
        &mut self,
        prefix: &'static str,
        span: Span,
        suffix: &'static str,
        scope: ScopeId,
    ) {
        self.unread.push(Unread {
            span,
            prefix,
            suffix,
            scope,
            symbol: self.symbol,
        });
    }
}

/// `protected internal` and the like: the wider of the two.
fn combined(a: Visibility, b: Visibility) -> Visibility {
    match (a, b) {
        (Visibility::Default, other) | (other, Visibility::Default) => other,
        (a, b) => a.min(b),
    }
}
