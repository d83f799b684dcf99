//! Whether every identifier of a text is a definition, reference, binding, import or label: what is
//! left over is counted by node kind.

use std::collections::BTreeMap;

use facts::Facts;
use rustc_hash::FxHashSet;
use tree_sitter::Tree;

use crate::language::Language;

/// Identifiers of one or more files.
#[derive(Debug, Default)]
pub struct IdentifierAccount {
    pub n_identifiers: u64,
    /// Neither defined, referred to, bound, imported nor a label, by `parent > kind`, with an
    /// example.
    pub unclassified: BTreeMap<String, (u64, String)>,
}

impl IdentifierAccount {
    pub fn n_unclassified(&self) -> u64 {
        self.unclassified.values().map(|(count, _)| count).sum()
    }

    /// Adds a file. `tree` is the parse of `text` from which `facts` were made.
    pub fn add(&mut self, language: &Language, text: &str, tree: &Tree, facts: &Facts) {
        let known = known_places(facts);
        let kinds: Vec<&str> = language
            .rules
            .iter()
            .flat_map(|rules| rules.iter())
            .filter(|rule| rule.identifier)
            .flat_map(|rule| rule.kinds().iter().copied())
            .collect();
        let opaque: Vec<&str> = language
            .rules
            .iter()
            .flat_map(|rules| rules.iter())
            .filter(|rule| rule.opaque)
            .flat_map(|rule| rule.kinds().iter().copied())
            .collect();
        let mut cursor = tree.walk();
        let mut ancestors: Vec<&str> = Vec::new();
        loop {
            let node = cursor.node();
            // What the walk does not enter is one word, sign and all: PHP's `$x`.
            let is_word = node.child_count() == 0 || opaque.contains(&node.kind());
            if is_word
                && kinds.contains(&node.kind())
                && !node.is_missing()
                && node.start_byte() < node.end_byte()
            {
                self.n_identifiers += 1;
                let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
                let inside_import = facts
                    .imports
                    .iter()
                    .any(|import| import.span.contains(start));
                if !(start..end).any(|place| known.contains(&place)) && !inside_import {
                    let parent = ancestors.last().copied().unwrap_or("");
                    let example = text.get(node.start_byte()..node.end_byte()).unwrap_or("");
                    let line = facts.lines.line_number(start);
                    let entry = self
                        .unclassified
                        .entry(format!("{parent} > {}", node.kind()))
                        .or_insert((0, format!("{example} (line {line})")));
                    entry.0 += 1;
                }
            }
            ancestors.push(node.kind());
            if !opaque.contains(&node.kind()) && cursor.goto_first_child() {
                continue;
            }
            ancestors.pop();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                ancestors.pop();
            }
        }
    }
}

fn known_places(facts: &Facts) -> FxHashSet<u32> {
    let mut known: FxHashSet<u32> = FxHashSet::default();
    known.extend(
        facts
            .references
            .iter()
            .map(|reference| reference.span.start),
    );
    known.extend(facts.symbols.iter().map(|symbol| symbol.name_span.start));
    known.extend(facts.bindings.iter().map(|binding| binding.name_span.start));
    known.extend(
        facts
            .type_parameters
            .iter()
            .map(|parameter| parameter.name_span.start),
    );
    known.extend(facts.exports.iter().map(|export| export.name_span.start));
    known.extend(
        facts
            .imports
            .iter()
            .flat_map(|import| import.alias_span)
            .map(|span| span.start),
    );
    known.extend(facts.labels.iter().copied());
    known
}
