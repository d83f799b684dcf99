//! How JavaScript and TypeScript names are looked up, and what their library gives.

use facts::{
    Checks, Construction, Declarations, EntryPoints, Exposure, Family, LibraryAlias, Merging,
    ModuleSystem, Protocols, Semantics, TestRules,
};

/// TypeScript: a compiler looks at every name, member and call.
pub(in super::super) static TYPESCRIPT: Semantics = Semantics {
    checks: Checks {
        argument_errors: &["@ts-expect-error", "@ts-ignore"],
        abstract_classes_declare: true,
        fewer_parameters: true,
        ..Checks::COMPILED
    },
    ..ECMASCRIPT
};

/// JavaScript: a name or an import that means nothing is an error, a member that is not there is
/// `undefined`.
pub(in super::super) static JAVASCRIPT: Semantics = Semantics {
    checks: Checks {
        names: true,
        ..Checks::NONE
    },
    ..ECMASCRIPT
};

const ECMASCRIPT: Semantics = Semantics {
    family: Family::JavaScript,
    modules: ModuleSystem::EcmaScript,
    self_types: &["this"],
    // `Foo()` calls; only errors, boxes and constructor functions of old make objects that way,
    // which shapes say.
    construction: Construction {
        constructors: &["constructor"],
        delegates: &["super"],
        ..Construction::NONE
    },
    protocols: Protocols {
        index: &["[]"],
        iterate: &["[Symbol.iterator]"],
        step: &["next"],
        iterate_async: &["[Symbol.asyncIterator]"],
        step_async: &["next"],
        wait: &["then"],
        conversions: &[("string", &["[Symbol.toPrimitive]", "toString"])],
        ..Protocols::NONE
    },
    // Signatures without a body are told apart by their parameters; the one body serves them all.
    overloads: true,
    prototypes: true,
    declarations: Declarations {
        merging: Merging::File,
        constructor_functions: true,
        joined_intersections: true,
        members_by_index: true,
        library_aliases: &[
            ("Partial", LibraryAlias::Argument),
            ("Required", LibraryAlias::Argument),
            ("Readonly", LibraryAlias::Argument),
            ("NonNullable", LibraryAlias::Argument),
            ("Pick", LibraryAlias::Argument),
            ("Omit", LibraryAlias::Argument),
            ("DeepPartial", LibraryAlias::Argument),
        ],
        // The elements of a page.
        global_types: &["IntrinsicElements"],
        ..Declarations::USUAL
    },
    #[rustfmt::skip]
    builtins: &[
        // The language.
        "AggregateError", "Array", "ArrayBuffer", "AsyncDisposableStack", "AsyncFunction",
        "AsyncGenerator", "AsyncGeneratorFunction", "AsyncIterator", "Atomics", "BigInt",
        "BigInt64Array", "BigUint64Array", "Boolean", "DataView", "Date", "DisposableStack",
        "Error", "EvalError", "FinalizationRegistry", "Float16Array", "Float32Array",
        "Float64Array", "Function", "Generator", "GeneratorFunction", "Infinity", "Int16Array",
        "Int32Array", "Int8Array", "Intl", "Iterator", "JSON", "Map", "Math", "NaN", "Number",
        "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set",
        "SharedArrayBuffer", "String", "SuppressedError", "Symbol", "SyntaxError", "TypeError",
        "URIError", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap",
        "WeakRef", "WeakSet", "arguments", "decodeURI", "decodeURIComponent", "encodeURI",
        "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN", "parseFloat",
        "parseInt", "undefined", "unescape",
        // TypeScript's own types.
        "any", "bigint", "boolean", "keyof", "never", "null", "number", "object", "string",
        "symbol", "type predicate", "unique symbol", "unknown", "void", "ArrayLike", "AsyncIterable",
        "AsyncIterableIterator", "Awaited", "Capitalize", "ClassDecorator", "ConcatArray",
        "ConstructorParameters", "Disposable", "AsyncDisposable", "Exclude", "Extract",
        "ImportMeta", "InstanceType", "Iterable", "IterableIterator", "IteratorResult",
        "Lowercase", "MethodDecorator", "NoInfer", "NonNullable", "Omit", "OmitThisParameter",
        "ParameterDecorator", "Parameters", "Partial", "Pick", "PromiseConstructor",
        "PromiseConstructorLike", "PromiseLike", "PromiseSettledResult", "PromiseFulfilledResult",
        "PromiseRejectedResult", "PropertyDecorator", "PropertyDescriptor", "PropertyKey",
        "Readonly", "ReadonlyArray", "ReadonlyMap", "ReadonlySet", "Record", "RegExpExecArray",
        "RegExpMatchArray", "Required", "ReturnType", "TemplateStringsArray", "ThisParameterType",
        "ThisType", "TypedPropertyDescriptor", "Uncapitalize", "Uppercase", "CallableFunction",
        "NewableFunction", "ErrorOptions", "ErrorConstructor", "ObjectConstructor", "BufferSource",
        // The web platform, which browsers and most servers have.
        "AbortController", "AbortSignal", "Blob", "BroadcastChannel", "ByteLengthQueuingStrategy",
        "Cache", "CacheStorage", "CloseEvent", "CompressionStream", "CountQueuingStrategy",
        "Crypto", "CryptoKey", "CryptoKeyPair", "CustomEvent", "DOMException",
        "DecompressionStream", "ErrorEvent", "Event", "EventListener",
        "EventListenerOrEventListenerObject", "EventSource", "EventTarget", "ExecutionContext",
        "FetchEvent", "File", "FileList", "FileReader", "FormData", "FormDataEntryValue",
        "Headers", "HeadersInit", "BodyInit", "RequestInfo", "ResponseInit", "MessageChannel",
        "MessageEvent", "MessagePort", "MutationObserver", "IntersectionObserver",
        "ResizeObserver", "PerformanceObserver", "Performance", "PerformanceEntry",
        "ProgressEvent", "QueuingStrategy", "ReadableStream", "ReadableStreamDefaultController",
        "ReadableStreamDefaultReader", "ReadableByteStreamController", "Request", "RequestInit",
        "Response", "ServiceWorker", "ServiceWorkerGlobalScope", "SharedWorker", "Storage",
        "SubtleCrypto", "TextDecoder", "TextDecoderStream", "TextEncoder", "TextEncoderStream",
        "TransformStream", "TransformStreamDefaultController", "URL", "URLPattern",
        "URLSearchParams", "WebAssembly", "WebSocket", "Worker", "WritableStream",
        "WritableStreamDefaultController", "WritableStreamDefaultWriter", "XMLHttpRequest",
        "alert", "atob", "btoa", "caches", "cancelAnimationFrame", "cancelIdleCallback",
        "clearInterval", "clearTimeout", "confirm", "console", "crypto", "customElements",
        "document", "fetch", "getComputedStyle", "history", "indexedDB", "localStorage",
        "location", "matchMedia", "navigator", "performance", "postMessage", "prompt",
        "queueMicrotask", "reportError", "requestAnimationFrame", "requestIdleCallback", "screen",
        "self", "sessionStorage", "setInterval", "setTimeout", "structuredClone", "window",
        "addEventListener", "removeEventListener", "dispatchEvent", "frames", "parent", "top",
        "origin", "Animation", "Attr", "AudioContext", "CSSStyleDeclaration", "CSSStyleSheet",
        "CanvasRenderingContext2D", "CharacterData", "ClipboardEvent", "Comment",
        "CompositionEvent", "CustomElementRegistry", "DOMParser", "DOMRect", "DOMTokenList",
        "DataTransfer", "Document", "DocumentFragment", "DragEvent", "Element", "FocusEvent",
        "HTMLAnchorElement", "HTMLAudioElement", "HTMLBodyElement", "HTMLButtonElement",
        "HTMLCanvasElement", "HTMLCollection", "HTMLDivElement", "HTMLElement",
        "HTMLElementTagNameMap", "HTMLFormElement", "HTMLHeadElement", "HTMLHeadingElement",
        "HTMLIFrameElement", "HTMLImageElement", "HTMLInputElement", "HTMLLIElement",
        "HTMLLabelElement", "HTMLLinkElement", "HTMLMediaElement", "HTMLOptionElement",
        "HTMLParagraphElement", "HTMLPreElement", "HTMLScriptElement", "HTMLSelectElement",
        "HTMLSpanElement", "HTMLStyleElement", "HTMLTableElement", "HTMLTemplateElement",
        "HTMLTextAreaElement", "HTMLUListElement", "HTMLVideoElement", "HashChangeEvent",
        "History", "Image", "ImageData", "InputEvent", "KeyboardEvent", "Location",
        "MediaQueryList", "MouseEvent", "NamedNodeMap", "Navigator", "Node", "NodeList",
        "NodeListOf", "Option", "PointerEvent", "PopStateEvent", "Range", "SVGElement",
        "Selection", "ShadowRoot", "StorageEvent", "SubmitEvent", "Text", "TouchEvent", "UIEvent",
        "WheelEvent", "Window",
        // Servers.
        "Buffer", "BufferEncoding", "NodeJS", "__dirname", "__filename", "clearImmediate",
        "exports", "global", "module", "process", "require", "setImmediate", "Bun", "Deno",
        // Tests that declare their words as globals.
        "afterAll", "afterEach", "beforeAll", "beforeEach", "describe", "expect", "it", "jest",
        "test", "vi", "suite", "assert", "context", "before", "after", "xit", "xdescribe", "fit",
        "fdescribe",
        // Elements.
        "JSX",
    ],
    #[rustfmt::skip]
    standard_modules: &[
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants",
        "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2",
        "https", "inspector", "module", "net", "node", "os", "path", "perf_hooks", "process",
        "punycode", "querystring", "readline", "repl", "sea", "sqlite", "stream", "string_decoder",
        "sys", "test", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
        "worker_threads", "zlib", "bun", "node:assert", "node:async_hooks", "node:buffer",
        "node:child_process", "node:cluster", "node:console", "node:constants", "node:crypto",
        "node:dgram", "node:diagnostics_channel", "node:dns", "node:domain", "node:events",
        "node:fs", "node:http", "node:http2", "node:https", "node:inspector", "node:module",
        "node:net", "node:os", "node:path", "node:perf_hooks", "node:process", "node:punycode",
        "node:querystring", "node:readline", "node:repl", "node:sea", "node:sqlite", "node:stream",
        "node:string_decoder", "node:sys", "node:test", "node:timers", "node:tls",
        "node:trace_events", "node:tty", "node:url", "node:util", "node:v8", "node:vm", "node:wasi",
        "node:worker_threads", "node:zlib", "bun:ffi", "bun:jsc", "bun:sqlite", "bun:test",
        "cloudflare:sockets", "cloudflare:test", "cloudflare:workers",
    ],
    shapes: include_str!("shapes.txt"),
    entry_points: EntryPoints {
        members: &[
            "constructor",
            "toString",
            "toJSON",
            "valueOf",
            "then",
            "next",
            "return",
            "throw",
            "[Symbol.iterator]",
            "[Symbol.asyncIterator]",
            "[Symbol.toPrimitive]",
            "[Symbol.toStringTag]",
            "[Symbol.dispose]",
            "[Symbol.hasInstance]",
        ],
        members_by_text: true,
        open_members: true,
        type_blocks_run: true,
        tests: TestRules {
            blocks: &["it", "test", "specify", "fit", "xit", "xtest"],
            groups: &["describe", "suite", "context", "fdescribe", "xdescribe"],
            ..TestRules::NONE
        },
        exposure: Exposure::Exported,
        ..EntryPoints::NONE
    },
    ..Semantics::USUAL
};
