//! What a reference means: a bare name, a member of its receiver, a constructor.

use facts::{BindingKind, Merging, Modifiers, Recipe, RecipeId, Reference, Role, SymbolKind};

use crate::resolve::{
    FileView, Found, Outcome, Place, Resolution, Resolver, Rule, Sketch, SymbolId, Ty, bare,
    call::CallArguments, eval, extensions, given, imports, library, library::ROOT_TYPE, lookup,
    lookup::MemberHit, modules, modules::Module, namespaces, overloads, owner, prefer, scopes,
    scopes::Space, values, written,
};

/// What a reference means.
pub fn resolve(resolver: &Resolver, view: &FileView, reference: &Reference) -> Resolution {
    let place = Place::of(view, reference);
    let resolution = resolve_name(resolver, place, reference);
    let resolution = given_function(resolver, place, reference, resolution);
    constructed(resolver, place, reference, resolution)
}

/// Of the overloads of a function that is given as a value, the one that the text around asks for.
fn given_function(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    resolution: Resolution,
) -> Resolution {
    if reference.role != Role::Read || resolution.outcome != Outcome::Ambiguous {
        return resolution;
    }
    let symbols: Vec<SymbolId> = resolution.symbols().collect();
    let is_callable =
        |symbol: &SymbolId| resolver.kind(*symbol).is_some_and(SymbolKind::is_callable);
    if !symbols.iter().all(is_callable) {
        return resolution;
    }
    match given::given_overload(resolver, place, reference, &symbols) {
        Some(given) => Resolution::of_symbols(Outcome::Static, resolution.rule, vec![given]),
        None => resolution,
    }
}

fn resolve_name(resolver: &Resolver, place: Place, reference: &Reference) -> Resolution {
    let view = place.view;
    let name = view.facts.name(reference.name);
    let Some(receiver) = reference.receiver else {
        let is_path_start = |call| {
            let recipe = view.facts.recipe(call);
            matches!(recipe, Recipe::Scoped(start, _) if !start.is_known())
        };
        let (starts_path, call) = match reference.call {
            Some(call) if is_path_start(call) => (true, None),
            call => (false, call),
        };
        let space = match reference.role {
            _ if starts_path => Space::Type,
            Role::Instantiate if is_local_value(resolver, place, name) => Space::Value,
            Role::TypeUse | Role::Inherit | Role::Instantiate => Space::Type,
            Role::Call => Space::Callable,
            _ => Space::Value,
        };
        let found = bare::resolve_bare(resolver, place, name, space, call);
        if let Some(function) = destructured_function(resolver, place, reference, &found) {
            return Resolution::of_symbols(Outcome::Static, Rule::Local, vec![function]);
        }
        if let Some(named) = type_of_same_name(resolver, place, reference, &found) {
            return Resolution::of_symbols(Outcome::Static, Rule::Scope, vec![named]);
        }
        if let Some(given) = handed_in(resolver, place, reference, &found) {
            return Resolution::of_symbols(Outcome::Static, Rule::Local, vec![given]);
        }
        let is_module = |found: &Found| match found {
            Found::Module(_) => true,
            Found::Symbol(symbol) => resolver.kind(*symbol) == Some(SymbolKind::Module),
            _ => false,
        };
        let is_attribute = reference.role == Role::Annotation
            && view.semantics.declarations.annotations_skip_modules;
        return if is_attribute && found.targets.iter().any(is_module) {
            bare::unknown_bare(resolver, view, name, space)
        } else {
            found
        };
    };
    let receiver_type = eval::expression(resolver, place, receiver);
    if let (Recipe::Parameter(..), Role::Instantiate) =
        (view.facts.recipe(receiver), reference.role)
    {
        let named_type = receiver_type.alternatives().iter().find_map(Ty::holder);
        return Resolution {
            named_type,
            ..constructor_call(resolver, place, reference, &receiver_type)
        };
    }
    if let Recipe::SelfValue | Recipe::Super = view.facts.recipe(receiver)
        && reference.role == Role::Call
        && view.semantics.construction.delegates.contains(&name)
    {
        return constructor_call(resolver, place, reference, &receiver_type);
    }
    resolver.because(|| {
        format!(
            "receiver {} is {}",
            crate::text::recipe(&view.facts, receiver),
            resolver.describe(&receiver_type)
        )
    });
    member_reference(resolver, place, reference, &receiver_type)
}

/// Whether a name after `new` means a local variable, which hides types of the file.
fn is_local_value(resolver: &Resolver, place: Place, name: &str) -> bool {
    place.view.semantics.declarations.constructor_functions
        && matches!(
            scopes::lookup(resolver, place, name, Space::Value)
                .0
                .as_slice(),
            [Found::Binding(..)]
        )
}

/// `Color.Red` where a property `Color` is of type `Color`: the type is meant, if what follows the
/// dot belongs to the type and not to its values.
fn type_of_same_name(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    found: &Resolution,
) -> Option<SymbolId> {
    let facts = &place.view.facts;
    let Recipe::Member(_, member) = facts.recipe(reference.call?) else {
        return None;
    };
    let [Found::Symbol(value)] = found.targets.as_slice() else {
        return None;
    };
    if reference.role != Role::Read || !resolver.kind(*value)?.is_value() {
        return None;
    }
    let Ty::Instance(named, _) = values::symbol_type(resolver, *value) else {
        return None;
    };
    let hits = lookup::members(resolver, &Ty::type_of(named), facts.name(member));
    let belongs_to_type = |hit: &MemberHit| {
        resolver.symbol(hit.symbol).is_some_and(|(_, declared)| {
            declared.modifiers.contains(Modifiers::STATIC)
                || declared.kind == SymbolKind::EnumMember
                || declared.kind.is_type()
        })
    };
    let is_meant = resolver.name(named) == facts.name(reference.name)
        && !hits.is_empty()
        && hits.iter().all(belongs_to_type);
    is_meant.then_some(named)
}

/// The function that a call of a local means, which takes it out of an object literal: `const { route } =
/// router`.
fn destructured_function(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    found: &Resolution,
) -> Option<SymbolId> {
    let view = place.view;
    let [Found::Binding(file, id)] = found.targets.as_slice() else {
        return None;
    };
    if reference.role != Role::Call || *file != view.id {
        return None;
    }
    let binding = &view.facts.bindings[id.0 as usize];
    let Recipe::Member(object, member) = view.facts.recipe(binding.value) else {
        return None;
    };
    let mut others = view.facts.bindings_of(binding.name).iter();
    if binding.kind != BindingKind::Local
        || others.any(|other| other.kind == BindingKind::Assignment)
    {
        return None;
    }
    let declared = Place::of_binding(view, binding);
    let member = view.facts.name(member);
    eval::literal_member(resolver, declared, object, member)
        .filter(|symbol| resolver.kind(*symbol).is_some_and(SymbolKind::is_callable))
}

/// `this(...)`, `super(...)`: the constructors of the type or of its superclass.
fn constructor_call(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    receiver: &Ty,
) -> Resolution {
    let alternatives = receiver.alternatives();
    let types = alternatives
        .iter()
        .filter(|ty| matches!(ty, Ty::Instance(..)));
    let Some(symbol) = types.filter_map(Ty::holder).next() else {
        return Resolution::new(Outcome::External, Rule::Library, Vec::new());
    };
    let constructors = lookup::constructed_by(resolver, symbol);
    let chosen = overloads::choose(resolver, constructors, place, reference.call, None);
    if chosen.is_empty() {
        return Resolution::of_symbols(Outcome::Static, Rule::Constructor, vec![symbol]);
    }
    let outcome = outcome_of(resolver, &chosen);
    Resolution::of_symbols(outcome, Rule::Constructor, chosen)
}

/// What the name of a parameter itself means, where the name says what is handed in.
fn handed_in(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    found: &Resolution,
) -> Option<SymbolId> {
    let view = place.view;
    let [Found::Binding(file, id)] = found.targets.as_slice() else {
        return None;
    };
    let binding = view.facts.bindings.get(id.0 as usize)?;
    let is_itself = *file == view.id
        && binding.kind == BindingKind::Parameter
        && binding.name_span == reference.span;
    is_itself.then(|| (view.dialect.handed_in)(resolver, view, binding))?
}

/// An instantiation or a call of a type means the type's constructor, where the source declares
/// one.
fn constructed(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    resolution: Resolution,
) -> Resolution {
    let construction = &place.view.semantics.construction;
    let constructs =
        reference.role == Role::Instantiate || reference.role == Role::Call && construction.by_call;
    if !constructs || !construction.constructors.is_empty() {
        return resolution;
    }
    let Some(symbol) = one_type(resolver, &resolution.targets) else {
        return resolution;
    };
    let constructors = lookup::constructed_by(resolver, symbol);
    let chosen = overloads::choose(resolver, constructors, place, reference.call, None);
    let is_type = |symbol: &SymbolId| resolver.kind(*symbol).is_some_and(SymbolKind::is_type);
    if chosen.iter().all(is_type) {
        return resolution;
    }
    let outcome = match outcome_of(resolver, &chosen) {
        Outcome::Ambiguous => Outcome::Ambiguous,
        _ => resolution.outcome,
    };
    Resolution {
        named_type: Some(symbol),
        ..Resolution::of_symbols(outcome, Rule::Constructor, chosen)
    }
}

/// The type that some targets are, all parts of it.
fn one_type(resolver: &Resolver, targets: &[Found]) -> Option<SymbolId> {
    let symbol = targets.first()?.symbol()?;
    let is_type = resolver.kind(symbol).is_some_and(SymbolKind::is_type);
    let is_part = |found: &Found, parts: &[SymbolId]| {
        found.symbol().is_some_and(|part| parts.contains(&part))
    };
    let is_one = targets.len() == 1 || {
        let parts = owner::parts(resolver, symbol);
        targets.iter().all(|found| is_part(found, &parts))
    };
    (is_type && is_one).then_some(symbol)
}

/// What a member reference means, given what its receiver is.
fn member_reference(
    resolver: &Resolver,
    place: Place,
    reference: &Reference,
    receiver: &Ty,
) -> Resolution {
    let view = place.view;
    let name = view.facts.name(reference.name);
    let written = reference
        .receiver
        .map(|receiver| view.facts.recipe(receiver));
    if let Some(Recipe::Cast(written)) = written
        && let Some(variant) = written::variant(resolver, place, written)
    {
        let own = lookup::own_members(resolver, variant, name);
        if !own.is_empty() {
            return Resolution::of_symbols(Outcome::Static, Rule::Member, own.to_vec());
        }
    }
    if reference.role == Role::Call {
        let named = (view.dialect.named_by_path)(resolver, place, reference, receiver);
        if !named.is_empty() {
            let chosen = overloads::choose(resolver, named, place, reference.call, Some(receiver));
            return Resolution::of_symbols(outcome_of(resolver, &chosen), Rule::Member, chosen);
        }
    }
    // `carts.list` where the text says `carts = { list() { … } }`.
    if let (Ty::Library(..) | Ty::Union(_), Some(object)) = (receiver, reference.receiver)
        && let Some(target) = eval::literal_member(resolver, place, object, name)
    {
        return Resolution::of_symbols(Outcome::Static, Rule::Member, vec![target]);
    }
    if let (Ty::Library(..), Some(object)) = (receiver, reference.receiver) {
        let spread = eval::spread_member(resolver, place, object, name);
        let symbols: Vec<SymbolId> = spread.iter().filter_map(Found::symbol).collect();
        if !symbols.is_empty() {
            let symbols = prefer_callable_for_calls(resolver, symbols, reference.role);
            let symbols = bare::one_declaration(resolver, symbols);
            return Resolution::of_symbols(Outcome::Static, Rule::ModuleMember, symbols);
        }
    }
    if let (Ty::Unknown, Some(Recipe::SelfValue)) = (receiver, written)
        && let Some(object) = owner::object_at(view, place.scope)
    {
        let own = lookup::own_members(resolver, object, name);
        if !own.is_empty() {
            return Resolution::of_symbols(Outcome::Static, Rule::Member, own.to_vec());
        }
    }
    let mut found = MemberTargets::default();
    for mut ty in receiver.alternatives() {
        // A smart pointer hands on what it does not have itself.
        for _ in 0..4 {
            match library::dereferenced(view, &ty, name) {
                Some(inner) if !is_implemented(resolver, view, &ty, name) => ty = inner,
                _ => break,
            }
        }
        found.add(resolver, place, reference, &ty);
    }
    let rule = if found.in_module {
        Rule::ModuleMember
    } else {
        Rule::Member
    };
    let mut symbols: Vec<SymbolId> = Vec::new();
    for symbol in found.targets.iter().filter_map(Found::symbol) {
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    if !symbols.is_empty() {
        let symbols = prefer_callable_for_calls(resolver, symbols, reference.role);
        let chosen = match reference.role {
            Role::Call | Role::Instantiate => by_alternative(resolver, view, symbols)
                .into_iter()
                .flat_map(|of_one| {
                    overloads::choose(resolver, of_one, place, reference.call, Some(receiver))
                })
                .collect(),
            _ => bare::one_declaration(resolver, symbols),
        };
        let chosen = accessor(resolver, chosen, reference.role);
        return Resolution::of_symbols(outcome_of(resolver, &chosen), rule, chosen);
    }
    // A path into a namespace that nothing opens.
    if let (Ty::Unknown, Some(path)) = (receiver, reference.receiver)
        && let Some(path) = namespaces::spelled(view, path)
    {
        let module = Module::Namespace(path.into());
        let members = modules::module_member(resolver, &module, name, view);
        if !members.is_empty() {
            return Resolution::new(Outcome::Static, Rule::ModuleMember, members.to_vec());
        }
    }
    let is_module = |found: &Found| matches!(found, Found::Module(module) if !matches!(module, Module::Namespace(_)));
    if found.targets.iter().any(is_module) {
        return Resolution::new(Outcome::Static, rule, found.targets);
    }
    if found.is_external {
        let mut targets = found.targets;
        targets.retain(|found| matches!(found, Found::External(_)));
        return Resolution::new(Outcome::External, Rule::Library, targets);
    }
    match receiver {
        // A path that nothing here starts is a library's.
        Ty::Module(Module::Namespace(path)) => {
            let path = imports::below(path, view.semantics.separator, name);
            let targets = vec![Found::External(path)];
            Resolution::new(Outcome::External, Rule::Library, targets)
        }
        // A key of an object that is given to something unknown is nobody's.
        Ty::Unknown | Ty::Null | Ty::Parameter(..) | Ty::Projected(..)
            if !is_given_literal(view, reference) =>
        {
            by_name_alone(resolver, view, reference)
        }
        _ => Resolution::unresolved(),
    }
}

/// Whether a receiver is a literal, or a literal in it, that is given to a call.
fn is_given_literal(view: &FileView, reference: &Reference) -> bool {
    /// Literals in literals are shallow.
    const MAX_DEPTH: u32 = 8;
    let mut recipe = view
        .facts
        .recipe(reference.receiver.unwrap_or(RecipeId::UNKNOWN));
    for _ in 0..MAX_DEPTH {
        recipe = match recipe {
            Recipe::Parameter(..) => return true,
            Recipe::Member(inner, _) | Recipe::Element(inner) => view.facts.recipe(inner),
            _ => return false,
        };
    }
    false
}

/// The members that each alternative of a union has: overloads are those of one type.
fn by_alternative(
    resolver: &Resolver,
    view: &FileView,
    symbols: Vec<SymbolId>,
) -> Vec<Vec<SymbolId>> {
    if symbols.len() < 2 || view.semantics.declarations.merging != Merging::File {
        return vec![symbols];
    }
    let mut groups: Vec<Vec<SymbolId>> = Vec::new();
    for symbol in symbols {
        let is_beside = |group: &&mut Vec<SymbolId>| owner::same_owner(resolver, group[0], symbol);
        match groups.iter_mut().find(is_beside) {
            Some(group) => group.push(symbol),
            None => groups.push(vec![symbol]),
        }
    }
    groups
}

/// Whether a block apart from a type gives it a member of this name, and not every type.
fn is_implemented(resolver: &Resolver, view: &FileView, ty: &Ty, name: &str) -> bool {
    let hits = (view.dialect.implemented)(resolver, view, ty, name);
    let mut owners = hits.iter().map(|hit| resolver.self_type(hit.symbol));
    owners.any(|owner| !matches!(owner, Ty::Parameter(..)))
}

/// What the alternatives of a receiver have under a name.
#[derive(Default)]
struct MemberTargets {
    targets: Vec<Found>,
    /// A library may have it.
    is_external: bool,
    in_module: bool,
}

impl MemberTargets {
    fn add(&mut self, resolver: &Resolver, place: Place, reference: &Reference, ty: &Ty) {
        let view = place.view;
        let name = view.facts.name(reference.name);
        let arguments =
            CallArguments::of(place, reference.call).filter(|_| reference.role == Role::Call);
        let n_arguments = arguments.map(|arguments| arguments.len());
        let extensions = || extensions::extensions_in_sight(resolver, view, ty, name, n_arguments);
        match ty {
            Ty::Module(Module::External(path)) => self.add_external(view, path, name),
            Ty::External(external) => {
                let hits = extensions();
                if hits.is_empty() {
                    self.add_external(view, &external.to_string(), name);
                }
                self.add_hits(hits);
            }
            Ty::Module(module) => {
                self.in_module = true;
                let found = modules::module_member(resolver, module, name, view);
                self.targets.extend(found.iter().cloned());
                match module {
                    Module::Namespace(path) if found.is_empty() => {
                        let nested = Module::Namespace(imports::below(path, ".", name));
                        self.targets.push(Found::Module(nested));
                    }
                    Module::Type(symbol) => {
                        self.add_hits(lookup::members(resolver, &Ty::type_of(*symbol), name));
                    }
                    _ => {}
                }
            }
            Ty::Instance(symbol, _) | Ty::Type(symbol, _) => {
                let hits = match arguments {
                    Some(arguments) => overloads::callable_members(resolver, ty, name, arguments),
                    None => extensions::members_in_sight(resolver, view, ty, name, None),
                };
                if hits.is_empty() {
                    if matches!(ty, Ty::Type(..)) && lookup::constructs(view, name) {
                        let constructor = lookup::constructor_of(resolver, ty);
                        self.targets
                            .push(Found::Symbol(constructor.unwrap_or(*symbol)));
                    } else {
                        self.is_external |= lookup::has_library_base(resolver, *symbol)
                            || view.shapes().member(ROOT_TYPE, name).is_some();
                    }
                }
                self.add_hits(hits);
            }
            Ty::Parameter(..) | Ty::Projected(..) => {
                let mut hits = lookup::members(resolver, ty, name);
                if hits.is_empty() {
                    hits = (view.dialect.implemented)(resolver, view, ty, name);
                }
                self.add_hits(hits);
            }
            Ty::Library(of, _) | Ty::LibraryType(of, _) => {
                let mut hits = extensions();
                if let Some(keyed) = library::keyed_type(view, ty).filter(|_| hits.is_empty()) {
                    hits = lookup::members(resolver, &keyed, name);
                }
                if hits.is_empty() {
                    self.is_external = true;
                    self.targets
                        .push(Found::External(format!("{of}.{name}").into()));
                }
                self.add_hits(hits);
            }
            Ty::Null | Ty::Unknown | Ty::Optional(_) | Ty::Union(_) => {}
            ty => {
                let assigned = match ty {
                    Ty::Function(symbol, _) => {
                        (view.dialect.function_members)(resolver, view, *symbol, name)
                    }
                    _ => Vec::new(),
                };
                if assigned.is_empty() {
                    let hits = extensions();
                    self.is_external |= hits.is_empty();
                    self.add_hits(hits);
                }
                self.targets.extend(assigned);
            }
        }
    }

    fn add_external(&mut self, view: &FileView, path: &str, name: &str) {
        self.is_external = true;
        let path = imports::below(path, view.semantics.separator, name);
        self.targets.push(Found::External(path));
    }

    fn add_hits(&mut self, hits: Vec<MemberHit>) {
        let symbols = hits.into_iter().map(|hit| Found::Symbol(hit.symbol));
        self.targets.extend(symbols);
    }
}

/// The receiver stays unknown: the only member of that name, if libraries do not own the name,
/// else candidates.
fn by_name_alone(resolver: &Resolver, view: &FileView, reference: &Reference) -> Resolution {
    /// Above this, arity cannot single out a candidate; skip the check.
    const MANY: usize = 100;
    let name = view.facts.name(reference.name);
    let may_be_meant = |sketch: &&Sketch| {
        let member = sketch.has_owner
            || sketch
                .parent
                .is_some_and(|parent| parent.is_type() || parent == SymbolKind::Impl);
        let kind = sketch.kind.is_callable()
            || sketch.kind.is_value()
            || reference.role != Role::Call && sketch.kind.is_type();
        sketch.family == view.semantics.family
            && member
            && kind
            && !sketch.modifiers.contains(Modifiers::LOCAL)
    };
    let sketches = resolver.sketches(name);
    let candidates = sketches.iter().filter(may_be_meant);
    let mut candidates: Vec<SymbolId> = candidates.map(|sketch| sketch.id).collect();
    if let (Role::Call, Some(Recipe::Call(_, list))) = (
        reference.role,
        reference.call.map(|call| view.facts.recipe(call)),
    ) && candidates.len() <= MANY
    {
        let is_callable = |symbol| resolver.kind(symbol).is_none_or(SymbolKind::is_callable);
        candidates.retain(|symbol| {
            !is_callable(*symbol) || overloads::takes(resolver, *symbol, list.len as usize)
        });
    }
    match candidates.as_slice() {
        [] => Resolution::unresolved(),
        [_] if !view.shapes().owns(name) => {
            Resolution::of_symbols(Outcome::Heuristic, Rule::UniqueName, candidates)
        }
        _ => Resolution::of_symbols(Outcome::Ambiguous, Rule::ManyNames, candidates),
    }
}

/// A property has a getter and a setter of one name: the one that the use means comes first,
/// both are the property.
fn accessor(resolver: &Resolver, symbols: Vec<SymbolId>, role: Role) -> Vec<SymbolId> {
    let wanted = if role == Role::Write {
        Modifiers::SETTER
    } else {
        Modifiers::GETTER
    };
    prefer(symbols, |symbol| {
        resolver
            .symbol(*symbol)
            .is_some_and(|(_, found)| found.modifiers.contains(wanted))
    })
}

/// A field and a method may share a name: a call means the method, anything else the field.
pub fn prefer_callable_for_calls(
    resolver: &Resolver,
    symbols: Vec<SymbolId>,
    role: Role,
) -> Vec<SymbolId> {
    prefer(symbols, |symbol| {
        resolver
            .kind(*symbol)
            .is_some_and(|kind| kind.is_callable() == (role == Role::Call))
    })
}

/// Ambiguous where several overloads of one type are left and none is chosen.
fn outcome_of(resolver: &Resolver, symbols: &[SymbolId]) -> Outcome {
    let [first, rest @ ..] = symbols else {
        return Outcome::Static;
    };
    let Some((view, declared)) = resolver.symbol(*first).filter(|_| !rest.is_empty()) else {
        return Outcome::Static;
    };
    let is_overload = |other: &SymbolId| {
        resolver.symbol(*other).is_some_and(|(_, found)| {
            let is_beside = match other.file == first.file {
                true => found.parent == declared.parent,
                // Alternatives of a union may each have a member of the name.
                false => owner::same_owner(resolver, *first, *other),
            };
            found.kind.is_callable() && is_beside
        })
    };
    let of_one_type =
        view.semantics.overloads && declared.kind.is_callable() && rest.iter().all(is_overload);
    if of_one_type || !view.semantics.overloads && overloads::are_overloads(resolver, symbols) {
        Outcome::Ambiguous
    } else {
        Outcome::Static
    }
}
