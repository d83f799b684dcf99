//! Libraries of Go.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "os")
        .writes(
            "Create CreateTemp WriteFile Mkdir MkdirAll MkdirTemp Remove RemoveAll Rename Link \
             Symlink Chmod Chown Chtimes Truncate",
        )
        .reads("Open ReadFile ReadDir Stat Lstat Readlink")
        .opens("OpenFile"),
    on(FileSystem, "ioutil")
        .writes("WriteFile TempFile TempDir")
        .reads("ReadFile ReadDir"),
    on(FileSystem, "os.File").writes("Write WriteString WriteAt Truncate Sync Chmod"),
    on(FileSystem, "filepath").reads("Walk WalkDir Glob EvalSymlinks"),
    on(Network, "net.http").writes("Get Post PostForm Head ListenAndServe ListenAndServeTLS Serve"),
    on(Network, "http.Client Client").writes("Do Get Post PostForm Head"),
    on(Network, "http.Server Server").writes("ListenAndServe ListenAndServeTLS Serve Shutdown"),
    on(Network, "net").writes(
        "Dial DialTimeout DialTCP DialUDP DialUnix Listen ListenTCP ListenUDP ListenPacket \
             LookupHost LookupIP LookupAddr",
    ),
    on(Network, "net.Dialer Dialer").writes("Dial DialContext"),
    on(Network, "smtp").writes("SendMail"),
    on(Network, "grpc").writes("Dial DialContext NewClient"),
    on(Database, "sql.DB sql.Tx sql.Conn sql.Stmt DB Tx Conn Stmt")
        .writes(
            "Exec ExecContext Begin BeginTx BeginTxx Commit Rollback MustExec NamedExec \
             NamedExecContext Create Save Updates Update Delete",
        )
        .reads(
            "Query QueryContext QueryRow QueryRowContext Queryx QueryRowx Select SelectContext \
             Get GetContext Find First Last Take Pluck Count Scan",
        ),
    on(Process, "os.exec exec exec.Cmd Cmd").writes("Run Start Output CombinedOutput StartProcess"),
    on(Process, "os").writes("Exit StartProcess"),
    any_receiver(Process).writes("CombinedOutput"),
    any_receiver(FileSystem).writes("MkdirAll RemoveAll"),
];
