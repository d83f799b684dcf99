//! How C names are looked up, and what its library gives.

use facts::{Declarations, EntryPoints, Exposure, Family, ModuleSystem, Semantics, TestRules};

pub(super) static SEMANTICS: Semantics = Semantics {
    family: Family::C,
    modules: ModuleSystem::Includes,
    prototypes: true,
    declarations: Declarations::IN_HEADERS,
    #[rustfmt::skip]
    builtins: &[
        "__DATE__", "__FILE__", "__LINE__", "__STDC__", "__STDC_VERSION__", "__TIME__",
        "__VA_ARGS__", "__cplusplus", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__",
        "__COUNTER__", "__builtin_expect", "__builtin_unreachable", "__builtin_clz",
        "__builtin_ctz", "__builtin_popcount", "__builtin_offsetof", "__builtin_types_compatible_p",
        "__builtin_constant_p", "__builtin_va_list", "__sync_synchronize", "__sync_fetch_and_add",
        "__atomic_load_n", "__atomic_store_n", "__atomic_fetch_add", "_Static_assert",
        "static_assert", "NULL", "EOF", "stdin", "stdout", "stderr", "errno", "INT_MAX", "INT_MIN",
        "UINT_MAX", "LONG_MAX", "LONG_MIN", "SIZE_MAX", "CHAR_BIT", "EXIT_SUCCESS", "EXIT_FAILURE",
        "SEEK_SET", "SEEK_CUR", "SEEK_END", "bool", "char", "double", "float", "int", "long",
        "short", "signed", "unsigned", "void", "size_t", "ssize_t", "ptrdiff_t", "intptr_t",
        "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
        "uint64_t", "true", "false",
    ],
    #[rustfmt::skip]
    standard_modules: &[
        "aio.h", "arpa", "assert.h", "complex.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h",
        "execinfo.h", "fcntl.h", "fenv.h", "float.h", "fnmatch.h", "getopt.h", "glob.h", "grp.h",
        "iconv.h", "ifaddrs.h", "inttypes.h", "iso646.h", "langinfo.h", "libgen.h", "limits.h",
        "linux", "locale.h", "mach", "mach-o", "malloc.h", "math.h", "memory.h", "net", "netdb.h",
        "netinet", "poll.h", "pthread.h", "pwd.h", "regex.h", "sched.h", "search.h", "semaphore.h",
        "setjmp.h", "signal.h", "spawn.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbit.h",
        "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h",
        "strings.h", "sys", "syslog.h", "termios.h", "tgmath.h", "threads.h", "time.h", "uchar.h",
        "ucontext.h", "unistd.h", "utime.h", "utmp.h", "wchar.h", "wctype.h", "windows.h",
        "winsock2.h", "ws2tcpip.h",
    ],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        functions: &[
            "main",
            "wmain",
            "WinMain",
            "wWinMain",
            "DllMain",
            "LLVMFuzzerTestOneInput",
        ],
        tests: TestRules {
            set_up: &["SetUp", "TearDown", "SetUpTestSuite", "TearDownTestSuite"],
            makes_type: true,
            ..TestRules::NONE
        },
        exposure: Exposure::Linked,
        published_without_manifest: true,
        ..EntryPoints::NONE
    },
    ..Semantics::USUAL
};
