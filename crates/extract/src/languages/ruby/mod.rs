//! Ruby. A bare word that is no local calls a method, instance variables are fields, and calls such
//! as `attr_reader` define; see `cases.md`.

mod definitions;
mod expressions;
mod finish;
mod macros;
mod patterns;
mod semantics;

use crate::{prelude::*, rules::*};

pub static RUBY: Language = Language {
    name: "ruby",
    id: LanguageId(11),
    extensions: &[
        "rb", "rake", "gemspec", "ru", "rbw", "rbi", "podspec", "jbuilder", "thor", "builder",
    ],
    file_names: &[
        "Gemfile",
        "Rakefile",
        "Guardfile",
        "Vagrantfile",
        "Capfile",
        "Podfile",
        "Fastfile",
        "Brewfile",
        "Dangerfile",
        "Thorfile",
        "Berksfile",
    ],
    interpreters: &["ruby", "jruby", "rake"],
    // 2: `new` is a call of its own; blocks of `let`, `subject` and `define_method` give values
    // 3: the words of `%w[]` and `%i[]`; 4: what is raised, literals that setters are given
    // 5: implicit calls
    version: 6, // 6: groups of tests are named after their word, methods that callbacks name
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    n_node_kinds: 351,
    rules: &[RULES],
    finish: Some(finish::finish),
    line_definitions: &[
        ("class", SymbolKind::Class),
        ("module", SymbolKind::Trait),
        ("def", SymbolKind::Method),
    ],
    semantics: Some(&semantics::SEMANTICS),
    ..Language::EMPTY
};

const RULES: &[Rule] = &[
    on("comment").comment(),
    on("uninterpreted").opaque().no_value(),
    // Names.
    on("identifier").identifier().leave(expressions::identifier),
    on("constant").identifier().leave(expressions::constant),
    on_any(&["instance_variable", "class_variable", "global_variable"])
        .identifier()
        .leave(expressions::variable),
    on("hash_key_symbol").identifier().leave(expressions::key),
    on("scope_resolution")
        .children(&[value("scope"), name("name")])
        .leave(expressions::scope_resolution),
    on("self").leave(expressions::self_value),
    on("super").leave(expressions::bare_super),
    // Definitions.
    on("class")
        .defines_type(SymbolKind::Class)
        .children(&[name("name")])
        .leave(definitions::class),
    on("module")
        .defines_type(SymbolKind::Trait)
        .children(&[name("name")])
        .leave(definitions::class),
    on("superclass").leave(definitions::superclass),
    on("singleton_class").no_value(),
    on("method")
        .defines_function(SymbolKind::Method)
        .enter(definitions::enter_method)
        .children(&[name("name")])
        .leave(definitions::method),
    on("singleton_method")
        .defines_function(SymbolKind::Method)
        .enter(definitions::enter_method)
        .children(&[name("name"), value("object")])
        .leave(definitions::method),
    on("setter").names().no_value(),
    on("operator").opaque().no_value(),
    on_any(&["method_parameters", "lambda_parameters"])
        .children(&[others(Bind(BindingKind::Parameter))])
        .leave(definitions::parameters),
    on("block_parameters")
        .children(&[
            binds("locals", BindingKind::Local),
            others(Bind(BindingKind::Parameter)),
        ])
        .leave(definitions::parameters),
    on("destructured_parameter")
        .children(&[others(Bind(BindingKind::Parameter))])
        .leave(shared::tuple_pattern),
    on_any(&["optional_parameter", "keyword_parameter"])
        .children(&[binds("name", BindingKind::Parameter), value("value")])
        .leave(definitions::parameter),
    on_any(&["splat_parameter", "hash_splat_parameter"])
        .transparent()
        .leave(definitions::rest_parameter),
    on("block_parameter")
        .transparent()
        .leave(definitions::parameter),
    on("alias").names().leave(definitions::alias),
    on("undef").labels().no_value(),
    // Statements.
    on_any(&[
        "body_statement",
        "block_body",
        "then",
        "else",
        "ensure",
        "do",
        "begin",
        "parenthesized_statements",
    ])
    .leave(expressions::body),
    on("interpolation")
        .converts(Pick::Last, "string")
        .leave(expressions::body),
    on_any(&["if", "elsif"])
        .enter(shared::enter_condition)
        .children(&[branch("consequence"), branch("alternative")])
        .leave(expressions::conditional),
    on("unless")
        .enter(shared::enter_condition)
        .children(&[branch("consequence"), branch("alternative")])
        .leave(expressions::conditional),
    on("conditional").leave(expressions::conditional),
    on_any(&[
        "if_modifier",
        "unless_modifier",
        "while_modifier",
        "until_modifier",
    ])
    .leave(expressions::modifier),
    on("rescue_modifier").leave(expressions::rescue_modifier),
    on_any(&["while", "until"])
        .enter(shared::enter_condition)
        .children(&[branch("body")])
        .no_value(),
    on("for")
        .enter(shared::enter_condition)
        .children(&[binds("pattern", BindingKind::Loop), branch("body")])
        .iterates("value")
        .leave(expressions::for_loop),
    on("in").leave(shared::first_child),
    on("rescue")
        .opens(ScopeKind::Branch)
        .leave(expressions::rescue),
    on("exceptions").leave(expressions::exceptions),
    on("exception_variable")
        .children(&[others(Bind(BindingKind::Caught))])
        .leave(shared::first_child),
    on("return").leave(expressions::returns),
    on_any(&["next", "break"]).leave(expressions::next),
    on("yield").no_value(),
    // Matching.
    on_any(&["case", "case_match"]).leave(expressions::case),
    on("when").opens(ScopeKind::Branch).leave(expressions::when),
    on("pattern").leave(shared::first_child),
    on("in_clause")
        .opens(ScopeKind::Branch)
        .children(&[binds("pattern", BindingKind::Pattern)])
        .leave(patterns::clause),
    on_any(&["match_pattern", "test_pattern"])
        .children(&[value("value"), binds("pattern", BindingKind::Pattern)])
        .leave(patterns::matched),
    on("array_pattern")
        .children(&[value("class"), others(Bind(BindingKind::Pattern))])
        .leave(patterns::array),
    on("find_pattern")
        .children(&[value("class"), others(Bind(BindingKind::Pattern))])
        .leave(patterns::find),
    on("hash_pattern")
        .children(&[value("class"), others(Bind(BindingKind::Pattern))])
        .leave(patterns::hash),
    on("keyword_pattern")
        .children(&[name("key"), binds("value", BindingKind::Pattern)])
        .leave(patterns::keyword),
    on("as_pattern")
        .children(&[
            binds("value", BindingKind::Pattern),
            binds("name", BindingKind::Pattern),
        ])
        .leave(patterns::alias),
    on("alternative_pattern")
        .children(&[others(Bind(BindingKind::Pattern))])
        .leave(patterns::alternatives),
    on("parenthesized_pattern")
        .transparent()
        .leave(shared::first_child),
    on_any(&["variable_reference_pattern", "expression_reference_pattern"]).no_value(),
    // Expressions.
    on("assignment")
        .enter(definitions::enter_assignment)
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::assignment),
    on("operator_assignment")
        .enter(definitions::enter_assignment)
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::operator_assignment),
    on_any(&["left_assignment_list", "destructured_left_assignment"])
        .transparent()
        .leave(expressions::targets),
    on("rest_assignment").transparent().leave(shared::spread),
    on_any(&["right_assignment_list", "array"]).leave(expressions::array),
    on("call")
        .enter(macros::enter_call)
        .children(&[name("method")])
        .leave(expressions::call),
    on("argument_list").leave(expressions::arguments),
    on_any(&["splat_argument", "hash_splat_argument"]).leave(expressions::splat),
    on("block_argument").leave(expressions::block_argument),
    on("pair").leave(expressions::pair),
    on_any(&["block", "do_block"])
        .enter(expressions::enter_block)
        .leave(expressions::block),
    on("lambda")
        .opens(ScopeKind::Lambda)
        .leave(expressions::lambda),
    on("element_reference")
        .indexes()
        .leave(expressions::element),
    on("hash").leave(expressions::hash),
    on("binary").operates().leave(expressions::binary),
    on("unary").operates_before().leave(expressions::unary),
    on("range").leave(expressions::range),
    on_any(&["string", "subshell", "delimited_symbol"]).leave(expressions::string),
    on("chained_string").leave(shared::first_child),
    on("heredoc_beginning").leave(expressions::heredoc_beginning),
    on("heredoc_body").leave(shared::string_text),
    on_any(&["string_array", "symbol_array"]).leave(expressions::word_array),
    on("simple_symbol").leave(macros::symbol),
    on("regex").leave(expressions::regex),
    on("character").leave(shared::character),
    on("integer").leave(shared::integer),
    on("float").leave(shared::float),
    on_any(&["complex", "rational"])
        .opaque()
        .leave(shared::float),
    on_any(&["true", "false"]).leave(shared::boolean),
    on("nil").leave(shared::null),
    on_any(&["string_content", "escape_sequence"])
        .opaque()
        .no_value(),
];

#[cfg(test)]
mod tests {
    use super::RUBY;
    use crate::cases;

    #[test]
    fn cases() {
        cases::check(&RUBY, "ruby/cases.md", crate::cases::FULL_DEPTH);
    }

    #[test]
    fn grammar() {
        cases::check_grammar(&RUBY);
    }
}
