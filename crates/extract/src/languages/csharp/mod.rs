//! C#. Bare names may mean members; calls in accessors belong to their property; see `cases.md` for
//! the rest.

mod declarations;
mod expressions;
mod names;
mod patterns;
mod prepare;
mod semantics;
mod statements;
mod types;

use crate::{declaring::DeclarationSyntax, prelude::*, rules::*};

pub static CSHARP: Language = Language {
    name: "csharp",
    id: LanguageId(8),
    extensions: &["cs", "csx"],
    interpreters: &["dotnet-script", "csi"],
    // 4: `a || b?.c()` accesses `b`; 5: what is thrown; 6: `nameof(x)` is the string x; 7: members of
    // an extension block extend its receiver
    // 8: implicit calls
    version: 10, // 9: an attribute's named arguments are references; 10: alternative bodies
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    n_node_kinds: 533,
    rules: &[RULES],
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("abstract", Modifiers::ABSTRACT),
        ("async", Modifiers::ASYNC),
        ("override", Modifiers::OVERRIDE),
        ("virtual", Modifiers::VIRTUAL),
        ("sealed", Modifiers::FINAL),
        ("readonly", Modifiers::FINAL),
        ("const", Modifiers::CONST),
        ("partial", Modifiers::PARTIAL),
        ("extern", Modifiers::EXTERN),
    ],
    visibilities: &[
        ("public", Visibility::Public),
        ("internal", Visibility::Internal),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
        ("file", Visibility::Private),
    ],
    prepare: Some(prepare::prepare),
    finish: Some(declarations::finish_file),
    line_definitions: &[
        ("namespace", SymbolKind::Namespace),
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("record", SymbolKind::Record),
        ("interface", SymbolKind::Interface),
        ("enum", SymbolKind::Enum),
    ],
    declaration_syntax: Some(&DECLARATION_SYNTAX),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

static DECLARATION_SYNTAX: DeclarationSyntax = DeclarationSyntax {
    introducing: &["class", "struct", "interface", "enum", "record"],
    paths: &["namespace"],
    aliases: &["using"],
    #[rustfmt::skip]
    not_types: &[
        "abstract", "and", "as", "async", "await", "base", "break", "by", "case", "catch", "checked", "const", "continue",
        "default", "do", "else", "equals", "explicit", "extern", "finally", "fixed", "for", "foreach", "goto", "if", "implicit",
        "in", "internal", "is", "lock", "namespace", "new", "not", "on", "or", "orderby", "out", "override", "params", "partial", "private",
        "protected", "public", "readonly", "ref", "return", "sealed", "select", "sizeof", "stackalloc", "static", "switch",
        "this", "throw", "try", "typeof", "unchecked", "unsafe", "virtual", "volatile", "when", "where", "while",
    ],
    before: b">]?)*@",
    after: b"=;,)[{}<",
    types_before_names: true,
    names_before_types: false,
    enum_arguments: false,
    own_names: &["operator", prepare::EXTENSION],
    otherwise: names::may_follow_interface,
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    // Directives that hold no code may be anywhere, like comments.
    on("preproc_region").comment(),
    on("preproc_endregion").comment(),
    on("preproc_line").comment(),
    on("preproc_pragma").comment(),
    on("preproc_nullable").comment(),
    on("preproc_error").comment(),
    on("preproc_warning").comment(),
    on("preproc_define").comment(),
    on("preproc_undef").comment(),
    on("shebang_directive").comment(),
    on_any(&["preproc_if", "preproc_elif"])
        .transparent()
        .children(&[label("condition")])
        .leave(expressions::alternatives),
    on("preproc_else")
        .transparent()
        .leave(expressions::alternatives),
    on("preproc_if_in_attribute_list")
        .transparent()
        .children(&[label("condition")])
        .no_value(),
    on("identifier").identifier().leave(names::identifier),
    on("implicit_parameter")
        .identifier()
        .leave(declarations::implicit_parameter),
    on("modifier").lifts_modifiers(),
    // Namespaces and usings.
    on("using_directive")
        .transparent()
        .children(&[name("name")])
        .enter(declarations::enter_using)
        .leave(declarations::using),
    on("extern_alias_directive")
        .names()
        .leave(declarations::extern_alias),
    on("namespace_declaration")
        .defines(SymbolKind::Namespace)
        .opens(ScopeKind::Namespace)
        .children(&[name("name"), others(Value)])
        .leave(declarations::namespace),
    on("file_scoped_namespace_declaration")
        .children(&[name("name")])
        .leave(declarations::file_scoped_namespace),
    // Types.
    on("class_declaration")
        .defines_type(SymbolKind::Class)
        .leave(declarations::type_declaration),
    on("struct_declaration")
        .defines_type(SymbolKind::Struct)
        .leave(declarations::type_declaration),
    on("record_declaration")
        .defines_type(SymbolKind::Record)
        .leave(declarations::type_declaration),
    on("interface_declaration")
        .defines_type(SymbolKind::Interface)
        .leave(declarations::type_declaration),
    on("enum_declaration")
        .defines_type(SymbolKind::Enum)
        .leave(declarations::type_declaration),
    on("enum_member_declaration")
        .defines(SymbolKind::EnumMember)
        .children(&[name("name"), others(Value)])
        .leave(declarations::enum_member),
    on("delegate_declaration")
        .defines_function(SymbolKind::Delegate)
        .children(&[name("name"), ty("type")])
        .leave(declarations::callable),
    on("base_list")
        .children(&[of_kind("argument_list", Value), others(Type)])
        .leave(declarations::base_list),
    on("primary_constructor_base_type")
        .children(&[of_kind("argument_list", Value), others(Type)])
        .leave(declarations::primary_constructor_base),
    on("type_parameter_list").values(),
    on("type_parameter")
        .children(&[name("name"), others(Value)])
        .leave(declarations::type_parameter),
    on("type_parameter_constraints_clause")
        .types()
        .leave(declarations::constraints),
    on("type_parameter_constraint")
        .types()
        .leave(shared::first_child),
    // Members.
    on_any(&["field_declaration", "event_field_declaration"]).no_value(),
    on("method_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[name("name"), ty("returns")])
        .leave(declarations::callable),
    on("constructor_declaration")
        .defines_function(SymbolKind::Constructor)
        .children(&[name("name")])
        .leave(declarations::callable),
    on("constructor_initializer").leave(declarations::constructor_initializer),
    on("destructor_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[name("name")])
        .leave(declarations::callable),
    on_any(&["operator_declaration", "conversion_operator_declaration"])
        .defines_function(SymbolKind::Operator)
        .children(&[ty("type")])
        .leave(declarations::callable),
    on("local_function_statement")
        .defines_function(SymbolKind::Function)
        .children(&[name("name"), ty("type")])
        .leave(declarations::callable),
    on("indexer_declaration")
        .defines_function(SymbolKind::Indexer)
        .children(&[ty("type")])
        .leave(declarations::callable),
    on("property_declaration")
        .defines_function(SymbolKind::Property)
        .children(&[name("name"), ty("type"), value("value")])
        .leave(declarations::callable),
    on("event_declaration")
        .defines_function(SymbolKind::Event)
        .children(&[name("name"), ty("type")])
        .leave(declarations::callable),
    on("explicit_interface_specifier")
        .types()
        .leave(shared::first_child),
    on("accessor_declaration")
        .opens(ScopeKind::Block)
        .children(&[label("name")])
        .leave(declarations::accessor),
    on_any(&["parameter_list", "bracketed_parameter_list"])
        .children(&[ty("type"), name("name"), others(Value)])
        .leave(declarations::parameter_list),
    on("parameter")
        .children(&[ty("type"), name("name"), others(Value)])
        .leave(declarations::parameter),
    on("variable_declaration")
        .children(&[ty("type"), others(Value)])
        .no_value(),
    on("variable_declarator")
        .enter(declarations::enter_declarator)
        .children(&[
            name("name"),
            of_kind("tuple_pattern", Bind(BindingKind::Local)),
            others(Value),
        ])
        .leave(declarations::declarator),
    on("arrow_expression_clause").leave(declarations::arrow_body),
    on("attribute")
        .children(&[of_kind("attribute_argument_list", Value), others(Value)])
        .leave(declarations::attribute),
    on("attribute_argument_list").leave(shared::list),
    on("attribute_argument")
        .children(&[name("name"), others(Value)])
        .leave(expressions::argument),
    // Statements.
    on("block").enter(statements::enter_block).no_value(),
    on("using_statement")
        .opens(ScopeKind::Branch)
        .calls_member(ImplicitKind::Enter, Pick::First, Word::Waits(""))
        .no_value(),
    on_any(&[
        "for_statement",
        "fixed_statement",
        "while_statement",
        "switch_section",
        "catch_clause",
    ])
    .opens(ScopeKind::Branch)
    .no_value(),
    on("foreach_statement")
        .opens(ScopeKind::Branch)
        .children(&[
            ty("type"),
            binds("left", BindingKind::Loop),
            value("right"),
            value("body"),
        ])
        .iterates("right")
        .leave(statements::foreach),
    on("catch_declaration")
        .children(&[ty("type"), name("name")])
        .leave(statements::catch),
    on("return_statement").leave(shared::returns),
    on("yield_statement").leave(statements::yields),
    on("goto_statement")
        .transparent()
        .enter(statements::enter_goto)
        .no_value(),
    on_any(&["labeled_statement", "expression_statement"]).no_value(),
    on("throw_statement").throws(),
    // Patterns.
    on("tuple_pattern")
        .transparent()
        .leave(shared::tuple_pattern),
    on("is_pattern_expression").leave(shared::boolean),
    on("declaration_pattern")
        .children(&[ty("type"), name("name")])
        .leave(patterns::declaration),
    on_any(&["var_pattern", "list_pattern"])
        .children(&[name("name")])
        .leave(patterns::declaration),
    on("recursive_pattern")
        .children(&[ty("type"), name("name"), others(Value)])
        .leave(patterns::declaration),
    on("parenthesized_variable_designation")
        .children(&[name("name")])
        .leave(patterns::designation),
    on("type_pattern")
        .children(&[ty("type")])
        .leave(shared::first_child),
    // Expressions.
    on("this").token().leave(shared::this),
    on("base").token().leave(shared::super_value),
    on("invocation_expression").leave(expressions::call),
    on_any(&["argument_list", "bracketed_argument_list"]).leave(expressions::arguments),
    on("argument")
        .children(&[name("name"), others(Value)])
        .leave(expressions::argument),
    on("member_access_expression")
        .children(&[value("expression"), name("name")])
        .leave(expressions::member),
    on("member_binding_expression")
        .children(&[name("name")])
        .leave(expressions::member_binding),
    on("element_binding_expression").leave(expressions::element_binding),
    on("conditional_access_expression").leave(expressions::conditional_access),
    on("element_access_expression")
        .indexes()
        .leave(expressions::element_access),
    on("object_creation_expression")
        .children(&[ty("type"), others(Value)])
        .leave(expressions::object_creation),
    on("implicit_object_creation_expression").leave(expressions::implicit_object_creation),
    on("anonymous_object_creation_expression").leave(expressions::anonymous_object),
    on_any(&["array_creation_expression", "stackalloc_expression"])
        .children(&[ty("type"), others(Value)])
        .leave(expressions::cast),
    on_any(&[
        "implicit_array_creation_expression",
        "implicit_stackalloc_expression",
        "expression_element",
        "with_expression",
        "ref_expression",
        "checked_expression",
    ])
    .leave(shared::first_child),
    on("interpolation")
        .converts(Pick::Known, "string")
        .leave(shared::first_child),
    on("initializer_expression")
        .enter(expressions::enter_initializer)
        .leave(expressions::initializer),
    on("collection_expression").leave(shared::list_literal),
    on("spread_element").leave(shared::spread),
    on_any(&["with_initializer", "range_expression", "when_clause"]).no_value(),
    on("assignment_expression")
        .operates()
        .leave(expressions::assignment),
    on("lambda_expression")
        .opens(ScopeKind::Lambda)
        .children(&[ty("type")])
        .leave(expressions::lambda),
    on("anonymous_method_expression")
        .opens(ScopeKind::Lambda)
        .leave(expressions::lambda),
    on("declaration_expression")
        .children(&[ty("type"), name("name")])
        .leave(expressions::declaration),
    on("tuple_expression").leave(expressions::tuple),
    on("parenthesized_expression")
        .transparent()
        .leave(shared::first_child),
    on("binary_expression")
        .transparent()
        .operates()
        .leave(expressions::binary),
    on("unary_expression").transparent().no_value(),
    on("prefix_unary_expression")
        .operates_before()
        .leave(expressions::prefix),
    on("postfix_unary_expression").leave(expressions::postfix),
    on("conditional_expression")
        .leave(shared::either)
        .with(&["consequence", "alternative"]),
    on("cast_expression")
        .children(&[ty("type"), value("value")])
        .leave(expressions::cast),
    on("as_expression")
        .children(&[value("left"), ty("right")])
        .leave(expressions::cast),
    on("is_expression")
        .children(&[value("left"), ty("right")])
        .leave(shared::boolean),
    on("default_expression")
        .children(&[ty("type")])
        .leave(expressions::default),
    on("typeof_expression")
        .children(&[ty("type")])
        .leave(expressions::type_of),
    on("sizeof_expression")
        .children(&[ty("type")])
        .leave(shared::integer),
    on("refvalue_expression")
        .children(&[value("value"), ty("type")])
        .leave(expressions::cast),
    on("await_expression").waits().leave(expressions::awaited),
    on("throw_expression").throws().no_value(),
    on("switch_expression").leave(expressions::switch),
    on("switch_expression_arm")
        .opens(ScopeKind::Branch)
        .leave(expressions::switch_arm),
    on("interpolated_string_expression").leave(expressions::interpolated_string),
    on("string_content").leave(shared::string_text),
    on_any(&[
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
    ])
    .leave(shared::string),
    on("character_literal").leave(shared::character),
    on("integer_literal").leave(shared::integer),
    on("real_literal").leave(shared::float),
    on("boolean_literal").leave(shared::boolean),
    on("null_literal").leave(shared::null),
    // Queries.
    on("query_expression")
        .opens(ScopeKind::Lambda)
        .leave(expressions::query),
    on("from_clause")
        .children(&[ty("type"), name("name"), others(Value)])
        .leave(expressions::from_clause),
    on("join_clause")
        .children(&[ty("type"), others(Value)])
        .leave(expressions::join_clause),
    on("let_clause").leave(expressions::let_clause),
    on("select_clause").leave(shared::first_child),
    on("group_clause").leave(shared::last_child),
    // Types as written.
    on("predefined_type").leave(types::predefined),
    on("implicit_type").leave(shared::inferred),
    on("generic_name")
        .transparent()
        .children(&[of_kind("type_argument_list", Type)])
        .leave(types::generic_name),
    on("type_argument_list").types().leave(shared::type_tuple),
    on("qualified_name")
        .transparent()
        .children(&[name("name")])
        .leave(types::qualified_name),
    on("alias_qualified_name")
        .transparent()
        .children(&[name("alias"), name("name")])
        .leave(types::alias_qualified_name),
    on("array_type")
        .children(&[ty("type"), others(Value)])
        .leave(types::array),
    on("array_rank_specifier").values().no_value(),
    on("nullable_type").types().leave(types::nullable),
    on("pointer_type").types().leave(types::pointer),
    on("function_pointer_type")
        .types()
        .leave(types::function_pointer),
    on_any(&["function_pointer_parameter", "ref_type", "scoped_type"])
        .types()
        .leave(shared::first_child),
    on("calling_convention").labels().no_value(),
    on("tuple_type").types().leave(shared::type_tuple),
    on("tuple_element")
        .children(&[ty("type"), label("name")])
        .leave(types::tuple_element),
];

#[cfg(test)]
mod tests {
    use super::CSHARP;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&CSHARP, "csharp/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&CSHARP);
    }
}
