//! Rust. A function inside an impl or trait is a method; an impl is a symbol named after its self
//! type; macro arguments are read as expressions; see `cases.md` for the rest.

mod expansion;
mod expressions;
mod imports;
mod items;
mod lexer;
mod macros;
mod patterns;
mod semantics;
mod types;

use crate::{prelude::*, rules::*};

pub static RUST: Language = Language {
    name: "rust",
    id: LanguageId(3),
    extensions: &["rs"],
    interpreters: &["rust-script", "cargo"],
    // 3: functions and variables that macros of the file make
    version: 6, // 6: symbols in macro calls are marked, `$crate` starts a path
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    n_node_kinds: 355,
    rules: &[RULES],
    modifiers: &[
        ("async", Modifiers::ASYNC),
        ("const", Modifiers::CONST),
        ("extern", Modifiers::EXTERN),
    ],
    prepare: Some(macros::prepare),
    finish: Some(crate::flat::recover),
    line_definitions: &[
        ("fn", SymbolKind::Function),
        ("struct", SymbolKind::Struct),
        ("enum", SymbolKind::Enum),
        ("trait", SymbolKind::Trait),
        ("union", SymbolKind::Union),
        ("mod", SymbolKind::Module),
        ("macro_rules", SymbolKind::Macro),
    ],
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("line_comment").comment(),
    on("block_comment").comment(),
    on("identifier").identifier().leave(types::identifier),
    on("type_identifier")
        .identifier()
        .leave(types::type_identifier),
    on_any(&["field_identifier", "shorthand_field_identifier"])
        .identifier()
        .leave(shared::identifier),
    on("self").leave(types::self_word),
    on_any(&["super", "crate"]).leave(types::path_start),
    on("metavariable").no_value(),
    on_any(&["label", "lifetime"]).labels().no_value(),
    // Attributes and modifiers.
    on_any(&["attribute_item", "inner_attribute_item"]).leave(items::attribute_item),
    on("attribute").leave(items::attribute),
    on("visibility_modifier")
        .types()
        .enter(items::enter_visibility)
        .lifts_modifiers()
        .no_value(),
    on_any(&["function_modifiers", "extern_modifier"])
        .lifts_modifiers()
        .no_value(),
    // Items.
    on_any(&["function_item", "function_signature_item"])
        .defines_function(SymbolKind::Function)
        .enter(items::enter_function)
        .children(&[name("name"), ty("return_type"), others(Value)])
        .leave(items::function),
    on("parameters").types().leave(items::parameters),
    on("parameter")
        .children(&[binds("pattern", BindingKind::Parameter), ty("type")])
        .leave(items::parameter),
    on("self_parameter")
        .children(&[of_kind("self", Name)])
        .leave(items::self_parameter),
    on("variadic_parameter")
        .children(&[binds("pattern", BindingKind::Parameter)])
        .leave(items::parameter),
    on("struct_item")
        .defines_type(SymbolKind::Struct)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::definition),
    on("union_item")
        .defines_type(SymbolKind::Union)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::definition),
    on("enum_item")
        .defines_type(SymbolKind::Enum)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::definition),
    on("enum_variant")
        .defines(SymbolKind::EnumMember)
        .enter(items::enter_definition)
        .children(&[name("name"), value("value")])
        .leave(items::definition),
    on("field_declaration_list")
        .enter(items::enter_fields)
        .no_value(),
    on("field_declaration")
        .defines(SymbolKind::Field)
        .enter(items::enter_definition)
        .children(&[name("name"), ty("type")])
        .leave(items::typed),
    on("ordered_field_declaration_list")
        .children(&[ty("type")])
        .leave(items::ordered_fields),
    on("trait_item")
        .defines_type(SymbolKind::Trait)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::of_trait),
    on("impl_item")
        .defines_type(SymbolKind::Impl)
        .enter(items::enter_definition)
        .children(&[ty("trait"), ty("type")])
        .leave(items::implementation),
    on("associated_type")
        .defines(SymbolKind::TypeAlias)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::typed),
    on("type_item")
        .defines(SymbolKind::TypeAlias)
        .enter(items::enter_definition)
        .children(&[name("name"), ty("type")])
        .leave(items::typed),
    on("const_item")
        .defines(SymbolKind::Constant)
        .enter(items::enter_definition)
        .children(&[name("name"), ty("type"), value("value")])
        .leave(items::typed),
    on("static_item")
        .defines(SymbolKind::Variable)
        .enter(items::enter_static)
        .children(&[name("name"), ty("type"), value("value")])
        .leave(items::typed),
    on("mod_item")
        .children(&[name("name")])
        .enter(items::enter_module)
        .leave(items::module),
    on("foreign_mod_item")
        .enter(items::enter_statement)
        .no_value(),
    on("declaration_list").no_value(),
    on("macro_definition")
        .defines(SymbolKind::Macro)
        .enter(items::enter_definition)
        .children(&[name("name")])
        .leave(items::definition),
    on("macro_rule").opaque().leave(macros::rule),
    on("use_declaration")
        .opaque()
        .enter(items::enter_statement)
        .leave(imports::use_declaration),
    on("extern_crate_declaration")
        .children(&[name("name"), name("alias"), others(Name)])
        .enter(items::enter_statement)
        .leave(imports::extern_crate),
    // Macros.
    on("macro_invocation")
        .children(&[value("macro")])
        .enter(items::enter_statement)
        .leave(macros::invocation),
    on("token_tree").opaque(),
    // Statements and blocks.
    on("block")
        .enter(expressions::enter_block)
        .leave(expressions::block),
    on("expression_statement")
        .enter(items::enter_statement)
        .leave(expressions::expression_statement),
    on("let_declaration")
        .enter(items::enter_statement)
        .children(&[
            binds("pattern", BindingKind::Local),
            ty("type"),
            value("value"),
            branch("alternative"),
        ])
        .leave(patterns::let_declaration),
    on("if_expression")
        .enter(patterns::enter_condition)
        .children(&[
            value("condition"),
            value("consequence"),
            branch("alternative"),
        ])
        .leave(expressions::if_expression),
    on("else_clause")
        .enter(patterns::enter_alternative)
        .leave(expressions::last_child),
    on_any(&[
        "let_chain",
        "loop_expression",
        "try_block",
        "break_expression",
        "continue_expression",
        "yield_expression",
    ])
    .no_value(),
    on("let_condition")
        .children(&[binds("pattern", BindingKind::Pattern), value("value")])
        .leave(patterns::let_condition),
    on("while_expression")
        .enter(patterns::enter_condition)
        .children(&[value("condition"), value("body")])
        .no_value(),
    on("for_expression")
        .opens(ScopeKind::Branch)
        .children(&[
            binds("pattern", BindingKind::Loop),
            value("value"),
            value("body"),
        ])
        .iterates("value")
        .leave(patterns::loop_pattern),
    on("match_expression").leave(shared::body_value),
    on("match_block")
        .children(&[branch_of_kind("match_arm")])
        .leave(expressions::match_block),
    on("match_arm").leave(expressions::match_arm),
    on("match_pattern")
        .children(&[value("condition"), others(Bind(BindingKind::Pattern))])
        .leave(patterns::arm),
    on_any(&["unsafe_block", "const_block"]).leave(expressions::last_child),
    on_any(&["async_block", "gen_block"]).no_value(),
    on("return_expression").leave(expressions::returns),
    // Patterns.
    on_any(&["tuple_pattern", "slice_pattern"])
        .transparent()
        .leave(patterns::tuple),
    on("tuple_struct_pattern")
        .transparent()
        .children(&[ty("type")])
        .leave(patterns::tuple_struct),
    on("struct_pattern")
        .transparent()
        .children(&[ty("type")])
        .leave(patterns::structure),
    on("field_pattern")
        .transparent()
        .children(&[of_kind("field_identifier", Name)])
        .leave(patterns::field),
    on("remaining_field_pattern").no_value(),
    on("captured_pattern")
        .transparent()
        .leave(patterns::captured),
    on("or_pattern").transparent().leave(patterns::alternatives),
    on_any(&["ref_pattern", "mut_pattern", "reference_pattern"])
        .transparent()
        .leave(patterns::wrapped),
    on("generic_pattern").types().no_value(),
    on("range_pattern").values().no_value(),
    // Expressions.
    on("call_expression").leave(expressions::call),
    on("arguments").leave(expressions::arguments),
    on("field_expression")
        .children(&[value("value"), name("field")])
        .leave(expressions::field),
    on("index_expression").indexes().leave(expressions::index),
    on("generic_function")
        .children(&[value("function")])
        .leave(types::generic_function),
    on("scoped_identifier")
        .children(&[ty("path"), name("name")])
        .leave(types::scoped),
    on("try_expression").leave(shared::tried),
    on("await_expression").waits().leave(shared::awaited),
    on("unary_expression")
        .operates_before()
        .leave(expressions::unary),
    on("reference_expression")
        .children(&[value("value")])
        .leave(expressions::reference),
    on("binary_expression")
        .operates()
        .leave(expressions::binary),
    on("assignment_expression").leave(expressions::assignment),
    on("compound_assignment_expr")
        .operates()
        .leave(expressions::compound_assignment),
    on("type_cast_expression")
        .children(&[value("value"), ty("type")])
        .leave(expressions::cast),
    on("range_expression").leave(expressions::range),
    on_any(&["parenthesized_expression", "negative_literal"]).leave(shared::first_child),
    on("tuple_expression").leave(shared::tuple_literal),
    on("unit_expression").leave(expressions::unit),
    on("array_expression").leave(expressions::array),
    on("struct_expression")
        .children(&[ty("name"), value("body")])
        .leave(expressions::structure),
    on("field_initializer_list").leave(shared::list),
    on("field_initializer")
        .children(&[name("field"), value("value")])
        .leave(expressions::field_value),
    on("shorthand_field_initializer").leave(expressions::shorthand_field),
    on("base_field_initializer").leave(shared::spread),
    on("closure_expression")
        .opens(ScopeKind::Lambda)
        .children(&[ty("return_type"), value("body")])
        .leave(expressions::closure),
    on("closure_parameters")
        .children(&[others(Bind(BindingKind::Parameter))])
        .leave(patterns::closure_parameters),
    on_any(&["string_literal", "raw_string_literal"]).leave(shared::string),
    on("char_literal").leave(shared::character),
    on("boolean_literal").leave(shared::boolean),
    on("integer_literal").leave(shared::integer),
    on("float_literal").leave(shared::float),
    // Types.
    on_any(&["primitive_type", "never_type"]).leave(types::primitive),
    on("scoped_type_identifier")
        .children(&[ty("path"), name("name")])
        .leave(types::scoped),
    on_any(&["generic_type", "generic_type_with_turbofish"])
        .children(&[ty("type"), ty("type_arguments")])
        .leave(types::generic),
    on("type_arguments")
        .children(&[of_kind("block", Value), others(Type)])
        .leave(types::type_arguments),
    on("type_binding")
        .children(&[name("name"), ty("type")])
        .leave(types::type_binding),
    on("reference_type")
        .children(&[ty("type")])
        .leave(types::wrapped_type),
    on("pointer_type")
        .children(&[ty("type")])
        .leave(types::wrapped_type),
    on("array_type")
        .children(&[ty("element"), value("length")])
        .leave(types::wrapped_type),
    on("tuple_type").types().leave(types::type_arguments),
    on("unit_type").leave(types::unit_type),
    on("function_type")
        .children(&[ty("trait"), ty("parameters"), ty("return_type")])
        .leave(types::function_type),
    on_any(&["abstract_type", "dynamic_type"])
        .children(&[ty("trait")])
        .leave(types::bounds_type),
    on("bounded_type").types().leave(types::bounded_type),
    on("use_bounds").types().no_value(),
    on("trait_bounds").types().leave(types::trait_bounds),
    on("removed_trait_bound").types().no_value(),
    on("higher_ranked_trait_bound")
        .children(&[ty("type")])
        .leave(types::higher_ranked),
    on("bracketed_type").types().leave(types::bracketed_type),
    on("qualified_type").types().leave(types::qualified_type),
    on_any(&["type_parameters", "where_clause"]).no_value(),
    on("type_parameter")
        .children(&[name("name"), ty("bounds"), ty("default_type")])
        .leave(types::type_parameter),
    on("const_parameter")
        .children(&[name("name"), ty("type"), value("value")])
        .leave(types::type_parameter),
    on("where_predicate")
        .children(&[ty("left"), ty("bounds")])
        .leave(types::where_predicate),
];

#[cfg(test)]
mod tests {
    use super::RUST;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&RUST, "rust/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&RUST);
    }
}
