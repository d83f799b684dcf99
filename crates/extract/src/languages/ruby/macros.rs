//! Calls that define: `attr_reader :x`, `delegate`, `has_many :items`, `Struct.new(:x)`, `it
//! "works" do`.

use facts::{Modifiers, Recipe, Role, ScopeKind, Span, SymbolKind, TypeId, TypeRecipe};

use super::{
    definitions::{define_alias, enclosing_type},
    expressions,
};
use crate::{
    handlers as shared,
    walk::{Child, Frame, Outcome, Walk},
};

/// Tests and their groups are symbols named after their text, so that what they use is used by
/// them.
pub(super) fn enter_call(walk: &mut Walk<'_>, frame: &mut Frame) {
    // Longer words than `shared_examples` define no tests.
    const MAX_WORD: usize = 16;
    let text = walk.source(frame.span);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let len = text
        .bytes()
        .take(MAX_WORD)
        .position(|byte| !is_word(byte))
        .unwrap_or(0);
    let kind = match &text[..len] {
        "it" | "test" | "specify" | "scenario" | "example" => SymbolKind::Function,
        "describe" | "context" | "feature" | "RSpec.describe" | "shared_examples"
        | "shared_context" => SymbolKind::Module,
        _ => return,
    };
    let argument = text[len..].trim_start_matches(['(', ' ']);
    let (start, end) = match argument.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let Some(end) = argument[1..].find(quote) else {
                return;
            };
            (1, end + 1)
        }
        Some(c) if c.is_ascii_uppercase() => (
            0,
            argument
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
                .unwrap_or(argument.len()),
        ),
        _ => return,
    };
    // Only with a block is there something to run.
    if !text.ends_with("end") && !text.ends_with('}') {
        return;
    }
    let offset = frame.span.start + (text.len() - argument.len()) as u32;
    let symbol = walk.define(frame, kind, frame.span);
    shared::name_symbol(
        walk,
        symbol,
        Span::new(offset + start as u32, offset + end as u32),
    );
    let line_end = text.find('\n').unwrap_or(text.len()) as u32;
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.signature = Span::new(frame.span.start, frame.span.start + line_end);
    symbol_mut.modifiers = if kind == SymbolKind::Function {
        Modifiers::TEST
    } else {
        Modifiers::default()
    };
}

/// `:name`. As an argument of a call that defines, it names what is defined.
pub(super) fn symbol(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let span = Span::new(frame.span.start + 1, frame.span.end);
    let name = walk.name_at(span);
    let outcome = Outcome::recipe(walk.recipe(Recipe::Str(name)));
    if frame.field.is_empty() && walk.parent_is(&["argument_list"]) {
        define(walk, span);
    }
    Some(outcome)
}

fn define(walk: &mut Walk<'_>, span: Span) {
    let Some(call) = walk
        .ancestors()
        .nth(1)
        .filter(|call| call.kind == "call")
        .cloned()
    else {
        return;
    };
    let (receiver, Some(method)) = header(walk, &call) else {
        return;
    };
    let index = walk.parent().map_or(0, |list| walk.children(list).len());
    let receiver = receiver.map(|receiver| walk.source(receiver.span));
    let word = walk.source(method.span);
    if let Some(receiver) = receiver {
        let made_here = || {
            let around = walk
                .ancestors()
                .nth(2)
                .filter(|outer| outer.kind == "assignment")
                .and_then(|outer| outer.symbol);
            around.is_some_and(|symbol| walk.symbol(symbol).kind.is_type())
        };
        let of_library = matches!(
            (receiver, word),
            ("Struct" | "::Struct", "new") | ("Data" | "::Data", "define")
        );
        if of_library && enclosing_type(walk).is_some() || word == "new" && made_here() {
            property(
                walk,
                &call,
                span,
                index,
                Modifiers::GETTER | Modifiers::SETTER,
            );
        }
        return;
    }
    match word {
        "attr_reader" | "attr" | "cattr_reader" | "mattr_reader" => {
            property(walk, &call, span, index, Modifiers::GETTER)
        }
        "attr_writer" | "cattr_writer" | "mattr_writer" => {
            property(walk, &call, span, index, Modifiers::SETTER)
        }
        "attr_accessor"
        | "cattr_accessor"
        | "mattr_accessor"
        | "class_attribute"
        | "thread_mattr_accessor"
        | "thread_cattr_accessor"
        | "store_accessor" => {
            property(
                walk,
                &call,
                span,
                index,
                Modifiers::GETTER | Modifiers::SETTER,
            );
        }
        "attribute" if index == 0 && enclosing_type(walk).is_some() => property(
            walk,
            &call,
            span,
            index,
            Modifiers::GETTER | Modifiers::SETTER,
        ),
        "belongs_to" | "has_one" | "has_many" | "has_and_belongs_to_many"
            if index == 0 && enclosing_type(walk).is_some() =>
        {
            association(walk, &call, span, word);
        }
        "scope" if index == 0 && enclosing_type(walk).is_some() => {
            method_symbol(walk, &call, span, index, Modifiers::CLASS_METHOD)
        }
        "define_method" | "let" | "let!" | "subject" | "helper_method_for" if index == 0 => {
            method_symbol(walk, &call, span, index, Modifiers::default());
        }
        "delegate" | "def_delegators" | "def_delegator" => {
            delegated(walk, &call, span, index, word)
        }
        "alias_method" | "alias_attribute" if index == 1 => {
            // The new name came before.
            let between = walk.source(Span::new(call.span.start, span.start));
            let Some(colon) = between[..between.len().saturating_sub(1)].rfind(':') else {
                return;
            };
            let start = call.span.start + colon as u32 + 1;
            let len = walk
                .source(Span::new(start, span.start))
                .find([',', ' '])
                .unwrap_or(0) as u32;
            define_alias(walk, call.span, Span::new(start, start + len), span);
        }
        _ => {}
    }
}

/// Receiver and method of a call whose arguments are being walked; they come first.
fn header(walk: &Walk<'_>, call: &Frame) -> (Option<Child>, Option<Child>) {
    let first = walk.children(call).iter().take(2);
    let named = |field: &'static str| first.clone().find(|child| child.field == field).copied();
    (named("receiver"), named("method"))
}

/// The first of a call's names has the call as its place and takes the comment before it.
fn named(
    walk: &mut Walk<'_>,
    kind: SymbolKind,
    call: &Frame,
    span: Span,
    index: usize,
) -> facts::SymbolIndex {
    let place = if index == 0 { call.span } else { span };
    let symbol = walk.new_symbol(kind, place);
    shared::name_symbol(walk, symbol, span);
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.modifiers = Modifiers::default();
    symbol_mut.signature = call.span;
    symbol
}

/// An accessor: reading gives the instance variable, writing is a method of its own.
fn property(walk: &mut Walk<'_>, call: &Frame, span: Span, index: usize, modifiers: Modifiers) {
    let word = walk.source(span);
    let of_class = walk.source(call.span).starts_with(['c', 'm', 't'])
        || walk
            .ancestors()
            .any(|outer| outer.kind == "singleton_class");
    let on_class = if of_class {
        Modifiers::CLASS_METHOD
    } else {
        Modifiers::default()
    };
    if modifiers.contains(Modifiers::GETTER) {
        let symbol = named(walk, SymbolKind::Property, call, span, index);
        walk.symbol_mut(symbol).modifiers = Modifiers::GETTER | on_class;
        let receiver = walk.recipe(Recipe::SelfValue);
        let field = walk.name(format!("@{word}"));
        let value = walk.recipe(Recipe::Member(receiver, field));
        walk.value(symbol, value, span.end);
    }
    if modifiers.contains(Modifiers::SETTER) {
        let symbol = named(walk, SymbolKind::Method, call, span, index);
        let setter = walk.name(format!("{word}="));
        let symbol_mut = walk.symbol_mut(symbol);
        symbol_mut.name = setter;
        symbol_mut.modifiers = Modifiers::SETTER | Modifiers::SYNTHETIC | on_class;
    }
}

fn method_symbol(
    walk: &mut Walk<'_>,
    call: &Frame,
    span: Span,
    index: usize,
    modifiers: Modifiers,
) {
    let symbol = named(walk, SymbolKind::Method, call, span, index);
    walk.symbol_mut(symbol).modifiers = modifiers;
}

/// `let(:cart) { Cart.new }`, `define_method(:total) { … }`: calling what is defined gives what the
/// block gives. A nameless `subject { … }` defines `subject`.
pub(super) fn block_gives(walk: &mut Walk<'_>, frame: &Frame, method: Child, word: &str) {
    if !matches!(
        word,
        "let" | "let!" | "subject" | "subject!" | "define_method"
    ) {
        return;
    }
    let Some(block) = walk.child(frame, "block") else {
        return;
    };
    let is_it =
        |symbol: &facts::Symbol| symbol.kind == SymbolKind::Method && symbol.span == frame.span;
    // What the arguments define is just before what the block defines; a bound on generated
    // code.
    const MAX_SYMBOLS: usize = 1_000;
    let n_symbols = walk.facts().symbols.len();
    let found = (n_symbols.saturating_sub(MAX_SYMBOLS)..n_symbols)
        .rev()
        .find(|&i| is_it(&walk.facts().symbols[i]));
    let symbol = match found {
        Some(i) => facts::SymbolIndex(i as u32),
        None if word.starts_with("subject") => {
            let symbol = walk.new_symbol(SymbolKind::Method, frame.span);
            shared::name_symbol(
                walk,
                symbol,
                Span::new(
                    method.span.start,
                    method.span.start + "subject".len() as u32,
                ),
            );
            let symbol_mut = walk.symbol_mut(symbol);
            symbol_mut.modifiers = Modifiers::default();
            symbol_mut.signature = method.span;
            symbol
        }
        None => return,
    };
    let value = walk.recipe(Recipe::Call(
        block.outcome.recipe,
        facts::ListRange::default(),
    ));
    walk.value(symbol, value, frame.span.end);
}

/// `described_class` is what the group around describes; `subject` is a new one of it where no
/// group around says otherwise.
pub(super) fn described(walk: &mut Walk<'_>, frame: &Frame) -> Option<facts::RecipeId> {
    let word = walk.source(frame.span);
    let is_subject = word == "subject";
    if !is_subject && word != "described_class" {
        return None;
    }
    if is_subject {
        let name = walk.name_at(frame.span);
        let mut scope = walk.scope();
        loop {
            if walk
                .facts()
                .symbols
                .iter()
                .rev()
                .any(|symbol| symbol.name == name && symbol.declared_in == scope)
            {
                return None;
            }
            let outer = walk.scope_of(scope).parent;
            if outer == scope {
                break;
            }
            scope = outer;
        }
    }
    let group = walk.ancestors().find(|outer| {
        let text = walk.source(outer.span);
        let describes = text.starts_with("describe")
            || text.starts_with("RSpec.describe")
            || text.starts_with("context");
        outer.kind == "call"
            && describes
            && text
                .split_once([' ', '('])
                .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    });
    let group = group.cloned()?;
    let described = *walk
        .list_of(walk.outcome(&group, "arguments").list)
        .first()?;
    if !is_subject {
        return Some(described);
    }
    let new = walk.name("new");
    let callee = walk.recipe(Recipe::Member(described, new));
    Some(walk.recipe(Recipe::Call(callee, facts::ListRange::default())))
}

/// `delegate :a, :b, to: :c` gives what `c.a` gives.
fn delegated(walk: &mut Walk<'_>, call: &Frame, span: Span, index: usize, word: &str) {
    // In a longer call the target is too far away to be looked for by every name.
    const MAX_CALL: u32 = 2_000;
    let text = if call.span.len() < MAX_CALL {
        walk.source(call.span)
    } else {
        ""
    };
    let target = match word {
        "delegate" => text
            .split("to:")
            .nth(1)
            .map(|rest| rest.trim_start().trim_start_matches(':')),
        // `def_delegators :@target, :a, :b`
        _ if index == 0 => return,
        _ => text.split(':').nth(1),
    };
    let target = target.map(|target| {
        &target[..target
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '@')
            .unwrap_or(target.len())]
    });
    let symbol = named(walk, SymbolKind::Method, call, span, index);
    let Some(target) = target.filter(|target| !target.is_empty() && *target != "class") else {
        return;
    };
    let receiver = walk.recipe(Recipe::SelfValue);
    let target = walk.name(target);
    let target = walk.recipe(Recipe::Member(receiver, target));
    let target = if text.contains(":@") {
        target
    } else {
        walk.recipe(Recipe::Call(target, facts::ListRange::default()))
    };
    let name = walk.name_at(span);
    let member = walk.recipe(Recipe::Member(target, name));
    let value = walk.recipe(Recipe::Call(member, facts::ListRange::default()));
    walk.value(symbol, value, span.end);
}

/// `belongs_to :user` is a `User`, `has_many :items` are `Item`s.
fn association(walk: &mut Walk<'_>, call: &Frame, span: Span, word: &str) {
    let symbol = named(walk, SymbolKind::Property, call, span, 0);
    let many = matches!(word, "has_many" | "has_and_belongs_to_many");
    let text = walk.source(call.span);
    let written = text
        .split("class_name:")
        .nth(1)
        .map(|rest| rest.trim_start().trim_start_matches(['"', '\'', ':']));
    let class = match written {
        Some(written) => written[..written
            .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
            .unwrap_or(written.len())]
            .to_owned(),
        None => camelized(walk.source(span), many),
    };
    let mut ty = TypeId::UNKNOWN;
    for part in class.split("::").filter(|part| !part.is_empty()) {
        let name = walk.name(part.to_owned());
        ty = walk.ty(if ty.is_known() {
            TypeRecipe::Scoped(ty, name)
        } else {
            TypeRecipe::Name(name)
        });
    }
    if many && ty.is_known() {
        let head = walk.name("Array");
        let head = walk.ty(TypeRecipe::Name(head));
        let arguments = walk.type_list(&[ty]);
        ty = walk.ty(TypeRecipe::Apply(head, arguments));
    }
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.ty = ty;
    symbol_mut.modifiers = Modifiers::GETTER | Modifiers::SETTER;
}

/// `line_items` is `LineItem`.
fn camelized(word: &str, plural: bool) -> String {
    let singular = match word {
        _ if !plural => word.to_owned(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if ["sses", "xes", "ches", "shes"]
            .iter()
            .any(|ending| word.ends_with(ending)) =>
        {
            word[..word.len() - 2].to_owned()
        }
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    singular
        .split('_')
        .map(|part| part[..1.min(part.len())].to_uppercase() + part.get(1..).unwrap_or(""))
        .collect()
}

/// `map(&:name)` calls `name` on what the block would be given: a function of one parameter, whose
/// name is `&`.
pub(super) fn symbol_to_proc(walk: &mut Walk<'_>, frame: &Frame, name: Span) -> Outcome {
    let scope = walk.new_scope(ScopeKind::Lambda, frame.span, None);
    let parameter = walk.name("&");
    let binding = walk.new_binding(
        facts::BindingKind::Parameter,
        parameter,
        Span::new(frame.span.start, frame.span.start + 1),
    );
    (binding.from, binding.parameter) = (frame.span.start, Some(0));
    let receiver = walk.recipe(Recipe::Name(parameter));
    let reference = walk.reference(name, Role::Call, Some(receiver));
    let word = walk.name_at(name);
    let member = walk.recipe(Recipe::Member(receiver, word));
    let call = walk.recipe(Recipe::Call(member, facts::ListRange::default()));
    walk.reference_mut(reference).call = Some(call);
    walk.lambda_return(scope, call);
    Outcome::recipe(walk.lambda(scope))
}

/// `require "x"`, `require_relative "y"`, `load "z.rb"`, `autoload :A, "a"`.
pub(super) fn import(walk: &mut Walk<'_>, frame: &Frame, word: &str) {
    let Some(arguments) = walk.child(frame, "arguments") else {
        return;
    };
    let text = walk.source(arguments.span);
    let literal = if word == "autoload" {
        text.split_once(',').map_or("", |(_, path)| path)
    } else {
        text
    };
    let Some(quote) = literal.find(['"', '\'']) else {
        return;
    };
    let path = &literal[quote + 1..];
    let Some(end) = path.find(['"', '\'']) else {
        return;
    };
    let path = &path[..end];
    if path.is_empty() || path.contains("#{") || literal[..quote].contains(['.', '_']) {
        return;
    }
    let start = arguments.span.start + (path.as_ptr() as usize - text.as_ptr() as usize) as u32;
    let name_span = Span::new(start, start + path.len() as u32);
    let module = if word == "require_relative" && !path.starts_with('.') {
        walk.name(format!("./{path}"))
    } else {
        walk.name(path)
    };
    let item = (word == "autoload").then(|| {
        let constant = text.trim_start_matches(['(', ':']);
        let len = constant
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(constant.len());
        walk.name(&constant[..len])
    });
    walk.import(facts::Import {
        kind: if item.is_some() {
            facts::ImportKind::Item
        } else {
            facts::ImportKind::Include
        },
        module,
        level: 0,
        item,
        local: item,
        scope: walk.scope(),
        span: frame.span,
        name_span,
        alias_span: None,
        reexported: false,
    });
}

/// `include A`, `extend A`, `prepend A` in a class or module.
pub(super) fn mix_in(walk: &mut Walk<'_>, outcome: Outcome) {
    let Some(call) = walk.ancestors().nth(1).filter(|call| call.kind == "call") else {
        return;
    };
    if !walk.parent_is(&["argument_list"]) {
        return;
    }
    let (None, Some(method)) = header(walk, call) else {
        return;
    };
    if !matches!(walk.source(method.span), "include" | "extend" | "prepend") {
        return;
    }
    let Some(symbol) = walk
        .current_symbol()
        .filter(|&symbol| walk.symbol(symbol).kind.is_type())
    else {
        return;
    };
    let ty = expressions::as_type(walk, outcome.recipe);
    walk.set_role(outcome, Role::Inherit);
    walk.supertype(symbol, ty, facts::Inherit::Mixin);
}
