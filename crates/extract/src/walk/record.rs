//! Recording symbols, types, values, references, bindings and imports.

use std::borrow::Cow;

use facts::{
    Annotation, Binding, BindingId, BindingKind, Export, Import, ImportKind, Inherit, ListRange,
    Modifiers, NameId, Parameter, ParameterFlags, Recipe, RecipeId, Reference, Role, ScopeId, Span,
    Supertype, Symbol, SymbolIndex, SymbolValue, Trivia, TriviaKind, TypeId, TypeListRange,
    TypeParameter, TypeRecipe,
};

use super::{Outcome, ReferenceId, Walk};

impl<'text> Walk<'text> {
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

    pub fn list(&mut self, items: &[RecipeId]) -> ListRange {
        self.builder.list(items)
    }

    pub fn ty(&mut self, ty: TypeRecipe) -> TypeId {
        self.builder.ty(ty)
    }

    pub fn type_list(&mut self, items: &[TypeId]) -> TypeListRange {
        self.builder.type_list(items)
    }

    pub fn symbol_mut(&mut self, index: SymbolIndex) -> &mut Symbol {
        &mut self.builder.facts.symbols[index.0 as usize]
    }

    pub fn facts_mut(&mut self) -> &mut facts::Facts {
        &mut self.builder.facts
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

    /// A decorator or attribute that is before what it belongs to.
    pub fn leading_annotation(&mut self, recipe: RecipeId, span: Span) {
        self.leading.push((recipe, span));
        self.leading_start.get_or_insert(span.start);
    }

    /// The next symbol starts here, with what is before its own node.
    pub fn leading_start(&mut self, start: u32) {
        self.leading_start.get_or_insert(start);
    }

    /// What came before was not a symbol: decorators and attributes met so far belong to nothing.
    pub fn forget_leading(&mut self) {
        self.leading.clear();
        self.leading_start = None;
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

    pub fn binding_mut(&mut self, id: BindingId) -> &mut Binding {
        &mut self.builder.facts.bindings[id.0 as usize]
    }
}
