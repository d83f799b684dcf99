//! A language's rules by node kind, with their words looked up in the grammar.

use std::sync::{Mutex, OnceLock, PoisonError};

use facts::{Modifiers, ScopeKind, Visibility};
use rustc_hash::FxHashMap;

use crate::{
    language::Language,
    rules::{By, Context, Rule},
};

/// A language's rules by node kind and field, built once per process.
pub struct RuleTable {
    pub kinds: Vec<KindEntry>,
    pub fields: Vec<&'static str>,
}

#[derive(Clone, Copy)]
pub struct KindEntry {
    pub kind: &'static str,
    /// The first id of this kind: a grammar may have several of one name.
    pub kind_id: u16,
    pub named: bool,
    pub rule: Option<&'static TableRule>,
    pub modifiers: Modifiers,
    pub visibility: Visibility,
}

/// A rule with its words looked up in the grammar, so that the walk compares numbers.
pub struct TableRule {
    pub rule: &'static Rule,
    /// What it says about children by field or kind; the first that fits holds.
    pub children: Vec<(ChildId, ChildSays)>,
    pub others: Option<ChildSays>,
    /// Children of which nothing is said are in the node's own context.
    pub hands_down: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ChildId {
    Field(u16),
    Kind(u16),
}

pub type ChildSays = (Option<Context>, Option<ScopeKind>);

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
