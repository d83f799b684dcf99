//! Ruby. A bare word that is no local calls a method, instance variables are fields, and calls such
//! as `attr_reader` define; see `cases.md`.

mod definitions;
mod expressions;
mod finish;
mod macros;
mod patterns;
mod semantics;

use facts::{BindingKind, LanguageId, ScopeKind, SymbolKind};

use crate::{
    handlers as shared,
    language::Language,
    rules::{Context, Rule, binds, branch, name, on, others, value},
};

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
    version: 4,
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    n_node_kinds: 351,
    rules: RULES,
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
    on("uninterpreted").opaque().leave(shared::nothing),
    // Names.
    on("identifier").identifier().leave(expressions::identifier),
    on("constant").identifier().leave(expressions::constant),
    on("instance_variable")
        .identifier()
        .leave(expressions::variable),
    on("class_variable")
        .identifier()
        .leave(expressions::variable),
    on("global_variable")
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
        .defines(SymbolKind::Class)
        .opens(ScopeKind::Type)
        .children(&[name("name")])
        .leave(definitions::class),
    on("module")
        .defines(SymbolKind::Trait)
        .opens(ScopeKind::Type)
        .children(&[name("name")])
        .leave(definitions::class),
    on("superclass").leave(definitions::superclass),
    on("singleton_class").leave(shared::nothing),
    on("method")
        .defines(SymbolKind::Method)
        .opens(ScopeKind::Function)
        .enter(definitions::enter_method)
        .children(&[name("name")])
        .leave(definitions::method),
    on("singleton_method")
        .defines(SymbolKind::Method)
        .opens(ScopeKind::Function)
        .enter(definitions::enter_method)
        .children(&[name("name"), value("object")])
        .leave(definitions::method),
    on("setter")
        .children(&[others(Context::Name)])
        .leave(shared::nothing),
    on("operator").opaque().leave(shared::nothing),
    on("method_parameters")
        .children(&[others(Context::Bind(BindingKind::Parameter))])
        .leave(definitions::parameters),
    on("lambda_parameters")
        .children(&[others(Context::Bind(BindingKind::Parameter))])
        .leave(definitions::parameters),
    on("block_parameters")
        .children(&[
            binds("locals", BindingKind::Local),
            others(Context::Bind(BindingKind::Parameter)),
        ])
        .leave(definitions::parameters),
    on("destructured_parameter")
        .children(&[others(Context::Bind(BindingKind::Parameter))])
        .leave(shared::tuple_pattern),
    on("optional_parameter")
        .children(&[binds("name", BindingKind::Parameter), value("value")])
        .leave(definitions::parameter),
    on("keyword_parameter")
        .children(&[binds("name", BindingKind::Parameter), value("value")])
        .leave(definitions::parameter),
    on("splat_parameter")
        .transparent()
        .leave(definitions::rest_parameter),
    on("hash_splat_parameter")
        .transparent()
        .leave(definitions::rest_parameter),
    on("block_parameter")
        .transparent()
        .leave(definitions::parameter),
    on("alias")
        .children(&[others(Context::Name)])
        .leave(definitions::alias),
    on("undef")
        .children(&[others(Context::Label)])
        .leave(shared::nothing),
    // Statements.
    on("body_statement").leave(expressions::body),
    on("block_body").leave(expressions::body),
    on("then").leave(expressions::body),
    on("else").leave(expressions::body),
    on("ensure").leave(expressions::body),
    on("do").leave(expressions::body),
    on("begin").leave(expressions::body),
    on("parenthesized_statements").leave(expressions::body),
    on("interpolation").leave(expressions::body),
    on("if")
        .enter(expressions::enter_condition)
        .children(&[branch("consequence"), branch("alternative")])
        .leave(expressions::conditional),
    on("unless")
        .enter(expressions::enter_condition)
        .children(&[branch("consequence"), branch("alternative")])
        .leave(expressions::unless),
    on("elsif")
        .enter(expressions::enter_condition)
        .children(&[branch("consequence"), branch("alternative")])
        .leave(expressions::conditional),
    on("conditional").leave(expressions::conditional),
    on("if_modifier").leave(expressions::modifier),
    on("unless_modifier").leave(expressions::modifier),
    on("while_modifier").leave(expressions::modifier),
    on("until_modifier").leave(expressions::modifier),
    on("rescue_modifier").leave(expressions::rescue_modifier),
    on("while")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("until")
        .enter(expressions::enter_condition)
        .children(&[branch("body")])
        .leave(shared::nothing),
    on("for")
        .enter(expressions::enter_condition)
        .children(&[binds("pattern", BindingKind::Loop), branch("body")])
        .leave(expressions::for_loop),
    on("in").leave(shared::first_child),
    on("rescue")
        .opens(ScopeKind::Branch)
        .leave(expressions::rescue),
    on("exceptions").leave(expressions::exceptions),
    on("exception_variable")
        .children(&[others(Context::Bind(BindingKind::Caught))])
        .leave(shared::first_child),
    on("return").leave(expressions::returns),
    on("next").leave(expressions::next),
    on("break").leave(expressions::next),
    on("yield").leave(expressions::yields),
    // Matching.
    on("case").leave(expressions::case),
    on("when").opens(ScopeKind::Branch).leave(expressions::when),
    on("pattern").leave(shared::first_child),
    on("case_match").leave(expressions::case),
    on("in_clause")
        .opens(ScopeKind::Branch)
        .children(&[binds("pattern", BindingKind::Pattern)])
        .leave(patterns::clause),
    on("match_pattern")
        .children(&[value("value"), binds("pattern", BindingKind::Pattern)])
        .leave(patterns::matched),
    on("test_pattern")
        .children(&[value("value"), binds("pattern", BindingKind::Pattern)])
        .leave(patterns::matched),
    on("array_pattern")
        .children(&[value("class"), others(Context::Bind(BindingKind::Pattern))])
        .leave(patterns::array),
    on("find_pattern")
        .children(&[value("class"), others(Context::Bind(BindingKind::Pattern))])
        .leave(patterns::find),
    on("hash_pattern")
        .children(&[value("class"), others(Context::Bind(BindingKind::Pattern))])
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
        .children(&[others(Context::Bind(BindingKind::Pattern))])
        .leave(patterns::alternatives),
    on("parenthesized_pattern")
        .transparent()
        .leave(shared::first_child),
    on("variable_reference_pattern").leave(shared::nothing),
    on("expression_reference_pattern").leave(shared::nothing),
    // Expressions.
    on("assignment")
        .enter(definitions::enter_assignment)
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::assignment),
    on("operator_assignment")
        .enter(definitions::enter_assignment)
        .children(&[binds("left", BindingKind::Assignment), value("right")])
        .leave(expressions::operator_assignment),
    on("left_assignment_list")
        .transparent()
        .leave(expressions::targets),
    on("destructured_left_assignment")
        .transparent()
        .leave(expressions::targets),
    on("rest_assignment").transparent().leave(shared::spread),
    on("right_assignment_list").leave(expressions::array),
    on("call")
        .enter(macros::enter_call)
        .children(&[name("method")])
        .leave(expressions::call),
    on("argument_list").leave(expressions::arguments),
    on("splat_argument").leave(expressions::splat),
    on("hash_splat_argument").leave(expressions::splat),
    on("block_argument").leave(expressions::block_argument),
    on("pair").leave(expressions::pair),
    on("block")
        .enter(expressions::enter_block)
        .leave(expressions::block),
    on("do_block")
        .enter(expressions::enter_block)
        .leave(expressions::block),
    on("lambda")
        .opens(ScopeKind::Lambda)
        .leave(expressions::lambda),
    on("element_reference").leave(expressions::element),
    on("array").leave(expressions::array),
    on("hash").leave(expressions::hash),
    on("binary").leave(expressions::binary),
    on("unary").leave(expressions::unary),
    on("range").leave(expressions::range),
    on("string").leave(expressions::string),
    on("chained_string").leave(shared::first_child),
    on("heredoc_beginning").leave(expressions::heredoc_beginning),
    on("heredoc_body").leave(expressions::heredoc_body),
    on("subshell").leave(expressions::string),
    on("string_array").leave(expressions::word_array),
    on("symbol_array").leave(expressions::word_array),
    on("simple_symbol").leave(macros::symbol),
    on("delimited_symbol").leave(expressions::string),
    on("regex").leave(expressions::regex),
    on("character").leave(shared::character),
    on("integer").leave(shared::integer),
    on("float").leave(shared::float),
    on("complex").opaque().leave(shared::float),
    on("rational").opaque().leave(shared::float),
    on("true").leave(shared::boolean),
    on("false").leave(shared::boolean),
    on("nil").leave(shared::null),
    on("string_content").opaque().leave(shared::nothing),
    on("escape_sequence").opaque().leave(shared::nothing),
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
