//! Facts under construction: words, recipes and types are kept once; at the end everything is put
//! in its stated order.

use std::borrow::Cow;

use facts::{
    Facts, LanguageId, LineIndex, ListRange, NameId, Names, Parameter, Recipe, RecipeId, Scope,
    ScopeId, ScopeKind, Span, Symbol, SymbolIndex, SymbolValue, TypeId, TypeListRange,
    TypeParameter, TypeRecipe,
};
use rustc_hash::FxHashMap;

pub(crate) struct Builder<'text> {
    words: FxHashMap<Cow<'text, str>, NameId>,
    word_list: Vec<Cow<'text, str>>,
    recipe_ids: FxHashMap<Recipe, RecipeId>,
    type_ids: FxHashMap<TypeRecipe, TypeId>,
    list_ids: FxHashMap<Vec<RecipeId>, ListRange>,
    type_list_ids: FxHashMap<Vec<TypeId>, TypeListRange>,
    pub parameters: Vec<(SymbolIndex, Parameter)>,
    pub type_parameters: Vec<(SymbolIndex, TypeParameter)>,
    pub values: Vec<(SymbolIndex, SymbolValue)>,
    /// Everything that needs no second look; names are numbered in order of appearance until
    /// `finish`.
    pub facts: Facts,
}

impl<'text> Builder<'text> {
    pub fn new(language: LanguageId, text: &str) -> Builder<'text> {
        let whole = Span::new(0, text.len() as u32);
        let file = Scope {
            parent: ScopeId::FILE,
            kind: ScopeKind::File,
            span: whole,
            owner: None,
            context: None,
        };
        Builder {
            words: FxHashMap::default(),
            word_list: Vec::new(),
            recipe_ids: FxHashMap::from_iter([(Recipe::Unknown, RecipeId::UNKNOWN)]),
            type_ids: FxHashMap::from_iter([(TypeRecipe::Unknown, TypeId::UNKNOWN)]),
            list_ids: FxHashMap::default(),
            type_list_ids: FxHashMap::default(),
            parameters: Vec::new(),
            type_parameters: Vec::new(),
            values: Vec::new(),
            facts: Facts {
                language,
                lines: LineIndex::new(text),
                is_ascii: text.is_ascii(),
                scopes: vec![file],
                recipes: vec![Recipe::Unknown],
                types: vec![TypeRecipe::Unknown],
                ..Facts::default()
            },
        }
    }

    pub fn name(&mut self, word: impl Into<Cow<'text, str>>) -> NameId {
        let word = word.into();
        if let Some(&name) = self.words.get(&word) {
            return name;
        }
        let name = NameId(self.word_list.len() as u32);
        self.word_list.push(word.clone());
        self.words.insert(word, name);
        name
    }

    pub fn word(&self, name: NameId) -> &str {
        &self.word_list[name.0 as usize]
    }

    pub fn recipe(&mut self, recipe: Recipe) -> RecipeId {
        let next = RecipeId(self.facts.recipes.len() as u32);
        let id = *self.recipe_ids.entry(recipe).or_insert(next);
        if id == next {
            self.facts.recipes.push(recipe);
        }
        id
    }

    pub fn ty(&mut self, ty: TypeRecipe) -> TypeId {
        let next = TypeId(self.facts.types.len() as u32);
        let id = *self.type_ids.entry(ty).or_insert(next);
        if id == next {
            self.facts.types.push(ty);
        }
        id
    }

    pub fn list(&mut self, items: &[RecipeId]) -> ListRange {
        if items.is_empty() {
            return ListRange::default();
        }
        if let Some(&range) = self.list_ids.get(items) {
            return range;
        }
        let range = ListRange {
            start: self.facts.lists.len() as u32,
            len: items.len() as u32,
        };
        self.facts.lists.extend_from_slice(items);
        self.list_ids.insert(items.to_vec(), range);
        range
    }

    pub fn type_list(&mut self, items: &[TypeId]) -> TypeListRange {
        if items.is_empty() {
            return TypeListRange::default();
        }
        if let Some(&range) = self.type_list_ids.get(items) {
            return range;
        }
        let range = TypeListRange {
            start: self.facts.type_lists.len() as u32,
            len: items.len() as u32,
        };
        self.facts.type_lists.extend_from_slice(items);
        self.type_list_ids.insert(items.to_vec(), range);
        range
    }

    /// Sorts every list into its stated order and numbers symbols and names accordingly.
    pub fn finish(self) -> Facts {
        let Builder {
            word_list,
            parameters,
            type_parameters,
            mut values,
            mut facts,
            ..
        } = self;
        let symbol_numbers = sort_symbols(&mut facts.symbols);
        let renumbered = |index: SymbolIndex| {
            symbol_numbers
                .as_ref()
                .map_or(index, |numbers| numbers[index.0 as usize])
        };
        sort_scopes(&mut facts, &mut values);

        let mut sorted: Vec<(&str, NameId)> = word_list
            .iter()
            .enumerate()
            .map(|(i, word)| (word.as_ref(), NameId(i as u32)))
            .collect();
        sorted.sort_unstable_by_key(|(word, _)| *word);
        let mut name_numbers = vec![NameId(0); sorted.len()];
        for (i, (_, id)) in sorted.iter().enumerate() {
            name_numbers[id.0 as usize] = NameId(i as u32);
        }
        facts.names = Names::from_sorted(sorted.iter().map(|(word, _)| *word));
        let named = |name: &mut NameId| *name = name_numbers[name.0 as usize];

        renumber(&mut facts, named, renumbered);
        let n_names = name_numbers.len();
        sort_by_name(
            &mut facts.bindings,
            n_names,
            |binding| binding.name,
            |binding| (binding.from, binding.name_span.start),
        );
        sort_by_name(
            &mut facts.references,
            n_names,
            |reference| reference.name,
            |reference| reference.span.start,
        );
        facts.supertypes.sort_by_key(|supertype| supertype.symbol);
        facts
            .annotations
            .sort_by_key(|annotation| (annotation.symbol, annotation.span.start));
        facts.trivia.sort_by_key(|trivia| trivia.span.start);
        facts.thrown.sort_by_key(|thrown| thrown.span.start);
        facts
            .value_calls
            .sort_by_key(|call| (call.span.start, call.span.end));
        facts.stores.sort_by_key(|store| store.at);
        facts
            .implicit
            .sort_by_key(|used| (used.span.start, used.span.end));
        facts.labels.sort_unstable();
        facts.labels.dedup();
        facts.problems.sort_by_key(|problem| problem.span.start);

        facts.parameters = by_symbol(parameters, renumbered, &mut facts.symbols, |symbol| {
            &mut symbol.parameters
        });
        facts
            .parameters
            .iter_mut()
            .for_each(|parameter| named(&mut parameter.name));
        facts.type_parameters =
            by_symbol(type_parameters, renumbered, &mut facts.symbols, |symbol| {
                &mut symbol.type_parameters
            });
        facts
            .type_parameters
            .iter_mut()
            .for_each(|parameter| named(&mut parameter.name));
        facts.values = by_symbol(values, renumbered, &mut facts.symbols, |symbol| {
            &mut symbol.values
        });
        facts
    }
}

/// Puts the final numbers of names and symbols everywhere but into lists by symbol.
fn renumber(
    facts: &mut Facts,
    named: impl Fn(&mut NameId) + Copy,
    renumbered: impl Fn(SymbolIndex) -> SymbolIndex + Copy,
) {
    for symbol in &mut facts.symbols {
        named(&mut symbol.name);
        symbol.parent = symbol.parent.map(renumbered);
    }
    for scope in &mut facts.scopes {
        scope.owner = scope.owner.map(renumbered);
    }
    for binding in &mut facts.bindings {
        named(&mut binding.name);
    }
    for import in &mut facts.imports {
        named(&mut import.module);
        import.item.iter_mut().for_each(named);
        import.local.iter_mut().for_each(named);
    }
    for export in &mut facts.exports {
        named(&mut export.exported);
        export.local.iter_mut().for_each(named);
        export.module.iter_mut().for_each(named);
    }
    for reference in &mut facts.references {
        named(&mut reference.name);
        reference.enclosing = reference.enclosing.map(renumbered);
    }
    for call in &mut facts.value_calls {
        call.enclosing = call.enclosing.map(renumbered);
    }
    for used in &mut facts.implicit {
        named(&mut used.word);
        used.enclosing = used.enclosing.map(renumbered);
    }
    for supertype in &mut facts.supertypes {
        supertype.symbol = renumbered(supertype.symbol);
    }
    for annotation in &mut facts.annotations {
        annotation.symbol = renumbered(annotation.symbol);
    }
    for recipe in &mut facts.recipes {
        match recipe {
            Recipe::Name(name)
            | Recipe::Str(name)
            | Recipe::Member(_, name)
            | Recipe::Scoped(_, name)
            | Recipe::Field(name, _) => named(name),
            Recipe::Symbol(symbol) => *symbol = renumbered(*symbol),
            _ => {}
        }
    }
    for ty in &mut facts.types {
        if let TypeRecipe::Name(name) | TypeRecipe::Scoped(_, name) | TypeRecipe::Literal(name) = ty
        {
            named(name);
        }
    }
}

/// Sorts by name, then by place; equal ones keep their order. Names are few and items come nearly
/// in order of their place, so counting beats comparing.
fn sort_by_name<T: Clone, K: Ord>(
    items: &mut Vec<T>,
    n_names: usize,
    name: impl Fn(&T) -> NameId,
    place: impl Fn(&T) -> K,
) {
    let mut ends = vec![0u32; n_names];
    items
        .iter()
        .for_each(|item| ends[name(item).0 as usize] += 1);
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    let mut order = vec![0u32; items.len()];
    for (i, item) in items.iter().enumerate().rev() {
        let end = &mut ends[name(item).0 as usize];
        *end -= 1;
        order[*end as usize] = i as u32;
    }
    let mut sorted: Vec<T> = order.iter().map(|&i| items[i as usize].clone()).collect();
    for same in sorted.chunk_by_mut(|a, b| name(a) == name(b)) {
        if !same.is_sorted_by_key(&place) {
            same.sort_by_key(&place);
        }
    }
    *items = sorted;
}

/// Puts scopes in order of their start, outer ones first, if parts of the text were walked after
/// the rest.
fn sort_scopes(facts: &mut Facts, values: &mut [(SymbolIndex, SymbolValue)]) {
    if facts
        .scopes
        .windows(2)
        .all(|pair| pair[0].span.start <= pair[1].span.start)
    {
        return;
    }
    let mut order: Vec<usize> = (0..facts.scopes.len()).collect();
    // Scopes of one place keep their order: the outer one was opened first.
    order.sort_by_key(|&i| {
        (
            facts.scopes[i].span.start,
            std::cmp::Reverse(facts.scopes[i].span.end),
        )
    });
    let mut numbers = vec![ScopeId::FILE; order.len()];
    for (new, &old) in order.iter().enumerate() {
        numbers[old] = ScopeId(new as u32);
    }
    facts.scopes = order.iter().map(|&old| facts.scopes[old].clone()).collect();
    let renumber = |scope: &mut ScopeId| *scope = numbers[scope.0 as usize];
    facts
        .scopes
        .iter_mut()
        .for_each(|scope| renumber(&mut scope.parent));
    for symbol in &mut facts.symbols {
        renumber(&mut symbol.declared_in);
        symbol.body.iter_mut().for_each(renumber);
    }
    facts
        .bindings
        .iter_mut()
        .for_each(|binding| renumber(&mut binding.scope));
    facts
        .imports
        .iter_mut()
        .for_each(|import| renumber(&mut import.scope));
    facts
        .references
        .iter_mut()
        .for_each(|reference| renumber(&mut reference.scope));
    facts
        .value_calls
        .iter_mut()
        .for_each(|call| renumber(&mut call.scope));
    facts
        .stores
        .iter_mut()
        .for_each(|store| renumber(&mut store.scope));
    values
        .iter_mut()
        .for_each(|(_, value)| renumber(&mut value.scope));
    for recipe in &mut facts.recipes {
        if let Recipe::Lambda(scope, _) = recipe {
            renumber(scope);
        }
    }
    for ty in &mut facts.types {
        if let TypeRecipe::Members(scope) = ty {
            renumber(scope);
        }
    }
}

/// Puts symbols in order of their start, containers before members. Gives the new numbers, or
/// nothing if the order was right.
fn sort_symbols(symbols: &mut Vec<Symbol>) -> Option<Vec<SymbolIndex>> {
    let key = |symbol: &Symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end));
    if symbols
        .windows(2)
        .all(|pair| key(&pair[0]) <= key(&pair[1]))
    {
        return None;
    }
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&i| key(&symbols[i]));
    let mut numbers = vec![SymbolIndex(0); symbols.len()];
    for (new, &old) in order.iter().enumerate() {
        numbers[old] = SymbolIndex(new as u32);
    }
    let mut sorted = Vec::with_capacity(symbols.len());
    for &old in &order {
        sorted.push(symbols[old].clone());
    }
    *symbols = sorted;
    Some(numbers)
}

fn by_symbol<T>(
    mut items: Vec<(SymbolIndex, T)>,
    renumbered: impl Fn(SymbolIndex) -> SymbolIndex,
    symbols: &mut [Symbol],
    range: impl Fn(&mut Symbol) -> &mut ListRange,
) -> Vec<T> {
    for (symbol, _) in &mut items {
        *symbol = renumbered(*symbol);
    }
    items.sort_by_key(|(symbol, _)| *symbol);
    for (i, (symbol, _)) in items.iter().enumerate() {
        let range = range(&mut symbols[symbol.0 as usize]);
        if range.len == 0 {
            range.start = i as u32;
        }
        range.len += 1;
    }
    items.into_iter().map(|(_, item)| item).collect()
}
