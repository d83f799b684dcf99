//! Libraries of Rust.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "std.fs fs fs_err tokio.fs")
        .writes(
            "write create_dir create_dir_all remove_file remove_dir remove_dir_all rename copy \
             hard_link set_permissions soft_link",
        )
        .reads(
            "read read_to_string read_dir read_link metadata symlink_metadata canonicalize \
             exists try_exists",
        ),
    on(FileSystem, "File")
        .writes("create create_new set_len set_permissions set_modified sync_all sync_data")
        .reads("open"),
    on(FileSystem, "OpenOptions").writes("open"),
    on(FileSystem, "Path PathBuf")
        .reads("exists is_file is_dir metadata read_dir try_exists canonicalize"),
    on(FileSystem, "std.os.unix.fs unix.fs").writes("symlink chown"),
    on(FileSystem, "tempfile NamedTempFile TempDir").writes("tempdir tempfile persist"),
    any_receiver(FileSystem).writes("remove_file create_dir_all remove_dir_all"),
    on(Network, "reqwest blocking").writes("get"),
    on(Network, "Client RequestBuilder")
        .writes("execute send request get post put patch delete head"),
    on(Network, "ureq").writes("get post put delete request"),
    on(
        Network,
        "TcpStream UdpSocket UnixStream TcpListener UnixListener",
    )
    .writes("connect connect_timeout bind accept incoming send send_to recv recv_from"),
    on(Database, "PgPool SqlitePool MySqlPool Transaction Pool")
        .writes("execute begin commit rollback"),
    on(Database, "sqlx Query").writes("execute"),
    on(Database, "sqlx Query QueryAs").reads("fetch fetch_all fetch_one fetch_optional"),
    on(Database, "Connection Statement")
        .writes("execute execute_batch")
        .reads("query_row query_map query"),
    on(Process, "Command").writes("spawn output status exec"),
    on(Process, "process").writes("exit abort"),
];
