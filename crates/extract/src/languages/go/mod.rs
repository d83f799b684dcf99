//! Go. Methods name their type by their receiver, visibility is a capital letter; see `cases.md`
//! for the rest.

mod declarations;
mod expressions;
mod semantics;
mod types;

use crate::{
    declaring::{DeclarationSyntax, is_word},
    prelude::*,
    rules::*,
};

pub static GO: Language = Language {
    name: "go",
    id: LanguageId(7),
    extensions: &["go"],
    version: 2, // 2: a string or name that a function returns at once
    grammar: || tree_sitter_go::LANGUAGE.into(),
    n_node_kinds: 219,
    rules: &[RULES],
    line_definitions: &[
        ("func", SymbolKind::Function),
        ("type", SymbolKind::Struct),
        ("const", SymbolKind::Constant),
        ("var", SymbolKind::Variable),
    ],
    finish: Some(crate::flat::recover),
    declaration_syntax: Some(&DECLARATION_SYNTAX),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

static DECLARATION_SYNTAX: DeclarationSyntax = DeclarationSyntax {
    introducing: &["package", "func", "type", "const", "var"],
    paths: &[],
    aliases: &[],
    not_types: &[],
    // `func (c *Cart) Total()`, `struct{ a, b int }`, `type Pair[K, V any]`
    before: b"){;[",
    after: b"=,*[<;`}",
    types_before_names: false,
    names_before_types: true,
    enum_arguments: false,
    own_names: &[],
    otherwise: may_be_embedded,
};

/// Whether a name ends a member that is only a type: `sync.Mutex`, `*Base`, `struct{ v1.Pod }`.
fn may_be_embedded(prefix: &[u8], after: &[u8]) -> bool {
    let member = prefix.rsplit(|byte| matches!(byte, b'{' | b';')).next();
    let is_part = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b'*');
    let member = member.unwrap_or_default().trim_ascii_start();
    member.iter().all(is_part)
        && matches!(after, [] | [b'\n' | b'`' | b'/' | b'[' | b'}' | b';', ..])
}

/// A child that is in the context its parent's enter handler decided on.
const fn inherits(field: &'static str) -> ChildRule {
    ChildRule {
        by: By::Field(field),
        context: None,
        scope: None,
    }
}

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("identifier").identifier().leave(expressions::identifier),
    on_any(&["type_identifier", "package_identifier"])
        .identifier()
        .leave(shared::type_identifier),
    on("field_identifier")
        .identifier()
        .leave(shared::identifier),
    on("label_name").identifier().leave(shared::label),
    // Declarations.
    on("package_clause")
        .defines(SymbolKind::Namespace)
        .names()
        .leave(declarations::package),
    on("import_spec").names().leave(declarations::import),
    on("function_declaration")
        .defines_function(SymbolKind::Function)
        .children(&[
            name("name"),
            binds("parameters", BindingKind::Parameter),
            binds("result", BindingKind::Local),
        ])
        .leave(declarations::function),
    on("method_declaration")
        .defines_function(SymbolKind::Method)
        .children(&[
            name("name"),
            binds("receiver", BindingKind::Parameter),
            binds("parameters", BindingKind::Parameter),
            binds("result", BindingKind::Local),
        ])
        .leave(declarations::function),
    on("method_elem")
        .defines(SymbolKind::Method)
        .children(&[name("name"), of_kind("parameter_list", Label), others(Type)])
        .leave(declarations::interface_method),
    on("func_literal")
        .opens(ScopeKind::Lambda)
        .enter(declarations::enter_function_literal)
        .children(&[
            binds("parameters", BindingKind::Parameter),
            binds("result", BindingKind::Local),
        ])
        .leave(expressions::function_literal),
    on("parameter_list")
        .transparent()
        .leave(declarations::parameters),
    on_any(&["parameter_declaration", "variadic_parameter_declaration"])
        .transparent()
        .children(&[inherits("name"), ty("type")])
        .leave(declarations::parameter),
    on_any(&[
        "type_parameter_list",
        "type_declaration",
        "const_declaration",
        "var_declaration",
    ])
    .no_value(),
    on("type_parameter_declaration")
        .children(&[name("name"), ty("type")])
        .leave(declarations::type_parameters),
    on_any(&["type_spec", "type_alias"])
        .enter(declarations::enter_type)
        .children(&[name("name"), ty("type")])
        .leave(declarations::type_definition),
    on("field_declaration")
        .enter(declarations::enter_field)
        .children(&[name("name"), ty("type"), value("tag")])
        .leave(declarations::field),
    on("const_spec")
        .transparent()
        .enter(declarations::enter_values)
        .children(&[inherits("name"), ty("type"), value("value")])
        .leave(declarations::constants),
    on("var_spec")
        .transparent()
        .enter(declarations::enter_values)
        .children(&[inherits("name"), ty("type"), value("value")])
        .leave(declarations::variables),
    // Statements.
    on("block").enter(expressions::enter_block).no_value(),
    on_any(&["statement_list", "assignment_statement"]).no_value(),
    on("short_var_declaration")
        .children(&[binds("left", BindingKind::Local), value("right")])
        .leave(expressions::short_declaration),
    on_any(&["inc_statement", "dec_statement"]).leave(expressions::step),
    on("if_statement")
        .enter(expressions::enter_header)
        .children(&[branch_of_kind("block")])
        .no_value(),
    on("for_statement")
        .enter(expressions::enter_header)
        .children(&[branch("body")])
        .no_value(),
    on("range_clause")
        .transparent()
        .enter(expressions::enter_range)
        .children(&[inherits("left"), value("right")])
        .leave(expressions::range),
    on("receive_statement")
        .transparent()
        .enter(expressions::enter_receive)
        .children(&[inherits("left"), value("right")])
        .leave(expressions::short_declaration),
    on("expression_switch_statement")
        .enter(expressions::enter_header)
        .no_value(),
    on("type_switch_statement")
        .enter(expressions::enter_header)
        .children(&[binds("alias", BindingKind::Pattern)])
        .leave(expressions::type_switch),
    on_any(&["expression_case", "default_case", "communication_case"])
        .opens(ScopeKind::Branch)
        .no_value(),
    on("type_case")
        .opens(ScopeKind::Branch)
        .children(&[ty("type")])
        .leave(expressions::type_case),
    on("return_statement").leave(expressions::returns),
    // Expressions.
    on("expression_list")
        .transparent()
        .leave(expressions::expression_list),
    on("call_expression").leave(expressions::call),
    on("argument_list").leave(expressions::arguments),
    on("variadic_argument").leave(shared::spread),
    on("selector_expression")
        .children(&[value("operand"), name("field")])
        .leave(shared::member)
        .with(&["operand", "field"]),
    on("index_expression").leave(expressions::index),
    on("slice_expression").leave(expressions::slice),
    on_any(&["type_assertion_expression", "type_conversion_expression"])
        .children(&[ty("type")])
        .leave(expressions::conversion),
    on("type_instantiation_expression").leave(expressions::instantiation),
    on("composite_literal")
        .children(&[ty("type")])
        .leave(expressions::composite_literal),
    on("literal_value")
        .enter(expressions::enter_literal_value)
        .leave(expressions::literal_value),
    on("literal_element")
        .transparent()
        .leave(shared::first_child),
    on("keyed_element")
        .children(&[name("key"), value("value")])
        .leave(expressions::keyed_element),
    on("unary_expression").leave(expressions::unary),
    on("binary_expression").leave(expressions::binary),
    on("parenthesized_expression").leave(shared::first_child),
    on_any(&["raw_string_literal", "interpreted_string_literal"])
        .opaque()
        .leave(expressions::string),
    on_any(&["int_literal", "iota"]).leave(shared::integer),
    on_any(&["float_literal", "imaginary_literal"]).leave(shared::float),
    on("rune_literal").leave(shared::character),
    on("nil").leave(shared::null),
    on_any(&["true", "false"]).leave(shared::boolean),
    // Types.
    on_any(&["parenthesized_type", "negated_type"])
        .types()
        .leave(shared::first_child),
    on("generic_type").types().leave(types::generic),
    on("qualified_type").leave(types::qualified),
    on("pointer_type").types().leave(types::pointer),
    on("array_type")
        .children(&[ty("element"), value("length")])
        .leave(types::array),
    on_any(&["implicit_length_array_type", "slice_type"])
        .children(&[ty("element")])
        .leave(types::array),
    on("map_type")
        .children(&[ty("key"), ty("value")])
        .leave(types::map),
    on("channel_type")
        .children(&[ty("value")])
        .leave(types::channel),
    on("function_type")
        .children(&[of_kind("parameter_list", Label), others(Type)])
        .leave(types::function),
    on("struct_type")
        .enter(types::enter_members)
        .leave(types::members),
    on("field_declaration_list").no_value(),
    on("interface_type")
        .enter(types::enter_members)
        .children(&[of_kind("type_elem", Type)])
        .leave(types::members),
    on_any(&["type_elem", "type_constraint"])
        .types()
        .leave(types::element),
    on("type_arguments").types().leave(shared::type_tuple),
];

#[cfg(test)]
mod tests {
    use super::GO;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&GO, "go/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&GO);
    }
}
