//! Java. A package clause holds the rest of its file; overloads stay apart; an anonymous class is a class without a name; see `cases.md` for the rest.

mod handlers;
mod semantics;

use facts::{BindingKind, LanguageId, Modifiers, ScopeKind, SymbolKind, Visibility};

use crate::{
    handlers as shared,
    language::Language,
    rules::{Context, Rule, binds, branch, label, name, of_kind, on, others, ty, value},
};

pub static JAVA: Language = Language {
    name: "java",
    id: LanguageId(2),
    extensions: &["java"],
    version: 1,
    grammar: || tree_sitter_java::LANGUAGE.into(),
    n_node_kinds: 321,
    rules: RULES,
    modifiers: &[("static", Modifiers::STATIC), ("abstract", Modifiers::ABSTRACT), ("final", Modifiers::FINAL), ("native", Modifiers::EXTERN)],
    visibilities: &[("public", Visibility::Public), ("protected", Visibility::Protected), ("private", Visibility::Private)],
    prepare: Some(blank_annotated_dots),
    finish: Some(handlers::finish),
    line_definitions: &[
        ("class", SymbolKind::Class),
        ("interface", SymbolKind::Interface),
        ("enum", SymbolKind::Enum),
        ("record", SymbolKind::Record),
    ],
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

/// The grammar has no annotations between a type and the dots of `Object @Nullable ... xs`; they become spaces.
fn blank_annotated_dots(text: &str) -> Option<String> {
    let mut blanked: Option<Vec<u8>> = None;
    for dots in memchr::memmem::find_iter(text.as_bytes(), b"...") {
        let mut head = text[..dots].trim_end();
        loop {
            let before = head.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
            let Some(rest) = before.strip_suffix('@').filter(|rest| before.len() < head.len() && rest.ends_with(char::is_whitespace)) else { break };
            blanked.get_or_insert_with(|| text.as_bytes().to_vec())[rest.len()..head.len()].fill(b' ');
            head = rest.trim_end();
        }
    }
    blanked.and_then(|bytes| String::from_utf8(bytes).ok())
}

const RULES: &[Rule] = &[
    on("line_comment").comment(),
    on("block_comment").comment(),
    on("identifier").identifier().leave(handlers::identifier),
    on("type_identifier").identifier().leave(handlers::type_identifier),
    // The file: its package, imports and module.
    on("package_declaration")
        .children(&[of_kind("annotation", Context::Value), of_kind("marker_annotation", Context::Value), others(Context::Label)])
        .leave(handlers::package),
    on("import_declaration").children(&[others(Context::Name)]).leave(handlers::import),
    on("module_declaration")
        .defines(SymbolKind::Module)
        .opens(ScopeKind::Namespace)
        .children(&[label("name"), others(Context::Value)])
        .leave(handlers::module),
    on("requires_module_directive").children(&[others(Context::Name)]).leave(handlers::requires),
    on("uses_module_directive").children(&[others(Context::Type)]).leave(shared::nothing),
    on("provides_module_directive").children(&[others(Context::Type)]).leave(shared::nothing),
    on("scoped_identifier").transparent().children(&[name("name")]).leave(handlers::scoped_identifier),
    // Types that are defined.
    on("class_declaration")
        .defines(SymbolKind::Class)
        .opens(ScopeKind::Type)
        .children(&[name("name"), ty("superclass")])
        .leave(handlers::type_declaration),
    on("interface_declaration").defines(SymbolKind::Interface).opens(ScopeKind::Type).children(&[name("name")]).leave(handlers::type_declaration),
    on("annotation_type_declaration")
        .defines(SymbolKind::Interface)
        .opens(ScopeKind::Type)
        .children(&[name("name")])
        .leave(handlers::type_declaration),
    on("enum_declaration").defines(SymbolKind::Enum).opens(ScopeKind::Type).children(&[name("name")]).leave(handlers::type_declaration),
    on("record_declaration").defines(SymbolKind::Record).opens(ScopeKind::Type).children(&[name("name")]).leave(handlers::type_declaration),
    on("superclass").children(&[others(Context::Type)]).leave(handlers::supertypes),
    on("type_list").children(&[others(Context::Type)]).leave(handlers::supertypes),
    on("class_body").enter(handlers::enter_class_body).leave(shared::nothing),
    on("type_parameter").children(&[of_kind("type_identifier", Context::Name), others(Context::Type)]).leave(handlers::type_parameter),
    on("type_bound").children(&[others(Context::Type)]).leave(handlers::intersection),
    on("modifiers").lifts_modifiers().leave(handlers::modifiers),
    on("annotation").children(&[ty("name")]).leave(handlers::annotation),
    on("marker_annotation").children(&[ty("name")]).leave(handlers::annotation),
    on("annotation_argument_list").leave(shared::list),
    on("element_value_pair").children(&[name("key"), value("value")]).leave(handlers::element_value),
    on("element_value_array_initializer").leave(shared::list_literal),
    // Members.
    on("method_declaration").defines(SymbolKind::Method).opens(ScopeKind::Function).children(&[name("name"), ty("type")]).leave(handlers::method),
    on("annotation_type_element_declaration")
        .defines(SymbolKind::Method)
        .opens(ScopeKind::Function)
        .children(&[name("name"), ty("type"), value("value")])
        .leave(handlers::method),
    on("constructor_declaration").defines(SymbolKind::Constructor).opens(ScopeKind::Function).children(&[name("name")]).leave(handlers::method),
    on("compact_constructor_declaration")
        .defines(SymbolKind::Constructor)
        .opens(ScopeKind::Function)
        .children(&[name("name")])
        .leave(handlers::compact_constructor),
    on("field_declaration").children(&[ty("type")]).leave(shared::nothing),
    on("constant_declaration").children(&[ty("type")]).leave(shared::nothing),
    on("variable_declarator").enter(handlers::enter_declarator).children(&[name("name"), value("value")]).leave(handlers::declarator),
    on("enum_constant").defines(SymbolKind::EnumMember).children(&[name("name")]).leave(handlers::enum_constant),
    on("formal_parameters").leave(handlers::parameters),
    on("inferred_parameters").children(&[others(Context::Bind(BindingKind::Parameter))]).leave(handlers::parameters),
    on("formal_parameter").children(&[name("name"), ty("type")]).leave(handlers::formal_parameter),
    on("spread_parameter").children(&[of_kind("variable_declarator", Context::Value), others(Context::Type)]).leave(handlers::spread_parameter),
    on("receiver_parameter").children(&[of_kind("identifier", Context::Label), others(Context::Type)]).leave(shared::nothing),
    on("throws").children(&[others(Context::Type)]).leave(shared::nothing),
    // Statements that bind, and blocks.
    on("block").enter(handlers::enter_block).leave(shared::nothing),
    on("local_variable_declaration").children(&[ty("type")]).leave(shared::nothing),
    on("if_statement").children(&[value("condition"), branch("consequence"), branch("alternative")]).leave(shared::nothing),
    on("while_statement").children(&[branch("body")]).leave(shared::nothing),
    on("do_statement").children(&[branch("body")]).leave(shared::nothing),
    on("for_statement").opens(ScopeKind::Block).children(&[branch("body")]).leave(shared::nothing),
    on("enhanced_for_statement")
        .opens(ScopeKind::Block)
        .children(&[name("name"), ty("type"), value("value"), branch("body")])
        .leave(handlers::enhanced_for),
    on("try_statement").children(&[branch("body")]).leave(shared::nothing),
    on("try_with_resources_statement").opens(ScopeKind::Block).children(&[branch("body")]).leave(shared::nothing),
    on("resource").children(&[name("name"), ty("type"), value("value")]).leave(handlers::resource),
    on("catch_clause").opens(ScopeKind::Branch).leave(shared::nothing),
    on("catch_formal_parameter").children(&[name("name"), of_kind("catch_type", Context::Type)]).leave(handlers::caught),
    on("catch_type").children(&[others(Context::Type)]).leave(handlers::union),
    on("labeled_statement").children(&[of_kind("identifier", Context::Label)]).leave(shared::nothing),
    on("break_statement").children(&[others(Context::Label)]).leave(shared::nothing),
    on("continue_statement").children(&[others(Context::Label)]).leave(shared::nothing),
    on("return_statement").leave(handlers::returns),
    on("switch_expression").leave(handlers::switch),
    on("switch_block").opens(ScopeKind::Block).leave(handlers::switch_block),
    on("switch_block_statement_group").leave(shared::nothing),
    on("switch_rule").opens(ScopeKind::Branch).leave(handlers::switch_rule),
    on("switch_label").leave(handlers::switch_label),
    on("guard").leave(shared::nothing),
    on("pattern").leave(handlers::pattern),
    on("type_pattern").children(&[of_kind("identifier", Context::Bind(BindingKind::Pattern)), others(Context::Type)]).leave(handlers::type_pattern),
    on("record_pattern").children(&[of_kind("identifier", Context::Type), of_kind("generic_type", Context::Type)]).leave(handlers::record_pattern),
    on("record_pattern_body").leave(handlers::record_pattern_body),
    on("record_pattern_component")
        .children(&[of_kind("identifier", Context::Bind(BindingKind::Pattern)), others(Context::Type)])
        .leave(handlers::type_pattern),
    // Expressions.
    on("method_invocation").children(&[name("name"), ty("type_arguments"), value("object")]).leave(handlers::invocation),
    on("explicit_constructor_invocation").children(&[ty("type_arguments")]).leave(handlers::constructor_invocation),
    on("object_creation_expression").children(&[ty("type"), ty("type_arguments")]).leave(handlers::creation).with(&["type", "arguments"]),
    on("array_creation_expression").children(&[ty("type")]).leave(handlers::array_creation),
    on("array_initializer").leave(shared::list_literal),
    on("argument_list").leave(shared::list),
    on("field_access").children(&[name("field"), value("object")]).leave(handlers::field_access),
    on("method_reference").leave(handlers::method_reference),
    on("lambda_expression").opens(ScopeKind::Lambda).children(&[binds("parameters", BindingKind::Parameter)]).leave(handlers::lambda),
    on("array_access").leave(shared::index).with(&["array", "index"]),
    on("cast_expression").children(&[ty("type"), value("value")]).leave(handlers::cast),
    on("class_literal").children(&[others(Context::Type)]).leave(handlers::class_literal),
    on("instanceof_expression").children(&[name("name"), ty("right"), value("left")]).leave(handlers::instance_of),
    on("assignment_expression").leave(handlers::assignment),
    on("update_expression").leave(handlers::update),
    on("binary_expression").leave(handlers::binary),
    on("unary_expression").leave(handlers::unary),
    on("ternary_expression").leave(shared::either).with(&["consequence", "alternative"]),
    on("parenthesized_expression").leave(shared::first_child),
    on("template_expression").leave(handlers::template),
    on("this").leave(handlers::this),
    on("super").leave(handlers::super_),
    on("string_literal").leave(shared::string),
    on("character_literal").leave(shared::character),
    on("decimal_integer_literal").leave(shared::integer),
    on("hex_integer_literal").leave(shared::integer),
    on("octal_integer_literal").leave(shared::integer),
    on("binary_integer_literal").leave(shared::integer),
    on("decimal_floating_point_literal").leave(shared::float),
    on("hex_floating_point_literal").leave(shared::float),
    on("true").leave(shared::boolean),
    on("false").leave(shared::boolean),
    on("null_literal").leave(shared::null),
    // Types as written.
    on("void_type").leave(handlers::primitive),
    on("integral_type").leave(handlers::primitive),
    on("floating_point_type").leave(handlers::primitive),
    on("boolean_type").leave(handlers::primitive),
    on("generic_type").children(&[others(Context::Type)]).leave(handlers::generic_type),
    on("scoped_type_identifier").children(&[others(Context::Type)]).leave(handlers::scoped_type),
    on("array_type").children(&[ty("element")]).leave(handlers::array_type),
    on("annotated_type").children(&[others(Context::Type)]).leave(handlers::last_child),
    on("type_arguments").children(&[others(Context::Type)]).leave(handlers::type_arguments),
    on("wildcard").children(&[others(Context::Type)]).leave(handlers::last_child),
];

#[cfg(test)]
mod tests {
    use super::JAVA;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&JAVA, "java/cases.md", 25);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&JAVA);
    }
}
