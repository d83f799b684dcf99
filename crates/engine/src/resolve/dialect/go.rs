//! Go: packages are directories.

use facts::{Family, ScopeId, Symbol, SymbolKind};

use super::{Dialect, ImportCycles, LibraryFlows, USUAL};
use crate::resolve::{FileView, Found, Resolver, SymbolId, modules, modules::Module};

pub(super) static DIALECT: Dialect = Dialect {
    module_of_import: |resolver, view, import| {
        Some(package(resolver, view.facts.name(import.module)))
    },
    member_of_module,
    siblings,
    interface_methods,
    is_conditional,
    has_ambient_names: false,
    import_cycles: ImportCycles::Forbidden,
    flows: &LibraryFlows::PLAIN,
    ..USUAL
};

/// The interfaces of the standard library that types embed or are asked for.
fn interface_methods(path: &str) -> Option<&'static [&'static str]> {
    Some(match path {
        "error" => &["Error"],
        "fmt.Stringer" => &["String"],
        "fmt.GoStringer" => &["GoString"],
        "fmt.Formatter" => &["Format"],
        "fmt.Scanner" => &["Scan"],
        "fmt.State" => &["Write", "Width", "Precision", "Flag"],
        "io.Reader" => &["Read"],
        "io.Writer" => &["Write"],
        "io.Closer" => &["Close"],
        "io.Seeker" => &["Seek"],
        "io.ReaderAt" => &["ReadAt"],
        "io.WriterAt" => &["WriteAt"],
        "io.ReaderFrom" => &["ReadFrom"],
        "io.WriterTo" => &["WriteTo"],
        "io.ByteReader" => &["ReadByte"],
        "io.ByteWriter" => &["WriteByte"],
        "io.ByteScanner" => &["ReadByte", "UnreadByte"],
        "io.RuneReader" => &["ReadRune"],
        "io.RuneScanner" => &["ReadRune", "UnreadRune"],
        "io.StringWriter" => &["WriteString"],
        "io.ReadWriter" => &["Read", "Write"],
        "io.ReadCloser" => &["Read", "Close"],
        "io.WriteCloser" => &["Write", "Close"],
        "io.ReadSeeker" => &["Read", "Seek"],
        "io.WriteSeeker" => &["Write", "Seek"],
        "io.ReadWriteCloser" => &["Read", "Write", "Close"],
        "io.ReadWriteSeeker" => &["Read", "Write", "Seek"],
        "io.ReadSeekCloser" => &["Read", "Seek", "Close"],
        "io/fs.FS" => &["Open"],
        "io/fs.ReadFileFS" => &["Open", "ReadFile"],
        "io/fs.ReadDirFS" => &["Open", "ReadDir"],
        "io/fs.StatFS" => &["Open", "Stat"],
        "io/fs.File" => &["Stat", "Read", "Close"],
        "io/fs.FileInfo" | "os.FileInfo" => &["Name", "Size", "Mode", "ModTime", "IsDir", "Sys"],
        "io/fs.DirEntry" | "os.DirEntry" => &["Name", "IsDir", "Type", "Info"],
        "os.Signal" => &["String", "Signal"],
        "sort.Interface" => &["Len", "Less", "Swap"],
        "container/heap.Interface" => &["Len", "Less", "Swap", "Push", "Pop"],
        "sync.Locker" => &["Lock", "Unlock"],
        "context.Context" => &["Deadline", "Done", "Err", "Value"],
        "flag.Value" => &["String", "Set"],
        "flag.Getter" => &["String", "Set", "Get"],
        "encoding.TextMarshaler" => &["MarshalText"],
        "encoding.TextUnmarshaler" => &["UnmarshalText"],
        "encoding.BinaryMarshaler" => &["MarshalBinary"],
        "encoding.BinaryUnmarshaler" => &["UnmarshalBinary"],
        "encoding/json.Marshaler" => &["MarshalJSON"],
        "encoding/json.Unmarshaler" => &["UnmarshalJSON"],
        "encoding/xml.Marshaler" => &["MarshalXML"],
        "encoding/xml.Unmarshaler" => &["UnmarshalXML"],
        "encoding/gob.GobEncoder" => &["GobEncode"],
        "encoding/gob.GobDecoder" => &["GobDecode"],
        "hash.Hash" => &["Write", "Sum", "Reset", "Size", "BlockSize"],
        "net.Addr" => &["Network", "String"],
        "net.Error" => &["Error", "Timeout", "Temporary"],
        "net.Listener" => &["Accept", "Close", "Addr"],
        "net.Conn" => &[
            "Read",
            "Write",
            "Close",
            "LocalAddr",
            "RemoteAddr",
            "SetDeadline",
            "SetReadDeadline",
            "SetWriteDeadline",
        ],
        "net/http.Handler" => &["ServeHTTP"],
        "net/http.ResponseWriter" => &["Header", "Write", "WriteHeader"],
        "net/http.Flusher" => &["Flush"],
        "net/http.Hijacker" => &["Hijack"],
        "net/http.Pusher" => &["Push"],
        "net/http.CloseNotifier" => &["CloseNotify"],
        "net/http.RoundTripper" => &["RoundTrip"],
        "net/http.CookieJar" => &["SetCookies", "Cookies"],
        "net/http.FileSystem" => &["Open"],
        "net/http.File" => &["Close", "Read", "Seek", "Readdir", "Stat"],
        "database/sql.Scanner" => &["Scan"],
        "database/sql.Result" => &["LastInsertId", "RowsAffected"],
        "database/sql/driver.Valuer" => &["Value"],
        "log/slog.Handler" => &["Enabled", "Handle", "WithAttrs", "WithGroup"],
        "log/slog.LogValuer" => &["LogValue"],
        "math/rand.Source" => &["Int63", "Seed"],
        _ => return None,
    })
}

fn siblings(resolver: &Resolver, view: &FileView, name: &str) -> Vec<Found> {
    let directory = resolver.path(view.id).directory();
    let package = package_name(view);
    let is_sibling = |symbol: &&SymbolId| {
        resolver.symbol(**symbol).is_some_and(|(other, found)| {
            is_of_package(&other, &found) && package_name(&other) == package
        })
    };
    let named = resolver.symbols_named_in(directory, name);
    let siblings = named.iter().filter(is_sibling);
    siblings.map(|symbol| Found::Symbol(*symbol)).collect()
}

/// Whether a symbol is a name of its package.
fn is_of_package(view: &FileView, symbol: &Symbol) -> bool {
    view.semantics.family == Family::Go
        && symbol.declared_in == ScopeId::FILE
        && !symbol.owner.is_known()
        && symbol.kind != SymbolKind::Namespace
}

fn package(resolver: &Resolver, path: &str) -> Module {
    let project = resolver.snapshot().project();
    for module in &project.go_modules {
        for (replaced, directory) in &module.replaces {
            if let Some(rest) = path
                .strip_prefix(replaced.as_str())
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                return Module::Package(
                    modules::joined(directory, rest.trim_start_matches('/')).into(),
                );
            }
        }
    }
    let owner = project
        .go_modules
        .iter()
        .filter_map(|module| Some((module, path.strip_prefix(module.path.as_str())?)))
        .filter(|(_, rest)| rest.is_empty() || rest.starts_with('/'))
        .max_by_key(|(module, _)| module.path.len());
    match owner {
        Some((module, rest)) => {
            Module::Package(modules::joined(&module.directory, rest.trim_start_matches('/')).into())
        }
        None => Module::External(path.into()),
    }
}

fn member_of_module(resolver: &Resolver, module: &Module, name: &str) -> Vec<Found> {
    let Module::Package(directory) = module else {
        return Vec::new();
    };
    let is_member = |symbol: &&SymbolId| {
        let path = resolver.path(symbol.file);
        let declared = resolver.symbol(**symbol);
        declared.is_some_and(|(view, declared)| is_of_package(&view, &declared))
            && !path.as_str().ends_with("_test.go")
    };
    let named = resolver.symbols_named_in(directory, name);
    let members = named.iter().filter(is_member);
    members.map(|symbol| Found::Symbol(*symbol)).collect()
}

/// Whether a file is built for some systems only: by a constraint above its package clause, or by
/// the end of its name.
fn is_conditional(resolver: &Resolver, view: &FileView) -> bool {
    const SYSTEMS: &[&str] = &[
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "js",
        "linux",
        "nacl",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "zos",
        "unix",
        "386",
        "amd64",
        "arm",
        "arm64",
        "loong64",
        "mips",
        "mips64",
        "mips64le",
        "mipsle",
        "ppc64",
        "ppc64le",
        "riscv64",
        "s390x",
        "sparc64",
        "wasm",
    ];
    let file = resolver.snapshot().file(view.id);
    let stem = file.path.file_name().split('.').next().unwrap_or_default();
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    let by_name = stem.split('_').skip(1).any(|part| SYSTEMS.contains(&part));
    let by_constraint = || {
        let text = resolver.snapshot().corpus().text(file.content);
        text.is_none_or(|text| {
            let mut above = text
                .lines()
                .take_while(|line| !line.starts_with("package "));
            above.any(|line| line.starts_with("//go:build") || line.starts_with("// +build"))
        })
    };
    by_name || by_constraint()
}

/// The package clause of a Go file.
fn package_name(view: &FileView) -> Option<String> {
    let clause = view
        .facts
        .symbols
        .iter()
        .find(|symbol| symbol.kind == SymbolKind::Namespace)?;
    Some(view.facts.name(clause.name).to_owned())
}
