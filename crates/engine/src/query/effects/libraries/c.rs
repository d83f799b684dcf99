//! Libraries of C and C++.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "std")
        .or_free()
        .writes(
            "remove unlink unlinkat rename mkdir mkdirat rmdir mkstemp mkdtemp mkfifo symlink \
             link chmod chown truncate ftruncate fwrite fputs fputc fprintf",
        )
        .reads("fread fgets fgetc stat lstat access opendir readdir realpath")
        .opens("fopen freopen open openat"),
    on(FileSystem, "std.filesystem filesystem fs")
        .writes(
            "remove remove_all rename create_directory create_directories create_symlink \
             create_hard_link copy copy_file resize_file permissions last_write_time",
        )
        .reads("exists is_regular_file is_directory file_size directory_iterator"),
    on(FileSystem, "ofstream fstream").writes("new open"),
    on(FileSystem, "ifstream").reads("new open"),
    functions(Network).writes(
        "socket connect bind listen accept send sendto sendmsg recv recvfrom recvmsg \
             getaddrinfo gethostbyname curl_easy_perform curl_multi_perform",
    ),
    functions(Database)
        .writes("sqlite3_exec sqlite3_step mysql_query mysql_real_query PQexec PQexecParams"),
    on(Process, "std")
        .or_free()
        .writes("fork execv execve execvp execl execlp posix_spawn system popen kill"),
];
