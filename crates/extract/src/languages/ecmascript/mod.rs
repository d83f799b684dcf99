//! What JavaScript and TypeScript share: their rules, their handlers and how their names are looked
//! up.
//!
//! A function, class or object literal is *held* where the text gives it a name (`const f = () =>
//! …`, `f = …` in a class, `f: …` in an object of a named constant, `exports.f = …`): the holder is
//! then the symbol.

mod broken;
mod declarations;
mod documented;
mod expressions;
mod keys;
mod members;
mod modules;
mod parameters;
mod patterns;
mod semantics;
mod statements;
#[cfg(feature = "typescript")]
mod types;

#[cfg(feature = "typescript")]
use crate::{prelude::*, rules::*};

pub(super) use members::finish;
pub(super) use semantics::{JAVASCRIPT, TYPESCRIPT};

pub(super) const MODIFIERS: &[(&str, Modifiers)] = &[
    ("abstract", Modifiers::ABSTRACT),
    ("async", Modifiers::ASYNC),
    ("const", Modifiers::CONST),
    ("declare", Modifiers::PROTOTYPE),
    ("default", Modifiers::DEFAULT_EXPORT),
    ("get", Modifiers::GETTER),
    ("readonly", Modifiers::FINAL),
    ("set", Modifiers::SETTER),
    ("static", Modifiers::STATIC),
    (
        "static get",
        Modifiers(Modifiers::STATIC.0 | Modifiers::GETTER.0),
    ),
    ("*", Modifiers::GENERATOR),
    ("?", Modifiers::OPTIONAL),
];

#[cfg(feature = "typescript")]
pub(super) const VISIBILITIES: &[(&str, Visibility)] = &[
    ("public", Visibility::Public),
    ("private", Visibility::Private),
    ("protected", Visibility::Protected),
];

pub(super) const LINE_DEFINITIONS: &[(&str, SymbolKind)] = &[
    ("function", SymbolKind::Function),
    ("class", SymbolKind::Class),
    ("interface", SymbolKind::Interface),
    ("enum", SymbolKind::Enum),
    ("namespace", SymbolKind::Namespace),
    ("type", SymbolKind::TypeAlias),
    ("const", SymbolKind::Constant),
];

/// What every grammar of the family has.
pub(super) const COMMON: &[Rule] = &[
    on("comment").comment(),
    on("html_comment").comment(),
    // Names.
    on("identifier").identifier().leave(expressions::identifier),
    on("property_identifier")
        .identifier()
        .leave(members::property_identifier),
    on("private_property_identifier")
        .identifier()
        .leave(expressions::private_identifier),
    on("shorthand_property_identifier")
        .identifier()
        .leave(expressions::shorthand),
    on("shorthand_property_identifier_pattern")
        .identifier()
        .leave(patterns::shorthand),
    on("statement_identifier").identifier().leave(shared::label),
    on("computed_property_name")
        .values()
        .leave(shared::first_child),
    // Definitions.
    on_any(&["function_declaration", "generator_function_declaration"])
        .enter(declarations::enter_function)
        .children(&[name("name")])
        .leave(declarations::function),
    on_any(&["function_expression", "generator_function"])
        .enter(declarations::enter_function_expression)
        .children(&[name("name")])
        .leave(declarations::function_expression),
    on("arrow_function")
        .enter(declarations::enter_function_expression)
        .children(&[binds("parameter", BindingKind::Parameter)])
        .leave(declarations::function_expression),
    on("class_declaration")
        .enter(declarations::enter_class)
        .children(&[name("name")])
        .leave(declarations::class),
    on("class")
        .enter(declarations::enter_class_expression)
        .children(&[name("name")])
        .leave(declarations::class_expression),
    on("class_static_block")
        .opens(ScopeKind::Function)
        .no_value(),
    on("method_definition")
        .enter(members::enter_method)
        .children(&[name("name")])
        .leave(members::method),
    on("formal_parameters")
        .enter(parameters::enter)
        .transparent()
        .leave(parameters::parameters),
    on("variable_declarator")
        .enter(declarations::enter_declarator)
        .transparent()
        .children(&[value("value")])
        .leave(declarations::declarator),
    on("decorator").leave(declarations::decorator),
    // Patterns.
    on("object_pattern").transparent().leave(patterns::object),
    on("array_pattern").transparent().leave(patterns::array),
    on("rest_pattern").transparent().leave(patterns::rest),
    on_any(&["assignment_pattern", "object_assignment_pattern"])
        .transparent()
        .children(&[value("right")])
        .leave(patterns::with_default),
    on("pair_pattern")
        .transparent()
        .children(&[name("key")])
        .leave(patterns::pair),
    // Statements.
    on("statement_block")
        .enter(statements::enter_block)
        .leave(statements::block),
    on("if_statement")
        .enter(statements::enter_condition)
        .children(&[value("condition"), branch("consequence")])
        .leave(statements::if_statement),
    on("else_clause")
        .opens(ScopeKind::Branch)
        .enter(statements::enter_else)
        .no_value(),
    on("switch_default")
        .opens(ScopeKind::Branch)
        .enter(statements::enter_condition)
        .no_value(),
    on("switch_case")
        .opens(ScopeKind::Branch)
        .enter(statements::enter_case)
        .no_value(),
    on("while_statement")
        .enter(statements::enter_condition)
        .children(&[value("condition"), branch("body")])
        .no_value(),
    on_any(&["do_statement", "try_statement"])
        .enter(statements::enter_condition)
        .children(&[branch("body")])
        .no_value(),
    on("for_statement")
        .opens(ScopeKind::Block)
        .enter(statements::enter_condition)
        .children(&[branch("body")])
        .no_value(),
    on("for_in_statement")
        .opens(ScopeKind::Block)
        .enter(statements::enter_condition)
        .children(&[
            binds("left", BindingKind::Loop),
            value("right"),
            branch("body"),
        ])
        .leave(statements::for_in),
    on("catch_clause")
        .opens(ScopeKind::Branch)
        .children(&[binds("parameter", BindingKind::Caught)])
        .leave(statements::catch),
    on("labeled_statement")
        .children(&[label("label")])
        .no_value(),
    on("return_statement").leave(statements::returns),
    on("throw_statement").throws().leave(statements::exits),
    on_any(&["break_statement", "continue_statement"]).leave(statements::exits),
    on("expression_statement").no_value(),
    // Expressions.
    on("this").leave(shared::this),
    on("super").leave(shared::super_value),
    on("call_expression")
        .children(&[value("function")])
        .leave(expressions::call),
    on("new_expression").leave(expressions::instantiation),
    on("arguments").leave(expressions::arguments),
    on("meta_property").leave(expressions::meta_property),
    on("member_expression")
        .children(&[value("object"), name("property")])
        .leave(expressions::member),
    on("subscript_expression")
        .leave(shared::index)
        .with(&["object", "index"]),
    on("assignment_expression")
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::assignment),
    on("augmented_assignment_expression").leave(expressions::augmented_assignment),
    on("update_expression").leave(expressions::update),
    on("binary_expression")
        .children(&[branch("right")])
        .narrows_after("&&")
        .leave(expressions::binary),
    on("unary_expression").leave(expressions::unary),
    on("ternary_expression")
        .enter(statements::enter_condition)
        .children(&[branch("consequence"), others(Value)])
        .leave(shared::either)
        .with(&["consequence", "alternative"]),
    on("await_expression").waits().leave(shared::awaited),
    on("template_substitution").converts(Pick::First, "string"),
    on("yield_expression").leave(expressions::yields),
    on("parenthesized_expression")
        .transparent()
        .leave(shared::first_child),
    on("sequence_expression").leave(shared::last_child),
    on("spread_element").leave(expressions::spread),
    on("object")
        .enter(members::enter_object)
        .leave(members::object),
    on("pair")
        .enter(members::enter_pair)
        .children(&[name("key"), value("value")])
        .leave(members::pair),
    on("array").leave(expressions::array),
    on("string").leave(shared::string),
    on("string_fragment").leave(expressions::template_text),
    on("template_string").leave(expressions::template),
    on("regex").leave(shared::regex),
    on("number").leave(expressions::number),
    on_any(&["true", "false"]).leave(shared::boolean),
    on_any(&["null", "undefined"]).leave(shared::null),
    // Modules.
    on("import_statement")
        .names()
        .leave(modules::import_statement),
    on("import_clause").names().leave(modules::import_clause),
    on("import_specifier")
        .names()
        .leave(modules::import_specifier),
    on("namespace_import")
        .names()
        .leave(modules::namespace_import),
    on("export_statement").leave(modules::export_statement),
    on("export_specifier")
        .names()
        .leave(modules::export_specifier),
    on("namespace_export")
        .names()
        .leave(modules::namespace_export),
];

/// Elements inside code.
pub(super) const JSX: &[Rule] = &[
    on_any(&["jsx_opening_element", "jsx_self_closing_element"])
        .children(&[name("name")])
        .leave(expressions::jsx_opening),
    on("jsx_closing_element")
        .children(&[name("name")])
        .leave(expressions::jsx_closing),
    on("jsx_element").no_value(),
    on("jsx_attribute")
        .children(&[of_kind("property_identifier", Name), others(Value)])
        .leave(expressions::jsx_attribute),
    on("jsx_namespace_name").labels().no_value(),
    on("jsx_expression").leave(shared::first_child),
    on("jsx_text").leave(shared::string_text),
];

/// What only JavaScript's own grammar has.
#[cfg(feature = "javascript")]
pub(super) const PLAIN: &[Rule] = &[
    on("class_heritage").leave(declarations::extends),
    on("field_definition")
        .defines(SymbolKind::Field)
        .children(&[name("property"), value("value")])
        .leave(members::field),
];

/// What TypeScript adds.
#[cfg(feature = "typescript")]
pub(super) const TYPED: &[Rule] = &[
    on("abstract_class_declaration")
        .enter(declarations::enter_class)
        .children(&[name("name")])
        .leave(declarations::class),
    on("function_signature")
        .enter(declarations::enter_signature)
        .children(&[name("name")])
        .leave(declarations::function),
    on("interface_declaration")
        .enter(declarations::enter_interface)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("type_alias_declaration")
        .enter(declarations::enter_alias)
        .children(&[name("name"), crate::rules::ty("value")])
        .leave(declarations::alias),
    on("enum_declaration")
        .enter(declarations::enter_enum)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("enum_body").children(&[name("name")]).no_value(),
    on("enum_assignment")
        .defines(SymbolKind::EnumMember)
        .children(&[name("name"), value("value")])
        .leave(members::field),
    on_any(&["module", "internal_module"])
        .enter(declarations::enter_namespace)
        .children(&[name("name")])
        .leave(declarations::namespace),
    on("ambient_declaration")
        .children(&[of_kind("property_identifier", Label)])
        .no_value(),
    on("import_alias")
        .children(&[of_kind("identifier", Name), others(Type)])
        .leave(modules::import_alias),
    on("import_require_clause")
        .names()
        .leave(modules::import_require),
    on("accessibility_modifier").lifts_modifiers(),
    on("override_modifier")
        .enter(members::enter_override)
        .lifts_modifiers(),
    on("public_field_definition")
        .defines(SymbolKind::Field)
        .children(&[name("name"), value("value")])
        .leave(members::field),
    on("property_signature")
        .defines(SymbolKind::Field)
        .children(&[name("name")])
        .leave(members::field),
    on_any(&["method_signature", "abstract_method_signature"])
        .defines(SymbolKind::Method)
        .enter(declarations::enter_generic)
        .children(&[name("name")])
        .leave(members::signature),
    on("call_signature")
        .defines(SymbolKind::Operator)
        .enter(declarations::enter_generic)
        .leave(members::nameless_signature),
    on("construct_signature")
        .defines(SymbolKind::Constructor)
        .enter(declarations::enter_generic)
        .leave(members::nameless_signature),
    on("index_signature")
        .defines(SymbolKind::Indexer)
        .children(&[label("name"), crate::rules::ty("index_type")])
        .leave(members::index_signature),
    on_any(&["required_parameter", "optional_parameter"])
        .transparent()
        .children(parameters::CHILDREN)
        .leave(parameters::typed_parameter),
    on("class_heritage").no_value(),
    on("extends_clause").leave(declarations::extends),
    on("implements_clause")
        .types()
        .leave(declarations::implements),
    on("extends_type_clause")
        .types()
        .leave(declarations::interface_extends),
    on("type_parameters").names().no_value(),
    on("type_parameter")
        .children(&[name("name")])
        .leave(types::type_parameter),
    on_any(&["constraint", "default_type"])
        .types()
        .leave(shared::first_child),
    // Expressions.
    on("as_expression")
        .children(&[of_kind("type_identifier", Type)])
        .leave(expressions::cast),
    on("satisfies_expression").leave(expressions::satisfies),
    on("instantiation_expression").leave(types::instantiation),
    on("non_null_expression")
        .transparent()
        .leave(expressions::non_null),
    // Types.
    on_any(&[
        "type_annotation",
        "omitting_type_annotation",
        "adding_type_annotation",
        "opting_type_annotation",
        "rest_type",
        "readonly_type",
        "parenthesized_type",
        "template_type",
    ])
    .types()
    .leave(shared::first_child),
    on("type_predicate_annotation").leave(shared::first_child),
    on("asserts_annotation").leave(types::asserts),
    on("asserts")
        .enter(types::enter_predicate)
        .transparent()
        .leave(types::asserts),
    on("type_predicate")
        .enter(types::enter_predicate)
        .transparent()
        .children(&[crate::rules::ty("type")])
        .leave(types::predicate),
    on("type_identifier")
        .identifier()
        .leave(shared::type_identifier),
    on("predefined_type").leave(shared::type_name),
    on("this_type").leave(types::this_type),
    on("nested_identifier")
        .transparent()
        .children(&[name("property")])
        .leave(types::nested),
    on("nested_type_identifier")
        .children(&[crate::rules::ty("module"), name("name")])
        .leave(types::nested_type),
    on("generic_type").types().leave(types::generic),
    on("type_arguments").types().leave(shared::type_tuple),
    on("array_type").types().leave(types::array),
    on("tuple_type").types().leave(shared::type_tuple),
    on_any(&["optional_type", "flow_maybe_type"])
        .types()
        .leave(types::optional),
    on("union_type").types().leave(types::union),
    on("intersection_type").types().leave(types::intersection),
    on("conditional_type")
        .enter(types::enter_conditional)
        .types()
        .leave(types::conditional),
    on("infer_type")
        .children(&[of_kind("type_identifier", Name), others(Type)])
        .leave(types::infer),
    on_any(&["function_type", "constructor_type"])
        .enter(types::enter_generic_function)
        .types()
        .leave(types::function),
    on("object_type")
        .enter(types::enter_object)
        .leave(types::object),
    on("interface_body").no_value(),
    on("mapped_type_clause")
        .children(&[name("name"), others(Type)])
        .leave(types::mapped_clause),
    on("lookup_type").types().leave(types::lookup),
    on("index_type_query").types().leave(types::keys),
    on("type_query").values().leave(types::query),
    on("literal_type").values().leave(types::literal),
    on("template_literal_type").types().leave(types::template),
];

/// What TypeScript has where it has no elements.
#[cfg(feature = "typescript")]
pub(super) const ASSERTIONS: &[Rule] = &[on("type_assertion").leave(expressions::cast)];

fn literal(walk: &mut Walk<'_>, kind: LiteralKind) -> Outcome {
    Outcome::recipe(walk.recipe(Recipe::Literal(kind)))
}
