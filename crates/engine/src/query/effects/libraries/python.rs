//! Libraries of Python.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "io codecs gzip bz2 lzma tarfile Path")
        .or_free()
        .opens("open"),
    on(FileSystem, "zipfile").opens("ZipFile"),
    on(FileSystem, "os")
        .writes(
            "remove unlink rename renames replace mkdir makedirs rmdir removedirs symlink link \
             chmod chown truncate utime mkfifo write ftruncate",
        )
        .reads("listdir scandir walk stat lstat readlink access")
        .opens("open"),
    on(FileSystem, "os.path").reads("exists isfile isdir islink getsize getmtime"),
    on(FileSystem, "glob").reads("glob iglob"),
    on(FileSystem, "shutil").writes(
        "copy copy2 copyfile copyfileobj copytree copymode copystat move rmtree make_archive \
             unpack_archive chown",
    ),
    on(FileSystem, "Path")
        .writes(
            "write_text write_bytes unlink rename replace mkdir rmdir touch symlink_to \
             hardlink_to link_to chmod",
        )
        .reads("read_text read_bytes iterdir glob rglob exists is_file is_dir stat"),
    on(FileSystem, "tempfile")
        .writes("mkstemp mkdtemp NamedTemporaryFile TemporaryDirectory TemporaryFile"),
    on(FileSystem, "ZipFile TarFile").writes("extract extractall writestr add addfile"),
    on(
        Network,
        "requests httpx requests.api Session Client AsyncClient ClientSession",
    )
    .writes("get post put patch delete head options request send stream ws_connect"),
    on(Network, "urllib.request").writes("urlopen urlretrieve"),
    on(Network, "urllib3 PoolManager").writes("request urlopen"),
    on(Network, "HTTPConnection HTTPSConnection").writes("request getresponse connect"),
    on(Network, "socket").writes(
        "create_connection create_server getaddrinfo gethostbyname connect sendall send \
             sendto recv recvfrom bind listen accept",
    ),
    on(Network, "SMTP SMTP_SSL").writes("sendmail send_message"),
    on(Network, "ftplib paramiko").writes("FTP SSHClient"),
    any_receiver(Network).writes("urlopen sendto"),
    on(Database, "Connection Cursor")
        .or_receiver("cursor connection")
        .writes("executemany executescript commit")
        .opens("execute"),
    on(Database, "Session AsyncSession scoped_session")
        .or_receiver("session")
        .writes(
            "commit add add_all delete merge flush bulk_save_objects bulk_insert_mappings \
             bulk_update_mappings",
        ),
    on(Database, "")
        .or_receiver("objects")
        .writes("create bulk_create bulk_update get_or_create update_or_create update delete"),
    on(Database, "Collection").or_receiver("collection").writes(
        "insert_one insert_many update_one update_many replace_one delete_one delete_many \
             bulk_write",
    ),
    any_receiver(Database)
        .writes("executemany bulk_create insert_one insert_many update_one delete_one"),
    on(Process, "subprocess")
        .writes("run call check_call check_output Popen getoutput getstatusoutput"),
    on(Process, "os").writes("system popen kill fork execv execvp execve spawnl spawnv"),
    on(Process, "asyncio").writes("create_subprocess_exec create_subprocess_shell"),
    any_receiver(Process).writes("Popen check_call check_output"),
];
