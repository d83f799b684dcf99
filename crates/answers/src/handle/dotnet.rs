//! Names that C# code writes short and its documentation ids whole.

/// What a keyword stands for.
pub fn predefined(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" => "System.Boolean",
        "byte" => "System.Byte",
        "sbyte" => "System.SByte",
        "char" => "System.Char",
        "decimal" => "System.Decimal",
        "double" => "System.Double",
        "float" => "System.Single",
        "int" => "System.Int32",
        "uint" => "System.UInt32",
        "nint" => "System.IntPtr",
        "nuint" => "System.UIntPtr",
        "long" => "System.Int64",
        "ulong" => "System.UInt64",
        "short" => "System.Int16",
        "ushort" => "System.UInt16",
        "object" | "dynamic" => "System.Object",
        "string" => "System.String",
        "void" => "System.Void",
        _ => return None,
    })
}

/// The namespace of a type of the framework that most programs use; `arity` tells `Task` from
/// `Task<T>`, which share one.
pub fn known(name: &str, arity: usize) -> Option<&'static str> {
    let namespaces = NAMESPACES
        .iter()
        .filter(|(_, names)| names.split(' ').any(|known| known == name));
    let mut found = namespaces.map(|(namespace, _)| *namespace);
    // `IEnumerable` and `IList` exist without type arguments in another namespace.
    match (name, arity) {
        (
            "IEnumerable" | "IEnumerator" | "ICollection" | "IList" | "IDictionary" | "IComparer"
            | "IEqualityComparer",
            0,
        ) => Some("System.Collections"),
        _ => found.next(),
    }
}

const NAMESPACES: &[(&str, &str)] = &[
    (
        "System",
        "Action Func Predicate Comparison Converter EventHandler EventArgs Exception ArgumentException ArgumentNullException InvalidOperationException \
         NotSupportedException NotImplementedException AggregateException Attribute Array ArraySegment AsyncCallback IAsyncResult Boolean Byte Char ConsoleKey \
         ConsoleColor DateOnly DateTime DateTimeKind DateTimeOffset DayOfWeek DBNull Decimal Delegate Double Enum Guid Half IAsyncDisposable ICloneable IComparable \
         IConvertible IDisposable IEquatable IFormatProvider IFormattable Index Int128 Int16 Int32 Int64 IntPtr IObservable IObserver IProgress IServiceProvider \
         Lazy Math Memory MulticastDelegate Nullable Object Progress Random Range ReadOnlyMemory ReadOnlySpan RuntimeTypeHandle SByte Single Span String \
         StringComparer StringComparison TimeOnly TimeProvider TimeSpan TimeZoneInfo Tuple Type TypeCode UInt16 UInt32 UInt64 UIntPtr Uri UriKind ValueTuple \
         ValueType Version WeakReference",
    ),
    (
        "System.Collections",
        "ArrayList BitArray DictionaryEntry Hashtable IStructuralComparable IStructuralEquatable",
    ),
    (
        "System.Collections.Generic",
        "Comparer Dictionary EqualityComparer HashSet IAsyncEnumerable IAsyncEnumerator ICollection IComparer IDictionary IEnumerable IEnumerator \
         IEqualityComparer IList IReadOnlyCollection IReadOnlyDictionary IReadOnlyList IReadOnlySet ISet KeyValuePair LinkedList LinkedListNode List \
         PriorityQueue Queue SortedDictionary SortedList SortedSet Stack",
    ),
    (
        "System.Collections.Concurrent",
        "BlockingCollection ConcurrentBag ConcurrentDictionary ConcurrentQueue ConcurrentStack IProducerConsumerCollection",
    ),
    (
        "System.Collections.Immutable",
        "ImmutableArray ImmutableDictionary ImmutableHashSet ImmutableList IImmutableList IImmutableDictionary",
    ),
    (
        "System.Collections.ObjectModel",
        "Collection KeyedCollection ObservableCollection ReadOnlyCollection ReadOnlyDictionary",
    ),
    (
        "System.Collections.Specialized",
        "NameValueCollection NotifyCollectionChangedEventArgs StringCollection StringDictionary",
    ),
    (
        "System.ComponentModel",
        "CancelEventArgs INotifyPropertyChanged PropertyChangedEventArgs PropertyDescriptor TypeConverter TypeDescriptor",
    ),
    (
        "System.Data",
        "CommandType DataRow DataSet DataTable DbType IDataReader IDbCommand IDbConnection IDbTransaction IsolationLevel",
    ),
    (
        "System.Diagnostics",
        "Activity Process ProcessStartInfo Stopwatch StackTrace TraceLevel",
    ),
    (
        "System.Globalization",
        "CultureInfo DateTimeStyles NumberStyles",
    ),
    (
        "System.IO",
        "BinaryReader BinaryWriter DirectoryInfo FileAccess FileInfo FileMode FileShare FileStream FileSystemInfo MemoryStream SeekOrigin Stream StreamReader StreamWriter StringReader StringWriter TextReader TextWriter",
    ),
    (
        "System.Linq",
        "IGrouping ILookup IOrderedEnumerable IOrderedQueryable IQueryable IQueryProvider",
    ),
    (
        "System.Linq.Expressions",
        "BinaryExpression Expression ExpressionType LambdaExpression MemberExpression MethodCallExpression ParameterExpression UnaryExpression",
    ),
    (
        "System.Net",
        "Cookie CookieContainer EndPoint HttpStatusCode IPAddress IPEndPoint NetworkCredential WebHeaderCollection",
    ),
    (
        "System.Net.Http",
        "DelegatingHandler HttpClient HttpContent HttpMessageHandler HttpMethod HttpRequestMessage HttpResponseMessage",
    ),
    (
        "System.Reflection",
        "Assembly AssemblyName BindingFlags ConstructorInfo FieldInfo MemberInfo MethodBase MethodInfo Module ParameterInfo PropertyInfo TypeInfo",
    ),
    (
        "System.Runtime.Serialization",
        "SerializationInfo StreamingContext",
    ),
    (
        "System.Security.Claims",
        "Claim ClaimsIdentity ClaimsPrincipal",
    ),
    (
        "System.Security.Cryptography.X509Certificates",
        "X509Certificate X509Certificate2",
    ),
    ("System.Security.Principal", "IIdentity IPrincipal"),
    ("System.Text", "Encoding Rune StringBuilder"),
    (
        "System.Text.Json",
        "JsonDocument JsonElement JsonSerializerOptions JsonTokenType Utf8JsonReader Utf8JsonWriter",
    ),
    (
        "System.Text.RegularExpressions",
        "Capture Group Match MatchCollection Regex RegexOptions",
    ),
    (
        "System.Threading",
        "CancellationToken CancellationTokenSource ManualResetEvent ManualResetEventSlim Mutex SemaphoreSlim SynchronizationContext Thread Timer TimerCallback WaitHandle",
    ),
    (
        "System.Threading.Channels",
        "Channel ChannelReader ChannelWriter",
    ),
    (
        "System.Threading.Tasks",
        "Task TaskCompletionSource TaskCreationOptions TaskFactory TaskScheduler ValueTask",
    ),
    (
        "System.Xml",
        "XmlDocument XmlElement XmlNode XmlReader XmlWriter",
    ),
    (
        "System.Xml.Linq",
        "XAttribute XDocument XElement XName XNamespace XNode",
    ),
    (
        "Microsoft.AspNetCore.Builder",
        "IApplicationBuilder IEndpointConventionBuilder RouteGroupBuilder RouteHandlerBuilder WebApplication WebApplicationBuilder",
    ),
    (
        "Microsoft.AspNetCore.Hosting",
        "IWebHost IWebHostBuilder IWebHostEnvironment",
    ),
    (
        "Microsoft.AspNetCore.Http",
        "HttpContext HttpRequest HttpResponse IFormCollection IFormFile IHeaderDictionary IHttpContextAccessor IQueryCollection IResult RequestDelegate",
    ),
    (
        "Microsoft.AspNetCore.Mvc",
        "ActionContext ActionResult ControllerBase IActionResult JsonResult ObjectResult ProblemDetails",
    ),
    (
        "Microsoft.AspNetCore.Mvc.Filters",
        "ActionExecutedContext ActionExecutingContext ActionExecutionDelegate AuthorizationFilterContext ExceptionContext",
    ),
    (
        "Microsoft.AspNetCore.Identity",
        "ExternalLoginInfo IdentityError IdentityResult IdentityRole IdentityUser IPasswordHasher IUserStore RoleManager SignInManager UserManager",
    ),
    (
        "Microsoft.AspNetCore.Components",
        "ComponentBase EventCallback NavigationManager RenderFragment",
    ),
    (
        "Microsoft.AspNetCore.Authentication",
        "AuthenticationProperties AuthenticationScheme AuthenticationTicket",
    ),
    (
        "Microsoft.AspNetCore.Authorization",
        "AuthorizationHandlerContext IAuthorizationService",
    ),
    ("Microsoft.JSInterop", "IJSObjectReference IJSRuntime"),
    (
        "MediatR",
        "IMediator INotification IPublisher IRequest IRequestHandler ISender RequestHandlerDelegate",
    ),
    ("AutoMapper", "IMapper IMappingExpression ResolutionContext"),
    (
        "Microsoft.AspNetCore.Mvc.ModelBinding",
        "ModelBindingContext ModelStateDictionary",
    ),
    (
        "Microsoft.AspNetCore.Routing",
        "IEndpointRouteBuilder RouteData RouteValueDictionary",
    ),
    (
        "Microsoft.EntityFrameworkCore",
        "DbContext DbContextOptions DbContextOptionsBuilder DbSet ModelBuilder",
    ),
    (
        "Microsoft.EntityFrameworkCore.Metadata.Builders",
        "EntityTypeBuilder PropertyBuilder",
    ),
    (
        "Microsoft.EntityFrameworkCore.Migrations",
        "MigrationBuilder",
    ),
    (
        "Microsoft.Extensions.Caching.Memory",
        "IMemoryCache MemoryCacheEntryOptions",
    ),
    (
        "Microsoft.Extensions.Caching.Distributed",
        "IDistributedCache",
    ),
    (
        "Microsoft.Extensions.Configuration",
        "ConfigurationManager IConfiguration IConfigurationBuilder IConfigurationRoot IConfigurationSection",
    ),
    (
        "Microsoft.Extensions.DependencyInjection",
        "IServiceCollection IServiceScope IServiceScopeFactory ServiceCollection ServiceDescriptor ServiceLifetime ServiceProvider",
    ),
    (
        "Microsoft.Extensions.Hosting",
        "IHost IHostBuilder IHostEnvironment IHostApplicationBuilder IHostApplicationLifetime",
    ),
    (
        "Microsoft.Extensions.Logging",
        "EventId ILogger ILoggerFactory ILoggerProvider LogLevel",
    ),
    (
        "Microsoft.Extensions.Options",
        "IOptions IOptionsMonitor IOptionsSnapshot",
    ),
    (
        "Microsoft.Extensions.Primitives",
        "IChangeToken StringSegment StringValues",
    ),
];

/// Whether `?` makes another type of it.
pub fn is_value_type(full_name: &str) -> bool {
    const VALUES: &[&str] = &[
        "System.Boolean",
        "System.Byte",
        "System.SByte",
        "System.Char",
        "System.Decimal",
        "System.Double",
        "System.Single",
        "System.Int32",
        "System.UInt32",
        "System.IntPtr",
        "System.UIntPtr",
        "System.Int64",
        "System.UInt64",
        "System.Int16",
        "System.UInt16",
        "System.Guid",
        "System.DateTime",
        "System.DateTimeOffset",
        "System.DateOnly",
        "System.TimeOnly",
        "System.TimeSpan",
        "System.DayOfWeek",
        "System.StringComparison",
        "System.Half",
        "System.Int128",
        "System.Index",
        "System.Range",
        "System.Threading.CancellationToken",
        "System.Net.HttpStatusCode",
        "Microsoft.Extensions.Logging.LogLevel",
        "Microsoft.Extensions.Logging.EventId",
        "System.Text.Json.JsonElement",
        "System.Data.DbType",
        "System.Data.CommandType",
        "System.Data.IsolationLevel",
        "System.UriKind",
        "System.TypeCode",
    ];
    let head = full_name.split('{').next().unwrap_or(full_name);
    VALUES.contains(&full_name)
        || [
            "System.Collections.Generic.KeyValuePair",
            "System.ReadOnlySpan",
            "System.Span",
            "System.Memory",
            "System.ReadOnlyMemory",
            "System.ValueTuple",
            "System.Threading.Tasks.ValueTask",
            "System.Collections.Immutable.ImmutableArray",
        ]
        .contains(&head)
}

/// Sign, number of operands (0: any), name in metadata.
const OPERATORS: &[(&str, usize, &str)] = &[
    ("+", 1, "op_UnaryPlus"),
    ("+", 2, "op_Addition"),
    ("-", 1, "op_UnaryNegation"),
    ("-", 2, "op_Subtraction"),
    ("*", 0, "op_Multiply"),
    ("/", 0, "op_Division"),
    ("%", 0, "op_Modulus"),
    ("&", 0, "op_BitwiseAnd"),
    ("|", 0, "op_BitwiseOr"),
    ("^", 0, "op_ExclusiveOr"),
    ("<<", 0, "op_LeftShift"),
    (">>", 0, "op_RightShift"),
    (">>>", 0, "op_UnsignedRightShift"),
    ("==", 0, "op_Equality"),
    ("!=", 0, "op_Inequality"),
    ("<", 0, "op_LessThan"),
    (">", 0, "op_GreaterThan"),
    ("<=", 0, "op_LessThanOrEqual"),
    (">=", 0, "op_GreaterThanOrEqual"),
    ("!", 0, "op_LogicalNot"),
    ("~", 0, "op_OnesComplement"),
    ("++", 0, "op_Increment"),
    ("--", 0, "op_Decrement"),
    ("true", 0, "op_True"),
    ("false", 0, "op_False"),
];

/// The metadata name of `operator+`, `operator string`.
pub fn operator(name: &str, n_operands: usize) -> &'static str {
    let sign = name.strip_prefix("operator").unwrap_or(name).trim();
    let sign = sign.strip_prefix("checked ").unwrap_or(sign);
    let found = OPERATORS
        .iter()
        .find(|(known, operands, _)| *known == sign && (*operands == 0 || *operands == n_operands));
    found.map_or("op_Implicit", |(_, _, name)| name)
}

/// What symbols of that metadata name are called in facts.
pub fn operator_names(metadata: &str) -> Vec<String> {
    OPERATORS
        .iter()
        .filter(|(_, _, name)| *name == metadata)
        .map(|(sign, ..)| format!("operator{sign}"))
        .collect()
}

/// The class of the framework that declares an extension method, by the type that it is called on:
/// `List.Where` is `Enumerable.Where`.
pub fn extension_holder(receiver: &str, member: &str) -> Option<&'static str> {
    let is_one_of = |names: &str| names.split(' ').any(|name| name == receiver);
    let holder = |(receivers, members, holder): &(&str, &str, &'static str)| {
        (is_one_of(receivers) && members.split(' ').any(|name| name == member)).then_some(*holder)
    };
    // What a collection has by itself is not the extension of that name.
    let has_it = INSTANCE_MEMBERS
        .iter()
        .any(|(member_name, receivers)| *member_name == member && is_one_of(receivers));
    if has_it {
        None
    } else {
        EXTENSIONS.iter().find_map(holder)
    }
}

const SEQUENCES: &str = "IEnumerable IOrderedEnumerable IGrouping ILookup ICollection IReadOnlyCollection IList IReadOnlyList List Collection ReadOnlyCollection \
                         ObservableCollection LinkedList HashSet ISet IReadOnlySet SortedSet Queue Stack ConcurrentQueue ConcurrentStack ConcurrentBag \
                         IReadOnlyDictionary IDictionary Dictionary SortedDictionary SortedList ReadOnlyDictionary ConcurrentDictionary Array MatchCollection";

const QUERIES: &str = "IQueryable IOrderedQueryable DbSet";

const LINQ: &str = "Where Skip Take SkipLast TakeLast SkipWhile TakeWhile Distinct DistinctBy Reverse Concat Union UnionBy Intersect IntersectBy Except ExceptBy \
                    Append Prepend DefaultIfEmpty OrderBy OrderByDescending Order OrderDescending ThenBy ThenByDescending Select SelectMany Cast OfType Zip Chunk \
                    GroupBy First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault MinBy MaxBy Min Max Sum Average Aggregate \
                    Any All Contains SequenceEqual Count LongCount Join GroupJoin";

/// Receivers, members, and who declares them for those.
const EXTENSIONS: &[(&str, &str, &str)] = &[
    (
        QUERIES,
        "ToList ToArray ToDictionary ToHashSet ToLookup AsEnumerable",
        "Enumerable",
    ),
    (QUERIES, LINQ, "Queryable"),
    (
        QUERIES,
        "Include ThenInclude AsNoTracking AsNoTrackingWithIdentityResolution AsTracking IgnoreQueryFilters IgnoreAutoIncludes TagWith ToListAsync ToArrayAsync \
         ToDictionaryAsync ToHashSetAsync FirstAsync FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync LastAsync LastOrDefaultAsync CountAsync \
         LongCountAsync AnyAsync AllAsync SumAsync AverageAsync MinAsync MaxAsync ContainsAsync ForEachAsync LoadAsync ExecuteDelete ExecuteDeleteAsync \
         ExecuteUpdate ExecuteUpdateAsync",
        "EntityFrameworkQueryableExtensions",
    ),
    (
        QUERIES,
        "AsSplitQuery AsSingleQuery FromSql FromSqlRaw FromSqlInterpolated",
        "RelationalQueryableExtensions",
    ),
    (SEQUENCES, LINQ, "Enumerable"),
    (
        SEQUENCES,
        "ToList ToArray ToDictionary ToHashSet ToLookup AsEnumerable Index",
        "Enumerable",
    ),
    (SEQUENCES, "AsParallel", "ParallelEnumerable"),
    (SEQUENCES, "AsQueryable", "Queryable"),
    ("string Array", "AsSpan AsMemory", "MemoryExtensions"),
    (
        "Span ReadOnlySpan",
        "Equals StartsWith EndsWith Contains IndexOf IndexOfAny LastIndexOf SequenceEqual Trim TrimStart TrimEnd",
        "MemoryExtensions",
    ),
    (
        "IServiceProvider IServiceScopeFactory",
        "GetRequiredService GetServices CreateAsyncScope",
        "ServiceProviderServiceExtensions",
    ),
    (
        "IServiceProvider",
        "CreateScope",
        "ServiceProviderServiceExtensions",
    ),
    (
        "IServiceCollection",
        "AddSingleton AddScoped AddTransient",
        "ServiceCollectionServiceExtensions",
    ),
    (
        "IConfiguration IConfigurationSection",
        "Get GetValue Bind",
        "ConfigurationBinder",
    ),
    (
        "IConfiguration IConfigurationSection",
        "GetConnectionString Exists AsEnumerable",
        "ConfigurationExtensions",
    ),
];

const INSTANCE_MEMBERS: &[(&str, &str)] = &[
    (
        "Contains",
        "ICollection IList List Collection ReadOnlyCollection ObservableCollection LinkedList HashSet ISet IReadOnlySet SortedSet Queue Stack IDictionary ILookup",
    ),
    (
        "ToArray",
        "List Queue Stack ConcurrentQueue ConcurrentStack ConcurrentBag ConcurrentDictionary",
    ),
    ("Reverse", "List Array SortedSet"),
    // A static method of the class.
    ("IndexOf", "Array"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arity_tells_namespaces_apart() {
        assert_eq!(known("IEnumerable", 0), Some("System.Collections"));
        assert_eq!(known("IEnumerable", 1), Some("System.Collections.Generic"));
        assert_eq!(known("Order", 0), None);
    }

    #[test]
    fn an_extension_belongs_to_the_class_that_declares_it() {
        assert_eq!(extension_holder("List", "Where"), Some("Enumerable"));
        assert_eq!(
            extension_holder("IEnumerable", "ToArray"),
            Some("Enumerable")
        );
        assert_eq!(extension_holder("List", "ToArray"), None);
        assert_eq!(extension_holder("IQueryable", "ToList"), Some("Enumerable"));
        assert_eq!(extension_holder("DbSet", "Where"), Some("Queryable"));
        assert_eq!(extension_holder("DbSet", "AddAsync"), None);
        assert_eq!(extension_holder("Dictionary", "Add"), None);
        assert_eq!(extension_holder("string", "Join"), None);
    }

    #[test]
    fn operators_have_metadata_names() {
        assert_eq!(operator("operator-", 1), "op_UnaryNegation");
        assert_eq!(operator("operator-", 2), "op_Subtraction");
        assert_eq!(operator_names("op_Equality"), ["operator=="]);
    }
}
