//! Calls that name what they reach at run time.

use facts::Family;

/// The functions and methods of a language that take a name as a text, or code.
pub(crate) fn dynamic_calls(family: Family) -> &'static [&'static str] {
    match family {
        Family::Python => &[
            "getattr",
            "setattr",
            "delattr",
            "hasattr",
            "eval",
            "exec",
            "__import__",
            "import_module",
            "import_string",
            "attrgetter",
            "methodcaller",
        ],
        Family::JavaScript => &["eval", "Function"],
        Family::Jvm => &[
            "forName",
            "getMethod",
            "getDeclaredMethod",
            "getField",
            "getDeclaredField",
            "loadClass",
            "findVirtual",
            "findStatic",
        ],
        Family::DotNet => &[
            "GetMethod",
            "GetProperty",
            "GetField",
            "GetType",
            "CreateInstance",
            "InvokeMember",
        ],
        Family::Go => &["MethodByName", "FieldByName"],
        Family::Ruby => &[
            "send",
            "public_send",
            "__send__",
            "const_get",
            "define_method",
            "instance_variable_get",
            "instance_variable_set",
            "instance_eval",
            "class_eval",
            "eval",
            "respond_to?",
        ],
        Family::Php => &[
            "call_user_func",
            "call_user_func_array",
            "method_exists",
            "property_exists",
            "eval",
        ],
        Family::Rust | Family::C | Family::None => &[],
    }
}
