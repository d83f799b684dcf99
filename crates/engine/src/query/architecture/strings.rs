//! Strings as far as they can be told before the program runs: literals, constants, sums,
//! templates, and examples of the environment.

use std::collections::BTreeMap;

use facts::{BindingId, BindingKind, LiteralKind, Recipe, RecipeId, Span, SymbolIndex};

use super::{
    rules::Slot,
    scan::{CallSite, Scan},
};
use crate::{FileId, FileView, Found, Place, SymbolId};

/// A text, and whether all of it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownText {
    pub text: String,
    pub is_whole: bool,
}

impl KnownText {
    pub fn whole(text: impl Into<String>) -> KnownText {
        KnownText {
            text: text.into(),
            is_whole: true,
        }
    }
}

const MAX_DEPTH: u32 = 8;

impl Scan<'_> {
    /// The strings that an argument may be: one, or those of a list.
    pub fn strings(&self, place: Place, recipe: RecipeId) -> Vec<KnownText> {
        match place.view.facts.recipe(recipe) {
            Recipe::List(list) | Recipe::Tuple(list) => place
                .view
                .facts
                .list(list)
                .iter()
                .filter_map(|item| self.string(place, *item))
                .collect(),
            Recipe::New(_, list) => place
                .view
                .facts
                .list(list)
                .iter()
                .flat_map(|item| self.strings(place, *item))
                .collect(),
            _ => match self.string(place, recipe) {
                Some(known) => vec![known],
                None => self.looped(place, recipe).unwrap_or_default(),
            },
        }
    }

    /// The strings that a variable of a loop takes: `%w[a b].each { |name| get name }`.
    fn looped(&self, place: Place<'_>, recipe: RecipeId) -> Option<Vec<KnownText>> {
        let (view, items) = self.looped_items(place, recipe)?;
        let place = Place::end_of_file(&view);
        let texts = items.iter().map(|item| self.string(place, *item));
        texts.collect()
    }

    pub fn string(&self, place: Place<'_>, recipe: RecipeId) -> Option<KnownText> {
        self.string_at(place, recipe, 0)
    }

    /// The strings that an argument of a call may be; a template is read from the text, its holes
    /// filled where they are known.
    pub fn texts(&self, site: &CallSite, slots: &[Slot<'_>]) -> Vec<KnownText> {
        let Some(recipe) = self.site_argument(site, slots) else {
            return Vec::new();
        };
        let found = self.strings(site.place(), recipe);
        if !found.is_empty()
            || site.view.facts.recipe(recipe) != Recipe::Literal(LiteralKind::Template)
        {
            return found;
        }
        let i = site
            .arguments
            .iter()
            .position(|argument| *argument == recipe);
        let span = i.and_then(|i| self.argument_spans(site).get(i).copied());
        let known = span.and_then(|span| self.template(site, span));
        // Nothing but holes is not understood.
        known
            .filter(|known| known.is_whole || !known.text.trim_matches('/').is_empty())
            .into_iter()
            .collect()
    }

    /// The string that a symbol's value is.
    pub fn value_string(&self, view: &FileView, symbol: SymbolIndex) -> Option<KnownText> {
        let values = view.facts.values(view.symbol(symbol)).iter();
        let mut known =
            values.filter_map(|value| self.string(Place::of_value(view, value), value.recipe));
        known.next()
    }

    /// `` `${base}/users` ``, `f"{base}/users"`, `$"{Base}/users"`.
    fn template(&self, site: &CallSite, span: Span) -> Option<KnownText> {
        let text = self.text(site.view.id)?;
        let written = text.get(span.start as usize..span.end as usize)?;
        let open = written.find(['"', '\'', '`'])?;
        let quote = written[open..].chars().next()?;
        let inner = written[open..].trim_matches(quote);
        let offset = span.start + (written[open..].find(inner)? + open) as u32;
        let mut known = KnownText::whole("");
        let mut rest = 0;
        while let Some(hole) = inner[rest..].find('{').map(|at| at + rest) {
            let literal = inner[rest..hole].trim_end_matches(['$', '#']);
            known.text.push_str(literal);
            // A doubled brace is a brace: `$"/items/{{id}}"`.
            if inner[hole..].starts_with("{{") {
                let close = inner[hole..]
                    .find("}}")
                    .map_or(inner.len(), |at| at + hole + 2);
                known
                    .text
                    .push_str(&inner[hole + 1..close.saturating_sub(1)]);
                rest = close;
                continue;
            }
            let close = inner[hole..].find('}').map(|at| at + hole)?;
            match self.hole(site, &inner[hole + 1..close], offset + close as u32) {
                Some(filled) => {
                    known.text.push_str(&filled.text);
                    known.is_whole &= filled.is_whole;
                }
                None => known.is_whole = false,
            }
            rest = close + 1;
        }
        known.text.push_str(&inner[rest..]);
        Some(known)
    }

    /// The strings that the first argument of a call without parentheses may be, where it is
    /// `"posts/#{action}"` and the variable of a loop fills it.
    pub fn filled_templates(&self, site: &CallSite) -> Vec<String> {
        self.filled(site).unwrap_or_default()
    }

    fn filled(&self, site: &CallSite) -> Option<Vec<String>> {
        let text = self.text(site.view.id)?;
        let end = site.reference.span.end as usize;
        let rest = text.get(end..)?;
        let written = rest.trim_start_matches([' ', '(']).strip_prefix('"')?;
        let mut offset = end + (rest.len() - written.len());
        let mut inner = written.split_once('"')?.0;
        let mut found = vec![String::new()];
        while let Some((before, hole)) = inner.split_once("#{") {
            let (name, after) = hole.split_once('}')?;
            let start = (offset + before.len() + 2) as u32;
            let fillings = self.filling(site, name.trim(), start)?;
            found = found
                .iter()
                .flat_map(|found| {
                    let fillings = fillings.iter();
                    fillings.map(move |filling| format!("{found}{before}{filling}"))
                })
                .collect();
            offset += inner.len() - after.len();
            inner = after;
        }
        found.iter_mut().for_each(|text| text.push_str(inner));
        Some(found)
    }

    /// The strings that a name at a place may be.
    fn filling(&self, site: &CallSite, name: &str, start: u32) -> Option<Vec<String>> {
        let facts = &site.view.facts;
        let id = facts.names.find(name)?;
        let mut references = facts.references_of(id).iter();
        let reference = references.find(|reference| reference.span.start >= start)?;
        let mut recipes = facts.recipes.iter();
        let recipe = recipes.position(|recipe| *recipe == Recipe::Name(id))?;
        let place = Place::of(&site.view, reference);
        let known = self.strings(place, RecipeId(recipe as u32));
        let texts: Vec<String> = known.into_iter().map(|known| known.text).collect();
        (!texts.is_empty()).then_some(texts)
    }

    /// The text of a name inside a template that ends at a place.
    fn hole(&self, site: &CallSite, expression: &str, end: u32) -> Option<KnownText> {
        let name = expression.trim().rsplit(['.', ':']).next()?;
        let id = site.view.facts.names.find(name)?;
        let reference = site
            .view
            .facts
            .references_of(id)
            .iter()
            .find(|reference| reference.span.end == end)?;
        match self
            .resolver
            .resolve(&site.view, reference)
            .targets
            .into_iter()
            .next()
        {
            Some(Found::Symbol(symbol)) => self.symbol_string(symbol, 0),
            Some(Found::Binding(file, binding)) => self.binding_string(file, binding, 0),
            _ => self.environment(name),
        }
    }

    /// What an example of the environment sets a variable to. The one who runs the program may set
    /// another.
    fn environment(&self, name: &str) -> Option<KnownText> {
        let examples = self.findings.environment.get_or_init(|| {
            let snapshot = self.resolver.snapshot();
            let mut found = BTreeMap::new();
            for (_, file) in snapshot.files() {
                let base = file.path.as_str().rsplit('/').next().unwrap_or("");
                if !(base.starts_with(".env") || base.starts_with("env.") || base.ends_with(".env"))
                {
                    continue;
                }
                let Some(text) = snapshot.corpus().text(file.content) else {
                    continue;
                };
                for (key, value) in text
                    .lines()
                    .filter_map(|line| line.trim().trim_start_matches("export ").split_once('='))
                {
                    found
                        .entry(key.trim().to_owned())
                        .or_insert_with(|| value.trim().trim_matches(['"', '\'']).to_owned());
                }
            }
            found
        });
        examples.get(name).map(|value| KnownText {
            text: value.clone(),
            is_whole: false,
        })
    }

    /// `options.prefix` where `options` is handed to a plugin: what objects of the program set that
    /// field to, if they agree.
    fn handed_field(
        &self,
        place: Place,
        receiver: RecipeId,
        name: &str,
        depth: u32,
    ) -> Option<KnownText> {
        if !self.framework.has_plugin_options || depth > 2 {
            return None;
        }
        let Found::Binding(file, id) = self.meaning(place, receiver)? else {
            return None;
        };
        let view = self.resolver.view(file)?;
        if view.facts.bindings[id.0 as usize].kind != BindingKind::Parameter {
            return None;
        }
        let mut found: Vec<String> = Vec::new();
        for view in self.views() {
            let Some(wanted) = view.facts.names.find(name) else {
                continue;
            };
            for recipe in &view.facts.recipes {
                let Recipe::Field(field, value) = *recipe else {
                    continue;
                };
                if field == wanted
                    && let Some(known) = self.string_at(Place::end_of_file(&view), value, depth + 4)
                {
                    found.push(known.text);
                }
            }
        }
        found.sort();
        found.dedup();
        match found.as_slice() {
            [only] => Some(KnownText {
                text: format!("{}/", only.trim_end_matches('/')),
                is_whole: false,
            }),
            _ => None,
        }
    }

    fn string_at(&self, place: Place, recipe: RecipeId, depth: u32) -> Option<KnownText> {
        if depth > MAX_DEPTH {
            return None;
        }
        let facts = &place.view.facts;
        match facts.recipe(recipe) {
            Recipe::Str(text) => Some(KnownText::whole(facts.name(text))),
            Recipe::Operation(a, b) => {
                let (a, b) = (
                    self.string_at(place, a, depth + 1),
                    self.string_at(place, b, depth + 1),
                );
                match (a, b) {
                    (Some(a), Some(b)) => Some(KnownText {
                        text: format!("{}{}", a.text, b.text),
                        is_whole: a.is_whole && b.is_whole,
                    }),
                    (Some(known), None) | (None, Some(known)) => Some(KnownText {
                        is_whole: false,
                        ..known
                    }),
                    (None, None) => None,
                }
            }
            Recipe::Either(a, b) => self
                .string_at(place, a, depth + 1)
                .or_else(|| self.string_at(place, b, depth + 1)),
            Recipe::Await(inner) | Recipe::Try(inner) | Recipe::Reference(inner) => {
                self.string_at(place, inner, depth + 1)
            }
            Recipe::Name(_) | Recipe::Member(..) | Recipe::Scoped(..) => {
                let found = match self.meaning(place, recipe) {
                    Some(Found::Symbol(symbol)) => self.symbol_string(symbol, depth),
                    Some(Found::Binding(file, binding)) => {
                        self.binding_string(file, binding, depth)
                    }
                    _ => None,
                };
                found.or_else(|| {
                    let Recipe::Member(receiver, name) = facts.recipe(recipe) else {
                        return None;
                    };
                    let name = facts.name(name);
                    match is_variable(name) {
                        true => self.environment(name),
                        false => self.handed_field(place, receiver, name, depth),
                    }
                })
            }
            Recipe::Call(callee, list) => {
                let name = self.last_name(place.view, callee)?;
                let arguments = facts.list(list);
                if !self.framework.settings.contains(&name) {
                    return None;
                }
                let key = self.string_at(place, *arguments.first()?, depth + 1)?;
                self.setting(&key.text, depth).or_else(|| {
                    let default = self.string_at(place, *arguments.get(1)?, depth + 1)?;
                    Some(KnownText {
                        is_whole: false,
                        ..default
                    })
                })
            }
            _ => None,
        }
    }

    /// What the program sets a setting to: an example of the environment, or the field of an object
    /// in a file that names its section, where these agree.
    fn setting(&self, key: &str, depth: u32) -> Option<KnownText> {
        if is_variable(key) {
            return self.environment(key);
        }
        let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
        let section = section.rsplit('.').next().unwrap_or(section);
        let mut found: Vec<String> = Vec::new();
        for view in self.views() {
            let facts = &view.facts;
            let Some(wanted) = facts.names.find(name) else {
                continue;
            };
            if !section.is_empty() && facts.names.find(section).is_none() {
                continue;
            }
            for recipe in &facts.recipes {
                if let Recipe::Field(field, value) = *recipe
                    && field == wanted
                    && let Some(known) = self.string_at(Place::end_of_file(&view), value, depth + 2)
                {
                    found.push(known.text);
                }
            }
        }
        found.sort();
        found.dedup();
        match found.as_slice() {
            [only] => Some(KnownText {
                text: only.clone(),
                is_whole: false,
            }),
            _ => None,
        }
    }

    fn symbol_string(&self, symbol: SymbolId, depth: u32) -> Option<KnownText> {
        // A function that returns a text is not that text.
        let (view, declared) = self
            .resolver
            .symbol(symbol)
            .filter(|(_, declared)| !declared.kind.is_callable())?;
        let mut values = view.facts.values(&declared).iter();
        values.find_map(|value| {
            self.string_at(Place::of_value(&view, value), value.recipe, depth + 1)
        })
    }

    fn binding_string(&self, file: FileId, binding: BindingId, depth: u32) -> Option<KnownText> {
        let view = self.resolver.view(file)?;
        let binding = &view.facts.bindings[binding.0 as usize];
        if !binding.value.is_known() {
            return None;
        }
        self.string_at(Place::of_binding(&view, binding), binding.value, depth + 1)
    }
}

/// Written as environment variables are.
fn is_variable(name: &str) -> bool {
    name.len() > 2
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The spans of the arguments in the parentheses after a place.
pub fn argument_spans(text: &str, from: u32) -> Vec<Span> {
    let mut spans = Vec::new();
    let bytes = text.as_bytes();
    let Some(open) = bytes
        .get(from as usize..)
        .and_then(|rest| rest.iter().position(|byte| *byte == b'('))
    else {
        return spans;
    };
    // Between a name and its arguments are at most type arguments. A call without parentheses begins
    // with its first argument.
    let between = text.get(from as usize..from as usize + open).unwrap_or("");
    if open > 256 || between.trim_start().starts_with(['"', '\'', ':']) {
        return spans;
    }
    let (mut depth, mut start, mut quote) = (0_i32, from as usize + open + 1, None);
    let mut i = from as usize + open;
    while i < bytes.len() {
        let byte = bytes[i];
        match quote {
            Some(_) if byte == b'\\' => i += 1,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'`' => quote = Some(byte),
                // A lifetime or a character of Rust is no open quote.
                b'\'' if bytes[i + 1..].iter().take(200).any(|next| *next == b'\'') => {
                    quote = Some(byte)
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        push_span(text, start, i, &mut spans);
                        return spans;
                    }
                }
                b',' if depth == 1 => {
                    push_span(text, start, i, &mut spans);
                    start = i + 1;
                }
                _ => {}
            },
        }
        i += 1;
    }
    spans
}

fn push_span(text: &str, start: usize, end: usize, spans: &mut Vec<Span>) {
    let Some(written) = text.get(start..end) else {
        return;
    };
    let begin = start + written.len() - written.trim_start().len();
    if !written.trim().is_empty() {
        spans.push(Span::new(
            begin as u32,
            (start + written.trim_end().len()) as u32,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_between_commas() {
        let text = r#"use("/a, b", f(x, [1, 2]), { c: ")" })"#;
        let written: Vec<&str> = argument_spans(text, 3)
            .iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect();
        assert_eq!(written, [r#""/a, b""#, "f(x, [1, 2])", r#"{ c: ")" }"#]);
        assert!(argument_spans("use", 3).is_empty());
    }
}
