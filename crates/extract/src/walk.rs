//! One cursor walk over a syntax tree, for every language.
//!
//! A language's rules become a table by node kind. Going down, a node may open a symbol or a scope
//! and tells its children in which [`Context`] they are; coming up, its handler makes an
//! [`Outcome`] of its children's outcomes. Nothing recurses on the native stack, nothing asks a
//! node for its parent or its i-th child, so any depth and width is sound.

use std::{
    borrow::Cow,
    sync::{Mutex, OnceLock, PoisonError},
};

use facts::{
    Annotation, Binding, BindingId, BindingKind, Export, ImplicitKind, ImplicitUse, Import,
    ImportKind, Inherit, LambdaContext, ListRange, Modifiers, NameId, Parameter, ParameterFlags,
    Problem, ProblemKind, Protocols, Recipe, RecipeId, Reference, Role, Scope, ScopeId, ScopeKind,
    Span, StoredValue, Supertype, Symbol, SymbolIndex, SymbolKind, SymbolValue, ThrownValue,
    Trivia, TriviaKind, TypeId, TypeListRange, TypeParameter, TypeRecipe, ValueCall, Visibility,
};
use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::{
    builder::Builder,
    language::Language,
    rules::{By, Context, ImplicitRule, Pick, Rule, Word},
};

/// What a node amounts to for the node around it. Fields that do not apply stay empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The value of an expression.
    pub recipe: RecipeId,
    /// A type as written.
    pub ty: TypeId,
    /// The reference that names this value, so that the node around it can say how it is used.
    pub reference: Option<ReferenceId>,
    /// What a pattern binds.
    pub pattern: Option<PatternId>,
    /// Arguments, elements, parameters.
    pub list: ListRange,
}

impl Outcome {
    pub const NONE: Outcome = Outcome {
        recipe: RecipeId::UNKNOWN,
        ty: TypeId::UNKNOWN,
        reference: None,
        pattern: None,
        list: ListRange { start: 0, len: 0 },
    };

    pub fn recipe(recipe: RecipeId) -> Outcome {
        Outcome::NONE.with_recipe(recipe)
    }

    pub fn ty(ty: TypeId) -> Outcome {
        Outcome::NONE.with_ty(ty)
    }

    pub fn pattern(pattern: PatternId) -> Outcome {
        Outcome::NONE.with_pattern(pattern)
    }

    pub fn list(list: ListRange) -> Outcome {
        Outcome::NONE.with_list(list)
    }

    pub fn with_recipe(self, recipe: RecipeId) -> Outcome {
        Outcome { recipe, ..self }
    }

    pub fn with_ty(self, ty: TypeId) -> Outcome {
        Outcome { ty, ..self }
    }

    pub fn with_reference(self, reference: impl Into<Option<ReferenceId>>) -> Outcome {
        let reference = reference.into();
        Outcome { reference, ..self }
    }

    pub fn with_pattern(self, pattern: impl Into<Option<PatternId>>) -> Outcome {
        let pattern = pattern.into();
        Outcome { pattern, ..self }
    }

    pub fn with_list(self, list: ListRange) -> Outcome {
        Outcome { list, ..self }
    }

    /// A value that a reference names.
    pub fn named(recipe: RecipeId, reference: ReferenceId) -> Outcome {
        Outcome::recipe(recipe).with_reference(reference)
    }

    /// A type that a reference names, which may also be read as a value.
    pub fn named_type(recipe: RecipeId, ty: TypeId, reference: ReferenceId) -> Outcome {
        Outcome::named(recipe, reference).with_ty(ty)
    }
}

/// A reference made during this walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceId(u32);

/// A pattern met during this walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternId(u32);

#[derive(Clone, Debug)]
pub enum Pattern {
    /// Binds one name.
    Name(BindingId),
    /// By position: `(a, b)`, `[a, b]`.
    Tuple(Vec<PatternId>),
    /// By name: `{ a, b: c }`, `Point { x, y }`.
    Fields(Vec<(NameId, PatternId)>),
    /// The rest of a tuple: `*rest`, `...rest`.
    Rest(PatternId),
    /// The rest of a tuple as a list of what the whole holds.
    Items(PatternId),
    /// A variant or constructor around parts: `Some(x)`, `Point(x, y)`; the parts are those of a
    /// value of the type.
    Of(TypeId, Vec<PatternId>),
    /// Binds a name to the whole and goes on inside: `x @ Some(y)`. Also alternatives: `A(x) |
    /// B(x)`.
    Both(PatternId, PatternId),
    /// What an optional or result holds: `Some(x)`, `Ok(x)`.
    Inside(PatternId),
    /// What a method of the value gives: `Err(e)` is what `unwrap_err` gives.
    Given(NameId, PatternId),
}

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

/// A child that has been walked.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Empty where the child has no field.
    pub field: &'static str,
    pub kind: &'static str,
    pub span: Span,
    pub outcome: Outcome,
}

/// The outcome of a child that may be absent.
pub trait ChildOutcome {
    fn outcome(self) -> Outcome;
}

impl ChildOutcome for Option<Child> {
    fn outcome(self) -> Outcome {
        self.map_or(Outcome::NONE, |child| child.outcome)
    }
}

impl ChildOutcome for Option<&Child> {
    fn outcome(self) -> Outcome {
        self.copied().outcome()
    }
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

/// A language's rules by node kind and field, built once per process.
pub(crate) struct RuleTable {
    kinds: Vec<KindEntry>,
    fields: Vec<&'static str>,
}

#[derive(Clone, Copy)]
struct KindEntry {
    kind: &'static str,
    /// The first id of this kind: a grammar may have several of one name.
    kind_id: u16,
    named: bool,
    rule: Option<&'static TableRule>,
    modifiers: Modifiers,
    visibility: Visibility,
}

/// A rule with its words looked up in the grammar, so that the walk compares numbers.
struct TableRule {
    rule: &'static Rule,
    /// What it says about children by field or kind; the first that fits holds.
    children: Vec<(ChildId, ChildSays)>,
    others: Option<ChildSays>,
    /// Children of which nothing is said are in the node's own context.
    hands_down: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChildId {
    Field(u16),
    Kind(u16),
}

type ChildSays = (Option<Context>, Option<ScopeKind>);

impl RuleTable {
    /// The table of a language, built on first use and kept for the life of the process.
    pub fn of(language: &'static Language) -> &'static RuleTable {
        static TABLES: OnceLock<Mutex<FxHashMap<u16, &'static RuleTable>>> = OnceLock::new();
        let mut tables = TABLES
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tables
            .entry(language.id.0)
            .or_insert_with(|| Box::leak(Box::new(RuleTable::new(language))))
    }

    fn new(language: &'static Language) -> RuleTable {
        let grammar: &'static tree_sitter::Language = Box::leak(Box::new((language.grammar)()));
        let mut kind_ids: FxHashMap<&'static str, u16> = FxHashMap::default();
        for id in 0..grammar.node_kind_count() as u16 {
            kind_ids
                .entry(grammar.node_kind_for_id(id).unwrap_or(""))
                .or_insert(id);
        }
        let rules = language
            .rules
            .iter()
            .flat_map(|rules| rules.iter())
            .map(|rule| TableRule::new(rule, grammar, &kind_ids))
            .collect::<Vec<_>>();
        let rules: &'static [TableRule] = Box::leak(rules.into_boxed_slice());
        let kinds = (0..grammar.node_kind_count() as u16).map(|id| {
            let kind = grammar.node_kind_for_id(id).unwrap_or("");
            let named = grammar.node_kind_is_named(id);
            let word = |(word, _): &&(&'static str, _)| !named && *word == kind;
            KindEntry {
                kind,
                kind_id: kind_ids[kind],
                named,
                rule: rules
                    .iter()
                    .find(|rule| rule.rule.kinds().contains(&kind) && rule.rule.token != named),
                modifiers: language
                    .modifiers
                    .iter()
                    .find(word)
                    .map_or(Modifiers::default(), |(_, modifiers)| *modifiers),
                visibility: language
                    .visibilities
                    .iter()
                    .find(|(word, _)| !named && *word == kind)
                    .map_or(Visibility::Default, |(_, v)| *v),
            }
        });
        let fields = (0..=grammar.field_count() as u16)
            .map(|id| grammar.field_name_for_id(id).unwrap_or(""));
        RuleTable {
            kinds: kinds.collect(),
            fields: fields.collect(),
        }
    }
}

impl TableRule {
    fn new(
        rule: &'static Rule,
        grammar: &tree_sitter::Language,
        kind_ids: &FxHashMap<&'static str, u16>,
    ) -> TableRule {
        let field_id = |name: &str| {
            grammar
                .field_id_for_name(name)
                .map(|id| ChildId::Field(id.get()))
        };
        let (mut children, mut others) = (Vec::new(), None);
        for child in rule.children {
            let says = (child.context, child.scope);
            // What the grammar does not know never comes.
            match child.by {
                By::Field(name) => children.extend(field_id(name).map(|id| (id, says))),
                By::Kind(name) => {
                    children.extend(kind_ids.get(name).map(|id| (ChildId::Kind(*id), says)))
                }
                By::Any => others = Some(says),
            }
        }
        if rule.defines.is_some() && others.is_none() {
            children.extend(field_id("name").map(|id| (id, (Some(Context::Name), None))));
        }
        let hands_down = rule.transparent || rule.leave.is_none() && rule.defines.is_none();
        TableRule {
            rule,
            children,
            others,
            hands_down,
        }
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
    /// Where its literal starts.
    pub object: u32,
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
        let frame = self.open(entry.kind, field, span, entry.rule, context);
        if let Some(kind) = scope {
            self.open_scope(frame, kind, span, None);
            self.apply_narrowings();
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

    /// Keeps what a `throw` or `raise` throws.
    pub fn thrown(&mut self, recipe: RecipeId, span: Span) {
        if recipe.is_known() {
            let thrown = ThrownValue { recipe, span };
            self.builder.facts.thrown.push(thrown);
        }
    }

    fn implicit_by_rule(&mut self, frame: &Frame, rule: ImplicitRule) {
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

    fn has_stores(&self) -> bool {
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

    fn starts_its_line(&self, offset: u32) -> bool {
        let before = &self.text.as_bytes()[..offset as usize];
        before
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace())
    }

    fn only_space_between(&self, start: u32, end: u32, max_breaks: usize) -> bool {
        let Some(between) = self.text.as_bytes().get(start as usize..end as usize) else {
            return false;
        };
        between.iter().all(u8::is_ascii_whitespace)
            && between.iter().filter(|&&byte| byte == b'\n').count() <= max_breaks
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

    /// The kind of the innermost scope that is not a block.
    pub fn enclosing_scope_kind(&self) -> ScopeKind {
        let mut scope = self.builder.facts.scope(self.scope);
        while matches!(scope.kind, ScopeKind::Block | ScopeKind::Branch) {
            scope = self.builder.facts.scope(scope.parent);
        }
        scope.kind
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

    fn apply_narrowings(&mut self) {
        for (name, span, ty) in std::mem::take(&mut self.narrowings) {
            let from = self.builder.facts.scope(self.scope).span.start;
            let binding = self.bind(BindingKind::Narrowing, name, span);
            let binding = self.binding_mut(binding);
            (binding.from, binding.ty) = (from, ty);
        }
    }

    // What handlers use.

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

    pub fn name(&mut self, word: impl Into<Cow<'text, str>>) -> NameId {
        self.builder.name(word)
    }

    pub fn name_at(&mut self, span: Span) -> NameId {
        let word = self.source(span);
        self.builder.name(word)
    }

    pub fn recipe(&mut self, recipe: Recipe) -> RecipeId {
        self.builder.recipe(recipe)
    }

    /// What is made of a value; nothing is made of an unknown one.
    pub fn wrapped(&mut self, value: RecipeId, wrap: impl FnOnce(RecipeId) -> Recipe) -> RecipeId {
        if value.is_known() {
            self.recipe(wrap(value))
        } else {
            value
        }
    }

    /// A value of a type that is written; unknown like the type.
    pub fn cast(&mut self, ty: TypeId) -> RecipeId {
        if ty.is_known() {
            self.recipe(Recipe::Cast(ty))
        } else {
            RecipeId::UNKNOWN
        }
    }

    /// A recipe made of a list.
    pub fn recipe_from(&mut self, make: fn(ListRange) -> Recipe, items: &[RecipeId]) -> RecipeId {
        let items = self.list(items);
        self.recipe(make(items))
    }

    /// A call without arguments.
    pub fn plain_call(&mut self, callee: RecipeId) -> RecipeId {
        self.recipe(Recipe::Call(callee, ListRange::default()))
    }

    /// What is made of a type; nothing is made of an unknown one.
    pub fn wrapped_type(&mut self, ty: TypeId, wrap: impl FnOnce(TypeId) -> TypeRecipe) -> TypeId {
        if ty.is_known() { self.ty(wrap(ty)) } else { ty }
    }

    /// A type made of a list.
    pub fn type_from(&mut self, make: fn(TypeListRange) -> TypeRecipe, items: &[TypeId]) -> TypeId {
        let items = self.type_list(items);
        self.ty(make(items))
    }

    pub fn type_named(&mut self, word: impl Into<Cow<'text, str>>) -> TypeId {
        let name = self.name(word);
        self.ty(TypeRecipe::Name(name))
    }

    /// A type inside another; by its name alone where the other is not known.
    pub fn type_in(&mut self, outer: TypeId, name: NameId) -> TypeId {
        self.ty(if outer.is_known() {
            TypeRecipe::Scoped(outer, name)
        } else {
            TypeRecipe::Name(name)
        })
    }

    pub fn applied_type(&mut self, head: TypeId, arguments: &[TypeId]) -> TypeId {
        let arguments = self.type_list(arguments);
        self.ty(TypeRecipe::Apply(head, arguments))
    }

    /// One of several types.
    pub fn union(&mut self, types: &[TypeId]) -> TypeId {
        match types {
            [] => TypeId::UNKNOWN,
            [only] => *only,
            _ => self.type_from(TypeRecipe::Union, types),
        }
    }

    /// The outcome of a node whose value is this.
    pub fn value_of(&mut self, recipe: Recipe) -> Option<Outcome> {
        Some(Outcome::recipe(self.recipe(recipe)))
    }

    /// The outcome of a node that is this type.
    pub fn type_value(&mut self, ty: TypeRecipe) -> Option<Outcome> {
        Some(Outcome::ty(self.ty(ty)))
    }

    /// What a recipe made in this walk says.
    pub fn recipe_of(&self, id: RecipeId) -> Recipe {
        self.builder.facts.recipe(id)
    }

    pub fn list_of(&self, range: ListRange) -> &[RecipeId] {
        self.builder.facts.list(range)
    }

    pub fn list(&mut self, items: &[RecipeId]) -> ListRange {
        self.builder.list(items)
    }

    pub fn ty(&mut self, ty: TypeRecipe) -> TypeId {
        self.builder.ty(ty)
    }

    pub fn type_of(&self, id: TypeId) -> TypeRecipe {
        self.builder.facts.type_recipe(id)
    }

    pub fn type_list(&mut self, items: &[TypeId]) -> TypeListRange {
        self.builder.type_list(items)
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

    pub fn symbol_mut(&mut self, index: SymbolIndex) -> &mut Symbol {
        &mut self.builder.facts.symbols[index.0 as usize]
    }

    /// The facts so far, for what only the whole file tells.
    pub fn facts(&self) -> &facts::Facts {
        &self.builder.facts
    }

    pub fn facts_mut(&mut self) -> &mut facts::Facts {
        &mut self.builder.facts
    }

    pub fn word(&self, name: NameId) -> String {
        self.builder.word(name).to_owned()
    }

    pub fn parameter(
        &mut self,
        symbol: SymbolIndex,
        name: NameId,
        ty: TypeId,
        flags: ParameterFlags,
    ) {
        let parameter = Parameter { name, ty, flags };
        self.builder.parameters.push((symbol, parameter));
    }

    pub fn type_parameter(
        &mut self,
        symbol: SymbolIndex,
        name: NameId,
        name_span: Span,
        bounds: TypeListRange,
    ) {
        let parameter = TypeParameter {
            name,
            name_span,
            bounds,
            default: TypeId::UNKNOWN,
        };
        self.builder.type_parameters.push((symbol, parameter));
    }

    /// What the last type parameter is where nothing is given for it.
    pub fn type_parameter_default(&mut self, default: TypeId) {
        if let Some((_, parameter)) = self.builder.type_parameters.last_mut() {
            parameter.default = default;
        }
    }

    /// A value that a symbol takes, read in the current scope.
    pub fn value(&mut self, symbol: SymbolIndex, recipe: RecipeId, at: u32) {
        self.value_in(symbol, recipe, self.scope, at);
    }

    /// A value that a symbol takes, read in the given scope. Only the first few are kept, and no
    /// unknown ones.
    pub fn value_in(&mut self, symbol: SymbolIndex, recipe: RecipeId, scope: ScopeId, at: u32) {
        const MAX_VALUES: u8 = 6;
        if !recipe.is_known() {
            return;
        }
        let n_values = self.n_values.entry(symbol).or_default();
        if *n_values < MAX_VALUES {
            *n_values += 1;
            self.builder
                .values
                .push((symbol, SymbolValue { recipe, scope, at }));
        }
    }

    /// A value that the function expression of a scope returns.
    pub fn lambda_return(&mut self, scope: ScopeId, recipe: RecipeId) {
        if recipe.is_known() {
            self.lambda_returns.push((scope, recipe));
        }
    }

    /// A function expression with what it was seen to return.
    pub fn lambda(&mut self, scope: ScopeId) -> RecipeId {
        // Function expressions inside have taken theirs already: its own are last.
        let n_others = self
            .lambda_returns
            .iter()
            .rposition(|(of, _)| *of != scope)
            .map_or(0, |last| last + 1);
        let returns: Vec<RecipeId> = self
            .lambda_returns
            .drain(n_others..)
            .map(|(_, recipe)| recipe)
            .collect();
        let returns = self.list(&returns);
        self.recipe(Recipe::Lambda(scope, returns))
    }

    pub fn supertype(&mut self, symbol: SymbolIndex, ty: TypeId, how: Inherit) {
        let supertype = Supertype { symbol, ty, how };
        self.builder.facts.supertypes.push(supertype);
    }

    pub fn import(&mut self, import: Import) {
        self.builder.facts.imports.push(import);
    }

    /// An import into the current scope of a whole module, until told otherwise.
    pub fn new_import(
        &mut self,
        kind: ImportKind,
        module: NameId,
        span: Span,
        name_span: Span,
    ) -> &mut Import {
        let imports = &mut self.builder.facts.imports;
        imports.push(Import {
            kind,
            module,
            level: 0,
            item: None,
            local: None,
            scope: self.scope,
            span,
            name_span,
            alias_span: None,
            reexported: false,
        });
        let last = imports.len() - 1;
        &mut imports[last]
    }

    /// Adds modifiers to a symbol.
    pub fn mark(&mut self, symbol: SymbolIndex, modifiers: Modifiers) {
        self.symbol_mut(symbol).modifiers.insert(modifiers);
    }

    /// An export of nothing yet, which the handler completes.
    pub fn new_export(&mut self, exported: NameId, name_span: Span) -> &mut Export {
        let exports = &mut self.builder.facts.exports;
        exports.push(Export {
            exported,
            local: None,
            value: RecipeId::UNKNOWN,
            module: None,
            name_span,
        });
        let last = exports.len() - 1;
        &mut exports[last]
    }

    /// An export of a value: by its name, where it has one.
    pub fn export_value(&mut self, exported: NameId, value: RecipeId, name_span: Span) {
        let (local, value) = match self.recipe_of(value) {
            Recipe::Name(local) => (Some(local), RecipeId::UNKNOWN),
            _ => (None, value),
        };
        let export = self.new_export(exported, name_span);
        (export.local, export.value) = (local, value);
    }

    pub fn annotation(&mut self, symbol: SymbolIndex, recipe: RecipeId, span: Span) {
        self.builder.facts.annotations.push(Annotation {
            symbol,
            recipe,
            span,
        });
    }

    /// The annotations of a symbol that were met so far.
    pub fn annotations_of(&self, symbol: SymbolIndex) -> Vec<RecipeId> {
        let annotations = self.builder.facts.annotations.iter();
        let own = annotations.filter(|annotation| annotation.symbol == symbol);
        own.map(|annotation| annotation.recipe).collect()
    }

    /// A decorator or attribute that is before what it belongs to.
    pub fn leading_annotation(&mut self, recipe: RecipeId, span: Span) {
        self.leading.push((recipe, span));
        self.leading_start.get_or_insert(span.start);
    }

    /// The next symbol starts here, with what is before its own node.
    pub fn leading_start(&mut self, start: u32) {
        self.leading_start.get_or_insert(start);
    }

    /// Decorators and attributes met so far, for a node that is no symbol.
    pub fn leading_annotations(&self) -> &[(RecipeId, Span)] {
        &self.leading
    }

    /// What came before was not a symbol: decorators and attributes met so far belong to nothing.
    pub fn forget_leading(&mut self) {
        self.leading.clear();
        self.leading_start = None;
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

    /// A word that names nothing to look up.
    pub fn label(&mut self, span: Span) {
        self.builder.facts.labels.push(span.start);
    }

    pub fn string_trivia(&mut self, span: Span) {
        self.builder.facts.trivia.push(Trivia {
            kind: TriviaKind::String,
            span,
        });
    }

    /// A reference in the current scope and symbol.
    pub fn reference(&mut self, span: Span, role: Role, receiver: Option<RecipeId>) -> ReferenceId {
        let name = self.name_at(span);
        self.reference_named(name, span, role, receiver)
    }

    /// A reference whose name is not the text itself.
    pub fn reference_named(
        &mut self,
        name: NameId,
        span: Span,
        role: Role,
        receiver: Option<RecipeId>,
    ) -> ReferenceId {
        let id = ReferenceId(self.builder.facts.references.len() as u32);
        let (scope, enclosing) = (self.scope, self.symbol);
        self.builder.facts.references.push(Reference {
            name,
            span,
            role,
            scope,
            enclosing,
            receiver,
            call: None,
        });
        id
    }

    /// The references made so far that start at or after a place, newest first.
    pub fn references_since(&self, start: u32) -> impl Iterator<Item = &Reference> {
        let references = self.builder.facts.references.iter().rev();
        references.take_while(move |reference| reference.span.start >= start)
    }

    /// The references made so far that start at or after a place, newest first, to be changed.
    pub fn references_since_mut(&mut self, start: u32) -> impl Iterator<Item = &mut Reference> {
        let references = self.builder.facts.references.iter_mut().rev();
        references.take_while(move |reference| reference.span.start >= start)
    }

    /// Takes the reference at a place back: what is there was no use of a name.
    pub fn forget_reference(&mut self, span: Span) {
        let references = &mut self.builder.facts.references;
        references.retain(|reference| reference.span != span);
    }

    pub fn reference_mut(&mut self, id: ReferenceId) -> &mut Reference {
        &mut self.builder.facts.references[id.0 as usize]
    }

    /// Says how the thing that `outcome` names is used.
    pub fn set_role(&mut self, outcome: Outcome, role: Role) {
        if let Some(reference) = outcome.reference {
            self.reference_mut(reference).role = role;
        }
    }

    /// Makes an annotation of what a node names, with the arguments it is given.
    pub fn annotate(&mut self, name: Outcome, arguments: Option<ListRange>) -> RecipeId {
        self.set_role(name, Role::Annotation);
        let Some(arguments) = arguments else {
            return name.recipe;
        };
        let recipe = self.recipe(Recipe::Call(name.recipe, arguments));
        if let Some(reference) = name.reference {
            self.reference_mut(reference).call = Some(recipe);
        }
        recipe
    }

    /// Binds a name in the current scope, visible from the name's end on until told otherwise.
    pub fn bind(&mut self, kind: BindingKind, name: NameId, name_span: Span) -> BindingId {
        let id = BindingId(self.builder.facts.bindings.len() as u32);
        let scope = self.scope;
        self.builder.facts.bindings.push(Binding {
            name,
            kind,
            scope,
            name_span,
            from: name_span.end,
            ty: TypeId::UNKNOWN,
            value: RecipeId::UNKNOWN,
            parameter: None,
        });
        id
    }

    /// Binds a name as [`Walk::bind`] does, for a handler that says more about it at once.
    pub fn new_binding(
        &mut self,
        kind: BindingKind,
        name: NameId,
        name_span: Span,
    ) -> &mut Binding {
        let id = self.bind(kind, name, name_span);
        self.binding_mut(id)
    }

    /// Binds the name at a place as [`Walk::bind`] does.
    pub fn new_binding_at(&mut self, kind: BindingKind, name_span: Span) -> &mut Binding {
        let name = self.name_at(name_span);
        self.new_binding(kind, name, name_span)
    }

    pub fn binding(&self, id: BindingId) -> &Binding {
        &self.builder.facts.bindings[id.0 as usize]
    }

    pub fn binding_mut(&mut self, id: BindingId) -> &mut Binding {
        &mut self.builder.facts.bindings[id.0 as usize]
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

    /// What holds after a statement at `start` that is left when its condition is true.
    pub fn take_refuted(&mut self, start: u32) -> Vec<(NameId, Span, TypeId)> {
        let n_before = self
            .refuted
            .iter()
            .rposition(|(_, span, _)| span.start < start)
            .map_or(0, |last| last + 1);
        self.refuted.split_off(n_before)
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

/// `protected internal` and the like: the wider of the two.
fn combined(a: Visibility, b: Visibility) -> Visibility {
    match (a, b) {
        (Visibility::Default, other) | (other, Visibility::Default) => other,
        (a, b) => a.min(b),
    }
}
