//! Calls that define: `attr_reader :x`, `delegate`, `has_many :items`, `Struct.new(:x)`, `it
//! "works" do`.

use crate::prelude::*;

use super::{
    definitions::{define_alias, enclosing_type, path_len},
    expressions,
};

/// Tests and their groups are symbols named after their text, so that what they use is used by
/// them.
pub(super) fn enter_call(walk: &mut Walk<'_>, frame: &mut Frame) {
    // Longer words than `shared_examples` define no tests.
    const MAX_WORD: usize = 16;
    let text = walk.source(frame.span);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let len = text.bytes().take(MAX_WORD).position(|byte| !is_word(byte));
    let len = len.unwrap_or(0);
    let kind = match &text[..len] {
        "it" | "test" | "specify" | "scenario" | "example" => SymbolKind::Function,
        "describe" | "context" | "feature" | "RSpec.describe" | "shared_examples"
        | "shared_context" => SymbolKind::Module,
        _ => return,
    };
    let argument = text[len..].trim_start_matches(['(', ' ']);
    let before = text.len() - argument.len();
    // A group about a class is not the class: its name begins with the word that opens it.
    let (start, end) = match argument.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let Some(end) = argument[1..].find(quote) else {
                return;
            };
            (before + 1, before + end + 1)
        }
        Some(c) if c.is_ascii_uppercase() => (0, before + path_len(argument)),
        _ => return,
    };
    // Only with a block is there something to run.
    if !text.ends_with("end") && !text.ends_with('}') {
        return;
    }
    let symbol = walk.define(frame, kind, frame.span);
    let name_span = Span::sized(frame.span.start + start as u32, end - start);
    let line_len = text.find('\n').unwrap_or(text.len());
    let found = shared::name_symbol(walk, symbol, name_span);
    found.signature = Span::sized(frame.span.start, line_len);
    found.modifiers = Modifiers::default();
    found
        .modifiers
        .insert_if(Modifiers::TEST, kind == SymbolKind::Function);
}

/// `:name`. As an argument of a call that defines, it names what is defined.
pub(super) fn symbol(walk: &mut Walk<'_>, frame: &Frame) -> Option<Outcome> {
    let span = Span::new(frame.span.start + 1, frame.span.end);
    let name = walk.name_at(span);
    let outcome = Outcome::recipe(walk.recipe(Recipe::Str(name)));
    if frame.field.is_empty() && walk.parent_is(&["argument_list"]) {
        define(walk, span);
    } else {
        name_condition(walk, span);
    }
    Some(outcome)
}

/// Whether a call in the body of a class takes the names of methods that it runs later:
/// `before_action :find_cart`, `validate :has_items`.
fn runs_methods(word: &str) -> bool {
    const ORDERS: [&str; 3] = ["skip_", "prepend_", "append_"];
    let order = ORDERS.iter().find_map(|order| word.strip_prefix(order));
    let callback = order.unwrap_or(word);
    let times = ["before_", "after_", "around_"];
    times.iter().any(|time| callback.starts_with(time))
        || matches!(word, "validate" | "helper_method")
}

/// A method that an option of a callback names: `before_action :find_cart, if: :signed_in?`,
/// `rescue_from Missing, with: :not_found`.
fn name_condition(walk: &mut Walk<'_>, span: Span) {
    let mut around = walk.ancestors().take(2);
    let Some(at) = around.position(|outer| outer.kind == "pair") else {
        return;
    };
    let key = walk.children_of_ancestor(at).first().copied();
    let key = key.map_or("", |key| walk.source(key.span).trim_matches(':'));
    let call = walk
        .ancestors()
        .nth(at + 2)
        .filter(|call| call.kind == "call" && walk.ancestor_is(at + 1, &["argument_list"]));
    let Some(call) = call.cloned() else {
        return;
    };
    let (None, Some(method)) = header(walk, &call) else {
        return;
    };
    let word = walk.source(method.span);
    let is_method = match key {
        "if" | "unless" => runs_methods(word) || word.starts_with("validate"),
        "with" => word == "rescue_from",
        _ => false,
    };
    if is_method && in_body_of_type(walk) {
        walk.reference(span, Role::Call, None);
    }
}

fn in_body_of_type(walk: &Walk<'_>) -> bool {
    let around = walk.current_symbol();
    around.is_some_and(|around| walk.symbol(around).kind.is_type())
}

fn define(walk: &mut Walk<'_>, span: Span) {
    let call = walk.ancestors().nth(1).filter(|call| call.kind == "call");
    let Some(call) = call.cloned() else {
        return;
    };
    let (receiver, Some(method)) = header(walk, &call) else {
        return;
    };
    let index = walk.parent().map_or(0, |list| walk.children(list).len());
    let receiver = receiver.map(|receiver| walk.source(receiver.span));
    let word = walk.source(method.span);
    let both = Modifiers::GETTER | Modifiers::SETTER;
    let in_type = enclosing_type(walk).is_some();
    if let Some(receiver) = receiver {
        let assignment = walk
            .ancestors()
            .nth(2)
            .filter(|outer| outer.kind == "assignment");
        let made = assignment.and_then(|assignment| assignment.symbol);
        let is_class = made.is_some_and(|made| walk.symbol(made).kind.is_type());
        let of_library = match word {
            "new" => matches!(receiver, "Struct" | "::Struct"),
            "define" => matches!(receiver, "Data" | "::Data"),
            _ => false,
        };
        if of_library && in_type || word == "new" && is_class {
            property(walk, &call, span, index, both);
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
        | "store_accessor" => property(walk, &call, span, index, both),
        "attribute" if index == 0 && in_type => property(walk, &call, span, index, both),
        "belongs_to" | "has_one" | "has_many" | "has_and_belongs_to_many"
            if index == 0 && in_type =>
        {
            association(walk, &call, span, word)
        }
        "scope" if index == 0 && in_type => {
            method_symbol(walk, &call, span, index, Modifiers::CLASS_METHOD)
        }
        "define_method" | "let" | "let!" | "subject" | "helper_method_for" if index == 0 => {
            method_symbol(walk, &call, span, index, Modifiers::default())
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
            let len = walk.source(Span::new(start, span.start)).find([',', ' ']);
            define_alias(walk, call.span, Span::sized(start, len.unwrap_or(0)), span);
        }
        _ if runs_methods(word) && in_body_of_type(walk) => {
            walk.reference(span, Role::Call, None);
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
) -> SymbolIndex {
    let place = if index == 0 { call.span } else { span };
    let symbol = walk.new_symbol(kind, place);
    let found = shared::name_symbol(walk, symbol, span);
    (found.modifiers, found.signature) = (Modifiers::default(), call.span);
    symbol
}

/// An accessor: reading gives the instance variable, writing is a method of its own.
fn property(walk: &mut Walk<'_>, call: &Frame, span: Span, index: usize, modifiers: Modifiers) {
    let word = walk.source(span);
    let in_singleton = walk
        .ancestors()
        .any(|outer| outer.kind == "singleton_class");
    let of_class = in_singleton || walk.source(call.span).starts_with(['c', 'm', 't']);
    let mut on_class = Modifiers::default();
    on_class.insert_if(Modifiers::CLASS_METHOD, of_class);
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
    const DEFINERS: [&str; 5] = ["let", "let!", "subject", "subject!", "define_method"];
    let block = walk.child(frame, "block");
    let Some(block) = block.filter(|_| DEFINERS.contains(&word)) else {
        return;
    };
    let is_it = |symbol: &Symbol| symbol.kind == SymbolKind::Method && symbol.span == frame.span;
    // What the arguments define is just before what the block defines; a bound on generated
    // code.
    const MAX_SYMBOLS: usize = 1_000;
    let symbols = &walk.facts().symbols;
    let recent = symbols.len().saturating_sub(MAX_SYMBOLS);
    let symbol = match symbols[recent..].iter().rposition(is_it) {
        Some(i) => SymbolIndex((recent + i) as u32),
        None if word.starts_with("subject") => {
            let symbol = walk.new_symbol(SymbolKind::Method, frame.span);
            let name_span = Span::sized(method.span.start, "subject".len());
            let found = shared::name_symbol(walk, symbol, name_span);
            (found.modifiers, found.signature) = (Modifiers::default(), method.span);
            symbol
        }
        None => return,
    };
    let value = walk.plain_call(block.outcome.recipe);
    walk.value(symbol, value, frame.span.end);
}

/// `described_class` is what the group around describes; `subject` is a new one of it where no
/// group around says otherwise.
pub(super) fn described(walk: &mut Walk<'_>, frame: &Frame) -> Option<RecipeId> {
    let word = walk.source(frame.span);
    let is_subject = word == "subject";
    if !is_subject && word != "described_class" {
        return None;
    }
    if is_subject {
        let name = walk.name_at(frame.span);
        let mut scope = walk.scope();
        loop {
            let mut symbols = walk.facts().symbols.iter().rev();
            if symbols.any(|symbol| symbol.name == name && symbol.declared_in == scope) {
                return None;
            }
            if scope == ScopeId::FILE {
                break;
            }
            scope = walk.scope_of(scope).parent;
        }
    }
    const GROUPS: [&str; 3] = ["describe", "RSpec.describe", "context"];
    let group = walk.ancestors().find(|outer| {
        let text = walk.source(outer.span);
        let argument = text
            .split_once([' ', '('])
            .map_or("", |(_, argument)| argument);
        outer.kind == "call"
            && GROUPS.iter().any(|group| text.starts_with(group))
            && argument.starts_with(|c: char| c.is_ascii_uppercase())
    });
    let arguments = walk.outcome(group?, "arguments").list;
    let described = *walk.list_of(arguments).first()?;
    if !is_subject {
        return Some(described);
    }
    let new = walk.name("new");
    let callee = walk.recipe(Recipe::Member(described, new));
    Some(walk.plain_call(callee))
}

/// `delegate :a, :b, to: :c` gives what `c.a` gives.
fn delegated(walk: &mut Walk<'_>, call: &Frame, span: Span, index: usize, word: &str) {
    // In a longer call the target is too far away to be looked for by every name.
    const MAX_CALL: u32 = 2_000;
    let is_short = call.span.len() < MAX_CALL;
    let text = if is_short { walk.source(call.span) } else { "" };
    let target = match word {
        "delegate" => text.split("to:").nth(1),
        // `def_delegators :@target, :a, :b`
        _ if index == 0 => return,
        _ => text.split(':').nth(1),
    };
    let target = target.unwrap_or("");
    let target = match word {
        "delegate" => target.trim_start().trim_start_matches(':'),
        _ => target,
    };
    let end = target.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '@');
    let target = &target[..end.unwrap_or(target.len())];
    let symbol = named(walk, SymbolKind::Method, call, span, index);
    if matches!(target, "" | "class") {
        return;
    }
    let receiver = walk.recipe(Recipe::SelfValue);
    let target = walk.name(target);
    let mut target = walk.recipe(Recipe::Member(receiver, target));
    if !text.contains(":@") {
        target = walk.plain_call(target);
    }
    let name = walk.name_at(span);
    let member = walk.recipe(Recipe::Member(target, name));
    let value = walk.plain_call(member);
    walk.value(symbol, value, span.end);
}

/// `belongs_to :user` is a `User`, `has_many :items` are `Item`s.
fn association(walk: &mut Walk<'_>, call: &Frame, span: Span, word: &str) {
    let symbol = named(walk, SymbolKind::Property, call, span, 0);
    let many = matches!(word, "has_many" | "has_and_belongs_to_many");
    let text = walk.source(call.span);
    let class = match text.split("class_name:").nth(1) {
        Some(rest) => {
            let written = rest.trim_start().trim_start_matches(['"', '\'', ':']);
            written[..path_len(written)].to_owned()
        }
        None => camelized(walk.source(span), many),
    };
    let mut ty = TypeId::UNKNOWN;
    for part in class.split("::").filter(|part| !part.is_empty()) {
        let name = walk.name(part.to_owned());
        ty = walk.type_in(ty, name);
    }
    if many && ty.is_known() {
        let head = walk.type_named("Array");
        ty = walk.applied_type(head, &[ty]);
    }
    let symbol_mut = walk.symbol_mut(symbol);
    symbol_mut.ty = ty;
    symbol_mut.modifiers = Modifiers::GETTER | Modifiers::SETTER;
}

/// `line_items` is `LineItem`.
fn camelized(word: &str, plural: bool) -> String {
    let mut long_plurals = ["sses", "xes", "ches", "shes"].iter();
    let singular = match word {
        _ if !plural => word.to_owned(),
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if long_plurals.any(|ending| word.ends_with(ending)) => word[..word.len() - 2].to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    };
    let words = singular.split('_');
    words
        .map(|part| part[..1.min(part.len())].to_uppercase() + part.get(1..).unwrap_or(""))
        .collect()
}

/// `map(&:name)` calls `name` on what the block would be given: a function of one parameter, whose
/// name is `&`.
pub(super) fn symbol_to_proc(walk: &mut Walk<'_>, frame: &Frame, name: Span) -> Outcome {
    let scope = walk.new_scope(ScopeKind::Lambda, frame.span, None);
    let parameter = walk.name("&");
    let place = Span::sized(frame.span.start, 1);
    let binding = walk.new_binding(BindingKind::Parameter, parameter, place);
    (binding.from, binding.parameter) = (frame.span.start, Some(0));
    let receiver = walk.recipe(Recipe::Name(parameter));
    let reference = walk.reference(name, Role::Call, Some(receiver));
    let word = walk.name_at(name);
    let member = walk.recipe(Recipe::Member(receiver, word));
    let call = walk.plain_call(member);
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
    let literal = match word {
        "autoload" => text.split_once(',').map_or("", |(_, path)| path),
        _ => text,
    };
    let mut parts = literal.split(['"', '\'']);
    let (before, path, after) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let Some(path) = path.filter(|path| !path.is_empty() && after.is_some()) else {
        return;
    };
    if path.contains("#{") || before.contains(['.', '_']) {
        return;
    }
    let start = arguments.span.start + (path.as_ptr() as usize - text.as_ptr() as usize) as u32;
    let name_span = Span::sized(start, path.len());
    let module = match word {
        "require_relative" if !path.starts_with('.') => walk.name(format!("./{path}")),
        _ => walk.name(path),
    };
    let item = (word == "autoload").then(|| {
        let constant = text.trim_start_matches(['(', ':']);
        let len = shared::word_len(constant);
        walk.name(&constant[..len])
    });
    let kind = item.map_or(ImportKind::Include, |_| ImportKind::Item);
    let import = walk.new_import(kind, module, frame.span, name_span);
    (import.item, import.local) = (item, item);
}

/// `include A`, `extend A`, `prepend A` in a class or module.
pub(super) fn mix_in(walk: &mut Walk<'_>, outcome: Outcome) {
    if !walk.parent_is(&["argument_list"]) || !walk.ancestor_is(1, &["call"]) {
        return;
    }
    let Some((None, Some(method))) = walk.ancestors().nth(1).map(|call| header(walk, call)) else {
        return;
    };
    let symbol = walk
        .current_symbol()
        .filter(|&symbol| walk.symbol(symbol).kind.is_type());
    let mixes = matches!(walk.source(method.span), "include" | "extend" | "prepend");
    let Some(symbol) = symbol.filter(|_| mixes) else {
        return;
    };
    let ty = expressions::as_type(walk, outcome.recipe);
    walk.set_role(outcome, Role::Inherit);
    walk.supertype(symbol, ty, Inherit::Mixin);
}
