//! A file as the resolver looks at it: its facts, with symbols findable by name and container.

use std::sync::{Arc, OnceLock};

use facts::{
    Facts, LiteralKind, NameId, Parameter, ParameterFlags, Recipe, RecipeId, ScopeId, ScopeKind,
    Semantics, Symbol, SymbolIndex, TypeRecipe,
};

use super::{
    SymbolId,
    dialect::{self, Dialect},
    flow::FlowIndex,
    shapes::Shapes,
};
use crate::FileId;

pub struct FileView {
    pub id: FileId,
    pub facts: Arc<Facts>,
    pub semantics: &'static Semantics,
    /// What the language of the file does differently.
    pub(crate) dialect: &'static Dialect,
    shapes: OnceLock<&'static Shapes>,
    /// Symbols by name, then by place; put in order when first asked for.
    by_name: OnceLock<Vec<(NameId, SymbolIndex)>>,
    /// Symbols by container, then by place; the same.
    by_parent: OnceLock<Vec<(Option<SymbolIndex>, SymbolIndex)>>,
    /// Where values go; the same.
    flows: OnceLock<FlowIndex>,
}

impl FileView {
    pub fn new(id: FileId, facts: Arc<Facts>, semantics: &'static Semantics) -> FileView {
        FileView {
            id,
            facts,
            semantics,
            dialect: dialect::of(semantics.family),
            shapes: OnceLock::new(),
            by_name: OnceLock::new(),
            by_parent: OnceLock::new(),
            flows: OnceLock::new(),
        }
    }

    /// What is known of the libraries of the file's language.
    pub(crate) fn shapes(&self) -> &'static Shapes {
        self.shapes.get_or_init(|| Shapes::of(self.semantics))
    }

    /// Where the values of the file go.
    pub(crate) fn flow_index(&self) -> &FlowIndex {
        let decorators = self.dialect.flows.decorators_replace;
        self.flows
            .get_or_init(|| FlowIndex::new(&self.facts, decorators))
    }

    fn by_name(&self) -> &[(NameId, SymbolIndex)] {
        self.by_name.get_or_init(|| {
            let mut by_name: Vec<_> = self
                .facts
                .symbols_with_index()
                .map(|(index, symbol)| (symbol.name, index))
                .collect();
            by_name.sort_unstable();
            by_name
        })
    }

    fn by_parent(&self) -> &[(Option<SymbolIndex>, SymbolIndex)] {
        self.by_parent.get_or_init(|| {
            let mut by_parent: Vec<_> = self
                .facts
                .symbols_with_index()
                .map(|(index, symbol)| (symbol.parent, index))
                .collect();
            by_parent.sort_unstable();
            by_parent
        })
    }

    pub fn symbol(&self, index: SymbolIndex) -> &Symbol {
        self.facts.symbol(index)
    }

    pub fn symbol_id(&self, index: SymbolIndex) -> SymbolId {
        SymbolId::new(self.id, index)
    }

    /// The parameters that a callable is given arguments for, thus without a receiver.
    pub fn parameters(&self, callable: &Symbol) -> Vec<&Parameter> {
        let all = self.facts.parameters(callable).iter();
        all.filter(|parameter| !parameter.flags.contains(ParameterFlags::RECEIVER))
            .collect()
    }

    pub fn name_of(&self, index: SymbolIndex) -> &str {
        self.facts.name(self.facts.symbol(index).name)
    }

    /// Whether an expression is written `true`.
    pub fn is_true(&self, recipe: RecipeId) -> bool {
        self.facts.recipe(recipe) == Recipe::Literal(LiteralKind::True)
    }

    /// Whether an expression is written `false`.
    pub fn is_false(&self, recipe: RecipeId) -> bool {
        self.facts.recipe(recipe) == Recipe::Literal(LiteralKind::False)
    }

    pub fn symbols_named(&self, name: NameId) -> impl Iterator<Item = SymbolIndex> + '_ {
        let start = self.by_name().partition_point(|(of, _)| *of < name);
        self.by_name()[start..]
            .iter()
            .take_while(move |(of, _)| *of == name)
            .map(|(_, index)| *index)
    }

    pub fn children(&self, parent: Option<SymbolIndex>) -> impl Iterator<Item = SymbolIndex> + '_ {
        let start = self.by_parent().partition_point(|(of, _)| *of < parent);
        self.by_parent()[start..]
            .iter()
            .take_while(move |(of, _)| *of == parent)
            .map(|(_, index)| *index)
    }

    /// The scope around that is not a mere block: file, namespace, type, function or lambda.
    pub fn region(&self, mut scope: ScopeId) -> ScopeId {
        loop {
            let found = self.facts.scope(scope);
            if !matches!(found.kind, ScopeKind::Block | ScopeKind::Branch) || found.parent == scope
            {
                return scope;
            }
            scope = found.parent;
        }
    }

    /// Whether `inner` is `outer` or lies inside it.
    pub fn is_inside(&self, mut inner: ScopeId, outer: ScopeId) -> bool {
        loop {
            if inner == outer {
                return true;
            }
            let parent = self.facts.scope(inner).parent;
            if parent == inner {
                return false;
            }
            inner = parent;
        }
    }

    /// The scopes from the inside out, the file last.
    pub fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |&scope| {
            let parent = self.facts.scope(scope).parent;
            (parent != scope).then_some(parent)
        })
    }

    /// The namespaces that the file declares, as it says them.
    pub fn namespaces(&self) -> Vec<String> {
        let is_namespace =
            |index: &SymbolIndex| self.symbol(*index).kind == facts::SymbolKind::Namespace;
        let mut open: Vec<SymbolIndex> = self.children(None).filter(is_namespace).collect();
        let mut found = Vec::new();
        while let Some(index) = open.pop() {
            found.push(self.namespace_of(index));
            open.extend(self.children(Some(index)).filter(is_namespace));
        }
        found
    }

    /// The namespace that a symbol is declared in, as the file says it: `A.B`, or empty.
    pub fn namespace_of(&self, index: SymbolIndex) -> String {
        let mut names = Vec::new();
        for index in self.facts.container_chain(index) {
            let symbol = self.facts.symbol(index);
            if symbol.kind == facts::SymbolKind::Namespace {
                names.push(self.facts.name(symbol.name));
            }
        }
        names.join(".")
    }

    /// What a symbol is a member of: what contains it, or for a member of a plain C enum, or of a
    /// union or struct without a name, what contains that.
    pub fn holder_of(&self, index: SymbolIndex) -> Option<SymbolIndex> {
        let symbol = self.facts.symbol(index);
        let parent = symbol.parent?;
        let is_plain = self.semantics.declarations.enum_members_outside
            && symbol.kind == facts::SymbolKind::EnumMember
            && self.facts.scope(symbol.declared_in).owner != Some(parent);
        if is_plain || self.is_transparent(parent) {
            self.facts.symbol(parent).parent
        } else {
            Some(parent)
        }
    }

    /// Whether a type has no name and no field is of it, so that its members are those of the type
    /// around: `union { int a; float b; };`.
    fn is_transparent(&self, index: SymbolIndex) -> bool {
        let symbol = self.facts.symbol(index);
        let is_nameless = self.semantics.declarations.enum_members_outside
            && symbol.modifiers.contains(facts::Modifiers::ANONYMOUS)
            && matches!(
                symbol.kind,
                facts::SymbolKind::Union | facts::SymbolKind::Struct
            );
        let is_of_it = |mut ty: facts::TypeId| {
            while let TypeRecipe::Array(item) | TypeRecipe::Pointer(item) =
                self.facts.type_recipe(ty)
            {
                ty = item;
            }
            matches!(self.facts.type_recipe(ty), TypeRecipe::Members(scope) if Some(scope) == symbol.body)
        };
        let mut beside = self.facts.symbols.iter();
        is_nameless && !beside.any(|other| other.parent == symbol.parent && is_of_it(other.ty))
    }

    /// The type symbol whose body encloses a scope.
    pub fn enclosing_type(&self, scope: ScopeId) -> Option<SymbolIndex> {
        for scope in self.outwards(scope) {
            let mut owner = self.facts.scope(scope).owner;
            while let Some(index) = owner {
                let symbol = self.facts.symbol(index);
                if symbol.kind.is_type() || symbol.kind == facts::SymbolKind::Impl {
                    return Some(index);
                }
                owner = symbol.parent.filter(|_| symbol.body.is_none());
            }
        }
        None
    }
}
