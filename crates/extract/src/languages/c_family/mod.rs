//! What C and C++ have in common: declarators, the preprocessor, macros that hide declarations,
//! expressions.

pub(super) mod declarations;
pub(super) mod declarators;
pub(super) mod expressions;
pub(super) mod names;
pub(super) mod prepare;
pub(super) mod preprocessor;
pub(super) mod types;

/// The rules of node kinds that both grammars have, followed by a language's own.
macro_rules! c_family_rules {
    ($($own:expr,)*) => {{
        use facts::{BindingKind, ScopeKind, SymbolKind};

        use $crate::{
            handlers as shared,
            languages::c_family::{
                declarations, declarators, expressions, names, preprocessor, types,
            },
            rules::{Context, Rule, label, name, of_kind, on, others, ty, value},
        };

        const RULES: &[Rule] = &[
            on("comment").comment(),
            on("identifier").identifier().leave(names::identifier),
            on("type_identifier")
                .identifier()
                .leave(names::type_identifier),
            on("field_identifier").identifier().leave(names::identifier),
            on("statement_identifier")
                .identifier()
                .leave(names::statement_identifier),
            // The preprocessor. Words of conditions are added at the end, also for directives that
            // were blanked.
            on("preproc_include")
                .children(&[others(Context::Name)])
                .leave(preprocessor::include),
            on("preproc_def")
                .defines(SymbolKind::Macro)
                .children(&[name("name"), others(Context::Name)])
                .leave(preprocessor::define),
            on("preproc_function_def")
                .defines(SymbolKind::Macro)
                .opens(ScopeKind::Function)
                .children(&[name("name"), others(Context::Name)])
                .leave(preprocessor::define),
            on("preproc_params")
                .children(&[others(Context::Bind(BindingKind::Parameter))])
                .leave(preprocessor::parameters),
            on("preproc_if")
                .transparent()
                .children(&[name("condition")])
                .leave(shared::nothing),
            on("preproc_ifdef")
                .transparent()
                .children(&[name("name")])
                .leave(shared::nothing),
            on("preproc_elif")
                .transparent()
                .children(&[name("condition")])
                .leave(shared::nothing),
            on("preproc_elifdef")
                .transparent()
                .children(&[name("name")])
                .leave(shared::nothing),
            on("preproc_defined")
                .children(&[others(Context::Name)])
                .leave(shared::nothing),
            // Declarations.
            on("function_definition")
                .defines(SymbolKind::Function)
                .opens(ScopeKind::Function)
                .children(&[ty("type"), name("declarator"), others(Context::Value)])
                .leave(declarations::function_definition),
            on("declaration")
                .children(&[ty("type"), name("declarator"), others(Context::Value)])
                .leave(declarations::declaration),
            on("field_declaration")
                .children(&[ty("type"), name("declarator"), others(Context::Value)])
                .leave(declarations::declaration),
            on("type_definition")
                .enter(declarations::enter_type_definition)
                .children(&[ty("type"), name("declarator"), others(Context::Value)])
                .leave(declarations::type_definition),
            on("struct_specifier")
                .enter(types::enter_record)
                .children(&[name("name"), others(Context::Value)])
                .leave(types::record),
            on("union_specifier")
                .enter(types::enter_record)
                .children(&[name("name"), others(Context::Value)])
                .leave(types::record),
            on("enum_specifier")
                .enter(types::enter_record)
                .children(&[name("name"), others(Context::Value)])
                .leave(types::record),
            on("enumerator")
                .defines(SymbolKind::EnumMember)
                .children(&[name("name"), value("value")])
                .leave(types::enumerator),
            on("init_declarator")
                .enter(declarations::enter_init_declarator)
                .children(&[name("declarator"), value("value")])
                .leave(declarations::init_declarator),
            on("pointer_declarator")
                .transparent()
                .leave(declarators::pointer),
            on("array_declarator")
                .transparent()
                .children(&[value("size")])
                .leave(declarators::array),
            on("function_declarator")
                .transparent()
                .enter(declarators::enter_function)
                .children(&[
                    value("parameters"),
                    of_kind("attribute_specifier", Context::Value),
                ])
                .leave(declarators::function),
            on("parenthesized_declarator")
                .transparent()
                .leave(declarators::wrapped),
            on("attributed_declarator")
                .transparent()
                .leave(declarators::wrapped),
            on("abstract_pointer_declarator")
                .transparent()
                .leave(declarators::pointer),
            on("abstract_array_declarator")
                .transparent()
                .children(&[value("size")])
                .leave(declarators::array),
            on("abstract_function_declarator")
                .transparent()
                .enter(declarators::enter_abstract_function)
                .children(&[value("parameters")])
                .leave(declarators::function),
            on("abstract_parenthesized_declarator")
                .transparent()
                .leave(declarators::wrapped),
            on("parameter_list")
                .children(&[
                    of_kind("identifier", Context::Bind(BindingKind::Parameter)),
                    others(Context::Value),
                ])
                .leave(declarators::parameter_list),
            on("parameter_declaration")
                .children(&[ty("type"), name("declarator"), others(Context::Value)])
                .leave(declarators::parameter),
            on("storage_class_specifier").lifts_modifiers(),
            on("type_qualifier").lifts_modifiers(),
            on("attribute_specifier")
                .children(&[others(Context::Label)])
                .leave(shared::nothing),
            on("attribute_declaration")
                .children(&[others(Context::Label)])
                .leave(shared::nothing),
            on("attribute")
                .children(&[label("name"), label("prefix")])
                .leave(shared::nothing),
            on("ms_declspec_modifier")
                .children(&[others(Context::Label)])
                .leave(shared::nothing),
            // Types as written.
            on("primitive_type").leave(types::primitive),
            on("sized_type_specifier").leave(types::primitive),
            on("type_descriptor")
                .children(&[ty("type"), others(Context::Name)])
                .leave(types::descriptor),
            // Statements.
            on("compound_statement")
                .enter(declarations::enter_block)
                .leave(shared::nothing),
            on("for_statement")
                .opens(ScopeKind::Branch)
                .leave(shared::nothing),
            on("while_statement")
                .opens(ScopeKind::Branch)
                .leave(shared::nothing),
            on("case_statement")
                .opens(ScopeKind::Branch)
                .leave(shared::nothing),
            on("labeled_statement")
                .children(&[label("label")])
                .leave(shared::nothing),
            on("goto_statement")
                .children(&[label("label")])
                .leave(shared::nothing),
            on("return_statement").leave(declarations::returns),
            on("expression_statement").leave(shared::nothing),
            on("gnu_asm_output_operand")
                .children(&[label("symbol"), value("value")])
                .leave(shared::nothing),
            on("gnu_asm_input_operand")
                .children(&[label("symbol"), value("value")])
                .leave(shared::nothing),
            on("gnu_asm_goto_list")
                .children(&[label("label")])
                .leave(shared::nothing),
            // Expressions.
            on("call_expression").transparent().leave(expressions::call),
            on("argument_list").transparent().leave(shared::list),
            on("field_expression")
                .children(&[value("argument"), name("field")])
                .leave(expressions::field),
            on("assignment_expression").leave(expressions::assignment),
            on("update_expression").leave(expressions::update),
            on("pointer_expression").leave(expressions::pointer),
            on("unary_expression")
                .transparent()
                .leave(expressions::unary),
            on("binary_expression")
                .transparent()
                .leave(expressions::binary),
            on("conditional_expression")
                .leave(shared::either)
                .with(&["consequence", "alternative"]),
            on("comma_expression").leave(expressions::comma),
            on("cast_expression")
                .children(&[ty("type"), value("value")])
                .leave(expressions::cast),
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
            on("subscript_expression").leave(expressions::subscript),
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
                .children(&[others(Context::Name)])
                .leave(expressions::field_designator),
            on("subscript_designator")
                .children(&[others(Context::Value)])
                .leave(shared::nothing),
            on("string_literal").leave(shared::string),
            on("system_lib_string").leave(shared::nothing),
            on("concatenated_string").leave(expressions::concatenated),
            on("char_literal").leave(shared::character),
            on("number_literal").leave(expressions::number),
            on("true").leave(shared::boolean),
            on("false").leave(shared::boolean),
            on("null").leave(shared::null),
            $($own,)*
        ];
        RULES
    }};
}

pub(super) use c_family_rules;
