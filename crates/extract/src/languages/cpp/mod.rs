//! C++. What stands after `A::` in a declarator belongs to `A`; see `cases.md` for the rest.

mod handlers;
mod semantics;

use facts::{LanguageId, Modifiers, SymbolKind};

use super::c_family::{c_family_rules, prepare, preprocessor};
use crate::{language::Language, rules::Rule};

pub static CPP: Language = Language {
    name: "cpp",
    id: LanguageId(10),
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh",
        "ino", "cppm", "ixx",
    ],
    // 2: each name of a list in a using declaration is an import; 3: paths in text that did not
    // parse; 4: a write keeps the name that is assigned; 5: what is thrown
    version: 5,
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    n_node_kinds: 543,
    rules: RULES,
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

const RULES: &[Rule] = c_family_rules![
    on("namespace_identifier")
        .identifier()
        .leave(handlers::namespace_identifier),
    on("literal_suffix").leave(shared::nothing),
    // Namespaces and usings.
    on("namespace_definition")
        .defines(SymbolKind::Namespace)
        .opens(ScopeKind::Namespace)
        .children(&[name("name"), others(Context::Value)])
        .leave(handlers::namespace),
    on("nested_namespace_specifier")
        .transparent()
        .leave(shared::nothing),
    on("namespace_alias_definition")
        .children(&[others(Context::Name)])
        .leave(handlers::namespace_alias),
    on("using_declaration")
        .children(&[others(Context::Name)])
        .leave(handlers::using),
    on("alias_declaration")
        .children(&[name("name"), ty("type")])
        .leave(handlers::alias),
    on("concept_definition")
        .children(&[name("name"), others(Context::Value)])
        .leave(handlers::concept),
    // Classes.
    on("class_specifier")
        .enter(types::enter_record)
        .children(&[name("name"), others(Context::Value)])
        .leave(types::record),
    on("field_declaration_list")
        .enter(handlers::enter_members)
        .leave(handlers::members),
    on("access_specifier").leave(shared::nothing),
    on("base_class_clause")
        .children(&[others(Context::Type)])
        .leave(handlers::bases),
    on("friend_declaration").children(&[
        of_kind("declaration", Context::Value),
        of_kind("function_definition", Context::Value),
        others(Context::Type)
    ]),
    on("field_initializer_list").leave(shared::nothing),
    on("field_initializer")
        .children(&[
            of_kind("argument_list", Context::Value),
            of_kind("initializer_list", Context::Value),
            others(Context::Name),
        ])
        .leave(handlers::field_initializer),
    on("template_declaration")
        .enter(handlers::enter_template)
        .leave(shared::nothing),
    on("template_instantiation")
        .children(&[ty("type"), name("declarator")])
        .leave(shared::nothing),
    on("template_parameter_list")
        .children(&[others(Context::Name)])
        .leave(handlers::template_parameters),
    on("type_parameter_declaration")
        .children(&[others(Context::Name)])
        .leave(handlers::type_parameter),
    on("variadic_type_parameter_declaration")
        .children(&[others(Context::Name)])
        .leave(handlers::type_parameter),
    on("optional_type_parameter_declaration")
        .children(&[name("name"), ty("default_type")])
        .leave(handlers::type_parameter),
    on("template_template_parameter_declaration")
        .children(&[others(Context::Name)])
        .leave(handlers::template_template_parameter),
    on("optional_parameter_declaration")
        .children(&[
            ty("type"),
            name("declarator"),
            value("default_value"),
            others(Context::Value)
        ])
        .leave(declarators::parameter),
    on("variadic_parameter_declaration")
        .children(&[ty("type"), name("declarator"), others(Context::Value)])
        .leave(declarators::parameter),
    on("variadic_declarator")
        .transparent()
        .leave(declarators::wrapped),
    on("reference_declarator")
        .transparent()
        .leave(handlers::reference_declarator),
    on("abstract_reference_declarator")
        .transparent()
        .leave(handlers::reference_declarator),
    on("structured_binding_declarator")
        .children(&[others(Context::Bind(BindingKind::Local))])
        .leave(shared::tuple_pattern),
    on("operator_name").leave(handlers::operator_name),
    on("destructor_name")
        .children(&[others(Context::Label)])
        .leave(handlers::destructor_name),
    on("operator_cast")
        .children(&[ty("type"), others(Context::Value)])
        .leave(handlers::operator_cast),
    on("trailing_return_type")
        .children(&[others(Context::Type)])
        .leave(shared::first_child),
    on("explicit_function_specifier").leave(shared::nothing),
    on("virtual_specifier").leave(shared::nothing),
    on("noexcept").leave(shared::nothing),
    on("throw_specifier").leave(shared::nothing),
    on("requires_clause").leave(shared::nothing),
    on("type_requirement")
        .children(&[others(Context::Type)])
        .leave(shared::nothing),
    on("default_method_clause").leave(shared::nothing),
    on("delete_method_clause").leave(shared::nothing),
    on("pure_virtual_clause").leave(shared::nothing),
    // Names and types.
    on("qualified_identifier")
        .transparent()
        .children(&[ty("scope")])
        .leave(handlers::qualified),
    on("dependent_name")
        .transparent()
        .leave(shared::first_child),
    on("template_type")
        .transparent()
        .children(&[of_kind("template_argument_list", Context::Value)])
        .leave(handlers::template_name),
    on("template_function")
        .transparent()
        .children(&[of_kind("template_argument_list", Context::Value)])
        .leave(handlers::template_name),
    on("template_method")
        .transparent()
        .children(&[of_kind("template_argument_list", Context::Value)])
        .leave(handlers::template_name),
    on("template_argument_list").leave(handlers::template_arguments),
    on("dependent_type")
        .children(&[others(Context::Type)])
        .leave(shared::first_child),
    on("placeholder_type_specifier")
        .children(&[ty("constraint"), others(Context::Value)])
        .leave(handlers::auto),
    on("auto").leave(handlers::auto),
    on("decltype")
        .children(&[others(Context::Value)])
        .leave(handlers::decltype),
    // Statements.
    on("for_range_loop")
        .opens(ScopeKind::Branch)
        .children(&[
            ty("type"),
            name("declarator"),
            value("right"),
            others(Context::Value)
        ])
        .leave(handlers::range_loop),
    on("catch_clause")
        .opens(ScopeKind::Branch)
        .leave(shared::nothing),
    on("condition_clause").leave(shared::nothing),
    on("throw_statement").throws(),
    on("co_return_statement").leave(declarations::returns),
    on("co_yield_statement").leave(declarations::returns),
    // Expressions.
    on("this").leave(handlers::this),
    on("new_expression")
        .children(&[ty("type"), others(Context::Value)])
        .leave(handlers::new),
    on("delete_expression").leave(shared::nothing),
    on("co_await_expression").leave(shared::awaited),
    on("lambda_expression")
        .opens(ScopeKind::Lambda)
        .leave(handlers::lambda),
    on("lambda_capture_specifier").leave(shared::nothing),
    on("lambda_capture_initializer")
        .children(&[name("left"), value("right")])
        .leave(handlers::capture),
    on("subscript_argument_list").leave(shared::list),
    on("raw_string_literal").leave(shared::string),
    on("user_defined_literal").leave(shared::first_child),
    on("parameter_pack_expansion")
        .transparent()
        .leave(shared::first_child),
    on("fold_expression").leave(shared::nothing),
    on("attribute_declaration")
        .children(&[others(Context::Label)])
        .leave(shared::nothing),
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
