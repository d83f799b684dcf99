//! How Python names are looked up, and what its library gives.

use facts::{
    Blocks, Construction, Declarations, Family, LibraryAlias, Linearization, ModuleSystem,
    Protocols, SelfSpelling, Semantics, Structural,
};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::Python,
    modules: ModuleSystem::PythonPackages,
    blocks: Blocks::Function,
    self_spelling: SelfSpelling::FirstParameter,
    self_types: &["Self"],
    construction: Construction {
        constructors: &["__init__", "__new__"],
        ..Construction::BY_CALL
    },
    linearization: Linearization::C3,
    protocols: Protocols {
        index: &["__getitem__"],
        iterate: &["__iter__"],
        step: &["__next__"],
        call: &["__call__"],
        ..Protocols::NONE
    },
    structural: Structural::Base("Protocol"),
    declarations: Declarations {
        variables_as_type_parameters: true,
        iterable_types: true,
        library_aliases: &[("type", LibraryAlias::Type), ("Type", LibraryAlias::Type)],
        ..Declarations::USUAL
    },
    #[rustfmt::skip]
    builtins: &[
        "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray",
        "bytes", "callable", "chr", "classmethod", "compile", "complex", "delattr", "dict", "dir",
        "divmod", "enumerate", "eval", "exec", "filter", "float", "format", "frozenset", "getattr",
        "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance",
        "issubclass", "iter", "len", "list", "locals", "map", "max", "memoryview", "min", "next",
        "object", "oct", "open", "ord", "pow", "print", "property", "range", "repr", "reversed",
        "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super",
        "tuple", "type", "vars", "zip", "__import__", "__name__", "__file__", "__doc__", "__all__",
        "__debug__", "NotImplemented", "Ellipsis", "ArithmeticError", "AssertionError",
        "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
        "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
        "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError",
        "ConnectionResetError", "DeprecationWarning", "EOFError", "EncodingWarning",
        "EnvironmentError", "Exception", "ExceptionGroup", "FileExistsError", "FileNotFoundError",
        "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError",
        "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError",
        "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError",
        "NameError", "NotADirectoryError", "NotImplementedError", "OSError", "OverflowError",
        "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError",
        "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration",
        "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError",
        "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
        "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning",
        "UserWarning", "ValueError", "Warning", "ZeroDivisionError", "reveal_type",
    ],
    shapes: include_str!("shapes.txt"),
    ..Semantics::USUAL
};
