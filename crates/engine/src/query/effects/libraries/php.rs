//! Libraries of PHP.

use super::*;

pub const LIBRARIES: &[Library] = &[
    functions(FileSystem)
        .writes(
            "file_put_contents unlink rename copy mkdir rmdir symlink link touch chmod chown \
             chgrp tempnam tmpfile move_uploaded_file fwrite fputs fputcsv ftruncate",
        )
        .reads(
            "file_get_contents file fread fgets fgetcsv readfile file_exists is_file is_dir \
             is_readable is_writable filesize filemtime scandir glob opendir readdir \
             parse_ini_file",
        )
        .opens("fopen"),
    on(FileSystem, "File Storage Filesystem")
        .writes(
            "put append prepend delete copy move makeDirectory deleteDirectory cleanDirectory \
             ensureDirectoryExists replace link dumpFile mkdir remove rename symlink touch \
             mirror writeStream putFile putFileAs",
        )
        .reads("get exists allFiles files directories glob lastModified size readStream"),
    functions(Network).writes(
        "curl_exec curl_multi_exec fsockopen stream_socket_client mail socket_connect \
             socket_send",
    ),
    on(Network, "Http").writes("get post put patch delete head send"),
    on(Network, "Client HttpClientInterface ClientInterface")
        .writes("get post put patch delete head request send sendAsync requestAsync sendRequest"),
    on(Network, "Mail Mailer MailerInterface").writes("send queue later raw"),
    on(Database, "DB")
        .writes(
            "insert update delete statement unprepared transaction beginTransaction commit \
             rollBack",
        )
        .reads("select selectOne scalar"),
    on(Database, "PDO PDOStatement mysqli mysqli_stmt Connection").writes(
        "exec execute beginTransaction commit rollBack insert update delete executeStatement \
             executeUpdate real_query multi_query",
    ),
    on(Database, "PDO mysqli Connection")
        .reads("query fetchAllAssociative fetchAssociative fetchOne executeQuery"),
    functions(Database).writes("mysqli_query pg_query pg_insert pg_update pg_delete"),
    on(
        Database,
        "EntityManager EntityManagerInterface ObjectManager",
    )
    .writes("persist remove flush")
    .reads("find getReference"),
    functions(Process)
        .writes("exec shell_exec system passthru proc_open popen pcntl_fork pcntl_exec"),
];
