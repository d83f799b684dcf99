//! How Java names are looked up, and what its library gives.

use facts::{BareNames, Blocks, Construction, Family, Linearization, MemberVisibility, ModuleSystem, SelfSpelling, Semantics};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Jvm,
    modules: ModuleSystem::DeclaredNamespaces,
    separator: ".",
    blocks: Blocks::Scoped,
    bare_names: BareNames::Members,
    self_spelling: SelfSpelling::Keyword,
    called_getters: false,
    construction: Construction { by_call: false, by_member: "", constructors: &[] },
    linearization: Linearization::DepthFirst,
    members: MemberVisibility::Separate,
    overloads: true,
    structural: facts::Structural::Never,
    siblings_visible: true,
    prototypes: false,
    #[rustfmt::skip]
    builtins: &[
        "boolean", "byte", "char", "double", "float", "int", "long", "short", "void", "AbstractMethodError", "Appendable", "ArithmeticException",
        "ArrayIndexOutOfBoundsException", "ArrayStoreException", "AssertionError", "AutoCloseable", "Boolean", "BootstrapMethodError", "Byte",
        "CharSequence", "Character", "Class", "ClassCastException", "ClassCircularityError", "ClassFormatError", "ClassLoader",
        "ClassNotFoundException", "ClassValue", "CloneNotSupportedException", "Cloneable", "Comparable", "Deprecated", "Double", "Enum",
        "EnumConstantNotPresentException", "Error", "Exception", "ExceptionInInitializerError", "Float", "FunctionalInterface", "IO",
        "IllegalAccessError", "IllegalAccessException", "IllegalArgumentException", "IllegalCallerException", "IllegalMonitorStateException",
        "IllegalStateException", "IllegalThreadStateException", "IncompatibleClassChangeError", "IndexOutOfBoundsException",
        "InheritableThreadLocal", "InstantiationError", "InstantiationException", "Integer", "InternalError", "InterruptedException", "Iterable",
        "LayerInstantiationException", "LinkageError", "Long", "MatchException", "Math", "Module", "ModuleLayer", "NegativeArraySizeException",
        "NoClassDefFoundError", "NoSuchFieldError", "NoSuchFieldException", "NoSuchMethodError", "NoSuchMethodException", "NullPointerException",
        "Number", "NumberFormatException", "Object", "OutOfMemoryError", "Override", "Package", "Process", "ProcessBuilder", "ProcessHandle",
        "Readable", "Record", "ReflectiveOperationException", "Runnable", "Runtime", "RuntimeException", "RuntimePermission", "SafeVarargs",
        "ScopedValue", "SecurityException", "SecurityManager", "Short", "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath",
        "String", "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException", "StringTemplate", "SuppressWarnings", "System", "Thread",
        "ThreadDeath", "ThreadGroup", "ThreadLocal", "Throwable", "TypeNotPresentException", "UnknownError", "UnsatisfiedLinkError",
        "UnsupportedClassVersionError", "UnsupportedOperationException", "VerifyError", "VirtualMachineError", "Void", "WrongThreadException",
    ],
    standard_modules: &["java", "javax", "jdk", "sun"],
    shapes: include_str!("shapes.txt"),
};
