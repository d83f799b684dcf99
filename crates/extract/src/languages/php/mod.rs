//! PHP. Variables keep their `$`, properties do not; documented types stand in for declared ones;
//! see `cases.md` for the rest.

mod declarations;
mod documented;
mod expressions;
mod names;
mod semantics;

use facts::{BindingKind, LanguageId, Modifiers, ScopeKind, SymbolKind, Visibility};

use crate::{
    handlers as shared,
    language::Language,
    rules::{By, ChildRule, Context, Rule, binds, branch, name, of_kind, on, others, ty, value},
};

pub static PHP: Language = Language {
    name: "php",
    id: LanguageId(12),
    extensions: &[
        "php", "phtml", "php3", "php4", "php5", "php7", "phps", "inc",
    ],
    file_names: &["artisan"],
    interpreters: &["php"],
    version: 2, // 2: what is thrown
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    n_node_kinds: 434,
    rules: RULES,
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("final", Modifiers::FINAL),
        ("abstract", Modifiers::ABSTRACT),
        ("readonly", Modifiers::FINAL),
    ],
    visibilities: &[
        ("public", Visibility::Public),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ],
    line_definitions: &[
        ("function", SymbolKind::Function),
        ("class", SymbolKind::Class),
        ("interface", SymbolKind::Interface),
        ("trait", SymbolKind::Trait),
        ("enum", SymbolKind::Enum),
    ],
    finish: Some(crate::flat::recover),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

/// A child that stands in its parent's context.
const fn inherits(kind: &'static str) -> ChildRule {
    ChildRule {
        by: By::Kind(kind),
        context: None,
        scope: None,
    }
}

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("text").opaque().leave(shared::nothing),
    on("text_interpolation").opaque().leave(shared::nothing),
    // Names.
    on("name").identifier().leave(names::name),
    on("variable_name")
        .identifier()
        .opaque()
        .enter(expressions::enter_target)
        .leave(names::variable),
    on("namespace_name")
        .children(&[others(Context::Name)])
        .leave(names::namespace),
    on("qualified_name")
        .transparent()
        .children(&[inherits("namespace_name"), others(Context::Name)])
        .leave(names::qualified),
    on("relative_name")
        .transparent()
        .children(&[inherits("namespace_name"), others(Context::Name)])
        .leave(names::qualified),
    on("relative_scope").opaque().leave(names::relative_scope),
    // Types.
    on("named_type")
        .children(&[others(Context::Type)])
        .leave(shared::first_child),
    on("primitive_type").opaque().leave(names::primitive_type),
    on("bottom_type").opaque().leave(names::primitive_type),
    on("cast_type").opaque().leave(names::primitive_type),
    on("optional_type")
        .children(&[others(Context::Type)])
        .leave(names::optional_type),
    on("union_type")
        .children(&[others(Context::Type)])
        .leave(names::union_type),
    on("disjunctive_normal_form_type")
        .children(&[others(Context::Type)])
        .leave(names::union_type),
    on("type_list")
        .children(&[others(Context::Type)])
        .leave(names::union_type),
    on("intersection_type")
        .children(&[others(Context::Type)])
        .leave(names::intersection_type),
    // Declarations.
    on("namespace_definition")
        .enter(declarations::enter_namespace)
        .children(&[name("name")])
        .leave(declarations::namespace),
    on("namespace_use_declaration")
        .children(&[of_kind("namespace_name", Context::Name), value("body")])
        .leave(shared::nothing),
    on("namespace_use_group").leave(shared::nothing),
    on("namespace_use_clause")
        .children(&[others(Context::Name)])
        .leave(declarations::import),
    on("class_declaration")
        .defines(SymbolKind::Class)
        .opens(ScopeKind::Type)
        .leave(declarations::class),
    on("interface_declaration")
        .defines(SymbolKind::Interface)
        .opens(ScopeKind::Type)
        .leave(declarations::class),
    on("trait_declaration")
        .defines(SymbolKind::Trait)
        .opens(ScopeKind::Type)
        .leave(declarations::class),
    on("enum_declaration")
        .defines(SymbolKind::Enum)
        .opens(ScopeKind::Type)
        .leave(declarations::enumeration),
    on("enum_case")
        .defines(SymbolKind::EnumMember)
        .leave(declarations::enum_case),
    on("anonymous_class")
        .defines(SymbolKind::Class)
        .opens(ScopeKind::Type)
        .leave(declarations::anonymous_class),
    on("base_clause")
        .children(&[others(Context::Type)])
        .leave(declarations::extends),
    on("class_interface_clause")
        .children(&[others(Context::Type)])
        .leave(declarations::implements),
    on("use_declaration")
        .children(&[of_kind("use_list", Context::Value), others(Context::Type)])
        .leave(declarations::use_traits),
    on("use_as_clause").leave(declarations::use_alias),
    on("use_instead_of_clause")
        .children(&[others(Context::Type)])
        .leave(shared::nothing),
    on("declaration_list").leave(shared::nothing),
    on("const_declaration")
        .defines(SymbolKind::Constant)
        .children(&[ty("type")])
        .leave(declarations::constants),
    on("const_element").leave(declarations::const_element),
    on("property_declaration")
        .defines(SymbolKind::Property)
        .children(&[ty("type")])
        .leave(declarations::properties),
    on("property_element")
        .children(&[name("name"), value("default_value")])
        .leave(declarations::property_element),
    on("property_hook")
        .opens(ScopeKind::Function)
        .leave(declarations::property_hook),
    on("property_hook_list").leave(shared::nothing),
    on("function_definition")
        .defines(SymbolKind::Function)
        .opens(ScopeKind::Function)
        .children(&[name("name"), ty("return_type")])
        .leave(declarations::function),
    on("method_declaration")
        .defines(SymbolKind::Method)
        .opens(ScopeKind::Function)
        .children(&[name("name"), ty("return_type")])
        .leave(declarations::function),
    on("anonymous_function")
        .opens(ScopeKind::Lambda)
        .children(&[ty("return_type")])
        .leave(expressions::closure),
    on("arrow_function")
        .opens(ScopeKind::Lambda)
        .children(&[ty("return_type")])
        .leave(expressions::closure),
    on("formal_parameters").leave(declarations::parameters),
    on("simple_parameter")
        .children(&[
            binds("name", BindingKind::Parameter),
            ty("type"),
            value("default_value"),
        ])
        .leave(declarations::parameter),
    on("variadic_parameter")
        .children(&[binds("name", BindingKind::Parameter), ty("type")])
        .leave(declarations::parameter),
    on("property_promotion_parameter")
        .children(&[
            binds("name", BindingKind::Parameter),
            ty("type"),
            value("default_value"),
        ])
        .leave(declarations::promoted),
    on("attribute")
        .children(&[value("parameters"), others(Context::Type)])
        .leave(declarations::attribute),
    on("visibility_modifier").lifts_modifiers(),
    on("static_modifier").lifts_modifiers(),
    on("final_modifier").lifts_modifiers(),
    on("abstract_modifier").lifts_modifiers(),
    on("readonly_modifier").lifts_modifiers(),
    on("var_modifier").opaque().leave(shared::nothing),
    on("operation").opaque().leave(shared::nothing),
    // Statements.
    on("compound_statement").leave(shared::nothing),
    on("colon_block").leave(shared::nothing),
    on("expression_statement").leave(expressions::statement),
    on("return_statement").leave(expressions::returns),
    on("if_statement")
        .enter(expressions::enter_condition)
        .children(&[value("condition"), branch("body")])
        .leave(shared::nothing),
    on("else_if_clause")
        .enter(expressions::enter_condition)
        .children(&[value("condition"), branch("body")])
        .leave(shared::nothing),
    on("else_clause")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("while_statement")
        .enter(expressions::enter_condition)
        .children(&[value("condition"), branch("body")])
        .leave(shared::nothing),
    on("do_statement")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("for_statement")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("foreach_statement")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(expressions::foreach),
    on("pair")
        .transparent()
        .enter(expressions::enter_target)
        .leave(expressions::foreach_pair),
    on("by_ref")
        .transparent()
        .enter(expressions::enter_target)
        .leave(shared::first_child),
    on("switch_statement")
        .enter(expressions::enter_condition)
        .leave(shared::nothing),
    on("case_statement")
        .opens(ScopeKind::Branch)
        .leave(shared::nothing),
    on("default_statement")
        .opens(ScopeKind::Branch)
        .leave(shared::nothing),
    on("try_statement")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("catch_clause")
        .opens(ScopeKind::Branch)
        .children(&[ty("type"), binds("name", BindingKind::Caught)])
        .leave(expressions::catch),
    on("finally_clause")
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("global_declaration")
        .children(&[others(Context::Bind(BindingKind::Outer))])
        .leave(shared::nothing),
    on("static_variable_declaration")
        .children(&[binds("name", BindingKind::Local), value("value")])
        .leave(expressions::static_variable),
    on("goto_statement")
        .children(&[others(Context::Label)])
        .leave(shared::nothing),
    on("named_label_statement")
        .children(&[others(Context::Label)])
        .leave(shared::nothing),
    // Expressions.
    on("assignment_expression")
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::assignment),
    on("reference_assignment_expression")
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::assignment),
    on("augmented_assignment_expression").leave(expressions::augmented_assignment),
    on("update_expression").leave(expressions::update),
    on("list_literal")
        .transparent()
        .enter(expressions::enter_target)
        .leave(expressions::destructured),
    on("array_creation_expression")
        .transparent()
        .enter(expressions::enter_target)
        .leave(expressions::array),
    on("array_element_initializer")
        .transparent()
        .leave(expressions::array_element),
    on("function_call_expression").leave(expressions::function_call),
    on("member_call_expression")
        .children(&[value("object"), of_kind("name", Context::Name)])
        .leave(expressions::member_call),
    on("nullsafe_member_call_expression")
        .children(&[value("object"), of_kind("name", Context::Name)])
        .leave(expressions::member_call),
    on("scoped_call_expression")
        .children(&[ty("scope"), of_kind("name", Context::Name)])
        .leave(expressions::member_call),
    on("member_access_expression")
        .children(&[value("object"), of_kind("name", Context::Name)])
        .leave(expressions::member),
    on("nullsafe_member_access_expression")
        .children(&[value("object"), of_kind("name", Context::Name)])
        .leave(expressions::member),
    on("scoped_property_access_expression")
        .children(&[ty("scope"), name("name")])
        .leave(expressions::member),
    on("class_constant_access_expression")
        .children(&[others(Context::Type)])
        .leave(expressions::class_constant),
    on("object_creation_expression")
        .children(&[others(Context::Type)])
        .leave(expressions::instantiation),
    on("arguments").leave(expressions::arguments),
    on("argument")
        .children(&[name("name"), others(Context::Value)])
        .leave(expressions::argument),
    on("variadic_unpacking").leave(shared::spread),
    on("subscript_expression").leave(expressions::subscript),
    on("binary_expression").leave(expressions::binary),
    on("unary_op_expression").leave(expressions::unary),
    on("conditional_expression").leave(expressions::conditional),
    on("match_expression")
        .children(&[value("condition")])
        .leave(expressions::match_value),
    on("match_block").leave(expressions::match_arms),
    on("match_conditional_expression").leave(expressions::match_arm),
    on("match_default_expression").leave(expressions::match_arm),
    on("match_condition_list").leave(shared::nothing),
    on("parenthesized_expression").leave(shared::first_child),
    on("clone_expression").leave(shared::first_child),
    on("error_suppression_expression").leave(shared::first_child),
    on("print_intrinsic").leave(shared::nothing),
    on("cast_expression")
        .children(&[ty("type"), value("value")])
        .leave(expressions::cast),
    on("yield_expression").leave(expressions::yields),
    on("throw_expression").throws().leave(shared::nothing),
    on("include_expression").leave(expressions::include),
    on("include_once_expression").leave(expressions::include),
    on("require_expression").leave(expressions::include),
    on("require_once_expression").leave(expressions::include),
    on("string").opaque().leave(shared::string),
    on("encapsed_string").leave(shared::string),
    on("heredoc").leave(expressions::heredoc),
    on("nowdoc").opaque().leave(expressions::heredoc),
    on("shell_command_expression").leave(expressions::heredoc),
    on("string_content").opaque().leave(shared::nothing),
    on("escape_sequence").opaque().leave(shared::nothing),
    on("integer").leave(shared::integer),
    on("float").leave(shared::float),
    on("boolean").leave(shared::boolean),
    on("null").leave(shared::null),
];

#[cfg(test)]
mod tests {
    use super::PHP;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&PHP, "php/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&PHP);
    }
}
