//! Java. A package clause holds the rest of its file; overloads stay apart; an anonymous class is a
//! class without a name; see `cases.md` for the rest.

mod declarations;
mod expressions;
mod semantics;

use crate::{declaring::DeclarationSyntax, prelude::*, rules::*};

pub static JAVA: Language = Language {
    name: "java",
    id: LanguageId(2),
    extensions: &["java"],
    // 2: what a `case` can name; 3: what is thrown, arguments of annotations
    // 4: implicit calls
    version: 4,
    grammar: || tree_sitter_java::LANGUAGE.into(),
    n_node_kinds: 321,
    rules: &[RULES],
    modifiers: &[
        ("static", Modifiers::STATIC),
        ("abstract", Modifiers::ABSTRACT),
        ("final", Modifiers::FINAL),
        ("native", Modifiers::EXTERN),
    ],
    visibilities: &[
        ("public", Visibility::Public),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ],
    prepare: Some(blank_annotated_dots),
    finish: Some(declarations::finish),
    line_definitions: &[
        ("class", SymbolKind::Class),
        ("interface", SymbolKind::Interface),
        ("enum", SymbolKind::Enum),
        ("record", SymbolKind::Record),
    ],
    declaration_syntax: Some(&DECLARATION_SYNTAX),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

/// The grammar has no annotations between a type and the dots of `Object @Nullable ... xs`; they
/// become spaces.
fn blank_annotated_dots(text: &str) -> Option<String> {
    let mut blanked: Option<Vec<u8>> = None;
    for dots in memchr::memmem::find_iter(text.as_bytes(), b"...") {
        let mut head = text[..dots].trim_end();
        loop {
            let before = head
                .trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
            let Some(rest) = before
                .strip_suffix('@')
                .filter(|rest| before.len() < head.len() && rest.ends_with(char::is_whitespace))
            else {
                break;
            };
            blanked.get_or_insert_with(|| text.as_bytes().to_vec())[rest.len()..head.len()]
                .fill(b' ');
            head = rest.trim_end();
        }
    }
    blanked.and_then(|bytes| String::from_utf8(bytes).ok())
}

static DECLARATION_SYNTAX: DeclarationSyntax = DeclarationSyntax {
    introducing: &["class", "interface", "enum", "record"],
    paths: &["package", "module"],
    aliases: &[],
    #[rustfmt::skip]
    not_types: &[
        "abstract", "assert", "break", "case", "catch", "continue", "default", "do", "else", "extends", "final", "finally",
        "for", "goto", "if", "implements", "import", "instanceof", "native", "new", "private", "protected", "public", "return",
        "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try", "volatile",
        "while",
    ],
    before: b">]",
    after: b"=;,)[{}$",
    types_before_names: true,
    names_before_types: false,
    enum_arguments: true,
    own_names: &[],
    otherwise: |_, _| false,
};

const RULES: &[Rule] = &[
    on("line_comment").comment(),
    on("block_comment").comment(),
    on("identifier").identifier().leave(expressions::identifier),
    on("type_identifier")
        .identifier()
        .leave(expressions::type_identifier),
    // The file: its package, imports and module.
    on("package_declaration")
        .children(&[
            of_kind("annotation", Value),
            of_kind("marker_annotation", Value),
            others(Label),
        ])
        .leave(declarations::package),
    on("import_declaration").names().leave(declarations::import),
    on("module_declaration")
        .defines(SymbolKind::Module)
        .opens(ScopeKind::Namespace)
        .children(&[label("name"), others(Value)])
        .leave(declarations::module),
    on("requires_module_directive")
        .names()
        .leave(declarations::requires),
    on_any(&["uses_module_directive", "provides_module_directive"])
        .types()
        .no_value(),
    on("scoped_identifier")
        .transparent()
        .children(&[name("name")])
        .leave(declarations::scoped_identifier),
    // Types that are defined.
    on("class_declaration")
        .defines_type(SymbolKind::Class)
        .children(&[name("name"), ty("superclass")])
        .leave(declarations::type_declaration),
    on_any(&["interface_declaration", "annotation_type_declaration"])
        .defines_type(SymbolKind::Interface)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("enum_declaration")
        .defines_type(SymbolKind::Enum)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("record_declaration")
        .defines_type(SymbolKind::Record)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on_any(&["superclass", "type_list"])
        .types()
        .leave(declarations::supertypes),
    on("class_body")
        .enter(declarations::enter_class_body)
        .no_value(),
    on("type_parameter")
        .children(&[of_kind("type_identifier", Name), others(Type)])
        .leave(declarations::type_parameter),
    on("type_bound").types().leave(expressions::intersection),
    on("modifiers")
        .lifts_modifiers()
        .leave(declarations::modifiers),
    on_any(&["annotation", "marker_annotation"])
        .children(&[ty("name")])
        .leave(declarations::annotation),
    on("annotation_argument_list").leave(shared::list),
    on("element_value_pair")
        .children(&[name("key"), value("value")])
        .leave(declarations::element_value),
    on("element_value_array_initializer").leave(shared::list_literal),
    // Members.
    on("method_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[name("name"), ty("type")])
        .leave(declarations::method),
    on("annotation_type_element_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[name("name"), ty("type"), value("value")])
        .leave(declarations::method),
    on("constructor_declaration")
        .defines_function(SymbolKind::Constructor)
        .children(&[name("name")])
        .leave(declarations::method),
    on("compact_constructor_declaration")
        .defines_function(SymbolKind::Constructor)
        .children(&[name("name")])
        .leave(declarations::compact_constructor),
    on_any(&["field_declaration", "constant_declaration"])
        .children(&[ty("type")])
        .no_value(),
    on("variable_declarator")
        .enter(declarations::enter_declarator)
        .children(&[name("name"), value("value")])
        .leave(declarations::declarator),
    on("enum_constant")
        .defines(SymbolKind::EnumMember)
        .children(&[name("name")])
        .leave(declarations::enum_constant),
    on("formal_parameters").leave(declarations::parameters),
    on("inferred_parameters")
        .children(&[others(Bind(BindingKind::Parameter))])
        .leave(declarations::parameters),
    on("formal_parameter")
        .children(&[name("name"), ty("type")])
        .leave(declarations::formal_parameter),
    on("spread_parameter")
        .children(&[of_kind("variable_declarator", Value), others(Type)])
        .leave(declarations::spread_parameter),
    on("receiver_parameter")
        .children(&[of_kind("identifier", Label), others(Type)])
        .no_value(),
    on("throws").types().no_value(),
    // Statements that bind, and blocks.
    on("block").enter(expressions::enter_block).no_value(),
    on("local_variable_declaration")
        .children(&[ty("type")])
        .no_value(),
    on("if_statement")
        .children(&[
            value("condition"),
            branch("consequence"),
            branch("alternative"),
        ])
        .no_value(),
    on_any(&["while_statement", "do_statement", "try_statement"])
        .children(&[branch("body")])
        .no_value(),
    on_any(&["for_statement", "try_with_resources_statement"])
        .opens(ScopeKind::Block)
        .children(&[branch("body")])
        .no_value(),
    on("enhanced_for_statement")
        .opens(ScopeKind::Block)
        .children(&[name("name"), ty("type"), value("value"), branch("body")])
        .iterates("value")
        .leave(expressions::enhanced_for),
    on("resource")
        .children(&[name("name"), ty("type"), value("value")])
        .leave(expressions::resource),
    on("catch_clause").opens(ScopeKind::Branch).no_value(),
    on("catch_formal_parameter")
        .children(&[name("name"), of_kind("catch_type", Type)])
        .leave(expressions::caught),
    on("catch_type").types().leave(expressions::union),
    on("labeled_statement")
        .children(&[of_kind("identifier", Label)])
        .no_value(),
    on_any(&["break_statement", "continue_statement"])
        .labels()
        .no_value(),
    on("throw_statement").throws(),
    on("return_statement").leave(shared::returns),
    on("switch_expression").leave(shared::body_value),
    on("switch_block")
        .opens(ScopeKind::Block)
        .leave(expressions::switch_block),
    on_any(&["switch_block_statement_group", "guard"]).no_value(),
    on("switch_rule")
        .opens(ScopeKind::Branch)
        .leave(expressions::switch_rule),
    on("switch_label").leave(expressions::switch_label),
    on("pattern").leave(expressions::pattern),
    on_any(&["type_pattern", "record_pattern_component"])
        .children(&[
            of_kind("identifier", Bind(BindingKind::Pattern)),
            others(Type),
        ])
        .leave(expressions::type_pattern),
    on("record_pattern")
        .children(&[of_kind("identifier", Type), of_kind("generic_type", Type)])
        .leave(expressions::record_pattern),
    on("record_pattern_body").leave(shared::tuple_pattern),
    // Expressions.
    on("method_invocation")
        .children(&[name("name"), ty("type_arguments"), value("object")])
        .leave(expressions::invocation),
    on("explicit_constructor_invocation")
        .children(&[ty("type_arguments")])
        .leave(expressions::constructor_invocation),
    on("object_creation_expression")
        .children(&[ty("type"), ty("type_arguments")])
        .leave(expressions::creation)
        .with(&["type", "arguments"]),
    on("array_creation_expression")
        .children(&[ty("type")])
        .leave(expressions::array_creation),
    on("array_initializer").leave(shared::list_literal),
    on("argument_list").leave(shared::list),
    on("field_access")
        .children(&[name("field"), value("object")])
        .leave(expressions::field_access),
    on("method_reference").leave(expressions::method_reference),
    on("lambda_expression")
        .opens(ScopeKind::Lambda)
        .children(&[binds("parameters", BindingKind::Parameter)])
        .leave(expressions::lambda),
    on("array_access")
        .leave(shared::index)
        .with(&["array", "index"]),
    on("cast_expression")
        .children(&[ty("type"), value("value")])
        .leave(expressions::cast),
    on("class_literal")
        .types()
        .leave(expressions::class_literal),
    on("instanceof_expression")
        .children(&[name("name"), ty("right"), value("left")])
        .leave(expressions::instance_of),
    on("assignment_expression").leave(expressions::assignment),
    on("update_expression").leave(expressions::update),
    on("binary_expression").leave(expressions::binary),
    on("unary_expression").leave(expressions::unary),
    on("ternary_expression")
        .leave(shared::either)
        .with(&["consequence", "alternative"]),
    on("parenthesized_expression").leave(shared::first_child),
    on("template_expression").leave(expressions::template),
    on("this").leave(shared::this),
    on("super").leave(shared::super_value),
    on("string_literal").leave(shared::string),
    on("character_literal").leave(shared::character),
    on_any(&[
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
    ])
    .leave(shared::integer),
    on_any(&[
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
    ])
    .leave(shared::float),
    on_any(&["true", "false"]).leave(shared::boolean),
    on("null_literal").leave(shared::null),
    // Types as written.
    on_any(&[
        "void_type",
        "integral_type",
        "floating_point_type",
        "boolean_type",
    ])
    .leave(shared::type_name),
    on("generic_type").types().leave(expressions::generic_type),
    on("scoped_type_identifier")
        .types()
        .leave(expressions::scoped_type),
    on("array_type")
        .children(&[ty("element")])
        .leave(expressions::array_type),
    on_any(&["annotated_type", "wildcard"])
        .types()
        .leave(shared::last_child),
    on("type_arguments").types().leave(shared::type_tuple),
];

#[cfg(test)]
mod tests {
    use super::JAVA;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&JAVA, "java/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&JAVA);
    }
}
