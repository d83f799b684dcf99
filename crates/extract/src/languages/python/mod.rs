//! Python. A function directly inside a class is a method; names belong to the function that
//! assigns them; see `cases.md` for the rest.

mod generics;
mod handlers;
mod semantics;

use crate::{prelude::*, rules::*};

pub static PYTHON: Language = Language {
    name: "python",
    id: LanguageId(1),
    extensions: &["py", "pyi", "pyw"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    interpreters: &["python", "pypy"],
    // 2: imports inside of functions are not re-exported
    // 3: attributes among several targets, slices
    // 4: what is raised; keyword arguments of a class
    // 5: calls of nameless values, stores into elements and members, digits, slices
    // 6: implicit calls
    version: 7, // 7: parameters that name fixtures
    grammar: || tree_sitter_python::LANGUAGE.into(),
    n_node_kinds: 274,
    rules: &[RULES],
    modifiers: &[("async", Modifiers::ASYNC)],
    line_definitions: &[("def", SymbolKind::Function), ("class", SymbolKind::Class)],
    semantics: Some(&semantics::SEMANTICS),
    finish: Some(handlers::finish),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("identifier").identifier().leave(shared::identifier),
    // Definitions.
    on("decorated_definition").enter(shared::enter_prefixed),
    on("decorator").leave(handlers::decorator),
    on("class_definition")
        .defines_type(SymbolKind::Class)
        .children(&[name("name"), of_kind("argument_list", Type), others(Value)])
        .leave(handlers::class),
    on("function_definition")
        .defines_function(SymbolKind::Function)
        .enter(handlers::enter_function)
        .children(&[name("name"), ty("return_type"), others(Value)])
        .leave(handlers::function),
    on("lambda")
        .opens(ScopeKind::Lambda)
        .leave(handlers::lambda),
    on_any(&["parameters", "lambda_parameters"])
        .names()
        .leave(handlers::parameters),
    on("default_parameter")
        .children(&[name("name"), value("value")])
        .leave(handlers::default_parameter),
    on("typed_parameter")
        .children(&[ty("type"), others(Name)])
        .leave(handlers::typed_parameter),
    on("typed_default_parameter")
        .children(&[name("name"), ty("type"), value("value")])
        .leave(handlers::default_parameter),
    on("type_parameter")
        .types()
        .leave(handlers::type_parameters),
    on("type_alias_statement")
        .children(&[name("left"), ty("right")])
        .leave(handlers::type_alias),
    // Statements that bind.
    on("assignment")
        .children(&[
            binds("left", BindingKind::Assignment),
            ty("type"),
            value("right"),
        ])
        .leave(handlers::assignment),
    on("augmented_assignment")
        .children(&[value("left"), value("right")])
        .leave(handlers::augmented_assignment),
    on("named_expression")
        .children(&[binds("name", BindingKind::Assignment), value("value")])
        .leave(handlers::named_expression),
    on("for_statement")
        .children(&[
            binds("left", BindingKind::Loop),
            value("right"),
            branch("body"),
            branch("alternative"),
        ])
        .iterates("right")
        .leave(handlers::loop_target),
    on("for_in_clause")
        .children(&[binds("left", BindingKind::Loop), value("right")])
        .iterates("right")
        .leave(handlers::loop_target),
    on_any(&[
        "list_comprehension",
        "set_comprehension",
        "generator_expression",
    ])
    .opens(ScopeKind::Block)
    .leave(handlers::comprehension),
    on("dictionary_comprehension")
        .opens(ScopeKind::Block)
        .leave(handlers::dictionary_comprehension),
    on("with_item").calls_member(
        ImplicitKind::Enter,
        Pick::First,
        Word::Waits("with_statement"),
    ),
    on("as_pattern")
        .children(&[binds("alias", BindingKind::Assignment), others(Value)])
        .leave(handlers::as_pattern),
    on("as_pattern_target")
        .transparent()
        .children(&[others(Bind(BindingKind::Assignment))])
        .leave(shared::first_child),
    on("global_statement")
        .children(&[others(Bind(BindingKind::Outer))])
        .no_value(),
    on("nonlocal_statement")
        .children(&[others(Bind(BindingKind::Enclosing))])
        .no_value(),
    on_any(&["pattern_list", "tuple_pattern", "list_pattern"])
        .transparent()
        .leave(handlers::targets),
    on_any(&["list_splat_pattern", "dictionary_splat_pattern"])
        .transparent()
        .leave(handlers::splat),
    // Branches.
    on("if_statement")
        .children(&[
            value("condition"),
            branch("consequence"),
            branch("alternative"),
        ])
        .converts(Pick::Field("condition"), "bool")
        .enter(shared::enter_condition),
    on("elif_clause")
        .children(&[value("condition"), branch("consequence")])
        .converts(Pick::Field("condition"), "bool")
        .enter(shared::enter_condition),
    on_any(&["else_clause", "try_statement"]).children(&[branch("body")]),
    on("while_statement")
        .children(&[value("condition"), branch("body"), branch("alternative")])
        .converts(Pick::Field("condition"), "bool")
        .enter(shared::enter_condition),
    on("except_clause")
        .opens(ScopeKind::Branch)
        .children(&[value("value"), binds("alias", BindingKind::Caught)])
        .leave(handlers::except),
    on("assert_statement")
        .enter(shared::enter_condition)
        .converts(Pick::First, "bool")
        .leave(handlers::assert),
    on("case_clause")
        .opens(ScopeKind::Branch)
        .children(&[value("guard"), value("consequence")])
        .no_value(),
    on("case_pattern")
        .children(&[others(Bind(BindingKind::Pattern))])
        .leave(handlers::case_pattern),
    on("class_pattern")
        .children(&[
            of_kind("dotted_name", Type),
            others(Bind(BindingKind::Pattern)),
        ])
        .leave(handlers::class_pattern),
    on("keyword_pattern")
        .children(&[others(Bind(BindingKind::Pattern))])
        .leave(handlers::keyword_pattern),
    on("splat_pattern").transparent().leave(shared::spread),
    on("union_pattern").transparent().no_value(),
    on("dotted_name").transparent().leave(handlers::dotted_name),
    on("raise_statement").throws(),
    on("return_statement").leave(shared::returns),
    on("yield").leave(handlers::yields),
    // Expressions.
    on("call")
        .leave(handlers::call)
        .with(&["function", "arguments"]),
    on("argument_list").transparent().leave(shared::list),
    on("keyword_argument")
        .children(&[name("name"), value("value")])
        .leave(shared::named_value)
        .with(&["name", "value"]),
    on("list_splat")
        .calls_member(ImplicitKind::Iterate, Pick::First, Word::Fixed(""))
        .leave(shared::spread),
    on("dictionary_splat").leave(shared::spread),
    on("attribute")
        .children(&[name("attribute"), value("object")])
        .leave(handlers::attribute),
    on("subscript")
        .enter(handlers::enter_subscript)
        .transparent()
        .leave(handlers::subscript),
    on("slice").no_value(),
    on("parenthesized_expression")
        .transparent()
        .leave(shared::first_child),
    on_any(&["expression_list", "tuple"])
        .transparent()
        .leave(shared::tuple),
    on("list").transparent().leave(handlers::list),
    on("set").leave(shared::list_literal),
    on("dictionary").leave(shared::object_literal),
    on("pair").leave(handlers::pair),
    on("conditional_expression").leave(handlers::conditional),
    on("boolean_operator")
        .converts(Pick::First, "bool")
        .leave(shared::either)
        .with(&["left", "right"]),
    on("binary_operator")
        .transparent()
        .operates()
        .leave(handlers::binary),
    on("comparison_operator").operates().leave(shared::boolean),
    on_any(&["true", "false"]).leave(shared::boolean),
    on("not_operator")
        .converts(Pick::First, "bool")
        .leave(handlers::not),
    on("unary_operator")
        .operates_before()
        .leave(shared::first_child),
    on("concatenated_string").leave(shared::first_child),
    on("await").waits().leave(shared::awaited),
    on("interpolation").converts(Pick::First, "str"),
    on("string").leave(handlers::string),
    on("integer").leave(shared::small_integer),
    on("float").leave(shared::float),
    on("none").leave(handlers::none),
    // Types.
    on("type").types().leave(shared::first_child),
    on("generic_type").types().leave(handlers::generic_type),
    on("union_type").types().leave(handlers::union_type),
    on("member_type").types().leave(handlers::member_type),
    // Imports.
    on("import_statement").names().leave(handlers::import),
    on_any(&["import_from_statement", "future_import_statement"])
        .names()
        .leave(handlers::import_from),
    on("aliased_import")
        .children(&[label("alias"), others(Name)])
        .no_value(),
];

#[cfg(test)]
mod tests {
    use super::PYTHON;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&PYTHON, "python/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&PYTHON);
    }
}
