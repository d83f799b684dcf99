//! What C and C++ have in common: declarators, the preprocessor, macros that hide declarations,
//! expressions.

pub(super) mod declarations;
pub(super) mod declarators;
pub(super) mod expressions;
pub(super) mod names;
mod object_macros;
pub(super) mod prepare;
pub(super) mod preprocessor;
pub(super) mod types;

use crate::{prelude::*, rules::*};

/// The rules of node kinds that both grammars have.
pub(super) const RULES: &[Rule] = &[
    on("comment").comment(),
    on_any(&["identifier", "field_identifier"])
        .identifier()
        .leave(names::identifier),
    on("type_identifier")
        .identifier()
        .leave(names::type_identifier),
    on("statement_identifier")
        .identifier()
        .leave(names::statement_identifier),
    // The preprocessor. Words of conditions are added at the end, also for directives that
    // were blanked.
    on("preproc_include").names().leave(preprocessor::include),
    on("preproc_def")
        .defines(SymbolKind::Macro)
        .children(&[name("name"), others(Name)])
        .leave(preprocessor::define),
    on("preproc_function_def")
        .defines_function(SymbolKind::Macro)
        .children(&[name("name"), others(Name)])
        .leave(preprocessor::define),
    on("preproc_params")
        .children(&[others(Bind(BindingKind::Parameter))])
        .leave(preprocessor::parameters),
    on_any(&["preproc_if", "preproc_elif"])
        .transparent()
        .children(&[name("condition")])
        .no_value(),
    on_any(&["preproc_ifdef", "preproc_elifdef"])
        .transparent()
        .children(&[name("name")])
        .no_value(),
    on("preproc_defined").names().no_value(),
    // Declarations.
    on("function_definition")
        .defines_function(SymbolKind::Function)
        .children(&[ty("type"), name("declarator"), others(Value)])
        .leave(declarations::function_definition),
    on_any(&["declaration", "field_declaration"])
        .children(&[ty("type"), name("declarator"), others(Value)])
        .leave(declarations::declaration),
    on("type_definition")
        .enter(shared::enter_prefixed)
        .children(&[ty("type"), name("declarator"), others(Value)])
        .leave(declarations::type_definition),
    on_any(&["struct_specifier", "union_specifier", "enum_specifier"])
        .enter(types::enter_record)
        .children(&[name("name"), others(Value)])
        .leave(types::record),
    on("enumerator")
        .defines(SymbolKind::EnumMember)
        .children(&[name("name"), value("value")])
        .leave(types::enumerator),
    on("init_declarator")
        .enter(declarations::enter_init_declarator)
        .children(&[name("declarator"), value("value")])
        .leave(declarations::init_declarator),
    on_any(&["pointer_declarator", "abstract_pointer_declarator"])
        .transparent()
        .leave(declarators::pointer),
    on_any(&["array_declarator", "abstract_array_declarator"])
        .transparent()
        .children(&[value("size")])
        .leave(declarators::array),
    on("function_declarator")
        .transparent()
        .enter(declarators::enter_function)
        .children(&[value("parameters"), of_kind("attribute_specifier", Value)])
        .leave(declarators::function),
    on_any(&[
        "parenthesized_declarator",
        "attributed_declarator",
        "abstract_parenthesized_declarator",
    ])
    .transparent()
    .leave(declarators::wrapped),
    on("abstract_function_declarator")
        .transparent()
        .enter(declarators::enter_abstract_function)
        .children(&[value("parameters")])
        .leave(declarators::function),
    on("parameter_list")
        .children(&[
            of_kind("identifier", Bind(BindingKind::Parameter)),
            others(Value),
        ])
        .leave(declarators::parameter_list),
    on("parameter_declaration")
        .children(&[ty("type"), name("declarator"), others(Value)])
        .leave(declarators::parameter),
    on_any(&["storage_class_specifier", "type_qualifier"]).lifts_modifiers(),
    on_any(&[
        "attribute_specifier",
        "attribute_declaration",
        "ms_declspec_modifier",
    ])
    .labels()
    .no_value(),
    on("attribute")
        .children(&[label("name"), label("prefix")])
        .no_value(),
    // Types as written.
    on_any(&["primitive_type", "sized_type_specifier"]).leave(types::primitive),
    on("type_descriptor")
        .children(&[ty("type"), others(Name)])
        .leave(types::descriptor),
    // Statements.
    on("compound_statement")
        .enter(declarations::enter_block)
        .no_value(),
    on_any(&["for_statement", "while_statement", "case_statement"])
        .opens(ScopeKind::Branch)
        .no_value(),
    on_any(&["labeled_statement", "goto_statement", "gnu_asm_goto_list"])
        .children(&[label("label")])
        .no_value(),
    on("return_statement").leave(shared::returns),
    on("expression_statement").no_value(),
    on_any(&["gnu_asm_output_operand", "gnu_asm_input_operand"])
        .children(&[label("symbol"), value("value")])
        .no_value(),
    // Expressions.
    on("call_expression").transparent().leave(expressions::call),
    on("argument_list").transparent().leave(shared::list),
    on("field_expression")
        .children(&[value("argument"), name("field")])
        .leave(expressions::field),
    on("assignment_expression")
        .operates()
        .leave(expressions::assignment),
    on("update_expression")
        .operates_before()
        .leave(expressions::update),
    on("pointer_expression")
        .operates_before()
        .leave(expressions::pointer),
    on("unary_expression")
        .transparent()
        .operates_before()
        .leave(expressions::unary),
    on("binary_expression")
        .transparent()
        .operates()
        .leave(expressions::binary),
    on("conditional_expression")
        .leave(shared::either)
        .with(&["consequence", "alternative"]),
    on("comma_expression").leave(expressions::comma),
    on("cast_expression")
        .children(&[ty("type"), value("value")])
        .leave(shared::cast),
    on("compound_literal_expression")
        .children(&[ty("type"), value("value")])
        .leave(expressions::compound_literal),
    on("sizeof_expression")
        .children(&[ty("type"), value("value")])
        .leave(shared::integer),
    on("alignof_expression")
        .children(&[ty("type")])
        .leave(shared::integer),
    on("offsetof_expression")
        .children(&[ty("type"), name("member")])
        .leave(expressions::offset),
    on("subscript_expression")
        .indexes()
        .leave(expressions::subscript),
    on("parenthesized_expression")
        .transparent()
        .leave(shared::first_child),
    on("initializer_list")
        .enter(expressions::enter_initializer)
        .leave(expressions::initializer),
    on("initializer_pair")
        .children(&[name("designator"), value("value")])
        .leave(expressions::initializer_pair),
    on("field_designator")
        .names()
        .leave(expressions::field_designator),
    on("subscript_designator").values().no_value(),
    on("string_literal").leave(expressions::string),
    on("system_lib_string").no_value(),
    on("concatenated_string").leave(expressions::concatenated),
    on("char_literal").leave(shared::character),
    on("number_literal").leave(expressions::number),
    on_any(&["true", "false"]).leave(shared::boolean),
    on("null").leave(shared::null),
];
