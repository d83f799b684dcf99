//! How Java names are looked up, and what its library gives.

use facts::{
    BareNames, Declarations, Family, MemberVisibility, ModuleSystem, Protocols, Semantics,
};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Jvm,
    modules: ModuleSystem::DeclaredNamespaces,
    bare_names: BareNames::Members,
    protocols: Protocols {
        iterate: &["iterator"],
        step: &["next"],
        #[rustfmt::skip]
        functional: &[
            "apply", "accept", "test", "compare", "get", "run", "call", "applyAsInt", "applyAsLong",
            "applyAsDouble",
        ],
        ..Protocols::NONE
    },
    members: MemberVisibility::Separate,
    overloads: true,
    siblings_visible: true,
    declarations: Declarations::IN_NAMESPACES,
    #[rustfmt::skip]
    builtins: &[
        "boolean", "byte", "char", "double", "float", "int", "long", "short", "void",
        "AbstractMethodError", "Appendable", "ArithmeticException",
        "ArrayIndexOutOfBoundsException", "ArrayStoreException", "AssertionError", "AutoCloseable",
        "Boolean", "BootstrapMethodError", "Byte", "CharSequence", "Character", "Class",
        "ClassCastException", "ClassCircularityError", "ClassFormatError", "ClassLoader",
        "ClassNotFoundException", "ClassValue", "CloneNotSupportedException", "Cloneable",
        "Comparable", "Deprecated", "Double", "Enum", "EnumConstantNotPresentException", "Error",
        "Exception", "ExceptionInInitializerError", "Float", "FunctionalInterface", "IO",
        "IllegalAccessError", "IllegalAccessException", "IllegalArgumentException",
        "IllegalCallerException", "IllegalMonitorStateException", "IllegalStateException",
        "IllegalThreadStateException", "IncompatibleClassChangeError", "IndexOutOfBoundsException",
        "InheritableThreadLocal", "InstantiationError", "InstantiationException", "Integer",
        "InternalError", "InterruptedException", "Iterable", "LayerInstantiationException",
        "LinkageError", "Long", "MatchException", "Math", "Module", "ModuleLayer",
        "NegativeArraySizeException", "NoClassDefFoundError", "NoSuchFieldError",
        "NoSuchFieldException", "NoSuchMethodError", "NoSuchMethodException",
        "NullPointerException", "Number", "NumberFormatException", "Object", "OutOfMemoryError",
        "Override", "Package", "Process", "ProcessBuilder", "ProcessHandle", "Readable", "Record",
        "ReflectiveOperationException", "Runnable", "Runtime", "RuntimeException",
        "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException", "SecurityManager",
        "Short", "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath", "String",
        "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException", "StringTemplate",
        "SuppressWarnings", "System", "Thread", "ThreadDeath", "ThreadGroup", "ThreadLocal",
        "Throwable", "TypeNotPresentException", "UnknownError", "UnsatisfiedLinkError",
        "UnsupportedClassVersionError", "UnsupportedOperationException", "VerifyError",
        "VirtualMachineError", "Void", "WrongThreadException",
    ],
    standard_modules: &["java", "javax", "jdk", "sun"],
    shapes: include_str!("shapes.txt"),
    ..Semantics::USUAL
};
