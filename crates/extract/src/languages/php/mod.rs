//! PHP. Variables keep their `$`, properties do not; documented types replace missing
//! declared ones; see `cases.md` for the rest.

mod declarations;
mod documented;
mod expressions;
mod names;
mod semantics;

use crate::{declaring::DeclarationSyntax, prelude::*, rules::*};

pub static PHP: Language = Language {
    name: "php",
    id: LanguageId(12),
    extensions: &[
        "php", "phtml", "php3", "php4", "php5", "php7", "phps", "inc",
    ],
    file_names: &["artisan"],
    interpreters: &["php"],
    version: 4, // 3: implicit calls; 4: `@var` before statements, of arrays
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    n_node_kinds: 434,
    rules: &[RULES],
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
    declaration_syntax: Some(&DECLARATION_SYNTAX),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

/// A child that is in its parent's context.
const fn inherits(kind: &'static str) -> ChildRule {
    ChildRule {
        by: By::Kind(kind),
        context: None,
        scope: None,
    }
}

static DECLARATION_SYNTAX: DeclarationSyntax = DeclarationSyntax {
    introducing: &[
        "class",
        "interface",
        "trait",
        "enum",
        "function",
        "const",
        "case",
        "as",
    ],
    paths: &["namespace"],
    aliases: &[],
    #[rustfmt::skip]
    not_types: &[
        "abstract", "and", "break", "clone", "continue", "declare", "default", "do", "echo", "else", "elseif", "extends",
        "final", "fn", "for", "foreach", "from", "global", "goto", "if", "implements", "include", "include_once", "instanceof",
        "insteadof", "new", "or", "print", "require", "require_once", "return", "static",
        "switch", "throw", "try", "use", "while", "xor", "yield",
    ],
    before: b"$&",
    after: b"=;,)({",
    types_before_names: true,
    names_before_types: false,
    enum_arguments: false,
    own_names: &[],
    // `define('LIMIT', 3)`
    otherwise: |prefix, _| prefix.ends_with(b"define('") || prefix.ends_with(b"define(\""),
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on_any(&["text", "text_interpolation"]).opaque().no_value(),
    // Names.
    on("name").identifier().leave(names::name),
    on("variable_name")
        .identifier()
        .opaque()
        .enter(expressions::enter_target)
        .leave(names::variable),
    on("namespace_name").names().leave(names::namespace),
    on_any(&["qualified_name", "relative_name"])
        .transparent()
        .children(&[inherits("namespace_name"), others(Name)])
        .leave(names::qualified),
    on("relative_scope").opaque().leave(names::relative_scope),
    // Types.
    on("named_type").types().leave(shared::first_child),
    on_any(&["primitive_type", "bottom_type", "cast_type"])
        .opaque()
        .leave(names::primitive_type),
    on("optional_type").types().leave(names::optional_type),
    on_any(&["union_type", "disjunctive_normal_form_type", "type_list"])
        .types()
        .leave(names::union_type),
    on("intersection_type")
        .types()
        .leave(names::intersection_type),
    // Declarations.
    on("namespace_definition")
        .enter(declarations::enter_namespace)
        .children(&[name("name")])
        .leave(declarations::namespace),
    on("namespace_use_declaration")
        .children(&[of_kind("namespace_name", Name), value("body")])
        .no_value(),
    on_any(&[
        "namespace_use_group",
        "declaration_list",
        "property_hook_list",
    ])
    .no_value(),
    on("namespace_use_clause")
        .names()
        .leave(declarations::import),
    on("class_declaration")
        .defines_type(SymbolKind::Class)
        .leave(declarations::class),
    on("interface_declaration")
        .defines_type(SymbolKind::Interface)
        .leave(declarations::class),
    on("trait_declaration")
        .defines_type(SymbolKind::Trait)
        .leave(declarations::class),
    on("enum_declaration")
        .defines_type(SymbolKind::Enum)
        .leave(declarations::enumeration),
    on("enum_case")
        .defines(SymbolKind::EnumMember)
        .leave(declarations::enum_case),
    on("anonymous_class")
        .defines_type(SymbolKind::Class)
        .leave(declarations::anonymous_class),
    on("base_clause").types().leave(declarations::inherit),
    on("class_interface_clause")
        .types()
        .leave(declarations::inherit),
    on("use_declaration")
        .children(&[of_kind("use_list", Value), others(Type)])
        .leave(declarations::inherit),
    on("use_as_clause").leave(declarations::use_alias),
    on("use_instead_of_clause").types().no_value(),
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
    on("function_definition")
        .defines_function(SymbolKind::Function)
        .children(&[name("name"), ty("return_type")])
        .leave(declarations::function),
    on("method_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[name("name"), ty("return_type")])
        .leave(declarations::function),
    on_any(&["anonymous_function", "arrow_function"])
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
        .children(&[value("parameters"), others(Type)])
        .leave(declarations::attribute),
    on_any(&[
        "visibility_modifier",
        "static_modifier",
        "final_modifier",
        "abstract_modifier",
        "readonly_modifier",
    ])
    .lifts_modifiers(),
    on_any(&["var_modifier", "operation"]).opaque().no_value(),
    // Statements.
    on_any(&["compound_statement", "colon_block"]).no_value(),
    on("expression_statement").leave(expressions::statement),
    on("return_statement").leave(expressions::returns),
    on_any(&["if_statement", "else_if_clause", "while_statement"])
        .enter(shared::enter_condition)
        .children(&[value("condition"), branch("body")])
        .no_value(),
    on_any(&[
        "else_clause",
        "do_statement",
        "for_statement",
        "try_statement",
    ])
    .enter(shared::enter_condition)
    .children(&[branch("body")])
    .no_value(),
    on("foreach_statement")
        .enter(shared::enter_condition)
        .children(&[branch("body")])
        .calls_member(ImplicitKind::Iterate, Pick::First, Word::Fixed(""))
        .leave(expressions::foreach),
    on("pair")
        .transparent()
        .enter(expressions::enter_target)
        .leave(shared::last_child),
    on("by_ref")
        .transparent()
        .enter(expressions::enter_target)
        .leave(shared::first_child),
    on("switch_statement")
        .enter(shared::enter_condition)
        .no_value(),
    on_any(&["case_statement", "default_statement"])
        .opens(ScopeKind::Branch)
        .no_value(),
    on("catch_clause")
        .opens(ScopeKind::Branch)
        .children(&[ty("type"), binds("name", BindingKind::Caught)])
        .leave(expressions::catch),
    on("finally_clause").children(&[branch("body")]).no_value(),
    on("global_declaration")
        .children(&[others(Bind(BindingKind::Outer))])
        .no_value(),
    on("static_variable_declaration")
        .children(&[binds("name", BindingKind::Local), value("value")])
        .leave(expressions::static_variable),
    on_any(&["goto_statement", "named_label_statement"])
        .labels()
        .no_value(),
    // Expressions.
    on_any(&["assignment_expression", "reference_assignment_expression"])
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
    on_any(&["member_call_expression", "nullsafe_member_call_expression"])
        .children(&[value("object"), of_kind("name", Name)])
        .leave(expressions::member_call),
    on("scoped_call_expression")
        .children(&[ty("scope"), of_kind("name", Name)])
        .leave(expressions::member_call),
    on_any(&[
        "member_access_expression",
        "nullsafe_member_access_expression",
    ])
    .children(&[value("object"), of_kind("name", Name)])
    .leave(expressions::member),
    on("scoped_property_access_expression")
        .children(&[ty("scope"), name("name")])
        .leave(expressions::member),
    on("class_constant_access_expression")
        .types()
        .leave(expressions::class_constant),
    on("object_creation_expression")
        .types()
        .leave(expressions::instantiation),
    on("arguments").leave(shared::list),
    on("argument")
        .children(&[name("name"), others(Value)])
        .leave(expressions::argument),
    on("variadic_unpacking").leave(shared::spread),
    on("subscript_expression")
        .indexes()
        .leave(expressions::subscript),
    on("binary_expression").leave(expressions::binary),
    on("unary_op_expression").leave(expressions::unary),
    on("conditional_expression").leave(expressions::conditional),
    on("match_expression")
        .children(&[value("condition")])
        .leave(expressions::match_value),
    on("match_block").leave(expressions::match_arms),
    on_any(&["match_conditional_expression", "match_default_expression"])
        .leave(expressions::match_arm),
    on_any(&["match_condition_list", "print_intrinsic"]).no_value(),
    on_any(&[
        "parenthesized_expression",
        "clone_expression",
        "error_suppression_expression",
    ])
    .leave(shared::first_child),
    on("cast_expression")
        .children(&[ty("type"), value("value")])
        .leave(shared::cast),
    on("yield_expression").leave(expressions::yields),
    on("throw_expression").throws().no_value(),
    on_any(&[
        "include_expression",
        "include_once_expression",
        "require_expression",
        "require_once_expression",
    ])
    .leave(expressions::include),
    on("string").opaque().leave(shared::string),
    on("encapsed_string").leave(shared::string),
    on_any(&["heredoc", "shell_command_expression"]).leave(expressions::heredoc),
    on("nowdoc").opaque().leave(expressions::heredoc),
    on_any(&["string_content", "escape_sequence"])
        .opaque()
        .no_value(),
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
