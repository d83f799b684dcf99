//! Libraries of .NET.

use super::*;

pub const LIBRARIES: &[Library] = &[
    on(FileSystem, "File")
        .writes(
            "Delete Move Copy Replace Create CreateText CreateSymbolicLink OpenWrite WriteAll* \
             AppendAll* AppendText SetAttributes SetLastWriteTime* SetLastAccessTime* \
             SetCreationTime* SetUnixFileMode Encrypt Decrypt",
        )
        .reads(
            "Exists ReadAll* ReadLines* OpenRead OpenText GetAttributes GetLastWriteTime* \
             GetCreationTime* ResolveLinkTarget",
        ),
    on(FileSystem, "File FileInfo").opens("Open OpenHandle"),
    on(FileSystem, "FileStream")
        .writes("Write* Flush* SetLength")
        .reads("Read*")
        .opens("new"),
    on(FileSystem, "Directory")
        .writes(
            "CreateDirectory CreateTempSubdirectory CreateSymbolicLink Delete Move \
             SetCurrentDirectory SetLastWriteTime*",
        )
        .reads(
            "Exists GetFiles GetDirectories GetFileSystemEntries EnumerateFiles \
             EnumerateDirectories EnumerateFileSystemEntries GetLastWriteTime*",
        ),
    on(FileSystem, "FileInfo")
        .writes("Delete CopyTo MoveTo Replace Create CreateText AppendText OpenWrite")
        .reads("OpenRead OpenText"),
    on(FileSystem, "DirectoryInfo")
        .writes("Delete Create CreateSubdirectory MoveTo")
        .reads(
            "GetFiles GetDirectories GetFileSystemInfos EnumerateFiles EnumerateDirectories \
             EnumerateFileSystemInfos",
        ),
    on(FileSystem, "FileSystemInfo").writes("Delete CreateAsSymbolicLink"),
    on(FileSystem, "ZipFile")
        .writes("ExtractToDirectory* CreateFromDirectory* Open")
        .reads("OpenRead*"),
    on(FileSystem, "ZipArchive ZipFileExtensions")
        .writes("ExtractToDirectory* CreateEntryFromFile*"),
    on(FileSystem, "ZipArchiveEntry").writes("ExtractToFile*"),
    on(FileSystem, "TarFile").writes("ExtractToDirectory* CreateFromDirectory*"),
    on(FileSystem, "Path").writes("GetTempFileName"),
    any_receiver(FileSystem).writes(
        "WriteAllText WriteAllTextAsync WriteAllBytes WriteAllBytesAsync WriteAllLines \
             AppendAllText",
    ),
    on(Network, "HttpClient HttpMessageInvoker").writes(
        "GetAsync GetStringAsync GetStreamAsync GetByteArrayAsync GetFromJsonAsync \
             GetFromJsonAsAsyncEnumerable PostAsync PostAsJsonAsync PutAsync PutAsJsonAsync \
             PatchAsync PatchAsJsonAsync DeleteAsync DeleteFromJsonAsync SendAsync Send",
    ),
    on(Network, "HttpContent").reads("ReadAs*"),
    on(Network, "WebClient").writes("Download* Upload* OpenRead* OpenWrite*"),
    on(Network, "WebRequest HttpWebRequest").writes("GetResponse* GetRequestStream*"),
    on(Network, "Socket UdpClient TcpClient").writes("Connect* Send* Receive* Accept* Listen Bind"),
    on(Network, "TcpListener HttpListener")
        .writes("Start AcceptTcpClient* AcceptSocket* GetContext*"),
    on(Network, "ClientWebSocket WebSocket")
        .writes("ConnectAsync SendAsync ReceiveAsync CloseAsync CloseOutputAsync"),
    on(Network, "NetworkStream SslStream").writes("Read* Write* AuthenticateAs*"),
    on(Network, "SmtpClient").writes("Send*"),
    on(Network, "Dns").writes("GetHostEntry* GetHostAddresses*"),
    on(Network, "Ping").writes("Send*"),
    on(Network, "").or_receiver("http client").writes(
        "GetAsync PostAsync PutAsync PatchAsync DeleteAsync SendAsync GetStringAsync \
             GetStreamAsync",
    ),
    any_receiver(Network).writes("PostAsJsonAsync PutAsJsonAsync GetFromJsonAsync"),
    on(Database, "DbContext")
        .writes(
            "SaveChanges* Add AddAsync AddRange AddRangeAsync Update UpdateRange Remove \
             RemoveRange Attach AttachRange",
        )
        .reads("Find FindAsync"),
    on(Database, "IDbContextFactory PooledDbContextFactory").reads("CreateDbContext*"),
    on(Database, "DatabaseFacade").writes(
        "ExecuteSql* Migrate* EnsureCreated* EnsureDeleted* BeginTransaction* \
             CommitTransaction* RollbackTransaction*",
    ),
    on(
        Database,
        "IDbContextTransaction DbTransaction IDbTransaction",
    )
    .ending("Transaction")
    .writes("Commit CommitAsync Rollback RollbackAsync"),
    on(Database, "DbCommand IDbCommand")
        .ending("Command")
        .writes("ExecuteNonQuery*")
        .reads("ExecuteReader* ExecuteScalar*"),
    on(Database, "DbConnection IDbConnection")
        .ending("Connection")
        .writes("Execute ExecuteAsync")
        .reads("Query Query* QueryAsync ExecuteScalar* ExecuteReader*"),
    on(Database, "DbSet")
        .writes(
            "Add AddAsync AddRange AddRangeAsync Update UpdateRange Remove RemoveRange Attach \
             AttachRange",
        )
        .reads("Find FindAsync FromSql*"),
    on(Database, "IQueryable DbSet").writes("ExecuteDelete* ExecuteUpdate*"),
    on(Database, "IQueryable").reads(
        "ToList* ToArray* ToHashSet* ToDictionary* ToLookup* First* Single* Last* Any \
             AnyAsync All AllAsync Count* LongCount* Sum* Min MinAsync Max MaxAsync Average* \
             Contains ContainsAsync AsEnumerable AsAsyncEnumerable Load LoadAsync ForEachAsync",
    ),
    on(Database, "UserManager RoleManager")
        .ending("Repository RepositoryBase")
        .or_receiver("repository usermanager rolemanager")
        .writes(
            "Add AddAsync AddRange AddRangeAsync Create CreateAsync Insert InsertAsync Update \
             UpdateAsync UpdateRangeAsync Delete DeleteAsync DeleteRangeAsync Remove RemoveAsync \
             AddPasswordAsync AddLoginAsync AddClaimAsync ReplaceClaimAsync RemoveClaimAsync \
             AddToRoleAsync AddToRolesAsync RemoveFromRoleAsync RemoveFromRolesAsync",
        ),
    any_receiver(Database).writes(
        "SaveChanges SaveChangesAsync ExecuteSqlRaw ExecuteSqlRawAsync ExecuteNonQuery \
             ExecuteNonQueryAsync ExecuteUpdateAsync ExecuteDeleteAsync",
    ),
    on(Process, "Process").writes("Start Kill"),
    throws(Exception::Owner, "", "Throw*").ending("Exception"),
    throws(
        Exception::Named("OperationCanceledException"),
        "CancellationToken",
        "ThrowIfCancellationRequested",
    ),
    throws(
        Exception::Named("HttpRequestException"),
        "HttpResponseMessage",
        "EnsureSuccessStatusCode",
    ),
];
