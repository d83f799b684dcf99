//! C++. What is after `A::` in a declarator belongs to `A`; see `cases.md` for the rest.

mod handlers;
mod semantics;

use crate::{prelude::*, rules::*};

use super::c_family::{self, declarators, prepare, preprocessor, types};

pub static CPP: Language = Language {
    name: "cpp",
    id: LanguageId(10),
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh",
        "ino", "cppm", "ixx",
    ],
    // 2: each name of a list in a using declaration is an import; 3: paths in text that did not
    // parse; 4: a write keeps the name that is assigned; 5: what is thrown; 6: test macros by name
    // 7: `const` members; macros with texts before members
    // 10: inherited constructors, wide texts; 11: alternative headers and bodies, bodies and blocks
    // that macros open
    version: 13, // 12: tests of fixtures that a text names; 13: `const` of what is pointed to
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    n_node_kinds: 543,
    rules: &[c_family::RULES, RULES],
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("const", Modifiers::CONST),
        ("constexpr", Modifiers::CONST),
        ("extern", Modifiers::EXTERN),
        ("virtual", Modifiers::VIRTUAL),
        ("mutable", Modifiers::MUTABLE),
    ],
    prepare: Some(prepare::prepare_cpp),
    finish: Some(preprocessor::finish_file),
    line_definitions: &[
        ("namespace", SymbolKind::Namespace),
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("union", SymbolKind::Union),
        ("enum", SymbolKind::Enum),
        ("typedef", SymbolKind::TypeAlias),
        ("define", SymbolKind::Macro),
    ],
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("namespace_identifier")
        .identifier()
        .leave(handlers::namespace_identifier),
    on("literal_suffix").no_value(),
    // Namespaces and usings.
    on("namespace_definition")
        .defines(SymbolKind::Namespace)
        .opens(ScopeKind::Namespace)
        .children(&[name("name"), others(Value)])
        .leave(handlers::namespace),
    on("nested_namespace_specifier").transparent().no_value(),
    on("namespace_alias_definition")
        .names()
        .leave(handlers::namespace_alias),
    on("using_declaration").names().leave(handlers::using),
    on("alias_declaration")
        .children(&[name("name"), ty("type")])
        .leave(handlers::alias),
    on("concept_definition")
        .children(&[name("name"), others(Value)])
        .leave(handlers::concept),
    // Classes.
    on("class_specifier")
        .enter(types::enter_record)
        .children(&[name("name"), others(Value)])
        .leave(types::record),
    on("field_declaration_list")
        .enter(handlers::enter_members)
        .leave(handlers::members),
    on_any(&[
        "access_specifier",
        "field_initializer_list",
        "explicit_function_specifier",
        "virtual_specifier",
        "noexcept",
        "throw_specifier",
        "requires_clause",
        "default_method_clause",
        "delete_method_clause",
        "pure_virtual_clause",
    ])
    .no_value(),
    on("base_class_clause").types().leave(handlers::bases),
    on("friend_declaration").children(&[
        of_kind("declaration", Value),
        of_kind("function_definition", Value),
        others(Type),
    ]),
    on("field_initializer")
        .children(&[
            of_kind("argument_list", Value),
            of_kind("initializer_list", Value),
            others(Name),
        ])
        .leave(handlers::field_initializer),
    on("template_declaration")
        .enter(shared::enter_prefixed)
        .no_value(),
    on("template_instantiation")
        .children(&[ty("type"), name("declarator")])
        .no_value(),
    on("template_parameter_list")
        .names()
        .leave(handlers::template_parameters),
    on_any(&[
        "type_parameter_declaration",
        "variadic_type_parameter_declaration",
    ])
    .names()
    .leave(handlers::type_parameter),
    on("optional_type_parameter_declaration")
        .children(&[name("name"), ty("default_type")])
        .leave(handlers::type_parameter),
    on("template_template_parameter_declaration")
        .names()
        .leave(shared::last_child),
    on("optional_parameter_declaration")
        .children(&[
            ty("type"),
            name("declarator"),
            value("default_value"),
            others(Value),
        ])
        .leave(declarators::parameter),
    on("variadic_parameter_declaration")
        .children(&[ty("type"), name("declarator"), others(Value)])
        .leave(declarators::parameter),
    on("variadic_declarator")
        .transparent()
        .leave(declarators::wrapped),
    on_any(&["reference_declarator", "abstract_reference_declarator"])
        .transparent()
        .leave(handlers::reference_declarator),
    on("structured_binding_declarator")
        .children(&[others(Bind(BindingKind::Local))])
        .leave(shared::tuple_pattern),
    on("operator_name").leave(handlers::operator_name),
    on("destructor_name")
        .labels()
        .leave(handlers::destructor_name),
    on("operator_cast")
        .children(&[ty("type"), others(Value)])
        .leave(handlers::operator_cast),
    on("trailing_return_type")
        .types()
        .leave(shared::first_child),
    on("type_requirement").types().no_value(),
    // Names and types.
    on("qualified_identifier")
        .transparent()
        .children(&[ty("scope")])
        .leave(handlers::qualified),
    on("dependent_name")
        .transparent()
        .leave(shared::first_child),
    on_any(&["template_type", "template_function", "template_method"])
        .transparent()
        .children(&[of_kind("template_argument_list", Value)])
        .leave(handlers::template_name),
    on("template_argument_list").leave(shared::type_tuple),
    on("dependent_type").types().leave(shared::first_child),
    on("placeholder_type_specifier")
        .children(&[ty("constraint"), others(Value)])
        .leave(shared::inferred),
    on("auto").leave(shared::inferred),
    on("decltype").values().leave(handlers::decltype),
    // Statements.
    on("for_range_loop")
        .opens(ScopeKind::Branch)
        .children(&[
            ty("type"),
            name("declarator"),
            value("right"),
            others(Value),
        ])
        .iterates("right")
        .leave(handlers::range_loop),
    on("catch_clause").opens(ScopeKind::Branch).no_value(),
    on("condition_clause")
        .converts(Pick::Field("value"), "bool")
        .no_value(),
    on("throw_statement").throws(),
    on_any(&["co_return_statement", "co_yield_statement"]).leave(shared::returns),
    // Expressions.
    on("this").leave(shared::this),
    on("new_expression")
        .children(&[ty("type"), others(Value)])
        .leave(handlers::new),
    on_any(&[
        "delete_expression",
        "lambda_capture_specifier",
        "fold_expression",
    ])
    .no_value(),
    on("co_await_expression").waits().leave(shared::awaited),
    on("lambda_expression")
        .opens(ScopeKind::Lambda)
        .leave(handlers::lambda),
    on("lambda_capture_initializer")
        .children(&[name("left"), value("right")])
        .leave(handlers::capture),
    on("subscript_argument_list").leave(shared::list),
    on("raw_string_literal").leave(shared::string),
    on("user_defined_literal").leave(shared::first_child),
    on("parameter_pack_expansion")
        .transparent()
        .leave(shared::first_child),
    on("attribute_declaration").labels().no_value(),
];

#[cfg(test)]
mod tests {
    use super::CPP;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&CPP, "cpp/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&CPP);
    }
}
