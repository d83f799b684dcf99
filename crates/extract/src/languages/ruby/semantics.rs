//! How Ruby names are looked up, and what its library gives.

use facts::{
    ArgumentCheck, BareNames, Blocks, Checks, Construction, Declarations, EntryPoints, Family,
    Merging, ModuleSystem, Protocols, Semantics, TestRules,
};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Ruby,
    modules: ModuleSystem::GlobalConstants,
    separator: "::",
    blocks: Blocks::Function,
    bare_names: BareNames::Members,
    called_getters: true,
    construction: Construction {
        by_member: "new",
        constructors: &["initialize"],
        ..Construction::NONE
    },
    protocols: Protocols {
        index: &["[]"],
        iterate: &["each"],
        step: &["next"],
        call: &["call"],
        ..Protocols::NONE
    },
    siblings_visible: true,
    declarations: Declarations {
        global_names: true,
        merging: Merging::Program,
        ..Declarations::USUAL
    },
    #[rustfmt::skip]
    builtins: &[
        "$!", "$\"", "$$", "$&", "$'", "$*", "$+", "$,", "$-0", "$-F", "$-I", "$-W", "$-a", "$-d",
        "$-i", "$-l", "$-p", "$-v", "$-w", "$.", "$/", "$0", "$1", "$2", "$3", "$4", "$5", "$6",
        "$7", "$8", "$9", "$:", "$;", "$<", "$=", "$>", "$?", "$@", "$DEBUG", "$FILENAME",
        "$LOADED_FEATURES", "$LOAD_PATH", "$PROGRAM_NAME", "$VERBOSE", "$\\", "$_", "$`",
        "$stderr", "$stdin", "$stdout", "$~", "ARGF", "ARGV", "ArgumentError", "Array",
        "BasicObject", "Binding", "Class", "ClosedQueueError", "Comparable", "Complex",
        "ConditionVariable", "DATA", "Data", "Dir", "ENV", "EOFError", "Encoding", "EncodingError",
        "Enumerable", "Enumerator", "Errno", "Exception", "FalseClass", "Fiber", "FiberError",
        "File", "FileTest", "Float", "FloatDomainError", "FrozenError", "GC", "Hash", "IO",
        "IOError", "IndexError", "Integer", "Interrupt", "Kernel", "KeyError", "LoadError",
        "LocalJumpError", "Marshal", "MatchData", "Math", "Method", "Module", "Monitor", "Mutex",
        "NameError", "NilClass", "NoMatchingPatternError", "NoMatchingPatternKeyError",
        "NoMemoryError", "NoMethodError", "NotImplementedError", "Numeric", "Object",
        "ObjectSpace", "Proc", "Process", "Queue", "RUBY_ENGINE", "RUBY_PLATFORM", "RUBY_VERSION",
        "Ractor", "Random", "Range", "RangeError", "Rational", "Refinement", "Regexp",
        "RegexpError", "RubyVM", "RuntimeError", "STDERR", "STDIN", "STDOUT", "ScriptError",
        "SecurityError", "Set", "Signal", "SignalException", "SizedQueue", "StandardError",
        "StopIteration", "String", "Struct", "Symbol", "SyntaxError", "SystemCallError",
        "SystemExit", "SystemStackError", "TOPLEVEL_BINDING", "Thread", "ThreadError",
        "ThreadGroup", "Time", "TracePoint", "TrueClass", "TypeError", "UnboundMethod",
        "UncaughtThrowError", "Warning", "ZeroDivisionError", "__callee__", "__dir__",
        "__method__", "abort", "alias_method", "at_exit", "attr", "attr_accessor", "attr_reader",
        "attr_writer", "autoload", "binding", "block_given?", "caller", "caller_locations",
        "catch", "class_eval", "class_exec", "const_get", "const_missing", "const_set",
        "define_method", "eval", "exec", "exit", "exit!", "extend", "fail", "fork", "format",
        "freeze", "frozen?", "gets", "global_variables", "include", "inspect", "instance_eval",
        "instance_exec", "instance_variable_get", "instance_variable_set", "is_a?", "lambda",
        "load", "local_variables", "loop", "method", "method_missing", "module_eval",
        "module_function", "nil?", "object_id", "open", "p", "pp", "prepend", "print", "printf",
        "private", "private_class_method", "private_constant", "proc", "protected", "public",
        "public_send", "putc", "puts", "raise", "rand", "readline", "readlines", "refine",
        "remove_const", "remove_method", "require", "require_relative", "respond_to?",
        "respond_to_missing?", "select", "send", "set_trace_func", "sleep", "spawn", "sprintf",
        "srand", "syscall", "system", "tap", "test", "then", "throw", "to_enum", "to_s",
        "trace_var", "trap", "undef_method", "untrace_var", "using", "warn", "yield_self",
    ],
    #[rustfmt::skip]
    standard_modules: &[
        "abbrev", "base64", "benchmark", "bigdecimal", "bundler", "cgi", "coverage", "csv", "date",
        "delegate", "did_you_mean", "digest", "drb", "english", "English", "erb", "error_highlight",
        "etc", "expect", "fcntl", "fiddle", "fileutils", "find", "forwardable", "getoptlong", "io",
        "ipaddr", "irb", "json", "logger", "matrix", "minitest", "monitor", "mutex_m", "net", "nkf",
        "objspace", "observer", "open-uri", "open3", "openssl", "optparse", "ostruct", "pathname",
        "pp", "prettyprint", "prime", "prism", "pstore", "psych", "pty", "racc", "rake", "random",
        "rbconfig", "rdoc", "readline", "reline", "resolv", "rexml", "rinda", "ripper", "rss",
        "ruby2_keywords", "rubygems", "securerandom", "set", "shellwords", "singleton", "socket",
        "stringio", "strscan", "syntax_suggest", "syslog", "tempfile", "test-unit", "time",
        "timeout", "tmpdir", "tsort", "un", "uri", "weakref", "webrick", "win32ole", "yaml", "zlib",
    ],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        members: &[
            "method_missing",
            "respond_to_missing?",
            "inherited",
            "included",
            "extended",
            "prepended",
            "to_s",
            "to_str",
            "inspect",
            "hash",
            "eql?",
            "each",
            "call",
            "to_proc",
            "to_h",
            "to_a",
            "to_ary",
            "initialize",
            "initialize_copy",
            "coerce",
        ],
        members_by_text: true,
        open_members: true,
        tests: TestRules {
            set_up: &[
                "setup",
                "teardown",
                "before_setup",
                "after_teardown",
                "before_all",
            ],
            makes_type: true,
            ..TestRules::NONE
        },
        published_without_manifest: true,
        ..EntryPoints::NONE
    },
    checks: Checks {
        arguments: ArgumentCheck::Exact,
        dynamic_members: &["method_missing"],
        ..Checks::NONE
    },
    ..Semantics::USUAL
};
