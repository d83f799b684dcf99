//! Libraries of Java and Kotlin.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "Files")
        .writes(
            "write writeString copy move delete deleteIfExists createDirectory createDirectories \
             createFile createLink createSymbolicLink createTempFile createTempDirectory \
             setAttribute setLastModifiedTime setOwner setPosixFilePermissions newOutputStream \
             newBufferedWriter",
        )
        .reads(
            "exists notExists isDirectory isRegularFile readString readAllBytes readAllLines \
             readAttributes lines list walk walkFileTree find size newInputStream \
             newBufferedReader newDirectoryStream getLastModifiedTime",
        ),
    on(FileSystem, "File")
        .writes(
            "delete deleteOnExit deleteRecursively mkdir mkdirs createNewFile renameTo \
             createTempFile setExecutable setLastModified setReadOnly setReadable setWritable \
             writeText writeBytes appendText appendBytes copyTo copyRecursively outputStream \
             bufferedWriter printWriter writer",
        )
        .reads(
            "exists isFile isDirectory list listFiles length lastModified readText readBytes \
             readLines forEachLine useLines inputStream bufferedReader reader walk walkTopDown",
        ),
    on(FileSystem, "Path")
        .writes(
            "writeText writeLines writeBytes appendText deleteExisting deleteIfExists \
             deleteRecursively createDirectory createDirectories createFile moveTo copyTo",
        )
        .reads("readText readLines readBytes exists listDirectoryEntries"),
    on(FileSystem, "FileOutputStream FileWriter RandomAccessFile").writes("new"),
    on(FileSystem, "FileInputStream FileReader").reads("new"),
    on(FileSystem, "FileUtils MoreFiles").writes(
        "write* copy* move* delete* forceDelete* forceMkdir* touch cleanDirectory \
             openOutputStream createParentDirectories",
    ),
    on(FileSystem, "FileUtils").reads("read* listFiles openInputStream"),
    on(Network, "HttpClient").writes("send sendAsync execute get post put patch delete request"),
    on(Network, "HttpURLConnection URLConnection")
        .writes("connect getInputStream getOutputStream getResponseCode"),
    on(Network, "URL").writes("openConnection openStream readText readBytes"),
    on(Network, "RestTemplate").writes(
        "getForObject getForEntity postForObject postForEntity postForLocation put \
             patchForObject delete exchange execute",
    ),
    on(Network, "WebClient RestClient").writes("get post put patch delete head method"),
    on(Network, "Call").writes("execute enqueue"),
    on(Network, "Socket ServerSocket DatagramSocket")
        .writes("new connect bind accept send receive"),
    on(Network, "JavaMailSender MailSender Transport").writes("send sendMessage"),
    on(Database, "EntityManager Session")
        .writes("persist merge remove flush save update saveOrUpdate delete")
        .reads("find getReference createQuery createNativeQuery createNamedQuery get load"),
    on(
        Database,
        "JdbcTemplate NamedParameterJdbcTemplate JdbcOperations",
    )
    .writes("update batchUpdate execute")
    .reads("query queryForObject queryForList queryForMap queryForRowSet queryForStream"),
    on(Database, "PreparedStatement Statement CallableStatement")
        .writes("executeUpdate executeLargeUpdate executeBatch execute")
        .reads("executeQuery"),
    on(Database, "Connection").writes("commit rollback"),
    on(Database, "")
        .ending("Repository")
        .or_receiver("repository")
        .writes(
            "save saveAll saveAndFlush saveAllAndFlush insert delete deleteAll deleteById \
             deleteAllById deleteAllInBatch deleteInBatch flush persist",
        )
        .reads(
            "findById findAll findAllById findOne findBy* existsById exists count getById getOne \
             getReferenceById",
        ),
    any_receiver(Database).writes("executeUpdate saveAll"),
    on(Process, "ProcessBuilder").writes("start"),
    on(Process, "Runtime").writes("exec"),
    throws(
        Exception::Named("NullPointerException"),
        "Objects",
        "requireNonNull",
    ),
    throws(
        Exception::Named("IllegalArgumentException"),
        "Preconditions Assert Validate",
        "checkArgument notNull isTrue hasText hasLength notEmpty",
    ),
    throws(
        Exception::Named("IllegalStateException"),
        "Preconditions Assert",
        "checkState state",
    ),
    throws(
        Exception::Named("IllegalArgumentException"),
        "",
        "require requireNotNull",
    )
    .or_free(),
    throws(
        Exception::Named("IllegalStateException"),
        "",
        "check checkNotNull error",
    )
    .or_free(),
    throws(Exception::Named("NotImplementedError"), "", "TODO").or_free(),
];
