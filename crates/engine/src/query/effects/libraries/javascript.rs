//! Libraries of JavaScript and TypeScript.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "fs promises fs-extra graceful-fs Deno Bun").writes(
        "writeFile writeFileSync appendFile appendFileSync mkdir mkdirSync mkdtemp \
             mkdtempSync rm rmSync rmdir rmdirSync unlink unlinkSync rename renameSync copyFile \
             copyFileSync cp cpSync symlink symlinkSync link linkSync truncate truncateSync \
             chmod chmodSync chown chownSync utimes utimesSync createWriteStream write writeSync \
             outputFile outputFileSync outputJson writeJson writeJsonSync ensureDir \
             ensureDirSync ensureFile emptyDir remove removeSync move copy writeTextFile \
             writeTextFileSync makeTempDir",
    ),
    on(FileSystem, "fs promises fs-extra graceful-fs Deno").reads(
        "readFile readFileSync readdir readdirSync stat statSync lstat lstatSync exists \
             existsSync access accessSync createReadStream readlink readlinkSync realpath \
             realpathSync readJson readJsonSync readTextFile readTextFileSync readDir pathExists",
    ),
    on(FileSystem, "fs promises").opens("open openSync"),
    any_receiver(FileSystem).writes("writeFileSync appendFileSync mkdirSync unlinkSync rmSync"),
    on(
        Network,
        "node-fetch undici cross-fetch window globalThis self",
    )
    .or_free()
    .writes("fetch"),
    on(Network, "axios got ky superagent")
        .or_free()
        .writes("axios got ky default get post put patch delete head request"),
    on(Network, "http https http2").writes("get request connect"),
    on(Network, "net tls").writes("connect createConnection"),
    on(Network, "dgram").writes("createSocket"),
    on(Network, "WebSocket EventSource XMLHttpRequest").writes("new send"),
    on(Network, "navigator").writes("sendBeacon"),
    on(Network, "")
        .or_receiver("axios http")
        .writes("get post put patch delete request"),
    on(Database, "Repository EntityManager")
        .ending("Repository")
        .or_receiver("repository")
        .writes(
            "save insert update upsert delete remove softDelete softRemove restore increment \
             decrement clear",
        )
        .reads(
            "find findOne findBy findOneBy findOneByOrFail findOneOrFail findAndCount count \
             exist exists",
        ),
    on(Database, "PrismaClient")
        .or_receiver("prisma")
        .writes(
            "create createMany update updateMany upsert delete deleteMany $executeRaw \
             $executeRawUnsafe $transaction",
        )
        .reads(
            "findUnique findUniqueOrThrow findFirst findFirstOrThrow findMany count aggregate \
             groupBy $queryRaw $queryRawUnsafe",
        ),
    on(Database, "Pool Client Connection")
        .or_receiver("pool connection")
        .opens("query execute"),
    on(Database, "Model Collection")
        .or_receiver("collection")
        .writes(
            "insertOne insertMany updateOne updateMany replaceOne deleteOne deleteMany \
             findOneAndUpdate findOneAndDelete findOneAndReplace findByIdAndUpdate \
             findByIdAndDelete bulkWrite bulkCreate",
        ),
    any_receiver(Database).writes(
        "insertOne insertMany updateOne updateMany deleteOne deleteMany findOneAndUpdate \
             findByIdAndUpdate findByIdAndDelete bulkCreate",
    ),
    on(Process, "child_process execa")
        .writes("exec execSync execFile execFileSync spawn spawnSync fork execa"),
    on(Process, "process").writes("exit kill"),
    any_receiver(Process).writes("execSync spawnSync execFile"),
];
