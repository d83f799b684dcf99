//! Kotlin. The grammar names few of its parts, so children go by their kind and their order; see
//! `cases.md` for what becomes of them.

mod declarations;
mod expressions;
mod prepare;
mod recover;
mod semantics;
mod types;

use crate::{
    declaring::{DeclarationSyntax, has_word},
    prelude::*,
    rules::*,
};

pub static KOTLIN: Language = Language {
    name: "kotlin",
    id: LanguageId(13),
    extensions: &["kt", "kts"],
    interpreters: &["kotlin"],
    // 2: function types keep their receiver
    // 3: the signature of a constructor ends before `: this(..)`
    // 4: what is thrown
    // 5: implicit calls
    version: 6, // 6: lines of several annotations
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    n_node_kinds: 289,
    rules: &[RULES],
    prepare: Some(prepare::prepare),
    finish: Some(recover::recover),
    modifiers: &[
        ("val", Modifiers::FINAL),
        ("var", Modifiers::MUTABLE),
        ("const", Modifiers::CONST),
        ("abstract", Modifiers::ABSTRACT),
        ("final", Modifiers::FINAL),
        ("open", Modifiers::VIRTUAL),
        ("override", Modifiers::OVERRIDE),
        ("suspend", Modifiers::ASYNC),
        ("external", Modifiers::EXTERN),
        ("expect", Modifiers::PROTOTYPE),
    ],
    visibilities: &[
        ("public", Visibility::Public),
        ("internal", Visibility::Internal),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ],
    line_definitions: &[
        ("fun", SymbolKind::Function),
        ("class", SymbolKind::Class),
        ("interface", SymbolKind::Interface),
        ("object", SymbolKind::Object),
        ("typealias", SymbolKind::TypeAlias),
    ],
    declaration_syntax: Some(&DECLARATION_SYNTAX),
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

/// Every other child may not run.
const BRANCHES: ChildRule = ChildRule {
    by: By::Any,
    context: Some(Context::Value),
    scope: Some(ScopeKind::Branch),
};

const LOCAL: Context = Context::Bind(BindingKind::Local);
const LOOP: Context = Context::Bind(BindingKind::Loop);
const PARAMETER: Context = Context::Bind(BindingKind::Parameter);

static DECLARATION_SYNTAX: DeclarationSyntax = DeclarationSyntax {
    introducing: &[
        "class",
        "interface",
        "object",
        "fun",
        "val",
        "var",
        "typealias",
    ],
    paths: &["package"],
    aliases: &[],
    not_types: &[
        "else", "in", "is", "as", "return", "throw", "import", "if", "while", "when", "do",
    ],
    before: b">",
    after: b"=;,({}:",
    types_before_names: false,
    names_before_types: false,
    enum_arguments: true,
    own_names: &["constructor"],
    // `fun List<Item>.total()`, `val (first, second) = pair`
    otherwise: |prefix, _| {
        let unpacks = |start: &&str| memchr::memmem::find(prefix, start.as_bytes()).is_some();
        match prefix.trim_ascii_end().last() {
            Some(b'.') => ["fun", "val", "var"]
                .iter()
                .any(|word| has_word(prefix, word)),
            Some(b'(' | b',') => ["val (", "val(", "var (", "var("].iter().any(unpacks),
            _ => false,
        }
    },
};

const RULES: &[Rule] = &[
    on("line_comment").comment(),
    on("block_comment").comment(),
    on("identifier").identifier().leave(expressions::identifier),
    // The file.
    on("package_header").labels().leave(declarations::package),
    on("import").names().leave(declarations::import),
    on("qualified_identifier").transparent().no_value(),
    // Types that are defined.
    on("class_declaration")
        .defines_type(SymbolKind::Class)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("interface").token().leave(declarations::interface_word),
    on("class_modifier")
        .lifts_modifiers()
        .leave(declarations::class_modifier),
    on("object_declaration")
        .defines_type(SymbolKind::Object)
        .children(&[name("name")])
        .leave(declarations::type_declaration),
    on("companion_object")
        .defines_type(SymbolKind::Object)
        .children(&[name("name")])
        .leave(declarations::companion),
    on("companion").token().no_value(),
    on("object_literal")
        .enter(declarations::enter_object_literal)
        .leave(declarations::object_literal),
    on("class_body")
        .enter(declarations::enter_class_body)
        .no_value(),
    on("enum_entry")
        .defines(SymbolKind::EnumMember)
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::enum_entry),
    on("delegation_specifier").leave(declarations::supertype),
    on("explicit_delegation").leave(shared::first_child),
    on("type_alias")
        .defines(SymbolKind::TypeAlias)
        .children(&[name("type")])
        .leave(declarations::type_alias),
    on("type_parameter")
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::type_parameter),
    on("type_constraint")
        .children(&[of_kind("identifier", Type)])
        .leave(declarations::type_constraint),
    // Modifiers and annotations.
    on("modifiers")
        .lifts_modifiers()
        .leave(declarations::modifiers),
    on_any(&[
        "member_modifier",
        "function_modifier",
        "property_modifier",
        "visibility_modifier",
        "inheritance_modifier",
        "parameter_modifier",
        "platform_modifier",
    ])
    .lifts_modifiers()
    .no_value(),
    on_any(&["annotation", "file_annotation"]).leave(declarations::annotation),
    on("constructor_invocation").leave(declarations::constructor_invocation),
    // Members and functions.
    on_any(&["primary_constructor", "anonymous_initializer"]).no_value(),
    on("class_parameters").leave(declarations::class_parameters),
    on("class_parameter")
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::class_parameter),
    on("function_declaration")
        .defines_function(SymbolKind::Function)
        .enter(declarations::enter_function)
        .children(&[name("name")])
        .leave(declarations::function),
    on("secondary_constructor")
        .defines_function(SymbolKind::Constructor)
        .leave(declarations::secondary_constructor),
    on("constructor").token().no_value(),
    on("constructor_delegation_call").leave(declarations::delegation_call),
    on("function_value_parameters").leave(declarations::parameters),
    on("parameter")
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::parameter),
    on("property_declaration")
        .enter(declarations::enter_property)
        .children(&[
            of_kind("variable_declaration", LOCAL),
            of_kind("multi_variable_declaration", LOCAL),
        ])
        .leave(declarations::property),
    on("property_delegate").leave(declarations::property_delegate),
    on("getter").enter(declarations::enter_accessor).no_value(),
    on("setter")
        .enter(declarations::enter_accessor)
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::setter),
    on("variable_declaration")
        .children(&[of_kind("identifier", Name)])
        .leave(declarations::variable),
    on("multi_variable_declaration")
        .transparent()
        .leave(shared::tuple_pattern),
    on("function_body").leave(declarations::function_body),
    // Statements.
    on("block")
        .enter(expressions::enter_block)
        .leave(shared::last_child),
    on("for_statement")
        .opens(ScopeKind::Block)
        .children(&[
            of_kind("variable_declaration", LOOP),
            of_kind("multi_variable_declaration", LOOP),
            branch_of_kind("block"),
        ])
        .leave(expressions::for_loop),
    on("while_statement")
        .enter(shared::enter_condition)
        .children(&[value("condition"), BRANCHES])
        .no_value(),
    on("do_while_statement")
        .enter(shared::enter_condition)
        .children(&[value("condition"), branch_of_kind("block")])
        .no_value(),
    on("assignment").operates().leave(expressions::assignment),
    on("catch_block")
        .opens(ScopeKind::Branch)
        .children(&[of_kind("identifier", Name)])
        .leave(expressions::catch),
    on_any(&["finally_block", "label"]).no_value(),
    // Expressions.
    on("if_expression")
        .enter(shared::enter_condition)
        .children(&[value("condition"), BRANCHES])
        .leave(expressions::conditional),
    on("when_expression")
        .opens(ScopeKind::Block)
        .leave(expressions::when),
    on("when_subject")
        .children(&[of_kind("variable_declaration", LOCAL)])
        .leave(expressions::when_subject),
    on("when_entry")
        .enter(shared::enter_condition)
        .children(&[value("condition"), BRANCHES])
        .leave(expressions::when_entry),
    on("type_test").leave(expressions::type_test),
    on("range_test").leave(shared::boolean),
    on("try_expression")
        .children(&[branch_of_kind("block")])
        .leave(expressions::try_),
    on("call_expression").leave(expressions::call),
    on("value_arguments").leave(shared::list),
    on("value_argument")
        .children(&[of_kind("identifier", Name)])
        .leave(expressions::argument),
    on_any(&["annotated_lambda", "annotated_expression"]).leave(shared::last_child),
    on("lambda_literal")
        .enter(expressions::enter_lambda)
        .leave(expressions::lambda),
    on("lambda_parameters")
        .children(&[others(PARAMETER)])
        .leave(expressions::lambda_parameters),
    on("anonymous_function")
        .opens(ScopeKind::Lambda)
        .leave(expressions::anonymous_function),
    on("navigation_expression").leave(expressions::navigation),
    on("callable_reference").leave(expressions::callable_reference),
    on("index_expression").indexes().leave(expressions::index),
    on("infix_expression").leave(expressions::infix),
    on("binary_expression")
        .operates()
        .leave(expressions::binary),
    on("&&").token().leave(expressions::and),
    on("unary_expression")
        .operates_before()
        .leave(expressions::unary),
    on("range_expression").operates().leave(expressions::range),
    on("in_expression").operates().leave(shared::boolean),
    on("interpolation").converts(Pick::First, "String"),
    on("is_expression").leave(expressions::is),
    on("as_expression").leave(expressions::as_),
    on("spread_expression").leave(shared::spread),
    on("parenthesized_expression").leave(shared::first_child),
    on("labeled_expression")
        .enter(expressions::enter_labeled)
        .transparent()
        .leave(shared::last_child),
    on("collection_literal").leave(shared::list_literal),
    on("return_expression")
        .children(&[label("label")])
        .leave(expressions::returns),
    on("throw_expression").throws().leave(expressions::throws),
    on("this_expression").names().leave(expressions::this),
    on("super_expression")
        .children(&[of_kind("identifier", Label)])
        .leave(expressions::super_),
    on("string_literal").leave(expressions::string),
    on("multiline_string_literal").leave(shared::string),
    on("character_literal").leave(shared::character),
    on("number_literal").leave(shared::integer),
    on("float_literal").leave(shared::float),
    // Types as written.
    on("user_type").types().leave(types::user_type),
    on("nullable_type").leave(types::nullable),
    on_any(&["non_nullable_type", "parenthesized_type", "type_projection"])
        .leave(types::first_type),
    on_any(&["type_arguments", "function_type_parameters"]).leave(shared::type_tuple),
    on("function_type").leave(types::function_type),
    on("type_modifiers").no_value(),
];

#[cfg(test)]
mod tests {
    use super::KOTLIN;
    use crate::{Extractor, Limits, cases};

    #[test]
    fn cases() {
        cases::check(&KOTLIN, "kotlin/cases.md", crate::cases::FULL_DEPTH);
    }

    /// Without `prepare` the scanner of the grammar never returns.
    #[test]
    fn annotations_that_the_end_cuts_off() {
        for end in ["@", "@Get", "@Get(1, 2", "@Get(1) val x = 1", "@get:A @B("] {
            for start in ["class A\n", "class A {\n  val a = 1\n  ", "val a: Int\n"] {
                let text = format!("{start}{end}");
                let facts = Extractor::new().extract(&KOTLIN, &text, &Limits::default());
                assert!(!facts.symbols.is_empty(), "{text}");
            }
        }
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&KOTLIN);
    }
}
